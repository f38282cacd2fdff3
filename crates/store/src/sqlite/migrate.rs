//! Brings the schema of a SQLite database up to date.
//!
//! The list of what was applied stands in `_sqlx_migrations`, the table that sqlx keeps on PostgreSQL too, so that both
//! engines are looked at in the same way.

use sha2::{Digest, Sha384};

use super::connection::Connection;
use crate::{
    EngineKind, Error, Result,
    migrations::{Migration, migrations},
    sql::SqlValue,
};

const CREATE_TABLE: &str = "CREATE TABLE IF NOT EXISTS _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
)";

/// Applies the migrations that are missing, each in a transaction with its row.
pub(super) fn run(connection: &mut Connection) -> Result<()> {
    connection.run_script(CREATE_TABLE)?;
    let known = migrations(EngineKind::Sqlite);
    let mut applied = Vec::new();
    for row in connection.rows("SELECT version, checksum FROM _sqlx_migrations ORDER BY version", vec![])? {
        let (Some(version), Some(checksum)) = (row.get::<i64>("version")?, row.get::<Vec<u8>>("checksum")?) else {
            return Err(Error::Corrupt("a row of _sqlx_migrations is not complete".to_owned()));
        };
        let Some(migration) = known.iter().find(|migration| migration.version == version) else {
            return Err(Error::Migration(format!(
                "the database has migration {version}, which this version of Ibid does not know; use a newer one"
            )));
        };
        if checksum != checksum_of(migration) {
            return Err(Error::Migration(format!("migration {version} was changed after it was applied")));
        }
        applied.push(version);
    }
    for migration in known.iter().filter(|migration| !applied.contains(&migration.version)) {
        connection.run("BEGIN IMMEDIATE")?;
        let result = apply(connection, migration);
        connection.run(if result.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        result?;
    }
    Ok(())
}

fn apply(connection: &mut Connection, migration: &Migration) -> Result<()> {
    connection.run_script(migration.sql)?;
    let values =
        vec![SqlValue::from(migration.version), SqlValue::from(migration.name), SqlValue::from(checksum_of(migration))];
    connection.execute(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES ($1, $2, TRUE, $3, 0)",
        values,
    )?;
    Ok(())
}

fn checksum_of(migration: &Migration) -> Vec<u8> {
    Sha384::digest(migration.sql.as_bytes()).to_vec()
}
