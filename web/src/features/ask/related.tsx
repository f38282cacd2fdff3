import { useQuery } from "@tanstack/react-query";
import { search, searchKeys } from "@/api/search";
import type { SearchBody } from "@/api/types";
import { Related } from "@/components/knowledge/related";
import { ErrorNote } from "@/components/states";
import styles from "@/features/ask/ask.module.css";

/** Of how many of the best passages the connections are followed. */
const FROM = 3;
const EVENTS = 6;
/** As much of a question as a search needs. */
const QUESTION_CHARS = 2000;

/** What is connected with a question: found by a search of its own, after the answer and only when it is asked for. */
export function RelatedToQuestion({ question }: { question: string }) {
  const body: SearchBody = {
    query: question.slice(0, QUESTION_CHARS),
    limit: FROM,
    graph_expand: true,
    graph_seed_limit: FROM,
    graph_budget: EVENTS,
    graph_filters: [],
  };
  const found = useQuery({ queryKey: searchKeys.answer(body), queryFn: ({ signal }) => search(body, signal) });
  if (found.isError)
    return (
      <ErrorNote error={found.error} what="What is related could not be found." onRetry={() => void found.refetch()} />
    );
  if (!found.data) return <p className={styles.step}>Looking for what is related…</p>;
  const { related_context: related, entities } = found.data;
  if (!related?.length && !entities?.length)
    return <p className={styles.step}>Nobody and nothing in the library is connected with this.</p>;
  return <Related under={3} related={related ?? []} entities={entities ?? []} />;
}
