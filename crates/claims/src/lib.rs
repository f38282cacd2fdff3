//! What a text claims, whether a passage bears a claim out, which sentences of passages answer a question,
//! and which stand for a text.
//!
//! This crate does no I/O and asks no model: texts in, verdicts and quotes out. It words nothing itself; every quote is
//! a range of the text that was given. It does not read citation markers either: the caller passes a
//! [`CitedText`](ibid_domain::cited_text::CitedText), which the grammar of citations makes.
//!
//! Start reading at [`verify`]: how a claim is compared with a passage.

pub mod answer;
pub mod claims;
pub mod intent;
pub mod leads;
mod odds;
pub mod summary;
pub mod verify;

pub use claims::{Claim, ClaimMarker, extract_claims};
