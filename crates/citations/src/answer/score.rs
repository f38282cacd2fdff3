//! How well a sentence answers a question.

use super::{
    Found,
    fits::{Fit, Known, fit},
    gather::Sentence,
    kinds::{Asking, asked},
    language::Language,
    question::{Asked, Question, Words},
    shape::{Shape, is_reference, shape},
};

/// What is known of the question and of every sentence before any is chosen.
pub(super) struct Scores {
    pub question: Question,
    kind: Option<Asking>,
    known: Known,
    /// How much each word of the question tells sentences apart.
    rarity: Vec<f32>,
    /// How much each word of the question matters for whether there is an answer.
    worth: Vec<f32>,
    /// The language of each passage.
    pub languages: Vec<Language>,
    /// What each sentence is, and how many words it has.
    shapes: Vec<(Shape, usize)>,
    /// Which words of the question each sentence has.
    pub found: Vec<Words>,
    /// Which words of the question each sentence has together with what stands around it and its title.
    pub around: Vec<Words>,
    /// Which words of the question any sentence or title has.
    pub everywhere: Words,
    /// How high each passage stands among all, from 0 to 1.
    ranks: Vec<f32>,
}

/// The most languages that are told apart at once.
const MOST_LANGUAGES: usize = 4;
/// A word that is in every sentence tells little, but not nothing.
const LEAST_RARITY: f32 = 0.15;
/// What a name or a figure counts against another word.
const EXACT: f32 = 1.6;
/// How many sentences before and after one tell what it is about.
const BEFORE: usize = 2;
const AFTER: usize = 1;
/// What a word counts that a sentence has only in what it points back to.
const MEANT: f32 = 0.8;
/// From so many words on a sentence is no better for being longer.
const LONG_ENOUGH: usize = 25;
/// Up to so many words a sentence is no worse for being shorter.
const SHORT: usize = 6;
/// The longest title that is read, in bytes.
const LONGEST_TITLE: usize = 1000;

/// What a closer look at a sentence tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// The sentence that it points back to.
    pub before: Option<usize>,
    /// Whether it has the kind of thing that is asked for.
    pub fit: Fit,
    /// How alike its meaning is to the question's, where a model can tell.
    pub alike: Option<f32>,
}

impl Scores {
    pub fn new(question: &str, passages: &[Found<'_>], sentences: &[Sentence<'_>]) -> Self {
        let languages: Vec<_> = passages.iter().map(|passage| Language::of(passage.text)).collect();
        let mut all: Vec<Language> = Vec::new();
        for language in &languages {
            if !all.contains(language) && all.len() < MOST_LANGUAGES {
                all.push(*language);
            }
        }
        let (known, kind) = (Known::new(question), asked(question));
        let question = Question::new(question, &all);
        let found: Vec<_> = sentences.iter().map(|one| question.found_in(one.text, languages[one.passage])).collect();
        let title = |(passage, language): (&Found<'_>, &Language)| {
            let end = passage.title.floor_char_boundary(LONGEST_TITLE);
            question.found_in(&passage.title[..end], *language)
        };
        let titles: Vec<_> = passages.iter().zip(&languages).map(title).collect();
        let source = |place: usize| passages[sentences[place].passage].source;
        let around = |place: usize| {
            let near = place.saturating_sub(BEFORE)..(place + AFTER + 1).min(sentences.len());
            let near = near.filter(|&other| source(other) == source(place));
            near.fold(titles[sentences[place].passage], |words, other| words | found[other])
        };
        let around: Vec<_> = (0..sentences.len()).map(around).collect();
        let everywhere = around.iter().fold(0, |all, words| all | words);
        let (rarity, worth) = weights(&question, &found, everywhere);
        let shapes = sentences.iter().map(|sentence| shape(sentence.text)).collect();
        let ranks = ranks(passages);
        Self { question, kind, known, rarity, worth, languages, shapes, found, around, everywhere, ranks }
    }

    /// The share of the question's words that a set has, each counted by how much it tells sentences apart.
    pub fn share(&self, words: Words) -> f32 {
        self.question.share(words, &self.rarity)
    }

    /// The share of the question's words that a set has, each counted by how much it matters.
    pub fn covered(&self, words: Words) -> f32 {
        self.question.share(words, &self.worth)
    }

    /// At most so many sentences that are worth a closer look, the best by their words first.
    pub fn shortlist(&self, sentences: &[Sentence<'_>], most: usize) -> Vec<usize> {
        let unseen = Look { before: None, fit: Fit::Unknown, alike: None };
        let mut best: Vec<_> = (0..sentences.len())
            .filter(|&place| against(self.shapes[place].0) < 1.0)
            .map(|place| (self.score(place, &sentences[place], &unseen), place))
            .collect();
        best.sort_by(|one, other| other.0.total_cmp(&one.0));
        let places = best.into_iter().map(|(_, place)| place);
        places.filter(|&place| !is_reference(sentences[place].text)).take(most).collect()
    }

    /// Whether a sentence can be quoted.
    pub fn is_quotable(&self, place: usize, sentence: &Sentence<'_>) -> bool {
        against(self.shapes[place].0) < 1.0 && !is_reference(sentence.text)
    }

    /// How well a sentence answers, as the logarithm of its odds.
    pub fn score(&self, place: usize, sentence: &Sentence<'_>, look: &Look) -> f32 {
        let (shape, length) = self.shapes[place];
        let meant = look.before.map_or(0.0, |before| self.share(self.found[before] & !self.found[place]));
        let features = [
            self.share(self.found[place]) + MEANT * meant,
            self.share(self.around[place]),
            self.ranks[sentence.passage],
            match look.fit {
                Fit::Has => 1.0,
                Fit::Lacks => -1.0,
                Fit::Unknown => 0.0,
            },
            against(shape),
            (length.clamp(SHORT, LONG_ENOUGH) as f32).ln(),
            look.alike.unwrap_or_default(),
        ];
        let (weights, bias) = if look.alike.is_some() { WITH_MEANING } else { BY_WORDS };
        features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum::<f32>() + bias
    }

    /// Whether a figure is asked for.
    pub fn is_for_figure(&self) -> bool {
        self.kind.as_ref().is_some_and(Asking::is_for_figure)
    }

    /// Whether a sentence has the kind of thing that is asked for.
    pub fn fit(&self, sentence: &Sentence<'_>) -> Fit {
        let Some(kind) = &self.kind else { return Fit::Unknown };
        let language = self.languages[sentence.passage];
        let is_subject = |words: &str| self.question.found_in(words, language) > 0;
        fit(kind, sentence.text, language, &self.known, is_subject)
    }
}

/// What speaks for a sentence: the share of the question's words that it has; the share that it has together with what
/// stands around it; how high its passage stands; whether it has the kind of thing that is asked for; what it is; how
/// long it is; how alike its meaning is to the question's. And what the sum begins at.
///
/// By listwise regression over questions with known evidence from several public collections, rounded.
const BY_WORDS: ([f32; 7], f32) = ([2.5, 4.0, 3.0, 0.75, -2.4, 0.45, 0.0], -9.0);
const WITH_MEANING: ([f32; 7], f32) = ([0.5, 4.0, 2.8, 0.6, -2.2, 0.6, 5.5], -9.0);

/// What speaks against a sentence for what it is; 1 for what is never quoted.
const fn against(shape: Shape) -> f32 {
    match shape {
        Shape::Sentence => 0.0,
        Shape::Unfinished | Shape::Long => 0.4,
        Shape::Question => 0.8,
        Shape::Heading | Shape::Row | Shape::Scrap => 1.0,
    }
}

/// How much each word of the question tells sentences apart, and how much it matters.
fn weights(question: &Question, found: &[Words], everywhere: Words) -> (Vec<f32>, Vec<f32>) {
    let count = found.len() as f32;
    let most = (1.0 + (count + 0.5) / 0.5).ln();
    let weigh = |(place, word): (usize, &Asked)| {
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
fn ranks(passages: &[Found<'_>]) -> Vec<f32> {
    let scores = || passages.iter().map(|passage| passage.score).filter(|score| score.is_finite());
    let (least, most) = (scores().fold(f32::MAX, f32::min), scores().fold(f32::MIN, f32::max));
    let (count, width) = (passages.len() as f32, most - least);
    let spread = count / (count + FEW_PASSAGES);
    let rank = |passage: &Found<'_>| match passage.score {
        score if !score.is_finite() => 1.0 - spread,
        score if width > 0.0 => 1.0 - spread * ((most - score) / width).min(1.0),
        _ => 1.0,
    };
    passages.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(score: f32) -> Found<'static> {
        Found { score, ..Found::default() }
    }

    #[test]
    fn places_do_not_depend_on_the_scale_of_the_scores() {
        let small = ranks(&[passage(0.03), passage(0.02), passage(0.01)]);
        let large = ranks(&[passage(30.0), passage(20.0), passage(10.0)]);
        assert!(small.iter().zip(&large).all(|(one, other)| (one - other).abs() < 1e-3), "{small:?} {large:?}");
        assert_eq!(ranks(&[passage(7.0)]), [1.0]);
        let odd = ranks(&[passage(f32::NAN), passage(f32::MAX), passage(f32::MIN), passage(f32::NEG_INFINITY)]);
        assert!(odd.iter().all(|rank| (0.0..=1.0).contains(rank)), "{odd:?}");
    }
}
