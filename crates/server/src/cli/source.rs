//! `ibid source`

use std::{io::Write, path::PathBuf};

use clap::{Args, Subcommand};
use ibid_app::{
    ImportReport, ImportRequest, SourceChange, SourceContent, SourceDraft, SourceWithRevision, UploadDetails,
    parse_names,
};
use ibid_domain::{Limit, Origin, PartialDate, Reference, SourceId, SourceStatus, SourceType};
use ibid_store::SourceFilter;
use serde_json::{Value as Json, json};

use super::{
    CommandError, CommandResult, LocalLibrary, Output,
    output::{format_count, format_size, print_fields, print_table},
};
use crate::{http::source_json, wire::runs::AffectedClaimView};

#[derive(Subcommand)]
pub(super) enum SourceCommand {
    /// List sources in the library, newest first
    List {
        /// Only those with all these words, in what is known of them or in their text
        words: Vec<String>,
        /// Only list sources of this type
        #[arg(long = "type")]
        kind: Option<SourceType>,
        /// Only those from there: web, blob_storage, manual …
        #[arg(long)]
        origin: Option<Origin>,
        /// Only those that have come so far: pending, indexed, ready or failed
        #[arg(long)]
        status: Option<SourceStatus>,
        /// Maximum number of sources to list
        #[arg(long, default_value = "50")]
        limit: i64,
    },
    /// Show what is known of a source
    Show {
        /// Id of the source, as `ibid source list` prints it
        id: SourceId,
        /// Print the text of the source instead of its details
        #[arg(long, conflicts_with = "chunks")]
        text: bool,
        /// Print its passages instead, with their places
        #[arg(long)]
        chunks: bool,
    },
    /// Create a source from bibliographic details
    New(SourceDetails),
    /// Change what is said of a source; an empty value removes it
    Edit {
        /// Id of the source, as `ibid source list` prints it
        id: SourceId,
        #[command(flatten)]
        details: SourceDetails,
    },
    /// Bring references (BibTeX, BibLaTeX, RIS, CSL-JSON), a list of addresses, a sitemap or a zip
    Import {
        /// File with the references to import
        file: PathBuf,
        /// Format of the file; detected by default
        #[arg(long)]
        format: Option<String>,
    },
    /// Take the content of a source in again
    Refresh {
        /// Id of the source to fetch again
        id: SourceId,
    },
    /// Say what would be lost with a source
    Impact {
        /// Id of the source that would be deleted
        id: SourceId,
    },
    /// Delete sources from the library
    Delete {
        /// Ids of the sources to delete
        #[arg(required = true)]
        ids: Vec<SourceId>,
    },
}

/// Bibliographic details of a source, as options of the command line.
#[derive(Args)]
pub(super) struct SourceDetails {
    /// Title of the source, as references print it
    #[arg(long)]
    title: Option<String>,
    /// Authors; separate several names with ;
    #[arg(long)]
    author: Option<String>,
    /// Publication date: 2024-05-01, 2024-05 or 2024
    #[arg(long)]
    date: Option<String>,
    /// Publisher of the work, as references print it
    #[arg(long)]
    publisher: Option<String>,
    /// The journal, book or series it appeared in
    #[arg(long)]
    container: Option<String>,
    /// Pages within the journal or book, such as 12-34
    #[arg(long)]
    pages: Option<String>,
    /// DOI (Digital Object Identifier) of the source
    #[arg(long)]
    doi: Option<String>,
    /// ISBN of the book, with or without hyphens
    #[arg(long)]
    isbn: Option<String>,
    /// Web address (URL) of the source
    #[arg(long)]
    url: Option<String>,
    /// Tag of the source, replacing the tags it has; may be given several times
    #[arg(long = "tag")]
    tags: Vec<String>,
}

impl SourceDetails {
    /// The fields that are said, by name, and what they say.
    fn reference_fields(&self) -> Result<(Vec<String>, Reference), CommandError> {
        let mut named = Vec::new();
        let mut reference = Reference::default();
        let texts = [
            ("title", &self.title, &mut reference.title),
            ("publisher", &self.publisher, &mut reference.publisher),
            ("container", &self.container, &mut reference.container),
            ("pages", &self.pages, &mut reference.pages),
            ("doi", &self.doi, &mut reference.doi),
            ("isbn", &self.isbn, &mut reference.isbn),
        ];
        for (name, said, field) in texts {
            if let Some(text) = said {
                named.push(name.to_owned());
                *field = Some(text.clone()).filter(|text| !text.trim().is_empty());
            }
        }
        if let Some(line) = &self.author {
            named.push("authors".to_owned());
            reference.authors = parse_names(line);
        }
        if let Some(date) = &self.date {
            named.push("publication_date".to_owned());
            let date = Some(date.as_str()).filter(|date| !date.is_empty());
            reference.publication_date = date.map(str::parse::<PartialDate>).transpose()?;
        }
        Ok((named, reference))
    }
}

pub(super) async fn run(command: SourceCommand, library: &LocalLibrary, output: &Output) -> CommandResult {
    let (app, scope) = (&library.app, &library.scope);
    match command {
        SourceCommand::List { words, kind, origin, status, limit } => {
            let words = words.iter().flat_map(|word| word.split_whitespace()).map(str::to_lowercase).collect();
            let filter = SourceFilter { kind, origin, status, words, ..SourceFilter::default() };
            let page = app.sources(scope).list(&filter, Limit::new(limit)?, None).await?;
            output.print_value(&page.items.iter().map(source_json).collect::<Vec<_>>(), || {
                let row = |one: &SourceWithRevision| {
                    let title: String = one.source.display_title().chars().take(70).collect();
                    let status = one.source.status.as_str().to_owned();
                    vec![one.source.id.to_string(), status, one.source.origin.as_str().to_owned(), title]
                };
                print_table(&page.items.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        SourceCommand::Show { id, text: true, .. } => {
            let text = app.sources(scope).text(id, None).await?;
            let value = json!({ "source_id": id, "text": text.text, "marks": text.marks });
            output.print_value(&value, || {
                // A reader that has seen enough, such as `head`, closes the pipe: that is no error.
                let _ = std::io::stdout().write_all(format!("{}\n", text.text).as_bytes());
            })?;
        }
        SourceCommand::Show { id, chunks: true, .. } => show_chunks(id, library, output).await?,
        SourceCommand::Show { id, .. } => {
            let described = app.sources(scope).get(id).await?;
            output.print_value(&source_json(&described), || print_source(&described))?;
        }
        SourceCommand::New(details) => {
            let (_, reference) = details.reference_fields()?;
            let draft = SourceDraft {
                content: SourceContent::Nothing,
                reference,
                url: details.url,
                tags: details.tags,
                ..SourceDraft::default()
            };
            let (described, _) = app.sources(scope).create(draft).await?;
            output.print_value(&source_json(&described), || print_source(&described))?;
        }
        SourceCommand::Edit { id, details } => {
            let (named, reference) = details.reference_fields()?;
            let change = SourceChange {
                reference: (!named.is_empty()).then_some((named, reference)),
                url: details.url.map(|url| Some(url).filter(|url| !url.is_empty())),
                tags: (!details.tags.is_empty()).then_some(details.tags),
                ..SourceChange::default()
            };
            let described = app.sources(scope).change(id, change).await?;
            output.print_value(&source_json(&described), || print_source(&described))?;
        }
        SourceCommand::Import { file, format } => return import_file(file, format, library, output).await,
        SourceCommand::Refresh { id } => {
            let job = app.sources(scope).refresh(id, None).await?;
            output.print_value(&json!({ "job_id": job }), || {
                anstream::println!(
                    "Asked for; a running server or worker does it. Follow it with: ibid job show {job}"
                );
            })?;
        }
        SourceCommand::Impact { id } => {
            let impact = app.sources(scope).impact(id).await?;
            let affected = app.citations(scope).affected_claims(id, None, Limit::default(), None).await?;
            let bytes = impact.artifacts.iter().map(|artifact| artifact.size_bytes).sum();
            let (claims, lost) = (affected.claims, affected.lost_claims);
            let listed: Vec<AffectedClaimView> = affected.page.items.into_iter().map(Into::into).collect();
            let value = json!({
                "source_id": id, "revision_count": impact.revisions, "chunk_count": impact.chunks,
                "artifact_count": impact.artifacts.len(), "size_bytes": bytes,
                "claim_count": claims, "lost_claim_count": lost, "claims": listed,
            });
            output.print_value(&value, || {
                anstream::println!(
                    "With '{}' would go {}, {} and {} ({}).",
                    impact.source.display_title(),
                    format_count(impact.revisions, "revision"),
                    format_count(impact.chunks, "passage"),
                    format_count(impact.artifacts.len() as u64, "artifact"),
                    format_size(bytes)
                );
                anstream::println!(
                    "{} {}; {} no other source.",
                    format_count(claims, "claim"),
                    if claims == 1 { "cites it" } else { "cite it" },
                    if lost == 1 { "1 has".to_owned() } else { format!("{lost} have") },
                );
                for line in listed.iter().filter_map(AffectedClaimView::lost_line) {
                    anstream::println!("  {line}");
                }
            })?;
        }
        SourceCommand::Delete { ids } => {
            for id in &ids {
                app.sources(scope).delete(*id).await?;
            }
            output.print_value(&json!({ "deleted": ids }), || {
                anstream::println!("Deleted {}.", format_count(ids.len() as u64, "source"));
            })?;
        }
    }
    Ok(true)
}

async fn show_chunks(id: SourceId, library: &LocalLibrary, output: &Output) -> Result<(), CommandError> {
    let (mut chunks, mut after) = (Vec::new(), None);
    loop {
        let limit = Limit::new(Limit::MAX.into())?;
        let page = library.app.sources(&library.scope).chunks(id, None, limit, after.as_ref()).await?;
        chunks.extend(page.items);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let value: Vec<Json> = chunks
        .iter()
        .map(|chunk| {
            json!({ "start_char": chunk.span.start, "end_char": chunk.span.end, "place": chunk.place,
                    "tokens": chunk.tokens, "embedded": chunk.embedded, "content": chunk.content })
        })
        .collect();
    output.print_value(&value, || {
        for chunk in &chunks {
            let mut place = vec![format!("{}–{}", chunk.span.start, chunk.span.end)];
            place.extend(chunk.place.page.map(|page| format!("page {page}")));
            place.extend(chunk.place.sheet.clone());
            place.extend(chunk.place.cells.clone());
            place.extend(chunk.place.part.clone());
            place.extend((!chunk.place.section.is_empty()).then(|| chunk.place.section.join(" › ")));
            output.print_heading(&place.join("  "));
            anstream::println!("{}\n", chunk.content);
        }
    })?;
    Ok(())
}

async fn import_file(file: PathBuf, format: Option<String>, library: &LocalLibrary, output: &Output) -> CommandResult {
    let (app, scope) = (&library.app, &library.scope);
    let bytes = tokio::fs::read(&file).await.map_err(|error| CommandError(format!("{}: {error}", file.display())))?;
    let mut received = app.start_upload(u64::MAX).await?;
    received.write(bytes.into()).await?;
    let (artifact, _) = app.artifacts(scope).store(received, UploadDetails::default()).await?;
    let import = ImportRequest { artifact: Some(artifact.sha256), format, ..ImportRequest::default() };
    match app.sources(scope).import(import).await? {
        ImportReport::Done { sources, failed } => {
            let added = sources.iter().filter(|(_, new)| *new).count();
            let value = json!({
                "items": sources.iter().map(|(one, _)| source_json(one)).collect::<Vec<_>>(),
                "added": added, "unchanged": sources.len() - added, "failed": failed,
            });
            output.print_value(&value, || {
                for one in &failed {
                    output.print_warning(&format!("{}: {}", one.entry, one.reason));
                }
                let unchanged = sources.len() - added;
                let total = format_count((sources.len() + failed.len()) as u64, "entry").replace("entrys", "entries");
                anstream::println!("{total}: {added} added, {unchanged} unchanged, {} failed", failed.len());
            })?;
            Ok(failed.is_empty())
        }
        ImportReport::Queued(job) => {
            output.print_value(&json!({ "job_id": job.id }), || {
                anstream::println!("A running server or worker unpacks it. Follow it with: ibid job show {}", job.id);
            })?;
            Ok(true)
        }
    }
}

fn print_source(described: &SourceWithRevision) {
    let (source, reference) = (&described.source, &described.source.reference);
    let mut lines = vec![
        ("id", source.id.to_string()),
        ("title", source.display_title().to_owned()),
        ("type", source.kind.as_str().to_owned()),
        ("origin", source.origin.as_str().to_owned()),
        ("status", source.status.as_str().to_owned()),
    ];
    let authors: Vec<_> = reference.authors.iter().map(ToString::to_string).collect();
    let mut also = |name, value: Option<String>| lines.extend(value.map(|value| (name, value)));
    also("authors", (!authors.is_empty()).then(|| authors.join("; ")));
    also("date", reference.publication_date.map(|date| date.to_string()));
    also("in", reference.container.clone());
    also("publisher", reference.publisher.clone());
    also("doi", reference.doi.clone());
    also("isbn", reference.isbn.clone());
    also("site", source.site_name.clone());
    also("url", source.url.clone());
    also("tags", (!source.tags.is_empty()).then(|| source.tags.join(", ")));
    if let Some(revision) = &described.revision {
        also("file", revision.filename.clone());
        also("media type", Some(revision.media_type.clone()));
        also("size", Some(format_size(revision.size_bytes)));
        also("pages", revision.page_count.map(|pages| pages.to_string()));
        also("passages", Some(revision.chunk_count.to_string()));
        also("revision", Some(revision.number.to_string()));
        also("content", Some(revision.content.to_string()));
        also("text", revision.text.map(|sha256| sha256.to_string()));
    }
    also("no text", source.extraction_error.as_ref().map(|fault| fault.detail.clone()));
    also("embedding", Some(source.embedding.as_str().to_owned()));
    also("because", source.embedding_error.clone());
    also("added", Some(source.created_at.to_string()));
    print_fields(&lines);
}
