use ibid_language::{
    lexicon::QuantityLimit,
    numbers::{Number, NumberKind, numbers, spelled_number},
};

use crate::language;

fn values(code: &str, text: &str) -> Vec<f64> {
    numbers(text, language(code)).iter().map(|number| number.value).collect()
}

#[test]
fn digits_are_read_as_their_language_writes_them() {
    for (code, text, expected) in [
        ("en", "1,250 or 1.250 or 1,250.75", &[1250.0, 1.25, 1250.75][..]),
        ("de", "1.250 oder 1,250 oder 1.250,75", &[1250.0, 1.25, 1250.75]),
        ("fr", "12 500 ou 12\u{202F}500,5 ou 1,5", &[12500.0, 12500.5, 1.5]),
        ("es", "1.250.000 y 3,15", &[1_250_000.0, 3.15]),
        ("it", "1.250 e 0,125", &[1250.0, 0.125]),
        ("nl", "1.250 en 2,5", &[1250.0, 2.5]),
        ("pt", "1.250 e 2,5", &[1250.0, 2.5]),
        ("de", "1’250’000", &[1_250_000.0]),
        ("en", "12\u{A0}500 in 2021", &[12500.0, 2021.0]),
        ("en", "in 2021 300 people", &[2021.0, 300.0]),
        ("en", "It fell.[1] It rose [2, 3] by 4.", &[4.0]),
        ("en", "1. First item\n2) second item\n7 boats", &[1.0, 7.0]),
        ("de", "3. Mai 1931", &[3.0, 1931.0]),
        ("en", "version 2.0.1 of COVID-19, covid-19 and carbon-13 at 192.168.0.1", &[]),
        ("en", "1.5 million, $2bn, 3k, 20 %, 5km", &[1.5e6, 2e9, 3e3, 20.0, 5.0]),
        ("de", "1,5 Millionen, 3 Mrd. Euro", &[1.5e6, 3e9]),
        ("fr", "1,5 million, 3 milliards", &[1.5e6, 3e9]),
        ("es", "1,5 millones y 3 mil millones", &[1.5e6, 3e9]),
        ("it", "1,5 milioni e 3 miliardi", &[1.5e6, 3e9]),
        ("nl", "1,5 miljoen en 3 miljard", &[1.5e6, 3e9]),
        ("pt", "1,5 milhões e 3 mil", &[1.5e6, 3e3]),
        ("en", "from 2010 to 2015, 2010-2015, 2010–2015", &[2010.0, 2015.0, 2010.0, 2015.0, 2010.0, 2015.0]),
        ("en", "at -5 degrees and −7", &[-5.0, -7.0]),
        ("en", "the 1990s, mid-1990s", &[1990.0, 1990.0]),
        ("de", "die 1990er Jahre", &[1990.0]),
    ] {
        assert_eq!(values(code, text), expected, "{code}: {text}");
    }
}

#[test]
fn numbers_in_words_have_the_same_value_in_every_language() {
    for (value, words) in [
        (5.0, ["five", "fünf", "cinq", "cinco", "cinque", "vijf", "cinco"]),
        (11.0, ["eleven", "elf", "onze", "once", "undici", "elf", "onze"]),
        (17.0, ["seventeen", "siebzehn", "dix-sept", "diecisiete", "diciassette", "zeventien", "dezassete"]),
        (20.0, ["twenty", "zwanzig", "vingt", "veinte", "venti", "twintig", "vinte"]),
        (21.0, ["twenty-one", "einundzwanzig", "vingt et un", "veintiuno", "ventuno", "eenentwintig", "vinte e um"]),
        (
            33.0,
            [
                "thirty-three",
                "dreiunddreißig",
                "trente-trois",
                "treinta y tres",
                "trentatré",
                "drieëndertig",
                "trinta e três",
            ],
        ),
        (
            48.0,
            [
                "forty-eight",
                "achtundvierzig",
                "quarante-huit",
                "cuarenta y ocho",
                "quarantotto",
                "achtenveertig",
                "quarenta e oito",
            ],
        ),
        (
            71.0,
            [
                "seventy-one",
                "einundsiebzig",
                "soixante et onze",
                "setenta y uno",
                "settantuno",
                "eenenzeventig",
                "setenta e um",
            ],
        ),
        (80.0, ["eighty", "achtzig", "quatre-vingts", "ochenta", "ottanta", "tachtig", "oitenta"]),
        (
            97.0,
            [
                "ninety-seven",
                "siebenundneunzig",
                "quatre-vingt-dix-sept",
                "noventa y siete",
                "novantasette",
                "zevenennegentig",
                "noventa e sete",
            ],
        ),
        (100.0, ["a hundred", "hundert", "cent", "cien", "cento", "honderd", "cem"]),
        (
            105.0,
            [
                "one hundred and five",
                "hundertfünf",
                "cent cinq",
                "ciento cinco",
                "centocinque",
                "honderdvijf",
                "cento e cinco",
            ],
        ),
        (
            250.0,
            [
                "two hundred and fifty",
                "zweihundertfünfzig",
                "deux cent cinquante",
                "doscientos cincuenta",
                "duecentocinquanta",
                "tweehonderdvijftig",
                "duzentos e cinquenta",
            ],
        ),
        (1000.0, ["a thousand", "tausend", "mille", "mil", "mille", "duizend", "mil"]),
        (
            2500.0,
            [
                "two thousand five hundred",
                "zweitausendfünfhundert",
                "deux mille cinq cents",
                "dos mil quinientos",
                "duemilacinquecento",
                "tweeduizendvijfhonderd",
                "dois mil e quinhentos",
            ],
        ),
        (1e6, ["a million", "eine Million", "un million", "un millón", "un milione", "een miljoen", "um milhão"]),
        (
            3e6,
            [
                "three million",
                "drei Millionen",
                "trois millions",
                "tres millones",
                "tre milioni",
                "drie miljoen",
                "três milhões",
            ],
        ),
        (
            2e9,
            [
                "two billion",
                "zwei Milliarden",
                "deux milliards",
                "dos mil millones",
                "due miliardi",
                "twee miljard",
                "dois bilhões",
            ],
        ),
        (3.0, ["third", "dritte", "troisième", "tercera", "terza", "derde", "terceira"]),
        (20.0, ["twentieth", "zwanzigste", "vingtième", "vigésimo", "ventesimo", "twintigste", "vigésimo"]),
        (
            21.0,
            [
                "twenty-first",
                "einundzwanzigsten",
                "vingt et unième",
                "vigésimo primero",
                "ventunesimo",
                "eenentwintigste",
                "vigésimo primeiro",
            ],
        ),
    ] {
        for (code, words) in ["en", "de", "fr", "es", "it", "nl", "pt"].into_iter().zip(words) {
            assert_eq!(spelled_number(words, language(code)), Some(value), "{code}: {words}");
        }
    }
}

#[test]
fn words_that_are_no_numbers_are_none() {
    for (code, text) in [
        ("en", "One of the ships was second hand, and thousands came."),
        ("de", "Eine der Brücken war ein Erfolg."),
        ("fr", "Une des villes est un succès."),
        ("es", "Una de las ciudades es un éxito."),
        ("it", "Secondo il sindaco una delle città è un successo."),
        ("nl", "Een van de bruggen was een succes."),
        ("pt", "Segundo o autarca, uma das cidades reuniu na segunda-feira."),
    ] {
        assert_eq!(values(code, text), [0.0; 0], "{code}: {text}");
    }
    assert_eq!(values("en", "two and three ships"), [2.0, 3.0]);
    assert_eq!(values("pt", "dois e três navios"), [2.0, 3.0]);
    assert_eq!(values("fr", "deux et trois navires"), [2.0, 3.0]);
}

#[test]
fn kinds_and_bounds_are_told() {
    let one = |code: &str, text: &str| numbers(text, language(code)).remove(0);
    for (code, text) in [
        ("en", "20 percent"),
        ("en", "20 per cent"),
        ("en", "20%"),
        ("de", "20 Prozent"),
        ("fr", "20 pour cent"),
        ("fr", "20 %"),
        ("es", "20 por ciento"),
        ("it", "20 per cento"),
        ("nl", "20 procent"),
        ("pt", "20 por cento"),
        ("en", "twenty percent"),
    ] {
        let number = one(code, text);
        assert_eq!(
            (number.value, number.kind, number.range),
            (20.0, NumberKind::Percent, 0..text.len()),
            "{code}: {text}"
        );
    }
    for (code, text) in [
        ("en", "3rd"),
        ("de", "3. März"),
        ("fr", "3e"),
        ("es", "3.º"),
        ("it", "3º"),
        ("nl", "3e"),
        ("pt", "3.ª"),
        ("fr", "1er"),
        ("de", "dritte"),
    ] {
        assert_eq!(one(code, text).kind, NumberKind::Ordinal, "{code}: {text}");
    }
    for (code, about, least, most, more, less) in [
        ("en", "about 500", "at least 500", "at most 500", "more than 500", "fewer than 500"),
        ("de", "rund 500", "mindestens 500", "höchstens 500", "mehr als 500", "weniger als 500"),
        ("fr", "environ 500", "au moins 500", "au plus 500", "plus de 500", "moins de 500"),
        ("es", "unos 500", "al menos 500", "como máximo 500", "más de 500", "menos de 500"),
        ("it", "circa 500", "almeno 500", "al massimo 500", "più di 500", "meno di 500"),
        ("nl", "ongeveer 500", "minstens 500", "hoogstens 500", "meer dan 500", "minder dan 500"),
        ("pt", "cerca de 500", "pelo menos 500", "no máximo 500", "mais de 500", "menos de 500"),
    ] {
        assert!(one(code, about).is_approximate, "{about}");
        for (text, limit) in [
            (least, QuantityLimit::AtLeast),
            (most, QuantityLimit::AtMost),
            (more, QuantityLimit::MoreThan),
            (less, QuantityLimit::LessThan),
        ] {
            assert_eq!(one(code, text).limit, Some(limit), "{code}: {text}");
        }
    }
    let thirds = one("en", "two thirds of it");
    assert_eq!(thirds.kind, NumberKind::Fraction);
    assert!((thirds.value - 2.0 / 3.0).abs() < 1e-9);
    assert!((one("de", "zwei Drittel").value - 2.0 / 3.0).abs() < 1e-9);
}

#[test]
fn numbers_agree_however_they_are_written() {
    let missing = |code: &str, claim: &str, passage: &str| {
        let known = numbers(passage, language(code));
        numbers(claim, language(code))
            .iter()
            .filter(|one: &&Number| !known.iter().any(|known| one.agrees_with(known)))
            .count()
    };
    for (code, claim, passage) in [
        ("en", "1,500,000 people", "1.5 million people"),
        ("en", "in 1984", "(1984)"),
        ("en", "about 3.2 km", "3.17 km"),
        ("en", "three ships", "3 ships"),
        ("en", "12%", "12 percent"),
        ("en", "$2bn", "2 billion dollars"),
        ("en", "20 %", "a share of 0.2"),
        ("en", "roughly 1,500", "1,498"),
        ("de", "1,5 Millionen", "1.500.000"),
        ("de", "drei Boote", "3 Boote"),
        ("fr", "trois bateaux", "3 bateaux"),
        ("fr", "12 500 habitants", "12.500 habitants"),
        ("es", "tres barcos", "3 barcos"),
        ("it", "tre barche", "3 barche"),
        ("nl", "drie boten", "3 boten"),
        ("pt", "três barcos", "3 barcos"),
    ] {
        assert_eq!(missing(code, claim, passage), 0, "{code}: {claim} | {passage}");
    }
    for (code, claim, passage) in [
        ("en", "1985", "1984"),
        ("en", "1900", "1932"),
        ("en", "3.2 km", "3.3 km"),
        ("en", "15 million", "1.5 million"),
        ("de", "drei", "fünf"),
        ("fr", "trois", "cinq"),
        ("es", "tres", "cinco"),
        ("it", "tre", "cinque"),
        ("nl", "drie", "vijf"),
        ("pt", "três", "cinco"),
    ] {
        assert_eq!(missing(code, claim, passage), 1, "{code}: {claim} | {passage}");
    }
}
