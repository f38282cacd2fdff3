//! Which of those that are known one is that was found.

use ibid_domain::Sameness;

use super::person::Part;
use super::prepared::look;
use super::signs::Sign;
use super::{Judgement, Prepared, Profile};

/// More doubtful ones than this are not told.
const MOST_DOUBTS: usize = 5;

/// One that is this much less likely is no rival.
const AHEAD: f64 = 0.1;

/// What becomes of one that was found, given those that are known already and may be the same.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution {
    /// It is this one of the candidates.
    Known(usize, Judgement),
    /// It is a new one, and may be the same as these candidates.
    New(Vec<(usize, Judgement)>),
}

impl Default for Resolution {
    fn default() -> Self {
        Self::New(Vec::new())
    }
}

/// Which of the candidates it is. `candidates` are all that share a key with it.
pub fn resolve(found: &Profile, candidates: &[Profile]) -> Resolution {
    let candidates: Vec<Prepared> = candidates.iter().map(Prepared::new).collect();
    resolve_prepared(&Prepared::new(found), &candidates.iter().collect::<Vec<_>>())
}

/// Which of the candidates it is, all of them read already.
pub fn resolve_prepared(found: &Prepared, candidates: &[&Prepared]) -> Resolution {
    let judged = candidates.iter().enumerate().map(|(at, candidate)| (at, found.compare(candidate)));
    let mut judged: Vec<_> = judged.filter(|(_, judgement)| judgement.decision != Sameness::Different).collect();
    judged.sort_by(|(i, one), (j, other)| other.confidence.total_cmp(&one.confidence).then(i.cmp(j)));
    let Some((best, first)) = judged.first().cloned() else { return Resolution::default() };
    let rivals = || rivals(best, &judged, candidates);
    match first.decision {
        Sameness::Same if same_email(found, candidates.get(best)) => return Resolution::Known(best, first),
        Sameness::Same => match rivals().filter(|(_, rival)| rival.confidence > first.confidence - AHEAD).count() {
            0 => return Resolution::Known(best, first),
            others => match unresolved(found, &judged, candidates) {
                // It is as open who that one is, and it waits for the same answer.
                Some(waiting) => return waiting,
                None => doubt(&mut judged, others),
            },
        },
        Sameness::Uncertain if is_short_of(found, candidates.get(best)) => match rivals().count() {
            0 => {
                let reason = format!("{}, and nobody else that is known fits", first.reason);
                let confidence = first.confidence.max(super::rules::SAME);
                return Resolution::Known(best, Judgement { decision: Sameness::Same, confidence, reason });
            }
            others => doubt(&mut judged, others),
        },
        _ => {}
    }
    judged.truncate(MOST_DOUBTS);
    Resolution::New(judged)
}

/// The others that it may be and that are not the best one under another name.
fn rivals<'judged>(
    best: usize,
    judged: &'judged [(usize, Judgement)],
    candidates: &'judged [&'judged Prepared],
) -> impl Iterator<Item = &'judged (usize, Judgement)> {
    judged.iter().skip(1).take(MOST_DOUBTS * 4).filter(move |(at, _)| {
        match (candidates.get(best), candidates.get(*at)) {
            (Some(one), Some(other)) => one.compare(other).decision == Sameness::Different,
            _ => false,
        }
    })
}

/// The candidate of the very same name of which nothing is known either, if there is one: a name that fits two who are
/// known is one open question, however often it is met.
fn unresolved(found: &Prepared, judged: &[(usize, Judgement)], candidates: &[&Prepared]) -> Option<Resolution> {
    let open =
        |at: &usize| candidates.get(*at).is_some_and(|candidate| !candidate.knows() && candidate.is_called_as(found));
    let (at, judgement) = judged.iter().find(|(at, judgement)| judgement.decision == Sameness::Same && open(at))?;
    (!found.knows()).then(|| Resolution::Known(*at, judgement.clone()))
}

/// What fits two that are known is neither for certain.
fn doubt(judged: &mut [(usize, Judgement)], rivals: usize) {
    for (_, judgement) in judged {
        if judgement.decision == Sameness::Same {
            judgement.decision = Sameness::Uncertain;
            judgement.reason = format!("{}, but {} known fit", judgement.reason, rivals + 1);
        }
    }
}

fn same_email(found: &Prepared, candidate: Option<&&Prepared>) -> bool {
    candidate.is_some_and(|candidate| look(found, candidate).signs.has(Sign::EmailSame))
}

/// Whether it is a short way to write a name that is known, of somebody of whom something is said besides, and nothing
/// speaks against it. A letter and a family name alone are too little.
fn is_short_of(found: &Prepared, candidate: Option<&&Prepared>) -> bool {
    let Some(candidate) = candidate else { return false };
    let findings = look(found, candidate);
    let against = [Sign::OrganizationApart, Sign::RoleApart, Sign::EmailApart, Sign::NothingShared, Sign::NumberApart];
    let short = findings.names.is_some_and(|names| {
        matches!(names.family, Part::Equal | Part::Form)
            && matches!(names.given, Part::Initial | Part::Form)
            && names.middle != Part::Apart
    });
    short && found.knows() && !findings.signs.has_any(&against)
}
