//! Whose an e-mail address is that stands beside no name.

use std::collections::{HashMap, HashSet};

use ibid_domain::EntityType;

use super::resolve::{ResolvedEntity, words_of};

/// Addresses that stand alone belong to whose name they spell.
pub fn assign_mail_addresses(found: &mut [ResolvedEntity], mails: &[String]) {
    let mut by_family: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, entity) in found.iter().enumerate() {
        if entity.kind == EntityType::Person && entity.email.is_none() {
            let words = words_of(&entity.name);
            for word in words.iter().filter(|word| word.chars().count() >= 3) {
                by_family.entry(word.clone()).or_default().push(place);
            }
        }
    }
    let taken: HashSet<String> = found.iter().filter_map(|entity| entity.email.clone()).collect();
    for mail in mails.iter().filter(|mail| !taken.contains(*mail)) {
        let Some((local, _)) = mail.split_once('@') else { continue };
        let parts: Vec<String> = local.split(['.', '_', '-']).map(str::to_lowercase).collect();
        let mut fitting: Vec<usize> = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            // `chen` of `alice.chen`, and `chen` of `achen`.
            let without = part.char_indices().nth(1).and_then(|(second, _)| part.get(second..)).unwrap_or("");
            for word in [part.as_str(), without] {
                for place in by_family.get(word).into_iter().flatten() {
                    let Some(entity) = found.get(*place) else { continue };
                    let words = words_of(&entity.name);
                    let others = parts.iter().enumerate().filter(|(other, _)| *other != at);
                    let agrees = if word == part {
                        others.clone().all(|(_, other)| {
                            words.iter().any(|word| {
                                word == other || (other.chars().count() == 1 && word.starts_with(other.as_str()))
                            })
                        })
                    } else {
                        parts.len() == 1
                            && words.first().is_some_and(|given| part.chars().next() == given.chars().next())
                    };
                    if agrees && !fitting.contains(place) {
                        fitting.push(*place);
                    }
                }
            }
        }
        if let [one] = fitting.as_slice()
            && let Some(entity) = found.get_mut(*one)
            && entity.email.is_none()
        {
            entity.email = Some(mail.clone());
        }
    }
}
