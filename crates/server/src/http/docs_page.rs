//! `/docs`: the API described for people, made from the same document as `/openapi.json`. No script, no other request.

use std::fmt::Write;

use ibid_domain::Code;
use serde_json::Value as Json;
use utoipa::openapi::OpenApi;

const STYLE: &str = include_str!("docs_page.css");

/// Renders the API reference as one HTML page.
pub(super) fn render_page(document: &OpenApi) -> String {
    let json = serde_json::to_value(document).unwrap_or_default();
    let mut page = String::new();
    let title = format!("Ibid API {}", as_text(&json["info"]["version"]));
    let _ = write!(
        page,
        "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content='width=device-width'>\
         <link rel=icon href=/favicon.svg><title>{title}</title><style>{STYLE}</style></head><body><main><h1>{title}</h1><p>{}</p>\
         <p>For programs: <a href=/openapi.json>/openapi.json</a> (OpenAPI 3.1). The <a href=/docs/guide/>guide</a> explains how to use it. <a href=/>Back to the app</a>.</p>",
        render_prose(as_text(&json["info"]["description"]))
    );
    let operations = list_operations(&json);
    let tags = json["tags"].as_array().cloned().unwrap_or_default();
    page.push_str("<nav>");
    for tag in &tags {
        let _ = write!(page, "<a href='#{0}'>{0}</a> ", escape_html(as_text(&tag["name"])));
    }
    page.push_str("<a href='#schemas'>schemas</a> <a href='#errors'>errors</a></nav>");
    for tag in &tags {
        let name = as_text(&tag["name"]);
        let _ = write!(
            page,
            "<h2 id='{0}'>{0}</h2><p>{1}</p>",
            escape_html(name),
            render_prose(as_text(&tag["description"]))
        );
        for (path, method, operation) in operations.iter().filter(|(_, _, operation)| operation["tags"][0] == *name) {
            operation_section(&mut page, path, method, operation);
        }
    }
    page.push_str("<h2 id=schemas>Schemas</h2>");
    for (name, schema) in json["components"]["schemas"].as_object().into_iter().flatten() {
        schema_section(&mut page, name, schema);
    }
    page.push_str("<h2 id=errors>Errors</h2><p>Every error is a <a href='#schema-Problem'>Problem</a> with one of these codes.</p><table><tr><th>code<th>status<th>meaning");
    for code in Code::ALL {
        let _ = write!(
            page,
            "<tr id='{0}'><td><code>{0}</code><td>{1}<td>{2} {3}",
            code.as_str(),
            code.status(),
            render_prose(code.title()),
            render_prose(code.help())
        );
    }
    page.push_str("</table></main></body></html>");
    page
}

fn list_operations(json: &Json) -> Vec<(&str, &str, &Json)> {
    let paths = json["paths"].as_object().into_iter().flatten();
    paths
        .flat_map(|(path, item)| {
            item.as_object().into_iter().flatten().map(move |(method, op)| (path.as_str(), method.as_str(), op))
        })
        .filter(|(_, method, _)| matches!(*method, "get" | "put" | "post" | "patch" | "delete" | "head"))
        .collect()
}

fn operation_section(page: &mut String, path: &str, method: &str, operation: &Json) {
    let id = escape_html(as_text(&operation["operationId"]));
    let _ = write!(
        page,
        "<section id='{id}'><h3><span class=method>{}</span> <code>{}</code></h3><p>{}</p>",
        method.to_uppercase(),
        escape_html(path),
        render_prose(as_text(&operation["summary"]))
    );
    if let Some(more) = operation["description"].as_str() {
        let _ = write!(page, "<p>{}</p>", render_prose(more));
    }
    let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    let body = operation["requestBody"]["content"].as_object();
    if !parameters.is_empty() || body.is_some() {
        page.push_str("<table>");
        for parameter in parameters {
            let _ = write!(
                page,
                "<tr><td><code>{}</code><td>{}, {}<td>{}",
                escape_html(as_text(&parameter["name"])),
                escape_html(as_text(&parameter["in"])),
                type_of(&parameter["schema"]),
                render_prose(as_text(&parameter["description"]))
            );
        }
        for (kind, content) in body.into_iter().flatten() {
            let _ = write!(page, "<tr><td>body<td>{}<td>{}", escape_html(kind), type_of(&content["schema"]));
        }
        page.push_str("</table>");
    }
    page.push_str("<table>");
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        let contents = response["content"].as_object().into_iter().flatten();
        let types: Vec<_> = contents.map(|(_, content)| type_of(&content["schema"])).collect();
        let _ = write!(
            page,
            "<tr><td>{}<td>{}<td>{}",
            escape_html(status),
            render_prose(as_text(&response["description"])),
            types.join(" or ")
        );
    }
    page.push_str("</table></section>");
}

fn schema_section(page: &mut String, name: &str, schema: &Json) {
    let name = escape_html(name);
    let _ = write!(
        page,
        "<section id='schema-{name}'><h3>{name}</h3><p>{}</p><table>",
        render_prose(as_text(&schema["description"]))
    );
    let parts = schema["allOf"].as_array().map_or_else(|| vec![schema], |parts| parts.iter().collect());
    for part in parts {
        if part["$ref"].is_string() {
            let _ = write!(page, "<tr><td colspan=3>all of {}", type_of(part));
        }
        for (field, property) in part["properties"].as_object().into_iter().flatten() {
            let _ = write!(
                page,
                "<tr><td><code>{}</code><td>{}<td>{}",
                escape_html(field),
                type_of(property),
                render_prose(as_text(&property["description"]))
            );
        }
    }
    page.push_str("</table></section>");
}

fn type_of(schema: &Json) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = escape_html(reference.rsplit('/').next().unwrap_or_default());
        return format!("<a href='#schema-{name}'>{name}</a>");
    }
    if let Some(options) = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) {
        return options.iter().map(type_of).collect::<Vec<_>>().join(" or ");
    }
    let named = |kind: &str| match kind {
        "array" => format!("list of {}", type_of(&schema["items"])),
        kind => escape_html(kind),
    };
    match &schema["type"] {
        Json::String(kind) => schema["format"].as_str().map_or_else(|| named(kind), escape_html),
        Json::Array(kinds) => kinds.iter().filter_map(Json::as_str).map(named).collect::<Vec<_>>().join(" or "),
        _ => String::new(),
    }
}

fn as_text(value: &Json) -> &str {
    value.as_str().unwrap_or_default()
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// Escaped text in which `backticks` are code.
fn render_prose(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in escape_html(text).split('`').enumerate() {
        if index % 2 == 1 {
            let _ = write!(out, "<code>{part}</code>");
        } else {
            out.push_str(part);
        }
    }
    out
}
