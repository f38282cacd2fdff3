//! Immutable trees of paths to artifacts, each with a parent: what git calls a tree and a commit, in one.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

use serde::Serialize;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::{Code, Problem, Sha256, SourceType, Timestamp, UserId, artifact::MediaType, problem::shorten_for_error};

/// The most entries a tree may have.
pub const MAX_ENTRIES: usize = 100_000;

/// The longest message, in characters.
pub const MAX_MESSAGE: usize = 10_000;

/// Metadata of a stored manifest; its entries are read separately as a [`Tree`].
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The hash of its content, and its name.
    pub sha256: Sha256,
    /// Manifest it was derived from; `None` for the first.
    pub parent: Option<Sha256>,
    /// Commit message of its author.
    pub message: Option<String>,
    /// Number of entries in its tree.
    pub entry_count: u64,
    /// Sum of the entries' sizes, in bytes.
    pub total_size_bytes: u64,
    /// User who created it first; `None` for the system.
    pub created_by: Option<UserId>,
    pub created_at: Timestamp,
    /// Time at which it was last created or named; restarts the grace period of garbage collection.
    pub updated_at: Timestamp,
}

/// One file of a [`Tree`], by reference to its artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Hash of the artifact with the bytes.
    pub sha256: Sha256,
    pub media_type: MediaType,
    pub size_bytes: u64,
    /// The type of source it is the content of.
    pub entity_type: Option<SourceType>,
}

/// The files of a manifest, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree(BTreeMap<ManifestPath, Entry>);

impl Tree {
    /// A tree of entries that were checked as a whole: at least one, no path twice, none both file and folder.
    pub fn new(entries: Vec<(ManifestPath, Entry)>) -> Result<Self, Problem> {
        check_paths(entries.iter().map(|(path, _)| path))?;
        Ok(Self(entries.into_iter().collect()))
    }

    /// A tree as it was kept; what was once accepted is not refused later.
    pub fn from_rows(entries: impl IntoIterator<Item = (ManifestPath, Entry)>) -> Self {
        Self(entries.into_iter().collect())
    }

    /// The entries in the order of their paths.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&ManifestPath, &Entry)> {
        self.0.iter()
    }

    /// Returns the entry at a path, if there is one.
    pub fn get(&self, path: &str) -> Option<&Entry> {
        self.0.get(path)
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are no entries, which is never so for a stored tree.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the sum of the entries' sizes, in bytes.
    pub fn total_size(&self) -> u64 {
        self.0.values().map(|entry| entry.size_bytes).fold(0, u64::saturating_add)
    }

    /// Compares this tree with a later one.
    pub fn diff<'a>(&'a self, other: &'a Self) -> Diff<'a> {
        let mut diff = Diff::default();
        for (path, before) in &self.0 {
            match other.0.get(path) {
                None => diff.removed.push((path, before)),
                Some(after) if after == before => diff.unchanged += 1,
                Some(after) => diff.changed.push((path, before, after)),
            }
        }
        diff.added = other.0.iter().filter(|(path, _)| !self.0.contains_key(*path)).collect();
        diff
    }
}

/// The difference of two trees.
#[derive(Debug, Default, PartialEq)]
pub struct Diff<'a> {
    /// Entries only in the second tree.
    pub added: Vec<(&'a ManifestPath, &'a Entry)>,
    /// Entries only in the first tree.
    pub removed: Vec<(&'a ManifestPath, &'a Entry)>,
    /// Entries in both trees that differ: path, before, after.
    pub changed: Vec<(&'a ManifestPath, &'a Entry, &'a Entry)>,
    /// Number of entries that are the same in both.
    pub unchanged: u64,
}

/// The name of a manifest: the SHA-256 of the RFC 8785 form of
/// `{"message": …, "parent_sha256": …, "tree": {path: {"media_type", "sha256", "size_bytes", "entity_type"?}}}`.
pub fn name_of(tree: &Tree, parent: Option<Sha256>, message: Option<&str>) -> Sha256 {
    Sha256::of_bytes(&canonical_json(tree, parent, message))
}

/// The bytes that a manifest's name is the hash of.
pub fn canonical_json(tree: &Tree, parent: Option<Sha256>, message: Option<&str>) -> Vec<u8> {
    #[derive(Serialize)]
    struct Content<'a> {
        message: Option<&'a str>,
        parent_sha256: Option<Sha256>,
        tree: BTreeMap<&'a str, ContentEntry<'a>>,
    }
    #[derive(Serialize)]
    struct ContentEntry<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        entity_type: Option<SourceType>,
        media_type: &'a str,
        sha256: Sha256,
        size_bytes: u64,
    }
    let tree = tree.iter().map(|(path, entry)| {
        let content = ContentEntry {
            entity_type: entry.entity_type,
            media_type: entry.media_type.as_str(),
            sha256: entry.sha256,
            size_bytes: entry.size_bytes,
        };
        (path.as_str(), content)
    });
    serde_json_canonicalizer::to_vec(&Content { message, parent_sha256: parent, tree: tree.collect() })
        .expect("strings, hashes and sizes below 2^53 always have a canonical form")
}

/// Checks the message of a manifest.
pub fn check_message(message: &str) -> Result<(), Problem> {
    if message.chars().count() > MAX_MESSAGE {
        return Err(Problem::new(Code::InvalidField, format!("the message is longer than {MAX_MESSAGE} characters"))
            .with_field("message"));
    }
    if message.contains('\0') {
        return Err(Problem::new(Code::InvalidField, "the message has a NUL character").with_field("message"));
    }
    Ok(())
}

/// A legal path within a tree: relative, with `/` between segments, and safe to write below any folder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ManifestPath(String);

impl ManifestPath {
    /// Checks that a path is relative, at most 1,024 bytes long and safe on every system.
    pub fn new(path: impl Into<String>) -> Result<Self, Problem> {
        let path = path.into();
        let reason = if path.is_empty() {
            "is empty"
        } else if path.starts_with('/') {
            "is absolute"
        } else if path.len() > 1024 {
            "is longer than 1,024 bytes"
        } else if path.contains('\\') {
            "has a backslash; put '/' between segments"
        } else if path.chars().any(|c| c.is_control()) {
            "has control characters"
        } else if path.split('/').any(|segment| segment.is_empty()) {
            "has an empty segment"
        } else if path.split('/').any(|segment| segment == "." || segment == "..") {
            "has a '.' or '..' segment"
        } else if path.split('/').any(|segment| segment.len() > 255) {
            "has a segment longer than 255 bytes"
        } else if path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic() {
            "starts with a drive letter"
        } else {
            return Ok(Self(path));
        };
        Err(Problem::new(Code::ManifestPathInvalid, format!("the path '{}' {reason}", shorten_for_error(&path)))
            .with_field(format!("tree.{}", shorten_for_error(&path))))
    }

    /// Returns the path with `/` between segments.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for ManifestPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ManifestPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for ManifestPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// Checks the paths of a tree together.
pub fn check_paths<'a>(paths: impl Iterator<Item = &'a ManifestPath> + Clone) -> Result<(), Problem> {
    // Two spellings of one visible name would be one file on many systems, so they are one path here.
    let composed = |path: &ManifestPath| match is_nfc(path.as_str()) {
        true => path.0.clone(),
        false => path.as_str().nfc().collect(),
    };
    let mut files = HashSet::new();
    for path in paths.clone() {
        if !files.insert(composed(path)) {
            return Err(duplicate_path(path, "stands in the tree twice"));
        }
    }
    if files.is_empty() {
        return Err(Problem::new(Code::ManifestEmpty, "the tree is empty; name at least one path").with_field("tree"));
    }
    if files.len() > MAX_ENTRIES {
        return Err(Problem::new(
            Code::ManifestTooLarge,
            format!("the tree has {} entries; at most {MAX_ENTRIES} fit into one manifest", files.len()),
        )
        .with_field("tree"));
    }
    for path in paths {
        let full = composed(path);
        for (end, _) in full.match_indices('/') {
            if files.contains(&full[..end]) {
                return Err(duplicate_path(
                    path,
                    &format!("lies below '{}', which is a file", shorten_for_error(&full[..end])),
                ));
            }
        }
    }
    Ok(())
}

fn duplicate_path(path: &ManifestPath, reason: &str) -> Problem {
    Problem::new(Code::ManifestPathDuplicate, format!("the path '{}' {reason}", shorten_for_error(path.as_str())))
        .with_field(format!("tree.{}", shorten_for_error(path.as_str())))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(content: &str) -> Entry {
        Entry {
            sha256: Sha256::of_bytes(content.as_bytes()),
            media_type: MediaType::new("text/plain").unwrap(),
            size_bytes: content.len() as u64,
            entity_type: None,
        }
    }

    fn tree(files: &[(&str, &str)]) -> Result<Tree, Problem> {
        Tree::new(files.iter().map(|(path, content)| (ManifestPath::new(*path).unwrap(), entry(content))).collect())
    }

    #[test]
    fn the_name_is_the_hash_of_the_canonical_json() {
        let tree = tree(&[("b.txt", "b"), ("a/é.txt", "a")]).unwrap();
        let json = String::from_utf8(canonical_json(&tree, None, Some("first"))).unwrap();
        assert_eq!(
            json,
            "{\"message\":\"first\",\"parent_sha256\":null,\"tree\":{\
             \"a/é.txt\":{\"media_type\":\"text/plain\",\"sha256\":\"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\",\"size_bytes\":1},\
             \"b.txt\":{\"media_type\":\"text/plain\",\"sha256\":\"3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d\",\"size_bytes\":1}}}"
        );
        assert_eq!(name_of(&tree, None, Some("first")), Sha256::of_bytes(json.as_bytes()));
        assert_ne!(name_of(&tree, None, Some("first")), name_of(&tree, None, None));
        assert_ne!(name_of(&tree, None, None), name_of(&tree, Some(Sha256::of_bytes(b"")), None));
    }

    #[test]
    fn illegal_paths_are_refused() {
        let long = "n".repeat(300);
        let deep = "d/".repeat(600) + "f";
        for bad in [
            "",
            "/etc/passwd",
            "../x",
            "a/../b",
            "a/./b",
            ".",
            "..",
            "a//b",
            "a/",
            "a\\b",
            "C:/x",
            "a\0b",
            "a\nb",
            &long,
            &deep,
        ] {
            assert_eq!(ManifestPath::new(bad).unwrap_err().code, Code::ManifestPathInvalid, "{bad:?}");
        }
        for good in ["a", "a/b.txt", ".hidden", "..a", "a..b", "日本/語", "con:x"] {
            ManifestPath::new(good).unwrap();
        }
    }

    #[test]
    fn trees_are_checked_as_a_whole() {
        let code = |files: &[(&str, &str)]| tree(files).unwrap_err().code;
        assert_eq!(code(&[]), Code::ManifestEmpty);
        assert_eq!(code(&[("a", "1"), ("a", "1")]), Code::ManifestPathDuplicate);
        assert_eq!(code(&[("a", "1"), ("a/b", "1")]), Code::ManifestPathDuplicate);
        assert_eq!(code(&[("a/b/c", "1"), ("a/b", "1")]), Code::ManifestPathDuplicate);
        // é as one character and as e with an accent: one name to a person.
        assert_eq!(code(&[("\u{e9}", "1"), ("e\u{301}", "1")]), Code::ManifestPathDuplicate);
        assert_eq!(tree(&[("a", "1"), ("ab/c", "2")]).unwrap().len(), 2);
    }

    #[test]
    fn a_diff_names_each_path_once() {
        let (old, new) = (
            tree(&[("a", "1"), ("b", "1"), ("c", "1")]).unwrap(),
            tree(&[("b", "2"), ("c", "1"), ("d", "1")]).unwrap(),
        );
        let diff = old.diff(&new);
        assert_eq!(diff.removed[0].0.as_str(), "a");
        assert_eq!((diff.changed[0].0.as_str(), diff.changed[0].2), ("b", &entry("2")));
        assert_eq!(diff.added[0].0.as_str(), "d");
        assert_eq!((diff.removed.len(), diff.changed.len(), diff.added.len(), diff.unchanged), (1, 1, 1, 1));
    }

    proptest! {
        #[test]
        fn an_accepted_path_never_leaves_its_folder(path in ".{0,60}") {
            if let Ok(path) = ManifestPath::new(path) {
                let full = std::path::Path::new("/root").join(path.as_str());
                prop_assert!(full.components().skip(2).all(|part| matches!(part, std::path::Component::Normal(_))));
                prop_assert!(full.starts_with("/root") && full.components().count() > 2);
            }
        }
    }
}
