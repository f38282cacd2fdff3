//! Dates as the style and the language write them.

use hayagriva::citationberg::{
    Date as Element, DateDayForm, DateMonthForm, DatePart, DatePartName, DateParts, DateStrongAnyForm, LongShortForm,
    TermForm,
    taxonomy::{DateVariable, OtherTerm, Term, Variable},
};

use super::{RenderedElement, Renderer, apply_formatting};
use crate::{
    date::{CslDate, CslDay},
    locale::MONTHS,
};

impl<'a> Renderer<'a> {
    pub(super) fn render_date(&mut self, element: &'a Element) -> RenderedElement {
        let Some(variable) = element.variable else { return RenderedElement::missing() };
        if self.used.contains(&Variable::Date(variable)) {
            return RenderedElement::missing();
        }
        let item = self.item;
        let Some(date) = item.date(variable) else { return RenderedElement::missing() };
        let text =
            if self.cite.sorting { sortable_date(date, element) } else { self.format_date(element, variable, date) };
        if text.is_empty() {
            return RenderedElement::missing();
        }
        self.touched.push(Variable::Date(variable));
        let text = self.apply_case(text, element.text_case);
        let (prefix, suffix) = (element.affixes.prefix.as_deref(), element.affixes.suffix.as_deref());
        RenderedElement::with_text(self.apply_affixes(text, &element.formatting, prefix, suffix, element.display))
    }

    fn format_date(&mut self, element: &Element, variable: DateVariable, date: &CslDate) -> String {
        let Some(start) = date.start else {
            // Words stand where the year would, and not once more where the day would.
            let has_year =
                element.form.is_some() || element.date_part.iter().any(|part| part.name == DatePartName::Year);
            return date.literal.clone().filter(|_| has_year).unwrap_or_default();
        };
        let language = self.language;
        let own = |name| element.date_part.iter().find(|part| part.name == name);
        let (parts, delimiter): (Vec<(&DatePart, &DatePart)>, &str) = match element.form {
            None => (
                element.date_part.iter().map(|part| (part, part)).collect(),
                element.delimiter.as_deref().unwrap_or_default(),
            ),
            Some(form) => {
                let (parts, delimiter) = language.date(form);
                let wanted = element.parts.unwrap_or_default();
                let parts = parts.iter().filter(|part| match part.name {
                    DatePartName::Year => true,
                    DatePartName::Month => wanted.has_month(),
                    DatePartName::Day => wanted == DateParts::YearMonthDay,
                });
                // The style may dress the parts otherwise than the language does, but not move them.
                (
                    parts.map(|part| (part, own(part.name).unwrap_or(part))).collect(),
                    element.delimiter.as_deref().unwrap_or(delimiter),
                )
            }
        };
        let differs = |name: DatePartName, end: &CslDay| match name {
            DatePartName::Year => start.year != end.year,
            DatePartName::Month => start.month != end.month,
            DatePartName::Day => start.day != end.day,
        };
        let rank = |name: DatePartName| match name {
            DatePartName::Day => 0,
            DatePartName::Month => 1,
            DatePartName::Year => 2,
        };
        let shown = |day: &CslDay, name| match name {
            DatePartName::Year => true,
            DatePartName::Month => day.month.is_some(),
            DatePartName::Day => day.day.is_some(),
        };
        let largest = date.end.as_ref().and_then(|end| {
            let differing = parts
                .iter()
                .filter(|(part, _)| (shown(&start, part.name) || shown(end, part.name)) && differs(part.name, end));
            differing.max_by_key(|(part, _)| rank(part.name))
        });
        let Some((_, widest)) = largest else {
            let mut text = self.render_date_parts(&parts, delimiter, &start, variable);
            if date.open && !text.is_empty() {
                text.push('–');
            }
            return text;
        };
        let end = date.end.unwrap_or(start);
        let limit = rank(widest.name);
        // What both have in common is written once, before and after the part that differs.
        let first = parts.iter().position(|(part, _)| rank(part.name) <= limit).unwrap_or(0);
        let last = parts.iter().rposition(|(part, _)| rank(part.name) <= limit).unwrap_or(0);
        let dash = widest.range_delimiter.as_deref().unwrap_or(DatePart::DEFAULT_DELIMITER);
        let mut text = self.render_date_parts(&parts[..first], delimiter, &start, variable);
        let from = self.render_date_parts(&parts[first..=last], delimiter, &start, variable);
        let until = self.render_date_parts(&parts[first..=last], delimiter, &end, variable);
        let after = self.render_date_parts(parts.get(last + 1..).unwrap_or_default(), delimiter, &start, variable);
        let joined = |text: &mut String, piece: &str, this: &Self| {
            if !text.is_empty() && !piece.is_empty() {
                this.push(text, delimiter);
            }
            this.push(text, piece);
        };
        // The first of the two loses what would stand after it, the second what would stand before.
        let from = strip_end(
            &from,
            parts[..=last].iter().rev().find(|(part, _)| shown(&start, part.name)).map(|(part, _)| *part),
        );
        let until =
            strip_start(&until, parts[first..].iter().find(|(part, _)| shown(&end, part.name)).map(|(part, _)| *part));
        joined(&mut text, from, self);
        text.push_str(dash);
        text.push_str(until);
        joined(&mut text, &after, self);
        text
    }

    fn render_date_parts(
        &mut self,
        parts: &[(&DatePart, &DatePart)],
        delimiter: &str,
        day: &CslDay,
        variable: DateVariable,
    ) -> String {
        let mut out = String::new();
        for (part, own) in parts {
            let Some(text) = self.render_date_part(own, day, variable) else { continue };
            let text = apply_formatting(self.apply_case(text, own.text_case.or(part.text_case)), &own.formatting);
            if !out.is_empty() {
                self.push(&mut out, delimiter);
            }
            self.push(&mut out, part.affixes.prefix.as_deref().unwrap_or_default());
            self.push(&mut out, &text);
            self.push(&mut out, part.affixes.suffix.as_deref().unwrap_or_default());
        }
        out
    }

    fn render_date_part(&mut self, part: &DatePart, day: &CslDay, variable: DateVariable) -> Option<String> {
        let language = self.language;
        let mut text = match part.form() {
            DateStrongAnyForm::Day(form) => {
                let number = day.day?;
                match form {
                    DateDayForm::Numeric => number.to_string(),
                    DateDayForm::NumericLeadingZeros => format!("{number:02}"),
                    DateDayForm::Ordinal if language.limit_day_ordinals && number != 1 => number.to_string(),
                    DateDayForm::Ordinal => {
                        let month = day.month.and_then(month_term).and_then(|term| language.gender(term));
                        format!("{number}{}", language.ordinal(u32::from(number), month))
                    }
                }
            }
            DateStrongAnyForm::Month(form) => {
                let month = day.month?;
                match form {
                    DateMonthForm::Numeric if month <= 12 => month.to_string(),
                    DateMonthForm::NumericLeadingZeros if month <= 12 => format!("{month:02}"),
                    DateMonthForm::Short => language.month_name(month, TermForm::Short).to_owned(),
                    _ => language.month_name(month, TermForm::Long).to_owned(),
                }
            }
            DateStrongAnyForm::Year(form) => {
                let era = |term, otherwise: &str| {
                    language.term(Term::Other(term), TermForm::Long, false).unwrap_or(otherwise).to_owned()
                };
                let mut year = match form {
                    LongShortForm::Short => format!("{:02}", day.year.rem_euclid(100)),
                    LongShortForm::Long if day.year < 0 => {
                        format!("{}{}", day.year.unsigned_abs(), era(OtherTerm::Bc, "BC"))
                    }
                    LongShortForm::Long if day.year < 500 => format!("{}{}", day.year, era(OtherTerm::Ad, "AD")),
                    LongShortForm::Long => day.year.to_string(),
                };
                if variable == DateVariable::Issued
                    && !self.style.places_year_suffix
                    && !self.suffix_done
                    && let Some(suffix) = self.cite.year_suffix
                {
                    year.push_str(suffix);
                    self.suffix_done = true;
                }
                year
            }
        };
        if part.strip_periods {
            text.retain(|c| c != '.');
        }
        Some(text).filter(|text| !text.is_empty())
    }
}

fn month_term(month: u8) -> Option<Term> {
    MONTHS.get(..12)?.get(usize::from(month).checked_sub(1)?).map(|term| Term::Other(*term))
}

fn strip_end<'t>(text: &'t str, part: Option<&DatePart>) -> &'t str {
    let suffix = part.and_then(|part| part.affixes.suffix.as_deref()).unwrap_or_default();
    text.strip_suffix(suffix).unwrap_or(text)
}

fn strip_start<'t>(text: &'t str, part: Option<&DatePart>) -> &'t str {
    let prefix = part.and_then(|part| part.affixes.prefix.as_deref()).unwrap_or_default();
    text.strip_prefix(prefix).unwrap_or(text)
}

/// A date that sorts as text: years from the oldest on.
pub(crate) fn sortable_date(date: &CslDate, element: &Element) -> String {
    let has = |name| match element.form {
        None => element.date_part.iter().any(|part| part.name == name),
        Some(_) => match name {
            DatePartName::Year => true,
            DatePartName::Month => element.parts.unwrap_or_default().has_month(),
            DatePartName::Day => element.parts.unwrap_or_default().has_day(),
        },
    };
    sort_key(date, has(DatePartName::Month), has(DatePartName::Day))
}

/// A date as text that sorts as dates do.
pub(crate) fn sort_key(date: &CslDate, month: bool, day: bool) -> String {
    let one = |at: &CslDay| {
        let season = |month: u8| if month > 12 { (month - 12) * 3 } else { month };
        let month = if month { at.month.map_or(0, season) } else { 0 };
        let day = if day { at.day.unwrap_or(0) } else { 0 };
        format!("{:06}{month:02}{day:02}", at.year.saturating_add(100_000))
    };
    match (date.start, date.end) {
        (Some(start), Some(end)) => format!("{}-{}", one(&start), one(&end)),
        (Some(start), None) => one(&start),
        (None, _) => date.literal.clone().unwrap_or_default(),
    }
}
