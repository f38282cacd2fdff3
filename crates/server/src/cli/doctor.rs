//! `ibid doctor`: whether everything that Ibid needs is there, and what to do about what is not.

use std::{net::TcpListener, path::Path};

use ibid_models::{EmbedderConfig, LocalModelConfig, LocalPairJudge, Purpose, open_embedder};
use ibid_store::Store;
use serde::Serialize;

use super::{
    CommandResult, Output,
    output::{BOLD, DIM},
    running_server,
};
use crate::{
    config::{ChatKind, Config, EmbedderKind, JudgeKind},
    tools,
};

/// Result of one check.
#[derive(Serialize)]
struct Check {
    name: &'static str,
    state: CheckState,
    /// What was found.
    detail: String,
    /// What to do; `None` if nothing is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum CheckState {
    Ok,
    /// Ibid works without it, but not as well.
    Warning,
    Failed,
}

impl Check {
    fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, state: CheckState::Ok, detail: detail.into(), fix: None }
    }

    fn warning(name: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, state: CheckState::Warning, detail: detail.into(), fix: Some(fix.into()) }
    }

    fn failed(name: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, state: CheckState::Failed, detail: detail.into(), fix: Some(fix.into()) }
    }
}

/// What to do about a part that comes with Ibid and is missing.
const REINSTALL: &str = "Install Ibid again. In a clone of the project, `make run` fetches it.";

pub(super) async fn run(config: &Config, output: &Output) -> CommandResult {
    let mut checks = vec![check_program(), check_folder(config.data.as_path())];
    let server = running_server::find(config).await;
    checks.extend(check_library(config).await);
    checks.push(match &server {
        Some(server) => Check::ok("server", format!("running at {} (process {})", server.url, server.pid)),
        None => check_port(config),
    });
    checks.push(check_pdf());
    checks.push(check_embedder(config).await);
    checks.push(check_judge(config));
    checks.push(check_chat(config).await);
    let worst_is_fine = checks.iter().all(|check| check.state != CheckState::Failed);
    output.print_value(&checks, || {
        for check in &checks {
            let mark = match check.state {
                CheckState::Ok => "ok",
                CheckState::Warning => "!",
                CheckState::Failed => "FAILED",
            };
            anstream::println!("{BOLD}{mark:<7}{BOLD:#}{:<10} {}", check.name, check.detail);
            if let Some(fix) = &check.fix {
                anstream::println!("{:18}{DIM}{fix}{DIM:#}", "");
            }
        }
    })?;
    Ok(worst_is_fine)
}

fn check_program() -> Check {
    let version = env!("CARGO_PKG_VERSION");
    let Ok(program) = std::env::current_exe() else { return Check::ok("program", version) };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("ibid")).find(|file| file.is_file());
    let detail = format!("{version}, {}", program.display());
    match on_path.and_then(|file| file.canonicalize().ok()) {
        Some(file) if file == program => Check::ok("program", detail),
        Some(file) => {
            Check::warning("program", detail, format!("`ibid` on your PATH is another one: {}", file.display()))
        }
        None => {
            let folder = program.parent().unwrap_or(Path::new(".")).display().to_string();
            Check::warning(
                "program",
                detail,
                format!("`ibid` is not on your PATH. Add it: export PATH=\"{folder}:$PATH\""),
            )
        }
    }
}

fn check_folder(folder: &Path) -> Check {
    let written = std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder).map(drop));
    match written {
        Ok(()) => Check::ok("folder", folder.display().to_string()),
        Err(error) => Check::failed(
            "folder",
            format!("cannot write to {}: {error}", folder.display()),
            "Make the folder writable for you, or choose another with --data.",
        ),
    }
}

/// The database, the files beside it, and the search index.
async fn check_library(config: &Config) -> Vec<Check> {
    let store = match Store::open(config.store_options()).await {
        Ok(store) => store,
        Err(error) => {
            let fix = match config.database_url.is_empty() {
                true => "If another version wrote the library, use that version. `ibid fsck` says more.",
                false => "Check that PostgreSQL runs, that the URL is right, and that pgvector is installed.",
            };
            return vec![Check::failed("database", error.to_string(), fix)];
        }
    };
    let mut checks = vec![match store.ping().await {
        Ok(()) => Check::ok("database", store.engine().as_str()),
        Err(error) => Check::failed("database", error.to_string(), "Check that the database runs and has space."),
    }];
    checks.push(match store.blobs().ping().await {
        Ok(()) => Check::ok("files", store.blobs().kind().as_str()),
        Err(error) => Check::failed("files", error.to_string(), "Check the folder or the S3 settings."),
    });
    checks.push(match tools::open(config).await {
        Err(error) => Check::failed("settings", error, "Correct the setting; `ibid config` shows where it comes from."),
        Ok(tools) => match ibid_app::App::new(store, tools).index_state().await {
            Ok(None) => Check::ok("index", "in PostgreSQL"),
            Ok(Some(state)) if state.behind == 0 => Check::ok("index", format!("{} passages", state.passages)),
            Ok(Some(state)) => Check::ok(
                "index",
                format!(
                    "{} passages; {} changes will be added by the next server or search",
                    state.passages, state.behind
                ),
            ),
            Err(error) => Check::failed("index", error.to_string(), "Rebuild it with `ibid index rebuild`."),
        },
    });
    checks
}

fn check_port(config: &Config) -> Check {
    match TcpListener::bind(config.listen) {
        Ok(_) => Check::ok("server", format!("not running; {} is free", config.listen)),
        Err(error) => Check::warning(
            "server",
            format!("not running, and {} cannot be used: {error}", config.listen),
            "Another program uses the port. Choose another: ibid serve --listen 127.0.0.1:7320",
        ),
    }
}

fn check_pdf() -> Check {
    match ibid_ingest::check_pdf_library() {
        Ok(()) => Check::ok("PDF", "pdfium loads"),
        Err(error) => Check::warning("PDF", error, REINSTALL),
    }
}

async fn check_embedder(config: &Config) -> Check {
    const NAME: &str = "meaning";
    match config.embedder {
        EmbedderKind::None => Check::ok(NAME, "search by words only, as set"),
        EmbedderKind::External => Check::ok(NAME, "vectors come from outside, as set"),
        EmbedderKind::Local => {
            let opened = open_embedder(EmbedderConfig::Local(LocalModelConfig::default())).await;
            let tried = match opened {
                Ok(embedder) => embedder.embed(&["harbour"], Purpose::Query).await.map(|_| embedder.dimension()),
                Err(error) => Err(error),
            };
            match tried {
                Ok(numbers) => Check::ok(NAME, format!("the local model works ({numbers} dimensions)")),
                Err(error) => Check::warning(NAME, format!("search by words only: {error}"), REINSTALL),
            }
        }
        other => match tools::configured_embedder(config).await {
            Ok(_) => Check::ok(NAME, format!("{other}")),
            Err(error) => Check::failed(NAME, error, "Check embedder_url, embedder_model and embedder_key."),
        },
    }
}

fn check_judge(config: &Config) -> Check {
    if config.judge == JudgeKind::Words {
        return Check::ok("judge", "claims are checked by words, as set");
    }
    match LocalPairJudge::new(LocalModelConfig::default()).check_installed() {
        Ok(()) => Check::ok("judge", "installed"),
        Err(error) => Check::warning("judge", format!("claims are checked by words only: {error}"), REINSTALL),
    }
}

async fn check_chat(config: &Config) -> Check {
    const NAME: &str = "answers";
    if config.chat == ChatKind::None {
        return Check::ok(NAME, "quotes from your library; connect a model with --chat for written answers");
    }
    let tried = match tools::open_chat_model(config) {
        Ok(Some(model)) => tools::try_chat_model(model.as_ref()).await,
        Ok(None) => Err("no provider is chosen".to_owned()),
        Err(error) => Err(error),
    };
    match tried {
        Ok(_) => Check::ok(NAME, format!("{} answers", config.chat)),
        Err(error) => Check::failed(NAME, error, "Check chat_url, chat_model and chat_key."),
    }
}
