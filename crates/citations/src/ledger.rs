//! The sources of a run, numbered in the order in which they first appeared, and what the markers of a text name of them.

use std::collections::{BTreeSet, HashMap};

use ibid_domain::{MarkerPlace, Span};

use crate::{
    grammar::{Marker, MarkerKind, MarkerNumbers, parse_markers, rewrite_markers},
    markdown::fold_label,
    source::CitationSource,
};

/// The sources of a run: each work once, whatever tool returned it and however often.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    entries: Vec<LedgerEntry>,
    numbers: HashMap<u32, usize>,
    keys: HashMap<String, usize>,
    ids: HashMap<String, usize>,
    names: HashMap<String, Vec<usize>>,
    last: u32,
}

/// A numbered work, with all results that refer to it.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerEntry {
    /// Number used in markers, counted from 1.
    pub number: u32,
    /// The result that it appeared in first.
    pub source: CitationSource,
    /// Further results that are of the same work.
    pub others: Vec<CitationSource>,
}

/// A place in a text that names sources of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerReference {
    /// The number of the first source it names.
    pub index: u32,
    /// Position of the marker in the text.
    pub span: Span,
    /// Text of the marker as written.
    pub cited_text: String,
    /// The numbers of the sources it names.
    pub numbers: Vec<u32>,
    /// Ids of the sources it names.
    pub source_ids: Vec<String>,
}

/// Sources that the markers of a text name, and the numbers and ids that name none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolvedMarkers {
    /// The markers that name sources, in order.
    pub references: Vec<LedgerReference>,
    /// Numbers that name none, each once, in order.
    pub dangling: Vec<u32>,
    /// Ids and addresses that name none, each once, in the order of the text.
    pub dangling_ids: Vec<String>,
}

/// Text and numbers of a subagent after its sources were merged into this ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedSubagent {
    /// The text, with the numbers of this ledger.
    pub text: String,
    /// For each number of the agent's own, the number here.
    pub numbers: Vec<(u32, u32)>,
    /// Numbers in its text that named nothing.
    pub dangling: Vec<u32>,
}

/// Replacement for a marker that names no source. It is not a marker itself, so it cannot match a source added later.
const UNKNOWN: &str = "[?]";

impl Ledger {
    /// The ledger of these sources.
    pub fn from_sources(sources: impl IntoIterator<Item = CitationSource>) -> Self {
        let mut ledger = Self::default();
        for source in sources {
            ledger.add(source);
        }
        ledger
    }

    /// The works, in the order of their first appearance.
    pub fn entries(&self) -> &[LedgerEntry] {
        &self.entries
    }

    /// Returns the number of results; several results of one work count separately.
    pub fn result_count(&self) -> usize {
        self.entries.iter().map(|entry| 1 + entry.others.len()).sum()
    }

    /// Returns the work with this number, if there is one.
    pub fn get(&self, number: u32) -> Option<&LedgerEntry> {
        self.entries.get(*self.numbers.get(&number)?)
    }

    /// Adds a source and gives the number of its work, which is an old one if the work is known.
    pub fn add(&mut self, source: CitationSource) -> u32 {
        let keys = source.identity_keys();
        let known = keys.iter().find_map(|key| self.keys.get(key).copied());
        let known = known.or_else(|| source.number.and_then(|number| self.numbers.get(&number).copied()));
        let place = known.unwrap_or(self.entries.len());
        for key in keys {
            self.keys.entry(key).or_insert(place);
        }
        if !source.id.is_empty() {
            self.ids.entry(source.id.clone()).or_insert(place);
        }
        for name in source_labels(&source) {
            let places = self.names.entry(name).or_default();
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
        if let Some(entry) = self.entries.get_mut(place) {
            entry.others.push(source);
            return entry.number;
        }
        let number = source.number.unwrap_or(self.last + 1);
        self.last = self.last.max(number);
        self.numbers.insert(number, place);
        self.entries.push(LedgerEntry { number, source, others: Vec::new() });
        number
    }

    /// Takes in what an agent under this one found and wrote: its sources get this ledger's numbers, its text too.
    pub fn merge_subagent(
        &mut self,
        agent: &str,
        sources: impl IntoIterator<Item = CitationSource>,
        text: &str,
    ) -> MergedSubagent {
        let theirs = Self::from_sources(sources);
        let mut numbers = HashMap::new();
        let mut ids = HashMap::new();
        for entry in theirs.entries {
            for mut source in std::iter::once(entry.source).chain(entry.others) {
                source.number = None;
                source.sub_agent_id.get_or_insert_with(|| agent.to_owned());
                if self.ids.contains_key(&source.id) {
                    // Agents count their calls alike.
                    let own = format!("{agent}:{}", source.id);
                    ids.insert(std::mem::replace(&mut source.id, own.clone()), own);
                }
                let number = self.add(source);
                numbers.entry(entry.number).or_insert(number);
            }
        }
        let mut dangling = BTreeSet::new();
        let text = rewrite_markers(text, &parse_markers(text), |marker| {
            let kind = match &marker.kind {
                MarkerKind::Numbers(theirs) => {
                    let mut ours = MarkerNumbers::new();
                    for number in theirs {
                        match numbers.get(number) {
                            Some(number) if !ours.contains(number) => ours.push(*number),
                            Some(_) => {}
                            None => _ = dangling.insert(*number),
                        }
                    }
                    if ours.is_empty() {
                        return Some(UNKNOWN.to_owned());
                    }
                    MarkerKind::Numbers(ours)
                }
                MarkerKind::Tag(id) => MarkerKind::Tag(ids.get(id)?.clone()),
                MarkerKind::Braces(id) => MarkerKind::Braces(ids.get(id)?.clone()),
                MarkerKind::Definition { label, url } => {
                    let number = numbers.get(&label.parse().ok()?)?;
                    MarkerKind::Definition { label: number.to_string(), url: url.clone() }
                }
                MarkerKind::Label(_) => return None,
            };
            Some(kind.to_string())
        });
        let mut numbers: Vec<_> = numbers.into_iter().collect();
        numbers.sort_unstable();
        MergedSubagent { text, numbers, dangling: dangling.into_iter().collect() }
    }

    /// Returns the places of the markers that begin at or after byte `from` of a text and name a source. A marker that
    /// also has numbers of no source keeps them.
    pub fn place_markers(&self, text: &str, from: usize) -> Vec<MarkerPlace> {
        if !text[from..].contains(['[', '<', '{']) {
            return Vec::new();
        }
        let markers = parse_markers(text);
        let resolved = self.resolve_markers(text, &markers);
        let place = |reference: LedgerReference| {
            let marker = markers.iter().find(|marker| marker.span == reference.span)?;
            let numbers = match &marker.kind {
                MarkerKind::Numbers(numbers) => numbers.to_vec(),
                _ => reference.numbers,
            };
            let (start_index, end_index) = (marker.span.start, marker.span.end);
            (marker.bytes.start >= from).then_some(MarkerPlace { start_index, end_index, numbers })
        };
        resolved.references.into_iter().filter_map(place).collect()
    }

    /// Resolves the markers of a text to the sources of the ledger.
    pub fn resolve_markers(&self, text: &str, markers: &[Marker]) -> ResolvedMarkers {
        let defined: HashMap<_, _> = markers
            .iter()
            .filter_map(|marker| match &marker.kind {
                MarkerKind::Definition { label, url } => Some((fold_label(label), self.find_by_url(url)?)),
                _ => None,
            })
            .collect();
        let mut dangling = BTreeSet::new();
        let mut resolved = ResolvedMarkers::default();
        for marker in markers {
            let places = match &marker.kind {
                MarkerKind::Numbers(numbers) => {
                    let mut places = Vec::new();
                    for number in numbers {
                        let place = defined.get(&number.to_string()).or_else(|| self.numbers.get(number));
                        match place {
                            Some(place) => places.push(*place),
                            None => _ = dangling.insert(*number),
                        }
                    }
                    places
                }
                MarkerKind::Label(label) => match defined.get(&fold_label(label)) {
                    Some(place) => vec![*place],
                    None => self.names.get(&fold_label(label)).cloned().unwrap_or_default(),
                },
                MarkerKind::Tag(id) | MarkerKind::Braces(id) => self.find_by_id(id, &mut resolved.dangling_ids),
                MarkerKind::Definition { url, .. } => {
                    // It says where something is; it supports nothing.
                    if self.find_by_url(url).is_none() && !resolved.dangling_ids.contains(url) {
                        resolved.dangling_ids.push(url.clone());
                    }
                    continue;
                }
            };
            let mut numbers: Vec<u32> = Vec::with_capacity(places.len());
            let mut source_ids = Vec::with_capacity(places.len());
            for entry in places.iter().map(|place| &self.entries[*place]) {
                if !numbers.contains(&entry.number) {
                    numbers.push(entry.number);
                    source_ids.push(entry.source.id.clone());
                }
            }
            if let Some(&index) = numbers.first() {
                let cited_text = text[marker.bytes.clone()].to_owned();
                resolved.references.push(LedgerReference { index, span: marker.span, cited_text, numbers, source_ids });
            }
        }
        resolved.dangling = dangling.into_iter().collect();
        resolved
    }

    /// The work that an id names: that of a result, or that of a source in the library.
    fn find_by_id(&self, id: &str, dangling: &mut Vec<String>) -> Vec<usize> {
        let place = self.ids.get(id).or_else(|| self.keys.get(&format!("source:{id}")));
        match place {
            Some(place) => vec![*place],
            None => {
                if !dangling.iter().any(|known| known == id) {
                    dangling.push(id.to_owned());
                }
                Vec::new()
            }
        }
    }

    /// Returns true if an id names a work of the ledger.
    pub fn has_id(&self, id: &str) -> bool {
        !self.find_by_id(id, &mut Vec::new()).is_empty()
    }

    /// Returns the index of the work with this URL.
    fn find_by_url(&self, url: &str) -> Option<usize> {
        CitationSource::default().with_uri(url).identity_keys().iter().find_map(|key| self.keys.get(key).copied())
    }
}

/// Returns the labels under which a marker can name a source.
fn source_labels(source: &CitationSource) -> Vec<String> {
    let mut names = vec![fold_label(&source.id), fold_label(source.display_name())];
    if let Some(uri) = &source.uri {
        names.push(fold_label(uri));
        let path = uri.split(['?', '#']).next().unwrap_or(uri).trim_end_matches('/');
        names.push(fold_label(path.rsplit(['/', '\\']).next().unwrap_or(path)));
    }
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names.dedup();
    names
}
