//! Markup to a tree. The tree is one vector: nothing here calls itself, and dropping it frees few blocks.
//!
//! html5ever reads the markup as the HTML standard says, so that the tree is the one that browsers have. It is kept within
//! [`ExtractionLimits::depth`](crate::ExtractionLimits::depth): below that, elements are left out and their text belongs
//! to the last ancestor that is not too deep.

mod bounds;
#[cfg(test)]
mod html5lib;
mod sink;

use html5ever::{LocalName, tendril::StrTendril};

use super::tag::Tag;

/// The place of a node in its tree.
pub(crate) type NodeId = u32;

const NONE: NodeId = NodeId::MAX;

/// The root, an `html` element that is always there.
pub(crate) const ROOT: NodeId = 0;

/// Element or text of an HTML tree.
#[derive(Debug)]
pub(crate) struct HtmlNode {
    pub(crate) tag: Tag,
    /// The name in lower case; empty for a text. Rules go by the tag.
    #[cfg(test)]
    pub(crate) name: LocalName,
    /// Text of a text node; empty for elements.
    pub(crate) text: StrTendril,
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

impl HtmlNode {
    fn of_element(tag: Tag, attributes: (u32, u32)) -> Self {
        Self {
            tag,
            #[cfg(test)]
            name: LocalName::default(),
            text: StrTendril::new(),
            attributes,
            parent: NONE,
            first: NONE,
            last: NONE,
            next: NONE,
            previous: NONE,
            dropped: false,
            is_text: false,
        }
    }

    fn of_text(text: StrTendril) -> Self {
        Self { text, is_text: true, ..Self::of_element(Tag::Other, (0, 0)) }
    }

    pub(crate) fn is_text(&self) -> bool {
        self.is_text
    }
}

/// An attribute: its name in lower case, its value with references resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HtmlAttribute {
    pub(crate) name: LocalName,
    pub(crate) value: StrTendril,
}

/// Parsed HTML document, with its nodes in document order.
#[derive(Debug)]
pub(crate) struct HtmlTree {
    nodes: Vec<HtmlNode>,
    attributes: Vec<HtmlAttribute>,
}

impl HtmlTree {
    /// The tree of a document. Any text has one.
    pub(crate) fn parse(html: &str, depth: usize) -> Self {
        bounds::parse(html, depth.max(8))
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, id: NodeId) -> &HtmlNode {
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
    pub(crate) fn attributes(&self, id: NodeId) -> &[HtmlAttribute] {
        let (from, to) = self.nodes[id as usize].attributes;
        &self.attributes[from as usize..to as usize]
    }

    /// Returns the value of the attribute of that name, if the element has it.
    pub(crate) fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attributes(id).iter().find(|found| &*found.name == name).map(|found| &*found.value)
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
            if &*attribute.name == "hidden" {
                return !attribute.value.eq_ignore_ascii_case("until-found")
                    && !attribute.value.eq_ignore_ascii_case("false");
            }
            &*attribute.name == "style" && style_hides(&attribute.value)
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
    use std::fmt::Write;

    use proptest::prelude::*;

    use super::*;

    /// The tree as nested names, texts in quotes.
    fn shape(html: &str) -> String {
        fn show(tree: &HtmlTree, id: NodeId, out: &mut String) {
            let node = tree.node(id);
            if node.is_text() {
                *out += &format!("'{}'", node.text.trim());
                return;
            }
            *out += &node.name;
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
            ("<p>a<p>b<div>c", "html(head body(p('a') p('b') div('c')))"),
            ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e", "html(head body(ul(li('a') li('b' ul(li('c'))) li('d')) 'e'))"),
            ("<dl><dt>a<dd>b<dt>c</dl>", "html(head body(dl(dt('a') dd('b') dt('c'))))"),
            (
                "<table><tr><td>a<td>b<tr><td>c</table>d",
                "html(head body(table(tbody(tr(td('a') td('b')) tr(td('c')))) 'd'))",
            ),
            (
                "<table><tr><td></div>a<table><td>b</table>c</td></tr></table>",
                "html(head body(table(tbody(tr(td('a' table(tbody(tr(td('b')))) 'c'))))))",
            ),
            ("<table><tr>loose<td>a</table>", "html(head body('loose' table(tbody(tr(td('a'))))))"),
            ("<td>loose</td>", "html(head body('loose'))"),
            ("<head><title>t</title><p>x", "html(head(title('t')) body(p('x')))"),
            ("<html><head><meta></head><body class=x><p>y</body></html>z", "html(head(meta) body(p('yz')))"),
            ("<a href=1>x<a href=2>y</a>", "html(head body(a('x') a('y')))"),
            ("<b><div>x</b>y</div>z", "html(head body(b div(b('x') 'y') 'z'))"),
            ("<h1>a<h2>b</h1>c", "html(head body(h1('a') h2('b') 'c'))"),
            ("<div><span>a</div>b</span>c", "html(head body(div(span('a')) 'bc'))"),
            ("<svg><path/><g/></svg><p>x", "html(head body(svg(path g) p('x')))"),
            ("<svg><path><p>x", "html(head body(svg(path) p('x')))"),
            ("a</p>b<br>c</br>d", "html(head body('a' p 'b' br 'c' br 'd'))"),
            ("<script>1<2</script><noscript><p>x</noscript>", "html(head(script('1<2') noscript('<p>x')) body)"),
        ] {
            assert_eq!(shape(html), wanted, "{html}");
        }
    }

    #[test]
    fn broken_markup_is_read_as_browsers_do() {
        fn show(html: &str) -> String {
            let tree = HtmlTree::parse(html, 100);
            let mut out = String::new();
            for id in tree.node_ids().skip(1) {
                let node = tree.node(id);
                if node.is_text() {
                    out += &node.text;
                } else if !matches!(node.tag, Tag::Head | Tag::Body) {
                    write!(out, "<{}", node.name).unwrap();
                    for attribute in tree.attributes(id) {
                        write!(out, " {}=[{}]", attribute.name, attribute.value).unwrap();
                    }
                    out += ">";
                }
            }
            out
        }
        for (html, wanted) in [
            ("a<b", "a"),
            ("1 < 2 <3 <", "1 < 2 <3 <"),
            ("<a href=x title='a>b' TITLE=c hidden>t</a x='>'>", "<a href=[x] title=[a>b] hidden=[]>t"),
            ("<a href='?a=1&copy=2&amp;b'>", "<a href=[?a=1&copy=2&b]>"),
            ("<img src=a/b />", "<img src=[a/b]>"),
            ("<!-- a > b --><!doctype html><?php x ?><!-->y", "y"),
            (
                "<script>if (a</b/) '<!-- <script>x</script> -->'</script>z",
                "<script>if (a</b/) '<!-- <script>x</script> -->'z",
            ),
            ("<title>A &amp; <b></TITLE >", "<title>A & <b>"),
            ("<style>never closed <p>", "<style>never closed <p>"),
            ("<div =a='b' é=\"ü\"/>", "<div =a=[b] é=[ü]>"),
        ] {
            assert_eq!(show(html), wanted, "{html}");
        }
    }

    #[test]
    fn nodes_are_numbered_in_document_order() {
        let tree = HtmlTree::parse("<div><p>a<b>c</b></p><i>d</i></div>e", 100);
        let names: Vec<_> = tree.node_ids().map(|id| (&*tree.node(id).name, &*tree.node(id).text)).collect();
        let (before, after) = names.split_at(3);
        assert_eq!(before, [("html", ""), ("head", ""), ("body", "")]);
        assert_eq!(after, [("div", ""), ("p", ""), ("", "a"), ("b", ""), ("", "c"), ("i", ""), ("", "d"), ("", "e")]);
        assert_eq!((tree.end_of(3), tree.end_of(4), tree.end_of(ROOT)), (10, 8, 11));
    }

    /// Fails unless nodes are numbered as they stand and know their neighbours.
    fn check_order(html: &str, depth: usize) {
        let tree = HtmlTree::parse(html, depth);
        let (mut open, mut order) = (vec![ROOT], Vec::new());
        while let Some(id) = open.pop() {
            order.push(id);
            let children: Vec<NodeId> = tree.children(id).collect();
            let mut previous = None;
            for &child in &children {
                assert_eq!((tree.parent(child), tree.previous_sibling(child)), (Some(id), previous), "{html}");
                previous = Some(child);
            }
            open.extend(children.iter().rev());
        }
        assert!(order.iter().copied().eq(tree.node_ids()), "{html}: {order:?}");
    }

    #[test]
    fn nodes_that_were_moved_are_numbered_where_they_stand() {
        for html in [
            "<table><tr><td>a<tr>b<p>c<td>d</table>e",
            "<p>1<b>2<i>3</b>4<div>5</i>6</div>",
            "<a>1<div>2<a>3</div>4<table>5<a>6",
            "<b><b><b><b><p>x<p>y</b></b><table><b>z<td>",
        ] {
            check_order(html, 100);
        }
    }

    proptest! {
        #[test]
        fn any_markup_has_a_tree_in_order(
            tags in prop::collection::vec((0..3_u8, prop::sample::select(vec![
                "a", "b", "body", "br", "button", "caption", "col", "colgroup", "desc", "div", "dd", "font", "form",
                "frame", "frameset", "h1", "head", "html", "i", "input", "li", "math", "mi", "nobr", "noscript", "object",
                "option", "p", "plaintext", "rt", "script", "select", "svg", "table", "tbody", "td", "template",
                "textarea", "title", "tr", "ul", "xmp",
            ])), 0..80),
            depth in 8..40_usize,
        ) {
            let html: String = tags
                .iter()
                .map(|(kind, tag)| match kind {
                    0 => format!("<{tag}>"),
                    1 => format!("</{tag}>"),
                    _ => format!("<{tag} a=1>x "),
                })
                .collect();
            check_order(&html, depth);
        }
    }

    #[test]
    fn many_open_elements_attributes_and_copies_end_quickly() {
        let attributes: String = (0..200_000).map(|number| format!(" a{number}")).collect();
        let fonts: String = (0..2_000).map(|number| format!("<font size={number}>")).collect();
        for (html, most_nodes) in [
            ("<div>".repeat(300_000), 300_010),
            (format!("<p{attributes}>x</p><p title='a b'>y"), 10),
            (format!("{fonts}{}", "<p>x".repeat(50_000)), 150_000),
            ("<b><p></b>".repeat(50_000), 500_000),
            ("<table><tr><td>".repeat(50_000), 200_000),
            (format!("<p>{}", "<svg><g>".repeat(100_000)), 300_000),
            ("<a><div>".repeat(50_000), 300_000),
            ("<select><option>".repeat(50_000), 200_000),
            ("<template>".repeat(100_000), 200_000),
        ] {
            let start = std::time::Instant::now();
            let tree = HtmlTree::parse(&html, 200);
            assert!(tree.len() <= most_nodes, "{} has {} nodes", &html[..30], tree.len());
            assert!(start.elapsed().as_secs() < 20, "{} took {:?}", &html[..30], start.elapsed());
        }
        let tree = HtmlTree::parse(&format!("<p{attributes}>x</p><p title='a b'>y"), 200);
        assert_eq!(tree.text_line(ROOT), "x y");
        assert_eq!(tree.node_ids().filter_map(|id| tree.attribute(id, "title")).next(), Some("a b"));
    }

    #[test]
    fn what_is_too_deep_keeps_its_text() {
        let html =
            format!("{}a{}b<script>1</script>{}c", "<div>".repeat(300), "</div><div>".repeat(3), "</div>".repeat(300));
        let tree = HtmlTree::parse(&html, 20);
        assert_eq!(tree.text_line(ROOT), "a b c");
        let deepest = tree.node_ids().map(|id| tree.ancestors(id).count()).max();
        assert!(deepest.is_some_and(|deepest| deepest <= 24), "{deepest:?}");
    }
}
