import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import workerUrl from "pdfjs-dist/legacy/build/pdf.worker.min.mjs?url";
import { useEffect, useState } from "react";

GlobalWorkerOptions.workerSrc = workerUrl;

/** Where what pdf.js loads by itself is; see scripts/pdf-assets.mjs. */
declare const __PDF_ASSETS__: string;

export type OpenPdf =
  | { pdf: PDFDocumentProxy; error?: undefined }
  | { pdf?: undefined; error: unknown }
  | { pdf?: undefined; error?: undefined };

/** A PDF, opened from this server for as long as it is shown. Nothing in it runs, and it asks nothing of others. */
export function usePdf(url: string): OpenPdf {
  const [open, setOpen] = useState<OpenPdf & { url: string }>({ url });
  useEffect(() => {
    const task = getDocument({
      url,
      cMapUrl: `${__PDF_ASSETS__}cmaps/`,
      standardFontDataUrl: `${__PDF_ASSETS__}standard_fonts/`,
      wasmUrl: `${__PDF_ASSETS__}wasm/`,
      useWasm: false,
      isEvalSupported: false,
      enableXfa: false,
      // A fault in one of them is not a fault of this page.
      verbosity: 0,
    });
    let gone = false;
    task.promise.then(
      (pdf) => !gone && setOpen({ url, pdf }),
      (error: unknown) => !gone && setOpen({ url, error }),
    );
    return () => {
      gone = true;
      void task.destroy();
    };
  }, [url]);
  return open.url === url ? open : {};
}
