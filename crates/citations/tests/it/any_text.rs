//! Texts to feed to what must hold for any text, and the time that it takes. The tests of `claims` use this file too.

use std::time::Duration;

use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};

/// Any text, with the signs of the grammar in plenty.
pub(crate) fn soup() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => r"[\[\](){}<>!^`$~\\:;, \n\t#*|0-9-]{1,6}",
        2 => "[a-zé数👩]{1,5}",
        1 => prop::sample::select(vec![
            "[1]", "[2, 3]", "[a.pdf]", "<gml-inlinecitation identifier=\"x\"/>", "<gml-inlinecitation", "{citation:a}",
            "<gml-inlinecitation identifier=\"", "<gml-inlinecitation a='", "\"/>", "'>", "</gml-inline",
            "{citation:", "\n[a]: http://x.org/\n", "\n[b]: <c/d e> 't'\n", "\n- [c]: d.e \"t\"", "```\n", "\n\n    ", "\n- [x] ", "$$", "\\[", "\\]", "](", "<code>",
            "</gml-inlinecitation>", "\r\n", "\n> ", "<!--", "-->",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

/// How long this thread has worked: what else the machine does is not counted.
pub(crate) fn worked() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
