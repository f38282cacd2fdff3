//! Questions that the library nearly answers, asked with the judge on.

use ibid_testkit::TestEngine;
use serde_json::json;

use crate::{
    Running,
    answers::said,
    near_miss_cases::{NearQuestions, NearSource, near_misses},
};

/// Another company, another year, built and rebuilt: what the library nearly answers, with the judge on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn near_misses_are_refused_more_often_than_answers() {
    let Some(server) = Running::start(TestEngine::Sqlite).await else { return };
    let cases = near_misses();
    for NearSource { title, text } in &cases.source {
        server.with_text(&format!("{title}.md"), &format!("# {title}\n\n{text}")).await;
    }
    server.settled().await;
    let (mut refused, mut none, mut right, mut found, mut wrong) = (0, 0, 0, 0, String::new());
    for NearQuestions { kind, none: unanswered, found: answered } in &cases.question {
        for question in unanswered {
            let conversation = server.conversation().await;
            let text = said(&server.asked(&conversation, json!({ "content": question })).await);
            none += 1;
            match text.contains("does not answer this") {
                true => refused += 1,
                false => wrong += &format!("\n{kind}: {question} -> {text}"),
            }
        }
        for [question, words] in answered {
            let conversation = server.conversation().await;
            let text = said(&server.asked(&conversation, json!({ "content": question })).await);
            found += 1;
            match !text.contains("does not answer this") && text.contains(words.as_str()) {
                true => right += 1,
                false => wrong += &format!("\n{kind}: {question} -> {text}"),
            }
        }
    }
    assert!(refused >= 12, "{refused} of {none} refused, {right} of {found} answered{wrong}");
    assert!(right >= 22, "{right} of {found} answered{wrong}");
}
