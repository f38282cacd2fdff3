//! BibTeX beside another reader of it, the biblatex crate: what both can read, both read alike; and what only ours can.

use biblatex::{Bibliography, ChunksExt, Date, DateValue, Entry, PermissiveType, Person};
use ibid_ingest::references::{ImportFormat, ReferenceEntry, read};

/// Well-formed entries as reference managers write them.
const SAMPLES: &str = r#"
@string{jss = "Journal of Sample Studies"}

@article{plain2021,
  title = {Effects of {{Sampling}} on the {{CO2}} of {{Sample Lakes}}},
  author = {Sample, Anna and {van der Muster}, Max and {Sample Research Group}},
  date = {2021-03-04},
  journaltitle = {Journal of Sample Studies},
  volume = {12},
  number = {3},
  publisher = {{Sample Press}},
  doi = {10.1000/sample.2021.3},
  url = {https://example.org/articles/a_b?x=1&y=2},
  abstract = {We sampled. 50\% of it was good.}
}

@inproceedings{accents1999,
  author = {G{\"o}del, Kurt and {\'E}mile de la Mu{\~n}oz and Erd{\H o}s, P{\'a}l and {\L}ukasiewicz, Jan},
  title = {Stra{\ss}e und S{\o}ren --- na{\"i}ve {\v{S}}koda},
  booktitle = {Proceedings of the Sample Conference},
  year = 1999,
  month = mar
}

@book{suffix2010,
  author = {de la Sample, Jr., Anna and Ludwig van Muster},
  title = {A Book with \textendash{} a Dash},
  publisher = {Sample \& Sons},
  year = {2010}
}

@article{macro2005, author = {Sample, A.}, title = {With a Macro}, journal = jss, year = {2005}, volume = "7"}
"#;

fn field(entry: &Entry, names: &[&str]) -> String {
    let found = names.iter().find_map(|name| entry.get(name));
    found.map(|value| value.format_verbatim().split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_default()
}

fn person(person: &Person) -> String {
    let parts = [&person.given_name, &person.prefix, &person.name, &person.suffix];
    parts.into_iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ")
}

fn date(entry: &Entry) -> String {
    let Ok(PermissiveType::Typed(Date { value, .. })) = entry.date() else { return String::new() };
    let (DateValue::At(date) | DateValue::After(date) | DateValue::Before(date) | DateValue::Between(date, _)) = value;
    let mut out = format!("{:04}", date.year);
    if let Some(month) = date.month {
        out += &format!("-{:02}", month + 1);
        if let Some(day) = date.day {
            out += &format!("-{:02}", day + 1);
        }
    }
    out
}

/// The fields that the two readers understand differently: name, ours, theirs.
fn differences(ours: &ReferenceEntry, theirs: &Entry) -> Vec<(&'static str, String, String)> {
    let reference = &ours.reference;
    let own = |field: &Option<String>| field.clone().unwrap_or_default();
    let authors = theirs.author().map(|authors| authors.iter().map(person).collect::<Vec<_>>().join("; "));
    let title = [field(theirs, &["title"]), field(theirs, &["subtitle"])].join(": ");
    let fields = [
        ("title", own(&reference.title), title.trim_end_matches(": ").to_owned()),
        ("container", own(&reference.container), field(theirs, &["journaltitle", "journal", "booktitle", "maintitle"])),
        (
            "authors",
            reference.authors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
            authors.unwrap_or_default(),
        ),
        ("date", reference.publication_date.map(|date| date.to_string()).unwrap_or_default(), date(theirs)),
        ("volume", own(&reference.volume), field(theirs, &["volume"])),
        (
            "publisher",
            own(&reference.publisher),
            field(theirs, &["publisher", "institution", "school", "organization"]),
        ),
        ("doi", own(&reference.doi), field(theirs, &["doi"]).to_lowercase()),
        ("url", own(&ours.url), field(theirs, &["url"])),
        ("abstract", own(&reference.summary), field(theirs, &["abstract"])),
    ];
    fields.into_iter().filter(|(_, ours, theirs)| ours != theirs).collect()
}

#[test]
fn well_formed_entries_have_the_same_fields() {
    let ours = read(SAMPLES, Some(ImportFormat::Bibtex)).unwrap();
    let theirs = Bibliography::parse(SAMPLES).unwrap();
    assert_eq!((ours.entries.len(), ours.problems.len()), (theirs.len(), 0));
    for entry in &ours.entries {
        let key = entry.key.as_deref().unwrap();
        assert_eq!(differences(entry, theirs.get(key).unwrap()), [], "{key}");
    }
}

/// Real files have all of these. Where biblatex learns one of them, this fails, and the choice is open again. (It also
/// follows `@string{a = a # a}` and nested commands until the stack ends, which no test can survive.)
#[test]
fn entries_that_biblatex_loses_are_read_here() {
    for (text, titles) in [
        ("@article{a, title = {A $5 bill}}", vec!["A $5 bill"]),
        ("@article{a, title = {Known}, journal = nosuchmacro}", vec!["Known"]),
        ("@article(a, title = {In parentheses})", vec!["In parentheses"]),
        ("@article{a, title = {No comma}\n year = 2004}", vec!["No comma"]),
        ("@article{a, title = {Once}}\n@article{a, title = {Twice}}", vec!["Once", "Twice"]),
        ("@article{a, title = {Never closed}", vec!["Never closed"]),
        ("@article{a, title = {Good}}\n@misc{b, title {Bad}}", vec!["Good", "Bad"]),
    ] {
        let ours = read(text, Some(ImportFormat::Bibtex)).unwrap();
        let found: Vec<&str> = ours.entries.iter().filter_map(|entry| entry.reference.title.as_deref()).collect();
        assert_eq!(found, titles, "{text}");
        assert!(Bibliography::parse(text).is_err(), "{text}");
    }
}

#[test]
fn text_that_biblatex_leaves_as_tex_is_plain_here() {
    for (tex, text, left) in [
        (r"\emph{Italic} words", "Italic words", r"\emph{Italic} words"),
        (r"``Quoted'' words", "“Quoted” words", "``Quoted'' words"),
        (r"So~on", "So on", "So~on"),
        (r"The $\alpha$ of CO$_{2}$", "The α of CO2", r"The $\alpha$ of CO$_{2}$"),
        (r"CO\textsubscript{2}", "CO2", r"CO\textsubscript{2}"),
        (r#"na{\"\i}ve"#, "naïve", "na\\\u{308}ive"),
    ] {
        let entry = format!("@article{{a, title = {{{tex}}}}}");
        let ours = read(&entry, Some(ImportFormat::Bibtex)).unwrap();
        assert_eq!(ours.entries[0].reference.title.as_deref(), Some(text));
        let theirs = Bibliography::parse(&entry).unwrap();
        assert_eq!(field(theirs.get("a").unwrap(), &["title"]), left);
    }
}
