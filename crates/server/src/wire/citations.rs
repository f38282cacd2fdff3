//! Citations as they go over the wire.

use ibid_citations::{
    self as citations, CitationSourceType, Ledger, MarkerKind,
    formats::{CitationWireFormat, OffsetUnit},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Kind of result that a tool returned.
#[derive(Clone, Copy, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CitationSourceKind {
    #[default]
    Web,
    File,
    Api,
    Database,
    Memory,
    Skill,
    Mcp,
}

macro_rules! kinds {
    ($($kind:ident),*) => {
        impl From<CitationSourceType> for CitationSourceKind {
            fn from(kind: CitationSourceType) -> Self {
                match kind { $(CitationSourceType::$kind => Self::$kind,)* }
            }
        }

        impl From<CitationSourceKind> for CitationSourceType {
            fn from(kind: CitationSourceKind) -> Self {
                match kind { $(CitationSourceKind::$kind => Self::$kind,)* }
            }
        }
    };
}

kinds!(Web, File, Api, Database, Memory, Skill, Mcp);

/// The fields that a source has here and in the crate of citations, each said once.
macro_rules! source {
    ($($(#[$meta:meta])* $field:ident: $type:ty,)*) => {
        /// Something that a tool returned and that a text can cite.
        #[derive(Clone, Default, Serialize, Deserialize, ToSchema)]
        #[serde(default)]
        pub(crate) struct CitationSource {
            /// What kind of thing it is.
            #[serde(rename = "type")]
            kind: CitationSourceKind,
            $($(#[$meta])* #[serde(skip_serializing_if = "is_none")] pub(crate) $field: $type,)*
        }

        impl From<citations::CitationSource> for CitationSource {
            fn from(source: citations::CitationSource) -> Self {
                Self { kind: source.kind.into(), $($field: source.$field,)* }
            }
        }

        impl From<CitationSource> for citations::CitationSource {
            fn from(source: CitationSource) -> Self {
                Self { kind: source.kind.into(), $($field: source.$field,)* }
            }
        }
    };
}

source! {
    /// Its id: that of the call, and which result of it.
    id: String,
    /// The tool that returned it.
    tool_name: String,
    /// The call that returned it.
    tool_request_id: String,
    /// Its number; without one it gets it by its place.
    number: Option<u32>,
    /// Its address, or the path of a file.
    uri: Option<String>,
    /// Its title, or the name of a file.
    title: Option<String>,
    /// The host of its address.
    domain: Option<String>,
    /// The address of the sign of its site.
    favicon: Option<String>,
    /// A few words of it.
    snippet: Option<String>,
    /// All of it.
    full_content: Option<String>,
    /// When it was looked at.
    timestamp: Option<String>,
    /// Who wrote it.
    author: Option<String>,
    /// When it was published.
    published_date: Option<String>,
    /// Page that the quote stands on, from 1.
    page_number: Option<u32>,
    /// The first line of it.
    line_start: Option<u32>,
    /// The last line of it.
    line_end: Option<u32>,
    /// What format it is in.
    mime_type: Option<String>,
    /// How well it fits what was asked, from 0 to 1.
    relevance_score: Option<f64>,
    /// The source of the library that it is.
    source_id: Option<String>,
    /// The revision of that source.
    revision_id: Option<String>,
    /// Where the snippet begins in the revision's text.
    start_char: Option<usize>,
    /// Where it ends.
    end_char: Option<usize>,
    /// The DOI of the work.
    doi: Option<String>,
    /// The SHA-256 of its content.
    content_hash: Option<String>,
    /// The agent under the run's own that found it.
    sub_agent_id: Option<String>,
}

/// Returns true if a field has its default value and can be left out of the JSON.
fn is_none<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The works of a ledger, each with its number.
pub(crate) fn numbered_sources(ledger: &Ledger) -> Vec<CitationSource> {
    let entry = |entry: &citations::ledger::LedgerEntry| CitationSource {
        number: Some(entry.number),
        ..CitationSource::from(entry.source.clone())
    };
    ledger.entries().iter().map(entry).collect()
}

/// A text, and the sources that it may cite.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParseBody {
    /// Text whose citation markers are parsed.
    pub(crate) text: String,
    /// The sources, numbered by their place; those that are the same work share a number.
    pub(crate) sources: Option<Vec<CitationSource>>,
    /// Also give the text and its citations as others write them, in `formatted`.
    pub(crate) format: Option<CitationExportFormat>,
    /// Unit of the offsets in `formatted`; default `code_points`.
    #[serde(default)]
    pub(crate) units: OffsetUnits,
}

/// Citation format of another provider or standard.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CitationExportFormat {
    /// `output_text` with `url_citation` and `file_citation` annotations.
    Openai,
    /// Text blocks with `citations`.
    Anthropic,
    /// A text part, and `source-url` and `source-document` parts.
    AiSdk,
    /// W3C Web Annotations, in JSON-LD.
    WebAnnotation,
}

impl From<CitationExportFormat> for CitationWireFormat {
    fn from(format: CitationExportFormat) -> Self {
        match format {
            CitationExportFormat::Openai => Self::OpenAi,
            CitationExportFormat::Anthropic => Self::Anthropic,
            CitationExportFormat::AiSdk => Self::AiSdk,
            CitationExportFormat::WebAnnotation => Self::WebAnnotation,
        }
    }
}

/// Unit in which offsets into a text are counted.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OffsetUnits {
    /// Unicode scalar values, as Python counts.
    #[default]
    CodePoints,
    /// Halves of UTF-16, as JavaScript counts.
    Utf16,
    /// Bytes of UTF-8, as Go counts.
    Bytes,
}

impl From<OffsetUnits> for OffsetUnit {
    fn from(units: OffsetUnits) -> Self {
        match units {
            OffsetUnits::CodePoints => Self::CodePoints,
            OffsetUnits::Utf16 => Self::Utf16,
            OffsetUnits::Bytes => Self::Bytes,
        }
    }
}

/// Citations parsed from a text.
#[derive(Serialize, ToSchema)]
pub(crate) struct ParseAnswer {
    /// Every marker, in the order of the text.
    pub(crate) citations: Vec<ParsedCitation>,
    /// The markers that name sources.
    pub(crate) references: Vec<MarkerReference>,
    /// Numbers that name no source.
    pub(crate) dangling: Vec<u32>,
    /// Ids and addresses that name no source.
    pub(crate) dangling_ids: Vec<String>,
    /// The sources, each work once, with its number.
    pub(crate) sources: Vec<CitationSource>,
    /// The text without its markers.
    pub(crate) stripped: String,
    /// The text and its citations in the format that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) formatted: Option<Value>,
}

/// Form in which a citation marker is written.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MarkerForm {
    /// `[1]`, `[2, 3]`, `[4-6]`.
    Numbers,
    /// `[label]`, if the text defines it.
    Label,
    /// `<cite id="…"/>`.
    Tag,
    /// `{citation:…}`.
    Braces,
    /// `[label]: address`, which stands at no claim.
    Definition,
}

impl From<&citations::MarkerKind> for MarkerForm {
    fn from(kind: &citations::MarkerKind) -> Self {
        match kind {
            citations::MarkerKind::Numbers(_) => Self::Numbers,
            citations::MarkerKind::Label(_) => Self::Label,
            citations::MarkerKind::Tag(_) => Self::Tag,
            citations::MarkerKind::Braces(_) => Self::Braces,
            citations::MarkerKind::Definition { .. } => Self::Definition,
        }
    }
}

/// A citation marker in a text.
#[derive(Serialize, ToSchema)]
pub(crate) struct ParsedCitation {
    /// Form in which the marker is written.
    kind: MarkerForm,
    /// The marker, as it stands in the text.
    text: String,
    /// Offset of the marker's first character.
    start_index: usize,
    /// Offset after the marker's last character.
    end_index: usize,
    /// Source numbers that the marker names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    numbers: Vec<u32>,
    /// Source id that the marker names.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// The label it names or defines.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Address that a definition gives for the label.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Ids of the sources that the marker resolves to.
    source_ids: Vec<String>,
}

impl ParsedCitation {
    pub(crate) fn new(
        text: &str,
        marker: &citations::Marker,
        reference: Option<&citations::ledger::LedgerReference>,
    ) -> Self {
        let mut citation = Self {
            kind: MarkerForm::from(&marker.kind),
            text: text[marker.bytes.clone()].to_owned(),
            start_index: marker.span.start,
            end_index: marker.span.end,
            numbers: Vec::new(),
            id: None,
            label: None,
            url: None,
            source_ids: reference.map(|reference| reference.source_ids.clone()).unwrap_or_default(),
        };
        match &marker.kind {
            MarkerKind::Numbers(numbers) => citation.numbers = numbers.to_vec(),
            MarkerKind::Tag(id) | MarkerKind::Braces(id) => citation.id = Some(id.clone()),
            MarkerKind::Label(label) => citation.label = Some(label.clone()),
            MarkerKind::Definition { label, url } => {
                citation.label = Some(label.clone());
                citation.url = Some(url.clone());
            }
        }
        citation
    }
}

/// A place in a text that names sources.
#[derive(Serialize, ToSchema)]
pub(crate) struct MarkerReference {
    /// Id of the reference, unique within the text.
    id: String,
    /// The number of the first source it names.
    index: u32,
    /// Offset of the marker's first character.
    start_index: usize,
    /// Offset after the marker's last character.
    end_index: usize,
    /// Words of the text that the reference supports.
    cited_text: String,
    /// The numbers of the sources it names.
    numbers: Vec<u32>,
    /// Ids of the sources that are cited.
    source_ids: Vec<String>,
}

impl From<(usize, citations::ledger::LedgerReference)> for MarkerReference {
    fn from((place, reference): (usize, citations::ledger::LedgerReference)) -> Self {
        Self {
            id: format!("ref-{}", place + 1),
            index: reference.index,
            start_index: reference.span.start,
            end_index: reference.span.end,
            cited_text: reference.cited_text,
            numbers: reference.numbers,
            source_ids: reference.source_ids,
        }
    }
}

/// A call of a tool that has ended.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExtractBody {
    /// Name of the tool that was called; it selects the extractor.
    pub(crate) tool_name: String,
    /// The id of the call; the ids of the sources begin with it.
    pub(crate) request_id: String,
    /// Arguments that the tool was called with.
    #[serde(default)]
    pub(crate) parameters: Value,
    /// Result of the tool, as JSON or as a string that contains JSON.
    pub(crate) output: Value,
}

/// Citable sources found in a tool result.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExtractAnswer {
    /// The sources, in the order of the result.
    pub(crate) sources: Vec<CitationSource>,
    /// Why there are none, where there could have been.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) warning: Option<String>,
}

/// Sources that a model is to be told of.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromptBody {
    /// Sources that the model may cite, numbered in this order.
    pub(crate) sources: Vec<CitationSource>,
    /// The most tokens that the list may take.
    #[serde(default = "token_budget")]
    pub(crate) token_budget: u32,
}

const fn token_budget() -> u32 {
    4000
}

/// Prompt text that tells a model how to cite.
#[derive(Serialize, ToSchema)]
pub(crate) struct PromptAnswer {
    /// Instructions on how to cite, for the system prompt.
    pub(crate) guidelines: &'static str,
    /// The sources, a numbered line each.
    pub(crate) list: String,
    /// About how many tokens the list takes.
    pub(crate) tokens: usize,
    /// The sources, each work once, with its number.
    pub(crate) sources: Vec<CitationSource>,
}
