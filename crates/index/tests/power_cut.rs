//! The index after a power cut: what was synced is there, and what was not is taken over again.

use std::{
    fs,
    path::{Path, PathBuf},
};

use ibid_domain::{Origin, RevisionId, SourceId, SourceType, TenantId, Timestamp};
use ibid_index::{AllowedPassages, Index, IndexChange, IndexedRevision, PassageText, SourceFacets, query::parse_query};
use uuid::Uuid;

/// Synced changes; each is a passage with a word of its own.
const SYNCED: i64 = 3;
/// Changes in all. So many segments are merged into one, and those before are no longer needed.
const ALL: i64 = 14;

fn source(seq: i64) -> SourceId {
    SourceId::from(Uuid::from_u128(seq as u128))
}

/// The word that only one passage has.
fn word(seq: i64) -> String {
    format!("word{}", char::from(b'a' + u8::try_from(seq).unwrap()))
}

fn change(seq: i64) -> IndexChange {
    let revision = RevisionId::from(Uuid::from_u128(1_000 + seq as u128));
    let time = Timestamp::from_micros(0);
    let about = SourceFacets::new(SourceType::KnowledgeBase, Origin::Database, None, time, "Title");
    let tenant = TenantId::from(Uuid::from_u128(1));
    let revised =
        IndexedRevision { tenant, source: source(seq), revision, first_seq: seq, count: 1, current: true, about };
    let text = PassageText { heading: String::new(), content: word(seq) };
    IndexChange::Revised { revised, texts: vec![text] }
}

/// Takes over the changes after a position, as the log tells them; the last one removes the first source.
fn follow_log(index: &Index) {
    for seq in index.position() + 1..=ALL {
        index.apply_changes(vec![change(seq)], seq).unwrap();
    }
    index.apply_changes(vec![IndexChange::Removed { source: source(1) }], ALL + 1).unwrap();
}

/// The passages that are found by their own words, each exactly once.
fn found(index: &Index) -> Vec<i64> {
    (1..=ALL)
        .filter(|seq| {
            let query = parse_query(&word(*seq), &[]);
            let (hits, _) = index.search_words(&query.words, &AllowedPassages::All, false, 10, &[]).unwrap();
            assert!(hits.len() <= 1, "passage {seq} is there {} times", hits.len());
            hits.first().is_some_and(|hit| hit.seq == *seq)
        })
        .collect()
}

/// A library's index that was synced once and has changed since, and the length of its journal at that time.
fn changed_since_sync(folder: &Path) -> u64 {
    let index = Index::open(folder, true).unwrap();
    for seq in 1..=SYNCED {
        index.apply_changes(vec![change(seq)], seq).unwrap();
    }
    assert_eq!(index.sync().unwrap(), SYNCED);
    let journal = fs::metadata(folder.join("journal")).unwrap().len();
    follow_log(&index);
    assert_eq!(found(&index), (2..=ALL).collect::<Vec<_>>());
    journal
}

/// Files of the words that the restore point does not name.
fn unsynced_files(folder: &Path) -> Vec<PathBuf> {
    let synced = fs::read_to_string(folder.join("words/meta.synced")).unwrap().replace('-', "");
    let files = fs::read_dir(folder.join("words")).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            let id = name.split('.').next().unwrap();
            id.len() == 32 && (!synced.contains(id) || name.ends_with(".del"))
        })
        .collect()
}

fn check_damage(what: &str, damage: impl FnOnce(&Path, u64)) {
    let folder = tempfile::tempdir().unwrap();
    let journal = changed_since_sync(folder.path());
    damage(folder.path(), journal);
    let index = Index::open(folder.path(), true).unwrap();
    assert_eq!((index.position(), found(&index)), (SYNCED, vec![1, 2, 3]), "{what}");
    follow_log(&index);
    assert_eq!(found(&index), (2..=ALL).collect::<Vec<_>>(), "{what}");
    index.sync().unwrap();
    drop(index);
    let index = Index::open(folder.path(), true).unwrap();
    assert_eq!((index.position(), found(&index)), (ALL + 1, (2..=ALL).collect()), "{what}");
}

#[test]
fn what_was_not_synced_and_is_torn_is_noticed_and_taken_over_again() {
    check_damage("a list of segments without content", |folder, _| {
        fs::write(folder.join("words/meta.json"), b"").unwrap();
    });
    check_damage("no list of segments", |folder, _| fs::remove_file(folder.join("words/meta.json")).unwrap());
    check_damage("a list of files without content", |folder, _| {
        fs::write(folder.join("words/.managed.json"), b"").unwrap();
    });
    check_damage("files cut off", |folder, _| {
        for path in unsynced_files(folder) {
            let length = fs::metadata(&path).unwrap().len();
            fs::File::options().write(true).open(&path).unwrap().set_len(length / 2).unwrap();
        }
    });
    check_damage("files of the right length with other bytes", |folder, _| {
        for path in unsynced_files(folder) {
            let mut bytes = fs::read(&path).unwrap();
            bytes[0] ^= 0xff;
            fs::write(&path, bytes).unwrap();
        }
    });
    check_damage("files that are not there", |folder, _| {
        unsynced_files(folder).iter().for_each(|path| fs::remove_file(path).unwrap());
    });
    check_damage("a journal that ends where it was synced", |folder, journal| {
        fs::File::options().write(true).open(folder.join("journal")).unwrap().set_len(journal).unwrap();
    });
    check_damage("a journal that ends in the middle", |folder, journal| {
        fs::File::options().write(true).open(folder.join("journal")).unwrap().set_len(journal + 20).unwrap();
    });
}

#[test]
fn a_killed_program_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    changed_since_sync(folder.path());
    let index = Index::open(folder.path(), true).unwrap();
    assert_eq!((index.position(), found(&index)), (ALL + 1, (2..=ALL).collect()));
}

#[test]
fn a_journal_beyond_the_words_is_taken_over_again() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path(), true).unwrap();
    let renamed = |title: &str| {
        let time = Timestamp::from_micros(0);
        let about = SourceFacets::new(SourceType::KnowledgeBase, Origin::Database, None, time, title);
        (about, Some(RevisionId::from(Uuid::from_u128(1_001))))
    };
    index.apply_changes(vec![change(1)], 1).unwrap();
    index.sync().unwrap();
    let (about, standing) = renamed("Another");
    let described = |about, standing, texts| IndexChange::Described {
        source: source(1),
        about,
        standing,
        stale: vec![(RevisionId::from(Uuid::from_u128(1_001)), texts)],
    };
    let text = || PassageText { heading: "Another".to_owned(), content: word(1) };
    assert_eq!(index.stale_revisions(source(1), &about, standing).len(), 1);
    index.apply_changes(vec![described(about, standing, vec![text()])], 2).unwrap();
    drop(index);
    // The journal has the new title, the words are lost.
    fs::write(folder.path().join("words/meta.json"), b"").unwrap();
    let index = Index::open(folder.path(), true).unwrap();
    let (about, standing) = renamed("Another");
    assert_eq!(index.position(), 1);
    assert_eq!(index.stale_revisions(source(1), &about, standing).len(), 1, "its words are to be written again");
}

#[test]
fn a_sync_without_changes_touches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    changed_since_sync(folder.path());
    let index = Index::open(folder.path(), true).unwrap();
    index.sync().unwrap();
    let modified = || fs::metadata(folder.path().join("words/meta.synced")).unwrap().modified().unwrap();
    let before = modified();
    index.sync().unwrap();
    assert_eq!(modified(), before);
}
