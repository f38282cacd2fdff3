//! One SQLite connection: statements that stay prepared, values in, rows out.

use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rusqlite::{Connection as RawConnection, OpenFlags, types::Value as SqliteValue};
use uuid::Uuid;

use crate::{Error, Result, sql::SqlValue};

/// Prepared statements kept by a connection.
const PREPARED_STATEMENTS: usize = 200;

/// Pages of the write-ahead log before SQLite copies them into the database: 64 MB, so that an import copies each page
/// once and not many times.
const CHECKPOINT_PAGES: i64 = 16_000;

/// Bytes of the database that a reader maps into memory instead of copying pages.
const MAPPED_BYTES: i64 = 16 << 30;

/// Page cache of the writer, in kibibytes (SQLite wants the negative number).
const WRITER_CACHE_KIB: i64 = -64_000;

/// What a connection may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// What a commit of a write transaction waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// The disk: the changes survive a power cut, and so do all that were committed before them.
    Full,
    /// Nothing: the changes survive the end of the program, and a power cut only if a later commit waited for the disk.
    Relaxed,
}

impl Durability {
    const fn synchronous(self) -> &'static str {
        match self {
            Self::Full => "FULL",
            Self::Relaxed => "NORMAL",
        }
    }
}

/// An open connection. It belongs to one thread at a time.
pub(super) struct Connection {
    raw: RawConnection,
    /// What the next commit waits for.
    durability: Durability,
    /// Rows that this connection had changed when the transaction began.
    changes_before: u64,
    plans: HashMap<String, Arc<StatementPlan>>,
}

/// Column names and parameter order of a statement.
#[derive(Debug, Default)]
struct StatementPlan {
    column_names: Vec<String>,
    column_places: HashMap<String, usize>,
    /// For each parameter the place of its value: SQLite numbers `$2` by where it first stands in the statement.
    value_places: Vec<usize>,
}

impl StatementPlan {
    fn new(statement: &rusqlite::Statement<'_>) -> Result<Self> {
        let column_names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        let column_places = column_names.iter().cloned().zip(0..).collect();
        let mut value_places = Vec::with_capacity(statement.parameter_count());
        for at in 1..=statement.parameter_count() {
            let number = statement.parameter_name(at).and_then(|name| name.strip_prefix('$')?.parse::<usize>().ok());
            let place = number.and_then(|number| number.checked_sub(1));
            value_places.push(place.ok_or_else(|| Error::Corrupt("a parameter is not called $ and a number".into()))?);
        }
        Ok(Self { column_names, column_places, value_places })
    }

    /// Puts the values into the order of the statement's parameters.
    fn arrange(&self, values: Vec<SqlValue>) -> Vec<SqliteValue> {
        let mut values: Vec<SqliteValue> = values.into_iter().map(to_sqlite).collect();
        if self.value_places.iter().copied().eq(0..values.len()) {
            return values;
        }
        let is_last_use = |at: usize, place: usize| !self.value_places[at + 1..].contains(&place);
        let take = |(at, place): (usize, &usize)| match values.get_mut(*place) {
            Some(value) if is_last_use(at, *place) => std::mem::replace(value, SqliteValue::Null),
            Some(value) => value.clone(),
            None => SqliteValue::Null,
        };
        self.value_places.iter().enumerate().map(take).collect()
    }
}

impl Connection {
    /// Opens a database file; a writer creates it if it is missing.
    pub(super) fn open(path: &Path, access: Access, busy_timeout: Duration) -> Result<Self> {
        let flags = match access {
            Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
            Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        };
        let raw = RawConnection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        raw.busy_timeout(busy_timeout)?;
        match access {
            Access::Write => {
                raw.pragma_update(None, "journal_mode", "WAL")?;
                // FULL: what was acknowledged survives a power cut, not only a crash of the program.
                raw.pragma_update(None, "synchronous", Durability::Full.synchronous())?;
                raw.pragma_update(None, "foreign_keys", true)?;
                raw.pragma_update(None, "cache_size", WRITER_CACHE_KIB)?;
                raw.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
            }
            Access::Read => raw.pragma_update(None, "mmap_size", MAPPED_BYTES)?,
        }
        raw.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
        Ok(Self { raw, durability: Durability::Full, changes_before: 0, plans: HashMap::new() })
    }

    /// Begins a write transaction. IMMEDIATE takes the write lock at once: a transaction that reads first and writes
    /// later would otherwise fail when another process wrote in between.
    pub(super) fn begin_write(&mut self, durability: Durability) -> Result<()> {
        if self.durability != durability {
            // SQLite refuses this inside a transaction, and runs it when it is prepared: it must not stay prepared.
            self.raw.pragma_update(None, "synchronous", durability.synchronous())?;
            self.durability = durability;
        }
        self.changes_before = self.raw.total_changes();
        self.run("BEGIN IMMEDIATE")
    }

    /// Commits, and says whether there was any change. Without one SQLite does not touch the disk.
    pub(super) fn commit(&self) -> Result<bool> {
        self.run("COMMIT")?;
        Ok(self.raw.total_changes() > self.changes_before)
    }

    /// Runs a statement without parameters.
    pub(super) fn run(&self, sql: &str) -> Result<()> {
        self.raw.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    /// Runs several statements, as a migration has them.
    pub(super) fn run_script(&self, sql: &str) -> Result<()> {
        Ok(self.raw.execute_batch(sql)?)
    }

    /// Runs a statement and returns the number of rows it changed.
    pub(super) fn execute(&mut self, sql: &str, values: Vec<SqlValue>) -> Result<u64> {
        let mut statement = self.raw.prepare_cached(sql)?;
        let values = statement_plan(&mut self.plans, sql, &statement)?.arrange(values);
        Ok(statement.execute(rusqlite::params_from_iter(values))? as u64)
    }

    /// Returns all rows of a statement.
    pub(super) fn rows(&mut self, sql: &str, values: Vec<SqlValue>) -> Result<Vec<SqliteRow>> {
        let mut statement = self.raw.prepare_cached(sql)?;
        let plan = statement_plan(&mut self.plans, sql, &statement)?;
        let mut found = statement.query(rusqlite::params_from_iter(plan.arrange(values)))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let values = (0..plan.column_names.len()).map(|at| row.get(at)).collect::<Result<_, rusqlite::Error>>()?;
            rows.push(SqliteRow { values, plan: plan.clone(), next: AtomicUsize::new(0) });
        }
        Ok(rows)
    }
}

fn statement_plan(
    plans: &mut HashMap<String, Arc<StatementPlan>>,
    sql: &str,
    statement: &rusqlite::Statement<'_>,
) -> Result<Arc<StatementPlan>> {
    if let Some(plan) = plans.get(sql) {
        return Ok(plan.clone());
    }
    // Statements are made from constant parts, but lists in them have many lengths.
    if plans.len() > 4 * PREPARED_STATEMENTS {
        plans.clear();
    }
    let plan = Arc::new(StatementPlan::new(statement)?);
    plans.insert(sql.to_owned(), plan.clone());
    Ok(plan)
}

fn to_sqlite(value: SqlValue) -> SqliteValue {
    fn or_null<T>(value: Option<T>, convert: impl Fn(T) -> SqliteValue) -> SqliteValue {
        value.map_or(SqliteValue::Null, convert)
    }
    match value {
        SqlValue::Text(v) => or_null(v, SqliteValue::Text),
        SqlValue::Int(v) => or_null(v, SqliteValue::Integer),
        SqlValue::Real(v) => or_null(v, SqliteValue::Real),
        SqlValue::Uuid(v) => or_null(v, |v| SqliteValue::Blob(v.as_bytes().to_vec())),
        SqlValue::Bytes(v) => or_null(v, SqliteValue::Blob),
        SqlValue::Time(v) => or_null(v, |v| SqliteValue::Integer(v.as_micros())),
        SqlValue::Json(v) => or_null(v, |v| SqliteValue::Text(v.to_string())),
        SqlValue::Vector(v) => SqliteValue::Blob(v.iter().flat_map(|number| number.to_le_bytes()).collect()),
    }
}

/// A row that was read, with its values copied out of the database.
pub(crate) struct SqliteRow {
    values: Vec<SqliteValue>,
    plan: Arc<StatementPlan>,
    /// The column after the one read last: columns are mostly read in their order.
    next: AtomicUsize,
}

impl SqliteRow {
    /// Returns the value of a column, or `None` if it is null.
    pub(crate) fn get<T: FromSqlite>(&self, name: &str) -> Result<Option<T>> {
        match self.value(name)? {
            SqliteValue::Null => Ok(None),
            value => T::from_sqlite(value)
                .map(Some)
                .ok_or_else(|| Error::Corrupt(format!("column {name} holds a value of another type"))),
        }
    }

    /// Returns the text of a column without copying it, or `None` if it is null.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>> {
        match self.value(name)? {
            SqliteValue::Null => Ok(None),
            SqliteValue::Text(text) => Ok(Some(text)),
            _ => Err(Error::Corrupt(format!("column {name} is not text"))),
        }
    }

    fn value(&self, name: &str) -> Result<&SqliteValue> {
        let next = self.next.load(Ordering::Relaxed);
        let at = match self.plan.column_names.get(next) {
            Some(column) if column == name => next,
            _ => *self
                .plan
                .column_places
                .get(name)
                .ok_or_else(|| Error::Corrupt(format!("the statement has no column {name}")))?,
        };
        self.next.store(at + 1, Ordering::Relaxed);
        Ok(&self.values[at])
    }
}

/// A type that a column of SQLite can be read as.
pub(crate) trait FromSqlite: Sized {
    fn from_sqlite(value: &SqliteValue) -> Option<Self>;
}

macro_rules! from_sqlite {
    ($($type:ty: $variant:ident => |$value:ident| $convert:expr;)*) => {$(
        impl FromSqlite for $type {
            fn from_sqlite(value: &SqliteValue) -> Option<Self> {
                match value {
                    SqliteValue::$variant($value) => $convert,
                    _ => None,
                }
            }
        }
    )*};
}

from_sqlite! {
    String: Text => |v| Some(v.clone());
    i64: Integer => |v| Some(*v);
    f64: Real => |v| Some(*v);
    Uuid: Blob => |v| Uuid::from_slice(v).ok();
    Vec<u8>: Blob => |v| Some(v.clone());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_transaction_waits_for_the_disk_or_does_not() {
        const NORMAL: i64 = 1;
        const FULL: i64 = 2;
        let folder = tempfile::tempdir().unwrap();
        let mut connection =
            Connection::open(&folder.path().join("test.db"), Access::Write, Duration::from_secs(1)).unwrap();
        connection.run_script("CREATE TABLE numbers (number INTEGER)").unwrap();
        for round in 0..3 {
            for (durability, expected) in [(Durability::Relaxed, NORMAL), (Durability::Full, FULL)] {
                connection.begin_write(durability).unwrap();
                connection.execute("INSERT INTO numbers VALUES ($1)", vec![SqlValue::Int(Some(round))]).unwrap();
                let level: i64 = connection.raw.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
                assert_eq!(level, expected, "{durability:?} in round {round}");
                assert!(connection.commit().unwrap());
            }
        }
        connection.begin_write(Durability::Full).unwrap();
        assert!(!connection.commit().unwrap(), "nothing was changed");
    }
}
