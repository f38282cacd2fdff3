//! Judges pairs: lines of `{"id", "a": {name, type, …}, "b": {…}}` in, lines with decision, confidence and what was seen out.

use std::io::{BufRead, Write};

use ibid_knowledge::judge::{Profile, compare, observed_signs};
use serde_json::{Value, json};

fn profile(value: &Value) -> Profile {
    let text = |field: &str| value.get(field).and_then(Value::as_str).map(str::to_owned);
    Profile {
        kind: text("type").and_then(|kind| kind.parse().ok()),
        name: text("name").unwrap_or_default(),
        aliases: Vec::new(),
        role: text("role"),
        organization: text("organization"),
        email: text("email"),
        context: text("context"),
    }
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(pair) = serde_json::from_str::<Value>(&line?) else { continue };
        let (Some(a), Some(b)) = (pair.get("a").map(profile), pair.get("b").map(profile)) else { continue };
        let judgement = compare(&a, &b);
        let (model, signs) = observed_signs(&a, &b);
        let signs: serde_json::Map<String, Value> =
            signs.into_iter().map(|(sign, far)| (sign.to_owned(), json!(far))).collect();
        let line = json!({
            "id": pair.get("id"), "decision": judgement.decision.as_str(), "confidence": judgement.confidence,
            "reason": judgement.reason, "model": model, "signs": signs,
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}
