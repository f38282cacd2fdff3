//! The tools about who is who: `graph_health` and `entity_review_queue`.

use ibid_domain::{Cursor, Limit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Mcp, tool_answer::ToolAnswer, tool_table::ToolArguments};
use crate::wire::knowledge::{EntityPair, GraphHealthAnswer};

/// Arguments of the tool `graph_health`, which has none.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct GraphHealthArgs {}

/// Arguments of the tool `entity_review_queue`.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ReviewQuery {
    /// At most so many, 1 to 500. By default 20.
    limit: Option<i64>,
    /// `next_cursor` of the answer before.
    cursor: Option<String>,
}

/// Pairs that nobody has decided.
#[derive(Serialize, ToSchema)]
pub(super) struct ReviewQueue {
    /// The pairs, the likeliest first.
    pairs: Vec<EntityPair>,
    /// `cursor` for those that follow; null if these are all.
    #[schema(required)]
    next_cursor: Option<String>,
}

/// Runs the tool `graph_health`: returns the state of the knowledge graph.
pub(super) async fn graph_health(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let GraphHealthArgs {} = arguments.parse_into()?;
    let health = mcp.app.knowledge(&mcp.scope).graph_health().await?;
    let counts = &health.counts;
    let text = format!(
        "{} entities, {} events, {} ACTED_IN, {} ABOUT, {} POSSIBLY_SAME; {} sources read, {} waiting; {}.{}",
        counts.entities,
        counts.events,
        counts.actor_links,
        counts.subject_links,
        health.open_pairs,
        health.read,
        health.unread,
        if health.in_step() { "the graph is in step" } else { "the graph is behind; graph_upsert jobs are waiting" },
        match &health.age {
            Some(age) if age.ready => " Apache AGE has it as `nur`.",
            Some(_) => " Apache AGE is not installed.",
            None => "",
        }
    );
    ToolAnswer::new(&GraphHealthAnswer::from(health), text)
}

/// Lists pairs that nobody has decided.
pub(super) async fn review_queue(mcp: &Mcp, arguments: ToolArguments) -> ibid_app::Result<ToolAnswer> {
    let query: ReviewQuery = arguments.parse_into()?;
    let limit = Limit::new(query.limit.unwrap_or(20)).map_err(|problem| problem.with_field("limit"))?;
    let after = query.cursor.as_deref().map(Cursor::decode).transpose()?;
    let page = mcp.app.knowledge(&mcp.scope).review_queue(limit, after.as_ref()).await?;
    let mut text = match page.items.len() {
        0 => "Nothing waits for a decision.".to_owned(),
        count => format!("{count} pairs wait for a decision:"),
    };
    for one in &page.items {
        text.push_str(&format!(
            "\n{}: {} / {} ({:.0} %, {})",
            one.pair.id,
            one.a.name,
            one.b.name,
            one.pair.confidence * 100.0,
            one.pair.reason
        ));
    }
    let next_cursor = page.next.as_ref().map(Cursor::encode);
    ToolAnswer::new(&ReviewQueue { pairs: page.items.into_iter().map(EntityPair::from).collect(), next_cursor }, text)
}
