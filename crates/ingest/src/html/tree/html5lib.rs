//! The conformance tests of the HTML standard, on the tokenizer and on the tree.

use std::{cell::RefCell, collections::BTreeSet, fs, path::Path};

use html5ever::{
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{
        TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
        states::{RawKind, State},
    },
};
use serde_json::{Map, Value, json};

use super::{HtmlTree, NodeId, ROOT};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/html5lib");

fn files(folder: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = fs::read_dir(Path::new(FOLDER).join(folder))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned())
        })
        .collect();
    files.sort();
    files
}

/// Fails when a listed case passes or a case that is not listed fails.
fn compare_with_list(kind: &str, passed: usize, failed: BTreeSet<String>) {
    let list = fs::read_to_string(Path::new(FOLDER).join("not-passed.txt")).unwrap();
    let listed: BTreeSet<String> = list
        .lines()
        .filter_map(|line| line.split('#').next()?.trim().strip_prefix(kind)?.strip_prefix(' '))
        .map(|case| case.trim().to_owned())
        .collect();
    let new: Vec<&String> = failed.difference(&listed).collect();
    let mended: Vec<&String> = listed.difference(&failed).collect();
    assert!(new.is_empty() && mended.is_empty(), "{passed} {kind} cases pass; fail: {new:#?}; pass now: {mended:#?}");
}

/// The tree as the tests write it, without what is not kept: comments, the document type, namespaces, and the level
/// that a template's contents have of their own.
fn dump(tree: &HtmlTree) -> String {
    fn write(tree: &HtmlTree, id: NodeId, depth: usize, out: &mut String) {
        let node = tree.node(id);
        let indent = "  ".repeat(depth);
        if node.is_text() {
            *out += &format!("| {indent}\"{}\"\n", &*node.text);
            return;
        }
        *out += &format!("| {indent}<{}>\n", &*node.name);
        let mut attributes: Vec<(&str, &str)> =
            tree.attributes(id).iter().map(|attribute| (&*attribute.name, &*attribute.value)).collect();
        attributes.sort();
        for (name, value) in attributes {
            *out += &format!("| {indent}  {name}=\"{value}\"\n");
        }
        for child in tree.children(id) {
            write(tree, child, depth + 1, out);
        }
    }
    let mut out = String::new();
    write(tree, ROOT, 0, &mut out);
    out
}

/// The wanted tree, without the same.
fn without_what_is_not_kept(wanted: &str) -> String {
    // One node each, whose text may have several lines.
    let mut nodes: Vec<String> = Vec::new();
    for line in wanted.lines() {
        match line.strip_prefix("| ") {
            Some(node) => nodes.push(node.to_owned()),
            None => {
                if let Some(last) = nodes.last_mut() {
                    *last += "\n";
                    *last += line;
                }
            }
        }
    }
    let mut out: Vec<(usize, String)> = Vec::new();
    // The depths of the contents that are open.
    let mut contents: Vec<usize> = Vec::new();
    for node in nodes {
        let depth = (node.len() - node.trim_start_matches(' ').len()) / 2;
        let node = node.trim_start_matches(' ');
        while contents.pop_if(|open| depth <= *open).is_some() {}
        if node == "content" {
            contents.push(depth);
            continue;
        }
        let depth = depth - contents.len();
        if node.starts_with("<!") || node.starts_with("<?") {
            continue;
        }
        let node = node.replacen("<svg ", "<", 1).replacen("<math ", "<", 1);
        let node = match node.split_once('=') {
            Some((name, value)) if !node.starts_with(['"', '<']) => {
                format!("{}={value}", name.rsplit(' ').next().unwrap())
            }
            _ => node,
        };
        match out.last_mut() {
            // Two texts with nothing but a comment between them are one.
            Some((last, text)) if *last == depth && text.starts_with('"') && node.starts_with('"') => {
                text.pop();
                *text += &node[1..];
            }
            _ => out.push((depth, node)),
        }
    }
    out.iter().map(|(depth, node)| format!("| {}{node}\n", "  ".repeat(*depth))).collect()
}

#[test]
fn trees_are_those_of_the_standard() {
    let (mut passed, mut failed) = (0, BTreeSet::new());
    for (file, cases) in files("tree-construction") {
        let mut line = 1;
        for case in cases.trim_start_matches("#data\n").split("\n\n#data\n") {
            let name = format!("{file}:{line}");
            line += case.lines().count() + 2;
            let (data, rest) =
                case.split_once("\n#errors\n").or_else(|| Some(("", case.strip_prefix("#errors\n")?))).unwrap();
            let (head, wanted) = rest.split_once("#document\n").unwrap();
            if head.contains("#document-fragment") || head.contains("#script-off") {
                continue;
            }
            if dump(&HtmlTree::parse(data, 200)) == without_what_is_not_kept(wanted.trim_end_matches('\n')) {
                passed += 1;
            } else {
                failed.insert(name);
            }
        }
    }
    assert!(passed > 1_000, "{passed} tree cases pass");
    compare_with_list("tree", passed, failed);
}

#[derive(Default)]
struct Tokens(RefCell<Vec<Value>>);

impl TokenSink for Tokens {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut tokens = self.0.borrow_mut();
        let text = match token {
            Token::CharacterTokens(text) => text.to_string(),
            Token::NullCharacterToken => "\0".to_owned(),
            Token::EOFToken | Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::CommentToken(text) => {
                tokens.push(json!(["Comment", &*text]));
                return TokenSinkResult::Continue;
            }
            Token::DoctypeToken(doctype) => {
                let [name, public, system] =
                    [doctype.name, doctype.public_id, doctype.system_id].map(|id| id.map(|id| id.to_string()));
                tokens.push(json!(["DOCTYPE", name, public, system, !doctype.force_quirks]));
                return TokenSinkResult::Continue;
            }
            Token::TagToken(tag) => {
                tokens.push(match tag.kind {
                    TagKind::EndTag => json!(["EndTag", &*tag.name]),
                    TagKind::StartTag => {
                        let attributes: Map<String, Value> = tag
                            .attrs
                            .iter()
                            .map(|attribute| (attribute.name.local.to_string(), json!(&*attribute.value)))
                            .collect();
                        let mut token = vec![json!("StartTag"), json!(&*tag.name), json!(attributes)];
                        token.extend(tag.self_closing.then_some(json!(true)));
                        json!(token)
                    }
                });
                return TokenSinkResult::Continue;
            }
        };
        if let Some(Value::Array(last)) = tokens.last_mut()
            && last[0] == "Character"
        {
            last[1] = json!(format!("{}{text}", last[1].as_str().unwrap()));
        } else {
            tokens.push(json!(["Character", text]));
        }
        TokenSinkResult::Continue
    }
}

/// Resolves `\uXXXX` in a case whose strings are escaped twice; nothing for half of a pair, which no text can hold.
fn unescaped(value: &Value) -> Option<Value> {
    serde_json::from_str(&value.to_string().replace("\\\\u", "\\u")).ok()
}

#[test]
fn tokens_are_those_of_the_standard() {
    let (mut passed, mut failed) = (0, BTreeSet::new());
    for (file, cases) in files("tokenizer") {
        let cases: Value = serde_json::from_str(&cases).unwrap();
        let Some(cases) = cases["tests"].as_array() else { continue };
        for (index, case) in cases.iter().enumerate() {
            let Some(case) = (if case["doubleEscaped"] == true { unescaped(case) } else { Some(case.clone()) }) else {
                continue;
            };
            let states = case["initialStates"].as_array().cloned().unwrap_or_else(|| vec![json!("Data state")]);
            let good = states.iter().all(|state| {
                let state = match state.as_str().unwrap() {
                    "Data state" => State::Data,
                    "PLAINTEXT state" => State::Plaintext,
                    "RCDATA state" => State::RawData(RawKind::Rcdata),
                    "RAWTEXT state" => State::RawData(RawKind::Rawtext),
                    "Script data state" => State::RawData(RawKind::ScriptData),
                    "CDATA section state" => State::CdataSection,
                    other => panic!("{other}"),
                };
                let options = TokenizerOpts {
                    initial_state: Some(state),
                    last_start_tag_name: case["lastStartTag"].as_str().map(str::to_owned),
                    discard_bom: false,
                    ..TokenizerOpts::default()
                };
                let tokenizer = Tokenizer::new(Tokens::default(), options);
                let input = BufferQueue::default();
                input.push_back(StrTendril::from_slice(case["input"].as_str().unwrap()));
                let _ = tokenizer.feed(&input);
                tokenizer.end();
                json!(tokenizer.sink.0.into_inner()) == case["output"]
            });
            if good {
                passed += 1;
            } else {
                failed.insert(format!("{file}:{index}"));
            }
        }
    }
    assert!(passed > 500, "{passed} tokenizer cases pass");
    compare_with_list("tokenizer", passed, failed);
}
