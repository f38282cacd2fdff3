//! What stands around a document's text.

use ibid_domain::Template;

use crate::markup;

/// The text of a template.
pub const fn text(template: Template) -> &'static str {
    match template {
        Template::Article => include_str!("../templates/article.typ"),
        Template::Report => include_str!("../templates/report.typ"),
        Template::Essay => include_str!("../templates/essay.typ"),
        Template::None => include_str!("../templates/none.typ"),
    }
}

/// What a template is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What the document is called.
    pub title: String,
    /// Who wrote it.
    pub authors: Vec<String>,
    /// When, in any words.
    pub date: Option<String>,
    /// The tag of its language.
    pub locale: String,
    /// How it is laid out.
    pub template: Template,
}

impl Frame {
    /// The text that puts template, document and bibliography together.
    pub fn main(&self, bibliography: &str) -> String {
        let list: String = self.authors.iter().map(|author| format!("{}, ", markup::string(author))).collect();
        let title = markup::string(&self.title);
        let date = self.date.as_deref().map_or_else(|| "none".to_owned(), markup::string);
        let (lang, region) = language(&self.locale);
        let region = region.map_or_else(|| "none".to_owned(), |region| markup::string(&region));
        format!(
            "#import \"/template.typ\": template\n\
             #show: template.with(title: {title}, authors: ({list}), date: {date}, lang: {}, region: {region})\n\
             #include \"/document.typ\"\n{bibliography}\n",
            markup::string(&lang)
        )
    }

    /// The whole as one text that stands alone.
    pub fn alone(&self, typeset: &str, bibliography: &str) -> String {
        let main = self.main(bibliography);
        let main = main.replacen("#import \"/template.typ\": template\n", text(self.template), 1);
        main.replacen("#include \"/document.typ\"", typeset.trim_end(), 1)
    }
}

/// The language and the region of a tag, as Typst takes them.
fn language(tag: &str) -> (String, Option<String>) {
    let mut parts = tag.split(['-', '_']);
    let is_letters = |part: &&str| part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let lang = parts.next().filter(|part| matches!(part.len(), 2 | 3)).filter(is_letters).unwrap_or("en");
    let region = parts.filter(|part| part.len() == 2).find(is_letters);
    (lang.to_ascii_lowercase(), region.map(str::to_ascii_uppercase))
}
