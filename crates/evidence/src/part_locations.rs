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
    archive::BundleArchive,
    archive_scan::{ArchiveEntry, ArchiveScan},
    report::{END, FaultCollector, START},
    zip_layout::{
        CLOSING, LOCAL, LOCAL_HEAD, PlannedFile, RECORD, RECORD_HEAD, WIDE_CLOSING, ZipLayout, header_len, record_len,
    },
};

/// A part of the archive: a file, a directory record or the end record.
#[derive(Debug)]
struct ArchivePart<'a> {
    /// The file it belongs to, or the end.
    owner: &'a str,
    signature: [u8; 4],
    /// Number of bytes before the name; 0 for the end record.
    head: usize,
    /// Expected position according to the layout.
    planned: u64,
    len: u64,
    place: Option<u64>,
    /// Number of bytes up to the next part.
    room: u64,
}

impl ArchivePart<'_> {
    fn expected_name(&self) -> &str {
        if self.head == 0 { "" } else { self.owner }
    }

    /// Returns true if the part's signature and name are at a position.
    fn is_at<R: Read + Seek>(&self, archive: &mut BundleArchive<R>, place: u64) -> io::Result<bool> {
        let name = self.expected_name().as_bytes();
        let bytes = archive.read_at(place, (self.head.max(4) + name.len()) as u64)?;
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

/// Position at which a part was found, and the number of bytes up to the next part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartLocation {
    pub(crate) place: u64,
    pub(crate) room: u64,
}

/// Actual positions of all parts: the files, their directory records and the end record.
#[derive(Debug)]
pub(crate) struct PartLocations<'a> {
    parts: Vec<ArchivePart<'a>>,
}

impl<'a> PartLocations<'a> {
    /// Finds all parts and tells what is missing, out of order, cut short or too much.
    pub(crate) fn locate_parts<R: Read + Seek>(
        archive: &mut BundleArchive<R>,
        plan: &'a [PlannedFile],
        layout: &ZipLayout,
        survey: &ArchiveScan,
        faults: &mut FaultCollector,
    ) -> io::Result<Self> {
        let part = |owner, signature, head, planned, len| ArchivePart {
            owner,
            signature,
            head,
            planned,
            len,
            place: None,
            room: 0,
        };
        let files = plan.iter().zip(&layout.files).map(|(file, &place)| {
            let len = (header_len(file) as u64).saturating_add(file.size);
            part(file.name.as_str(), LOCAL, LOCAL_HEAD, place, len)
        });
        let records = plan.iter().zip(&layout.files).zip(&layout.records).map(|((file, &offset), &place)| {
            part(file.name.as_str(), RECORD, RECORD_HEAD, place, record_len(file, offset) as u64)
        });
        let closing_len = layout.closing_len() as u64;
        let signature = if layout.end_bytes().starts_with(&CLOSING) { CLOSING } else { WIDE_CLOSING };
        let end = part(END, signature, 0, layout.end, closing_len);
        let mut placement = Self { parts: files.chain(records).chain([end]).collect() };
        placement.search_parts(archive, layout, survey)?;
        placement.check_gaps(archive.len(), survey, faults);
        Ok(placement)
    }

    /// Returns the location of a file, including its header.
    pub(crate) fn file_location(&self, at: usize) -> Option<PartLocation> {
        self.part_location(at)
    }

    /// Returns the location of a file's directory record.
    pub(crate) fn record_location(&self, at: usize) -> Option<PartLocation> {
        self.part_location(self.parts.len() / 2 + at)
    }

    /// Returns the location of the end record.
    pub(crate) fn end_location(&self) -> Option<PartLocation> {
        self.part_location(self.parts.len() - 1)
    }

    /// Returns true if every part is exactly where the layout expects it.
    pub(crate) fn is_as_planned(&self) -> bool {
        self.parts.iter().all(|part| part.place == Some(part.planned) && part.room == part.len)
    }

    fn part_location(&self, at: usize) -> Option<PartLocation> {
        let part = self.parts.get(at)?;
        part.place.map(|place| PartLocation { place, room: part.room })
    }

    /// Looks for every part where it may be.
    fn search_parts<R: Read + Seek>(
        &mut self,
        archive: &mut BundleArchive<R>,
        layout: &ZipLayout,
        survey: &ArchiveScan,
    ) -> io::Result<()> {
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
    fn check_gaps(&mut self, len: u64, survey: &ArchiveScan, faults: &mut FaultCollector) {
        let placed = self.parts_by_place();
        let mut ranked = placed.clone();
        ranked.sort_unstable();
        let is_in_order = placed == ranked;
        for (at, _) in placed.iter().zip(&ranked).filter(|(at, rank)| at != rank) {
            faults.add_damage(self.parts[*at].owner, "is not in its place");
        }
        let strangers = self.unknown_entries(survey);
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
                faults.add_damage(owner, "is cut short");
            } else if place > cursor {
                let wanted = lost.iter().fold(0_u64, |sum, at| sum.saturating_add(self.parts[*at].len));
                let gap =
                    strangers.partition_point(|(at, _)| *at < cursor)..strangers.partition_point(|(at, _)| *at < place);
                if wanted == place - cursor {
                    // They are there, but not to be known by signature and name.
                    for &at in &lost {
                        faults.add_damage(self.parts[at].owner, "has a damaged header");
                        self.parts[at].place = Some(cursor);
                        cursor += self.parts[at].len;
                    }
                } else if lost.is_empty() && !gap.is_empty() {
                    for (_, name) in &strangers[gap] {
                        let is_known = names.contains(name);
                        let what = if is_known { "is in the archive twice" } else { "is not in the manifest" };
                        faults.add_damage(name, what);
                    }
                } else if lost.is_empty() {
                    faults.add_damage(
                        owner,
                        format!("is followed by what belongs to no file: bytes {cursor} to {place}"),
                    );
                }
            }
            cursor = next.map_or(len, |at| place.saturating_add(self.parts[at].len));
            before = next;
        }
        for part in self.parts.iter().filter(|part| part.place.is_none()) {
            faults.add_damage(part.owner, "is missing, or too damaged to be found");
        }
        let placed = self.parts_by_place();
        for (index, &at) in placed.iter().enumerate() {
            let next = placed.get(index + 1).and_then(|next| self.parts[*next].place).unwrap_or(len);
            self.parts[at].room = next - self.parts[at].place.unwrap_or(next);
        }
    }

    /// The parts that have a place, by place.
    fn parts_by_place(&self) -> Vec<usize> {
        let mut placed: Vec<usize> = (0..self.parts.len()).filter(|at| self.parts[*at].place.is_some()).collect();
        placed.sort_by_key(|at| self.parts[*at].place);
        placed
    }

    /// Returns entries of the archive that belong to no expected part, by position.
    fn unknown_entries<'s>(&self, survey: &'s ArchiveScan) -> Vec<(u64, &'s str)> {
        let taken: HashSet<u64> = self.parts.iter().filter_map(|part| part.place).collect();
        let seen = survey.files.iter().chain(&survey.records);
        let mut strangers: Vec<_> =
            seen.filter(|seen| !taken.contains(&seen.place)).map(|seen| (seen.place, seen.name.as_str())).collect();
        strangers.sort_unstable();
        strangers
    }
}

/// Returns the first entry found for each name.
fn by_name(seen: &[ArchiveEntry]) -> HashMap<&str, &ArchiveEntry> {
    let mut names = HashMap::new();
    for one in seen {
        names.entry(one.name.as_str()).or_insert(one);
    }
    names
}
