//! Items in one style and language: entries in their order, and what was made before kept for the next time.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use hayagriva::citationberg::{
    InheritableNameOptions, SubsequentAuthorSubstituteRule, ToFormatting, taxonomy::NameVariable,
};
use ibid_domain::{Code, Problem};
use serde_json::Value;

use crate::{
    corrections::StyleManual,
    disambiguation::{self, Disambiguation, Namesake},
    item::{self, CslItem},
    locale::CslLanguage,
    markup::{self, NAMES, NAMES_END, NUMBER, OutputFormat},
    person::CslName,
    render::{CiteContext, NameChoice, Renderer, apply_formatting},
    sort::{self, ItemSortKey, WordCollator},
    style::{CslStyle, StyleKind},
};

/// Form in which an item is formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CitationForm {
    /// Its entry in the bibliography, in the style's order.
    Bibliography,
    /// The note that cites it for the first time. A style that cites in the text has no notes of its own: there the note
    /// holds the whole entry.
    Note,
    /// Citation within the running text.
    InText,
}

/// Formatted text of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormattedEntry {
    /// Id of the item, from its CSL-JSON.
    pub id: String,
    /// Text in the requested output format.
    pub text: String,
}

/// An item with what was made of it alone.
pub(crate) struct CachedItem {
    value: Value,
    pub item: CslItem,
    pub keys: Vec<ItemSortKey>,
    /// Its entry, without a letter after the year.
    entry: String,
    /// Name variable that the entry begins with.
    lead: Option<NameVariable>,
    /// Its citation by itself, as it is compared.
    pub cited: Arc<str>,
    /// Its citation with more or other names, and its entry with a letter after the year, as they were asked for.
    variants: Mutex<HashMap<ItemVariant, Arc<str>>>,
    /// The people its citation begins with, as people are told apart.
    pub namesakes: Vec<Option<Namesake>>,
    pub first_names: usize,
    pub shown_names: usize,
}

/// Additional renderings of an item that are cached on request.
#[derive(Clone, PartialEq, Eq, Hash)]
enum ItemVariant {
    Cited(NameChoice, bool),
    Entry(String),
    Written(OutputFormat),
}

impl CachedItem {
    /// Returns the cached rendering, or stores what `make` returns.
    fn cached_variant(&self, variant: ItemVariant, make: impl FnOnce() -> String) -> Arc<str> {
        let mut variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = variants.get(&variant) {
            return Arc::clone(found);
        }
        let made: Arc<str> = make().into();
        if variants.len() >= VARIANTS {
            variants.clear();
        }
        variants.insert(variant, Arc::clone(&made));
        made
    }

    /// Its citation by itself as it is compared, with these names and with what the style adds where it would look like
    /// another.
    pub(crate) fn compared_citation(&self, formatter: &Formatter, names: &NameChoice, disambiguate: bool) -> Arc<str> {
        self.cached_variant(ItemVariant::Cited(names.clone(), disambiguate), || {
            let cite = CiteContext { names: Some(names), disambiguate, ..CiteContext::default() };
            let mut renderer = formatter.renderer(&self.item, cite);
            markup::visible_text(&renderer.render_elements(&formatter.style.csl.citation.layout.elements, "").text)
        })
    }
}

/// Maximum number of cached variants per item; the cache is cleared when it is full.
const VARIANTS: usize = 48;
/// Maximum number of cached items; the cache is cleared when it is full.
const REMEMBERED: usize = 2 * item::MOST_ITEMS;
/// From so many new items on they are shared out among threads.
const SHARED: usize = 48;

/// Formats in one style and one language.
pub struct Formatter {
    pub(crate) style: Arc<CslStyle>,
    pub(crate) language: Arc<CslLanguage>,
    pub(crate) cite_options: InheritableNameOptions,
    pub(crate) entry_options: InheritableNameOptions,
    pub(crate) order: WordCollator,
    known: Mutex<HashMap<String, Arc<CachedItem>>>,
}

/// A set of items with their order and what tells their citations apart.
pub(crate) struct ItemRegistry {
    pub items: Vec<Arc<CachedItem>>,
    /// The places of `items` in the order of the bibliography.
    pub order: Vec<usize>,
    /// The number of each item, from 1.
    pub numbers: Vec<usize>,
    pub told: Vec<Disambiguation>,
}

impl Formatter {
    /// A formatter; without a locale, or with one that is not known, it is the style's own or American English.
    pub fn new(style: Arc<CslStyle>, locale: Option<&str>) -> Self {
        let own = style.csl.default_locale.as_ref().map(|locale| locale.0.as_str());
        let known = |tag: &str| crate::locale::nearest_locale(tag).is_some();
        let tag = locale.filter(|tag| known(tag)).or(own.filter(|tag| known(tag))).unwrap_or("en-US");
        let language = CslLanguage::new(tag, &style.csl.locale, style.manual == StyleManual::Mla);
        let base = &style.csl.settings.options;
        let cite_options = base.apply(&style.csl.citation.name_options);
        let entry_options = match &style.csl.bibliography {
            Some(bibliography) => base.apply(&bibliography.name_options),
            None => cite_options.clone(),
        };
        let order = WordCollator::new(&language.tag);
        Self { style, language, cite_options, entry_options, order, known: Mutex::default() }
    }

    /// Returns the citation style in use.
    pub fn style(&self) -> &CslStyle {
        &self.style
    }

    /// Returns the language tag in use, such as `en-US`.
    pub fn locale(&self) -> &str {
        &self.language.tag
    }

    /// Formats items of CSL-JSON: a bibliography in the style's order, or each item's citation in the order given.
    pub fn format(
        &self,
        items: &[Value],
        form: CitationForm,
        output: OutputFormat,
    ) -> Result<Vec<FormattedEntry>, Problem> {
        let registry = self.register_items(items)?;
        let in_order = form == CitationForm::Bibliography;
        let whole = in_order || (form == CitationForm::Note && self.style.kind != StyleKind::Note);
        let texts =
            if whole { self.bibliography_entries(&registry, in_order) } else { self.single_citations(&registry) };
        // An entry as it was made of the item alone was perhaps written before.
        let written = |at: usize, text: &str| match registry.items.get(at) {
            Some(known) if whole && text == known.entry => known
                .cached_variant(ItemVariant::Written(output), || markup::write(text, output, &self.language.quotes))
                .to_string(),
            _ => markup::write(text, output, &self.language.quotes),
        };
        // What a style leaves out of its bibliography (letters, say) has no entry.
        Ok(texts
            .into_iter()
            .filter(|(_, text)| !in_order || !markup::is_blank(text))
            .map(|(at, text)| FormattedEntry {
                id: registry.items.get(at).map(|known| known.item.id.clone()).unwrap_or_default(),
                text: written(at, &text),
            })
            .collect())
    }

    /// Renders the citation of each item by itself.
    fn single_citations(&self, registry: &ItemRegistry) -> Vec<(usize, String)> {
        (0..registry.items.len()).map(|at| (at, self.citation_alone(registry, at))).collect()
    }

    /// The entries with the places of their items, in the bibliography's order or in that of the items.
    pub(crate) fn bibliography_entries(&self, registry: &ItemRegistry, in_order: bool) -> Vec<(usize, String)> {
        let places: Vec<usize> = if in_order { registry.order.clone() } else { (0..registry.items.len()).collect() };
        let mut entries: Vec<(usize, String)> = places
            .into_iter()
            .map(|at| {
                let (Some(known), Some(told)) = (registry.items.get(at), registry.told.get(at)) else {
                    return (at, String::new());
                };
                let mut text = match &told.year_suffix {
                    None => known.entry.clone(),
                    Some(suffix) => known
                        .cached_variant(ItemVariant::Entry(suffix.clone()), || {
                            self.render_entry(&known.item, Some(suffix), None).0
                        })
                        .to_string(),
                };
                self.insert_number(registry, at, &mut text);
                (at, text)
            })
            .collect();
        if in_order {
            self.substitute_authors(registry, &mut entries);
        }
        entries
    }

    /// Puts a dash or the like for names that the entry before has too.
    fn substitute_authors(&self, registry: &ItemRegistry, entries: &mut [(usize, String)]) {
        let Some(bibliography) = &self.style.csl.bibliography else { return };
        let Some(substitute) = &bibliography.subsequent_author_substitute else { return };
        if bibliography.subsequent_author_substitute_rule != SubsequentAuthorSubstituteRule::CompleteAll {
            return;
        }
        let mut before: Option<(String, &[CslName])> = None;
        for (at, text) in entries {
            let Some((known, told)) = registry.items.get(*at).zip(registry.told.get(*at)) else { continue };
            // All names count, also those that `et al.` stands for.
            let people = known.lead.map(|lead| known.item.names(lead)).unwrap_or_default();
            let names = names_of(text).map(|names| (names.to_owned(), people));
            if names.is_some() && before == names {
                *text = self.render_entry(&known.item, told.year_suffix.as_deref(), Some(substitute)).0;
                self.insert_number(registry, *at, text);
            }
            before = names;
        }
    }

    fn insert_number(&self, registry: &ItemRegistry, at: usize, text: &mut String) {
        if text.contains(NUMBER) {
            *text = text.replace(NUMBER, &registry.numbers.get(at).copied().unwrap_or_default().to_string());
        }
    }

    /// The items with their order, their numbers and what tells them apart.
    pub(crate) fn register_items(&self, values: &[Value]) -> Result<ItemRegistry, Problem> {
        item::check_item_count(values.len())?;
        let items = self.cached_items(values)?;
        let mut seen: HashMap<&str, usize> = HashMap::with_capacity(items.len());
        for (at, known) in items.iter().enumerate() {
            if let Some(first) = seen.insert(&known.item.id, at) {
                let detail = format!(
                    "item {}, `id`: '{}' is also the id of item {}; each item needs its own",
                    at + 1,
                    ibid_domain::problem::shorten_for_error(&known.item.id),
                    first + 1
                );
                return Err(Problem::new(Code::InvalidField, detail).with_field(format!("items[{at}].id")));
            }
        }
        let mut order: Vec<usize> = (0..items.len()).collect();
        if self.style.csl.bibliography.as_ref().is_some_and(|bibliography| bibliography.sort.is_some()) {
            let keys = |at: &usize| items.get(*at).map_or(&[][..], |known| known.keys.as_slice());
            order.sort_by(|a, b| sort::compare_keys(keys(a), keys(b)));
        }
        let mut numbers = vec![0; items.len()];
        for (which, at) in order.iter().enumerate() {
            if let Some(number) = numbers.get_mut(*at) {
                *number = which + 1;
            }
        }
        let told = disambiguation::disambiguate(self, &items, &order);
        Ok(ItemRegistry { items, order, numbers, told })
    }

    /// Returns the cached items and rebuilds those that changed.
    fn cached_items(&self, values: &[Value]) -> Result<Vec<Arc<CachedItem>>, Problem> {
        let mut found: Vec<Option<Arc<CachedItem>>> = Vec::with_capacity(values.len());
        {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            for value in values {
                let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
                found.push(known.get(id).filter(|known| is_same(&known.value, value)).cloned());
            }
        }
        let missing: Vec<usize> =
            found.iter().enumerate().filter(|(_, known)| known.is_none()).map(|(at, _)| at).collect();
        let make = |at: usize| -> Result<Arc<CachedItem>, Problem> {
            let value = values.get(at).unwrap_or(&Value::Null);
            Ok(Arc::new(self.build_cached_item(item::read(at, value)?, value.clone())))
        };
        let threads =
            if missing.len() < SHARED { 1 } else { std::thread::available_parallelism().map_or(1, usize::from).min(8) };
        let share = missing.len().div_ceil(threads).max(1);
        let made: Vec<Result<Arc<CachedItem>, Problem>> = if threads == 1 {
            missing.iter().map(|at| make(*at)).collect()
        } else {
            std::thread::scope(|scope| {
                let parts: Vec<_> = missing
                    .chunks(share)
                    .map(|part| scope.spawn(move || part.iter().map(|at| make(*at)).collect::<Vec<_>>()))
                    .collect();
                let lost = || Err(Problem::new(Code::Internal, "a thread that formatted items ended early"));
                parts.into_iter().flat_map(|part| part.join().unwrap_or_else(|_| vec![lost()])).collect()
            })
        };
        let mut fresh = Vec::with_capacity(made.len());
        for (at, known) in missing.into_iter().zip(made) {
            let known = known?;
            fresh.push(Arc::clone(&known));
            if let Some(slot) = found.get_mut(at) {
                *slot = Some(known);
            }
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + fresh.len() > REMEMBERED {
            known.clear();
        }
        for one in fresh {
            known.insert(one.item.id.clone(), one);
        }
        Ok(found.into_iter().flatten().collect())
    }

    fn build_cached_item(&self, mut item: CslItem, value: Value) -> CachedItem {
        crate::corrections::adapt_to_manual(&mut item, self.style.manual);
        let cite = CiteContext { in_bibliography: true, ..CiteContext::default() };
        let sort = self.style.csl.bibliography.as_ref().and_then(|bibliography| bibliography.sort.as_ref());
        let keys = sort
            .map(|sort| {
                sort::item_sort_keys(&self.order, &self.style, &self.language, &self.entry_options, sort, &item, cite)
            })
            .unwrap_or_default();
        let (entry, lead) = self.render_entry(&item, None, None);
        let (cited, cited_lead, first_names, shown_names) = if disambiguation::is_needed(&self.style) {
            let mut renderer = self.renderer(&item, CiteContext::default());
            let text = renderer.render_elements(&self.style.csl.citation.layout.elements, "").text;
            (markup::visible_text(&text).into(), renderer.lead, renderer.first_names, renderer.shown_names)
        } else {
            (Arc::default(), None, 0, 0)
        };
        let namesakes = disambiguation::leading_namesakes(&self.style, &item, cited_lead, shown_names);
        CachedItem {
            value,
            item,
            keys,
            entry,
            lead,
            cited,
            variants: Mutex::default(),
            namesakes,
            first_names,
            shown_names,
        }
    }

    pub(crate) fn renderer<'a>(&'a self, item: &'a CslItem, cite: CiteContext<'a>) -> Renderer<'a> {
        let options = if cite.in_bibliography { &self.entry_options } else { &self.cite_options };
        Renderer::new(&self.style, &self.language, item, options, cite)
    }

    /// The entry of an item, marked.
    fn render_entry(
        &self,
        item: &CslItem,
        year_suffix: Option<&str>,
        same_author: Option<&str>,
    ) -> (String, Option<NameVariable>) {
        let layout = match &self.style.csl.bibliography {
            Some(bibliography) => &bibliography.layout,
            None => &self.style.csl.citation.layout,
        };
        let in_bibliography = self.style.csl.bibliography.is_some();
        let cite = CiteContext { in_bibliography, year_suffix, same_author, number: Some(0), ..CiteContext::default() };
        let mut renderer = self.renderer(item, cite);
        let aligned =
            self.style.csl.bibliography.as_ref().is_some_and(|bibliography| bibliography.second_field_align.is_some());
        let made = match layout.elements.split_first() {
            // The first field stands in the margin, apart from the others.
            Some((first, rest)) if aligned && !rest.is_empty() => {
                let mut text = renderer.render_element(first).text;
                text.push(markup::PART);
                let rest = renderer.render_elements(rest, layout.delimiter.as_deref().unwrap_or_default()).text;
                renderer.push(&mut text, &rest);
                text
            }
            _ => renderer.render_elements(&layout.elements, layout.delimiter.as_deref().unwrap_or_default()).text,
        };
        let text = crate::corrections::correct_output(&self.style, item, made);
        (self.apply_layout(layout, text), renderer.lead)
    }

    /// The layout's own formatting and what it puts before and after.
    pub(crate) fn apply_layout(&self, layout: &hayagriva::citationberg::Layout, text: String) -> String {
        if markup::is_blank(&text) {
            return String::new();
        }
        let inside = self.language.punctuation_in_quote;
        let mut out = layout.prefix.clone().unwrap_or_default();
        markup::push(&mut out, &text, inside);
        markup::push(&mut out, layout.suffix.as_deref().unwrap_or_default(), inside);
        apply_formatting(out, &layout.to_formatting())
    }
}

/// Compares two values including the order of their fields. A false difference only costs a rebuild.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((name, a), (other, b))| name == other && is_same(a, b))
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (a, b) => a == b,
    }
}

/// The first names of a marked text.
pub(crate) fn names_of(text: &str) -> Option<&str> {
    let begin = text.find(NAMES)? + NAMES.len_utf8();
    let end = begin + text.get(begin..)?.find(NAMES_END)?;
    text.get(begin..end)
}
