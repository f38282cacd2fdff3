//! The one table of error codes. Every error that a client can see has its row here; docs/errors.md is made from it.

macro_rules! codes {
    ($($variant:ident, $name:literal, $status:literal, $title:literal, $help:literal;)*) => {
        /// A stable, machine-readable name of what went wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code {
            $(#[doc = $title] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The HTTP status that goes with it.
            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)* }
            }

            /// A short, fixed sentence for it.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }

            /// What a caller can do about it.
            pub const fn help(self) -> &'static str {
                match self { $(Self::$variant => $help,)* }
            }
        }
    };
}

codes! {
    // What was sent cannot be read.
    InvalidJson, "invalid_json", 400, "The body is not valid JSON.", "Send UTF-8 JSON with `Content-Type: application/json`.";
    InvalidMultipart, "invalid_multipart", 400, "The multipart body is broken or cut short.", "Send `multipart/form-data` with a field `file`, complete to its closing boundary.";
    InvalidBody, "invalid_body", 400, "The body could not be read to its end.", "Send the request again; check that `Content-Length` is right.";
    InvalidPath, "invalid_path", 400, "The path of the request is not valid UTF-8.", "Percent-encode names as UTF-8.";
    InvalidRequest, "invalid_request", 400, "The request is not valid HTTP for this address.", "See /docs for what each address takes.";
    Timeout, "timeout", 408, "The request took too long.", "Send it again; large uploads must keep moving.";
    BodyTooLarge, "body_too_large", 413, "The body is larger than the limit.", "Send less, or raise `upload_limit_bytes` or `json_limit_bytes` in the configuration.";
    UnsupportedMediaType, "unsupported_media_type", 415, "The content type is not one this address takes.", "Send `application/json`, or for uploads `multipart/form-data` or the raw bytes.";
    RangeNotSatisfiable, "range_not_satisfiable", 416, "The range lies outside the content.", "Ask for a range below the size that `Content-Range` names.";
    PreconditionFailed, "precondition_failed", 412, "The content is not the one named in the condition.", "Drop `If-Match`, or ask for the hash that it names.";

    // What was sent can be read and is wrong.
    InvalidField, "invalid_field", 422, "A field has a value that is not legal.", "`detail` says what would be.";
    InvalidQuery, "invalid_query", 422, "A query parameter has a value that is not legal.", "`detail` says what would be.";
    InvalidCursor, "invalid_cursor", 422, "The cursor is not one that this list gave out.", "Use `next_cursor` of the page before, unchanged, or none.";
    MissingFile, "missing_file", 422, "The upload has no field `file`.", "Name the part with the bytes `file`.";
    FilenameInvalid, "filename_invalid", 422, "The file name is not legal.", "At most 255 bytes of UTF-8, without `/`, `\\` or control characters.";
    MediaTypeInvalid, "media_type_invalid", 422, "The media type is not legal.", "Write it as `type/subtype`.";
    EntityTypeUnknown, "entity_type_unknown", 422, "The source type is not one of the twelve.", "`detail` lists them.";
    HashInvalid, "hash_invalid", 422, "A hash is not a SHA-256.", "Write it as 64 hexadecimal digits.";
    HashMismatch, "hash_mismatch", 422, "The bytes do not have the hash that was announced.", "Send them again; they were changed on the way or the hash is of something else.";
    ManifestEmpty, "manifest_empty", 422, "The tree has no entries.", "Name at least one path.";
    ManifestTooLarge, "manifest_too_large", 422, "The tree has too many entries.", "Split it into several manifests.";
    ManifestPathInvalid, "manifest_path_invalid", 422, "A path in the tree is not legal.", "Relative, `/` between segments, no `.` or `..`, at most 255 bytes a segment and 1,024 in all.";
    ManifestPathDuplicate, "manifest_path_duplicate", 422, "A path stands in the tree twice.", "Name each path once, and none as both a file and a folder.";
    ManifestEntryUnknown, "manifest_entry_unknown", 422, "The tree names an artifact that is not here.", "Upload the artifact first.";
    ManifestEntryMismatch, "manifest_entry_mismatch", 422, "The tree says something of an artifact that is not so.", "Leave `size_bytes` out, or give the artifact's.";
    PointerNameInvalid, "pointer_name_invalid", 422, "The namespace or name of the pointer is not legal.", "1 to 255 bytes, no empty, `.` or `..` segments, no control characters; a name does not end in `/advance` or `/history`.";
    PointerTypeUnknown, "pointer_type_unknown", 422, "The pointer type is not known.", "One of `bundle`, `corpus`, `snapshot`.";
    UrlInvalid, "url_invalid", 422, "The address is not one that can be fetched.", "Give an absolute http or https address without a user name or password.";
    UrlNotAllowed, "url_not_allowed", 422, "The address leads to a private network.", "Give a public address; for one inside, add its host to `fetch_allow` in the configuration.";
    ImportFormatUnknown, "import_format_unknown", 422, "What was sent is not a list of references, a list of addresses or a zip.", "Send BibTeX, BibLaTeX, RIS, CSL-JSON, a sitemap, one address a line, or a zip; or say which with `format`.";
    ImportUnreadable, "import_unreadable", 422, "No entry of the import could be read.", "`detail` says where it went wrong.";
    JobKindUnknown, "job_kind_unknown", 422, "The kind of job is not one that can be asked for.", "`detail` lists them.";
    IdempotencyKeyInvalid, "idempotency_key_invalid", 422, "The Idempotency-Key is not legal.", "1 to 255 visible ASCII characters.";
    IdempotencyKeyReused, "idempotency_key_reused", 422, "The Idempotency-Key was used for another request.", "Use a new key for a new request.";

    // What was asked for is not here, for this tenant.
    NotFound, "not_found", 404, "There is nothing at this address.", "See /docs for the addresses there are.";
    MethodNotAllowed, "method_not_allowed", 405, "This address does not take that method.", "See the `Allow` header.";
    ArtifactNotFound, "artifact_not_found", 404, "There is no such artifact.", "Check the hash; it is 64 hexadecimal digits.";
    ManifestNotFound, "manifest_not_found", 404, "There is no such manifest.", "Check the hash; create the manifest first.";
    PointerNotFound, "pointer_not_found", 404, "There is no such pointer.", "Create it with PUT.";
    SourceNotFound, "source_not_found", 404, "There is no such source.", "List the sources with GET /api/v1/sources.";
    RevisionNotFound, "revision_not_found", 404, "The source has no such revision.", "List them with GET /api/v1/sources/{id}/revisions.";
    SourceHasNoContent, "source_has_no_content", 404, "The source has no content.", "It was typed in, or could not be fetched; see `extraction_error` of the source.";
    SourceHasNoText, "source_has_no_text", 404, "The source has no text.", "While `status` is pending, wait; else `extraction_error` says why there is none.";
    DocumentNotFound, "document_not_found", 404, "There is no such document.", "List them with GET /api/v1/documents.";
    DocumentVersionNotFound, "document_version_not_found", 404, "The document has no such version.", "List them with GET /api/v1/documents/{id}/history.";
    DocumentCitationNotFound, "document_citation_not_found", 404, "The document has no citation with this number.", "List them with GET /api/v1/documents/{id}/citations.";
    DocumentFileNotFound, "document_file_not_found", 404, "The document has no such file.", "`assets` of the document lists them.";
    PageNotFound, "page_not_found", 404, "The document has no such page.", "The header `Ibid-Pages` says how many there are.";
    EntityNotFound, "entity_not_found", 404, "There is no such entity.", "List them with GET /api/v1/entities.";
    PairNotFound, "pair_not_found", 404, "There is no such pair to review.", "List them with GET /api/v1/entities/review.";
    ConversationNotFound, "conversation_not_found", 404, "There is no such conversation.", "List them with GET /api/v1/conversations.";
    MessageNotFound, "message_not_found", 404, "There is no such message.", "List those of a conversation with GET /api/v1/conversations/{id}/messages.";
    RunNotFound, "run_not_found", 404, "There is no such run.", "Open one with POST /api/v1/runs.";
    JobNotFound, "job_not_found", 404, "There is no such job.", "List the jobs with GET /api/v1/jobs.";

    // It contradicts what is here.
    PointerStale, "pointer_stale", 409, "The pointer is not where the caller expected it.", "Read the pointer, decide again, and advance from `current`.";
    PointerMoved, "pointer_moved", 409, "An existing pointer cannot be set to another manifest.", "Move it with POST …/advance, which says from where.";
    DocumentChanged, "document_changed", 409, "The document was changed by someone else meanwhile.", "`current` is how it is now, `yours` what was sent; put the two together and send it with the new `base_version`.";
    CitationNumberTaken, "citation_number_taken", 409, "Another citation of the document has this number.", "Ask for the next one with POST …/citation-number.";
    SourceIsCited, "source_is_cited", 409, "The document cites this source.", "Send `citations=remove` to take its citations out as well, or `citations=keep` to leave them.";
    DocumentDoesNotCompile, "document_does_not_compile", 422, "The text of the document cannot be set.", "`faults` say where and why.";
    DocumentTooDemanding, "document_too_demanding", 422, "Setting the document takes too long or too much memory.", "`detail` says how much there is; look for loops that do not end and for very large pictures.";
    StyleUnknown, "style_unknown", 422, "There is no such citation style.", "List them with GET /api/v1/styles, or bring a `.csl` file with POST /api/v1/styles.";
    CannotBeMade, "cannot_be_made", 422, "The answer cannot be made into that.", "`detail` says why; a website takes any answer.";
    ModelNotConfigured, "model_not_configured", 422, "No language model is configured.", "Set `chat` and `chat_model`, or ask with `mode: extractive`.";
    RunFailed, "run_failed", 502, "The run failed.", "`detail` says why; ask again.";
    ModelFailed, "model_failed", 502, "The language model did not answer.", "`detail` says why; check the provider, or ask with `mode: extractive`.";
    EntityConflict, "entity_conflict", 409, "The entities cannot be changed so.", "`detail` says why.";
    MessageExists, "message_exists", 409, "There is a message of that id already.", "Use another id, or none.";
    RunHasNoAnswer, "run_has_no_answer", 409, "The run has no answer.", "Wait for its end, or ask again.";
    RunHasEnded, "run_has_ended", 409, "The run has ended.", "Open another one.";
    RunAskedNothing, "run_asked_nothing", 409, "The run has not asked anything.", "Answer a run after its event `clarification_needed`.";
    RunIsNotYours, "run_is_not_yours", 409, "The run is carried out by the server.", "Only runs that were opened with POST /api/v1/runs take results and responses.";
    SettingIsFixed, "setting_is_fixed", 409, "The setting is made where the server was started.", "Change it in `ibid.toml`, the environment or the flags; `from` of GET /api/v1/settings says where it stands.";
    SourceCannotBeRefreshed, "source_cannot_be_refreshed", 409, "The source has no address to fetch it from again.", "Send the new bytes as `artifact_sha256`.";
    JobNotDead, "job_not_dead", 409, "Only a dead or cancelled job can be retried.", "Wait for it, or look at its state.";
    JobFinished, "job_finished", 409, "The job has ended already.", "Nothing is left to cancel.";
    IdempotencyInProgress, "idempotency_in_progress", 409, "A request with this Idempotency-Key is still running.", "Wait and send it again with the same key.";

    // Who is asking.
    ForbiddenOrigin, "forbidden_origin", 403, "The request comes from another site.", "Call from the app itself or from a program, not from a page of another origin.";
    ForbiddenHost, "forbidden_host", 403, "The Host header names an address this server does not answer for.", "Use the address that the server printed, or add the name to `allowed_hosts`.";

    // It is not the caller's fault.
    Unavailable, "unavailable", 503, "The server cannot do this right now.", "Try again after the time in `Retry-After`.";
    StorageFailed, "storage_failed", 503, "The blob store did not answer as it should.", "Try again; `/ready` says whether it is reachable.";
    Internal, "internal", 500, "Something went wrong inside the server.", "Tell the operator the `request_id`; the log has the cause.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_snake_case_and_statuses_are_errors() {
        let mut seen = std::collections::HashSet::new();
        for code in Code::ALL {
            let name = code.as_str();
            assert!(seen.insert(name), "{name} stands twice");
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{name}");
            assert!((400..600).contains(&code.status()), "{name}");
            assert!(code.title().ends_with('.') && code.help().ends_with('.'), "{name}");
        }
    }
}
