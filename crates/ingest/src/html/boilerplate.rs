//! What stands on a page without being of it: comments, lists of other pages, what is below and beside.

use std::sync::LazyLock;

use super::{
    element_hint::{element_hint, has_part, has_word, sorted_words},
    tag::Tag,
    tree::{HtmlTree, NodeId},
};

/// Words of a class or id of what is not of this page alone.
static ELSEWHERE: LazyLock<Vec<&str>> = LazyLock::new(|| {
    sorted_words(
        "aside card cards comment commentlist comments disqus footer latest list listing newsletter popular \
        promo recent recirc recommend recommendations recommended related reply respond sidebar similar teaser \
        trending widget",
    )
});

/// For each node whether it stands below something that is not of this page alone.
pub(crate) struct BoilerplateNodes(Vec<bool>);

impl BoilerplateNodes {
    pub(crate) fn from_tree(tree: &HtmlTree) -> Self {
        let mut below = vec![false; tree.len()];
        // Whether an element itself is beside, known before its children are reached.
        let mut own = vec![false; tree.len()];
        for id in tree.node_ids() {
            if let Some(above) = tree.parent(id) {
                below[id as usize] = below[above as usize] || own[above as usize];
            }
            own[id as usize] = match tree.tag(id) {
                Tag::Aside | Tag::Nav | Tag::Footer => true,
                Tag::Body | Tag::Html | Tag::Article | Tag::Main | Tag::Other => false,
                _ if below[id as usize] || tree.attributes(id).is_empty() => false,
                _ => {
                    let hint = element_hint(tree, id);
                    has_word(&hint, &ELSEWHERE)
                        || has_part(&hint, &["comment", "sidebar", "related", "footer", "widget"])
                }
            };
        }
        Self(below)
    }

    /// Returns true if the node is inside comments, a sidebar, a footer or a list of other pages.
    pub(crate) fn contains_node(&self, id: NodeId) -> bool {
        self.0[id as usize]
    }
}
