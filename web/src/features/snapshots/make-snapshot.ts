import { createManifest } from "@/api/manifests";
import { advancePointer, createPointer } from "@/api/pointers";
import type { Artifact, Pointer } from "@/api/types";
import { snapshotTree } from "@/features/snapshots/snapshot-paths";

export interface Order {
  files: readonly Artifact[];
  namespace: string;
  name: string;
  message: string;
  /** The pointer as the user saw it; null if there was none. Moving it fails if it has moved since. */
  seen: Pointer | null;
}

/** Writes the manifest, then moves the pointer from what the user saw to it. */
export async function makeSnapshot({ files, namespace, name, message, seen }: Order): Promise<Pointer> {
  const expected = seen?.manifest_sha256 ?? null;
  const manifest = await createManifest({
    tree: snapshotTree(files),
    parent_sha256: expected,
    message: message || null,
  });
  // The same tree, parent and message are the same manifest; a pointer that is already there has nothing to move.
  if (manifest.sha256 === expected && seen) return seen;
  if (!seen) await createPointer(namespace, name);
  return advancePointer(namespace, name, { to: manifest.sha256, expected, reason: message || "snapshot" });
}
