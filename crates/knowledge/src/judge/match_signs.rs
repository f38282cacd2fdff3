//! What speaks for and against two being the same, and how much each weighs.

use std::collections::HashMap;
use std::sync::LazyLock;

macro_rules! signs {
    ($($sign:ident = $name:literal, $words:literal;)*) => {
        /// Something that speaks for or against two being the same.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Sign { $(#[doc = $words] $sign),* }

        impl Sign {
            /// Every sign.
            pub const ALL: &[Self] = &[$(Self::$sign),*];

            /// As the table of weights calls it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$sign => $name),* }
            }

            /// As a person is told it.
            pub fn words(self) -> &'static str {
                match self { $(Self::$sign => $words),* }
            }
        }
    };
}

signs! {
    FamilyClose = "family_close", "nearly the same family name";
    FamilyMoved = "family_moved", "a family name that is elsewhere in the other name";
    FamilyMissing = "family_missing", "no family name on one side";
    FamilyInitial = "family_initial", "only the first letter of a family name";
    FamilyApart = "family_apart", "another family name";
    GivenForm = "given_form", "another form of the given name";
    GivenClose = "given_close", "nearly the same given name";
    GivenInitial = "given_initial", "the given name's first letter agrees";
    GivenMoved = "given_moved", "the given name is one of the other's further names";
    GivenMissing = "given_missing", "no given name on one side";
    GivenApart = "given_apart", "another given name";
    MiddleSame = "middle_same", "the middle names agree";
    MiddleMissing = "middle_missing", "a middle name on one side only";
    MiddleApart = "middle_apart", "another middle name";
    Swapped = "swapped", "the names in another order";
    Longer = "longer", "three names or more agree";
    Common = "common", "a name of very many people";
    NameClose = "name_close", "nearly the same words";
    NameAcronym = "name_acronym", "one is the other's first letters";
    NameExtra = "name_extra", "one name says more";
    NameExtraMore = "name_extra_more", "one name says much more";
    NameExtraGeneric = "name_extra_generic", "one name has a general word more";
    NameApart = "name_apart", "each name has words of its own";
    NameApartMore = "name_apart_more", "the names have little in common";
    NameApartGeneric = "name_apart_generic", "each name has general words of its own";
    NameDisjoint = "name_disjoint", "the names have no telling word in common";
    NumberExtra = "number_extra", "one name has a number";
    FormApart = "form_apart", "another legal form";
    OrganizationSame = "organization_same", "same organisation";
    OrganizationClose = "organization_close", "related organisations";
    OrganizationApart = "organization_apart", "different organisations";
    RoleSame = "role_same", "same role";
    RoleApart = "role_apart", "different roles";
    EmailSame = "email_same", "same e-mail address";
    DomainSame = "domain_same", "e-mail at the same domain";
    EmailApart = "email_apart", "different e-mail addresses";
    NumberSame = "number_same", "same number";
    NumberNear = "number_near", "nearly the same number";
    NumberApart = "number_apart", "different numbers";
    DateSame = "date_same", "same date";
    HouseSame = "house_same", "same house in the same street";
    HouseApart = "house_apart", "different addresses";
    NamesShared = "names_shared", "the same people or places around them";
    CodesShared = "codes_shared", "the same subjects";
    CodesApart = "codes_apart", "different subjects";
    WordsShared = "words_shared", "the same words around them";
    YearsApart = "years_apart", "years between them";
    Known = "known", "so much is known of both that more should agree";
    NothingShared = "nothing_shared", "nothing else in common";
}

/// Table of weights for the signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightTable {
    /// Weights for comparing people.
    Person,
    /// Organisations and everything else.
    Thing,
}

struct SignWeights {
    base: f64,
    of: Vec<f64>,
}

static WEIGHTS: LazyLock<[SignWeights; 2]> = LazyLock::new(|| {
    let tables: HashMap<String, HashMap<String, f64>> =
        toml::from_str(include_str!("../../data/judge/weights.toml")).unwrap_or_default();
    ["person", "thing"].map(|name| {
        let weight = |sign: &str| tables.get(name).and_then(|table| table.get(sign)).copied().unwrap_or_default();
        SignWeights { base: weight("base"), of: Sign::ALL.iter().map(|sign| weight(sign.name())).collect() }
    })
});

/// Signs, each with how far it holds, from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchSigns(Vec<(Sign, f64)>);

impl MatchSigns {
    /// Adds a sign that fully holds.
    pub fn push(&mut self, sign: Sign) {
        self.0.push((sign, 1.0));
    }

    /// Takes up a sign as far as it holds.
    pub fn push_by(&mut self, sign: Sign, far: f64) {
        if far > 0.0 {
            self.0.push((sign, far));
        }
    }

    /// Takes up a sign if it holds.
    pub fn push_if(&mut self, sign: Sign, holds: bool) {
        self.push_by(sign, f64::from(u8::from(holds)));
    }

    /// Returns true if the sign was observed.
    pub fn has(&self, sign: Sign) -> bool {
        self.0.iter().any(|(other, _)| *other == sign)
    }

    /// Returns true if any of the signs was observed.
    pub fn has_any(&self, signs: &[Sign]) -> bool {
        signs.iter().any(|sign| self.has(*sign))
    }

    /// Each sign with how far it holds.
    pub fn iter(&self) -> impl Iterator<Item = (Sign, f64)> + '_ {
        self.0.iter().copied()
    }

    /// Returns the weight of a sign, scaled by `far`; a negative weight speaks against a match.
    pub fn sign_weight(model: WeightTable, sign: Sign, far: f64) -> f64 {
        far * WEIGHTS[model as usize].of.get(sign as usize).copied().unwrap_or_default()
    }

    /// All of them, weighed: above 0 speaks for the same.
    pub fn total_weight(&self, model: WeightTable) -> f64 {
        WEIGHTS[model as usize].base + self.iter().map(|(sign, far)| Self::sign_weight(model, sign, far)).sum::<f64>()
    }

    /// Returns the probability from 0 to 1 that both are the same.
    pub fn match_probability(&self, model: WeightTable) -> f64 {
        1.0 / (1.0 + (-self.total_weight(model)).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_is_one_of_a_sign() {
        let text = include_str!("../../data/judge/weights.toml");
        let tables: HashMap<String, HashMap<String, f64>> = toml::from_str(text).expect("a table of weights");
        assert_eq!(tables.len(), 2);
        for (name, table) in &tables {
            for (sign, weight) in table {
                assert!(sign == "base" || Sign::ALL.iter().any(|known| known.name() == sign), "{name}: {sign}");
                assert!((-9.0..=9.0).contains(weight), "{name}: {sign} = {weight}");
            }
        }
        assert!(WEIGHTS.iter().all(|weights| weights.base > 0.0));
    }
}
