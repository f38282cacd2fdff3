//! Probabilities and the log odds that weights are summed in.

/// The logarithm of the odds of a share, bounded where it is next to certain.
pub(crate) fn log_odds(share: f32) -> f32 {
    let share = share.clamp(0.001, 0.999);
    (share / (1.0 - share)).ln()
}

/// The probability that log odds stand for.
pub(crate) fn probability(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}
