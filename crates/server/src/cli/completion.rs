//! Completion of what is typed: commands and options, and the ids and titles of the library.
//!
//! The script that a shell loads asks the program itself (`COMPLETE=bash ibid …`), so it never gets out of date.

use std::{ffi::OsStr, io::Write as _, time::Duration};

use clap::{Command, Parser as _};
use clap_complete::{
    CompletionCandidate,
    engine::ArgValueCompleter,
    env::{CompleteEnv, Shells},
};

use super::{Cli, CommandError, CommandResult, api::Api, help, output::text};
use crate::config::Config;

/// Time for the library to answer; somebody waits at a prompt.
const PATIENCE: Duration = Duration::from_millis(1500);

/// The most candidates that are offered.
const OFFERED: usize = 100;

/// Answers the shell, if it is a shell that asks; then this process ends.
pub(super) fn answer_shell() {
    CompleteEnv::with_factory(help::build_command).complete();
}

/// Prints the script that makes a shell ask this program.
pub(super) fn print_script(shell: clap_complete::Shell) -> CommandResult {
    let shells = Shells::builtins();
    let name = shell.to_string();
    let found = shells.completer(&name).ok_or_else(|| CommandError::usage(format!("there is no script for {name}")))?;
    let mut script = Vec::new();
    found.write_registration("COMPLETE", "ibid", "ibid", "ibid", &mut script)?;
    std::io::stdout().write_all(&script)?;
    Ok(true)
}

/// Lists whose items arguments stand for: the command, the arguments, the list, and the fields with the id and the title.
const LISTS: [(&str, &[&str], &str, [&str; 2]); 6] = [
    ("source", &["id", "ids"], "/api/v1/sources", ["id", "title"]),
    ("open", &["source"], "/api/v1/sources", ["id", "title"]),
    ("doc", &["id"], "/api/v1/documents", ["id", "title"]),
    ("doc", &["source"], "/api/v1/sources", ["id", "title"]),
    ("entity", &["id", "into"], "/api/v1/entities", ["entity_id", "name"]),
    ("job", &["id"], "/api/v1/jobs", ["id", "kind"]),
];

/// Tells clap where the values of ids come from.
pub(super) fn add_completers(mut command: Command) -> Command {
    for (name, arguments, path, fields) in LISTS {
        let completer =
            ArgValueCompleter::new(move |typed: &OsStr| list_candidates(path, fields, &typed.to_string_lossy()));
        let add = |one: Command| {
            one.mut_args(|arg| match arguments.contains(&arg.get_id().as_str()) {
                true => arg.add(completer.clone()),
                false => arg,
            })
        };
        command = command.mut_subcommand(name, |one| match one.has_subcommands() {
            true => one.mut_subcommands(add),
            false => add(one),
        });
    }
    command
}

/// The ids of a list that begin with what was typed, each with its title.
fn list_candidates(path: &str, [id, title]: [&str; 2], typed: &str) -> Vec<CompletionCandidate> {
    // No arguments: what the environment and the file say.
    let Ok(cli) = Cli::try_parse_from(["ibid"]) else { return Vec::new() };
    let Ok(config) = Config::load(cli.settings, cli.config.as_deref()) else { return Vec::new() };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return Vec::new() };
    let items = runtime.block_on(async {
        let listed = async { Api::connect(&config).await.ok()?.list(path, &[], OFFERED).await.ok() };
        tokio::time::timeout(PATIENCE, listed).await.ok().flatten().unwrap_or_default()
    });
    runtime.shutdown_background();
    let candidate = |id: &str, title: &str| CompletionCandidate::new(id).help(Some(title.to_owned().into()));
    let fitting = items.iter().filter(|item| text(item, id).starts_with(typed));
    fitting.map(|item| candidate(text(item, id), text(item, title))).collect()
}
