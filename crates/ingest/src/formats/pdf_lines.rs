//! From the lines of a page to sentences and paragraphs: what a printer broke is joined again.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;

/// A line as it stands on the page. Lengths are points; `base` grows upwards.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PdfLine {
    pub text: String,
    pub left: f32,
    pub right: f32,
    pub base: f32,
    /// The height of its characters.
    pub size: f32,
    /// Horizontal position at which the first word ends.
    pub first_word: f32,
    /// True if the line ends in a hyphen that only breaks a word.
    pub hyphen: bool,
}

/// Separator between two consecutive lines of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineGap {
    /// Both are cells on the same line of the page.
    Cell,
    /// The sentence continues on the next line.
    Space,
    /// The line break is intended and is kept.
    Line,
    Paragraph,
}

/// The words of a document, to tell how a word that was broken is written elsewhere.
#[derive(Default)]
pub(super) struct DocumentWords(HashSet<String>);

impl DocumentWords {
    /// Remembers the words of a line, but for the last one if that is broken.
    pub fn add_line(&mut self, line: &PdfLine) {
        // Enough for any book; a hostile file must not fill the memory with them.
        if self.0.len() > 500_000 {
            return;
        }
        let mut words: Vec<&str> = line.text.split_whitespace().collect();
        if line.hyphen {
            words.pop();
        }
        for word in words {
            let word = trim_punctuation(word);
            if word.len() > 3 && word.len() < 60 && !self.0.contains(word) {
                self.0.insert(word.to_lowercase());
            }
        }
    }

    /// The two halves of a broken word as one.
    fn join_halves(&self, before: &str, after: &str) -> String {
        let first = before.rsplit(char::is_whitespace).next().unwrap_or(before);
        let second = after.split(char::is_whitespace).next().unwrap_or(after);
        let plain = trim_punctuation(&format!("{first}{second}")).to_lowercase();
        let hyphened = trim_punctuation(&format!("{first}-{second}")).to_lowercase();
        let lower = second.starts_with(char::is_lowercase);
        let keep = if self.0.contains(&plain) {
            false
        } else if self.0.contains(&hyphened) {
            true
        } else {
            // "Anglo-American", "1914-18" and names keep theirs.
            !lower || first.ends_with(|char: char| char.is_ascii_digit()) || first.contains('-')
        };
        if keep { "-".to_owned() } else { String::new() }
    }
}

fn trim_punctuation(word: &str) -> &str {
    word.trim_matches(|char: char| !char.is_alphanumeric())
}

/// The text of a page: paragraphs apart by an empty line.
pub(super) fn join_lines(lines: &[PdfLine], words: &DocumentWords) -> String {
    let spacing = usual_spacing(lines);
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        let text = line.text.trim();
        if text.is_empty() {
            continue;
        }
        if let Some(before) = lines[..index].iter().rposition(|before| !before.text.trim().is_empty()) {
            let above = &lines[before];
            let gap = gap_between(lines, before, index, spacing);
            match gap {
                LineGap::Space if above.hyphen => out.push_str(&words.join_halves(&out, text)),
                _ if above.hyphen => out.push('-'),
                _ => {}
            }
            match gap {
                LineGap::Cell if line.left - above.right > line.size * 1.5 => out.push('\t'),
                LineGap::Cell => out.push(' '),
                LineGap::Space if above.hyphen => {}
                // Scripts without spaces have none at the end of a line either.
                LineGap::Space if out.ends_with(is_unspaced) && text.starts_with(is_unspaced) => {}
                LineGap::Space => out.push(' '),
                LineGap::Line => out.push('\n'),
                LineGap::Paragraph => out.push_str("\n\n"),
            }
        }
        out.push_str(text);
    }
    if lines.last().is_some_and(|line| line.hyphen) {
        out.push('-');
    }
    out
}

fn is_unspaced(char: char) -> bool {
    matches!(char, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}')
}

/// The distance between lines that occurs most, or nothing if there are too few.
fn usual_spacing(lines: &[PdfLine]) -> Option<f32> {
    let mut distances: Vec<f32> = lines
        .windows(2)
        .filter(|pair| is_similar(pair[0].size, pair[1].size))
        .map(|pair| pair[0].base - pair[1].base)
        .filter(|distance| *distance > 1.0)
        .collect();
    distances.sort_by(f32::total_cmp);
    // Gaps between paragraphs are longer, so the usual one is below the middle.
    distances.get(distances.len() * 2 / 5).copied()
}

fn is_similar(one: f32, other: f32) -> bool {
    one.max(other) <= one.min(other) * 1.18
}

fn gap_between(lines: &[PdfLine], above: usize, below: usize, spacing: Option<f32>) -> LineGap {
    let (a, b) = (&lines[above], &lines[below]);
    let size = a.size.max(b.size).max(1.0);
    let down = a.base - b.base;
    let goes_on = a.hyphen || (!ends_sentence(&a.text) && b.text.trim_start().starts_with(char::is_lowercase));
    if down.abs() < size * 0.35 && b.left >= a.right - size * 0.2 {
        return LineGap::Cell;
    }
    if !is_similar(a.size, b.size) {
        return LineGap::Paragraph;
    }
    if down <= 0.0 {
        // Up again: another column.
        return if goes_on { LineGap::Space } else { LineGap::Paragraph };
    }
    let near = spacing.map_or(size * 1.6, |spacing| spacing.min(size * 2.2) * 1.22);
    let overlap = a.left < b.right && b.left < a.right;
    if down > near || !overlap {
        return if a.hyphen && down < size * 3.0 { LineGap::Space } else { LineGap::Paragraph };
    }
    if a.hyphen {
        return LineGap::Space;
    }
    // Where lines end here: the longest line around that starts at about the same place.
    let from = above.saturating_sub(6);
    let to = (below + 6).min(lines.len());
    let margin = |line: &&PdfLine| (line.left - a.left).abs() < size * 3.0 && is_similar(line.size, a.size);
    let right = lines[from..to].iter().filter(margin).map(|line| line.right).fold(a.right, f32::max);
    let fitted = a.right + (b.first_word - b.left) + size * 0.45 < right - size * 0.3;
    let indented = b.left > a.left + size * 0.8 && !is_item(&a.text);
    match () {
        () if is_item(&b.text) && !goes_on => LineGap::Line,
        () if indented && (ends_sentence(&a.text) || fitted) => LineGap::Paragraph,
        () if fitted && ends_sentence(&a.text) => LineGap::Paragraph,
        () if fitted && !goes_on => LineGap::Line,
        () => LineGap::Space,
    }
}

fn ends_sentence(text: &str) -> bool {
    let text = text.trim_end().trim_end_matches(['"', '\'', '”', '’', '»', ')', ']']);
    text.ends_with(['.', '!', '?', ':', '。', '！', '？', '…'])
}

/// Returns true if the line starts with a list bullet or number.
fn is_item(text: &str) -> bool {
    let text = text.trim_start();
    if text.starts_with(['•', '◦', '▪', '‣', '–', '—', '∙', '·', '●', '○', '■']) {
        return true;
    }
    // "1." "2.3" "(4)" "a)" and the like, with or without blank space after them.
    let inner = text.trim_start_matches(['(', '[']);
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    let (label, rest) = match digits {
        0 => inner.split_at(inner.chars().next().filter(char::is_ascii_alphabetic).map_or(0, char::len_utf8)),
        _ => inner.split_at(digits),
    };
    let closed = rest.starts_with([')', ']']) || (rest.starts_with('.') && (digits > 0 || rest.starts_with(". ")));
    let after = rest.get(1..).unwrap_or_default();
    !label.is_empty() && label.len() <= 3 && closed && !after.starts_with(|char: char| char.is_ascii_digit())
}

/// Ligatures and the like as the letters they stand for; nothing else is changed.
pub(super) fn expand_ligature(char: char) -> impl Iterator<Item = char> {
    let ligature = matches!(char, '\u{fb00}'..='\u{fb06}' | '\u{132}' | '\u{133}');
    let blank = matches!(char, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}');
    let gone = char.is_control() || matches!(char, '\u{200b}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' | '\u{ad}');
    let spread = ligature.then(|| std::iter::once(char).nfkc());
    let plain = match () {
        () if ligature || gone => None,
        () if blank => Some(' '),
        () => Some(char),
    };
    spread.into_iter().flatten().chain(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, left: f32, right: f32, base: f32) -> PdfLine {
        let word = text.split(' ').next().unwrap_or_default().len() as f32;
        let per = (right - left) / text.len().max(1) as f32;
        PdfLine {
            text: text.trim_end_matches('\u{2}').to_owned(),
            left,
            right,
            base,
            size: 10.0,
            first_word: left + word * per,
            hyphen: text.ends_with('\u{2}'),
        }
    }

    #[test]
    fn lines_of_a_paragraph_become_sentences() {
        let lines = [
            line("A sample para\u{2}", 50.0, 300.0, 700.0),
            line("graph that runs over several lines of one", 50.0, 300.0, 688.0),
            line("column. It ends here.", 50.0, 170.0, 676.0),
            line("Another one begins after it and is long", 62.0, 300.0, 664.0),
            line("as well.", 50.0, 90.0, 652.0),
        ];
        let mut words = DocumentWords::default();
        lines.iter().for_each(|line| words.add_line(line));
        assert_eq!(
            join_lines(&lines, &words),
            "A sample paragraph that runs over several lines of one column. It ends here.\n\n\
             Another one begins after it and is long as well."
        );
    }

    #[test]
    fn a_hyphen_stays_where_the_word_has_one_elsewhere() {
        let lines = [
            line("A well-known fact is known to be well\u{2}", 50.0, 300.0, 700.0),
            line("known and more and more of this is here", 50.0, 300.0, 688.0),
        ];
        let mut words = DocumentWords::default();
        lines.iter().for_each(|line| words.add_line(line));
        assert!(join_lines(&lines, &words).contains("to be well-known and"));
    }

    #[test]
    fn lists_keep_their_lines_and_ligatures_their_letters() {
        let lines = [
            line("1. First of all the items in this list", 50.0, 300.0, 700.0),
            line("2. Second", 50.0, 100.0, 688.0),
            line("• Third", 50.0, 100.0, 676.0),
        ];
        assert_eq!(join_lines(&lines, &DocumentWords::default()).lines().count(), 3);
        assert_eq!("eﬃcient\u{ad}".chars().flat_map(expand_ligature).collect::<String>(), "efficient");
    }
}
