//! A manifest as a zip file, made while it is sent.

use std::io::{self, Write};

use bytes::Bytes;
use futures::StreamExt;
use ibid_domain::{Entry, Sha256, Tree};
use tokio::{runtime::Handle, sync::mpsc};
use tokio_util::sync::DropGuard;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::{App, Error, Result, Scope, services::ManifestService};

/// A zip file, streamed while it is written.
pub struct ZipStream {
    pieces: mpsc::Receiver<io::Result<Bytes>>,
    _cancel: DropGuard,
}

impl ZipStream {
    /// The next piece. An error ends it, and leaves a file that no program takes for whole.
    pub async fn next(&mut self) -> Option<io::Result<Bytes>> {
        self.pieces.recv().await
    }
}

impl ManifestService<'_> {
    /// The files of a manifest as a zip.
    pub async fn zip(self, sha256: Sha256) -> Result<ZipStream> {
        let (_, tree) = self.get(sha256).await?;
        let (app, scope, runtime) = (self.app.clone(), *self.scope, Handle::current());
        Ok(stream_zip("archive of a manifest", move |sink| write_zip(&app, &scope, &tree, &runtime, sink)))
    }
}

/// Runs `write` on a blocking thread and streams its output. The sink is flushed at the end.
pub(crate) fn stream_zip(
    what: &'static str,
    write: impl FnOnce(&mut ZipSink) -> Result<()> + Send + 'static,
) -> ZipStream {
    let (sender, pieces) = mpsc::channel(4);
    let cancel = tokio_util::sync::CancellationToken::new();
    let cancelled = cancel.clone();
    tokio::task::spawn_blocking(move || {
        let mut sink = ZipSink { sender: sender.clone(), piece: Vec::new(), cancelled };
        let written = write(&mut sink).and_then(|()| sink.flush().map_err(Error::internal("write the archive")));
        if let Err(error) = written {
            tracing::warn!(%error, "the {what} was not finished");
            let _ = sender.blocking_send(Err(io::Error::other(error)));
        }
    });
    ZipStream { pieces, _cancel: cancel.drop_guard() }
}

fn write_zip(app: &App, scope: &Scope, tree: &Tree, runtime: &Handle, sink: &mut ZipSink) -> Result<()> {
    let zip_failed = |error: zip::result::ZipError| Error::internal("write the archive")(error);
    let mut zip = ZipWriter::new_stream(sink);
    for (path, entry) in tree.iter() {
        let mut bytes = runtime
            .block_on(app.store().read_bytes(scope, entry.sha256, None))?
            .ok_or_else(|| Error::corrupt("artifact without bytes", entry.sha256))?;
        zip.start_file(path.as_str(), zip_entry_options(entry)).map_err(zip_failed)?;
        while let Some(piece) = runtime.block_on(bytes.next()) {
            zip.write_all(&piece?).map_err(Error::internal("write the archive"))?;
        }
    }
    zip.finish().map_err(zip_failed)?;
    Ok(())
}

/// The same manifest gives the same bytes: no time of day goes in. What is compressed already is not again.
fn zip_entry_options(entry: &Entry) -> SimpleFileOptions {
    let essence = entry.media_type.essence();
    let text =
        essence.starts_with("text/") || ["json", "xml", "javascript", "rtf"].iter().any(|word| essence.contains(word));
    let method = if text { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    SimpleFileOptions::default()
        .compression_method(method)
        .last_modified_time(zip::DateTime::default())
        .large_file(entry.size_bytes >= u64::from(u32::MAX))
        .unix_permissions(0o644)
}

/// Gathers what the zip writer writes into pieces of a decent size and sends them.
pub(crate) struct ZipSink {
    sender: mpsc::Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
    cancelled: tokio_util::sync::CancellationToken,
}

const PIECE: usize = 64 * 1024;

impl Write for ZipSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.cancelled.is_cancelled() {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe));
        }
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = Bytes::from(std::mem::take(&mut self.piece));
        self.sender.blocking_send(Ok(piece)).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
    }
}
