//! RIS: a tag and a value on each line, the line ended as the format has it.

use hayagriva::citationberg::taxonomy::Kind;

use super::fields::Fields;
use crate::{
    date::{Date, Day},
    markup,
    person::Person,
};

const END: &str = "\r\n";

pub(super) fn write(items: &[Fields<'_>], keys: &[String]) -> String {
    let mut out = String::new();
    for (item, key) in items.iter().zip(keys) {
        if !out.is_empty() {
            out.push_str(END);
        }
        entry(item, key, &mut Lines { out: &mut out });
    }
    out
}

struct Lines<'o> {
    out: &'o mut String,
}

impl Lines<'_> {
    fn put(&mut self, tag: &str, value: Option<String>) {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            self.out.push_str(tag);
            self.out.push_str("  - ");
            self.out.push_str(&value);
            self.out.push_str(END);
        }
    }

    fn people(&mut self, tag: &str, people: &[Person]) {
        for person in people {
            self.put(tag, Some(name(person)));
        }
    }
}

/// The type of the reference.
fn kind(item: &Fields<'_>) -> &'static str {
    let sound = || {
        let text = [item.plain("genre"), item.plain("medium")].map(Option::unwrap_or_default).join(" ").to_lowercase();
        ["radio", "podcast", "audio"].iter().any(|word| text.contains(word))
    };
    match item.kind {
        Kind::ArticleJournal | Kind::Review | Kind::ReviewBook => "JOUR",
        Kind::ArticleMagazine => "MGZN",
        Kind::ArticleNewspaper => "NEWS",
        Kind::Article => "UNPB",
        Kind::Book if item.get("event-title").is_some() => "CONF",
        Kind::Book => "BOOK",
        Kind::Chapter => "CHAP",
        Kind::PaperConference => "CPAPER",
        Kind::EntryDictionary => "DICT",
        Kind::Entry | Kind::EntryEncyclopedia => "ENCYC",
        Kind::Pamphlet => "PAMP",
        Kind::Report => "RPRT",
        Kind::Thesis => "THES",
        Kind::Manuscript => "MANSCPT",
        Kind::Speech => "SLIDE",
        Kind::Webpage => "ELEC",
        Kind::PostWeblog => "BLOG",
        Kind::Post => "ICOMM",
        Kind::Periodical => "JFULL",
        Kind::Patent => "PAT",
        Kind::Dataset => "DATA",
        Kind::Software => "COMP",
        Kind::Standard => "STAND",
        Kind::Bill => "BILL",
        Kind::Legislation => "STAT",
        Kind::Regulation | Kind::Treaty => "LEGAL",
        Kind::LegalCase => "CASE",
        Kind::Hearing => "HEAR",
        Kind::MotionPicture => "MPCT",
        Kind::Broadcast if sound() => "SOUND",
        Kind::Broadcast => "VIDEO",
        Kind::Song => "SOUND",
        Kind::MusicalScore => "MUSIC",
        Kind::Graphic => "ART",
        Kind::Figure => "FIGURE",
        Kind::Map => "MAP",
        Kind::PersonalCommunication | Kind::Interview => "PCOMM",
        Kind::Classic => "CLSWK",
        Kind::Performance | Kind::Collection | Kind::Event | Kind::Document => "GEN",
    }
}

fn entry(item: &Fields<'_>, key: &str, lines: &mut Lines<'_>) {
    let kind = kind(item);
    let text = |name: &str| item.plain(name);
    lines.put("TY", Some(kind.to_owned()));
    lines.put("ID", Some(key.to_owned()));
    lines.people("AU", &item.authors());
    let is_part = matches!(kind, "CHAP" | "CPAPER" | "DICT" | "ENCYC");
    // Of a part, the second names are those of the whole.
    let editors = [item.editors(), item.people("compiler")].into_iter().find(|people| !people.is_empty());
    lines.people(if is_part { "A2" } else { "ED" }, &editors.unwrap_or_default());
    lines.people("A3", &item.people("collection-editor"));
    lines.people("A4", &item.translators());
    lines.put("TI", text("title"));
    lines.put("ST", text("title-short"));
    lines.put("T2", text("container-title"));
    lines.put("J2", text("container-title-short"));
    lines.put("T3", text("collection-title"));
    lines.put("C3", text("event-title"));
    lines.put("C1", text("event-place"));
    dates(item, lines);
    lines.put("VL", text("volume"));
    lines.put("IS", text("issue"));
    // Articles that are numbered instead of paged.
    lines.put(if kind == "JOUR" { "C7" } else { "M1" }, text("number").or_else(|| text("collection-number")));
    pages(item, lines);
    lines.put("SE", text("section").or_else(|| text("chapter-number")));
    lines.put("NV", text("number-of-volumes"));
    // A program has a version where a book has an edition.
    lines.put("ET", text("edition").or_else(|| text("version")));
    lines.put("PB", text("publisher").or_else(|| text("authority")));
    lines.put("CY", text("publisher-place"));
    lines.put("M3", text("genre").or_else(|| text("medium")));
    lines.put("SN", text("ISBN"));
    lines.put("SN", text("ISSN"));
    lines.put("DO", item.doi());
    lines.put("UR", item.url());
    lines.put("Y2", item.date("accessed").and_then(|date| date.start).and_then(|start| day(start, "")));
    lines.put("AN", text("PMID"));
    lines.put("C2", text("PMCID"));
    lines.put("CN", text("call-number"));
    lines.put("DB", text("archive"));
    lines.put("LA", text("language"));
    for keyword in item.keywords() {
        lines.put("KW", Some(keyword));
    }
    lines.put("AB", text("abstract"));
    lines.put("N1", text("note"));
    lines.put("N1", text("annote"));
    lines.out.push_str("ER  - ");
    lines.out.push_str(END);
}

/// `Family, Given, Suffix`. The format has no way to write a comma within a part.
fn name(person: &Person) -> String {
    let plain = |text: &str| markup::bare(&markup::tagged(text));
    if let Some(literal) = &person.literal {
        return plain(literal).trim().to_owned();
    }
    let part = |text: &str| {
        let text = plain(text).replace(',', " ");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let particles = part(&person.particles());
    let joint = if particles.is_empty() || particles.ends_with(['-', '\'', '’', 'ʻ']) { "" } else { " " };
    let mut out = format!("{particles}{joint}{}", part(&person.family));
    let (given, suffix) = (part(&person.given), part(&person.suffix));
    if !given.is_empty() || !suffix.is_empty() {
        out.push_str(", ");
        out.push_str(&given);
    }
    if !suffix.is_empty() {
        out.push_str(", ");
        out.push_str(&suffix);
    }
    out
}

fn dates(item: &Fields<'_>, lines: &mut Lines<'_>) {
    let Some(date) = item.date("issued") else { return };
    let more = more(&date);
    match date.start {
        Some(start) => {
            let written = day(start, &more);
            if (1..=9999).contains(&start.year) {
                lines.put("PY", Some(format!("{:04}", start.year)));
            }
            // The year alone is said already.
            let exact = start.month.is_some() || !more.is_empty() || start.year < 0;
            lines.put("DA", written.filter(|_| exact));
        }
        // `year/month/day/other`.
        None => lines.put("DA", Some(format!("///{more}"))),
    }
}

/// What follows the day: words, a season, the end of a range.
fn more(date: &Date) -> String {
    const SEASONS: [&str; 4] = ["Spring", "Summer", "Autumn", "Winter"];
    let season = |day: Day| SEASONS.get(usize::from(day.month?).checked_sub(13)?).copied();
    let mut words: Vec<String> = Vec::new();
    if date.circa {
        words.push("circa".to_owned());
    }
    words.extend(date.start.and_then(season).map(str::to_owned));
    if let Some(end) = date.end {
        let named = season(end).map(|season| format!("{season} {}", end.year));
        words.push(format!("to {}", named.unwrap_or_else(|| dashed(end))));
    }
    if date.start.is_none() {
        words.extend(date.literal.as_deref().map(|text| text.replace('/', "-")));
    }
    words.join(" ")
}

fn dashed(day: Day) -> String {
    let parts = [day.month, day.day].into_iter().flatten().map(|part| format!("-{part:02}"));
    format!("{}{}", year(day.year), parts.collect::<String>())
}

fn year(year: i32) -> String {
    if year < 0 { format!("{} BC", year.unsigned_abs()) } else { format!("{year:04}") }
}

/// `2020/05/01/other`, with nothing between the strokes where nothing is known.
fn day(day: Day, more: &str) -> Option<String> {
    if day.year < 0 {
        // Years have four digits; others can only be told in words.
        return Some(format!("///{} {more}", dashed(day)).trim_end().to_owned());
    }
    let two = |part: Option<u8>| part.map(|part| format!("{part:02}")).unwrap_or_default();
    let month = two(day.month.filter(|month| *month <= 12));
    (day.year <= 9999).then(|| format!("{:04}/{month}/{}/{more}", day.year, two(day.day)))
}

fn pages(item: &Fields<'_>, lines: &mut Lines<'_>) {
    let Some(pages) = item.plain("page").or_else(|| item.plain("page-first")) else { return };
    let parts: Vec<&str> =
        pages.split(['-', '–', '—', '−', '‐', '‑']).map(str::trim).filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        // One range; more than one would lose its middle.
        [from, to] if !pages.contains([',', ';', '&']) => {
            lines.put("SP", Some((*from).to_owned()));
            lines.put("EP", Some((*to).to_owned()));
        }
        _ => lines.put("SP", Some(pages)),
    }
}
