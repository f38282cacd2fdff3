//! What a model is told: how to cite, and what there is to cite.

use crate::{
    grammar::{MarkerKind, parse_markers},
    ledger::{Ledger, LedgerEntry},
    source::{CitationSourceType, shorten},
    strip::strip_markers,
};

/// Instructions on citing sources, for the system prompt of a model.
pub const GUIDELINES: &str = "\
## Citing sources

You are given numbered sources. Every statement of fact that you take from them ends with the number of the source that \
supports it, in square brackets, before the full stop.

- One source: The bridge opened in 1932 [1].
- Several sources for one statement: It is the tallest of its kind [2, 3].
- Different sources for the parts of a sentence: It opened in 1932 [1] and was widened in 1988 [4].

Rules:
- Cite only sources that are in the list, by the number that they have there. Never make up a number, an address or a title.
- Cite a source only for what it says. If the sources do not say something, say that they do not.
- Put the number directly after what it supports. Do not collect numbers at the end of a paragraph, and do not write a \
list of sources: the reader sees one.
- Do not turn numbers into links, and do not put them into code.
";

/// The longest preview of a source, in characters.
const LONGEST_PREVIEW: usize = 600;
/// The shortest that says anything.
const SHORTEST_PREVIEW: usize = 40;
/// Maximum length of a source name, in characters.
const LONGEST_NAME: usize = 120;

/// About how many tokens a text is to a model: four characters of most languages, one of those written without spaces.
pub fn estimate_prompt_tokens(text: &str) -> usize {
    let wide = text.chars().filter(|char| *char >= '\u{1100}').count();
    wide + (text.chars().count() - wide).div_ceil(4)
}

/// The sources of a run, a numbered line each, in at most so many tokens.
///
/// Every source is named as long as names fit, because a source that is not in the list cannot be cited; what is left
/// is shared out evenly for previews. What does not fit is counted in a last line.
pub fn format_sources(ledger: &Ledger, budget: usize) -> String {
    let names: Vec<_> = ledger.entries().iter().map(entry_label).collect();
    let mut left = budget;
    let mut fit = 0;
    for name in &names {
        let cost = estimate_prompt_tokens(name) + 1;
        // Room for the last line, unless nothing is left out.
        let reserve = if fit + 1 == names.len() { 0 } else { 8 };
        if cost + reserve > left {
            break;
        }
        left -= cost;
        fit += 1;
    }
    let mut lines = Vec::with_capacity(fit + 1);
    for (place, (name, entry)) in names.iter().zip(ledger.entries()).take(fit).enumerate() {
        // What a short preview leaves over goes to those after it.
        let share = left / (fit - place);
        let preview = entry_preview(entry, share.saturating_sub(2));
        left -= preview.as_ref().map_or(0, |preview| estimate_prompt_tokens(preview) + 2).min(left);
        match preview {
            Some(preview) => lines.push(format!("{name} - \"{preview}\"")),
            None => lines.push(name.clone()),
        }
    }
    if fit < names.len() {
        lines.push(format!("({} more sources are not listed)", names.len() - fit));
    }
    lines.join("\n")
}

/// `[1] example.com: Title (page 5)`
fn entry_label(entry: &LedgerEntry) -> String {
    let source = &entry.source;
    let mut name = format!("[{}] ", entry.number);
    let title = sanitize_text(source.display_name());
    let place = match source.kind {
        CitationSourceType::Web | CitationSourceType::Api => source.domain.as_deref(),
        _ => source.uri.as_deref().map(|uri| uri.rsplit(['/', '\\']).next().unwrap_or(uri)),
    };
    if let Some(place) = place.map(sanitize_text).filter(|place| !place.is_empty() && *place != title) {
        name.push_str(&shorten(&place, LONGEST_NAME));
        name.push_str(": ");
    }
    name.push_str(&shorten(&title, LONGEST_NAME));
    if let Some(page) = source.page_number {
        name.push_str(&format!(" (page {page})"));
    } else if let Some(line) = source.line_start {
        name.push_str(&format!(" (line {line})"));
    }
    name
}

/// Returns an excerpt of the results within a token budget.
fn entry_preview(entry: &LedgerEntry, budget: usize) -> Option<String> {
    let mut said = Vec::new();
    for source in std::iter::once(&entry.source).chain(&entry.others) {
        let words = source.snippet.as_deref().or(source.full_content.as_deref()).map(sanitize_text).unwrap_or_default();
        if !words.is_empty() && !said.contains(&words) {
            said.push(words);
        }
    }
    let said = said.join(" … ");
    let mut most = (budget * 4).min(LONGEST_PREVIEW * (1 + entry.others.len().min(4)));
    while most >= SHORTEST_PREVIEW {
        let preview = shorten(&said, most);
        if estimate_prompt_tokens(&preview) <= budget {
            return (!preview.is_empty()).then_some(preview);
        }
        most = most * 3 / 4;
    }
    None
}

/// Words of a source without what a model would take for a number of this list, or for the end of a line.
fn sanitize_text(words: &str) -> String {
    let markers = parse_markers(words);
    let plain = strip_markers(words, &markers, |marker| matches!(marker.kind, MarkerKind::Numbers(_)));
    plain.split_whitespace().collect::<Vec<_>>().join(" ").replace('"', "'")
}
