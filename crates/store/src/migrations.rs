//! Versioned, forward-only changes of the schema: one file per step and engine.

use sqlx::{
    SqlSafeStr,
    migrate::{MigrationType, Migrator},
};

use crate::EngineKind;

/// One step of the schema.
pub(crate) struct Migration {
    pub(crate) version: i64,
    pub(crate) name: &'static str,
    pub(crate) sql: &'static str,
}

macro_rules! steps {
    ($($version:literal $name:literal;)*) => {
        /// Returns every step for an engine, in order.
        pub(crate) fn migrations(engine: EngineKind) -> Vec<Migration> {
            match engine {
                EngineKind::Sqlite => vec![$(Migration {
                    version: $version,
                    name: $name,
                    sql: include_str!(concat!("../migrations/sqlite/", $name, ".sql")),
                }),*],
                EngineKind::Postgres => vec![$(Migration {
                    version: $version,
                    name: $name,
                    sql: include_str!(concat!("../migrations/postgres/", $name, ".sql")),
                }),*],
            }
        }
    };
}

steps! {
    1 "0001_substrate";
    2 "0002_jobs";
    3 "0003_sources";
    4 "0004_search";
    5 "0005_conversations";
    6 "0006_settings";
    7 "0007_knowledge";
    8 "0008_documents";
    9 "0009_document_dates";
    10 "0010_differences";
    11 "0011_rewritten";
}

/// The steps of PostgreSQL as sqlx applies them, under an advisory lock.
pub(crate) fn postgres_migrator() -> Migrator {
    let to_sqlx = |step: Migration| {
        sqlx::migrate::Migration::new(
            step.version,
            step.name.into(),
            MigrationType::Simple,
            step.sql.into_sql_str(),
            false,
        )
    };
    Migrator::with_migrations(migrations(EngineKind::Postgres).into_iter().map(to_sqlx).collect())
}
