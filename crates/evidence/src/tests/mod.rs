//! Bundles, sound and not.

mod changes;
mod forgeries;
mod hostile;
mod wide;
mod writing;

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use ibid_domain::{Sha256, Span, Timestamp};

use crate::{
    Bundle, CitationRecord, FileRecord, Kind, Manifest, MessageRecord, Report, Role, RunRecord, TextFormat,
    container::{Layout, Planned, header_len, local_header, record, record_len},
    manifest::{MANIFEST, SUMS, canonical},
    verify,
    write::{Content, pack},
};

/// An emoji of several scalar values, ideographs, and a letter with a combining mark.
const TEXT: &str = "Intro. 👩‍🔬 found 数据 in the cafe\u{301} by night. More 数据 later.";
const PAGE: &str = "The end of it. Really.";
const ANSWER: &str = "👩‍🔬 worked at night [1]. It ended 完 [2]. A lost one [3], a picture [4].";

/// Bytes that look like an archive themselves.
const PDF: &[u8] = b"%PDF-1.7 \x00\xff PK\x03\x04\x14\x00 PK\x01\x02 PK\x05\x06";

/// Where some words stand in a text, for the nth time.
fn place(text: &str, words: &str, nth: usize) -> Span {
    let (byte, _) = text.match_indices(words).nth(nth).unwrap();
    let start = text[..byte].chars().count();
    Span::new(start, start + words.chars().count())
}

fn time(seconds: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000_000_000 + seconds * 1_000_000)
}

fn file(bytes: &'static [u8], role: Role, media_type: &str, name: Option<&str>) -> FileRecord {
    FileRecord {
        sha256: Sha256::of(bytes),
        size_bytes: bytes.len() as u64,
        media_type: media_type.to_owned(),
        name: name.map(str::to_owned),
        role,
        open: Box::new(move || Ok(Box::new(bytes))),
    }
}

fn citation(number: u32, claim: &str) -> CitationRecord {
    CitationRecord {
        number,
        marker: place(ANSWER, &format!("[{number}]"), 0),
        claim: Some(place(ANSWER, claim, 0)),
        source_id: Some(format!("s-{number}")),
        title: format!("Source {number}"),
        media_type: "application/pdf".into(),
        origin: "upload".into(),
        state: "current".into(),
        ..CitationRecord::default()
    }
}

/// A quote of a text, with all that stands before and after it.
fn quoting(citation: CitationRecord, text: &str, words: &str, nth: usize) -> CitationRecord {
    let span = place(text, words, nth);
    CitationRecord {
        revision_id: Some("r-1".into()),
        text_sha256: Some(Sha256::of(text.as_bytes())),
        span: Some(span),
        quote: Some(words.into()),
        prefix: text.chars().take(span.start).collect(),
        suffix: text.chars().skip(span.end).collect(),
        ..citation
    }
}

/// An answer with a quote of a file, one of a page, one of a source that is gone, and a picture.
fn bundle() -> Bundle {
    let first = CitationRecord {
        content_sha256: Some(Sha256::of(PDF)),
        file_name: Some("../Field Report.PDF".into()),
        relevance: Some(0.1 + 0.2),
        verdict: Some("supported".into()),
        score: Some(0.987_654_321),
        page: Some(3),
        ..quoting(citation(1, "👩‍🔬 worked at night [1]."), TEXT, "数据 in the cafe\u{301}", 0)
    };
    let second = CitationRecord {
        url: Some("https://example.org/".into()),
        origin: "web".into(),
        ..quoting(citation(2, "It ended 完 [2]."), PAGE, "The end of it.", 0)
    };
    let gone = CitationRecord {
        source_id: None,
        state: "deleted".into(),
        content_sha256: Some(Sha256::of(b"gone")),
        ..quoting(citation(3, "A lost one [3]"), "It was here.", "was here", 0)
    };
    let picture = CitationRecord {
        is_image: true,
        media_type: "image/png".into(),
        content_sha256: Some(Sha256::of(b"\x89PNG")),
        ..citation(4, "a picture [4].")
    };
    Bundle {
        kind: Kind::Message,
        created_at: time(100),
        tool: "ibid 0.1.0".into(),
        message: MessageRecord {
            id: "msg_01/é".into(),
            role: Some("assistant".into()),
            title: None,
            content: ANSWER.into(),
            format: TextFormat::Markdown,
            conversation_id: Some("c-1".into()),
            created_at: time(50),
            model: Some("a model:7b".into()),
            run: Some(RunRecord {
                id: "run 1".into(),
                agent: Some("researcher".into()),
                started_at: time(0),
                ended_at: Some(time(50)),
            }),
        },
        citations: vec![first, second, gone, picture],
        files: vec![
            file(PAGE.as_bytes(), Role::Text, "text/plain", None),
            file(PDF, Role::Artifact, "application/pdf", Some("../Field Report.PDF")),
            file(TEXT.as_bytes(), Role::Text, "text/plain", None),
            file(b"\x89PNG", Role::Artifact, "image/png", None),
        ],
    }
}

/// One with everything once, for what is done to every byte.
fn small() -> Bundle {
    let mut small = bundle();
    small.citations.truncate(1);
    small.files.retain(|file| file.sha256 == Sha256::of(PDF) || file.sha256 == Sha256::of(TEXT.as_bytes()));
    small
}

fn written(bundle: &Bundle) -> Vec<u8> {
    let mut bytes = Vec::new();
    crate::write(bundle, &mut bytes).unwrap();
    bytes
}

fn checked(bytes: &[u8]) -> Report {
    verify(Cursor::new(bytes), None).unwrap()
}

/// The files that are named, in order.
fn named(report: &Report) -> Vec<&str> {
    report.faults.iter().map(|fault| fault.file.as_str()).collect()
}

/// The files of an archive, as another program reads them.
fn unpacked(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
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
fn packed(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let contents: Vec<_> = files.iter().map(|(name, bytes)| (name.clone(), Content::Bytes(bytes.clone()))).collect();
    let mut out = Vec::new();
    pack(&contents, &mut out).unwrap();
    out
}

/// A bundle after a change of its files, with all hashes made anew, as one who wants to deceive would do it.
fn forged(change: impl FnOnce(&mut Vec<(String, Vec<u8>)>)) -> Vec<u8> {
    let mut files = unpacked(&written(&bundle()));
    change(&mut files);
    let at = |name: &str, files: &[(String, Vec<u8>)]| files.iter().position(|(path, _)| path == name).unwrap();
    let mut manifest: Manifest = serde_json::from_slice(&files[at(MANIFEST, &files)].1).unwrap();
    for (path, file) in &mut manifest.files {
        let bytes = &files[at(path, &files)].1;
        (file.sha256, file.size_bytes) = (Sha256::of(bytes), bytes.len() as u64);
    }
    let bytes = canonical(&manifest).unwrap();
    let (first, sums) = (at(MANIFEST, &files), at(SUMS, &files));
    files[sums].1 = manifest.sums(Sha256::of(&bytes)).into_bytes();
    files[first].1 = bytes;
    packed(&files)
}

/// Files of these sizes.
pub(crate) fn sized(sizes: &[u64]) -> Vec<Planned> {
    let name = |number: usize| format!("artifacts/{number}.bin");
    sizes.iter().enumerate().map(|(at, &size)| Planned { name: name(at), size, sha256: None }).collect()
}

/// An archive with the headers of a plan, and holes for the contents.
pub(crate) fn holes(plan: &[Planned]) -> std::fs::File {
    let mut file = tempfile::tempfile().unwrap();
    let layout = Layout::of(plan);
    let mut put = |place: u64, length: usize, bytes: Vec<u8>| {
        assert_eq!(bytes.len(), length);
        file.seek(SeekFrom::Start(place)).unwrap();
        file.write_all(&bytes).unwrap();
    };
    for (at, one) in plan.iter().enumerate() {
        let offset = layout.files[at];
        put(offset, header_len(one), local_header(&one.name, one.size, 0));
        put(layout.records[at], record_len(one, offset), record(&one.name, one.size, 0, offset));
    }
    put(layout.end, layout.closing_len(), layout.closing());
    assert_eq!(file.stream_position().unwrap(), layout.len);
    file
}
