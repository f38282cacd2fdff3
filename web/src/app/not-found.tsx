import { Link } from "@tanstack/react-router";
import { buttonClass } from "@/components/button";
import { Page } from "@/components/page";
import { Empty, ErrorNote } from "@/components/states";

export function NotFound() {
  return (
    <Page>
      <Empty
        title="There is nothing at this address"
        actions={
          <Link to="/ask" className={buttonClass("primary")}>
            Go to the start
          </Link>
        }
      >
        <p>It may have been mistyped, or belong to a newer Ibid.</p>
      </Empty>
    </Page>
  );
}

export function Crashed({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Page>
      <ErrorNote error={error} what="This page could not be shown." onRetry={reset} />
    </Page>
  );
}
