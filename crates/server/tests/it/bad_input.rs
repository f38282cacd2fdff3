//! Bad input: each case has its status and its code, and nothing is written.

use reqwest::{
    Method,
    multipart::{Form, Part},
};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{Running, on_both_servers, running::refused};

on_both_servers!(manifests, pointers, jobs_and_paging, idempotency);

async fn manifests(server: Running) {
    let a = server.upload(b"a").await;
    let nowhere = "f".repeat(64);
    let entry = json!({ "sha256": a });
    let long = "n".repeat(300);
    let post = |body: String| {
        server.request(Method::POST, "/api/v1/manifests").header("content-type", "application/json").body(body)
    };
    let tree = |path: &str| json!({ "tree": { path: entry } }).to_string();
    let cases: Vec<(String, u16, &str)> = vec![
        (json!({ "tree": {} }).to_string(), 422, "manifest_empty"),
        (json!({ "tree": { "a": { "sha256": nowhere } } }).to_string(), 422, "manifest_entry_unknown"),
        (json!({ "tree": { "a": { "sha256": "abc" } } }).to_string(), 422, "hash_invalid"),
        (json!({ "tree": { "a": { "sha256": a, "size_bytes": 9 } } }).to_string(), 422, "manifest_entry_mismatch"),
        (json!({ "tree": { "a": { "sha256": a, "media_type": "x" } } }).to_string(), 422, "media_type_invalid"),
        (json!({ "tree": { "a": { "sha256": a, "entity_type": "x" } } }).to_string(), 422, "entity_type_unknown"),
        (json!({ "tree": { "a": { "sha256": a, "size": 1 } } }).to_string(), 422, "invalid_field"),
        (tree("../up"), 422, "manifest_path_invalid"),
        (tree("a/../../up"), 422, "manifest_path_invalid"),
        (tree("/etc/passwd"), 422, "manifest_path_invalid"),
        (tree("C:\\windows"), 422, "manifest_path_invalid"),
        (tree("a\u{0}b"), 422, "manifest_path_invalid"),
        (tree(&long), 422, "manifest_path_invalid"),
        (format!(r#"{{"tree": {{"a": {entry}, "a": {entry}}}}}"#), 422, "manifest_path_duplicate"),
        (format!(r#"{{"tree": {{"a": {entry}, "a/b": {entry}}}}}"#), 422, "manifest_path_duplicate"),
        (json!({ "tree": { "a": entry }, "parent_sha256": nowhere }).to_string(), 404, "manifest_not_found"),
        (json!({ "tree": { "a": entry }, "parent_sha256": "x" }).to_string(), 422, "hash_invalid"),
        (json!({ "tree": { "a": entry }, "message": "m".repeat(20_000) }).to_string(), 422, "invalid_field"),
        (json!({ "tree": { "a": entry }, "mesage": "typo" }).to_string(), 422, "invalid_field"),
        (json!({ "tree": [] }).to_string(), 422, "invalid_field"),
        (json!({}).to_string(), 422, "invalid_field"),
        ("{\"tree\": ".to_owned(), 400, "invalid_json"),
        ("{} {}".to_owned(), 422, "invalid_field"),
        (String::new(), 400, "invalid_json"),
        ("[".repeat(100_000), 422, "invalid_field"),
    ];
    for (body, status, code) in cases {
        let shown: String = body.chars().take(80).collect();
        let problem = refused(post(body), status, code).await;
        assert!(problem["detail"].as_str().unwrap().len() < 1000, "{shown}: {problem}");
    }
    // Names that are not UTF-8: in JSON, and in an address.
    let mut body = tree("name").into_bytes();
    let at = body.windows(4).position(|four| four == b"name").unwrap();
    body[at] = 0xff;
    let raw = server.request(Method::POST, "/api/v1/manifests").header("content-type", "application/json").body(body);
    refused(raw, 400, "invalid_json").await;
    refused(server.request(Method::GET, "/api/v1/pointers/a/%FF"), 400, "invalid_path").await;
    let wrong_kind =
        server.request(Method::POST, "/api/v1/manifests").header("content-type", "text/plain").body(tree("a"));
    refused(wrong_kind, 415, "unsupported_media_type").await;
    for path in [nowhere.as_str(), "abc", "%00"] {
        refused(server.request(Method::GET, &format!("/api/v1/manifests/{path}")), 404, "manifest_not_found").await;
        refused(server.request(Method::GET, &format!("/api/v1/manifests/{path}/log")), 404, "manifest_not_found").await;
        refused(server.request(Method::GET, &format!("/api/v1/manifests/{path}/archive")), 404, "manifest_not_found")
            .await;
        refused(server.request(Method::GET, &format!("/api/v1/artifacts/{path}")), 404, "artifact_not_found").await;
        refused(server.request(Method::GET, &format!("/api/v1/artifacts/{path}/content")), 404, "artifact_not_found")
            .await;
    }
    // Nothing was written: the artifact has no reference, and nothing is there to collect but that one artifact.
    assert_eq!(server.json(&format!("/api/v1/artifacts/{a}")).await["reference_count"], 0);
    let gc: Json = serde_json::from_slice(&server.ibid(&["gc", "--grace", "0s", "--json"]).stdout).unwrap();
    assert_eq!((&gc["manifests"], &gc["artifacts"], &gc["spool_files"]), (&json!(0), &json!(1), &json!(0)));
}

async fn pointers(server: Running) {
    let a = server.upload(b"a").await;
    let (one, two) = (server.commit("1", &a, None).await, server.commit("2", &a, None).await);
    let nowhere = "f".repeat(64);
    let long = "n".repeat(300);
    let put = |path: &str, body: Json| server.request(Method::PUT, &format!("/api/v1/pointers/{path}")).json(&body);
    for path in [
        format!("ns/{long}"),
        format!("{long}/name"),
        "ns/a%00b".into(),
        "ns/a//b".into(),
        "ns/a/history".into(),
        "ns/advance".into(),
        "ns/a%2F..%2Fb".into(),
    ] {
        refused(put(&path, json!({})), 422, "pointer_name_invalid").await;
    }
    refused(put("ns/p", json!({ "pointer_type": "x" })), 422, "pointer_type_unknown").await;
    refused(put("ns/p", json!({ "manifest_sha256": nowhere })), 404, "manifest_not_found").await;
    refused(put("ns/p", json!({ "manifest_sha256": "x" })), 422, "hash_invalid").await;
    refused(put("ns/p", json!({ "meta": [] })), 422, "invalid_field").await;
    refused(put("ns/p", json!({ "meta": { "a": "\u{0}" } })), 422, "invalid_field").await;
    refused(put("ns/p", json!({ "meta": { "a": "x".repeat(70_000) } })), 422, "invalid_field").await;
    refused(put("ns/p", json!({ "description": "\u{0}" })), 422, "invalid_field").await;
    assert_eq!(server.json("/api/v1/pointers").await["items"], json!([]), "nothing was written");

    assert_eq!(server.send(Method::PUT, "/api/v1/pointers/ns/p", &json!({ "manifest_sha256": one })).await.0, 201);
    let advance = |body: Json| server.request(Method::POST, "/api/v1/pointers/ns/p/advance").json(&body);
    let stale = refused(advance(json!({ "to": two, "expected": two })), 409, "pointer_stale").await;
    assert_eq!((&stale["current"], &stale["field"]), (&json!(one), &json!("expected")));
    refused(advance(json!({ "to": two, "expected": null })), 409, "pointer_stale").await;
    refused(advance(json!({ "to": two })), 409, "pointer_stale").await;
    refused(advance(json!({ "to": nowhere, "expected": one })), 404, "manifest_not_found").await;
    refused(advance(json!({ "to": "x", "expected": one })), 422, "hash_invalid").await;
    refused(advance(json!({ "expected": one })), 422, "invalid_field").await;
    refused(advance(json!({ "to": two, "expected": one, "reason": "r".repeat(3000) })), 422, "invalid_field").await;
    refused(put("ns/p", json!({ "manifest_sha256": two })), 409, "pointer_moved").await;
    let request = |method: Method, path: &str| server.request(method, &format!("/api/v1/pointers/{path}"));
    refused(request(Method::GET, "ns/unknown"), 404, "pointer_not_found").await;
    refused(request(Method::GET, "ns/unknown/history"), 404, "pointer_not_found").await;
    refused(request(Method::DELETE, "ns/unknown"), 404, "pointer_not_found").await;
    refused(request(Method::POST, "ns/unknown/advance").json(&json!({ "to": two })), 404, "pointer_not_found").await;
    refused(request(Method::POST, "ns/p"), 405, "method_not_allowed").await;
    refused(request(Method::PATCH, "ns/p"), 405, "method_not_allowed").await;
    assert_eq!(server.json("/api/v1/pointers/ns/p").await["manifest_sha256"], json!(one));
    assert_eq!(server.json("/api/v1/pointers/ns/p/history").await["items"], json!([]), "nothing was written");
}

async fn jobs_and_paging(server: Running) {
    let job = |body: Json| server.request(Method::POST, "/api/v1/jobs").json(&body);
    let problem = refused(job(json!({ "kind": "x" })), 422, "job_kind_unknown").await;
    assert!(problem["detail"].as_str().unwrap().contains("fsck"), "it says what there is: {problem}");
    refused(job(json!({ "kind": "gc", "payload": { "grace_seconds": -1 } })), 422, "invalid_field").await;
    for path in ["x", "01a1e0d2-fc31-771a-a8a4-53548d8d9709"] {
        refused(server.request(Method::GET, &format!("/api/v1/jobs/{path}")), 404, "job_not_found").await;
        refused(server.request(Method::POST, &format!("/api/v1/jobs/{path}/retry")), 404, "job_not_found").await;
        refused(server.request(Method::POST, &format!("/api/v1/jobs/{path}/cancel")), 404, "job_not_found").await;
    }
    for list in ["artifacts", "pointers", "jobs"] {
        for limit in ["0", "501", "-1", "x", "99999999999999999999"] {
            refused(server.request(Method::GET, &format!("/api/v1/{list}?limit={limit}")), 422, "invalid_query").await;
        }
        refused(server.request(Method::GET, &format!("/api/v1/{list}?cursor=%F0%9F%92%A5")), 422, "invalid_cursor")
            .await;
        refused(server.request(Method::GET, &format!("/api/v1/{list}?cursor=a.b.c.d")), 422, "invalid_cursor").await;
    }
    refused(server.request(Method::GET, "/api/v1/jobs?state=x"), 422, "invalid_query").await;
    refused(server.request(Method::GET, "/api/v1/artifacts?entity_type=x"), 422, "entity_type_unknown").await;
    refused(server.request(Method::GET, "/api/v1/nowhere"), 404, "not_found").await;
    refused(server.request(Method::DELETE, "/api/v1/jobs"), 405, "method_not_allowed").await;
}

async fn idempotency(server: Running) {
    let key = |key: &str, body: Json| {
        server.request(Method::PUT, "/api/v1/pointers/ns/p").header("idempotency-key", key).json(&body)
    };
    let long = "k".repeat(256);
    refused(key(&long, json!({})), 422, "idempotency_key_invalid").await;
    refused(key("", json!({})), 422, "idempotency_key_invalid").await;
    let first = key("k1", json!({ "description": "one" })).send().await.unwrap();
    assert_eq!((first.status().as_u16(), first.headers().contains_key("idempotency-replayed")), (201, false));
    let first: Json = first.json().await.unwrap();
    let again = key("k1", json!({ "description": "one" })).send().await.unwrap();
    assert_eq!((again.status().as_u16(), again.headers()["idempotency-replayed"].to_str().unwrap()), (201, "true"));
    assert_eq!(again.json::<Json>().await.unwrap(), first);
    refused(key("k1", json!({ "description": "two" })), 422, "idempotency_key_reused").await;
    // A refusal is an answer, too, and is repeated.
    refused(key("k2", json!({ "pointer_type": "x" })), 422, "pointer_type_unknown").await;
    let again = key("k2", json!({ "pointer_type": "x" })).send().await.unwrap();
    assert_eq!((again.status().as_u16(), again.headers()["idempotency-replayed"].to_str().unwrap()), (422, "true"));
    // A delete that is sent twice succeeds twice with the key, and once without.
    let delete = || server.request(Method::DELETE, "/api/v1/pointers/ns/p").header("idempotency-key", "k3");
    assert_eq!(delete().send().await.unwrap().status(), 204);
    assert_eq!(delete().send().await.unwrap().status(), 204);
    refused(server.request(Method::DELETE, "/api/v1/pointers/ns/p"), 404, "pointer_not_found").await;
    // Uploads, too.
    let upload = || server.request(Method::POST, "/api/v1/artifacts").header("idempotency-key", "k4").body("words");
    assert_eq!(upload().send().await.unwrap().status(), 201);
    assert_eq!(upload().send().await.unwrap().status(), 201);
}

/// Uploads that are broken, too large, or say something illegal: refused, and not a byte is kept.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uploads() {
    let server = Running::start_with(
        ibid_testkit::TestEngine::Sqlite,
        &["--upload-limit-bytes", "1000", "--json-limit-bytes", "2000", "--idle-timeout-seconds", "1"],
    )
    .await
    .unwrap();
    let post = || server.request(Method::POST, "/api/v1/artifacts");
    let part = |name: &str| Part::bytes(b"x".as_slice()).file_name(name.to_owned());
    let long = "n".repeat(300);
    let cases: Vec<(Form, u16, &str)> = vec![
        (Form::new().text("entity_type", "WEB_PAGE"), 422, "missing_file"),
        (Form::new().part("file", part("a")).text("entity_type", "x"), 422, "entity_type_unknown"),
        (Form::new().part("file", part("a")).text("entity_metadata", "[1]"), 422, "invalid_field"),
        (Form::new().part("file", part("a")).text("entity_metadata", "{"), 422, "invalid_field"),
        (Form::new().part("file", part("a")).text("colour", "red"), 422, "invalid_field"),
        (Form::new().part("file", part("a")).part("file", part("b")), 400, "invalid_multipart"),
        (Form::new().part("file", part(&long)), 422, "filename_invalid"),
        (Form::new().part("file", part("../../etc/passwd")), 422, "filename_invalid"),
        (Form::new().part("file", part("a")).text("sha256", "0".repeat(64)), 422, "hash_mismatch"),
        (Form::new().part("file", part("a")).text("sha256", "0"), 422, "hash_invalid"),
        (Form::new().part("file", Part::bytes(vec![0; 1001]).file_name("a")), 413, "body_too_large"),
        (Form::new().part("file", Part::bytes(vec![0; 500_000]).file_name("a")), 413, "body_too_large"),
    ];
    for (form, status, code) in cases {
        refused(post().multipart(form), status, code).await;
    }
    refused(post().body(vec![0; 1001]), 413, "body_too_large").await;
    let stream = futures::stream::iter((0..100).map(|_| Ok::<_, std::io::Error>(vec![0; 100])));
    refused(post().body(reqwest::Body::wrap_stream(stream)), 413, "body_too_large").await;
    refused(post().header("content-type", "nonsense").body("x"), 422, "media_type_invalid").await;
    refused(post().header("content-type", "multipart/form-data").body("x"), 400, "invalid_multipart").await;
    let json = server.request(Method::PUT, "/api/v1/pointers/a/b").json(&json!({ "description": "d".repeat(3000) }));
    let problem = refused(json, 413, "body_too_large").await;
    assert_eq!(problem["limit_bytes"], 2000);

    let form = |body: &str| {
        let body = body.replace('\n', "\r\n");
        post().header("content-type", "multipart/form-data; boundary=B").body(body)
    };
    let head = "--B\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\n\n";
    refused(form(&format!("{head}cut off in the mid")), 400, "invalid_multipart").await;
    refused(form("--B\nContent-Disposition: form-data; na"), 400, "invalid_multipart").await;
    refused(form("not a form at all"), 400, "invalid_multipart").await;
    let mut body = format!("{head}x\n--B--\n").replace('\n', "\r\n").into_bytes();
    let at = body.windows(3).position(|three| three == b"\"a\"").unwrap();
    body[at + 1] = 0xff;
    refused(post().header("content-type", "multipart/form-data; boundary=B").body(body), 422, "filename_invalid").await;

    // Fewer bytes than announced, and then nothing or the end.
    let address = server.url.trim_start_matches("http://").to_owned();
    for close in [true, false] {
        let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
        let head =
            format!("POST /api/v1/artifacts HTTP/1.1\r\nHost: {address}\r\nContent-Length: 500\r\n\r\nonly this");
        stream.write_all(head.as_bytes()).await.unwrap();
        if close {
            drop(stream);
            continue;
        }
        let mut answer = String::new();
        let mut buffer = [0; 4096];
        while !answer.contains("\"code\"") {
            let read = stream.read(&mut buffer).await.unwrap();
            assert!(read > 0, "{answer}");
            answer += std::str::from_utf8(&buffer[..read]).unwrap();
        }
        assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("\"timeout\""), "{answer}");
    }

    assert_eq!(server.json("/api/v1/artifacts").await["items"], json!([]));
    let left: Vec<_> =
        std::fs::read_dir(server.place.blobs_folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["spool"]);
    for _ in 0..50 {
        if std::fs::read_dir(server.place.blobs_folder().join("spool")).unwrap().count() == 0 {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("an upload that was refused is still in the spool");
}
