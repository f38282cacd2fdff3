//! `ibid entity`

use clap::Subcommand;
use ibid_app::ReviewDecision;
use ibid_domain::{EntityId, EntityType, Limit, MentionId, PairId};
use serde_json::{Value as Json, json};

use super::{
    CommandError, CommandResult, Output,
    api::Api,
    output::{BOLD, DIM, items, number, print_fields, print_table, text},
};

/// Number of events that `ibid entity show` prints, newest first.
const SHOWN_EVENTS: usize = 20;

#[derive(Subcommand)]
pub(super) enum EntityCommand {
    /// List people and things, the most often named first
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
    /// Show a person or thing, with its events and possible duplicates
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
    /// Confirm that the two of a pair are the same
    Confirm {
        /// Id of the pair, as `ibid entity review` prints it
        pair: PairId,
    },
    /// Decide that the two of a pair are not the same
    Refuse {
        /// Id of the pair, as `ibid entity review` prints it
        pair: PairId,
    },
    /// Undo the decision on a pair
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
    /// Split an entity: undo a merge, or move mentions to a new entity
    Split {
        /// Id of the entity that is split
        id: EntityId,
        /// Entity that was merged into it; default: the last one
        #[arg(long, conflicts_with = "mention")]
        entity: Option<EntityId>,
        /// A mention that names somebody else; may be given several times
        #[arg(long)]
        mention: Vec<MentionId>,
    },
}

pub(super) async fn run(command: EntityCommand, api: &Api, output: &Output) -> CommandResult {
    match command {
        EntityCommand::List { words, kind, limit } => {
            let mut query = vec![("q", words.join(" "))];
            query.extend(kind.map(|kind| ("type", kind.as_str().to_owned())));
            let entities = api.list("/api/v1/entities", &query, Limit::new(limit)?.get()).await?;
            output.print_value(&entities, || print_table(&entities.iter().map(entity_row).collect::<Vec<_>>()))?;
        }
        EntityCommand::Show { id } => {
            let entity = api.get(format!("/api/v1/entities/{id}")).json().await?;
            output.print_value(&entity, || print_entity(&entity))?;
        }
        EntityCommand::Review { limit } => {
            let pairs = api.list("/api/v1/entities/review", &[], Limit::new(limit)?.get()).await?;
            output.print_value(&pairs, || {
                if pairs.is_empty() {
                    anstream::println!("{DIM}nothing waits for a decision{DIM:#}");
                }
                pairs.iter().for_each(print_pair);
            })?;
        }
        EntityCommand::Confirm { pair } => decide_pair(api, output, pair, ReviewDecision::Same).await?,
        EntityCommand::Refuse { pair } => decide_pair(api, output, pair, ReviewDecision::Different).await?,
        EntityCommand::Undo { pair } => decide_pair(api, output, pair, ReviewDecision::Undo).await?,
        EntityCommand::Merge { id, into } => {
            let body = json!({ "into": into });
            let entity = api.post(format!("/api/v1/entities/{id}/merge")).body(&body).json().await?;
            output.print_value(&entity, || print_table(&[entity_row(&entity)]))?;
        }
        EntityCommand::Split { id, entity, mention } => {
            let body = match (entity, mention) {
                (Some(entity), _) => json!({ "entity_id": entity }),
                (None, mentions) if mentions.is_empty() => json!({}),
                (None, mentions) => json!({ "mention_ids": mentions }),
            };
            let parts = api.post(format!("/api/v1/entities/{id}/split")).body(&body).json().await?;
            output.print_value(&parts, || print_table(&[entity_row(&parts["entity"]), entity_row(&parts["split"])]))?;
        }
    }
    Ok(true)
}

async fn decide_pair(api: &Api, output: &Output, pair: PairId, decision: ReviewDecision) -> Result<(), CommandError> {
    let body = json!({ "decision": decision.as_str() });
    let decided = api.post(format!("/api/v1/entities/review/{pair}")).body(&body).json().await?;
    output.print_value(&decided, || print_pair(&decided))?;
    Ok(())
}

fn entity_row(entity: &Json) -> Vec<String> {
    vec![
        text(entity, "entity_id").to_owned(),
        text(entity, "type").to_owned(),
        number(entity, "mention_count").to_string(),
        text(entity, "name").to_owned(),
        join_fields(entity, &["role", "organization"]),
    ]
}

/// The fields that are known, with commas between them.
fn join_fields(entity: &Json, fields: &[&str]) -> String {
    fields.iter().map(|field| text(entity, field)).filter(|value| !value.is_empty()).collect::<Vec<_>>().join(", ")
}

fn print_entity(entity: &Json) {
    let aliases: Vec<_> = items(entity, "aliases").iter().filter_map(Json::as_str).collect();
    print_fields(&[
        ("entity", text(entity, "entity_id").to_owned()),
        ("name", text(entity, "name").to_owned()),
        ("type", text(entity, "type").to_owned()),
        ("role", text(entity, "role").to_owned()),
        ("organization", text(entity, "organization").to_owned()),
        ("email", text(entity, "email").to_owned()),
        ("also called", aliases.join(", ")),
        ("named", format!("{} times", number(entity, "mention_count"))),
        ("merged into", text(entity, "merged_into").to_owned()),
    ]);
    for event in items(entity, "events").iter().take(SHOWN_EVENTS) {
        let date = match (event["event_date"].as_str(), text(event, "dated_by")) {
            (Some(date), "document") => format!("{date} (date of the document)"),
            (Some(date), _) => date.to_owned(),
            (None, _) => "undated".to_owned(),
        };
        anstream::println!("\n{BOLD}{}{BOLD:#}  {DIM}{date}{DIM:#}", text(event, "category"));
        anstream::println!("{}", text(event, "narrative"));
    }
    for pair in items(entity, "possibly_same") {
        let [id, state, name] = ["pair_id", "state", "name"].map(|field| text(pair, field));
        anstream::println!("\n{DIM}pair {id} ({state}){DIM:#}  {name}");
    }
}

fn print_pair(pair: &Json) {
    for entity in [&pair["a"], &pair["b"]] {
        let about = join_fields(entity, &["role", "organization", "email"]);
        anstream::println!("{BOLD}{}{BOLD:#}  {DIM}{about}{DIM:#}", text(entity, "name"));
    }
    let confidence = pair["confidence"].as_f64().unwrap_or_default();
    let [id, state, reason] = ["pair_id", "state", "reason"].map(|field| text(pair, field));
    anstream::println!("{:.0} % – {reason}  {DIM}pair {id} ({state}){DIM:#}\n", confidence * 100.0);
}
