//! Tokens to a tree. The tree is one vector: nothing here calls itself, and dropping it frees one block.
//!
//! The rules are those of the HTML standard that decide which element a text belongs to: which start tags end an open
//! paragraph, item, row or cell, and how far an end tag reaches. Formatting that crosses blocks is not rebuilt around
//! each of them, since it adds no text. Below [`ExtractionLimits::depth`](crate::Limits) elements are empty and their text belongs
//! to the last ancestor that is not too deep.

mod build;

use std::borrow::Cow;

use build::HtmlTreeBuilder;

use super::{
    tag::Tag,
    token::{HtmlAttribute, HtmlToken, HtmlTokenizer},
};

/// The place of a node in its tree.
pub(crate) type NodeId = u32;

const NONE: NodeId = NodeId::MAX;

/// The root, an `html` element that is always there.
pub(crate) const ROOT: NodeId = 0;

/// Element or text of an HTML tree.
#[derive(Debug)]
pub(crate) struct HtmlNode<'a> {
    pub(crate) tag: Tag,
    /// The name as written; empty for a text.
    pub(crate) name: &'a str,
    /// Text of a text node; empty for elements.
    pub(crate) text: Cow<'a, str>,
    attributes: (u32, u32),
    parent: NodeId,
    first: NodeId,
    last: NodeId,
    next: NodeId,
    previous: NodeId,
    /// Left out of everything that is read from the tree.
    pub(crate) dropped: bool,
    is_text: bool,
}

impl HtmlNode<'_> {
    pub(crate) fn is_text(&self) -> bool {
        self.is_text
    }
}

/// Parsed HTML document, with its nodes in document order.
#[derive(Debug)]
pub(crate) struct HtmlTree<'a> {
    nodes: Vec<HtmlNode<'a>>,
    attributes: Vec<HtmlAttribute<'a>>,
}

impl<'a> HtmlTree<'a> {
    /// The tree of a document. Any text has one.
    pub(crate) fn parse(html: &'a str, depth: usize) -> Self {
        let mut builder = HtmlTreeBuilder::new(html.len(), depth.max(8));
        let mut tokens = HtmlTokenizer::new(html);
        let mut attributes = Vec::new();
        while let Some(token) = tokens.next(&mut attributes) {
            match token {
                HtmlToken::Start { tag, name, closed } => builder.open_element(tag, name, closed, &mut attributes),
                HtmlToken::End { tag, name } => builder.end_element(tag, name),
                HtmlToken::Text(text) => builder.push_text(text),
                HtmlToken::Raw(text) => builder.push_raw_text(text),
            }
        }
        builder.finish()
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, id: NodeId) -> &HtmlNode<'a> {
        &self.nodes[id as usize]
    }

    pub(crate) fn tag(&self, id: NodeId) -> Tag {
        self.nodes[id as usize].tag
    }

    /// Leaves a node and all below it out.
    pub(crate) fn drop_node(&mut self, id: NodeId) {
        self.nodes[id as usize].dropped = true;
    }

    /// Takes all back that was left out.
    pub(crate) fn keep_all(&mut self) {
        for node in &mut self.nodes {
            node.dropped = false;
        }
    }

    pub(crate) fn parent(&self, id: NodeId) -> Option<NodeId> {
        non_null_id(self.nodes[id as usize].parent)
    }

    pub(crate) fn next(&self, id: NodeId) -> Option<NodeId> {
        non_null_id(self.nodes[id as usize].next)
    }

    pub(crate) fn previous_sibling(&self, id: NodeId) -> Option<NodeId> {
        non_null_id(self.nodes[id as usize].previous)
    }

    pub(crate) fn first_child(&self, id: NodeId) -> Option<NodeId> {
        non_null_id(self.nodes[id as usize].first)
    }

    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(id), |&child| self.next(child))
    }

    /// The ancestors of a node, nearest first.
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.parent(id), |&node| self.parent(node))
    }

    /// The attributes of an element.
    pub(crate) fn attributes(&self, id: NodeId) -> &[HtmlAttribute<'a>] {
        let (from, to) = self.nodes[id as usize].attributes;
        &self.attributes[from as usize..to as usize]
    }

    /// Returns the value of the attribute of that name, if the element has it.
    pub(crate) fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attributes(id).iter().find(|found| found.name.eq_ignore_ascii_case(name)).map(|found| &*found.value)
    }

    /// All nodes in document order, whether dropped or not. Nodes are numbered in that order.
    pub(crate) fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        0..self.nodes.len() as NodeId
    }

    /// One past the last node below `id`.
    pub(crate) fn end_of(&self, id: NodeId) -> NodeId {
        let mut last = id;
        while let Some(child) = non_null_id(self.nodes[last as usize].last) {
            last = child;
        }
        last + 1
    }

    /// Returns true if the element's own attributes hide it.
    pub(crate) fn is_hidden(&self, id: NodeId) -> bool {
        self.attributes(id).iter().any(|attribute| {
            if attribute.name.eq_ignore_ascii_case("hidden") {
                return !attribute.value.eq_ignore_ascii_case("until-found")
                    && !attribute.value.eq_ignore_ascii_case("false");
            }
            attribute.name.eq_ignore_ascii_case("style") && style_hides(&attribute.value)
        })
    }

    /// The words below a node on one line, without what is unseen; of many words only the first.
    pub(crate) fn text_line(&self, id: NodeId) -> String {
        const MOST: usize = 4_000;
        let mut out = String::new();
        let end = self.end_of(id);
        let mut at = id;
        while at < end && out.len() < MOST {
            let node = self.node(at);
            if node.dropped || (at != id && node.tag.is_unseen()) {
                at = self.end_of(at);
                continue;
            }
            if node.is_text {
                fold_into(&node.text, &mut out);
            } else if node.tag.is_block() || node.tag == Tag::Br {
                fold_into(" ", &mut out);
            }
            at += 1;
        }
        out.truncate(out.trim_end().len());
        out
    }
}

fn non_null_id(id: NodeId) -> Option<NodeId> {
    (id != NONE).then_some(id)
}

/// Returns true if the style contains `display:none` or `visibility:hidden`.
fn style_hides(style: &str) -> bool {
    style.split(';').any(|rule| {
        let Some((name, value)) = rule.split_once(':') else { return false };
        let (name, value) = (name.trim(), value.trim());
        (name.eq_ignore_ascii_case("display") && starts_with(value, "none"))
            || (name.eq_ignore_ascii_case("visibility") && starts_with(value, "hidden"))
    })
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
}

/// Appends `text` with runs of blank space made one space, and none at the start of `out`.
pub(crate) fn fold_into(text: &str, out: &mut String) {
    for character in text.chars() {
        if character.is_whitespace() {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
        } else if !is_ignorable(character) {
            out.push(character);
        }
    }
}

/// Returns true for invisible characters that would break text search, such as soft hyphens.
pub(crate) fn is_ignorable(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\0'..='\u{8}' | '\u{e}'..='\u{1f}' | '\u{7f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree as nested names, texts in quotes.
    fn shape(html: &str) -> String {
        fn show(tree: &HtmlTree<'_>, id: NodeId, out: &mut String) {
            let node = tree.node(id);
            if node.is_text() {
                *out += &format!("'{}'", node.text.trim());
                return;
            }
            *out += node.name;
            if tree.first_child(id).is_some() {
                *out += "(";
                for (index, child) in tree.children(id).enumerate() {
                    if index > 0 {
                        *out += " ";
                    }
                    show(tree, child, out);
                }
                *out += ")";
            }
        }
        let mut out = String::new();
        show(&HtmlTree::parse(html, 100), ROOT, &mut out);
        out
    }

    #[test]
    fn elements_end_where_the_standard_says() {
        for (html, wanted) in [
            ("<p>a<p>b<div>c", "html(p('a') p('b') div('c'))"),
            ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e", "html(ul(li('a') li('b' ul(li('c'))) li('d')) 'e')"),
            ("<dl><dt>a<dd>b<dt>c</dl>", "html(dl(dt('a') dd('b') dt('c')))"),
            ("<table><tr><td>a<td>b<tr><td>c</table>d", "html(table(tr(td('a') td('b')) tr(td('c'))) 'd')"),
            (
                "<table><tr><td></div>a<table><td>b</table>c</td></tr></table>",
                "html(table(tr(td('a' table(td('b')) 'c'))))",
            ),
            ("<td>loose</td>", "html('loose')"),
            ("<head><title>t</title><p>x", "html(head(title('t')) p('x'))"),
            ("<html><head><meta></head><body class=x><p>y</body></html>z", "html(head(meta) body(p('y' 'z')))"),
            ("<a href=1>x<a href=2>y</a>", "html(a('x') a('y'))"),
            ("<b><div>x</b>y</div>z", "html(b(div('x' 'y')) 'z')"),
            ("<h1>a<h2>b</h1>c", "html(h1('a') h2('b') 'c')"),
            ("<div><span>a</div>b</span>c", "html(div(span('a')) 'b' 'c')"),
            ("<svg><path/><g/></svg><p>x", "html(svg(path g) p('x'))"),
            ("<svg><path><p>x", "html(svg(path) p('x'))"),
            ("a</p>b<br>c</br>d", "html('a' p 'b' br 'c' br 'd')"),
            ("<script>1<2</script><noscript><p>x</noscript>", "html(script('1<2') noscript('<p>x'))"),
        ] {
            assert_eq!(shape(html), wanted, "{html}");
        }
    }

    #[test]
    fn nodes_are_numbered_in_document_order() {
        let tree = HtmlTree::parse("<div><p>a<b>c</b></p><i>d</i></div>e", 100);
        let names: Vec<_> = tree.node_ids().map(|id| (tree.node(id).name, &*tree.node(id).text)).collect();
        assert_eq!(
            names,
            [("html", ""), ("div", ""), ("p", ""), ("", "a"), ("b", ""), ("", "c"), ("i", ""), ("", "d"), ("", "e")]
        );
        assert_eq!((tree.end_of(1), tree.end_of(2), tree.end_of(ROOT)), (8, 6, 9));
    }
}
