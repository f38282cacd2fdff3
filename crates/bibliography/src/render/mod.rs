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
    item::CslItem,
    locale::CslLanguage,
    markup::{self, push, wrap_in_marks},
    number,
    style::CslStyle,
    text_case,
};

/// Maximum depth of macros that call each other.
const DEEPEST: usize = 40;
/// Maximum size of one citation or entry during rendering, in bytes.
const LARGEST: usize = 512 * 1024;

/// Position of a citation among those of the same item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum CitePosition {
    #[default]
    First,
    Subsequent,
    IbidWithLocator,
    Ibid,
}

/// More of the names than the style shows by itself, so that two citations differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct NameChoice {
    /// Minimum number of names to show.
    pub shown: usize,
    /// For each name: 0 as the style says, 1 with initials, 2 in full.
    pub givens: Vec<u8>,
}

impl NameChoice {
    /// Shows more of the given names of one person.
    pub(crate) fn raise_given_level(&mut self, name: usize, level: u8) {
        if self.givens.len() <= name {
            self.givens.resize(name + 1, 0);
        }
        if let Some(given) = self.givens.get_mut(name) {
            *given = (*given).max(level);
        }
    }
}

/// Circumstances under which an item is rendered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CiteContext<'a> {
    pub in_bibliography: bool,
    /// True if the text is a sort key and never printed.
    pub sorting: bool,
    pub position: CitePosition,
    pub near_note: bool,
    pub locator: Option<(Locator, &'a str)>,
    pub number: Option<usize>,
    pub first_note: Option<usize>,
    pub year_suffix: Option<&'a str>,
    pub disambiguate: bool,
    pub names: Option<&'a NameChoice>,
    pub suppress_author: bool,
    /// Text that replaces names repeated from the previous entry.
    pub same_author: Option<&'a str>,
    /// Bounds for names in sort keys.
    pub sort_names: (Option<u32>, Option<u32>, Option<bool>),
}

/// Use of variables by an element: none used, all empty, or one with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum VariableUse {
    Nothing,
    Missing,
    Value,
}

/// Text that an element rendered to, with its use of variables.
pub(crate) struct RenderedElement {
    pub text: String,
    pub asked: VariableUse,
}

impl RenderedElement {
    fn missing() -> Self {
        Self { text: String::new(), asked: VariableUse::Missing }
    }

    fn with_text(text: String) -> Self {
        let asked = if markup::is_blank(&text) { VariableUse::Missing } else { VariableUse::Value };
        Self { text, asked }
    }
}

pub(crate) struct Renderer<'a> {
    pub style: &'a CslStyle,
    pub language: &'a CslLanguage,
    pub item: &'a CslItem,
    pub cite: CiteContext<'a>,
    /// Name options of the style with those of its citation or bibliography.
    pub options: &'a InheritableNameOptions,
    /// Variables that stood in for names and are not written again.
    used: Vec<Variable>,
    /// Variables that were written, in their order.
    touched: Vec<Variable>,
    depth: usize,
    /// Depth of nested name substitutes; 0 outside of them.
    standing_in: usize,
    names_seen: usize,
    suffix_done: bool,
    /// Number of names in the first list, used for disambiguation.
    pub first_names: usize,
    /// Number of names shown from the first list.
    pub shown_names: usize,
    /// Name variable that was rendered first.
    pub lead: Option<NameVariable>,
}

impl<'a> Renderer<'a> {
    pub(crate) fn new(
        style: &'a CslStyle,
        language: &'a CslLanguage,
        item: &'a CslItem,
        options: &'a InheritableNameOptions,
        cite: CiteContext<'a>,
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
    pub(crate) fn render_elements(&mut self, elements: &'a [Element], delimiter: &str) -> RenderedElement {
        let mut out = RenderedElement { text: String::new(), asked: VariableUse::Nothing };
        self.depth += 1;
        if self.depth <= DEEPEST {
            self.join_elements(elements, delimiter, &mut out);
        }
        self.depth -= 1;
        out
    }

    fn join_elements(&mut self, elements: &'a [Element], delimiter: &str, out: &mut RenderedElement) {
        for element in elements {
            if out.text.len() > LARGEST {
                return;
            }
            // What a condition chooses stands as if it were written in its place.
            if let Element::Choose(choose) = element {
                if let Some(children) = self.chosen_branch(choose) {
                    self.join_elements(children, delimiter, out);
                }
                continue;
            }
            let made = self.render_element(element);
            out.asked = out.asked.max(made.asked);
            if !markup::is_blank(&made.text) {
                if !out.text.is_empty() {
                    self.push(&mut out.text, delimiter);
                }
                self.push(&mut out.text, &made.text);
            }
        }
    }

    pub(crate) fn render_element(&mut self, element: &'a Element) -> RenderedElement {
        match element {
            Element::Text(text) => self.render_text(text),
            Element::Number(number) => self.render_number(number),
            Element::Label(label) => self.render_label(label),
            Element::Date(date) => self.render_date(date),
            Element::Names(names) => self.render_names(names),
            Element::Group(group) => self.render_group(group),
            Element::Choose(choose) => match self.chosen_branch(choose) {
                Some(children) => self.render_elements(children, ""),
                None => RenderedElement { text: String::new(), asked: VariableUse::Nothing },
            },
        }
    }

    fn render_group(&mut self, group: &'a Group) -> RenderedElement {
        let made = self.render_elements(&group.children, group.delimiter.as_deref().unwrap_or_default());
        // A group whose variables are all empty says nothing, whatever terms it has.
        if made.asked == VariableUse::Missing || markup::is_blank(&made.text) {
            return RenderedElement { text: String::new(), asked: made.asked };
        }
        let text = self.apply_affixes(
            made.text,
            &group.to_formatting(),
            group.prefix.as_deref(),
            group.suffix.as_deref(),
            group.display,
        );
        // One that says something counts as a variable that has a value, for the group around it.
        RenderedElement { text, asked: VariableUse::Value }
    }

    /// The children of the first branch whose condition holds.
    fn chosen_branch(&self, choose: &'a Choose) -> Option<&'a [Element]> {
        let branch = choose.branches().find(|branch| self.branch_matches(branch));
        branch
            .map(|branch| branch.children.as_slice())
            .or_else(|| choose.otherwise.as_ref().map(|branch| branch.children.as_slice()))
    }

    fn branch_matches(&self, branch: &ChooseBranch) -> bool {
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
            test(self.variable_text(*variable, LongShortForm::Long).is_some_and(|text| number::is_numeric(&text)));
        }
        for variable in branch.is_uncertain_date.iter().flatten() {
            test(self.item.date(*variable).is_some_and(|date| date.circa));
        }
        for locator in branch.locator.iter().flatten() {
            test(self.cite.locator.is_some_and(|(kind, _)| kind == *locator));
        }
        for position in branch.position.iter().flatten() {
            test(self.position_matches(*position));
        }
        for kind in branch.type_.iter().flatten() {
            test(self.item.kind == *kind);
        }
        for variable in branch.variable.iter().flatten() {
            test(self.has_variable(*variable));
        }
        decided.unwrap_or(all || none)
    }

    fn position_matches(&self, position: TestPosition) -> bool {
        if self.cite.in_bibliography {
            return false;
        }
        match position {
            TestPosition::First => self.cite.position == CitePosition::First,
            TestPosition::Subsequent => self.cite.position >= CitePosition::Subsequent,
            TestPosition::IbidWithLocator => self.cite.position == CitePosition::IbidWithLocator,
            TestPosition::Ibid => self.cite.position >= CitePosition::IbidWithLocator,
            TestPosition::NearNote => self.cite.near_note,
        }
    }

    fn has_variable(&self, variable: Variable) -> bool {
        match variable {
            Variable::Number(NumberVariable::Locator) => self.cite.locator.is_some(),
            Variable::Number(NumberVariable::CitationNumber) => self.cite.number.is_some(),
            Variable::Number(NumberVariable::FirstReferenceNoteNumber) => self.cite.first_note.is_some(),
            Variable::Standard(StandardVariable::YearSuffix) => self.cite.year_suffix.is_some(),
            variable => self.item.has_value(variable),
        }
    }

    /// The text of a variable, as the data has it.
    fn variable_text(&self, variable: Variable, form: LongShortForm) -> Option<String> {
        use StandardVariable as Of;
        let text = |of: Of| self.item.text(of).map(str::to_owned);
        match variable {
            Variable::Standard(of) => match (of, form) {
                (Of::YearSuffix, _) => self.cite.year_suffix.map(str::to_owned),
                (Of::Title, LongShortForm::Short) => text(Of::TitleShort).or_else(|| text(Of::Title)),
                (Of::ContainerTitle, LongShortForm::Short) => {
                    text(Of::ContainerTitleShort).or_else(|| text(Of::ContainerTitle))
                }
                (Of::CitationLabel, _) => {
                    text(Of::CitationLabel).or_else(|| Some(crate::citation_label::citation_label(self.item)))
                }
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

    fn render_text(&mut self, text: &'a Text) -> RenderedElement {
        let (prefix, suffix) = (text.affixes.prefix.as_deref(), text.affixes.suffix.as_deref());
        let mut made = match &text.target {
            TextTarget::Value { val } => RenderedElement { text: val.clone(), asked: VariableUse::Nothing },
            TextTarget::Term { term, form, plural } => {
                let found = self.language.term(*term, *form, *plural).unwrap_or_default().to_owned();
                RenderedElement { text: found, asked: VariableUse::Nothing }
            }
            TextTarget::Macro { name } => match self.style.macro_named(name) {
                // A macro is a group: it says nothing where its variables are all empty, and counts where it says something.
                Some(called) => match self.render_elements(&called.children, "") {
                    made if made.asked == VariableUse::Missing || markup::is_blank(&made.text) => {
                        RenderedElement { text: String::new(), asked: made.asked }
                    }
                    made => RenderedElement { text: made.text, asked: VariableUse::Value },
                },
                None => RenderedElement { text: String::new(), asked: VariableUse::Nothing },
            },
            TextTarget::Variable { var, form } => {
                if self.used.contains(var) {
                    return RenderedElement::missing();
                }
                let Some(value) = self.variable_text(*var, *form) else {
                    // A letter that is not needed is no reason to leave out `n.d.` beside it.
                    let is_letter = *var == Variable::Standard(StandardVariable::YearSuffix);
                    return if is_letter {
                        RenderedElement { text: String::new(), asked: VariableUse::Value }
                    } else {
                        RenderedElement::missing()
                    };
                };
                let value = self.format_value(*var, value);
                self.touched.push(*var);
                if self.standing_in > 0 {
                    self.used.push(*var);
                }
                if *var == Variable::Standard(StandardVariable::YearSuffix) {
                    self.suffix_done = true;
                }
                if let Some(linked) = linked_value(*var, &value, prefix) {
                    let text = self.apply_affixes(linked.0, &text.formatting, linked.1, suffix, text.display);
                    return RenderedElement::with_text(text);
                }
                RenderedElement::with_text(value)
            }
        };
        if markup::is_blank(&made.text) {
            return RenderedElement { text: String::new(), asked: made.asked };
        }
        if text.strip_periods {
            made.text.retain(|c| c != '.');
        }
        made.text = match text.target {
            TextTarget::Term { .. } | TextTarget::Value { .. } => self.term_cased(made.text, text.text_case),
            _ => self.apply_case(made.text, text.text_case),
        };
        if text.quotes && !self.cite.sorting {
            made.text = wrap_in_marks(&made.text, markup::QUOTE, markup::QUOTE_END);
        }
        made.text = self.apply_affixes(made.text, &text.formatting, prefix, suffix, text.display);
        made
    }

    fn apply_case(&self, text: String, case: Option<TextCase>) -> String {
        match case {
            Some(case) => text_case::change_case(
                &text,
                case,
                self.item.is_english(self.language.is_english()),
                self.style.large_words,
            ),
            None => text,
        }
    }

    /// The case of a term, which is in the language of the text and not of the item.
    fn term_cased(&self, text: String, case: Option<TextCase>) -> String {
        match case {
            Some(case) => text_case::change_case(&text, case, self.language.is_english(), self.style.large_words),
            None => text,
        }
    }

    /// Formatting, then what stands before and after.
    fn apply_affixes(
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
        let mut out = apply_formatting(text, formatting);
        if prefix.is_some() || suffix.is_some() {
            let mut whole = prefix.unwrap_or_default().to_owned();
            self.push(&mut whole, &out);
            self.push(&mut whole, suffix.unwrap_or_default());
            out = whole;
        }
        if display.is_some() {
            out = wrap_in_marks(&out, markup::PART, markup::PART);
        }
        out
    }
}

/// Wraps a text in the marks for its formatting.
pub(crate) fn apply_formatting(text: String, formatting: &Formatting) -> String {
    if formatting.is_empty() {
        return text;
    }
    let mut out = text;
    match formatting.font_style {
        Some(FontStyle::Italic) => out = wrap_in_marks(&out, markup::ITALIC, markup::ITALIC_END),
        Some(FontStyle::Normal) => out = wrap_in_marks(&out, markup::ROMAN, markup::ROMAN_END),
        None => {}
    }
    if formatting.font_weight == Some(FontWeight::Bold) {
        out = wrap_in_marks(&out, markup::BOLD, markup::BOLD_END);
    }
    if formatting.font_variant == Some(FontVariant::SmallCaps) {
        out = wrap_in_marks(&out, markup::SMALL_CAPS, markup::SMALL_CAPS_END);
    }
    if formatting.text_decoration == Some(TextDecoration::Underline) {
        out = wrap_in_marks(&out, markup::UNDERLINE, markup::UNDERLINE_END);
    }
    match formatting.vertical_align {
        Some(VerticalAlign::Sup) => wrap_in_marks(&out, markup::SUP, markup::SUP_END),
        Some(VerticalAlign::Sub) => wrap_in_marks(&out, markup::SUB, markup::SUB_END),
        _ => out,
    }
}

/// Addresses that may be followed are marked: those of the web, and DOIs with their resolver before them.
fn linked_value<'p>(variable: Variable, value: &str, prefix: Option<&'p str>) -> Option<(String, Option<&'p str>)> {
    let is_web = |text: &str| text.starts_with("https://") || text.starts_with("http://");
    match variable {
        Variable::Standard(StandardVariable::URL) if is_web(value) => {
            Some((wrap_in_marks(value, markup::LINK, markup::LINK_END), prefix))
        }
        Variable::Standard(StandardVariable::DOI) => {
            let prefix = prefix?;
            let at = prefix.find("https://doi.org/").or_else(|| prefix.find("http://doi.org/"))?;
            let (before, resolver) = prefix.split_at(at);
            Some((wrap_in_marks(&format!("{resolver}{value}"), markup::LINK, markup::LINK_END), Some(before)))
        }
        _ => None,
    }
}
