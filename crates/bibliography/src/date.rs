//! Dates of items: days, months, years, seasons, ranges, and what could only be kept as words.

use ibid_language::lexicon::{month_by_beginning, season_in_any_language};
use serde_json::Value;

/// A point in time as exact as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CslDay {
    /// Year, negative before the common era.
    pub year: i32,
    /// 1 to 12; 13 to 16 are the seasons from spring to winter.
    pub month: Option<u8>,
    pub day: Option<u8>,
}

/// Date or range of dates of a CSL item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CslDate {
    pub start: Option<CslDay>,
    pub end: Option<CslDay>,
    /// True if the range has no end yet.
    pub open: bool,
    pub circa: bool,
    /// As it was written, where nothing better is known.
    pub literal: Option<String>,
}

impl CslDay {
    fn new(year: i32, month: Option<u8>, day: Option<u8>) -> Self {
        let month = match month {
            Some(month @ 1..=16) => Some(month),
            // Seasons as EDTF numbers them.
            Some(month @ 21..=24) => Some(month - 8),
            _ => None,
        };
        Self { year, month, day: day.filter(|day| (1..=31).contains(day) && month.is_some_and(|month| month <= 12)) }
    }
}

/// The date of a CSL-JSON value, or `None` if it says nothing; `Err` says what is wrong with it.
pub(crate) fn read(value: &Value) -> Result<Option<CslDate>, &'static str> {
    match value {
        Value::Null => return Ok(None),
        Value::String(text) => return Ok(parse_date_text(text)),
        Value::Number(number) => return Ok(parse_date_text(&number.to_string())),
        Value::Object(_) => {}
        _ => return Err("a date is an object with `date-parts`, or a text such as 2024-05-01"),
    }
    let circa = match value.get("circa") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(circa)) => *circa,
        Some(Value::String(text)) => !matches!(text.as_str(), "" | "0" | "false"),
        Some(other) => other.as_f64().is_none_or(|number| number != 0.0),
    };
    let season = value.get("season").and_then(whole_number).and_then(|season| match season {
        1..=4 => u8::try_from(season + 12).ok(),
        13..=16 => u8::try_from(season).ok(),
        21..=24 => u8::try_from(season - 8).ok(),
        _ => None,
    });
    let season = season.or_else(|| value.get("season").and_then(Value::as_str).and_then(season_named));
    let mut date = match value.get("date-parts") {
        None | Some(Value::Null) => None,
        Some(Value::Array(parts)) => date_from_parts(parts)?,
        Some(_) => return Err("`date-parts` is a list of lists of numbers such as [[2024, 5, 1]]"),
    };
    if date.is_none() {
        date = ["raw", "literal", "edtf", "date-time"].iter().find_map(|name| match value.get(*name) {
            Some(Value::String(text)) if *name == "literal" => {
                // Words are kept as they were written; a plain date written as words is a date.
                parse_date_text(text)
                    .map(|date| if date.start.is_some() && is_numeric_date(text) { date } else { literal_date(text) })
            }
            Some(Value::String(text)) => parse_date_text(text),
            Some(Value::Number(number)) => parse_date_text(&number.to_string()),
            _ => None,
        });
    }
    if let Some(date) = &mut date {
        date.circa |= circa;
        if let (Some(start), Some(season)) = (&mut date.start, season)
            && start.month.is_none()
        {
            start.month = Some(season);
        }
    }
    Ok(date)
}

fn is_numeric_date(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || c == '-' || c == '/')
}

fn literal_date(text: &str) -> CslDate {
    CslDate { literal: Some(crate::markup::clean_text(text)), ..CslDate::default() }
}

fn whole_number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(|number| number as i64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn date_from_parts(parts: &[Value]) -> Result<Option<CslDate>, &'static str> {
    const WRONG: &str = "`date-parts` is a list of lists of numbers such as [[2024, 5, 1]]";
    // Some programs write [2024, 5, 1] without the outer list.
    let flat = !parts.is_empty() && parts.iter().all(|part| whole_number(part).is_some());
    let lists: Vec<&[Value]> = if flat {
        vec![parts]
    } else {
        parts.iter().map(|part| part.as_array().map(Vec::as_slice).ok_or(WRONG)).collect::<Result<_, _>>()?
    };
    let mut found = Vec::new();
    for list in lists.iter().take(2) {
        let mut numbers = Vec::new();
        for part in list.iter().take(3) {
            match part {
                Value::Null => break,
                Value::String(text) if text.trim().is_empty() => break,
                part => numbers.push(whole_number(part).ok_or(WRONG)?),
            }
        }
        let Some(year) = numbers.first() else { continue };
        let year = i32::try_from(*year).ok().filter(|year| year.abs() < 100_000).ok_or("the year is out of range")?;
        let small = |at: usize| numbers.get(at).and_then(|number| u8::try_from(*number).ok());
        found.push((year, small(1), small(2)));
    }
    let mut found = found.into_iter();
    let Some((year, month, day)) = found.next() else { return Ok(None) };
    let mut date = CslDate { start: Some(CslDay::new(year, month, day)), ..CslDate::default() };
    match found.next() {
        // Year 0 is how an open range is written.
        Some((0, ..)) => date.open = true,
        Some((year, month, day)) => {
            date.end = Some(CslDay::new(year, month, day)).filter(|end| Some(*end) != date.start)
        }
        None => {}
    }
    Ok(Some(date))
}

/// A date written as text: ISO 8601, a month or a season in words with its year, a range; otherwise the words.
pub(crate) fn parse_date_text(text: &str) -> Option<CslDate> {
    let text = crate::markup::clean_text(text);
    if text.is_empty() {
        return None;
    }
    let (mut rest, mut circa) = (text.as_str(), false);
    for sign in ["circa ", "ca. ", "ca ", "c. "] {
        if let Some(after) = rest.strip_prefix(sign) {
            (rest, circa) = (after.trim_start(), true);
        }
    }
    if let Some(before) = rest.strip_suffix(['?', '~']) {
        (rest, circa) = (before, true);
    }
    let found =
        parse_range(rest).or_else(|| parse_day(rest).map(|start| CslDate { start: Some(start), ..CslDate::default() }));
    Some(found.map_or_else(|| literal_date(&text), |date| CslDate { circa, ..date }))
}

fn parse_range(text: &str) -> Option<CslDate> {
    let (start, end) = text
        .split_once('/')
        .or_else(|| text.split_once(" - "))
        .or_else(|| text.split_once('–'))
        .or_else(|| text.split_once("--"))
        .or_else(|| {
            text.split_once('-').filter(|(a, b)| parse_year(a).is_some() && b.len() == 4 && parse_year(b).is_some())
        })?;
    let start = parse_day(start.trim())?;
    let end = end.trim();
    if end.is_empty() || end == ".." {
        return Some(CslDate { start: Some(start), open: true, ..CslDate::default() });
    }
    Some(CslDate { start: Some(start), end: Some(parse_day(end)?), ..CslDate::default() })
}

fn parse_year(text: &str) -> Option<i32> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let fits = (3..=4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten()
}

fn parse_day(text: &str) -> Option<CslDay> {
    let iso = text.split_once('T').map_or(text, |(day, _)| day);
    let (sign, body) = iso.strip_prefix('-').map_or((1, iso), |body| (-1, body));
    let mut parts = body.split('-');
    if let Some(found) = parts.next().and_then(parse_year) {
        let small = |part: Option<&str>| match part {
            None => Some(None),
            Some(part) => part.parse::<u8>().ok().filter(|number| *number > 0).map(Some),
        };
        if let (Some(month), Some(day), None) = (small(parts.next()), small(parts.next()), parts.next()) {
            return Some(CslDay::new(sign * found, month, day));
        }
        return None;
    }
    parse_named_day(text)
}

fn season_named(text: &str) -> Option<u8> {
    season_in_any_language(&text.to_lowercase()).and_then(|season| u8::try_from(season + 12).ok())
}

fn parse_named_day(text: &str) -> Option<CslDay> {
    let words: Vec<&str> = text.split([' ', ',', '.']).filter(|word| !word.is_empty()).collect();
    if !(2..=3).contains(&words.len()) {
        return None;
    }
    let month = |word: &str| month_by_beginning(&word.to_lowercase()).and_then(|month| u8::try_from(month).ok());
    let number = |word: &str| {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        digits.parse::<u8>().ok().filter(|day| (1..=31).contains(day))
    };
    match words.as_slice() {
        [name, y] => {
            let month = month(name).or_else(|| season_named(name))?;
            Some(CslDay::new(parse_year(y)?, Some(month), None))
        }
        [a, b, y] => match (month(a), number(b), number(a), month(b)) {
            (Some(month), Some(day), ..) | (_, _, Some(day), Some(month)) => {
                Some(CslDay::new(parse_year(y)?, Some(month), Some(day)))
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn start(value: Value) -> Option<(i32, Option<u8>, Option<u8>)> {
        read(&value).unwrap().and_then(|date| date.start).map(|day| (day.year, day.month, day.day))
    }

    #[test]
    fn dates_are_read_in_all_the_ways_programs_write_them() {
        assert_eq!(start(json!({"date-parts": [[2024, 5, 1]]})), Some((2024, Some(5), Some(1))));
        assert_eq!(start(json!({"date-parts": [["2024", "05"]]})), Some((2024, Some(5), None)));
        assert_eq!(start(json!({"date-parts": [2024]})), Some((2024, None, None)));
        assert_eq!(start(json!({"raw": "2024-05-01T10:00:00Z"})), Some((2024, Some(5), Some(1))));
        assert_eq!(start(json!("May 3, 2024")), Some((2024, Some(5), Some(3))));
        assert_eq!(start(json!("3 Sept 2024")), Some((2024, Some(9), Some(3))));
        assert_eq!(start(json!("Spring 2024")), Some((2024, Some(13), None)));
        assert_eq!(start(json!("3. März 2024")), Some((2024, Some(3), Some(3))));
        assert_eq!(start(json!("automne 2024")), Some((2024, Some(15), None)));
        assert_eq!(start(json!({"date-parts": [[2024]], "season": 2})), Some((2024, Some(14), None)));
        assert_eq!(start(json!(2024)), Some((2024, None, None)));
        assert_eq!(start(json!({"date-parts": [[-44, 3, 15]]})), Some((-44, Some(3), Some(15))));
        assert_eq!(start(json!({"date-parts": [[]]})), None);
    }

    #[test]
    fn ranges_and_doubt_are_kept() {
        let range = read(&json!({"date-parts": [[2019], [2020]]})).unwrap().unwrap();
        assert_eq!(range.end.map(|end| end.year), Some(2020));
        let range = parse_date_text("2019-05-01/2019-05-03").unwrap();
        assert_eq!(range.end.and_then(|end| end.day), Some(3));
        assert!(parse_date_text("2019/..").unwrap().open);
        assert!(read(&json!({"date-parts": [[1850]], "circa": true})).unwrap().unwrap().circa);
        assert!(parse_date_text("ca. 1850").unwrap().circa);
        assert_eq!(
            parse_date_text("in the reign of Ur-Nammu").unwrap().literal.as_deref(),
            Some("in the reign of Ur-Nammu")
        );
        assert!(read(&json!({"date-parts": [["x"]]})).is_err());
        assert!(read(&json!(["2024"])).is_err());
    }
}
