import { useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type RefObject,
} from "react";
import {
  addCitation,
  addDocumentSource,
  changeDocument,
  documentKeys,
  getDocument,
  listCitations,
  listDocumentSources,
  takeCitationNumber,
} from "@/api/documents";
import type { DocumentCitations, DocumentPatch, DocumentSource, WrittenDocument } from "@/api/documents-types";
import { keptText } from "@/features/documents/kept-text";
import { findMarkers, markerOf } from "@/features/documents/markers";
import { currentOf, Saver, type SaveState } from "@/features/documents/saver";
import type { EditorHandle } from "@/features/documents/editor/editor";
import { Problem } from "@/lib/problem";
import { scalarPlace } from "@/lib/scalars";

/** What is cited: a source, and which words of it. */
export interface Passage {
  source_id: string;
  title: string;
  quote: string | null;
  page: number | null;
}

/** A document that is being written, and all that can be done to it. */
export interface Desk {
  id: string;
  /** As the server has it; the text may be further. */
  document: WrittenDocument;
  saver: Saver;
  editor: RefObject<EditorHandle | null>;
  citations: DocumentCitations | undefined;
  sources: readonly DocumentSource[] | undefined;
  sourcesError: Error | null;
  /** Sets a citation of the passage at a place of the text. */
  cite: (passage: Passage, at?: number) => Promise<void>;
  change: (change: DocumentPatch) => Promise<void>;
  /** Does what makes a version, and shows the text that came of it. */
  make: (does: (base: number) => Promise<WrittenDocument>) => Promise<WrittenDocument>;
  /** Does what changes the citations or the sources, and fetches what came of it. */
  alter: <T>(does: () => Promise<T>) => Promise<T>;
  /** Asks for citations, sources and references again. */
  renew: () => void;
}

export const DeskContext = createContext<Desk | null>(null);

export function useDesk(): Desk {
  const desk = use(DeskContext);
  if (!desk) throw new Error("no document is open");
  return desk;
}

export function useSaveState({ saver }: Pick<Desk, "saver">): SaveState {
  return useSyncExternalStore(saver.subscribe, saver.state);
}

const LOOK_MS = 15_000;
/** What an agent adds to the document is there soon. */
const SOON_MS = 2_000;

export function useNewDesk(first: WrittenDocument): Desk {
  const queries = useQueryClient();
  const id = first.document_id;
  const [document, setDocument] = useState(first);
  const editor = useRef<EditorHandle | null>(null);

  const renew = useCallback(() => {
    for (const key of [
      documentKeys.citations(id),
      documentKeys.sources(id),
      documentKeys.bibliography(id),
      documentKeys.history(id),
      documentKeys.lists,
    ]) {
      void queries.invalidateQueries({ queryKey: key });
    }
  }, [queries, id]);
  const [saver] = useState(
    () =>
      new Saver(first, keptText(id), {
        send: (text, base) => changeDocument(id, { text, base_version: base }),
        onDocument: (newest) => {
          setDocument(newest);
          renew();
        },
      }),
  );

  const told = useCallback(
    (newest: WrittenDocument, ours = false) => {
      if (saver.told(newest, ours)) editor.current?.replaceText(saver.text);
    },
    [saver],
  );

  const make = useCallback(
    (does: (base: number) => Promise<WrittenDocument>) =>
      saver.alone(async (base) => {
        const made = await does(base).catch((thrown: unknown) => {
          const current = currentOf(Problem.from(thrown));
          // Settled before it was asked for: the newest version is the one to do it to.
          if (!current) throw thrown;
          told(current);
          return does(current.version);
        });
        told(made, true);
        return made;
      }),
    [saver, told],
  );
  const alter = useCallback(
    <T>(does: () => Promise<T>) =>
      saver.alone(async () => {
        const done = await does();
        told(await getDocument(id), true);
        renew();
        return done;
      }),
    [saver, told, renew, id],
  );

  useLooking(saver, id, told);

  const citations = useQuery({
    queryKey: documentKeys.citations(id),
    queryFn: ({ signal }) => listCitations(id, signal),
    refetchInterval: SOON_MS,
  });
  const sources = useQuery({
    queryKey: documentKeys.sources(id),
    queryFn: ({ signal }) => listDocumentSources(id, signal),
    refetchInterval: SOON_MS,
  });
  const known = sources.data;
  const format = document.format;

  const cite = useCallback(
    async ({ source_id, quote, page }: Passage, at?: number) => {
      const number = await takeCitationNumber(id);
      const marker = markerOf(number, format);
      editor.current?.insert(marker, at);
      const set = saver.alone(async () => {
        if (!known?.some((source) => source.source_id === source_id)) await addDocumentSource(id, { source_id });
        const place = findMarkers(saver.text, format).find((one) => one.number === number);
        const { version } = await addCitation(id, {
          source_id,
          citation_number: number,
          position: scalarPlace(saver.text, place?.from ?? saver.text.length),
          ...(quote !== null && { quote }),
          ...(page !== null && { locator: String(page) }),
        });
        saver.passed(version);
      });
      await set.catch((thrown: unknown) => {
        // A number that stands for nothing would be left behind, and another one at the next try.
        editor.current?.replaceText(saver.text.replace(marker, ""));
        throw thrown;
      });
      renew();
    },
    [id, format, saver, known, renew],
  );
  const change = useCallback(
    async (change: DocumentPatch) => void (await make((base) => changeDocument(id, { ...change, base_version: base }))),
    [make, id],
  );

  return useMemo(
    () => ({
      id,
      document,
      saver,
      editor,
      citations: citations.data,
      sources: known,
      sourcesError: sources.error,
      cite,
      change,
      make,
      alter,
      renew,
    }),
    [id, document, saver, citations.data, known, sources.error, cite, change, make, alter, renew],
  );
}

/** Others write, too: while nothing is unsaved, what they wrote is shown. */
function useLooking(saver: Saver, id: string, told: (newest: WrittenDocument) => void): void {
  useEffect(() => {
    saver.start();
    const look = () => {
      if (document.visibilityState !== "visible" || saver.isDirty()) return;
      void saver.alone(async () => told(await getDocument(id))).catch(() => undefined);
    };
    const onHidden = () => {
      if (document.visibilityState === "hidden") void saver.flush().catch(() => undefined);
      else look();
    };
    const onLine = () => void saver.flush().catch(() => undefined);
    const timer = setInterval(look, LOOK_MS);
    document.addEventListener("visibilitychange", onHidden);
    addEventListener("online", onLine);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", onHidden);
      removeEventListener("online", onLine);
      saver.stop();
    };
  }, [saver, id, told]);
}
