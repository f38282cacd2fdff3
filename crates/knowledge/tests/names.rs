//! Names on real pages: of a labelled sample, how many the rules still take for a person or an organisation, and how many
//! of those are one. `cargo test -p ibid-knowledge --test names -- --nocapture` prints the figures.

use std::collections::BTreeSet;

use ibid_domain::EntityType;
use ibid_knowledge::{Findings, KnowledgeInput, extract::extract};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LabelledName {
    page: String,
    language: Option<String>,
    kind: String,
    name: String,
    /// True if it is a person or an organisation, as `kind` says, and begins and ends where the name does.
    right: bool,
    context: String,
}

fn read(text: &str, language: Option<&str>) -> Findings {
    extract(&KnowledgeInput { text, language, ..KnowledgeInput::default() })
}

/// The people and organisations of a text.
fn names_in(text: &str) -> BTreeSet<(String, String)> {
    let found = read(text, Some("en")).entities.into_iter();
    found
        .filter(|entity| matches!(entity.kind, EntityType::Person | EntityType::Org))
        .map(|entity| (entity.kind.as_str().to_owned(), entity.name))
        .collect()
}

#[track_caller]
fn has_names(text: &str, expected: &[(&str, &str)]) {
    let expected = expected.iter().map(|(kind, name)| ((*kind).to_owned(), (*name).to_owned())).collect();
    assert_eq!(names_in(text), expected, "{text}");
}

#[test]
fn most_names_of_real_pages_are_right() {
    let rows: Vec<LabelledName> =
        include_str!("data/names.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 300);
    let (mut right, mut wrong, mut there, mut list) = (0, 0, 0, String::new());
    for row in &rows {
        assert!(row.context.split_whitespace().count() <= 12, "{}: {}", row.page, row.context);
        let found = read(&row.context, row.language.as_deref());
        let is_found = found.entities.iter().any(|entity| {
            entity.kind.as_str() == row.kind && (entity.name == row.name || entity.aliases.contains(&row.name))
        });
        there += u32::from(row.right);
        match (is_found, row.right) {
            (true, true) => right += 1,
            (true, false) => wrong += 1,
            (false, true) => list.push_str(&format!("missed {} {}: {}\n", row.kind, row.name, row.context)),
            (false, false) => {}
        }
        if is_found && !row.right {
            list.push_str(&format!("no {} {}: {}\n", row.kind, row.name, row.context));
        }
    }
    let precision = f64::from(right) / f64::from(right + wrong);
    let recall = f64::from(right) / f64::from(there);
    println!("{list}precision {precision:.3}, recall {recall:.3}: {right} right, {wrong} wrong, {there} there");
    assert!(precision >= 0.93, "precision {precision:.3}");
    assert!(recall >= 0.90, "recall {recall:.3}");
}

#[test]
fn tools_and_keys_are_no_people() {
    has_names("When Helgrind reported a race, the run stopped. Press TAB to go on.", &[]);
    has_names("We ran it under Helgrind 3.18 and `Memcheck` said nothing.", &[]);
    has_names("In the evening Halvane said that the pier was closed.", &[("person", "Halvane")]);
}

#[test]
fn headings_and_notices_name_nobody() {
    has_names("OLDER NEWS\n\nThe pier was closed.", &[]);
    has_names("Home\nNews\nSport\nHarbour Weather\nContact\nAlice Chen\n\nThe pier was closed.", &[]);
    has_names("Read more: Alice Chen joins Acme Corp\n\nThe pier was closed.", &[]);
    has_names("Contents\nThe Harbour Board of Pellmouth ........ 17\n\nThe pier was closed.", &[]);
    has_names(
        "The pier was closed.\n\n## References\n\nChen, A., Li, B. (2019). Tides. Journal of Harbours 3, pp. 2-8.\n\
         Halvane, O. (2020). Piers. Pellmouth University Press.\n",
        &[],
    );
}

#[test]
fn two_names_side_by_side_are_two() {
    has_names(
        "The notice names the Harbour Board of Pellmouth Oke Halvane as well.",
        &[("org", "Harbour Board of Pellmouth"), ("person", "Oke Halvane")],
    );
    has_names(
        "She spoke for the Ministry of Trade, Industry and Energy.",
        &[("org", "Ministry of Trade, Industry and Energy")],
    );
}

#[test]
fn titles_of_works_and_namesakes_are_no_people() {
    has_names("They watched “Annie Hall” and “Hannah and Her Sisters” at home.", &[]);
    has_names("He was taken to the Walter Grant hospital on Martha’s Vineyard.", &[]);
    has_names("Social Media made it grow (Chen & Li, 2011).", &[]);
}

#[test]
fn a_name_ends_where_another_begins() {
    has_names("By Brian Pascus May 26, 2019. The pier was closed.", &[("person", "Brian Pascus")]);
    has_names("He wrote to Alaska Sen. Lisa Chen on Monday.", &[("person", "Lisa Chen")]);
    has_names("They asked about ALICE CHEN Interviews on Monday.", &[("person", "ALICE CHEN")]);
    has_names(
        "The head of the Missouri Supreme Court Patricia Chen spoke first.",
        &[("org", "Missouri Supreme Court"), ("person", "Patricia Chen")],
    );
    has_names("It was written by Philip B. Low of Pellmouth.", &[]);
}

#[test]
fn terms_and_languages_are_no_names() {
    has_names("A convolutional neural network (CNN) was trained on texts in Danish.", &[]);
    has_names("We use Graph Attention Networks and Human Language Technology.", &[]);
    has_names("The image is given to a CNN. It fared well in Russian SRL.", &[]);
    has_names("The paper was taken up by the Arya Samaj, and by others.", &[]);
    has_names("He told CNN that the pier was closed.", &[("org", "CNN")]);
}

#[test]
fn offices_and_places_are_no_organizations() {
    has_names("They moved from Leamington Spa to Pellmouth.", &[]);
    has_names("Theodore, bishop of Pharan, wrote first.", &[("person", "Theodore")]);
    has_names(
        "He reports to the Harbour Office and the Coastal Fund.",
        &[("org", "Coastal Fund"), ("org", "Harbour Office")],
    );
    has_names("Ask the Head Coach or the General Manager of the club.", &[]);
}

#[test]
fn what_shares_a_word_with_a_name_makes_no_person() {
    has_names("In Billionaires Forbes was first. The Forbes staff counted them.", &[]);
    has_names(
        "The hall was lit for Keld Brannock. Later Brannock said that it was late.",
        &[("person", "Keld Brannock")],
    );
}

#[test]
fn an_event_knows_when_its_text_was_written() {
    let date = "2024-05-15".parse().ok();
    let text = "The board decided to close the pier. Alice Chen will send the plan by Friday.";
    let found = extract(&KnowledgeInput { text, date, ..KnowledgeInput::default() });
    let times: Vec<_> =
        found.events.iter().map(|event| event.time.or(event.written).map(|day| day.to_string())).collect();
    assert_eq!(times, [Some("2024-05-15".to_owned()), Some("2024-05-17".to_owned())]);
    assert_eq!(found.events.first().and_then(|event| event.time), None);
}
