import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useState } from "react";
import { useKeys } from "@/app/keys";
import { PLACES } from "@/app/places";
import { DropTarget } from "@/components/uploads/drop-target";
import { UploadTray } from "@/components/uploads/upload-tray";
import { UploadsProvider, useUploads } from "@/components/uploads/uploads";
import styles from "@/app/shell.module.css";

const KeysDialog = lazy(() => import("@/app/keys-dialog"));

export function Shell() {
  // Among the kept files, files are only kept; everywhere else they become sources.
  const amongFiles = useLocation({ select: ({ pathname }) => pathname.startsWith("/library") });
  return (
    <UploadsProvider into={amongFiles ? "files" : "sources"}>
      <Frame />
      <UploadTray />
      <DropTarget />
    </UploadsProvider>
  );
}

/** The rail on the left (below on a phone) and the place that is open. */
function Frame() {
  const { choose } = useUploads();
  const [help, setHelp] = useState(false);
  const showHelp = useCallback(() => setHelp(true), []);
  useKeys({ onUpload: choose, onHelp: showHelp });
  const firstAtFoot = PLACES.find(({ foot }) => foot);

  return (
    <div className={styles.shell}>
      <a href="#main" className={styles.skip}>
        Skip to the content
      </a>
      <nav aria-label="Places" className={styles.rail}>
        <Link to="/ask" className={styles.mark} activeProps={{ "aria-current": undefined }} aria-label="Ibid, to the start">
          ibid
        </Link>
        {PLACES.map((place) => (
          <Link
            key={place.to}
            to={place.to}
            className={`${styles.place} ${place === firstAtFoot ? styles.foot : ""}`}
            activeOptions={{ includeSearch: false }}
          >
            <place.Icon />
            {place.label}
          </Link>
        ))}
      </nav>
      <main id="main" tabIndex={-1} className={styles.main}>
        <Outlet />
      </main>
      {help && (
        <Suspense fallback={null}>
          <KeysDialog onClose={() => setHelp(false)} />
        </Suspense>
      )}
    </div>
  );
}
