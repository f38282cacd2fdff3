//! Reports, websites and presentations.

use ibid_documents::{
    TypstWorld,
    deliverables::{
        DeliverableFormat, DeliverableInput, ListedSource, QuotedEvidence, RenderedFile, render_deliverable,
    },
};
use ibid_domain::{Span, Verdict};
use proptest::prelude::*;

/// An answer whose markers are `[n]` with one digit, each with its evidence.
fn work(text: &str) -> DeliverableInput {
    let chars: Vec<char> = text.chars().collect();
    let evidence = chars
        .windows(3)
        .enumerate()
        .filter(|(_, three)| three[0] == '[' && three[1].is_ascii_digit() && three[2] == ']')
        .map(|(at, three)| QuotedEvidence {
            marker: Span::new(at, at + 3),
            number: three[1].to_digit(10).unwrap(),
            quote: Some(format!("the words of {} “quoted” & <exact>", three[1])),
            page: Some(3),
            verdict: Some(if three[1] == '2' { Verdict::Partial } else { Verdict::Supported }),
        })
        .collect();
    let listed = |number: u32| ListedSource {
        number: Some(number),
        source_id: None,
        title: format!("Sample source {number} #1 <b>"),
        about: "A. Sample · 2024".into(),
        url: (number == 1).then(|| "https://example.org/a?b=1&c=\"2\"".to_owned()),
        sha256: Some("ab".repeat(32)),
        is_deleted: number == 2,
    };
    DeliverableInput {
        title: "What <happened> in #1931?".into(),
        question: Some("What happened?".into()),
        text: text.into(),
        made_on: "2026-01-02".into(),
        made_by: "Quoted from the library".into(),
        summary: "3 claims · 2 supported".into(),
        cited: (1..=3).map(listed).collect(),
        seen: vec![ListedSource { number: None, title: "Seen only".into(), ..listed(4) }],
        evidence,
    }
}

fn file<'a>(files: &'a [RenderedFile], path: &str) -> &'a str {
    let file = files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("there is no {path}"));
    std::str::from_utf8(&file.bytes).unwrap()
}

const ANSWER: &str = "# The mole\n\nIt was rebuilt in 1931 [1][2]. It cost *5 %* more [1].\n\n- first [3]\n- second\n\n| year | cost |\n|---|--:|\n| 1931 | 5 [2] |\n";

#[test]
fn a_report_quotes_in_footnotes() {
    let files = render_deliverable(DeliverableFormat::Report, &work(ANSWER)).unwrap();
    let paths: Vec<_> = files.iter().map(|file| file.path).collect();
    assert_eq!(paths, ["report.pdf", "report.html", "report.md", "report.typ", "sources.json"]);
    assert!(files[0].bytes.starts_with(b"%PDF-") && files[0].bytes.len() > 10_000);

    let markdown = file(&files, "report.md");
    assert!(markdown.contains("It was rebuilt in 1931[^1][^2]. It cost *5 %* more[^1]."), "{markdown}");
    assert!(markdown.contains("[^2]: *Sample source 2 \\#1 \\<b>*, p. 3: “the words of 2"), "{markdown}");
    assert!(markdown.contains("(supports it in part)."), "{markdown}");
    assert!(markdown.contains("## Also looked at\n\n- Seen only"), "{markdown}");

    let html = file(&files, "report.html");
    assert!(html.contains(
        "<sup class=\"cite\"><a href=\"#note-1\">1</a></sup><sup class=\"cite\"><a href=\"#note-2\">2</a></sup>"
    ));
    assert!(html.contains("<li id=\"note-2\"><cite>Sample source 2 #1 &lt;b&gt;</cite> <q>the words of 2 “quoted” &amp; &lt;exact&gt;</q> <small>p. 3 · supports it in part</small></li>"), "{html}");
    assert!(html.contains("<title>What &lt;happened&gt; in #1931?</title>"));

    // Typst says the same.
    let typst = file(&files, "report.typ");
    assert!(typst.contains("#footnote[#emph[Sample source 1 \\#1 \\<b\\>];, p. 3"), "{typst}");
    assert!(typst.contains("#footnote(<note-1>);"), "{typst}");

    // The same work gives the same bytes.
    let again = render_deliverable(DeliverableFormat::Report, &work(ANSWER)).unwrap();
    assert!(files.iter().zip(&again).all(|(one, other)| one.bytes == other.bytes));

    let sources: serde_json::Value = serde_json::from_str(file(&files, "sources.json")).unwrap();
    assert_eq!((sources["cited"].as_array().unwrap().len(), sources["all_seen"].as_array().unwrap().len()), (3, 4));
}

#[test]
fn a_website_has_a_page_of_sources() {
    let files = render_deliverable(DeliverableFormat::Website, &work(ANSWER)).unwrap();
    let (index, sources) = (file(&files, "index.html"), file(&files, "sources.html"));
    assert!(index.contains("<a href=\"sources.html#source-2\">2</a>"), "{index}");
    assert!(index.contains("<h2>The mole</h2>"), "a page has one first heading");
    assert!(sources.contains("<section class=\"source\" id=\"source-2\">"));
    assert!(sources.contains("no longer in the library"));
    assert!(
        sources.contains("<a href=\"https://example.org/a?b=1&amp;c=&quot;2&quot;\" rel=\"noreferrer\">"),
        "{sources}"
    );
    for page in [index, sources] {
        assert!(!page.contains("<script") && !page.contains(" src=") && !page.contains("url("));
        assert!(page.contains("default-src 'none'"));
    }
}

#[test]
fn a_presentation_is_cut_into_slides() {
    let long = format!(
        "# One\n\n{}\n\n# Two\n\nShort [1].\n\n{}",
        "A sentence of the first part [2]. ".repeat(40),
        "- an item [3]\n".repeat(30)
    );
    let files = render_deliverable(DeliverableFormat::Presentation, &work(&long)).unwrap();
    let slides = file(&files, "presentation.html");
    let many = slides.matches("<section id=\"slide-").count();
    assert!((6..=14).contains(&many), "{many} slides");
    assert_eq!(slides.matches("<script>").count(), 1);
    assert!(slides.contains("<h2>Two</h2>"));
    assert!(
        slides.contains("<ol class=\"evidence\">\n<li value=\"1\"><cite>Sample source 1 #1 &lt;b&gt;</cite>"),
        "{slides}"
    );
    assert!(!slides.contains(" src="));
}

/// What may run is the one script that comes with the slides.
#[test]
fn the_script_is_the_one_that_is_allowed() {
    let files = render_deliverable(DeliverableFormat::Presentation, &work("x [1]")).unwrap();
    let slides = file(&files, "presentation.html");
    let (_, rest) = slides.split_once("<script>").unwrap();
    let (script, _) = rest.split_once("</script>").unwrap();
    let hash = ibid_domain::Sha256::of_bytes(script.as_bytes()).to_string();
    let bytes: Vec<u8> = (0..64).step_by(2).map(|at| u8::from_str_radix(&hash[at..at + 2], 16).unwrap()).collect();
    let allowed = slides.split_once("script-src 'sha256-").unwrap().1.split_once('\'').unwrap().0;
    assert_eq!(base64(&bytes), allowed);
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut written = String::new();
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let sign = SIGNS[(bits >> (18 - 6 * place)) as usize & 63];
            written.push(if place > three.len() { '=' } else { char::from(sign) });
        }
    }
    written
}

#[test]
fn hostile_words_stay_words() {
    let hostile = "<script>alert(1)</script> <img src=x onerror=alert(1)> [x](javascript:alert(1)) #panic(\"x\") #import \"a\" \
                   $x$ @ref <label> `#eval(\"1\")` */ // /* ~ -- --- ... \"smart\" 'quotes' \\ \\u{41} [1](not a call) [1][a] [1].at(0)\n\n\
                   1. = heading\n\n   = heading\n\n/ term: x\n\n+ [2]\n\n\u{E000}0\u{E001}";
    let work = DeliverableInput {
        title: "#panic() </title><script>".into(),
        question: Some("\"] #panic(".into()),
        ..work(hostile)
    };
    for kind in [DeliverableFormat::Report, DeliverableFormat::Website, DeliverableFormat::Presentation] {
        for file in render_deliverable(kind, &work).unwrap_or_else(|faults| panic!("{kind:?}: {faults:?}")) {
            if file.media_type != "text/html" {
                continue;
            }
            let page = String::from_utf8(file.bytes).unwrap();
            assert!(
                !page.contains("<script>alert") && !page.contains("<img") && !page.contains("href=\"javascript"),
                "{page}"
            );
        }
    }
}

#[test]
fn typst_reads_nothing_and_says_where_something_is_wrong() {
    for text in
        ["#read(\"/etc/passwd\")", "#image(\"a.png\")", "#import \"@preview/a:1.0.0\": *", "#include \"main.typ\""]
    {
        let faults = TypstWorld::new(format!("One line\n\n  {text}")).render_pdf().unwrap_err();
        assert_eq!((faults[0].line, faults[0].column.is_some()), (Some(3), true), "{text}: {faults:?}");
    }
    let faults = TypstWorld::new("Fine\n#let x = (").render_pdf().unwrap_err();
    assert_eq!(faults[0].line, Some(2));
}

#[test]
fn an_answer_that_is_too_large_is_refused_in_words() {
    let faults = render_deliverable(DeliverableFormat::Report, &work(&"word ".repeat(300_000))).unwrap_err();
    assert!(faults[0].message.contains("at most"), "{faults:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Typst sets any answer.
    #[test]
    fn any_answer_becomes_a_report(parts in prop::collection::vec(prop_oneof![
        r#"[\[\](){}<>!^`$~\\:;,. \n\t#*|0-9@/=+_"'-]{1,8}"#,
        "[a-zé数👩]{1,5}",
        prop::sample::select(vec!["[1]", "[2]", "\n\n- ", "\n\n> ", "\n| a | b |\n|--|--|\n| 1 |", "```\n", "**", "https://x.org/", "#let x = 1", "\\u{", "/*", "//"]).prop_map(str::to_owned),
    ], 0..40)) {
        let work = work(&parts.concat());
        let made = render_deliverable(DeliverableFormat::Report, &work);
        prop_assert!(made.is_ok(), "{:?} of {:?}", made.err(), work.text);
    }
}
