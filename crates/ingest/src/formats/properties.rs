//! What files tell about themselves, as far as it makes sense.

use ibid_domain::{Name, PartialDate, Reference};

use super::xml::XmlNode;

/// A title that a person gave, not one that a program made up.
pub(super) fn clean_title(text: &str) -> Option<String> {
    let text = ibid_language::one_line(text);
    let lower = text.to_lowercase();
    let made_up = text.len() < 2
        || ["untitled", "unbenannt", "microsoft word - ", "microsoft powerpoint - ", "powerpoint presentation"]
            .iter()
            .any(|start| lower.starts_with(start))
        || ["title", "document", "presentation", "slide 1", "dokument", "unknown"].contains(&lower.as_str())
        || (!text.contains(' ')
            && [".doc", ".docx", ".pdf", ".dvi", ".tex", ".indd", ".ppt", ".pptx", ".xls", ".xlsx", ".odt", ".qxd"]
                .iter()
                .any(|end| lower.ends_with(end)))
        || !text.chars().any(char::is_alphanumeric);
    (!made_up).then_some(text)
}

/// People in one field, as programs write them: separated by semicolons.
pub(super) fn parse_authors(text: &str) -> Vec<Name> {
    text.split(';').filter_map(parse_author).collect()
}

/// One person or organisation.
pub(super) fn parse_author(text: &str) -> Option<Name> {
    let name = ibid_language::one_line(text);
    let lower = name.to_lowercase();
    let nobody = ["", "user", "unknown", "author", "admin", "administrator", "owner", "anonymous", "root", "-"]
        .contains(&lower.as_str())
        || ["microsoft office user", "windows user", "python-docx", "openpyxl"].contains(&lower.as_str());
    (!nobody && name.chars().any(char::is_alphabetic)).then_some(Name::Whole(name))
}

/// The day of a time as XML writes it, or of one as PDF writes it.
pub(super) fn parse_date(text: &str) -> Option<PartialDate> {
    let text = text.trim();
    if let Ok(date) = text.parse() {
        return Some(date);
    }
    let digits: String = text.trim_start_matches("D:").chars().take_while(char::is_ascii_digit).take(8).collect();
    let part = |from: usize, to: usize| digits.get(from..to)?.parse::<i8>().ok();
    let year = digits.get(..4)?.parse().ok()?;
    PartialDate::new(year, part(4, 6), part(6, 8)).or_else(|| PartialDate::new(year, None, None))
}

/// A language tag, if it looks like one.
fn parse_language(text: &str) -> Option<String> {
    let tag = text.trim();
    let first = tag.split('-').next().unwrap_or_default();
    let fits = (2..=3).contains(&first.len()) && tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (fits && tag.len() < 36 && tag != "und").then(|| tag.to_owned())
}

/// Reads the Dublin Core words that Office, OpenDocument and EPUB share.
pub(super) fn dublin_core(node: XmlNode, reference: &mut Reference) {
    let mut created = None;
    let mut modified = None;
    for item in node.descendants() {
        let text = || Some(item.text()).filter(|text| !text.trim().is_empty());
        match item.name() {
            "title" => reference.title = reference.title.take().or_else(|| clean_title(&text()?)),
            "creator" | "initial-creator" => {
                for name in parse_authors(&item.text()) {
                    // OpenDocument calls whoever changed it last its creator; who began it stands first.
                    if item.has_name("initial-creator") {
                        reference.authors = vec![name];
                    } else if !reference.authors.contains(&name) {
                        reference.authors.push(name);
                    }
                }
            }
            "created" | "creation-date" => created = text().as_deref().and_then(parse_date),
            "date" | "modified" => modified = modified.or_else(|| parse_date(&text()?)),
            "language" => reference.language = reference.language.take().or_else(|| parse_language(&text()?)),
            "publisher" => {
                reference.publisher = reference.publisher.take().or_else(|| Some(ibid_language::one_line(&text()?)));
            }
            "description" => {
                reference.summary = reference.summary.take().or_else(|| Some(ibid_language::one_line(&text()?)));
            }
            _ => {}
        }
    }
    reference.publication_date = reference.publication_date.or(created).or(modified);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_titles_and_authors_are_no_titles_and_authors() {
        assert_eq!(clean_title("  On\nsampling "), Some("On sampling".to_owned()));
        for text in ["", "untitled", "Microsoft Word - x.doc", "thesis_final.docx", "--"] {
            assert_eq!(clean_title(text), None, "{text}");
        }
        assert_eq!(parse_authors("A. Sample; B. Sample;").len(), 2);
        assert!(parse_authors("user").is_empty());
    }

    #[test]
    fn dates_of_pdf_and_of_xml_are_read() {
        assert_eq!(parse_date("D:20240501120000+02'00'").unwrap().to_string(), "2024-05-01");
        assert_eq!(parse_date("2024-05-01T12:00:00Z").unwrap().to_string(), "2024-05-01");
        assert_eq!(parse_date("D:20241301").unwrap().to_string(), "2024");
        assert!(parse_date("yesterday").is_none());
    }
}
