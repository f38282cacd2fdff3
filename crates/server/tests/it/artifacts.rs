//! Uploading and downloading over HTTP.

use reqwest::{
    Body, Method,
    multipart::{Form, Part},
};
use serde_json::json;

use crate::{
    Running, on_both_servers,
    running::{answer, refused},
};

on_both_servers!(uploads, downloads, manifests);

const ARTIFACTS: &str = "/api/v1/artifacts";

async fn uploads(server: Running) {
    let form = || {
        let file = Part::bytes(b"the words".as_slice()).file_name("Über.md").mime_str("text/markdown").unwrap();
        Form::new()
            .text("entity_type", "WEB_SOURCE")
            .part("file", file)
            .text("entity_metadata", r#"{"provider": "brave"}"#)
    };
    let (status, first) = answer(server.request(Method::POST, ARTIFACTS).multipart(form())).await;
    assert_eq!(status, 201);
    assert_eq!(first["sha256"], ibid_domain::Sha256::of_bytes(b"the words").to_string());
    assert_eq!(first["filename"], "Über.md");
    assert_eq!(first["media_type"], "text/markdown");
    assert_eq!(first["size_bytes"], 9);
    assert_eq!(first["entity_type"], "WEB_PAGE", "the canonical spelling comes out");
    assert_eq!(first["entity_metadata"], json!({"provider": "brave"}));
    assert_eq!(first["reference_count"], 0);
    assert_eq!(first["storage_class"], "STANDARD");
    let (status, again) = answer(server.request(Method::POST, ARTIFACTS).multipart(form())).await;
    assert_eq!((status.as_u16(), &again["sha256"]), (200, &first["sha256"]));

    // Raw, with what is said in the query; and the same bytes are the same artifact.
    let raw = server.request(Method::POST, &format!("{ARTIFACTS}?filename=a.txt")).body("the words");
    assert_eq!(answer(raw).await.0, 200);
    let raw = server
        .request(Method::POST, &format!("{ARTIFACTS}?filename=data.csv&entity_type=KNOWLEDGE_BASE"))
        .body("a,b\n1,2\n");
    let (status, csv) = answer(raw).await;
    assert_eq!(
        (status.as_u16(), &csv["media_type"], &csv["entity_type"]),
        (201, &json!("text/csv"), &json!("KNOWLEDGE_BASE"))
    );
    let (status, empty) = answer(server.request(Method::POST, ARTIFACTS).body("")).await;
    assert_eq!((status.as_u16(), &empty["size_bytes"]), (201, &json!(0)));

    let list = server.json(&format!("{ARTIFACTS}?limit=2")).await;
    assert_eq!(list["items"].as_array().unwrap().len(), 2);
    let rest = server.json(&format!("{ARTIFACTS}?limit=2&cursor={}", list["next_cursor"].as_str().unwrap())).await;
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["next_cursor"]), (1, &json!(null)));
    let typed = server.json(&format!("{ARTIFACTS}?entity_type=WEB_SOURCE")).await;
    assert_eq!(typed["items"][0]["sha256"], first["sha256"]);
    let one = server.json(&format!("{ARTIFACTS}/{}", first["sha256"].as_str().unwrap())).await;
    assert_eq!(one["created_at"], first["created_at"]);
}

async fn downloads(server: Running) {
    let page = "<script>alert(1)</script>";
    let form =
        Form::new().part("file", Part::text(page).file_name("a \"b\"\u{e9};.html").mime_str("text/html").unwrap());
    let (_, artifact) = answer(server.request(Method::POST, ARTIFACTS).multipart(form)).await;
    let sha256 = artifact["sha256"].as_str().unwrap();
    let path = format!("{ARTIFACTS}/{sha256}/content");
    let etag = format!("\"{sha256}\"");

    for query in ["", "?disposition=inline"] {
        let whole = server.get(&format!("{path}{query}")).await;
        let header = |name: &str| whole.headers()[name].to_str().unwrap().to_owned();
        assert_eq!((whole.status().as_u16(), header("etag")), (200, etag.clone()));
        assert_eq!(header("content-length"), page.len().to_string());
        assert_eq!(header("accept-ranges"), "bytes");
        // Never rendered, never sniffed, never able to run.
        assert_eq!(
            header("content-disposition"),
            "attachment; filename=\"a _b__;.html\"; filename*=UTF-8''a%20%22b%22%C3%A9%3B.html"
        );
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert!(header("content-security-policy").starts_with("sandbox; default-src 'none'"));
        assert_eq!(whole.text().await.unwrap(), page);
    }
    let (_, text) = answer(server.request(Method::POST, &format!("{ARTIFACTS}?filename=a.md")).body("# words")).await;
    let shown =
        server.get(&format!("{ARTIFACTS}/{}/content?disposition=inline", text["sha256"].as_str().unwrap())).await;
    assert_eq!(shown.headers()["content-type"], "text/plain; charset=utf-8");
    assert!(shown.headers()["content-disposition"].to_str().unwrap().starts_with("inline"));

    let ask = |name: &'static str, value: String| server.request(Method::GET, &path).header(name, value).send();
    let range = ask("range", "bytes=1-6".to_owned()).await.unwrap();
    assert_eq!((range.status().as_u16(), range.headers()["content-range"].to_str().unwrap()), (206, "bytes 1-6/25"));
    assert_eq!(range.text().await.unwrap(), "script");
    let last = ask("range", "bytes=-9".to_owned()).await.unwrap();
    assert_eq!(last.text().await.unwrap(), "</script>");
    let outside = ask("range", "bytes=99-".to_owned()).await.unwrap();
    assert_eq!((outside.status().as_u16(), outside.headers()["content-range"].to_str().unwrap()), (416, "bytes */25"));
    refused(server.request(Method::GET, &path).header("range", "bytes=99-"), 416, "range_not_satisfiable").await;
    assert_eq!(ask("if-none-match", format!("\"x\", {etag}")).await.unwrap().status(), 304);
    assert_eq!(ask("if-match", etag.clone()).await.unwrap().status(), 200);
    refused(server.request(Method::GET, &path).header("if-match", "\"x\""), 412, "precondition_failed").await;
    let other = server
        .request(Method::GET, &path)
        .header("range", "bytes=0-1")
        .header("if-range", "\"x\"")
        .send()
        .await
        .unwrap();
    assert_eq!(other.status(), 200, "the range is of other bytes");
    let head = server.request(Method::HEAD, &path).send().await.unwrap();
    assert_eq!((head.status().as_u16(), head.headers()["content-length"].to_str().unwrap()), (200, "25"));
    assert_eq!(head.bytes().await.unwrap().len(), 0);
}

async fn manifests(server: Running) {
    let (a, b) = (server.upload(b"aaa").await, server.upload(b"bb").await);
    let body = json!({ "tree": { "docs/a.txt": { "sha256": a, "media_type": "text/plain" }, "b": { "sha256": b } }, "message": "first" });
    let (status, first) = server.send(Method::POST, "/api/v1/manifests", &body).await;
    assert_eq!((status.as_u16(), &first["entry_count"], &first["total_size_bytes"]), (201, &json!(2), &json!(5)));
    assert_eq!(first["tree"]["docs/a.txt"], json!({ "sha256": a, "media_type": "text/plain", "size_bytes": 3 }));
    let name = first["sha256"].as_str().unwrap();
    assert_eq!(server.json(&format!("/api/v1/manifests/{name}")).await, first);
    assert_eq!(server.send(Method::POST, "/api/v1/manifests", &body).await.0, 200);
    // Anyone can compute the name: the hash of the canonical JSON of message, parent and tree.
    let canonical =
        json!({ "message": first["message"], "parent_sha256": first["parent_sha256"], "tree": first["tree"] });
    let sorted: std::collections::BTreeMap<String, serde_json::Value> = serde_json::from_value(canonical).unwrap();
    let text = serde_json::to_string(&sort(serde_json::to_value(sorted).unwrap())).unwrap();
    assert_eq!(ibid_domain::Sha256::of_bytes(text.as_bytes()).to_string(), name);

    let second = server.commit("b", &a, Some(name)).await;
    let log = server.json(&format!("/api/v1/manifests/{second}/log")).await;
    let names: Vec<_> = log["items"].as_array().unwrap().iter().map(|item| item["sha256"].as_str().unwrap()).collect();
    assert_eq!(names, [second.as_str(), name]);
    let diff = server.json(&format!("/api/v1/manifests/{name}/diff/{second}")).await;
    assert_eq!((&diff["removed"][0]["path"], &diff["changed"][0]["path"]), (&json!("docs/a.txt"), &json!("b")));
    assert_eq!(
        (&diff["changed"][0]["before"]["sha256"], &diff["changed"][0]["after"]["sha256"]),
        (&json!(b), &json!(a))
    );
    let zip = server.get(&format!("/api/v1/manifests/{name}/archive")).await;
    assert_eq!(zip.headers()["content-type"], "application/zip");
    assert!(zip.bytes().await.unwrap().starts_with(b"PK"));
    assert_eq!(server.json(&format!("{ARTIFACTS}/{a}")).await["reference_count"], 2);
}

/// The same value with the keys of every object in order.
fn sort(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(object) => {
            let sorted: std::collections::BTreeMap<_, _> =
                object.into_iter().map(|(key, value)| (key, sort(value))).collect();
            sorted.into_iter().collect()
        }
        other => other,
    }
}

/// A large upload is never held in memory, neither raw nor as a form.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_upload_is_streamed() {
    const PIECE: usize = 1 << 20;
    const PIECES: usize = 384;
    let server = Running::start(ibid_testkit::TestEngine::Sqlite).await.unwrap();
    server.upload(b"warm").await;
    let idle = peak(server.pid());
    let pieces = |seed: u8| {
        let piece = bytes::Bytes::from(vec![seed; PIECE]);
        Body::wrap_stream(futures::stream::iter((0..PIECES).map(move |_| Ok::<_, std::io::Error>(piece.clone()))))
    };
    let (status, raw) = answer(server.request(Method::POST, ARTIFACTS).body(pieces(1))).await;
    assert_eq!((status.as_u16(), &raw["size_bytes"]), (201, &json!(PIECE * PIECES)));
    let form = Form::new().part("file", Part::stream(pieces(2)).file_name("large"));
    assert_eq!(answer(server.request(Method::POST, ARTIFACTS).multipart(form)).await.0, 201);
    let mut download = server.get(&format!("{ARTIFACTS}/{}/content", raw["sha256"].as_str().unwrap())).await;
    let mut size = 0;
    while let Some(piece) = download.chunk().await.unwrap() {
        size += piece.len();
    }
    assert_eq!(size, PIECE * PIECES);
    let grown = peak(server.pid()) - idle;
    assert!(grown < 64 << 20, "memory grew by {grown} bytes");
}

/// The most memory a process has had.
fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}
