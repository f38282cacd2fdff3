import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useState, type ReactNode } from "react";
import type { WrittenDocument } from "@/api/documents-types";
import { Skeleton } from "@/components/states";
import { CitationPopover } from "@/features/documents/citation-popover";
import { CitePopover, type Citing } from "@/features/documents/cite-popover";
import { EditCitationDialog, RemoveCitationDialog } from "@/features/documents/citation-dialogs";
import { ConflictDialog } from "@/features/documents/conflict-dialog";
import { DeskBar } from "@/features/documents/desk-bar";
import { DeskContext, useNewDesk, useSaveState } from "@/features/documents/desk";
import type { DocumentSearch } from "@/features/documents/documents-search";
import type { SourceParts } from "@/features/documents/document-page";
import { DraftForm } from "@/features/documents/draft-form";
import { plainSentence } from "@/features/documents/document-words";
import { History } from "@/features/documents/history";
import { Pages } from "@/features/documents/pages";
import { SourcesPanel } from "@/features/documents/sources-panel";
import { useCard } from "@/features/documents/use-card";
import { usePreview } from "@/features/documents/use-preview";
import { useBadges, useSupport } from "@/features/documents/use-support";
import { VersionView } from "@/features/documents/version-view";
import { ViewTabs } from "@/features/documents/view-tabs";
import { usePageTitle } from "@/lib/page-title";
import { useMedia } from "@/lib/use-media";
import styles from "@/features/documents/desk.module.css";

const Editor = lazy(() => import("@/features/documents/editor/editor"));
const route = getRouteApi("/documents/$documentId");
const WIDE = "(min-width: 1200px)";
const NARROW = "(max-width: 719px)";

/** The text, its pages, and what it rests on, side by side as far as there is room. */
export function Workspace({ first, parts }: { first: WrittenDocument; parts: SourceParts }) {
  const desk = useNewDesk(first);
  const { document, saver, editor, citations } = desk;
  const state = useSaveState(desk);
  const preview = usePreview(desk);
  const { support, claims } = useSupport(desk);
  const badges = useBadges(citations, support);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [wide, narrow] = [useMedia(WIDE), useMedia(NARROW)];
  const [citing, setCiting] = useState<Citing | null>(null);
  const [editing, setEditing] = useState<number | null>(null);
  const [removing, setRemoving] = useState<number | null>(null);
  const [closed, setClosed] = useState<number | null>(null);
  const [isEmpty, setEmpty] = useState(saver.text.trim() === "");
  usePageTitle(document.title);

  const show = useCallback(
    (changed: Partial<DocumentSearch>) =>
      void navigate({ search: (previous) => ({ ...previous, ...changed }), replace: true, resetScroll: false }),
    [navigate],
  );
  const onChange = useCallback(
    (text: string) => {
      saver.edited(text);
      preview.previewer.want(text);
      setEmpty(text.trim() === "");
    },
    [saver, preview.previewer],
  );
  const cite = useCallback(() => {
    const handle = editor.current;
    if (!handle) return;
    const at = handle.cursor();
    setCiting({ words: plainSentence(handle.selected()), at, box: handle.box(at) });
  }, [editor]);
  const card = useCard((mark, beside) => {
    const found = beside.flatMap((one) => editor.current?.claimsOf(one) ?? []);
    if (found[0])
      setCiting({ words: found[0].text, at: found[0].to, box: mark.getBoundingClientRect(), claims: found });
  });

  const view = search.view ?? "text";
  const comparing = search.version !== undefined;
  const side = search.panel === "history" ? "history" : "sources";
  const showsText = !narrow || view === "text";
  const showsSide = wide ? search.panel !== "hidden" : view === "sources";
  const showsPages = wide || (narrow ? view === "pages" : view !== "sources");
  const citation = (number: number) => citations?.items.find((one) => one.citation_number === number);

  return (
    <DeskContext value={desk}>
      <div className={styles.desk}>
        <DeskBar onCite={cite} search={search} show={show} wide={wide} />
        {!wide && <ViewTabs narrow={narrow} search={search} />}
        <div className={styles.columns} data-columns={[showsText, showsPages, showsSide].filter(Boolean).length}>
          <Column shown={showsText} label="Text" className={styles.text}>
            {comparing && <VersionView version={search.version!} against={search.against} show={show} />}
            {/* It hears of the badges and marks inside, which are buttons. */}
            {}
            <div className={styles.editor} hidden={comparing} {...card.handlers}>
              {isEmpty && !comparing && <DraftForm />}
              <Suspense fallback={<Skeleton label="Loading the editor" />}>
                <Editor
                  ref={editor}
                  text={saver.text}
                  format={document.format}
                  badges={badges}
                  claims={claims}
                  faults={preview.faults}
                  onChange={onChange}
                  onCite={cite}
                  onSave={() => void saver.flush().catch(() => undefined)}
                />
              </Suspense>
            </div>
          </Column>
          <Column shown={showsPages} label="Pages" className={styles.pages}>
            <Pages
              preview={preview}
              page={search.page ?? 1}
              onPage={(page) => show({ page: page > 1 ? page : undefined })}
              shown={showsPages}
              onJump={() => narrow && show({ view: undefined })}
            />
          </Column>
          {showsSide && (
            <Column shown label={side === "history" ? "History" : "Sources"} className={styles.side}>
              {side === "history" ? (
                <History search={search} show={show} />
              ) : (
                <SourcesPanel parts={parts} show={show} wide={wide} />
              )}
            </Column>
          )}
        </div>
      </div>
      {citing && <CitePopover citing={citing} onClose={() => setCiting(null)} />}
      {card.number !== null && (
        <CitationPopover
          number={card.number}
          citation={citation(card.number)}
          support={support}
          trigger={card.trigger}
          onClose={card.close}
          onEnter={card.stay}
          onLeave={card.leave}
          onEdit={() => {
            setEditing(card.number);
            card.close();
          }}
          onRemove={() => {
            setRemoving(card.number);
            card.close();
          }}
        />
      )}
      {editing !== null && citation(editing) && (
        <EditCitationDialog citation={citation(editing)!} onClose={() => setEditing(null)} />
      )}
      {removing !== null && citation(removing) && (
        <RemoveCitationDialog citation={citation(removing)!} onClose={() => setRemoving(null)} />
      )}
      {state.kind === "conflict" && closed !== state.current.version && (
        <ConflictDialog current={state.current} onClose={() => setClosed(state.current.version)} />
      )}
      {state.kind === "conflict" && closed === state.current.version && (
        <div className={styles.reminder}>
          <button type="button" onClick={() => setClosed(null)}>
            Not saved: the document was changed elsewhere. Compare
          </button>
        </div>
      )}
    </DeskContext>
  );
}

function Column({
  shown,
  label,
  className,
  children,
}: {
  shown: boolean;
  label: string;
  className: string | undefined;
  children: ReactNode;
}) {
  return (
    <section aria-label={label} hidden={!shown} className={className}>
      {children}
    </section>
  );
}
