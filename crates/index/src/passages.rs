//! The words of passages: which passages have those of a query, by BM25.
//!
//! A passage is a document of tantivy's with its words as one field, its slot, and the number of its revision, by which
//! it is deleted. Passages of earlier revisions have their words in a field of their own, so that they are found only
//! when an earlier state of the library is asked for, and weigh nothing otherwise.

use std::{
    collections::HashMap,
    fmt::Write,
    path::Path,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use ibid_domain::{Word, WordQuery};
use tantivy::{
    DocId, Index, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, SegmentReader, TantivyDocument,
    Term,
    index::{InvertedIndexReader, SegmentId},
    indexer::LogMergePolicy,
    postings::TermInfo,
    schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions},
    tokenizer::{Token, TokenStream, Tokenizer},
};

use crate::{
    IndexError, Result,
    scoring::{self, ScoreRatios},
    top_k::compare_scores,
    word_folder::WordFolder,
};

/// Memory in bytes that the writer uses before it flushes a segment.
const BUDGET: usize = 96 * 1024 * 1024;

/// Maximum number of terms whose postings are cached.
const KNOWN: usize = 20_000;

#[derive(Clone, Copy, Debug)]
struct WordFields {
    words: Field,
    earlier: Field,
    slot: Field,
    revision: Field,
}

/// Full-text index of all passages, stored with tantivy.
pub(crate) struct WordIndex {
    fields: WordFields,
    reader: IndexReader,
    view: RwLock<Arc<WordIndexView>>,
    writer: Option<Mutex<IndexWriter>>,
    folder: WordFolder,
}

/// How far the words have come when they were committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommitPoint {
    /// Position in the library's log of changes.
    pub(crate) position: i64,
    /// Bytes that the journal had; it is written before the words. A shorter journal has lost what they rely on.
    pub(crate) journal_bytes: u64,
}

impl CommitPoint {
    /// As tantivy keeps it with a commit. Earlier versions kept the position alone.
    fn parse(payload: &str) -> Option<Self> {
        let (position, journal_bytes) = payload.split_once(' ').unwrap_or((payload, "0"));
        Some(Self { position: position.parse().ok()?, journal_bytes: journal_bytes.parse().ok()? })
    }

    fn to_payload(self) -> String {
        format!("{} {}", self.position, self.journal_bytes)
    }
}

/// Result of a word search: the best slots, and the scores of requested slots.
pub(crate) struct WordSearchResult {
    /// The best slots with their scores, best first.
    pub(crate) best: Vec<(u32, f32)>,
    /// The scores of others that were asked for, in their order.
    pub(crate) others: Vec<f32>,
}

/// One state of the index, with what every query needs at hand.
pub(crate) struct WordIndexView {
    pub(crate) searcher: Searcher,
    pub(crate) parts: Vec<Arc<SegmentCache>>,
    /// BM25 ratios of each word field.
    ratios: HashMap<Field, Arc<ScoreRatios>>,
    /// Words that were looked for.
    known: Mutex<HashMap<Term, Arc<TermPostings>>>,
}

/// The postings of a word, in each segment that has it.
pub(crate) struct TermPostings {
    pub(crate) parts: Vec<Option<SegmentPostings>>,
    /// Number of documents that contain the term.
    pub(crate) documents: u32,
}

pub(crate) struct SegmentPostings {
    pub(crate) at: TermInfo,
    /// The most that the word counts for in any document.
    pub(crate) most: f32,
}

/// Slots and postings of one segment, cached for queries.
pub(crate) struct SegmentCache {
    segment: SegmentId,
    /// The slots of its documents.
    pub(crate) slots: Vec<u32>,
    /// Documents in the order of their slots, where they do not stand so anyway.
    order: Option<Vec<DocId>>,
    /// Postings and lengths of documents, in each field of words.
    pub(crate) fields: HashMap<Field, SegmentField>,
}

pub(crate) struct SegmentField {
    pub(crate) postings: Arc<InvertedIndexReader>,
    /// The length of each document, in tantivy's code of one byte.
    pub(crate) lengths: Vec<u8>,
}

impl WordIndexView {
    /// `before` has the parts that are still the same.
    fn new(searcher: Searcher, fields: WordFields, before: &[Arc<SegmentCache>]) -> Result<Arc<Self>> {
        let mut parts = Vec::new();
        for reader in searcher.segment_readers() {
            let known = before.iter().find(|part| part.segment == reader.segment_id());
            parts.push(known.map_or_else(|| SegmentCache::new(reader, fields).map(Arc::new), |part| Ok(part.clone()))?);
        }
        let ratios = [fields.words, fields.earlier].map(|field| (field, Arc::new(ScoreRatios::new(&parts, field))));
        Ok(Arc::new(Self { searcher, parts, ratios: HashMap::from(ratios), known: Mutex::default() }))
    }

    /// Returns the BM25 ratios of a field.
    pub(crate) fn score_ratios(&self, field: Field) -> Arc<ScoreRatios> {
        self.ratios.get(&field).cloned().unwrap_or_else(|| Arc::new(ScoreRatios::new(&self.parts, field)))
    }

    /// Returns the postings of a term, from the cache if possible.
    pub(crate) fn term_postings(&self, term: Term) -> Result<Arc<TermPostings>> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&term) {
            return Ok(found.clone());
        }
        let ratios = self.score_ratios(term.field());
        let mut posted = TermPostings { parts: Vec::with_capacity(self.parts.len()), documents: 0 };
        for part in &self.parts {
            let of = part.fields.get(&term.field());
            let at = of.map_or(Ok(None), |of| of.postings.get_term_info(&term))?;
            posted.documents += at.as_ref().map_or(0, |at| at.doc_freq);
            posted.parts.push(match of.zip(at) {
                Some((of, at)) => Some(SegmentPostings { most: scoring::max_ratio(of, &at, &ratios)?, at }),
                None => None,
            });
        }
        let posted = Arc::new(posted);
        let mut known = known();
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(term, posted.clone());
        Ok(posted)
    }
}

impl SegmentCache {
    fn new(reader: &SegmentReader, fields: WordFields) -> Result<Self> {
        let column = reader.fast_fields().u64("slot")?.first_or_default_col(0);
        let slots: Vec<u32> = (0..reader.max_doc()).map(|doc| column.get_val(doc) as u32).collect();
        let order = (!slots.is_sorted()).then(|| {
            let mut order: Vec<DocId> = (0..reader.max_doc()).collect();
            order.sort_by_key(|doc| slots[*doc as usize]);
            order
        });
        let mut of = HashMap::new();
        for field in [fields.words, fields.earlier] {
            let lengths = reader.get_fieldnorms_reader(field)?;
            let lengths = (0..reader.max_doc()).map(|doc| lengths.fieldnorm_id(doc)).collect();
            of.insert(field, SegmentField { postings: reader.inverted_index(field)?, lengths });
        }
        Ok(Self { segment: reader.segment_id(), slots, order, fields: of })
    }

    /// The document of a slot that is not deleted, if it stands in this part.
    pub(crate) fn document_of(&self, reader: &SegmentReader, slot: u32) -> Option<DocId> {
        let at = |place: usize| self.order.as_ref().map_or(place as DocId, |order| order[place]);
        let (mut low, mut high) = (0, self.slots.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.slots[at(middle) as usize] < slot {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // A passage that was written anew stands here twice until the deleted one is merged away.
        (low..self.slots.len())
            .map(at)
            .take_while(|doc| self.slots[*doc as usize] == slot)
            .find(|doc| reader.alive_bitset().is_none_or(|alive| alive.is_alive(*doc)))
    }
}

/// The words of a passage as they are handed to tantivy: a line each, first its place.
#[derive(Clone, Default)]
struct LineTokenizer(Token);

/// Name under which the tokenizer is registered with tantivy; part of the stored schema.
const WRITTEN: &str = "written";

struct LineTokenStream<'a> {
    lines: std::str::Lines<'a>,
    token: &'a mut Token,
}

impl Tokenizer for LineTokenizer {
    type TokenStream<'a> = LineTokenStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> LineTokenStream<'a> {
        self.0.reset();
        LineTokenStream { lines: text.lines(), token: &mut self.0 }
    }
}

impl TokenStream for LineTokenStream<'_> {
    fn advance(&mut self) -> bool {
        let Some((place, form)) = self.lines.next().and_then(|line| line.split_once(' ')) else { return false };
        self.token.position = place.parse().unwrap_or_default();
        self.token.text.clear();
        self.token.text.push_str(form);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

fn build_schema() -> (Schema, WordFields) {
    let mut schema = Schema::builder();
    let indexing =
        TextFieldIndexing::default().set_tokenizer(WRITTEN).set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let words = TextOptions::default().set_indexing_options(indexing);
    let fields = WordFields {
        words: schema.add_text_field("words", words.clone()),
        earlier: schema.add_text_field("earlier", words),
        slot: schema.add_u64_field("slot", FAST),
        revision: schema.add_u64_field("revision", INDEXED),
    };
    (schema.build(), fields)
}

impl WordIndex {
    /// Opens the words in a folder, made if it is to be written and is not there. Says how far they have come. What a
    /// power cut may have torn is verified by its checksum if it is to be written.
    pub(crate) fn open(folder: &Path, write: bool) -> Result<(Self, CommitPoint)> {
        let (schema, fields) = build_schema();
        if write {
            std::fs::create_dir_all(folder)?;
        }
        let folder = WordFolder::open(folder, write)?;
        let index = if write {
            let unsynced = folder.unsynced_files()?;
            let index =
                Index::builder().schema(schema).settings(IndexSettings::default()).open_or_create(folder.clone())?;
            for path in unsynced {
                let whole = index.directory().validate_checksum(&path).map_err(tantivy::TantivyError::from)?;
                if !whole {
                    return Err(IndexError::Damaged(format!("{} has another checksum", path.display())));
                }
            }
            index
        } else {
            Index::open(folder.clone())?
        };
        index.tokenizers().register(WRITTEN, LineTokenizer::default());
        let point = index.load_metas()?.payload.and_then(|payload| CommitPoint::parse(&payload)).unwrap_or_default();
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
        let view = RwLock::new(WordIndexView::new(reader.searcher(), fields, &[])?);
        Ok((Self { fields, reader, view, writer, folder }, point))
    }

    /// Goes back to the state that was synced last, in a folder that nobody has open; false if there is none.
    pub(crate) fn restore(folder: &Path) -> Result<bool> {
        WordFolder::restore(folder)
    }

    /// True if something changed since the last [`WordIndex::sync`].
    pub(crate) fn is_unsynced(&self) -> bool {
        self.folder.is_unsynced()
    }

    /// Makes what was committed survive a power cut.
    pub(crate) fn sync(&self) -> Result<()> {
        self.folder.sync()
    }

    /// Adds a passage. It is found after the next commit.
    pub(crate) fn add_passage(&self, revision: u32, slot: u32, current: bool, words: Vec<Word>) -> Result<()> {
        let Some(writer) = &self.writer else { return Ok(()) };
        let mut written = String::with_capacity(words.len() * 12);
        for word in &words {
            // Writing to a string cannot fail.
            let _ = writeln!(written, "{} {}", word.place, word.form);
        }
        let mut document = TantivyDocument::new();
        document.add_text(if current { self.fields.words } else { self.fields.earlier }, written);
        document.add_u64(self.fields.slot, slot.into());
        document.add_u64(self.fields.revision, revision.into());
        writer.lock().unwrap_or_else(PoisonError::into_inner).add_document(document)?;
        Ok(())
    }

    /// Removes the passages of a revision that were added before.
    pub(crate) fn remove_revision(&self, revision: u32) {
        let Some(writer) = &self.writer else { return };
        let term = Term::from_field_u64(self.fields.revision, revision.into());
        writer.lock().unwrap_or_else(PoisonError::into_inner).delete_term(term);
    }

    /// Makes what was added findable, and remembers how far that is. It survives the end of the program; a power cut
    /// only after [`WordIndex::sync`].
    pub(crate) fn commit(&self, point: CommitPoint) -> Result<()> {
        let Some(writer) = &self.writer else { return Ok(()) };
        let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut prepared = writer.prepare_commit()?;
        prepared.set_payload(&point.to_payload());
        prepared.commit()?;
        drop(writer);
        self.reload()
    }

    /// Looks at the newest state there is.
    pub(crate) fn reload(&self) -> Result<()> {
        self.reader.reload()?;
        let before = self.view();
        let view = WordIndexView::new(self.reader.searcher(), self.fields, &before.parts)?;
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = view;
        Ok(())
    }

    pub(crate) fn view(&self) -> Arc<WordIndexView> {
        self.view.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The best slots for a query, and the scores of some others. `allowed` has a bit a slot; none means all that are
    /// current.
    pub(crate) fn search(
        &self,
        query: &WordQuery,
        allowed: Option<&[u64]>,
        earlier: bool,
        count: usize,
        others: &[u32],
    ) -> Result<WordSearchResult> {
        let mut scores = vec![0.0; others.len()];
        if query.is_empty() || count == 0 {
            return Ok(WordSearchResult { best: Vec::new(), others: scores });
        }
        let view = self.view();
        let mut found = scoring::search_field(&view, self.fields.words, query, allowed, count, others, &mut scores)?;
        if earlier {
            found.extend(scoring::search_field(
                &view,
                self.fields.earlier,
                query,
                allowed,
                count,
                others,
                &mut scores,
            )?);
        }
        found.sort_unstable_by(compare_scores);
        found.truncate(count);
        let best = found.into_iter().map(|(score, slot)| (slot, score)).collect();
        Ok(WordSearchResult { best, others: scores })
    }
}
