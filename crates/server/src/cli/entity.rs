//! `ibid entity`

use clap::Subcommand;
use ibid_app::{ReviewDecision, ReviewPair, Split};
use ibid_domain::{Entity, EntityId, EntityType, Limit, MentionId, PairId};
use ibid_store::{EntityFilter, EntityOrder};

use super::{
    Library, Outcome, Output,
    output::{BOLD, DIM, fields, table},
};
use crate::http::knowledge::{whole, wire};

#[derive(Subcommand)]
pub(super) enum Command {
    /// List who and what is known, those first that are named most
    List {
        /// Only those with these words in a name
        words: Vec<String>,
        /// Only those of this type: person, org, project, object, place or other
        #[arg(long = "type")]
        kind: Option<EntityType>,
        /// How many
        #[arg(long, default_value = "50")]
        limit: i64,
    },
    /// Show one, with what happened and who may be the same
    Show {
        /// Its id
        id: EntityId,
    },
    /// List pairs that may be the same
    Review {
        /// How many
        #[arg(long, default_value = "20")]
        limit: i64,
    },
    /// Say that the two of a pair are the same
    Confirm {
        /// The pair
        pair: PairId,
    },
    /// Say that the two of a pair are not the same
    Refuse {
        /// The pair
        pair: PairId,
    },
    /// Take back what was said of a pair
    Undo {
        /// The pair
        pair: PairId,
    },
    /// Say that one is another
    Merge {
        /// The one that is another
        id: EntityId,
        /// The other
        into: EntityId,
    },
    /// Take one apart: undo a merge, or give mentions to somebody new
    Split {
        /// Its id
        id: EntityId,
        /// The one that was merged into it; the last if not said
        #[arg(long, conflicts_with = "mention")]
        entity: Option<EntityId>,
        /// A mention that names somebody else; may be given several times
        #[arg(long)]
        mention: Vec<MentionId>,
    },
}

pub(super) async fn run(command: Command, library: &Library, output: &Output) -> Outcome {
    let (app, scope) = (&library.app, &library.scope);
    match command {
        Command::List { words, kind, limit } => {
            let words = Some(words.join(" ").to_lowercase()).filter(|words| !words.is_empty());
            let filter = EntityFilter { kind, words, needs_review: None };
            let page = app.entities(scope, &filter, EntityOrder::Often, Limit::new(limit)?, None).await?;
            let json: Vec<_> = page.items.iter().cloned().map(wire::Entity::from).collect();
            output.show(&json, || table(&page.items.iter().map(row).collect::<Vec<_>>()))?;
        }
        Command::Show { id } => {
            let detail = app.entity(scope, id).await?;
            let json = whole(app, scope, detail.clone()).await?;
            let filter = ibid_store::EventFilter { entity: Some(id), ..Default::default() };
            let events = app.events(scope, &filter, Limit::new(20)?, None).await?;
            output.show(&json, || {
                let one = &detail.entity;
                fields(&[
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
                    let date = event.date.map_or_else(|| "undated".to_owned(), |date| date.to_string());
                    anstream::println!("\n{BOLD}{}{BOLD:#}  {DIM}{date}{DIM:#}", event.category.as_str());
                    anstream::println!("{}", event.narrative);
                }
                for (pair, other) in &detail.pairs {
                    anstream::println!("\n{DIM}pair {} ({}){DIM:#}  {}", pair.id, pair.state.as_str(), other.name);
                }
            })?;
        }
        Command::Review { limit } => {
            let page = app.review_queue(scope, Limit::new(limit)?, None).await?;
            let json: Vec<_> = page.items.iter().cloned().map(wire::Pair::from).collect();
            output.show(&json, || {
                if page.items.is_empty() {
                    anstream::println!("{DIM}nothing waits for a decision{DIM:#}");
                }
                page.items.iter().for_each(show_pair);
            })?;
        }
        Command::Confirm { pair } => decide(library, output, pair, ReviewDecision::Same).await?,
        Command::Refuse { pair } => decide(library, output, pair, ReviewDecision::Different).await?,
        Command::Undo { pair } => decide(library, output, pair, ReviewDecision::Undo).await?,
        Command::Merge { id, into } => {
            let detail = app.merge_entities(scope, id, into).await?;
            let entity = detail.entity.clone();
            output.show(&whole(app, scope, detail).await?, || table(&[row(&entity)]))?;
        }
        Command::Split { id, entity, mention } => {
            let split = match (entity, mention) {
                (Some(entity), _) => Split::Merged(entity),
                (None, mentions) if mentions.is_empty() => Split::LastMerge,
                (None, mentions) => Split::Mentions(mentions),
            };
            let (left, taken) = app.split_entity(scope, id, split).await?;
            let rows = [row(&left.entity), row(&taken.entity)];
            let json =
                wire::SplitAnswer { entity: whole(app, scope, left).await?, split: whole(app, scope, taken).await? };
            output.show(&json, || table(&rows))?;
        }
    }
    Ok(true)
}

async fn decide(
    library: &Library,
    output: &Output,
    pair: PairId,
    decision: ReviewDecision,
) -> Result<(), super::Failed> {
    let decided = library.app.review(&library.scope, pair, decision).await?;
    output.show(&wire::Pair::from(decided.clone()), || show_pair(&decided))?;
    Ok(())
}

fn row(one: &Entity) -> Vec<String> {
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
