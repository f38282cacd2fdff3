//! The tokenizer of BERT models in lower case: WordPiece over a `tokenizer.json`.

use std::{collections::HashMap, ops::Range};

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Splits texts into the tokens of a vocabulary.
pub(crate) struct WordPiece {
    /// Ids of the tokens that can begin a word.
    beginnings: HashMap<Box<str>, u32>,
    /// Ids of the tokens that continue a word.
    endings: HashMap<Box<str>, u32>,
    /// Tokens that are taken as they stand in the text, before anything else.
    marks: Vec<(String, u32)>,
    /// Bytes of the longest token.
    longest: usize,
    longest_word: usize,
    unknown: u32,
    begin: u32,
    end: u32,
}

#[derive(Deserialize)]
struct TokenizerFile {
    added_tokens: Vec<AddedToken>,
    normalizer: Normalizer,
    pre_tokenizer: PreTokenizer,
    model: WordPieceModel,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u32,
    content: String,
}

#[derive(Deserialize)]
struct Normalizer {
    r#type: String,
    clean_text: bool,
    handle_chinese_chars: bool,
    strip_accents: Option<bool>,
    lowercase: bool,
}

#[derive(Deserialize)]
struct PreTokenizer {
    r#type: String,
}

#[derive(Deserialize)]
struct WordPieceModel {
    unk_token: String,
    continuing_subword_prefix: String,
    max_input_chars_per_word: usize,
    vocab: HashMap<String, u32>,
}

/// Two texts as the tokens of one input.
#[derive(Debug)]
pub(crate) struct EncodedPair {
    pub ids: Vec<i64>,
    /// 0 for the tokens of the first text, 1 for those of the second.
    pub types: Vec<i64>,
    /// Index of the first token of the second text.
    pub second: usize,
    /// For each token of the second text, the byte range of the word it is of, between blanks.
    pub words: Vec<Range<usize>>,
}

impl WordPiece {
    /// Reads a `tokenizer.json`. Kinds of tokenizers other than this one are an error.
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        let file: TokenizerFile = serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let normal = &file.normalizer;
        let accents_go = normal.strip_accents.unwrap_or(normal.lowercase);
        let known = normal.r#type == "BertNormalizer"
            && (normal.clean_text && normal.handle_chinese_chars && normal.lowercase && accents_go)
            && file.pre_tokenizer.r#type == "BertPreTokenizer";
        if !known {
            return Err("the tokenizer is not that of a BERT model in lower case".to_owned());
        }
        let id = |token: &str| file.model.vocab.get(token).copied().ok_or(format!("the vocabulary lacks {token}"));
        let (unknown, begin, end) = (id(&file.model.unk_token)?, id("[CLS]")?, id("[SEP]")?);
        let (mut beginnings, mut endings) = (HashMap::new(), HashMap::new());
        let mut longest = 1;
        for (token, id) in file.model.vocab {
            longest = longest.max(token.len());
            // Whatever has the prefix is tried only within a word: the sign of the prefix is a word of its own.
            match token.strip_prefix(&file.model.continuing_subword_prefix) {
                Some(rest) if !rest.is_empty() => endings.insert(rest.into(), id),
                _ => beginnings.insert(token.into(), id),
            };
        }
        let marks = file.added_tokens.into_iter().filter(|added| !added.content.is_empty());
        let marks = marks.map(|added| (added.content, added.id)).collect();
        let longest_word = file.model.max_input_chars_per_word;
        Ok(Self { beginnings, endings, marks, longest, longest_word, unknown, begin, end })
    }

    /// The tokens of a text between the marks that the model expects around them, at most `limit` with the marks.
    pub fn encode(&self, text: &str, limit: usize) -> Vec<i64> {
        let mut ids = vec![i64::from(self.begin)];
        self.for_each_token(text, |id, _| {
            ids.push(i64::from(id));
            ids.len() + 1 < limit
        });
        ids.push(i64::from(self.end));
        ids
    }

    /// The tokens of two texts with the marks around and between them: at most `limit`, of which the first text has at
    /// most half.
    pub fn encode_pair(&self, first: &str, second: &str, limit: usize) -> EncodedPair {
        let mut ids = self.encode(first, limit / 2);
        let (start, mut words) = (ids.len(), Vec::new());
        if start + 1 < limit {
            self.for_each_token(second, |id, word| {
                ids.push(i64::from(id));
                words.push(word);
                ids.len() + 1 < limit
            });
        }
        ids.push(i64::from(self.end));
        let types = (0..ids.len()).map(|place| i64::from(place >= start)).collect();
        EncodedPair { ids, types, second: start, words }
    }

    /// Returns the number of tokens of a text, without the special tokens around it.
    pub fn count_tokens(&self, text: &str) -> usize {
        let mut count = 0;
        self.for_each_token(text, |_, _| {
            count += 1;
            true
        });
        count
    }

    /// Gives every token to `take`, with the byte range of the word it is of, until that has enough.
    fn for_each_token(&self, text: &str, mut take: impl FnMut(u32, Range<usize>) -> bool) {
        let mut word = WordBuffer { pieces: self, letters: String::new(), tokens: Vec::new() };
        for part in text.split(is_separator) {
            let start = part.as_ptr() as usize - text.as_ptr() as usize;
            let mut take = |id| take(id, start..start + part.len());
            let mut rest = part;
            while let Some((at, length, id)) = self.mark_in(rest) {
                if !(word.push_normalized(&rest[..at], &mut take) && word.emit_tokens(&mut take) && take(id)) {
                    return;
                }
                rest = &rest[at + length..];
            }
            if !(word.push_normalized(rest, &mut take) && word.emit_tokens(&mut take)) {
                return;
            }
        }
    }

    /// The first mark in a text: where, how long, which.
    fn mark_in(&self, text: &str) -> Option<(usize, usize, u32)> {
        if !text.contains('[') {
            return None;
        }
        let found = self.marks.iter().filter_map(|(mark, id)| Some((text.find(mark.as_str())?, mark.len(), *id)));
        found.min_by_key(|&(at, length, _)| (at, std::cmp::Reverse(length)))
    }
}

/// The word that is being read.
struct WordBuffer<'a> {
    pieces: &'a WordPiece,
    letters: String,
    tokens: Vec<u32>,
}

impl WordBuffer<'_> {
    /// Reads a text without spaces: control characters and accents go, letters become small, punctuation and Chinese
    /// characters stand alone.
    fn push_normalized(&mut self, text: &str, take: &mut impl FnMut(u32) -> bool) -> bool {
        if text.is_ascii() {
            return text.bytes().all(|byte| match byte {
                _ if byte.is_ascii_punctuation() => self.push_single(char::from(byte), take),
                0..0x20 | 0x7f => true,
                _ => {
                    self.letters.push(char::from(byte.to_ascii_lowercase()));
                    true
                }
            });
        }
        let clean = text.chars().filter(|&letter| !(letter == '\u{fffd}' || is_control(letter)));
        // What was Chinese stays so when it is taken apart, so it can be asked after.
        clean
            .nfd()
            .filter(|&letter| letter.is_ascii() || letter.general_category() != GeneralCategory::NonspacingMark)
            .all(|letter| {
                if is_chinese(letter) || is_punctuation(letter) {
                    return self.push_single(letter, take);
                }
                self.letters.extend(letter.to_lowercase());
                true
            })
    }

    /// A character that is a word.
    fn push_single(&mut self, letter: char, take: &mut impl FnMut(u32) -> bool) -> bool {
        if !self.emit_tokens(take) {
            return false;
        }
        self.letters.extend(letter.to_lowercase());
        self.emit_tokens(take)
    }

    /// Gives out the tokens of the word: the longest that fits, then the longest that fits the rest. If any part of it
    /// is unknown, the word is.
    fn emit_tokens(&mut self, take: &mut impl FnMut(u32) -> bool) -> bool {
        if self.letters.is_empty() {
            return true;
        }
        let (pieces, word) = (self.pieces, self.letters.as_str());
        self.tokens.clear();
        let mut start = 0;
        // A word of fewer bytes than that has fewer characters, too.
        if word.len() <= pieces.longest_word || word.chars().count() <= pieces.longest_word {
            while start < word.len() {
                let known = if start == 0 { &pieces.beginnings } else { &pieces.endings };
                let mut end = word.floor_char_boundary(start + pieces.longest);
                let found = loop {
                    if end <= start {
                        break None;
                    }
                    if let Some(&id) = known.get(&word[start..end]) {
                        break Some(id);
                    }
                    end = word.floor_char_boundary(end - 1);
                };
                let Some(id) = found else { break };
                self.tokens.push(id);
                start = end;
            }
        }
        let whole = start == word.len();
        self.letters.clear();
        if whole { self.tokens.iter().all(|&id| take(id)) } else { take(pieces.unknown) }
    }
}

/// Returns true if the character separates words. Of the control characters only tab and line ends do.
fn is_separator(letter: char) -> bool {
    match letter {
        '\t' | '\n' | '\r' | ' ' => true,
        _ => letter.is_whitespace() && !is_control(letter),
    }
}

fn is_control(letter: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse};
    matches!(letter.general_category(), Control | Format | PrivateUse)
}

fn is_punctuation(letter: char) -> bool {
    letter.is_ascii_punctuation()
        || (!letter.is_ascii() && letter.general_category_group() == GeneralCategoryGroup::Punctuation)
}

fn is_chinese(letter: char) -> bool {
    matches!(
        u32::from(letter),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x20000..=0x2A6DF
            | 0x2A700..=0x2B73F
            | 0x2B740..=0x2B81F
            | 0x2B920..=0x2CEAF
            | 0xF900..=0xFAFF
            | 0x2F800..=0x2FA1F
    )
}
