/** What was typed and not saved yet, as it survives a closed window. */
export interface KeptText {
  base_version: number;
  text: string;
}

const keyOf = (id: string) => `ibid.unsaved.${id}`;

export function keepText(id: string, kept: KeptText): void {
  try {
    localStorage.setItem(keyOf(id), JSON.stringify(kept));
  } catch {
    // Without storage, or with a full one, it is only in the page.
  }
}

export function keptText(id: string): KeptText | null {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(id)) ?? "null") as Partial<KeptText> | null;
    return typeof kept?.text === "string" && typeof kept.base_version === "number"
      ? { text: kept.text, base_version: kept.base_version }
      : null;
  } catch {
    return null;
  }
}

/** Forgets it once it was saved; another window may have kept something else meanwhile. */
export function dropText(id: string, saved?: string): void {
  try {
    if (saved === undefined || keptText(id)?.text === saved) localStorage.removeItem(keyOf(id));
  } catch {
    // Nothing was kept.
  }
}
