//! Which element each token belongs to.

use std::borrow::Cow;

use super::{HtmlAttribute, HtmlNode, HtmlTree, NONE, NodeId, ROOT, Tag, non_null_id};

/// Puts tokens where they belong.
pub(super) struct HtmlTreeBuilder<'a> {
    tree: HtmlTree<'a>,
    /// The open elements, outermost first; never empty.
    open: Vec<NodeId>,
    depth: usize,
    /// Number of elements beyond the depth limit whose end tags are still expected.
    skipped: usize,
    has_body: bool,
    /// The element that raw text belongs to.
    raw: NodeId,
}

impl<'a> HtmlTreeBuilder<'a> {
    pub(super) fn new(len: usize, depth: usize) -> Self {
        let mut tree = HtmlTree { nodes: Vec::with_capacity(len / 40 + 8), attributes: Vec::with_capacity(len / 60) };
        tree.nodes.push(element_node(Tag::Html, "html", NONE, (0, 0)));
        Self { tree, open: vec![ROOT], depth, skipped: 0, has_body: false, raw: ROOT }
    }

    /// Returns the finished tree; elements may still be open.
    pub(super) fn finish(self) -> HtmlTree<'a> {
        self.tree
    }

    fn current_node(&self) -> NodeId {
        self.open.last().copied().unwrap_or(ROOT)
    }

    fn current_tag(&self) -> Tag {
        self.tree.tag(self.current_node())
    }

    fn append_node(&mut self, mut node: HtmlNode<'a>) -> NodeId {
        let id = self.tree.nodes.len() as NodeId;
        // Numbers end where a document has billions of nodes, which no limit lets in; the last one is then reused.
        if id == NONE {
            return id - 1;
        }
        let parent = self.current_node();
        node.parent = parent;
        self.tree.nodes.push(node);
        let last = std::mem::replace(&mut self.tree.nodes[parent as usize].last, id);
        match non_null_id(last) {
            Some(last) => {
                self.tree.nodes[last as usize].next = id;
                self.tree.nodes[id as usize].previous = last;
            }
            None => self.tree.nodes[parent as usize].first = id,
        }
        id
    }

    /// Closes elements down to the one at `index` of the open ones, and that one too.
    fn close_elements(&mut self, index: usize) {
        self.open.truncate(index.max(1));
    }

    /// The index of the innermost open element that `wanted` takes, looking no further than `barrier`.
    fn find_open_element(&self, wanted: impl Fn(Tag) -> bool, barrier: impl Fn(Tag) -> bool) -> Option<usize> {
        for (index, &id) in self.open.iter().enumerate().skip(1).rev() {
            let tag = self.tree.tag(id);
            if wanted(tag) {
                return Some(index);
            }
            if barrier(tag) {
                return None;
            }
        }
        None
    }

    fn close_paragraph(&mut self) {
        if let Some(index) = self.find_open_element(|tag| tag == Tag::P, |tag| tag.is_boundary() || tag == Tag::Button)
        {
            self.close_elements(index);
        }
    }

    fn leave_head(&mut self) {
        if let Some(index) = self.find_open_element(|tag| tag == Tag::Head, |tag| tag == Tag::Template) {
            self.close_elements(index);
        }
    }

    pub(super) fn open_element(
        &mut self,
        tag: Tag,
        name: &'a str,
        closed: bool,
        attributes: &mut Vec<HtmlAttribute<'a>>,
    ) {
        match tag {
            Tag::Html => return self.set_root_attributes(ROOT, attributes),
            Tag::Head if self.open.len() > 1 || self.has_body => return,
            Tag::Body => {
                self.leave_head();
                if self.has_body {
                    return;
                }
                self.has_body = true;
            }
            _ if tag.is_of_head() || tag == Tag::Head => {}
            _ => self.leave_head(),
        }
        if !self.make_room(tag) {
            return;
        }
        let from = self.tree.attributes.len() as u32;
        self.tree.attributes.append(attributes);
        let to = self.tree.attributes.len() as u32;
        let id = self.append_node(element_node(tag, name, NONE, (from, to)));
        if tag.is_raw() {
            self.raw = id;
        }
        let foreign = closed && self.find_open_element(|tag| matches!(tag, Tag::Svg | Tag::Math), |_| false).is_some();
        if tag.is_void() || foreign || (closed && matches!(tag, Tag::Svg | Tag::Math)) {
            return;
        }
        if self.open.len() >= self.depth {
            self.skipped += usize::from(!tag.ends_unsaid());
        } else {
            self.open.push(id);
        }
    }

    /// Closes what a start tag closes; says whether the tag may stand here at all.
    fn make_room(&mut self, tag: Tag) -> bool {
        if tag.ends_paragraph() {
            if let Some(index) = self.find_open_element(|tag| matches!(tag, Tag::Svg | Tag::Math), |tag| tag.is_block())
            {
                self.close_elements(index);
            }
            self.close_paragraph();
        }
        match tag {
            Tag::Li => self.close_item(|tag| tag == Tag::Li),
            Tag::Dd | Tag::Dt => self.close_item(|tag| matches!(tag, Tag::Dd | Tag::Dt)),
            _ if tag.heading_level().is_some() && self.current_tag().heading_level().is_some() => {
                self.close_elements(self.open.len() - 1)
            }
            Tag::A => self.close_link(),
            Tag::Option | Tag::Optgroup if self.current_tag() == Tag::Option => {
                self.close_elements(self.open.len() - 1)
            }
            Tag::Button => {
                if let Some(index) = self.find_open_element(|tag| tag == Tag::Button, Tag::is_boundary) {
                    self.close_elements(index);
                }
            }
            Tag::Tr | Tag::Td | Tag::Th | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Caption | Tag::Colgroup => {
                let Some(table) = self.find_open_element(|tag| tag == Tag::Table, |tag| tag == Tag::Template) else {
                    return false;
                };
                let within = |tags: &[Tag]| {
                    self.open
                        .iter()
                        .enumerate()
                        .skip(table + 1)
                        .rev()
                        .find(|&(_, &id)| tags.contains(&self.tree.tag(id)))
                        .map(|(index, _)| index)
                };
                let keep = match tag {
                    Tag::Td | Tag::Th => within(&[Tag::Tr]).or_else(|| within(&[Tag::Tbody, Tag::Thead, Tag::Tfoot])),
                    Tag::Tr => within(&[Tag::Tbody, Tag::Thead, Tag::Tfoot]),
                    _ => None,
                };
                self.close_elements(keep.unwrap_or(table) + 1);
            }
            _ => {}
        }
        true
    }

    fn close_item(&mut self, wanted: impl Fn(Tag) -> bool) {
        let barrier =
            |tag: Tag| (tag.is_block() || tag.is_boundary()) && !matches!(tag, Tag::Address | Tag::Div | Tag::P);
        if let Some(index) = self.find_open_element(wanted, barrier) {
            self.close_elements(index);
        }
    }

    /// Links do not nest: an open one ends, or is none, where the next begins.
    fn close_link(&mut self) {
        if let Some(index) = self.find_open_element(|tag| tag == Tag::A, |tag| tag.is_block() || tag.is_boundary()) {
            self.close_elements(index);
        } else if let Some(index) = self.find_open_element(|tag| tag == Tag::A, Tag::is_boundary) {
            let outer = self.open[index] as usize;
            self.tree.nodes[outer].tag = Tag::Span;
        }
    }

    /// Gives a second `<html>` tag's attributes to the root, if it has none.
    fn set_root_attributes(&mut self, id: NodeId, attributes: &mut Vec<HtmlAttribute<'a>>) {
        let from = self.tree.attributes.len() as u32;
        if self.tree.attributes(id).is_empty() {
            self.tree.attributes.append(attributes);
            self.tree.nodes[id as usize].attributes = (from, self.tree.attributes.len() as u32);
        }
    }

    pub(super) fn end_element(&mut self, tag: Tag, name: &str) {
        if self.skipped > 0 && tag != Tag::Br {
            self.skipped -= usize::from(!tag.ends_unsaid());
            return;
        }
        match tag {
            Tag::Html | Tag::Body => {}
            Tag::Head => self.leave_head(),
            Tag::Br => {
                self.append_node(element_node(Tag::Br, "br", NONE, (0, 0)));
            }
            Tag::P => {
                match self.find_open_element(|tag| tag == Tag::P, |tag| tag.is_boundary() || tag == Tag::Button) {
                    Some(index) => self.close_elements(index),
                    None => {
                        self.append_node(element_node(Tag::P, "p", NONE, (0, 0)));
                    }
                }
            }
            Tag::Li => {
                self.end_within(|tag| tag == Tag::Li, |tag| tag.is_boundary() || matches!(tag, Tag::Ul | Tag::Ol))
            }
            Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Tr | Tag::Td | Tag::Th | Tag::Caption => {
                self.end_within(|found| found == tag, |tag| matches!(tag, Tag::Table | Tag::Template));
            }
            _ if tag.heading_level().is_some() => {
                self.end_within(|tag| tag.heading_level().is_some(), Tag::is_boundary)
            }
            _ if tag.is_formatting() => self.end_formatting(tag),
            _ if tag.is_block() || tag.is_boundary() || tag == Tag::Button => {
                self.end_within(|found| found == tag, Tag::is_boundary);
            }
            _ => self.end_inline(tag, name),
        }
    }

    fn end_within(&mut self, wanted: impl Fn(Tag) -> bool, barrier: impl Fn(Tag) -> bool) {
        if let Some(index) = self.find_open_element(wanted, barrier) {
            self.close_elements(index);
        }
    }

    /// Ends formatting; where blocks were opened within it, they stay open.
    fn end_formatting(&mut self, tag: Tag) {
        let Some(index) = self.find_open_element(|found| found == tag, Tag::is_boundary) else { return };
        let crossed = self.open[index + 1..].iter().any(|&id| self.tree.tag(id).is_block());
        if crossed {
            self.open.remove(index);
        } else {
            self.close_elements(index);
        }
    }

    fn end_inline(&mut self, tag: Tag, name: &str) {
        for (index, &id) in self.open.iter().enumerate().skip(1).rev() {
            let node = self.tree.node(id);
            if node.tag == tag && (tag != Tag::Other || node.name.eq_ignore_ascii_case(name)) {
                return self.close_elements(index);
            }
            if node.tag.is_block() || node.tag.is_boundary() {
                return;
            }
        }
    }

    pub(super) fn push_text(&mut self, text: Cow<'a, str>) {
        let blank = text.bytes().all(|byte| byte.is_ascii_whitespace());
        if !blank {
            self.leave_head();
        }
        self.append_node(text_node(text));
    }

    pub(super) fn push_raw_text(&mut self, text: Cow<'a, str>) {
        if self.current_node() == self.raw && !text.is_empty() {
            self.append_node(text_node(text));
        }
    }
}

fn element_node<'a>(tag: Tag, name: &'a str, parent: NodeId, attributes: (u32, u32)) -> HtmlNode<'a> {
    HtmlNode {
        tag,
        name,
        text: Cow::Borrowed(""),
        attributes,
        parent,
        first: NONE,
        last: NONE,
        next: NONE,
        previous: NONE,
        dropped: false,
        is_text: false,
    }
}

fn text_node(text: Cow<'_, str>) -> HtmlNode<'_> {
    HtmlNode { text, is_text: true, ..element_node(Tag::Other, "", NONE, (0, 0)) }
}
