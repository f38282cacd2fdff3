//! `ibid search` and `ibid index`

use clap::{Args, Subcommand};
use ibid_app::{FoundPassage, SearchLists, SearchRequest};
use ibid_domain::{CharIndex, SearchFilter};

use super::{
    CommandError, CommandResult, LocalLibrary, Output,
    output::{ACCENT, DIM, format_count},
};
use crate::wire::search::SearchAnswer;

/// Find the passages that answer.
#[derive(Args)]
pub(super) struct SearchArgs {
    /// Words or a question; "quoted words" must stand together, -word must not stand (after `--`, or within one argument)
    #[arg(required = true)]
    query: Vec<String>,
    /// Maximum number of results to print
    #[arg(long, short = 'n', default_value_t = SearchRequest::DEFAULT_LIMIT)]
    limit: usize,
    /// Only sources of this type, as WEB_PAGE; may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    kinds: Vec<String>,
    /// Only sources from there, as web or blob_storage; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    origin: Vec<String>,
    /// Only sources filed under this; may be given several times
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Only texts in this language, as en
    #[arg(long, value_name = "CODE")]
    language: Vec<String>,
    /// Only by words, without asking a model
    #[arg(long)]
    words: bool,
    /// Also show the passages before and after each
    #[arg(long)]
    neighbors: bool,
}

/// Look after the search index.
#[derive(Subcommand)]
pub(super) enum IndexCommand {
    /// Show the state of the search index
    Status,
    /// Make the index anew from the library
    Rebuild,
}

pub(super) async fn run_search(find: SearchArgs, library: &LocalLibrary, output: &Output) -> CommandResult {
    let problem = |problem: ibid_domain::Problem| CommandError(problem.detail);
    let kinds = find.kinds.iter().map(|text| text.parse()).collect::<Result<_, _>>().map_err(problem)?;
    let origins = find.origin.iter().map(|text| text.parse()).collect::<Result<_, _>>().map_err(problem)?;
    let search = SearchRequest {
        limit: find.limit,
        lists: SearchLists { words: true, vectors: !find.words },
        filter: SearchFilter { kinds, origins, tags: find.tag, languages: find.language, ..SearchFilter::default() },
        expand_neighbors: find.neighbors,
        ..SearchRequest::new(find.query.join(" "))
    };
    let began = std::time::Instant::now();
    // Whatever keeps the index may not be running; then this does.
    library.app.catch_up().await?;
    let found = library.app.search(&library.scope).run(&search).await?;
    let took = (began.elapsed().as_secs_f64() * 1e6).round() / 1e3;
    let any = !found.results.is_empty();
    let (results, searched, notes) = (found.results.clone(), found.searched, found.notes.clone());
    output.print_value(&SearchAnswer::new(&search, found, took), || {
        for (place, result) in results.iter().enumerate() {
            print_result(place + 1, result);
        }
        if !any {
            anstream::println!("Nothing found.");
        }
        for note in notes {
            anstream::println!("{DIM}{note}{DIM:#}");
        }
        let searched = format_count(searched, "passage");
        anstream::println!("{DIM}{} in {searched}, {took:.1} ms{DIM:#}", format_count(results.len() as u64, "result"));
    })?;
    Ok(any)
}

fn print_result(place: usize, result: &FoundPassage) {
    let mut facts = Vec::new();
    let first = result.evidence.first();
    facts.extend(first.and_then(|one| one.page).map(|page| format!("p. {page}")));
    facts.extend(first.and_then(|one| one.section.clone()));
    facts.extend(result.source.url.clone().or_else(|| result.revision.filename.clone()));
    anstream::println!("{DIM}{place:>3}{DIM:#}  {ACCENT}{}{ACCENT:#}", shown_line(result.source.display_title()));
    if !facts.is_empty() {
        anstream::println!("     {DIM}{}{DIM:#}", shown_line(&facts.join(" · ")));
    }
    for one in &result.evidence {
        anstream::println!("     {}", highlight_matches(&one.quote, &one.matches));
    }
    let id = format!("{} {}-{}", result.source.id, result.chunk.span.start, result.chunk.span.end);
    anstream::println!("     {DIM}{id}{DIM:#}\n");
}

fn shown_line(text: &str) -> String {
    ibid_language::one_line_at_most(text, 200)
}

/// A quote with the words that match in bold.
fn highlight_matches(quote: &str, matches: &[ibid_domain::Span]) -> String {
    const BOLD: anstyle::Style = anstyle::Style::new().bold().underline();
    let index = CharIndex::new(quote);
    let (mut out, mut at) = (String::new(), 0);
    let plain = |text: &str| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    for span in matches {
        let (Some(from), Some(to)) = (index.byte_offset(span.start), index.byte_offset(span.end)) else { continue };
        if from < at {
            continue;
        }
        out += &plain(&quote[at..from]);
        out += &format!("{BOLD}{}{BOLD:#}", plain(&quote[from..to]));
        at = to;
    }
    out + &plain(&quote[at..])
}

pub(super) async fn index(command: IndexCommand, library: &LocalLibrary, output: &Output) -> CommandResult {
    let state = match command {
        IndexCommand::Status => library.app.index_state().await?,
        IndexCommand::Rebuild => {
            let (_progress, spinner) = output.start_progress();
            let state = library.app.rebuild_index().await?;
            drop(spinner);
            Some(state)
        }
    };
    let Some(state) = state else {
        let answer = serde_json::json!({ "engine": "postgres" });
        output.print_value(&answer, || anstream::println!("PostgreSQL keeps words and vectors with their rows."))?;
        return Ok(true);
    };
    let answer = serde_json::json!({
        "passages": state.passages, "vectors": state.vectors, "behind": state.behind, "kept_here": state.kept_here,
    });
    output.print_value(&answer, || {
        anstream::println!(
            "{} and {} are indexed; {} to be taken over.",
            format_count(state.passages as u64, "passage"),
            format_count(state.vectors as u64, "vector"),
            format_count(state.behind, "change")
        );
    })?;
    Ok(true)
}
