//! Exports: what is written for which type, and that every reader gets back what went in, whatever that was.

use std::{collections::BTreeSet, time::Instant};

use biblatex::{Bibliography, ChunksExt};
use ibid_bibliography::{
    CitationForm, CslStyle, Formatter, OutputFormat, PlaceholderMode, ReferenceFormat, csl_of_reference, export,
};
use ibid_domain::{Code, Name, Reference, SourceType};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn bibtex(item: Value) -> String {
    export(&[item], ReferenceFormat::BibTex)
}

fn ris(item: Value) -> String {
    export(&[item], ReferenceFormat::Ris)
}

fn csl(items: &[Value]) -> Vec<Value> {
    serde_json::from_str(&export(items, ReferenceFormat::CslJson)).unwrap()
}

/// Entries of RIS, each a list of tags and values; fails where a line is none.
fn read_ris(text: &str) -> Result<Vec<Vec<(&str, &str)>>, String> {
    let mut entries = Vec::new();
    let mut open: Option<Vec<(&str, &str)>> = None;
    if !text.is_empty() && !text.ends_with("\r\n") {
        return Err("the last line is not ended".to_owned());
    }
    for line in text.split_terminator("\r\n") {
        if line.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
            return Err(format!("a line is broken: {line:?}"));
        }
        if line.is_empty() {
            continue;
        }
        let tag = line.get(..2).ok_or(line)?;
        let value = line.get(2..).and_then(|rest| rest.strip_prefix("  - ")).ok_or(line)?;
        match (tag, &mut open) {
            ("TY", None) => open = Some(vec![(tag, value)]),
            ("ER", Some(_)) if value.is_empty() => entries.extend(open.take()),
            ("TY" | "ER", _) | (_, None) => return Err(format!("out of place: {line:?}")),
            (_, Some(entry)) => entry.push((tag, value)),
        }
    }
    if open.is_some() {
        return Err("the last entry is not closed".to_owned());
    }
    Ok(entries)
}

/// Whether braces close as they open, as BibTeX counts them: a backslash before one does not matter.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0_i64;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            // Entries begin outside of all others.
            '@' if depth != 0 && text[..at].ends_with('\n') => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

#[test]
fn formats_have_names() {
    for format in ReferenceFormat::ALL {
        assert_eq!(format.as_str().parse::<ReferenceFormat>().unwrap(), *format);
    }
    let shown: Vec<_> =
        ReferenceFormat::ALL.iter().map(|format| [format.as_str(), format.media_type(), format.extension()]).collect();
    assert_eq!(
        shown,
        [
            ["bibtex", "application/x-bibtex", "bib"],
            ["ris", "application/x-research-info-systems", "ris"],
            ["csl_json", "application/vnd.citationstyles.csl+json", "json"],
        ]
    );
    let problem = "BibTeX\n".parse::<ReferenceFormat>().unwrap_err();
    assert_eq!((problem.code, problem.field.as_deref()), (Code::InvalidField, Some("format")));
    assert!(problem.detail.contains("bibtex, ris or csl_json"), "{}", problem.detail);
    assert!(!problem.detail.contains('\n'));
}

/// Types of CSL 1.0.2, and what they are in the other formats.
const TYPES: [(&str, &str, &str); 45] = [
    ("article", "misc", "UNPB"),
    ("article-journal", "article", "JOUR"),
    ("article-magazine", "article", "MGZN"),
    ("article-newspaper", "article", "NEWS"),
    ("bill", "legislation", "BILL"),
    ("book", "book", "BOOK"),
    ("broadcast", "video", "VIDEO"),
    ("chapter", "incollection", "CHAP"),
    ("classic", "misc", "CLSWK"),
    ("collection", "misc", "GEN"),
    ("dataset", "dataset", "DATA"),
    ("document", "misc", "GEN"),
    ("entry", "inreference", "ENCYC"),
    ("entry-dictionary", "inreference", "DICT"),
    ("entry-encyclopedia", "inreference", "ENCYC"),
    ("event", "misc", "GEN"),
    ("figure", "image", "FIGURE"),
    ("graphic", "artwork", "ART"),
    ("hearing", "legal", "HEAR"),
    ("interview", "misc", "PCOMM"),
    ("legal_case", "jurisdiction", "CASE"),
    ("legislation", "legislation", "STAT"),
    ("manuscript", "unpublished", "MANSCPT"),
    ("map", "misc", "MAP"),
    ("motion_picture", "movie", "MPCT"),
    ("musical_score", "misc", "MUSIC"),
    ("pamphlet", "booklet", "PAMP"),
    ("paper-conference", "inproceedings", "CPAPER"),
    ("patent", "patent", "PAT"),
    ("performance", "performance", "GEN"),
    ("periodical", "periodical", "JFULL"),
    ("personal_communication", "letter", "PCOMM"),
    ("post", "online", "ICOMM"),
    ("post-weblog", "online", "BLOG"),
    ("regulation", "legislation", "LEGAL"),
    ("report", "techreport", "RPRT"),
    ("review", "article", "JOUR"),
    ("review-book", "article", "JOUR"),
    ("software", "software", "COMP"),
    ("song", "music", "SOUND"),
    ("speech", "unpublished", "SLIDE"),
    ("standard", "standard", "STAND"),
    ("thesis", "thesis", "THES"),
    ("treaty", "legal", "LEGAL"),
    ("webpage", "online", "ELEC"),
];

#[test]
fn every_type_has_its_like() {
    for (kind, entry, tag) in TYPES {
        let item = json!({"id": "a", "type": kind, "title": "Sample", "author": [{"family": "Wolf", "given": "Anna"}],
            "issued": 2010, "container-title": "Container", "publisher": "Press", "publisher-place": "Town",
            "volume": "3", "number": "4", "page": "5-6", "URL": "https://example.org/"});
        let made = bibtex(item.clone());
        assert!(made.starts_with(&format!("@{entry}{{wolf2010sample,\n")), "{kind}: {made}");
        let parsed = Bibliography::parse(&made).unwrap();
        // Whatever the type, all that the item says is there.
        for value in ["Wolf, Anna", "Sample", "2010", "Container", "Press", "Town", "{3}", "{4}", "5--6", "example.org"]
        {
            assert!(made.contains(value), "{kind}: no {value} in {made}");
        }
        assert_eq!(parsed.get("wolf2010sample").unwrap().author().unwrap()[0].name, "Wolf");
        let made = ris(item.clone());
        assert!(made.starts_with(&format!("TY  - {tag}\r\n")), "{kind}: {made}");
        for value in ["AU  - Wolf, Anna", "TI  - Sample", "PY  - 2010", "T2  - Container", "PB  - Press", "SP  - 5"] {
            assert!(made.contains(&format!("{value}\r\n")), "{kind}: no {value} in {made}");
        }
        assert_eq!(csl(&[item])[0]["type"], kind);
    }
    // A type that nobody knows, and none at all.
    for item in [json!({"type": "hologram"}), json!({"type": 3}), json!({})] {
        assert_eq!(bibtex(item.clone()), "@misc{ref,\n}\n");
        assert_eq!(ris(item.clone()), "TY  - GEN\r\nID  - ref\r\nER  - \r\n");
        assert_eq!(csl(&[item]), [json!({"id": "ref", "type": "document"})]);
    }
    // The types of Crossref and Zotero are understood.
    assert!(bibtex(json!({"type": "journal-article", "title": "T"})).starts_with("@article{"));
}

#[test]
fn types_depend_on_what_is_known() {
    for (item, entry, tag) in [
        (json!({"type": "thesis", "genre": "Doctoral dissertation"}), "phdthesis", "THES"),
        (json!({"type": "thesis", "genre": "Master’s thesis"}), "mastersthesis", "THES"),
        (json!({"type": "broadcast", "genre": "Podcast"}), "audio", "SOUND"),
        (json!({"type": "book", "event-title": "SampleConf"}), "proceedings", "CONF"),
        (json!({"type": "chapter", "container-author": [{"family": "A"}]}), "inbook", "CHAP"),
    ] {
        assert!(bibtex(item.clone()).starts_with(&format!("@{entry}{{")), "{item}");
        assert!(ris(item.clone()).starts_with(&format!("TY  - {tag}\r\n")), "{item}");
    }
}

#[test]
fn an_article_in_full() {
    let item = json!({"id": "x", "type": "article-journal", "title": "Expanding college access in Taiwan, 1978–2014: DNA & <i>H. sapiens</i>",
        "author": [{"family": "Keng", "given": "Shao-Hsun"}, {"family": "van der Waals", "given": "Johannes"},
            {"family": "King", "given": "Martin Luther", "suffix": "Jr."}, {"literal": "World Health Organization"}],
        "issued": {"date-parts": [[2017, 3, 9]]}, "container-title": "Journal of Human Capital",
        "container-title-short": "J. Hum. Cap.", "volume": 11, "issue": "1", "page": "1–34",
        "DOI": "https://doi.org/10.1086/690235_x", "URL": "https://example.org/a_b?c=%20#d", "ISSN": "1932-8575",
        "accessed": {"date-parts": [[2024, 6, 1]]}, "language": "en-US", "keyword": "college; access",
        "abstract": "First line.\nSecond 100% line.", "note": "Read twice"});
    assert_eq!(
        bibtex(item.clone()),
        r"@article{keng2017expanding,
  author = {Keng, Shao-Hsun and van der Waals, Johannes and King, Jr., Martin Luther and {World Health Organization}},
  title = {Expanding college access in Taiwan, 1978–2014: {DNA} \& \emph{H. sapiens}},
  journal = {Journal of Human Capital},
  shortjournal = {J. Hum. Cap.},
  year = {2017},
  month = mar,
  date = {2017-03-09},
  volume = {11},
  number = {1},
  pages = {1--34},
  issn = {1932-8575},
  doi = {10.1086/690235_x},
  url = {https://example.org/a_b?c=%20#d},
  urldate = {2024-06-01},
  langid = {american},
  keywords = {college, access},
  abstract = {First line. Second 100\% line.},
  note = {Read twice}
}
"
    );
    assert_eq!(
        ris(item.clone()).replace("\r\n", "\n"),
        "TY  - JOUR
ID  - keng2017expanding
AU  - Keng, Shao-Hsun
AU  - van der Waals, Johannes
AU  - King, Martin Luther, Jr.
AU  - World Health Organization
TI  - Expanding college access in Taiwan, 1978–2014: DNA & H. sapiens
T2  - Journal of Human Capital
J2  - J. Hum. Cap.
PY  - 2017
DA  - 2017/03/09/
VL  - 11
IS  - 1
SP  - 1
EP  - 34
SN  - 1932-8575
DO  - 10.1086/690235_x
UR  - https://example.org/a_b?c=%20#d
Y2  - 2024/06/01/
LA  - en-US
KW  - college
KW  - access
AB  - First line. Second 100% line.
N1  - Read twice
ER  - \n"
    );
    let made = export(&[item], ReferenceFormat::CslJson);
    let names: Vec<&str> = made.lines().filter_map(|line| line.strip_prefix("    \"")?.split('"').next()).collect();
    assert_eq!(
        names,
        [
            "id",
            "type",
            "title",
            "author",
            "issued",
            "container-title",
            "volume",
            "issue",
            "page",
            "DOI",
            "URL",
            "accessed",
            "abstract",
            "container-title-short",
            "ISSN",
            "keyword",
            "language",
            "note"
        ]
    );
    let made: Vec<Value> = serde_json::from_str(&made).unwrap();
    assert_eq!(made[0]["abstract"], "First line.\nSecond 100% line.");
    assert_eq!(made[0]["volume"], 11);
    assert_eq!(made[0]["DOI"], "10.1086/690235_x");
}

#[test]
fn other_works_have_their_fields() {
    let has = |item: Value, lines: &[&str]| {
        let made = bibtex(item);
        for line in lines {
            assert!(made.contains(&format!("\n  {line}")), "no {line} in {made}");
        }
    };
    has(
        json!({"type": "book", "title": "Das Kapital", "author": [{"family": "Marx", "given": "Karl"}],
            "translator": [{"family": "Moore", "given": "Samuel"}], "edition": 4, "publisher": "Meissner & Co", "number-of-volumes": 3,
            "publisher-place": "Hamburg", "collection-title": "Werke", "collection-number": "23", "ISBN": "978-3-16-148410-0",
            "language": "de", "original-date": {"date-parts": [[1867]]}, "number-of-pages": "802"}),
        &[
            "title = {{Das Kapital}}",
            "translator = {Moore, Samuel}",
            "edition = {4}",
            "publisher = {Meissner \\& Co}",
            "address = {Hamburg}",
            "series = {Werke}",
            "number = {23}",
            "isbn = {978-3-16-148410-0}",
            "volumes = {3}",
            "langid = {ngerman}",
            "origdate = {1867}",
            "pagetotal = {802}",
        ],
    );
    has(
        json!({"type": "chapter", "title": "Part", "container-title": "Whole", "editor": [{"family": "Beethoven", "given": "Ludwig van"}],
            "container-author": [{"literal": "Team A"}], "chapter-number": 3, "page": "xii-xv"}),
        &[
            "booktitle = {Whole}",
            "editor = {van Beethoven, Ludwig}",
            "bookauthor = {{Team A}}",
            "chapter = {3}",
            "pages = {xii--xv}",
        ],
    );
    has(
        json!({"type": "paper-conference", "title": "P", "event-title": "SampleConf", "event-place": "Oslo",
            "event-date": "2019-05-01/2019-05-03"}),
        &["booktitle = {SampleConf}", "venue = {Oslo}", "eventdate = {2019-05-01/2019-05-03}"],
    );
    has(
        json!({"type": "thesis", "title": "T", "genre": "PhD thesis", "publisher": "University of Samples"}),
        &["school = {University of Samples}", "type = {PhD thesis}"],
    );
    has(
        json!({"type": "report", "title": "T", "genre": "Working Paper", "number": "12", "publisher": "Institute"}),
        &["institution = {Institute}", "type = {Working Paper}", "number = {12}"],
    );
    has(
        json!({"type": "webpage", "title": "T", "container-title": "Site", "publisher": "Owner", "URL": "https://example.org/",
            "accessed": "2024-05-01"}),
        &["organization = {Site}", "publisher = {Owner}", "urldate = {2024-05-01}"],
    );
    has(
        json!({"type": "article", "title": "T", "URL": "https://arxiv.org/abs/2101.00001v2"}),
        &["archiveprefix = {arXiv}", "eprint = {2101.00001v2}", "entrysubtype = {preprint}"],
    );
    has(
        json!({"type": "motion_picture", "title": "F", "director": [{"family": "Varda", "given": "Agnès"}]}),
        &["author = {Varda, Agnès}"],
    );
    has(
        json!({"type": "book", "title": "B", "compiler": [{"family": "Grimm", "given": "Jacob"}]}),
        &["editor = {Grimm, Jacob}", "editortype = {compiler}"],
    );
    has(
        json!({"type": "software", "title": "S", "version": "1.2", "publisher": "Maker"}),
        &["version = {1.2}", "publisher = {Maker}"],
    );
    has(
        json!({"type": "manuscript", "title": "M", "archive": "Archive", "archive_location": "Box 3"}),
        &["howpublished = {Archive, Box 3}"],
    );
    has(json!({"type": "article-journal", "title": "N", "number": "e17"}), &["eid = {e17}"]);
    // The link that a style makes of the DOI is not given twice.
    assert!(!bibtex(json!({"DOI": "10.1/x", "URL": "https://doi.org/10.1/x"})).contains("url ="));
    // An address that could do harm is none.
    for format in ReferenceFormat::ALL {
        assert!(!export(&[json!({"URL": "javascript:alert(1)"})], *format).contains("javascript"));
    }
    let chapter = ris(json!({"type": "chapter", "editor": [{"family": "E"}], "translator": [{"family": "T"}],
        "collection-title": "Series", "edition": "2", "ISBN": "1", "ISSN": "2", "genre": "Essay", "page": "1-3, 5-9"}));
    for line in ["A2  - E", "A4  - T", "T3  - Series", "ET  - 2", "SN  - 1", "SN  - 2", "M3  - Essay", "SP  - 1-3, 5-9"]
    {
        assert!(chapter.contains(&format!("{line}\r\n")), "no {line} in {chapter}");
    }
    assert!(ris(json!({"type": "book", "editor": [{"family": "E"}]})).contains("ED  - E\r\n"));
}

#[test]
fn dates_of_all_kinds() {
    for (date, bib, lines) in [
        (json!(2020), "year = {2020}", "PY  - 2020\r\n"),
        (json!("2020-05"), "year = {2020},\n  month = may", "PY  - 2020\r\nDA  - 2020/05//\r\n"),
        (
            json!({"date-parts": [[2019, 5, 1], [2019, 5, 3]]}),
            "year = {2019},\n  month = may,\n  date = {2019-05-01/2019-05-03}",
            "PY  - 2019\r\nDA  - 2019/05/01/to 2019-05-03\r\n",
        ),
        (
            json!({"date-parts": [[2019], [2020]]}),
            "year = {2019},\n  date = {2019/2020}",
            "PY  - 2019\r\nDA  - 2019///to 2020\r\n",
        ),
        (
            json!({"date-parts": [[2020]], "season": 1}),
            "year = {2020},\n  date = {2020-21}",
            "PY  - 2020\r\nDA  - 2020///Spring\r\n",
        ),
        (
            json!({"date-parts": [[1850]], "circa": true}),
            "year = {1850},\n  date = {1850~}",
            "PY  - 1850\r\nDA  - 1850///circa\r\n",
        ),
        (json!({"date-parts": [[-44, 3, 15]]}), "date = {-0043-03-15}", "DA  - ///44 BC-03-15\r\n"),
        (json!({"literal": "in press"}), "year = {in press}", "DA  - ///in press\r\n"),
        (json!({"date-parts": [[2019, 2, 31]]}), "year = {2019},\n  month = feb", "PY  - 2019\r\nDA  - 2019/02//\r\n"),
    ] {
        let item = json!({"type": "book", "issued": date});
        let made = bibtex(item.clone());
        assert!(made.contains(&format!(",\n  {bib}\n}}")), "no {bib} in {made}");
        let entry = Bibliography::parse(&made).unwrap().into_vec().remove(0);
        assert!(entry.date().is_ok() || made.contains("in press"), "{made}");
        let made = ris(item.clone());
        assert!(made.contains(lines), "no {lines:?} in {made:?}");
        // The same date comes back from CSL-JSON.
        assert_eq!(bibtex(csl(std::slice::from_ref(&item)).remove(0)).split_once('\n'), bibtex(item).split_once('\n'));
    }
    for none in
        [json!({"literal": "n.d."}), json!({"date-parts": [[]]}), json!([1]), json!({"date-parts": [[0]]}), json!(true)]
    {
        let item = json!({"type": "book", "issued": none});
        assert_eq!(bibtex(item.clone()), "@book{ref,\n}\n");
        assert_eq!(ris(item.clone()), "TY  - BOOK\r\nID  - ref\r\nER  - \r\n");
        assert_eq!(csl(&[item]), [json!({"id": "ref", "type": "book"})]);
    }
}

#[test]
fn what_is_not_known_is_absent() {
    let nothing = Reference::default();
    let item = csl_of_reference("a", &nothing, SourceType::KnowledgeBase, None, None, PlaceholderMode::Style);
    assert_eq!(bibtex(item.clone()), "@misc{ref,\n}\n");
    assert_eq!(csl(&[item]), [json!({"id": "a", "type": "document"})]);
    let reference = Reference {
        authors: vec![Name::Whole("WHO".to_owned())],
        title: Some("Rays".to_owned()),
        publication_date: "2024-05".parse().ok(),
        ..Reference::default()
    };
    let url = Some("https://example.org/");
    let item =
        csl_of_reference("a", &reference, SourceType::WebPage, url, "2024-06-01".parse().ok(), PlaceholderMode::Style);
    assert_eq!(
        bibtex(item),
        "@online{who2024rays,\n  author = {{WHO}},\n  title = {Rays},\n  year = {2024},\n  month = may,\n  \
         url = {https://example.org/},\n  urldate = {2024-06-01}\n}\n"
    );
    for format in [ReferenceFormat::BibTex, ReferenceFormat::Ris] {
        assert_eq!(export(&[], format), "");
    }
    assert_eq!(export(&[], ReferenceFormat::CslJson), "[]\n");
}

#[test]
fn csl_json_is_valid() {
    let made = csl(&[
        json!({"id": 7, "type": "film", "title": ["A", "B"], "author": ["Curie, Marie", {"name": "WHO"}, 3, {}], "custom": {"x": 1},
            "issued": "May 3, 2024", "publisher": {"no": 1}, "volume": "3", "unknown": "x", "shortTitle": "S", "event": "E",
            "editor": {"family": "van Gogh", "given": "V", "comma-suffix": true, "orcid": "x"}}),
        json!("not an item"),
        json!({"id": "7", "type": "book", "title": "  \u{0}\u{fdd0}x\n\ny "}),
    ]);
    assert_eq!(
        made,
        [
            json!({"id": "7", "type": "motion_picture", "title": "A", "title-short": "S",
                "author": [{"family": "Curie", "given": "Marie"}, {"literal": "WHO"}],
                "editor": [{"family": "van Gogh", "given": "V", "comma-suffix": true}],
                "issued": {"date-parts": [[2024, 5, 3]]}, "volume": "3", "event-title": "E"}),
            json!({"id": "7-x", "type": "book", "title": "x y"}),
        ]
    );
}

#[test]
fn hostile_values_stay_in_their_fields() {
    let values = [
        "\\input{/etc/passwd}",
        "}, author = {Mallory}, title = {",
        "}}\n\n@article{evil, title = {x}}",
        "x\r\nER  - \r\n\r\nTY  - BOOK\r\nTI  - evil",
        "{{{{",
        "}}}}",
        "\\",
        "\\\\",
        "%",
        "$",
        "$x^{2}$",
        "~^_#&",
        "\"",
        "@string{a = {b}}",
        "\u{0}\u{7}\u{1b}[31m",
        "a\u{2028}b\u{85}c",
        "\\end{document}",
        "<i>",
        "</i></i>",
        "<i><b>x</i></b>",
        "<span class=\"nocase\">}</span>",
    ];
    for value in values {
        let name = json!([{"family": value, "given": value, "suffix": value}, {"literal": value}, value]);
        let mut item: Map<String, Value> = [
            "title",
            "container-title",
            "publisher",
            "note",
            "abstract",
            "DOI",
            "URL",
            "page",
            "volume",
            "issue",
            "edition",
            "genre",
            "language",
            "keyword",
            "ISBN",
            "collection-title",
            "event-title",
            "medium",
            "PMID",
            "citation-key",
        ]
        .map(|field| (field.to_owned(), json!(value)))
        .into_iter()
        .collect();
        item.insert("URL".to_owned(), json!(format!("https://example.org/{value}")));
        for field in ["author", "editor", "translator"] {
            item.insert(field.to_owned(), name.clone());
        }
        item.insert("issued".to_owned(), json!({"literal": value}));
        item.insert("id".to_owned(), json!(value));
        for (kind, ..) in TYPES {
            item.insert("type".to_owned(), json!(kind));
            check(&[Value::Object(item.clone())]).unwrap_or_else(|what| panic!("{kind}, {value:.80}: {what}"));
        }
    }
    // What it says is kept, as text.
    let made = bibtex(json!({"title": "\\input{/etc/passwd}"}));
    assert!(!made.contains("\\input"), "{made}");
    let back = Bibliography::parse(&made).unwrap().into_vec().remove(0);
    assert_eq!(back.title().unwrap().format_verbatim(), "\\input{/etc/passwd}");
}

/// Longer texts take longer, and not much more than that.
#[test]
fn time_grows_with_the_text() {
    for text in ["}{", "\\input{/etc/passwd}", "<i>", "<span class=\"nocase", "DNA ", "de ", "1-2, ", "die ", "\u{301}"]
    {
        let text = text.repeat(100_000 / text.len());
        let item = json!({"type": "book", "title": text, "page": text, "keyword": text, "abstract": text,
            "author": [{"family": text, "given": text}, text]});
        let began = Instant::now();
        for format in ReferenceFormat::ALL {
            assert!(export(std::slice::from_ref(&item), *format).len() > 100_000);
        }
        assert!(began.elapsed().as_secs_f64() < 3.0, "{:.10} took {:?}", text, began.elapsed());
        check(&[item]).unwrap();
    }
    let alike = vec![json!({"type": "book", "title": "T", "issued": 2000}); 10_000];
    let began = Instant::now();
    check(&alike).unwrap();
    assert!(began.elapsed().as_secs_f64() < 20.0, "{:?}", began.elapsed());
}

/// What holds for every export: all three are read, hold as many entries as there are items, and have different keys.
fn check(items: &[Value]) -> Result<(), String> {
    let count = items.iter().filter(|item| item.is_object()).count();
    let text = export(items, ReferenceFormat::BibTex);
    if !is_balanced(&text) {
        return Err(format!("braces are not balanced in {text:.2000}"));
    }
    if text.chars().any(|c| c.is_control() && c != '\n') {
        return Err(format!("a control character in {text:.2000}"));
    }
    // Each field on its line, so that no value has a line's end in it.
    for line in text.lines() {
        let fits =
            line.is_empty() || line == "}" || line.starts_with('@') || line.starts_with("  ") && line.contains(" = ");
        if !fits {
            return Err(format!("a broken line {line:.200}"));
        }
    }
    let read = Bibliography::parse(&text).map_err(|error| format!("{error} in {text:.2000}"))?;
    let keys: BTreeSet<String> = read.keys().map(str::to_lowercase).collect();
    if read.len() != count || keys.len() != count {
        return Err(format!("{} entries and {} keys of {count} items in {text:.2000}", read.len(), keys.len()));
    }
    let text = export(items, ReferenceFormat::Ris);
    let entries = read_ris(&text)?;
    if entries.len() != count {
        return Err(format!("{} entries of {count} items in {text:.2000}", entries.len()));
    }
    let text = export(items, ReferenceFormat::CslJson);
    let list: Vec<Map<String, Value>> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let ids: BTreeSet<&str> = list.iter().filter_map(|item| item["id"].as_str()).collect();
    if list.len() != count || ids.len() != count {
        return Err(format!("{} items with {} ids of {count} in {text:.2000}", list.len(), ids.len()));
    }
    Ok(())
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,30}",
        "[{}\\\\%$#&_~^\"'@=,<>/ \\-a-zA-Z0-9]{0,40}",
        "( and |and|others|, |\\{|\\}|\\\\|[A-Z][a-z]{0,5}|de |<i>|</i>|\n|\r|=){0,8}",
        ".{0,20}",
    ]
}

const PARTS: [&str; 7] = ["family", "given", "literal", "raw", "suffix", "dropping-particle", "non-dropping-particle"];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        Just(Value::Null),
        (any::<i16>(), any::<i8>(), any::<i8>(), any::<i8>()).prop_map(
            |(year, month, day, season)| json!({"date-parts": [[year, month, day], [year, 5]], "season": season})
        ),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop::sample::select(&PARTS[..]), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())),
        ]
    })
}

const FIELDS: [&str; 30] = [
    "id",
    "title",
    "title-short",
    "container-title",
    "collection-title",
    "author",
    "editor",
    "translator",
    "director",
    "issued",
    "accessed",
    "event-date",
    "event-title",
    "volume",
    "issue",
    "number",
    "page",
    "edition",
    "DOI",
    "URL",
    "ISBN",
    "publisher",
    "publisher-place",
    "genre",
    "medium",
    "language",
    "note",
    "abstract",
    "keyword",
    "citation-key",
];

fn item() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(&TYPES[..]);
    (kind, prop::collection::vec((prop::sample::select(&FIELDS[..]), value()), 0..12)).prop_map(
        |((kind, ..), fields)| {
            let mut item: Map<String, Value> =
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            item.insert("type".to_owned(), json!(kind));
            Value::Object(item)
        },
    )
}

/// On one line, and with the dashes that TeX makes of hyphens.
fn as_read(text: &str) -> String {
    let clean: String =
        text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !c.is_control()).collect();
    let clean = clean.replace(|c| ('\u{fdd0}'..='\u{fdef}').contains(&c), "");
    clean
        .split(' ')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
        .replace("---", "—")
        .replace("--", "–")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_items_are_exported(items in prop::collection::vec(item(), 0..5)) {
        check(&items).map_err(TestCaseError::fail)?;
        // What was written is written again the same, and can be formatted.
        let once = export(&items, ReferenceFormat::CslJson);
        let read: Vec<Value> = serde_json::from_str(&once).unwrap();
        prop_assert_eq!(&export(&read, ReferenceFormat::CslJson), &once);
        let formatter = Formatter::new(CslStyle::bundled("apa").unwrap(), None);
        let made = formatter.format(&read, CitationForm::Bibliography, OutputFormat::Text);
        prop_assert!(made.is_ok(), "{:?}", made);
    }

    #[test]
    fn titles_are_read_back(title in "[^<>]{0,60}") {
        let title: &str = &title;
        let wanted = as_read(title);
        for language in ["en", "de"] {
            let made = export(&[json!({"type": "book", "title": title, "language": language})], ReferenceFormat::BibTex);
            let entry = Bibliography::parse(&made).unwrap().into_vec().remove(0);
            let read = entry.get("title").map(|title| title.format_verbatim()).unwrap_or_default();
            prop_assert_eq!(as_read(&read), &*wanted, "{}", made);
        }
        let made = export(&[json!({"type": "book", "title": title})], ReferenceFormat::Ris);
        let entries = read_ris(&made).map_err(TestCaseError::fail)?;
        let read = entries[0].iter().find(|(tag, _)| *tag == "TI").map_or("", |(_, value)| value);
        prop_assert_eq!(as_read(read), wanted);
    }

    #[test]
    fn names_stay_apart(names in prop::collection::vec((text(), text(), any::<bool>()), 1..5)) {
        let people: Vec<Value> = names.iter().map(|(family, given, whole)| {
            // A name without any letter is none.
            let family = format!("X{family}");
            if *whole { json!({"literal": family}) } else { json!({"family": family, "given": given}) }
        }).collect();
        let made = export(&[json!({"type": "book", "author": people})], ReferenceFormat::BibTex);
        let entry = Bibliography::parse(&made).unwrap().into_vec().remove(0);
        prop_assert_eq!(entry.author().unwrap().len(), names.len(), "{}", made);
        let made = export(&[json!({"type": "book", "author": people})], ReferenceFormat::Ris);
        let entries = read_ris(&made).map_err(TestCaseError::fail)?;
        prop_assert_eq!(entries[0].iter().filter(|(tag, _)| *tag == "AU").count(), names.len());
    }
}
