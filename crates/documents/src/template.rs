//! What stands around a document's text.

use ibid_domain::Template;

use crate::typst_markup;

/// Returns the Typst source of a template.
pub const fn template_source(template: Template) -> &'static str {
    match template {
        Template::Article => include_str!("../templates/article.typ"),
        Template::Report => include_str!("../templates/report.typ"),
        Template::Essay => include_str!("../templates/essay.typ"),
        Template::None => include_str!("../templates/none.typ"),
    }
}

/// Values that a template receives from the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateInput {
    pub title: String,
    /// Names of the authors, in order.
    pub authors: Vec<String>,
    /// Date in any words; it is printed as it is.
    pub date: Option<String>,
    /// Language tag such as `en-GB`.
    pub locale: String,
    pub template: Template,
}

impl TemplateInput {
    /// The text that puts template, document and bibliography together.
    pub fn main(&self, bibliography: &str) -> String {
        let list: String =
            self.authors.iter().map(|author| format!("{}, ", typst_markup::string_literal(author))).collect();
        let title = typst_markup::string_literal(&self.title);
        let date = self.date.as_deref().map_or_else(|| "none".to_owned(), typst_markup::string_literal);
        let (lang, region) = language_and_region(&self.locale);
        let region = region.map_or_else(|| "none".to_owned(), |region| typst_markup::string_literal(&region));
        format!(
            "#import \"/template.typ\": template\n\
             #show: template.with(title: {title}, authors: ({list}), date: {date}, lang: {}, region: {region})\n\
             #include \"/document.typ\"\n{bibliography}\n",
            typst_markup::string_literal(&lang)
        )
    }

    /// The whole as one text that stands alone.
    pub fn standalone_source(&self, typeset: &str, bibliography: &str) -> String {
        let main = self.main(bibliography);
        let main = main.replacen("#import \"/template.typ\": template\n", template_source(self.template), 1);
        main.replacen("#include \"/document.typ\"", typeset.trim_end(), 1)
    }
}

/// The language and the region of a tag, as Typst takes them.
fn language_and_region(tag: &str) -> (String, Option<String>) {
    let mut parts = tag.split(['-', '_']);
    let is_letters = |part: &&str| part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let lang = parts.next().filter(|part| matches!(part.len(), 2 | 3)).filter(is_letters).unwrap_or("en");
    let region = parts.filter(|part| part.len() == 2).find(is_letters);
    (lang.to_ascii_lowercase(), region.map(str::to_ascii_uppercase))
}
