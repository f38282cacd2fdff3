//! What a streamed token costs this side of the connection, in microseconds of processor time, for each protocol:
//! `chat_overhead [TOKENS]`. Each token comes as an event of its own. The provider runs in another thread.

use std::{error::Error, sync::mpsc, thread};

use futures::StreamExt;
use ibid_models::{ChatConfig, ChatDelta, ChatMessage, ChatProvider, ChatRequest, open_chat};
use ibid_testkit::provider::{Dialect, Provider, Step};

/// Processor time of this thread in microseconds, on Linux.
fn processor_time() -> Result<f64, Box<dyn Error>> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(times.split_whitespace().next().ok_or("no time")?.parse::<f64>()? / 1e3)
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Starts a provider that says so many words, and gives its address.
fn provider(dialect: Dialect, tokens: usize) -> Result<String, Box<dyn Error>> {
    let (address, started) = mpsc::channel();
    let runtime = runtime()?;
    thread::spawn(move || {
        runtime.block_on(async {
            let mut script = vec![Step::text("token "); tokens];
            script.push(Step::End);
            let provider = Provider::start(dialect, [script]).await;
            let _ = address.send(provider.base_url().to_owned());
            std::future::pending::<()>().await;
        });
    });
    Ok(started.recv()?)
}

/// Processor time a token, and how many came.
async fn measure(config: &ChatConfig) -> Result<(f64, usize), Box<dyn Error>> {
    let model = open_chat(config)?;
    let messages = vec![ChatMessage::User("Go on.".to_owned())];
    let mut stream = model.stream(ChatRequest { messages, ..ChatRequest::default() }).await?;
    let (began, mut tokens) = (processor_time()?, 0);
    while let Some(delta) = stream.next().await {
        tokens += usize::from(matches!(delta?, ChatDelta::Text(_)));
    }
    Ok(((processor_time()? - began) / tokens as f64, tokens))
}

fn main() -> Result<(), Box<dyn Error>> {
    let tokens = std::env::args().nth(1).map_or(Ok(100_000), |tokens| tokens.parse())?;
    let mut report = serde_json::Map::new();
    for (dialect, provider_kind) in [
        (Dialect::OpenAi, ChatProvider::OpenAi),
        (Dialect::Anthropic, ChatProvider::Anthropic),
        (Dialect::Google, ChatProvider::Google),
    ] {
        let config = ChatConfig {
            base_url: Some(provider(dialect, tokens)?),
            key: Some("k".into()),
            ..ChatConfig::new(provider_kind, "scripted")
        };
        let (cost, came) = runtime()?.block_on(measure(&config))?;
        assert_eq!(came, tokens);
        report.insert(format!("{}_us_per_token", provider_kind.name()), ((cost * 100.0).round() / 100.0).into());
    }
    println!("{}", serde_json::Value::from(report));
    Ok(())
}
