//! The citations of a whole document in their order, and its bibliography.

use std::collections::{HashMap, HashSet};

use hayagriva::citationberg::{Citation as Element, Collapse, taxonomy::Locator};
use ibid_domain::{Code, Problem};
use serde_json::Value;

use crate::{
    disambiguation::Disambiguation,
    formatter::{FormattedEntry, Formatter, ItemRegistry, names_of},
    item::LONGEST_TEXT,
    markup::{self, OutputFormat},
    render::{CiteContext, CitePosition},
    sort,
    style::StyleKind,
};

/// The most citations of a document.
pub const MOST_CITATIONS: usize = 100_000;
/// The most items in one citation.
pub const MOST_CITED: usize = 1_000;

/// One item within a citation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CitedItem {
    /// Id of the cited item in the list of items.
    pub id: String,
    /// Place in the item, such as `12` or `12-15`.
    pub locator: Option<String>,
    /// CSL locator type such as `page` or `chapter`; `None` means pages.
    pub label: Option<String>,
    /// Words of the writer before the cite.
    pub prefix: Option<String>,
    /// Words of the writer after the cite.
    pub suffix: Option<String>,
    pub mode: CiteMode,
}

/// Part of a citation that is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CiteMode {
    #[default]
    Whole,
    /// Without the names, which stand in the sentence already.
    SuppressAuthor,
    /// The names alone, to stand in the sentence.
    AuthorOnly,
}

/// A citation: one or more items at one place, in a note or in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CslCitation {
    /// Cited items, in the order of the writer.
    pub items: Vec<CitedItem>,
    /// The number of the note it stands in.
    pub note_number: Option<usize>,
}

/// All citations of a document, in their order, and its bibliography.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormattedDocument {
    /// The texts of the citations.
    pub citations: Vec<String>,
    /// The entries of all items that are cited, in the style's order.
    pub bibliography: Vec<FormattedEntry>,
}

/// An item of a citation on its way.
struct CitePart<'c> {
    at: usize,
    cited: &'c CitedItem,
    locator: Option<(Locator, String)>,
    position: CitePosition,
    near_note: bool,
    first_note: Option<usize>,
    text: String,
}

impl Formatter {
    /// Formats the citations of a document in their order, with short forms and `ibid.` where the style has them, and the
    /// bibliography of what is cited.
    pub fn format_document(
        &self,
        items: &[Value],
        citations: &[CslCitation],
        output: OutputFormat,
    ) -> Result<FormattedDocument, Problem> {
        check_citations(citations)?;
        let wanted: HashSet<&str> =
            citations.iter().flat_map(|citation| &citation.items).map(|item| item.id.as_str()).collect();
        let id = |at: usize, item: &Value| match item.get("id") {
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::String(id)) if !id.is_empty() => id.clone(),
            _ => format!("item-{}", at + 1),
        };
        let mut by_id: HashMap<String, &Value> = HashMap::new();
        for (at, item) in items.iter().enumerate() {
            by_id.entry(id(at, item)).or_insert(item);
        }
        // Items are registered as they are cited, which is how they are numbered where the style does not sort.
        let mut cited: Vec<Value> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (which, item) in citations.iter().flat_map(|citation| &citation.items).enumerate() {
            if places.contains_key(item.id.as_str()) {
                continue;
            }
            let Some(found) = by_id.get(&item.id) else {
                let detail = format!(
                    "'{}' is cited, and no item has this id",
                    ibid_domain::problem::shorten_for_error(&item.id)
                );
                return Err(Problem::new(Code::InvalidField, detail).with_field("citations").with_fact("cited", which));
            };
            places.insert(&item.id, cited.len());
            let mut found = (*found).clone();
            if found.get("id").is_none_or(|id| !id.is_string())
                && let Some(fields) = found.as_object_mut()
            {
                fields.insert("id".to_owned(), Value::String(item.id.clone()));
            }
            cited.push(found);
        }
        debug_assert!(wanted.len() == cited.len());
        let registry = self.register_items(&cited)?;
        let texts = self.render_citations(&registry, &places, citations);
        let write = |text: &str| markup::write(text, output, &self.language.quotes);
        let bibliography = self.bibliography_entries(&registry, true);
        Ok(FormattedDocument {
            citations: texts.iter().map(|text| write(text)).collect(),
            bibliography: bibliography
                .into_iter()
                .filter(|(_, text)| !markup::is_blank(text))
                .filter_map(|(at, text)| {
                    Some(FormattedEntry { id: registry.items.get(at)?.item.id.clone(), text: write(&text) })
                })
                .collect(),
        })
    }

    fn render_citations(
        &self,
        registry: &ItemRegistry,
        places: &HashMap<&str, usize>,
        citations: &[CslCitation],
    ) -> Vec<String> {
        let near = usize::try_from(self.style.csl.citation.near_note_distance).unwrap_or(5);
        let mut out = Vec::with_capacity(citations.len());
        // For each item: the note it was first cited in, and the last.
        let mut first: HashMap<usize, Option<usize>> = HashMap::new();
        let mut last: HashMap<usize, Option<usize>> = HashMap::new();
        // What the citation before cites, if that is one item alone.
        let mut before: Option<(usize, Option<(Locator, String)>)> = None;
        for citation in citations {
            let mut parts: Vec<CitePart<'_>> = Vec::with_capacity(citation.items.len());
            for cited in &citation.items {
                let Some(at) = places.get(cited.id.as_str()).copied() else { continue };
                let locator = parse_locator(cited);
                let follows = match parts.last() {
                    Some(part) => Some((part.at, part.locator.clone())),
                    None => before.clone(),
                };
                let position = match (first.contains_key(&at), follows) {
                    (false, _) => CitePosition::First,
                    (true, Some((same, said))) if same == at => match (said, &locator) {
                        (Some(said), Some(now)) if said == *now => CitePosition::Ibid,
                        (_, Some(_)) => CitePosition::IbidWithLocator,
                        (None, None) => CitePosition::Ibid,
                        (Some(_), None) => CitePosition::Subsequent,
                    },
                    _ => CitePosition::Subsequent,
                };
                let distance = citation.note_number.zip(last.get(&at).copied().flatten());
                parts.push(CitePart {
                    at,
                    cited,
                    near_note: position > CitePosition::First
                        && distance.is_none_or(|(now, then)| now.saturating_sub(then) <= near),
                    first_note: first.get(&at).copied().flatten(),
                    locator,
                    position,
                    text: String::new(),
                });
                first.entry(at).or_insert(citation.note_number);
                last.insert(at, citation.note_number);
            }
            before = match parts.as_slice() {
                [one] => Some((one.at, one.locator.clone())),
                _ => None,
            };
            out.push(self.render_citation(registry, parts));
        }
        out
    }

    /// One item cited by itself for the first time.
    pub(crate) fn citation_alone(&self, registry: &ItemRegistry, at: usize) -> String {
        let cited = CitedItem::default();
        let part = CitePart {
            at,
            cited: &cited,
            locator: None,
            position: CitePosition::First,
            near_note: false,
            first_note: None,
            text: String::new(),
        };
        self.render_citation(registry, vec![part])
    }

    fn cite_context<'a>(&self, registry: &'a ItemRegistry, part: &'a CitePart<'_>) -> CiteContext<'a> {
        static PLAIN: std::sync::LazyLock<Disambiguation> = std::sync::LazyLock::new(Disambiguation::default);
        let told = registry.told.get(part.at).unwrap_or(&PLAIN);
        CiteContext {
            position: part.position,
            near_note: part.near_note,
            locator: part.locator.as_ref().map(|(kind, text)| (*kind, text.as_str())),
            number: registry.numbers.get(part.at).copied(),
            first_note: part.first_note,
            year_suffix: told.year_suffix.as_deref(),
            disambiguate: told.disambiguate,
            names: Some(&told.names),
            suppress_author: part.cited.mode == CiteMode::SuppressAuthor,
            ..CiteContext::default()
        }
    }

    fn render_cite(
        &self,
        registry: &ItemRegistry,
        part: &CitePart<'_>,
        change: impl Fn(&mut CiteContext<'_>),
    ) -> String {
        let Some(known) = registry.items.get(part.at) else { return String::new() };
        let mut cite = self.cite_context(registry, part);
        change(&mut cite);
        let mut renderer = self.renderer(&known.item, cite);
        renderer.render_elements(&self.style.csl.citation.layout.elements, "").text
    }

    fn render_citation(&self, registry: &ItemRegistry, mut parts: Vec<CitePart<'_>>) -> String {
        let element = &self.style.csl.citation;
        if let Some(sort) = element.sort.as_ref().filter(|_| parts.len() > 1) {
            let keyed: Vec<_> = parts
                .into_iter()
                .map(|part| {
                    let keys = registry.items.get(part.at).map(|known| {
                        let cite =
                            CiteContext { number: registry.numbers.get(part.at).copied(), ..CiteContext::default() };
                        sort::item_sort_keys(
                            &self.order,
                            &self.style,
                            &self.language,
                            &self.cite_options,
                            sort,
                            &known.item,
                            cite,
                        )
                    });
                    (keys.unwrap_or_default(), part)
                })
                .collect();
            let mut keyed = keyed;
            keyed.sort_by(|(a, _), (b, _)| sort::compare_keys(a, b));
            parts = keyed.into_iter().map(|(_, part)| part).collect();
        }
        for at in 0..parts.len() {
            let Some(part) = parts.get(at) else { continue };
            let text = self.render_cite(registry, part, |_| {});
            if let Some(part) = parts.get_mut(at) {
                part.text = match part.cited.mode {
                    CiteMode::AuthorOnly => names_of(&text).map(str::to_owned).unwrap_or(text),
                    _ => text,
                };
            }
        }
        let names_only = !parts.is_empty() && parts.iter().all(|part| part.cited.mode == CiteMode::AuthorOnly);
        let joined = self.join_cites(registry, element, parts);
        if names_only {
            return joined;
        }
        self.apply_layout(&element.layout, joined)
    }

    /// The cites of one citation one behind the other, collapsed as the style says.
    fn join_cites(&self, registry: &ItemRegistry, element: &Element, mut parts: Vec<CitePart<'_>>) -> String {
        let inside = self.language.punctuation_in_quote;
        let delimiter = element.layout.delimiter.as_deref().unwrap_or_default();
        let after = element.after_collapse_delimiter.as_deref().unwrap_or(delimiter);
        let grouped = element.cite_group_delimiter.is_some()
            || matches!(element.collapse, Some(Collapse::Year | Collapse::YearSuffix | Collapse::YearSuffixRanged));
        if grouped {
            parts = group_same_names(parts);
        }
        let by_number = element.collapse == Some(Collapse::CitationNumber) && self.style.kind == StyleKind::Numeric;
        let number = |part: &CitePart<'_>| registry.numbers.get(part.at).copied().unwrap_or_default();
        let plain =
            |part: &CitePart<'_>| part.locator.is_none() && part.cited.prefix.is_none() && part.cited.suffix.is_none();
        let mut out = String::new();
        let mut at = 0;
        let mut collapsed = false;
        while let Some(part) = parts.get(at) {
            let before = at.checked_sub(1).and_then(|before| parts.get(before));
            if by_number {
                // Three or more numbers in a row are a range.
                let mut end = at;
                while let (Some(now), Some(next)) = (parts.get(end), parts.get(end + 1)) {
                    if !plain(now) || !plain(next) || number(next) != number(now) + 1 {
                        break;
                    }
                    end += 1;
                }
                if !out.is_empty() {
                    markup::push(&mut out, if collapsed { after } else { delimiter }, inside);
                }
                markup::push(&mut out, &with_affixes(part, &part.text, inside), inside);
                collapsed = end >= at + 2;
                if collapsed && let Some(last) = parts.get(end) {
                    out.push('–');
                    out.push_str(&last.text);
                    at = end;
                }
                at += 1;
                continue;
            }
            let same = grouped
                && before.is_some_and(|before| {
                    names_of(&before.text).is_some() && names_of(&before.text) == names_of(&part.text)
                });
            let inner = element.cite_group_delimiter.as_deref().unwrap_or(", ");
            let (text, between) = match element.collapse {
                Some(Collapse::Year | Collapse::YearSuffix | Collapse::YearSuffixRanged)
                    if same && part.cited.mode == CiteMode::Whole =>
                {
                    collapsed = true;
                    let short = self.render_cite(registry, part, |cite| cite.suppress_author = true);
                    let year = |part: &CitePart<'_>| {
                        self.render_cite(registry, part, |cite| (cite.suppress_author, cite.year_suffix) = (true, None))
                    };
                    let suffix = registry.told.get(part.at).and_then(|told| told.year_suffix.clone());
                    let same_year = before
                        .is_some_and(|before| markup::visible_text(&year(before)) == markup::visible_text(&year(part)));
                    match suffix {
                        Some(suffix)
                            if element.collapse != Some(Collapse::Year) && same_year && part.locator.is_none() =>
                        {
                            (suffix, element.year_suffix_delimiter.as_deref().unwrap_or(delimiter))
                        }
                        _ => (short, inner),
                    }
                }
                _ if same => (part.text.clone(), inner),
                _ => {
                    let between = if collapsed { after } else { delimiter };
                    collapsed = false;
                    (part.text.clone(), between)
                }
            };
            if !out.is_empty() {
                markup::push(&mut out, between, inside);
            }
            markup::push(&mut out, &with_affixes(part, &text, inside), inside);
            at += 1;
        }
        out
    }
}

/// Cites with the same names stand together, where the first of them stands.
fn group_same_names(parts: Vec<CitePart<'_>>) -> Vec<CitePart<'_>> {
    let mut groups: Vec<(Option<String>, Vec<CitePart<'_>>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for part in parts {
        let names = names_of(&part.text).map(str::to_owned).filter(|_| part.cited.prefix.is_none());
        let place = names.as_ref().and_then(|names| places.get(names).copied());
        match place.and_then(|place| groups.get_mut(place)) {
            Some((_, group)) => group.push(part),
            None => {
                if let Some(names) = &names {
                    places.insert(names.clone(), groups.len());
                }
                groups.push((names, vec![part]));
            }
        }
    }
    groups.into_iter().flat_map(|(_, group)| group).collect()
}

/// Adds the writer's prefix and suffix to a cite, with a space where one is missing.
fn with_affixes(part: &CitePart<'_>, text: &str, inside: bool) -> String {
    let mut out = String::new();
    if let Some(prefix) = part.cited.prefix.as_deref().map(markup::from_data).filter(|prefix| !prefix.is_empty()) {
        out.push_str(&prefix);
        if !prefix.ends_with([' ', '(', '[', '“']) {
            out.push(' ');
        }
    }
    markup::push(&mut out, text, inside);
    if let Some(suffix) = part.cited.suffix.as_deref().map(markup::from_data).filter(|suffix| !suffix.is_empty()) {
        if suffix.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '(' | '[')) {
            out.push(' ');
        }
        markup::push(&mut out, &suffix, inside);
    }
    out
}

fn parse_locator(cited: &CitedItem) -> Option<(Locator, String)> {
    let text = markup::from_data(cited.locator.as_deref()?);
    if text.is_empty() {
        return None;
    }
    let kind = cited.label.as_deref().map_or(Locator::Page, |label| label.parse().unwrap_or(Locator::Custom));
    Some((kind, text))
}

fn check_citations(citations: &[CslCitation]) -> Result<(), Problem> {
    let wrong = |detail: String| Err(Problem::new(Code::InvalidField, detail).with_field("citations"));
    if citations.len() > MOST_CITATIONS {
        return wrong(format!(
            "there are {} citations; at most {MOST_CITATIONS} are formatted at once",
            citations.len()
        ));
    }
    for (at, citation) in citations.iter().enumerate() {
        if citation.items.len() > MOST_CITED {
            return wrong(format!(
                "citation {} has {} items; at most {MOST_CITED} are taken",
                at + 1,
                citation.items.len()
            ));
        }
        for item in &citation.items {
            let texts = [&item.locator, &item.label, &item.prefix, &item.suffix];
            if texts.into_iter().flatten().any(|text| text.len() > LONGEST_TEXT) {
                return wrong(format!("citation {} has a text of more than {LONGEST_TEXT} bytes", at + 1));
            }
            if let Some(label) = item.label.as_deref().filter(|label| label.parse::<Locator>().is_err()) {
                return wrong(format!(
                    "citation {}: '{}' is not what a locator counts; it is `page`, `chapter`, `section`, `paragraph`, `volume`, \
                     `figure`, `note`, `timestamp` or another locator of CSL",
                    at + 1,
                    ibid_domain::problem::shorten_for_error(label)
                ));
            }
        }
    }
    Ok(())
}
