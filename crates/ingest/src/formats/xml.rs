//! XML as a tree that borrows from its source: about sixty bytes for each element. Entities other than the predefined
//! ones and character references are never expanded, and nothing outside the text is ever looked at.

use std::borrow::Cow;

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::damaged_file;
use crate::{ExtractionError, ExtractionLimits};

const NONE: u32 = u32::MAX;

enum XmlContent<'a> {
    Element(BytesStart<'a>),
    Text(Cow<'a, str>),
}

struct XmlItem<'a> {
    content: XmlContent<'a>,
    parent: u32,
    first: u32,
    next: u32,
}

pub(super) struct XmlTree<'a> {
    items: Vec<XmlItem<'a>>,
}

impl<'a> XmlTree<'a> {
    /// Parses an XML document within the depth limit.
    pub fn parse(source: &'a str, limits: &ExtractionLimits) -> Result<Self, ExtractionError> {
        let (tree, error) = Self::parse_as_far_as_possible(source, limits)?;
        match error {
            None => Ok(tree),
            Some(error) => Err(damaged_file(error)),
        }
    }

    /// Parses until the end or the first error, and gives both the tree and the error.
    pub fn parse_as_far_as_possible(
        source: &'a str,
        limits: &ExtractionLimits,
    ) -> Result<(Self, Option<String>), ExtractionError> {
        let mut reader = xml_reader(source);
        let mut tree = Self::empty();
        // The open elements, each with its last child.
        let mut open: Vec<(u32, u32)> = vec![(0, NONE)];
        loop {
            match reader.read_event() {
                Ok(Event::Eof) => {
                    let error = (open.len() > 1).then(|| "its markup ends too early".to_owned());
                    return Ok((tree, error));
                }
                Ok(event) => tree.add_event(event, &mut open, limits)?,
                Err(error) => return Ok((tree, Some(format!("its markup is broken ({error})")))),
            }
        }
    }

    /// Parses a document that is too long to be kept: `visit` is given each outermost element of one of these names, and
    /// then it is forgotten.
    pub fn parse_each(
        source: &'a str,
        names: &[&str],
        limits: &ExtractionLimits,
        visit: &mut dyn FnMut(XmlNode) -> Result<(), ExtractionError>,
    ) -> Result<(), ExtractionError> {
        let mut reader = xml_reader(source);
        let mut tree = Self::empty();
        let mut open: Vec<(u32, u32)> = vec![(0, NONE)];
        loop {
            let event = reader.read_event().map_err(|error| damaged_file(format!("its markup is broken ({error})")))?;
            let wanted = match &event {
                Event::Eof if open.len() > 1 => return Err(damaged_file("its markup ends too early")),
                Event::Eof => return Ok(()),
                Event::Start(start) | Event::Empty(start) => {
                    names.iter().any(|name| name.as_bytes() == start.local_name().into_inner())
                }
                _ => false,
            };
            if open.len() == 1 && !wanted {
                continue;
            }
            tree.add_event(event, &mut open, limits)?;
            if open.len() == 1 {
                if let Some(node) = tree.root().children().next() {
                    visit(node)?;
                }
                tree.items.truncate(1);
                tree.items[0].first = NONE;
                open[0] = (0, NONE);
            }
        }
    }

    fn empty() -> Self {
        let root = XmlItem { content: XmlContent::Element(BytesStart::new("")), parent: NONE, first: NONE, next: NONE };
        Self { items: vec![root] }
    }

    fn add_event(
        &mut self,
        event: Event<'a>,
        open: &mut Vec<(u32, u32)>,
        limits: &ExtractionLimits,
    ) -> Result<(), ExtractionError> {
        let text = match event {
            Event::Start(start) => {
                let id = self.add_item(open, XmlContent::Element(start))?;
                open.push((id, NONE));
                if open.len() > limits.depth.saturating_add(1) {
                    let depth = limits.depth;
                    return Err(ExtractionError::TooLarge(format!("its elements nest deeper than {depth} levels")));
                }
                None
            }
            Event::Empty(start) => {
                self.add_item(open, XmlContent::Element(start))?;
                None
            }
            Event::End(_) => {
                if open.len() > 1 {
                    open.pop();
                }
                None
            }
            Event::Text(text) => text.decode().ok(),
            Event::CData(text) => text.decode().ok(),
            Event::GeneralRef(reference) => resolve_entity(&reference),
            _ => None,
        };
        if let Some(text) = text {
            self.add_item(open, XmlContent::Text(text))?;
        }
        Ok(())
    }

    fn add_item(&mut self, open: &mut [(u32, u32)], content: XmlContent<'a>) -> Result<u32, ExtractionError> {
        let id = u32::try_from(self.items.len()).map_err(|_| ExtractionError::TooLarge("too many elements".into()))?;
        let Some((parent, last)) = open.last_mut() else { return Err(damaged_file("its markup is broken")) };
        self.items.push(XmlItem { content, parent: *parent, first: NONE, next: NONE });
        if *last == NONE {
            self.items[*parent as usize].first = id;
        } else {
            self.items[*last as usize].next = id;
        }
        *last = id;
        Ok(id)
    }

    /// Returns the document node, the parent of the outermost element.
    pub fn root(&self) -> XmlNode<'_> {
        XmlNode { tree: self, id: 0 }
    }
}

fn xml_reader(source: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(source);
    let config = reader.config_mut();
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    reader
}

fn resolve_entity<'a>(reference: &quick_xml::events::BytesRef<'a>) -> Option<Cow<'a, str>> {
    if let Ok(Some(char)) = reference.resolve_char_ref() {
        return Some(Cow::Owned(char.to_string()));
    }
    let name = reference.decode().ok()?;
    Some(Cow::Borrowed(match name.as_ref() {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        // Of HTML's names the one that pages in XML use most.
        "nbsp" => "\u{a0}",
        _ => return None,
    }))
}

/// An element or a piece of text.
#[derive(Clone, Copy)]
pub(super) struct XmlNode<'t> {
    tree: &'t XmlTree<'t>,
    id: u32,
}

impl PartialEq for XmlNode<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<'t> XmlNode<'t> {
    fn item(self) -> &'t XmlItem<'t> {
        &self.tree.items[self.id as usize]
    }

    /// Its name without the prefix; empty for text.
    pub fn name(self) -> &'t str {
        match &self.item().content {
            XmlContent::Element(start) => std::str::from_utf8(start.local_name().into_inner()).unwrap_or_default(),
            XmlContent::Text(_) => "",
        }
    }

    pub fn has_name(self, name: &str) -> bool {
        self.name() == name
    }

    /// The piece of text, if it is one.
    pub fn as_text(self) -> Option<&'t str> {
        match &self.item().content {
            XmlContent::Text(text) => Some(text),
            XmlContent::Element(_) => None,
        }
    }

    pub fn parent(self) -> Option<XmlNode<'t>> {
        let parent = self.item().parent;
        (parent != NONE).then_some(XmlNode { tree: self.tree, id: parent })
    }

    /// The attribute of that name, whatever its prefix.
    pub fn attr(self, name: &str) -> Option<String> {
        let XmlContent::Element(start) = &self.item().content else { return None };
        start.attributes().with_checks(false).flatten().find_map(|attribute| {
            if attribute.key.local_name().into_inner() != name.as_bytes() {
                return None;
            }
            let raw = std::str::from_utf8(&attribute.value).ok()?;
            Some(match quick_xml::escape::unescape(raw) {
                Ok(value) => value.into_owned(),
                Err(_) => raw.to_owned(),
            })
        })
    }

    /// The attribute of that name that has a prefix, where another of the same name has none.
    pub fn attr_with_prefix(self, name: &str) -> Option<String> {
        let XmlContent::Element(start) = &self.item().content else { return None };
        start.attributes().with_checks(false).flatten().find_map(|attribute| {
            let found = attribute.key.local_name().into_inner() == name.as_bytes() && attribute.key.prefix().is_some();
            found.then(|| String::from_utf8_lossy(&attribute.value).into_owned())
        })
    }

    /// Parses the attribute of that name as a number.
    pub fn number_attr<T: std::str::FromStr>(self, name: &str) -> Option<T> {
        self.attr(name)?.trim().parse().ok()
    }

    /// A switch of Office's: present means on, unless it says otherwise.
    pub fn is_on(self) -> bool {
        !matches!(self.attr("val").as_deref(), Some("0" | "false" | "off"))
    }

    pub fn children(self) -> impl Iterator<Item = XmlNode<'t>> {
        let mut next = self.item().first;
        std::iter::from_fn(move || {
            let node = (next != NONE).then_some(XmlNode { tree: self.tree, id: next })?;
            next = node.item().next;
            Some(node)
        })
    }

    /// The first child of that name.
    pub fn child(self, name: &str) -> Option<XmlNode<'t>> {
        self.children().find(|node| node.has_name(name))
    }

    /// The `val` of the child of that name, as Office likes to write things.
    pub fn child_val(self, name: &str) -> Option<String> {
        self.child(name)?.attr("val")
    }

    /// All below it, in the order of the text.
    pub fn descendants(self) -> impl Iterator<Item = XmlNode<'t>> {
        // Ids are given in the order of the text, so what lies below is one range of them.
        let mut above = Some(self);
        let end = loop {
            match above {
                Some(node) if node.item().next != NONE => break node.item().next,
                Some(node) => above = node.parent(),
                None => break self.tree.items.len() as u32,
            }
        };
        (self.id + 1..end).map(move |id| XmlNode { tree: self.tree, id })
    }

    /// The first below it of that name.
    pub fn find_descendant(self, name: &str) -> Option<XmlNode<'t>> {
        self.descendants().find(|node| node.has_name(name))
    }

    /// All text below it, as written.
    pub fn text(self) -> String {
        self.descendants().filter_map(XmlNode::as_text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_keeps_order_names_and_text() {
        let source = r#"<?xml version="1.0"?><w:a x:val="1 &amp; 2">one<b>two &lt;&#65;</b><b/>three</w:a>"#;
        let limits = ExtractionLimits::default();
        let tree = XmlTree::parse(source, &limits).unwrap();
        let a = tree.root().child("a").unwrap();
        assert_eq!(a.attr("val").as_deref(), Some("1 & 2"));
        assert_eq!(a.text(), "onetwo <Athree");
        assert_eq!(a.child("b").unwrap().text(), "two <A");
        assert_eq!(a.children().filter(|node| node.has_name("b")).count(), 2);
    }

    #[test]
    fn a_long_document_is_visited_piece_by_piece() {
        let limits = ExtractionLimits::default();
        let mut seen = Vec::new();
        let source = "<a><r n='1'><v>x</v></r><other><r>inner</r></other><r n='2'/><end/></a>";
        XmlTree::parse_each(source, &["r"], &limits, &mut |node| {
            seen.push((node.attr("n"), node.text()));
            Ok(())
        })
        .unwrap();
        let one = |number: Option<&str>, text: &str| (number.map(str::to_owned), text.to_owned());
        assert_eq!(seen, [one(Some("1"), "x"), one(None, "inner"), one(Some("2"), "")]);
    }

    #[test]
    fn entities_of_a_document_are_never_expanded() {
        let source = r#"<!DOCTYPE a [<!ENTITY x "boom"><!ENTITY y "&x;&x;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
            <a>before&y;&f;after</a>"#;
        let limits = ExtractionLimits::default();
        let (tree, _) = XmlTree::parse_as_far_as_possible(source, &limits).unwrap();
        assert_eq!(tree.root().text().trim(), "beforeafter");
    }

    #[test]
    fn too_deep_is_an_error_and_broken_too() {
        let limits = ExtractionLimits { depth: 10, ..ExtractionLimits::default() };
        assert!(matches!(XmlTree::parse(&"<a>".repeat(20), &limits), Err(ExtractionError::TooLarge(_))));
        assert!(matches!(XmlTree::parse("<a><b>", &limits), Err(ExtractionError::Damaged(_))));
    }
}
