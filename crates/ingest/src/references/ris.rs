//! RIS and PubMed's format: lines that begin with a tag.

use ibid_domain::{Name, Reference};

use super::{Entry, ImportError, Imported, fields, markup, names};

/// Which of the two it is. They share their shape, but not their tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Ris,
    Medline,
}

/// The longest value, in bytes.
const LONGEST_VALUE: usize = 1024 * 1024;

/// Whether a line begins an entry of RIS.
pub(super) fn is_first_line(line: &str) -> bool {
    tagged(line, Dialect::Ris).is_some_and(|(tag, value)| tag == "TY" && !value.is_empty())
}

/// The tag and the value of a line.
fn tagged(line: &str, dialect: Dialect) -> Option<(&str, &str)> {
    let length = line.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let (tag, rest) = line.split_at(length);
    let fits = match dialect {
        Dialect::Ris => length == 2 && rest.starts_with(' '),
        Dialect::Medline => (2..=4).contains(&length) && (rest.starts_with(' ') || rest.starts_with('-')),
    };
    let value = rest.trim_start_matches(' ').strip_prefix('-')?;
    // `A - B` in the middle of an abstract is no tag.
    (fits
        && rest.len() - value.len() <= 4
        && tag.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()))
    .then(|| (tag, value.trim()))
}

#[derive(Debug, Default)]
struct Raw {
    line: usize,
    fields: Vec<(String, String)>,
}

impl Raw {
    fn all<'r>(&'r self, tag: &str) -> impl Iterator<Item = &'r str> {
        self.fields
            .iter()
            .filter(move |(name, value)| name == tag && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    fn first(&self, tags: &[&str]) -> Option<&str> {
        tags.iter().find_map(|tag| self.all(tag).next())
    }

    fn text(&self, tags: &[&str]) -> Option<String> {
        self.first(tags).and_then(markup::some)
    }
}

pub(super) fn read(text: &str, dialect: Dialect) -> Result<Imported, ImportError> {
    let mut done = Imported::default();
    let mut open: Option<Raw> = None;
    let first = if dialect == Dialect::Ris { "TY" } else { "PMID" };
    for (at, line) in text.lines().enumerate() {
        let line = line.trim_end().trim_start_matches('\u{feff}');
        match tagged(line, dialect) {
            Some((tag, _)) if dialect == Dialect::Ris && tag == "ER" => finish(open.take(), dialect, &mut done)?,
            Some((tag, value)) if tag == first => {
                if let Some(raw) = open.take() {
                    if dialect == Dialect::Ris {
                        done.problem(at + 1, None, "the entry before this line has no ER line; it was read up to here");
                    }
                    finish(Some(raw), dialect, &mut done)?;
                }
                open = Some(Raw { line: at + 1, fields: vec![(tag.to_owned(), value.to_owned())] });
            }
            Some((tag, value)) => match &mut open {
                Some(raw) if raw.fields.len() < 5000 => raw.fields.push((tag.to_owned(), value.to_owned())),
                Some(_) => {}
                None => done.problem(at + 1, None, format!("{tag} stands outside of an entry, and was left out")),
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
    finish(open, dialect, &mut done)?;
    Ok(done)
}

fn finish(raw: Option<Raw>, dialect: Dialect, done: &mut Imported) -> Result<(), ImportError> {
    let Some(raw) = raw else { return Ok(()) };
    if raw.fields.len() < 2 {
        done.problem(raw.line, None, "the entry has no fields, and was left out");
        return Ok(());
    }
    done.add(match dialect {
        Dialect::Ris => of_ris(&raw),
        Dialect::Medline => of_medline(&raw),
    })
}

fn of_ris(raw: &Raw) -> Entry {
    let kind = raw.first(&["TY"]).unwrap_or_default().to_ascii_uppercase();
    let genre = ris_genre(&kind);
    let people = |tags: &[&str]| -> Vec<Name> {
        let mut found: Vec<Name> = Vec::new();
        for name in tags.iter().flat_map(|tag| raw.all(tag)).filter_map(names::of_line) {
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
        raw.text(&["T2", "T3", "JO"]).filter(|_| genre == "report")
    } else {
        raw.text(&["T2", "JF", "JO", "BT", "C3", "JA", "J1", "J2"])
    };
    let pages = match (raw.first(&["SP"]), raw.first(&["EP"])) {
        (Some(from), Some(to)) if from != to && !from.contains(['-', '–']) => Some(format!("{from}-{to}")),
        (from, to) => from.or(to).map(str::to_owned),
    };
    let numbers: Vec<&str> = raw.all("SN").collect();
    let mut doi = raw.all("DO").chain(raw.all("DI")).chain(raw.all("M3")).find_map(fields::doi);
    let urls: Vec<String> = ["UR", "LK", "L2", "L1"]
        .iter()
        .flat_map(|tag| raw.all(tag))
        .flat_map(|value| value.split(';'))
        .filter_map(fields::url)
        .collect();
    doi = doi.or_else(|| urls.iter().filter(|url| url.contains("doi.org/")).find_map(|url| fields::doi(url)));
    let mut tags = Vec::new();
    for value in raw.all("KW") {
        fields::keywords(value, &mut tags);
    }
    Entry {
        key: raw.text(&["ID", "LB"]),
        kind,
        url: urls.into_iter().next(),
        accessed: raw.first(&["Y2"]).and_then(fields::date),
        reference: Reference {
            authors: people(&["AU", "A1"]),
            // Of a part, A2 edited the whole; of a whole, A2 or A3 edited the series.
            editors: if part { people(&["ED", "A2"]) } else { people(&["ED"]) },
            publication_date: ["DA", "PY", "Y1"]
                .iter()
                .filter_map(|tag| raw.first(&[tag]).and_then(fields::date))
                // The one that tells the most.
                .reduce(|a, b| if b.month().is_some() && a.month().is_none() { b } else { a }),
            title: raw.text(&["TI", "T1", "CT"]).or_else(|| raw.text(&["BT"]).filter(|_| whole)),
            genre: Some(genre.to_owned()),
            container,
            publisher: raw.text(&["PB"]),
            publisher_place: raw.text(&["CY", "PP"]),
            volume: raw.text(&["VL"]),
            issue: raw.text(&["IS"]),
            pages: pages.and_then(|pages| fields::pages(&pages)),
            edition: raw.text(&["ET"]),
            doi,
            isbn: numbers.iter().find_map(|number| fields::isbn(number)),
            issn: numbers.iter().find_map(|number| fields::issn(number)),
            language: raw.first(&["LA"]).and_then(fields::language),
            summary: raw.text(&["AB", "N2"]),
            note: raw.text(&["N1", "RN"]),
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

fn of_medline(raw: &Raw) -> Entry {
    let mut authors: Vec<Name> = raw.all("FAU").filter_map(names::of_line).collect();
    if authors.is_empty() {
        authors = raw.all("AU").filter_map(names::of_initials).collect();
    }
    authors.extend(raw.all("CN").filter_map(names::whole));
    let number = raw.first(&["PMID"]).unwrap_or_default();
    let doi =
        raw.all("AID").chain(raw.all("LID")).filter_map(|value| value.strip_suffix("[doi]")).find_map(fields::doi);
    let mut tags = Vec::new();
    for value in raw.all("MH").chain(raw.all("OT")) {
        // `Samples/*methods` is a term and its aspect.
        fields::keywords(&value.replace(['*', ';', ','], " "), &mut tags);
    }
    let book = raw.first(&["BTI"]).is_some();
    Entry {
        key: Some(number.to_owned()).filter(|number| !number.is_empty()),
        kind: raw.first(&["PT"]).unwrap_or("Journal Article").to_owned(),
        url: number
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| format!("https://pubmed.ncbi.nlm.nih.gov/{number}/")),
        accessed: None,
        reference: Reference {
            authors,
            editors: raw.all("FED").filter_map(names::of_line).collect(),
            publication_date: raw.first(&["DP", "DEP"]).and_then(fields::date),
            // PubMed ends every title with a full stop.
            title: raw.text(&["TI", "BTI"]).map(|title| title.strip_suffix('.').map_or(title.clone(), str::to_owned)),
            genre: Some(if book { "book" } else { "article-journal" }.to_owned()),
            container: raw.text(&["JT", "TA"]),
            publisher: raw.text(&["PB"]),
            publisher_place: None,
            volume: raw.text(&["VI"]),
            issue: raw.text(&["IP"]),
            pages: raw.first(&["PG"]).and_then(fields::pages),
            edition: raw.text(&["EN"]),
            doi,
            isbn: raw.first(&["ISBN"]).and_then(fields::isbn),
            issn: raw.all("IS").find_map(fields::issn),
            language: raw.first(&["LA"]).and_then(fields::language),
            summary: raw.text(&["AB"]),
            note: None,
        },
        tags,
        line: raw.line,
    }
}
