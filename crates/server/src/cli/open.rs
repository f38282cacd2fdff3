//! `ibid` without a command, and `ibid open`: the app in a browser, with a server behind it.

use std::io::IsTerminal;

use clap::Args;
use ibid_domain::SourceId;
use serde_json::{Value as Json, json};

use super::{
    CommandError, CommandResult, Output,
    api::Api,
    output::{DIM, format_count, print_table, text},
    running_server,
    serve::{self, Announcement},
};
use crate::config::Config;

/// Open a source in the browser.
#[derive(Args)]
pub(super) struct OpenArgs {
    /// Id of the source, or words of its title or text
    #[arg(required = true)]
    source: Vec<String>,
    /// The words to show, as START-END in characters; `ibid search` prints them behind the id
    #[arg(long, value_name = "START-END", value_parser = parse_range)]
    at: Option<(u64, u64)>,
    /// Print the address instead of opening it
    #[arg(long)]
    print: bool,
}

fn parse_range(text: &str) -> Result<(u64, u64), String> {
    let wrong = || format!("'{text}' is not START-END, such as 1204-2310");
    let (start, end) = text.split_once('-').ok_or_else(wrong)?;
    match (start.parse(), end.parse()) {
        (Ok(start), Ok(end)) if start < end => Ok((start, end)),
        _ => Err(wrong()),
    }
}

/// Opens the app: of a server that runs on the library, else of one that is started here.
pub(super) async fn start_and_open(config: Config, output: &Output) -> CommandResult {
    if let Some(url) = server_url(&config).await {
        anstream::println!("Ibid is running: {url}");
        open_browser(&url, output);
        return Ok(true);
    }
    serve::run_server(config, output, Announcement::OpenBrowser(String::new())).await
}

/// Opens a source in the app.
pub(super) async fn run(open: OpenArgs, config: Config, output: &Output) -> CommandResult {
    let api = Api::connect(&config).await?;
    let id = match open.source.as_slice() {
        [one] if one.parse::<SourceId>().is_ok() => {
            text(&api.get(format!("/api/v1/sources/{one}")).json().await?, "id").to_owned()
        }
        words => match find_source(&api, &words.join(" "), output).await? {
            Some(id) => id,
            None => return Ok(false),
        },
    };
    let place = open.at.map(|(start, end)| format!("#c={start}-{end}")).unwrap_or_default();
    let path = format!("/sources/{id}{place}");
    let server = api.server_url().map(|url| format!("{url}{path}"));
    drop(api);
    match server {
        Some(url) => {
            output.print_value(&json!({ "url": url }), || anstream::println!("{url}"))?;
            if !open.print {
                open_browser(&url, output);
            }
            Ok(true)
        }
        None if open.print || output.is_json() => {
            Err(CommandError::failed("no server runs on this library; start one with `ibid serve`"))
        }
        None => serve::run_server(config, output, Announcement::OpenBrowser(path)).await,
    }
}

/// The one source with these words; lists them if there are several.
async fn find_source(api: &Api, words: &str, output: &Output) -> Result<Option<String>, CommandError> {
    let found = api.list("/api/v1/sources", &[("q", words.to_owned())], 10).await?;
    match found.as_slice() {
        [] => Err(CommandError::failed(format!("no source has the words '{words}'"))),
        [one] => Ok(Some(text(one, "id").to_owned())),
        several => {
            output.print_warning(&format!(
                "{} have these words; give the id of one:",
                format_count(several.len() as u64, "source")
            ));
            let row = |one: &Json| vec![text(one, "id").to_owned(), text(one, "title").to_owned()];
            print_table(&several.iter().map(row).collect::<Vec<_>>());
            Ok(None)
        }
    }
}

/// The server that commands go to: the one that the settings name, or one that runs on the library.
async fn server_url(config: &Config) -> Option<String> {
    match config.server.trim_end_matches('/') {
        "" => running_server::find(config).await.map(|server| server.url),
        url => Some(url.to_owned()),
    }
}

/// Opens an address in the user's browser; where there is none, the printed address has to do.
pub(super) fn open_browser(url: &str, output: &Output) {
    let display = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].iter().any(|name| std::env::var_os(name).is_some());
    let can_open = cfg!(target_os = "macos") || display;
    if !can_open || open::that_detached(url).is_err() {
        output.print_warning(&format!("No browser could be opened. Open {url} yourself."));
    }
}

/// What to type next, for somebody who started Ibid at a terminal.
pub(super) fn print_next_steps(config: &Config) {
    if !std::io::stdout().is_terminal() {
        return;
    }
    anstream::println!(
        "{DIM}Library:{DIM:#} {}\n\n\
         In another terminal:\n  \
         ibid add FILE, FOLDER or URL     add sources\n  \
         ibid ask \"QUESTION\"              get a cited answer\n  \
         ibid help                        everything else\n\n\
         {DIM}Stop with Ctrl-C.{DIM:#}",
        config.data
    );
}
