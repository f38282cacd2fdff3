use ibid_language::{lexicon::QuestionKind, questions::question_cue, words::TokenizedText};

use crate::language;

#[test]
fn questions_ask_for_the_same_in_every_language() {
    use QuestionKind::{Definition, Manner, Number, Person, Place, Reason, Thing, Time, YesNo};
    for (code, question, kind) in [
        ("en", "Who built the bridge?", Person),
        ("en", "In which year was the bridge opened?", Time),
        ("en", "How many people cross it?", Number),
        ("en", "How long is it, and where does it end?", Number),
        ("en", "Where does it end?", Place),
        ("en", "Why was it closed?", Reason),
        ("en", "What's a truss?", Definition),
        ("en", "What is the name of the architect?", Person),
        ("en", "How do I open the lock?", Manner),
        ("en", "Which bridge fell?", Thing),
        ("en", "Is the bridge closed?", YesNo),
        ("de", "Wer baute die Brücke?", Person),
        ("de", "Seit wann ist sie offen?", Time),
        ("de", "In welchem Jahr wurde sie gebaut?", Time),
        ("de", "Wie viele Bögen hat sie?", Number),
        ("de", "Wo liegt sie?", Place),
        ("de", "Warum wurde sie geschlossen?", Reason),
        ("de", "Was ist ein Fachwerk?", Definition),
        ("de", "Ist die Brücke offen?", YesNo),
        ("fr", "Qui a construit le pont ?", Person),
        ("fr", "En quelle année fut-il ouvert ?", Time),
        ("fr", "Combien d'arches a-t-il ?", Number),
        ("fr", "Où se trouve-t-il ?", Place),
        ("fr", "Pourquoi est-il fermé ?", Reason),
        ("fr", "Qu’est-ce qu’une ferme ?", Definition),
        ("fr", "Est-ce que le pont est ouvert ?", YesNo),
        ("es", "¿Quién construyó el puente?", Person),
        ("es", "¿Cuándo se abrió?", Time),
        ("es", "¿Cuántos arcos tiene?", Number),
        ("es", "¿Dónde está?", Place),
        ("es", "¿Por qué se cerró?", Reason),
        ("es", "¿Qué es una cercha?", Definition),
        ("es", "¿Está abierto el puente?", YesNo),
        ("it", "Chi costruì il ponte?", Person),
        ("it", "Quando fu aperto?", Time),
        ("it", "Quanti archi ha?", Number),
        ("it", "Dove si trova il ponte?", Place),
        ("it", "Perché fu chiuso?", Reason),
        ("it", "Che cos'è una capriata?", Definition),
        ("it", "È aperto il ponte?", YesNo),
        ("nl", "Wie bouwde de brug?", Person),
        ("nl", "Wanneer werd ze geopend?", Time),
        ("nl", "Hoeveel bogen heeft ze?", Number),
        ("nl", "Waar ligt ze?", Place),
        ("nl", "Waarom werd ze gesloten?", Reason),
        ("nl", "Wat is een vakwerk?", Definition),
        ("nl", "Is de brug open?", YesNo),
        ("pt", "Quem construiu a ponte?", Person),
        ("pt", "Quando foi aberta?", Time),
        ("pt", "Quantos arcos tem?", Number),
        ("pt", "Onde fica?", Place),
        ("pt", "Por que foi fechada?", Reason),
        ("pt", "O que é uma treliça?", Definition),
        ("pt", "Está aberta a ponte?", YesNo),
        ("ja", "東京タワーはいつ完成しましたか？", Time),
        ("zh", "桥是什么时候开通的？", Time),
        ("ko", "다리는 언제 열렸습니까?", Time),
        ("ru", "Кто построил мост?", Person),
    ] {
        let cue = question_cue(&TokenizedText::new(question, language(code)));
        assert_eq!(cue.map(|cue| cue.kind), Some(kind), "{code}: {question}");
    }
    for (code, text) in [("en", "whoever whenever"), ("en", ""), ("de", "Die Brücke.")] {
        assert_eq!(question_cue(&TokenizedText::new(text, language(code))), None, "{text}");
    }
}

#[test]
fn what_is_counted_is_named() {
    for (code, question, counted) in [
        ("en", "How many people cross it?", "people"),
        ("de", "Wie viele Menschen kamen?", "Menschen"),
        ("fr", "Combien d'arches a-t-il ?", "arches"),
        ("es", "¿Cuántos arcos tiene?", "arcos"),
        ("it", "Quanti archi ha?", "archi"),
        ("nl", "Hoeveel bogen heeft ze?", "bogen"),
        ("pt", "Quantos arcos tem?", "arcos"),
    ] {
        let text = TokenizedText::new(question, language(code));
        let place = question_cue(&text).and_then(|cue| cue.counted).unwrap();
        assert_eq!(text.tokens[place].of(question), counted, "{code}: {question}");
    }
}
