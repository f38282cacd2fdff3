//! Texts that are written here, and what they cite.

use crate::{DocumentCitationId, DocumentId, Sha256, SourceId, SourceType, Timestamp, source::named};

named! {
    /// How the text of a document is written.
    DocumentFormat, "a format", "format",
    /// In Typst.
    Typst = "typst";
    /// In Markdown.
    Markdown = "markdown";
}

named! {
    /// How a document is laid out.
    Template, "a template", "template",
    /// Title above the text.
    Article = "article";
    /// A title page, contents, numbered headings.
    Report = "report";
    /// Wide lines, first lines indented.
    Essay = "essay";
    /// As the text says.
    None = "none";
}

named! {
    /// How the citations of a document are set.
    CiteAs, "a way to cite", "cite_as",
    /// As footnotes, one for each.
    Footnotes = "footnotes";
    /// In the text; those side by side together.
    InText = "in_text";
}

named! {
    /// What stands where the title, the author or the date of a source is not known.
    MissingDetails, "a way to name what is missing", "missing",
    /// `Untitled`, `Unknown Author`, `n.d.`
    Placeholders = "placeholders";
    /// What the style says.
    Csl = "csl";
}

impl DocumentFormat {
    /// The marker of a citation.
    pub fn marker(self, number: u32) -> String {
        match self {
            Self::Typst => format!("#footnote[{number}]"),
            Self::Markdown => format!("[^{number}]"),
        }
    }

    /// The file name of a text.
    pub const fn file(self) -> &'static str {
        match self {
            Self::Typst => "text.typ",
            Self::Markdown => "text.md",
        }
    }
}

/// How a document looks, apart from its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// What it is called.
    pub title: String,
    /// How its text is written.
    pub format: DocumentFormat,
    /// The style of its references, by id.
    pub style: String,
    /// The tag of its language.
    pub locale: String,
    /// How it is laid out.
    pub template: Template,
    /// How its citations are set.
    pub cite_as: CiteAs,
    /// What stands for what is not known of a source.
    pub missing: MissingDetails,
    /// Who writes it.
    pub authors: Vec<String>,
    /// When, in any words.
    pub date: Option<String>,
}

/// A text that is written here.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Its id.
    pub id: DocumentId,
    /// How it looks.
    pub look: Look,
    /// How often it was saved.
    pub version: u64,
    /// The newest version: the text, how it looks, its files.
    pub manifest: Sha256,
    /// Its text.
    pub text: Sha256,
    /// The last number that was given to a citation.
    pub citation_count: u32,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

/// A version of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentVersion {
    /// Which, from 1.
    pub version: u64,
    /// What it holds.
    pub manifest: Sha256,
    /// What the document was called.
    pub title: String,
    /// Why it was saved.
    pub message: Option<String>,
    /// How long the text was, in characters.
    pub char_count: u64,
    /// How many characters came.
    pub added: u64,
    /// How many went.
    pub removed: u64,
    /// When it was saved.
    pub created_at: Timestamp,
}

/// Something that a document cites.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentCitation {
    /// Its id.
    pub id: DocumentCitationId,
    /// Its number in the document.
    pub number: u32,
    /// What is cited; none once that was deleted.
    pub source: Option<SourceId>,
    /// Where it stands in the text, in characters.
    pub position: usize,
    /// Whether its marker stands there.
    pub is_marked: bool,
    /// Whether it ever did.
    pub was_marked: bool,
    /// Where in the source: `p. 12`.
    pub locator: Option<String>,
    /// What is said before it.
    pub prefix: Option<String>,
    /// What is said after it.
    pub suffix: Option<String>,
    /// The words that it stands for.
    pub quote: Option<String>,
    /// What the source was when it was cited.
    pub snapshot: DocumentCited,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What a source was when it was cited.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentCited {
    /// What it was called.
    pub title: String,
    /// Its type.
    pub kind: SourceType,
    /// Its address.
    pub url: Option<String>,
    /// All that is said of it in a reference, as CSL-JSON.
    pub item: serde_json::Value,
}

impl DocumentCitation {
    /// Whether it is set: its marker stands in the text, or it never had one and stands at its position.
    pub const fn is_attached(&self) -> bool {
        self.is_marked || !self.was_marked
    }
}
