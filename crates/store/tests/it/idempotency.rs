//! Idempotency keys: one request claims, the others wait, repeat or are refused.

use std::time::Duration;

use ibid_domain::Sha256;
use ibid_store::{IdempotencyClaim, StoredResponse};
use ibid_testkit::{TestLibrary, on_both};

on_both!(story, a_race_has_one_winner);

const HOLD: Duration = Duration::from_secs(30);

async fn story(library: TestLibrary) {
    let scope = &library.scope;
    let (same, other) = (Sha256::of_bytes(b"same"), Sha256::of_bytes(b"other"));
    let mut tx = library.store.write().await.unwrap();
    let IdempotencyClaim::New(claim) = tx.idempotency_keys(scope).claim_key("k", same, HOLD).await.unwrap() else {
        panic!("not new")
    };
    let mut keys = tx.idempotency_keys(scope);
    assert!(matches!(keys.claim_key("k", same, HOLD).await.unwrap(), IdempotencyClaim::InProgress));
    assert!(matches!(keys.claim_key("k", other, HOLD).await.unwrap(), IdempotencyClaim::Reused));
    let answer =
        StoredResponse { status: 201, content_type: Some("application/json".to_owned()), body: b"{}".to_vec() };
    keys.store_response("k", claim, answer.clone()).await.unwrap();
    let IdempotencyClaim::Answered(stored) = keys.claim_key("k", same, HOLD).await.unwrap() else {
        panic!("not answered")
    };
    assert_eq!(stored, answer);

    // One that was given up can be tried again; one whose holder vanished can be taken over, not before its time.
    let IdempotencyClaim::New(claim) = keys.claim_key("l", same, HOLD).await.unwrap() else { panic!("not new") };
    keys.release_claim("l", claim).await.unwrap();
    let IdempotencyClaim::New(claim) = keys.claim_key("l", same, HOLD).await.unwrap() else { panic!("not released") };
    library.clock.advance(HOLD / 2);
    keys.renew_claim("l", claim, HOLD).await.unwrap();
    library.clock.advance(HOLD / 2 + Duration::from_secs(1));
    assert!(matches!(keys.claim_key("l", same, HOLD).await.unwrap(), IdempotencyClaim::InProgress));
    library.clock.advance(HOLD);
    assert!(matches!(keys.claim_key("l", same, HOLD).await.unwrap(), IdempotencyClaim::New(_)));

    let theirs = tx.create_tenant("other").await.unwrap();
    assert!(matches!(
        tx.idempotency_keys(&theirs).claim_key("k", other, HOLD).await.unwrap(),
        IdempotencyClaim::New(_)
    ));
    library.clock.advance(HOLD);
    assert_eq!(tx.forget_idempotency_keys(library.clock.now()).await.unwrap(), 3);
}

async fn a_race_has_one_winner(library: TestLibrary) {
    let scope = library.scope;
    let mut racing = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let store = library.store.clone();
        racing.spawn(async move {
            let mut tx = store.write().await.unwrap();
            let claim = tx.idempotency_keys(&scope).claim_key("k", Sha256::of_bytes(b"x"), HOLD).await.unwrap();
            tx.commit().await.unwrap();
            matches!(claim, IdempotencyClaim::New(_))
        });
    }
    assert_eq!(racing.join_all().await.into_iter().filter(|won| *won).count(), 1);
}
