use ibid_language::{
    negation::{NegationKind, is_negated, negations, without_negating_prefix},
    words::TokenizedText,
};

use crate::language;

#[test]
fn what_is_denied_is_denied_in_every_language() {
    for (code, text) in [
        ("en", "The bridge was not rebuilt after the flood."),
        ("en", "It didn’t work."),
        ("en", "They can't swim."),
        ("en", "Nothing was found."),
        ("en", "The harbour is no longer open."),
        ("en", "Neither the town nor the port paid."),
        ("en", "He left without paying."),
        ("de", "Die Brücke wurde nach der Flut nicht wieder aufgebaut."),
        ("de", "Es gab keine Verletzten."),
        ("de", "Der Hafen ist nicht mehr offen."),
        ("de", "Weder die Stadt noch der Hafen zahlte."),
        ("de", "Niemand kam."),
        ("fr", "Le pont n'a pas été reconstruit après la crue."),
        ("fr", "Il ne vient jamais."),
        ("fr", "Aucun bateau n'a coulé."),
        ("fr", "Personne n’est venu."),
        ("fr", "Le port n'est plus ouvert."),
        ("es", "El puente no fue reconstruido."),
        ("es", "No vino nadie."),
        ("es", "Ningún barco se hundió."),
        ("es", "El puerto ya no está abierto."),
        ("it", "Il ponte non fu ricostruito."),
        ("it", "Non è venuto nessuno."),
        ("it", "Nessuna barca affondò."),
        ("it", "Il porto non è più aperto."),
        ("nl", "De brug werd niet herbouwd."),
        ("nl", "Er waren geen gewonden."),
        ("nl", "De haven is niet meer open."),
        ("nl", "Niemand kwam."),
        ("pt", "A ponte não foi reconstruída."),
        ("pt", "Não veio ninguém."),
        ("pt", "Nenhum barco afundou."),
        ("pt", "O porto já não está aberto."),
        ("sv", "Bron byggdes inte upp igen."),
        ("ru", "Мост не был открыт."),
    ] {
        assert!(is_negated(text, language(code)), "{code}: {text}");
        let count = negations(&TokenizedText::new(text, language(code))).len();
        assert_eq!(count, 1, "{code}: {text}");
    }
}

#[test]
fn what_only_looks_denied_is_not() {
    for (code, text) in [
        ("en", "Not only the bridge but also the mill was rebuilt."),
        ("en", "No. 5 is the best; so is No 6."),
        ("en", "No fewer than 50 people came."),
        ("en", "The bridge was rebuilt."),
        ("de", "Nicht nur die Brücke, sondern auch die Mühle wurde gebaut."),
        ("de", "Die Brücke steht noch."),
        ("fr", "Non seulement le pont, mais aussi le moulin a été reconstruit."),
        ("fr", "Il n'y a que trois ponts."),
        ("fr", "Il partit avant qu'il ne pleuve."),
        ("fr", "Le pont est plus long."),
        ("fr", "Ce n'est pas seulement un pont."),
        ("es", "No solo el puente, sino también el molino fue reconstruido."),
        ("es", "Sin embargo, el puente está abierto."),
        ("it", "Non solo il ponte, ma anche il mulino fu ricostruito."),
        ("nl", "Niet alleen de brug, maar ook de molen werd herbouwd."),
        ("pt", "Não só a ponte, mas também o moinho foi reconstruído."),
        ("pt", "A ponte é mais longa."),
    ] {
        assert!(!is_negated(text, language(code)), "{code}: {text}");
    }
}

#[test]
fn the_word_that_is_denied_is_hinted_at() {
    for (code, text, denied) in [
        ("en", "The bridge was not rebuilt in May.", "rebuilt"),
        ("de", "Es gab keine Verletzten.", "Verletzten"),
        ("de", "Der Bus kam nicht.", "kam"),
        ("fr", "Le maire ne paya pas la dette.", "paya"),
        ("es", "El puente no fue reconstruido.", "reconstruido"),
        ("it", "Il ponte non fu ricostruito.", "ricostruito"),
        ("nl", "De brug werd niet herbouwd.", "herbouwd"),
        ("pt", "A ponte não foi reconstruída.", "reconstruída"),
    ] {
        let tokens = TokenizedText::new(text, language(code));
        let scope = negations(&tokens)[0].scope.map(|place| tokens.tokens[place].of(text));
        assert_eq!(scope, Some(denied), "{code}: {text}");
    }
    let text = TokenizedText::new("It failed.", language("en"));
    assert_eq!(negations(&text)[0].kind, NegationKind::Implicit);
}

#[test]
fn a_beginning_that_denies_is_cut() {
    for (code, word, rest) in [
        ("en", "unsafe", "safe"),
        ("de", "unsicher", "sicher"),
        ("fr", "impossible", "possible"),
        ("es", "imposible", "posible"),
        ("it", "impossibile", "possibile"),
        ("nl", "onveilig", "veilig"),
        ("pt", "impossível", "possível"),
    ] {
        assert!(without_negating_prefix(word, language(code)).any(|found| found == rest), "{code}: {word}");
    }
}
