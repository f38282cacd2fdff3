import { QuestionList } from "@/components/question-list";
import { SampleProgress } from "@/features/sample/sample-way";
import { unasked } from "@/features/sample/sample-step";
import { useSample } from "@/features/sample/use-sample";

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
  return (
    <QuestionList
      label="Questions to the sample library"
      title="Ask the sample library"
      questions={unasked(about.data.questions, asked)}
      onAsk={onAsk}
    />
  );
}
