import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { addDocumentSource, documentKeys, getBibliography } from "@/api/documents";
import { getSource, sourceKeys } from "@/api/sources";
import type { DocumentSource } from "@/api/documents-types";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { CloseIcon } from "@/components/icons";
import { ErrorNote, Skeleton } from "@/components/states";
import { AddSourceDialog } from "@/features/documents/add-source";
import { CopySource } from "@/features/documents/copy-source";
import { useDesk } from "@/features/documents/desk";
import type { SourceParts } from "@/features/documents/document-page";
import { sourceLine } from "@/features/documents/document-words";
import type { DocumentSearch } from "@/features/documents/documents-search";
import { Unmarked } from "@/features/documents/unmarked";
import { RemoveSourceDialog } from "@/features/documents/remove-source";
import { formatCount } from "@/lib/format";
import styles from "@/features/documents/side.module.css";

interface Props {
  parts: SourceParts;
  show: (changed: Partial<DocumentSearch>) => void;
  wide: boolean;
}

/** What the document cites or may cite, and the references as they will be printed. */
export function SourcesPanel({ parts: { EditSource, ByHand }, show, wide }: Props) {
  const { id, sources, sourcesError, alter, renew } = useDesk();
  const [adding, setAdding] = useState<"library" | "by hand" | null>(null);
  const [editing, setEditing] = useState<string | null>(null);
  const [removing, setRemoving] = useState<DocumentSource | null>(null);
  return (
    <>
      <div className={styles.head}>
        <h2>
          Sources <span className={styles.count}>{sources && formatCount(sources.length)}</span>
        </h2>
        <Button onPress={() => setAdding("library")}>Add</Button>
        {wide && (
          <Button look="icon" aria-label="Close sources" data-panel="hide" onPress={() => show({ panel: "hidden" })}>
            <CloseIcon />
          </Button>
        )}
      </div>
      {sources === undefined && sourcesError && (
        <ErrorNote error={sourcesError} what="The sources could not be listed." onRetry={renew} />
      )}
      {sources === undefined && !sourcesError && <Skeleton label="Loading sources" rows={3} />}
      {sources?.length === 0 && (
        <p className={styles.none}>
          None yet. What you cite from the library appears here; or add what you mean to cite.
        </p>
      )}
      <ul className={styles.list} aria-label="Sources of this document">
        {sources?.map((source) => (
          <SourceItem
            key={source.source_id}
            source={source}
            onEdit={() => setEditing(source.source_id)}
            onRemove={() => setRemoving(source)}
          />
        ))}
      </ul>
      <Unmarked />
      <BibliographyPreview />
      {adding === "library" && (
        <AddSourceDialog onByHand={() => setAdding("by hand")} onClose={() => setAdding(null)} />
      )}
      {adding === "by hand" && (
        <ByHand
          onClose={() => setAdding(null)}
          onAdded={(source) => void alter(() => addDocumentSource(id, { source_id: source.id }))}
        />
      )}
      {editing && (
        <EditOne
          id={editing}
          EditSource={EditSource}
          onClose={() => {
            setEditing(null);
            renew();
          }}
        />
      )}
      {removing && <RemoveSourceDialog source={removing} onClose={() => setRemoving(null)} />}
    </>
  );
}

function SourceItem({
  source,
  onEdit,
  onRemove,
}: {
  source: DocumentSource;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const who = [source.authors.join("; "), source.date].filter(Boolean).join(" · ");
  return (
    <li className={styles.source}>
      <Link to="/sources/$sourceId" params={{ sourceId: source.source_id }} className={styles.title} data-row="">
        {source.title}
      </Link>
      {who && <p className={styles.dim}>{who}</p>}
      <p className={styles.dim}>
        {sourceLine(source)} ·{" "}
        {source.is_available ? (
          <span>
            <span aria-hidden="true">● </span>available
          </span>
        ) : (
          <span className={styles.gone}>
            <span aria-hidden="true">○ </span>no longer available
          </span>
        )}
      </p>
      <div className={styles.actions}>
        <CopySource source={source} />
        <Button look="quiet" aria-label={`Edit ${source.title}`} onPress={onEdit}>
          Edit
        </Button>
        <Button look="quiet" aria-label={`Remove ${source.title}`} onPress={onRemove}>
          Remove
        </Button>
      </div>
    </li>
  );
}

/** The form of the sources, once what is known of the source is here. */
function EditOne({
  id,
  EditSource,
  onClose,
}: {
  id: string;
  EditSource: SourceParts["EditSource"];
  onClose: () => void;
}) {
  const source = useQuery({ queryKey: sourceKeys.one(id), queryFn: ({ signal }) => getSource(id, signal) });
  if (source.data) return <EditSource source={source.data} onClose={onClose} />;
  return (
    <Dialog title="Edit" onClose={onClose}>
      {source.isError ? (
        <ErrorNote error={source.error} what="The source could not be opened." onRetry={() => void source.refetch()} />
      ) : (
        <Skeleton label="Loading the source" rows={3} />
      )}
    </Dialog>
  );
}

function BibliographyPreview() {
  const { id } = useDesk();
  const bibliography = useQuery({
    queryKey: documentKeys.bibliography(id),
    queryFn: ({ signal }) => getBibliography(id, signal),
  });
  if (bibliography.isError)
    return (
      <ErrorNote
        error={bibliography.error}
        what="The references could not be set."
        onRetry={() => void bibliography.refetch()}
      />
    );
  const entries = bibliography.data?.entries ?? [];
  if (entries.length === 0) return null;
  return (
    <section className={styles.references} aria-label="References">
      <h3>References</h3>
      <ol>
        {entries.map((entry, index) => (
          <li key={index}>{entry.text}</li>
        ))}
      </ol>
    </section>
  );
}
