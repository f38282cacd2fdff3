//! Ten thousand mentions of a thousand people, one after the other, as a library meets them.

use std::collections::{HashMap, HashSet};

use ibid_domain::EntityType;
use ibid_knowledge::judge::{PreparedProfile, Profile, Resolution, resolve_prepared};

/// A small generator, so that every run meets the same people.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn below(&mut self, most: usize) -> usize {
        (self.roll() % most as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// The first ones often, the last ones seldom, as a census has it: of a hundred names the first is borne by one in thirty.
    fn skewed(&mut self, most: usize) -> usize {
        let far = self.below(1_000_000) as f64 / 1_000_000.0;
        (far.powf(1.5) * most as f64) as usize % most
    }
}

const GIVEN: &str = "James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Richard Susan \
    Joseph Jessica Thomas Sarah Christopher Karen Charles Daniel Matthew Nancy Anthony Margaret Mark Sandra Steven Ashley \
    Paul Emily Andrew Donna Joshua Michelle Kenneth Carol Kevin Amanda Brian Dorothy George Melissa Timothy Deborah Wei Li \
    Yuki Hiroshi Priya Rahul Anita Omar Fatima Ahmed Jose Carlos Ana Luis Sofia Pierre Claire Hans Ingrid Lars Olga Ivan \
    Laura Jason Rebecca Jeffrey Sharon Ryan Cynthia Jacob Kathleen Gary Amy Nicholas Angela Eric Shirley Jonathan Brenda \
    Stephen Pamela Larry Emma Justin Nicole Scott Helen Brandon Samantha Benjamin Katherine Samuel Christine Gregory Debra \
    Frank Rachel Alexander Carolyn Raymond Janet Patrick Maria Jack Olivia Dennis Heather Jerry Diane Tyler Julie Aaron \
    Joyce Henry Victoria Peter Ruth Adam Virginia Zachary Lauren Nathan Kelly Walter Christina Kyle Joan Harold Evelyn \
    Arthur Judith Roger Megan Noah Andrea Keith Cheryl Austin Hannah Elijah Jacqueline Gerald Martha Jesse Gloria Mei Jun \
    Kenji Naoko Arjun Deepa Sanjay Leila Yusuf Amina Diego Lucia Mateo Camila Antoine Juliette Klaus Greta Sven Astrid Dmitri";

const FAMILY: &str = "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Wilson Anderson Taylor Thomas \
    Moore Jackson Martin Lee Chen Wang Nguyen Kim Patel Singh Tanaka Suzuki Schmidt Weber Ivanov Novak Rossi Silva Lopez \
    Clark Lewis Walker Hall Young Allen King Wright Scott Green Baker Adams Nelson Hill Campbell Mitchell Roberts Carter \
    Phillips Evans Turner Parker Collins Edwards Stewart Morris Murphy Cook Rogers Morgan Cooper Peterson Bailey Reed Kelly \
    Ashdown Bellweather Corrigan Drummond Eastlake Fairbanks Goldfarb Hathaway Ingersoll Jankowski Kirkbride Lindqvist \
    Montague Northcott Oakeshott Pemberton Quigley Ravenscroft Satterfield Thornbury Underhill Vandermeer Whitlock Yarborough \
    Abernathy Blackwood Castellano Delacroix Engstrom Falkenberg Grunwald Hollister Isherwood Jorgensen Kowalczyk Lockwood \
    Marchetti Nakashima Ostrowski Pellegrino Rasmussen Steinhauer Trevelyan Ulrichsen Vassiliou Wojciechowski Zimmerman";

const COMPANIES: &str = "Acme Initech Globex Umbrella Hooli Vandelay Stark Wayne Cyberdyne Tyrell Soylent Aperture Massive Oscorp \
    Dunder Sterling Pied Bluth Monarch Weyland Nakatomi Oceanic Gringotts Wonka Duff Kramerica Prestige Octan Zorin Veridian";

const ROLES: &str = "Engineer Designer Manager Analyst Director Accountant Counsel Researcher Editor Architect";

const SHORT: &[(&str, &str)] = &[
    ("James", "Jim"),
    ("Robert", "Bob"),
    ("John", "Jack"),
    ("Michael", "Mike"),
    ("David", "Dave"),
    ("Elizabeth", "Liz"),
    ("William", "Bill"),
    ("Richard", "Rick"),
    ("Joseph", "Joe"),
    ("Thomas", "Tom"),
    ("Christopher", "Chris"),
    ("Patricia", "Pat"),
    ("Jennifer", "Jen"),
    ("Margaret", "Peggy"),
    ("Kenneth", "Ken"),
    ("Timothy", "Tim"),
    ("Susan", "Sue"),
    ("Andrew", "Andy"),
];

struct Somebody {
    given: String,
    middle: Option<char>,
    family: String,
    role: String,
    organization: String,
    email: String,
}

fn composed(dice: &mut Dice) -> String {
    let parts = [
        "Bar Cal Dor El Fen Gal Har Il Jor Kel Lan Mor Nel Or Pel Quin Ros Sel Tor Ul Ver Wil Yar Zel Bre Cro Dre Fle Gri Stan",
        "a ama ani be bri cle da der di du ena era fi gan gri ica in ka ki la lo ma mi na no ol os pa ra ri so ta ti u va vi we ze",
        "berg by dale feld ham holm ich kins low man mer ner ola pov quist rd sen ska son ton vich well wick yan zak",
    ];
    let mut name = String::new();
    for part in parts {
        let part: Vec<&str> = part.split(' ').collect();
        name.push_str(part[dice.below(part.len())]);
    }
    name
}

fn people(dice: &mut Dice, most: usize) -> Vec<Somebody> {
    let given: Vec<&str> = GIVEN.split_whitespace().collect();
    let family: Vec<&str> = FAMILY.split_whitespace().collect();
    let companies: Vec<&str> = COMPANIES.split_whitespace().collect();
    let roles: Vec<&str> = ROLES.split_whitespace().collect();
    let mut taken = HashSet::new();
    let mut people: Vec<Somebody> = Vec::new();
    while people.len() < most {
        let (first, last) = (given[dice.skewed(given.len())], family[dice.skewed(family.len())]);
        // A fifth bear one of the common names, as in a census; of the many others each is borne by few.
        let last = if dice.chance(20) { last.to_owned() } else { composed(dice) };
        let organization = companies[dice.below(companies.len())].to_owned();
        // One in twelve has the name of somebody else, who is elsewhere.
        let namesake = dice.below(people.len().max(1));
        let (first, last) = match people.get(namesake).filter(|_| dice.chance(8)) {
            Some(Somebody { given, family, .. }) => (given.clone(), family.clone()),
            None => (first.to_owned(), last),
        };
        // Two of one name may be in two organisations, never in one.
        if !taken.insert((first.clone(), last.clone(), organization.clone())) {
            continue;
        }
        let number = people.len();
        people.push(Somebody {
            middle: dice.chance(40).then(|| char::from(b'A' + dice.below(26) as u8)),
            role: roles[dice.below(roles.len())].to_owned(),
            email: format!(
                "{}.{}{number}@{}.example",
                first.to_lowercase(),
                last.to_lowercase(),
                organization.to_lowercase()
            ),
            given: first,
            family: last,
            organization,
        });
    }
    people
}

/// One letter wrong, left out or swapped, never the first.
fn slip(dice: &mut Dice, word: &str) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    if letters.len() < 5 {
        return word.to_owned();
    }
    let at = 1 + dice.below(letters.len() - 2);
    match dice.below(3) {
        0 => letters[at] = char::from(b'a' + dice.below(26) as u8),
        1 => drop(letters.remove(at)),
        _ => letters.swap(at, at + 1),
    }
    letters.into_iter().collect()
}

fn mention(dice: &mut Dice, who: &Somebody) -> Profile {
    let short = SHORT.iter().find(|(name, _)| *name == who.given).map(|(_, short)| *short);
    // Who is written with a letter only is written with something besides, mostly.
    let (mut bare, mut given, mut family) = (dice.chance(15), who.given.clone(), who.family.clone());
    match dice.below(100) {
        0..10 => {
            given = format!("{}.", given.chars().next().unwrap_or('X'));
            bare = dice.chance(5);
        }
        10..18 => given = short.unwrap_or(&who.given).to_owned(),
        18..23 => given = slip(dice, &given),
        23..29 => family = slip(dice, &family),
        _ => {}
    }
    let middle = who.middle.filter(|_| dice.chance(50)).map(|letter| format!(" {letter}.")).unwrap_or_default();
    let name = match dice.below(10) {
        0 => format!("{family}, {given}{middle}"),
        1 => format!("Dr. {given}{middle} {family}"),
        _ => format!("{given}{middle} {family}"),
    };
    let organization = match dice.below(3) {
        0 => format!("{} Inc.", who.organization),
        1 => who.organization.to_uppercase(),
        _ => who.organization.clone(),
    };
    Profile {
        kind: Some(EntityType::Person),
        name,
        role: (!bare && dice.chance(50)).then(|| who.role.clone()),
        organization: (!bare && dice.chance(85)).then_some(organization),
        email: (!bare && dice.chance(35)).then(|| who.email.clone()),
        ..Profile::default()
    }
}

/// What is known grows: the fullest name stays, others are further names, what was missing is filled in.
fn merge(known: &mut Profile, found: Profile) {
    let full = |name: &str| name.split_whitespace().filter(|word| word.trim_matches(['.', ',']).len() > 1).count();
    if found.name != known.name && !known.aliases.contains(&found.name) {
        if full(&found.name) > full(&known.name) {
            let old = std::mem::replace(&mut known.name, found.name);
            known.aliases.push(old);
        } else {
            known.aliases.push(found.name);
        }
    }
    known.role = known.role.take().or(found.role);
    known.organization = known.organization.take().or(found.organization);
    known.email = known.email.take().or(found.email);
}

struct Outcome {
    precision: f64,
    recall: f64,
    compared: usize,
    entities: usize,
}

fn run(mentions: usize, seed: u64) -> Outcome {
    let mut dice = Dice(seed);
    let people = people(&mut dice, mentions / 10);
    let mut entities: Vec<(Profile, PreparedProfile)> = Vec::new();
    let mut filed: HashMap<String, Vec<usize>> = HashMap::new();
    let mut compared = 0;
    // How many mentions of whom went to which entity.
    let mut went: HashMap<(usize, usize), u64> = HashMap::new();
    for _ in 0..mentions {
        let who = dice.below(people.len());
        let found = mention(&mut dice, &people[who]);
        let prepared = PreparedProfile::new(&found);
        let sought = prepared.lookup_keys();
        let mut candidates: Vec<usize> = sought.iter().filter_map(|key| filed.get(key)).flatten().copied().collect();
        candidates.sort_unstable();
        candidates.dedup();
        compared += candidates.len();
        let list: Vec<&PreparedProfile> = candidates.iter().map(|at| &entities[*at].1).collect();
        let at = match resolve_prepared(&prepared, &list) {
            Resolution::Known(at, _) => {
                let at = candidates[at];
                merge(&mut entities[at].0, found);
                entities[at].1 = PreparedProfile::new(&entities[at].0);
                at
            }
            Resolution::New(_) => {
                entities.push((found, prepared));
                entities.len() - 1
            }
        };
        let keys = entities[at].1.blocking_keys();
        assert!(keys.len() <= 12);
        for key in keys {
            let list = filed.entry(key).or_default();
            if !list.contains(&at) {
                list.push(at);
            }
        }
        *went.entry((who, at)).or_default() += 1;
    }
    let pairs = |count: u64| count * (count - 1) / 2;
    let (mut by_person, mut by_entity) = (HashMap::new(), HashMap::new());
    for ((who, at), count) in &went {
        *by_person.entry(*who).or_insert(0) += count;
        *by_entity.entry(*at).or_insert(0) += count;
    }
    let right: u64 = went.values().map(|count| pairs(*count)).sum();
    let share = |all: HashMap<usize, u64>| right as f64 / all.into_values().map(pairs).sum::<u64>() as f64;
    Outcome { precision: share(by_entity), recall: share(by_person), compared, entities: entities.len() }
}

#[test]
fn ten_thousand_mentions_find_their_thousand_people() {
    let Outcome { precision, recall, compared, entities } = run(10_000, 20_240_501);
    println!("precision {precision:.4}, recall {recall:.4}, {entities} entities, {compared} comparisons");
    assert!(precision >= 0.97, "precision {precision:.4}");
    assert!(recall >= 0.85, "recall {recall:.4}");

    let fewer = run(2_500, 20_240_501);
    println!("of 2500: precision {:.4}, recall {:.4}, {} comparisons", fewer.precision, fewer.recall, fewer.compared);
    let log = |mentions: f64| mentions * mentions.log2();
    let allowed = fewer.compared as f64 * log(10_000.0) / log(2_500.0);
    assert!(compared as f64 <= allowed, "{compared} comparisons of 10000, {} of 2500", fewer.compared);
}
