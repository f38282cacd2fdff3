//! The words of passages: which passages have those of a query, by BM25.
//!
//! A passage is a document of tantivy's with its words as one field, its slot, and the number of its revision, by which
//! it is deleted. Passages of earlier revisions have their words in a field of their own, so that they are found only
//! when an earlier state of the library is asked for, and weigh nothing otherwise.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use ibid_domain::{Word, WordQuery};
use tantivy::{
    DocId, DocSet, Index, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Score, Searcher, SegmentReader,
    TERMINATED, TantivyDocument, Term,
    collector::TopDocs,
    columnar::ColumnValues,
    directory::MmapDirectory,
    index::SegmentId,
    indexer::LogMergePolicy,
    query::{
        BooleanQuery, ConstScorer, EnableScoring, Explanation, Occur, PhraseQuery, Query, Scorer, TermQuery, Weight,
    },
    schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions},
    tokenizer::{PreTokenizedString, Token},
};

use crate::Result;

/// How much memory words take before they are written.
const BUDGET: usize = 96 * 1024 * 1024;

#[derive(Clone, Copy, Debug)]
struct Fields {
    words: Field,
    earlier: Field,
    slot: Field,
    revision: Field,
}

/// The words of all passages.
pub(crate) struct Passages {
    fields: Fields,
    reader: IndexReader,
    view: RwLock<Arc<View>>,
    writer: Option<Mutex<IndexWriter>>,
}

/// One state of the index, with the slots of its documents at hand.
struct View {
    searcher: Searcher,
    parts: Vec<Arc<Part>>,
}

/// The slots of a segment's documents.
struct Part {
    segment: SegmentId,
    slots: Arc<dyn ColumnValues<u64>>,
    /// Documents in the order of their slots, where they do not stand so anyway.
    order: Option<Vec<DocId>>,
}

impl View {
    /// `before` has the parts that are still the same.
    fn new(searcher: Searcher, before: &[Arc<Part>]) -> Result<Arc<Self>> {
        let mut parts = Vec::new();
        for reader in searcher.segment_readers() {
            let known = before.iter().find(|part| part.segment == reader.segment_id());
            parts.push(known.map_or_else(|| Part::new(reader).map(Arc::new), |part| Ok(part.clone()))?);
        }
        Ok(Arc::new(Self { searcher, parts }))
    }
}

impl Part {
    fn new(reader: &SegmentReader) -> Result<Self> {
        let slots = reader.fast_fields().u64("slot")?.first_or_default_col(0);
        let count = reader.max_doc();
        let sorted = (1..count).all(|doc| slots.get_val(doc - 1) <= slots.get_val(doc));
        let order = (!sorted).then(|| {
            let mut order: Vec<DocId> = (0..count).collect();
            order.sort_by_key(|doc| slots.get_val(*doc));
            order
        });
        Ok(Self { segment: reader.segment_id(), slots, order })
    }

    /// The document of a slot that is not deleted, if it stands in this part.
    fn doc(&self, reader: &SegmentReader, slot: u32) -> Option<DocId> {
        let at = |place: DocId| self.order.as_ref().map_or(place, |order| order[place as usize]);
        let (mut low, mut high) = (0, reader.max_doc());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.slots.get_val(at(middle)) < u64::from(slot) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // A passage that was written anew stands here twice until the deleted one is merged away.
        (low..reader.max_doc())
            .map(at)
            .take_while(|doc| self.slots.get_val(*doc) == u64::from(slot))
            .find(|doc| reader.alive_bitset().is_none_or(|alive| alive.is_alive(*doc)))
    }
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default().set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let words = TextOptions::default().set_indexing_options(indexing);
    let fields = Fields {
        words: schema.add_text_field("words", words.clone()),
        earlier: schema.add_text_field("earlier", words),
        slot: schema.add_u64_field("slot", FAST),
        revision: schema.add_u64_field("revision", INDEXED),
    };
    (schema.build(), fields)
}

impl Passages {
    /// Opens the words in a folder, made if it is to be written and is not there. Gives the position they stand at.
    pub(crate) fn open(folder: &Path, write: bool) -> Result<(Self, i64)> {
        let (schema, fields) = schema();
        if write {
            std::fs::create_dir_all(folder)?;
        }
        let directory = MmapDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        let index = if write {
            Index::builder().schema(schema).settings(IndexSettings::default()).open_or_create(directory)?
        } else {
            Index::open(directory)?
        };
        let position = index.load_metas()?.payload.and_then(|payload| payload.parse().ok()).unwrap_or(0);
        let writer = if write {
            let writer: IndexWriter = index.writer_with_num_threads(1, BUDGET)?;
            let mut policy = LogMergePolicy::default();
            // Every segment is looked at by every query: few is fast.
            policy.set_min_num_segments(4);
            policy.set_min_layer_size(2_000);
            policy.set_del_docs_ratio_before_merge(0.2);
            writer.set_merge_policy(Box::new(policy));
            Some(Mutex::new(writer))
        } else {
            None
        };
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let view = RwLock::new(View::new(reader.searcher(), &[])?);
        Ok((Self { fields, reader, view, writer }, position))
    }

    /// Adds a passage. It is found after the next commit.
    pub(crate) fn add(&self, revision: u32, slot: u32, current: bool, words: Vec<Word>) -> Result<()> {
        let Some(writer) = &self.writer else { return Ok(()) };
        let tokens = words.into_iter().map(|word| Token {
            offset_from: 0,
            offset_to: 0,
            position: word.place as usize,
            text: word.form,
            position_length: 1,
        });
        let text = PreTokenizedString { text: String::new(), tokens: tokens.collect() };
        let mut document = TantivyDocument::new();
        document.add_pre_tokenized_text(if current { self.fields.words } else { self.fields.earlier }, text);
        document.add_u64(self.fields.slot, slot.into());
        document.add_u64(self.fields.revision, revision.into());
        writer.lock().unwrap_or_else(PoisonError::into_inner).add_document(document)?;
        Ok(())
    }

    /// Removes the passages of a revision that were added before.
    pub(crate) fn remove(&self, revision: u32) {
        let Some(writer) = &self.writer else { return };
        let term = Term::from_field_u64(self.fields.revision, revision.into());
        writer.lock().unwrap_or_else(PoisonError::into_inner).delete_term(term);
    }

    /// Makes what was added findable, and remembers the position.
    pub(crate) fn commit(&self, position: i64) -> Result<()> {
        let Some(writer) = &self.writer else { return Ok(()) };
        let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut prepared = writer.prepare_commit()?;
        prepared.set_payload(&position.to_string());
        prepared.commit()?;
        drop(writer);
        self.reload()
    }

    /// Looks at the newest state there is.
    pub(crate) fn reload(&self) -> Result<()> {
        self.reader.reload()?;
        let before = self.view();
        let view = View::new(self.reader.searcher(), &before.parts)?;
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = view;
        Ok(())
    }

    fn view(&self) -> Arc<View> {
        self.view.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The best slots for a query, best first. `allowed` has a bit a slot; none means all that are current.
    pub(crate) fn search(
        &self,
        query: &WordQuery,
        allowed: Option<Arc<Vec<u64>>>,
        earlier: bool,
        count: usize,
    ) -> Result<Vec<(u32, f32)>> {
        if query.is_empty() || count == 0 {
            return Ok(Vec::new());
        }
        let view = self.view();
        let mut found = self.top(&view, &self.query(self.fields.words, query, allowed.clone()), count)?;
        if earlier {
            found.extend(self.top(&view, &self.query(self.fields.earlier, query, allowed), count)?);
        }
        found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(count);
        Ok(found)
    }

    fn top(&self, view: &View, query: &dyn Query, count: usize) -> Result<Vec<(u32, f32)>> {
        let best = view.searcher.search(query, &TopDocs::with_limit(count).order_by_score())?;
        Ok(best
            .into_iter()
            .map(|(score, at)| (view.parts[at.segment_ord as usize].slots.get_val(at.doc_id) as u32, score))
            .collect())
    }

    /// The scores of these slots for the words of a query, in their order.
    pub(crate) fn scores(&self, query: &WordQuery, earlier: bool, slots: &[u32]) -> Result<Vec<f32>> {
        let mut scores = vec![0.0; slots.len()];
        let view = self.view();
        let fields = if earlier { &[self.fields.words, self.fields.earlier][..] } else { &[self.fields.words] };
        let mut weights = Vec::new();
        for form in forms(query) {
            for field in fields {
                let term = TermQuery::new(Term::from_field_text(*field, form), IndexRecordOption::WithFreqs);
                weights.push(term.weight(EnableScoring::enabled_from_searcher(&view.searcher))?);
            }
        }
        for (reader, part) in view.searcher.segment_readers().iter().zip(&view.parts) {
            let mut docs: Vec<(DocId, usize)> =
                slots.iter().enumerate().filter_map(|(at, slot)| Some((part.doc(reader, *slot)?, at))).collect();
            if docs.is_empty() {
                continue;
            }
            docs.sort_unstable();
            for weight in &weights {
                let mut scorer = weight.scorer(reader, 1.0)?;
                for (doc, at) in &docs {
                    if scorer.doc() < *doc {
                        scorer.seek(*doc);
                    }
                    if scorer.doc() == *doc {
                        scores[*at] += scorer.score();
                    }
                }
            }
        }
        Ok(scores)
    }

    fn query(&self, field: Field, query: &WordQuery, allowed: Option<Arc<Vec<u64>>>) -> BooleanQuery {
        let term = |form: &String| -> Box<dyn Query> {
            Box::new(TermQuery::new(Term::from_field_text(field, form), IndexRecordOption::WithFreqs))
        };
        let any = BooleanQuery::new(forms(query).map(|form| (Occur::Should, term(form))).collect());
        if query.phrases.is_empty() && query.without.is_empty() && allowed.is_none() {
            return any;
        }
        let mut all: Vec<(Occur, Box<dyn Query>)> = vec![(Occur::Must, Box::new(any))];
        for phrase in &query.phrases {
            all.push((Occur::Must, Box::new(Standing(Arc::from(standing(field, phrase))))));
        }
        for phrase in &query.without {
            all.push((Occur::MustNot, Box::new(Standing(Arc::from(standing(field, phrase))))));
        }
        if let Some(allowed) = allowed {
            all.push((Occur::Must, Box::new(Only { allowed })));
        }
        BooleanQuery::new(all)
    }
}

/// The forms that count, each as often as it was asked for.
fn forms(query: &WordQuery) -> impl Iterator<Item = &String> {
    query.any.iter().chain(query.phrases.iter().flatten()).flatten()
}

/// Passages in which these words stand one after the other, each in one of its forms.
fn standing(field: Field, phrase: &[Vec<String>]) -> Box<dyn Query> {
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

/// Passages whose bits are set, all of the same score.
#[derive(Clone, Debug)]
struct Only {
    allowed: Arc<Vec<u64>>,
}

impl Query for Only {
    fn weight(&self, _scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for Only {
    fn scorer(&self, reader: &SegmentReader, _boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let slots = reader.fast_fields().u64("slot")?.first_or_default_col(0);
        let legal = |doc: &DocId| {
            let slot = slots.get_val(*doc) as usize;
            self.allowed.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
        };
        let docs: Vec<DocId> = (0..reader.max_doc()).filter(legal).collect();
        Ok(Box::new(ConstScorer::new(Listed { docs, at: 0 }, 0.0)))
    }

    fn explain(&self, _reader: &SegmentReader, _doc: DocId) -> tantivy::Result<Explanation> {
        Ok(Explanation::new("allowed by the filter", 0.0))
    }
}

/// The passages that another query finds, found at once and all of the same score: tantivy's phrases cannot be sought
/// in every order that an intersection seeks them in.
#[derive(Clone, Debug)]
struct Standing(Arc<dyn Query>);

impl Query for Standing {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(StandingWeight(self.0.weight(scoring)?)))
    }
}

struct StandingWeight(Box<dyn Weight>);

impl Weight for StandingWeight {
    fn scorer(&self, reader: &SegmentReader, _boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let mut docs = Vec::new();
        self.0.for_each_no_score(reader, &mut |some| docs.extend_from_slice(some))?;
        Ok(Box::new(ConstScorer::new(Listed { docs, at: 0 }, 0.0)))
    }

    fn explain(&self, reader: &SegmentReader, doc: DocId) -> tantivy::Result<Explanation> {
        self.0.explain(reader, doc)
    }
}

/// Documents in the order of their numbers.
struct Listed {
    docs: Vec<DocId>,
    at: usize,
}

impl DocSet for Listed {
    fn advance(&mut self) -> DocId {
        self.at += 1;
        self.doc()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        let rest = self.docs.get(self.at..).unwrap_or_default();
        self.at += rest.partition_point(|doc| *doc < target);
        self.doc()
    }

    fn doc(&self) -> DocId {
        self.docs.get(self.at).copied().unwrap_or(TERMINATED)
    }

    fn size_hint(&self) -> u32 {
        self.docs.len() as u32
    }
}
