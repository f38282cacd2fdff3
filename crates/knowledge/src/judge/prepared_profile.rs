//! A profile, read once, so that it can be compared often.

use std::collections::HashSet;

use ibid_domain::EntityType;

use super::context::{ContextOverlap, LONGEST, ProfileContext, born_apart, compare_contexts, parse_email};
use super::match_signs::{MatchSigns, Sign, WeightTable};
use super::name_words::{number_of, to_plain_letters};
use super::organization::{self, OrganizationName};
use super::person::{self, PartAgreement, PersonName};
use super::{LONGEST_NAME, Profile};

/// More other names than this are not looked at.
const MOST_NAMES: usize = 10;

/// Profile with its names and context parsed, ready for many comparisons.
#[derive(Clone, Debug, Default)]
pub struct PreparedProfile {
    pub(super) kind: Option<EntityType>,
    pub(super) people: Vec<PersonName>,
    pub(super) things: Vec<OrganizationName>,
    pub(super) employers: Vec<OrganizationName>,
    pub(super) employer: Option<String>,
    pub(super) role: Vec<String>,
    pub(super) emails: Vec<String>,
    pub(super) context: ProfileContext,
    /// By which of two is first, so that it does not matter in which order they come.
    pub(super) order: u64,
}

impl PreparedProfile {
    /// Parses the names, fields and context of a profile.
    pub fn new(profile: &Profile) -> Self {
        let names = std::iter::once(&profile.name).chain(&profile.aliases).take(MOST_NAMES);
        let people: Vec<PersonName> = names.clone().map(|name| PersonName::read(name)).collect();
        let things: Vec<OrganizationName> = names.map(|name| OrganizationName::read(name)).collect();
        let given = |field: &Option<String>| {
            field.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(truncate_field)
        };
        let organization = given(&profile.organization);
        let role = given(&profile.role).map(|role| role_words(&role)).unwrap_or_default();
        let own: HashSet<String> =
            people.iter().flat_map(|person| person.words.iter().map(|word| word.text.clone())).collect();
        let context = profile.context.as_deref().map(|text| ProfileContext::read(text, &own)).unwrap_or_default();
        let mut emails = context.emails.clone();
        emails.extend(profile.email.as_deref().and_then(parse_email));
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
            employers: organization.as_deref().map(parse_employers).unwrap_or_default(),
            employer: organization,
            role,
            emails,
            context,
            order,
        }
    }

    /// Returns true if the main names have the same words.
    pub(super) fn is_called_as(&self, other: &Self) -> bool {
        match (self.people.first(), other.people.first()) {
            (Some(one), Some(other)) => one.words == other.words,
            _ => false,
        }
    }

    /// Returns true if the profile is compared as a person, whatever its stated type.
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

fn truncate_field(text: &str) -> String {
    text.chars().take(LONGEST_NAME * 2).collect()
}

/// The organisations that a field names; between commas may stand only a legal form.
fn parse_employers(text: &str) -> Vec<OrganizationName> {
    let mut found = Vec::new();
    for part in text.split([';', '|', '\n']).take(MOST_NAMES) {
        found.push(OrganizationName::read(part));
        let pieces: Vec<&str> = part.split(',').collect();
        if pieces.len() > 1 {
            let names = pieces.into_iter().map(OrganizationName::read);
            // `Ltd.` alone is a form that was taken for a name.
            found.extend(names.filter(|name| !name.forms.is_empty() || name.words.len() > 1).take(MOST_NAMES));
        }
    }
    found.retain(|name| !name.core.is_empty());
    found.truncate(MOST_NAMES);
    found
}

fn role_words(role: &str) -> Vec<String> {
    let plain = to_plain_letters(role);
    let words = plain.split(|letter: char| !letter.is_alphanumeric());
    let mut words: Vec<String> =
        words.filter(|word| word.len() > 1 && !person::is_role_filler(word)).map(str::to_owned).collect();
    words.sort_unstable();
    words.dedup();
    words.truncate(MOST_NAMES);
    words
}

/// Signs for and against a match of two profiles, with the weight table to use.
pub struct MatchEvidence {
    /// Table that the signs are weighed by.
    pub model: WeightTable,
    /// Signs observed for the two profiles.
    pub signs: MatchSigns,
    /// Agreement of two names of people; `None` for things.
    pub names: Option<person::PersonAgreement>,
    /// Agreement of two names of things; `None` for people.
    pub things: Option<organization::OrganizationAgreement>,
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
pub fn collect_evidence(a: &PreparedProfile, b: &PreparedProfile) -> MatchEvidence {
    let (a, b) = if a.order <= b.order { (a, b) } else { (b, a) };
    let loose = |kind: Option<EntityType>| matches!(kind, None | Some(EntityType::Other));
    let model = match (a.is_person(), b.is_person()) {
        (true, true) => WeightTable::Person,
        (false, false) => WeightTable::Thing,
        // What is not known to be a person is one beside a person, unless its name says otherwise.
        (true, false) | (false, true) => {
            let unsure = if a.is_person() { b } else { a };
            let thing = unsure.things.first().is_some_and(OrganizationName::is_likely);
            if loose(unsure.kind) && !thing { WeightTable::Person } else { WeightTable::Thing }
        }
    };
    let kinds_apart = !loose(a.kind) && !loose(b.kind) && a.kind != b.kind && a.is_person() != b.is_person()
        || !loose(a.kind) && !loose(b.kind) && a.kind != b.kind && model == WeightTable::Thing;
    let (names, things, mut signs) = match model {
        WeightTable::Person => {
            let (agreement, signs) = person_names(a, b);
            (Some(agreement), None, signs)
        }
        WeightTable::Thing => {
            let (agreement, signs) = thing_names(a, b);
            (None, Some(agreement), signs)
        }
    };
    let organization = compare_details(a, b, &mut signs);
    let nameless = [a, b].iter().any(|one| one.things.first().is_none_or(|name| name.joined.is_empty()));
    let born_apart = born_apart(&a.context, &b.context);
    MatchEvidence { model, signs, names, things, kinds_apart, nameless, born_apart, organization }
}

impl PreparedProfile {
    /// Returns true if the profile has facts besides its names.
    pub(super) fn has_details(&self) -> bool {
        self.context.item_count() > 0 || !self.employers.is_empty() || !self.role.is_empty() || !self.emails.is_empty()
    }
}

/// The two names that agree best. Other names count only where they are whole, because `Alice` is an Alice of many.
fn person_names(a: &PreparedProfile, b: &PreparedProfile) -> (person::PersonAgreement, MatchSigns) {
    let mut best: Option<(person::PersonAgreement, MatchSigns)> = None;
    for (i, one) in a.people.iter().enumerate() {
        for (j, other) in b.people.iter().enumerate() {
            if (i, j) != (0, 0) && !(one.is_full() && other.is_full()) {
                continue;
            }
            let agreement = person::compare_names(one, other);
            let signs = person_signs(one, other, &agreement);
            // What conflicts with the name itself is not mended by another name, unless that is the very same.
            if (i, j) != (0, 0) && !agreement.identical {
                continue;
            }
            if best.as_ref().is_none_or(|(_, known)| {
                signs.total_weight(WeightTable::Person) > known.total_weight(WeightTable::Person)
            }) {
                best = Some((agreement, signs));
            }
        }
    }
    best.unwrap_or_else(|| {
        let nobody = PersonName::default();
        let agreement = person::compare_names(&nobody, &nobody);
        let signs = person_signs(&nobody, &nobody, &agreement);
        (agreement, signs)
    })
}

fn person_signs(a: &PersonName, b: &PersonName, agreement: &person::PersonAgreement) -> MatchSigns {
    let mut signs = MatchSigns::default();
    match agreement.family {
        PartAgreement::Equal | PartAgreement::Form => {}
        PartAgreement::Close => signs.push(Sign::FamilyClose),
        PartAgreement::Moved => signs.push(Sign::FamilyMoved),
        PartAgreement::Missing => signs.push(Sign::FamilyMissing),
        PartAgreement::Initial => signs.push(Sign::FamilyInitial),
        PartAgreement::Apart => signs.push(Sign::FamilyApart),
    }
    match agreement.given {
        PartAgreement::Equal => {}
        PartAgreement::Form => signs.push(Sign::GivenForm),
        PartAgreement::Close => signs.push(Sign::GivenClose),
        PartAgreement::Initial => signs.push(Sign::GivenInitial),
        PartAgreement::Moved => signs.push(Sign::GivenMoved),
        PartAgreement::Missing => signs.push(Sign::GivenMissing),
        PartAgreement::Apart => signs.push(Sign::GivenApart),
    }
    match agreement.middle {
        PartAgreement::Missing if a.words.len() != b.words.len() => signs.push(Sign::MiddleMissing),
        PartAgreement::Missing => {}
        PartAgreement::Apart => signs.push(Sign::MiddleApart),
        _ => signs.push(Sign::MiddleSame),
    }
    signs.push_if(Sign::Swapped, agreement.swapped && !a.certain && !b.certain);
    signs.push_if(Sign::Longer, agreement.shared > 2);
    signs.push_if(Sign::Common, a.is_common() && b.is_common());
    signs
}

fn thing_names(a: &PreparedProfile, b: &PreparedProfile) -> (organization::OrganizationAgreement, MatchSigns) {
    let mut best: Option<(organization::OrganizationAgreement, MatchSigns)> = None;
    for one in &a.things {
        for other in &b.things {
            let agreement = organization::compare_names(one, other);
            let signs = thing_signs(&agreement);
            if best.as_ref().is_none_or(|(_, known)| {
                signs.total_weight(WeightTable::Thing) > known.total_weight(WeightTable::Thing)
            }) {
                best = Some((agreement, signs));
            }
        }
    }
    best.unwrap_or_default()
}

fn thing_signs(agreement: &organization::OrganizationAgreement) -> MatchSigns {
    let mut signs = MatchSigns::default();
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

/// Compares everything besides the names and returns the organisation that both share.
fn compare_details(a: &PreparedProfile, b: &PreparedProfile, signs: &mut MatchSigns) -> Option<String> {
    let mut shared = None;
    if !a.employers.is_empty() && !b.employers.is_empty() {
        match employer_tie(&a.employers, &b.employers) {
            EmployerTie::Same => {
                signs.push(Sign::OrganizationSame);
                // The shorter way to write it.
                shared =
                    [&a.employer, &b.employer].into_iter().flatten().min_by_key(|name| (name.len(), *name)).cloned();
            }
            EmployerTie::Close => signs.push(Sign::OrganizationClose),
            EmployerTie::Apart => signs.push(Sign::OrganizationApart),
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
    let ContextOverlap {
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
    } = compare_contexts(&a.context, &b.context);
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

enum EmployerTie {
    Same,
    Close,
    Apart,
}

fn employer_tie(a: &[OrganizationName], b: &[OrganizationName]) -> EmployerTie {
    let mut tie = EmployerTie::Apart;
    for one in a {
        for other in b {
            let agreement = organization::compare_names(one, other);
            let slips = agreement.close > 0 && agreement.extra == 0 && agreement.extra_generic == 0;
            if agreement.equal || agreement.acronym || agreement.apart == 0 && agreement.shared > 0 && slips {
                return EmployerTie::Same;
            }
            if agreement.shared > 0 && !agreement.numbers_apart && (agreement.apart == 0 || agreement.covered >= 0.5) {
                tie = EmployerTie::Close;
            }
        }
    }
    tie
}
