import { getRouteApi, Link } from "@tanstack/react-router";
import { Tabs, tabClass } from "@/components/tabs";
import type { DocumentSearch } from "@/features/documents/documents-search";
import styles from "@/features/documents/desk.module.css";

const route = getRouteApi("/documents/$documentId");

/** What is in sight, where there is no room for all of it. */
export function ViewTabs({ narrow, search }: { narrow: boolean; search: DocumentSearch }) {
  const { documentId } = route.useParams();
  const views: [DocumentSearch["view"], string][] = [
    ["pages", "Pages"],
    ["sources", search.panel === "history" ? "History" : "Sources"],
  ];
  if (narrow) views.unshift([undefined, "Text"]);
  // Where the text is always there, the pages are what is beside it if nothing is said.
  const open = search.view ?? (narrow ? undefined : "pages");
  return (
    <div className={styles.tabs}>
      <Tabs label="Views of the document">
        {views.map(([view, name]) => (
          <Link
            key={name}
            to="/documents/$documentId"
            params={{ documentId }}
            search={{ ...search, view }}
            replace
            className={tabClass}
            activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
            aria-current={view === open ? "page" : undefined}
          >
            {name}
          </Link>
        ))}
      </Tabs>
    </div>
  );
}
