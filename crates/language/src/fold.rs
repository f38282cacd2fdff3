//! Letters without their accents.

use std::borrow::Cow;

use unicode_normalization::char::decompose_canonical;

/// A word in lower case without its accents: `café` is `cafe`, `straße` is `strasse`.
///
/// Marks that are vowels, as in Hindi, and letters of their own, as the Russian й, stay.
pub fn fold_accents(lower: &str) -> Cow<'_, str> {
    if lower.is_ascii() {
        return Cow::Borrowed(lower);
    }
    let mut folded = String::with_capacity(lower.len());
    push_folded(lower, &mut folded);
    Cow::Owned(folded)
}

/// Writes what [`fold_accents`] gives over what is in `into`, so that many words need one buffer.
pub fn fold_accents_into(lower: &str, into: &mut String) {
    into.clear();
    if lower.is_ascii() {
        into.push_str(lower);
    } else {
        push_folded(lower, into);
    }
}

fn push_folded(lower: &str, folded: &mut String) {
    for c in lower.chars() {
        match c {
            '\0'..='\u{7F}' => folded.push(c),
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'þ' => folded.push_str("th"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' | 'ð' => folded.push('d'),
            'ħ' => folded.push('h'),
            'ı' => folded.push('i'),
            'ŧ' => folded.push('t'),
            'ŋ' => folded.push('n'),
            '\u{80}'..='\u{3FF}' | '\u{600}'..='\u{6FF}' | '\u{1E00}'..='\u{1FFF}' => {
                decompose_canonical(c, |c| {
                    if !is_accent(c) {
                        folded.push(c);
                    }
                });
            }
            _ if is_accent(c) => {}
            _ => folded.push(c),
        }
    }
}

const fn is_accent(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36F}'
        | '\u{591}'..='\u{5C7}'
        | '\u{610}'..='\u{61A}' | '\u{64B}'..='\u{65F}' | '\u{670}' | '\u{6D6}'..='\u{6DC}'
        | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_are_folded_and_letters_of_their_own_are_not() {
        for (word, expected) in [
            ("plain", "plain"),
            ("café", "cafe"),
            ("cafe\u{301}", "cafe"),
            ("straße", "strasse"),
            ("œuvre", "oeuvre"),
            ("ação", "acao"),
            ("brücke", "brucke"),
            ("łódź", "lodz"),
            ("май", "май"),
            ("हिन्दी", "हिन्दी"),
        ] {
            assert_eq!(fold_accents(word), expected, "{word}");
            let mut buffer = "before".to_owned();
            fold_accents_into(word, &mut buffer);
            assert_eq!(buffer, expected, "{word}");
        }
    }
}
