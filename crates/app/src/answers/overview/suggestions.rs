//! Questions that one can ask of one's own sources. Each is answered by an overview, and is tried before it is offered.

use ibid_claims::intent::recognize_intent;
use ibid_domain::{EntityType, Limit};
use ibid_language::Language;
use ibid_store::{EntityFilter, EntityOrder};

use super::{super::wording::fill, Overview, lookup::leads_by_section};
use crate::{Result, services::RunService};

/// Number of the newest sources that questions are made of.
const READ_SOURCES: usize = 8;
/// Number of people that questions are made of: those who are named most.
const READ_PEOPLE: i64 = 5;
/// A source with fewer sentences to quote has little to ask about.
const FEWEST_LEADS: usize = 2;
/// The longest title, name or heading in a question, in characters.
const LONGEST_NAME: usize = 80;
/// Headings of fewer words, such as `Introduction`, make dull questions and come last.
const TELLING_HEADING_WORDS: usize = 2;

impl RunService<'_> {
    /// Questions about what the newest sources say, at most so many, in a language that has words for them; English
    /// otherwise. Every one of them can be answered.
    pub async fn suggested_questions(self, language: Option<Language>, most: usize) -> Result<Vec<String>> {
        let overview = Overview::new(self.app, self.scope, language.unwrap_or(Language::ENGLISH), Vec::new());
        Box::pin(overview.suggest(most)).await
    }
}

impl Overview<'_> {
    /// Questions of several kinds, those first that say most of the sources.
    pub(super) async fn suggest(&self, most: usize) -> Result<Vec<String>> {
        let mut about_sections = Vec::new();
        let mut about_sources = Vec::new();
        for source in self.newest_sources(READ_SOURCES).await? {
            let Some(of) = self.quotable(source, None).await? else { continue };
            let title = of.title();
            if title.chars().count() > LONGEST_NAME {
                continue;
            }
            let leads = leads_by_section(&of, super::SOURCE_LEADS);
            if leads.len() < FEWEST_LEADS {
                continue;
            }
            about_sources.push(fill(&self.words.ask_source, &[("title", title)]));
            let mut headings: Vec<String> = leads.into_iter().filter_map(|lead| lead.heading).collect();
            headings.retain(|heading| heading.chars().count() <= LONGEST_NAME);
            headings.sort_by_key(|heading| heading.split_whitespace().count() < TELLING_HEADING_WORDS);
            if let Some(heading) = headings.first() {
                about_sections.push(fill(&self.words.ask_section, &[("title", title), ("heading", heading)]));
            }
        }
        let filter = EntityFilter { kind: Some(EntityType::Person), ..EntityFilter::default() };
        let limit = Limit::new(READ_PEOPLE)?;
        let people = self.app.knowledge(self.scope).entities(&filter, EntityOrder::Often, limit, None).await?.items;
        let about_people: Vec<String> = people
            .iter()
            .filter(|one| one.name.chars().count() <= LONGEST_NAME && one.name.contains(' '))
            .map(|one| fill(&self.words.ask_person, &[("name", &one.name)]))
            .collect();
        let kinds = [about_sections, about_people, about_sources];
        let longest = kinds.iter().map(Vec::len).max().unwrap_or(0);
        // One of each kind in turn.
        let in_turn = (0..longest).flat_map(|place| kinds.iter().filter_map(move |kind| kind.get(place).cloned()));
        let candidates: Vec<String> = in_turn.chain([self.words.ask_library.clone()]).collect();
        let mut questions: Vec<String> = Vec::new();
        for question in candidates {
            if questions.len() == most {
                break;
            }
            if !questions.contains(&question) && self.is_answered(&question).await? {
                questions.push(question);
            }
        }
        Ok(questions)
    }

    /// True if an overview answers a question with words of a source.
    async fn is_answered(&self, question: &str) -> Result<bool> {
        for reading in recognize_intent(question) {
            if reading.language != self.language {
                continue;
            }
            if let Some(draft) = self.draft_about(&reading.intent, None).await? {
                return Ok(draft.quote_count() > 0);
            }
        }
        Ok(false)
    }
}
