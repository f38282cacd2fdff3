//! What the description of the API says of every operation alike: the error responses, which are described once, and
//! the header `Idempotency-Key`.

use ibid_domain::Code;
use utoipa::openapi::{
    AllOfBuilder, ContentBuilder, ObjectBuilder, OpenApi, PathItem, Ref, RefOr, Required, Response, ResponseBuilder,
    Type,
    path::{Operation, Parameter, ParameterBuilder, ParameterIn},
};

/// A response that several operations can give, with the conditions under which they do.
struct SharedError {
    status: u16,
    /// Name of the response among the components.
    name: &'static str,
    about: &'static str,
    applies: fn(&Request<'_>) -> bool,
}

/// Facts about an operation that decide which errors it can give.
struct Request<'a> {
    operation: &'a Operation,
    /// True for POST, PUT, PATCH and DELETE, which accept an `Idempotency-Key`.
    is_mutation: bool,
}

impl Request<'_> {
    fn has_body(&self) -> bool {
        self.operation.request_body.is_some()
    }

    fn has_parameters(&self, place: &ParameterIn) -> bool {
        self.operation
            .parameters
            .iter()
            .flatten()
            .any(|parameter| matches!(parameter, RefOr::T(one) if one.parameter_in == *place))
    }
}

const SHARED: &[SharedError] = &[
    SharedError {
        status: 400,
        name: "Unreadable",
        about: "The request cannot be read.",
        applies: |request| request.has_body() || request.has_parameters(&ParameterIn::Path),
    },
    SharedError {
        status: 403,
        name: "Forbidden",
        about: "The request comes from another site, or names another host.",
        applies: |_| true,
    },
    SharedError { status: 408, name: "TooSlow", about: "The request took too long.", applies: |_| true },
    SharedError {
        status: 409,
        name: "InProgress",
        about: "A request with the same Idempotency-Key is still running.",
        applies: |request| request.is_mutation,
    },
    SharedError {
        status: 413,
        name: "TooLarge",
        about: "The body is larger than the limit.",
        applies: |request| request.has_body(),
    },
    SharedError {
        status: 415,
        name: "WrongType",
        about: "The content type is not one that this address takes.",
        applies: |request| request.has_body(),
    },
    SharedError {
        status: 422,
        name: "NotLegal",
        about: "A parameter, a field or a header has a value that is not legal.",
        applies: |request| request.is_mutation || request.has_parameters(&ParameterIn::Query),
    },
    SharedError { status: 500, name: "Internal", about: "Something went wrong inside the server.", applies: |_| true },
    SharedError {
        status: 503,
        name: "Unavailable",
        about: "The server cannot do this right now; `Retry-After` says when to try again.",
        applies: |_| true,
    },
];

/// Adds to every operation the errors that it can give besides its own and the header that makes it safe to repeat, and
/// to the document the former names of renamed schemas.
pub(super) fn describe(document: &mut OpenApi) {
    for item in document.paths.paths.values_mut() {
        let PathItem { get, put, post, patch, delete, head, .. } = item;
        for (operation, is_mutation) in
            [(get, false), (head, false), (put, true), (post, true), (patch, true), (delete, true)]
        {
            let Some(operation) = operation else { continue };
            let request = Request { operation, is_mutation };
            let shared: Vec<_> = SHARED.iter().filter(|error| (error.applies)(&request)).collect();
            let responses = &mut operation.responses.responses;
            for error in shared {
                let reference = RefOr::Ref(Ref::new(format!("#/components/responses/{}", error.name)));
                responses.entry(error.status.to_string()).or_insert(reference);
            }
            responses.insert("default".to_owned(), problem_response("Any other error".to_owned()).into());
            if is_mutation {
                operation.parameters.get_or_insert_default().push(idempotency_key().into());
            }
        }
    }
    let components = document.components.get_or_insert_default();
    for error in SHARED {
        let codes: Vec<_> = Code::ALL.iter().filter(|code| code.status() == error.status).collect();
        let codes: Vec<_> = codes.iter().map(|code| format!("`{}`", code.as_str())).collect();
        let about = format!("{} Codes: {}.", error.about, codes.join(", "));
        components.responses.insert(error.name.to_owned(), problem_response(about).into());
    }
    for (former, name) in FORMER_NAMES {
        let about = format!("Former name of {name}, kept for one version.");
        let schema = AllOfBuilder::new().item(Ref::from_schema_name(*name)).description(Some(about));
        components.schemas.insert((*former).to_owned(), schema.into());
    }
}

/// Schemas that were renamed in this version. They go with the next. A name that was given up because client generators
/// make the same for another type, as `JobPayload` for the field `payload` of `Job`, is not kept.
const FORMER_NAMES: &[(&str, &str)] = &[("Brought", "ImportResult"), ("NotBrought", "ImportFailure")];

/// The header that [`super::idempotency`] reads.
fn idempotency_key() -> Parameter {
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "1 to 255 visible ASCII characters that you choose. The same request with the same key has its effect once \
             and gets the same answer.",
        ))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .build()
}

fn problem_response(about: String) -> Response {
    let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    ResponseBuilder::new().description(about).content("application/problem+json", problem).build()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::http::openapi_document;

    #[test]
    fn every_operation_tells_its_errors_and_takes_a_key_if_it_changes_something() {
        let document = json!(openapi_document());
        let mut operations = 0;
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                operations += 1;
                let responses = operation["responses"].as_object().unwrap();
                let told = |status: &str| responses.contains_key(status);
                assert!(told("403") && told("408") && told("500") && told("503") && told("default"), "{method} {path}");
                if operation.get("requestBody").is_some() {
                    assert!(told("400") && told("413") && told("415") && told("422"), "{method} {path}");
                }
                if path.contains('{') {
                    assert!(told("400"), "{method} {path}");
                }
                let parameters = operation["parameters"].as_array().into_iter().flatten();
                let keys = parameters.filter(|one| one["name"] == "Idempotency-Key" && one["in"] == "header").count();
                assert_eq!(keys, usize::from(!matches!(method.as_str(), "get" | "head")), "{method} {path}");
                for response in responses.values() {
                    if let Some(reference) = response["$ref"].as_str() {
                        let place = reference.trim_start_matches('#');
                        assert!(document.pointer(place).is_some_and(Value::is_object), "{reference}");
                    }
                }
            }
        }
        assert!(operations > 100);
    }

    #[test]
    fn renamed_schemas_keep_their_former_name_for_one_version() {
        let document = json!(openapi_document());
        for (former, name) in super::FORMER_NAMES {
            let schema = &document["components"]["schemas"][*former];
            assert_eq!(schema["allOf"][0]["$ref"], format!("#/components/schemas/{name}"));
            assert!(document["components"]["schemas"][*name].is_object());
        }
    }
}
