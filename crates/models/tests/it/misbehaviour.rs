//! Providers that answer badly, and what is made of it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use ibid_models::{EmbedError, Embedder, EmbedderConfig, Purpose, RemoteEmbedderConfig, open_embedder};
use serde_json::json;

use crate::{
    providers::{KEY, config},
    server::{Reply, Request, Server, openai_answer},
};

const DIMENSION: usize = 4;

async fn embedder(server: &Server, timeout: Duration) -> Arc<dyn Embedder> {
    let config = RemoteEmbedderConfig { dimension: Some(DIMENSION), timeout, ..config(server) };
    open_embedder(EmbedderConfig::OpenAi(config)).await.unwrap()
}

async fn error(reply: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> EmbedError {
    let server = Server::start(reply).await;
    let embedder = embedder(&server, Duration::from_secs(20)).await;
    embedder.embed(&["one", "two"], Purpose::Passage).await.unwrap_err()
}

/// An error that is worth a retry, with something in its text.
#[track_caller]
fn assert_unavailable(error: &EmbedError, part: &str) {
    assert!(matches!(error, EmbedError::Unavailable(text) if text.contains(part)), "{error:?}");
    assert!(error.is_passing());
}

fn limited(seconds: Option<&str>, status: u16) -> impl Fn(&Request) -> Reply + Send + Sync + 'static {
    let headers: Vec<_> = seconds.map(|value| ("Retry-After", value.to_owned())).into_iter().collect();
    let body = json!({"error": {"message": "Rate limit reached"}}).to_string().into_bytes();
    move |_| Reply::Http(status, headers.clone(), body.clone())
}

#[tokio::test]
async fn too_many_requests_says_how_long_to_wait_if_the_provider_did() {
    let EmbedError::RateLimited { retry_after, detail } = error(limited(Some("7"), 429)).await else { panic!() };
    assert_eq!(retry_after, Some(Duration::from_secs(7)));
    assert!(detail.contains("Rate limit reached"), "{detail}");
    let without = error(limited(None, 429)).await;
    assert!(matches!(without, EmbedError::RateLimited { retry_after: None, .. }), "{without:?}");
    let busy = error(limited(Some("2"), 503)).await;
    assert!(matches!(busy, EmbedError::RateLimited { retry_after: Some(_), .. }), "{busy:?}");
    assert_unavailable(&error(limited(None, 503)).await, "503");
}

#[tokio::test]
async fn a_date_to_wait_for_is_taken_relative_to_the_answer() {
    let found = error(|_| {
        let headers = vec![
            ("Date", "Sun, 06 Nov 1994 08:49:37 GMT".to_owned()),
            ("Retry-After", "Sun, 06 Nov 1994 08:51:07 GMT".to_owned()),
        ];
        Reply::Http(429, headers, Vec::new())
    })
    .await;
    assert!(
        matches!(found, EmbedError::RateLimited { retry_after: Some(wait), .. } if wait == Duration::from_secs(90)),
        "{found:?}"
    );
}

#[tokio::test]
async fn google_says_in_the_body_how_long_to_wait() {
    let body = json!({"error": {"code": 429, "message": "Quota exceeded", "details": [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure"},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"},
    ]}});
    let server = Server::start(move |_| Reply::status(429, &body)).await;
    let embedder = open_embedder(EmbedderConfig::Google(config(&server))).await.unwrap();
    let error = embedder.embed(&["x"], Purpose::Query).await.unwrap_err();
    let EmbedError::RateLimited { retry_after, detail } = error else { panic!("{error:?}") };
    assert_eq!(retry_after, Some(Duration::from_millis(34_500)));
    assert!(detail.contains("Quota exceeded"));
}

#[tokio::test]
async fn a_fault_of_the_server_is_worth_a_retry() {
    for status in [500, 502, 504, 408] {
        let found = error(move |_| Reply::Http(status, Vec::new(), b"<html>oops</html>".to_vec())).await;
        assert_unavailable(&found, &status.to_string());
    }
}

#[tokio::test]
async fn a_refusal_carries_the_providers_words_but_not_the_key() {
    let body = json!({"error": {"message": format!("Incorrect API key provided: {KEY}.\n\nSee \u{7}the docs."), "code": "invalid_api_key"}});
    let found = error(move |_| Reply::status(401, &body)).await;
    assert!(!found.is_passing());
    let EmbedError::Refused(text) = found else { panic!("{found:?}") };
    assert!(text.contains("Incorrect API key provided: ********. See the docs."), "{text}");
    for status in [400, 403, 404, 422] {
        let found = error(move |_| Reply::Http(status, Vec::new(), vec![b'x'; 50_000])).await;
        let EmbedError::Refused(text) = found else { panic!("{found:?}") };
        assert!(text.chars().count() <= 301, "an explanation is short");
    }
    let listed = error(|_| Reply::status(400, &json!([{"error": {"message": "in a list"}}]))).await;
    assert!(matches!(&listed, EmbedError::Refused(text) if text.contains("in a list")), "{listed:?}");
}

#[tokio::test]
async fn silence_ends_with_the_timeout() {
    let server = Server::start(|_| Reply::Silence(Duration::from_secs(30))).await;
    let embedder = embedder(&server, Duration::from_millis(300)).await;
    let began = Instant::now();
    let error = embedder.embed(&["x"], Purpose::Query).await.unwrap_err();
    assert_unavailable(&error, "timed out");
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn nobody_listening_is_worth_a_retry() {
    let config = RemoteEmbedderConfig {
        base_url: Some("http://127.0.0.1:9".into()),
        key: Some(KEY.into()),
        ..RemoteEmbedderConfig::default()
    };
    let embedder = open_embedder(EmbedderConfig::OpenAi(config)).await.unwrap();
    assert_unavailable(&embedder.embed(&["x"], Purpose::Query).await.unwrap_err(), "onnect");
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_worth_a_retry() {
    let cut = |extra: usize, chunked: bool| {
        move |request: &Request| {
            let body = openai_answer(request, DIMENSION).to_string();
            let head = if chunked {
                format!("Transfer-Encoding: chunked\r\n\r\n{:x}\r\n", body.len() + extra)
            } else {
                format!("Content-Length: {}\r\n\r\n", body.len() + extra)
            };
            let end = if extra == 0 { body.len() / 2 } else { body.len() };
            Reply::Raw(format!("HTTP/1.1 200 OK\r\n{head}{}", &body[..end]).into_bytes())
        }
    };
    for (extra, chunked) in [(0, false), (10, false), (0, true), (10, true)] {
        assert_unavailable(&error(cut(extra, chunked)).await, "");
    }
    assert_unavailable(&error(|_| Reply::Raw(Vec::new())).await, "");
    assert_unavailable(&error(|_| Reply::Raw(b"not even HTTP\r\n\r\n".to_vec())).await, "");
    // Complete for HTTP, and half a JSON.
    let half = error(|request| {
        let body = openai_answer(request, DIMENSION).to_string();
        Reply::Http(200, Vec::new(), body.as_bytes()[..body.len() / 2].to_vec())
    });
    assert_unavailable(&half.await, "cannot be read");
}

#[tokio::test]
async fn what_is_no_list_of_vectors_is_worth_a_retry() {
    for body in ["", "oops", "null", "{}", "[]", r#"{"data": {}}"#, r#"{"data": [{"index": 0}, {"index": 1}]}"#] {
        let found = error(move |_| Reply::Http(200, Vec::new(), body.as_bytes().to_vec())).await;
        assert_unavailable(&found, "cannot be read");
    }
}

#[tokio::test]
async fn a_wrong_number_of_vectors_is_worth_a_retry() {
    for count in [0, 1, 3] {
        let found = error(move |_| {
            let item = |index| json!({"index": index, "embedding": [1.0, 0.0, 0.0, 0.0]});
            Reply::json(&json!({"data": (0..count).map(item).collect::<Vec<_>>()}))
        });
        assert_unavailable(&found.await, "2 texts were sent");
    }
    for indices in [[0, 0], [1, 1], [0, 7]] {
        let found = error(move |_| {
            Reply::json(
                &json!({"data": indices.map(|index| json!({"index": index, "embedding": [1.0, 0.0, 0.0, 0.0]}))}),
            )
        });
        assert_unavailable(&found.await, "vectors");
    }
}

#[tokio::test]
async fn vectors_of_another_length_are_told_apart() {
    let found = error(|request| Reply::json(&openai_answer(request, DIMENSION + 1))).await;
    assert_eq!(found, EmbedError::WrongDimension { expected: DIMENSION, got: DIMENSION + 1 });
    assert!(!found.is_passing());
}

#[tokio::test]
async fn vectors_that_are_no_numbers_are_not_given_out() {
    // Not a number; infinity; zero; nothing; a word; too large for 32 bits.
    for embedding in [
        json!("AADAfwAAwH8AAMB/AADAfw=="),
        json!("AACAfwAAgH8AAIB/AACAfw=="),
        json!([0, 0, 0, 0]),
        json!([null, 1, 1, 1]),
        json!(["NaN", 1, 1, 1]),
        json!([1e300, 1, 1, 1]),
        json!("AADA"),
    ] {
        let shown = embedding.to_string();
        let found = error(move |_| {
            Reply::json(&json!({"data": [
                {"index": 0, "embedding": embedding}, {"index": 1, "embedding": [1, 0, 0, 0]},
            ]}))
        });
        let found = found.await;
        assert!(matches!(found, EmbedError::Unavailable(_)), "{shown}: {found:?}");
    }
    let bare = error(|_| Reply::Http(200, Vec::new(), br#"{"data": [{"index": 0, "embedding": [NaN]}]}"#.to_vec()));
    assert_unavailable(&bare.await, "cannot be read");
}

#[tokio::test]
async fn an_answer_without_end_is_not_read_to_its_end() {
    assert_unavailable(&error(|_| Reply::Endless(80 << 20)).await, "longer than");
    let announced = error(|_| Reply::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{".to_vec()));
    assert_unavailable(&announced.await, "longer than");
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_carries_no_key_away() {
    let other = Server::start(|request| Reply::json(&openai_answer(request, DIMENSION))).await;
    let target = format!("{}/v1/embeddings", other.url);
    for status in [301, 302, 307, 308] {
        let target = target.clone();
        let found = error(move |_| Reply::Http(status, vec![("Location", target.clone())], Vec::new())).await;
        assert!(matches!(&found, EmbedError::Refused(text) if text.contains("redirects")), "{found:?}");
    }
    assert!(other.seen().is_empty());
}
