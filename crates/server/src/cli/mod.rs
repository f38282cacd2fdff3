//! The command line.
//!
//! Every command calls one function of the app and prints what came back: aligned text for people, JSON with `--json`.
//! Exit codes: 0 it went well, 1 it did not (or a check found something wrong), 2 the command was not understood.

mod add;
mod artifact;
mod ask;
mod cite;
mod doc;
mod entity;
mod evidence;
mod graph;
mod job;
mod maintenance;
mod manifest;
mod output;
mod pointer;
mod reference;
mod search;
mod serve;
mod source;

use std::{path::PathBuf, process::ExitCode};

use clap::{CommandFactory, Parser, Subcommand};
use ibid_app::{App, Scope};
use ibid_store::Store;

use crate::{
    config::{Config, LogFormat, Said},
    settings::AppSettings,
    tools::{self, READ_TIMEOUT},
};

use self::output::Output;

/// The evidence engine: documents in, answers out, every claim tied to the exact words that support it.
#[derive(Parser)]
#[command(name = "ibid", version, propagate_version = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
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
    /// Bring files, folders and pages into the library
    Add(add::AddArgs),
    /// Ask the library a question and get a cited answer
    Ask(ask::AskArgs),
    /// Find the passages that answer
    Search(search::SearchArgs),
    /// Find the sources of a draft in the library
    Cite(cite::CiteArgs),
    /// Write documents with sources: footnotes, bibliography, PDF
    #[command(subcommand)]
    Doc(doc::DocCommand),
    /// Take something out of the library, to be checked anywhere
    #[command(subcommand)]
    Export(evidence::ExportCommand),
    /// Check an evidence bundle, byte for byte and quote for quote; needs no library
    Verify(evidence::VerifyArgs),
    /// Look after the search index
    #[command(subcommand)]
    Index(search::IndexCommand),
    /// Look at sources, enter, edit and delete them
    #[command(subcommand)]
    Source(source::SourceCommand),
    /// Keep and read immutable bytes
    #[command(subcommand)]
    Artifact(artifact::ArtifactCommand),
    /// Make and read trees of artifacts
    #[command(subcommand)]
    Manifest(manifest::ManifestCommand),
    /// Name manifests, and move the names
    #[command(subcommand)]
    Pointer(pointer::PointerCommand),
    /// Look at who and what is known, and say who is who
    #[command(subcommand)]
    Entity(entity::EntityCommand),
    /// Look after the graph of who did what
    #[command(subcommand)]
    Graph(graph::GraphCommand),
    /// List, show, retry and cancel background jobs
    #[command(subcommand)]
    Job(job::JobCommand),
    /// Remove what nothing reaches; without --apply only say what would go
    Gc(maintenance::GcArgs),
    /// Hash every byte again and follow every link
    Fsck,
    /// Print the settings in force and where each comes from
    Config,
    /// Print a completion script for a shell
    Completions {
        /// bash, zsh, fish, elvish or powershell
        shell: clap_complete::Shell,
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
    /// Print docs/errors.md, the table of error codes
    #[command(hide = true)]
    Errors,
}

/// Result of a command; `false` makes the process exit with a failure code.
type CommandResult = Result<bool, CommandError>;

/// Why a command failed, for people.
struct CommandError(String);

impl<E: std::fmt::Display> From<E> for CommandError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Reads the arguments and does what they say.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let output = Output::new(cli.json);
    if matches!(cli.command, Command::ReadContent) {
        // No settings, no log, no runtime: it reads, answers and ends.
        return match ibid_app::read_content(READ_TIMEOUT) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    if matches!(cli.command, Command::Typeset) {
        return match ibid_app::run_typeset_worker() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
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
        Err(CommandError(reason)) => {
            output.print_error(&reason);
            ExitCode::FAILURE
        }
    }
}

async fn run_command(command: Command, config: Config, output: &Output) -> CommandResult {
    match command {
        Command::Serve => serve::run_server(config, output).await,
        Command::Worker => serve::run_worker(config, output).await,
        Command::Mcp => serve::run_mcp(config, output).await,
        Command::Config => reference::print_config(&config, output),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "ibid", &mut std::io::stdout());
            Ok(true)
        }
        Command::ReadContent | Command::Typeset => Ok(true),
        Command::Openapi => reference::print_openapi(),
        Command::Errors => reference::print_error_codes(),
        Command::Add(add) => add::run(add, &config, &LocalLibrary::open(&config).await?, output).await,
        Command::Ask(ask) => ask::run(ask, &LocalLibrary::open(&config).await?, output).await,
        Command::Search(find) => search::run_search(find, &LocalLibrary::open(&config).await?, output).await,
        Command::Cite(cite) => cite::run(cite, &LocalLibrary::open(&config).await?, output).await,
        Command::Doc(command) => doc::run(command, &LocalLibrary::open(&config).await?, output).await,
        Command::Export(export) => evidence::run_export(export, &LocalLibrary::open(&config).await?, output).await,
        Command::Verify(verify) => evidence::run_verify(&verify, output),
        Command::Index(command) => search::index(command, &LocalLibrary::open(&config).await?, output).await,
        Command::Source(command) => source::run(command, &LocalLibrary::open(&config).await?, output).await,
        Command::Artifact(command) => artifact::run(command, &LocalLibrary::open(&config).await?, output).await,
        Command::Manifest(command) => manifest::run(command, &LocalLibrary::open(&config).await?, output).await,
        Command::Pointer(command) => pointer::run(command, &LocalLibrary::open(&config).await?, output).await,
        Command::Entity(command) => entity::run(command, &LocalLibrary::open(&config).await?, output).await,
        Command::Graph(command) => graph::run(command, &LocalLibrary::open(&config).await?, output).await,
        Command::Job(command) => job::run(command, &LocalLibrary::open(&config).await?, output).await,
        Command::Gc(gc) => maintenance::run_gc(gc, &LocalLibrary::open(&config).await?, output).await,
        Command::Fsck => maintenance::run_fsck(&LocalLibrary::open(&config).await?, output).await,
    }
}

/// A library that a command works on, as its one user.
struct LocalLibrary {
    app: App,
    scope: Scope,
}

impl LocalLibrary {
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
    CommandError(format!("cannot open the library in {place}: {error}"))
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
