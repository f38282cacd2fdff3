//! Whether two names mean the same, by explicit scored rules.
//!
//! [`compare`] judges two by themselves, [`resolve`] one against all that it may be, [`keys`] says which those are. What
//! speaks for and against is a list of signs ([`signs`]), each with a weight that can be read in
//! `data/judge/weights.toml`; where the truth is certain a rule decides and not the sum ([`rules`]).

mod context;
mod keys;
mod organization;
mod person;
mod prepared;
mod resolve;
mod rules;
mod signs;
mod words;

use ibid_domain::{EntityType, Sameness};

pub use keys::{keys, normalized, sought};
pub use prepared::Prepared;
pub use resolve::{Resolution, resolve, resolve_prepared};

/// More letters of a name than this are not looked at.
const LONGEST_NAME: usize = 300;

/// What is known of somebody or something.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// What it is, where that is known.
    pub kind: Option<EntityType>,
    /// Its name.
    pub name: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// What it is there for.
    pub role: Option<String>,
    /// Whom it belongs to.
    pub organization: Option<String>,
    /// Where mail reaches it.
    pub email: Option<String>,
    /// Whatever else is known, in any words.
    pub context: Option<String>,
}

/// What was decided of two.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Whether they are the same.
    pub decision: Sameness,
    /// How likely it is that they are the same, from 0 to 1.
    pub confidence: f64,
    /// Why, in a line for a person.
    pub reason: String,
}

/// Whether two are the same, by themselves; it does not matter which comes first.
pub fn compare(a: &Profile, b: &Profile) -> Judgement {
    Prepared::new(a).compare(&Prepared::new(b))
}

/// What was seen of two, by name and how far it holds, for whoever fits the weights.
pub fn evidence(a: &Profile, b: &Profile) -> (&'static str, Vec<(&'static str, f64)>) {
    let findings = prepared::look(&Prepared::new(a), &Prepared::new(b));
    let model = match findings.model {
        signs::Model::Person => "person",
        signs::Model::Thing => "thing",
    };
    (model, findings.signs.iter().map(|(sign, far)| (sign.name(), far)).collect())
}
