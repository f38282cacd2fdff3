//! Title, style, language and authors of a document, and which values are allowed.

use ibid_domain::{
    CiteAs, Code, DocumentFormat, DocumentSettings, MissingDetails, Problem, Template, problem::shorten_for_error,
};

use crate::{Result, services::DocumentService};

/// The longest title, author or date, in characters.
const LONGEST_LINE: usize = 500;
const MOST_AUTHORS: usize = 100;

/// A change of a document's settings; fields that are `None` stay as they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentSettingsPatch {
    /// New title, one line; it must not be empty.
    pub title: Option<String>,
    /// Markup of the text: Markdown or Typst.
    pub format: Option<DocumentFormat>,
    /// The style of its references.
    pub style: Option<String>,
    /// Language tag, such as `en-US`; it must be one of the bundled CSL locales.
    pub locale: Option<String>,
    /// Page layout used for rendering.
    pub template: Option<Template>,
    /// Citations as footnotes or in the text.
    pub cite_as: Option<CiteAs>,
    /// Tells if missing source details get placeholders or follow the CSL style.
    pub missing: Option<MissingDetails>,
    /// New list of authors; blank names are dropped.
    pub authors: Option<Vec<String>>,
    /// New date line, as free text; `Some(None)` removes it.
    pub date: Option<Option<String>>,
}

impl DocumentService<'_> {
    /// Applies a change to the settings of a document after validating it.
    pub(super) async fn apply_settings_patch(
        self,
        settings: &DocumentSettings,
        change: &DocumentSettingsPatch,
    ) -> Result<DocumentSettings> {
        let mut settings = settings.clone();
        if let Some(title) = &change.title {
            settings.title = check_line("title", title)?;
        }
        if settings.title.is_empty() {
            return Err(Problem::new(Code::InvalidField, "a document needs a title").with_field("title").into());
        }
        if let Some(style) = &change.style {
            settings.style = self.style_id(style).await?;
        }
        if let Some(locale) = &change.locale {
            if !ibid_bibliography::locale_tags().contains(locale) {
                let detail =
                    format!("there is no language '{}'; GET /api/v1/styles lists them", shorten_for_error(locale));
                return Err(Problem::new(Code::InvalidField, detail).with_field("locale").into());
            }
            settings.locale.clone_from(locale);
        }
        if let Some(authors) = &change.authors {
            if authors.len() > MOST_AUTHORS {
                let detail = format!("it has {} authors; at most {MOST_AUTHORS} are named", authors.len());
                return Err(Problem::new(Code::InvalidField, detail).with_field("authors").into());
            }
            settings.authors = authors.iter().map(|author| check_line("authors", author)).collect::<Result<_, _>>()?;
            settings.authors.retain(|author| !author.is_empty());
        }
        if let Some(date) = &change.date {
            let date = date.as_deref().map(|date| check_line("date", date)).transpose()?;
            settings.date = date.filter(|date| !date.is_empty());
        }
        settings.format = change.format.unwrap_or(settings.format);
        settings.template = change.template.unwrap_or(settings.template);
        settings.cite_as = change.cite_as.unwrap_or(settings.cite_as);
        settings.missing = change.missing.unwrap_or(settings.missing);
        Ok(settings)
    }
}

pub(super) fn check_line(field: &str, text: &str) -> Result<String, Problem> {
    let line = ibid_language::one_line(text);
    if line.chars().count() > LONGEST_LINE || text.contains('\0') {
        let detail = format!("{field} has {} characters; at most {LONGEST_LINE} are kept", line.chars().count());
        return Err(Problem::new(Code::InvalidField, detail).with_field(field));
    }
    Ok(line)
}
