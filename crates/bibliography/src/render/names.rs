//! Names as the style writes them: order, initials, how many, what stands between.

use std::sync::LazyLock;

use hayagriva::citationberg::{
    DelimiterBehavior, DemoteNonDroppingParticle, EtAl, LayoutRenderingElement as Element, Name, NameAnd,
    NameAsSortOrder, NameForm, NameLabelPosition, NameOptions, NamePart, Names, TermForm, ToFormatting,
    VariablelessLabel,
    taxonomy::{NameVariable, OtherTerm, Term, Variable},
};

use super::{CitePosition, RenderedElement, Renderer, VariableUse, apply_formatting};
use crate::{
    markup::{self, wrap_in_marks},
    person::{CslName, starts_romanesque},
    text_case,
};

static PLAIN: LazyLock<Name> = LazyLock::new(Name::default);

/// Formatting rules of a names element; its substitutes inherit them.
#[derive(Clone, Copy)]
struct NameRules<'a> {
    element: &'a Names,
    name: &'a Name,
    et_al: Option<&'a EtAl>,
    label: Option<(&'a VariablelessLabel, NameLabelPosition)>,
}

/// The label and where it stands; without a name to stand before, that is after the names.
fn label_of(names: &Names) -> Option<(&VariablelessLabel, NameLabelPosition)> {
    let place = |place| if names.name().is_some() { place } else { NameLabelPosition::AfterName };
    names.label().map(|(label, stands)| (label, place(stands)))
}

impl<'a> Renderer<'a> {
    pub(super) fn render_names(&mut self, element: &'a Names) -> RenderedElement {
        let manner = NameRules {
            element,
            name: element.name().unwrap_or(&PLAIN),
            et_al: element.et_al(),
            label: label_of(element),
        };
        let first = self.names_seen == 0;
        let made = self.render_name_lists(manner, &element.variable, element);
        if made.asked == VariableUse::Value {
            if first && self.cite.suppress_author {
                return RenderedElement::missing();
            }
            return made;
        }
        let Some(substitute) = element.substitute() else { return made };
        let before = self.touched.len();
        self.standing_in += 1;
        let stands = self.substitute_names(manner, &substitute.children);
        self.standing_in -= 1;
        match stands {
            Some(text) => {
                // What stood in for the names is not written a second time.
                let used: Vec<Variable> = self.touched.drain(before..).collect();
                self.used.extend(used);
                if first && self.cite.suppress_author {
                    return RenderedElement::missing();
                }
                RenderedElement { text, asked: VariableUse::Value }
            }
            None => RenderedElement::missing(),
        }
    }

    /// The first that says something of what may stand in for names.
    fn substitute_names(&mut self, manner: NameRules<'a>, children: &'a [Element]) -> Option<String> {
        for child in children {
            let (before, used) = (self.touched.len(), self.used.len());
            let text = match child {
                Element::Choose(choose) => {
                    self.chosen_branch(choose).and_then(|children| self.substitute_names(manner, children))
                }
                Element::Names(names) => {
                    let own = NameRules {
                        element: names,
                        name: names.name().unwrap_or(manner.name),
                        et_al: names.et_al().or(manner.et_al),
                        label: if names.children.is_empty() { manner.label } else { label_of(names) },
                    };
                    Some(self.render_name_lists(own, &names.variable, manner.element).text)
                }
                other => {
                    let made = self.render_element(other);
                    Some(self.apply_affixes(made.text, &manner.element.to_formatting(), None, None, None))
                }
            };
            if let Some(text) = text.filter(|text| !markup::is_blank(text)) {
                return Some(text);
            }
            self.touched.truncate(before);
            self.used.truncate(used);
        }
        None
    }

    /// The names of the variables, each list with its label.
    fn render_name_lists(
        &mut self,
        manner: NameRules<'a>,
        variables: &[NameVariable],
        outer: &'a Names,
    ) -> RenderedElement {
        let item = self.item;
        let mut lists: Vec<(NameVariable, &'a [CslName])> = variables
            .iter()
            .filter(|variable| !self.used.contains(&Variable::Name(**variable)))
            .map(|variable| (*variable, item.names(*variable)))
            .filter(|(_, names)| !names.is_empty())
            .collect();
        let both = |lists: &[(NameVariable, &[CslName])]| {
            let of = |wanted| lists.iter().find(|(variable, _)| *variable == wanted).map(|(_, names)| *names);
            of(NameVariable::Editor).is_some() && of(NameVariable::Editor) == of(NameVariable::Translator)
        };
        let mut joined = false;
        if both(&lists) {
            joined = true;
            lists.retain(|(variable, _)| *variable != NameVariable::Translator);
        }
        if lists.is_empty() {
            return RenderedElement::missing();
        }
        let inherited = self.options.apply(&outer.options());
        let inherited =
            if std::ptr::eq(outer, manner.element) { inherited } else { inherited.apply(&manner.element.options()) };
        let options = manner.name.options(&inherited);
        let delimiter = manner
            .element
            .options()
            .names_delimiter
            .or_else(|| outer.options().names_delimiter)
            .or_else(|| self.options.names_delimiter.clone())
            .unwrap_or_default();
        let mut out = String::new();
        let mut count = 0;
        for (variable, names) in &lists {
            let first = self.names_seen == 0;
            if first {
                self.lead = Some(*variable);
            }
            self.names_seen += 1;
            self.touched.push(Variable::Name(*variable));
            if joined && *variable == NameVariable::Editor {
                self.touched.push(Variable::Name(NameVariable::Translator));
            }
            let (shown, text) = self.render_people(names, &options, &manner, first);
            count += shown;
            if options.form == NameForm::Count {
                continue;
            }
            let text = match self.cite.same_author.filter(|_| first) {
                Some(dash) => dash.to_owned(),
                None => apply_formatting(text, &manner.name.formatting),
            };
            let affixes = &manner.name.affixes;
            let mut text = self.apply_affixes(
                text,
                &hayagriva::citationberg::Formatting::default(),
                affixes.prefix.as_deref(),
                affixes.suffix.as_deref(),
                None,
            );
            if first && !self.cite.sorting {
                text = wrap_in_marks(&text, markup::NAMES, markup::NAMES_END);
            }
            if let Some((label, place)) = manner.label
                && !self.cite.sorting
            {
                let asked = if joined && *variable == NameVariable::Editor {
                    NameVariable::EditorTranslator
                } else {
                    *variable
                };
                let label = self.name_label(label, asked, names.len() > 1);
                match place {
                    NameLabelPosition::BeforeName => {
                        let mut whole = label;
                        self.push(&mut whole, &text);
                        text = whole;
                    }
                    NameLabelPosition::AfterName => self.push(&mut text, &label),
                }
            }
            if !out.is_empty() {
                self.push(&mut out, &delimiter);
            }
            self.push(&mut out, &text);
        }
        if options.form == NameForm::Count {
            return RenderedElement::with_text(count.to_string());
        }
        let source = if std::ptr::eq(outer, manner.element) { outer } else { manner.element };
        let prefix = source.prefix.as_deref().or(outer.prefix.as_deref());
        let suffix = source.suffix.as_deref().or(outer.suffix.as_deref());
        let formatting = source.to_formatting().apply(outer.to_formatting());
        RenderedElement::with_text(self.apply_affixes(
            out,
            &formatting,
            prefix,
            suffix,
            source.display.or(outer.display),
        ))
    }

    fn name_label(&self, label: &VariablelessLabel, variable: NameVariable, many: bool) -> String {
        use hayagriva::citationberg::LabelPluralize;
        let plural = match label.plural {
            LabelPluralize::Always => true,
            LabelPluralize::Never => false,
            LabelPluralize::Contextual => many,
        };
        let mut text =
            self.language.term(Term::NameVariable(variable), label.form, plural).unwrap_or_default().to_owned();
        if label.strip_periods {
            text.retain(|c| c != '.');
        }
        let text = self.term_cased(text, label.text_case);
        self.apply_affixes(
            text,
            &label.formatting,
            label.affixes.prefix.as_deref(),
            label.affixes.suffix.as_deref(),
            None,
        )
    }

    /// One list of people: how many are shown, and how.
    fn render_people(
        &mut self,
        names: &[CslName],
        options: &NameOptions<'_>,
        manner: &NameRules<'_>,
        first_list: bool,
    ) -> (usize, String) {
        let count = names.len();
        let later = !self.cite.in_bibliography && self.cite.position > CitePosition::First;
        let (sort_min, sort_first, sort_last) = self.cite.sort_names;
        let min = if later { options.et_al_subsequent_min.or(options.et_al_min) } else { options.et_al_min };
        let min = sort_min.or(min).map_or(usize::MAX, |min| min as usize);
        let use_first = if later {
            options.et_al_subsequent_use_first.or(options.et_al_use_first)
        } else {
            options.et_al_use_first
        };
        let use_first = sort_first.or(use_first).map_or(usize::MAX, |first| first as usize);
        let choice = self.cite.names.filter(|_| first_list);
        let mut shown = if count >= min && use_first < count { use_first } else { count };
        shown = shown.max(choice.map_or(0, |choice| choice.shown)).min(count);
        if first_list {
            (self.first_names, self.shown_names) = (count, shown);
        }
        if options.form == NameForm::Count {
            return (shown, String::new());
        }
        let use_last = sort_last.unwrap_or(options.et_al_use_last) && shown < count && count >= shown + 2;
        if shown + 1 == count && sort_last.unwrap_or(options.et_al_use_last) && shown < count && count < shown + 2 {
            shown = count;
        }
        let one = |this: &Self, at: usize| {
            let level = choice.and_then(|choice| choice.givens.get(at)).copied().unwrap_or(0);
            names.get(at).map(|person| this.render_person(person, options, manner.name, at, level)).unwrap_or_default()
        };
        let mut out = String::new();
        let mut inverted = false;
        let whole = shown == count;
        let and = match options.and {
            // Only names count in the order of entries.
            _ if self.cite.sorting => None,
            None => None,
            Some(NameAnd::Text) => {
                Some(self.language.term(Term::Other(OtherTerm::And), TermForm::Long, false).unwrap_or("and"))
            }
            Some(NameAnd::Symbol) => Some("&"),
        };
        for at in 0..shown {
            let (text, turned) = one(self, at);
            if at > 0 {
                let last = whole && at + 1 == count;
                // `always` is for names that are turned around: two organisations have no comma between them.
                let upright = count == 2 && !inverted && options.name_as_sort_order == Some(NameAsSortOrder::First);
                let comma = match options.delimiter_precedes_last {
                    DelimiterBehavior::Always if upright => false,
                    DelimiterBehavior::Contextual => count > 2,
                    DelimiterBehavior::AfterInvertedName => inverted,
                    DelimiterBehavior::Always => true,
                    DelimiterBehavior::Never => false,
                };
                match and.filter(|_| last) {
                    Some(and) => {
                        let spaced = begins_romanesque(and);
                        self.push(&mut out, if comma { options.delimiter } else { "" });
                        if spaced && !out.ends_with(' ') {
                            out.push(' ');
                        }
                        out.push_str(and);
                        if spaced {
                            out.push(' ');
                        }
                    }
                    None if self.cite.sorting => out.push('\t'),
                    None => self.push(&mut out, options.delimiter),
                }
            }
            self.push(&mut out, &text);
            inverted = turned;
        }
        if !whole {
            if use_last {
                let (text, _) = one(self, count - 1);
                self.push(&mut out, options.delimiter);
                out.push_str("… ");
                self.push(&mut out, &text);
            } else {
                let element = manner.et_al;
                let term = element.map_or(Term::Other(OtherTerm::EtAl), |element| element.term.into());
                let text = self.language.term(term, TermForm::Long, false).unwrap_or("et al.").to_owned();
                let text = apply_formatting(text, &element.map(|element| element.formatting).unwrap_or_default());
                let comma = match options.delimiter_precedes_et_al {
                    DelimiterBehavior::Contextual => shown > 1,
                    DelimiterBehavior::AfterInvertedName => inverted,
                    DelimiterBehavior::Always => true,
                    DelimiterBehavior::Never => false,
                };
                // A term in a script without spaces stands without one.
                let space = if begins_romanesque(&text) { " " } else { "" };
                if !out.is_empty() {
                    self.push(&mut out, if comma { options.delimiter } else { space });
                }
                self.push(&mut out, &text);
            }
        }
        (shown, out)
    }

    /// One name, and whether the family name stands first.
    fn render_person(
        &self,
        person: &CslName,
        options: &NameOptions<'_>,
        name: &Name,
        at: usize,
        level: u8,
    ) -> (String, bool) {
        let dress = |text: &str, part: Option<&NamePart>| {
            let text = match part.and_then(|part| part.text_case) {
                Some(case) => text_case::change_case(text, case, true, text_case::NO_BOUND),
                None => text.to_owned(),
            };
            if text.is_empty() {
                text
            } else {
                apply_formatting(text, &part.map(|part| part.formatting).unwrap_or_default())
            }
        };
        let (family_part, given_part) = (name.name_part_family(), name.name_part_given());
        if let Some(literal) = &person.literal {
            return (dress(literal, family_part), false);
        }
        let usual = match options.form {
            NameForm::Short => 0,
            _ if options.initialize_with.is_some() => 1,
            _ => 2,
        };
        let level = if self.cite.sorting { usual } else { usual.max(level) };
        let given = match (level, options.initialize_with) {
            (0, _) => String::new(),
            (1, Some(with)) => {
                to_initials(&person.given, with, self.style.csl.settings.initialize_with_hyphen, options.initialize)
            }
            (1, None) if !self.style.csl.citation.givenname_disambiguation_rule.allows_full_first_names() => {
                to_initials(&person.given, ". ", self.style.csl.settings.initialize_with_hyphen, true)
            }
            _ => person.given.clone(),
        };
        let given = dress(&given, given_part);
        let family = dress(&person.family, family_part);
        let staying = dress(&person.staying, family_part);
        let dropping = if level == 0 { String::new() } else { dress(&person.dropping, given_part) };
        let suffix = match options.initialize_with {
            _ if level == 0 => String::new(),
            Some(with) => to_initials(&person.suffix, with, true, false),
            None => person.suffix.clone(),
        };
        let suffix = suffix.as_str();
        let around = |text: String, part: Option<&NamePart>| {
            let Some(part) = part.filter(|_| !text.is_empty()) else { return text };
            let mut out = part.affixes.prefix.clone().unwrap_or_default();
            self.push(&mut out, &text);
            self.push(&mut out, part.affixes.suffix.as_deref().unwrap_or_default());
            out
        };
        // A particle that ends in a hyphen or an apostrophe is written together with the name.
        let tied = |particle: &str| particle.ends_with(['-', '’', '\'', ' ']);
        let with_particle = || {
            if tied(&person.staying) { format!("{staying}{family}") } else { join_with_spaces(&[&staying, &family]) }
        };
        let romanesque = person.romanesque_level(self.item.language.as_deref());
        if romanesque == 0 {
            return (format!("{staying}{family}{given}"), false);
        }
        if romanesque == 1 {
            return (join_with_spaces(&[&with_particle(), &given]), false);
        }
        let demote = self.style.csl.settings.demote_non_dropping_particle;
        let separated = |parts: &[&str]| {
            let mut out = String::new();
            for part in parts.iter().filter(|part| !part.is_empty()) {
                if !out.is_empty() {
                    // A name comes before the same name with more behind it.
                    self.push(&mut out, if self.cite.sorting { "\t" } else { options.sort_separator });
                }
                self.push(&mut out, part);
            }
            out
        };
        if self.cite.sorting {
            let (first, second) = if demote == DemoteNonDroppingParticle::Never {
                (with_particle(), join_with_spaces(&[&given, &dropping]))
            } else {
                (family, join_with_spaces(&[&given, &dropping, &staying]))
            };
            return (join_with_spaces(&[&separated(&[&first, &second]), suffix]), true);
        }
        let turned = match options.name_as_sort_order {
            Some(NameAsSortOrder::All) => true,
            Some(NameAsSortOrder::First) => at == 0,
            None => false,
        };
        if turned {
            let (first, second) = if demote == DemoteNonDroppingParticle::DisplayAndSort {
                (family, join_with_spaces(&[&given, &dropping, &staying]))
            } else {
                (with_particle(), join_with_spaces(&[&given, &dropping]))
            };
            return (separated(&[&around(first, family_part), &around(second, given_part), suffix]), true);
        }
        let surname = if person.staying.is_empty()
            && tied(&person.dropping)
            && person.dropping.trim_end_matches(['’', '\'']) != "de"
        {
            format!("{dropping}{family}")
        } else {
            join_with_spaces(&[&dropping, &with_particle()])
        };
        let surname = if person.comma_suffix && !suffix.is_empty() {
            format!("{surname}, {suffix}")
        } else {
            join_with_spaces(&[&surname, suffix])
        };
        (join_with_spaces(&[&around(given, given_part), &around(surname, family_part)]), false)
    }
}

fn begins_romanesque(text: &str) -> bool {
    text.chars().find(|c| !markup::is_mark(*c)).is_some_and(starts_romanesque)
}

fn join_with_spaces(parts: &[&str]) -> String {
    let mut out = String::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        out.push_str(part);
    }
    out
}

/// The given names as initials, each with what the style puts behind; `whole` false keeps names and only tidies the
/// initials there are.
fn to_initials(given: &str, with: &str, hyphens: bool, shorten: bool) -> String {
    if given.is_empty() || !given.chars().next().is_some_and(starts_romanesque) {
        return given.to_owned();
    }
    let mut spread = String::with_capacity(given.len() + 8);
    let mut chars = given.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '-' if !hyphens => spread.push(' '),
            // A small letter after a hyphen belongs to the word.
            '-' if chars.peek().is_some_and(|c| c.is_lowercase()) => spread.push('\u{2011}'),
            '.' => {
                spread.push('.');
                if chars.peek().is_some_and(|c| !matches!(c, ' ' | '-')) {
                    spread.push(' ');
                }
            }
            c => spread.push(c),
        }
    }
    let mut out = String::new();
    let mut words =
        spread.split_inclusive([' ', '-']).filter(|word| !word.trim_matches([' ', '-']).is_empty()).peekable();
    while let Some(piece) = words.next() {
        let word = piece.trim_end_matches([' ', '-']);
        let hyphen = piece.ends_with('-');
        let mut letters = word.chars();
        let Some(first) = letters.next() else { continue };
        let rest = letters.as_str();
        let abbreviated = word.ends_with('.') || rest.is_empty();
        if first.is_uppercase() && (shorten || abbreviated) {
            if abbreviated {
                out.push_str(word.trim_end_matches('.'));
            } else {
                out.push(first);
                // `ThW` for Thomas William written as one word keeps its large letters.
                let large: String = rest.chars().take_while(|c| c.is_uppercase()).collect();
                if !large.is_empty() && large.len() < rest.len() {
                    out.push_str(&large.to_lowercase());
                }
            }
            out.push_str(with);
            if hyphen {
                let end = out.trim_end_matches(' ').len();
                out.truncate(end);
                out.push('-');
            } else if !shorten
                && words
                    .peek()
                    .is_some_and(|next| next.trim_end_matches([' ', '-']).chars().count() > 1 && !next.contains('.'))
                && !out.ends_with(' ')
            {
                out.push(' ');
            }
        } else {
            if !out.is_empty() && !out.ends_with([' ', '-']) {
                out.push(' ');
            }
            out.push_str(word);
            out.push(if hyphen { '-' } else { ' ' });
        }
    }
    out.trim_end().replace('\u{2011}', "-")
}

#[cfg(test)]
mod tests {
    use super::to_initials;

    #[test]
    fn given_names_become_initials() {
        for (given, made) in [
            ("Marie", "M."),
            ("Jean-Luc", "J.-L."),
            ("John Ronald Reuel", "J. R. R."),
            ("J.R.R.", "J. R. R."),
            ("J. K.", "J. K."),
            ("Élodie", "É."),
            ("Ludwig van", "L. van"),
            ("Chas.", "Chas."),
            ("Олег", "О."),
            ("泽东", "泽东"),
            ("", ""),
            ("J", "J."),
        ] {
            assert_eq!(to_initials(given, ". ", true, true), made, "{given}");
        }
        assert_eq!(to_initials("John Ronald", "", true, true), "JR");
        assert_eq!(to_initials("Jean-Luc", ".", false, true), "J.L.");
        assert_eq!(to_initials("Jean-Luc", "", true, true), "J-L");
        assert_eq!(to_initials("John R.", ". ", true, false), "John R.");
    }
}
