use ibid_language::{
    Language,
    detect::{detect, detect_quickly, detect_short, guess},
};

#[test]
fn a_document_tells_its_language() {
    for (text, expected) in [
        (
            "The committee met on Tuesday and agreed that the report should be published before the end of the year.",
            "en",
        ),
        (
            "Der Ausschuss traf sich am Dienstag und beschloss, den Bericht noch vor Ende des Jahres zu veröffentlichen.",
            "de",
        ),
        (
            "Le comité s'est réuni mardi et a décidé que le rapport serait publié avant la fin de l'année prochaine.",
            "fr",
        ),
        (
            "El comité se reunió el martes por la mañana y decidió, después de una larga discusión, que el informe debía publicarse antes de que terminara el año, aunque algunos de sus miembros no estaban de acuerdo con ello.",
            "es",
        ),
        ("委員会は火曜日に会合を開き、年末までに報告書を公表することで合意しました。", "ja"),
        ("委员会星期二开会，同意在年底之前公布这份报告。", "zh"),
        ("Комитет собрался во вторник и решил опубликовать доклад до конца года.", "ru"),
    ] {
        assert_eq!(detect(text).map(Language::code), Some(expected), "{text}");
        assert_eq!(detect(&text.repeat(5000)).map(Language::code), Some(expected));
    }
    for text in ["", "12345 67890", "...", "OK", "x = y + 1;"] {
        assert_eq!(detect(text), None, "{text}");
    }
}

#[test]
fn english_is_told_by_its_common_words_and_others_are_not_taken_for_it() {
    for (text, expected) in [
        ("It was the end of the war, and this is what they had to do with all of it in the year.", Some("en")),
        (
            "Der Ausschuss traf sich am Dienstag und beschloss, den Bericht noch vor Ende des Jahres zu lesen.",
            Some("de"),
        ),
        (
            "The committee was told that it would have to wait for the report, which is due at the end of the year.",
            Some("en"),
        ),
        (
            "Der Ausschuss hat erfahren, dass er auf den Bericht warten muss, der am Ende des Jahres erscheinen soll.",
            Some("de"),
        ),
        (
            "Le comité a appris qu'il devrait attendre le rapport, qui doit paraître à la fin de l'année en cours.",
            Some("fr"),
        ),
        (
            "Il comitato ha saputo che dovrà aspettare la relazione, che uscirà alla fine dell'anno in corso.",
            Some("it"),
        ),
        (
            "De commissie heeft gehoord dat zij moet wachten op het verslag, dat aan het einde van het jaar komt.",
            Some("nl"),
        ),
        ("Zeta-7 relay, 40 V", None),
        ("", None),
    ] {
        assert_eq!(detect_quickly(text).map(Language::code), expected, "{text}");
    }
    let danish = "Udvalget fik at vide, at det skulle vente på rapporten i et år, for at alt var over.";
    // Half of these are words of English, too.
    let czech = "To je do a on to byl do té doby, a proto šel do města a do školy, kde ho čekali rodiče.";
    for text in [danish, czech] {
        assert_ne!(detect_quickly(text), Some(Language::ENGLISH), "{text}");
    }
}

#[test]
fn a_claim_or_a_question_tells_its_language() {
    for (text, expected) in [
        ("When was the bridge opened to traffic?", "en"),
        ("Wann wurde die Brücke für den Verkehr geöffnet?", "de"),
        ("Quand le pont a-t-il été ouvert à la circulation ?", "fr"),
        ("¿Cuándo se abrió el puente al tráfico?", "es"),
        ("Quando è stato aperto il ponte al traffico?", "it"),
        ("Quando foi que a ponte abriu ao trânsito?", "pt"),
        ("Wanneer werd de brug voor het verkeer geopend?", "nl"),
        ("När öppnades bron för trafik och vem var där?", "sv"),
        ("Hvornår blev broen åbnet for trafik?", "da"),
        ("Kiedy most został otwarty dla ruchu?", "pl"),
        ("Когда был открыт мост?", "ru"),
        ("Πότε άνοιξε η γέφυρα;", "el"),
        ("متى افتتح الجسر؟", "ar"),
        ("桥是什么时候开通的？", "zh"),
        ("橋はいつ開通しましたか？", "ja"),
        ("Die Brücke wurde nach der Flut nicht wieder aufgebaut.", "de"),
        ("The bridge was rebuilt after the flood.", "en"),
        ("Le pont n'a pas été reconstruit après la crue.", "fr"),
        ("De brug werd na de overstroming niet herbouwd.", "nl"),
        ("El puente no fue reconstruido después de la inundación.", "es"),
        ("Il ponte non fu ricostruito dopo l'alluvione.", "it"),
        ("A ponte não foi reconstruída depois da cheia.", "pt"),
    ] {
        assert_eq!(detect_short(text).map(Language::code), Some(expected), "{text}");
    }
    for text in ["Milloin silta avattiin liikenteelle?", "", "NASA 2021", "Bridge"] {
        assert_eq!(detect_short(text), None, "{text}");
    }
}

#[test]
fn a_guess_falls_back_to_the_hint_and_then_to_english() {
    assert_eq!(guess("NASA 2021", Some(Language::DUTCH)), Language::DUTCH);
    assert_eq!(guess("NASA 2021", None), Language::ENGLISH);
    assert_eq!(guess("Das ist die Brücke.", Some(Language::DUTCH)), Language::GERMAN);
}
