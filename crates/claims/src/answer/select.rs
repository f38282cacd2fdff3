//! Which sentences make up the answer.

use super::{
    AnswerCandidates, AnswerOptions, AnswerSentence, AnswerSignals, ExtractiveAnswer,
    anaphora::points_back,
    answer_type::AnswerTypeMatch,
    candidates::continues,
    confidence::{answer_confidence, answer_signals},
    question::QuestionWordSet,
    repetition::SentenceContent,
    score::SentenceSignals,
};
use crate::odds::probability;

/// The most sentences of an answer, whatever is asked for.
const MOST: usize = 20;
/// Number of candidates considered for each sentence that may be selected.
const COMPARED_SENTENCES: usize = 4;
/// Share of the question's words from which on a sentence is close to the question.
const CLOSE: f32 = 0.5;
/// Maximum distance from the best score for a sentence that adds something new, in log odds.
const FURTHEST: f32 = 1.6;
/// Maximum distance from the best score for a sentence that adds no new word of the question, in log odds.
const FURTHEST_WITHOUT_NEWS: f32 = 0.8;
/// Factor of both where a network read the sentences: its log odds lie further apart.
const BY_NETWORK: f32 = 2.5;
/// Minimum share of the question's words that counts as something new.
const NEWS: f32 = 0.08;
/// A sentence with this share of the question's words is about the same thing.
const MOST_OF_IT: f32 = 0.7;
/// Penalty per unit of word overlap with a sentence already selected, in log odds.
const OVERLAP: f32 = 2.0;
/// Factor of the overlap penalty for a sentence that repeats another one with a different figure.
const CONTRADICTING: f32 = 0.5;
/// Penalty for a sentence that refers back to a sentence that is not quoted, in log odds.
const WITHOUT_BEFORE: f32 = 1.0;
/// The same where what it points to will be quoted too.
const WITH_BEFORE: f32 = 0.2;

/// A sentence that may be picked.
struct ScoredCandidate {
    place: usize,
    score: f32,
    look: SentenceSignals,
}

/// The signals of a candidate, as the weights are fitted to them.
#[derive(Clone, Debug)]
pub struct CandidateFeatures {
    pub quote: String,
    /// What is taken off the score of a sentence that points back to another, in log odds.
    pub cost: f32,
    /// Signals of how well the sentence answers.
    pub sentence: Vec<f32>,
    /// Signals that there is an answer, if this sentence is the best.
    pub answer: Vec<f32>,
}

/// The highest similarity of the candidates.
fn most_alike(candidates: &[ScoredCandidate]) -> f32 {
    candidates.iter().filter_map(|candidate| candidate.look.alike).fold(-1.0, f32::max)
}

/// The sentences selected so far, and the words of the question that they cover.
#[derive(Default)]
struct SelectedSentences<'run> {
    sentences: Vec<&'run ScoredCandidate>,
    /// Sentences that are quoted only because others point back to them.
    before: Vec<usize>,
    said: Vec<SentenceContent>,
    /// The question's words that all of them have.
    words: QuestionWordSet,
    /// True if one of another source was taken for its other figure.
    disagrees: bool,
}

impl SelectedSentences<'_> {
    fn len(&self) -> usize {
        self.sentences.len() + self.before.len()
    }

    fn sentence_indexes(&self) -> impl Iterator<Item = usize> {
        self.sentences.iter().map(|candidate| candidate.place).chain(self.before.iter().copied())
    }
}

impl AnswerCandidates<'_> {
    /// Chooses the sentences of the answer, with what models say of them.
    pub fn select_answer(&self, signals: &AnswerSignals<'_>, options: AnswerOptions) -> ExtractiveAnswer {
        let candidates = self.rank_candidates(signals);
        let Some(best) = candidates.first() else { return ExtractiveAnswer::default() };
        let chosen = self.select_sentences(&candidates, best, options.most.clamp(1, MOST));
        let has = |fit: AnswerTypeMatch| chosen.sentences.iter().any(|candidate| candidate.look.fit == fit);
        let fit = [AnswerTypeMatch::Has, AnswerTypeMatch::Lacks]
            .into_iter()
            .find(|&fit| has(fit))
            .unwrap_or(AnswerTypeMatch::Unknown);
        let most_alike = most_alike(&candidates);
        let confidence = answer_confidence(&self.scores, best.place, &SentenceSignals { fit, ..best.look }, most_alike);
        let is_answered = confidence >= options.least_confidence;
        ExtractiveAnswer {
            sentences: self.in_order(&chosen),
            confidence,
            is_answered,
            is_close: is_answered || self.scores.question_coverage(self.scores.about[best.place]) >= CLOSE,
            disagrees: is_answered && chosen.disagrees,
            missing: self.scores.missing_words(best.place),
        }
    }

    /// The signals of each candidate, the best first, so that weights can be fitted to them.
    pub fn candidate_features(&self, signals: &AnswerSignals<'_>) -> Vec<CandidateFeatures> {
        let candidates = self.rank_candidates(signals);
        let most_alike = most_alike(&candidates);
        let features = |candidate: &ScoredCandidate| {
            let (place, look) = (candidate.place, &candidate.look);
            let sentence = &self.sentences[place];
            CandidateFeatures {
                quote: sentence.text.to_owned(),
                cost: self.scores.score_sentence(place, sentence, look) - candidate.score,
                sentence: self.scores.sentence_signals(place, sentence, look).to_vec(),
                answer: answer_signals(&self.scores, place, look, most_alike).to_vec(),
            }
        };
        candidates.iter().map(features).collect()
    }

    /// The best sentence, and those after it that add to what has been said.
    fn select_sentences<'run>(
        &self,
        candidates: &'run [ScoredCandidate],
        best: &ScoredCandidate,
        most: usize,
    ) -> SelectedSentences<'run> {
        let mut chosen = SelectedSentences::default();
        let stretch = if best.look.read.is_some() { BY_NETWORK } else { 1.0 };
        let mut left: Vec<_> = candidates
            .iter()
            .take(COMPARED_SENTENCES * most)
            .take_while(|candidate| candidate.score >= best.score - FURTHEST * stretch)
            .map(|candidate| (candidate, self.sentence_content(candidate.place)))
            .collect();
        while chosen.len() < most {
            left.retain(|(candidate, new)| {
                !chosen.said.iter().any(|old| new.is_repetition_of(old))
                    && !self.overlaps_selection(candidate.place, &chosen)
            });
            // A source that says the same of another figure contradicts, and does so in the same words.
            let contradicts = |candidate: &ScoredCandidate, new: &SentenceContent| {
                let mut others = chosen.sentence_indexes().map(|place| self.source_of(place));
                others.all(|source| source != self.source_of(candidate.place))
                    && self.is_other_figure(candidate, new, &chosen.said)
            };
            let worth = |(candidate, new): &(&ScoredCandidate, SentenceContent)| {
                let overlap = chosen.said.iter().map(|old| new.overlap_with(old)).fold(0.0, f32::max);
                candidate.score - OVERLAP * overlap * if contradicts(candidate, new) { CONTRADICTING } else { 1.0 }
            };
            // Of equal ones the first.
            let next = left.iter().map(worth).enumerate().rev().max_by(|one, other| one.1.total_cmp(&other.1));
            let Some((at, worth)) = next else { break };
            let (candidate, new) = left.remove(at);
            let disagrees = chosen.len() > 0 && contradicts(candidate, &new);
            let found = self.scores.found[candidate.place];
            let is_news = self.scores.rarity_share(found & !chosen.words) >= NEWS
                || self.is_other_figure(candidate, &new, &chosen.said);
            let furthest = if is_news { FURTHEST } else { FURTHEST_WITHOUT_NEWS };
            if chosen.len() > 0 && worth < best.score - furthest * stretch {
                break;
            }
            chosen.disagrees |= disagrees;
            chosen.words |= found;
            chosen.said.push(new);
            chosen.sentences.push(candidate);
            if let Some(before) = candidate.look.before
                && chosen.len() < most
                && !self.overlaps_selection(before, &chosen)
            {
                chosen.words |= self.scores.found[before];
                chosen.said.push(self.sentence_content(before));
                chosen.before.push(before);
            }
        }
        chosen
    }

    /// Returns true if a sentence answers the question with a different figure than those selected. Sources that
    /// disagree are all quoted.
    fn is_other_figure(&self, candidate: &ScoredCandidate, new: &SentenceContent, said: &[SentenceContent]) -> bool {
        let before = candidate.look.before.map_or(0, |before| self.scores.found[before]);
        self.scores.is_for_figure()
            && candidate.look.fit == AnswerTypeMatch::Has
            && self.scores.question_coverage(self.scores.found[candidate.place] | before) >= MOST_OF_IT
            && said.iter().all(|old| new.has_other_figure(old))
    }

    /// The sentences worth a closer look, the best first.
    fn rank_candidates(&self, signals: &AnswerSignals<'_>) -> Vec<ScoredCandidate> {
        let similarities = signals.similarities;
        let read = signals.judged.map(|judged| self.read_sentences(judged));
        // What a network found beside the candidates is one too.
        let beside = read.iter().flatten().enumerate().filter(|(place, read)| {
            read.is_some_and(|read| read.holds > 0.0)
                && !self.short.contains(place)
                && self.scores.is_quotable(*place, &self.sentences[*place])
        });
        let places: Vec<usize> = self.short.iter().copied().chain(beside.map(|(place, _)| place)).collect();
        let is_worth_it = |place: usize| {
            similarities.is_some()
                || self.scores.found[place] > 0
                || read.as_ref().is_some_and(|read| read[place].is_some())
        };
        let mut candidates: Vec<_> = places
            .iter()
            .enumerate()
            .filter(|(_, place)| is_worth_it(**place))
            .map(|(number, &place)| {
                let alike = similarities.map(|all| {
                    all.get(number).copied().filter(|alike| alike.is_finite()).unwrap_or_default().clamp(-1.0, 1.0)
                });
                let sentence = &self.sentences[place];
                let points_back = points_back(sentence.text, self.scores.languages[sentence.passage]);
                let before = if points_back { self.quotable_predecessor(place) } else { None };
                let read = read.as_ref().map(|read| read[place].unwrap_or_default());
                let look = SentenceSignals { before, fit: self.scores.answer_type_match(sentence), alike, read };
                let cost = match (points_back, before) {
                    (false, _) => 0.0,
                    (true, None) => WITHOUT_BEFORE,
                    (true, Some(_)) => WITH_BEFORE,
                };
                ScoredCandidate { place, score: self.scores.score_sentence(place, sentence, &look) - cost, look }
            })
            .collect();
        candidates.sort_by(|one, other| other.score.total_cmp(&one.score));
        candidates
    }

    /// The sentence before one in its paragraph, if it can be quoted.
    fn quotable_predecessor(&self, place: usize) -> Option<usize> {
        let before = place.checked_sub(1)?;
        let (one, other) = (&self.sentences[before], &self.sentences[place]);
        let is_near = self.source_of(before) == self.source_of(place) && continues(one, other) && !other.opens;
        (is_near && self.scores.is_quotable(before, one)).then_some(before)
    }

    pub(super) fn source_of(&self, place: usize) -> usize {
        self.passages[self.sentences[place].passage].source
    }

    fn sentence_content(&self, place: usize) -> SentenceContent {
        let sentence = &self.sentences[place];
        SentenceContent::new(sentence.text, self.scores.languages[sentence.passage])
    }

    /// Returns true if part of a sentence is already selected.
    fn overlaps_selection(&self, place: usize, chosen: &SelectedSentences<'_>) -> bool {
        let own = self.sentences[place].place;
        chosen.sentence_indexes().any(|other| {
            place == other
                || (self.source_of(place) == self.source_of(other) && self.sentences[other].place.overlaps(own))
        })
    }

    /// Sentences that follow each other together and in their order, the best of these groups first.
    fn in_order(&self, chosen: &SelectedSentences<'_>) -> Vec<AnswerSentence> {
        let own = chosen.sentences.iter().map(|candidate| (candidate.place, candidate.score));
        let lowest = own.clone().map(|(_, score)| score).fold(f32::MAX, f32::min) - WITH_BEFORE;
        let mut scored: Vec<_> = own.chain(chosen.before.iter().map(|&place| (place, lowest))).collect();
        scored.sort_unstable_by_key(|(place, _)| *place);
        let mut groups: Vec<Vec<(usize, f32)>> = Vec::new();
        for one in scored {
            match groups.last_mut() {
                Some(group) if group.last().is_some_and(|last| self.is_next(last.0, one.0)) => group.push(one),
                _ => groups.push(vec![one]),
            }
        }
        let best = |group: &Vec<(usize, f32)>| group.iter().map(|(_, score)| *score).fold(f32::MIN, f32::max);
        groups.sort_by(|one, other| best(other).total_cmp(&best(one)));
        let picked = |(number, (place, score)): (usize, (usize, f32))| {
            let sentence = &self.sentences[place];
            AnswerSentence {
                passage: sentence.passage,
                source: self.source_of(place),
                span: sentence.span,
                quote: sentence.text.to_owned(),
                score: probability(score),
                goes_on: number > 0,
            }
        };
        groups.into_iter().flat_map(|group| group.into_iter().enumerate().map(picked)).collect()
    }

    fn is_next(&self, one: usize, other: usize) -> bool {
        self.source_of(one) == self.source_of(other) && continues(&self.sentences[one], &self.sentences[other])
    }
}
