import { cpSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const root = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
/** @type {{ version: string }} */
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
// With the version, because what is under assets/ is kept by browsers for good.
const FOLDER = `assets/pdfjs-${version}`;
const PARTS = ["cmaps", "standard_fonts", "wasm"];
// WebAssembly is not among them: the server's policy does not let it run, and pdf.js has JavaScript in its place.
const LEFT_OUT = /\.wasm$/;

/**
 * Puts what pdf.js loads by itself (character maps, fonts, a picture decoder) beside the app.
 * @returns {import("vite").Plugin}
 */
export function pdfAssets() {
  return {
    name: "ibid-pdf-assets",
    config: (_, { command }) => ({
      define: { __PDF_ASSETS__: JSON.stringify(command === "build" ? `/${FOLDER}/` : "/node_modules/pdfjs-dist/") },
    }),
    writeBundle({ dir }) {
      for (const part of PARTS) {
        cpSync(join(root, part), join(dir ?? "dist", FOLDER, part), {
          recursive: true,
          filter: (path) => !LEFT_OUT.test(path),
        });
      }
    },
  };
}
