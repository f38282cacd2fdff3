import { SampleProgress } from "@/features/sample/sample-way";
import { unasked } from "@/features/sample/sample-step";
import { useSample } from "@/features/sample/use-sample";
import styles from "@/features/sample/sample.module.css";

/** What can be asked of the sample library, once it is in. Until then, how far it is. */
export function SampleQuestions({
  asked,
  onAsk,
}: {
  asked: readonly (string | null)[];
  onAsk: (question: string) => void;
}) {
  const { about, step } = useSample();
  if (step?.kind === "coming") return <SampleProgress done={step.done} total={step.total} />;
  if (step?.kind !== "here" || !about.data) return null;
  const questions = unasked(about.data.questions, asked);
  if (questions.length === 0) return null;
  return (
    <section className={styles.questions} aria-label="Questions to the sample library">
      <h3>Ask the sample library</h3>
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
