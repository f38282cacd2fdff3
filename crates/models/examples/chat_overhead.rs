//! What a streamed token costs this side of the connection, in microseconds of processor time, for each protocol, and how
//! much of that the bytes alone cost, read and thrown away: `chat_overhead [TOKENS]`. Each token comes as an event of its
//! own, in a chunk of its own. The provider runs in another thread. Of five runs the median is printed.

use std::{error::Error, sync::mpsc, thread};

use futures::StreamExt;
use ibid_models::{ChatConfig, ChatDelta, ChatMessage, ChatModel, ChatProvider, ChatRequest, open_chat};
use ibid_testkit::provider::{ProviderDialect, ScriptStep, ScriptedProvider};

const RUNS: usize = 5;

/// Processor time of this thread in microseconds, on Linux.
fn processor_time() -> Result<f64, Box<dyn Error>> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(times.split_whitespace().next().ok_or("no time")?.parse::<f64>()? / 1e3)
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Starts a provider that says so many words, and gives its address.
fn provider(dialect: ProviderDialect, tokens: usize) -> Result<String, Box<dyn Error>> {
    let (address, started) = mpsc::channel();
    let runtime = runtime()?;
    thread::spawn(move || {
        runtime.block_on(async {
            let mut script = vec![ScriptStep::text("token "); tokens];
            script.push(ScriptStep::End);
            let provider = ScriptedProvider::start(dialect, [script]).await;
            let _ = address.send(provider.base_url().to_owned());
            std::future::pending::<()>().await;
        });
    });
    Ok(started.recv()?)
}

/// Reads an answer, and says what it took.
async fn answer(model: &dyn ChatModel, tokens: usize) -> Result<f64, Box<dyn Error>> {
    let messages = vec![ChatMessage::User("Go on.".to_owned())];
    let mut stream = model.stream(ChatRequest { messages, ..ChatRequest::default() }).await?;
    let (began, mut came) = (processor_time()?, 0);
    while let Some(delta) = stream.next().await {
        came += usize::from(matches!(delta?, ChatDelta::Text(_)));
    }
    assert_eq!(came, tokens);
    Ok(processor_time()? - began)
}

/// Reads the same bytes, and says what it took.
async fn bytes(url: &str) -> Result<f64, Box<dyn Error>> {
    let client = reqwest::Client::builder().no_proxy().build()?;
    let mut response = client.post(url).body("{}").send().await?;
    let began = processor_time()?;
    while response.chunk().await?.is_some() {}
    Ok(processor_time()? - began)
}

/// The median of some runs, a token.
fn a_token(mut times: Vec<f64>, tokens: usize) -> serde_json::Value {
    times.sort_by(f64::total_cmp);
    ((times[times.len() / 2] / tokens as f64 * 100.0).round() / 100.0).into()
}

fn main() -> Result<(), Box<dyn Error>> {
    let tokens = std::env::args().nth(1).map_or(Ok(50_000), |tokens| tokens.parse())?;
    let mut report = serde_json::Map::new();
    for (dialect, kind, path) in [
        (ProviderDialect::OpenAi, ChatProvider::OpenAi, "v1/chat/completions"),
        (ProviderDialect::Anthropic, ChatProvider::Anthropic, "v1/messages"),
        (ProviderDialect::Google, ChatProvider::Google, "v1beta/models/scripted:streamGenerateContent?alt=sse"),
    ] {
        let base = provider(dialect, tokens)?;
        let config =
            ChatConfig { base_url: Some(base.clone()), key: Some("k".into()), ..ChatConfig::new(kind, "scripted") };
        let (mut answers, mut alone) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let runtime = runtime()?;
            answers.push(runtime.block_on(answer(&*open_chat(&config)?, tokens))?);
            alone.push(runtime.block_on(bytes(&format!("{base}/{path}")))?);
        }
        report.insert(format!("{}_us_per_token", kind.name()), a_token(answers, tokens));
        report.insert(format!("{}_us_for_the_bytes_alone", kind.name()), a_token(alone, tokens));
    }
    println!("{}", serde_json::Value::from(report));
    Ok(())
}
