//! What JSON-LD says of works: articles, pages, recipes.

use serde_json::{Map, Value};

use super::head::clean_statement;

/// A work that the page describes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JsonLdWork {
    /// Likelihood that this work is the page's own content; higher is more likely.
    pub(crate) rank: u8,
    pub(crate) title: Option<String>,
    pub(crate) authors: Vec<String>,
    pub(crate) published: Option<String>,
    pub(crate) created: Option<String>,
    pub(crate) modified: Option<String>,
    pub(crate) publisher: Option<String>,
    pub(crate) site: Option<String>,
    pub(crate) summary: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) url: Option<String>,
    /// Its text, in HTML or plain.
    pub(crate) body: Option<String>,
}

type JsonLdObject = Map<String, Value>;

/// The works of all blocks, the most likely first.
pub(crate) fn find_works(blocks: &[&str]) -> Vec<JsonLdWork> {
    let values: Vec<Value> = blocks.iter().filter_map(|block| parse_block(block)).collect();
    let mut objects = Vec::new();
    for value in &values {
        collect_objects(value, &mut objects);
    }
    let mut works: Vec<JsonLdWork> = objects.iter().filter_map(|object| parse_work(object, &objects)).collect();
    works.sort_by_key(|work| std::cmp::Reverse(work.rank));
    works
}

/// Reads a block, also one that is not quite JSON.
fn parse_block(block: &str) -> Option<Value> {
    let block = block.trim().trim_start_matches("<!--").trim_end_matches("-->").trim();
    let block = block.trim_start_matches("//").trim_start();
    let block = block.strip_prefix("<![CDATA[").unwrap_or(block).trim_end();
    let block = block.strip_suffix("]]>").unwrap_or(block).trim_end_matches(['/', ';', ' ', '\n']);
    serde_json::from_str(block).or_else(|_| serde_json::from_str(&repair_json(block))).ok()
}

/// The block with what pages commonly get wrong put right: line breaks within strings, commas before a closing bracket,
/// comments, text behind the end, and brackets that were never closed.
fn repair_json(block: &str) -> String {
    let mut out = String::with_capacity(block.len());
    let mut open = Vec::new();
    let mut quoted = false;
    let mut chars = block.chars().peekable();
    while let Some(c) = chars.next() {
        if quoted {
            match c {
                '\\' => match chars.next() {
                    Some(next @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u')) => out.extend(['\\', next]),
                    Some(next) => out.push(next),
                    None => {}
                },
                '"' => {
                    quoted = false;
                    out.push('"');
                }
                c if c.is_control() => out.push(' '),
                c => out.push(c),
            }
            continue;
        }
        match c {
            '"' => {
                quoted = true;
                out.push('"');
            }
            '{' | '[' => {
                open.push(if c == '{' { '}' } else { ']' });
                out.push(c);
            }
            '}' | ']' => {
                without_comma(&mut out);
                if open.pop() != Some(c) {
                    break;
                }
                out.push(c);
                if open.is_empty() {
                    break;
                }
            }
            '/' if chars.peek() == Some(&'*') => {
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            c => out.push(c),
        }
    }
    if quoted {
        out.push('"');
    }
    without_comma(&mut out);
    out.extend(open.into_iter().rev());
    out
}

fn without_comma(out: &mut String) {
    let kept = out.trim_end();
    if let Some(kept) = kept.strip_suffix(',') {
        out.truncate(kept.len());
    }
}

/// All objects that describe something of their own, without calling itself.
fn collect_objects<'a>(value: &'a Value, into: &mut Vec<&'a JsonLdObject>) {
    const MOST: usize = 2_000;
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match value {
            Value::Array(items) => todo.extend(items.iter().rev()),
            Value::Object(object) => {
                if into.len() >= MOST {
                    return;
                }
                into.push(object);
                for key in ["mainEntity", "mainEntityOfPage", "itemReviewed", "@graph", "hasPart", "video", "review"] {
                    if let Some(inner) = object.get(key) {
                        todo.push(inner);
                    }
                }
            }
            _ => {}
        }
    }
}

fn type_rank(kind: &str) -> Option<u8> {
    let kind = kind.rsplit(['/', ':']).next().unwrap_or(kind);
    Some(match kind {
        kind if kind.ends_with("Article") || kind.ends_with("BlogPosting") => 9,
        "Report"
        | "Recipe"
        | "Review"
        | "HowTo"
        | "Chapter"
        | "Book"
        | "Thesis"
        | "SocialMediaPosting"
        | "DiscussionForumPosting"
        | "PodcastEpisode"
        | "CriticReview" => 8,
        "VideoObject"
        | "AudioObject"
        | "CreativeWork"
        | "Course"
        | "Event"
        | "JobPosting"
        | "Question"
        | "QAPage"
        | "MediaObject"
        | "Dataset"
        | "SoftwareApplication" => 6,
        "ItemPage" | "ProfilePage" | "AboutPage" | "FAQPage" => 4,
        "WebPage" | "CollectionPage" | "MedicalWebPage" => 3,
        "WebSite" => 1,
        "Organization" | "NewsMediaOrganization" | "Person" => 0,
        _ => return None,
    })
}

fn parse_work(object: &JsonLdObject, all: &[&JsonLdObject]) -> Option<JsonLdWork> {
    let kinds = object.get("@type").or_else(|| object.get("type"))?;
    let rank = value_texts(kinds).iter().filter_map(|kind| type_rank(kind)).max()?;
    let text = |keys: &[&str]| keys.iter().find_map(|key| first_text(object.get(*key)?));
    let organisation = rank == 0;
    let site = rank == 1;
    let publisher =
        ["publisher", "sourceOrganization", "isPartOf"].iter().find_map(|key| object_name(object.get(*key)?, all));
    Some(JsonLdWork {
        rank,
        title: if organisation || site { None } else { text(&["headline", "name", "title"]) },
        authors: if organisation || site { Vec::new() } else { work_authors(object, all) },
        published: text(&["datePublished", "uploadDate", "datePosted"]),
        created: text(&["dateCreated"]),
        modified: text(&["dateModified"]),
        publisher: if organisation && !is_person(object) { text(&["name"]) } else { publisher },
        site: if site { text(&["name", "alternateName"]) } else { None },
        summary: text(&["description", "abstract"]),
        language: text(&["inLanguage"]),
        url: text(&["url", "@id"]).filter(|url| url.starts_with("http")),
        body: ["articleBody", "reviewBody"]
            .iter()
            .find_map(|key| Some(object.get(*key)?.as_str()?.to_owned()))
            .or_else(|| instruction_text(object)),
    })
}

/// The steps of an instruction as paragraphs.
fn instruction_text(object: &JsonLdObject) -> Option<String> {
    let steps = object.get("step")?.as_array()?;
    let texts: Vec<&str> = steps.iter().filter_map(|step| step.get("text")?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn is_person(object: &JsonLdObject) -> bool {
    object.get("@type").is_some_and(|kind| value_texts(kind).iter().any(|kind| kind.ends_with("Person")))
}

/// The names of those who made a work; persons before organisations, if there are any.
fn work_authors(object: &JsonLdObject, all: &[&JsonLdObject]) -> Vec<String> {
    for key in ["author", "creator", "byline"] {
        let Some(value) = object.get(key) else { continue };
        let mut persons = Vec::new();
        let mut others = Vec::new();
        let one = [value.clone()];
        let values = value.as_array().map_or(&one[..], Vec::as_slice);
        for value in values {
            let resolved = resolve_object(value, all);
            let person = resolved.is_none_or(|object| {
                object
                    .get("@type")
                    .is_none_or(|kind| !value_texts(kind).iter().any(|kind| kind.ends_with("Organization")))
            });
            let names = match resolved {
                Some(object) => author_names(object),
                None => value_texts(value),
            };
            if person { &mut persons } else { &mut others }.extend(names);
        }
        if !persons.is_empty() {
            return persons;
        }
        if !others.is_empty() {
            return others;
        }
    }
    Vec::new()
}

fn author_names(object: &JsonLdObject) -> Vec<String> {
    if let Some(names) = object.get("name").map(value_texts).filter(|names| !names.is_empty()) {
        return names;
    }
    let part = |key: &str| object.get(key).and_then(first_text);
    match (part("givenName"), part("familyName")) {
        (Some(given), Some(family)) => vec![format!("{given} {family}")],
        (None, Some(name)) | (Some(name), None) => vec![name],
        _ => Vec::new(),
    }
}

/// The object itself, or the one that it points at by its id.
fn resolve_object<'a>(value: &'a Value, all: &[&'a JsonLdObject]) -> Option<&'a JsonLdObject> {
    let object = value.as_object()?;
    if object.contains_key("name") || object.contains_key("familyName") {
        return Some(object);
    }
    let id = object.get("@id")?.as_str()?;
    all.iter()
        .copied()
        .find(|known| known.get("@id").and_then(Value::as_str) == Some(id) && known.contains_key("name"))
        .or(Some(object))
}

fn object_name(value: &Value, all: &[&JsonLdObject]) -> Option<String> {
    match value {
        Value::Array(values) => values.iter().find_map(|value| object_name(value, all)),
        Value::Object(_) => resolve_object(value, all)?.get("name").and_then(first_text),
        _ => first_text(value).filter(|name| !name.starts_with("http")),
    }
}

fn first_text(value: &Value) -> Option<String> {
    value_texts(value).into_iter().next()
}

/// The texts in a value: a string, strings in a list, the `@value` of an object.
fn value_texts(value: &Value) -> Vec<String> {
    let one = |value: &Value| match value {
        Value::String(text) => Some(clean_statement(text).into_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(object) => ["@value", "name", "@id"]
            .iter()
            .find_map(|key| object.get(*key)?.as_str())
            .map(|text| clean_statement(text).into_owned())
            .filter(|text| !text.is_empty()),
        _ => None,
    };
    match value {
        Value::Array(values) => values.iter().filter_map(one).collect(),
        value => one(value).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works_are_found_wherever_they_stand() {
        let graph = r##"{"@context":"https://schema.org","@graph":[
            {"@type":"WebSite","@id":"#site","name":"Sample Site"},
            {"@type":"WebPage","name":"Page","isPartOf":{"@id":"#site"}},
            {"@type":["Article","Thing"],"headline":"A &amp; B","author":{"@id":"#ada"},"datePublished":"2024-05-01"},
            {"@type":"Person","@id":"#ada","name":"Ada Sample"}]}"##;
        let found = find_works(&[graph]);
        assert_eq!(found[0].title.as_deref(), Some("A & B"));
        assert_eq!(found[0].authors, ["Ada Sample"]);
        assert_eq!(found[0].published.as_deref(), Some("2024-05-01"));
        assert!(found.iter().any(|work| work.site.as_deref() == Some("Sample Site")));
        assert!(found.iter().any(|work| work.publisher.as_deref() == Some("Sample Site")));
    }

    #[test]
    fn broken_blocks_are_mended() {
        for block in [
            "{\"@type\":\"NewsArticle\",\"headline\":\"A\nB\",}",
            "<!-- {\"@type\":\"NewsArticle\",\"headline\":\"A B\",\"author\":[\"x\",],} -->",
            "/* c */ [{\"@type\":\"NewsArticle\",\"headline\":\"A B\"}];",
            "//<![CDATA[\n{\"@type\":\"NewsArticle\",\"headline\":\"A B\"}\n//]]>",
            "{\"@type\":\"NewsArticle\",\"headline\":\"A B\"}}</p>",
            "{\"@type\":\"NewsArticle\",\"headline\":\"A \\B\",\"publisher\":{\"name\":\"x\"",
        ] {
            let found = find_works(&[block]);
            assert_eq!(found.first().and_then(|work| work.title.as_deref()), Some("A B"), "{block}");
        }
        assert_eq!(find_works(&["", "nothing", "{", "[[[[", "\"\\"]), []);
    }
}
