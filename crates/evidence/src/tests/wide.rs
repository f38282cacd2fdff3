//! Archives beyond 4 GiB, whose numbers stand elsewhere. Their contents are holes, so they are found and not hashed.

use std::collections::BTreeSet;

use super::*;
use crate::{END, archive::Archive, placement::Placement, report::Faults, survey::Survey};

const SIZES: [u64; 4] = [5 << 30, 7, (1 << 32) - 1, 9];

/// What is said of an archive of these sizes.
fn placed(file: &mut std::fs::File, plan: &[Planned]) -> (bool, BTreeSet<String>) {
    let mut archive = Archive::new(file).unwrap();
    let survey = Survey::of(&mut archive).unwrap();
    let mut faults = Faults::default();
    let placement = Placement::find(&mut archive, plan, &Layout::of(plan), &survey, &mut faults).unwrap();
    (placement.is_as_planned(), faults.into_vec().into_iter().map(|fault| fault.file).collect())
}

#[test]
fn files_are_seen_by_header_and_by_record() {
    let plan = sized(&SIZES);
    let layout = Layout::of(&plan);
    let mut file = holes(&plan);
    let mut archive = Archive::new(&mut file).unwrap();
    let survey = Survey::of(&mut archive).unwrap();
    for seen in [&survey.files, &survey.records] {
        assert_eq!(seen.iter().map(|seen| seen.size).collect::<Vec<_>>(), SIZES);
        assert!(seen.iter().zip(&layout.files).all(|(seen, place)| seen.headers.contains(place)));
    }
    assert_eq!(survey.plan(), plan);
    assert_eq!(placed(&mut file, &plan), (true, BTreeSet::new()));
}

#[test]
fn a_directory_is_found_behind_a_damaged_file() {
    let plan = sized(&SIZES);
    let mut file = holes(&plan);
    file.rewind().unwrap();
    file.write_all(b"PK\x03\x05").unwrap();
    let survey = Survey::of(&mut Archive::new(&mut file).unwrap()).unwrap();
    assert_eq!((survey.files.len(), survey.plan()), (0, plan.clone()));
    assert_eq!(placed(&mut file, &plan).1, [plan[0].name.clone()].into());
}

#[test]
fn an_end_that_is_gone_or_moved_is_told() {
    let plan = sized(&SIZES);
    let layout = Layout::of(&plan);
    let mut file = holes(&plan);
    file.set_len(layout.len - 1).unwrap();
    assert_eq!(placed(&mut file, &plan), (false, [END.to_owned()].into()));
    file.set_len(layout.end).unwrap();
    assert_eq!(placed(&mut file, &plan), (false, [END.to_owned()].into()));
    file.set_len(5).unwrap();
    assert_eq!(placed(&mut file, &plan).1.len(), plan.len() + 1);
}
