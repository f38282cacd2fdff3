//! RIS and PubMed's format: lines that begin with a tag.

use ibid_domain::{Name, Reference};

use super::{ImportError, ImportedReferences, ReferenceEntry, fields, markup, names};

/// RIS or MEDLINE; both have tagged lines, but different tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RisDialect {
    Ris,
    Medline,
}

/// The longest value, in bytes.
const LONGEST_VALUE: usize = 1024 * 1024;

/// Returns true if the line begins a RIS entry.
pub(super) fn is_first_line(line: &str) -> bool {
    parse_tagged_line(line, RisDialect::Ris).is_some_and(|(tag, value)| tag == "TY" && !value.is_empty())
}

/// The tag and the value of a line.
fn parse_tagged_line(line: &str, dialect: RisDialect) -> Option<(&str, &str)> {
    let length = line.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let (tag, rest) = line.split_at(length);
    let fits = match dialect {
        RisDialect::Ris => length == 2 && rest.starts_with(' '),
        RisDialect::Medline => (2..=4).contains(&length) && (rest.starts_with(' ') || rest.starts_with('-')),
    };
    let value = rest.trim_start_matches(' ').strip_prefix('-')?;
    // `A - B` in the middle of an abstract is no tag.
    (fits
        && rest.len() - value.len() <= 4
        && tag.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()))
    .then(|| (tag, value.trim()))
}

#[derive(Debug, Default)]
struct RawRisEntry {
    line: usize,
    fields: Vec<(String, String)>,
}

impl RawRisEntry {
    fn all_values<'r>(&'r self, tag: &str) -> impl Iterator<Item = &'r str> {
        self.fields
            .iter()
            .filter(move |(name, value)| name == tag && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    fn first_value(&self, tags: &[&str]) -> Option<&str> {
        tags.iter().find_map(|tag| self.all_values(tag).next())
    }

    fn clean_text(&self, tags: &[&str]) -> Option<String> {
        self.first_value(tags).and_then(markup::non_empty_text)
    }
}

pub(super) fn read(text: &str, dialect: RisDialect) -> Result<ImportedReferences, ImportError> {
    let mut done = ImportedReferences::default();
    let mut open: Option<RawRisEntry> = None;
    let first = if dialect == RisDialect::Ris { "TY" } else { "PMID" };
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_end().trim_start_matches('\u{feff}');
        match parse_tagged_line(line, dialect) {
            Some((tag, _)) if dialect == RisDialect::Ris && tag == "ER" => {
                finish_entry(open.take(), dialect, &mut done)?
            }
            Some((tag, value)) if tag == first => {
                if let Some(raw) = open.take() {
                    if dialect == RisDialect::Ris {
                        done.add_problem(
                            at + 1,
                            None,
                            "the entry before this line has no ER line; it was read up to here",
                        );
                    }
                    finish_entry(Some(raw), dialect, &mut done)?;
                }
                open = Some(RawRisEntry { line: at + 1, fields: vec![(tag.to_owned(), value.to_owned())] });
            }
            Some((tag, value)) => match &mut open {
                Some(raw) if raw.fields.len() < 5000 => raw.fields.push((tag.to_owned(), value.to_owned())),
                Some(_) => {}
                None => done.add_problem(at + 1, None, format!("{tag} stands outside of an entry, and was left out")),
            },
            // A line without a tag goes on with the one before it.
            None => {
                let more = line.trim();
                if let Some((_, value)) = open.as_mut().and_then(|raw| raw.fields.last_mut())
                    && !more.is_empty()
                    && value.len() + more.len() < LONGEST_VALUE
                {
                    value.push(' ');
                    value.push_str(more);
                }
            }
        }
    }
    finish_entry(open, dialect, &mut done)?;
    Ok(done)
}

fn finish_entry(
    raw: Option<RawRisEntry>,
    dialect: RisDialect,
    done: &mut ImportedReferences,
) -> Result<(), ImportError> {
    let Some(raw) = raw else { return Ok(()) };
    if raw.fields.len() < 2 {
        done.add_problem(raw.line, None, "the entry has no fields, and was left out");
        return Ok(());
    }
    done.add_entry(match dialect {
        RisDialect::Ris => of_ris(&raw),
        RisDialect::Medline => of_medline(&raw),
    })
}

fn of_ris(raw: &RawRisEntry) -> ReferenceEntry {
    let kind = raw.first_value(&["TY"]).unwrap_or_default().to_ascii_uppercase();
    let genre = ris_genre(&kind);
    let people = |tags: &[&str]| -> Vec<Name> {
        let mut found: Vec<Name> = Vec::new();
        for name in tags.iter().flat_map(|tag| raw.all_values(tag)).filter_map(names::of_line) {
            if !found.contains(&name) {
                found.push(name);
            }
        }
        found
    };
    let part = matches!(genre, "chapter" | "paper-conference" | "entry-encyclopedia" | "entry-dictionary");
    let whole = matches!(genre, "book" | "report" | "thesis");
    // Of a whole work, T2 is the series; of anything else, what it appeared in.
    let container = if whole {
        raw.clean_text(&["T2", "T3", "JO"]).filter(|_| genre == "report")
    } else {
        raw.clean_text(&["T2", "JF", "JO", "BT", "C3", "JA", "J1", "J2"])
    };
    let pages = match (raw.first_value(&["SP"]), raw.first_value(&["EP"])) {
        (Some(from), Some(to)) if from != to && !from.contains(['-', '–']) => Some(format!("{from}-{to}")),
        (from, to) => from.or(to).map(str::to_owned),
    };
    let numbers: Vec<&str> = raw.all_values("SN").collect();
    let mut doi =
        raw.all_values("DO").chain(raw.all_values("DI")).chain(raw.all_values("M3")).find_map(fields::parse_doi);
    let urls: Vec<String> = ["UR", "LK", "L2", "L1"]
        .iter()
        .flat_map(|tag| raw.all_values(tag))
        .flat_map(|value| value.split(';'))
        .filter_map(fields::parse_url)
        .collect();
    doi = doi.or_else(|| urls.iter().filter(|url| url.contains("doi.org/")).find_map(|url| fields::parse_doi(url)));
    let mut tags = Vec::new();
    for value in raw.all_values("KW") {
        fields::add_keywords(value, &mut tags);
    }
    ReferenceEntry {
        key: raw.clean_text(&["ID", "LB"]),
        kind,
        url: urls.into_iter().next(),
        accessed: raw.first_value(&["Y2"]).and_then(fields::parse_date),
        reference: Reference {
            authors: people(&["AU", "A1"]),
            // Of a part, A2 edited the whole; of a whole, A2 or A3 edited the series.
            editors: if part { people(&["ED", "A2"]) } else { people(&["ED"]) },
            publication_date: ["DA", "PY", "Y1"]
                .iter()
                .filter_map(|tag| raw.first_value(&[tag]).and_then(fields::parse_date))
                // The one that tells the most.
                .reduce(|a, b| if b.month().is_some() && a.month().is_none() { b } else { a }),
            title: raw.clean_text(&["TI", "T1", "CT"]).or_else(|| raw.clean_text(&["BT"]).filter(|_| whole)),
            genre: Some(genre.to_owned()),
            container,
            publisher: raw.clean_text(&["PB"]),
            publisher_place: raw.clean_text(&["CY", "PP"]),
            volume: raw.clean_text(&["VL"]),
            issue: raw.clean_text(&["IS"]),
            pages: pages.and_then(|pages| fields::parse_pages(&pages)),
            edition: raw.clean_text(&["ET"]),
            doi,
            isbn: numbers.iter().find_map(|number| fields::parse_isbn(number)),
            issn: numbers.iter().find_map(|number| fields::parse_issn(number)),
            language: raw.first_value(&["LA"]).and_then(fields::parse_language),
            summary: raw.clean_text(&["AB", "N2"]),
            note: raw.clean_text(&["N1", "RN"]),
        },
        tags,
        line: raw.line,
    }
}

fn ris_genre(kind: &str) -> &'static str {
    match kind {
        "JOUR" | "JFULL" | "EJOUR" | "ABST" | "INPR" => "article-journal",
        "MGZN" => "article-magazine",
        "NEWS" => "article-newspaper",
        "BOOK" | "WHOLE" | "EDBOOK" | "EBOOK" | "CONF" => "book",
        "CHAP" | "ECHAP" => "chapter",
        "CPAPER" => "paper-conference",
        "ENCYC" => "entry-encyclopedia",
        "DICT" => "entry-dictionary",
        "RPRT" | "GOVDOC" => "report",
        "THES" => "thesis",
        "UNPB" | "MANSCPT" => "manuscript",
        "ELEC" | "ICOMM" => "webpage",
        "BLOG" => "post-weblog",
        "PAT" => "patent",
        "DATA" | "AGGR" | "DBASE" => "dataset",
        "COMP" => "software",
        "VIDEO" | "MPCT" => "motion_picture",
        "SOUND" => "song",
        "MUSIC" => "musical_score",
        "ART" | "FIGURE" => "graphic",
        "MAP" => "map",
        "PCOMM" => "personal_communication",
        "CASE" => "legal_case",
        "BILL" => "bill",
        "STAT" | "LEGAL" => "legislation",
        "STAND" => "standard",
        "SLIDE" => "speech",
        "PAMP" => "pamphlet",
        _ => "document",
    }
}

fn of_medline(raw: &RawRisEntry) -> ReferenceEntry {
    let mut authors: Vec<Name> = raw.all_values("FAU").filter_map(names::of_line).collect();
    if authors.is_empty() {
        authors = raw.all_values("AU").filter_map(names::of_initials).collect();
    }
    authors.extend(raw.all_values("CN").filter_map(names::literal_name));
    let number = raw.first_value(&["PMID"]).unwrap_or_default();
    let doi = raw
        .all_values("AID")
        .chain(raw.all_values("LID"))
        .filter_map(|value| value.strip_suffix("[doi]"))
        .find_map(fields::parse_doi);
    let mut tags = Vec::new();
    for value in raw.all_values("MH").chain(raw.all_values("OT")) {
        // `Samples/*methods` is a term and its aspect.
        fields::add_keywords(&value.replace(['*', ';', ','], " "), &mut tags);
    }
    let book = raw.first_value(&["BTI"]).is_some();
    ReferenceEntry {
        key: Some(number.to_owned()).filter(|number| !number.is_empty()),
        kind: raw.first_value(&["PT"]).unwrap_or("Journal Article").to_owned(),
        url: number
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| format!("https://pubmed.ncbi.nlm.nih.gov/{number}/")),
        accessed: None,
        reference: Reference {
            authors,
            editors: raw.all_values("FED").filter_map(names::of_line).collect(),
            publication_date: raw.first_value(&["DP", "DEP"]).and_then(fields::parse_date),
            // PubMed ends every title with a full stop.
            title: raw
                .clean_text(&["TI", "BTI"])
                .map(|title| title.strip_suffix('.').map_or(title.clone(), str::to_owned)),
            genre: Some(if book { "book" } else { "article-journal" }.to_owned()),
            container: raw.clean_text(&["JT", "TA"]),
            publisher: raw.clean_text(&["PB"]),
            publisher_place: None,
            volume: raw.clean_text(&["VI"]),
            issue: raw.clean_text(&["IP"]),
            pages: raw.first_value(&["PG"]).and_then(fields::parse_pages),
            edition: raw.clean_text(&["EN"]),
            doi,
            isbn: raw.first_value(&["ISBN"]).and_then(fields::parse_isbn),
            issn: raw.all_values("IS").find_map(fields::parse_issn),
            language: raw.first_value(&["LA"]).and_then(fields::parse_language),
            summary: raw.clean_text(&["AB"]),
            note: None,
        },
        tags,
        line: raw.line,
    }
}
