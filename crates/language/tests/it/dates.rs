use ibid_language::{
    Language,
    dates::{CalendarDate, DateOrder, DatePrecision, DateReader, dates},
};

use crate::language;

/// A date as `2021-03-05`, with `?` for what is not named.
fn written(date: CalendarDate) -> String {
    let two = |number: Option<i8>| number.map_or_else(|| "?".to_owned(), |number| format!("{number:02}"));
    let year = date.year.map_or_else(|| "?".to_owned(), |year| year.to_string());
    match date.precision() {
        DatePrecision::Year => year,
        DatePrecision::Month | DatePrecision::MonthWithoutYear => format!("{year}-{}", two(date.month)),
        DatePrecision::Day | DatePrecision::DayWithoutYear => format!("{year}-{}-{}", two(date.month), two(date.day)),
    }
}

fn found(text: &str, code: &str) -> String {
    let language = (!code.is_empty()).then(|| language(code));
    dates(text, language).into_iter().map(|mention| written(mention.date)).collect::<Vec<_>>().join(" ")
}

#[test]
fn dates_are_read_in_every_language() {
    for (code, text, expected) in [
        ("en", "It opened on 3 March 2021.", "2021-03-03"),
        ("en", "It opened on March 3, 2021, at noon.", "2021-03-03"),
        ("en", "the 3rd of March, 2021", "2021-03-03"),
        ("en", "on March 3rd and in May 2022", "?-03-03 2022-05"),
        ("en", "They may come in May or march on.", "?-05"),
        ("en", "12–14 May 2024; 12 to 14 May", "2024-05-12 ?-05-12"),
        ("de", "am 3. März 2021 und im Mai", "2021-03-03 ?-05"),
        ("de", "vom 12. bis 14. Mai 2024", "2024-05-12"),
        ("de", "am 03.05.2021", "2021-05-03"),
        ("fr", "le 3 mars 2021 et le 1er avril", "2021-03-03 ?-04-01"),
        ("fr", "en août 2019", "2019-08"),
        ("es", "el 3 de marzo de 2021", "2021-03-03"),
        ("es", "en marzo de 2021", "2021-03"),
        ("it", "il 3 marzo 2021, il 1º maggio", "2021-03-03 ?-05-01"),
        ("nl", "op 3 maart 2021", "2021-03-03"),
        ("nl", "in mei 2021", "2021-05"),
        ("pt", "a 3 de março de 2021", "2021-03-03"),
        ("pt", "em maio de 2021", "2021-05"),
        ("sv", "den 3 mars 2021", "2021-03-03"),
        ("da", "den 3. marts 2021", "2021-03-03"),
        ("pl", "3 marca 2021", "2021-03-03"),
        ("ru", "3 марта 2021 года", "2021-03-03"),
        ("en", "2021-03-05 and 2021-03", "2021-03-05 2021-03"),
        ("en", "in 1984 and 2010-2015", "1984 2010 2015"),
        ("en", "31 February 2021", "2021-02"),
        ("zh", "2021年3月5日", "2021-03-05"),
        ("", "01-May-2024", "2024-05-01"),
        ("", "May 1 10:30:00 GMT 2024", "2024-05-01"),
        ("", "2024. május 1.", "2024-05-01"),
        ("", "2020 May 3", "2020-05-03"),
        ("", "20240501", "2024-05-01"),
        ("", "1. tammikuuta 2024", "2024-01-01"),
        ("", "2020-05-01T10:20:30Z", "2020-05-01"),
        ("en", "+49 30 12.05.2021.7", ""),
    ] {
        assert_eq!(found(text, code), expected, "{code}: {text}");
    }
}

#[test]
fn an_uncertain_order_is_told() {
    let one = |text: &str, language: Option<Language>, order: Option<DateOrder>| {
        let mention = DateReader { language, order }.find_best(text).unwrap();
        (written(mention.date), mention.alternative.map(written))
    };
    let english = Some(Language::ENGLISH);
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(one("03/05/2021", english, None), ("2021-03-05".to_owned(), some("2021-05-03")));
    assert_eq!(one("03/05/2021", english, Some(DateOrder::DayFirst)), ("2021-05-03".to_owned(), None));
    assert_eq!(one("23/05/2021", english, None), ("2021-05-23".to_owned(), None));
    assert_eq!(one("03/05/2021", Some(Language::FRENCH), None), ("2021-05-03".to_owned(), None));
    assert_eq!(one("03/05/2021", None, None), ("2021-05-03".to_owned(), some("2021-03-05")));
    assert_eq!(one("03.05.2021", english, None), ("2021-05-03".to_owned(), None));
}

#[test]
fn places_and_marks_are_told() {
    let text = "Zölle: am 3. März 2021, später 1999 und im Jahr 2004.";
    let found = dates(text, Some(Language::GERMAN));
    let said: Vec<_> = found.iter().map(|mention| (&text[mention.range.clone()], mention.is_marked)).collect();
    assert_eq!(said, [("3. März 2021", true), ("1999", false), ("2004", true)]);
    let text = "12–14 May 2024";
    assert_eq!(dates(text, Some(Language::ENGLISH))[0].last_day, Some(14));
}

#[test]
fn dates_agree_where_nothing_differs() {
    let date = |text: &str| dates(text, Some(Language::ENGLISH))[0].date;
    assert!(date("3 March 2021").agrees_with(&date("March 2021")));
    assert!(date("3 March").agrees_with(&date("3 March 2021")));
    assert!(!date("3 March 2021").agrees_with(&date("3 May 2021")));
}
