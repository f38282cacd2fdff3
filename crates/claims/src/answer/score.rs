//! How well a sentence answers a question.

use super::{
    CandidatePassage,
    answer_type::{AnswerTypeMatch, QuestionFacts, match_answer_type},
    candidates::CandidateSentence,
    language::TextLanguage,
    question::{ParsedQuestion, QuestionWord, QuestionWordSet},
    question_type::{ExpectedAnswer, QuestionType, classify_question},
    sentence_form::{SentenceForm, classify_sentence, is_reference},
    windows::ReadSentence,
};
use crate::odds::log_odds;

/// Statistics of the question and of every sentence, computed once and used to score candidates.
pub(super) struct SentenceScorer {
    pub question: ParsedQuestion,
    kind: Option<ExpectedAnswer>,
    has_several_questions: bool,
    known: QuestionFacts,
    /// Inverse document frequency of each word of the question, scaled to at most 1.
    rarity: Vec<f32>,
    /// Importance of each word of the question for the confidence that there is an answer.
    worth: Vec<f32>,
    /// The language of each passage.
    pub languages: Vec<TextLanguage>,
    /// Form and word count of each sentence.
    shapes: Vec<(SentenceForm, usize)>,
    /// Words of the question in each sentence.
    pub found: Vec<QuestionWordSet>,
    /// Words of the question in each sentence, its neighbours and its title.
    pub around: Vec<QuestionWordSet>,
    /// Words of the question in each sentence, in those before it and in its title: what it can be about. What comes after
    /// a sentence tells nothing about its subject.
    pub about: Vec<QuestionWordSet>,
    /// Words of the question that occur in any sentence or title.
    pub everywhere: QuestionWordSet,
    /// Rank of each passage from 0 to 1, where 1 is the best.
    ranks: Vec<f32>,
}

/// The most languages that are told apart at once.
const MOST_LANGUAGES: usize = 4;
/// A word that is in every sentence tells little, but not nothing.
const LEAST_RARITY: f32 = 0.15;
/// Weight of a name or a figure; every other word weighs 1.
const EXACT: f32 = 1.6;
/// Number of neighbours on each side that count as context of a sentence.
const BEFORE: usize = 2;
const AFTER: usize = 1;
/// Weight of a word that occurs only in the sentence that this one refers back to.
const MEANT: f32 = 0.8;
/// From so many words on a sentence is no better for being longer.
const LONG_ENOUGH: usize = 25;
/// Up to so many words a sentence is no worse for being shorter.
const SHORT: usize = 6;
/// The longest title that is read, in bytes.
const LONGEST_TITLE: usize = 1000;

/// Signals of one sentence that are computed only for shortlisted candidates.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentenceSignals {
    /// The sentence that it points back to.
    pub before: Option<usize>,
    /// Tells if it contains the expected type of answer.
    pub fit: AnswerTypeMatch,
    /// Cosine similarity to the question, from -1 to 1; `None` without an embedding model.
    pub alike: Option<f32>,
    /// What a network says that read it with the question; `None` without a network.
    pub read: Option<ReadSentence>,
}

impl SentenceScorer {
    pub fn new(question: &str, passages: &[CandidatePassage<'_>], sentences: &[CandidateSentence<'_>]) -> Self {
        let languages: Vec<_> = passages.iter().map(|passage| TextLanguage::detect(passage.text)).collect();
        let mut all: Vec<TextLanguage> = Vec::new();
        for language in &languages {
            if !all.contains(language) && all.len() < MOST_LANGUAGES {
                all.push(*language);
            }
        }
        let (known, kind) = (QuestionFacts::new(question, &all), classify_question(question, &all));
        let has_several_questions = question.matches(['?', '？', '؟']).count() > 1;
        let question = ParsedQuestion::new(question, &all);
        let found: Vec<_> = sentences.iter().map(|one| question.found_in(one.text, languages[one.passage])).collect();
        let title = |(passage, language): (&CandidatePassage<'_>, &TextLanguage)| {
            let end = passage.title.floor_char_boundary(LONGEST_TITLE);
            question.found_in(&passage.title[..end], *language)
        };
        let titles: Vec<_> = passages.iter().zip(&languages).map(title).collect();
        let source = |place: usize| passages[sentences[place].passage].source;
        let near = |place: usize, after: usize| {
            let near = place.saturating_sub(BEFORE)..(place + after + 1).min(sentences.len());
            let near = near.filter(|&other| source(other) == source(place));
            near.fold(titles[sentences[place].passage], |words, other| words | found[other])
        };
        let around: Vec<_> = (0..sentences.len()).map(|place| near(place, AFTER)).collect();
        let about = (0..sentences.len()).map(|place| near(place, 0)).collect();
        let everywhere = around.iter().fold(0, |all, words| all | words);
        let (rarity, worth) = word_weights(&question, &found, everywhere);
        let shapes = sentences.iter().map(|sentence| classify_sentence(sentence.text)).collect();
        let ranks = passage_ranks(passages);
        Self {
            question,
            kind,
            has_several_questions,
            known,
            rarity,
            worth,
            languages,
            shapes,
            found,
            around,
            about,
            everywhere,
            ranks,
        }
    }

    /// The share of the question's words that a set has, each counted by how much it tells sentences apart.
    pub fn rarity_share(&self, words: QuestionWordSet) -> f32 {
        self.question.weighted_share(words, &self.rarity)
    }

    /// The share of the question's words that a set has, each counted by how much it matters.
    pub fn question_coverage(&self, words: QuestionWordSet) -> f32 {
        self.question.weighted_share(words, &self.worth)
    }

    /// The words of the question that neither a sentence nor its context has, names and figures first, as they were asked.
    pub fn missing_words(&self, place: usize) -> Vec<String> {
        let words = self.question.words.iter().enumerate();
        let mut missing: Vec<_> =
            words.filter(|(at, _)| self.about[place] >> at & 1 == 0).map(|(_, word)| word).collect();
        missing.sort_by_key(|word| !word.is_exact);
        missing.iter().map(|word| word.written.clone()).collect()
    }

    /// At most so many sentences that are worth a closer look, the best by their words first.
    pub fn shortlist(&self, sentences: &[CandidateSentence<'_>], most: usize) -> Vec<usize> {
        let unseen = SentenceSignals { before: None, fit: AnswerTypeMatch::Unknown, alike: None, read: None };
        let mut best: Vec<_> = (0..sentences.len())
            .filter(|&place| form_penalty(self.shapes[place].0) < 1.0)
            .map(|place| (self.score_sentence(place, &sentences[place], &unseen), place))
            .collect();
        best.sort_by(|one, other| other.0.total_cmp(&one.0));
        let places = best.into_iter().map(|(_, place)| place);
        places.filter(|&place| !self.is_reference(&sentences[place])).take(most).collect()
    }

    /// Returns true if a sentence is fit to be quoted.
    pub fn is_quotable(&self, place: usize, sentence: &CandidateSentence<'_>) -> bool {
        form_penalty(self.shapes[place].0) < 1.0 && !self.is_reference(sentence)
    }

    fn is_reference(&self, sentence: &CandidateSentence<'_>) -> bool {
        is_reference(sentence.text, self.languages[sentence.passage])
    }

    /// The signals of a sentence, in the order of the weights.
    pub fn sentence_signals(
        &self,
        place: usize,
        sentence: &CandidateSentence<'_>,
        look: &SentenceSignals,
    ) -> [f32; SIGNALS] {
        let (shape, length) = self.shapes[place];
        let meant = look.before.map_or(0.0, |before| self.rarity_share(self.found[before] & !self.found[place]));
        let read = look.read.unwrap_or_default();
        [
            self.rarity_share(self.found[place]) + MEANT * meant,
            self.rarity_share(self.around[place]),
            self.ranks[sentence.passage],
            match look.fit {
                AnswerTypeMatch::Has => 1.0,
                AnswerTypeMatch::Lacks => -1.0,
                AnswerTypeMatch::Unknown => 0.0,
            },
            form_penalty(shape),
            (length.clamp(SHORT, LONG_ENOUGH) as f32).ln(),
            look.alike.unwrap_or_default(),
            log_odds(read.holds),
            log_odds(read.beside),
        ]
    }

    /// Returns the score of a sentence as an answer, in log odds.
    pub fn score_sentence(&self, place: usize, sentence: &CandidateSentence<'_>, look: &SentenceSignals) -> f32 {
        let signals = self.sentence_signals(place, sentence, look);
        let (weights, bias) = match (look.read, look.alike) {
            (Some(_), _) => BY_NETWORK,
            (None, Some(_)) => WITH_MEANING,
            (None, None) => BY_WORDS,
        };
        signals.iter().zip(weights).map(|(signal, weight)| signal * weight).sum::<f32>() + bias
    }

    /// Returns true for one question that does not ask for reasons, or how something is done.
    pub fn is_for_one_fact(&self) -> bool {
        let kind = self.kind.as_ref().map(|asked| asked.kind);
        !self.has_several_questions && !matches!(kind, Some(QuestionType::Reason | QuestionType::Steps))
    }

    /// Returns true if the question asks for a figure.
    pub fn is_for_figure(&self) -> bool {
        self.kind.as_ref().is_some_and(ExpectedAnswer::is_for_figure)
    }

    /// Tells if a sentence contains the expected type of answer.
    pub fn answer_type_match(&self, sentence: &CandidateSentence<'_>) -> AnswerTypeMatch {
        let Some(kind) = &self.kind else { return AnswerTypeMatch::Unknown };
        let language = self.languages[sentence.passage];
        let is_subject = |words: &str| self.question.found_in(words, language) > 0;
        match_answer_type(kind, sentence.text, language, &self.known, is_subject)
    }
}

/// Number of signals of a sentence.
pub(super) const SIGNALS: usize = 9;

/// Weights of a sentence's signals, and the intercept. The signals are: share of the question's words, share including
/// context, rank of the passage, expected answer type, form, length, similarity, and what a network says of the windows
/// that the answer is in this sentence of, and of all its windows. Fitted by listwise regression over questions with known
/// evidence from several public collections, rounded.
const BY_WORDS: ([f32; SIGNALS], f32) = ([2.5, 4.0, 3.0, 0.75, -2.4, 0.45, 0.0, 0.0, 0.0], -9.0);
const WITH_MEANING: ([f32; SIGNALS], f32) = ([0.5, 4.0, 2.8, 0.6, -2.2, 0.6, 5.5, 0.0, 0.0], -9.0);
const BY_NETWORK: ([f32; SIGNALS], f32) = ([2.8, 1.7, 1.5, 0.3, -2.2, 0.2, 0.0, 0.7, 0.0], -3.0);

/// Returns the penalty for the form of a sentence, from 0 to 1; a form with penalty 1 is never quoted.
const fn form_penalty(shape: SentenceForm) -> f32 {
    match shape {
        SentenceForm::Sentence => 0.0,
        SentenceForm::Unfinished | SentenceForm::Long => 0.4,
        SentenceForm::Question => 0.8,
        SentenceForm::Heading | SentenceForm::Row | SentenceForm::Scrap => 1.0,
    }
}

/// Returns for each word of the question its rarity among the sentences and its importance for the confidence.
fn word_weights(
    question: &ParsedQuestion,
    found: &[QuestionWordSet],
    everywhere: QuestionWordSet,
) -> (Vec<f32>, Vec<f32>) {
    let count = found.len() as f32;
    let most = (1.0 + (count + 0.5) / 0.5).ln();
    let weigh = |(place, word): (usize, &QuestionWord)| {
        // What asks in a language that is not known is nowhere else.
        if word.may_ask && everywhere >> place & 1 == 0 {
            return (0.0, 0.0);
        }
        let having = found.iter().filter(|words| **words >> place & 1 == 1).count() as f32;
        let rare = (1.0 + (count - having + 0.5) / (having + 0.5)).ln() / most;
        (LEAST_RARITY + (1.0 - LEAST_RARITY) * rare, if word.is_exact { EXACT } else { 1.0 })
    };
    question.words.iter().enumerate().map(weigh).unzip()
}

/// Among few passages the last is not far behind the first: with this many more it would be nowhere.
const FEW_PASSAGES: f32 = 5.0;

/// Scores of any scale, as places below the best.
fn passage_ranks(passages: &[CandidatePassage<'_>]) -> Vec<f32> {
    let scores = || passages.iter().map(|passage| passage.score).filter(|score| score.is_finite());
    let (least, most) = (scores().fold(f32::MAX, f32::min), scores().fold(f32::MIN, f32::max));
    let (count, width) = (passages.len() as f32, most - least);
    let spread = count / (count + FEW_PASSAGES);
    let rank = |passage: &CandidatePassage<'_>| match passage.score {
        score if !score.is_finite() => 1.0 - spread,
        score if width > 0.0 => 1.0 - spread * ((most - score) / width).min(1.0),
        _ => 1.0,
    };
    passages.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(score: f32) -> CandidatePassage<'static> {
        CandidatePassage { score, ..CandidatePassage::default() }
    }

    #[test]
    fn places_do_not_depend_on_the_scale_of_the_scores() {
        let small = passage_ranks(&[passage(0.03), passage(0.02), passage(0.01)]);
        let large = passage_ranks(&[passage(30.0), passage(20.0), passage(10.0)]);
        assert!(small.iter().zip(&large).all(|(one, other)| (one - other).abs() < 1e-3), "{small:?} {large:?}");
        assert_eq!(passage_ranks(&[passage(7.0)]), [1.0]);
        let odd = passage_ranks(&[passage(f32::NAN), passage(f32::MAX), passage(f32::MIN), passage(f32::NEG_INFINITY)]);
        assert!(odd.iter().all(|rank| (0.0..=1.0).contains(rank)), "{odd:?}");
    }
}
