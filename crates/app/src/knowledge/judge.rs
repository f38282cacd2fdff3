//! Who decides whether two names mean the same: rules, or a language model where rules leave it open.

use std::sync::Arc;

use futures::future::BoxFuture;
use ibid_domain::Sameness;
use ibid_knowledge::{
    judge::{self, Judgement, Profile, Resolution},
    prompts,
};
use ibid_models::{ChatMessage, ChatModel, ChatRequest, complete_object};

/// So many candidates of one name are put before a model, the likeliest first.
const ASKED: usize = 5;
/// Beyond these, rules are sure enough not to ask.
const CLEARLY_SAME: f64 = 0.97;
const CLEARLY_DIFFERENT: f64 = 0.03;

/// Decides whether two names mean the same.
pub trait EntityJudge: Send + Sync {
    /// True if it decides at once and always the same, so that it may run inside a transaction.
    fn is_local(&self) -> bool;

    /// Decides if two profiles are the same entity.
    fn compare<'a>(&'a self, a: &'a Profile, b: &'a Profile) -> BoxFuture<'a, Judgement>;

    /// Decides which of the candidates an extracted entity is, or that it is new.
    fn resolve<'a>(&'a self, found: &'a Profile, candidates: &'a [Profile]) -> BoxFuture<'a, Resolution>;
}

/// Compares entities by rules, without a model.
pub struct RulesEntityJudge;

impl EntityJudge for RulesEntityJudge {
    fn is_local(&self) -> bool {
        true
    }

    fn compare<'a>(&'a self, a: &'a Profile, b: &'a Profile) -> BoxFuture<'a, Judgement> {
        Box::pin(async move { judge::compare(a, b) })
    }

    fn resolve<'a>(&'a self, found: &'a Profile, candidates: &'a [Profile]) -> BoxFuture<'a, Resolution> {
        Box::pin(async move { judge::resolve_profile(found, candidates) })
    }
}

/// Asks a language model where rules are not sure. A model that does not answer leaves it to the rules.
pub struct ModelEntityJudge {
    pub model: Arc<dyn ChatModel>,
}

impl ModelEntityJudge {
    async fn ask_model(&self, a: &Profile, b: &Profile) -> Option<Judgement> {
        let question = prompts::ask_same(a, b);
        let request = ChatRequest {
            system: question.system,
            messages: vec![ChatMessage::User(question.user)],
            temperature: Some(0.0),
            response_json: true,
            response_schema: Some(prompts::same_schema()),
            ..ChatRequest::default()
        };
        match complete_object(self.model.as_ref(), request).await {
            Ok(answer) => match prompts::read_same(&answer.text) {
                Ok(judgement) => Some(judgement),
                Err(fault) => {
                    tracing::warn!(%fault, "a model's word on two names cannot be used; rules decide");
                    None
                }
            },
            Err(error) => {
                tracing::warn!(%error, "a model could not be asked about two names; rules decide");
                None
            }
        }
    }
}

impl EntityJudge for ModelEntityJudge {
    fn is_local(&self) -> bool {
        false
    }

    fn compare<'a>(&'a self, a: &'a Profile, b: &'a Profile) -> BoxFuture<'a, Judgement> {
        Box::pin(async move {
            let by_rules = judge::compare(a, b);
            if !(CLEARLY_DIFFERENT..=CLEARLY_SAME).contains(&by_rules.confidence) {
                return by_rules;
            }
            self.ask_model(a, b).await.unwrap_or(by_rules)
        })
    }

    fn resolve<'a>(&'a self, found: &'a Profile, candidates: &'a [Profile]) -> BoxFuture<'a, Resolution> {
        Box::pin(async move {
            let mut likely: Vec<(usize, Judgement)> =
                candidates.iter().map(|candidate| judge::compare(found, candidate)).enumerate().collect();
            likely.retain(|(_, judgement)| judgement.confidence > CLEARLY_DIFFERENT);
            likely.sort_by(|a, b| b.1.confidence.total_cmp(&a.1.confidence).then(a.0.cmp(&b.0)));
            likely.truncate(ASKED);
            let mut judged = Vec::new();
            for (at, by_rules) in likely {
                let Some(candidate) = candidates.get(at) else { continue };
                let judgement = match by_rules.confidence > CLEARLY_SAME {
                    true => by_rules,
                    false => self.ask_model(found, candidate).await.unwrap_or(by_rules),
                };
                judged.push((at, judgement));
            }
            let same: Vec<_> = judged.iter().filter(|(_, one)| one.decision == Sameness::Same).cloned().collect();
            match <[_; 1]>::try_from(same) {
                Ok([(at, judgement)]) => Resolution::Known(at, judgement),
                // Nobody can be two: a person has to say which.
                Err(_) => {
                    Resolution::New(judged.into_iter().filter(|(_, one)| one.decision != Sameness::Different).collect())
                }
            }
        })
    }
}
