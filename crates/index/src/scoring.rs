//! The best passages for words, by BM25.
//!
//! Scores are summed up in a table, for a stretch of documents at a time: the postings of one word after the other are
//! added to it. Once the best so far are good enough, words that even together cannot bring a document among them are
//! only looked up for the documents that have others.

use std::sync::Arc;

use ibid_domain::WordQuery;
use tantivy::{
    DocId, SegmentReader, Term,
    fieldnorm::FieldNormReader,
    postings::{BlockSegmentPostings, TermInfo},
    query::{BooleanQuery, EnableScoring, Occur, PhraseQuery, Query, TermQuery},
    schema::{Field, IndexRecordOption},
};

use crate::{
    Result,
    passages::{SegmentCache, SegmentField, SegmentPostings, TermPostings, WordIndexView},
    top_k::{TopScores, is_set},
};

/// Number of documents scored at a time, chosen so that the score table stays in the L1 cache.
const STRETCH: usize = 4096;

/// Looking a document up costs as much as adding so many.
const DEAR: usize = 8;

/// BM25 parameters, with the same values as in tantivy.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// A query term with its postings and its weight.
struct WeightedTerm {
    posted: Arc<TermPostings>,
    /// Its weight, for how rare it is and how often it was asked for.
    weight: f32,
}

/// A word of the query in one segment.
struct TermCursor {
    postings: BlockSegmentPostings,
    /// Position in the current block of postings.
    at: usize,
    weight: f32,
    /// The most it can add to a score.
    most: f32,
}

/// The best slots for a query among the documents that have their words in this field, in any order. Adds to `scores`
/// those of the `others`.
pub(crate) fn search_field(
    view: &WordIndexView,
    field: Field,
    query: &WordQuery,
    allowed: Option<&[u64]>,
    count: usize,
    others: &[u32],
    scores: &mut [f32],
) -> Result<Vec<(f32, u32)>> {
    let sought = weighted_terms(view, field, query)?;
    let ratios = view.score_ratios(field);
    let mut best = TopScores::new(count, 0.0);
    for (number, (reader, part)) in view.searcher.segment_readers().iter().zip(&view.parts).enumerate() {
        let Some(of) = part.fields.get(&field) else { continue };
        let mut words = Vec::with_capacity(sought.len());
        for WeightedTerm { posted, weight } in &sought {
            if let Some(SegmentPostings { at, most }) = &posted.parts[number] {
                let postings = of.postings.read_block_postings_from_terminfo(at, IndexRecordOption::WithFreqs)?;
                words.push(TermCursor { postings, at: 0, weight: *weight, most: weight * most });
            }
        }
        if words.is_empty() {
            continue;
        }
        words.sort_unstable_by(|a, b| a.most.total_cmp(&b.most));
        let mut wanted: Vec<(DocId, usize)> =
            others.iter().enumerate().filter_map(|(at, slot)| Some((part.document_of(reader, *slot)?, at))).collect();
        wanted.sort_unstable();
        let legal = DocumentFilter { part, reader, allowed, standing: matching_documents(view, reader, field, query)? };
        sum_up(&mut words, &of.lengths, &ratios, &legal, &mut best, &wanted, scores);
    }
    Ok(best.into_scores())
}

/// The words that count, each once.
fn weighted_terms(view: &WordIndexView, field: Field, query: &WordQuery) -> Result<Vec<WeightedTerm>> {
    let mut forms: Vec<&String> = query.any.iter().chain(query.phrases.iter().flatten()).flatten().collect();
    forms.sort_unstable();
    let documents: u32 = view.searcher.segment_readers().iter().map(SegmentReader::max_doc).sum();
    let mut sought = Vec::new();
    for same in forms.chunk_by(|a, b| a == b) {
        let posted = view.term_postings(Term::from_field_text(field, same[0]))?;
        let having = posted.documents;
        if having > 0 {
            let rare = (1.0 + (documents.saturating_sub(having) as f32 + 0.5) / (having as f32 + 0.5)).ln();
            sought.push(WeightedTerm { posted, weight: rare * (1.0 + K1) * same.len() as f32 });
        }
    }
    Ok(sought)
}

/// The most that a word counts for in any document.
pub(crate) fn max_ratio(of: &SegmentField, at: &TermInfo, ratios: &ScoreRatios) -> Result<f32> {
    let mut postings = of.postings.read_block_postings_from_terminfo(at, IndexRecordOption::WithFreqs)?;
    let mut most = 0.0_f32;
    while !postings.docs().is_empty() {
        for (doc, count) in postings.docs().iter().zip(postings.freqs()) {
            most = most.max(ratios.ratio_for(*count, of.lengths[*doc as usize]));
        }
        postings.advance();
    }
    Ok(most)
}

/// BM25 ratios by term frequency and document length, precomputed for common values.
pub(crate) struct ScoreRatios {
    /// Length part of the BM25 denominator, by tantivy's one-byte length code.
    lengths: [f32; 256],
    /// For the counts that most words have.
    known: Vec<[f32; 256]>,
}

impl ScoreRatios {
    /// Counts below this are known.
    const KNOWN: u32 = 16;

    /// For documents of these parts.
    pub(crate) fn new(parts: &[Arc<SegmentCache>], field: Field) -> Self {
        let (mut words, mut documents) = (0, 0);
        for part in parts {
            if let Some(of) = part.fields.get(&field) {
                words += of.postings.total_num_tokens();
                documents += of.lengths.len() as u64;
            }
        }
        let average = words as f32 / documents.max(1) as f32;
        let below = |code: usize| K1 * (1.0 - B + B * FieldNormReader::id_to_fieldnorm(code as u8) as f32 / average);
        let lengths: [f32; 256] = std::array::from_fn(below);
        let known = (0..Self::KNOWN).map(|count| lengths.map(|length| bm25_ratio(count, length))).collect();
        Self { lengths, known }
    }

    #[inline]
    fn ratio_for(&self, count: u32, code: u8) -> f32 {
        match self.known.get(count as usize) {
            Some(known) => known[usize::from(code)],
            None => bm25_ratio(count, self.lengths[usize::from(code)]),
        }
    }
}

fn bm25_ratio(count: u32, length: f32) -> f32 {
    let count = count as f32;
    if count > 0.0 { count / (count + length) } else { 0.0 }
}

/// Filter for the documents of one segment: allowed slots, phrases and exclusions.
struct DocumentFilter<'a> {
    part: &'a SegmentCache,
    reader: &'a SegmentReader,
    allowed: Option<&'a [u64]>,
    /// Those in which all phrases stand and nothing that is excluded, a bit each; none means all.
    standing: Option<Vec<u64>>,
}

impl DocumentFilter<'_> {
    fn allowed_slot(&self, doc: DocId) -> Option<u32> {
        let slot = *self.part.slots.get(doc as usize)?;
        let legal = self.reader.alive_bitset().is_none_or(|alive| alive.is_alive(doc))
            && self.allowed.is_none_or(|bits| is_set(bits, slot))
            && self.standing.as_ref().is_none_or(|bits| is_set(bits, doc));
        legal.then_some(slot)
    }
}

/// Sums up the scores of a segment's documents, keeps the best, and tells those that are wanted. The words come in the
/// order of what they can add.
fn sum_up(
    words: &mut [TermCursor],
    codes: &[u8],
    ratios: &ScoreRatios,
    legal: &DocumentFilter<'_>,
    best: &mut TopScores,
    mut wanted: &[(DocId, usize)],
    scores: &mut [f32],
) {
    let mut table = vec![0.0_f32; STRETCH];
    let mut candidates: Vec<DocId> = Vec::new();
    let documents = |words: &[TermCursor]| words.iter().map(|word| word.postings.doc_freq() as usize).sum::<usize>();
    // So many of the first words cannot bring a document among the best, and this is what they can add together.
    let (mut weak, mut rest) = (0, 0.0);
    for (number, codes) in codes.chunks(STRETCH).enumerate() {
        let first = (number * STRETCH) as DocId;
        while weak < words.len() && rest + words[weak].most <= best.least {
            rest += words[weak].most;
            weak += 1;
        }
        // They are looked up only where that is less work.
        let sparse = documents(&words[weak..]) * DEAR < documents(&words[..weak]);
        let (weaker, stronger) = words.split_at_mut(if sparse { weak } else { 0 });
        let mut any = false;
        for word in stronger {
            any |= add_scores(word, first, codes, ratios, &mut table);
        }
        let here = wanted.partition_point(|(doc, _)| ((doc - first) as usize) < codes.len());
        let (here, later) = wanted.split_at(here);
        wanted = later;
        if !any && here.is_empty() {
            continue;
        }
        candidates.clear();
        let enough = if sparse { (best.least - rest).max(0.0) } else { best.least };
        for (group, sums) in table.as_chunks::<16>().0.iter().enumerate() {
            // Without a branch for each of them.
            if sums.iter().fold(false, |any, sum| any | (*sum > enough)) {
                for (at, sum) in (0..).zip(sums) {
                    if *sum > enough {
                        candidates.push(group as DocId * 16 + at);
                    }
                }
            }
        }
        if sparse {
            candidates.extend(here.iter().map(|(doc, _)| doc - first));
            candidates.sort_unstable();
            candidates.dedup();
            for word in weaker {
                look_up(word, first, codes, &candidates, ratios, &mut table);
            }
        }
        for (doc, at) in here {
            scores[*at] += table[(doc - first) as usize];
        }
        for at in &candidates {
            let sum = table[*at as usize];
            if sum > best.least
                && let Some(slot) = legal.allowed_slot(first + at)
            {
                best.offer(sum, slot);
            }
        }
        table.fill(0.0);
    }
}

/// Adds what a word scores in the documents from `first` on, as many as there are codes of lengths. Says if there was
/// any.
#[inline(never)]
fn add_scores(word: &mut TermCursor, first: DocId, codes: &[u8], ratios: &ScoreRatios, table: &mut [f32]) -> bool {
    let end = first + codes.len() as DocId;
    let mut any = false;
    if word.postings.docs().get(word.at).is_some_and(|doc| *doc < first) {
        word.at = word.postings.seek(first);
    }
    loop {
        let (docs, counts) = (&word.postings.docs()[word.at..], &word.postings.freqs()[word.at..]);
        let Some(last) = docs.last() else { return any };
        let here = if *last < end { docs.len() } else { docs.partition_point(|doc| *doc < end) };
        for (doc, count) in docs[..here].iter().zip(counts) {
            let at = (doc - first) as usize;
            table[at] += word.weight * ratios.ratio_for(*count, codes[at]);
        }
        any |= here > 0;
        if here < docs.len() {
            word.at += here;
            return any;
        }
        word.at = 0;
        word.postings.advance();
    }
}

/// Adds what a word scores in some documents, in their order, counted from `first`.
fn look_up(
    word: &mut TermCursor,
    first: DocId,
    codes: &[u8],
    candidates: &[DocId],
    ratios: &ScoreRatios,
    table: &mut [f32],
) {
    for candidate in candidates {
        let doc = first + candidate;
        let docs = word.postings.docs();
        // What is behind the last of a block may be in a later one.
        let at = match docs.last() {
            None => return,
            Some(last) if *last < doc => word.postings.seek(doc),
            Some(_) => word.at + docs[word.at.min(docs.len())..].partition_point(|one| *one < doc),
        };
        word.at = at;
        if word.postings.docs().get(at) == Some(&doc) {
            let at_doc = *candidate as usize;
            table[at_doc] += word.weight * ratios.ratio_for(word.postings.freq(at), codes[at_doc]);
        }
    }
}

/// The documents of a segment in which all phrases stand, and none of what is excluded; none if all do.
fn matching_documents(
    view: &WordIndexView,
    reader: &SegmentReader,
    field: Field,
    query: &WordQuery,
) -> Result<Option<Vec<u64>>> {
    if query.phrases.is_empty() && query.without.is_empty() {
        return Ok(None);
    }
    let mut all = vec![u64::MAX; reader.max_doc().div_ceil(64) as usize];
    let scoring = EnableScoring::disabled_from_searcher(&view.searcher);
    let phrases = query.phrases.iter().map(|phrase| (phrase, true));
    for (phrase, wanted) in phrases.chain(query.without.iter().map(|phrase| (phrase, false))) {
        let mut having = vec![0_u64; all.len()];
        phrase_query(field, phrase).weight(scoring)?.for_each_no_score(reader, &mut |docs| {
            docs.iter().for_each(|doc| having[*doc as usize / 64] |= 1 << (doc % 64));
        })?;
        all.iter_mut().zip(&having).for_each(|(all, having)| *all &= if wanted { *having } else { !having });
    }
    Ok(Some(all))
}

/// Documents in which these words stand one after the other, each in one of its forms.
fn phrase_query(field: Field, phrase: &[Vec<String>]) -> Box<dyn Query> {
    /// Beyond so many spellings of one phrase the rest is left out.
    const MOST: usize = 16;
    let mut spellings: Vec<Vec<Term>> = vec![vec![]];
    for forms in phrase {
        spellings = spellings
            .iter()
            .flat_map(|so_far| {
                forms.iter().map(|form| {
                    let mut longer = so_far.clone();
                    longer.push(Term::from_field_text(field, form));
                    longer
                })
            })
            .take(MOST)
            .collect();
    }
    let spelling = |mut terms: Vec<Term>| -> Box<dyn Query> {
        match (terms.len(), terms.pop()) {
            (1, Some(term)) => Box::new(TermQuery::new(term, IndexRecordOption::Basic)),
            (_, Some(last)) => {
                terms.push(last);
                Box::new(PhraseQuery::new(terms))
            }
            (_, None) => Box::new(BooleanQuery::new(vec![])),
        }
    };
    Box::new(BooleanQuery::new(spellings.into_iter().map(|terms| (Occur::Should, spelling(terms))).collect()))
}

#[cfg(test)]
mod tests {
    use ibid_domain::Word;
    use tantivy::collector::TopDocs;

    use super::*;
    use crate::passages::CommitPoint;
    use crate::passages::WordIndex;

    /// Numbers that look random and are the same every time.
    fn chance(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut state = seed;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    /// Passages of which each word is half as frequent as the one before, in several segments, some of them removed.
    fn library(folder: &std::path::Path) -> WordIndex {
        let (passages, _) = WordIndex::open(folder, true).unwrap();
        let mut next = chance(5);
        for slot in 0..12_000_u32 {
            let count = 3 + next(60) as u32;
            let word = |place| Word { form: format!("w{}", next(1 << 16).trailing_zeros().min(14)), place };
            let words = (0..count).map(word).collect();
            passages.add_passage(slot, slot, true, words).unwrap();
            if slot == 7_000 || slot == 11_000 {
                passages.commit(CommitPoint { position: i64::from(slot), journal_bytes: 0 }).unwrap();
            }
        }
        (0..12_000).step_by(17).for_each(|slot| passages.remove_revision(slot));
        passages.commit(CommitPoint { position: 12_000, journal_bytes: 0 }).unwrap();
        passages
    }

    #[test]
    fn scores_are_those_of_tantivy_however_they_are_summed_up() {
        let folder = tempfile::tempdir().unwrap();
        let passages = library(folder.path());
        let view = passages.view();
        let field = view.searcher.schema().get_field("words").unwrap();
        // Common words alone; rare ones beside common ones, which are only looked up then; one twice; none.
        for words in ["w0 w1 w2", "w14 w0 w1", "w13 w14 w0", "w9 w3 w1 w0", "w12 w12 w0", "w5", "w99 w4", "w99"] {
            let any: Vec<Vec<String>> = words.split(' ').map(|word| vec![word.to_owned()]).collect();
            let query = WordQuery { any: any.clone(), ..WordQuery::default() };
            let term = |forms: &Vec<String>| -> (Occur, Box<dyn Query>) {
                let term = Term::from_field_text(field, &forms[0]);
                (Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)))
            };
            let plain = BooleanQuery::new(any.iter().map(term).collect());
            let all = view.searcher.search(&plain, &TopDocs::with_limit(12_000).order_by_score()).unwrap();
            let slot = |at: &tantivy::DocAddress| view.parts[at.segment_ord as usize].slots[at.doc_id as usize];
            let others: Vec<u32> = (0..12_000).step_by(101).collect();
            let found = passages.search(&query, None, false, 50, &others).unwrap();
            assert_eq!(found.best.len(), all.len().min(50), "{words}");
            for ((_, score), (expected, _)) in found.best.iter().zip(&all) {
                assert!((score - expected).abs() < 1e-4, "{words}: {score} {expected}");
            }
            for (other, score) in others.iter().zip(&found.others) {
                let expected = all.iter().find(|(_, at)| slot(at) == *other).map_or(0.0, |(score, _)| *score);
                assert!((score - expected).abs() < 1e-4, "{words} in {other}: {score} {expected}");
            }
            // Half of them are not allowed.
            let bits = vec![0xaaaa_aaaa_aaaa_aaaa_u64; 12_000_usize.div_ceil(64)];
            let found = passages.search(&query, Some(&bits), false, 50, &[]).unwrap();
            let odd: Vec<f32> = all.iter().filter(|(_, at)| slot(at) % 2 == 1).map(|(score, _)| *score).collect();
            assert_eq!(found.best.len(), odd.len().min(50), "{words}");
            assert!(found.best.iter().all(|(slot, _)| slot % 2 == 1), "{words}");
            for ((_, score), expected) in found.best.iter().zip(&odd) {
                assert!((score - expected).abs() < 1e-4, "{words}: {score} {expected}");
            }
        }
    }
}
