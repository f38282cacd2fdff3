//! Chunks: overlapping pieces of a text, small enough for an embedding model, cut where the text itself has borders.
//!
//! The text is taken apart once into atoms (sentences, or a few words of a long one), each with its tokens and the
//! strength of the border before it. Windows are then laid over the atoms, so that tokens are counted once and no
//! offset is ever searched for.

use std::ops::Range;

use ibid_domain::{CharIndex, Mark, MarkKind, Span};
use ibid_language::sentences::{char_count, paragraphs, sentences_of};
use unicode_segmentation::UnicodeSegmentation as _;

/// Size and overlap of the chunks that a text is split into.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChunkRules {
    /// No chunk has more tokens than this.
    pub max_tokens: usize,
    /// Part of a chunk that is repeated in the next one, from 0 (nothing) to 0.9; 0.5 repeats half.
    pub overlap: f32,
}

impl Default for ChunkRules {
    fn default() -> Self {
        Self { max_tokens: 512, overlap: 0.5 }
    }
}

/// Position and token count of one chunk of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextChunk {
    /// Character range in the text, without blank space at its ends.
    pub span: Span,
    /// Its tokens: the sum over its sentences, each counted on its own.
    pub tokens: usize,
}

/// Cuts a text into chunks, in order. Every non-blank character is in at least one.
///
/// A chapter or section (level 1 or 2), a sheet, a message or an attachment begins a new chunk, without overlap, when
/// the one before it is at least a quarter full; smaller ones are packed together. `count` says how many tokens a
/// string has; it is asked once for each sentence, and once more for the words of long ones. Only a single character
/// that alone has more tokens than allowed makes a chunk that is too large.
pub fn split_into_chunks(
    text: &str,
    marks: &[Mark],
    rules: &ChunkRules,
    count: &dyn Fn(&str) -> usize,
) -> Vec<TextChunk> {
    let max = rules.max_tokens.clamp(1, MOST_TOKENS);
    let overlap = if rules.overlap.is_finite() { f64::from(rules.overlap.clamp(0.0, 0.9)) } else { 0.5 };
    let atoms = AtomSplitter { text, max, count, byte: 0, place: 0, found: Vec::new() }.split_text(marks);
    let mut pieces = Vec::new();
    for range in packed_sections(&atoms, max) {
        push_windows(&atoms[range], max, overlap, &mut pieces);
    }
    pieces
}

/// More than any model takes, and little enough to be summed without care.
const MOST_TOKENS: usize = 1 << 24;

/// Strength of the boundary before an atom; chunks are cut at the strongest one nearby.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum BoundaryStrength {
    /// Inside a word, used only if the word alone is too long.
    Character,
    Word,
    Sentence,
    Paragraph,
    /// A heading that does not begin a chunk by itself.
    Heading,
    /// A chapter, section, sheet or message.
    Part,
}

/// The smallest piece that windows are made of.
#[derive(Clone, Copy, Debug)]
struct ChunkAtom {
    span: Span,
    tokens: usize,
    border: BoundaryStrength,
}

struct AtomSplitter<'a> {
    text: &'a str,
    max: usize,
    count: &'a dyn Fn(&str) -> usize,
    /// Byte offset up to which characters are counted; it is the start of character `place`.
    byte: usize,
    place: usize,
    found: Vec<ChunkAtom>,
}

impl AtomSplitter<'_> {
    fn split_text(mut self, marks: &[Mark]) -> Vec<ChunkAtom> {
        let text = self.text;
        let mut parts = borders_of(text, marks);
        if parts.first().is_none_or(|&(byte, _)| byte > 0) {
            parts.insert(0, (0, BoundaryStrength::Paragraph));
        }
        let ends: Vec<usize> = parts.iter().skip(1).map(|&(byte, _)| byte).chain([text.len()]).collect();
        for ((start, mut border), end) in parts.into_iter().zip(ends) {
            for paragraph in paragraphs(&text[start..end]) {
                // A heading belongs to what follows it.
                let heading = border >= BoundaryStrength::Heading && paragraph.len() < 200;
                for sentence in sentences_of(text, start + paragraph.start..start + paragraph.end) {
                    self.push_sentence(sentence, border);
                    border = BoundaryStrength::Sentence;
                }
                border = if heading { BoundaryStrength::Sentence } else { BoundaryStrength::Paragraph };
            }
        }
        self.found
    }

    /// A short sentence is one atom; a long one is several, so that windows can be cut and overlap within it.
    fn push_sentence(&mut self, range: Range<usize>, border: BoundaryStrength) {
        let short = (self.max / 8).max(1);
        if range.len() <= short * 12 {
            let tokens = self.count_tokens(&range);
            if tokens <= short {
                return self.push(range, tokens, border);
            }
        }
        let text = self.text;
        let enough = self.max / 32;
        let mut border = border;
        let mut group: Option<(Range<usize>, usize)> = None;
        for word in word_ranges(text, range) {
            if word.len() > 96 {
                if let Some((range, tokens)) = group.take() {
                    self.push(range, tokens, border);
                    border = BoundaryStrength::Word;
                }
                self.long_word(word, border);
                border = BoundaryStrength::Word;
                continue;
            }
            let tokens = self.count_tokens(&word);
            if tokens > self.max {
                if let Some((range, tokens)) = group.take() {
                    self.push(range, tokens, border);
                    border = BoundaryStrength::Word;
                }
                self.long_word(word, border);
                border = BoundaryStrength::Word;
                continue;
            }
            let (range, sum) = match group.take() {
                Some((range, sum)) if sum + tokens <= self.max => (range.start..word.end, sum + tokens),
                Some((range, sum)) => {
                    self.push(range, sum, border);
                    border = BoundaryStrength::Word;
                    (word, tokens)
                }
                None => (word, tokens),
            };
            if sum >= enough {
                self.push(range, sum, border);
                border = BoundaryStrength::Word;
            } else {
                group = Some((range, sum));
            }
        }
        if let Some((range, tokens)) = group {
            self.push(range, tokens, border);
        }
    }

    /// A run without spaces: cut between what a reader sees as characters, some at a time.
    fn long_word(&mut self, range: Range<usize>, border: BoundaryStrength) {
        let text = self.text;
        let mut border = border;
        for group in split_by_size(text, range, 48, true) {
            let tokens = self.count_tokens(&group);
            // A tokenizer may give up on a long run, so that its count says nothing; these are short.
            if tokens <= (self.max / 8).max(1) {
                self.push(group, tokens, border);
            } else {
                for one in split_by_size(text, group, 1, true) {
                    let tokens = self.count_tokens(&one);
                    if tokens <= self.max {
                        self.push(one, tokens, border);
                    } else {
                        for single in split_by_size(text, one, 1, false) {
                            let tokens = self.count_tokens(&single);
                            self.push(single, tokens, border);
                            border = BoundaryStrength::Character;
                        }
                    }
                    border = BoundaryStrength::Character;
                }
            }
            border = BoundaryStrength::Character;
        }
    }

    /// At least one, so that a window cannot grow for ever.
    fn count_tokens(&self, range: &Range<usize>) -> usize {
        self.text.get(range.clone()).map_or(1, |part| (self.count)(part).clamp(1, MOST_TOKENS))
    }

    fn push(&mut self, range: Range<usize>, tokens: usize, border: BoundaryStrength) {
        let start = self.place + char_count(self.text, self.byte..range.start);
        let end = start + char_count(self.text, range.clone());
        (self.byte, self.place) = (range.end, end);
        self.found.push(ChunkAtom { span: Span::new(start, end), tokens, border });
    }
}

/// The bytes at which a marked part of the text begins.
fn borders_of(text: &str, marks: &[Mark]) -> Vec<(usize, BoundaryStrength)> {
    let mut starts: Vec<(usize, BoundaryStrength)> = marks
        .iter()
        .filter_map(|mark| {
            let border = match mark.kind {
                MarkKind::Section if mark.level > 2 => BoundaryStrength::Heading,
                MarkKind::Section | MarkKind::Sheet | MarkKind::Message | MarkKind::Attachment => {
                    BoundaryStrength::Part
                }
                // A page ends where the paper does, and a row of cells is a line of text anyway.
                MarkKind::Page | MarkKind::Cells => return None,
            };
            Some((mark.span.start, border))
        })
        .collect();
    if starts.is_empty() {
        return starts;
    }
    // The strongest first, so that it is the one that stays.
    starts.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    starts.dedup_by_key(|start| start.0);
    let index = CharIndex::new(text);
    starts.into_iter().filter_map(|(place, border)| Some((index.byte_offset(place)?, border))).collect()
}

/// The words of a range: what stands between blank space.
fn word_ranges(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let base = range.start;
    let part = &text[range];
    part.split_whitespace().map(move |word| {
        // The word is a slice of the part, so that its place is the distance between the two.
        let start = base + (word.as_ptr().addr() - part.as_ptr().addr());
        start..start + word.len()
    })
}

/// A range in runs of about `size` bytes, cut between grapheme clusters or between characters. A cluster of absurd
/// length is cut between its characters.
fn split_by_size(text: &str, range: Range<usize>, size: usize, clusters: bool) -> Vec<Range<usize>> {
    let part = &text[range.clone()];
    let mut found = Vec::new();
    let mut start = 0;
    let mut cut = |at: usize| {
        if at - start >= size {
            found.push(range.start + start..range.start + at);
            start = at;
        }
    };
    if clusters {
        for (at, cluster) in part.grapheme_indices(true) {
            if cluster.len() > 256 {
                for (within, one) in cluster.char_indices() {
                    cut(at + within + one.len_utf8());
                }
            } else {
                cut(at + cluster.len());
            }
        }
    } else {
        for (at, one) in part.char_indices() {
            cut(at + one.len_utf8());
        }
    }
    if start < part.len() {
        found.push(range.start + start..range.end);
    }
    found
}

/// The atoms in ranges that begin at a part of the text, small parts taken together.
fn packed_sections(atoms: &[ChunkAtom], max: usize) -> Vec<Range<usize>> {
    let enough = max / 4;
    let mut packed: Vec<Range<usize>> = Vec::new();
    let (mut start, mut tokens) = (0, 0);
    for (at, atom) in atoms.iter().enumerate() {
        if atom.border == BoundaryStrength::Part && at > start && tokens >= enough {
            packed.push(start..at);
            (start, tokens) = (at, 0);
        }
        tokens += atom.tokens;
    }
    if start < atoms.len() {
        match packed.last_mut() {
            // What is left is too little to stand alone.
            Some(last) if tokens < enough => last.end = atoms.len(),
            _ => packed.push(start..atoms.len()),
        }
    }
    packed
}

/// Lays overlapping windows over the atoms.
fn push_windows(atoms: &[ChunkAtom], max: usize, overlap: f64, pieces: &mut Vec<TextChunk>) {
    let (mut start, mut covered) = (0, 0);
    while start < atoms.len() {
        let end = window_end(atoms, start, max, covered);
        if end <= covered {
            // So much is repeated that nothing new fits.
            start += 1;
            continue;
        }
        covered = end;
        let window = &atoms[start..end];
        let tokens = window.iter().map(|atom| atom.tokens).sum();
        if let (Some(first), Some(last)) = (window.first(), window.last()) {
            pieces.push(TextChunk { span: Span::new(first.span.start, last.span.end), tokens });
        }
        if end == atoms.len() {
            return;
        }
        start = next_start(atoms, start..end, tokens, overlap);
    }
}

/// The end of the window that begins at `start`: at the strongest border of its last quarter, as late as possible, and
/// beyond what is covered already.
fn window_end(atoms: &[ChunkAtom], start: usize, max: usize, covered: usize) -> usize {
    let mut end = start;
    let mut tokens = 0;
    let mut best: Option<(BoundaryStrength, usize)> = None;
    while let Some(atom) = atoms.get(end) {
        if tokens + atom.tokens > max && end > start {
            break;
        }
        tokens += atom.tokens;
        end += 1;
        if tokens * 4 >= max * 3 && end > covered {
            // Beyond the last atom the text ends, which is the best border of all.
            let border = atoms.get(end).map_or(BoundaryStrength::Part, |next| next.border);
            if best.is_none_or(|(strongest, _)| border >= strongest) {
                best = Some((border, end));
            }
        }
    }
    if end == atoms.len() {
        return end;
    }
    best.map_or(end, |(_, at)| at)
}

/// Returns the index at which the next window begins: near the wanted overlap, at the strongest boundary nearby.
fn next_start(atoms: &[ChunkAtom], window: Range<usize>, tokens: usize, overlap: f64) -> usize {
    let wanted = tokens as f64 * overlap;
    let least = wanted * 0.6;
    let most = (wanted * 1.3).min(tokens as f64 * (1.0 + overlap) / 2.0);
    let mut repeated = 0.0;
    let mut best: Option<(BoundaryStrength, f64, usize)> = None;
    // With nothing to repeat, the next window begins where this one ends.
    if wanted < 1.0 {
        return window.end;
    }
    // The border nearest to the wanted place, where none lies in the range.
    let mut nearest = (wanted, window.end);
    for at in window.clone().skip(1).rev() {
        repeated += atoms[at].tokens as f64;
        let distance = (repeated - wanted).abs();
        if distance < nearest.0 {
            nearest = (distance, at);
        }
        if repeated > most {
            break;
        }
        if repeated >= least {
            let border = atoms[at].border;
            let better =
                best.is_none_or(|(strongest, away, _)| border > strongest || (border == strongest && distance < away));
            if better {
                best = Some((border, distance, at));
            }
        }
    }
    best.map_or(nearest.1, |(_, _, at)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_in(text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn section(label: &str, level: u8, start: usize, end: usize) -> Mark {
        Mark { kind: MarkKind::Section, label: label.to_owned(), number: None, level, span: Span::new(start, end) }
    }

    fn texts<'t>(text: &'t str, pieces: &[TextChunk]) -> Vec<&'t str> {
        pieces.iter().map(|piece| piece.span.slice_of(text).unwrap()).collect()
    }

    /// Paragraphs of four sentences of six words each.
    fn prose(paragraphs: usize) -> String {
        (0..paragraphs)
            .map(|p| (0..4).map(|s| format!("This is sentence {s} of {p}.")).collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
            .join("\n\n")
    }

    #[test]
    fn a_short_text_is_one_chunk_without_the_space_around_it() {
        let text = "\n  A short text.\n\nOf two paragraphs. \n";
        let pieces = split_into_chunks(text, &[], &ChunkRules::default(), &words_in);
        assert_eq!(texts(text, &pieces), ["A short text.\n\nOf two paragraphs."]);
        assert_eq!(pieces[0].tokens, 6);
        assert!(split_into_chunks(" \n ", &[], &ChunkRules::default(), &words_in).is_empty());
        assert!(split_into_chunks("", &[section("x", 1, 0, 9)], &ChunkRules::default(), &words_in).is_empty());
    }

    #[test]
    fn half_of_a_chunk_is_repeated_in_the_next() {
        let text = prose(40);
        let pieces = split_into_chunks(&text, &[], &ChunkRules { max_tokens: 100, overlap: 0.5 }, &words_in);
        assert!(pieces.len() > 15);
        for pair in pieces.windows(2) {
            assert!(pair[0].tokens <= 100 && pair[0].tokens >= 75);
            let shared = words_in(Span::new(pair[1].span.start, pair[0].span.end).slice_of(&text).unwrap());
            assert!((30..=66).contains(&shared), "{shared}");
        }
        for piece in texts(&text, &pieces) {
            assert!(piece.starts_with("This is sentence 0") && piece.ends_with('.'), "{piece}");
        }
        let apart = split_into_chunks(&text, &[], &ChunkRules { max_tokens: 100, overlap: 0.0 }, &words_in);
        assert!(apart.windows(2).all(|pair| pair[0].span.end < pair[1].span.start));
    }

    #[test]
    fn large_sections_begin_a_chunk_and_small_ones_are_packed() {
        let body = prose(3);
        let text =
            format!("Alpha\n\n{body}\n\nBeta\n\n{body}\n\nGamma\n\nTiny.\n\nDelta\n\nTiny too.\n\nOmega\n\n{body}");
        let at = |word: &str| text[..text.find(word).unwrap()].chars().count();
        let end = text.chars().count();
        let marks: Vec<Mark> =
            ["Alpha", "Beta", "Gamma", "Delta", "Omega"].iter().map(|name| section(name, 1, at(name), end)).collect();
        let pieces = split_into_chunks(&text, &marks, &ChunkRules { max_tokens: 120, overlap: 0.5 }, &words_in);
        let starts: Vec<&str> =
            texts(&text, &pieces).iter().map(|piece| piece.split_whitespace().next().unwrap()).collect();
        assert_eq!(starts, ["Alpha", "Beta", "Gamma"]);
    }

    #[test]
    fn text_without_spaces_is_cut_between_characters() {
        let letters = |text: &str| text.chars().count();
        let rules = ChunkRules { max_tokens: 50, overlap: 0.5 };
        let family = "👨‍👩‍👧e\u{301}漢";
        let text = family.repeat(200);
        let pieces = split_into_chunks(&text, &[], &rules, &letters);
        assert_eq!(pieces.last().unwrap().span.end, letters(&text));
        for piece in texts(&text, &pieces) {
            assert!(["👨", "e", "漢"].iter().any(|first| piece.starts_with(first)), "{piece}");
            assert!(letters(piece) <= 50);
        }
        let zalgo = format!("a{}", "\u{301}".repeat(5000));
        assert!(split_into_chunks(&zalgo, &[], &rules, &letters).iter().all(|piece| piece.tokens <= 50));
    }

    #[test]
    fn odd_rules_and_marks_do_no_harm() {
        let text = prose(5);
        for (max_tokens, overlap) in [(0, 0.5), (1, 0.9), (3, f32::NAN), (7, 5.0), (7, -1.0), (usize::MAX / 8, 0.5)] {
            let marks = [section("a", 1, 999_999, 3), section("b", 2, 17, 4), section("c", 9, 17, 40)];
            let pieces = split_into_chunks(&text, &marks, &ChunkRules { max_tokens, overlap }, &words_in);
            assert!(!pieces.is_empty());
            assert!(
                pieces.iter().all(|piece| piece.span.slice_of(&text).is_some() && piece.tokens <= max_tokens.max(1))
            );
        }
    }
}
