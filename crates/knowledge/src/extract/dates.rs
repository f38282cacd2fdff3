//! When something is, as a text says it: on a day of the calendar, or counted from the day it was written.

use ibid_domain::PartialDate;
use jiff::{
    Span,
    civil::{Date, Weekday},
};

use super::{
    lexicon::LEXICON,
    tokens::{LexiconToken, LexiconTokenKind},
};

/// A time that a sentence names, and where: the tokens from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateMention {
    /// Date, as exact as the text states it.
    pub date: PartialDate,
    /// Index of its first token, inclusive.
    pub start: usize,
    /// Index after the last token.
    pub end: usize,
}

/// The times that a sentence names, in order, counted from `written`.
pub fn find_dates(text: &str, tokens: &[LexiconToken], written: Option<PartialDate>, found: &mut Vec<DateMention>) {
    found.clear();
    let mut at = 0;
    while at < tokens.len() {
        match time_at(text, tokens, at, written) {
            Some((date, length)) => {
                found.push(DateMention { date, start: at, end: at + length });
                at += length;
            }
            None => at += 1,
        }
    }
}

struct DateReader<'a> {
    text: &'a str,
    tokens: &'a [LexiconToken],
}

impl DateReader<'_> {
    fn token(&self, at: usize) -> Option<&LexiconToken> {
        self.tokens.get(at)
    }

    fn word_at(&self, at: usize) -> &str {
        self.token(at).map_or("", |token| token.text_in(self.text))
    }

    fn month_at(&self, at: usize) -> Option<i8> {
        let token = self.token(at)?;
        let month = LEXICON.month_number(token.word)?;
        // `may` and `mar` in lower case are other words.
        token.shape.capital.then_some(month)
    }

    /// A day of the month: `3`, `3rd`, `3.`
    fn day_at(&self, at: usize) -> Option<i8> {
        let token = self.token(at).filter(|token| token.kind == LexiconTokenKind::Number)?;
        let said = token.text_in(self.text);
        let digits = said.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let ending = said.get(digits.len()..)?;
        if !matches!(ending, "" | "st" | "nd" | "rd" | "th" | "er") || digits.len() > 2 {
            return None;
        }
        digits.parse().ok().filter(|day| (1..=31).contains(day))
    }

    fn year_at(&self, at: usize) -> Option<i16> {
        let token = self.token(at).filter(|token| token.kind == LexiconTokenKind::Number)?;
        let said = token.text_in(self.text);
        let fits = said.len() == 4 && said.bytes().all(|byte| byte.is_ascii_digit());
        fits.then(|| said.parse().ok()).flatten().filter(|year| (1000..=2199).contains(year))
    }

    fn is_sign_at(&self, at: usize, sign: char) -> bool {
        self.token(at).is_some_and(|token| token.is_sign(sign))
    }

    fn lowercase_at(&self, at: usize) -> String {
        let said = self.word_at(at);
        if said.len() > 16 { String::new() } else { said.to_lowercase() }
    }
}

/// The time that begins at a token, and how many tokens it has.
fn time_at(
    text: &str,
    tokens: &[LexiconToken],
    at: usize,
    written: Option<PartialDate>,
) -> Option<(PartialDate, usize)> {
    let reader = DateReader { text, tokens };
    let token = reader.token(at)?;
    match token.kind {
        LexiconTokenKind::Number => date_from_number(&reader, at, written),
        LexiconTokenKind::Word => month_first(&reader, at, written)
            .or_else(|| season_or_quarter(&reader, at, written))
            .or_else(|| relative_date(&reader, at, written?)),
        _ => None,
    }
}

fn date_from_number(reader: &DateReader<'_>, at: usize, written: Option<PartialDate>) -> Option<(PartialDate, usize)> {
    let said = reader.word_at(at);
    if let Some(date) = parse_numeric_date(said) {
        return Some((date, 1));
    }
    if let Some(day) = reader.day_at(at) {
        // `12 May 2024`, `12. Mai`, `3rd of March`, `12 to 14 May`.
        let mut next = at + 1;
        if reader.is_sign_at(next, '.') {
            next += 1;
        }
        if matches!(reader.lowercase_at(next).as_str(), "of" | "de") {
            next += 1;
        }
        let range = matches!(reader.lowercase_at(next).as_str(), "to" | "and" | "bis")
            || reader.is_sign_at(next, '–')
            || reader.is_sign_at(next, '-');
        if range && reader.day_at(next + 1).is_some() && reader.month_at(next + 2).is_some() {
            next += 2;
        }
        if let Some(month) = reader.month_at(next) {
            let mut after = next + 1;
            if reader.is_sign_at(after, '.') && reader.year_at(after + 1).is_some()
                || reader.is_sign_at(after, ',') && reader.year_at(after + 1).is_some()
            {
                after += 1;
            }
            if matches!(reader.lowercase_at(after).as_str(), "de") {
                after += 1;
            }
            if let Some(year) = reader.year_at(after) {
                return Some((PartialDate::new(year, Some(month), Some(day))?, after + 1 - at));
            }
            let year = near_year(month, Some(day), written)?;
            return Some((PartialDate::new(year, Some(month), Some(day))?, next + 1 - at));
        }
    }
    // A year alone counts only after `in`, `since`, `by` and the like: `2024` may be any number.
    let year = reader.year_at(at).filter(|year| (1700..=2100).contains(year))?;
    let before = at.checked_sub(1).map(|before| reader.lowercase_at(before)).unwrap_or_default();
    let fits = matches!(
        before.as_str(),
        "in" | "since"
            | "by"
            | "until"
            | "during"
            | "of"
            | "from"
            | "early"
            | "late"
            | "mid"
            | "year"
            | "before"
            | "after"
            | "im"
            | "jahr"
            | "seit"
            | "bis"
            | "en"
            | "depuis"
            | "desde"
    );
    let counts = reader.token(at + 1).is_some_and(|next| {
        next.kind == LexiconTokenKind::Word
            && !next.has_trait(super::lexicon::GRAMMAR)
            && !next.shape.capital
            && before == "of"
    });
    (fits && !counts).then(|| PartialDate::new(year, None, None)).flatten().map(|date| (date, 1))
}

/// `2024-05-12`, `12/05/2024`, `12.05.2024`, and a time of day after `T`.
fn parse_numeric_date(said: &str) -> Option<PartialDate> {
    if said.len() > 32 || said.len() < 7 {
        return None;
    }
    let day = said.split_once('T').map_or(said, |(day, _)| day);
    for sign in ['-', '/', '.'] {
        let mut parts = day.split(sign);
        let (Some(first), Some(second), third, None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let number = |part: &str| {
            (part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit()))
                .then(|| part.parse::<i16>().ok())
                .flatten()
        };
        let small = |number: i16| i8::try_from(number).ok();
        let (one, two) = (number(first)?, number(second)?);
        let three = match third {
            None => None,
            Some(third) => Some((third.len(), number(third)?)),
        };
        if first.len() == 4 && (1000..=2199).contains(&one) && second.len() == 2 && sign != '.' {
            let day = match three {
                None => None,
                Some((_, day)) => Some(small(day)?),
            };
            return PartialDate::new(one, Some(small(two)?), day);
        }
        let (length, year) = three?;
        let year = match length {
            4 => year,
            2 if sign != '-' => 2000 + year,
            _ => return None,
        };
        if !(1000..=2199).contains(&year) {
            return None;
        }
        // With dots the day comes first; with slashes the month does, unless it cannot.
        let (month, day) = if sign == '.' || one > 12 { (two, one) } else { (one, two) };
        return PartialDate::new(year, Some(small(month)?), Some(small(day)?));
    }
    None
}

/// `March 3`, `March 3, 2024`, `March 3rd`, `March 2024`, `May`.
fn month_first(reader: &DateReader<'_>, at: usize, written: Option<PartialDate>) -> Option<(PartialDate, usize)> {
    let month = reader.month_at(at)?;
    let mut next = at + 1;
    if reader.is_sign_at(next, '.')
        && reader.token(next + 1).is_some_and(|token| token.kind == LexiconTokenKind::Number)
    {
        next += 1;
    }
    if let Some(day) = reader.day_at(next) {
        let mut after = next + 1;
        // `March 3-5`, `March 3 to 5`.
        if (reader.is_sign_at(after, '–') || reader.is_sign_at(after, '-')) && reader.day_at(after + 1).is_some() {
            after += 2;
        }
        let comma = usize::from(reader.is_sign_at(after, ','));
        if let Some(year) = reader.year_at(after + comma) {
            return Some((PartialDate::new(year, Some(month), Some(day))?, after + comma + 1 - at));
        }
        let year = near_year(month, Some(day), written)?;
        return Some((PartialDate::new(year, Some(month), Some(day))?, after - at));
    }
    let skip = usize::from(reader.is_sign_at(next, ',') || matches!(reader.lowercase_at(next).as_str(), "of" | "de"));
    if let Some(year) = reader.year_at(next + skip) {
        return Some((PartialDate::new(year, Some(month), None)?, next + skip + 1 - at));
    }
    // A month alone needs a word before it: `in March`; `May` and `March` begin sentences too.
    let before = at.checked_sub(1).map(|before| reader.lowercase_at(before)).unwrap_or_default();
    let fits = matches!(
        before.as_str(),
        "in" | "by"
            | "since"
            | "until"
            | "of"
            | "early"
            | "late"
            | "mid"
            | "during"
            | "for"
            | "last"
            | "next"
            | "this"
            | "before"
            | "after"
            | "from"
            | "to"
            | "im"
            | "bis"
            | "ende"
            | "anfang"
            | "mitte"
            | "seit"
            | "en"
            | "fin"
            | "début"
    );
    if !fits || reader.word_at(at).len() < 3 {
        return None;
    }
    let written = written?;
    let year = match before.as_str() {
        "last" => {
            let earlier = written.month().is_none_or(|now| month < now);
            written.year() - i16::from(!earlier)
        }
        "next" => written.year() + i16::from(written.month().is_some_and(|now| month <= now)),
        _ => near_year(month, None, Some(written))?,
    };
    Some((PartialDate::new(year, Some(month), None)?, 1))
}

/// The year in which a day without one is meant: the one that brings it nearest to the day of writing.
fn near_year(month: i8, day: Option<i8>, written: Option<PartialDate>) -> Option<i16> {
    let written = written?;
    let (Some(now), year) = (written.month(), written.year()) else { return Some(written.year()) };
    let place = |month: i8, day: i8| i32::from(month) * 31 + i32::from(day);
    let ahead = place(month, day.unwrap_or(15)) - place(now, written.day().unwrap_or(15));
    Some(match ahead {
        ahead if ahead > 31 * 8 => year - 1,
        ahead if ahead < -31 * 8 => year + 1,
        _ => year,
    })
}

/// `Q3 2024`, `Q3`, `summer 2024`, `H1 2025`.
fn season_or_quarter(reader: &DateReader<'_>, at: usize, written: Option<PartialDate>) -> Option<(PartialDate, usize)> {
    let said = reader.word_at(at);
    let bytes = said.as_bytes();
    let month = match bytes {
        [b'Q' | b'q', quarter @ b'1'..=b'4'] => i8::try_from(quarter - b'0').ok()? * 3,
        [b'H', half @ b'1'..=b'2'] => i8::try_from(half - b'0').ok()? * 6,
        _ => {
            let season = said.len() <= 9
                && matches!(
                    reader.lowercase_at(at).as_str(),
                    "spring" | "summer" | "autumn" | "fall" | "winter" | "sommer" | "herbst"
                );
            let next = at + 1 + usize::from(reader.lowercase_at(at + 1) == "of");
            let year = reader.year_at(next).filter(|_| season)?;
            return Some((PartialDate::new(year, None, None)?, next + 1 - at));
        }
    };
    let next = at + 1 + usize::from(reader.lowercase_at(at + 1) == "of");
    if let Some(year) = reader.year_at(next) {
        return Some((PartialDate::new(year, Some(month), None)?, next + 1 - at));
    }
    Some((PartialDate::new(written?.year(), Some(month), None)?, 1))
}

fn to_full_date(date: PartialDate) -> Option<Date> {
    Date::new(date.year(), date.month()?, date.day()?).ok()
}

fn to_partial_date(date: Date) -> Option<PartialDate> {
    PartialDate::new(date.year(), Some(date.month()), Some(date.day()))
}

/// Parses dates relative to the day of writing: `tomorrow`, `next Friday`, `in two weeks`, `end of month`.
fn relative_date(reader: &DateReader<'_>, at: usize, written: PartialDate) -> Option<(PartialDate, usize)> {
    let first = reader.lowercase_at(at);
    let second = reader.lowercase_at(at + 1);
    let days =
        |days: i64| to_full_date(written).and_then(|today| today.checked_add(Span::new().try_days(days).ok()?).ok());
    let plus = |number: i64, unit: &str| shift_date(written, number, unit);
    let weekday =
        |at: usize| reader.token(at).filter(|t| t.shape.capital).and_then(|token| LEXICON.weekday_number(token.word));
    match first.as_str() {
        "today" | "tonight" | "heute" | "hoy" => return Some((to_partial_date(days(0)?)?, 1)),
        "tomorrow" | "demain" | "mañana" => return Some((to_partial_date(days(1)?)?, 1)),
        "morgen" if !reader.token(at)?.shape.capital => return Some((to_partial_date(days(1)?)?, 1)),
        "yesterday" | "gestern" | "hier" | "ayer" => return Some((to_partial_date(days(-1)?)?, 1)),
        "übermorgen" => return Some((to_partial_date(days(2)?)?, 1)),
        "eod" | "cob" if weekday(at + 1).is_none() => return Some((to_partial_date(days(0)?)?, 1)),
        "eow" => return Some((to_partial_date(on_weekday(to_full_date(written)?, 5, 0)?)?, 1)),
        "eom" => return Some((plus(0, "month")?, 1)),
        "aujourd'hui" => return Some((to_partial_date(days(0)?)?, 1)),
        _ => {}
    }
    if matches!(
        first.as_str(),
        "next"
            | "last"
            | "this"
            | "coming"
            | "past"
            | "nächsten"
            | "nächste"
            | "letzten"
            | "letzte"
            | "kommenden"
            | "previous"
            | "following"
    ) {
        let step = match first.as_str() {
            "next" | "coming" | "nächsten" | "nächste" | "kommenden" | "following" => 1,
            "last" | "past" | "letzten" | "letzte" | "previous" => -1,
            _ => 0,
        };
        if let Some(day) = weekday(at + 1) {
            return Some((to_partial_date(on_weekday(to_full_date(written)?, day, step)?)?, 2));
        }
        let unit = time_unit(&second)?;
        return Some((if unit == "quarter" { shift_quarter(written, step)? } else { plus(step, unit)? }, 2));
    }
    // `in two weeks`, `within 3 days`, `two weeks ago`.
    if matches!(first.as_str(), "in" | "within") {
        let number = number_at(reader, at + 1)?;
        let unit = time_unit(&reader.lowercase_at(at + 2))?;
        return Some((plus(number, unit)?, 3));
    }
    if let Some(number) = number_at(reader, at)
        && let Some(unit) = time_unit(&second)
        && reader.lowercase_at(at + 2) == "ago"
    {
        return Some((plus(-number, unit)?, 3));
    }
    // `end of month`, `end of the week`, `end of Q3`, `the end of June 2025`.
    if matches!(first.as_str(), "end" | "ende") {
        let mut next = at + 1;
        for word in ["of", "the", "this", "des", "der", "next"] {
            if reader.lowercase_at(next) == word {
                next += 1;
            }
        }
        let step = i64::from(reader.lowercase_at(next - 1) == "next");
        let said = reader.lowercase_at(next);
        return match time_unit(&said)? {
            "week" => Some((to_partial_date(on_weekday(to_full_date(written)?, 5, step)?)?, next + 1 - at)),
            "day" => Some((to_partial_date(days(0)?)?, next + 1 - at)),
            "quarter" => Some((shift_quarter(written, step)?, next + 1 - at)),
            unit => Some((plus(step, unit)?, next + 1 - at)),
        };
    }
    // A bare `Friday`, and `on Friday`: the next one where something is still to come, the last one where it was.
    let day = weekday(at)?;
    if reader.word_at(at).len() < 5 && first != "tues" && !reader.is_sign_at(at + 1, '.') {
        return None;
    }
    let before = at.checked_sub(1).map(|before| reader.lowercase_at(before)).unwrap_or_default();
    if matches!(before.as_str(), "first" | "second" | "third" | "fourth" | "every" | "each" | "a" | "any" | "jeden") {
        return None;
    }
    let to_come = matches!(before.as_str(), "by" | "until" | "till" | "before" | "bis")
        || reader.tokens.iter().take(at).any(|token| {
            let said = token.text_in(reader.text);
            matches!(said, "will" | "to" | "shall" | "plan" | "plans" | "wird" | "werden")
                || said.ends_with("'ll")
                || said.ends_with("’ll")
        });
    let today = to_full_date(written)?;
    let date = if to_come { on_weekday(today, day, 0)? } else { last_weekday(today, day)? };
    Some((to_partial_date(date)?, 1))
}

/// `Friday` of this week or the next one that comes (`step` 0), of next week (1) or of last week (-1).
fn on_weekday(today: Date, day: i8, step: i64) -> Option<Date> {
    let now = today.weekday().to_monday_one_offset();
    let offset = match step {
        0 => (day - now).rem_euclid(7),
        1 => day - now + if day > now && now <= 2 && day - now >= 5 { 0 } else { 7 },
        _ => day - now - 7 + if day < now { 7 } else { 0 },
    };
    debug_assert!(Weekday::from_monday_one_offset(day).is_ok());
    today.checked_add(Span::new().try_days(i64::from(offset)).ok()?).ok()
}

fn last_weekday(today: Date, day: i8) -> Option<Date> {
    let back = (today.weekday().to_monday_one_offset() - day).rem_euclid(7);
    today.checked_sub(Span::new().try_days(i64::from(back)).ok()?).ok()
}

/// The quarter of a day, `step` quarters on, by its last month.
fn shift_quarter(written: PartialDate, step: i64) -> Option<PartialDate> {
    let month = i64::from(written.month()?);
    let quarters = i64::from(written.year()) * 4 + (month - 1) / 3 + step;
    let year = i16::try_from(quarters.div_euclid(4)).ok()?;
    PartialDate::new(year, i8::try_from(quarters.rem_euclid(4) * 3 + 3).ok(), None)
}

/// A number of units on, only as exact as the unit and the day of writing are.
fn shift_date(written: PartialDate, number: i64, unit: &str) -> Option<PartialDate> {
    let from = Date::new(written.year(), written.month().unwrap_or(1), written.day().unwrap_or(1)).ok()?;
    let step = Span::new();
    match unit {
        "day" => to_partial_date(to_full_date(written)?.checked_add(step.try_days(number).ok()?).ok()?),
        "week" => {
            let date = to_full_date(written)?.checked_add(step.try_weeks(number).ok()?).ok()?;
            to_partial_date(date)
        }
        "month" => {
            written.month()?;
            let date = from.checked_add(step.try_months(number).ok()?).ok()?;
            PartialDate::new(date.year(), Some(date.month()), None)
        }
        "quarter" => shift_quarter(written, number),
        "year" => {
            let date = from.checked_add(step.try_years(number).ok()?).ok()?;
            PartialDate::new(date.year(), None, None)
        }
        _ => None,
    }
}

fn time_unit(word: &str) -> Option<&'static str> {
    Some(match word {
        "day" | "days" | "tag" | "tage" | "tagen" => "day",
        "week" | "weeks" | "woche" | "wochen" => "week",
        "month" | "months" | "monat" | "monate" | "monaten" | "monats" => "month",
        "quarter" | "quarters" | "quartal" => "quarter",
        "year" | "years" | "jahr" | "jahre" | "jahren" | "jahres" => "year",
        _ => return None,
    })
}

fn number_at(reader: &DateReader<'_>, at: usize) -> Option<i64> {
    let said = reader.lowercase_at(at);
    let word = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
        .iter()
        .zip(1..)
        .find(|(word, _)| **word == said)
        .map(|(_, number)| number);
    let german = || {
        ["zwei", "drei", "vier", "fünf", "sechs"]
            .iter()
            .zip(2..)
            .find(|(word, _)| **word == said)
            .map(|(_, number)| number)
    };
    word.or_else(|| matches!(said.as_str(), "a" | "an" | "einer" | "einem").then_some(1))
        .or_else(german)
        .or_else(|| said.parse().ok().filter(|number| (1..=400).contains(number)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::tokens::tokenize;

    #[track_caller]
    fn says(sentence: &str, expected: &str) {
        let mut tokens = Vec::new();
        tokenize(sentence, 0..sentence.len(), &mut tokens);
        let mut found = Vec::new();
        // A Wednesday.
        find_dates(sentence, &tokens, "2024-05-15".parse().ok(), &mut found);
        let said: Vec<String> = found.iter().map(|when| when.date.to_string()).collect();
        assert_eq!(said.join(" "), expected, "{sentence}");
    }

    #[test]
    fn days_of_the_calendar_in_many_forms() {
        says("The migration was completed on 12 May 2024.", "2024-05-12");
        says("Alice Chen will send the report by March 3.", "2024-03-03");
        says("It opened on March 3rd, 2021 and closed in June 2022.", "2021-03-03 2022-06");
        says("Am 3. Mai 2023 kam er.", "2023-05-03");
        says("2024-05-12, 05/13/2024, 31/12/2023 and 1.2.2024", "2024-05-12 2024-05-13 2023-12-31 2024-02-01");
        says("From 7 to 11 April 2025 they dived.", "2025-04-07");
        says("Founded in 1988, it has 2024 members.", "1988");
        says("By Q3 2025 or in Q4.", "2025-09 2024-12");
        says("We may march on.", "");
        says("It is due before the end of June 2025.", "2025-06");
        says("The storm of 18 November 2024 broke it.", "2024-11-18");
    }

    #[test]
    fn days_counted_from_the_day_of_writing() {
        says("today, tomorrow and yesterday", "2024-05-15 2024-05-16 2024-05-14");
        says("I will send it by Friday.", "2024-05-17");
        says("They met on Monday.", "2024-05-13");
        says("next Friday", "2024-05-24");
        says("last Friday", "2024-05-10");
        says("in two weeks", "2024-05-29");
        says("three days ago", "2024-05-12");
        says("by end of month", "2024-05");
        says("by the end of the week", "2024-05-17");
        says("next quarter", "2024-09");
        says("last year", "2023");
        says("in December", "2024-12");
    }
}
