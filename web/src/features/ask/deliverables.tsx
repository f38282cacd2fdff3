import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { deliverableKeys, listDeliverables, makeDeliverable } from "@/api/deliverables";
import type { Deliverable, DeliverableKind } from "@/api/types";
import { Button } from "@/components/button";
import { ErrorNote } from "@/components/states";
import { formatSize } from "@/lib/format";
import styles from "@/features/ask/ask.module.css";

const KINDS: readonly (readonly [kind: DeliverableKind, name: string, about: string])[] = [
  ["report", "Report", "PDF, web page and Markdown, with footnotes that quote"],
  ["website", "Website", "Two pages that open anywhere, one of all sources"],
  ["presentation", "Presentation", "Slides in one file"],
];

/** What a file is called by those who want it; the others are in the zip. */
const NAMES: Record<string, string> = {
  "report.pdf": "PDF",
  "report.html": "Web page",
  "index.html": "Open",
  "presentation.html": "Open",
};

/** What can be made of an answer, and what was. */
export function Deliverables({ run }: { run: string }) {
  const queries = useQueryClient();
  const key = deliverableKeys.ofRun(run);
  const made = useQuery({ queryKey: key, queryFn: ({ signal }) => listDeliverables(run, signal) });
  const make = useMutation({
    mutationFn: (kind: DeliverableKind) => makeDeliverable(run, kind),
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  });
  if (made.isError)
    return (
      <ErrorNote
        error={made.error}
        what="What was made of this answer cannot be listed."
        onRetry={() => void made.refetch()}
      />
    );
  return (
    <section className={styles.deliverables} aria-label="Share">
      {make.isError && <ErrorNote error={make.error} what="It could not be made." />}
      <ul>
        {KINDS.map(([kind, name, about]) => {
          const one = made.data?.find((one) => one.kind === kind);
          const busy = make.isPending && make.variables === kind;
          return (
            <li key={kind}>
              <span className={styles.deliverable}>{name}</span>
              <span className={styles.about}>{about}</span>
              <span className={styles.files}>
                {one ? <Files deliverable={one} /> : null}
                {!one && (
                  <Button look="quiet" isDisabled={make.isPending || made.isPending} onPress={() => make.mutate(kind)}>
                    {busy ? "Making…" : `Make a ${name.toLowerCase()}`}
                  </Button>
                )}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Files({ deliverable: { files, zip_url } }: { deliverable: Deliverable }) {
  const size = files.reduce((sum, file) => sum + file.size_bytes, 0);
  return (
    <>
      {files
        .filter((file) => NAMES[file.path])
        .map((file) => (
          <a key={file.path} href={file.url} target="_blank" rel="noreferrer">
            {NAMES[file.path]}
          </a>
        ))}
      <a href={zip_url} download="">
        All files ({formatSize(size)})
      </a>
    </>
  );
}
