//! Which sentences make up the answer.

use super::{
    Answer, Candidates, Options, Picked, beginnings::points_back, confidence::confidence, fits::Fit, gather::goes_on,
    question::Words, repetition::Said, score::Look,
};

/// The most sentences of an answer, whatever is asked for.
const MOST: usize = 20;
/// How many sentences are looked at for each one that may be picked.
const LOOKED_AT: usize = 4;
/// How far behind the best a sentence may lie, in the logarithm of its odds.
const FURTHEST: f32 = 1.6;
/// How far behind it may lie if it has no word of the question that those before it lack.
const FURTHEST_WITHOUT_NEWS: f32 = 0.8;
/// What share of the question's words is news.
const NEWS: f32 = 0.08;
/// A sentence with this share of the question's words is about the same thing.
const MOST_OF_IT: f32 = 0.7;
/// What the words cost that another picked sentence has.
const OVERLAP: f32 = 2.0;
/// How much of that holds for one that says the same with another figure.
const CONTRADICTING: f32 = 0.5;
/// What it costs to begin with a word that points back to nothing.
const WITHOUT_BEFORE: f32 = 1.0;
/// The same where what it points to will be quoted too.
const WITH_BEFORE: f32 = 0.2;

/// A sentence that may be picked.
struct Candidate {
    place: usize,
    score: f32,
    look: Look,
}

/// What has been picked.
#[derive(Default)]
struct Choice<'run> {
    sentences: Vec<&'run Candidate>,
    /// Sentences that are quoted only because others point back to them.
    before: Vec<usize>,
    said: Vec<Said>,
    /// The question's words that all of them have.
    words: Words,
}

impl Choice<'_> {
    fn len(&self) -> usize {
        self.sentences.len() + self.before.len()
    }

    fn places(&self) -> impl Iterator<Item = usize> {
        self.sentences.iter().map(|candidate| candidate.place).chain(self.before.iter().copied())
    }
}

impl Candidates<'_> {
    /// Chooses the sentences of the answer. `similarities` says of each of [`Self::texts`] how alike its meaning is to
    /// the question's, from -1 to 1; where it says nothing of a sentence, or no number, that counts as unlike.
    pub fn pick(&self, similarities: Option<&[f32]>, options: Options) -> Answer {
        let candidates = self.ranked(similarities);
        let Some(best) = candidates.first() else { return Answer::default() };
        let chosen = self.choose(&candidates, best, options.most.clamp(1, MOST));
        let has = |fit: Fit| chosen.sentences.iter().any(|candidate| candidate.look.fit == fit);
        let fit = [Fit::Has, Fit::Lacks].into_iter().find(|&fit| has(fit)).unwrap_or(Fit::Unknown);
        let most_alike = candidates.iter().filter_map(|candidate| candidate.look.alike).fold(-1.0, f32::max);
        let confidence = confidence(&self.scores, best.place, &Look { fit, ..best.look }, most_alike);
        Answer { sentences: self.in_order(&chosen), confidence, is_answered: confidence >= options.least_confidence }
    }

    /// The best sentence, and those after it that add to what has been said.
    fn choose<'run>(&self, candidates: &'run [Candidate], best: &Candidate, most: usize) -> Choice<'run> {
        let mut chosen = Choice::default();
        let mut left: Vec<_> = candidates
            .iter()
            .take(LOOKED_AT * most)
            .take_while(|candidate| candidate.score >= best.score - FURTHEST)
            .map(|candidate| (candidate, self.said(candidate.place)))
            .collect();
        while chosen.len() < most {
            left.retain(|(candidate, new)| {
                !chosen.said.iter().any(|old| new.repeats(old)) && !self.meets(candidate.place, &chosen)
            });
            let worth = |(candidate, new): &(&Candidate, Said)| {
                let overlap = chosen.said.iter().map(|old| new.overlap(old)).fold(0.0, f32::max);
                // A source that says the same of another figure contradicts, and does so in the same words.
                let is_other = chosen.places().all(|place| self.source(place) != self.source(candidate.place));
                let contradicts = is_other && self.is_other_figure(candidate, new, &chosen.said);
                candidate.score - OVERLAP * overlap * if contradicts { CONTRADICTING } else { 1.0 }
            };
            // Of equal ones the first.
            let next = left.iter().map(worth).enumerate().rev().max_by(|one, other| one.1.total_cmp(&other.1));
            let Some((at, worth)) = next else { break };
            let (candidate, new) = left.remove(at);
            let found = self.scores.found[candidate.place];
            let is_news =
                self.scores.share(found & !chosen.words) >= NEWS || self.is_other_figure(candidate, &new, &chosen.said);
            let furthest = if is_news { FURTHEST } else { FURTHEST_WITHOUT_NEWS };
            if chosen.len() > 0 && worth < best.score - furthest {
                break;
            }
            chosen.words |= found;
            chosen.said.push(new);
            chosen.sentences.push(candidate);
            if let Some(before) = candidate.look.before
                && chosen.len() < most
                && !self.meets(before, &chosen)
            {
                chosen.words |= self.scores.found[before];
                chosen.said.push(self.said(before));
                chosen.before.push(before);
            }
        }
        chosen
    }

    /// Whether a sentence answers the question with another figure than those picked: sources that disagree are all
    /// told.
    fn is_other_figure(&self, candidate: &Candidate, new: &Said, said: &[Said]) -> bool {
        let before = candidate.look.before.map_or(0, |before| self.scores.found[before]);
        self.scores.is_for_figure()
            && candidate.look.fit == Fit::Has
            && self.scores.covered(self.scores.found[candidate.place] | before) >= MOST_OF_IT
            && said.iter().all(|old| new.has_other_figure(old))
    }

    /// The sentences worth a closer look, the best first.
    fn ranked(&self, similarities: Option<&[f32]>) -> Vec<Candidate> {
        let mut candidates: Vec<_> = self
            .short
            .iter()
            .enumerate()
            .filter(|(_, place)| similarities.is_some() || self.scores.found[**place] > 0)
            .map(|(number, &place)| {
                let alike = similarities.map(|all| {
                    all.get(number).copied().filter(|alike| alike.is_finite()).unwrap_or_default().clamp(-1.0, 1.0)
                });
                let sentence = &self.sentences[place];
                let points_back = points_back(sentence.text, self.scores.languages[sentence.passage]);
                let before = if points_back { self.before(place) } else { None };
                let look = Look { before, fit: self.scores.fit(sentence), alike };
                let cost = match (points_back, before) {
                    (false, _) => 0.0,
                    (true, None) => WITHOUT_BEFORE,
                    (true, Some(_)) => WITH_BEFORE,
                };
                Candidate { place, score: self.scores.score(place, sentence, &look) - cost, look }
            })
            .collect();
        candidates.sort_by(|one, other| other.score.total_cmp(&one.score));
        candidates
    }

    /// The sentence before one in its paragraph, if it can be quoted.
    fn before(&self, place: usize) -> Option<usize> {
        let before = place.checked_sub(1)?;
        let (one, other) = (&self.sentences[before], &self.sentences[place]);
        let is_near = self.source(before) == self.source(place) && goes_on(one, other) && !other.opens;
        (is_near && self.scores.is_quotable(before, one)).then_some(before)
    }

    fn source(&self, place: usize) -> usize {
        self.passages[self.sentences[place].passage].source
    }

    fn said(&self, place: usize) -> Said {
        let sentence = &self.sentences[place];
        Said::new(sentence.text, self.scores.languages[sentence.passage])
    }

    /// Whether some words of a sentence are picked already.
    fn meets(&self, place: usize, chosen: &Choice<'_>) -> bool {
        let own = self.sentences[place].place;
        chosen.places().any(|other| {
            place == other || (self.source(place) == self.source(other) && self.sentences[other].place.meets(own))
        })
    }

    /// Sentences that follow each other together and in their order, the best of these groups first.
    fn in_order(&self, chosen: &Choice<'_>) -> Vec<Picked> {
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
            Picked {
                passage: sentence.passage,
                source: self.source(place),
                span: sentence.span,
                quote: sentence.text.to_owned(),
                score: 1.0 / (1.0 + (-score).exp()),
                goes_on: number > 0,
            }
        };
        groups.into_iter().flat_map(|group| group.into_iter().enumerate().map(picked)).collect()
    }

    fn is_next(&self, one: usize, other: usize) -> bool {
        self.source(one) == self.source(other) && goes_on(&self.sentences[one], &self.sentences[other])
    }
}
