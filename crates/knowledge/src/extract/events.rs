//! What a sentence tells: which event, who has which part in it, and when.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use ibid_domain::{ActorRole, Category, PartialDate};
use ibid_language::one_line;

use super::{
    CharPositions, MOST_EVENTS,
    dates::SentenceDate,
    event_guards::SentenceGuards,
    frames::{FrameMatch, SubjectRequirement},
    lexicon::LanguageWords,
    lines::LineContext,
    names::{GuessedType, NameCandidate},
    resolve::{ResolvedEntity, hash},
    subjects::PhraseSubject,
    tokens::{LexiconToken, LexiconTokenKind},
    traits::{AUXILIARY, NO_STATEMENT, Traits},
};
use crate::ExtractedEvent;

/// An event before it is known what the names in it mean.
#[derive(Clone, Debug)]
pub struct EventDraft {
    category: Category,
    confidence: f32,
    time: Option<PartialDate>,
    written: Option<PartialDate>,
    /// Indices of mentions, each with its role in the event.
    pub(super) actors: Vec<(usize, ActorRole)>,
    /// Role of the speaker, if the speaker takes part.
    speaks: Option<ActorRole>,
    speaker: Option<usize>,
    message: usize,
    /// All mentions of the sentence.
    mentions: Range<usize>,
    /// Byte range of the sentence in the text.
    range: Range<usize>,
}

/// A sentence with all that was found in it.
pub struct AnalyzedSentence<'a> {
    /// Whole text; offsets point into it.
    pub text: &'a str,
    /// The bytes of the sentence, without markers and speaker.
    pub range: Range<usize>,
    /// Its tokens, markers left out.
    pub tokens: &'a [LexiconToken],
    /// What the words of its language do.
    pub words: &'a LanguageWords,
    /// Which tokens deny or suppose what the sentence says.
    pub guards: &'a SentenceGuards,
    /// Names found in the sentence.
    pub spots: &'a [NameCandidate],
    /// Index of the mention that belongs to the first name of the sentence.
    pub first_mention: usize,
    /// Dates found in the sentence.
    pub times: &'a [SentenceDate],
    /// Date of the message or document that the sentence is in.
    pub written: Option<PartialDate>,
    /// Line that the sentence is in: list item, heading, quotation or label.
    pub stand: LineContext,
    /// The first token after the speaker.
    pub body: usize,
    /// Index of the speaker's mention.
    pub speaker: Option<usize>,
    /// Index of the message that the sentence belongs to.
    pub message: usize,
}

/// Below this nothing is said.
const ENOUGH: f32 = 0.55;

impl AnalyzedSentence<'_> {
    pub(super) fn token(&self, at: usize) -> Option<&LexiconToken> {
        self.tokens.get(at)
    }

    pub(super) fn word_at(&self, at: usize) -> &str {
        self.token(at).map_or("", |token| token.text_in(self.text))
    }

    pub(super) fn has_trait(&self, at: usize, traits: Traits) -> bool {
        self.token(at).is_some_and(|token| token.has_trait(traits))
    }

    /// The events of the sentence: one of a category, two at most.
    pub fn collect_drafts(&self, hits: &[FrameMatch<'_>], drafts: &mut Vec<EventDraft>) {
        if drafts.len() >= MOST_EVENTS * 2 || self.is_no_statement() {
            return;
        }
        let mut found: Vec<EventDraft> = Vec::new();
        for hit in hits.iter().filter(|hit| hit.start >= self.body) {
            let Some(draft) = self.draft_from_match(hit) else { continue };
            match found.iter_mut().find(|known| known.category == draft.category) {
                Some(known) if known.confidence < draft.confidence => *known = draft,
                Some(_) => {}
                None => found.push(draft),
            }
        }
        found.extend(self.labelled_draft(&found));
        found.retain(|draft| draft.confidence >= ENOUGH);
        found.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
        found.truncate(2);
        // The second must be nearly as sure as the first: a sentence is seldom two things.
        if let [first, second] = found.as_slice()
            && second.confidence + 0.12 < first.confidence
        {
            found.truncate(1);
        }
        drafts.append(&mut found);
    }

    /// Returns true for questions, conditions and mere references, which state no event.
    fn is_no_statement(&self) -> bool {
        let words = self.tokens.iter().skip(self.body).filter(|token| token.kind == LexiconTokenKind::Word).count();
        if words < if self.body > 0 { 2 } else { 3 } && self.stand.category.is_none() {
            return true;
        }
        let first = self.tokens.iter().skip(self.body).find(|token| token.kind == LexiconTokenKind::Word);
        self.stand.quoted || first.is_some_and(|token| token.has_trait(NO_STATEMENT))
    }

    /// Builds a draft from the label or section heading if no phrase matched.
    fn labelled_draft(&self, found: &[EventDraft]) -> Option<EventDraft> {
        let ticked = self.stand.ticked.map(|ticked| if ticked { Category::Execution } else { Category::Commitment });
        // A box says more than the section, a label of its own more than the box.
        let own = self.stand.category.filter(|(_, own)| *own);
        let (category, own) = own.or(ticked.map(|category| (category, false))).or(self.stand.category)?;
        if found.iter().any(|draft| draft.category == category && draft.confidence >= ENOUGH) {
            return None;
        }
        let (actors, subject) = self.item_people(category);
        let mut draft = self.bare_draft(category, if own { 0.82 } else { 0.68 });
        draft.actors = actors;
        draft.confidence += if subject { 0.06 } else { 0.0 };
        Some(draft)
    }

    /// The people of an item: the first of them is whose it is.
    fn item_people(&self, category: Category) -> (Vec<(usize, ActorRole)>, bool) {
        let people: Vec<usize> = (0..self.spots.len())
            .filter(|at| self.spots.get(*at).is_some_and(|spot| spot.guess == GuessedType::Person))
            .collect();
        let Some(first) = people.first() else { return (Vec::new(), false) };
        let begins = self.spots.get(*first).is_some_and(|spot| spot.first <= self.body + 1);
        let role = match category {
            Category::Feedback => ActorRole::Reviewer,
            Category::Stakeholder | Category::Commitment | Category::Execution | Category::Decision => ActorRole::Owner,
            _ => return (Vec::new(), false),
        };
        let bracketed = self.spots.get(*first).is_some_and(|spot| {
            spot.first.checked_sub(1).is_some_and(|before| {
                matches!(
                    self.token(before).map(|token| token.kind),
                    Some(LexiconTokenKind::Sign('(' | '[' | '-' | '–' | '—' | ':'))
                )
            })
        });
        let handle = self
            .spots
            .get(*first)
            .and_then(|spot| self.token(spot.first))
            .is_some_and(|token| token.kind == LexiconTokenKind::Handle);
        if begins || bracketed || handle {
            (vec![(self.first_mention + first, role)], true)
        } else {
            (Vec::new(), false)
        }
    }

    fn bare_draft(&self, category: Category, confidence: f32) -> EventDraft {
        EventDraft {
            category,
            confidence,
            time: self.times.iter().find(|when| when.start >= self.body).map(|when| when.date),
            written: self.written,
            actors: Vec::new(),
            speaks: None,
            speaker: self.speaker,
            message: self.message,
            mentions: self.first_mention + self.spots.iter().take_while(|spot| spot.last <= self.body).count()
                ..self.first_mention + self.spots.len(),
            range: self.range.clone(),
        }
    }

    fn draft_from_match(&self, hit: &FrameMatch<'_>) -> Option<EventDraft> {
        let frame = hit.frame;
        let mut confidence = frame.weight;
        let mut subject = self.subject_before(hit.start);
        if self.words.is_verb_second && subject.is_unknown() {
            subject = self.subject_behind(hit.start).unwrap_or(subject);
        }
        if frame.speaks && subject.spots.is_empty() {
            subject.speaks = true;
        }
        // `to send` right after the name that begins the sentence.
        if frame.after_name {
            let begins = subject.spots.first().and_then(|at| self.spots.get(*at)).is_some_and(|spot| {
                spot.first <= self.body + 1 && spot.reach == hit.start && spot.guess == GuessedType::Person
            });
            let passive = self.token(hit.start.wrapping_sub(1)).is_some_and(|token| token.has_trait(AUXILIARY));
            if !begins || passive {
                return None;
            }
        }
        if frame.past {
            confidence += self.past_form_weight(hit, &subject)?;
        }
        if !frame.open && self.is_taken_back(hit) {
            return None;
        }
        if frame.open && (self.is_negated(hit) || self.is_mended(hit)) {
            return None;
        }
        let passive = self.is_passive(hit);
        let mut draft = self.bare_draft(frame.category, 0.0);
        let role = frame.role;
        if !passive {
            for (place, at) in subject.spots.iter().enumerate() {
                let role = if place == 0 || role != ActorRole::Owner { role } else { ActorRole::Contributor };
                draft.actors.push((self.first_mention + at, role));
            }
            if subject.speaks {
                draft.speaks = Some(role);
            }
        }
        self.add_actors_after(hit, passive, &mut draft);
        if draft.actors.is_empty() && draft.speaks.is_none() && frame.category == Category::Feedback {
            draft.actors.extend(self.quoted_speaker().map(|at| (self.first_mention + at, ActorRole::Reviewer)));
        }
        // `“We are disappointed,” said Frank Osborne`: who says it is who `we` are.
        if let Some(role) = draft.speaks.filter(|_| self.speaker.is_none())
            && let Some(at) = self.quoted_speaker()
        {
            draft.speaks = None;
            draft.actors.push((self.first_mention + at, role));
        }
        if !self.has_needed(frame.needs, &subject, passive, &draft) {
            return None;
        }
        let unnamed = draft.actors.is_empty() && draft.speaks.is_none();
        if unnamed {
            if matches!(
                frame.category,
                Category::Decision
                    | Category::Commitment
                    | Category::Collaboration
                    | Category::Feedback
                    | Category::Stakeholder
            ) && !subject.somebody
            {
                confidence -= 0.08;
            }
        } else {
            confidence += 0.05;
        }
        draft.time = self.nearest_time(hit);
        if draft.time.is_some() {
            confidence += 0.03;
        }
        if self.tokens.len() > 60 {
            confidence -= 0.08;
        }
        if !self.stand.ends && !self.stand.item && self.body == 0 {
            confidence -= 0.15;
        }
        if self.stand.category.is_some_and(|(category, _)| category == frame.category) {
            confidence += 0.1;
        }
        if subject.thing && !frame.open && !unnamed {
            confidence -= 0.08;
        }
        // Nobody, nothing and no time: it may be a general truth.
        let told = !subject.spots.is_empty() || subject.speaks || subject.somebody || self.body > 0 || self.stand.item;
        if !told && self.spots.is_empty() && draft.time.is_none() && !(frame.weight > 0.7 && self.is_asserted(hit)) {
            confidence -= 0.1;
        }
        draft.confidence = confidence.clamp(0.0, 0.97);
        Some(draft)
    }

    /// Returns true if the subject before the phrase satisfies the frame's requirement.
    fn has_needed(
        &self,
        needs: SubjectRequirement,
        subject: &PhraseSubject,
        passive: bool,
        draft: &EventDraft,
    ) -> bool {
        let named = (!subject.spots.is_empty() && !passive) || !draft.actors.is_empty();
        let first = subject.spots.first().and_then(|at| self.spots.get(*at));
        let group = subject.spots.len() > 1
            || first.is_some_and(|spot| spot.guess != GuessedType::Person)
            || (subject.spots.is_empty() && subject.group);
        match needs {
            SubjectRequirement::Nobody => true,
            SubjectRequirement::Somebody => named || subject.speaks || subject.somebody,
            SubjectRequirement::One => (named || subject.speaks || subject.somebody) && !group,
            SubjectRequirement::Several => group,
        }
    }

    /// The time that stands nearest to a phrase; behind it counts as nearer.
    fn nearest_time(&self, hit: &FrameMatch<'_>) -> Option<PartialDate> {
        self.times
            .iter()
            .filter(|when| when.start >= self.body)
            .min_by_key(
                |when| if when.start >= hit.start { when.start - hit.start } else { (hit.start - when.start) * 2 },
            )
            .map(|when| when.date)
    }
}

/// The events, with what the names in them mean.
pub fn resolve_events(
    text: &str,
    drafts: &[EventDraft],
    entity_of: &HashMap<usize, usize>,
    meant: &[ResolvedEntity],
    speakers: &[Option<usize>],
    places: &CharPositions<'_>,
) -> Vec<ExtractedEvent> {
    let mut found: Vec<ExtractedEvent> = Vec::new();
    let mut known: HashMap<(u64, Category), usize> = HashMap::new();
    for draft in drafts {
        let Some(said) = text.get(draft.range.clone()) else { continue };
        let said = said.trim();
        if said.is_empty() {
            continue;
        }
        let span = places.char_span(draft.range.start, draft.range.start + said.len());
        let speaker = draft
            .speaker
            .or_else(|| speakers.get(draft.message).copied().flatten())
            .and_then(|mention| entity_of.get(&mention));
        let mut narrative = strip_markdown(said);
        if let Some(speaker) = draft.speaker.and(speaker).and_then(|speaker| meant.get(*speaker)) {
            narrative = format!("{}: {narrative}", speaker.name);
        }
        if let Some(same) = known.get(&(hash(&narrative), draft.category)) {
            // The same words again are more evidence, not another event.
            if let Some(event) = found.get_mut(*same)
                && event.evidence.len() < 8
            {
                event.evidence.push(span);
            }
            continue;
        }
        if found.len() >= MOST_EVENTS {
            break;
        }
        let mut actors: Vec<(usize, ActorRole)> = Vec::new();
        let mut seen: HashSet<usize> = HashSet::new();
        let spoken = draft.speaks.and_then(|role| speaker.map(|speaker| (*speaker, role)));
        let named =
            draft.actors.iter().filter_map(|(mention, role)| entity_of.get(mention).map(|entity| (*entity, *role)));
        for (entity, role) in spoken.into_iter().chain(named) {
            if seen.insert(entity) {
                actors.push((entity, role));
            }
        }
        let mut subjects = Vec::new();
        for entity in draft.mentions.clone().filter_map(|mention| entity_of.get(&mention)) {
            if seen.insert(*entity) {
                subjects.push(*entity);
            }
        }
        known.insert((hash(&narrative), draft.category), found.len());
        found.push(ExtractedEvent {
            category: draft.category,
            narrative,
            time: draft.time,
            written: draft.written,
            confidence: draft.confidence,
            actors,
            subjects,
            evidence: vec![span],
        });
    }
    found
}

/// The words without Markdown's signs and line breaks.
fn strip_markdown(said: &str) -> String {
    let mut words = one_line(said);
    for sign in ["**", "__", "`"] {
        if words.contains(sign) {
            words = words.replace(sign, "");
        }
    }
    // `[the report](https://…)` is `the report`.
    while let Some(middle) = words.find("](") {
        let (Some(open), Some(close)) = (
            words.get(..middle).and_then(|before| before.rfind('[')),
            words.get(middle..).and_then(|after| after.find(')')),
        ) else {
            break;
        };
        let label = words.get(open + 1..middle).unwrap_or("").to_owned();
        words.replace_range(open..=middle + close, &label);
    }
    words
}
