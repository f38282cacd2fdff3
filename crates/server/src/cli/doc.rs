//! `ibid doc`

use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use clap::Subcommand;
use ibid_app::{
    App, CitationDraft, DocumentChange, DocumentDraft, Entries, LookChange, OpenDocument, RenderFormat, Scope,
};
use ibid_domain::{CiteAs, Code, DocumentFormat, DocumentId, Limit, MissingDetails, SourceId, Template};

use super::{
    Failed, Library, Outcome, Output,
    output::{BOLD, DIM, count, size, table},
};
use crate::http::documents::wire;

/// How often a file that is watched is looked at.
const LOOK: Duration = Duration::from_millis(150);

#[derive(Subcommand)]
pub(super) enum Command {
    /// Begin a document
    New {
        /// What it is called
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
        /// footnotes or in_text
        #[arg(long)]
        cite_as: Option<CiteAs>,
        /// Who writes it; may be given several times
        #[arg(long)]
        author: Vec<String>,
        /// What it is written from; may be given several times
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
        /// Its id
        id: DocumentId,
        /// As it was in this version
        #[arg(long)]
        version: Option<u64>,
    },
    /// Change a document, in your editor or from a file
    Edit {
        /// Its id
        id: DocumentId,
        /// A file with the new text; `-` reads standard input. Without one $EDITOR opens
        file: Option<PathBuf>,
        /// Another style
        #[arg(long)]
        style: Option<String>,
        /// Another layout
        #[arg(long)]
        template: Option<Template>,
        /// footnotes or in_text
        #[arg(long)]
        cite_as: Option<CiteAs>,
        /// Why, for the history
        #[arg(long, short)]
        message: Option<String>,
    },
    /// Cite a source: the marker is put into the text
    Cite {
        /// The document
        id: DocumentId,
        /// The source
        source: SourceId,
        /// After these words of the text; at its end if not said
        #[arg(long)]
        after: Option<String>,
        /// Where in the source: "p. 12"
        #[arg(long)]
        locator: Option<String>,
        /// What is said before it: "see"
        #[arg(long)]
        prefix: Option<String>,
        /// What is said after it
        #[arg(long)]
        suffix: Option<String>,
    },
    /// Print the bibliography of a document
    Bib {
        /// The document
        id: DocumentId,
        /// In this style
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
    /// Make a file of a document
    Build {
        /// The document
        id: DocumentId,
        /// The file; its ending says what it is: pdf, html, md, typ, svg or png
        #[arg(default_value = "document.pdf")]
        out: PathBuf,
        /// Which page, for svg and png
        #[arg(long, default_value = "1")]
        page: usize,
    },
    /// Save a file as a document whenever it changes, and make the PDF again
    Watch {
        /// The document
        id: DocumentId,
        /// The file with its text
        file: PathBuf,
        /// What is made of it
        #[arg(default_value = "document.pdf")]
        out: PathBuf,
        /// End after the first
        #[arg(long)]
        once: bool,
    },
    /// List the versions of a document
    History {
        /// The document
        id: DocumentId,
    },
    /// Make a document again as it was in a version
    Restore {
        /// The document
        id: DocumentId,
        /// The version
        version: u64,
    },
}

pub(super) async fn run(command: Command, library: &Library, output: &Output) -> Outcome {
    let (app, scope) = (&library.app, &library.scope);
    match command {
        Command::New { title, file, format, style, locale, template, cite_as, author, source } => {
            let is_typst = file.as_ref().is_some_and(|file| file.extension().is_some_and(|end| end == "typ"));
            let format = format.unwrap_or(if is_typst { DocumentFormat::Typst } else { DocumentFormat::Markdown });
            let text = file.as_deref().map(read).transpose()?.unwrap_or_default();
            let look = LookChange {
                title: Some(title),
                format: Some(format),
                style,
                locale,
                template,
                cite_as,
                authors: (!author.is_empty()).then_some(author),
                ..LookChange::default()
            };
            let open = app.create_document(scope, DocumentDraft { look, text, sources: source }).await?;
            shown(app, scope, output, open, "made").await?;
        }
        Command::List { words } => {
            let words = words.join(" ");
            let page = app.documents(scope, Some(words.as_str()), Limit::new(100)?, None).await?;
            let row = |(document, sources): &(ibid_domain::Document, u64)| {
                vec![
                    document.id.to_string(),
                    document.look.title.clone(),
                    document.look.style.clone(),
                    format!("version {}", document.version),
                    count(*sources, "source"),
                ]
            };
            let rows: Vec<_> = page.items.iter().map(row).collect();
            let json: Vec<_> = page
                .items
                .into_iter()
                .map(|(document, sources)| wire::DocumentSummary::new(document, sources))
                .collect();
            output.show(&json, || table(&rows))?;
        }
        Command::Show { id, version } => {
            let open = app.document(scope, id, version).await?;
            let text = open.text.clone();
            let json = wire::Document::new(open, app.count_document_sources(scope, id).await?);
            output.show(&json, || anstream::print!("{}{}", text, if text.ends_with('\n') { "" } else { "\n" }))?;
        }
        Command::Edit { id, file, style, template, cite_as, message } => {
            let before = app.document(scope, id, None).await?;
            let only_looks = style.is_some() || template.is_some() || cite_as.is_some();
            let text = match &file {
                Some(file) => Some(read(file)?),
                None if only_looks => None,
                None => Some(edited(&before)?),
            };
            let change = DocumentChange {
                base: Some(before.document.version),
                message,
                look: LookChange { style, template, cite_as, ..LookChange::default() },
                text,
                files: None,
            };
            let open = match app.change_document(scope, id, &change).await {
                Ok(open) => open,
                Err(error) if error.problem().code == Code::DocumentChanged && file.is_none() => {
                    // What was written in an editor is not lost.
                    let kept = std::env::temp_dir().join(format!("ibid-{id}.txt"));
                    std::fs::write(&kept, change.text.unwrap_or_default())?;
                    return Err(Failed(format!("{error}; what you wrote is in {}", kept.display())));
                }
                Err(error) => return Err(error.into()),
            };
            let what = if open.document.version == before.document.version { "unchanged" } else { "saved" };
            shown(app, scope, output, open, what).await?;
        }
        Command::Cite { id, source, after, locator, prefix, suffix } => {
            let open = app.document(scope, id, None).await?;
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
            let (citation, version) = app.cite(scope, id, draft).await?;
            let (all, _) = app.cited(scope, id).await?;
            let cited = all.into_iter().find(|one| one.citation.number == citation.number);
            let formatted = cited.as_ref().map(|one| one.formatted.clone()).unwrap_or_default();
            let json = cited.map(wire::DocumentCitation::from);
            output.show(&json, || {
                anstream::println!("{BOLD}[{}]{BOLD:#} {formatted}  {DIM}version {version}{DIM:#}", citation.number);
            })?;
        }
        Command::Bib { id, style, per_citation, missing, insert } => {
            let entries = if per_citation { Entries::PerCitation } else { Entries::PerSource };
            let made = app.document_bibliography(scope, id, style.as_deref(), entries, missing, insert).await?;
            let lines: Vec<String> = made.entries.iter().map(|entry| entry.text.clone()).collect();
            let json = wire::BibliographyAnswer {
                bibliography: made.text,
                entries: made.entries.into_iter().map(Into::into).collect(),
                citation_count: made.citation_count,
                style: style.unwrap_or_default(),
            };
            output.show(&json, || {
                for line in &lines {
                    anstream::println!("{line}");
                }
                if lines.is_empty() {
                    anstream::println!("{DIM}the document cites nothing yet{DIM:#}");
                }
            })?;
        }
        Command::Build { id, out, page } => {
            let (bytes, pages) = build(app, scope, id, &out, page).await?;
            let json = serde_json::json!({ "file": out, "size_bytes": bytes, "pages": pages });
            output.show(&json, || anstream::println!("{}", made(&out, bytes, pages, None)))?;
        }
        Command::Watch { id, file, out, once } => return watch(app, scope, output, id, &file, &out, once).await,
        Command::History { id } => {
            let page = app.document_history(scope, id, Limit::new(100)?, None).await?;
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
            let json: Vec<_> = page.items.into_iter().map(wire::Version::from).collect();
            output.show(&json, || table(&rows))?;
        }
        Command::Restore { id, version } => {
            let open = app.restore_document(scope, id, version, None).await?;
            shown(app, scope, output, open, "restored").await?;
        }
    }
    Ok(true)
}

async fn shown(app: &App, scope: &Scope, output: &Output, open: OpenDocument, what: &str) -> Result<(), Failed> {
    let (id, title, version) = (open.document.id, open.document.look.title.clone(), open.document.version);
    let json = wire::Document::new(open, app.count_document_sources(scope, id).await?);
    output
        .show(&json, || anstream::println!("{BOLD}{title}{BOLD:#}  {DIM}{id} · version {version} · {what}{DIM:#}"))?;
    Ok(())
}

fn read(file: &Path) -> Result<String, Failed> {
    if file.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        return Ok(text);
    }
    std::fs::read_to_string(file).map_err(|error| Failed(format!("cannot read {}: {error}", file.display())))
}

/// The text as it is after somebody changed it in their editor.
fn edited(open: &OpenDocument) -> Result<String, Failed> {
    let editor = std::env::var("VISUAL").or_else(|_| std::env::var("EDITOR"));
    let editor = editor.map_err(|_| Failed("no $EDITOR is set; give a file with the new text, or `-`".to_owned()))?;
    let end = if open.document.look.format == DocumentFormat::Typst { ".typ" } else { ".md" };
    let mut file = tempfile::Builder::new().prefix("ibid-").suffix(end).tempfile()?;
    file.write_all(open.text.as_bytes())?;
    file.flush()?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let status = std::process::Command::new(program).args(words).arg(file.path()).status()?;
    if !status.success() {
        return Err(Failed(format!("{program} ended with {status}; nothing was changed")));
    }
    Ok(std::fs::read_to_string(file.path())?)
}

fn after_words(text: &str, words: &str) -> Result<usize, Failed> {
    let mut places = text.match_indices(words);
    let (Some((at, found)), None) = (places.next(), places.next()) else {
        let count = text.matches(words).count();
        return Err(Failed(format!("'{words}' stands in the text {count} times; give words that stand there once")));
    };
    Ok(text[..at + found.len()].chars().count())
}

async fn build(
    app: &App,
    scope: &Scope,
    id: DocumentId,
    out: &Path,
    page: usize,
) -> Result<(usize, Option<usize>), Failed> {
    let end = out.extension().and_then(|end| end.to_str()).unwrap_or("pdf");
    let format: RenderFormat = end.parse()?;
    let made = app.render(scope, id, format, page, None).await?;
    // Whoever looks at the file sees the old one or the new one.
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&made.bytes)?;
    file.persist(out)?;
    Ok((made.bytes.len(), made.pages))
}

fn made(out: &Path, bytes: usize, pages: Option<usize>, took: Option<Duration>) -> String {
    let pages = pages.map(|pages| format!("{}, ", count(pages as u64, "page"))).unwrap_or_default();
    let took = took.map(|took| format!(", {} ms", took.as_millis())).unwrap_or_default();
    format!("{BOLD}{}{BOLD:#}  {DIM}{pages}{}{took}{DIM:#}", out.display(), size(bytes as u64))
}

async fn watch(
    app: &App,
    scope: &Scope,
    output: &Output,
    id: DocumentId,
    file: &Path,
    out: &Path,
    once: bool,
) -> Outcome {
    let mut last: Option<SystemTime> = None;
    loop {
        let changed = std::fs::metadata(file).and_then(|about| about.modified()).ok();
        if changed.is_some() && changed != last {
            last = changed;
            let began = Instant::now();
            let change = DocumentChange { text: Some(read(file)?), ..DocumentChange::default() };
            app.change_document(scope, id, &change).await?;
            match build(app, scope, id, out, 1).await {
                Ok((bytes, pages)) => {
                    let took = began.elapsed();
                    let json = serde_json::json!({ "file": out, "size_bytes": bytes, "pages": pages, "took_ms": took.as_millis() as u64 });
                    output.show(&json, || anstream::println!("{}", made(out, bytes, pages, Some(took))))?;
                }
                // What is wrong is put right in the next version.
                Err(Failed(reason)) => output.error(&format!("{}: {reason}", file.display())),
            }
            if once {
                return Ok(true);
            }
        } else if last.is_none() {
            return Err(Failed(format!("there is no file {}", file.display())));
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            _ = tokio::signal::ctrl_c() => return Ok(true),
        }
    }
}
