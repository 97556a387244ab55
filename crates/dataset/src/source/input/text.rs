//! Text with the line ends of Unix.

use std::io::{self, BufRead, Read};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Leaves out a byte order mark at the start; a carriage return that no line feed follows (as old Macs end lines) becomes
/// one. Carriage returns before line feeds stay: they are white space to every parser.
pub(super) struct UnixText<R> {
    text: R,
    started: bool,
    /// True for a carriage return at the end of the bytes read so far: the next byte decides whether it is part of the
    /// line's end.
    held_return: bool,
}

impl<R: BufRead> UnixText<R> {
    pub(super) fn new(text: R) -> Self {
        Self { text, started: false, held_return: false }
    }

    fn start(&mut self) -> io::Result<()> {
        self.started = true;
        // The buffer was filled when the text was looked at, so a mark is not cut in two.
        if self.text.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
            self.text.consume(BYTE_ORDER_MARK.len());
        }
        Ok(())
    }
}

impl<R: BufRead> Read for UnixText<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.started {
            self.start()?;
        }
        if buffer.is_empty() {
            return Ok(0);
        }
        // A return at the end of the last piece was not passed on, since its meaning depends on the byte that has arrived only now.
        if self.held_return {
            let follows = self.text.fill_buf()?.first() == Some(&b'\n');
            self.held_return = false;
            buffer[0] = if follows { b'\r' } else { b'\n' };
            return Ok(1);
        }
        let mut count = self.text.read(buffer)?;
        if !buffer[..count].contains(&b'\r') {
            return Ok(count);
        }
        if buffer[count - 1] == b'\r' {
            self.held_return = true;
            count -= 1;
        }
        // If the last byte is a return, the pending return follows it.
        for index in 0..count {
            if buffer[index] == b'\r' && buffer[index + 1] != b'\n' {
                buffer[index] = b'\n';
            }
        }
        // Only a held return was read: returning zero bytes would signal the end.
        if count == 0 { self.read(buffer) } else { Ok(count) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8], capacity: usize, piece: usize) -> Vec<u8> {
        let mut reader = UnixText::new(BufReader::with_capacity(capacity, text));
        let (mut found, mut buffer) = (Vec::new(), vec![0; piece]);
        loop {
            let count = reader.read(&mut buffer).unwrap();
            if count == 0 {
                return found;
            }
            found.extend_from_slice(&buffer[..count]);
        }
    }

    #[test]
    fn marks_and_old_line_ends_go() {
        assert_eq!(read(b"\xef\xbb\xbfa\rb\r\nc\r", 16, 16), b"a\nb\r\nc\n");
        assert_eq!(read(b"a\xef\xbb\xbf\r\r", 16, 16), b"a\xef\xbb\xbf\n\n");
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(
            text in "[a\r\n]{0,40}",
            capacity in 3usize..8,
            piece in 1usize..8,
        ) {
            let expected = text.replace("\r\n", "\u{1}").replace('\r', "\n").replace('\u{1}', "\r\n");
            prop_assert_eq!(read(text.as_bytes(), capacity, piece), expected.into_bytes());
        }
    }
}
