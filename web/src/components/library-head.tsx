import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { PageHead } from "@/components/page";
import { Tabs, tabClass } from "@/components/tabs";

/** The head of the library, the same above each of its views. */
export function LibraryHead({ view, actions }: { view: "files" | "snapshots"; actions?: ReactNode }) {
  return (
    <>
      <PageHead title="Library" actions={actions} />
      <Tabs label="Library">
        <Link
          to="/library"
          className={tabClass}
          activeOptions={{ exact: true }}
          aria-current={view === "files" ? "page" : undefined}
        >
          Files
        </Link>
        <Link to="/library/snapshots" className={tabClass} aria-current={view === "snapshots" ? "page" : undefined}>
          Snapshots
        </Link>
      </Tabs>
    </>
  );
}
