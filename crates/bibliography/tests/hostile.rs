//! Whatever comes in: no panic, no endless work, no markup.

use std::{sync::LazyLock, time::Instant};

use ibid_bibliography::{CitationForm, CitedItem, CslCitation, CslStyle, Formatter, OutputFormat};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

static FORMATTERS: LazyLock<Vec<Formatter>> = LazyLock::new(|| {
    ["apa", "mla", "chicago-notes", "chicago-author-date", "ieee", "alphanumeric"]
        .map(|style| Formatter::new(CslStyle::bundled(style).unwrap(), None))
        .into()
});

const FIELDS: [&str; 22] = [
    "title",
    "container-title",
    "author",
    "editor",
    "issued",
    "accessed",
    "volume",
    "issue",
    "page",
    "edition",
    "number",
    "DOI",
    "URL",
    "publisher",
    "genre",
    "medium",
    "version",
    "language",
    "type",
    "translator",
    "authority",
    "note",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,30}",
        "[<>/ib\"'“”‘’&.,;:!?\\-– a-z0-9\u{fdd0}-\u{fdef}]{0,40}",
        "(<i>|</i>|<b>|</b>|<span class=\"nocase\">|</span>|x){0,8}"
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        Just(Value::Null),
        Just(json!({"date-parts": [[2020, 13, 40], [0]]})),
        (any::<i32>(), any::<i8>()).prop_map(|(year, month)| json!({"date-parts": [[year, month]], "season": month})),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(
                prop_oneof![
                    Just("family".to_owned()),
                    Just("given".to_owned()),
                    Just("literal".to_owned()),
                    Just("raw".to_owned()),
                    text()
                ],
                inner,
                0..4
            )
            .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_item_is_formatted_or_refused(fields in prop::collection::vec((prop::sample::select(&FIELDS[..]), value()), 0..10), output in 0..3usize) {
        let mut item: Map<String, Value> = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        item.insert("id".to_owned(), json!("x"));
        let item = Value::Object(item);
        let output = [OutputFormat::Text, OutputFormat::Html, OutputFormat::Markdown][output];
        for formatter in FORMATTERS.iter() {
            for form in [CitationForm::Bibliography, CitationForm::Note, CitationForm::InText] {
                match formatter.format(std::slice::from_ref(&item), form, output) {
                    Ok(entries) => for entry in entries {
                        prop_assert!(!entry.text.contains(|c| ('\u{fdd0}'..='\u{fdef}').contains(&c)), "{}", entry.text);
                        if output == OutputFormat::Html {
                            let bare = entry.text.split('<').skip(1).all(|tag| ["i>", "/i>", "b>", "/b>", "sup>", "/sup>", "sub>", "/sub>", "span style=\"", "/span>", "a href=\"http", "/a>"].iter().any(|known| tag.starts_with(known)));
                            prop_assert!(bare, "{}", entry.text);
                        }
                    },
                    Err(problem) => prop_assert!(!problem.detail.is_empty() && problem.field.is_some()),
                }
            }
        }
    }

    #[test]
    fn any_text_is_a_style_or_refused(text in "\\PC{0,200}", head in any::<bool>()) {
        let text = if head { format!("<style class=\"note\" version=\"1.0\">{text}</style>") } else { text };
        if let Err(problem) = CslStyle::parse(&text) {
            prop_assert!(problem.detail.contains("style"));
        }
    }

    #[test]
    fn any_citation_is_formatted(locator in prop::option::of(text()), prefix in prop::option::of(text()), suffix in prop::option::of(text())) {
        let items = [json!({"id": "a", "type": "book", "title": "T", "author": [{"family": "B", "given": "C"}], "issued": 2000})];
        let item = CitedItem { id: "a".to_owned(), locator, prefix, suffix, ..CitedItem::default() };
        let citations = vec![CslCitation { items: vec![item.clone(), item], note_number: Some(1) }; 3];
        for formatter in FORMATTERS.iter() {
            prop_assert_eq!(formatter.format_document(&items, &citations, OutputFormat::Html).unwrap().citations.len(), 3);
        }
    }
}

/// Twice as much is not four times as slow, for what would be if something looked at everything before it each time.
#[test]
fn time_grows_with_the_text() {
    type Make = fn(usize) -> Value;
    let long: [(&str, Make); 6] = [
        ("quotes", |size| json!({"id": "a", "type": "book", "title": "\"'".repeat(size)})),
        ("tags", |size| json!({"id": "a", "type": "book", "title": "<i><b>x</b>".repeat(size / 3)})),
        ("open tags", |size| json!({"id": "a", "type": "book", "title": "<span class=\"nocase".repeat(size / 6)})),
        (
            "particles",
            |size| json!({"id": "a", "type": "book", "author": [{"family": "de ".repeat(size), "given": "d' ".repeat(size)}]}),
        ),
        (
            "pages",
            |size| json!({"id": "a", "type": "article-journal", "page": "1-2, ".repeat(size), "volume": "1-".repeat(size)}),
        ),
        ("words", |size| json!({"id": "a", "type": "book", "title": "of a-b: ".repeat(size / 2)})),
    ];
    for (name, make) in long {
        for formatter in FORMATTERS.iter() {
            let began = Instant::now();
            let _ = formatter.format(&[make(8_000)], CitationForm::Bibliography, OutputFormat::Html);
            assert!(
                began.elapsed().as_secs_f64() < 5.0,
                "{name} in {} took {:?}",
                formatter.style().id(),
                began.elapsed()
            );
        }
    }
    // Many that look alike, each with many names.
    let names: Vec<Value> = (0..60).map(|number| json!({"family": "Same", "given": format!("G{number}")})).collect();
    let alike: Vec<Value> = (0..400)
        .map(|number| json!({"id": number.to_string(), "type": "book", "title": "T", "author": names, "issued": 2000}))
        .collect();
    for formatter in FORMATTERS.iter() {
        let began = Instant::now();
        formatter.format(&alike, CitationForm::InText, OutputFormat::Text).unwrap();
        assert!(began.elapsed().as_secs_f64() < 30.0, "{} took {:?}", formatter.style().id(), began.elapsed());
    }
}
