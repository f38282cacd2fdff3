//! Files that are broken, locked or made to do harm: each ends as a source that says why, and the server lives.

use std::io::Write;

use ibid_testkit::TestEngine;
use serde_json::json;

use crate::{
    Running,
    sources::{id, is_read},
};

/// What each file must end as: the code of `extraction_error`.
fn files() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    vec![
        ("empty.pdf", Vec::new(), "empty"),
        ("blank.txt", b"  \n\t\n ".to_vec(), "empty"),
        ("locked.pdf", include_bytes!("../../../ingest/tests/files/encrypted.pdf").to_vec(), "encrypted"),
        ("scan.pdf", include_bytes!("../../../ingest/tests/files/scan.pdf").to_vec(), "no_text"),
        ("cut.docx", cut(include_bytes!("../../../ingest/tests/files/writer.docx")), "damaged"),
        ("bomb.docx", bomb(), "too_large"),
        ("laughs.xml", laughs(), "damaged"),
        (
            "program.exe",
            b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00\xb8\x00\x00\x00\x01\x02\x03".to_vec(),
            "unsupported",
        ),
    ]
}

fn cut(bytes: &[u8]) -> Vec<u8> {
    bytes[..bytes.len() / 2].to_vec()
}

/// A document that unpacks to more than a gigabyte of blanks.
fn bomb() -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("[Content_Types].xml", options).unwrap();
    zip.write_all(
        br#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#,
    )
    .unwrap();
    zip.start_file("word/document.xml", options).unwrap();
    let blank = vec![b' '; 1 << 20];
    for _ in 0..1100 {
        zip.write_all(&blank).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Entities that would unfold to billions.
fn laughs() -> Vec<u8> {
    let mut xml = String::from("<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n<!ENTITY lol \"lol\">\n");
    for level in 1..10 {
        let before = if level == 1 { "lol".to_owned() } else { format!("lol{}", level - 1) };
        xml += &format!("<!ENTITY lol{level} \"{}\">\n", format!("&{before};").repeat(10));
    }
    xml += "]>\n<lolz>&lol9;</lolz>";
    xml.into_bytes()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_ends_with_a_reason_and_the_server_lives() {
    let server = Running::start(TestEngine::Sqlite).await.unwrap();
    let files = files();
    let named: Vec<_> = files.iter().map(|(name, bytes, _)| (*name, bytes.clone())).collect();
    let (status, brought) = server.upload_sources(&named).await;
    assert_eq!(status, 201, "{brought}");
    for ((name, _, code), item) in files.iter().zip(brought["items"].as_array().unwrap()) {
        let source = server.source(id(item), is_read).await;
        // Entities that are never unfolded leave nothing, or little, to read: that is as good an end.
        let harmless = *name == "laughs.xml"
            && (source["status"] != "failed"
                || source["extraction_error"]["code"] == "empty"
                || source["extraction_error"]["code"] == "no_text");
        assert!(harmless || source["extraction_error"]["code"] == *code, "{name}: {source}");
        assert_eq!(source["filename"], *name, "its bytes and its name are kept");
    }
    let jobs = server.json("/api/v1/jobs?state=dead").await;
    assert_eq!(jobs["items"], json!([]), "a file that cannot be read is no failure of a job");
    let (_, brought) = server.upload_sources(&[("fine.txt", b"A sample that can be read.".to_vec())]).await;
    let fine = server.source(id(&brought["items"][0]), is_read).await;
    assert_eq!(fine["extraction_error"], json!(null));
}
