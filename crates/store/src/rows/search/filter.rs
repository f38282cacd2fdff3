//! What a filter lets through, in the SQL of both engines.

use ibid_domain::{AsOf, Origin, SearchFilter, SourceType, TenantId};
use serde_json::Value as Json;

use crate::{
    EngineKind,
    sql::{SqlValue, params, placeholder_list},
};

/// The sources `s` and revisions `r` that a filter lets through.
pub(super) struct FilterSql {
    /// SQL condition on the tables `s` and `r`.
    pub(super) conditions: String,
    /// Values bound to the conditions; `$1` is the tenant.
    pub(super) values: Vec<SqlValue>,
    /// True if only the current revisions of sources are searched.
    current: bool,
    /// True if a condition needs columns of the revision, so that it has to be joined.
    asks_revision: bool,
}

/// True if the filter restricts nothing beyond the default.
pub(super) fn is_plain(filter: &SearchFilter) -> bool {
    *filter == SearchFilter { memories: filter.memories, ..SearchFilter::default() }
}

/// Returns the SQL for the date of a source: its publication date, else the time it was added.
const fn published_at_sql(engine: EngineKind) -> &'static str {
    match engine {
        EngineKind::Sqlite => {
            "COALESCE(unixepoch(SUBSTR((s.reference ->> 'publication_date') || '-01-01', 1, 10)) * 1000000, s.created_at)"
        }
        EngineKind::Postgres => {
            "COALESCE(CAST(SUBSTR((s.reference ->> 'publication_date') || '-01-01', 1, 10) || ' 00:00:00+00' AS timestamptz),
                 s.created_at)"
        }
    }
}

/// The revisions of which the newest of each source was what it said at a time …
const READ_THEN: &str = "x.extracted_at <= $n";
/// … or is what a manifest names.
const NAMED: &str = "x.extracted_at IS NOT NULL AND (x.manifest_sha256 = $n
    OR x.content_sha256 IN (SELECT artifact_sha256 FROM manifest_entries WHERE tenant_id = $1 AND manifest_sha256 = $n)
    OR x.text_sha256 IN (SELECT artifact_sha256 FROM manifest_entries WHERE tenant_id = $1 AND manifest_sha256 = $n))";

impl FilterSql {
    pub(super) fn new(engine: EngineKind, tenant: TenantId, filter: &SearchFilter) -> Self {
        let mut built = Self {
            conditions: "s.tenant_id = $1".to_owned(),
            values: params![tenant],
            current: filter.as_of.is_none(),
            asks_revision: filter.as_of.is_some() || !filter.languages.is_empty(),
        };
        let names = |kinds: &[SourceType]| kinds.iter().map(|kind| kind.as_str().into()).collect();
        built.one_of("s.kind", names(&filter.kinds));
        built.one_of("s.origin", filter.origins.iter().map(|origin| origin.as_str().into()).collect());
        built.one_of("s.id", filter.sources.iter().map(|id| (*id).into()).collect());
        // Who asks for memories by their origin asks for them.
        if !filter.memories && !filter.origins.contains(&Origin::Memory) {
            built.add_condition("s.origin <> $n", Origin::Memory.as_str().into());
        }
        if let Some(id) = filter.document_id {
            built.add_condition("s.document_id = $n", id.into());
        }
        if let Some(id) = filter.project_id {
            built.add_condition("s.project_id = $n", id.into());
        }
        match engine {
            EngineKind::Sqlite => {
                for tag in &filter.tags {
                    built.add_condition(
                        "EXISTS (SELECT 1 FROM json_each(s.tags) WHERE value = $n)",
                        tag.as_str().into(),
                    );
                }
            }
            EngineKind::Postgres if filter.tags.is_empty() => {}
            EngineKind::Postgres => built.add_condition("s.tags @> $n", Json::from(filter.tags.clone()).into()),
        }
        if !filter.languages.is_empty() {
            // A text may say more than its language: en-GB, pt_BR.
            let language = match engine {
                EngineKind::Sqlite => {
                    "LOWER(SUBSTR(r.language, 1, INSTR(REPLACE(r.language, '_', '-') || '-', '-') - 1))"
                }
                EngineKind::Postgres => "LOWER(SPLIT_PART(REPLACE(r.language, '_', '-'), '-', 1))",
            };
            built.one_of(language, filter.languages.iter().map(|code| code.as_str().into()).collect());
        }
        let appeared = published_at_sql(engine);
        if let Some(from) = filter.from {
            built.add_condition(&format!("{appeared} >= $n"), from.into());
        }
        if let Some(to) = filter.to {
            built.add_condition(&format!("{appeared} < $n"), to.into());
        }
        match filter.as_of {
            None => {}
            Some(AsOf::Time(time)) => built.restrict_to_newest(READ_THEN, time.into()),
            Some(AsOf::Manifest(sha256)) => built.restrict_to_newest(NAMED, sha256.into()),
        }
        built
    }

    /// Another condition, in which `$n` is this value.
    fn add_condition(&mut self, condition: &str, value: SqlValue) {
        let n = self.bind_value(value);
        self.conditions += &format!(" AND {}", condition.replace("$n", &n));
    }

    fn one_of(&mut self, column: &str, values: Vec<SqlValue>) {
        if !values.is_empty() {
            let list = placeholder_list(self.values.len() + 1, values.len());
            self.conditions += &format!(" AND {column} IN {list}");
            self.values.extend(values);
        }
    }

    fn restrict_to_newest(&mut self, condition: &str, value: SqlValue) {
        let newest = format!(
            "r.id IN (SELECT id FROM (
                 SELECT x.id, ROW_NUMBER() OVER (PARTITION BY x.source_id ORDER BY x.number DESC) AS place
                 FROM revisions x WHERE x.tenant_id = $1 AND {condition}) AS placed WHERE place = 1)"
        );
        self.add_condition(&newest, value);
    }

    /// A further value of the statement; gives its name.
    pub(super) fn bind_value(&mut self, value: SqlValue) -> String {
        self.values.push(value);
        format!("${}", self.values.len())
    }

    /// `sources s JOIN revisions r …`
    pub(super) fn tables_clause(&self) -> String {
        let of = if self.current { "r.id = s.revision_id" } else { "r.source_id = s.id" };
        format!("sources s JOIN revisions r ON {of}")
    }

    /// `JOIN sources s …`, to a table with `revision_id`; `r` only where it is asked about. That the source is the
    /// passage's own need not be said: a revision has one source, and PostgreSQL would take a second condition for
    /// one that leaves far fewer rows.
    pub(super) fn joined_to(&self, table: &str) -> String {
        match (self.current, self.asks_revision) {
            (true, false) => format!("JOIN sources s ON s.revision_id = {table}.revision_id"),
            (true, true) => format!(
                "JOIN sources s ON s.revision_id = {table}.revision_id JOIN revisions r ON r.id = {table}.revision_id"
            ),
            (false, _) => {
                format!("JOIN revisions r ON r.id = {table}.revision_id JOIN sources s ON s.id = r.source_id")
            }
        }
    }
}
