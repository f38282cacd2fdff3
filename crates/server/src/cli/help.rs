//! What the command line says of itself: help, topics, man pages, and the references that are made from it.

use std::{fmt::Write as _, path::Path, process::ExitCode};

use clap::{Arg, ArgAction, Args, Command, CommandFactory};
use serde_json::{Value as Json, json};

use super::{
    Cli, CommandError, CommandResult, Output, completion,
    output::{ACCENT, BOLD, DIM},
};
use crate::config::Config;

/// Print help for a command or on a topic.
#[derive(Args)]
pub(super) struct HelpArgs {
    /// A command, such as `source list`, or a topic: settings, exit-codes or json
    topic: Vec<String>,
}

/// The commands in the order of `ibid --help`. A test compares them with the commands that there are.
const GROUPS: [CommandGroup; 6] = [
    CommandGroup {
        title: "Ask and search",
        example: "ibid ask \"who built the harbour?\"",
        commands: &["add", "ask", "search", "open", "watch"],
    },
    CommandGroup { title: "Write", example: "ibid cite draft.md", commands: &["cite", "doc", "export", "verify"] },
    CommandGroup {
        title: "Look after sources",
        example: "ibid source list harbour",
        commands: &["source", "entity", "job"],
    },
    CommandGroup { title: "Run", example: "ibid serve --listen 127.0.0.1:8000", commands: &["serve", "mcp", "worker"] },
    CommandGroup {
        title: "Maintain",
        example: "ibid doctor",
        commands: &["doctor", "config", "fsck", "gc", "index", "graph", "artifact", "manifest", "pointer"],
    },
    CommandGroup { title: "Help", example: "ibid help settings", commands: &["help", "completions"] },
];

struct CommandGroup {
    title: &'static str,
    example: &'static str,
    commands: &'static [&'static str],
}

/// Settings that every command shows in its help; `ibid help settings` has the others.
const SHOWN_SETTINGS: [&str; 2] = ["data", "server"];

/// What commands print with `--json`: a schema of the API, or a list of them (`[]`).
const JSON_SHAPES: [(&str, &str); 25] = [
    ("ask", "Message"),
    ("search", "SearchAnswer"),
    ("cite", "GroundAnswer"),
    ("source list", "Source[]"),
    ("source show", "Source"),
    ("source new", "Source"),
    ("source edit", "Source"),
    ("source import", "ImportResult"),
    ("source refresh", "QueuedJob"),
    ("doc new", "Document"),
    ("doc list", "DocumentSummary[]"),
    ("doc show", "Document"),
    ("doc edit", "Document"),
    ("doc cite", "DocumentCitation"),
    ("doc bib", "BibliographyAnswer"),
    ("doc history", "DocumentVersionSummary[]"),
    ("doc restore", "Document"),
    ("entity list", "Entity[]"),
    ("entity show", "EntityAnswer"),
    ("entity review", "EntityPair[]"),
    ("entity split", "SplitAnswer"),
    ("job list", "Job[]"),
    ("job show", "Job"),
    ("artifact list", "Artifact[]"),
    ("graph health", "GraphHealthAnswer"),
];

/// Exit codes, and what each means.
const EXIT_CODES: [(u8, &str); 4] = [
    (0, "The command succeeded."),
    (1, "The command failed, found nothing, or a check found a fault."),
    (2, "The command or a setting was not understood."),
    (130, "The command was stopped a second time with Ctrl-C."),
];

/// The commands and options that people see: most settings are left to `ibid help settings`.
fn visible_command() -> Command {
    let settings: Vec<&str> = Config::reference().iter().map(|setting| setting.name).collect();
    Cli::command().mut_args(|arg| {
        let id = arg.get_id().as_str();
        let hidden = (settings.contains(&id) && !SHOWN_SETTINGS.contains(&id)) || id == "config";
        match id {
            "data" => arg.value_name("DIR"),
            "server" => arg.value_name("URL"),
            _ if hidden => arg.hide(true),
            _ => arg,
        }
    })
}

/// The command line with its help as people see it.
pub(super) fn build_command() -> Command {
    let mut command = visible_command();
    command = completion::add_completers(command);
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    for name in names {
        let more = match name.as_str() {
            "serve" => {
                "Often used: --listen ADDRESS, --chat PROVIDER, --chat-model MODEL, --database-url URL.\n\
                 All settings: ibid help settings"
            }
            _ => "Other settings: ibid help settings",
        };
        command = command.mut_subcommand(&name, |one| one.after_help(more));
    }
    let help = overview(&command);
    command.override_help(help)
}

/// `ibid --help`: the commands in groups, each with an example.
fn overview(command: &Command) -> String {
    let mut text = format!(
        "Ibid: answers and documents in which every claim leads to the exact words that support it.\n\n\
         Usage: {BOLD}ibid{BOLD:#}                      start Ibid and open it in the browser\n       \
         {BOLD}ibid COMMAND{BOLD:#} [OPTIONS]    do one thing; {BOLD}ibid help COMMAND{BOLD:#} says more\n"
    );
    for group in &GROUPS {
        let _ = write!(text, "\n{ACCENT}{:<24}{ACCENT:#}{DIM}{}{DIM:#}\n", group.title, group.example);
        for name in group.commands {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {BOLD}{name:<12}{BOLD:#}{about}");
        }
    }
    let _ =
        write!(text, "\nOptions: --data DIR (another library), --server URL (a server's library), --json, --version");
    text
}

/// Prints help that was asked for, or one sentence on what was not understood.
pub(super) fn explain_usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    let shown = matches!(error.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand);
    if shown {
        let _ = error.print();
        return ExitCode::from(u8::from(error.use_stderr()) * 2);
    }
    let text = error.render().to_string();
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut paragraphs = text.split("\n\n").map(one_line);
    let what = paragraphs.next().unwrap_or_default();
    let mut sentence = what.strip_prefix("error: ").unwrap_or(&what).to_owned();
    let (mut tip, mut usage) = (None, None);
    for paragraph in paragraphs {
        if let Some(text) = paragraph.strip_prefix("tip: ") {
            tip = Some(text.to_owned());
        } else if let Some(text) = paragraph.strip_prefix("Usage: ibid") {
            let words = text
                .split_whitespace()
                .take_while(|word| !word.starts_with('-') && word.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
            usage = Some(words.collect::<Vec<_>>().join(" "));
        }
    }
    if let Some(tip) = tip {
        sentence = format!("{sentence}; {tip}");
    }
    let topic = usage.filter(|words| !words.is_empty()).map(|words| format!(" {words}")).unwrap_or_default();
    let json = std::env::args_os().any(|argument| argument == "--json");
    Output::new(json).print_error(&format!("{}; see `ibid help{topic}`", sentence.trim_end_matches('.')));
    ExitCode::from(2)
}

/// Says how to go on, to those who typed `ibid` where nothing can be opened.
pub(super) fn print_usage() {
    anstream::eprintln!("{}", build_command().render_help().ansi());
}

/// `ibid help`, `ibid help settings`, `ibid help source list`.
pub(super) fn run(help: &HelpArgs, output: &Output) -> CommandResult {
    let words: Vec<&str> = help.topic.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["settings"] => print_settings(output)?,
        ["exit-codes"] => {
            let json: Vec<_> = EXIT_CODES.iter().map(|(code, means)| json!({ "code": code, "means": means })).collect();
            output.print_value(&json, || {
                for (code, means) in EXIT_CODES {
                    anstream::println!("{BOLD}{code:>4}{BOLD:#}  {means}");
                }
            })?;
        }
        ["json"] => {
            let json: Vec<_> =
                JSON_SHAPES.iter().map(|(name, schema)| json!({ "command": name, "schema": schema })).collect();
            output.print_value(&json, || {
                anstream::println!(
                    "With --json a command prints a value of the API's schema (`ibid serve`, then /docs):\n"
                );
                for (name, schema) in JSON_SHAPES {
                    anstream::println!("  {BOLD}ibid {name:<16}{BOLD:#}{schema}");
                }
                anstream::println!("\nAn error is printed to standard error as {{\"error\": \"…\"}}.");
            })?;
        }
        path => {
            let mut command = build_command();
            command.build();
            let mut found = &mut command;
            for word in path {
                let known = found.find_subcommand(word).is_some();
                if !known {
                    let tried = path.join(" ");
                    let what = format!("there is no command or topic '{tried}'; `ibid help` lists them");
                    return Err(CommandError::usage(what));
                }
                found = found.find_subcommand_mut(word).unwrap_or_else(|| unreachable!("it was found"));
            }
            anstream::println!("{}", found.render_long_help().ansi());
        }
    }
    Ok(true)
}

fn print_settings(output: &Output) -> Result<(), CommandError> {
    let settings = Config::reference();
    output.print_value(&settings, || {
        anstream::println!(
            "Later ones win: the default, the app's own settings, ibid.toml, the environment, the flag.\n\
             `ibid config` prints the settings in use.\n"
        );
        for setting in &settings {
            let flag = setting.name.replace('_', "-");
            let default = if setting.default.is_empty() { String::new() } else { format!(" [{}]", setting.default) };
            anstream::println!("{BOLD}--{flag}{BOLD:#}  {DIM}{}{DIM:#}", setting.env);
            anstream::println!("    {}{DIM}{default}{DIM:#}", setting.help);
        }
    })?;
    Ok(())
}

/// Every command and its arguments, for the documentation.
pub(super) fn commands_json() -> Json {
    let mut command = build_command();
    command.build();
    let mut found = Vec::new();
    collect_commands(&mut command, "ibid", &mut found);
    Json::Array(found)
}

fn collect_commands(command: &mut Command, path: &str, found: &mut Vec<Json>) {
    for child in command.get_subcommands_mut().filter(|child| !child.is_hide_set()) {
        let name = format!("{path} {}", child.get_name());
        if child.has_subcommands() {
            collect_commands(child, &name, found);
            continue;
        }
        let usage = child.render_usage().to_string();
        let visible = |arg: &&Arg| !arg.is_hide_set() && !is_general(arg);
        let arguments: Vec<_> = child.get_positionals().filter(visible).map(describe_argument).collect();
        let options: Vec<_> = child.get_opts().chain(flags(child)).filter(visible).map(describe_option).collect();
        let schema = JSON_SHAPES.iter().find(|(one, _)| name == format!("ibid {one}")).map(|(_, schema)| *schema);
        found.push(json!({
            "name": name,
            "about": child.get_about().map(ToString::to_string).unwrap_or_default(),
            "usage": usage.trim_start_matches("Usage: "),
            "arguments": arguments,
            "options": options,
            "json": schema,
        }));
    }
}

fn flags(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| matches!(arg.get_action(), ArgAction::SetTrue))
}

/// Options that every command has; the documentation describes them once.
fn is_general(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Help | ArgAction::Version)
        || matches!(arg.get_id().as_str(), "json" | "data" | "server" | "config")
}

fn describe_argument(arg: &Arg) -> Json {
    json!({ "name": arg.to_string(), "help": help_of(arg), "required": arg.is_required_set() })
}

fn describe_option(arg: &Arg) -> Json {
    let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    let default: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    json!({ "flags": format!("{short}{arg}"), "help": help_of(arg), "default": default.join(" ") })
}

fn help_of(arg: &Arg) -> String {
    arg.get_help().map(ToString::to_string).unwrap_or_default()
}

/// Writes a man page for the program and for each command.
pub(super) fn write_man_pages(folder: &Path) -> CommandResult {
    let cannot = |error: std::io::Error| CommandError::failed(format!("cannot write to {}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(cannot)?;
    // Without the overview, which has a form of its own.
    clap_mangen::generate_to(visible_command(), folder).map_err(cannot)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_overview_has_every_command_once_and_fits_a_screen() {
        let command = build_command();
        let there: BTreeSet<_> =
            command.get_subcommands().filter(|one| !one.is_hide_set()).map(|one| one.get_name().to_owned()).collect();
        let listed: Vec<_> = GROUPS.iter().flat_map(|group| group.commands).map(|name| (*name).to_owned()).collect();
        assert_eq!(listed.len(), there.len());
        assert_eq!(BTreeSet::from_iter(listed), there);
        let lines: Vec<_> = overview(&command).lines().map(str::to_owned).collect();
        assert!(lines.len() <= 44, "{} lines", lines.len());
        let plain = |line: &str| anstream::adapter::strip_str(line).to_string();
        assert!(lines.iter().all(|line| plain(line).chars().count() <= 96), "{lines:#?}");
    }

    #[test]
    fn json_shapes_are_schemas_of_the_api_and_commands_that_exist() {
        let document = serde_json::to_value(crate::http::openapi_document()).unwrap();
        for (name, schema) in JSON_SHAPES {
            assert!(document["components"]["schemas"][schema.trim_end_matches("[]")].is_object(), "{schema}");
            let mut command = &build_command();
            for word in name.split(' ') {
                command = command.find_subcommand(word).unwrap_or_else(|| panic!("no command {name}"));
            }
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        build_command().debug_assert();
    }
}
