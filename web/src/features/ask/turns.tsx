import { Answer } from "@/features/ask/answer";
import { BranchSwitch } from "@/features/ask/branch-switch";
import type { Turn } from "@/features/ask/branches";
import type { Shown } from "@/features/ask/live";
import { Question } from "@/features/ask/question";
import styles from "@/features/ask/ask.module.css";

interface Props {
  turns: readonly Turn<Shown>[];
  /** The answer whose evidence is shown. */
  selected: string | null;
  /** Whether the last turn is as high as the window, so that its question can stand at the top. */
  roomy: boolean;
  onSwitch: (id: string) => void;
  onEvidence: (id: string) => void;
  onEdit?: (question: Shown, text: string) => void;
  onAgain?: (question: Shown | null, answer: Shown) => void;
}

/** Questions, each with its answer. */
export function Turns({ turns, selected, roomy, onSwitch, onEvidence, onEdit, onAgain }: Props) {
  const pairs: { question: Turn<Shown> | null; answer: Turn<Shown> | null }[] = [];
  for (const turn of turns) {
    const last = pairs.at(-1);
    if (turn.message.role === "user") pairs.push({ question: turn, answer: null });
    else if (last && !last.answer) last.answer = turn;
    else pairs.push({ question: null, answer: turn });
  }
  return pairs.map(({ question, answer }, index) => {
    const isLast = index === pairs.length - 1;
    return (
      <section
        key={index}
        className={isLast && roomy ? `${styles.turn} ${styles.roomy}` : styles.turn}
        aria-label={question?.message.content.slice(0, 120) ?? "Answer"}
        data-turn={isLast ? "last" : ""}
      >
        {question && (
          <Question
            key={question.message.id}
            id={question.message.id}
            text={question.message.content}
            onEdit={onEdit && ((text) => onEdit(question.message, text))}
          >
            <BranchSwitch turn={question} onSwitch={onSwitch} />
          </Question>
        )}
        {answer && (
          <Answer
            key={answer.message.id}
            answer={answer.message}
            question={question?.message.content}
            onEvidence={selected === answer.message.id ? undefined : () => onEvidence(answer.message.id)}
            onAgain={onAgain && (() => onAgain(question?.message ?? null, answer.message))}
          >
            <BranchSwitch turn={answer} onSwitch={onSwitch} />
          </Answer>
        )}
      </section>
    );
  });
}
