import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { documentKeys, getDocument } from "@/api/documents";
import type { Source } from "@/api/types";
import { buttonClass } from "@/components/button";
import { Page } from "@/components/page";
import { Empty, ErrorNote, Skeleton } from "@/components/states";
import { Workspace } from "@/features/documents/workspace";
import { Problem } from "@/lib/problem";
import { usePageTitle } from "@/lib/page-title";

/** What the sources have to offer; this feature does not know them. */
export interface SourceParts {
  EditSource: ComponentType<{ source: Source; onClose: () => void }>;
  ByHand: ComponentType<{ onClose: () => void; onAdded?: (source: Source) => void }>;
}

const route = getRouteApi("/documents/$documentId");

/** One document, being written. */
export function DocumentPage(parts: SourceParts) {
  const { documentId } = route.useParams();
  // The desk holds it from then on; what is here is only how it begins.
  const document = useQuery({
    queryKey: documentKeys.one(documentId),
    queryFn: ({ signal }) => getDocument(documentId, undefined, signal),
    staleTime: Infinity,
    gcTime: 0,
  });
  usePageTitle(document.data?.title ?? "Document");
  if (document.data) return <Workspace key={documentId} first={document.data} parts={parts} />;
  if (!document.isError) {
    return (
      <Page>
        <Skeleton label="Loading the document" />
      </Page>
    );
  }
  if (Problem.from(document.error).status === 404) {
    return (
      <Page>
        <Empty
          title="There is no such document"
          actions={
            <Link to="/documents" className={buttonClass("primary")}>
              All documents
            </Link>
          }
        >
          <p>It may have been deleted.</p>
        </Empty>
      </Page>
    );
  }
  return (
    <Page>
      <ErrorNote
        error={document.error}
        what="The document could not be opened."
        onRetry={() => void document.refetch()}
      />
    </Page>
  );
}
