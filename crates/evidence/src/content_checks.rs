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
    archive::BundleArchive,
    manifest::{ANNOTATIONS, BundleManifest, CITATIONS, PROVENANCE, not_canonical, text_path, to_canonical_json},
    part_locations::PartLocations,
    provenance,
    record::{CitationRecord, CitationsFile, MessageRecord, too_many_citations},
    report::{FaultCollector, VerificationReport},
    zip_layout::{PlannedFile, header_len},
};

/// The files of a bundle, to be read by name.
pub(crate) struct BundleContents<'a, R> {
    archive: &'a mut BundleArchive<R>,
    manifest: &'a BundleManifest,
    /// Position and length of the content of each file.
    places: HashMap<&'a str, (u64, u64)>,
    faults: &'a mut FaultCollector,
}

impl<'a, R: Read + Seek> BundleContents<'a, R> {
    pub(crate) fn new(
        archive: &'a mut BundleArchive<R>,
        manifest: &'a BundleManifest,
        plan: &'a [PlannedFile],
        placement: &PartLocations<'_>,
        faults: &'a mut FaultCollector,
    ) -> Self {
        let places = plan.iter().enumerate().filter_map(|(at, file)| {
            let place = placement.file_location(at)?.place + header_len(file) as u64;
            Some((file.name.as_str(), (place, file.size)))
        });
        Self { archive, manifest, places: places.collect(), faults }
    }

    /// Checks everything and counts what was checked.
    pub(crate) fn check_all(mut self, report: &mut VerificationReport) -> io::Result<()> {
        let message = self.read_message()?;
        let citations = self.parse_record::<CitationsFile<'static>>(CITATIONS)?.map(|citations| citations.citations);
        let Some(citations) = citations else { return Ok(()) };
        report.citations = citations.len() as u64;
        if citations.len() > MAX_CITATIONS {
            self.faults.add_mismatch(CITATIONS, too_many_citations(citations.len()));
            return Ok(());
        }
        if let Some(message) = &message {
            let chars = message.content.chars().count();
            for citation in citations.iter() {
                if let Some(flaw) = citation.find_flaw(chars) {
                    self.faults.add_mismatch(CITATIONS, format!("has a citation [{}] that {flaw}", citation.number));
                }
            }
        }
        self.check_quotes(&citations, report)?;
        if self.manifest.is_newer() {
            report.unchecked = [ANNOTATIONS, PROVENANCE].map(str::to_owned).to_vec();
            return Ok(());
        }
        self.check_derived(
            ANNOTATIONS,
            &annotations::AnnotationCollection { manifest: self.manifest, citations: &citations },
        )?;
        if let Some(message) = message {
            self.check_derived(PROVENANCE, &provenance::provenance_graph(self.manifest, &message, &citations))?;
        }
        Ok(())
    }

    /// The message, which must be the one of the manifest, with the text that lies beside it.
    fn read_message(&mut self) -> io::Result<Option<MessageRecord>> {
        let (path, content_path) = (self.manifest.message_path(), self.manifest.content_path());
        let Some(message) = self.parse_record::<MessageRecord>(&path)? else { return Ok(None) };
        if message.id != self.manifest.id {
            self.faults.add_mismatch(&path, "has another id than the manifest");
        }
        if content_path != format!("{}.{}", self.manifest.kind.as_str(), message.format.extension()) {
            self.faults.add_mismatch(&path, format!("is not in the format of {content_path}"));
        }
        if let Some(content) = self.read_bytes(&content_path)?
            && content != message.content.as_bytes()
        {
            self.faults.add_mismatch(&content_path, format!("is not the text of {path}"));
        }
        Ok(Some(message))
    }

    /// Compares the quotes with the texts they are of, one text at a time.
    fn check_quotes(&mut self, citations: &[CitationRecord], report: &mut VerificationReport) -> io::Result<()> {
        let mut by_text: BTreeMap<Sha256, Vec<&CitationRecord>> = BTreeMap::new();
        for citation in citations {
            let text = citation.text_sha256.filter(|text| self.manifest.text_file(*text).is_some());
            match (&citation.quote, text, citation.content_sha256) {
                (Some(_), Some(text), _) if citation.span.is_some() => by_text.entry(text).or_default().push(citation),
                // It quotes nothing, or has been told of as flawed.
                (_, Some(_), _) => {}
                // A picture, or a file as a whole.
                (None, None, Some(content)) if self.manifest.artifact_file(content).is_some() => {}
                _ => report.absent.push(citation.number),
            }
        }
        for (sha256, citations) in by_text {
            let path = text_path(sha256);
            let Some(bytes) = self.read_bytes(&path)? else { continue };
            let Ok(text) = String::from_utf8(bytes) else {
                self.faults.add_mismatch(&path, "is not in UTF-8");
                continue;
            };
            let index = CharIndex::new(&text);
            for citation in citations {
                match describe_misquote(citation, &index) {
                    None => report.quotes_checked += 1,
                    Some(what) => {
                        self.faults.add_mismatch(
                            CITATIONS,
                            format!("has a citation [{}] that {what} {path}", citation.number),
                        );
                    }
                }
            }
        }
        Ok(())
    }

    /// A record must be what is made from the others.
    fn check_derived(&mut self, path: &str, made: &impl Serialize) -> io::Result<()> {
        if let Some(bytes) = self.read_bytes(path)?
            && to_canonical_json(made).as_deref() != Some(&bytes)
        {
            self.faults.add_mismatch(path, format!("does not agree with {CITATIONS}"));
        }
        Ok(())
    }

    /// A record, if it can be read. All that a version knows must be in it, and nothing else.
    fn parse_record<T: Serialize + DeserializeOwned>(&mut self, path: &str) -> io::Result<Option<T>> {
        let Some(bytes) = self.read_bytes(path)? else { return Ok(None) };
        let record: T = match serde_json::from_slice(&bytes) {
            Ok(record) => record,
            Err(error) => {
                self.faults.add_mismatch(path, format!("cannot be read: {error}"));
                return Ok(None);
            }
        };
        if !self.manifest.is_newer() && to_canonical_json(&record).as_deref() != Some(&bytes) {
            self.faults.add_mismatch(path, not_canonical());
        }
        Ok(Some(record))
    }

    /// The bytes of a file, if nothing is wrong with it. No record or text is larger than its role allows: the manifest
    /// was asked.
    fn read_bytes(&mut self, path: &str) -> io::Result<Option<Vec<u8>>> {
        match self.places.get(path) {
            Some(&(place, size)) if !self.faults.has_fault(path) => self.archive.read_at(place, size).map(Some),
            _ => Ok(None),
        }
    }
}

/// Returns a description of the error in a quote, or `None` if the text has it as stated.
fn describe_misquote(citation: &CitationRecord, text: &CharIndex<'_>) -> Option<String> {
    let (quote, span) = (citation.quote.as_deref()?, citation.span?);
    let said = format!("{}..{}", span.start, span.end);
    let (Some(start), Some(end)) = (text.byte_offset(span.start), text.byte_offset(span.end)) else {
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
