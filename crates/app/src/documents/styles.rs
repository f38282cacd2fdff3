//! Styles of references: those that come with the program, and those that were brought.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use ibid_bibliography::{CslStyle, Formatter, StyleInfo, StyleKind};
use ibid_domain::{Code, Problem, problem::shorten_for_error};

use crate::{Result, services::DocumentService};

/// Prefix of the ids of styles that users uploaded.
const OWN: &str = "own/";
/// Maximum number of cached formatters; the cache is cleared when it is full.
const CACHED_FORMATTERS: usize = 24;

/// Formatters by style id and locale.
type FormatterMap = HashMap<(String, String), Arc<Formatter>>;

/// Formatters with what they made.
#[derive(Clone, Default)]
pub(crate) struct FormatterCache(Arc<Mutex<FormatterMap>>);

impl FormatterCache {
    fn get(
        &self,
        style: &str,
        locale: &str,
        make: impl FnOnce() -> Result<Formatter, Problem>,
    ) -> Result<Arc<Formatter>, Problem> {
        let key = (style.to_owned(), locale.to_owned());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(formatter) = known.get(&key) {
            return Ok(formatter.clone());
        }
        let formatter = Arc::new(make()?);
        if known.len() >= CACHED_FORMATTERS {
            known.clear();
        }
        known.insert(key, formatter.clone());
        Ok(formatter)
    }

    fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// A style that can be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyleChoice {
    /// Id to use in requests; uploaded styles start with `own/`.
    pub id: String,
    pub title: String,
    /// Citation system of the style.
    pub kind: StyleKind,
    /// Other ids that select the same style.
    pub aliases: Vec<&'static str>,
    /// True if a user uploaded the style.
    pub is_own: bool,
}

impl DocumentService<'_> {
    /// All styles, those that were brought first.
    pub async fn styles(self) -> Result<Vec<StyleChoice>> {
        let own = self.app.store.read().await?.documents(self.scope).list_styles().await?;
        let own = own.into_iter().map(|(name, title, text)| StyleChoice {
            id: format!("{OWN}{name}"),
            title,
            kind: CslStyle::parse(&text).map_or(StyleKind::Note, |style| style.kind()),
            aliases: vec![],
            is_own: true,
        });
        let mut styles: Vec<StyleChoice> = own.collect();
        let bundled = |info: &StyleInfo| StyleChoice {
            id: info.id.to_owned(),
            title: info.title.to_owned(),
            kind: info.kind,
            aliases: info.aliases.clone(),
            is_own: false,
        };
        styles.extend(ibid_bibliography::bundled_styles().iter().map(bundled));
        Ok(styles)
    }

    /// Keeps a style of CSL under a name made of its title.
    pub async fn add_style(self, text: &str) -> Result<StyleChoice> {
        let style = CslStyle::parse(text)?;
        let title = style.title().to_owned();
        let name: String =
            title.to_lowercase().chars().map(|char| if char.is_alphanumeric() { char } else { '-' }).collect();
        let name: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
        let name: String = name.join("-").chars().take(80).collect();
        if name.is_empty() {
            let detail = "the style has no title; write one into <info><title>";
            return Err(Problem::new(Code::InvalidField, detail).with_field("style").into());
        }
        let mut tx = self.app.store.write().await?;
        tx.documents(self.scope).put_style(&name, &title, text).await?;
        tx.commit().await?;
        self.app.formatters.clear();
        Ok(StyleChoice { id: format!("{OWN}{name}"), title, kind: style.kind(), aliases: vec![], is_own: true })
    }

    /// Removes a style that was brought.
    pub async fn delete_style(self, id: &str) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        let name = id.strip_prefix(OWN).unwrap_or(id);
        if !tx.documents(self.scope).delete_style(name).await? {
            let detail =
                format!("no style '{}' was brought; those that come with the program stay", shorten_for_error(id));
            return Err(Problem::new(Code::NotFound, detail).into());
        }
        tx.commit().await?;
        self.app.formatters.clear();
        Ok(())
    }

    /// Returns the name that a style is stored under: its id, or one of its short names as they are listed. Any other
    /// spelling, such as `Chicago-18`, becomes the id.
    pub(super) async fn style_id(self, style: &str) -> Result<String> {
        if style.trim_start().starts_with('<') {
            let detail = "add the style with POST /api/v1/styles first, and name it here";
            return Err(Problem::new(Code::InvalidField, detail).with_field("style").into());
        }
        if style.starts_with(OWN) {
            self.formatter(style, None).await?;
            return Ok(style.to_owned());
        }
        let bundled = CslStyle::bundled(style).map_err(|_| unknown_style(style))?;
        let is_listed = |info: &StyleInfo| info.id == bundled.id() && info.aliases.contains(&style);
        let is_short_name = ibid_bibliography::bundled_styles().iter().any(is_listed);
        Ok(if is_short_name { style.to_owned() } else { bundled.id().to_owned() })
    }

    /// Returns the formatter of a style, given as a bundled id, the id of an uploaded style, or CSL text.
    pub async fn formatter(self, style: &str, locale: Option<&str>) -> Result<Arc<Formatter>> {
        let language = locale.unwrap_or_default();
        if style.trim_start().starts_with('<') {
            return Ok(Arc::new(Formatter::new(CslStyle::parse(style)?, locale)));
        }
        if let Some(name) = style.strip_prefix(OWN) {
            let text = self.app.store.read().await?.documents(self.scope).get_style(name).await?;
            let text = text.ok_or_else(|| unknown_style(style))?;
            let key = format!("{}/{style}", self.scope.tenant());
            return Ok(self
                .app
                .formatters
                .get(&key, language, || Ok(Formatter::new(CslStyle::parse(&text)?, locale)))?);
        }
        let bundled = CslStyle::bundled(style).map_err(|_| unknown_style(style))?;
        Ok(self.app.formatters.get(bundled.id(), language, || Ok(Formatter::new(bundled.clone(), locale)))?)
    }
}

fn unknown_style(style: &str) -> Problem {
    let detail = format!(
        "there is no style '{}'; try apa, mla, chicago-notes, chicago-author-date or ieee",
        shorten_for_error(style)
    );
    Problem::new(Code::StyleUnknown, detail).with_field("style")
}
