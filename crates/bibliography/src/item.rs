//! Items of CSL-JSON, read leniently and made ready for styles.

use std::{collections::HashMap, sync::LazyLock};

use hayagriva::citationberg::taxonomy::{DateVariable, Kind, NameVariable, NumberVariable, StandardVariable, Variable};
use ibid_domain::{Code, Problem};
use serde::{Deserialize, de::IntoDeserializer, de::value::Error as NameError};
use serde_json::{Map, Value};

use crate::{
    date::{self, CslDate},
    markup,
    person::{self, CslName},
};

/// Maximum number of items in one call.
pub const MOST_ITEMS: usize = 10_000;
/// The longest text of a field, in bytes.
pub const LONGEST_TEXT: usize = 64 * 1024;
/// The most names in one field.
pub const MOST_NAMES: usize = 5_000;

/// CSL-JSON item, parsed for use by styles.
#[derive(Clone, Debug)]
pub(crate) struct CslItem {
    pub id: String,
    pub kind: Kind,
    texts: Vec<Option<String>>,
    numbers: Vec<Option<String>>,
    page: Option<String>,
    names: Vec<Vec<CslName>>,
    dates: Vec<Option<CslDate>>,
    /// The language of the item, as a tag.
    pub language: Option<String>,
}

/// The variables of CSL 1.0.2 that come from data.
pub(crate) const VARIABLES: &str = "abstract annote archive archive_collection archive_location archive-place authority call-number \
    citation-label collection-title container-title container-title-short dimensions division DOI event event-title \
    event-place genre ISBN ISSN jurisdiction keyword language license medium note original-publisher \
    original-publisher-place original-title part-title PMCID PMID publisher publisher-place references reviewed-genre \
    reviewed-title scale source status title title-short URL volume-title page chapter-number collection-number edition \
    issue number number-of-pages number-of-volumes page-first part-number printing-number section supplement-number \
    version volume accessed available-date event-date issued original-date submitted author chair collection-editor \
    compiler composer container-author contributor curator director editor editorial-director editor-translator \
    executive-producer guest host illustrator interviewer narrator organizer original-author performer producer recipient \
    reviewed-author script-writer series-creator translator";

/// The variable of a name; reading the name each time would cost more than all the rest of an item.
pub(crate) fn variable_named(name: &str) -> Option<Variable> {
    static KNOWN: LazyLock<HashMap<&'static str, Variable>> = LazyLock::new(|| {
        let read = |name: &'static str| {
            let variable = Variable::deserialize(IntoDeserializer::<NameError>::into_deserializer(name)).ok()?;
            Some((name, variable))
        };
        VARIABLES.split_whitespace().filter_map(read).collect()
    });
    KNOWN.get(name).copied()
}

fn value_at<T>(list: &[T], at: usize) -> Option<&T> {
    list.get(at)
}

fn set_at<T: Clone + Default>(list: &mut Vec<T>, at: usize, value: T) {
    if list.len() <= at {
        list.resize(at + 1, T::default());
    }
    if let Some(slot) = list.get_mut(at) {
        *slot = value;
    }
}

impl CslItem {
    pub(crate) fn text(&self, variable: StandardVariable) -> Option<&str> {
        value_at(&self.texts, variable as usize)?.as_deref()
    }

    pub(crate) fn number(&self, variable: NumberVariable) -> Option<&str> {
        if variable == NumberVariable::PageFirst {
            let first = value_at(&self.numbers, variable as usize).and_then(Option::as_deref);
            return first.or_else(|| {
                let page = self.page.as_deref()?;
                Some(page.split(['-', '–', ',', '&']).next().unwrap_or(page).trim())
            });
        }
        value_at(&self.numbers, variable as usize)?.as_deref()
    }

    pub(crate) fn page(&self) -> Option<&str> {
        self.page.as_deref()
    }

    pub(crate) fn names(&self, variable: NameVariable) -> &[CslName] {
        value_at(&self.names, variable as usize).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn date(&self, variable: DateVariable) -> Option<&CslDate> {
        value_at(&self.dates, variable as usize)?.as_ref()
    }

    /// Returns true if the variable has a value.
    pub(crate) fn has_value(&self, variable: Variable) -> bool {
        match variable {
            Variable::Standard(variable) => self.text(variable).is_some(),
            Variable::Page(_) => self.page.is_some(),
            Variable::Number(variable) => self.number(variable).is_some(),
            Variable::Date(variable) => self.date(variable).is_some(),
            Variable::Name(variable) => !self.names(variable).is_empty(),
        }
    }

    pub(crate) fn set_text(&mut self, variable: StandardVariable, value: Option<String>) {
        set_at(&mut self.texts, variable as usize, value);
    }

    pub(crate) fn set_names(&mut self, variable: NameVariable, value: Vec<CslName>) {
        set_at(&mut self.names, variable as usize, value);
    }

    pub(crate) fn set_number(&mut self, variable: NumberVariable, value: Option<String>) {
        set_at(&mut self.numbers, variable as usize, value);
    }

    /// Returns true if the item's language is English, or `otherwise` if it is unknown.
    pub(crate) fn is_english(&self, otherwise: bool) -> bool {
        match self.language.as_deref() {
            None => otherwise,
            Some(language) => {
                let language = language.to_lowercase();
                language.starts_with("en") || language == "american" || language == "british"
            }
        }
    }
}

fn invalid_field(at: usize, id: &str, field: &str, what: &str) -> Problem {
    let named =
        if id.is_empty() { String::new() } else { format!(" ('{}')", ibid_domain::problem::shorten_for_error(id)) };
    Problem::new(Code::InvalidField, format!("item {}{named}, `{field}`: {what}", at + 1))
        .with_field(format!("items[{at}].{field}"))
}

pub(crate) fn check_item_count(count: usize) -> Result<(), Problem> {
    if count > MOST_ITEMS {
        let detail = format!("there are {count} items; at most {MOST_ITEMS} are formatted at once");
        return Err(Problem::new(Code::InvalidField, detail).with_field("items"));
    }
    Ok(())
}

/// Reads one item, the `at`-th of its list.
pub(crate) fn read(at: usize, value: &Value) -> Result<CslItem, Problem> {
    let Value::Object(fields) = value else {
        return Err(invalid_field(
            at,
            "",
            "",
            "an item is an object of CSL-JSON such as {\"id\": \"a\", \"type\": \"book\", \"title\": \"…\"}",
        ));
    };
    let id = match fields.get("id").or_else(|| fields.get("citation-key")) {
        Some(Value::String(id)) if !id.is_empty() => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        None | Some(Value::Null | Value::String(_)) => format!("item-{}", at + 1),
        Some(_) => return Err(invalid_field(at, "", "id", "an id is a text or a number")),
    };
    let mut item = CslItem {
        kind: read_kind(at, &id, fields)?,
        id,
        texts: Vec::with_capacity(48),
        numbers: Vec::with_capacity(18),
        page: None,
        names: Vec::new(),
        dates: Vec::new(),
        language: None,
    };
    for (name, value) in fields {
        if matches!(name.as_str(), "id" | "type" | "citation-key" | "custom" | "categories") || value.is_null() {
            continue;
        }
        read_field(&mut item, at, name, value)?;
    }
    item.language = item.text(StandardVariable::Language).map(str::to_owned);
    crate::corrections::correct_item(&mut item);
    Ok(item)
}

/// The name that CSL 1.0.2 has for a field that programs also give other names.
pub(crate) fn current_field_name(name: &str) -> &str {
    match name {
        "shortTitle" => "title-short",
        "journalAbbreviation" => "container-title-short",
        "archive_place" => "archive-place",
        "editortranslator" => "editor-translator",
        "doi" => "DOI",
        "url" => "URL",
        "isbn" => "ISBN",
        "issn" => "ISSN",
        name => name,
    }
}

fn read_field(item: &mut CslItem, at: usize, name: &str, value: &Value) -> Result<(), Problem> {
    let name = current_field_name(name);
    let text = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        // Crossref's titles are lists of one.
        Value::Array(list) if list.iter().all(Value::is_string) => {
            Ok(list.first().and_then(Value::as_str).unwrap_or_default().to_owned())
        }
        _ => Err(invalid_field(at, &item.id, name, "its value is a text or a number")),
    };
    let bounded = |text: String| {
        if text.len() > LONGEST_TEXT {
            let what = format!("its text has {} bytes; at most {LONGEST_TEXT} are taken", text.len());
            return Err(invalid_field(at, &item.id, name, &what));
        }
        Ok(text)
    };
    let filled = |text: String| Some(text).filter(|text| !text.is_empty());
    match variable_named(name) {
        None => {}
        Some(Variable::Standard(of)) => {
            let raw = bounded(text(value)?)?;
            let made = match of {
                StandardVariable::URL | StandardVariable::DOI => markup::clean_text(&raw),
                _ => markup::from_data(&raw),
            };
            item.set_text(of, filled(made));
        }
        Some(Variable::Page(_)) => item.page = filled(markup::from_data(&bounded(text(value)?)?)),
        Some(Variable::Number(of)) => {
            let made = markup::from_data(&bounded(text(value)?)?);
            item.set_number(of, filled(made));
        }
        Some(Variable::Date(of)) => {
            let found = date::read(value).map_err(|what| invalid_field(at, &item.id, name, what))?;
            set_at(&mut item.dates, of as usize, found);
        }
        Some(Variable::Name(of)) => {
            let found = read_people(at, &item.id, name, value)?;
            set_at(&mut item.names, of as usize, found);
        }
    }
    Ok(())
}

fn read_people(at: usize, id: &str, name: &str, value: &Value) -> Result<Vec<CslName>, Problem> {
    const RIGHT: &str = "names are a list of objects such as [{\"family\": \"Curie\", \"given\": \"Marie\"}]";
    let list = match value {
        Value::Array(list) => list.as_slice(),
        one @ (Value::Object(_) | Value::String(_)) => std::slice::from_ref(one),
        _ => return Err(invalid_field(at, id, name, RIGHT)),
    };
    if list.len() > MOST_NAMES {
        let what = format!("it has {} names; at most {MOST_NAMES} are taken", list.len());
        return Err(invalid_field(at, id, name, &what));
    }
    let mut found = Vec::with_capacity(list.len());
    for (which, one) in list.iter().enumerate() {
        found.extend(person::read(one).map_err(|what| invalid_field(at, id, &format!("{name}[{which}]"), what))?);
    }
    if found.iter().any(CslName::is_long) {
        let what = format!("a name is longer than {LONGEST_TEXT} bytes");
        return Err(invalid_field(at, id, name, &what));
    }
    Ok(found)
}

/// The type in the words of CSL 1.0.2; Crossref's and BibTeX's are understood too.
fn read_kind(at: usize, id: &str, fields: &Map<String, Value>) -> Result<Kind, Problem> {
    match fields.get("type") {
        None | Some(Value::Null) => Ok(Kind::Document),
        Some(Value::String(name)) => Ok(kind_named(name.trim())),
        Some(_) => Err(invalid_field(at, id, "type", "a type is a word such as `book` or `article-journal`")),
    }
}

/// The type of a name; one that nobody knows is a document, as processors treat it.
pub(crate) fn kind_named(name: &str) -> Kind {
    let name = match name {
        "" => "document",
        "journal-article" | "journalArticle" => "article-journal",
        "book-chapter" | "book-section" | "bookSection" | "incollection" | "inbook" => "chapter",
        "proceedings-article" | "inproceedings" | "conferencePaper" => "paper-conference",
        "posted-content" | "preprint" => "article",
        "monograph" | "edited-book" | "reference-book" => "book",
        "dissertation" | "phdthesis" | "mastersthesis" => "thesis",
        "web_page" | "website" | "web-page" => "webpage",
        "blog-post" | "blogPost" => "post-weblog",
        "video" | "film" | "motion-picture" => "motion_picture",
        "email" | "e-mail" | "personal-communication" | "letter" => "personal_communication",
        "newspaper-article" | "newspaperArticle" => "article-newspaper",
        "magazine-article" | "magazineArticle" => "article-magazine",
        "legal-case" => "legal_case",
        "musical-score" => "musical_score",
        "computer-program" | "computerProgram" => "software",
        "podcast" => "broadcast",
        "misc" | "other" | "unpublished" => "document",
        "techreport" => "report",
        name => name,
    };
    name.parse().unwrap_or(Kind::Document)
}
