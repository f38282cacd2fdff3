//! Pointers over HTTP, by one client and by sixty-four.

use reqwest::Method;
use serde_json::json;

use crate::{Running, on_both_servers, running::answer};

on_both_servers!(story, sixty_four_clients);

async fn story(server: Running) {
    let a = server.upload(b"a").await;
    let one = server.commit("1", &a, None).await;
    let two = server.commit("2", &a, Some(&one)).await;
    let path = "/api/v1/pointers/knowledge_base/project 1/documents";
    let body = json!({ "pointer_type": "corpus", "description": "all", "meta": { "total_chunks": 42 } });
    let (status, pointer) = server.send(Method::PUT, path, &body).await;
    assert_eq!((status.as_u16(), &pointer["name"]), (201, &json!("project 1/documents")));
    assert_eq!((&pointer["manifest_sha256"], &pointer["meta"]["total_chunks"]), (&json!(null), &json!(42)));
    assert_eq!(server.send(Method::PUT, path, &json!({})).await.0, 200);

    let advance = format!("{path}/advance");
    let body = json!({ "to": one, "expected": null, "reason": "deliverable_generated" });
    assert_eq!(server.send(Method::POST, &advance, &body).await.0, 200);
    assert_eq!(server.send(Method::POST, &advance, &json!({ "to": two, "expected": one })).await.0, 200);
    let reset = json!({ "to": one, "expected": two, "reason": "user_reset" });
    let (status, pointer) = server.send(Method::POST, &advance, &reset).await;
    assert_eq!((status.as_u16(), &pointer["manifest_sha256"]), (200, &json!(one)));
    let history = server.json(&format!("{path}/history?limit=2")).await;
    let reasons: Vec<_> = history["items"].as_array().unwrap().iter().map(|step| step["reason"].clone()).collect();
    assert_eq!(reasons, [json!("user_reset"), json!(null)]);
    let rest = server.json(&format!("{path}/history?cursor={}", history["next_cursor"].as_str().unwrap())).await;
    assert_eq!(
        (&rest["items"][0]["to_manifest_sha256"], &rest["items"][0]["from_manifest_sha256"]),
        (&json!(one), &json!(null))
    );

    let listed = server.json("/api/v1/pointers?namespace=knowledge_base").await;
    assert_eq!(listed["items"][0]["id"], pointer["id"]);
    assert_eq!(server.json("/api/v1/pointers?namespace=other").await["items"], json!([]));
    assert_eq!(server.request(Method::DELETE, path).send().await.unwrap().status(), 204);
    assert_eq!(server.get(path).await.status(), 404);
    assert_eq!(server.json("/api/v1/pointers").await["items"], json!([]));
}

async fn sixty_four_clients(server: Running) {
    let a = server.upload(b"a").await;
    let start = server.commit("start", &a, None).await;
    let path = "/api/v1/pointers/default/race";
    assert_eq!(server.send(Method::PUT, path, &json!({ "manifest_sha256": start })).await.0, 201);
    let mut goals = Vec::new();
    for number in 0..64 {
        goals.push(server.commit(&number.to_string(), &a, None).await);
    }
    let requests = goals.iter().map(|goal| {
        let body = json!({ "to": goal, "expected": start });
        answer(server.request(Method::POST, "/api/v1/pointers/default/race/advance").json(&body))
    });
    let answers = futures::future::join_all(requests).await;
    let count = |wanted: u16| answers.iter().filter(|(status, _)| status.as_u16() == wanted).count();
    assert_eq!((count(200), count(409)), (1, 63));
    let winner = answers.iter().find(|(status, _)| status.is_success()).unwrap().1["manifest_sha256"].clone();
    assert!(answers.iter().filter(|(status, _)| !status.is_success()).all(|(_, problem)| problem["current"] == winner));
    let history = server.json(&format!("{path}/history")).await;
    assert_eq!(history["items"].as_array().unwrap().len(), 1);
    assert_eq!(server.json(path).await["manifest_sha256"], winner);
}
