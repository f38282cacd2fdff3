//! How labelled pairs are judged by their words, a line of JSON each: `support FILE`.
//!
//! A line of the file is `{"set", "claim", "passage", "label"}`. What is printed has the features in the order of the
//! weights, so that these can be fitted, besides the score and whether the pair counts as supported.

use std::{
    error::Error,
    fs::File,
    io::{BufRead, BufReader, BufWriter, Write},
};

use ibid_claims::verify::{ModelSignals, ParsedPassage, Verdict};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct LabelledPair {
    set: String,
    claim: String,
    passage: String,
    label: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: support FILE")?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in BufReader::new(File::open(path)?).lines() {
        let LabelledPair { set, claim, passage, label } = serde_json::from_str(&line?)?;
        let passage = ParsedPassage::new(passage);
        let support = passage.check_claim(&claim, &ModelSignals::default());
        let features = passage.claim_features(&claim, &ModelSignals::default()).map(|features| features.values());
        let told = json!({
            "set": set, "label": label, "score": support.score, "supported": support.verdict == Verdict::Supported,
            "features": features, "reasons": support.reasons, "verdict": support.verdict.as_str(),
            "why": support.why.iter().map(|one| json!([one.kind.as_str(), one.claim, one.source])).collect::<Vec<_>>(),
            "window": passage.window(&claim),
        });
        writeln!(out, "{told}")?;
    }
    Ok(())
}
