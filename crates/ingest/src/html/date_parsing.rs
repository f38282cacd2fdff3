//! Dates as people and programs write them on pages.

use ibid_domain::PartialDate;
pub(crate) use ibid_language::dates::DateOrder;
use ibid_language::{
    Language, Lexicon,
    dates::{CalendarDate, DateMention, DatePrecision, DateReader},
    lexicon::{month_in_any_language, weekday_in_any_language},
};

/// Bytes at the beginning of a line that are searched for a date. What stands further behind is no date of the page.
const SEARCHED: usize = 1500;

/// No page is older. Dates before it are those of what a page is about.
const FIRST_YEAR: i16 = 1900;

/// Returns true if the lower-case word is the name of a month in one of the known languages.
pub(crate) fn is_month(word: &str) -> bool {
    month_in_any_language(word).is_some()
}

/// Returns true if the lower-case word is the name of a weekday in one of the known languages. Of short names only the
/// English count: `do` and `sam` are people's names, too.
pub(crate) fn is_weekday(word: &str) -> bool {
    let is_english = || Lexicon::of(Language::ENGLISH).time.weekdays.contains_key(word);
    weekday_in_any_language(word).is_some() && (word.chars().count() > 3 || is_english())
}

/// The first day that `text` names.
pub(crate) fn find_date(text: &str, order: DateOrder) -> Option<PartialDate> {
    mentions(text, order).into_iter().find_map(|mention| page_date(mention.date, DatePrecision::Day))
}

/// The date that a machine wrote into an attribute: also a bare year, a month, or the seconds of a clock.
pub(crate) fn parse_machine_date(text: &str, order: DateOrder) -> Option<PartialDate> {
    let text = text.trim();
    if text.len() <= 10
        && let Ok(date) = text.parse()
    {
        return Some(date);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) && matches!(text.len(), 10 | 13) {
        return from_clock(text[..10].parse().ok()?);
    }
    find_date(text, order).or_else(|| month_only(text, order))
}

fn mentions(text: &str, order: DateOrder) -> Vec<DateMention> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let searched = &text[..text.floor_char_boundary(SEARCHED)];
    DateReader { language: None, order: Some(order) }.find_all(searched)
}

/// The date, if it is as exact as that and of the time of pages.
fn page_date(date: CalendarDate, precision: DatePrecision) -> Option<PartialDate> {
    let year = date.year.filter(|year| *year >= FIRST_YEAR && date.precision() == precision)?;
    PartialDate::new(year, date.month, date.day)
}

/// The day of a number of seconds since 1970.
fn from_clock(seconds: i64) -> Option<PartialDate> {
    let day = jiff::Timestamp::from_second(seconds).ok()?.to_zoned(jiff::tz::TimeZone::UTC).date();
    PartialDate::new(day.year(), Some(day.month()), Some(day.day()))
}

/// The month that is all that a text says.
fn month_only(text: &str, order: DateOrder) -> Option<PartialDate> {
    let mention = mentions(text, order).into_iter().next()?;
    if mention.range == (0..text.len()) { page_date(mention.date, DatePrecision::Month) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_people_write_them() {
        for (text, wanted) in [
            ("2024-05-01T10:00:00+02:00", "2024-05-01"),
            ("20240501", "2024-05-01"),
            ("2024/5/1", "2024-05-01"),
            ("Posted on May 1st, 2024 at 10:30", "2024-05-01"),
            ("May 01 2024", "2024-05-01"),
            ("Wed May 01 10:30:00 GMT 2024", "2024-05-01"),
            ("Wed, 01 May 2024 10:00:00 GMT", "2024-05-01"),
            ("1. Mai 2024, 10:30 Uhr", "2024-05-01"),
            ("Stand: 01.05.2024", "2024-05-01"),
            ("1.5.24", "2024-05-01"),
            ("1 de mayo de 2024", "2024-05-01"),
            ("publié le 1er mai 2024", "2024-05-01"),
            ("1 maggio 2024", "2024-05-01"),
            ("1º de maio de 2024", "2024-05-01"),
            ("1 мая 2024 г.", "2024-05-01"),
            ("2024. május 1.", "2024-05-01"),
            ("2024年5月1日", "2024-05-01"),
            ("2024년 5월 1일", "2024-05-01"),
            ("25/12/2024", "2024-12-25"),
            ("12/25/2024", "2024-12-25"),
            ("01-May-2024", "2024-05-01"),
            ("1 maja 2024", "2024-05-01"),
            ("1 травня 2024", "2024-05-01"),
        ] {
            let found = find_date(text, DateOrder::DayFirst).map(|date| date.to_string());
            assert_eq!(found.as_deref(), Some(wanted), "{text}");
        }
        assert_eq!(find_date("5/1/2024", DateOrder::MonthFirst).unwrap().to_string(), "2024-05-01");
        assert_eq!(find_date("5/1/2024", DateOrder::DayFirst).unwrap().to_string(), "2024-01-05");
    }

    #[test]
    fn what_only_looks_like_a_date_is_none() {
        for text in [
            "",
            "May",
            "10:30",
            "1.2.3.4",
            "12 May 10:30",
            "2024-13-45",
            "31.02.2024",
            "call 555-12-2024-1",
            "v1.2.2024.5",
            "192.168.10.12",
            "99999999",
            "May I 2024",
            "3/4 of 2024",
        ] {
            assert_eq!(find_date(text, DateOrder::DayFirst), None, "{text}");
        }
    }

    #[test]
    fn machines_state_less_or_more_than_a_day() {
        for (text, wanted) in [
            ("2024", "2024"),
            ("2024-05", "2024-05"),
            ("2024/05", "2024-05"),
            ("May 2024", "2024-05"),
            ("1714557600", "2024-05-01"),
            ("1714557600000", "2024-05-01"),
            ("951782400", "none"),
            ("0951782400", "2000-02-29"),
        ] {
            let found =
                parse_machine_date(text, DateOrder::DayFirst).map_or("none".to_owned(), |date| date.to_string());
            assert_eq!(found, wanted, "{text}");
        }
    }

    #[test]
    fn short_weekdays_of_other_languages_are_names_of_people() {
        for (word, expected) in
            [("sat", true), ("thurs", true), ("donnerstag", true), ("środa", true), ("do", false), ("sam", false)]
        {
            assert_eq!(is_weekday(word), expected, "{word}");
        }
        assert!(is_month("grudnia") && !is_month("do"));
    }

    #[test]
    fn dates_before_pages_are_of_what_a_page_is_about() {
        let found = find_date("Born on 3 May 1850, written on 4 May 2020", DateOrder::DayFirst);
        assert_eq!(found.unwrap().to_string(), "2020-05-04");
    }
}
