/** A folder of a manifest's tree, made from its paths. */
export interface Folder<T> {
  name: string;
  /** From the root, without a trailing slash; empty for the root. */
  path: string;
  folders: Folder<T>[];
  files: { name: string; path: string; entry: T }[];
  /** Files here and below. */
  count: number;
}

/** Folders first, each by name as a person would sort them ("page 2" before "page 10"). */
export function treeOf<T>(entries: Readonly<Record<string, T>>): Folder<T> {
  const root: Folder<T> = { name: "", path: "", folders: [], files: [], count: 0 };
  const known = new Map<string, Folder<T>>([["", root]]);
  for (const [path, entry] of Object.entries(entries)) {
    const parts = path.split("/");
    const name = parts.pop() ?? path;
    let folder = root;
    folder.count += 1;
    for (const part of parts) {
      const below = folder.path ? `${folder.path}/${part}` : part;
      let next = known.get(below);
      if (!next) {
        next = { name: part, path: below, folders: [], files: [], count: 0 };
        known.set(below, next);
        folder.folders.push(next);
      }
      next.count += 1;
      folder = next;
    }
    folder.files.push({ name, path, entry });
  }
  for (const folder of known.values()) {
    folder.folders.sort(byName);
    folder.files.sort(byName);
  }
  return root;
}

const collator = new Intl.Collator("en", { numeric: true });

function byName(a: { name: string }, b: { name: string }): number {
  return collator.compare(a.name, b.name);
}
