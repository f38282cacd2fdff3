//! When something is, as a sentence says it. Days of the calendar are read by [`ibid_language::dates`]; here are those
//! that are counted from the day of writing: `tomorrow`, `next Friday`, `in two weeks`, a day without its year.

use ibid_domain::PartialDate;
use ibid_language::{
    dates::{CalendarDate, DatePrecision, dates},
    lexicon::{TimeUnit, TimeWords},
    numbers::spelled_number,
    words::lower,
};
use jiff::{
    Span,
    civil::{Date, Weekday},
};

use super::{
    lexicon::LanguageWords,
    tokens::{LexiconToken, LexiconTokenKind},
    traits::*,
};

/// A time that a sentence names, and where: the tokens from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentenceDate {
    /// Date, as exact as the text states it.
    pub date: PartialDate,
    /// Index of its first token, inclusive.
    pub start: usize,
    /// Index after the last token.
    pub end: usize,
}

/// The times that a sentence names, in order, counted from `written`.
pub fn find_dates(
    text: &str,
    words: &LanguageWords,
    tokens: &[LexiconToken],
    written: Option<PartialDate>,
    found: &mut Vec<SentenceDate>,
) {
    found.clear();
    let mut calendar = calendar_dates(text, words, tokens).into_iter().peekable();
    // Words are needed for days that are counted only, and most sentences have none.
    let is_counted =
        |token: &LexiconToken| token.has_trait(TIME_WORD | MONTH | END_OF_DAY | END_OF_WEEK | END_OF_MONTH);
    let counted_from = written.filter(|_| tokens.iter().any(is_counted));
    let needed = if counted_from.is_some() { tokens } else { &[] };
    let lowered = needed.iter().map(|token| lower(token.text_in(text))).collect();
    let reader = SentenceDateReader { text, tokens, words, lower: lowered };
    let mut at = 0;
    while at < tokens.len() {
        while calendar.next_if(|(_, start, _)| *start < at).is_some() {}
        let mention = reader.quarter_at(at, written).or_else(|| {
            let (date, start, end) = calendar.next_if(|(_, start, _)| *start == at)?;
            Some((reader.complete_date(date, start, end, written)?, end))
        });
        match mention.or_else(|| reader.relative_date(at, counted_from?)) {
            Some((date, end)) => {
                found.push(SentenceDate { date, start: at, end });
                at = end.max(at + 1);
            }
            None => at += 1,
        }
    }
}

/// The dates of the calendar that a sentence names, with their first token and one past their last.
fn calendar_dates(text: &str, words: &LanguageWords, tokens: &[LexiconToken]) -> Vec<(CalendarDate, usize, usize)> {
    let has_date = |token: &LexiconToken| token.kind == LexiconTokenKind::Number || token.has_trait(MONTH);
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return Vec::new() };
    let Some(sentence) = text.get(first.start..last.end).filter(|_| tokens.iter().any(has_date)) else {
        return Vec::new();
    };
    dates(sentence, Some(words.lexicon.language))
        .into_iter()
        .filter_map(|mention| {
            let start = tokens.partition_point(|token| token.end <= first.start + mention.range.start);
            let end = tokens.partition_point(|token| token.start < first.start + mention.range.end);
            let is_date = mention.is_marked || words.has_bare_years && is_bare_year(tokens, start, end);
            is_date.then_some((mention.date, start, end))
        })
        .collect()
}

/// Whether a number stands between an auxiliary verb and another verb, so that it counts nothing: `wurde 2022 erhöht`.
fn is_bare_year(tokens: &[LexiconToken], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|before| tokens.get(before));
    let after = tokens.get(end).filter(|after| after.kind == LexiconTokenKind::Word);
    before.is_none_or(|before| before.has_trait(AUXILIARY)) && after.is_some_and(|after| !after.is_capital())
}

struct SentenceDateReader<'a> {
    text: &'a str,
    tokens: &'a [LexiconToken],
    words: &'a LanguageWords,
    /// Each token in lower case, if there is a day to count from.
    lower: Vec<String>,
}

impl SentenceDateReader<'_> {
    fn token(&self, at: usize) -> Option<&LexiconToken> {
        self.tokens.get(at)
    }

    fn word_at(&self, at: usize) -> &str {
        self.token(at).map_or("", |token| token.text_in(self.text))
    }

    fn lower_at(&self, at: usize) -> &str {
        self.lower.get(at).map_or("", String::as_str)
    }

    fn has_trait(&self, at: usize, traits: Traits) -> bool {
        self.token(at).is_some_and(|token| token.has_trait(traits))
    }

    fn is_before(&self, at: usize, traits: Traits) -> bool {
        at.checked_sub(1).is_some_and(|before| self.has_trait(before, traits))
    }

    fn time(&self) -> &TimeWords {
        &self.words.lexicon.time
    }

    /// `next` is 1, `last` is -1 and `this` is 0.
    fn step_at(&self, at: usize) -> Option<i64> {
        self.time().steps.get(self.lower_at(at)).copied().map(i64::from)
    }

    fn unit_at(&self, at: usize) -> Option<TimeUnit> {
        self.time().units.get(self.lower_at(at)).copied()
    }

    /// The day of the week that a token names, Monday being 1.
    fn weekday_at(&self, at: usize) -> Option<i8> {
        let day = self.time().weekdays.get(self.lower_at(at)).copied()?;
        let is_written_so = !self.time().capital_months || self.token(at)?.shape.capital;
        is_written_so.then_some(day)
    }

    fn year_at(&self, at: usize) -> Option<i16> {
        let said = self.word_at(at);
        let fits = said.len() == 4 && said.bytes().all(|byte| byte.is_ascii_digit());
        fits.then(|| said.parse().ok()).flatten().filter(|year| (1000..=2199).contains(year))
    }

    fn number_at(&self, at: usize) -> Option<i64> {
        if self.has_trait(at, ONE) {
            return Some(1);
        }
        let said = self.lower_at(at);
        let spelled = || spelled_number(said, self.words.lexicon.language).map(|number| number as i64);
        said.parse().ok().or_else(spelled).filter(|number| (1..=400).contains(number))
    }

    /// A date of the calendar with its year, which is the nearest one where the text names none.
    fn complete_date(
        &self,
        date: CalendarDate,
        start: usize,
        end: usize,
        written: Option<PartialDate>,
    ) -> Option<PartialDate> {
        let month = date.month.unwrap_or(1);
        match date.precision() {
            // A number may be any: `of 2024 members`.
            DatePrecision::Year => {
                let counts = self.is_before(start, OF)
                    && self.token(end).is_some_and(|next| {
                        next.kind == LexiconTokenKind::Word && !next.has_trait(GRAMMAR) && !next.shape.capital
                    });
                PartialDate::new(date.year.filter(|year| (1700..=2100).contains(year) && !counts)?, None, None)
            }
            DatePrecision::Month | DatePrecision::Day => PartialDate::new(date.year?, date.month, date.day),
            DatePrecision::DayWithoutYear => {
                PartialDate::new(near_year(month, date.day, written)?, date.month, date.day)
            }
            DatePrecision::MonthWithoutYear => {
                let written = written?;
                let before = start.checked_sub(1).and_then(|before| self.step_at(before));
                let year = match before.or_else(|| self.step_at(end)) {
                    Some(-1) => written.year() - i16::from(written.month().is_some_and(|now| month >= now)),
                    Some(1) => written.year() + i16::from(written.month().is_some_and(|now| month <= now)),
                    _ => near_year(month, None, Some(written))?,
                };
                PartialDate::new(year, date.month, None)
            }
        }
    }

    /// `Q3 2024`, `Q3`, `H1 2025`: the last month of it, and one past its last token.
    fn quarter_at(&self, at: usize, written: Option<PartialDate>) -> Option<(PartialDate, usize)> {
        let month = match self.word_at(at).as_bytes() {
            [b'Q' | b'q' | b'T', quarter @ b'1'..=b'4'] => i8::try_from(quarter - b'0').ok()? * 3,
            [b'H', half @ b'1'..=b'2'] => i8::try_from(half - b'0').ok()? * 6,
            _ => return None,
        };
        let next = at + 1 + usize::from(self.has_trait(at + 1, OF));
        if let Some(year) = self.year_at(next) {
            return Some((PartialDate::new(year, Some(month), None)?, next + 1));
        }
        Some((PartialDate::new(written?.year(), Some(month), None)?, at + 1))
    }

    /// A day that is counted from the day of writing, and one past its last token.
    fn relative_date(&self, at: usize, written: PartialDate) -> Option<(PartialDate, usize)> {
        if self.token(at)?.kind == LexiconTokenKind::Sign(',') {
            return None;
        }
        self.day_from_now(at, written)
            .or_else(|| self.stepped_date(at, written))
            .or_else(|| self.counted_date(at, written))
            .or_else(|| self.end_of_unit(at, written))
            .or_else(|| self.weekday_alone(at, written))
    }

    /// `today`, `tomorrow`, `EOD`.
    fn day_from_now(&self, at: usize, written: PartialDate) -> Option<(PartialDate, usize)> {
        let today = to_full_date(written);
        if self.has_trait(at, END_OF_DAY) && self.weekday_at(at + 1).is_none() {
            return Some((to_partial_date(today?)?, at + 1));
        }
        if self.has_trait(at, END_OF_WEEK) {
            return Some((to_partial_date(on_weekday(today?, FRIDAY, 0)?)?, at + 1));
        }
        if self.has_trait(at, END_OF_MONTH) {
            return Some((shift_date(written, 0, TimeUnit::Month)?, at + 1));
        }
        let (length, days) = self.time().days_from_now.longest_at(&self.lower, at)?;
        // `der Morgen`, `la mañana`: the part of the day.
        let opens =
            at.checked_sub(1).is_none_or(|before| matches!(self.tokens[before].kind, LexiconTokenKind::Sign(_)));
        let is_noun = self.words.lexicon.has_capital_nouns && !opens && self.token(at)?.shape.capital;
        if is_noun || self.is_before(at, DETERMINER) {
            return None;
        }
        let date = today?.checked_add(Span::new().try_days(i64::from(days)).ok()?).ok()?;
        Some((to_partial_date(date)?, at + length))
    }

    /// `next Friday`, `last month`, `la semaine prochaine`, `venerdì scorso`.
    fn stepped_date(&self, at: usize, written: PartialDate) -> Option<(PartialDate, usize)> {
        let (step, named) = match self.step_at(at) {
            Some(step) => (step, at + 1),
            None if self.words.has_adjectives_behind => (self.step_at(at + 1).filter(|step| *step != 0)?, at),
            None => return None,
        };
        if let Some(day) = self.weekday_at(named) {
            return Some((to_partial_date(on_weekday(to_full_date(written)?, day, step)?)?, at + 2));
        }
        Some((shift_date(written, step, self.unit_at(named)?)?, at + 2))
    }

    /// `in two weeks`, `within 3 days`, `two weeks ago`, `il y a trois jours`.
    fn counted_date(&self, at: usize, written: PartialDate) -> Option<(PartialDate, usize)> {
        if self.has_trait(at, IN_TIME) {
            // `dentro de dos semanas`
            let from = at + 1 + usize::from(self.has_trait(at + 1, OF | PREPOSITION));
            if let (Some(number), Some(unit)) = (self.number_at(from), self.unit_at(from + 1)) {
                return Some((shift_date(written, number, unit)?, from + 2));
            }
        }
        let ago = &self.time().ago;
        if let Some((length, ())) = ago.longest_at(&self.lower, at) {
            let (number, unit) = (self.number_at(at + length)?, self.unit_at(at + length + 1)?);
            return Some((shift_date(written, -number, unit)?, at + length + 2));
        }
        let (number, unit) = (self.number_at(at)?, self.unit_at(at + 1)?);
        let (length, ()) = ago.longest_at(&self.lower, at + 2)?;
        Some((shift_date(written, -number, unit)?, at + 2 + length))
    }

    /// `end of month`, `end of the week`, `end of next quarter`.
    fn end_of_unit(&self, at: usize, written: PartialDate) -> Option<(PartialDate, usize)> {
        const MOST_WORDS_BETWEEN: usize = 3;
        if !self.has_trait(at, END) {
            return None;
        }
        let mut next = at + 1;
        let mut step = 0;
        while next <= at + MOST_WORDS_BETWEEN && self.unit_at(next).is_none() {
            match self.step_at(next) {
                Some(found) => step = found,
                None if self.has_trait(next, OF | DETERMINER | PREPOSITION) => {}
                None => return None,
            }
            next += 1;
        }
        let date = match self.unit_at(next)? {
            TimeUnit::Week => to_partial_date(on_weekday(to_full_date(written)?, FRIDAY, step)?)?,
            TimeUnit::Day => to_partial_date(to_full_date(written)?)?,
            unit => shift_date(written, step, unit)?,
        };
        Some((date, next + 1))
    }

    /// A bare `Friday`, and `on Friday`: the next one where something is still to come, the last one where it was.
    fn weekday_alone(&self, at: usize, written: PartialDate) -> Option<(PartialDate, usize)> {
        const SHORTEST_NAME: usize = 4;
        let day = self.weekday_at(at)?;
        let is_short = self.lower_at(at).chars().count() < SHORTEST_NAME;
        if is_short && !self.token(at + 1).is_some_and(|next| next.is_sign('.')) || self.is_before(at, REPEATS) {
            return None;
        }
        // `a sexta fase` counts phases.
        let noun_follows =
            self.token(at + 1).is_some_and(|next| next.kind == LexiconTokenKind::Word && !next.has_trait(GRAMMAR));
        if self.has_trait(at, ORDINAL) && noun_follows {
            return None;
        }
        let to_come =
            self.has_trait_before(at, BY_WHEN) || self.tokens.iter().take(at).any(|token| token.has_trait(FUTURE));
        let today = to_full_date(written)?;
        let date = if to_come { on_weekday(today, day, 0)? } else { last_weekday(today, day)? };
        Some((to_partial_date(date)?, at + 1))
    }

    /// Whether a word right before a day, or before its article, has a trait: `para el viernes`.
    fn has_trait_before(&self, at: usize, traits: Traits) -> bool {
        let articles = (0..at).rev().take(2).take_while(|before| self.has_trait(*before, DETERMINER | PREPOSITION));
        articles.chain(at.checked_sub(1)).any(|before| self.has_trait(before, traits))
    }
}

const FRIDAY: i8 = 5;

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

fn to_full_date(date: PartialDate) -> Option<Date> {
    Date::new(date.year(), date.month()?, date.day()?).ok()
}

fn to_partial_date(date: Date) -> Option<PartialDate> {
    PartialDate::new(date.year(), Some(date.month()), Some(date.day()))
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
fn shift_date(written: PartialDate, number: i64, unit: TimeUnit) -> Option<PartialDate> {
    let from = Date::new(written.year(), written.month().unwrap_or(1), written.day().unwrap_or(1)).ok()?;
    let step = Span::new();
    match unit {
        TimeUnit::Day => to_partial_date(to_full_date(written)?.checked_add(step.try_days(number).ok()?).ok()?),
        TimeUnit::Week => to_partial_date(to_full_date(written)?.checked_add(step.try_weeks(number).ok()?).ok()?),
        TimeUnit::Month => {
            written.month()?;
            let date = from.checked_add(step.try_months(number).ok()?).ok()?;
            PartialDate::new(date.year(), Some(date.month()), None)
        }
        TimeUnit::Quarter => shift_quarter(written, number),
        TimeUnit::Year => {
            let date = from.checked_add(step.try_years(number).ok()?).ok()?;
            PartialDate::new(date.year(), None, None)
        }
    }
}

#[cfg(test)]
mod tests {
    use ibid_language::Language;

    use super::*;
    use crate::extract::{lexicon::LEXICON, tokens::tokenize};

    #[track_caller]
    fn says(sentence: &str, expected: &str) {
        says_in(Language::ENGLISH, sentence, expected);
    }

    #[track_caller]
    fn says_in(language: Language, sentence: &str, expected: &str) {
        let words = LEXICON.language(language);
        let mut tokens = Vec::new();
        tokenize(sentence, 0..sentence.len(), words, &mut tokens);
        let mut found = Vec::new();
        // A Wednesday.
        find_dates(sentence, words, &tokens, "2024-05-15".parse().ok(), &mut found);
        let said: Vec<String> = found.iter().map(|when| when.date.to_string()).collect();
        assert_eq!(said.join(" "), expected, "{sentence}");
    }

    #[test]
    fn days_of_the_calendar_in_many_forms() {
        says("The migration was completed on 12 May 2024.", "2024-05-12");
        says("Alice Chen will send the report by March 3.", "2024-03-03");
        says("It opened on March 3rd, 2021 and closed in June 2022.", "2021-03-03 2022-06");
        says_in(Language::GERMAN, "Am 3. Mai 2023 kam er.", "2023-05-03");
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

    #[test]
    fn counted_days_are_the_same_in_every_language() {
        let rows = [
            ("2024-05-16", ["tomorrow", "morgen", "demain", "mañana", "domani", "morgen", "amanhã"]),
            ("2024-05-14", ["yesterday", "gestern", "hier", "ayer", "ieri", "gisteren", "ontem"]),
            (
                "2024-05-24",
                [
                    "next Friday",
                    "nächsten Freitag",
                    "vendredi prochain",
                    "el próximo viernes",
                    "venerdì prossimo",
                    "volgende vrijdag",
                    "na próxima sexta-feira",
                ],
            ),
            (
                "2024-05-22",
                [
                    "next week",
                    "nächste Woche",
                    "la semaine prochaine",
                    "la próxima semana",
                    "la settimana prossima",
                    "volgende week",
                    "na próxima semana",
                ],
            ),
            (
                "2024-05-29",
                [
                    "in two weeks",
                    "in zwei Wochen",
                    "dans deux semaines",
                    "dentro de dos semanas",
                    "tra due settimane",
                    "over twee weken",
                    "daqui a duas semanas",
                ],
            ),
            (
                "2024-05-12",
                [
                    "three days ago",
                    "vor drei Tagen",
                    "il y a trois jours",
                    "hace tres días",
                    "tre giorni fa",
                    "drie dagen geleden",
                    "há três dias",
                ],
            ),
            (
                "2024-05-17",
                [
                    "by Friday",
                    "bis Freitag",
                    "avant vendredi",
                    "para el viernes",
                    "entro venerdì",
                    "uiterlijk vrijdag",
                    "até sexta-feira",
                ],
            ),
            (
                "2024-06-14",
                [
                    "on 14 June",
                    "am 14. Juni",
                    "le 14 juin",
                    "el 14 de junio",
                    "il 14 giugno",
                    "op 14 juni",
                    "em 14 de junho",
                ],
            ),
        ];
        for (expected, sentences) in rows {
            for (language, sentence) in Language::COMPLETE.into_iter().zip(sentences) {
                says_in(language, sentence, expected);
            }
        }
        says_in(Language::GERMAN, "am nächsten Morgen", "");
        says_in(Language::GERMAN, "Der Beitrag wurde 2022 erhöht.", "2022");
        says_in(Language::GERMAN, "Es wurden 2000 Bäume gepflanzt.", "");
        says_in(Language::SPANISH, "por la mañana", "");
        says_in(Language::PORTUGUESE, "a segunda fase", "");
    }
}
