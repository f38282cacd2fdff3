//! Files that want to do harm, and files that nobody meant to write.

use std::io::{Cursor, Write};

use ibid_domain::{Span, text::locate_span};
use ibid_ingest::{ExtractionError, ExtractionInput, ExtractionLimits, extract, thumbnail};
use proptest::prelude::*;
use zip::{ZipWriter, write::SimpleFileOptions};

fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn docx(body: &str) -> Vec<u8> {
    let document = format!("<w:document xmlns:w=\"w\"><w:body>{body}</w:body></w:document>");
    zipped(&[("word/document.xml", document.as_bytes())])
}

fn read(bytes: &[u8], limits: &ExtractionLimits) -> Result<String, ExtractionError> {
    extract(&ExtractionInput { bytes, ..ExtractionInput::default() }, limits).map(|found| found.text)
}

fn is_too_large(read: Result<String, ExtractionError>) -> bool {
    matches!(read, Err(ExtractionError::TooLarge(_)))
}

#[test]
fn a_container_that_unpacks_to_too_much_is_refused() {
    let limits = ExtractionLimits { unpacked_bytes: 4 << 20, ..ExtractionLimits::default() };
    let bomb = docx(&"<w:p><w:r><w:t>boom </w:t></w:r></w:p>".repeat(200_000));
    assert!(bomb.len() < 100_000);
    assert!(is_too_large(read(&bomb, &limits)));
    // The default limit is not the only one: nothing real is a thousandth of its size.
    let zeros = zipped(&[("word/document.xml", &vec![b' '; 64 << 20])]);
    assert!(is_too_large(read(&zeros, &ExtractionLimits::default())));
}

#[test]
fn a_bomb_within_a_file_is_refused_too() {
    let limits = ExtractionLimits { unpacked_bytes: 4 << 20, ..ExtractionLimits::default() };
    let bomb = docx(&"<w:p><w:r><w:t>boom </w:t></w:r></w:p>".repeat(200_000));
    let document = b"<w:document xmlns:w=\"w\"><w:body><w:p><w:r><w:t>outer</w:t></w:r></w:p></w:body></w:document>";
    let outer = zipped(&[("word/document.xml", document), ("word/embeddings/inner.docx", &bomb)]);
    assert!(is_too_large(read(&outer, &limits)));
}

#[test]
fn files_within_files_end_somewhere() {
    let mut inner = docx("<w:p><w:r><w:t>innermost</w:t></w:r></w:p>");
    let document = b"<w:document xmlns:w=\"w\"><w:body><w:p><w:r><w:t>level</w:t></w:r></w:p></w:body></w:document>";
    for _ in 0..20 {
        inner = zipped(&[("word/document.xml", document), ("word/embeddings/inner.docx", &inner)]);
    }
    let text = read(&inner, &ExtractionLimits::default()).unwrap();
    assert!(text.matches("level").count() > 5 && !text.contains("innermost"));
}

#[test]
fn too_many_entries_too_deep_and_too_long_are_refused() {
    let names: Vec<String> = (0..50).map(|index| format!("word/{index}.xml")).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"<a/>"[..])).collect();
    assert!(is_too_large(read(&zipped(&entries), &ExtractionLimits { entries: 10, ..ExtractionLimits::default() })));
    let deep = docx(&("<w:sdt>".repeat(5000) + &"</w:sdt>".repeat(5000)));
    assert!(is_too_large(read(&deep, &ExtractionLimits::default())));
    let long = docx(&"<w:p><w:r><w:t>words and words</w:t></w:r></w:p>".repeat(100));
    assert!(is_too_large(read(&long, &ExtractionLimits { text_chars: 100, ..ExtractionLimits::default() })));
    assert!(is_too_large(read(
        &b"words and more words".repeat(100),
        &ExtractionLimits { text_chars: 100, ..ExtractionLimits::default() }
    )));
}

#[test]
fn entities_are_not_expanded_and_nothing_outside_is_read() {
    let mut laughs = String::from("<?xml version=\"1.0\"?><!DOCTYPE l [<!ENTITY a0 \"ha\">");
    for level in 1..30 {
        laughs += &format!("<!ENTITY a{level} \"&a{0};&a{0};&a{0};&a{0};\">", level - 1);
    }
    laughs += "<!ENTITY out SYSTEM \"file:///etc/hostname\">]><l>kept &a29; &out; words</l>";
    let text = read(laughs.as_bytes(), &ExtractionLimits::default()).unwrap();
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["kept", "words"]);
}

#[test]
fn a_container_behind_a_password_is_encrypted() {
    // The flag in the entry's own head and in the directory says that its bytes are locked.
    let mut bytes = docx("<w:p><w:r><w:t>locked</w:t></w:r></w:p>");
    for (mark, offset) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        let at = bytes.windows(4).position(|window| window == mark).unwrap();
        bytes[at + offset] |= 1;
    }
    assert_eq!(read(&bytes, &ExtractionLimits::default()), Err(ExtractionError::Encrypted));
}

#[test]
fn a_picture_that_claims_to_be_huge_is_refused_before_it_is_unpacked() {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    bytes.extend(60_000u32.to_be_bytes());
    bytes.extend(60_000u32.to_be_bytes());
    bytes.extend([8, 6, 0, 0, 0]);
    let sum = crc(&bytes[12..]);
    bytes.extend(sum.to_be_bytes());
    bytes.extend(b"\0\0\0\0IDAT\x35\xaf\x06\x1e\0\0\0\0IEND\xae\x42\x60\x82");
    assert!(matches!(thumbnail(&bytes, 64), Err(ExtractionError::TooLarge(_))));
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
    })
}

/// An Outlook message as Outlook lays it out, with a file and a message within it.
fn outlook_message() -> Vec<u8> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    let mut put = |path: String, bytes: &[u8]| file.create_stream(path).unwrap().write_all(bytes).unwrap();
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    // The time it was sent: 2024-05-01 in tenths of microseconds since 1601.
    let mut table = vec![0; 32];
    table.extend([0x40, 0x00, 0x39, 0x00, 6, 0, 0, 0]);
    table.extend(133_590_384_000_000_000u64.to_le_bytes());
    put("/__properties_version1.0".to_owned(), &table);
    for (id, text) in [
        ("0037001F", "Sample subject – März"),
        ("0C1A001F", "Sample Sender"),
        ("0C1F001F", "sender@example.org"),
        ("0E04001F", "Sample Reader"),
        ("1000001F", "The body of the sample message.\r\n\r\nIts second paragraph."),
    ] {
        put(format!("/__substg1.0_{id}"), &wide(text));
    }
    let attachment = "/__attach_version1.0_#00000000";
    file.create_storage(attachment).unwrap();
    let mut put = |path: String, bytes: &[u8]| file.create_stream(path).unwrap().write_all(bytes).unwrap();
    put(format!("{attachment}/__properties_version1.0"), &[0; 8]);
    put(format!("{attachment}/__substg1.0_3707001F"), &wide("tides.csv"));
    put(format!("{attachment}/__substg1.0_37010102"), b"Station;High\nNorth pier;4.2\nSouth pier;3.9\n");
    let attachment = "/__attach_version1.0_#00000001";
    file.create_storage(attachment).unwrap();
    let inner = format!("{attachment}/__substg1.0_3701000D");
    file.create_storage(&inner).unwrap();
    let mut put = |path: String, bytes: &[u8]| file.create_stream(path).unwrap().write_all(bytes).unwrap();
    put(format!("{attachment}/__properties_version1.0"), &[0; 8]);
    put(format!("{inner}/__properties_version1.0"), &[0; 24]);
    put(format!("{inner}/__substg1.0_0037001F"), &wide("Forwarded sample"));
    put(format!("{inner}/__substg1.0_10130102"), b"<html><body><p>The forwarded <b>body</b>.</p></body></html>");
    file.into_inner().into_inner()
}

#[test]
fn outlook_messages_are_read_with_what_came_with_them() {
    let bytes = outlook_message();
    let found = extract(&ExtractionInput { bytes: &bytes, ..ExtractionInput::default() }, &ExtractionLimits::default())
        .unwrap();
    assert_eq!(found.media_type, "application/vnd.ms-outlook");
    assert_eq!(found.reference.title.as_deref(), Some("Sample subject – März"));
    assert_eq!(found.reference.publication_date.unwrap().to_string(), "2024-05-01");
    for (sentence, part) in [
        ("From: Sample Sender <sender@example.org>", "Sample subject – März"),
        ("Its second paragraph.", "Sample subject – März"),
        ("South pier\t3.9", "tides.csv"),
        ("The forwarded body.", "Forwarded sample"),
    ] {
        let at = found.text.find(sentence).unwrap_or_else(|| panic!("{sentence:?} in\n{}", found.text));
        let start = found.text[..at].chars().count();
        assert_eq!(locate_span(&found.marks, Span::new(start, start + 1)).part.as_deref(), Some(part), "{sentence}");
    }
}

/// What each kind of file begins with, so that damage is met by its reader and not turned away at the door.
fn seeds() -> Vec<Vec<u8>> {
    let folder = format!("{}/tests/files", env!("CARGO_MANIFEST_DIR"));
    let names =
        ["calc.xls", "writer.doc", "writer.rtf", "writer.docx", "calc.xlsx", "message.eml", "pandoc.epub", "scan.pdf"];
    let mut seeds: Vec<_> = names.iter().map(|name| std::fs::read(format!("{folder}/{name}")).unwrap()).collect();
    seeds.push(outlook_message());
    seeds
}

fn check(bytes: &[u8]) {
    let limits = ExtractionLimits { text_chars: 1 << 20, unpacked_bytes: 16 << 20, ..ExtractionLimits::default() };
    let found = extract(&ExtractionInput { bytes, ..ExtractionInput::default() }, &limits);
    // A panic that was caught is one that should not have been.
    assert!(!matches!(&found, Err(ExtractionError::Damaged(why)) if why.contains("gave up")));
    if let Ok(found) = found {
        let end = found.text.chars().count();
        assert!(found.marks.iter().all(|mark| mark.span.start < mark.span.end && mark.span.end <= end));
        assert!(!found.text.contains('\0'));
    }
}

proptest! {
    #[test]
    fn damaged_files_are_errors_or_less_text_but_never_a_crash(
        which in 0usize..9,
        cut in 0.0f64..1.0,
        changes in prop::collection::vec((0.0f64..1.0, any::<u8>()), 0..20),
    ) {
        let mut bytes = seeds()[which].clone();
        for (at, byte) in changes {
            let at = (at * bytes.len() as f64) as usize;
            bytes[at] = byte;
        }
        check(&bytes);
        bytes.truncate((cut * bytes.len() as f64) as usize);
        check(&bytes);
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,200}", start in prop::sample::select(vec![
        "", "{\\rtf1 ", "<?xml version='1.0'?><a>", "<svg>", "From a@b Mon Jan 1 00:00:00 2024\nSubject: x\n\n", "{\"a\":", "sep=;\n",
        "MIME-Version: 1.0\nFrom: a\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\n", "---\ntitle: x\n---\n# ",
    ])) {
        check(format!("{start}{text}").as_bytes());
    }
}
