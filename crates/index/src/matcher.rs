//! The words of a passage that answer a query.
//!
//! Words are compared in the forms they are indexed under, but few of them are stemmed: a stem begins as its word does,
//! so what begins otherwise cannot match.

use std::{collections::HashMap, ops::Range};

use ibid_domain::Span;

use crate::{
    atoms::{AtomKind, WordAtom, for_each_group},
    query::ParsedQuery,
    sentences::{SentenceRange, split_sentences},
    stemming::LanguageRules,
    words::{AnalyzerBuffers, position_count, with_buffers},
};

/// The most characters of a quote, unless one word is longer.
pub const LONGEST: usize = 300;
/// A sentence of fewer characters is quoted together with a neighbour.
const SHORT: usize = 80;

/// A part of a passage that is worth showing.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageQuote {
    /// Position in the passage, in characters.
    pub span: Span,
    /// The words that were looked for, in characters of the quote.
    pub matches: Vec<Span>,
    /// Sum of the weights of the distinct matching words, plus a bonus if they stand close together.
    pub score: f32,
}

/// Finds the words of one query in passages.
#[derive(Clone, Debug)]
pub struct Matcher {
    languages: Vec<LanguageRules>,
    terms: Vec<MatchTerm>,
    /// Forms to find, in sorted order.
    wanted: Vec<WantedForm>,
    /// Range of `wanted` for each first byte.
    by_first: Vec<Range<usize>>,
    /// With which bytes a word that is wanted may begin as it stands.
    begins: [bool; 256],
    phrases: Vec<Vec<usize>>,
    /// True if every word must be stemmed, because a stem may begin differently from its word.
    thorough: bool,
}

#[derive(Clone, Debug)]
struct MatchTerm {
    forms: Vec<String>,
    weight: f32,
    /// Counts only within its phrase.
    common: bool,
}

#[derive(Clone, Debug)]
struct WantedForm {
    form: String,
    term: usize,
    /// Number of leading bytes that a folded word must share with the form to be able to match it.
    shared: usize,
}

/// A word of a passage that was looked for.
#[derive(Clone, Copy, Debug)]
struct TermMatch {
    start: usize,
    end: usize,
    /// The places of its first and last part.
    place: u32,
    last: u32,
    term: usize,
    in_phrase: bool,
}

impl Matcher {
    /// For the words and phrases of a query.
    pub fn new(query: &ParsedQuery) -> Self {
        let mut numbers: HashMap<&[String], usize> = HashMap::new();
        let mut terms: Vec<MatchTerm> = Vec::new();
        let mut number = |forms: &'_ Vec<String>, common: bool, numbers: &mut HashMap<&'_ [String], usize>| {
            numbers.get(forms.as_slice()).copied().unwrap_or_else(|| {
                terms.push(MatchTerm { forms: forms.clone(), weight: 1.0, common });
                terms.len() - 1
            })
        };
        for forms in &query.words.any {
            let term = number(forms, false, &mut numbers);
            numbers.insert(forms, term);
        }
        let mut phrases = Vec::new();
        for words in &query.words.phrases {
            let mut phrase = Vec::with_capacity(words.len());
            for forms in words {
                let term = number(forms, query.common.contains(forms), &mut numbers);
                numbers.insert(forms, term);
                phrase.push(term);
            }
            phrases.push(phrase);
        }
        let mut wanted: Vec<WantedForm> = Vec::new();
        for (term, of) in terms.iter().enumerate() {
            wanted.extend(of.forms.iter().map(|form| WantedForm {
                form: form.clone(),
                term,
                shared: required_prefix_len(form),
            }));
        }
        wanted.sort_by(|one, other| one.form.cmp(&other.form));
        let first = |wanted: &WantedForm| wanted.form.bytes().next();
        let by_first: Vec<Range<usize>> = (0..=u8::MAX)
            .map(|byte| {
                let from = wanted.partition_point(|wanted| first(wanted) < Some(byte));
                from..wanted.partition_point(|wanted| first(wanted) <= Some(byte))
            })
            .collect();
        let begins = std::array::from_fn(|byte| {
            // Other letters may become some of ASCII when they are folded.
            byte >= 0x80 || !by_first[usize::from((byte as u8).to_ascii_lowercase())].is_empty()
        });
        let thorough = query.languages.iter().any(|language| language.changes_beginnings());
        Self { languages: query.languages.clone(), terms, wanted, by_first, begins, phrases, thorough }
    }

    /// Weighs words, given by their forms, otherwise than as one each: by how rare they are, say.
    #[must_use]
    pub fn with_weights(mut self, weight: impl Fn(&[String]) -> f32) -> Self {
        for term in &mut self.terms {
            term.weight = weight(&term.forms);
        }
        self
    }

    /// The parts of a passage that answer best, at most `most`, the best first and none twice.
    ///
    /// Where no word is found, as in a passage that was found by its meaning, that is the beginning of the passage.
    pub fn best_quotes(&self, content: &str, most: usize) -> Vec<PassageQuote> {
        if most == 0 {
            return Vec::new();
        }
        let found = self.find_matches(content);
        let sentences = split_sentences(content);
        if found.is_empty() {
            return opening_quote(content, &sentences).into_iter().collect();
        }
        let mut parts: Vec<(Range<usize>, f32)> = Vec::new();
        let mut from = 0;
        for (number, sentence) in sentences.iter().enumerate() {
            // Nothing that was found lies between two sentences.
            let within = &found[from..];
            let within = &within[..within.partition_point(|found| found.start < sentence.range.end)];
            from += within.len();
            if !within.is_empty() {
                let range = self.quote_range(content, &sentences, number, within, &found);
                let (words, density) = self.score_range(&range, &found);
                parts.push((range, words + density / 2.0));
            }
        }
        parts.sort_by(|one, other| other.1.total_cmp(&one.1));
        let mut quotes: Vec<(Range<usize>, PassageQuote)> = Vec::new();
        for (range, score) in parts {
            if quotes.len() == most {
                break;
            }
            if quotes.iter().all(|(taken, _)| range.end <= taken.start || taken.end <= range.start) {
                let quote = build_quote(content, &range, &found, score);
                quotes.push((range, quote));
            }
        }
        quotes.into_iter().map(|(_, quote)| quote).collect()
    }

    /// Returns the share of the query's words that a text contains, by weight, from 0 to 1.
    pub fn coverage(&self, content: &str) -> f32 {
        let all: f32 = self.terms.iter().filter(|term| !term.common).map(|term| term.weight).sum();
        if all <= 0.0 {
            return 0.0;
        }
        let mut has = vec![false; self.terms.len()];
        for found in self.find_matches(content) {
            has[found.term] = true;
        }
        let had = self.terms.iter().zip(has).filter(|(term, has)| *has && !term.common);
        had.map(|(term, _)| term.weight).sum::<f32>() / all
    }

    /// The words of a passage that were looked for, in order.
    fn find_matches(&self, content: &str) -> Vec<TermMatch> {
        let mut found = Vec::new();
        if self.wanted.is_empty() {
            return found;
        }
        with_buffers(|desk| {
            let mut place = 0_u32;
            for_each_group(content, |group| {
                let last = place.saturating_add(position_count(group) - 1);
                match group {
                    [one] => self.match_atom(desk, content, *one, place, &mut found),
                    [first, ..] if first.kind == AtomKind::Glyph => {
                        for (place, pair) in (place..).zip(group.windows(2)) {
                            let [left, right] = pair else { continue };
                            let range = left.start..right.end;
                            desk.glyph_form(content, *left, *right, |form| {
                                self.match_form(form, &range, place, place, &mut found);
                            });
                        }
                    }
                    [first, .., end] => {
                        for (place, atom) in (place..).zip(group) {
                            self.match_atom(desk, content, *atom, place, &mut found);
                        }
                        if self.may_begin_whole(content, *first) {
                            for language in &self.languages {
                                desk.whole_forms(*language, content, group, |form| {
                                    self.match_form(form, &(first.start..end.end), place, last, &mut found);
                                });
                            }
                        }
                    }
                    [] => {}
                }
                place = last.saturating_add(1);
            });
        });
        // The whole of a compound comes after its parts.
        found.sort_by_key(|found| (found.place, found.start));
        self.mark_phrases(&mut found);
        found.retain(|found| found.in_phrase || !self.terms[found.term].common);
        found.sort_by_key(|found| (found.start, found.end));
        found
    }

    /// Returns true if a wanted form can begin like the atom.
    fn may_begin(&self, content: &str, atom: WordAtom) -> bool {
        // An apostrophe may cut the beginning.
        self.begins[usize::from(content.as_bytes()[atom.start])] || atom.kind == AtomKind::Letters
    }

    /// Returns true if a compound that begins with the atom can be a wanted form.
    fn may_begin_whole(&self, content: &str, atom: WordAtom) -> bool {
        let raw = atom.text_in(content).as_bytes();
        self.may_begin(content, atom)
            && (atom.kind != AtomKind::Plain
                || self.beginning_as(raw).any(|wanted| {
                    let shared = wanted.form.as_bytes().iter().take(wanted.shared);
                    raw.iter().zip(shared).all(|(one, other)| one.eq_ignore_ascii_case(other))
                }))
    }

    /// Returns the wanted forms with the same first byte as a word without accents.
    fn beginning_as(&self, word: &[u8]) -> impl Iterator<Item = &WantedForm> {
        let range = word.first().map_or(0..0, |first| self.by_first[usize::from(first.to_ascii_lowercase())].clone());
        self.wanted[range].iter()
    }

    /// Adds an atom to what was found, if it is wanted.
    fn match_atom(
        &self,
        desk: &mut AnalyzerBuffers,
        content: &str,
        atom: WordAtom,
        place: u32,
        found: &mut Vec<TermMatch>,
    ) {
        if !self.may_begin(content, atom) {
            return;
        }
        let raw = atom.text_in(content);
        let may_match = match atom.kind {
            AtomKind::Plain => self.may_match(raw.as_bytes()),
            AtomKind::Letters if !self.thorough && !raw.contains(['\'', '’', 'ʼ', '＇']) => {
                self.languages.first().is_some_and(|language| {
                    let folded = desk.fold_atom(*language, content, atom);
                    self.may_match(folded.as_bytes())
                })
            }
            AtomKind::Letters | AtomKind::Exact | AtomKind::Glyph | AtomKind::Emoji => true,
        };
        if may_match {
            for language in &self.languages {
                desk.part_forms(*language, content, atom, |form| {
                    self.match_form(form, &(atom.start..atom.end), place, place, found);
                });
            }
        }
    }

    /// Returns true if a word without accents can have a wanted form.
    fn may_match(&self, word: &[u8]) -> bool {
        self.beginning_as(word).any(|wanted| {
            let shared = &wanted.form.as_bytes()[..wanted.shared];
            word.get(..shared.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(shared))
        })
    }

    /// Adds a word to what was found for each term that has its form.
    fn match_form(&self, form: &str, range: &Range<usize>, place: u32, last: u32, found: &mut Vec<TermMatch>) {
        for wanted in self.beginning_as(form.as_bytes()) {
            if wanted.form == form {
                let term = wanted.term;
                // Forms of several languages, or with and without accents, are one word.
                let known = |known: &&TermMatch| known.place == place && known.start == range.start;
                let new = !found.iter().rev().take_while(known).any(|known| known.term == term && known.last == last);
                if new {
                    found.push(TermMatch { start: range.start, end: range.end, place, last, term, in_phrase: false });
                }
            }
        }
    }

    /// Marks the words that stand in a phrase of the query. `found` is in the order of its places.
    fn mark_phrases(&self, found: &mut [TermMatch]) {
        let mut standing = Vec::new();
        for phrase in &self.phrases {
            for first in 0..found.len() {
                standing.clear();
                let mut place = found[first].place;
                for (number, term) in phrase.iter().enumerate() {
                    let from = if number == 0 { first } else { found.partition_point(|found| found.place < place) };
                    let here = found[from..].iter().take_while(|found| found.place == place);
                    let Some(next) = here.enumerate().find(|(_, found)| found.term == *term) else { break };
                    standing.push(from + next.0);
                    place = next.1.last.saturating_add(1);
                }
                if standing.len() == phrase.len() {
                    for &one in &standing {
                        found[one].in_phrase = true;
                    }
                }
            }
        }
    }

    /// Returns the range to quote from a sentence with the matches `within`.
    fn quote_range(
        &self,
        content: &str,
        sentences: &[SentenceRange],
        number: usize,
        within: &[TermMatch],
        found: &[TermMatch],
    ) -> Range<usize> {
        let sentence = &sentences[number];
        let length = char_count(content, &sentence.range);
        if length > LONGEST {
            return trim_to_quote(content, &sentence.range, self.densest_range(content, within));
        }
        if length >= SHORT {
            return sentence.range.clone();
        }
        let beside = |other: Option<&SentenceRange>| {
            let other = other.filter(|other| other.paragraph == sentence.paragraph)?;
            let range = sentence.range.start.min(other.range.start)..sentence.range.end.max(other.range.end);
            (char_count(content, &range) <= LONGEST).then(|| (self.score_range(&range, found).0, range))
        };
        let after = beside(sentences.get(number + 1));
        let before = beside(number.checked_sub(1).and_then(|number| sentences.get(number)));
        match (after, before) {
            (Some(after), Some(before)) if before.0 > after.0 => before.1,
            (Some((_, range)), _) | (None, Some((_, range))) => range,
            (None, None) => sentence.range.clone(),
        }
    }

    /// The range of what was found that has the most within the length of a quote.
    fn densest_range(&self, content: &str, within: &[TermMatch]) -> Range<usize> {
        let mut counts = vec![0_u32; self.terms.len()];
        let mut weight = 0.0;
        let mut best = (f32::MIN, within.first().map_or(0..0, |found| found.start..found.end));
        let mut first = 0;
        let mut length = 0;
        for (last, found) in within.iter().enumerate() {
            let from = if last == 0 { found.start } else { within[last - 1].end.min(found.end) };
            length += char_count(content, &(from..found.end));
            let count = &mut counts[found.term];
            weight += if *count == 0 { self.terms[found.term].weight } else { 0.01 };
            *count += 1;
            while length > LONGEST && first < last {
                let gone = within[first];
                let count = &mut counts[gone.term];
                *count -= 1;
                weight -= if *count == 0 { self.terms[gone.term].weight } else { 0.01 };
                first += 1;
                length = length.saturating_sub(char_count(content, &(gone.start..within[first].start)));
            }
            if weight > best.0 {
                best = (weight, within[first].start..found.end.max(within[first].end));
            }
        }
        best.1
    }

    /// Returns the summed weight of the words in a range, and their density, which is at most 1.
    fn score_range(&self, range: &Range<usize>, found: &[TermMatch]) -> (f32, f32) {
        let from = found.partition_point(|found| found.start < range.start);
        let mut seen: Vec<usize> = Vec::new();
        let (mut score, mut covered, mut end) = (0.0, 0, range.start);
        let mut before: Option<&TermMatch> = None;
        for found in found[from..].iter().take_while(|found| found.start < range.end) {
            if found.end > range.end {
                continue;
            }
            let weight = self.terms[found.term].weight;
            if !seen.contains(&found.term) {
                seen.push(found.term);
                score += weight;
                // Words that follow each other as they do in the query, and phrases.
                let follows = before.is_some_and(|before| {
                    found.term == before.term + 1 && found.place == before.last.saturating_add(1)
                });
                if follows || found.in_phrase {
                    score += weight / 2.0;
                }
            }
            covered += found.end.saturating_sub(found.start.max(end));
            end = end.max(found.end);
            before = Some(found);
        }
        (score, covered as f32 / range.len().max(1) as f32)
    }
}

/// Returns the number of bytes that a word must share with a form to be able to match it. Snowball changes at most
/// three letters at the end and never the first two, except for `dying`, `lying` and `tying`; this was tested with its
/// own word lists.
fn required_prefix_len(form: &str) -> usize {
    let letters = form.chars().count();
    let letters = match form {
        "die" | "lie" | "tie" => 1,
        _ => letters.saturating_sub(3).max(letters.saturating_sub(1).min(2)),
    };
    form.char_indices().nth(letters).map_or(form.len(), |(byte, _)| byte)
}

/// Returns the number of characters in a byte range.
fn char_count(content: &str, range: &Range<usize>) -> usize {
    content.get(range.clone()).map_or(0, |part| part.chars().count())
}

/// The quote of a range of bytes.
fn build_quote(content: &str, range: &Range<usize>, found: &[TermMatch], score: f32) -> PassageQuote {
    let start = char_count(content, &(0..range.start));
    let span = Span::new(start, start + char_count(content, range));
    let mut merged: Vec<Range<usize>> = Vec::new();
    let from = found.partition_point(|found| found.start < range.start);
    for found in found[from..].iter().take_while(|found| found.start < range.end) {
        match merged.last_mut() {
            _ if found.end > range.end => {}
            // Pairs of characters overlap, and so do a compound and its parts.
            Some(last) if found.start < last.end => last.end = last.end.max(found.end),
            _ => merged.push(found.start..found.end),
        }
    }
    let (mut byte, mut place) = (range.start, 0);
    let matches = merged.into_iter().map(|found| {
        let start = place + char_count(content, &(byte..found.start));
        let end = start + char_count(content, &found);
        (byte, place) = (found.end, end);
        Span::new(start, end)
    });
    PassageQuote { span, matches: matches.collect(), score }
}

/// The first sentences of a passage.
fn opening_quote(content: &str, sentences: &[SentenceRange]) -> Option<PassageQuote> {
    let first = &sentences.first()?.range;
    let mut range = first.clone();
    let mut length = char_count(content, first);
    if length > LONGEST {
        range = trim_to_quote(content, first, first.start..first.start);
    }
    for next in &sentences[1..] {
        length += char_count(content, &(range.end..next.range.end));
        if length > LONGEST {
            break;
        }
        range.end = next.range.end;
    }
    Some(build_quote(content, &range, &[], 0.0))
}

/// As much of a sentence around `core` as a quote may hold, between words.
fn trim_to_quote(content: &str, sentence: &Range<usize>, core: Range<usize>) -> Range<usize> {
    let room = LONGEST.saturating_sub(char_count(content, &core));
    let before = &content[sentence.start..core.start];
    let after = &content[core.end..sentence.end];
    // What one side does not need the other may have.
    let left = (room / 2).max(room.saturating_sub(after.chars().take(room).count()));
    let start = match before.char_indices().rev().nth(left) {
        None => sentence.start,
        // A word that begins at the limit is whole.
        Some((byte, c)) => {
            let kept = &before[byte..];
            match kept.find(char::is_whitespace) {
                Some(space) => core.start - kept[space..].trim_start().len(),
                None if has_spaces(kept) => core.start,
                None => core.start - kept.len() + c.len_utf8(),
            }
        }
    };
    let right = room - char_count(content, &(start..core.start)).min(room);
    let end = match after.char_indices().nth(right) {
        None => sentence.end,
        Some((byte, c)) => {
            let kept = &after[..byte + c.len_utf8()];
            match kept.rfind(char::is_whitespace) {
                Some(space) => core.end + kept[..space].trim_end().len(),
                None if has_spaces(kept) && !core.is_empty() => core.end,
                None => core.end + byte,
            }
        }
    };
    // A cut leaves no mark without its letter.
    let is_mark = |c: char| unicode_normalization::char::is_combining_mark(c) || c == '\u{200D}';
    let start = core.start - content[start..core.start].trim_start_matches(is_mark).len();
    start..end
}

/// Returns true if a text is in a script with spaces between words.
fn has_spaces(text: &str) -> bool {
    !text.contains(|c: char| matches!(c, '\u{E00}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{2E80}'..))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{query::parse_query, words::append_words};

    /// The quotes with their matches in brackets.
    fn shown(query: &str, languages: &[&str], content: &str, most: usize) -> Vec<String> {
        let quotes = Matcher::new(&parse_query(query, languages)).best_quotes(content, most);
        let one = |quote: &PassageQuote| {
            let text: Vec<char> = quote.span.slice_of(content).unwrap().chars().collect();
            let mut shown = String::new();
            for (place, c) in text.iter().enumerate() {
                if quote.matches.iter().any(|found| found.start == place) {
                    shown.push('[');
                }
                shown.push(*c);
                if quote.matches.iter().any(|found| found.end == place + 1) {
                    shown.push(']');
                }
            }
            shown
        };
        quotes.iter().map(one).collect()
    }

    #[test]
    fn words_are_found_in_the_forms_they_have() {
        let cases: &[(&str, &[&str], &str, &str)] = &[
            ("running", &[], "He runs.", "He [runs]."),
            ("die lies", &[], "Dying is lying.", "[Dying] is [lying]."),
            ("cry", &[], "She cried and was crying.", "She [cried] and was [crying]."),
            ("cafe", &[], "Das Café schließt.", "Das [Café] schließt."),
            ("Häuser", &["de"], "Ein Haus, zwei Häuser.", "Ein [Haus], zwei [Häuser]."),
            ("informacion", &["es"], "La información.", "La [información]."),
            ("homme", &["fr"], "Tout l’homme.", "Tout [l’homme]."),
            ("aggio", &["fi"], "Se aggio on.", "Se [aggio] on."),
            ("COVID-19", &[], "See covid19, COVID-19 and Covid 19.", "See [covid19], [COVID-19] and [Covid] [19]."),
            ("covid", &[], "The COVID-19 virus.", "The [COVID]-19 virus."),
            ("email", &[], "An e-mail came.", "An [e-mail] came."),
            ("o'brien", &[], "O’Brien's son, Obrien.", "[O’Brien's] son, [Obrien]."),
            ("the us economy", &[], "The U.S. Economy grew.", "The U.S. [Economy] grew."),
            ("C++", &[], "Use C or C++ now.", "Use C or [C++] now."),
            ("10000", &[], "It cost 10,000 then.", "It cost [10,000] then."),
            ("经济", &[], "中国经济增长。", "中国[经济]增长。"),
            ("中国经济", &[], "中国经济增长。", "[中国经济]增长。"),
            ("الاحمد", &["ar"], "جاء الأحمد.", "جاء [الأحمد]."),
            ("новая", &["ru"], "Это новый дом.", "Это [новый] дом."),
            ("party 🎉", &[], "A 🎉 party", "A [🎉] [party]"),
            ("\"of the art\"", &[], "The state of the art of it.", "The state [of] [the] [art] of it."),
            ("fox -dog", &[], "A fox and a dog.", "A [fox] and a dog."),
            ("\"email address\"", &[], "His e-mail address.", "His [e-mail] [address]."),
        ];
        for (query, languages, content, expected) in cases {
            assert_eq!(shown(query, languages, content, 1), [*expected], "{query}");
        }
    }

    #[test]
    fn the_best_sentence_comes_first() {
        let content = "The committee met on the first Monday of the month to talk about many different things, as ever. \
            A brown fox was seen by several of the members who had come early, and they told the others about it. \
            Nobody saw any dog, although a fox that is brown and quick had been expected to jump over one of them.";
        let found = shown("quick brown fox jumps", &[], content, 3);
        assert_eq!(found.len(), 2);
        assert!(found[0].contains("[fox] that is [brown] and [quick]"), "{found:?}");
        assert!(found[1].contains("A [brown] [fox] was"), "{found:?}");
        let found = shown("\"brown fox\"", &[], content, 1);
        assert!(found[0].contains("A [brown] [fox] was"), "{found:?}");
        let weighed = Matcher::new(&parse_query("brown members", &[]))
            .with_weights(|forms| if forms[0] == "member" { 9.0 } else { 1.0 });
        assert!(weighed.best_quotes(content, 1)[0].score > 9.0);
        assert!(shown("fox", &[], content, 0).is_empty());
    }

    #[test]
    fn a_short_sentence_takes_a_neighbour_and_a_long_one_is_cut() {
        let short = "It rained. The fox slept. It was late.\n\nAnother paragraph.";
        assert_eq!(shown("fox", &[], short, 2), ["The [fox] slept. It was late."]);
        assert_eq!(shown("fox late", &[], short, 1), ["The [fox] slept. It was [late]."]);
        assert_eq!(shown("fox rained", &[], short, 1), ["It [rained]. The [fox] slept."]);
        let long = format!("{}fox {}", "word and ".repeat(60), "more of it ".repeat(60));
        for query in ["fox", "nothing at all"] {
            let quotes = Matcher::new(&parse_query(query, &[])).best_quotes(&long, 3);
            let text = quotes[0].span.slice_of(&long).unwrap();
            assert!((250..=LONGEST).contains(&text.chars().count()), "{}", text.len());
            assert!(text.split(' ').all(|word| ["word", "and", "fox", "more", "of", "it"].contains(&word)), "{text}");
            assert_eq!(quotes[0].matches.len(), usize::from(query == "fox"));
        }
        let wide = format!("{}经济{}", "中国人".repeat(150), "日本语".repeat(150));
        let quotes = Matcher::new(&parse_query("经济", &[])).best_quotes(&wide, 1);
        assert!((290..=LONGEST).contains(&quotes[0].span.len()));
        assert_eq!(quotes[0].matches.len(), 1);
        let word = "x".repeat(900);
        assert_eq!(Matcher::new(&parse_query("other", &[])).best_quotes(&word, 1)[0].span.len(), LONGEST);
        assert_eq!(Matcher::new(&parse_query(&word, &[])).best_quotes(&word, 1)[0].span.len(), 900);
    }

    #[test]
    fn what_has_no_match_is_quoted_from_its_beginning() {
        assert_eq!(shown("zebra", &[], "One. Two.\n\nThree.", 3), ["One. Two.\n\nThree."]);
        assert_eq!(shown("", &[], "  One. ", 3), ["One."]);
        assert!(shown("zebra", &[], " \n ", 3).is_empty());
        assert!(shown("zebra", &[], "", 3).is_empty());
    }

    proptest! {
        #[test]
        fn spans_are_exact(
            content in "(?s)([a-z]{1,9}|[A-Z][a-zéü]{2,9}|[.?!,;:'’-]|fox(es)?|Café|COVID-19|中国|日本語。|한국|🎉|\u{301}|\n| ){0,150}",
            query in "(fox|cafe|covid|\"covid 19\"|中国|日本|🎉|[a-z]{1,2}| ){1,6}",
        ) {
            let parsed = parse_query(&query, &["en", "de"]);
            let quotes = Matcher::new(&parsed).best_quotes(&content, 3);
            prop_assert_eq!(quotes.is_empty(), content.trim().is_empty());
            for (number, quote) in quotes.iter().enumerate() {
                let text = quote.span.slice_of(&content).unwrap();
                prop_assert_eq!(text.trim(), text);
                prop_assert!(quote.span.len() <= LONGEST);
                prop_assert!(quotes[..number].iter().all(|other| !other.span.overlaps(quote.span) && other.score >= quote.score));
                let mut last = 0;
                for found in &quote.matches {
                    prop_assert!(last <= found.start && !found.is_empty());
                    last = found.end;
                    let word = found.slice_of(text).unwrap();
                    prop_assert!(!word.contains(char::is_whitespace));
                    // It has a form that was asked for.
                    let mut forms = Vec::new();
                    for language in ["en", "de"] {
                        append_words(word, Some(language), 0, &mut forms);
                    }
                    let wanted = parsed.words.any.iter().chain(parsed.words.phrases.iter().flatten()).flatten();
                    prop_assert!(wanted.into_iter().any(|form| forms.iter().any(|word| word.form == *form)), "{}", word);
                }
            }
        }

        #[test]
        fn every_word_that_is_indexed_under_a_form_is_found(
            content in "([a-zäöüß]{1,9}|[A-Z]{2,5}(-[0-9]{1,2})?|[a-z]{2,6}(ing|ed|s|ies|ness|ung|en)|[a-z]{1,3}[-./'][a-z]{1,4}){1}( [a-z]{1,8}){0,3}",
            pick in 0..8_usize,
        ) {
            let mut indexed = Vec::new();
            append_words(&content, Some("en"), 0, &mut indexed);
            let picked = content.split(' ').nth(pick % content.split(' ').count()).unwrap();
            let query = parse_query(picked, &["en"]);
            let quotes = Matcher::new(&query).best_quotes(&content, 1);
            let in_index = query.words.any.iter().flatten().any(|form| indexed.iter().any(|word| word.form == *form));
            prop_assert!(in_index);
            prop_assert!(!quotes[0].matches.is_empty());
        }
    }
}
