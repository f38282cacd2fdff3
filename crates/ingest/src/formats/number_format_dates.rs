//! Days and times as a spreadsheet shows them: a number of days since its first one.

use jiff::civil::DateTime;

use super::number_format::{FormatSection, FormatToken, literal_text};

/// The day or time that a number stands for, or nothing if the calendar has none.
pub(super) fn format_date(section: &FormatSection, value: f64, from_1904: bool) -> Option<String> {
    let tokens = &section.tokens;
    let places =
        tokens.iter().find_map(|token| if let FormatToken::Fraction(places) = token { Some(*places) } else { None });
    let elapsed = tokens.iter().any(|token| matches!(token, FormatToken::Elapsed(..)));
    // The smallest part shown decides where to round; otherwise 59.9999 seconds would be cut to 59.
    let unit = 10i64.pow(places.unwrap_or(0).min(3) as u32);
    let shows_seconds =
        tokens.iter().any(|token| matches!(token, FormatToken::Date('s', _) | FormatToken::Elapsed('s', _)));
    let total = if shows_seconds {
        (value * 86_400.0 * unit as f64).round() as i64
    } else {
        (value * 86_400.0 + 0.5).floor() as i64 * unit
    };
    let seconds = total.div_euclid(unit);
    let part = total.rem_euclid(unit);
    let moment = datetime_from_seconds(seconds, from_1904);
    if moment.is_none() && !elapsed {
        return None;
    }
    let half_day = tokens.iter().any(|token| matches!(token, FormatToken::HalfDay(_)));
    let mut out = String::new();
    for (index, token) in tokens.iter().enumerate() {
        match *token {
            FormatToken::Date(letter, count) => {
                let moment = moment?;
                let minutes = letter == 'm' && is_minutes(tokens, index);
                out.push_str(&match (letter, count) {
                    ('y', 1 | 2) => format!("{:02}", moment.year().rem_euclid(100)),
                    ('y', _) => format!("{:04}", moment.year()),
                    ('m', _) if minutes => format!("{:0count$}", moment.minute(), count = count.min(2)),
                    ('m', 1 | 2) => format!("{:0count$}", moment.month()),
                    ('m', 3) => moment.strftime("%b").to_string(),
                    ('m', 5) => moment.strftime("%B").to_string().chars().take(1).collect(),
                    ('m', _) => moment.strftime("%B").to_string(),
                    ('d', 1 | 2) => format!("{:0count$}", moment.day()),
                    ('d', 3) => moment.strftime("%a").to_string(),
                    ('d', _) => moment.strftime("%A").to_string(),
                    ('h', _) if half_day => format!("{:0count$}", (moment.hour() + 11) % 12 + 1, count = count.min(2)),
                    ('h', _) => format!("{:0count$}", moment.hour(), count = count.min(2)),
                    (_, _) => format!("{:0count$}", moment.second(), count = count.min(2)),
                });
            }
            FormatToken::Elapsed(letter, count) => {
                let amount = match letter {
                    'h' => seconds / 3600,
                    'm' => seconds / 60,
                    _ => seconds,
                };
                out.push_str(&format!("{amount:0count$}", count = count.min(10)));
            }
            FormatToken::Fraction(places) => out.push_str(&format!(".{part:0places$}", places = places.min(3))),
            FormatToken::HalfDay(long) => {
                let morning = moment?.hour() < 12;
                out.push_str(match (morning, long) {
                    (true, true) => "AM",
                    (false, true) => "PM",
                    (true, false) => "A",
                    (false, false) => "P",
                });
            }
            // In a date these are written as they stand.
            FormatToken::Digit(_) | FormatToken::General | FormatToken::Value | FormatToken::Exponent(_) => {}
            ref token => out.push_str(&literal_text(token)),
        }
    }
    Some(out)
}

/// `m` means minutes right after hours and right before seconds, months elsewhere.
fn is_minutes(tokens: &[FormatToken], index: usize) -> bool {
    let is_part = |token: &&FormatToken| matches!(token, FormatToken::Date(..) | FormatToken::Elapsed(..));
    let before = tokens[..index].iter().rev().find(is_part);
    let after = tokens[index + 1..].iter().find(is_part);
    matches!(before, Some(FormatToken::Date('h', _) | FormatToken::Elapsed('h', _)))
        || matches!(after, Some(FormatToken::Date('s', _) | FormatToken::Elapsed('s', _)))
}

/// The moment that many seconds after the day a workbook counts from.
fn datetime_from_seconds(seconds: i64, from_1904: bool) -> Option<DateTime> {
    let days = seconds.div_euclid(86_400);
    if !(0..=2_958_465).contains(&days) {
        return None;
    }
    // Excel believes that 1900 was a leap year: before March of it, days count from one day later.
    let first = match (from_1904, days) {
        (true, _) => jiff::civil::date(1904, 1, 1),
        (false, ..60) => jiff::civil::date(1899, 12, 31),
        (false, _) => jiff::civil::date(1899, 12, 30),
    };
    let day = first.checked_add(jiff::Span::new().try_days(days).ok()?).ok()?;
    let left = seconds.rem_euclid(86_400);
    Some(day.at((left / 3600) as i8, (left / 60 % 60) as i8, (left % 60) as i8, 0))
}
