//! Bundles, sound and not.

mod forgeries;
mod hostile;
mod tampering;
mod writing;
mod zip64;

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use ibid_domain::{Sha256, Span, Timestamp};

use crate::{
    Bundle, BundleKind, BundleManifest, CitationRecord, FileRecord, FileRole, MessageRecord, RunRecord, TextFormat,
    VerificationReport,
    manifest::{MANIFEST, SUMS, to_canonical_json},
    verify_bundle,
    write::{FileContent, pack_files},
    zip_layout::{PlannedFile, ZipLayout, directory_record, header_len, local_header, record_len},
};

/// An emoji of several scalar values, ideographs, and a letter with a combining mark.
const TEXT: &str = "Intro. 👩‍🔬 found 数据 in the cafe\u{301} by night. More 数据 later.";
const PAGE: &str = "The end of it. Really.";
const ANSWER: &str = "👩‍🔬 worked at night [1]. It ended 完 [2]. A lost one [3], a picture [4].";

/// Bytes that look like an archive themselves.
const PDF: &[u8] = b"%PDF-1.7 \x00\xff PK\x03\x04\x14\x00 PK\x01\x02 PK\x05\x06";

/// Returns the span of the nth occurrence of some words in a text.
fn nth_span(text: &str, words: &str, nth: usize) -> Span {
    let (byte, _) = text.match_indices(words).nth(nth).unwrap();
    let start = text[..byte].chars().count();
    Span::new(start, start + words.chars().count())
}

fn timestamp_at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000 + seconds * 1_000_000)
}

fn file_record(bytes: &'static [u8], role: FileRole, media_type: &str, name: Option<&str>) -> FileRecord {
    FileRecord {
        sha256: Sha256::of_bytes(bytes),
        size_bytes: bytes.len() as u64,
        media_type: media_type.to_owned(),
        name: name.map(str::to_owned),
        role,
        open: Box::new(move || Ok(Box::new(bytes))),
    }
}

fn sample_citation(number: u32, claim: &str) -> CitationRecord {
    CitationRecord {
        number,
        marker: nth_span(ANSWER, &format!("[{number}]"), 0),
        claim: Some(nth_span(ANSWER, claim, 0)),
        source_id: Some(format!("s-{number}")),
        title: format!("Source {number}"),
        media_type: "application/pdf".into(),
        origin: "upload".into(),
        state: "current".into(),
        ..CitationRecord::default()
    }
}

/// A quote of a text, with all that stands before and after it.
fn with_quote(citation: CitationRecord, text: &str, words: &str, nth: usize) -> CitationRecord {
    let span = nth_span(text, words, nth);
    CitationRecord {
        revision_id: Some("r-1".into()),
        text_sha256: Some(Sha256::of_bytes(text.as_bytes())),
        span: Some(span),
        quote: Some(words.into()),
        prefix: text.chars().take(span.start).collect(),
        suffix: text.chars().skip(span.end).collect(),
        ..citation
    }
}

/// An answer with a quote of a file, one of a page, one of a source that is gone, and a picture.
fn sample_bundle() -> Bundle {
    let first = CitationRecord {
        content_sha256: Some(Sha256::of_bytes(PDF)),
        file_name: Some("../Field Report.PDF".into()),
        relevance: Some(0.1 + 0.2),
        verdict: Some("supported".into()),
        score: Some(0.987_654_321),
        page: Some(3),
        ..with_quote(sample_citation(1, "👩‍🔬 worked at night [1]."), TEXT, "数据 in the cafe\u{301}", 0)
    };
    let second = CitationRecord {
        url: Some("https://example.org/".into()),
        origin: "web".into(),
        ..with_quote(sample_citation(2, "It ended 完 [2]."), PAGE, "The end of it.", 0)
    };
    let gone = CitationRecord {
        source_id: None,
        state: "deleted".into(),
        content_sha256: Some(Sha256::of_bytes(b"gone")),
        ..with_quote(sample_citation(3, "A lost one [3]"), "It was here.", "was here", 0)
    };
    let picture = CitationRecord {
        is_image: true,
        media_type: "image/png".into(),
        content_sha256: Some(Sha256::of_bytes(b"\x89PNG")),
        ..sample_citation(4, "a picture [4].")
    };
    Bundle {
        kind: BundleKind::Message,
        created_at: timestamp_at(100),
        tool: "ibid 0.1.0".into(),
        message: MessageRecord {
            id: "msg_01/é".into(),
            role: Some("assistant".into()),
            title: None,
            content: ANSWER.into(),
            format: TextFormat::Markdown,
            conversation_id: Some("c-1".into()),
            created_at: timestamp_at(50),
            model: Some("a model:7b".into()),
            run: Some(RunRecord {
                id: "run 1".into(),
                agent: Some("researcher".into()),
                started_at: timestamp_at(0),
                ended_at: Some(timestamp_at(50)),
            }),
        },
        citations: vec![first, second, gone, picture],
        files: vec![
            file_record(PAGE.as_bytes(), FileRole::Text, "text/plain", None),
            file_record(PDF, FileRole::Artifact, "application/pdf", Some("../Field Report.PDF")),
            file_record(TEXT.as_bytes(), FileRole::Text, "text/plain", None),
            file_record(b"\x89PNG", FileRole::Artifact, "image/png", None),
        ],
    }
}

/// One with everything once, for what is done to every byte.
fn small_bundle() -> Bundle {
    let mut small = sample_bundle();
    small.citations.truncate(1);
    small.files.retain(|file| file.sha256 == Sha256::of_bytes(PDF) || file.sha256 == Sha256::of_bytes(TEXT.as_bytes()));
    small
}

fn bundle_bytes(bundle: &Bundle) -> Vec<u8> {
    let mut bytes = Vec::new();
    crate::write_bundle(bundle, &mut bytes).unwrap();
    bytes
}

fn verify_bytes(bytes: &[u8]) -> VerificationReport {
    verify_bundle(Cursor::new(bytes), None).unwrap()
}

/// The files that are named, in order.
fn faulty_files(report: &VerificationReport) -> Vec<&str> {
    report.faults.iter().map(|fault| fault.file.as_str()).collect()
}

/// The files of an archive, as another program reads them.
fn unzip_files(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut files = Vec::new();
    for at in 0..zip.len() {
        let mut file = zip.by_index(at).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        files.push((file.name().unwrap().into_owned(), bytes));
    }
    files
}

/// An archive of these files, in this order, each header as it must be.
fn zip_files(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let contents: Vec<_> =
        files.iter().map(|(name, bytes)| (name.clone(), FileContent::Bytes(bytes.clone()))).collect();
    let mut out = Vec::new();
    pack_files(&contents, &mut out).unwrap();
    out
}

/// A bundle after a change of its files, with all hashes made anew, as one who wants to deceive would do it.
fn forge_bundle(change: impl FnOnce(&mut Vec<(String, Vec<u8>)>)) -> Vec<u8> {
    let mut files = unzip_files(&bundle_bytes(&sample_bundle()));
    change(&mut files);
    let at = |name: &str, files: &[(String, Vec<u8>)]| files.iter().position(|(path, _)| path == name).unwrap();
    let mut manifest: BundleManifest = serde_json::from_slice(&files[at(MANIFEST, &files)].1).unwrap();
    for (path, file) in &mut manifest.files {
        let bytes = &files[at(path, &files)].1;
        (file.sha256, file.size_bytes) = (Sha256::of_bytes(bytes), bytes.len() as u64);
    }
    let bytes = to_canonical_json(&manifest).unwrap();
    let (first, sums) = (at(MANIFEST, &files), at(SUMS, &files));
    files[sums].1 = manifest.checksum_lines(Sha256::of_bytes(&bytes)).into_bytes();
    files[first].1 = bytes;
    zip_files(&files)
}

/// Returns planned files with the given sizes.
pub(crate) fn planned_sizes(sizes: &[u64]) -> Vec<PlannedFile> {
    let name = |number: usize| format!("artifacts/{number}.bin");
    sizes.iter().enumerate().map(|(at, &size)| PlannedFile { name: name(at), size, sha256: None }).collect()
}

/// An archive with the headers of a plan, and holes for the contents.
pub(crate) fn sparse_archive(plan: &[PlannedFile]) -> std::fs::File {
    let mut file = tempfile::tempfile().unwrap();
    let layout = ZipLayout::for_files(plan);
    let mut put = |place: u64, length: usize, bytes: Vec<u8>| {
        assert_eq!(bytes.len(), length);
        file.seek(SeekFrom::Start(place)).unwrap();
        file.write_all(&bytes).unwrap();
    };
    for (at, one) in plan.iter().enumerate() {
        let offset = layout.files[at];
        put(offset, header_len(one), local_header(&one.name, one.size, 0));
        put(layout.records[at], record_len(one, offset), directory_record(&one.name, one.size, 0, offset));
    }
    put(layout.end, layout.closing_len(), layout.end_bytes());
    assert_eq!(file.stream_position().unwrap(), layout.len);
    file
}
