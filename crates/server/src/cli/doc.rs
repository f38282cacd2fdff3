//! `ibid doc`

use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use clap::Subcommand;
use ibid_domain::{CiteAs, Code, DocumentFormat, DocumentId, MissingDetails, SourceId, Template};
use serde_json::{Value as Json, json};

use super::{
    CommandError, CommandResult, Output,
    api::Api,
    artifact::save_bytes,
    output::{BOLD, DIM, format_count, format_size, items, number, print_table, text},
};

/// Number of documents or versions that are listed.
const LISTED: usize = 100;

/// Header of a rendered document with its number of pages; not there if the format has none.
const PAGES: &str = "ibid-pages";

/// Interval between two checks of a watched file for changes.
const POLL_INTERVAL: Duration = Duration::from_millis(150);

#[derive(Subcommand)]
pub(super) enum DocCommand {
    /// Create a document from a text or a file
    New {
        /// Title of the new document, as shown in lists
        title: String,
        /// A file with its text; `-` reads standard input
        file: Option<PathBuf>,
        /// markdown or typst; default: by the name of the file
        #[arg(long)]
        format: Option<DocumentFormat>,
        /// The style of its references: apa, mla, chicago-notes …
        #[arg(long)]
        style: Option<String>,
        /// The language of its references: en-US
        #[arg(long)]
        locale: Option<String>,
        /// article, report, essay or none
        #[arg(long)]
        template: Option<Template>,
        /// Form of citations: footnotes or in_text
        #[arg(long)]
        cite_as: Option<CiteAs>,
        /// Author of the document; may be given several times
        #[arg(long)]
        author: Vec<String>,
        /// Source that the document is written from; may be given several times
        #[arg(long)]
        source: Vec<SourceId>,
    },
    /// List documents, the last changed first
    List {
        /// Only those with these words in their title
        words: Vec<String>,
    },
    /// Print the text of a document
    Show {
        /// Id of the document, as `ibid doc list` prints it
        id: DocumentId,
        /// Show this version instead of the newest
        #[arg(long)]
        version: Option<u64>,
    },
    /// Change a document, in your editor or from a file
    Edit {
        /// Id of the document, as `ibid doc list` prints it
        id: DocumentId,
        /// A file with the new text; `-` reads standard input. Without one $EDITOR opens
        file: Option<PathBuf>,
        /// New citation style of the document
        #[arg(long)]
        style: Option<String>,
        /// New layout template of the document
        #[arg(long)]
        template: Option<Template>,
        /// Form of citations: footnotes or in_text
        #[arg(long)]
        cite_as: Option<CiteAs>,
        /// Reason for the change, shown in the history
        #[arg(long, short)]
        message: Option<String>,
    },
    /// Cite a source: the marker is put into the text
    Cite {
        /// Id of the document that cites
        id: DocumentId,
        /// Id of the source that is cited
        source: SourceId,
        /// Put the citation after these words; default: at the end of the text
        #[arg(long)]
        after: Option<String>,
        /// Place in the source, such as "p. 12"
        #[arg(long)]
        locator: Option<String>,
        /// Text before the citation, such as "see"
        #[arg(long)]
        prefix: Option<String>,
        /// Text after the citation in the footnote
        #[arg(long)]
        suffix: Option<String>,
    },
    /// Print the bibliography of a document
    Bib {
        /// Id of the document whose sources are listed
        id: DocumentId,
        /// Citation style to use instead of the document's own
        #[arg(long)]
        style: Option<String>,
        /// One entry for each citation
        #[arg(long)]
        per_citation: bool,
        /// What stands for missing details: placeholders, or csl for the rules of the style
        #[arg(long)]
        missing: Option<MissingDetails>,
        /// Insert the bibliography into the text, too
        #[arg(long)]
        insert: bool,
    },
    /// Render a document to a file
    Build {
        /// Id of the document to render
        id: DocumentId,
        /// File to write; its extension sets the format: pdf, html, md, typ, svg or png
        #[arg(default_value = "document.pdf")]
        out: PathBuf,
        /// Number of the page to render, from 1; only for svg and png
        #[arg(long, default_value = "1")]
        page: usize,
    },
    /// Save a file as a document whenever it changes, and render it again
    Watch {
        /// Id of the document to update
        id: DocumentId,
        /// File with the text of the document; each change is saved as a new version
        file: PathBuf,
        /// File to render after each change; its extension sets the format
        #[arg(default_value = "document.pdf")]
        out: PathBuf,
        /// Stop after the first rendering
        #[arg(long)]
        once: bool,
    },
    /// List the versions of a document
    History {
        /// Id of the document whose versions are listed
        id: DocumentId,
    },
    /// Restore an earlier version of a document
    Restore {
        /// Id of the document to restore
        id: DocumentId,
        /// Number of the version to restore
        version: u64,
    },
}

pub(super) async fn run(command: DocCommand, api: &Api, output: &Output) -> CommandResult {
    match command {
        DocCommand::New { title, file, format, style, locale, template, cite_as, author, source } => {
            let is_typst = file.as_ref().is_some_and(|file| file.extension().is_some_and(|end| end == "typ"));
            let format = format.unwrap_or(if is_typst { DocumentFormat::Typst } else { DocumentFormat::Markdown });
            let content = file.as_deref().map(read_text).transpose()?.unwrap_or_default();
            let body = json!({
                "title": title,
                "format": format,
                "style": style,
                "locale": locale,
                "template": template,
                "cite_as": cite_as,
                "authors": (!author.is_empty()).then_some(author),
                "text": content,
                "source_ids": source,
            });
            let document = api.post("/api/v1/documents").body(&body).json().await?;
            print_document(output, &document, "made")?;
        }
        DocCommand::List { words } => {
            let documents = api.list("/api/v1/documents", &[("q", words.join(" "))], LISTED).await?;
            output.print_value(&documents, || {
                let row = |document: &Json| {
                    vec![
                        text(document, "id").to_owned(),
                        text(document, "title").to_owned(),
                        text(document, "style").to_owned(),
                        format!("version {}", number(document, "version")),
                        format_count(number(document, "source_count"), "source"),
                    ]
                };
                print_table(&documents.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        DocCommand::Show { id, version } => {
            let document = api.get(document_path(id)).maybe("version", version).json().await?;
            output.print_value(&document, || {
                let content = text(&document, "text");
                anstream::print!("{content}{}", if content.ends_with('\n') { "" } else { "\n" });
            })?;
        }
        DocCommand::Edit { id, file, style, template, cite_as, message } => {
            let before = api.get(document_path(id)).json().await?;
            let only_looks = style.is_some() || template.is_some() || cite_as.is_some();
            let content = match &file {
                Some(file) => Some(read_text(file)?),
                None if only_looks => None,
                None => Some(edit_text(&before)?),
            };
            let body = json!({
                "base_version": number(&before, "version"),
                "message": message,
                "style": style,
                "template": template,
                "cite_as": cite_as,
                "text": content,
            });
            let document = match (api.patch(document_path(id)).body(&body).json().await, content) {
                (Ok(document), _) => document,
                (Err(error), Some(written)) if error.code == Code::DocumentChanged.as_str() && file.is_none() => {
                    // What was written in an editor is not lost.
                    let kept = std::env::temp_dir().join(format!("ibid-{id}.txt"));
                    std::fs::write(&kept, written)?;
                    let reason = error.reason;
                    return Err(CommandError::failed(format!("{reason}; what you wrote is in {}", kept.display())));
                }
                (Err(error), _) => return Err(error),
            };
            let is_same = number(&document, "version") == number(&before, "version");
            print_document(output, &document, if is_same { "unchanged" } else { "saved" })?;
        }
        DocCommand::Cite { id, source, after, locator, prefix, suffix } => {
            let position = match &after {
                None => None,
                Some(words) => {
                    let document = api.get(document_path(id)).json().await?;
                    Some(after_words(text(&document, "text"), words)?)
                }
            };
            let body = json!({
                "source_id": source,
                "position": position,
                "locator": locator,
                "prefix": prefix,
                "suffix": suffix,
                "insert": true,
            });
            let cited = api.post(format!("{}/citations", document_path(id))).body(&body).json().await?;
            let citation = &cited["citation"];
            output.print_value(citation, || {
                let (number, version) = (number(citation, "citation_number"), number(&cited, "version"));
                let formatted = text(citation, "formatted");
                anstream::println!("{BOLD}[{number}]{BOLD:#} {formatted}  {DIM}version {version}{DIM:#}");
            })?;
        }
        DocCommand::Bib { id, style, per_citation, missing, insert } => {
            let entries = if per_citation { "per_citation" } else { "per_source" };
            let body = json!({ "style": style, "entries": entries, "missing": missing, "insert": insert });
            let bibliography = api.post(format!("{}/bibliography", document_path(id))).body(&body).json().await?;
            output.print_value(&bibliography, || {
                let entries = items(&bibliography, "entries");
                for entry in entries {
                    anstream::println!("{}", text(entry, "text"));
                }
                if entries.is_empty() {
                    anstream::println!("{DIM}the document cites nothing yet{DIM:#}");
                }
            })?;
        }
        DocCommand::Build { id, out, page } => {
            let (bytes, pages) = build_document(api, id, &out, page).await?;
            let json = json!({ "file": out, "size_bytes": bytes, "pages": pages });
            output.print_value(&json, || anstream::println!("{}", build_message(&out, bytes, pages, None)))?;
        }
        DocCommand::Watch { id, file, out, once } => return watch_file(api, output, id, &file, &out, once).await,
        DocCommand::History { id } => {
            let versions = api.list(&format!("{}/history", document_path(id)), &[], LISTED).await?;
            output.print_value(&versions, || {
                let row = |one: &Json| {
                    vec![
                        number(one, "version").to_string(),
                        text(one, "created_at").chars().take(16).collect::<String>().replace('T', " "),
                        format!("+{} −{}", number(one, "added"), number(one, "removed")),
                        text(one, "message").to_owned(),
                    ]
                };
                print_table(&versions.iter().map(row).collect::<Vec<_>>());
            })?;
        }
        DocCommand::Restore { id, version } => {
            let body = json!({ "version": version });
            let document = api.post(format!("{}/restore", document_path(id))).body(&body).json().await?;
            print_document(output, &document, "restored")?;
        }
    }
    Ok(true)
}

fn document_path(id: DocumentId) -> String {
    format!("/api/v1/documents/{id}")
}

fn print_document(output: &Output, document: &Json, what: &str) -> Result<(), CommandError> {
    output.print_value(document, || {
        let (id, title, version) = (text(document, "id"), text(document, "title"), number(document, "version"));
        anstream::println!("{BOLD}{title}{BOLD:#}  {DIM}{id} · version {version} · {what}{DIM:#}");
    })?;
    Ok(())
}

fn read_text(file: &Path) -> Result<String, CommandError> {
    if file.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        return Ok(text);
    }
    std::fs::read_to_string(file)
        .map_err(|error| CommandError::failed(format!("cannot read {}: {error}", file.display())))
}

/// The text as it is after somebody changed it in their editor.
fn edit_text(document: &Json) -> Result<String, CommandError> {
    let editor = std::env::var("VISUAL").or_else(|_| std::env::var("EDITOR"));
    let editor = editor.map_err(|_| "no $EDITOR is set; give a file with the new text, or `-`")?;
    let end = if text(document, "format") == DocumentFormat::Typst.as_str() { ".typ" } else { ".md" };
    let mut file = tempfile::Builder::new().prefix("ibid-").suffix(end).tempfile()?;
    file.write_all(text(document, "text").as_bytes())?;
    file.flush()?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let status = std::process::Command::new(program).args(words).arg(file.path()).status()?;
    if !status.success() {
        return Err(CommandError::failed(format!("{program} ended with {status}; nothing was changed")));
    }
    Ok(std::fs::read_to_string(file.path())?)
}

fn after_words(text: &str, words: &str) -> Result<usize, CommandError> {
    let mut places = text.match_indices(words);
    let (Some((at, found)), None) = (places.next(), places.next()) else {
        let count = text.matches(words).count();
        return Err(CommandError::failed(format!(
            "'{words}' stands in the text {count} times; give words that stand there once"
        )));
    };
    Ok(text[..at + found.len()].chars().count())
}

/// Renders a document to a file; returns the file's size, and the number of pages if the format has any.
async fn build_document(
    api: &Api,
    id: DocumentId,
    out: &Path,
    page: usize,
) -> Result<(u64, Option<u64>), CommandError> {
    let end = out.extension().and_then(|end| end.to_str()).unwrap_or("pdf");
    let request = api.get(format!("{}/render", document_path(id))).query("format", end).query("page", page);
    let rendered = request.send().await?;
    let pages = rendered.header(PAGES).and_then(|pages| pages.parse().ok());
    // Whoever looks at the file sees the old one or the new one.
    let (_, bytes) = save_bytes(rendered, out, true).await?;
    Ok((bytes, pages))
}

fn build_message(out: &Path, bytes: u64, pages: Option<u64>, took: Option<Duration>) -> String {
    let pages = pages.map(|pages| format!("{}, ", format_count(pages, "page"))).unwrap_or_default();
    let took = took.map(|took| format!(", {} ms", took.as_millis())).unwrap_or_default();
    format!("{BOLD}{}{BOLD:#}  {DIM}{pages}{}{took}{DIM:#}", out.display(), format_size(bytes))
}

async fn watch_file(api: &Api, output: &Output, id: DocumentId, file: &Path, out: &Path, once: bool) -> CommandResult {
    let mut last: Option<SystemTime> = None;
    loop {
        let changed = std::fs::metadata(file).and_then(|about| about.modified()).ok();
        if changed.is_some() && changed != last {
            last = changed;
            let began = Instant::now();
            let body = json!({ "text": read_text(file)? });
            api.patch(document_path(id)).body(&body).send().await?;
            match build_document(api, id, out, 1).await {
                Ok((bytes, pages)) => {
                    let took = began.elapsed();
                    let took_ms = took.as_millis() as u64;
                    let json = json!({ "file": out, "size_bytes": bytes, "pages": pages, "took_ms": took_ms });
                    output.print_value(&json, || {
                        anstream::println!("{}", build_message(out, bytes, pages, Some(took)))
                    })?;
                }
                // What is wrong is put right in the next version.
                Err(error) => output.print_error(&format!("{}: {}", file.display(), error.reason)),
            }
            if once {
                return Ok(true);
            }
        } else if last.is_none() {
            return Err(CommandError::failed(format!("there is no file {}", file.display())));
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            _ = tokio::signal::ctrl_c() => return Ok(true),
        }
    }
}
