//! The first minute: a library to try, questions to ask, answers to hand on.

use std::io::Read;

use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::{
    Running, on_both_servers,
    running::{answer, refused},
};

on_both_servers!(a_sample_to_ask, deliverables);

async fn loaded(server: &Running) -> Json {
    let (status, loaded) = answer(server.request(Method::POST, "/api/v1/sample")).await;
    assert_eq!(status.as_u16(), 200, "{loaded}");
    for _ in 0..600 {
        let counts = server.json("/api/v1/sources/counts").await;
        if counts["pending"] == 0 && counts["embedding_pending"].as_u64().unwrap_or(0) == 0 {
            return loaded;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("the sample library is not read: {}", server.json("/api/v1/sources/counts").await);
}

async fn asked(server: &Running, question: &str) -> Json {
    let conversation = server.post("/api/v1/conversations", json!({})).await;
    let path = format!("/api/v1/conversations/{}/messages", conversation["id"].as_str().unwrap());
    let request = server.request(Method::POST, &path).header("accept", "application/json");
    let (status, message) = answer(request.json(&json!({"content": question}))).await;
    assert_eq!(status.as_u16(), 200, "{message}");
    message
}

async fn a_sample_to_ask(server: Running) {
    let sample = server.json("/api/v1/sample").await;
    assert_eq!((&sample["documents"], &sample["loaded"]), (&json!(10), &json!(0)));
    let first = loaded(&server).await;
    assert_eq!(first["items"].as_array().unwrap().len(), 10);
    assert!(first["items"].as_array().unwrap().iter().all(|source| source["tags"] == json!(["sample"])));
    // Again, it is the same.
    let again = loaded(&server).await;
    let ids = |loaded: &Json| -> Vec<Json> {
        loaded["items"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect()
    };
    assert_eq!(ids(&first), ids(&again));
    assert_eq!(server.json("/api/v1/sample").await["loaded"], 10);

    // Each question is answered from several documents, one of them a page of the report.
    let mut pages = Vec::new();
    for question in sample["questions"].as_array().unwrap() {
        let message = asked(&server, question.as_str().unwrap()).await;
        let citations = message["citations"].as_array().unwrap();
        assert!(citations.len() >= 2 && message["cited_files"].as_array().unwrap().len() >= 2, "{question}: {message}");
        for citation in citations {
            assert_eq!(citation["verdict"], "supported", "{question}: {citation}");
            pages.extend(citation["page"].as_u64());
        }
    }
    assert!(pages.contains(&3), "{pages:?}");

    assert_eq!(server.request(Method::DELETE, "/api/v1/sample").send().await.unwrap().status(), 204);
    assert_eq!(server.json("/api/v1/sample").await["loaded"], 0);
    assert_eq!(server.json("/api/v1/sources").await["items"], json!([]));
}

async fn deliverables(server: Running) {
    let open = server.post("/api/v1/runs", json!({"question": "Is it done?"})).await;
    let path = format!("/api/v1/runs/{}/deliverables", open["id"].as_str().unwrap());
    refused(server.request(Method::POST, &path).json(&json!({"kind": "report"})), 409, "run_has_no_answer").await;

    server
        .with_text("pier.txt", "The pier of Selde is 412 metres long. It was built in 1874 by Marta Lindqvist.")
        .await;
    server.with_text("rope.txt", "Ropes on the pier of Selde are renewed each spring.").await;
    let message = asked(&server, "How long is the pier of Selde?").await;
    let (run, conversation) = (message["run_id"].as_str().unwrap(), message["conversation_id"].as_str().unwrap());
    let path = format!("/api/v1/runs/{run}/deliverables");
    assert_eq!(server.json(&path).await["items"], json!([]));
    for (kind, files) in [
        ("report", ["report.html", "report.md", "report.pdf", "report.typ", "sources.json"].as_slice()),
        ("website", &["index.html", "sources.html", "sources.json"]),
        ("presentation", &["presentation.html", "sources.json"]),
    ] {
        let (status, made) = server.send(Method::POST, &path, &json!({"kind": kind})).await;
        assert_eq!(status.as_u16(), 201, "{made}");
        let paths: Vec<_> =
            made["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
        assert_eq!(paths, files, "{kind}");
        assert_eq!(made["title"], "How long is the pier of Selde?");
        assert_eq!(
            (made["cited"].as_array().unwrap().len() as u64, &made["cited_count"]),
            (made["cited_count"].as_u64().unwrap(), &made["cited_count"])
        );
        assert!(
            made["cited_count"].as_u64().unwrap() >= 1
                && made["all_seen_count"].as_u64() >= made["cited_count"].as_u64()
        );
        assert_eq!(made["cited"][0]["title"], "pier.txt");

        // Made again of the same answer, it is the same.
        let (_, again) = server.send(Method::POST, &path, &json!({"kind": kind})).await;
        assert_eq!((&again["manifest_sha256"], &again["pointer_id"]), (&made["manifest_sha256"], &made["pointer_id"]));

        let zip = server.get(made["zip_url"].as_str().unwrap()).await.bytes().await.unwrap();
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(zip)).unwrap();
        let mut names: Vec<_> = zip.file_names().map(|name| name.unwrap().into_owned()).collect();
        names.sort();
        assert_eq!(names, files);
        for file in made["files"].as_array().unwrap() {
            let response = server.get(file["url"].as_str().unwrap()).await;
            let headers = response.headers().clone();
            let bytes = response.bytes().await.unwrap();
            let mut zipped = Vec::new();
            zip.by_name(file["path"].as_str().unwrap()).unwrap().read_to_end(&mut zipped).unwrap();
            assert_eq!((bytes.len() as u64, bytes.as_ref()), (file["size_bytes"].as_u64().unwrap(), zipped.as_slice()));
            if file["media_type"] == "text/html" {
                let policy = headers["content-security-policy"].to_str().unwrap();
                assert!(policy.contains("sandbox") && policy.contains("default-src 'none'"), "{policy}");
                assert!(String::from_utf8(zipped).unwrap().contains("412 metres"));
            } else if file["media_type"] == "application/pdf" {
                assert!(zipped.starts_with(b"%PDF-"));
            } else {
                assert!(headers["content-disposition"].to_str().unwrap().starts_with("attachment"));
            }
        }
        let file = format!("{path}/{kind}/files/..%2f..%2fetc%2fpasswd");
        refused(server.request(Method::GET, &file), 404, "artifact_not_found").await;
    }
    assert_eq!(server.json(&path).await["items"].as_array().unwrap().len(), 3);
    refused(server.request(Method::POST, &path).json(&json!({"kind": "sculpture"})), 422, "invalid_field").await;

    // The run tells of what was made, though it had ended.
    let events = server.get(&format!("/api/v1/runs/{run}/events?until=notes")).await.text().await.unwrap();
    assert!(events.contains("event: artifact_created") && events.contains("event: manifest_created"), "{events}");

    // What was made goes with its conversation.
    let pointers = server.json("/api/v1/pointers?namespace=deliverables").await;
    assert_eq!(pointers["items"].as_array().unwrap().len(), 3);
    assert_eq!(pointers["items"][0]["meta"]["user_query"], "How long is the pier of Selde?");
    server.request(Method::DELETE, &format!("/api/v1/conversations/{conversation}")).send().await.unwrap();
    assert_eq!(server.json("/api/v1/pointers?namespace=deliverables").await["items"], json!([]));
    refused(server.request(Method::GET, &path), 404, "run_not_found").await;
}
