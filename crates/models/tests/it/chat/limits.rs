//! What is too large, and what is not.

use ibid_models::ChatDelta;
use ibid_testkit::provider::{ProviderDialect, ScriptStep};
use serde_json::json;

use super::{DIALECTS, abandoned, answer, model, pieces};

const MEGABYTE: usize = 1024 * 1024;

#[tokio::test]
async fn a_line_may_have_four_megabytes_and_no_more() {
    for dialect in DIALECTS {
        let fits = answer(dialect, vec![ScriptStep::text("x".repeat(3 * MEGABYTE)), ScriptStep::End]).await.unwrap();
        assert_eq!(fits.text.len(), 3 * MEGABYTE);
        let long = format!("data: {}", "x".repeat(5 * MEGABYTE));
        let (_provider, model) = model(dialect, vec![ScriptStep::text("a"), ScriptStep::Malformed(long)]).await;
        let (deltas, error) = pieces(&*model).await;
        let error = error.unwrap();
        assert_eq!((deltas, error.kind()), (vec![ChatDelta::Text("a".into())], "too_large"), "{dialect:?}");
        assert!(!error.can_retry());
    }
}

#[tokio::test]
async fn an_answer_may_have_four_megabytes_and_no_more() {
    for dialect in DIALECTS {
        let script = vec![ScriptStep::text("x".repeat(MEGABYTE)); 5];
        let (_provider, model) = model(dialect, script).await;
        let (deltas, error) = pieces(&*model).await;
        assert_eq!((deltas.len(), error.unwrap().kind()), (4, "too_large"), "{dialect:?}");
        // However it is made up.
        let many = ScriptStep::ToolCall { name: "look".into(), arguments: json!({}) };
        let error = answer(dialect, vec![many; 5000]).await.unwrap_err();
        assert_eq!(error.kind(), "too_large", "{dialect:?}");
    }
}

#[tokio::test]
async fn of_an_error_only_the_start_is_read() {
    let long = "oops ".repeat(4 * MEGABYTE);
    for body in [long.clone(), json!({"error": {"message": long}}).to_string()] {
        let (provider, model) = model(ProviderDialect::OpenAi, vec![ScriptStep::Status(400, body, vec![])]).await;
        let error = pieces(&*model).await.1.unwrap();
        assert_eq!(error.kind(), "refused");
        let text = error.to_string();
        assert!(text.contains("oops oops") && text.chars().count() < 400, "{text}");
        assert!(abandoned(&provider).await, "nobody reads twenty megabytes");
    }
}
