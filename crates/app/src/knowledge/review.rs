//! What people decide about who is who. Nothing that they decide loses a mention, a name or an event, and everything can
//! be undone.

use std::str::FromStr;

use ibid_domain::{
    Code, Cursor, Entity, EntityId, Limit, MentionId, Page, Pair, PairId, PairState, Problem,
    problem::shorten_for_error,
};
use ibid_knowledge::judge;
use ibid_store::{EntityMerge, GraphPart, NewEntity, Tx};

use super::{EntityDetail, entity_not_found};
use crate::{App, Result, Scope, services::KnowledgeService};

/// The decision of a reviewer on two entities that may be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewDecision {
    /// The two entities are the same and are merged.
    Same,
    /// The two entities are different.
    Different,
    /// Withdraws the earlier decision and undoes its merge.
    Undo,
}

impl ReviewDecision {
    /// All decisions, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Same, Self::Different, Self::Undo];

    /// Returns the name used in API requests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Different => "different",
            Self::Undo => "undo",
        }
    }
}

impl FromStr for ReviewDecision {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        match text {
            "same" | "confirm" => Ok(Self::Same),
            "different" | "refuse" => Ok(Self::Different),
            "undo" => Ok(Self::Undo),
            other => {
                let detail = format!("'{}' is not a decision; it is same, different or undo", shorten_for_error(other));
                Err(Problem::new(Code::InvalidField, detail).with_field("decision"))
            }
        }
    }
}

/// Two that may be the same, with what is known of both.
#[derive(Clone, Debug)]
pub struct ReviewPair {
    pub pair: Pair,
    /// The first entity of the pair.
    pub a: Entity,
    /// The second entity of the pair.
    pub b: Entity,
}

/// The way to split an entity.
#[derive(Clone, Debug)]
pub enum EntitySplit {
    /// The last that was found to be it is not.
    LastMerge,
    /// Undoes the merge of this entity into it.
    Merged(EntityId),
    /// These places name somebody else.
    Mentions(Vec<MentionId>),
}

fn pair_not_found(id: PairId) -> Problem {
    Problem::new(Code::PairNotFound, format!("there is no pair {id} to review"))
}

fn entity_conflict(detail: String) -> Problem {
    Problem::new(Code::EntityConflict, detail)
}

impl KnowledgeService<'_> {
    /// Pairs that nobody has decided, the likeliest first.
    pub async fn review_queue(self, limit: Limit, after: Option<&Cursor>) -> Result<Page<ReviewPair>> {
        let mut tx = self.app.store.read().await?;
        let mut knowledge = tx.knowledge(self.scope);
        let page = knowledge.open_pairs(limit, after).await?;
        let mut items = Vec::with_capacity(page.items.len());
        for pair in page.items {
            items.extend(with_entities(&mut tx, self.scope, pair).await?);
        }
        Ok(Page { items, next: page.next })
    }

    /// Keeps what a person says of a pair.
    pub async fn review(self, id: PairId, decision: ReviewDecision) -> Result<ReviewPair> {
        let mut tx = self.app.store.write().await?;
        tx.knowledge(self.scope).lock().await?;
        let pair = tx.knowledge(self.scope).get_pair(id).await?.ok_or_else(|| pair_not_found(id))?;
        let state = match decision {
            ReviewDecision::Same => PairState::Same,
            ReviewDecision::Different => PairState::Different,
            ReviewDecision::Undo => PairState::Open,
        };
        if pair.state != state {
            // Whatever was said before does not hold any more.
            if pair.state == PairState::Same {
                self.app.take_back(&mut tx, self.scope, &pair).await?;
            }
            if state == PairState::Same {
                let mut knowledge = tx.knowledge(self.scope);
                let a = knowledge.root_of(pair.a).await?.ok_or_else(|| entity_not_found(pair.a))?;
                let b = knowledge.root_of(pair.b).await?.ok_or_else(|| entity_not_found(pair.b))?;
                if a != b {
                    let (from, into) = by_weight(&mut tx, self.scope, a, b).await?;
                    tx.knowledge(self.scope).merge_entities(from, into, Some(pair.id)).await?;
                }
            }
            tx.knowledge(self.scope).decide_pair(&pair, state).await?;
            relink_entities(&mut tx, self.scope, &[pair.a, pair.b]).await?;
        }
        let pair = tx.knowledge(self.scope).get_pair(id).await?.ok_or_else(|| pair_not_found(id))?;
        let found = with_entities(&mut tx, self.scope, pair).await?.ok_or_else(|| pair_not_found(id))?;
        tx.commit().await?;
        Ok(found)
    }

    /// Merges an entity into another one; the merge can be undone.
    pub async fn merge_entities(self, id: EntityId, into: EntityId) -> Result<EntityDetail> {
        let mut tx = self.app.store.write().await?;
        let mut knowledge = tx.knowledge(self.scope);
        knowledge.lock().await?;
        let from = knowledge.root_of(id).await?.ok_or_else(|| entity_not_found(id))?;
        let root = knowledge.root_of(into).await?.ok_or_else(|| entity_not_found(into).with_field("into"))?;
        if id == into {
            return Err(
                entity_conflict(format!("{id} cannot be merged into itself; name another entity in `into`")).into()
            );
        }
        let kinds = knowledge.entities_by_id(&[from, root]).await?;
        if let [a, b] = kinds.as_slice()
            && a.kind != b.kind
        {
            let detail = format!("{} is a {} and {} a {}", a.name, a.kind.as_str(), b.name, b.kind.as_str());
            return Err(entity_conflict(detail).into());
        }
        if from != root {
            knowledge.merge_entities(from, root, None).await?;
            if let Some(pair) = knowledge.get_pair(PairId::for_entities(id, into)).await? {
                knowledge.decide_pair(&pair, PairState::Same).await?;
            }
            relink_entities(&mut tx, self.scope, &[from, root]).await?;
        }
        tx.commit().await?;
        self.entity(root).await
    }

    /// Takes an entity apart. Gives what is left of it, and what was taken off.
    pub async fn split_entity(self, id: EntityId, split: EntitySplit) -> Result<(EntityDetail, EntityDetail)> {
        let mut tx = self.app.store.write().await?;
        tx.knowledge(self.scope).lock().await?;
        let root = tx.knowledge(self.scope).root_of(id).await?.ok_or_else(|| entity_not_found(id))?;
        let (left, taken) = match split {
            EntitySplit::Mentions(mentions) => (id, self.app.split_mentions(&mut tx, self.scope, id, &mentions).await?),
            EntitySplit::LastMerge | EntitySplit::Merged(_) => {
                let merge = self.app.merge_to_undo(&mut tx, self.scope, id, root, &split).await?;
                let mut knowledge = tx.knowledge(self.scope);
                knowledge.undo_merge(&merge).await?;
                // Who takes them apart says that they are not the same.
                if let Some(pair) = knowledge.get_pair(PairId::for_entities(merge.from, merge.into)).await? {
                    knowledge.decide_pair(&pair, PairState::Different).await?;
                }
                (merge.into, merge.from)
            }
        };
        relink_entities(&mut tx, self.scope, &[left, taken]).await?;
        tx.commit().await?;
        Ok((self.entity(left).await?, self.entity(taken).await?))
    }
}

impl App {
    /// Undoes the merge that a pair led to.
    async fn take_back(&self, tx: &mut Tx, scope: &Scope, pair: &Pair) -> Result<()> {
        let mut knowledge = tx.knowledge(scope);
        let mut merge = knowledge.merge_of_pair(pair.id).await?;
        // Merged by name and not by the pair, one into the other.
        for (from, into) in [(pair.a, pair.b), (pair.b, pair.a)] {
            if merge.is_none() {
                merge = knowledge.last_merge(Some(from), Some(into)).await?;
            }
        }
        match merge {
            Some(merge) => Ok(knowledge.undo_merge(&merge).await?),
            None => Ok(()),
        }
    }

    async fn merge_to_undo(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        id: EntityId,
        root: EntityId,
        split: &EntitySplit,
    ) -> Result<EntityMerge> {
        let mut knowledge = tx.knowledge(scope);
        let merge = match split {
            EntitySplit::Merged(other) => knowledge.last_merge(Some(*other), None).await?,
            // Of one that counts as another, how it came to.
            _ if root != id => knowledge.last_merge(Some(id), None).await?,
            _ => knowledge.last_merge(None, Some(id)).await?,
        };
        merge.ok_or_else(|| {
            let detail =
                format!("nothing that was merged into {id} can be taken off; name mention_ids to split by mentions");
            entity_conflict(detail).into()
        })
    }

    /// Makes somebody new of some mentions, with their part in events.
    async fn split_mentions(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        id: EntityId,
        mentions: &[MentionId],
    ) -> Result<EntityId> {
        let mut knowledge = tx.knowledge(scope);
        let of = knowledge.mentions_by_id(id, mentions).await?;
        let Some(first) = of.first() else {
            let detail = format!("none of these mentions names entity {id}");
            return Err(Problem::new(Code::InvalidField, detail).with_field("mention_ids").into());
        };
        let before = knowledge.get_entity(id).await?.ok_or_else(|| entity_not_found(id))?;
        if of.len() as u64 >= before.mention_count {
            return Err(
                entity_conflict(format!("these are all mentions of {}; leave at least one", before.name)).into()
            );
        }
        let name = of.iter().max_by_key(|mention| mention.surface.chars().count()).unwrap_or(first).surface.clone();
        let new = NewEntity {
            id: EntityId::new(),
            kind: before.kind,
            normalized: judge::normalize_name(Some(before.kind), &name),
            name,
            role: None,
            organization: None,
            email: None,
            context: None,
            source: first.source,
            revision: first.revision,
        };
        let ids: Vec<MentionId> = of.iter().map(|mention| mention.id).collect();
        let profile = judge::Profile { kind: Some(new.kind), name: new.name.clone(), ..judge::Profile::default() };
        let events = knowledge.events_around(&ids).await?;
        knowledge.add_entities(std::slice::from_ref(&new)).await?;
        knowledge
            .add_keys(&judge::blocking_keys(&profile).into_iter().map(|key| (new.id, key)).collect::<Vec<_>>())
            .await?;
        knowledge.move_mentions(id, new.id, &ids).await?;
        knowledge.move_parts(id, new.id, &events).await?;
        knowledge.add_pair(id, new.id, 0.0, "taken apart by hand").await?;
        if let Some(pair) = knowledge.get_pair(PairId::for_entities(id, new.id)).await? {
            knowledge.decide_pair(&pair, PairState::Different).await?;
        }
        knowledge.prune_and_recount(&[id, new.id]).await?;
        Ok(new.id)
    }
}

/// Orders two entities for a merge: the one with the less complete name, fewer mentions or later creation is merged
/// into the other.
async fn by_weight(tx: &mut Tx, scope: &Scope, a: EntityId, b: EntityId) -> Result<(EntityId, EntityId)> {
    let both = tx.knowledge(scope).entities_by_id(&[a, b]).await?;
    let whole = |one: &Entity| one.name.split_whitespace().filter(|word| word.chars().count() > 2).count();
    let weight = |one: &Entity| (whole(one), one.mention_count, std::cmp::Reverse(one.created_at));
    Ok(match both.as_slice() {
        [x, y] if weight(x) >= weight(y) => (y.id, x.id),
        [x, y] => (x.id, y.id),
        _ => (b, a),
    })
}

/// Brings the graph up to what was decided, in the same transaction: who decides sees it at once.
async fn relink_entities(tx: &mut Tx, scope: &Scope, of: &[EntityId]) -> Result<()> {
    let mut all = of.to_vec();
    all.extend(tx.knowledge(scope).roots_of(of).await?.into_values());
    all.sort_unstable();
    all.dedup();
    let part = GraphPart::Entities(all);
    tx.knowledge(scope).rebuild_links(&part).await?;
    tx.knowledge(scope).sync_age_graph(&part, true).await?;
    Ok(())
}

async fn with_entities(tx: &mut Tx, scope: &Scope, pair: Pair) -> Result<Option<ReviewPair>> {
    let mut knowledge = tx.knowledge(scope);
    let (a, b) = (knowledge.get_entity(pair.a).await?, knowledge.get_entity(pair.b).await?);
    Ok(a.zip(b).map(|(a, b)| ReviewPair { pair, a, b }))
}
