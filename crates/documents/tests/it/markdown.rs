//! Reading Markdown: markers keep their places, and nothing nests without end.

use ibid_documents::markdown::{ColumnAlign, MarkdownBlock, MarkdownInline, parse, plain_text};
use ibid_domain::Span;
use proptest::prelude::*;

fn text(words: &str) -> MarkdownInline {
    MarkdownInline::Text(words.to_owned())
}

#[test]
fn a_text_is_read_with_its_markers() {
    let source = "# Head\n\nIt *grew* [1] by `x` **5 %** [2].\n\n- one\n- two [3]\n\n3. third\n\n> said\n\n| a | b |\n|---|--:|\n| 1 | 2 [4] |\n\n```\ncode [5]\n```\n\n---\n";
    let marks: Vec<Span> = ["[1]", "[2]", "[3]", "[4]"]
        .iter()
        .map(|marker| {
            let start = source[..source.find(marker).unwrap()].chars().count();
            Span::new(start, start + 3)
        })
        .collect();
    let blocks = parse(source, &marks);
    let paragraph = |words| vec![MarkdownBlock::Paragraph(words)];
    assert_eq!(
        blocks,
        [
            MarkdownBlock::Heading(1, vec![text("Head")]),
            MarkdownBlock::Paragraph(vec![
                text("It "),
                MarkdownInline::Emphasis(vec![text("grew")]),
                text(" "),
                MarkdownInline::Mark(0),
                text(" by "),
                MarkdownInline::Code("x".into()),
                text(" "),
                MarkdownInline::Strong(vec![text("5 %")]),
                text(" "),
                MarkdownInline::Mark(1),
                text("."),
            ]),
            MarkdownBlock::List(
                None,
                vec![paragraph(vec![text("one")]), paragraph(vec![text("two"), MarkdownInline::Mark(2)])]
            ),
            MarkdownBlock::List(Some(3), vec![paragraph(vec![text("third")])]),
            MarkdownBlock::Quote(paragraph(vec![text("said")])),
            MarkdownBlock::Table(
                vec![ColumnAlign::Start, ColumnAlign::End],
                vec![
                    vec![vec![text("a")], vec![text("b")]],
                    vec![vec![text("1")], vec![text("2"), MarkdownInline::Mark(3)]],
                ]
            ),
            MarkdownBlock::Code("code [5]".into()),
            MarkdownBlock::Rule,
        ]
    );
}

#[test]
fn html_and_odd_links_are_words() {
    let blocks = parse("<b>x</b> [a](javascript:alert(1)) [b](https://x.org/?a=1&b) ![alt](https://x.org/i.png)", &[]);
    let [MarkdownBlock::Paragraph(words)] = blocks.as_slice() else { panic!("{blocks:?}") };
    assert_eq!(plain_text(words), "<b>x</b> a b alt");
    let links: Vec<_> = words.iter().filter(|inline| matches!(inline, MarkdownInline::Link(..))).collect();
    assert_eq!(links, [&MarkdownInline::Link("https://x.org/?a=1&b".into(), vec![text("b")])]);
}

#[test]
fn nothing_nests_without_end() {
    fn depth(blocks: &[MarkdownBlock]) -> usize {
        let below = blocks.iter().map(|block| match block {
            MarkdownBlock::List(_, items) => items.iter().map(|item| depth(item)).max().unwrap_or(0),
            MarkdownBlock::Quote(blocks) => depth(blocks),
            _ => 0,
        });
        1 + below.max().unwrap_or(0)
    }
    for (sign, words) in [("> ", "word"), ("- ", "word"), ("1. ", "word")] {
        let blocks = parse(&format!("{}{words}", sign.repeat(5000)), &[]);
        assert!(depth(&blocks) < 30, "{sign}: {}", depth(&blocks));
        assert!(format!("{blocks:?}").contains(words));
    }
    assert!(format!("{:?}", parse(&"*a **b ".repeat(5000), &[])).contains('b'));
}

proptest! {
    /// Every marker of the prose is read, once, wherever it stands.
    #[test]
    fn no_marker_is_lost(parts in prop::collection::vec("[a-z é.,\n#>*-]{0,12}", 1..12)) {
        let (mut source, mut marks) = (String::new(), Vec::new());
        for part in &parts {
            source.push_str("w ");
            source.push_str(&part.replace("    ", " "));
            let start = source.chars().count();
            source.push_str("[1]");
            marks.push(Span::new(start, start + 3));
        }
        let read = format!("{:?}", parse(&source, &marks));
        for place in 0..marks.len() {
            prop_assert_eq!(read.matches(&format!("Mark({place})")).count(), 1, "{} in {:?}", place, source);
        }
    }
}
