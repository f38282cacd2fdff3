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
  const title = useQuery({
    queryKey: sourceKeys.citedIn(lost.conversation_id),
    queryFn: ({ signal }) => getConversationTitle(lost.conversation_id, signal),
    staleTime: 60_000,
  });
  return (
    <li>
      <blockquote>{lost.claim ?? lost.quote ?? `Citation ${lost.number}`}</blockquote>
      <p className={styles.where}>
        In{" "}
        <Link
          to="/ask/$conversation"
          params={{ conversation: lost.conversation_id }}
          search={{ at: lost.message_id, of: lost.message_id }}
        >
          {title.data ? `“${title.data}”` : "a conversation"}
        </Link>{" "}
        · citation {lost.number} · {leftWords(lost.other_sources)}
      </p>
    </li>
  );
}
