import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { PALETTE_KEYS, useKeys } from "@/app/keys";
import { PLACES } from "@/app/places";
import { useRememberVisits } from "@/app/recent";
import { CommandIcon } from "@/components/icons";
import { DropTarget } from "@/components/uploads/drop-target";
import { UploadTray } from "@/components/uploads/upload-tray";
import { UploadsProvider, useUploads } from "@/components/uploads/uploads";
import styles from "@/app/shell.module.css";

const KeysDialog = lazy(() => import("@/app/keys-dialog"));
const importPalette = () => import("@/app/palette/palette");
const Palette = lazy(importPalette);
const AddressDialog = lazy(() =>
  import("@/features/sources/add-address").then((module) => ({ default: module.AddressDialog })),
);

/** What is open over the place. */
type Over = "palette" | "keys" | "address";

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
  const [over, setOver] = useState<Over | null>(null);
  const close = useCallback(() => setOver(null), []);
  const showKeys = useCallback(() => setOver("keys"), []);
  const addAddress = useCallback(() => setOver("address"), []);
  const palette = useCallback(() => setOver((open) => (open === "palette" ? null : "palette")), []);
  useKeys({ onUpload: choose, onHelp: showKeys, onPalette: palette, resting: over !== null });
  useReadyPalette();
  useRememberVisits();
  const onRail = PLACES.flatMap(({ rail, ...place }) => (rail ? [{ ...place, ...rail }] : []));
  const link = ({ to, label, Icon, short, wide }: (typeof onRail)[number]) => (
    <Link
      key={to}
      to={to}
      className={wide ? `${styles.place} ${styles.roomy}` : styles.place}
      activeOptions={{ includeSearch: false }}
      aria-label={short && label}
    >
      <Icon />
      {short ?? label}
    </Link>
  );

  return (
    <div className={styles.shell}>
      <a href="#main" className={styles.skip}>
        Skip to the content
      </a>
      <nav aria-label="Places" className={styles.rail}>
        <Link
          to="/ask"
          className={styles.mark}
          activeProps={{ "aria-current": undefined }}
          aria-label="Ibid, to the start"
        >
          ibid
        </Link>
        {onRail.filter(({ foot }) => !foot).map(link)}
        <button
          type="button"
          className={`${styles.place} ${styles.palette}`}
          aria-haspopup="dialog"
          aria-keyshortcuts="Meta+K Control+K"
          title={PALETTE_KEYS.join(" ")}
          onClick={palette}
        >
          <CommandIcon />
          <span className={styles.wide}>{PALETTE_KEYS.join(" ")}</span>
          <span className={styles.narrow}>More</span>
          <span className="visually-hidden">, go, ask, find</span>
        </button>
        <div className={styles.foot}>{onRail.filter(({ foot }) => foot).map(link)}</div>
      </nav>
      <main id="main" tabIndex={-1} className={styles.main}>
        <Outlet />
      </main>
      <Suspense fallback={null}>
        {over === "palette" && (
          <Palette onClose={close} onAddFiles={choose} onAddAddress={addAddress} onKeys={showKeys} />
        )}
        {over === "keys" && <KeysDialog onClose={close} />}
        {over === "address" && <AddressDialog onClose={close} />}
      </Suspense>
    </div>
  );
}

const REST_MS = 1500;

/** Fetches the palette when the place has long been drawn, so that no letter is lost that is typed right after its key. */
function useReadyPalette(): void {
  useEffect(() => {
    const timer = setTimeout(() => void importPalette().catch(() => undefined), REST_MS);
    return () => clearTimeout(timer);
  }, []);
}
