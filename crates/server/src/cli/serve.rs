//! `ibid serve`, `ibid worker` and `ibid mcp`

use std::{
    io::IsTerminal,
    net::SocketAddr,
    time::{Duration, Instant},
};

use ibid_app::{App, Worker, WorkerOptions};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use super::{CommandError, CommandResult, Output, open, open_app, running_server::ServerRecord};
use crate::{
    config::Config,
    http,
    mcp::{Mcp, serve_stdio},
    settings,
};

/// What a server says when it is ready.
pub(super) enum Announcement {
    /// One line with the address, for `ibid serve`.
    Address,
    /// Its address and what to do next; a browser opens this path of the app.
    OpenBrowser(String),
}

/// Serves until it is told to stop.
pub(super) async fn run_server(config: Config, output: &Output, announcement: Announcement) -> CommandResult {
    if !config.listen.ip().is_loopback() {
        return Err(CommandError::failed(format!(
            "{} can be reached from other machines, and no authentication is configured; listen on 127.0.0.1",
            config.listen
        )));
    }
    let metrics = http::install_metrics()?;
    let listener = match (bind_listener(config.listen).await, &announcement) {
        // Somebody who only typed `ibid` did not choose this port.
        (Err(_), Announcement::OpenBrowser(_)) => bind_listener(SocketAddr::new(config.listen.ip(), 0)).await?,
        (bound, _) => bound?,
    };
    let address = listener.local_addr()?;
    let app = open_swept_app(&config).await?;
    let owner = app.local_owner().await?;
    let stop = stop_signal()?;

    let (hearing, keeping, tidying) = (watch_job_changes(&app), keep_index(&app, &stop), end_abandoned(&app, &stop));
    let following = settings::watch_changes(&app, owner, &config, &stop);
    let worker = (config.workers > 0).then(|| Worker::new(app.clone(), worker_options(&config)));
    let pulse = worker.as_ref().map(Worker::pulse);
    let working = worker.map(|worker| tokio::spawn(worker.run(stop.clone())));

    let public_url = config.public_url(address);
    let (drain, connections) = (config.drain_timeout(), config.max_connections);
    let server_config = config.clone();
    let inner = http::ServerParts {
        app: app.clone(),
        owner,
        config,
        public_url,
        worker: pulse,
        stop: stop.clone(),
        started: Instant::now(),
        metrics,
    };
    let router = http::build_router(inner.into());
    let url = format!("http://{address}");
    let record = ServerRecord::write(&server_config, &url);
    output.print_value(&serde_json::json!({ "url": url }), || anstream::println!("Ibid is ready: {url}"))?;
    if let Announcement::OpenBrowser(path) = announcement {
        open::print_next_steps(&server_config);
        open::open_browser(&format!("{url}{path}"), output);
    }
    tracing::info!(%address, engine = app.store().engine().as_str(), blobs = app.store().blobs().kind().as_str(), "ready");
    http::listen::serve(listener, router, connections, drain, stop.clone()).await;
    drop(record);
    app.stop_answering(drain).await;
    tidying.await?;
    following.await?;
    shut_down(&app, &stop, working, keeping, hearing).await?;
    tracing::info!("stopped");
    Ok(true)
}

/// Ends what runs beside those who ask: jobs first, then the index that they changed.
async fn shut_down(
    app: &App,
    stop: &CancellationToken,
    working: Option<JoinHandle<()>>,
    keeping: JoinHandle<()>,
    hearing: JoinHandle<()>,
) -> Result<(), tokio::task::JoinError> {
    stop.cancel();
    if let Some(working) = working {
        working.await?;
    }
    keeping.await?;
    hearing.abort();
    app.store().close().await;
    Ok(())
}

/// Does jobs until it is told to stop.
pub(super) async fn run_worker(config: Config, output: &Output) -> CommandResult {
    let app = open_swept_app(&config).await?;
    let stop = stop_signal()?;
    let hearing = watch_job_changes(&app);
    let following = settings::watch_changes(&app, app.local_owner().await?, &config, &stop);
    output.print_value(&serde_json::json!({ "workers": config.workers }), || {
        anstream::println!("Working on jobs, {} at a time. Stop with Ctrl-C.", config.workers.max(1));
    })?;
    Worker::new(app.clone(), worker_options(&config)).run(stop).await;
    following.abort();
    hearing.abort();
    app.store().close().await;
    Ok(true)
}

/// Time that running jobs get after an MCP client disconnects. Clients kill servers after a few seconds; a job released
/// in time is picked up at once by the next process.
const LEAVE: Duration = Duration::from_secs(1);

/// Answers a chat client until it leaves. What it adds must become searchable though no server may be running, so
/// there is a worker here, too; several of them share the work.
pub(super) async fn run_mcp(config: Config, output: &Output) -> CommandResult {
    let app = open_swept_app(&config).await?;
    let owner = app.local_owner().await?;
    let stop = stop_signal()?;
    let (hearing, keeping) = (watch_job_changes(&app), keep_index(&app, &stop));
    let options = worker_options(&config);
    let options = WorkerOptions { drain: options.drain.min(LEAVE), ..options };
    let working = (config.workers > 0).then(|| tokio::spawn(Worker::new(app.clone(), options).run(stop.clone())));
    if std::io::stdin().is_terminal() {
        output.print_warning(
            "This speaks MCP with a program. Name it in a chat client's settings; end it here with Ctrl-D.",
        );
    }
    let limit = usize::try_from(config.json_limit_bytes).unwrap_or(usize::MAX);
    let served = serve_stdio(Mcp::new(app.clone(), owner, config.public_url(config.listen)), limit, stop.clone()).await;
    shut_down(&app, &stop, working, keeping, hearing).await?;
    served?;
    Ok(true)
}

/// Hears of jobs that other processes change.
fn watch_job_changes(app: &App) -> JoinHandle<()> {
    let app = app.clone();
    tokio::spawn(async move { app.store().listen_for_changes().await })
}

/// Interval between two searches for runs whose server died.
const ABANDONED: Duration = Duration::from_secs(5);

/// Ends runs whose server is gone, from time to time.
fn end_abandoned(app: &App, stop: &CancellationToken) -> JoinHandle<()> {
    let (app, stop) = (app.clone(), stop.clone());
    tokio::spawn(async move {
        loop {
            match app.end_abandoned_runs().await {
                Ok(0) => {}
                Ok(ended) => tracing::info!(ended, "ended runs whose server is gone"),
                Err(error) => tracing::warn!(%error, "cannot look for runs whose server is gone"),
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(ABANDONED) => {}
            }
        }
    })
}

/// Keeps the search index up to date.
fn keep_index(app: &App, stop: &CancellationToken) -> JoinHandle<()> {
    let (app, stop) = (app.clone(), stop.clone());
    tokio::spawn(async move { app.keep_index(stop).await })
}

async fn open_swept_app(config: &Config) -> Result<App, CommandError> {
    let app = open_app(config).await?;
    let swept = app.sweep_spool().await?;
    if swept > 0 {
        tracing::info!(files = swept, "removed uploads that were cut off");
    }
    Ok(app)
}

pub(super) fn worker_options(config: &Config) -> WorkerOptions {
    WorkerOptions { concurrency: config.workers.max(1), drain: config.drain_timeout(), ..WorkerOptions::default() }
}

async fn bind_listener(address: SocketAddr) -> Result<TcpListener, CommandError> {
    TcpListener::bind(address).await.map_err(|error| {
        let hint = match error.kind() {
            std::io::ErrorKind::AddrInUse => "; another program listens there, try --listen 127.0.0.1:0",
            _ => "",
        };
        CommandError::failed(format!("cannot listen on {address}: {error}{hint}"))
    })
}

/// Cancelled by the first signal to stop; the second ends the process at once.
pub(super) fn stop_signal() -> Result<CancellationToken, CommandError> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let stop = CancellationToken::new();
    let token = stop.clone();
    tokio::spawn(async move {
        for round in 0.. {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if round > 0 {
                std::process::exit(130);
            }
            tracing::info!("stopping; requests and jobs under way may finish");
            token.cancel();
        }
    });
    Ok(stop)
}
