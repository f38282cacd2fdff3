//! Documents: versions, citations, bibliography, pages.

use futures::future::join_all;
use ibid_testkit::provider::{ProviderDialect, ScriptStep, ScriptedProvider};
use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::{
    Running,
    mcp_client::{Client, OLD},
    running::{on_both_servers, refused},
    sources::id,
};

on_both_servers!(
    a_document_is_kept_version_by_version,
    two_who_write_at_once_are_told_of_each_other,
    a_refused_restore_changes_nothing,
    a_style_is_stored_under_its_id,
    a_thousand_numbers_at_once,
    citations_follow_the_text,
    ec_12_to_14_what_is_missing_has_a_placeholder,
    ec_15_and_16_unknown_documents_and_sources,
    ec_17_without_citations_the_bibliography_is_empty,
    one_entry_for_each_source_or_each_citation,
    whatever_is_cited_is_in_the_bibliography,
    a_deleted_source_stays_in_the_document,
    sources_of_a_document,
    notes_are_short_the_second_time,
    rendered_in_every_format,
    too_much_is_refused_and_the_server_lives,
    files_of_a_document,
    styles_of_ones_own,
    references_for_other_programs,
    claims_are_checked_against_what_they_cite,
    a_draft_is_written_from_the_sources,
    evidence_of_a_document_is_checked_anywhere,
    written_from_the_terminal,
    written_over_mcp,
);

impl Running {
    async fn document(&self, body: Json) -> String {
        let made = self.post("/api/v1/documents", body).await;
        made["document_id"].as_str().unwrap().to_owned()
    }

    async fn typst(&self, text: &str) -> String {
        self.document(json!({"title": "On rain", "format": "typst", "text": text})).await
    }

    /// A book of which everything is known.
    async fn book(&self, family: &str, title: &str, year: &str) -> String {
        let body = json!({
            "title": title, "authors": [{"family": family, "given": "Ada"}], "publication_date": year,
            "publisher": "Sample Press", "genre": "book",
        });
        id(&self.post("/api/v1/sources", body).await).to_owned()
    }

    async fn patch(&self, document: &str, body: Json) -> Json {
        let (status, changed) = self.send(Method::PATCH, &format!("/api/v1/documents/{document}"), &body).await;
        assert!(status.is_success(), "{changed}");
        changed
    }

    async fn cited(&self, document: &str, body: Json) -> Json {
        self.post(&format!("/api/v1/documents/{document}/citations"), body).await
    }

    async fn rendered(&self, document: &str, query: &str) -> Vec<u8> {
        let response = self.get(&format!("/api/v1/documents/{document}/render?{query}")).await;
        let status = response.status();
        let bytes = response.bytes().await.unwrap().to_vec();
        assert!(status.is_success(), "{}", String::from_utf8_lossy(&bytes));
        bytes
    }

    async fn words(&self, document: &str, format: &str) -> String {
        String::from_utf8(self.rendered(document, &format!("format={format}")).await).unwrap()
    }
}

const NOBODY: &str = "0190aaaa-0000-7000-8000-000000000000";

async fn a_document_is_kept_version_by_version(server: Running) {
    let made = server.post("/api/v1/documents", json!({"title": "On  rain", "text": "It rains."})).await;
    assert_eq!((&made["title"], &made["version"], &made["style"]), (&json!("On rain"), &json!(1), &json!("apa")));
    let one = made["document_id"].as_str().unwrap();
    let changed = server.patch(one, json!({"text": "It rains often.", "message": "more exact"})).await;
    assert_eq!(changed["version"], 2);
    // What changes nothing is no version.
    assert_eq!(server.patch(one, json!({"text": "It rains often."})).await["version"], 2);
    assert_eq!(server.patch(one, json!({"style": "mla", "locale": "de-DE"})).await["version"], 3);
    let history = server.json(&format!("/api/v1/documents/{one}/history")).await;
    let told: Vec<_> =
        history["items"].as_array().unwrap().iter().map(|one| (one["version"].clone(), one["added"].clone())).collect();
    assert_eq!(told, [(json!(3), json!(0)), (json!(2), json!(6)), (json!(1), json!(9))]);
    assert_eq!(history["items"][1]["message"], "more exact");
    let then = server.json(&format!("/api/v1/documents/{one}?version=1")).await;
    assert_eq!((&then["text"], &then["style"]), (&json!("It rains."), &json!("apa")));
    let diff = server.json(&format!("/api/v1/documents/{one}/diff?from=1&to=2")).await;
    assert_eq!(diff["parts"][1], json!({"kind": "added", "text": " often"}));
    let back = server.post(&format!("/api/v1/documents/{one}/restore"), json!({"version": 1})).await;
    assert_eq!((&back["text"], &back["style"], &back["version"]), (&json!("It rains."), &json!("apa"), &json!(4)));
    // Each version is a manifest on the document's pointer.
    let pointer = server.json(&format!("/api/v1/pointers/documents/{one}")).await;
    assert_eq!(pointer["manifest_sha256"], back["manifest_sha256"]);
    let manifest = server.json(&format!("/api/v1/manifests/{}", back["manifest_sha256"].as_str().unwrap())).await;
    assert!(manifest["tree"]["text.md"].is_object() && manifest["tree"]["document.json"].is_object(), "{manifest}");
    let list = server.json("/api/v1/documents?q=RAIN").await;
    assert_eq!(list["items"][0]["document_id"], one);
    assert_eq!(server.json("/api/v1/documents?q=100%25").await["items"], json!([]));
    let gone = server.request(Method::DELETE, &format!("/api/v1/documents/{one}")).send().await.unwrap();
    assert_eq!(gone.status(), 204);
    refused(server.request(Method::GET, &format!("/api/v1/documents/{one}")), 404, "document_not_found").await;
}

async fn a_refused_restore_changes_nothing(server: Running) {
    let book = server.book("Curie", "Rays", "1910").await;
    let one = server.document(json!({"title": "On rain", "text": "It rains."})).await;
    server.cited(&one, json!({"source_id": book, "position": 8, "insert": true})).await;
    let cited = server.json(&format!("/api/v1/documents/{one}")).await["version"].as_u64().unwrap();
    let (status, _) = server.send(Method::DELETE, &format!("/api/v1/documents/{one}/citations/1"), &json!({})).await;
    assert!(status.is_success());
    let citations = || async { server.json(&format!("/api/v1/documents/{one}/citations")).await["items"].clone() };
    assert_eq!(citations().await, json!([]));

    let restore = |base: u64| {
        let body = json!({"version": cited, "base_version": base});
        server.request(Method::POST, &format!("/api/v1/documents/{one}/restore")).json(&body)
    };
    refused(restore(1), 409, "document_changed").await;
    assert_eq!(citations().await, json!([]), "a restore that is refused brings no citation back");

    let now = server.json(&format!("/api/v1/documents/{one}")).await["version"].as_u64().unwrap();
    assert!(restore(now).send().await.unwrap().status().is_success());
    assert_eq!(citations().await[0]["citation_number"], 1);
    assert_eq!(citations().await[0]["is_marked"], true);
}

async fn a_style_is_stored_under_its_id(server: Running) {
    let one = server.document(json!({"title": "On rain", "text": "It rains.", "style": "APA"})).await;
    let styles = server.json("/api/v1/styles").await;
    let ids: Vec<&str> =
        styles["items"].as_array().unwrap().iter().map(|style| style["style_id"].as_str().unwrap()).collect();
    for name in ["APA", "Chicago-18", "MLA", "IEEE"] {
        let changed = server.patch(&one, json!({"style": name})).await;
        let style = changed["style"].as_str().unwrap();
        assert!(ids.contains(&style), "{name} is stored as {style}, which no style is called");
    }
    assert_eq!(server.patch(&one, json!({"style": "apa"})).await["style"], "apa", "a listed short name stays");
    let body = json!({"style": "no-such-style"});
    refused(server.request(Method::PATCH, &format!("/api/v1/documents/{one}")).json(&body), 422, "style_unknown").await;
}

async fn two_who_write_at_once_are_told_of_each_other(server: Running) {
    let one = server.document(json!({"title": "On rain", "text": "It rains."})).await;
    let path = format!("/api/v1/documents/{one}");
    server.patch(&one, json!({"base_version": 1, "text": "Mine."})).await;
    let late = server.request(Method::PATCH, &path).json(&json!({"base_version": 1, "text": "Yours."}));
    let problem = refused(late, 409, "document_changed").await;
    assert_eq!((&problem["current"]["text"], &problem["current"]["version"]), (&json!("Mine."), &json!(2)));
    assert_eq!(problem["yours"]["text"], "Yours.");
    let late = server.request(Method::PATCH, &path).header("if-match", "\"1\"").json(&json!({"text": "Yours."}));
    refused(late, 409, "document_changed").await;
    assert_eq!(server.json(&path).await["text"], "Mine.");
    // Of many at once with the same version, one is first.
    let tries = (0..8).map(|number| {
        let request =
            server.request(Method::PATCH, &path).json(&json!({"base_version": 2, "text": format!("Try {number}")}));
        async { request.send().await.unwrap().status().as_u16() }
    });
    let mut statuses = join_all(tries).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409, 409, 409, 409, 409]);
    // Those who do not say a version are put one after the other.
    let tries = (0..6).map(|number| server.patch(&one, json!({"authors": [format!("A. Sample {number}")]})));
    join_all(tries).await;
    assert_eq!(server.json(&path).await["version"], 9);
}

async fn a_thousand_numbers_at_once(server: Running) {
    let one = server.typst("").await;
    let path = format!("/api/v1/documents/{one}/citation-number");
    let callers = (0..20).map(|_| async {
        let mut numbers = Vec::new();
        for _ in 0..50 {
            let (status, answer) = server.send(Method::POST, &path, &json!({})).await;
            assert!(status.is_success(), "{answer}");
            let number = answer["citation_number"].as_u64().unwrap();
            assert_eq!(answer["message"], format!("Next citation number is {number}"));
            numbers.push(number);
        }
        numbers
    });
    let mut numbers: Vec<u64> = join_all(callers).await.into_iter().flatten().collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(1..=1000));
}

async fn citations_follow_the_text(server: Running) {
    let book = server.book("Curie", "Rays", "1910").await;
    let one = server.typst("Rain falls. Snow falls.").await;
    // One stands at a place, the other has a marker.
    let placed = server.cited(&one, json!({"source_id": book, "citation_number": 1, "position": 10})).await;
    assert_eq!(placed["success"], true);
    assert_eq!(placed["message"], "Citation 1 added at position 10");
    assert_eq!(placed["citation"]["formatted"], "Curie, A. (1910). *Rays*. Sample Press.".replace('*', ""));
    server.patch(&one, json!({"text": "Today rain falls. Snow falls#footnote[2]."})).await;
    server.cited(&one, json!({"source_id": book, "citation_number": 2, "position": 0, "locator": "p. 7"})).await;
    let places = async || {
        let all = server.json(&format!("/api/v1/documents/{one}/citations")).await;
        let told = all["items"].as_array().unwrap().iter();
        told.map(|one| {
            (one["citation_number"].as_u64().unwrap(), one["position"].as_u64().unwrap(), one["is_attached"] == true)
        })
        .collect::<Vec<_>>()
    };
    assert_eq!(places().await, [(1, 16, true), (2, 28, true)]);
    server.patch(&one, json!({"text": "Every day. Today rain falls. Snow falls#footnote[2] #footnote[9]."})).await;
    assert_eq!(places().await, [(1, 27, true), (2, 39, true)]);
    let all = server.json(&format!("/api/v1/documents/{one}/citations")).await;
    assert_eq!(all["dangling"], json!([9]));
    let typ = server.words(&one, "typ").await;
    assert!(typ.contains("rain falls#footnote[Curie, A\\. (1910)\\. #emph[Rays];\\. Sample Press\\.]. Snow"), "{typ}");
    assert!(typ.contains("Sample Press, p. 7\\.]"), "{typ}");
    // A marker that is taken out takes its citation with it, and brings it back.
    server.patch(&one, json!({"text": "Today rain falls."})).await;
    assert_eq!(places().await, [(1, 16, true), (2, 16, false)]);
    let found = server.post(&format!("/api/v1/documents/{one}/bibliography"), json!({})).await;
    assert_eq!(found["citation_count"], 1);
    server.post(&format!("/api/v1/documents/{one}/restore"), json!({"version": 2})).await;
    assert_eq!(places().await, [(1, 16, true), (2, 28, true)]);
    // Removed, it is gone with its marker; its number is not given out again.
    let path = format!("/api/v1/documents/{one}/citations/2");
    let (status, gone) = server.send(Method::DELETE, &path, &json!({})).await;
    assert!(status.is_success() && gone["removed"] == true, "{gone}");
    let now = server.json(&format!("/api/v1/documents/{one}")).await;
    assert_eq!(now["text"], "Today rain falls. Snow falls.");
    refused(server.request(Method::DELETE, &path), 404, "document_citation_not_found").await;
    let next = server.post(&format!("/api/v1/documents/{one}/citation-number"), json!({})).await;
    assert_eq!(next["citation_number"], 10);
    // With `insert` the marker is put in.
    let put = server.cited(&one, json!({"source_id": book, "position": 16, "insert": true, "prefix": "see"})).await;
    assert_eq!(put["citation"]["is_marked"], true);
    let now = server.json(&format!("/api/v1/documents/{one}")).await;
    assert_eq!(now["text"], "Today rain falls#footnote[11]. Snow falls.");
    assert_eq!(put["citation"]["formatted"], "see Curie, A. (1910). Rays. Sample Press.");
    // The same again is the same; another source under its number is refused.
    server.cited(&one, json!({"source_id": book, "citation_number": 11, "position": 3})).await;
    let other = server.book("Noether", "Rings", "1921").await;
    let body = json!({"source_id": other, "citation_number": 11, "position": 3});
    let again = server.request(Method::POST, &format!("/api/v1/documents/{one}/citations")).json(&body);
    refused(again, 409, "citation_number_taken").await;
    let (status, changed) = server
        .send(
            Method::PATCH,
            &format!("/api/v1/documents/{one}/citations/11"),
            &json!({"source_id": other, "prefix": null}),
        )
        .await;
    assert!(status.is_success(), "{changed}");
    assert_eq!(changed["formatted"], "Noether, A. (1921). Rings. Sample Press.");
}

async fn ec_12_to_14_what_is_missing_has_a_placeholder(server: Running) {
    let page = json!({"url": "https://example.org/page"});
    let bare = id(&server.post("/api/v1/sources", page).await).to_owned();
    let one = server.typst("It rains#footnote[1].").await;
    server.cited(&one, json!({"source_id": bare, "citation_number": 1, "position": 8})).await;
    let made = server.post(&format!("/api/v1/documents/{one}/bibliography"), json!({"style": "APA"})).await;
    let text = made["entries"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Unknown Author. (n.d.). Untitled."), "{text}");
    let body = json!({"style": "mla", "missing": "csl"});
    let made = server.post(&format!("/api/v1/documents/{one}/bibliography"), body).await;
    let text = made["entries"][0]["text"].as_str().unwrap();
    assert!(!text.contains("Unknown Author") && !text.contains("Untitled"), "{text}");
    let body = json!({"style": "chicago-notes", "kind": "note"});
    let made = server.post(&format!("/api/v1/sources/{bare}/format"), body).await;
    assert!(made["text"].as_str().unwrap().starts_with("Unknown Author, “Untitled,”"), "{made}");
}

async fn ec_15_and_16_unknown_documents_and_sources(server: Running) {
    let post = |path: String, body: Json| server.request(Method::POST, &path).json(&body);
    let path = format!("/api/v1/documents/{NOBODY}");
    refused(post(format!("{path}/citation-number"), json!({})), 404, "document_not_found").await;
    refused(post("/api/v1/documents/seven/citation-number".to_owned(), json!({})), 404, "document_not_found").await;
    let book = server.book("Curie", "Rays", "1910").await;
    refused(post(format!("{path}/citations"), json!({"source_id": book, "position": 0})), 404, "document_not_found")
        .await;
    refused(post(format!("{path}/bibliography"), json!({})), 404, "document_not_found").await;
    let one = server.typst("It rains.").await;
    let path = format!("/api/v1/documents/{one}");
    let wrong = refused(
        post(format!("{path}/citations"), json!({"source_id": NOBODY, "position": 0})),
        404,
        "source_not_found",
    )
    .await;
    assert_eq!(wrong["field"], "source_id");
    refused(post(format!("{path}/citations"), json!({"source_id": "nasa", "position": 0})), 404, "source_not_found")
        .await;
    for (body, field) in [
        (json!({"source_id": book, "citation_number": 0}), "citation_number"),
        (json!({"source_id": book, "locator": "x".repeat(2000)}), "locator"),
        (json!({"source_id": book, "position": 99_999_999}), "position"),
        (json!({"source_id": book, "positon": 1}), "positon"),
    ] {
        let wrong = refused(post(format!("{path}/citations"), body), 422, "invalid_field").await;
        assert!(wrong["field"] == field || wrong["detail"].as_str().unwrap().contains(field), "{wrong}");
    }
    // Nothing of that left anything behind.
    assert_eq!(server.json(&format!("{path}/citations")).await["items"], json!([]));
    refused(post(format!("{path}/bibliography"), json!({"style": "aap"})), 422, "style_unknown").await;
    refused(post("/api/v1/documents".to_owned(), json!({"title": " "})), 422, "invalid_field").await;
    refused(post("/api/v1/documents".to_owned(), json!({"title": "a", "formt": "typst"})), 422, "invalid_field").await;
    refused(post("/api/v1/documents".to_owned(), json!({"title": "a", "format": "word"})), 422, "invalid_field").await;
    refused(post("/api/v1/documents".to_owned(), json!({"title": "a", "style": "aap"})), 422, "style_unknown").await;
    refused(post("/api/v1/documents".to_owned(), json!({"title": "a", "locale": "xx"})), 422, "invalid_field").await;
    refused(
        post("/api/v1/documents".to_owned(), json!({"title": "a", "source_ids": [NOBODY]})),
        404,
        "source_not_found",
    )
    .await;
    refused(server.request(Method::GET, &format!("{path}?version=7")), 404, "document_version_not_found").await;
    refused(server.request(Method::GET, &format!("{path}/render?format=doc")), 422, "invalid_field").await;
    refused(server.request(Method::GET, &format!("{path}/render?format=svg&page=9")), 404, "page_not_found").await;
}

async fn ec_17_without_citations_the_bibliography_is_empty(server: Running) {
    let one = server.typst("It rains.").await;
    let made = server.post(&format!("/api/v1/documents/{one}/bibliography"), json!({"style": "apa"})).await;
    assert_eq!((&made["entries"], &made["citation_count"]), (&json!([]), &json!(0)));
    assert!(made["bibliography"].as_str().unwrap().contains("= References"), "{made}");
    assert!(!server.words(&one, "typ").await.contains("= References"));
}

async fn one_entry_for_each_source_or_each_citation(server: Running) {
    let (late, early) = (server.book("Zuse", "Machines", "1941").await, server.book("Abel", "Groups", "1826").await);
    let one = server.typst("A#footnote[1] b#footnote[2] c#footnote[3].").await;
    for (number, source) in [(1, &late), (2, &early), (3, &late)] {
        server.cited(&one, json!({"source_id": source, "citation_number": number, "position": 0})).await;
    }
    let path = format!("/api/v1/documents/{one}/bibliography");
    let made = server.post(&path, json!({"style": "apa"})).await;
    let told = |made: &Json| -> Vec<(String, Json)> {
        let entries = made["entries"].as_array().unwrap().iter();
        entries
            .map(|one| (one["text"].as_str().unwrap().chars().take(4).collect(), one["citation_numbers"].clone()))
            .collect()
    };
    assert_eq!(told(&made), [("Abel".to_owned(), json!([2])), ("Zuse".to_owned(), json!([1, 3]))]);
    assert_eq!(made["citation_count"], 3);
    assert!(made["bibliography"].as_str().unwrap().contains("#emph[Groups];"), "{made}");
    let made = server.post(&path, json!({"entries": "per_citation"})).await;
    assert_eq!(
        told(&made),
        [("Zuse".to_owned(), json!([1])), ("Abel".to_owned(), json!([2])), ("Zuse".to_owned(), json!([3]))]
    );
    // Put into the text it stands there once, and is kept up.
    server.post(&path, json!({"insert": true})).await;
    server.post(&path, json!({"insert": true, "style": "apa"})).await;
    let text = server.json(&format!("/api/v1/documents/{one}")).await["text"].as_str().unwrap().to_owned();
    assert_eq!(text.matches("= References").count(), 1, "{text}");
    server.send(Method::DELETE, &format!("/api/v1/documents/{one}/citations/2"), &json!({})).await;
    let typ = server.words(&one, "typ").await;
    assert!(typ.contains("= References") && !typ.contains("Abel"), "{typ}");
    let pdf = server.rendered(&one, "format=pdf").await;
    assert!(pdf.starts_with(b"%PDF-"));
}

async fn whatever_is_cited_is_in_the_bibliography(server: Running) {
    let text = server.with_text("harbour.txt", "The harbour wall was rebuilt in 1931 after the great storm.").await;
    let one = server.document(json!({"title": "Harbour", "text": "# Harbour\n\nIt was rebuilt[^1]."})).await;
    server.cited(&one, json!({"source_id": id(&text), "citation_number": 1, "position": 0})).await;
    for style in ["apa", "mla", "chicago-notes", "chicago-author-date", "ieee", "harvard", "vancouver", "nature"] {
        let made = server.post(&format!("/api/v1/documents/{one}/bibliography"), json!({"style": style})).await;
        let entries = made["entries"].as_array().unwrap();
        assert_eq!(entries.len(), 1, "{style}: {made}");
        assert!(entries[0]["text"].as_str().unwrap().to_lowercase().contains("harbour.txt"), "{style}: {made}");
    }
    // The heading that is the title is said once, by the template.
    let typ = server.words(&one, "typ").await;
    assert!(typ.contains("title: \"Harbour\"") && !typ.contains("= Harbour"), "{typ}");
    server.patch(&one, json!({"template": "none"})).await;
    assert!(server.words(&one, "typ").await.contains("= Harbour"));
}

async fn a_deleted_source_stays_in_the_document(server: Running) {
    let book = server.book("Curie", "Rays", "1910").await;
    let one = server.typst("It rains#footnote[1].").await;
    server.cited(&one, json!({"source_id": book, "citation_number": 1, "position": 8})).await;
    let impact = server.json(&format!("/api/v1/sources/{book}/impact")).await;
    assert_eq!(impact["documents"], json!([one]));
    let gone = server.request(Method::DELETE, &format!("/api/v1/sources/{book}")).send().await.unwrap();
    assert!(gone.status().is_success());
    let cited = server.json(&format!("/api/v1/documents/{one}/citations")).await;
    let citation = &cited["items"][0];
    assert_eq!(
        (&citation["source_id"], &citation["is_deleted"], &citation["title"]),
        (&json!(null), &json!(true), &json!("Rays"))
    );
    assert_eq!(citation["formatted"], "Curie, A. (1910). Rays. Sample Press.");
    let made = server.post(&format!("/api/v1/documents/{one}/bibliography"), json!({})).await;
    assert_eq!(made["entries"][0]["source_id"], json!(null));
    assert!(server.words(&one, "md").await.contains("[^1]: Curie, A. (1910). *Rays*. Sample Press."));
}

async fn sources_of_a_document(server: Running) {
    let one = server.typst("It rains#footnote[1].").await;
    let path = format!("/api/v1/documents/{one}/sources");
    let text = server.with_text("harbour.txt", "The harbour wall was rebuilt in 1931 after the storm.").await;
    let added = server.post(&path, json!({"source_id": id(&text)})).await;
    assert_eq!((&added["title"], &added["citation_count"]), (&json!("harbour.txt"), &json!(0)));
    let typed = server.post(&path, json!({"reference": {"title": "Rays", "author": "Marie Curie"}})).await;
    assert_eq!((&typed["origin"], &typed["authors"]), (&json!("manual"), &json!(["Marie Curie"])));
    refused(server.request(Method::POST, &path).json(&json!({"source_id": NOBODY})), 404, "source_not_found").await;
    server.cited(&one, json!({"source_id": id(&text), "citation_number": 1, "position": 8})).await;
    let listed = server.json(&path).await;
    let told: Vec<_> = listed["items"].as_array().unwrap().iter().map(|one| one["citation_count"].clone()).collect();
    assert_eq!(told, [json!(1), json!(0)]);
    server.source(id(&text), |source| source["status"] == "ready").await;
    // Only its own sources are searched.
    server.with_text("other.txt", "The harbour wall of another town was rebuilt in 1950.").await;
    let found = server.post(&format!("/api/v1/documents/{one}/search"), json!({"query": "harbour wall rebuilt"})).await;
    assert_eq!(found["results"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["results"][0]["source_id"], id(&text));
    assert!(found["results"][0]["text"].as_str().unwrap().contains("1931"));
    let found = server.post(&format!("{path}/query"), json!({"query": "harbour wall rebuilt", "threshold": 0.1})).await;
    assert_eq!(found["sources"].as_array().unwrap().len(), 1, "{found}");
    let cited = server.request(Method::DELETE, &format!("{path}/{}", id(&text)));
    let problem = refused(cited, 409, "source_is_cited").await;
    assert_eq!(problem["citation_numbers"], json!([1]));
    let gone = server.request(Method::DELETE, &format!("{path}/{}?citations=remove", id(&text))).send().await.unwrap();
    assert_eq!(gone.status(), 204);
    assert_eq!(server.json(&format!("/api/v1/documents/{one}")).await["text"], "It rains.");
    assert_eq!(server.json(&path).await["items"].as_array().unwrap().len(), 1);
}

async fn notes_are_short_the_second_time(server: Running) {
    let (rays, rings) =
        (server.book("Curie", "Rays and Other Matters", "1910").await, server.book("Noether", "Rings", "1921").await);
    let one =
        server.document(json!({"title": "Notes", "style": "chicago-notes", "text": "A[^1] b[^2] c[^3] d[^4]."})).await;
    for (number, source) in [(1, &rays), (2, &rays), (3, &rings), (4, &rays)] {
        let body = json!({"source_id": source, "citation_number": number, "position": 0, "locator": "12"});
        server.cited(&one, body).await;
    }
    let all = server.json(&format!("/api/v1/documents/{one}/citations")).await;
    let notes: Vec<_> = all["items"].as_array().unwrap().iter().map(|one| one["formatted"].as_str().unwrap()).collect();
    assert_eq!(notes[0], "Ada Curie, Rays and Other Matters (Sample Press, 1910), 12.");
    assert!(notes[1].starts_with("Curie, Rays") || notes[1].starts_with("Ibid"), "{notes:?}");
    assert!(notes[3].starts_with("Curie, Rays") && notes[3].ends_with("12."), "{notes:?}");
    // In the text, and those side by side together.
    let one = server
        .document(json!({"title": "In text", "cite_as": "in_text", "text": "It rains.[^1][^2]\n\nAnd snows[^2]."}))
        .await;
    for (number, source) in [(1, &rings), (2, &rays)] {
        server.cited(&one, json!({"source_id": source, "citation_number": number, "position": 0})).await;
    }
    let words = server.words(&one, "md").await;
    assert!(
        words.contains("It rains (Curie, 1910; Noether, 1921).") && words.contains("snows (Curie, 1910)."),
        "{words}"
    );
}

async fn rendered_in_every_format(server: Running) {
    let book = server.book("Curie", "Rays", "1910").await;
    let text = "= Rain\n\nIt rains _often_#footnote[1].\n\n#html.elem(\"script\")[alert(1)]";
    let one = server.typst(text).await;
    server.cited(&one, json!({"source_id": book, "citation_number": 1, "position": 0})).await;
    let response = server.get(&format!("/api/v1/documents/{one}/render")).await;
    assert_eq!(response.headers()["content-type"], "application/pdf");
    assert_eq!(response.headers()["ibid-pages"], "2");
    assert!(response.headers()["content-security-policy"].to_str().unwrap().starts_with("sandbox"));
    assert!(server.rendered(&one, "format=svg&page=2").await.starts_with(b"<svg"));
    assert!(server.rendered(&one, "format=png").await.starts_with(b"\x89PNG"));
    let html = server.words(&one, "html").await;
    assert!(html.contains("Curie") && !html.contains("<script"), "{html}");
    let md = server.words(&one, "md").await;
    assert!(md.contains("It rains *often*[^1].") && md.contains("[^1]: Curie") && md.contains("## References"), "{md}");
    // The whole in Typst stands alone: as a document of its own it is set again.
    let typ = server.words(&one, "typ").await;
    let alone = server.document(json!({"title": "Alone", "format": "typst", "template": "none", "text": typ})).await;
    assert!(server.rendered(&alone, "format=pdf").await.starts_with(b"%PDF-"));
    // Faults are told with their place in the text as it was written, here and in a preview.
    server.patch(&one, json!({"text": "Fine#footnote[1]\nnot #oops"})).await;
    let wrong = server.request(Method::GET, &format!("/api/v1/documents/{one}/render"));
    let problem = refused(wrong, 422, "document_does_not_compile").await;
    assert_eq!((&problem["faults"][0]["line"], &problem["faults"][0]["column"]), (&json!(2), &json!(6)), "{problem}");
    let path = format!("/api/v1/documents/{one}/preview");
    let seen = server.post(&path, json!({})).await;
    assert_eq!((&seen["pages"], &seen["faults"][0]["line"]), (&json!([]), &json!(2)));
    let seen = server.post(&path, json!({"text": "= Two\n#pagebreak()\nThree", "style": "mla"})).await;
    assert_eq!(seen["page_count"], 2, "{seen}");
    let known = &seen["pages"][0]["hash"];
    let seen = server.post(&path, json!({"text": "= Two\n#pagebreak()\nFour", "style": "mla", "known": [known]})).await;
    assert_eq!(seen["pages"][0]["svg"], json!(null));
    assert!(seen["pages"][1]["svg"].as_str().unwrap().starts_with("<svg"));
    assert_eq!(server.json(&format!("/api/v1/documents/{one}")).await["version"], 2, "a preview saves nothing");
}

async fn too_much_is_refused_and_the_server_lives(server: Running) {
    let one = server.typst("").await;
    let path = format!("/api/v1/documents/{one}");
    let render = || server.request(Method::GET, &format!("{path}/render"));
    for (text, said) in [
        ("#read(\"/etc/passwd\")", "no file 'etc/passwd'"),
        ("#import \"@preview/cetz:0.3.0\": canvas", "packages are not available"),
        ("#while true {}", "always true"),
        ("#let i = 0\n#while i < 1 { i = i - 1 }", "infinite"),
    ] {
        server.patch(&one, json!({"text": text})).await;
        let problem = refused(render(), 422, "document_does_not_compile").await;
        assert!(problem["detail"].as_str().unwrap().contains(said), "{problem}");
    }
    // More memory than there is ends the child and nothing else.
    server.patch(&one, json!({"text": "#let a = \"x\" * 100000000000\n#a.len()"})).await;
    refused(render(), 422, "document_too_demanding").await;
    server.patch(&one, json!({"text": "[".repeat(5_000)})).await;
    // Brackets alone are words.
    assert!(server.rendered(&one, "").await.starts_with(b"%PDF-"));
    server.patch(&one, json!({"text": "#emph[".repeat(2_000)})).await;
    let deep = render().send().await.unwrap();
    assert_eq!(deep.status(), 422, "{}", deep.text().await.unwrap());
    let long = server.request(Method::PATCH, &path).json(&json!({"text": "rain ".repeat(2_000_000)}));
    let status = long.send().await.unwrap().status().as_u16();
    assert!(status == 413 || status == 422, "{status}");
    server.patch(&one, json!({"text": "It rains."})).await;
    assert!(server.rendered(&one, "").await.starts_with(b"%PDF-"));
}

async fn files_of_a_document(server: Running) {
    let one = server.typst("#image(\"dot.svg\")").await;
    let path = format!("/api/v1/documents/{one}");
    refused(server.request(Method::GET, &format!("{path}/render")), 422, "document_does_not_compile").await;
    let dot = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><circle r='4'/></svg>";
    let put = server.request(Method::PUT, &format!("{path}/assets/dot.svg")).body(dot).send().await.unwrap();
    assert_eq!(put.status(), 200);
    let document: Json = put.json().await.unwrap();
    assert_eq!((&document["assets"][0]["name"], &document["version"]), (&json!("dot.svg"), &json!(2)));
    assert!(server.rendered(&one, "").await.starts_with(b"%PDF-"));
    let got = server.get(&format!("{path}/assets/dot.svg")).await;
    assert_eq!(
        (got.headers()["content-type"].to_str().unwrap(), got.headers()["content-disposition"].to_str().unwrap()),
        ("image/svg+xml", "attachment; filename=\"dot.svg\"")
    );
    assert_eq!(got.text().await.unwrap(), dot);
    for name in ["document.typ", "template.typ", "main.typ", ".hidden", "a%2Fb.svg", "..%2F..%2Fx"] {
        let put = server.request(Method::PUT, &format!("{path}/assets/{name}")).body("x").send().await.unwrap();
        assert_eq!(put.status(), 422, "{name}");
    }
    // Larger than bodies are elsewhere, and larger than files may be.
    for (size, right) in [(3 << 20, 200), ((32 << 20) + 1, 413)] {
        let put = server.request(Method::PUT, &format!("{path}/assets/large.bin")).body(vec![7; size]).send().await;
        assert_eq!(put.map(|put| put.status().as_u16()).unwrap_or(413), right);
    }
    server.request(Method::DELETE, &format!("{path}/assets/large.bin")).send().await.unwrap();
    let gone = server.request(Method::DELETE, &format!("{path}/assets/dot.svg")).send().await.unwrap();
    assert_eq!(gone.json::<Json>().await.unwrap()["assets"], json!([]));
    refused(server.request(Method::GET, &format!("{path}/assets/dot.svg")), 404, "document_file_not_found").await;
    server.post(&format!("{path}/restore"), json!({"version": 2})).await;
    assert!(server.rendered(&one, "").await.starts_with(b"%PDF-"));
}

const STYLE: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
  <info><title>Sample House Style</title><id>sample</id><updated>2024-01-01T00:00:00+00:00</updated></info>
  <citation><layout prefix="{" suffix="}"><text variable="title"/></layout></citation>
  <bibliography><layout><text variable="title" font-style="italic"/><text value=" indeed"/></layout></bibliography>
</style>"#;

async fn styles_of_ones_own(server: Running) {
    let styles = server.json("/api/v1/styles").await;
    let known = |styles: &Json, wanted: &str| {
        styles["items"].as_array().unwrap().iter().any(|style| {
            style["style_id"] == wanted || style["aliases"].as_array().unwrap().iter().any(|alias| alias == wanted)
        })
    };
    for wanted in ["apa", "mla", "chicago-notes", "chicago-author-date", "ieee", "harvard", "vancouver", "nature"] {
        assert!(known(&styles, wanted), "{wanted}");
    }
    assert!(styles["locales"].as_array().unwrap().len() > 30);
    let made = server
        .request(Method::POST, "/api/v1/styles")
        .header("content-type", "application/xml")
        .body(STYLE)
        .send()
        .await
        .unwrap();
    assert_eq!(made.status(), 201);
    let style = made.json::<Json>().await.unwrap()["style_id"].as_str().unwrap().to_owned();
    assert_eq!(style, "own/sample-house-style");
    let book = server.book("Curie", "Rays", "1910").await;
    let one = server.document(json!({"title": "Own", "style": style, "text": "It rains[^1]."})).await;
    server.cited(&one, json!({"source_id": book, "citation_number": 1, "position": 0})).await;
    let made = server.post(&format!("/api/v1/documents/{one}/bibliography"), json!({})).await;
    assert_eq!(made["entries"][0]["html"], "<i>Rays</i> indeed");
    // The text of one does, too.
    let items = json!([{"id": "a", "type": "book", "title": "Rays & Co"}]);
    let body = json!({"items": items, "style": STYLE, "kind": "in_text"});
    let made = server.post("/api/v1/citations/format", body).await;
    assert_eq!(made["entries"], json!([{"id": "a", "text": "{Rays & Co}"}]));
    let body = json!({"items": items, "style": "apa", "kind": "bibliography", "output": "html"});
    let made = server.post("/api/v1/citations/format", body).await;
    assert_eq!(made["entries"][0]["text"], "<i>Rays &amp; Co</i>. (n.d.).");
    let post = |body: &'static str| {
        server.request(Method::POST, "/api/v1/styles").header("content-type", "application/xml").body(body)
    };
    for wrong in [
        "",
        "<style/>",
        "{}",
        "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><style>&x;</style>",
    ] {
        let status = post(wrong).send().await.unwrap().status().as_u16();
        assert!(status == 422 || status == 400, "{wrong}: {status}");
    }
    let gone = server.request(Method::DELETE, "/api/v1/styles/sample-house-style").send().await.unwrap();
    assert_eq!(gone.status(), 204);
    let body = json!({"items": items, "style": style});
    refused(server.request(Method::POST, "/api/v1/citations/format").json(&body), 422, "style_unknown").await;
}

async fn references_for_other_programs(server: Running) {
    let (book, other) = (server.book("Curie", "Rays", "1910").await, server.book("Noether", "Rings", "1921").await);
    let one = server.document(json!({"title": "Refs", "text": "It rains[^1]."})).await;
    server.cited(&one, json!({"source_id": book, "citation_number": 1, "position": 0})).await;
    let text = async |path: String| server.get(&path).await.text().await.unwrap();
    let bib = text(format!("/api/v1/documents/{one}/references?format=bibtex")).await;
    assert!(bib.starts_with("@book{curie1910rays,") && !bib.contains("Noether"), "{bib}");
    let ris = text(format!("/api/v1/references?format=ris&source_ids={other}")).await;
    assert!(ris.starts_with("TY  - BOOK") && ris.contains("AU  - Noether, Ada") && !ris.contains("Curie"), "{ris}");
    let csl: Json = serde_json::from_str(&text("/api/v1/references?format=csl_json".to_owned()).await).unwrap();
    assert_eq!(csl.as_array().unwrap().len(), 2);
    refused(server.request(Method::GET, "/api/v1/references?format=word"), 422, "invalid_field").await;
    let made = server.post(&format!("/api/v1/sources/{book}/format"), json!({"style": "mla"})).await;
    assert_eq!(made["text"], "Curie, Ada. Rays. Sample Press, 1910.");
    assert_eq!(made["html"], "Curie, Ada. <i>Rays</i>. Sample Press, 1910.");
    assert_eq!(made["markdown"], "Curie, Ada. *Rays*. Sample Press, 1910.");
}

async fn claims_are_checked_against_what_they_cite(server: Running) {
    let text = server.with_text("harbour.txt", "The harbour wall was rebuilt in 1931 after the great storm.").await;
    let written = "= Harbour\n\nThe harbour wall was rebuilt in 1931#footnote[1]. The harbour wall was rebuilt in 1950 by the \
                   navy#footnote[2]. The lighthouse was painted red in 1925.";
    let one = server.typst(written).await;
    for number in [1, 2] {
        server.cited(&one, json!({"source_id": id(&text), "citation_number": number, "position": 0})).await;
    }
    let found = server.json(&format!("/api/v1/documents/{one}/support")).await;
    let claims = found["claims"].as_array().unwrap();
    assert_eq!((&claims[0]["verdict"], &claims[0]["citation_numbers"]), (&json!("supported"), &json!([1])), "{found}");
    assert_ne!(claims[1]["verdict"], "supported", "{found}");
    let (start, end) =
        (claims[0]["start_index"].as_u64().unwrap() as usize, claims[0]["end_index"].as_u64().unwrap() as usize);
    assert!(written[start..end].starts_with("The harbour wall was rebuilt in 1931"), "{}", &written[start..end]);
    assert!(found["uncited"][0]["text"].as_str().unwrap().contains("lighthouse"), "{found}");
}

async fn a_draft_is_written_from_the_sources(server: Running) {
    let harbour = "The harbour wall was rebuilt in 1931 after the great storm. The new wall is four metres high.";
    let text = server.with_text("harbour.txt", harbour).await;
    server.settled().await;
    let one = server.typst("Before.").await;
    let path = format!("/api/v1/documents/{one}/draft");
    let nothing = server.request(Method::POST, &path).json(&json!({"question": "Which wall?"}));
    refused(nothing, 422, "invalid_field").await;
    server.post(&format!("/api/v1/documents/{one}/sources"), json!({"source_id": id(&text)})).await;
    refused(server.request(Method::POST, &path).json(&json!({})), 422, "invalid_field").await;
    let body = json!({"question": "When was the harbour wall rebuilt?", "outline": ["When the harbour wall was rebuilt", "How high the wall is"]});
    let job = server.post(&path, body).await;
    server.settled().await;
    let job = server.json(&format!("/api/v1/jobs/{}", job["id"].as_str().or(job["job_id"].as_str()).unwrap())).await;
    assert_eq!(job["state"], "succeeded", "{job}");
    let now = server.json(&format!("/api/v1/documents/{one}")).await;
    let text = now["text"].as_str().unwrap();
    assert!(text.starts_with("Before.\n\n= When the harbour wall was rebuilt\n"), "{text}");
    assert!(
        text.contains("1931") && text.contains("#footnote[1]") && text.contains("= How high the wall is"),
        "{text}"
    );
    let cited = server.json(&format!("/api/v1/documents/{one}/citations")).await;
    assert_eq!(cited["dangling"], json!([]));
    let first = &cited["items"][0];
    assert!(first["is_marked"] == true && harbour.contains(first["quote"].as_str().unwrap()), "{cited}");
    assert!(server.rendered(&one, "").await.starts_with(b"%PDF-"));
    // Nobody finds the questions among their conversations.
    assert_eq!(server.json("/api/v1/conversations").await["items"], json!([]));
}

async fn evidence_of_a_document_is_checked_anywhere(server: Running) {
    let text = server.with_text("harbour.txt", "The harbour wall\nwas  rebuilt in 1931 after the great storm.").await;
    let one = server.document(json!({"title": "Harbour", "text": "The wall was rebuilt in 1931[^1]."})).await;
    let quote = "The harbour wall\nwas  rebuilt in 1931";
    server.cited(&one, json!({"source_id": id(&text), "citation_number": 1, "position": 0, "quote": quote})).await;
    let bundle = server.get(&format!("/api/v1/evidence/document/{one}")).await;
    assert_eq!(bundle.headers()["content-type"], "application/zip");
    let bytes = bundle.bytes().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bundle.zip");
    std::fs::write(&file, &bytes).unwrap();
    let checked = server.ibid(&["--json", "verify", file.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(checked.status.success() && said.contains(&one), "{said}");
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&bytes)).unwrap();
    let citations: Json = serde_json::from_reader(zip.by_name("citations.json").unwrap()).unwrap();
    assert!(citations.to_string().contains(&json!(quote).to_string()), "{citations}");
    refused(server.request(Method::GET, &format!("/api/v1/evidence/document/{NOBODY}")), 404, "document_not_found")
        .await;
}

async fn written_from_the_terminal(server: Running) {
    let book = server.book("Curie", "Rays", "1910").await;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let done = |arguments: &[&str]| {
        let done = server.ibid(arguments);
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success(), "{arguments:?}: {said}{}", String::from_utf8_lossy(&done.stderr));
        said
    };
    std::fs::write(path("rain.typ"), "It rains. It pours.").unwrap();
    let made: Json =
        serde_json::from_str(&done(&["--json", "doc", "new", "On rain", &path("rain.typ"), "--style", "mla"])).unwrap();
    let one = made["document_id"].as_str().unwrap();
    assert_eq!((&made["format"], &made["style"]), (&json!("typst"), &json!("mla")));
    let said = done(&["doc", "cite", one, &book, "--after", "It rains", "--locator", "p. 7"]);
    assert!(said.contains("[1] Curie, Ada. Rays. Sample Press, 1910, p. 7."), "{said}");
    assert_eq!(done(&["doc", "show", one]).trim(), "It rains#footnote[1]. It pours.");
    assert_eq!(done(&["doc", "bib", one]).trim(), "Curie, Ada. Rays. Sample Press, 1910.");
    assert_eq!(done(&["doc", "bib", one, "--style", "apa"]).trim(), "Curie, A. (1910). Rays. Sample Press.");
    let said = done(&["doc", "build", one, &path("rain.pdf")]);
    assert!(said.contains("2 pages") && std::fs::read(path("rain.pdf")).unwrap().starts_with(b"%PDF-"), "{said}");
    done(&["doc", "build", one, &path("rain.md")]);
    assert!(std::fs::read_to_string(path("rain.md")).unwrap().contains("## Works Cited"));
    std::fs::write(path("rain.typ"), "It rains#footnote[1]. It hails.").unwrap();
    let said = done(&["doc", "watch", one, &path("rain.typ"), &path("again.pdf"), "--once"]);
    assert!(said.contains("again.pdf") && said.contains(" ms"), "{said}");
    std::fs::write(path("new.typ"), "It snows#footnote[1].").unwrap();
    done(&["doc", "edit", one, &path("new.typ"), "--message", "another weather"]);
    assert!(done(&["doc", "history", one]).contains("another weather"));
    done(&["doc", "restore", one, "2"]);
    assert_eq!(done(&["doc", "show", one]).trim(), "It rains#footnote[1]. It pours.");
    assert!(done(&["doc", "list"]).contains("On rain"));
    let wrong = server.ibid(&["doc", "cite", one, &book, "--after", "It"]);
    assert!(!wrong.status.success() && String::from_utf8_lossy(&wrong.stderr).contains("2 times"));
}

async fn written_over_mcp(server: Running) {
    let book = server.book("Curie", "Rays", "1910").await;
    let mut client = Client::over_http(&server, OLD).await;
    let new = json!({"title": "Rays", "format": "typst", "style": "mla"});
    let (made, _) = client.called("create_document", new).await;
    let one = made["document"]["document_id"].as_str().unwrap().to_owned();
    let named = json!({"document_id": one});
    for number in 1..=2 {
        let (next, said) = client.called("get_next_citation_number", named.clone()).await;
        assert_eq!(
            (&next["citation_number"], said.as_str()),
            (&json!(number), format!("Next citation number is {number}").as_str())
        );
    }
    let text = "Rays are seen#footnote[1] and heard#footnote[2].";
    let (saved, _) =
        client.called("write_document", json!({"document_id": one, "text": text, "base_version": 1})).await;
    assert_eq!(saved["document"]["version"], 2);
    for number in 1..=2 {
        let body =
            json!({"document_id": one, "source_id": book, "citation_number": number, "position": 13, "locator": "7"});
        let (cited, said) = client.called("add_citation", body).await;
        assert_eq!(cited["success"], true);
        assert!(said.contains("Curie, Ada. Rays. Sample Press, 1910, p. 7."), "{said}");
    }
    let (made, said) = client.called("update_bibliography", json!({"document_id": one, "style": "APA"})).await;
    assert_eq!((&made["citation_count"], made["entries"].as_array().unwrap().len()), (&json!(2), 1));
    assert!(said.ends_with("Curie, A. (1910). Rays. Sample Press."), "{said}");
    client.called("remove_citation", json!({"document_id": one, "citation_number": 2})).await;
    let (now, _) = client.called("read_document", named).await;
    assert_eq!(now["document"]["text"], "Rays are seen#footnote[1] and heard.");
    // What is wrong is said so that the next call can be right.
    let late = client.refused("write_document", json!({"document_id": one, "text": "x", "base_version": 1})).await;
    assert!(late.contains("version 3"), "{late}");
    let nobody = client.refused("get_next_citation_number", json!({"document_id": NOBODY})).await;
    assert!(nobody.contains("no document"), "{nobody}");
    let unknown = client.refused("add_citation", json!({"document_id": one, "source_id": NOBODY, "position": 0})).await;
    assert!(unknown.contains("no source"), "{unknown}");
}

/// Some thirty pages with 120 footnotes, read again as any other PDF: each note stands on the page of its marker, and the
/// bibliography is sorted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_footnote_stands_on_the_page_of_its_marker() {
    let server = Running::start_with(ibid_testkit::TestEngine::Sqlite, &["--embedder", "none"]).await.unwrap();
    let families = ["Zuse", "Noether", "Curie", "Abel", "Hopper", "Meitner", "Turing", "Lovelace"];
    let mut books = Vec::new();
    for (at, family) in families.iter().enumerate() {
        books.push(server.book(family, &format!("Volume {at}"), &format!("{}", 1900 + at)).await);
    }
    let words =
        "the harbour wall was measured again in the autumn and found to be as high as the council had asked for ";
    let part = |number: usize| {
        let (before, after) = (words.repeat(5), words.repeat(6));
        format!("{before}marker{number}x#footnote[{number}] {after}")
    };
    let text: Vec<String> = (1..=120).map(part).collect();
    let one = server.document(json!({"title": "Harbour", "format": "typst", "text": text.join("\n\n")})).await;
    for number in 1..=120 {
        let book = &books[number % books.len()];
        server
            .cited(
                &one,
                json!({"source_id": book, "citation_number": number, "position": 0, "locator": format!("p. {number}")}),
            )
            .await;
    }
    let pdf = server.rendered(&one, "format=pdf").await;
    let (_, brought) = server.upload_sources(&[("harbour.pdf", pdf)]).await;
    let source = id(&brought["items"][0]).to_owned();
    server.source(&source, crate::sources::is_read).await;
    let read = server.json(&format!("/api/v1/sources/{source}/text")).await;
    let chars: Vec<char> = read["text"].as_str().unwrap().chars().collect();
    let pages: Vec<String> = read["marks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|mark| mark["kind"] == "page")
        .map(|mark| {
            let place = |name: &str| mark[name].as_u64().unwrap() as usize;
            chars[place("start_char")..place("end_char")].iter().filter(|char| !char.is_whitespace()).collect()
        })
        .collect();
    assert!(pages.len() >= 25, "{} pages", pages.len());
    for number in 1..=120 {
        let page = pages.iter().position(|page| page.contains(&format!("marker{number}x"))).unwrap();
        let note = format!("SamplePress,p.{number}.");
        assert!(pages[page].contains(&note), "note {number} is not on page {}", page + 1);
    }
    let last = pages.last().unwrap();
    let mut sorted = families;
    sorted.sort_unstable();
    let places: Vec<usize> = sorted.iter().map(|family| last.find(&format!("{family},A.(")).unwrap()).collect();
    assert!(places.is_sorted() && last.contains("References"), "{last}");
}

/// With a language model the draft is its words, and what it cites becomes citations of the document.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_is_written_by_a_model() {
    let says =
        vec![ScriptStep::text("The wall is **new**: it was rebuilt in 1931 [1], they say [7]."), ScriptStep::End];
    let provider = ScriptedProvider::start(ProviderDialect::OpenAi, vec![says]).await;
    let url = format!("{}/v1", provider.base_url());
    let arguments = ["--chat", "compatible", "--chat-model", "sample", "--chat-url", &url, "--embedder", "none"];
    let server = Running::start_with(ibid_testkit::TestEngine::Sqlite, &arguments).await.unwrap();
    let text = server.with_text("harbour.txt", "The harbour wall was rebuilt in 1931 after the great storm.").await;
    server.settled().await;
    let one = server.document(json!({"title": "Harbour", "format": "typst", "source_ids": [id(&text)]})).await;
    let job =
        server.post(&format!("/api/v1/documents/{one}/draft"), json!({"question": "When was the wall rebuilt?"})).await;
    server.settled().await;
    let job = server.json(&format!("/api/v1/jobs/{}", job["id"].as_str().or(job["job_id"].as_str()).unwrap())).await;
    assert_eq!((&job["state"], &job["result"]["mode"]), (&json!("succeeded"), &json!("generated")), "{job}");
    let now = server.json(&format!("/api/v1/documents/{one}")).await;
    let written = now["text"].as_str().unwrap();
    assert!(
        written.starts_with("The wall is #strong[new];: it was rebuilt in 1931#footnote[1], they say"),
        "{written}"
    );
    let cited = server.json(&format!("/api/v1/documents/{one}/citations")).await;
    assert_eq!(cited["items"].as_array().unwrap().len(), 1, "what is made up is not cited: {cited}");
    assert_eq!(cited["items"][0]["source_id"], id(&text));
}
