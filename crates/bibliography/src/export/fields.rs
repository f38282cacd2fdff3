//! The fields of an item, read leniently: what is not as it should be is as if it were not there.

use hayagriva::citationberg::taxonomy::Kind;
use serde_json::Value;

use crate::{
    corrections::bare_doi,
    date::{self, CslDate, CslDay},
    item, markup,
    person::{self, CslName},
};

/// Roles used in place of a missing author; the first one present counts.
const CREATORS: [&str; 11] = [
    "director",
    "composer",
    "performer",
    "script-writer",
    "series-creator",
    "host",
    "producer",
    "executive-producer",
    "organizer",
    "curator",
    "chair",
];

/// Fields of a CSL-JSON item before any styling.
pub(super) struct CslFields<'v> {
    pub(super) kind: Kind,
    /// Those that CSL knows, each once, by the names of CSL 1.0.2.
    known: Vec<(&'v str, &'v Value)>,
}

impl<'v> CslFields<'v> {
    pub(super) fn from_value(value: &'v Value) -> Option<Self> {
        let fields = value.as_object()?;
        let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
        let mut known: Vec<(&str, &Value)> = Vec::new();
        for (name, value) in fields {
            let name = match item::current_field_name(name) {
                "event" => "event-title",
                name => name,
            };
            let has_place = matches!(name, "id" | "citation-key") || item::variable_named(name).is_some();
            if has_place && !value.is_null() && !known.iter().any(|(there, _)| *there == name) {
                known.push((name, value));
            }
        }
        Some(Self { kind: item::kind_named(kind.trim()), known })
    }

    pub(super) fn get(&self, name: &str) -> Option<&'v Value> {
        self.known.iter().find(|(there, _)| *there == name).map(|(_, value)| *value)
    }

    /// The text on one line, its markup as it was written.
    pub(super) fn raw_text(&self, name: &str) -> Option<String> {
        let text = markup::clean_text(&value_text(self.get(name)?)?);
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// The text with its markup made into marks.
    pub(super) fn marked_text(&self, name: &str) -> Option<String> {
        self.raw_text(name).map(|text| markup::tags_to_marks(&text)).filter(|text| !markup::is_blank(text))
    }

    /// Returns the text of a field without markup.
    pub(super) fn plain_text(&self, name: &str) -> Option<String> {
        let text = markup::visible_text(&self.marked_text(name)?);
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Returns the id as text; CSL-JSON also allows numbers.
    pub(super) fn id(&self) -> Option<String> {
        self.raw_text("id")
    }

    pub(super) fn doi(&self) -> Option<String> {
        match self.raw_text("DOI") {
            Some(doi) => Some(bare_doi(&doi).unwrap_or(doi)),
            None => bare_doi(&self.raw_text("URL").filter(|url| url.contains("doi.org/10."))?),
        }
    }

    /// The address, if it leads to a page or a file: a program opens it with one click.
    pub(super) fn url(&self) -> Option<String> {
        let url = self.raw_text("URL")?;
        let begins = |start: &str| url.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
        ["https://", "http://", "ftp://", "www."].into_iter().any(begins).then_some(url)
    }

    /// The number of a preprint on arXiv.
    pub(super) fn arxiv_id(&self) -> Option<String> {
        let of_number = || Some(self.raw_text("number")?.strip_prefix("arXiv:")?.trim().to_owned());
        let of_doi = || {
            let doi = self.doi()?;
            let head = "10.48550/arxiv.";
            doi.get(..head.len())?.eq_ignore_ascii_case(head).then(|| doi[head.len()..].to_owned())
        };
        let of_url = || {
            let url = self.url()?;
            let (_, rest) = url.split_once("://arxiv.org/").or_else(|| url.split_once("://www.arxiv.org/"))?;
            let rest = rest.strip_prefix("abs/").or_else(|| rest.strip_prefix("pdf/"))?;
            Some(rest.trim_end_matches(".pdf").to_owned())
        };
        let fits = |number: &String| {
            number.bytes().any(|byte| byte.is_ascii_digit())
                && number.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/' | b'-'))
        };
        of_number().filter(fits).or_else(|| of_doi().filter(fits)).or_else(|| of_url().filter(fits))
    }

    pub(super) fn keywords(&self) -> Vec<String> {
        let whole = match self.get("keyword") {
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
            Some(value) => value_text(value).unwrap_or_default(),
            None => String::new(),
        };
        let clean =
            whole.split([',', ';']).map(|word| markup::visible_text(&markup::clean_text(word)).trim().to_owned());
        clean.filter(|word| !word.is_empty()).collect()
    }

    pub(super) fn people(&self, name: &str) -> Vec<CslName> {
        let list = match self.get(name) {
            Some(Value::Array(list)) => list.as_slice(),
            Some(one @ (Value::Object(_) | Value::String(_))) => std::slice::from_ref(one),
            _ => &[],
        };
        list.iter()
            .filter_map(|one| person::read_unmarked(one).ok().flatten())
            .filter(|person| !is_empty_name(person))
            .collect()
    }

    /// The authors, or whoever made it where the item has neither authors nor editors.
    pub(super) fn authors(&self) -> Vec<CslName> {
        let authors = self.people("author");
        if !authors.is_empty() || !self.editors().is_empty() {
            return authors;
        }
        CREATORS.iter().map(|role| self.people(role)).find(|people| !people.is_empty()).unwrap_or_default()
    }

    pub(super) fn editors(&self) -> Vec<CslName> {
        self.first_people(&["editor", "editor-translator", "editorial-director"])
    }

    pub(super) fn translators(&self) -> Vec<CslName> {
        self.first_people(&["translator", "editor-translator"])
    }

    fn first_people(&self, roles: &[&str]) -> Vec<CslName> {
        roles.iter().map(|role| self.people(role)).find(|people| !people.is_empty()).unwrap_or_default()
    }

    /// The date, as exact as the calendar has it. Words that say there is none are none.
    pub(super) fn date(&self, name: &str) -> Option<CslDate> {
        let mut date = date::read(self.get(name)?).ok().flatten()?;
        date.start = date.start.filter(|day| day.year != 0).map(drop_invalid_day);
        date.end = date.end.filter(|day| day.year != 0 && date.start.is_some()).map(drop_invalid_day);
        if date.start.is_none() {
            let says =
                |text: &String| !matches!(text.to_lowercase().as_str(), "" | "n.d." | "n. d." | "nd" | "undated");
            date.literal = date.literal.filter(says);
            date.literal.as_ref()?;
        }
        Some(date)
    }
}

/// A value as text: of a list (Crossref's titles) the first.
fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(list) => list.first().and_then(Value::as_str).map(str::to_owned),
        _ => None,
    }
}

fn is_empty_name(person: &CslName) -> bool {
    let name = person.literal.as_deref().unwrap_or(&person.family);
    !name.chars().any(|c| c.is_alphanumeric())
}

/// Without a day that its month does not have.
fn drop_invalid_day(day: CslDay) -> CslDay {
    let length = match day.month {
        Some(2) if day.year % 4 == 0 && (day.year % 100 != 0 || day.year % 400 == 0) => 29,
        Some(2) => 28,
        Some(4 | 6 | 9 | 11) => 30,
        _ => 31,
    };
    CslDay { day: day.day.filter(|number| *number <= length), ..day }
}
