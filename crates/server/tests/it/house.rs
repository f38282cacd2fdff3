//! The house itself: which crate may see which, and whether what is committed is what the code says.

use std::{
    collections::BTreeMap,
    collections::HashSet,
    path::{Path, PathBuf},
    process::Command,
};

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
        ("reqwest", &["ibid", "ibid-fetch", "ibid-models"]),
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

/// What goes over the wire stands beside HTTP, MCP and the command line, and knows none of them.
#[test]
fn the_wire_knows_no_transport() {
    for path in rust_files(&root().join("crates/server/src/wire")) {
        let code = std::fs::read_to_string(&path).unwrap();
        for transport in ["crate::http", "crate::mcp", "crate::cli"] {
            assert!(!code.contains(transport), "{} must not see {transport}", path.display());
        }
    }
}

/// Packages that a profile names are in the lock file, so that no setting is left behind when a dependency goes.
#[test]
fn profiles_name_packages_that_are_there() {
    let read = |name: &str| -> toml::Table { std::fs::read_to_string(root().join(name)).unwrap().parse().unwrap() };
    let lock = read("Cargo.lock");
    let locked: HashSet<_> =
        lock["package"].as_array().unwrap().iter().map(|package| package["name"].as_str().unwrap()).collect();
    let mut named = 0;
    for (profile, settings) in read("Cargo.toml")["profile"].as_table().unwrap() {
        let Some(packages) = settings.get("package") else { continue };
        for package in packages.as_table().unwrap().keys().filter(|package| *package != "*") {
            assert!(locked.contains(package.as_str()), "[profile.{profile}] names {package}, which is not used");
            named += 1;
        }
    }
    assert!(named <= 40, "{named} packages are named; a profile is for all, or it is forgotten");
}

/// Crates in which no word of a human language stands in a match arm or in a list; those are in `language/data`.
const WORDLESS: &[&str] = &["claims", "knowledge", "language"];

/// What may stand there all the same: the end of a file's path, the literal (`*` for any), and why.
const NO_HUMAN_WORDS: &[(&str, &str, &str)] = &[
    ("language/src/language.rs", "*", "codes of ISO 639-1"),
    ("language/src/detect.rs", "*", "codes of ISO 639-1"),
    ("language/src/stems.rs", "*", "codes of ISO 639-1"),
    ("knowledge/src/extract/lexicon.rs", "*", "names of sections in the data files"),
    ("claims/src/verify/mod.rs", "*", "reasons that the API gives, which are for people"),
    ("knowledge/src/extract/furniture.rs", "*", "names of sections in the data files"),
    ("knowledge/src/extract/tokens.rs", "*", "top-level domains"),
    ("knowledge/src/judge/match_signs.rs", "*", "names of sections in the data files"),
    ("language/src/numbers/digits.rs", "*", "units, which are the same in every language"),
];

#[test]
fn no_human_word_stands_in_a_match_arm_or_a_list() {
    let mut found = Vec::new();
    for name in WORDLESS {
        for path in rust_files(&root().join("crates").join(name).join("src")) {
            let code = std::fs::read_to_string(&path).unwrap();
            let shown = path.display().to_string();
            for literal in literals_of_arms_and_lists(&code) {
                let is_allowed =
                    |(file, word, _): &(&str, &str, &str)| shown.ends_with(file) && (*word == "*" || *word == literal);
                if is_word(&literal) && !NO_HUMAN_WORDS.iter().any(is_allowed) {
                    found.push(format!("{shown}: {literal:?}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "move these to crates/language/data:\n{}", found.join("\n"));
    let code = r#"const A: &[&str] = &["one", "b-2"]; fn f() { match x { ("two", _) | (_, "three") if y => "no", _ => {} }
                  matches!(z, "four" | "five") && w == "no" } // "no" => "#;
    assert_eq!(literals_of_arms_and_lists(code), ["one", "b-2", "two", "three", "four", "five"]);
}

/// Handles of the store that reach rows of every tenant, the files that may use each, and why.
const UNSCOPED_HANDLES: &[(&str, &[(&str, &str)])] = &[
    (".library_index()", &[("app/src/search/indexing.rs", "the search index is one for all tenants")]),
    (".queue()", &[("app/src/worker.rs", "a worker takes jobs of any tenant; each lease brings the scope of its job")]),
];

/// Whoever serves a caller goes through a handle that takes a `Scope`.
#[test]
fn only_named_files_reach_rows_of_every_tenant() {
    for (call, users) in UNSCOPED_HANDLES {
        let mut found = Vec::new();
        for name in ["app", "server"] {
            for path in rust_files(&root().join("crates").join(name).join("src")) {
                let code = std::fs::read_to_string(&path).unwrap();
                let code: String = code.split_whitespace().collect();
                let shown = path.display().to_string();
                if code.contains(call) && !users.iter().any(|(file, _)| shown.ends_with(file)) {
                    found.push(shown);
                }
            }
        }
        assert!(found.is_empty(), "{call} is not for these files: {}", found.join(", "));
        for (file, _) in *users {
            let code = std::fs::read_to_string(root().join("crates").join(file)).unwrap();
            assert!(code.contains(call), "{file} does not use {call} any more: take it off the list");
        }
    }
    let store = rust_files(&root().join("crates/store/src"));
    let store: Vec<String> = store.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    for (call, _) in UNSCOPED_HANDLES {
        let name = call.trim_matches(['.', '(', ')']);
        assert!(store.iter().any(|code| code.contains(&format!("pub fn {name}("))), "the store has no {name}");
    }
}

/// Letters, perhaps of several words.
fn is_word(literal: &str) -> bool {
    let letters = literal.chars().filter(|char| char.is_alphabetic()).count();
    letters >= 2 && literal.chars().all(|char| char.is_alphabetic() || matches!(char, ' ' | '\'' | '’' | '-'))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// A piece of Rust: a string, or any other character that is not in a comment.
enum Piece {
    Text(String),
    Sign(char),
}

/// The pieces of Rust code up to its unit tests. Enough for code that `cargo fmt` has been over; not a parser.
fn pieces(code: &str) -> Vec<Piece> {
    let code = code.split("#[cfg(test)]").next().unwrap_or_default();
    let mut pieces = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let hashes = rest.strip_prefix('r').map_or(0, |raw| raw.len() - raw.trim_start_matches('#').len());
        let raw_open = format!("r{}\"", "#".repeat(hashes));
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with(&raw_open) {
            let close = format!("\"{}", "#".repeat(hashes));
            let body = &rest[raw_open.len()..];
            let end = body.find(&close).unwrap_or(body.len());
            pieces.push(Piece::Text(body[..end].to_owned()));
            rest = body.get(end + close.len()..).unwrap_or_default();
        } else if first == '"' {
            let mut is_escaped = false;
            let end = rest[1..].char_indices().find(|(_, char)| {
                let closes = *char == '"' && !is_escaped;
                is_escaped = *char == '\\' && !is_escaped;
                closes
            });
            let end = end.map_or(rest.len() - 1, |(end, _)| end);
            pieces.push(Piece::Text(rest[1..=end].to_owned()));
            rest = rest.get(end + 2..).unwrap_or_default();
        } else {
            // A character in quotes, such as a bracket, is no sign of the code.
            let quoted = ["'\\''", "'\"'", "'('", "')'", "'['", "']'", "'{'", "'}'", "','", "';'", "'|'"];
            let skipped = quoted.into_iter().find(|quoted| rest.starts_with(quoted)).map_or(first.len_utf8(), str::len);
            pieces.push(Piece::Sign(if skipped > first.len_utf8() { '_' } else { first }));
            rest = &rest[skipped..];
        }
    }
    pieces
}

/// The strings in the patterns of match arms and of `matches!`, and in constants, in order.
fn literals_of_arms_and_lists(code: &str) -> Vec<String> {
    let pieces = pieces(code);
    let sign = |at: usize| match pieces.get(at) {
        Some(Piece::Sign(sign)) => *sign,
        _ => '"',
    };
    let begins = |at: usize, word: &str| word.chars().enumerate().all(|(place, char)| sign(at + place) == char);
    let mut wanted = vec![false; pieces.len()];
    for at in 0..pieces.len() {
        if begins(at, "=>") {
            // Back to where the arm begins.
            let mut depth = 0_i32;
            for before in (0..at).rev() {
                match sign(before) {
                    ')' | ']' | '}' if depth == 0 && sign(before) == '}' => break,
                    ')' | ']' | '}' => depth += 1,
                    '(' | '[' | '{' if depth == 0 => break,
                    '(' | '[' | '{' => depth -= 1,
                    ',' | ';' if depth == 0 => break,
                    _ => wanted[before] = true,
                }
            }
        }
        let is_list = begins(at, "const ") || begins(at, "static ");
        if is_list || begins(at, "matches!(") {
            let mut depth = 0_i32;
            for (after, is_wanted) in wanted.iter_mut().enumerate().skip(if is_list { at } else { at + 8 }) {
                match sign(after) {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth -= 1,
                    ';' if is_list && depth == 0 => break,
                    _ => *is_wanted = true,
                }
                if !is_list && depth == 0 || depth < 0 || is_list && begins(after, "fn ") {
                    break;
                }
            }
        }
    }
    let literal = |(piece, is_wanted): (Piece, bool)| match piece {
        Piece::Text(text) if is_wanted => Some(text),
        _ => None,
    };
    pieces.into_iter().zip(wanted).filter_map(literal).collect()
}

#[test]
fn the_committed_description_of_the_api_is_what_the_code_says() {
    let committed = std::fs::read_to_string(root().join("docs/openapi.json")).unwrap();
    assert!(committed == printed(&["openapi"]), "docs/openapi.json is stale: run `make openapi`");
    for page in ["errors.md", "settings.json", "commands.json"] {
        let committed = std::fs::read_to_string(root().join("docs").join(page)).unwrap();
        let name = page.split('.').next().unwrap();
        assert!(committed == printed(&["reference", name]), "docs/{page} is stale: run `make openapi`");
    }
}

/// Fields that name a few values in their description although others are legal, too: the schema and the field.
const OPEN_SETS: &[(&str, &str)] = &[
    ("AnswerSettings", "from"),       // or the name of any environment variable
    ("PointerAdvance", "reason"),     // examples
    ("Source", "edition"),            // examples
    ("NewSource", "edition"),         // examples
    ("SourcePatch", "edition"),       // examples
    ("NewDocumentSource", "edition"), // examples
];

#[test]
fn closed_sets_are_enums_in_the_schema() {
    let api: Json = serde_json::from_str(&printed(&["openapi"])).unwrap();
    let mut prose = Vec::new();
    for (name, schema) in api["components"]["schemas"].as_object().unwrap() {
        for (field, about) in schema["properties"].as_object().into_iter().flatten() {
            let words = about["description"].as_str().unwrap_or_default().split('`').skip(1).step_by(2);
            let values = words.filter(|word| word.chars().all(|char| char.is_ascii_lowercase() || char == '_')).count();
            let is_string = about["type"] == "string" || about["type"][0] == "string";
            if is_string && values > 1 && about["enum"].is_null() && !OPEN_SETS.contains(&(name, field)) {
                prose.push(format!("{name}.{field}: {}", about["description"]));
            }
        }
    }
    assert!(prose.is_empty(), "these should be enums: {prose:#?}");
    let union = &api["components"]["schemas"]["RunEvent"];
    assert_eq!(union["discriminator"]["propertyName"], "type");
    assert_eq!(union["oneOf"].as_array().unwrap().len(), union["discriminator"]["mapping"].as_object().unwrap().len());
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
