//! Which sentences make up the answer.

use super::{
    Answer, Candidates, Options, Picked,
    beginnings::points_back,
    confidence::{Evidence, confidence},
    gather::goes_on,
    kinds::Fit,
    repetition::Said,
    score::against,
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
/// What the words cost that another picked sentence has.
const OVERLAP: f32 = 2.0;
/// What it costs to begin with a word that points back to nothing.
const WITHOUT_BEFORE: f32 = 1.0;
/// The same where what it points to will be quoted too.
const WITH_BEFORE: f32 = 0.2;

/// A sentence that may be picked.
struct Candidate {
    place: usize,
    score: f32,
    fit: Fit,
    alike: Option<f32>,
    /// The sentence before it, if it cannot stand without.
    before: Option<usize>,
}

impl Candidates<'_> {
    /// Chooses the sentences of the answer. `similarities` says of each of [`Self::texts`] how alike its meaning is to
    /// the question's, from -1 to 1; where it says nothing of a sentence, or no number, that counts as unlike.
    pub fn pick(&self, similarities: Option<&[f32]>, options: Options) -> Answer {
        let candidates = self.ranked(similarities);
        let Some(best) = candidates.first() else { return Answer::default() };
        let most = options.most.clamp(1, MOST);
        let mut picked: Vec<&Candidate> = Vec::new();
        let mut context: Vec<usize> = Vec::new();
        let mut said: Vec<Said> = Vec::new();
        let mut words = 0;
        let looked_at: Vec<_> = candidates
            .iter()
            .take(LOOKED_AT * most)
            .take_while(|candidate| candidate.score >= best.score - FURTHEST)
            .map(|candidate| (candidate, self.said(candidate.place)))
            .collect();
        let mut left = looked_at;
        while picked.len() + context.len() < most {
            left.retain(|(candidate, new)| {
                !said.iter().any(|old| new.repeats(old)) && !self.meets(candidate.place, &picked, &context)
            });
            let worth = |(candidate, new): &(&Candidate, Said)| {
                let overlap = said.iter().map(|old| new.overlap(old)).fold(0.0, f32::max);
                candidate.score - OVERLAP * overlap
            };
            let chosen = left
                .iter()
                .map(worth)
                .enumerate()
                .max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)));
            let Some((at, worth)) = chosen else { break };
            let (candidate, new) = left.remove(at);
            let found = self.scores.found[candidate.place];
            let news = self.scores.share(found & !words);
            let furthest = if news >= NEWS { FURTHEST } else { FURTHEST_WITHOUT_NEWS };
            if !picked.is_empty() && worth < best.score - furthest {
                break;
            }
            words |= found;
            said.push(new);
            picked.push(candidate);
            if let Some(before) = candidate.before
                && picked.len() + context.len() < most
                && !self.meets(before, &picked, &context)
            {
                words |= self.scores.found[before];
                said.push(self.said(before));
                context.push(before);
            }
        }
        let confidence = confidence(&self.scores, &self.evidence(&candidates, &picked));
        let is_answered = confidence >= options.least_confidence;
        let scored = picked.iter().map(|candidate| (candidate.place, candidate.score));
        let lowest = picked.iter().map(|candidate| candidate.score).fold(f32::MAX, f32::min);
        let chosen = scored.chain(context.into_iter().map(|place| (place, lowest))).collect();
        Answer { sentences: self.in_order(chosen), confidence, is_answered }
    }

    /// The sentences worth a closer look, the best first.
    fn ranked(&self, similarities: Option<&[f32]>) -> Vec<Candidate> {
        let mut candidates: Vec<_> = self
            .short
            .iter()
            .enumerate()
            .filter(|(_, place)| similarities.is_some() || self.scores.covered(self.scores.found[**place]) > 0.0)
            .map(|(number, &place)| {
                let alike = similarities.map(|all| {
                    all.get(number).copied().filter(|alike| alike.is_finite()).unwrap_or_default().clamp(-1.0, 1.0)
                });
                let sentence = &self.sentences[place];
                let fit = self.scores.fit(sentence);
                let mut score = self.scores.score(place, sentence, fit, alike);
                let mut before = None;
                if points_back(sentence.text, self.scores.languages[sentence.passage]) {
                    before = self.before(place);
                    score -= if before.is_some() { WITH_BEFORE } else { WITHOUT_BEFORE };
                }
                Candidate { place, score, fit, alike, before }
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
        (is_near && against(one.shape) < 1.0).then_some(before)
    }

    fn source(&self, place: usize) -> usize {
        self.passages[self.sentences[place].passage].source
    }

    fn said(&self, place: usize) -> Said {
        let sentence = &self.sentences[place];
        Said::new(sentence.text, self.scores.languages[sentence.passage])
    }

    /// Whether some words of a sentence are picked already.
    fn meets(&self, place: usize, picked: &[&Candidate], context: &[usize]) -> bool {
        let taken = picked.iter().map(|candidate| candidate.place).chain(context.iter().copied());
        let own = self.sentences[place].place;
        taken.into_iter().any(|other| {
            place == other || (self.source(place) == self.source(other) && self.sentences[other].place.meets(own))
        })
    }

    fn evidence(&self, candidates: &[Candidate], picked: &[&Candidate]) -> Evidence {
        let fits = |wanted: Fit| picked.iter().any(|candidate| candidate.fit == wanted);
        let fit = if fits(Fit::Has) {
            Fit::Has
        } else if fits(Fit::Lacks) {
            Fit::Lacks
        } else {
            Fit::Unknown
        };
        let best = picked.first();
        let most = candidates.iter().filter_map(|candidate| candidate.alike).fold(-1.0, f32::max);
        Evidence {
            best: best.map_or(0, |best| self.scores.found[best.place]),
            around: best.map_or(0, |best| self.scores.around[best.place]),
            fit,
            alike: best.and_then(|best| best.alike).map(|alike| (alike, most)),
        }
    }

    /// Sentences that follow each other together and in their order, the best of these groups first.
    fn in_order(&self, mut chosen: Vec<(usize, f32)>) -> Vec<Picked> {
        chosen.sort_unstable_by_key(|(place, _)| *place);
        let mut groups: Vec<Vec<(usize, f32)>> = Vec::new();
        for one in chosen {
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
