//! dump
use ibid_citations::answer::{Candidates, Found, Options};
use serde_json::Value;
use std::{
    collections::HashMap,
    error::Error,
    io::{BufRead, Write},
};
fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut sims: HashMap<String, f32> = HashMap::new();
    if let Some(path) = args.get(2) {
        for line in std::fs::read_to_string(path)?.lines() {
            let v: Value = serde_json::from_str(line)?;
            sims.insert(
                format!("{}\n{}", v[0].as_str().unwrap(), v[1].as_str().unwrap()),
                v[2].as_f64().unwrap() as f32,
            );
        }
    }
    for line in std::io::BufReader::new(std::fs::File::open(&args[1])?).lines() {
        let case: Value = serde_json::from_str(&line?)?;
        let passages: Vec<Found> = case["passages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| Found {
                source: p["source"].as_u64().unwrap() as usize,
                start: p["start"].as_u64().unwrap() as usize,
                text: p["text"].as_str().unwrap(),
                title: p["title"].as_str().unwrap(),
                score: p["score"].as_f64().unwrap() as f32,
            })
            .collect();
        let question = case["question"].as_str().unwrap();
        let candidates = Candidates::new(question, &passages);
        if args[0] == "texts" {
            writeln!(out, "{}", serde_json::json!([question, candidates.texts()]))?;
            continue;
        }
        let alike: Option<Vec<f32>> = (args.len() > 2).then(|| {
            candidates.texts().iter().map(|t| sims.get(&format!("{question}\n{t}")).copied().unwrap_or(0.0)).collect()
        });
        let answer = candidates.pick(alike.as_deref(), Options::default());
        let hit = |s: usize, a: usize, b: usize| {
            case["evidence"]
                .as_array()
                .unwrap()
                .iter()
                .any(|e| e[0] == s && (e[1].as_u64().unwrap() as usize) < b && a < e[2].as_u64().unwrap() as usize)
        };
        let has = passages.iter().any(|p| hit(p.source, p.start, p.start + p.text.chars().count()));
        let rows: Vec<_> = answer
            .sentences
            .iter()
            .map(|p| {
                let at = passages[p.passage].start;
                serde_json::json!([hit(p.source, at + p.span.start, at + p.span.end), p.score, p.quote, p.goes_on])
            })
            .collect();
        writeln!(
            out,
            "{}",
            serde_json::json!({"set": case["set"], "question": question, "retrieved": has, "confidence": answer.confidence, "answered": answer.is_answered, "rows": rows, "written": answer.write().text})
        )?;
    }
    Ok(())
}
