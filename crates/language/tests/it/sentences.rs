use ibid_language::sentences::{sentence_spans, sentences};

#[test]
fn abbreviations_and_dates_do_not_end_a_sentence_in_any_language() {
    for (text, expected) in [
        ("Dr. Smith met Prof. Jones at No. 5. They left.", 2),
        ("Am 3. März kam Hr. Muster, d.h. ca. 5 Leute, bzw. Nr. 4. Er ging.", 2),
        ("Im 19. Jahrhundert baute man das Haus. Es steht noch.", 2),
        ("Mme. Dupont vit M. Martin, cf. fig. 3. Elle partit.", 2),
        ("El Sr. García y la Sra. López llegaron. La casa era vieja.", 2),
        ("Il sig. Rossi e il dott. Bianchi arrivarono. La casa era vecchia.", 2),
        ("Dhr. Jansen kwam, d.w.z. hij en Prof. De Vries. Hij vertrok.", 2),
        ("O Sr. Silva e a Dra. Costa chegaram. A casa era velha.", 2),
        ("It was 5 m. Then we left.", 2),
        ("Give it to me. Then go.", 2),
        ("Er kam am 3. Dann ging er.", 2),
    ] {
        let found: Vec<_> = sentences(text).map(|range| &text[range]).collect();
        assert_eq!(found.len(), expected, "{found:#?}");
    }
}

#[test]
fn spans_count_characters() {
    let text = "Żółć – first. Second 数据.";
    let spans: Vec<_> = sentence_spans(text).collect();
    let chars: Vec<char> = text.chars().collect();
    let said: Vec<String> = spans.into_iter().map(|span| chars[span].iter().collect()).collect();
    assert_eq!(said, ["Żółć – first.", "Second 数据."]);
}
