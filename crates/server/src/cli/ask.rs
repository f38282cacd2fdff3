//! `ibid ask`

use std::io::Write as _;

use clap::Args;
use ibid_app::{AskRequest, MessageWithCitations};
use ibid_domain::{
    Citation, RunEvent, RunEventData, RunMode, RunStatus, SearchFilter, Span, citation::ClaimDifference,
};

use super::{
    CommandError, CommandResult, LocalLibrary, Output,
    output::{BOLD, DIM},
};
use crate::{
    http::runs::{
        conversations::conversation_id,
        events::{WatchUntil, follow_run},
    },
    wire::runs::Message,
};

/// Ask the library a question and get an answer with citations.
#[derive(Args)]
pub(super) struct AskArgs {
    /// The question; quotes around it are not needed
    #[arg(required = true)]
    question: Vec<String>,
    /// Mode of the answer: extractive, generated or research; default: generated if a model is configured, else
    /// extractive
    #[arg(long)]
    mode: Option<String>,
    /// Go on with this conversation
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    /// Only sources filed under this; may be given several times
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
}

pub(super) async fn run(ask: AskArgs, library: &LocalLibrary, output: &Output) -> CommandResult {
    let LocalLibrary { app, scope } = library;
    app.catch_up().await?;
    let question = AskRequest {
        conversation: ask.conversation.as_deref().map(conversation_id).transpose()?,
        mode: ask.mode.as_deref().map(str::parse::<RunMode>).transpose()?,
        filter: SearchFilter { tags: ask.tag, ..SearchFilter::default() },
        ..AskRequest::new(ask.question.join(" "))
    };
    let run = app.runs(scope).ask(question).await?;
    let mut printed = false;
    let mut events = std::pin::pin!(follow_run(app.clone(), *scope, run.id, 0, WatchUntil::Answer, Default::default()));
    while let Some(event) = futures::StreamExt::next(&mut events).await {
        if !output.is_json() {
            printed |= print_event(&event);
        }
    }
    let run = app.runs(scope).get(run.id).await?;
    let message = app.conversations(scope).message(&run.message).await?;
    if run.status != RunStatus::Completed {
        if printed {
            anstream::println!();
        }
        return Err(CommandError(run.error.unwrap_or_else(|| "the run did not end".to_owned())));
    }
    let answered = !message.citations.is_empty();
    output.print_value(&Message::from(message.clone()), || print_sources(&message))?;
    Ok(answered)
}

/// Shows what happens as it happens; says whether words were printed.
fn print_event(event: &RunEvent) -> bool {
    let RunEventData::ContentDelta(delta) = &event.data else { return false };
    anstream::print!("{}", delta.text);
    let _ = std::io::stdout().flush();
    true
}

/// The sources below an answer, each once, with the words that are quoted of it.
fn print_sources(message: &MessageWithCitations) {
    anstream::println!();
    let mut last = None;
    let mut citations: Vec<&Citation> = message.citations.iter().collect();
    citations.sort_by_key(|citation| citation.number);
    for citation in citations {
        if last.replace(citation.number) != Some(citation.number) {
            let page = citation.anchor.as_ref().and_then(|anchor| anchor.pages);
            let page = page.map(|(first, _)| format!(", page {first}")).unwrap_or_default();
            let url = citation.snapshot.url.as_ref().map(|url| format!(" {DIM}{url}{DIM:#}")).unwrap_or_default();
            anstream::println!("\n{BOLD}[{}]{BOLD:#} {}{page}{url}", citation.number, citation.snapshot.title);
        }
        if let Some(quote) = &citation.quote {
            let verdict = citation.verdict.map_or("", |verdict| verdict.as_str());
            let verdict = if verdict == "supported" { String::new() } else { format!(" ({verdict})") };
            anstream::println!("    {DIM}“{}”{verdict}{DIM:#}", ibid_language::one_line_at_most(quote, 200));
        }
        for line in citation.why.iter().filter_map(difference_line) {
            anstream::println!("    {line}");
        }
    }
    for rewritten in &message.message.rewritten {
        let new = Span::new(rewritten.start_index, rewritten.end_index);
        let new = new.slice_of(&message.message.content).unwrap_or_default();
        anstream::println!("\nrewritten from its source: {new}\n    {DIM}it said: {}{DIM:#}", rewritten.before);
    }
    if !message.message.dangling.is_empty() {
        anstream::println!("\n{DIM}taken out, for it names nothing: {}{DIM:#}", message.message.dangling.join(" "));
    }
}

/// A detail in which the answer and a source differ, in words; `None` if there are no words to show.
fn difference_line(difference: &ClaimDifference) -> Option<String> {
    match (difference.claim.as_str(), difference.source.as_deref()) {
        ("", None) => None,
        ("", Some(source)) => Some(format!("the source says “{source}”")),
        (claim, None) => Some(format!("“{claim}” is not in the source")),
        (claim, Some(source)) => Some(format!("the answer says “{claim}”, the source “{source}”")),
    }
}
