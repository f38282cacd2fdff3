//! Judgements that were made already: the same claim is checked against the same passage again and again.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Mutex, PoisonError},
};

use super::PairJudgement;

/// Number of judgements in each of two generations; a judgement takes about 60 bytes.
const GENERATION: usize = 8192;

/// Remembers the judgements used last, by a hash of both texts.
#[derive(Default)]
pub(super) struct JudgementMemory {
    hashers: [RandomState; 2],
    generations: Mutex<Generations>,
}

/// When the young generation is full it becomes the old one, and the old one goes.
#[derive(Default)]
struct Generations {
    young: HashMap<[u64; 2], PairJudgement>,
    old: HashMap<[u64; 2], PairJudgement>,
}

impl JudgementMemory {
    pub fn recall(&self, pair: (&str, &str)) -> Option<PairJudgement> {
        let key = self.key(pair);
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = generations.young.get(&key) {
            return Some(known.clone());
        }
        let known = generations.old.remove(&key)?;
        generations.insert(key, known.clone());
        Some(known)
    }

    pub fn remember(&self, pair: (&str, &str), judgement: PairJudgement) {
        let key = self.key(pair);
        self.generations.lock().unwrap_or_else(PoisonError::into_inner).insert(key, judgement);
    }

    /// Two hashes with random seeds: 128 bits in which nobody can make two pairs meet.
    fn key(&self, pair: (&str, &str)) -> [u64; 2] {
        [self.hashers[0].hash_one(pair), self.hashers[1].hash_one(pair)]
    }
}

impl Generations {
    fn insert(&mut self, key: [u64; 2], judgement: PairJudgement) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, judgement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judgement(supports: f32) -> PairJudgement {
        PairJudgement { supports, ..PairJudgement::default() }
    }

    #[test]
    fn what_is_used_stays_and_what_is_not_goes() {
        let memory = JudgementMemory::default();
        memory.remember(("used", "passage"), judgement(0.5));
        memory.remember(("once", "passage"), judgement(0.5));
        for number in 0..3 * GENERATION {
            memory.remember((&number.to_string(), "other"), judgement(0.1));
            assert_eq!(memory.recall(("used", "passage")), Some(judgement(0.5)));
        }
        assert_eq!(memory.recall(("once", "passage")), None);
        assert_eq!(memory.recall(("use", "dpassage")), None, "where one text ends belongs to the key");
        let generations = memory.generations.lock().unwrap();
        assert!(generations.young.len() + generations.old.len() <= 2 * GENERATION);
    }
}
