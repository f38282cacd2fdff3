//! What is sent to each provider, and how its good answers are read.

use std::sync::Arc;

use ibid_models::{EmbedError, Embedder, EmbedderConfig, Purpose, RemoteEmbedderConfig, Secret, open_embedder};
use serde_json::{Value as Json, json};

use crate::server::{Reply, Request, Server, length, openai_answer, vector};

pub const KEY: &str = "sk-test-0123456789";

pub fn config(server: &Server) -> RemoteEmbedderConfig {
    RemoteEmbedderConfig {
        base_url: Some(server.url.clone()),
        key: Some(Secret::from(KEY)),
        ..RemoteEmbedderConfig::default()
    }
}

fn is_unit(vector: &[f32]) -> bool {
    (vector.iter().map(|number| number * number).sum::<f32>() - 1.0).abs() < 1e-5
}

#[tokio::test]
async fn openai_is_asked_as_it_documents() {
    let server = Server::start(|request| Reply::json(&openai_answer(request, 1536))).await;
    let embedder = open_embedder(EmbedderConfig::OpenAi(config(&server))).await.unwrap();
    assert_eq!(
        (embedder.provider(), embedder.model(), embedder.dimension()),
        ("openai", "text-embedding-3-small", 1536)
    );
    assert!(server.seen().is_empty(), "a known model needs no question");
    let vectors = embedder.embed(&["one", "three"], Purpose::Passage).await.unwrap();
    assert_eq!(vectors.iter().map(|vector| length(vector)).collect::<Vec<_>>(), [3, 5]);
    assert!(vectors.iter().all(|vector| vector.len() == 1536 && is_unit(vector)));
    let seen = server.seen();
    assert_eq!(seen[0].line, "POST /v1/embeddings HTTP/1.1");
    assert_eq!(seen[0].header("authorization"), Some("Bearer sk-test-0123456789"));
    assert_eq!(seen[0].header("content-type"), Some("application/json"));
    assert_eq!(
        seen[0].body,
        json!({"model": "text-embedding-3-small", "input": ["one", "three"], "encoding_format": "base64"})
    );
}

#[tokio::test]
async fn openai_is_asked_for_shorter_vectors_where_it_can_give_them() {
    let server = Server::start(|request| Reply::json(&openai_answer(request, 256))).await;
    let config =
        RemoteEmbedderConfig { model: Some("text-embedding-3-large".into()), dimension: Some(256), ..config(&server) };
    let embedder = open_embedder(EmbedderConfig::OpenAi(config)).await.unwrap();
    assert_eq!(embedder.embed(&["x"], Purpose::Query).await.unwrap()[0].len(), 256);
    assert_eq!(server.seen()[0].body["dimensions"], 256);
}

#[tokio::test]
async fn vectors_in_base64_and_in_any_order_find_their_texts() {
    let server = Server::start(|request| {
        let mut answer = openai_answer(request, 4);
        let data = answer["data"].as_array_mut().unwrap();
        // 1, 1, 0, 0 in little-endian 32-bit floats: the vector of a text of one character.
        data[0]["embedding"] = json!("AACAPwAAgD8AAAAAAAAAAA==");
        data.reverse();
        Reply::json(&answer)
    })
    .await;
    let embedder =
        open_embedder(EmbedderConfig::OpenAi(RemoteEmbedderConfig { dimension: Some(4), ..config(&server) }))
            .await
            .unwrap();
    let vectors = embedder.embed(&["1", "22", "333"], Purpose::Passage).await.unwrap();
    assert_eq!(vectors.iter().map(|vector| length(vector)).collect::<Vec<_>>(), [1, 2, 3]);
}

#[tokio::test]
async fn a_long_list_is_split_into_requests_and_comes_back_in_order() {
    let server = Server::start(|request| Reply::json(&openai_answer(request, 8))).await;
    let embedder =
        open_embedder(EmbedderConfig::OpenAi(RemoteEmbedderConfig { dimension: Some(8), ..config(&server) }))
            .await
            .unwrap();
    let texts: Vec<String> = (1..=600).map(|length| "x".repeat(length)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder.embed(&texts, Purpose::Passage).await.unwrap();
    assert_eq!(vectors.iter().map(|vector| length(vector)).collect::<Vec<_>>(), (1..=600).collect::<Vec<_>>());
    let sizes: Vec<_> = server.seen().iter().map(|request| request.inputs().len()).collect();
    assert!(sizes.len() == 3 && sizes.iter().all(|&size| size <= embedder.batch_size()), "{sizes:?}");
    assert!(embedder.embed(&[], Purpose::Passage).await.unwrap().is_empty());
}

#[tokio::test]
async fn empty_and_endless_texts_are_sent_in_a_form_that_is_taken() {
    let server = Server::start(|request| Reply::json(&openai_answer(request, 8))).await;
    let embedder =
        open_embedder(EmbedderConfig::OpenAi(RemoteEmbedderConfig { dimension: Some(8), ..config(&server) }))
            .await
            .unwrap();
    let endless = "words and words ".repeat(100_000);
    embedder.embed(&["", &endless, "👍🏽"], Purpose::Passage).await.unwrap();
    let inputs = server.seen()[0].inputs();
    assert_eq!((inputs[0].as_str(), inputs[2].as_str()), (" ", "👍🏽"));
    assert!(endless.starts_with(&inputs[1]) && embedder.count_tokens(&inputs[1]) <= embedder.max_tokens());
    assert!(inputs[1].len() > 15_000);
}

#[tokio::test]
async fn a_compatible_server_is_asked_once_for_its_dimension_and_needs_no_key() {
    for suffix in ["", "/", "/v1", "/v1/"] {
        let server = Server::start(|request| Reply::json(&openai_answer(request, 12))).await;
        let config = RemoteEmbedderConfig {
            base_url: Some(format!("{}{suffix}", server.url)),
            model: Some("nomic-embed-text".into()),
            ..RemoteEmbedderConfig::default()
        };
        let embedder = open_embedder(EmbedderConfig::Compatible(config)).await.unwrap();
        assert_eq!(
            (embedder.provider(), embedder.model(), embedder.dimension()),
            ("compatible", "nomic-embed-text", 12)
        );
        embedder.embed(&["x"], Purpose::Query).await.unwrap();
        let seen = server.seen();
        assert_eq!(seen.len(), 2);
        assert!(seen.iter().all(|request| request.line == "POST /v1/embeddings HTTP/1.1"));
        assert!(seen.iter().all(|request| request.header("authorization").is_none()));
        assert_eq!(seen[1].body, json!({"model": "nomic-embed-text", "input": ["x"], "encoding_format": "float"}));
    }
}

/// A good answer of Google.
fn google_answer(request: &Request, dimension: usize) -> Json {
    let texts = request.body["requests"].as_array().unwrap().iter();
    let values = |one: &Json| vector(one["content"]["parts"][0]["text"].as_str().unwrap(), dimension);
    json!({"embeddings": texts.map(|one| json!({"values": values(one)})).collect::<Vec<_>>()})
}

#[tokio::test]
async fn google_is_asked_as_it_documents() {
    let server = Server::start(|request| Reply::json(&google_answer(request, 768))).await;
    let embedder = open_embedder(EmbedderConfig::Google(config(&server))).await.unwrap();
    assert_eq!((embedder.provider(), embedder.model(), embedder.dimension()), ("google", "text-embedding-004", 768));
    let vectors = embedder.embed(&["one", "three"], Purpose::Passage).await.unwrap();
    assert_eq!(vectors.iter().map(|vector| length(vector)).collect::<Vec<_>>(), [3, 5]);
    embedder.embed(&["why"], Purpose::Query).await.unwrap();
    let seen = server.seen();
    assert_eq!(seen[0].line, "POST /v1beta/models/text-embedding-004:batchEmbedContents HTTP/1.1");
    assert_eq!(seen[0].header("x-goog-api-key"), Some(KEY));
    assert_eq!(
        seen[0].body["requests"][1],
        json!({
            "model": "models/text-embedding-004",
            "content": {"parts": [{"text": "three"}]},
            "taskType": "RETRIEVAL_DOCUMENT",
        })
    );
    assert_eq!(seen[1].body["requests"][0]["taskType"], "RETRIEVAL_QUERY");
}

#[tokio::test]
async fn google_takes_a_hundred_texts_and_shortens_vectors() {
    let server = Server::start(|request| Reply::json(&google_answer(request, 64))).await;
    let config = RemoteEmbedderConfig {
        model: Some("models/gemini-embedding-001".into()),
        dimension: Some(64),
        ..config(&server)
    };
    let embedder = open_embedder(EmbedderConfig::Google(config)).await.unwrap();
    let vectors = embedder.embed(&["x"; 250], Purpose::Passage).await.unwrap();
    assert_eq!((vectors.len(), vectors[0].len()), (250, 64));
    let sizes: Vec<_> =
        server.seen().iter().map(|request| request.body["requests"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [100, 100, 50]);
    assert_eq!(server.seen()[0].body["requests"][0]["outputDimensionality"], 64);
    assert!(server.seen()[0].line.contains("/models/gemini-embedding-001:"));
}

#[tokio::test]
async fn what_can_never_work_is_refused_before_anything_is_sent() {
    let url = Some("http://127.0.0.1:9".to_owned());
    let none = RemoteEmbedderConfig { base_url: url.clone(), ..RemoteEmbedderConfig::default() };
    let with_key = RemoteEmbedderConfig { key: Some("k\ney".into()), ..none.clone() };
    let odd = RemoteEmbedderConfig { model: Some("../x?y".into()), key: Some(KEY.into()), ..none.clone() };
    let nowhere = RemoteEmbedderConfig { base_url: Some("nowhere".into()), key: Some(KEY.into()), ..none.clone() };
    for config in [
        EmbedderConfig::OpenAi(none.clone()),
        EmbedderConfig::Google(none.clone()),
        EmbedderConfig::Compatible(none),
        EmbedderConfig::Compatible(RemoteEmbedderConfig { model: Some("m".into()), ..RemoteEmbedderConfig::default() }),
        EmbedderConfig::OpenAi(with_key),
        EmbedderConfig::Google(odd),
        EmbedderConfig::OpenAi(nowhere),
    ] {
        let refused: Result<Arc<dyn Embedder>, EmbedError> = open_embedder(config.clone()).await;
        assert!(matches!(refused, Err(EmbedError::Refused(_))), "{config:?}");
    }
}

#[test]
fn a_configuration_prints_no_key() {
    let config =
        EmbedderConfig::OpenAi(RemoteEmbedderConfig { key: Some(KEY.into()), ..RemoteEmbedderConfig::default() });
    assert!(!format!("{config:?}").contains(KEY));
}
