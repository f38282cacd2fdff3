//! Sources over HTTP and on the command line.

use std::time::Duration;

use reqwest::{Method, multipart};
use serde_json::{Value as Json, json};

use crate::{
    Running, on_both_servers,
    running::{answer, refused},
};

on_both_servers!(pinned, views, uploads, extraction, imports, commands, bad_bodies);

impl Running {
    /// Waits until a source has come so far, and gives it.
    pub(crate) async fn source(&self, id: &str, reached: impl Fn(&Json) -> bool) -> Json {
        let mut source = Json::Null;
        for _ in 0..1200 {
            source = self.json(&format!("/api/v1/sources/{id}")).await;
            if reached(&source) {
                return source;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("it did not come so far: {source}");
    }

    /// Uploads files as sources.
    pub(crate) async fn upload_sources(&self, files: &[(&str, Vec<u8>)]) -> (u16, Json) {
        let mut form = multipart::Form::new();
        for (name, bytes) in files {
            form = form.part("file", multipart::Part::bytes(bytes.clone()).file_name((*name).to_owned()));
        }
        let (status, body) = answer(self.request(Method::POST, "/api/v1/sources/upload").multipart(form)).await;
        (status.as_u16(), body)
    }
}

pub(crate) fn is_read(source: &Json) -> bool {
    source["status"] != "pending"
}

pub(crate) fn id(source: &Json) -> &str {
    source["id"].as_str().unwrap_or_else(|| panic!("no source: {source}"))
}

async fn pinned(server: Running) {
    let text = "The marsh harrier — a bird of reed beds — breeds here. Größe: 5 m².";
    let sha256 = server.upload(text.as_bytes()).await;
    let (status, source) =
        server.send(Method::POST, "/api/v1/sources", &json!({ "artifact_sha256": sha256, "tags": ["birds"] })).await;
    assert_eq!(status, 201, "{source}");
    assert_eq!((&source["status"], &source["embedding"]), (&json!("pending"), &json!("pending")));
    let (status, again) = server.send(Method::POST, "/api/v1/sources", &json!({ "artifact_sha256": sha256 })).await;
    assert_eq!((status.as_u16(), id(&again)), (200, id(&source)));
    let path = format!("/api/v1/sources/{}", id(&source));
    let read = server.source(id(&source), is_read).await;
    assert_eq!((&read["artifact_sha256"], &read["media_type"]), (&json!(sha256), &json!("text/plain")));

    for (query, expected) in [
        ("q=harrier", 1),
        ("q=harrier%20penguin", 0),
        ("q=GR%C3%96SSE", 0),
        ("q=gr%C3%B6%C3%9Fe", 1),
        ("type=KNOWLEDGE_BASE", 1),
        ("type=KNOWLEDGE", 1),
        ("type=WEB_PAGE", 0),
        ("origin=blob_storage", 1),
        ("origin=web", 0),
        ("tag=birds", 1),
        ("document_id=018f0000-0000-7000-8000-000000000000", 0),
        ("status=failed", 0),
    ] {
        let page = server.json(&format!("/api/v1/sources?{query}")).await;
        assert_eq!(page["items"].as_array().unwrap().len(), expected, "{query}");
    }
    for (query, field) in [
        ("type=NOVEL", "type"),
        ("origin=ftp", "origin"),
        ("status=done", "status"),
        ("view=x", "view"),
        ("q=%21", "q"),
    ] {
        let problem =
            refused(server.request(Method::GET, &format!("/api/v1/sources?{query}")), 422, "invalid_query").await;
        assert_eq!(problem["field"], field);
    }

    assert_eq!(server.get(&format!("{path}/content")).await.bytes().await.unwrap(), text.as_bytes());
    let told = server.json(&format!("{path}/text")).await;
    assert_eq!((told["text"].as_str(), told["total_chars"].as_u64()), (Some(text), Some(text.chars().count() as u64)));
    let part = server.json(&format!("{path}/text?start_char=4&end_char=17")).await;
    assert_eq!(part["text"], "marsh harrier");
    let plain =
        server.request(Method::GET, &format!("{path}/text")).header("accept", "text/plain").send().await.unwrap();
    assert_eq!(plain.text().await.unwrap(), text);
    refused(server.request(Method::GET, &format!("{path}/text?start_char=900")), 422, "invalid_query").await;
    let chunks = server.json(&format!("{path}/chunks")).await;
    for chunk in chunks["items"].as_array().unwrap() {
        let (start, end) = (chunk["start_char"].as_u64().unwrap(), chunk["end_char"].as_u64().unwrap());
        let there: String = text.chars().skip(start as usize).take((end - start) as usize).collect();
        assert_eq!(chunk["content"], there);
    }
    assert_eq!(server.json(&format!("{path}/revisions")).await["items"].as_array().unwrap().len(), 1);

    let patch =
        json!({ "title": "Harriers", "author": "A. Sample; B. Sample", "publication_date": "2024-05", "note": null });
    let (status, changed) = server.send(Method::PATCH, &path, &patch).await;
    assert_eq!((status.as_u16(), &changed["title"]), (200, &json!("Harriers")));
    assert_eq!(changed["authors"], json!(["A. Sample", "B. Sample"]));
    assert_eq!(changed["publication_date"], "2024-05");

    let impact = server.json(&format!("{path}/impact")).await;
    assert_eq!((&impact["chunk_count"], &impact["citation_count"]), (&json!(1), &json!(0)));
    // New bytes are a new revision; the old one stays readable.
    let newer = server.upload(b"Now it speaks of storks only.").await;
    let body = json!({ "artifact_sha256": newer });
    let (status, job) = server.send(Method::POST, &format!("{path}/refresh"), &body).await;
    assert_eq!(status, 202, "{job}");
    let second = server.source(id(&source), |source| source["revision"] == 2).await;
    assert_eq!(second["title"], "Harriers", "what a person said stays");
    let first = server.json(&format!("{path}/revisions")).await["items"][1]["id"].as_str().unwrap().to_owned();
    assert_eq!(server.json(&format!("{path}/text?revision={first}")).await["text"], text);
    refused(server.request(Method::GET, &format!("{path}/text?revision=x")), 404, "revision_not_found").await;

    let deleted = server.request(Method::DELETE, &path).send().await.unwrap();
    assert_eq!(deleted.status(), 204);
    for end in ["", "/text", "/content", "/chunks", "/revisions", "/impact", "/thumbnail"] {
        refused(server.request(Method::GET, &format!("{path}{end}")), 404, "source_not_found").await;
    }
    refused(server.request(Method::GET, "/api/v1/sources/7"), 404, "source_not_found").await;
    let check = server.ibid(&["fsck"]);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
}

async fn views(server: Running) {
    let metadata =
        json!({ "cited_entities": ["a"], "report_subtype": "final_report", "user_query": "why?", "more": 1 });
    let body = json!({ "title": "A report", "type": "REPORT", "metadata": metadata, "message_id": "msg_01" });
    let (status, report) = server.send(Method::POST, "/api/v1/sources", &body).await;
    assert_eq!((status.as_u16(), &report["type"]), (201, &json!("GENERATED_REPORT")));
    let entity = server.json(&format!("/api/v1/sources/{}?view=entity", id(&report))).await;
    assert_eq!((&entity["entity_type"], &entity["title"]), (&json!("GENERATED_REPORT"), &json!("A report")));
    assert_eq!((&entity["all_seen_entities"], &entity["cited_entities"]), (&json!([]), &json!(["a"])));
    assert_eq!((&entity["metadata"]["more"], &entity["message_id"]), (&json!(1), &json!("msg_01")));
    let page = server.json("/api/v1/sources?view=cited_file&message_id=msg_01").await;
    let file = &page["items"][0];
    assert_eq!((&file["file_name"], &file["source_type"]), (&json!("A report"), &json!("manual")));
    assert_eq!((&file["fetch_strategy"], &file["is_image"]), (&json!("internal_api"), &json!(false)));
    let wrong = json!({ "title": "T", "type": "GENERATED_REPORT", "metadata": { "report_subtype": "draft" } });
    let problem = refused(server.request(Method::POST, "/api/v1/sources").json(&wrong), 422, "invalid_field").await;
    assert_eq!(problem["field"], "metadata.report_subtype");
    // All twelve types are sources like any other.
    for kind in ibid_domain::SourceType::ALL {
        let body = json!({ "title": format!("Sample {kind}"), "type": kind.as_str(), "run_id": "018f0000-0000-7000-8000-000000000001" });
        let (status, source) = server.send(Method::POST, "/api/v1/sources", &body).await;
        assert_eq!((status.as_u16(), source["type"].as_str()), (201, Some(kind.as_str())), "{source}");
        let entity = server.json(&format!("/api/v1/sources/{}?view=entity", id(&source))).await;
        assert_eq!(entity["type"], kind.as_str());
    }
    let of_run = server.json("/api/v1/sources?run_id=018f0000-0000-7000-8000-000000000001").await;
    assert_eq!(of_run["items"].as_array().unwrap().len(), 12);
}

async fn uploads(server: Running) {
    let html = "<html lang=de><head><title>Beispiel</title></head><body><h1>Beispiel</h1><h2>Teil eins</h2><p>Ein Satz über Reiher im Schilf \
                und wie sie dort jagen.</p></body></html>";
    let png = include_bytes!("../../../ingest/tests/files/scan.png").to_vec();
    let files = [("page.html", html.into()), ("words.txt", b"Plain sample words.".to_vec()), ("picture.png", png)];
    let (status, brought) = server.upload_sources(&files).await;
    assert_eq!((status, &brought["added"], &brought["unchanged"]), (201, &json!(3), &json!(0)), "{brought}");
    let items = brought["items"].as_array().unwrap();
    let page = server.source(id(&items[0]), is_read).await;
    assert_eq!((&page["title"], &page["media_type"]), (&json!("Beispiel"), &json!("text/html")));
    let chunks = server.json(&format!("/api/v1/sources/{}/chunks", id(&page))).await;
    assert_eq!(chunks["items"][0]["section"], json!(["Beispiel"]), "where it begins");
    let picture = server.source(id(&items[2]), is_read).await;
    assert_eq!((&picture["status"], &picture["is_image"]), (&json!("ready"), &json!(true)), "{picture}");
    let thumbnail = server.get(&format!("/api/v1/sources/{}/thumbnail", id(&picture))).await;
    assert!(thumbnail.headers()["content-type"].to_str().unwrap().starts_with("image/"));
    let (status, brought) = server.upload_sources(&files[..2]).await;
    assert_eq!((status, &brought["added"], &brought["unchanged"]), (200, &json!(0), &json!(2)));

    let form = multipart::Form::new().text("tags", "a, b").text("colour", "red");
    let problem =
        refused(server.request(Method::POST, "/api/v1/sources/upload").multipart(form), 422, "invalid_field").await;
    assert_eq!(problem["field"], "colour");
    let form = multipart::Form::new().text("tags", "a, b");
    refused(server.request(Method::POST, "/api/v1/sources/upload").multipart(form), 422, "missing_file").await;
    refused(server.request(Method::POST, "/api/v1/sources/upload").body("x"), 415, "unsupported_media_type").await;
}

async fn extraction(server: Running) {
    let html = r#"<!doctype html><html lang="en"><head><title>Reed beds | Sample Site</title>
        <meta property="og:site_name" content="Sample Site"><link rel="canonical" href="/reeds">
        <script type="application/ld+json">{"@type":"NewsArticle","headline":"Reed beds","datePublished":"2023-04-05T10:00:00Z",
        "author":[{"@type":"Person","name":"Jane Sample"},{"@type":"Person","name":"Rick Sample"}]}</script></head><body>
        <nav><a href="/">Home</a><a href="/news">News</a></nav><article><h1>Reed beds</h1>
        <p>Reed beds are home to the marsh harrier, which breeds among the stems and hunts over open water nearby.</p>
        <p>In winter the stems are cut, bundled and used for roofs, and by spring new shoots stand a foot above the water.</p>
        </article><footer>© Sample Site. Cookie settings</footer></body></html>"#;
    let body = json!({ "html": html, "url": "https://sample.example/2023/04/05/reeds?utm_source=x" });
    let (status, told) = server.send(Method::POST, "/api/v1/sources/extract", &body).await;
    assert_eq!(status, 200, "{told}");
    assert_eq!((&told["title"], &told["publication_date"]), (&json!("Reed beds"), &json!("2023-04-05")));
    assert_eq!(told["authors"], json!(["Jane Sample", "Rick Sample"]));
    assert_eq!(told["canonical_url"], "https://sample.example/reeds");
    assert_eq!((&told["site_name"], &told["language"]), (&json!("Sample Site"), &json!("en")));
    let text = told["text"].as_str().unwrap();
    assert!(text.contains("marsh harrier") && !text.contains("Cookie settings") && !text.contains("News"), "{text}");
    assert_eq!(server.json("/api/v1/sources").await["items"], json!([]), "nothing was kept");
    // A date that has not been is a mistake of the page.
    let html = html.replace("2023-04-05T10:00:00Z", "2093-04-05T10:00:00Z");
    let body = json!({ "html": html, "url": "https://sample.example/reeds" });
    let (_, told) = server.send(Method::POST, "/api/v1/sources/extract", &body).await;
    assert_eq!(told["publication_date"], Json::Null);
    let (status, _) = server.send(Method::POST, "/api/v1/sources/extract", &json!({ "html": "" })).await;
    assert_eq!(status, 422);
}

async fn imports(server: Running) {
    let ris =
        "TY  - JOUR\nTI  - A sample study of reeds\nAU  - Sample, Jane\nPY  - 2021\nDO  - 10.1000/reeds\nER  - \n";
    let (status, done) = server.send(Method::POST, "/api/v1/sources/import", &json!({ "text": ris })).await;
    assert_eq!((status.as_u16(), &done["added"]), (201, &json!(1)), "{done}");
    assert_eq!(done["items"][0]["doi"], "10.1000/reeds");
    let (status, done) =
        server.send(Method::POST, "/api/v1/sources/import", &json!({ "text": ris, "format": "ris" })).await;
    assert_eq!((status.as_u16(), &done["unchanged"]), (200, &json!(1)));
    let csl = r#"[{"type":"book","title":"A sample book","author":[{"family":"Sample","given":"R."}],"issued":{"date-parts":[[1999]]}}]"#;
    let form = multipart::Form::new().part("file", multipart::Part::text(csl).file_name("refs.json"));
    let (status, done) = answer(server.request(Method::POST, "/api/v1/sources/import").multipart(form)).await;
    assert_eq!((status.as_u16(), &done["items"][0]["publication_date"]), (201, &json!("1999")), "{done}");
    let urls = "# sample\nhttp://127.0.0.1/a\nhttps://sample.invalid/b\n";
    let (status, done) = server.send(Method::POST, "/api/v1/sources/import", &json!({ "text": urls })).await;
    assert_eq!(
        (status.as_u16(), &done["added"], done["failed"].as_array().unwrap().len()),
        (201, &json!(1), 1),
        "{done}"
    );
    let request = |body: Json| server.request(Method::POST, "/api/v1/sources/import").json(&body);
    refused(request(json!({ "text": "nothing of the kind" })), 422, "import_format_unknown").await;
    refused(request(json!({ "text": ris, "format": "docx" })), 422, "import_format_unknown").await;
    refused(request(json!({})), 422, "invalid_field").await;
}

async fn commands(server: Running) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("inner");
    std::fs::create_dir(&path).unwrap();
    std::fs::write(path.join("one.txt"), "The first sample speaks of bitterns.").unwrap();
    std::fs::write(path.join("two.md"), "# Two\n\nThe second sample speaks of rails.").unwrap();
    std::fs::write(path.join("empty.txt"), "").unwrap();
    std::fs::write(path.join(".hidden"), "not this").unwrap();
    let place = folder.path().to_str().unwrap();
    let added = server.ibid(&["add", "--no-wait", place, "--tag", "sample"]);
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    let stdout = String::from_utf8(added.stdout).unwrap();
    assert!(stdout.contains("3 added"), "{stdout}");
    // The server beside it may be doing the work; either way it waits for the end.
    let again = server.ibid(&["add", place, "--json", "--embedder", "none"]);
    assert!(!again.status.success(), "one of them is empty, and says so");
    let report: Json = serde_json::from_slice(&again.stdout).unwrap();
    let of = |outcome: &str| report.as_array().unwrap().iter().filter(|one| one["outcome"] == outcome).count();
    assert_eq!((of("unchanged"), of("failed")), (2, 1), "{report}");

    std::fs::write(path.join("one.txt"), "Changed: it speaks of ospreys now.").unwrap();
    let changed = server.ibid(&["add", path.join("one.txt").to_str().unwrap(), "--embedder", "none"]);
    assert!(String::from_utf8(changed.stdout).unwrap().contains("1 changed"));
    let listed = server.ibid(&["source", "list", "ospreys", "--json"]);
    let listed: Json = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["revision"]), (1, &json!(2)));
    let one = id(&listed[0]).to_owned();
    let text = server.ibid(&["source", "show", &one, "--text"]);
    assert_eq!(String::from_utf8(text.stdout).unwrap(), "Changed: it speaks of ospreys now.\n");
    let show = String::from_utf8(server.ibid(&["source", "show", &one]).stdout).unwrap();
    assert!(show.contains("one.txt") && show.contains("revision"), "{show}");

    let new = server.ibid(&["source", "new", "--title", "By hand", "--author", "A; B", "--date", "1999", "--json"]);
    let new: Json = serde_json::from_slice(&new.stdout).unwrap();
    assert_eq!((&new["authors"], &new["publication_date"]), (&json!(["A", "B"]), &json!("1999")));
    let edited = server.ibid(&["source", "edit", id(&new), "--date", "", "--title", "Better", "--json"]);
    let edited: Json = serde_json::from_slice(&edited.stdout).unwrap();
    assert_eq!((&edited["title"], &edited["publication_date"]), (&json!("Better"), &Json::Null));
    assert!(server.ibid(&["source", "delete", id(&new)]).status.success());
    assert!(!server.ibid(&["source", "show", id(&new)]).status.success());
    assert!(!server.ibid(&["add", "/no/such/file"]).status.success());
    let check = server.ibid(&["fsck"]);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
}

async fn bad_bodies(server: Running) {
    let request = |body: Json| server.request(Method::POST, "/api/v1/sources").json(&body);
    for (body, code) in [
        (json!({}), "invalid_field"),
        (json!({ "title": "" }), "invalid_field"),
        (json!({ "title": "x".repeat(1001) }), "invalid_field"),
        (json!({ "title": "T", "publication_date": "yesterday" }), "invalid_field"),
        (json!({ "title": "T", "unknown": 1 }), "invalid_field"),
        (json!({ "title": "T", "type": "web_page" }), "entity_type_unknown"),
        (json!({ "title": "T", "metadata": { "a\u{0}b": 1 } }), "invalid_field"),
        (json!({ "url": "file:///etc/passwd" }), "url_invalid"),
        (json!({ "url": "data:text/html,<p>x" }), "url_invalid"),
        (json!({ "url": "http://user:pw@example.org/" }), "url_invalid"),
        (json!({ "url": "http://127.0.0.1:7319/" }), "url_not_allowed"),
        (json!({ "url": "http://[::1]/" }), "url_not_allowed"),
        (json!({ "url": "http://[::ffff:192.168.0.1]/" }), "url_not_allowed"),
        (json!({ "url": "http://0x7f.1/" }), "url_not_allowed"),
        (json!({ "url": "http://169.254.169.254/latest/meta-data" }), "url_not_allowed"),
        (json!({ "url": "http://10.0.0.1/" }), "url_not_allowed"),
        (json!({ "artifact_sha256": "7" }), "hash_invalid"),
    ] {
        let problem = refused(request(body.clone()), 422, code).await;
        assert!(problem["field"].is_string() || body == json!({}), "{body}: {problem}");
    }
    refused(request(json!({ "artifact_sha256": "0".repeat(64) })), 404, "artifact_not_found").await;
    refused(server.request(Method::POST, "/api/v1/sources").body("{"), 400, "invalid_json").await;
    refused(server.request(Method::POST, "/api/v1/sources").json(&json!([1])), 422, "invalid_field").await;
}
