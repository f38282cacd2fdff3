//! What a bibliography needs to know about a source: who wrote it, when, and where it appeared.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Code, Problem, text::single_line};

/// A person or organisation that made something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Name {
    /// As it was written, where its parts are not known.
    Whole(String),
    /// A name split into family and given names.
    Parts {
        /// The name it is sorted under.
        family: String,
        /// Given names and initials, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        given: Option<String>,
    },
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(name) | Self::Parts { family: name, given: None } => f.write_str(name),
            Self::Parts { family, given: Some(given) } => write!(f, "{given} {family}"),
        }
    }
}

/// A day, a month or a year of our calendar: `2024-05-01`, `2024-05`, `2024`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartialDate {
    year: i16,
    month: Option<i8>,
    day: Option<i8>,
}

impl PartialDate {
    /// The date, if the calendar has it.
    pub fn new(year: i16, month: Option<i8>, day: Option<i8>) -> Option<Self> {
        if !(1..=9999).contains(&year) || (day.is_some() && month.is_none()) {
            return None;
        }
        jiff::civil::Date::new(year, month.unwrap_or(1), day.unwrap_or(1)).ok()?;
        Some(Self { year, month, day })
    }

    /// Returns the year of the proleptic Gregorian calendar.
    pub const fn year(self) -> i16 {
        self.year
    }

    /// The month, where it is known.
    pub const fn month(self) -> Option<i8> {
        self.month
    }

    /// The day, where it is known.
    pub const fn day(self) -> Option<i8> {
        self.day
    }

    /// Returns midnight UTC of the first day of the date.
    pub fn start_timestamp(self) -> Option<crate::Timestamp> {
        crate::Timestamp::parse_rfc3339(&format!(
            "{:04}-{:02}-{:02}T00:00:00Z",
            self.year,
            self.month.unwrap_or(1),
            self.day.unwrap_or(1)
        ))
    }
}

impl fmt::Display for PartialDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        if let Some(month) = self.month {
            write!(f, "-{month:02}")?;
        }
        if let Some(day) = self.day {
            write!(f, "-{day:02}")?;
        }
        Ok(())
    }
}

impl FromStr for PartialDate {
    type Err = Problem;

    /// Also takes a time of RFC 3339 and keeps its day.
    fn from_str(text: &str) -> Result<Self, Problem> {
        let wrong = || {
            let shown: String = text.chars().take(80).collect();
            Problem::new(
                Code::InvalidField,
                format!("'{shown}' is not a date; write it as 2024-05-01, 2024-05 or 2024"),
            )
            .with_field("publication_date")
        };
        let day = text.trim();
        let day = day.split_once(['T', ' ']).map_or(day, |(day, _)| day);
        let mut parts = day.split('-');
        let year =
            parts.next().filter(|year| is_digits(year, 4)).and_then(|year| year.parse().ok()).ok_or_else(wrong)?;
        let mut small = || match parts.next() {
            None => Ok(None),
            Some(part) if is_digits(part, 2) => part.parse().map(Some).map_err(|_| wrong()),
            Some(_) => Err(wrong()),
        };
        let (month, day) = (small()?, small()?);
        if parts.next().is_some() {
            return Err(wrong());
        }
        Self::new(year, month, day).ok_or_else(wrong)
    }
}

fn is_digits(text: &str, count: usize) -> bool {
    text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl Serialize for PartialDate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PartialDate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|problem: Problem| serde::de::Error::custom(problem.detail))
    }
}

macro_rules! reference {
    ($($(#[$doc:meta])* $field:ident,)*) => {
        /// The fields of a bibliography entry. Nothing is required: a page on the web may tell none of it.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Reference {
            /// Who wrote it, in the order given.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub authors: Vec<Name>,
            /// Who edited it.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub editors: Vec<Name>,
            /// When it appeared.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub publication_date: Option<PartialDate>,
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<String>,)*
        }

        impl Reference {
            /// What this one does not know, taken from `other`.
            pub fn filled_from(mut self, other: Self) -> Self {
                if self.authors.is_empty() {
                    self.authors = other.authors;
                }
                if self.editors.is_empty() {
                    self.editors = other.editors;
                }
                self.publication_date = self.publication_date.or(other.publication_date);
                $(self.$field = self.$field.or(other.$field);)*
                self
            }

            /// The names of all fields.
            pub const FIELDS: &[&'static str] = &["authors", "editors", "publication_date", $(stringify!($field)),*];

            /// Takes blank space from around the texts, and forgets those that are only that.
            pub fn tidy(&mut self) {
                $(self.$field = self.$field.take().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());)*
            }

            /// Makes what came from outside fit to be kept: each text one line of bounded length, few names.
            pub fn bound(&mut self) {
                const TEXT: usize = 1000;
                const LONG_TEXT: usize = 5000;
                const NAMES: usize = 200;
                for names in [&mut self.authors, &mut self.editors] {
                    names.truncate(NAMES);
                    for name in names.iter_mut() {
                        match name {
                            Name::Whole(name) => *name = single_line(name, TEXT),
                            Name::Parts { family, given } => {
                                *family = single_line(family, TEXT);
                                *given = given.take().map(|given| single_line(&given, TEXT));
                            }
                        }
                    }
                    names.retain(|name| !name.to_string().trim().is_empty());
                }
                $(
                    let most = if matches!(stringify!($field), "summary" | "note") { LONG_TEXT } else { TEXT };
                    self.$field = self.$field.take().map(|text| single_line(&text, most)).filter(|text| !text.is_empty());
                )*
            }

            /// Takes one field over from `other`.
            pub fn copy_field(&mut self, name: &str, other: &Self) {
                match name {
                    "authors" => self.authors.clone_from(&other.authors),
                    "editors" => self.editors.clone_from(&other.editors),
                    "publication_date" => self.publication_date = other.publication_date,
                    $(stringify!($field) => self.$field.clone_from(&other.$field),)*
                    _ => {}
                }
            }

            /// Forgets one field.
            pub fn clear_field(&mut self, name: &str) {
                self.copy_field(name, &Self::default());
            }

            /// The plain text fields by name.
            pub fn texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
                [$((stringify!($field), self.$field.as_deref())),*]
                    .into_iter()
                    .filter_map(|(name, text)| Some((name, text?)))
            }
        }
    };
}

reference! {
    /// What it is called.
    title,
    /// What kind of work it is, in the words of CSL: `book`, `article-journal`, `webpage` …
    genre,
    /// The journal, book, series or site it appeared in.
    container,
    /// Who published it.
    publisher,
    /// Where it was published.
    publisher_place,
    /// The volume of its container.
    volume,
    /// The issue of its container.
    issue,
    /// Its pages in its container, as in `12-34`.
    pages,
    /// Which edition it is.
    edition,
    /// Its Digital Object Identifier, without a resolver's address.
    doi,
    /// Its International Standard Book Number.
    isbn,
    /// The International Standard Serial Number of its container.
    issn,
    /// Its language, as a BCP 47 tag.
    language,
    /// What it says it is about, in a few sentences.
    summary,
    /// What a person wrote about it.
    note,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_as_exact_as_they_are_known() {
        for text in ["2024", "2024-05", "2024-02-29", "0987-01-02"] {
            assert_eq!(text.parse::<PartialDate>().unwrap().to_string(), text);
        }
        assert_eq!("2024-05-01T10:00:00Z".parse::<PartialDate>().unwrap().to_string(), "2024-05-01");
        for text in ["", "24", "2023-02-29", "2024-13", "2024-5", "2024-05-01-02", "May 2024", "+2024", "2024-+5"] {
            assert!(text.parse::<PartialDate>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_name_reads_as_it_is_spoken() {
        let name: Name = serde_json::from_str(r#"{"family":"Lovelace","given":"Ada"}"#).unwrap();
        assert_eq!(name.to_string(), "Ada Lovelace");
        assert_eq!(serde_json::from_str::<Name>(r#""WHO""#).unwrap(), Name::Whole("WHO".to_owned()));
    }
}
