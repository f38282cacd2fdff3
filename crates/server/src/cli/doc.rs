//! `ibid doc`

use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use clap::Subcommand;
use ibid_app::{
    App, BibliographyGrouping, CitationDraft, DocumentChange, DocumentDraft, DocumentSettingsPatch, OpenDocument,
    RenderFormat, Scope,
};
use ibid_domain::{CiteAs, Code, DocumentFormat, DocumentId, Limit, MissingDetails, SourceId, Template};

use super::{
    CommandError, CommandResult, LocalLibrary, Output,
    output::{BOLD, DIM, format_count, format_size, print_table},
};
use crate::wire::documents;

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
        /// markdown or typst; by the name of the file if not said
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
    /// List documents, those first that were changed last
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
        /// After these words of the text; at its end if not said
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
        /// placeholders or csl: what stands for what is not known
        #[arg(long)]
        missing: Option<MissingDetails>,
        /// Put it into the text as well
        #[arg(long)]
        insert: bool,
    },
    /// Render a document to a file
    Build {
        /// Id of the document to render
        id: DocumentId,
        /// The file; its ending says what it is: pdf, html, md, typ, svg or png
        #[arg(default_value = "document.pdf")]
        out: PathBuf,
        /// Number of the page to render, from 1; only for svg and png
        #[arg(long, default_value = "1")]
        page: usize,
    },
    /// Save a file as a document whenever it changes, and make the PDF again
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
    /// Make a document again as it was in a version
    Restore {
        /// Id of the document to restore
        id: DocumentId,
        /// Number of the version to restore
        version: u64,
    },
}

pub(super) async fn run(command: DocCommand, library: &LocalLibrary, output: &Output) -> CommandResult {
    let (app, scope) = (&library.app, &library.scope);
    match command {
        DocCommand::New { title, file, format, style, locale, template, cite_as, author, source } => {
            let is_typst = file.as_ref().is_some_and(|file| file.extension().is_some_and(|end| end == "typ"));
            let format = format.unwrap_or(if is_typst { DocumentFormat::Typst } else { DocumentFormat::Markdown });
            let text = file.as_deref().map(read_text).transpose()?.unwrap_or_default();
            let settings = DocumentSettingsPatch {
                title: Some(title),
                format: Some(format),
                style,
                locale,
                template,
                cite_as,
                authors: (!author.is_empty()).then_some(author),
                ..DocumentSettingsPatch::default()
            };
            let open = app.documents(scope).create(DocumentDraft { settings, text, sources: source }).await?;
            print_document(app, scope, output, open, "made").await?;
        }
        DocCommand::List { words } => {
            let words = words.join(" ");
            let page = app.documents(scope).list(Some(words.as_str()), Limit::new(100)?, None).await?;
            let row = |(document, sources): &(ibid_domain::Document, u64)| {
                vec![
                    document.id.to_string(),
                    document.settings.title.clone(),
                    document.settings.style.clone(),
                    format!("version {}", document.version),
                    format_count(*sources, "source"),
                ]
            };
            let rows: Vec<_> = page.items.iter().map(row).collect();
            let json: Vec<_> = page
                .items
                .into_iter()
                .map(|(document, sources)| documents::DocumentSummary::new(document, sources))
                .collect();
            output.print_value(&json, || print_table(&rows))?;
        }
        DocCommand::Show { id, version } => {
            let open = app.documents(scope).get(id, version).await?;
            let text = open.text.clone();
            let json = documents::Document::new(open, app.documents(scope).count_sources(id).await?);
            output
                .print_value(&json, || anstream::print!("{}{}", text, if text.ends_with('\n') { "" } else { "\n" }))?;
        }
        DocCommand::Edit { id, file, style, template, cite_as, message } => {
            let before = app.documents(scope).get(id, None).await?;
            let only_looks = style.is_some() || template.is_some() || cite_as.is_some();
            let text = match &file {
                Some(file) => Some(read_text(file)?),
                None if only_looks => None,
                None => Some(edit_text(&before)?),
            };
            let change = DocumentChange {
                base: Some(before.document.version),
                message,
                settings: DocumentSettingsPatch { style, template, cite_as, ..DocumentSettingsPatch::default() },
                text,
                files: None,
            };
            let open = match app.documents(scope).change(id, &change).await {
                Ok(open) => open,
                Err(error) if error.to_problem().code == Code::DocumentChanged && file.is_none() => {
                    // What was written in an editor is not lost.
                    let kept = std::env::temp_dir().join(format!("ibid-{id}.txt"));
                    std::fs::write(&kept, change.text.unwrap_or_default())?;
                    return Err(CommandError(format!("{error}; what you wrote is in {}", kept.display())));
                }
                Err(error) => return Err(error.into()),
            };
            let what = if open.document.version == before.document.version { "unchanged" } else { "saved" };
            print_document(app, scope, output, open, what).await?;
        }
        DocCommand::Cite { id, source, after, locator, prefix, suffix } => {
            let open = app.documents(scope).get(id, None).await?;
            let position = match &after {
                None => None,
                Some(words) => Some(after_words(&open.text, words)?),
            };
            let draft = CitationDraft {
                source: Some(source),
                position,
                locator,
                prefix,
                suffix,
                insert: true,
                ..CitationDraft::default()
            };
            let (citation, version) = app.documents(scope).cite(id, draft).await?;
            let (all, _) = app.documents(scope).formatted_citations(id).await?;
            let cited = all.into_iter().find(|one| one.citation.number == citation.number);
            let formatted = cited.as_ref().map(|one| one.formatted.clone()).unwrap_or_default();
            let json = cited.map(documents::DocumentCitation::from);
            output.print_value(&json, || {
                anstream::println!("{BOLD}[{}]{BOLD:#} {formatted}  {DIM}version {version}{DIM:#}", citation.number);
            })?;
        }
        DocCommand::Bib { id, style, per_citation, missing, insert } => {
            let entries =
                if per_citation { BibliographyGrouping::PerCitation } else { BibliographyGrouping::PerSource };
            let made = app.documents(scope).bibliography(id, style.as_deref(), entries, missing, insert).await?;
            let lines: Vec<String> = made.entries.iter().map(|entry| entry.text.clone()).collect();
            let json = documents::BibliographyAnswer {
                bibliography: made.text,
                entries: made.entries.into_iter().map(Into::into).collect(),
                citation_count: made.citation_count,
                style: style.unwrap_or_default(),
            };
            output.print_value(&json, || {
                for line in &lines {
                    anstream::println!("{line}");
                }
                if lines.is_empty() {
                    anstream::println!("{DIM}the document cites nothing yet{DIM:#}");
                }
            })?;
        }
        DocCommand::Build { id, out, page } => {
            let (bytes, pages) = build_document(app, scope, id, &out, page).await?;
            let json = serde_json::json!({ "file": out, "size_bytes": bytes, "pages": pages });
            output.print_value(&json, || anstream::println!("{}", build_message(&out, bytes, pages, None)))?;
        }
        DocCommand::Watch { id, file, out, once } => {
            return watch_file(app, scope, output, id, &file, &out, once).await;
        }
        DocCommand::History { id } => {
            let page = app.documents(scope).history(id, Limit::new(100)?, None).await?;
            let rows: Vec<_> = page
                .items
                .iter()
                .map(|one| {
                    vec![
                        one.version.to_string(),
                        one.created_at.to_string().chars().take(16).collect::<String>().replace('T', " "),
                        format!("+{} −{}", one.added, one.removed),
                        one.message.clone().unwrap_or_default(),
                    ]
                })
                .collect();
            let json: Vec<_> = page.items.into_iter().map(documents::DocumentVersionSummary::from).collect();
            output.print_value(&json, || print_table(&rows))?;
        }
        DocCommand::Restore { id, version } => {
            let open = app.documents(scope).restore(id, version, None).await?;
            print_document(app, scope, output, open, "restored").await?;
        }
    }
    Ok(true)
}

async fn print_document(
    app: &App,
    scope: &Scope,
    output: &Output,
    open: OpenDocument,
    what: &str,
) -> Result<(), CommandError> {
    let (id, title, version) = (open.document.id, open.document.settings.title.clone(), open.document.version);
    let json = documents::Document::new(open, app.documents(scope).count_sources(id).await?);
    output.print_value(&json, || {
        anstream::println!("{BOLD}{title}{BOLD:#}  {DIM}{id} · version {version} · {what}{DIM:#}")
    })?;
    Ok(())
}

fn read_text(file: &Path) -> Result<String, CommandError> {
    if file.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        return Ok(text);
    }
    std::fs::read_to_string(file).map_err(|error| CommandError(format!("cannot read {}: {error}", file.display())))
}

/// The text as it is after somebody changed it in their editor.
fn edit_text(open: &OpenDocument) -> Result<String, CommandError> {
    let editor = std::env::var("VISUAL").or_else(|_| std::env::var("EDITOR"));
    let editor =
        editor.map_err(|_| CommandError("no $EDITOR is set; give a file with the new text, or `-`".to_owned()))?;
    let end = if open.document.settings.format == DocumentFormat::Typst { ".typ" } else { ".md" };
    let mut file = tempfile::Builder::new().prefix("ibid-").suffix(end).tempfile()?;
    file.write_all(open.text.as_bytes())?;
    file.flush()?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let status = std::process::Command::new(program).args(words).arg(file.path()).status()?;
    if !status.success() {
        return Err(CommandError(format!("{program} ended with {status}; nothing was changed")));
    }
    Ok(std::fs::read_to_string(file.path())?)
}

fn after_words(text: &str, words: &str) -> Result<usize, CommandError> {
    let mut places = text.match_indices(words);
    let (Some((at, found)), None) = (places.next(), places.next()) else {
        let count = text.matches(words).count();
        return Err(CommandError(format!(
            "'{words}' stands in the text {count} times; give words that stand there once"
        )));
    };
    Ok(text[..at + found.len()].chars().count())
}

async fn build_document(
    app: &App,
    scope: &Scope,
    id: DocumentId,
    out: &Path,
    page: usize,
) -> Result<(usize, Option<usize>), CommandError> {
    let end = out.extension().and_then(|end| end.to_str()).unwrap_or("pdf");
    let format: RenderFormat = end.parse()?;
    let made = app.documents(scope).render(id, format, page, None).await?;
    // Whoever looks at the file sees the old one or the new one.
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&made.bytes)?;
    file.persist(out)?;
    Ok((made.bytes.len(), made.pages))
}

fn build_message(out: &Path, bytes: usize, pages: Option<usize>, took: Option<Duration>) -> String {
    let pages = pages.map(|pages| format!("{}, ", format_count(pages as u64, "page"))).unwrap_or_default();
    let took = took.map(|took| format!(", {} ms", took.as_millis())).unwrap_or_default();
    format!("{BOLD}{}{BOLD:#}  {DIM}{pages}{}{took}{DIM:#}", out.display(), format_size(bytes as u64))
}

async fn watch_file(
    app: &App,
    scope: &Scope,
    output: &Output,
    id: DocumentId,
    file: &Path,
    out: &Path,
    once: bool,
) -> CommandResult {
    let mut last: Option<SystemTime> = None;
    loop {
        let changed = std::fs::metadata(file).and_then(|about| about.modified()).ok();
        if changed.is_some() && changed != last {
            last = changed;
            let began = Instant::now();
            let change = DocumentChange { text: Some(read_text(file)?), ..DocumentChange::default() };
            app.documents(scope).change(id, &change).await?;
            match build_document(app, scope, id, out, 1).await {
                Ok((bytes, pages)) => {
                    let took = began.elapsed();
                    let json = serde_json::json!({ "file": out, "size_bytes": bytes, "pages": pages, "took_ms": took.as_millis() as u64 });
                    output.print_value(&json, || {
                        anstream::println!("{}", build_message(out, bytes, pages, Some(took)))
                    })?;
                }
                // What is wrong is put right in the next version.
                Err(CommandError(reason)) => output.print_error(&format!("{}: {reason}", file.display())),
            }
            if once {
                return Ok(true);
            }
        } else if last.is_none() {
            return Err(CommandError(format!("there is no file {}", file.display())));
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            _ = tokio::signal::ctrl_c() => return Ok(true),
        }
    }
}
