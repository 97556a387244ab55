//! A filter before the PGN parser, which skips everything it does not know: figurines become letters, and a word in the
//! main line that is not a move is handed over as a comment that the visitor refuses.

use std::io::{self, Read};

use pgn_reader::SanPlus;

/// First character of a comment that names a word which is not a move. No text holds this character otherwise.
pub(super) const NO_MOVE: u8 = 0x01;

/// Longer words are named by their beginning.
const LONGEST_WORD: usize = 40;

/// Words of the main line that annotate a move: en passant (`e.p.` is two words), novelty, diagram, check, mate.
const REMARKS: &[&str] = &["e", "p", "ep", "N", "TN", "D", "ch", "dbl", "dis", "mate"];

/// Part of a game that the text is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// At the start of a line.
    LineStart,
    /// Within `[...]` at the start of a line, to the end of that line.
    Tag,
    /// In `;` or `%`, to the end of the line.
    LineComment,
    /// In `{}`.
    Comment,
    Between,
    Word,
}

/// Filters the text of games.
pub(super) struct Movetext<R> {
    text: R,
    state: State,
    /// Number of open variations; words in them are commentary.
    depth: u32,
    word: Vec<u8>,
    input: Box<[u8]>,
    output: Vec<u8>,
    taken: usize,
}

impl<R: Read> Movetext<R> {
    pub(super) fn new(text: R) -> Self {
        Self {
            text,
            state: State::LineStart,
            depth: 0,
            word: Vec::new(),
            input: vec![0; 1 << 14].into(),
            output: Vec::with_capacity(1 << 15),
            taken: 0,
        }
    }

    fn filter(&mut self, count: usize) {
        let input = std::mem::take(&mut self.input);
        let mut rest = &input[..count];
        while let Some((&byte, after)) = rest.split_first() {
            let end = match self.state {
                State::Comment => Some(b'}'),
                State::Tag | State::LineComment => Some(b'\n'),
                State::LineStart | State::Between | State::Word => None,
            };
            let Some(end) = end else {
                self.take(byte);
                rest = after;
                continue;
            };
            let found = rest.iter().position(|&byte| byte == end);
            let (inside, after) = rest.split_at(found.map_or(rest.len(), |found| found + 1));
            self.output.extend_from_slice(inside);
            rest = after;
            if found.is_some() {
                self.state = if end == b'\n' { State::LineStart } else { State::Between };
            }
        }
        self.input = input;
    }

    /// Takes a byte outside comments and tags.
    fn take(&mut self, byte: u8) {
        if is_word(byte) {
            self.word.push(byte);
            self.state = State::Word;
            return;
        }
        if self.state == State::Word {
            self.end_word();
        }
        self.output.push(byte);
        self.state = match byte {
            b'\n' => State::LineStart,
            b'[' if self.state == State::LineStart => {
                self.depth = 0;
                State::Tag
            }
            b'%' if self.state == State::LineStart => State::LineComment,
            b';' => State::LineComment,
            b'{' => State::Comment,
            b'(' => {
                self.depth += 1;
                State::Between
            }
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                State::Between
            }
            _ => State::Between,
        };
    }

    /// Hands over a word: with letters for figurines, and as a comment that names it if it is not a move.
    fn end_word(&mut self) {
        self.state = State::Between;
        if !self.word.is_ascii() {
            self.word = without_figurines(&self.word);
        }
        if self.depth == 0 && !is_known(&self.word) {
            self.output.push(b'{');
            self.output.push(NO_MOVE);
            let shown = self.word.len().min(LONGEST_WORD);
            self.output.extend_from_slice(&self.word[..shown]);
            self.output.push(b'}');
        } else {
            self.output.extend_from_slice(&self.word);
        }
        self.word.clear();
    }
}

impl<R: Read> Read for Movetext<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.output.len() && !buffer.is_empty() {
            self.output.clear();
            self.taken = 0;
            let mut input = std::mem::take(&mut self.input);
            let read = self.text.read(&mut input);
            self.input = input;
            let count = read?;
            self.filter(count);
            if count == 0 {
                if self.word.is_empty() {
                    return Ok(0);
                }
                self.end_word();
            }
            // An endless word must not fill the memory.
            if self.word.len() > 1 << 12 {
                self.end_word();
                self.state = State::Word;
            }
        }
        let count = buffer.len().min(self.output.len() - self.taken);
        buffer[..count].copy_from_slice(&self.output[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}

/// True for a byte of a word: everything but white space, punctuation of PGN and the glyphs after a move.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'+' | b'-' | b'#' | b'=' | b'/' | b':')
}

/// True if the parser knows the word, or it may be skipped.
pub(super) fn is_known(word: &[u8]) -> bool {
    let Some(&first) = word.first() else { return true };
    // Move numbers (also with the move attached, `1e4`), results, castling with zeros.
    if first.is_ascii_digit() {
        let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_sign = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'/' | b'+' | b'#');
        return word.iter().all(is_sign) || SanPlus::from_ascii(&word[digits..]).is_ok();
    }
    // Signs of an advantage, such as +- or the mathematical ones.
    if !word.iter().any(u8::is_ascii_alphabetic) {
        return true;
    }
    SanPlus::from_ascii(word).is_ok() || REMARKS.iter().any(|remark| remark.as_bytes() == word)
}

/// Chess symbols (U+2654 to U+265F) as the letters of the pieces, pawns as nothing; variation selectors are dropped.
pub(super) fn without_figurines(word: &[u8]) -> Vec<u8> {
    let mut found = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((&first, after)) = rest.split_first() {
        if let [0xe2, 0x99, symbol @ 0x94..=0x9f, after @ ..] = rest {
            match (symbol - 0x94) % 6 {
                0 => found.push(b'K'),
                1 => found.push(b'Q'),
                2 => found.push(b'R'),
                3 => found.push(b'B'),
                4 => found.push(b'N'),
                _ => {}
            }
            rest = after;
        } else if let [0xef, 0xb8, 0x8e | 0x8f, after @ ..] = rest {
            rest = after;
        } else {
            found.push(first);
            rest = after;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filtered(text: &str) -> String {
        let mut found = String::new();
        Movetext::new(text.as_bytes()).read_to_string(&mut found).unwrap();
        found
    }

    #[test]
    fn games_as_they_should_be_pass_untouched() {
        let text = "[Event \"Sf3 e2-e4\"]\n% Sf3\n\n1. e4 {Sf3} e5! 2.Nf3 (2. Sf3 nothing) 2... Nc6 $14 3. O-O-O+ 0-0 exd6 \
                    e.p. 4. e8=Q# ; Sf3\n5. bxa8=N+ +- 6. -- N 1/2-1/2\n[Event \"next\"]\n";
        assert_eq!(filtered(text), text);
    }

    #[test]
    fn figurines_become_letters() {
        assert_eq!(
            filtered("1. ♙d4 ♞f6 2. ♖xa8+ ♚\u{fe0f}e7 3. ♕h5# ♝b4"),
            "1. d4 Nf6 2. Rxa8+ Ke7 3. Qh5# Bb4"
        );
    }

    #[test]
    fn words_that_are_no_moves_are_named() {
        assert_eq!(filtered("1. e4 Sf6"), "1. e4 {\u{1}Sf6}");
        assert_eq!(filtered("1. e2-e4 *"), "1. {\u{1}e2-e4} *");
        assert_eq!(filtered("hello"), "{\u{1}hello}");
        assert_eq!(filtered("1. Кf3"), "1. {\u{1}Кf3}");
    }

    proptest! {
        #[test]
        fn pieces_of_the_text_do_not_matter(text in "[a-hNS♘1-8 x.\n(){};\\[]{0,60}", piece in 1usize..9) {
            let mut reader = Movetext::new(text.as_bytes());
            let (mut found, mut buffer) = (Vec::new(), vec![0; piece]);
            loop {
                let count = reader.read(&mut buffer).unwrap();
                if count == 0 {
                    break;
                }
                found.extend_from_slice(&buffer[..count]);
            }
            prop_assert_eq!(String::from_utf8(found).unwrap(), filtered(&text));
        }
    }
}
