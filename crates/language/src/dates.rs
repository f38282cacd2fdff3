//! The dates that a text names: on a day, in a month, in a year.
//!
//! Days that are counted from the day of writing (`tomorrow`, `next Friday`) need that day and are left to the caller,
//! who finds the words in [`TimeWords`](crate::lexicon::TimeWords).

mod parts;

use std::ops::Range;

pub use crate::lexicon::DateOrder;
use crate::{
    Language, Lexicon,
    dates::parts::{Part, PartKind, parts},
};

/// A day, a month or a year of the calendar, as exact as a text says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CalendarDate {
    /// The year, where it is named.
    pub year: Option<i16>,
    /// The month, from 1.
    pub month: Option<i8>,
    /// The day of the month, from 1. Has a month beside it.
    pub day: Option<i8>,
}

/// How exact a date is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatePrecision {
    /// Only the year is known.
    Year,
    /// A month of a year.
    Month,
    /// A day of a year.
    Day,
    /// A month, in a year that is not named.
    MonthWithoutYear,
    /// A day of a month, in a year that is not named.
    DayWithoutYear,
}

impl CalendarDate {
    /// How exact it is.
    pub const fn precision(&self) -> DatePrecision {
        match (self.year, self.month, self.day) {
            (Some(_), Some(_), Some(_)) => DatePrecision::Day,
            (Some(_), Some(_), None) => DatePrecision::Month,
            (None, Some(_), Some(_)) => DatePrecision::DayWithoutYear,
            (None, Some(_), None) => DatePrecision::MonthWithoutYear,
            _ => DatePrecision::Year,
        }
    }

    /// Whether nothing that both name differs: `March 2021` agrees with `3 March 2021` and with `3 March`.
    pub fn agrees_with(&self, other: &Self) -> bool {
        fn fits<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
            match (one, other) {
                (Some(one), Some(other)) => one == other,
                _ => true,
            }
        }
        fits(self.year, other.year) && fits(self.month, other.month) && fits(self.day, other.day)
    }

    /// The date of these parts, if the calendar has it.
    pub fn new(year: Option<i16>, month: Option<i8>, day: Option<i8>) -> Option<Self> {
        let fits = match (month, day) {
            (None, None) => year.is_some(),
            (Some(month), None) => (1..=12).contains(&month),
            (Some(month), Some(day)) => (1..=days_of(year, month)?).contains(&day),
            (None, Some(_)) => false,
        };
        fits.then_some(Self { year, month, day })
    }
}

/// How many days a month has; in a year that is not named, February has 29.
fn days_of(year: Option<i16>, month: i8) -> Option<i8> {
    let is_leap = year.is_none_or(|year| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
    Some(match month {
        2 => 28 + i8::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    })
}

/// A date of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateMention {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// The date, the first of a range of days.
    pub date: CalendarDate,
    /// The last day of a range within a month: `12–14 May`.
    pub last_day: Option<i8>,
    /// The other reading, where the order of day and month is not certain: `03/05/2021`.
    pub alternative: Option<CalendarDate>,
    /// Whether the text says that it is a date. `2021` alone may be any number; `in 2021` is marked.
    pub is_marked: bool,
}

/// Finds dates, in the words of one language or of all.
#[derive(Clone, Copy, Debug, Default)]
pub struct DateReader {
    /// The language of the text; `None` reads months of all languages, as in fields that programs write.
    pub language: Option<Language>,
    /// The order of `03/05/2021` where the caller knows it, such as from the country of a page.
    pub order: Option<DateOrder>,
}

/// The dates of a text, in order. Pass no language for a field of unknown origin.
pub fn dates(text: &str, language: Option<Language>) -> Vec<DateMention> {
    DateReader { language, order: None }.find_all(text)
}

impl DateReader {
    /// All dates of a text, in order.
    pub fn find_all(&self, text: &str) -> Vec<DateMention> {
        let parts = parts(text, self.language);
        let mut found = Vec::new();
        let mut at = 0;
        while at < parts.len() {
            match self.read_at(&parts, at) {
                Some((mention, end)) => {
                    found.push(mention);
                    at = end.max(at + 1);
                }
                None => at += 1,
            }
        }
        found
    }

    /// The first date of a text that names a day, else the first that is marked, else a year alone.
    pub fn find_best(&self, text: &str) -> Option<DateMention> {
        let found = self.find_all(text);
        let is_day = |mention: &&DateMention| mention.date.precision() == DatePrecision::Day;
        let best = found.iter().find(is_day).or_else(|| found.iter().find(|mention| mention.is_marked));
        best.or_else(|| found.first()).cloned()
    }

    fn read_at(&self, parts: &[Part], at: usize) -> Option<(DateMention, usize)> {
        let walk = Walk { parts, at, reader: self };
        match parts.get(at)?.kind {
            PartKind::Number { digits: 8, value } => walk.compact(value),
            PartKind::Number { digits: 4, .. } => walk.clone().year_first().or_else(|| walk.year_alone()),
            PartKind::Number { digits: 1 | 2, .. } => {
                walk.clone().day_first().or_else(|| walk.clone().numeric()).or_else(|| walk.month_sign())
            }
            PartKind::Month(_) => walk.clone().month_first().or_else(|| walk.month_alone()),
            _ => None,
        }
    }

    /// Whether dates are read as in a field that a program wrote.
    const fn is_field(&self) -> bool {
        self.language.is_none()
    }

    fn reads_month_first(&self) -> bool {
        self.language.is_none_or(|language| Lexicon::of(language).date_order == DateOrder::MonthFirst)
    }
}

/// Steps over the parts of a text.
#[derive(Clone)]
struct Walk<'a> {
    parts: &'a [Part],
    at: usize,
    reader: &'a DateReader,
}

fn is_year(value: u32) -> bool {
    (1000..2200).contains(&value)
}

fn is_loose(kind: PartKind) -> bool {
    matches!(kind, PartKind::Space | PartKind::Within | PartKind::Mark('.' | ','))
}

fn is_dash(kind: PartKind) -> bool {
    matches!(kind, PartKind::Mark('-' | '/' | '‑' | '–'))
}

impl Walk<'_> {
    fn peek(&self) -> Option<PartKind> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<PartKind> {
        self.parts.get(self.at + ahead).map(|part| part.kind)
    }

    fn take(&mut self) -> Option<PartKind> {
        let kind = self.peek()?;
        self.at += 1;
        Some(kind)
    }

    fn skip(&mut self, skippable: impl Fn(PartKind) -> bool, most: usize) {
        for _ in 0..most {
            if !self.peek().is_some_and(&skippable) {
                return;
            }
            self.at += 1;
        }
    }

    fn number(&mut self, least: usize, most: usize) -> Option<u32> {
        match self.take()? {
            PartKind::Number { value, digits } if (least..=most).contains(&digits) => Some(value),
            _ => None,
        }
    }

    fn month(&mut self) -> Option<i8> {
        match self.take()? {
            PartKind::Month(month) => Some(month),
            _ => None,
        }
    }

    /// A number of four digits that is a year and no part of a longer number.
    fn year(&mut self) -> Option<i16> {
        let year = self.number(4, 4).filter(|year| is_year(*year))?;
        let goes_on = matches!(self.peek(), Some(PartKind::Mark('.' | ',')))
            && matches!(self.peek_at(1), Some(PartKind::Number { .. }));
        if goes_on { None } else { i16::try_from(year).ok() }
    }

    fn before(&self) -> Option<PartKind> {
        self.at.checked_sub(1).and_then(|before| self.parts.get(before)).map(|part| part.kind)
    }

    /// Whether a word such as `in` or `since` stands before.
    fn is_introduced(&self) -> bool {
        let mut before = self.parts.get(..self.at).unwrap_or_default().iter().rev();
        before.find(|part| part.kind != PartKind::Space).is_some_and(|part| part.is_before)
    }

    /// The mention from where another walk stands to where this one does.
    fn found(&self, from: &Self, date: Option<CalendarDate>) -> Option<(DateMention, usize)> {
        let start = self.parts.get(from.at)?.start;
        let end = self.parts.get(self.at.checked_sub(1)?)?.end;
        let mention =
            DateMention { range: start..end, date: date?, last_day: None, alternative: None, is_marked: true };
        Some((mention, self.at))
    }

    /// `20240501`.
    fn compact(mut self, value: u32) -> Option<(DateMention, usize)> {
        let from = self.clone();
        let is_free = !matches!(self.before(), Some(PartKind::Mark('_' | '-' | '.' | '#') | PartKind::Word));
        self.at += 1;
        let (year, month, day) = (value / 10_000, value / 100 % 100, value % 100);
        // Other numbers of eight digits are more common than days before this.
        if !is_free || !(1990..2200).contains(&year) {
            return None;
        }
        self.found(&from, date_of(year, month, day))
    }

    /// `2024-05-01`, `2024/5`, `2024年5月1日`, `2024. május 1.`, `2024 May 3`.
    fn year_first(mut self) -> Option<(DateMention, usize)> {
        let from = self.clone();
        if matches!(self.before(), Some(PartKind::Mark('.' | '/' | '-' | '_'))) && !self.reader.is_field() {
            return None;
        }
        let year = self.number(4, 4).filter(|year| is_year(*year))?;
        let year_end = self.clone();
        match self.take()? {
            PartKind::Mark(sign @ ('-' | '/' | '.' | '‑' | '–')) => {
                self.skip(|kind| kind == PartKind::Space, 1);
                let is_month_padded = matches!(self.peek(), Some(PartKind::Number { digits: 2, .. }));
                if let Some(month) = self.number(1, 2) {
                    let month_end = self.clone();
                    if self.take() == Some(PartKind::Mark(sign)) {
                        self.skip(|kind| kind == PartKind::Space, 1);
                        if let Some(day) = self.number(1, 2) {
                            return self.found(&from, date_of(year, month, day));
                        }
                    }
                    // `2021-22` is a season of two years unless the second part is a month.
                    if matches!(sign, '-' | '/') && is_month_padded && !is_dash_number(&month_end) {
                        return month_end.found(&from, date_of(year, month, 0));
                    }
                    return None;
                }
            }
            PartKind::YearSign => {
                self.skip(|kind| kind == PartKind::Space, 1);
                let sign_end = self.clone();
                let Some(month) = self.number(1, 2) else { return sign_end.found(&from, date_of(year, 0, 0)) };
                (self.take()? == PartKind::MonthSign).then_some(())?;
                let month_end = self.clone();
                self.skip(|kind| kind == PartKind::Space, 1);
                let Some(day) = self.number(1, 2) else { return month_end.found(&from, date_of(year, month, 0)) };
                self.skip(|kind| kind == PartKind::DaySign, 1);
                return self.found(&from, date_of(year, month, day));
            }
            _ => {}
        }
        // A month's name after the year, in fields and in languages that put the year first.
        self = year_end;
        self.skip(|kind| is_loose(kind) || is_dash(kind), 2);
        let month = u32::try_from(self.month().filter(|_| self.reader.is_field())?).ok()?;
        let month_end = self.clone();
        self.skip(|kind| is_loose(kind) || is_dash(kind), 2);
        match self.number(1, 2) {
            Some(day) => self.found(&from, date_of(year, month, day)),
            None => month_end.found(&from, date_of(year, month, 0)),
        }
    }

    /// `1. Mai 2024`, `1 de mayo de 2024`, `1st of May, 2024`, `01-May-2024`, `12 to 14 May`, `3 March`.
    fn day_first(mut self) -> Option<(DateMention, usize)> {
        let from = self.clone();
        let day = i8::try_from(self.number(1, 2)?).ok()?;
        let mut last_day = None;
        self.skip(|kind| matches!(kind, PartKind::Within | PartKind::Mark('.')), 2);
        let mut range = self.clone();
        range.skip(|kind| kind == PartKind::Space, 1);
        if matches!(range.peek(), Some(PartKind::Until | PartKind::Mark('–' | '-'))) {
            range.at += 1;
            range.skip(|kind| kind == PartKind::Space, 1);
            if let Some(last) = range.number(1, 2) {
                last_day = i8::try_from(last).ok();
                self = range;
            }
        }
        self.skip(|kind| is_loose(kind) || matches!(kind, PartKind::Mark('-' | '/')), 5);
        let month = self.month()?;
        let month_end = self.clone();
        let mut is_tied = false;
        for _ in 0..5 {
            match self.peek() {
                Some(kind) if is_loose(kind) => {}
                Some(PartKind::Mark('-' | '/' | '\'' | '’')) => is_tied = true,
                _ => break,
            }
            self.at += 1;
        }
        let mut year_walk = self.clone();
        let year = match self.peek() {
            Some(PartKind::Number { digits: 4, .. }) => year_walk.year(),
            // `1 May 24` is one in a field, `1 May 10:30` is not.
            Some(PartKind::Number { value, digits: 2 })
                if (is_tied || self.reader.is_field() && value >= 10)
                    && !matches!(self.peek_at(1), Some(PartKind::Mark(':' | '.'))) =>
            {
                year_walk.at += 1;
                i16::try_from(2000 + value).ok()
            }
            _ => None,
        };
        let end = if year.is_some() { year_walk } else { month_end };
        let (mut mention, end) = end.found(&from, CalendarDate::new(year, Some(month), Some(day)))?;
        mention.last_day = last_day.filter(|last| *last > day);
        Some((mention, end))
    }

    /// `May 1, 2024`, `May 1st`, `March 3–5`, `March 2024`, `marzo de 2021`, `May 1 10:30:00 GMT 2024`.
    fn month_first(mut self) -> Option<(DateMention, usize)> {
        let from = self.clone();
        let is_capital = self.parts.get(self.at)?.may_stand_alone;
        let month = self.month()?;
        self.skip(|kind| kind == PartKind::Mark('.'), 1);
        self.skip(is_loose, 3);
        let mut year_walk = self.clone();
        if let Some(year) = year_walk.year().filter(|_| is_capital || self.reader.is_field()) {
            return year_walk.found(&from, CalendarDate::new(Some(year), Some(month), None));
        }
        if !self.reader.reads_month_first() {
            return None;
        }
        let day = i8::try_from(self.number(1, 2)?).ok()?;
        if matches!(self.peek(), Some(PartKind::Mark(':' | '%'))) {
            return None;
        }
        self.skip(|kind| kind == PartKind::Within, 1);
        let day_end = self.clone();
        let mut last_day = None;
        if matches!(self.peek(), Some(PartKind::Mark('–' | '-'))) {
            self.at += 1;
            last_day = self.number(1, 2).and_then(|last| i8::try_from(last).ok());
        }
        let range_end = if last_day.is_some() { self.clone() } else { day_end.clone() };
        self = range_end.clone();
        self.skip(is_loose, 3);
        let year_walk = if self.reader.is_field() { self.year_within() } else { Some(self.clone()) };
        if let Some(mut year_walk) = year_walk
            && let Some(year) = year_walk.year()
        {
            let (mut mention, end) = year_walk.found(&from, CalendarDate::new(Some(year), Some(month), Some(day)))?;
            mention.last_day = last_day.filter(|last| *last > day);
            return Some((mention, end));
        }
        if self.reader.is_field() || !is_capital {
            return None;
        }
        let (mut mention, end) = range_end.found(&from, CalendarDate::new(None, Some(month), Some(day)))?;
        mention.last_day = last_day.filter(|last| *last > day);
        Some((mention, end))
    }

    /// Where a year stands among the next parts, behind a time of day.
    fn year_within(&self) -> Option<Self> {
        const WITHIN: usize = 14;
        let mut walk = self.clone();
        for _ in 0..WITHIN {
            match walk.peek()? {
                PartKind::Number { value, digits: 4 } if is_year(value) => return Some(walk),
                PartKind::Month(_) => return None,
                _ => walk.at += 1,
            }
        }
        None
    }

    /// `in March`, `March`.
    fn month_alone(mut self) -> Option<(DateMention, usize)> {
        let from = self.clone();
        let part = self.parts.get(self.at)?;
        let is_introduced = self.is_introduced();
        if self.reader.is_field() || !part.may_stand_alone || (part.is_ambiguous && !is_introduced) {
            return None;
        }
        let month = self.month()?;
        let (mut mention, end) = self.found(&from, CalendarDate::new(None, Some(month), None))?;
        mention.is_marked = is_introduced;
        Some((mention, end))
    }

    /// `in 2021`, `2021`.
    fn year_alone(mut self) -> Option<(DateMention, usize)> {
        let from = self.clone();
        let is_part =
            matches!(self.before(), Some(PartKind::Mark('.' | ',' | '#' | '$' | '€' | '£' | '_' | '/' | ':')));
        let is_introduced = self.is_introduced();
        let year = self.year().filter(|_| !is_part)?;
        if matches!(self.peek(), Some(PartKind::Mark('%' | '€' | '°' | ':'))) {
            return None;
        }
        let (mut mention, end) = self.found(&from, CalendarDate::new(Some(year), None, None))?;
        mention.is_marked = is_introduced;
        Some((mention, end))
    }

    /// `3月`, `3月5日`.
    fn month_sign(mut self) -> Option<(DateMention, usize)> {
        let from = self.clone();
        let month = i8::try_from(self.number(1, 2)?).ok()?;
        (self.take()? == PartKind::MonthSign).then_some(())?;
        let month_end = self.clone();
        self.skip(|kind| kind == PartKind::Space, 1);
        match self.number(1, 2).and_then(|day| i8::try_from(day).ok()) {
            Some(day) if self.take() == Some(PartKind::DaySign) => {
                self.found(&from, CalendarDate::new(None, Some(month), Some(day)))
            }
            _ => month_end.found(&from, CalendarDate::new(None, Some(month), None)),
        }
    }

    /// `01.05.2024`, `5/1/2024`, `1.5.24`.
    fn numeric(mut self) -> Option<(DateMention, usize)> {
        // A part of a longer number, such as a version or a telephone number, is no date.
        if matches!(self.before(), Some(PartKind::Mark('.' | '/' | '-' | ':' | '+'))) {
            return None;
        }
        let from = self.clone();
        let first = self.number(1, 2)?;
        let PartKind::Mark(sign @ ('.' | '/' | '-')) = self.take()? else { return None };
        self.skip(|kind| kind == PartKind::Space, 1);
        let second = self.number(1, 2)?;
        (self.take()? == PartKind::Mark(sign)).then_some(())?;
        self.skip(|kind| kind == PartKind::Space, 1);
        let year = match self.take()? {
            PartKind::Number { value, digits: 4 } if is_year(value) => value,
            PartKind::Number { value, digits: 2 } => 2000 + value,
            _ => return None,
        };
        if matches!(self.peek(), Some(PartKind::Mark('.' | '/' | '-')))
            && matches!(self.peek_at(1), Some(PartKind::Number { .. }))
        {
            return None;
        }
        let language = self.reader.language.map(Lexicon::of);
        let order = match (sign, self.reader.order) {
            ('.', _) => DateOrder::DayFirst,
            (_, Some(order)) => order,
            _ => language.map_or(DateOrder::DayFirst, |lexicon| lexicon.date_order),
        };
        let is_certain = sign == '.'
            || self.reader.order.is_some()
            || language.is_some_and(|lexicon| !lexicon.is_date_order_uncertain);
        let (by_day, by_month) = (date_of(year, second, first), date_of(year, first, second));
        let (date, other) = match order {
            DateOrder::DayFirst => (by_day, by_month),
            DateOrder::MonthFirst => (by_month, by_day),
        };
        let (mut mention, end) = self.found(&from, date.or(other))?;
        mention.alternative = other.filter(|other| !is_certain && date.is_some() && *other != mention.date);
        Some((mention, end))
    }
}

/// Whether a dash and a number follow.
fn is_dash_number(walk: &Walk<'_>) -> bool {
    walk.peek().is_some_and(is_dash) && matches!(walk.peek_at(1), Some(PartKind::Number { .. }))
}

/// The date of these numbers, where 0 is what is not named.
fn date_of(year: u32, month: u32, day: u32) -> Option<CalendarDate> {
    let named = |number: u32| if number == 0 { Some(None) } else { i8::try_from(number).ok().map(Some) };
    CalendarDate::new(Some(i16::try_from(year).ok()?), named(month)?, named(day)?)
}
