import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { getConversationTitle, sourceKeys } from "@/api/sources";
import type { AffectedClaim } from "@/api/types";
import { More } from "@/components/states";
import { leftWords } from "@/features/sources/source-words";
import type { Impact } from "@/features/sources/use-impact";
import styles from "@/features/sources/forms.module.css";

/** Claim by claim, what would lose its support; nothing where nothing would. */
export function LostClaims({ impact }: { impact: Impact }) {
  if (impact.claims.length === 0) return null;
  return (
    <section className={styles.claims} aria-label="Claims that would lose their support">
      <h3>Claims that would lose this support</h3>
      <ul>
        {impact.claims.map((claim, index) => (
          <ClaimOf key={index} lost={claim} />
        ))}
      </ul>
      {impact.hasMore && <More onPress={impact.more} loading={impact.loadingMore} label="More claims" />}
    </section>
  );
}

function ClaimOf({ lost }: { lost: AffectedClaim }) {
  return (
    <li>
      <blockquote>{lost.claim ?? lost.quote ?? `Citation ${lost.number}`}</blockquote>
      <p className={styles.where}>
        In <TextOf lost={lost} /> · citation {lost.number} · {leftWords(lost.other_sources)}
      </p>
    </li>
  );
}

/** The document or the conversation that a claim stands in. */
function TextOf({ lost }: { lost: AffectedClaim }) {
  const { conversation_id: conversation, document_id: documentId } = lost;
  const title = useQuery({
    queryKey: sourceKeys.citedIn(conversation ?? ""),
    queryFn: ({ signal }) => getConversationTitle(conversation ?? "", signal),
    staleTime: 60_000,
    enabled: conversation !== null,
  });
  if (documentId !== null)
    return (
      <Link to="/documents/$documentId" params={{ documentId }}>
        the document “{lost.document_title}”
      </Link>
    );
  if (conversation === null || lost.message_id === null) return <>a conversation</>;
  return (
    <Link to="/ask/$conversation" params={{ conversation }} search={{ at: lost.message_id, of: lost.message_id }}>
      {title.data ? `“${title.data}”` : "a conversation"}
    </Link>
  );
}
