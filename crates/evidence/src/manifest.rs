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

use ibid_domain::{ManifestPath, Sha256, Timestamp, artifact::MediaType, problem::shorten_for_error};
use serde::{Deserialize, Serialize};

use crate::{
    MAX_ARTIFACT, MAX_FILES, MAX_RECORD, MAX_TEXT,
    record::{BundleKind, MAX_ID, TextFormat},
};

/// The list of everything else.
pub const MANIFEST: &str = "manifest.json";
/// The hashes for `sha256sum -c`.
pub const SUMS: &str = "SHA256SUMS";
/// Path of the readable summary of the bundle.
pub const README: &str = "README.txt";
/// Path of the list of citations.
pub const CITATIONS: &str = "citations.json";
/// The citations as the W3C writes them.
pub const ANNOTATIONS: &str = "annotations.jsonld";
/// Path of the provenance graph in PROV-O.
pub const PROVENANCE: &str = "provenance.jsonld";

/// The format that is written here.
const FORMAT: &str = "ibid-evidence";
const MAJOR: u32 = 1;
const MINOR: u32 = 0;

/// The content of `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BundleManifest {
    /// Name and version of the bundle format.
    pub format: BundleFormat,
    /// Tells if the bundle is about a message or a document.
    pub kind: BundleKind,
    /// The id of the message or document.
    pub id: String,
    /// Time when the bundle was written.
    pub created_at: Timestamp,
    /// Name and version of the program that wrote the bundle.
    pub tool: String,
    /// Every file but the manifest and the sums, by path.
    pub files: BTreeMap<String, FileEntry>,
}

/// The name and version of the format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleFormat {
    /// Always `ibid-evidence`; any other name is rejected.
    pub name: String,
    /// Major version; a reader rejects a version that it does not know.
    pub major: u32,
    /// Minor version; a reader may ignore additions of a later one.
    pub minor: u32,
}

/// Entry of the manifest for one file of the bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// SHA-256 of the file's bytes.
    pub sha256: Sha256,
    pub size_bytes: u64,
    pub media_type: String,
    /// Purpose of the file in the bundle, which also limits its size.
    pub role: FileRole,
    /// Original file name, for display only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Purpose of a file in the bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    /// It says what was said and cited.
    Record,
    /// The original file of a cited source.
    Artifact,
    /// It is the text of an artifact.
    Text,
}

impl FileRole {
    /// The most bytes that a file of this role may have.
    pub(crate) const fn max_bytes(self) -> u64 {
        match self {
            Self::Record => MAX_RECORD,
            Self::Artifact => MAX_ARTIFACT,
            Self::Text => MAX_TEXT,
        }
    }
}

impl BundleManifest {
    /// Creates a manifest without files.
    pub(crate) fn new(kind: BundleKind, id: String, created_at: Timestamp, tool: String) -> Self {
        let format = BundleFormat { name: FORMAT.to_owned(), major: MAJOR, minor: MINOR };
        Self { format, kind, id, created_at, tool, files: BTreeMap::new() }
    }

    /// Reads `manifest.json`, or says what is wrong with it.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Head {
            format: BundleFormat,
        }
        let Head { format } =
            serde_json::from_slice(bytes).map_err(|error| format!("is not a manifest of evidence: {error}"))?;
        if format.name != FORMAT {
            return Err(format!("is of the format '{}', not {FORMAT}", shorten_for_error(&format.name)));
        }
        if format.major != MAJOR {
            return Err(format!(
                "is of version {}.{} of the format; this program checks {MAJOR}.x",
                format.major, format.minor
            ));
        }
        let manifest: Self = serde_json::from_slice(bytes).map_err(|error| format!("cannot be read: {error}"))?;
        if !manifest.is_newer() && to_canonical_json(&manifest).as_deref() != Some(bytes) {
            return Err(not_canonical());
        }
        manifest.find_flaw().map_or(Ok(manifest), Err)
    }

    /// Returns true if the minor version is later than the one this program knows.
    pub(crate) fn is_newer(&self) -> bool {
        self.format.minor > MINOR
    }

    /// Returns a description of the first error in the manifest, or `None` if it is valid.
    pub(crate) fn find_flaw(&self) -> Option<String> {
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
            let wrong = |reason: &str| Some(format!("names '{}', which {reason}", shorten_for_error(path)));
            if let Err(problem) = ManifestPath::new(path.as_str()) {
                return Some(format!("names a path that is not allowed: {}", problem.detail));
            }
            if !path.bytes().all(|byte| byte.is_ascii_graphic()) {
                return wrong("has other characters than those of ASCII");
            }
            if path == MANIFEST || path == SUMS {
                return wrong("no manifest can list");
            }
            if file.size_bytes > file.role.max_bytes() {
                return wrong(&format!("is larger than {} bytes", file.role.max_bytes()));
            }
            if MediaType::new(&file.media_type).is_err() {
                return wrong("has no media type");
            }
            let is_at_home = match file.role {
                FileRole::Record => !path.contains('/'),
                FileRole::Artifact => path
                    .strip_prefix(&format!("artifacts/{}", file.sha256))
                    .is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.').is_some_and(is_extension)),
                FileRole::Text => *path == text_path(file.sha256),
            };
            if !is_at_home {
                return wrong("is not the path of a file with this role and hash");
            }
            if file.role != FileRole::Record && !hashes.insert((file.role, file.sha256)) {
                return wrong("is in it twice");
            }
        }
        let mut missing = self.record_paths().into_iter().filter(|path| !self.has_record(path));
        if let Some(path) = missing.next() {
            return Some(format!("does not name {path}"));
        }
        let named = self.files.values().filter(|file| file.role == FileRole::Record).count();
        (!self.is_newer() && named > self.record_paths().len())
            .then(|| "names a record that is no part of a bundle".into())
    }

    /// Returns the paths of all record files.
    fn record_paths(&self) -> Vec<String> {
        let known = [README, CITATIONS, ANNOTATIONS, PROVENANCE].map(str::to_owned);
        known.into_iter().chain([self.message_path(), self.content_path()]).collect()
    }

    fn has_record(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|file| file.role == FileRole::Record)
    }

    /// Returns the path of the message or document record.
    pub(crate) fn message_path(&self) -> String {
        format!("{}.json", self.kind.as_str())
    }

    /// Returns the path of the message or document text.
    pub(crate) fn content_path(&self) -> String {
        let path = |format: TextFormat| format!("{}.{}", self.kind.as_str(), format.extension());
        let typst = path(TextFormat::Typst);
        if self.has_record(&typst) { typst } else { path(TextFormat::Markdown) }
    }

    /// The path of a text, if it is in the bundle.
    pub(crate) fn text_file(&self, sha256: Sha256) -> Option<&str> {
        self.files.get_key_value(&text_path(sha256)).map(|(path, _)| path.as_str())
    }

    /// The path of an artifact, if it is in the bundle.
    pub(crate) fn artifact_file(&self, sha256: Sha256) -> Option<&str> {
        let begin = format!("artifacts/{sha256}");
        let (path, _) = self.files.range(begin.clone()..).next()?;
        path.starts_with(&begin).then_some(path)
    }

    /// The content of `SHA256SUMS`.
    pub(crate) fn checksum_lines(&self, digest: Sha256) -> String {
        let mut sums = format!("{digest}  {MANIFEST}\n");
        for (path, file) in &self.files {
            sums.push_str(&format!("{}  {path}\n", file.sha256));
        }
        sums
    }
}

/// Returns the path of an extracted text, named by its hash.
pub(crate) fn text_path(sha256: Sha256) -> String {
    format!("texts/{sha256}.txt")
}

/// Returns the path of an artifact: its hash, with the extension of its name so that a double click opens it.
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
pub(crate) fn to_canonical_json(value: &impl Serialize) -> Option<Vec<u8>> {
    serde_json_canonicalizer::to_vec(value).ok()
}

/// Returns the fault message for a record that is not in canonical form.
pub(crate) fn not_canonical() -> String {
    format!("is not in the form of RFC 8785, or has fields that version {MAJOR}.{MINOR} of the format does not have")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(role: FileRole, bytes: &[u8]) -> FileEntry {
        FileEntry {
            sha256: Sha256::of_bytes(bytes),
            size_bytes: bytes.len() as u64,
            media_type: "text/plain".into(),
            role,
            name: None,
        }
    }

    fn manifest() -> BundleManifest {
        let mut manifest =
            BundleManifest::new(BundleKind::Message, "m-1".into(), Timestamp::from_micros(0), "ibid 0".into());
        for path in manifest.record_paths() {
            manifest.files.insert(path, file(FileRole::Record, b"{}"));
        }
        manifest
    }

    /// What is said of a manifest after a change.
    fn said(change: impl FnOnce(&mut BundleManifest)) -> String {
        let mut manifest = manifest();
        change(&mut manifest);
        BundleManifest::parse(&to_canonical_json(&manifest).unwrap()).unwrap_err()
    }

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        let bytes = to_canonical_json(&manifest()).unwrap();
        assert_eq!(BundleManifest::parse(&bytes).unwrap(), manifest());
        let text = String::from_utf8(bytes).unwrap();
        assert!(
            BundleManifest::parse(text.replace(",\"id\"", ", \"id\"").as_bytes()).unwrap_err().contains("RFC 8785")
        );
        assert!(
            BundleManifest::parse(text.replace(",\"id\"", ",\"hue\":1,\"id\"").as_bytes()).unwrap_err().contains("1.0")
        );
        assert!(BundleManifest::parse(b"{}").unwrap_err().contains("format"));
        assert!(BundleManifest::parse(b"\xff").is_err());
        assert!(BundleManifest::parse("[".repeat(10_000).as_bytes()).is_err());
    }

    #[test]
    fn a_newer_minor_version_may_say_more_and_a_major_one_is_refused() {
        let newer = BundleManifest { format: BundleFormat { minor: 7, ..manifest().format }, ..manifest() };
        let text = String::from_utf8(to_canonical_json(&newer).unwrap()).unwrap();
        assert!(BundleManifest::parse(text.replace(",\"id\"", ",\"hue\":1,\"id\"").as_bytes()).unwrap().is_newer());
        assert!(said(|one| one.format.major = 2).contains("version 2.0"));
        assert!(said(|one| one.format.name = "zip".into()).contains("'zip'"));
    }

    #[test]
    fn paths_are_where_their_role_and_hash_put_them() {
        let put = |path: &str, role: FileRole| said(|one| drop(one.files.insert(path.to_owned(), file(role, b"x"))));
        let hash = Sha256::of_bytes(b"x");
        for path in ["../x", "/x", "a/../b", "", "a//b", "C:x", "a\\b", &"a".repeat(2000)] {
            assert!(put(path, FileRole::Artifact).contains("not allowed"), "{path}");
        }
        assert!(put("artifacts/é", FileRole::Artifact).contains("ASCII"));
        assert!(put("manifest.json", FileRole::Record).contains("no manifest"));
        for (path, role) in [
            ("artifacts/x".to_owned(), FileRole::Artifact),
            (format!("artifacts/{}", Sha256::of_bytes(b"y")), FileRole::Artifact),
            (format!("artifacts/{hash}.tar/x"), FileRole::Artifact),
            (format!("artifacts/{hash}."), FileRole::Artifact),
            (format!("texts/{hash}.md"), FileRole::Text),
            (format!("texts/{hash}.txt"), FileRole::Artifact),
            ("folder/more.json".to_owned(), FileRole::Record),
        ] {
            assert!(put(&path, role).contains("role and hash"), "{path}");
        }
        assert!(put("more.json", FileRole::Record).contains("no part"));
        assert!(said(|one| drop(one.files.remove("citations.json"))).contains("citations.json"));
        let twice = said(|one| {
            one.files.insert(format!("artifacts/{hash}"), file(FileRole::Artifact, b"x"));
            one.files.insert(format!("artifacts/{hash}.pdf"), file(FileRole::Artifact, b"x"));
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
                one.files.insert(format!("{number}"), file(FileRole::Record, b""));
            }
        });
        assert!(many.contains("65534"));
    }

    #[test]
    fn an_artifact_keeps_the_ending_of_its_name() {
        let hash = Sha256::of_bytes(b"");
        assert!(artifact_path(hash, Some("Q3 report.PDF")).ends_with("b855.pdf"));
        for name in
            [None, Some("pdf"), Some("a."), Some("a.../../b"), Some("a.tar gz"), Some("a.é"), Some("a.toolongish")]
        {
            assert!(artifact_path(hash, name).ends_with("b855"), "{name:?}");
        }
    }
}
