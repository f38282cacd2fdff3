//! The day that somebody means who asks what is new since then.

use std::time::Duration;

use ibid_domain::{PartialDate, Timestamp};
use ibid_language::{
    Language, Lexicon,
    dates::DateReader,
    lexicon::TimeUnit,
    numbers::numbers_in,
    words::{TokenKind, TokenizedText},
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How far "lately" goes back.
const LATELY_DAYS: u32 = 30;

/// The beginning of the day that words name, seen from now; `None` if they name more than a day, or none. Without words,
/// the beginning of the last month.
pub(super) fn start_of(words: Option<&str>, language: Language, now: Timestamp) -> Option<Timestamp> {
    let Some(words) = words else { return Some(days_before(now, LATELY_DAYS)) };
    calendar_day(words, language, now).or_else(|| relative_day(words, language, now))
}

/// A date that the words consist of, but for little words.
fn calendar_day(words: &str, language: Language, now: Timestamp) -> Option<Timestamp> {
    let found = DateReader { language: Some(language), order: None }.find_all(words);
    let (year, month, day) = match &found[..] {
        [] => (None, Some(month_alone(words, language)?), None),
        [mention] => {
            let around = [words.get(..mention.range.start)?, words.get(mention.range.end..)?];
            if !around.iter().all(|part| is_little(part, language)) {
                return None;
            }
            (mention.date.year, mention.date.month, mention.date.day)
        }
        _ => return None,
    };
    let (this_year, ..) = civil(now)?;
    let start = |year: i16| PartialDate::new(year, month, day)?.start_timestamp();
    match year {
        Some(year) => start(year),
        // The last time that the calendar had it.
        None => start(this_year).filter(|at| *at <= now).or_else(|| start(this_year - 1)),
    }
}

/// The month that the words consist of, but for little words. In other texts a month alone may be another word.
fn month_alone(words: &str, language: Language) -> Option<i8> {
    let time = &Lexicon::of(language).time;
    let text = TokenizedText::new(words, language);
    let mut months = text.lower.iter().enumerate().filter_map(|(at, word)| Some((at, *time.months.get(word)?)));
    let (at, month) = months.next()?;
    let range = text.bytes(at..at + 1);
    let is_alone = is_little(words.get(..range.start)?, language) && is_little(words.get(range.end..)?, language);
    is_alone.then_some(month)
}

/// `yesterday`, `last week`, `Monday`, `three days ago`.
fn relative_day(words: &str, language: Language, now: Timestamp) -> Option<Timestamp> {
    let lexicon = Lexicon::of(language);
    let text = TokenizedText::new(words, language);
    let time = &lexicon.time;
    if let Some((range, days)) = time.days_from_now.find(&text.lower) {
        let rest = text.lower.iter().enumerate().filter(|(at, _)| !range.contains(at));
        let is_alone =
            rest.into_iter().all(|(at, word)| text.tokens[at].kind == TokenKind::Sign || lexicon.is_little(word));
        return (is_alone && days <= 0).then(|| days_before(now, u32::from(days.unsigned_abs())));
    }
    let count = numbers_in(&text).first().map(|number| number.value);
    let (mut unit, mut step, mut weekday, mut is_past) = (None, None, None, time.ago.is_in(&text.lower));
    for (at, word) in text.lower.iter().enumerate() {
        let known = time.units.get(word).copied();
        unit = unit.or(known);
        step = step.or(time.steps.get(word).copied());
        weekday = weekday.or(time.weekdays.get(word).copied());
        let is_known = known.is_some()
            || time.steps.contains_key(word)
            || time.weekdays.contains_key(word)
            || text.tokens[at].kind != TokenKind::Word
            || lexicon.is_little(word)
            || time.ago.contains(word)
            || lexicon.determiners.contains(word)
            || time.before.contains(word)
            || count.is_some() && !numbers_in(&TokenizedText::new(word, language)).is_empty();
        if !is_known {
            return None;
        }
    }
    is_past |= step == Some(-1);
    if let (Some(weekday), None) = (weekday, unit) {
        let today = weekday_of(now);
        let back = (i64::from(today) - i64::from(weekday)).rem_euclid(7);
        return Some(days_before(now, u32::try_from(if back == 0 { 7 } else { back }).ok()?));
    }
    let days = match unit? {
        TimeUnit::Day => 1,
        TimeUnit::Week => 7,
        TimeUnit::Month => 30,
        TimeUnit::Quarter => 91,
        TimeUnit::Year => 365,
    };
    match (count, step) {
        (Some(count), _) if is_past && (1.0..=1000.0).contains(&count) => Some(days_before(now, count as u32 * days)),
        (None, Some(-1)) => Some(days_before(now, days)),
        // This week and this year began some days ago.
        (None, Some(0)) => match unit? {
            TimeUnit::Week => Some(days_before(now, u32::try_from(weekday_of(now) - 1).ok()?)),
            TimeUnit::Month => {
                civil(now).and_then(|(year, month, _)| PartialDate::new(year, Some(month), None)?.start_timestamp())
            }
            TimeUnit::Year => civil(now).and_then(|(year, ..)| PartialDate::new(year, None, None)?.start_timestamp()),
            TimeUnit::Day => Some(days_before(now, 0)),
            TimeUnit::Quarter => None,
        },
        _ => None,
    }
}

fn is_little(part: &str, language: Language) -> bool {
    let lexicon = Lexicon::of(language);
    let text = TokenizedText::new(part, language);
    text.lower.iter().enumerate().all(|(at, word)| {
        text.tokens[at].kind != TokenKind::Word || lexicon.is_little(word) || lexicon.time.before.contains(word)
    })
}

/// Midnight at the beginning of the day that lies so many days before today.
fn days_before(now: Timestamp, days: u32) -> Timestamp {
    let micros_of_day = i64::try_from(DAY.as_micros()).unwrap_or(i64::MAX);
    let midnight = Timestamp::from_micros(now.as_micros() - now.as_micros().rem_euclid(micros_of_day));
    midnight.earlier_by(DAY * days)
}

/// The day of the week, Monday being 1.
fn weekday_of(now: Timestamp) -> i32 {
    let micros_of_day = i64::try_from(DAY.as_micros()).unwrap_or(i64::MAX);
    // The first of January 1970 was a Thursday.
    let day = (now.as_micros().div_euclid(micros_of_day) + 3).rem_euclid(7);
    i32::try_from(day).unwrap_or(0) + 1
}

/// Year, month and day in UTC.
fn civil(at: Timestamp) -> Option<(i16, i8, i8)> {
    let text = at.to_string();
    let mut parts = text.get(..10)?.splitn(3, '-');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// The day of a point in time, as `2026-03-01`.
pub(super) fn day_of(at: Timestamp) -> String {
    at.to_string().chars().take(10).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_in_seven_languages() {
        // A Tuesday.
        let now = Timestamp::parse_rfc3339("2026-11-17T15:00:00Z").unwrap();
        for (words, code, wanted) in [
            ("1 March 2026", "en", Some("2026-03-01")),
            ("2026-03-01", "en", Some("2026-03-01")),
            ("March", "en", Some("2026-03-01")),
            ("December", "en", Some("2025-12-01")),
            ("2024", "en", Some("2024-01-01")),
            ("yesterday", "en", Some("2026-11-16")),
            ("last week", "en", Some("2026-11-10")),
            ("Monday", "en", Some("2026-11-16")),
            ("Tuesday", "en", Some("2026-11-10")),
            ("this year", "en", Some("2026-01-01")),
            ("3 days ago", "en", Some("2026-11-14")),
            ("dem 1. März 2026", "de", Some("2026-03-01")),
            ("gestern", "de", Some("2026-11-16")),
            ("letzter Woche", "de", Some("2026-11-10")),
            ("le 1er mars 2026", "fr", Some("2026-03-01")),
            ("hier", "fr", Some("2026-11-16")),
            ("el 1 de marzo de 2026", "es", Some("2026-03-01")),
            ("ayer", "es", Some("2026-11-16")),
            ("1 marzo 2026", "it", Some("2026-03-01")),
            ("ieri", "it", Some("2026-11-16")),
            ("1 maart 2026", "nl", Some("2026-03-01")),
            ("gisteren", "nl", Some("2026-11-16")),
            ("1 de março de 2026", "pt", Some("2026-03-01")),
            ("ontem", "pt", Some("2026-11-16")),
            ("the harbour was rebuilt in 1931", "en", None),
            ("the storm", "en", None),
            ("tomorrow", "en", None),
            ("version 2", "en", None),
        ] {
            let language = Language::from_code(code).unwrap();
            assert_eq!(start_of(Some(words), language, now).map(day_of).as_deref(), wanted, "{words}");
        }
        assert_eq!(start_of(None, Language::ENGLISH, now).map(day_of).as_deref(), Some("2026-10-18"));
    }
}
