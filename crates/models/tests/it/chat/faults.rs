//! Providers that refuse, fail and break off, and what is made of it.

use std::time::{Duration, Instant};

use futures::{StreamExt, future::join_all};
use ibid_models::{ChatConfig, ChatDelta, ChatError, TimeoutPhase, complete_chat, open_chat};
use ibid_testkit::provider::{ProviderDialect, ScriptStep, ScriptedProvider};
use serde_json::json;

use super::{DIALECTS, KEY, abandoned, answer, config, model, pieces, question};

fn status(status: u16, message: &str) -> ScriptStep {
    ScriptStep::Status(status, json!({"error": {"message": message}}).to_string(), vec![])
}

fn limited(status: u16, retry_after: &str) -> ScriptStep {
    ScriptStep::Status(status, String::new(), vec![("Retry-After", retry_after.to_owned())])
}

fn good() -> Vec<ScriptStep> {
    vec![ScriptStep::text("good"), ScriptStep::End]
}

/// A model that tries again so often, and its provider.
async fn stubborn(
    dialect: ProviderDialect,
    retries: u32,
    scripts: Vec<Vec<ScriptStep>>,
) -> (ScriptedProvider, std::sync::Arc<dyn ibid_models::ChatModel>) {
    let provider = ScriptedProvider::start(dialect, scripts).await;
    let model = open_chat(&ChatConfig { retries, ..config(dialect, provider.base_url()) }).unwrap();
    (provider, model)
}

#[tokio::test]
async fn every_status_means_one_thing() {
    for dialect in DIALECTS {
        for (code, kind, again) in [
            (400, "refused", false),
            (401, "unauthorised", false),
            (402, "refused", false),
            (403, "unauthorised", false),
            (404, "refused", false),
            (408, "overloaded", true),
            (413, "too_large", false),
            (422, "refused", false),
            (429, "rate_limited", true),
            (500, "overloaded", true),
            (502, "overloaded", true),
            (503, "overloaded", true),
            (504, "overloaded", true),
            (529, "overloaded", true),
        ] {
            let error = answer(dialect, vec![status(code, "So it is.")]).await.unwrap_err();
            assert_eq!((error.kind(), error.can_retry()), (kind, again), "{dialect:?} {code}");
            let text = error.to_string();
            assert!(text.contains("So it is.") && text.contains(&code.to_string()), "{text}");
        }
    }
}

#[tokio::test]
async fn a_providers_own_word_may_say_more_than_its_status() {
    let quota = json!({"error": {"message": "Pay first", "type": "insufficient_quota", "code": "insufficient_quota"}});
    let error =
        answer(ProviderDialect::OpenAi, vec![ScriptStep::Status(429, quota.to_string(), vec![])]).await.unwrap_err();
    assert_eq!((error.kind(), error.can_retry()), ("refused", false));
    let key = json!({"error": {"code": 400, "message": "API key not valid", "status": "INVALID_ARGUMENT",
        "details": [{"reason": "API_KEY_INVALID"}]}});
    let error =
        answer(ProviderDialect::Google, vec![ScriptStep::Status(400, key.to_string(), vec![])]).await.unwrap_err();
    assert_eq!(error.kind(), "unauthorised");
    let wait = json!({"error": {"code": 429, "message": "Quota", "details": [{"retryDelay": "34.5s"}]}});
    let error =
        answer(ProviderDialect::Google, vec![ScriptStep::Status(429, wait.to_string(), vec![])]).await.unwrap_err();
    assert_eq!((error.kind(), error.retry_after()), ("rate_limited", Some(Duration::from_millis(34_500))));
}

#[tokio::test]
async fn a_redirection_is_not_followed() {
    let away = ScriptStep::Status(307, String::new(), vec![("Location", "http://127.0.0.1:9/".into())]);
    let error = answer(ProviderDialect::OpenAi, vec![away]).await.unwrap_err();
    assert_eq!(error.kind(), "refused");
    assert!(error.to_string().contains("redirects to http://127.0.0.1:9/"), "{error}");
}

#[tokio::test]
async fn the_key_is_shown_nowhere() {
    for dialect in DIALECTS {
        let said = format!("The key {KEY} is wrong");
        let scripts = [
            vec![status(401, &said)],
            vec![status(400, &format!("{said} {}", "x".repeat(1000)))],
            vec![ScriptStep::Status(500, said.clone(), vec![])],
            vec![ScriptStep::Status(302, String::new(), vec![("Location", format!("/{KEY}"))])],
            vec![ScriptStep::Status(200, said.clone(), vec![("Content-Type", "text/html".into())])],
            vec![ScriptStep::ErrorMidStream(said.clone())],
            vec![ScriptStep::text("a"), ScriptStep::ErrorMidStream(said.clone())],
            vec![ScriptStep::Malformed(format!("data: {said}\n\n"))],
            vec![ScriptStep::Malformed(format!("data: {{\"error\": \"{said}\"}}\n\n"))],
            vec![ScriptStep::ToolCall { name: KEY.into(), arguments: json!([KEY]) }, ScriptStep::End],
        ];
        for script in scripts {
            let (provider, model) = model(dialect, script.clone()).await;
            let error = pieces(&*model).await.1.unwrap_or_else(|| panic!("{dialect:?} {script:?}"));
            let shown = format!("{error} {error:?} {model:?} {:?}", config(dialect, provider.base_url()));
            assert!(!shown.contains(KEY), "{shown}");
            assert!(error.to_string().chars().count() < 400, "{error}");
        }
    }
}

#[tokio::test]
async fn what_passes_is_tried_again_after_the_time_the_provider_asks_for() {
    for dialect in DIALECTS {
        let (provider, model) = stubborn(dialect, 2, vec![vec![limited(429, "1")], good()]).await;
        let began = Instant::now();
        assert_eq!(complete_chat(&*model, question()).await.unwrap().text, "good");
        assert!((1.0..10.0).contains(&began.elapsed().as_secs_f64()), "{:?}", began.elapsed());
        let asked = provider.received_requests();
        assert_eq!((asked.len(), &asked[0].body), (2, &asked[1].body), "{dialect:?}");
    }
}

#[tokio::test]
async fn everything_before_the_first_piece_can_be_tried_again() {
    let again = async |dialect| {
        // What Anthropic says before its first piece does not count.
        let start = "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":1}}}\n\n";
        for fault in [
            vec![limited(503, "0")],
            vec![ScriptStep::Cut],
            vec![ScriptStep::Malformed(": nothing\n\n".into())],
            vec![ScriptStep::Malformed("data: {oops\n\n".into())],
            vec![ScriptStep::ErrorMidStream("busy".into())],
            vec![ScriptStep::Malformed(start.into()), ScriptStep::Cut],
        ] {
            let (provider, model) = stubborn(dialect, 1, vec![fault.clone(), good()]).await;
            let done = complete_chat(&*model, question()).await;
            assert_eq!(done.unwrap().text, "good", "{dialect:?} {fault:?}");
            assert_eq!(provider.received_requests().len(), 2);
        }
    };
    join_all(DIALECTS.map(again)).await;
}

#[tokio::test]
async fn patience_ends() {
    let (provider, model) = stubborn(ProviderDialect::OpenAi, 3, vec![vec![limited(429, "0")]]).await;
    assert_eq!(complete_chat(&*model, question()).await.unwrap_err().kind(), "rate_limited");
    assert_eq!(provider.received_requests().len(), 4);

    // What will not pass is not tried again, and nobody waits longer than for a first word.
    for (first, kind) in [(status(401, "no"), "unauthorised"), (limited(429, "30"), "rate_limited")] {
        let (provider, model) = stubborn(ProviderDialect::OpenAi, 3, vec![vec![first], good()]).await;
        let began = Instant::now();
        let error = complete_chat(&*model, question()).await.unwrap_err();
        assert_eq!((error.kind(), provider.received_requests().len()), (kind, 1));
        assert!(began.elapsed() < Duration::from_secs(5));
    }

    // A pause that would outlast everything is not made.
    let provider = ScriptedProvider::start(ProviderDialect::OpenAi, [vec![limited(503, "3")]]).await;
    let brief = ChatConfig {
        retries: 3,
        total_timeout: Duration::from_secs(2),
        ..config(ProviderDialect::OpenAi, provider.base_url())
    };
    let began = Instant::now();
    let error = complete_chat(&*open_chat(&brief).unwrap(), question()).await.unwrap_err();
    assert_eq!((error.kind(), error.retry_after()), ("overloaded", Some(Duration::from_secs(3))));
    assert!(began.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn after_the_first_piece_nothing_is_tried_again() {
    for dialect in DIALECTS {
        for (fault, kind) in [
            (ScriptStep::Cut, "interrupted"),
            (ScriptStep::ErrorMidStream("The machine burns".into()), "overloaded"),
            (ScriptStep::Malformed("data: {oops\n\n".into()), "malformed"),
            (ScriptStep::Malformed(": closed properly, but not ended\n\n".into()), "interrupted"),
        ] {
            let (provider, model) =
                stubborn(dialect, 3, vec![vec![ScriptStep::text("Half of "), fault.clone()], good()]).await;
            let (deltas, error) = pieces(&*model).await;
            let error = error.unwrap_or_else(|| panic!("{dialect:?} {fault:?}"));
            assert_eq!(
                (error.kind(), deltas),
                (kind, vec![ChatDelta::Text("Half of ".into())]),
                "{dialect:?} {fault:?}"
            );
            assert!(!matches!(fault, ScriptStep::ErrorMidStream(_)) || error.to_string().contains("The machine burns"));
            assert_eq!(provider.received_requests().len(), 1);
        }
    }
}

#[tokio::test]
async fn a_call_with_broken_arguments_is_told() {
    for dialect in DIALECTS {
        let broken = ScriptStep::ToolCall { name: "look".into(), arguments: json!(["no", "object"]) };
        let error = answer(dialect, vec![broken, ScriptStep::End]).await.unwrap_err();
        assert_eq!(error.kind(), "malformed", "{dialect:?} {error}");
        assert!(error.to_string().contains("look"), "{error}");
    }
}

#[tokio::test]
async fn a_page_instead_of_events_makes_one_look_at_the_address() {
    for kind in ["text/html; charset=utf-8", "application/json"] {
        let page = ScriptStep::Status(200, "<h1>Welcome</h1>".into(), vec![("Content-Type", kind.into())]);
        let error = answer(ProviderDialect::OpenAi, vec![page]).await.unwrap_err();
        assert_eq!(error.kind(), "malformed");
        assert!(error.to_string().contains("is the base URL right? It says: <h1>Welcome</h1>"), "{error}");
    }
    let (provider, _) = model(ProviderDialect::Anthropic, good()).await;
    let elsewhere = config(ProviderDialect::OpenAi, provider.base_url());
    let error = complete_chat(&*open_chat(&elsewhere).unwrap(), question()).await.unwrap_err();
    assert_eq!(error.kind(), "refused");
    assert!(error.to_string().contains("nothing at this address"), "{error}");
}

#[tokio::test]
async fn nobody_listening_is_unreachable() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    for dialect in DIALECTS {
        let model = open_chat(&config(dialect, &format!("http://{free}"))).unwrap();
        let error = complete_chat(&*model, question()).await.unwrap_err();
        assert_eq!((error.kind(), error.can_retry()), ("unreachable", true), "{error}");
    }
}

#[tokio::test]
async fn silence_has_an_end() {
    let long = ScriptStep::Silence(Duration::from_secs(60));
    let comment = ScriptStep::Malformed(": wait\n\n".into());
    let mut pings: Vec<ScriptStep> =
        (0..100).flat_map(|_| [comment.clone(), ScriptStep::Silence(Duration::from_millis(50))]).collect();
    pings.extend(good());
    let mut slow: Vec<ScriptStep> =
        (0..100).flat_map(|_| [ScriptStep::text("w "), ScriptStep::Silence(Duration::from_millis(50))]).collect();
    slow.push(ScriptStep::End);
    let wait = async |dialect| {
        for (script, what, pieces_before) in [
            (vec![long.clone()], TimeoutPhase::FirstToken, 0..=0),
            (vec![comment.clone(), long.clone()], TimeoutPhase::FirstToken, 0..=0),
            // Signs of life are no words.
            (pings.clone(), TimeoutPhase::FirstToken, 0..=0),
            (vec![ScriptStep::text("a"), long.clone(), ScriptStep::End], TimeoutPhase::MoreBytes, 1..=1),
            (slow.clone(), TimeoutPhase::End, 5..=60),
        ] {
            let (provider, _) = model(dialect, script).await;
            let config = ChatConfig {
                first_token_timeout: Duration::from_millis(if what == TimeoutPhase::FirstToken { 300 } else { 20_000 }),
                idle_timeout: Duration::from_millis(if what == TimeoutPhase::MoreBytes { 300 } else { 20_000 }),
                total_timeout: Duration::from_millis(if what == TimeoutPhase::End { 2_000 } else { 60_000 }),
                ..config(dialect, provider.base_url())
            };
            let began = Instant::now();
            let (deltas, error) = pieces(&*open_chat(&config).unwrap()).await;
            let Some(ChatError::TimedOut { what: found, .. }) = error else { panic!("{dialect:?} {what}: {error:?}") };
            assert_eq!(found, what, "{dialect:?}");
            assert!(pieces_before.contains(&deltas.len()), "{dialect:?} {what}: {deltas:?}");
            assert!(began.elapsed() < Duration::from_secs(10), "{dialect:?} {what}");
        }
    };
    join_all(DIALECTS.map(wait)).await;
}

#[tokio::test]
async fn who_goes_away_ends_the_request() {
    for dialect in DIALECTS {
        let long = ScriptStep::Silence(Duration::from_secs(60));
        let (provider, model) = model(dialect, vec![ScriptStep::text("a"), long.clone(), ScriptStep::End]).await;
        let mut stream = model.stream(question()).await.unwrap();
        assert_eq!(stream.next().await, Some(Ok(ChatDelta::Text("a".into()))));
        assert_eq!(provider.abandoned_count(), 0);
        drop(stream);
        assert!(abandoned(&provider).await, "{dialect:?}: a stream that is dropped");

        let (provider, model) = super::model(dialect, vec![long]).await;
        let waiting = tokio::time::timeout(Duration::from_millis(200), model.stream(question())).await;
        assert!(waiting.is_err());
        assert!(abandoned(&provider).await, "{dialect:?}: a future that is dropped");
    }
}
