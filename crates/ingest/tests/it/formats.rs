//! Files as real programs write them: what is found in them, and where.

use ibid_domain::{MarkKind, Place, Span, text::locate_span};
use ibid_ingest::{ExtractedFile, ExtractionError, ExtractionInput, ExtractionLimits, extract, thumbnail};

fn bytes(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn read(name: &str) -> Result<ExtractedFile, ExtractionError> {
    let bytes = bytes(name);
    let read = extract(
        &ExtractionInput { bytes: &bytes, filename: Some(name), ..ExtractionInput::default() },
        &ExtractionLimits::default(),
    );
    if let Err(ExtractionError::NotInstalled(how)) = &read {
        panic!("{name} cannot be tested: {how}");
    }
    read
}

/// Where a sentence stands: its page, its headings, its sheet and cells, its part.
#[derive(Default)]
struct Where {
    page: Option<u32>,
    section: &'static [&'static str],
    sheet: Option<&'static str>,
    cells: Option<&'static str>,
    part: Option<&'static str>,
}

fn nowhere() -> Where {
    Where::default()
}

fn under(section: &'static [&'static str]) -> Where {
    Where { section, ..Where::default() }
}

fn page(page: u32) -> Where {
    Where { page: Some(page), ..Where::default() }
}

fn page_under(page: u32, section: &'static [&'static str]) -> Where {
    Where { page: Some(page), section, ..Where::default() }
}

fn sheet(sheet: &'static str, cells: &'static str) -> Where {
    Where { sheet: Some(sheet), cells: Some(cells), ..Where::default() }
}

fn part(part: &'static str, section: &'static [&'static str]) -> Where {
    Where { part: Some(part), section, ..Where::default() }
}

/// The sentences that the same document has in every format that knows headings.
fn writer() -> Vec<(&'static str, Where)> {
    vec![
        ("This sample report describes how tides were measured at an invented harbour.", under(&["Introduction"])),
        ("twice a day — as expected — and “nobody” was surprised.", under(&["Introduction"])),
        ("The harbour of this sample footnote does not exist.", under(&["Introduction"])),
        ("This is the comment of a sample reviewer.", under(&["Introduction"])),
        ("Words inside of a sample text box.", under(&["Introduction", "Instruments"])),
        ("The highest tide of the sample was 4.2 metres, on the ninth of March.", under(&["Results"])),
        ("Station\tHigh\tLow\nNorth pier\t4.2\t0.3", under(&["Results"])),
        ("Grüße aus Łódź, Αθήνα und 東京.", under(&["Results"])),
        ("The gauge of the sample was read wrongly on two days.", under(&["Results", "Errors"])),
    ]
}

fn pandoc() -> Vec<(&'static str, Where)> {
    vec![
        ("This sample text speaks of harbours that were never built.", under(&["Harbours"])),
        ("metres long.", under(&["Harbours", "The old one"])),
        ("A note of the sample about the length.", under(&["Harbours", "The old one"])),
        ("Rivers of the sample carry sand into the harbour.", under(&["Rivers"])),
        ("The last sentence of the sample article.", under(&["Rivers", "Setext heading"])),
    ]
}

fn calc() -> Vec<(&'static str, Where)> {
    vec![
        ("Station\tDay\tTime\tShare\tCost", sheet("Tides", "A1:E1")),
        ("North pier\t2024-03-09\t18:15\t42.5%\t$1,599.99", sheet("Tides", "A2:E2")),
        ("123456789012345", sheet("Tides", "A6:E6")),
        ("Second sheet of the sample", sheet("Notes", "B1")),
    ]
}

fn slides() -> Vec<(&'static str, Where)> {
    vec![
        ("Sample slides on tides", page_under(1, &["Sample slides on tides"])),
        ("Fishermen of the sample wait too", page_under(2, &["Why tides matter"])),
        ("A note for the speaker of this sample slide.", page_under(2, &["Why tides matter"])),
        ("North pier\t4.2", page_under(3, &["How they were measured"])),
        ("The tide of the sample rose twice a day.", page_under(4, &["What was found"])),
    ]
}

/// A file, its media type, and sentences with the places they must be found at.
type Sample = (&'static str, &'static str, Vec<(&'static str, Where)>);

/// Each file with what must be found in it, and where.
fn corpus() -> Vec<Sample> {
    let office = "application/vnd.openxmlformats-officedocument";
    let word: &'static str = format!("{office}.wordprocessingml.document").leak();
    let margins = || {
        let mut found = writer();
        found.push(("Sample header of every page", nowhere()));
        found.push(("Sample footer of every page", nowhere()));
        found
    };
    let numbered = || {
        let mut found = margins();
        for label in ["1. A gauge made of oak", "a) painted white", "2. A clock made of brass"] {
            found.push((label, under(&["Introduction", "Instruments"])));
        }
        found
    };
    let with_formula = |comment: Where| {
        let mut found = calc();
        found.push(("Sum\t5\tSample result", sheet("Tides", "A7:C7")));
        found.push(("A comment on the sample sum.", comment));
        found
    };
    let tides = Where { sheet: Some("Tides"), ..Where::default() };
    vec![
        ("writer.fodt", "application/vnd.oasis.opendocument.text", numbered()),
        ("writer.odt", "application/vnd.oasis.opendocument.text", numbered()),
        ("writer.docx", word, numbered()),
        ("writer.rtf", "application/rtf", margins()),
        (
            "writer.doc",
            "application/msword",
            margins().into_iter().map(|(sentence, _)| (sentence, nowhere())).collect(),
        ),
        (
            "writer.pdf",
            "application/pdf",
            vec![
                ("This sample report describes how tides were measured", page_under(1, &["Introduction"])),
                ("A clock made of brass", page_under(1, &["Introduction", "Instruments"])),
                ("The highest tide of the sample was 4.2 metres, on the ninth of March.", page_under(2, &["Results"])),
                ("The gauge of the sample was read wrongly on two days.", page_under(2, &["Results", "Errors"])),
            ],
        ),
        ("calc.ods", "application/vnd.oasis.opendocument.spreadsheet", with_formula(tides)),
        ("calc.xlsx", format!("{office}.spreadsheetml.sheet").leak(), with_formula(sheet("Tides", "A7"))),
        ("calc.xls", "application/vnd.ms-excel", calc()),
        ("pandoc.docx", word, pandoc()),
        ("pandoc.epub", "application/epub+zip", pandoc()),
        ("pandoc.rtf", "application/rtf", pandoc()),
        ("article.md", "text/markdown", pandoc()),
        ("pandoc.pptx", format!("{office}.presentationml.presentation").leak(), slides()),
        (
            "impress.ppt",
            "application/vnd.ms-powerpoint",
            slides().into_iter().filter(|(sentence, _)| !sentence.contains('\t')).collect(),
        ),
        ("impress.odp", "application/vnd.oasis.opendocument.presentation", slides()),
        (
            "typst.pdf",
            "application/pdf",
            vec![
                (
                    "An extraordinarily uncomplicated instrument sufficed for the measurements: a graduated wooden staff, \
                     fastened to the northernmost pier, which was photographed every quarter of an hour.",
                    page_under(1, &["1 Introduction"]),
                ),
                (
                    "\n\nThe second paragraph of the introduction is efficient and difficult to overlook.",
                    page_under(1, &["1 Introduction"]),
                ),
                ("an uninterrupted programme of observations.", page_under(1, &["2 Methods", "2.1 Sampling"])),
                ("The highest water of the sample was recorded", page_under(2, &["3 Results"])),
                ("This footnote of the sample names no source.", page_under(2, &["3 Results", "3.1 Discussion"])),
                ("Nobody in the sample disagreed.", page_under(2, &["3 Results", "3.1 Discussion"])),
            ],
        ),
        (
            "browser.pdf",
            "application/pdf",
            vec![
                ("This sample page was printed by a browser.", page(1)),
                (
                    "The moon of the sample pulls the water towards itself, and the water follows, a little late, around the \
                     whole of the globe.",
                    page(1),
                ),
                ("The sun of the sample helps every fortnight.", page(2)),
            ],
        ),
        (
            "message.eml",
            "message/rfc822",
            vec![
                ("From: Sample Sender <sender@example.org>", part("Sample tide tables – März", &[])),
                ("The rich body of the sample message, with tables.", part("Sample tide tables – März", &[])),
                ("Rivers of the sample carry sand", part("article.docx", &["Rivers"])),
                ("South pier\t3.9", Where { cells: Some("A3:B3"), ..part("tides.csv", &[]) }),
            ],
        ),
        (
            "mailbox.mbox",
            "application/mbox",
            vec![
                ("The first message of the sample mailbox.\nFrom here on the text", part("First sample message", &[])),
                ("The second message of the sample mailbox.", part("Second sample message", &[])),
                ("The third message says Grüße.", part("Third sample message", &[])),
            ],
        ),
        (
            "table.csv",
            "text/csv",
            vec![
                ("Station\tDay\tHigh, in metres", Where { cells: Some("A1:C1"), ..nowhere() }),
                ("South \"old\" pier\t2024-03-10\t3.9", Where { cells: Some("A3:C3"), ..nowhere() }),
            ],
        ),
        ("data.json", "application/json", vec![("\"high\": 4.20", nowhere()), ("\"Grüße\"", nowhere())]),
        ("latin.txt", "text/plain", vec![("Grüße, café, naïve. Überall", nowhere()), ("Second paragraph", nowhere())]),
        ("feed.xml", "application/xml", vec![("North pier of the sample\n4.2", nowhere())]),
        ("drawing.svg", "image/svg+xml", vec![("Words in a sample drawing", nowhere())]),
        ("page.html", "text/html", vec![("The moon of the sample pulls the water towards itself", nowhere())]),
    ]
}

#[test]
fn every_sentence_is_found_where_it_stands() {
    for (name, media_type, sentences) in corpus() {
        let found = read(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found.media_type, media_type, "{name}");
        for (sentence, wanted) in sentences {
            let at = found.text.find(sentence).unwrap_or_else(|| panic!("{name}: {sentence:?} in\n{}", found.text));
            // A blank line before the sentence belongs to what stands before it.
            let at = at + sentence.len() - sentence.trim_start().len();
            let start = found.text[..at].chars().count();
            let span = Span::new(start, start + sentence.trim_start().chars().count());
            let Place { page, section, sheet, cells, part, .. } = locate_span(&found.marks, span);
            let context = format!("{name}: {sentence:?}");
            assert_eq!(page, wanted.page, "{context}");
            if name != "page.html" {
                assert_eq!(section, wanted.section, "{context}");
            }
            assert_eq!(sheet.as_deref(), wanted.sheet, "{context}");
            assert_eq!(cells.as_deref(), wanted.cells, "{context}");
            assert_eq!(part.as_deref(), wanted.part, "{context}");
        }
    }
}

#[test]
fn every_text_is_clean_and_every_mark_lies_in_it() {
    for (name, ..) in corpus() {
        let found = read(name).unwrap();
        let strange = |char: char| char.is_control() && !matches!(char, '\n' | '\t');
        assert!(!found.text.contains(strange), "{name}");
        assert!(!found.text.contains("\n\n\n\n"), "{name}");
        let end = found.text.chars().count();
        let mut before = 0;
        for mark in &found.marks {
            assert!(mark.span.start < mark.span.end && mark.span.end <= end, "{name}: {mark:?}");
            assert!(mark.span.start >= before, "{name}: marks are in order");
            before = mark.span.start;
            assert!(!mark.label.trim().is_empty() && !mark.label.contains('\n'), "{name}: {mark:?}");
            let numbered = matches!(mark.kind, MarkKind::Page | MarkKind::Sheet | MarkKind::Message);
            assert_eq!(mark.number.is_some(), numbered, "{name}: {mark:?}");
        }
    }
}

#[test]
fn files_tell_who_wrote_them_and_when() {
    for name in ["writer.odt", "writer.docx", "writer.rtf", "writer.doc", "writer.fodt"] {
        let reference = read(name).unwrap().reference;
        assert_eq!(reference.title.as_deref(), Some("Sample report on tides"), "{name}");
        assert_eq!(reference.authors.first().map(ToString::to_string).as_deref(), Some("Sample Author"), "{name}");
        assert_eq!(reference.publication_date.unwrap().to_string(), "2024-05-01", "{name}");
    }
    let reference = read("typst.pdf").unwrap().reference;
    assert_eq!(reference.title.as_deref(), Some("A sample paper on tides"));
    assert_eq!(reference.publication_date.unwrap().to_string(), "2024-05-01");
    let reference = read("message.eml").unwrap().reference;
    assert_eq!(reference.title.as_deref(), Some("Sample tide tables – März"));
    assert_eq!(reference.authors.first().map(ToString::to_string).as_deref(), Some("Sample Sender"));
}

#[test]
fn files_without_text_say_why() {
    assert_eq!(read("encrypted.pdf"), Err(ExtractionError::Encrypted));
    assert_eq!(read("encrypted.docx"), Err(ExtractionError::Encrypted));
    assert_eq!(read("scan.pdf"), Err(ExtractionError::NoText));
    assert_eq!(read("empty.txt"), Err(ExtractionError::Empty));
    assert!(matches!(read("truncated.docx"), Err(ExtractionError::Damaged(_))));
    assert!(matches!(read("truncated.pdf"), Err(ExtractionError::Damaged(_))));
    let blank = ExtractionInput { bytes: b" \n\t \n", ..ExtractionInput::default() };
    assert_eq!(extract(&blank, &ExtractionLimits::default()), Err(ExtractionError::Empty));
    let program = ExtractionInput { bytes: b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", ..ExtractionInput::default() };
    assert!(matches!(extract(&program, &ExtractionLimits::default()), Err(ExtractionError::Unsupported(_))));
}

#[test]
fn names_do_not_decide_what_a_file_is() {
    let bytes = bytes("writer.docx");
    let input = ExtractionInput {
        bytes: &bytes,
        filename: Some("page.html"),
        media_type: Some("text/html"),
        ..ExtractionInput::default()
    };
    let found = extract(&input, &ExtractionLimits::default()).unwrap();
    assert!(found.media_type.ends_with("wordprocessingml.document"));
}

#[test]
fn a_document_with_more_pages_than_allowed_is_refused() {
    let limits = ExtractionLimits { pages: 1, ..ExtractionLimits::default() };
    for name in ["typst.pdf", "pandoc.pptx", "impress.odp"] {
        let bytes = bytes(name);
        let read = extract(&ExtractionInput { bytes: &bytes, ..ExtractionInput::default() }, &limits);
        assert!(matches!(read, Err(ExtractionError::TooLarge(_))), "{name}: {read:?}");
    }
}

#[test]
fn images_have_a_size_and_a_thumbnail() {
    let found = read("scan.png").unwrap();
    assert_eq!((found.media_type.as_str(), found.dimensions), ("image/png", Some((320, 160))));
    assert_eq!(read("drawing.svg").unwrap().dimensions, Some((200, 100)));
    let small = thumbnail(&bytes("scan.png"), 64).unwrap().unwrap();
    let found = extract(&ExtractionInput { bytes: &small, ..ExtractionInput::default() }, &ExtractionLimits::default())
        .unwrap();
    assert_eq!(found.dimensions, Some((64, 32)));
    let page = thumbnail(&bytes("typst.pdf"), 200).unwrap().unwrap();
    let found =
        extract(&ExtractionInput { bytes: &page, ..ExtractionInput::default() }, &ExtractionLimits::default()).unwrap();
    assert_eq!((found.media_type.as_str(), found.dimensions.map(|(_, height)| height)), ("image/png", Some(200)));
    assert_eq!(thumbnail(b"just words", 64), Ok(None));
}

#[test]
fn a_table_in_text_may_name_its_separator_and_count_empty_rows() {
    let bytes = "\u{feff}sep=;\r\nStation;High, in metres\r\n\r\n\"South; pier\";3,9\r\n";
    let input = ExtractionInput { bytes: bytes.as_bytes(), filename: Some("tides.csv"), ..ExtractionInput::default() };
    let read = extract(&input, &ExtractionLimits::default()).unwrap();
    assert_eq!(read.text.trim(), "Station\tHigh, in metres\nSouth; pier\t3,9");
    let cells: Vec<&str> =
        read.marks.iter().filter(|mark| mark.kind == MarkKind::Cells).map(|mark| &*mark.label).collect();
    assert_eq!(cells, ["A1:B1", "A3:B3"]);
}
