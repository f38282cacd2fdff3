//! Answers of a language model whose claims are checked while it still writes.

use std::time::Duration;

use ibid_testkit::{
    TestEngine,
    provider::{ProviderDialect, ScriptStep},
};
use serde_json::{Value as Json, json};

use crate::answers::{kinds, library, said, with_model, with_model_on};

/// The results of checking claims that a stream told of, each with the words that were shown before it.
fn checked_claims(events: &[(u64, String, Json)]) -> Vec<(String, Json)> {
    let told = events.iter().enumerate().filter(|(_, (_, kind, _))| kind == "claim_checked");
    told.map(|(at, (.., event))| (said(&events[..at]), event["data"].clone())).collect()
}

fn words_at(text: &str, start: &Json, end: &Json) -> String {
    let (start, end) = (start.as_u64().unwrap() as usize, end.as_u64().unwrap() as usize);
    text.chars().skip(start).take(end - start).collect()
}

async fn claims_are_checked_as_they_stream(engine: TestEngine) {
    let sentences = [
        "The 🚢 harbour of Selde was built in 1874 by the engineer Marta Lindqvist [1].",
        "Its eastern pier is 421 metres long [1]. [2]",
        "The ferry to Oslo costs nine crowns on Sundays [1].",
        "Ships unload at Torvik.",
    ];
    // The model waits after it has begun a sentence, until long after the one before can be judged.
    let pause = ScriptStep::Silence(Duration::from_millis(1500));
    let script = vec![
        ScriptStep::Bytes(7),
        ScriptStep::text(format!("{} {}\n\n- ", sentences[0], sentences[1])),
        pause.clone(),
        ScriptStep::text(format!("{}\n- {}", sentences[2], sentences[3])),
        ScriptStep::Usage { input: 10, output: 5 },
        ScriptStep::End,
    ];
    let more = ["--embedder", "none", "--judge", "words"];
    let Some((server, _provider)) = with_model_on(engine, ProviderDialect::OpenAi, vec![script], &more).await else {
        return;
    };
    let sources = library(&server).await;
    let conversation = server.conversation().await;
    let events = server.asked(&conversation, json!({"content": "Who built the harbour of Selde?"})).await;
    let text = said(&events);
    assert_eq!(text, format!("{} {}\n\n- {}\n- {}", sentences[0], sentences[1], sentences[2], sentences[3]));

    // Each claim that cites is told once, after its words, and the first two before the rest was written.
    let claims = checked_claims(&events);
    assert_eq!(claims.len(), 3, "{claims:?}");
    for ((before, claim), sentence) in claims.iter().zip(sentences) {
        assert_eq!(words_at(before, &claim["start_index"], &claim["end_index"]), sentence, "{claim}");
    }
    for (before, claim) in &claims[..2] {
        assert!(!before.contains("ferry"), "{claim} came after {before}");
    }
    let verdicts: Vec<_> = claims.iter().map(|(_, claim)| claim["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["supported", "contradicted", "unsupported"]);
    let pier = &claims[1].1;
    assert_eq!((&pier["numbers"], &pier["number"]), (&json!([1, 2]), &json!(1)));
    assert_eq!(pier["source_id"], sources[0]["id"]);
    let why = &pier["why"][0];
    assert_eq!(
        (&why["kind"], &why["claim"], &why["source"]),
        (&json!("figure"), &json!("421 metres"), &json!("412 metres"))
    );
    assert_eq!(words_at(&text, &why["start_index"], &why["end_index"]), "421 metres");
    let path = format!(
        "/api/v1/sources/{}/text?revision={}&start_char={}&end_char={}",
        pier["source_id"].as_str().unwrap(),
        pier["revision_id"].as_str().unwrap(),
        why["start_char"],
        why["end_char"]
    );
    assert_eq!(server.json(&path).await["text"], "412 metres");
    assert!(pier["quote"].as_str().unwrap().contains("412 metres"), "{pier}");

    // What is kept says the same.
    let message = server.last_message(&conversation).await;
    let citations = message["citations"].as_array().unwrap();
    let of_pier: Vec<_> = citations.iter().filter(|one| one["claim_start_index"] == pier["start_index"]).collect();
    assert_eq!(of_pier.len(), 2, "{message}");
    for field in ["verdict", "score", "quote", "start_char", "end_char", "why", "revision_id"] {
        assert_eq!(of_pier[0][field], pier[field], "{field}");
    }
    assert_eq!(citations[0]["why"], json!([]));
    let claimed = |one: &Json| (one["claim_start_index"].clone(), one["claim_end_index"].clone());
    let told = |one: &Json| (one["start_index"].clone(), one["end_index"].clone());
    assert_eq!(claimed(&citations[3]), told(&claims[2].1));
    assert_eq!(message["usage"]["input_tokens"], 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claims_are_checked_as_they_stream_on_sqlite() {
    claims_are_checked_as_they_stream(TestEngine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claims_are_checked_as_they_stream_on_postgres() {
    claims_are_checked_as_they_stream(TestEngine::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_is_judged_once_though_it_is_checked_twice() {
    let told = |verdict: &str| {
        vec![ScriptStep::text(json!({"verdict": verdict, "quote": "built in 1874"}).to_string()), ScriptStep::End]
    };
    // The answer waits for the judge, who is asked for the first claim while it is being written.
    let scripts = vec![
        vec![
            ScriptStep::text("The harbour of Selde was built in 1874 [1]. It is"),
            ScriptStep::Silence(Duration::from_millis(1500)),
            ScriptStep::text(" a harbour of pirates since 1874 [1]."),
            ScriptStep::End,
        ],
        told("supported"),
        told("unsupported"),
    ];
    let (server, provider) =
        with_model(ProviderDialect::OpenAi, scripts, &["--judge", "model", "--embedder", "none"]).await;
    library(&server).await;
    let conversation = server.conversation().await;
    let events = server.asked(&conversation, json!({"content": "Who built the harbour of Selde?"})).await;
    let claims = checked_claims(&events);
    let verdicts: Vec<_> = claims.iter().map(|(_, claim)| claim["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["supported", "unsupported"]);
    assert!(!claims[0].0.contains("pirates"), "{claims:?}");
    let judging = provider.received_requests().iter().filter(|one| one.body.to_string().contains("<claim>")).count();
    assert_eq!(judging, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_judge_that_fails_or_hangs_does_not_stop_an_answer() {
    let answer = "The harbour of Selde was built in 1874 [1]. Its eastern pier is 412 metres long [1]. It is grey.";
    let pieces: Vec<_> = answer.split_inclusive(' ').map(ScriptStep::text).chain([ScriptStep::End]).collect();
    let silent = vec![ScriptStep::Silence(Duration::from_secs(600)), ScriptStep::End];
    let broken = vec![ScriptStep::text("I cannot"), ScriptStep::Cut];
    let more = ["--judge", "model", "--embedder", "none", "--chat-silence-seconds", "1"];
    for judge in [silent, broken] {
        let (server, _provider) = with_model(ProviderDialect::OpenAi, vec![pieces.clone(), judge], &more).await;
        library(&server).await;
        let conversation = server.conversation().await;
        let events = server.asked(&conversation, json!({"content": "Who built the harbour of Selde?"})).await;
        assert_eq!((said(&events).as_str(), kinds(&events).last()), (answer, Some(&"run_completed")));
        // Words tell where the model does not.
        let verdicts: Vec<_> = checked_claims(&events).iter().map(|(_, one)| one["verdict"].clone()).collect();
        assert_eq!(verdicts, ["supported", "supported"]);
    }
}

/// A model that says something false, and then what it is told to say instead.
fn revising(answer: &str, rewritten: Json) -> Vec<Vec<ScriptStep>> {
    let whole =
        |text: String| vec![ScriptStep::text(text), ScriptStep::Usage { input: 100, output: 10 }, ScriptStep::End];
    vec![whole(answer.to_owned()), whole(json!({ "sentences": rewritten }).to_string())]
}

async fn what_is_wrong_is_rewritten_once(engine: TestEngine) {
    let answer = "The 🚢 pier of Selde is 421 metres long [1]. The harbour of Selde was built in 1874 [1]. The ferry to Oslo \
                  costs nine crowns on Sundays [1]. The harbour freezes from May to June [1].";
    let rewritten = json!([
        {"number": 1, "text": "Its eastern pier is\n412 metres long [1, 9]."},
        {"number": 2, "text": ""},
        {"number": 3, "text": "The harbour freezes in July [1]."},
        {"number": 7, "text": "Its eastern pier is 412 metres long [1]."},
    ]);
    let more = ["--embedder", "none", "--judge", "words", "--revise", "true"];
    let Some((server, provider)) =
        with_model_on(engine, ProviderDialect::OpenAi, revising(answer, rewritten), &more).await
    else {
        return;
    };
    library(&server).await;
    let conversation = server.conversation().await;
    let events = server.asked(&conversation, json!({"content": "How long is the pier of Selde?"})).await;
    // What was shown is told to count no more, and why.
    let at = events.iter().position(|(_, kind, _)| kind == "answer_revised").unwrap();
    let revised = &events[at].2["data"];
    assert_eq!(said(&events), answer);
    let text = "Its eastern pier is 412 metres long [1]. The harbour of Selde was built in 1874 [1]. The ferry to Oslo \
                costs nine crowns on Sundays [1]. The harbour freezes from May to June [1].";
    assert_eq!(revised["text"], text);
    assert_eq!(revised["markers"].as_array().unwrap().len(), 4);
    let expected = json!([{
        "start_index": 0,
        "end_index": 40,
        "before": "The 🚢 pier of Selde is 421 metres long.",
        "verdict": "contradicted",
    }]);
    assert_eq!(revised["rewritten"], expected);
    // Each claim is told anew, in its new place.
    let verdicts: Vec<_> = checked_claims(&events[at..])
        .iter()
        .map(|(_, claim)| {
            assert!(words_at(text, &claim["start_index"], &claim["end_index"]).ends_with("[1]."), "{claim}");
            claim["verdict"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(verdicts.len(), 4);
    assert_eq!(verdicts[..3], ["supported", "supported", "unsupported"]);
    // It is kept as it is told, with the tokens that it took.
    let message = server.last_message(&conversation).await;
    assert_eq!((&message["content"], &message["rewritten"]), (&json!(text), &expected));
    assert_eq!(message["usage"]["input_tokens"], 200);
    assert_eq!(message["citations"][0]["verdict"], "supported");
    // The model was asked once for all, with the words of the source and nothing else.
    let requests = provider.received_requests();
    assert_eq!(requests.len(), 2);
    let asked = requests[1].body.to_string();
    assert!(asked.contains("421 metres long [1].") && asked.contains("is 412 metres long."), "{asked}");
    assert!(!asked.contains("was built in 1874 [1]"), "{asked}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_is_rewritten_once_on_sqlite() {
    what_is_wrong_is_rewritten_once(TestEngine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_is_rewritten_once_on_postgres() {
    what_is_wrong_is_rewritten_once(TestEngine::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_rewritten_unasked_or_by_a_model_that_fails() {
    let answer = "The eastern pier is 421 metres long [1].";
    let good = json!([{"number": 1, "text": "Its eastern pier is 412 metres long [1]."}]);
    let mut broken = revising(answer, good.clone());
    broken[1] = vec![ScriptStep::text("{\"sentences\": [{\"num"), ScriptStep::Cut];
    let mut useless = revising(answer, good.clone());
    useless[1] = vec![ScriptStep::text("I would rather not."), ScriptStep::End];
    let more = ["--embedder", "none", "--judge", "words"];
    for (scripts, body, asked) in [
        (revising(answer, good), json!({"content": "How long is the pier?"}), 1),
        (broken, json!({"content": "How long is the pier?", "revise": true}), 2),
        (useless, json!({"content": "How long is the pier?", "revise": true}), 2),
    ] {
        let (server, provider) = with_model(ProviderDialect::OpenAi, scripts, &more).await;
        library(&server).await;
        let conversation = server.conversation().await;
        let events = server.asked(&conversation, body).await;
        assert!(!kinds(&events).contains(&"answer_revised"));
        let message = server.last_message(&conversation).await;
        assert_eq!((&message["content"], &message["rewritten"]), (&json!(answer), &json!([])));
        assert_eq!(message["citations"][0]["verdict"], "contradicted");
        assert_eq!(provider.received_requests().len(), asked);
    }
}
