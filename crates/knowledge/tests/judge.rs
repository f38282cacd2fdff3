//! What the judge decides, case by case.

use ibid_domain::{EntityType, Sameness};
use ibid_knowledge::judge::{Judgement, Profile, Resolution, blocking_keys, compare, normalize_name, resolve_profile};

fn person(name: &str) -> Profile {
    Profile { kind: Some(EntityType::Person), name: name.to_owned(), ..Profile::default() }
}

fn org(name: &str) -> Profile {
    Profile { kind: Some(EntityType::Org), name: name.to_owned(), ..Profile::default() }
}

fn at(name: &str, role: &str, organization: &str) -> Profile {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Profile { role: given(role), organization: given(organization), ..person(name) }
}

fn assert_judged(a: &Profile, b: &Profile, expected: Sameness) -> Judgement {
    let judgement = compare(a, b);
    assert_eq!(judgement.decision, expected, "{} / {}: {judgement:?}", a.name, b.name);
    judgement
}

#[test]
fn people_are_the_same_under_the_ways_to_write_a_name() {
    for (a, b) in [
        ("Alice Chen", "Alice Chen"),
        ("Alice Chen", "Chen, Alice"),
        ("Dr. Alice Chen", "Alice Chen, PhD"),
        ("Prof. José García", "Jose Garcia"),
        ("Bob Miller", "Robert Miller"),
        ("Liz Warrington", "Elizabeth Warrington"),
        ("Bill de Haan", "William de Haan"),
        ("Jan van der Berg", "Jan Berg"),
        ("Mohammed bin Rashid", "Muhammad Rashid"),
        ("Bashar al-Assad", "Bashar Assad"),
        ("John Quincy Adams", "John Q. Adams"),
        ("John Quincy Adams", "John Adams"),
        ("Jean-Claude Juncker", "Jean Claude Juncker"),
        ("Сергей Лавров", "Sergey Lavrov"),
        ("Margaret Thornbury", "Margaret Thornburry"),
        ("Mary O'Neil", "Mary ONeil"),
        ("习近平", "习近平"),
    ] {
        let same = [Sameness::Same, Sameness::Uncertain];
        let judgement = compare(&person(a), &person(b));
        // A name of one word is never enough.
        let expected = if a.contains(' ') { &same[..1] } else { &same[1..] };
        assert!(expected.contains(&judgement.decision), "{a} / {b}: {judgement:?}");
    }
}

#[test]
fn people_with_other_names_are_different() {
    for (a, b) in [
        ("Alice Chen", "Bob Chen"),
        ("John Smith Jr.", "John Smith Sr."),
        ("George Bush II", "George Bush III"),
        ("Patrick Roussel", "Patrice Dupont"),
        ("William M. Small", "William L. Small"),
        ("Maria Lopez", "Mario Lopez"),
        ("Daniel Tusk", "Donald Tusk"),
        ("Kim Sok Jin", "Kim Sok Chol"),
    ] {
        assert_judged(&person(a), &person(b), Sameness::Different);
    }
}

#[test]
fn an_initial_with_an_organisation_is_the_only_one_who_fits() {
    let alice = at("Alice Chen", "Engineering Manager", "");
    let found = at("A. Chen", "", "Acme");
    assert!(matches!(resolve_profile(&found, std::slice::from_ref(&alice)), Resolution::Known(0, _)));
    assert!(blocking_keys(&found).iter().any(|key| blocking_keys(&alice).contains(key)));

    let Resolution::New(doubts) = resolve_profile(&found, &[alice, person("Andrew Chen")]) else {
        panic!("two fit, and one was guessed");
    };
    assert_eq!(doubts.len(), 2);
    assert!(doubts.iter().all(|(_, judgement)| judgement.decision == Sameness::Uncertain), "{doubts:?}");
}

#[test]
fn the_same_name_in_two_organisations_is_two_people() {
    let here = at("Alice Chen", "Engineer", "Acme");
    let there = at("Alice Chen", "Designer", "OtherCorp");
    assert_judged(&here, &there, Sameness::Different);
    assert_judged(&at("Alice Chen", "", "Acme"), &at("Alice Chen", "", "OtherCorp"), Sameness::Different);
    assert_judged(&here, &at("Alice Chen", "", "Acme Corp."), Sameness::Same);
    assert_eq!(resolve_profile(&there, std::slice::from_ref(&here)), Resolution::New(Vec::new()));
    // A bare name fits both, so it is neither.
    let Resolution::New(doubts) = resolve_profile(&person("Alice Chen"), &[here.clone(), there.clone()]) else {
        panic!("two fit, and one was guessed");
    };
    assert_eq!(doubts.len(), 2);
    // What is said besides tells which.
    assert!(matches!(resolve_profile(&at("A. Chen", "", "Acme"), &[there, here]), Resolution::Known(1, _)));
}

#[test]
fn first_letters_alone_leave_it_open() {
    let judgement = assert_judged(&person("A. Chen"), &person("Alice C."), Sameness::Uncertain);
    assert!(!judgement.reason.is_empty());
    assert!(blocking_keys(&person("A. Chen")).iter().any(|key| blocking_keys(&person("Alice C.")).contains(key)));
    let Resolution::New(doubts) = resolve_profile(&person("Alice C."), &[person("A. Chen")]) else { panic!("a guess") };
    assert_eq!(doubts.len(), 1);
}

#[test]
fn a_first_name_alone_is_nobody() {
    assert_judged(&person("Alice"), &person("Alice"), Sameness::Uncertain);
    assert_judged(&person("Alice"), &person("Alice Chen"), Sameness::Uncertain);
    assert_judged(&at("Alice", "", "Acme"), &at("Alice Chen", "Engineer", "Acme"), Sameness::Same);
    let mailed = |name: &str| Profile { email: Some("alice@acme.com".to_owned()), ..person(name) };
    assert_judged(&mailed("Alice"), &mailed("Alice Chen"), Sameness::Same);
}

#[test]
fn mail_tells_people() {
    let mailed = |name: &str, email: &str| Profile { email: Some(email.to_owned()), ..person(name) };
    assert_judged(&mailed("A. Chen", "achen@acme.com"), &mailed("Alice Chen-Wu", "AChen@acme.com"), Sameness::Same);
    let candidates = [mailed("Alice Chen", "other@acme.com"), mailed("A. Chen", "achen@acme.com")];
    assert!(matches!(resolve_profile(&mailed("Alice Chen", "achen@acme.com"), &candidates), Resolution::Known(1, _)));
}

#[test]
fn organisations_are_told_by_what_tells_them() {
    for (a, b) in [
        ("Acme", "Acme Corp"),
        ("Acme Corp.", "ACME Corporation"),
        ("Siemens Aktiengesellschaft", "Siemens AG"),
        ("IBM", "International Business Machines Corp."),
        ("AT&T Inc.", "AT and T Inc."),
        ("The Procter & Gamble Company", "Procter and Gamble Co."),
        ("D S M N. V.", "DSM"),
        ("Good Will Company", "Goodwill Company"),
        ("Crédit Agricole S.A.", "Credit Agricole"),
        ("Canon Kabushiki Kaisha", "Canon Inc."),
        ("Robert Bosch GmbH", "BOSCH GMBH ROBERT"),
    ] {
        assert_judged(&org(a), &org(b), Sameness::Same);
    }
    for (a, b) in [
        ("Bowne of Chicago, Inc.", "Bowne of Cleveland, Inc."),
        ("Government of Estonia", "Government of Ethiopia"),
        ("Sony Europa B.V.", "Mattel Europa B.V."),
        ("Acme", "Initech"),
    ] {
        assert_judged(&org(a), &org(b), Sameness::Different);
    }
}

#[test]
fn numbers_tell_things() {
    let thing = |name: &str| Profile { kind: Some(EntityType::Project), name: name.to_owned(), ..Profile::default() };
    assert_judged(&thing("Apollo 11"), &thing("Apollo 12"), Sameness::Different);
    assert_judged(&thing("Apollo 11"), &thing("APOLLO XI"), Sameness::Same);
    assert_judged(&thing("Project Phoenix"), &thing("project phoenix"), Sameness::Same);
}

#[test]
fn a_wrong_type_does_no_harm() {
    for kind in [None, Some(EntityType::Other), Some(EntityType::Person), Some(EntityType::Org)] {
        let of = |name: &str| Profile { kind, name: name.to_owned(), ..Profile::default() };
        assert_judged(&of("Shell International B.V."), &of("SHELL INTERNATIONAL BV"), Sameness::Same);
        assert_judged(&of("Shell International B.V."), &of("Whirlpool International B.V."), Sameness::Different);
        assert_judged(&of("Alice Chen"), &of("Alice Chen"), Sameness::Same);
        assert_judged(&of("Alice Chen"), &of("Robert Miller"), Sameness::Different);
    }
}

#[test]
fn a_context_is_read_in_every_form() {
    let forms = [
        r#"{"address": "14 Parfitt Crescent", "birth": "19590714", "coauthors": ["Kijun Lee", "Sejin Lim"]}"#,
        "address: 14 Parfitt Crescent; birth: 19590714; coauthors: Kijun Lee, Sejin Lim",
        "14 Parfitt Crescent, 1959-07-14, Kijun Lee, Sejin Lim",
        "14 Parfitt Crescent 19590714 Lee Kijun Lim Sejin",
    ];
    let known = |context: &str| Profile { context: Some(context.to_owned()), ..person("R. Tiller") };
    let bare = compare(&person("R. Tiller"), &person("Robert Tiller")).confidence;
    for form in forms {
        let other = Profile { context: Some(forms[0].to_owned()), ..person("Robert Tiller") };
        let judgement = assert_judged(&known(form), &other, Sameness::Same);
        assert!(judgement.confidence > bare, "{form}: {judgement:?}");
    }
}

#[test]
fn names_are_written_plainly() {
    assert_eq!(normalize_name(Some(EntityType::Person), "Prof. Dr. José  GARCÍA"), "jose garcia");
    assert_eq!(normalize_name(Some(EntityType::Person), "Chen, Alice"), "alice chen");
    assert_eq!(normalize_name(Some(EntityType::Org), "The Acme Corp."), "acme");
    assert_eq!(normalize_name(Some(EntityType::Project), "Apollo 11"), "apollo 11");
    assert_eq!(normalize_name(None, "  "), "");
}

#[test]
fn a_reason_says_why() {
    let judgement = compare(&at("A. Chen", "", "Acme"), &at("Alice Chen", "Engineer", "Acme Corp"));
    assert!(judgement.reason.contains("same family name and initial"), "{}", judgement.reason);
    assert!(judgement.reason.contains("same organisation (Acme)"), "{}", judgement.reason);
}

#[test]
fn sentences_around_a_name_need_not_agree() {
    let told = |context: &str| Profile { context: Some(context.to_owned()), ..at("Jane Doe", "", "Acme") };
    let a = told("On 2024-05-01 Jane Doe and Bob Miller of the Phoenix team said that the Q3 budget is approved");
    let b = told("In Q4 the login page was shipped by Jane Doe with Carl Orff on 2019-01-03");
    assert_judged(&a, &b, Sameness::Same);
    // An organisation that is only mentioned ties as well.
    let mentioned = Profile { context: Some("Manager, seen beside the Acme project".to_owned()), ..person("A. Chen") };
    assert_judged(&mentioned, &at("Alice Chen", "Engineering Manager", "Acme Corp"), Sameness::Same);
}

#[test]
fn who_was_born_on_another_day_is_another() {
    let born = |context: &str| Profile { context: Some(context.to_owned()), ..person("John Smith") };
    assert_judged(&born("born 1960-02-01"), &born("dob: 1985-04-03"), Sameness::Different);
    assert_judged(&born("birth: 19600201"), &born("born on 1960-02-01"), Sameness::Same);
}

#[test]
fn nothing_is_decided_of_the_nameless() {
    assert_judged(&person(""), &person(""), Sameness::Uncertain);
    assert_judged(&org("..."), &org("Acme"), Sameness::Uncertain);
}
