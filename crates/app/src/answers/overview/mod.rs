//! Answers to what people type first: greetings, overviews of the library, of a source and of a person, comparisons and
//! what is new. They need no model: everything that a source says is quoted and cited, the rest is counted.
//!
//! `ibid_claims::intent` reads the request, `lookup.rs` finds what it names, `since.rs` reads days, `writing.rs` puts the
//! text and its citations together, `suggestions.rs` makes questions.

mod lookup;
mod since;
mod suggestions;
mod writing;

use futures::future::BoxFuture;
use ibid_claims::intent::{Intent, recognize_intent};
use ibid_domain::{EntityType, MessageRole, Run, RunMode, RunPhase, SearchFilter, Source, SourceId};
use ibid_language::Language;
use ibid_store::{EventFilter, Scope};

use self::{
    lookup::{SectionLead, TitleMatch, lead_of, leads_by_section, leads_under},
    writing::{OverviewDraft, SourceQuote, escape_words},
};
use super::{
    AskRequest, begin_phase, end_phase,
    run_recorder::RunHandle,
    wording::{AnswerWords, fill},
};
use crate::{App, Result};

/// Number of sources that an overview of the library, or of what is new, lists.
const LISTED_SOURCES: usize = 6;
/// Number of sentences that stand for a source.
const SOURCE_LEADS: usize = 8;
/// Number of sentences that stand for a section.
const SECTION_LEADS: usize = 4;
/// Number of rows of a comparison.
const COMPARED_ROWS: usize = 5;
/// Number of events in an overview of a person, or of what is new.
const LISTED_EVENTS: usize = 8;
/// Fewer events than this are followed by sentences that name the person.
const FEW_EVENTS: usize = 3;
/// Number of questions that follow a greeting.
const SUGGESTED: usize = 3;
/// Who `Who is …` asks for.
const WHO: &[EntityType] = &[EntityType::Person, EntityType::Org];

/// A library as an overview looks at it.
struct Overview<'a> {
    app: &'a App,
    scope: &'a Scope,
    language: Language,
    words: &'static AnswerWords,
    /// Only these sources; all if it is empty.
    only: Vec<SourceId>,
}

/// One side of a comparison.
struct ComparedSide {
    name: String,
    quotes: Vec<SectionLead>,
}

impl App {
    /// Answers a greeting or a request for an overview. Returns `false` if the question is neither, or if it names what
    /// the library does not know: then it is answered like any other.
    pub(super) async fn answer_overview(&self, live: &RunHandle, run: &Run, ask: &AskRequest) -> Result<bool> {
        if run.mode == RunMode::Research || !has_sources_only(&ask.filter) {
            return Ok(false);
        }
        let mut says_this: Option<Overview<'_>> = None;
        for reading in recognize_intent(&ask.content) {
            // What a model writes of the passages is better than sentences alone; what it cannot see is said here.
            let is_beyond_passages = matches!(
                reading.intent,
                Intent::Greeting | Intent::Thanks | Intent::LibraryOverview | Intent::Changes { .. }
            );
            if run.mode != RunMode::Extractive && !is_beyond_passages {
                continue;
            }
            let overview = Overview::new(self, &live.scope, reading.language, ask.filter.sources.clone());
            let this_source = match reading.intent {
                Intent::ThisSourceOverview => self.source_spoken_of(live, run, &ask.filter).await?,
                _ => None,
            };
            if let Some(draft) = Box::pin(overview.draft(&reading.intent, this_source)).await? {
                self.end_with_overview(live, run, draft).await?;
                return Ok(true);
            }
            if reading.intent == Intent::ThisSourceOverview {
                says_this = says_this.or(Some(overview));
            }
        }
        let Some(overview) = says_this else { return Ok(false) };
        let draft = Box::pin(overview.ask_which_source()).await?;
        self.end_with_overview(live, run, draft).await?;
        Ok(true)
    }

    /// The one source that a conversation is about: the only one asked about, or the only one that its last answer cites.
    async fn source_spoken_of(&self, live: &RunHandle, run: &Run, filter: &SearchFilter) -> Result<Option<SourceId>> {
        if let [only] = filter.sources[..] {
            return Ok(Some(only));
        }
        let before = self.thread_history(live, run, 4).await?;
        let Some(last) = before.iter().rev().find(|message| message.role == MessageRole::Assistant) else {
            return Ok(None);
        };
        let (_, citations) = self.citations(&live.scope).of_message(&last.id).await?;
        let mut cited: Vec<SourceId> = citations.iter().filter_map(|citation| citation.source).collect();
        cited.sort_unstable();
        cited.dedup();
        Ok(Some(cited).filter(|cited| cited.len() == 1).and_then(|cited| cited.first().copied()))
    }

    async fn end_with_overview(&self, live: &RunHandle, run: &Run, draft: OverviewDraft) -> Result<()> {
        begin_phase(live, RunPhase::Research);
        let ledger = self.keep_found(live, draft.sources()).await?;
        end_phase(live, RunPhase::Research);
        let rendered = draft.render(&ledger);
        self.show_quotes(live, &rendered.text, &ledger).await;
        let citations = rendered.citations(run, &ledger, self.store.clock().now());
        self.end_quoted(live, run, rendered.text, citations).await
    }
}

/// True if a filter names sources or nothing: an overview knows no other limits.
fn has_sources_only(filter: &SearchFilter) -> bool {
    let SearchFilter {
        kinds,
        origins,
        sources: _,
        document_id,
        project_id,
        tags,
        languages,
        from,
        to,
        as_of,
        memories: _,
    } = filter;
    kinds.is_empty()
        && origins.is_empty()
        && tags.is_empty()
        && languages.is_empty()
        && document_id.is_none()
        && project_id.is_none()
        && from.is_none()
        && to.is_none()
        && as_of.is_none()
}

impl<'a> Overview<'a> {
    fn new(app: &'a App, scope: &'a Scope, language: Language, only: Vec<SourceId>) -> Self {
        Self { app, scope, language, words: AnswerWords::of(language), only }
    }

    /// The answer to a request; `None` if the library does not know what it names.
    async fn draft(&self, intent: &Intent, this_source: Option<SourceId>) -> Result<Option<OverviewDraft>> {
        match intent {
            Intent::Greeting => self.greet(&self.words.greeting).await.map(Some),
            Intent::Thanks => self.greet(&self.words.thanks).await.map(Some),
            _ => self.draft_about(intent, this_source).await,
        }
    }

    /// The answer to a request for something; `None` for a greeting, too.
    ///
    /// It is boxed: a greeting tries the questions that it suggests, and the futures of all overviews within each other
    /// would not fit on the stack of a worker.
    fn draft_about<'b>(
        &'b self,
        intent: &'b Intent,
        this_source: Option<SourceId>,
    ) -> BoxFuture<'b, Result<Option<OverviewDraft>>> {
        match intent {
            Intent::Greeting | Intent::Thanks => Box::pin(std::future::ready(Ok(None))),
            Intent::LibraryOverview => Box::pin(async { self.of_library().await.map(Some) }),
            Intent::ThisSourceOverview => Box::pin(self.of_this_source(this_source)),
            Intent::SourceOverview { title } => Box::pin(self.of_titled(title)),
            Intent::SectionOverview { title, heading } => Box::pin(self.of_section(title, heading)),
            Intent::Comparison { first, second } => Box::pin(self.of_both(first, second)),
            Intent::Changes { since } => Box::pin(self.of_changes(since.as_deref())),
            Intent::EntityOverview { name } => Box::pin(self.of_entity(name, WHO)),
            Intent::SubjectOverview { name } => Box::pin(self.of_subject(name)),
        }
    }

    async fn of_subject(&self, name: &str) -> Result<Option<OverviewDraft>> {
        match Box::pin(self.of_entity(name, EntityType::ALL)).await? {
            Some(draft) => Ok(Some(draft)),
            None => self.of_titled(name).await,
        }
    }

    async fn greet(&self, line: &str) -> Result<OverviewDraft> {
        let mut draft = OverviewDraft::default();
        let questions = Box::pin(self.suggest(SUGGESTED)).await?;
        if questions.is_empty() {
            let is_empty = self.newest_sources(1).await?.is_empty();
            draft.paragraph(if is_empty { &self.words.empty } else { &self.words.no_suggestions });
            return Ok(draft);
        }
        draft.paragraph(line);
        for (place, question) in questions.iter().enumerate() {
            draft.item(place == 0);
            draft.push_own(escape_words(question));
        }
        Ok(draft)
    }

    async fn of_library(&self) -> Result<OverviewDraft> {
        let mut draft = OverviewDraft::default();
        let newest = self.newest_sources(LISTED_SOURCES).await?;
        if newest.is_empty() {
            draft.paragraph(&self.words.empty);
            return Ok(draft);
        }
        let counts = self.app.store.read().await?.sources(self.scope).count_by_media_type(None, &self.only).await?;
        let total: u64 = counts.iter().map(|(_, count)| count).sum();
        let (sources, kinds) = (self.words.sources.with_count(total), self.words.list_kinds(&counts));
        draft.paragraph(fill(&self.words.library, &[("sources", &sources), ("kinds", &kinds)]));
        draft.paragraph(&self.words.newest);
        let listed = newest.len() as u64;
        self.list_sources(&mut draft, newest).await?;
        if total > listed {
            draft.paragraph(self.words.older.with_count(total - listed));
        }
        Ok(draft)
    }

    /// Lists sources, each with the sentence it opens with, if it has one.
    async fn list_sources(&self, draft: &mut OverviewDraft, sources: Vec<Source>) -> Result<()> {
        for (place, source) in sources.into_iter().enumerate() {
            draft.item(place == 0);
            draft.push_own(format!("**{}**", escape_words(source.display_title())));
            let lead = self.quotable(source, None).await?.as_ref().and_then(lead_of);
            if let Some(lead) = lead {
                draft.push_own(": ");
                draft.push_quote(lead);
            }
        }
        Ok(())
    }

    async fn of_this_source(&self, spoken_of: Option<SourceId>) -> Result<Option<OverviewDraft>> {
        let source = match spoken_of {
            Some(id) => self.app.store.read().await?.sources(self.scope).get(id).await?,
            None => {
                let mut newest = self.newest_sources(2).await?;
                newest.pop().filter(|_| newest.is_empty())
            }
        };
        match source {
            Some(source) => self.of_source(source).await,
            None => Ok(None),
        }
    }

    /// Asks which source somebody means who says only "this document".
    async fn ask_which_source(&self) -> Result<OverviewDraft> {
        let mut draft = OverviewDraft::default();
        let newest = self.newest_sources(LISTED_SOURCES).await?;
        if newest.is_empty() {
            draft.paragraph(&self.words.empty);
        } else {
            draft.paragraph(&self.words.which_source);
            self.list_sources(&mut draft, newest).await?;
        }
        Ok(draft)
    }

    async fn of_titled(&self, title: &str) -> Result<Option<OverviewDraft>> {
        match self.find_source(title).await? {
            TitleMatch::One(source) => self.of_source(*source).await,
            TitleMatch::Several(sources) => {
                let mut draft = OverviewDraft::default();
                draft.paragraph(&self.words.which_source);
                self.list_sources(&mut draft, sources).await?;
                Ok(Some(draft))
            }
            TitleMatch::Unknown => Ok(None),
        }
    }

    async fn of_source(&self, source: Source) -> Result<Option<OverviewDraft>> {
        let Some(of) = self.quotable(source, None).await? else { return Ok(None) };
        let leads = leads_by_section(&of, SOURCE_LEADS);
        if leads.is_empty() {
            return Ok(None);
        }
        let has_headings = leads.iter().any(|lead| lead.heading.is_some());
        let line = if has_headings { &self.words.source_sections } else { &self.words.source };
        let mut draft = OverviewDraft::default();
        draft.paragraph(fill(line, &[("title", &escape_words(of.title()))]));
        push_leads(&mut draft, leads);
        Ok(Some(draft))
    }

    async fn of_section(&self, title: &str, heading: &str) -> Result<Option<OverviewDraft>> {
        let TitleMatch::One(source) = self.find_source(title).await? else { return Ok(None) };
        let Some(of) = self.quotable(*source, None).await? else { return Ok(None) };
        let Some((heading, quotes)) = leads_under(&of, heading, self.language, SECTION_LEADS) else { return Ok(None) };
        let mut draft = OverviewDraft::default();
        let (title, heading) = (escape_words(of.title()), escape_words(&heading));
        draft.paragraph(fill(&self.words.section, &[("title", &title), ("heading", &heading)]));
        push_leads(&mut draft, quotes.into_iter().map(|quote| SectionLead { heading: None, quote }).collect());
        Ok(Some(draft))
    }

    async fn of_entity(&self, name: &str, kinds: &[EntityType]) -> Result<Option<OverviewDraft>> {
        let Some(entity) = self.find_entity(name, kinds).await? else { return Ok(None) };
        let filter = EventFilter { entity: Some(entity.id), ..EventFilter::default() };
        let events = self.event_quotes(&filter, LISTED_EVENTS).await?;
        let mut mentions = match events.len() {
            0..FEW_EVENTS => self.mention_quotes(&entity, FEW_EVENTS).await?,
            _ => Vec::new(),
        };
        mentions.retain(|mention| {
            let words = mention.words().unwrap_or_default();
            events.iter().all(|(_, event)| event.words().is_none_or(|known| !words.contains(known)))
        });
        if events.is_empty() && mentions.is_empty() {
            return Ok(None);
        }
        let line = if events.is_empty() { &self.words.entity_mentions } else { &self.words.entity_events };
        let mut draft = OverviewDraft::default();
        draft.paragraph(fill(line, &[("name", &format!("**{}**", escape_words(&entity.name)))]));
        let dated = events.into_iter().map(|(event, quote)| (event.date.map(|date| date.to_string()), quote));
        let all = dated.chain(mentions.into_iter().map(|quote| (None, quote)));
        push_leads(&mut draft, all.map(|(heading, quote)| SectionLead { heading, quote }).collect());
        Ok(Some(draft))
    }

    async fn of_both(&self, first: &str, second: &str) -> Result<Option<OverviewDraft>> {
        let Some(mut left) = self.compared_side(first).await? else { return Ok(None) };
        let Some(mut right) = self.compared_side(second).await? else { return Ok(None) };
        let mut draft = OverviewDraft::default();
        draft.paragraph(format!("| {} | {} |\n| --- | --- |", escape_words(&left.name), escape_words(&right.name)));
        // What stands under the same heading in both stands in one row, and before the rest.
        let has_pair = |lead: &SectionLead, side: &ComparedSide| {
            lead.heading.is_some() && side.quotes.iter().any(|other| same_heading(lead, other))
        };
        left.quotes.sort_by_key(|lead| !has_pair(lead, &right));
        let mut ordered: Vec<SectionLead> = Vec::new();
        for lead in &left.quotes {
            if let Some(at) = right.quotes.iter().position(|other| same_heading(lead, other)) {
                ordered.push(right.quotes.remove(at));
            }
        }
        ordered.append(&mut right.quotes);
        let (mut left, mut right) = (left.quotes.into_iter(), ordered.into_iter());
        for _ in 0..COMPARED_ROWS {
            let row = (left.next(), right.next());
            if row.0.is_none() && row.1.is_none() {
                break;
            }
            draft.push_own("\n| ");
            push_cell(&mut draft, row.0);
            draft.push_own(" | ");
            push_cell(&mut draft, row.1);
            draft.push_own(" |");
        }
        Ok(Some(draft))
    }

    /// A source or an entity by its name, with what there is to quote.
    async fn compared_side(&self, name: &str) -> Result<Option<ComparedSide>> {
        if let TitleMatch::One(source) = self.find_source(name).await? {
            let Some(of) = self.quotable(*source, None).await? else { return Ok(None) };
            let quotes = leads_by_section(&of, SOURCE_LEADS);
            return Ok((!quotes.is_empty()).then(|| ComparedSide { name: of.title().to_owned(), quotes }));
        }
        let Some(entity) = self.find_entity(name, EntityType::ALL).await? else { return Ok(None) };
        let filter = EventFilter { entity: Some(entity.id), ..EventFilter::default() };
        let events = self.event_quotes(&filter, COMPARED_ROWS).await?.into_iter();
        let mut quotes: Vec<SectionLead> = events
            .map(|(event, quote)| SectionLead { heading: event.date.map(|date| date.to_string()), quote })
            .collect();
        if quotes.is_empty() {
            let mentions = self.mention_quotes(&entity, FEW_EVENTS).await?;
            quotes.extend(mentions.into_iter().map(|quote| SectionLead { heading: None, quote }));
        }
        Ok((!quotes.is_empty()).then_some(ComparedSide { name: entity.name, quotes }))
    }

    async fn of_changes(&self, since: Option<&str>) -> Result<Option<OverviewDraft>> {
        let now = self.app.store.clock().now();
        let Some(since) = since::start_of(since, self.language, now).filter(|since| *since <= now) else {
            return Ok(None);
        };
        if !self.only.is_empty() {
            return Ok(None);
        }
        let mut tx = self.app.store.read().await?;
        let counts = tx.sources(self.scope).count_by_media_type(Some(since), &[]).await?;
        let changed = tx.sources(self.scope).list_changed_since(since, LISTED_SOURCES as i64 * 10).await?;
        drop(tx);
        let added: u64 = counts.iter().map(|(_, count)| count).sum();
        let mut new = self.newest_sources(LISTED_SOURCES).await?;
        new.retain(|source| source.created_at >= since);
        let filter = EventFilter { from: Some(since), ..EventFilter::default() };
        let events = self.event_quotes(&filter, LISTED_EVENTS).await?;
        let date = since::day_of(since);
        let mut draft = OverviewDraft::default();
        if added == 0 && changed.is_empty() && events.is_empty() {
            draft.paragraph(fill(&self.words.no_changes, &[("date", &date)]));
            return Ok(Some(draft));
        }
        let (added, count) = (self.words.added.with_count(added), self.words.changed.with_count(changed.len() as u64));
        draft.paragraph(fill(&self.words.changes, &[("date", &date), ("added", &added), ("changed", &count)]));
        new.extend(changed);
        new.truncate(LISTED_SOURCES);
        self.list_sources(&mut draft, new).await?;
        if !events.is_empty() {
            draft.paragraph(&self.words.changes_events);
            let lead = |(event, quote): (ibid_domain::Event, SourceQuote)| SectionLead {
                heading: event.date.map(|date| date.to_string()),
                quote,
            };
            push_leads(&mut draft, events.into_iter().map(lead).collect());
        }
        Ok(Some(draft))
    }
}

fn same_heading(one: &SectionLead, other: &SectionLead) -> bool {
    let folded = |lead: &SectionLead| lead.heading.as_ref().map(|heading| heading.trim().to_lowercase());
    one.heading.is_some() && folded(one) == folded(other)
}

/// A list of quotes, each after its heading or date.
fn push_leads(draft: &mut OverviewDraft, leads: Vec<SectionLead>) {
    for (place, lead) in leads.into_iter().enumerate() {
        draft.item(place == 0);
        push_lead(draft, lead);
    }
}

fn push_cell(draft: &mut OverviewDraft, lead: Option<SectionLead>) {
    if let Some(lead) = lead {
        push_lead(draft, lead);
    }
}

fn push_lead(draft: &mut OverviewDraft, lead: SectionLead) {
    if let Some(heading) = &lead.heading {
        draft.push_own(format!("*{}*: ", escape_words(heading)));
    }
    draft.push_quote(lead.quote);
}
