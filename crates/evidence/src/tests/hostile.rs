//! Whatever is given to check: no panic, nothing taken at its word, time in proportion to what is there.

use proptest::prelude::*;

use super::*;
use crate::{END, MAX_FILES};

/// Counts what is read of an archive.
struct CountingReader<'a> {
    inner: Cursor<&'a [u8]>,
    read: u64,
}

impl Read for CountingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        assert!(buffer.len() <= 1 << 20, "room for {} bytes is asked for", buffer.len());
        let count = self.inner.read(buffer)?;
        self.read += count as u64;
        Ok(count)
    }
}

impl Seek for CountingReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

/// The report on an archive, of which no byte may be read more often than a few times.
fn verify_linear_reads(bytes: &[u8]) -> VerificationReport {
    let mut archive = CountingReader { inner: Cursor::new(bytes), read: 0 };
    let report = verify_bundle(&mut archive, None).unwrap();
    assert!(archive.read <= 12 * bytes.len() as u64 + 1000, "{} of {} bytes", archive.read, bytes.len());
    report
}

/// An archive whose headers, records and end say of its files whatever is put here.
fn archive_claiming(files: &[(&str, u64, u64)], content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, size, _) in files {
        bytes.extend(local_header(name, *size, 0));
        bytes.extend(content);
    }
    for (name, size, offset) in files {
        bytes.extend(directory_record(name, *size, 0, *offset));
    }
    let plan: Vec<_> =
        files.iter().map(|(name, size, _)| PlannedFile { name: (*name).into(), size: *size, sha256: None }).collect();
    bytes.extend(ZipLayout::for_files(&plan).end_bytes());
    bytes
}

#[test]
fn claims_of_size_and_place_are_not_believed() {
    for size in [1, 1 << 20, u64::from(u32::MAX) - 1, u64::from(u32::MAX), 1 << 50, u64::MAX] {
        for offset in [0, 1, 1 << 31, 1 << 50, u64::MAX - 40, u64::MAX] {
            for name in [MANIFEST, SUMS, "../x", ""] {
                let report =
                    verify_linear_reads(&archive_claiming(&[(name, size, offset), (MANIFEST, size, offset)], b"{}"));
                assert!(!report.is_sound());
            }
        }
    }
}

#[test]
fn a_manifest_may_claim_anything() {
    for size in ["1e3", "9007199254740991", "18446744073709551615", "1e400", "-1"] {
        let bytes = forged_sizes(size);
        assert!(!verify_linear_reads(&bytes).is_sound(), "{size}");
    }
}

/// A bundle whose manifest gives another size to everything that is cited.
fn forged_sizes(size: &str) -> Vec<u8> {
    let mut files = unzip_files(&bundle_bytes(&sample_bundle()));
    let text = String::from_utf8(files[0].1.clone()).unwrap();
    let mut parts = text.split("\"size_bytes\":");
    let mut changed = parts.next().unwrap().to_owned();
    for part in parts {
        changed.push_str(&format!("\"size_bytes\":{size}{}", part.trim_start_matches(|c: char| c.is_ascii_digit())));
    }
    files[0].1 = changed.into_bytes();
    zip_files(&files)
}

#[test]
fn many_files_that_are_all_the_same_cost_no_more_than_one() {
    // Sixty thousand records that point at one place, under one name and under many.
    let name = "artifacts/a";
    let one = vec![(name, 1 << 30, 0); 60_000];
    assert!(!verify_linear_reads(&archive_claiming(&one, b"")).is_sound());
    let names: Vec<_> = (0..60_000).map(|number| format!("{number}")).collect();
    let many: Vec<_> = names.iter().map(|name| (name.as_str(), 1 << 30, 0)).collect();
    assert!(!verify_linear_reads(&archive_claiming(&many, b"")).is_sound());
    // More than there may be, and each in the wrong order.
    let names: Vec<_> = (0..MAX_FILES + 10).map(|number| (format!("{number}"), Vec::new())).collect();
    assert!(!verify_linear_reads(&zip_files(&names)).is_sound());
    let turned: Vec<_> = names.into_iter().take(30_000).rev().collect();
    assert!(!verify_linear_reads(&zip_files(&turned)).is_sound());
}

#[test]
fn many_files_in_disorder_are_told_in_time() {
    let mut bundle = sample_bundle();
    for number in 0..5_000_u32 {
        let bytes: &'static [u8] = Box::leak(Box::new(number.to_be_bytes()));
        bundle.files.push(file_record(bytes, FileRole::Artifact, "text/plain", None));
    }
    let bytes = bundle_bytes(&bundle);
    assert!(verify_linear_reads(&bytes).is_sound());
    let files = unzip_files(&bytes);
    let (even, odd): (Vec<_>, Vec<_>) = files.into_iter().enumerate().partition(|(at, _)| at % 2 == 0);
    let mixed: Vec<_> = even.into_iter().chain(odd).map(|(_, file)| file).collect();
    assert!(verify_linear_reads(&zip_files(&mixed)).faults.len() > 4_000);
    let thinned: Vec<_> = mixed.into_iter().step_by(3).collect();
    assert!(verify_linear_reads(&zip_files(&thinned)).faults.len() > 3_000);
}

#[test]
fn what_is_no_archive_is_told() {
    for bytes in [b"".as_slice(), b"PK", b"PK\x05\x06", b"PK\x03\x04", &[0; 22], &[0xff; 5000], b"%PDF-1.7"] {
        let report = verify_linear_reads(bytes);
        assert_eq!(faulty_files(&report), [MANIFEST, END], "{:?}", report.faults);
        assert_eq!(report.digest, None);
    }
}

#[test]
fn an_archive_that_cannot_be_read_is_an_error() {
    struct Broken(Cursor<Vec<u8>>);
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is broken"))
        }
    }
    impl Seek for Broken {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }
    assert!(verify_bundle(Broken(Cursor::new(bundle_bytes(&sample_bundle()))), None).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn garbage_is_never_sound(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert!(!verify_linear_reads(&bytes).is_sound());
    }

    #[test]
    fn garbage_of_headers_is_never_sound(
        pieces in proptest::collection::vec(
            prop_oneof![
                Just(b"PK\x03\x04".to_vec()),
                Just(b"PK\x01\x02".to_vec()),
                Just(b"PK\x05\x06".to_vec()),
                Just(b"PK\x06\x06".to_vec()),
                Just(vec![0xff; 4]),
                Just(vec![0; 16]),
                Just(b"manifest.json".to_vec()),
                proptest::collection::vec(any::<u8>(), 0..12),
            ],
            0..80,
        )
    ) {
        prop_assert!(!verify_linear_reads(&pieces.concat()).is_sound());
    }

    #[test]
    fn no_other_bytes_are_sound(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0_usize..40, proptest::collection::vec(any::<u8>(), 0..40)), 1..5)
    ) {
        let bytes = bundle_bytes(&sample_bundle());
        let mut changed = bytes.clone();
        for (at, removed, put) in edits {
            let start = at.index(changed.len());
            let end = (start + removed).min(changed.len());
            changed.splice(start..end, put);
        }
        prop_assert_eq!(verify_linear_reads(&changed).is_sound(), changed == bytes);
    }
}
