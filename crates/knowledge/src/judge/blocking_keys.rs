//! Under which keys a profile is filed, so that only those are compared that may be the same.

use ibid_domain::EntityType;

use super::name_words::{NameWord, given_name_forms, is_given};
use super::organization::OrganizationName;
use super::person::PersonName;
use super::{PreparedProfile, Profile};

/// More keys than these are not kept; the most telling come first.
const MOST_KEYS: usize = 12;

/// Under which keys it is filed: two that may be the same share at least one.
pub fn blocking_keys(profile: &Profile) -> Vec<String> {
    PreparedProfile::new(profile).blocking_keys()
}

/// Under which keys its candidates are looked for among those filed under their [`blocking_keys`].
///
/// Looking under `keys` finds them as well, and many more besides: a whole name is filed so that a short one finds it
/// (`n:alice:c` for *Alice C.*), but need not meet all the other whole names there.
pub fn lookup_keys(profile: &Profile) -> Vec<String> {
    PreparedProfile::new(profile).lookup_keys()
}

/// A key, and who meets whom under it.
enum BlockingKey {
    /// All that are filed there meet.
    All(String),
    /// A whole name, filed there for short ones.
    Whole(String),
    /// A short name, which meets whole and short ones.
    Short(String),
}

/// Returns the key under which only short names are stored, for lookup by full names.
fn only_short(key: &str) -> String {
    format!("short-{key}")
}

impl PreparedProfile {
    /// Under which keys it is filed.
    pub fn blocking_keys(&self) -> Vec<String> {
        let filed = self.all_keys().into_iter().flat_map(|key| match key {
            BlockingKey::All(key) | BlockingKey::Whole(key) => [Some(key), None],
            BlockingKey::Short(key) => [Some(only_short(&key)), Some(key)],
        });
        unique_keys(filed.flatten())
    }

    /// Under which keys its candidates are looked for.
    pub fn lookup_keys(&self) -> Vec<String> {
        unique_keys(self.all_keys().into_iter().map(|key| match key {
            BlockingKey::All(key) | BlockingKey::Short(key) => key,
            BlockingKey::Whole(key) => only_short(&key),
        }))
    }

    fn all_keys(&self) -> Vec<BlockingKey> {
        let mut keys: Vec<BlockingKey> =
            self.emails.iter().take(2).map(|email| BlockingKey::All(format!("e:{email}"))).collect();
        let loose = matches!(self.kind, None | Some(EntityType::Other));
        let person = self.is_person();
        if person || loose {
            // Other names count where they are whole, as when two are compared.
            let names = self.people.iter().enumerate().filter(|(at, name)| *at == 0 || name.is_full());
            for (at, (_, name)) in names.take(3).enumerate() {
                let employer = self.employers.first().filter(|_| at == 0);
                of_person(name, employer, &mut keys);
            }
        }
        if !person || loose {
            keys.truncate(if loose { MOST_KEYS / 2 } else { MOST_KEYS });
            for name in self.things.iter().take(3) {
                of_thing(name, &mut keys);
            }
        }
        keys
    }
}

/// Each once, and not too many.
fn unique_keys(keys: impl Iterator<Item = String>) -> Vec<String> {
    let mut unique: Vec<String> = Vec::with_capacity(MOST_KEYS);
    for key in keys {
        if unique.len() < MOST_KEYS && !unique.contains(&key) {
            unique.push(key);
        }
    }
    unique
}

fn of_person(name: &PersonName, employer: Option<&OrganizationName>, keys: &mut Vec<BlockingKey>) {
    if !name.joined.is_empty() {
        keys.push(BlockingKey::All(format!("j:{}", name.joined)));
    }
    let at_work = |word: &NameWord| {
        let word = given_name_forms(&word.text).first().copied().unwrap_or(&word.sound).to_owned();
        employer.map(|employer| format!("o:{}:{word}", employer.core))
    };
    let Some(start) = name.family else {
        // One word: a given name, a family name or all there is.
        for word in &name.words {
            keys.extend(at_work(word).map(BlockingKey::Short));
            keys.push(BlockingKey::Short(format!("w:{}", word.sound)));
        }
        return;
    };
    let (given, family) = name.words.split_at(start.min(name.words.len()));
    let (Some(given), Some(last)) = (given.first().or(name.words.first()), family.last()) else { return };
    // `A. Chen` and `Alice C.` share nothing but first letters.
    let letters = || format!("i:{}{}", first_letter(given), first_letter(last));
    if last.is_initial() {
        keys.push(BlockingKey::Short(letters()));
    } else if given.is_initial() {
        keys.push(BlockingKey::Whole(letters()));
    }
    by_family(last, given, keys);
    // Without a comma the family name may stand first.
    if !name.certain && !given.is_initial() && (is_given(&last.text) || !is_given(&given.text)) {
        by_family(given, last, keys);
    }
    if let Some(first) = family.first().filter(|word| *word != last) {
        by_family(first, given, keys);
    }
    keys.extend(at_work(given).filter(|_| !given.is_initial()).map(BlockingKey::Whole));
    if !last.is_initial() {
        keys.push(BlockingKey::Whole(format!("w:{}", last.sound)));
    }
}

/// By the whole family name with a little of the given one, and the other way round: a slip spoils one of them.
fn by_family(family: &NameWord, given: &NameWord, keys: &mut Vec<BlockingKey>) {
    let forms = given_name_forms(&given.text);
    let start = |word: &str, letters: usize| word.chars().take(letters).collect::<String>();
    let end = |word: &str, letters: usize| word.chars().rev().take(letters).collect::<String>();
    if !family.is_initial() {
        let key = |part: &str| format!("f:{}:{part}", family.sound);
        if given.is_initial() {
            keys.push(BlockingKey::Short(key(&given.text)));
        } else {
            let names = || std::iter::once(given.text.as_str()).chain(forms.iter().copied().take(2));
            keys.extend(names().map(|name| BlockingKey::All(key(&start(name, 2)))));
            keys.push(BlockingKey::All(key(&format!("~{}", end(&given.text, 2)))));
            keys.extend(names().map(|name| BlockingKey::Whole(key(&start(name, 1)))));
        }
    }
    if !given.is_initial() {
        let given = forms.first().copied().unwrap_or(&given.sound);
        let key = format!("n:{given}:{}", first_letter(family));
        if family.is_initial() {
            keys.push(BlockingKey::Short(key));
        } else {
            keys.push(BlockingKey::All(format!("g:{given}:{}", start(&family.text, 4))));
            keys.push(BlockingKey::All(format!("g:{given}:~{}", end(&family.text, 5))));
            keys.push(BlockingKey::Whole(key));
        }
    }
}

fn first_letter(word: &NameWord) -> char {
    word.text.chars().next().unwrap_or('?')
}

fn of_thing(name: &OrganizationName, keys: &mut Vec<BlockingKey>) {
    let mut file = |key: String| keys.push(BlockingKey::All(key));
    let numbers = name.numbers.join(" ");
    file(format!("c:{} {numbers}", name.core));
    file(format!("s:{}", name.core.chars().take(5).collect::<String>()));
    if name.words.len() > 1 {
        file(format!("a:{}", name.acronym));
    } else if (2..=6).contains(&name.core.len()) {
        file(format!("a:{}", name.core));
    }
    // The longest of the words that tell it from others.
    let telling = name.words.iter().zip(&name.generic).filter(|(_, generic)| !**generic).map(|(word, _)| word);
    let mut telling: Vec<&NameWord> = telling.filter(|word| word.len() > 1).collect();
    telling.sort_by_key(|word| std::cmp::Reverse(word.len()));
    telling.into_iter().take(4).for_each(|word| file(format!("t:{}", word.sound)));
}

/// The name as names are compared: lower case, no accents, no titles, no legal forms.
pub fn normalize_name(kind: Option<EntityType>, name: &str) -> String {
    let read = PreparedProfile::new(&Profile { kind, name: name.to_owned(), ..Profile::default() });
    let words: Vec<&str> = match (read.is_person(), read.people.first(), read.things.first()) {
        (true, Some(person), _) => person.words.iter().map(|word| word.text.as_str()).collect(),
        (false, _, Some(thing)) => {
            thing.words.iter().map(|word| word.text.as_str()).chain(thing.numbers.iter().map(String::as_str)).collect()
        }
        _ => Vec::new(),
    };
    if words.is_empty() { name.trim().to_lowercase() } else { words.join(" ") }
}
