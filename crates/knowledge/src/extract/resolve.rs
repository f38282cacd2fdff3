//! Which mentions of one text mean the same, and what is known of each.
//!
//! Full names are found first; short forms join one of them where only one fits, and are left out where several do.

use std::collections::{HashMap, HashSet};

use ibid_domain::EntityType;
use ibid_language::one_line;

use super::{
    lexicon::{LEXICON, LanguageWords},
    mail_owners,
    names::GuessedType,
    traits::{
        AND, COMMON, DETERMINER, GIVEN, LEGAL_FORM, OF, ORG_ALONE, ORG_END, PARTICLE, POSTNOMINAL, PROJECT_WORD, Traits,
    },
};

/// Name at a place in the text.
#[derive(Clone, Debug)]
pub struct NameMention {
    /// Offset of the first byte in the text.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
    /// Type guessed from the sentence alone.
    pub guess: GuessedType,
    /// Confidence in the guessed type, from 0 to 1.
    pub score: f32,
    /// True if a title such as `Dr` precedes the name.
    pub titled: bool,
    /// Its capital may come from where it stands.
    pub weak: bool,
    /// Role or job title that the sentence states.
    pub role: Option<String>,
    /// Index of the mention of the person's organisation.
    pub org: Option<usize>,
    /// E-mail address next to the name.
    pub email: Option<String>,
    /// A short form in brackets behind it: another mention.
    pub short: Option<usize>,
}

/// Somebody or something, and which mentions mean it.
#[derive(Clone, Debug)]
pub struct ResolvedEntity {
    pub kind: EntityType,
    /// Fullest name among the mentions.
    pub name: String,
    /// Other names for the same entity, without `name`.
    pub aliases: Vec<String>,
    /// Confidence from 0 to 1 that the entity has this type.
    pub confidence: f32,
    /// Role or job title, from the best mention.
    pub role: Option<String>,
    /// Name of the organisation that the entity belongs to.
    pub organization: Option<String>,
    /// E-mail address found next to a mention or matched by name.
    pub email: Option<String>,
    /// Its mentions, in the order of the text.
    pub mentions: Vec<usize>,
}

/// Below this nothing is said at all.
const ENOUGH: f32 = 0.5;
/// From this on something besides its capital says that a single word is a person.
const DOUBTFUL_PERSON: f32 = 0.45;

/// All mentions under one spelling, and then under all of one thing.
#[derive(Clone, Debug, Default)]
struct MentionGroup {
    words: Vec<String>,
    /// The best score for each guess.
    scores: [f32; 6],
    counts: [u32; 6],
    mentions: Vec<usize>,
    /// Mentions whose capital says something.
    firm: u32,
    titled: bool,
    capitals: bool,
    /// The group that this one belongs to.
    joined: Option<usize>,
    dropped: bool,
}

impl MentionGroup {
    fn best_guess(&self) -> (GuessedType, f32) {
        let all = [
            GuessedType::Person,
            GuessedType::Org,
            GuessedType::Project,
            GuessedType::Object,
            GuessedType::Place,
            GuessedType::Unknown,
        ];
        let mut best = (GuessedType::Unknown, 0.0);
        for ((guess, score), count) in all.into_iter().zip(self.scores).zip(self.counts) {
            // A name of two words that nothing says is a person's is none for being there twice.
            let again = if guess == GuessedType::Person && score < 0.5 { 0.0 } else { 0.04 };
            let score = if count == 0 { 0.0 } else { score + again * (count.min(6) - 1) as f32 };
            if guess != GuessedType::Unknown && score > best.1 {
                best = (guess, score);
            }
        }
        if best.1 == 0.0 { (GuessedType::Unknown, self.scores[5]) } else { best }
    }

    fn is_guessed(&self, guess: GuessedType) -> bool {
        self.best_guess().0 == guess
    }

    fn first_word(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    fn last_word(&self) -> &str {
        self.words.last().map_or("", String::as_str)
    }

    fn given_is_initial(&self) -> bool {
        is_initial(self.first_word())
    }
}

fn is_initial(word: &str) -> bool {
    word.chars().count() == 1 || word.contains('.')
}

/// Groups mentions into what they mean. `small` are hashes of words that the text also writes without a capital.
pub fn resolve_mentions(
    text: &str,
    mentions: &[NameMention],
    small: &HashSet<u64>,
    mails: &[String],
    words: &LanguageWords,
) -> Vec<ResolvedEntity> {
    let mut groups = group_by_spelling(text, mentions);
    drop_common(&mut groups, small);
    join_brackets(&mut groups, mentions);
    join_people(&mut groups);
    join_orgs(&mut groups, words);
    build_entities(text, mentions, &groups, mails)
}

/// The words of a name in lower case, without dots and titles.
pub(super) fn words_of(name: &str) -> Vec<String> {
    name.split_whitespace()
        .flat_map(|word| {
            // `J.R.` are two initials.
            let dotted = word.contains('.') && word.split('.').all(|part| part.chars().count() <= 1);
            let parts: Vec<&str> = if dotted { word.split('.').collect() } else { vec![word] };
            parts
                .into_iter()
                .map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
                .collect::<Vec<_>>()
        })
        .filter(|word| !word.is_empty())
        .collect()
}

fn group_by_spelling(text: &str, mentions: &[NameMention]) -> Vec<MentionGroup> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<MentionGroup> = Vec::new();
    // What tells two people of one name apart: they have different roles at different organisations.
    let mut posts: HashMap<String, Vec<(String, String)>> = HashMap::new();
    let post = |mention: &NameMention| {
        let org = mention.org.and_then(|org| mentions.get(org)).and_then(|org| text.get(org.start..org.end))?;
        Some((mention.role.as_ref()?.to_lowercase(), base_name(&words_of(org)).join(" ")))
    };
    let keys: Vec<(String, Vec<String>)> = mentions
        .iter()
        .map(|mention| {
            let words = words_of(text.get(mention.start..mention.end).unwrap_or(""));
            (words.join(" "), words)
        })
        .collect();
    for (mention, (key, words)) in mentions.iter().zip(&keys) {
        if mention.guess == GuessedType::Person
            && words.len() >= 2
            && let Some((role, org)) = post(mention)
        {
            let known = posts.entry(key.clone()).or_default();
            if known.iter().all(|(other_role, other_org)| *other_role != role && *other_org != org) {
                known.push((role, org));
            }
        }
    }
    for (at, (mention, (key, words))) in mentions.iter().zip(keys).enumerate() {
        if words.is_empty() {
            continue;
        }
        let several = posts.get(&key).filter(|posts| posts.len() > 1);
        let key = match several {
            None => key,
            Some(posts) => {
                let Some((role, org)) = post(mention) else { continue };
                let place = posts.iter().position(|(other_role, other_org)| *other_role == role || *other_org == org);
                format!("{key} #{}", place.unwrap_or(0))
            }
        };
        let place = *places.entry(key).or_insert_with(|| {
            groups.push(MentionGroup { words, ..MentionGroup::default() });
            groups.len() - 1
        });
        let Some(group) = groups.get_mut(place) else { continue };
        let kind = mention.guess as usize;
        if let (Some(score), Some(count)) = (group.scores.get_mut(kind), group.counts.get_mut(kind)) {
            *score = score.max(mention.score);
            *count += 1;
        }
        group.mentions.push(at);
        group.firm += u32::from(!mention.weak);
        group.titled |= mention.titled;
        group.capitals |= text.get(mention.start..mention.end).is_some_and(|name| !name.contains(char::is_lowercase));
    }
    groups
}

fn word_traits(word: &str) -> Traits {
    LEXICON.traits(LEXICON.word_id(word))
}

fn traits_in(words: &LanguageWords, word: &str) -> Traits {
    words.traits(LEXICON.word_id(word))
}

/// The hash under which a small word of the text is kept.
pub fn hash(word: &str) -> u64 {
    // FNV-1a: the same everywhere, and words are short.
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A single word that the text also writes small is no name, unless something else says so.
fn drop_common(groups: &mut [MentionGroup], small: &HashSet<u64>) {
    for group in groups {
        let [word] = group.words.as_slice() else { continue };
        let (_, score) = group.best_guess();
        if score < 0.6 && small.contains(&hash(word)) {
            group.dropped = true;
        }
    }
}

/// The group that a group was joined to in the end.
fn root_group(groups: &[MentionGroup], mut at: usize) -> usize {
    // Joins go at most a few steps; the count only guards against a ring.
    for _ in 0..8 {
        match groups.get(at).and_then(|group| group.joined) {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

fn join_groups(groups: &mut [MentionGroup], from: usize, to: usize) {
    let to = root_group(groups, to);
    if from != to
        && root_group(groups, from) == from
        && let Some(group) = groups.get_mut(from)
    {
        group.joined = Some(to);
    }
}

fn join_brackets(groups: &mut [MentionGroup], mentions: &[NameMention]) {
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    for (place, group) in groups.iter().enumerate() {
        for mention in &group.mentions {
            group_of.insert(*mention, place);
        }
    }
    for (long, mention) in mentions.iter().enumerate() {
        if let Some(short) = mention.short
            && let (Some(long), Some(short)) = (group_of.get(&long), group_of.get(&short))
        {
            join_groups(groups, *short, *long);
        }
    }
}

/// Groups by a part of their name.
type GroupsByName = HashMap<String, Vec<usize>>;

/// Returns the value if it is the only one for its key, or all values as the error.
fn only_value<'map>(map: &'map GroupsByName, key: &str) -> Option<Result<usize, &'map [usize]>> {
    map.get(key).map(|places| match places.as_slice() {
        [one] => Ok(*one),
        several => Err(several),
    })
}

fn join_people(groups: &mut [MentionGroup]) {
    let is_full = |group: &MentionGroup| {
        group.is_guessed(GuessedType::Person)
            && group.words.len() >= 2
            && !group.given_is_initial()
            && !is_initial(group.last_word())
            && !group.dropped
    };
    // `Alice M. Chen` and `Alice Chen`.
    let mut full: HashMap<(String, String), Vec<usize>> = HashMap::new();
    for (place, group) in groups.iter().enumerate() {
        if is_full(group) && root_group(groups, place) == place {
            full.entry((group.first_word().to_owned(), family_name(&group.words).to_owned())).or_default().push(place);
        }
    }
    let mut merges = Vec::new();
    for places in full.values() {
        // Each joins the longest that it does not contradict, if there is one such.
        for place in places {
            let fitting: Vec<usize> =
                places.iter().copied().filter(|other| other != place && fits_within(groups, *place, *other)).collect();
            if let [other] = fitting.as_slice() {
                merges.push((*place, *other));
            }
        }
    }
    merges.sort_unstable();
    for (from, to) in merges {
        join_groups(groups, from, to);
    }
    let (mut by_family, mut by_given) = (GroupsByName::default(), GroupsByName::default());
    let mut note = |map: bool, key: &str, place: usize| {
        let places = if map { by_family.entry(key.to_owned()) } else { by_given.entry(key.to_owned()) }.or_default();
        if !places.contains(&place) && places.len() < 64 {
            places.push(place);
        }
    };
    for (place, group) in groups.iter().enumerate() {
        if is_full(group) {
            let to = root_group(groups, place);
            note(true, family_name(&group.words), to);
            note(false, group.first_word(), to);
        }
    }
    let firms: HashSet<String> = groups
        .iter()
        .filter(|group| group.words.len() > 1 && group.is_guessed(GuessedType::Org))
        .map(|group| group.first_word().to_owned())
        .collect();
    for place in 0..groups.len() {
        let Some(group) = groups.get(place).filter(|group| group.joined.is_none()) else { continue };
        let (guess, score) = group.best_guess();
        let candidates: Vec<usize> = match group.words.as_slice() {
            [word] => {
                let sure =
                    matches!(guess, GuessedType::Org | GuessedType::Place | GuessedType::Project | GuessedType::Object)
                        && score >= 0.6;
                // `Bloomberg` after `Michael Bloomberg` is the person, if the text names no firm so.
                let person = only_value(&by_family, word).and_then(Result::ok).and_then(|person| groups.get(person));
                let follows = person.is_some_and(|person| person.mentions.first() < group.mentions.first());
                let sure = sure && !(guess == GuessedType::Org && follows && !firms.contains(word));
                if sure
                    || (word_traits(word) & COMMON != 0
                        && word_traits(word) & GIVEN == 0
                        && group.firm == 0
                        && !group.titled)
                {
                    continue;
                }
                let mut found: Vec<usize> = by_family.get(word).cloned().unwrap_or_default();
                if !group.titled || found.is_empty() {
                    for other in by_given.get(word).into_iter().flatten() {
                        if !found.contains(other) {
                            found.push(*other);
                        }
                    }
                }
                found
            }
            [first, .., last] if guess == GuessedType::Person && is_initial(first) => by_family
                .get(last)
                .into_iter()
                .flatten()
                .copied()
                .filter(|other| groups.get(*other).is_some_and(|other| other.first_word().starts_with(first.as_str())))
                .collect(),
            [first, last] if guess == GuessedType::Person && is_initial(last) => by_given
                .get(first)
                .into_iter()
                .flatten()
                .copied()
                .filter(|other| {
                    groups.get(*other).is_some_and(|other| family_name(&other.words).starts_with(last.as_str()))
                })
                .collect(),
            _ => continue,
        };
        match candidates.as_slice() {
            [] => {}
            [one] => join_groups(groups, place, *one),
            // Several people it might be: `Chen` alone says nothing; `A. Chen` stands for itself.
            _ => {
                if let Some(group) = groups.get_mut(place) {
                    group.dropped |= group.words.len() == 1;
                }
            }
        }
    }
    // What is left of initials and single names: `A. Chen` and `Chen` of a text that never says `Alice`.
    let mut initials: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, group) in groups.iter().enumerate() {
        if group.joined.is_none()
            && group.is_guessed(GuessedType::Person)
            && group.words.len() >= 2
            && group.given_is_initial()
        {
            initials.entry(group.last_word().to_owned()).or_default().push(place);
        }
    }
    for place in 0..groups.len() {
        let Some(group) = groups.get(place).filter(|group| group.joined.is_none() && group.words.len() == 1) else {
            continue;
        };
        let (guess, score) = group.best_guess();
        if matches!(guess, GuessedType::Person | GuessedType::Unknown) || score < 0.6 {
            match only_value(&initials, group.first_word()) {
                Some(Ok(one)) => join_groups(groups, place, one),
                Some(Err(_)) => {
                    if let Some(group) = groups.get_mut(place) {
                        group.dropped = true;
                    }
                }
                None => {}
            }
        }
    }
}

/// The family name: the last word that is no `Jr`.
fn family_name(words: &[String]) -> &str {
    words.iter().rev().find(|word| word_traits(word) & POSTNOMINAL == 0).map_or("", String::as_str)
}

/// Returns true if the middle names of the shorter name do not contradict those of the longer one.
fn fits_within(groups: &[MentionGroup], short: usize, long: usize) -> bool {
    let (Some(short), Some(long)) = (groups.get(short), groups.get(long)) else { return false };
    let middle = |group: &MentionGroup| -> Vec<String> {
        let end = group.words.iter().rposition(|word| word == family_name(&group.words)).unwrap_or(1);
        group
            .words
            .get(1..end.max(1))
            .unwrap_or_default()
            .iter()
            .filter(|word| word_traits(word) & PARTICLE == 0)
            .cloned()
            .collect()
    };
    let (short, long) = (middle(short), middle(long));
    let longer = long.len() > short.len() || (long.len() == short.len() && long.concat().len() > short.concat().len());
    longer && short.iter().zip(&long).all(|(short, long)| long.starts_with(short.as_str()))
}

/// A name without its legal form or the word `project`.
fn base_name(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    while words.len() > 1 && words.last().is_some_and(|word| word_traits(word) & LEGAL_FORM != 0) {
        words.pop();
    }
    if words.len() > 1 && words.first().is_some_and(|word| word_traits(word) & PROJECT_WORD != 0) {
        words.remove(0);
    } else if words.len() > 1 && words.last().is_some_and(|word| word_traits(word) & PROJECT_WORD != 0) {
        words.pop();
    }
    words
}

fn join_orgs(groups: &mut [MentionGroup], words: &LanguageWords) {
    let (mut by_base, mut by_last, mut by_first, mut by_letters) =
        (GroupsByName::default(), GroupsByName::default(), GroupsByName::default(), GroupsByName::default());
    for (place, group) in groups.iter().enumerate() {
        if group.joined.is_some() || group.dropped || group.words.len() < 2 {
            continue;
        }
        let (guess, score) = group.best_guess();
        if !matches!(guess, GuessedType::Org | GuessedType::Project) || score < ENOUGH {
            continue;
        }
        let short = base_name(&group.words);
        if short.len() < group.words.len() {
            by_base.entry(short.join(" ")).or_default().push(place);
        }
        // `Harbour Board of Pellmouth` is the `Harbour Board`.
        if let Some(of) = group.words.iter().position(|word| traits_in(words, word) & OF != 0)
            && of >= 2
            && group.words.get(of - 1).is_some_and(|word| word_traits(word) & ORG_END != 0)
        {
            by_base.entry(group.words.get(..of).unwrap_or_default().join(" ")).or_default().push(place);
        }
        if guess == GuessedType::Org {
            by_last.entry(group.last_word().to_owned()).or_default().push(place);
            by_first.entry(group.first_word().to_owned()).or_default().push(place);
            let letters: String = group
                .words
                .iter()
                .filter(|word| traits_in(words, word) & (OF | AND | DETERMINER) == 0)
                .filter_map(|word| word.chars().next())
                .collect();
            if letters.chars().count() >= 3 {
                by_letters.entry(letters).or_default().push(place);
            }
        }
    }
    for place in 0..groups.len() {
        let Some(group) = groups.get(place).filter(|group| group.joined.is_none() && !group.dropped) else { continue };
        let (guess, score) = group.best_guess();
        if guess == GuessedType::Person && score >= 0.6 {
            continue;
        }
        let key = base_name(&group.words).join(" ");
        let single = group.words.len() == 1;
        let word = word_traits(group.first_word());
        let found = only_value(&by_base, &key)
            .or_else(|| (single && word & ORG_ALONE != 0).then(|| only_value(&by_last, &key)).flatten())
            .or_else(|| (single && group.capitals).then(|| only_value(&by_letters, &key)).flatten())
            .or_else(|| {
                let plain = guess == GuessedType::Unknown || (guess == GuessedType::Org && score < 0.8);
                (single && plain && word & (COMMON | GIVEN) == 0).then(|| only_value(&by_first, &key)).flatten()
            });
        if let Some(Ok(to)) = found
            && to != place
        {
            join_groups(groups, place, to);
        }
    }
}

fn entity_type(guess: GuessedType) -> EntityType {
    match guess {
        GuessedType::Person => EntityType::Person,
        GuessedType::Org => EntityType::Org,
        GuessedType::Project => EntityType::Project,
        GuessedType::Object => EntityType::Object,
        GuessedType::Place => EntityType::Place,
        GuessedType::Unknown => EntityType::Other,
    }
}

fn build_entities(
    text: &str,
    mentions: &[NameMention],
    groups: &[MentionGroup],
    mails: &[String],
) -> Vec<ResolvedEntity> {
    let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
    for place in 0..groups.len() {
        members.entry(root_group(groups, place)).or_default().push(place);
    }
    let mut roots: Vec<usize> = members.keys().copied().collect();
    roots.sort_unstable();
    let mut found: Vec<ResolvedEntity> = Vec::new();
    let mut entity_of: HashMap<usize, usize> = HashMap::new();
    for place in roots {
        let Some(group) = groups.get(place).filter(|group| !group.dropped) else { continue };
        let (guess, score) = group.best_guess();
        let mut all: Vec<usize> = members
            .get(&place)
            .into_iter()
            .flatten()
            .filter_map(|member| groups.get(*member))
            .flat_map(|member| member.mentions.iter().copied())
            .collect();
        all.sort_unstable();
        let more = all.len().min(6).saturating_sub(1) as f32;
        // Short forms that are a person's by themselves make a person surer: `Halvane said`, but not `Forbes staff`.
        let is_person = |member: &&MentionGroup| member.scores[GuessedType::Person as usize] >= DOUBTFUL_PERSON;
        let short_forms = members.get(&place).into_iter().flatten().filter(|member| **member != place);
        let given = word_traits(group.first_word()) & GIVEN != 0;
        let short =
            short_forms.filter_map(|member| groups.get(*member)).filter(|member| given || is_person(member)).count();
        let bonus = match guess {
            GuessedType::Person if score >= 0.5 || short > 0 => 0.03 * more,
            GuessedType::Person => 0.0,
            _ => 0.01 * more,
        };
        let confidence = match guess {
            // Named again and again within sentences, but by nothing that tells what it is.
            GuessedType::Unknown if group.words.len() >= 2 && group.firm >= 4 => 0.5 + 0.01 * more,
            GuessedType::Unknown => continue,
            // A capital that only the beginning of a sentence gives is not enough for a word nobody knows.
            _ if group.firm == 0 && score < 0.55 => continue,
            _ => (score + bonus).min(0.98),
        };
        if confidence < ENOUGH {
            continue;
        }
        let (name, aliases) = choose_names(text, mentions, &all, guess);
        if name.is_empty() {
            continue;
        }
        for mention in &all {
            entity_of.insert(*mention, found.len());
        }
        let of = |read: fn(&NameMention) -> Option<&String>| {
            all.iter().filter_map(|at| mentions.get(*at)).find_map(read).cloned()
        };
        found.push(ResolvedEntity {
            kind: entity_type(guess),
            name,
            aliases,
            confidence,
            role: of(|mention| mention.role.as_ref()),
            organization: None,
            email: of(|mention| mention.email.as_ref()),
            mentions: all,
        });
    }
    let orgs: Vec<Option<String>> = found
        .iter()
        .map(|entity| {
            let org = entity.mentions.iter().filter_map(|at| mentions.get(*at)).find_map(|mention| mention.org)?;
            let named = entity_of.get(&org).and_then(|org| found.get(*org));
            if named.is_some_and(|named| named.kind == EntityType::Person) {
                return None;
            }
            named
                .map(|org| org.name.clone())
                .or_else(|| mentions.get(org).map(|org| one_line(text.get(org.start..org.end).unwrap_or(""))))
        })
        .collect();
    for (entity, org) in found.iter_mut().zip(orgs) {
        if entity.kind == EntityType::Person {
            entity.organization = org.filter(|org| *org != entity.name);
        } else {
            entity.role = None;
        }
    }
    mail_owners::assign_mail_addresses(&mut found, mails);
    found.sort_by_key(|entity| entity.mentions.first().copied());
    found
}

/// The fullest name among mentions, and the others.
fn choose_names(text: &str, mentions: &[NameMention], all: &[usize], guess: GuessedType) -> (String, Vec<String>) {
    let mut forms: Vec<(String, u32)> = Vec::new();
    for at in all {
        let Some(mention) = mentions.get(*at) else { continue };
        let form = one_line(text.get(mention.start..mention.end).unwrap_or(""));
        if let Some((_, count)) = forms.iter_mut().find(|(known, _)| *known == form) {
            *count += 1;
        } else if forms.len() < 24 {
            forms.push((form, 1));
        }
    }
    // The most words; then not all in capitals; then the most letters; then the most often.
    let rank = |form: &(String, u32)| {
        let small = form.0.contains(char::is_lowercase);
        let acronym = guess == GuessedType::Org && !small && !form.0.contains(' ');
        (!acronym, form.0.split(' ').count(), small, form.0.chars().filter(|c| c.is_alphanumeric()).count(), form.1)
    };
    let Some(best) = (0..forms.len()).rev().max_by_key(|at| forms.get(*at).map(rank)) else {
        return Default::default();
    };
    let name = forms.remove(best).0;
    let aliases = forms.into_iter().map(|(form, _)| form).collect();
    (name, aliases)
}
