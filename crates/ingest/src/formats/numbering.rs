//! The labels of numbered paragraphs in Word: they are not in the text but follow from how often which level occurred.

use std::collections::HashMap;

use super::xml::XmlNode;

#[derive(Clone, Debug, Default)]
struct ListLevel {
    start: i64,
    format: String,
    text: String,
    /// True if all numbers in the label use digits, as in legal numbering.
    legal: bool,
    /// The level after which this one starts again; Word's default is any higher one.
    restart: Option<usize>,
}

/// A list in use: which definition it has, and where its own starts and levels differ.
#[derive(Debug)]
struct ListInstance {
    list: String,
    starts: HashMap<usize, i64>,
    levels: HashMap<usize, ListLevel>,
}

#[derive(Debug, Default)]
pub(super) struct Numbering {
    lists: HashMap<String, Vec<ListLevel>>,
    uses: HashMap<String, ListInstance>,
    counters: HashMap<String, Vec<Option<i64>>>,
    begun: HashMap<(String, usize), ()>,
}

const LEVELS: usize = 9;

impl Numbering {
    pub fn new(root: XmlNode) -> Self {
        let mut numbering = Self::default();
        let mut links = HashMap::new();
        for list in root.descendants().filter(|node| node.has_name("abstractNum")) {
            let Some(id) = list.attr("abstractNumId") else { continue };
            let mut levels = vec![ListLevel::default(); LEVELS];
            for node in list.children().filter(|node| node.has_name("lvl")) {
                if let Some(level) = node.number_attr::<usize>("ilvl").and_then(|level| levels.get_mut(level)) {
                    *level = read_level(node);
                }
            }
            if let Some(link) = list.child_val("styleLink") {
                links.insert(link, id.clone());
            }
            numbering.lists.insert(id, levels);
        }
        for list in root.descendants().filter(|node| node.has_name("abstractNum")) {
            // A list may only say which style it follows; another list defines that style.
            if let Some(id) = list.attr("abstractNumId")
                && let Some(defined) = list.child_val("numStyleLink").and_then(|link| links.get(&link))
                && let Some(levels) = numbering.lists.get(defined).cloned()
            {
                numbering.lists.insert(id, levels);
            }
        }
        for used in root.descendants().filter(|node| node.has_name("num")) {
            let (Some(id), Some(list)) = (used.attr("numId"), used.child_val("abstractNumId")) else { continue };
            let mut starts = HashMap::new();
            let mut levels = HashMap::new();
            for change in used.children().filter(|node| node.has_name("lvlOverride")) {
                let Some(level) = change.number_attr::<usize>("ilvl") else { continue };
                if let Some(start) = change.child("startOverride").and_then(|node| node.number_attr("val")) {
                    starts.insert(level, start);
                }
                if let Some(node) = change.child("lvl") {
                    levels.insert(level, read_level(node));
                }
            }
            numbering.uses.insert(id, ListInstance { list, starts, levels });
        }
        numbering
    }

    /// The label of the next paragraph of this list and level.
    pub fn next(&mut self, id: &str, level: usize) -> Option<String> {
        let ListInstance { list, starts, levels: changed } = self.uses.get(id)?;
        let levels = self.lists.get(list)?;
        if level >= LEVELS {
            return None;
        }
        let definition = |index: usize| changed.get(&index).or_else(|| levels.get(index));
        let counters = self.counters.entry(list.clone()).or_insert_with(|| vec![None; LEVELS]);
        // A list that says where it starts does so once, at its first paragraph.
        let fresh = starts.get(&level).filter(|_| self.begun.insert((id.to_owned(), level), ()).is_none());
        counters[level] = Some(match (fresh, counters[level]) {
            (Some(start), _) => *start,
            (None, Some(number)) => number.saturating_add(1),
            (None, None) => definition(level)?.start,
        });
        for (deeper, counter) in counters.iter_mut().enumerate().skip(level + 1) {
            let restart = definition(deeper).and_then(|level| level.restart);
            if restart.is_none_or(|restart| restart > 0 && level < restart) {
                *counter = None;
            }
        }
        let current = definition(level)?;
        if current.format == "bullet" {
            return Some(normalize_bullet(&current.text));
        }
        if current.format == "none" && !current.text.contains('%') {
            return Some(current.text.trim().to_owned()).filter(|text| !text.is_empty());
        }
        let mut label = String::new();
        let mut chars = current.text.chars().peekable();
        while let Some(char) = chars.next() {
            match (char, chars.peek().and_then(|next| next.to_digit(10))) {
                ('%', Some(which @ 1..)) => {
                    chars.next();
                    let which = which as usize - 1;
                    let of = definition(which)?;
                    let number = counters[which].unwrap_or(of.start);
                    let format = if current.legal { "decimal" } else { of.format.as_str() };
                    label.push_str(&format_list_number(number, format));
                }
                (char, _) => label.push(char),
            }
        }
        Some(label.trim().to_owned()).filter(|label| !label.is_empty())
    }
}

fn read_level(node: XmlNode) -> ListLevel {
    ListLevel {
        start: node.child("start").and_then(|start| start.number_attr("val")).unwrap_or(1),
        format: node
            .child_val("numFmt")
            .or_else(|| node.find_descendant("numFmt").and_then(|format| format.attr("val")))
            .unwrap_or_else(|| "decimal".to_owned()),
        text: node.child_val("lvlText").unwrap_or_default(),
        legal: node.child("isLgl").is_some_and(XmlNode::is_on),
        restart: node.child("lvlRestart").and_then(|restart| restart.number_attr("val")),
    }
}

/// Bullets stand in private ranges of symbol fonts; any of them reads as a bullet.
fn normalize_bullet(text: &str) -> String {
    match text.chars().next() {
        Some(char @ ('-' | '–' | '—' | '*' | '>' | '+')) => char.to_string(),
        Some('o') | None => "•".to_owned(),
        Some(char) if ('\u{e000}'..='\u{f8ff}').contains(&char) => "•".to_owned(),
        Some(char) => char.to_string(),
    }
}

/// A number in one of the ways that lists are counted.
pub(super) fn format_list_number(number: i64, format: &str) -> String {
    match format {
        "lowerLetter" | "a" => to_letters(number).to_lowercase(),
        "upperLetter" | "A" => to_letters(number),
        "lowerRoman" | "i" => to_roman(number).to_lowercase(),
        "upperRoman" | "I" => to_roman(number),
        "decimalZero" => format!("{number:02}"),
        "ordinal" => {
            let end = match (number % 10, number % 100) {
                (1, rest) if rest != 11 => "st",
                (2, rest) if rest != 12 => "nd",
                (3, rest) if rest != 13 => "rd",
                _ => "th",
            };
            format!("{number}{end}")
        }
        "none" => String::new(),
        _ => number.to_string(),
    }
}

/// A, B, … Z, AA, BB, … as Word counts.
fn to_letters(number: i64) -> String {
    if !(1..=26 * 40).contains(&number) {
        return number.to_string();
    }
    let letter = char::from(b'A' + ((number - 1) % 26) as u8);
    std::iter::repeat_n(letter, ((number - 1) / 26 + 1) as usize).collect()
}

fn to_roman(number: i64) -> String {
    if !(1..4000).contains(&number) {
        return number.to_string();
    }
    let mut left = number;
    let mut text = String::new();
    for (value, digits) in [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ] {
        while left >= value {
            text.push_str(digits);
            left -= value;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExtractionLimits, formats::xml::XmlTree};

    #[test]
    fn labels_count_as_word_counts() {
        let source = r#"<w:numbering xmlns:w="x"><w:abstractNum w:abstractNumId="0">
            <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
            <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>
            </w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
            <w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/>
            </w:lvlOverride></w:num></w:numbering>"#;
        let limits = ExtractionLimits::default();
        let tree = XmlTree::parse(source, &limits).unwrap();
        let mut numbering = Numbering::new(tree.root());
        let labels: Vec<_> = [("1", 0), ("1", 1), ("1", 1), ("1", 0), ("1", 1), ("2", 0), ("2", 0), ("9", 0)]
            .map(|(id, level)| numbering.next(id, level).unwrap_or_default())
            .into();
        assert_eq!(labels, ["1.", "1.a)", "1.b)", "2.", "2.a)", "7.", "8.", ""]);
    }

    #[test]
    fn numbers_are_written_in_letters_and_roman() {
        assert_eq!(format_list_number(28, "upperLetter"), "BB");
        assert_eq!(format_list_number(1994, "lowerRoman"), "mcmxciv");
        assert_eq!(format_list_number(22, "ordinal"), "22nd");
    }
}
