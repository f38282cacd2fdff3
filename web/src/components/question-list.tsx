import styles from "@/components/question-list.module.css";

/** Questions that one click asks; nothing where there are none. */
export function QuestionList({
  label,
  title,
  questions,
  onAsk,
}: {
  /** The name of the region. */
  label: string;
  title: string;
  questions: readonly string[];
  onAsk: (question: string) => void;
}) {
  if (questions.length === 0) return null;
  return (
    <section className={styles.questions} aria-label={label}>
      <h3>{title}</h3>
      <ul>
        {questions.map((question) => (
          <li key={question}>
            <button type="button" onClick={() => onAsk(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
