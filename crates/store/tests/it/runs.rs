//! Runs, and who may say that the server which carries one out is alive.

use std::time::Duration;

use ibid_domain::{Conversation, ConversationId, MessageId, Run, RunId, RunMode, RunStatus, Usage};
use ibid_testkit::{TestLibrary, on_both};

on_both!(leases_are_of_their_tenant);

async fn leases_are_of_their_tenant(library: TestLibrary) {
    let (store, scope) = (&library.store, &library.scope);
    let mut tx = store.write().await.unwrap();
    let now = tx.now();
    let conversation = Conversation {
        id: ConversationId::new(),
        title: None,
        created_by: scope.user(),
        created_at: now,
        updated_at: now,
    };
    tx.conversations(scope).add(&conversation).await.unwrap();
    let run = Run {
        id: RunId::new(),
        conversation: conversation.id,
        question: None,
        message: MessageId::new(),
        mode: RunMode::External,
        status: RunStatus::Running,
        error: None,
        usage: Usage::default(),
        last_seq: 0,
        is_cancelled: false,
        created_at: now,
        updated_at: now,
        finished_at: None,
    };
    tx.runs(scope).add(&run, Some(now.later_by(Duration::from_secs(5)))).await.unwrap();
    let other = tx.create_tenant("other").await.unwrap();
    tx.commit().await.unwrap();
    library.clock.advance(Duration::from_secs(10));

    let until = library.clock.now().later_by(Duration::from_secs(60));
    let mut tx = store.write_relaxed().await.unwrap();
    assert_eq!(tx.runs(&other).renew_leases(&[run.id], until).await.unwrap(), []);
    assert_eq!(tx.runs(scope).list_abandoned().await.unwrap(), [run.id], "another tenant has no say in it");
    assert_eq!(tx.runs(scope).renew_leases(&[run.id], until).await.unwrap(), []);
    assert_eq!(tx.runs(scope).list_abandoned().await.unwrap(), []);
    let mut cancelled = Run { is_cancelled: true, ..run };
    tx.runs(scope).save(&mut cancelled).await.unwrap();
    assert_eq!(tx.runs(&other).renew_leases(&[cancelled.id], until).await.unwrap(), []);
    assert_eq!(tx.runs(scope).renew_leases(&[cancelled.id], until).await.unwrap(), [cancelled.id]);
    tx.commit().await.unwrap();
}
