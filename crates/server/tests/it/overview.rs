//! What people type first: greetings, overviews, comparisons and what is new, all without a model and all cited.

use reqwest::Method;
use serde_json::{Value as Json, json};

use crate::{Running, on_both_servers, running::refused, sources::id};

on_both_servers!(
    greetings_and_suggestions,
    overviews_of_the_library_and_its_sources,
    people_and_comparisons,
    what_is_new,
    questions_stay_questions
);

const SURVEY: &str = "# Harbour survey\n\nThe harbour of Selde was surveyed in 2024 by divers. They were cold.\n\n\
                      ## Eastern pier\n\nThe eastern pier is 412 metres long and leans. It was built of oak.\n\n\
                      ## Costs of repair\n\nThe repair of the pier costs 90,000 crowns. Half of it is paid.\n";
const LEDGER: &str = "# Lamp ledger\n\nThe lamps of Selde burn whale oil until 1891. Nobody counted them.\n\n\
                      ## Costs of repair\n\nA lamp costs 3 crowns to repair. Glass is dear.\n";
const MINUTES: &str = "Marta Lindqvist will repair the eastern pier by 1 June 2024. Marta Lindqvist approved the budget on \
                       3 May 2024. Coffee was served.";

/// An answer: its text, and its citations, each of which was opened at its place.
struct Answered {
    text: String,
    citations: Vec<Json>,
}

impl Running {
    async fn answer_to(&self, question: &str) -> Answered {
        let conversation = id(&self.post("/api/v1/conversations", json!({})).await).to_owned();
        self.answer_in(&conversation, json!({"content": question})).await
    }

    async fn answer_in(&self, conversation: &str, body: Json) -> Answered {
        let path = format!("/api/v1/conversations/{conversation}/messages");
        let response = self.request(Method::POST, &path).json(&body).send().await.unwrap();
        assert_eq!(response.status(), 200);
        let events = crate::runs::events_in(&response.text().await.unwrap());
        assert_eq!(events.last().unwrap().1, "run_completed", "{events:?}");
        let messages = self.json(&path).await;
        let message = messages["items"].as_array().unwrap().last().unwrap().clone();
        let citations = message["citations"].as_array().unwrap().clone();
        let text = message["content"].as_str().unwrap().to_owned();
        assert_eq!(message["model"], "extractive");
        for citation in &citations {
            let place = format!(
                "/api/v1/sources/{}/text?revision={}&start_char={}&end_char={}",
                citation["source_id"].as_str().unwrap(),
                citation["revision_id"].as_str().unwrap(),
                citation["start_char"],
                citation["end_char"]
            );
            assert_eq!(self.json(&place).await["text"], citation["quote"], "{text}");
            let marker = crate::runs::at(&text, &citation["start_index"], &citation["end_index"]);
            assert_eq!(marker, format!("[{}]", citation["number"]));
        }
        // The stream and the message place the same markers, and each is a citation.
        assert_eq!(json!(crate::answers::placed_markers(&events)), message["markers"]);
        assert_eq!(message["markers"].as_array().unwrap().len(), citations.len(), "{text}");
        Answered { text, citations }
    }

    async fn small_library(&self) -> Vec<String> {
        let mut ids = Vec::new();
        for (name, text) in [("harbour-survey.md", SURVEY), ("lamp-ledger.md", LEDGER), ("minutes.txt", MINUTES)] {
            ids.push(id(&self.with_text(name, text).await).to_owned());
        }
        self.settled().await;
        ids
    }
}

impl Answered {
    fn quotes(&self) -> Vec<&str> {
        self.citations.iter().map(|citation| citation["quote"].as_str().unwrap()).collect()
    }
}

async fn greetings_and_suggestions(server: Running) {
    let path = "/api/v1/suggestions";
    assert_eq!(server.json(path).await, json!({"questions": []}));
    assert!(server.answer_to("Hi!").await.text.contains("library is empty"));
    assert!(server.answer_to("What is in my library?").await.text.contains("library is empty"));
    server.small_library().await;

    let suggested = server.json(&format!("{path}?limit=10")).await;
    let questions: Vec<&str> =
        suggested["questions"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert!(questions.len() >= 4, "{questions:?}");
    assert!(questions.contains(&"Who is Marta Lindqvist?"), "{questions:?}");
    assert!(questions.iter().any(|one| one.contains("say about “Costs of repair”?")), "{questions:?}");
    for question in &questions {
        let answered = server.answer_to(question).await;
        assert!(!answered.citations.is_empty(), "{question}: {}", answered.text);
    }
    assert_eq!(server.json(path).await["questions"].as_array().unwrap().len(), 3);
    let german = server.json(&format!("{path}?language=de&limit=2")).await;
    assert!(german["questions"][0].as_str().unwrap().starts_with("Was sagt „"), "{german}");
    refused(server.request(Method::GET, &format!("{path}?limit=11")), 422, "invalid_query").await;
    refused(server.request(Method::GET, &format!("{path}?language=qq")), 422, "invalid_query").await;

    for (greeting, begins) in [
        ("Hello there!", "Hello."),
        ("thanks a lot", "You are welcome."),
        ("Guten Tag", "Hallo."),
        ("Merci beaucoup !", "Je vous en prie."),
        ("¡Hola!", "Hola."),
        ("Buongiorno", "Buongiorno."),
        ("Goedemorgen", "Hallo."),
        ("Bom dia", "Olá."),
    ] {
        let answered = server.answer_to(greeting).await;
        assert!(answered.text.starts_with(begins), "{greeting}: {}", answered.text);
        assert_eq!((answered.text.matches("\n- ").count(), answered.citations.len()), (3, 0), "{}", answered.text);
    }
}

async fn overviews_of_the_library_and_its_sources(server: Running) {
    let ids = server.small_library().await;
    for question in ["What is in my library?", "Please show me my sources", "¿Qué hay en mi biblioteca?"] {
        let answered = server.answer_to(question).await;
        assert_eq!(answered.citations.len(), 3, "{}", answered.text);
        assert!(answered.quotes().contains(&"The harbour of Selde was surveyed in 2024 by divers."));
        assert!(answered.text.contains("3 sources: ") || answered.text.contains("3 fuentes: "), "{}", answered.text);
    }
    let leads = [
        "The harbour of Selde was surveyed in 2024 by divers.",
        "The eastern pier is 412 metres long and leans.",
        "The repair of the pier costs 90,000 crowns.",
    ];
    for question in
        ["Summarise the harbour survey", "What is harbour-survey.md about?", "Fasse harbour survey zusammen"]
    {
        let answered = server.answer_to(question).await;
        assert_eq!(answered.quotes(), leads, "{}", answered.text);
        assert!(answered.text.contains("*Eastern pier*: "), "{}", answered.text);
    }
    let answered = server.answer_to("What does the harbour survey say about the eastern pier?").await;
    assert_eq!(answered.quotes(), leads[1..2]);

    // "This" is the only source that is asked about, or that was cited last.
    let conversation = id(&server.post("/api/v1/conversations", json!({})).await).to_owned();
    let which = server.answer_in(&conversation, json!({"content": "Summarize this document"})).await;
    assert!(which.text.starts_with("Which source"), "{}", which.text);
    let only = json!({"content": "Summarize this document", "filters": {"source_ids": [ids[0]]}});
    assert_eq!(server.answer_in(&conversation, only).await.quotes(), leads);
    let again = server.answer_in(&conversation, json!({"content": "What is this about?"})).await;
    assert_eq!(again.quotes(), leads, "{}", again.text);

    // What Markdown or the grammar of citations would read otherwise is shown as it is.
    server.with_text("odd_[7]_*.txt", "The list [7] of *odd* signs also has `code` and [a](b) in it. More.").await;
    let answered = server.answer_to("What is in my library?").await;
    assert_eq!(answered.citations.len(), 4, "{}", answered.text);
}

async fn people_and_comparisons(server: Running) {
    server.small_library().await;
    for question in ["Who is Marta Lindqvist?", "Wer ist Marta Lindqvist?", "Tell me about Marta Lindqvist"] {
        let answered = server.answer_to(question).await;
        assert!(answered.citations.len() >= 2, "{}", answered.text);
        assert!(answered.quotes().iter().all(|quote| quote.contains("Marta Lindqvist")), "{}", answered.text);
        assert!(answered.text.contains("*2024-05-03*: "), "{}", answered.text);
    }
    for question in [
        "Compare the harbour survey and the lamp ledger",
        "What is the difference between lamp ledger and harbour survey?",
    ] {
        let answered = server.answer_to(question).await;
        assert!(answered.text.starts_with("| "), "{}", answered.text);
        // What both say under the same heading stands in one row.
        let row = answered.text.lines().find(|line| line.contains("90,000 crowns")).unwrap_or_default();
        assert!(row.contains("A lamp costs 3 crowns to repair."), "{}", answered.text);
        assert_eq!(answered.citations.len(), 5, "{}", answered.text);
    }
}

async fn what_is_new(server: Running) {
    server.small_library().await;
    for question in [
        "What changed since yesterday?",
        "Was hat sich seit gestern geändert?",
        "O que mudou desde ontem?",
        "What's new?",
    ] {
        let answered = server.answer_to(question).await;
        assert!(
            answered.text.contains("3 new sources")
                || answered.text.contains("3 neue")
                || answered.text.contains("3 fontes")
        );
        assert_eq!(answered.citations.len(), 3, "{}", answered.text);
    }
    let answered = server.answer_to("What happened since 1 January 2024?").await;
    assert!(answered.text.contains("*2024-05-03*: "), "{}", answered.text);
    assert!(answered.quotes().iter().any(|quote| quote.contains("approved the budget")), "{}", answered.text);
}

async fn questions_stay_questions(server: Running) {
    server.small_library().await;
    for (question, quote) in [
        ("What is in the harbour's eastern pier, oak or stone?", "It was built of oak."),
        ("Who is to repair the eastern pier?", "Marta Lindqvist will repair the eastern pier by 1 June 2024."),
        ("How long is the eastern pier?", "The eastern pier is 412 metres long and leans."),
    ] {
        let answered = server.answer_to(question).await;
        assert!(answered.quotes().contains(&quote), "{question}: {}", answered.text);
    }
    let answered = server.answer_to("Summarise the causes of the French revolution").await;
    assert!(answered.citations.is_empty(), "{}", answered.text);
    // With another limit than sources, a request is a question like others.
    let conversation = id(&server.post("/api/v1/conversations", json!({})).await).to_owned();
    let limited = json!({"content": "Summarise the harbour survey", "filters": {"tags": ["none"]}});
    let answered = server.answer_in(&conversation, limited).await;
    assert!(answered.citations.is_empty(), "{}", answered.text);
}
