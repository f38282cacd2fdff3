//! Pages of the web, one file each, with what must be found in them in a comment at their top. `known-pass.txt` names
//! those that are read right: one that fails is a regression, and one that passes without being listed has to be added.

use std::{fs, path::PathBuf};

use ibid_domain::{MarkKind, PartialDate};
use ibid_ingest::{ExtractedFile, ExtractionInput, ExtractionLimits, html::read_page};
use proptest::prelude::*;
use serde_json::{Map, Value};

fn pages() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pages")
}

/// What the page says of itself in its first comment.
fn expected(bytes: &[u8]) -> Map<String, Value> {
    let text = String::from_utf8_lossy(bytes);
    let json = text.strip_prefix("<!-- expect ").and_then(|rest| rest.split_once(" -->")).expect("a comment first").0;
    serde_json::from_str(json).expect("expectations in JSON")
}

/// What is wrong with what was read, if anything.
fn wrong(page: &ExtractedFile, expected: &Map<String, Value>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut same = |what: &str, found: Value| {
        if let Some(wanted) = expected.get(what)
            && *wanted != found
        {
            wrong.push(format!("{what} is {found} and not {wanted}"));
        }
    };
    let reference = &page.reference;
    same("title", reference.title.clone().into());
    same("authors", reference.authors.iter().map(ToString::to_string).collect());
    same("date", reference.publication_date.map(|date| date.to_string()).into());
    same("language", reference.language.clone().into());
    same("summary", reference.summary.clone().into());
    same("doi", reference.doi.clone().into());
    same("site", page.web.site_name.clone().into());
    same("favicon", page.web.favicon.clone().into());
    same("canonical", page.web.canonical_url.clone().into());
    same("text", page.text.clone().into());
    let sections = page.marks.iter().filter(|mark| mark.kind == MarkKind::Section).map(|mark| mark.label.clone());
    same("sections", sections.collect());
    let texts = |key: &str| expected.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    for text in texts("has") {
        if !page.text.contains(text.as_str().unwrap_or_default()) {
            wrong.push(format!("{text} is missing from {:?}", page.text));
        }
    }
    for text in texts("has_not") {
        if page.text.contains(text.as_str().unwrap_or_default()) {
            wrong.push(format!("{text} stands in {:?}", page.text));
        }
    }
    wrong
}

#[test]
fn pages_are_read_right_exactly_where_they_are_known_to_be() {
    let listed = fs::read_to_string(pages().join("known-pass.txt")).unwrap();
    let listed: Vec<&str> = listed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert!(listed.is_sorted(), "known-pass.txt is sorted");
    let mut complaints = Vec::new();
    let mut seen = Vec::new();
    for entry in fs::read_dir(pages()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "html") {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let bytes = fs::read(&path).unwrap();
        let expected = expected(&bytes);
        let input = ExtractionInput {
            bytes: &bytes,
            url: expected.get("url").and_then(Value::as_str),
            ..ExtractionInput::default()
        };
        let wrong = wrong(&read_page(&input, &ExtractionLimits::default()).unwrap(), &expected);
        match (wrong.is_empty(), listed.contains(&&*name)) {
            (false, true) => complaints.push(format!("{name}: {}", wrong.join("; "))),
            (true, false) => complaints.push(format!("{name} is read right now: add it to known-pass.txt")),
            _ => {}
        }
        seen.push(name);
    }
    complaints.extend(
        listed.iter().filter(|name| !seen.iter().any(|seen| seen == *name)).map(|name| format!("{name} has no page")),
    );
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn nothing_appeared_after_today() {
    let bytes = b"<meta name=date content=2024-05-02><time datetime=2024-05-01>x</time><p>A sample text.";
    let input = ExtractionInput { bytes, ..ExtractionInput::default() };
    let read = |today: Option<PartialDate>| {
        read_page(&ExtractionInput { today, ..input }, &ExtractionLimits::default())
            .unwrap()
            .reference
            .publication_date
            .map(|date| date.to_string())
    };
    assert_eq!(read(None).as_deref(), Some("2024-05-02"));
    assert_eq!(read("2024-05-01".parse().ok()).as_deref(), Some("2024-05-01"));
    assert_eq!(read("2024-04-30".parse().ok()), None);
}

#[test]
fn an_empty_page_is_an_error_and_a_bare_one_is_not() {
    let read =
        |bytes| read_page(&ExtractionInput { bytes, ..ExtractionInput::default() }, &ExtractionLimits::default());
    assert!(read(b"").is_err());
    assert!(read(b"<html></html>").is_err());
    assert_eq!(read(b"just text").unwrap().text, "just text");
    assert_eq!(read(b"<title>Only a title</title>").unwrap().reference.title.as_deref(), Some("Only a title"));
}

#[test]
fn hostile_pages_end_quickly() {
    for unit in [
        "<div>",
        "<p><b>",
        "<table><tr><td>",
        "<a href=x>y",
        "<ul><li class=comment>",
        "<span itemprop=author>",
        "<h1>a",
    ] {
        let html = unit.repeat(30_000);
        let start = std::time::Instant::now();
        let _ = read_page(
            &ExtractionInput { bytes: html.as_bytes(), ..ExtractionInput::default() },
            &ExtractionLimits::default(),
        );
        assert!(start.elapsed().as_secs() < 20, "{unit} took {:?}", start.elapsed());
    }
    let json = format!("<script type=application/ld+json>{}</script>x", "[".repeat(200_000));
    assert!(
        read_page(
            &ExtractionInput { bytes: json.as_bytes(), ..ExtractionInput::default() },
            &ExtractionLimits::default()
        )
        .is_ok()
    );
}

/// Markup as a careless or hostile page writes it.
fn markup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "<(div|p|a|h1|li|ul|table|tr|td|time|meta|script|article|span|br)( (class|id|href|content|name|datetime|itemprop)=(\"[a-z0-9 :/-]{0,12}\"|[a-z0-9]{0,6})){0,2}>",
        "</(div|p|a|h1|li|ul|table|tr|td|time|script|article|span)>",
        "(By|Von|Posted|Updated:|2024|01\\.05\\.|May|&amp;|&#x[0-9a-f]{0,9};|<!--|-->|[\\PC ]{0,12})",
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_bytes_make_a_page_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let _ = read_page(&ExtractionInput { bytes: &bytes, url: Some("https://www.example.org/a/b"), ..ExtractionInput::default() }, &ExtractionLimits::default());
    }

    #[test]
    fn no_markup_makes_a_page_panic_and_marks_lie_in_the_text(html in markup()) {
        let input = ExtractionInput { bytes: html.as_bytes(), url: Some("https://www.example.org/2024/05/01/x"), ..ExtractionInput::default() };
        if let Ok(page) = read_page(&input, &ExtractionLimits::default()) {
            for mark in &page.marks {
                prop_assert!(mark.span.slice_of(&page.text).is_some());
            }
        }
    }
}
