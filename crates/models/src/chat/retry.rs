//! When to try again, and how often.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use tokio::time::{Instant, sleep};

use super::ChatError;

const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// How long to go on trying.
pub(super) struct Patience {
    /// How often to try again.
    pub retries: u32,
    /// How long a provider may ask us to wait. Who asks for more is not waited for.
    pub longest: Duration,
    /// When it is over.
    pub until: Instant,
}

impl Patience {
    /// Tries until it succeeds, fails for good, or patience ends; the last error is given back.
    pub async fn apply<T, F>(&self, mut attempt: impl FnMut() -> F) -> Result<T, ChatError>
    where
        F: Future<Output = Result<T, ChatError>>,
    {
        let mut tried = 0;
        loop {
            let error = match attempt().await {
                Ok(result) => return Ok(result),
                Err(error) => error,
            };
            let wait = pause(tried, error.retry_after(), chance());
            let asked_too_much = error.retry_after().is_some_and(|asked| asked > self.longest);
            if !error.can_retry() || tried >= self.retries || asked_too_much || Instant::now() + wait >= self.until {
                return Err(error);
            }
            sleep(wait).await;
            tried += 1;
        }
    }
}

/// How long to wait after so many retries. What the provider asks for is the least; without it pauses double. By chance,
/// which lies between zero and one, those who failed together do not come again together.
fn pause(tried: u32, asked: Option<Duration>, chance: f64) -> Duration {
    match asked {
        Some(asked) => asked.mul_f64(1.0 + chance / 10.0),
        None => {
            let doubled = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(tried)).min(LONGEST_PAUSE);
            doubled.mul_f64(0.5 + chance / 2.0)
        }
    }
}

fn chance() -> f64 {
    // The standard library's hasher begins anywhere.
    f64::from(RandomState::new().hash_one(()) as u32) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound_and_never_fall_below_what_was_asked() {
        let pauses: Vec<_> = [0, 1, 2, 3, 4, 5, 99].map(|tried| pause(tried, None, 1.0).as_millis()).to_vec();
        assert_eq!(pauses, [500, 1000, 2000, 4000, 8000, 8000, 8000]);
        assert_eq!(pause(1, None, 0.0), Duration::from_millis(500));
        let asked = Some(Duration::from_secs(20));
        assert_eq!(pause(0, asked, 0.0), Duration::from_secs(20));
        assert_eq!(pause(0, asked, 1.0), Duration::from_secs(22));
        assert_eq!(pause(0, Some(Duration::ZERO), 1.0), Duration::ZERO);
        assert!((0..100).map(|_| chance()).all(|chance| (0.0..=1.0).contains(&chance)));
        assert!((0..100).any(|_| chance() != chance()));
    }
}
