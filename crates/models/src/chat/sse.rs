//! Server-sent events, as they come in: bytes in pieces of any size in, the data of whole events out.
//!
//! Names and ids of events are left out, because every provider repeats in the data what matters; so are events whose
//! data is empty.

/// Maximum number of bytes of a line, and of the data of one event.
pub(super) const LIMIT: usize = 4 * 1024 * 1024;

/// A line or an event is longer than it may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EventTooLong;

/// Takes a stream of events apart.
#[derive(Default)]
pub(super) struct SseParser {
    bytes: Vec<u8>,
    /// Byte offset at which the current line begins.
    line: usize,
    /// Byte offset up to which the current line was searched for its end.
    seen: usize,
    /// True if the previous line ended with CR, so that a following LF belongs to it.
    after_cr: bool,
    /// True after the first line, before which a byte order mark is allowed.
    begun: bool,
    /// The data of the event that is being read; none before its first `data` line.
    data: Option<Vec<u8>>,
}

impl SseParser {
    /// Appends received bytes to the buffer.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.line == self.bytes.len() {
            self.bytes.clear();
        } else {
            self.bytes.drain(..self.line);
        }
        self.seen -= self.line;
        self.line = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The data of the next event that has come whole.
    pub fn next(&mut self) -> Result<Option<String>, EventTooLong> {
        loop {
            if self.after_cr && self.line < self.bytes.len() {
                if self.bytes[self.line] == b'\n' {
                    self.line += 1;
                }
                self.after_cr = false;
                self.seen = self.line;
            }
            let Some(found) = memchr::memchr2(b'\n', b'\r', &self.bytes[self.seen..]) else {
                self.seen = self.bytes.len();
                return if self.seen - self.line > LIMIT { Err(EventTooLong) } else { Ok(None) };
            };
            let (begin, end) = (self.line, self.seen + found);
            if end - begin > LIMIT {
                return Err(EventTooLong);
            }
            self.after_cr = self.bytes[end] == b'\r';
            self.line = end + 1;
            self.seen = self.line;
            if let Some(data) = self.take_line(begin, end)? {
                return Ok(Some(data));
            }
        }
    }

    /// Takes one line; an empty one ends the event.
    fn take_line(&mut self, begin: usize, end: usize) -> Result<Option<String>, EventTooLong> {
        let mut line = &self.bytes[begin..end];
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        if line.is_empty() {
            let data = self.data.take().filter(|data| !data.is_empty());
            return Ok(data.map(|data| match String::from_utf8(data) {
                Ok(data) => data,
                Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
            }));
        }
        // Whatever else stands there is a comment, or a field that nobody needs.
        let value = match line.strip_prefix(b"data") {
            Some([b':', b' ', value @ ..] | [b':', value @ ..] | value @ []) => value,
            _ => return Ok(None),
        };
        match &mut self.data {
            None => self.data = Some(value.to_vec()),
            Some(data) if data.len() + value.len() < LIMIT => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            Some(_) => return Err(EventTooLong),
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The events of a stream that comes in these pieces, and whether it was too long.
    fn events<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<String>, bool) {
        let (mut events, mut found) = (SseParser::default(), Vec::new());
        for piece in pieces {
            events.push(piece);
            loop {
                match events.next() {
                    Ok(Some(event)) => found.push(event),
                    Ok(None) => break,
                    Err(EventTooLong) => return (found, true),
                }
            }
        }
        (found, false)
    }

    #[test]
    fn events_are_read_as_the_standard_says() {
        for (stream, expected) in [
            ("data: one\n\ndata: two\n\n", ["one", "two"].as_slice()),
            ("data:one\r\n\r\ndata:two\r\rdata: three\n\r\n", &["one", "two", "three"]),
            ("data: one\r\ndata: more\r\n\r\n", &["one\nmore"]),
            ("data:  two spaces\n\n", &[" two spaces"]),
            (": a comment\n\n:\n\nevent: ping\nid: 7\nretry: 1\ndata: x\n\n", &["x"]),
            ("data\ndata\n\n", &["\n"]),
            ("data\n\ndata:\n\n", &[]),
            ("database: x\nDATA: x\n data: x\n\n", &[]),
            ("\u{feff}data: marked\n\n\u{feff}data: no mark here\n\n", &["marked"]),
            ("data: never ended\n", &[]),
            ("data: ended\n\ndata: cut", &["ended"]),
            ("\n\n\r\n\r\r", &[]),
            ("data: 日本語 👍🏽 a: b\n\n", &["日本語 👍🏽 a: b"]),
        ] {
            assert_eq!(events([stream.as_bytes()]).0, expected, "{stream:?}");
        }
        assert_eq!(events([b"data: \xff\xe6\x97\n\n".as_slice()]).0, ["\u{fffd}\u{fffd}"]);
    }

    #[test]
    fn a_line_has_a_limit_and_so_has_an_event() {
        let line = |bytes: usize| [b"data: ".as_slice(), &vec![b'x'; bytes - 6], b"\n\n"].concat();
        let whole = events([line(LIMIT).as_slice()]);
        assert_eq!((whole.0[0].len(), whole.1), (LIMIT - 6, false));
        assert_eq!(events([line(LIMIT + 1).as_slice()]), (vec![], true));
        // Its end need not be waited for.
        let endless = vec![b'x'; LIMIT / 4];
        assert!(events(std::iter::repeat_n(endless.as_slice(), 5)).1);
        let long = [b"data: ".as_slice(), &vec![b'x'; LIMIT / 2], b"\n"].concat();
        assert_eq!(events([b"data: first\n\n".as_slice(), &long, &long, b"\n"]), (vec!["first".to_owned()], true));
    }

    #[test]
    fn a_long_line_in_small_pieces_is_looked_through_once() {
        let line = [b"data: ".as_slice(), &vec![b'x'; LIMIT - 6], b"\n\n"].concat();
        let began = std::time::Instant::now();
        assert_eq!(events(line.chunks(7)).0.len(), 1);
        assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    }

    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let bit = prop::sample::select(vec![
            "data: ",
            "data:",
            "data",
            ": ",
            "event: x",
            "\n",
            "\r",
            "\r\n",
            "\n\n",
            "{\"a\": 1}",
            "日本",
            "👍🏽",
            "\u{feff}",
            "\u{2028}",
            " ",
        ]);
        let bytes =
            prop_oneof![9 => bit.prop_map(|bit| bit.as_bytes().to_vec()), 1 => any::<u8>().prop_map(|byte| vec![byte])];
        prop::collection::vec(bytes, 0..60).prop_map(|bits| bits.concat())
    }

    proptest! {
        #[test]
        fn however_a_stream_is_cut_the_events_are_the_same(
            stream in stream(),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
            cuts.extend([0, stream.len()]);
            cuts.sort_unstable();
            let whole = events([stream.as_slice()]);
            prop_assert_eq!(&events(cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]])), &whole);
            prop_assert_eq!(&events(stream.chunks(1)), &whole);
        }
    }
}
