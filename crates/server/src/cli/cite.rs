//! `ibid cite`

use std::{io::Read as _, path::PathBuf};

use clap::Args;
use serde_json::json;

use super::{
    CommandError, CommandResult, Output,
    api::Api,
    output::{DIM, format_count, items, text},
};
use crate::wire::verification::GroundStyle;

/// The longest draft, in bytes.
const LONGEST: u64 = 4 << 20;

/// Find the sources of a draft in the library.
#[derive(Args)]
pub(super) struct CiteArgs {
    /// The draft, plain or in Markdown; - is standard input
    file: PathBuf,
    /// Format of the annotated draft
    #[arg(long, value_enum, default_value_t = GroundStyle::Markdown)]
    style: GroundStyle,
    /// Only sources with this tag; may be given several times
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
}

pub(super) async fn run(cite: CiteArgs, api: &Api, output: &Output) -> CommandResult {
    let draft = read_input(&cite.file)?;
    api.catch_up().await?;
    let (_progress, spinner) = output.start_progress();
    let body = json!({ "text": draft, "style": cite.style, "filters": { "tags": cite.tag } });
    let found = api.post("/api/v1/citations/ground").body(&body).json().await?;
    drop(spinner);
    let claims = items(&found, "claims");
    let supported = claims.iter().filter(|claim| claim["verdict"] == "supported").count();
    let unsupported = items(&found, "unsupported");
    output.print_value(&found, || {
        anstream::println!("{}", text(&found, "annotated").trim_end());
        anstream::eprintln!(
            "\n{DIM}{} supported, {} in part, {} not found{DIM:#}",
            format_count(supported as u64, "claim"),
            claims.len() - supported,
            unsupported.len()
        );
        for claim in unsupported {
            anstream::eprintln!("{DIM}not found:{DIM:#} {}", ibid_language::one_line_at_most(text(claim, "text"), 200));
        }
    })?;
    Ok(unsupported.is_empty())
}

fn read_input(file: &PathBuf) -> Result<String, CommandError> {
    let mut text = String::new();
    let mut from: Box<dyn std::io::Read> = match file.as_os_str() == "-" {
        true => Box::new(std::io::stdin()),
        false => Box::new(
            std::fs::File::open(file)
                .map_err(|error| CommandError::failed(format!("cannot read {}: {error}", file.display())))?,
        ),
    };
    let wrong = |error| CommandError::failed(format!("cannot read {} as text: {error}", file.display()));
    from.by_ref().take(LONGEST + 1).read_to_string(&mut text).map_err(wrong)?;
    if text.len() as u64 > LONGEST {
        return Err(CommandError::failed(format!("{} is longer than {} MiB", file.display(), LONGEST >> 20)));
    }
    Ok(text)
}
