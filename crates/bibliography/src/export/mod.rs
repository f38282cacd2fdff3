//! Items as files that reference managers and LaTeX read: BibTeX, RIS, CSL-JSON.
//!
//! Nothing is refused here: a value that is not what CSL-JSON has in its place is left out, and what an item does not
//! say is absent from the file. [`reference_fields`] reads items for all three; [`citation_key`] names them.

mod bibtex;
mod citation_key;
mod csl;
mod fields;
mod latex;
mod ris;

use std::str::FromStr;

use ibid_domain::{Code, Problem, problem::shorten_for_error};
use serde_json::Value;

use fields::CslFields;

/// A format of references that other programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReferenceFormat {
    /// BibTeX, with the fields and types of BibLaTeX where BibTeX has none.
    BibTex,
    /// RIS: lines such as `TY  - JOUR`.
    Ris,
    /// CSL-JSON, a list of items in one file.
    CslJson,
}

impl ReferenceFormat {
    /// All formats, in the order they are offered.
    pub const ALL: &[Self] = &[Self::BibTex, Self::Ris, Self::CslJson];

    /// Returns the name used in API requests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BibTex => "bibtex",
            Self::Ris => "ris",
            Self::CslJson => "csl_json",
        }
    }

    /// Returns the media type for HTTP responses.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::BibTex => "application/x-bibtex",
            Self::Ris => "application/x-research-info-systems",
            Self::CslJson => "application/vnd.citationstyles.csl+json",
        }
    }

    /// Returns the file name extension, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::BibTex => "bib",
            Self::Ris => "ris",
            Self::CslJson => "json",
        }
    }
}

impl FromStr for ReferenceFormat {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        Self::ALL.iter().copied().find(|format| format.as_str() == text).ok_or_else(|| {
            let detail =
                format!("'{}' is not a format of references; it is bibtex, ris or csl_json", shorten_for_error(text));
            Problem::new(Code::InvalidField, detail).with_field("format")
        })
    }
}

/// The items of CSL-JSON as a file in the format, in their order. What is no object is left out.
pub fn export(items: &[Value], format: ReferenceFormat) -> String {
    let items: Vec<CslFields<'_>> = items.iter().filter_map(CslFields::from_value).collect();
    let keys = citation_key::citation_keys(&items);
    match format {
        ReferenceFormat::BibTex => bibtex::write(&items, &keys),
        ReferenceFormat::Ris => ris::write(&items, &keys),
        ReferenceFormat::CslJson => csl::write(&items, &keys),
    }
}
