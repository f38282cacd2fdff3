//! Writing a bundle, as it streams.

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
};

use ibid_domain::{Sha256, hash::Hasher, problem::shorten_for_error};
use serde::Serialize;

use crate::{
    MAX_CITATIONS, MAX_RECORD, annotations,
    archive::read_pieces,
    manifest::{
        ANNOTATIONS, BundleManifest, CITATIONS, FileEntry, FileRole, MANIFEST, PROVENANCE, README, SUMS, artifact_path,
        text_path, to_canonical_json,
    },
    provenance, readme,
    record::{Bundle, CitationsFile, FileRecord, too_many_citations},
    zip_layout::{PlannedFile, ZipLayout, directory_record, local_header},
};

/// Digest and size of a bundle that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundleSummary {
    /// Its digest: the SHA-256 of its manifest, which stands for every byte of it.
    pub digest: Sha256,
    /// Number of files in the bundle.
    pub files: u64,
    /// Size of the archive in bytes.
    pub bytes: u64,
}

/// Why a bundle was not written.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The given records do not form a valid bundle.
    #[error("this cannot be bundled: {0}")]
    Invalid(String),
    /// A record exceeds the size limit.
    #[error("{file} would have {size} bytes; a record has at most {MAX_RECORD}")]
    TooLarge {
        /// Path of the record in the bundle.
        file: String,
        /// Size of the record in bytes.
        size: u64,
    },
    /// A cited file is not what it was said to be.
    #[error("the bytes of {file} are not those of its hash and size")]
    Changed {
        /// Path of the file in the bundle.
        file: String,
    },
    /// A cited file could not be read.
    #[error("{file} could not be read")]
    Read {
        /// Path of the file in the bundle.
        file: String,
        source: io::Error,
    },
    /// The bundle could not be written.
    #[error("the bundle could not be written")]
    Write(#[source] io::Error),
}

/// Content of a file in the bundle: bytes in memory, or a file to be streamed.
pub(crate) enum FileContent<'a> {
    Bytes(Vec<u8>),
    File(&'a FileRecord),
}

/// Writes a bundle. The same bundle always gives the same bytes.
///
/// Cited files are read twice, once for the check that stands before them in the archive. What was written when an error
/// comes is no archive. Quotes are not compared with the texts here; [`verify_bundle`](crate::verify()) does.
pub fn write_bundle(bundle: &Bundle, out: impl Write) -> Result<BundleSummary, BundleError> {
    let mut contents = BTreeMap::new();
    let manifest = build_manifest(bundle, &mut contents)?;
    let bytes = record_bytes(MANIFEST, &manifest)?;
    let digest = Sha256::of_bytes(&bytes);
    let sums = manifest.checksum_lines(digest).into_bytes();
    let first = [(MANIFEST.to_owned(), FileContent::Bytes(bytes)), (SUMS.to_owned(), FileContent::Bytes(sums))];
    let contents: Vec<_> = first.into_iter().chain(contents).collect();
    let len = pack_files(&contents, out)?;
    Ok(BundleSummary { digest, files: contents.len() as u64, bytes: len })
}

/// Checks what is to be bundled and lists it, and makes the records.
fn build_manifest<'a>(
    bundle: &'a Bundle,
    contents: &mut BTreeMap<String, FileContent<'a>>,
) -> Result<BundleManifest, BundleError> {
    let Bundle { kind, created_at, tool, message, citations, files } = bundle;
    if citations.len() > MAX_CITATIONS {
        return Err(BundleError::Invalid(too_many_citations(citations.len())));
    }
    let chars = message.content.chars().count();
    for citation in citations {
        if let Some(flaw) = citation.find_flaw(chars) {
            return Err(BundleError::Invalid(format!("the citation [{}] {flaw}", citation.number)));
        }
    }
    let mut manifest = BundleManifest::new(*kind, message.id.clone(), *created_at, tool.clone());
    for file in files {
        let path = match file.role {
            FileRole::Artifact => artifact_path(file.sha256, file.name.as_deref()),
            FileRole::Text => text_path(file.sha256),
            FileRole::Record => {
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
        contents.insert(path, FileContent::File(file));
    }
    // The text's own name decides which file the others point at, so it comes first.
    let content_path = format!("{}.{}", kind.as_str(), message.format.extension());
    let mut add = |manifest: &mut BundleManifest, path: String, media_type: &str, bytes: Vec<u8>| {
        if bytes.len() as u64 > MAX_RECORD {
            return Err(BundleError::TooLarge { file: path, size: bytes.len() as u64 });
        }
        let entry = FileEntry {
            sha256: Sha256::of_bytes(&bytes),
            size_bytes: bytes.len() as u64,
            media_type: media_type.to_owned(),
            role: FileRole::Record,
            name: None,
        };
        manifest.files.insert(path.clone(), entry);
        contents.insert(path, FileContent::Bytes(bytes));
        Ok(())
    };
    add(&mut manifest, content_path, message.format.media_type(), message.content.clone().into_bytes())?;
    let message_path = manifest.message_path();
    let message_json = record_bytes(&message_path, message)?;
    add(&mut manifest, message_path, "application/json", message_json)?;
    let all = CitationsFile { citations: citations.into() };
    add(&mut manifest, CITATIONS.into(), "application/json", record_bytes(CITATIONS, &all)?)?;
    let annotations = record_bytes(ANNOTATIONS, &annotations::AnnotationCollection { manifest: &manifest, citations })?;
    add(&mut manifest, ANNOTATIONS.into(), "application/ld+json", annotations)?;
    let provenance = record_bytes(PROVENANCE, &provenance::provenance_graph(&manifest, message, citations))?;
    add(&mut manifest, PROVENANCE.into(), "application/ld+json", provenance)?;
    let readme = readme::readme_text(&manifest, citations).into_bytes();
    add(&mut manifest, README.into(), "text/plain; charset=utf-8", readme)?;
    match manifest.find_flaw() {
        Some(flaw) => Err(BundleError::Invalid(format!("its manifest {flaw}"))),
        None => Ok(manifest),
    }
}

/// Returns the canonical JSON of a record, or an error if it is too large.
fn record_bytes(file: &str, value: &impl Serialize) -> Result<Vec<u8>, BundleError> {
    let bytes = to_canonical_json(value)
        .ok_or_else(|| BundleError::Invalid(format!("{} has no canonical form", shorten_for_error(file))))?;
    match bytes.len() as u64 {
        size if size > MAX_RECORD => Err(BundleError::TooLarge { file: file.to_owned(), size }),
        _ => Ok(bytes),
    }
}

/// Writes files in the order they have, and says how many bytes it were.
pub(crate) fn pack_files(contents: &[(String, FileContent<'_>)], mut out: impl Write) -> Result<u64, BundleError> {
    let mut plan = Vec::with_capacity(contents.len());
    let mut checks = Vec::with_capacity(contents.len());
    for (path, content) in contents {
        let (size, crc) = match content {
            FileContent::Bytes(bytes) => (bytes.len() as u64, crc32fast::hash(bytes)),
            FileContent::File(file) => (file.size_bytes, check_of(path, file)?),
        };
        out.write_all(&local_header(path, size, crc)).map_err(BundleError::Write)?;
        match content {
            FileContent::Bytes(bytes) => out.write_all(bytes).map_err(BundleError::Write)?,
            FileContent::File(file) => copy_file(path, file, crc, &mut out)?,
        }
        plan.push(PlannedFile { name: path.clone(), size, sha256: None });
        checks.push(crc);
    }
    let layout = ZipLayout::for_files(&plan);
    for ((file, crc), offset) in plan.iter().zip(checks).zip(&layout.files) {
        out.write_all(&directory_record(&file.name, file.size, crc, *offset)).map_err(BundleError::Write)?;
    }
    out.write_all(&layout.end_bytes()).map_err(BundleError::Write)?;
    out.flush().map_err(BundleError::Write)?;
    Ok(layout.len)
}

/// Error while copying a file: of the reader or of the writer.
enum CopyError {
    Reading(io::Error),
    Writing(io::Error),
}

impl From<io::Error> for CopyError {
    fn from(error: io::Error) -> Self {
        Self::Reading(error)
    }
}

/// Reads a cited file, never much more than it should have, a piece at a time.
fn each_piece(
    path: &str,
    file: &FileRecord,
    each: impl FnMut(&[u8]) -> Result<(), CopyError>,
) -> Result<(), BundleError> {
    let stopped = |stopped: CopyError| match stopped {
        CopyError::Reading(source) => BundleError::Read { file: path.to_owned(), source },
        CopyError::Writing(error) => BundleError::Write(error),
    };
    let mut from = (file.open)().map_err(|error| stopped(error.into()))?.take(file.size_bytes + 1);
    match read_pieces(&mut from, file.size_bytes, each).map_err(stopped)? {
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
fn copy_file(path: &str, file: &FileRecord, check: u32, out: &mut impl Write) -> Result<(), BundleError> {
    let (mut crc, mut hasher) = (crc32fast::Hasher::new(), Hasher::default());
    each_piece(path, file, |piece| {
        crc.update(piece);
        hasher.update(piece);
        out.write_all(piece).map_err(CopyError::Writing)
    })?;
    match hasher.finish() == file.sha256 && crc.finalize() == check {
        true => Ok(()),
        false => Err(BundleError::Changed { file: path.to_owned() }),
    }
}
