import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { PageHead } from "@/components/page";
import { Tabs, tabClass } from "@/components/tabs";

/** The head of the kept files, the same above each of their views. */
export function LibraryHead({ view, actions }: { view: "files" | "snapshots"; actions?: ReactNode }) {
  return (
    <>
      <PageHead title="Files" actions={actions} />
      <Tabs label="Views of the files">
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
