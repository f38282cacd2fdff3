//! Who wrote a page.

use std::sync::LazyLock;

use super::{
    boilerplate::BoilerplateNodes,
    element_hint::{element_hint, has_part, has_word, sorted_words},
    head::PageHead,
    names::{self, fold_name, is_office, is_personal, is_placeholder_name},
    published_date,
    tag::Tag,
    tree::{HtmlTree, NodeId},
};

/// Words of a class or id that hold an author's name.
static BYLINE: LazyLock<Vec<&str>> = LazyLock::new(|| {
    sorted_words(
        "auteur auteurs author authorlink authorname authors autor autore autoren autores autorin by byline \
        bylines bylinetext contributor redakteur signature submitted username verfasser writer",
    )
});

/// The authors of a page, in the order they are named.
pub(crate) fn find_authors(
    tree: &HtmlTree,
    head: &PageHead<'_>,
    title: Option<&str>,
    site: &[String],
    beside: &BoilerplateNodes,
) -> Vec<String> {
    let mut weak: Vec<String> = Vec::new();
    // The first source that names a person has it; else the first that names anyone at all.
    for source in author_statements(tree, head, title, beside) {
        let mut found: Vec<String> = Vec::new();
        for said in source {
            for name in names::parse_names(&said) {
                names::add_name(&mut found, name);
            }
        }
        let of_site = |name: &String| {
            let name = fold_name(name);
            site.iter()
                .any(|site| fold_name(site) == name || (name.contains(' ') && fold_name(site).starts_with(&name)))
        };
        found.retain(|name| !is_placeholder_name(name));
        if found.iter().any(|name| !of_site(name)) {
            found.retain(|name| !of_site(name));
        }
        if found.is_empty() || found.len() > 40 {
            continue;
        }
        if found.iter().any(|name| is_personal(name) && !of_site(name)) {
            // Beside a person stand offices and degrees, which are no authors.
            found.retain(|name| !is_office(name));
            return found;
        }
        if weak.is_empty() || weak.iter().all(of_site) && !found.iter().all(of_site) {
            weak = found;
        }
    }
    weak
}

/// Returns the author texts of each place on the page, most reliable place first.
fn author_statements<'s>(
    tree: &'s HtmlTree,
    head: &'s PageHead<'_>,
    title: Option<&'s str>,
    beside: &'s BoilerplateNodes,
) -> impl Iterator<Item = Vec<String>> + 's {
    let metas =
        |names: &'static [&'static str]| head.meta_contents(names).map(|said| said.into_owned()).collect::<Vec<_>>();
    let steps: [Box<dyn Fn() -> Vec<String> + 's>; 11] = [
        Box::new(move || metas(&["citation_author", "bepress_citation_author", "eprints.creators_name"])),
        Box::new(|| {
            head.works
                .iter()
                .filter(|work| work.rank >= 3)
                .find(|work| !work.authors.is_empty())
                .map(|work| work.authors.clone())
                .unwrap_or_default()
        }),
        Box::new(move || {
            metas(&["author", "parsely-author", "sailthru.author", "byl", "article:author_name", "authors"])
        }),
        Box::new(move || {
            metas(&[
                "article:author",
                "og:article:author",
                "book:author",
                "dc.creator",
                "dcterms.creator",
                "dc.creator.name",
                "creator",
                "citation_authors",
            ])
        }),
        Box::new(|| authors_from_cards(head)),
        Box::new(|| authors_from_microdata(tree, head, beside)),
        Box::new(|| authors_from_links(tree, head, beside)),
        Box::new(move || authors_near_headline(tree, title)),
        Box::new(|| authors_from_bylines(tree, beside)),
        Box::new(|| author_links(tree, beside)),
        Box::new(|| head.metas_ending("author").map(|said| said.into_owned()).collect()),
    ];
    steps.into_iter().map(|step| step())
}

/// Reads author names from card metadata: `Written by` in one field, the name in the next.
fn authors_from_cards(head: &PageHead<'_>) -> Vec<String> {
    for (label, data) in [("twitter:label1", "twitter:data1"), ("twitter:label2", "twitter:data2")] {
        if let (Some(label), Some(data)) = (head.first_meta(&[label]), head.first_meta(&[data])) {
            let label = label.to_lowercase();
            let asked = [
                "written by",
                "verfasst von",
                "écrit par",
                "escrito por",
                "geschreven door",
                "scritto da",
                "author",
                "von",
                "autor",
            ];
            if asked.iter().any(|asked| label.contains(asked)) {
                return vec![data.into_owned()];
            }
        }
    }
    Vec::new()
}

fn authors_from_microdata(tree: &HtmlTree, head: &PageHead<'_>, beside: &BoilerplateNodes) -> Vec<String> {
    let mut found = Vec::new();
    for id in head.elements_with_property("author").chain(head.elements_with_property("creator")).take(40) {
        if beside.contains_node(id) {
            continue;
        }
        let end = tree.end_of(id);
        let name = head.elements_with_property("name").find(|&name| id < name && name < end);
        let said = match name {
            Some(name) => tree.attribute(name, "content").map(str::to_owned).unwrap_or_else(|| tree.text_line(name)),
            None => tree.attribute(id, "content").map(str::to_owned).unwrap_or_else(|| tree.text_line(id)),
        };
        if !said.is_empty() && said.chars().count() < 150 {
            found.push(said);
        }
    }
    found
}

fn authors_from_links(tree: &HtmlTree, head: &PageHead<'_>, beside: &BoilerplateNodes) -> Vec<String> {
    head.links_with_rel("author")
        .filter(|&(_, id)| tree.tag(id) == Tag::A && !beside.contains_node(id))
        .map(|(_, id)| tree.text_line(id))
        .filter(|said| !said.is_empty() && said.chars().count() < 80)
        .take(4)
        .collect()
}

/// The text of the first element that is called a byline and holds a name.
fn authors_from_bylines(tree: &HtmlTree, beside: &BoilerplateNodes) -> Vec<String> {
    let mut second: Vec<String> = Vec::new();
    let mut at = 0;
    while at < tree.len() as NodeId {
        let id = at;
        at += 1;
        if tree.node(id).is_text() || tree.attributes(id).is_empty() {
            continue;
        }
        let hint = element_hint(tree, id);
        if !has_word(&hint, &BYLINE) && !has_part(&hint, &["byline", "author name", "post author", "entry author"]) {
            continue;
        }
        if has_part(&hint, &["comment", "reply"]) || beside.contains_node(id) || tree.is_hidden(id) {
            continue;
        }
        let said = byline_text(tree, id);
        let len = said.chars().count();
        if !(3..=120).contains(&len) {
            continue;
        }
        let names = names::parse_names(&said);
        if names.iter().any(|name| is_personal(name)) {
            return vec![said];
        }
        if second.is_empty() && !names.is_empty() && len < 60 {
            second = vec![said];
        }
    }
    second
}

/// Parts of the address of an author's own page.
const AUTHOR_PAGES: [&str; 7] = ["/author", "/autor", "/auteur", "/by/", "author=", "/writer", "/journalist"];

/// Parts of the address of anyone's page, who is an author where the link stands in a byline.
const PEOPLE_PAGES: [&str; 6] = ["/people/", "/person", "/profile", "/staff/", "/redaktion/", "/contributor"];

/// The words of a byline, its links to authors alone if it has such.
fn byline_text(tree: &HtmlTree, id: NodeId) -> String {
    let links: Vec<String> = (id..tree.end_of(id))
        .filter_map(|link| author_link(tree, link, &AUTHOR_PAGES).or_else(|| author_link(tree, link, &PEOPLE_PAGES)))
        .collect();
    if links.is_empty() { tree.text_line(id) } else { links.join("; ") }
}

/// The name on a link to such a page.
fn author_link(tree: &HtmlTree, id: NodeId, pages: &[&str]) -> Option<String> {
    if tree.tag(id) != Tag::A {
        return None;
    }
    let href = tree.attribute(id, "href")?.to_ascii_lowercase();
    if !pages.iter().any(|part| href.contains(part)) {
        return None;
    }
    let text = tree.text_line(id);
    (text.chars().count() < 60 && names::parse_names(&text).iter().any(|name| is_personal(name))).then_some(text)
}

/// The first link to the page of an author; one beside the content only if all such links name the same.
fn author_links(tree: &HtmlTree, beside: &BoilerplateNodes) -> Vec<String> {
    let links: Vec<(NodeId, String)> =
        tree.node_ids().filter_map(|id| Some((id, author_link(tree, id, &AUTHOR_PAGES)?))).collect();
    if let Some((_, said)) = links.iter().find(|(id, _)| !beside.contains_node(*id)) {
        return vec![said.clone()];
    }
    let mut all: Vec<String> = Vec::new();
    for (_, said) in links {
        for name in names::parse_names(&said) {
            names::add_name(&mut all, name);
        }
    }
    if all.len() == 1 { all } else { Vec::new() }
}

/// A line beside the headline that says `By` and a name.
fn authors_near_headline(tree: &HtmlTree, title: Option<&str>) -> Vec<String> {
    const BY: [&str; 12] = [
        "by ",
        "von ",
        "par ",
        "por ",
        "text: ",
        "text von ",
        "autor: ",
        "autorin: ",
        "author: ",
        "written by ",
        "auteur: ",
        "di ",
    ];
    let Some(heading) = published_date::find_headline(tree, title) else { return Vec::new() };
    published_date::visible_texts(tree, tree.end_of(heading)..tree.len() as NodeId)
        .take(30)
        .filter_map(|id| {
            let block = tree.ancestors(id).find(|&above| tree.tag(above).is_block())?;
            let line = tree.text_line(block);
            let lower = line.to_lowercase();
            let said = (line.chars().count() < 80 && BY.iter().any(|by| lower.starts_with(by))).then_some(line)?;
            names::parse_names(&said).iter().all(|name| is_personal(name)).then_some(said)
        })
        .take(1)
        .collect()
}
