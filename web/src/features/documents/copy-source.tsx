import { useEffect, useState } from "react";
import { Menu, MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { formatSource } from "@/api/documents";
import type { DocumentSource, FormattedReference } from "@/api/documents-types";
import { Button } from "@/components/button";
import { useDesk } from "@/features/documents/desk";
import { asSentence } from "@/lib/format";
import { Problem } from "@/lib/problem";
import menus from "@/features/documents/menu.module.css";

const KINDS = [
  ["html", "With formatting"],
  ["text", "As text"],
  ["markdown", "As Markdown"],
] as const;

/** Copies a source as the references have it, in the style of the document. */
export function CopySource({ source }: { source: DocumentSource }) {
  const { document } = useDesk();
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), 2500);
    return () => clearTimeout(timer);
  }, [said]);

  async function copy(kind: (typeof KINDS)[number][0]) {
    const formatted = formatSource(source.source_id, document);
    try {
      await put(formatted, kind);
      setSaid("Copied");
    } catch (thrown) {
      setSaid(thrown instanceof Problem ? asSentence(thrown.message) : "Not copied: the browser does not allow it");
    }
  }

  return (
    <MenuTrigger>
      <Button look="quiet" data-copy-citation="" aria-label={`Copy citation of ${source.title}`}>
        <span aria-live="polite">{said ?? "Copy citation"}</span>
      </Button>
      <Popover placement="bottom start" className={menus.popover}>
        <Menu
          aria-label="Copy citation"
          className={menus.menu}
          onAction={(key) => void copy(key as (typeof KINDS)[number][0])}
        >
          {KINDS.map(([kind, name]) => (
            <MenuItem key={kind} id={kind} className={menus.item}>
              {name}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

/** Promises are handed to the clipboard, because a browser lets it be written only right after a press. */
async function put(formatted: Promise<FormattedReference>, kind: (typeof KINDS)[number][0]): Promise<void> {
  const as = (type: string, pick: (one: FormattedReference) => string) =>
    formatted.then((one) => new Blob([pick(one)], { type }));
  const plain = as("text/plain", (one) => (kind === "markdown" ? one.markdown : one.text));
  const item = new ClipboardItem({
    "text/plain": plain,
    ...(kind === "html" && { "text/html": as("text/html", (one) => one.html) }),
  });
  // What the server refused is told instead of what the clipboard makes of it.
  await Promise.all([navigator.clipboard.write([item]), formatted]);
}
