//! One transaction handle over both engines, and the values that go into and out of statements.
//!
//! Statements are written once, with `$1`-style parameters, which both engines read. A [`SqlValue`] is bound as each
//! engine's own type: an id is a UUID or 16 bytes, a time is a `timestamptz` or an integer of microseconds, JSON is
//! `jsonb` or text.

use std::sync::Arc;

use ibid_domain::{RunEvent, RunId, Sha256, Timestamp};
use serde_json::Value as Json;
use sqlx::{
    AssertSqlSafe, Decode, Encode, Row as _, SqlSafeStr, Type,
    encode::IsNull,
    postgres::{PgArgumentBuffer, PgArguments, PgRow, PgTypeInfo, PgValueRef},
};
use uuid::Uuid;

use crate::{
    Clock, EngineKind, Error, Result,
    rows::search::WordStatistics,
    sqlite::{SqliteRow, SqliteTransaction},
    store::{RunSignal, Signals},
};

/// An open transaction. Dropping it without [`Tx::commit`] undoes everything.
pub struct Tx {
    pub(crate) conn: Conn,
    pub(crate) clock: Clock,
    pub(crate) signals: Signals,
    pub(crate) jobs_changed: bool,
    pub(crate) library_changed: bool,
    pub(crate) run_events: Vec<(RunId, Arc<[RunEvent]>)>,
    pub(crate) word_statistics: WordStatistics,
    /// A power cut may take its changes back.
    pub(crate) is_relaxed: bool,
}

pub(crate) enum Conn {
    Sqlite(Box<SqliteTransaction>),
    Postgres(sqlx::Transaction<'static, sqlx::Postgres>),
}

impl Tx {
    /// Makes the changes durable; when this returns they survive a crash. Those of a transaction of
    /// [`Store::write_relaxed`](crate::Store::write_relaxed) survive a crash of the program, and perhaps not one of the
    /// machine.
    pub async fn commit(self) -> Result<()> {
        match self.conn {
            Conn::Sqlite(tx) => tx.commit().await?,
            Conn::Postgres(tx) => tx.commit().await?,
        }
        if self.jobs_changed {
            self.signals.jobs_changed();
        }
        if self.library_changed {
            self.signals.library_changed();
        }
        for (run, events) in self.run_events {
            self.signals.run_changed(run, RunSignal::Events(events));
        }
        Ok(())
    }

    /// The time as the store's clock has it.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn engine(&self) -> EngineKind {
        match self.conn {
            Conn::Sqlite(_) => EngineKind::Sqlite,
            Conn::Postgres(_) => EngineKind::Postgres,
        }
    }

    /// Runs a statement and says how many rows it touched.
    pub(crate) async fn execute(&mut self, sql: &'static str, values: Vec<SqlValue>) -> Result<u64> {
        self.execute_sql(sql, values).await
    }

    /// Runs a statement that was put together from constant parts.
    pub(crate) async fn execute_built(&mut self, sql: String, values: Vec<SqlValue>) -> Result<u64> {
        self.execute_sql(AssertSqlSafe(sql), values).await
    }

    async fn execute_sql(&mut self, sql: impl SqlSafeStr, values: Vec<SqlValue>) -> Result<u64> {
        Ok(match &mut self.conn {
            Conn::Sqlite(tx) => tx.execute(sql.into_sql_str().as_str(), values).await?,
            Conn::Postgres(tx) => {
                sqlx::query_with(sql, bind_postgres(values)?).execute(&mut **tx).await?.rows_affected()
            }
        })
    }

    /// Runs a query and returns all its rows.
    pub(crate) async fn fetch_all(&mut self, sql: &'static str, values: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        self.fetch_rows(sql, values).await
    }

    /// All rows of a statement that was put together from constant parts.
    pub(crate) async fn rows_built(&mut self, sql: String, values: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        self.fetch_rows(AssertSqlSafe(sql), values).await
    }

    async fn fetch_rows(&mut self, sql: impl SqlSafeStr, values: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        Ok(match &mut self.conn {
            Conn::Sqlite(tx) => {
                let rows = tx.rows(sql.into_sql_str().as_str(), values).await?;
                rows.into_iter().map(SqlRow::Sqlite).collect()
            }
            Conn::Postgres(tx) => {
                let rows = sqlx::query_with(sql, bind_postgres(values)?).fetch_all(&mut **tx).await?;
                rows.into_iter().map(SqlRow::Postgres).collect()
            }
        })
    }

    /// All rows of a statement that is planned for just these values and not kept.
    pub(crate) async fn rows_once(&mut self, sql: String, values: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        let sql = AssertSqlSafe(sql);
        Ok(match &mut self.conn {
            Conn::Sqlite(_) => return self.fetch_rows(sql, values).await,
            Conn::Postgres(tx) => {
                let rows = sqlx::query_with(sql, bind_postgres(values)?).persistent(false).fetch_all(&mut **tx).await?;
                rows.into_iter().map(SqlRow::Postgres).collect()
            }
        })
    }

    /// The first row, if there is one.
    pub(crate) async fn fetch_optional(&mut self, sql: &'static str, values: Vec<SqlValue>) -> Result<Option<SqlRow>> {
        Ok(self.fetch_all(sql, values).await?.into_iter().next())
    }

    /// Holds everyone else who asks for the same key until this transaction ends. SQLite has one writer anyway.
    pub(crate) async fn lock_key(&mut self, key: &str) -> Result<()> {
        if self.engine() == EngineKind::Postgres {
            self.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", params![key]).await?;
        }
        Ok(())
    }
}

/// Values for a statement, in order.
macro_rules! params {
    ($($value:expr),* $(,)?) => { vec![$($crate::sql::SqlValue::from($value)),*] };
}
pub(crate) use params;

/// A value that is bound to a parameter. `None` keeps its type, which PostgreSQL wants to know.
#[derive(Clone, Debug)]
pub(crate) enum SqlValue {
    Text(Option<String>),
    Int(Option<i64>),
    Real(Option<f64>),
    Uuid(Option<Uuid>),
    Bytes(Option<Vec<u8>>),
    Time(Option<Timestamp>),
    Json(Option<Json>),
    Vector(Vec<f32>),
}

macro_rules! value_from {
    ($($variant:ident: $type:ty, |$value:ident| $convert:expr;)*) => {$(
        impl From<$type> for SqlValue {
            fn from($value: $type) -> Self {
                Self::$variant(Some($convert))
            }
        }
        impl From<Option<$type>> for SqlValue {
            fn from(value: Option<$type>) -> Self {
                Self::$variant(value.map(|$value: $type| $convert))
            }
        }
    )*};
}

value_from! {
    Text: &str, |v| v.to_owned();
    Text: String, |v| v;
    Int: i64, |v| v;
    Real: f64, |v| v;
    Uuid: Uuid, |v| v;
    Uuid: ibid_domain::TenantId, |v| v.uuid();
    Uuid: ibid_domain::UserId, |v| v.uuid();
    Uuid: ibid_domain::PointerId, |v| v.uuid();
    Uuid: ibid_domain::JobId, |v| v.uuid();
    Uuid: ibid_domain::SourceId, |v| v.uuid();
    Uuid: ibid_domain::RevisionId, |v| v.uuid();
    Uuid: ibid_domain::ChunkId, |v| v.uuid();
    Uuid: ibid_domain::ConversationId, |v| v.uuid();
    Uuid: ibid_domain::RunId, |v| v.uuid();
    Uuid: ibid_domain::CitationId, |v| v.uuid();
    Uuid: ibid_domain::EntityId, |v| v.uuid();
    Uuid: ibid_domain::EventId, |v| v.uuid();
    Uuid: ibid_domain::MentionId, |v| v.uuid();
    Uuid: ibid_domain::PairId, |v| v.uuid();
    Uuid: ibid_domain::DocumentId, |v| v.uuid();
    Uuid: ibid_domain::DocumentCitationId, |v| v.uuid();
    Uuid: ibid_domain::MergeId, |v| v.uuid();
    Text: ibid_domain::MessageId, |v| v.as_str().to_owned();
    Text: &ibid_domain::MessageId, |v| v.as_str().to_owned();
    Bytes: Vec<u8>, |v| v;
    Bytes: Sha256, |v| v.as_bytes().to_vec();
    Time: Timestamp, |v| v;
    Json: Json, |v| v;
    Json: ibid_domain::JsonObject, |v| Json::Object(v);
}

/// A size or count as the databases keep it.
pub(crate) fn to_sql_int(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn bind_failed(error: sqlx::error::BoxDynError) -> Error {
    Error::Postgres(sqlx::Error::Encode(error))
}

fn bind_postgres(values: Vec<SqlValue>) -> Result<PgArguments> {
    use sqlx::Arguments;
    let mut arguments = PgArguments::default();
    for value in values {
        match value {
            SqlValue::Text(v) => arguments.add(v),
            SqlValue::Int(v) => arguments.add(v),
            SqlValue::Real(v) => arguments.add(v),
            SqlValue::Uuid(v) => arguments.add(v),
            SqlValue::Bytes(v) => arguments.add(v),
            SqlValue::Time(v) => arguments.add(v.map(PgTime)),
            SqlValue::Json(v) => arguments.add(v),
            SqlValue::Vector(v) => arguments.add(PgVector(v)),
        }
        .map_err(bind_failed)?;
    }
    Ok(arguments)
}

/// A vector as pgvector sends it: how many numbers, a zero, and the numbers.
struct PgVector(Vec<f32>);

impl Type<sqlx::Postgres> for PgVector {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("vector")
    }
}

impl Encode<'_, sqlx::Postgres> for PgVector {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, sqlx::error::BoxDynError> {
        buffer.extend_from_slice(&u16::try_from(self.0.len())?.to_be_bytes());
        buffer.extend_from_slice(&[0, 0]);
        for number in &self.0 {
            buffer.extend_from_slice(&number.to_be_bytes());
        }
        Ok(IsNull::No)
    }
}

/// A time as PostgreSQL sends it: microseconds since 2000.
struct PgTime(Timestamp);

const MICROS_FROM_1970_TO_2000: i64 = 946_684_800_000_000;

impl Type<sqlx::Postgres> for PgTime {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_name("timestamptz")
    }
}

impl Encode<'_, sqlx::Postgres> for PgTime {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, sqlx::error::BoxDynError> {
        let micros = self.0.as_micros().saturating_sub(MICROS_FROM_1970_TO_2000);
        Encode::<sqlx::Postgres>::encode(micros, buffer)
    }
}

impl<'r> Decode<'r, sqlx::Postgres> for PgTime {
    fn decode(value: PgValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
        let micros = <i64 as Decode<sqlx::Postgres>>::decode(value)?;
        Ok(Self(Timestamp::from_micros(micros.saturating_add(MICROS_FROM_1970_TO_2000))))
    }
}

/// A row of SQLite or PostgreSQL.
pub(crate) enum SqlRow {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl SqlRow {
    /// Returns the value of a column as `T`.
    pub(crate) fn get<T: FromColumn>(&self, name: &str) -> Result<T> {
        T::read_column(self, name)
    }

    /// A text that must read as one of our own types.
    pub(crate) fn parse<T: std::str::FromStr>(&self, name: &str) -> Result<T> {
        self.with_prefix("").parse(name)
    }

    /// Like [`SqlRow::parse`], or nothing.
    pub(crate) fn parse_opt<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>> {
        self.with_prefix("").parse_opt(name)
    }
}

impl SqlRow {
    /// The columns whose names begin so, for a row of several tables.
    pub(crate) fn with_prefix(&self, prefix: &'static str) -> PrefixedRow<'_> {
        PrefixedRow { row: self, prefix }
    }
}

/// The columns of a row that belong to one table; they are asked for without their prefix.
#[derive(Clone, Copy)]
pub(crate) struct PrefixedRow<'a> {
    row: &'a SqlRow,
    prefix: &'static str,
}

impl PrefixedRow<'_> {
    /// Returns the value of a column, named without the prefix.
    pub(crate) fn get<T: FromColumn>(self, name: &str) -> Result<T> {
        self.with_full_name(name, |name| self.row.get(name))
    }

    /// Does something with the whole name of a column. Names are put together for every column of every row: without
    /// an allocation.
    fn with_full_name<T>(&self, name: &str, with: impl FnOnce(&str) -> Result<T>) -> Result<T> {
        if self.prefix.is_empty() {
            return with(name);
        }
        let mut whole = [0; 64];
        let whole = whole.get_mut(..self.prefix.len() + name.len()).and_then(|whole| {
            let (first, rest) = whole.split_at_mut(self.prefix.len());
            first.copy_from_slice(self.prefix.as_bytes());
            rest.copy_from_slice(name.as_bytes());
            std::str::from_utf8(whole).ok()
        });
        with(whole.ok_or_else(|| Error::Corrupt(format!("the name of column {name} is too long")))?)
    }

    /// A text that must read as one of our own types.
    pub(crate) fn parse<T: std::str::FromStr>(self, name: &str) -> Result<T> {
        let parsed = |text: &str| text.parse().map_err(|_| Error::Corrupt(format!("{name} = '{text}'")));
        match self.text_column(name)? {
            Some(text) => parsed(text),
            None => parsed(&self.get::<String>(name)?),
        }
    }

    /// Like [`PrefixedRow::parse`], or nothing.
    pub(crate) fn parse_opt<T: std::str::FromStr>(self, name: &str) -> Result<Option<T>> {
        let Some(text) = self.get::<Option<String>>(name)? else { return Ok(None) };
        Ok(Some(text.parse().map_err(|_| Error::Corrupt(format!("{name} = '{text}'")))?))
    }

    /// The text of a column where it can be had without a copy, unless it is null.
    fn text_column(&self, name: &str) -> Result<Option<&str>> {
        match self.row {
            SqlRow::Sqlite(row) => self.with_full_name(name, |name| row.text(name)),
            SqlRow::Postgres(_) => Ok(None),
        }
    }

    /// JSON that must read as one of our own types.
    pub(crate) fn parse_json<T: serde::de::DeserializeOwned>(self, name: &str) -> Result<T> {
        if let Some(text) = self.text_column(name)? {
            return serde_json::from_str(text).map_err(|error| Error::Corrupt(format!("{name}: {error}")));
        }
        serde_json::from_value(self.get(name)?).map_err(|error| Error::Corrupt(format!("{name}: {error}")))
    }
}

/// `s.id AS s_id, s.kind AS s_kind`: columns of a table in a row of several, see [`SqlRow::with_prefix`].
pub(crate) fn prefix_columns(table: &str, columns: &[&str]) -> String {
    let named: Vec<_> = columns.iter().map(|column| format!("{table}.{column} AS {table}_{column}")).collect();
    named.join(", ")
}

/// A type that a column can be read as.
pub(crate) trait FromColumn: Sized {
    fn read_column(row: &SqlRow, name: &str) -> Result<Self>;
}

macro_rules! column {
    ($($type:ty: $sqlite:ty => |$s:ident| $from_sqlite:expr, $postgres:ty => |$p:ident| $from_postgres:expr;)*) => {$(
        impl FromColumn for Option<$type> {
            fn read_column(row: &SqlRow, name: &str) -> Result<Self> {
                match row {
                    SqlRow::Sqlite(row) => match row.get::<$sqlite>(name)? {
                        Some($s) => Ok(Some($from_sqlite)),
                        None => Ok(None),
                    },
                    SqlRow::Postgres(row) => match row.try_get::<Option<$postgres>, _>(name)? {
                        Some($p) => Ok(Some($from_postgres)),
                        None => Ok(None),
                    },
                }
            }
        }
        impl FromColumn for $type {
            fn read_column(row: &SqlRow, name: &str) -> Result<Self> {
                Option::<$type>::read_column(row, name)?.ok_or_else(|| Error::Corrupt(format!("{name} is null")))
            }
        }
    )*};
}

fn message_id(text: String) -> Result<ibid_domain::MessageId> {
    text.parse().map_err(|_| Error::Corrupt("an id of a message that is none".to_owned()))
}

fn hash(bytes: &[u8]) -> Result<Sha256> {
    bytes.try_into().map_err(|_| Error::Corrupt(format!("a hash of {} bytes", bytes.len())))
}

column! {
    String: String => |v| v, String => |v| v;
    i64: i64 => |v| v, i64 => |v| v;
    f64: f64 => |v| v, f64 => |v| v;
    u64: i64 => |v| u64::try_from(v).unwrap_or(0), i64 => |v| u64::try_from(v).unwrap_or(0);
    Uuid: Uuid => |v| v, Uuid => |v| v;
    ibid_domain::TenantId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::UserId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::PointerId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::JobId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::SourceId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::RevisionId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::ChunkId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::ConversationId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::RunId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::CitationId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::EntityId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::EventId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::MentionId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::PairId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::DocumentId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::DocumentCitationId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::MergeId: Uuid => |v| v.into(), Uuid => |v| v.into();
    ibid_domain::MessageId: String => |v| message_id(v)?, String => |v| message_id(v)?;
    bool: i64 => |v| v != 0, i64 => |v| v != 0;
    Vec<u8>: Vec<u8> => |v| v, Vec<u8> => |v| v;
    Sha256: Vec<u8> => |v| hash(&v)?, Vec<u8> => |v| hash(&v)?;
    Timestamp: i64 => |v| Timestamp::from_micros(v), PgTime => |v| v.0;
    Json: String => |v| serde_json::from_str(&v).map_err(|error| Error::Corrupt(error.to_string()))?, Json => |v| v;
}

impl FromColumn for ibid_domain::JsonObject {
    fn read_column(row: &SqlRow, name: &str) -> Result<Self> {
        Option::<Self>::read_column(row, name)?.ok_or_else(|| Error::Corrupt(format!("{name} is null")))
    }
}

impl FromColumn for Option<ibid_domain::JsonObject> {
    fn read_column(row: &SqlRow, name: &str) -> Result<Self> {
        match Option::<Json>::read_column(row, name)? {
            None => Ok(None),
            Some(Json::Object(object)) => Ok(Some(object)),
            Some(_) => Err(Error::Corrupt(format!("{name} is not an object"))),
        }
    }
}

/// `($3, $4), ($5, $6)`: rows of placeholders that follow `first - 1` others.
pub(crate) fn placeholder_rows(first: usize, rows: usize, columns: usize) -> String {
    let mut out = String::new();
    for row in 0..rows {
        out.push_str(if row == 0 { "(" } else { ", (" });
        for column in 0..columns {
            let comma = if column == 0 { "" } else { ", " };
            out.push_str(&format!("{comma}${}", first + row * columns + column));
        }
        out.push(')');
    }
    out
}

/// `($3, $4, $5)`: one list of placeholders.
pub(crate) fn placeholder_list(first: usize, count: usize) -> String {
    placeholder_rows(first, 1, count)
}
