import { useEffect, useState } from "react";
import { SearchIcon } from "@/components/icons";
import styles from "@/components/search-field.module.css";

const PAUSE_MS = 250;

/** A search box. `onSearch` hears of new words once the typing pauses; `words` are those of the address. */
export function SearchField({
  label,
  words,
  onSearch,
}: {
  label: string;
  words: string;
  onSearch: (words: string) => void;
}) {
  const [draft, setDraft] = useState(words);
  const [sent, setSent] = useState(words);
  const [seen, setSeen] = useState(words);
  if (words !== seen) {
    setSeen(words);
    // The address changed by other hands, such as the back button.
    if (words !== sent) {
      setSent(words);
      setDraft(words);
    }
  }

  useEffect(() => {
    const next = draft.trim();
    if (next === sent) return;
    const timer = setTimeout(() => {
      setSent(next);
      onSearch(next);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, sent, onSearch]);

  return (
    <div className={styles.box}>
      <SearchIcon />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        className={styles.input}
      />
    </div>
  );
}
