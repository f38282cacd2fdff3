//! Whether two names mean the same, by explicit scored rules.
//!
//! [`compare`] judges two by themselves, [`resolve`] one against all that it may be, [`blocking_keys`] says which those are. What
//! speaks for and against is a list of signs ([`match_signs`]), each with a weight that can be read in
//! `data/judge/weights.toml`; where the truth is certain a rule decides and not the sum ([`rules`]).

mod blocking_keys;
mod context;
mod match_signs;
mod name_words;
mod organization;
mod person;
mod prepared_profile;
mod resolve;
mod rules;

use ibid_domain::{EntityType, Sameness};

pub use blocking_keys::{blocking_keys, lookup_keys, normalize_name};
pub use prepared_profile::PreparedProfile;
pub use resolve::{Resolution, resolve_prepared, resolve_profile};

/// More letters of a name than this are not looked at.
const LONGEST_NAME: usize = 300;

/// Everything known about a person or thing that is to be matched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Type of the entity, if known.
    pub kind: Option<EntityType>,
    pub name: String,
    /// Other names, without `name`.
    pub aliases: Vec<String>,
    /// Role or job title of a person.
    pub role: Option<String>,
    /// Name of the organisation that the entity belongs to.
    pub organization: Option<String>,
    pub email: Option<String>,
    /// Whatever else is known, in any words.
    pub context: Option<String>,
}

/// Result of comparing two profiles.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    pub decision: Sameness,
    /// Probability from 0 to 1 that both are the same.
    pub confidence: f64,
    /// Why, in a line for a person.
    pub reason: String,
}

/// Compares two profiles by themselves; the order of the arguments does not matter.
pub fn compare(a: &Profile, b: &Profile) -> Judgement {
    PreparedProfile::new(a).compare(&PreparedProfile::new(b))
}

/// Returns the weight table and the signs observed for two profiles, for fitting the weights.
pub fn observed_signs(a: &Profile, b: &Profile) -> (&'static str, Vec<(&'static str, f64)>) {
    let findings = prepared_profile::collect_evidence(&PreparedProfile::new(a), &PreparedProfile::new(b));
    let model = match findings.model {
        match_signs::WeightTable::Person => "person",
        match_signs::WeightTable::Thing => "thing",
    };
    (model, findings.signs.iter().map(|(sign, far)| (sign.name(), far)).collect())
}
