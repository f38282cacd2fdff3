//! Styles of references: those that come with the program, and those that were brought.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use ibid_bibliography::{Formatter, Style, StyleInfo};
use ibid_domain::{Code, Problem, problem::shown};

use crate::{App, Result, Scope};

/// What the ids of styles that were brought begin with.
const OWN: &str = "own/";
/// How many formatters are kept.
const KEPT: usize = 24;

/// By style and language.
type Known = HashMap<(String, String), Arc<Formatter>>;

/// Formatters with what they made.
#[derive(Clone, Default)]
pub(crate) struct Formatters(Arc<Mutex<Known>>);

impl Formatters {
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
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(key, formatter.clone());
        Ok(formatter)
    }

    fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// A style that can be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyleChoice {
    /// What it is asked for by.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// How it cites.
    pub kind: &'static str,
    /// Other names of it.
    pub aliases: Vec<&'static str>,
    /// Whether it was brought.
    pub is_own: bool,
}

impl App {
    /// All styles, those that were brought first.
    pub async fn styles(&self, scope: &Scope) -> Result<Vec<StyleChoice>> {
        let own = self.store.read().await?.documents(scope).styles().await?;
        let own = own.into_iter().map(|(name, title, text)| StyleChoice {
            id: format!("{OWN}{name}"),
            title,
            kind: Style::parse(&text).map_or("note", |style| style.kind().as_str()),
            aliases: vec![],
            is_own: true,
        });
        let mut styles: Vec<StyleChoice> = own.collect();
        let bundled = |info: &StyleInfo| StyleChoice {
            id: info.id.to_owned(),
            title: info.title.to_owned(),
            kind: info.kind.as_str(),
            aliases: info.aliases.clone(),
            is_own: false,
        };
        styles.extend(ibid_bibliography::styles().iter().map(bundled));
        Ok(styles)
    }

    /// Keeps a style of CSL under a name made of its title.
    pub async fn add_style(&self, scope: &Scope, text: &str) -> Result<StyleChoice> {
        let style = Style::parse(text)?;
        let title = style.title().to_owned();
        let name: String =
            title.to_lowercase().chars().map(|char| if char.is_alphanumeric() { char } else { '-' }).collect();
        let name: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
        let name: String = name.join("-").chars().take(80).collect();
        if name.is_empty() {
            let detail = "the style has no title; write one into <info><title>";
            return Err(Problem::new(Code::InvalidField, detail).field("style").into());
        }
        let mut tx = self.store.write().await?;
        tx.documents(scope).put_style(&name, &title, text).await?;
        tx.commit().await?;
        self.formatters.forget();
        Ok(StyleChoice {
            id: format!("{OWN}{name}"),
            title,
            kind: style.kind().as_str(),
            aliases: vec![],
            is_own: true,
        })
    }

    /// Removes a style that was brought.
    pub async fn delete_style(&self, scope: &Scope, id: &str) -> Result<()> {
        let mut tx = self.store.write().await?;
        let name = id.strip_prefix(OWN).unwrap_or(id);
        if !tx.documents(scope).delete_style(name).await? {
            let detail = format!("no style '{}' was brought; those that come with the program stay", shown(id));
            return Err(Problem::new(Code::NotFound, detail).into());
        }
        tx.commit().await?;
        self.formatters.forget();
        Ok(())
    }

    /// What formats in a style: one that comes with the program, one that was brought, or the text of one.
    pub async fn formatter(&self, scope: &Scope, style: &str, locale: Option<&str>) -> Result<Arc<Formatter>> {
        let language = locale.unwrap_or_default();
        if style.trim_start().starts_with('<') {
            return Ok(Arc::new(Formatter::new(Style::parse(style)?, locale)));
        }
        if let Some(name) = style.strip_prefix(OWN) {
            let text = self.store.read().await?.documents(scope).style(name).await?;
            let text = text.ok_or_else(|| unknown(style))?;
            let key = format!("{}/{style}", scope.tenant());
            return Ok(self.formatters.get(&key, language, || Ok(Formatter::new(Style::parse(&text)?, locale)))?);
        }
        let bundled = Style::bundled(style).map_err(|_| unknown(style))?;
        Ok(self.formatters.get(bundled.id(), language, || Ok(Formatter::new(bundled.clone(), locale)))?)
    }
}

fn unknown(style: &str) -> Problem {
    let detail =
        format!("there is no style '{}'; try apa, mla, chicago-notes, chicago-author-date or ieee", shown(style));
    Problem::new(Code::StyleUnknown, detail).field("style")
}
