import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { artifactKeys } from "@/api/artifacts";
import { pointerKeys } from "@/api/pointers";
import type { Artifact } from "@/api/types";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { Field } from "@/components/field";
import { ErrorNote } from "@/components/states";
import { asSentence, formatPlural, formatSize, shortHash } from "@/lib/format";
import { Problem } from "@/lib/problem";
import { makeSnapshot } from "@/features/snapshots/make-snapshot";
import { useSeenPointer } from "@/features/snapshots/use-seen-pointer";
import { snapshotTree } from "@/features/snapshots/snapshot-paths";
import styles from "@/features/snapshots/snapshot-dialog.module.css";

/** Asks for a name and a reason, and makes a snapshot of the files. */
export function SnapshotDialog({
  files,
  onClose,
  onMade,
}: {
  files: Artifact[];
  onClose: () => void;
  onMade: () => void;
}) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [namespace, setNamespace] = useState("default");
  const [name, setName] = useState("");
  const [message, setMessage] = useState("");
  const space = namespace.trim();
  const title = name.trim();

  // What the user is about to replace, as it was when the dialog opened or was reloaded: the move is from there.
  const [visit, setVisit] = useState(() => Date.now());
  const seen = useSeenPointer(visit, space, title);

  const make = useMutation({
    mutationFn: makeSnapshot,
    onSuccess: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: pointerKeys.all }),
        queries.invalidateQueries({ queryKey: artifactKeys.all }),
      ]);
      onMade();
      onClose();
      await navigate({
        to: "/library/snapshots/$namespace/$",
        params: { namespace: space, _splat: title },
      });
    },
  });

  const problem = make.error ? Problem.from(make.error) : null;
  const stale = problem?.code === "pointer_stale";
  const fieldProblem = problem?.field === "name" || problem?.field === "namespace" ? problem : null;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (seen.data === undefined || make.isPending) return;
    make.mutate({ files, namespace: space, name: title, message: message.trim(), seen: seen.data });
  }

  function reload() {
    setVisit(visit + 1);
    make.reset();
  }

  const tree = Object.entries(snapshotTree(files));

  return (
    <Dialog title="Make a snapshot" onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <p className={styles.about}>
          A snapshot is a named, unchangeable list of files. Its name can later move on to a newer one; the history
          keeps them all.
        </p>
        <div className={styles.names}>
          <Field
            label="Namespace"
            value={namespace}
            onChange={setNamespace}
            isRequired
            error={fieldProblem?.field === "namespace" ? asSentence(fieldProblem.message) : null}
          />
          {/* The dialog was opened to be filled in, so its first empty field has the focus. */}
          <Field
            label="Name"
            value={name}
            onChange={setName}
            isRequired
            // eslint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            error={fieldProblem?.field === "name" ? asSentence(fieldProblem.message) : null}
          />
        </div>
        <Field label="Message" value={message} onChange={setMessage} note="Optional: why this snapshot is made." />
        <ul className={styles.files} aria-label="Files in the snapshot">
          {tree.map(([path, entry]) => (
            <li key={path}>
              <span title={path}>{path}</span>
              <span>{formatSize(entry.size_bytes ?? 0)}</span>
            </li>
          ))}
        </ul>
        {seen.data && !stale && (
          <p className={styles.about}>
            {space}/{title} exists
            {seen.data.manifest_sha256 ? ` and is at ${shortHash(seen.data.manifest_sha256)}` : ""}. It will move on to
            a snapshot of just {tree.length === 1 ? "this file" : `these ${formatPlural(tree.length, "file")}`}.
          </p>
        )}
        {seen.isError && (
          <ErrorNote error={seen.error} what="The name could not be looked up." onRetry={() => void seen.refetch()} />
        )}
        {problem && stale && (
          <ErrorNote error={problem} what="Someone else moved this snapshot while you were here.">
            <p>
              You saw it {at(seen.data?.manifest_sha256)}; it is now {at(problem.body.current)}. Nothing was changed.
              Reload to continue from there.
            </p>
            <Button onPress={reload}>Reload</Button>
          </ErrorNote>
        )}
        {problem && !stale && !fieldProblem && <ErrorNote error={problem} what="The snapshot was not made." />}
        <div className={styles.actions}>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isDisabled={seen.data === undefined || stale}>
            {make.isPending ? "Making…" : "Make snapshot"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function at(sha256: unknown): string {
  return typeof sha256 === "string" ? `at ${shortHash(sha256)}` : "empty";
}
