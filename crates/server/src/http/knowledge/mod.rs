//! `/api/v1/events`, `/api/v1/entities`, `/api/v1/graph` and `/api/v1/memories`

use axum::{extract::State, http::StatusCode};
use ibid_app::{App, EntityDetail, EntitySplit, ReviewDecision, Scope, SourceContent, SourceDraft};
use ibid_domain::{
    Category, Code, EntityId, EntityType, Limit, MentionId, Origin, PairId, Problem, Reference,
    problem::shorten_for_error,
};
use ibid_knowledge::judge::Profile;
use ibid_store::{EntityFilter, EntityOrder, EventFilter};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{
    Server,
    extract::{Caller, Json, Paging, Path, Query},
    problem::ApiResult,
    sources::source_id,
};
use crate::wire::{
    Page, Problem as WireProblem,
    knowledge::{
        Comparison, Entity, EntityAnswer, EntityPair, Event, GraphHealthAnswer, Mention, NeighborhoodAnswer,
        SplitAnswer,
    },
    search::parse_time,
    sources::Source,
    values,
};

/// The most events of a neighbourhood.
const MOST_EVENTS: u64 = 200;

fn invalid_field(field: &str, detail: String) -> Problem {
    Problem::new(Code::InvalidField, detail).with_field(field)
}

fn entity_id(text: &str) -> Result<EntityId, Problem> {
    text.parse().map_err(|_| {
        Problem::new(Code::EntityNotFound, format!("'{}' is not the id of an entity", shorten_for_error(text)))
    })
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct EventListQuery {
    /// Only those of this category, or of several with commas between them.
    category: Option<String>,
    /// Only those in which this entity has a part.
    entity_id: Option<String>,
    /// Only those that this source tells.
    source_id: Option<String>,
    /// Only those at this time or later: a day or a time of RFC 3339.
    from: Option<String>,
    /// Only those before this time.
    to: Option<String>,
}

/// List events
///
/// Events that were extracted from sources, newest first; events without a time come last.
#[utoipa::path(
    get, path = "/api/v1/events", tag = "knowledge", operation_id = "list_events",
    params(EventListQuery, Paging),
    responses(
        (status = 200, description = "One page", body = Page<Event>),
        (status = 422, description = "There is no such category", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn list_events(
    State(server): State<Server>,
    Caller(scope): Caller,
    Query(query): Query<EventListQuery>,
    Query(paging): Query<Paging>,
) -> ApiResult<axum::Json<Page<Event>>> {
    let categories = query.category.iter().flat_map(|all| all.split(',')).map(str::trim).filter(|one| !one.is_empty());
    let categories = categories.map(|one| one.parse::<Category>().map_err(|problem| problem.with_field("category")));
    let filter = EventFilter {
        categories: categories.collect::<Result<_, _>>()?,
        entity: query.entity_id.as_deref().map(entity_id).transpose()?,
        source: query.source_id.as_deref().map(source_id).transpose()?,
        from: parse_time(query.from.as_deref(), "from")?,
        to: parse_time(query.to.as_deref(), "to")?,
    };
    let page = server.app.knowledge(&scope).events(&filter, paging.limit()?, paging.cursor()?.as_ref()).await?;
    let titles = server.app.knowledge(&scope).source_titles(page.items.iter().map(|event| event.source)).await?;
    Ok(axum::Json(Page::from_page(page, |event| Event::new(&event, &titles))))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct EntitiesQuery {
    /// Only those of this type.
    #[serde(rename = "type")]
    #[param(value_type = Option<values::EntityType>, inline)]
    kind: Option<String>,
    /// Only those one of whose names, or whose address, has these words.
    q: Option<String>,
    /// Only those that a person should look at, or only the others.
    needs_review: Option<bool>,
    /// Order of the list; default: those first that are named most.
    #[param(value_type = Option<values::EntityOrder>, inline)]
    order: Option<String>,
}

/// List people, organisations and other entities
#[utoipa::path(
    get, path = "/api/v1/entities", tag = "knowledge", operation_id = "list_entities",
    params(EntitiesQuery, Paging),
    responses(
        (status = 200, description = "One page", body = Page<Entity>),
        (status = 422, description = "There is no such type", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn list_entities(
    State(server): State<Server>,
    Caller(scope): Caller,
    Query(query): Query<EntitiesQuery>,
    Query(paging): Query<Paging>,
) -> ApiResult<axum::Json<Page<Entity>>> {
    let order = match query.order.as_deref() {
        None | Some("often") => EntityOrder::Often,
        Some("newest") => EntityOrder::Newest,
        Some(other) => {
            return Err(invalid_field(
                "order",
                format!("'{}' is not an order; it is often or newest", shorten_for_error(other)),
            )
            .into());
        }
    };
    let words = query.q.filter(|words| !words.trim().is_empty());
    if let Some(words) = words.as_ref().filter(|words| words.len() > 200 || words.split_whitespace().count() > 8) {
        let detail = format!("q is '{}…'; at most 8 words and 200 bytes are looked for", shorten_for_error(words));
        return Err(invalid_field("q", detail).into());
    }
    let filter = EntityFilter {
        kind: query.kind.as_deref().map(str::parse::<EntityType>).transpose()?,
        words: words.map(|words| words.to_lowercase()),
        needs_review: query.needs_review,
    };
    let page =
        server.app.knowledge(&scope).entities(&filter, order, paging.limit()?, paging.cursor()?.as_ref()).await?;
    Ok(axum::Json(Page::from_page(page, Entity::from)))
}

/// An entity with its first mentions and newest events.
pub(crate) async fn entity_answer(app: &App, scope: &Scope, detail: EntityDetail) -> ibid_app::Result<EntityAnswer> {
    let id = detail.entity.id;
    let mentions = app.knowledge(scope).mentions(id, Limit::new(200)?, None).await?;
    let filter = EventFilter { entity: Some(id), ..EventFilter::default() };
    let events = app.knowledge(scope).events(&filter, Limit::new(100)?, None).await?;
    let named = mentions.items.iter().map(|mention| mention.source);
    let titles = app.knowledge(scope).source_titles(named.chain(events.items.iter().map(|event| event.source))).await?;
    Ok(EntityAnswer::new(detail, mentions, events, &titles))
}

/// One entity
///
/// With its names, the places that name it, what happened with it, and those who may be the same. One that was found to
/// be another says so in `merged_into`.
#[utoipa::path(
    get, path = "/api/v1/entities/{id}", tag = "knowledge", operation_id = "get_entity",
    params(("id" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "The entity", body = EntityAnswer),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get_entity(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<axum::Json<EntityAnswer>> {
    let detail = server.app.knowledge(&scope).entity(entity_id(&id)?).await?;
    Ok(axum::Json(entity_answer(&server.app, &scope, detail).await?))
}

/// The places that name an entity
#[utoipa::path(
    get, path = "/api/v1/entities/{id}/mentions", tag = "knowledge", operation_id = "list_mentions",
    params(("id" = String, Path, description = "The entity"), Paging),
    responses(
        (status = 200, description = "One page", body = Page<Mention>),
        (status = 404, description = "There is no such entity", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn list_mentions(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Query(paging): Query<Paging>,
) -> ApiResult<axum::Json<Page<Mention>>> {
    let id = server.app.knowledge(&scope).entity(entity_id(&id)?).await?.entity.id;
    let page = server.app.knowledge(&scope).mentions(id, paging.limit()?, paging.cursor()?.as_ref()).await?;
    let titles = server.app.knowledge(&scope).source_titles(page.items.iter().map(|mention| mention.source)).await?;
    Ok(axum::Json(Page::from_page(page, |mention| Mention::new(mention, &titles))))
}

/// Entity that another one is merged into.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MergeBody {
    /// Id of the entity that remains after the merge.
    into: String,
}

/// Say that an entity is another
///
/// It keeps its row, names, mentions and events, which count as the other's from now on; splitting undoes it.
#[utoipa::path(
    post, path = "/api/v1/entities/{id}/merge", tag = "knowledge", operation_id = "merge_entity",
    params(("id" = String, Path, description = "The entity that is another")),
    request_body = MergeBody,
    responses(
        (status = 200, description = "Both as one", body = EntityAnswer),
        (status = 404, description = "There is no such entity", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "They cannot be one", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn merge_entity(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Json(body): Json<MergeBody>,
) -> ApiResult<axum::Json<EntityAnswer>> {
    let into = entity_id(&body.into).map_err(|problem| problem.with_field("into"))?;
    let detail = server.app.knowledge(&scope).merge_entities(entity_id(&id)?, into).await?;
    Ok(axum::Json(entity_answer(&server.app, &scope, detail).await?))
}

/// Mentions or merged entity to split off an entity.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SplitBody {
    /// The entity that was merged into it and is to stand for itself again; the last one if nothing is said.
    entity_id: Option<String>,
    /// Mentions that name somebody else, who becomes an entity of their own.
    mention_ids: Option<Vec<Uuid>>,
}

/// Take an entity apart
///
/// Undoes a merge, so that both are as they were with all their names, mentions and events, or makes a new entity of
/// some mentions.
#[utoipa::path(
    post, path = "/api/v1/entities/{id}/split", tag = "knowledge", operation_id = "split_entity",
    params(("id" = String, Path, description = "The entity")),
    request_body = Option<SplitBody>,
    responses(
        (status = 200, description = "Both parts", body = SplitAnswer),
        (status = 404, description = "There is no such entity", body = WireProblem, content_type = "application/problem+json"),
        (status = 409, description = "Nothing can be taken off", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn split_entity(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    request: axum::extract::Request,
) -> ApiResult<axum::Json<SplitAnswer>> {
    let bytes = super::extract::read_body(request.into_body(), server.config.json_limit_bytes).await?;
    let body: SplitBody = match bytes.is_empty() {
        true => SplitBody::default(),
        false => crate::wire::parse::parse_json(&bytes)?,
    };
    let split = match (body.entity_id, body.mention_ids) {
        (Some(_), Some(_)) => {
            let detail = "entity_id and mention_ids are both given; an entity is taken apart by one of them";
            return Err(invalid_field("mention_ids", detail.to_owned()).into());
        }
        (Some(other), None) => {
            EntitySplit::Merged(entity_id(&other).map_err(|problem| problem.with_field("entity_id"))?)
        }
        (None, Some(mentions)) if mentions.is_empty() || mentions.len() > 10_000 => {
            let detail = format!("mention_ids has {} ids; it is 1 to 10000", mentions.len());
            return Err(invalid_field("mention_ids", detail).into());
        }
        (None, Some(mentions)) => EntitySplit::Mentions(mentions.into_iter().map(MentionId::from).collect()),
        (None, None) => EntitySplit::LastMerge,
    };
    let (left, taken) = server.app.knowledge(&scope).split_entity(entity_id(&id)?, split).await?;
    Ok(axum::Json(SplitAnswer {
        entity: entity_answer(&server.app, &scope, left).await?,
        split: entity_answer(&server.app, &scope, taken).await?,
    }))
}

/// List pairs of entities that may be the same
///
/// Pairs that nobody has decided yet, most likely first.
#[utoipa::path(
    get, path = "/api/v1/entities/review", tag = "knowledge", operation_id = "list_review",
    params(Paging),
    responses((status = 200, description = "One page", body = Page<EntityPair>)),
)]
pub(super) async fn review_queue(
    State(server): State<Server>,
    Caller(scope): Caller,
    Query(paging): Query<Paging>,
) -> ApiResult<axum::Json<Page<EntityPair>>> {
    let page = server.app.knowledge(&scope).review_queue(paging.limit()?, paging.cursor()?.as_ref()).await?;
    Ok(axum::Json(Page::from_page(page, EntityPair::from)))
}

/// Decision of a person about a pair of entities.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReviewBody {
    /// Whether both are the same. `confirm` and `refuse` are understood for same and different.
    #[schema(value_type = values::ReviewDecision)]
    decision: String,
}

/// Say whether two are the same
///
/// `same` merges them, `different` keeps them apart for good, `undo` takes back what was said before.
#[utoipa::path(
    post, path = "/api/v1/entities/review/{pair_id}", tag = "knowledge", operation_id = "review_pair",
    params(("pair_id" = String, Path, description = "The pair")),
    request_body = ReviewBody,
    responses(
        (status = 200, description = "The pair as it is now", body = EntityPair),
        (status = 404, description = "There is no such pair", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "That is no decision", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn review_pair(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Json(body): Json<ReviewBody>,
) -> ApiResult<axum::Json<EntityPair>> {
    let decision: ReviewDecision = body.decision.parse()?;
    let pair: PairId = id.parse().map_err(|_| {
        Problem::new(Code::PairNotFound, format!("'{}' is not the id of a pair", shorten_for_error(&id)))
    })?;
    Ok(axum::Json(server.app.knowledge(&scope).review(pair, decision).await?.into()))
}

/// Details of one of two entities to compare.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ComparedEntity {
    /// Its name; it may be left out where something else tells who it is.
    #[serde(default)]
    name: String,
    /// Type of the entity, if it is known.
    #[serde(rename = "type")]
    #[schema(value_type = Option<values::EntityType>)]
    kind: Option<String>,
    /// Role of the entity, such as a job title.
    role: Option<String>,
    /// Organisation that the entity belongs to.
    organization: Option<String>,
    /// Email address of the entity.
    email: Option<String>,
    /// Whatever else is known, in any words.
    context: Option<String>,
    /// Other names of the entity, at most 100.
    aliases: Option<Vec<String>>,
}

impl ComparedEntity {
    fn into_profile(self, field: &str) -> Result<Profile, Problem> {
        let kind = self.kind.as_deref().map(str::parse).transpose();
        let aliases = self.aliases.unwrap_or_default();
        if aliases.len() > 100 || aliases.iter().any(|alias| alias.len() > 1_000) {
            return Err(invalid_field(
                &format!("{field}.aliases"),
                "at most 100 aliases of 1000 bytes are compared".to_owned(),
            ));
        }
        Ok(Profile {
            kind: kind.map_err(|problem: Problem| problem.with_field(format!("{field}.type")))?,
            name: self.name,
            aliases,
            role: self.role.filter(|text| !text.trim().is_empty()),
            organization: self.organization.filter(|text| !text.trim().is_empty()),
            email: self.email.filter(|text| !text.trim().is_empty()),
            context: self.context.filter(|text| !text.trim().is_empty()),
        })
    }
}

/// Two descriptions of entities to compare.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompareBody {
    /// The first of the two entities.
    a: ComparedEntity,
    /// The second of the two entities.
    b: ComparedEntity,
}

/// Compare two descriptions of entities
///
/// Uses the configured method, built-in or language model. The library is not searched.
#[utoipa::path(
    post, path = "/api/v1/entities/compare", tag = "knowledge", operation_id = "compare_entities",
    request_body = CompareBody,
    responses(
        (status = 200, description = "What is decided", body = Comparison),
        (status = 422, description = "Something said of them is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn compare_entities(
    State(server): State<Server>,
    _caller: Caller,
    Json(body): Json<CompareBody>,
) -> ApiResult<axum::Json<Comparison>> {
    let (a, b) = (body.a.into_profile("a")?, body.b.into_profile("b")?);
    Ok(axum::Json(server.app.compare_entities(&a, &b).await?.into()))
}

/// Get the state of the knowledge graph
///
/// Returns the numbers of nodes and edges, compares them with the tables, and reports the state of Apache AGE.
#[utoipa::path(
    get, path = "/api/v1/graph/health", tag = "knowledge", operation_id = "graph_health",
    responses((status = 200, description = "How it stands", body = GraphHealthAnswer)),
)]
pub(super) async fn graph_health(
    State(server): State<Server>,
    Caller(scope): Caller,
) -> ApiResult<axum::Json<GraphHealthAnswer>> {
    Ok(axum::Json(server.app.knowledge(&scope).graph_health().await?.into()))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct NeighborhoodQuery {
    /// Id of the entity in the center.
    entity_id: String,
    /// Number of steps from the entity; only 1 is supported.
    depth: Option<u64>,
    /// Maximum number of events, newest first; default 30, at most 200.
    limit: Option<u64>,
}

/// Get the neighborhood of an entity
///
/// Returns its newest events and the other entities in them, to draw as a graph.
#[utoipa::path(
    get, path = "/api/v1/graph/neighborhood", tag = "knowledge", operation_id = "graph_neighborhood",
    params(NeighborhoodQuery),
    responses(
        (status = 200, description = "Nodes and edges", body = NeighborhoodAnswer),
        (status = 404, description = "There is no such entity", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "Only one step can be gone", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get_neighborhood(
    State(server): State<Server>,
    Caller(scope): Caller,
    Query(query): Query<NeighborhoodQuery>,
) -> ApiResult<axum::Json<NeighborhoodAnswer>> {
    if let Some(depth) = query.depth.filter(|depth| *depth != 1) {
        return Err(invalid_field("depth", format!("depth is {depth}; only 1 is supported")).into());
    }
    let limit = query.limit.unwrap_or(30);
    if !(1..=MOST_EVENTS).contains(&limit) {
        return Err(invalid_field("limit", format!("limit is {limit}; it is 1 to {MOST_EVENTS}")).into());
    }
    let near = server.app.knowledge(&scope).neighborhood(entity_id(&query.entity_id)?, limit as usize).await?;
    let titles = server.app.knowledge(&scope).source_titles(near.events.iter().map(|event| event.source)).await?;
    Ok(axum::Json(NeighborhoodAnswer::new(near, &titles)))
}

/// Something to be remembered.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewMemory {
    /// Text of the memory, stored as a source.
    content: String,
    /// Title of the memory; default: the beginning of the text.
    title: Option<String>,
    /// Date of the memory: 2024-05-01 or an RFC 3339 time; default: now.
    date: Option<String>,
    /// Tags of the memory, for filters.
    tags: Option<Vec<String>>,
    /// Id of the project that the memory belongs to.
    project_id: Option<Uuid>,
    /// The message that it was said in.
    message_id: Option<String>,
    /// Id in another system. Storing the same id again makes a new revision.
    external_id: Option<String>,
}

/// Maximum length of a memory's generated title, in characters.
const TITLE: usize = 60;

/// Remember something
///
/// A memory is a source of origin `memory`: searched only with `include_memory`, read for what it tells, cited and
/// deleted like any other.
#[utoipa::path(
    post, path = "/api/v1/memories", tag = "knowledge", operation_id = "create_memory",
    request_body = NewMemory,
    responses(
        (status = 201, description = "It is kept", body = Source),
        (status = 200, description = "It was remembered already", body = Source),
        (status = 422, description = "Something said of it is not legal", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn add_memory(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(new): Json<NewMemory>,
) -> ApiResult<(StatusCode, axum::Json<Source>)> {
    let title = new.title.unwrap_or_else(|| ibid_language::one_line_at_most(&new.content, TITLE));
    let date = new.date.as_deref().map(str::parse).transpose();
    let reference = Reference {
        title: Some(title).filter(|title| !title.is_empty()),
        publication_date: date.map_err(|problem: Problem| problem.with_field("date"))?,
        ..Reference::default()
    };
    let draft = SourceDraft {
        content: SourceContent::Text(new.content),
        origin: Some(Origin::Memory),
        reference,
        tags: new.tags.unwrap_or_default(),
        project_id: new.project_id,
        message_id: new.message_id,
        external_id: new.external_id,
        ..SourceDraft::default()
    };
    let (described, fresh) = server.app.sources(&scope).create(draft).await?;
    Ok((if fresh { StatusCode::CREATED } else { StatusCode::OK }, axum::Json(described.into())))
}
