//! `ibid search` and `ibid index`

use clap::{Args, Subcommand};
use ibid_app::SearchRequest;
use ibid_domain::CharIndex;
use serde_json::{Value as Json, json};

use super::{
    CommandResult, LocalLibrary, Output,
    api::Api,
    output::{ACCENT, DIM, format_count, items, number, text},
};

/// Find the passages that answer.
#[derive(Args)]
pub(super) struct SearchArgs {
    /// Words or a question; "quoted words" must stand together, -word excludes a word (write it after `--`)
    #[arg(required = true)]
    query: Vec<String>,
    /// Maximum number of results to print
    #[arg(long, short = 'n', default_value_t = SearchRequest::DEFAULT_LIMIT)]
    limit: usize,
    /// Only sources of this type, such as WEB_PAGE; may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    kinds: Vec<String>,
    /// Only sources of this origin, such as web or blob_storage; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    origin: Vec<String>,
    /// Only sources with this tag; may be given several times
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Only texts in this language, such as en
    #[arg(long, value_name = "CODE")]
    language: Vec<String>,
    /// Search by words only, not by meaning
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
    /// Rebuild the search index from the library
    Rebuild,
}

pub(super) async fn run_search(find: SearchArgs, api: &Api, output: &Output) -> CommandResult {
    let lists = if find.words { json!(["words"]) } else { json!(["words", "vectors"]) };
    let body = json!({
        "query": find.query.join(" "),
        "limit": find.limit,
        "lists": lists,
        "expand_neighbors": find.neighbors,
        "filters": { "type": find.kinds, "origin": find.origin, "tags": find.tag, "language": find.language },
    });
    api.catch_up().await?;
    let found = api.post("/api/v1/search").body(&body).json().await?;
    let results = items(&found, "primary_results");
    output.print_value(&found, || {
        for (place, result) in results.iter().enumerate() {
            print_result(place + 1, result);
        }
        if results.is_empty() {
            anstream::println!("Nothing found.");
        }
        let about = &found["search_metadata"];
        for note in items(about, "notes").iter().filter_map(Json::as_str) {
            anstream::println!("{DIM}{note}{DIM:#}");
        }
        let searched = format_count(number(about, "total_chunks_searched"), "passage");
        let took = about["took_ms"].as_f64().unwrap_or_default();
        anstream::println!("{DIM}{} in {searched}, {took:.1} ms{DIM:#}", format_count(results.len() as u64, "result"));
    })?;
    Ok(!results.is_empty())
}

fn print_result(place: usize, result: &Json) {
    let mut facts = Vec::new();
    let evidence = items(result, "evidence");
    let source = &result["source"];
    if let Some(first) = evidence.first() {
        facts.extend(first["page"].as_u64().map(|page| format!("p. {page}")));
        facts.extend(first["section"].as_str().map(str::to_owned));
    }
    facts.extend(source["url"].as_str().or_else(|| source["filename"].as_str()).map(str::to_owned));
    anstream::println!("{DIM}{place:>3}{DIM:#}  {ACCENT}{}{ACCENT:#}", shown_line(text(result, "title")));
    if !facts.is_empty() {
        anstream::println!("     {DIM}{}{DIM:#}", shown_line(&facts.join(" · ")));
    }
    for one in evidence {
        anstream::println!("     {}", highlight_matches(text(one, "quote"), items(one, "matches")));
    }
    let place = evidence.first().map(|one| format!(" {}-{}", number(one, "start_char"), number(one, "end_char")));
    anstream::println!("     {DIM}{}{}{DIM:#}\n", text(result, "source_id"), place.unwrap_or_default());
}

fn shown_line(text: &str) -> String {
    ibid_language::one_line_at_most(text, 200)
}

/// A quote with the words that match in bold.
fn highlight_matches(quote: &str, matches: &[Json]) -> String {
    const BOLD: anstyle::Style = anstyle::Style::new().bold().underline();
    let index = CharIndex::new(quote);
    let (mut out, mut at) = (String::new(), 0);
    let plain = |text: &str| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    for span in matches {
        let [from, to] = ["start", "end"].map(|end| index.byte_offset(number(span, end) as usize));
        let (Some(from), Some(to)) = (from, to) else { continue };
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
