//! `ibid entity`

use clap::Subcommand;
use ibid_app::{EntitySplit, ReviewDecision, ReviewPair};
use ibid_domain::{DateSource, Entity, EntityId, EntityType, Limit, MentionId, PairId};
use ibid_store::{EntityFilter, EntityOrder};

use super::{
    CommandResult, LocalLibrary, Output,
    output::{BOLD, DIM, print_fields, print_table},
};
use crate::{http::knowledge::entity_answer, wire::knowledge};

#[derive(Subcommand)]
pub(super) enum EntityCommand {
    /// List who and what is known, those first that are named most
    List {
        /// Only those with these words in a name
        words: Vec<String>,
        /// Only those of this type: person, org, project, object, place or other
        #[arg(long = "type")]
        kind: Option<EntityType>,
        /// Maximum number of entities to list
        #[arg(long, default_value = "50")]
        limit: i64,
    },
    /// Show one, with what happened and who may be the same
    Show {
        /// Id of the entity, as `ibid entity list` prints it
        id: EntityId,
    },
    /// List pairs that may be the same
    Review {
        /// Maximum number of pairs to list
        #[arg(long, default_value = "20")]
        limit: i64,
    },
    /// Say that the two of a pair are the same
    Confirm {
        /// Id of the pair, as `ibid entity review` prints it
        pair: PairId,
    },
    /// Say that the two of a pair are not the same
    Refuse {
        /// Id of the pair, as `ibid entity review` prints it
        pair: PairId,
    },
    /// Take back what was said of a pair
    Undo {
        /// Id of the pair whose decision is undone
        pair: PairId,
    },
    /// Merge one entity into another
    Merge {
        /// Id of the entity that is merged and no longer listed
        id: EntityId,
        /// Id of the entity that remains
        into: EntityId,
    },
    /// Take one apart: undo a merge, or give mentions to somebody new
    Split {
        /// Id of the entity that is split
        id: EntityId,
        /// The one that was merged into it; the last if not said
        #[arg(long, conflicts_with = "mention")]
        entity: Option<EntityId>,
        /// A mention that names somebody else; may be given several times
        #[arg(long)]
        mention: Vec<MentionId>,
    },
}

pub(super) async fn run(command: EntityCommand, library: &LocalLibrary, output: &Output) -> CommandResult {
    let (app, scope) = (&library.app, &library.scope);
    match command {
        EntityCommand::List { words, kind, limit } => {
            let words = Some(words.join(" ").to_lowercase()).filter(|words| !words.is_empty());
            let filter = EntityFilter { kind, words, needs_review: None };
            let page = app.knowledge(scope).entities(&filter, EntityOrder::Often, Limit::new(limit)?, None).await?;
            let json: Vec<_> = page.items.iter().cloned().map(knowledge::Entity::from).collect();
            output.print_value(&json, || print_table(&page.items.iter().map(entity_row).collect::<Vec<_>>()))?;
        }
        EntityCommand::Show { id } => {
            let detail = app.knowledge(scope).entity(id).await?;
            let json = entity_answer(app, scope, detail.clone()).await?;
            let filter = ibid_store::EventFilter { entity: Some(id), ..Default::default() };
            let events = app.knowledge(scope).events(&filter, Limit::new(20)?, None).await?;
            output.print_value(&json, || {
                let one = &detail.entity;
                print_fields(&[
                    ("entity", one.id.to_string()),
                    ("name", one.name.clone()),
                    ("type", one.kind.as_str().to_owned()),
                    ("role", one.role.clone().unwrap_or_default()),
                    ("organization", one.organization.clone().unwrap_or_default()),
                    ("email", one.email.clone().unwrap_or_default()),
                    ("also called", one.aliases.join(", ")),
                    ("named", format!("{} times", one.mention_count)),
                    ("merged into", one.merged_into.map(|id| id.to_string()).unwrap_or_default()),
                ]);
                for event in &events.items {
                    let date = match event.best_date() {
                        Some((date, DateSource::Text)) => date.to_string(),
                        Some((date, DateSource::Document)) => format!("{date} (date of the document)"),
                        None => "undated".to_owned(),
                    };
                    anstream::println!("\n{BOLD}{}{BOLD:#}  {DIM}{date}{DIM:#}", event.category.as_str());
                    anstream::println!("{}", event.narrative);
                }
                for (pair, other) in &detail.pairs {
                    anstream::println!("\n{DIM}pair {} ({}){DIM:#}  {}", pair.id, pair.state.as_str(), other.name);
                }
            })?;
        }
        EntityCommand::Review { limit } => {
            let page = app.knowledge(scope).review_queue(Limit::new(limit)?, None).await?;
            let json: Vec<_> = page.items.iter().cloned().map(knowledge::EntityPair::from).collect();
            output.print_value(&json, || {
                if page.items.is_empty() {
                    anstream::println!("{DIM}nothing waits for a decision{DIM:#}");
                }
                page.items.iter().for_each(show_pair);
            })?;
        }
        EntityCommand::Confirm { pair } => decide_pair(library, output, pair, ReviewDecision::Same).await?,
        EntityCommand::Refuse { pair } => decide_pair(library, output, pair, ReviewDecision::Different).await?,
        EntityCommand::Undo { pair } => decide_pair(library, output, pair, ReviewDecision::Undo).await?,
        EntityCommand::Merge { id, into } => {
            let detail = app.knowledge(scope).merge_entities(id, into).await?;
            let entity = detail.entity.clone();
            output.print_value(&entity_answer(app, scope, detail).await?, || print_table(&[entity_row(&entity)]))?;
        }
        EntityCommand::Split { id, entity, mention } => {
            let split = match (entity, mention) {
                (Some(entity), _) => EntitySplit::Merged(entity),
                (None, mentions) if mentions.is_empty() => EntitySplit::LastMerge,
                (None, mentions) => EntitySplit::Mentions(mentions),
            };
            let (left, taken) = app.knowledge(scope).split_entity(id, split).await?;
            let rows = [entity_row(&left.entity), entity_row(&taken.entity)];
            let json = knowledge::SplitAnswer {
                entity: entity_answer(app, scope, left).await?,
                split: entity_answer(app, scope, taken).await?,
            };
            output.print_value(&json, || print_table(&rows))?;
        }
    }
    Ok(true)
}

async fn decide_pair(
    library: &LocalLibrary,
    output: &Output,
    pair: PairId,
    decision: ReviewDecision,
) -> Result<(), super::CommandError> {
    let decided = library.app.knowledge(&library.scope).review(pair, decision).await?;
    output.print_value(&knowledge::EntityPair::from(decided.clone()), || show_pair(&decided))?;
    Ok(())
}

fn entity_row(one: &Entity) -> Vec<String> {
    let about = [one.role.as_deref(), one.organization.as_deref()];
    vec![
        one.id.to_string(),
        one.kind.as_str().to_owned(),
        one.mention_count.to_string(),
        one.name.clone(),
        about.into_iter().flatten().collect::<Vec<_>>().join(", "),
    ]
}

fn show_pair(one: &ReviewPair) {
    let (a, b) = (&one.a, &one.b);
    let about = |one: &Entity| {
        let parts = [one.role.as_deref(), one.organization.as_deref(), one.email.as_deref()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    };
    anstream::println!("{BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}", a.name, about(a));
    anstream::println!("{BOLD}{}{BOLD:#}  {DIM}{}{DIM:#}", b.name, about(b));
    anstream::println!(
        "{:.0} % – {}  {DIM}pair {} ({}){DIM:#}\n",
        one.pair.confidence * 100.0,
        one.pair.reason,
        one.pair.id,
        one.pair.state.as_str()
    );
}
