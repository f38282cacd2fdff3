//! What a filter lets through, in the SQL of both engines.

use ibid_domain::{AsOf, Origin, SearchFilter, SourceType, TenantId};
use serde_json::Value as Json;

use crate::{
    EngineKind,
    sql::{Value, params, placeholder_list},
};

/// The sources `s` and revisions `r` that a filter lets through.
pub(super) struct Narrowed {
    /// What must hold of `s` and `r`.
    pub(super) conditions: String,
    /// What the conditions name; `$1` is the tenant.
    pub(super) values: Vec<Value>,
    /// Whether it is about the revisions that sources stand at now.
    current: bool,
    /// Whether it asks for more of a revision than that the source stands at it.
    asks_revision: bool,
}

/// Whether a filter only leaves out what is left out unless it is asked for.
pub(super) fn is_plain(filter: &SearchFilter) -> bool {
    *filter == SearchFilter { memories: filter.memories, ..SearchFilter::default() }
}

/// When a source appeared: the first day of what is known of its date; else when it came.
const fn appeared(engine: EngineKind) -> &'static str {
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

impl Narrowed {
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
            built.also("s.origin <> $n", Origin::Memory.as_str().into());
        }
        if let Some(id) = filter.document_id {
            built.also("s.document_id = $n", id.into());
        }
        if let Some(id) = filter.project_id {
            built.also("s.project_id = $n", id.into());
        }
        match engine {
            EngineKind::Sqlite => {
                for tag in &filter.tags {
                    built.also("EXISTS (SELECT 1 FROM json_each(s.tags) WHERE value = $n)", tag.as_str().into());
                }
            }
            EngineKind::Postgres if filter.tags.is_empty() => {}
            EngineKind::Postgres => built.also("s.tags @> $n", Json::from(filter.tags.clone()).into()),
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
        let appeared = appeared(engine);
        if let Some(from) = filter.from {
            built.also(&format!("{appeared} >= $n"), from.into());
        }
        if let Some(to) = filter.to {
            built.also(&format!("{appeared} < $n"), to.into());
        }
        match filter.as_of {
            None => {}
            Some(AsOf::Time(time)) => built.newest(READ_THEN, time.into()),
            Some(AsOf::Manifest(sha256)) => built.newest(NAMED, sha256.into()),
        }
        built
    }

    /// Another condition, in which `$n` is this value.
    fn also(&mut self, condition: &str, value: Value) {
        let n = self.value(value);
        self.conditions += &format!(" AND {}", condition.replace("$n", &n));
    }

    fn one_of(&mut self, column: &str, values: Vec<Value>) {
        if !values.is_empty() {
            let list = placeholder_list(self.values.len() + 1, values.len());
            self.conditions += &format!(" AND {column} IN {list}");
            self.values.extend(values);
        }
    }

    fn newest(&mut self, condition: &str, value: Value) {
        let newest = format!(
            "r.id IN (SELECT id FROM (
                 SELECT x.id, ROW_NUMBER() OVER (PARTITION BY x.source_id ORDER BY x.number DESC) AS place
                 FROM revisions x WHERE x.tenant_id = $1 AND {condition}) AS placed WHERE place = 1)"
        );
        self.also(&newest, value);
    }

    /// A further value of the statement; gives its name.
    pub(super) fn value(&mut self, value: Value) -> String {
        self.values.push(value);
        format!("${}", self.values.len())
    }

    /// `sources s JOIN revisions r …`
    pub(super) fn tables(&self) -> String {
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
