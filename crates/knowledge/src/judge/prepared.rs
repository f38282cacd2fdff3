//! A profile, read once, so that it can be compared often.

use std::collections::HashSet;

use ibid_domain::EntityType;

use super::context::{Context, LONGEST, Overlap, born_apart, email, overlap};
use super::organization::{self, Organization};
use super::person::{self, Part, Person};
use super::signs::{Model, Sign, Signs};
use super::words::{number_of, plainly};
use super::{LONGEST_NAME, Profile};

/// More other names than this are not looked at.
const MOST_NAMES: usize = 10;

/// A profile, read once.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    pub(super) kind: Option<EntityType>,
    pub(super) people: Vec<Person>,
    pub(super) things: Vec<Organization>,
    pub(super) employers: Vec<Organization>,
    pub(super) employer: Option<String>,
    pub(super) role: Vec<String>,
    pub(super) emails: Vec<String>,
    pub(super) context: Context,
    /// By which of two is first, so that it does not matter in which order they come.
    pub(super) order: u64,
}

impl Prepared {
    /// Reads a profile.
    pub fn new(profile: &Profile) -> Self {
        let names = std::iter::once(&profile.name).chain(&profile.aliases).take(MOST_NAMES);
        let people: Vec<Person> = names.clone().map(|name| Person::read(name)).collect();
        let things: Vec<Organization> = names.map(|name| Organization::read(name)).collect();
        let given = |field: &Option<String>| field.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(cut);
        let organization = given(&profile.organization);
        let role = given(&profile.role).map(|role| role_words(&role)).unwrap_or_default();
        let own: HashSet<String> =
            people.iter().flat_map(|person| person.words.iter().map(|word| word.text.clone())).collect();
        let context = profile.context.as_deref().map(|text| Context::read(text, &own)).unwrap_or_default();
        let mut emails = context.emails.clone();
        emails.extend(profile.email.as_deref().and_then(email));
        emails.sort_unstable();
        emails.dedup();
        let fields = [&profile.role, &profile.organization, &profile.email, &profile.context];
        let names = std::iter::once(&profile.name).chain(&profile.aliases).take(MOST_NAMES);
        let texts = names.chain(fields.into_iter().flatten()).map(|text| number_of(text.bytes().take(LONGEST)));
        let kind = profile.kind.map_or(0, |kind| kind as u64 + 1);
        let order = texts.fold(kind, |order, text| order.rotate_left(7) ^ text);
        Self {
            kind: profile.kind,
            people,
            things,
            employers: organization.as_deref().map(employers).unwrap_or_default(),
            employer: organization,
            role,
            emails,
            context,
            order,
        }
    }

    /// Whether both are called the same, word by word.
    pub(super) fn is_called_as(&self, other: &Self) -> bool {
        match (self.people.first(), other.people.first()) {
            (Some(one), Some(other)) => one.words == other.words,
            _ => false,
        }
    }

    /// Whether it is to be read as a person, whatever it was said to be.
    pub(super) fn is_person(&self) -> bool {
        let (Some(person), Some(thing)) = (self.people.first(), self.things.first()) else { return false };
        let named_so = person.words.len() > 1 && !thing.is_likely() && (person.has_given() || thing.may_be_person());
        match self.kind {
            // A family name may be `Church`, but three words with such a one are no name of a person.
            Some(EntityType::Person) => !(thing.is_certain() || thing.is_likely() && person.words.len() > 2),
            None | Some(EntityType::Other) => named_so,
            // What belongs to an organisation and is called like a person was given the wrong type.
            Some(_) => named_so && !self.employers.is_empty(),
        }
    }
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST_NAME * 2).collect()
}

/// The organisations that a field names; between commas may stand only a legal form.
fn employers(text: &str) -> Vec<Organization> {
    let mut found = Vec::new();
    for part in text.split([';', '|', '\n']).take(MOST_NAMES) {
        found.push(Organization::read(part));
        let pieces: Vec<&str> = part.split(',').collect();
        if pieces.len() > 1 {
            let names = pieces.into_iter().map(Organization::read);
            // `Ltd.` alone is a form that was taken for a name.
            found.extend(names.filter(|name| !name.forms.is_empty() || name.words.len() > 1).take(MOST_NAMES));
        }
    }
    found.retain(|name| !name.core.is_empty());
    found.truncate(MOST_NAMES);
    found
}

fn role_words(role: &str) -> Vec<String> {
    let plain = plainly(role);
    let words = plain.split(|letter: char| !letter.is_alphanumeric());
    let mut words: Vec<String> = words
        .filter(|word| word.len() > 1 && !matches!(*word, "the" | "of" | "and" | "at"))
        .map(str::to_owned)
        .collect();
    words.sort_unstable();
    words.dedup();
    words.truncate(MOST_NAMES);
    words
}

/// What speaks for and against two being the same, and by which table it is weighed.
pub struct Findings {
    /// People or things.
    pub model: Model,
    /// What was found.
    pub signs: Signs,
    /// How the names of two people agree.
    pub names: Option<person::Agreement>,
    /// How the names of two things agree.
    pub things: Option<organization::Agreement>,
    /// Two kinds that exclude each other.
    pub kinds_apart: bool,
    /// One of them has no name at all.
    pub nameless: bool,
    /// Both are said to be born, and not on the same day.
    pub born_apart: bool,
    /// The organisation that both have.
    pub organization: Option<String>,
}

/// Looks at two, whichever comes first.
pub fn look(a: &Prepared, b: &Prepared) -> Findings {
    let (a, b) = if a.order <= b.order { (a, b) } else { (b, a) };
    let loose = |kind: Option<EntityType>| matches!(kind, None | Some(EntityType::Other));
    let model = match (a.is_person(), b.is_person()) {
        (true, true) => Model::Person,
        (false, false) => Model::Thing,
        // What is not known to be a person is one beside a person, unless its name says otherwise.
        (true, false) | (false, true) => {
            let unsure = if a.is_person() { b } else { a };
            let thing = unsure.things.first().is_some_and(Organization::is_likely);
            if loose(unsure.kind) && !thing { Model::Person } else { Model::Thing }
        }
    };
    let kinds_apart = !loose(a.kind) && !loose(b.kind) && a.kind != b.kind && a.is_person() != b.is_person()
        || !loose(a.kind) && !loose(b.kind) && a.kind != b.kind && model == Model::Thing;
    let (names, things, mut signs) = match model {
        Model::Person => {
            let (agreement, signs) = person_names(a, b);
            (Some(agreement), None, signs)
        }
        Model::Thing => {
            let (agreement, signs) = thing_names(a, b);
            (None, Some(agreement), signs)
        }
    };
    let organization = around(a, b, &mut signs);
    let nameless = [a, b].iter().any(|one| one.things.first().is_none_or(|name| name.joined.is_empty()));
    let born_apart = born_apart(&a.context, &b.context);
    Findings { model, signs, names, things, kinds_apart, nameless, born_apart, organization }
}

impl Prepared {
    /// Whether anything but its names is known of it.
    pub(super) fn knows(&self) -> bool {
        self.context.size() > 0 || !self.employers.is_empty() || !self.role.is_empty() || !self.emails.is_empty()
    }
}

/// The two names that agree best. Other names count only where they are whole, because `Alice` is an Alice of many.
fn person_names(a: &Prepared, b: &Prepared) -> (person::Agreement, Signs) {
    let mut best: Option<(person::Agreement, Signs)> = None;
    for (i, one) in a.people.iter().enumerate() {
        for (j, other) in b.people.iter().enumerate() {
            if (i, j) != (0, 0) && !(one.is_full() && other.is_full()) {
                continue;
            }
            let agreement = person::agreement(one, other);
            let signs = person_signs(one, other, &agreement);
            // What conflicts with the name itself is not mended by another name, unless that is the very same.
            if (i, j) != (0, 0) && !agreement.identical {
                continue;
            }
            if best.as_ref().is_none_or(|(_, known)| signs.weigh(Model::Person) > known.weigh(Model::Person)) {
                best = Some((agreement, signs));
            }
        }
    }
    best.unwrap_or_else(|| {
        let nobody = Person::default();
        let agreement = person::agreement(&nobody, &nobody);
        let signs = person_signs(&nobody, &nobody, &agreement);
        (agreement, signs)
    })
}

fn person_signs(a: &Person, b: &Person, agreement: &person::Agreement) -> Signs {
    let mut signs = Signs::default();
    match agreement.family {
        Part::Equal | Part::Form => {}
        Part::Close => signs.push(Sign::FamilyClose),
        Part::Moved => signs.push(Sign::FamilyMoved),
        Part::Missing => signs.push(Sign::FamilyMissing),
        Part::Initial => signs.push(Sign::FamilyInitial),
        Part::Apart => signs.push(Sign::FamilyApart),
    }
    match agreement.given {
        Part::Equal => {}
        Part::Form => signs.push(Sign::GivenForm),
        Part::Close => signs.push(Sign::GivenClose),
        Part::Initial => signs.push(Sign::GivenInitial),
        Part::Moved => signs.push(Sign::GivenMoved),
        Part::Missing => signs.push(Sign::GivenMissing),
        Part::Apart => signs.push(Sign::GivenApart),
    }
    match agreement.middle {
        Part::Missing if a.words.len() != b.words.len() => signs.push(Sign::MiddleMissing),
        Part::Missing => {}
        Part::Apart => signs.push(Sign::MiddleApart),
        _ => signs.push(Sign::MiddleSame),
    }
    signs.push_if(Sign::Swapped, agreement.swapped && !a.certain && !b.certain);
    signs.push_if(Sign::Longer, agreement.shared > 2);
    signs.push_if(Sign::Common, a.is_common() && b.is_common());
    signs
}

fn thing_names(a: &Prepared, b: &Prepared) -> (organization::Agreement, Signs) {
    let mut best: Option<(organization::Agreement, Signs)> = None;
    for one in &a.things {
        for other in &b.things {
            let agreement = organization::agreement(one, other);
            let signs = thing_signs(&agreement);
            if best.as_ref().is_none_or(|(_, known)| signs.weigh(Model::Thing) > known.weigh(Model::Thing)) {
                best = Some((agreement, signs));
            }
        }
    }
    best.unwrap_or_default()
}

fn thing_signs(agreement: &organization::Agreement) -> Signs {
    let mut signs = Signs::default();
    signs.push_if(Sign::FormApart, agreement.forms_apart);
    if agreement.equal {
        return signs;
    }
    signs.push_if(Sign::NumberExtra, agreement.number_extra);
    if agreement.acronym {
        signs.push(Sign::NameAcronym);
        return signs;
    }
    signs.push_if(Sign::NameClose, agreement.close > 0);
    signs.push_if(Sign::NameExtra, agreement.extra > 0);
    signs.push_if(Sign::NameExtraMore, agreement.extra > 1);
    signs.push_if(Sign::NameExtraGeneric, agreement.extra_generic > 0);
    signs.push_if(Sign::NameApart, agreement.apart > 0);
    signs.push_if(Sign::NameApartMore, agreement.apart > 0 && agreement.covered < 0.5);
    signs.push_if(Sign::NameApartGeneric, agreement.apart_generic);
    signs.push_if(Sign::NameDisjoint, agreement.shared == 0);
    signs
}

/// What is known besides the names. Returns the organisation that both have.
fn around(a: &Prepared, b: &Prepared, signs: &mut Signs) -> Option<String> {
    let mut shared = None;
    if !a.employers.is_empty() && !b.employers.is_empty() {
        match tie(&a.employers, &b.employers) {
            Tie::Same => {
                signs.push(Sign::OrganizationSame);
                // The shorter way to write it.
                shared =
                    [&a.employer, &b.employer].into_iter().flatten().min_by_key(|name| (name.len(), *name)).cloned();
            }
            Tie::Close => signs.push(Sign::OrganizationClose),
            Tie::Apart => signs.push(Sign::OrganizationApart),
        }
    } else {
        // What is known of the one may name the organisation of the other.
        let named = a.employers.iter().any(|name| name.is_among(&b.context.words))
            || b.employers.iter().any(|name| name.is_among(&a.context.words));
        signs.push_if(Sign::OrganizationClose, named);
    }
    if !a.role.is_empty() && !b.role.is_empty() {
        let common = a.role.iter().filter(|word| b.role.contains(word)).count();
        signs.push_if(Sign::RoleSame, common * 2 >= a.role.len().min(b.role.len()));
        signs.push_if(Sign::RoleApart, common == 0);
    }
    if !a.emails.is_empty() && !b.emails.is_empty() {
        let same = a.emails.iter().any(|email| b.emails.contains(email));
        let domain = |email: &String| email.rsplit_once('@').map(|(_, domain)| domain.to_owned());
        let near =
            a.emails.iter().filter_map(domain).any(|one| b.emails.iter().filter_map(domain).any(|other| one == other));
        signs.push_if(Sign::EmailSame, same);
        signs.push_if(Sign::EmailApart, !same);
        signs.push_if(Sign::DomainSame, !same && near);
    }
    let Overlap {
        number,
        number_near,
        numbers_apart,
        date,
        house,
        houses_apart,
        names,
        codes,
        codes_apart,
        words,
        years,
        nothing,
    } = overlap(&a.context, &b.context);
    signs.push_if(Sign::NumberSame, number);
    signs.push_if(Sign::NumberNear, number_near);
    signs.push_if(Sign::NumberApart, numbers_apart);
    signs.push_if(Sign::DateSame, date);
    signs.push_if(Sign::HouseSame, house);
    signs.push_if(Sign::HouseApart, houses_apart);
    signs.push_by(Sign::NamesShared, names);
    signs.push_by(Sign::CodesShared, codes);
    signs.push_if(Sign::CodesApart, codes_apart);
    signs.push_by(Sign::WordsShared, words);
    // What ties two together fades: people stay with an organisation, a town, each other for some years.
    let tied = signs.has_any(&[Sign::OrganizationSame, Sign::OrganizationClose, Sign::NamesShared]);
    signs.push_by(Sign::YearsApart, if tied { years } else { 0.0 });
    signs.push_if(Sign::Known, a.context.is_record() && b.context.is_record());
    signs.push_if(Sign::NothingShared, nothing);
    shared
}

enum Tie {
    Same,
    Close,
    Apart,
}

fn tie(a: &[Organization], b: &[Organization]) -> Tie {
    let mut tie = Tie::Apart;
    for one in a {
        for other in b {
            let agreement = organization::agreement(one, other);
            let slips = agreement.close > 0 && agreement.extra == 0 && agreement.extra_generic == 0;
            if agreement.equal || agreement.acronym || agreement.apart == 0 && agreement.shared > 0 && slips {
                return Tie::Same;
            }
            if agreement.shared > 0 && !agreement.numbers_apart && (agreement.apart == 0 || agreement.covered >= 0.5) {
                tie = Tie::Close;
            }
        }
    }
    tie
}
