//! Text on one line, for labels, titles and quotes.

/// The text with each run of white space as one space, none at the ends, and without control characters.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    push_words(text, &mut line, usize::MAX);
    line
}

/// The text on one line of at most `most` characters. A longer one is cut, after a word where that loses little, and ends in `…`.
pub fn one_line_at_most(text: &str, most: usize) -> String {
    let mut line = String::new();
    push_words(text, &mut line, most);
    let Some((end, _)) = line.char_indices().nth(most) else { return line };
    let Some(kept) = most.checked_sub(1) else { return String::new() };
    let cut = line.char_indices().nth(kept).map_or(end, |(byte, _)| byte);
    // Half of a word at the end says little, unless the line is one long word.
    let after_word = if line[cut..].starts_with(' ') { cut } else { line[..cut].rfind(' ').unwrap_or(0) };
    line.truncate(if after_word * 3 >= cut * 2 { after_word } else { cut });
    line.truncate(line.trim_end().len());
    line.push('…');
    line
}

/// Appends the words of `text` with single spaces until the line has more than `most` characters.
fn push_words(text: &str, line: &mut String, most: usize) {
    let mut count = 0_usize;
    for word in text.split_whitespace() {
        let before = line.len();
        if before > 0 {
            line.push(' ');
            count += 1;
        }
        let start = line.len();
        for char in word.chars().filter(|char| !char.is_control()) {
            line.push(char);
            count += 1;
            if count > most {
                return;
            }
        }
        if line.len() == start && before > 0 {
            line.truncate(before);
            count -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_becomes_single_spaces() {
        for (text, expected) in [
            ("", ""),
            (" \n ", ""),
            (" a\t b\r\nc ", "a b c"),
            ("a\u{0}b \u{1} c", "ab c"),
            ("\u{1} x", "x"),
            ("ä\u{a0}ö", "ä ö"),
        ] {
            assert_eq!(one_line(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_line_is_cut_after_a_word() {
        for (text, most, expected) in [
            ("one two", 7, "one two"),
            ("one two three", 9, "one two…"),
            ("one two three", 8, "one two…"),
            ("onetwothree", 5, "onet…"),
            ("one", 0, ""),
            ("one", 1, "…"),
            ("  ü  ö ", 3, "ü ö"),
        ] {
            let line = one_line_at_most(text, most);
            assert_eq!(line, expected, "{text:?} {most}");
            assert!(line.chars().count() <= most);
        }
    }
}
