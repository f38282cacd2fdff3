//! CSL-JSON that is valid by its schema: only fields that it has, in one order, each of the type it has there.

use std::collections::HashSet;

use hayagriva::citationberg::taxonomy::Variable;
use serde_json::{Map, Value, json};

use super::fields::CslFields;
use crate::{
    date::{CslDate, CslDay},
    item, markup, person,
};

/// Fields that come first in the output; the others follow in the order of the specification.
const FIRST: [&str; 14] = [
    "title",
    "title-short",
    "author",
    "editor",
    "translator",
    "issued",
    "container-title",
    "volume",
    "issue",
    "page",
    "DOI",
    "URL",
    "accessed",
    "publisher",
];

pub(super) fn write(items: &[CslFields<'_>], keys: &[String]) -> String {
    let mut ids = HashSet::new();
    let mut list = Vec::with_capacity(items.len());
    for (item, key) in items.iter().zip(keys) {
        let mut id = item.id().unwrap_or_else(|| key.clone());
        if ids.contains(&id) {
            // Keys are all different.
            id = format!("{id}-{key}");
        }
        let mut number = 2;
        while !ids.insert(id.clone()) {
            id = format!("{key}-{number}");
            number += 1;
        }
        list.push(to_csl_item(item, id));
    }
    let mut out = serde_json::to_string_pretty(&list).unwrap_or_else(|_| "[]".to_owned());
    out.push('\n');
    out
}

fn to_csl_item(item: &CslFields<'_>, id: String) -> Value {
    let mut out = Map::new();
    out.insert("id".to_owned(), Value::String(id));
    out.insert("type".to_owned(), json!(item.kind));
    let key = item.raw_text("citation-key").map(Value::String);
    let rest = item::VARIABLES.split_whitespace().filter(|name| !FIRST.contains(name));
    for name in FIRST.into_iter().chain(rest) {
        if let Some(value) = field_value(item, name) {
            out.insert(name.to_owned(), value);
        }
    }
    out.extend(key.map(|key| ("citation-key".to_owned(), key)));
    Value::Object(out)
}

fn field_value(item: &CslFields<'_>, name: &str) -> Option<Value> {
    let given = item.get(name);
    match (name, item::variable_named(name)?) {
        ("DOI", _) => item.doi().map(Value::String),
        ("URL", _) => item.url().map(Value::String),
        ("keyword", _) => Some(item.keywords().join(", ")).filter(|words| !words.is_empty()).map(Value::String),
        (_, Variable::Date(_)) => item.date(name).map(|date| date_value(&date)),
        (_, Variable::Name(_)) => name_values(given?),
        (_, Variable::Number(_)) if given?.is_number() => given.cloned(),
        // Paragraphs are kept where there may be some.
        ("abstract" | "note" | "annote", _) => multiline_value(given?),
        _ => item.raw_text(name).map(Value::String),
    }
}

fn multiline_value(value: &Value) -> Option<Value> {
    let Some(text) = value.as_str() else { return value.as_number().map(|number| Value::String(number.to_string())) };
    let lines: Vec<String> = text.lines().map(|line| markup::clean_text(line).trim().to_owned()).collect();
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(Value::String(text))
}

fn date_value(date: &CslDate) -> Value {
    let Some(start) = date.start else { return json!({ "literal": date.literal }) };
    let parts = |day: CslDay| {
        let month = day.month.filter(|month| *month <= 12);
        let mut parts = vec![json!(day.year)];
        parts.extend(month.map(|month| json!(month)));
        parts.extend(day.day.map(|day| json!(day)));
        Value::Array(parts)
    };
    let mut days = vec![parts(start)];
    days.extend(date.end.map(parts));
    if date.open {
        // The schema has no other way to write a range that goes on.
        days.push(json!([0]));
    }
    let mut out = json!({ "date-parts": days });
    if let Some(season) = start.month.and_then(|month| month.checked_sub(12)).filter(|season| *season > 0) {
        out["season"] = json!(season);
    }
    if date.circa {
        out["circa"] = json!(true);
    }
    out
}

fn name_values(value: &Value) -> Option<Value> {
    let list = match value {
        Value::Array(list) => list.as_slice(),
        one @ (Value::Object(_) | Value::String(_)) => std::slice::from_ref(one),
        _ => return None,
    };
    let names: Vec<Value> = list.iter().filter_map(name_value).collect();
    (!names.is_empty()).then_some(Value::Array(names))
}

fn name_value(value: &Value) -> Option<Value> {
    let told = person::read_unmarked(value).ok().flatten()?;
    if let Some(literal) = told.literal {
        return Some(json!({ "literal": literal }));
    }
    let Value::Object(given) = value else { return Some(json!({ "family": told.family, "given": told.given })) };
    // As it was written: what its particles are is for the reader to tell.
    let mut out = Map::new();
    for part in ["family", "given", "dropping-particle", "non-dropping-particle", "suffix"] {
        let text = given.get(part).and_then(Value::as_str).map(markup::clean_text).filter(|text| !text.is_empty());
        out.extend(text.map(|text| (part.to_owned(), Value::String(text))));
    }
    for part in ["comma-suffix", "static-ordering", "parse-names"] {
        let truth = given.get(part).filter(|value| value.is_boolean());
        out.extend(truth.map(|truth| (part.to_owned(), truth.clone())));
    }
    Some(Value::Object(out))
}
