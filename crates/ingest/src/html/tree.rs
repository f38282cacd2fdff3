//! Tokens to a tree. The tree is one vector: nothing here calls itself, and dropping it frees one block.
//!
//! The rules are those of the HTML standard that decide which element a text belongs to: which start tags end an open
//! paragraph, item, row or cell, and how far an end tag reaches. Formatting that crosses blocks is not rebuilt around
//! each of them, since it adds no text. Below [`Limits::depth`](crate::Limits) elements are empty and their text belongs
//! to the last ancestor that is not too deep.

mod build;

use std::borrow::Cow;

use build::Builder;

use super::{
    tag::Tag,
    token::{Attribute, Token, Tokens},
};

/// The place of a node in its tree.
pub(crate) type Id = u32;

const NONE: Id = Id::MAX;

/// The root, an `html` element that is always there.
pub(crate) const ROOT: Id = 0;

/// An element or a text.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub(crate) tag: Tag,
    /// The name as written; empty for a text.
    pub(crate) name: &'a str,
    /// The text of a text node.
    pub(crate) text: Cow<'a, str>,
    attributes: (u32, u32),
    parent: Id,
    first: Id,
    last: Id,
    next: Id,
    previous: Id,
    /// Left out of everything that is read from the tree.
    pub(crate) dropped: bool,
    is_text: bool,
}

impl Node<'_> {
    pub(crate) fn is_text(&self) -> bool {
        self.is_text
    }
}

/// A parsed document.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    attributes: Vec<Attribute<'a>>,
}

impl<'a> Tree<'a> {
    /// The tree of a document. Any text has one.
    pub(crate) fn parse(html: &'a str, depth: usize) -> Self {
        let mut builder = Builder::new(html.len(), depth.max(8));
        let mut tokens = Tokens::new(html);
        let mut attributes = Vec::new();
        while let Some(token) = tokens.next(&mut attributes) {
            match token {
                Token::Start { tag, name, closed } => builder.start(tag, name, closed, &mut attributes),
                Token::End { tag, name } => builder.end(tag, name),
                Token::Text(text) => builder.text(text),
                Token::Raw(text) => builder.raw(text),
            }
        }
        builder.finish()
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, id: Id) -> &Node<'a> {
        &self.nodes[id as usize]
    }

    pub(crate) fn tag(&self, id: Id) -> Tag {
        self.nodes[id as usize].tag
    }

    /// Leaves a node and all below it out.
    pub(crate) fn drop_node(&mut self, id: Id) {
        self.nodes[id as usize].dropped = true;
    }

    /// Takes all back that was left out.
    pub(crate) fn keep_all(&mut self) {
        for node in &mut self.nodes {
            node.dropped = false;
        }
    }

    pub(crate) fn parent(&self, id: Id) -> Option<Id> {
        some(self.nodes[id as usize].parent)
    }

    pub(crate) fn next(&self, id: Id) -> Option<Id> {
        some(self.nodes[id as usize].next)
    }

    pub(crate) fn previous(&self, id: Id) -> Option<Id> {
        some(self.nodes[id as usize].previous)
    }

    pub(crate) fn first(&self, id: Id) -> Option<Id> {
        some(self.nodes[id as usize].first)
    }

    pub(crate) fn children(&self, id: Id) -> impl Iterator<Item = Id> {
        std::iter::successors(self.first(id), |&child| self.next(child))
    }

    /// The ancestors of a node, nearest first.
    pub(crate) fn ancestors(&self, id: Id) -> impl Iterator<Item = Id> {
        std::iter::successors(self.parent(id), |&node| self.parent(node))
    }

    /// The attributes of an element.
    pub(crate) fn attributes(&self, id: Id) -> &[Attribute<'a>] {
        let (from, to) = self.nodes[id as usize].attributes;
        &self.attributes[from as usize..to as usize]
    }

    /// The value of an attribute.
    pub(crate) fn attribute(&self, id: Id, name: &str) -> Option<&str> {
        self.attributes(id).iter().find(|found| found.name.eq_ignore_ascii_case(name)).map(|found| &*found.value)
    }

    /// All nodes in document order, whether dropped or not. Nodes are numbered in that order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = Id> + use<> {
        0..self.nodes.len() as Id
    }

    /// One past the last node below `id`.
    pub(crate) fn end_of(&self, id: Id) -> Id {
        let mut last = id;
        while let Some(child) = some(self.nodes[last as usize].last) {
            last = child;
        }
        last + 1
    }

    /// Whether the element is kept from sight by its own attributes.
    pub(crate) fn is_hidden(&self, id: Id) -> bool {
        self.attributes(id).iter().any(|attribute| {
            if attribute.name.eq_ignore_ascii_case("hidden") {
                return !attribute.value.eq_ignore_ascii_case("until-found")
                    && !attribute.value.eq_ignore_ascii_case("false");
            }
            attribute.name.eq_ignore_ascii_case("style") && style_hides(&attribute.value)
        })
    }

    /// The words below a node on one line, without what is unseen; of many words only the first.
    pub(crate) fn line(&self, id: Id) -> String {
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

fn some(id: Id) -> Option<Id> {
    (id != NONE).then_some(id)
}

/// Whether a style keeps its element from sight: `display:none` or `visibility:hidden`.
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

/// Whether a character shows nothing and only stands in the way of finding words.
pub(crate) fn is_ignorable(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\0'..='\u{8}' | '\u{e}'..='\u{1f}' | '\u{7f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree as nested names, texts in quotes.
    fn shape(html: &str) -> String {
        fn show(tree: &Tree<'_>, id: Id, out: &mut String) {
            let node = tree.node(id);
            if node.is_text() {
                *out += &format!("'{}'", node.text.trim());
                return;
            }
            *out += node.name;
            if tree.first(id).is_some() {
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
        show(&Tree::parse(html, 100), ROOT, &mut out);
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
        let tree = Tree::parse("<div><p>a<b>c</b></p><i>d</i></div>e", 100);
        let names: Vec<_> = tree.ids().map(|id| (tree.node(id).name, &*tree.node(id).text)).collect();
        assert_eq!(
            names,
            [("html", ""), ("div", ""), ("p", ""), ("", "a"), ("b", ""), ("", "c"), ("i", ""), ("", "d"), ("", "e")]
        );
        assert_eq!((tree.end_of(1), tree.end_of(2), tree.end_of(ROOT)), (8, 6, 9));
    }
}
