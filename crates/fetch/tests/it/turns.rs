//! Politeness.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures::future::join_all;
use ibid_fetch::{FetchRules, Fetcher};

use crate::server::{Act, Names, Server, page};

#[tokio::test]
async fn one_host_is_asked_seldom_and_by_few_at_once() {
    let server = Server::start(|_| {
        std::thread::sleep(Duration::from_millis(5));
        page("x")
    })
    .await;
    let rules = FetchRules { per_host_interval: Duration::from_millis(60), ..server.rules() };
    let fetcher = server.fetcher(rules);
    let began = Instant::now();
    let urls: Vec<String> = (0..6).map(|at| server.url(&format!("/{at}"))).collect();
    let found = join_all(urls.iter().map(|url| fetcher.fetch(url, None))).await;
    assert!(found.iter().all(Result::is_ok));
    assert!(began.elapsed() >= Duration::from_millis(5 * 60), "{:?}", began.elapsed());
}

#[tokio::test]
async fn no_more_than_two_wait_for_one_host_and_other_hosts_go_on() {
    let server = Server::start(|path| if path == "/slow" { Act::Wait } else { page("x") }).await;
    let names = Names::new([("one.example", "127.0.0.1"), ("two.example", "127.0.0.1")]);
    let rules = FetchRules { total_timeout: Duration::from_millis(300), ..server.rules() };
    let fetcher = Fetcher::with_resolver(rules, Arc::new(names)).unwrap();
    let port = server.address.port();
    let slow = format!("http://one.example:{port}/slow");
    let waiting = join_all((0..4).map(|_| fetcher.fetch(&slow, None)));
    let other = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let began = Instant::now();
        let found = fetcher.fetch(&format!("http://two.example:{port}/"), None).await;
        (found, began.elapsed(), server.connections())
    };
    let (waited, (other, took, connections)) = tokio::join!(waiting, other);
    assert!(waited.iter().all(Result::is_err));
    assert!(other.is_ok() && took < Duration::from_millis(250), "{took:?}");
    assert!(connections <= 3);
}
