//! What a bundle holds: every file with its hash, size, type and role.
//!
//! | file | what it is |
//! |---|---|
//! | `manifest.json` | this list; its SHA-256 is the bundle's digest |
//! | `SHA256SUMS` | the same hashes, and that of the manifest, as `sha256sum -c` reads them |
//! | `README.txt` | for a person who opens the zip file |
//! | `message.json` | the message or document, and the run it came from (`document.json` for a document) |
//! | `message.md` | its text, byte for byte; places are counted in it (`document.md` or `.typ` for a document) |
//! | `citations.json` | every citation with its place, its quote and what was known of the source |
//! | `annotations.jsonld` | the same as Web Annotations of the W3C |
//! | `provenance.jsonld` | what came from what, in PROV-O |
//! | `artifacts/SHA256.EXT` | what is cited |
//! | `texts/SHA256.txt` | the text of it, which quotes are of |
//!
//! All JSON is in the form of RFC 8785. A new minor version may add fields and records, and whoever does not know it
//! still checks every byte, place and quote; everything else takes a new major version.

use std::collections::{BTreeMap, HashSet};

use ibid_domain::{ManifestPath, Sha256, Timestamp, artifact::MediaType, problem::shown};
use serde::{Deserialize, Serialize};

use crate::{
    MAX_ARTIFACT, MAX_FILES, MAX_RECORD, MAX_TEXT,
    record::{Kind, MAX_ID, TextFormat},
};

/// The list of everything else.
pub const MANIFEST: &str = "manifest.json";
/// The hashes for `sha256sum -c`.
pub const SUMS: &str = "SHA256SUMS";
/// The page for a person.
pub const README: &str = "README.txt";
/// The citations.
pub const CITATIONS: &str = "citations.json";
/// The citations as the W3C writes them.
pub const ANNOTATIONS: &str = "annotations.jsonld";
/// What came from what.
pub const PROVENANCE: &str = "provenance.jsonld";

/// The format that is written here.
const FORMAT: &str = "ibid-evidence";
const MAJOR: u32 = 1;
const MINOR: u32 = 0;

/// The content of `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// What this is.
    pub format: Format,
    /// What it is about.
    pub kind: Kind,
    /// The id of the message or document.
    pub id: String,
    /// When the bundle was made.
    pub created_at: Timestamp,
    /// The program that made it.
    pub tool: String,
    /// Every file but the manifest and the sums, by path.
    pub files: BTreeMap<String, FileEntry>,
}

/// The name and version of the format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Format {
    /// Always `ibid-evidence`.
    pub name: String,
    /// What must be understood.
    pub major: u32,
    /// What may be passed over.
    pub minor: u32,
}

/// A file of the bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// The hash of its bytes.
    pub sha256: Sha256,
    /// How many bytes.
    pub size_bytes: u64,
    /// What they are.
    pub media_type: String,
    /// What it is there for.
    pub role: Role,
    /// What the file was called where it came from; only ever shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What a file is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It says what was said and cited.
    Record,
    /// It is cited.
    Artifact,
    /// It is the text of an artifact.
    Text,
}

impl Role {
    /// The most bytes that a file of this role may have.
    pub(crate) const fn limit(self) -> u64 {
        match self {
            Self::Record => MAX_RECORD,
            Self::Artifact => MAX_ARTIFACT,
            Self::Text => MAX_TEXT,
        }
    }
}

impl Manifest {
    /// A manifest without files.
    pub(crate) fn new(kind: Kind, id: String, created_at: Timestamp, tool: String) -> Self {
        let format = Format { name: FORMAT.to_owned(), major: MAJOR, minor: MINOR };
        Self { format, kind, id, created_at, tool, files: BTreeMap::new() }
    }

    /// Reads `manifest.json`, or says what is wrong with it.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Head {
            format: Format,
        }
        let Head { format } =
            serde_json::from_slice(bytes).map_err(|error| format!("is not a manifest of evidence: {error}"))?;
        if format.name != FORMAT {
            return Err(format!("is of the format '{}', not {FORMAT}", shown(&format.name)));
        }
        if format.major != MAJOR {
            return Err(format!(
                "is of version {}.{} of the format; this program checks {MAJOR}.x",
                format.major, format.minor
            ));
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(|error| format!("cannot be read: {error}"))?;
        if !manifest.is_newer() && canonical(&manifest).as_deref() != Some(bytes) {
            return Err(not_canonical());
        }
        manifest.flaw().map_or(Ok(manifest), Err)
    }

    /// Whether it is of a later minor version than this program knows.
    pub(crate) fn is_newer(&self) -> bool {
        self.format.minor > MINOR
    }

    /// What is wrong with it, if anything is.
    pub(crate) fn flaw(&self) -> Option<String> {
        for (name, text) in [("id", &self.id), ("tool", &self.tool)] {
            if text.is_empty() || text.chars().count() > MAX_ID {
                return Some(format!("has a field {name} that is empty or longer than {MAX_ID} characters"));
            }
        }
        if self.files.len() > MAX_FILES - 2 {
            return Some(format!("names {} files; a bundle has at most {MAX_FILES}", self.files.len() + 2));
        }
        let mut hashes = HashSet::new();
        for (path, file) in &self.files {
            let wrong = |reason: &str| Some(format!("names '{}', which {reason}", shown(path)));
            if let Err(problem) = ManifestPath::new(path.as_str()) {
                return Some(format!("names a path that is not allowed: {}", problem.detail));
            }
            if !path.bytes().all(|byte| byte.is_ascii_graphic()) {
                return wrong("has other characters than those of ASCII");
            }
            if path == MANIFEST || path == SUMS {
                return wrong("no manifest can list");
            }
            if file.size_bytes > file.role.limit() {
                return wrong(&format!("is larger than {} bytes", file.role.limit()));
            }
            if MediaType::new(&file.media_type).is_err() {
                return wrong("has no media type");
            }
            let is_at_home = match file.role {
                Role::Record => !path.contains('/'),
                Role::Artifact => path
                    .strip_prefix(&format!("artifacts/{}", file.sha256))
                    .is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.').is_some_and(is_extension)),
                Role::Text => *path == text_path(file.sha256),
            };
            if !is_at_home {
                return wrong("is not the path of a file with this role and hash");
            }
            if file.role != Role::Record && !hashes.insert((file.role, file.sha256)) {
                return wrong("is in it twice");
            }
        }
        let mut missing = self.records().into_iter().filter(|path| !self.has_record(path));
        if let Some(path) = missing.next() {
            return Some(format!("does not name {path}"));
        }
        let named = self.files.values().filter(|file| file.role == Role::Record).count();
        (!self.is_newer() && named > self.records().len()).then(|| "names a record that is no part of a bundle".into())
    }

    /// The paths of all records.
    fn records(&self) -> Vec<String> {
        let known = [README, CITATIONS, ANNOTATIONS, PROVENANCE].map(str::to_owned);
        known.into_iter().chain([self.message_path(), self.content_path()]).collect()
    }

    fn has_record(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|file| file.role == Role::Record)
    }

    /// Where the message or document is.
    pub(crate) fn message_path(&self) -> String {
        format!("{}.json", self.kind.as_str())
    }

    /// Where its text is.
    pub(crate) fn content_path(&self) -> String {
        let path = |format: TextFormat| format!("{}.{}", self.kind.as_str(), format.extension());
        let typst = path(TextFormat::Typst);
        if self.has_record(&typst) { typst } else { path(TextFormat::Markdown) }
    }

    /// The path of a text, if it is in the bundle.
    pub(crate) fn text(&self, sha256: Sha256) -> Option<&str> {
        self.files.get_key_value(&text_path(sha256)).map(|(path, _)| path.as_str())
    }

    /// The path of an artifact, if it is in the bundle.
    pub(crate) fn artifact(&self, sha256: Sha256) -> Option<&str> {
        let begin = format!("artifacts/{sha256}");
        let (path, _) = self.files.range(begin.clone()..).next()?;
        path.starts_with(&begin).then_some(path)
    }

    /// The content of `SHA256SUMS`.
    pub(crate) fn sums(&self, digest: Sha256) -> String {
        let mut sums = format!("{digest}  {MANIFEST}\n");
        for (path, file) in &self.files {
            sums.push_str(&format!("{}  {path}\n", file.sha256));
        }
        sums
    }
}

/// Where a text lies.
pub(crate) fn text_path(sha256: Sha256) -> String {
    format!("texts/{sha256}.txt")
}

/// Where an artifact lies: under its hash, with the ending of its name so that a double click opens it.
pub(crate) fn artifact_path(sha256: Sha256, name: Option<&str>) -> String {
    let extension = name.and_then(|name| name.rsplit_once('.')).map(|(_, end)| end.to_ascii_lowercase());
    match extension.filter(|extension| is_extension(extension)) {
        Some(extension) => format!("artifacts/{sha256}.{extension}"),
        None => format!("artifacts/{sha256}"),
    }
}

fn is_extension(text: &str) -> bool {
    (1..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// The form of RFC 8785; none for what has none, such as a number that is not finite.
pub(crate) fn canonical(value: &impl Serialize) -> Option<Vec<u8>> {
    serde_json_canonicalizer::to_vec(value).ok()
}

/// What is said of a record that is not in that form.
pub(crate) fn not_canonical() -> String {
    format!("is not in the form of RFC 8785, or has fields that version {MAJOR}.{MINOR} of the format does not have")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(role: Role, bytes: &[u8]) -> FileEntry {
        FileEntry {
            sha256: Sha256::of(bytes),
            size_bytes: bytes.len() as u64,
            media_type: "text/plain".into(),
            role,
            name: None,
        }
    }

    fn manifest() -> Manifest {
        let mut manifest = Manifest::new(Kind::Message, "m-1".into(), Timestamp::from_micros(0), "ibid 0".into());
        for path in manifest.records() {
            manifest.files.insert(path, file(Role::Record, b"{}"));
        }
        manifest
    }

    /// What is said of a manifest after a change.
    fn said(change: impl FnOnce(&mut Manifest)) -> String {
        let mut manifest = manifest();
        change(&mut manifest);
        Manifest::read(&canonical(&manifest).unwrap()).unwrap_err()
    }

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        let bytes = canonical(&manifest()).unwrap();
        assert_eq!(Manifest::read(&bytes).unwrap(), manifest());
        let text = String::from_utf8(bytes).unwrap();
        assert!(Manifest::read(text.replace(",\"id\"", ", \"id\"").as_bytes()).unwrap_err().contains("RFC 8785"));
        assert!(Manifest::read(text.replace(",\"id\"", ",\"hue\":1,\"id\"").as_bytes()).unwrap_err().contains("1.0"));
        assert!(Manifest::read(b"{}").unwrap_err().contains("format"));
        assert!(Manifest::read(b"\xff").is_err());
        assert!(Manifest::read("[".repeat(10_000).as_bytes()).is_err());
    }

    #[test]
    fn a_newer_minor_version_may_say_more_and_a_major_one_is_refused() {
        let newer = Manifest { format: Format { minor: 7, ..manifest().format }, ..manifest() };
        let text = String::from_utf8(canonical(&newer).unwrap()).unwrap();
        assert!(Manifest::read(text.replace(",\"id\"", ",\"hue\":1,\"id\"").as_bytes()).unwrap().is_newer());
        assert!(said(|one| one.format.major = 2).contains("version 2.0"));
        assert!(said(|one| one.format.name = "zip".into()).contains("'zip'"));
    }

    #[test]
    fn paths_are_where_their_role_and_hash_put_them() {
        let put = |path: &str, role: Role| said(|one| drop(one.files.insert(path.to_owned(), file(role, b"x"))));
        let hash = Sha256::of(b"x");
        for path in ["../x", "/x", "a/../b", "", "a//b", "C:x", "a\\b", &"a".repeat(2000)] {
            assert!(put(path, Role::Artifact).contains("not allowed"), "{path}");
        }
        assert!(put("artifacts/é", Role::Artifact).contains("ASCII"));
        assert!(put("manifest.json", Role::Record).contains("no manifest"));
        for (path, role) in [
            ("artifacts/x".to_owned(), Role::Artifact),
            (format!("artifacts/{}", Sha256::of(b"y")), Role::Artifact),
            (format!("artifacts/{hash}.tar/x"), Role::Artifact),
            (format!("artifacts/{hash}."), Role::Artifact),
            (format!("texts/{hash}.md"), Role::Text),
            (format!("texts/{hash}.txt"), Role::Artifact),
            ("folder/more.json".to_owned(), Role::Record),
        ] {
            assert!(put(&path, role).contains("role and hash"), "{path}");
        }
        assert!(put("more.json", Role::Record).contains("no part"));
        assert!(said(|one| drop(one.files.remove("citations.json"))).contains("citations.json"));
        let twice = said(|one| {
            one.files.insert(format!("artifacts/{hash}"), file(Role::Artifact, b"x"));
            one.files.insert(format!("artifacts/{hash}.pdf"), file(Role::Artifact, b"x"));
        });
        assert!(twice.contains("twice"));
    }

    #[test]
    fn sizes_types_and_ids_have_bounds() {
        let change = |change: fn(&mut FileEntry)| said(|one| change(one.files.get_mut(README).unwrap()));
        assert!(change(|file| file.size_bytes = MAX_RECORD + 1).contains("larger than 67108864 bytes"));
        assert!(change(|file| file.media_type = "nothing".into()).contains("media type"));
        assert!(said(|one| one.id = "x".repeat(256)).contains("255"));
        assert!(said(|one| one.id.clear()).contains("id that is empty"));
        assert!(said(|one| one.tool.clear()).contains("tool that is empty"));
        let many = said(|one| {
            for number in 0..MAX_FILES {
                one.files.insert(format!("{number}"), file(Role::Record, b""));
            }
        });
        assert!(many.contains("65534"));
    }

    #[test]
    fn an_artifact_keeps_the_ending_of_its_name() {
        let hash = Sha256::of(b"");
        assert!(artifact_path(hash, Some("Q3 report.PDF")).ends_with("b855.pdf"));
        for name in
            [None, Some("pdf"), Some("a."), Some("a.../../b"), Some("a.tar gz"), Some("a.é"), Some("a.toolongish")]
        {
            assert!(artifact_path(hash, name).ends_with("b855"), "{name:?}");
        }
    }
}
