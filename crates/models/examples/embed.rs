//! Embeds the passages of a file, one JSON string a line, and prints what it took as JSON:
//! `embed FILE [--threads N]`, or with `--tokens` the tokens of each line instead.

use std::{error::Error, num::NonZero, time::Instant};

use ibid_models::{Embedder, LocalEmbedder, LocalModelConfig, Purpose};

/// Processor time of this process in seconds: user and system, in ticks of a hundredth on Linux.
fn processor_time() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The second field is the program's name in parentheses, and may hold anything.
    let fields: Vec<_> = stat.rsplit_once(')').ok_or("no name")?.1.split_whitespace().collect();
    Ok((fields[11].parse::<f64>()? + fields[12].parse::<f64>()?) / 100.0)
}

/// What the file says of this process, in MiB.
fn memory(field: &str) -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with(field)).ok_or("no such field")?;
    Ok(line.split_whitespace().nth(1).ok_or("no number")?.parse::<f64>()? / 1024.0)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (mut file, mut threads, mut only_tokens) = (None, None, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--threads" => threads = Some(arguments.next().ok_or("how many threads?")?.parse::<NonZero<usize>>()?),
            "--tokens" => only_tokens = true,
            _ => file = Some(argument),
        }
    }
    let text = std::fs::read_to_string(file.ok_or("which file?")?)?;
    let passages: Vec<String> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let embedder = LocalEmbedder::new(LocalModelConfig { threads, ..LocalModelConfig::default() });
    if only_tokens {
        for passage in &passages {
            println!("{:?}", embedder.encode_tokens(passage)?);
        }
        return Ok(());
    }

    let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
    embedder.warm_up().await?;
    // Every thread loads its session before the clock runs.
    embedder.embed(&passages[..passages.len().min(8)], Purpose::Passage).await?;
    let (began, processor) = (Instant::now(), processor_time()?);
    for batch in passages.chunks(embedder.batch_size()) {
        embedder.embed(batch, Purpose::Passage).await?;
    }
    let (wall, processor) = (began.elapsed().as_secs_f64(), processor_time()? - processor);

    let mut alone: Vec<f64> = Vec::new();
    for _ in 0..50 {
        let began = Instant::now();
        embedder.embed(&["who discovered the structure of proteins"], Purpose::Query).await?;
        alone.push(began.elapsed().as_secs_f64() * 1e3);
    }
    // The same while passages are embedded.
    let mut beside: Vec<f64> = Vec::new();
    let many: Vec<&str> = passages.iter().copied().cycle().take(embedder.batch_size()).collect();
    let batch = embedder.embed(&many, Purpose::Passage);
    let questions = async {
        for _ in 0..20 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            let began = Instant::now();
            embedder.embed(&["who discovered the structure of proteins"], Purpose::Query).await?;
            beside.push(began.elapsed().as_secs_f64() * 1e3);
        }
        Ok::<_, ibid_models::EmbedError>(())
    };
    let (batch, questions) = tokio::join!(batch, questions);
    batch?;
    questions?;
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let report = serde_json::json!({
        "passages": passages.len(),
        "cpu_seconds": processor,
        "wall_seconds": wall,
        "query_ms": median(alone),
        "query_beside_passages_ms": median(beside),
        "peak_mib": memory("VmHWM")?,
    });
    println!("{report}");
    Ok(())
}
