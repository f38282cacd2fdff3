//! Whole documents: positions, short forms, letters after years, numbers, what is escaped, what is refused.

use ibid_bibliography::{
    CitationForm, CiteMode, CitedItem, CslCitation, CslStyle, Formatter, MOST_ITEMS, OutputFormat, StyleKind,
    bundled_styles, locale_tags,
};
use serde_json::{Value, json};

fn formatter(style: &str) -> Formatter {
    Formatter::new(CslStyle::bundled(style).unwrap(), Some("en-US"))
}

fn items() -> Vec<Value> {
    vec![
        json!({"id": "wolf", "type": "book", "author": [{"family": "Wolf", "given": "Anna"}], "title": "First things",
            "publisher": "Field Press", "issued": {"date-parts": [[2010]]}}),
        json!({"id": "wolf-b", "type": "book", "author": [{"family": "Wolf", "given": "Anna"}], "title": "Last things",
            "publisher": "Field Press", "issued": {"date-parts": [[2010]]}}),
        json!({"id": "other", "type": "article-journal", "author": [{"family": "Wolf", "given": "Bernd"}, {"family": "Lamm", "given": "Carl"}],
            "title": "Why things?", "container-title": "Journal of Things", "volume": 3, "issue": "2", "page": "10-19",
            "issued": {"date-parts": [[2012]]}}),
        json!({"id": "third", "type": "webpage", "title": "A page", "URL": "https://example.org/a", "issued": "2020-05-01"}),
    ]
}

fn cite(id: &str, locator: Option<&str>, note: usize) -> CslCitation {
    let item = CitedItem { id: id.to_owned(), locator: locator.map(str::to_owned), ..CitedItem::default() };
    CslCitation { items: vec![item], note_number: Some(note) }
}

#[test]
fn notes_are_short_the_second_time() {
    let citations = [cite("other", Some("12"), 1), cite("wolf", None, 2), cite("other", Some("14-15"), 3)];
    let made = formatter("chicago-notes").format_document(&items(), &citations, OutputFormat::Text).unwrap();
    assert_eq!(
        made.citations,
        [
            "Bernd Wolf and Carl Lamm, “Why Things?,” Journal of Things 3, no. 2 (2012): 12.",
            "Anna Wolf, First Things (Field Press, 2010).",
            "Wolf and Lamm, “Why Things?,” 14–15.",
        ]
    );
    // Only what is cited, in the order of names.
    let ids: Vec<_> = made.bibliography.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids, ["wolf", "other"]);
}

/// A style with `ibid.` and a note number to go back to.
const IBID: &str = r#"<style xmlns="http://purl.org/net/xbiblio/csl" class="note" version="1.0">
  <info><title>Ibid</title><id>ibid-test</id><updated>2024-01-01T00:00:00+00:00</updated></info>
  <citation><layout suffix="." delimiter="; "><choose>
    <if position="ibid-with-locator"><group delimiter=", "><text term="ibid" text-case="capitalize-first"/><text variable="locator"/></group></if>
    <else-if position="ibid"><text term="ibid" text-case="capitalize-first"/></else-if>
    <else-if position="subsequent"><group delimiter=", "><names variable="author"><name form="short"/></names>
      <group delimiter=" "><text value="note"/><text variable="first-reference-note-number"/></group><text variable="locator"/></group></else-if>
    <else><group delimiter=", "><names variable="author"/><text variable="title"/><text variable="locator"/></group></else>
  </choose></layout></citation>
</style>"#;

#[test]
fn ibid_stands_for_the_same_place_and_not_for_another() {
    let formatter = Formatter::new(CslStyle::parse(IBID).unwrap(), None);
    let citations = [
        cite("wolf", Some("3"), 1),
        cite("wolf", Some("3"), 2),
        cite("wolf", Some("4"), 3),
        cite("wolf", None, 4),
        cite("other", None, 5),
        cite("wolf", Some("9"), 6),
        CslCitation {
            items: vec![cite("wolf", None, 7).items[0].clone(), cite("other", None, 7).items[0].clone()],
            note_number: Some(7),
        },
        cite("other", None, 8),
    ];
    let made = formatter.format_document(&items(), &citations, OutputFormat::Text).unwrap().citations;
    assert_eq!(
        made[..6],
        [
            "Anna Wolf, First things, 3.",
            "Ibid.",
            "Ibid., 4.",
            "Wolf, note 1.",
            "Bernd Wolf, Carl Lamm, Why things?.",
            "Wolf, note 1, 9."
        ]
        .map(|text| text.replace("?.", "?"))
    );
    // Two items stood in the note before: which one would `ibid.` be?
    assert_eq!(made[7], "Wolf, Lamm, note 5.");
}

#[test]
fn works_of_one_year_have_letters_and_namesakes_their_initials() {
    let formatter = formatter("apa");
    let citations =
        [cite("wolf-b", Some("7"), 1), cite("wolf", None, 2), cite("other", None, 3), cite("third", None, 4)];
    let made = formatter.format_document(&items(), &citations, OutputFormat::Text).unwrap();
    assert_eq!(
        made.citations,
        ["(A. Wolf, 2010b, p. 7)", "(A. Wolf, 2010a)", "(B. Wolf & Lamm, 2012)", "(A Page, 2020)"]
    );
    assert_eq!(made.bibliography[1].text, "Wolf, A. (2010a). First things. Field Press.");
    // Alone, it needs no letter.
    let alone = formatter.format_document(&items(), &citations[1..2], OutputFormat::Text).unwrap();
    assert_eq!(alone.citations, ["(Wolf, 2010)"]);
}

#[test]
fn cites_of_one_citation_are_put_together() {
    let both = CslCitation {
        items: ["wolf", "wolf-b", "other"].map(|id| cite(id, None, 1).items[0].clone()).to_vec(),
        note_number: None,
    };
    let made = formatter("apa").format_document(&items(), std::slice::from_ref(&both), OutputFormat::Text).unwrap();
    assert_eq!(made.citations, ["(A. Wolf, 2010a, 2010b; B. Wolf & Lamm, 2012)"]);
    let made = formatter("ieee").format_document(&items(), &[both], OutputFormat::Text).unwrap();
    assert_eq!(made.citations, ["[1], [2], [3]"]);
    assert!(made.bibliography[0].text.starts_with("[1] A. Wolf, First things"), "{}", made.bibliography[0].text);
    let mut named = cite("other", None, 1);
    named.items[0].mode = CiteMode::SuppressAuthor;
    named.items[0].prefix = Some("see".to_owned());
    let made = formatter("apa").format_document(&items(), &[named], OutputFormat::Text).unwrap();
    assert_eq!(made.citations, ["(see 2012)"]);
}

#[test]
fn nothing_of_the_data_becomes_markup() {
    let item = json!({"id": "x", "type": "webpage", "title": "<script>alert(1)</script> & <i>Rana</i> *x* [y](z)",
        "author": [{"literal": "<b>A</b> \"<img src=x onerror=y>\""}], "URL": "javascript:alert(1)", "container-title": "a\u{fdd0}b"});
    let html = formatter("apa")
        .format(std::slice::from_ref(&item), CitationForm::Bibliography, OutputFormat::Html)
        .unwrap()
        .remove(0)
        .text;
    assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("href"), "{html}");
    assert!(html.contains("&lt;script&gt;") && html.contains("&amp;"), "{html}");
    let text = formatter("apa")
        .format(std::slice::from_ref(&item), CitationForm::Bibliography, OutputFormat::Text)
        .unwrap()
        .remove(0)
        .text;
    assert!(text.contains("<script>") && !text.contains("<i>") && text.contains("Ab"), "{text}");
    let markdown =
        formatter("apa").format(&[item], CitationForm::Bibliography, OutputFormat::Markdown).unwrap().remove(0).text;
    assert!(
        markdown.contains("\\<script\\>") && markdown.contains("\\*x\\*") && markdown.contains("\\[y\\]"),
        "{markdown}"
    );
    let linked = json!({"id": "x", "type": "article-journal", "title": "T", "container-title": "J", "volume": "1", "DOI": "https://doi.org/10.1/a\"b"});
    let html =
        formatter("apa").format(&[linked], CitationForm::Bibliography, OutputFormat::Html).unwrap().remove(0).text;
    assert!(
        html.ends_with(
            "<i>J</i>, <i>1</i>. <a href=\"https://doi.org/10.1/a&quot;b\">https://doi.org/10.1/a&quot;b</a>"
        ),
        "{html}"
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let apa = formatter("apa");
    let wrong = |items: &[Value]| apa.format(items, CitationForm::Bibliography, OutputFormat::Text).unwrap_err();
    let problem = wrong(&[json!({"id": "a"}), json!({"id": "b", "issued": {"date-parts": "2020"}})]);
    assert_eq!(problem.field.as_deref(), Some("items[1].issued"));
    assert!(problem.detail.contains("item 2 ('b')") && problem.detail.contains("[[2024, 5, 1]]"), "{}", problem.detail);
    assert!(wrong(&[json!({"id": "a", "author": [{"family": "A"}, 3]})]).detail.contains("`author[1]`"));
    assert!(wrong(&[json!({"id": "a"}), json!({"id": "a"})]).detail.contains("also the id of item 1"));
    assert!(wrong(&[json!("a")]).detail.contains("an item is an object"));
    assert!(wrong(&vec![json!({"id": "a"}); MOST_ITEMS + 1]).detail.contains("10000"));
    assert!(wrong(&[json!({"id": "a", "title": "x".repeat(100_000)})]).detail.contains("65536"));
    let unknown = apa.format_document(&items(), &[cite("nobody", None, 1)], OutputFormat::Text).unwrap_err();
    assert!(unknown.detail.contains("'nobody'"));
    let mut labelled = cite("wolf", Some("3"), 1);
    labelled.items[0].label = Some("pagina".to_owned());
    assert!(apa.format_document(&items(), &[labelled], OutputFormat::Text).unwrap_err().detail.contains("`chapter`"));
    assert!(CslStyle::bundled("no-such-style").unwrap_err().detail.contains("chicago-notes"));
}

#[test]
fn a_style_that_cannot_be_used_says_on_which_line() {
    let line = |text: &str| CslStyle::parse(text).unwrap_err();
    assert_eq!(line("<style>\n\n<info></style>").facts["line"], 3);
    assert!(line("<locale/>").detail.contains("<style>"));
    assert!(line("").detail.contains("line 1"));
    let problem = line(&IBID.replace("variable=\"title\"", "variable=\"tittle\""));
    assert!(problem.detail.contains("line 8: `tittle` is not a variable"), "{}", problem.detail);
    let problem = line(&IBID.replace("<text term=\"ibid\" text", "<text macro=\"gone\" text"));
    assert!(problem.detail.contains("line 4: there is no macro `gone`"), "{}", problem.detail);
    assert!(line(&"<style>".repeat(100)).detail.contains("64"));
    assert!(line(&" ".repeat(2_000_000)).detail.contains("1048576"));
    // Macros that call each other end.
    let endless = IBID
        .replace("<citation>", "<macro name=\"m\"><text macro=\"m\"/><text value=\"x\"/></macro><citation>")
        .replace("<text variable=\"title\"/>", "<text macro=\"m\"/>");
    let formatter = Formatter::new(CslStyle::parse(&endless).unwrap(), None);
    assert_eq!(formatter.format(&items(), CitationForm::InText, OutputFormat::Text).unwrap().len(), 4);
}

#[test]
fn styles_and_locales_are_there() {
    let list = bundled_styles();
    assert!(list.len() >= 75, "{}", list.len());
    for (name, kind) in [
        ("apa", StyleKind::AuthorDate),
        ("mla", StyleKind::AuthorDate),
        ("chicago-notes", StyleKind::Note),
        ("chicago-author-date", StyleKind::AuthorDate),
        ("ieee", StyleKind::Numeric),
        ("harvard", StyleKind::AuthorDate),
        ("vancouver", StyleKind::Numeric),
        ("nature", StyleKind::Numeric),
    ] {
        assert_eq!(CslStyle::bundled(name).unwrap().kind(), kind, "{name}");
        assert!(list.iter().any(|style| style.id == name || style.aliases.contains(&name)), "{name}");
    }
    assert!(locale_tags().contains(&"de-DE".to_owned()));
    let german = Formatter::new(CslStyle::bundled("apa").unwrap(), Some("de-AT"));
    assert_eq!(german.locale(), "de-AT");
    let made = german
        .format(
            &[json!({"id": "a", "type": "book", "title": "T", "editor": [{"family": "A", "given": "B"}]})],
            CitationForm::Bibliography,
            OutputFormat::Text,
        )
        .unwrap();
    let asked = json!({"id": "a", "type": "webpage", "title": "Was nun?", "author": [{"family": "A", "given": "B"}], "issued": 2001, "URL": "https://example.org/"});
    let chicago = Formatter::new(CslStyle::bundled("chicago-notes").unwrap(), Some("de-DE"));
    let question = chicago.format(&[asked], CitationForm::Bibliography, OutputFormat::Text).unwrap();
    assert_eq!(question[0].text, "A, B. „Was nun?“ 2001. https://example.org/.");
    assert_eq!(made[0].text, "A, B. (Hrsg.). (o.\u{a0}J.). T.");
}

/// What is kept from before never shows: after any change the result is that of a formatter that knows nothing.
#[test]
fn what_is_remembered_never_shows() {
    let remembering = formatter("apa");
    let mut items = items();
    for step in 0..40 {
        let at = step % items.len();
        match step % 5 {
            0 => items[at]["title"] = json!(format!("Title {step}")),
            1 => items[at]["issued"] = json!({"date-parts": [[2010 + step % 3]]}),
            2 => items[at]["author"] = json!([{"family": "Wolf", "given": if step % 2 == 0 { "Anna" } else { "Bernd" } }]),
            3 => items.rotate_left(1),
            _ => items.push(json!({"id": format!("new-{step}"), "type": "book", "title": "New", "author": [{"family": "Wolf", "given": "Anna"}], "issued": 2010})),
        }
        for form in [CitationForm::Bibliography, CitationForm::Note, CitationForm::InText] {
            let (known, fresh) = (
                remembering.format(&items, form, OutputFormat::Html),
                formatter("apa").format(&items, form, OutputFormat::Html),
            );
            assert_eq!(known.unwrap(), fresh.unwrap(), "step {step}");
        }
    }
}
