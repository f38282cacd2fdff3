//! Searches and their answers as they go over the wire.

use ibid_app::{FoundPassage, GraphExpansion, SearchLists, SearchRequest, SearchResponse};
use ibid_domain::{AsOf, Category, Code, Problem, SearchFilter, Timestamp, problem::shorten_for_error};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    knowledge::{Entity, RelatedItem, convert_expansion},
    parse::{deserialize_present, hash_in_field},
    source_body,
    sources::join_names,
    values::{EventCategory, SearchList, SourceOrigin, SourceType},
};

/// Request to search the library.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchBody {
    /// Words or a question. "Quoted words" must stand together, -word must not stand.
    #[serde(default)]
    pub(crate) query: String,
    /// At most so many results, 1 to 200. By default 10.
    pub(crate) limit: Option<i64>,
    /// The query as a vector, for libraries whose vectors come from outside.
    pub(crate) query_vector: Option<Vec<f32>>,
    /// Limits the passages that are searched.
    pub(crate) filters: Option<SearchFilters>,
    /// Rankings to combine; default: both.
    #[schema(value_type = Option<Vec<SearchList>>)]
    pub(crate) lists: Option<Vec<String>>,
    /// Passages whose similarity to the query is known and lower are left out. By default none.
    pub(crate) threshold: Option<f32>,
    /// Also look at what was remembered of conversations.
    pub(crate) include_memory: Option<bool>,
    /// Also give the passages before and after each result.
    pub(crate) expand_neighbors: Option<bool>,
    /// Also look for events. By default true.
    pub(crate) include_events: Option<bool>,
    /// Also give what is connected with the best results. By default true.
    pub(crate) graph_expand: Option<bool>,
    /// Number of steps to follow in the graph; only 1 is supported.
    pub(crate) graph_depth: Option<i64>,
    /// At most so many connected events, 0 to 50. By default 10.
    pub(crate) graph_budget: Option<i64>,
    /// From so many of the best results connections are followed, 1 to 50. By default 1.
    pub(crate) graph_seed_limit: Option<i64>,
    /// Connected events of these categories; null or [] means all. By default Decision, Commitment and QualityRisk.
    #[serde(default, deserialize_with = "deserialize_present")]
    #[schema(value_type = Option<Vec<EventCategory>>)]
    pub(crate) graph_filters: Option<Option<Vec<String>>>,
    /// Also give the entities that take part. By default true.
    pub(crate) include_entities: Option<bool>,
    /// Also give what changed between revisions.
    pub(crate) include_revision_diff: Option<bool>,
}

/// Limits the passages that a search considers. A field that is left out does not limit.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchFilters {
    /// Sources of one of these types.
    #[serde(default, rename = "type")]
    #[schema(value_type = Option<Vec<SourceType>>)]
    pub(crate) kind: OneOrMany,
    /// Sources from one of these origins.
    #[serde(default)]
    #[schema(value_type = Option<Vec<SourceOrigin>>)]
    pub(crate) origin: OneOrMany,
    /// Only passages of these sources.
    #[serde(default)]
    #[schema(value_type = Vec<Uuid>)]
    pub(crate) source_ids: Vec<Uuid>,
    /// Sources collected for this document.
    pub(crate) document_id: Option<Uuid>,
    /// Only passages of sources in this project.
    pub(crate) project_id: Option<Uuid>,
    /// Sources filed under all of these.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>)]
    pub(crate) tags: OneOrMany,
    /// Texts in one of these languages: en, de …
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>)]
    pub(crate) language: OneOrMany,
    /// Sources that appeared (or came, where that is not known) at this time or later: a day or a time of RFC 3339.
    pub(crate) from: Option<String>,
    /// Sources that appeared (or came) before this time.
    pub(crate) to: Option<String>,
    /// The library as it was: a time, or the hash of a manifest.
    pub(crate) as_of: Option<String>,
}

/// A string or a list of strings. The schema describes it as a list, because client generators make no useful type of a
/// field that is either.
#[derive(Default, Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMany {
    /// The field is missing or null.
    #[default]
    None,
    /// A single string, not in a list.
    One(String),
    /// A list of strings, all accepted.
    Many(Vec<String>),
}

impl OneOrMany {
    fn as_slice(&self) -> &[String] {
        match self {
            Self::None => &[],
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
    }
}

/// The most values that a filter names.
const MAX_VALUES: usize = 1000;

pub(crate) fn invalid_field(field: &str, detail: String) -> Problem {
    Problem::new(Code::InvalidField, detail).with_field(field)
}

pub(crate) fn parse_count(value: Option<i64>, field: &str, default: usize) -> Result<usize, Problem> {
    let Some(value) = value else { return Ok(default) };
    usize::try_from(value).map_err(|_| invalid_field(field, format!("{field} is {value}; it cannot be negative")))
}

/// A time, or a day at its beginning.
pub(crate) fn parse_time(text: Option<&str>, field: &str) -> Result<Option<Timestamp>, Problem> {
    let Some(text) = text else { return Ok(None) };
    let day = text.len() == 10;
    let whole = if day { format!("{text}T00:00:00Z") } else { text.to_owned() };
    Timestamp::parse_rfc3339(&whole).map(Some).ok_or_else(|| {
        let detail = format!(
            "{field} is '{}'; write a day like 2026-01-31 or a time like 2026-01-31T12:00:00Z",
            shorten_for_error(text)
        );
        invalid_field(field, detail)
    })
}

impl SearchFilters {
    pub(crate) fn to_filter(&self) -> Result<SearchFilter, Problem> {
        for (field, texts) in [("filters.tags", self.tags.as_slice()), ("filters.language", self.language.as_slice())] {
            if texts.len() > MAX_VALUES || texts.iter().any(|text| text.is_empty() || text.contains('\0')) {
                return Err(invalid_field(
                    field,
                    format!("{field} takes at most {MAX_VALUES} texts that are not empty"),
                ));
            }
        }
        if self.source_ids.len() > MAX_VALUES {
            return Err(invalid_field("filters.source_ids", format!("at most {MAX_VALUES} sources can be named")));
        }
        let at = |field: &'static str| move |problem: Problem| problem.with_field(field);
        let kinds =
            self.kind.as_slice().iter().map(|text| source_body::parse_source_type(text)).collect::<Result<_, _>>();
        let origins = self.origin.as_slice().iter().map(|text| text.parse()).collect::<Result<_, _>>();
        let as_of = match self.as_of.as_deref() {
            None => None,
            Some(text) if text.len() == 64 => Some(AsOf::Manifest(hash_in_field(text, "filters.as_of")?)),
            Some(text) => parse_time(Some(text), "filters.as_of")?.map(AsOf::Time),
        };
        let language = |text: &String| text.to_lowercase().split(['-', '_']).next().unwrap_or_default().to_owned();
        Ok(SearchFilter {
            kinds: kinds.map_err(at("filters.type"))?,
            origins: origins.map_err(at("filters.origin"))?,
            sources: self.source_ids.iter().map(|id| (*id).into()).collect(),
            document_id: self.document_id,
            project_id: self.project_id,
            tags: self.tags.as_slice().to_vec(),
            languages: self.language.as_slice().iter().map(language).collect(),
            from: parse_time(self.from.as_deref(), "filters.from")?,
            to: parse_time(self.to.as_deref(), "filters.to")?,
            as_of,
            memories: false,
        })
    }
}

impl SearchBody {
    /// The search that is meant, or what is wrong with it.
    pub(crate) fn to_search(&self) -> Result<SearchRequest, Problem> {
        if let Some(depth) = self.graph_depth.filter(|depth| *depth != 1) {
            return Err(invalid_field("graph_depth", format!("graph_depth is {depth}; only 1 is supported")));
        }
        let lists = match &self.lists {
            None => SearchLists::BOTH,
            Some(names) => {
                let mut lists = SearchLists { words: false, vectors: false };
                for name in names {
                    match name.as_str() {
                        "words" => lists.words = true,
                        "vectors" => lists.vectors = true,
                        other => {
                            let detail =
                                format!("'{}' is not a list; it is words or vectors", shorten_for_error(other));
                            return Err(invalid_field("lists", detail));
                        }
                    }
                }
                lists
            }
        };
        let standard = GraphExpansion::default();
        let categories = match &self.graph_filters {
            None => standard.categories,
            Some(names) => {
                let names = names.as_deref().unwrap_or_default();
                names.iter().map(|name| name.parse::<Category>()).collect::<Result<_, _>>()?
            }
        };
        let graph = GraphExpansion {
            budget: parse_count(self.graph_budget, "graph_budget", standard.budget)?,
            seed_limit: parse_count(self.graph_seed_limit, "graph_seed_limit", standard.seed_limit)?,
            categories,
            include_entities: self.include_entities.unwrap_or(true),
            include_revision_diff: self.include_revision_diff.unwrap_or(false),
        };
        let mut filter = self.filters.as_ref().map_or_else(|| Ok(SearchFilter::default()), SearchFilters::to_filter)?;
        filter.memories = self.include_memory.unwrap_or(false);
        Ok(SearchRequest {
            query: self.query.clone(),
            query_vector: self.query_vector.clone(),
            limit: parse_count(self.limit, "limit", SearchRequest::DEFAULT_LIMIT)?,
            filter,
            lists,
            threshold: self.threshold,
            expand_neighbors: self.expand_neighbors.unwrap_or(false),
            include_events: self.include_events.unwrap_or(true),
            graph: self.graph_expand.unwrap_or(true).then_some(graph),
        })
    }
}

/// Results of a search with related context and metadata.
#[derive(Serialize, ToSchema)]
pub(crate) struct SearchAnswer {
    /// The best passages, best first.
    pub(crate) primary_results: Vec<SearchResult>,
    /// Events related to the best results; only with `graph_expand`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) related_context: Option<Vec<RelatedItem>>,
    /// The entities that take part; only with `graph_expand` and `include_entities`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) entities: Option<Vec<Entity>>,
    /// By what the search can be widened; always the same.
    pub(crate) expand_options: Vec<ExpandOption>,
    /// Timing, sizes and warnings of the search.
    pub(crate) search_metadata: SearchMetadata,
}

/// A passage, source or event that matches a search.
#[derive(Serialize, ToSchema)]
pub(crate) struct SearchResult {
    /// Kind of the result.
    #[serde(rename = "type")]
    pub(crate) kind: ResultKind,
    /// The passage's id, or the event's.
    pub(crate) id: Uuid,
    /// Id in another system, as given when the source was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) external_id: Option<String>,
    /// Id of the source that has the passage.
    pub(crate) source_id: Uuid,
    /// Title of the source that has the passage.
    pub(crate) title: String,
    /// The whole passage; of an event what happened.
    pub(crate) content: String,
    /// Category of the event; only for results that are events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<EventCategory>,
    /// Relevance, at most 1; comparable only within one response.
    pub(crate) score: f64,
    /// Rank and score in each of the combined rankings.
    pub(crate) scores: ResultRanks,
    /// Summary of the source that has the passage.
    pub(crate) source: SourceSummary,
    /// The exact words of it that answer, best first.
    pub(crate) evidence: Vec<ResultEvidence>,
    /// The passages before and after it; only with `expand_neighbors`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) neighbors: Option<Vec<NeighborPassage>>,
}

/// The place of a result in each list, from 1; null where it is not in the list.
#[derive(Serialize, ToSchema)]
pub(crate) struct ResultRanks {
    /// Its place among the passages with the words.
    #[schema(required)]
    pub(crate) bm25_rank: Option<usize>,
    /// BM25 score; null if the passage is not in the ranking by words.
    #[schema(required)]
    pub(crate) bm25: Option<f32>,
    /// Its place among the passages near in meaning.
    #[schema(required)]
    pub(crate) vector_rank: Option<usize>,
    /// Cosine similarity to the query; null if the passage has no vector.
    #[schema(required)]
    pub(crate) similarity: Option<f32>,
    /// Combined score of both rankings.
    pub(crate) fused: f64,
}

/// Bibliographic summary of a result's source.
#[derive(Serialize, ToSchema)]
pub(crate) struct SourceSummary {
    /// Id of the source, a UUID.
    pub(crate) id: Uuid,
    /// Type of the source.
    #[serde(rename = "type")]
    pub(crate) kind: SourceType,
    /// Origin of the source.
    pub(crate) origin: SourceOrigin,
    /// Title, as people see it.
    pub(crate) title: String,
    /// Names of the authors in one line; null if unknown.
    #[schema(required)]
    pub(crate) author: Option<String>,
    /// Publication date: a day, a month or a year; null if unknown.
    #[schema(required)]
    pub(crate) publication_date: Option<String>,
    /// Web address of the source; null if it has none.
    #[schema(required)]
    pub(crate) url: Option<String>,
    /// Name of the website that the source is from.
    #[schema(required)]
    pub(crate) site_name: Option<String>,
    /// Media type of the source's content.
    pub(crate) media_type: String,
    /// Name of the uploaded file; null if there was none.
    #[schema(required)]
    pub(crate) filename: Option<String>,
    /// Language tag of the text; null if it was not detected.
    #[schema(required)]
    pub(crate) language: Option<String>,
    /// Tags of the source, for filters.
    pub(crate) tags: Vec<String>,
    /// Number of the revision that was found, from 1.
    pub(crate) revision: u64,
    /// True if the source could be reached at the last attempt.
    pub(crate) is_available: bool,
}

/// Exact words of a source that match the query.
#[derive(Serialize, ToSchema)]
pub(crate) struct ResultEvidence {
    /// The words, as they stand in the revision's text.
    pub(crate) quote: String,
    /// The first character of them in that text.
    pub(crate) start_char: usize,
    /// Offset after the quote's last character.
    pub(crate) end_char: usize,
    /// Page that the quote begins on, from 1; null if the source has no pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page: Option<u32>,
    /// The headings they stand under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) section: Option<String>,
    /// Id of the revision that has the quote.
    pub(crate) revision_id: Uuid,
    /// Ranges of the quote that match words of the query, to highlight.
    pub(crate) matches: Vec<QuoteMatch>,
    /// The address in this server's app that opens the source at these words.
    pub(crate) url: String,
}

/// Characters of a quote that match the query.
#[derive(Serialize, ToSchema)]
pub(crate) struct QuoteMatch {
    /// The first, counted from the beginning of the quote.
    pub(crate) start: usize,
    /// Offset after the last matching character.
    pub(crate) end: usize,
}

/// A passage directly before or after a result.
#[derive(Serialize, ToSchema)]
pub(crate) struct NeighborPassage {
    /// Id of the neighbor passage, a UUID.
    pub(crate) id: Uuid,
    /// Position of the passage among the chunks of the source, from 0.
    pub(crate) chunk_index: u64,
    /// The first character in the revision's text.
    pub(crate) start_char: usize,
    /// Offset after the passage's last character.
    pub(crate) end_char: usize,
    /// Text of the passage, as it stands in the source.
    pub(crate) content: String,
}

/// Timing, sizes and warnings of a search.
#[derive(Serialize, ToSchema)]
pub(crate) struct SearchMetadata {
    /// Duration of the search, in milliseconds.
    pub(crate) took_ms: f64,
    /// Part of the duration spent on related events, in milliseconds; left out if they were not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) graph_ms: Option<f64>,
    /// Number of passages that were searched.
    pub(crate) total_chunks_searched: u64,
    /// Number of candidates from each ranking; null for a ranking that was not used.
    pub(crate) lists: CandidateCounts,
    /// Warnings about the search, such as a ranking that was not available.
    pub(crate) notes: Vec<String>,
}

/// Number of candidates from each ranking.
#[derive(Serialize, ToSchema)]
pub(crate) struct CandidateCounts {
    /// Number of passages that contain words of the query.
    #[schema(required)]
    pub(crate) words: Option<u64>,
    /// Number of passages with a similar meaning.
    #[schema(required)]
    pub(crate) vectors: Option<u64>,
}

/// Something by which a search can be widened.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExpandOption {
    /// Name of the parameter in the request.
    name: &'static str,
    /// Type of the parameter's value.
    #[serde(rename = "type")]
    kind: OptionType,
    /// Value that is used if the request does not set it.
    default: Json,
    /// Purpose of the option, for people.
    description: &'static str,
    /// Effect of the option on the results.
    effect: &'static str,
    /// Allowed values, as a sentence.
    constraints: &'static str,
}

/// By what a search can be widened: static, the same in every answer.
pub(crate) fn expand_options() -> Vec<ExpandOption> {
    const GRAPH: &str = "Ignored unless graph_expand is true.";
    let option = |name, kind, default, description, effect, constraints| ExpandOption {
        name,
        kind,
        default,
        description,
        effect,
        constraints,
    };
    vec![
        option(
            "include_memory",
            OptionType::Boolean,
            json!(false),
            "Also search what was remembered of conversations.",
            "Adds passages of origin memory to primary_results.",
            "None.",
        ),
        option(
            "expand_neighbors",
            OptionType::Boolean,
            json!(false),
            "Also show the passages right before and after each one found.",
            "Adds neighbors to each result of type chunk.",
            "Affects results of type chunk only.",
        ),
        option(
            "include_events",
            OptionType::Boolean,
            json!(true),
            "Also search what happened, was decided or promised.",
            "Adds results of type event to primary_results.",
            "None.",
        ),
        option(
            "graph_expand",
            OptionType::Boolean,
            json!(true),
            "Also show what is connected with the best results through the same people and projects.",
            "Adds related_context and entities to the answer.",
            "Connections are followed one step (graph_depth 1).",
        ),
        option(
            "graph_filters",
            OptionType::Strings,
            json!(["Decision", "Commitment", "QualityRisk"]),
            "Which kinds of connected events to show.",
            "Narrows related_context to these categories; null or [] means all.",
            "Of Commitment, Execution, Decision, Collaboration, QualityRisk, Feedback, Change, Stakeholder. \
             Ignored unless graph_expand is true.",
        ),
        option(
            "graph_budget",
            OptionType::Integer,
            json!(10),
            "How many connected events to show at most.",
            "Bounds the length of related_context.",
            "0 to 50. Ignored unless graph_expand is true.",
        ),
        option(
            "include_entities",
            OptionType::Boolean,
            json!(true),
            "Also list the people, organisations and projects involved.",
            "Adds entities to the answer.",
            GRAPH,
        ),
        option(
            "include_revision_diff",
            OptionType::Boolean,
            json!(false),
            "Also show what changed between versions of the sources.",
            "Adds differences to related_context.",
            GRAPH,
        ),
    ]
}

/// The address in the app that opens a source at some of its words.
pub(crate) fn app_url(source: Uuid, revision: Uuid, start: usize, end: usize) -> String {
    format!("/sources/{source}?revision={revision}#c={start}-{end}")
}

impl SearchResult {
    pub(crate) fn new(found: FoundPassage, neighbors: bool) -> Self {
        let FoundPassage {
            event,
            chunk,
            source,
            revision,
            score,
            words,
            vector,
            similarity,
            evidence,
            neighbors: beside,
        } = found;
        let (source_id, revision_id) = (source.id.uuid(), revision.id.uuid());
        let title = source.display_title().to_owned();
        let evidence = evidence.into_iter().map(|one| ResultEvidence {
            url: app_url(source_id, revision_id, one.span.start, one.span.end),
            quote: one.quote,
            start_char: one.span.start,
            end_char: one.span.end,
            page: one.page,
            section: one.section,
            revision_id,
            matches: one.matches.into_iter().map(|span| QuoteMatch { start: span.start, end: span.end }).collect(),
        });
        let beside = beside.into_iter().map(|chunk| NeighborPassage {
            id: chunk.id.uuid(),
            chunk_index: chunk.ordinal,
            start_char: chunk.span.start,
            end_char: chunk.span.end,
            content: chunk.content,
        });
        Self {
            kind: if event.is_some() { ResultKind::Event } else { ResultKind::Chunk },
            id: event.as_ref().map_or(chunk.id.uuid(), |event| event.id.uuid()),
            external_id: source.external_id.clone(),
            source_id,
            content: event.as_ref().map_or(chunk.content, |event| event.narrative.clone()),
            category: event.as_ref().map(|event| event.category.into()),
            score,
            scores: ResultRanks {
                bm25_rank: words.map(|ranked| ranked.rank),
                bm25: words.map(|ranked| ranked.score),
                vector_rank: vector.map(|ranked| ranked.rank),
                similarity,
                fused: score,
            },
            source: SourceSummary {
                id: source_id,
                kind: source.kind.into(),
                origin: source.origin.into(),
                title: title.clone(),
                author: join_names(&source.reference.authors),
                publication_date: source.reference.publication_date.as_ref().map(ToString::to_string),
                url: source.url,
                site_name: source.site_name,
                media_type: revision.media_type,
                filename: revision.filename,
                language: revision.language,
                tags: source.tags,
                revision: revision.number,
                is_available: source.is_available,
            },
            title,
            evidence: evidence.collect(),
            neighbors: neighbors.then(|| beside.collect()),
        }
    }
}

impl SearchAnswer {
    /// The answer to a search that took so many milliseconds.
    pub(crate) fn new(search: &SearchRequest, found: SearchResponse, took_ms: f64) -> Self {
        let neighbors = search.expand_neighbors;
        let diffs = search.graph.as_ref().is_some_and(|graph| graph.include_revision_diff);
        let graph_ms = found.expanded.as_ref().map(|more| (more.took.as_secs_f64() * 1e6).round() / 1e3);
        let (related, entities) = found.expanded.map(|more| convert_expansion(more, diffs)).unzip();
        Self {
            primary_results: found.results.into_iter().map(|one| SearchResult::new(one, neighbors)).collect(),
            related_context: related,
            entities: entities.filter(|_| search.graph.as_ref().is_some_and(|graph| graph.include_entities)),
            expand_options: expand_options(),
            search_metadata: SearchMetadata {
                took_ms,
                graph_ms,
                total_chunks_searched: found.searched,
                lists: CandidateCounts { words: found.words, vectors: found.vectors },
                notes: found.notes,
            },
        }
    }
}

/// Kind of a search result.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResultKind {
    /// A passage of a source.
    Chunk,
    /// An event that a source tells of.
    Event,
}

/// Type of the value of a search parameter.
#[derive(Clone, Copy, Serialize, ToSchema)]
pub(crate) enum OptionType {
    /// True or false.
    #[serde(rename = "boolean")]
    Boolean,
    /// A whole number.
    #[serde(rename = "integer")]
    Integer,
    /// A list of strings.
    #[serde(rename = "string[]")]
    Strings,
}
