import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { documentKeys, listDocuments, listStyles } from "@/api/documents";
import type { CitationStyle, DocumentSummary } from "@/api/documents-types";
import { Button } from "@/components/button";
import { Page, PageHead } from "@/components/page";
import { SearchField } from "@/components/search-field";
import { Empty, ErrorNote, More, Skeleton } from "@/components/states";
import { Cell, Row, rowLink, Table } from "@/components/table";
import { Time } from "@/components/time";
import { DeleteDialog } from "@/features/documents/delete-dialog";
import { formatName, styleName } from "@/features/documents/document-words";
import { NewDialog } from "@/features/documents/new-dialog";
import { formatCount, formatPlural } from "@/lib/format";
import { usePageTitle } from "@/lib/page-title";
import { usePages } from "@/lib/use-pages";
import styles from "@/features/documents/documents.module.css";

const route = getRouteApi("/documents");
const COLUMNS = [
  { label: "Title" },
  { label: "Style", className: styles.styleCell },
  { label: "Citations", end: true, className: styles.countCell },
  { label: "Changed", end: true, className: styles.whenCell },
  { label: "Actions", quiet: true, end: true },
];

/** Texts that are written here, each with its citations. */
export function DocumentsPage() {
  usePageTitle("Documents");
  const { q = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const documents = usePages(documentKeys.list(q), (cursor, signal) => listDocuments(q, cursor, signal), {
    keepPrevious: true,
  });
  const known = useQuery({
    queryKey: documentKeys.styles,
    queryFn: ({ signal }) => listStyles(signal),
    staleTime: 300_000,
  });
  const [adding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<DocumentSummary | null>(null);
  const search = useCallback(
    (words: string) => void navigate({ search: words ? { q: words } : {}, replace: true, resetScroll: false }),
    [navigate],
  );
  const nothing = documents.items?.length === 0;

  return (
    <Page>
      <PageHead
        title="Documents"
        actions={
          <Button look="primary" onPress={() => setAdding(true)}>
            New document
          </Button>
        }
      />
      {(q || !nothing) && (
        <div className={styles.search}>
          <SearchField label="Search titles and texts" words={q} onSearch={search} />
        </div>
      )}
      {documents.items === undefined && documents.error && (
        <ErrorNote error={documents.error} what="The documents could not be listed." onRetry={documents.retry} />
      )}
      {documents.items === undefined && !documents.error && <Skeleton label="Loading documents" />}
      {nothing && !q && (
        <Empty
          title="No documents yet"
          actions={
            <Button look="primary" onPress={() => setAdding(true)}>
              Write the first
            </Button>
          }
        >
          <p>
            A document is a text that you write here, in Markdown or Typst. Each citation in it leads to the exact words
            of a source, is set in the style that you choose, and can be checked.
          </p>
        </Empty>
      )}
      {nothing && q && (
        <Empty title="Nothing found">
          <p>No document has all these words: {q}</p>
        </Empty>
      )}
      {documents.items && !nothing && (
        <Table label="Documents" columns={COLUMNS} className={styles.documents}>
          {documents.items.map((document) => (
            <DocumentRow
              key={document.document_id}
              document={document}
              known={known.data?.items}
              onDelete={() => setDeleting(document)}
            />
          ))}
        </Table>
      )}
      {documents.items !== undefined && documents.error && (
        <ErrorNote error={documents.error} what="The list could not be renewed." onRetry={documents.retry} />
      )}
      {documents.hasMore && <More onPress={documents.more} loading={documents.loadingMore} label="Older documents" />}
      {adding && <NewDialog onClose={() => setAdding(false)} />}
      {deleting && (
        <DeleteDialog document={deleting} onClose={() => setDeleting(null)} onDeleted={() => setDeleting(null)} />
      )}
    </Page>
  );
}

function DocumentRow({
  document,
  known,
  onDelete,
}: {
  document: DocumentSummary;
  known: readonly CitationStyle[] | undefined;
  onDelete: () => void;
}) {
  const style = styleName(known, document.style);
  return (
    <Row>
      <Cell>
        <Link {...rowLink} to="/documents/$documentId" params={{ documentId: document.document_id }}>
          {document.title}
        </Link>
        <div className={styles.line}>
          {formatName(document.format)} · {formatPlural(document.source_count, "source")}
          <span className={styles.narrowLine}>
            {" "}
            · {style} · {formatPlural(document.citation_count, "citation")}
          </span>
        </div>
      </Cell>
      <Cell dim className={styles.styleCell}>
        {style}
      </Cell>
      <Cell dim end className={styles.countCell}>
        {formatCount(document.citation_count)}
      </Cell>
      <Cell dim end className={styles.whenCell}>
        <Time iso={document.updated_at} />
      </Cell>
      <Cell end>
        <Button look="quiet" aria-label={`Delete ${document.title}`} onPress={onDelete}>
          Delete
        </Button>
      </Cell>
    </Row>
  );
}
