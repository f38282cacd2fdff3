//! What stands within the content and is none: lists of links, captions, what repeats the headline, calls to share.

use super::weights::TextWeights;
use crate::html::{
    date_parsing::{self, DateOrder},
    names::fold_name,
    tag::Tag,
    tree::{HtmlTree, NodeId},
};

/// Beginnings of short lines that speak of the page and not of its matter, as words without case and marks.
const FURNITURE: &str = "advertisement|advertising|anzeige|werbung|publicité|publicidad|iklan|reklame|read more|read also|\
    also read|see also|see more|read next|related|related articles|related stories|related posts|\
    more on this|more from|don t miss|recommended|you may also like|you might also like|you might like|\
    mehr zum thema|mehr dazu|lesen sie auch|lesen sie mehr|auch interessant|\
    das könnte sie auch interessieren|das könnte dich auch interessieren|weiterlesen|lire aussi|\
    à lire aussi|lire la suite|lee también|lea también|te puede interesar|temas relacionados|leia também|\
    leia mais|leggi anche|lees ook|læs også|läs också|читайте также|читайте також|share this|share on|\
    share it|like this story|teilen|diesen artikel teilen|partager|compartir|condividi|tags|tagged|\
    schlagwörter|filed under|posted in|categories|kategorien|kategorie|subscribe|sign up|\
    click here to subscribe|newsletter|follow us|folgen sie uns|get the latest|join the conversation|\
    leave a comment|leave a reply|post a comment|comments|kommentare|kommentar schreiben|view comments|\
    show comments|print|drucken|copyright|all rights reserved|alle rechte vorbehalten|titelbild|titelfoto|\
    bild|foto|photo|image credit|photo credit|image source|photograph by|close|caption|quelle|next|previous";

/// Words that may stand beside a date in a line that only says when.
const WHEN: &str = "a actualizada actualizado admin aest ago aktualisiert alle am and ast at atualizado august bst by \
    cest cet cst date de del den di du edt eet erstellt est et first gespeichert gmt h heure heures him \
    hours hrs il in ist jour last le min mis mise modified msk mst o of on ore originally p par pdt pm \
    por posted pst pubblicato publicada publicado publikováno published publié sgt stand the time uhr um \
    update updated utc veröffentlicht vom von à às";

/// A run of text that stands for itself.
struct PageBlock {
    id: NodeId,
    line: String,
    chars: usize,
    density: f32,
    heading: bool,
}

/// Leaves out of what is below `top` what is no content.
pub(super) fn prune_boilerplate(tree: &mut HtmlTree, top: NodeId, weights: &TextWeights, title: Option<&str>) {
    link_lists(tree, top, weights);
    drop_captions(tree, top, weights);
    let title = title.map(fold_name).unwrap_or_default();
    let mut blocks = text_blocks(tree, top, weights);
    // What a call such as `Read more:` is followed by goes with it, as long as it is links.
    let mut called = false;
    blocks.retain(|block| {
        let repeated = !title.is_empty() && block.chars < 400 && fold_name(&block.line) == title;
        let furniture = is_furniture(block);
        called = furniture || (called && block.density > 0.5 && block.chars < 200);
        if called || repeated {
            tree.drop_node(block.id);
        }
        !called && !repeated
    });
    // Before the first and after the last paragraph stands much that is neither.
    let prose = |block: &PageBlock| !block.heading && block.chars >= 80 && block.density < 0.5;
    let first = blocks.iter().position(prose).unwrap_or(0);
    for block in &blocks[..first] {
        if block.chars < 120 && (is_when(&block.line) || is_byline(&block.line)) {
            tree.drop_node(block.id);
        }
    }
    let last = blocks.iter().rposition(|block| !block.heading && block.density < 0.5).map_or(0, |at| at + 1);
    for block in &blocks[last..] {
        tree.drop_node(block.id);
    }
    for block in &blocks[first..] {
        if block.chars < 80 && is_when(&block.line) {
            tree.drop_node(block.id);
        }
    }
}

/// Leaves out lists and boxes of links.
fn link_lists(tree: &mut HtmlTree, top: NodeId, weights: &TextWeights) {
    let end = tree.end_of(top);
    let mut id = top + 1;
    while id < end {
        let node = tree.node(id);
        if node.is_text() || node.dropped {
            id = if node.dropped { tree.end_of(id) } else { id + 1 };
            continue;
        }
        let chars = weights.chars[id as usize];
        let density = weights.link_density(id);
        let prose = weights.prose[id as usize];
        let drop = chars > 0
            && match node.tag {
                Tag::Ul | Tag::Ol | Tag::Dl | Tag::Table | Tag::Div | Tag::Section | Tag::Header => {
                    (density > 0.8 && chars < 120) || (density > 0.5 && prose == 0 && count_links(tree, id) >= 3)
                }
                // Lists that open where the pointer rests on a name.
                Tag::Span => density > 0.85 && count_links(tree, id) >= 3,
                Tag::P | Tag::Li => density > 0.9 && chars < 200 && count_links(tree, id) >= 3,
                _ => false,
            };
        if drop {
            tree.drop_node(id);
            id = tree.end_of(id);
        } else {
            id += 1;
        }
    }
}

/// Leaves out short words under a picture.
fn drop_captions(tree: &mut HtmlTree, top: NodeId, weights: &TextWeights) {
    for id in top + 1..tree.end_of(top) {
        if !matches!(tree.tag(id), Tag::Img | Tag::Picture | Tag::Amp) {
            continue;
        }
        let Some(block) = tree.ancestors(id).find(|&above| tree.tag(above).is_block()) else { continue };
        let chars = weights.chars[block as usize];
        if block <= top
            || !(1..160).contains(&chars)
            || weights.prose[block as usize] > 0
            || tree.tag(block).heading_level().is_some()
        {
            continue;
        }
        if matches!(tree.tag(block), Tag::Div | Tag::P | Tag::Figure | Tag::Center | Tag::Td) {
            tree.drop_node(block);
        }
    }
}

fn count_links(tree: &HtmlTree, id: NodeId) -> usize {
    (id..tree.end_of(id)).filter(|&id| tree.tag(id) == Tag::A).count()
}

/// The innermost blocks with text, in order; also what stands between blocks without being one.
fn text_blocks(tree: &HtmlTree, top: NodeId, weights: &TextWeights) -> Vec<PageBlock> {
    let mut found = Vec::new();
    let end = tree.end_of(top);
    let mut id = top + 1;
    while id < end {
        let node = tree.node(id);
        if node.dropped || node.tag.is_unseen() {
            id = tree.end_of(id);
            continue;
        }
        let ends = tree.end_of(id);
        let full = weights.chars[id as usize] > 0;
        let within = || (id + 1..ends).any(|below| tree.tag(below).is_block() && weights.chars[below as usize] > 0);
        if full && (node.tag.is_block() || is_block_element(tree, id)) && !within() {
            let line = if node.is_text() { node.text.trim().to_owned() } else { tree.text_line(id) };
            let chars = weights.chars[id as usize] as usize;
            found.push(PageBlock {
                id,
                line,
                chars,
                density: weights.link_density(id),
                heading: node.tag.heading_level().is_some(),
            });
            id = ends;
        } else {
            id += 1;
        }
    }
    found
}

/// Returns true if an inline element or text has at least one sibling and all are blocks or line breaks.
fn is_block_element(tree: &HtmlTree, id: NodeId) -> bool {
    if !tree.parent(id).is_some_and(|above| tree.tag(above).is_block()) {
        return false;
    }
    let breaks = |other: NodeId| tree.tag(other).is_block() || tree.tag(other) == Tag::Br;
    let full = |other: &NodeId| !tree.node(*other).is_text() || !tree.node(*other).text.trim().is_empty();
    let before = std::iter::successors(tree.previous_sibling(id), |&other| tree.previous_sibling(other)).find(full);
    let after = std::iter::successors(tree.next(id), |&other| tree.next(other)).find(full);
    before.is_none_or(breaks) && after.is_none_or(breaks) && (before.is_some() || after.is_some())
}

/// Returns true for short lines about the page itself: `Read more: …`, `Tags`, `Share this`.
fn is_furniture(block: &PageBlock) -> bool {
    if block.chars > 160 {
        return false;
    }
    let line = fold_name(&block.line);
    let words = line.split(' ').count();
    FURNITURE.split('|').any(|start| {
        let Some(rest) = line.strip_prefix(start) else { return false };
        if rest.is_empty() {
            return true;
        }
        // A sentence may begin with the same words.
        let link = block.density > 0.4;
        let colon = block.line.find(':').is_some_and(|at| at <= start.len() + 4);
        let brief = words <= start.split(' ').count() + 2 && !block.line.ends_with(['.', '?']);
        rest.starts_with(' ') && (link || colon || brief)
    })
}

/// Returns true if the line consists only of a date or time.
fn is_when(line: &str) -> bool {
    if date_parsing::find_date(line, DateOrder::DayFirst).is_none() {
        return false;
    }
    let rest = fold_name(line);
    let others = rest
        .split(' ')
        .filter(|word| {
            !word.starts_with(|c: char| c.is_ascii_digit())
                && !WHEN.split_ascii_whitespace().any(|known| known == *word)
                && !date_parsing::is_month(word)
                && !date_parsing::is_weekday(word)
        })
        .count();
    others <= 1
}

fn is_byline(line: &str) -> bool {
    let lower = line.to_lowercase();
    [
        "by ",
        "von ",
        "par ",
        "por ",
        "posted by",
        "posted on",
        "published ",
        "written by",
        "updated",
        "autor:",
        "author:",
    ]
    .iter()
    .any(|start| lower.starts_with(start))
        && !line.ends_with(['.', '?', '!', ':'])
}
