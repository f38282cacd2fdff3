//! Dates as people and programs write them.

use ibid_domain::PartialDate;

/// Order of day and month in dates such as `5/1/2024`, where both are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateOrder {
    DayFirst,
    MonthFirst,
}

/// Names of months, full and short, as they stand in dates of European, Arabic and Hebrew pages.
const MONTHS: [&str; 12] = [
    "january jan januar jänner jän janvier janv enero ene gennaio gen janeiro januari tammikuuta stycznia \
     styczeń sty ledna leden января январь янв січня січ януари яну január ocak oca ianuarie ian ιανουαρίου \
     ιαν siječnja januara јануар јануара يناير januára janar jaanuar janvāris sausio gener janúar ינואר",
    "february feb februar feber février fevrier févr fév febrero febbraio fevereiro fev februari helmikuuta \
     lutego luty lut února únor февраля февраль фев февр лютого лют февруари február şubat şub februarie \
     φεβρουαρίου φεβ veljače februara фебруар فبراير februára veebruar vasario febrer febrúar פברואר febr",
    "march mar märz mär maerz mrz mars marzo março marco maart mrt maaliskuuta marca marzec března březen \
     марта март мар березня бер március márc mart martie μαρτίου μαρ ožujka marta مارس märts kovo març מרץ \
     marts",
    "april apr avril avr abril abr aprile huhtikuuta kwietnia kwiecień kwi dubna duben апреля апрель апр \
     квітня квіт април április ápr nisan nis aprilie απριλίου απρ travnja aprila أبريل ابريل apríla prill \
     aprill balandžio apríl אפריל",
    "may mai mayo maggio mag maio mei maj toukokuuta maja května květen мая май травня трав május máj mayıs \
     μαΐου μαι svibnja мај مايو mája gegužės maig maí מאי toukok",
    "june jun juni juin junio giugno giu junho kesäkuuta czerwca czerwiec cze června červen июня июнь июн \
     червня черв юни június jún haziran haz iunie iun ιουνίου ιουν lipnja juna јун يونيو júna qershor juuni \
     birželio juny júní יוני",
    "july jul juli juillet juil julio luglio lug julho heinäkuuta lipca lipiec lip července červenec июля \
     июль июл липня лип юли július júl temmuz tem iulie iul ιουλίου ιουλ srpnja jula јул يوليو júla korrik \
     juuli liepos juliol júlí יולי",
    "august aug août aout agosto ago agost augustus elokuuta sierpnia sierpień sie srpna srpen августа август \
     авг серпня серп augusztus ağustos ağu αυγούστου αυγ kolovoza augusta avgust avgusta أغسطس gusht \
     rugpjūčio ágúst אוגוסט augusti",
    "september sept sep septembre septiembre setiembre settembre set setembro syyskuuta września wrzesień wrz \
     září сентября сентябрь сен сент вересня вер септември szeptember szept eylül eyl septembrie σεπτεμβρίου \
     σεπ rujna septembra септембар سبتمبر shtator rugsėjo setembre ספטמבר",
    "october oct oktober okt octobre octubre ottobre ott outubro out lokakuuta października październik paź \
     října říjen октября октябрь окт жовтня жовт октомври október ekim eki octombrie οκτωβρίου οκτ oktobra \
     октобар أكتوبر tetor spalio אוקטובר oktoober",
    "november nov novembre noviembre novembro marraskuuta listopada listopad lis listopadu ноября ноябрь ноя \
     нояб листопада лист ноември kasım kas noiembrie noi νοεμβρίου νοε studenoga studenog novembra новембар \
     نوفمبر nëntor lapkričio נובמבר nóvember",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro joulukuuta grudnia \
     grudzień gru prosince prosinec декабря декабрь дек грудня груд декември aralık ara decembrie δεκεμβρίου \
     δεκ prosinca decembra децембар ديسمبر dhjetor gruodžio desembre דצמבר desember des detsember",
];

fn month_named(word: &str) -> Option<i8> {
    let index = MONTHS.iter().position(|names| names.split(' ').any(|name| name == word))?;
    i8::try_from(index + 1).ok()
}

/// Returns true if the lower-case word is the name of a month in one of the known languages.
pub(crate) fn is_month(word: &str) -> bool {
    month_named(word).is_some()
}

/// Returns true if the lower-case word is the name of a weekday in one of the known languages.
pub(crate) fn is_weekday(word: &str) -> bool {
    const DAYS: &str = "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun \
        montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche \
        lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica \
        segunda terça quarta quinta sexta feira maandag dinsdag woensdag donderdag vrijdag zaterdag zondag";
    DAYS.split_ascii_whitespace().any(|day| day == word)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DatePart {
    Number {
        value: u32,
        digits: usize,
    },
    Month(i8),
    /// Words that stand between the parts of a date: `de`, `of`, `st`.
    Filler,
    /// The signs of Chinese, Japanese and Korean dates.
    Year,
    MonthSign,
    Word,
    Mark(char),
    /// Blank space between lines does not matter, only that there was some.
    Space,
}

/// Splits a text into what dates are made of.
fn split_date_parts(text: &str) -> Vec<DatePart> {
    const MOST: usize = 400;
    let mut parts = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some(&(start, c)) = chars.peek() {
        if parts.len() > MOST {
            break;
        }
        let mut run = |wanted: fn(char) -> bool| {
            let mut end = start;
            while let Some(&(at, c)) = chars.peek() {
                if !wanted(c) {
                    break;
                }
                end = at + c.len_utf8();
                chars.next();
            }
            &text[start..end]
        };
        if c.is_ascii_digit() {
            let digits = run(|c| c.is_ascii_digit());
            parts.push(DatePart::Number { value: digits.parse().unwrap_or(u32::MAX), digits: digits.len() });
        } else if matches!(c, '年' | '년') {
            parts.push(DatePart::Year);
            chars.next();
        } else if matches!(c, '月' | '월') {
            parts.push(DatePart::MonthSign);
            chars.next();
        } else if matches!(c, 'º' | 'ª' | '°') {
            parts.push(DatePart::Filler);
            chars.next();
        } else if c.is_alphabetic() {
            let word = run(|c| c.is_alphabetic() && !matches!(c, '年' | '月' | '년' | '월')).to_lowercase();
            parts.push(match month_named(&word) {
                Some(month) => DatePart::Month(month),
                None if matches!(
                    &*word,
                    "de" | "del" | "of" | "st" | "nd" | "rd" | "th" | "er" | "den" | "le" | "d" | "г" | "the" | "t"
                ) =>
                {
                    DatePart::Filler
                }
                None => DatePart::Word,
            });
        } else if c.is_whitespace() {
            run(char::is_whitespace);
            parts.push(DatePart::Space);
        } else {
            parts.push(DatePart::Mark(c));
            chars.next();
        }
    }
    parts
}

/// The first day that `text` names, with how far into the text's parts it stands.
pub(crate) fn find_date(text: &str, order: DateOrder) -> Option<PartialDate> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let parts = split_date_parts(text);
    (0..parts.len()).find_map(|at| starting_at(&parts, at, order))
}

/// The date that a machine wrote into an attribute: also a bare year, a month, or the seconds of a clock.
pub(crate) fn parse_machine_date(text: &str, order: DateOrder) -> Option<PartialDate> {
    let text = text.trim();
    if text.len() <= 10
        && let Ok(date) = text.parse()
    {
        return Some(date);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) && matches!(text.len(), 10 | 13) {
        return from_clock(text[..10].parse().ok()?);
    }
    find_date(text, order).or_else(|| month_only(text))
}

/// The day of a number of seconds since 1970.
fn from_clock(seconds: i64) -> Option<PartialDate> {
    let days = seconds.div_euclid(86_400);
    // The civil calendar from days, after Howard Hinnant's `civil_from_days`.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    valid_date(u32::try_from(year).ok()?, u32::try_from(month).ok()?, u32::try_from(day).ok()?)
}

fn valid_date(year: u32, month: u32, day: u32) -> Option<PartialDate> {
    PartialDate::new(i16::try_from(year).ok()?, Some(i8::try_from(month).ok()?), Some(i8::try_from(day).ok()?))
}

fn month_only(text: &str) -> Option<PartialDate> {
    let parts: Vec<DatePart> = split_date_parts(text).into_iter().filter(|part| *part != DatePart::Space).collect();
    match parts.as_slice() {
        [DatePart::Month(month), DatePart::Number { value, digits: 4 }]
        | [DatePart::Month(month), DatePart::Mark(','), DatePart::Number { value, digits: 4 }] => {
            PartialDate::new(i16::try_from(*value).ok()?, Some(*month), None)
        }
        [DatePart::Number { value, digits: 4 }, DatePart::Mark('/' | '-'), DatePart::Number { value: month, .. }] => {
            PartialDate::new(i16::try_from(*value).ok()?, i8::try_from(*month).ok(), None)
        }
        _ => None,
    }
}

/// Cursor over the parts of a possible date.
struct DatePartCursor<'a> {
    parts: &'a [DatePart],
    at: usize,
}

impl DatePartCursor<'_> {
    fn peek(&self) -> Option<DatePart> {
        self.parts.get(self.at).copied()
    }

    fn next_part(&mut self) -> Option<DatePart> {
        let part = self.peek()?;
        self.at += 1;
        Some(part)
    }

    fn skip_up_to(&mut self, skippable: impl Fn(DatePart) -> bool, most: usize) {
        for _ in 0..most {
            if self.peek().is_some_and(&skippable) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    fn read_number(&mut self, least: usize, most: usize) -> Option<u32> {
        match self.next_part()? {
            DatePart::Number { value, digits } if (least..=most).contains(&digits) => Some(value),
            _ => None,
        }
    }

    fn read_month(&mut self) -> Option<u32> {
        match self.next_part()? {
            DatePart::Month(month) => u32::try_from(month).ok(),
            _ => None,
        }
    }
}

fn is_year(value: u32) -> bool {
    (1900..2200).contains(&value)
}

fn is_filler_part(part: DatePart) -> bool {
    matches!(part, DatePart::Space | DatePart::Filler | DatePart::Mark('.' | ','))
}

fn starting_at(parts: &[DatePart], at: usize, order: DateOrder) -> Option<PartialDate> {
    let walk = || DatePartCursor { parts, at };
    match parts[at] {
        DatePart::Number { value, digits: 8 } => {
            let free = at == 0 || !matches!(parts[at - 1], DatePart::Mark('_' | '-') | DatePart::Word);
            let year = value / 10_000;
            if free && is_year(year) && year >= 1990 { valid_date(year, value / 100 % 100, value % 100) } else { None }
        }
        DatePart::Number { digits: 4, .. } => year_first(walk()),
        DatePart::Number { digits: 1 | 2, .. } => {
            named_day_first(walk()).or_else(|| parse_numeric_date(walk(), at, order))
        }
        DatePart::Month(_) => month_first(walk()),
        _ => None,
    }
}

/// `2024-05-01`, `2024/5/1`, `2024年5月1日`, `2024. május 1.`
fn year_first(mut walk: DatePartCursor<'_>) -> Option<PartialDate> {
    let year = walk.read_number(4, 4).filter(|&year| is_year(year))?;
    let start = walk.at;
    match walk.next_part()? {
        DatePart::Mark(sign @ ('-' | '/' | '.' | '‑' | '–')) => {
            walk.skip_up_to(|part| part == DatePart::Space, 1);
            if let Some(month) = walk.read_number(1, 2)
                && walk.next_part() == Some(DatePart::Mark(sign))
            {
                walk.skip_up_to(|part| part == DatePart::Space, 1);
                return valid_date(year, month, walk.read_number(1, 2)?);
            }
        }
        DatePart::Year => {
            walk.skip_up_to(|part| part == DatePart::Space, 1);
            let month = walk.read_number(1, 2)?;
            (walk.next_part()? == DatePart::MonthSign).then_some(())?;
            walk.skip_up_to(|part| part == DatePart::Space, 1);
            return valid_date(year, month, walk.read_number(1, 2)?);
        }
        _ => {}
    }
    walk.at = start;
    walk.skip_up_to(|part| is_filler_part(part) || matches!(part, DatePart::Mark('-' | '/')), 2);
    let month = walk.read_month()?;
    walk.skip_up_to(|part| is_filler_part(part) || matches!(part, DatePart::Mark('-' | '/')), 2);
    valid_date(year, month, walk.read_number(1, 2)?)
}

/// `1. Mai 2024`, `1 de mayo de 2024`, `1st of May, 2024`, `01-May-2024`.
fn named_day_first(mut walk: DatePartCursor<'_>) -> Option<PartialDate> {
    let day = walk.read_number(1, 2)?;
    walk.skip_up_to(|part| is_filler_part(part) || matches!(part, DatePart::Mark('-' | '/')), 4);
    let month = walk.read_month()?;
    walk.skip_up_to(|part| is_filler_part(part) || matches!(part, DatePart::Mark('-' | '/' | '\'' | '’')), 5);
    let year = match walk.next_part()? {
        DatePart::Number { value, digits: 4 } => value,
        // `1 May 24` is one, `1 May 10:30` is not.
        DatePart::Number { value, digits: 2 }
            if value >= 10 && !matches!(walk.peek(), Some(DatePart::Mark(':' | '.'))) =>
        {
            2000 + value
        }
        _ => return None,
    };
    is_year(year).then_some(())?;
    valid_date(year, month, day)
}

/// `May 1, 2024`, `May 1st 2024`, `May 1 10:30:00 GMT 2024`.
fn month_first(mut walk: DatePartCursor<'_>) -> Option<PartialDate> {
    let month = walk.read_month()?;
    walk.skip_up_to(is_filler_part, 3);
    let day = walk.read_number(1, 2)?;
    if walk.peek() == Some(DatePart::Mark(':')) {
        return None;
    }
    for _ in 0..14 {
        match walk.next_part()? {
            DatePart::Number { value, digits: 4 } if is_year(value) => return valid_date(value, month, day),
            DatePart::Number { digits: 1 | 2, .. }
            | DatePart::Mark(_)
            | DatePart::Space
            | DatePart::Filler
            | DatePart::Word => {}
            _ => return None,
        }
    }
    None
}

/// `01.05.2024`, `5/1/2024`, `1.5.24`.
fn parse_numeric_date(mut walk: DatePartCursor<'_>, at: usize, order: DateOrder) -> Option<PartialDate> {
    // A part of a longer number, such as a version or a telephone's, is no date.
    if at > 0 && matches!(walk.parts[at - 1], DatePart::Mark('.' | '/' | '-' | ':' | '+')) {
        return None;
    }
    let first = walk.read_number(1, 2)?;
    let DatePart::Mark(sign @ ('.' | '/' | '-')) = walk.next_part()? else { return None };
    walk.skip_up_to(|part| part == DatePart::Space, 1);
    let second = walk.read_number(1, 2)?;
    (walk.next_part()? == DatePart::Mark(sign)).then_some(())?;
    walk.skip_up_to(|part| part == DatePart::Space, 1);
    let year = match walk.next_part()? {
        DatePart::Number { value, digits: 4 } => value,
        DatePart::Number { value, digits: 2 } => 2000 + value,
        _ => return None,
    };
    if matches!(walk.peek(), Some(DatePart::Mark('.' | '/' | '-')))
        && matches!(walk.parts.get(walk.at + 1), Some(DatePart::Number { .. }))
    {
        return None;
    }
    is_year(year).then_some(())?;
    let (day, month) = match order {
        _ if second > 12 => (second, first),
        DateOrder::MonthFirst if sign != '.' && first <= 12 => (second, first),
        _ => (first, second),
    };
    valid_date(year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_people_write_them() {
        for (text, wanted) in [
            ("2024-05-01T10:00:00+02:00", "2024-05-01"),
            ("20240501", "2024-05-01"),
            ("2024/5/1", "2024-05-01"),
            ("Posted on May 1st, 2024 at 10:30", "2024-05-01"),
            ("May 01 2024", "2024-05-01"),
            ("Wed May 01 10:30:00 GMT 2024", "2024-05-01"),
            ("Wed, 01 May 2024 10:00:00 GMT", "2024-05-01"),
            ("1. Mai 2024, 10:30 Uhr", "2024-05-01"),
            ("Stand: 01.05.2024", "2024-05-01"),
            ("1.5.24", "2024-05-01"),
            ("1 de mayo de 2024", "2024-05-01"),
            ("publié le 1er mai 2024", "2024-05-01"),
            ("1 maggio 2024", "2024-05-01"),
            ("1º de maio de 2024", "2024-05-01"),
            ("1 мая 2024 г.", "2024-05-01"),
            ("2024. május 1.", "2024-05-01"),
            ("2024年5月1日", "2024-05-01"),
            ("2024년 5월 1일", "2024-05-01"),
            ("25/12/2024", "2024-12-25"),
            ("12/25/2024", "2024-12-25"),
            ("01-May-2024", "2024-05-01"),
            ("1 maja 2024", "2024-05-01"),
            ("1 травня 2024", "2024-05-01"),
        ] {
            let found = find_date(text, DateOrder::DayFirst).map(|date| date.to_string());
            assert_eq!(found.as_deref(), Some(wanted), "{text}");
        }
        assert_eq!(find_date("5/1/2024", DateOrder::MonthFirst).unwrap().to_string(), "2024-05-01");
        assert_eq!(find_date("5/1/2024", DateOrder::DayFirst).unwrap().to_string(), "2024-01-05");
    }

    #[test]
    fn what_only_looks_like_a_date_is_none() {
        for text in [
            "",
            "May",
            "10:30",
            "1.2.3.4",
            "12 May 10:30",
            "2024-13-45",
            "31.02.2024",
            "call 555-12-2024-1",
            "v1.2.2024.5",
            "192.168.10.12",
            "99999999",
            "May I 2024",
            "3/4 of 2024",
        ] {
            assert_eq!(find_date(text, DateOrder::DayFirst), None, "{text}");
        }
    }

    #[test]
    fn machines_state_less_or_more_than_a_day() {
        for (text, wanted) in [
            ("2024", "2024"),
            ("2024-05", "2024-05"),
            ("2024/05", "2024-05"),
            ("May 2024", "2024-05"),
            ("1714557600", "2024-05-01"),
            ("1714557600000", "2024-05-01"),
            ("951782400", "none"),
            ("0951782400", "2000-02-29"),
        ] {
            let found =
                parse_machine_date(text, DateOrder::DayFirst).map_or("none".to_owned(), |date| date.to_string());
            assert_eq!(found, wanted, "{text}");
        }
    }
}
