//! Keeping the search index beside the database up to date.
//!
//! The index is derived: it follows the log of changes, and where it has missed some, is damaged or was deleted, it is
//! made again from the library. One process keeps it; others read what it has written.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use ibid_domain::{RevisionId, Source, SourceId, TenantId};
use ibid_index::{Index, IndexChange, IndexedRevision, PassageText, SourceFacets};
use ibid_store::{IndexedChunk, LoggedChange, NewPassage, Tx};
use tokio::{sync::Mutex, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::{App, Error, Result, Scope, run_blocking};

/// Maximum number of changes, chunks or vectors read at once.
const PAGE: usize = 2_000;
/// Maximum time a question waits for the index to include recent changes.
const MOMENT: Duration = Duration::from_millis(500);
/// Interval at which changes of other processes are polled.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Interval at which the index is synced to disk, so that it survives a crash of the machine. What came later is then
/// taken over again from the log, which takes about as long as it took before.
const SYNC: Duration = Duration::from_secs(20);
/// Vectors are divided when nothing has changed for so long: what comes is taken in first.
const CALM: Duration = Duration::from_millis(500);
/// Delay before the next attempt after an error.
const TRY_AGAIN: Duration = Duration::from_secs(2);

/// The shared handle of the search index, opened on first use.
#[derive(Clone)]
pub(crate) struct IndexSlot {
    index: Arc<std::sync::RwLock<Option<Arc<Index>>>>,
    /// Held by whoever opens it or brings it up to date.
    turn: Arc<Mutex<()>>,
}

impl IndexSlot {
    pub(crate) fn new() -> Self {
        Self { index: Arc::default(), turn: Arc::default() }
    }

    fn get(&self) -> Option<Arc<Index>> {
        self.index.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    fn set(&self, index: Option<Arc<Index>>) {
        *self.index.write().unwrap_or_else(std::sync::PoisonError::into_inner) = index;
    }
}

/// Size and progress of the search index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexState {
    /// Number of passages in the index.
    pub passages: usize,
    /// Number of vectors in the index.
    pub vectors: usize,
    /// Number of logged changes that are not in the index yet.
    pub behind: u64,
    /// True if this process writes the index, false if it only reads it.
    pub kept_here: bool,
}

pub(super) fn index_error(error: ibid_index::IndexError) -> Error {
    Error::Internal { what: "use the search index".to_owned(), source: error.into() }
}

async fn run_on_index<T: Send + 'static>(work: impl FnOnce() -> ibid_index::Result<T> + Send + 'static) -> Result<T> {
    run_blocking(work).await?.map_err(index_error)
}

/// Returns the fields of a source that search filters use.
fn index_metadata(source: &Source, language: Option<&str>) -> SourceFacets {
    let published = source.reference.publication_date.and_then(ibid_domain::PartialDate::start_timestamp);
    let time = published.unwrap_or(source.created_at);
    SourceFacets::new(source.kind, source.origin, language, time, source.display_title()).with_filing(
        source.document_id,
        source.project_id,
        &source.tags,
    )
}

/// A passage as it is indexed: the title and the headings above it belong to it.
pub(super) fn passage_text(title: &str, sections: &[String], content: &str) -> PassageText {
    let mut heading = title.to_owned();
    for section in sections.iter().filter(|section| *section != title) {
        heading.push('\n');
        heading.push_str(section);
    }
    PassageText { heading, content: content.to_owned() }
}

fn indexed_text(source: &Source, one: &IndexedChunk) -> PassageText {
    passage_text(source.display_title(), &one.chunk.place.section, &one.chunk.content)
}

impl App {
    /// The index, opened if it is not yet; none where the engine searches its own rows.
    pub(crate) async fn search_index(&self) -> Result<Option<Arc<Index>>> {
        if let Some(index) = self.index.get() {
            return Ok(Some(index));
        }
        if self.store.index_folder().is_none() {
            return Ok(None);
        }
        let _turn = self.index.turn.lock().await;
        self.open_index().await.map(Some)
    }

    /// Opens the index; the caller has the turn.
    async fn open_index(&self) -> Result<Arc<Index>> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let Some(folder) = self.store.index_folder().map(std::path::Path::to_owned) else {
            return Err(Error::corrupt("search index", "PostgreSQL has none beside it"));
        };
        let index = Arc::new(run_on_index(move || Index::open(&folder, true)).await?);
        self.index.set(Some(index.clone()));
        Ok(index)
    }

    /// Returns size and progress of the index; `None` on PostgreSQL, which searches its own tables.
    pub async fn index_state(&self) -> Result<Option<IndexState>> {
        let Some(index) = self.search_index().await? else { return Ok(None) };
        let (_, last) = self.store.read().await?.library_index().log_bounds().await?;
        let (passages, vectors) = index.passage_and_vector_count();
        let behind = u64::try_from(last - index.position()).unwrap_or(0);
        Ok(Some(IndexState { passages, vectors, behind, kept_here: index.is_kept_here() }))
    }

    /// Brings the index up to date, if this process keeps it. When this returns, everything that was committed before
    /// is found.
    pub async fn catch_up(&self) -> Result<()> {
        if self.store.index_folder().is_none() {
            return self.index_words().await;
        }
        let _turn = self.index.turn.lock().await;
        let mut index = self.open_index().await?;
        if !index.is_kept_here() {
            return self.follow_writer(index).await;
        }
        let (first, last) = self.store.read().await?.library_index().log_bounds().await?;
        let position = index.position();
        if position == 0 || position < first - 1 || position > last {
            if position != 0 {
                tracing::warn!(position, first, last, "the search index has missed changes; it is made anew");
            }
            index = self.replace_with_empty(index).await?;
            self.fill_index(&index, last).await?;
        }
        self.same_space(&index).await?;
        loop {
            let position = index.position();
            let mut tx = self.store.read().await?;
            let logged = tx.library_index().changes_after(position, PAGE as i64).await?;
            let Some(last) = logged.last().map(|logged| logged.position) else { break };
            let mut seen = ChangeBatch::default();
            for logged in &logged {
                seen.add_change(logged.change);
            }
            self.take_over(&mut tx, &index, seen, last).await?;
        }
        Ok(())
    }

    /// Lets what was committed just now be found, if that takes no longer than a moment.
    pub(crate) async fn catch_up_soon(&self) -> Result<()> {
        if self.store.index_folder().is_none() {
            return Ok(()); // words are written with their rows
        }
        if let Some(index) = self.search_index().await?.filter(|index| index.is_kept_here()) {
            let (_, last) = self.store.read_inline().await?.library_index().log_bounds().await?;
            if last == index.position() {
                return Ok(());
            }
        }
        // It goes on when it is no longer waited for.
        let app = self.clone();
        let catching_up = tokio::spawn(async move { app.catch_up().await });
        match tokio::time::timeout(MOMENT, catching_up).await {
            Ok(Ok(done)) => done,
            Ok(Err(_)) | Err(_) => Ok(()),
        }
    }

    /// Sees what the process that keeps the index has written since; the caller has the turn.
    async fn follow_writer(&self, index: Arc<Index>) -> Result<()> {
        let followed = index.clone();
        if run_on_index(move || followed.follow_writer()).await.is_err() || index.is_left_alone() {
            // It was made anew, or nobody keeps it any more.
            self.index.set(None);
            drop(index);
            self.open_index().await?;
        }
        Ok(())
    }

    /// An empty index in the place of one that cannot be brought up to date.
    async fn replace_with_empty(&self, index: Arc<Index>) -> Result<Arc<Index>> {
        self.index.set(None);
        // Searches that run still hold it for a moment.
        let mut index = index;
        let index = loop {
            match Arc::try_unwrap(index) {
                Ok(index) => break index,
                Err(shared) => {
                    index = shared;
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
        };
        let index = Arc::new(run_on_index(move || index.rebuild()).await?);
        self.index.set(Some(index.clone()));
        Ok(index)
    }

    /// Reads the whole library into an empty index.
    async fn fill_index(&self, index: &Arc<Index>, position: i64) -> Result<()> {
        self.same_space(index).await?;
        let mut first = 0;
        loop {
            let mut tx = self.store.read().await?;
            let Some(next) = self.take_chunks(&mut tx, index, first, i64::MAX, 0).await? else { break };
            self.take_vectors(&mut tx, index, first, next - 1, 0).await?;
            first = next;
        }
        let index = index.clone();
        run_on_index(move || index.apply_changes(vec![], position)).await
    }

    /// Sees to it that the index has the vectors of the space in use.
    async fn same_space(&self, index: &Arc<Index>) -> Result<()> {
        let mut tx = self.store.read().await?;
        let Some(space) = tx.embedding_spaces().await?.into_iter().find(|space| space.in_use) else { return Ok(()) };
        let dimension = usize::try_from(space.dimension).unwrap_or(0);
        if index.space() == Some((space.id, dimension)) {
            return Ok(());
        }
        let position = index.position();
        let (keeper, id) = (index.clone(), space.id);
        run_on_index(move || keeper.apply_changes(vec![IndexChange::Space { space: id, dimension }], position)).await?;
        self.take_vectors(&mut tx, index, 0, i64::MAX, position).await
    }

    /// Takes over what was seen to change. What is there now counts, so it does not matter in which order it came.
    async fn take_over(&self, tx: &mut Tx, index: &Arc<Index>, seen: ChangeBatch, position: i64) -> Result<()> {
        let before = index.position();
        for (first, last) in seen.chunks {
            let mut from = first;
            while let Some(next) = self.take_chunks(tx, index, from, last, before).await? {
                from = next;
            }
        }
        for (first, last) in seen.vectors {
            self.take_vectors(tx, index, first, last, before).await?;
        }
        let ids: Vec<SourceId> = seen.sources.into_iter().collect();
        let mut changes: Vec<IndexChange> =
            seen.gone.into_iter().map(|source| IndexChange::Removed { source }).collect();
        for (_, source) in tx.library_index().sources(&ids).await? {
            let about = index_metadata(&source, None);
            let mut stale = Vec::new();
            for revision in index.stale_revisions(source.id, &about, source.revision) {
                let chunks = tx.library_index().chunks_of_revision(revision).await?;
                stale.push((revision, chunks.iter().map(|one| indexed_text(&source, one)).collect()));
            }
            changes.push(IndexChange::Described { source: source.id, about, standing: source.revision, stale });
        }
        let index = index.clone();
        run_on_index(move || index.apply_changes(changes, position)).await
    }

    /// Takes over a page of chunks, whole revisions of them, and says where the next one begins.
    async fn take_chunks(
        &self,
        tx: &mut Tx,
        index: &Arc<Index>,
        first: i64,
        last: i64,
        position: i64,
    ) -> Result<Option<i64>> {
        let mut chunks = tx.library_index().chunks(first, last, PAGE as i64).await?;
        let Some(end) = chunks.last().map(|one| one.chunk.revision) else { return Ok(None) };
        if chunks.len() == PAGE {
            // The last revision may go on; the next page begins with it, unless it is all there is.
            chunks.retain(|one| one.chunk.revision != end);
            if chunks.is_empty() {
                chunks = tx.library_index().chunks_of_revision(end).await?;
            }
        }
        let Some(next) = chunks.last().map(|one| one.seq + 1) else { return Ok(None) };
        let ids: BTreeSet<SourceId> = chunks.iter().map(|one| one.chunk.source).collect();
        let ids: Vec<SourceId> = ids.into_iter().collect();
        let sources: HashMap<SourceId, (TenantId, Source)> = tx
            .library_index()
            .sources(&ids)
            .await?
            .into_iter()
            .map(|(tenant, source)| (source.id, (tenant, source)))
            .collect();
        let mut changes = Vec::new();
        for revision in chunks.chunk_by(|a, b| a.chunk.revision == b.chunk.revision) {
            changes.extend(revision_change(revision, &sources));
        }
        let index = index.clone();
        run_on_index(move || index.apply_changes(changes, position)).await?;
        Ok(Some(next))
    }

    async fn take_vectors(&self, tx: &mut Tx, index: &Arc<Index>, first: i64, last: i64, position: i64) -> Result<()> {
        let Some((space, _)) = index.space() else { return Ok(()) };
        let mut from = first;
        loop {
            let vectors = tx.library_index().vectors(space, from, last, PAGE).await?;
            let Some((end, ..)) = vectors.last() else { return Ok(()) };
            from = end + 1;
            let mut by_revision: BTreeMap<RevisionId, Vec<(i64, Vec<f32>)>> = BTreeMap::new();
            for (seq, revision, vector) in vectors {
                by_revision.entry(revision).or_default().push((seq, vector));
            }
            let changes: Vec<IndexChange> = by_revision
                .into_iter()
                .map(|(revision, vectors)| IndexChange::Embedded { revision, vectors })
                .collect();
            let index = index.clone();
            run_on_index(move || index.apply_changes(changes, position)).await?;
        }
    }

    /// Returns the last position of the change log; `None` if no index follows it.
    pub(crate) async fn index_position(&self, tx: &mut Tx) -> Result<Option<i64>> {
        match self.store.index_folder() {
            Some(_) => Ok(Some(tx.library_index().log_bounds().await?.1)),
            None => Ok(None),
        }
    }

    /// Commits passages that are new and nothing else, and tells the index of them while the caller goes on. It need
    /// not read them back then. `first` is the number of the first; `positions` are those of the log around them.
    pub(crate) async fn commit_and_index(
        &self,
        tx: Tx,
        scope: &Scope,
        first: i64,
        positions: (i64, i64),
        space: Option<i64>,
        passages: Vec<NewPassage>,
    ) -> Result<()> {
        // Nobody else is to read them first.
        let turn = self.index.turn.clone().lock_owned().await;
        tx.commit().await?;
        let Some(index) = self.index.get() else { return Ok(()) };
        let tenant = scope.tenant();
        tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let same_space = space.is_none() || index.space().map(|(space, _)| space) == space;
            if index.position() != positions.0 || !same_space || !index.is_kept_here() {
                return;
            }
            let (mut changes, mut embedded) = (Vec::with_capacity(passages.len() * 2), Vec::new());
            for (seq, one) in (first..).zip(passages) {
                let revision = one.revision.id;
                let text = passage_text(one.source.display_title(), &[], &one.text);
                let revised = IndexedRevision {
                    tenant,
                    source: one.source.id,
                    revision,
                    first_seq: seq,
                    count: 1,
                    current: true,
                    about: index_metadata(&one.source, one.revision.language.as_deref()),
                };
                changes.push(IndexChange::Revised { revised, texts: vec![text] });
                embedded
                    .extend(one.vector.map(|vector| IndexChange::Embedded { revision, vectors: vec![(seq, vector)] }));
            }
            changes.extend(embedded);
            // What fails here is taken over from the log.
            if let Err(error) = index.apply_changes(changes, positions.1) {
                tracing::warn!(%error, "passages could not be told to the search index at once");
            }
        });
        Ok(())
    }

    /// Makes the index anew from the library. Gives how many passages and vectors it has then.
    pub async fn rebuild_index(&self) -> Result<IndexState> {
        if self.store.index_folder().is_some() {
            let _turn = self.index.turn.lock().await;
            let index = self.open_index().await?;
            if !index.is_kept_here() {
                return Err(index_error(ibid_index::IndexError::Busy));
            }
            self.replace_with_empty(index).await?;
        } else {
            self.forget_words().await?;
        }
        self.catch_up().await?;
        let state = self.index_state().await?;
        Ok(state.unwrap_or(IndexState { passages: 0, vectors: 0, behind: 0, kept_here: true }))
    }

    /// Keeps the index up to date until it is told to stop.
    pub async fn keep_index(&self, stop: CancellationToken) {
        // PostgreSQL's words are written with their rows; only an upgrade leaves some without.
        let look = if self.store.index_folder().is_some() { POLL_INTERVAL } else { SYNC };
        let mut changed = self.store.library_changed();
        let mut pace = IndexerTimers { synced: Instant::now(), changed: Instant::now(), position: 0 };
        loop {
            let wait = match self.keep_once(&mut pace).await {
                Ok(()) => look,
                Err(error) => {
                    tracing::error!(%error, "the search index cannot be brought up to date; trying again");
                    TRY_AGAIN
                }
            };
            tokio::select! {
                () = stop.cancelled() => break,
                _ = changed.changed() => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
        if let Some(index) = self.index.get().filter(|index| index.is_kept_here()) {
            let synced = run_on_index(move || index.sync()).await;
            if let Err(error) = synced {
                tracing::warn!(%error, "the search index could not be written to its end");
            }
        }
    }

    /// Applies new changes once, and syncs the index to disk when that is due.
    async fn keep_once(&self, pace: &mut IndexerTimers) -> Result<()> {
        if let Some(index) = self.search_index().await?.filter(|index| index.is_kept_here()) {
            if pace.synced.elapsed() > SYNC {
                pace.synced = Instant::now();
                let index = index.clone();
                let position = run_on_index(move || index.sync()).await?;
                // Changes that a power cut brings back are taken over once more.
                let mut tx = self.store.write_relaxed().await?;
                tx.library_index().forget_before(position).await?;
                tx.commit().await?;
            }
            let (_, last) = self.store.read().await?.library_index().log_bounds().await?;
            if last == index.position() {
                if pace.position != last {
                    (pace.position, pace.changed) = (last, Instant::now());
                }
                if pace.changed.elapsed() > CALM && index.is_partition_due() {
                    tokio::task::spawn_blocking(move || {
                        if let Err(error) = index.partition_vectors() {
                            tracing::warn!(%error, "how the vectors are divided could not be kept");
                        }
                    });
                }
                return Ok(());
            }
        }
        self.catch_up().await
    }
}

/// The passages of one revision.
fn revision_change(chunks: &[IndexedChunk], sources: &HashMap<SourceId, (TenantId, Source)>) -> Option<IndexChange> {
    let first = chunks.first()?;
    let (tenant, source) = sources.get(&first.chunk.source)?;
    let revised = IndexedRevision {
        tenant: *tenant,
        source: source.id,
        revision: first.chunk.revision,
        first_seq: first.seq,
        count: u32::try_from(chunks.len()).ok()?,
        current: source.revision == Some(first.chunk.revision),
        about: index_metadata(source, first.language.as_deref()),
    };
    let texts = chunks.iter().map(|one| indexed_text(source, one)).collect();
    Some(IndexChange::Revised { revised, texts })
}

/// Times of the last sync and the last change of the index.
struct IndexerTimers {
    /// Time of the last sync to disk.
    synced: Instant,
    /// Time at which `position` last changed.
    changed: Instant,
    position: i64,
}

/// The changes of one batch of the log, without duplicates.
#[derive(Default)]
struct ChangeBatch {
    chunks: Vec<(i64, i64)>,
    vectors: Vec<(i64, i64)>,
    sources: BTreeSet<SourceId>,
    gone: BTreeSet<SourceId>,
}

impl ChangeBatch {
    fn add_change(&mut self, change: LoggedChange) {
        match change {
            LoggedChange::Start | LoggedChange::Space(_) => {}
            LoggedChange::Chunks(first, last) => push_range(&mut self.chunks, first, last),
            LoggedChange::Vectors(first, last) => push_range(&mut self.vectors, first, last),
            LoggedChange::Source(source) => drop(self.sources.insert(source)),
            LoggedChange::Deleted(source) => drop(self.gone.insert(source)),
        }
    }
}

/// Adds a range, to the one before it if they touch.
fn push_range(ranges: &mut Vec<(i64, i64)>, first: i64, last: i64) {
    match ranges.last_mut() {
        Some((start, end)) if first >= *start && first <= *end + 1 => *end = last.max(*end),
        _ => ranges.push((first, last)),
    }
}
