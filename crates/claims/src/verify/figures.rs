//! Numbers and dates of a text, however they are written.

use ibid_language::{
    Lexicon,
    dates::{CalendarDate, DateReader},
    numbers::{Number, NumberKind, ambiguous_ordinal, numbers_in},
    words::{TokenKind, TokenizedText},
};

/// Numbers, dates and days of the week of a text, which are compared exactly.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    /// The numbers, the days and years of dates among them.
    pub numbers: Vec<Number>,
    /// The dates that name a month, with the other reading where the order of day and month is not certain.
    pub dates: Vec<(CalendarDate, Option<CalendarDate>)>,
    /// Days of the week, Monday being 1.
    pub weekdays: Vec<i8>,
    /// Places in a row that words may name which are other words too: `second`.
    ranks: Vec<f64>,
}

impl Figures {
    /// Reads the numbers and dates of a text.
    pub fn of(text: &TokenizedText<'_>) -> Self {
        Self::with_numbers(text, numbers_in(text))
    }

    /// The same for a text whose numbers are known.
    pub fn with_numbers(text: &TokenizedText<'_>, mut numbers: Vec<Number>) -> Self {
        let mut dates = DateReader { language: Some(text.language), order: None }.find_all(text.text);
        // A year alone is a number like any other.
        dates.retain(|mention| mention.date.month.is_some());
        let is_date = |number: &Number| {
            dates.iter().any(|mention| mention.range.start < number.range.end && number.range.start < mention.range.end)
        };
        // `first` counts nothing.
        numbers.retain(|number| !(is_date(number) || is_spelled_ordinal(number) && number.value < 2.0));
        for mention in &dates {
            let days = [mention.date.day, mention.last_day].into_iter().flatten().map(f64::from);
            let values = days.chain(mention.date.year.map(f64::from));
            numbers.extend(values.map(|value| plain_number(value, mention.range.clone())));
        }
        let dates = dates.into_iter().map(|mention| (mention.date, mention.alternative)).collect();
        let words = text.tokens.iter().zip(&text.lower).filter(|(token, _)| token.kind == TokenKind::Word);
        let ranks = words.filter_map(|(_, lower)| ambiguous_ordinal(lower, text.language));
        let ranks = ranks.filter(|rank| *rank >= 2.0).collect();
        Self { numbers, dates, weekdays: weekdays(text), ranks }
    }

    /// Adds those of another text.
    pub fn extend(&mut self, other: Self) {
        self.numbers.extend(other.numbers);
        self.dates.extend(other.dates);
        self.weekdays.extend(other.weekdays);
        self.ranks.extend(other.ranks);
    }

    /// Returns how many of these figures the other text lacks, and how many there are in total.
    pub fn missing_in(&self, other: &Self) -> (usize, usize) {
        let numbers = self.numbers.iter().filter(|number| !other.has_number(number)).count();
        let dates = self.dates.iter().filter(|date| !other.has_date(date)).count();
        let weekdays = self.weekdays.iter().filter(|day| !other.weekdays.contains(day)).count();
        let ranks = self.ranks.iter().filter(|rank| other.contradicts_rank(**rank)).count();
        (numbers + dates + weekdays + ranks, self.numbers.len() + self.dates.len() + self.weekdays.len() + ranks)
    }

    /// Returns true if places in a row are named here, and this one is not among them.
    fn contradicts_rank(&self, rank: f64) -> bool {
        let is_it = |value: f64| (value - rank).abs() < 0.5;
        let has_others = !self.ranks.is_empty() || self.numbers.iter().any(is_spelled_ordinal);
        has_others
            && !self.ranks.iter().any(|value| is_it(*value))
            && !self.numbers.iter().any(|number| is_it(number.value))
    }

    /// Returns true if a number stands here, or one that is the same when rounded as that one is.
    pub fn has_number(&self, number: &Number) -> bool {
        let is_rank = || number.kind == NumberKind::Ordinal && self.ranks.contains(&number.value);
        self.numbers.iter().any(|known| number.agrees_with(known)) || is_rank()
    }

    /// Returns true if some date here names the same month and no other day of it.
    fn has_date(&self, (date, other): &(CalendarDate, Option<CalendarDate>)) -> bool {
        let known = || self.dates.iter().flat_map(|(date, other)| [Some(*date), *other]).flatten();
        [Some(*date), *other]
            .into_iter()
            .flatten()
            .any(|wanted| known().any(|known| known.month == wanted.month && known.agrees_with(&wanted)))
    }

    /// Returns true if some date here names this month.
    pub fn has_month(&self, month: Option<i8>) -> bool {
        self.dates.iter().any(|(date, _)| date.month == month)
    }
}

/// Returns true for a place in a row that is written in words: `third`.
pub(crate) fn is_spelled_ordinal(number: &Number) -> bool {
    number.is_spelled && number.kind == NumberKind::Ordinal
}

fn plain_number(value: f64, range: std::ops::Range<usize>) -> Number {
    Number {
        range,
        value,
        rounding: 0.0,
        kind: NumberKind::Cardinal,
        is_spelled: false,
        is_approximate: false,
        limit: None,
        unit: None,
    }
}

/// The days of the week that a text names in full; short forms are other words too.
fn weekdays(text: &TokenizedText<'_>) -> Vec<i8> {
    const SHORTEST: usize = 5;
    let days = &Lexicon::of(text.language).time.weekdays;
    let words = text.tokens.iter().zip(&text.lower).filter(|(token, _)| token.kind == TokenKind::Word);
    let named = words.filter(|(_, lower)| lower.chars().count() >= SHORTEST);
    named.filter_map(|(_, lower)| days.get(lower).copied()).collect()
}

#[cfg(test)]
mod tests {
    use ibid_language::Language;

    use super::*;

    fn figures(text: &str, language: Language) -> Figures {
        Figures::of(&TokenizedText::new(text, language))
    }

    fn missing(claim: &str, passage: &str) -> usize {
        figures(claim, Language::ENGLISH).missing_in(&figures(passage, Language::ENGLISH)).0
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
            assert_eq!(missing(claim, passage), 0, "{claim} | {passage}");
        }
        for (language, claim, passage) in [
            (Language::GERMAN, "am 3. März 2021", "am 03.03.2021"),
            (Language::GERMAN, "einundzwanzig Schiffe", "21 Schiffe"),
            (Language::FRENCH, "le 3 mars 1984", "3 mars 1984"),
            (Language::SPANISH, "1.500 barcos", "1500 barcos"),
        ] {
            let (missing, _) = figures(claim, language).missing_in(&figures(passage, language));
            assert_eq!(missing, 0, "{claim} | {passage}");
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
            ("on Monday", "on Tuesday"),
            ("the third floor", "the second floor"),
        ] {
            assert_eq!(missing(claim, passage), 1, "{claim} | {passage}");
        }
        let dated = |claim: &str| missing(claim, "It sailed on 3 May, and on 5 March it came back.");
        assert_eq!((dated("on 5 March"), dated("on 3 March")), (0, 1));
    }
}
