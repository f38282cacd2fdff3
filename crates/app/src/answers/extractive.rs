//! Answers in the library's own words: the sentences that answer best, quoted exactly, each cited.

use ibid_citations::{CitationSource, Ledger, cited_stream::ShownText, cited_text, parse_markers};
use ibid_claims::{
    answer::{
        AnswerCandidates, AnswerOptions, AnswerSentence, AnswerSignals, CandidatePassage, ExtractiveAnswer as Picks,
        JudgedAnswer, QuotedSentence, RenderedAnswer, yes_or_no,
    },
    extract_claims,
};
use ibid_domain::{Citation, CitationId, CitationState, Mark, RevisionId, Run, RunPhase, Span, Usage, Verdict};
use ibid_models::{PairJudgement, Purpose};

use super::{
    AskRequest, begin_phase, end_phase,
    retrieval::source_of,
    run_recorder::RunHandle,
    wording::{AnswerWords, fill},
};
use crate::{
    App, CheckedText, FoundPassage, Result,
    citations::{CitedContents, build_anchor, snapshot_source},
    runs::NewAnswer,
    services::RunService,
};

/// Maximum number of passages searched for an answer.
const PASSAGES: usize = 20;
/// Maximum number of sentences compared with the question by embedding; each costs a few milliseconds.
const COMPARED: usize = 24;

/// The most passages that are shown where none answers.
const CLOSEST: usize = 2;
/// The most words of the question that are named as missing.
const NAMED: usize = 3;
impl RunService<'_> {
    /// Reads the page and section marks of the picked sentences, because a passage may span several pages.
    async fn marks_of(self, picks: &Picks, found: &[FoundPassage]) -> Result<Vec<(RevisionId, Mark)>> {
        let place = |picked: &AnswerSentence| {
            let FoundPassage { chunk, revision, .. } = found.get(picked.passage)?;
            chunk.place.page?;
            let start = chunk.span.start;
            Some((revision.id, Span::new(picked.span.start + start, picked.span.end + start)))
        };
        let spans: Vec<_> = picks.sentences.iter().filter_map(place).collect();
        if spans.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.app.store.read_inline().await?.revisions(self.scope).marks_within(&spans).await?)
    }
}

impl App {
    pub(super) async fn answer_extractive(&self, live: &RunHandle, run: &Run, ask: &AskRequest) -> Result<()> {
        begin_phase(live, RunPhase::Research);
        let query = self.question_with_context(live, run, &ask.content).await?;
        let found = self.search_passages(live, "search-1", &query, &ask.filter, PASSAGES).await?;
        self.answer_in_its_words(live, run, &query, &found).await
    }

    /// Quotes what answers a question among passages that were found.
    pub(super) async fn answer_in_its_words(
        &self,
        live: &RunHandle,
        run: &Run,
        question: &str,
        found: &[FoundPassage],
    ) -> Result<()> {
        let picks = self.pick_sentences(question, found).await;
        let words = AnswerWords::of_question(question);
        let written = match picks.is_answered {
            true => picks.to_markdown_after(introduction(question, &picks, words)),
            false if found.is_empty() => {
                RenderedAnswer { text: words.nothing_there.clone(), ..RenderedAnswer::default() }
            }
            false => picks.to_markdown_after(&explain_refusal(&picks, words)),
        };
        // Those that are cited come first, so that their numbers are the ones that the answer has.
        let cited = written.sources.iter().flat_map(|source| {
            let source = *source;
            found.iter().enumerate().filter(move |(place, _)| place_of_source(found, *place) == source)
        });
        let others =
            found.iter().enumerate().filter(|(place, _)| !written.sources.contains(&place_of_source(found, *place)));
        let sources: Vec<CitationSource> = cited.chain(others).map(|(_, passage)| source_of(passage)).collect();
        let ledger = self.keep_found(live, sources).await?;
        end_phase(live, RunPhase::Research);
        self.show_quotes(live, &written.text, &ledger).await;
        let marks = self.runs(&live.scope).marks_of(&picks, found).await?;
        let citations = quoted_citations(run, &picks, &written, found, &marks, &ledger, self.store.clock().now());
        self.end_quoted(live, run, written.text, citations).await
    }

    /// Shows a text that quotes sources.
    pub(super) async fn show_quotes(&self, live: &RunHandle, text: &str, ledger: &Ledger) {
        begin_phase(live, RunPhase::Synthesis);
        live.push_text(ShownText { text: text.to_owned(), markers: ledger.place_markers(text, 0) });
        end_phase(live, RunPhase::Synthesis);
        live.flush().await;
    }

    /// Ends a run with a text that quotes sources: the words are theirs, so there are no claims to check.
    pub(super) async fn end_quoted(
        &self,
        live: &RunHandle,
        run: &Run,
        text: String,
        citations: Vec<Citation>,
    ) -> Result<()> {
        let answer = NewAnswer {
            text,
            model: Some("extractive".to_owned()),
            usage: Usage::default(),
            unreleased: ShownText::default(),
            checked: CheckedText {
                claims: Vec::new(),
                uncited: Vec::new(),
                dangling: Vec::new(),
                dangling_ids: Vec::new(),
                by_meaning: self.tools().compares_meaning(),
            },
            rewritten: Vec::new(),
            read: CitedContents::new(),
            citations: Some(citations),
        };
        self.runs(&live.scope).end_answered(run.id, answer).await?;
        Ok(())
    }

    /// Picks the sentences of the passages that best answer the question.
    async fn pick_sentences(&self, question: &str, found: &[FoundPassage]) -> Picks {
        let passages: Vec<CandidatePassage<'_>> = found
            .iter()
            .enumerate()
            .map(|(place, passage)| CandidatePassage {
                source: place_of_source(found, place),
                text: &passage.chunk.content,
                score: passage.score as f32,
                start: passage.chunk.span.start,
                title: passage.source.display_title(),
            })
            .collect();
        let candidates = AnswerCandidates::new(question, &passages);
        let judged = self.judge_windows(question, &candidates).await;
        let similarities = match judged {
            Some(_) => None,
            None => self.compare_sentences(question, &candidates).await,
        };
        let signals = AnswerSignals { similarities: similarities.as_deref(), judged: judged.as_deref() };
        let mut picks = candidates.select_answer(&signals, AnswerOptions::default());
        if !picks.is_answered {
            // What has little to do with the question is not worth showing.
            picks.sentences.truncate(if picks.is_close { CLOSEST } else { 0 });
        }
        picks
    }

    /// Has the network read the candidates with the question; `None` without one.
    async fn judge_windows(&self, question: &str, candidates: &AnswerCandidates<'_>) -> Option<Vec<JudgedAnswer>> {
        let network = self.tools().network.clone()?;
        let windows = candidates.windows();
        if windows.is_empty() {
            return None;
        }
        let pairs: Vec<_> = windows.iter().map(|window| (question, window.text.as_str())).collect();
        match network.judge_pairs(&pairs).await {
            Ok(judged) => {
                let answer = |one: PairJudgement| JudgedAnswer { answers: one.answers, answer: one.answer };
                Some(judged.into_iter().map(answer).collect())
            }
            Err(error) => {
                tracing::warn!(%error, "answers are chosen without the judge");
                None
            }
        }
    }

    /// Compares the meaning of the best sentences with the question's; `None` without an embedder that reads the language
    /// of the question. On German and Spanish questions, words alone chose better than an English model.
    async fn compare_sentences(&self, question: &str, candidates: &AnswerCandidates<'_>) -> Option<Vec<f32>> {
        let tools = self.tools();
        let embedder = tools.embedder.clone().filter(|_| tools.reads_language_of(question))?;
        let mut texts = candidates.shortlisted_texts();
        texts.truncate(COMPARED);
        if texts.is_empty() {
            return None;
        }
        texts.insert(0, question);
        match embedder.embed(&texts, Purpose::Comparison).await {
            Ok(vectors) => vectors.split_first().map(|(question, sentences)| {
                let alike = |one: &Vec<f32>| question.iter().zip(one).map(|(a, b)| a * b).sum::<f32>();
                sentences.iter().map(alike).collect::<Vec<_>>()
            }),
            Err(error) => {
                tracing::warn!(%error, "the meaning of sentences could not be compared");
                None
            }
        }
    }
}

/// What is said before the quotes: yes or no where the first one says so, or that the sources disagree.
fn introduction<'words>(question: &str, picks: &Picks, words: &'words AnswerWords) -> &'words str {
    let reply = || picks.sentences.first().and_then(|first| yes_or_no(question, &first.quote));
    match picks.disagrees {
        true => &words.sources_disagree,
        false => reply().map_or("", |yes| if yes { &words.yes } else { &words.no }),
    }
}

/// Says that there is no answer, and what the closest passages lack.
fn explain_refusal(picks: &Picks, words: &AnswerWords) -> String {
    if picks.sentences.is_empty() {
        return words.no_answer.clone();
    }
    let missing: Vec<_> = picks.missing.iter().take(NAMED).map(|word| format!("“{word}”")).collect();
    let listed = match missing.split_last() {
        None => return format!("{} {}", words.no_answer, words.closest),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} {} {last}", others.join(", "), words.and),
    };
    format!("{} {}", words.no_answer, fill(&words.closest_lack, &[("words", &listed)]))
}

/// The place of the first passage of the same source, which stands for it.
fn place_of_source(found: &[FoundPassage], place: usize) -> usize {
    let id = found[place].source.id;
    found.iter().position(|passage| passage.source.id == id).unwrap_or(place)
}

/// The citations of what was quoted: their words are known, so there is nothing to check.
fn quoted_citations(
    run: &Run,
    picks: &Picks,
    written: &RenderedAnswer,
    found: &[FoundPassage],
    marks: &[(RevisionId, Mark)],
    ledger: &Ledger,
    now: ibid_domain::Timestamp,
) -> Vec<Citation> {
    let markers = parse_markers(&written.text);
    let claims = extract_claims(&cited_text(&written.text, &markers));
    let citation = |(picked, quoted): (&AnswerSentence, &QuotedSentence)| {
        let passage = found.get(picked.passage)?;
        let FoundPassage { chunk, source, revision, .. } = passage;
        let entry = ledger.get(quoted.number)?;
        let claim = claims.iter().map(|claim| claim.span).find(|span| span.overlaps(quoted.marker));
        let text = revision.text?;
        // In a passage, places are counted from where it begins.
        let within = |mark: &Mark| Mark {
            span: Span::new(
                mark.span.start.saturating_sub(chunk.span.start),
                mark.span.end.saturating_sub(chunk.span.start),
            ),
            ..mark.clone()
        };
        let marks: Vec<Mark> =
            marks.iter().filter(|(id, _)| *id == revision.id).map(|(_, mark)| within(mark)).collect();
        let mut anchor =
            build_anchor(&chunk.content, Some(picked.span), &marks, (Some(revision.id), text, revision.content));
        let shifted = |span: Span| Span::new(span.start + chunk.span.start, span.end + chunk.span.start);
        anchor.span = anchor.span.map(shifted);
        Some(Citation {
            id: CitationId::new(),
            message: run.message.clone(),
            conversation: run.conversation,
            run: Some(run.id),
            number: quoted.number,
            marker: quoted.marker,
            claim: claim.or(Some(Span::new(quoted.words.start, quoted.marker.end))),
            source: Some(source.id),
            cited_id: entry.source.id.clone(),
            snapshot: snapshot_source(source, Some(revision), entry),
            quote: Some(picked.quote.clone()),
            anchor: Some(anchor),
            // The words are the source's own: what is judged is whether they answer.
            verdict: Some(if picks.is_answered { Verdict::Supported } else { Verdict::Unsupported }),
            score: Some(f64::from(picks.confidence)),
            why: Vec::new(),
            state: CitationState::Current,
            summary: None,
            created_at: now,
        })
    };
    picks.sentences.iter().zip(&written.quotes).filter_map(citation).collect()
}
