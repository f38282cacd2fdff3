//! What documents cite: citations, sources and bibliographies.

use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::{
    Running,
    documents::NOBODY,
    running::{on_both_servers, refused},
    sources::id,
};

on_both_servers!(
    citations_follow_the_text,
    ec_12_to_14_what_is_missing_has_a_placeholder,
    ec_15_and_16_unknown_documents_and_sources,
    ec_17_without_citations_the_bibliography_is_empty,
    one_entry_for_each_source_or_each_citation,
    whatever_is_cited_is_in_the_bibliography,
    a_deleted_source_stays_in_the_document,
    sources_of_a_document,
    notes_are_short_the_second_time,
    references_for_other_programs,
    claims_are_checked_against_what_they_cite,
);

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
