//! Which element each token belongs to.

use std::borrow::Cow;

use super::{Attribute, Id, NONE, Node, ROOT, Tag, Tree, some};

/// Puts tokens where they belong.
pub(super) struct Builder<'a> {
    tree: Tree<'a>,
    /// The open elements, outermost first; never empty.
    open: Vec<Id>,
    depth: usize,
    /// How many elements were too deep to be opened and wait for their end tags.
    skipped: usize,
    has_body: bool,
    /// The element that raw text belongs to.
    raw: Id,
}

impl<'a> Builder<'a> {
    pub(super) fn new(len: usize, depth: usize) -> Self {
        let mut tree = Tree { nodes: Vec::with_capacity(len / 40 + 8), attributes: Vec::with_capacity(len / 60) };
        tree.nodes.push(element(Tag::Html, "html", NONE, (0, 0)));
        Self { tree, open: vec![ROOT], depth, skipped: 0, has_body: false, raw: ROOT }
    }

    /// What was built.
    pub(super) fn finish(self) -> Tree<'a> {
        self.tree
    }

    fn current(&self) -> Id {
        self.open.last().copied().unwrap_or(ROOT)
    }

    fn current_tag(&self) -> Tag {
        self.tree.tag(self.current())
    }

    fn append(&mut self, mut node: Node<'a>) -> Id {
        let id = self.tree.nodes.len() as Id;
        // Numbers end where a document has billions of nodes, which no limit lets in; the last one is then reused.
        if id == NONE {
            return id - 1;
        }
        let parent = self.current();
        node.parent = parent;
        self.tree.nodes.push(node);
        let last = std::mem::replace(&mut self.tree.nodes[parent as usize].last, id);
        match some(last) {
            Some(last) => {
                self.tree.nodes[last as usize].next = id;
                self.tree.nodes[id as usize].previous = last;
            }
            None => self.tree.nodes[parent as usize].first = id,
        }
        id
    }

    /// Closes elements down to the one at `index` of the open ones, and that one too.
    fn close(&mut self, index: usize) {
        self.open.truncate(index.max(1));
    }

    /// The index of the innermost open element that `wanted` takes, looking no further than `barrier`.
    fn find(&self, wanted: impl Fn(Tag) -> bool, barrier: impl Fn(Tag) -> bool) -> Option<usize> {
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
        if let Some(index) = self.find(|tag| tag == Tag::P, |tag| tag.is_boundary() || tag == Tag::Button) {
            self.close(index);
        }
    }

    fn leave_head(&mut self) {
        if let Some(index) = self.find(|tag| tag == Tag::Head, |tag| tag == Tag::Template) {
            self.close(index);
        }
    }

    pub(super) fn start(&mut self, tag: Tag, name: &'a str, closed: bool, attributes: &mut Vec<Attribute<'a>>) {
        match tag {
            Tag::Html => return self.adopt(ROOT, attributes),
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
        let id = self.append(element(tag, name, NONE, (from, to)));
        if tag.is_raw() {
            self.raw = id;
        }
        let foreign = closed && self.find(|tag| matches!(tag, Tag::Svg | Tag::Math), |_| false).is_some();
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
            if let Some(index) = self.find(|tag| matches!(tag, Tag::Svg | Tag::Math), |tag| tag.is_block()) {
                self.close(index);
            }
            self.close_paragraph();
        }
        match tag {
            Tag::Li => self.close_item(|tag| tag == Tag::Li),
            Tag::Dd | Tag::Dt => self.close_item(|tag| matches!(tag, Tag::Dd | Tag::Dt)),
            _ if tag.heading().is_some() && self.current_tag().heading().is_some() => self.close(self.open.len() - 1),
            Tag::A => self.close_link(),
            Tag::Option | Tag::Optgroup if self.current_tag() == Tag::Option => self.close(self.open.len() - 1),
            Tag::Button => {
                if let Some(index) = self.find(|tag| tag == Tag::Button, Tag::is_boundary) {
                    self.close(index);
                }
            }
            Tag::Tr | Tag::Td | Tag::Th | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Caption | Tag::Colgroup => {
                let Some(table) = self.find(|tag| tag == Tag::Table, |tag| tag == Tag::Template) else { return false };
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
                self.close(keep.unwrap_or(table) + 1);
            }
            _ => {}
        }
        true
    }

    fn close_item(&mut self, wanted: impl Fn(Tag) -> bool) {
        let barrier =
            |tag: Tag| (tag.is_block() || tag.is_boundary()) && !matches!(tag, Tag::Address | Tag::Div | Tag::P);
        if let Some(index) = self.find(wanted, barrier) {
            self.close(index);
        }
    }

    /// Links do not nest: an open one ends, or is none, where the next begins.
    fn close_link(&mut self) {
        if let Some(index) = self.find(|tag| tag == Tag::A, |tag| tag.is_block() || tag.is_boundary()) {
            self.close(index);
        } else if let Some(index) = self.find(|tag| tag == Tag::A, Tag::is_boundary) {
            let outer = self.open[index] as usize;
            self.tree.nodes[outer].tag = Tag::Span;
        }
    }

    /// Gives a second `<html>` tag's attributes to the root, if it has none.
    fn adopt(&mut self, id: Id, attributes: &mut Vec<Attribute<'a>>) {
        let from = self.tree.attributes.len() as u32;
        if self.tree.attributes(id).is_empty() {
            self.tree.attributes.append(attributes);
            self.tree.nodes[id as usize].attributes = (from, self.tree.attributes.len() as u32);
        }
    }

    pub(super) fn end(&mut self, tag: Tag, name: &str) {
        if self.skipped > 0 && tag != Tag::Br {
            self.skipped -= usize::from(!tag.ends_unsaid());
            return;
        }
        match tag {
            Tag::Html | Tag::Body => {}
            Tag::Head => self.leave_head(),
            Tag::Br => {
                self.append(element(Tag::Br, "br", NONE, (0, 0)));
            }
            Tag::P => match self.find(|tag| tag == Tag::P, |tag| tag.is_boundary() || tag == Tag::Button) {
                Some(index) => self.close(index),
                None => {
                    self.append(element(Tag::P, "p", NONE, (0, 0)));
                }
            },
            Tag::Li => {
                self.end_within(|tag| tag == Tag::Li, |tag| tag.is_boundary() || matches!(tag, Tag::Ul | Tag::Ol))
            }
            Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Tr | Tag::Td | Tag::Th | Tag::Caption => {
                self.end_within(|found| found == tag, |tag| matches!(tag, Tag::Table | Tag::Template));
            }
            _ if tag.heading().is_some() => self.end_within(|tag| tag.heading().is_some(), Tag::is_boundary),
            _ if tag.is_formatting() => self.end_formatting(tag),
            _ if tag.is_block() || tag.is_boundary() || tag == Tag::Button => {
                self.end_within(|found| found == tag, Tag::is_boundary);
            }
            _ => self.end_inline(tag, name),
        }
    }

    fn end_within(&mut self, wanted: impl Fn(Tag) -> bool, barrier: impl Fn(Tag) -> bool) {
        if let Some(index) = self.find(wanted, barrier) {
            self.close(index);
        }
    }

    /// Ends formatting; where blocks were opened within it, they stay open.
    fn end_formatting(&mut self, tag: Tag) {
        let Some(index) = self.find(|found| found == tag, Tag::is_boundary) else { return };
        let crossed = self.open[index + 1..].iter().any(|&id| self.tree.tag(id).is_block());
        if crossed {
            self.open.remove(index);
        } else {
            self.close(index);
        }
    }

    fn end_inline(&mut self, tag: Tag, name: &str) {
        for (index, &id) in self.open.iter().enumerate().skip(1).rev() {
            let node = self.tree.node(id);
            if node.tag == tag && (tag != Tag::Other || node.name.eq_ignore_ascii_case(name)) {
                return self.close(index);
            }
            if node.tag.is_block() || node.tag.is_boundary() {
                return;
            }
        }
    }

    pub(super) fn text(&mut self, text: Cow<'a, str>) {
        let blank = text.bytes().all(|byte| byte.is_ascii_whitespace());
        if !blank {
            self.leave_head();
        }
        self.append(written(text));
    }

    pub(super) fn raw(&mut self, text: Cow<'a, str>) {
        if self.current() == self.raw && !text.is_empty() {
            self.append(written(text));
        }
    }
}

fn element<'a>(tag: Tag, name: &'a str, parent: Id, attributes: (u32, u32)) -> Node<'a> {
    Node {
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

fn written(text: Cow<'_, str>) -> Node<'_> {
    Node { text, is_text: true, ..element(Tag::Other, "", NONE, (0, 0)) }
}
