//! Bibliographies in the shapes that real programs write, with sample content.

use ibid_domain::Name;
use ibid_ingest::references::{ImportError, ImportFormat, ImportedReferences, ReferenceEntry, read};
use proptest::prelude::*;

fn imported(text: &str) -> ImportedReferences {
    read(text, None).unwrap()
}

fn shown(names: &[Name]) -> String {
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn date(entry: &ReferenceEntry) -> String {
    entry.reference.publication_date.map(|date| date.to_string()).unwrap_or_default()
}

#[track_caller]
fn text(field: &Option<String>) -> &str {
    field.as_deref().unwrap_or("")
}

#[test]
fn zotero_biblatex_is_read_whole() {
    let found = imported(
        r#"
@article{sampleEffectsSampling2021,
  title = {Effects of {{Sampling}} on the {{CO}}\textsubscript{2} of {{Sample Lakes}}},
  author = {Sample, Anna and {van der Muster}, Max and {Sample Research Group}},
  date = {2021-03-04},
  journaltitle = {Journal of Sample Studies},
  shortjournal = {J. Sample Stud.},
  volume = {12},
  number = {3},
  pages = {101--118},
  publisher = {{Sample Press}},
  issn = {1234-5679},
  doi = {10.1000/Sample.2021.3},
  url = {https://example.org/articles/a_b?x=1&y=2},
  urldate = {2022-01-09},
  abstract = {We sampled. 50\% of it was good.},
  langid = {english},
  keywords = {lakes,sampling,CO2},
  file = {C\:\\Users\\x\\a.pdf}
}

@thesis{muster2019, type = {phdthesis}, title = {A Thesis}, author = {Muster, Erika}, institution = {Universität Muster}, date = {2019-10/2020-02}, location = {Musterstadt}}
"#,
    );
    assert_eq!(found.problems, []);
    let [article, thesis] = found.entries.as_slice() else { panic!("{found:?}") };
    assert_eq!(article.key.as_deref(), Some("sampleEffectsSampling2021"));
    assert_eq!((article.kind.as_str(), article.line), ("article", 2));
    let reference = &article.reference;
    assert_eq!(text(&reference.title), "Effects of Sampling on the CO2 of Sample Lakes");
    assert_eq!(shown(&reference.authors), "Anna Sample; Max van der Muster; Sample Research Group");
    assert_eq!(reference.authors[2], Name::Whole("Sample Research Group".to_owned()));
    assert_eq!(date(article), "2021-03-04");
    assert_eq!(text(&reference.genre), "article-journal");
    assert_eq!(text(&reference.container), "Journal of Sample Studies");
    assert_eq!((text(&reference.volume), text(&reference.issue), text(&reference.pages)), ("12", "3", "101-118"));
    assert_eq!((text(&reference.doi), text(&reference.issn)), ("10.1000/sample.2021.3", "1234-5679"));
    assert_eq!(text(&article.url), "https://example.org/articles/a_b?x=1&y=2");
    assert_eq!(article.accessed.unwrap().to_string(), "2022-01-09");
    assert_eq!(article.tags, ["lakes", "sampling", "CO2"]);
    assert_eq!((text(&reference.language), text(&reference.summary)), ("en", "We sampled. 50% of it was good."));
    assert_eq!((text(&thesis.reference.genre), date(thesis).as_str()), ("thesis", "2019-10"));
    assert_eq!(text(&thesis.reference.publisher), "Universität Muster");
}

#[test]
fn old_bibtex_with_macros_quotes_and_accents_is_read() {
    let found = imported(
        "\u{feff}This line is a comment.\r\n% @article{commented, title={no}}\r\n@COMMENT{jabref-meta: databaseType:bibtex;}\r\n\
         @string{ jss = \"Journal of \" # {Sample Studies} }\r\n@String(pub = \"Sample {\\&} Sons\")\r\n\
         @preamble{ \"\\newcommand{\\x}{y}\" }\r\n\
         @InProceedings{conf99,\r\n  AUTHOR = \"G{\\\"o}del, K. and \\'{E}mile de la Mu{\\~n}oz and others\",\r\n\
         \tTitle = \"{O}n {\\em Samples} --- ``again'' and 100% more\",\r\n  booktitle = \"Proc.~of the {\"}Sample{\"} Conf.\",\r\n\
         \tyear = 1999, month = mar # \"~12\", pages = \"1 -- 9\", publisher = pub, crossref = {proc99}\r\n}\r\n\
         @proceedings{proc99, title = {Whole Proceedings}, editor = {Editor, Edda}, address = {Sampleton}, year = 1999}\r\n\
         @article(paren, journal = jss, title = {In parentheses}, year = {in press})\r\n",
    );
    assert_eq!(found.problems, []);
    let [conference, proceedings, paren] = found.entries.as_slice() else { panic!("{found:#?}") };
    assert_eq!(shown(&conference.reference.authors), "K. Gödel; Émile de la Muñoz");
    assert_eq!(text(&conference.reference.title), "On Samples — “again” and 100% more");
    assert_eq!(text(&conference.reference.container), "Proc. of the \"Sample\" Conf.");
    assert_eq!(date(conference), "1999-03-12");
    assert_eq!(text(&conference.reference.pages), "1-9");
    assert_eq!(text(&conference.reference.publisher), "Sample & Sons");
    assert_eq!(shown(&conference.reference.editors), "Edda Editor");
    assert_eq!(text(&conference.reference.publisher_place), "Sampleton");
    assert_eq!(text(&conference.reference.genre), "paper-conference");
    assert_eq!(text(&proceedings.reference.genre), "book");
    assert_eq!((text(&paren.reference.container), date(paren).as_str()), ("Journal of Sample Studies", ""));
}

#[test]
fn one_broken_entry_of_bibtex_loses_no_other() {
    let found = imported(
        "@article{good1, title = {First}, year = 2001}\n\
         @article{open, title = {Never {closed}, year = 2002,\n  author = {Sample, A.},\n  journal = {J}\n}\n\
         @article{extra, title = {One too many}},\n  year = 2003,\n  author = {Sample, B.}\n}\n\
         @article{nocomma, title = {No comma}\n  year = 2004\n  author = \"Sample, C.\"}\n\
         @article{nokey title = {x}}\n\
         @misc{cut, title = {Cut off\n\
         @article{good1, title = {Same key}, year = 2005, stray words here,\n  volume = 3}\n\
         @misc{empty}\n@article{last, title = {Last}, year = 2006",
    );
    let titles: Vec<&str> = found.entries.iter().map(|entry| text(&entry.reference.title)).collect();
    assert!(titles.contains(&"First") && titles.contains(&"Same key") && titles.contains(&"Last"), "{titles:?}");
    assert!(titles.contains(&"No comma") && titles.contains(&"One too many"), "{titles:?}");
    let by_key = |key: &str| found.entries.iter().rfind(|entry| entry.key.as_deref() == Some(key)).unwrap();
    assert_eq!(
        (shown(&by_key("open").reference.authors).as_str(), text(&by_key("open").reference.container)),
        ("A. Sample", "J")
    );
    assert_eq!(
        (date(by_key("extra")).as_str(), shown(&by_key("extra").reference.authors).as_str()),
        ("2003", "B. Sample")
    );
    assert_eq!(
        (date(by_key("nocomma")).as_str(), shown(&by_key("nocomma").reference.authors).as_str()),
        ("2004", "C. Sample")
    );
    assert_eq!(text(&by_key("good1").reference.volume), "3");
    assert_eq!(text(&by_key("cut").reference.title), "Cut off");
    let lines: Vec<Option<usize>> = found.problems.iter().map(|problem| problem.line).collect();
    assert!([2, 7, 15].iter().all(|line| lines.contains(&Some(*line))), "{:#?}", found.problems);
    assert!(found.problems.iter().any(|problem| problem.key.as_deref() == Some("open")), "{:#?}", found.problems);
}

#[test]
fn entries_share_fields_through_others() {
    let found = imported(
        "@xdata{place, location = {Sampleton}}\n@xdata{press, publisher = {Sample Press}, xdata = {place}}\n\
         @book{whole, title = {Whole}, editor = {Editor, E.}, year = 2020, xdata = {press}, crossref = {whole}}\n\
         @incollection{part, title = {Part}, author = {Sample, A.}, crossref = {Whole}}\n\
         @article{loose, author {Sample, B.}, title = {Loose}, crossref = {nowhere}}",
    );
    let [whole, part, loose] = found.entries.as_slice() else { panic!("{found:#?}") };
    assert_eq!(text(&whole.reference.publisher_place), "Sampleton");
    assert_eq!((text(&part.reference.container), text(&part.reference.publisher)), ("Whole", "Sample Press"));
    assert_eq!((shown(&part.reference.editors).as_str(), date(part).as_str()), ("E. Editor", "2020"));
    assert_eq!(shown(&loose.reference.authors), "B. Sample");
    assert_eq!(found.problems.len(), 1, "{:#?}", found.problems);
}

#[test]
fn exports_of_mendeley_scholar_arxiv_and_acm_are_read() {
    let found = imported(
        r#"@article{Sample2015,
abstract = {Samples {\&} more, p {\textless} 0.05},
author = {Sample, Anna B and M{\"{u}}ller, J{\"{o}}rg},
doi = {https://doi.org/10.1000/182_x},
file = {:home/x/a.pdf:pdf},
isbn = {978-3-16-148410-0},
journal = {Sample \& Co},
keywords = {one; two},
mendeley-tags = {mine},
month = {jul},
pages = {12--e5},
title = {{All in double braces}},
url = {http://example.org/{~}x/a{\_}b},
volume = {7},
year = {2015}
}
@misc{sample2023preprint,
      title={A Preprint of Samples},
      author={Anna Sample and Bo Muster},
      year={2023},
      eprint={2301.00001},
      archivePrefix={arXiv},
      primaryClass={cs.CL}
}
@inproceedings{10.1145/1.2, author = {Sample, A.}, title = {With a Slash &amp; an Entity}, year = {2020}, isbn = {9783161484100}, publisher = {Association for Sample Machinery}, address = {Sample City, SC, USA}, url = {https://doi.org/10.1145/1.2}, booktitle = {Proceedings}, numpages = {3}, location = {Virtual}, series = {S '20} }
@misc{site, title = {A site}, howpublished = {Available at \url{https://example.org/site\_1}, last seen}, note = {Accessed: 2020-01-01}}
@book{scholar, title={A book of samples}, author={Sample, A and others}, volume={2}, year={1985}, publisher={Sample University Press}, edition={3rd}}
"#,
    );
    assert_eq!(found.problems, []);
    let [mendeley, arxiv, acm, site, scholar] = found.entries.as_slice() else { panic!("{found:#?}") };
    assert_eq!(text(&mendeley.reference.title), "All in double braces");
    assert_eq!(text(&mendeley.reference.doi), "10.1000/182_x");
    assert_eq!(shown(&mendeley.reference.authors), "Anna B Sample; Jörg Müller");
    assert_eq!((date(mendeley).as_str(), text(&mendeley.reference.pages)), ("2015-07", "12-e5"));
    assert_eq!(mendeley.tags, ["one", "two", "mine"]);
    assert_eq!(text(&mendeley.url), "http://example.org/~x/a_b");
    assert_eq!(text(&mendeley.reference.summary), "Samples & more, p < 0.05");
    assert_eq!(text(&arxiv.url), "https://arxiv.org/abs/2301.00001");
    assert_eq!(text(&arxiv.reference.genre), "article");
    assert_eq!((text(&acm.reference.doi), text(&acm.reference.title)), ("10.1145/1.2", "With a Slash & an Entity"));
    assert_eq!(acm.key.as_deref(), Some("10.1145/1.2"));
    assert_eq!((text(&site.url), text(&site.reference.genre)), ("https://example.org/site_1", "webpage"));
    assert_eq!((text(&scholar.reference.edition), text(&scholar.reference.genre)), ("3rd", "book"));
    assert_eq!(shown(&scholar.reference.authors), "A Sample");
}

#[test]
fn ris_of_zotero_endnote_and_publishers_is_read() {
    let found = imported(
        "\u{feff}\r\nTY  - JOUR\r\nTI  - Effects of Sampling &amp; <i>more</i>\r\nAU  - Sample, Anna B.\r\nAU  - van der Muster, Max, Jr.\r\n\
         T2  - Journal of Sample Studies\r\nJ2  - J Sample\r\nAB  - First line\r\nthat goes on - so it does\r\nDA  - 2021/03/04/\r\n\
         PY  - 2021\r\nDO  - http://dx.doi.org/10.1000/ABC\r\nVL  - 12\r\nIS  - 3\r\nSP  - 101\r\nEP  - 118\r\nSN  - 1234-5679\r\n\
         UR  - https://example.org/a\r\nY2  - 2022/01/09/10:00:00\r\nKW  - lakes\r\nKW  - sampling\r\nLA  - en\r\nER  - \r\n\r\n\r\n\
         TY  - CHAP\r\nA1  - Muster, E.\r\nA2  - Editor, Edda\r\nT1  - A Chapter\r\nBT  - A Whole Book\r\nPY  - 2019//\r\nPB  - Sample Press\r\n\
         CY  - Sampleton\r\nSP  - 5-9\r\nSN  - 978-3-16-148410-0\r\nID  - 17\r\n\
         TY  - BOOK\r\nAU  - Sample University\r\nTI  - Without an end\r\nY1  - 1999///\r\nET  - 2nd\r\nN1  - A note",
    );
    let [article, chapter, book] = found.entries.as_slice() else { panic!("{found:#?}") };
    let reference = &article.reference;
    assert_eq!(text(&reference.title), "Effects of Sampling & more");
    assert_eq!(shown(&reference.authors), "Anna B. Sample; Max van der Muster Jr.");
    assert_eq!(text(&reference.summary), "First line that goes on - so it does");
    assert_eq!((date(article).as_str(), text(&reference.pages)), ("2021-03-04", "101-118"));
    assert_eq!(
        (text(&reference.doi), text(&reference.issn), text(&reference.language)),
        ("10.1000/abc", "1234-5679", "en")
    );
    assert_eq!(
        (text(&article.url), article.accessed.unwrap().to_string().as_str()),
        ("https://example.org/a", "2022-01-09")
    );
    assert_eq!(article.tags, ["lakes", "sampling"]);
    assert_eq!(article.line, 2);
    assert_eq!((text(&chapter.reference.container), text(&chapter.reference.genre)), ("A Whole Book", "chapter"));
    assert_eq!(shown(&chapter.reference.editors), "Edda Editor");
    assert_eq!((text(&chapter.reference.pages), text(&chapter.reference.isbn)), ("5-9", "978-3-16-148410-0"));
    assert_eq!(chapter.key.as_deref(), Some("17"));
    assert_eq!((shown(&book.reference.authors).as_str(), date(book).as_str()), ("Sample University", "1999"));
    assert_eq!(text(&book.reference.note), "A note");
    assert_eq!(found.problems.len(), 1, "{:#?}", found.problems);
    assert_eq!(found.problems[0].line, Some(37));
}

#[test]
fn pubmed_is_read() {
    let found = imported(
        "\nPMID- 12345678\nOWN - NLM\nIS  - 1234-5679 (Print)\nVI  - 5\nIP  - 2\nDP  - 2020 May 3\nTI  - Samples in the\n      wild.\n\
         PG  - 12-9\nLID - 10.1000/xyz [doi]\nAB  - BACKGROUND: It - was so.\nFAU - Sample, Anna B\nAU  - Sample AB\nCN  - Sample Study Group\n\
         LA  - eng\nPT  - Journal Article\nJT  - Journal of samples\nMH  - *Samples/methods\n\nPMID- 2\nTI  - Second\nAU  - Muster E\n",
    );
    let [first, second] = found.entries.as_slice() else { panic!("{found:#?}") };
    assert_eq!(text(&first.reference.title), "Samples in the wild");
    assert_eq!(shown(&first.reference.authors), "Anna B Sample; Sample Study Group");
    assert_eq!((date(first).as_str(), text(&first.reference.doi)), ("2020-05-03", "10.1000/xyz"));
    assert_eq!((text(&first.reference.issue), text(&first.reference.issn)), ("2", "1234-5679"));
    assert_eq!(text(&first.url), "https://pubmed.ncbi.nlm.nih.gov/12345678/");
    assert_eq!(text(&first.reference.language), "en");
    assert_eq!(shown(&second.reference.authors), "E. Muster");
    assert_eq!(found.problems, []);
}

#[test]
fn csl_json_of_zotero_and_crossref_is_read() {
    let found = imported(
        r#"[{"id":"http://zotero.org/users/1/items/ABC","citation-key":"sample2021","type":"article-journal","title":"On <i>Samples</i>",
             "author":[{"family":"Sample","given":"Anna"},{"family":"Muster","given":"Max","non-dropping-particle":"van der","suffix":"Jr."},{"literal":"Sample Group"}],
             "issued":{"date-parts":[["2021",3,"4"]]},"container-title":"Journal","volume":12,"page":"1–9","DOI":"10.1000/ABC","language":"en-US","keyword":"a, b"},
            {"id":2,"type":"webpage","title":"A page","URL":"https://example.org/","issued":{"raw":"May 2020"},"accessed":{"date-parts":[[2022,1,9]]}},
            17, {"type":"book"}]"#,
    );
    let [article, page] = found.entries.as_slice() else { panic!("{found:#?}") };
    assert_eq!(article.key.as_deref(), Some("sample2021"));
    assert_eq!(text(&article.reference.title), "On Samples");
    assert_eq!(shown(&article.reference.authors), "Anna Sample; Max van der Muster Jr.; Sample Group");
    assert_eq!((date(article).as_str(), text(&article.reference.pages)), ("2021-03-04", "1-9"));
    assert_eq!((text(&article.reference.volume), text(&article.reference.doi)), ("12", "10.1000/abc"));
    assert_eq!(article.tags, ["a", "b"]);
    assert_eq!((date(page).as_str(), page.key.as_deref()), ("2020-05", Some("2")));
    assert_eq!(found.problems.len(), 2);

    let crossref = imported(
        r#"{"status":"ok","message":{"type":"journal-article","title":["One title"],"author":[{"given":"A.","family":"Sample"}],
            "container-title":["Journal"],"ISSN":["1234-5679"],"issued":{"date-parts":[[2020]]},"DOI":"10.1000/x"}}"#,
    );
    assert_eq!(text(&crossref.entries[0].reference.title), "One title");
    assert_eq!(text(&crossref.entries[0].reference.genre), "article-journal");
    let cut = imported(r#"[{"title":"Kept"},{"title":"#);
    assert_eq!((cut.entries.len(), cut.problems.len()), (1, 1));
    assert_eq!(imported(r#"{"items":[{"title":"a"},{"title":"b"}]}"#).entries.len(), 2);
    assert!(matches!(read("[nonsense", None), Err(ImportError::Damaged { .. })));
}

#[test]
fn the_format_is_told_from_the_text() {
    for (text, expected) in [
        ("@article{a, title={b}}", Some(ImportFormat::Bibtex)),
        ("% comment\n\n  @Book {x,", Some(ImportFormat::Bibtex)),
        ("TY  - JOUR\nER  -", Some(ImportFormat::Ris)),
        ("TY - JOUR\n", Some(ImportFormat::Ris)),
        ("Provider: Sample\nTY  - BOOK", Some(ImportFormat::Ris)),
        ("PMID- 1\n", Some(ImportFormat::Medline)),
        (" [{}]", Some(ImportFormat::CslJson)),
        ("Just some words, me@example.org", None),
        ("", None),
    ] {
        assert_eq!(ImportFormat::detect_format(text), expected, "{text}");
    }
    assert_eq!(read("nothing", None), Err(ImportError::UnknownFormat));
    assert_eq!(
        ImportFormat::ALL
            .iter()
            .map(|format| ImportFormat::from_name(format.as_str()))
            .collect::<Option<Vec<_>>>()
            .unwrap(),
        ImportFormat::ALL
    );
}

#[test]
fn files_made_to_take_for_ever_do_not() {
    let began = std::time::Instant::now();
    let doubling: String = (1..60).map(|at| format!("@string{{a{at} = a{} # a{}}}\n", at - 1, at - 1)).collect();
    let doubling = format!("@string{{a0 = {{{}}}}}\n{doubling}@misc{{x, title = a59}}", "x".repeat(1000));
    let selfish = "@string{a = a # a}\n@misc{x, title = a}";
    let n = 200_000;
    for text in [
        doubling.as_str(),
        selfish,
        &"@a{b,c=".repeat(n),
        &"@".repeat(n),
        &"@article{".repeat(n),
        &"@article{\n".repeat(n / 4),
        &format!("@a{{k,\n{}", "t = {\n".repeat(n)),
        &format!("@a{{k,t = {}", "{".repeat(n)),
        &format!("@a{{k,t = {{x}}{}\n y = {{z}}", "}".repeat(n)),
        &format!("@a{{k,title = {{{}}}}}", "\\emph{".repeat(n)),
        &format!("@a{{k,title={{x}},author = {{{}}}}}", "a and ".repeat(n)),
        &format!("@a{{k,title={{x}},author = {{{}}}}}", "{".repeat(n)),
        &format!("TY  - JOUR\n{}", "AU  - x\n".repeat(n)),
        &format!("TY  - JOUR\nAB  - x\n{}", "more\n".repeat(n)),
        &"TY  - JOUR\n".repeat(n),
        &"[".repeat(n),
        &format!("[{{\"title\":\"{}\"}}]", "&lt;<".repeat(n)),
    ] {
        let _ = read(text, None);
    }
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_text_makes_a_reader_panic(
        parts in prop::collection::vec(
            prop_oneof![
                Just("@article{k,"), Just("@string{"), Just("author = "), Just("title={"), Just("year = 2020,"), Just("{"), Just("}"),
                Just("\""), Just("\\"), Just("\\'"), Just("#"), Just("="), Just(","), Just("\n"), Just(" and "), Just("$"), Just("%"),
                Just("TY  - JOUR\n"), Just("AU  - "), Just("ER  - \n"), Just("PMID- "), Just("FAU - x, y"), Just("é漢"), Just("10.1000/"),
                Just("[{\"title\":"), Just("&eacute;"), Just("<i>"), Just("date={20-/"), Just("}\n@book{"), Just("~"), Just("pages={--"),
            ],
            0..40,
        ),
    ) {
        let text: String = parts.concat();
        for format in [None, Some(ImportFormat::Bibtex), Some(ImportFormat::Ris), Some(ImportFormat::Medline), Some(ImportFormat::CslJson)] {
            let _ = read(&text, format);
        }
    }

    #[test]
    fn what_stands_between_broken_entries_is_found(before in "[{}\",=a-z\n]{0,40}", after in "[{}\",=a-z\n]{0,40}") {
        let text = format!("@misc{{x, title = {before}\n@book{{good, title = {{Good}}, year = 2020}}\n@misc{{y, {after}");
        let found = read(&text, None).unwrap();
        let good = found.entries.iter().find(|entry| entry.key.as_deref() == Some("good"));
        prop_assert_eq!(good.and_then(|good| good.reference.title.as_deref()), Some("Good"));
    }
}
