import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "@/components/button";
import { Progress } from "@/components/progress";
import { asSentence, formatCount, formatPlural, formatSize } from "@/lib/format";
import { isPending, type Destination, type Kept, type Upload, type UploadState } from "@/lib/upload-queue";
import { useUploadList, useUploads } from "@/components/uploads/uploads";
import styles from "@/components/uploads/uploads.module.css";

/** What is on its way in, in the corner, wherever the user is. */
export function UploadTray() {
  const { queue } = useUploads();
  const uploads = useUploadList();
  const [open, setOpen] = useState(true);
  if (uploads.length === 0) return null;
  const busy = uploads.some(({ state }) => isPending(state));

  return (
    <section className={styles.tray} aria-label="Uploads">
      <div className={styles.trayHead}>
        <h2 aria-live="polite">{summarise(uploads)}</h2>
        <div>
          <Button look="quiet" aria-expanded={open} onPress={() => setOpen(!open)}>
            {open ? "Hide" : "Show"}
          </Button>
          {!busy && (
            <Button look="quiet" onPress={() => queue.clearSettled()}>
              Done
            </Button>
          )}
        </div>
      </div>
      {open && (
        <ul className={styles.list}>
          {uploads.map((upload) => (
            <UploadItem key={upload.id} upload={upload} />
          ))}
        </ul>
      )}
    </section>
  );
}

function UploadItem({ upload: { id, file, into, state } }: { upload: Upload }) {
  const { queue } = useUploads();
  return (
    <li className={styles.item} data-step={state.step}>
      <span className={styles.name} title={file.name}>
        {state.step === "kept" || state.step === "known" ? <KeptLink kept={state.kept} name={file.name} /> : file.name}
      </span>
      <span className={styles.state}>{describe(state, into, file.size)}</span>
      {state.step === "uploading" && (
        <div className={styles.wide}>
          <Progress
            label={`Uploading ${file.name}`}
            words={`${formatSize(state.sent)} of ${formatSize(file.size)}`}
            count={percent(state.sent, file.size)}
            done={state.sent}
            total={Math.max(1, file.size)}
          />
        </div>
      )}
      {state.step === "failed" && (
        <div className={styles.wide}>
          <p className={styles.problem}>
            {asSentence(state.problem.message)} {state.problem.hint}
            {state.problem.requestId && ` (Request ${state.problem.requestId})`}
          </p>
          <div className={styles.actions}>
            <Button look="quiet" onPress={() => queue.retry(id)}>
              Try again
            </Button>
            <Button look="quiet" onPress={() => queue.remove(id)}>
              Leave out
            </Button>
          </div>
        </div>
      )}
      {(state.step === "uploading" || state.step === "waiting") && (
        <div className={`${styles.wide} ${styles.actions}`}>
          <Button look="quiet" aria-label={`Stop ${file.name}`} onPress={() => queue.remove(id)}>
            Stop
          </Button>
        </div>
      )}
    </li>
  );
}

function KeptLink({ kept, name }: { kept: Kept; name: string }) {
  return kept.kind === "source" ? (
    <Link to="/sources/$sourceId" params={{ sourceId: kept.source.id }}>
      {name}
    </Link>
  ) : (
    <Link to="/library/files/$sha256" params={{ sha256: kept.artifact.sha256 }}>
      {name}
    </Link>
  );
}

function percent(sent: number, size: number): string {
  return `${size === 0 ? 0 : Math.floor((sent / size) * 100)} %`;
}

function describe(state: UploadState, into: Destination, size: number): string {
  switch (state.step) {
    case "waiting":
      return `Waiting · ${formatSize(size)}`;
    case "uploading":
      return "Uploading";
    case "hashing":
      return "Hashing…";
    case "kept":
      return into === "sources" ? "Added" : "Kept";
    case "known":
      return "Already here";
    case "failed":
      return "Failed";
  }
}

function summarise(uploads: readonly Upload[]): string {
  const count = (step: UploadState["step"]) => uploads.filter(({ state }) => state.step === step).length;
  const pending = uploads.filter(({ state }) => isPending(state)).length;
  if (pending > 0) return `${formatCount(uploads.length - pending)} of ${formatPlural(uploads.length, "file")} done`;
  const added = uploads.filter(({ state, into }) => state.step === "kept" && into === "sources").length;
  const kept = count("kept") - added;
  const parts = [
    added > 0 && `${formatPlural(added, "file")} added`,
    kept > 0 && `${formatPlural(kept, "file")} kept`,
    count("known") > 0 && `${formatCount(count("known"))} already here`,
    count("failed") > 0 && `${formatCount(count("failed"))} failed`,
  ];
  return parts.filter(Boolean).join(", ");
}
