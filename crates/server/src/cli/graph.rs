//! `ibid graph`

use clap::Subcommand;
use ibid_app::GraphHealth;

use super::{CommandResult, LocalLibrary, Output, output::print_fields};
use crate::wire::knowledge::GraphHealthAnswer;

#[derive(Subcommand)]
pub(super) enum GraphCommand {
    /// Make the graph again from what is known
    Rebuild,
    /// Say how many nodes and edges there are, and whether they are what the tables say
    Health,
}

pub(super) async fn run(command: GraphCommand, library: &LocalLibrary, output: &Output) -> CommandResult {
    let (app, scope) = (&library.app, &library.scope);
    let health = match command {
        GraphCommand::Rebuild => app.knowledge(scope).rebuild_graph().await?,
        GraphCommand::Health => app.knowledge(scope).graph_health().await?,
    };
    let in_step = health.in_step();
    output.print_value(&GraphHealthAnswer::from(health.clone()), || print_health(&health))?;
    Ok(in_step)
}

fn print_health(health: &GraphHealth) {
    let counts = &health.counts;
    let age = match &health.age {
        None => String::new(),
        Some(age) if !age.ready => "not installed".to_owned(),
        Some(age) => format!(
            "nur: {} entities, {} events, {} ACTED_IN, {} ABOUT, {} POSSIBLY_SAME",
            age.entities, age.events, age.acted_in, age.about, age.possibly_same
        ),
    };
    print_fields(&[
        ("entities", format!("{} ({} merged into others)", counts.entities, counts.merged)),
        ("events", counts.events.to_string()),
        ("mentions", counts.mentions.to_string()),
        ("acted in", counts.actor_links.to_string()),
        ("about", counts.subject_links.to_string()),
        ("possibly same", health.open_pairs.to_string()),
        ("sources", format!("{} read, {} waiting", health.read, health.unread)),
        ("Apache AGE", age),
        ("graph", if health.in_step() { "in step" } else { "behind; `ibid graph rebuild` makes it again" }.to_owned()),
    ]);
}
