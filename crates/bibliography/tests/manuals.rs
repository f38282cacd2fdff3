//! What the manuals of APA, MLA and Chicago say, item by item: `data/items.json` are the items, `data/STYLE.txt` the
//! entries, written from the manuals' rules and never from what this crate prints. `data/passing.txt` lists those that
//! come out so, to the letter; the test fails when one of them no longer does, and when another one does.

use std::collections::{BTreeMap, BTreeSet};

use ibid_bibliography::{CitationForm, CslStyle, Formatter, OutputFormat};
use serde_json::Value;

const SETS: [(&str, &str, CitationForm, &str); 5] = [
    ("apa", "apa", CitationForm::Bibliography, include_str!("data/apa.txt")),
    ("mla", "mla", CitationForm::Bibliography, include_str!("data/mla.txt")),
    ("chicago-notes", "chicago-notes", CitationForm::Bibliography, include_str!("data/chicago-notes.txt")),
    ("chicago-notes-note", "chicago-notes", CitationForm::Note, include_str!("data/chicago-notes-note.txt")),
    (
        "chicago-author-date",
        "chicago-author-date",
        CitationForm::Bibliography,
        include_str!("data/chicago-author-date.txt"),
    ),
];

fn items() -> BTreeMap<String, Value> {
    let items: Vec<Value> = serde_json::from_str(include_str!("data/items.json")).unwrap();
    items.into_iter().map(|item| (item["id"].as_str().unwrap().to_owned(), item)).collect()
}

#[test]
fn entries_are_as_the_manuals_say() {
    let items = items();
    let listed: BTreeSet<&str> = include_str!("data/passing.txt").lines().collect();
    let (mut passing, mut failing) = (BTreeSet::new(), Vec::new());
    let mut kinds = BTreeSet::new();
    for (set, style, form, expected) in SETS {
        let formatter = Formatter::new(CslStyle::bundled(style).unwrap(), Some("en-US"));
        for line in expected.lines() {
            let (id, wanted) = line.split_once('\t').unwrap();
            let item = &items[id];
            kinds.insert(item["type"].as_str().unwrap());
            // Each by itself, so that no author is repeated.
            let made = formatter.format(std::slice::from_ref(item), form, OutputFormat::Text).unwrap();
            // `-` is an item that the manual keeps out of the list.
            let made = made.first().map_or("-", |entry| entry.text.as_str());
            if made == wanted {
                passing.insert(format!("{set} {id}"));
            } else {
                failing.push(format!("{set} {id}\n  wanted {wanted}\n  made   {made}"));
            }
        }
    }
    let broken: Vec<_> = listed.iter().filter(|name| !passing.contains(**name)).collect();
    let fixed: Vec<_> = passing.iter().filter(|name| !listed.contains(name.as_str())).collect();
    let failures = failing.join("\n");
    assert!(broken.is_empty(), "these came out right and no longer do: {broken:?}\n{failures}");
    assert!(fixed.is_empty(), "these come out right now; put them into passing.txt: {fixed:#?}\n{failures}");
    assert!(kinds.len() >= 16, "{kinds:?}");
    let share = passing.len() as f64 / (passing.len() + failing.len()) as f64;
    assert!(share >= 0.95, "{share:.3} are right\n{failures}");
}
