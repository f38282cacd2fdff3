//! Terms, dates and options of a language: the locale of CSL with what the style says otherwise.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use hayagriva::citationberg::{
    self as csl, DateForm, DatePart, Locale, LocaleCode, LocalizedTerm, OrdinalMatch, TermForm,
    taxonomy::{Kind, Locator, NumberVariable, OtherTerm, Term},
};

use crate::markup::QuoteMarks;

/// The terms of the months, 1 to 12, and of the seasons, 13 to 16.
pub(crate) const MONTHS: [OtherTerm; 16] = [
    OtherTerm::Month01,
    OtherTerm::Month02,
    OtherTerm::Month03,
    OtherTerm::Month04,
    OtherTerm::Month05,
    OtherTerm::Month06,
    OtherTerm::Month07,
    OtherTerm::Month08,
    OtherTerm::Month09,
    OtherTerm::Month10,
    OtherTerm::Month11,
    OtherTerm::Month12,
    OtherTerm::Season01,
    OtherTerm::Season02,
    OtherTerm::Season03,
    OtherTerm::Season04,
];

/// Every locale that comes with the crate.
pub(crate) fn bundled_locales() -> &'static [Locale] {
    static LOCALES: OnceLock<Vec<Locale>> = OnceLock::new();
    LOCALES.get_or_init(hayagriva::archive::locales)
}

/// The tags of all locales, sorted.
pub fn locale_tags() -> Vec<String> {
    let mut tags: Vec<String> =
        bundled_locales().iter().filter_map(|locale| locale.lang.as_ref()).map(|lang| lang.0.clone()).collect();
    tags.sort();
    tags
}

/// The bundled locale nearest to a tag: itself, its language's main one, another one of its language.
pub(crate) fn nearest_locale(tag: &str) -> Option<&'static Locale> {
    let wanted = tag.replace('_', "-");
    let named = |name: &str| {
        bundled_locales()
            .iter()
            .find(|locale| locale.lang.as_ref().is_some_and(|lang| lang.0.eq_ignore_ascii_case(name)))
    };
    let base = wanted.split('-').next().unwrap_or_default().to_lowercase();
    named(&wanted).or_else(|| named(&LocaleCode(base.clone()).fallback()?.0)).or_else(|| named(&base)).or_else(|| {
        bundled_locales().iter().find(|locale| {
            let lang = locale.lang.as_ref().map(|lang| lang.0.to_lowercase()).unwrap_or_default();
            !base.is_empty() && lang.split('-').next() == Some(base.as_str())
        })
    })
}

#[derive(Clone, Debug)]
struct TermText {
    single: String,
    multiple: String,
    gender: Option<csl::GrammarGender>,
}

#[derive(Clone, Debug)]
struct OrdinalRule {
    number: Option<u8>,
    matches: Option<OrdinalMatch>,
    gender: Option<csl::GrammarGender>,
    text: String,
}

/// All that a style needs of a language.
#[derive(Debug)]
pub(crate) struct CslLanguage {
    /// The tag of the locale used.
    pub tag: String,
    terms: HashMap<(Term, TermForm), TermText>,
    ordinals: Vec<OrdinalRule>,
    long_ordinals: HashMap<u8, String>,
    text_date: Vec<DatePart>,
    text_delimiter: String,
    numeric_date: Vec<DatePart>,
    numeric_delimiter: String,
    pub punctuation_in_quote: bool,
    pub limit_day_ordinals: bool,
    pub quotes: QuoteMarks,
}

/// Terms that are written alike are one.
fn canonical_term(term: Term) -> Term {
    match term {
        Term::Locator(Locator::Issue) => Term::NumberVariable(NumberVariable::Issue),
        Term::Locator(Locator::Page) => Term::PageVariable,
        Term::Locator(Locator::Section) => Term::NumberVariable(NumberVariable::Section),
        Term::Locator(Locator::Volume) => Term::NumberVariable(NumberVariable::Volume),
        Term::Locator(Locator::Book) => Term::Kind(Kind::Book),
        Term::Locator(Locator::Chapter) => Term::Kind(Kind::Chapter),
        Term::Locator(Locator::Figure) => Term::Kind(Kind::Figure),
        Term::Locator(Locator::Supplement) => Term::NumberVariable(NumberVariable::SupplementNumber),
        term => term,
    }
}

impl CslLanguage {
    /// The language of a tag, with the style's own terms over it.
    pub(crate) fn new(tag: &str, own: &[Locale], small_seasons: bool) -> Arc<Self> {
        let english = nearest_locale("en-US");
        let base = nearest_locale(tag).or(english);
        let tag = base.and_then(|locale| locale.lang.as_ref()).map_or("en-US", |lang| lang.0.as_str());
        let language = tag.split('-').next().unwrap_or_default();
        let mut this = Self {
            tag: tag.to_owned(),
            terms: HashMap::new(),
            ordinals: Vec::new(),
            long_ordinals: HashMap::new(),
            text_date: Vec::new(),
            text_delimiter: String::new(),
            numeric_date: Vec::new(),
            numeric_delimiter: String::new(),
            punctuation_in_quote: false,
            limit_day_ordinals: false,
            quotes: QuoteMarks {
                open: "“".into(), close: "”".into(), open_inner: "‘".into(), close_inner: "’".into()
            },
        };
        let main = nearest_locale(language);
        for locale in [english, main, base].into_iter().flatten() {
            this.merge_locale(locale, true);
        }
        let said = |locale: &&Locale, lang: Option<&str>| {
            locale.lang.as_ref().map(|lang| lang.0.to_lowercase()) == lang.map(str::to_lowercase)
        };
        for level in [None, Some(language), Some(tag)] {
            for locale in own.iter().filter(|locale| said(locale, level)) {
                this.merge_locale(locale, false);
            }
        }
        // `mla-season`: MLA writes seasons small.
        for season in [OtherTerm::Season01, OtherTerm::Season02, OtherTerm::Season03, OtherTerm::Season04] {
            if let Some(term) = this.terms.get_mut(&(Term::Other(season), TermForm::Long)).filter(|_| small_seasons) {
                term.single = term.single.to_lowercase();
            }
        }
        let term = |this: &Self, term, otherwise: &str| {
            this.term(Term::Other(term), TermForm::Long, false).unwrap_or(otherwise).to_owned()
        };
        this.quotes = QuoteMarks {
            open: term(&this, OtherTerm::OpenQuote, "“"),
            close: term(&this, OtherTerm::CloseQuote, "”"),
            open_inner: term(&this, OtherTerm::OpenInnerQuote, "‘"),
            close_inner: term(&this, OtherTerm::CloseInnerQuote, "’"),
        };
        Arc::new(this)
    }

    fn merge_locale(&mut self, locale: &Locale, whole: bool) {
        if let Some(options) = &locale.style_options {
            if whole {
                self.punctuation_in_quote = false;
                self.limit_day_ordinals = false;
            }
            self.punctuation_in_quote = options.punctuation_in_quote.unwrap_or(self.punctuation_in_quote);
            self.limit_day_ordinals = options.limit_day_ordinals_to_day_1.unwrap_or(self.limit_day_ordinals);
        }
        for date in &locale.date {
            let delimiter = date.delimiter.clone().unwrap_or_default();
            match date.form {
                Some(DateForm::Text) => (self.text_date, self.text_delimiter) = (date.date_part.clone(), delimiter),
                Some(DateForm::Numeric) => {
                    (self.numeric_date, self.numeric_delimiter) = (date.date_part.clone(), delimiter)
                }
                None => {}
            }
        }
        let Some(terms) = &locale.terms else { return };
        let is_ordinal =
            |term: &LocalizedTerm| matches!(term.name, Term::Other(OtherTerm::Ordinal | OtherTerm::OrdinalN(_)));
        if terms.terms.iter().any(is_ordinal) {
            self.ordinals.clear();
        }
        for term in &terms.terms {
            let single = term.single().unwrap_or_default().to_owned();
            match term.name {
                Term::Other(OtherTerm::Ordinal) => {
                    self.ordinals.push(OrdinalRule {
                        number: None,
                        matches: None,
                        gender: term.gender_form,
                        text: single,
                    });
                }
                Term::Other(OtherTerm::OrdinalN(number)) => {
                    self.ordinals.push(OrdinalRule {
                        number: Some(number),
                        matches: term.match_,
                        gender: term.gender_form,
                        text: single,
                    });
                }
                Term::Other(OtherTerm::LongOrdinal(number)) => {
                    self.long_ordinals.insert(number, single);
                }
                name if term.gender_form.is_none() => {
                    let multiple = term.multiple().unwrap_or(&single).to_owned();
                    self.terms
                        .insert((canonical_term(name), term.form), TermText { single, multiple, gender: term.gender });
                }
                _ => {}
            }
        }
    }

    /// A term, in the nearest form there is.
    pub(crate) fn term(&self, term: Term, form: TermForm, plural: bool) -> Option<&str> {
        let term = canonical_term(term);
        let mut form = Some(form);
        while let Some(wanted) = form {
            if let Some(found) = self.terms.get(&(term, wanted)) {
                return Some(if plural { &found.multiple } else { &found.single });
            }
            form = wanted.fallback();
        }
        None
    }

    /// The grammatical gender of a term.
    pub(crate) fn gender(&self, term: Term) -> Option<csl::GrammarGender> {
        self.terms.get(&(canonical_term(term), TermForm::Long)).and_then(|term| term.gender)
    }

    /// Returns the ordinal suffix of a number: `nd` for 2.
    pub(crate) fn ordinal(&self, number: u32, gender: Option<csl::GrammarGender>) -> &str {
        let fits = |ordinal: &&OrdinalRule| {
            let Some(wanted) = ordinal.number.map(u32::from) else { return false };
            let default = if wanted < 10 { OrdinalMatch::LastDigit } else { OrdinalMatch::LastTwoDigits };
            match ordinal.matches.unwrap_or(default) {
                OrdinalMatch::LastDigit => number % 10 == wanted,
                OrdinalMatch::LastTwoDigits => number % 100 == wanted,
                OrdinalMatch::WholeNumber => number == wanted,
            }
        };
        // More digits are more exact; then the gender that is asked for.
        let best = self.ordinals.iter().filter(fits).max_by_key(|ordinal| {
            (
                ordinal.number.is_some_and(|number| number >= 10),
                ordinal.matches == Some(OrdinalMatch::WholeNumber),
                ordinal.gender == gender,
            )
        });
        let plain = || {
            let any =
                |gender| self.ordinals.iter().find(|ordinal| ordinal.number.is_none() && ordinal.gender == gender);
            any(gender).or_else(|| any(None))
        };
        best.or_else(plain).map_or("", |ordinal| ordinal.text.as_str())
    }

    /// Returns the ordinal word of a number up to ten: `second` for 2.
    pub(crate) fn long_ordinal(&self, number: u32) -> Option<&str> {
        self.long_ordinals.get(&u8::try_from(number).ok()?).map(String::as_str)
    }

    /// The parts of a localized date and what stands between them.
    pub(crate) fn date(&self, form: DateForm) -> (&[DatePart], &str) {
        match form {
            DateForm::Text => (&self.text_date, &self.text_delimiter),
            DateForm::Numeric => (&self.numeric_date, &self.numeric_delimiter),
        }
    }

    /// The name of a month (1 to 12) or a season (13 to 16).
    pub(crate) fn month_name(&self, month: u8, form: TermForm) -> &str {
        let term = usize::from(month).checked_sub(1).and_then(|at| MONTHS.get(at));
        term.and_then(|term| self.term(Term::Other(*term), form, false)).unwrap_or_default()
    }

    pub(crate) fn is_english(&self) -> bool {
        self.tag.starts_with("en")
    }
}
