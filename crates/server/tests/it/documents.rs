//! Documents: versions, drafts, evidence, and how they are written from the terminal and over MCP.

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
    a_draft_is_written_from_the_sources,
    evidence_of_a_document_is_checked_anywhere,
    written_from_the_terminal,
    written_over_mcp,
);

impl Running {
    pub(crate) async fn document(&self, body: Json) -> String {
        let made = self.post("/api/v1/documents", body).await;
        made["document_id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn typst(&self, text: &str) -> String {
        self.document(json!({"title": "On rain", "format": "typst", "text": text})).await
    }

    /// A book of which everything is known.
    pub(crate) async fn book(&self, family: &str, title: &str, year: &str) -> String {
        let body = json!({
            "title": title, "authors": [{"family": family, "given": "Ada"}], "publication_date": year,
            "publisher": "Sample Press", "genre": "book",
        });
        id(&self.post("/api/v1/sources", body).await).to_owned()
    }

    pub(crate) async fn patch(&self, document: &str, body: Json) -> Json {
        let (status, changed) = self.send(Method::PATCH, &format!("/api/v1/documents/{document}"), &body).await;
        assert!(status.is_success(), "{changed}");
        changed
    }

    pub(crate) async fn cited(&self, document: &str, body: Json) -> Json {
        self.post(&format!("/api/v1/documents/{document}/citations"), body).await
    }

    pub(crate) async fn rendered(&self, document: &str, query: &str) -> Vec<u8> {
        let response = self.get(&format!("/api/v1/documents/{document}/render?{query}")).await;
        let status = response.status();
        let bytes = response.bytes().await.unwrap().to_vec();
        assert!(status.is_success(), "{}", String::from_utf8_lossy(&bytes));
        bytes
    }

    pub(crate) async fn words(&self, document: &str, format: &str) -> String {
        String::from_utf8(self.rendered(document, &format!("format={format}")).await).unwrap()
    }
}

pub(crate) const NOBODY: &str = "0190aaaa-0000-7000-8000-000000000000";

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
    let body = json!({"question": "When was the harbour wall rebuilt?", "outline": ["When the harbour wall was rebuilt", "How high the wall is", "Who was mayor of Ilmara in 1950"]});
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
    // What has no answer is said, and nothing is cited for it.
    assert!(
        text.trim_end().ends_with("= Who was mayor of Ilmara in 1950\n\nYour library does not answer this."),
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
