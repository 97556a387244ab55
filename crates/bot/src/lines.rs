//! Lines of a stream of JSON objects, one per line (NDJSON).

use std::io::{self, BufRead, BufReader, Read};

/// Longest line accepted; a game of 600 moves with its chat is far shorter.
const LONGEST_LINE: u64 = 1 << 20;

/// Next item of a stream of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line that is not empty.
    Text(String),
    /// An empty line: the server is alive.
    Alive,
    /// A line that is too long or not UTF-8, with the reason; later lines are still read.
    Unreadable(&'static str),
}

pub(crate) struct Lines<R> {
    reader: BufReader<R>,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader: BufReader::new(reader) }
    }

    /// The next line; `None` at the end. A last line without its end was cut off and is ignored, unless it is too long.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line>> {
        let mut bytes = Vec::new();
        let read = self.reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes)? as u64;
        if bytes.last() != Some(&b'\n') {
            if read < LONGEST_LINE {
                return Ok(None);
            }
            self.reader.skip_until(b'\n')?;
            return Ok(Some(Line::Unreadable("a line longer than 1 MiB")));
        }
        Ok(Some(match String::from_utf8(bytes) {
            Err(_) => Line::Unreadable("a line that is not UTF-8"),
            Ok(text) if text.trim().is_empty() => Line::Alive,
            Ok(text) => Line::Text(text.trim().to_owned()),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Line> {
        let mut lines = Lines::new(bytes);
        std::iter::from_fn(|| lines.next().unwrap()).collect()
    }

    #[test]
    fn a_line_is_complete_or_nothing() {
        let text = |text: &str| Line::Text(text.into());
        assert_eq!(lines(b"{}\r\n\n {\"a\":1}\n{\"cut"), [text("{}"), Line::Alive, text("{\"a\":1}")]);
        assert_eq!(lines(b""), []);
    }

    #[test]
    fn what_cannot_be_read_is_one_line_and_the_next_is_read() {
        let mut bytes = vec![b'x'; 3 << 20];
        bytes.extend(b"\n\xff\n{}\n");
        let found = lines(&bytes);
        assert!(matches!(found[..2], [Line::Unreadable(long), Line::Unreadable(broken)] if long != broken));
        assert_eq!(found[2..], [Line::Text("{}".into())]);
    }
}
