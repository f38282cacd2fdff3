//! Accepting connections: how many, how patient, and how it ends.

use std::{sync::Arc, time::Duration};

use axum::{Router, body::Body, http::Request};
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_util::sync::CancellationToken;
use tower::{ServiceExt, service_fn};

/// Maximum time for a client to send the head of a request.
const HEAD: Duration = Duration::from_secs(15);

/// Serves until `stop`, then lets the requests that are under way finish for at most `drain`.
pub async fn serve(listener: TcpListener, router: Router, connections: u32, drain: Duration, stop: CancellationToken) {
    let places = Arc::new(Semaphore::new(connections.max(1) as usize));
    let graceful = GracefulShutdown::new();
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(512 * 1024);
    loop {
        // A place is taken before a connection is: those beyond the limit wait in the kernel's queue.
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place,
            () = stop.cancelled() => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Too many open files, most likely: others may close theirs.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let router = router.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let answer = router.clone().oneshot(request.map(Body::new));
            // A task of its own: a client that goes away does not stop a change half-way.
            async move { tokio::spawn(answer).await.map(|Ok(response)| response) }
        });
        let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(place);
        });
    }
    drop(listener);
    if tokio::time::timeout(drain, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not finish in time");
    }
}
