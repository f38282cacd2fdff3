//! Reading what was sent, with errors that say where something is wrong.

use ibid_domain::{Code, JsonObject, Problem, Sha256, problem::shorten_for_error};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};

/// Reads JSON, and says where in it something is wrong.
pub(crate) fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    // Keeping track of where one is takes longer than reading: it is done for what turns out to be wrong.
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Ok(value);
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        if inner.is_data() {
            let problem = Problem::new(Code::InvalidField, format!("{}: {inner}", shorten_for_error(&path)));
            return if path == "." { problem } else { problem.with_field(shorten_for_error(&path)) };
        }
        Problem::new(Code::InvalidJson, format!("the body is not valid JSON: {inner}"))
    })?;
    deserializer
        .end()
        .map_err(|error| Problem::new(Code::InvalidJson, format!("the body is not valid JSON: {error}")))?;
    Ok(value)
}

/// A hash in a field of the body.
pub(crate) fn hash_in_field(text: &str, field: &str) -> Result<Sha256, Problem> {
    text.parse().map_err(|problem: Problem| problem.with_field(field))
}

/// The largest object of free-form facts, in bytes.
const MAX_FACTS: usize = 64 * 1024;

/// Checks free-form facts: what one engine would refuse is refused for both.
pub(crate) fn check_facts(field: &str, facts: &JsonObject) -> Result<(), Problem> {
    if serde_json::to_string(facts).is_ok_and(|text| text.len() > MAX_FACTS) {
        return Err(
            Problem::new(Code::InvalidField, format!("{field} is larger than {MAX_FACTS} bytes")).with_field(field)
        );
    }
    if facts.iter().any(|(name, value)| name.contains('\0') || has_nul(value)) {
        return Err(Problem::new(Code::InvalidField, format!("{field} has a NUL character")).with_field(field));
    }
    Ok(())
}

fn has_nul(value: &serde_json::Value) -> bool {
    use serde_json::Value;
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(object) => object.iter().any(|(name, value)| name.contains('\0') || has_nul(value)),
        _ => false,
    }
}

/// Reads a field that may be `null`, which is not the same as left out.
pub(crate) fn deserialize_present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
