//! What the fields of a BibTeX entry mean.

use std::collections::HashMap;

use ibid_domain::{PartialDate, Reference};

use super::{ReferenceEntry, bibtex::RawBibtexEntry, fields, markup, names, tex};

/// Maximum number of `crossref` steps, enough for an entry in a book in a series.
const GENERATIONS: usize = 3;

/// Fills the fields of entries that refer to others with `crossref` or `xdata`.
pub(super) fn inherit_fields(entries: &mut [RawBibtexEntry]) {
    let wanted: Vec<usize> =
        (0..entries.len()).filter(|&at| entries[at].first_field(&["crossref", "xdata"]).is_some()).collect();
    if wanted.is_empty() {
        return;
    }
    let by_key: HashMap<String, usize> =
        entries.iter().enumerate().rev().map(|(at, entry)| (entry.key.to_lowercase(), at)).collect();
    for _ in 0..GENERATIONS {
        for &at in &wanted {
            let child = &entries[at];
            let mut given = Vec::new();
            for field in ["xdata", "crossref"] {
                let keys = child.get(field).unwrap_or_default();
                for key in keys.split(',').take(20) {
                    if let Some(&parent) = by_key.get(&key.trim().to_lowercase())
                        && parent != at
                    {
                        given.extend(entries[parent].fields.iter().filter_map(|(name, value)| {
                            let name = if field == "xdata" { name } else { inherited_field_name(name, &child.kind)? };
                            Some((name.to_owned(), value.clone()))
                        }));
                    }
                }
            }
            let child = &mut entries[at];
            for (name, value) in given {
                if child.fields.len() < 500 && child.get(&name).is_none() {
                    child.fields.push((name, value));
                }
            }
        }
    }
}

/// Returns the name that a parent's field gets in the child entry, or `None` if it is not inherited.
fn inherited_field_name<'n>(name: &'n str, kind: &str) -> Option<&'n str> {
    match name {
        // What the parent is called is what the child appeared in.
        "title" if kind == "article" => Some("journaltitle"),
        "title" => Some("booktitle"),
        "editor" if kind == "article" => None,
        "crossref" | "xdata" | "ids" | "doi" | "url" | "abstract" | "keywords" | "file" | "pages" | "author"
        | "note" | "subtitle" => None,
        other => Some(other),
    }
}

/// The entry that the fields describe.
pub(super) fn build_entry(raw: &RawBibtexEntry) -> ReferenceEntry {
    let text =
        |names: &[&str]| raw.first_field(names).and_then(|value| markup::non_empty_text(&tex::tex_to_text(value)));
    let people = |name: &str| raw.get(name).map(names::of_bibtex).unwrap_or_default();
    let verbatim = |names: &[&str]| raw.first_field(names).map(tex::unescape_verbatim);
    let web = |value: &str| fields::parse_url(&tex::unescape_verbatim(value));

    let mut doi = verbatim(&["doi"]).and_then(|doi| fields::parse_doi(&doi));
    let mut url = verbatim(&["url", "link", "bdsk-url-1", "ee"]).and_then(|url| fields::parse_url(&url));
    if url.is_none() {
        // `howpublished = {\url{…}}`, also in a sentence.
        url = raw.first_field(&["howpublished", "note"]).and_then(|value| {
            let at = value.find("\\url").map(|at| at + 4).or_else(|| value.find("http"))?;
            let rest = value[at..].trim_start().trim_start_matches('{');
            let end = rest.find(['}', ' ', ',']).unwrap_or(rest.len());
            web(&rest[..end])
        });
    }
    let archive = verbatim(&["archiveprefix", "eprinttype"]).unwrap_or_default().to_lowercase();
    let eprint = verbatim(&["eprint"]);
    if let (None, Some(eprint)) = (&url, &eprint) {
        url = match archive.as_str() {
            "arxiv" => Some(format!("https://arxiv.org/abs/{}", eprint.trim_start_matches("arXiv:"))),
            "pubmed" => Some(format!("https://pubmed.ncbi.nlm.nih.gov/{eprint}/")),
            "jstor" => Some(format!("https://www.jstor.org/stable/{eprint}")),
            _ => fields::parse_url(eprint),
        };
    }
    // A resolver's address is a DOI.
    doi = doi.or_else(|| url.as_deref().filter(|url| url.contains("doi.org/")).and_then(fields::parse_doi));

    let title = match (text(&["title"]), text(&["subtitle"])) {
        (Some(title), Some(subtitle)) if !title.contains(&subtitle) => Some(format!("{title}: {subtitle}")),
        (title, subtitle) => title.or(subtitle),
    };
    let genre = csl_type(raw, &archive, url.is_some());
    let serial = matches!(genre, "article-journal" | "article-magazine" | "article-newspaper" | "review");
    let mut tags = Vec::new();
    for name in ["keywords", "keyword", "mendeley-tags"] {
        if let Some(value) = text(&[name]) {
            fields::add_keywords(&value, &mut tags);
        }
    }
    let numbers = verbatim(&["isbn"]);
    let mut editors = people("editor");
    if editors.is_empty() {
        editors = people("editora");
    }
    ReferenceEntry {
        key: Some(raw.key.clone()).filter(|key| !key.is_empty()),
        kind: raw.kind.clone(),
        url,
        accessed: verbatim(&["urldate", "lastaccessed", "accessed", "lastchecked"])
            .and_then(|date| fields::parse_date(&date)),
        reference: Reference {
            authors: people("author"),
            editors,
            publication_date: entry_date(raw),
            title,
            genre: Some(genre.to_owned()).filter(|_| !raw.fields.is_empty()),
            container: text(&["journaltitle", "journal", "booktitle", "maintitle", "journalsubtitle"])
                .or_else(|| text(&["fjournal", "shortjournal", "website", "series"]).filter(|_| genre != "book")),
            publisher: text(&["publisher", "institution", "school", "organization"]),
            publisher_place: text(&["location", "address"]),
            volume: text(&["volume"]),
            issue: text(&["issue"]).or_else(|| text(&["number"]).filter(|_| serial || genre == "paper-conference")),
            pages: text(&["pages", "page", "eid", "article-number"]).and_then(|pages| fields::parse_pages(&pages)),
            edition: text(&["edition"]),
            doi,
            isbn: numbers.and_then(|isbn| fields::parse_isbn(&isbn)),
            issn: verbatim(&["issn"]).and_then(|issn| fields::parse_issn(&issn)),
            language: text(&["langid", "language"]).and_then(|language| fields::parse_language(&language)),
            summary: text(&["abstract"]),
            note: text(&["annotation", "annote", "note", "addendum"]),
        },
        tags,
        line: raw.line,
    }
}

fn entry_date(raw: &RawBibtexEntry) -> Option<PartialDate> {
    if let Some(date) =
        raw.first_field(&["date", "eventdate"]).and_then(|value| fields::parse_date(&tex::tex_to_text(value)))
    {
        return Some(date);
    }
    let year = fields::parse_date(&tex::tex_to_text(raw.get("year")?))?;
    if year.month().is_some() {
        return Some(year);
    }
    let Some(month) = raw.get("month").map(tex::tex_to_text) else { return Some(year) };
    let words = || month.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let named = words().find_map(fields::month_of);
    let mut numbers = words().filter_map(|word| word.parse::<i8>().ok());
    let month = named.or_else(|| numbers.next());
    let day = raw.get("day").and_then(|day| tex::tex_to_text(day).trim().parse().ok()).or_else(|| numbers.next());
    fields::date_from_parts(year.year(), month, day)
}

/// The type in the words of CSL.
fn csl_type(raw: &RawBibtexEntry, archive: &str, online: bool) -> &'static str {
    match raw.kind.as_str() {
        "article" | "suppperiodical" => match raw.get("entrysubtype").unwrap_or_default() {
            "newspaper" => "article-newspaper",
            "magazine" => "article-magazine",
            // A preprint is an article in nothing.
            _ if archive == "arxiv" && raw.first_field(&["journal", "journaltitle"]).is_none() => "article",
            _ => "article-journal",
        },
        "book" | "mvbook" | "collection" | "mvcollection" | "reference" | "proceedings" | "mvproceedings"
        | "bookinbook" => "book",
        "booklet" | "pamphlet" => "pamphlet",
        "inbook" | "incollection" | "suppbook" | "suppcollection" => "chapter",
        "inproceedings" | "conference" => "paper-conference",
        "inreference" => "entry-encyclopedia",
        "manual" | "report" | "techreport" => "report",
        "thesis" | "phdthesis" | "mastersthesis" | "bachelorsthesis" => "thesis",
        "unpublished" => "manuscript",
        "online" | "electronic" | "www" | "webpage" => "webpage",
        "patent" => "patent",
        "dataset" | "data" => "dataset",
        "software" | "softwareversion" => "software",
        "periodical" => "periodical",
        "review" => "review",
        "video" | "movie" => "motion_picture",
        "audio" | "music" => "song",
        "artwork" | "image" => "graphic",
        "letter" => "personal_communication",
        "legislation" => "legislation",
        "jurisdiction" => "legal_case",
        "standard" => "standard",
        "performance" => "performance",
        "misc" | "preprint" if archive == "arxiv" => "article",
        "preprint" => "article",
        _ if raw.get("journal").is_some() => "article-journal",
        _ if online => "webpage",
        _ => "document",
    }
}
