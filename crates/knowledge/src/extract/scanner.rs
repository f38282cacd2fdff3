//! What kind of line a sentence stands in, and who speaks there.

use std::{collections::HashSet, ops::Range};

use ibid_domain::{Category, PartialDate};
use ibid_language::{Language, detect, one_line};

use super::{
    attributes,
    dates::{self, SentenceDate},
    event_guards::SentenceGuards,
    events::{self, EventDraft},
    frames::{self, EventFrames, FrameMatch},
    furniture,
    lexicon::{LEXICON, LanguageWords},
    lines::{self, LineContext},
    name_context,
    names::{self, CapitalRules, GuessedType, NameCandidate},
    resolve::{self, NameMention},
    tokens::{self, LexiconToken, LexiconTokenKind},
    traits::*,
};
use crate::KnowledgeInput;

/// Result of scanning a text, before mentions are grouped into entities.
pub struct ScannedText {
    /// Every name, in the order of the text.
    pub mentions: Vec<NameMention>,
    /// Drafts of all events, in the order of the text.
    pub drafts: Vec<EventDraft>,
    /// Hashes of words that no list has and that stand without a capital.
    pub small: HashSet<u64>,
    /// Addresses that stand beside no name.
    pub mails: Vec<String>,
    /// Mention of the author of each message, who is `I` there; `None` if unknown.
    pub speakers: Vec<Option<usize>>,
}

/// Longer sentences tell no event: they are lists and tables without their lines.
const LONGEST: usize = 120;
/// Texts of so many bytes show their language better than what they say of it.
const TELLS_ITS_LANGUAGE: usize = 1_000;
/// No text has more names than this; what follows is not read for names.
const MOST_NAMES: usize = 60_000;

/// The state of reading a text.
pub struct TextScanner<'text> {
    text: &'text str,
    words: &'static LanguageWords,
    frames: Option<&'static EventFrames>,
    capitals_tell: bool,
    /// The language of the text has rules.
    is_known: bool,
    read: ScannedText,
    /// Reference date for `tomorrow`: the date of the message, else of the text.
    written: Option<PartialDate>,
    /// True inside a fenced code block.
    code: bool,
    /// Menus of the page, in the order of the text; those that were passed are gone.
    menus: Vec<Range<usize>>,
    /// True under a heading such as `References`.
    references: bool,
    /// The category of the items under the last heading.
    section: Option<Category>,
    /// Mention of the speaker of the current line.
    speaker: Option<usize>,
    /// The line before closed a letter: a name follows.
    closing: bool,
    /// The person whose signature is being read, and how many lines it may have yet.
    signature: Option<(usize, u8)>,
    first_in_paragraph: bool,
    tokens: Vec<LexiconToken>,
    spots: Vec<NameCandidate>,
    times: Vec<SentenceDate>,
    hits: Vec<FrameMatch<'static>>,
    guards: SentenceGuards,
}

impl<'text> TextScanner<'text> {
    /// Creates a scanner at the start of a text.
    pub fn new(reading: &KnowledgeInput<'text>) -> Self {
        let named = reading.language.and_then(Language::from_code);
        // A page may say that it is English and be German; a long text shows what it is.
        let detected =
            (reading.text.len() >= TELLS_ITS_LANGUAGE).then(|| detect::detect_quickly(reading.text)).flatten();
        let language = detected.or(named).unwrap_or_else(|| detect::guess(reading.text, None));
        let words = LEXICON.language(language);
        Self {
            text: reading.text,
            words,
            frames: frames::frames_for_language(language),
            // Of a language without rules nothing is known but names.
            capitals_tell: !words.lexicon.has_capital_nouns && words.lexicon.language == language,
            is_known: words.lexicon.language == language,
            read: ScannedText {
                mentions: Vec::new(),
                drafts: Vec::new(),
                small: HashSet::new(),
                mails: Vec::new(),
                speakers: vec![None],
            },
            written: reading.date,
            code: false,
            menus: furniture::menus(reading.text).into_iter().rev().collect(),
            references: false,
            section: None,
            speaker: None,
            closing: false,
            signature: None,
            first_in_paragraph: true,
            tokens: Vec::new(),
            spots: Vec::new(),
            times: Vec::new(),
            hits: Vec::new(),
            guards: SentenceGuards::default(),
        }
    }

    /// Resets the state that ends with a paragraph.
    pub fn begin_paragraph(&mut self) {
        self.first_in_paragraph = true;
        self.speaker = None;
    }

    /// What the words of the text's language do.
    pub fn words(&self) -> &'static LanguageWords {
        self.words
    }

    /// Returns everything found in the text.
    pub fn finish(self) -> ScannedText {
        self.read
    }

    /// Scans one sentence for names, dates and events.
    pub fn read_sentence(&mut self, range: Range<usize>) {
        let Some(said) = self.text.get(range.clone()) else { return };
        let new_line = self.first_in_paragraph || self.begins_line(range.start);
        self.first_in_paragraph = false;
        // The head of a message may look like wrapped prose, but each of its lines is for itself.
        if said.contains('\n') && lines::begins_with_header(said) {
            let mut at = range.start;
            for line in said.split_inclusive('\n') {
                self.read_line(at..at + line.trim_end().len(), true);
                at += line.len();
            }
            return;
        }
        self.read_line(range, new_line);
    }

    fn read_line(&mut self, range: Range<usize>, new_line: bool) {
        let Some(said) = self.text.get(range.clone()) else { return };
        if said.starts_with("```") || said.starts_with("~~~") {
            self.code = !self.code && said.matches("```").count() != 2;
            return;
        }
        if self.code || lines::is_code(said) || furniture::is_notice_sentence(said) || self.is_furniture(range.start) {
            return;
        }
        if new_line {
            self.speaker = None;
        }
        let (start, mut stand) = lines::skip_marker(self.text, range.clone());
        let range = start..range.end;
        let mut tokens = std::mem::take(&mut self.tokens);
        tokens::tokenize(self.text, range.clone(), self.words, &mut tokens);
        self.read_tokens(range, &tokens, &mut stand);
        self.tokens = tokens;
    }

    fn begins_line(&self, at: usize) -> bool {
        self.text
            .get(..at)
            .is_some_and(|before| before.trim_end_matches([' ', '\t', '\u{a0}']).ends_with('\n') || before.is_empty())
    }

    /// Returns true if what begins at a byte is a menu, a notice, a table of contents or a reference.
    fn is_furniture(&mut self, at: usize) -> bool {
        while self.menus.last().is_some_and(|menu| menu.end <= at) {
            self.menus.pop();
        }
        if self.menus.last().is_some_and(|menu| menu.contains(&at)) {
            return true;
        }
        let line = furniture::line_around(self.text, at);
        if furniture::heads_references(line) {
            self.references = true;
            return true;
        }
        if furniture::is_reference(line, self.references) {
            return true;
        }
        // A paragraph of prose ends the list, and so does another heading.
        self.references = false;
        furniture::is_furniture(line)
    }

    fn read_tokens(&mut self, range: Range<usize>, tokens: &[LexiconToken], stand: &mut LineContext) {
        let Some(last) = tokens.last() else { return };
        stand.ends = matches!(
            last.kind,
            LexiconTokenKind::Sign('.' | '!' | '…' | '"' | '”' | ')' | '»' | '。' | ';' | '?' | ':')
        );
        let words = tokens.iter().filter(|token| token.kind == LexiconTokenKind::Word).count();
        let row = tokens.iter().filter(|token| token.is_sign('|')).count() >= 2
            || self.text.get(range.clone()).is_some_and(|said| said.bytes().filter(|byte| *byte == b'\t').count() >= 2);
        let everywhere = lines::capitals_everywhere(tokens);
        let short = words <= 14 && tokens.len() <= 24;
        stand.heading |= !stand.ends && !stand.item && short && (everywhere || words <= 7) && !row;
        let capitals =
            CapitalRules { tell: self.capitals_tell, everywhere: everywhere && words >= 2, known: self.is_known };
        if self.read_header(tokens) {
            return;
        }
        let closes = lines::is_closing(tokens);
        let mut spots = std::mem::take(&mut self.spots);
        let named_line = (self.closing || self.signature.is_some()) && words <= 8 && everywhere;
        let capitals = if named_line { CapitalRules { everywhere: false, ..capitals } } else { capitals };
        names::find_names(self.text, tokens, self.words, capitals, &mut spots);
        attributes::add_attributes(self.text, tokens, self.capitals_tell, &mut spots);
        name_context::doubt_names(self.text, tokens, &mut spots);
        // Two columns of a table may make any sense together, but not that of a sentence.
        let body = if row { 0 } else { self.speaker_token_count(tokens, &mut spots) };
        let first = self.read.mentions.len();
        let opens = NamePenalties { heading: stand.heading && !named_line, row };
        self.store_names(tokens, &spots, opens);
        if body > 0 {
            self.speaker = spots
                .iter()
                .position(|spot| spot.last <= body && spot.guess == GuessedType::Person)
                .map(|at| first + at);
            let said_at: Option<PartialDate> = {
                dates::find_dates(self.text, self.words, tokens.get(..body).unwrap_or_default(), None, &mut self.times);
                self.times.first().map(|when| when.date)
            };
            self.written = said_at.or(self.written);
        }
        self.read_signature(tokens, &spots, first, closes, words, everywhere);
        self.closing = closes;
        let labelled = !stand.quoted && self.line_label_category(tokens, body).is_some();
        let introduces = last.is_sign(':') && words <= 6 && self.heading_category(tokens).is_some();
        if introduces || (stand.heading && !labelled) {
            self.section = self.heading_category(tokens);
            self.dated_line(tokens);
        } else if !row && !stand.quoted && tokens.len() <= LONGEST && !last.is_sign('?') {
            stand.category = self.line_label_category(tokens, body).map(|category| (category, true));
            if stand.category.is_none() && stand.item {
                stand.category = self.section.map(|category| (category, false));
            }
            self.read_events(range, tokens, &spots, first, *stand, body);
        }
        self.spots = spots;
    }

    fn read_events(
        &mut self,
        range: Range<usize>,
        tokens: &[LexiconToken],
        spots: &[NameCandidate],
        first: usize,
        stand: LineContext,
        body: usize,
    ) {
        let Some(frames) = self.frames else { return };
        frames.find_matches(tokens, &mut self.hits);
        if !self.hits.is_empty() {
            self.guards.read(self.text, tokens, self.words);
        }
        dates::find_dates(self.text, self.words, tokens, self.written, &mut self.times);
        let start = tokens.get(body).map_or(range.start, |token| token.start);
        let sentence = events::AnalyzedSentence {
            text: self.text,
            range: start..range.end,
            tokens,
            words: self.words,
            guards: &self.guards,
            spots,
            first_mention: first,
            times: &self.times,
            written: self.written,
            stand,
            body,
            speaker: self.speaker,
            message: self.read.speakers.len() - 1,
        };
        sentence.collect_drafts(&self.hits, &mut self.read.drafts);
    }

    /// Keeps the names of a sentence, and which words stand small.
    fn store_names(&mut self, tokens: &[LexiconToken], spots: &[NameCandidate], opens: NamePenalties) {
        for token in tokens {
            let unknown = token.kind == LexiconTokenKind::Word && token.word == 0 && !token.shape.capital;
            if unknown && self.read.small.len() < MOST_NAMES {
                self.read.small.insert(resolve::hash(token.text_in(self.text)));
            }
            if token.kind == LexiconTokenKind::Mail && self.read.mails.len() < 2_000 {
                self.read.mails.push(token.text_in(self.text).to_lowercase());
            }
        }
        let first = self.read.mentions.len();
        let room = MOST_NAMES.saturating_sub(first);
        for spot in spots.iter().take(room) {
            let (Some(from), Some(to)) = (tokens.get(spot.first), tokens.get(spot.last.saturating_sub(1))) else {
                continue;
            };
            let role = spot.role.and_then(|(start, end)| {
                let (from, to) = (tokens.get(start)?, tokens.get(end.checked_sub(1)?)?);
                self.text.get(from.start..to.end).map(one_line)
            });
            let lowered = if opens.heading { 0.1 } else { 0.0 };
            self.read.mentions.push(NameMention {
                start: from.start,
                end: to.end,
                guess: spot.guess,
                score: spot.score - lowered,
                titled: spot.titled,
                weak: spot.opening || opens.heading || opens.row,
                role,
                org: spot.org.map(|org| first + org),
                email: spot.mail.and_then(|mail| tokens.get(mail)).map(|mail| mail.text_in(self.text).to_lowercase()),
                short: spot.short.map(|short| first + short),
            });
        }
    }

    /// `From: Alice Chen <alice@acme.com>`, `Date: …`: who writes this message, to whom and when.
    fn read_header(&mut self, tokens: &[LexiconToken]) -> bool {
        let (Some(label), Some(colon)) = (tokens.first(), tokens.get(1)) else { return false };
        if !colon.is_sign(':') || label.kind != LexiconTokenKind::Word {
            return false;
        }
        let label = *label;
        if !label.shape.capital || !label.has_trait(HEADER_PEOPLE | HEADER_DATE) {
            return false;
        }
        if label.has_trait(HEADER_DATE) {
            dates::find_dates(self.text, self.words, tokens, None, &mut self.times);
            if let Some(when) = self.times.first() {
                self.written = Some(when.date);
            }
            return true;
        }
        let mut spots = std::mem::take(&mut self.spots);
        let capitals = CapitalRules { tell: true, everywhere: false, known: true };
        names::find_names(self.text, tokens, self.words, capitals, &mut spots);
        attributes::add_attributes(self.text, tokens, self.capitals_tell, &mut spots);
        for spot in &mut spots {
            spot.opening = false;
            let mail = tokens.get(spot.last).is_some_and(|token| token.is_sign('<'))
                && tokens.get(spot.last + 1).is_some_and(|token| token.kind == LexiconTokenKind::Mail);
            if mail {
                spot.mail = Some(spot.last + 1);
            }
            let common = tokens
                .get(spot.first..spot.last)
                .unwrap_or_default()
                .iter()
                .all(|token| token.has_trait(COMMON) && !token.has_trait(GIVEN));
            if !matches!(spot.guess, GuessedType::Unknown | GuessedType::Person) || common {
                continue;
            }
            let named = tokens.get(spot.first..spot.last).unwrap_or_default();
            // `The Acme Support <help@acme.com>`: who writes may be a firm, and an address may have words for a name.
            let is_firm =
                |token: &LexiconToken| token.has_trait(ORG_END | LEGAL_FORM) && !token.has_trait(FAMILY | GIVEN);
            let firm = named.iter().any(is_firm) || lines::names_product(named);
            let is_word = |token: &LexiconToken| {
                token.kind == LexiconTokenKind::Word && !token.is_capital() && !token.has_trait(PARTICLE)
            };
            let phrase = [spot.first.wrapping_sub(1), spot.last].iter().any(|at| tokens.get(*at).is_some_and(is_word));
            (spot.guess, spot.score) = match (firm, phrase) {
                (_, true) => (GuessedType::Unknown, 0.2),
                (true, false) => (GuessedType::Org, 0.6),
                (false, false) => (GuessedType::Person, spot.score.max(if mail { 0.85 } else { 0.65 })),
            };
        }
        let first = self.read.mentions.len();
        self.store_names(tokens, &spots, NamePenalties::default());
        if label.has_trait(HEADER_SENDER) {
            let writer = spots.iter().position(|spot| spot.guess == GuessedType::Person).map(|at| first + at);
            self.read.speakers.push(writer.filter(|at| *at < self.read.mentions.len()));
            self.signature = None;
            self.section = None;
        }
        self.spots = spots;
        true
    }

    /// A line that is only a day says when what follows was written: a letter's date, a chat's.
    fn dated_line(&mut self, tokens: &[LexiconToken]) {
        let only = tokens.iter().all(|token| {
            token.kind != LexiconTokenKind::Word
                || token.has_trait(MONTH | WEEKDAY | PREPOSITION | DETERMINER | DAY_TIME)
        });
        if only {
            dates::find_dates(self.text, self.words, tokens, None, &mut self.times);
            if let Some(when) = self.times.first().filter(|when| when.date.day().is_some()) {
                self.written = Some(when.date);
            }
        }
    }

    /// Returns the number of tokens that name the speaker, with the colon: `Alice: I'll send it`, `[10:32] Bob Li:
    /// done`.
    fn speaker_token_count(&self, tokens: &[LexiconToken], spots: &mut [NameCandidate]) -> usize {
        let Some(spot) = spots.first_mut() else { return 0 };
        // Only a time of day and signs may stand before.
        let before = tokens.get(..spot.first).unwrap_or_default();
        if spot.first > 8
            || before.iter().any(|token| {
                !matches!(
                    token.kind,
                    LexiconTokenKind::Number
                        | LexiconTokenKind::Sign('[' | ']' | '(' | ')' | ':' | '-' | '*' | '<' | '–' | ',')
                ) && !token.has_trait(DAY_TIME)
            })
        {
            return 0;
        }
        let mut next = spot.last.max(if spot.role.is_some() || spot.org.is_some() { spot.reach } else { 0 });
        if tokens.get(next).is_some_and(|token| token.is_sign('(') || token.is_sign('[')) {
            let close = tokens.iter().skip(next).take(10).position(|token| token.is_sign(')') || token.is_sign(']'));
            next += close.map_or(0, |close| close + 1);
        }
        while tokens.get(next).is_some_and(|token| token.is_sign('*') || token.is_sign('>')) {
            next += 1;
        }
        let colon =
            tokens.get(next).is_some_and(|token| token.is_sign(':') && (!token.spaced || self.words.has_spaced_colon));
        let goes_on = tokens.get(next + 1).is_some_and(|token| token.spaced || token.is_sign('*'));
        let named = tokens.get(spot.first..spot.last).unwrap_or_default();
        let label = named.iter().any(|token| token.has_trait(LABEL | ROLE_HEAD) && !token.has_trait(GIVEN));
        let person = spot.guess == GuessedType::Person
            || (spot.guess == GuessedType::Unknown
                && spot.len() <= 2
                && !named.iter().any(|token| token.has_trait(COMMON | GRAMMAR) || token.shape.capitals));
        if !colon || !goes_on || label || !person || spot.len() > 4 {
            return 0;
        }
        if spot.guess == GuessedType::Unknown {
            (spot.guess, spot.score) = (GuessedType::Person, 0.46);
        } else {
            spot.score = (spot.score + 0.1).min(0.95);
        }
        spot.opening = false;
        next += 1;
        while tokens.get(next).is_some_and(|token| token.is_sign('*')) {
            next += 1;
        }
        next
    }

    /// Reads a name under a letter and the lines below it.
    fn read_signature(
        &mut self,
        tokens: &[LexiconToken],
        spots: &[NameCandidate],
        first: usize,
        closes: bool,
        words: usize,
        everywhere: bool,
    ) {
        // A line that is only a name.
        let whole = spots.first().filter(|spot| {
            let rest = tokens.get(spot.last..).unwrap_or_default();
            (spot.first == 0 || spot.titled)
                && spots.len() == 1
                && rest.iter().all(|token| matches!(token.kind, LexiconTokenKind::Sign(_)))
        });
        if let Some(spot) = whole
            && let Some(mention) = self.read.mentions.get_mut(first)
        {
            let sure = spot.guess == GuessedType::Person && spot.score >= 0.75 && spot.len() >= 2;
            let unknown = matches!(spot.guess, GuessedType::Unknown | GuessedType::Person) && spot.len() <= 4;
            if self.closing && unknown {
                (mention.guess, mention.score) = (GuessedType::Person, mention.score.max(0.7));
                mention.weak = false;
                if let Some(speaker) = self.read.speakers.last_mut() {
                    *speaker = speaker.or(Some(first));
                }
            }
            if (self.closing && unknown) || (sure && self.signature.is_none()) {
                self.signature = Some((first, 4));
                return;
            }
        }
        let Some((person, left)) = self.signature else { return };
        let mail = tokens
            .iter()
            .find(|token| token.kind == LexiconTokenKind::Mail)
            .map(|mail| mail.text_in(self.text).to_lowercase());
        let has_mail = mail.is_some();
        if let Some(mail) = mail
            && let Some(person) = self.read.mentions.get_mut(person)
        {
            person.email.get_or_insert(mail);
        }
        if words > 9 || closes || !(everywhere || has_mail) {
            self.signature = None;
            return;
        }
        if everywhere {
            self.signature_line(tokens, spots, first, person);
        }
        self.signature = left.checked_sub(1).filter(|left| *left > 0).map(|left| (person, left));
    }

    /// `Engineering Manager, Acme Corp` below a name.
    fn signature_line(&mut self, tokens: &[LexiconToken], spots: &[NameCandidate], first: usize, person: usize) {
        let cut = tokens
            .iter()
            .position(|token| matches!(token.kind, LexiconTokenKind::Sign(',' | '|' | '–' | '—' | '·')))
            .unwrap_or(tokens.len());
        let head = tokens.get(..cut).unwrap_or_default();
        let role = head.iter().any(|token| token.has_trait(ROLE_HEAD)).then(|| {
            let at = head.iter().position(|token| token.has_trait(AT)).unwrap_or(head.len());
            let (from, to) = (head.first()?, head.get(at.checked_sub(1)?)?);
            self.text.get(from.start..to.end).map(one_line)
        });
        let org = spots.iter().position(|spot| {
            let behind = spot.first > 0 && (spot.first > cut || role.is_some());
            let alone = spot.first == 0 && spot.last >= tokens.len();
            let named = tokens.get(spot.first..spot.last).unwrap_or_default();
            let common = named.iter().all(|token| token.has_trait(COMMON | ROLE_WORD | ROLE_HEAD));
            spot.guess == GuessedType::Org
                || (!common && (behind || alone) && spot.guess == GuessedType::Unknown && role.is_some() != alone)
        });
        let known = self.read.mentions.get(person).is_some_and(|person| person.role.is_some() && person.org.is_some());
        if known {
            return;
        }
        if let Some(at) = org
            && let Some(mention) = self.read.mentions.get_mut(first + at)
        {
            (mention.guess, mention.score, mention.weak) = (GuessedType::Org, mention.score.max(0.7), false);
        }
        if let Some(person) = self.read.mentions.get_mut(person) {
            person.role = person.role.take().or(role.flatten());
            person.org = person.org.or(org.map(|at| first + at));
        }
    }

    /// Returns the category that a heading gives to the items under it.
    fn heading_category(&self, tokens: &[LexiconToken]) -> Option<Category> {
        let (first, last) = (tokens.first()?, tokens.iter().rev().find(|token| token.kind == LexiconTokenKind::Word)?);
        // `3. Action items`
        let first = if first.kind == LexiconTokenKind::Number {
            tokens.iter().find(|token| token.kind == LexiconTokenKind::Word)?
        } else {
            first
        };
        frames::label_category(self.text.get(first.start..last.end)?)
    }

    /// `Decision: we use Postgres.`
    fn line_label_category(&self, tokens: &[LexiconToken], body: usize) -> Option<Category> {
        let tokens = tokens.get(body..)?;
        let colon = tokens.iter().take(6).position(|token| token.is_sign(':'))?;
        let (first, last) = (tokens.first()?, tokens.get(colon.checked_sub(1)?)?);
        let said = self.text.get(first.start..last.end)?;
        tokens.get(colon + 1).and_then(|_| frames::label_category(said.trim_matches('*')))
    }
}

/// Reasons to trust the names of a line less.
#[derive(Clone, Copy, Default)]
struct NamePenalties {
    heading: bool,
    row: bool,
}
