//! How often the sentences of an answer are evidence, how often a question is rightly refused, and how long it takes:
//! `answers FILE`. With `--texts FILE` the sentences whose meaning is worth comparing instead, a list a line; with
//! `--windows FILE` the windows for a network to read; with `--features FILE` the signals that weights are fitted to;
//! without a file only the time.
//!
//! A line of the file is `{"set", "question", "passages": [{"source", "start", "title", "text", "score"}], "evidence":
//! [[source, start, end]], "similarities": [..], "judged": [[answers, start, end]]}`, with no evidence where nothing answers. What was not among the
//! passages is counted for nobody: this is about answers, not about search.

use std::{
    collections::{BTreeMap, HashSet},
    error::Error,
    fs::File,
    hint::black_box,
    io::{BufRead, BufReader, Write},
    time::Duration,
};

use ibid_claims::answer::{AnswerCandidates, AnswerOptions, AnswerSignals, CandidatePassage, JudgedAnswer};
use ibid_domain::Span;
use ibid_language::sentences::sentence_spans;
use rustix::time::{ClockId, clock_gettime};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    set: String,
    question: String,
    passages: Vec<Passage>,
    evidence: Vec<(usize, usize, usize)>,
    similarities: Option<Vec<f32>>,
    /// What a network says of each window: whether it answers, and the bytes of the answer.
    judged: Option<Vec<(f32, usize, usize)>>,
    #[serde(skip)]
    read: Option<Vec<JudgedAnswer>>,
}

#[derive(Deserialize)]
struct Passage {
    source: usize,
    start: usize,
    title: String,
    text: String,
    score: f32,
}

impl Case {
    fn signals(&self) -> AnswerSignals<'_> {
        AnswerSignals { similarities: self.similarities.as_deref(), judged: self.read.as_deref() }
    }

    fn found(&self) -> Vec<CandidatePassage<'_>> {
        let passages = self.passages.iter();
        passages
            .map(|Passage { source, start, title, text, score }| CandidatePassage {
                source: *source,
                text,
                score: *score,
                start: *start,
                title,
            })
            .collect()
    }

    /// Whether a part of a passage is evidence.
    fn is_evidence(&self, passage: usize, span: Span) -> bool {
        let Passage { source, start, .. } = self.passages[passage];
        let place = Span::new(start + span.start, start + span.end);
        self.evidence.iter().any(|(of, from, to)| *of == source && Span::new(*from, *to).overlaps(place))
    }

    /// Whether the evidence is among the passages.
    fn was_found(&self) -> bool {
        let whole = |one: &Passage| Span::new(0, one.text.chars().count());
        self.passages.iter().enumerate().any(|(number, one)| self.is_evidence(number, whole(one)))
    }

    /// The first sentence of the best passage.
    fn opening(&self) -> Option<(usize, Span)> {
        let best = (0..self.passages.len()).max_by(|one, other| {
            self.passages[*one].score.total_cmp(&self.passages[*other].score).then(other.cmp(one))
        })?;
        let first = sentence_spans(&self.passages[best].text).next()?;
        Some((best, Span::new(first.start, first.end)))
    }

    /// The sentence that has most of the question's words.
    fn most_words(&self) -> Option<(usize, Span)> {
        let words = |text: &str| -> HashSet<String> {
            text.split(|char: char| !char.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .map(str::to_lowercase)
                .collect()
        };
        let asked = words(&self.question);
        let mut best: Option<(usize, usize, Span)> = None;
        for (number, passage) in self.passages.iter().enumerate() {
            for range in sentence_spans(&passage.text) {
                let span = Span::new(range.start, range.end);
                let shared = words(span.slice_of(&passage.text).unwrap_or_default()).intersection(&asked).count();
                if best.is_none_or(|(most, ..)| shared > most) {
                    best = Some((shared, number, span));
                }
            }
        }
        best.map(|(_, number, span)| (number, span))
    }
}

#[derive(Default)]
struct Counts {
    cases: usize,
    answered: usize,
    first: usize,
    any: usize,
    sentences: usize,
    evidence: usize,
    opening: usize,
    most_words: usize,
}

impl Counts {
    fn add(&mut self, case: &Case) {
        let passages = case.found();
        let candidates = AnswerCandidates::new(&case.question, &passages);
        let answer = candidates.select_answer(&case.signals(), AnswerOptions::default());
        let is_evidence = |(passage, span)| case.is_evidence(passage, span);
        let hits: Vec<_> = answer.sentences.iter().map(|one| is_evidence((one.passage, one.span))).collect();
        self.cases += 1;
        self.answered += usize::from(answer.is_answered);
        self.first += usize::from(hits.first() == Some(&true));
        self.any += usize::from(hits.contains(&true));
        self.sentences += hits.len();
        self.evidence += hits.iter().filter(|hit| **hit).count();
        self.opening += usize::from(case.opening().is_some_and(is_evidence));
        self.most_words += usize::from(case.most_words().is_some_and(is_evidence));
    }
}

fn read(path: &str) -> Result<impl Iterator<Item = Result<Case, Box<dyn Error>>>, Box<dyn Error>> {
    let lines = BufReader::new(File::open(path)?).lines();
    Ok(lines.map(|line| {
        let mut case: Case = serde_json::from_str(&line?)?;
        let judged =
            |(answers, start, end): &(f32, usize, usize)| JudgedAnswer { answers: *answers, answer: *start..*end };
        case.read = case.judged.as_ref().map(|all| all.iter().map(judged).collect());
        Ok(case)
    }))
}

fn measure(path: &str, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let (mut answerable, mut others): (BTreeMap<String, Counts>, BTreeMap<String, Counts>) = Default::default();
    for case in read(path)? {
        let case = case?;
        if case.evidence.is_empty() {
            others.entry(case.set.clone()).or_default().add(&case);
        } else if case.was_found() {
            answerable.entry(case.set.clone()).or_default().add(&case);
        }
    }
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    writeln!(out, "with evidence       cases  opening  most words   first    any   right sentences      answered")?;
    for (set, counts) in &answerable {
        let of = |part| share(part, counts.cases);
        writeln!(
            out,
            "{set:<20}{:>5}{:>9.3}{:>12.3}{:>8.3}{:>7.3}{:>8.3} of {:.2}{:>14.3}",
            counts.cases,
            of(counts.opening),
            of(counts.most_words),
            of(counts.first),
            of(counts.any),
            share(counts.evidence, counts.sentences),
            of(counts.sentences),
            of(counts.answered),
        )?;
    }
    writeln!(out, "without evidence         cases  wrongly answered")?;
    for (set, counts) in &others {
        writeln!(out, "{set:<25}{:>5}{:>18.3}", counts.cases, share(counts.answered, counts.cases))?;
    }
    Ok(())
}

/// Passages of about 512 tokens, those of one source overlapping by half.
fn made_up() -> Vec<(usize, usize, String)> {
    let subjects = ["The harbour bridge", "A committee of engineers", "The northern line", "It", "Every second report"];
    let verbs =
        ["was opened to traffic", "measured the effect", "carried 4.2 million people", "was closed because of ice"];
    let ends = [
        "in March 1932",
        "by John Sample of Leeds",
        "at 14 stations",
        "for reasons that nobody wrote down",
        "since then",
    ];
    let sentence = |number: usize| {
        let (subject, verb, end) = (subjects[number % 5], verbs[number / 5 % 4], ends[number / 20 % 5]);
        format!("{subject} {verb} {end}, and the account of year {} says much the same. ", 1800 + number % 200)
    };
    let mut passages = Vec::new();
    for source in 0..6 {
        let text: String = (0..66).map(|number| sentence(source * 66 + number)).collect();
        let step = text.len() / 6;
        passages.extend((0..5).map(|part| (source, part * step, text[part * step..(part + 2) * step].to_owned())));
    }
    passages
}

/// What this process has used of a processor; others on the machine do not change it.
fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

fn time(out: &mut impl Write) -> std::io::Result<()> {
    let made = made_up();
    let passages: Vec<_> = made
        .iter()
        .map(|(source, start, text)| CandidatePassage {
            source: *source,
            text,
            score: 1.0 / (60.0 + *start as f32),
            start: *start,
            title: "Bridges",
        })
        .collect();
    let question = "When was the harbour bridge that the committee of engineers measured opened to traffic?";
    let (mut best, mut total) = (Duration::MAX, Duration::ZERO);
    const ROUNDS: u32 = 100;
    for _ in 0..ROUNDS {
        let began = processor_time();
        let candidates = AnswerCandidates::new(question, &passages);
        let similarities = vec![0.4; candidates.shortlisted_texts().len()];
        black_box(candidates.select_answer(
            &AnswerSignals { similarities: Some(&similarities), ..AnswerSignals::default() },
            AnswerOptions::default(),
        ));
        let took = processor_time() - began;
        best = best.min(took);
        total += took;
    }
    let bytes: usize = made.iter().map(|one| one.2.len()).sum();
    let milliseconds = |duration: Duration| duration.as_secs_f64() * 1e3;
    writeln!(
        out,
        "{} passages, {} kB: {:.2} ms at best, {:.2} ms on average (less than 5 when optimised)",
        passages.len(),
        bytes / 1000,
        milliseconds(best),
        milliseconds(total / ROUNDS),
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {}
        ["--texts", path] => {
            for case in read(path)? {
                let case = case?;
                let passages = case.found();
                writeln!(
                    out,
                    "{}",
                    serde_json::to_string(&AnswerCandidates::new(&case.question, &passages).shortlisted_texts())?
                )?;
            }
            return Ok(());
        }
        ["--windows", path] => {
            for case in read(path)? {
                let case = case?;
                let candidates = AnswerCandidates::new(&case.question, &case.found());
                let texts: Vec<_> = candidates.windows().iter().map(|window| window.text.as_str()).collect();
                writeln!(out, "{}", serde_json::to_string(&texts)?)?;
            }
            return Ok(());
        }
        ["--features", path] => {
            for case in read(path)? {
                let case = case?;
                let passages = case.found();
                let features = AnswerCandidates::new(&case.question, &passages).candidate_features(&case.signals());
                let features = features.iter().map(|one| (&one.quote, one.cost, &one.sentence, &one.answer));
                writeln!(out, "{}", serde_json::to_string(&features.collect::<Vec<_>>())?)?;
            }
            return Ok(());
        }
        [path] => measure(path, &mut out)?,
        _ => return Err("answers [--texts | --windows | --features] FILE".into()),
    }
    Ok(time(&mut out)?)
}
