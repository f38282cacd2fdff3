//! What a page is called.

use std::sync::LazyLock;

use super::{
    element_hint::{element_hint, has_part, has_word, sorted_words},
    head::{PageHead, clean_statement},
    names::fold_name,
    tag::Tag,
    tree::{HtmlTree, NodeId},
};

/// The signs that stand between a title and the name of a site.
const BETWEEN: [&str; 16] =
    [" | ", " – ", " — ", " - ", " :: ", " » ", " « ", " · ", " • ", " ~ ", " / ", " ‹ ", " › ", " -- ", " ∙ ", " > "];

/// Names of elements that hold the title of a page.
const TITLED: [&str; 6] =
    [" entry title ", " post title ", " article title ", " headline ", " page title ", " article headline "];

/// Names of what stands above a title within the same heading: its topic or section.
static ABOVE: LazyLock<Vec<&str>> = LazyLock::new(|| {
    sorted_words("category dachzeile eyebrow kicker overline roofline rubrik section spitzmarke topic topline")
});

/// The title of a page without the name of its site, by what most of its sources agree on.
pub(crate) fn find_title(tree: &HtmlTree, head: &PageHead<'_>, site: &[String]) -> Option<String> {
    let mut said: Vec<(String, f32)> = Vec::new();
    let mut say = |title: &str, weight: f32| {
        let title = without_site(&clean_statement(title), site);
        if is_title(&title, site) {
            said.push((title, weight));
        }
    };
    if let Some(title) = head.first_meta(&["citation_title", "bepress_citation_title", "eprints.title"]) {
        say(&title, 6.0);
    }
    for (name, weight) in [
        ("og:title", 3.0),
        ("twitter:title", 1.0),
        ("parsely-title", 1.5),
        ("sailthru.title", 1.0),
        ("dc.title", 1.0),
        ("dcterms.title", 1.0),
        ("headline", 2.0),
        ("title", 0.5),
    ] {
        if let Some(title) = head.first_meta(&[name]) {
            say(&title, weight);
        }
    }
    if let Some(title) = head.works.iter().filter(|work| work.rank >= 3).find_map(|work| work.title.as_deref()) {
        say(title, 2.0);
    }
    if let Some(title) = &head.title {
        say(title, 2.0);
    }
    let headings: Vec<(NodeId, String)> = title_headings(tree);
    let alone = headings.iter().filter(|(id, _)| tree.tag(*id) == Tag::H1).count() == 1;
    for (index, (id, title)) in headings.iter().enumerate() {
        let weight = match tree.tag(*id) {
            Tag::H1 if alone && has_part(&element_hint(tree, *id), &TITLED) => 7.5,
            Tag::H1 if alone => 5.5,
            Tag::H1 if index == 0 => 1.8,
            Tag::H1 => 1.5,
            _ => 1.6,
        };
        say(title, weight);
    }
    let votes =
        |title: &str| -> f32 { said.iter().map(|(other, weight)| weight * title_similarity(title, other)).sum() };
    let mut best: Option<(&str, f32)> = None;
    for (title, weight) in &said {
        let score = votes(title) + 0.3 * weight;
        if best.is_none_or(|(_, known)| score > known + 1e-3) {
            best = Some((title, score));
        }
    }
    best.map(|(title, _)| title.to_owned()).or_else(|| head.title.as_deref().map(|title| without_site(title, site)))
}

/// The headings that may be the page's, in its order.
fn title_headings(tree: &HtmlTree) -> Vec<(NodeId, String)> {
    const MOST: usize = 12;
    let mut found = Vec::new();
    for id in tree.node_ids() {
        let tag = tree.tag(id);
        let heading = match tag {
            Tag::H1 => true,
            Tag::H2 | Tag::Div | Tag::Span | Tag::P | Tag::H3 => {
                !tree.attributes(id).is_empty() && {
                    let hint = element_hint(tree, id);
                    has_part(&hint, &TITLED)
                }
            }
            _ => false,
        };
        if heading && !tree.is_hidden(id) && !is_way_home(tree, id) {
            let text = without_topic(tree, id);
            if !text.is_empty() && text.chars().count() < 400 {
                found.push((id, text));
            }
        }
        if found.len() >= MOST {
            break;
        }
    }
    found
}

/// The names of the site in headings that lead to its front page.
pub(crate) fn site_names(tree: &HtmlTree) -> Vec<String> {
    tree.node_ids()
        .filter(|&id| tree.tag(id).heading_level().is_some_and(|level| level <= 2) && is_way_home(tree, id))
        .map(|id| tree.text_line(id))
        .filter(|name| !name.is_empty() && name.chars().count() < 80)
        .collect()
}

/// Returns true if the heading links to the front page, so that it names the site.
fn is_way_home(tree: &HtmlTree, id: NodeId) -> bool {
    let around = tree.ancestors(id).take(1).chain(id..tree.end_of(id));
    around.filter(|&link| tree.tag(link) == Tag::A).filter_map(|link| tree.attribute(link, "href")).any(|href| {
        let path = href.split_once("://").map_or(href, |(_, rest)| rest.find('/').map_or("", |at| &rest[at..]));
        matches!(path, "" | "/" | "/index.html" | "/index.php")
    })
}

/// The words of a heading without the topic that it may begin with.
fn without_topic(tree: &HtmlTree, id: NodeId) -> String {
    let whole = tree.text_line(id);
    let above = (id + 1..tree.end_of(id)).find(|&below| {
        !tree.node(below).is_text()
            && (tree.tag(below) == Tag::Small || has_word(&element_hint(tree, below), &ABOVE))
            && whole.starts_with(&tree.text_line(below))
    });
    let Some(above) = above.map(|above| tree.text_line(above)).filter(|above| !above.is_empty()) else { return whole };
    let rest = whole[above.len()..].trim_start_matches([' ', ':', '|', '–', '-', '/', '•', '·', '»']);
    if rest.chars().count() >= 8 { rest.to_owned() } else { whole }
}

fn is_title(title: &str, site: &[String]) -> bool {
    let key = fold_name(title);
    !key.is_empty() && !site.iter().any(|name| fold_name(name) == key)
}

/// The title without parts before or behind a sign that are the site's name.
pub(crate) fn without_site(title: &str, site: &[String]) -> String {
    let mut title = title.trim();
    for _ in 0..3 {
        let Some(shorter) = without_part(title, site) else { break };
        title = shorter;
    }
    title.to_owned()
}

fn without_part<'a>(title: &'a str, site: &[String]) -> Option<&'a str> {
    let last = BETWEEN.iter().filter_map(|sign| title.rfind(sign).map(|at| (at, sign.len()))).max();
    let first = BETWEEN.iter().filter_map(|sign| title.find(sign).map(|at| (at, sign.len()))).min();
    if let Some((at, len)) = last {
        let (kept, cut) = (title[..at].trim(), title[at + len..].trim());
        if is_site(cut, site) && kept.chars().count() >= 3 {
            return Some(kept);
        }
    }
    if let Some((at, len)) = first {
        let (cut, kept) = (title[..at].trim(), title[at + len..].trim());
        if is_site(cut, site) && kept.chars().count() >= 3 {
            return Some(kept);
        }
    }
    // `Site: title`, where the site is known by name.
    if let Some((cut, kept)) = title.split_once(": ")
        && site.iter().any(|name| fold_name(name) == fold_name(cut))
        && kept.trim().chars().count() >= 3
    {
        return Some(kept.trim());
    }
    None
}

fn is_site(part: &str, site: &[String]) -> bool {
    let part = fold_name(part);
    if part.is_empty() {
        return true;
    }
    let tight: String = part.chars().filter(|c| *c != ' ').collect();
    site.iter().any(|name| {
        let name = fold_name(name);
        let close: String = name.chars().filter(|c| *c != ' ').collect();
        !close.is_empty()
            && (part == name
                || tight == close
                || (close.chars().count() >= 4 && (tight.starts_with(&close) || tight.ends_with(&close)))
                || (tight.chars().count() >= 4 && close.contains(&tight)))
    })
}

/// Returns the similarity of two titles: 1 if equal, less if one contains the other.
fn title_similarity(one: &str, other: &str) -> f32 {
    let (one, other) = (fold_name(one), fold_name(other));
    if one == other {
        return 1.0;
    }
    let ours: Vec<&str> = one.split(' ').collect();
    let mut theirs: Vec<&str> = other.split(' ').collect();
    let total = ours.len() + theirs.len();
    let mut shared = 0;
    for word in &ours {
        if let Some(at) = theirs.iter().position(|other| other == word) {
            theirs.swap_remove(at);
            shared += 1;
        }
    }
    let close = 2.0 * shared as f32 / total as f32;
    if close >= 0.8 {
        0.9 * close
    } else if close >= 0.5 {
        0.5 * close
    } else {
        0.0
    }
}
