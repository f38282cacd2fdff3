//! Evidence bundles: a message or a document with its citations and everything that it cites, to be checked anywhere.

use std::{
    collections::BTreeMap,
    io::{self, Read},
};

use bytes::Bytes;
use futures::StreamExt;
use ibid_domain::{Artifact, Citation, CitationState, DocumentFormat, DocumentId, MessageId, Sha256, Span};
use ibid_evidence::{
    Bundle, BundleError, BundleKind, CitationRecord, FileRecord, FileRole, MessageRecord, RunRecord, TextFormat,
};
use ibid_store::{BlobStream, Store};
use tokio::runtime::Handle;

use crate::{
    CheckedCitation, Error, Result, RevisionText, Scope, ZipStream, archive::stream_zip, services::EvidenceService,
};

impl EvidenceService<'_> {
    /// The evidence of a message as a zip: the message, its citations, and the bytes that they are of.
    pub async fn message_bundle(self, id: &MessageId) -> Result<ZipStream> {
        let (message, citations) = self.app.citations(self.scope).of_message(id).await?;
        let run = match message.run {
            Some(id) => Some(self.app.runs(self.scope).get(id).await?),
            None => None,
        };
        let mut roles: BTreeMap<Sha256, FileRole> = BTreeMap::new();
        for anchor in citations.iter().filter_map(|citation| citation.anchor.as_ref()) {
            roles.entry(anchor.content).or_insert(FileRole::Artifact);
            roles.insert(anchor.text, FileRole::Text);
        }
        let names: BTreeMap<Sha256, String> = citations
            .iter()
            .filter_map(|citation| Some((citation.anchor.as_ref()?.content, citation.snapshot.file_name.clone())))
            .collect();
        let files = self.files_of(&roles, &names).await?;
        let bundle = Bundle {
            kind: BundleKind::Message,
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
            citations: citations.iter().map(citation_record).collect(),
            files,
        };
        Ok(stream_bundle(bundle))
    }

    /// The evidence of a document as a zip: its text, its citations, and the bytes that they are of.
    pub async fn document_bundle(self, id: DocumentId) -> Result<ZipStream> {
        let open = self.app.documents(self.scope).get(id, None).await?;
        let (citations, _) = self.app.documents(self.scope).citations(id).await?;
        let support = self.app.documents(self.scope).check_support(id).await?;
        let (mut roles, mut names) = (BTreeMap::new(), BTreeMap::new());
        let mut records = Vec::new();
        for citation in citations.iter().filter(|citation| citation.is_attached()) {
            let read = match citation.source {
                Some(source) => self
                    .app
                    .sources(self.scope)
                    .text(source, None)
                    .await
                    .map_or_else(ignore_missing_text, |text| Ok(Some(text)))?,
                None => None,
            };
            let checked = support.claims.iter().find(|(_, numbers)| numbers.contains(&citation.number));
            let checked = checked.and_then(|(claim, _)| {
                let own = |one: &&CheckedCitation| one.of.map(|(source, _)| source) == citation.source;
                Some((claim.claim.span, claim.citations.iter().find(own)?))
            });
            let length = if citation.is_marked {
                open.document.settings.format.citation_marker(citation.number).chars().count()
            } else {
                0
            };
            let mut record = CitationRecord {
                number: citation.number,
                marker: Span::new(citation.position, citation.position + length),
                claim: checked.map(|(claim, _)| claim),
                source_id: citation.source.map(|id| id.to_string()),
                title: citation.snapshot.title.clone(),
                file_name: None,
                media_type: String::new(),
                origin: citation.snapshot.kind.as_str().to_owned(),
                url: citation.snapshot.url.clone(),
                is_image: false,
                relevance: None,
                verdict: checked.map(|(_, own)| own.support.verdict.as_str().to_owned()),
                score: checked.map(|(_, own)| f64::from(own.support.score)),
                state: if citation.source.is_some() { "current" } else { "deleted" }.to_owned(),
                revision_id: None,
                content_sha256: None,
                text_sha256: None,
                span: None,
                quote: None,
                prefix: String::new(),
                suffix: String::new(),
                page: None,
            };
            if let Some(text) = read {
                let revision = &text.revision;
                // The words that were cited, or else those that come closest.
                let kept = citation.quote.as_deref().and_then(|quote| span_of(&text.text, quote));
                let span = kept.or_else(|| checked.and_then(|(_, own)| own.support.quote));
                record.quote = span.and_then(|span| span.slice_of(&text.text)).map(str::to_owned);
                record.span = span.filter(|_| record.quote.is_some());
                record.page = record.span.and_then(|span| ibid_domain::text::locate_span(&text.marks, span).page);
                record.media_type.clone_from(&revision.media_type);
                record.file_name.clone_from(&revision.filename);
                record.is_image = revision.is_image();
                record.revision_id = Some(revision.id.to_string());
                record.content_sha256 = Some(revision.content);
                record.text_sha256 = revision.text;
                roles.entry(revision.content).or_insert(FileRole::Artifact);
                roles.extend(revision.text.map(|text| (text, FileRole::Text)));
                names.extend(revision.filename.clone().map(|name| (revision.content, name)));
            }
            records.push(record);
        }
        let document = open.document;
        let bundle = Bundle {
            kind: BundleKind::Document,
            created_at: document.updated_at,
            tool: concat!("ibid ", env!("CARGO_PKG_VERSION")).to_owned(),
            message: MessageRecord {
                id: document.id.to_string(),
                role: None,
                title: Some(document.settings.title),
                content: open.text,
                format: match document.settings.format {
                    DocumentFormat::Typst => TextFormat::Typst,
                    DocumentFormat::Markdown => TextFormat::Markdown,
                },
                conversation_id: None,
                created_at: document.created_at,
                model: None,
                run: None,
            },
            citations: records,
            files: self.files_of(&roles, &names).await?,
        };
        Ok(stream_bundle(bundle))
    }

    /// Lists the files of an evidence bundle, to be read when the bundle is written.
    async fn files_of(
        self,
        roles: &BTreeMap<Sha256, FileRole>,
        names: &BTreeMap<Sha256, String>,
    ) -> Result<Vec<FileRecord>> {
        let hashes: Vec<_> = roles.keys().copied().collect();
        let artifacts = self.app.store.read().await?.artifacts(self.scope).get_many(&hashes).await?;
        let runtime = Handle::current();
        let file = |artifact: Artifact| FileRecord {
            sha256: artifact.sha256,
            size_bytes: artifact.size_bytes,
            media_type: artifact.media_type.as_str().to_owned(),
            name: names.get(&artifact.sha256).cloned(),
            role: roles.get(&artifact.sha256).copied().unwrap_or(FileRole::Artifact),
            open: artifact_opener(&self.app.store, self.scope, &runtime, artifact.sha256),
        };
        let mut files: Vec<_> = artifacts.into_values().map(file).collect();
        files.sort_by_key(|file| file.sha256);
        Ok(files)
    }
}

fn stream_bundle(bundle: Bundle) -> ZipStream {
    stream_zip("an evidence bundle", move |sink| match ibid_evidence::write_bundle(&bundle, sink) {
        Ok(_) => Ok(()),
        Err(BundleError::Write(error)) => Err(Error::internal("write the bundle")(error)),
        Err(error) => Err(Error::internal("make the bundle")(error)),
    })
}

/// A source without a text is cited all the same.
fn ignore_missing_text(error: Error) -> Result<Option<RevisionText>> {
    match error {
        Error::Problem(_) => Ok(None),
        error => Err(error),
    }
}

/// Returns the character span of words in a text, or `None`.
fn span_of(text: &str, words: &str) -> Option<Span> {
    let at = text.find(words)?;
    let start = text[..at].chars().count();
    Some(Span::new(start, start + words.chars().count()))
}

fn citation_record(citation: &Citation) -> CitationRecord {
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
fn artifact_opener(store: &Store, scope: &Scope, runtime: &Handle, sha256: Sha256) -> ibid_evidence::record::OpenFile {
    let (store, scope, runtime) = (store.clone(), *scope, runtime.clone());
    Box::new(move || {
        let missing = || io::Error::other(format!("the bytes of artifact {sha256} are missing"));
        let bytes = runtime.block_on(store.read_bytes(&scope, sha256, None)).map_err(io::Error::other)?;
        let bytes = bytes.ok_or_else(missing)?;
        Ok(Box::new(BlockingBlobReader { bytes, piece: Bytes::new(), runtime: runtime.clone() }))
    })
}

/// Bytes that come from elsewhere, for one who waits for them.
struct BlockingBlobReader {
    bytes: BlobStream,
    piece: Bytes,
    runtime: Handle,
}

impl Read for BlockingBlobReader {
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
