//! How sources and their passages are named: by ids, by addresses of the app, and by URIs of resources.

use ibid_domain::{Code, Problem, RevisionId, SourceId, Span, problem::shorten_for_error};

use crate::http::sources::source_id;

/// Prefix of the resource URI of a source.
const SCHEME: &str = "ibid://sources/";

/// A source, or a passage of it.
#[derive(Debug, PartialEq)]
pub(super) struct SourceAddress {
    pub(super) source: SourceId,
    /// The version that is meant, if not the one it stands at.
    pub(super) revision: Option<RevisionId>,
    /// The characters that are meant, if not all; the end may be open.
    pub(super) span: Option<(usize, Option<usize>)>,
}

impl SourceAddress {
    /// Reads an id (`ID`), the id of a passage (`ID#START-END`), a resource's URI (`ibid://sources/ID`) or an address
    /// of the app (`…/sources/ID?revision=…#c=START-END`): whatever a tool gave out is understood.
    pub(super) fn parse(text: &str, public_url: &str) -> Result<Self, Problem> {
        let trimmed = text.trim();
        let path = trimmed.strip_prefix(public_url).unwrap_or(trimmed);
        let rest = path.strip_prefix(SCHEME).or_else(|| path.strip_prefix("/sources/")).unwrap_or(path);
        let (rest, fragment) = rest.split_once('#').map_or((rest, None), |(rest, fragment)| (rest, Some(fragment)));
        let (id, query) = rest.split_once('?').unwrap_or((rest, ""));
        let wrong = || {
            let detail =
                format!("'{}' names no passage; write the source's id, or id#start-end", shorten_for_error(text));
            Problem::new(Code::InvalidField, detail).with_field("id")
        };
        let mut named = Self { source: source_id(id)?, revision: None, span: None };
        let (mut start, mut end) = (None, None);
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            match name {
                "revision" => {
                    let revision = value.parse().map_err(|_| {
                        let detail = format!("there is no revision '{}'; an id is a UUID", shorten_for_error(value));
                        Problem::new(Code::RevisionNotFound, detail).with_field("revision")
                    })?;
                    named.revision = Some(revision);
                }
                "start_char" => start = Some(value.parse().map_err(|_| wrong())?),
                "end_char" => end = Some(value.parse().map_err(|_| wrong())?),
                _ => {}
            }
        }
        if let Some(fragment) = fragment {
            let places = fragment.strip_prefix("c=").unwrap_or(fragment);
            let (first, last) = places.split_once('-').ok_or_else(wrong)?;
            start = Some(first.parse().map_err(|_| wrong())?);
            end = Some(last.parse().map_err(|_| wrong())?);
        }
        if start.is_some() || end.is_some() {
            named.span = Some((start.unwrap_or(0), end));
        }
        Ok(named)
    }
}

/// The id of a passage, which [`SourceAddress::parse`] understands.
pub(super) fn passage_id(source: impl std::fmt::Display, span: Span) -> String {
    format!("{source}#{}-{}", span.start, span.end)
}

/// The URI of a source as a resource.
pub(super) fn resource_uri(source: impl std::fmt::Display) -> String {
    format!("{SCHEME}{source}")
}

/// The address of the app that opens a source, at some of its words if they are named.
pub(super) fn app_url(
    public_url: &str,
    source: impl std::fmt::Display,
    revision: Option<RevisionId>,
    span: Option<Span>,
) -> String {
    let revision = revision.map(|id| format!("?revision={id}")).unwrap_or_default();
    let span = span.map(|span| format!("#c={}-{}", span.start, span.end)).unwrap_or_default();
    format!("{public_url}/sources/{source}{revision}{span}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_was_given_out_is_understood() {
        let (id, revision) = (SourceId::new(), RevisionId::new());
        let app = "http://127.0.0.1:7319";
        let parse = |text: &str| SourceAddress::parse(text, app).unwrap();
        let whole = SourceAddress { source: id, revision: None, span: None };
        assert_eq!(parse(&id.to_string()), whole);
        assert_eq!(parse(&resource_uri(id)), whole);
        assert_eq!(parse(&app_url(app, id, None, None)), whole);
        let passage = SourceAddress { span: Some((5, Some(9))), ..whole };
        assert_eq!(parse(&passage_id(id, Span::new(5, 9))), passage);
        assert_eq!(parse(&format!("ibid://sources/{id}?start_char=5&end_char=9")), passage);
        let open = SourceAddress { source: id, revision: None, span: Some((5, None)) };
        assert_eq!(parse(&format!("ibid://sources/{id}?start_char=5")), open);
        let old = SourceAddress { source: id, revision: Some(revision), span: Some((5, Some(9))) };
        assert_eq!(parse(&app_url(app, id, Some(revision), Some(Span::new(5, 9)))), old);
        assert_eq!(parse(&crate::wire::search::app_url(id.uuid(), revision.uuid(), 5, 9)), old);
    }

    #[test]
    fn what_names_nothing_is_said() {
        let id = SourceId::new();
        for (text, code) in [
            ("", Code::SourceNotFound),
            ("7", Code::SourceNotFound),
            ("http://elsewhere.example/sources/7", Code::SourceNotFound),
            (&format!("{id}#here"), Code::InvalidField),
            (&format!("{id}#5-"), Code::InvalidField),
            (&format!("{id}#-1-5"), Code::InvalidField),
            (&format!("{id}?revision=7"), Code::RevisionNotFound),
        ] {
            assert_eq!(SourceAddress::parse(text, "http://127.0.0.1:7319").unwrap_err().code, code, "{text}");
        }
    }
}
