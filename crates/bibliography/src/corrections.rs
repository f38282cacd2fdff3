//! What is put right because a style, or what it asks of the data, does not give what its manual says. Each correction has
//! a name, by which `docs/BIBLIOGRAPHY.md` lists it; all of them are here, but for what is said of names and numbers
//! where those are written (`upright-pair`, `identifier`, `digit-groups`).

use hayagriva::citationberg::{
    Formatting, Group, IndependentStyle, LayoutRenderingElement as Element, TextTarget,
    taxonomy::{Kind, NameVariable as Names, NumberVariable as Number, OtherTerm, StandardVariable as Text, Term},
};

use crate::{
    item::CslItem,
    markup,
    person::CslName,
    style::CslStyle,
    text_case::{LargeWordLength, NO_BOUND},
};

/// The manuals whose rules are known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StyleManual {
    Apa,
    Mla,
    Chicago,
    Other,
}

impl StyleManual {
    /// The manual of a style, by the id that its file says.
    pub(crate) fn from_style_id(id: &str) -> Self {
        let name = id.rsplit('/').next().unwrap_or(id);
        if name == "apa" || name.starts_with("apa-") {
            Self::Apa
        } else if name.starts_with("modern-language-association") {
            Self::Mla
        } else if name.starts_with("chicago-") {
            Self::Chicago
        } else {
            Self::Other
        }
    }
}

/// `chicago-18-prepositions`: since the 18th edition of Chicago, prepositions of five letters or more are large in titles.
pub(crate) fn large_words(id: &str) -> LargeWordLength {
    let older = ["15th", "16th", "17th"].iter().any(|edition| id.contains(edition));
    if StyleManual::from_style_id(id) == StyleManual::Chicago && !older { 5 } else { NO_BOUND }
}

/// Puts right what is wrong in a style itself.
pub(crate) fn correct_style(style: &mut IndependentStyle) {
    match StyleManual::from_style_id(&style.info.id) {
        StyleManual::Apa => group_retrieved(style),
        StyleManual::Mla => review_by(style),
        StyleManual::Chicago | StyleManual::Other => {}
    }
}

/// `apa-retrieved`: `Retrieved` is written with the day of access, or not at all.
fn group_retrieved(style: &mut IndependentStyle) {
    fn is_retrieved(element: &Element) -> bool {
        matches!(element, Element::Text(text)
            if matches!(text.target, TextTarget::Term { term: Term::Other(OtherTerm::Retrieved), .. }))
    }
    fn wrap(elements: &mut Vec<Element>) {
        if elements.first().is_some_and(is_retrieved) && elements.len() == 2 {
            let children = std::mem::take(elements);
            elements.push(Element::Group(plain_group(children, " ")));
            return;
        }
        for element in elements {
            match element {
                Element::Group(group) => wrap(&mut group.children),
                Element::Choose(choose) => {
                    for branch in std::iter::once(&mut choose.if_).chain(&mut choose.else_if) {
                        wrap(&mut branch.children);
                    }
                    if let Some(otherwise) = &mut choose.otherwise {
                        wrap(&mut otherwise.children);
                    }
                }
                _ => {}
            }
        }
    }
    for one in &mut style.macros {
        wrap(&mut one.children);
    }
}

fn plain_group(children: Vec<Element>, delimiter: &str) -> Group {
    let plain = Formatting::default();
    Group {
        children,
        font_style: plain.font_style,
        font_variant: plain.font_variant,
        font_weight: plain.font_weight,
        text_decoration: plain.text_decoration,
        vertical_align: plain.vertical_align,
        prefix: None,
        suffix: None,
        delimiter: Some(delimiter.to_owned()),
        display: None,
    }
}

/// `mla-review-by`: `Review of *Title*, by Name` has a comma and a space, which the style leaves out.
fn review_by(style: &mut IndependentStyle) {
    let Some(found) = style.macros.iter_mut().find(|one| one.name == "supplemental-generic-label-review") else {
        return;
    };
    for element in &mut found.children {
        let Element::Choose(choose) = element else { continue };
        let branches = std::iter::once(&mut choose.if_).chain(&mut choose.else_if).map(|branch| &mut branch.children);
        for child in branches.chain(choose.otherwise.as_mut().map(|branch| &mut branch.children)).flatten() {
            if let Element::Names(names) = child
                && names.variable == [Names::ReviewedAuthor]
                && names.prefix.is_none()
            {
                names.prefix = Some(", ".to_owned());
            }
        }
    }
}

/// Puts right what no style should see: `doi-bare`, `event-name`, `publisher-is-site`.
pub(crate) fn correct_item(item: &mut CslItem) {
    correct_doi(item);
    correct_event(item);
    if is_periodical_or_page(item.kind) && same_text(item.text(Text::Publisher), item.text(Text::ContainerTitle)) {
        item.set_text(Text::Publisher, None);
    }
}

/// Puts right what styles of one manual would print against it.
pub(crate) fn adapt_to_manual(item: &mut CslItem, manual: StyleManual) {
    match manual {
        StyleManual::Apa => {
            own_publisher(item);
            add_description(item);
            online_video(item);
            correct_patent(item, "U.S. Patent", true);
        }
        StyleManual::Mla => {
            organisation_last(item);
            proceedings_as_chapter(item);
            move_letter_kind(item);
            shorten_publisher(item);
            online_video(item);
            correct_patent(item, "US Patent", false);
            // The style would put `no.` between the two.
            if item.kind == Kind::Patent && item.text(Text::Genre) == Some("US Patent") {
                let number = item.number(Number::Number).map(|number| format!("US Patent {number}"));
                item.set_number(Number::Number, number);
                item.set_text(Text::Genre, None);
            }
        }
        StyleManual::Chicago => {
            own_site(item);
            proceedings_as_chapter(item);
            online_video(item);
            correct_patent(item, "US Patent", false);
        }
        StyleManual::Other => {}
    }
}

/// Puts right what a style made of an item.
pub(crate) fn correct_output(style: &CslStyle, item: &CslItem, mut text: String) -> String {
    // `chicago-released`: by author and date, the year of a program is said before; `released` would stand alone.
    if item.kind == Kind::Software && style.manual == StyleManual::Chicago {
        for (wrong, right) in [(", released.", "."), (". Released.", ".")] {
            if text.contains(wrong) {
                text = text.replacen(wrong, right, 1);
            }
        }
        for wrong in [", released", ". Released"] {
            if let Some(shorter) = text.strip_suffix(wrong) {
                text = shorter.to_owned();
            }
        }
    }
    text
}

fn same_text(a: Option<&str>, b: Option<&str>) -> bool {
    let plain = |text: &str| markup::visible_text(text).trim().to_lowercase();
    a.zip(b).is_some_and(|(a, b)| plain(a) == plain(b))
}

fn is_periodical_or_page(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Webpage
            | Kind::Post
            | Kind::PostWeblog
            | Kind::ArticleNewspaper
            | Kind::ArticleMagazine
            | Kind::ArticleJournal
    )
}

/// The organisation that is the one author.
fn sole_organisation(item: &CslItem) -> Option<String> {
    match item.names(Names::Author) {
        [CslName { literal: Some(name), .. }] => Some(name.clone()),
        _ => None,
    }
}

/// `apa-own-publisher`: a publisher or a site that is the author is not named again.
fn own_publisher(item: &mut CslItem) {
    let Some(name) = sole_organisation(item) else { return };
    if same_text(item.text(Text::Publisher), Some(&name)) {
        item.set_text(Text::Publisher, None);
    }
    if matches!(item.kind, Kind::Webpage | Kind::Post | Kind::PostWeblog)
        && same_text(item.text(Text::ContainerTitle), Some(&name))
    {
        item.set_text(Text::ContainerTitle, None);
    }
}

/// `mla-organisation`: where an organisation has written and published a work, the entry begins with the title.
fn organisation_last(item: &mut CslItem) {
    let Some(name) = sole_organisation(item) else { return };
    let publishes = same_text(item.text(Text::Publisher), Some(&name))
        || (matches!(item.kind, Kind::Webpage | Kind::Post | Kind::PostWeblog)
            && same_text(item.text(Text::ContainerTitle), Some(&name)));
    if publishes && item.text(Text::Title).is_some() {
        item.set_names(Names::Author, Vec::new());
    }
}

/// `chicago-own-site`: a site that is the author is not named again.
fn own_site(item: &mut CslItem) {
    let Some(name) = sole_organisation(item) else { return };
    if item.kind == Kind::Webpage {
        for text in [Text::ContainerTitle, Text::Publisher] {
            if same_text(item.text(text), Some(&name)) {
                item.set_text(text, None);
            }
        }
    }
}

/// `apa-description`: a film is `[Film]`, a recording from a site `[Video]`, data are a `[Data set]`, and a preprint is told
/// by its archive alone.
fn add_description(item: &mut CslItem) {
    if item.kind == Kind::Article && item.text(Text::Genre).is_some_and(|genre| genre.eq_ignore_ascii_case("preprint"))
    {
        item.set_text(Text::Genre, None);
    }
    if item.text(Text::Genre).is_some() || item.text(Text::Medium).is_some() {
        return;
    }
    let online = item.text(Text::URL).is_some() && item.text(Text::ContainerTitle).is_some();
    let what = match item.kind {
        Kind::MotionPicture if online => "Video",
        Kind::MotionPicture => "Film",
        Kind::Dataset => "Data set",
        _ => return,
    };
    item.set_text(Text::Medium, Some(what.to_owned()));
}

/// `mla-press`: in the names of publishers, `University` is `U`, `Press` beside it `P`, and words of commerce are left out.
fn shorten_publisher(item: &mut CslItem) {
    let Some(name) = item.text(Text::Publisher).map(str::to_owned) else { return };
    if name.contains(markup::is_mark) {
        return;
    }
    let academic = name.split(' ').any(|word| word == "University");
    let mut words: Vec<&str> = name.split(' ').collect();
    while words.len() > 1 && words.last().is_some_and(|word| is_commerce(word)) {
        words.pop();
    }
    let ended = words.len() < name.split(' ').count();
    let short: Vec<&str> = words
        .iter()
        .map(|word| match *word {
            "University" => "U",
            "Press" if academic => "P",
            word => word,
        })
        .collect();
    let mut short = short.join(" ").replace("U P", "UP");
    if ended {
        short.truncate(short.trim_end_matches([',', '&', ' ']).len());
    }
    item.set_text(Text::Publisher, Some(short));
}

fn is_commerce(word: &str) -> bool {
    matches!(
        word,
        "Inc."
            | "Inc"
            | "Ltd."
            | "Ltd"
            | "LLC"
            | "Company"
            | "Co."
            | "Corp."
            | "Corporation"
            | "Incorporated"
            | "Limited"
            | "&"
    )
}

/// `mla-letter`: what kind of letter it is stands at the end.
fn move_letter_kind(item: &mut CslItem) {
    if item.kind == Kind::PersonalCommunication && item.text(Text::Medium).is_none() {
        let genre = item.text(Text::Genre).map(str::to_owned);
        item.set_text(Text::Medium, genre);
        item.set_text(Text::Genre, None);
    }
}

/// `online-video`: a video on a site is cited like a page of it, with its whole date and without `In`.
fn online_video(item: &mut CslItem) {
    let published = item.text(Text::Publisher).is_some() || !item.names(Names::Director).is_empty();
    if item.kind == Kind::MotionPicture
        && item.text(Text::URL).is_some()
        && item.text(Text::ContainerTitle).is_some()
        && !published
    {
        item.kind = Kind::Webpage;
    }
}

/// `proceedings`: a paper in proceedings that were published as a book is cited like a chapter of it.
fn proceedings_as_chapter(item: &mut CslItem) {
    let is_book = item.text(Text::ContainerTitle).is_some() && item.text(Text::Publisher).is_some();
    if item.kind == Kind::PaperConference
        && is_book
        && item.number(Number::Volume).is_none()
        && item.number(Number::Issue).is_none()
    {
        item.kind = Kind::Chapter;
    }
}

/// `patent-office`: `U.S. Patent No. 9,367,592` says the country once; the office is who issues it, not part of the number.
fn correct_patent(item: &mut CslItem, american: &str, names_office: bool) {
    if item.kind != Kind::Patent {
        return;
    }
    let office = item.text(Text::Authority).map(str::to_owned);
    let is_office =
        |name: &str| ["Office", "Organization", "Organisation", "Agency"].iter().any(|word| name.contains(word));
    let office = office.filter(|name| is_office(name));
    let from_america = office
        .as_deref()
        .is_some_and(|name| name.starts_with("U.S.") || name.starts_with("US") || name.starts_with("United States"));
    let number = item.number(Number::Number).map(str::to_owned).unwrap_or_default();
    let bare = number
        .strip_prefix("US")
        .map(|rest| rest.trim_start_matches([' ', '-']))
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if (bare.is_some() || from_america)
        && item.text(Text::Genre).is_none_or(|genre| genre.eq_ignore_ascii_case("patent"))
    {
        item.set_text(Text::Genre, Some(american.to_owned()));
    }
    if let Some(bare) = bare {
        item.set_number(Number::Number, Some(bare.to_owned()));
    }
    if let Some(office) = office {
        item.set_text(Text::Authority, None);
        if names_office && item.text(Text::Publisher).is_none() {
            item.set_text(Text::Publisher, Some(office));
        }
    }
}

/// `doi-bare`: styles write `https://doi.org/` before a DOI, so that it must not have it already; a link to the resolver
/// that stands where the address should is the DOI.
fn correct_doi(item: &mut CslItem) {
    if let Some(text) = item.text(Text::DOI).map(str::to_owned) {
        if let Some(doi) = bare_doi(&text) {
            item.set_text(Text::DOI, Some(doi));
        }
    } else if let Some(url) = item.text(Text::URL).filter(|url| url.contains("doi.org/10.")).map(str::to_owned) {
        item.set_text(Text::DOI, bare_doi(&url));
    }
}

/// A DOI without its resolver or `doi:` before it.
pub(crate) fn bare_doi(text: &str) -> Option<String> {
    let mut rest = text.trim();
    for start in ["https://", "http://", "dx.doi.org/", "www.doi.org/", "doi.org/", "doi:", "DOI:", "DOI ", "doi "] {
        rest = rest.strip_prefix(start).unwrap_or(rest).trim_start();
    }
    rest.starts_with("10.").then(|| rest.to_owned())
}

/// `event-name`: the older name of `event-title`, and the newer one for older styles.
fn correct_event(item: &mut CslItem) {
    let (old, new) = (item.text(Text::Event).map(str::to_owned), item.text(Text::EventTitle).map(str::to_owned));
    match (old, new) {
        (Some(old), None) => item.set_text(Text::EventTitle, Some(old)),
        (None, Some(new)) => item.set_text(Text::Event, Some(new)),
        _ => {}
    }
}
