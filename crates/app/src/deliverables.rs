//! What is made of an answer to be handed on: its files, a manifest of them, and a pointer that names the newest.

use ibid_citations::ledger::LedgerEntry;
use ibid_documents::deliverables::{
    DeliverableFormat, DeliverableInput, ListedSource, QuotedEvidence, render_deliverable,
};
use ibid_domain::run_event::{ArtifactCreated, ManifestCreated};
use ibid_domain::{
    Citation, Code, JsonObject, MessageStatus, Pointer, PointerType, Problem, Run, RunEventData, RunId, RunMode,
    RunStatus, Sha256, Source, SourceId, SourceType, Tree, Verdict,
    artifact::{Filename, MediaType},
    citation::first_of_each,
    pointer::PointerName,
};
use ibid_language::one_line;
use ibid_store::{PointerPatch, Tx};
use serde_json::json;

use crate::{EntryDraft, ManifestDraft, Result, Scope, UploadDetails, manifests, run_blocking, services::RunService};

/// Namespace of the pointers of deliverables.
const NAMESPACE: &str = "deliverables";
/// Maximum number of sources listed in the pointer's metadata; `sources.json` of the deliverable has all of them.
const LISTED: usize = 500;

/// Something that was made of an answer.
#[derive(Clone, Debug)]
pub struct Deliverable {
    pub kind: DeliverableKind,
    /// Its pointer: what it is called, what it was made of, what it cites.
    pub pointer: Pointer,
    /// Hash of the newest manifest of the deliverable.
    pub manifest: Sha256,
    /// The files of the newest manifest.
    pub tree: Tree,
}

/// The formats an answer can be exported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliverableKind {
    /// A text with footnotes: Markdown, Typst, PDF and HTML.
    Report,
    /// Pages that open anywhere, with one of all sources.
    Website,
    /// Slides in a single HTML file.
    Presentation,
}

impl DeliverableKind {
    /// Every kind, in the order in which they are listed.
    pub const ALL: [Self; 3] = [Self::Report, Self::Website, Self::Presentation];

    /// Returns the name used in the API and in pointer names.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Website => "website",
            Self::Presentation => "presentation",
        }
    }

    /// The type of source that its files are.
    pub const fn source_type(self) -> SourceType {
        match self {
            Self::Report => SourceType::GeneratedReport,
            Self::Website => SourceType::Website,
            Self::Presentation => SourceType::GeneratedPresentation,
        }
    }

    const fn document_format(self) -> DeliverableFormat {
        match self {
            Self::Report => DeliverableFormat::Report,
            Self::Website => DeliverableFormat::Website,
            Self::Presentation => DeliverableFormat::Presentation,
        }
    }

    fn pointer_name(self, run: RunId) -> Result<PointerName, Problem> {
        PointerName::new(NAMESPACE, format!("{run}/{}", self.as_str()))
    }
}

impl std::str::FromStr for DeliverableKind {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| {
            let detail = format!(
                "there is no deliverable '{}'; there are report, website and presentation",
                ibid_domain::problem::shorten_for_error(text)
            );
            Problem::new(Code::InvalidField, detail).with_field("kind")
        })
    }
}

impl RunService<'_> {
    /// Makes something of the answer of a run. Made again, it is the next version of the same.
    pub async fn make_deliverable(self, id: RunId, kind: DeliverableKind) -> Result<Deliverable> {
        let run = self.get(id).await?;
        let work = self.answer_of(&run).await?;
        let (query, cited, seen) = (work.question.clone(), work.cited.clone(), work.seen.clone());
        let title = work.title.clone();
        let made = run_blocking(move || render_deliverable(kind.document_format(), &work)).await?;
        let files = made.map_err(|faults| {
            let why: Vec<_> = faults.iter().take(3).map(|fault| fault.message.as_str()).collect();
            Problem::new(Code::CannotBeMade, format!("the {} cannot be made: {}", kind.as_str(), why.join("; ")))
        })?;
        let facts = |listed: &[ListedSource]| listed.iter().take(LISTED).map(|one| json!(one)).collect::<Vec<_>>();
        let all_seen: Vec<ListedSource> = cited.iter().chain(&seen).cloned().collect();
        let meta = JsonObject::from_iter([
            ("deliverable_type".to_owned(), json!(kind.source_type().as_str())),
            ("user_query".to_owned(), json!(query.as_deref().unwrap_or(&title))),
            ("run_id".to_owned(), json!(run.id)),
            ("message_id".to_owned(), json!(run.message.as_str())),
            ("cited".to_owned(), json!(facts(&cited))),
            ("cited_count".to_owned(), json!(cited.len())),
            ("all_seen".to_owned(), json!(facts(&all_seen))),
            ("all_seen_count".to_owned(), json!(all_seen.len())),
        ]);
        let mut tree = Vec::with_capacity(files.len());
        for file in files {
            let details = UploadDetails {
                media_type: Some(MediaType::new(file.media_type)?),
                filename: Some(Filename::new(file.path)?),
                entity_type: Some(kind.source_type()),
                ..UploadDetails::default()
            };
            let media_type = details.media_type.clone();
            let artifact = self.app.sources(self.scope).keep_bytes(file.bytes.into(), details).await?;
            let entry = EntryDraft {
                sha256: artifact.sha256,
                media_type,
                size_bytes: None,
                entity_type: Some(kind.source_type()),
            };
            tree.push((file.path.to_owned(), entry));
        }
        let mut tx = self.app.store.write().await?;
        let name = kind.pointer_name(run.id)?;
        let message = Some(format!("{} of run {}", kind.as_str(), run.id));
        let draft = ManifestDraft { tree, parent: None, message };
        let (manifest, tree, _) = manifests::make_manifest(&mut tx, self.scope, draft).await?;
        let change =
            PointerPatch { pointer_type: Some(PointerType::Bundle), description: Some(title), meta: Some(meta) };
        let pointer = match tx.pointers(self.scope).create(&name, Some(manifest.sha256), &change).await? {
            Some(pointer) => pointer,
            None => {
                let known = tx
                    .pointers(self.scope)
                    .update_details(&name, &change)
                    .await?
                    .ok_or_else(|| deliverable_not_found(kind))?;
                if known.manifest == Some(manifest.sha256) {
                    known
                } else {
                    let reason = Some("deliverable_generated");
                    tx.pointers(self.scope).advance(&name, known.manifest, manifest.sha256, reason).await?
                }
            }
        };
        let mut events: Vec<_> = tree
            .iter()
            .map(|(path, entry)| {
                RunEventData::ArtifactCreated(ArtifactCreated {
                    sha256: entry.sha256,
                    path: path.as_str().to_owned(),
                    media_type: entry.media_type.as_str().to_owned(),
                    size_bytes: entry.size_bytes,
                    entity_type: kind.source_type(),
                })
            })
            .collect();
        events.push(RunEventData::ManifestCreated(ManifestCreated {
            manifest_sha256: manifest.sha256,
            pointer_id: pointer.id,
            kind: kind.as_str().to_owned(),
        }));
        tx.runs(self.scope).record_events(run.id, events).await?;
        tx.commit().await?;
        metrics::counter!("ibid_deliverables_made_total", "kind" => kind.as_str()).increment(1);
        Ok(Deliverable { kind, pointer, manifest: manifest.sha256, tree })
    }

    /// Lists the deliverables made from the answer of a run.
    pub async fn deliverables(self, id: RunId) -> Result<Vec<Deliverable>> {
        self.get(id).await?;
        let mut tx = self.app.store.read().await?;
        let mut made = Vec::new();
        for kind in DeliverableKind::ALL {
            made.extend(find_deliverable(&mut tx, self.scope, id, kind).await?);
        }
        Ok(made)
    }

    /// Returns one deliverable of a run, or a not-found problem.
    pub async fn deliverable(self, id: RunId, kind: DeliverableKind) -> Result<Deliverable> {
        self.get(id).await?;
        let found = find_deliverable(&mut self.app.store.read().await?, self.scope, id, kind).await?;
        found.ok_or_else(|| deliverable_not_found(kind).into())
    }

    /// The answer of a run with all that belongs to it.
    async fn answer_of(self, run: &Run) -> Result<DeliverableInput> {
        let no_answer = || {
            let detail = format!("run {} is {} and has no answer to make something of", run.id, run.status.as_str());
            Problem::new(Code::RunHasNoAnswer, detail)
        };
        if !run.status.has_ended() {
            return Err(no_answer().into());
        }
        let mut tx = self.app.store.read().await?;
        let message = tx.conversations(self.scope).get_message(&run.message).await?.ok_or_else(no_answer)?;
        if message.content.trim().is_empty() || message.status == MessageStatus::Streaming {
            return Err(no_answer().into());
        }
        let question = match &run.question {
            Some(id) => tx.conversations(self.scope).get_message(id).await?.map(|question| question.content),
            None => None,
        };
        let conversation = tx.conversations(self.scope).get(run.conversation).await?;
        let ledger = crate::runs::ledger_of(&mut tx, self.scope, run.id).await?;
        drop(tx);
        let (_, citations) = self.app.citations(self.scope).of_message(&run.message).await?;
        let mut cited = Vec::new();
        for citation in first_of_each(&citations) {
            let source = match citation.source {
                Some(id) => self.app.store.read().await?.sources(self.scope).get(id).await?,
                None => None,
            };
            cited.push(listed_citation(citation, source.as_ref()));
        }
        let is_cited = |entry: &&LedgerEntry| citations.iter().any(|citation| citation.number == entry.number);
        let seen = ledger.entries().iter().filter(|entry| !is_cited(entry)).map(listed_entry).collect();
        let asked = question.as_deref().map(one_line).filter(|question| !question.is_empty());
        let title = conversation.and_then(|conversation| conversation.title).map(|title| one_line(&title));
        // A conversation is called by the beginning of its first question.
        let is_cut = |title: &String| {
            let asked = asked.as_deref().unwrap_or_default();
            title.strip_suffix('…').is_some_and(|beginning| asked.starts_with(beginning.trim_end()))
        };
        let title = title.filter(|title| !is_cut(title)).or_else(|| asked.clone());
        let title = title.unwrap_or_else(|| "Answer".to_owned());
        let partial = if run.status == RunStatus::Completed { "" } else { " · not finished" };
        Ok(DeliverableInput {
            question: asked.filter(|asked| *asked != title),
            title,
            text: message.content,
            made_on: message.created_at.to_string().chars().take(10).collect(),
            made_by: match (run.mode, &message.model) {
                (RunMode::Extractive, _) | (RunMode::Research, None) => format!("Quoted from the library{partial}"),
                (_, Some(model)) if model == "extractive" => format!("Quoted from the library{partial}"),
                (_, Some(model)) => format!("Written by {model}{partial}"),
                (_, None) => partial.trim_start_matches(" · ").to_owned(),
            },
            summary: support_summary(&citations),
            cited,
            seen,
            evidence: citations.iter().map(citation_evidence).collect(),
        })
    }
}

/// Removes what was made of the runs of a conversation, as part of removing it.
pub(crate) async fn delete_deliverables(tx: &mut Tx, scope: &Scope, runs: &[RunId]) -> Result<()> {
    for run in runs {
        for kind in DeliverableKind::ALL {
            tx.pointers(scope).delete(&kind.pointer_name(*run)?).await?;
        }
    }
    Ok(())
}

async fn find_deliverable(tx: &mut Tx, scope: &Scope, id: RunId, kind: DeliverableKind) -> Result<Option<Deliverable>> {
    let Some(pointer) = tx.pointers(scope).get(&kind.pointer_name(id)?).await? else { return Ok(None) };
    let Some(manifest) = pointer.manifest else { return Ok(None) };
    let tree = tx.manifests(scope).get_tree(manifest).await?;
    Ok(Some(Deliverable { kind, pointer, manifest, tree }))
}

fn deliverable_not_found(kind: DeliverableKind) -> Problem {
    let detail = format!("no {} was made of this run; make one with POST", kind.as_str());
    Problem::new(Code::PointerNotFound, detail)
}

fn listed_citation(citation: &Citation, source: Option<&Source>) -> ListedSource {
    ListedSource {
        number: Some(citation.number),
        source_id: citation.source.as_ref().map(SourceId::to_string),
        title: source.map_or_else(|| citation.snapshot.title.clone(), |source| source.display_title().to_owned()),
        about: source.map(describe_source).unwrap_or_default(),
        url: citation.snapshot.url.clone(),
        sha256: citation.anchor.as_ref().map(|anchor| anchor.content.to_string()),
        is_deleted: citation.is_tombstone(),
    }
}

/// Formats authors, date and site name of a source as one line.
fn describe_source(source: &Source) -> String {
    let reference = &source.reference;
    let mut authors: Vec<String> = reference.authors.iter().take(3).map(ToString::to_string).collect();
    if reference.authors.len() > 3 {
        authors.push("et al.".to_owned());
    }
    let date = reference.publication_date.map(|date| date.to_string());
    let parts = [Some(authors.join(", ")), date, source.site_name.clone()];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn listed_entry(entry: &LedgerEntry) -> ListedSource {
    let source = &entry.source;
    let parts = [source.author.clone(), source.published_date.clone(), source.domain.clone()];
    ListedSource {
        number: None,
        source_id: source.source_id.clone(),
        title: source.display_name().to_owned(),
        about: parts.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        url: source.uri.clone(),
        sha256: None,
        is_deleted: false,
    }
}

fn citation_evidence(citation: &Citation) -> QuotedEvidence {
    QuotedEvidence {
        marker: citation.marker,
        number: citation.number,
        quote: citation.quote.clone(),
        page: citation.anchor.as_ref().and_then(|anchor| anchor.pages).map(|(first, _)| first),
        verdict: citation.verdict,
    }
}

/// Counts cited and supported claims: `5 claims · 4 supported`.
fn support_summary(citations: &[Citation]) -> String {
    let mut claims: Vec<(ibid_domain::Span, bool)> = Vec::new();
    for citation in citations {
        let claim = citation.claim.unwrap_or(citation.marker);
        let is_supported = citation.verdict == Some(Verdict::Supported);
        match claims.iter_mut().find(|(known, _)| *known == claim) {
            Some((_, supported)) => *supported |= is_supported,
            None => claims.push((claim, is_supported)),
        }
    }
    let supported = claims.iter().filter(|(_, supported)| *supported).count();
    match claims.len() {
        0 => "no claim is cited".to_owned(),
        1 => format!("1 claim · {supported} supported"),
        many => format!("{many} claims · {supported} supported"),
    }
}
