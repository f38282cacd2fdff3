//! RIS: a tag and a value on each line, the line ended as the format has it.

use hayagriva::citationberg::taxonomy::Kind;

use super::fields::CslFields;
use crate::{
    date::{CslDate, CslDay},
    markup,
    person::CslName,
};

const END: &str = "\r\n";

pub(super) fn write(items: &[CslFields<'_>], keys: &[String]) -> String {
    let mut out = String::new();
    for (item, key) in items.iter().zip(keys) {
        if !out.is_empty() {
            out.push_str(END);
        }
        write_entry(item, key, &mut RisLines { out: &mut out });
    }
    out
}

struct RisLines<'o> {
    out: &'o mut String,
}

impl RisLines<'_> {
    fn write_tag(&mut self, tag: &str, value: Option<String>) {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            self.out.push_str(tag);
            self.out.push_str("  - ");
            self.out.push_str(&value);
            self.out.push_str(END);
        }
    }

    fn write_people(&mut self, tag: &str, people: &[CslName]) {
        for person in people {
            self.write_tag(tag, Some(format_name(person)));
        }
    }
}

/// Returns the RIS type of the reference.
fn reference_type(item: &CslFields<'_>) -> &'static str {
    let sound = || {
        let text = [item.plain_text("genre"), item.plain_text("medium")]
            .map(Option::unwrap_or_default)
            .join(" ")
            .to_lowercase();
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

fn write_entry(item: &CslFields<'_>, key: &str, lines: &mut RisLines<'_>) {
    let kind = reference_type(item);
    let text = |name: &str| item.plain_text(name);
    lines.write_tag("TY", Some(kind.to_owned()));
    lines.write_tag("ID", Some(key.to_owned()));
    lines.write_people("AU", &item.authors());
    let is_part = matches!(kind, "CHAP" | "CPAPER" | "DICT" | "ENCYC");
    // Of a part, the second names are those of the whole.
    let editors = [item.editors(), item.people("compiler")].into_iter().find(|people| !people.is_empty());
    lines.write_people(if is_part { "A2" } else { "ED" }, &editors.unwrap_or_default());
    lines.write_people("A3", &item.people("collection-editor"));
    lines.write_people("A4", &item.translators());
    lines.write_tag("TI", text("title"));
    lines.write_tag("ST", text("title-short"));
    lines.write_tag("T2", text("container-title"));
    lines.write_tag("J2", text("container-title-short"));
    lines.write_tag("T3", text("collection-title"));
    lines.write_tag("C3", text("event-title"));
    lines.write_tag("C1", text("event-place"));
    write_dates(item, lines);
    lines.write_tag("VL", text("volume"));
    lines.write_tag("IS", text("issue"));
    // Articles that are numbered instead of paged.
    lines.write_tag(if kind == "JOUR" { "C7" } else { "M1" }, text("number").or_else(|| text("collection-number")));
    write_pages(item, lines);
    lines.write_tag("SE", text("section").or_else(|| text("chapter-number")));
    lines.write_tag("NV", text("number-of-volumes"));
    // A program has a version where a book has an edition.
    lines.write_tag("ET", text("edition").or_else(|| text("version")));
    lines.write_tag("PB", text("publisher").or_else(|| text("authority")));
    lines.write_tag("CY", text("publisher-place"));
    lines.write_tag("M3", text("genre").or_else(|| text("medium")));
    lines.write_tag("SN", text("ISBN"));
    lines.write_tag("SN", text("ISSN"));
    lines.write_tag("DO", item.doi());
    lines.write_tag("UR", item.url());
    lines.write_tag("Y2", item.date("accessed").and_then(|date| date.start).and_then(|start| format_day(start, "")));
    lines.write_tag("AN", text("PMID"));
    lines.write_tag("C2", text("PMCID"));
    lines.write_tag("CN", text("call-number"));
    lines.write_tag("DB", text("archive"));
    lines.write_tag("LA", text("language"));
    for keyword in item.keywords() {
        lines.write_tag("KW", Some(keyword));
    }
    lines.write_tag("AB", text("abstract"));
    lines.write_tag("N1", text("note"));
    lines.write_tag("N1", text("annote"));
    lines.out.push_str("ER  - ");
    lines.out.push_str(END);
}

/// `Family, Given, Suffix`. The format has no way to write a comma within a part.
fn format_name(person: &CslName) -> String {
    let plain = |text: &str| markup::visible_text(&markup::tags_to_marks(text));
    if let Some(literal) = &person.literal {
        return plain(literal).trim().to_owned();
    }
    let part = |text: &str| ibid_language::one_line(&plain(text).replace(',', " "));
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

fn write_dates(item: &CslFields<'_>, lines: &mut RisLines<'_>) {
    let Some(date) = item.date("issued") else { return };
    let more = date_remainder(&date);
    match date.start {
        Some(start) => {
            let written = format_day(start, &more);
            if (1..=9999).contains(&start.year) {
                lines.write_tag("PY", Some(format!("{:04}", start.year)));
            }
            // The year alone is said already.
            let exact = start.month.is_some() || !more.is_empty() || start.year < 0;
            lines.write_tag("DA", written.filter(|_| exact));
        }
        // `year/month/day/other`.
        None => lines.write_tag("DA", Some(format!("///{more}"))),
    }
}

/// Returns the rest of a date after the day: words, a season or the end of a range.
fn date_remainder(date: &CslDate) -> String {
    const SEASONS: [&str; 4] = ["Spring", "Summer", "Autumn", "Winter"];
    let season = |day: CslDay| SEASONS.get(usize::from(day.month?).checked_sub(13)?).copied();
    let mut words: Vec<String> = Vec::new();
    if date.circa {
        words.push("circa".to_owned());
    }
    words.extend(date.start.and_then(season).map(str::to_owned));
    if let Some(end) = date.end {
        let named = season(end).map(|season| format!("{season} {}", end.year));
        words.push(format!("to {}", named.unwrap_or_else(|| dashed_day(end))));
    }
    if date.start.is_none() {
        words.extend(date.literal.as_deref().map(|text| text.replace('/', "-")));
    }
    words.join(" ")
}

fn dashed_day(day: CslDay) -> String {
    let parts = [day.month, day.day].into_iter().flatten().map(|part| format!("-{part:02}"));
    format!("{}{}", format_year(day.year), parts.collect::<String>())
}

fn format_year(year: i32) -> String {
    if year < 0 { format!("{} BC", year.unsigned_abs()) } else { format!("{year:04}") }
}

/// `2020/05/01/other`, with nothing between the strokes where nothing is known.
fn format_day(day: CslDay, more: &str) -> Option<String> {
    if day.year < 0 {
        // Years have four digits; others can only be told in words.
        return Some(format!("///{} {more}", dashed_day(day)).trim_end().to_owned());
    }
    let two = |part: Option<u8>| part.map(|part| format!("{part:02}")).unwrap_or_default();
    let month = two(day.month.filter(|month| *month <= 12));
    (day.year <= 9999).then(|| format!("{:04}/{month}/{}/{more}", day.year, two(day.day)))
}

fn write_pages(item: &CslFields<'_>, lines: &mut RisLines<'_>) {
    let Some(pages) = item.plain_text("page").or_else(|| item.plain_text("page-first")) else { return };
    let parts: Vec<&str> =
        pages.split(['-', '–', '—', '−', '‐', '‑']).map(str::trim).filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        // One range; more than one would lose its middle.
        [from, to] if !pages.contains([',', ';', '&']) => {
            lines.write_tag("SP", Some((*from).to_owned()));
            lines.write_tag("EP", Some((*to).to_owned()));
        }
        _ => lines.write_tag("SP", Some(pages)),
    }
}
