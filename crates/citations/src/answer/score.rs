//! How well a sentence answers a question.

use super::{
    Found,
    gather::Sentence,
    kinds::{Fit, Kind, Known, asked, fit},
    language::Language,
    question::{Asked, Question, Words},
    shape::Shape,
};

/// What is known of the question and of every sentence before any is chosen.
pub(super) struct Scores {
    pub question: Question,
    kind: Option<Kind>,
    known: Known,
    /// How much each word of the question tells sentences apart.
    rarity: Vec<f32>,
    /// How much each word of the question matters for whether there is an answer.
    worth: Vec<f32>,
    /// The language of each passage.
    pub languages: Vec<Language>,
    /// Which words of the question each sentence has.
    pub found: Vec<Words>,
    /// Which words of the question each sentence has together with what stands around it and its title.
    pub around: Vec<Words>,
    /// How high each passage stands among all, from 0 to 1.
    ranks: Vec<f32>,
}

/// The most languages that are told apart at once.
const MOST_LANGUAGES: usize = 4;
/// A word that is in every sentence tells little, but not nothing.
const LEAST_RARITY: f32 = 0.15;
/// What a word counts that holds sentences together.
const LITTLE: f32 = 0.02;
/// What a name or a figure counts against another word.
const EXACT: f32 = 1.6;
/// How many sentences before and after one tell what it is about.
const BEFORE: usize = 2;
const AFTER: usize = 1;
/// From so many words on a sentence is no better for being longer.
const LONG_ENOUGH: usize = 30;
/// The longest title that is read, in bytes.
const LONGEST_TITLE: usize = 1000;

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
        let titles: Vec<_> = passages
            .iter()
            .zip(&languages)
            .map(|(passage, language)| {
                let end = passage.title.floor_char_boundary(LONGEST_TITLE);
                question.found_in(&passage.title[..end], *language)
            })
            .collect();
        let source = |place: usize| passages[sentences[place].passage].source;
        let around = (0..sentences.len()).map(|place| {
            let near = place.saturating_sub(BEFORE)..(place + AFTER + 1).min(sentences.len());
            let near = near.filter(|&other| source(other) == source(place));
            near.fold(titles[sentences[place].passage], |words, other| words | found[other])
        });
        let around = around.collect();
        let worth = question.words.iter().map(|word| match word {
            word if word.is_little => 0.0,
            word if word.is_exact => EXACT,
            _ => 1.0,
        });
        let worth = worth.collect();
        let (rarity, ranks) = (rarity(&question, &found), ranks(passages));
        Self { question, kind, known, rarity, worth, languages, found, around, ranks }
    }

    /// The share of the question's words that a set has, each counted by how much it tells sentences apart.
    pub fn share(&self, words: Words) -> f32 {
        self.question.share(words, &self.rarity)
    }

    /// The share of the question's words that a set has, each counted by how much it matters.
    pub fn covered(&self, words: Words) -> f32 {
        self.question.share(words, &self.worth)
    }

    /// How many words of the question say something.
    pub fn asked(&self) -> usize {
        self.question.words.iter().filter(|word| !word.is_little).count()
    }

    /// At most so many sentences that are worth a closer look, the best by their words first.
    pub fn shortlist(&self, sentences: &[Sentence<'_>], most: usize) -> Vec<usize> {
        let mut best: Vec<_> = (0..sentences.len())
            .filter(|&place| against(sentences[place].shape) < 1.0)
            .map(|place| (self.by_words(place, &sentences[place]), place))
            .collect();
        best.sort_by(|one, other| other.0.total_cmp(&one.0));
        best.truncate(most);
        best.into_iter().map(|(_, place)| place).collect()
    }

    /// A sentence's score by its words alone, whatever kind of thing is asked for.
    fn by_words(&self, place: usize, sentence: &Sentence<'_>) -> f32 {
        self.features(place, sentence, Fit::Unknown, None).sum(&BY_WORDS)
    }

    fn features(&self, place: usize, sentence: &Sentence<'_>, fit: Fit, alike: Option<f32>) -> Features {
        Features([
            self.share(self.found[place]),
            self.share(self.around[place]),
            self.ranks[sentence.passage],
            match fit {
                Fit::Has => 1.0,
                Fit::Lacks => -1.0,
                Fit::Unknown => 0.0,
            },
            against(sentence.shape),
            (sentence.length.clamp(1, LONG_ENOUGH) as f32).ln(),
            alike.unwrap_or_default(),
        ])
    }

    /// How well a sentence answers, as the logarithm of its odds.
    pub fn score(&self, place: usize, sentence: &Sentence<'_>, fit: Fit, alike: Option<f32>) -> f32 {
        self.features(place, sentence, fit, alike).sum(if alike.is_some() { &WITH_MEANING } else { &BY_WORDS })
    }

    /// Whether a sentence has the kind of thing that is asked for.
    pub fn fit(&self, sentence: &Sentence<'_>) -> Fit {
        let Some(kind) = self.kind else { return Fit::Unknown };
        let language = self.languages[sentence.passage];
        let is_subject = |words: &str| self.covered(self.question.found_in(words, language)) > 0.0;
        fit(kind, sentence.text, &self.known, language.raises_nouns(), is_subject)
    }
}

/// What speaks for and against a sentence: the share of the question's words that it has; the share that it has together
/// with what stands around it; how high its passage stands; whether it has the kind of thing that is asked for; what it
/// is; how long it is; how alike its meaning is to the question's.
struct Features([f32; 7]);

/// What each of these counts for, and what the sum begins at.
struct Weights([f32; 7], f32);

/// By listwise regression over questions with known evidence from several public collections, rounded.
const BY_WORDS: Weights = Weights([2.5, 4.0, 3.0, 0.75, -2.4, 0.7, 0.0], -9.0);
const WITH_MEANING: Weights = Weights([0.5, 4.0, 2.8, 0.6, -2.2, 0.9, 5.5], -9.0);

impl Features {
    fn sum(&self, Weights(weights, bias): &Weights) -> f32 {
        self.0.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f32>() + bias
    }
}

/// What speaks against a sentence for what it is; 1 for what is never quoted.
pub(super) const fn against(shape: Shape) -> f32 {
    match shape {
        Shape::Sentence => 0.0,
        Shape::Unfinished | Shape::Long => 0.4,
        Shape::Question => 0.8,
        Shape::Heading | Shape::Reference | Shape::Row | Shape::Scrap => 1.0,
    }
}

/// How rare each word of the question is among the sentences.
fn rarity(question: &Question, found: &[Words]) -> Vec<f32> {
    let count = found.len() as f32;
    let most = (1.0 + (count + 0.5) / 0.5).ln();
    let weigh = |(place, word): (usize, &Asked)| {
        if word.is_little {
            return LITTLE;
        }
        let having = found.iter().filter(|words| **words >> place & 1 == 1).count() as f32;
        let rare = (1.0 + (count - having + 0.5) / (having + 0.5)).ln() / most;
        LEAST_RARITY + (1.0 - LEAST_RARITY) * rare
    };
    question.words.iter().enumerate().map(weigh).collect()
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
