//! Idempotency keys: one request claims, the others wait, repeat or are refused.

use std::time::Duration;

use ibid_domain::Sha256;
use ibid_store::{Claim, StoredResponse};
use ibid_testkit::{Library, on_both};

on_both!(story, a_race_has_one_winner);

const HOLD: Duration = Duration::from_secs(30);

async fn story(library: Library) {
    let scope = &library.scope;
    let (same, other) = (Sha256::of(b"same"), Sha256::of(b"other"));
    let mut tx = library.store.write().await.unwrap();
    let Claim::New(claim) = tx.idempotency_keys(scope).claim("k", same, HOLD).await.unwrap() else { panic!("not new") };
    let mut keys = tx.idempotency_keys(scope);
    assert!(matches!(keys.claim("k", same, HOLD).await.unwrap(), Claim::InProgress));
    assert!(matches!(keys.claim("k", other, HOLD).await.unwrap(), Claim::Reused));
    let answer =
        StoredResponse { status: 201, content_type: Some("application/json".to_owned()), body: b"{}".to_vec() };
    keys.complete("k", claim, answer.clone()).await.unwrap();
    let Claim::Answered(stored) = keys.claim("k", same, HOLD).await.unwrap() else { panic!("not answered") };
    assert_eq!(stored, answer);

    // One that was given up can be tried again; one whose holder vanished can be taken over, not before its time.
    let Claim::New(claim) = keys.claim("l", same, HOLD).await.unwrap() else { panic!("not new") };
    keys.release("l", claim).await.unwrap();
    let Claim::New(claim) = keys.claim("l", same, HOLD).await.unwrap() else { panic!("not released") };
    library.clock.advance(HOLD / 2);
    keys.renew("l", claim, HOLD).await.unwrap();
    library.clock.advance(HOLD / 2 + Duration::from_secs(1));
    assert!(matches!(keys.claim("l", same, HOLD).await.unwrap(), Claim::InProgress));
    library.clock.advance(HOLD);
    assert!(matches!(keys.claim("l", same, HOLD).await.unwrap(), Claim::New(_)));

    let theirs = tx.create_tenant("other").await.unwrap();
    assert!(matches!(tx.idempotency_keys(&theirs).claim("k", other, HOLD).await.unwrap(), Claim::New(_)));
    library.clock.advance(HOLD);
    assert_eq!(tx.forget_idempotency_keys(library.clock.now()).await.unwrap(), 3);
}

async fn a_race_has_one_winner(library: Library) {
    let scope = library.scope;
    let mut racing = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let store = library.store.clone();
        racing.spawn(async move {
            let mut tx = store.write().await.unwrap();
            let claim = tx.idempotency_keys(&scope).claim("k", Sha256::of(b"x"), HOLD).await.unwrap();
            tx.commit().await.unwrap();
            matches!(claim, Claim::New(_))
        });
    }
    assert_eq!(racing.join_all().await.into_iter().filter(|won| *won).count(), 1);
}
