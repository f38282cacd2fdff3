//! Numbers as a spreadsheet shows them: the format codes of Excel, which OpenDocument readers know too.

use super::number_format_dates::format_date;

/// A format code, split into its sections.
#[derive(Clone, Debug)]
pub(super) struct NumberFormat {
    sections: Vec<FormatSection>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct FormatSection {
    pub tokens: Vec<FormatToken>,
    condition: Option<(NumberComparison, f64)>,
    date: bool,
}

#[derive(Clone, Copy, Debug)]
enum NumberComparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    Unequal,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum FormatToken {
    Text(String),
    /// Digit placeholder: `0`, `#` or `?`.
    Digit(char),
    Point,
    Comma,
    Percent,
    /// `E+` or `E-`: whether a plus is shown.
    Exponent(bool),
    Slash,
    General,
    /// `@`, the placeholder for the value as text.
    Value,
    /// A run of one of `y m d h s`.
    Date(char, usize),
    /// `.0` after seconds, with the number of decimal places.
    Fraction(usize),
    /// `[h]`, `[m]`, `[s]`: a duration, not a time of day.
    Elapsed(char, usize),
    /// `AM/PM` if true, `A/P` if false.
    HalfDay(bool),
}

/// The codes that files name by a number only.
pub(super) fn builtin_format_code(id: u32) -> Option<&'static str> {
    Some(match id {
        1 => "0",
        2 => "0.00",
        3 => "#,##0",
        4 => "#,##0.00",
        5 => "\"$\"#,##0_);\\(\"$\"#,##0\\)",
        6 => "\"$\"#,##0_);[Red]\\(\"$\"#,##0\\)",
        7 => "\"$\"#,##0.00_);\\(\"$\"#,##0.00\\)",
        8 => "\"$\"#,##0.00_);[Red]\\(\"$\"#,##0.00\\)",
        9 => "0%",
        10 => "0.00%",
        11 => "0.00E+00",
        12 => "# ?/?",
        13 => "# ??/??",
        14 | 27..=31 | 34..=36 | 50..=58 => "m/d/yyyy",
        15 => "d-mmm-yy",
        16 => "d-mmm",
        17 => "mmm-yy",
        18 => "h:mm AM/PM",
        19 => "h:mm:ss AM/PM",
        20 | 32 => "h:mm",
        21 | 33 => "h:mm:ss",
        22 => "m/d/yyyy h:mm",
        37 => "#,##0_);(#,##0)",
        38 => "#,##0_);[Red](#,##0)",
        39 => "#,##0.00_);(#,##0.00)",
        40 => "#,##0.00_);[Red](#,##0.00)",
        41 => "_(* #,##0_);_(* \\(#,##0\\);_(* \"-\"_);_(@_)",
        42 => "_(\"$\"* #,##0_);_(\"$\"* \\(#,##0\\);_(\"$\"* \"-\"_);_(@_)",
        43 => "_(* #,##0.00_);_(* \\(#,##0.00\\);_(* \"-\"??_);_(@_)",
        44 => "_(\"$\"* #,##0.00_);_(\"$\"* \\(#,##0.00\\);_(\"$\"* \"-\"??_);_(@_)",
        45 => "mm:ss",
        46 => "[h]:mm:ss",
        47 => "mm:ss.0",
        48 => "##0.0E+0",
        49 => "@",
        _ => return None,
    })
}

impl NumberFormat {
    pub fn parse(code: &str) -> Self {
        let mut sections = Vec::new();
        let mut rest = code;
        // Nobody writes more than four; a hostile file must not make more.
        for _ in 0..4 {
            let (section, after) = parse_section(rest);
            sections.push(section);
            match after {
                Some(after) => rest = after,
                None => break,
            }
        }
        Self { sections }
    }

    /// The number as shown. `from_1904` says which day the file counts from.
    pub fn format_value(&self, value: f64, from_1904: bool) -> String {
        if !value.is_finite() {
            return value.to_string();
        }
        let (section, magnitude) = self.choose_section(value);
        let Some(section) = section else { return format_general(value) };
        if section.tokens.is_empty() {
            // An empty section hides the number; what is hidden is still there to be quoted.
            return format_general(value);
        }
        let shown =
            if section.date { format_date(section, value, from_1904) } else { Some(format_number(section, magnitude)) };
        shown.unwrap_or_else(|| format_general(value)).trim().to_owned()
    }

    /// The section for this number, and the number as that section wants it: with its sign or without.
    fn choose_section(&self, value: f64) -> (Option<&FormatSection>, f64) {
        let sections = &self.sections;
        if sections.iter().any(|section| section.condition.is_some()) {
            let fits = |section: &&FormatSection| {
                section.condition.is_none_or(|(comparison, bound)| comparison.is_true_for(value, bound))
            };
            let found = sections.iter().find(fits).or(sections.last());
            // A section that only takes negative numbers shows the sign itself.
            let bare = found.is_some_and(|section| {
                matches!(section.condition, Some((NumberComparison::Less | NumberComparison::LessOrEqual, bound)) if bound <= 0.0)
            });
            return (found, if bare { value.abs() } else { value });
        }
        match sections.len() {
            0 => (None, value),
            1 => (sections.first(), value),
            _ if value < 0.0 => (sections.get(1), value.abs()),
            3.. if value == 0.0 => (sections.get(2), value),
            _ => (sections.first(), value),
        }
    }
}

impl NumberComparison {
    fn is_true_for(self, value: f64, bound: f64) -> bool {
        match self {
            Self::Less => value < bound,
            Self::LessOrEqual => value <= bound,
            Self::Greater => value > bound,
            Self::GreaterOrEqual => value >= bound,
            Self::Equal => value == bound,
            Self::Unequal => value != bound,
        }
    }
}

/// A number without a format: as short as it can be written exactly, and never as a power of ten where people would
/// write it out.
pub(super) fn format_general(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let size = value.abs();
    if (1e-9..1e21).contains(&size) {
        // Fifteen digits are what spreadsheets keep; more are noise of the binary fraction.
        let digits = 15 - 1 - size.log10().floor() as i32;
        if digits <= 0 || value == value.trunc() {
            return format!("{value:.0}");
        }
        let text = format!("{value:.*}", digits.clamp(0, 30) as usize);
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    format!("{value:E}")
}

fn parse_section(code: &str) -> (FormatSection, Option<&str>) {
    let mut section = FormatSection::default();
    let mut chars = code.char_indices().peekable();
    let mut after = None;
    while let Some((at, char)) = chars.next() {
        let mut push_text = |text: String| match section.tokens.last_mut() {
            Some(FormatToken::Text(before)) => before.push_str(&text),
            _ => section.tokens.push(FormatToken::Text(text)),
        };
        match char {
            ';' => {
                after = Some(&code[at + 1..]);
                break;
            }
            '"' => {
                let text: String = chars.by_ref().map(|(_, char)| char).take_while(|char| *char != '"').collect();
                push_text(text);
            }
            '\\' | '!' => push_text(chars.next().map(|(_, char)| char.to_string()).unwrap_or_default()),
            '_' => {
                chars.next();
                push_text(" ".to_owned());
            }
            '*' => {
                chars.next();
            }
            '[' => {
                let inside: String = chars.by_ref().map(|(_, char)| char).take_while(|char| *char != ']').collect();
                parse_bracket(&inside, &mut section);
            }
            '0' | '#' | '?' => section.tokens.push(FormatToken::Digit(char)),
            '.' => {
                let seconds =
                    matches!(section.tokens.last(), Some(FormatToken::Date('s', _) | FormatToken::Elapsed('s', _)));
                if seconds {
                    let mut count = 0;
                    while chars.next_if(|(_, char)| *char == '0').is_some() {
                        count += 1;
                    }
                    section.tokens.push(FormatToken::Fraction(count.min(9)));
                } else {
                    section.tokens.push(FormatToken::Point);
                }
            }
            ',' => section.tokens.push(FormatToken::Comma),
            '%' => section.tokens.push(FormatToken::Percent),
            '@' => section.tokens.push(FormatToken::Value),
            '/' => section.tokens.push(FormatToken::Slash),
            'E' | 'e' if chars.peek().is_some_and(|(_, next)| matches!(next, '+' | '-')) => {
                let plus = chars.next().is_some_and(|(_, next)| next == '+');
                section.tokens.push(FormatToken::Exponent(plus));
            }
            'G' | 'g' if code[at..].get(..7).is_some_and(|word| word.eq_ignore_ascii_case("general")) => {
                for _ in 0..6 {
                    chars.next();
                }
                section.tokens.push(FormatToken::General);
            }
            'A' | 'a'
                if starts_with_ignoring_case(&code[at..], "am/pm") || starts_with_ignoring_case(&code[at..], "a/p") =>
            {
                let long = starts_with_ignoring_case(&code[at..], "am/pm");
                for _ in 0..if long { 4 } else { 2 } {
                    chars.next();
                }
                section.tokens.push(FormatToken::HalfDay(long));
                section.date = true;
            }
            'y' | 'Y' | 'm' | 'M' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' => {
                let letter = char.to_ascii_lowercase();
                let mut count = 1;
                while chars.next_if(|(_, next)| next.to_ascii_lowercase() == letter).is_some() {
                    count += 1;
                }
                section.tokens.push(FormatToken::Date(letter, count));
                section.date = true;
            }
            char => push_text(char.to_string()),
        }
    }
    (section, after)
}

fn starts_with_ignoring_case(code: &str, word: &str) -> bool {
    code.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Parses the content of square brackets: currency, condition or duration. Colours are ignored.
fn parse_bracket(inside: &str, section: &mut FormatSection) {
    if let Some(currency) = inside.strip_prefix('$') {
        let symbol = currency.split('-').next().unwrap_or_default();
        if !symbol.is_empty() {
            section.tokens.push(FormatToken::Text(symbol.to_owned()));
        }
        return;
    }
    let lower = inside.to_ascii_lowercase();
    if let Some(letter) = lower.chars().next().filter(|letter| matches!(letter, 'h' | 'm' | 's'))
        && lower.chars().all(|char| char == letter)
    {
        section.tokens.push(FormatToken::Elapsed(letter, lower.len()));
        section.date = true;
        return;
    }
    use NumberComparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, Unequal};
    for (sign, comparison) in
        [("<=", LessOrEqual), (">=", GreaterOrEqual), ("<>", Unequal), ("<", Less), (">", Greater), ("=", Equal)]
    {
        if let Some(bound) = inside.strip_prefix(sign) {
            section.condition = bound.trim().parse().ok().map(|bound| (comparison, bound));
            return;
        }
    }
}

fn format_number(section: &FormatSection, value: f64) -> String {
    let tokens = &section.tokens;
    let is_digit = |token: &FormatToken| matches!(token, FormatToken::Digit(_));
    if tokens.iter().any(|token| matches!(token, FormatToken::General | FormatToken::Value))
        || !tokens.iter().any(is_digit)
    {
        let shown = format_general(value);
        return tokens
            .iter()
            .map(|token| match token {
                FormatToken::General | FormatToken::Value => shown.clone(),
                token => literal_text(token),
            })
            .collect();
    }
    if let Some(slash) = tokens.iter().position(|token| *token == FormatToken::Slash)
        && slash > 0
        && tokens[..slash].iter().any(is_digit)
    {
        return format_fraction(tokens, slash, value);
    }
    let mut value = value;
    for _ in tokens.iter().filter(|token| **token == FormatToken::Percent) {
        value *= 100.0;
    }
    let point = tokens.iter().position(|token| *token == FormatToken::Point);
    let exponent = tokens.iter().position(|token| matches!(token, FormatToken::Exponent(_)));
    let end = exponent.unwrap_or(tokens.len());
    let whole_end = point.unwrap_or(end).min(end);
    let last_digit = tokens[..whole_end].iter().rposition(is_digit);
    // Commas after the last digit, or right before the point, divide by a thousand each; others group digits.
    let after_all = tokens[..end].iter().rposition(is_digit).map_or(end, |last| last + 1);
    let before_point = last_digit.map_or(whole_end, |last| last + 1);
    let scaling =
        tokens[after_all..end].iter().chain(&tokens[before_point..whole_end.min(after_all).max(before_point)]);
    for _ in scaling.filter(|token| **token == FormatToken::Comma) {
        value /= 1000.0;
    }
    let first_digit = tokens[..whole_end].iter().position(is_digit);
    let grouped =
        first_digit.zip(last_digit).is_some_and(|(first, last)| tokens[first..last].contains(&FormatToken::Comma));
    let places = tokens[whole_end..end].iter().filter(|token| is_digit(token)).count().min(30);
    let least =
        |from: usize, to: usize| tokens[from..to].iter().filter(|token| **token == FormatToken::Digit('0')).count();
    let mut power = 0;
    if exponent.is_some() && value != 0.0 {
        let step = tokens[..whole_end].iter().filter(|token| is_digit(token)).count().max(1) as i32;
        power = value.abs().log10().floor() as i32;
        power = power.div_euclid(step) * step;
        value /= 10f64.powi(power);
        // Rounding may carry into another digit: 9.999 becomes 10.00.
        if format!("{:.*}", places, value.abs()).find('.').unwrap_or(1) as i32 > step && places > 0 {
            value /= 10f64.powi(step);
            power += step;
        }
    }
    let text = round_to_places(value.abs(), places);
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let mut whole = whole.trim_start_matches('0').to_owned();
    let wanted = least(0, whole_end);
    while whole.len() < wanted.min(40) {
        whole.insert(0, '0');
    }
    if grouped {
        whole = group_thousands(&whole);
    }
    let negative = value < 0.0 && text.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    write_tokens(tokens, &NumberParts { whole, decimals: decimals.to_owned(), point, whole_end, end, power, negative })
}

struct NumberParts {
    whole: String,
    decimals: String,
    point: Option<usize>,
    whole_end: usize,
    end: usize,
    power: i32,
    negative: bool,
}

fn write_tokens(tokens: &[FormatToken], parts: &NumberParts) -> String {
    let mut out = String::new();
    if parts.negative {
        out.push('-');
    }
    let mut digits_left =
        tokens[..parts.whole_end].iter().filter(|token| matches!(token, FormatToken::Digit(_))).count();
    let mut whole = parts.whole.chars().peekable();
    let mut decimals = parts.decimals.chars();
    let mut exponent = parts.power.abs().to_string();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            FormatToken::Digit(kind) if index < parts.whole_end => {
                // All digits beyond those in the format stand at its first place; literals between digits stay.
                let shown = whole.clone().filter(char::is_ascii_digit).count();
                if shown > digits_left || digits_left == 1 {
                    let surplus = shown.saturating_sub(digits_left - 1);
                    let mut taken = 0;
                    while taken < surplus {
                        let Some(char) = whole.next() else { break };
                        taken += usize::from(char.is_ascii_digit());
                        out.push(char);
                    }
                } else if shown == digits_left {
                    out.extend(whole.next());
                } else if *kind == '?' {
                    out.push(' ');
                }
                if whole.peek() == Some(&',') {
                    out.extend(whole.next());
                }
                digits_left -= 1;
            }
            FormatToken::Digit(kind) if index < parts.end => {
                let digit = decimals.next().unwrap_or('0');
                let rest_is_zero = digit == '0' && decimals.clone().all(|digit| digit == '0');
                if *kind == '0' || !rest_is_zero {
                    out.push(digit);
                }
            }
            FormatToken::Digit(_) => {
                let least = tokens[index..].iter().filter(|token| matches!(token, FormatToken::Digit('0'))).count();
                let text = std::mem::take(&mut exponent);
                if !text.is_empty() {
                    out.push_str(&format!("{text:0>least$}"));
                }
            }
            FormatToken::Point if Some(index) == parts.point => out.push('.'),
            FormatToken::Exponent(plus) => {
                out.push('E');
                if parts.power < 0 {
                    out.push('-');
                } else if *plus {
                    out.push('+');
                }
            }
            FormatToken::Comma => {}
            token => out.push_str(&literal_text(token)),
        }
    }
    // "#.##" shows 5 as "5."; people write "5".
    if parts.decimals.bytes().all(|byte| byte == b'0') && out.ends_with('.') {
        out.pop();
    }
    out
}

pub(super) fn literal_text(token: &FormatToken) -> String {
    match token {
        FormatToken::Text(text) => text.clone(),
        FormatToken::Percent => "%".to_owned(),
        FormatToken::Slash => "/".to_owned(),
        FormatToken::Point => ".".to_owned(),
        FormatToken::Comma => ",".to_owned(),
        _ => String::new(),
    }
}

/// Half away from zero, as spreadsheets do it: on the fifteen digits that count, not on the binary fraction.
fn round_to_places(value: f64, places: usize) -> String {
    let exact = format!("{value:.*}", places);
    let nudged = format!("{:.*}", places, value * (1.0 + 4.0 * f64::EPSILON));
    if exact == nudged { exact } else { nudged }
}

fn group_thousands(digits: &str) -> String {
    let mut out = String::new();
    for (index, char) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(char);
    }
    out
}

/// A number as a whole and a fraction: `2 1/2`.
fn format_fraction(tokens: &[FormatToken], slash: usize, value: f64) -> String {
    let run = |tokens: &mut dyn Iterator<Item = &FormatToken>| {
        tokens.take_while(|token| matches!(token, FormatToken::Digit(_))).count()
    };
    let above = run(&mut tokens[..slash].iter().rev());
    let below = run(&mut tokens[slash + 1..].iter());
    let fixed: String = tokens[slash + 1..]
        .iter()
        .map_while(|token| match token {
            FormatToken::Text(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => Some(text.clone()),
            FormatToken::Digit('0') => Some("0".to_owned()),
            _ => None,
        })
        .collect();
    let with_whole = tokens[..slash - above.min(slash)].iter().any(|token| matches!(token, FormatToken::Digit(_)));
    let size = value.abs();
    let whole = if with_whole { size.trunc() } else { 0.0 };
    let rest = size - whole;
    let (mut numerator, mut denominator) = (0u64, 1u64);
    match fixed.parse::<u64>().ok().filter(|fixed| *fixed > 0) {
        Some(fixed) => (numerator, denominator) = ((rest * fixed as f64).round() as u64, fixed),
        None => {
            let most = 10u64.pow(below.clamp(1, 4) as u32) - 1;
            let mut best = f64::INFINITY;
            for candidate in 1..=most {
                let above = (rest * candidate as f64).round();
                let error = (rest - above / candidate as f64).abs();
                if error < best - 1e-12 {
                    best = error;
                    (numerator, denominator) = (above as u64, candidate);
                }
            }
        }
    }
    let mut whole = whole;
    if with_whole && numerator == denominator {
        whole += 1.0;
        numerator = 0;
    }
    let sign = if value < 0.0 { "-" } else { "" };
    match (with_whole, numerator) {
        (true, 0) => format!("{sign}{whole:.0}"),
        (true, _) if whole > 0.0 => format!("{sign}{whole:.0} {numerator}/{denominator}"),
        _ => format!("{sign}{numerator}/{denominator}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(code: &str, value: f64) -> String {
        NumberFormat::parse(code).format_value(value, false)
    }

    #[test]
    fn numbers_look_as_they_do_in_a_spreadsheet() {
        for (code, value, expected) in [
            ("General", 123456789012345.0, "123456789012345"),
            ("General", 0.1 + 0.2, "0.3"),
            ("General", -2.5, "-2.5"),
            ("0", 1.5, "2"),
            ("0.00", 1.005, "1.01"),
            ("#,##0.00", 1599.99, "1,599.99"),
            ("#,##0.00", -1599.99, "-1,599.99"),
            ("#,##0", 1234567.0, "1,234,567"),
            ("#,##0,\"k\"", 1234567.0, "1,235k"),
            ("\"$\"#,##0.00_);[Red]\\(\"$\"#,##0.00\\)", -1599.99, "($1,599.99)"),
            ("[$€-407] #,##0.00", 3.5, "€ 3.50"),
            ("#,##0.00 [$€-407]", 1234.5, "1,234.50 €"),
            ("0.00%", 0.025, "2.50%"),
            ("0%", 0.5, "50%"),
            ("0.00E+00", 198356388.0, "1.98E+08"),
            ("##0.0E+0", 12345.0, "12.3E+3"),
            ("# ?/?", 2.5, "2 1/2"),
            ("# ??/??", 0.3333, "1/3"),
            ("# ?/?", 3.0, "3"),
            ("0\\ \"dollars and\"\\ .00\\ \"cents\"", 19.99, "19 dollars and .99 cents"),
            ("000-00-0000", 123456789.0, "123-45-6789"),
            ("(000) 000-0000", 5551234567.0, "(555) 123-4567"),
            ("00000", 42.0, "00042"),
            ("_(* #,##0.00_);_(* \\(#,##0.00\\);_(* \"-\"??_);_(@_)", 0.0, "-"),
            ("[>=1000000]0.0,,\"M\";[>=1000]0.0,\"K\";0", 2_500_000.0, "2.5M"),
            ("#.##", 5.0, "5"),
            ("@", 12.0, "12"),
            ("0.0", -0.01, "0.0"),
        ] {
            assert_eq!(shown(code, value), expected, "{code} of {value}");
        }
    }

    #[test]
    fn dates_and_times_look_as_they_do_in_a_spreadsheet() {
        for (code, value, expected) in [
            ("m/d/yyyy", 40089.847, "10/3/2009"),
            ("d-mmm-yy", 39219.847, "17-May-07"),
            ("h:mm", 33966.760424, "18:15"),
            ("h:mm AM/PM", 33966.260424, "6:15 AM"),
            ("yyyy\\-mm\\-dd hh:mm:ss", 45413.5, "2024-05-01 12:00:00"),
            (
                "\"At\"\\ h:mm\\ AM/PM\\ \"on\"\\ dddd\\ mmmm\\ d\",\"\\ yyyy",
                39219.18056369212,
                "At 4:20 AM on Thursday May 17, 2007",
            ),
            ("[h]:mm:ss", 1.5, "36:00:00"),
            ("mm:ss.0", 0.0005, "00:43.2"),
            ("h:mm:ss", 0.99999999, "0:00:00"),
            ("[$-407]d. mmmm yyyy", 45413.0, "1. May 2024"),
            ("yyyy", 1.0, "1900"),
        ] {
            assert_eq!(shown(code, value), expected, "{code} of {value}");
        }
        assert_eq!(NumberFormat::parse("yyyy-mm-dd").format_value(0.0, true), "1904-01-01");
        assert_eq!(shown("yyyy-mm-dd", -5.0), "-5");
        assert_eq!(shown("yyyy-mm-dd", 1e300), format_general(1e300));
    }
}
