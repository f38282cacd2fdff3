//! The judge. It has to be installed: `scripts/model.sh` and `scripts/onnxruntime.sh` do that.

use std::{num::NonZero, sync::LazyLock};

use ibid_models::{LocalModelConfig, LocalModelError, LocalPairJudge, PairJudge, PairJudgement};
use proptest::prelude::*;

/// One for all tests: loading is part of the first.
static JUDGE: LazyLock<LocalPairJudge> =
    LazyLock::new(|| LocalPairJudge::new(LocalModelConfig { threads: NonZero::new(2), ..LocalModelConfig::default() }));

const PASSAGE: &str = "The harbour of Selde was built in 1874 by the engineer Marta Lindqvist. Its eastern pier is 412 \
                       metres long.";

async fn judge(pairs: &[(&str, &str)]) -> Vec<PairJudgement> {
    let judged = JUDGE.judge_pairs(pairs).await;
    judged.unwrap_or_else(|error| panic!("{error}\n\nRun scripts/model.sh and scripts/onnxruntime.sh first."))
}

#[tokio::test]
async fn claims_are_told_apart() {
    let claims = [
        "Marta Lindqvist built the harbour of Selde.",
        "The harbour of Selde was never built.",
        "The harbour has a museum of whaling.",
    ];
    let judged = judge(&claims.map(|claim| (claim, PASSAGE))).await;
    let [true_one, false_one, other] = &judged[..] else { panic!("{judged:?}") };
    assert!(true_one.supports > 0.7 && true_one.supports > true_one.contradicts, "{true_one:?}");
    assert!(false_one.supports < 0.5 && other.supports < 0.5, "{false_one:?} {other:?}");
    assert!(false_one.contradicts > true_one.contradicts, "{false_one:?}");
    for one in &judged {
        assert!((0.0..=1.0).contains(&one.supports) && one.supports + one.contradicts <= 1.001, "{one:?}");
    }
}

#[tokio::test]
async fn an_answer_is_found_with_its_words() {
    let judged =
        judge(&[("Who built the harbour of Selde?", PASSAGE), ("How long is the eastern pier?", PASSAGE)]).await;
    assert_eq!(&PASSAGE[judged[0].answer.clone()], "Marta Lindqvist", "{judged:?}");
    assert!(PASSAGE[judged[1].answer.clone()].contains("412"), "{judged:?}");
    let silent = judge(&[("Who wrote the opera about the mayor of Torvik?", PASSAGE)]).await;
    assert!(silent[0].answers < judged[0].answers, "{silent:?} {judged:?}");
}

#[tokio::test]
async fn a_pair_is_judged_the_same_alone_and_among_others() {
    let long = "A long sentence about nothing in particular goes on and on. ".repeat(40);
    let pairs = [("Ships unload here.", PASSAGE), ("Ships unload here.", long.as_str()), ("", ""), ("x", PASSAGE)];
    let together = judge(&pairs).await;
    for (pair, known) in pairs.iter().zip(&together) {
        assert_eq!(&judge(&[*pair]).await[0], known);
    }
    assert_eq!(judge(&[]).await, []);
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let empty = tempfile::tempdir().unwrap();
    let config = LocalModelConfig { models: Some(empty.path().to_owned()), ..LocalModelConfig::default() };
    let judge = LocalPairJudge::new(config);
    assert!(judge.check_installed().is_err());
    let error = judge.judge_pairs(&[("a claim", "a passage")]).await.unwrap_err();
    let LocalModelError::NotInstalled(text) = error else { panic!("{error:?}") };
    assert!(text.contains("install Ibid again") && text.contains("IBID_MODELS"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_pair_has_an_answer_within_the_passage(first in any::<String>(), passage in "\\PC{0,300}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let judged = runtime.block_on(judge(&[(first.as_str(), passage.as_str())]));
        let one = &judged[0];
        prop_assert!(passage.get(one.answer.clone()).is_some(), "{:?}", one.answer);
        prop_assert!(one.supports.is_finite() && one.answers.is_finite());
    }
}
