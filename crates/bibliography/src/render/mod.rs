//! One item through one layout: what the elements of a style make of it.

mod dates;
mod names;
mod numbers;

pub(crate) use dates::sort_key;

use hayagriva::citationberg::{
    Choose, ChooseBranch, ChooseMatch, Display, FontStyle, FontVariant, FontWeight, Formatting, Group,
    InheritableNameOptions, LayoutRenderingElement as Element, LongShortForm, TestPosition, Text, TextCase,
    TextDecoration, TextTarget, ToFormatting, VerticalAlign,
    taxonomy::{Locator, NameVariable, NumberVariable, StandardVariable, Variable},
};

use crate::{
    case,
    item::Item,
    locale::Language,
    markup::{self, push, wrap},
    number,
    style::Style,
};

/// How deep macros may call each other.
const DEEPEST: usize = 40;
/// How much one citation or entry may hold while it is made, in bytes.
const LARGEST: usize = 512 * 1024;

/// Where a citation stands among those of the same item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Position {
    #[default]
    First,
    Subsequent,
    IbidWithLocator,
    Ibid,
}

/// More of the names than the style shows by itself, so that two citations differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct NameChoice {
    /// So many names at least.
    pub shown: usize,
    /// For each name: 0 as the style says, 1 with initials, 2 in full.
    pub givens: Vec<u8>,
}

impl NameChoice {
    /// Shows more of the given names of one person.
    pub(crate) fn raise(&mut self, name: usize, level: u8) {
        if self.givens.len() <= name {
            self.givens.resize(name + 1, 0);
        }
        if let Some(given) = self.givens.get_mut(name) {
            *given = (*given).max(level);
        }
    }
}

/// What is made, and of what.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cite<'a> {
    pub in_bibliography: bool,
    /// The text is only compared.
    pub sorting: bool,
    pub position: Position,
    pub near_note: bool,
    pub locator: Option<(Locator, &'a str)>,
    pub number: Option<usize>,
    pub first_note: Option<usize>,
    pub year_suffix: Option<&'a str>,
    pub disambiguate: bool,
    pub names: Option<&'a NameChoice>,
    pub suppress_author: bool,
    /// What stands for names that the entry before has too.
    pub same_author: Option<&'a str>,
    /// Bounds for names in sort keys.
    pub sort_names: (Option<u32>, Option<u32>, Option<bool>),
}

/// Whether variables were asked for, and had a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Asked {
    Nothing,
    Missing,
    Value,
}

/// What an element came to.
pub(crate) struct Made {
    pub text: String,
    pub asked: Asked,
}

impl Made {
    fn missing() -> Self {
        Self { text: String::new(), asked: Asked::Missing }
    }

    fn value(text: String) -> Self {
        let asked = if markup::is_blank(&text) { Asked::Missing } else { Asked::Value };
        Self { text, asked }
    }
}

pub(crate) struct Renderer<'a> {
    pub style: &'a Style,
    pub language: &'a Language,
    pub item: &'a Item,
    pub cite: Cite<'a>,
    /// Name options of the style with those of its citation or bibliography.
    pub options: &'a InheritableNameOptions,
    /// Variables that stood in for names and are not written again.
    used: Vec<Variable>,
    /// Variables that were written, in their order.
    touched: Vec<Variable>,
    depth: usize,
    /// Whether something is made to stand in for names.
    standing_in: usize,
    names_seen: usize,
    suffix_done: bool,
    /// How many names the first list had, for telling citations apart.
    pub first_names: usize,
    /// How many of them were shown.
    pub shown_names: usize,
    /// Whose names came first.
    pub lead: Option<NameVariable>,
}

impl<'a> Renderer<'a> {
    pub(crate) fn new(
        style: &'a Style,
        language: &'a Language,
        item: &'a Item,
        options: &'a InheritableNameOptions,
        cite: Cite<'a>,
    ) -> Self {
        Self {
            style,
            language,
            item,
            cite,
            options,
            used: Vec::new(),
            touched: Vec::new(),
            depth: 0,
            standing_in: 0,
            names_seen: 0,
            suffix_done: false,
            first_names: 0,
            shown_names: 0,
            lead: None,
        }
    }

    pub(crate) fn push(&self, out: &mut String, piece: &str) {
        push(out, piece, self.language.punctuation_in_quote);
    }

    /// The elements one behind the other, with the delimiter between those that say something.
    pub(crate) fn all(&mut self, elements: &'a [Element], delimiter: &str) -> Made {
        let mut out = Made { text: String::new(), asked: Asked::Nothing };
        self.depth += 1;
        if self.depth <= DEEPEST {
            self.join(elements, delimiter, &mut out);
        }
        self.depth -= 1;
        out
    }

    fn join(&mut self, elements: &'a [Element], delimiter: &str, out: &mut Made) {
        for element in elements {
            if out.text.len() > LARGEST {
                return;
            }
            // What a condition chooses stands as if it were written in its place.
            if let Element::Choose(choose) = element {
                if let Some(children) = self.chosen(choose) {
                    self.join(children, delimiter, out);
                }
                continue;
            }
            let made = self.element(element);
            out.asked = out.asked.max(made.asked);
            if !markup::is_blank(&made.text) {
                if !out.text.is_empty() {
                    self.push(&mut out.text, delimiter);
                }
                self.push(&mut out.text, &made.text);
            }
        }
    }

    pub(crate) fn element(&mut self, element: &'a Element) -> Made {
        match element {
            Element::Text(text) => self.text(text),
            Element::Number(number) => self.number(number),
            Element::Label(label) => self.label(label),
            Element::Date(date) => self.date(date),
            Element::Names(names) => self.names(names),
            Element::Group(group) => self.group(group),
            Element::Choose(choose) => match self.chosen(choose) {
                Some(children) => self.all(children, ""),
                None => Made { text: String::new(), asked: Asked::Nothing },
            },
        }
    }

    fn group(&mut self, group: &'a Group) -> Made {
        let made = self.all(&group.children, group.delimiter.as_deref().unwrap_or_default());
        // A group whose variables are all empty says nothing, whatever terms it has.
        if made.asked == Asked::Missing || markup::is_blank(&made.text) {
            return Made { text: String::new(), asked: made.asked };
        }
        let text = self.dressed(
            made.text,
            &group.to_formatting(),
            group.prefix.as_deref(),
            group.suffix.as_deref(),
            group.display,
        );
        // One that says something counts as a variable that has a value, for the group around it.
        Made { text, asked: Asked::Value }
    }

    /// The children of the first branch whose condition holds.
    fn chosen(&self, choose: &'a Choose) -> Option<&'a [Element]> {
        let branch = choose.branches().find(|branch| self.holds(branch));
        branch
            .map(|branch| branch.children.as_slice())
            .or_else(|| choose.otherwise.as_ref().map(|branch| branch.children.as_slice()))
    }

    fn holds(&self, branch: &ChooseBranch) -> bool {
        let all = branch.match_ == ChooseMatch::All;
        let none = branch.match_ == ChooseMatch::None;
        // With `any` one is enough; with `all` and `none` one that does not fit is.
        let mut decided = None;
        let mut test = |result: bool| {
            let fits = if none { !result } else { result };
            if decided.is_none() && fits != (all || none) {
                decided = Some(fits);
            }
        };
        if let Some(wanted) = branch.disambiguate {
            test(self.cite.disambiguate == wanted);
        }
        for variable in branch.is_numeric.iter().flatten() {
            test(self.value(*variable, LongShortForm::Long).is_some_and(|text| number::is_numeric(&text)));
        }
        for variable in branch.is_uncertain_date.iter().flatten() {
            test(self.item.date(*variable).is_some_and(|date| date.circa));
        }
        for locator in branch.locator.iter().flatten() {
            test(self.cite.locator.is_some_and(|(kind, _)| kind == *locator));
        }
        for position in branch.position.iter().flatten() {
            test(self.stands(*position));
        }
        for kind in branch.type_.iter().flatten() {
            test(self.item.kind == *kind);
        }
        for variable in branch.variable.iter().flatten() {
            test(self.has(*variable));
        }
        decided.unwrap_or(all || none)
    }

    fn stands(&self, position: TestPosition) -> bool {
        if self.cite.in_bibliography {
            return false;
        }
        match position {
            TestPosition::First => self.cite.position == Position::First,
            TestPosition::Subsequent => self.cite.position >= Position::Subsequent,
            TestPosition::IbidWithLocator => self.cite.position == Position::IbidWithLocator,
            TestPosition::Ibid => self.cite.position >= Position::IbidWithLocator,
            TestPosition::NearNote => self.cite.near_note,
        }
    }

    fn has(&self, variable: Variable) -> bool {
        match variable {
            Variable::Number(NumberVariable::Locator) => self.cite.locator.is_some(),
            Variable::Number(NumberVariable::CitationNumber) => self.cite.number.is_some(),
            Variable::Number(NumberVariable::FirstReferenceNoteNumber) => self.cite.first_note.is_some(),
            Variable::Standard(StandardVariable::YearSuffix) => self.cite.year_suffix.is_some(),
            variable => self.item.has(variable),
        }
    }

    /// The text of a variable, as the data has it.
    fn value(&self, variable: Variable, form: LongShortForm) -> Option<String> {
        use StandardVariable as Of;
        let text = |of: Of| self.item.text(of).map(str::to_owned);
        match variable {
            Variable::Standard(of) => match (of, form) {
                (Of::YearSuffix, _) => self.cite.year_suffix.map(str::to_owned),
                (Of::Title, LongShortForm::Short) => text(Of::TitleShort).or_else(|| text(Of::Title)),
                (Of::ContainerTitle, LongShortForm::Short) => {
                    text(Of::ContainerTitleShort).or_else(|| text(Of::ContainerTitle))
                }
                (Of::CitationLabel, _) => text(Of::CitationLabel).or_else(|| Some(crate::label::of(self.item))),
                (of, _) => text(of),
            },
            Variable::Page(_) => self.item.page().map(str::to_owned),
            Variable::Number(NumberVariable::Locator) => self.cite.locator.map(|(_, text)| text.to_owned()),
            Variable::Number(NumberVariable::CitationNumber) if self.cite.in_bibliography => {
                self.cite.number.map(|_| markup::NUMBER.to_string())
            }
            Variable::Number(NumberVariable::CitationNumber) => self.cite.number.map(|number| number.to_string()),
            Variable::Number(NumberVariable::FirstReferenceNoteNumber) => {
                self.cite.first_note.map(|number| number.to_string())
            }
            Variable::Number(of) => self.item.number(of).map(str::to_owned),
            Variable::Date(_) | Variable::Name(_) => None,
        }
    }

    fn text(&mut self, text: &'a Text) -> Made {
        let (prefix, suffix) = (text.affixes.prefix.as_deref(), text.affixes.suffix.as_deref());
        let mut made = match &text.target {
            TextTarget::Value { val } => Made { text: val.clone(), asked: Asked::Nothing },
            TextTarget::Term { term, form, plural } => {
                let found = self.language.term(*term, *form, *plural).unwrap_or_default().to_owned();
                Made { text: found, asked: Asked::Nothing }
            }
            TextTarget::Macro { name } => match self.style.macro_named(name) {
                // A macro is a group: it says nothing where its variables are all empty, and counts where it says something.
                Some(called) => match self.all(&called.children, "") {
                    made if made.asked == Asked::Missing || markup::is_blank(&made.text) => {
                        Made { text: String::new(), asked: made.asked }
                    }
                    made => Made { text: made.text, asked: Asked::Value },
                },
                None => Made { text: String::new(), asked: Asked::Nothing },
            },
            TextTarget::Variable { var, form } => {
                if self.used.contains(var) {
                    return Made::missing();
                }
                let Some(value) = self.value(*var, *form) else {
                    // A letter that is not needed is no reason to leave out `n.d.` beside it.
                    let is_letter = *var == Variable::Standard(StandardVariable::YearSuffix);
                    return if is_letter { Made { text: String::new(), asked: Asked::Value } } else { Made::missing() };
                };
                let value = self.written(*var, value);
                self.touched.push(*var);
                if self.standing_in > 0 {
                    self.used.push(*var);
                }
                if *var == Variable::Standard(StandardVariable::YearSuffix) {
                    self.suffix_done = true;
                }
                if let Some(linked) = linked(*var, &value, prefix) {
                    let text = self.dressed(linked.0, &text.formatting, linked.1, suffix, text.display);
                    return Made::value(text);
                }
                Made::value(value)
            }
        };
        if markup::is_blank(&made.text) {
            return Made { text: String::new(), asked: made.asked };
        }
        if text.strip_periods {
            made.text.retain(|c| c != '.');
        }
        made.text = match text.target {
            TextTarget::Term { .. } | TextTarget::Value { .. } => self.term_cased(made.text, text.text_case),
            _ => self.cased(made.text, text.text_case),
        };
        if text.quotes && !self.cite.sorting {
            made.text = wrap(&made.text, markup::QUOTE, markup::QUOTE_END);
        }
        made.text = self.dressed(made.text, &text.formatting, prefix, suffix, text.display);
        made
    }

    fn cased(&self, text: String, case: Option<TextCase>) -> String {
        match case {
            Some(case) => {
                case::changed(&text, case, self.item.is_english(self.language.is_english()), self.style.large_words)
            }
            None => text,
        }
    }

    /// The case of a term, which is in the language of the text and not of the item.
    fn term_cased(&self, text: String, case: Option<TextCase>) -> String {
        match case {
            Some(case) => case::changed(&text, case, self.language.is_english(), self.style.large_words),
            None => text,
        }
    }

    /// Formatting, then what stands before and after.
    fn dressed(
        &self,
        text: String,
        formatting: &Formatting,
        prefix: Option<&str>,
        suffix: Option<&str>,
        display: Option<Display>,
    ) -> String {
        if markup::is_blank(&text) {
            return String::new();
        }
        let mut out = formatted(text, formatting);
        if prefix.is_some() || suffix.is_some() {
            let mut whole = prefix.unwrap_or_default().to_owned();
            self.push(&mut whole, &out);
            self.push(&mut whole, suffix.unwrap_or_default());
            out = whole;
        }
        if display.is_some() {
            out = wrap(&out, markup::PART, markup::PART);
        }
        out
    }
}

/// Formatting as marks.
pub(crate) fn formatted(text: String, formatting: &Formatting) -> String {
    if formatting.is_empty() {
        return text;
    }
    let mut out = text;
    match formatting.font_style {
        Some(FontStyle::Italic) => out = wrap(&out, markup::ITALIC, markup::ITALIC_END),
        Some(FontStyle::Normal) => out = wrap(&out, markup::ROMAN, markup::ROMAN_END),
        None => {}
    }
    if formatting.font_weight == Some(FontWeight::Bold) {
        out = wrap(&out, markup::BOLD, markup::BOLD_END);
    }
    if formatting.font_variant == Some(FontVariant::SmallCaps) {
        out = wrap(&out, markup::SMALL_CAPS, markup::SMALL_CAPS_END);
    }
    if formatting.text_decoration == Some(TextDecoration::Underline) {
        out = wrap(&out, markup::UNDERLINE, markup::UNDERLINE_END);
    }
    match formatting.vertical_align {
        Some(VerticalAlign::Sup) => wrap(&out, markup::SUP, markup::SUP_END),
        Some(VerticalAlign::Sub) => wrap(&out, markup::SUB, markup::SUB_END),
        _ => out,
    }
}

/// Addresses that may be followed are marked: those of the web, and DOIs with their resolver before them.
fn linked<'p>(variable: Variable, value: &str, prefix: Option<&'p str>) -> Option<(String, Option<&'p str>)> {
    let is_web = |text: &str| text.starts_with("https://") || text.starts_with("http://");
    match variable {
        Variable::Standard(StandardVariable::URL) if is_web(value) => {
            Some((wrap(value, markup::LINK, markup::LINK_END), prefix))
        }
        Variable::Standard(StandardVariable::DOI) => {
            let prefix = prefix?;
            let at = prefix.find("https://doi.org/").or_else(|| prefix.find("http://doi.org/"))?;
            let (before, resolver) = prefix.split_at(at);
            Some((wrap(&format!("{resolver}{value}"), markup::LINK, markup::LINK_END), Some(before)))
        }
        _ => None,
    }
}
