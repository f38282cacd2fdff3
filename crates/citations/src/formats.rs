//! A citation as others write it: OpenAI's annotations, Anthropic's citation blocks, the parts of the AI SDK, and the
//! selectors of the W3C.
//!
//! All of them are made from the same anchor: which words of a message cite, and which words of which text they cite.
//! Places are kept in Unicode scalar values; who counts otherwise gets them converted, with [`OffsetUnit`].

use ibid_domain::{CharIndex, Span};
use serde_json::{Value, json};

/// Unit in which positions in a text are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OffsetUnit {
    /// Unicode scalar values, as Python counts.
    #[default]
    CodePoints,
    /// Halves of UTF-16, as JavaScript counts.
    Utf16,
    /// Bytes of UTF-8, as Go and Vertex count.
    Bytes,
}

impl OffsetUnit {
    /// A span of scalar values in these units; none if it does not lie within the text.
    pub fn convert_span(self, text: &CharIndex<'_>, span: Span) -> Option<(usize, usize)> {
        let (start, end) = (text.byte_offset(span.start)?, text.byte_offset(span.end)?);
        let words = text.text();
        let before = words.get(..start)?;
        let within = words.get(start..end)?;
        Some(match self {
            Self::CodePoints => (span.start, span.end),
            Self::Bytes => (start, end),
            Self::Utf16 => {
                let count = |text: &str| text.chars().map(char::len_utf16).sum::<usize>();
                let first = count(before);
                (first, first + count(within))
            }
        })
    }
}

/// A citation in a message, with the quote and the position that it cites.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CitationAnchor {
    /// Position of the citation marker in the message.
    pub marker: Span,
    /// The claim that it stands for.
    pub claim: Option<Span>,
    /// Number of the source, as printed in the marker.
    pub number: u32,
    /// The source's id; none if it was deleted.
    pub source_id: Option<String>,
    /// The name of the file, or the title.
    pub title: String,
    /// Web address of the source, if it is a page.
    pub url: Option<String>,
    /// Media type of the source, such as `application/pdf`.
    pub media_type: String,
    /// The SHA-256 of the text that the quote is of.
    pub text_sha256: Option<String>,
    /// Words of the source that support the claim.
    pub quote: String,
    /// Position of the quote in the source's text, in characters.
    pub span: Option<Span>,
    /// A few words before the quote.
    pub prefix: String,
    /// A few words after the quote.
    pub suffix: String,
    /// The first and the last page that it stands on, from 1.
    pub pages: Option<(u32, u32)>,
}

/// Format in which a message and its citations are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CitationWireFormat {
    /// `output_text` with `url_citation` and `file_citation` annotations.
    OpenAi,
    /// Text blocks with `citations`.
    Anthropic,
    /// A text part, and `source-url` and `source-document` parts.
    AiSdk,
    /// Annotations of the W3C, with a `TextQuoteSelector` and a `TextPositionSelector` each.
    WebAnnotation,
}

/// A message with its citations, as a format has it. Places in the message are counted in `units`.
pub fn render_message(
    message: &str,
    anchors: &[CitationAnchor],
    format: CitationWireFormat,
    units: OffsetUnit,
) -> Value {
    match format {
        CitationWireFormat::OpenAi => openai_message(message, anchors, units),
        CitationWireFormat::Anthropic => anthropic_message(message, anchors),
        CitationWireFormat::AiSdk => ai_sdk(message, anchors),
        CitationWireFormat::WebAnnotation => web_annotations(message, anchors, units),
    }
}

fn openai_message(message: &str, anchors: &[CitationAnchor], units: OffsetUnit) -> Value {
    let index = CharIndex::new(message);
    let annotation = |anchor: &CitationAnchor| {
        let (start, end) = units.convert_span(&index, anchor.marker)?;
        Some(match (&anchor.url, &anchor.source_id) {
            (Some(url), _) => {
                json!({"type": "url_citation", "start_index": start, "end_index": end, "title": anchor.title, "url": url})
            }
            (None, Some(id)) => {
                json!({"type": "file_citation", "index": start, "file_id": id, "filename": anchor.title})
            }
            // Of what was deleted only the name is left.
            (None, None) => json!({"type": "file_citation", "index": start, "file_id": "", "filename": anchor.title}),
        })
    };
    let annotations: Vec<_> = anchors.iter().filter_map(annotation).collect();
    json!({"type": "output_text", "text": message, "annotations": annotations})
}

/// Text blocks without markers: each claim that cites is a block of its own, with its citations.
fn anthropic_message(message: &str, anchors: &[CitationAnchor]) -> Value {
    let index = CharIndex::new(message);
    let mut documents: Vec<u32> = Vec::new();
    let mut blocks = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(first) = anchors.get(at) {
        // Those that stand for one claim stand together.
        let claim = first.claim.unwrap_or(Span::new(from, first.marker.end));
        let is_of_it = |anchor: &&CitationAnchor| {
            anchor.claim == first.claim && (anchor.claim.is_some() || anchor.marker == first.marker)
        };
        let together = anchors[at..].iter().take_while(is_of_it).count();
        let group = &anchors[at..at + together];
        at += together;
        let start = claim.start.max(from);
        let end = group.iter().map(|anchor| anchor.marker.end).fold(claim.end, usize::max);
        let plain = |from: usize, to: usize| {
            let mut text = String::new();
            let mut place = from;
            for anchor in group {
                if anchor.marker.start >= place && anchor.marker.end <= to {
                    text.push_str(
                        index
                            .span_text(Span::new(place, anchor.marker.start))
                            .unwrap_or_default()
                            .trim_end_matches(' '),
                    );
                    place = anchor.marker.end;
                }
            }
            text.push_str(index.span_text(Span::new(place, to)).unwrap_or_default());
            text
        };
        if start > from {
            blocks.push(json!({"type": "text", "text": index.span_text(Span::new(from, start)).unwrap_or_default()}));
        }
        let citations: Vec<_> = group
            .iter()
            .map(|anchor| {
                let document = documents.iter().position(|number| *number == anchor.number).unwrap_or_else(|| {
                    documents.push(anchor.number);
                    documents.len() - 1
                });
                anthropic_citation(anchor, document)
            })
            .collect();
        blocks.push(json!({"type": "text", "text": plain(start, end), "citations": citations}));
        from = end;
    }
    if from < index.len() {
        blocks.push(json!({"type": "text", "text": index.span_text(Span::new(from, index.len())).unwrap_or_default()}));
    }
    json!({"role": "assistant", "content": blocks})
}

fn anthropic_citation(anchor: &CitationAnchor, document: usize) -> Value {
    match (anchor.pages, anchor.span, &anchor.url) {
        // Pages count from 1, and the end is the page after the last.
        (Some((first, last)), ..) => json!({
            "type": "page_location", "cited_text": anchor.quote, "document_index": document, "document_title": anchor.title,
            "start_page_number": first, "end_page_number": last + 1,
        }),
        (None, _, Some(url)) => json!({
            "type": "search_result_location", "cited_text": anchor.quote, "search_result_index": document, "source": url,
            "title": anchor.title, "start_block_index": 0, "end_block_index": 1,
        }),
        (None, span, None) => {
            let span = span.unwrap_or(Span::new(0, 0));
            json!({
                "type": "char_location", "cited_text": anchor.quote, "document_index": document, "document_title": anchor.title,
                "start_char_index": span.start, "end_char_index": span.end,
            })
        }
    }
}

fn ai_sdk(message: &str, anchors: &[CitationAnchor]) -> Value {
    let mut parts = vec![json!({"type": "text", "text": message})];
    let mut numbers: Vec<u32> = Vec::new();
    for anchor in anchors {
        if numbers.contains(&anchor.number) {
            continue;
        }
        numbers.push(anchor.number);
        let id = anchor.source_id.clone().unwrap_or_else(|| anchor.number.to_string());
        parts.push(match &anchor.url {
            Some(url) => json!({"type": "source-url", "sourceId": id, "url": url, "title": anchor.title}),
            None => json!({
                "type": "source-document", "sourceId": id, "mediaType": anchor.media_type, "title": anchor.title,
                "filename": anchor.title,
            }),
        });
    }
    json!({"role": "assistant", "parts": parts})
}

fn web_annotations(message: &str, anchors: &[CitationAnchor], units: OffsetUnit) -> Value {
    let index = CharIndex::new(message);
    let annotation = |(place, anchor): (usize, &CitationAnchor)| {
        let (start, end) = units.convert_span(&index, anchor.claim.unwrap_or(anchor.marker))?;
        let mut selectors = vec![
            json!({"type": "TextQuoteSelector", "exact": anchor.quote, "prefix": anchor.prefix, "suffix": anchor.suffix}),
        ];
        // The text that is pointed into is not at hand here; its places stay in scalar values, as the W3C counts.
        selectors.extend(
            anchor.span.map(|span| json!({"type": "TextPositionSelector", "start": span.start, "end": span.end})),
        );
        selectors.extend(anchor.pages.map(|(page, _)| {
            json!({"type": "FragmentSelector", "conformsTo": "http://tools.ietf.org/rfc/rfc3778", "value": format!("page={page}")})
        }));
        let source =
            anchor.url.clone().or_else(|| anchor.text_sha256.as_ref().map(|hash| format!("urn:sha256:{hash}")));
        Some(json!({
            "@context": "http://www.w3.org/ns/anno.jsonld",
            "id": format!("#citation-{}", place + 1),
            "type": "Annotation",
            "motivation": "linking",
            "body": {
                "type": "SpecificResource",
                "source": source.unwrap_or_else(|| format!("urn:ibid:source:{}", anchor.number)),
                "selector": selectors,
            },
            "target": {
                "type": "SpecificResource",
                "source": "#message",
                "selector": {"type": "TextPositionSelector", "start": start, "end": end},
            },
        }))
    };
    Value::Array(anchors.iter().enumerate().filter_map(annotation).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An emoji of several scalar values, ideographs, and a letter with a combining mark.
    const MESSAGE: &str = "👩‍🔬 数据 e\u{301} ok [1]. End [2].";

    fn anchors() -> Vec<CitationAnchor> {
        let place = |words: &str| {
            let byte = MESSAGE.find(words).unwrap();
            let start = MESSAGE[..byte].chars().count();
            Span::new(start, start + words.chars().count())
        };
        vec![
            CitationAnchor {
                marker: place("[1]"),
                claim: Some(place("👩‍🔬 数据 e\u{301} ok [1].")),
                number: 1,
                source_id: Some("s-1".into()),
                title: "report.pdf".into(),
                media_type: "application/pdf".into(),
                text_sha256: Some("ab".into()),
                quote: "数据 ok".into(),
                span: Some(Span::new(7, 12)),
                pages: Some((3, 4)),
                ..CitationAnchor::default()
            },
            CitationAnchor {
                marker: place("[2]"),
                claim: Some(place("End [2].")),
                number: 2,
                source_id: Some("s-2".into()),
                title: "A page".into(),
                url: Some("https://example.org/".into()),
                quote: "The end.".into(),
                prefix: "It is ".into(),
                suffix: " Really.".into(),
                span: Some(Span::new(6, 14)),
                ..CitationAnchor::default()
            },
        ]
    }

    #[test]
    fn places_are_counted_as_each_counts() {
        let index = CharIndex::new(MESSAGE);
        let marker = anchors()[0].marker;
        let by = |units: OffsetUnit| units.convert_span(&index, marker).unwrap();
        let (start, end) = by(OffsetUnit::Bytes);
        assert_eq!(&MESSAGE[start..end], "[1]");
        let (start, end) = by(OffsetUnit::Utf16);
        let halves: Vec<u16> = MESSAGE.encode_utf16().collect();
        assert_eq!(String::from_utf16(&halves[start..end]).unwrap(), "[1]");
        let (start, end) = by(OffsetUnit::CodePoints);
        assert_eq!(MESSAGE.chars().skip(start).take(end - start).collect::<String>(), "[1]");
        assert_eq!(OffsetUnit::Utf16.convert_span(&index, Span::new(0, 999)), None);
    }

    #[test]
    fn openai_has_annotations() {
        let found = render_message(MESSAGE, &anchors(), CitationWireFormat::OpenAi, OffsetUnit::CodePoints);
        assert_eq!(found["text"], MESSAGE);
        assert_eq!(
            found["annotations"][0],
            json!({"type": "file_citation", "index": 13, "file_id": "s-1", "filename": "report.pdf"})
        );
        assert_eq!(
            found["annotations"][1],
            json!({"type": "url_citation", "start_index": 22, "end_index": 25, "title": "A page", "url": "https://example.org/"})
        );
    }

    #[test]
    fn anthropic_has_blocks_without_markers() {
        let found = render_message(MESSAGE, &anchors(), CitationWireFormat::Anthropic, OffsetUnit::CodePoints);
        let blocks = found["content"].as_array().unwrap();
        let texts: Vec<_> = blocks.iter().map(|block| block["text"].as_str().unwrap()).collect();
        assert_eq!(texts, ["👩‍🔬 数据 e\u{301} ok.", " ", "End."]);
        let first = &blocks[0]["citations"][0];
        assert_eq!(
            (&first["type"], &first["start_page_number"], &first["end_page_number"]),
            (&json!("page_location"), &json!(3), &json!(5))
        );
        assert_eq!(blocks[2]["citations"][0]["type"], "search_result_location");
        let chars = CitationAnchor { pages: None, ..anchors()[0].clone() };
        let found = render_message(MESSAGE, &[chars], CitationWireFormat::Anthropic, OffsetUnit::CodePoints);
        let location = &found["content"][0]["citations"][0];
        assert_eq!(
            (&location["type"], &location["start_char_index"], &location["end_char_index"]),
            (&json!("char_location"), &json!(7), &json!(12))
        );
    }

    #[test]
    fn the_ai_sdk_has_a_part_for_each_source() {
        let twice = [anchors(), anchors()].concat();
        let found = render_message(MESSAGE, &twice, CitationWireFormat::AiSdk, OffsetUnit::CodePoints);
        let kinds: Vec<_> =
            found["parts"].as_array().unwrap().iter().map(|part| part["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["text", "source-document", "source-url"]);
    }

    #[test]
    fn the_w3c_has_selectors() {
        let found = render_message(MESSAGE, &anchors(), CitationWireFormat::WebAnnotation, OffsetUnit::Utf16);
        let second = &found[1]["body"];
        assert_eq!(second["source"], "https://example.org/");
        assert_eq!(
            second["selector"][0],
            json!({"type": "TextQuoteSelector", "exact": "The end.", "prefix": "It is ", "suffix": " Really."})
        );
        assert_eq!(second["selector"][1], json!({"type": "TextPositionSelector", "start": 6, "end": 14}));
        assert_eq!(found[0]["body"]["source"], "urn:sha256:ab");
        let halves: Vec<u16> = MESSAGE.encode_utf16().collect();
        let (start, end) = (
            found[1]["target"]["selector"]["start"].as_u64().unwrap(),
            found[1]["target"]["selector"]["end"].as_u64().unwrap(),
        );
        assert_eq!(String::from_utf16(&halves[start as usize..end as usize]).unwrap(), "End [2].");
    }
}
