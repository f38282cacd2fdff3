import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getSample, sampleKeys } from "@/api/sample";
import { listSuggestions, suggestionKeys } from "@/api/suggestions";
import { QuestionList } from "@/components/question-list";

/** Questions about one's own sources. The sample library brings its own, so they wait until it is gone. */
export function SuggestedQuestions({
  library,
  asked,
  onAsk,
}: {
  library: { total: number; pending: number } | undefined;
  /** The titles of conversations: each is called by its first question. */
  asked: readonly (string | null)[];
  onAsk: (question: string) => void;
}) {
  const sample = useQuery({
    queryKey: sampleKeys.about,
    queryFn: ({ signal }) => getSample(signal),
    staleTime: 30_000,
  });
  const suggested = useQuery({
    queryKey: suggestionKeys.list(library?.total ?? 0, library?.pending ?? 0),
    queryFn: ({ signal }) => listSuggestions(signal),
    enabled: sample.data?.loaded === 0 && (library?.total ?? 0) > 0,
    placeholderData: keepPreviousData,
  });
  if (sample.data?.loaded !== 0) return null;
  const titles = new Set(asked.map((title) => title?.trim()));
  const questions = (suggested.data ?? []).filter((question) => !titles.has(question));
  return (
    <QuestionList label="Questions to your sources" title="Ask your sources" questions={questions} onAsk={onAsk} />
  );
}
