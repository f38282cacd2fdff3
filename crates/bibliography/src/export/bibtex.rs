//! BibTeX: its own types and fields where it has them, BibLaTeX's where it has not, so that both read the file.

use hayagriva::citationberg::taxonomy::Kind;

use super::{fields::CslFields, latex};
use crate::{
    date::{CslDate, CslDay},
    markup,
};

pub(super) fn write(items: &[CslFields<'_>], keys: &[String]) -> String {
    let entries: Vec<String> =
        items.iter().zip(keys).map(|(item, key)| BibtexEntry::from_fields(item).write(key)).collect();
    entries.join("\n")
}

/// The type of the entry, and what tells it from others of the same type.
fn entry_type(item: &CslFields<'_>) -> (&'static str, Option<&'static str>) {
    let has = |name: &str| item.get(name).is_some();
    let says = |words: &[&str]| {
        let text = [item.plain_text("genre"), item.plain_text("medium")]
            .map(Option::unwrap_or_default)
            .join(" ")
            .to_lowercase();
        words.iter().any(|word| text.contains(word))
    };
    match item.kind {
        Kind::ArticleJournal => ("article", None),
        Kind::ArticleMagazine => ("article", Some("magazine")),
        Kind::ArticleNewspaper => ("article", Some("newspaper")),
        Kind::Review | Kind::ReviewBook => ("article", Some("review")),
        Kind::Article => ("misc", Some("preprint")),
        Kind::Book if has("event-title") => ("proceedings", None),
        Kind::Book => ("book", None),
        Kind::Chapter if !item.people("container-author").is_empty() => ("inbook", None),
        Kind::Chapter => ("incollection", None),
        Kind::PaperConference => ("inproceedings", None),
        Kind::Entry => ("inreference", None),
        Kind::EntryDictionary => ("inreference", Some("dictionary")),
        Kind::EntryEncyclopedia => ("inreference", Some("encyclopedia")),
        Kind::Pamphlet => ("booklet", None),
        Kind::Report => ("techreport", None),
        // The type of the work stands in a field where it is known, so that no style has to guess it.
        Kind::Thesis if says(&["master", "bachelor", "magister", "diplom", "m.a.", "m.sc.", "msc"]) => {
            ("mastersthesis", None)
        }
        Kind::Thesis if has("genre") => ("phdthesis", None),
        Kind::Thesis => ("thesis", None),
        Kind::Manuscript => ("unpublished", None),
        Kind::Speech => ("unpublished", Some("speech")),
        Kind::Webpage => ("online", None),
        Kind::Post => ("online", Some("post")),
        Kind::PostWeblog => ("online", Some("blog")),
        Kind::Periodical => ("periodical", None),
        Kind::Patent => ("patent", None),
        Kind::Dataset => ("dataset", None),
        Kind::Software => ("software", None),
        Kind::Standard => ("standard", None),
        Kind::Bill => ("legislation", Some("bill")),
        Kind::Legislation => ("legislation", None),
        Kind::Regulation => ("legislation", Some("regulation")),
        Kind::LegalCase => ("jurisdiction", None),
        Kind::Hearing => ("legal", Some("hearing")),
        Kind::Treaty => ("legal", Some("treaty")),
        Kind::MotionPicture => ("movie", None),
        Kind::Broadcast if says(&["radio", "podcast", "audio"]) => ("audio", Some("broadcast")),
        Kind::Broadcast => ("video", Some("broadcast")),
        Kind::Song => ("music", None),
        Kind::Performance => ("performance", None),
        Kind::Graphic => ("artwork", None),
        Kind::Figure => ("image", Some("figure")),
        Kind::PersonalCommunication => ("letter", None),
        Kind::MusicalScore => ("misc", Some("score")),
        Kind::Map => ("misc", Some("map")),
        Kind::Interview => ("misc", Some("interview")),
        Kind::Classic => ("misc", Some("classic")),
        Kind::Collection => ("misc", Some("collection")),
        Kind::Event => ("misc", Some("event")),
        Kind::Document => ("misc", None),
    }
}

struct BibtexEntry {
    kind: &'static str,
    /// Names and values, the values with their delimiters.
    fields: Vec<(&'static str, String)>,
}

impl BibtexEntry {
    /// Adds a field, unless it is empty or there already.
    fn add_field(&mut self, name: &'static str, value: Option<String>) {
        if let Some(value) = value.filter(|value| !value.is_empty())
            && !self.has_field(name)
        {
            self.fields.push((name, format!("{{{value}}}")));
        }
    }

    fn has_field(&self, name: &str) -> bool {
        self.fields.iter().any(|(there, _)| *there == name)
    }

    fn write(&self, key: &str) -> String {
        let mut out = format!("@{}{{{key}", self.kind);
        for (name, value) in &self.fields {
            out.push_str(",\n  ");
            out.push_str(name);
            out.push_str(" = ");
            out.push_str(value);
        }
        out.push_str(if self.fields.is_empty() { ",\n}\n" } else { "\n}\n" });
        out
    }

    fn from_fields(item: &CslFields<'_>) -> Self {
        let (kind, subtype) = entry_type(item);
        let mut entry = Self { kind, fields: Vec::new() };
        let text = |name: &str| item.marked_text(name).map(|text| latex::write_text(&text));
        entry.add_people(item);
        // In other languages than English no style changes case, and BibTeX does not know the language.
        let foreign = item.plain_text("language").is_some_and(|language| !is_english(&language));
        let title = |name: &str| {
            let title = item.marked_text(name)?;
            Some(if foreign { format!("{{{}}}", latex::write_text(&title)) } else { latex::write_title(&title) })
        };
        entry.add_field("title", title("title"));
        entry.add_field("shorttitle", title("title-short"));
        let parts: Vec<String> = ["volume-title", "part-title"].into_iter().filter_map(text).collect();
        entry.add_field("titleaddon", Some(parts.join(", ")));
        entry.add_container(item);
        entry.add_dates(item);
        entry.add_numbers(item);
        entry.add_publisher(item);
        entry.add_field("type", text("genre"));
        entry.add_field("entrysubtype", subtype.map(str::to_owned));
        // The proceedings of an event that have no name of their own are called like it.
        let is_container = item.kind == Kind::PaperConference && item.marked_text("container-title").is_none();
        entry.add_field("eventtitle", text("event-title").filter(|_| !is_container));
        entry.add_field("venue", text("event-place"));
        entry.add_field("pubstate", text("status"));
        entry.add_field("howpublished", text("medium"));
        let archive = ["archive_collection", "archive", "archive-place", "archive_location"];
        let archive: Vec<String> = archive.into_iter().filter_map(text).collect();
        entry.add_field("howpublished", Some(archive.join(", ")));
        entry.add_field("library", text("call-number"));
        entry.add_field("origtitle", text("original-title"));
        entry.add_field("origpublisher", text("original-publisher"));
        entry.add_field("origlocation", text("original-publisher-place"));
        entry.add_field("isbn", text("ISBN"));
        entry.add_field("issn", text("ISSN"));
        entry.add_addresses(item);
        match item.plain_text("language").map(|language| (babel_language(&language), language)) {
            Some((Some(name), _)) => entry.add_field("langid", Some(name.to_owned())),
            Some((None, language)) => entry.add_field("language", Some(latex::write_text(&language))),
            None => {}
        }
        entry.add_field("keywords", Some(latex::write_text(&item.keywords().join(", "))));
        entry.add_field("abstract", text("abstract"));
        entry.add_field("note", text("note"));
        entry.add_field("annotation", text("annote"));
        entry
    }

    fn add_people(&mut self, item: &CslFields<'_>) {
        self.add_field("author", Some(latex::format_names(&item.authors())));
        self.add_field("bookauthor", Some(latex::format_names(&item.people("container-author"))));
        let compilers = item.people("compiler");
        if item.editors().is_empty() && !compilers.is_empty() {
            self.add_field("editor", Some(latex::format_names(&compilers)));
            self.add_field("editortype", Some("compiler".to_owned()));
        }
        self.add_field("editor", Some(latex::format_names(&item.editors())));
        self.add_field("translator", Some(latex::format_names(&item.translators())));
    }

    fn add_container(&mut self, item: &CslFields<'_>) {
        let text = |name: &str| item.marked_text(name).map(|text| latex::write_text(&text));
        let container = text("container-title");
        match self.kind {
            "article" | "jurisdiction" | "legislation" | "legal" => self.add_field("journal", container),
            "incollection" | "inbook" | "inreference" | "video" | "audio" | "music" | "image" => {
                self.add_field("booktitle", container);
            }
            "inproceedings" => self.add_field("booktitle", container.or_else(|| text("event-title"))),
            "online" | "dataset" => self.add_field("organization", container),
            "book" | "proceedings" | "techreport" | "phdthesis" | "mastersthesis" | "thesis" | "periodical" => {
                self.add_field("series", text("collection-title").or(container));
            }
            _ => self.add_field("howpublished", container),
        }
        if self.kind == "article" {
            self.add_field("shortjournal", text("container-title-short"));
        }
        self.add_field("series", text("collection-title"));
    }

    fn add_numbers(&mut self, item: &CslFields<'_>) {
        let text = |name: &str| item.marked_text(name).map(|text| latex::write_text(&text));
        self.add_field("edition", text("edition"));
        self.add_field("volume", text("volume"));
        if self.kind == "article" {
            self.add_field("number", text("issue"));
            self.add_field("eid", text("number"));
        } else {
            let of_series = text("collection-number").filter(|_| item.get("collection-title").is_some());
            self.add_field("number", of_series.or_else(|| text("number")).or_else(|| text("issue")));
        }
        self.add_field("number", text("collection-number"));
        self.add_field("version", text("version"));
        self.add_field("volumes", text("number-of-volumes"));
        self.add_field("part", text("part-number"));
        self.add_field("chapter", text("chapter-number"));
        let pages = item.plain_text("page").or_else(|| item.plain_text("page-first"));
        self.add_field("pages", pages.map(|pages| latex::write_text(&tex_page_ranges(&pages))));
        self.add_field("pagetotal", text("number-of-pages"));
    }

    fn add_publisher(&mut self, item: &CslFields<'_>) {
        let text = |name: &str| item.marked_text(name).map(|text| latex::write_text(&text));
        let publisher = text("publisher");
        match self.kind {
            "phdthesis" | "mastersthesis" | "thesis" => self.add_field("school", publisher),
            "techreport" => self.add_field("institution", publisher),
            // A site that has no name but its publisher's.
            "online" if !self.has_field("organization") => self.add_field("organization", publisher),
            "standard" | "legislation" | "jurisdiction" | "legal" => self.add_field("organization", publisher),
            _ => self.add_field("publisher", publisher),
        }
        self.add_field("organization", text("authority"));
        self.add_field("address", text("publisher-place").or_else(|| text("jurisdiction")));
    }

    fn add_addresses(&mut self, item: &CslFields<'_>) {
        let doi = item.doi();
        let arxiv = item.arxiv_id();
        if arxiv.is_some() {
            self.add_field("archiveprefix", Some("arXiv".to_owned()));
            self.add_field("eprint", arxiv);
        }
        self.add_field("doi", doi.as_deref().map(latex::write_verbatim));
        // Styles make a link of the DOI by themselves.
        let url = item.url().filter(|url| doi.is_none() || crate::corrections::bare_doi(url) != doi);
        let read = item.date("accessed").filter(|_| url.is_some()).and_then(|date| biblatex_date(&date));
        self.add_field("url", url.as_deref().map(latex::write_verbatim));
        self.add_field("urldate", read);
        self.add_field("pmid", item.plain_text("PMID").map(|number| latex::write_text(&number)));
        self.add_field("pmcid", item.plain_text("PMCID").map(|number| latex::write_text(&number)));
    }

    fn add_dates(&mut self, item: &CslFields<'_>) {
        const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
        if let Some(date) = item.date("issued") {
            match date.start {
                Some(day) => {
                    let month = day.month.and_then(|month| MONTHS.get(usize::from(month).checked_sub(1)?));
                    if day.year > 0 {
                        self.add_field("year", Some(day.year.to_string()));
                        self.fields.extend(month.map(|month| ("month", (*month).to_owned())));
                    }
                    // What BibTeX has no fields for.
                    let season = day.month.is_some() && month.is_none();
                    if day.year < 0 || day.day.is_some() || season || date.end.is_some() || date.open || date.circa {
                        self.add_field("date", biblatex_date(&date));
                    }
                }
                None => {
                    self.add_field("year", date.literal.map(|words| latex::write_text(&markup::clean_text(&words))))
                }
            }
        }
        self.add_field("eventdate", item.date("event-date").and_then(|date| biblatex_date(&date)));
        self.add_field("origdate", item.date("original-date").and_then(|date| biblatex_date(&date)));
    }
}

/// The date as BibLaTeX has it: `2019-05-01/2019-05-03`, `2020-21` for a spring, `1850~` for about 1850.
fn biblatex_date(date: &CslDate) -> Option<String> {
    let doubt = if date.circa { "~" } else { "" };
    let start = format!("{}{doubt}", iso_day(date.start?)?);
    match date.end {
        Some(end) => Some(format!("{start}/{}{doubt}", iso_day(end)?)),
        None if date.open => Some(format!("{start}/")),
        None => Some(start),
    }
}

fn iso_day(day: CslDay) -> Option<String> {
    // 1 BC is the year 0.
    let year = match day.year {
        year @ 1..=9999 => format!("{year:04}"),
        -1 => "0000".to_owned(),
        year @ -9999..-1 => format!("-{:04}", -(year + 1)),
        _ => return None,
    };
    Some(match (day.month, day.day) {
        (None, _) => year,
        (Some(season @ 13..), _) => format!("{year}-{}", season + 8),
        (Some(month), None) => format!("{year}-{month:02}"),
        (Some(month), Some(day)) => format!("{year}-{month:02}-{day:02}"),
    })
}

/// Pages with `--` between the first and the last of a range.
fn tex_page_ranges(pages: &str) -> String {
    let is_page = |text: &str| {
        let text = text.trim();
        text.bytes().any(|byte| byte.is_ascii_digit())
            || !text.is_empty() && text.chars().all(|c| "ivxlcdmIVXLCDM".contains(c))
    };
    let mut out = String::with_capacity(pages.len() + 2);
    for part in pages.split_inclusive([',', ';']) {
        let dash = |c: char| matches!(c, '‐' | '‑' | '‒' | '–' | '—' | '−');
        let (from, to) = match part.split_once(dash).or_else(|| part.split_once("--")) {
            Some((from, to)) => (from, to),
            None => match part.split_once('-') {
                Some((from, to)) if !to.contains('-') && is_page(from) && is_page(to.trim_end_matches([',', ';'])) => {
                    (from, to)
                }
                _ => {
                    out.push_str(part);
                    continue;
                }
            },
        };
        out.push_str(from.trim_end());
        out.push_str("--");
        out.push_str(to.trim_start_matches(|c: char| dash(c) || c == '-' || c == ' '));
    }
    out
}

fn is_english(language: &str) -> bool {
    let language = language.to_lowercase();
    matches!(language.split(['-', '_']).next(), Some("en" | "eng" | "english" | "american" | "british"))
}

/// The name that LaTeX's babel has for a language.
fn babel_language(tag: &str) -> Option<&'static str> {
    let tag = tag.to_lowercase().replace('_', "-");
    let whole = match tag.as_str() {
        "en-us" => "american",
        "en-gb" => "british",
        "en-au" => "australian",
        "en-ca" => "canadian",
        "en-nz" => "newzealand",
        "de-at" => "naustrian",
        "de-ch" => "nswissgerman",
        "fr-ca" => "canadien",
        "pt-br" => "brazilian",
        _ => "",
    };
    if !whole.is_empty() {
        return Some(whole);
    }
    Some(match tag.split('-').next()? {
        "en" | "eng" | "english" => "english",
        "de" | "deu" | "ger" | "german" => "ngerman",
        "fr" | "fra" | "fre" | "french" => "french",
        "es" | "spa" | "spanish" => "spanish",
        "it" | "ita" | "italian" => "italian",
        "pt" | "por" | "portuguese" => "portuguese",
        "nl" | "nld" | "dut" | "dutch" => "dutch",
        "sv" | "swe" | "swedish" => "swedish",
        "da" | "dan" | "danish" => "danish",
        "no" | "nb" | "nor" | "norwegian" => "norsk",
        "nn" => "nynorsk",
        "fi" | "fin" | "finnish" => "finnish",
        "is" | "isl" => "icelandic",
        "pl" | "pol" | "polish" => "polish",
        "cs" | "ces" | "cze" | "czech" => "czech",
        "sk" | "slk" => "slovak",
        "sl" | "slv" => "slovene",
        "hr" | "hrv" => "croatian",
        "sr" | "srp" => "serbian",
        "hu" | "hun" | "hungarian" => "magyar",
        "ro" | "ron" => "romanian",
        "bg" | "bul" => "bulgarian",
        "ru" | "rus" | "russian" => "russian",
        "uk" | "ukr" | "ukrainian" => "ukrainian",
        "tr" | "tur" | "turkish" => "turkish",
        "el" | "ell" | "gre" | "greek" => "greek",
        "la" | "lat" | "latin" => "latin",
        "ca" | "cat" => "catalan",
        "eu" | "eus" => "basque",
        "gl" | "glg" => "galician",
        "et" | "est" => "estonian",
        "lv" | "lav" => "latvian",
        "lt" | "lit" => "lithuanian",
        "ar" | "ara" | "arabic" => "arabic",
        "he" | "heb" | "hebrew" => "hebrew",
        "zh" | "zho" | "chi" | "chinese" => "chinese",
        "ja" | "jpn" | "japanese" => "japanese",
        "ko" | "kor" | "korean" => "korean",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_the_dash_of_tex() {
        for (given, made) in [
            ("207-217", "207--217"),
            ("207–217", "207--217"),
            ("207 -- 217", "207--217"),
            ("xii-xv, 3-9", "xii--xv, 3--9"),
            ("e1234", "e1234"),
            ("12-3-12-8", "12-3-12-8"),
            ("S1-S10; 4", "S1--S10; 4"),
            ("A-side", "A-side"),
            ("-", "-"),
            ("–", "--"),
        ] {
            assert_eq!(tex_page_ranges(given), made);
        }
    }

    #[test]
    fn dates_are_those_of_biblatex() {
        let of = |value: serde_json::Value| biblatex_date(&crate::date::read(&value).unwrap().unwrap());
        for (value, made) in [
            (serde_json::json!("2019-05-01/2019-05-03"), "2019-05-01/2019-05-03"),
            (serde_json::json!("2019/.."), "2019/"),
            (serde_json::json!("Spring 2020"), "2020-21"),
            (serde_json::json!("ca. 1850"), "1850~"),
            (serde_json::json!({"date-parts": [[-44, 3, 15]]}), "-0043-03-15"),
            (serde_json::json!({"date-parts": [[-1]]}), "0000"),
            (serde_json::json!({"date-parts": [[800]]}), "0800"),
        ] {
            assert_eq!(of(value).as_deref(), Some(made));
        }
        assert_eq!(of(serde_json::json!({"date-parts": [[12000]]})), None);
        assert_eq!(of(serde_json::json!("in the reign of Ur-Nammu")), None);
    }
}
