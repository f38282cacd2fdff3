//! Passages by their words: BM25 as the embedded engine computes it, from PostgreSQL's `tsvector`.
//!
//! PostgreSQL has no BM25, but its `ts_rank` of one word says exactly how often the word stands: with all weights 1 it
//! is (1/1² + 1/2² + … + 1/tf²) / (π²/6). The rarest words of a query choose the passages that are ranked; whether a
//! passage without any of them could still be among the best is computed, and then more are ranked.

use std::collections::{BTreeMap, HashMap};

use ibid_domain::{ChunkId, SearchFilter, SourceId, Word, WordQuery, search::WordForms};

use super::{BATCH, COUNTED, FEW, Hit, PassageSearch, UnindexedPassage};
use crate::{
    Result,
    sql::{SqlValue, params, to_sql_int},
};

/// Up to so many passages words are counted in each; beyond, what PostgreSQL knows of common words is used.
const EXACT: u64 = 5_000;
/// So many passages are ranked first, to know how good the best are.
const FIRST_RANKED: f64 = 1_500.0;
/// Share of its full weight that a word reaches if it stands three times in a passage of average length. Passages that
/// only have the common words of a query, and more often, may be missed.
const OFTEN: f64 = 0.73;
/// A word that so large a part of the passages has tells nothing of where to look.
const COMMON: f64 = 0.2;
/// So many words are told apart in computing which passages may be among the best, rarest first.
const TOLD_APART: usize = 6;
/// So many passages are ranked at most. Who looks for a word that stands in more gets the best of some of them.
const MOST_RANKED: u64 = 50_000;
/// So many words of a query count; of more, the rarest.
const MOST_WORDS: usize = 32;
/// So many words of a query are looked up.
const MOST_LOOKED_UP: usize = 256;

pub(super) const K1: f64 = 1.2;
pub(super) const B: f64 = 0.75;

/// The longest lexeme that a `tsvector` takes, in bytes.
const MOST_BYTES: usize = 2046;
/// The last place that a `tsvector` tells from others.
const LAST_PLACE: u32 = 16_383;
/// The most places that a `tsvector` keeps of one lexeme.
const MOST_PLACES: usize = 255;

/// A word of a query: its forms, each with how many passages have it.
pub(super) struct ScoredQueryTerm {
    forms: Vec<(String, f64)>,
}

impl ScoredQueryTerm {
    /// In how many passages it stands, at most.
    pub(super) fn passage_count(&self) -> f64 {
        self.forms.iter().map(|(_, count)| count).sum()
    }

    /// Returns the most that the word adds to a score, unless a passage repeats it very often.
    fn max_score(&self, all: f64) -> f64 {
        let most = self.forms.iter().map(|(_, count)| term_weight(*count, all)).fold(0.0, f64::max);
        most * OFTEN
    }
}

/// Returns the upper limit of a word's BM25 score: its inverse document frequency times `K1 + 1`.
fn term_weight(count: f64, all: f64) -> f64 {
    let count = count.min(all);
    (1.0 + (all - count + 0.5) / (count + 0.5)).ln() * (K1 + 1.0)
}

impl PassageSearch<'_> {
    /// Keeps the words of passages, which are found by them from now on. Passages that are gone are left out.
    pub async fn index_words(&mut self, items: &[(ChunkId, Vec<Word>)]) -> Result<()> {
        self.on_postgres().await?;
        for batch in items.chunks(BATCH) {
            let mut values = params![self.scope.tenant()];
            let mut rows = Vec::with_capacity(batch.len());
            for (chunk, words) in batch {
                let first = values.len() + 1;
                rows.push(format!("(${first}, CAST(${} AS tsvector), ${}, ${})", first + 1, first + 2, first + 3));
                let count = words.len() as u64;
                values.extend(params![
                    *chunk,
                    to_tsvector(words),
                    to_sql_int(quantize_length(count)),
                    to_sql_int(count)
                ]);
            }
            let sql = format!(
                "UPDATE chunk_words w SET words = new.words, length = new.length, word_count = new.word_count
                 FROM (VALUES {}) AS new (chunk_id, words, length, word_count) JOIN chunks c ON c.id = new.chunk_id
                 WHERE w.seq = c.seq AND c.tenant_id = $1",
                rows.join(", ")
            );
            self.tx.execute_built(sql, values).await?;
        }
        Ok(())
    }

    /// Passages whose words are not analysed yet, oldest first.
    pub async fn list_unindexed(&mut self, count: usize) -> Result<Vec<UnindexedPassage>> {
        self.on_postgres().await?;
        let sql =
            "SELECT c.id, c.source_id, c.revision_id, c.content, c.place, s.reference ->> 'title' AS title, r.language
                   FROM chunk_words w JOIN chunks c ON c.seq = w.seq
                   JOIN sources s ON s.id = c.source_id JOIN revisions r ON r.id = c.revision_id
                   WHERE w.tenant_id = $1 AND w.words IS NULL ORDER BY w.seq LIMIT $2";
        let rows = self.tx.fetch_all(sql, params![self.scope.tenant(), to_sql_int(count as u64)]).await?;
        let read = |row: &crate::sql::SqlRow| {
            Ok(UnindexedPassage {
                chunk: row.get("id")?,
                source: row.get("source_id")?,
                revision: row.get("revision_id")?,
                content: row.get("content")?,
                place: row.with_prefix("").parse_json("place")?,
                title: row.get("title")?,
                language: row.get("language")?,
            })
        };
        rows.iter().map(read).collect()
    }

    /// Forgets the words of a source's passages, so that they are analysed again.
    pub async fn forget_words(&mut self, source: SourceId) -> Result<()> {
        self.on_postgres().await?;
        let sql = "UPDATE chunk_words SET words = NULL, length = NULL, word_count = NULL
                   WHERE tenant_id = $1 AND words IS NOT NULL
                   AND seq IN (SELECT seq FROM chunks WHERE tenant_id = $1 AND source_id = $2)";
        self.tx.execute(sql, params![self.scope.tenant(), source]).await?;
        Ok(())
    }

    /// The passages that have the words, best first.
    pub async fn find_by_words(&mut self, query: &WordQuery, filter: &SearchFilter, count: usize) -> Result<Vec<Hit>> {
        self.on_postgres().await?;
        let words: Vec<_> =
            query.any.iter().chain(query.phrases.iter().flatten()).filter_map(indexable_forms).collect();
        let phrases: Option<Vec<_>> = query.phrases.iter().map(|phrase| phrase_query(phrase)).collect();
        // A phrase with a word that cannot stand anywhere stands nowhere.
        let (Some(phrases), false, false) = (phrases, words.is_empty(), count == 0) else { return Ok(vec![]) };
        let (all, mean) = self.corpus_statistics().await?;
        let mut sought = self.count_query_terms(words, all).await?;
        sought.retain(|word| word.passage_count() > 0.0);
        sought.sort_by(|a, b| a.passage_count().total_cmp(&b.passage_count()));
        sought.truncate(MOST_WORDS);
        if sought.is_empty() {
            return Ok(vec![]);
        }
        let mut demands = phrases;
        demands.extend(query.without.iter().filter_map(|phrase| Some(format!("!({})", phrase_query(phrase)?))));
        let mut ranking = Ranking { sought: &sought, demands: &demands, all, mean, count, each: false };
        if !query.phrases.is_empty() {
            return self.rank_passages(&ranking, filter, 0).await;
        }
        ranking.each = self.leaves_few(filter).await?;
        if ranking.each || all <= FEW as f64 {
            return self.rank_passages(&ranking, filter, sought.len()).await;
        }
        // Some passages with the rarest words, so many that the last of the best of them says what it takes to be one.
        let (mut bound, mut first, mut hits) = (FIRST_RANKED, 0, vec![]);
        while hits.len() < count && first < sought.len() {
            let (before, mut passages) = (first, 0.0);
            let some = sought.iter().take_while(|word| {
                passages += word.passage_count();
                passages <= bound
            });
            first = some.count().max(1);
            bound *= 6.0;
            if first > before {
                hits = self.rank_passages(&ranking, filter, first).await?;
            }
        }
        let needed = hits.get(count - 1).map_or(0.0, |hit| f64::from(hit.score));
        let Some(query) = ranking.reaching_query(needed).filter(|_| !ranking.is_done(first, needed)) else {
            return Ok(hits);
        };
        // What else may score as much, by which words it has.
        let more = self.ranked_by(&ranking, filter, &query).await?;
        hits.extend(more);
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.seq.cmp(&b.seq)));
        hits.dedup_by_key(|hit| hit.seq);
        hits.truncate(count);
        Ok(hits)
    }

    /// Returns the number of passages and their average number of words.
    pub(super) async fn corpus_statistics(&mut self) -> Result<(f64, f64)> {
        let known = self.passage_statistics().await?;
        let estimate = known.passage_count(self.scope.tenant());
        if estimate > 2 * COUNTED && known.mean > 0.0 {
            return Ok((estimate as f64, known.mean));
        }
        let sql = "SELECT COUNT(*) AS passages, CAST(COALESCE(SUM(word_count), 0) AS BIGINT) AS words FROM
                   (SELECT word_count FROM chunk_words WHERE tenant_id = $1 AND words IS NOT NULL LIMIT $2) AS counted";
        let row = self.tx.fetch_optional(sql, params![self.scope.tenant(), to_sql_int(COUNTED + 1)]).await?;
        let (passages, words): (u64, u64) =
            row.map_or(Ok((0, 0)), |row| Ok::<_, crate::Error>((row.get("passages")?, row.get("words")?)))?;
        let all = if passages > COUNTED { passages.max(estimate) } else { passages };
        Ok((all as f64, (words as f64 / passages.max(1) as f64).max(1.0)))
    }

    /// In how many passages each form of the words stands.
    pub(super) async fn count_query_terms(
        &mut self,
        words: Vec<Vec<String>>,
        all: f64,
    ) -> Result<Vec<ScoredQueryTerm>> {
        let mut counts: HashMap<&str, f64> = HashMap::new();
        let mut counted = Vec::new();
        let known = self.passage_statistics().await?;
        let by_estimate = all > EXACT as f64 && !known.common.is_empty();
        for form in words.iter().take(MOST_LOOKED_UP).flatten() {
            if !counts.contains_key(form.as_str()) {
                let common = known.common.get(form).filter(|_| by_estimate);
                counts.insert(form, common.map_or(0.0, |part| part * all));
                counted.extend(common.is_none().then_some(form.as_str()));
            }
        }
        for batch in counted.chunks(BATCH) {
            let mut values = params![self.scope.tenant(), to_sql_int(if by_estimate { EXACT } else { u64::MAX })];
            let mut rows = Vec::with_capacity(batch.len());
            for form in batch {
                values.extend(params![*form, quote_lexeme(form)]);
                rows.push(format!("(${}, CAST(${} AS tsquery))", values.len() - 1, values.len()));
            }
            let sql = format!(
                "SELECT form, (SELECT COUNT(*) FROM (SELECT 1 FROM chunk_words w
                     WHERE w.words @@ one.query AND w.tenant_id = $1 LIMIT $2) AS counted) AS passages
                 FROM (VALUES {}) AS one (form, query)",
                rows.join(", ")
            );
            for row in self.tx.rows_once(sql, values).await? {
                let form: String = row.get("form")?;
                if let Some(count) = counts.get_mut(form.as_str()) {
                    *count = row.get::<u64>("passages")? as f64;
                }
            }
        }
        let count = |form: &String| (form.clone(), counts.get(form.as_str()).copied().unwrap_or_default());
        Ok(words.iter().map(|forms| ScoredQueryTerm { forms: forms.iter().map(count).collect() }).collect())
    }

    /// Ranks the passages that meet the demands and have at least one of the first words, if there are any first words.
    async fn rank_passages(&mut self, ranking: &Ranking<'_>, filter: &SearchFilter, first: usize) -> Result<Vec<Hit>> {
        let query = ranking.any_of(ranking.sought.get(..first).unwrap_or(ranking.sought));
        self.ranked_by(ranking, filter, &query).await
    }

    async fn ranked_by(&mut self, ranking: &Ranking<'_>, filter: &SearchFilter, query: &str) -> Result<Vec<Hit>> {
        let mut narrowed = self.filter_sql(filter);
        let demands = ranking.demands.iter().map(String::as_str);
        let query: Vec<_> = Some(query).filter(|query| !query.is_empty()).into_iter().chain(demands).collect();
        let query = narrowed.bind_value(query.join(" & ").into());
        let longer = narrowed.bind_value((K1 * B / ranking.mean).into());
        let score = ranking.score_sql(|value| narrowed.bind_value(value));
        let count = narrowed.bind_value(to_sql_int(ranking.count as u64).into());
        let (joined, conditions) = (narrowed.joined_to("w"), &narrowed.conditions);
        // The function is the same as the operator, but has no index: the filter leaves fewer than the words do.
        let matches = if ranking.each {
            format!("ts_match_vq(w.words, CAST({query} AS tsquery))")
        } else {
            format!("w.words @@ CAST({query} AS tsquery)")
        };
        let sql = format!(
            "SELECT c.id, best.seq, best.score FROM (
                 SELECT m.seq, {score} AS score FROM (
                     SELECT w.seq, w.words, CAST({} AS float8) + {longer} * w.length AS k
                     FROM chunk_words w {joined} WHERE w.tenant_id = $1 AND {matches} AND {conditions}
                     LIMIT {MOST_RANKED}) AS m
                 ORDER BY score DESC, m.seq LIMIT {count}) AS best
             JOIN chunks c ON c.seq = best.seq ORDER BY best.score DESC, best.seq",
            K1 * (1.0 - B)
        );
        let rows = self.tx.rows_once(sql, narrowed.values).await?;
        let hit = |row: &crate::sql::SqlRow| {
            Ok(Hit { chunk: row.get("id")?, seq: row.get("seq")?, score: row.get::<f64>("score")? as f32 })
        };
        rows.iter().map(hit).collect()
    }
}

/// The words to rank passages by, rarest first, and the conditions on passages.
pub(super) struct Ranking<'a> {
    pub(super) sought: &'a [ScoredQueryTerm],
    /// Conditions as `tsquery` text that every passage must meet.
    pub(super) demands: &'a [String],
    pub(super) all: f64,
    pub(super) mean: f64,
    pub(super) count: usize,
    /// True if every passage that the filter leaves is ranked.
    pub(super) each: bool,
}

impl Ranking<'_> {
    /// Any of these words, as a query.
    fn any_of(&self, words: &[ScoredQueryTerm]) -> String {
        let forms = words.iter().flat_map(|word| &word.forms).filter(|(_, count)| *count > 0.0);
        let forms: Vec<_> = forms.map(|(form, _)| quote_lexeme(form)).collect();
        if forms.is_empty() { String::new() } else { format!("({})", forms.join(" | ")) }
    }

    /// True if no passage without any of the first words can reach the score.
    fn is_done(&self, first: usize, needed: f64) -> bool {
        self.sought.iter().skip(first).map(|word| word.max_score(self.all)).sum::<f64>() <= needed
    }

    /// Returns a `tsquery` for the words needed to reach a score; `None` if none can.
    fn reaching_query(&self, needed: f64) -> Option<String> {
        match self.reaching_from(0, needed, false) {
            Reachability::Always => Some(self.any_of(self.sought)),
            Reachability::Never => None,
            Reachability::With(query) => Some(query),
        }
    }

    /// The same for the words from one on, if so much is still needed; `some` says whether it has one of those before.
    fn reaching_from(&self, at: usize, needed: f64, some: bool) -> Reachability {
        let rest = self.sought.get(at..).unwrap_or_default();
        if needed <= 0.0 {
            return Reachability::Always;
        }
        let [word, ..] = rest else { return Reachability::Never };
        if rest.iter().map(|word| word.max_score(self.all)).sum::<f64>() < needed {
            return Reachability::Never;
        }
        if at == TOLD_APART {
            let common = rest.iter().any(|word| word.passage_count() > COMMON * self.all);
            return if some && common { Reachability::Always } else { Reachability::With(self.any_of(rest)) };
        }
        let this = self.any_of(std::slice::from_ref(word));
        let with = match self.reaching_from(at + 1, needed - word.max_score(self.all), true) {
            Reachability::Always => Some(this),
            Reachability::Never => None,
            Reachability::With(query) => Some(format!("({this} & {query})")),
        };
        match (with, self.reaching_from(at + 1, needed, some)) {
            (_, Reachability::Always) => Reachability::Always,
            (Some(with), Reachability::With(without)) => Reachability::With(format!("({with} | {without})")),
            (Some(query), Reachability::Never) | (None, Reachability::With(query)) => Reachability::With(query),
            (None, Reachability::Never) => Reachability::Never,
        }
    }

    /// The score of a passage: the sum over words of that of its best form.
    pub(super) fn score_sql(&self, mut value: impl FnMut(SqlValue) -> String) -> String {
        let mut form = |(form, count): &(String, f64)| {
            let (query, weight) = (value(quote_lexeme(form).into()), value(term_weight(*count, self.all).into()));
            format!(
                "{weight} * (1 - m.k / (m.k + round(1 / (CAST(1.64493406685 AS float8)
                     * (1 - ts_rank('{{1,1,1,1}}', m.words, CAST({query} AS tsquery)))) - 0.5)))"
            )
        };
        let mut word = |word: &ScoredQueryTerm| {
            let forms: Vec<_> = word.forms.iter().filter(|(_, count)| *count > 0.0).map(&mut form).collect();
            format!("GREATEST({})", forms.join(", "))
        };
        self.sought.iter().map(&mut word).collect::<Vec<_>>().join(" + ")
    }
}

/// Result of computing if a passage can reach a score.
enum Reachability {
    Always,
    Never,
    /// Only by what this query finds.
    With(String),
}

/// The forms of a word that can be indexed, each once.
pub(super) fn indexable_forms(forms: &WordForms) -> Option<Vec<String>> {
    let mut forms: Vec<_> = forms.iter().filter(|form| is_lexeme(form)).cloned().collect();
    forms.sort_unstable();
    forms.dedup();
    if forms.is_empty() { None } else { Some(forms) }
}

fn is_lexeme(form: &str) -> bool {
    !form.is_empty() && form.len() <= MOST_BYTES && !form.contains('\0')
}

/// A lexeme as `tsquery` and `tsvector` read it.
fn quote_lexeme(form: &str) -> String {
    format!("'{}'", form.replace('\\', "\\\\").replace('\'', "''"))
}

/// Words one after the other, each in any of its forms; none if one of them has no form.
fn phrase_query(phrase: &[WordForms]) -> Option<String> {
    let words: Option<Vec<_>> = phrase
        .iter()
        .map(|word| {
            Some(format!(
                "({})",
                indexable_forms(word)?.iter().map(|form| quote_lexeme(form)).collect::<Vec<_>>().join(" | ")
            ))
        })
        .collect();
    words.filter(|words| !words.is_empty()).map(|words| format!("({})", words.join(" <-> ")))
}

/// Words as a `tsvector` is written.
fn to_tsvector(words: &[Word]) -> String {
    let mut places: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for word in words.iter().filter(|word| is_lexeme(&word.form)) {
        let places = places.entry(&word.form).or_default();
        if places.len() < MOST_PLACES {
            places.push(word.place.saturating_add(1).min(LAST_PLACE));
        }
    }
    let lexeme = |(form, places): (&str, Vec<u32>)| {
        let places: Vec<_> = places.iter().map(ToString::to_string).collect();
        format!("{}:{}", quote_lexeme(form), places.join(","))
    };
    places.into_iter().map(lexeme).collect::<Vec<_>>().join(" ")
}

/// A number of words as tantivy keeps it, in one byte: exact up to 40, then with four binary digits above 24. After
/// `fieldnorm/code.rs` of tantivy 0.27, whose table this computes.
fn quantize_length(count: u64) -> u64 {
    match count.min(2_013_265_944) {
        count @ ..24 => count,
        count => {
            let above = count - 24;
            let dropped = above.checked_ilog2().unwrap_or(0).saturating_sub(3);
            24 + (above >> dropped << dropped)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_rounded_as_tantivy_does() {
        // Entries of its table, and what lies between them.
        let table =
            [0, 1, 24, 39, 40, 42, 44, 54, 56, 60, 88, 96, 152, 168, 1_048, 1_176, 65_560, 73_752, 2_013_265_944];
        for length in table {
            assert_eq!(quantize_length(length), length);
        }
        for (length, kept) in
            [(41, 40), (55, 54), (59, 56), (103, 96), (167, 152), (1_175, 1_048), (u64::MAX, 2_013_265_944)]
        {
            assert_eq!(quantize_length(length), kept);
        }
    }

    #[test]
    fn words_are_quoted_and_bounded() {
        let word = |form: &str, place| Word { form: form.to_owned(), place };
        let words = [word("o'neil", 1), word("a\\b", 0), word("o'neil", 20_000), word("", 3), word("a\0", 4)];
        assert_eq!(to_tsvector(&words), r"'a\\b':1 'o''neil':2,16383");
        let many: Vec<_> = (0..300).map(|place| word("x", place)).collect();
        assert!(to_tsvector(&many).ends_with(",255"));
        let forms = |forms: &[&str]| forms.iter().map(|form| (*form).to_owned()).collect::<WordForms>();
        let phrase = [forms(&["run", "runs", "run"]), forms(&["fast"])];
        assert_eq!(phrase_query(&phrase).unwrap(), "(('run' | 'runs') <-> ('fast'))");
        assert_eq!(phrase_query(&[forms(&[""])]), None);
    }
}
