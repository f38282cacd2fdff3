//! When to try again, and how often.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use tokio::time::{Instant, sleep};

use super::ChatError;

const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// Limits on retrying a failed request.
pub(super) struct RetryPolicy {
    /// Maximum number of retries after the first attempt.
    pub retries: u32,
    /// Longest delay accepted from a provider; there is no retry if it asks for more.
    pub longest: Duration,
    /// Time after which no retry is started.
    pub until: Instant,
}

impl RetryPolicy {
    /// Tries until it succeeds, fails for good, or patience ends; the last error is given back.
    pub async fn run_with_retries<T, F>(&self, mut attempt: impl FnMut() -> F) -> Result<T, ChatError>
    where
        F: Future<Output = Result<T, ChatError>>,
    {
        let mut tried = 0;
        loop {
            let error = match attempt().await {
                Ok(result) => return Ok(result),
                Err(error) => error,
            };
            let wait = backoff_delay(tried, error.retry_after(), random_fraction());
            let asked_too_much = error.retry_after().is_some_and(|asked| asked > self.longest);
            if !error.can_retry() || tried >= self.retries || asked_too_much || Instant::now() + wait >= self.until {
                return Err(error);
            }
            sleep(wait).await;
            tried += 1;
        }
    }
}

/// Returns the delay before the next retry: at least what the provider asked for, else doubled each time. `chance`,
/// from 0 to 1, adds jitter so that clients do not retry together.
fn backoff_delay(tried: u32, asked: Option<Duration>, chance: f64) -> Duration {
    match asked {
        Some(asked) => asked.mul_f64(1.0 + chance / 10.0),
        None => {
            let doubled = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(tried)).min(LONGEST_PAUSE);
            doubled.mul_f64(0.5 + chance / 2.0)
        }
    }
}

fn random_fraction() -> f64 {
    // The standard library's hasher begins anywhere.
    f64::from(RandomState::new().hash_one(()) as u32) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound_and_never_fall_below_what_was_asked() {
        let pauses: Vec<_> = [0, 1, 2, 3, 4, 5, 99].map(|tried| backoff_delay(tried, None, 1.0).as_millis()).to_vec();
        assert_eq!(pauses, [500, 1000, 2000, 4000, 8000, 8000, 8000]);
        assert_eq!(backoff_delay(1, None, 0.0), Duration::from_millis(500));
        let asked = Some(Duration::from_secs(20));
        assert_eq!(backoff_delay(0, asked, 0.0), Duration::from_secs(20));
        assert_eq!(backoff_delay(0, asked, 1.0), Duration::from_secs(22));
        assert_eq!(backoff_delay(0, Some(Duration::ZERO), 1.0), Duration::ZERO);
        assert!((0..100).map(|_| random_fraction()).all(|chance| (0.0..=1.0).contains(&chance)));
        assert!((0..100).any(|_| random_fraction() != random_fraction()));
    }
}
