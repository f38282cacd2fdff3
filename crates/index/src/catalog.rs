//! Which passages there are: whose they are, and what a filter asks about their sources.
//!
//! The passages of a revision stand side by side: each has a slot, a small number by which words and vectors know it.

use std::{collections::HashMap, hash::Hash};

use ibid_domain::{Origin, RevisionId, SearchFilter, SourceId, SourceType, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Properties of a source that a search filter can test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceFacets {
    /// Its type, as its place among all.
    kind: u8,
    /// Its origin, as its place among all.
    origin: u8,
    language: String,
    document: Option<Uuid>,
    project: Option<Uuid>,
    tags: Vec<String>,
    /// Time of publication, or of import if that is unknown, in microseconds since the Unix epoch.
    time: i64,
    /// A number that changes with its title.
    title: u32,
}

impl SourceFacets {
    /// Creates the filter properties of a source, without project, document and tags.
    pub fn new(kind: SourceType, origin: Origin, language: Option<&str>, time: Timestamp, title: &str) -> Self {
        let place = |at: Option<usize>| at.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX);
        let language = language.unwrap_or_default().split(['-', '_']).next().unwrap_or_default().to_lowercase();
        Self {
            kind: place(SourceType::ALL.iter().position(|one| *one == kind)),
            origin: place(Origin::ALL.iter().position(|one| *one == origin)),
            language,
            document: None,
            project: None,
            tags: Vec::new(),
            time: time.as_micros(),
            title: crc32fast::hash(title.as_bytes()),
        }
    }

    /// The language of its text, by the code of two letters.
    pub(crate) fn language(&self) -> Option<&str> {
        Some(self.language.as_str()).filter(|language| !language.is_empty())
    }

    /// And what it was collected for and filed under.
    #[must_use]
    pub fn with_filing(mut self, document: Option<Uuid>, project: Option<Uuid>, tags: &[String]) -> Self {
        (self.document, self.project) = (document, project);
        self.tags = tags.to_vec();
        self.tags.sort_unstable();
        self
    }
}

/// The passages of a revision as they come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexedRevision {
    pub tenant: TenantId,
    pub source: SourceId,
    pub revision: RevisionId,
    /// The number of the first of them; the others follow.
    pub first_seq: i64,
    /// Number of passages in the revision.
    pub count: u32,
    /// True if this is the current revision of the source.
    pub current: bool,
    /// Properties of the source that a filter can test.
    pub about: SourceFacets,
}

/// Values that repeat, each kept once; 0 is the first one there was.
#[derive(Debug)]
struct Interner<T> {
    all: Vec<T>,
    known: HashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Interner<T> {
    fn new(first: T) -> Self {
        Self { known: HashMap::from([(first.clone(), 0)]), all: vec![first] }
    }

    fn number_of(&mut self, value: &T) -> u32 {
        if let Some(number) = self.known.get(value) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(value.clone());
        self.known.insert(value.clone(), number);
        number
    }
}

/// A revision, in as little room as will do: there may be millions.
#[derive(Debug)]
struct RevisionRow {
    source: SourceId,
    revision: RevisionId,
    first_seq: i64,
    time: i64,
    first_slot: u32,
    count: u32,
    /// The row of another revision of the source, or `NONE`.
    previous: u32,
    tenant: u32,
    document: u32,
    project: u32,
    tags: u32,
    language: u32,
    title: u32,
    kind: u8,
    origin: u8,
    state: RevisionState,
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RevisionState {
    Current,
    Earlier,
    Gone,
}

/// Set of passages that a search may return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedPassages {
    /// Every current passage of the library.
    All,
    /// Those whose bits are set, and how many they are.
    Some(Vec<u64>, usize),
}

/// A passage that a search of the index returned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexHit {
    /// Its number in the database.
    pub seq: i64,
    /// Revision that the passage belongs to.
    pub revision: RevisionId,
    /// Number of the passage within the index.
    pub slot: u32,
    /// Score by words or by vector; the two scales differ.
    pub score: f32,
}

/// In-memory catalog of all passages in the index, by slot, revision and source.
#[derive(Debug)]
pub(crate) struct PassageCatalog {
    rows: Vec<RevisionRow>,
    /// Index into `rows` for each slot.
    slots: Vec<u32>,
    by_revision: HashMap<RevisionId, u32>,
    by_source: HashMap<SourceId, u32>,
    tenants: Interner<TenantId>,
    documents: Interner<Option<Uuid>>,
    projects: Interner<Option<Uuid>>,
    tags: Interner<Vec<String>>,
    languages: Interner<String>,
    /// A bit a slot: whether it is current.
    live: Vec<u64>,
    /// Number of current slots, and number of those that are memories.
    current: usize,
    memories: usize,
    /// Number of current slots by language.
    spoken: HashMap<u32, usize>,
}

fn memory_origin() -> u8 {
    Origin::ALL.iter().position(|one| *one == Origin::Memory).and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
}

impl PassageCatalog {
    pub(crate) fn new() -> Self {
        Self {
            rows: Vec::new(),
            slots: Vec::new(),
            by_revision: HashMap::new(),
            by_source: HashMap::new(),
            tenants: Interner::new(TenantId::from(Uuid::nil())),
            documents: Interner::new(None),
            projects: Interner::new(None),
            tags: Interner::new(Vec::new()),
            languages: Interner::new(String::new()),
            live: Vec::new(),
            current: 0,
            memories: 0,
            spoken: HashMap::new(),
        }
    }

    /// Returns the number of current passages.
    pub(crate) fn current_count(&self) -> usize {
        self.current
    }

    /// The languages of current passages, most spoken first.
    pub(crate) fn languages(&self) -> Vec<String> {
        let mut spoken: Vec<_> = self.spoken.iter().filter(|(_, count)| **count > 0).collect();
        spoken.sort_unstable_by_key(|(language, count)| (usize::MAX - **count, **language));
        let name = |language: u32| self.languages.all.get(language as usize).cloned().unwrap_or_default();
        spoken.into_iter().map(|(language, _)| name(*language)).collect()
    }

    /// Adds the passages of a revision, and says which slot is the first of them. What is here already stays.
    pub(crate) fn add(&mut self, revised: &IndexedRevision) -> (u32, bool) {
        if let Some(row) = self.by_revision.get(&revised.revision) {
            return (self.rows[*row as usize].first_slot, false);
        }
        let number = self.rows.len() as u32;
        let first_slot = self.slots.len() as u32;
        let previous = self.by_source.insert(revised.source, number).unwrap_or(NONE);
        let about = &revised.about;
        let row = RevisionRow {
            source: revised.source,
            revision: revised.revision,
            first_seq: revised.first_seq,
            time: about.time,
            first_slot,
            count: revised.count,
            previous,
            tenant: self.tenants.number_of(&revised.tenant),
            document: self.documents.number_of(&about.document),
            project: self.projects.number_of(&about.project),
            tags: self.tags.number_of(&about.tags),
            language: self.languages.number_of(&about.language),
            title: about.title,
            kind: about.kind,
            origin: about.origin,
            state: RevisionState::Gone,
        };
        self.rows.push(row);
        self.slots.extend(std::iter::repeat_n(number, revised.count as usize));
        self.live.resize(self.slots.len().div_ceil(64), 0);
        self.by_revision.insert(revised.revision, number);
        self.set_state(number, if revised.current { RevisionState::Current } else { RevisionState::Earlier });
        (first_slot, true)
    }

    /// Takes over what is said of a source now, and which revision it stands at.
    pub(crate) fn update_source(&mut self, source: SourceId, about: &SourceFacets, standing: Option<RevisionId>) {
        for number in self.of_source(source) {
            let row = &self.rows[number as usize];
            if row.state == RevisionState::Gone {
                continue;
            }
            let state = if Some(row.revision) == standing { RevisionState::Current } else { RevisionState::Earlier };
            self.set_state(number, RevisionState::Gone);
            let (document, project) =
                (self.documents.number_of(&about.document), self.projects.number_of(&about.project));
            let tags = self.tags.number_of(&about.tags);
            let row = &mut self.rows[number as usize];
            (row.document, row.project, row.tags) = (document, project, tags);
            (row.kind, row.origin, row.time, row.title) = (about.kind, about.origin, about.time, about.title);
            self.set_state(number, state);
        }
    }

    /// Forgets a source, and says which revisions that were.
    pub(crate) fn remove_source(&mut self, source: SourceId) -> Vec<RevisionId> {
        let rows = self.of_source(source);
        for number in &rows {
            self.set_state(*number, RevisionState::Gone);
        }
        rows.into_iter().map(|number| self.rows[number as usize].revision).collect()
    }

    fn of_source(&self, source: SourceId) -> Vec<u32> {
        let mut found = Vec::new();
        let mut next = self.by_source.get(&source).copied().unwrap_or(NONE);
        while let Some(row) = self.rows.get(next as usize) {
            found.push(next);
            next = row.previous;
        }
        found
    }

    fn set_state(&mut self, number: u32, state: RevisionState) {
        let row = &mut self.rows[number as usize];
        let count = row.count as usize;
        let (was, is) = (row.state == RevisionState::Current, state == RevisionState::Current);
        row.state = state;
        if was != is {
            for slot in row.first_slot..row.first_slot + row.count {
                self.live[slot as usize / 64] ^= 1 << (slot % 64);
            }
        }
        let change = |sum: &mut usize| match (was, is) {
            (false, true) => *sum += count,
            (true, false) => *sum -= count,
            _ => {}
        };
        change(&mut self.current);
        if row.origin == memory_origin() {
            change(&mut self.memories);
        }
        change(self.spoken.entry(row.language).or_default());
    }

    /// The number under which the index knows a revision.
    pub(crate) fn row_number(&self, revision: RevisionId) -> Option<u32> {
        self.by_revision.get(&revision).copied()
    }

    /// Returns the slot of a passage by its sequence number.
    pub(crate) fn slot_of(&self, revision: RevisionId, seq: i64) -> Option<u32> {
        let row = &self.rows[*self.by_revision.get(&revision)? as usize];
        let at = u32::try_from(seq.checked_sub(row.first_seq)?).ok().filter(|at| *at < row.count)?;
        Some(row.first_slot + at)
    }

    /// The revisions of a source whose words must be written anew if it is to be described so.
    pub(crate) fn stale_revisions(
        &self,
        source: SourceId,
        about: &SourceFacets,
        standing: Option<RevisionId>,
    ) -> Vec<RevisionId> {
        let rows = self.of_source(source).into_iter().map(|number| &self.rows[number as usize]);
        rows.filter(|row| {
            let is_current = Some(row.revision) == standing;
            row.state != RevisionState::Gone
                && (row.title != about.title || (row.state == RevisionState::Current) != is_current)
        })
        .map(|row| row.revision)
        .collect()
    }

    /// The first slot of a revision, and whether it is current.
    pub(crate) fn first_slot_of(&self, revision: RevisionId) -> Option<(u32, bool)> {
        let row = &self.rows[*self.by_revision.get(&revision)? as usize];
        (row.state != RevisionState::Gone).then_some((row.first_slot, row.state == RevisionState::Current))
    }

    /// The language of a revision's text.
    pub(crate) fn language_of(&self, revision: RevisionId) -> Option<&str> {
        let row = &self.rows[*self.by_revision.get(&revision)? as usize];
        self.languages.all.get(row.language as usize).map(String::as_str).filter(|language| !language.is_empty())
    }

    pub(crate) fn hit_at(&self, slot: u32, score: f32) -> Option<IndexHit> {
        let row = &self.rows[*self.slots.get(slot as usize)? as usize];
        let seq = row.first_seq + i64::from(slot - row.first_slot);
        (row.state != RevisionState::Gone).then_some(IndexHit { seq, revision: row.revision, slot, score })
    }

    /// Returns the passages that match a filter. `revisions` limits them to an earlier state of the library.
    pub(crate) fn allowed_passages(
        &self,
        tenant: TenantId,
        filter: &SearchFilter,
        revisions: Option<&[RevisionId]>,
    ) -> AllowedPassages {
        let mut bits = vec![0_u64; self.slots.len().div_ceil(64)];
        let mut count = 0;
        let mut allow = |row: &RevisionRow| {
            for slot in row.first_slot..row.first_slot + row.count {
                bits[slot as usize / 64] |= 1 << (slot % 64);
            }
            count += row.count as usize;
        };
        let known = |names: &HashMap<Option<Uuid>, u32>, id: Option<Uuid>| {
            id.map(|id| names.get(&Some(id)).copied().unwrap_or(NONE))
        };
        let document = known(&self.documents.known, filter.document_id);
        let project = known(&self.projects.known, filter.project_id);
        let place = |at: Option<usize>| at.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX);
        let kinds: Vec<u8> =
            filter.kinds.iter().map(|kind| place(SourceType::ALL.iter().position(|one| one == kind))).collect();
        let origins: Vec<u8> =
            filter.origins.iter().map(|origin| place(Origin::ALL.iter().position(|one| one == origin))).collect();
        let tags: Option<Vec<bool>> = (!filter.tags.is_empty())
            .then(|| self.tags.all.iter().map(|tags| filter.tags.iter().all(|tag| tags.contains(tag))).collect());
        let languages: Option<Vec<bool>> = (!filter.languages.is_empty())
            .then(|| self.languages.all.iter().map(|language| filter.languages.contains(language)).collect());
        let (from, to) = (filter.from.map(Timestamp::as_micros), filter.to.map(Timestamp::as_micros));
        let memories = filter.memories || filter.origins.contains(&Origin::Memory);
        let memory = memory_origin();
        let Some(tenant) = self.tenants.known.get(&tenant).copied() else { return AllowedPassages::Some(bits, 0) };
        let one_tenant = self.tenants.all.len() == 2;
        let plain = document.is_none()
            && project.is_none()
            && kinds.is_empty()
            && origins.is_empty()
            && filter.sources.is_empty()
            && tags.is_none()
            && languages.is_none()
            && from.is_none()
            && to.is_none();
        if plain && revisions.is_none() && one_tenant && (memories || self.memories == 0) {
            return AllowedPassages::All;
        }
        let legal = |row: &RevisionRow| {
            row.tenant == tenant
                && (revisions.is_some() || row.state == RevisionState::Current)
                && row.state != RevisionState::Gone
                && (memories || row.origin != memory)
                && document.is_none_or(|document| row.document == document)
                && project.is_none_or(|project| row.project == project)
                && (kinds.is_empty() || kinds.contains(&row.kind))
                && (origins.is_empty() || origins.contains(&row.origin))
                && tags.as_ref().is_none_or(|tags| tags[row.tags as usize])
                && languages.as_ref().is_none_or(|languages| languages[row.language as usize])
                && from.is_none_or(|from| row.time >= from)
                && to.is_none_or(|to| row.time < to)
                && (filter.sources.is_empty() || filter.sources.contains(&row.source))
        };
        if let Some(revisions) = revisions {
            for number in revisions.iter().filter_map(|id| self.by_revision.get(id)) {
                let row = &self.rows[*number as usize];
                if legal(row) {
                    allow(row);
                }
            }
        } else if !filter.sources.is_empty() {
            let mut sources = filter.sources.clone();
            sources.sort_unstable();
            sources.dedup();
            for number in sources.into_iter().flat_map(|source| self.of_source(source)) {
                let row = &self.rows[number as usize];
                if legal(row) {
                    allow(row);
                }
            }
        } else {
            for row in self.rows.iter().filter(|row| legal(row)) {
                allow(row);
            }
        }
        AllowedPassages::Some(bits, count)
    }

    /// The bits of all that are current, if not every slot is.
    pub(crate) fn current_bits(&self) -> Option<(&[u64], usize)> {
        (self.current < self.slots.len()).then_some((self.live.as_slice(), self.current))
    }
}
