//! `ibid source`

use std::{io::Write, path::PathBuf};

use clap::{Args, Subcommand};
use ibid_domain::{Origin, PartialDate, SourceId, SourceStatus, SourceType};
use reqwest::StatusCode;
use serde_json::{Map, Value as Json, json};

use super::{
    CommandError, CommandResult, Output,
    api::{Api, read_file},
    output::{format_count, format_size, items, number, print_fields, print_table, text},
};

#[derive(Subcommand)]
pub(super) enum SourceCommand {
    /// List sources in the library, newest first
    List {
        /// Only sources with all these words, in their details or in their text
        words: Vec<String>,
        /// Only list sources of this type
        #[arg(long = "type")]
        kind: Option<SourceType>,
        /// Only sources of this origin: web, blob_storage, manual …
        #[arg(long)]
        origin: Option<Origin>,
        /// Only sources in this state: pending, indexed, ready or failed
        #[arg(long)]
        status: Option<SourceStatus>,
        /// Maximum number of sources to list
        #[arg(long, default_value = "50")]
        limit: usize,
    },
    /// Show the details of a source
    Show {
        /// Id of the source, as `ibid source list` prints it
        id: SourceId,
        /// Print the text of the source instead of its details
        #[arg(long, conflicts_with = "chunks")]
        text: bool,
        /// Print the passages of the source, with their places
        #[arg(long)]
        chunks: bool,
    },
    /// Create a source from bibliographic details
    New(SourceDetails),
    /// Change the details of a source; an empty value removes one
    Edit {
        /// Id of the source, as `ibid source list` prints it
        id: SourceId,
        #[command(flatten)]
        details: SourceDetails,
    },
    /// Import references (BibTeX, BibLaTeX, RIS, CSL-JSON), a list of addresses, a sitemap or a zip
    Import {
        /// File with the references to import
        file: PathBuf,
        /// Format of the file; detected by default
        #[arg(long)]
        format: Option<String>,
    },
    /// Read the content of a source again
    Refresh {
        /// Id of the source to fetch again
        id: SourceId,
    },
    /// Show what deleting a source would delete, and which claims cite it
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
    /// The fields that are said, as the API takes them: an empty value removes a field.
    fn to_body(&self) -> Result<Json, CommandError> {
        let mut body = Map::new();
        let texts = [
            ("title", &self.title),
            ("author", &self.author),
            ("publication_date", &self.date),
            ("publisher", &self.publisher),
            ("container", &self.container),
            ("pages", &self.pages),
            ("doi", &self.doi),
            ("isbn", &self.isbn),
            ("url", &self.url),
        ];
        for (name, said) in texts {
            let Some(said) = said else { continue };
            body.insert(name.to_owned(), if said.trim().is_empty() { Json::Null } else { json!(said) });
        }
        if let Some(date) = self.date.as_deref().filter(|date| !date.is_empty()) {
            date.parse::<PartialDate>()?;
        }
        if !self.tags.is_empty() {
            body.insert("tags".to_owned(), json!(self.tags));
        }
        Ok(Json::Object(body))
    }
}

pub(super) async fn run(command: SourceCommand, api: &Api, output: &Output) -> CommandResult {
    match command {
        SourceCommand::List { words, kind, origin, status, limit } => {
            let mut query = Vec::new();
            query.extend((!words.is_empty()).then(|| ("q", words.join(" "))));
            query.extend(kind.map(|kind| ("type", kind.as_str().to_owned())));
            query.extend(origin.map(|origin| ("origin", origin.as_str().to_owned())));
            query.extend(status.map(|status| ("status", status.as_str().to_owned())));
            let sources = api.list("/api/v1/sources", &query, limit).await?;
            output.print_value(&sources, || {
                let row = |one: &Json| {
                    let title: String = text(one, "title").chars().take(70).collect();
                    let [id, status, origin] = ["id", "status", "origin"].map(|field| text(one, field).to_owned());
                    vec![id, status, origin, title]
                };
                print_table(&sources.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        SourceCommand::Show { id, text: true, .. } => {
            let found = api.get(format!("/api/v1/sources/{id}/text")).json().await?;
            let value = json!({ "source_id": id, "text": found["text"], "marks": found["marks"] });
            output.print_value(&value, || {
                // A reader that has seen enough, such as `head`, closes the pipe: that is no error.
                let _ = std::io::stdout().write_all(format!("{}\n", text(&found, "text")).as_bytes());
            })?;
        }
        SourceCommand::Show { id, chunks: true, .. } => show_chunks(id, api, output).await?,
        SourceCommand::Show { id, .. } => {
            print_source(&api.get(format!("/api/v1/sources/{id}")).json().await?, output)?
        }
        SourceCommand::New(details) => {
            let mut body = details.to_body()?;
            // Typed by hand: the address is noted, not fetched.
            body["fetch"] = json!(false);
            print_source(&api.post("/api/v1/sources").body(&body).json().await?, output)?;
        }
        SourceCommand::Edit { id, details } => {
            let body = details.to_body()?;
            print_source(&api.patch(format!("/api/v1/sources/{id}")).body(&body).json().await?, output)?;
        }
        SourceCommand::Import { file, format } => return import_file(file, format, api, output).await,
        SourceCommand::Refresh { id } => {
            let queued = api.post(format!("/api/v1/sources/{id}/refresh")).json().await?;
            output.print_value(&queued, || print_queued(text(&queued, "job_id"), api))?;
        }
        SourceCommand::Impact { id } => {
            let impact = api.get(format!("/api/v1/sources/{id}/impact")).json().await?;
            let artifacts = items(&impact, "artifacts").len() as u64;
            let value = json!({
                "source_id": id, "revision_count": impact["revision_count"], "chunk_count": impact["chunk_count"],
                "artifact_count": artifacts, "size_bytes": impact["size_bytes"],
                "claim_count": impact["claim_count"], "lost_claim_count": impact["lost_claim_count"],
                "claims": impact["claims"],
            });
            output.print_value(&value, || print_impact(&impact, artifacts))?;
        }
        SourceCommand::Delete { ids } => {
            for id in &ids {
                api.delete(format!("/api/v1/sources/{id}")).send().await?;
            }
            output.print_value(&json!({ "deleted": ids }), || {
                anstream::println!("Deleted {}.", format_count(ids.len() as u64, "source"));
            })?;
        }
    }
    Ok(true)
}

/// Says that a job was started, and how to follow it.
fn print_queued(job: &str, api: &Api) {
    let who = if api.is_remote() { "The server does it" } else { "A running server or worker does it" };
    anstream::println!("{who}. Follow it with: ibid job show {job}");
}

fn print_impact(impact: &Json, artifacts: u64) {
    let (claims, lost) = (number(impact, "claim_count"), number(impact, "lost_claim_count"));
    anstream::println!(
        "Deleting '{}' also deletes {}, {} and {} ({}).",
        text(impact, "title"),
        format_count(number(impact, "revision_count"), "revision"),
        format_count(number(impact, "chunk_count"), "passage"),
        format_count(artifacts, "artifact"),
        format_size(number(impact, "size_bytes"))
    );
    anstream::println!(
        "{} {}; {} no other source.",
        format_count(claims, "claim"),
        if claims == 1 { "cites it" } else { "cite it" },
        if lost == 1 { "1 has".to_owned() } else { format!("{lost} have") },
    );
    for claim in items(impact, "claims").iter().filter(|claim| claim["loses_support"] == true) {
        let place = match (claim["document_title"].as_str(), claim["conversation_id"].as_str()) {
            (Some(title), _) => format!("document '{title}'"),
            (None, Some(conversation)) => format!("conversation {conversation}"),
            (None, None) => continue,
        };
        if let Some(words) = claim["claim"].as_str() {
            anstream::println!("  {words} ({place}, citation {})", number(claim, "number"));
        }
    }
}

async fn show_chunks(id: SourceId, api: &Api, output: &Output) -> Result<(), CommandError> {
    let chunks = api.list(&format!("/api/v1/sources/{id}/chunks"), &[], usize::MAX).await?;
    output.print_value(&chunks, || {
        for chunk in &chunks {
            let mut place = vec![format!("{}–{}", number(chunk, "start_char"), number(chunk, "end_char"))];
            place.extend(chunk["page"].as_u64().map(|page| format!("page {page}")));
            place
                .extend(["sheet", "cells", "part"].iter().filter_map(|field| chunk[field].as_str()).map(str::to_owned));
            let section: Vec<_> = items(chunk, "section").iter().filter_map(Json::as_str).collect();
            place.extend((!section.is_empty()).then(|| section.join(" › ")));
            output.print_heading(&place.join("  "));
            anstream::println!("{}\n", text(chunk, "content"));
        }
    })?;
    Ok(())
}

async fn import_file(file: PathBuf, format: Option<String>, api: &Api, output: &Output) -> CommandResult {
    let artifact = api.post("/api/v1/artifacts").stream(read_file(&file).await?).json().await?;
    let body = json!({ "artifact_sha256": artifact["sha256"], "format": format });
    let answer = api.post("/api/v1/sources/import").body(&body).send().await?;
    if answer.status() == StatusCode::ACCEPTED {
        let job = answer.json().await?;
        output.print_value(&json!({ "job_id": job["id"] }), || print_queued(text(&job, "id"), api))?;
        return Ok(true);
    }
    let imported = answer.json().await?;
    let failed = items(&imported, "failed");
    output.print_value(&imported, || {
        for one in failed {
            output.print_warning(&format!("{}: {}", text(one, "entry"), text(one, "reason")));
        }
        let (added, unchanged) = (number(&imported, "added"), number(&imported, "unchanged"));
        let total = added + unchanged + failed.len() as u64;
        let total = if total == 1 { "1 entry".to_owned() } else { format!("{total} entries") };
        anstream::println!("{total}: {added} added, {unchanged} unchanged, {} failed", failed.len());
    })?;
    Ok(failed.is_empty())
}

fn print_source(source: &Json, output: &Output) -> Result<(), CommandError> {
    output.print_value(source, || {
        let list = |field| items(source, field).iter().filter_map(Json::as_str).collect::<Vec<_>>();
        let size = source["size_bytes"].as_u64().map(format_size).unwrap_or_default();
        let count = |field: &str| source[field].as_u64().map(|number| number.to_string()).unwrap_or_default();
        let mut lines = vec![
            ("id", text(source, "id").to_owned()),
            ("title", text(source, "title").to_owned()),
            ("type", text(source, "type").to_owned()),
            ("origin", text(source, "origin").to_owned()),
            ("status", text(source, "status").to_owned()),
            ("authors", list("authors").join("; ")),
            ("date", text(source, "publication_date").to_owned()),
            ("in", text(source, "container").to_owned()),
            ("publisher", text(source, "publisher").to_owned()),
            ("doi", text(source, "doi").to_owned()),
            ("isbn", text(source, "isbn").to_owned()),
            ("site", text(source, "site_name").to_owned()),
            ("url", text(source, "url").to_owned()),
            ("tags", list("tags").join(", ")),
            ("file", text(source, "filename").to_owned()),
            ("media type", text(source, "media_type").to_owned()),
            ("size", size),
            ("pages", count("page_count")),
            ("passages", source["revision"].as_u64().map(|_| count("chunk_count")).unwrap_or_default()),
            ("revision", count("revision")),
            ("content", text(source, "artifact_sha256").to_owned()),
            ("text", text(source, "text_sha256").to_owned()),
            ("no text", text(&source["extraction_error"], "detail").to_owned()),
            ("embedding", text(source, "embedding").to_owned()),
            ("because", text(source, "embedding_error").to_owned()),
            ("added", text(source, "created_at").to_owned()),
        ];
        lines.retain(|(_, value)| !value.is_empty());
        print_fields(&lines);
    })?;
    Ok(())
}
