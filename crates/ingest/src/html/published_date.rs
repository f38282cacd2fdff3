//! When a page appeared.

use std::sync::LazyLock;

use ibid_domain::PartialDate;
use url::Url;

use super::{
    boilerplate::BoilerplateNodes,
    date_parsing::{self, DateOrder},
    element_hint::{element_hint, has_part, has_word, sorted_words},
    head::PageHead,
    names::fold_name,
    tag::Tag,
    tree::{HtmlTree, NodeId},
};

/// Date order of a page and the latest day it can have been published.
pub(crate) struct DateRules {
    pub(crate) order: DateOrder,
    pub(crate) today: Option<PartialDate>,
}

impl DateRules {
    /// Returns true if a web page can have this publication date: 1990 or later, and not in the future.
    fn is_possible(&self, date: PartialDate) -> bool {
        date.year() >= 1990 && self.is_past(date)
    }

    fn is_past(&self, date: PartialDate) -> bool {
        match self.today {
            Some(today) => date <= today,
            None => date.year() <= 2100,
        }
    }

    fn parse_machine_date(&self, text: &str) -> Option<PartialDate> {
        date_parsing::parse_machine_date(text, self.order).filter(|&date| self.is_possible(date))
    }

    fn find_date(&self, text: &str) -> Option<PartialDate> {
        date_parsing::find_date(text, self.order).filter(|&date| self.is_possible(date))
    }
}

const PUBLISHED: [&str; 46] = [
    "article:published_time",
    "article:published",
    "og:article:published_time",
    "og:published_time",
    "og:pubdate",
    "article.published",
    "datepublished",
    "publication_date",
    "published",
    "publishdate",
    "publish-date",
    "publish_date",
    "published_time",
    "pubdate",
    "pub_date",
    "date.published",
    "dc.date.issued",
    "dcterms.issued",
    "dc.date.created",
    "dcterms.created",
    "dcterms.date",
    "dc.date",
    "date",
    "parsely-pub-date",
    "sailthru.date",
    "rnews:datepublished",
    "originalpublicationdate",
    "cxenseparse:recs:publishtime",
    "cxense:recs:publishtime",
    "article_date_original",
    "article.created",
    "datecreated",
    "date_created",
    "displaydate",
    "release_date",
    "releasedate",
    "video:release_date",
    "ptime",
    "pdate",
    "published_at",
    "firstpublished",
    "timestamp",
    "created",
    "shareaholic:article_published_time",
    "gentime",
    "dc.date.publication",
];

/// Names under which scholarly pages state a date that may be older than the web.
const SCHOLARLY: [&str; 7] = [
    "citation_publication_date",
    "citation_date",
    "citation_online_date",
    "citation_cover_date",
    "citation_year",
    "prism.publicationdate",
    "bepress_citation_date",
];

const MODIFIED: [&str; 14] = [
    "article:modified_time",
    "og:updated_time",
    "og:article:modified_time",
    "datemodified",
    "dc.date.modified",
    "dcterms.modified",
    "modified",
    "last-modified",
    "lastmod",
    "revised",
    "updated_time",
    "dc.modified",
    "modificationdate",
    "og:modified_time",
];

/// Words of a class or id of what holds the date of a page.
static DATED: LazyLock<Vec<&str>> = LazyLock::new(|| {
    sorted_words(
        "created data date dateline datepublished dates datetime datum day entrydate fecha info meta metadata \
        metainfo metas post postdate posted postmeta pub pubdate publication publish publishdate published \
        publishtime pubtime stamp submitted time times timestamp updated",
    )
});

/// The day a page appeared: what it states, what its address says, what stands beside its headline.
pub(crate) fn find_published_date(
    tree: &HtmlTree,
    head: &PageHead<'_>,
    title: Option<&str>,
    url: Option<&Url>,
    calendar: &DateRules,
    beside: &BoilerplateNodes,
) -> Option<PartialDate> {
    let addressed = url.and_then(|url| in_address(url, calendar));
    scholarly_date(head, calendar)
        .or_else(|| {
            let stated = stated_date(tree, head, calendar, beside)?;
            // What a site shows its readers goes before what it tells machines, where both speak of the same time: the
            // clocks of servers are in other zones, and a draft is older than the page.
            let near = |day: &PartialDate, most: i64| (day_number(*day) - day_number(stated)).abs() <= most;
            let shown = near_heading(tree, title, calendar, beside, HeadlineSide::After).filter(|day| near(day, 4));
            if addressed == Some(stated) {
                return addressed;
            }
            Some(shown.or(addressed.filter(|day| near(day, 1))).unwrap_or(stated))
        })
        .or(addressed)
        .or_else(|| near_heading(tree, title, calendar, beside, HeadlineSide::After))
        .or_else(|| near_heading(tree, title, calendar, beside, HeadlineSide::Before))
        .or_else(|| time_element_date(tree, calendar, beside))
        .or_else(|| called_date(tree, calendar, beside))
        .or_else(|| first_line(tree, calendar, beside))
        .or_else(|| in_scripts(tree, calendar))
        .or_else(|| modified_date(tree, head, calendar, beside))
}

/// Days since some day long ago.
fn day_number(date: PartialDate) -> i64 {
    let (year, month, day) =
        (i64::from(date.year()), i64::from(date.month().unwrap_or(1)), i64::from(date.day().unwrap_or(1)));
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
}

fn scholarly_date(head: &PageHead<'_>, calendar: &DateRules) -> Option<PartialDate> {
    head.meta_contents(&SCHOLARLY)
        .filter_map(|said| date_parsing::parse_machine_date(&said, calendar.order))
        .filter(|&date| calendar.is_past(date) && date.year() > 1500)
        .max_by_key(|date| (date.day().is_some(), date.month().is_some()))
}

fn stated_date(
    tree: &HtmlTree,
    head: &PageHead<'_>,
    calendar: &DateRules,
    beside: &BoilerplateNodes,
) -> Option<PartialDate> {
    let from_works = || {
        let works = || head.works.iter().filter(|work| work.rank >= 3);
        works().find_map(|work| work.published.as_deref().and_then(|said| calendar.parse_machine_date(said))).or_else(
            || works().find_map(|work| work.created.as_deref().and_then(|said| calendar.parse_machine_date(said))),
        )
    };
    let day = |date: &PartialDate| date.day().is_some();
    head.meta_contents(&PUBLISHED)
        .find_map(|said| calendar.parse_machine_date(&said).filter(day))
        .or_else(|| from_works().filter(day))
        .or_else(|| microdata_date(tree, head, calendar, beside, &["datepublished", "datecreated"]))
}

fn microdata_date(
    tree: &HtmlTree,
    head: &PageHead<'_>,
    calendar: &DateRules,
    beside: &BoilerplateNodes,
    names: &[&str],
) -> Option<PartialDate> {
    names
        .iter()
        .flat_map(|name| head.elements_with_property(name))
        .filter(|&id| !beside.contains_node(id))
        .find_map(|id| date_of_element(tree, id, calendar))
}

/// The date an element states: in an attribute for machines, or in its words.
fn date_of_element(tree: &HtmlTree, id: NodeId, calendar: &DateRules) -> Option<PartialDate> {
    ["datetime", "content", "data-datetime", "data-time", "data-timestamp", "data-date", "title"]
        .iter()
        .find_map(|name| calendar.parse_machine_date(tree.attribute(id, name)?).filter(|date| date.day().is_some()))
        .or_else(|| {
            let line = tree.text_line(id);
            (line.len() < 300).then(|| calendar.find_date(&line)).flatten()
        })
}

/// `…/2024/05/01/…`, `…/2024-05-01-…`, `…/20240501/…`
fn in_address(url: &Url, calendar: &DateRules) -> Option<PartialDate> {
    let path = url.path();
    let bytes = path.as_bytes();
    for (at, window) in bytes.windows(4).enumerate() {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        if before.is_some_and(|byte| byte.is_ascii_digit())
            || !(window.starts_with(b"19") || window.starts_with(b"20"))
            || !window.iter().all(u8::is_ascii_digit)
        {
            continue;
        }
        let rest = &path[at..];
        let end = rest
            .char_indices()
            .filter(|(_, c)| !c.is_ascii_digit() && !"/-_.".contains(*c))
            .map(|(at, _)| at)
            .next()
            .unwrap_or(rest.len());
        let run = &rest[..end.min(10)];
        let mut numbers = run.split(['/', '-', '_', '.']);
        let date = match (numbers.next(), numbers.next(), numbers.next()) {
            (Some(year), Some(month), Some(day))
                if year.len() == 4 && matches!(month.len(), 1 | 2) && matches!(day.len(), 1 | 2) =>
            {
                (year.parse().ok()).zip(month.parse().ok()).zip(day.parse().ok())
            }
            (Some(packed), _, _) if packed.len() == 8 => {
                packed[..4].parse().ok().zip(packed[4..6].parse().ok()).zip(packed[6..].parse().ok())
            }
            _ => None,
        };
        let date = date.and_then(|((year, month), day)| PartialDate::new(year, Some(month), Some(day)));
        if let Some(date) = date.filter(|&date| calendar.is_possible(date)) {
            return Some(date);
        }
    }
    None
}

/// `<time>` elements: those called published first, then the first of all that is not part of something else.
fn time_element_date(tree: &HtmlTree, calendar: &DateRules, beside: &BoilerplateNodes) -> Option<PartialDate> {
    let mut first = None;
    for id in tree.node_ids() {
        let tag = tree.tag(id);
        if tag != Tag::Time && tag != Tag::Abbr {
            continue;
        }
        let hint = element_hint(tree, id);
        let called =
            tree.attribute(id, "pubdate").is_some() || has_part(&hint, &["publi", "entry date", "posted", "created"]);
        if tag == Tag::Abbr && !called && !has_part(&hint, &["date", "time"]) {
            continue;
        }
        if has_part(&hint, &["updated", "modified"]) && !has_part(&hint, &["publi"]) || beside.contains_node(id) {
            continue;
        }
        let Some(date) = date_of_element(tree, id, calendar) else { continue };
        if called {
            return Some(date);
        }
        first = first.or(Some(date));
    }
    first
}

/// Elements that are called a date.
fn called_date(tree: &HtmlTree, calendar: &DateRules, beside: &BoilerplateNodes) -> Option<PartialDate> {
    for id in tree.node_ids() {
        let node = tree.node(id);
        if node.is_text()
            || tree.attributes(id).is_empty()
            || node.tag.is_unseen()
            || matches!(node.tag, Tag::Body | Tag::Html | Tag::Meta | Tag::Link)
        {
            continue;
        }
        let hint = element_hint(tree, id);
        if !has_word(&hint, &DATED) && !has_part(&hint, &["date", "publish", "datum", "time stamp"]) {
            continue;
        }
        if has_part(&hint, &["updat", "modif", "comment"]) || beside.contains_node(id) || tree.is_hidden(id) {
            continue;
        }
        let line = tree.text_line(id);
        if line.len() < 6 || line.len() > 200 {
            continue;
        }
        if let Some(date) = calendar.find_date(&line) {
            return Some(date);
        }
    }
    None
}

/// Side of the headline on which a date is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeadlineSide {
    Before,
    After,
}

/// A date right after or before the page's headline.
fn near_heading(
    tree: &HtmlTree,
    title: Option<&str>,
    calendar: &DateRules,
    beside: &BoilerplateNodes,
    side: HeadlineSide,
) -> Option<PartialDate> {
    let heading = find_headline(tree, title)?;
    let around: Vec<NodeId> = match side {
        HeadlineSide::After => visible_texts(tree, tree.end_of(heading)..tree.len() as NodeId).take(16).collect(),
        HeadlineSide::Before => visible_texts(tree, (0..heading).rev()).take(6).collect(),
    };
    let mut changed = None;
    for id in around {
        if beside.contains_node(id) {
            continue;
        }
        // A date may be spread over links and other inline elements of its line.
        let line = tree.ancestors(id).find(|&above| tree.tag(above).is_block()).map(|above| tree.text_line(above));
        let own = tree.node(id).text.trim();
        let text = line.as_deref().filter(|line| line.len() < 150).unwrap_or(own);
        let stated = tree.ancestors(id).take(2).find_map(|above| {
            calendar.parse_machine_date(tree.attribute(above, "datetime")?).filter(|date| date.day().is_some())
        });
        let Some(date) = stated.or_else(|| (text.len() < 120).then(|| calendar.find_date(text)).flatten()) else {
            continue;
        };
        let called =
            tree.ancestors(id).take(2).any(|above| has_part(&element_hint(tree, above), &["updated", "modified"]));
        if is_change(text) || called {
            changed = changed.or(Some(date));
        } else {
            return Some(date);
        }
    }
    changed
}

/// Returns true if the line states a last-modified date.
fn is_change(text: &str) -> bool {
    let text = text.to_lowercase();
    ["updated", "update:", "aktualisiert", "last modified", "modified", "mis à jour", "actualizado", "geändert"]
        .iter()
        .any(|word| text.contains(word))
}

/// The heading that says the page's title, or the first there is.
pub(crate) fn find_headline(tree: &HtmlTree, title: Option<&str>) -> Option<NodeId> {
    let headings = || tree.node_ids().filter(|&id| tree.tag(id).heading_level().is_some());
    let title = title.map(fold_name).filter(|title| !title.is_empty());
    title
        .and_then(|title| {
            headings().find(|&id| {
                let said = fold_name(&tree.text_line(id));
                said == title
                    || (said.len() > 12 && title.contains(&said))
                    || (title.len() > 12 && said.contains(&title))
            })
        })
        .or_else(|| headings().find(|&id| tree.tag(id) == Tag::H1 && !tree.text_line(id).is_empty()))
}

/// The texts among these nodes that a reader sees.
pub(crate) fn visible_texts<'t>(
    tree: &'t HtmlTree,
    ids: impl Iterator<Item = NodeId> + 't,
) -> impl Iterator<Item = NodeId> + 't {
    ids.filter(|&id| {
        let node = tree.node(id);
        node.is_text()
            && !node.text.trim().is_empty()
            && !tree.ancestors(id).any(|above| tree.tag(above).is_unseen() || tree.tag(above) == Tag::Nav)
    })
}

/// The first line on the page that says little but a day; where there is no better, also one beside the content.
fn first_line(tree: &HtmlTree, calendar: &DateRules, beside: &BoilerplateNodes) -> Option<PartialDate> {
    let lines: Vec<(NodeId, PartialDate)> = visible_texts(tree, tree.node_ids())
        .filter_map(|id| {
            let text = tree.node(id).text.trim();
            let date = (text.len() < 40 && !is_change(text)).then(|| calendar.find_date(text)).flatten()?;
            Some((id, date))
        })
        .collect();
    lines
        .iter()
        .find(|(id, _)| !beside.contains_node(*id))
        .or_else(|| lines.first().filter(|_| lines.len() == 1))
        .map(|&(_, date)| date)
}

/// A date that a script of the page calls that of publication.
fn in_scripts(tree: &HtmlTree, calendar: &DateRules) -> Option<PartialDate> {
    const KEYS: [&str; 9] = [
        "datePublished",
        "publishedDate",
        "publishDate",
        "publish_date",
        "published_at",
        "publishedAt",
        "pubDate",
        "published_time",
        "firstPublished",
    ];
    let scripts = tree.node_ids().filter(|&id| tree.tag(id) == Tag::Script).filter_map(|id| tree.first_child(id));
    scripts.map(|id| &*tree.node(id).text).find_map(|script| {
        KEYS.iter().find_map(|key| {
            let at = script.find(key)? + key.len();
            let rest = script.get(at..)?.trim_start_matches(['"', '\'', '\\', ' ', ':', '=', '[']);
            let end = rest.find(['"', '\'', '\\', ',', '}']).unwrap_or(0).min(40);
            calendar.parse_machine_date(rest.get(..end)?).filter(|date| date.day().is_some())
        })
    })
}

fn modified_date(
    tree: &HtmlTree,
    head: &PageHead<'_>,
    calendar: &DateRules,
    beside: &BoilerplateNodes,
) -> Option<PartialDate> {
    head.meta_contents(&MODIFIED)
        .find_map(|said| calendar.parse_machine_date(&said))
        .or_else(|| {
            head.works
                .iter()
                .find_map(|work| work.modified.as_deref().and_then(|said| calendar.parse_machine_date(said)))
        })
        .or_else(|| microdata_date(tree, head, calendar, beside, &["datemodified"]))
        .or_else(|| head.meta_contents(&PUBLISHED).find_map(|said| calendar.parse_machine_date(&said)))
}
