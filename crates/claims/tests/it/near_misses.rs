//! Questions that a small library nearly answers. The tests of the server read them too.

use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct NearMisses {
    pub source: Vec<NearSource>,
    pub question: Vec<NearQuestions>,
}

#[derive(Deserialize)]
pub(crate) struct NearSource {
    pub title: String,
    pub text: String,
}

/// Questions of one kind: without an answer, each close to something that a source says, and with one and words of it.
#[derive(Deserialize)]
pub(crate) struct NearQuestions {
    pub kind: String,
    pub none: Vec<String>,
    pub found: Vec<[String; 2]>,
}

pub(crate) fn near_misses() -> NearMisses {
    toml::from_str(include_str!("cases/near_misses.toml")).unwrap()
}
