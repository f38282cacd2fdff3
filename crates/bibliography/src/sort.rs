//! The order of entries and of citations within one another.

use std::cmp::Ordering;

use hayagriva::citationberg::{
    InheritableNameOptions, Sort, SortDirection, SortKey,
    taxonomy::{NumberVariable, Variable},
};
use icu_collator::{Collator, CollatorBorrowed, options::CollatorOptions};

use crate::{
    item::CslItem,
    locale::CslLanguage,
    markup, number,
    render::{CiteContext, Renderer, sort_key},
    style::CslStyle,
};

/// The order of words in a language.
pub(crate) struct WordCollator(Option<CollatorBorrowed<'static>>);

impl WordCollator {
    pub(crate) fn new(tag: &str) -> Self {
        let locale: Option<icu_locale::Locale> = tag.parse().ok();
        Self(locale.and_then(|locale| Collator::try_new(locale.into(), CollatorOptions::default()).ok()))
    }

    /// Bytes that sort as the words do.
    fn sort_bytes(&self, words: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(words.len() * 2);
        let written = self.0.as_ref().is_some_and(|collator| collator.write_sort_key_to(words, &mut bytes).is_ok());
        if written { bytes } else { words.as_bytes().to_vec() }
    }
}

/// Compares by keys; what has none comes last whichever way is sorted.
pub(crate) fn compare_keys(a: &[ItemSortKey], b: &[ItemSortKey]) -> Ordering {
    for (a, b) in a.iter().zip(b) {
        let ordering = match (&a.bytes, &b.bytes) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => return Ordering::Greater,
            (Some(_), None) => return Ordering::Less,
            (Some(left), Some(right)) => left.cmp(right),
        };
        let ordering = if a.descending { ordering.reverse() } else { ordering };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    Ordering::Equal
}

/// Sort key of an item at one level of the sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ItemSortKey {
    bytes: Option<Vec<u8>>,
    descending: bool,
}

/// Returns the sort keys of an item, one per level.
pub(crate) fn item_sort_keys(
    order: &WordCollator,
    style: &CslStyle,
    language: &CslLanguage,
    options: &InheritableNameOptions,
    sort: &Sort,
    item: &CslItem,
    cite: CiteContext<'_>,
) -> Vec<ItemSortKey> {
    let one = |key: &SortKey| {
        let text = match key {
            SortKey::MacroName { name, names_min, names_use_first, names_use_last, .. } => {
                let cite =
                    CiteContext { sorting: true, sort_names: (*names_min, *names_use_first, *names_use_last), ..cite };
                let mut renderer = Renderer::new(style, language, item, options, cite);
                style.macro_named(name).map(|called| renderer.render_elements(&called.children, "").text)
            }
            SortKey::Variable { variable, .. } => variable_key(item, *variable, cite),
        };
        let text = text.map(|text| fold_for_sorting(&text)).filter(|text| !text.is_empty());
        ItemSortKey {
            bytes: text.map(|text| order.sort_bytes(&text)),
            descending: key.sort_direction() == SortDirection::Descending,
        }
    };
    sort.keys.iter().map(one).collect()
}

/// Without marks and quotation marks.
fn fold_for_sorting(text: &str) -> String {
    let bare = markup::visible_text(text);
    bare.trim_start_matches(|c: char| !c.is_alphanumeric()).trim_end().to_owned()
}

fn variable_key(item: &CslItem, variable: Variable, cite: CiteContext<'_>) -> Option<String> {
    let padded = |text: &str| match number::parse_number(text.trim()) {
        Some(number) => format!("{number:012}"),
        None => text.to_owned(),
    };
    match variable {
        Variable::Number(NumberVariable::CitationNumber) => Some(format!("{:012}", cite.number?)),
        Variable::Standard(of) => item.text(of).map(str::to_owned),
        Variable::Page(_) => item.page().map(padded),
        Variable::Number(of) => item.number(of).map(padded),
        Variable::Date(of) => item.date(of).map(|date| sort_key(date, true, true)),
        Variable::Name(of) => {
            let one = |person: &crate::person::CslName| match &person.literal {
                Some(literal) => literal.clone(),
                None => format!("{} {} {}", person.family, person.given, person.staying),
            };
            let names: Vec<String> = item.names(of).iter().map(one).collect();
            Some(names.join(" ")).filter(|names| !names.is_empty())
        }
    }
}
