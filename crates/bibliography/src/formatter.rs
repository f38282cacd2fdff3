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
    corrections::Manual,
    disambiguation::{self, Namesake, Told},
    item::{self, Item},
    locale::Language,
    markup::{self, NAMES, NAMES_END, NUMBER, Output},
    person::Person,
    render::{Cite, NameChoice, Renderer, formatted},
    sort::{self, Key, Order},
    style::{Style, StyleKind},
};

/// What is made of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Its entry in the bibliography, in the style's order.
    Bibliography,
    /// The note that cites it for the first time. A style that cites in the text has no notes of its own: there the note
    /// holds the whole entry.
    Note,
    /// The citation in the text.
    InText,
}

/// A formatted item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The item's id.
    pub id: String,
    /// What it came to.
    pub text: String,
}

/// An item with what was made of it alone.
pub(crate) struct Known {
    value: Value,
    pub item: Item,
    pub keys: Vec<Key>,
    /// Its entry, without a letter after the year.
    entry: String,
    /// Whose names its entry begins with.
    lead: Option<NameVariable>,
    /// Its citation by itself, as it is compared.
    pub cited: Arc<str>,
    /// Its citation with more or other names, and its entry with a letter after the year, as they were asked for.
    variants: Mutex<HashMap<Variant, Arc<str>>>,
    /// The people its citation begins with, as people are told apart.
    pub namesakes: Vec<Option<Namesake>>,
    pub first_names: usize,
    pub shown_names: usize,
}

/// What an item can be asked for besides its entry and its citation.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Variant {
    Cited(NameChoice, bool),
    Entry(String),
    Written(Output),
}

impl Known {
    /// What was made of it before, or what `make` makes now.
    fn variant(&self, variant: Variant, make: impl FnOnce() -> String) -> Arc<str> {
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
    pub(crate) fn compared(&self, formatter: &Formatter, names: &NameChoice, disambiguate: bool) -> Arc<str> {
        self.variant(Variant::Cited(names.clone(), disambiguate), || {
            let cite = Cite { names: Some(names), disambiguate, ..Cite::default() };
            let mut renderer = formatter.renderer(&self.item, cite);
            markup::bare(&renderer.all(&formatter.style.csl.citation.layout.elements, "").text)
        })
    }
}

/// How many variants of an item are remembered.
const VARIANTS: usize = 48;
/// How many items are remembered; then all are forgotten.
const REMEMBERED: usize = 2 * item::MOST_ITEMS;
/// From so many new items on they are shared out among threads.
const SHARED: usize = 48;

/// Formats in one style and one language.
pub struct Formatter {
    pub(crate) style: Arc<Style>,
    pub(crate) language: Arc<Language>,
    pub(crate) cite_options: InheritableNameOptions,
    pub(crate) entry_options: InheritableNameOptions,
    pub(crate) order: Order,
    known: Mutex<HashMap<String, Arc<Known>>>,
}

/// A set of items with their order and what tells their citations apart.
pub(crate) struct Registry {
    pub items: Vec<Arc<Known>>,
    /// The places of `items` in the order of the bibliography.
    pub order: Vec<usize>,
    /// The number of each item, from 1.
    pub numbers: Vec<usize>,
    pub told: Vec<Told>,
}

impl Formatter {
    /// A formatter; without a locale, or with one that is not known, it is the style's own or American English.
    pub fn new(style: Arc<Style>, locale: Option<&str>) -> Self {
        let own = style.csl.default_locale.as_ref().map(|locale| locale.0.as_str());
        let known = |tag: &str| crate::locale::nearest(tag).is_some();
        let tag = locale.filter(|tag| known(tag)).or(own.filter(|tag| known(tag))).unwrap_or("en-US");
        let language = Language::new(tag, &style.csl.locale, style.manual == Manual::Mla);
        let base = &style.csl.settings.options;
        let cite_options = base.apply(&style.csl.citation.name_options);
        let entry_options = match &style.csl.bibliography {
            Some(bibliography) => base.apply(&bibliography.name_options),
            None => cite_options.clone(),
        };
        let order = Order::new(&language.tag);
        Self { style, language, cite_options, entry_options, order, known: Mutex::default() }
    }

    /// The style.
    pub fn style(&self) -> &Style {
        &self.style
    }

    /// The tag of the language.
    pub fn locale(&self) -> &str {
        &self.language.tag
    }

    /// Formats items of CSL-JSON: a bibliography in the style's order, or each item's citation in the order given.
    pub fn format(&self, items: &[Value], form: Form, output: Output) -> Result<Vec<Entry>, Problem> {
        let registry = self.register(items)?;
        let in_order = form == Form::Bibliography;
        let whole = in_order || (form == Form::Note && self.style.kind != StyleKind::Note);
        let texts = if whole { self.entries(&registry, in_order) } else { self.singles(&registry) };
        // An entry as it was made of the item alone was perhaps written before.
        let written = |at: usize, text: &str| match registry.items.get(at) {
            Some(known) if whole && text == known.entry => known
                .variant(Variant::Written(output), || markup::write(text, output, &self.language.quotes))
                .to_string(),
            _ => markup::write(text, output, &self.language.quotes),
        };
        // What a style leaves out of its bibliography (letters, say) has no entry.
        Ok(texts
            .into_iter()
            .filter(|(_, text)| !in_order || !markup::is_blank(text))
            .map(|(at, text)| Entry {
                id: registry.items.get(at).map(|known| known.item.id.clone()).unwrap_or_default(),
                text: written(at, &text),
            })
            .collect())
    }

    /// Each item cited by itself.
    fn singles(&self, registry: &Registry) -> Vec<(usize, String)> {
        (0..registry.items.len()).map(|at| (at, self.citation_alone(registry, at))).collect()
    }

    /// The entries with the places of their items, in the bibliography's order or in that of the items.
    pub(crate) fn entries(&self, registry: &Registry, in_order: bool) -> Vec<(usize, String)> {
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
                        .variant(Variant::Entry(suffix.clone()), || self.entry(&known.item, Some(suffix), None).0)
                        .to_string(),
                };
                self.numbered(registry, at, &mut text);
                (at, text)
            })
            .collect();
        if in_order {
            self.substitute_authors(registry, &mut entries);
        }
        entries
    }

    /// Puts a dash or the like for names that the entry before has too.
    fn substitute_authors(&self, registry: &Registry, entries: &mut [(usize, String)]) {
        let Some(bibliography) = &self.style.csl.bibliography else { return };
        let Some(substitute) = &bibliography.subsequent_author_substitute else { return };
        if bibliography.subsequent_author_substitute_rule != SubsequentAuthorSubstituteRule::CompleteAll {
            return;
        }
        let mut before: Option<(String, &[Person])> = None;
        for (at, text) in entries {
            let Some((known, told)) = registry.items.get(*at).zip(registry.told.get(*at)) else { continue };
            // All names count, also those that `et al.` stands for.
            let people = known.lead.map(|lead| known.item.names(lead)).unwrap_or_default();
            let names = names_of(text).map(|names| (names.to_owned(), people));
            if names.is_some() && before == names {
                *text = self.entry(&known.item, told.year_suffix.as_deref(), Some(substitute)).0;
                self.numbered(registry, *at, text);
            }
            before = names;
        }
    }

    fn numbered(&self, registry: &Registry, at: usize, text: &mut String) {
        if text.contains(NUMBER) {
            *text = text.replace(NUMBER, &registry.numbers.get(at).copied().unwrap_or_default().to_string());
        }
    }

    /// The items with their order, their numbers and what tells them apart.
    pub(crate) fn register(&self, values: &[Value]) -> Result<Registry, Problem> {
        item::bound(values.len())?;
        let items = self.recall(values)?;
        let mut seen: HashMap<&str, usize> = HashMap::with_capacity(items.len());
        for (at, known) in items.iter().enumerate() {
            if let Some(first) = seen.insert(&known.item.id, at) {
                let detail = format!(
                    "item {}, `id`: '{}' is also the id of item {}; each item needs its own",
                    at + 1,
                    ibid_domain::problem::shown(&known.item.id),
                    first + 1
                );
                return Err(Problem::new(Code::InvalidField, detail).field(format!("items[{at}].id")));
            }
        }
        let mut order: Vec<usize> = (0..items.len()).collect();
        if self.style.csl.bibliography.as_ref().is_some_and(|bibliography| bibliography.sort.is_some()) {
            let keys = |at: &usize| items.get(*at).map_or(&[][..], |known| known.keys.as_slice());
            order.sort_by(|a, b| sort::compare(keys(a), keys(b)));
        }
        let mut numbers = vec![0; items.len()];
        for (which, at) in order.iter().enumerate() {
            if let Some(number) = numbers.get_mut(*at) {
                *number = which + 1;
            }
        }
        let told = disambiguation::tell_apart(self, &items, &order);
        Ok(Registry { items, order, numbers, told })
    }

    /// What is known of the items, made anew where they changed.
    fn recall(&self, values: &[Value]) -> Result<Vec<Arc<Known>>, Problem> {
        let mut found: Vec<Option<Arc<Known>>> = Vec::with_capacity(values.len());
        {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            for value in values {
                let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
                found.push(known.get(id).filter(|known| is_same(&known.value, value)).cloned());
            }
        }
        let missing: Vec<usize> =
            found.iter().enumerate().filter(|(_, known)| known.is_none()).map(|(at, _)| at).collect();
        let make = |at: usize| -> Result<Arc<Known>, Problem> {
            let value = values.get(at).unwrap_or(&Value::Null);
            Ok(Arc::new(self.known(item::read(at, value)?, value.clone())))
        };
        let threads =
            if missing.len() < SHARED { 1 } else { std::thread::available_parallelism().map_or(1, usize::from).min(8) };
        let share = missing.len().div_ceil(threads).max(1);
        let made: Vec<Result<Arc<Known>, Problem>> = if threads == 1 {
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

    fn known(&self, mut item: Item, value: Value) -> Known {
        crate::corrections::suit(&mut item, self.style.manual);
        let cite = Cite { in_bibliography: true, ..Cite::default() };
        let sort = self.style.csl.bibliography.as_ref().and_then(|bibliography| bibliography.sort.as_ref());
        let keys = sort
            .map(|sort| sort::keys(&self.order, &self.style, &self.language, &self.entry_options, sort, &item, cite))
            .unwrap_or_default();
        let (entry, lead) = self.entry(&item, None, None);
        let (cited, cited_lead, first_names, shown_names) = if disambiguation::is_needed(&self.style) {
            let mut renderer = self.renderer(&item, Cite::default());
            let text = renderer.all(&self.style.csl.citation.layout.elements, "").text;
            (markup::bare(&text).into(), renderer.lead, renderer.first_names, renderer.shown_names)
        } else {
            (Arc::default(), None, 0, 0)
        };
        let namesakes = disambiguation::namesakes(&self.style, &item, cited_lead, shown_names);
        Known { value, item, keys, entry, lead, cited, variants: Mutex::default(), namesakes, first_names, shown_names }
    }

    pub(crate) fn renderer<'a>(&'a self, item: &'a Item, cite: Cite<'a>) -> Renderer<'a> {
        let options = if cite.in_bibliography { &self.entry_options } else { &self.cite_options };
        Renderer::new(&self.style, &self.language, item, options, cite)
    }

    /// The entry of an item, marked.
    fn entry(
        &self,
        item: &Item,
        year_suffix: Option<&str>,
        same_author: Option<&str>,
    ) -> (String, Option<NameVariable>) {
        let layout = match &self.style.csl.bibliography {
            Some(bibliography) => &bibliography.layout,
            None => &self.style.csl.citation.layout,
        };
        let in_bibliography = self.style.csl.bibliography.is_some();
        let cite = Cite { in_bibliography, year_suffix, same_author, number: Some(0), ..Cite::default() };
        let mut renderer = self.renderer(item, cite);
        let aligned =
            self.style.csl.bibliography.as_ref().is_some_and(|bibliography| bibliography.second_field_align.is_some());
        let made = match layout.elements.split_first() {
            // The first field stands in the margin, apart from the others.
            Some((first, rest)) if aligned && !rest.is_empty() => {
                let mut text = renderer.element(first).text;
                text.push(markup::PART);
                let rest = renderer.all(rest, layout.delimiter.as_deref().unwrap_or_default()).text;
                renderer.push(&mut text, &rest);
                text
            }
            _ => renderer.all(&layout.elements, layout.delimiter.as_deref().unwrap_or_default()).text,
        };
        let text = crate::corrections::finish(&self.style, item, made);
        (self.laid_out(layout, text), renderer.lead)
    }

    /// The layout's own formatting and what it puts before and after.
    pub(crate) fn laid_out(&self, layout: &hayagriva::citationberg::Layout, text: String) -> String {
        if markup::is_blank(&text) {
            return String::new();
        }
        let inside = self.language.punctuation_in_quote;
        let mut out = layout.prefix.clone().unwrap_or_default();
        markup::push(&mut out, &text, inside);
        markup::push(&mut out, layout.suffix.as_deref().unwrap_or_default(), inside);
        formatted(out, &layout.to_formatting())
    }
}

/// Whether two values are the same, written the same way. Objects in another order count as changed, which costs time
/// and nothing else.
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
