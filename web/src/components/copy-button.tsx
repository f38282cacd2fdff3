import { useEffect, useState } from "react";
import { Button } from "@/components/button";

interface Props {
  /** What is copied, or how to make it where that is work. */
  text: string | (() => string);
  /** The same in HTML, for programs that take it. */
  html?: () => string;
  label: string;
  look?: "plain" | "quiet";
  "data-copy-citation"?: "";
}

export function CopyButton({ text, html, label, ...props }: Props) {
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), 2000);
    return () => clearTimeout(timer);
  }, [said]);

  async function copy() {
    const plain = typeof text === "string" ? text : text();
    try {
      if (html) {
        const kinds = { "text/plain": plain, "text/html": html() };
        const blobs = Object.entries(kinds).map(([type, content]) => [type, new Blob([content], { type })]);
        await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs) as Record<string, Blob>)]);
      } else {
        await navigator.clipboard.writeText(plain);
      }
      setSaid("Copied");
    } catch {
      // Browsers give pages the clipboard only over https or on this machine.
      setSaid("Select and copy by hand");
    }
  }

  return (
    <Button {...props} onPress={() => void copy()}>
      <span aria-live="polite">{said ?? label}</span>
    </Button>
  );
}
