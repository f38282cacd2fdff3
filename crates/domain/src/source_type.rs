//! The twelve types of a source.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Code, Problem};

macro_rules! source_types {
    ($($(#[$doc:meta])* $variant:ident = $name:literal | $other:literal;)*) => {
        /// What kind of thing can be cited. `entity_type` on the wire.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SourceType {
            $($(#[$doc])* $variant,)*
        }

        impl SourceType {
            /// All twelve, in the order of the specification.
            pub const ALL: [Self; 12] = [$(Self::$variant),*];

            /// The canonical spelling.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The other spelling that is understood.
            pub const fn other_spelling(self) -> &'static str {
                match self { $(Self::$variant => $other,)* }
            }
        }
    };
}

source_types! {
    /// A page found on the web.
    WebPage = "WEB_PAGE" | "WEB_SOURCE";
    /// What an external tool or service returned.
    ExternalApiData = "EXTERNAL_API_DATA" | "API_DATA";
    /// Prose or data that a model wrote.
    GeneratedContent = "GENERATED_CONTENT" | "GENERATED_CONTENT";
    /// Part of what a user said or uploaded.
    UserQueryPart = "USER_QUERY_PART" | "USER_INPUT";
    /// A report that was generated.
    GeneratedReport = "GENERATED_REPORT" | "REPORT";
    /// Slides that were generated.
    GeneratedPresentation = "GENERATED_PRESENTATION" | "SLIDES";
    /// A hit of a search within another source.
    IntraEntitySearchResult = "INTRA_ENTITY_SEARCH_RESULT" | "SEARCH_RESULT";
    /// Structured data taken out of raw content.
    ExtractedEntity = "EXTRACTED_ENTITY" | "EXTRACTED_DATA";
    /// A plan of research.
    SearchPlan = "SEARCH_PLAN" | "PLAN";
    /// A document of the library.
    KnowledgeBase = "KNOWLEDGE_BASE" | "KNOWLEDGE";
    /// A website that was generated.
    Website = "WEBSITE" | "WEBSITE";
    /// A document that was generated.
    GeneratedDocument = "GENERATED_DOCUMENT" | "DOCUMENT";
}

impl FromStr for SourceType {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        // Seed documents also shorten this one; it is the same type.
        if text == "INTRA_ENTITY_SEARCH" {
            return Ok(Self::IntraEntitySearchResult);
        }
        Self::ALL.into_iter().find(|kind| kind.as_str() == text || kind.other_spelling() == text).ok_or_else(|| {
            let shown: String = text.chars().take(80).collect();
            let legal: Vec<_> = Self::ALL.iter().map(|kind| kind.as_str()).collect();
            Problem::new(
                Code::EntityTypeUnknown,
                format!("'{shown}' is not a source type; the types are {}", legal.join(", ")),
            )
            .with_field("entity_type")
        })
    }
}

impl fmt::Display for SourceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for SourceType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for SourceType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|problem: Problem| serde::de::Error::custom(problem.detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_give_the_canonical_one() {
        for kind in SourceType::ALL {
            assert_eq!(kind.as_str().parse::<SourceType>().unwrap(), kind);
            assert_eq!(kind.other_spelling().parse::<SourceType>().unwrap(), kind);
        }
        assert_eq!("WEB_SOURCE".parse::<SourceType>().unwrap().as_str(), "WEB_PAGE");
        let problem = "web_page".parse::<SourceType>().unwrap_err();
        assert_eq!(problem.code, Code::EntityTypeUnknown);
        assert!(problem.detail.contains("GENERATED_DOCUMENT"));
    }
}
