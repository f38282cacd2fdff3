//! Which of those that a text names are known already.
//!
//! Candidates are those who share a key (name, initials, address), a meaning, or whom the same source has named so
//! before. Who decides is asked about each name once, with all its candidates at a time.

use std::collections::BTreeMap;

use ibid_domain::{EntityId, EntityType, MentionId};
use ibid_knowledge::{
    ExtractedEntity,
    judge::{self, Judgement, Profile, Resolution},
};
use ibid_store::{EntityProfile, NewEntity, Tx};

use super::{extraction::SourceFindings, name_vectors::NameEmbeddings};
use crate::{App, Result, Scope};

/// So many other names of a family are compared.
const ALIASES: usize = 40;

/// The entity of each name in a text.
#[derive(Default)]
pub(super) struct ResolvedNames {
    /// Entity of each name, in the order of the findings.
    pub(super) entities: Vec<EntityId>,
    /// Names of new entities: position in the findings, and new id.
    pub(super) new: Vec<(usize, EntityId)>,
    /// Known entities that a new one may be the same as: position in the findings, and judgements.
    pub(super) pairs: Vec<(usize, Vec<(EntityId, Judgement)>)>,
}

/// A name with the candidates that someone has to be asked about.
pub(super) struct UndecidedName {
    at: usize,
    found: Profile,
    roots: Vec<EntityId>,
    candidates: Vec<Profile>,
}

/// Judge decisions made outside the transaction, by position in the findings, with the candidates they were made for.
pub(super) type JudgeDecisions = BTreeMap<usize, (Vec<EntityId>, Resolution)>;

fn profile_from_finding(found: &ExtractedEntity) -> Profile {
    Profile {
        kind: Some(found.kind),
        name: found.name.clone(),
        aliases: found.aliases.clone(),
        role: found.role.clone(),
        organization: found.organization.clone(),
        email: found.email.clone(),
        // What stands around a name differs from text to text, whoever it means.
        context: None,
    }
}

/// A family as one: the root's name, and what any of them is called or known by.
fn family_profile(root: EntityId, members: &[EntityProfile]) -> Option<Profile> {
    let head = members.iter().find(|one| one.id == root).or_else(|| members.first())?;
    let first = |part: fn(&EntityProfile) -> &Option<String>| {
        part(head).clone().or_else(|| members.iter().find_map(|one| part(one).clone()))
    };
    let names = members.iter().flat_map(|one| std::iter::once(&one.name).chain(&one.aliases));
    let mut aliases: Vec<String> = Vec::new();
    for name in names {
        if *name != head.name && !aliases.contains(name) && aliases.len() < ALIASES {
            aliases.push(name.clone());
        }
    }
    Some(Profile {
        kind: Some(head.kind),
        name: head.name.clone(),
        aliases,
        role: first(|one| &one.role),
        organization: first(|one| &one.organization),
        email: first(|one| &one.email),
        context: None,
    })
}

impl App {
    /// Says whom each name means and keeps those who are new, or says about whom someone has to be asked first.
    pub(super) async fn resolve_names(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        reading: &SourceFindings<'_>,
        meant: &NameEmbeddings,
        decided: &JudgeDecisions,
        by_rules: bool,
    ) -> Result<Result<ResolvedNames, Vec<UndecidedName>>> {
        let findings = &reading.findings.entities;
        let judge = self.tools().entity_judge.clone();
        let local = judge.is_local() || by_rules;
        let settled = EarlierResolutions::load(tx, scope, reading).await?;
        let profiles: Vec<Profile> = findings.iter().map(profile_from_finding).collect();
        let keys: Vec<Vec<String>> = profiles.iter().map(judge::lookup_keys).collect();
        let mut all: Vec<String> = keys.iter().flatten().cloned().collect();
        all.sort_unstable();
        all.dedup();
        let filed = tx.knowledge(scope).filed_under(&all).await?;
        let mut roots: Vec<EntityId> = filed.values().flatten().copied().collect();
        let mut ids: Vec<EntityId> = meant.near.iter().flatten().copied().collect();
        ids.extend(settled.entity_ids());
        let near = tx.knowledge(scope).roots_of(&ids).await?;
        roots.extend(near.values());
        roots.sort_unstable();
        roots.dedup();
        let mut families: BTreeMap<EntityId, Vec<EntityProfile>> = BTreeMap::new();
        for member in tx.knowledge(scope).load_families(&roots).await? {
            families.entry(member.root).or_default().push(member);
        }
        let by_id: BTreeMap<EntityId, &EntityProfile> = families.values().flatten().map(|one| (one.id, one)).collect();
        let known: BTreeMap<EntityId, Profile> =
            families.iter().filter_map(|(root, members)| Some((*root, family_profile(*root, members)?))).collect();

        let (mut resolved, mut open, mut new) = (ResolvedNames::default(), Vec::new(), Vec::new());
        let mut learned: BTreeMap<EntityId, EntityProfile> = BTreeMap::new();
        for (at, (found, profile)) in findings.iter().zip(&profiles).enumerate() {
            if let Some(id) = settled.entity_for(reading, found) {
                resolved.entities.push(id);
                learn_from_profile(&by_id, &mut learned, id, profile);
                continue;
            }
            let mut candidates: Vec<EntityId> =
                keys.get(at).into_iter().flatten().filter_map(|key| filed.get(key)).flatten().copied().collect();
            candidates.extend(meant.near.get(at).into_iter().flatten().filter_map(|id| near.get(id)));
            candidates.sort_unstable();
            candidates.dedup();
            candidates.retain(|root| known.get(root).is_some_and(|known| known.kind == profile.kind));
            let others: Vec<Profile> = candidates.iter().filter_map(|root| known.get(root).cloned()).collect();
            let resolution = match decided.get(&at) {
                Some((of, resolution)) if *of == candidates => resolution.clone(),
                _ if others.is_empty() => Resolution::New(Vec::new()),
                _ if local => judge::resolve_profile(profile, &others),
                _ => {
                    open.push(UndecidedName { at, found: profile.clone(), roots: candidates, candidates: others });
                    continue;
                }
            };
            match resolution {
                Resolution::Known(place, _) => {
                    let Some(root) = candidates.get(place) else { continue };
                    // Of a family, the one that has the very name.
                    let normalized = judge::normalize_name(profile.kind, &profile.name);
                    let members = families.get(root).map_or(&[][..], Vec::as_slice);
                    let exact = members.iter().find(|one| one.normalized == normalized);
                    let id = exact.map_or(*root, |one| one.id);
                    resolved.entities.push(id);
                    learn_from_profile(&by_id, &mut learned, id, profile);
                }
                Resolution::New(maybe) => {
                    let id = EntityId::new();
                    new.push(new_entity(id, reading, found));
                    resolved.entities.push(id);
                    resolved.new.push((at, id));
                    let maybe = maybe
                        .into_iter()
                        .filter_map(|(place, judgement)| Some((*candidates.get(place)?, judgement)))
                        .collect();
                    resolved.pairs.push((at, maybe));
                }
            }
        }
        if !open.is_empty() {
            return Ok(Err(open));
        }
        self.keep_names(tx, scope, &profiles, &resolved, &new, learned.into_values().collect()).await?;
        Ok(Ok(resolved))
    }

    /// Keeps those who are new, what was learned of the others, and the names and keys of all.
    async fn keep_names(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        profiles: &[Profile],
        resolved: &ResolvedNames,
        new: &[NewEntity],
        learned: Vec<EntityProfile>,
    ) -> Result<()> {
        let mut knowledge = tx.knowledge(scope);
        knowledge.add_entities(new).await?;
        let called: BTreeMap<EntityId, &str> = learned
            .iter()
            .map(|one| (one.id, one.normalized.as_str()))
            .chain(new.iter().map(|one| (one.id, one.normalized.as_str())))
            .collect();
        let (mut aliases, mut keys) = (Vec::new(), Vec::new());
        for (profile, id) in profiles.iter().zip(&resolved.entities) {
            for alias in std::iter::once(&profile.name).chain(&profile.aliases) {
                let normalized = judge::normalize_name(profile.kind, alias);
                if called.get(id).is_none_or(|called| *called != normalized) && !normalized.is_empty() {
                    aliases.push((*id, normalized, alias.clone()));
                }
            }
            keys.extend(judge::blocking_keys(profile).into_iter().map(|key| (*id, key)));
        }
        for one in &learned {
            knowledge.update_profile(one).await?;
        }
        knowledge.add_aliases(&aliases).await?;
        Ok(knowledge.add_keys(&keys).await?)
    }

    /// Asks whoever decides, while nobody waits.
    pub(super) async fn ask_about(&self, open: Vec<UndecidedName>, decided: &mut JudgeDecisions) {
        let judge = self.tools().entity_judge.clone();
        for UndecidedName { at, found, roots, candidates } in open {
            let resolution = judge.resolve(&found, &candidates).await;
            decided.insert(at, (roots, resolution));
        }
    }
}

/// The entities that the source's mentions and names were assigned before. They are kept, because people may have
/// corrected them.
struct EarlierResolutions {
    mentions: BTreeMap<MentionId, EntityId>,
    names: BTreeMap<(EntityType, String), EntityId>,
}

impl EarlierResolutions {
    async fn load(tx: &mut Tx, scope: &Scope, reading: &SourceFindings<'_>) -> Result<Self> {
        let mut knowledge = tx.knowledge(scope);
        let mentions = knowledge.mentioned_in(reading.revision).await?;
        let mut names = BTreeMap::new();
        let mut twice = Vec::new();
        for (kind, name, id) in knowledge.named_by(reading.source).await? {
            let key = (kind, judge::normalize_name(Some(kind), &name));
            if names.insert(key.clone(), id).is_some_and(|before| before != id) {
                twice.push(key);
            }
        }
        for key in twice {
            names.remove(&key);
        }
        Ok(Self { mentions, names })
    }

    fn entity_ids(&self) -> Vec<EntityId> {
        let mut all: Vec<EntityId> = self.mentions.values().chain(self.names.values()).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the entity that most of the mentions were assigned before, else the one with the same name.
    fn entity_for(&self, reading: &SourceFindings<'_>, found: &ExtractedEntity) -> Option<EntityId> {
        let mut votes: BTreeMap<EntityId, usize> = BTreeMap::new();
        for span in &found.mentions {
            if let Some(id) = self.mentions.get(&MentionId::for_span(reading.revision, found.kind, *span)) {
                *votes.entry(*id).or_default() += 1;
            }
        }
        let most = votes.into_iter().max_by_key(|(id, count)| (*count, std::cmp::Reverse(*id)));
        let by_name = || self.names.get(&(found.kind, judge::normalize_name(Some(found.kind), &found.name))).copied();
        most.map(|(id, _)| id).or_else(by_name)
    }
}

fn new_entity(id: EntityId, reading: &SourceFindings<'_>, found: &ExtractedEntity) -> NewEntity {
    NewEntity {
        id,
        kind: found.kind,
        name: found.name.clone(),
        normalized: judge::normalize_name(Some(found.kind), &found.name),
        role: found.role.clone(),
        organization: found.organization.clone(),
        email: found.email.clone(),
        context: found.context.clone(),
        source: reading.source,
        revision: reading.revision,
    }
}

/// Adds to one that is known what was not known of it: a fuller name, a role, an organisation, an address.
fn learn_from_profile(
    known: &BTreeMap<EntityId, &EntityProfile>,
    learned: &mut BTreeMap<EntityId, EntityProfile>,
    id: EntityId,
    profile: &Profile,
) {
    let Some(before) = known.get(&id).copied() else { return };
    let mut one = learned.remove(&id).unwrap_or_else(|| before.clone());
    if is_fuller(&profile.name, &one.name) {
        one.name = profile.name.clone();
        one.normalized = judge::normalize_name(profile.kind, &one.name);
    }
    let fill = |known: &mut Option<String>, more: &Option<String>| {
        if known.is_none() {
            known.clone_from(more);
        }
    };
    fill(&mut one.role, &profile.role);
    fill(&mut one.organization, &profile.organization);
    fill(&mut one.email, &profile.email);
    if one != *before {
        learned.insert(id, one);
    }
}

/// True if a name has more whole words than another and is not all in capitals.
fn is_fuller(name: &str, than: &str) -> bool {
    let shouts = |name: &str| !name.chars().any(char::is_lowercase) && name.split_whitespace().count() > 1;
    let words =
        |name: &str| name.split_whitespace().filter(|word| word.trim_end_matches('.').chars().count() > 1).count();
    let weight = |name: &str| (!shouts(name), words(name), name.chars().count());
    weight(name) > weight(than)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_tell_more_than_initials() {
        assert!(is_fuller("Alice Chen", "A. Chen"));
        assert!(!is_fuller("A. Chen", "Alice Chen"));
        assert!(is_fuller("Acme Corp", "Acme"));
        assert!(is_fuller("Alice Chen", "ALICE MARIA CHEN"), "shouting is not a name");
        assert!(!is_fuller("Alice Chen", "Alice Chen"));
    }
}
