import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { artifactKeys, sendArtifact } from "@/api/artifacts";
import { finished } from "@/api/jobs";
import { refreshSource, sourceKeys } from "@/api/sources";
import type { Artifact, Source } from "@/api/types";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { Progress } from "@/components/progress";
import { ErrorNote, Skeleton } from "@/components/states";
import { LostClaims } from "@/features/sources/lost-claims";
import { useImpact } from "@/features/sources/use-impact";
import { formatSize } from "@/lib/format";
import styles from "@/features/sources/forms.module.css";

/** Puts a newer file in place of a source's content, after saying which claims it no longer supports. */
export function ReplaceDialog({ source, onClose }: { source: Source; onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const abort = useRef<AbortController>(null);
  const [file, setFile] = useState<File | null>(null);
  const [sent, setSent] = useState(0);
  const keep = useMutation({
    mutationFn: (chosen: File) => {
      abort.current = new AbortController();
      return sendArtifact(chosen, setSent, abort.current.signal);
    },
  });
  function choose(chosen: File | undefined) {
    if (!chosen) return;
    setFile(chosen);
    setSent(0);
    keep.mutate(chosen);
  }
  function close() {
    abort.current?.abort();
    onClose();
  }

  return (
    <Dialog title="Replace the content" onClose={close}>
      <div className={styles.form}>
        <p className={styles.subject}>{source.title}</p>
        <p className={styles.about}>
          The content that is there now stays as an earlier version, and what cites it keeps its words.
        </p>
        <input
          ref={input}
          type="file"
          className="visually-hidden"
          aria-label="The new file"
          tabIndex={-1}
          onChange={(event) => choose(event.target.files?.[0])}
        />
        <div>
          <Button onPress={() => input.current?.click()}>{file ? "Choose another file" : "Choose a file"}</Button>
        </div>
        {keep.isPending && file && (
          <Progress
            label={`Sending ${file.name}`}
            words={file.name}
            count={`${formatSize(sent)} of ${formatSize(file.size)}`}
            done={sent}
            total={file.size}
          />
        )}
        {keep.isError && (
          <ErrorNote error={keep.error} what="The file was not taken." onRetry={() => file && keep.mutate(file)} />
        )}
        {keep.data && file ? (
          <Replacement
            key={keep.data.artifact.sha256}
            source={source}
            artifact={keep.data.artifact}
            name={file.name}
            onClose={onClose}
          />
        ) : (
          <div className={styles.actions}>
            <Button onPress={close}>Cancel</Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** The file is kept but not yet in use: this is where one can still turn back. */
function Replacement({
  source,
  artifact,
  name,
  onClose,
}: {
  source: Source;
  artifact: Artifact;
  name: string;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const isSame = artifact.sha256 === source.artifact_sha256;
  const impact = useImpact(source.id, artifact.sha256);
  const replace = useMutation({
    mutationFn: async () => finished(await refreshSource(source.id, artifact.sha256)),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: sourceKeys.all });
      void queries.invalidateQueries({ queryKey: artifactKeys.all });
      onClose();
    },
  });
  return (
    <>
      {isSame && <p className={styles.about}>{name} is what is there already.</p>}
      {!isSame && !impact.data && !impact.error && <Skeleton label="Reading what it still supports" rows={2} />}
      {impact.error && (
        <ErrorNote error={impact.error} what="What it would no longer support is not known." onRetry={impact.retry} />
      )}
      {!isSame && impact.data && impact.claims.length === 0 && (
        <p className={styles.about}>
          {impact.data.citation_count === 0 && impact.data.documents.length === 0
            ? "Nothing cites this source yet."
            : `Every quoted word is in ${name}, too. No claim loses its support.`}
        </p>
      )}
      {!isSame && <LostClaims impact={impact} />}
      {replace.isError && <ErrorNote error={replace.error} what="The content was not replaced." />}
      <div className={styles.actions}>
        <Button onPress={onClose}>Cancel</Button>
        <Button
          look={impact.claims.length > 0 ? "danger" : "primary"}
          isDisabled={isSame || !impact.data || replace.isPending}
          onPress={() => replace.mutate()}
        >
          {replace.isPending ? "Replacing…" : "Replace"}
        </Button>
      </div>
    </>
  );
}
