//! html5ever within bounds. By the standard a document of many open elements takes time that grows with the square of
//! its length, and a few bytes may stand for thousands of elements; here it takes neither.

use std::cell::Cell;

use html5ever::{
    buffer_queue::BufferQueue,
    local_name,
    tendril::StrTendril,
    tokenizer::{Tag as TagToken, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts},
    tree_builder::{Tracer, TreeBuilder, TreeBuilderOpts, TreeSink},
};

use super::{HtmlTree, Tag, sink::ArenaSink, sink::NodeHandle};

/// Bytes given to the tokenizer at a time.
const PIECE: usize = 16 * 1024;

/// Attributes that a tag may have before the rest of it counts as one: the tokenizer compares each with all before it.
const MOST_ATTRIBUTES: usize = 2_000;

/// The tree of a document, with at most `depth` open elements at a time.
pub(super) fn parse(html: &str, depth: usize) -> HtmlTree {
    let builder = BoundedTreeBuilder {
        builder: TreeBuilder::new(ArenaSink::with_capacity(html.len()), TreeBuilderOpts::default()),
        depth,
        most_nodes: html.len() / 2 + 1_000,
        tokens: Cell::new(0),
        skipped: Cell::new(0),
        counted: Cell::new((0, 0)),
    };
    let tokenizer = Tokenizer::new(builder, TokenizerOpts::default());
    let input = BufferQueue::default();
    let (mut rest, mut tokens, mut silent_attributes) = (html, 0, 0);
    while !rest.is_empty() {
        let piece = &rest[..rest.floor_char_boundary(PIECE)];
        rest = &rest[piece.len()..];
        input.push_back(if silent_attributes > MOST_ATTRIBUTES {
            StrTendril::from(join_attributes(piece))
        } else {
            StrTendril::from_slice(piece)
        });
        // The tree builder never asks for a pause: no script runs, and the text is decoded already.
        let _ = tokenizer.feed(&input);
        // Only within a tag or a comment is a whole piece read without a token.
        let silent = std::mem::replace(&mut tokens, tokenizer.sink.tokens.get()) == tokens;
        silent_attributes = if silent { silent_attributes + attribute_ends(piece) } else { 0 };
    }
    tokenizer.end();
    tokenizer.sink.builder.sink.finish()
}

/// Makes what is left of a tag one attribute.
fn join_attributes(piece: &str) -> String {
    let (tag, rest) = piece.split_at(piece.find('>').unwrap_or(piece.len()));
    tag.replace(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '='), "_") + rest
}

fn attribute_ends(piece: &str) -> usize {
    piece.bytes().filter(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'=')).count()
}

/// Stands before the tree builder and keeps from it what would go too deep.
struct BoundedTreeBuilder {
    builder: TreeBuilder<NodeHandle, ArenaSink>,
    /// Elements that may be open at a time.
    depth: usize,
    /// Nodes after which only text is added.
    most_nodes: usize,
    /// Tokens seen so far.
    tokens: Cell<usize>,
    /// Elements that were too deep and whose end tags are still expected.
    skipped: Cell<usize>,
    /// The open elements when they were last counted, and the elements made until then.
    counted: Cell<(usize, usize)>,
}

impl BoundedTreeBuilder {
    /// Returns true if no more elements may be opened. Counts only when there could be too many.
    fn is_too_deep(&self) -> bool {
        let made = self.builder.sink.elements();
        let (open, then) = self.counted.get();
        if open + (made - then) < self.depth {
            return false;
        }
        let count = OpenElements::default();
        self.builder.trace_handles(&count);
        self.counted.set((count.0.get(), made));
        count.0.get() >= self.depth
    }

    /// The tag as the tree builder may see it.
    fn admit(&self, token: TagToken) -> Option<TagToken> {
        let full = self.builder.sink.len() >= self.most_nodes;
        let begins = token.kind == TagKind::StartTag;
        if !full && !(if begins { self.is_too_deep() } else { self.skipped.get() > 0 }) {
            return Some(token);
        }
        let tag = Tag::of(token.name.as_bytes());
        // These change how what follows is tokenized, and they do not nest; but in a drawing they are like all others.
        if tag.is_raw() && !self.builder.adjusted_current_node_present_but_not_in_html_namespace() {
            return Some(token);
        }
        let passes = if begins { tag.is_void() } else { tag == Tag::Br };
        if passes && !full {
            return Some(token);
        }
        let counts = usize::from(!tag.ends_unsaid());
        self.skipped.update(|skipped| if begins { skipped + counts } else { skipped.saturating_sub(counts) });
        if full || !tag.is_block() {
            return None;
        }
        // The texts of two blocks stay apart even where the blocks are left out.
        let name = local_name!("br");
        Some(TagToken { kind: TagKind::StartTag, name, attrs: Vec::new(), self_closing: false, ..token })
    }
}

impl TokenSink for BoundedTreeBuilder {
    type Handle = NodeHandle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeHandle> {
        self.tokens.update(|tokens| tokens + 1);
        let token = match token {
            Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::TagToken(tag) => match self.admit(tag) {
                Some(tag) => Token::TagToken(tag),
                None => return TokenSinkResult::Continue,
            },
            other => other,
        };
        match self.builder.process_token(token, line) {
            TokenSinkResult::Script(_) | TokenSinkResult::EncodingIndicator(_) => TokenSinkResult::Continue,
            other => other,
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Counts what the tree builder holds on to: the open elements and the formatting that is opened again.
#[derive(Default)]
struct OpenElements(Cell<usize>);

impl Tracer for OpenElements {
    type Handle = NodeHandle;

    fn trace_handle(&self, _: &NodeHandle) {
        self.0.update(|count| count + 1);
    }
}
