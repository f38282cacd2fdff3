//! What the names in a request mean in this library: sources by their titles, people and organizations by their names.

use std::{collections::HashMap, sync::Arc};

use ibid_claims::leads::{is_prose, lead_sentence, lead_sentences};
use ibid_domain::{
    Entity, EntityType, Event, Limit, Mark, MarkKind, Origin, RevisionId, Source, SourceId, Span, text::CharIndex,
};
use ibid_knowledge::judge::normalize_name;
use ibid_language::{Language, Lexicon, fold_accents, sentences::sentence_spans};
use ibid_store::{EntityFilter, EntityOrder, EventFilter, SourceFilter};

use super::{
    Overview,
    writing::{QuotableSource, SourceQuote, part_of},
};
use crate::{Error, Result};

/// The most sources with the words of a title that are looked at.
const MOST_CANDIDATES: i64 = 100;
/// The most sources that a request may name at once; with more the words are no title.
const MOST_NAMESAKES: usize = 5;
/// The most sections of a source that are looked through for their first sentence.
const MOST_SECTIONS: usize = 300;

/// The sources that a title means.
pub(super) enum TitleMatch {
    One(Box<Source>),
    /// Several have the words in their titles.
    Several(Vec<Source>),
    Unknown,
}

/// The first sentence of a section with the heading above it.
pub(super) struct SectionLead {
    pub heading: Option<String>,
    pub quote: SourceQuote,
}

impl Overview<'_> {
    /// True if the sources asked about include this one.
    pub fn includes(&self, source: &Source) -> bool {
        source.origin != Origin::Memory && (self.only.is_empty() || self.only.contains(&source.id))
    }

    /// The newest sources, at most so many.
    pub async fn newest_sources(&self, most: usize) -> Result<Vec<Source>> {
        let mut tx = self.app.store.read().await?;
        if !self.only.is_empty() {
            let mut sources = tx.sources(self.scope).get_many(&self.only).await?;
            sources.retain(|source| self.includes(source));
            sources.sort_by_key(|source| std::cmp::Reverse(source.id));
            sources.truncate(most);
            return Ok(sources);
        }
        let (mut sources, mut after) = (Vec::new(), None);
        loop {
            let page = tx.sources(self.scope).list(&SourceFilter::default(), Limit::default(), after.as_ref()).await?;
            sources.extend(page.items.into_iter().filter(|source| self.includes(source)));
            after = page.next;
            if after.is_none() || sources.len() >= most {
                sources.truncate(most);
                return Ok(sources);
            }
        }
    }

    /// A source with its text; `None` if it has none that can be quoted.
    pub async fn quotable(&self, source: Source, revision: Option<RevisionId>) -> Result<Option<Arc<QuotableSource>>> {
        match Box::pin(self.app.sources(self.scope).text(source.id, revision)).await {
            Ok(read) => Ok(Some(Arc::new(QuotableSource {
                source,
                revision: read.revision,
                text: read.text,
                marks: read.marks,
            }))),
            Err(Error::Problem(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The source whose title somebody wrote, whole or in part.
    pub async fn find_source(&self, title: &str) -> Result<TitleMatch> {
        let asked = telling_words(without_extension(title), self.language);
        if asked.is_empty() {
            return Ok(TitleMatch::Unknown);
        }
        // Accents are kept here: the list of sources is searched by the words as they are.
        let words: Vec<String> = lower_words(without_extension(title))
            .into_iter()
            .filter(|word| asked.contains(&fold_accents(word).into_owned()))
            .collect();
        let found = self.app.store.read().await?.sources(self.scope).find_by_words(&words, MOST_CANDIDATES).await?;
        let titled = found.into_iter().filter(|source| self.includes(source)).filter_map(|source| {
            let own = telling_words(without_extension(source.display_title()), self.language);
            asked.iter().all(|word| own.contains(word)).then_some((source, own))
        });
        let mut titled: Vec<(Source, Vec<String>)> = titled.collect();
        if let Some(at) = titled.iter().position(|(_, own)| *own == asked) {
            return Ok(TitleMatch::One(Box::new(titled.swap_remove(at).0)));
        }
        Ok(match titled.len() {
            1 => titled.pop().map_or(TitleMatch::Unknown, |(source, _)| TitleMatch::One(Box::new(source))),
            2..=MOST_NAMESAKES => TitleMatch::Several(titled.into_iter().map(|(source, _)| source).collect()),
            _ => TitleMatch::Unknown,
        })
    }

    /// The person or organization of a name: by its whole name or another name of it, or by a part that only it has.
    pub async fn find_entity(&self, name: &str, kinds: &[EntityType]) -> Result<Option<Entity>> {
        let asked = name_words(name, self.language);
        if asked.is_empty() || !self.only.is_empty() {
            return Ok(None);
        }
        let filter = EntityFilter { words: Some(lower_words(&asked.join(" ")).join(" ")), ..EntityFilter::default() };
        let limit = Limit::new(50)?;
        let page = self.app.knowledge(self.scope).entities(&filter, EntityOrder::Often, limit, None).await?;
        let found: Vec<Entity> = page.items.into_iter().filter(|entity| kinds.contains(&entity.kind)).collect();
        let is_called = |entity: &&Entity| {
            let mut names = std::iter::once(&entity.name).chain(&entity.aliases);
            let key = normalize_name(Some(entity.kind), &asked.join(" "));
            names.any(|own| {
                folded_words(own) == folded_words(&asked.join(" ")) || normalize_name(Some(entity.kind), own) == key
            })
        };
        if let Some(entity) = found.iter().find(is_called) {
            return Ok(Some(entity.clone()));
        }
        let words = folded_words(&asked.join(" "));
        let has_words = |entity: &&Entity| {
            let own = folded_words(&entity.name);
            words.iter().all(|word| word.chars().count() > 2 && own.contains(word))
        };
        let mut named = found.iter().filter(has_words);
        Ok(named.next().filter(|_| named.next().is_none()).cloned())
    }

    /// Quotes of events, oldest first, each with its date; what two events share is quoted once.
    pub async fn event_quotes(&self, filter: &EventFilter, most: usize) -> Result<Vec<(Event, SourceQuote)>> {
        let page = self.app.knowledge(self.scope).events(filter, Limit::new(100)?, None).await?;
        let mut read: HashMap<RevisionId, Option<Arc<QuotableSource>>> = HashMap::new();
        let mut quotes: Vec<(Event, SourceQuote)> = Vec::new();
        for event in page.items {
            if quotes.len() == most {
                break;
            }
            let Some(evidence) = event.evidence.first().cloned() else { continue };
            let Some(of) = self.read_once(&mut read, event.source, event.revision).await? else { continue };
            let quote = SourceQuote { span: evidence.span, of };
            let is_exact = quote.words() == Some(evidence.quote.as_str());
            if is_exact && quotes.iter().all(|(_, known)| known.words() != quote.words()) {
                quotes.push((event, quote));
            }
        }
        quotes.reverse();
        Ok(quotes)
    }

    /// Sentences of prose that name an entity, from as many sources as there are.
    pub async fn mention_quotes(&self, entity: &Entity, most: usize) -> Result<Vec<SourceQuote>> {
        let page = self.app.knowledge(self.scope).mentions(entity.id, Limit::new(50)?, None).await?;
        let mut read: HashMap<RevisionId, Option<Arc<QuotableSource>>> = HashMap::new();
        let mut quotes: Vec<SourceQuote> = Vec::new();
        for mention in page.items {
            if quotes.len() == most {
                break;
            }
            let Some(of) = self.read_once(&mut read, mention.source, mention.revision).await? else { continue };
            let sentence = sentence_spans(&of.text).find(|range| range.contains(&mention.span.start));
            let Some(span) = sentence.map(|range| Span::new(range.start, range.end)) else { continue };
            let quote = SourceQuote { span, of };
            let is_new = quotes.iter().all(|known| known.words() != quote.words());
            if is_new && quote.words().is_some_and(is_prose) {
                quotes.push(quote);
            }
        }
        Ok(quotes)
    }

    async fn read_once(
        &self,
        read: &mut HashMap<RevisionId, Option<Arc<QuotableSource>>>,
        source: SourceId,
        revision: RevisionId,
    ) -> Result<Option<Arc<QuotableSource>>> {
        if let Some(known) = read.get(&revision) {
            return Ok(known.clone());
        }
        let source = self.app.store.read().await?.sources(self.scope).get(source).await?;
        let text = match source.filter(|source| self.includes(source)) {
            Some(source) => self.quotable(source, Some(revision)).await?,
            None => None,
        };
        read.insert(revision, text.clone());
        Ok(text)
    }
}

/// The sentence that opens a text.
pub(super) fn lead_of(of: &Arc<QuotableSource>) -> Option<SourceQuote> {
    lead_sentence(&of.text).map(|span| SourceQuote { of: of.clone(), span })
}

/// The first sentences of a source's sections, or of its first paragraphs if it has no sections. With too many sections,
/// those of the upper levels.
pub(super) fn leads_by_section(of: &Arc<QuotableSource>, most: usize) -> Vec<SectionLead> {
    let index = CharIndex::new(&of.text);
    let sections: Vec<&Mark> = sections_of(of).take(MOST_SECTIONS).collect();
    let mut leads: Vec<(u8, Span, Option<&str>)> = Vec::new();
    let first = sections.first().map_or(index.len(), |section| section.span.start);
    let preface = part_of(&index, Span::new(0, first));
    if !sections.is_empty()
        && let Some(span) = lead_sentence(preface)
    {
        leads.push((0, span, None));
    }
    for (place, section) in sections.iter().enumerate() {
        let next = sections.get(place + 1).map_or(section.span.end, |next| next.span.start.min(section.span.end));
        let start = section.span.start;
        let Some(span) = lead_sentence(part_of(&index, Span::new(start, next))) else { continue };
        let heading = Some(section.label.as_str()).filter(|label| !label.trim().is_empty() && *label != of.title());
        leads.push((section.level, Span::new(start + span.start, start + span.end), heading));
    }
    if leads.len() < 2 {
        let spans = lead_sentences(&of.text, most).into_iter();
        return spans.map(|span| SectionLead { heading: None, quote: SourceQuote { of: of.clone(), span } }).collect();
    }
    leads.sort_by_key(|(level, span, _)| (*level, span.start));
    leads.truncate(most);
    leads.sort_by_key(|(_, span, _)| span.start);
    let lead = |(_, span, heading): (u8, Span, Option<&str>)| SectionLead {
        heading: heading.map(str::to_owned),
        quote: SourceQuote { of: of.clone(), span },
    };
    leads.into_iter().map(lead).collect()
}

/// The first sentences of the paragraphs under a heading, with the heading as the source has it.
pub(super) fn leads_under(
    of: &Arc<QuotableSource>,
    heading: &str,
    language: Language,
    most: usize,
) -> Option<(String, Vec<SourceQuote>)> {
    let asked = telling_words(heading, language);
    let section = sections_of(of).find(|mark| !asked.is_empty() && telling_words(&mark.label, language) == asked)?;
    let index = CharIndex::new(&of.text);
    let start = section.span.start;
    let spans = lead_sentences(part_of(&index, section.span), most).into_iter();
    let quotes: Vec<_> = spans
        .map(|span| SourceQuote { of: of.clone(), span: Span::new(start + span.start, start + span.end) })
        .collect();
    (!quotes.is_empty()).then(|| (section.label.clone(), quotes))
}

fn sections_of(of: &QuotableSource) -> impl Iterator<Item = &Mark> {
    of.marks.iter().filter(|mark| mark.kind == MarkKind::Section)
}

/// A title without the ending of a file name.
fn without_extension(title: &str) -> &str {
    match title.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && (1..=5).contains(&ending.len()) && is_extension(ending) => stem,
        _ => title,
    }
}

fn is_extension(ending: &str) -> bool {
    ending.bytes().all(|byte| byte.is_ascii_alphanumeric()) && ending.bytes().any(|byte| byte.is_ascii_lowercase())
}

fn lower_words(text: &str) -> Vec<String> {
    text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn folded_words(text: &str) -> Vec<String> {
    lower_words(text).iter().map(|word| fold_accents(word).into_owned()).collect()
}

/// The words of a title that tell it from others: all but articles, pronouns and the like.
fn telling_words(text: &str, language: Language) -> Vec<String> {
    let lexicon = Lexicon::of(language);
    let words = lower_words(text).into_iter().filter(|word| !lexicon.is_little(word));
    words.map(|word| fold_accents(&word).into_owned()).collect()
}

/// The words of a name without an article before them.
fn name_words(name: &str, language: Language) -> Vec<String> {
    let lexicon = Lexicon::of(language);
    let words = lower_words(name).into_iter();
    words.skip_while(|word| lexicon.determiners.contains(word) || lexicon.is_little(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_compared_by_what_tells_them_apart() {
        let words = |text: &str| telling_words(without_extension(text), Language::ENGLISH);
        assert_eq!(words("the Harbour Survey, 1931"), words("harbour-survey_1931.pdf"));
        assert_eq!(words("Café report"), words("cafe REPORT"));
        assert_ne!(words("Harbour survey"), words("Harbour survey 1932"));
        assert_eq!(without_extension("Version 2.0"), "Version 2.0");
        assert!(words("the of and").is_empty());
        assert_eq!(name_words("the Harbour Board", Language::ENGLISH), ["harbour", "board"]);
    }
}
