//! The arena that html5ever builds into.

use std::{borrow::Cow, cell::RefCell};

use html5ever::{
    Attribute, ExpandedName, LocalName, Namespace, QualName, local_name, ns,
    tendril::StrTendril,
    tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink},
};

use super::{HtmlAttribute, HtmlNode, HtmlTree, NONE, NodeId, Tag, non_null_id};

/// The document, which is no node of the arena: its only element is the root.
const DOCUMENT: NodeId = NONE;

/// Comments and processing instructions, which hold nothing to read.
const IGNORED: NodeId = NONE - 1;

/// Attributes of one element that are read; no real page has as many.
const MOST_ATTRIBUTES: usize = 64;

/// A node with its name. The parser asks for names all the time, so they need not be looked up.
#[derive(Clone, Debug)]
pub(super) struct NodeHandle {
    id: NodeId,
    namespace: Namespace,
    name: LocalName,
    /// True for a MathML annotation that holds HTML.
    holds_html: bool,
}

impl NodeHandle {
    fn nameless(id: NodeId) -> Self {
        Self { id, namespace: ns!(), name: local_name!(""), holds_html: false }
    }
}

/// Takes the parser's changes to the tree. Nodes are numbered as they are made, and in document order at the end.
pub(super) struct ArenaSink(RefCell<Arena>);

#[derive(Default)]
struct Arena {
    nodes: Vec<HtmlNode>,
    attributes: Vec<HtmlAttribute>,
    root: Option<NodeId>,
    /// Elements made so far, whether they stand in the tree or not.
    elements: usize,
}

impl ArenaSink {
    /// An empty arena for a document of `len` bytes.
    pub(super) fn with_capacity(len: usize) -> Self {
        Self(RefCell::new(Arena {
            nodes: Vec::with_capacity(len / 40 + 8),
            attributes: Vec::with_capacity(len / 60),
            ..Arena::default()
        }))
    }

    /// Number of elements made so far.
    pub(super) fn elements(&self) -> usize {
        self.0.borrow().elements
    }

    /// Number of nodes made so far.
    pub(super) fn len(&self) -> usize {
        self.0.borrow().nodes.len()
    }
}

impl Arena {
    /// Adds a node that stands nowhere yet.
    fn add(&mut self, node: HtmlNode) -> NodeId {
        let id = self.nodes.len() as NodeId;
        // Numbers end where a document has billions of nodes, which no limit lets in.
        if id >= IGNORED {
            return IGNORED;
        }
        self.nodes.push(node);
        id
    }

    fn node(&mut self, id: NodeId) -> Option<&mut HtmlNode> {
        self.nodes.get_mut(id as usize)
    }

    fn detach(&mut self, id: NodeId) {
        let Some(node) = self.node(id) else { return };
        let (parent, previous, next) = (node.parent, node.previous, node.next);
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
        match non_null_id(previous) {
            Some(previous) => self.nodes[previous as usize].next = next,
            None if parent != NONE => self.nodes[parent as usize].first = next,
            None => {}
        }
        match non_null_id(next) {
            Some(next) => self.nodes[next as usize].previous = previous,
            None if parent != NONE => self.nodes[parent as usize].last = previous,
            None => {}
        }
    }

    /// Puts a node that stands nowhere at the end of `parent`.
    fn append_node(&mut self, parent: NodeId, id: NodeId) {
        if id == IGNORED || parent == IGNORED {
            return;
        }
        if parent == DOCUMENT {
            self.root.get_or_insert(id);
            return;
        }
        let last = std::mem::replace(&mut self.nodes[parent as usize].last, id);
        match non_null_id(last) {
            Some(last) => self.nodes[last as usize].next = id,
            None => self.nodes[parent as usize].first = id,
        }
        let node = &mut self.nodes[id as usize];
        (node.parent, node.previous) = (parent, last);
    }

    fn append_text(&mut self, parent: NodeId, text: &StrTendril) {
        if parent >= IGNORED {
            return;
        }
        let last = self.nodes[parent as usize].last;
        if !self.extend_text(last, text) {
            let id = self.add(HtmlNode::of_text(text.clone()));
            self.append_node(parent, id);
        }
    }

    /// Adds to a text node; says whether `id` is one.
    fn extend_text(&mut self, id: NodeId, text: &StrTendril) -> bool {
        match self.node(id) {
            Some(node) if node.is_text => {
                node.text.push_tendril(text);
                true
            }
            _ => false,
        }
    }

    fn insert_before(&mut self, sibling: NodeId, child: NodeOrText<NodeHandle>) {
        if sibling >= IGNORED {
            return;
        }
        let previous = self.nodes[sibling as usize].previous;
        let id = match child {
            NodeOrText::AppendNode(handle) => handle.id,
            NodeOrText::AppendText(text) if self.extend_text(previous, &text) => return,
            NodeOrText::AppendText(text) => self.add(HtmlNode::of_text(text)),
        };
        if id == IGNORED {
            return;
        }
        self.detach(id);
        let HtmlNode { parent, previous, .. } = self.nodes[sibling as usize];
        if parent == NONE {
            return;
        }
        match non_null_id(previous) {
            Some(previous) => self.nodes[previous as usize].next = id,
            None => self.nodes[parent as usize].first = id,
        }
        self.nodes[sibling as usize].previous = id;
        let node = &mut self.nodes[id as usize];
        (node.parent, node.previous, node.next) = (parent, previous, sibling);
    }

    fn add_attributes(&mut self, attributes: impl Iterator<Item = Attribute>) -> (u32, u32) {
        let from = self.attributes.len() as u32;
        self.attributes.extend(
            attributes.take(MOST_ATTRIBUTES).map(|Attribute { name, value }| HtmlAttribute { name: name.local, value }),
        );
        (from, self.attributes.len() as u32)
    }

    /// The tree with its nodes in document order, without those that were taken out again.
    fn finish(mut self) -> HtmlTree {
        let mut order: Vec<NodeId> = Vec::with_capacity(self.nodes.len());
        let mut at = self.root;
        while let Some(id) = at {
            order.push(id);
            let node = &self.nodes[id as usize];
            at = non_null_id(node.first).or_else(|| {
                let mut id = id;
                loop {
                    let node = &self.nodes[id as usize];
                    if let Some(next) = non_null_id(node.next) {
                        return Some(next);
                    }
                    id = non_null_id(node.parent)?;
                }
            });
        }
        if order.is_empty() {
            self.nodes = vec![HtmlNode::of_element(Tag::Html, (0, 0))];
        } else if order.len() < self.nodes.len() || !order.is_sorted() {
            self.reorder(&order);
        }
        HtmlTree { nodes: self.nodes, attributes: self.attributes }
    }

    fn reorder(&mut self, order: &[NodeId]) {
        let mut place = vec![NONE; self.nodes.len()];
        for (index, &id) in order.iter().enumerate() {
            place[id as usize] = index as NodeId;
        }
        let placed = |id: NodeId| place.get(id as usize).copied().unwrap_or(NONE);
        let mut nodes: Vec<Option<HtmlNode>> = std::mem::take(&mut self.nodes).into_iter().map(Some).collect();
        self.nodes = order
            .iter()
            .filter_map(|&id| nodes[id as usize].take())
            .map(|node| HtmlNode {
                parent: placed(node.parent),
                first: placed(node.first),
                last: placed(node.last),
                next: placed(node.next),
                previous: placed(node.previous),
                ..node
            })
            .collect();
    }
}

impl TreeSink for ArenaSink {
    type Handle = NodeHandle;
    type Output = HtmlTree;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> HtmlTree {
        self.0.into_inner().finish()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeHandle {
        NodeHandle::nameless(DOCUMENT)
    }

    fn elem_name<'a>(&'a self, target: &'a NodeHandle) -> ExpandedName<'a> {
        ExpandedName { ns: &target.namespace, local: &target.name }
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> NodeHandle {
        let tag = match name.ns {
            ns!(html) => Tag::of(name.local.as_bytes()),
            // Names in drawings and formulas mean something else, but for the elements that begin them.
            _ => match Tag::of(name.local.as_bytes()) {
                tag @ (Tag::Svg | Tag::Math) => tag,
                _ => Tag::Other,
            },
        };
        let mut arena = self.0.borrow_mut();
        arena.elements += 1;
        let attributes = arena.add_attributes(attributes.into_iter());
        let id = arena.add(HtmlNode {
            #[cfg(test)]
            name: name.local.clone(),
            ..HtmlNode::of_element(tag, attributes)
        });
        let holds_html = flags.mathml_annotation_xml_integration_point;
        NodeHandle { id, namespace: name.ns, name: name.local, holds_html }
    }

    fn create_comment(&self, _: StrTendril) -> NodeHandle {
        NodeHandle::nameless(IGNORED)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeHandle {
        NodeHandle::nameless(IGNORED)
    }

    fn append(&self, parent: &NodeHandle, child: NodeOrText<NodeHandle>) {
        let mut arena = self.0.borrow_mut();
        match child {
            NodeOrText::AppendNode(child) => {
                arena.detach(child.id);
                arena.append_node(parent.id, child.id);
            }
            NodeOrText::AppendText(text) => arena.append_text(parent.id, &text),
        }
    }

    fn append_based_on_parent_node(&self, element: &NodeHandle, previous: &NodeHandle, child: NodeOrText<NodeHandle>) {
        let stands = self.0.borrow_mut().node(element.id).is_some_and(|node| node.parent != NONE);
        if stands {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    /// The contents of a template are its children: they are never shown, but may say something about the page.
    fn get_template_contents(&self, target: &NodeHandle) -> NodeHandle {
        target.clone()
    }

    fn same_node(&self, x: &NodeHandle, y: &NodeHandle) -> bool {
        x.id == y.id
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeHandle, child: NodeOrText<NodeHandle>) {
        self.0.borrow_mut().insert_before(sibling.id, child);
    }

    fn add_attrs_if_missing(&self, target: &NodeHandle, attributes: Vec<Attribute>) {
        let mut arena = self.0.borrow_mut();
        let Some(node) = arena.node(target.id) else { return };
        let (from, to) = node.attributes;
        let mut all: Vec<HtmlAttribute> = arena.attributes[from as usize..to as usize].to_vec();
        for Attribute { name, value } in attributes.into_iter().take(MOST_ATTRIBUTES) {
            if all.len() < MOST_ATTRIBUTES && !all.iter().any(|known| known.name == name.local) {
                all.push(HtmlAttribute { name: name.local, value });
            }
        }
        if all.len() > (to - from) as usize {
            let from = arena.attributes.len() as u32;
            arena.attributes.append(&mut all);
            let range = (from, arena.attributes.len() as u32);
            if let Some(node) = arena.node(target.id) {
                node.attributes = range;
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeHandle) {
        self.0.borrow_mut().detach(target.id);
    }

    fn reparent_children(&self, node: &NodeHandle, new_parent: &NodeHandle) {
        let mut arena = self.0.borrow_mut();
        let mut child = arena.node(node.id).map_or(NONE, |node| node.first);
        while let Some(id) = non_null_id(child) {
            child = arena.nodes[id as usize].next;
            arena.detach(id);
            arena.append_node(new_parent.id, id);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &NodeHandle) -> bool {
        target.holds_html
    }

    fn allow_declarative_shadow_roots(&self, _: &NodeHandle) -> bool {
        false
    }
}
