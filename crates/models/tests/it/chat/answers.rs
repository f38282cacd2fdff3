//! Answers as they should be, however they are cut and whoever writes them.

use ibid_models::{ChatConfig, ChatDelta, ChatProvider, ChatUsage, FinishReason, complete_chat, open_chat};
use ibid_testkit::provider::{ProviderDialect, ScriptStep, ScriptedProvider};
use serde_json::{Value as Json, json};

use super::{DIALECTS, answer, model, pieces, question};

const TEXT: [&str; 6] =
    ["The bridge", " opened in 1932 [1].\n\n", "日本語", " 👍🏽 e\u{301}", " \"quoted\" \\ ", "\r\ndata: x"];

fn call(name: &str, arguments: Json) -> ScriptStep {
    ScriptStep::ToolCall { name: name.into(), arguments }
}

/// Bytes as they are.
fn raw(events: &[&str]) -> Vec<ScriptStep> {
    events.iter().map(|event| ScriptStep::Malformed((*event).to_owned())).collect()
}

#[tokio::test]
async fn text_is_what_was_said_however_it_is_cut() {
    for dialect in DIALECTS {
        for size in [1, 2, 3, 7, 100, 1 << 20] {
            let mut script = vec![ScriptStep::Bytes(size)];
            script.extend(TEXT.map(ScriptStep::text));
            script.extend([ScriptStep::Usage { input: 12, output: 34 }, ScriptStep::End]);
            let (_provider, model) = model(dialect, script).await;
            let mut expected: Vec<_> = TEXT.map(|text| ChatDelta::Text(text.into())).into();
            expected.push(ChatDelta::Usage(ChatUsage { input_tokens: 12, output_tokens: 34 }));
            expected.push(ChatDelta::End(FinishReason::Stop));
            assert_eq!(pieces(&*model).await, (expected, None), "{dialect:?}, {size} bytes");
        }
    }
}

#[tokio::test]
async fn calls_come_whole_and_after_the_text() {
    let look = json!({"query": "who built it? 日本 \"x\"", "limit": 3, "filters": {"tags": ["a", "b"]}});
    for dialect in DIALECTS {
        for size in [1, 1 << 20] {
            let script = vec![
                ScriptStep::Bytes(size),
                ScriptStep::text("Let me look."),
                call("hybrid_search", look.clone()),
                call("now", json!({})),
                ScriptStep::End,
            ];
            let done = answer(dialect, script).await.unwrap();
            assert_eq!((done.text.as_str(), done.finish), ("Let me look.", FinishReason::ToolCalls), "{dialect:?}");
            assert_eq!(done.usage, None);
            let calls: Vec<_> = done.tool_calls.iter().map(|call| (call.name.as_str(), &call.arguments)).collect();
            assert_eq!(calls, [("hybrid_search", &look), ("now", &json!({}))], "{dialect:?}");
            let ids: Vec<_> = done.tool_calls.iter().map(|call| call.id.as_str()).collect();
            if dialect == ProviderDialect::Google {
                assert_eq!(ids, ["call_1", "call_2"], "made up, where there are none");
                assert_eq!(done.tool_calls[0].signature.as_deref(), Some("call_1_hybrid_search"));
            } else {
                assert_eq!(ids, ["call_1_hybrid_search", "call_2_now"]);
                assert_eq!(done.tool_calls[0].signature, None);
            }
        }
    }
}

#[tokio::test]
async fn why_an_answer_ended_is_told_in_one_way() {
    let other = |reason: &str| FinishReason::Other(reason.to_owned());
    for (dialect, reasons) in [
        (
            ProviderDialect::OpenAi,
            vec![
                ("stop", FinishReason::Stop),
                ("length", FinishReason::Length),
                ("content_filter", FinishReason::Filtered),
                ("tool_calls", FinishReason::ToolCalls),
                ("eos", other("eos")),
            ],
        ),
        (
            ProviderDialect::Anthropic,
            vec![
                ("stop_sequence", FinishReason::Stop),
                ("max_tokens", FinishReason::Length),
                ("refusal", FinishReason::Filtered),
                ("tool_use", FinishReason::ToolCalls),
                ("pause_turn", other("pause_turn")),
            ],
        ),
        (
            ProviderDialect::Google,
            vec![
                ("STOP", FinishReason::Stop),
                ("MAX_TOKENS", FinishReason::Length),
                ("SAFETY", FinishReason::Filtered),
                ("MALFORMED_FUNCTION_CALL", other("MALFORMED_FUNCTION_CALL")),
            ],
        ),
    ] {
        for (reason, finish) in reasons {
            let done = answer(dialect, vec![ScriptStep::text("So"), ScriptStep::EndWith(reason)]).await.unwrap();
            assert_eq!((done.text.as_str(), done.finish), ("So", finish), "{dialect:?} {reason}");
        }
    }
}

#[tokio::test]
async fn an_answer_without_a_word_is_one() {
    for dialect in DIALECTS {
        let (_provider, model) = model(dialect, vec![ScriptStep::End]).await;
        assert_eq!(pieces(&*model).await, (vec![ChatDelta::End(FinishReason::Stop)], None), "{dialect:?}");
    }
}

#[tokio::test]
async fn servers_that_speak_openais_protocol_in_their_own_way_are_understood() {
    let says = |text: &str| format!(r#"{{"choices":[{{"delta":{{"content":{text:?}}}}}]}}"#);
    let finish = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}"#;
    for (what, script, text, finish, usage) in [
        (
            "no space, no end",
            vec![format!("data:{}\n\n", says("a")), format!("data:{finish}\n\n")],
            "a",
            FinishReason::Stop,
            None,
        ),
        (
            "only the end",
            vec![format!("data: {}\n\n", says("a")), "data: [DONE]\n\n".into()],
            "a",
            FinishReason::Stop,
            None,
        ),
        (
            "Windows' line ends, comments, empty choices, usage in every piece",
            vec![
                ": processing\r\n\r\n".into(),
                "data: {\"choices\":[],\"prompt_filter_results\":[]}\r\n\r\n".into(),
                "data: {\"choices\":null}\r\n\r\n".into(),
                "data: {\"choices\":[{\"index\":0,\"delta\":null}],\"usage\":{\"prompt_tokens\":5}}\r\n\r\n".into(),
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"\"}]}\r\n\r\n"
                    .into(),
                "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}\r\n\r\n".into(),
                format!("data: {finish}\r\n\r\n"),
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":6}}\r\n\r\n".into(),
            ],
            "a",
            FinishReason::Stop,
            Some(ChatUsage { input_tokens: 5, output_tokens: 6 }),
        ),
        (
            "thoughts",
            vec![
                "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\",\"content\":null}}]}\n\n".into(),
                "data: {\"choices\":[{\"delta\":{\"reasoning\":\"hm\"}}]}\n\n".into(),
                format!("data: {}\n\n", says("a")),
                "data: [DONE]\n\n".into(),
            ],
            "a",
            FinishReason::Stop,
            None,
        ),
        (
            "a refusal",
            vec!["data: {\"choices\":[{\"delta\":{\"refusal\":\"No.\"},\"finish_reason\":\"stop\"}]}\n\n".into()],
            "No.",
            FinishReason::Filtered,
            None,
        ),
    ] {
        let script: Vec<&str> = script.iter().map(String::as_str).collect();
        let done = answer(ProviderDialect::OpenAi, raw(&script)).await.unwrap();
        assert_eq!((done.text.as_str(), done.finish, done.usage), (text, finish, usage), "{what}");
    }
}

#[tokio::test]
async fn calls_are_put_together_however_a_server_counts_them() {
    let part = |fragment: Json| format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [fragment]}}]}));
    let function = |name: &str, arguments: Json| json!({"name": name, "arguments": arguments});
    let whole = |id: &str, name: &str, index: Option<u64>| {
        let mut fragment = json!({"id": id, "function": function(name, json!("{\"n\":1}"))});
        if let Some(index) = index {
            fragment["index"] = index.into();
        }
        part(fragment)
    };
    for (what, events) in [
        ("not at all", vec![whole("x", "a", None), whole("y", "b", None)]),
        ("all as the first", vec![whole("x", "a", Some(0)), whole("y", "b", Some(0))]),
        ("from any number", vec![whole("x", "a", Some(7)), whole("y", "b", Some(9))]),
        (
            "with everything repeated",
            vec![
                part(json!({"index": 0, "id": "x", "function": function("a", json!("{\"n\""))})),
                part(json!({"index": 1, "id": "y", "function": function("b", json!(""))})),
                part(json!({"index": 0, "id": "x", "function": function("a", json!(":1}"))})),
                part(json!({"index": 1, "id": "y", "function": function("b", json!("{\"n\":1}"))})),
            ],
        ),
        (
            "with arguments that are an object, or null",
            vec![
                part(json!({"index": 0, "id": "x", "function": function("a", json!({"n": 1}))})),
                part(json!({"index": 1, "id": "y", "function": function("b", Json::Null)})),
                part(json!({"index": 1, "function": {"arguments": "{\"n\":1}"}})),
            ],
        ),
        (
            "with an empty id for what follows",
            vec![
                part(json!({"id": "x", "function": function("a", json!("{\"n\""))})),
                part(json!({"id": "", "function": {"name": "", "arguments": ":1}"}})),
                whole("y", "b", None),
            ],
        ),
    ] {
        let mut script: Vec<_> = events.into_iter().map(ScriptStep::Malformed).collect();
        script.push(ScriptStep::EndWith("stop"));
        let done = answer(ProviderDialect::OpenAi, script).await.unwrap();
        let calls: Vec<_> =
            done.tool_calls.into_iter().map(|call| (call.id, call.name, call.arguments.to_string())).collect();
        let expected = [("x", "a"), ("y", "b")].map(|(id, name)| (id.into(), name.into(), "{\"n\":1}".to_owned()));
        assert_eq!((calls, done.finish), (expected.to_vec(), FinishReason::ToolCalls), "{what}");
    }
}

#[tokio::test]
async fn what_anthropic_adds_is_passed_over() {
    let done = answer(
        ProviderDialect::Anthropic,
        raw(&[
            "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":5,\
             \"cache_creation_input_tokens\":20,\"cache_read_input_tokens\":null,\"output_tokens\":1}}}\n\n",
            "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\"}}\n\n",
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n",
            "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web\",\"input\":{}}}\n\n",
            "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\"}}\n\n",
            "data: {\"type\":\"news_of_tomorrow\",\"index\":1}\n\n",
            "data: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"text\",\"text\":\"So \"}}\n\n",
            "data: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"text_delta\",\"text\":\"be it\"}}\n\n",
            "data: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"look\",\"input\":{\"a\":1}}}\n\n",
            "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":9}}\n\n",
        ]),
    )
    .await
    .unwrap();
    assert_eq!((done.text.as_str(), done.finish), ("So be it", FinishReason::ToolCalls));
    assert_eq!(done.usage, Some(ChatUsage { input_tokens: 25, output_tokens: 9 }));
    assert_eq!((done.tool_calls[0].id.as_str(), &done.tool_calls[0].arguments), ("t", &json!({"a": 1})));
}

#[tokio::test]
async fn google_thinks_apart_and_may_not_answer_at_all() {
    let done = answer(
        ProviderDialect::Google,
        raw(&[
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hm\",\"thought\":true}]}}]}\r\n\r\n",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"},{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}]}\r\n\r\n",
            "data: {\"candidates\":[{\"content\":{\"role\":\"model\"},\"finishReason\":\"STOP\"}],\"usageMetadata\":\
             {\"promptTokenCount\":3,\"candidatesTokenCount\":4,\"thoughtsTokenCount\":5}}\r\n\r\n",
        ]),
    )
    .await
    .unwrap();
    assert_eq!((done.text.as_str(), done.finish), ("ab", FinishReason::Stop));
    assert_eq!(done.usage, Some(ChatUsage { input_tokens: 3, output_tokens: 9 }));
    let blocked = raw(&[
        "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"},\"usageMetadata\":{\"promptTokenCount\":3}}\n\n",
    ]);
    let blocked = answer(ProviderDialect::Google, blocked).await.unwrap();
    assert_eq!((blocked.text.as_str(), blocked.finish), ("", FinishReason::Filtered));
}

#[tokio::test]
async fn a_server_of_ones_own_needs_no_key() {
    for suffix in ["", "/", "/v1", "/v1/"] {
        let provider =
            ScriptedProvider::start(ProviderDialect::OpenAi, [vec![ScriptStep::text("hello"), ScriptStep::End]]).await;
        let base_url = Some(format!("{}{suffix}", provider.base_url()));
        let model = open_chat(&ChatConfig { base_url, ..ChatConfig::new(ChatProvider::OpenAi, "llama3.2") }).unwrap();
        assert_eq!((model.name(), model.context_tokens()), ("openai:llama3.2", 32_768));
        assert_eq!(complete_chat(&*model, question()).await.unwrap().text, "hello");
        let asked = provider.received_requests();
        assert_eq!((asked.len(), asked[0].path.as_str()), (1, "/v1/chat/completions"));
        assert_eq!(asked[0].header("authorization"), None);
    }
}

#[tokio::test]
async fn a_connection_is_used_again_after_a_whole_answer() {
    for dialect in DIALECTS {
        let (provider, model) = model(dialect, vec![ScriptStep::text("a"), ScriptStep::End]).await;
        for _ in 0..20 {
            complete_chat(&*model, question()).await.unwrap();
        }
        assert_eq!(provider.received_requests().len(), 20);
        assert!(provider.connection_count() < 5, "{dialect:?}: {} connections", provider.connection_count());
    }
}
