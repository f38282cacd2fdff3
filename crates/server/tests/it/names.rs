//! The words of the code: every type name stands once, and a doc comment says more than the name below it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Names that several files may define, with the reason. Wire types of the server share the name of the domain type they
/// are the JSON form of; those need no row here.
const SHARED: &[(&str, &str)] = &[("Error", "each crate's own error type")];

fn root() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).to_owned()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The sources of all crates without their tests, by path from the root.
fn sources() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        rust_files(&entry.unwrap().path().join("src"), &mut files);
    }
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        // Unit tests stand at the end of their file.
        let code = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned();
        (path.strip_prefix(root()).unwrap().to_string_lossy().into_owned(), code)
    };
    files.into_iter().map(read).filter(|(path, _)| !path.contains("/src/tests/")).collect()
}

/// The name that a line defines a type by.
fn defined_type(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1.trim_start(),
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let rest = ["struct ", "enum ", "trait ", "union "].iter().find_map(|keyword| line.strip_prefix(keyword))?;
    let name = rest.split(|char: char| !char.is_alphanumeric() && char != '_').next()?;
    name.starts_with(char::is_uppercase).then_some(name)
}

#[test]
fn a_type_name_stands_once_in_the_workspace() {
    let mut files: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, code) in sources() {
        for name in code.lines().filter_map(defined_type) {
            files.entry(name.to_owned()).or_default().insert(path.clone());
        }
    }
    let is_shared = |name: &str| SHARED.iter().any(|(shared, _)| *shared == name);
    let mut wrong = Vec::new();
    for (name, files) in &files {
        let outside_server: Vec<_> = files.iter().filter(|file| !file.starts_with("crates/server/")).collect();
        let in_server = files.len() - outside_server.len();
        if (outside_server.len() > 1 || in_server > 1) && !is_shared(name) {
            wrong.push(format!("{name}: {files:?}"));
        }
    }
    assert!(wrong.is_empty(), "names of types that stand in several files:\n{}", wrong.join("\n"));
    let stale: Vec<_> =
        SHARED.iter().filter(|(name, _)| files.get(*name).is_none_or(|files| files.len() < 2)).collect();
    assert!(stale.is_empty(), "not shared any more: {stale:?}");
}

/// Words that a comment may add to a name without adding a fact.
const EMPTY_WORDS: &[&str] = &[
    "a", "an", "the", "its", "this", "that", "of", "for", "is", "are", "it", "to", "in", "on", "new", "and", "or",
    "returns", "gets",
];

fn words_of(text: &str) -> BTreeSet<String> {
    let mut spaced = String::new();
    for char in text.chars() {
        if char.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(if char.is_alphanumeric() { char } else { ' ' });
    }
    let singular = |word: &str| word.to_lowercase().trim_end_matches('s').to_owned();
    spaced.split_whitespace().map(singular).filter(|word| !EMPTY_WORDS.contains(&word.as_str())).collect()
}

#[test]
fn a_doc_comment_says_more_than_the_name_below_it() {
    let mut wrong = Vec::new();
    for (path, code) in sources() {
        let lines: Vec<&str> = code.lines().map(str::trim).collect();
        let mut at = 0;
        while at < lines.len() {
            let begins = at;
            let mut comment = String::new();
            while let Some(text) = lines.get(at).and_then(|line| line.strip_prefix("///")) {
                comment += text;
                at += 1;
            }
            if at == begins {
                at += 1;
                continue;
            }
            let item = lines[at..].iter().find(|line| !line.starts_with("#[") && !line.is_empty()).unwrap_or(&"");
            let item = item.split(['(', ':', '{', '=', '<', ',']).next().unwrap_or_default();
            let said = words_of(&comment);
            if !said.is_empty() && said.is_subset(&words_of(item)) {
                wrong.push(format!("{path}:{}: {comment} on `{item}`", begins + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "comments that only repeat the name:\n{}", wrong.join("\n"));
}
