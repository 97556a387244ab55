//! Reads the GUI's lines in a separate thread, so that `stop` is handled while a search runs.

use std::{
    io::{BufRead, BufReader, Read},
    sync::mpsc::Sender,
    thread,
};

use super::event::Event;

/// Longest line accepted; a `position` with thousands of moves is far shorter.
const LINE_LIMIT: u64 = 1 << 20;

/// Starts the reader thread. It ends with its input; it is not joined, because a blocking read cannot be interrupted.
pub(super) fn spawn(input: impl Read + Send + 'static, events: Sender<Event>) {
    thread::spawn(move || {
        let mut reader = BufReader::new(input);
        while let Some(event) = next_line(&mut reader) {
            if events.send(event).is_err() {
                return;
            }
        }
        // Fails only if the session has ended.
        let _ = events.send(Event::EndOfInput);
    });
}

/// The next line as an event; `None` at the end of the input or on a read error.
fn next_line(reader: &mut impl BufRead) -> Option<Event> {
    let mut bytes = Vec::new();
    let length = reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut bytes).ok()?;
    if length == 0 {
        return None;
    }
    if length as u64 == LINE_LIMIT && bytes.last() != Some(&b'\n') {
        reader.skip_until(b'\n').ok()?;
        return Some(Event::OverlongLine);
    }
    Some(Event::Line(String::from_utf8_lossy(&bytes).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8]) -> Vec<String> {
        let mut reader = input;
        std::iter::from_fn(|| next_line(&mut reader))
            .map(|event| match event {
                Event::Line(line) => line,
                Event::OverlongLine => "overlong".into(),
                _ => "unexpected".into(),
            })
            .collect()
    }

    #[test]
    fn lines_of_any_bytes_are_text() {
        assert_eq!(lines(b" uci \r\n\xff\xfe\n\nquit"), ["uci", "\u{fffd}\u{fffd}", "", "quit"]);
    }

    #[test]
    fn an_endless_line_is_skipped_as_one() {
        let mut input = vec![b'x'; 3 << 20];
        input.extend(b"\nuci\n");
        assert_eq!(lines(&input), ["overlong", "uci"]);
    }
}
