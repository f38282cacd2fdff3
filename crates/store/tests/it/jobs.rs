//! Jobs: asked for in a transaction, taken once, kept alive, put off, retried, buried.

use std::{collections::HashSet, time::Duration};

use ibid_domain::{
    Code, Limit,
    job::{JobChange, JobState, Progress},
};
use ibid_store::{JobError, JobEventCursor, JobFilter, NewJob};
use ibid_testkit::{TestLibrary, on_both};
use serde_json::json;

on_both!(story, failing, leases, events, many_workers, lists);

const KINDS: &[&str] = &["test"];
const LEASE: Duration = Duration::from_secs(30);

fn job() -> NewJob {
    NewJob::new("test", json!({"id": 1}))
}

async fn story(library: TestLibrary) {
    let scope = &library.scope;
    // Asked for in a transaction that is undone: never was.
    let mut tx = library.store.write().await.unwrap();
    tx.jobs(scope).enqueue(job()).await.unwrap();
    drop(tx);
    let mut tx = library.store.write().await.unwrap();
    assert!(tx.queue().lease_jobs(KINDS, 9, LEASE).await.unwrap().is_empty());

    let asked = tx.jobs(scope).enqueue(job()).await.unwrap();
    assert_eq!((asked.state, asked.attempt, asked.max_attempts), (JobState::Queued, 0, 3));
    let later = NewJob { run_at: Some(library.clock.now().later_by(Duration::from_secs(9))), ..job() };
    let later = tx.jobs(scope).enqueue(later).await.unwrap();
    let urgent = tx.jobs(scope).enqueue(NewJob { priority: 1, ..job() }).await.unwrap();
    tx.jobs(scope).enqueue(NewJob { kind: "other", ..job() }).await.unwrap();
    tx.commit().await.unwrap();

    // The urgent one first, none before its time, none of a kind that was not asked for.
    let mut tx = library.store.write().await.unwrap();
    let first = tx.queue().lease_jobs(KINDS, 1, LEASE).await.unwrap();
    assert_eq!(first[0].job.id, urgent.id);
    let rest = tx.queue().lease_jobs(KINDS, 9, LEASE).await.unwrap();
    assert_eq!(rest.iter().map(|leased| leased.job.id).collect::<Vec<_>>(), [asked.id]);
    assert_eq!(rest[0].scope.tenant(), scope.tenant());
    assert_eq!(rest[0].job.attempt, 1);
    assert!(
        tx.queue().report_progress(&rest[0].lease, &Progress { done: 1, total: Some(2), message: None }).await.unwrap()
    );
    assert!(tx.queue().mark_succeeded(&rest[0].lease, Some(json!({"chunks": 3}))).await.unwrap());
    assert!(!tx.queue().mark_succeeded(&rest[0].lease, None).await.unwrap(), "it was reported already");
    tx.commit().await.unwrap();

    let mut tx = library.store.write().await.unwrap();
    let done = tx.jobs(scope).get(asked.id).await.unwrap().unwrap();
    assert_eq!((done.state, done.result), (JobState::Succeeded, Some(json!({"chunks": 3}))));
    assert_eq!(done.progress, Some(Progress { done: 1, total: Some(2), message: None }));
    assert_eq!(done.finished_at, Some(library.clock.now()));
    library.clock.advance(Duration::from_secs(10));
    assert_eq!(tx.queue().lease_jobs(KINDS, 9, LEASE).await.unwrap()[0].job.id, later.id);

    // Waiting for the same thing twice is waiting once; once it runs, a further one may wait.
    let one = tx.jobs(scope).enqueue(job().with_dedupe_key("k")).await.unwrap();
    assert_eq!(tx.jobs(scope).enqueue(job().with_dedupe_key("k")).await.unwrap().id, one.id);
    assert_eq!(tx.queue().lease_jobs(KINDS, 9, LEASE).await.unwrap().len(), 1);
    assert_ne!(tx.jobs(scope).enqueue(job().with_dedupe_key("k")).await.unwrap().id, one.id);
}

async fn failing(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let id = tx.jobs(scope).enqueue(job()).await.unwrap().id;
    // Three attempts, with growing waits between them, then it is dead and says why.
    for (attempt, wait) in [(1, 2), (2, 8)] {
        let leased = tx.queue().lease_jobs(KINDS, 1, LEASE).await.unwrap().remove(0);
        assert_eq!(leased.job.attempt, attempt);
        assert!(tx.queue().record_failure(&leased, &JobError::Retry(format!("reason {attempt}"))).await.unwrap());
        library.clock.advance(Duration::from_millis(wait * 1000 - 1));
        assert!(tx.queue().lease_jobs(KINDS, 1, LEASE).await.unwrap().is_empty(), "it waits {wait} seconds at least");
        library.clock.advance(Duration::from_millis(wait * 250 + 1));
    }
    // Being put off uses up no attempt, however often.
    for _ in 0..5 {
        let leased = tx.queue().lease_jobs(KINDS, 1, LEASE).await.unwrap().remove(0);
        assert_eq!(leased.job.attempt, 3);
        let put_off = JobError::Deferred("429".to_owned(), Duration::from_secs(7));
        assert!(tx.queue().record_failure(&leased, &put_off).await.unwrap());
        library.clock.advance(Duration::from_secs(6));
        assert!(tx.queue().lease_jobs(KINDS, 1, LEASE).await.unwrap().is_empty());
        library.clock.advance(Duration::from_secs(1));
    }
    let leased = tx.queue().lease_jobs(KINDS, 1, LEASE).await.unwrap().remove(0);
    assert!(tx.queue().record_failure(&leased, &JobError::Retry("reason 3".to_owned())).await.unwrap());
    let dead = tx.jobs(scope).get(id).await.unwrap().unwrap();
    assert_eq!((dead.state, dead.last_error.as_deref()), (JobState::Dead, Some("reason 3")));
    library.clock.advance(Duration::from_secs(100_000));
    assert!(tx.queue().lease_jobs(KINDS, 1, LEASE).await.unwrap().is_empty());

    // Started over, it has all its attempts again.
    assert_eq!(tx.jobs(scope).retry(id).await.unwrap().attempt, 0);
    assert_eq!(tx.jobs(scope).retry(id).await.unwrap_err().as_problem().unwrap().code, Code::JobNotDead);
    let leased = tx.queue().lease_jobs(KINDS, 1, LEASE).await.unwrap().remove(0);
    assert!(tx.queue().record_failure(&leased, &JobError::Permanent("never".to_owned())).await.unwrap());
    assert_eq!(tx.jobs(scope).get(id).await.unwrap().unwrap().state, JobState::Dead);

    let other = tx.create_tenant("other").await.unwrap();
    assert_eq!(tx.jobs(&other).retry(id).await.unwrap_err().as_problem().unwrap().code, Code::JobNotFound);
    assert!(tx.jobs(&other).get(id).await.unwrap().is_none());
}

async fn leases(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let id = tx.jobs(scope).enqueue(job()).await.unwrap().id;
    let lost = tx.queue().lease_jobs(KINDS, 1, LEASE).await.unwrap().remove(0);
    library.clock.advance(LEASE / 2);
    assert!(tx.queue().renew_lease(&lost.lease, LEASE).await.unwrap());
    library.clock.advance(LEASE / 2);
    assert!(tx.queue().lease_jobs(KINDS, 1, LEASE).await.unwrap().is_empty(), "its worker lives");
    library.clock.advance(LEASE);
    let found = tx.queue().lease_jobs(KINDS, 1, LEASE).await.unwrap().remove(0);
    assert_eq!((found.job.id, found.job.attempt), (id, 2));

    // The first worker comes back: nothing it says counts.
    assert!(!tx.queue().renew_lease(&lost.lease, LEASE).await.unwrap());
    assert!(!tx.queue().mark_succeeded(&lost.lease, None).await.unwrap());
    assert!(!tx.queue().record_failure(&lost, &JobError::Retry("late".to_owned())).await.unwrap());
    assert!(!tx.queue().give_back(&lost.lease).await.unwrap());

    // Given back at shutdown it uses up no attempt.
    assert!(tx.queue().give_back(&found.lease).await.unwrap());
    assert_eq!(tx.queue().lease_jobs(KINDS, 1, LEASE).await.unwrap()[0].job.attempt, 2);

    // Taken back by a person, the worker finds its lease gone.
    let cancelled = tx.jobs(scope).cancel(id).await.unwrap();
    assert_eq!(cancelled.state, JobState::Cancelled);
    assert_eq!(tx.jobs(scope).cancel(id).await.unwrap_err().as_problem().unwrap().code, Code::JobFinished);

    // A job that loses every worker is buried, not taken for ever.
    let killer = tx.jobs(scope).enqueue(job()).await.unwrap().id;
    for _ in 0..3 {
        assert_eq!(tx.queue().lease_jobs(KINDS, 9, LEASE).await.unwrap()[0].job.id, killer);
        library.clock.advance(LEASE * 2);
    }
    assert!(tx.queue().lease_jobs(KINDS, 9, LEASE).await.unwrap().is_empty());
    let buried = tx.jobs(scope).get(killer).await.unwrap().unwrap();
    assert_eq!(buried.state, JobState::Dead);
    assert!(buried.last_error.unwrap().contains("lost"));
}

async fn events(library: TestLibrary) {
    let scope = &library.scope;
    let mut changed = library.store.jobs_changed();
    let start = library.store.read().await.unwrap().last_job_event(scope).await.unwrap();
    let mut tx = library.store.write().await.unwrap();
    let id = tx.jobs(scope).enqueue(job()).await.unwrap().id;
    assert!(!changed.has_changed().unwrap(), "nobody is told before it is true");
    tx.commit().await.unwrap();
    assert!(changed.has_changed().unwrap());
    changed.mark_unchanged();
    let mut tx = library.store.write().await.unwrap();
    let leased = tx.queue().lease_jobs(KINDS, 1, LEASE).await.unwrap().remove(0);
    tx.queue().mark_succeeded(&leased.lease, None).await.unwrap();
    tx.commit().await.unwrap();

    let read = async |after: JobEventCursor| {
        // On PostgreSQL an event is shown once no older transaction is open, anywhere on the server.
        for _ in 0..200 {
            let mut tx = library.store.read().await.unwrap();
            let events = tx.job_events_after(scope, after, 100).await.unwrap();
            if events.last().is_some_and(|event| event.change == JobChange::Succeeded) {
                return events;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the events did not come");
    };
    let all = read(start).await;
    let changes: Vec<_> = all.iter().map(|event| event.change).collect();
    assert_eq!(changes, [JobChange::Queued, JobChange::Started, JobChange::Succeeded]);
    assert!(all.iter().all(|event| event.job.id == id));
    // From any place on, what follows and nothing else.
    let cursor: JobEventCursor = all[0].cursor.to_string().parse().unwrap();
    assert_eq!(read(cursor).await.len(), 2);

    let mut tx = library.store.write().await.unwrap();
    let other = tx.create_tenant("other").await.unwrap();
    assert!(tx.job_events_after(&other, JobEventCursor::default(), 100).await.unwrap().is_empty());
    library.clock.advance(Duration::from_secs(60));
    assert_eq!(tx.forget_finished_jobs(library.clock.now()).await.unwrap(), 1);
    assert!(tx.job_events_after(scope, JobEventCursor::default(), 100).await.unwrap().is_empty());
}

async fn many_workers(library: TestLibrary) {
    const JOBS: usize = 120;
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    for _ in 0..JOBS {
        tx.jobs(scope).enqueue(job()).await.unwrap();
    }
    tx.commit().await.unwrap();
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let store = library.store.clone();
        workers.spawn(async move {
            let mut done = Vec::new();
            loop {
                let mut tx = store.write().await.unwrap();
                let taken = tx.queue().lease_jobs(KINDS, 3, LEASE).await.unwrap();
                tx.commit().await.unwrap();
                if taken.is_empty() {
                    return done;
                }
                for leased in taken {
                    let mut tx = store.write().await.unwrap();
                    assert!(tx.queue().mark_succeeded(&leased.lease, None).await.unwrap());
                    tx.commit().await.unwrap();
                    done.push(leased.job.id);
                }
            }
        });
    }
    let done: Vec<_> = workers.join_all().await.into_iter().flatten().collect();
    assert_eq!((done.len(), done.iter().collect::<HashSet<_>>().len()), (JOBS, JOBS), "each once");
    let counts = library.store.read().await.unwrap().count_jobs().await.unwrap();
    assert_eq!(counts, [(JobState::Succeeded, JOBS as u64)]);
}

async fn lists(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    for number in 0..7 {
        let kind = if number % 2 == 0 { "test" } else { "other" };
        tx.jobs(scope).enqueue(NewJob { kind, ..job() }).await.unwrap();
    }
    tx.queue().lease_jobs(KINDS, 2, LEASE).await.unwrap();
    for (filter, count) in [
        (JobFilter::default(), 7),
        (JobFilter { state: Some(JobState::Running), kind: None }, 2),
        (JobFilter { state: Some(JobState::Queued), kind: Some("other".to_owned()) }, 3),
    ] {
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page = tx.jobs(scope).list(&filter, Limit::new(2).unwrap(), after.as_ref()).await.unwrap();
            seen.extend(page.items.iter().map(|job| job.id));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(seen.len(), count);
        assert!(seen.is_sorted_by(|one, next| one > next), "newest first");
    }
}
