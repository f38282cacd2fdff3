//! The house itself: which crate may see which, and whether what is committed is what the code says.

use std::{collections::BTreeMap, path::Path, process::Command};

use serde_json::Value as Json;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn printed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ibid")).args(arguments).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// Dependencies point one way: `domain <- {bibliography, citations, claims, documents, evidence, fetch, index, ingest, knowledge, models, store} <- app <- server`;
/// those in the middle do not see each other.
#[test]
fn crates_see_only_what_lies_below_them() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("ibid-domain", [].as_slice()),
        ("ibid-language", &[]),
        ("ibid-ingest", &["ibid-domain", "ibid-language"]),
        ("ibid-store", &["ibid-domain"]),
        ("ibid-bibliography", &["ibid-domain", "ibid-language"]),
        ("ibid-citations", &["ibid-domain", "ibid-language"]),
        ("ibid-claims", &["ibid-domain", "ibid-language"]),
        ("ibid-documents", &["ibid-domain", "ibid-language"]),
        ("ibid-evidence", &["ibid-domain"]),
        ("ibid-fetch", &["ibid-domain"]),
        ("ibid-index", &["ibid-domain", "ibid-language"]),
        ("ibid-knowledge", &["ibid-domain", "ibid-language"]),
        ("ibid-models", &[]),
        (
            "ibid-app",
            &[
                "ibid-bibliography",
                "ibid-citations",
                "ibid-claims",
                "ibid-documents",
                "ibid-domain",
                "ibid-evidence",
                "ibid-fetch",
                "ibid-index",
                "ibid-ingest",
                "ibid-knowledge",
                "ibid-language",
                "ibid-models",
                "ibid-store",
            ],
        ),
        (
            "ibid",
            &[
                "ibid-bibliography",
                "ibid-citations",
                "ibid-claims",
                "ibid-documents",
                "ibid-domain",
                "ibid-evidence",
                "ibid-fetch",
                "ibid-ingest",
                "ibid-knowledge",
                "ibid-language",
                "ibid-models",
                "ibid-store",
                "ibid-index",
                "ibid-app",
            ],
        ),
        ("ibid-testkit", &["ibid-domain", "ibid-store"]),
    ]);
    // What only one crate may speak: SQL, blobs, HTTP, the command line.
    let owned = [
        ("sqlx", ["ibid-store", "ibid-testkit"].as_slice()),
        ("rusqlite", &["ibid-store", "ibid-testkit"]),
        ("object_store", &["ibid-store"]),
        ("reqwest", &["ibid-fetch", "ibid-models"]),
        ("ort", &["ibid-models"]),
        ("typst", &["ibid-documents"]),
        ("hayagriva", &["ibid-bibliography"]),
        ("tantivy", &["ibid-index"]),
        ("whatlang", &["ibid-language"]),
        ("rust-stemmers", &["ibid-citations", "ibid-language"]),
        ("pdfium-render", &["ibid-ingest"]),
        ("axum", &["ibid"]),
        ("rmcp", &["ibid"]),
        ("utoipa", &["ibid"]),
        ("clap", &["ibid"]),
    ];
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: Json = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert_eq!(packages.len(), allowed.len(), "a new crate needs a row in this table");
    for package in packages {
        let name = package["name"].as_str().unwrap();
        let used = package["dependencies"].as_array().unwrap();
        // Tests may use the testkit; it is nobody's dependency otherwise.
        for dependency in used.iter().filter(|dependency| dependency["kind"] != "dev") {
            let dependency = dependency["name"].as_str().unwrap();
            if dependency.starts_with("ibid") {
                assert!(allowed[name].contains(&dependency), "{name} must not see {dependency}");
            }
            for (thing, owners) in owned {
                assert!(dependency != thing || owners.contains(&name), "{name} must not speak {thing}");
            }
        }
    }
}

#[test]
fn the_committed_description_of_the_api_is_what_the_code_says() {
    let committed = std::fs::read_to_string(root().join("docs/openapi.json")).unwrap();
    assert!(committed == printed(&["openapi"]), "docs/openapi.json is stale: run `make openapi`");
    let errors = std::fs::read_to_string(root().join("docs/errors.md")).unwrap();
    assert!(errors == printed(&["errors"]), "docs/errors.md is stale: run `make openapi`");
}

/// Operations have names, and every list is paginated the same way.
#[test]
fn the_api_keeps_its_conventions() {
    let api: Json = serde_json::from_str(&printed(&["openapi"])).unwrap();
    let mut names = std::collections::HashSet::new();
    for (path, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap();
            assert!(names.insert(name.to_owned()), "{name} stands twice");
            assert!(operation["summary"].is_string() && operation["tags"][0].is_string(), "{method} {path}");
            assert!(operation["responses"]["default"].is_object(), "{method} {path} says how errors look");
            let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"];
            if schema.as_str().is_some_and(|schema| schema.contains("/Page_")) {
                let names: Vec<_> = operation["parameters"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|one| one["name"].as_str().unwrap())
                    .collect();
                assert!(names.contains(&"limit") && names.contains(&"cursor"), "{method} {path}: {names:?}");
            }
        }
    }
}
