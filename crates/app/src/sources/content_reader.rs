//! Reading bytes in a process of their own, so that no file can hold up or bring down the server.
//!
//! The parent starts `ibid read-content`, sends one line of JSON with what is known of the bytes, then the bytes, and
//! gets the text and its marks back as JSON. The child has a bound on its memory and its processor time, none of the
//! server's secrets in its environment, and is killed when it takes too long.

use std::{
    io::{BufRead, Write},
    path::PathBuf,
    time::Duration,
};

use bytes::Bytes;
use futures::{StreamExt, future::BoxFuture};
use ibid_domain::{PartialDate, text::single_line};
use ibid_ingest::{ExtractedFile, ExtractionError, ExtractionInput, ExtractionLimits, thumbnail};
use ibid_store::BlobStream;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{
    Error, Result, run_blocking,
    sandbox::{SandboxedChild, limit_this_process, lower_priority_of_this_process},
};

/// The largest file that is read, in bytes. Larger ones are kept and can be downloaded, not searched.
const MAX_BYTES: u64 = 512 << 20;
/// The most memory that reading one file may take, in bytes of address space.
const MAX_MEMORY: u64 = 4 << 30;
/// The most that the child may say.
const MAX_ANSWER: u64 = 512 << 20;
/// The longest label of a mark and the longest address, in characters.
const MAX_LABEL: usize = 500;
const MAX_URL: usize = 8_000;
/// Maximum width and height of a thumbnail, in pixels.
const THUMBNAIL: u32 = 320;

/// Facts known about a file before it is read, to help detect its format.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ContentHints {
    pub size_bytes: u64,
    /// Original file name, used to guess the format.
    pub filename: Option<String>,
    /// Media type as announced by the client or server.
    pub media_type: Option<String>,
    /// Address the bytes were fetched from.
    pub url: Option<String>,
    /// The day it is read on: nothing has appeared later.
    pub today: Option<PartialDate>,
    /// True to create a thumbnail, too.
    pub thumbnail: bool,
}

/// Text, metadata and thumbnail extracted from a file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ExtractedContent {
    /// The text with its marks, and what the content tells of itself.
    pub extracted: ExtractedFile,
    /// PNG or JPEG image; `None` if none was requested or possible.
    pub thumbnail: Option<Vec<u8>>,
}

/// Extracts text and metadata from files.
pub trait ContentReader: Send + Sync {
    /// Reads the bytes. The outer error is the server's, the inner one the file's.
    fn read<'a>(
        &'a self,
        about: &'a ContentHints,
        bytes: BlobStream,
    ) -> BoxFuture<'a, Result<Result<ExtractedContent, ExtractionError>>>;
}

/// Reads in this process: for tools that read one file and end.
#[derive(Clone, Copy, Debug, Default)]
pub struct InProcessReader;

impl ContentReader for InProcessReader {
    fn read<'a>(
        &'a self,
        about: &'a ContentHints,
        mut bytes: BlobStream,
    ) -> BoxFuture<'a, Result<Result<ExtractedContent, ExtractionError>>> {
        Box::pin(async move {
            let mut content = Vec::new();
            while let Some(piece) = bytes.next().await {
                content.extend_from_slice(&piece?);
            }
            let about = about.clone();
            Ok(run_blocking(move || read_bytes(&about, &content)).await?)
        })
    }
}

/// Reads in a process of its own.
#[derive(Clone, Debug)]
pub struct SandboxedReader {
    /// The program, which takes `read-content` as its argument.
    pub program: PathBuf,
    /// Maximum time for one file; the child process is killed after it.
    pub timeout: Duration,
}

impl ContentReader for SandboxedReader {
    fn read<'a>(
        &'a self,
        about: &'a ContentHints,
        bytes: BlobStream,
    ) -> BoxFuture<'a, Result<Result<ExtractedContent, ExtractionError>>> {
        Box::pin(async move {
            if about.size_bytes > MAX_BYTES {
                let detail = format!("it has {} bytes and the most that is read is {MAX_BYTES}", about.size_bytes);
                return Ok(Err(ExtractionError::TooLarge(detail)));
            }
            match tokio::time::timeout(self.timeout, self.run_child(about, bytes)).await {
                Ok(answer) => answer,
                Err(_) => {
                    let detail = format!("it was given up after {} seconds", self.timeout.as_secs());
                    Ok(Err(ExtractionError::TooCostly(detail)))
                }
            }
        })
    }
}

/// Variables that a child needs to find its libraries.
const CHILD_VARIABLES: &[&str] =
    &["PATH", "HOME", "XDG_CACHE_HOME", "IBID_CACHE", "IBID_PDFIUM", "LD_LIBRARY_PATH", "LANG", "TMPDIR"];

impl SandboxedReader {
    async fn run_child(
        &self,
        about: &ContentHints,
        mut bytes: BlobStream,
    ) -> Result<Result<ExtractedContent, ExtractionError>> {
        let SandboxedChild { process: mut child, input: mut into, output: from } =
            SandboxedChild::spawn(&self.program, "read-content", CHILD_VARIABLES)?;
        let header = serde_json::to_vec(about).map_err(Error::internal("write to the reader process"))?;
        let send = async move {
            // A child that ends early closes its end; what it said before counts.
            let mut open = into.write_all(&header).await.is_ok() && into.write_all(b"\n").await.is_ok();
            while let Some(piece) = bytes.next().await {
                let piece: Bytes = piece?;
                open = open && into.write_all(&piece).await.is_ok();
            }
            drop(into);
            Ok::<_, Error>(())
        };
        let mut said = Vec::new();
        let mut from = from.take(MAX_ANSWER);
        let (sent, heard) = tokio::join!(send, from.read_to_end(&mut said));
        sent?;
        heard.map_err(Error::internal("read from the reader process"))?;
        let status = child.wait().await.map_err(Error::internal("wait for the reader process"))?;
        if let Ok(answer) = serde_json::from_slice(&said) {
            return Ok(answer);
        }
        tracing::warn!(%status, filename = about.filename, "a reader ended without an answer");
        Ok(Err(ExtractionError::TooCostly(format!(
            "its reader ended early ({status}); it is damaged, or needs more than {} GiB of memory",
            MAX_MEMORY >> 30
        ))))
    }
}

/// Runs the child process: reads a file from standard input and writes the result to standard output as JSON.
pub fn read_content(timeout: Duration) -> std::io::Result<()> {
    limit_this_process(MAX_MEMORY, Some(timeout));
    lower_priority_of_this_process();
    let mut input = std::io::stdin().lock();
    let mut header = String::new();
    input.read_line(&mut header)?;
    let about: ContentHints = serde_json::from_str(&header)?;
    let mut bytes = Vec::with_capacity(usize::try_from(about.size_bytes.min(MAX_BYTES)).unwrap_or(0));
    std::io::Read::read_to_end(&mut std::io::Read::take(input, MAX_BYTES + 1), &mut bytes)?;
    let answer = read_bytes(&about, &bytes);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    serde_json::to_writer(&mut out, &answer)?;
    out.flush()
}

fn read_bytes(about: &ContentHints, bytes: &[u8]) -> Result<ExtractedContent, ExtractionError> {
    let input = ExtractionInput {
        bytes,
        filename: about.filename.as_deref(),
        media_type: about.media_type.as_deref(),
        url: about.url.as_deref(),
        today: about.today,
    };
    let mut extracted = ibid_ingest::extract(&input, &ExtractionLimits::default())?;
    // No database keeps it, and no reader should have let it through; a character for a character, so that no place
    // in the text changes.
    if extracted.text.contains('\0') {
        extracted.text = extracted.text.replace('\0', "\u{fffd}");
    }
    extracted.reference.bound();
    for label in extracted.marks.iter_mut().map(|mark| &mut mark.label) {
        *label = single_line(label, MAX_LABEL);
    }
    let web = &mut extracted.web;
    for text in [&mut web.site_name, &mut web.favicon, &mut web.canonical_url] {
        *text = text.take().map(|text| single_line(&text, MAX_URL)).filter(|text| !text.is_empty());
    }
    // A file without a picture is no worse for it.
    let picture = if about.thumbnail { thumbnail(bytes, THUMBNAIL).unwrap_or_default() } else { None };
    Ok(ExtractedContent { extracted, thumbnail: picture })
}
