//! What is written, and what is refused.

use serde_json::Value;

use super::*;
use crate::{BundleError, MAX_RECORD, MAX_TEXT, PIECE, manifest::README};

fn write_error_after(change: impl FnOnce(&mut Bundle)) -> BundleError {
    let mut bundle = sample_bundle();
    change(&mut bundle);
    crate::write_bundle(&bundle, io::sink()).unwrap_err()
}

#[test]
fn the_same_content_gives_the_same_bytes() {
    let bytes = bundle_bytes(&sample_bundle());
    let mut turned = sample_bundle();
    turned.files.reverse();
    assert_eq!(bundle_bytes(&turned), bytes);
    let mut later = sample_bundle();
    later.created_at = timestamp_at(101);
    assert_ne!(bundle_bytes(&later), bytes);
}

#[test]
fn another_program_reads_every_file() {
    let bytes = bundle_bytes(&sample_bundle());
    let files = unzip_files(&bytes);
    let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
    let hash = |bytes: &[u8]| Sha256::of_bytes(bytes).to_string();
    let (pdf, png) = (format!("artifacts/{}.pdf", hash(PDF)), format!("artifacts/{}", hash(b"\x89PNG")));
    let (text, page) = (format!("texts/{}.txt", hash(TEXT.as_bytes())), format!("texts/{}.txt", hash(PAGE.as_bytes())));
    let mut expected = vec![
        "README.txt",
        "annotations.jsonld",
        &pdf,
        &png,
        "citations.json",
        "message.json",
        "message.md",
        "provenance.jsonld",
        &text,
        &page,
    ];
    expected.sort_unstable();
    assert_eq!(names, [["manifest.json", "SHA256SUMS"].as_slice(), &expected].concat());
    let get = |name: &str| files.iter().find(|(path, _)| path == name).unwrap().1.as_slice();
    assert_eq!((get(&pdf), get(&text), get("message.md")), (PDF, TEXT.as_bytes(), ANSWER.as_bytes()));
    let sums = std::str::from_utf8(get(SUMS)).unwrap();
    assert_eq!(sums.lines().count(), 11);
    for (line, (name, _)) in sums.lines().zip(files.iter().filter(|(name, _)| name != SUMS)) {
        assert_eq!(line, format!("{}  {name}", hash(get(name))));
    }
}

#[test]
fn the_digest_is_the_hash_of_the_manifest() {
    let mut bytes = Vec::new();
    let done = crate::write_bundle(&sample_bundle(), &mut bytes).unwrap();
    assert_eq!(done.digest, Sha256::of_bytes(&unzip_files(&bytes)[0].1));
    assert_eq!((done.files, done.bytes), (12, bytes.len() as u64));
}

/// The JSON of a file in the bundle.
fn bundle_json(name: &str) -> Value {
    let files = unzip_files(&bundle_bytes(&sample_bundle()));
    serde_json::from_slice(&files.iter().find(|(path, _)| path == name).unwrap().1).unwrap()
}

#[test]
fn citations_keep_their_anchor() {
    let first = &bundle_json("citations.json")["citations"][0];
    assert_eq!(first["quote"], "数据 in the cafe\u{301}");
    assert_eq!((&first["span"]["start_char"], &first["span"]["end_char"]), (&17.into(), &32.into()));
    assert_eq!(first["text_sha256"], Sha256::of_bytes(TEXT.as_bytes()).to_string());
    // Six decimals.
    assert_eq!((&first["relevance"], &first["score"]), (&0.3.into(), &0.987_654.into()));
    assert_eq!(first["file_name"], "../Field Report.PDF", "a name is kept, and never a path");
}

#[test]
fn annotations_are_those_of_the_w3c() {
    let found = bundle_json("annotations.jsonld");
    assert_eq!((&found["type"], &found["total"]), (&"AnnotationCollection".into(), &4.into()));
    let items = found["first"]["items"].as_array().unwrap();
    let body = &items[0]["body"];
    assert_eq!(body["source"]["id"], format!("texts/{}.txt", Sha256::of_bytes(TEXT.as_bytes())));
    let selectors: Vec<_> =
        body["selector"].as_array().unwrap().iter().map(|one| one["type"].as_str().unwrap()).collect();
    assert_eq!(selectors, ["TextQuoteSelector", "TextPositionSelector"]);
    assert_eq!(items[0]["target"]["source"], "message.md");
    assert_eq!(items[1]["body"]["source"]["via"], "https://example.org/");
    assert_eq!(items[2]["body"]["source"]["id"], format!("urn:sha256:{}", Sha256::of_bytes(b"It was here.")));
    assert_eq!(items[3]["body"]["source"]["id"], format!("artifacts/{}", Sha256::of_bytes(b"\x89PNG")));
    assert_eq!(items[3]["body"].get("selector"), None);
}

#[test]
fn provenance_leads_from_the_message_to_the_files() {
    let found = bundle_json("provenance.jsonld");
    let graph = found["@graph"].as_array().unwrap();
    let node = |id: &str| graph.iter().find(|node| node["@id"] == id).unwrap_or_else(|| panic!("{id}"));
    let ids = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|one| one["@id"].as_str().unwrap().to_owned()).collect()
    };
    let message = node("message.md");
    assert_eq!(ids(&message["prov:wasGeneratedBy"]), ["urn:ibid:run:run%201"]);
    assert_eq!(ids(&message["prov:wasAttributedTo"]), ["urn:ibid:model:a%20model%3A7b", "urn:ibid:agent:researcher"]);
    let text = format!("texts/{}.txt", Sha256::of_bytes(TEXT.as_bytes()));
    let pdf = format!("artifacts/{}.pdf", Sha256::of_bytes(PDF));
    assert!(ids(&message["prov:wasQuotedFrom"]).contains(&text));
    assert!(ids(&message["prov:wasDerivedFrom"]).contains(&pdf));
    assert_eq!(ids(&node(&text)["prov:wasDerivedFrom"]), [pdf.as_str()]);
    assert_eq!(node(&pdf)["schema:sha256"], Sha256::of_bytes(PDF).to_string());
    assert_eq!(node(&format!("urn:sha256:{}", Sha256::of_bytes(b"gone")))["schema:name"], "Source 3");
    let run = node("urn:ibid:run:run%201");
    assert_eq!(ids(&run["prov:used"]).len(), 6);
    // Every node that is named is there, once.
    let mut known: Vec<_> = graph.iter().map(|node| node["@id"].as_str().unwrap()).collect();
    known.sort_unstable();
    assert!(known.windows(2).all(|pair| pair[0] != pair[1]));
    for list in graph.iter().flat_map(|node| node.as_object().unwrap().values()).filter(|value| value.is_array()) {
        for id in ids(list) {
            assert!(known.contains(&id.as_str()), "{id}");
        }
    }
}

#[test]
fn the_page_for_people_fits_a_terminal() {
    let files = unzip_files(&bundle_bytes(&sample_bundle()));
    let page = String::from_utf8(files.iter().find(|(path, _)| path == README).unwrap().1.clone()).unwrap();
    assert!(page.contains("EVIDENCE OF MESSAGE msg_01/é\n") && page.contains("sha256sum -c SHA256SUMS\n"));
    assert!(page.contains("[3] Source 3\n    not in this archive\n"), "{page}");
    assert!(page.lines().all(|line| line.chars().count() <= 90), "{page}");
}

#[test]
fn a_document_has_files_of_its_own() {
    let mut document = sample_bundle();
    document.kind = BundleKind::Document;
    document.message.format = TextFormat::Typst;
    document.message.run = None;
    document.message.model = None;
    document.message.title = Some("On 数据".into());
    let bytes = bundle_bytes(&document);
    let names: Vec<_> = unzip_files(&bytes).into_iter().map(|(name, _)| name).collect();
    assert!(names.contains(&"document.json".to_owned()) && names.contains(&"document.typ".to_owned()));
    let report = verify_bytes(&bytes);
    assert_eq!((report.faults.as_slice(), report.kind), ([].as_slice(), Some(BundleKind::Document)));
}

#[test]
fn a_file_may_be_its_own_text() {
    let mut plain = sample_bundle();
    plain.files.push(file_record(TEXT.as_bytes(), FileRole::Artifact, "text/plain", Some("notes.txt")));
    plain.citations[0].content_sha256 = plain.citations[0].text_sha256;
    let report = verify_bytes(&bundle_bytes(&plain));
    assert_eq!((report.faults.as_slice(), report.files), ([].as_slice(), 13));
}

#[test]
fn an_answer_without_citations_is_a_bundle_too() {
    let mut plain = sample_bundle();
    plain.citations.clear();
    plain.files.clear();
    plain.message.content.clear();
    let report = verify_bytes(&bundle_bytes(&plain));
    assert_eq!((report.faults.as_slice(), report.citations, report.files), ([].as_slice(), 0, 8));
}

#[test]
fn what_cannot_be_bundled_is_said() {
    let invalid = |change: fn(&mut Bundle)| match write_error_after(change) {
        BundleError::Invalid(what) => what,
        other => panic!("{other}"),
    };
    assert!(invalid(|one| one.citations[1].marker = Span::new(0, 500)).contains("[2] has its marker at 0..500"));
    assert!(invalid(|one| one.citations[0].score = Some(f64::NAN)).contains("score"));
    assert!(invalid(|one| one.citations[0].relevance = Some(f64::INFINITY)).contains("relevance"));
    assert!(invalid(|one| one.citations[0].span = None).contains("without the place"));
    assert!(invalid(|one| one.citations[3].prefix = "x".into()).contains("no quote"));
    assert!(invalid(|one| one.message.id.clear()).contains("id that is empty"));
    assert!(invalid(|one| one.files[0].media_type = "text".into()).contains("media type"));
    assert!(invalid(|one| one.files[0].role = FileRole::Record).contains("record"));
    assert!(invalid(|one| one.files[0].size_bytes = MAX_TEXT + 1).contains("larger than 268435456 bytes"));
    let twice =
        |one: &mut Bundle| one.files.push(file_record(PDF, FileRole::Artifact, "application/pdf", Some("other.pdf")));
    assert!(invalid(twice).contains("given twice"));
    let renamed =
        |one: &mut Bundle| one.files.push(file_record(PDF, FileRole::Artifact, "application/pdf", Some("other.doc")));
    assert!(invalid(renamed).contains("twice"));
    let cited = |one: &mut Bundle| one.citations = vec![one.citations[3].clone(); crate::MAX_CITATIONS + 1];
    assert!(invalid(cited).contains("at most 100000"));
    let many = |one: &mut Bundle| {
        one.files = (0..crate::MAX_FILES as u32)
            .map(|number| file_record(Box::leak(Box::new(number.to_be_bytes())), FileRole::Text, "text/plain", None))
            .collect();
    };
    assert!(invalid(many).contains("at most 65534"));
}

#[test]
fn a_record_that_is_too_large_is_refused() {
    let error = write_error_after(|one| one.message.content = "x".repeat(MAX_RECORD as usize + 1));
    assert!(matches!(&error, BundleError::TooLarge { file, .. } if file == "message.md"), "{error}");
}

#[test]
fn a_file_that_is_not_what_it_is_said_to_be_is_refused() {
    let changed = |change: fn(&mut FileRecord)| match write_error_after(|one| change(&mut one.files[1])) {
        BundleError::Changed { file } => assert_eq!(file, format!("artifacts/{}.pdf", Sha256::of_bytes(PDF))),
        other => panic!("{other}"),
    };
    changed(|file| file.size_bytes += 1);
    changed(|file| file.size_bytes -= 1);
    changed(|file| file.open = Box::new(|| Ok(Box::new(&PDF[1..]))));
    changed(|file| {
        // As long as the right one.
        file.open = Box::new(|| Ok(Box::new(io::repeat(7).take(PDF.len() as u64))));
    });
    changed(|file| {
        // The right one, but not the first time.
        let asked = std::sync::atomic::AtomicBool::new(false);
        file.open = Box::new(move || match asked.swap(true, std::sync::atomic::Ordering::Relaxed) {
            true => Ok(Box::new(PDF)),
            false => Ok(Box::new(io::repeat(7).take(PDF.len() as u64))),
        });
    });
    let error = write_error_after(|one| one.files[1].open = Box::new(|| Err(io::Error::other("gone"))));
    assert!(matches!(error, BundleError::Read { .. }), "{error}");
}

#[test]
fn a_place_that_takes_no_more_is_told() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| io::Error::from(io::ErrorKind::StorageFull))?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let length = bundle_bytes(&sample_bundle()).len();
    for room in (0..length).step_by(97) {
        assert!(matches!(crate::write_bundle(&sample_bundle(), Full(room)), Err(BundleError::Write(_))));
    }
    crate::write_bundle(&sample_bundle(), Full(length)).unwrap();
}

/// A large file is never held: nothing more than a piece is read or written at once.
#[test]
fn large_files_stream() {
    const SIZE: u64 = 64 << 20;

    struct Pieces<T>(T);
    impl<T: Write> Write for Pieces<T> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            assert!(bytes.len() <= PIECE);
            self.0.write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }
    impl<T: Read> Read for Pieces<T> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            assert!(buffer.len() <= PIECE);
            self.0.read(buffer)
        }
    }
    impl<T: io::Seek> io::Seek for Pieces<T> {
        fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    let mut hasher = ibid_domain::hash::Hasher::default();
    (0..SIZE >> 16).for_each(|_| hasher.update(&[7; 1 << 16]));
    let mut bundle = sample_bundle();
    bundle.files.push(FileRecord {
        sha256: hasher.finish(),
        size_bytes: SIZE,
        media_type: "video/mp4".into(),
        name: Some("talk.mp4".into()),
        role: FileRole::Artifact,
        open: Box::new(|| Ok(Box::new(io::repeat(7).take(SIZE)))),
    });
    let mut archive = tempfile::tempfile().unwrap();
    let done = crate::write_bundle(&bundle, Pieces(&mut archive)).unwrap();
    let report = verify_bundle(Pieces(&mut archive), Some(done.digest)).unwrap();
    assert_eq!(report.faults, []);
    assert!(report.bytes > SIZE);
}
