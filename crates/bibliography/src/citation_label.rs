//! Labels such as `Ferr78`, for styles that cite by them.

use hayagriva::citationberg::taxonomy::{DateVariable, NameVariable, StandardVariable};

use crate::{item::CslItem, markup};

/// The label of an item: letters of the names (or the title) and the last two digits of the year.
pub(crate) fn citation_label(item: &CslItem) -> String {
    let letters = |text: &str, most: usize| -> String {
        markup::visible_text(text).chars().filter(|c| c.is_alphabetic()).take(most).collect()
    };
    let names = [NameVariable::Author, NameVariable::Editor]
        .into_iter()
        .map(|name| item.names(name))
        .find(|names| !names.is_empty());
    let family = |person: &crate::person::CslName| person.literal.clone().unwrap_or_else(|| person.family.clone());
    let mut label = match names.unwrap_or_default() {
        [] => letters(item.text(StandardVariable::Title).unwrap_or_default(), 4),
        [one] => letters(&family(one), 4),
        [one, other] => letters(&family(one), 2) + &letters(&family(other), 2),
        more => more.iter().take(4).map(|person| letters(&family(person), 1)).collect(),
    };
    if let Some(day) = item.date(DateVariable::Issued).and_then(|date| date.start) {
        label.push_str(&format!("{:02}", day.year.rem_euclid(100)));
    }
    label
}
