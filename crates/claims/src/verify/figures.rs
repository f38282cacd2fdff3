//! Figures and dates in a text, however they are written.

/// A number in a text, with the tolerance of its rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figure {
    /// Its value, scaled: 1.5 million is 1500000.
    pub value: f64,
    /// Half of what its last digit stands for: how far off a rounded one may be.
    pub slack: f64,
    /// True if the number is a percentage.
    pub is_percent: bool,
}

/// Numbers and months of a text, which are compared exactly.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub figures: Vec<Figure>,
    /// Months, as their number from 1.
    pub months: Vec<u8>,
}

const SCALES: &[(&str, f64)] = &[
    ("billion", 1e9),
    ("billions", 1e9),
    ("bn", 1e9),
    ("hundred", 1e2),
    ("k", 1e3),
    ("million", 1e6),
    ("millions", 1e6),
    ("mn", 1e6),
    ("thousand", 1e3),
    ("thousands", 1e3),
    ("trillion", 1e12),
    ("trillions", 1e12),
];

const NUMBERS: &[(&str, f64)] = &[
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("thirteen", 13.0),
    ("fourteen", 14.0),
    ("fifteen", 15.0),
    ("sixteen", 16.0),
    ("seventeen", 17.0),
    ("eighteen", 18.0),
    ("nineteen", 19.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
    ("dozen", 12.0),
];

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Extracts the numbers and months of a text.
pub(crate) fn extract_figures(text: &str) -> Figures {
    let mut found = Figures::default();
    let mut tokens = split_tokens(text).peekable();
    while let Some(token) = tokens.next() {
        let lower = token.to_lowercase();
        if let Some(month) = parse_month(token) {
            found.months.push(month);
            continue;
        }
        let (mut value, mut slack) = match parse_number(&lower) {
            Some(read) => read,
            None => match NUMBERS.iter().find(|(word, _)| *word == lower) {
                Some((_, value)) => (*value, 0.0),
                None => continue,
            },
        };
        let mut is_percent = lower.ends_with('%');
        if let Some(next) = tokens.peek() {
            let next = next.to_lowercase();
            if let Some((_, scale)) = SCALES.iter().find(|(word, _)| *word == next) {
                value *= scale;
                slack *= scale;
                tokens.next();
            } else if matches!(next.as_str(), "percent" | "percentage" | "%" | "per") {
                is_percent = true;
            }
        }
        found.figures.push(Figure { value, slack, is_percent });
    }
    found
}

impl Figures {
    /// Returns how many of these figures the other text lacks, and how many there are in total.
    pub fn missing_in(&self, other: &Self) -> (usize, usize) {
        let missing =
            self.figures.iter().filter(|figure| !other.figures.iter().any(|known| figure.agrees_with(known))).count();
        // A month says something only beside a day or a year, and only where the other text names months.
        let months =
            self.months.iter().filter(|month| !other.months.is_empty() && !other.months.contains(month)).count();
        (missing + months, self.figures.len() + self.months.len())
    }
}

impl Figure {
    /// Returns true if another figure confirms this one: it is equal, or equal when rounded to the same precision.
    pub fn agrees_with(&self, known: &Self) -> bool {
        let tolerance = (self.slack + self.value.abs() * 1e-9).max(if self.slack > 0.0 { 0.0 } else { 1e-9 });
        (self.value - known.value).abs() <= tolerance
            || (self.is_percent != known.is_percent && (self.value - known.value * 100.0).abs() <= tolerance)
    }
}

/// A number in digits, and how far off its rounding may be.
fn parse_number(token: &str) -> Option<(f64, f64)> {
    let digits = token.trim_start_matches(['$', '€', '£', '¥', '+', '~', '±', '<', '>', '≥', '≤']);
    let digits = digits.trim_end_matches('%');
    let digits = ["th", "st", "nd", "rd", "s"].iter().find_map(|end| digits.strip_suffix(end)).unwrap_or(digits);
    let scales = [("bn", 1e9), ("k", 1e3), ("m", 1e6)];
    let scaled = scales.iter().find_map(|(sign, scale)| Some((digits.strip_suffix(sign)?, *scale)));
    let (digits, scale) = scaled.unwrap_or((digits, 1.0));
    if digits.is_empty()
        || !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b',')
        || !digits.starts_with(|char: char| char.is_ascii_digit())
    {
        return None;
    }
    // A comma before three digits sets thousands apart, any other is a decimal one.
    let is_thousands =
        digits.split(',').skip(1).all(|part| part.split('.').next().is_some_and(|whole| whole.len() == 3));
    let plain = if is_thousands { digits.replace(',', "") } else { digits.replace(',', ".") };
    let value: f64 = plain.parse().ok()?;
    let decimals = plain.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    // Only what was visibly rounded is taken to be: 3.2, or 1500, not 7 or 1984.
    let zeros = plain.len() - plain.trim_end_matches('0').len();
    let slack = match decimals {
        0 if zeros >= 2 && value >= 1000.0 => 0.5 * 10f64.powi(zeros as i32),
        0 => 0.0,
        decimals => 0.5 * 10f64.powi(-(decimals as i32)),
    };
    Some((value * scale, slack * scale))
}

fn parse_month(token: &str) -> Option<u8> {
    // May and March are words as well.
    if !token.starts_with(char::is_uppercase) || token.len() < 3 {
        return None;
    }
    let lower = token.to_lowercase();
    let is_it = |month: &&&str| month.starts_with(lower.as_str()) && (lower.len() == 3 || lower.len() == month.len());
    MONTHS
        .iter()
        .position(|month| is_it(&month))
        .filter(|_| lower != "may" && lower != "mar")
        .map(|place| place as u8 + 1)
}

/// Words and figures, without the punctuation around them.
fn split_tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| {
        char.is_whitespace() || matches!(char, '–' | '—' | '/' | '(' | ')' | '[' | ']' | ';' | ':' | '"' | '“' | '”')
    })
    .flat_map(|token| {
        // 2010-2015 is two figures, twenty-one is one word for our purposes.
        let is_range =
            token.contains('-') && token.split('-').all(|part| part.starts_with(|char: char| char.is_ascii_digit()));
        token.split(move |char| is_range && char == '-')
    })
    .map(|token| token.trim_matches(|char: char| matches!(char, '.' | ',' | '!' | '?' | '\'' | '’' | '*' | '_')))
    .filter(|token| !token.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(claim: &str, passage: &str) -> usize {
        extract_figures(claim).missing_in(&extract_figures(passage)).0
    }

    #[test]
    fn figures_are_the_same_however_they_are_written() {
        for (claim, passage) in [
            ("1,500,000 people", "1.5 million people"),
            ("in 1984", "(1984)"),
            ("about 3.2 km", "3.17 km"),
            ("three ships", "3 ships"),
            ("12%", "12 percent"),
            ("from 2010 to 2015", "2010–2015"),
            ("5 March 2021", "March 5, 2021"),
            ("$2bn", "2 billion dollars"),
            ("the 1990s", "1990s"),
            ("20 %", "a share of 0.2"),
            ("roughly 1,500", "1,498"),
        ] {
            assert_eq!(
                missing(claim, passage),
                0,
                "{claim} | {passage}: {:?} {:?}",
                extract_figures(claim),
                extract_figures(passage)
            );
        }
    }

    #[test]
    fn what_differs_is_told() {
        for (claim, passage) in [
            ("1985", "1984"),
            ("3.2 km", "3.3 km"),
            ("12 percent", "21 percent"),
            ("15 million", "1.5 million"),
            ("four ships", "three ships"),
            ("in June 2021", "in July 2021"),
            ("7 people", "8 people"),
        ] {
            assert_eq!(missing(claim, passage), 1, "{claim} | {passage}");
        }
    }
}
