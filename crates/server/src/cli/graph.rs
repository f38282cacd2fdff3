//! `ibid graph`

use clap::Subcommand;
use ibid_app::GraphHealth;

use super::{Library, Outcome, Output, output::fields};
use crate::http::knowledge::wire::GraphHealthAnswer;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Make the graph again from what is known
    Rebuild,
    /// Say how many nodes and edges there are, and whether they are what the tables say
    Health,
}

pub(super) async fn run(command: Command, library: &Library, output: &Output) -> Outcome {
    let (app, scope) = (&library.app, &library.scope);
    let health = match command {
        Command::Rebuild => app.rebuild_graph(scope).await?,
        Command::Health => app.graph_health(scope).await?,
    };
    let in_step = health.in_step();
    output.show(&GraphHealthAnswer::from(health.clone()), || show(&health))?;
    Ok(in_step)
}

fn show(health: &GraphHealth) {
    let counts = &health.counts;
    let age = match &health.age {
        None => String::new(),
        Some(age) if !age.ready => "not installed".to_owned(),
        Some(age) => format!(
            "nur: {} entities, {} events, {} ACTED_IN, {} ABOUT, {} POSSIBLY_SAME",
            age.entities, age.events, age.acted_in, age.about, age.possibly_same
        ),
    };
    fields(&[
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
