//! Files beside the text of a document, such as images that it shows.

use std::collections::BTreeMap;

use ibid_documents::render_pool;
use ibid_domain::{
    Code, DocumentId, Entry, ManifestPath, Problem,
    artifact::{Filename, MediaType},
    problem::shorten_for_error,
};

use super::{DocumentChange, FILES, OpenDocument};
use crate::{Result, UploadDetails, services::DocumentService};

/// The largest file of a document, in bytes.
pub const LARGEST_FILE: usize = 32 << 20;
/// The most files of a document.
const MOST_FILES: usize = 200;

impl DocumentService<'_> {
    /// Keeps a file that a document's text may ask for.
    pub async fn put_file(
        self,
        id: DocumentId,
        name: &str,
        media_type: Option<MediaType>,
        bytes: bytes::Bytes,
    ) -> Result<OpenDocument> {
        check_file(name, bytes.len())?;
        let media_type = media_type.map_or_else(|| MediaType::new(guess_media_type(name)), Ok)?;
        let details = UploadDetails {
            media_type: Some(media_type.clone()),
            filename: Some(Filename::new(name)?),
            ..UploadDetails::default()
        };
        let artifact = self.app.sources(self.scope).keep_bytes(bytes, details).await?;
        let entry = Entry { sha256: artifact.sha256, media_type, size_bytes: artifact.size_bytes, entity_type: None };
        self.change_files(id, &format!("added {name}"), |files| {
            if files.len() >= MOST_FILES && !files.contains_key(name) {
                let detail = format!("a document has at most {MOST_FILES} files");
                return Err(Problem::new(Code::InvalidField, detail).with_field("name"));
            }
            files.insert(name.to_owned(), entry.clone());
            Ok(())
        })
        .await
    }

    /// Removes a file of a document.
    pub async fn delete_file(self, id: DocumentId, name: &str) -> Result<OpenDocument> {
        self.change_files(id, &format!("removed {name}"), |files| {
            files.remove(name).map(drop).ok_or_else(|| no_file(name))
        })
        .await
    }

    /// Returns an attached file of a document with its bytes.
    pub async fn file(self, id: DocumentId, name: &str) -> Result<(Entry, Vec<u8>)> {
        let mut open = self.get(id, None).await?;
        let entry = open.files.remove(name).ok_or_else(|| no_file(name))?;
        let bytes = self.app.sources(self.scope).bytes_of(entry.sha256).await?;
        Ok((entry, bytes))
    }

    async fn change_files(
        self,
        id: DocumentId,
        message: &str,
        change: impl Fn(&mut BTreeMap<String, Entry>) -> Result<(), Problem>,
    ) -> Result<OpenDocument> {
        self.update_with_retry(id, |before| {
            let mut files = before.files.clone();
            change(&mut files)?;
            let message = Some(message.to_owned());
            Ok(Some(DocumentChange { files: Some(files), message, ..DocumentChange::default() }))
        })
        .await
    }
}

/// Returns the files in the manifest of a version, by name.
pub(super) fn files_in_tree(tree: &ibid_domain::Tree) -> BTreeMap<String, Entry> {
    let name = |(path, entry): (&ManifestPath, &Entry)| {
        path.as_str().strip_prefix(FILES).map(|name| (name.to_owned(), entry.clone()))
    };
    tree.iter().filter_map(name).collect()
}

fn check_file(name: &str, size: usize) -> Result<(), Problem> {
    Filename::new(name)?;
    if name.starts_with('.') || render_pool::TAKEN.contains(&name) {
        let detail = format!("'{}' cannot be the name of a document's file", shorten_for_error(name));
        return Err(Problem::new(Code::FilenameInvalid, detail).with_field("name"));
    }
    if size > LARGEST_FILE {
        let detail = format!("the file has {size} bytes; a document's file has at most {LARGEST_FILE}");
        return Err(Problem::new(Code::BodyTooLarge, detail));
    }
    Ok(())
}

fn guess_media_type(name: &str) -> &'static str {
    match name.rsplit('.').next().map(str::to_ascii_lowercase).as_deref() {
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("svg") => "image/svg+xml",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("csv") => "text/csv",
        Some("json") => "application/json",
        Some("typ") => "text/x-typst",
        _ => "application/octet-stream",
    }
}

fn no_file(name: &str) -> Problem {
    Problem::new(Code::DocumentFileNotFound, format!("the document has no file '{}'", shorten_for_error(name)))
}
