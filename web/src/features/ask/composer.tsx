import { useLayoutEffect, useRef, useState, type FormEvent, type KeyboardEvent } from "react";
import { Button } from "@/components/button";
import { SendIcon, StopIcon } from "@/components/icons";
import { ModePicker } from "@/features/ask/mode-picker";
import styles from "@/features/ask/composer.module.css";

interface Props {
  label: string;
  onAsk: (question: string) => void;
  /** While an answer comes, this stops it. */
  onStop?: () => void;
  focus?: boolean;
}

/** Where a question is written. Enter asks, Shift and Enter begin a new line. */
export function Composer({ label, onAsk, onStop, focus = false }: Props) {
  const [text, setText] = useState("");
  const box = useRef<HTMLTextAreaElement>(null);

  useLayoutEffect(() => {
    fitHeight(box.current);
  }, [text]);

  function ask() {
    if (!text.trim() || onStop) return;
    onAsk(text.trim());
    setText("");
  }

  return (
    <form
      className={styles.composer}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        ask();
      }}
    >
      <textarea
        ref={box}
        data-ask=""
        className={styles.box}
        aria-label={label}
        placeholder={label}
        rows={1}
        maxLength={20_000}
        // The place to ask was opened to ask.
        // eslint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={focus}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => isSend(event) && (event.preventDefault(), ask())}
      />
      <ModePicker />
      {onStop ? (
        <Button look="icon" aria-label="Stop" onPress={onStop}>
          <StopIcon />
        </Button>
      ) : (
        <Button look="icon" type="submit" aria-label="Ask" isDisabled={!text.trim()}>
          <SendIcon />
        </Button>
      )}
    </form>
  );
}

/** Enter while a word is being composed, as in Japanese, belongs to the word. */
export function isSend(event: KeyboardEvent): boolean {
  return event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing;
}

/** As high as what is in it; from its largest height on it scrolls. */
export function fitHeight(box: HTMLTextAreaElement | null): void {
  if (!box) return;
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}
