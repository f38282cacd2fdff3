//! Character references such as `&eacute;` outside of markup.

use std::{borrow::Cow, cell::RefCell};

use html5ever::{
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts, states},
};

/// Resolves character references as in the text of a page; markup stays as it is.
pub(crate) fn resolve_references(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'&', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    // As in a `<title>` that nothing ends.
    let initial_state = Some(states::State::RawData(states::RawKind::Rcdata));
    let tokenizer = Tokenizer::new(
        PlainText::default(),
        TokenizerOpts { initial_state, discard_bom: false, ..TokenizerOpts::default() },
    );
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    Cow::Owned(tokenizer.sink.0.into_inner())
}

#[derive(Default)]
struct PlainText(RefCell<String>);

impl TokenSink for PlainText {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        match token {
            Token::CharacterTokens(text) => self.0.borrow_mut().push_str(&text),
            Token::NullCharacterToken => self.0.borrow_mut().push('\0'),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_as_browsers_do() {
        for (text, wanted) in [
            ("a &amp; b", "a & b"),
            ("&lt;p&gt; &#8220;x&#x201D;", "<p> “x”"),
            ("caf&eacute; &eacutex", "café éx"),
            ("&copy 2024 &notit; &nosuch; & &", "© 2024 ¬it; &nosuch; & &"),
            ("&#150; &#0; &#x110000; &#;", "– \u{fffd} \u{fffd} &#;"),
            ("&hellip;&NotEqualTilde;", "…≂̸"),
            ("<b>&amp;</b></title>", "<b>&</b></title>"),
        ] {
            assert_eq!(resolve_references(text), wanted, "{text}");
        }
    }
}
