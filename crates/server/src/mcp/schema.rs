//! JSON Schemas of tools, made from the descriptions that the HTTP API has of the same types.

use std::collections::BTreeMap;

use ibid_domain::JsonObject;
use serde_json::{Value as Json, json};
use utoipa::ToSchema;

/// Prefix of references to types in the OpenAPI document.
const COMPONENTS: &str = "#/components/schemas/";

/// The schema of a type, complete in itself: what it refers to stands in `$defs`.
pub(super) fn schema_of<T: ToSchema>() -> JsonObject {
    let mut named = Vec::new();
    T::schemas(&mut named);
    let named: BTreeMap<String, Json> =
        named.into_iter().map(|(name, schema)| (name, serde_json::to_value(schema).unwrap_or_default())).collect();
    let mut schema = one_object(serde_json::to_value(T::schema()).unwrap_or_default(), &named);
    let mut defs = JsonObject::new();
    let mut wanted = Vec::new();
    point_to_defs(&mut schema, &mut wanted);
    while let Some(name) = wanted.pop() {
        if let Some(found) = named.get(&name).filter(|_| !defs.contains_key(&name)) {
            let mut found = found.clone();
            point_to_defs(&mut found, &mut wanted);
            defs.insert(name, found);
        }
    }
    let Json::Object(mut schema) = schema else { return JsonObject::new() };
    // Clients want to see that a tool takes nothing, too.
    schema.entry("properties").or_insert_with(|| json!({}));
    if let Some(Json::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(hoist_description);
    }
    if !defs.is_empty() {
        schema.insert("$defs".to_owned(), Json::Object(defs));
    }
    schema
}

/// Moves the description of an optional field out of its `oneOf` to the property itself, where clients display it.
fn hoist_description(property: &mut Json) {
    let said = property.get_mut("oneOf").and_then(|one_of| one_of.get_mut(0)).and_then(Json::as_object_mut);
    if let (Some(said), Some(property)) = (said.and_then(|first| first.remove("description")), property.as_object_mut())
    {
        property.insert("description".to_owned(), said);
    }
}

/// Clients want an object at the top. Where a type is put together of several, which `allOf` says, they become one.
fn one_object(schema: Json, named: &BTreeMap<String, Json>) -> Json {
    let Json::Object(mut schema) = schema else { return schema };
    if let Some(name) = schema.get("$ref").and_then(Json::as_str).and_then(|name| name.strip_prefix(COMPONENTS)) {
        return named.get(name).map_or(Json::Null, |found| one_object(found.clone(), named));
    }
    let Some(Json::Array(parts)) = schema.remove("allOf") else { return Json::Object(schema) };
    let (mut properties, mut required) = (JsonObject::new(), Vec::new());
    // What is the type's own stands last, and is what it is about: it comes first.
    for part in parts.into_iter().rev() {
        let Json::Object(mut part) = one_object(part, named) else { continue };
        if let Some(Json::Object(more)) = part.remove("properties") {
            properties.extend(more);
        }
        if let Some(Json::Array(more)) = part.remove("required") {
            required.extend(more);
        }
    }
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Json::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Json::Array(required));
    }
    Json::Object(schema)
}

/// Turns every reference into the API's description into one into `$defs`, and notes what they name.
fn point_to_defs(schema: &mut Json, wanted: &mut Vec<String>) {
    match schema {
        Json::Object(object) => {
            for (key, value) in object {
                let name = (key == "$ref").then(|| value.as_str().and_then(|text| text.strip_prefix(COMPONENTS)));
                if let Some(name) = name.flatten().map(str::to_owned) {
                    *value = json!(format!("#/$defs/{name}"));
                    wanted.push(name);
                } else {
                    point_to_defs(value, wanted);
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(|item| point_to_defs(item, wanted)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{search::SearchBody, source_body::NewSource};

    fn references(schema: &Json, found: &mut Vec<String>) {
        match schema {
            Json::Object(object) => {
                found.extend(object.get("$ref").and_then(Json::as_str).map(str::to_owned));
                object.values().for_each(|value| references(value, found));
            }
            Json::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn a_schema_is_an_object_and_complete_in_itself() {
        for schema in [schema_of::<SearchBody>(), schema_of::<NewSource>()] {
            assert_eq!(schema["type"], "object");
            let schema = Json::Object(schema);
            let mut found = Vec::new();
            references(&schema, &mut found);
            for reference in found {
                assert!(schema.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
            }
        }
        let filters = Json::Object(schema_of::<SearchBody>());
        assert!(filters.pointer("/$defs/SearchFilters/properties/as_of").is_some());
    }

    #[test]
    fn what_is_put_together_is_one_object() {
        let schema = Json::Object(schema_of::<NewSource>());
        assert_eq!(schema["allOf"], Json::Null);
        for field in ["url", "content", "title", "publication_date"] {
            assert!(schema["properties"][field]["description"].is_string(), "{field}");
        }
    }
}
