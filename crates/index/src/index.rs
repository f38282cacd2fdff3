//! One index: catalog, words and vectors together, as far as a position in the library's log of changes.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError, RwLock, RwLockReadGuard},
};

use ibid_domain::{RevisionId, SearchFilter, SourceId, TenantId, Word, WordQuery};
use serde::{Deserialize, Serialize};

use crate::{
    IndexError, Result,
    catalog::{AllowedPassages, IndexHit, IndexedRevision, PassageCatalog, SourceFacets},
    journal::Journal,
    partition_file,
    passages::{CommitPoint, WordIndex, WordSearchResult},
    vectors::{QuantizedVector, VectorIndex, VectorPartition},
    words,
};

/// Something that changed in the library.
#[derive(Clone, Debug)]
pub enum IndexChange {
    /// The text of a revision was extracted.
    Revised {
        /// The revision and its passage numbers.
        revised: IndexedRevision,
        /// Passages of the revision, in order.
        texts: Vec<PassageText>,
    },
    /// Embeddings of passages were computed.
    Embedded {
        revision: RevisionId,
        /// The number of each passage, and its vector.
        vectors: Vec<(i64, Vec<f32>)>,
    },
    /// Something is said of a source that was not said before.
    Described {
        source: SourceId,
        /// New properties of the source that a filter can test.
        about: SourceFacets,
        /// Current revision of the source; `None` if it has none.
        standing: Option<RevisionId>,
        /// The passages of those revisions that [`Index::stale_revisions`] names, in order.
        stale: Vec<(RevisionId, Vec<PassageText>)>,
    },
    /// A source was deleted from the library.
    Removed { source: SourceId },
    /// Vectors of another space are compared from now on; those of the old one are forgotten.
    Space {
        /// Database id of the embedding space.
        space: i64,
        /// Number of components of its vectors.
        dimension: usize,
    },
}

/// A passage as it is indexed.
#[derive(Clone, Debug)]
pub struct PassageText {
    /// Title and headings above it.
    pub heading: String,
    /// Text of the passage, without its headings.
    pub content: String,
}

/// Reads and writes bytes at once. One by one, as lists are, they take most of the time of opening an index; on disk both
/// look the same.
mod plain_bytes {
    use serde::{Deserializer, Serializer, de::Visitor};

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        deserializer.deserialize_bytes(ByteVisitor)
    }

    struct ByteVisitor;

    impl Visitor<'_> for ByteVisitor {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }
}

/// The same for signed bytes.
mod signed_bytes {
    use serde::{Deserializer, Serializer};

    use super::plain_bytes;

    pub fn serialize<S: Serializer>(bytes: &[i8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&bytes.iter().map(|byte| byte.cast_unsigned()).collect::<Vec<_>>())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i8>, D::Error> {
        Ok(plain_bytes::deserialize(deserializer)?.into_iter().map(u8::cast_signed).collect())
    }
}

/// Entry of the journal, as serialized to disk.
#[derive(Serialize, Deserialize)]
enum JournalRecord {
    Revised(IndexedRevision),
    Described(SourceId, SourceFacets, Option<RevisionId>),
    Removed(SourceId),
    Space(i64, u32),
    Vector {
        slot: u32,
        step: f32,
        #[serde(with = "signed_bytes")]
        high: Vec<i8>,
        #[serde(with = "plain_bytes")]
        low: Vec<u8>,
    },
    Position(i64),
}

impl JournalRecord {
    /// True if words were written, removed or written anew with it.
    fn has_words(&self) -> bool {
        matches!(self, Self::Revised(_) | Self::Described(..) | Self::Removed(_))
    }
}

/// The part of the index held in memory: the catalog and the vectors.
#[derive(Debug)]
struct LoadedIndex {
    catalog: PassageCatalog,
    vectors: Option<VectorIndex>,
    space: i64,
    position: i64,
}

impl LoadedIndex {
    fn apply_record(&mut self, record: JournalRecord) {
        match record {
            JournalRecord::Revised(revised) => drop(self.catalog.add(&revised)),
            JournalRecord::Described(source, about, standing) => self.catalog.update_source(source, &about, standing),
            JournalRecord::Removed(source) => drop(self.catalog.remove_source(source)),
            JournalRecord::Space(space, dimension) => {
                (self.space, self.vectors) = (space, Some(VectorIndex::new(dimension as usize)));
            }
            JournalRecord::Vector { slot, step, high, low } => {
                if let Some(vectors) = &mut self.vectors {
                    vectors.set(slot, &QuantizedVector { step, high, low });
                }
            }
            JournalRecord::Position(position) => self.position = position,
        }
    }
}

/// The search index of a library. One process at a time keeps it up to date; any number read it.
pub struct Index {
    folder: PathBuf,
    shelf: RwLock<LoadedIndex>,
    passages: WordIndex,
    journal: Mutex<Journal>,
    /// Lock file, held only by the process that writes the index.
    lock: Option<File>,
}

/// Decodes a batch of the journal into records.
fn decode_records(batch: &[u8]) -> std::io::Result<Vec<JournalRecord>> {
    postcard::from_bytes(batch).map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error.to_string()))
}

#[cfg(test)]
mod journal_record_tests {
    use super::*;

    /// The same record with lists, as the journal was written at first.
    #[derive(Serialize)]
    enum ListedRecord {
        #[expect(dead_code, reason = "stands for the variants before")]
        Before0,
        #[expect(dead_code, reason = "stands for the variants before")]
        Before1,
        #[expect(dead_code, reason = "stands for the variants before")]
        Before2,
        #[expect(dead_code, reason = "stands for the variants before")]
        Before3,
        Vector {
            slot: u32,
            step: f32,
            high: Vec<i8>,
            low: Vec<u8>,
        },
    }

    #[test]
    fn bytes_are_read_as_lists_were_written() {
        let (high, low) = (vec![-128, -1, 0, 1, 127], vec![0, 1, 127, 128, 255]);
        let listed = ListedRecord::Vector { slot: 300, step: 0.5, high: high.clone(), low: low.clone() };
        let written = postcard::to_stdvec(&vec![listed]).unwrap();
        let read = decode_records(&written).unwrap();
        let [JournalRecord::Vector { slot: 300, step: 0.5, high: found_high, low: found_low }] = &read[..] else {
            panic!("another record");
        };
        assert_eq!((found_high, found_low), (&high, &low));
        assert_eq!(postcard::to_stdvec(&read).unwrap(), written);
    }
}

/// Returns the words of a passage for indexing; its title and headings count as part of it.
pub fn passage_words(text: &PassageText, language: Option<&str>) -> Vec<Word> {
    let mut found = Vec::new();
    let next = words::append_words(&text.heading, language, 0, &mut found);
    // A phrase does not reach from the title into the text.
    words::append_words(&text.content, language, next + 1, &mut found);
    found
}

impl Index {
    /// Opens the index in a folder. `write` asks to keep it up to date, which only one process can: whether this is
    /// the one, [`Index::is_kept_here`] says. What is damaged or of another version is made anew, empty.
    pub fn open(folder: &Path, write: bool) -> Result<Self> {
        if write {
            std::fs::create_dir_all(folder)?;
        }
        let lock = if write {
            let lock = File::create(folder.join("lock"))?;
            lock.try_lock().is_ok().then_some(lock)
        } else {
            None
        };
        let write = lock.is_some();
        match Self::load_folder(folder, write) {
            Ok((shelf, journal, passages)) => Ok(Self::from_parts(folder, shelf, journal, passages, lock)),
            Err(error) if write => {
                let (shelf, journal, passages) = Self::load_after_damage(folder, &error)?;
                Ok(Self::from_parts(folder, shelf, journal, passages, lock))
            }
            Err(error) => Err(error),
        }
    }

    /// Goes back to the state that was synced last, if that can be read, or begins anew.
    fn load_after_damage(folder: &Path, error: &IndexError) -> Result<(LoadedIndex, Journal, WordIndex)> {
        let restored = match WordIndex::restore(&folder.join("words")) {
            Ok(true) => Self::load_folder(folder, true).ok(),
            Ok(false) | Err(_) => None,
        };
        if let Some(restored) = restored {
            tracing::warn!(%error, position = restored.0.position, "the search index goes back to an earlier state");
            return Ok(restored);
        }
        tracing::warn!(%error, "the search index cannot be read; it is made anew");
        Self::wipe_folder(folder)?;
        Self::load_folder(folder, true)
    }

    fn from_parts(
        folder: &Path,
        shelf: LoadedIndex,
        journal: Journal,
        passages: WordIndex,
        lock: Option<File>,
    ) -> Self {
        Self { folder: folder.to_owned(), shelf: RwLock::new(shelf), passages, journal: Mutex::new(journal), lock }
    }

    fn load_folder(folder: &Path, write: bool) -> Result<(LoadedIndex, Journal, WordIndex)> {
        let mut shelf = LoadedIndex { catalog: PassageCatalog::new(), vectors: None, space: 0, position: 0 };
        let (passages, words) = WordIndex::open(&folder.join("words"), write)?;
        // The journal is written before the words. From the first batch on whose words are not there, it is cut off and
        // taken over again from the log of changes, so that both tell the same. Words beyond the journal tell of a
        // journal that was lost. A reader sees one that goes on growing, and earlier versions did not keep its length.
        let mut has_batch_at_words = words.journal_bytes == 0;
        let journal = Journal::open(&folder.join("journal"), write, |at, batch| {
            let records = decode_records(batch)?;
            has_batch_at_words |= at == words.journal_bytes;
            let is_beyond = write && words.journal_bytes > 0 && at >= words.journal_bytes;
            if is_beyond && records.iter().any(JournalRecord::has_words) {
                return Ok(false);
            }
            records.into_iter().for_each(|record| shelf.apply_record(record));
            Ok(true)
        })?;
        has_batch_at_words |= journal.bytes() == words.journal_bytes;
        if words.position > shelf.position || !has_batch_at_words {
            let (position, bytes) = (shelf.position, journal.bytes());
            return Err(IndexError::Damaged(format!("words stand at {words:?}, the journal at {position}, {bytes}")));
        }
        if let Some(vectors) = &mut shelf.vectors {
            partition_file::read_partition(folder, shelf.space, vectors);
        }
        shelf.position = words.position;
        Ok((shelf, journal, passages))
    }

    /// Removes everything of an index that nobody has open.
    fn wipe_folder(folder: &Path) -> Result<()> {
        for name in ["journal", "words", "division"] {
            let path = folder.join(name);
            let removed = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
            if let Err(error) = removed
                && error.kind() != std::io::ErrorKind::NotFound
            {
                return Err(error.into());
            }
        }
        // What is made anew must not meet what was there before, after a power cut.
        Ok(File::open(folder)?.sync_all()?)
    }

    /// Forgets everything, so that it is made anew from the library. Only where it is kept up to date.
    pub fn rebuild(self) -> Result<Self> {
        let folder = self.folder.clone();
        if self.lock.is_none() {
            return Err(IndexError::Busy);
        }
        drop(self);
        let lock = File::create(folder.join("lock"))?;
        if lock.try_lock().is_err() {
            return Err(IndexError::Busy);
        }
        Self::wipe_folder(&folder)?;
        drop(lock);
        Self::open(&folder, true)
    }

    /// Returns true if this process holds the lock and writes the index.
    pub fn is_kept_here(&self) -> bool {
        self.lock.is_some()
    }

    fn loaded_index(&self) -> RwLockReadGuard<'_, LoadedIndex> {
        self.shelf.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the position in the library's change log up to which the index is complete; 0 if it is empty.
    pub fn position(&self) -> i64 {
        self.loaded_index().position
    }

    /// The space whose vectors it has, and their dimension.
    pub fn space(&self) -> Option<(i64, usize)> {
        let shelf = self.loaded_index();
        shelf.vectors.as_ref().map(|vectors| (shelf.space, vectors.dimension()))
    }

    /// Returns the number of current passages and the number of vectors.
    pub fn passage_and_vector_count(&self) -> (usize, usize) {
        let shelf = self.loaded_index();
        (shelf.catalog.current_count(), shelf.vectors.as_ref().map_or(0, VectorIndex::len))
    }

    /// The languages of its passages, most spoken first.
    pub fn languages(&self) -> Vec<String> {
        self.loaded_index().catalog.languages()
    }

    /// The revisions of a source whose words are to be written anew if it is described so.
    pub fn stale_revisions(
        &self,
        source: SourceId,
        about: &SourceFacets,
        standing: Option<RevisionId>,
    ) -> Vec<RevisionId> {
        self.loaded_index().catalog.stale_revisions(source, about, standing)
    }

    /// Takes changes over, as far as `position` in the log. When this returns, they are found.
    pub fn apply_changes(&self, changes: Vec<IndexChange>, position: i64) -> Result<()> {
        if self.lock.is_none() {
            return Err(IndexError::Busy);
        }
        let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        let mut records = Vec::new();
        let mut changed_words = false;
        for change in changes {
            match change {
                IndexChange::Revised { revised, texts } => {
                    let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
                    let (first, new) = shelf.catalog.add(&revised);
                    let number = shelf.catalog.row_number(revised.revision).unwrap_or_default();
                    drop(shelf);
                    if !new {
                        // A change that is seen again, as after a crash: its words may or may not have been kept.
                        self.passages.remove_revision(number);
                    }
                    self.write_words(revised.about.language(), number, first, revised.current, texts)?;
                    records.push(JournalRecord::Revised(revised));
                    changed_words = true;
                }
                IndexChange::Embedded { revision, vectors } => {
                    let shelf = self.loaded_index();
                    let slots: Vec<_> = vectors.iter().map(|(seq, _)| shelf.catalog.slot_of(revision, *seq)).collect();
                    drop(shelf);
                    for (slot, (_, vector)) in slots.into_iter().zip(&vectors) {
                        if let (Some(slot), Some(packed)) = (slot, QuantizedVector::new(vector)) {
                            let QuantizedVector { step, high, low } = packed;
                            records.push(JournalRecord::Vector { slot, step, high, low });
                        }
                    }
                }
                IndexChange::Described { source, about, standing, stale } => {
                    let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
                    shelf.catalog.update_source(source, &about, standing);
                    let numbers: Vec<_> = stale
                        .iter()
                        .map(|(id, _)| shelf.catalog.row_number(*id).zip(shelf.catalog.first_slot_of(*id)))
                        .collect();
                    let language: Vec<_> =
                        stale.iter().map(|(id, _)| shelf.catalog.language_of(*id).map(str::to_owned)).collect();
                    drop(shelf);
                    for (((_, texts), found), language) in stale.into_iter().zip(numbers).zip(language) {
                        let Some((number, (first, current))) = found else { continue };
                        self.passages.remove_revision(number);
                        self.write_words(language.as_deref(), number, first, current, texts)?;
                        changed_words = true;
                    }
                    records.push(JournalRecord::Described(source, about, standing));
                }
                IndexChange::Removed { source } => {
                    let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
                    let revisions = shelf.catalog.remove_source(source);
                    let numbers: Vec<_> = revisions.iter().filter_map(|id| shelf.catalog.row_number(*id)).collect();
                    drop(shelf);
                    for number in numbers {
                        self.passages.remove_revision(number);
                        changed_words = true;
                    }
                    records.push(JournalRecord::Removed(source));
                }
                IndexChange::Space { space, dimension } => {
                    records.push(JournalRecord::Space(space, u32::try_from(dimension).unwrap_or(0)));
                }
            }
        }
        records.push(JournalRecord::Position(position));
        let bytes = postcard::to_stdvec(&records).map_err(|error| IndexError::Damaged(error.to_string()))?;
        journal.append(&bytes)?;
        if changed_words {
            self.passages.commit(CommitPoint { position, journal_bytes: journal.bytes() })?;
        }
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        for record in records {
            // The catalog knows already.
            if matches!(record, JournalRecord::Space(..) | JournalRecord::Vector { .. } | JournalRecord::Position(_)) {
                shelf.apply_record(record);
            }
        }
        Ok(())
    }

    fn write_words(
        &self,
        language: Option<&str>,
        number: u32,
        first: u32,
        current: bool,
        texts: Vec<PassageText>,
    ) -> Result<()> {
        for (slot, text) in (first..).zip(&texts) {
            self.passages.add_passage(number, slot, current, passage_words(text, language))?;
        }
        Ok(())
    }

    /// Returns true if the vectors have grown enough that they should be partitioned again.
    pub fn is_partition_due(&self) -> bool {
        self.loaded_index().vectors.as_ref().is_some_and(VectorIndex::is_partition_due)
    }

    /// Divides the vectors, so that a search looks only at those around its query. Takes seconds where there are many;
    /// searches and changes go on meanwhile.
    pub fn partition_vectors(&self) -> Result<()> {
        let space = {
            let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
            match &mut shelf.vectors {
                Some(vectors) if vectors.is_partition_due() => vectors.begin_partition(),
                _ => return Ok(()),
            }
            shelf.space
        };
        // Vectors of another space may take their place at any time.
        let with = |look: &mut dyn FnMut(&VectorIndex) -> bool| {
            let shelf = self.loaded_index();
            shelf.space == space && shelf.vectors.as_ref().is_some_and(look)
        };
        let mut sampled = None;
        with(&mut |vectors| {
            sampled = Some((vectors.dimension(), vectors.sample_vectors(), vectors.len()));
            true
        });
        let Some((dimension, sample, count)) = sampled else { return Ok(()) };
        let mut division = VectorPartition::train_on(dimension, &sample, count);
        drop(sample);
        while with(&mut |vectors| vectors.partition_more(&mut division)) {}
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        if shelf.space == space
            && let Some(vectors) = &mut shelf.vectors
        {
            vectors.apply_partition(division);
        }
        drop(shelf);
        let shelf = self.loaded_index();
        let Some(vectors) = shelf.vectors.as_ref().filter(|_| self.lock.is_some()) else { return Ok(()) };
        partition_file::write_partition(&self.folder, shelf.space, vectors)
    }

    /// Makes what was taken over survive a crash of the machine, and says as far as which position. Does nothing if
    /// nothing changed since it was called last.
    pub fn sync(&self) -> Result<i64> {
        if self.lock.is_none() {
            return Err(IndexError::Busy);
        }
        let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        let position = self.position();
        if journal.is_unsynced() {
            self.passages.commit(CommitPoint { position, journal_bytes: journal.bytes() })?;
            // The words rely on the journal, so it is the first to be durable.
            journal.sync()?;
            File::open(&self.folder)?.sync_all()?;
        }
        if self.passages.is_unsynced() {
            self.passages.sync()?;
        }
        Ok(position)
    }

    /// Takes over what the process that keeps the index has written since, where this is another one.
    pub fn follow_writer(&self) -> Result<()> {
        if self.lock.is_some() {
            return Ok(());
        }
        let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        let more = journal.read_new_batches(|batch| {
            decode_records(batch)?.into_iter().for_each(|record| shelf.apply_record(record));
            Ok(())
        })?;
        if more {
            drop(shelf);
            self.passages.reload()?;
        }
        Ok(())
    }

    /// Returns true if no process writes the index, so that opening it again may acquire the lock.
    pub fn is_left_alone(&self) -> bool {
        let free = || File::create(self.folder.join("lock")).is_ok_and(|lock| lock.try_lock().is_ok());
        self.lock.is_none() && free()
    }

    /// Returns the passages that match a filter.
    pub fn allowed_passages(
        &self,
        tenant: TenantId,
        filter: &SearchFilter,
        revisions: Option<&[RevisionId]>,
    ) -> AllowedPassages {
        self.loaded_index().catalog.allowed_passages(tenant, filter, revisions)
    }

    /// The best passages by their words, best first; and the scores of others, by their slots, in their order.
    pub fn search_words(
        &self,
        query: &WordQuery,
        allowed: &AllowedPassages,
        earlier: bool,
        count: usize,
        others: &[u32],
    ) -> Result<(Vec<IndexHit>, Vec<f32>)> {
        let bits = match allowed {
            AllowedPassages::All => None,
            AllowedPassages::Some(_, 0) => return Ok((Vec::new(), vec![0.0; others.len()])),
            AllowedPassages::Some(bits, _) => Some(bits.as_slice()),
        };
        let WordSearchResult { best, others } = self.passages.search(query, bits, earlier, count, others)?;
        let shelf = self.loaded_index();
        Ok((best.into_iter().filter_map(|(slot, score)| shelf.catalog.hit_at(slot, score)).collect(), others))
    }

    /// The nearest passages to a vector, best first.
    pub fn nearest_passages(&self, vector: &[f32], allowed: &AllowedPassages, count: usize) -> Vec<IndexHit> {
        let shelf = self.loaded_index();
        let Some(vectors) = &shelf.vectors else { return Vec::new() };
        let bits = match allowed {
            AllowedPassages::All => shelf.catalog.current_bits(),
            AllowedPassages::Some(bits, many) => Some((bits.as_slice(), *many)),
        };
        let found = vectors.nearest_slots(vector, bits, count);
        found.into_iter().filter_map(|(slot, score)| shelf.catalog.hit_at(slot, score)).collect()
    }

    /// Returns the cosine similarity of passages to a vector; `None` for a passage without a vector.
    pub fn similarities(&self, vector: &[f32], slots: &[u32]) -> Vec<Option<f32>> {
        match &self.loaded_index().vectors {
            Some(vectors) => vectors.similarities(vector, slots),
            None => vec![None; slots.len()],
        }
    }
}

#[cfg(test)]
mod tests {
    use ibid_domain::{Origin, SourceType, Timestamp};
    use uuid::Uuid;

    use super::*;

    fn vector(seed: u64) -> Vec<f32> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
        };
        (0..192).map(|_| next()).collect()
    }

    #[test]
    fn a_division_is_kept_and_what_is_found_does_not_depend_on_it() {
        let folder = tempfile::tempdir().unwrap();
        let tenant = TenantId::from(Uuid::from_u128(1));
        let index = Index::open(folder.path(), true).unwrap();
        let time = Timestamp::from_micros(0);
        let mut changes = vec![IndexChange::Space { space: 7, dimension: 192 }];
        let mut embedded = Vec::new();
        for seq in 1..=9_000_i64 {
            let revision = RevisionId::from(Uuid::from_u128(1_000_000 + seq as u128));
            let about = SourceFacets::new(SourceType::KnowledgeBase, Origin::Database, None, time, "Title");
            let source = SourceId::from(Uuid::from_u128(seq as u128));
            let revised = IndexedRevision { tenant, source, revision, first_seq: seq, count: 1, current: true, about };
            let text = PassageText { heading: String::new(), content: format!("word{seq}") };
            changes.push(IndexChange::Revised { revised, texts: vec![text] });
            embedded.push(IndexChange::Embedded { revision, vectors: vec![(seq, vector(seq as u64))] });
        }
        index.apply_changes(changes, 1).unwrap();
        index.apply_changes(embedded, 2).unwrap();
        let nearest = |index: &Index| -> Vec<i64> {
            let asked = (100..200).map(|seed| index.nearest_passages(&vector(seed), &AllowedPassages::All, 1)[0].seq);
            asked.collect()
        };
        let expected: Vec<i64> = (100..200).collect();
        assert_eq!(nearest(&index), expected);
        assert!(index.is_partition_due());
        index.partition_vectors().unwrap();
        assert!(!index.is_partition_due());
        assert_eq!(nearest(&index), expected);
        // What comes later is found among the others, in their lists.
        let revision = RevisionId::from(Uuid::from_u128(1_000_001));
        index.apply_changes(vec![IndexChange::Embedded { revision, vectors: vec![(1, vector(77_777))] }], 3).unwrap();
        assert_eq!(index.nearest_passages(&vector(77_777), &AllowedPassages::All, 1)[0].seq, 1);
        drop(index);
        let index = Index::open(folder.path(), true).unwrap();
        assert!(!index.is_partition_due(), "it was kept");
        assert_eq!(nearest(&index), expected);
        assert_eq!(index.nearest_passages(&vector(77_777), &AllowedPassages::All, 1)[0].seq, 1);
        drop(index);
        let path = folder.path().join("division");
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[100] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let index = Index::open(folder.path(), true).unwrap();
        assert!(index.is_partition_due(), "it is damaged, so it does not count");
        assert_eq!(nearest(&index), expected);
    }
}
