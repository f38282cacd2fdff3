//! From what was seen of two to a decision: rules where the truth is certain, the sum of the weights otherwise.

use ibid_domain::Sameness;

use super::match_signs::{MatchSigns, Sign, WeightTable};
use super::person::PartAgreement;
use super::prepared_profile::{MatchEvidence, collect_evidence};
use super::{Judgement, PreparedProfile};

/// From here on two are the same.
pub(super) const SAME: f64 = 0.71;

/// Up to here two are different.
pub(super) const DIFFERENT: f64 = 0.3;

/// Signs that link two profiles whatever their names are.
const LINKS: &[Sign] = &[
    Sign::OrganizationSame,
    Sign::OrganizationClose,
    Sign::EmailSame,
    Sign::DomainSame,
    Sign::NumberSame,
    Sign::NumberNear,
    Sign::DateSame,
    Sign::HouseSame,
    Sign::NamesShared,
];

impl PreparedProfile {
    /// Compares two profiles by themselves; the order of the arguments does not matter.
    pub fn compare(&self, other: &Self) -> Judgement {
        let findings = collect_evidence(self, other);
        let (confidence, rule) = decide_confidence(&findings);
        let decision = match confidence {
            likely if likely >= SAME => Sameness::Same,
            unlikely if unlikely <= DIFFERENT => Sameness::Different,
            _ => Sameness::Uncertain,
        };
        Judgement { decision, confidence, reason: explain_decision(&findings, rule) }
    }
}

fn decide_confidence(findings: &MatchEvidence) -> (f64, Option<&'static str>) {
    let signs = &findings.signs;
    let likely = signs.match_probability(findings.model).clamp(0.01, 0.99);
    let unsure = |likely: f64| likely.clamp(DIFFERENT + 0.02, SAME - 0.02);
    let linked = signs.has_any(LINKS);
    if findings.nameless {
        return (unsure(0.5), Some("no name"));
    }
    if findings.kinds_apart {
        let alike = findings.things.is_some_and(|names| names.equal);
        return if alike { (0.4, Some("of two kinds")) } else { (likely.min(0.1), Some("of two kinds")) };
    }
    match findings.model {
        WeightTable::Person => {
            let Some(names) = &findings.names else { return (likely, None) };
            if names.generation_apart {
                return (0.05, Some("of two generations"));
            }
            let family_apart = names.family == PartAgreement::Apart;
            if signs.has(Sign::EmailSame) {
                // One address is one person's, unless two whole names say that they share it.
                let apart = family_apart && names.given == PartAgreement::Apart;
                return if apart { (unsure(0.5), None) } else { (likely.max(0.97), None) };
            }
            // Everybody is born once.
            if findings.born_apart && !signs.has_any(&[Sign::NumberSame, Sign::NumberNear]) {
                return (likely.min(0.1), Some("born on different days"));
            }
            let numbered = signs.has_any(&[Sign::NumberSame, Sign::NumberNear, Sign::DateSame]);
            if (family_apart || names.given == PartAgreement::Apart) && !numbered {
                return (likely.min(0.15), None);
            }
            // Of a name of one word, or of first letters only, the name tells too little.
            let little = names.family == PartAgreement::Missing
                || names.family == PartAgreement::Initial
                || names.given == PartAgreement::Missing && names.shared < 2;
            if little && !linked {
                return (unsure(likely), Some("too little of a name"));
            }
            // Somebody of that name elsewhere, and not a thing that ties the two.
            if signs.has(Sign::OrganizationApart) && !linked && !signs.has_any(&[Sign::RoleSame]) {
                let seen = signs.has_any(&[Sign::CodesShared, Sign::WordsShared]);
                if !seen {
                    return (likely.min(if signs.has(Sign::RoleApart) { 0.2 } else { 0.28 }), None);
                }
            }
            (likely, None)
        }
        WeightTable::Thing => {
            let Some(names) = &findings.things else { return (likely, None) };
            if names.numbers_apart && !signs.has_any(&[Sign::NumberSame, Sign::HouseSame]) {
                return (likely.min(0.1), Some("different numbers in the names"));
            }
            (likely, None)
        }
    }
}

/// Why, in a line: how the names agree, then what weighs most.
fn explain_decision(findings: &MatchEvidence, rule: Option<&'static str>) -> String {
    let mut parts: Vec<String> = Vec::new();
    match (&findings.names, &findings.things) {
        (Some(names), _) if names.identical => parts.push("same name".to_owned()),
        (Some(names), _) => {
            let agreed = match (names.family, names.given) {
                (PartAgreement::Equal | PartAgreement::Form, PartAgreement::Equal) => {
                    Some("same family and given name")
                }
                (PartAgreement::Equal | PartAgreement::Form, PartAgreement::Initial) => {
                    Some("same family name and initial")
                }
                (PartAgreement::Equal | PartAgreement::Form, _) => Some("same family name"),
                (_, PartAgreement::Equal) => Some("same given name"),
                _ => None,
            };
            parts.extend(agreed.map(str::to_owned));
        }
        (None, Some(things)) if things.equal => parts.push("same name".to_owned()),
        (None, Some(things)) if things.shared > 0 => parts.push("names with words in common".to_owned()),
        _ => {}
    }
    parts.extend(rule.map(str::to_owned));
    let mut weighed: Vec<(f64, Sign)> = findings
        .signs
        .iter()
        .filter(|(sign, _)| {
            *sign != Sign::GivenInitial || findings.names.is_none_or(|names| names.family != PartAgreement::Equal)
        })
        .map(|(sign, far)| (MatchSigns::sign_weight(findings.model, sign, far).abs(), sign))
        .filter(|(weight, _)| *weight > 0.1)
        .collect();
    weighed.sort_by(|(one, a), (other, b)| other.total_cmp(one).then(a.cmp(b)));
    for (_, sign) in weighed.into_iter().take(3) {
        match &findings.organization {
            Some(name) if sign == Sign::OrganizationSame => parts.push(format!("{} ({name})", sign.words())),
            _ => parts.push(sign.words().to_owned()),
        }
    }
    if parts.is_empty() {
        parts.push("nothing in common".to_owned());
    }
    if !findings.signs.has(Sign::Known) && !findings.signs.has_any(LINKS) {
        parts.push("nothing else known of both".to_owned());
    }
    parts.join(", ")
}
