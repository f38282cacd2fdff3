import type { Artifact, NewTreeEntry } from "@/api/types";
import { shortHash } from "@/lib/format";

/** Paths for chosen files: their own names, made safe and told apart where two are the same. */
export function snapshotTree(files: readonly Artifact[]): Record<string, NewTreeEntry> {
  const tree: Record<string, NewTreeEntry> = {};
  for (const file of files) {
    const name = safeName(file);
    let path = name;
    for (let copy = 2; Object.hasOwn(tree, path); copy += 1) path = numbered(name, copy);
    tree[path] = { sha256: file.sha256, media_type: file.media_type, size_bytes: file.size_bytes };
  }
  return tree;
}

function safeName(file: Artifact): string {
  // A filename is one part of a path: it must not make folders or walk out of one.
  const name = (file.filename ?? "").replace(/[/\\\p{Cc}]+/gu, "_").trim();
  return name === "" || name === "." || name === ".." ? shortHash(file.sha256) : name;
}

/** "report.pdf", 2 -> "report (2).pdf". */
function numbered(name: string, copy: number): string {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)} (${copy})${name.slice(dot)}` : `${name} (${copy})`;
}
