//! `ibid graph`

use clap::Subcommand;
use serde_json::Value as Json;

use super::{
    CommandResult, LocalLibrary, Output,
    api::Api,
    output::{number, print_fields},
};
use crate::wire::knowledge::GraphHealthAnswer;

#[derive(Subcommand)]
pub(super) enum GraphCommand {
    /// Rebuild the graph from the database
    Rebuild,
    /// Count nodes and edges, and compare them with the database
    Health,
}

pub(super) async fn run_health(api: &Api, output: &Output) -> CommandResult {
    print_health(&api.get("/api/v1/graph/health").json().await?, output)
}

/// Rebuilds the graph of a library that is opened here: the API has no operation for it.
pub(super) async fn run_rebuild(library: &LocalLibrary, output: &Output) -> CommandResult {
    let health = library.app.knowledge(&library.scope).rebuild_graph().await?;
    print_health(&serde_json::to_value(GraphHealthAnswer::from(health))?, output)
}

/// Prints the state of the graph, and returns true if it matches the tables.
fn print_health(health: &Json, output: &Output) -> CommandResult {
    let in_step = health["in_step"] == true;
    let (edges, age) = (&health["edges"], &health["age"]);
    let age_label = if age.is_null() {
        String::new()
    } else if age["extension_enabled"] != true {
        "not installed".to_owned()
    } else {
        let (nodes, edges) = (&age["nodes"], &age["edges"]);
        format!(
            "nur: {} entities, {} events, {} ACTED_IN, {} ABOUT, {} POSSIBLY_SAME",
            number(nodes, "Entity"),
            number(nodes, "Event"),
            number(edges, "ACTED_IN"),
            number(edges, "ABOUT"),
            number(edges, "POSSIBLY_SAME")
        )
    };
    let (entities, merged) = (number(health, "entities"), number(health, "merged_entities"));
    let (read, waiting) = (number(health, "sources_read"), number(health, "sources_waiting"));
    output.print_value(health, || {
        print_fields(&[
            ("entities", format!("{entities} ({merged} merged into others)")),
            ("events", number(health, "events").to_string()),
            ("mentions", number(health, "mentions").to_string()),
            ("acted in", number(edges, "ACTED_IN").to_string()),
            ("about", number(edges, "ABOUT").to_string()),
            ("possibly same", number(health, "possibly_same").to_string()),
            ("sources", format!("{read} read, {waiting} waiting")),
            ("Apache AGE", age_label),
            ("graph", if in_step { "in step" } else { "behind; `ibid graph rebuild` makes it again" }.to_owned()),
        ]);
    })?;
    Ok(in_step)
}
