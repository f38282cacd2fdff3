use ibid_language::{
    Language,
    detect::{detect, detect_short, guess},
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
