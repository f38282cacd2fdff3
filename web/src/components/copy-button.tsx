import { useEffect, useState } from "react";
import { Button } from "@/components/button";

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [said, setSaid] = useState<string | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), 2000);
    return () => clearTimeout(timer);
  }, [said]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      // Browsers give pages the clipboard only over https or on this machine.
      setSaid("Select and copy by hand");
    }
  }

  return (
    <Button onPress={() => void copy()}>
      <span aria-live="polite">{said ?? label}</span>
    </Button>
  );
}
