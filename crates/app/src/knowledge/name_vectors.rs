//! What names mean, kept in memory: who is near in meaning is found by comparing with all, which takes as long as reading
//! them once.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use ibid_domain::{EntityId, EntityType, TenantId};
use ibid_models::Purpose;

use crate::{Result, services::KnowledgeService};

/// Minimum cosine similarity for two names to be compared.
const ALIKE: f32 = 0.85;
/// So many of those are compared, the nearest first.
const MOST: usize = 8;
/// So many names of one text are embedded.
const EMBEDDED: usize = 256;
/// So many are read at a time.
const BATCH: i64 = 5_000;

/// The meanings of names, by tenant and embedding space.
#[derive(Clone, Default)]
pub(crate) struct NameVectorCache(Arc<Mutex<HashMap<(TenantId, i64), CachedVectors>>>);

#[derive(Default)]
struct CachedVectors {
    /// The number of the last one that was read.
    seq: i64,
    ids: Vec<(EntityId, EntityType)>,
    /// Each scaled to eight bits, one after the other.
    numbers: Vec<i8>,
}

/// Embeddings of the names in a text, and the known entities near them.
#[derive(Default)]
pub(super) struct NameEmbeddings {
    /// In which space, if they were embedded.
    pub(super) space: Option<i64>,
    /// One for each name that was embedded, in their order.
    pub(super) vectors: Vec<Vec<f32>>,
    /// Known entities similar to each name, most similar first.
    pub(super) near: Vec<Vec<EntityId>>,
}

/// A vector in eight bits a number. How long it is does not matter.
fn quantize_vector(vector: &[f32]) -> impl Iterator<Item = i8> {
    let most = vector.iter().fold(f32::MIN_POSITIVE, |most, number| most.max(number.abs()));
    vector.iter().map(move |number| (number / most * 127.0).round() as i8)
}

impl KnowledgeService<'_> {
    /// Embeds names and finds known entities with a similar meaning. Empty without an embedder.
    pub(super) async fn embed_names(self, names: &[(EntityType, String)]) -> Result<NameEmbeddings> {
        let mut meant = NameEmbeddings::default();
        let Some(embedder) = self.app.tools().embedder.clone() else { return Ok(meant) };
        let Some(space) = self.app.space_in_use(&*embedder).await? else { return Ok(meant) };
        let texts: Vec<&str> = names.iter().take(EMBEDDED).map(|(_, text)| text.as_str()).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(embedder.batch_size().clamp(1, 64)) {
            match embedder.embed(batch, Purpose::Passage).await {
                Ok(more) if more.len() == batch.len() => vectors.extend(more),
                Ok(_) => return Ok(meant),
                Err(error) => {
                    tracing::debug!(%error, "names are compared without their meaning");
                    return Ok(meant);
                }
            }
        }
        self.read_meanings(space).await?;
        let held = self.app.meanings.0.lock().unwrap_or_else(PoisonError::into_inner);
        let held = held.get(&(self.scope.tenant(), space));
        meant.near = names
            .iter()
            .zip(&vectors)
            .map(|((kind, _), vector)| held.map_or_else(Vec::new, |held| held.nearest_ids(*kind, vector)))
            .collect();
        meant.space = Some(space);
        meant.vectors = vectors;
        Ok(meant)
    }

    /// Reads what has been added since it was read last. Meanings are added under one lock, so none is passed over.
    async fn read_meanings(self, space: i64) -> Result<()> {
        let key = (self.scope.tenant(), space);
        loop {
            let seq = {
                let held = self.app.meanings.0.lock().unwrap_or_else(PoisonError::into_inner);
                held.get(&key).map_or(0, |held| held.seq)
            };
            let more = self.app.store.read().await?.knowledge(self.scope).meanings_after(space, seq, BATCH).await?;
            let mut held = self.app.meanings.0.lock().unwrap_or_else(PoisonError::into_inner);
            held.retain(|(tenant, of), _| *tenant != self.scope.tenant() || *of == space);
            let held = held.entry(key).or_default();
            let last = more.len() < BATCH as usize;
            for one in more {
                if one.seq > held.seq {
                    held.seq = one.seq;
                    held.ids.push((one.id, one.kind));
                    held.numbers.extend(quantize_vector(&one.vector));
                }
            }
            if last {
                return Ok(());
            }
        }
    }
}

impl CachedVectors {
    /// Those of a kind that are alike, the nearest first.
    fn nearest_ids(&self, kind: EntityType, vector: &[f32]) -> Vec<EntityId> {
        let query: Vec<i8> = quantize_vector(vector).collect();
        let product = |a: &[i8], b: &[i8]| a.iter().zip(b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum::<i32>();
        let own = product(&query, &query).max(1) as f32;
        let mut near: Vec<(f32, EntityId)> = self
            .ids
            .iter()
            .zip(self.numbers.chunks_exact(query.len().max(1)))
            .filter(|((_, of), _)| *of == kind)
            .map(|((id, _), numbers)| {
                let length = product(numbers, numbers).max(1) as f32;
                (product(&query, numbers) as f32 / (own * length).sqrt(), *id)
            })
            .filter(|(alike, _)| *alike > ALIKE)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        near.truncate(MOST);
        near.into_iter().map(|(_, id)| id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alike_are_found_nearest_first_and_only_of_their_kind() {
        let mut held = CachedVectors::default();
        let mut add = |kind, vector: &[f32]| {
            let id = EntityId::new();
            held.ids.push((id, kind));
            held.numbers.extend(quantize_vector(vector));
            id
        };
        let near = add(EntityType::Person, &[0.9, 0.1, 0.0, 0.1]);
        let _org = add(EntityType::Org, &[1.0, 0.0, 0.0, 0.0]);
        let _far = add(EntityType::Person, &[0.0, 1.0, 0.0, 0.0]);
        let nearest = add(EntityType::Person, &[2.0, 0.0, 0.0, 0.0]);
        assert_eq!(held.nearest_ids(EntityType::Person, &[1.0, 0.0, 0.0, 0.0]), [nearest, near]);
        assert!(CachedVectors::default().nearest_ids(EntityType::Person, &[]).is_empty());
    }
}
