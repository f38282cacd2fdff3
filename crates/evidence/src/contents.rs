//! Whether a bundle says the same everywhere: records, places, quotes.
//!
//! Only files whose bytes are right are asked; of the others it is known already.

use std::{
    collections::{BTreeMap, HashMap},
    io::{self, Read, Seek},
};

use ibid_domain::{CharIndex, Sha256};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    MAX_CITATIONS, annotations,
    archive::Archive,
    container::{Planned, header_len},
    manifest::{ANNOTATIONS, CITATIONS, Manifest, PROVENANCE, canonical, not_canonical, text_path},
    placement::Placement,
    provenance,
    record::{CitationRecord, Citations, MessageRecord, too_many_citations},
    report::{Faults, Report},
};

/// The files of a bundle, to be read by name.
pub(crate) struct Contents<'a, R> {
    archive: &'a mut Archive<R>,
    manifest: &'a Manifest,
    /// Where the bytes of each file are.
    places: HashMap<&'a str, (u64, u64)>,
    faults: &'a mut Faults,
}

impl<'a, R: Read + Seek> Contents<'a, R> {
    pub(crate) fn new(
        archive: &'a mut Archive<R>,
        manifest: &'a Manifest,
        plan: &'a [Planned],
        placement: &Placement<'_>,
        faults: &'a mut Faults,
    ) -> Self {
        let places = plan.iter().enumerate().filter_map(|(at, file)| {
            let place = placement.file(at)?.place + header_len(file) as u64;
            Some((file.name.as_str(), (place, file.size)))
        });
        Self { archive, manifest, places: places.collect(), faults }
    }

    /// Checks everything and counts what was checked.
    pub(crate) fn check(mut self, report: &mut Report) -> io::Result<()> {
        let message = self.message()?;
        let citations = self.parsed::<Citations<'static>>(CITATIONS)?.map(|citations| citations.citations);
        let Some(citations) = citations else { return Ok(()) };
        report.citations = citations.len() as u64;
        if citations.len() > MAX_CITATIONS {
            self.faults.meaning(CITATIONS, too_many_citations(citations.len()));
            return Ok(());
        }
        if let Some(message) = &message {
            let chars = message.content.chars().count();
            for citation in citations.iter() {
                if let Some(flaw) = citation.flaw(chars) {
                    self.faults.meaning(CITATIONS, format!("has a citation [{}] that {flaw}", citation.number));
                }
            }
        }
        self.quotes(&citations, report)?;
        if self.manifest.is_newer() {
            report.unchecked = [ANNOTATIONS, PROVENANCE].map(str::to_owned).to_vec();
            return Ok(());
        }
        self.agrees(ANNOTATIONS, &annotations::Collection { manifest: self.manifest, citations: &citations })?;
        if let Some(message) = message {
            self.agrees(PROVENANCE, &provenance::graph(self.manifest, &message, &citations))?;
        }
        Ok(())
    }

    /// The message, which must be the one of the manifest, with the text that lies beside it.
    fn message(&mut self) -> io::Result<Option<MessageRecord>> {
        let (path, content_path) = (self.manifest.message_path(), self.manifest.content_path());
        let Some(message) = self.parsed::<MessageRecord>(&path)? else { return Ok(None) };
        if message.id != self.manifest.id {
            self.faults.meaning(&path, "has another id than the manifest");
        }
        if content_path != format!("{}.{}", self.manifest.kind.as_str(), message.format.extension()) {
            self.faults.meaning(&path, format!("is not in the format of {content_path}"));
        }
        if let Some(content) = self.bytes(&content_path)?
            && content != message.content.as_bytes()
        {
            self.faults.meaning(&content_path, format!("is not the text of {path}"));
        }
        Ok(Some(message))
    }

    /// Compares the quotes with the texts they are of, one text at a time.
    fn quotes(&mut self, citations: &[CitationRecord], report: &mut Report) -> io::Result<()> {
        let mut by_text: BTreeMap<Sha256, Vec<&CitationRecord>> = BTreeMap::new();
        for citation in citations {
            let text = citation.text_sha256.filter(|text| self.manifest.text(*text).is_some());
            match (&citation.quote, text, citation.content_sha256) {
                (Some(_), Some(text), _) if citation.span.is_some() => by_text.entry(text).or_default().push(citation),
                // It quotes nothing, or has been told of as flawed.
                (_, Some(_), _) => {}
                // A picture, or a file as a whole.
                (None, None, Some(content)) if self.manifest.artifact(content).is_some() => {}
                _ => report.absent.push(citation.number),
            }
        }
        for (sha256, citations) in by_text {
            let path = text_path(sha256);
            let Some(bytes) = self.bytes(&path)? else { continue };
            let Ok(text) = String::from_utf8(bytes) else {
                self.faults.meaning(&path, "is not in UTF-8");
                continue;
            };
            let index = CharIndex::new(&text);
            for citation in citations {
                match misquote(citation, &index) {
                    None => report.quotes_checked += 1,
                    Some(what) => {
                        self.faults
                            .meaning(CITATIONS, format!("has a citation [{}] that {what} {path}", citation.number));
                    }
                }
            }
        }
        Ok(())
    }

    /// A record must be what is made from the others.
    fn agrees(&mut self, path: &str, made: &impl Serialize) -> io::Result<()> {
        if let Some(bytes) = self.bytes(path)?
            && canonical(made).as_deref() != Some(&bytes)
        {
            self.faults.meaning(path, format!("does not agree with {CITATIONS}"));
        }
        Ok(())
    }

    /// A record, if it can be read. All that a version knows must be in it, and nothing else.
    fn parsed<T: Serialize + DeserializeOwned>(&mut self, path: &str) -> io::Result<Option<T>> {
        let Some(bytes) = self.bytes(path)? else { return Ok(None) };
        let record: T = match serde_json::from_slice(&bytes) {
            Ok(record) => record,
            Err(error) => {
                self.faults.meaning(path, format!("cannot be read: {error}"));
                return Ok(None);
            }
        };
        if !self.manifest.is_newer() && canonical(&record).as_deref() != Some(&bytes) {
            self.faults.meaning(path, not_canonical());
        }
        Ok(Some(record))
    }

    /// The bytes of a file, if nothing is wrong with it. No record or text is larger than its role allows: the manifest
    /// was asked.
    fn bytes(&mut self, path: &str) -> io::Result<Option<Vec<u8>>> {
        match self.places.get(path) {
            Some(&(place, size)) if !self.faults.has(path) => self.archive.read(place, size).map(Some),
            _ => Ok(None),
        }
    }
}

/// What is wrong with a quote of a text, if anything is.
fn misquote(citation: &CitationRecord, text: &CharIndex<'_>) -> Option<String> {
    let (quote, span) = (citation.quote.as_deref()?, citation.span?);
    let said = format!("{}..{}", span.start, span.end);
    let (Some(start), Some(end)) = (text.byte(span.start), text.byte(span.end)) else {
        return Some(format!("quotes {said}, beyond the end of"));
    };
    let words = text.text();
    if words.get(start..end) != Some(quote) {
        return Some(format!("quotes other words than those at {said} of"));
    }
    if !words[..start].ends_with(&citation.prefix) || !words[end..].starts_with(&citation.suffix) {
        return Some(format!("has other words around its quote than those around {said} of"));
    }
    None
}
