//! The tools about who is who: `graph_health` and `entity_review_queue`.

use ibid_domain::{Cursor, Limit};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Mcp, answer::Answer, table::Arguments};
use crate::http::knowledge::wire::{GraphHealthAnswer, Pair};

/// Nothing is asked.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct HealthQuery {}

/// Which pairs to look at.
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
    pairs: Vec<Pair>,
    /// `cursor` for those that follow; null if these are all.
    #[schema(required)]
    next_cursor: Option<String>,
}

/// Says how the graph stands.
pub(super) async fn health(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let HealthQuery {} = arguments.read()?;
    let health = mcp.app.graph_health(&mcp.scope).await?;
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
    Answer::new(&GraphHealthAnswer::from(health), text)
}

/// Lists pairs that nobody has decided.
pub(super) async fn review_queue(mcp: &Mcp, arguments: Arguments) -> ibid_app::Result<Answer> {
    let query: ReviewQuery = arguments.read()?;
    let limit = Limit::new(query.limit.unwrap_or(20)).map_err(|problem| problem.field("limit"))?;
    let after = query.cursor.as_deref().map(Cursor::decode).transpose()?;
    let page = mcp.app.review_queue(&mcp.scope, limit, after.as_ref()).await?;
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
    Answer::new(&ReviewQueue { pairs: page.items.into_iter().map(Pair::from).collect(), next_cursor }, text)
}
