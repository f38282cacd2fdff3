//! Search: by words and by vectors on PostgreSQL, compared with what a plain computation says; filters, and what
//! belongs to a passage, on both engines.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

use ibid_domain::{
    AsOf, Origin, Revision, RevisionId, SearchFilter, Source, SourceType, Timestamp, Word, WordQuery, search::WordForms,
};
use ibid_store::{EngineKind, Error, Hit, Scope, Tx};
use ibid_testkit::{TestEngine, TestLibrary, on_both, run_story};
use uuid::Uuid;

use crate::{
    keep_artifact, keep_manifest,
    sources::{indexed, revise, source},
    tree,
};

on_both!(filters, dates, earlier_states, passages, looks, only_postgres);

/// Tells stories on PostgreSQL alone: what SQLite's index does is tested with it.
macro_rules! on_postgres {
    ($($story:ident),* $(,)?) => {
        $(mod $story {
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_postgres() {
                super::run_story(super::$story, super::TestEngine::Postgres).await;
            }
        })*
    };
}
on_postgres!(words, phrases, bounded_words, filtered_words, analysis, nearest, upgrade_of_spaces);

/// Chance that is the same in every run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// About normal, around 0.
    fn around(&mut self) -> f32 {
        (0..6).map(|_| self.below(2001) as f32 / 1000.0 - 1.0).sum::<f32>() / 2.0
    }
}

fn analysed(text: &str) -> Vec<Word> {
    let forms = text.split_whitespace().map(str::to_lowercase);
    forms.enumerate().map(|(place, form)| Word { form, place: place as u32 }).collect()
}

fn forms(forms: &[&str]) -> WordForms {
    forms.iter().map(|form| (*form).to_owned()).collect()
}

fn any(words: &str) -> WordQuery {
    WordQuery { any: words.split_whitespace().map(|word| forms(&[word])).collect(), ..WordQuery::default() }
}

/// Analyses everything that is not yet, and gives each passage's words.
async fn analyse(tx: &mut Tx, scope: &Scope) -> BTreeMap<String, Vec<Word>> {
    let mut all = BTreeMap::new();
    loop {
        let waiting = tx.search(scope).list_unindexed(300).await.unwrap();
        if waiting.is_empty() {
            return all;
        }
        let items: Vec<_> = waiting.iter().map(|passage| (passage.chunk, analysed(&passage.content))).collect();
        tx.search(scope).index_words(&items).await.unwrap();
        all.extend(waiting.into_iter().map(|passage| (passage.chunk.to_string(), analysed(&passage.content))));
    }
}

/// BM25 as tantivy computes it, one passage at a time.
fn plain_ranking(passages: &BTreeMap<String, Vec<Word>>, query: &WordQuery) -> HashMap<String, f64> {
    let all = passages.len() as f64;
    let mean = passages.values().map(Vec::len).sum::<usize>() as f64 / all;
    let stands = |words: &[Word], phrase: &[WordForms]| {
        words.iter().any(|start| {
            phrase.iter().enumerate().all(|(step, forms)| {
                words.iter().any(|word| word.place == start.place + step as u32 && forms.contains(&word.form))
            })
        })
    };
    let often = |words: &[Word], form: &str| words.iter().filter(|word| word.form == form).count() as f64;
    let mut idf: HashMap<&str, f64> = HashMap::new();
    let words: Vec<_> = query.any.iter().chain(query.phrases.iter().flatten()).collect();
    for form in words.iter().copied().flatten() {
        let count = passages.values().filter(|words| often(words, form) > 0.0).count() as f64;
        idf.insert(form, (1.0 + (all - count + 0.5) / (count + 0.5)).ln());
    }
    let mut scores = HashMap::new();
    for (id, passage) in passages {
        let good = query.phrases.iter().all(|phrase| stands(passage, phrase));
        if !good || query.without.iter().any(|phrase| stands(passage, phrase)) {
            continue;
        }
        // Lengths of these tests lie below 64, where the table of tantivy is this.
        let length = match passage.len() {
            length @ ..=40 => length,
            length @ 41..=55 => length / 2 * 2,
            length => length / 4 * 4,
        };
        let k = 1.2 * (0.25 + 0.75 * length as f64 / mean);
        let form = |form: &String| idf[form.as_str()] * 2.2 * often(passage, form) / (often(passage, form) + k);
        let score: f64 = words.iter().map(|forms| forms.iter().map(form).fold(0.0, f64::max)).sum();
        if score > 0.0 {
            scores.insert(id.clone(), score);
        }
    }
    scores
}

/// The same scores, and the best of them in order.
fn agree(hits: &[Hit], scores: &HashMap<String, f64>, count: usize) {
    let mut best: Vec<f64> = scores.values().copied().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    best.truncate(count);
    assert_eq!(hits.len(), best.len());
    assert_eq!(hits.iter().map(|hit| hit.chunk).collect::<BTreeSet<_>>().len(), hits.len(), "each once");
    for (hit, best) in hits.iter().zip(best) {
        assert!((f64::from(hit.score) - best).abs() < 1e-4, "{} is not {best}", hit.score);
        assert!((scores[&hit.chunk.to_string()] - best).abs() < 1e-4);
    }
}

/// Texts of words of which w0 is in most and w300 in few.
fn texts(count: usize, chance: &mut Chance) -> Vec<String> {
    let word = |chance: &mut Chance| {
        let at = chance.below(1000) * chance.below(1000) * chance.below(1000) / 3_300_000;
        format!("w{at}")
    };
    (0..count).map(|_| (0..5 + chance.below(50)).map(|_| word(chance)).collect::<Vec<_>>().join(" ")).collect()
}

async fn keep(tx: &mut Tx, scope: &Scope, source: Source, content: &str, texts: &[String]) -> (Source, Revision) {
    let texts: Vec<_> = texts.iter().map(String::as_str).collect();
    indexed(tx, scope, source, content, &texts).await
}

async fn words(library: TestLibrary) {
    let scope = &library.scope;
    let mut chance = Chance(1);
    let mut tx = library.store.write().await.unwrap();
    for (number, part) in texts(1200, &mut chance).chunks(60).enumerate() {
        keep(&mut tx, scope, source(&library, "S"), &format!("content {number}"), part).await;
    }
    // Often in one passage, and beside signs that a query could stumble over.
    let often = format!("{} o'neil back\\slash :* & | ! <-> (x)", "often ".repeat(40));
    keep(&mut tx, scope, source(&library, "S"), "signs", &[often]).await;
    let other = tx.create_tenant("other").await.unwrap();
    let passages = analyse(&mut tx, scope).await;
    assert_eq!(passages.len(), 1201);
    let plain = SearchFilter::default();
    for query in
        ["w0", "w0 w1 w7", "w250 w3", "w299", "often w0", "o'neil", "back\\slash w1", "<-> ! & :* (x)", "w0 w0 w5"]
    {
        let query = any(query);
        let hits = tx.search(scope).find_by_words(&query, &plain, 30).await.unwrap();
        agree(&hits, &plain_ranking(&passages, &query), 30);
    }
    let eight = any("w0 w1 w2 w20 w40 w80 w160 w240");
    agree(
        &tx.search(scope).find_by_words(&eight, &plain, 2000).await.unwrap(),
        &plain_ranking(&passages, &eight),
        2000,
    );
    // A word counts once, by its best form.
    let two = WordQuery { any: vec![forms(&["w1", "w40", "w999"]), forms(&["w3"])], ..WordQuery::default() };
    agree(&tx.search(scope).find_by_words(&two, &plain, 50).await.unwrap(), &plain_ranking(&passages, &two), 50);

    assert_eq!(tx.search(scope).find_by_words(&any("nowhere"), &plain, 10).await.unwrap(), []);
    assert_eq!(tx.search(scope).find_by_words(&WordQuery::default(), &plain, 10).await.unwrap(), []);
    assert_eq!(tx.search(scope).find_by_words(&any("w0"), &plain, 0).await.unwrap(), []);
    let odd = WordQuery { any: vec![forms(&["", "a\0b"]), vec![], vec!["x".repeat(5000)]], ..WordQuery::default() };
    assert_eq!(tx.search(scope).find_by_words(&odd, &plain, 10).await.unwrap(), []);
    let long = any(&(0..3000).map(|number| format!("w{number} ")).collect::<String>());
    assert_eq!(
        tx.search(scope).find_by_words(&long, &plain, 10).await.unwrap().len(),
        10,
        "a long query is answered, too"
    );
    assert_eq!(tx.search(&other).find_by_words(&any("w0"), &plain, 10).await.unwrap(), [], "nothing across tenants");
    assert_eq!(tx.search(&other).list_unindexed(10).await.unwrap(), []);
}

async fn phrases(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let texts =
        ["the quick brown fox", "the brown quick fox", "a quick red fox ran", "brown foxes", "quick brown quick brown"];
    indexed(&mut tx, scope, source(&library, "S"), "one", &texts).await;
    let passages = analyse(&mut tx, scope).await;
    let phrase = |words: &[&[&str]]| words.iter().map(|word| forms(word)).collect::<Vec<_>>();
    for (query, expected) in [
        (WordQuery { phrases: vec![phrase(&[&["quick"], &["brown"]])], ..WordQuery::default() }, 2),
        (WordQuery { phrases: vec![phrase(&[&["quick"], &["brown", "red"], &["fox"]])], ..WordQuery::default() }, 2),
        (WordQuery { phrases: vec![phrase(&[&["fox", "foxes"]]), phrase(&[&["brown"]])], ..any("quick") }, 3),
        (
            WordQuery {
                without: vec![phrase(&[&["quick"], &["brown"]]), phrase(&[&["ran"]])],
                ..any("fox quick brown")
            },
            2,
        ),
        (WordQuery { phrases: vec![phrase(&[&["brown"], &["nowhere"]])], ..any("fox") }, 0),
        (WordQuery { phrases: vec![phrase(&[&["brown"], &[""]])], ..any("fox") }, 0),
        (WordQuery { without: vec![phrase(&[&[""]])], ..any("fox") }, 3),
    ] {
        let hits = tx.search(scope).find_by_words(&query, &SearchFilter::default(), 10).await.unwrap();
        assert_eq!(hits.len(), expected, "{query:?}");
        if expected > 0 && query.without != [phrase(&[&[""]])] {
            agree(&hits, &plain_ranking(&passages, &query), 10);
        }
    }
}

/// More passages than are counted or ranked: what PostgreSQL knows of words is used, and the best are still the best.
async fn bounded_words(library: TestLibrary) {
    let scope = &library.scope;
    let mut chance = Chance(2);
    let mut tx = library.store.write().await.unwrap();
    for (number, part) in texts(12_000, &mut chance).chunks(400).enumerate() {
        keep(&mut tx, scope, source(&library, "S"), &format!("content {number}"), part).await;
    }
    let passages = analyse(&mut tx, scope).await;
    tx.commit().await.unwrap();
    library.place.run_raw_sql("ANALYZE chunk_words").await;
    let mut tx = library.store.read().await.unwrap();
    let plain = SearchFilter::default();
    for query in ["w0 w1 w2 w20 w40 w80 w160 w240", "w0", "w300 w0", "w0 w1 w2 w3 w4", "w280 w290 w299 w0"] {
        let query = any(query);
        let hits = tx.search(scope).find_by_words(&query, &plain, 50).await.unwrap();
        let scores = plain_ranking(&passages, &query);
        let mut best: Vec<f64> = scores.values().copied().collect();
        best.sort_by(|a, b| b.total_cmp(a));
        assert_eq!(hits.len(), 50);
        for (hit, best) in hits.iter().zip(best) {
            assert!((f64::from(hit.score) - best).abs() < 0.02 * best, "{} is not {best}", hit.score);
            assert!((scores[&hit.chunk.to_string()] - best).abs() < 0.02 * best);
        }
    }
    assert_eq!(tx.search(scope).count_passages(&plain).await.unwrap(), 12_000);
}

async fn filtered_words(library: TestLibrary) {
    let scope = &library.scope;
    let mut chance = Chance(3);
    let mut tx = library.store.write().await.unwrap();
    let (mut tagged, texts) = (source(&library, "Tagged"), texts(400, &mut chance));
    tagged.tags = vec!["one".to_owned(), "two".to_owned()];
    let (tagged, _) = keep(&mut tx, scope, tagged, "tagged", &texts[..40]).await;
    keep(&mut tx, scope, source(&library, "Other"), "other", &texts[40..]).await;
    let passages = analyse(&mut tx, scope).await;
    let filter = SearchFilter { tags: vec!["two".to_owned(), "one".to_owned()], ..SearchFilter::default() };
    let hits = tx.search(scope).find_by_words(&any("w0 w9"), &filter, 1000).await.unwrap();
    let seqs: Vec<_> = hits.iter().map(|hit| hit.seq).collect();
    let found = tx.search(scope).fetch_passages(&seqs).await.unwrap();
    assert!(found.iter().all(|(_, one)| one.0.source == tagged.id && one.1 == tagged));
    // Ranked as in the whole library, and none is missing.
    let all = plain_ranking(&passages, &any("w0 w9"));
    let mut expected = 0;
    for text in &texts[..40] {
        expected += usize::from(text.split(' ').any(|word| word == "w0" || word == "w9"));
    }
    assert_eq!((hits.len(), found.len()), (expected, expected));
    assert!(hits.iter().all(|hit| (all[&hit.chunk.to_string()] - f64::from(hit.score)).abs() < 1e-4));
    assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
    let mut search = tx.search(scope);
    assert_eq!(
        (search.count_passages(&filter).await.unwrap(), search.count_passages(&SearchFilter::default()).await.unwrap()),
        (40, 400)
    );
}

async fn analysis(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let (first, revision) = indexed(&mut tx, scope, source(&library, "A title"), "one", &["alpha", "beta"]).await;
    indexed(&mut tx, scope, source(&library, "Another"), "two", &["alpha alpha"]).await;
    let waiting = tx.search(scope).list_unindexed(10).await.unwrap();
    assert_eq!(waiting.len(), 3);
    let one = &waiting[0];
    assert_eq!((one.content.as_str(), one.title.as_deref(), one.language.as_deref()), ("alpha", Some("A title"), None));
    assert_eq!((one.source, one.revision, one.place.page), (first.id, revision.id, Some(4)));
    let plain = SearchFilter::default();
    assert_eq!(
        tx.search(scope).find_by_words(&any("alpha"), &plain, 9).await.unwrap(),
        [],
        "not found before it is analysed"
    );
    let mut items: Vec<_> = waiting.iter().map(|passage| (passage.chunk, analysed(&passage.content))).collect();
    items.push((ibid_domain::ChunkId::new(), analysed("alpha")));
    items[1].1.clear(); // a passage without words is analysed, too
    tx.search(scope).index_words(&items).await.unwrap();
    assert_eq!(tx.search(scope).find_by_words(&any("alpha"), &plain, 9).await.unwrap().len(), 2);
    assert_eq!(tx.search(scope).find_by_words(&any("beta"), &plain, 9).await.unwrap().len(), 0);
    tx.search(scope).forget_words(first.id).await.unwrap();
    assert_eq!(tx.search(scope).list_unindexed(10).await.unwrap().len(), 2);
    assert_eq!(tx.search(scope).find_by_words(&any("alpha"), &plain, 9).await.unwrap().len(), 1);
    tx.sources(scope).remove(first.id).await.unwrap();
    assert_eq!(tx.search(scope).list_unindexed(10).await.unwrap(), []);
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a).sqrt() * dot(b, b).sqrt())
}

async fn nearest(library: TestLibrary) {
    const DIMENSION: usize = 64;
    let scope = &library.scope;
    let mut chance = Chance(4);
    let mut tx = library.store.write().await.unwrap();
    let space = tx.embedding_space("local", "model", DIMENSION as u64).await.unwrap();
    let centres: Vec<Vec<f32>> = (0..40).map(|_| (0..DIMENSION).map(|_| chance.around()).collect()).collect();
    let near = |chance: &mut Chance| {
        let centre = &centres[chance.below(40) as usize];
        centre.iter().map(|number| number + 0.6 * chance.around()).collect::<Vec<_>>()
    };
    let mut vectors = HashMap::new();
    let mut tagged = BTreeSet::new();
    for number in 0..100 {
        let mut source = source(&library, "S");
        source.tags = if number == 7 { vec!["rare".to_owned()] } else { vec![] };
        let texts: Vec<_> = (0..50).map(|place| format!("passage {place}")).collect();
        let (_, revision) = keep(&mut tx, scope, source, &format!("content {number}"), &texts).await;
        let missing = tx.vectors(scope).chunks_without_vector(space.id, revision.id, 100).await.unwrap();
        let made: Vec<_> = missing.into_iter().map(|(id, _)| (id, near(&mut chance))).collect();
        tx.vectors(scope).insert_vectors(space.id, &made).await.unwrap();
        if number == 7 {
            tagged.extend(made.iter().map(|(id, _)| *id));
        }
        vectors.extend(made);
    }
    tx.commit().await.unwrap();
    library.place.run_raw_sql("ANALYZE").await;
    let mut tx = library.store.read().await.unwrap();
    let rare = SearchFilter { tags: vec!["rare".to_owned()], ..SearchFilter::default() };
    for filter in [SearchFilter::default(), rare] {
        let mut found = 0;
        for _ in 0..40 {
            let query = near(&mut chance);
            let mut all: Vec<_> = vectors
                .iter()
                .filter(|(id, _)| filter.tags.is_empty() || tagged.contains(id))
                .map(|(id, vector)| (cosine(&query, vector), *id))
                .collect();
            all.sort_by(|a, b| b.0.total_cmp(&a.0));
            let hits = tx.search(scope).find_by_vector(space.id, DIMENSION as u64, &query, &filter, 10).await.unwrap();
            assert_eq!(hits.len(), 10);
            assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
            for hit in &hits {
                assert!((hit.score - cosine(&query, &vectors[&hit.chunk])).abs() < 1e-4, "a score is the cosine");
                found += usize::from(all[..10].iter().any(|(_, id)| *id == hit.chunk));
            }
        }
        assert!(found as f64 >= 0.98 * 400.0, "{found} of 400 with {filter:?}");
    }
    let wrong = tx.search(scope).find_by_vector(space.id, DIMENSION as u64, &[1.0], &SearchFilter::default(), 10).await;
    assert!(matches!(wrong, Err(Error::Problem(_))));
}

async fn upgrade_of_spaces(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let (_, revision) = indexed(&mut tx, scope, source(&library, "S"), "one", &["a", "b"]).await;
    tx.embedding_space("local", "old", 2).await.unwrap();
    // Longer than an index takes: compared one by one.
    let long = tx.embedding_space("remote", "long", 4001).await.unwrap();
    let missing = tx.vectors(scope).chunks_without_vector(long.id, revision.id, 10).await.unwrap();
    let mut vector = vec![0.0; 4001];
    vector[0] = 1.0;
    tx.vectors(scope)
        .insert_vectors(long.id, &[(missing[0].0, vector.clone()), (missing[1].0, vec![0.0; 4001])])
        .await
        .unwrap();
    tx.use_embedding_space(long.id).await.unwrap();
    let hits = tx.search(scope).find_by_vector(long.id, 4001, &vector, &SearchFilter::default(), 10).await.unwrap();
    assert_eq!(hits.iter().map(|hit| (hit.chunk, hit.score)).collect::<Vec<_>>(), [(missing[0].0, 1.0)]);
    tx.commit().await.unwrap();
}

/// The titles of what a filter lets through.
async fn through(library: &TestLibrary, filter: SearchFilter) -> Vec<String> {
    let mut tx = library.store.read().await.unwrap();
    let revisions = tx.search(&library.scope).list_revisions(&filter).await.unwrap();
    let size = tx.search(&library.scope).count_passages(&filter).await.unwrap();
    assert_eq!(size, revisions.len() as u64, "each has one passage");
    let kept = tx.revisions(&library.scope).get_many(&revisions).await.unwrap();
    let mut titles = Vec::new();
    for revision in kept.values() {
        let source = tx.sources(&library.scope).get(revision.source).await.unwrap().unwrap();
        titles.push(format!("{}{}", source.display_title(), if revision.number > 1 { " again" } else { "" }));
    }
    titles.sort();
    titles
}

async fn filters(library: TestLibrary) {
    let scope = &library.scope;
    let (document, project) = (Uuid::now_v7(), Uuid::now_v7());
    let mut tx = library.store.write().await.unwrap();
    let mut web = source(&library, "Web");
    (web.kind, web.origin, web.document_id) = (SourceType::WebPage, Origin::Web, Some(document));
    web.tags = vec!["a".to_owned(), "b \"quoted\"".to_owned()];
    let (web, read) = indexed(&mut tx, scope, web, "web", &["x"]).await;
    let mut memory = source(&library, "Memory");
    (memory.origin, memory.project_id) = (Origin::Memory, Some(project));
    memory.tags = vec!["a".to_owned()];
    let (memory, _) = indexed(&mut tx, scope, memory, "memory", &["x"]).await;
    let (file, _) = indexed(&mut tx, scope, source(&library, "File"), "file", &["x"]).await;
    tx.sources(scope).add(&source(&library, "Not read"), None, None).await.unwrap();
    let other = tx.create_tenant("other").await.unwrap();
    assert_eq!(tx.search(&other).list_revisions(&SearchFilter::default()).await.unwrap(), []);
    tx.commit().await.unwrap();
    let id = read.id.uuid();
    let id =
        if library.store.engine() == EngineKind::Sqlite { format!("x'{}'", id.simple()) } else { format!("'{id}'") };
    library.place.run_raw_sql(&format!("UPDATE revisions SET language = 'pt_BR' WHERE id = {id}")).await;

    let base = SearchFilter { memories: true, ..SearchFilter::default() };
    let text = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    for (filter, expected) in [
        (SearchFilter::default(), vec!["File", "Web"]),
        (base.clone(), vec!["File", "Memory", "Web"]),
        (SearchFilter { kinds: vec![SourceType::WebPage, SourceType::Website], ..base.clone() }, vec!["Web"]),
        (SearchFilter { origins: vec![Origin::Web, Origin::BlobStorage], ..base.clone() }, vec!["File", "Web"]),
        (SearchFilter { origins: vec![Origin::Memory], ..SearchFilter::default() }, vec!["Memory"]),
        (SearchFilter { sources: vec![file.id, memory.id], ..SearchFilter::default() }, vec!["File"]),
        (SearchFilter { document_id: Some(document), ..base.clone() }, vec!["Web"]),
        (SearchFilter { project_id: Some(project), ..base.clone() }, vec!["Memory"]),
        (SearchFilter { project_id: Some(document), ..base.clone() }, vec![]),
        (SearchFilter { tags: text(&["a"]), ..base.clone() }, vec!["Memory", "Web"]),
        (SearchFilter { tags: text(&["b \"quoted\"", "a"]), ..base.clone() }, vec!["Web"]),
        (SearchFilter { tags: text(&["a", "c"]), ..base.clone() }, vec![]),
        (SearchFilter { languages: text(&["de", "pt"]), ..base.clone() }, vec!["Web"]),
        (SearchFilter { languages: text(&["p"]), ..base.clone() }, vec![]),
        (
            SearchFilter { kinds: vec![web.kind], tags: text(&["a"]), document_id: Some(project), ..base.clone() },
            vec![],
        ),
    ] {
        assert_eq!(through(&library, filter.clone()).await, expected, "{filter:?}");
    }
}

async fn dates(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    for date in ["2024", "2024-05", "2024-05-02", "0050"] {
        let mut source = source(&library, date);
        source.reference.publication_date = Some(date.parse().unwrap());
        indexed(&mut tx, scope, source, date, &["x"]).await;
    }
    indexed(&mut tx, scope, source(&library, "now"), "now", &["x"]).await;
    tx.commit().await.unwrap();
    let at = |text: &str| Some(Timestamp::parse_rfc3339(text).unwrap());
    let now = library.clock.now();
    for (from, to, expected) in [
        (at("2024-01-01T00:00:00Z"), at("2024-01-01T00:00:00.000001Z"), vec!["2024"]),
        (at("2024-01-01T00:00:00.000001Z"), at("2025-01-01T00:00:00Z"), vec!["2024-05", "2024-05-02"]),
        (None, at("2024-05-01T00:00:00Z"), vec!["0050", "2024"]),
        (at("2024-05-01T02:00:00+02:00"), at("2024-05-02T00:00:00Z"), vec!["2024-05"]),
        (Some(now), None, vec!["now"]),
        (Some(now.later_by(Duration::from_micros(1))), None, vec![]),
    ] {
        let filter = SearchFilter { from, to, ..SearchFilter::default() };
        assert_eq!(through(&library, filter.clone()).await, expected, "{filter:?}");
    }
}

async fn earlier_states(library: TestLibrary) {
    let scope = &library.scope;
    let start = library.clock.now();
    let later = || library.clock.advance(Duration::from_secs(60));
    let mut tx = library.store.write().await.unwrap();
    let (mut first, old) = indexed(&mut tx, scope, source(&library, "First"), "one", &["x"]).await;
    later();
    indexed(&mut tx, scope, source(&library, "Second"), "two", &["x"]).await;
    later();
    let new = revise(&mut tx, scope, &first, "three", &["x"]).await;
    first.revision = Some(new.id);
    tx.sources(scope).save(&mut first, None).await.unwrap();
    let (one, two) = (keep_artifact(&mut tx, scope, "one").await, keep_artifact(&mut tx, scope, "two as text").await);
    let three = keep_artifact(&mut tx, scope, "three").await;
    let both = keep_manifest(&mut tx, scope, &tree(&[("a", &one), ("b/c", &two)]), None).await.sha256;
    let newest = keep_manifest(&mut tx, scope, &tree(&[("a", &one), ("b", &three)]), None).await.sha256;
    let apart = keep_artifact(&mut tx, scope, "apart").await;
    let own = keep_manifest(&mut tx, scope, &tree(&[("x", &apart)]), None).await.sha256;
    tx.commit().await.unwrap();
    let hex = own.to_string();
    let (own_bytes, id) = match library.store.engine() {
        EngineKind::Sqlite => (format!("x'{hex}'"), format!("x'{}'", old.id.uuid().simple())),
        EngineKind::Postgres => (format!("'\\x{hex}'"), format!("'{}'", old.id.uuid())),
    };
    library.place.run_raw_sql(&format!("UPDATE revisions SET manifest_sha256 = {own_bytes} WHERE id = {id}")).await;

    let time = |seconds| AsOf::Time(start.later_by(Duration::from_secs(seconds)));
    for (as_of, expected) in [
        (None, vec!["First again", "Second"]),
        (Some(AsOf::Time(start.earlier_by(Duration::from_secs(1)))), vec![]),
        (Some(time(0)), vec!["First"]),
        (Some(time(61)), vec!["First", "Second"]),
        (Some(time(120)), vec!["First again", "Second"]),
        (Some(AsOf::Manifest(both)), vec!["First", "Second"]),
        (Some(AsOf::Manifest(newest)), vec!["First again"]),
        (Some(AsOf::Manifest(own)), vec!["First"]),
        (Some(AsOf::Manifest(ibid_domain::Sha256::of_bytes(b"none"))), vec![]),
    ] {
        let filter = SearchFilter { as_of, ..SearchFilter::default() };
        assert_eq!(through(&library, filter).await, expected, "{as_of:?}");
    }
    if library.store.engine() == EngineKind::Postgres {
        let mut tx = library.store.write().await.unwrap();
        analyse(&mut tx, scope).await;
        let filter = SearchFilter { as_of: Some(time(61)), ..SearchFilter::default() };
        assert_eq!(tx.search(scope).find_by_words(&any("x"), &filter, 10).await.unwrap().len(), 2);
        let chunk = tx.search(scope).neighbor_chunks(&[(old.id, 1)]).await.unwrap().remove(0).id;
        let hits = tx.search(scope).find_by_words(&any("x"), &filter, 10).await.unwrap();
        assert!(hits.iter().any(|hit| hit.chunk == chunk), "what it said then");
        let hits = tx.search(scope).find_by_words(&any("x"), &SearchFilter::default(), 10).await.unwrap();
        assert!(hits.len() == 2 && hits.iter().all(|hit| hit.chunk != chunk), "what it says now");
    }
}

async fn passages(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let mut full = source(&library, "Full");
    full.tags = vec!["tag".to_owned()];
    full.url = Some("https://example.org/".to_owned());
    full.run_id = Some(Uuid::now_v7());
    let (first, one) = indexed(&mut tx, scope, full, "one", &["a", "b", "c", "d"]).await;
    let (second, two) = indexed(&mut tx, scope, source(&library, "Other"), "two", &["e", "f"]).await;
    let other = tx.create_tenant("other").await.unwrap();
    // Numbers of passages begin with 1 on both engines.
    let found = tx.search(scope).fetch_passages(&[6, 2, 99, 2]).await.unwrap();
    assert_eq!(found.iter().map(|(seq, one)| (*seq, one.0.content.as_str())).collect::<Vec<_>>(), [(6, "f"), (2, "b")]);
    let (chunk, source, revision) = &*found[1].1;
    let (kept_source, kept_revision) = (
        tx.sources(scope).get(first.id).await.unwrap().unwrap(),
        tx.revisions(scope).get(one.id).await.unwrap().unwrap(),
    );
    assert_eq!((source, revision), (&kept_source, &kept_revision));
    let mut kept = tx.revisions(scope).list_chunks(one.id, ibid_domain::Limit::default(), None).await.unwrap().items;
    kept[1].embedded = true;
    assert_eq!(*chunk, kept[1]);
    assert_eq!(found[0].1.1.id, second.id);
    assert_eq!(tx.search(scope).fetch_passages(&[]).await.unwrap(), []);
    assert_eq!(tx.search(&other).fetch_passages(&[1, 2]).await.unwrap(), []);

    let contents = |chunks: Vec<ibid_store::Chunk>| chunks.into_iter().map(|chunk| chunk.content).collect::<Vec<_>>();
    let around = tx.search(scope).neighbor_chunks(&[(two.id, 0), (one.id, 0), (one.id, 2), (one.id, 3)]).await.unwrap();
    let mut around = contents(around);
    around.sort();
    assert_eq!(around, ["b", "c", "d", "f"]);
    assert_eq!(contents(tx.search(scope).neighbor_chunks(&[(one.id, 1)]).await.unwrap()), ["a", "c"]);
    assert_eq!(tx.search(scope).neighbor_chunks(&[(RevisionId::new(), 1)]).await.unwrap(), []);
    assert_eq!(tx.search(scope).neighbor_chunks(&[]).await.unwrap(), []);
    assert_eq!(tx.search(&other).neighbor_chunks(&[(one.id, 1)]).await.unwrap(), []);
}

/// What is read again is what stands there now, however often it was read before.
async fn looks(library: TestLibrary) {
    let scope = &library.scope;
    let mut tx = library.store.write().await.unwrap();
    let (mut first, _) = indexed(&mut tx, scope, source(&library, "Before"), "one", &["a", "b"]).await;
    let (second, _) = indexed(&mut tx, scope, source(&library, "Other"), "two", &["c"]).await;
    let other = tx.create_tenant("other").await.unwrap();
    tx.commit().await.unwrap();
    let read = async |seqs: &[i64]| {
        let found = library.store.read_inline().await.unwrap().search(scope).fetch_passages(seqs).await.unwrap();
        found
            .iter()
            .map(|(seq, one)| (*seq, one.0.content.clone(), one.1.display_title().to_owned()))
            .collect::<Vec<_>>()
    };
    let told = |all: &[(i64, &str, &str)]| {
        all.iter().map(|(seq, content, title)| (*seq, content.to_string(), title.to_string())).collect::<Vec<_>>()
    };
    for _ in 0..3 {
        assert_eq!(read(&[3, 1]).await, told(&[(3, "c", "Other"), (1, "a", "Before")]));
    }
    assert_eq!(library.store.read_inline().await.unwrap().search(&other).fetch_passages(&[1, 3]).await.unwrap(), []);
    first =
        Source { reference: ibid_domain::Reference { title: Some("After".to_owned()), ..first.reference }, ..first };
    let mut tx = library.store.write().await.unwrap();
    tx.sources(scope).save(&mut first, None).await.unwrap();
    assert_eq!(read(&[1]).await, told(&[(1, "a", "Before")]), "not before it is kept");
    tx.commit().await.unwrap();
    assert_eq!(read(&[2, 1]).await, told(&[(2, "b", "After"), (1, "a", "After")]));
    let mut tx = library.store.write().await.unwrap();
    assert!(tx.sources(scope).remove(second.id).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(read(&[3, 2]).await, told(&[(2, "b", "After")]));
    if library.store.engine() == EngineKind::Sqlite {
        let mut tx = library.store.read_inline().await.unwrap();
        assert!(tx.sources(scope).remove(first.id).await.is_err(), "who only looks changes nothing");
    }
}

async fn only_postgres(library: TestLibrary) {
    let mut tx = library.store.write().await.unwrap();
    let found = tx.search(&library.scope).find_by_words(&any("x"), &SearchFilter::default(), 10).await;
    match library.store.engine() {
        EngineKind::Sqlite => assert!(matches!(found, Err(Error::Config(_)))),
        EngineKind::Postgres => assert_eq!(found.unwrap(), []),
    }
}
