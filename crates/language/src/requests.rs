//! What people ask of a library besides questions about its content: greetings, overviews, comparisons. Templates of such
//! requests, by language, from `data/requests/<code>.toml`; the comments in `en.toml` say how a template is written.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::Language;

/// What a template asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestKind {
    Greeting,
    Thanks,
    /// An overview of everything.
    Library,
    /// An overview of the source that is open or was spoken of last.
    ThisSource,
    /// What a source says under a heading: `{x}` is the source, `{y}` the heading.
    Section,
    /// `{x}` beside `{y}`.
    Comparison,
    /// What came since `{x}`, or lately where there is none.
    Changes,
    /// An overview of a source: `{x}` is its title.
    Source,
    /// A person or an organization: `{x}` is the name.
    Person,
    /// Somebody or something by name: a person, an organization or a source.
    About,
}

/// The templates of one language.
#[derive(Clone, Debug)]
pub struct RequestTemplates {
    pub language: Language,
    /// Templates in the order in which they are tried: the more special first.
    pub templates: Vec<(RequestKind, String)>,
    /// What may stand before or after a request and asks for nothing.
    pub polite: Vec<String>,
}

impl RequestTemplates {
    /// The templates of every language that has some, in the order of [`Language::COMPLETE`].
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<RequestTemplates>> = LazyLock::new(|| {
            Language::COMPLETE.iter().zip(FILES).filter_map(|(language, text)| read(*language, text)).collect()
        });
        &ALL
    }
}

/// The files, in the order of [`Language::COMPLETE`].
const FILES: [&str; Language::COMPLETE.len()] = [
    include_str!("../data/requests/en.toml"),
    include_str!("../data/requests/de.toml"),
    include_str!("../data/requests/fr.toml"),
    include_str!("../data/requests/es.toml"),
    include_str!("../data/requests/it.toml"),
    include_str!("../data/requests/nl.toml"),
    include_str!("../data/requests/pt.toml"),
];

/// The lists of a file. None may be missing: a language has all of them or no file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestFile {
    polite: Vec<String>,
    greeting: Vec<String>,
    thanks: Vec<String>,
    library: Vec<String>,
    this_source: Vec<String>,
    source: Vec<String>,
    section: Vec<String>,
    comparison: Vec<String>,
    changes: Vec<String>,
    person: Vec<String>,
    about: Vec<String>,
}

fn read(language: Language, text: &str) -> Option<RequestTemplates> {
    let file: RequestFile = toml::from_str(text).ok()?;
    let lists = [
        (RequestKind::Greeting, file.greeting),
        (RequestKind::Thanks, file.thanks),
        (RequestKind::Library, file.library),
        (RequestKind::ThisSource, file.this_source),
        (RequestKind::Section, file.section),
        (RequestKind::Comparison, file.comparison),
        (RequestKind::Changes, file.changes),
        (RequestKind::Source, file.source),
        (RequestKind::Person, file.person),
        (RequestKind::About, file.about),
    ];
    let templates =
        lists.into_iter().flat_map(|(kind, list)| list.into_iter().map(move |template| (kind, template))).collect();
    Some(RequestTemplates { language, templates, polite: file.polite })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_list() {
        let read: Vec<_> = RequestTemplates::all().iter().map(|one| one.language).collect();
        assert_eq!(read, Language::COMPLETE);
        for text in FILES {
            toml::from_str::<RequestFile>(text).unwrap();
        }
    }

    #[test]
    fn templates_have_the_slots_of_their_kind() {
        for language in RequestTemplates::all() {
            for (kind, template) in &language.templates {
                let slots = (template.matches("{x}").count(), template.matches("{y}").count());
                let fits = match kind {
                    RequestKind::Greeting | RequestKind::Thanks | RequestKind::Library | RequestKind::ThisSource => {
                        slots == (0, 0)
                    }
                    RequestKind::Section | RequestKind::Comparison => slots == (1, 1),
                    RequestKind::Changes => slots.0 <= 1 && slots.1 == 0,
                    RequestKind::Source | RequestKind::Person | RequestKind::About => slots == (1, 0),
                };
                assert!(fits, "{} {kind:?}: {template}", language.language);
            }
        }
    }
}
