//! The local model. It has to be installed: `scripts/model.sh` and `scripts/onnxruntime.sh` do that.

use std::{num::NonZero, sync::LazyLock};

use ibid_models::{EmbedError, Embedder, LocalEmbedder, LocalModelConfig, Purpose};
use proptest::prelude::*;
use serde_json::Value as Json;

/// One for all tests: loading is part of the first.
static EMBEDDER: LazyLock<LocalEmbedder> =
    LazyLock::new(|| LocalEmbedder::new(LocalModelConfig { threads: NonZero::new(2), ..LocalModelConfig::default() }));

/// Texts with the vectors that the network gives in 32-bit arithmetic, and texts with the tokens that the tokenizer the
/// model was published with gives.
static REFERENCE: LazyLock<Json> = LazyLock::new(|| serde_json::from_str(include_str!("reference.json")).unwrap());

async fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
    let vectors = EMBEDDER.embed(texts, Purpose::Passage).await;
    vectors.unwrap_or_else(|error| panic!("{error}\n\nRun scripts/model.sh and scripts/onnxruntime.sh first."))
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

#[tokio::test]
async fn sentences_that_mean_the_same_are_near_each_other() {
    let texts = ["How do I change my password?", "Steps to reset login credentials", "Bananas are rich in potassium"];
    let vectors = embed(&texts).await;
    assert!(cosine(&vectors[0], &vectors[1]) > 0.5);
    assert!(cosine(&vectors[0], &vectors[2]) < 0.2);
    let question = EMBEDDER.embed(&["which fruit contains potassium"], Purpose::Query).await.unwrap();
    assert!(cosine(&question[0], &vectors[2]) > 0.5);
}

#[tokio::test]
async fn vectors_are_those_of_exact_arithmetic() {
    for known in REFERENCE["vectors"].as_array().unwrap() {
        let text = match known["text"].as_str() {
            Some(text) => text.to_owned(),
            None => known["repeat"][0].as_str().unwrap().repeat(known["repeat"][1].as_u64().unwrap() as usize),
        };
        let expected = floats(known["vector"].as_str().unwrap());
        let found = embed(&[&text]).await;
        let cosine = cosine(&found[0], &expected);
        assert!(cosine > 0.99, "{cosine} for {:?}", &text[..text.floor_char_boundary(40)]);
    }
}

/// Base64 of little-endian floats.
fn floats(text: &str) -> Vec<f32> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let bytes: Vec<u8> = text
        .as_bytes()
        .chunks(4)
        .flat_map(|four| {
            let bits = four.iter().fold(0_u32, |bits, &byte| bits << 6 | u32::from(digit(byte)));
            bits.to_be_bytes()[1..].to_vec()
        })
        .collect();
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

#[test]
fn tokens_are_those_of_the_published_tokenizer() {
    for known in REFERENCE["tokens"].as_array().unwrap() {
        let text = known["text"].as_str().unwrap();
        let expected: Vec<_> = known["ids"].as_array().unwrap().iter().map(|id| id.as_i64().unwrap()).collect();
        let found = EMBEDDER.encode_tokens(text).expect("run scripts/model.sh first");
        assert_eq!(found, expected, "{text:?}");
        assert_eq!(EMBEDDER.count_tokens(text), expected.len() - 2, "{text:?}");
    }
}

#[tokio::test]
async fn a_text_has_the_same_vector_whatever_stands_beside_it() {
    let texts: Vec<String> = (0..60).map(|number| format!("Item {number} {}", "is here ".repeat(number))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = embed(&texts).await;
    assert_eq!(together.len(), texts.len());
    for number in [0, 1, 7, 30, 59] {
        assert_eq!(embed(&[texts[number]]).await[0], together[number]);
    }
    let question = EMBEDDER.embed(&[texts[7]], Purpose::Query).await.unwrap();
    assert_eq!(question[0], together[7]);
}

#[tokio::test]
async fn odd_texts_have_vectors_too() {
    let long = "A very long text. ".repeat(50_000);
    let one_word = "x".repeat(1_000_000);
    let texts = ["", " \n\t", "👍🏽", "\0\u{fffd}\u{200b}", "漢字", "[PAD] [MASK]", long.as_str(), one_word.as_str()];
    for (text, vector) in texts.iter().zip(embed(&texts).await) {
        let length: f32 = vector.iter().map(|number| number * number).sum();
        assert!(vector.len() == 384 && (length - 1.0).abs() < 1e-4, "{:?}", &text[..text.floor_char_boundary(20)]);
    }
    assert_eq!(EMBEDDER.encode_tokens(&long).unwrap().len(), EMBEDDER.max_tokens() + 2);
    assert_eq!(EMBEDDER.count_tokens(&long), 250_000);
    assert!(embed(&[]).await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_callers_at_once_get_their_own_vectors() {
    let alone = embed(&["first caller", "second caller", "third caller"]).await;
    let tasks: Vec<_> = (0..24)
        .map(|number| {
            let text = ["first caller", "second caller", "third caller"][number % 3];
            let purpose = if number % 2 == 0 { Purpose::Passage } else { Purpose::Query };
            tokio::spawn(async move { (number % 3, EMBEDDER.embed(&[text; 3], purpose).await.unwrap()) })
        })
        .collect();
    for task in tasks {
        let (which, vectors) = task.await.unwrap();
        assert!(vectors.iter().all(|vector| *vector == alone[which]));
    }
}

#[tokio::test]
async fn a_question_does_not_wait_for_passages() {
    embed(&["loaded"]).await;
    EMBEDDER.warm_up().await.unwrap();
    let passage = "Many words make a long passage. ".repeat(70);
    let passages = vec![passage.as_str(); 24];
    let (sent, received) = tokio::sync::oneshot::channel();
    let all = async {
        let vectors = EMBEDDER.embed(&passages, Purpose::Passage).await;
        sent.send(()).unwrap();
        vectors
    };
    let question = async {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        EMBEDDER.embed(&["what is long?"], Purpose::Query).await.unwrap();
        EMBEDDER.embed(&["A sentence of an answer."; 12], Purpose::Comparison).await.unwrap();
        let mut received = received;
        assert!(received.try_recv().is_err(), "the passages should take seconds longer");
        received.await.unwrap();
    };
    let (vectors, ()) = tokio::join!(all, question);
    assert_eq!(vectors.unwrap().len(), 24);
}

#[tokio::test]
async fn work_that_nobody_waits_for_is_dropped() {
    embed(&["loaded"]).await;
    let passage = "Many words make a long passage. ".repeat(70);
    let passages = vec![passage.as_str(); 5_000];
    let waited =
        tokio::time::timeout(std::time::Duration::from_millis(100), EMBEDDER.embed(&passages, Purpose::Passage));
    assert!(waited.await.is_err());
    // Would take minutes otherwise.
    tokio::time::timeout(std::time::Duration::from_secs(30), embed(&["next"])).await.unwrap();
}

#[tokio::test]
async fn what_is_missing_is_named_with_the_way_to_get_it() {
    let empty = tempfile::tempdir().unwrap();
    let embedder =
        LocalEmbedder::new(LocalModelConfig { models: Some(empty.path().to_owned()), ..LocalModelConfig::default() });
    let error = embedder.embed(&["x"], Purpose::Query).await.unwrap_err();
    let EmbedError::NotInstalled(text) = error else { panic!("{error:?}") };
    assert!(text.contains("install Ibid again") && text.contains("IBID_MODELS"), "{text}");
    // Chunks can be cut without it.
    assert_eq!(embedder.count_tokens("four words of text"), ibid_models::estimate_tokens("four words of text"));

    std::fs::write(empty.path().join("model.int8.onnx"), "not a model").unwrap();
    std::fs::write(empty.path().join("tokenizer.json"), "{}").unwrap();
    assert!(matches!(embedder.warm_up().await, Err(EmbedError::NotInstalled(text)) if text.contains("tokenizer.json")));

    let missing = Some(empty.path().join("libonnxruntime.so"));
    let embedder = LocalEmbedder::new(LocalModelConfig { library: missing, ..LocalModelConfig::default() });
    let error = embedder.warm_up().await.unwrap_err();
    let EmbedError::NotInstalled(text) = error else { panic!("{error:?}") };
    assert!(text.contains("install Ibid again") && text.contains("IBID_ONNXRUNTIME"), "{text}");
}

proptest! {
    #[test]
    fn any_text_has_tokens_within_the_limit(text in any::<String>(), words in "[a-z\\[\\]#. ]{0,200}") {
        for text in [text.as_str(), words.as_str(), &format!("{words}{text}{words}")] {
            let tokens = EMBEDDER.encode_tokens(text).expect("run scripts/model.sh first");
            prop_assert_eq!(tokens.len(), EMBEDDER.count_tokens(text).min(510) + 2);
            prop_assert!(tokens.iter().all(|id| (0..30522).contains(id)));
        }
    }
}
