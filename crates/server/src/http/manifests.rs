//! `/api/v1/manifests`

use std::fmt;

use axum::{
    body::Body,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use ibid_app::{EntryDraft, ManifestDraft, ZipStream};
use ibid_domain::{Code, Problem, artifact::MediaType, problem::shorten_for_error};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use utoipa::ToSchema;

use super::{
    Server,
    extract::{Caller, Json, Paging, Path, Query, hash_in_path},
    problem::ApiResult,
};
use crate::wire::{self, parse::hash_in_field};

/// Request to create a manifest.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewManifest {
    /// Files of the manifest, by path.
    #[schema(value_type = std::collections::HashMap<String, NewTreeEntry>)]
    tree: NewTree,
    /// SHA-256 of the parent manifest, if there is one.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    parent_sha256: Option<String>,
    /// Reason for the manifest, like a commit message.
    message: Option<String>,
}

/// One file of a manifest to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewTreeEntry)]
pub(super) struct NewTreeEntry {
    /// Its artifact, which must be here.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    sha256: String,
    /// Media type of the file; default: that of the artifact.
    media_type: Option<String>,
    /// Size in bytes; default: that of the artifact. A different size is an error.
    size_bytes: Option<u64>,
    /// The type of source; default: that of the artifact.
    #[schema(value_type = Option<wire::values::SourceType>)]
    entity_type: Option<String>,
}

/// The pairs of a JSON object as they were sent. A map would hide that a path stands there twice.
struct NewTree(Vec<(String, NewTreeEntry)>);

impl<'de> Deserialize<'de> for NewTree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;

        impl<'de> Visitor<'de> for Pairs {
            type Value = NewTree;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of paths")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NewTree, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(NewTree(pairs))
            }
        }

        deserializer.deserialize_map(Pairs)
    }
}

impl NewManifest {
    fn into_draft(self) -> Result<ManifestDraft, Problem> {
        let mut tree = Vec::with_capacity(self.tree.0.len());
        for (path, entry) in self.tree.0 {
            let at = |problem: Problem, field: &str| {
                problem.with_field(format!("tree.{}.{field}", shorten_for_error(&path)))
            };
            let draft = EntryDraft {
                sha256: entry.sha256.parse().map_err(|problem| at(problem, "sha256"))?,
                media_type: entry
                    .media_type
                    .as_deref()
                    .map(MediaType::new)
                    .transpose()
                    .map_err(|problem| at(problem, "media_type"))?,
                size_bytes: entry.size_bytes,
                entity_type: entry
                    .entity_type
                    .as_deref()
                    .map(str::parse)
                    .transpose()
                    .map_err(|problem| at(problem, "entity_type"))?,
            };
            tree.push((path, draft));
        }
        let parent = self.parent_sha256.as_deref().map(|text| hash_in_field(text, "parent_sha256")).transpose()?;
        Ok(ManifestDraft { tree, parent, message: self.message })
    }
}

/// Make a manifest
///
/// The same tree, parent and message are the same manifest. Every artifact named must be here.
#[utoipa::path(
    post, path = "/api/v1/manifests", tag = "manifests", operation_id = "create_manifest",
    request_body = NewManifest,
    responses(
        (status = 201, description = "Made", body = wire::Manifest),
        (status = 200, description = "Known already", body = wire::Manifest),
        (status = 404, description = "The parent is not here", body = wire::Problem, content_type = "application/problem+json"),
        (status = 422, description = "The tree is not legal", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn create(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(new): Json<NewManifest>,
) -> ApiResult<(StatusCode, axum::Json<wire::Manifest>)> {
    let (manifest, tree, new) = server.app.manifests(&scope).create(new.into_draft()?).await?;
    let status = if new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, axum::Json(wire::Manifest::new(manifest, &tree))))
}

/// Get a manifest with its tree of files
#[utoipa::path(
    get, path = "/api/v1/manifests/{sha256}", tag = "manifests", operation_id = "get_manifest",
    params(("sha256" = String, Path, description = "Its hash")),
    responses(
        (status = 200, description = "The manifest", body = wire::Manifest),
        (status = 404, description = "There is none", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn get_one(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(sha256): Path<String>,
) -> ApiResult<axum::Json<wire::Manifest>> {
    let (manifest, tree) = server.app.manifests(&scope).get(hash_in_path(&sha256, Code::ManifestNotFound)?).await?;
    Ok(axum::Json(wire::Manifest::new(manifest, &tree)))
}

/// A manifest and those it came after, newest first
#[utoipa::path(
    get, path = "/api/v1/manifests/{sha256}/log", tag = "manifests", operation_id = "get_manifest_log",
    params(("sha256" = String, Path, description = "Its hash"), Paging),
    responses(
        (status = 200, description = "One page", body = wire::Page<wire::ManifestSummary>),
        (status = 404, description = "There is none", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn log(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(sha256): Path<String>,
    Query(paging): Query<Paging>,
) -> ApiResult<axum::Json<wire::Page<wire::ManifestSummary>>> {
    let sha256 = hash_in_path(&sha256, Code::ManifestNotFound)?;
    let page = server.app.manifests(&scope).log(sha256, paging.limit()?, paging.cursor()?.as_ref()).await?;
    Ok(axum::Json(wire::Page::from_page(page, wire::ManifestSummary::from)))
}

/// Compare two manifests by path
#[utoipa::path(
    get, path = "/api/v1/manifests/{sha256}/diff/{other}", tag = "manifests", operation_id = "diff_manifests",
    params(("sha256" = String, Path, description = "The first"), ("other" = String, Path, description = "The second")),
    responses(
        (status = 200, description = "What differs on the way from the first to the second", body = wire::ManifestDiff),
        (status = 404, description = "One is not here", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn diff(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path((from, to)): Path<(String, String)>,
) -> ApiResult<axum::Json<wire::ManifestDiff>> {
    let (from, to) = (hash_in_path(&from, Code::ManifestNotFound)?, hash_in_path(&to, Code::ManifestNotFound)?);
    let (before, after) = server.app.manifests(&scope).pair(from, to).await?;
    Ok(axum::Json(wire::ManifestDiff::new(from, to, &before.diff(&after))))
}

/// The files of a manifest as a zip
#[utoipa::path(
    get, path = "/api/v1/manifests/{sha256}/archive", tag = "manifests", operation_id = "get_manifest_archive",
    params(("sha256" = String, Path, description = "Its hash")),
    responses(
        (status = 200, description = "The zip, made while it is sent", content_type = "application/zip", body = wire::FileBytes),
        (status = 404, description = "There is none", body = wire::Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn download_archive(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(sha256): Path<String>,
) -> ApiResult<Response> {
    let sha256 = hash_in_path(&sha256, Code::ManifestNotFound)?;
    let archive = server.app.manifests(&scope).zip(sha256).await?;
    Ok(as_zip(archive, &sha256.to_string()[..16]))
}

/// A zip that is sent while it is made.
pub(super) fn as_zip(mut archive: ZipStream, name: &str) -> Response {
    let pieces = async_stream::stream! {
        while let Some(piece) = archive.next().await {
            yield piece;
        }
    };
    let name = format!("attachment; filename=\"{name}.zip\"");
    let headers = [(header::CONTENT_TYPE, "application/zip".to_owned()), (header::CONTENT_DISPOSITION, name)];
    (headers, Body::from_stream(pieces)).into_response()
}
