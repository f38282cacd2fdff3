//! fsck finds each kind of fault and says exactly what is wrong.

use ibid_app::{App, PointerDraft, ProgressReport, Tools};
use ibid_domain::{Sha256, pointer::PointerName};
use ibid_testkit::{TestLibrary, on_both};

use crate::{commit, upload};

on_both!(story);

async fn story(library: TestLibrary) {
    let (app, scope) = (App::new(library.store.clone(), Tools::in_process().unwrap()), library.scope);
    let (a, b, c) =
        (upload(&app, &scope, "aaaa").await, upload(&app, &scope, "bbbb").await, upload(&app, &scope, "cccc").await);
    let manifest = commit(&app, &scope, &[("a", a.sha256), ("b", b.sha256)], None).await;
    let other = commit(&app, &scope, &[("c", c.sha256)], None).await;
    let name = PointerName::new("default", "head").unwrap();
    app.pointers(&scope)
        .put(&name, PointerDraft { manifest: Some(manifest.sha256), ..Default::default() })
        .await
        .unwrap();
    app.pointers(&scope).advance(&name, Some(manifest.sha256), other.sha256, None).await.unwrap();
    app.pointers(&scope).advance(&name, Some(other.sha256), manifest.sha256, None).await.unwrap();
    let clean = app.maintenance(&scope).check_integrity(&ProgressReport::silent()).await.unwrap();
    assert_eq!((clean.findings.as_slice(), clean.artifacts, clean.bytes), ([].as_slice(), 3, 12));
    assert_eq!((clean.manifests, clean.pointers, clean.unclaimed_blobs), (2, 1, 0));

    let file = |uri: &str| uri.strip_prefix("file://").unwrap().to_owned();
    let hash = |sha256: Sha256| match library.place.database_url() {
        Some(_) => format!("'\\x{sha256}'"),
        None => format!("x'{sha256}'"),
    };
    std::fs::write(file(&a.storage_uri), "aXaa").unwrap();
    std::fs::remove_file(file(&b.storage_uri)).unwrap();
    for sql in [
        format!("UPDATE artifacts SET reference_count = 7 WHERE sha256 = {}", hash(c.sha256)),
        format!("UPDATE manifests SET message = 'tampered', entry_count = 9 WHERE sha256 = {}", hash(other.sha256)),
        "UPDATE manifest_entries SET size_bytes = 5 WHERE path = 'b'".to_owned(),
        format!("UPDATE pointers SET manifest_sha256 = {}", hash(other.sha256)),
    ] {
        library.place.run_raw_sql(&sql).await;
    }
    let report = app.maintenance(&scope).check_integrity(&ProgressReport::silent()).await.unwrap();
    let mut found: Vec<_> =
        report.findings.iter().map(|finding| (finding.what.as_str(), finding.subject.clone())).collect();
    found.sort_unstable();
    let mut expected = vec![
        ("broken_history", "default/head".to_owned()),
        ("corrupt_blob", a.sha256.to_string()),
        ("missing_blob", b.sha256.to_string()),
        ("wrong_entry", manifest.sha256.to_string()),
        ("wrong_name", manifest.sha256.to_string()),
        ("wrong_name", other.sha256.to_string()),
        ("wrong_reference_count", c.sha256.to_string()),
        ("wrong_totals", manifest.sha256.to_string()),
        ("wrong_totals", other.sha256.to_string()),
    ];
    expected.sort_unstable();
    assert_eq!(found, expected);
}
