//! Styles: those that come with the crate, and those of users.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock},
};

use hayagriva::{
    archive::ArchivedStyle,
    citationberg::{
        self as csl, CitationFormat, IndependentStyle, LayoutRenderingElement as Element, NamesChild,
        Style as AnyStyle, StyleCategory, StyleClass, TextTarget,
        taxonomy::{StandardVariable, Variable},
    },
};
use ibid_domain::{Code, Problem};

use crate::{corrections::StyleManual, text_case::LargeWordLength};

/// The largest style of a user, in bytes.
pub const LARGEST_STYLE: usize = 1024 * 1024;

/// Citation system of a style.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StyleKind {
    /// Citations in footnotes or endnotes.
    Note,
    /// By author and date, or author and page, in the text.
    AuthorDate,
    /// Citations by number, such as `[1]`.
    Numeric,
    /// By a label made of the name and the year.
    Label,
}

impl StyleKind {
    /// All citation systems.
    pub const ALL: [Self; 4] = [Self::AuthorDate, Self::Numeric, Self::Note, Self::Label];

    /// Returns the name used in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::AuthorDate => "author_date",
            Self::Numeric => "numeric",
            Self::Label => "label",
        }
    }
}

/// A style that comes with the crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyleInfo {
    /// Id used in requests, such as `american-psychological-association`.
    pub id: &'static str,
    /// Title of the style for display.
    pub title: &'static str,
    pub kind: StyleKind,
    /// Other names it is known by.
    pub aliases: Vec<&'static str>,
}

/// Short names, and what they mean.
const ALIASES: [(&str, &str); 34] = [
    ("acm", "association-for-computing-machinery"),
    ("acs", "american-chemical-society"),
    ("ama", "american-medical-association"),
    ("apa", "american-psychological-association"),
    ("apa-7", "american-psychological-association"),
    ("apa7", "american-psychological-association"),
    ("apsa", "american-political-science-association"),
    ("asa", "american-sociological-association"),
    ("asce", "american-society-of-civil-engineers"),
    ("asme", "american-society-of-mechanical-engineers"),
    ("chicago", "chicago-notes"),
    ("chicago-notes-bibliography", "chicago-notes"),
    ("chicago-note-bibliography", "chicago-notes"),
    ("chicago-fullnote-bibliography", "chicago-notes"),
    ("chicago-18", "chicago-notes"),
    ("cse", "cse-name-year"),
    ("gb7714", "gb-7714-2015-numeric"),
    ("gost", "gost-r-705-2008-numeric"),
    ("harvard", "harvard-cite-them-right"),
    ("harvard1", "harvard-cite-them-right"),
    ("ieee", "institute-of-electrical-and-electronics-engineers"),
    ("iso-690", "iso-690-author-date"),
    ("lncs", "springer-lecture-notes-in-computer-science"),
    ("mhra", "modern-humanities-research-association-notes"),
    ("mla", "modern-language-association"),
    ("mla-9", "modern-language-association"),
    ("mla9", "modern-language-association"),
    ("mla-8", "modern-language-association-8"),
    ("mdpi", "multidisciplinary-digital-publishing-institute"),
    ("nlm", "nlm-citation-sequence"),
    ("plos", "public-library-of-science"),
    ("rsc", "royal-society-of-chemistry"),
    ("turabian", "turabian-fullnote-8"),
    ("lancet", "the-lancet"),
];

/// A style, ready to format with.
#[derive(Debug)]
pub struct CslStyle {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) kind: StyleKind,
    pub(crate) csl: IndependentStyle,
    /// Index of each macro in the style, by name.
    macros: HashMap<String, usize>,
    /// True if the style itself places the letter after the year.
    pub(crate) places_year_suffix: bool,
    /// From how many letters on words are large in titles.
    pub(crate) large_words: LargeWordLength,
    /// Manual whose rules the style follows.
    pub(crate) manual: StyleManual,
    /// True if the style tests the `disambiguate` condition.
    pub(crate) asks_disambiguate: bool,
}

impl CslStyle {
    fn new(id: String, mut csl: IndependentStyle) -> Self {
        crate::corrections::correct_style(&mut csl);
        let macros = csl.macros.iter().enumerate().map(|(at, one)| (one.name.clone(), at)).collect();
        let mut seen = StyleFeatures::default();
        for one in &csl.macros {
            seen.scan_elements(&one.children);
        }
        seen.scan_elements(&csl.citation.layout.elements);
        if let Some(bibliography) = &csl.bibliography {
            seen.scan_elements(&bibliography.layout.elements);
        }
        let title = crate::markup::clean_text(&csl.info.title.value);
        Self {
            kind: style_kind(&csl),
            id,
            title,
            macros,
            places_year_suffix: seen.year_suffix,
            large_words: crate::corrections::large_words(&csl.info.id),
            manual: StyleManual::from_style_id(&csl.info.id),
            asks_disambiguate: seen.disambiguate,
            csl,
        }
    }

    /// Returns the id used in requests, or the id in the file of a user's style.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the title of the style for display.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the citation system of the style.
    pub fn kind(&self) -> StyleKind {
        self.kind
    }

    /// Returns true if the style defines a bibliography.
    pub fn has_bibliography(&self) -> bool {
        self.csl.bibliography.is_some()
    }

    pub(crate) fn macro_named(&self, name: &str) -> Option<&csl::CslMacro> {
        self.csl.macros.get(*self.macros.get(name)?)
    }

    /// A style that comes with the crate, by its id, its official name or a short one.
    pub fn bundled(name: &str) -> Result<Arc<Self>, Problem> {
        static PARSED: OnceLock<Mutex<HashMap<ArchivedStyle, Arc<CslStyle>>>> = OnceLock::new();
        let wanted = name.trim().to_lowercase();
        let found = archived_style(&wanted).ok_or_else(|| {
            let detail = format!(
                "'{}' is not a style that comes with Ibid; known are apa, mla, chicago-notes, chicago-author-date, ieee, \
                 harvard, vancouver, nature and {} more, or the text of a .csl file",
                ibid_domain::problem::shorten_for_error(name),
                ArchivedStyle::all().len() - 8
            );
            Problem::new(Code::InvalidField, detail).with_field("style")
        })?;
        let parsed = PARSED.get_or_init(Mutex::default);
        let known = |parsed: &Mutex<HashMap<_, Arc<CslStyle>>>| {
            parsed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get(&found).cloned()
        };
        if let Some(style) = known(parsed) {
            return Ok(style);
        }
        let AnyStyle::Independent(csl) = found.get() else {
            return Err(Problem::new(Code::InvalidField, "this style only points to another one").with_field("style"));
        };
        let style = Arc::new(Self::new(style_id(found).to_owned(), csl));
        parsed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(found, Arc::clone(&style));
        Ok(style)
    }

    /// A user's style, from the text of a `.csl` file. One that only points to another one is that one, if it comes with
    /// the crate.
    pub fn parse(text: &str) -> Result<Arc<Self>, Problem> {
        if text.len() > LARGEST_STYLE {
            let detail = format!("the style has {} bytes; at most {LARGEST_STYLE} are taken", text.len());
            return Err(Problem::new(Code::InvalidField, detail).with_field("style"));
        }
        crate::style_check::check_style(text)?;
        match AnyStyle::from_xml(text) {
            Ok(AnyStyle::Independent(csl)) => Ok(Arc::new(Self::new(csl.info.id.clone(), csl))),
            Ok(AnyStyle::Dependent(pointer)) => {
                let parent = pointer.parent_link.href.rsplit('/').next().unwrap_or_default().to_owned();
                Self::bundled(&parent).map_err(|_| {
                    let detail = format!(
                        "this style only points to '{}', which does not come with Ibid; give the .csl file of that one",
                        ibid_domain::problem::shorten_for_error(&parent)
                    );
                    Problem::new(Code::InvalidField, detail).with_field("style")
                })
            }
            Err(error) => Err(crate::style_check::parse_error(text, &error)),
        }
    }
}

fn archived_style(name: &str) -> Option<ArchivedStyle> {
    let name = name.strip_suffix(".csl").unwrap_or(name);
    let name = name.rsplit('/').next().unwrap_or(name);
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, id)| *id);
    alias
        .and_then(ArchivedStyle::by_name)
        .or_else(|| ArchivedStyle::by_name(name))
        .or_else(|| ArchivedStyle::by_id(&format!("http://www.zotero.org/styles/{name}")))
}

fn style_id(style: ArchivedStyle) -> &'static str {
    style.names().first().copied().unwrap_or("unnamed")
}

fn style_kind(csl: &IndependentStyle) -> StyleKind {
    if csl.settings.class == StyleClass::Note {
        return StyleKind::Note;
    }
    let said = csl.info.category.iter().find_map(|category| match category {
        StyleCategory::CitationFormat { format } => Some(*format),
        StyleCategory::Field { .. } => None,
    });
    match said {
        Some(CitationFormat::Numeric) => StyleKind::Numeric,
        Some(CitationFormat::Label) => StyleKind::Label,
        Some(CitationFormat::Note) => StyleKind::Note,
        Some(CitationFormat::Author | CitationFormat::AuthorDate) | None => StyleKind::AuthorDate,
    }
}

/// All styles that come with the crate, by their ids.
pub fn bundled_styles() -> &'static [StyleInfo] {
    static STYLES: OnceLock<Vec<StyleInfo>> = OnceLock::new();
    STYLES.get_or_init(|| {
        let mut list: Vec<StyleInfo> = ArchivedStyle::all()
            .iter()
            .filter_map(|style| {
                let AnyStyle::Independent(csl) = style.get() else { return None };
                let mut aliases: Vec<&'static str> = style.names().iter().skip(1).copied().collect();
                aliases.extend(
                    ALIASES.iter().filter(|(_, id)| archived_style(id) == Some(*style)).map(|(alias, _)| *alias),
                );
                aliases.extend(style.csl_id().rsplit('/').next());
                aliases.retain(|alias| *alias != style_id(*style));
                aliases.sort_unstable();
                aliases.dedup();
                Some(StyleInfo { id: style_id(*style), title: style.display_name(), kind: style_kind(&csl), aliases })
            })
            .collect();
        list.sort_by_key(|style| style.id);
        list
    })
}

/// Features that the elements of a style make use of.
#[derive(Default)]
struct StyleFeatures {
    year_suffix: bool,
    disambiguate: bool,
}

impl StyleFeatures {
    fn scan_elements(&mut self, elements: &[Element]) {
        for element in elements {
            match element {
                Element::Text(text) => {
                    let asked = &text.target;
                    self.year_suffix |= matches!(
                        asked,
                        TextTarget::Variable { var: Variable::Standard(StandardVariable::YearSuffix), .. }
                    );
                }
                Element::Group(group) => self.scan_elements(&group.children),
                Element::Choose(choose) => {
                    for branch in choose.branches() {
                        self.disambiguate |= branch.disambiguate.is_some();
                        self.scan_elements(&branch.children);
                    }
                    if let Some(otherwise) = &choose.otherwise {
                        self.scan_elements(&otherwise.children);
                    }
                }
                Element::Names(names) => {
                    for child in &names.children {
                        if let NamesChild::Substitute(substitute) = child {
                            self.scan_elements(&substitute.children);
                        }
                    }
                }
                Element::Date(_) | Element::Label(_) | Element::Number(_) => {}
            }
        }
    }
}
