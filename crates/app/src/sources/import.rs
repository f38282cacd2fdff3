//! Many sources at once: references, addresses, a zip of files.

use std::io::Read;

use futures::TryStreamExt;
use ibid_domain::{
    Code, Problem, Reference, Sha256, SourceType, artifact::Filename, job::Job, problem::shorten_for_error,
};
use ibid_ingest::{references, url_lists};
use ibid_store::JobError;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::{SourceContent, SourceDraft, SourceWithRevision};
use crate::{
    App, Error, Result, UploadDetails,
    background_jobs::{BackgroundJob, JobOutcome},
    services::SourceService,
    worker::JobContext,
};

/// The longest list, in bytes.
const MAX_LIST: u64 = 64 << 20;
/// The most files of a zip, the largest of them, and all of them together, in bytes.
const MAX_FILES: usize = 100_000;
const MAX_FILE: u64 = 512 << 20;
const MAX_UNPACKED: u64 = 64 << 30;
/// The most reasons that a job's result lists.
const MAX_REASONS: usize = 100;

/// Many sources as someone asks for them.
#[derive(Clone, Debug, Default)]
pub struct ImportRequest {
    /// The list as text: references or URLs.
    pub text: Option<String>,
    /// Or the artifact that holds it.
    pub artifact: Option<Sha256>,
    /// Or where it stands, as a sitemap does.
    pub url: Option<String>,
    /// Format of the list; detected if `None`.
    pub format: Option<String>,
    /// The document they are collected for.
    pub document_id: Option<Uuid>,
    /// Tags added to every imported source.
    pub tags: Vec<String>,
}

/// The result of an import request.
#[derive(Debug)]
pub enum ImportReport {
    /// The list was imported at once, without a job.
    Done {
        /// The sources, and whether each is new.
        sources: Vec<(SourceWithRevision, bool)>,
        /// Entries that could not be imported.
        failed: Vec<RejectedEntry>,
    },
    /// A job was queued, because the artifact is a zip.
    Queued(Box<Job>),
}

/// An entry that could not be taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectedEntry {
    /// Key, line or file name of the entry.
    pub entry: String,
    /// Reason why it was rejected.
    pub reason: String,
}

/// Makes a source of each file of a zip.
#[derive(Serialize, Deserialize)]
pub(crate) struct ImportJob {
    artifact_sha256: Sha256,
    document_id: Option<Uuid>,
    tags: Vec<String>,
}

/// The formats an imported list can have.
enum ListFormat {
    References(Option<references::ImportFormat>),
    Addresses,
}

impl SourceService<'_> {
    /// Imports references, URLs or the files of a zip as sources.
    pub async fn import(self, import: ImportRequest) -> Result<ImportReport> {
        let text = match (import.text, import.artifact) {
            (Some(text), _) => text,
            (None, Some(sha256)) => {
                let artifact = self.app.artifacts(self.scope).get(sha256).await?;
                if self.starts_like_zip(sha256).await? {
                    let job = ImportJob { artifact_sha256: sha256, document_id: import.document_id, tags: import.tags };
                    let mut tx = self.app.store.write().await?;
                    let job = tx.jobs(self.scope).enqueue(job.to_new_job()).await?;
                    tx.commit().await?;
                    return Ok(ImportReport::Queued(Box::new(job)));
                }
                if artifact.size_bytes > MAX_LIST {
                    let detail = format!("the list has {} bytes; the most is {MAX_LIST}", artifact.size_bytes);
                    return Err(Problem::new(Code::ImportUnreadable, detail).into());
                }
                ibid_ingest::html::decode_html(&self.bytes_of(sha256).await?, None).into_owned()
            }
            (None, None) => match &import.url {
                Some(url) => {
                    let fetched = self.app.tools().fetcher.fetch(url, None).await.map_err(super::fetch_problem)?;
                    ibid_ingest::html::decode_html(&fetched.bytes, fetched.media_type.as_deref()).into_owned()
                }
                None => String::new(),
            },
        };
        let (drafts, mut failed) = parse_drafts(&text, import.format.as_deref())?;
        let mut sources = Vec::with_capacity(drafts.len());
        for (entry, mut draft) in drafts {
            draft.document_id = import.document_id;
            draft.tags.extend(import.tags.iter().cloned());
            match self.create(draft).await {
                Ok(made) => sources.push(made),
                Err(Error::Problem(problem)) => failed.push(RejectedEntry { entry, reason: problem.detail }),
                Err(error) => return Err(error),
            }
        }
        if sources.is_empty() && !failed.is_empty() {
            let first = &failed[0];
            let detail = format!("none of {} entries could be read; {}: {}", failed.len(), first.entry, first.reason);
            return Err(Problem::new(Code::ImportUnreadable, detail).into());
        }
        Ok(ImportReport::Done { sources, failed })
    }

    async fn starts_like_zip(self, sha256: Sha256) -> Result<bool> {
        let Some(mut bytes) = self.app.store.read_bytes(self.scope, sha256, None).await? else { return Ok(false) };
        let first = bytes.try_next().await?.unwrap_or_default();
        Ok(first.starts_with(b"PK\x03\x04") || first.starts_with(b"PK\x05\x06"))
    }

    async fn add_file(self, path: &str, bytes: Vec<u8>, payload: &ImportJob) -> Result<bool> {
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        let details = UploadDetails {
            filename: Some(Filename::new(name)?),
            entity_type: Some(SourceType::KnowledgeBase),
            ..UploadDetails::default()
        };
        let artifact = self.keep_bytes(bytes.into(), details).await?;
        let draft = SourceDraft {
            content: SourceContent::Artifact(artifact.sha256),
            document_id: payload.document_id,
            tags: payload.tags.clone(),
            ..SourceDraft::default()
        };
        Ok(self.create(draft).await?.1)
    }
}

impl App {
    /// Makes a source of each file of a zip.
    async fn import_zip(&self, context: &JobContext, payload: ImportJob) -> Result<Json, JobError> {
        let scope = &context.scope;
        let whole = self.sources(scope).bytes_of(payload.artifact_sha256).await?;
        let (send, mut files) = mpsc::channel(2);
        let unpacking = tokio::task::spawn_blocking(move || unpack_zip(whole, &send));
        let (mut added, mut unchanged, mut done, mut reasons, mut rejected) = (0_u64, 0_u64, 0_u64, Vec::new(), 0_u64);
        while let Some((name, content)) = files.recv().await {
            done += 1;
            let outcome = match content {
                Ok(bytes) => self.sources(scope).add_file(&name, bytes, &payload).await,
                Err(reason) => Err(Problem::new(Code::ImportUnreadable, reason).into()),
            };
            match outcome {
                Ok(true) => added += 1,
                Ok(false) => unchanged += 1,
                Err(Error::Problem(problem)) => {
                    rejected += 1;
                    if reasons.len() < MAX_REASONS {
                        reasons.push(RejectedEntry { entry: name.clone(), reason: problem.detail });
                    }
                }
                Err(error) => return Err(error.into()),
            }
            context.progress.update(done, None, "unpacking").await;
        }
        match unpacking.await {
            Ok(Ok(())) => Ok(json!({ "added": added, "unchanged": unchanged, "failed": rejected, "reasons": reasons })),
            Ok(Err(reason)) => Err(JobError::Permanent(reason)),
            Err(error) => Err(JobError::Retry(error.to_string())),
        }
    }
}

/// Unpacks a zip, file by file, within bounds.
fn unpack_zip(whole: Vec<u8>, send: &mpsc::Sender<(String, Result<Vec<u8>, String>)>) -> Result<(), String> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(whole))
        .map_err(|error| format!("the zip cannot be read: {error}"))?;
    if archive.len() > MAX_FILES {
        return Err(format!("the zip has {} files; the most is {MAX_FILES}", archive.len()));
    }
    let mut unpacked = 0;
    for index in 0..archive.len() {
        let (name, content) = match archive.by_index(index) {
            Ok(file) if file.is_dir() => continue,
            Ok(file) => {
                let name = String::from_utf8_lossy(file.name_raw()).into_owned();
                // What systems put beside the files is not what anyone wants to cite.
                let hidden = name.split('/').any(|part| part.starts_with('.') || part == "__MACOSX");
                if hidden {
                    continue;
                }
                let mut bytes = Vec::new();
                let read = file.take(MAX_FILE + 1).read_to_end(&mut bytes);
                unpacked += bytes.len() as u64;
                let content = match read {
                    Ok(_) if bytes.len() as u64 > MAX_FILE => Err(format!("it is larger than {MAX_FILE} bytes")),
                    Ok(_) => Ok(bytes),
                    Err(error) => Err(format!("it cannot be unpacked: {error}")),
                };
                (name, content)
            }
            Err(error) => (format!("file {}", index + 1), Err(format!("it cannot be unpacked: {error}"))),
        };
        if unpacked > MAX_UNPACKED {
            return Err(format!("the zip unpacks to more than {MAX_UNPACKED} bytes"));
        }
        if send.blocking_send((name, content)).is_err() {
            return Ok(()); // the job was taken back
        }
    }
    Ok(())
}

type ParsedDrafts = (Vec<(String, SourceDraft)>, Vec<RejectedEntry>);

/// The sources that a list asks for, and what of it could not be read.
fn parse_drafts(text: &str, format: Option<&str>) -> Result<ParsedDrafts, Problem> {
    match list_format(text, format)? {
        ListFormat::References(format) => {
            let imported = references::read(text, format)
                .map_err(|error| Problem::new(Code::ImportFormatUnknown, error.to_string()).with_field("format"))?;
            let failed = imported
                .problems
                .into_iter()
                .map(|problem| {
                    let line = problem.line.map(|line| format!("line {line}"));
                    let entry = [problem.key, line].into_iter().flatten().collect::<Vec<_>>().join(", ");
                    RejectedEntry { entry, reason: problem.message }
                })
                .collect();
            let drafts = imported.entries.into_iter().map(|entry| {
                let name = entry.key.clone().or_else(|| entry.reference.title.clone()).unwrap_or_default();
                let draft = SourceDraft {
                    external_id: Some(work_key(&entry.reference)),
                    url: entry.url,
                    reference: entry.reference,
                    tags: entry.tags,
                    ..SourceDraft::default()
                };
                (name, draft)
            });
            Ok((drafts.collect(), failed))
        }
        ListFormat::Addresses => {
            let listed = url_lists::parse_url_list(text)
                .map_err(|error| Problem::new(Code::ImportUnreadable, error.to_string()).with_field("text"))?;
            let lines = listed.unread_lines.iter().map(|line| (format!("line {line}"), "it is not an address"));
            let maps =
                listed.sitemaps.iter().map(|url| (url.clone(), "it is a sitemap of its own: import it by itself"));
            let failed =
                lines.chain(maps).map(|(entry, reason)| RejectedEntry { entry, reason: reason.to_owned() }).collect();
            let draft = |url: String| {
                let draft =
                    SourceDraft { content: SourceContent::AtUrl, url: Some(url.clone()), ..SourceDraft::default() };
                (url, draft)
            };
            Ok((listed.pages.into_iter().map(draft).collect(), failed))
        }
    }
}

/// Returns a key of a work from its DOI or its title, author, year and pages, so that importing a list twice adds
/// nothing.
fn work_key(reference: &Reference) -> String {
    if let Some(doi) = &reference.doi {
        return format!("doi:{}", doi.to_lowercase());
    }
    let fold = |text: &str| -> String { text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect() };
    let author = reference.authors.first().map(ToString::to_string).unwrap_or_default();
    let year = reference.publication_date.map(|date| date.year().to_string()).unwrap_or_default();
    let title = reference.title.as_deref().unwrap_or_default();
    let parts = [fold(title), fold(&author), year, fold(reference.pages.as_deref().unwrap_or_default())];
    format!("work:{}", Sha256::of_bytes(parts.join("|").as_bytes()))
}

fn list_format(text: &str, format: Option<&str>) -> Result<ListFormat, Problem> {
    use references::ImportFormat;
    Ok(match format.map(str::to_ascii_lowercase).as_deref() {
        Some("bibtex" | "biblatex" | "bib") => ListFormat::References(Some(ImportFormat::Bibtex)),
        Some("ris") => ListFormat::References(Some(ImportFormat::Ris)),
        Some("csl-json" | "csl_json" | "csl" | "json") => ListFormat::References(Some(ImportFormat::CslJson)),
        Some("urls" | "sitemap" | "url-list" | "url_list") => ListFormat::Addresses,
        Some(other) => {
            let detail = format!(
                "'{}' is not a format; it is one of bibtex, biblatex, ris, csl-json, urls, sitemap",
                shorten_for_error(other)
            );
            return Err(Problem::new(Code::ImportFormatUnknown, detail).with_field("format"));
        }
        None if is_url_list(text) => ListFormat::Addresses,
        None => ListFormat::References(None),
    })
}

/// True if a text starts with a URL or is a sitemap.
fn is_url_list(text: &str) -> bool {
    let start: String = text.trim_start_matches('\u{feff}').trim_start().chars().take(2000).collect();
    let lower = start.to_ascii_lowercase();
    let first =
        lower.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
    first.starts_with("http://")
        || first.starts_with("https://")
        || lower.contains("<urlset")
        || lower.contains("<sitemapindex")
}

impl BackgroundJob for ImportJob {
    const KIND: &'static str = "import";
    const AT_ONCE: Option<u32> = Some(1);

    fn key(&self) -> String {
        json!(self).to_string()
    }

    async fn run(self, context: &JobContext) -> JobOutcome {
        context.app.import_zip(context, self).await.map(Some)
    }
}
