//! What sources tell: who did, decided or promised what, who they are, and what that has to do with each other.
//!
//! `extraction.rs` reads a revision and keeps what it tells, `resolution.rs` says which of those it names are known
//! already, `review.rs` lets people decide what that left open, `graph.rs` keeps the graph and walks it for a search.
//! `extractor.rs` and `judge.rs` are who reads and who decides: rules, or a language model.

pub(crate) mod extraction;
mod extractor;
pub(crate) mod graph;
mod judge;
mod name_vectors;
mod resolution;
mod review;

use ibid_domain::{
    Code, Cursor, Entity, EntityId, Event, Limit, Mention, Page, Pair, Problem, SourceId, problem::shorten_for_error,
};
use ibid_knowledge::judge::{Judgement, Profile};
use ibid_store::{EntityFilter, EntityOrder, EventFilter};

pub use extractor::{
    ExtractorError, ExtractorInput, ExtractorOutput, KnowledgeExtractor, ModelExtractor, RulesExtractor,
};
pub use graph::{EntityNeighborhood, GraphContext, GraphHealth, RelatedEvent, RevisionDiff};
pub use judge::{EntityJudge, ModelEntityJudge, RulesEntityJudge};
pub(crate) use name_vectors::NameVectorCache;
pub use review::{EntitySplit, ReviewDecision, ReviewPair};

use crate::{App, Result, services::KnowledgeService};

/// The longest name, role or organisation that is compared, in bytes.
const MAX_FIELD: usize = 1_000;
/// Maximum length of a profile's context, in bytes.
const MAX_CONTEXT: usize = 20_000;

/// Everything about an entity but where it is named, which may be much.
#[derive(Clone, Debug)]
pub struct EntityDetail {
    pub entity: Entity,
    /// Those who were found to be it, the newest first.
    pub merged: Vec<Entity>,
    /// Those who may be it, with what was decided.
    pub pairs: Vec<(Pair, Entity)>,
}

pub(crate) fn entity_not_found(id: EntityId) -> Problem {
    Problem::new(Code::EntityNotFound, format!("there is no entity {id}"))
}

impl KnowledgeService<'_> {
    /// Lists events, newest first, one page at a time.
    pub async fn events(self, filter: &EventFilter, limit: Limit, after: Option<&Cursor>) -> Result<Page<Event>> {
        Ok(self.app.store.read().await?.knowledge(self.scope).list_events(filter, limit, after).await?)
    }

    /// Lists entities that match a filter, one page at a time.
    pub async fn entities(
        self,
        filter: &EntityFilter,
        order: EntityOrder,
        limit: Limit,
        after: Option<&Cursor>,
    ) -> Result<Page<Entity>> {
        Ok(self.app.store.read().await?.knowledge(self.scope).list_entities(filter, order, limit, after).await?)
    }

    /// Returns an entity with the entities merged into it and its pairs, or a not-found problem.
    pub async fn entity(self, id: EntityId) -> Result<EntityDetail> {
        let mut tx = self.app.store.read().await?;
        let mut knowledge = tx.knowledge(self.scope);
        let entity = knowledge.get_entity(id).await?.ok_or_else(|| entity_not_found(id))?;
        let merged = knowledge.merged_into(id).await?;
        let mut merged = knowledge.entities_by_id(&merged).await?;
        merged.sort_by_key(|one| std::cmp::Reverse(one.created_at));
        let pairs = knowledge.pairs_of(id).await?;
        let mut others = Vec::new();
        for pair in pairs {
            let own = pair.a == id || merged.iter().any(|one| one.id == pair.a);
            let other = if own { pair.b } else { pair.a };
            let other = knowledge.root_of(other).await?.unwrap_or(other);
            if other != id
                && let Some(other) = knowledge.get_entity(other).await?
            {
                others.push((pair, other));
            }
        }
        Ok(EntityDetail { entity, merged, pairs: others })
    }

    /// The places that name an entity.
    pub async fn mentions(self, id: EntityId, limit: Limit, after: Option<&Cursor>) -> Result<Page<Mention>> {
        Ok(self.app.store.read().await?.knowledge(self.scope).list_mentions(id, limit, after).await?)
    }

    /// Returns the titles of many sources by id; unknown ids are left out.
    pub async fn source_titles(
        self,
        of: impl IntoIterator<Item = SourceId>,
    ) -> Result<std::collections::BTreeMap<SourceId, String>> {
        let wanted: std::collections::BTreeSet<SourceId> = of.into_iter().collect();
        let wanted: Vec<SourceId> = wanted.into_iter().collect();
        let mut tx = self.app.store.read_inline().await?;
        let sources = tx.sources(self.scope).get_many(&wanted).await?;
        Ok(sources.into_iter().map(|source| (source.id, source.display_title().to_owned())).collect())
    }
}

impl App {
    /// Compares two profiles with the configured judge, after checking their lengths.
    pub async fn compare_entities(&self, a: &Profile, b: &Profile) -> Result<Judgement> {
        for (field, profile) in [("a", a), ("b", b)] {
            let wrong = |part: &str, detail: String| {
                Err(Problem::new(Code::InvalidField, detail).with_field(format!("{field}.{part}")).into())
            };
            let more = [&profile.organization, &profile.email, &profile.context];
            if profile.name.trim().is_empty() && more.iter().all(|part| part.is_none()) {
                return wrong("name", format!("{field} has no name; give the name that is to be compared"));
            }
            let parts = [
                ("name", Some(&profile.name), MAX_FIELD),
                ("role", profile.role.as_ref(), MAX_FIELD),
                ("organization", profile.organization.as_ref(), MAX_FIELD),
                ("email", profile.email.as_ref(), MAX_FIELD),
                ("context", profile.context.as_ref(), MAX_CONTEXT),
            ];
            for (part, words, most) in parts {
                if let Some(words) = words.filter(|words| words.len() > most) {
                    let detail = format!(
                        "'{}…' has {} bytes; at most {most} are compared",
                        shorten_for_error(words),
                        words.len()
                    );
                    return wrong(part, detail);
                }
            }
        }
        Ok(self.tools().entity_judge.compare(a, b).await)
    }
}
