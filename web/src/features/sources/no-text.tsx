import type { Source } from "@/api/types";
import { Empty, Skeleton } from "@/components/states";
import { statusWords } from "@/features/sources/source-words";

/** What stands where the text would. */
export function NoText({ source }: { source: Source }) {
  if (source.status === "pending") return <Skeleton label="The text is being read" />;
  if (!source.revision_id && source.status !== "failed") {
    return (
      <Empty title="There is nothing to read">
        <p>This source was described by hand and has no content. It can be cited all the same.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No text could be read">
      <p>{statusWords(source).why ?? "There are no words in it."}</p>
    </Empty>
  );
}
