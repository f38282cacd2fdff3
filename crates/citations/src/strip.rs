//! A text without its markers, and what of it others need to know to find its claims.

use ibid_domain::cited_text::{CitedText, MarkerRange, without_markers};

use crate::{
    grammar::{Marker, MarkerKind},
    markdown,
};

/// The text without those of its markers that `removes` says yes to, and without the blank space and the brackets that
/// were there only for them: see [`without_markers`].
pub fn strip_markers(text: &str, markers: &[Marker], mut removes: impl FnMut(&Marker) -> bool) -> String {
    let removed: Vec<_> = markers.iter().filter(|marker| removes(marker)).map(marker_range).collect();
    without_markers(text, &removed)
}

/// The blocks of a text and where its markers stand, to find its claims.
pub fn cited_text<'text>(text: &'text str, markers: &[Marker]) -> CitedText<'text> {
    let markers = markers.iter().map(marker_range).collect();
    CitedText { text, blocks: markdown::parse_blocks(text).prose, markers }
}

fn marker_range(marker: &Marker) -> MarkerRange {
    let is_definition = matches!(marker.kind, MarkerKind::Definition { .. });
    MarkerRange { bytes: marker.bytes.clone(), is_definition }
}
