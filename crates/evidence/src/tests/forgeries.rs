//! Bundles whose every hash is right, and which do not say the same everywhere.

use serde_json::{Value, json};

use super::*;
use crate::manifest::{ANNOTATIONS, CITATIONS, PROVENANCE, README};

/// Verifies the sample bundle after editing one of its JSON files.
fn report_after_edit(path: &str, change: impl FnOnce(&mut Value)) -> VerificationReport {
    verify_bytes(&forge_bundle(|files| {
        let (_, bytes) = files.iter_mut().find(|(name, _)| name == path).unwrap();
        let mut value = serde_json::from_slice(bytes).unwrap();
        change(&mut value);
        *bytes = to_canonical_json(&value).unwrap();
    }))
}

/// Returns the fault of a bundle after changing its first citation.
fn fault_after_change(change: impl FnOnce(&mut CitationRecord)) -> String {
    let mut bundle = sample_bundle();
    change(&mut bundle.citations[0]);
    let report = verify_bytes(&bundle_bytes(&bundle));
    assert_eq!(faulty_files(&report), [CITATIONS], "{:?}", report.faults);
    report.faults[0].what.clone()
}

#[test]
fn without_a_change_it_is_the_same() {
    assert_eq!(forge_bundle(|_| ()), bundle_bytes(&sample_bundle()));
}

#[test]
fn a_quote_is_exactly_what_stands_at_its_place() {
    let said = fault_after_change(|one| one.quote = Some("数据 at the cafe\u{301}".into()));
    assert!(said.contains("citation [1] that quotes other words than those at 17..32 of texts/"), "{said}");
    // Composed, it looks the same.
    let said = fault_after_change(|one| {
        (one.quote, one.span) = (Some("数据 in the café".into()), Some(Span::new(17, 31)));
    });
    assert!(said.contains("other words"), "{said}");
    // The same words stand at another place.
    let said = fault_after_change(|one| (one.quote, one.span) = (Some("数据".into()), Some(nth_span(TEXT, "数据", 1))));
    assert!(said.contains("words around its quote"), "{said}");
    let said = fault_after_change(|one| one.span = one.span.map(|span| Span::new(span.start + 1, span.end + 1)));
    assert!(said.contains("other words"), "{said}");
    let said = fault_after_change(|one| one.span = Some(Span::new(1000, 1015)));
    assert!(said.contains("beyond the end"), "{said}");
    let said = fault_after_change(|one| one.suffix = " by day".into());
    assert!(said.contains("around 17..32"), "{said}");
    let said = fault_after_change(|one| one.prefix.insert(0, 'x'));
    assert!(said.contains("around 17..32"), "{said}");
}

#[test]
fn a_quote_may_be_anywhere_in_any_script() {
    let text = TEXT.to_owned() + "e\u{301}🏳️‍🌈完";
    let bytes: &'static [u8] = Box::leak(text.clone().into_boxed_str()).as_bytes();
    let chars = text.chars().count();
    let mut bundle = sample_bundle();
    bundle.files.push(file_record(bytes, FileRole::Text, "text/plain", None));
    let first = bundle.citations[0].clone();
    for (start, end) in (0..=chars).flat_map(|start| (start..=chars).map(move |end| (start, end))).step_by(7) {
        let words = Span::new(start, end).slice_of(&text).unwrap();
        bundle.citations.push(CitationRecord {
            text_sha256: Some(Sha256::of_bytes(bytes)),
            span: Some(Span::new(start, end)),
            quote: Some(words.to_owned()),
            prefix: text.chars().skip(start.saturating_sub(5)).take(start.min(5)).collect(),
            suffix: text.chars().skip(end).take(3).collect(),
            ..first.clone()
        });
    }
    let report = verify_bytes(&bundle_bytes(&bundle));
    assert_eq!(report.faults, []);
    assert_eq!(report.quotes_checked, bundle.citations.len() as u64 - 2);
    assert!(report.quotes_checked > 200);
}

#[test]
fn several_wrong_quotes_are_counted() {
    let mut bundle = sample_bundle();
    for _ in 0..4 {
        let mut wrong = bundle.citations[1].clone();
        wrong.suffix.clear();
        wrong.prefix = "no".into();
        bundle.citations.push(wrong);
    }
    let report = verify_bytes(&bundle_bytes(&bundle));
    assert_eq!((report.faults.len(), report.quotes_checked), (1, 2));
    assert!(report.faults[0].what.ends_with("(and 3 more)"), "{}", report.faults[0].what);
}

#[test]
fn a_flawed_citation_is_told() {
    let first = |name: &'static str, value: Value| {
        let report = report_after_edit(CITATIONS, |file| file["citations"][0][name] = value);
        let fault = report.faults.iter().find(|fault| fault.file == CITATIONS).unwrap();
        fault.what.clone()
    };
    assert!(first("marker", json!({"start_char": 0, "end_char": 900})).contains("marker at 0..900"));
    assert!(first("marker", json!({"start_char": 5, "end_char": 4})).contains("marker at 5..4"));
    assert!(first("claim", json!({"start_char": 900, "end_char": 901})).contains("claim at 900..901"));
    assert!(first("span", json!({"start_char": 17, "end_char": 30})).contains("15 characters at 17..30"));
    assert!(first("span", Value::Null).contains("does not have"), "null is not how nothing is written");
    assert!(first("number", json!(0)).contains("number 0"));
    assert!(first("page", json!(0)).contains("page 0"));
    assert!(first("score", json!(1e12)).contains("score"));
    assert!(first("score", json!(0.123_456_789)).contains("RFC 8785"));
    assert!(first("number", json!(-1)).contains("cannot be read"));
    assert!(first("hue", json!("red")).contains("1.0"));
    let without = |name: &'static str| {
        let report =
            report_after_edit(CITATIONS, |file| drop(file["citations"][0].as_object_mut().unwrap().shift_remove(name)));
        report.faults.iter().find(|fault| fault.file == CITATIONS).unwrap().what.clone()
    };
    assert!(without("quote").contains("does not quote"));
    assert!(without("span").contains("without the place"));
    assert!(without("text_sha256").contains("without the text"));
}

#[test]
fn records_agree() {
    let annotation = |name: &'static str, value: Value| {
        report_after_edit(ANNOTATIONS, |file| {
            *file.pointer_mut(&format!("/first/items/0/{name}")).unwrap() = value;
        })
    };
    for report in [
        annotation("body/selector/0/exact", json!("other words")),
        annotation("body/selector/1/start", json!(18)),
        annotation("body/source/id", json!("texts/other.txt")),
        annotation("target/selector/end", json!(3)),
        report_after_edit(ANNOTATIONS, |file| drop(file["first"]["items"].as_array_mut().unwrap().pop())),
        report_after_edit(ANNOTATIONS, |file| file["total"] = json!(5)),
    ] {
        assert_eq!(faulty_files(&report), [ANNOTATIONS]);
    }
    let report = report_after_edit(PROVENANCE, |file| file["@graph"][0]["@id"] = json!("urn:ibid:run:2"));
    assert_eq!(faulty_files(&report), [PROVENANCE]);
    assert_eq!(faulty_files(&report_after_edit("message.json", |file| file["id"] = json!("m-2")))[0], "message.json");
    let report = report_after_edit("message.json", |file| file["content"] = json!(ANSWER.replace("night", "dawnn")));
    assert_eq!(faulty_files(&report), ["message.md", PROVENANCE]);
    assert_eq!(
        faulty_files(&report_after_edit("message.json", |file| file["format"] = json!("typst"))),
        ["message.json"]
    );
    assert_eq!(
        faulty_files(&report_after_edit("message.json", |file| file["format"] = json!("doc"))),
        ["message.json"]
    );
}

#[test]
fn a_text_that_was_exchanged_no_longer_fits_its_name() {
    let report = verify_bytes(&forge_bundle(|files| {
        let (_, text) = files.iter_mut().find(|(name, _)| name.starts_with("texts/")).unwrap();
        text[0] ^= 1;
    }));
    assert_eq!(faulty_files(&report), [MANIFEST]);
    assert!(report.faults[0].what.contains("role and hash"), "{:?}", report.faults);
}

#[test]
fn a_manifest_that_was_exchanged_is_told_from_its_sums() {
    let mut files = unzip_files(&bundle_bytes(&sample_bundle()));
    let text = String::from_utf8(files[0].1.clone()).unwrap();
    files[0].1 = text.replacen("charset=utf-8", "charset=utf-9", 1).into_bytes();
    let report = verify_bytes(&zip_files(&files));
    assert_eq!(faulty_files(&report), [MANIFEST]);
    assert!(report.faults[0].what.contains(SUMS), "{:?}", report.faults);
}

#[test]
fn a_text_must_be_text() {
    let mut bundle = sample_bundle();
    bundle.files.push(file_record(b"ab\xff\xfe", FileRole::Text, "text/plain", None));
    let hash = Sha256::of_bytes(b"ab\xff\xfe");
    let second = &mut bundle.citations[1];
    (second.text_sha256, second.quote, second.span) = (Some(hash), Some("ab".into()), Some(Span::new(0, 2)));
    let report = verify_bytes(&bundle_bytes(&bundle));
    assert_eq!(faulty_files(&report), [crate::manifest::text_path(hash)]);
}

#[test]
fn what_is_not_in_the_bundle_is_told_and_no_fault() {
    let mut bundle = sample_bundle();
    bundle.files.retain(|file| file.media_type == "application/pdf");
    bundle.citations.push(CitationRecord { quote: Some("said elsewhere".into()), ..sample_citation(2, "It ended") });
    let report = verify_bytes(&bundle_bytes(&bundle));
    assert_eq!((report.faults.as_slice(), report.quotes_checked), ([].as_slice(), 0));
    assert_eq!(report.absent, [1, 2, 3, 4, 2]);
}

#[test]
fn a_newer_version_is_checked_as_far_as_it_is_known() {
    let newer = |change: fn(&mut Value)| {
        verify_bytes(&forge_bundle(|files| {
            let at = |name: &str| files.iter().position(|(path, _)| path == name).unwrap();
            let (manifest, citations) = (at(MANIFEST), at(CITATIONS));
            let text = String::from_utf8(files[manifest].1.clone()).unwrap();
            files[manifest].1 = text.replace("\"minor\":0", "\"minor\":1").into_bytes();
            let mut value = serde_json::from_slice(&files[citations].1).unwrap();
            change(&mut value);
            files[citations].1 = to_canonical_json(&value).unwrap();
        }))
    };
    let report = newer(|file| file["citations"][0]["hue"] = json!("red"));
    assert_eq!((report.faults.as_slice(), report.quotes_checked), ([].as_slice(), 2));
    assert_eq!(report.unchecked, [ANNOTATIONS, PROVENANCE]);
    let report = newer(|file| file["citations"][0]["prefix"] = json!("nothing of it"));
    assert_eq!(faulty_files(&report), [CITATIONS]);
    let major = verify_bytes(&forge_bundle(|files| {
        let text = String::from_utf8(files[0].1.clone()).unwrap();
        files[0].1 = text.replace("\"major\":1", "\"major\":2").into_bytes();
    }));
    assert_eq!(faulty_files(&major), [MANIFEST]);
    assert!(major.faults[0].what.contains("version 2.0"));
}

#[test]
fn the_page_for_people_is_theirs() {
    // Its words are of no version; only its bytes are checked.
    let bytes = forge_bundle(|files| files.iter_mut().find(|(name, _)| name == README).unwrap().1.push(b'!'));
    assert!(verify_bytes(&bytes).is_sound());
}
