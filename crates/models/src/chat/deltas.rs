//! What has been read of an answer, and how much of it there may be.

use std::collections::VecDeque;

use serde_json::Value as Json;

use super::{ChatDelta, ChatError, Finish, ToolCall, Usage};

/// How many bytes an answer may have, arguments of calls included.
pub(super) const ANSWER_LIMIT: usize = 4 * 1024 * 1024;
/// What a call counts beside its arguments, so that calls without any have a limit too.
const CALL_COST: usize = 1024;

/// Pieces of an answer that were read and not yet given out.
pub(super) struct Deltas {
    queue: VecDeque<ChatDelta>,
    room: usize,
    begun: bool,
    ended: bool,
}

impl Deltas {
    pub fn new() -> Self {
        Self { queue: VecDeque::new(), room: ANSWER_LIMIT, begun: false, ended: false }
    }

    /// The model has begun, even if there is nothing to show for it yet.
    pub fn begin(&mut self) {
        self.begun = true;
    }

    /// More text.
    pub fn text(&mut self, text: String) -> Result<(), ChatError> {
        if !text.is_empty() {
            self.begin();
            self.take(text.len())?;
            self.queue.push_back(ChatDelta::Text(text));
        }
        Ok(())
    }

    /// Counts bytes that are kept.
    fn take(&mut self, bytes: usize) -> Result<(), ChatError> {
        let left = self.room.checked_sub(bytes);
        self.room =
            left.ok_or_else(|| ChatError::TooLarge(format!("the answer has more than {ANSWER_LIMIT} bytes")))?;
        Ok(())
    }

    /// The end: the calls that are whole, what it cost, and why it ended.
    pub fn end(&mut self, calls: Calls, usage: Option<Usage>, finish: Finish) -> Result<(), ChatError> {
        // Some servers say that a model has stopped when it waits for its tools.
        let finish = if finish == Finish::Stop && !calls.0.is_empty() { Finish::ToolCalls } else { finish };
        for (at, call) in calls.0.into_iter().enumerate() {
            match call.whole(at) {
                Ok(call) => self.queue.push_back(ChatDelta::ToolCall(call)),
                Err(_) if finish == Finish::Length => {}
                Err(error) => return Err(error),
            }
        }
        self.queue.extend(usage.map(ChatDelta::Usage));
        self.queue.push_back(ChatDelta::End(finish));
        self.ended = true;
        Ok(())
    }

    /// The next piece to be given out.
    pub fn pop(&mut self) -> Option<ChatDelta> {
        self.queue.pop_front()
    }

    /// Whether there is nothing to be given out.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Whether the model has begun.
    pub fn begun(&self) -> bool {
        self.begun
    }

    /// Whether nothing more will come.
    pub fn ended(&self) -> bool {
        self.ended
    }
}

/// Calls of tools that come in fragments, in the order in which they began.
#[derive(Default)]
pub(super) struct Calls(Vec<PartialCall>);

/// A call that may not be whole yet.
#[derive(Default)]
pub(super) struct PartialCall {
    /// What the provider counts it by.
    pub index: Option<u64>,
    pub id: String,
    pub name: String,
    /// JSON, in the making.
    pub arguments: String,
    pub signature: Option<String>,
}

impl Calls {
    /// A further call.
    pub fn begin(&mut self, call: PartialCall, out: &mut Deltas) -> Result<(), ChatError> {
        out.begin();
        out.take(CALL_COST + call.id.len() + call.name.len() + call.arguments.len())?;
        out.take(call.signature.as_ref().map_or(0, String::len))?;
        self.0.push(call);
        Ok(())
    }

    /// The call that began last with this index, or just last.
    pub fn latest(&mut self, index: Option<u64>) -> Option<&mut PartialCall> {
        self.0.iter_mut().rev().find(|call| index.is_none() || call.index == index)
    }
}

impl PartialCall {
    /// More of its arguments.
    pub fn extend(&mut self, arguments: &str, out: &mut Deltas) -> Result<(), ChatError> {
        out.begin();
        out.take(arguments.len())?;
        self.arguments.push_str(arguments);
        Ok(())
    }

    /// The call, the `at`th of its answer, if its arguments are whole.
    fn whole(self, at: usize) -> Result<ToolCall, ChatError> {
        let Self { id, name, arguments, signature, .. } = self;
        let arguments = if arguments.trim().is_empty() { "{}" } else { &arguments };
        match serde_json::from_str(arguments) {
            Ok(arguments @ Json::Object(_)) if !name.is_empty() => {
                let id = if id.is_empty() { format!("call_{}", at + 1) } else { id };
                Ok(ToolCall { id, name, arguments, signature })
            }
            _ => Err(ChatError::Malformed(format!("the model calls {name:?} with what is no object: {arguments}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(arguments: &[&str], out: &mut Deltas) -> Calls {
        let mut calls = Calls::default();
        for arguments in arguments {
            let call = PartialCall { name: "look".into(), arguments: (*arguments).into(), ..PartialCall::default() };
            calls.begin(call, out).unwrap();
        }
        calls
    }

    #[test]
    fn a_call_that_was_cut_off_is_left_out_and_a_broken_one_is_an_error() {
        let mut out = Deltas::new();
        let cut = calls(&["", "{\"q\": \"a"], &mut out);
        out.end(cut, None, Finish::Length).unwrap();
        assert!(matches!(out.pop(), Some(ChatDelta::ToolCall(call)) if call.id == "call_1"));
        assert_eq!(out.pop(), Some(ChatDelta::End(Finish::Length)));
        for broken in ["{\"q\": \"a", "[1]", "null", "\"text\""] {
            let mut out = Deltas::new();
            let broken = calls(&[broken], &mut out);
            assert_eq!(out.end(broken, None, Finish::ToolCalls).unwrap_err().kind(), "malformed");
        }
    }

    #[test]
    fn an_answer_has_a_limit_whatever_it_is_made_of() {
        let mut out = Deltas::new();
        out.text("x".repeat(ANSWER_LIMIT)).unwrap();
        assert_eq!(out.text("x".into()).unwrap_err().kind(), "too_large");

        let mut out = Deltas::new();
        let mut one = calls(&["{}"], &mut out);
        let call = one.latest(None).unwrap();
        let fragments = (0..ANSWER_LIMIT).step_by(1024);
        assert!(fragments.map(|_| call.extend(&"x".repeat(1024), &mut out)).any(|taken| taken.is_err()));

        let mut out = Deltas::new();
        let mut many = Calls::default();
        assert!((0..ANSWER_LIMIT).any(|_| many.begin(PartialCall::default(), &mut out).is_err()));
    }
}
