//! `ibid ask`

use std::io::Write as _;

use clap::Args;
use futures::StreamExt;
use serde_json::{Value as Json, json};

use super::{
    CommandError, CommandResult, Output,
    api::{Api, escape},
    output::{BOLD, DIM, items, number, text},
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
    /// Only sources with this tag; may be given several times
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
}

pub(super) async fn run(ask: AskArgs, api: &Api, output: &Output) -> CommandResult {
    api.catch_up().await?;
    let conversation = match ask.conversation {
        Some(id) => id,
        None => text(&api.post("/api/v1/conversations").body(&json!({})).json().await?, "id").to_owned(),
    };
    let question = json!({
        "content": ask.question.join(" "), "mode": ask.mode, "filters": { "tags": ask.tag },
    });
    let path = format!("/api/v1/conversations/{}/messages", escape(&conversation));
    let answer = api.post(path).body(&question).accept_events().send().await?;
    let mut message_id = None;
    let mut printed = false;
    let mut events = std::pin::pin!(answer.events());
    while let Some(event) = events.next().await {
        let event = event?;
        match text(&event, "type") {
            "content_delta" if !output.is_json() => {
                anstream::print!("{}", text(&event["data"], "text"));
                let _ = std::io::stdout().flush();
                printed = true;
            }
            "run_completed" => message_id = event["data"]["message_id"].as_str().map(str::to_owned),
            "run_failed" => {
                if printed {
                    anstream::println!();
                }
                let reason = event["data"]["error"].as_str().unwrap_or("the answer failed");
                return Err(CommandError::failed(reason));
            }
            _ => {}
        }
    }
    let Some(message_id) = message_id else {
        return Err(CommandError::failed("the answer broke off before its end"));
    };
    let message = api.get(format!("/api/v1/messages/{}", escape(&message_id))).json().await?;
    let answered = !items(&message, "citations").is_empty();
    output.print_value(&message, || print_sources(&message))?;
    Ok(answered)
}

/// The sources below an answer, each once, with the words that are quoted of it.
fn print_sources(message: &Json) {
    anstream::println!();
    let mut last = None;
    let mut citations: Vec<&Json> = items(message, "citations").iter().collect();
    citations.sort_by_key(|citation| number(citation, "number"));
    for citation in citations {
        let shown = number(citation, "number");
        if last.replace(shown) != Some(shown) {
            let page = citation["page"].as_u64().map(|page| format!(", page {page}")).unwrap_or_default();
            let url = citation["url"].as_str().map(|url| format!(" {DIM}{url}{DIM:#}")).unwrap_or_default();
            anstream::println!("\n{BOLD}[{shown}]{BOLD:#} {}{page}{url}", text(citation, "title"));
        }
        if let Some(quote) = citation["quote"].as_str() {
            let verdict = text(citation, "verdict");
            let verdict = if matches!(verdict, "" | "supported") { String::new() } else { format!(" ({verdict})") };
            anstream::println!("    {DIM}“{}”{verdict}{DIM:#}", ibid_language::one_line_at_most(quote, 200));
        }
        for line in items(citation, "why").iter().filter_map(difference_line) {
            anstream::println!("    {line}");
        }
    }
    let content: Vec<char> = text(message, "content").chars().collect();
    for rewritten in items(message, "rewritten") {
        let [start, end] = ["start_index", "end_index"].map(|field| number(rewritten, field) as usize);
        let new: String = content.get(start..end).unwrap_or_default().iter().collect();
        anstream::println!(
            "\nrewritten from its source: {new}\n    {DIM}it said: {}{DIM:#}",
            text(rewritten, "before")
        );
    }
    let dangling: Vec<_> = items(message, "dangling").iter().filter_map(Json::as_str).collect();
    if !dangling.is_empty() {
        anstream::println!("\n{DIM}removed, because no source has this number: {}{DIM:#}", dangling.join(" "));
    }
}

/// A detail in which the answer and a source differ, in words; `None` if there are no words to show.
fn difference_line(difference: &Json) -> Option<String> {
    match (text(difference, "claim"), difference["source"].as_str()) {
        ("", None) => None,
        ("", Some(source)) => Some(format!("the source says “{source}”")),
        (claim, None) => Some(format!("“{claim}” is not in the source")),
        (claim, Some(source)) => Some(format!("the answer says “{claim}”, the source “{source}”")),
    }
}
