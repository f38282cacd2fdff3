import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import type { JobState } from "@/api/types";
import { AskRoute } from "@/app/ask-route";
import { Crashed, NotFound } from "@/app/not-found";
import { Shell } from "@/app/shell";
import { parseAskSearch } from "@/features/ask/ask-search";
import { parseDocumentSearch, parseDocumentsSearch } from "@/features/documents/documents-search";
import { parseEntitiesSearch, parseEntitySearch } from "@/features/entities/entities-search";
import { parseSearch } from "@/features/search/search-params";
import { parseSourceSearch, parseSourcesSearch } from "@/features/sources/source-search";
import { parseSnapshotSearch } from "@/features/snapshots/snapshot-search";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/ask", replace: true });
  },
});

// One component for the start and the conversations, so that a question asked at the start is followed in its thread.
const asking = createRoute({ getParentRoute: () => root, id: "asking", component: AskRoute });
const ask = createRoute({ getParentRoute: () => asking, path: "/ask" });
const conversation = createRoute({
  getParentRoute: () => asking,
  path: "/ask/$conversation",
  validateSearch: parseAskSearch,
});

const sources = createRoute({
  getParentRoute: () => root,
  path: "/sources",
  validateSearch: parseSourcesSearch,
  component: lazyRouteComponent(() => import("@/app/sources-route"), "SourcesRoute"),
});
const source = createRoute({
  getParentRoute: () => root,
  path: "/sources/$sourceId",
  validateSearch: parseSourceSearch,
  component: lazyRouteComponent(() => import("@/features/sources/source-page"), "SourcePage"),
});

const documents = createRoute({
  getParentRoute: () => root,
  path: "/documents",
  validateSearch: parseDocumentsSearch,
  component: lazyRouteComponent(() => import("@/features/documents/documents-page"), "DocumentsPage"),
});
const written = createRoute({
  getParentRoute: () => root,
  path: "/documents/$documentId",
  validateSearch: parseDocumentSearch,
  component: lazyRouteComponent(() => import("@/app/document-route"), "DocumentRoute"),
});

const search = createRoute({
  getParentRoute: () => root,
  path: "/search",
  validateSearch: parseSearch,
  component: lazyRouteComponent(() => import("@/features/search/search-page"), "SearchPage"),
});
const ground = createRoute({
  getParentRoute: () => root,
  path: "/ground",
  component: lazyRouteComponent(() => import("@/features/ground/ground-page"), "GroundPage"),
});

// One component for the list with and without an open file, so that opening one keeps scroll and selection.
const files = createRoute({
  getParentRoute: () => root,
  id: "files",
  component: lazyRouteComponent(() => import("@/app/files-route"), "FilesRoute"),
});
const library = createRoute({ getParentRoute: () => files, path: "/library" });
const file = createRoute({ getParentRoute: () => files, path: "/library/files/$sha256" });

const snapshots = createRoute({
  getParentRoute: () => root,
  path: "/library/snapshots",
  component: lazyRouteComponent(() => import("@/features/snapshots/snapshots-page"), "SnapshotsPage"),
});
const snapshot = createRoute({
  getParentRoute: () => root,
  path: "/library/snapshots/$namespace/$",
  validateSearch: parseSnapshotSearch,
  component: lazyRouteComponent(() => import("@/features/snapshots/snapshot-page"), "SnapshotPage"),
});

const entities = createRoute({
  getParentRoute: () => root,
  path: "/entities",
  validateSearch: parseEntitiesSearch,
  component: lazyRouteComponent(() => import("@/features/entities/entities-page"), "EntitiesPage"),
});
const review = createRoute({
  getParentRoute: () => root,
  path: "/entities/review",
  component: lazyRouteComponent(() => import("@/features/entities/review-page"), "ReviewPage"),
});
const entity = createRoute({
  getParentRoute: () => root,
  path: "/entities/$entityId",
  validateSearch: parseEntitySearch,
  component: lazyRouteComponent(() => import("@/features/entities/entity-page"), "EntityPage"),
});

const JOB_STATES: readonly JobState[] = ["queued", "running", "succeeded", "dead", "cancelled"];
const jobs = createRoute({
  getParentRoute: () => root,
  path: "/jobs",
  validateSearch: (search: Record<string, unknown>): { state?: JobState } => {
    const state = JOB_STATES.find((known) => known === search.state);
    return state ? { state } : {};
  },
  component: lazyRouteComponent(() => import("@/features/jobs/jobs-page"), "JobsPage"),
});
const job = createRoute({ getParentRoute: () => jobs, path: "/$jobId" });

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("@/app/settings-route"), "SettingsRoute"),
});
const status = createRoute({
  getParentRoute: () => root,
  path: "/status",
  component: lazyRouteComponent(() => import("@/features/status/status-page"), "StatusPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    asking.addChildren([ask, conversation]),
    sources,
    source,
    documents,
    written,
    search,
    ground,
    files.addChildren([library, file]),
    snapshots,
    snapshot,
    entities,
    review,
    entity,
    jobs.addChildren([job]),
    settings,
    status,
  ]),
  defaultPreload: "intent",
  defaultErrorComponent: Crashed,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** A question that was written elsewhere, to be asked on arrival at the start. */
    question?: string;
  }
}
