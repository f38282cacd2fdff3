//! What a word is or does, as bits. A language's lists say which words have them; see `data/extract/languages/en.toml`.

/// Properties of a word as a bit set, taken from the word lists.
pub type Traits = u128;

macro_rules! traits {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)*) => {
        $($(#[$doc])* pub const $name: Traits = 1 << $bit;)*
    };
}

traits! {
    /// A given name.
    GIVEN = 0;
    /// A common word of the language, which a capital alone makes no name.
    COMMON = 1;
    /// Stands before a person's name: `Dr`.
    TITLE = 2;
    /// Stands after a person's name: `Jr`.
    POSTNOMINAL = 3;
    /// Stands within a person's name: `van`.
    PARTICLE = 4;
    /// What somebody is there for: `manager`.
    ROLE_HEAD = 5;
    /// Stands before such a word: `senior`.
    ROLE_WORD = 6;
    /// What a role may be the head of.
    ROLE_FIELD = 7;
    /// Ends the name of a company: `GmbH`.
    LEGAL_FORM = 8;
    /// Ends the name of an organisation: `Council`.
    ORG_END = 9;
    /// Begins the name of an organisation: `University`.
    ORG_START = 10;
    /// Names an organisation of the text by itself: `the Board`.
    ORG_ALONE = 11;
    /// Ends the name of a place: `Street`.
    PLACE_END = 12;
    /// Begins the name of a place: `Mount`.
    PLACE_START = 13;
    /// Makes the name beside it a project's.
    PROJECT_WORD = 14;
    /// Makes the name before it a thing's.
    OBJECT_WORD = 15;
    /// A day of the week.
    WEEKDAY = 16;
    /// A month.
    MONTH = 17;
    /// Has a capital and is no name: `French`.
    NO_NAME = 18;
    /// Labels what follows: `Note`.
    LABEL = 19;
    /// What a person does.
    PERSON_VERB = 20;
    /// What an organisation does.
    ORG_VERB = 21;
    /// Stands before an organisation more than before another.
    BEFORE_ORG = 22;
    /// Part of a phrase that the gazetteers know.
    IN_PHRASE = 23;
    /// A word of grammar, which no name begins with.
    GRAMMAR = 24;
    /// A preposition, after which a name is no subject.
    PREPOSITION = 25;
    /// An article or another word that a noun must follow.
    DETERMINER = 26;
    /// Says that it is not so.
    NEGATION = 28;
    /// A form of `be`, `have` or `do`, or a modal verb.
    AUXILIARY = 29;
    /// Somebody or something that is not named: `he`, `we`.
    PRONOUN = 30;
    /// A family name.
    FAMILY = 31;
    /// People who decide and promise together, or one without a name: `committee`.
    GROUP = 32;
    /// Joins names: `and`.
    AND = 33;
    /// Joins clauses that may share a subject: `and`, `or`, `but`.
    CONJUNCTION = 34;
    /// Stands before who did it: `by`.
    BY = 35;
    /// Stands before whose it is: `from`.
    FROM = 36;
    /// Stands before who took part: `with`.
    WITH = 37;
    /// Joins the parts of an organisation's name or of a role: `of`.
    OF = 38;
    /// Stands before the place where somebody works, or any other place: `at`.
    AT = 39;
    /// Stands between a role and the organisation: `at`, `of`, `for`.
    BEFORE_EMPLOYER = 40;
    /// Stands between a person and the organisation: `from`.
    AFTER_PERSON = 41;
    /// Stands between a person and what they are: `is`.
    COPULA = 42;
    /// Stands between a person and the organisation that they join: `joined`.
    JOINS = 43;
    /// Stands before the role in which somebody acts: `as`.
    AS = 44;
    /// Stands before `at` and an organisation: `works`.
    WORKS = 45;
    /// May stand between an article and a role: `new`.
    BEFORE_ROLE = 46;
    /// Stands before a role that a name follows: `our`.
    INTRODUCES_ROLE = 47;
    /// The article before a name that is no person's: `the`.
    THE = 48;
    /// Makes what it is said of a place: `town`.
    PLACE_NOUN = 49;
    /// Makes what it is said of an organisation: `company`.
    ORG_NOUN = 50;
    /// Before a colon and a person's name: `Author`.
    PERSON_LABEL = 51;
    /// Before the name of who is spoken to: `Dear`.
    GREETING = 52;
    /// Stands before a place's name: `near`.
    BEFORE_PLACE = 53;
    /// Stands before an organisation's name: `acquired`.
    BEFORE_COMPANY = 54;
    /// A relative pronoun for people: `who`.
    WHO = 55;
    /// What was mended is no risk: `fixed`.
    MENDS = 56;
    /// Says that something happened once: `was`, `there`.
    ASSERTS = 57;
    /// Makes the subject the one it happens to: `was`.
    PASSIVE = 58;
    /// Stands before an infinitive: `to`.
    INFINITIVE = 59;
    /// May stand between a subject and its verb: `already`.
    ADVERB = 60;
    /// Makes a participle a finished action: `has`.
    PERFECT = 61;
    /// Tells what is always so: `is`.
    PRESENT_BE = 62;
    /// The infinitive of `be`.
    BARE_BE = 63;
    /// Before an infinitive, for what has not happened: `should`.
    MODAL = 64;
    /// Points at a thing: `which`.
    RELATIVE = 65;
    /// Follows a participle that belongs to the noun before it: `published in`.
    AFTER_PARTICIPLE = 66;
    /// Begins a clause on what is waited for: `when`.
    WAITS = 67;
    /// Begins another clause: `because`.
    CLAUSE = 68;
    /// Denies the noun after it: `no`.
    NO = 69;
    /// Reports what somebody says: `said`.
    REPORTS = 70;
    /// Who speaks: `I`.
    SPEAKER = 71;
    /// Several people: `we`.
    SEVERAL = 72;
    /// Somebody who is not named: `she`.
    SOMEBODY = 73;
    /// Who is spoken to: `you`.
    ADDRESSEE = 74;
    /// Begins what is reported: `that`.
    THAT = 75;
    /// Begins a sentence that states nothing: `if`, `please`.
    NO_STATEMENT = 76;
    /// Names a line at the top of a message: `Subject`.
    HEADER = 77;
    /// Names the people of a message: `To`.
    HEADER_PEOPLE = 78;
    /// Names the date of a message.
    HEADER_DATE = 79;
    /// Names who wrote a message: `From`.
    HEADER_SENDER = 80;
    /// Stands beside the time of day: `pm`.
    DAY_TIME = 81;
    /// Closes a letter: `regards`.
    CLOSING = 82;
    /// A name's last word that is a family name too: `Bank`.
    FAMILY_TOO = 83;
    /// Has a dot and goes on: `St`.
    DOTTED = 84;
    /// A particle that is a word of prose too: `y`.
    PROSE_PARTICLE = 85;
    /// A legal form of two letters that is not written large: `Oy`.
    SMALL_FORM = 86;
    /// Begins the name of a project: `Operation`.
    PROJECT_START = 87;
    /// Before a number of days or weeks, for what is to come: `in`.
    IN_TIME = 88;
    /// One, before a unit of time: `a` in `a week`.
    ONE = 89;
    /// Before a unit of time, for its last day: `end`.
    END = 90;
    /// The end of the day, in letters: `EOD`.
    END_OF_DAY = 91;
    /// The end of the week, in letters: `EOW`.
    END_OF_WEEK = 92;
    /// The end of the month, in letters: `EOM`.
    END_OF_MONTH = 93;
    /// Before a day, for what is to be done until then: `by`.
    BY_WHEN = 94;
    /// Says that something is still to come: `will`.
    FUTURE = 95;
    /// Before a day of the week that is no single day: `every`.
    REPEATS = 96;
    /// A place in a row that may be a day of the week too: `segunda`.
    ORDINAL = 98;
    /// Before the name of who says it: `said`.
    QUOTES = 99;
    /// Says that something is only possible: `can`.
    POSSIBLE = 100;
    /// Names a unit of time or a day that is counted: `week`, `tomorrow`.
    TIME_WORD = 101;
    /// Denies without being a negation: `without`.
    WITHOUT = 97;
    /// Ends an organisation's name only behind a word of its own: `Acme Media`, but not `Social Media`.
    WEAK_ORG_END = 102;
    /// Ends the name of a thing that is often named after a person: `Stanley Cup`.
    THING_END = 103;
    /// Stands before a name without being part of it: `former`.
    FORMER = 104;
    /// In lower case behind a person's name, what is named after them: `Walter Reed hospital`.
    NAMED_AFTER = 105;
    /// Is only said by people: `said`, but not `reported`, which programs do too.
    SPEECH = 106;
    /// A determiner that says whose it is: `his`.
    POSSESSIVE = 107;
    /// Appears in issues: `Journal of`.
    PERIODICAL = 108;
    /// An office over a place: `bishop of Pellmouth`.
    RULES_PLACE = 109;
    /// Ends an organisation's name, but makes a term of a common word before it: `Text Mining`.
    FIELD_END = 110;
    /// Stands between an organisation and its field: `Committee on Intelligence`.
    BEFORE_FIELD = 111;
    /// Joins the parts of an organisation's name in a text of any language: `and`.
    NAME_AND = 112;
}
