//! The words of a claim and of a passage, in the form in which they are compared.

use ibid_language::{
    Lexicon, fold_accents,
    lexicon::TimeWords,
    numbers::Number,
    stems::comparable_stem,
    units::unit_at,
    words::{Token, TokenKind, TokenizedText},
};

/// A word that says something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ContentWord {
    /// Stem of the word in lower case, without accents; of a number its value.
    pub stem: String,
    /// The word as it stands, in lower case.
    pub lower: String,
    /// The same without accents, for texts that leave them out: stemmers take `bahía` and `bahia` for two words.
    pub folded: String,
    /// True if it is capitalized like a name, and not only because it begins a sentence.
    pub is_name: bool,
    /// The number that it is, in digits or in words.
    pub number: Option<Number>,
}

/// The words of a text that say something, in order. A number is one word, however it is written.
pub(crate) fn content_words(text: &TokenizedText<'_>, numbers: &[Number]) -> Vec<ContentWord> {
    let lexicon = Lexicon::of(text.language);
    let mut words = Vec::new();
    let mut numbers = numbers.iter().peekable();
    let mut number_end = 0;
    let starts = sentence_starts(text);
    for (place, token) in text.tokens.iter().enumerate() {
        if token.start < number_end {
            continue;
        }
        while numbers.next_if(|number| number.range.end <= token.start).is_some() {}
        if let Some(number) = numbers.next_if(|number| number.range.start <= token.start) {
            number_end = number.range.end;
            // The unit is a part of the number, and compared with it.
            let next = text.tokens.iter().position(|token| token.start >= number_end);
            let unit =
                next.filter(|_| number.unit.is_some()).and_then(|next| Some((next, unit_at(&text.lower, next)?.0)));
            if let Some((next, length)) = unit {
                number_end = text.tokens[next + length - 1].end;
            }
            let lower = text.lower_at(place).to_owned();
            let stem = format!("#{}", number.value);
            words.push(ContentWord { folded: stem.clone(), stem, lower, is_name: false, number: Some(number.clone()) });
            continue;
        }
        let lower = text.lower_at(place);
        if !matches!(token.kind, TokenKind::Word | TokenKind::Number) || is_empty_word(lower, lexicon) {
            continue;
        }
        let is_name = token.kind == TokenKind::Word && is_name(text, place, &starts, lexicon);
        let stem = comparable_stem(lower, text.language);
        let folded = fold_accents(lower).into_owned();
        words.push(ContentWord { stem, lower: lower.to_owned(), folded, is_name, number: None });
    }
    words
}

/// Returns true for a word that says nothing by itself: little words, auxiliaries and single letters. Negations are
/// compared on their own.
pub(crate) fn is_empty_word(lower: &str, lexicon: &Lexicon) -> bool {
    let is_letter = lower.len() == 1 && !lower.as_bytes()[0].is_ascii_digit();
    is_letter || lexicon.is_little(lower) || lexicon.auxiliaries.contains(lower)
}

/// Tells of each token whether a sentence, a line or a quotation begins with it.
pub(crate) fn sentence_starts(text: &TokenizedText<'_>) -> Vec<bool> {
    let mut begins = true;
    let mut end = 0;
    let mut start_of = |token: &Token| {
        begins |= text.text[end..token.start].contains('\n');
        end = token.end;
        if token.kind == TokenKind::Sign {
            begins |= matches!(token.of(text.text), "." | "!" | "?" | "。" | ":" | "“" | "\"");
            return false;
        }
        std::mem::take(&mut begins)
    };
    text.tokens.iter().map(&mut start_of).collect()
}

/// Returns true if a word is capitalized.
pub(crate) fn is_raised(text: &TokenizedText<'_>, place: usize) -> bool {
    let token = text.tokens.get(place).filter(|token| token.kind == TokenKind::Word);
    token.is_some_and(|token| token.of(text.text).starts_with(char::is_uppercase))
}

/// Returns true if a word is written as names are.
fn is_name(text: &TokenizedText<'_>, place: usize, starts: &[bool], lexicon: &Lexicon) -> bool {
    let (word, lower) = (text.tokens[place].of(text.text), text.lower_at(place));
    if !is_raised(text, place) || is_calendar_word(lower, &lexicon.time) {
        return false;
    }
    if word.chars().skip(1).any(char::is_uppercase) {
        return true;
    }
    if starts[place] {
        return false;
    }
    // Where every noun is raised, a name is one of several in a row, or has no article before it: `in Hamburg`.
    !lexicon.has_capital_nouns
        || is_raised(text, place + 1)
        || place.checked_sub(1).is_some_and(|before| {
            let is_bare = lexicon.is_little(text.lower_at(before))
                && !lexicon.determiners.contains(text.lower_at(before))
                && !lexicon.pronouns.contains(text.lower_at(before))
                && lexicon.cues.before_places.contains(text.lower_at(before));
            is_bare || is_raised(text, before) && !starts[before]
        })
}

/// Returns true for the name of a month or of a day, which are compared as dates, and for units of the calendar.
pub(crate) fn is_calendar_word(lower: &str, time: &TimeWords) -> bool {
    time.months.contains_key(lower) || time.weekdays.contains_key(lower) || time.units.contains_key(lower)
}

#[cfg(test)]
mod tests {
    use ibid_language::{Language, numbers::numbers_in};

    use super::*;

    fn words(text: &str, language: Language) -> Vec<ContentWord> {
        let text = TokenizedText::new(text, language);
        content_words(&text, &numbers_in(&text))
    }

    #[test]
    fn words_are_compared_by_their_stems() {
        let stems = |text: &str, language: Language| {
            words(text, language).into_iter().map(|word| word.stem).collect::<Vec<_>>()
        };
        assert_eq!(
            stems("The committees measured Ada's 1,500.5 engines.", Language::ENGLISH),
            ["committe", "measur", "ada", "#1500.5", "engin"]
        );
        assert_eq!(stems("数据 shows", Language::ENGLISH), ["数", "据", "show"]);
        assert_eq!(stems("Die zwölf Brücken wurden nicht gebaut.", Language::GERMAN), ["#12", "bruck", "gebaut"]);
        assert_eq!(stems("L'église n'a pas été construite.", Language::FRENCH), ["eglis", "construit"]);
    }

    #[test]
    fn names_are_told_by_their_capitals() {
        let names = |text: &str, language: Language| {
            let names = words(text, language).into_iter().filter(|word| word.is_name);
            names.map(|word| word.lower).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names("The Bank of England. Later it moved to NASA", Language::ENGLISH), "bank england nasa");
        assert_eq!(
            names("Die Mauer am Hafen wurde im Jahr 1874 von Karl Huber in Bremen gebaut.", Language::GERMAN),
            "karl huber bremen"
        );
        assert_eq!(names("Le pont fut construit par Jeanne en mars.", Language::FRENCH), "jeanne");
    }
}
