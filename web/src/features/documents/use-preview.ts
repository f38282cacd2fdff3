import { useEffect, useState, useSyncExternalStore } from "react";
import { previewDocument } from "@/api/documents";
import type { Desk } from "@/features/documents/desk";
import { Previewer } from "@/features/documents/previewer";

const parts = {
  make: (svg: string) => URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })),
  letGo: (url: string) => URL.revokeObjectURL(url),
  async ready(urls: readonly string[]) {
    await Promise.all(
      urls.map((url) => {
        const picture = new Image();
        picture.src = url;
        return picture.decode().catch(() => undefined);
      }),
    );
  },
};

/** The pages of the text as it is typed. */
export function usePreview({ id, document, saver, citations }: Desk) {
  const [previewer] = useState(() => new Previewer({ ...parts, ask: (body) => previewDocument(id, body) }));
  useEffect(() => {
    previewer.want(saver.text, 0);
    return () => previewer.close();
  }, [previewer, saver]);

  // What is on the pages besides the text.
  const { title, style, locale, template, cite_as, missing, authors, date } = document;
  const besides = JSON.stringify([
    title,
    style,
    locale,
    template,
    cite_as,
    missing,
    authors,
    date,
    citations?.items.map(({ citation_number, formatted }) => [citation_number, formatted]),
  ]);
  useEffect(() => previewer.renew(), [previewer, besides]);

  return { previewer, ...useSyncExternalStore(previewer.subscribe, previewer.state) };
}

export type Preview = ReturnType<typeof usePreview>;
