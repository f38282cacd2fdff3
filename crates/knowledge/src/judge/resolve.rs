//! Which of those that are known one is that was found.

use ibid_domain::Sameness;

use super::match_signs::Sign;
use super::person::PartAgreement;
use super::prepared_profile::collect_evidence;
use super::{Judgement, PreparedProfile, Profile};

/// More doubtful ones than this are not told.
const MOST_DOUBTS: usize = 5;

/// One that is this much less likely is no rival.
const AHEAD: f64 = 0.1;

/// Decision about a newly found profile, given the known ones that may be the same.
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

/// Decides which candidate the profile is. `candidates` must be all that share a blocking key with it.
pub fn resolve_profile(found: &Profile, candidates: &[Profile]) -> Resolution {
    let candidates: Vec<PreparedProfile> = candidates.iter().map(PreparedProfile::new).collect();
    resolve_prepared(&PreparedProfile::new(found), &candidates.iter().collect::<Vec<_>>())
}

/// Does the same as `resolve_profile` with profiles that are already prepared.
pub fn resolve_prepared(found: &PreparedProfile, candidates: &[&PreparedProfile]) -> Resolution {
    let judged = candidates.iter().enumerate().map(|(at, candidate)| (at, found.compare(candidate)));
    let mut judged: Vec<_> = judged.filter(|(_, judgement)| judgement.decision != Sameness::Different).collect();
    judged.sort_by(|(i, one), (j, other)| other.confidence.total_cmp(&one.confidence).then(i.cmp(j)));
    let Some((best, first)) = judged.first().cloned() else { return Resolution::default() };
    let rivals = || find_rivals(best, &judged, candidates);
    match first.decision {
        Sameness::Same if same_email(found, candidates.get(best)) => return Resolution::Known(best, first),
        Sameness::Same => match rivals().filter(|(_, rival)| rival.confidence > first.confidence - AHEAD).count() {
            0 => return Resolution::Known(best, first),
            others => match unresolved_namesake(found, &judged, candidates) {
                // It is as open who that one is, and it waits for the same answer.
                Some(waiting) => return waiting,
                None => mark_uncertain(&mut judged, others),
            },
        },
        Sameness::Uncertain if is_short_of(found, candidates.get(best)) => match rivals().count() {
            0 => {
                let reason = format!("{}, and nobody else that is known fits", first.reason);
                let confidence = first.confidence.max(super::rules::SAME);
                return Resolution::Known(best, Judgement { decision: Sameness::Same, confidence, reason });
            }
            others => mark_uncertain(&mut judged, others),
        },
        _ => {}
    }
    judged.truncate(MOST_DOUBTS);
    Resolution::New(judged)
}

/// The others that it may be and that are not the best one under another name.
fn find_rivals<'judged>(
    best: usize,
    judged: &'judged [(usize, Judgement)],
    candidates: &'judged [&'judged PreparedProfile],
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
fn unresolved_namesake(
    found: &PreparedProfile,
    judged: &[(usize, Judgement)],
    candidates: &[&PreparedProfile],
) -> Option<Resolution> {
    let open = |at: &usize| {
        candidates.get(*at).is_some_and(|candidate| !candidate.has_details() && candidate.is_called_as(found))
    };
    let (at, judgement) = judged.iter().find(|(at, judgement)| judgement.decision == Sameness::Same && open(at))?;
    (!found.has_details()).then(|| Resolution::Known(*at, judgement.clone()))
}

/// Turns matches into uncertain ones if several known candidates fit.
fn mark_uncertain(judged: &mut [(usize, Judgement)], rivals: usize) {
    for (_, judgement) in judged {
        if judgement.decision == Sameness::Same {
            judgement.decision = Sameness::Uncertain;
            judgement.reason = format!("{}, but {} known fit", judgement.reason, rivals + 1);
        }
    }
}

fn same_email(found: &PreparedProfile, candidate: Option<&&PreparedProfile>) -> bool {
    candidate.is_some_and(|candidate| collect_evidence(found, candidate).signs.has(Sign::EmailSame))
}

/// Returns true if the name abbreviates a known one, other facts are given and nothing contradicts. An initial with a
/// family name alone is not enough.
fn is_short_of(found: &PreparedProfile, candidate: Option<&&PreparedProfile>) -> bool {
    let Some(candidate) = candidate else { return false };
    let findings = collect_evidence(found, candidate);
    let against = [Sign::OrganizationApart, Sign::RoleApart, Sign::EmailApart, Sign::NothingShared, Sign::NumberApart];
    let short = findings.names.is_some_and(|names| {
        matches!(names.family, PartAgreement::Equal | PartAgreement::Form)
            && matches!(names.given, PartAgreement::Initial | PartAgreement::Form)
            && names.middle != PartAgreement::Apart
    });
    short && found.has_details() && !findings.signs.has_any(&against)
}
