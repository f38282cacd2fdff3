//! Where the parts of an archive are, whole or damaged, and what lies between them.
//!
//! An archive consists of parts: each file with its header, each file's record in the directory, and the end. In a sound
//! one they stand where the layout puts them. In another, each is looked for by its signature and name where the layout
//! has it, where it would be if all that follows a change had moved, and where the archive itself says it is. What is
//! found nowhere but would fill a gap exactly is taken to be there with a damaged header. So a change is laid to the part
//! in which it was made, and not to all that it moved.

use std::{
    collections::{HashMap, HashSet},
    io::{self, Read, Seek},
};

use crate::{
    archive::Archive,
    container::{
        CLOSING, LOCAL, LOCAL_HEAD, Layout, Planned, RECORD, RECORD_HEAD, WIDE_CLOSING, header_len, record_len,
    },
    report::{END, Faults, START},
    survey::{Seen, Survey},
};

/// A part of the archive.
#[derive(Debug)]
struct Part<'a> {
    /// The file it belongs to, or the end.
    owner: &'a str,
    signature: [u8; 4],
    /// How many bytes stand before the name.
    head: usize,
    /// Where the layout has it.
    planned: u64,
    len: u64,
    place: Option<u64>,
    /// How far it is to what comes next.
    room: u64,
}

impl Part<'_> {
    fn name(&self) -> &str {
        if self.head == 0 { "" } else { self.owner }
    }

    /// Whether its signature and name stand at a place.
    fn is_at<R: Read + Seek>(&self, archive: &mut Archive<R>, place: u64) -> io::Result<bool> {
        let name = self.name().as_bytes();
        let bytes = archive.read(place, (self.head.max(4) + name.len()) as u64)?;
        let name_len = match self.head {
            LOCAL_HEAD => bytes.get(26..28),
            RECORD_HEAD => bytes.get(28..30),
            _ => Some([0, 0].as_slice()),
        };
        Ok(bytes.starts_with(&self.signature)
            && name_len == Some(&(name.len() as u16).to_le_bytes())
            && bytes.get(self.head.max(4)..) == Some(name))
    }
}

/// Where a part was found, and how much of the archive is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) place: u64,
    pub(crate) room: u64,
}

/// Where everything is: the files, their records, the end.
#[derive(Debug)]
pub(crate) struct Placement<'a> {
    parts: Vec<Part<'a>>,
}

impl<'a> Placement<'a> {
    /// Finds all parts and tells what is missing, out of order, cut short or too much.
    pub(crate) fn find<R: Read + Seek>(
        archive: &mut Archive<R>,
        plan: &'a [Planned],
        layout: &Layout,
        survey: &Survey,
        faults: &mut Faults,
    ) -> io::Result<Self> {
        let part =
            |owner, signature, head, planned, len| Part { owner, signature, head, planned, len, place: None, room: 0 };
        let files = plan.iter().zip(&layout.files).map(|(file, &place)| {
            let len = (header_len(file) as u64).saturating_add(file.size);
            part(file.name.as_str(), LOCAL, LOCAL_HEAD, place, len)
        });
        let records = plan.iter().zip(&layout.files).zip(&layout.records).map(|((file, &offset), &place)| {
            part(file.name.as_str(), RECORD, RECORD_HEAD, place, record_len(file, offset) as u64)
        });
        let closing_len = layout.closing_len() as u64;
        let signature = if layout.closing().starts_with(&CLOSING) { CLOSING } else { WIDE_CLOSING };
        let end = part(END, signature, 0, layout.end, closing_len);
        let mut placement = Self { parts: files.chain(records).chain([end]).collect() };
        placement.look(archive, layout, survey)?;
        placement.settle(archive.len(), survey, faults);
        Ok(placement)
    }

    /// Where a file is, with its header.
    pub(crate) fn file(&self, at: usize) -> Option<Found> {
        self.found(at)
    }

    /// Where a file's record is.
    pub(crate) fn record(&self, at: usize) -> Option<Found> {
        self.found(self.parts.len() / 2 + at)
    }

    /// Where the end is.
    pub(crate) fn end(&self) -> Option<Found> {
        self.found(self.parts.len() - 1)
    }

    /// Whether everything is where the layout has it.
    pub(crate) fn is_as_planned(&self) -> bool {
        self.parts.iter().all(|part| part.place == Some(part.planned) && part.room == part.len)
    }

    fn found(&self, at: usize) -> Option<Found> {
        let part = self.parts.get(at)?;
        part.place.map(|place| Found { place, room: part.room })
    }

    /// Looks for every part where it may be.
    fn look<R: Read + Seek>(&mut self, archive: &mut Archive<R>, layout: &Layout, survey: &Survey) -> io::Result<()> {
        let moved = archive.len().wrapping_sub(layout.len);
        let files = by_name(&survey.files);
        let records = by_name(&survey.records);
        for part in &mut self.parts {
            let mut places = vec![part.planned, part.planned.wrapping_add(moved)];
            match part.signature {
                LOCAL => {
                    let seen = files.get(part.owner).into_iter().chain(records.get(part.owner));
                    places.extend(seen.flat_map(|seen| &seen.headers));
                }
                RECORD => places.extend(records.get(part.owner).map(|seen| seen.place)),
                _ => {}
            }
            places.retain(|place| *place < archive.len());
            for place in places {
                if part.is_at(archive, place)? {
                    part.place = Some(place);
                    break;
                }
            }
        }
        Ok(())
    }

    /// Lays what was found side by side.
    fn settle(&mut self, len: u64, survey: &Survey, faults: &mut Faults) {
        let placed = self.placed();
        let mut ranked = placed.clone();
        ranked.sort_unstable();
        let is_in_order = placed == ranked;
        for (at, _) in placed.iter().zip(&ranked).filter(|(at, rank)| at != rank) {
            faults.bytes(self.parts[*at].owner, "is not in its place");
        }
        let strangers = self.strangers(survey);
        let names: HashSet<&str> = self.parts.iter().map(|part| part.owner).collect();
        let mut before: Option<usize> = None;
        let mut cursor = 0;
        for next in placed.into_iter().map(Some).chain([None]) {
            let place = next.map_or(len, |at| self.parts[at].place.unwrap_or(len));
            let owner = before.map_or(START, |at| self.parts[at].owner);
            // Where the order is another, nothing can be said of what should be between two parts.
            let between =
                if is_in_order { before.map_or(0, |at| at + 1)..next.unwrap_or(self.parts.len()) } else { 0..0 };
            let lost: Vec<usize> = between.filter(|at| self.parts[*at].place.is_none()).collect();
            if place < cursor {
                faults.bytes(owner, "is cut short");
            } else if place > cursor {
                let wanted = lost.iter().fold(0_u64, |sum, at| sum.saturating_add(self.parts[*at].len));
                let gap =
                    strangers.partition_point(|(at, _)| *at < cursor)..strangers.partition_point(|(at, _)| *at < place);
                if wanted == place - cursor {
                    // They are there, but not to be known by signature and name.
                    for &at in &lost {
                        faults.bytes(self.parts[at].owner, "has a damaged header");
                        self.parts[at].place = Some(cursor);
                        cursor += self.parts[at].len;
                    }
                } else if lost.is_empty() && !gap.is_empty() {
                    for (_, name) in &strangers[gap] {
                        let is_known = names.contains(name);
                        let what = if is_known { "is in the archive twice" } else { "is not in the manifest" };
                        faults.bytes(name, what);
                    }
                } else if lost.is_empty() {
                    faults.bytes(owner, format!("is followed by what belongs to no file: bytes {cursor} to {place}"));
                }
            }
            cursor = next.map_or(len, |at| place.saturating_add(self.parts[at].len));
            before = next;
        }
        for part in self.parts.iter().filter(|part| part.place.is_none()) {
            faults.bytes(part.owner, "is missing, or too damaged to be found");
        }
        let placed = self.placed();
        for (index, &at) in placed.iter().enumerate() {
            let next = placed.get(index + 1).and_then(|next| self.parts[*next].place).unwrap_or(len);
            self.parts[at].room = next - self.parts[at].place.unwrap_or(next);
        }
    }

    /// The parts that have a place, by place.
    fn placed(&self) -> Vec<usize> {
        let mut placed: Vec<usize> = (0..self.parts.len()).filter(|at| self.parts[*at].place.is_some()).collect();
        placed.sort_by_key(|at| self.parts[*at].place);
        placed
    }

    /// What the archive has that no part is at, by place.
    fn strangers<'s>(&self, survey: &'s Survey) -> Vec<(u64, &'s str)> {
        let taken: HashSet<u64> = self.parts.iter().filter_map(|part| part.place).collect();
        let seen = survey.files.iter().chain(&survey.records);
        let mut strangers: Vec<_> =
            seen.filter(|seen| !taken.contains(&seen.place)).map(|seen| (seen.place, seen.name.as_str())).collect();
        strangers.sort_unstable();
        strangers
    }
}

/// What was seen under each name first.
fn by_name(seen: &[Seen]) -> HashMap<&str, &Seen> {
    let mut names = HashMap::new();
    for one in seen {
        names.entry(one.name.as_str()).or_insert(one);
    }
    names
}
