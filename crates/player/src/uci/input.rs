//! Reads the GUI's lines in a separate thread, so that `stop` is handled while a search runs.

use std::{
    io::{self, BufRead, BufReader, Read},
    sync::mpsc::Sender,
    thread,
};

use super::Event;

/// Longest line accepted; a `position` with thousands of moves is far shorter.
const LINE_LIMIT: u64 = 1 << 20;

/// Starts the reader thread. It ends with its input; it is not joined, because a blocking read cannot be interrupted.
pub(super) fn spawn(input: impl Read + Send + 'static, events: Sender<Event>) {
    thread::spawn(move || {
        let mut reader = BufReader::new(input);
        loop {
            let event = next_event(&mut reader);
            let is_last = matches!(event, Event::EndOfInput | Event::ReadFailed(_));
            // Fails only if the session has ended.
            if events.send(event).is_err() || is_last {
                return;
            }
        }
    });
}

fn next_event(reader: &mut impl BufRead) -> Event {
    next_line(reader).unwrap_or_else(Event::ReadFailed)
}

/// The next line as an event.
fn next_line(reader: &mut impl BufRead) -> io::Result<Event> {
    let mut bytes = Vec::new();
    let length = reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut bytes)?;
    if length == 0 {
        return Ok(Event::EndOfInput);
    }
    if length as u64 == LINE_LIMIT && bytes.last() != Some(&b'\n') {
        reader.skip_until(b'\n')?;
        return Ok(Event::OverlongLine);
    }
    Ok(Event::Line(String::from_utf8_lossy(&bytes).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// The lines that the session gets from an input, to the end.
    fn lines(input: impl Read + Send + 'static) -> Vec<String> {
        let (sender, events) = mpsc::channel();
        spawn(input, sender);
        events
            .iter()
            .map(|event| match event {
                Event::Line(line) => line,
                Event::OverlongLine => "overlong".into(),
                Event::EndOfInput => "end".into(),
                Event::ReadFailed(error) => format!("failed: {error}"),
                _ => "unexpected".into(),
            })
            .collect()
    }

    /// An input that breaks off.
    struct Broken;

    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("disk on fire"))
        }
    }

    #[test]
    fn lines_of_any_bytes_are_text() {
        let input: &[u8] = b" uci \r\n\xff\xfe\n\nquit";
        assert_eq!(lines(input), ["uci", "\u{fffd}\u{fffd}", "", "quit", "end"]);
    }

    #[test]
    fn an_endless_line_is_skipped_as_one() {
        let mut input = vec![b'x'; 3 << 20];
        input.extend(b"\nuci\n");
        assert_eq!(lines(io::Cursor::new(input)), ["overlong", "uci", "end"]);
    }

    #[test]
    fn a_read_error_is_no_end_of_the_input() {
        let input: &[u8] = b"uci\nisr";
        assert_eq!(lines(input.chain(Broken)), ["uci", "failed: disk on fire"]);
        let overlong = io::Cursor::new(vec![b'x'; 3 << 19]);
        assert_eq!(lines(overlong.chain(Broken)), ["failed: disk on fire"]);
    }
}
