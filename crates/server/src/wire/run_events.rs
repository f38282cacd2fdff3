//! Events of a run: one schema for each type, told apart by `type`.

use ibid_domain::{self as domain, Timestamp};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{Discriminator, KnownFormat, ObjectBuilder, OneOfBuilder, Ref, RefOr, Schema, SchemaFormat, Type},
};
use uuid::Uuid;

use super::{
    citations::CitationSource,
    runs::{CitationDifference, CitedFile, RewrittenClaim, Usage},
    values::{CheckVerdict, DeliverableKind, RunMode, RunPhase, RunStatus, SourceType},
};

/// Something that happened in a run. `type` is also the name of the server-sent event, and `seq` its id.
#[derive(Serialize)]
pub(crate) struct RunEvent<'a> {
    run_id: Uuid,
    seq: u64,
    #[serde(flatten)]
    data: &'a domain::RunEventData,
    at: Timestamp,
}

impl<'a> RunEvent<'a> {
    pub(crate) const fn new(run: domain::RunId, event: &'a domain::RunEvent) -> Self {
        Self { run_id: run.uuid(), seq: event.seq, data: &event.data, at: event.at }
    }
}

/// Names the schema of each type of event, and that of its data.
macro_rules! event_schemas {
    ($($variant:ident, $event:literal, $data:ty, $about:literal;)*) => {
        /// Schema of the events of one type, and of their data.
        fn event_schemas() -> Vec<(&'static str, RefOr<Schema>)> {
            vec![$((
                $event,
                event_schema(domain::RunEventKind::$variant, $about, <$data as ToSchema>::name().as_ref()),
            ),)*]
        }

        /// Name of the schema of each type.
        const EVENT_NAMES: &[(domain::RunEventKind, &str)] = &[$((domain::RunEventKind::$variant, $event),)*];

        fn data_schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
            $(
                schemas.push((<$data as ToSchema>::name().into_owned(), <$data as PartialSchema>::schema()));
                <$data as ToSchema>::schemas(schemas);
            )*
        }
    };
}

event_schemas! {
    RunStarted, "RunStartedEvent", RunStartedData, "The run began.";
    PlanCreated, "PlanCreatedEvent", PlanCreatedData, "It is known what is to be searched for.";
    PhaseStarted, "PhaseStartedEvent", PhaseData, "A part of the work began.";
    PhaseCompleted, "PhaseCompletedEvent", PhaseData, "A part of the work is done.";
    ToolCalled, "ToolCalledEvent", ToolCalledData, "A tool was called.";
    ToolResult, "ToolResultEvent", ToolResultData, "A tool returned its result.";
    ReferencesFound, "ReferencesFoundEvent", ReferencesFoundData, "There are sources that the run did not have before.";
    SubagentSpawned, "SubagentSpawnedEvent", SubagentSpawnedData, "An agent under this one began.";
    SubagentResult, "SubagentResultEvent", SubagentResultData, "An agent under this one is done.";
    SubagentFailed, "SubagentFailedEvent", SubagentFailedData, "An agent under this one gave up.";
    ContentDelta, "ContentDeltaEvent", ContentDeltaData, "More words of the answer, with no half of a marker at their end.";
    ClaimChecked, "ClaimCheckedEvent", ClaimCheckedData, "A claim of the answer was checked against what it cites.";
    AnswerRevised, "AnswerRevisedEvent", AnswerRevisedData, "Sentences of the answer were rewritten after the check.";
    CitationsCreated, "CitationsCreatedEvent", CitationsCreatedData, "The citations of the answer are stored.";
    EntityCreated, "EntityCreatedEvent", EntityCreatedData, "Sources of the answer have summaries; it may come after the end.";
    ArtifactCreated, "ArtifactCreatedEvent", ArtifactCreatedData, "A file of a deliverable was stored; it comes after the end.";
    ManifestCreated, "ManifestCreatedEvent", ManifestCreatedData, "The files of a deliverable were stored together; it comes after the end.";
    ClarificationNeeded, "ClarificationNeededEvent", ClarificationNeededData, "The run asks something before it goes on.";
    ClarificationReceived, "ClarificationReceivedEvent", ClarificationReceivedData, "That was answered.";
    Usage, "UsageEvent", Usage, "Tokens and cost of the run.";
    RunCompleted, "RunCompletedEvent", RunCompletedData, "The run ended with an answer.";
    RunFailed, "RunFailedEvent", RunFailedData, "The run ended without a whole answer; what there was of one is stored.";
}

fn event_schema(kind: domain::RunEventKind, about: &str, data: &str) -> RefOr<Schema> {
    let string = || ObjectBuilder::new().schema_type(Type::String);
    let integer = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1_u32));
    ObjectBuilder::new()
        .description(Some(about))
        .property("run_id", string().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid))))
        .property("seq", integer.description(Some("Number of the event in the run, from 1 without gaps.")))
        .property("type", string().enum_values(Some([kind.as_str()])))
        .property("data", Ref::from_schema_name(data))
        .property("at", string().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime))))
        .required("run_id")
        .required("seq")
        .required("type")
        .required("data")
        .required("at")
        .into()
}

impl PartialSchema for RunEvent<'_> {
    fn schema() -> RefOr<Schema> {
        let mut union = OneOfBuilder::new().description(Some(
            "Something that happened in a run. `type` is also the name of the server-sent event, and `seq` its id.",
        ));
        for (_, name) in EVENT_NAMES {
            union = union.item(Ref::from_schema_name(*name));
        }
        let mapping = EVENT_NAMES.iter().map(|(kind, name)| (kind.as_str(), format!("#/components/schemas/{name}")));
        union.discriminator(Some(Discriminator::with_mapping("type", mapping))).into()
    }
}

impl ToSchema for RunEvent<'_> {
    fn name() -> std::borrow::Cow<'static, str> {
        "RunEvent".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.extend(event_schemas().into_iter().map(|(name, schema)| (name.to_owned(), schema)));
        data_schemas(schemas);
    }
}

/// Describes the data of events; the values themselves are those of the domain.
macro_rules! event_data {
    ($($(#[$top:meta])* $name:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$top])*
        #[derive(ToSchema)]
        #[expect(dead_code, reason = "describes the data of an event")]
        pub(crate) struct $name { $($(#[$meta])* $field: $type,)* }
    )*};
}

event_data! {
    /// Data of the event that begins a run.
    RunStartedData {
        run_id: Uuid,
        conversation_id: Uuid,
        /// Message with the question; null if there is none.
        #[schema(required)]
        question_id: Option<String>,
        /// Message that the answer is written into.
        message_id: String,
        /// Way in which the run answers.
        mode: RunMode,
    }
    /// Searches that a run plans.
    PlanCreatedData {
        plan_id: String,
        /// Phase that carries out the plan.
        phase: RunPhase,
        task_count: u64,
        /// Searches of the plan, in words.
        task_descriptions: Vec<String>,
    }
    /// Beginning or end of a phase.
    PhaseData {
        phase: RunPhase,
    }
    /// A call of a tool.
    ToolCalledData {
        tool_name: String,
        /// Id of the call, the same in its result.
        request_id: String,
        /// Arguments of the call, as the tool takes them.
        #[schema(value_type = Value)]
        parameters: Json,
    }
    /// Output of a tool in short, or the number of its results.
    ToolResultData {
        tool_name: String,
        /// Id of the call.
        request_id: String,
        /// Number of results, if the server called the tool.
        count: Option<u64>,
        /// Beginning of the result, if an agent reported it.
        output: Option<String>,
        /// Numbers that the results have in the run, if an agent reported them.
        numbers: Option<Vec<u32>>,
        /// Reason why there is nothing to cite, where there could have been.
        warning: Option<String>,
    }
    /// Sources that the run did not have before.
    ReferencesFoundData {
        /// The sources, each with its number in the run.
        references: Vec<CitationSource>,
    }
    /// An agent that works for the run.
    SubagentSpawnedData {
        subagent_id: String,
        /// Position of its task in the plan, from 0.
        task_index: Option<u64>,
        #[schema(required)]
        task_description: Option<String>,
        /// Tools that it may call.
        tool_ids: Option<Vec<String>>,
    }
    /// What an agent brought that works for the run.
    SubagentResultData {
        subagent_id: String,
        /// Sources that it found in the library.
        entity_ids: Option<Vec<Uuid>>,
        /// Number of passages that it found.
        passages: Option<u64>,
        /// Its text, with the numbers of the run.
        text: Option<String>,
        /// Numbers of its sources in the run.
        numbers: Option<Vec<u32>>,
        /// Numbers of its text that named nothing.
        dangling: Option<Vec<u32>>,
    }
    /// Why an agent that works for the run gave up.
    SubagentFailedData {
        subagent_id: String,
        error: String,
    }
    /// More words of the answer.
    ContentDeltaData {
        text: String,
        /// Citation markers in these words that name sources of the run, in order. Their places count the characters
        /// of the whole answer.
        markers: Vec<MarkerPlace>,
    }
    /// Result of checking a claim, told after its words. It takes the place of earlier results that its span overlaps;
    /// what the citations of the message say takes the place of all of them. Of several citations, the one that supports
    /// the claim best decides; if none does, one that contradicts it counts more than one that says nothing of the
    /// matter. Verdict, quote and differences are of that one.
    ClaimCheckedData {
        /// Offset of the claim's first character in the whole answer.
        start_index: u64,
        /// Offset after the claim's last character in the whole answer, its markers included.
        end_index: u64,
        /// Numbers of the sources that the claim cites, in the order in which they are written.
        numbers: Vec<u32>,
        verdict: CheckVerdict,
        /// Confidence in the verdict, from 0 to 1.
        score: f64,
        /// Number of the source that decides.
        number: u32,
        /// That source; null if it is none of the library's.
        #[schema(required)]
        source_id: Option<Uuid>,
        /// The revision that was read; null if the source is none of the library's.
        #[schema(required)]
        revision_id: Option<Uuid>,
        /// Words of the source that come closest to the claim.
        #[schema(required)]
        quote: Option<String>,
        /// Offset of the quote's first character in the text of the source; null without a quote.
        #[schema(required)]
        start_char: Option<u64>,
        /// Offset after the quote's last character in the text of the source; null without a quote.
        #[schema(required)]
        end_char: Option<u64>,
        /// The details in which claim and source differ; empty if there are none.
        why: Vec<CitationDifference>,
    }
    /// The answer after sentences of it were rewritten. The results of checking its claims are told anew after it.
    AnswerRevisedData {
        /// The whole answer, which takes the place of all text before.
        text: String,
        /// Citation markers of the answer that name sources of the run, in order.
        markers: Vec<MarkerPlace>,
        /// What was rewritten, in the order of the text.
        rewritten: Vec<RewrittenClaim>,
    }
    /// Citations that were stored for the answer.
    CitationsCreatedData {
        message_id: String,
        count: u64,
        citations: Vec<CitationSummary>,
        /// Markers that name no source of the run.
        dangling: Vec<String>,
    }
    /// A citation in a few words.
    CitationSummary {
        id: Uuid,
        /// Number of the source in the message.
        number: u32,
        /// Offset of the marker's first character in the message.
        start_index: u64,
        /// Offset after the marker's last character in the message.
        end_index: u64,
        #[schema(required)]
        source_id: Option<Uuid>,
        title: String,
        #[schema(required)]
        quote: Option<String>,
        #[schema(required)]
        verdict: Option<CheckVerdict>,
        #[schema(required)]
        score: Option<f64>,
    }
    /// Summaries of the sources of the answer.
    EntityCreatedData {
        message_id: String,
        entity_count: u64,
        entities: Vec<SummarizedSource>,
    }
    /// Summary of one source of the answer.
    SummarizedSource {
        id: Uuid,
        title: String,
        summary: String,
    }
    /// A file of a deliverable.
    ArtifactCreatedData {
        sha256: String,
        /// Path of the file in the deliverable.
        path: String,
        media_type: String,
        size_bytes: u64,
        entity_type: SourceType,
    }
    /// The files of a deliverable, together.
    ManifestCreatedData {
        manifest_sha256: String,
        /// Pointer that names the newest version of the deliverable.
        pointer_id: Uuid,
        kind: DeliverableKind,
    }
    /// A question of the run to the user.
    ClarificationNeededData {
        question: String,
    }
    /// The user's answer to a question of the run.
    ClarificationReceivedData {
        text: String,
    }
    /// End of a run that has answered.
    RunCompletedData {
        run_id: Uuid,
        message_id: String,
        conversation_id: Uuid,
        cited_files: Vec<CitedFile>,
        /// True while jobs still work on the sources of the answer.
        has_async_entities_in_progress: bool,
    }
    /// End of a run that has no whole answer.
    RunFailedData {
        run_id: Uuid,
        message_id: String,
        conversation_id: Uuid,
        /// Reason, for people.
        error: String,
        /// Failed, or cancelled if a user stopped it.
        status: RunStatus,
    }
}

/// Place of a citation marker in an answer, with the numbers that it names.
#[derive(Serialize, ToSchema)]
pub(crate) struct MarkerPlace {
    /// Offset of the marker's first character in the whole answer, in Unicode code points.
    pub(crate) start_index: usize,
    /// Offset after the marker's last character in the whole answer.
    pub(crate) end_index: usize,
    /// Numbers of the sources, in the order in which they are written.
    pub(crate) numbers: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ibid_domain::{
        CitationId, ConversationId, Origin, PointerId, RevisionId, RunEventData, RunId, Sha256, SourceId, Verdict,
        citation,
        run_event::{
            AnswerRevised, ArtifactCreated, CitationSummary, CitationsCreated, ClaimChecked, ClarificationNeeded,
            ClarificationReceived, ManifestCreated, PhaseChange, PlanCreated, ReferencesFound, RunCompleted, RunFailed,
            RunStarted, SourceSummaryNote, SubagentFailed, SubagentReported, SubagentSpawned, SummariesCreated,
            ToolCalled, ToolResult,
        },
    };
    use serde_json::json;

    use super::*;

    /// One event of each kind, with every field set.
    fn samples() -> Vec<RunEventData> {
        let (run_id, conversation_id, message_id) = (RunId::new(), ConversationId::new(), "m".to_owned());
        let text = || "x".to_owned();
        let tool = || ("search".to_owned(), "1".to_owned());
        let phase = PhaseChange { phase: domain::RunPhase::Research };
        let file = citation::CitedFile {
            number: 1,
            file_id: Some(SourceId::new()),
            file_name: text(),
            title: text(),
            source_type: Origin::Web,
            mime_type: text(),
            relevance_score: Some(0.5),
            is_image: false,
            fetch_strategy: Origin::Web.fetch_strategy(),
            excerpt_count: 1,
            url: Some(text()),
            is_deleted: false,
        };
        let citation = CitationSummary {
            id: CitationId::new(),
            number: 1,
            start_index: 0,
            end_index: 3,
            source_id: Some(SourceId::new()),
            title: text(),
            quote: Some(text()),
            verdict: Some(Verdict::Supported),
            score: Some(0.9),
        };
        let marker = domain::MarkerPlace { start_index: 0, end_index: 3, numbers: vec![1] };
        vec![
            RunEventData::RunStarted(RunStarted {
                run_id,
                conversation_id,
                question_id: Some(text()),
                message_id: message_id.clone(),
                mode: domain::RunMode::Extractive,
            }),
            RunEventData::PlanCreated(PlanCreated {
                plan_id: text(),
                phase: phase.phase,
                task_count: 1,
                task_descriptions: vec![text()],
            }),
            RunEventData::PhaseStarted(phase),
            RunEventData::PhaseCompleted(phase),
            RunEventData::ToolCalled(ToolCalled { tool_name: tool().0, request_id: tool().1, parameters: json!({}) }),
            RunEventData::ToolResult(ToolResult {
                tool_name: tool().0,
                request_id: tool().1,
                count: Some(1),
                output: Some(text()),
                numbers: Some(vec![1]),
                warning: Some(text()),
            }),
            RunEventData::ReferencesFound(ReferencesFound { references: vec![] }),
            RunEventData::SubagentSpawned(SubagentSpawned {
                subagent_id: text(),
                task_index: Some(0),
                task_description: Some(text()),
                tool_ids: Some(vec![text()]),
            }),
            RunEventData::SubagentResult(SubagentReported {
                subagent_id: text(),
                entity_ids: Some(vec![]),
                passages: Some(1),
                text: Some(text()),
                numbers: Some(vec![1]),
                dangling: Some(vec![]),
            }),
            RunEventData::SubagentFailed(SubagentFailed { subagent_id: text(), error: text() }),
            RunEventData::content("[1]", vec![marker]),
            RunEventData::ClaimChecked(ClaimChecked {
                start_index: 0,
                end_index: 3,
                numbers: vec![1],
                verdict: Verdict::Contradicted,
                score: 0.1,
                number: 1,
                source_id: Some(SourceId::new()),
                revision_id: Some(RevisionId::new()),
                quote: Some(text()),
                start_char: Some(0),
                end_char: Some(1),
                why: vec![],
            }),
            RunEventData::AnswerRevised(AnswerRevised { text: text(), markers: vec![], rewritten: vec![] }),
            RunEventData::CitationsCreated(CitationsCreated {
                message_id: message_id.clone(),
                count: 1,
                citations: vec![citation],
                dangling: vec![],
            }),
            RunEventData::EntityCreated(SummariesCreated {
                message_id: message_id.clone(),
                entity_count: 1,
                entities: vec![SourceSummaryNote { id: SourceId::new(), title: text(), summary: text() }],
            }),
            RunEventData::ArtifactCreated(ArtifactCreated {
                sha256: Sha256::of_bytes(b"x"),
                path: text(),
                media_type: text(),
                size_bytes: 1,
                entity_type: domain::SourceType::Website,
            }),
            RunEventData::ManifestCreated(ManifestCreated {
                manifest_sha256: Sha256::of_bytes(b"x"),
                pointer_id: PointerId::new(),
                kind: "report".to_owned(),
            }),
            RunEventData::ClarificationNeeded(ClarificationNeeded { question: text() }),
            RunEventData::ClarificationReceived(ClarificationReceived { text: text() }),
            RunEventData::Usage(domain::Usage::default()),
            RunEventData::RunCompleted(RunCompleted {
                run_id,
                message_id: message_id.clone(),
                conversation_id,
                cited_files: vec![file],
                has_async_entities_in_progress: false,
            }),
            RunEventData::RunFailed(RunFailed {
                run_id,
                message_id,
                conversation_id,
                error: text(),
                status: domain::RunStatus::Failed,
            }),
        ]
    }

    #[test]
    fn the_schema_has_the_fields_of_every_event() {
        let mut schemas = Vec::new();
        RunEvent::schemas(&mut schemas);
        let schemas: serde_json::Map<String, Json> =
            schemas.into_iter().map(|(name, schema)| (name, json!(schema))).collect();
        let named = |reference: &Json| &schemas[reference.as_str().unwrap().rsplit('/').next().unwrap()];
        let union = json!(RunEvent::schema());
        let samples = samples();
        assert_eq!(samples.len(), domain::RunEventKind::ALL.len());
        for data in samples {
            let sent = json!(RunEvent::new(
                RunId::new(),
                &domain::RunEvent { seq: 1, data: data.clone(), at: Timestamp::from_micros(0) }
            ));
            let name = data.kind().as_str();
            let event = named(&union["discriminator"]["mapping"][name]);
            assert_eq!(event["properties"]["type"]["enum"], json!([name]));
            assert_eq!(keys(&sent), keys(&event["properties"]), "{name}");
            let described = named(&event["properties"]["data"]["$ref"]);
            assert_eq!(keys(&sent["data"]), keys(&described["properties"]), "{name}");
        }
    }

    fn keys(object: &Json) -> BTreeSet<String> {
        object.as_object().unwrap().keys().cloned().collect()
    }
}
