//! What its element, role or name says is not content.

use std::sync::LazyLock;

use super::weights::TextWeights;
use crate::html::{
    element_hint::{element_hint, has_word, sorted_words},
    tag::Tag,
    tree::{HtmlTree, NodeId, ROOT},
};

/// Words of a class, id or role of what surely is not content, however much text it has.
static NEVER: LazyLock<Vec<&str>> = LazyLock::new(|| {
    sorted_words(
        "addtoany adsbygoogle advert advertisement advertising authorbox breadcrumb breadcrumbs \
    combx commentary commentlist commentlisting comments commentsection complementary consent contentinfo cookie cookies disqus \
    footer gdpr kommentar kommentare mostread nav navbar navi navigation navlinks newsletter noprint outbrain pager \
    pagination paging popup recirc recommendation recommendations recommended relatedposts relatedarticles \
    replies respond shariff sharebar sharedaddy sharing sidebar sidebars skyscraper smartfeed sociable socials \
    taboola tagcloud teasers toolbar",
    )
});

/// Words of what is most likely not content.
static SELDOM: LazyLock<Vec<&str>> = LazyLock::new(|| {
    sorted_words(
        "abo ad adlabel ads affiliate alert aside authorinfo backlinks banner bio biography blogroll bookmark \
    bookmarks bookmarking bottombar breaking byline bylines caption captions carousel categories comment community \
    controls copyright credit credits cta dialog disclaimer disclosure donate donation dropdown embed extra facebook figcaption \
    follow foot footnote form formular gdpr hidden infobox instagram jp keywords labels legal legend like likes links login \
    masthead menu metadata modal noreadme overlay partner paywall photocredit piano pinterest popular postinfo postmeta print \
    printonly privacy promo promoted promotion rating ratings recommend register registration related relatedpost \
    remark reply screenreader search share shareblock signup skip slideshow social spenden sponsor sponsored subscribe \
    subscription tags teaser toc tooltip trending",
    )
});

/// The same, of several words or parts of words.
static NEVER_PARTS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let parts = " comments | comment list|newsletter|breadcrumb|cookie|sidebar|taboola|outbrain| related posts\
    | related articles| related stories|sharing";
    parts.split('|').collect()
});

static SELDOM_PARTS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let parts = " sr only |screen reader|visually hidden|share |social|related|comment|advert| author box| author bio\
    | author info|about the author|about author| post meta| entry meta| article meta|byline| read more\
    | read next| more from| most read|recommend|subscri|paywall|navigation|tags links| tag list\
    | article tags| post tags| entry footer | post footer| article footer|wp caption| photo credit\
    | image credit| img cont author| next prev| prev next| post nav";
    parts.split('|').collect()
});

/// Amount of elements removed before the content is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StripLevel {
    /// All that its name suggests.
    High,
    /// Only what its element says.
    Low,
}

/// Leaves out what its element, role or name says is not content.
pub(super) fn strip_boilerplate(tree: &mut HtmlTree, weights: &TextWeights, zeal: StripLevel) {
    let all = weights.prose[ROOT as usize];
    let mut id = 1;
    while id < tree.len() as NodeId {
        if tree.node(id).is_text() {
            id += 1;
            continue;
        }
        // The part of the page's prose that an element may hold and still be left out.
        let most = match tree.tag(id) {
            Tag::Button | Tag::Figcaption | Tag::Dialog | Tag::Input => 1.0,
            Tag::Nav | Tag::Aside | Tag::Footer | Tag::Menu => 0.8,
            Tag::Label => 0.3,
            Tag::Body | Tag::Html | Tag::Main | Tag::Head | Tag::Blockquote => 0.0,
            _ if zeal == StripLevel::Low || tree.attributes(id).is_empty() => 0.0,
            tag => {
                let hint = element_hint(tree, id);
                if hint.is_empty() {
                    0.0
                } else if has_word(&hint, &NEVER) || NEVER_PARTS.iter().any(|part| hint.contains(part)) {
                    if tag == Tag::Article { 0.2 } else { 0.7 }
                } else if has_word(&hint, &SELDOM) || SELDOM_PARTS.iter().any(|part| hint.contains(part)) {
                    // What is quoted from a network is part of the text around it.
                    let quoted = (id..tree.end_of(id)).any(|below| tree.tag(below) == Tag::Blockquote);
                    if quoted { 0.0 } else { 0.35 }
                } else {
                    0.0
                }
            }
        };
        if most > 0.0 && weights.prose[id as usize] as f32 <= most * all as f32 {
            tree.drop_node(id);
            id = tree.end_of(id);
        } else {
            id += 1;
        }
    }
}
