//! Numbers, pages and their labels.

use hayagriva::citationberg::{
    Label, LabelPluralize, LongShortForm, Number, NumberForm, TermForm,
    taxonomy::{Locator, NumberOrPageVariable, NumberVariable, OtherTerm, PageVariable, Term, Variable},
};

use super::{Asked, Made, Renderer};
use crate::number::{self, Joint, Piece};

impl<'a> Renderer<'a> {
    /// Numbers and pages as they are written: with dashes, shortened.
    pub(super) fn written(&self, variable: Variable, value: String) -> String {
        match variable {
            Variable::Page(_) => self.pages(&value),
            Variable::Number(NumberVariable::Locator) => match self.cite.locator {
                Some((Locator::Page, _)) => self.pages(&value),
                _ => self.spaced(&value),
            },
            // `identifier`: a hyphen in the number of a report or a program's version is part of it.
            Variable::Number(NumberVariable::Number | NumberVariable::Version) => value,
            Variable::Number(_) => self.spaced(&value),
            _ => value,
        }
    }

    fn pages(&self, value: &str) -> String {
        let dash = self.language.term(Term::Other(OtherTerm::PageRangeDelimiter), TermForm::Long, false).unwrap_or("–");
        number::pages(value, self.style.csl.settings.page_range_format, dash)
    }

    /// Numbers with the right signs between them; other text as it is.
    fn spaced(&self, value: &str) -> String {
        match number::pieces(value) {
            Some(pieces) if pieces.len() > 1 => self.formed(&pieces, |piece| piece.to_owned()),
            _ => value.to_owned(),
        }
    }

    fn formed(&self, pieces: &[Piece<'_>], form: impl Fn(&str) -> String) -> String {
        let and = |form| self.language.term(Term::Other(OtherTerm::And), form, false);
        let mut out = String::new();
        for piece in pieces {
            match piece {
                Piece::Number(number) => out.push_str(&form(number)),
                Piece::Joint(Joint::Range) => out.push('–'),
                Piece::Joint(Joint::Comma) => out.push_str(", "),
                Piece::Joint(Joint::Semicolon) => out.push_str("; "),
                Piece::Joint(Joint::Ampersand) => out.push_str(&format!(
                    " {} ",
                    and(TermForm::Symbol)
                        .filter(
                            |and| Some(*and) != self.language.term(Term::Other(OtherTerm::And), TermForm::Long, false)
                        )
                        .unwrap_or("&")
                )),
                Piece::Joint(Joint::And) => out.push_str(&format!(" {} ", and(TermForm::Long).unwrap_or("and"))),
            }
        }
        out
    }

    pub(super) fn number(&mut self, element: &'a Number) -> Made {
        let variable = Variable::from(element.variable);
        if self.used.contains(&variable) {
            return Made::missing();
        }
        let Some(value) = self.value(variable, LongShortForm::Long) else { return Made::missing() };
        self.touched.push(variable);
        let gender = self.language.gender(Term::from(element.variable));
        let made = match (number::pieces(&value), element.form) {
            (Some(_), NumberForm::Numeric) | (None, _) => self.written(variable, value),
            (Some(pieces), form) => self.formed(&pieces, |piece| {
                let Some(number) = number::value(piece) else { return piece.to_owned() };
                match form {
                    NumberForm::LongOrdinal => match self.language.long_ordinal(number) {
                        Some(long) => long.to_owned(),
                        None => format!("{number}{}", self.language.ordinal(number, gender)),
                    },
                    NumberForm::Ordinal => format!("{number}{}", self.language.ordinal(number, gender)),
                    NumberForm::Roman => number::roman(number).unwrap_or_else(|| piece.to_owned()),
                    NumberForm::Numeric => piece.to_owned(),
                }
            }),
        };
        let made = self.cased(made, element.text_case);
        Made::value(self.dressed(
            made,
            &element.formatting,
            element.affixes.prefix.as_deref(),
            element.affixes.suffix.as_deref(),
            element.display,
        ))
    }

    pub(super) fn label(&mut self, label: &'a Label) -> Made {
        let variable = Variable::from(label.variable);
        let value = if self.used.contains(&variable) { None } else { self.value(variable, LongShortForm::Long) };
        let Some(value) = value else { return Made { text: String::new(), asked: Asked::Nothing } };
        let term = match label.variable {
            NumberOrPageVariable::Number(NumberVariable::Locator) => match self.cite.locator {
                Some((Locator::Custom, _)) | None => return Made { text: String::new(), asked: Asked::Nothing },
                Some((kind, _)) => Term::Locator(kind),
            },
            NumberOrPageVariable::Page(PageVariable::Page) => Term::PageVariable,
            NumberOrPageVariable::Number(number) => Term::NumberVariable(number),
        };
        let plural = match label.label.plural {
            LabelPluralize::Always => true,
            LabelPluralize::Never => false,
            LabelPluralize::Contextual if variable.is_number_of_variable() => {
                number::value(value.trim()).is_none_or(|number| number != 1)
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
        let text =
            self.dressed(text, &label.label.formatting, affixes.prefix.as_deref(), affixes.suffix.as_deref(), None);
        Made { text, asked: Asked::Nothing }
    }
}
