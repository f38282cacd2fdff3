//! Differences between a claim and its source, with the places of the claim's words in the text that makes the claim.

use ibid_citations::parse_markers;
use ibid_claims::verify::Difference;
use ibid_domain::{Span, citation::ClaimDifference};

/// The differences of a claim, with places in the text that the claim stands in.
pub(super) fn locate_differences(text: &str, claim: Span, why: &[Difference]) -> Vec<ClaimDifference> {
    if why.is_empty() {
        return Vec::new();
    }
    let mut letters: Vec<char> = text.chars().skip(claim.start).take(claim.len()).collect();
    // A marker may stand between two words of the claim, and has none itself.
    for marker in parse_markers(text).iter().filter(|marker| marker.span.overlaps(claim)) {
        let (start, end) = (marker.span.start.saturating_sub(claim.start), marker.span.end.saturating_sub(claim.start));
        let end = end.min(letters.len());
        letters[start.min(end)..end].fill(' ');
    }
    let located = |one: &Difference| {
        let words = find_words(&letters, &one.claim);
        ClaimDifference {
            kind: one.kind,
            claim: one.claim.clone(),
            start_index: words.map(|words| words.start + claim.start),
            end_index: words.map(|words| words.end + claim.start),
            source: one.source.clone(),
            start_char: one.span.map(|span| span.start),
            end_char: one.span.map(|span| span.end),
        }
    };
    why.iter().map(located).collect()
}

/// The first place where words stand in a row, with any space between them and no letter beside them.
fn find_words(letters: &[char], words: &str) -> Option<Span> {
    let words: Vec<Vec<char>> = words.split_whitespace().map(|word| word.chars().collect()).collect();
    if words.is_empty() {
        return None;
    }
    let joins = |before: Option<&char>, after: Option<&char>| {
        before.zip(after).is_some_and(|(before, after)| before.is_alphanumeric() && after.is_alphanumeric())
    };
    (0..letters.len()).find_map(|start| {
        let mut at = start;
        for (place, word) in words.iter().enumerate() {
            if place > 0 {
                let space = letters[at..].iter().take_while(|letter| letter.is_whitespace()).count();
                if space == 0 {
                    return None;
                }
                at += space;
            }
            if !letters[at..].starts_with(word) {
                return None;
            }
            at += word.len();
        }
        let before = start.checked_sub(1).and_then(|before| letters.get(before));
        let is_whole = !joins(before, letters.get(start)) && !joins(letters.get(at - 1), letters.get(at));
        is_whole.then_some(Span::new(start, at))
    })
}

#[cfg(test)]
mod tests {
    use ibid_domain::DifferenceKind;

    use super::*;

    fn located(text: &str, words: &str) -> Option<String> {
        let claim = Span::new(0, text.chars().count());
        let difference = Difference {
            kind: DifferenceKind::Figure,
            claim: words.to_owned(),
            source: Some("27 metres".to_owned()),
            span: Some(Span::new(3, 12)),
        };
        let found = locate_differences(text, claim, &[difference]).remove(0);
        assert_eq!((found.start_char, found.end_char), (Some(3), Some(12)));
        Span::new(found.start_index?, found.end_index?).slice_of(text).map(str::to_owned)
    }

    #[test]
    fn words_of_a_claim_are_found_where_they_stand() {
        for (text, words, expected) in [
            ("The pier 🚢 is 72 metres long [1].", "72 metres", Some("72 metres")),
            ("Of 172 metres it has 72\n  metres.", "72 metres", Some("72\n  metres")),
            ("It is 72 [1] metres long.", "72 metres", Some("72 [1] metres")),
            ("It is 72 metres long.", "72 metre", None),
            ("It is long.", "72 metres", None),
            ("It is long.", "", None),
        ] {
            assert_eq!(located(text, words).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn places_count_from_the_beginning_of_the_text() {
        let text = "It is 72 metres. It is 72 metres long [1].";
        let difference =
            Difference { kind: DifferenceKind::Figure, claim: "72 metres".to_owned(), source: None, span: None };
        let found = locate_differences(text, Span::new(17, text.len()), &[difference]);
        assert_eq!((found[0].start_index, found[0].end_index, found[0].start_char), (Some(23), Some(32), None));
    }
}
