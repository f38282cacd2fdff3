//! `/api/v1/styles`, and single references in a style.

use axum::{body::Body, extract::State, http::StatusCode};
use ibid_bibliography::{CitationForm, LARGEST_STYLE, OutputFormat, locale_tags};
use ibid_domain::{Code, MissingDetails, Problem, problem::shorten_for_error};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    http::{
        Server,
        extract::{Caller, Json, Path, read_body},
        problem::ApiResult,
        sources::source_id,
    },
    wire::{
        FileBytes, Problem as WireProblem,
        documents::{Locale, StyleView, StylesAnswer},
        values,
    },
};

fn parse_form(text: Option<&str>) -> Result<CitationForm, Problem> {
    match text.unwrap_or("bibliography") {
        "bibliography" => Ok(CitationForm::Bibliography),
        "note" => Ok(CitationForm::Note),
        "in_text" => Ok(CitationForm::InText),
        other => {
            let detail = format!("kind is '{}'; it is bibliography, note or in_text", shorten_for_error(other));
            Err(Problem::new(Code::InvalidField, detail).with_field("kind"))
        }
    }
}

/// The styles of references
///
/// Those that come with the program and those that were brought, and the languages references can be in.
#[utoipa::path(
    get, path = "/api/v1/styles", tag = "documents", operation_id = "list_styles",
    responses((status = 200, description = "All of them", body = StylesAnswer)),
)]
pub(in crate::http) async fn list(
    State(server): State<Server>,
    Caller(scope): Caller,
) -> ApiResult<axum::Json<StylesAnswer>> {
    let styles = server.app.documents(&scope).styles().await?;
    Ok(axum::Json(StylesAnswer {
        items: styles.into_iter().map(StyleView::from).collect(),
        locales: locale_tags().into_iter().map(|tag| Locale { tag }).collect(),
    }))
}

/// Bring a style
///
/// The text of a `.csl` file. One with the same title takes the place of the one before.
#[utoipa::path(
    post, path = "/api/v1/styles", tag = "documents", operation_id = "add_style",
    request_body(content(
        (String = "application/xml"),
        (FileBytes = "application/octet-stream"),
    )),
    responses(
        (status = 201, description = "The style", body = StyleView),
        (status = 422, description = "It is not a style", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn create(
    State(server): State<Server>,
    Caller(scope): Caller,
    body: Body,
) -> ApiResult<(StatusCode, axum::Json<StyleView>)> {
    let body = read_body(body, LARGEST_STYLE as u64).await?;
    let text = std::str::from_utf8(&body)
        .map_err(|_| Problem::new(Code::InvalidBody, "a style is a file of XML in UTF-8").with_field("style"))?;
    Ok((StatusCode::CREATED, axum::Json(server.app.documents(&scope).add_style(text).await?.into())))
}

/// Remove a style that was brought
#[utoipa::path(
    delete, path = "/api/v1/styles/{style_id}", tag = "documents", operation_id = "delete_style",
    params(("style_id" = String, Path, description = "Its id, without `own/`")),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "There is none", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn delete(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    server.app.documents(&scope).delete_style(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Options for formatting a source as a reference.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(in crate::http) struct FormatSourceBody {
    /// The style: `apa` if none is named.
    style: Option<String>,
    /// Form of the reference; default bibliography.
    #[schema(value_type = Option<values::ReferenceForm>)]
    kind: Option<String>,
    /// The tag of the language; the style's own if none is named.
    locale: Option<String>,
    /// What stands for details that are not known; default placeholders.
    #[schema(value_type = Option<values::MissingDetails>)]
    missing: Option<String>,
}

/// A source formatted as a reference.
#[derive(Serialize, ToSchema)]
pub(in crate::http) struct FormattedSource {
    /// Reference as plain text, without markup.
    text: String,
    /// Reference as an HTML fragment.
    html: String,
    /// Reference as Markdown text.
    markdown: String,
    /// Id of the citation style that was used.
    style: String,
    /// Form of the reference.
    #[schema(value_type = values::ReferenceForm)]
    kind: String,
}

/// A source as a reference
///
/// To be copied: as text, for a browser and in Markdown.
#[utoipa::path(
    post, path = "/api/v1/sources/{id}/format", tag = "sources", operation_id = "format_source",
    params(("id" = String, Path, description = "The source")),
    request_body = FormatSourceBody,
    responses(
        (status = 200, description = "The reference", body = FormattedSource),
        (status = 404, description = "There is no such source", body = WireProblem, content_type = "application/problem+json"),
        (status = 422, description = "There is no such style", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn format_source(
    State(server): State<Server>,
    Caller(scope): Caller,
    Path(id): Path<String>,
    Json(body): Json<FormatSourceBody>,
) -> ApiResult<axum::Json<FormattedSource>> {
    let form = parse_form(body.kind.as_deref())?;
    let missing = body.missing.as_deref().map_or(Ok(MissingDetails::Placeholders), str::parse)?;
    let style = body.style.unwrap_or_else(|| "apa".to_owned());
    let locale = body.locale.as_deref();
    let made = server.app.documents(&scope).format_source(source_id(&id)?, &style, locale, form, missing).await?;
    let [text, html, markdown] = made;
    Ok(axum::Json(FormattedSource {
        text,
        html,
        markdown,
        style,
        kind: body.kind.unwrap_or_else(|| "bibliography".to_owned()),
    }))
}

/// References to be formatted.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct FormatItemsBody {
    /// References as CSL-JSON items.
    #[schema(value_type = Vec<serde_json::Value>)]
    items: Vec<serde_json::Value>,
    /// The style, or the text of a `.csl` file: `apa` if none is named.
    style: Option<String>,
    /// Form of the reference; default bibliography.
    #[schema(value_type = Option<values::ReferenceForm>)]
    kind: Option<String>,
    /// Markup of the result; default text.
    #[schema(value_type = Option<values::ReferenceOutput>)]
    output: Option<String>,
    /// The tag of the language; the style's own if none is named.
    locale: Option<String>,
}

/// A CSL-JSON item formatted as a reference.
#[derive(Serialize, ToSchema)]
pub(in crate::http) struct FormattedItem {
    /// Id of the CSL-JSON item, as in the request.
    id: String,
    /// Formatted reference as plain text.
    text: String,
}

/// CSL-JSON items formatted as references.
#[derive(Serialize, ToSchema)]
pub(in crate::http) struct FormattedItems {
    /// References in the order that the style sorts them.
    entries: Vec<FormattedItem>,
}

/// Format references
///
/// Items of CSL-JSON in any style: a bibliography in the style's order, or each item's note or citation.
#[utoipa::path(
    post, path = "/api/v1/citations/format", tag = "citations", operation_id = "format_references",
    request_body = FormatItemsBody,
    responses(
        (status = 200, description = "The references", body = FormattedItems),
        (status = 422, description = "An item cannot be read, or there is no such style", body = WireProblem, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn format_items(
    State(server): State<Server>,
    Caller(scope): Caller,
    Json(body): Json<FormatItemsBody>,
) -> ApiResult<axum::Json<FormattedItems>> {
    let form = parse_form(body.kind.as_deref())?;
    let output = match body.output.as_deref().unwrap_or("text") {
        "text" => OutputFormat::Text,
        "html" => OutputFormat::Html,
        "markdown" => OutputFormat::Markdown,
        other => {
            let detail = format!("output is '{}'; it is text, html or markdown", shorten_for_error(other));
            return Err(Problem::new(Code::InvalidField, detail).with_field("output").into());
        }
    };
    let style = body.style.as_deref().unwrap_or("apa");
    let formatter = server.app.documents(&scope).formatter(style, body.locale.as_deref()).await?;
    let entries = ibid_app::run_blocking(move || formatter.format(&body.items, form, output)).await??;
    let entries = entries.into_iter().map(|entry| FormattedItem { id: entry.id, text: entry.text }).collect();
    Ok(axum::Json(FormattedItems { entries }))
}
