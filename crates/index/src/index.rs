//! One index: catalog, words and vectors together, as far as a position in the library's log of changes.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError, RwLock, RwLockReadGuard},
};

use ibid_domain::{RevisionId, SearchFilter, SourceId, TenantId, Word, WordQuery};
use serde::{Deserialize, Serialize};

use crate::{
    Error, Result,
    catalog::{About, Allowed, Catalog, Hit, Revised},
    divisions,
    journal::Journal,
    passages::{Passages, Scored},
    vectors::{Division, Packed, Vectors},
    words,
};

/// Something that changed in the library.
#[derive(Clone, Debug)]
pub enum Change {
    /// A revision was read.
    Revised {
        /// The revision.
        revised: Revised,
        /// Its passages, in order.
        texts: Vec<Text>,
    },
    /// Passages have vectors.
    Embedded {
        /// Of this revision.
        revision: RevisionId,
        /// The number of each passage, and its vector.
        vectors: Vec<(i64, Vec<f32>)>,
    },
    /// Something is said of a source that was not said before.
    Described {
        /// The source.
        source: SourceId,
        /// What a filter asks.
        about: About,
        /// The revision it stands at.
        standing: Option<RevisionId>,
        /// The passages of those revisions that [`Index::stale`] names, in order.
        stale: Vec<(RevisionId, Vec<Text>)>,
    },
    /// A source is gone.
    Removed {
        /// The source.
        source: SourceId,
    },
    /// Vectors of another space are compared from now on; those of the old one are forgotten.
    Space {
        /// The space.
        space: i64,
        /// How many numbers its vectors have.
        dimension: usize,
    },
}

/// A passage as it is indexed.
#[derive(Clone, Debug)]
pub struct Text {
    /// Title and headings above it.
    pub heading: String,
    /// Its words.
    pub content: String,
}

/// What the journal remembers.
#[derive(Serialize, Deserialize)]
enum Record {
    Revised(Revised),
    Described(SourceId, About, Option<RevisionId>),
    Removed(SourceId),
    Space(i64, u32),
    Vector { slot: u32, step: f32, high: Vec<i8>, low: Vec<u8> },
    Position(i64),
}

/// What is in memory.
#[derive(Debug)]
struct Shelf {
    catalog: Catalog,
    vectors: Option<Vectors>,
    space: i64,
    position: i64,
}

impl Shelf {
    fn take(&mut self, record: Record) {
        match record {
            Record::Revised(revised) => drop(self.catalog.add(&revised)),
            Record::Described(source, about, standing) => self.catalog.describe(source, &about, standing),
            Record::Removed(source) => drop(self.catalog.remove(source)),
            Record::Space(space, dimension) => {
                (self.space, self.vectors) = (space, Some(Vectors::new(dimension as usize)));
            }
            Record::Vector { slot, step, high, low } => {
                if let Some(vectors) = &mut self.vectors {
                    vectors.set(slot, &Packed { step, high, low });
                }
            }
            Record::Position(position) => self.position = position,
        }
    }
}

/// The search index of a library. One process at a time keeps it up to date; any number read it.
pub struct Index {
    folder: PathBuf,
    shelf: RwLock<Shelf>,
    passages: Passages,
    journal: Mutex<Journal>,
    /// What only the process that keeps it up to date has.
    lock: Option<File>,
}

/// What a batch of the journal tells.
fn records(batch: &[u8]) -> std::io::Result<Vec<Record>> {
    postcard::from_bytes(batch).map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error.to_string()))
}

/// How the words of a passage are put together: title and headings count as part of it.
pub fn passage_words(text: &Text, language: Option<&str>) -> Vec<Word> {
    let mut found = Vec::new();
    let next = words::words(&text.heading, language, 0, &mut found);
    // A phrase does not reach from the title into the text.
    words::words(&text.content, language, next + 1, &mut found);
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
        match Self::read(folder, write) {
            Ok((shelf, journal, passages)) => Ok(Self::of(folder, shelf, journal, passages, lock)),
            Err(error) if write => {
                tracing::warn!(%error, "the search index cannot be read; it is made anew");
                Self::wipe(folder)?;
                let (shelf, journal, passages) = Self::read(folder, true)?;
                Ok(Self::of(folder, shelf, journal, passages, lock))
            }
            Err(error) => Err(error),
        }
    }

    fn of(folder: &Path, shelf: Shelf, journal: Journal, passages: Passages, lock: Option<File>) -> Self {
        Self { folder: folder.to_owned(), shelf: RwLock::new(shelf), passages, journal: Mutex::new(journal), lock }
    }

    fn read(folder: &Path, write: bool) -> Result<(Shelf, Journal, Passages)> {
        let mut shelf = Shelf { catalog: Catalog::new(), vectors: None, space: 0, position: 0 };
        let journal = Journal::open(&folder.join("journal"), write, |batch| {
            records(batch)?.into_iter().for_each(|record| shelf.take(record));
            Ok(())
        })?;
        if let Some(vectors) = &mut shelf.vectors {
            divisions::read(folder, shelf.space, vectors);
        }
        let (passages, position) = Passages::open(&folder.join("words"), write)?;
        // The journal is written first. Words that stand before it are brought up by the changes between; words that
        // stand behind it tell of a journal that was lost.
        if position > shelf.position {
            return Err(Error::Damaged(format!("words stand at {position}, the journal at {}", shelf.position)));
        }
        shelf.position = position;
        Ok((shelf, journal, passages))
    }

    /// Removes everything of an index that nobody has open.
    fn wipe(folder: &Path) -> Result<()> {
        for name in ["journal", "words", "division"] {
            let path = folder.join(name);
            let removed = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
            if let Err(error) = removed
                && error.kind() != std::io::ErrorKind::NotFound
            {
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// Forgets everything, so that it is made anew from the library. Only where it is kept up to date.
    pub fn rebuild(self) -> Result<Self> {
        let folder = self.folder.clone();
        if self.lock.is_none() {
            return Err(Error::Busy);
        }
        drop(self);
        let lock = File::create(folder.join("lock"))?;
        if lock.try_lock().is_err() {
            return Err(Error::Busy);
        }
        Self::wipe(&folder)?;
        drop(lock);
        Self::open(&folder, true)
    }

    /// Whether this process keeps the index up to date.
    pub fn is_kept_here(&self) -> bool {
        self.lock.is_some()
    }

    fn shelf(&self) -> RwLockReadGuard<'_, Shelf> {
        self.shelf.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// How far in the library's log of changes it has come; 0 if it is empty.
    pub fn position(&self) -> i64 {
        self.shelf().position
    }

    /// The space whose vectors it has, and their dimension.
    pub fn space(&self) -> Option<(i64, usize)> {
        let shelf = self.shelf();
        shelf.vectors.as_ref().map(|vectors| (shelf.space, vectors.dimension()))
    }

    /// How many passages are current, and how many vectors there are.
    pub fn size(&self) -> (usize, usize) {
        let shelf = self.shelf();
        (shelf.catalog.current(), shelf.vectors.as_ref().map_or(0, Vectors::len))
    }

    /// The languages of its passages, most spoken first.
    pub fn languages(&self) -> Vec<String> {
        self.shelf().catalog.languages()
    }

    /// The revisions of a source whose words are to be written anew if it is described so.
    pub fn stale(&self, source: SourceId, about: &About, standing: Option<RevisionId>) -> Vec<RevisionId> {
        self.shelf().catalog.stale(source, about, standing)
    }

    /// Takes changes over, as far as `position` in the log. When this returns, they are found.
    pub fn apply(&self, changes: Vec<Change>, position: i64) -> Result<()> {
        if self.lock.is_none() {
            return Err(Error::Busy);
        }
        let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        let mut records = Vec::new();
        let mut changed_words = false;
        for change in changes {
            match change {
                Change::Revised { revised, texts } => {
                    let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
                    let (first, new) = shelf.catalog.add(&revised);
                    let number = shelf.catalog.number(revised.revision).unwrap_or_default();
                    drop(shelf);
                    if !new {
                        // A change that is seen again, as after a crash: its words may or may not have been kept.
                        self.passages.remove(number);
                    }
                    self.write_words(revised.about.language(), number, first, revised.current, texts)?;
                    records.push(Record::Revised(revised));
                    changed_words = true;
                }
                Change::Embedded { revision, vectors } => {
                    let shelf = self.shelf();
                    let slots: Vec<_> = vectors.iter().map(|(seq, _)| shelf.catalog.slot(revision, *seq)).collect();
                    drop(shelf);
                    for (slot, (_, vector)) in slots.into_iter().zip(&vectors) {
                        if let (Some(slot), Some(packed)) = (slot, Packed::new(vector)) {
                            let Packed { step, high, low } = packed;
                            records.push(Record::Vector { slot, step, high, low });
                        }
                    }
                }
                Change::Described { source, about, standing, stale } => {
                    let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
                    shelf.catalog.describe(source, &about, standing);
                    let numbers: Vec<_> = stale
                        .iter()
                        .map(|(id, _)| shelf.catalog.number(*id).zip(shelf.catalog.standing(*id)))
                        .collect();
                    let language: Vec<_> =
                        stale.iter().map(|(id, _)| shelf.catalog.language(*id).map(str::to_owned)).collect();
                    drop(shelf);
                    for (((_, texts), found), language) in stale.into_iter().zip(numbers).zip(language) {
                        let Some((number, (first, current))) = found else { continue };
                        self.passages.remove(number);
                        self.write_words(language.as_deref(), number, first, current, texts)?;
                        changed_words = true;
                    }
                    records.push(Record::Described(source, about, standing));
                }
                Change::Removed { source } => {
                    let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
                    let revisions = shelf.catalog.remove(source);
                    let numbers: Vec<_> = revisions.iter().filter_map(|id| shelf.catalog.number(*id)).collect();
                    drop(shelf);
                    for number in numbers {
                        self.passages.remove(number);
                        changed_words = true;
                    }
                    records.push(Record::Removed(source));
                }
                Change::Space { space, dimension } => {
                    records.push(Record::Space(space, u32::try_from(dimension).unwrap_or(0)));
                }
            }
        }
        records.push(Record::Position(position));
        let bytes = postcard::to_stdvec(&records).map_err(|error| Error::Damaged(error.to_string()))?;
        journal.append(&bytes)?;
        if changed_words {
            self.passages.commit(position)?;
        }
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        for record in records {
            // The catalog knows already.
            if matches!(record, Record::Space(..) | Record::Vector { .. } | Record::Position(_)) {
                shelf.take(record);
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
        texts: Vec<Text>,
    ) -> Result<()> {
        for (slot, text) in (first..).zip(&texts) {
            self.passages.add(number, slot, current, passage_words(text, language))?;
        }
        Ok(())
    }

    /// Whether the vectors have become so many that they should be divided, see [`Index::divide`].
    pub fn is_division_due(&self) -> bool {
        self.shelf().vectors.as_ref().is_some_and(Vectors::is_division_due)
    }

    /// Divides the vectors, so that a search looks only at those around its query. Takes seconds where there are many;
    /// searches and changes go on meanwhile.
    pub fn divide(&self) -> Result<()> {
        let space = {
            let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
            match &mut shelf.vectors {
                Some(vectors) if vectors.is_division_due() => vectors.begin_division(),
                _ => return Ok(()),
            }
            shelf.space
        };
        // Vectors of another space may take their place at any time.
        let with = |look: &mut dyn FnMut(&Vectors) -> bool| {
            let shelf = self.shelf();
            shelf.space == space && shelf.vectors.as_ref().is_some_and(look)
        };
        let mut sampled = None;
        with(&mut |vectors| {
            sampled = Some((vectors.dimension(), vectors.sample(), vectors.len()));
            true
        });
        let Some((dimension, sample, count)) = sampled else { return Ok(()) };
        let mut division = Division::of(dimension, &sample, count);
        drop(sample);
        while with(&mut |vectors| vectors.divide_more(&mut division)) {}
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        if shelf.space == space
            && let Some(vectors) = &mut shelf.vectors
        {
            vectors.take(division);
        }
        drop(shelf);
        let shelf = self.shelf();
        let Some(vectors) = shelf.vectors.as_ref().filter(|_| self.lock.is_some()) else { return Ok(()) };
        divisions::write(&self.folder, shelf.space, vectors)
    }

    /// Makes what was taken over survive a crash of the machine, and says as far as which position.
    pub fn sync(&self) -> Result<i64> {
        if self.lock.is_none() {
            return Err(Error::Busy);
        }
        let journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        let position = self.position();
        self.passages.commit(position)?;
        journal.sync()?;
        Ok(position)
    }

    /// Takes over what the process that keeps the index has written since, where this is another one.
    pub fn follow(&self) -> Result<()> {
        if self.lock.is_some() {
            return Ok(());
        }
        let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        let mut shelf = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        let more = journal.more(|batch| {
            records(batch)?.into_iter().for_each(|record| shelf.take(record));
            Ok(())
        })?;
        if more {
            drop(shelf);
            self.passages.reload()?;
        }
        Ok(())
    }

    /// Whether nobody keeps the index up to date, so that opening it again may make this process the one.
    pub fn is_left_alone(&self) -> bool {
        let free = || File::create(self.folder.join("lock")).is_ok_and(|lock| lock.try_lock().is_ok());
        self.lock.is_none() && free()
    }

    /// Which passages a filter lets through.
    pub fn allowed(&self, tenant: TenantId, filter: &SearchFilter, revisions: Option<&[RevisionId]>) -> Allowed {
        self.shelf().catalog.allowed(tenant, filter, revisions)
    }

    /// The best passages by their words, best first; and the scores of others, by their slots, in their order.
    pub fn words(
        &self,
        query: &WordQuery,
        allowed: &Allowed,
        earlier: bool,
        count: usize,
        others: &[u32],
    ) -> Result<(Vec<Hit>, Vec<f32>)> {
        let bits = match allowed {
            Allowed::All => None,
            Allowed::Some(_, 0) => return Ok((Vec::new(), vec![0.0; others.len()])),
            Allowed::Some(bits, _) => Some(bits.as_slice()),
        };
        let Scored { best, others } = self.passages.search(query, bits, earlier, count, others)?;
        let shelf = self.shelf();
        Ok((best.into_iter().filter_map(|(slot, score)| shelf.catalog.hit(slot, score)).collect(), others))
    }

    /// The nearest passages to a vector, best first.
    pub fn nearest(&self, vector: &[f32], allowed: &Allowed, count: usize) -> Vec<Hit> {
        let shelf = self.shelf();
        let Some(vectors) = &shelf.vectors else { return Vec::new() };
        let bits = match allowed {
            Allowed::All => shelf.catalog.live(),
            Allowed::Some(bits, many) => Some((bits.as_slice(), *many)),
        };
        let found = vectors.nearest(vector, bits, count);
        found.into_iter().filter_map(|(slot, score)| shelf.catalog.hit(slot, score)).collect()
    }

    /// How near passages are to a vector, where they have one.
    pub fn similarities(&self, vector: &[f32], slots: &[u32]) -> Vec<Option<f32>> {
        match &self.shelf().vectors {
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
        let mut changes = vec![Change::Space { space: 7, dimension: 192 }];
        let mut embedded = Vec::new();
        for seq in 1..=9_000_i64 {
            let revision = RevisionId::from(Uuid::from_u128(1_000_000 + seq as u128));
            let about = About::new(SourceType::KnowledgeBase, Origin::Database, None, time, "Title");
            let source = SourceId::from(Uuid::from_u128(seq as u128));
            let revised = Revised { tenant, source, revision, first_seq: seq, count: 1, current: true, about };
            let text = Text { heading: String::new(), content: format!("word{seq}") };
            changes.push(Change::Revised { revised, texts: vec![text] });
            embedded.push(Change::Embedded { revision, vectors: vec![(seq, vector(seq as u64))] });
        }
        index.apply(changes, 1).unwrap();
        index.apply(embedded, 2).unwrap();
        let nearest = |index: &Index| -> Vec<i64> {
            let asked = (100..200).map(|seed| index.nearest(&vector(seed), &Allowed::All, 1)[0].seq);
            asked.collect()
        };
        let expected: Vec<i64> = (100..200).collect();
        assert_eq!(nearest(&index), expected);
        assert!(index.is_division_due());
        index.divide().unwrap();
        assert!(!index.is_division_due());
        assert_eq!(nearest(&index), expected);
        // What comes later is found among the others, in their lists.
        let revision = RevisionId::from(Uuid::from_u128(1_000_001));
        index.apply(vec![Change::Embedded { revision, vectors: vec![(1, vector(77_777))] }], 3).unwrap();
        assert_eq!(index.nearest(&vector(77_777), &Allowed::All, 1)[0].seq, 1);
        drop(index);
        let index = Index::open(folder.path(), true).unwrap();
        assert!(!index.is_division_due(), "it was kept");
        assert_eq!(nearest(&index), expected);
        assert_eq!(index.nearest(&vector(77_777), &Allowed::All, 1)[0].seq, 1);
        drop(index);
        let path = folder.path().join("division");
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[100] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let index = Index::open(folder.path(), true).unwrap();
        assert!(index.is_division_due(), "it is damaged, so it does not count");
        assert_eq!(nearest(&index), expected);
    }
}
