//! Evidence bundles: a message with its citations and everything that it cites, to be checked anywhere.

use std::{
    collections::BTreeMap,
    io::{self, Read},
};

use bytes::Bytes;
use futures::StreamExt;
use ibid_domain::{Artifact, Citation, CitationState, MessageId, Sha256};
use ibid_evidence::{
    Bundle, BundleError, CitationRecord, FileRecord, Kind, MessageRecord, Role, RunRecord, TextFormat,
};
use ibid_store::{BlobStream, Store};
use tokio::runtime::Handle;

use crate::{App, Archive, Error, Result, Scope, archive::piped};

impl App {
    /// The evidence of a message as a zip: the message, its citations, and the bytes that they are of.
    pub async fn evidence(&self, scope: &Scope, id: &MessageId) -> Result<Archive> {
        let (message, citations) = self.citations(scope, id).await?;
        let run = match message.run {
            Some(id) => Some(self.run(scope, id).await?),
            None => None,
        };
        let mut roles: BTreeMap<Sha256, Role> = BTreeMap::new();
        for anchor in citations.iter().filter_map(|citation| citation.anchor.as_ref()) {
            roles.entry(anchor.content).or_insert(Role::Artifact);
            roles.insert(anchor.text, Role::Text);
        }
        let hashes: Vec<_> = roles.keys().copied().collect();
        let artifacts = self.store.read().await?.artifacts(scope).get_many(&hashes).await?;
        let runtime = Handle::current();
        let names: BTreeMap<Sha256, String> = citations
            .iter()
            .filter_map(|citation| Some((citation.anchor.as_ref()?.content, citation.snapshot.file_name.clone())))
            .collect();
        let file = |artifact: Artifact| FileRecord {
            sha256: artifact.sha256,
            size_bytes: artifact.size_bytes,
            media_type: artifact.media_type.as_str().to_owned(),
            name: names.get(&artifact.sha256).cloned(),
            role: roles.get(&artifact.sha256).copied().unwrap_or(Role::Artifact),
            open: opener(&self.store, scope, &runtime, artifact.sha256),
        };
        let mut files: Vec<_> = artifacts.into_values().map(file).collect();
        files.sort_by_key(|file| file.sha256);
        let bundle = Bundle {
            kind: Kind::Message,
            // The same message gives the same bundle, whenever it is made.
            created_at: message.updated_at,
            tool: concat!("ibid ", env!("CARGO_PKG_VERSION")).to_owned(),
            message: MessageRecord {
                id: message.id.to_string(),
                role: Some(message.role.as_str().to_owned()),
                title: None,
                content: message.content,
                format: TextFormat::Markdown,
                conversation_id: Some(message.conversation.to_string()),
                created_at: message.created_at,
                model: message.model.clone(),
                run: run.map(|run| RunRecord {
                    id: run.id.to_string(),
                    agent: message.model,
                    started_at: run.created_at,
                    ended_at: run.finished_at,
                }),
            },
            citations: citations.iter().map(record).collect(),
            files,
        };
        Ok(piped("evidence of a message", move |sink| match ibid_evidence::write(&bundle, sink) {
            Ok(_) => Ok(()),
            Err(BundleError::Write(error)) => Err(Error::io("write the bundle")(error)),
            Err(error) => Err(Error::Corrupt(error.to_string())),
        }))
    }
}

fn record(citation: &Citation) -> CitationRecord {
    let anchor = citation.anchor.as_ref();
    let snapshot = &citation.snapshot;
    let span = anchor.and_then(|anchor| anchor.span);
    let state = match (citation.is_tombstone(), citation.state) {
        (true, _) => "deleted",
        (false, CitationState::Current) => "current",
        (false, CitationState::Changed) => "changed",
    };
    CitationRecord {
        number: citation.number,
        marker: citation.marker,
        claim: citation.claim,
        source_id: citation.source.map(|id| id.to_string()),
        title: snapshot.title.clone(),
        file_name: Some(snapshot.file_name.clone()),
        media_type: snapshot.media_type.clone(),
        origin: snapshot.origin.as_str().to_owned(),
        url: snapshot.url.clone(),
        is_image: snapshot.is_image,
        relevance: snapshot.relevance,
        verdict: citation.verdict.map(|verdict| verdict.as_str().to_owned()),
        score: citation.score,
        state: state.to_owned(),
        revision_id: anchor.and_then(|anchor| anchor.revision).map(|id| id.to_string()),
        content_sha256: anchor.map(|anchor| anchor.content),
        text_sha256: anchor.map(|anchor| anchor.text),
        span,
        quote: citation.quote.clone().filter(|_| span.is_some()),
        prefix: anchor.map(|anchor| anchor.prefix.clone()).unwrap_or_default(),
        suffix: anchor.map(|anchor| anchor.suffix.clone()).unwrap_or_default(),
        page: anchor.and_then(|anchor| anchor.pages).map(|(first, _)| first),
    }
}

/// Opens an artifact from a thread that may wait.
fn opener(store: &Store, scope: &Scope, runtime: &Handle, sha256: Sha256) -> ibid_evidence::record::Open {
    let (store, scope, runtime) = (store.clone(), *scope, runtime.clone());
    Box::new(move || {
        let missing = || io::Error::other(format!("the bytes of artifact {sha256} are missing"));
        let bytes = runtime.block_on(store.bytes(&scope, sha256, None)).map_err(io::Error::other)?;
        let bytes = bytes.ok_or_else(missing)?;
        Ok(Box::new(Pieces { bytes, piece: Bytes::new(), runtime: runtime.clone() }))
    })
}

/// Bytes that come from elsewhere, for one who waits for them.
struct Pieces {
    bytes: BlobStream,
    piece: Bytes,
    runtime: Handle,
}

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.runtime.block_on(self.bytes.next()) {
                Some(piece) => self.piece = piece.map_err(io::Error::other)?,
                None => return Ok(0),
            }
        }
        let count = into.len().min(self.piece.len());
        into[..count].copy_from_slice(&self.piece.split_to(count));
        Ok(count)
    }
}
