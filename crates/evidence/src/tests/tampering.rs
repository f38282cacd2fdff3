//! Whatever is changed in the archive, the file it belongs to is named, and no other.

use std::collections::BTreeSet;

use super::*;
use crate::{END, START};

/// To whom every byte belongs, by what another program says of the archive.
fn byte_owners(bytes: &[u8]) -> Vec<String> {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut starts = Vec::new();
    for at in 0..zip.len() {
        let file = zip.by_index(at).unwrap();
        starts.push((file.header_start() as usize, file.name().unwrap().into_owned()));
        starts.push((file.central_header_start() as usize, file.name().unwrap().into_owned()));
    }
    starts.push((bytes.len() - 22, END.to_owned()));
    starts.sort();
    let mut owners = vec![String::new(); bytes.len()];
    for (start, name) in starts {
        owners[start..].fill(name);
    }
    owners
}

#[test]
fn an_untouched_bundle_is_sound() {
    let bytes = bundle_bytes(&sample_bundle());
    let report = verify_bytes(&bytes);
    assert_eq!(report.faults, []);
    assert_eq!((report.files, report.bytes), (12, bytes.len() as u64));
    assert_eq!((report.citations, report.quotes_checked, report.absent.as_slice()), (4, 2, [3].as_slice()));
    assert_eq!((report.kind, report.id.as_deref()), (Some(BundleKind::Message), Some("msg_01/é")));
    assert!(report.is_sound() && report.unchecked.is_empty());
}

#[test]
fn a_changed_byte_is_laid_to_its_file() {
    let bytes = bundle_bytes(&small_bundle());
    let owners = byte_owners(&bytes);
    for at in 0..bytes.len() {
        // The third is any other value.
        let any = (at as u32).wrapping_mul(0x9e37_79b9).to_be_bytes()[0] | 2;
        for mask in [1, 0x80, any] {
            let mut changed = bytes.clone();
            changed[at] ^= mask;
            let report = verify_bytes(&changed);
            assert_eq!(faulty_files(&report), [owners[at].as_str()], "byte {at} with {mask:#x}: {:?}", report.faults);
        }
    }
}

#[test]
fn a_byte_too_many_is_laid_to_its_file() {
    let bytes = bundle_bytes(&small_bundle());
    let owners = byte_owners(&bytes);
    for at in 0..bytes.len() {
        // Another than its neighbours, so that it cannot be said to stand elsewhere.
        let near = [bytes[at.saturating_sub(1)], bytes[at]];
        let value = (0..=255).find(|value| !near.contains(value)).unwrap();
        let mut changed = bytes.clone();
        changed.insert(at, value);
        let before = at.checked_sub(1).map_or(START, |before| &owners[before]);
        let report = verify_bytes(&changed);
        let named = faulty_files(&report);
        assert!(named == [before] || named == [owners[at].as_str()], "byte {at}: {:?}", report.faults);
    }
}

#[test]
fn a_byte_too_few_is_laid_to_its_file() {
    let bytes = bundle_bytes(&small_bundle());
    let owners = byte_owners(&bytes);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        let value = changed.remove(at);
        // Of equal bytes in a row it makes no difference which is gone.
        let first = bytes[..at].iter().rposition(|byte| *byte != value).map_or(0, |place| place + 1);
        let last = bytes[at..].iter().position(|byte| *byte != value).map_or(bytes.len(), |place| at + place);
        let allowed: BTreeSet<_> = owners[first..last].iter().map(String::as_str).collect();
        let report = verify_bytes(&changed);
        let named = faulty_files(&report);
        assert!(named.len() == 1 && allowed.contains(named[0]), "byte {at}: {:?}", report.faults);
    }
}

#[test]
fn an_archive_that_was_cut_off_says_so() {
    let bytes = bundle_bytes(&small_bundle());
    let owners = byte_owners(&bytes);
    for length in 0..bytes.len() {
        let report = verify_bytes(&bytes[..length]);
        let named: BTreeSet<_> = faulty_files(&report).into_iter().collect();
        assert!(named.contains(END), "{length}: {:?}", report.faults);
        // Everything that is still there is not complained of.
        let lost: BTreeSet<_> = owners[length..].iter().map(String::as_str).chain([MANIFEST]).collect();
        assert!(named.is_subset(&lost), "{length}: {:?}", report.faults);
    }
}

#[test]
fn what_is_appended_or_put_before_is_told() {
    let bytes = bundle_bytes(&sample_bundle());
    for more in [b"\0".as_slice(), b"PK\x05\x06", &[0; 22], &[7; 100_000], &bytes] {
        let report = verify_bytes(&[&bytes, more].concat());
        assert_eq!(faulty_files(&report), [END], "{:?}", report.faults);
    }
    for more in [b"\0".as_slice(), b"#!/bin/sh\n", &[7; 100_000]] {
        let report = verify_bytes(&[more, &bytes].concat());
        assert_eq!(faulty_files(&report), [START], "{:?}", report.faults);
    }
}

#[test]
fn several_changes_are_all_told() {
    let bytes = bundle_bytes(&sample_bundle());
    let owners = byte_owners(&bytes);
    let all: BTreeSet<_> = owners.iter().map(String::as_str).filter(|name| *name != MANIFEST).collect();
    let mut changed = bytes.clone();
    for name in &all {
        // In the check of the header, or in the count of files at the end.
        let first = owners.iter().position(|owner| owner == name).unwrap();
        changed[first + if *name == END { 8 } else { 14 }] ^= 1;
    }
    let report = verify_bytes(&changed);
    assert_eq!(faulty_files(&report).into_iter().collect::<BTreeSet<_>>(), all);
    assert_eq!(report.faults.len(), all.len(), "each once");
}

#[test]
fn files_in_another_order_are_named() {
    let files = unzip_files(&bundle_bytes(&sample_bundle()));
    assert_eq!(zip_files(&files), bundle_bytes(&sample_bundle()));
    for at in 2..files.len() - 1 {
        let mut swapped = files.clone();
        swapped.swap(at, at + 1);
        let report = verify_bytes(&zip_files(&swapped));
        let expected: BTreeSet<_> = [files[at].0.as_str(), files[at + 1].0.as_str()].into();
        assert_eq!(faulty_files(&report).into_iter().collect::<BTreeSet<_>>(), expected);
    }
    let mut turned = files;
    turned.reverse();
    assert!(verify_bytes(&zip_files(&turned)).faults.len() > 5);
}

#[test]
fn a_file_that_is_missing_too_much_or_twice_is_named() {
    let files = unzip_files(&bundle_bytes(&sample_bundle()));
    for at in 1..files.len() {
        let mut fewer = files.clone();
        let (name, _) = fewer.remove(at);
        // The end counts files, so it is told of, too.
        assert_eq!(faulty_files(&verify_bytes(&zip_files(&fewer))), [name.as_str(), END]);
    }
    for at in 1..=files.len() {
        for name in ["evil.txt", "../../evil", "/etc/passwd", "artifacts/\u{1b}[31m", "zz"] {
            let mut more = files.clone();
            more.insert(at, (name.to_owned(), b"boo".to_vec()));
            let report = verify_bytes(&zip_files(&more));
            assert_eq!(faulty_files(&report), [name.replace('\u{1b}', " ").as_str(), END], "{:?}", report.faults);
            assert_eq!(report.faults[0].what, "is not in the manifest");
        }
        let mut twice = files.clone();
        twice.insert(at, files[at - 1].clone());
        assert_eq!(faulty_files(&verify_bytes(&zip_files(&twice))), [files[at - 1].0.as_str(), END]);
    }
    assert_eq!(faulty_files(&verify_bytes(&zip_files(&files[1..])))[0], MANIFEST);
    assert!(!verify_bytes(&zip_files(&[])).is_sound());
}

#[test]
fn what_another_program_packed_anew_is_refused() {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in unzip_files(&bundle_bytes(&sample_bundle())) {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    let report = verify_bytes(&zip.finish().unwrap().into_inner());
    assert!(report.faults.len() >= 12, "{:?}", report.faults);
}

#[test]
fn only_the_expected_digest_will_do() {
    let mut bytes = Vec::new();
    let digest = crate::write_bundle(&sample_bundle(), &mut bytes).unwrap().digest;
    let with = |expected: Sha256| verify_bundle(Cursor::new(&bytes), Some(expected)).unwrap();
    assert!(with(digest).is_sound());
    assert_eq!(with(digest).digest, Some(digest));
    assert_eq!(faulty_files(&with(Sha256::of_bytes(b"another"))), [MANIFEST]);
}

#[test]
fn a_bundle_may_be_cited_in_another() {
    let inner: &'static [u8] = Box::leak(bundle_bytes(&small_bundle()).into_boxed_slice());
    let mut outer = small_bundle();
    outer.files.push(file_record(inner, FileRole::Artifact, "application/zip", Some("evidence.zip")));
    let bytes = bundle_bytes(&outer);
    assert!(verify_bytes(&bytes).is_sound());
    let owners = byte_owners(&bytes);
    for at in (0..bytes.len()).step_by(13) {
        let mut changed = bytes.clone();
        changed[at] ^= 4;
        assert_eq!(faulty_files(&verify_bytes(&changed)), [owners[at].as_str()], "byte {at}");
        changed.remove(at);
        assert!(faulty_files(&verify_bytes(&changed)).contains(&owners[at].as_str()), "byte {at}");
    }
}
