//! The judge that comes with Ibid, run by ONNX Runtime with 8-bit weights.

use std::{
    ops::Range,
    sync::{Arc, Mutex},
};

use tokio::sync::Semaphore;

use super::{PairJudge, PairJudgement, memory::JudgementMemory};
use crate::{
    BoxFuture, LocalModelConfig, LocalModelError,
    local::{EncodedPair, LocalModel, ModelFiles, SessionPool, Urgency, Workers, run_blocking},
};

const FILES: ModelFiles = ModelFiles { folder: "judge", graph: "judge.int8.onnx" };
/// The longest pair that it was trained on, in tokens.
const MOST_TOKENS: usize = 224;
/// The longest answer, in tokens.
const LONGEST_ANSWER: usize = 24;
/// Calls that compute at the same time; others wait.
const CALLS: usize = 2;

/// The judge on this machine. It is loaded when it is first used, and once for all clones; judgements are remembered.
#[derive(Clone)]
pub struct LocalPairJudge {
    shared: Arc<SharedJudge>,
}

struct SharedJudge {
    model: LocalModel,
    threads: usize,
    turns: Arc<Semaphore>,
    sessions: SessionPool,
    memory: JudgementMemory,
}

impl LocalPairJudge {
    /// Looks at nothing yet: what is missing is told by the first call, and looked for again by the next.
    pub fn new(config: LocalModelConfig) -> Self {
        let threads = config.thread_count();
        let shared = SharedJudge {
            model: LocalModel::new(FILES, config),
            threads,
            turns: Arc::new(Semaphore::new(CALLS)),
            sessions: Mutex::default(),
            memory: JudgementMemory::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Says which file is missing, if any is, without loading them.
    pub fn check_installed(&self) -> Result<(), LocalModelError> {
        self.shared.model.check_installed()
    }

    /// Loads what the first question needs, so that it does not wait. Says what is missing, if anything is.
    pub async fn warm_up(&self) -> Result<(), LocalModelError> {
        self.judge_pairs(&[("Is it ready?", "It is ready.")]).await.map(drop)
    }
}

impl PairJudge for LocalPairJudge {
    fn judge_pairs<'a>(
        &'a self,
        pairs: &'a [(&'a str, &'a str)],
    ) -> BoxFuture<'a, Result<Vec<PairJudgement>, LocalModelError>> {
        Box::pin(async move {
            let known: Vec<_> = pairs.iter().map(|pair| self.shared.memory.recall(*pair)).collect();
            let new: Vec<(String, String)> = pairs
                .iter()
                .zip(&known)
                .filter(|(_, known)| known.is_none())
                .map(|((first, passage), _)| ((*first).to_owned(), (*passage).to_owned()))
                .collect();
            let mut computed = if new.is_empty() { Vec::new() } else { self.compute(new).await? }.into_iter();
            Ok(known.into_iter().map(|known| known.or_else(|| computed.next()).unwrap_or_default()).collect())
        })
    }
}

impl LocalPairJudge {
    async fn compute(&self, pairs: Vec<(String, String)>) -> Result<Vec<PairJudgement>, LocalModelError> {
        let stopped = |error: tokio::sync::AcquireError| LocalModelError::Failed(error.to_string());
        let turn = self.shared.turns.clone().acquire_owned().await.map_err(stopped)?;
        let shared = self.shared.clone();
        run_blocking(turn, move |abandoned| {
            let tokenizer = shared.model.tokenizer()?;
            let lengths: Vec<_> = pairs.iter().map(|(first, passage)| first.len() + passage.len()).collect();
            let workers = Workers { pool: &shared.sessions, threads: shared.threads, urgency: Urgency::Awaited };
            let judged = shared.model.run_parallel(&lengths, workers, abandoned, |session, number| {
                let (first, passage) = &pairs[number];
                let pair = tokenizer.encode_pair(first, passage, MOST_TOKENS);
                let [verdict, answers, span] = session.compute_pair(&pair, ["verdict", "answers", "span"])?;
                Ok(PairJudgement {
                    supports: verdict.first().copied().unwrap_or_default(),
                    contradicts: verdict.get(1).copied().unwrap_or_default(),
                    answers: answers.first().copied().unwrap_or_default(),
                    answer: likeliest_answer(&pair, &span, passage),
                })
            })?;
            for ((first, passage), judgement) in pairs.iter().zip(&judged) {
                shared.memory.remember((first, passage), judgement.clone());
            }
            Ok(judged)
        })
        .await
    }
}

/// The bytes of the passage between the likeliest beginning and end of an answer. `span` has two log odds a token: that
/// the answer begins there, and that it ends there.
fn likeliest_answer(pair: &EncodedPair, span: &[f32], passage: &str) -> Range<usize> {
    let score = |token: usize, part: usize| span.get(2 * (pair.second + token) + part).copied().unwrap_or(f32::MIN);
    let mut best = (f32::MIN, 0..0);
    for first in 0..pair.words.len() {
        let begins = score(first, 0);
        for last in first..pair.words.len().min(first + LONGEST_ANSWER) {
            let sum = begins + score(last, 1);
            if sum > best.0 {
                best = (sum, pair.words[first].start..pair.words[last].end);
            }
        }
    }
    let words = &passage[best.1.clone()];
    let is_edge =
        |char: char| matches!(char, ',' | ';' | ':' | '.' | '(' | ')' | '[' | ']' | '"' | '“' | '”' | '!' | '?');
    let trimmed = words.trim_matches(is_edge);
    if trimmed.is_empty() {
        return best.1;
    }
    let start = best.1.start + (words.len() - words.trim_start_matches(is_edge).len());
    start..start + trimmed.len()
}
