//! Which of a page's text is its content.
//!
//! First what is known not to be content is left out: by element, by role, by the words of classes and ids. Then the
//! element that holds the content is chosen: one that is called so, or the one whose paragraphs weigh most. Within it,
//! lists of links, captions and what repeats the headline go. If too little is left, the steps are taken back one by
//! one, so that a page that is like no other still gives its text.

mod blocks;
mod strip;
mod weights;

use std::sync::LazyLock;

use strip::StripLevel;
use weights::TextWeights;

use super::{
    element_hint::{element_hint, has_part, has_word, sorted_words},
    tag::Tag,
    tree::{HtmlTree, NodeId, ROOT},
};

/// Names of the element that holds the content, the surest first.
const CALLED: [&[&str]; 2] = [
    &[
        " article body ",
        " articlebody ",
        " story body ",
        " storybody ",
        " post body ",
        " entry content ",
        " post content ",
        " article content ",
        " story content ",
        " article text ",
        " articletext ",
        " post text ",
        " article main ",
        " content body ",
        " body text ",
        " storycontent ",
        " articlecontent ",
        " entrycontent ",
        " postcontent ",
        " post entry ",
        " news text ",
        " news body ",
        " blog content ",
        " single content ",
        " body content ",
        " story text ",
        " field name body ",
        " field body ",
        " mw parser output ",
        " td post content ",
        " text body ",
        " article copy ",
    ],
    &[" hentry ", " article ", " story ", " post ", " entry ", " blog post ", " artikel "],
];

/// A text shorter than this is no article; more of the page is tried.
const LITTLE: u32 = 200;

/// Leaves out of the tree what is not content, and gives the element to read. `bodies` are the elements that microdata
/// calls the body of an article.
pub(crate) fn choose_content(tree: &mut HtmlTree, bodies: &[NodeId], title: Option<&str>) -> Vec<NodeId> {
    let before = TextWeights::from_tree(tree);
    for zeal in [StripLevel::High, StripLevel::Low] {
        strip::strip_boilerplate(tree, &before, zeal);
        let weights = TextWeights::from_tree(tree);
        let top = find_container(tree, bodies, &weights);
        blocks::prune_boilerplate(tree, top, &weights, title);
        let left = TextWeights::from_tree(tree);
        let most =
            left.prose[top as usize] >= LITTLE / 2 && left.prose[top as usize] * 2 >= before.prose[ROOT as usize];
        if most || left.chars[top as usize] >= LITTLE {
            let mut all = lead_paragraph(tree, top, &weights);
            all.push(top);
            return all;
        }
        tree.keep_all();
    }
    vec![ROOT]
}

/// Names of the paragraph before the content that opens it.
static LEAD: LazyLock<Vec<&str>> = LazyLock::new(|| {
    sorted_words("chapo einleitung entradilla excerpt intro lead leadtext lede summary teasertext vorspann")
});

/// The paragraph that opens the content and stands outside of its element.
fn lead_paragraph(tree: &HtmlTree, top: NodeId, weights: &TextWeights) -> Vec<NodeId> {
    const FAR: usize = 5;
    let Some(around) = tree.ancestors(top).take(FAR).last().filter(|_| top != ROOT) else { return Vec::new() };
    (around + 1..top)
        .filter(|&id| {
            !tree.node(id).is_text()
                && weights.chars[id as usize] >= 60
                && weights.chars[id as usize] < 1_000
                && tree.end_of(id) <= top
                && has_word(&element_hint(tree, id), &LEAD)
                && !tree.node(id).dropped
                && !tree.ancestors(id).any(|above| tree.node(above).dropped)
        })
        .take(1)
        .collect()
}

/// The element that holds the content.
fn find_container(tree: &HtmlTree, bodies: &[NodeId], weights: &TextWeights) -> NodeId {
    let all = weights.prose[ROOT as usize].max(1);
    let enough = |id: NodeId, share: f32| {
        weights.prose[id as usize] as f32 >= share * all as f32 && weights.chars[id as usize] >= LITTLE
    };
    let heaviest = |ids: &mut dyn Iterator<Item = NodeId>| {
        ids.max_by_key(|&id| (weights.prose[id as usize], std::cmp::Reverse(id)))
    };
    if let Some(body) = heaviest(&mut bodies.iter().copied())
        && enough(body, 0.3)
    {
        return body;
    }
    let mut called: [Vec<NodeId>; 2] = Default::default();
    let mut articles = Vec::new();
    for id in tree.node_ids() {
        let node = tree.node(id);
        if node.is_text() || node.dropped || weights.prose[id as usize] == 0 {
            continue;
        }
        if matches!(node.tag, Tag::Article | Tag::Main) {
            articles.push(id);
        }
        if matches!(node.tag, Tag::Div | Tag::Section | Tag::Article | Tag::Main | Tag::Td | Tag::Span)
            && !tree.attributes(id).is_empty()
        {
            let hint = element_hint(tree, id);
            if let Some(index) = CALLED.iter().position(|parts| has_part(&hint, parts)) {
                called[index].push(id);
            }
        }
    }
    for (index, share) in [(0, 0.4), (1, 0.6)] {
        if let Some(id) = heaviest(&mut called[index].iter().copied())
            && enough(id, share)
        {
            return id;
        }
    }
    if let Some(id) = heaviest(&mut articles.iter().copied().filter(|&id| tree.tag(id) == Tag::Article))
        && enough(id, 0.5)
    {
        return id;
    }
    if let Some(id) = heaviest(&mut articles.iter().copied())
        && enough(id, 0.6)
    {
        return id;
    }
    let scored = highest_scoring_element(tree, weights);
    let scored = scored.unwrap_or(ROOT);
    if enough(scored, 0.3) { scored } else { ROOT }
}

/// The element whose own paragraphs weigh most, widened to what holds as much again.
fn highest_scoring_element(tree: &HtmlTree, weights: &TextWeights) -> Option<NodeId> {
    let mut scores = vec![0_f32; tree.len()];
    for id in tree.node_ids().skip(1) {
        let prose = weights.prose[id as usize];
        if prose == 0 || !tree.tag(id).is_block() {
            continue;
        }
        let below: u32 = tree.children(id).map(|child| weights.prose[child as usize]).sum();
        let own = prose.saturating_sub(below) as f32;
        if own <= 0.0 {
            continue;
        }
        let mut share = 1.0;
        for above in tree.ancestors(id).take(4) {
            scores[above as usize] += own * share;
            share *= 0.5;
        }
        scores[id as usize] += own * 0.8;
    }
    let mut best = None;
    for id in tree.node_ids().skip(1) {
        let score = scores[id as usize] * (1.0 - weights.link_density(id));
        if score > 0.0 && best.is_none_or(|(_, known)| score > known) {
            best = Some((id, score));
        }
    }
    let mut top = best?.0;
    while let Some(above) = tree.parent(top) {
        if tree.tag(above) == Tag::Body || above == ROOT {
            break;
        }
        let (here, there) = (weights.prose[top as usize] as f32, weights.prose[above as usize] as f32);
        let wider = there >= 1.25 * here && weights.link_density(above) < 0.3;
        let wider_still = tree.parent(above).is_some_and(|next| {
            weights.prose[next as usize] as f32 >= 1.5 * here
                && weights.link_density(next) < 0.25
                && tree.tag(next) != Tag::Body
                && next != ROOT
        });
        if !wider && !wider_still {
            break;
        }
        top = above;
    }
    Some(top)
}
