//! What a page says about itself in so many words: `<meta>`, `<link>`, JSON-LD, microdata.

use std::borrow::Cow;

use super::{
    json_ld::{self, JsonLdWork},
    tag::Tag,
    tree::{HtmlTree, NodeId, ROOT, fold_into},
};

/// The statements of a page, in its order.
pub(crate) struct PageHead<'t> {
    metas: Vec<(String, &'t str)>,
    links: Vec<(String, &'t str, NodeId)>,
    properties: Vec<(String, NodeId)>,
    /// The works that JSON-LD describes, the page's own first.
    pub(crate) works: Vec<JsonLdWork>,
    /// The address that others are relative to.
    pub(crate) base: Option<&'t str>,
    /// Text of the `<title>` element, on one line.
    pub(crate) title: Option<String>,
}

impl<'t> PageHead<'t> {
    pub(crate) fn from_tree(tree: &'t HtmlTree) -> Self {
        let mut head = Self {
            metas: Vec::new(),
            links: Vec::new(),
            properties: Vec::new(),
            works: Vec::new(),
            base: None,
            title: super::visible_text::document_title(tree),
        };
        let mut linked_data = Vec::new();
        for id in tree.node_ids() {
            let node = tree.node(id);
            if node.is_text() {
                continue;
            }
            match node.tag {
                Tag::Meta => head.meta_element(tree, id),
                Tag::Link | Tag::A => {
                    if let (Some(rel), Some(href)) = (tree.attribute(id, "rel"), tree.attribute(id, "href")) {
                        head.links.push((rel.to_ascii_lowercase(), href.trim(), id));
                    }
                }
                Tag::Base => head.base = head.base.or(tree.attribute(id, "href")),
                Tag::Script => {
                    let kind = tree.attribute(id, "type").unwrap_or_default();
                    if kind.to_ascii_lowercase().contains("ld+json")
                        && let Some(text) = tree.first_child(id)
                    {
                        linked_data.push(&*tree.node(text).text);
                    }
                }
                _ => {}
            }
            if let Some(property) = tree.attribute(id, "itemprop") {
                for name in property.split_ascii_whitespace() {
                    head.properties.push((name.to_ascii_lowercase(), id));
                }
            }
        }
        head.works = json_ld::find_works(&linked_data);
        head
    }

    fn meta_element(&mut self, tree: &'t HtmlTree, id: NodeId) {
        let Some(content) = tree.attribute(id, "content").map(str::trim).filter(|content| !content.is_empty()) else {
            return;
        };
        // Pages put names into any of these, `og:` ones as often into `name` as into `property`.
        for key in ["property", "name", "itemprop", "http-equiv"] {
            if let Some(names) = tree.attribute(id, key) {
                for name in names.split_ascii_whitespace() {
                    self.metas.push((name.to_ascii_lowercase(), content));
                }
            }
        }
    }

    /// The contents of the metas of these names, name by name.
    pub(crate) fn meta_contents<'s>(&'s self, names: &'s [&str]) -> impl Iterator<Item = Cow<'t, str>> + 's {
        names.iter().flat_map(move |name| {
            self.metas.iter().filter(move |(known, _)| known == name).map(|&(_, content)| clean_statement(content))
        })
    }

    /// The contents of the metas whose names end so.
    pub(crate) fn metas_ending(&self, end: &str) -> impl Iterator<Item = Cow<'t, str>> {
        self.metas.iter().filter(move |(name, _)| name.ends_with(end)).map(|&(_, content)| clean_statement(content))
    }

    /// The first content of a meta of these names.
    pub(crate) fn first_meta(&self, names: &[&str]) -> Option<Cow<'t, str>> {
        self.meta_contents(names).next()
    }

    /// The elements that are a value of a microdata property.
    pub(crate) fn elements_with_property(&self, name: &str) -> impl Iterator<Item = NodeId> {
        self.properties.iter().filter(move |(known, _)| known == name).map(|&(_, id)| id)
    }

    /// The targets of links of this relation, with their elements.
    pub(crate) fn links_with_rel(&self, rel: &str) -> impl Iterator<Item = (&'t str, NodeId)> {
        self.links
            .iter()
            .filter(move |(rels, _, _)| rels.split_ascii_whitespace().any(|known| known == rel))
            .map(|&(_, href, id)| (href, id))
    }

    /// The language that the page is in, as far as it says.
    pub(crate) fn language(&self, tree: &HtmlTree) -> Option<String> {
        let body = tree.children(ROOT).find(|&id| tree.tag(id) == Tag::Body);
        let said = ["lang", "xml:lang"].into_iter().find_map(|name| {
            [Some(ROOT), body].into_iter().flatten().find_map(|id| tree.attribute(id, name).and_then(language_tag))
        });
        said.or_else(|| {
            self.meta_contents(&[
                "og:locale",
                "content-language",
                "dc.language",
                "dcterms.language",
                "inlanguage",
                "language",
            ])
            .find_map(|tag| language_tag(&tag))
        })
        .or_else(|| self.works.iter().find_map(|work| work.language.as_deref().and_then(language_tag)))
    }
}

/// A BCP 47 tag in its usual spelling: `de`, `en-US`, `zh-Hans`.
fn language_tag(said: &str) -> Option<String> {
    let said = said.split([',', ';', ' ']).next()?.trim();
    let mut parts = said.split(['-', '_']);
    let language = parts.next()?.to_ascii_lowercase();
    if !(2..=3).contains(&language.len()) || !language.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let mut tag = language;
    for part in parts.take(2) {
        let letters = part.bytes().all(|byte| byte.is_ascii_alphabetic());
        match part.len() {
            2 if letters => tag += &format!("-{}", part.to_ascii_uppercase()),
            3 if part.bytes().all(|byte| byte.is_ascii_digit()) => tag += &format!("-{part}"),
            4 if letters => {
                let (first, rest) = part.split_at(1);
                tag += &format!("-{}{}", first.to_ascii_uppercase(), rest.to_ascii_lowercase());
            }
            _ => break,
        }
    }
    Some(tag)
}

/// A statement on one line. Some pages escape what they write into attributes twice.
pub(crate) fn clean_statement(text: &str) -> Cow<'_, str> {
    let plain = !text.contains(['&', '\n', '\t', '\u{a0}', '\u{ad}', '\u{200b}', '<']) && !text.contains("  ");
    if plain {
        return Cow::Borrowed(text.trim());
    }
    let resolved = super::references::resolve_references(text);
    let mut out = String::with_capacity(resolved.len());
    if resolved.contains('<') {
        let tree = HtmlTree::parse(&resolved, 20);
        return Cow::Owned(tree.text_line(ROOT));
    }
    fold_into(&resolved, &mut out);
    out.truncate(out.trim_end().len());
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_written_one_way() {
        for (said, wanted) in [
            ("de", Some("de")),
            ("en_us", Some("en-US")),
            ("ZH-hans-cn", Some("zh-Hans-CN")),
            ("es-419", Some("es-419")),
            ("fr, en", Some("fr")),
            ("english", None),
            ("", None),
            ("e1", None),
        ] {
            assert_eq!(language_tag(said).as_deref(), wanted, "{said}");
        }
    }
}
