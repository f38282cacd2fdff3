//! Research: a plan, several searches at once, and an answer from what they found. With a key for it the web is searched,
//! too, and the pages that are found become sources of the library.

use std::time::Duration;

use futures::future::join_all;
use ibid_citations::CitationSource;
use ibid_domain::{
    Problem, Run, RunEventData, RunEventKind, RunId, RunPhase, SearchFilter, SourceId, SourceStatus, SourceType,
    run_event::{
        ClarificationNeeded, ClarificationReceived, PlanCreated, SubagentFailed, SubagentReported, SubagentSpawned,
        ToolCalled, ToolResult,
    },
};
use ibid_fetch::WebSearchResult;
use ibid_language::sentences::sentences;
use ibid_models::{ChatMessage, ChatModel, ChatRequest, complete_chat};
use serde::Deserialize;
use serde_json::json;

use super::{AskRequest, begin_phase, end_phase, retrieval::source_of, run_recorder::RunHandle};
use crate::{
    App, FoundPassage, Result, SourceContent, SourceDraft,
    runs::{checked_text, has_ended, no_run},
    services::RunService,
};

/// The most searches of a plan.
const TASKS: usize = 5;
/// Maximum number of passages found by each search.
const PASSAGES: usize = 8;
/// Maximum number of passages the answer is written from.
const MOST_PASSAGES: usize = 24;
/// Maximum number of web pages fetched by each search.
const PAGES: usize = 4;
/// Maximum time to wait until a web page is fetched and indexed.
const READING: Duration = Duration::from_secs(20);
/// Maximum time to wait for the user's answer to a clarifying question.
const WAITING: Duration = Duration::from_secs(10 * 60);

const PLAN: &str = "\
You plan the research of a question in a library of documents. Answer with one JSON object and nothing else: \
{\"searches\": [\"…\"], \"clarification\": null}. `searches` are one to five short search queries that together find \
everything the question needs, each about one thing, in the language of the question. Only if the question cannot be \
researched without knowing what is meant, `clarification` is one short question to the user.";

/// The search queries of a research run, as planned by the model.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
struct ResearchPlan {
    searches: Vec<String>,
    clarification: Option<String>,
}

impl RunService<'_> {
    /// Answers what a run asked back.
    pub async fn clarify(self, id: RunId, text: &str) -> Result<Run> {
        let text = checked_text(text, "text")?;
        let mut tx = self.app.store.write().await?;
        let run = tx.runs(self.scope).get_for_update(id).await?.ok_or_else(|| no_run(&id.to_string()))?;
        if run.status.has_ended() {
            return Err(has_ended(&run).into());
        }
        let events = tx.runs(self.scope).list_events(id, 0, 1000).await?;
        let asked = events.iter().filter(|event| event.data.kind() == RunEventKind::ClarificationNeeded).count();
        let told = events.iter().filter(|event| event.data.kind() == RunEventKind::ClarificationReceived).count();
        if asked <= told {
            let detail = format!("run {id} has not asked anything");
            return Err(Problem::new(ibid_domain::Code::RunAskedNothing, detail).into());
        }
        tx.runs(self.scope)
            .record_events(id, vec![RunEventData::ClarificationReceived(ClarificationReceived { text })])
            .await?;
        tx.commit().await?;
        self.get(id).await
    }
}

impl App {
    pub(super) async fn answer_research(&self, live: &RunHandle, run: &Run, ask: &AskRequest) -> Result<()> {
        begin_phase(live, RunPhase::Planning);
        let model = self.tools().chat.clone();
        let mut question = self.question_with_context(live, run, &ask.content).await?;
        let mut plan = self.search_plan(model.as_deref(), &question).await;
        if let Some(back) = plan.clarification.take().filter(|back| !back.trim().is_empty())
            && let Some(told) = self.ask_back(live, &back).await?
        {
            question = format!("{question}\n{told}");
            plan = ResearchPlan { clarification: None, ..self.search_plan(model.as_deref(), &question).await };
        }
        let tasks = plan_searches(&question, plan.searches);
        live.record(RunEventData::PlanCreated(PlanCreated {
            plan_id: format!("{}-plan", run.id),
            phase: RunPhase::Research,
            task_count: tasks.len(),
            task_descriptions: tasks.clone(),
        }));
        end_phase(live, RunPhase::Planning);
        begin_phase(live, RunPhase::Research);
        let mut searches = Vec::with_capacity(tasks.len());
        for (place, task) in tasks.iter().enumerate() {
            searches.push(self.search_task(live, place, task, &ask.filter));
        }
        let found = join_all(searches).await;
        let found = interleave_results(found.into_iter().collect::<Result<_>>()?);
        match model {
            Some(model) => {
                let sources: Vec<CitationSource> = found.iter().map(source_of).collect();
                let ledger = self.keep_found(live, sources).await?;
                end_phase(live, RunPhase::Research);
                self.write_answer(live, run, ask, model.as_ref(), &ledger, &found).await
            }
            None => self.answer_in_its_words(live, run, &question, &found).await,
        }
    }

    /// Asks the model for search queries; returns an empty plan without a model or a usable answer.
    async fn search_plan(&self, model: Option<&dyn ChatModel>, question: &str) -> ResearchPlan {
        let Some(model) = model else { return ResearchPlan::default() };
        let request = ChatRequest {
            system: PLAN.to_owned(),
            messages: vec![ChatMessage::User(question.to_owned())],
            response_json: true,
            ..ChatRequest::default()
        };
        match complete_chat(model, request).await {
            Ok(told) => {
                let (start, end) = (told.text.find('{').unwrap_or(0), told.text.rfind('}').map_or(0, |end| end + 1));
                serde_json::from_str(told.text.get(start..end).unwrap_or_default()).unwrap_or_default()
            }
            Err(error) => {
                tracing::warn!(%error, "the model made no plan; the question stands for it");
                ResearchPlan::default()
            }
        }
    }

    /// One search of the plan, as an agent of its own.
    async fn search_task(
        &self,
        live: &RunHandle,
        place: usize,
        task: &str,
        filter: &SearchFilter,
    ) -> Result<Vec<FoundPassage>> {
        let agent = format!("search-{}", place + 1);
        let mut tools = vec![super::retrieval::TOOL];
        if self.tools().web_search.is_some() {
            tools.push("web_search");
        }
        live.record(RunEventData::SubagentSpawned(SubagentSpawned {
            subagent_id: agent.clone(),
            task_index: Some(place),
            task_description: Some(task.to_owned()),
            tool_ids: Some(tools.into_iter().map(str::to_owned).collect()),
        }));
        let failed = |error| {
            live.record(RunEventData::SubagentFailed(SubagentFailed { subagent_id: agent.clone(), error }));
        };
        let mut found = match self.search_passages(live, &agent, task, filter, PASSAGES).await {
            Ok(found) => found,
            Err(error) => {
                failed(error.to_problem().detail);
                return Ok(Vec::new());
            }
        };
        match self.search_web_pages(live, &agent, task).await {
            Ok(pages) => found.extend(pages),
            Err(why) => failed(why),
        }
        let mut ids: Vec<_> = found.iter().map(|passage| passage.source.id).collect();
        ids.sort_unstable();
        ids.dedup();
        live.record(RunEventData::SubagentResult(SubagentReported {
            subagent_id: agent,
            entity_ids: Some(ids),
            passages: Some(found.len()),
            ..SubagentReported::default()
        }));
        Ok(found)
    }

    /// Searches the web, if there is a key for it: pages become sources, and what they say on the matter is found.
    async fn search_web_pages(&self, live: &RunHandle, agent: &str, task: &str) -> Result<Vec<FoundPassage>, String> {
        let Some(web) = &self.tools().web_search else { return Ok(Vec::new()) };
        let (tool_name, request_id) = ("web_search".to_owned(), format!("{agent}-web"));
        live.record(RunEventData::ToolCalled(ToolCalled {
            tool_name: tool_name.clone(),
            request_id: request_id.clone(),
            parameters: json!({ "query": task, "count": PAGES }),
        }));
        let pages = web.search(task, PAGES).await.map_err(|error| format!("the web could not be searched: {error}"))?;
        let count = Some(pages.len());
        live.record(RunEventData::ToolResult(ToolResult { tool_name, request_id, count, ..ToolResult::default() }));
        let mut reading = Vec::with_capacity(pages.len());
        for page in pages {
            reading.push(self.read_page(live, page));
        }
        let sources: Vec<SourceId> = join_all(reading).await.into_iter().flatten().collect();
        if sources.is_empty() {
            return Ok(Vec::new());
        }
        let filter = SearchFilter { sources, ..SearchFilter::default() };
        let found = self.search_passages(live, &format!("{agent}-pages"), task, &filter, PASSAGES).await;
        found.map_err(|error| error.to_problem().detail)
    }

    /// Makes a page a source, and waits until it is read; none if it cannot be.
    async fn read_page(&self, live: &RunHandle, page: WebSearchResult) -> Option<SourceId> {
        let mut draft = SourceDraft {
            url: Some(page.url),
            content: SourceContent::AtUrl,
            kind: Some(SourceType::WebPage),
            run_id: Some(live.id.uuid()),
            ..SourceDraft::default()
        };
        draft.reference.title = page.title;
        let made = match self.sources(&live.scope).create(draft).await {
            Ok((described, _)) => described.source.id,
            Err(error) => {
                tracing::info!(%error, "a page that was found cannot be a source");
                return None;
            }
        };
        let read = async {
            loop {
                match self.sources(&live.scope).get(made).await.ok()?.source.status {
                    SourceStatus::Pending => tokio::time::sleep(Duration::from_millis(100)).await,
                    SourceStatus::Failed => return None,
                    SourceStatus::Indexed | SourceStatus::Ready => return Some(made),
                }
            }
        };
        tokio::time::timeout(READING, read).await.ok().flatten()
    }

    /// Asks the user something, and waits for the answer; none if there is none in time.
    async fn ask_back(&self, live: &RunHandle, question: &str) -> Result<Option<String>> {
        let mut heard = self.store.watch_run(live.id);
        let question = question.to_owned();
        live.record(RunEventData::ClarificationNeeded(ClarificationNeeded { question }));
        live.flush().await;
        let told = async {
            let mut seen = 0;
            loop {
                for event in self.runs(&live.scope).events(live.id, seen).await? {
                    seen = event.seq;
                    if let RunEventData::ClarificationReceived(received) = event.data {
                        return Ok(Some(received.text));
                    }
                }
                tokio::select! {
                    _ = heard.recv() => {}
                    () = tokio::time::sleep(Duration::from_millis(500)) => {}
                }
            }
        };
        tokio::time::timeout(WAITING, told).await.unwrap_or(Ok(None))
    }
}

/// The searches: those of the plan, or the question and its parts.
fn plan_searches(question: &str, planned: Vec<String>) -> Vec<String> {
    let mut tasks: Vec<String> = Vec::new();
    let parts = sentences(question).filter_map(|range| question.get(range)).map(str::to_owned);
    let wanted = match planned.iter().any(|task| !task.trim().is_empty()) {
        true => planned,
        false => std::iter::once(question.to_owned()).chain(parts).collect(),
    };
    for task in wanted {
        let task: String = task.trim().chars().take(500).collect();
        if !task.is_empty() && !tasks.contains(&task) {
            tasks.push(task);
        }
    }
    tasks.truncate(TASKS);
    tasks
}

/// Merges the results of several searches round-robin by rank and drops duplicates.
fn interleave_results(mut lists: Vec<Vec<FoundPassage>>) -> Vec<FoundPassage> {
    let mut merged: Vec<FoundPassage> = Vec::new();
    let most = lists.iter().map(Vec::len).max().unwrap_or(0);
    lists.iter_mut().for_each(|list| list.reverse());
    for _ in 0..most {
        for list in &mut lists {
            let Some(passage) = list.pop() else { continue };
            if merged.iter().all(|known| known.chunk.id != passage.chunk.id) {
                merged.push(passage);
            }
        }
    }
    merged.truncate(MOST_PASSAGES);
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_plan_the_question_and_its_parts_are_looked_for() {
        let question = "Who built the pier? When was it widened?";
        assert_eq!(
            plan_searches(question, vec![" ".into()]),
            [question, "Who built the pier?", "When was it widened?"]
        );
        assert_eq!(plan_searches("One thing?", vec![]), ["One thing?"]);
        assert_eq!(plan_searches(question, vec!["pier builder".into(), "pier builder".into()]), ["pier builder"]);
        assert_eq!(plan_searches(question, (0..9).map(|n| n.to_string()).collect()).len(), TASKS);
    }
}
