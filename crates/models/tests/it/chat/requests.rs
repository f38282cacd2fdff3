//! What providers are asked, and what they are never asked.

use ibid_models::{
    ChatConfig, ChatMessage, ChatProvider, ChatRequest, ModelToolCall, ToolSpec, complete_chat, open_chat,
};
use ibid_testkit::provider::{ProviderDialect, ProviderRequest, ScriptStep, ScriptedProvider};
use serde_json::{Value as Json, json};

use super::{KEY, config};

const ONLY_JSON: &str = "Answer with one JSON object and nothing else: no words around it, no code fence.";

async fn ask(dialect: ProviderDialect, request: ChatRequest) -> ProviderRequest {
    let provider = ScriptedProvider::start(dialect, [vec![ScriptStep::text("x"), ScriptStep::End]]).await;
    let model = open_chat(&config(dialect, provider.base_url())).unwrap();
    complete_chat(&*model, request).await.unwrap();
    provider.received_requests().remove(0)
}

fn schema() -> Json {
    json!({"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"], "additionalProperties": false})
}

/// A conversation with everything in it.
fn conversation() -> ChatRequest {
    let call = |id: &str, q: &str| ModelToolCall {
        id: id.into(),
        name: "look".into(),
        arguments: json!({"q": q}),
        signature: (id == "c1").then(|| "sig".into()),
    };
    let result = |id: &str, content: &str| ChatMessage::ToolResult {
        call_id: id.into(),
        name: "look".into(),
        content: content.into(),
    };
    ChatRequest {
        system: "Cite.".into(),
        messages: vec![
            ChatMessage::User("Why?".into()),
            ChatMessage::Assistant { text: "I look.".into(), tool_calls: vec![call("c1", "a"), call("c2", "b")] },
            result("c1", "one"),
            result("c2", "two"),
            ChatMessage::Assistant { text: String::new(), tool_calls: vec![call("c3", "c")] },
            result("c3", "three"),
            ChatMessage::Assistant { text: "Because.".into(), tool_calls: vec![] },
            ChatMessage::User("Sure?".into()),
        ],
        tools: vec![ToolSpec { name: "look".into(), description: "Looks.".into(), parameters: schema() }],
        max_output_tokens: Some(300),
        temperature: Some(0.1),
        response_json: false,
        response_schema: None,
    }
}

#[tokio::test]
async fn openai_is_asked_as_it_documents() {
    let asked = ask(ProviderDialect::OpenAi, conversation()).await;
    assert_eq!(asked.path, "/v1/chat/completions");
    assert_eq!(asked.header("authorization"), Some(&*format!("Bearer {KEY}")));
    assert_eq!(asked.header("content-type"), Some("application/json"));
    let call = |id: &str, q: &str| json!({"id": id, "type": "function", "function": {"name": "look", "arguments": format!("{{\"q\":\"{q}\"}}")}});
    assert_eq!(
        asked.body,
        json!({
            "model": "gpt-4.1-mini",
            "messages": [
                {"role": "system", "content": "Cite."},
                {"role": "user", "content": "Why?"},
                {"role": "assistant", "content": "I look.", "tool_calls": [call("c1", "a"), call("c2", "b")]},
                {"role": "tool", "tool_call_id": "c1", "content": "one"},
                {"role": "tool", "tool_call_id": "c2", "content": "two"},
                {"role": "assistant", "content": null, "tool_calls": [call("c3", "c")]},
                {"role": "tool", "tool_call_id": "c3", "content": "three"},
                {"role": "assistant", "content": "Because."},
                {"role": "user", "content": "Sure?"},
            ],
            "stream": true,
            "stream_options": {"include_usage": true},
            "tools": [{"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": schema()}}],
            "max_tokens": 300,
            "temperature": 0.1,
        })
    );
}

#[tokio::test]
async fn anthropic_is_asked_as_it_documents() {
    let asked = ask(ProviderDialect::Anthropic, conversation()).await;
    assert_eq!(asked.path, "/v1/messages");
    assert_eq!((asked.header("x-api-key"), asked.header("anthropic-version")), (Some(KEY), Some("2023-06-01")));
    assert_eq!(asked.header("authorization"), None);
    let call = |id: &str, q: &str| json!({"type": "tool_use", "id": id, "name": "look", "input": {"q": q}});
    let result = |id: &str, content: &str| json!({"type": "tool_result", "tool_use_id": id, "content": content});
    let text = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(
        asked.body,
        json!({
            "model": "claude-sonnet-4-5",
            "max_tokens": 300,
            "messages": [
                {"role": "user", "content": [text("Why?")]},
                {"role": "assistant", "content": [text("I look."), call("c1", "a"), call("c2", "b")]},
                {"role": "user", "content": [result("c1", "one"), result("c2", "two")]},
                {"role": "assistant", "content": [call("c3", "c")]},
                {"role": "user", "content": [result("c3", "three")]},
                {"role": "assistant", "content": [text("Because.")]},
                {"role": "user", "content": [text("Sure?")]},
            ],
            "stream": true,
            "system": "Cite.",
            "tools": [{"name": "look", "description": "Looks.", "input_schema": schema()}],
            "temperature": 0.1,
        })
    );
}

#[tokio::test]
async fn google_is_asked_as_it_documents() {
    let asked = ask(ProviderDialect::Google, conversation()).await;
    assert_eq!(asked.path, "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
    assert_eq!(asked.header("x-goog-api-key"), Some(KEY));
    let call = |q: &str| json!({"functionCall": {"name": "look", "args": {"q": q}}});
    let result = |text: &str| json!({"functionResponse": {"name": "look", "response": {"result": text}}});
    let mut first = call("a");
    first["thoughtSignature"] = "sig".into();
    assert_eq!(
        asked.body,
        json!({
            "contents": [
                {"role": "user", "parts": [{"text": "Why?"}]},
                {"role": "model", "parts": [{"text": "I look."}, first, call("b")]},
                {"role": "user", "parts": [result("one"), result("two")]},
                {"role": "model", "parts": [call("c")]},
                {"role": "user", "parts": [result("three")]},
                {"role": "model", "parts": [{"text": "Because."}]},
                {"role": "user", "parts": [{"text": "Sure?"}]},
            ],
            "systemInstruction": {"parts": [{"text": "Cite."}]},
            "tools": [{"functionDeclarations": [
                {"name": "look", "description": "Looks.", "parametersJsonSchema": schema()},
            ]}],
            "generationConfig": {"maxOutputTokens": 300, "temperature": 0.1},
        })
    );
}

#[tokio::test]
async fn json_is_asked_for_in_every_way_a_provider_knows() {
    let request = ChatRequest { response_json: true, tools: vec![], ..conversation() };
    let both = format!("Cite.\n\n{ONLY_JSON}");
    let openai = ask(ProviderDialect::OpenAi, request.clone()).await.body;
    assert_eq!(openai["response_format"], json!({"type": "json_object"}));
    assert_eq!(openai["messages"][0]["content"], both);
    let anthropic = ask(ProviderDialect::Anthropic, request.clone()).await.body;
    assert_eq!(anthropic["system"], both);
    let google = ask(ProviderDialect::Google, request.clone()).await.body;
    assert_eq!(google["generationConfig"]["responseMimeType"], "application/json");
    assert_eq!(google["systemInstruction"]["parts"][0]["text"], both);
    let with_tools = ask(ProviderDialect::Google, ChatRequest { response_json: true, ..conversation() }).await.body;
    assert_eq!(with_tools["generationConfig"].get("responseMimeType"), None, "Google refuses both together");
    let held = ChatRequest { response_schema: Some(schema()), ..request.clone() };
    let openai = ask(ProviderDialect::OpenAi, held.clone()).await.body;
    assert_eq!(openai["response_format"]["type"], "json_schema");
    assert_eq!(openai["response_format"]["json_schema"]["schema"], schema());
    let google = ask(ProviderDialect::Google, held).await.body;
    assert_eq!(google["generationConfig"]["responseJsonSchema"], schema());
    let bare = ask(ProviderDialect::Anthropic, ChatRequest { system: String::new(), ..request }).await.body;
    assert_eq!(bare["system"], ONLY_JSON);
}

#[tokio::test]
async fn what_the_request_leaves_open_is_as_configured_or_left_to_the_provider() {
    for (dialect, limit, temperature) in [
        (ProviderDialect::OpenAi, "/max_tokens", "/temperature"),
        (ProviderDialect::Anthropic, "/max_tokens", "/temperature"),
        (ProviderDialect::Google, "/generationConfig/maxOutputTokens", "/generationConfig/temperature"),
    ] {
        let provider = ScriptedProvider::start(dialect, [vec![ScriptStep::End]]).await;
        let usual = config(dialect, provider.base_url());
        let set = ChatConfig { max_output_tokens: Some(77), temperature: Some(0.7), ..usual.clone() };
        for (config, request) in [
            (&usual, super::question()),
            (&set, super::question()),
            (&set, ChatRequest { max_output_tokens: Some(5), temperature: Some(0.0), ..super::question() }),
        ] {
            complete_chat(&*open_chat(config).unwrap(), request).await.unwrap();
        }
        let asked = provider.received_requests();
        let value = |at: usize, place: &str| asked[at].body.pointer(place).cloned();
        // Anthropic has to be told.
        let least = (dialect == ProviderDialect::Anthropic).then(|| json!(4096));
        assert_eq!((value(0, limit), value(0, temperature)), (least, None), "{dialect:?}");
        assert_eq!((value(1, limit), value(1, temperature)), (Some(json!(77)), Some(json!(0.7))), "{dialect:?}");
        assert_eq!((value(2, limit), value(2, temperature)), (Some(json!(5)), Some(json!(0.0))), "{dialect:?}");
    }
}

#[test]
fn what_can_never_work_is_refused_before_anything_is_sent() {
    let keyed = |provider, model: &str| ChatConfig { key: Some(KEY.into()), ..ChatConfig::new(provider, model) };
    let openai = keyed(ChatProvider::OpenAi, "m");
    for (what, config) in [
        ("OpenAI itself without a key", ChatConfig::new(ChatProvider::OpenAi, "m")),
        ("Anthropic without a key", ChatConfig::new(ChatProvider::Anthropic, "m")),
        ("Google without a key", ChatConfig::new(ChatProvider::Google, "m")),
        ("no model", keyed(ChatProvider::OpenAi, " ")),
        ("a model that leads elsewhere", keyed(ChatProvider::Google, "../x?y")),
        ("no address", ChatConfig { base_url: Some("nowhere".into()), ..openai.clone() }),
        ("a file", ChatConfig { base_url: Some("file:///etc".into()), ..openai.clone() }),
        ("a key over two lines", ChatConfig { key: Some("k\ney".into()), ..openai.clone() }),
        ("no room", ChatConfig { context_tokens: 0, ..openai.clone() }),
        ("no room for an answer", ChatConfig { max_output_tokens: Some(0), ..openai.clone() }),
        ("no temperature", ChatConfig { temperature: Some(f32::NAN), ..openai.clone() }),
        ("too hot", ChatConfig { temperature: Some(2.5), ..openai.clone() }),
    ] {
        let error = open_chat(&config).unwrap_err();
        assert_eq!(error.kind(), "refused", "{what}: {error}");
        assert!(!error.can_retry());
    }
    for provider in [ChatProvider::OpenAi, ChatProvider::Anthropic, ChatProvider::Google] {
        let model = open_chat(&ChatConfig { context_tokens: 8192, ..keyed(provider, "models/m") });
        assert_eq!(model.unwrap().context_tokens(), 8192);
    }
}
