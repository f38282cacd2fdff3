//! The command line.
//!
//! Every command sends requests to the API ([`api`]) and prints what came back: aligned text for people, JSON with
//! `--json`. Commands that look after the library itself open it instead. Exit codes are listed in [`help`].

mod add;
mod api;
mod artifact;
mod ask;
mod cite;
mod completion;
mod doc;
mod doctor;
mod entity;
mod evidence;
mod graph;
mod help;
mod job;
mod maintenance;
mod manifest;
mod open;
mod output;
mod pointer;
mod reference;
mod running_server;
mod search;
mod serve;
mod source;
mod watch;

use std::{io::IsTerminal, path::PathBuf, process::ExitCode};

use clap::{FromArgMatches, Parser, Subcommand};
use ibid_app::{App, Scope};
use ibid_store::Store;

use crate::{
    config::{Config, LogFormat, Said},
    settings::AppSettings,
    tools::{self, READ_TIMEOUT},
};

use self::{api::Api, output::Output};

/// Answers and documents in which every claim leads to the exact words that support it.
#[derive(Parser)]
#[command(name = "ibid", version, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Read settings from this file
    #[arg(long, env = "IBID_CONFIG", global = true, value_name = "FILE", help_heading = "Settings")]
    config: Option<PathBuf>,
    /// Print the result as JSON instead of text
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    settings: Said,
}

#[derive(Subcommand)]
enum Command {
    /// Start the server with the web app
    Serve,
    /// Do background jobs, beside a server on the same library
    Worker,
    /// Serve the library to a chat client, over MCP on standard input and output
    Mcp,
    /// Add files, folders and web pages
    Add(add::AddArgs),
    /// Add a folder, and again what changes in it, until Ctrl-C
    Watch(watch::WatchArgs),
    /// Ask a question and get a cited answer
    Ask(ask::AskArgs),
    /// Find the passages that answer
    Search(search::SearchArgs),
    /// Open a source in the browser, at the quoted words
    Open(open::OpenArgs),
    /// Find the sources of a draft
    Cite(cite::CiteArgs),
    /// Write documents with sources: footnotes, bibliography, PDF
    #[command(subcommand)]
    Doc(doc::DocCommand),
    /// Export an answer or a document with all its evidence
    #[command(subcommand)]
    Export(evidence::ExportCommand),
    /// Check exported evidence, byte for byte; needs no library
    Verify(evidence::VerifyArgs),
    /// List, show, edit, import and delete sources
    #[command(subcommand)]
    Source(source::SourceCommand),
    /// List people and things, merge and split them
    #[command(subcommand)]
    Entity(entity::EntityCommand),
    /// Check or rebuild the graph of people, things and events
    #[command(subcommand)]
    Graph(graph::GraphCommand),
    /// List, show, retry and cancel background jobs
    #[command(subcommand)]
    Job(job::JobCommand),
    /// Show or rebuild the search index
    #[command(subcommand)]
    Index(search::IndexCommand),
    /// Store and read immutable bytes
    #[command(subcommand)]
    Artifact(artifact::ArtifactCommand),
    /// Create and read trees of artifacts
    #[command(subcommand)]
    Manifest(manifest::ManifestCommand),
    /// Name manifests, and move the names
    #[command(subcommand)]
    Pointer(pointer::PointerCommand),
    /// Delete what nothing refers to; without --apply only list it
    Gc(maintenance::GcArgs),
    /// Check every byte and every link
    Fsck,
    /// Check that everything Ibid needs is there, and say what to do
    Doctor,
    /// Print the settings in use and where each comes from
    Config,
    /// Print help: for a command, or on settings, exit-codes, json
    Help(help::HelpArgs),
    /// Print the script that completes commands, ids and titles in a shell
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
    },
    /// Write the man pages into a folder
    #[command(hide = true)]
    Man {
        /// The folder; it is created if it does not exist
        folder: PathBuf,
    },
    /// Read one file from standard input, as a child of a server
    #[command(hide = true)]
    ReadContent,
    /// Set documents that come on standard input, as a child of a server
    #[command(hide = true)]
    Typeset,
    /// Print the description of the API
    #[command(hide = true)]
    Openapi,
    /// Print a page of the documentation that is made from the code: errors, settings or commands
    #[command(hide = true)]
    Reference {
        /// errors (Markdown), settings or commands (JSON)
        page: reference::ReferencePage,
    },
}

/// Result of a command; `false` makes the process exit with a failure code.
type CommandResult = Result<bool, CommandError>;

/// Why a command failed, for people.
#[derive(Debug)]
struct CommandError {
    reason: String,
    /// Code of the API's error; empty if the API did not refuse.
    code: String,
    /// True if the command was not understood, which has an exit code of its own.
    usage: bool,
}

impl CommandError {
    /// The command was understood and could not be done.
    fn failed(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), code: String::new(), usage: false }
    }

    /// The command does not make sense as it was typed.
    fn usage(reason: impl Into<String>) -> Self {
        Self { usage: true, ..Self::failed(reason) }
    }
}

impl<E: std::fmt::Display> From<E> for CommandError {
    fn from(error: E) -> Self {
        Self::failed(error.to_string())
    }
}

/// Reads the arguments and does what they say.
pub fn main() -> ExitCode {
    completion::answer_shell();
    let parsed = help::build_command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return help::explain_usage(&error),
    };
    let output = Output::new(cli.json);
    match &cli.command {
        // No settings, no log, no runtime: it reads, answers and ends.
        Some(Command::ReadContent) => return exit_code_of(ibid_app::read_content(READ_TIMEOUT)),
        Some(Command::Typeset) => return exit_code_of(ibid_app::run_typeset_worker()),
        None if !std::io::stdout().is_terminal() => {
            help::print_usage();
            return ExitCode::from(2);
        }
        _ => {}
    }
    let config = match Config::load(cli.settings, cli.config.as_deref()) {
        Ok(config) => config,
        Err(error) => {
            output.print_error(&error);
            return ExitCode::from(2);
        }
    };
    start_log(&config);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output.print_error(&format!("cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let outcome = runtime.block_on(run_command(cli.command, config, &output));
    // Blocking threads, such as one that reads a slow disk, are not waited for.
    runtime.shutdown_background();
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(CommandError { reason, usage, .. }) => {
            output.print_error(&reason);
            ExitCode::from(if usage { 2 } else { 1 })
        }
    }
}

fn exit_code_of<T, E>(result: Result<T, E>) -> ExitCode {
    if result.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn run_command(command: Option<Command>, config: Config, output: &Output) -> CommandResult {
    let Some(command) = command else { return open::start_and_open(config, output).await };
    match command {
        Command::Serve => serve::run_server(config, output, serve::Announcement::Address).await,
        Command::Worker => serve::run_worker(config, output).await,
        Command::Mcp => serve::run_mcp(config, output).await,
        Command::Config => reference::print_config(&config, output),
        Command::Doctor => doctor::run(&config, output).await,
        Command::Help(topic) => help::run(&topic, output),
        Command::Completions { shell } => completion::print_script(shell),
        Command::Man { folder } => help::write_man_pages(&folder),
        Command::ReadContent | Command::Typeset => Ok(true),
        Command::Openapi => reference::print_openapi(),
        Command::Reference { page } => reference::print_page(page),
        Command::Open(open) => open::run(open, config, output).await,
        Command::Add(add) => add::run(add, &Api::connect(&config).await?, output).await,
        Command::Watch(watch) => watch::run(watch, &Api::connect(&config).await?, output).await,
        Command::Ask(ask) => ask::run(ask, &Api::connect(&config).await?, output).await,
        Command::Search(find) => search::run_search(find, &Api::connect(&config).await?, output).await,
        Command::Cite(cite) => cite::run(cite, &Api::connect(&config).await?, output).await,
        Command::Doc(command) => doc::run(command, &Api::connect(&config).await?, output).await,
        Command::Export(export) => evidence::run_export(export, &Api::connect(&config).await?, output).await,
        Command::Verify(verify) => evidence::run_verify(&verify, output),
        Command::Source(command) => source::run(command, &Api::connect(&config).await?, output).await,
        Command::Artifact(command) => artifact::run(command, &Api::connect(&config).await?, output).await,
        Command::Manifest(command) => manifest::run(command, &Api::connect(&config).await?, output).await,
        Command::Pointer(command) => pointer::run(command, &Api::connect(&config).await?, output).await,
        Command::Entity(command) => entity::run(command, &Api::connect(&config).await?, output).await,
        Command::Job(command) => job::run(command, &Api::connect(&config).await?, output).await,
        Command::Graph(graph::GraphCommand::Health) => graph::run_health(&Api::connect(&config).await?, output).await,
        Command::Graph(graph::GraphCommand::Rebuild) => {
            graph::run_rebuild(&LocalLibrary::open_for("graph rebuild", &config).await?, output).await
        }
        Command::Index(command) => {
            search::index(command, &LocalLibrary::open_for("index", &config).await?, output).await
        }
        Command::Gc(gc) => maintenance::run_gc(gc, &LocalLibrary::open_for("gc", &config).await?, output).await,
        Command::Fsck => maintenance::run_fsck(&LocalLibrary::open_for("fsck", &config).await?, output).await,
    }
}

/// A library that a command works on, as its one user.
struct LocalLibrary {
    app: App,
    scope: Scope,
}

impl LocalLibrary {
    /// Opens the library for a command that looks after it, and that no server does for others.
    async fn open_for(command: &str, config: &Config) -> Result<Self, CommandError> {
        if !config.server.is_empty() {
            return Err(CommandError::usage(format!(
                "`ibid {command}` works on the library itself; run it on the machine of the server, without --server"
            )));
        }
        Self::open(config).await
    }

    async fn open(config: &Config) -> Result<Self, CommandError> {
        let app = open_app(config).await?;
        let scope = app.local_owner().await?;
        Ok(Self { app, scope })
    }
}

/// Opens a library with the tools that the settings name.
async fn open_app(config: &Config) -> Result<App, CommandError> {
    let store = Store::open(config.store_options()).await.map_err(|error| cannot_open(config, &error))?;
    let mut tx = store.read().await?;
    let owner = tx.local_owner().await?;
    let kept = AppSettings::from_rows(tx.settings(&owner).list_all().await?);
    drop(tx);
    let tools = match tools::open(&config.with_app_settings(&kept)).await {
        // A library opens whatever was set in the app.
        Err(error) if kept != AppSettings::default() => {
            tracing::warn!(error, "what was set in the app cannot be used");
            tools::open(config).await?
        }
        opened => opened?,
    };
    Ok(App::new(store, tools))
}

fn cannot_open(config: &Config, error: &ibid_store::Error) -> CommandError {
    let place = if config.database_url.is_empty() { config.data.to_string() } else { "the database".to_owned() };
    CommandError::failed(format!("cannot open the library in {place}: {error}"))
}

/// Logs go to standard error: all that matters to a log file, only what is wrong to a terminal.
fn start_log(config: &Config) {
    use std::io::IsTerminal;
    use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};
    let terminal = std::io::stderr().is_terminal();
    let default = if terminal { "warn" } else { "info,sqlx=warn,hyper=warn,rmcp=warn" };
    let filter = if config.log == "auto" { default } else { config.log.as_str() };
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new(default));
    let registry = tracing_subscriber::registry().with(filter);
    let colour = terminal && std::env::var_os("NO_COLOR").is_none();
    let started = match config.log_format {
        LogFormat::Text => {
            registry.with(fmt::layer().with_writer(std::io::stderr).with_target(false).with_ansi(colour)).try_init()
        }
        LogFormat::Json => {
            registry.with(fmt::layer().json().with_writer(std::io::stderr).with_span_list(false)).try_init()
        }
    };
    debug_assert!(started.is_ok(), "the log is started once");
}
