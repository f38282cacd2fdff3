//! Writing a bundle, as it streams.

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
};

use ibid_domain::{Sha256, hash::Hasher, problem::shown};
use serde::Serialize;

use crate::{
    MAX_CITATIONS, MAX_RECORD, annotations,
    archive::pieces,
    container::{Layout, Planned, local_header, record},
    manifest::{
        ANNOTATIONS, CITATIONS, FileEntry, MANIFEST, Manifest, PROVENANCE, README, Role, SUMS, artifact_path,
        canonical, text_path,
    },
    provenance, readme,
    record::{Bundle, Citations, FileRecord, too_many_citations},
};

/// A bundle that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its digest: the SHA-256 of its manifest, which stands for every byte of it.
    pub digest: Sha256,
    /// How many files it has.
    pub files: u64,
    /// How many bytes it has.
    pub bytes: u64,
}

/// Why a bundle was not written.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// What was given is no bundle.
    #[error("this cannot be bundled: {0}")]
    Invalid(String),
    /// A record became too large.
    #[error("{file} would have {size} bytes; a record has at most {MAX_RECORD}")]
    TooLarge {
        /// The record.
        file: String,
        /// How large it is.
        size: u64,
    },
    /// A cited file is not what it was said to be.
    #[error("the bytes of {file} are not those of its hash and size")]
    Changed {
        /// Its path in the bundle.
        file: String,
    },
    /// A cited file could not be read.
    #[error("{file} could not be read")]
    Read {
        /// Its path in the bundle.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// The bundle could not be written.
    #[error("the bundle could not be written")]
    Write(#[source] io::Error),
}

/// What a file of the bundle consists of.
pub(crate) enum Content<'a> {
    Bytes(Vec<u8>),
    File(&'a FileRecord),
}

/// Writes a bundle. The same bundle always gives the same bytes.
///
/// Cited files are read twice, once for the check that stands before them in the archive. What was written when an error
/// comes is no archive. Quotes are not compared with the texts here; [`verify`](crate::verify()) does.
pub fn write(bundle: &Bundle, out: impl Write) -> Result<Written, BundleError> {
    let mut contents = BTreeMap::new();
    let manifest = manifest(bundle, &mut contents)?;
    let bytes = written(MANIFEST, &manifest)?;
    let digest = Sha256::of(&bytes);
    let sums = manifest.sums(digest).into_bytes();
    let first = [(MANIFEST.to_owned(), Content::Bytes(bytes)), (SUMS.to_owned(), Content::Bytes(sums))];
    let contents: Vec<_> = first.into_iter().chain(contents).collect();
    let len = pack(&contents, out)?;
    Ok(Written { digest, files: contents.len() as u64, bytes: len })
}

/// Checks what is to be bundled and lists it, and makes the records.
fn manifest<'a>(bundle: &'a Bundle, contents: &mut BTreeMap<String, Content<'a>>) -> Result<Manifest, BundleError> {
    let Bundle { kind, created_at, tool, message, citations, files } = bundle;
    if citations.len() > MAX_CITATIONS {
        return Err(BundleError::Invalid(too_many_citations(citations.len())));
    }
    let chars = message.content.chars().count();
    for citation in citations {
        if let Some(flaw) = citation.flaw(chars) {
            return Err(BundleError::Invalid(format!("the citation [{}] {flaw}", citation.number)));
        }
    }
    let mut manifest = Manifest::new(*kind, message.id.clone(), *created_at, tool.clone());
    for file in files {
        let path = match file.role {
            Role::Artifact => artifact_path(file.sha256, file.name.as_deref()),
            Role::Text => text_path(file.sha256),
            Role::Record => {
                return Err(BundleError::Invalid(format!("the file {} is said to be a record", file.sha256)));
            }
        };
        let entry = FileEntry {
            sha256: file.sha256,
            size_bytes: file.size_bytes,
            media_type: file.media_type.clone(),
            role: file.role,
            name: file.name.clone(),
        };
        if manifest.files.insert(path.clone(), entry).is_some() {
            return Err(BundleError::Invalid(format!("{path} is given twice")));
        }
        contents.insert(path, Content::File(file));
    }
    // The text's own name decides which file the others point at, so it comes first.
    let content_path = format!("{}.{}", kind.as_str(), message.format.extension());
    let mut add = |manifest: &mut Manifest, path: String, media_type: &str, bytes: Vec<u8>| {
        if bytes.len() as u64 > MAX_RECORD {
            return Err(BundleError::TooLarge { file: path, size: bytes.len() as u64 });
        }
        let entry = FileEntry {
            sha256: Sha256::of(&bytes),
            size_bytes: bytes.len() as u64,
            media_type: media_type.to_owned(),
            role: Role::Record,
            name: None,
        };
        manifest.files.insert(path.clone(), entry);
        contents.insert(path, Content::Bytes(bytes));
        Ok(())
    };
    add(&mut manifest, content_path, message.format.media_type(), message.content.clone().into_bytes())?;
    let message_path = manifest.message_path();
    let message_json = written(&message_path, message)?;
    add(&mut manifest, message_path, "application/json", message_json)?;
    let all = Citations { citations: citations.into() };
    add(&mut manifest, CITATIONS.into(), "application/json", written(CITATIONS, &all)?)?;
    let annotations = written(ANNOTATIONS, &annotations::Collection { manifest: &manifest, citations })?;
    add(&mut manifest, ANNOTATIONS.into(), "application/ld+json", annotations)?;
    let provenance = written(PROVENANCE, &provenance::graph(&manifest, message, citations))?;
    add(&mut manifest, PROVENANCE.into(), "application/ld+json", provenance)?;
    let readme = readme::page(&manifest, citations).into_bytes();
    add(&mut manifest, README.into(), "text/plain; charset=utf-8", readme)?;
    match manifest.flaw() {
        Some(flaw) => Err(BundleError::Invalid(format!("its manifest {flaw}"))),
        None => Ok(manifest),
    }
}

/// A record as it is written.
fn written(file: &str, value: &impl Serialize) -> Result<Vec<u8>, BundleError> {
    let bytes =
        canonical(value).ok_or_else(|| BundleError::Invalid(format!("{} has no canonical form", shown(file))))?;
    match bytes.len() as u64 {
        size if size > MAX_RECORD => Err(BundleError::TooLarge { file: file.to_owned(), size }),
        _ => Ok(bytes),
    }
}

/// Writes files in the order they have, and says how many bytes it were.
pub(crate) fn pack(contents: &[(String, Content<'_>)], mut out: impl Write) -> Result<u64, BundleError> {
    let mut plan = Vec::with_capacity(contents.len());
    let mut checks = Vec::with_capacity(contents.len());
    for (path, content) in contents {
        let (size, crc) = match content {
            Content::Bytes(bytes) => (bytes.len() as u64, crc32fast::hash(bytes)),
            Content::File(file) => (file.size_bytes, check_of(path, file)?),
        };
        out.write_all(&local_header(path, size, crc)).map_err(BundleError::Write)?;
        match content {
            Content::Bytes(bytes) => out.write_all(bytes).map_err(BundleError::Write)?,
            Content::File(file) => copy(path, file, crc, &mut out)?,
        }
        plan.push(Planned { name: path.clone(), size, sha256: None });
        checks.push(crc);
    }
    let layout = Layout::of(&plan);
    for ((file, crc), offset) in plan.iter().zip(checks).zip(&layout.files) {
        out.write_all(&record(&file.name, file.size, crc, *offset)).map_err(BundleError::Write)?;
    }
    out.write_all(&layout.closing()).map_err(BundleError::Write)?;
    out.flush().map_err(BundleError::Write)?;
    Ok(layout.len)
}

/// What goes wrong while a file is copied.
enum Stopped {
    Reading(io::Error),
    Writing(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Reading(error)
    }
}

/// Reads a cited file, never much more than it should have, a piece at a time.
fn each_piece(
    path: &str,
    file: &FileRecord,
    each: impl FnMut(&[u8]) -> Result<(), Stopped>,
) -> Result<(), BundleError> {
    let stopped = |stopped: Stopped| match stopped {
        Stopped::Reading(source) => BundleError::Read { file: path.to_owned(), source },
        Stopped::Writing(error) => BundleError::Write(error),
    };
    let mut from = (file.open)().map_err(|error| stopped(error.into()))?.take(file.size_bytes + 1);
    match pieces(&mut from, file.size_bytes, each).map_err(stopped)? {
        length if length == file.size_bytes => Ok(()),
        _ => Err(BundleError::Changed { file: path.to_owned() }),
    }
}

/// The check that stands in a file's header.
fn check_of(path: &str, file: &FileRecord) -> Result<u32, BundleError> {
    let mut crc = crc32fast::Hasher::new();
    each_piece(path, file, |piece| {
        crc.update(piece);
        Ok(())
    })?;
    Ok(crc.finalize())
}

/// Copies a file, and refuses one that is not what its hash and its check say.
fn copy(path: &str, file: &FileRecord, check: u32, out: &mut impl Write) -> Result<(), BundleError> {
    let (mut crc, mut hasher) = (crc32fast::Hasher::new(), Hasher::default());
    each_piece(path, file, |piece| {
        crc.update(piece);
        hasher.update(piece);
        out.write_all(piece).map_err(Stopped::Writing)
    })?;
    match hasher.finish() == file.sha256 && crc.finalize() == check {
        true => Ok(()),
        false => Err(BundleError::Changed { file: path.to_owned() }),
    }
}
