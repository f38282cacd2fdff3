//! Checks the claims of an answer while the rest of it is being written.

use ibid_citations::Ledger;
use ibid_domain::run_event::ClaimChecked;
use tokio::sync::{mpsc, watch};
use tokio_util::task::AbortOnDropHandle;

use crate::{App, Scope, citations::JudgedClaims};

/// A task beside a stream of words, which checks each claim as soon as it is finished. It works on one claim at a time and
/// always on the newest words, so that a slow judge delays neither the stream nor itself. Dropping it ends the task.
pub(super) struct StreamedChecks {
    text: watch::Sender<String>,
    checked: mpsc::UnboundedReceiver<ClaimChecked>,
    task: AbortOnDropHandle<JudgedClaims>,
}

impl StreamedChecks {
    pub fn start(app: &App, scope: &Scope, ledger: &Ledger) -> Self {
        let (text, words) = watch::channel(String::new());
        let (results, checked) = mpsc::unbounded_channel();
        let task = tokio::spawn(check_growing_text(app.clone(), *scope, ledger.clone(), words, results));
        Self { text, checked, task: AbortOnDropHandle::new(task) }
    }

    /// Takes words that were shown.
    pub fn push_text(&self, words: &str) {
        if !words.is_empty() {
            self.text.send_modify(|text| text.push_str(words));
        }
    }

    /// The next result; `None` once the task is gone. Nothing is lost if the caller stops waiting.
    pub async fn next(&mut self) -> Option<ClaimChecked> {
        self.checked.recv().await
    }

    /// Waits for the claims that were finished so far, and gives all that was judged.
    pub async fn finish(self, mut tell: impl FnMut(ClaimChecked)) -> JudgedClaims {
        let Self { text, mut checked, task } = self;
        drop(text);
        while let Some(claim) = checked.recv().await {
            tell(claim);
        }
        task.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the claims of an answer are checked once more");
            JudgedClaims::default()
        })
    }
}

async fn check_growing_text(
    app: App,
    scope: Scope,
    ledger: Ledger,
    mut words: watch::Receiver<String>,
    results: mpsc::UnboundedSender<ClaimChecked>,
) -> JudgedClaims {
    let mut known = JudgedClaims::default();
    // Number of bytes whose claims are checked.
    let mut done = 0;
    while words.changed().await.is_ok() {
        let text = words.borrow_and_update().clone();
        if !may_finish_claim(&text[done..]) {
            continue;
        }
        let mut end = None;
        let tell = |claim: ClaimChecked| {
            end = Some(claim.end_index);
            let _ = results.send(claim);
        };
        if let Err(error) = app.citations(&scope).check_finished_claims(&text, &ledger, &mut known, tell).await {
            // The answer goes on; its claims are checked once it is whole, or it fails then.
            tracing::warn!(%error, "the claims of an answer could not be checked while it was written");
            return known;
        }
        if let Some(end) = end {
            done = text.char_indices().nth(end).map_or(text.len(), |(byte, _)| byte);
        }
    }
    known
}

/// True if words have a marker and the end of a sentence or line, so that it is worth to look for claims in them.
fn may_finish_claim(words: &str) -> bool {
    words.contains(['[', '{', '<']) && words.contains(['.', '!', '?', '…', '。', '！', '？', '।', '؟', '\n'])
}
