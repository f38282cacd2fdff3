//! `ibid cite`

use std::{io::Read as _, path::PathBuf};

use clap::Args;
use ibid_domain::SearchFilter;

use super::{
    CommandError, CommandResult, LocalLibrary, Output,
    output::{DIM, format_count},
};
use crate::{http::citations::ground::ground_draft, wire::verification::GroundStyle};

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
    /// Only sources filed under this; may be given several times
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
}

pub(super) async fn run(cite: CiteArgs, library: &LocalLibrary, output: &Output) -> CommandResult {
    let text = read_input(&cite.file)?;
    library.app.catch_up().await?;
    let filter = SearchFilter { tags: cite.tag, ..SearchFilter::default() };
    let (_progress, spinner) = output.start_progress();
    let found = ground_draft(&library.app, &library.scope, &text, &filter, cite.style).await?;
    drop(spinner);
    let (supported, partly, not) = found.verdict_counts();
    output.print_value(&found, || {
        anstream::println!("{}", found.annotated.trim_end());
        anstream::eprintln!(
            "\n{DIM}{} supported, {partly} in part, {not} not found{DIM:#}",
            format_count(supported as u64, "claim")
        );
        for claim in found.unsupported_texts() {
            anstream::eprintln!("{DIM}not found:{DIM:#} {}", ibid_language::one_line_at_most(claim, 200));
        }
    })?;
    Ok(not == 0)
}

fn read_input(file: &PathBuf) -> Result<String, CommandError> {
    let mut text = String::new();
    let mut from: Box<dyn std::io::Read> = match file.as_os_str() == "-" {
        true => Box::new(std::io::stdin()),
        false => Box::new(
            std::fs::File::open(file)
                .map_err(|error| CommandError(format!("cannot read {}: {error}", file.display())))?,
        ),
    };
    let wrong = |error| CommandError(format!("cannot read {} as text: {error}", file.display()));
    from.by_ref().take(LONGEST + 1).read_to_string(&mut text).map_err(wrong)?;
    if text.len() as u64 > LONGEST {
        return Err(CommandError(format!("{} is longer than {} MiB", file.display(), LONGEST >> 20)));
    }
    Ok(text)
}
