//! SQLite on the caller's own thread, where handing rows to another one takes longer than reading or writing them: the
//! few of a search, the many of an import.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use ibid_domain::{Revision, Source, TenantId};
use rusqlite::{Connection, OpenFlags, types::Value as Held};
use uuid::Uuid;

use crate::{Chunk, Error, Result, sql::Value};

/// How many statements a connection keeps prepared.
const STATEMENTS: usize = 64;

/// So many pages are written one after the other before they are put in their places.
const CHECKPOINT: i64 = 16_000;

/// So many bytes of the database are read without copying them.
const MAPPED: i64 = 16 << 30;

/// Connections of this kind.
pub(crate) struct Connections(Arc<Shared>);

struct Shared {
    path: PathBuf,
    wait: Duration,
    writes: bool,
    free: Mutex<Vec<Opened>>,
}

struct Opened {
    connection: Connection,
    /// What is known of the statements that it was asked for.
    shapes: HashMap<String, Arc<Shape>>,
    /// Passages that were read since anyone last changed the database, which this version tells.
    passages: HashMap<(TenantId, i64), Fetched>,
    version: i64,
}

/// A passage with what it belongs to.
pub type Fetched = Arc<(Chunk, Source, Revision)>;

/// So many passages are kept by a connection.
const KEPT: usize = 10_000;

/// What is known of a statement.
#[derive(Debug, Default)]
struct Shape {
    /// The names of its columns, and the place of each.
    names: Vec<String>,
    places: HashMap<String, usize>,
    /// Which value each of its parameters takes. SQLite numbers `$2` by where it first stands.
    values: Vec<usize>,
}

impl Shape {
    fn of(statement: &rusqlite::Statement<'_>) -> Result<Self> {
        let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        let places = names.iter().cloned().zip(0..).collect();
        let mut values = Vec::with_capacity(statement.parameter_count());
        for at in 1..=statement.parameter_count() {
            let number = statement.parameter_name(at).and_then(|name| name.strip_prefix('$')?.parse::<usize>().ok());
            let number = number.and_then(|number| number.checked_sub(1));
            values.push(number.ok_or_else(|| Error::Config("a parameter is not called $ and its number".to_owned()))?);
        }
        Ok(Self { names, places, values })
    }

    /// The values in the order of the parameters.
    fn arranged(&self, values: Vec<Value>) -> Vec<Held> {
        let mut held: Vec<Held> = values.into_iter().map(held).collect();
        if self.values.iter().copied().eq(0..held.len()) {
            return held;
        }
        let last = |at: usize, number: usize| !self.values[at + 1..].contains(&number);
        let taken = |(at, number): (usize, &usize)| match held.get_mut(*number) {
            Some(value) if last(at, *number) => std::mem::replace(value, Held::Null),
            Some(value) => value.clone(),
            None => Held::Null,
        };
        self.values.iter().enumerate().map(taken).collect()
    }
}

/// A transaction on this thread.
pub(crate) struct Session {
    opened: Option<Opened>,
    of: Arc<Shared>,
    /// What keeps the others who write in this process waiting until it ends.
    _turn: Option<sqlx::pool::PoolConnection<sqlx::Sqlite>>,
}

/// A row that was read.
pub(crate) struct Row {
    values: Vec<Held>,
    shape: Arc<Shape>,
    /// The place that was not asked for yet: columns are mostly read in their order.
    next: AtomicUsize,
}

fn failed(error: rusqlite::Error) -> Error {
    Error::Sqlite(error)
}

impl Connections {
    /// To a database that is there, to read or to write.
    pub(crate) fn new(path: PathBuf, wait: Duration, writes: bool) -> Self {
        Self(Arc::new(Shared { path, wait, writes, free: Mutex::default() }))
    }

    /// Begins a transaction, which sees one state of the library throughout.
    pub(crate) fn begin(&self, turn: Option<sqlx::pool::PoolConnection<sqlx::Sqlite>>) -> Result<Session> {
        let free = self.0.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let opened = free.map_or_else(|| self.0.open(), Ok)?;
        opened.run(if self.0.writes { "BEGIN IMMEDIATE" } else { "BEGIN" })?;
        Ok(Session { opened: Some(opened), of: self.0.clone(), _turn: turn })
    }

    /// Closes what nobody uses.
    pub(crate) fn close(&self) {
        self.0.free.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Shared {
    fn open(&self) -> Result<Opened> {
        let access = if self.writes { OpenFlags::SQLITE_OPEN_READ_WRITE } else { OpenFlags::SQLITE_OPEN_READ_ONLY };
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags).map_err(failed)?;
        connection.busy_timeout(self.wait).map_err(failed)?;
        let set = |name: &str, value: i64| connection.pragma_update(None, name, value).map_err(failed);
        if self.writes {
            // FULL: what was acknowledged must survive a power cut.
            set("synchronous", 2)?;
            set("foreign_keys", 1)?;
            set("cache_size", -64_000)?;
            set("wal_autocheckpoint", CHECKPOINT)?;
        } else {
            // Pages are read where the system has them anyway.
            set("mmap_size", MAPPED)?;
        }
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(Opened { connection, shapes: HashMap::new(), passages: HashMap::new(), version: 0 })
    }

    fn give_back(&self, opened: Opened) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(opened);
    }
}

impl Opened {
    fn run(&self, sql: &str) -> Result<()> {
        self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute([])).map(drop).map_err(failed)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(opened) = self.opened.take()
            && opened.run("ROLLBACK").is_ok()
        {
            self.of.give_back(opened);
        }
    }
}

impl Session {
    /// Makes the changes durable.
    pub(crate) fn commit(mut self) -> Result<()> {
        if let Some(opened) = &self.opened {
            opened.run("COMMIT")?;
        }
        if let Some(opened) = self.opened.take() {
            self.of.give_back(opened);
        }
        Ok(())
    }

    /// Runs a statement and says how many rows it touched.
    pub(crate) fn execute(&mut self, sql: &str, values: Vec<Value>) -> Result<u64> {
        let Some(Opened { connection, shapes, .. }) = &mut self.opened else { return Ok(0) };
        let mut statement = connection.prepare_cached(sql).map_err(failed)?;
        let values = shape(shapes, sql, &statement)?.arranged(values);
        let touched = statement.execute(rusqlite::params_from_iter(values)).map_err(failed)?;
        Ok(touched as u64)
    }

    /// The passages that were read before and cannot have changed since.
    pub(crate) fn passages(&mut self) -> Result<&mut HashMap<(TenantId, i64), Fetched>> {
        let ended = || Error::Config("the transaction has ended".to_owned());
        let Opened { connection, passages, version, .. } = self.opened.as_mut().ok_or_else(ended)?;
        let now =
            connection.prepare_cached("PRAGMA data_version").and_then(|mut ask| ask.query_row([], |row| row.get(0)));
        let now = now.map_err(failed)?;
        if *version != now || passages.len() > KEPT {
            *version = now;
            passages.clear();
        }
        Ok(passages)
    }

    /// All rows of a statement.
    pub(crate) fn rows(&mut self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>> {
        let Some(Opened { connection, shapes, .. }) = &mut self.opened else { return Ok(vec![]) };
        let mut statement = connection.prepare_cached(sql).map_err(failed)?;
        let shape = shape(shapes, sql, &statement)?;
        let mut found = statement.query(rusqlite::params_from_iter(shape.arranged(values))).map_err(failed)?;
        let mut rows = Vec::new();
        while let Some(row) = found.next().map_err(failed)? {
            let values = (0..shape.names.len()).map(|at| row.get(at)).collect::<Result<_, _>>();
            rows.push(Row { values: values.map_err(failed)?, shape: shape.clone(), next: AtomicUsize::new(0) });
        }
        Ok(rows)
    }
}

/// What is known of a statement, found out if it is new.
fn shape(
    shapes: &mut HashMap<String, Arc<Shape>>,
    sql: &str,
    statement: &rusqlite::Statement<'_>,
) -> Result<Arc<Shape>> {
    if let Some(shape) = shapes.get(sql) {
        return Ok(shape.clone());
    }
    // Statements are made from constant parts, but lists in them have many lengths.
    if shapes.len() > 4 * STATEMENTS {
        shapes.clear();
    }
    let shape = Arc::new(Shape::of(statement)?);
    shapes.insert(sql.to_owned(), shape.clone());
    Ok(shape)
}

fn held(value: Value) -> Held {
    fn of<T>(value: Option<T>, held: impl Fn(T) -> Held) -> Held {
        value.map_or(Held::Null, held)
    }
    match value {
        Value::Text(v) => of(v, Held::Text),
        Value::Int(v) => of(v, Held::Integer),
        Value::Real(v) => of(v, Held::Real),
        Value::Uuid(v) => of(v, |v| Held::Blob(v.as_bytes().to_vec())),
        Value::Bytes(v) => of(v, Held::Blob),
        Value::Time(v) => of(v, |v| Held::Integer(v.as_micros())),
        Value::Json(v) => of(v, |v| Held::Text(v.to_string())),
        Value::Vector(v) => Held::Blob(v.iter().flat_map(|number| number.to_le_bytes()).collect()),
    }
}

impl Row {
    /// The value of a column, unless it is null.
    pub(crate) fn get<T: FromHeld>(&self, name: &str) -> Result<Option<T>> {
        match self.held(name)? {
            Held::Null => Ok(None),
            held => T::from_held(held).map(Some).ok_or_else(|| Error::Corrupt(format!("{name} is of another type"))),
        }
    }

    /// The text of a column, unless it is null.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>> {
        match self.held(name)? {
            Held::Null => Ok(None),
            Held::Text(text) => Ok(Some(text)),
            _ => Err(Error::Corrupt(format!("{name} is not text"))),
        }
    }

    fn held(&self, name: &str) -> Result<&Held> {
        let next = self.next.load(Ordering::Relaxed);
        let at = match self.shape.names.get(next) {
            Some(column) if column == name => next,
            _ => *self.shape.places.get(name).ok_or_else(|| Error::Corrupt(format!("there is no column {name}")))?,
        };
        self.next.store(at + 1, Ordering::Relaxed);
        Ok(&self.values[at])
    }
}

/// A type that a value can be read as.
pub(crate) trait FromHeld: Sized {
    fn from_held(held: &Held) -> Option<Self>;
}

macro_rules! from_held {
    ($($type:ty: $held:ident => |$value:ident| $convert:expr;)*) => {$(
        impl FromHeld for $type {
            fn from_held(held: &Held) -> Option<Self> {
                match held {
                    Held::$held($value) => $convert,
                    _ => None,
                }
            }
        }
    )*};
}

from_held! {
    String: Text => |v| Some(v.clone());
    i64: Integer => |v| Some(*v);
    f64: Real => |v| Some(*v);
    Uuid: Blob => |v| Uuid::from_slice(v).ok();
    Vec<u8>: Blob => |v| Some(v.clone());
}
