//! Citations that would look alike: more names, given names, a condition of the style, a letter after the year.

use std::{collections::HashMap, sync::Arc};

use hayagriva::citationberg::{DisambiguationRule, taxonomy::NameVariable};

use crate::{
    formatter::{CachedItem, Formatter},
    item::CslItem,
    person::CslName,
    render::NameChoice,
    style::CslStyle,
};

/// Additions that make an item's citations differ from those of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Disambiguation {
    pub names: NameChoice,
    pub disambiguate: bool,
    pub year_suffix: Option<String>,
}

/// Returns true if the style distinguishes citations that look alike.
pub(crate) fn is_needed(style: &CslStyle) -> bool {
    let citation = &style.csl.citation;
    citation.disambiguate_add_givenname
        || citation.disambiguate_add_names
        || citation.disambiguate_add_year_suffix
        || style.asks_disambiguate
}

/// For each item what its citations need.
pub(crate) fn disambiguate(formatter: &Formatter, items: &[Arc<CachedItem>], order: &[usize]) -> Vec<Disambiguation> {
    let mut told = vec![Disambiguation::default(); items.len()];
    if !is_needed(&formatter.style) {
        return told;
    }
    let rule = formatter.style.csl.citation.givenname_disambiguation_rule;
    if formatter.style.csl.citation.disambiguate_add_givenname && rule != DisambiguationRule::ByCite {
        expand_names(items, rule, &mut told);
    }
    let mut alike: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
    for (at, known) in items.iter().enumerate() {
        let expanded = told.get(at).filter(|told| !told.names.givens.is_empty());
        let text = expanded.map_or_else(|| Arc::clone(&known.cited), |told| compared_citation(formatter, known, told));
        alike.entry(text).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = alike.into_values().filter(|group| group.len() > 1).collect();
    // Groups are worked on in the order of their first item, so that the result never depends on a hash.
    groups.sort_unstable();
    let mut place = vec![0; items.len()];
    for (which, at) in order.iter().enumerate() {
        if let Some(place) = place.get_mut(*at) {
            *place = which;
        }
    }
    for group in groups {
        disambiguate_group(formatter, items, &mut told, group, &place);
    }
    told
}

/// The citation of an item by itself, as it is compared.
fn compared_citation(formatter: &Formatter, known: &CachedItem, told: &Disambiguation) -> Arc<str> {
    known.compared_citation(formatter, &told.names, told.disambiguate)
}

/// Maximum number of names added to distinguish citations; it bounds the work for hostile lists.
const MOST_TRIED: usize = 24;

/// Tries one thing after the other on citations that look alike, until each looks like no other. What tells some of them
/// from the others is kept, what tells nobody apart is not.
fn disambiguate_group(
    formatter: &Formatter,
    items: &[Arc<CachedItem>],
    told: &mut [Disambiguation],
    group: Vec<usize>,
    place: &[usize],
) {
    let citation = &formatter.style.csl.citation;
    let by_cite =
        citation.disambiguate_add_givenname && citation.givenname_disambiguation_rule == DisambiguationRule::ByCite;
    let most = |count: fn(&CachedItem) -> usize| {
        group.iter().filter_map(|at| items.get(*at)).map(|known| count(known)).max().unwrap_or(0)
    };
    // Beyond a few dozen names nobody reads on, and a hostile list must not cost the square of its length.
    let shown = most(|known| known.shown_names).min(MOST_TRIED);
    let all = most(|known| known.first_names).min(shown + MOST_TRIED);
    let mut alike = vec![group];
    let mut attempt = |alike: &mut Vec<Vec<usize>>, change: &dyn Fn(&mut Disambiguation)| {
        let groups = std::mem::take(alike);
        alike.extend(groups.into_iter().flat_map(|group| split_group(formatter, items, told, group, change)));
    };
    if by_cite {
        for name in 0..shown {
            for level in 1..=2 {
                attempt(&mut alike, &|told| told.names.raise_given_level(name, level));
            }
        }
    }
    if citation.disambiguate_add_names {
        for more in shown + 1..=all {
            attempt(&mut alike, &|told| told.names.shown = more);
            for level in 1..=if by_cite { 2 } else { 0 } {
                attempt(&mut alike, &|told| {
                    told.names.shown = more;
                    told.names.raise_given_level(more - 1, level);
                });
            }
        }
    }
    if formatter.style.asks_disambiguate {
        attempt(&mut alike, &|told| told.disambiguate = true);
    }
    if citation.disambiguate_add_year_suffix {
        // Letters go in the order of the bibliography.
        for mut same in alike {
            same.sort_by_key(|at| place.get(*at).copied().unwrap_or_default());
            for (which, at) in same.into_iter().enumerate() {
                if let Some(told) = told.get_mut(at) {
                    told.year_suffix = Some(suffix_letters(which));
                }
            }
        }
    }
}

/// Changes all of a group, and gives back those that still look alike, each set by itself. If that tells nobody apart, it is
/// taken back.
fn split_group(
    formatter: &Formatter,
    items: &[Arc<CachedItem>],
    told: &mut [Disambiguation],
    group: Vec<usize>,
    change: &dyn Fn(&mut Disambiguation),
) -> Vec<Vec<usize>> {
    let before: Vec<Disambiguation> = group.iter().map(|at| told.get(*at).cloned().unwrap_or_default()).collect();
    let mut alike: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
    for at in &group {
        let (Some(known), Some(told)) = (items.get(*at), told.get_mut(*at)) else { continue };
        change(told);
        alike.entry(compared_citation(formatter, known, told)).or_default().push(*at);
    }
    if alike.len() < 2 {
        for (at, before) in group.iter().zip(before) {
            if let Some(told) = told.get_mut(*at) {
                *told = before;
            }
        }
        return vec![group];
    }
    let mut still: Vec<Vec<usize>> = alike.into_values().filter(|same| same.len() > 1).collect();
    still.sort_unstable();
    still
}

/// Returns the letters of a year suffix: `a`, `b` … `z`, `aa` …
fn suffix_letters(which: usize) -> String {
    let mut out = String::new();
    let mut rest = which + 1;
    while rest > 0 {
        let letter = u8::try_from((rest - 1) % 26).unwrap_or_default();
        out.insert(0, char::from(b'a' + letter));
        rest = (rest - 1) / 26;
    }
    out
}

/// A person as people are told apart: the family name, the first letters of the given names, the given names.
pub(crate) struct Namesake {
    family: String,
    initials: String,
    given: String,
}

/// The people whose names a citation begins with, as far as the style expands them wherever they stand.
pub(crate) fn leading_namesakes(
    style: &CslStyle,
    item: &CslItem,
    lead: Option<NameVariable>,
    shown: usize,
) -> Vec<Option<Namesake>> {
    let rule = style.csl.citation.givenname_disambiguation_rule;
    if !style.csl.citation.disambiguate_add_givenname || rule == DisambiguationRule::ByCite {
        return Vec::new();
    }
    let names = lead.map(|lead| item.names(lead)).unwrap_or_default();
    let count = if rule.allows_multiple_names() { shown } else { 1 };
    let namesake = |person: &CslName| {
        let letters = person.given.split([' ', '-', '.']).filter_map(|word| word.chars().next());
        person.literal.is_none().then(|| Namesake {
            family: format!("{} {}", person.staying, person.family).trim().to_lowercase(),
            initials: letters.flat_map(char::to_lowercase).collect(),
            given: person.given.to_lowercase(),
        })
    };
    names.iter().take(count).map(namesake).collect()
}

/// Gives people of the same family name their initials or given names, whatever they are cited with.
fn expand_names(items: &[Arc<CachedItem>], rule: DisambiguationRule, told: &mut [Disambiguation]) {
    // By family name: the initials there are, and by initials the given names.
    let mut people: HashMap<&str, HashMap<&str, Vec<&str>>> = HashMap::new();
    for person in items.iter().flat_map(|known| &known.namesakes).flatten() {
        let named = people.entry(&person.family).or_default().entry(&person.initials).or_default();
        if !named.contains(&person.given.as_str()) {
            named.push(&person.given);
        }
    }
    for (known, told) in items.iter().zip(told.iter_mut()) {
        for (which, person) in known.namesakes.iter().enumerate() {
            let Some(person) = person else { continue };
            let Some(initials) = people.get(person.family.as_str()) else { continue };
            let same = initials.get(person.initials.as_str()).map_or(0, Vec::len);
            let full = rule.allows_full_first_names() && same > 1;
            let level = if full { 2 } else { u8::from(initials.len() > 1) };
            if level > 0 {
                told.names.raise_given_level(which, level);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::suffix_letters;

    #[test]
    fn letters_go_on_after_z() {
        assert_eq!([0, 1, 25, 26, 27, 701, 702].map(suffix_letters), ["a", "b", "z", "aa", "ab", "zz", "aaa"]);
    }
}
