//! CSL-JSON, as Zotero, Pandoc and Crossref write it.

use std::fmt;

use ibid_domain::{Name, PartialDate, Reference};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{ImportError, ImportedReferences, MOST_ENTRIES, ReferenceEntry, fields, markup, names};

/// Reads a list of items, an object that has one, or a single item. What was read before a mistake is kept.
pub(super) fn read(text: &str) -> Result<ImportedReferences, ImportError> {
    let mut done = ImportedReferences::default();
    let mut json = serde_json::Deserializer::from_str(text);
    let result = CslItems { done: &mut done }.deserialize(&mut json).and_then(|()| json.end());
    if let Err(error) = result {
        if done.entries.len() >= MOST_ENTRIES {
            return Err(ImportError::TooMany);
        }
        if done.entries.is_empty() {
            return Err(ImportError::Damaged { format: "CSL-JSON", detail: error.to_string() });
        }
        done.add_problem(error.line(), None, format!("the rest of the file cannot be read: {error}"));
    }
    Ok(done)
}

/// Takes the items one by one, so that a large file is never held as a whole.
struct CslItems<'d> {
    done: &'d mut ImportedReferences,
}

impl<'de> DeserializeSeed<'de> for CslItems<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CslItems<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of bibliography items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(item) = seq.next_element::<Value>()? {
            add_item(self.done, &item).map_err(A::Error::custom)?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut item = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value::<Value>()?;
            match (name.as_str(), value) {
                // Lists go by these names; an item has none of them as a list of objects.
                ("items" | "references" | "message", Value::Array(items)) if items.iter().all(Value::is_object) => {
                    for item in &items {
                        add_item(self.done, item).map_err(A::Error::custom)?;
                    }
                }
                ("message", item @ Value::Object(_)) => add_item(self.done, &item).map_err(A::Error::custom)?,
                (_, value) => {
                    item.insert(name, value);
                }
            }
        }
        if self.done.entries.is_empty() {
            add_item(self.done, &Value::Object(item)).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

fn add_item(done: &mut ImportedReferences, item: &Value) -> Result<(), ImportError> {
    let Some(item) = item.as_object() else {
        done.add_problem(0, None, "an item is not an object, and was left out");
        return Ok(());
    };
    let entry = build_entry(item);
    // The type alone says nothing.
    if entry.reference == (Reference { genre: entry.reference.genre.clone(), ..Reference::default() })
        && entry.url.is_none()
    {
        done.add_problem(0, entry.key.as_deref(), "an item has no field that could be read, and was left out");
        return Ok(());
    }
    done.add_entry(entry)
}

fn build_entry(item: &Map<String, Value>) -> ReferenceEntry {
    let text = |names: &[&str]| names.iter().find_map(|name| markup::non_empty_text(&value_text(item.get(*name)?)?));
    let people = |name: &str| -> Vec<Name> {
        item.get(name)
            .and_then(Value::as_array)
            .map(|list| list.iter().filter_map(parse_person).collect())
            .unwrap_or_default()
    };
    let date = |names: &[&str]| names.iter().find_map(|name| date_of(item.get(*name)?));
    let mut tags = Vec::new();
    match item.get("keyword").or_else(|| item.get("categories")).or_else(|| item.get("tags")) {
        Some(Value::Array(list)) => {
            for value in list {
                let tag = value.get("tag").and_then(Value::as_str).or(value.as_str()).unwrap_or_default();
                fields::add_keywords(&tag.replace([',', ';'], " "), &mut tags);
            }
        }
        Some(value) => fields::add_keywords(&value_text(value).unwrap_or_default(), &mut tags),
        None => {}
    }
    let url = text(&["URL", "url"]).and_then(|url| fields::parse_url(&url));
    let kind = text(&["type"]).unwrap_or_default();
    ReferenceEntry {
        key: text(&["citation-key", "id", "citation-label"]),
        accessed: date(&["accessed"]),
        reference: Reference {
            authors: people("author"),
            editors: people("editor"),
            publication_date: date(&["issued", "published", "published-print", "published-online"]),
            title: text(&["title"]),
            genre: Some(csl_type(&kind)).filter(|genre| !genre.is_empty()),
            container: text(&["container-title", "event-title"]),
            publisher: text(&["publisher"]),
            publisher_place: text(&["publisher-place"]),
            volume: text(&["volume"]),
            issue: text(&["issue"]),
            pages: text(&["page", "article-number"]).and_then(|pages| fields::parse_pages(&pages)),
            edition: text(&["edition"]),
            doi: text(&["DOI", "doi"])
                .and_then(|doi| fields::parse_doi(&doi))
                .or_else(|| url.as_deref().filter(|url| url.contains("doi.org/")).and_then(fields::parse_doi)),
            isbn: text(&["ISBN"]).and_then(|isbn| fields::parse_isbn(&isbn)),
            issn: text(&["ISSN"]).and_then(|issn| fields::parse_issn(&issn)),
            language: text(&["language"]).and_then(|language| fields::parse_language(&language)),
            summary: text(&["abstract"]),
            note: text(&["note", "annote"]),
        },
        url,
        kind,
        tags,
        line: 0,
    }
}

/// The type in the words of CSL 1.0.2; Crossref has its own.
fn csl_type(kind: &str) -> String {
    match kind {
        "journal-article" => "article-journal",
        "book-chapter" | "book-section" => "chapter",
        "proceedings-article" => "paper-conference",
        "posted-content" => "article",
        "monograph" | "edited-book" | "reference-book" => "book",
        "dissertation" => "thesis",
        other => other,
    }
    .to_owned()
}

/// A value as text: numbers count, and of a list (Crossref's titles) the first.
fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(list) => list.first().filter(|first| !first.is_array()).and_then(value_text),
        _ => None,
    }
}

fn parse_person(value: &Value) -> Option<Name> {
    if let Some(name) = value.as_str() {
        return names::of_line(name);
    }
    let part = |name: &str| value.get(name).and_then(value_text).unwrap_or_default();
    let literal = [part("literal"), part("name")].into_iter().find(|name| !name.is_empty());
    if let Some(literal) = literal {
        return names::literal_name(&literal);
    }
    let particles = format!("{} {}", part("dropping-particle"), part("non-dropping-particle"));
    names::name_from_parts(&format!("{particles} {}", part("family")), &part("given"), &part("suffix"))
}

fn date_of(value: &Value) -> Option<PartialDate> {
    if let Some(text) = value_text(value) {
        return fields::parse_date(&text);
    }
    let parts =
        value.get("date-parts").and_then(Value::as_array).and_then(|dates| dates.first()).and_then(Value::as_array);
    if let Some(parts) = parts {
        // Some programs write the numbers as text.
        let number = |at: usize| parts.get(at).and_then(value_text).and_then(|text| text.trim().parse::<i16>().ok());
        let small = |at: usize| number(at).and_then(|number| i8::try_from(number).ok());
        if let Some(date) = number(0).and_then(|year| fields::date_from_parts(year, small(1), small(2))) {
            return Some(date);
        }
    }
    ["raw", "literal"].iter().find_map(|name| fields::parse_date(value.get(*name)?.as_str()?))
}
