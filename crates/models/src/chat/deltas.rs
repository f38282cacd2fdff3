//! What has been read of an answer, and how much of it there may be.

use std::collections::VecDeque;

use serde_json::Value as Json;

use super::{ChatDelta, ChatError, ChatUsage, FinishReason, ModelToolCall};

/// Maximum size of an answer in bytes, including tool call arguments.
pub(super) const ANSWER_LIMIT: usize = 4 * 1024 * 1024;
/// Bytes counted for each tool call besides its arguments, so that empty calls are limited too.
const CALL_COST: usize = 1024;

/// Pieces of an answer that were read and not yet given out.
pub(super) struct DeltaQueue {
    queue: VecDeque<ChatDelta>,
    room: usize,
    begun: bool,
    ended: bool,
}

impl DeltaQueue {
    pub fn new() -> Self {
        Self { queue: VecDeque::new(), room: ANSWER_LIMIT, begun: false, ended: false }
    }

    /// The model has begun, even if there is nothing to show for it yet.
    pub fn mark_begun(&mut self) {
        self.begun = true;
    }

    /// Queues a piece of text, unless it is empty.
    pub fn push_text(&mut self, text: String) -> Result<(), ChatError> {
        if !text.is_empty() {
            self.mark_begun();
            self.count_bytes(text.len())?;
            self.queue.push_back(ChatDelta::Text(text));
        }
        Ok(())
    }

    /// Counts bytes that are kept.
    fn count_bytes(&mut self, bytes: usize) -> Result<(), ChatError> {
        let left = self.room.checked_sub(bytes);
        self.room =
            left.ok_or_else(|| ChatError::TooLarge(format!("the answer has more than {ANSWER_LIMIT} bytes")))?;
        Ok(())
    }

    /// The end: the calls that are whole, what it cost, and why it ended.
    pub fn push_end(
        &mut self,
        calls: PartialCalls,
        usage: Option<ChatUsage>,
        finish: FinishReason,
    ) -> Result<(), ChatError> {
        // Some servers say that a model has stopped when it waits for its tools.
        let finish = if finish == FinishReason::Stop && !calls.0.is_empty() { FinishReason::ToolCalls } else { finish };
        for (at, call) in calls.0.into_iter().enumerate() {
            match call.into_tool_call(at) {
                Ok(call) => self.queue.push_back(ChatDelta::ToolCall(call)),
                Err(_) if finish == FinishReason::Length => {}
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

    /// Returns true if no delta is queued.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Returns true once the model has started to answer.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Returns true after the end of the answer was queued.
    pub fn has_ended(&self) -> bool {
        self.ended
    }
}

/// Calls of tools that come in fragments, in the order in which they began.
#[derive(Default)]
pub(super) struct PartialCalls(Vec<PartialCall>);

/// A call that may not be whole yet.
#[derive(Default)]
pub(super) struct PartialCall {
    /// Index that the provider uses to match fragments to this call.
    pub index: Option<u64>,
    pub id: String,
    pub name: String,
    /// JSON text received so far; incomplete until the answer ends.
    pub arguments: String,
    pub signature: Option<String>,
}

impl PartialCalls {
    /// Adds a new tool call and counts its size.
    pub fn begin_call(&mut self, call: PartialCall, out: &mut DeltaQueue) -> Result<(), ChatError> {
        out.mark_begun();
        out.count_bytes(CALL_COST + call.id.len() + call.name.len() + call.arguments.len())?;
        out.count_bytes(call.signature.as_ref().map_or(0, String::len))?;
        self.0.push(call);
        Ok(())
    }

    /// The call that began last with this index, or just last.
    pub fn latest_call(&mut self, index: Option<u64>) -> Option<&mut PartialCall> {
        self.0.iter_mut().rev().find(|call| index.is_none() || call.index == index)
    }
}

impl PartialCall {
    /// Appends a fragment of the arguments and counts its size.
    pub fn extend(&mut self, arguments: &str, out: &mut DeltaQueue) -> Result<(), ChatError> {
        out.mark_begun();
        out.count_bytes(arguments.len())?;
        self.arguments.push_str(arguments);
        Ok(())
    }

    /// The call, the `at`th of its answer, if its arguments are whole.
    fn into_tool_call(self, at: usize) -> Result<ModelToolCall, ChatError> {
        let Self { id, name, arguments, signature, .. } = self;
        let arguments = if arguments.trim().is_empty() { "{}" } else { &arguments };
        match serde_json::from_str(arguments) {
            Ok(arguments @ Json::Object(_)) if !name.is_empty() => {
                let id = if id.is_empty() { format!("call_{}", at + 1) } else { id };
                Ok(ModelToolCall { id, name, arguments, signature })
            }
            _ => Err(ChatError::Malformed(format!("the model calls {name:?} with what is no object: {arguments}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(arguments: &[&str], out: &mut DeltaQueue) -> PartialCalls {
        let mut calls = PartialCalls::default();
        for arguments in arguments {
            let call = PartialCall { name: "look".into(), arguments: (*arguments).into(), ..PartialCall::default() };
            calls.begin_call(call, out).unwrap();
        }
        calls
    }

    #[test]
    fn a_call_that_was_cut_off_is_left_out_and_a_broken_one_is_an_error() {
        let mut out = DeltaQueue::new();
        let cut = calls(&["", "{\"q\": \"a"], &mut out);
        out.push_end(cut, None, FinishReason::Length).unwrap();
        assert!(matches!(out.pop(), Some(ChatDelta::ToolCall(call)) if call.id == "call_1"));
        assert_eq!(out.pop(), Some(ChatDelta::End(FinishReason::Length)));
        for broken in ["{\"q\": \"a", "[1]", "null", "\"text\""] {
            let mut out = DeltaQueue::new();
            let broken = calls(&[broken], &mut out);
            assert_eq!(out.push_end(broken, None, FinishReason::ToolCalls).unwrap_err().kind(), "malformed");
        }
    }

    #[test]
    fn an_answer_has_a_limit_whatever_it_is_made_of() {
        let mut out = DeltaQueue::new();
        out.push_text("x".repeat(ANSWER_LIMIT)).unwrap();
        assert_eq!(out.push_text("x".into()).unwrap_err().kind(), "too_large");

        let mut out = DeltaQueue::new();
        let mut one = calls(&["{}"], &mut out);
        let call = one.latest_call(None).unwrap();
        let fragments = (0..ANSWER_LIMIT).step_by(1024);
        assert!(fragments.map(|_| call.extend(&"x".repeat(1024), &mut out)).any(|taken| taken.is_err()));

        let mut out = DeltaQueue::new();
        let mut many = PartialCalls::default();
        assert!((0..ANSWER_LIMIT).any(|_| many.begin_call(PartialCall::default(), &mut out).is_err()));
    }
}
