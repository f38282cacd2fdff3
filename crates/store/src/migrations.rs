//! Versioned, forward-only changes of the schema, one file a step and an engine.

use sqlx::{
    SqlSafeStr,
    migrate::{Migration, MigrationType, Migrator},
};

use crate::EngineKind;

macro_rules! steps {
    ($($version:literal $name:literal;)*) => {
        /// Every step for an engine.
        pub(crate) fn migrator(engine: EngineKind) -> Migrator {
            let steps = match engine {
                EngineKind::Sqlite => vec![$(($version, $name, include_str!(concat!("../migrations/sqlite/", $name, ".sql")))),*],
                EngineKind::Postgres => vec![$(($version, $name, include_str!(concat!("../migrations/postgres/", $name, ".sql")))),*],
            };
            Migrator::with_migrations(
                steps
                    .into_iter()
                    .map(|(version, name, sql)| Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false))
                    .collect(),
            )
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
}
