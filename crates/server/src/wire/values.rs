//! Closed sets of values. The schema lists every value of a set, under one name wherever it is used.

use std::{borrow::Cow, fmt};

use serde::{Serialize, Serializer};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, Type},
};

/// A set of values that each have a name on the wire.
pub(crate) trait ClosedSet: Copy + 'static {
    /// Name of the set in the schema.
    const NAME: &'static str;
    /// Description of the set in the schema.
    const ABOUT: &'static str;

    /// Names of all values, in the order in which the schema lists them.
    fn all_names() -> Vec<&'static str>;

    /// Name of this value on the wire.
    fn wire_name(self) -> &'static str;
}

/// A value of a closed set, sent by its name. Requests name values as text, so that each handler can say what is wrong
/// in its own words; `#[schema(value_type = …)]` describes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OneOf<T>(pub(crate) T);

impl<T> From<T> for OneOf<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: ClosedSet> fmt::Display for OneOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.wire_name())
    }
}

impl<T: ClosedSet> Serialize for OneOf<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.wire_name())
    }
}

impl<T: ClosedSet> PartialSchema for OneOf<T> {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(T::ABOUT))
            .enum_values(Some(T::all_names()))
            .into()
    }
}

impl<T: ClosedSet> ToSchema for OneOf<T> {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed(T::NAME)
    }
}

/// Describes sets that are parsed where they are used: names of the schema, without a value.
macro_rules! described_sets {
    ($($name:ident, $about:literal, [$($value:literal),*];)*) => {$(
        pub(crate) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .description(Some($about))
                    .enum_values(Some([$($value),*]))
                    .into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }
    )*};
}

described_sets! {
    BibliographyEntries, "One entry for each source, or one for each citation.", ["per_source", "per_citation"];
    ContentDisposition, "`inline` to show images, PDF and plain text in place.", ["inline", "attachment"];
    EntityOrder, "Those first that are named most, or the newest.", ["often", "newest"];
    ImportFormat, "Format of a list of references or addresses.", ["bibtex", "biblatex", "ris", "csl-json", "urls", "sitemap"];
    ReferenceForm, "Form of a reference.", ["bibliography", "note", "in_text"];
    ReferenceOutput, "Markup of formatted references.", ["text", "html", "markdown"];
    RemovedCitations, "Treatment of the citations of a source that is taken away.", ["keep", "remove"];
    SearchList, "A list that a search draws on.", ["words", "vectors"];
    SourceViewName, "Form of each item: as a source, with the fields of its type, or as a cited file.", ["source", "entity", "cited_file"];
}

/// Kinds of background jobs. A job of an older version may have a kind that is not listed.
pub(crate) struct JobKind;

impl PartialSchema for JobKind {
    fn schema() -> RefOr<Schema> {
        let kinds = ibid_app::job_kinds();
        ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some("Kind of a background job."))
            .enum_values(Some(kinds))
            .into()
    }
}

impl ToSchema for JobKind {}

/// Gives sets of the domain, which have `ALL` and `as_str`, their names in the schema.
macro_rules! closed_sets {
    ($($name:ident = $set:path, $about:literal;)*) => {$(
        impl ClosedSet for $set {
            const NAME: &'static str = stringify!($name);
            const ABOUT: &'static str = $about;

            fn all_names() -> Vec<&'static str> {
                Self::ALL.iter().map(|value| value.as_str()).collect()
            }

            fn wire_name(self) -> &'static str {
                self.as_str()
            }
        }

        pub(crate) type $name = OneOf<$set>;
    )*};
}

closed_sets! {
    ActorRole = ibid_domain::ActorRole, "Role of an actor in an event.";
    BlobStorageKind = ibid_store::BlobStoreKind, "Storage of artifacts.";
    CheckVerdict = ibid_domain::Verdict, "Result of checking a claim against what it cites; `unverifiable` where there is nothing to check against.";
    CitationState = ibid_domain::CitationState, "`changed` if a newer revision of the source no longer has the quoted words.";
    CiteAs = ibid_domain::CiteAs, "Form of the citations of a document.";
    DeliverableKind = ibid_app::DeliverableKind, "What an answer can be made into: a report (PDF, HTML, Markdown, Typst), a website or a presentation.";
    DifferenceKind = ibid_domain::DifferenceKind, "In what a claim and its source differ.";
    DocumentFormat = ibid_domain::DocumentFormat, "Markup language of a document.";
    EmbeddingState = ibid_domain::EmbeddingState, "State of the embeddings of a source, which a search by meaning needs.";
    EntityDecision = ibid_domain::Sameness, "Result of comparing two entities.";
    EntityType = ibid_domain::EntityType, "Type of an entity.";
    ErrorCode = ibid_domain::Code, "Stable name of what went wrong. /docs explains each.";
    EventCategory = ibid_domain::Category, "Category of an event.";
    EventDating = ibid_domain::DateSource, "Where the date of an event comes from: `text` if the source says when it was, `document` if it does not and the date of the document or message stands in.";
    FetchStrategy = ibid_domain::FetchStrategy, "Way for a client to get the content of a source.";
    JobChange = ibid_domain::job::JobChange, "Change of a job, as the stream of events tells it.";
    JobState = ibid_domain::job::JobState, "State of a job.";
    LibraryEngine = ibid_store::EngineKind, "Database of the library.";
    MarkKind = ibid_domain::MarkKind, "Kind of a named part of a text.";
    MessageRole = ibid_domain::MessageRole, "Author of a message.";
    MessageStatus = ibid_domain::MessageStatus, "State of a message.";
    MissingDetails = ibid_domain::MissingDetails, "What stands for details of a source that are not known: words such as Untitled, or the rule of the style.";
    PairState = ibid_domain::PairState, "Decision on two entities that may be the same.";
    PointerType = ibid_domain::PointerType, "Purpose of a pointer.";
    ReferenceFormat = ibid_bibliography::ReferenceFormat, "Format of references that other programs read.";
    RenderFormat = ibid_app::RenderFormat, "Format that a document is rendered to.";
    RequestedJob = ibid_app::JobKind, "Kind of a job that can be asked for.";
    ReviewDecision = ibid_app::ReviewDecision, "Decision of a person on two entities that may be the same.";
    RunMode = ibid_domain::RunMode, "Way of answering: by an agent elsewhere, in the words of the library, by a language model, or by a model after several searches.";
    RunPhase = ibid_domain::RunPhase, "Part of the work of a run.";
    RunStatus = ibid_domain::RunStatus, "State of a run.";
    SourceOrigin = ibid_domain::Origin, "Origin of a source.";
    SourceStatus = ibid_domain::SourceStatus, "Processing state of a source: `indexed` is found by words, `ready` by meaning, too.";
    SourceType = ibid_domain::SourceType, "Type of a source.";
    StyleKind = ibid_bibliography::StyleKind, "Citation system of a style.";
    TextChangeKind = ibid_documents::difference::TextChange, "Tells whether both versions of a text have a part, or which one.";
    Template = ibid_domain::Template, "Layout of a document.";
}
