//! Archives beyond 4 GiB, whose numbers stand elsewhere. Their contents are holes, so they are found and not hashed.

use std::collections::BTreeSet;

use super::*;
use crate::{
    END, archive::BundleArchive, archive_scan::ArchiveScan, part_locations::PartLocations, report::FaultCollector,
};

const SIZES: [u64; 4] = [5 << 30, 7, (1 << 32) - 1, 9];

/// Locates the parts of an archive with files of the given sizes, and returns the faulty files.
fn locate_sized(file: &mut std::fs::File, plan: &[PlannedFile]) -> (bool, BTreeSet<String>) {
    let mut archive = BundleArchive::new(file).unwrap();
    let survey = ArchiveScan::scan_archive(&mut archive).unwrap();
    let mut faults = FaultCollector::default();
    let placement =
        PartLocations::locate_parts(&mut archive, plan, &ZipLayout::for_files(plan), &survey, &mut faults).unwrap();
    (placement.is_as_planned(), faults.into_vec().into_iter().map(|fault| fault.file).collect())
}

#[test]
fn files_are_seen_by_header_and_by_record() {
    let plan = planned_sizes(&SIZES);
    let layout = ZipLayout::for_files(&plan);
    let mut file = sparse_archive(&plan);
    let mut archive = BundleArchive::new(&mut file).unwrap();
    let survey = ArchiveScan::scan_archive(&mut archive).unwrap();
    for seen in [&survey.files, &survey.records] {
        assert_eq!(seen.iter().map(|seen| seen.size).collect::<Vec<_>>(), SIZES);
        assert!(seen.iter().zip(&layout.files).all(|(seen, place)| seen.headers.contains(place)));
    }
    assert_eq!(survey.planned_files(), plan);
    assert_eq!(locate_sized(&mut file, &plan), (true, BTreeSet::new()));
}

#[test]
fn a_directory_is_found_behind_a_damaged_file() {
    let plan = planned_sizes(&SIZES);
    let mut file = sparse_archive(&plan);
    file.rewind().unwrap();
    file.write_all(b"PK\x03\x05").unwrap();
    let survey = ArchiveScan::scan_archive(&mut BundleArchive::new(&mut file).unwrap()).unwrap();
    assert_eq!((survey.files.len(), survey.planned_files()), (0, plan.clone()));
    assert_eq!(locate_sized(&mut file, &plan).1, [plan[0].name.clone()].into());
}

#[test]
fn an_end_that_is_gone_or_moved_is_told() {
    let plan = planned_sizes(&SIZES);
    let layout = ZipLayout::for_files(&plan);
    let mut file = sparse_archive(&plan);
    file.set_len(layout.len - 1).unwrap();
    assert_eq!(locate_sized(&mut file, &plan), (false, [END.to_owned()].into()));
    file.set_len(layout.end).unwrap();
    assert_eq!(locate_sized(&mut file, &plan), (false, [END.to_owned()].into()));
    file.set_len(5).unwrap();
    assert_eq!(locate_sized(&mut file, &plan).1.len(), plan.len() + 1);
}
