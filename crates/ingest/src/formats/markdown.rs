//! Markdown: the text as it is, with its headings as sections.

use ibid_language::one_line;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{ExtractionContext, ExtractionDraft, properties, text::of_input};
use crate::{ExtractionError, ExtractionInput};

pub(super) fn read(
    input: &ExtractionInput,
    _: &ExtractionContext,
    draft: &mut ExtractionDraft,
) -> Result<(), ExtractionError> {
    let text = of_input(input);
    let text = text.trim_start_matches('\n');
    let mut options = Options::empty();
    options.insert(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS);
    let mut written = 0;
    let mut heading: Option<(usize, u8, String)> = None;
    let mut metadata = false;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => heading = Some((range.start, level as u8, String::new())),
            Event::Text(words) | Event::Code(words) => {
                if let Some((_, _, label)) = &mut heading {
                    label.push_str(&words);
                } else if metadata {
                    front_matter(&words, draft);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some((_, _, label)) = &mut heading {
                    label.push(' ');
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((start, level, label)) = heading.take()
                    && start >= written
                {
                    draft.text.push(&text[written..start])?;
                    written = start;
                    let label = one_line(&label);
                    if level == 1 && draft.reference.title.is_none() {
                        draft.reference.title = properties::clean_title(&label);
                    }
                    if !label.is_empty() {
                        draft.text.begin_section(level, label);
                    }
                }
            }
            Event::Start(Tag::MetadataBlock(_)) => metadata = true,
            Event::End(TagEnd::MetadataBlock(_)) => metadata = false,
            _ => {}
        }
    }
    draft.text.push(&text[written..])
}

/// The lines before the text that say what it is; only the plain ones.
fn front_matter(block: &str, draft: &mut ExtractionDraft) {
    for line in block.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim().trim_matches(['"', '\'']);
        match name {
            "title" => draft.reference.title = properties::clean_title(value).or(draft.reference.title.take()),
            "author" => draft.reference.authors.extend(properties::parse_author(value)),
            "date" => draft.reference.publication_date = properties::parse_date(value),
            _ => {}
        }
    }
}
