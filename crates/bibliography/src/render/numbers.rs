//! Numbers, pages and their labels.

use hayagriva::citationberg::{
    Label, LabelPluralize, LongShortForm, Number, NumberForm, TermForm,
    taxonomy::{Locator, NumberOrPageVariable, NumberVariable, OtherTerm, PageVariable, Term, Variable},
};

use super::{RenderedElement, Renderer, VariableUse};
use crate::number::{self, NumberJoint, NumberPiece};

impl<'a> Renderer<'a> {
    /// Numbers and pages as they are written: with dashes, shortened.
    pub(super) fn format_value(&self, variable: Variable, value: String) -> String {
        match variable {
            Variable::Page(_) => self.format_page_ranges(&value),
            Variable::Number(NumberVariable::Locator) => match self.cite.locator {
                Some((Locator::Page, _)) => self.format_page_ranges(&value),
                _ => self.format_separators(&value),
            },
            // `identifier`: a hyphen in the number of a report or a program's version is part of it.
            Variable::Number(NumberVariable::Number | NumberVariable::Version) => value,
            Variable::Number(_) => self.format_separators(&value),
            _ => value,
        }
    }

    fn format_page_ranges(&self, value: &str) -> String {
        let dash = self.language.term(Term::Other(OtherTerm::PageRangeDelimiter), TermForm::Long, false).unwrap_or("–");
        number::format_pages(value, self.style.csl.settings.page_range_format, dash)
    }

    /// Numbers with the right signs between them; other text as it is.
    fn format_separators(&self, value: &str) -> String {
        match number::number_pieces(value) {
            Some(pieces) if pieces.len() > 1 => self.format_pieces(&pieces, |piece| piece.to_owned()),
            _ => value.to_owned(),
        }
    }

    fn format_pieces(&self, pieces: &[NumberPiece<'_>], form: impl Fn(&str) -> String) -> String {
        let and = |form| self.language.term(Term::Other(OtherTerm::And), form, false);
        let mut out = String::new();
        for piece in pieces {
            match piece {
                NumberPiece::Number(number) => out.push_str(&form(number)),
                NumberPiece::Joint(NumberJoint::Range) => out.push('–'),
                NumberPiece::Joint(NumberJoint::Comma) => out.push_str(", "),
                NumberPiece::Joint(NumberJoint::Semicolon) => out.push_str("; "),
                NumberPiece::Joint(NumberJoint::Ampersand) => out.push_str(&format!(
                    " {} ",
                    and(TermForm::Symbol)
                        .filter(
                            |and| Some(*and) != self.language.term(Term::Other(OtherTerm::And), TermForm::Long, false)
                        )
                        .unwrap_or("&")
                )),
                NumberPiece::Joint(NumberJoint::And) => {
                    out.push_str(&format!(" {} ", and(TermForm::Long).unwrap_or("and")))
                }
            }
        }
        out
    }

    pub(super) fn render_number(&mut self, element: &'a Number) -> RenderedElement {
        let variable = Variable::from(element.variable);
        if self.used.contains(&variable) {
            return RenderedElement::missing();
        }
        let Some(value) = self.variable_text(variable, LongShortForm::Long) else { return RenderedElement::missing() };
        self.touched.push(variable);
        let gender = self.language.gender(Term::from(element.variable));
        let made = match (number::number_pieces(&value), element.form) {
            (Some(_), NumberForm::Numeric) | (None, _) => self.format_value(variable, value),
            (Some(pieces), form) => self.format_pieces(&pieces, |piece| {
                let Some(number) = number::parse_number(piece) else { return piece.to_owned() };
                match form {
                    NumberForm::LongOrdinal => match self.language.long_ordinal(number) {
                        Some(long) => long.to_owned(),
                        None => format!("{number}{}", self.language.ordinal(number, gender)),
                    },
                    NumberForm::Ordinal => format!("{number}{}", self.language.ordinal(number, gender)),
                    NumberForm::Roman => number::to_roman(number).unwrap_or_else(|| piece.to_owned()),
                    NumberForm::Numeric => piece.to_owned(),
                }
            }),
        };
        let made = self.apply_case(made, element.text_case);
        RenderedElement::with_text(self.apply_affixes(
            made,
            &element.formatting,
            element.affixes.prefix.as_deref(),
            element.affixes.suffix.as_deref(),
            element.display,
        ))
    }

    pub(super) fn render_label(&mut self, label: &'a Label) -> RenderedElement {
        let variable = Variable::from(label.variable);
        let value =
            if self.used.contains(&variable) { None } else { self.variable_text(variable, LongShortForm::Long) };
        let Some(value) = value else { return RenderedElement { text: String::new(), asked: VariableUse::Nothing } };
        let term = match label.variable {
            NumberOrPageVariable::Number(NumberVariable::Locator) => match self.cite.locator {
                Some((Locator::Custom, _)) | None => {
                    return RenderedElement { text: String::new(), asked: VariableUse::Nothing };
                }
                Some((kind, _)) => Term::Locator(kind),
            },
            NumberOrPageVariable::Page(PageVariable::Page) => Term::PageVariable,
            NumberOrPageVariable::Number(number) => Term::NumberVariable(number),
        };
        let plural = match label.label.plural {
            LabelPluralize::Always => true,
            LabelPluralize::Never => false,
            LabelPluralize::Contextual if variable.is_number_of_variable() => {
                number::parse_number(value.trim()).is_none_or(|number| number != 1)
            }
            LabelPluralize::Contextual
                if matches!(variable, Variable::Number(NumberVariable::Number | NumberVariable::Version)) =>
            {
                value.contains([',', '&']) && number::is_plural(&value)
            }
            LabelPluralize::Contextual => number::is_plural(&value),
        };
        let mut text = self.language.term(term, label.label.form, plural).unwrap_or_default().to_owned();
        if label.label.strip_periods {
            text.retain(|c| c != '.');
        }
        let text = self.term_cased(text, label.label.text_case);
        let affixes = &label.label.affixes;
        let text = self.apply_affixes(
            text,
            &label.label.formatting,
            affixes.prefix.as_deref(),
            affixes.suffix.as_deref(),
            None,
        );
        RenderedElement { text, asked: VariableUse::Nothing }
    }
}
