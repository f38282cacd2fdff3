//! How documents look: formats, files, styles and pages.

use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::{
    Running,
    running::{on_both_servers, refused},
    sources::id,
};

on_both_servers!(
    rendered_in_every_format,
    too_much_is_refused_and_the_server_lives,
    files_of_a_document,
    styles_of_ones_own,
);

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
