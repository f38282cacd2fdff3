//! Checking a bundle, byte for byte and then by what it says.

use std::io::{self, Read, Seek};

use ibid_domain::Sha256;

use crate::{
    MAX_RECORD,
    archive::BundleArchive,
    archive_scan::ArchiveScan,
    content_checks::BundleContents,
    manifest::{BundleManifest, MANIFEST, SUMS},
    part_locations::PartLocations,
    report::{END, FaultCollector, VerificationReport},
    zip_layout::{LOCAL_HEAD, PlannedFile, ZipLayout, directory_record, header_len, local_header},
};

/// Checks a bundle, and that it is the one with this digest, if one is given.
///
/// Every byte is compared with what it must be, and then every place and quote with the texts in the bundle. Whatever is
/// wrong stands in the report; an error means that the archive could not be read.
pub fn verify_bundle(archive: impl Read + Seek, expected: Option<Sha256>) -> io::Result<VerificationReport> {
    let mut archive = BundleArchive::new(archive)?;
    let mut faults = FaultCollector::default();
    let survey = ArchiveScan::scan_archive(&mut archive)?;
    let root = TrustedManifest::locate(&mut archive, &survey, expected, &mut faults)?;
    let plan = match &root {
        Some(root) => root.planned_files(),
        None => survey.planned_files(),
    };
    let layout = ZipLayout::for_files(&plan);
    let placement = PartLocations::locate_parts(&mut archive, &plan, &layout, &survey, &mut faults)?;
    compare_bytes(&mut archive, &plan, &layout, &placement, &mut faults)?;
    let mut report =
        VerificationReport { files: plan.len() as u64, bytes: archive.len(), ..VerificationReport::default() };
    if let Some(root) = root {
        BundleContents::new(&mut archive, &root.manifest, &plan, &placement, &mut faults).check_all(&mut report)?;
        report.digest = Some(root.digest);
        report.kind = Some(root.manifest.kind);
        report.id = Some(root.manifest.id);
    }
    report.faults = faults.into_vec();
    Ok(report)
}

/// A manifest that can be relied on: it is as it was when the archive was made.
struct TrustedManifest {
    manifest: BundleManifest,
    digest: Sha256,
    size: u64,
}

impl TrustedManifest {
    /// Finds the manifest by its header or, if that is damaged, by its record. Its check, which stands in both, tells
    /// whether it was changed.
    fn locate<R: Read + Seek>(
        archive: &mut BundleArchive<R>,
        survey: &ArchiveScan,
        expected: Option<Sha256>,
        faults: &mut FaultCollector,
    ) -> io::Result<Option<Self>> {
        let seen: Vec<_> = [&survey.files, &survey.records]
            .into_iter()
            .filter_map(|list| list.iter().find(|seen| seen.name == MANIFEST))
            .collect();
        for one in seen.iter().filter(|one| one.size <= MAX_RECORD) {
            for header in &one.headers {
                let bytes = archive.read_at(header.saturating_add((LOCAL_HEAD + MANIFEST.len()) as u64), one.size)?;
                let crc = crc32fast::hash(&bytes);
                if bytes.len() as u64 != one.size || seen.iter().all(|seen| seen.crc != crc) {
                    continue;
                }
                let digest = Sha256::of_bytes(&bytes);
                if let Some(expected) = expected.filter(|expected| *expected != digest) {
                    faults.add_damage(MANIFEST, format!("has the SHA-256 {digest}, not {expected} as expected"));
                }
                return Ok(match BundleManifest::parse(&bytes) {
                    Ok(manifest) => Some(Self { manifest, digest, size: one.size }),
                    Err(what) => {
                        faults.add_damage(MANIFEST, what);
                        None
                    }
                });
            }
        }
        faults.add_damage(
            MANIFEST,
            if seen.is_empty() { "is missing: this is no evidence bundle" } else { "was changed" },
        );
        Ok(None)
    }

    /// All files in the order in which they stand.
    fn planned_files(&self) -> Vec<PlannedFile> {
        let sums = self.manifest.checksum_lines(self.digest);
        let planned =
            |name: &str, size: u64, sha256: Sha256| PlannedFile { name: name.into(), size, sha256: Some(sha256) };
        let first = [
            planned(MANIFEST, self.size, self.digest),
            planned(SUMS, sums.len() as u64, Sha256::of_bytes(sums.as_bytes())),
        ];
        let files = self.manifest.files.iter().map(|(path, file)| planned(path, file.size_bytes, file.sha256));
        first.into_iter().chain(files).collect()
    }
}

/// Compares every byte with what it must be.
fn compare_bytes<R: Read + Seek>(
    archive: &mut BundleArchive<R>,
    plan: &[PlannedFile],
    layout: &ZipLayout,
    placement: &PartLocations<'_>,
    faults: &mut FaultCollector,
) -> io::Result<()> {
    let mut checks = Vec::with_capacity(plan.len());
    for (at, file) in plan.iter().enumerate() {
        checks.push(0);
        let Some(found) = placement.file_location(at) else { continue };
        let header_len = header_len(file) as u64;
        if found.room.saturating_sub(header_len) < file.size {
            faults.add_damage(&file.name, "is cut short");
            continue;
        }
        let (crc, sha256) = archive.checksum_at(found.place + header_len, file.size)?;
        let is_header_whole = archive.read_at(found.place, header_len)? == local_header(&file.name, file.size, crc);
        if file.sha256.is_some_and(|wanted| wanted != sha256) {
            if file.name == SUMS && is_header_whole {
                // The sums are as they were written, so it is the manifest that is not.
                faults.add_damage(MANIFEST, format!("is not the one that {SUMS} is of"));
            } else {
                faults.add_damage(&file.name, "was changed: its bytes are not those that the manifest names");
            }
        } else if !is_header_whole {
            faults.add_damage(&file.name, "was changed, in its header or its bytes");
        }
        checks[at] = crc;
    }
    for (at, file) in plan.iter().enumerate() {
        let (Some(found), Some(place)) = (placement.record_location(at), placement.file_location(at)) else { continue };
        if faults.has_fault(&file.name) {
            continue;
        }
        // A file that was moved by a change before it has not changed, whether its record was adapted or not.
        let records =
            [layout.files[at], place.place].map(|offset| directory_record(&file.name, file.size, checks[at], offset));
        let actual = archive.read_at(found.place, found.room.min(records[0].len() as u64))?;
        if !records.contains(&actual) {
            faults.add_damage(&file.name, "has a changed record in the directory of the archive");
        }
    }
    if let Some(found) = placement.end_location() {
        let closing = layout.end_bytes();
        if archive.read_at(found.place, closing.len() as u64)? != closing {
            faults.add_damage(END, "was changed");
        }
    }
    if faults.is_empty() && !(placement.is_as_planned() && archive.len() == layout.len) {
        faults.add_damage(END, "is not where it must be");
    }
    Ok(())
}
