//! How much text an element holds, and of what kind.

use crate::html::{
    tag::Tag,
    tree::{HtmlTree, NodeId, ROOT},
};

/// Number of characters in each element, indexed by node id.
pub(super) struct TextWeights {
    /// Non-blank characters inside each element.
    pub(super) chars: Vec<u32>,
    /// Of these, characters in links.
    pub(super) linked: Vec<u32>,
    /// Of these, characters of paragraphs that read like prose.
    pub(super) prose: Vec<u32>,
}

impl TextWeights {
    pub(super) fn from_tree(tree: &HtmlTree) -> Self {
        let count = tree.len();
        let mut chars = vec![0_u32; count];
        let mut linked = vec![0_u32; count];
        let mut prose = vec![0_u32; count];
        // What stands directly in each block: characters, characters in links, whether it ends like a sentence.
        let mut own: Vec<(u32, u32, bool)> = vec![(0, 0, false); count];
        // For each open element: where it ends, whether it is a link, its block.
        let mut open: Vec<(NodeId, bool, NodeId)> = Vec::new();
        let mut id = 0;
        while id < count as NodeId {
            while open.pop_if(|(end, _, _)| *end <= id).is_some() {}
            let node = tree.node(id);
            if node.dropped || node.tag.is_unseen() || (!node.is_text() && tree.is_hidden(id)) {
                id = tree.end_of(id);
                continue;
            }
            let (link, block) = open.last().map_or((false, ROOT), |&(_, link, block)| (link, block));
            if node.is_text() {
                let (len, ends) = measure_text(&node.text);
                chars[id as usize] = len;
                linked[id as usize] = if link { len } else { 0 };
                let own = &mut own[block as usize];
                own.0 += len;
                own.1 += if link { len } else { 0 };
                if len > 0 {
                    own.2 = ends;
                }
            } else {
                let link = link
                    || (node.tag == Tag::A && tree.attribute(id, "href").is_some_and(|href| !href.starts_with('#')));
                let block = if node.tag.is_block() { id } else { block };
                open.push((tree.end_of(id), link, block));
            }
            id += 1;
        }
        for id in (0..count).rev() {
            let (len, links, ends) = own[id];
            let heading = tree.tag(id as NodeId).heading_level().is_some();
            if !heading && links * 3 < len && (len >= 80 || (len >= 30 && ends)) {
                // Items and cells are prose too, but more often than paragraphs a list of something else.
                let item = matches!(tree.tag(id as NodeId), Tag::Li | Tag::Td | Tag::Dd | Tag::Th | Tag::Dt);
                prose[id] += if item { len / 2 } else { len };
            }
            if let Some(parent) = tree.parent(id as NodeId) {
                chars[parent as usize] += chars[id];
                linked[parent as usize] += linked[id];
                prose[parent as usize] += prose[id];
            }
        }
        Self { chars, linked, prose }
    }

    /// The part of its text that is in links.
    pub(super) fn link_density(&self, id: NodeId) -> f32 {
        self.linked[id as usize] as f32 / self.chars[id as usize].max(1) as f32
    }
}

/// Returns the number of non-blank characters, and true if the text ends like a sentence.
fn measure_text(text: &str) -> (u32, bool) {
    let text = text.trim();
    let mut len = 0;
    let mut blank = false;
    for c in text.chars() {
        if c.is_whitespace() {
            blank = true;
        } else {
            len += 1 + u32::from(std::mem::take(&mut blank));
        }
    }
    (len, text.ends_with(['.', '!', '?', '”', '"', '»', '…', ':', '“', '。', '।', '؟']))
}
