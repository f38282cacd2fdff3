//! Schemas as client generators need them: without what utoipa writes and they cannot use.

use std::collections::HashSet;

use utoipa::openapi::{
    OpenApi, Ref, RefOr, Schema, Type,
    schema::{AdditionalProperties, ArrayItems, SchemaType},
};

/// Begins the names of the schemas that `wire::Page` has; the name of the item follows.
const PAGE: &str = "Page_";

/// Makes all named schemas usable for client generators.
pub(super) fn clean_schemas(document: &mut OpenApi) {
    let schemas = &mut document.components.get_or_insert_default().schemas;
    let names: HashSet<String> = schemas.keys().cloned().collect();
    for (name, schema) in schemas {
        clean(schema);
        if let Some(item) = name.strip_prefix(PAGE).filter(|item| names.contains(*item)) {
            refer_to_item(schema, item);
        }
    }
}

/// Lets a page refer to the schema of its items. utoipa copies it, so that generators make a second type of each item.
fn refer_to_item(page: &mut RefOr<Schema>, item: &str) {
    if let RefOr::T(Schema::Object(page)) = page
        && let Some(RefOr::T(Schema::Array(items))) = page.properties.get_mut("items")
    {
        items.items = ArrayItems::RefOrSchema(Box::new(Ref::from_schema_name(item).into()));
    }
}

/// Removes defaults that are null, which generators refuse or take for a value, and parts of `allOf` that say nothing.
fn clean(schema: &mut RefOr<Schema>) {
    let RefOr::T(schema) = schema else { return };
    let (default, parts) = match schema {
        Schema::Object(object) => {
            object.properties.values_mut().for_each(clean);
            if let Some(AdditionalProperties::RefOr(values)) = object.additional_properties.as_deref_mut() {
                clean(values);
            }
            (&mut object.default, None)
        }
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                clean(items);
            }
            (&mut array.default, None)
        }
        Schema::OneOf(one_of) => (&mut one_of.default, Some(&mut one_of.items)),
        Schema::AnyOf(any_of) => (&mut any_of.default, Some(&mut any_of.items)),
        Schema::AllOf(all_of) => {
            all_of.items.retain(|part| !is_any_object(part));
            (&mut all_of.default, Some(&mut all_of.items))
        }
        _ => return,
    };
    default.take_if(|value| value.is_null());
    parts.into_iter().flatten().for_each(clean);
    if let Schema::AllOf(all_of) = schema
        && all_of.description.is_none()
        && let [RefOr::T(only)] = all_of.items.as_mut_slice()
    {
        *schema = std::mem::take(only);
    }
}

/// Returns true for an object without described fields, which utoipa makes of a flattened map that it is to ignore.
fn is_any_object(schema: &RefOr<Schema>) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object))
        if object.schema_type == SchemaType::Type(Type::Object)
            && object.properties.is_empty()
            && object.additional_properties.is_none())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::http::openapi_document;

    /// Calls `check` with every object in the document and the way to it.
    fn for_each_object(value: &Value, way: &str, check: &mut impl FnMut(&str, &Value)) {
        match value {
            Value::Object(object) => {
                check(way, value);
                object.iter().for_each(|(name, value)| for_each_object(value, &format!("{way}/{name}"), check));
            }
            Value::Array(items) => items.iter().for_each(|item| for_each_object(item, way, check)),
            _ => {}
        }
    }

    #[test]
    fn schemas_have_nothing_that_client_generators_cannot_use() {
        let document = json!(openapi_document());
        for_each_object(&document, "", &mut |way, value| {
            assert!(value.get("default").is_none_or(|default| !default.is_null()), "{way} has null as its default");
            let is_object = value["type"] == "object" || value["type"][0] == "object";
            let tells = ["properties", "additionalProperties"].iter().any(|name| value.get(name).is_some());
            assert!(!is_object || tells, "{way} is an object of nothing: use HashMap<String, serde_json::Value>");
        });
    }

    #[test]
    fn pages_refer_to_their_items() {
        let document = json!(openapi_document());
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let pages: Vec<_> = schemas.iter().filter(|(name, _)| name.starts_with(super::PAGE)).collect();
        assert!(pages.len() > 10);
        for (name, page) in pages {
            let item = name.trim_start_matches(super::PAGE);
            assert_eq!(page["properties"]["items"]["items"]["$ref"], format!("#/components/schemas/{item}"));
        }
    }
}
