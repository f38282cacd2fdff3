//! What classes, ids and roles hint at.

use super::tree::{HtmlTree, NodeId};

/// The words of an element's class, id and other names, in lower case, each between two spaces: ` entry content `.
/// `entryContent`, `entry-content` and `entry_content` are the same.
pub(crate) fn element_hint(tree: &HtmlTree, id: NodeId) -> String {
    let mut out = String::new();
    for attribute in tree.attributes(id) {
        let asked = matches!(
            &*attribute.name,
            "class" | "id" | "role" | "data-testid" | "data-component" | "data-test" | "data-qa" | "itemprop"
        );
        if asked {
            words_into(&attribute.value, &mut out);
        }
    }
    out
}

fn words_into(names: &str, out: &mut String) {
    const MOST: usize = 400;
    if !out.ends_with(' ') {
        out.push(' ');
    }
    let mut last = ' ';
    for c in names.chars() {
        if out.len() > MOST {
            break;
        }
        if c.is_alphanumeric() {
            if c.is_uppercase() && last.is_lowercase() {
                out.push(' ');
            }
            push_lower(c, out);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
        last = c;
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
}

/// Appends a character in lower case. Most are ASCII, for which there is a short way.
pub(crate) fn push_lower(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
    } else {
        out.extend(c.to_lowercase());
    }
}

/// The words of a list, sorted, for [`has_word`].
pub(crate) fn sorted_words(list: &'static str) -> Vec<&'static str> {
    let mut words: Vec<_> = list.split_ascii_whitespace().collect();
    words.sort_unstable();
    words
}

/// Returns true if a word of `hint` is in `list`, which must be sorted.
pub(crate) fn has_word(hint: &str, list: &[&str]) -> bool {
    hint.split(' ').any(|word| !word.is_empty() && list.binary_search(&word).is_ok())
}

/// Returns true if `hint` contains an item of `list`; items may be parts of words or several words.
pub(crate) fn has_part(hint: &str, list: &[&str]) -> bool {
    !hint.is_empty() && list.iter().any(|part| hint.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        let tree = HtmlTree::parse("<div class='entryContent post_Body' id=Main-1>", 10);
        assert_eq!(element_hint(&tree, 3), " entry content post body main 1 ");
    }
}
