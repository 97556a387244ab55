//! A filter in front of the PGN parser, which skips unknown words and ends a game at a blank line. The filter
//! replaces these: figurines become letters, moves with signs attached become plain ones, a word in the main
//! line that is not a move is handed over as a comment that the visitor refuses, blank lines within a
//! game are filled, and what the end of the text cut off is marked.

use std::io::{self, Read, Write as _};

use super::{
    comment::{CUT_OFF, Comment, Ending},
    word::{Kind, WORD, is_half, kind, plain, with_signs},
};

/// First character of a comment that holds a rejected word. It occurs nowhere else in the text.
pub(super) const NO_MOVE: u8 = 0x01;

/// First character of a comment that has the number and the dots with which a variation begins, because the parser skips them.
pub(super) const VARIATION_NUMBER: u8 = 0x02;

/// A comment before the last word of a text that ends without white space: a move that counts if it is legal. It occurs nowhere else.
pub(super) const LAST_WORD: u8 = 0x04;

/// Longer words are truncated in messages.
const LONGEST_WORD: usize = 40;

/// Position of the filter within a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Behind a result, before the tags of the next game.
    Outside,
    /// Behind a tag.
    Tags,
    /// Behind the first comment, number or move.
    Moves,
}

/// The number at the beginning of a variation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// The next word may be the number.
    Expected,
    /// Its digits were handed over; dots may follow.
    Open,
    Over,
}

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
    part: Part,
    /// Moves of the main line so far.
    moves: u32,
    number: Number,
    /// True if the line has had nothing but white space so far.
    line_is_blank: bool,
    /// Blank lines not passed on yet: the text after them decides whether they end the game.
    blank_lines: usize,
    /// True in a tag that had no line of its own; the end of its line was put in front of it.
    is_glued: bool,
    comment: Comment,
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
            part: Part::Outside,
            moves: 0,
            number: Number::Over,
            line_is_blank: true,
            blank_lines: 0,
            is_glued: false,
            comment: Comment::default(),
            word: Vec::new(),
            input: vec![0; 1 << 14].into(),
            output: Vec::with_capacity(1 << 15),
            taken: 0,
        }
    }

    // The parser behind this filter skips a word that it does not know, without a trace: a game with `Sf3` for `Nf3` would lose a move and
    // go on, and the labels behind it would belong to other positions if the rest happened to be legal. It also takes a blank line for
    // the end of a game, and gives no sign of what the end of the file cuts off. The filter sees every word first and turns each of these
    // into a comment with a control character that no game contains, which the visitor acts on. It keeps the number of lines, because
    // errors name lines.
    //
    // Comments, tags and words are copied in one piece each; only the marks between them go byte by byte.
    fn filter(&mut self, count: usize) {
        let input = std::mem::take(&mut self.input);
        let mut rest = &input[..count];
        while let Some((&byte, after)) = rest.split_first() {
            if self.state == State::Comment {
                rest = self.take_comment(rest);
                continue;
            }
            if !matches!(self.state, State::Tag | State::LineComment) {
                let word = rest.iter().take_while(|&&byte| WORD[usize::from(byte)]).count();
                if word == 0 {
                    self.take(byte);
                    rest = after;
                } else {
                    self.word.extend_from_slice(&rest[..word]);
                    self.state = State::Word;
                    rest = &rest[word..];
                }
                continue;
            }
            let found = rest.iter().position(|&byte| byte == b'\n');
            let (inside, after) = rest.split_at(found.map_or(rest.len(), |found| found + 1));
            self.output.extend_from_slice(inside);
            rest = after;
            if found.is_some() {
                if std::mem::take(&mut self.is_glued) {
                    self.output.pop();
                }
                (self.state, self.line_is_blank) = (State::LineStart, true);
            }
        }
        self.input = input;
    }

    /// Takes the part of a text that belongs to a comment, and returns the rest.
    fn take_comment<'a>(&mut self, text: &'a [u8]) -> &'a [u8] {
        let (taken, ending) = self.comment.take(text, &mut self.output);
        match ending {
            Ending::Text => {}
            Ending::Brace => (self.state, self.line_is_blank) = (State::Between, false),
            Ending::Tag => self.begin_tag(),
        }
        &text[taken..]
    }

    fn begin_tag(&mut self) {
        (self.state, self.depth, self.part, self.moves) = (State::Tag, 0, Part::Tags, 0);
    }

    /// Takes a byte outside comments and tags that belongs to no word.
    fn take(&mut self, byte: u8) {
        if self.state == State::Word {
            self.end_word();
        }
        if byte != b'.' && byte != b' ' {
            self.close_number();
        }
        if self.line_is_blank && matches!(byte, b' ' | b'\t' | b'\r') {
            return;
        }
        if byte == b'\n' {
            if self.line_is_blank && self.part == Part::Moves {
                self.blank_lines += 1;
            } else {
                self.output.push(byte);
            }
            (self.state, self.line_is_blank) = (State::LineStart, true);
            return;
        }
        self.line_is_blank = false;
        let begins_line = self.state == State::LineStart;
        // Files that were joined have the next game on the line of a result.
        let is_glued = byte == b'[' && !begins_line && self.part == Part::Outside;
        let begins_tag = byte == b'[' && (begins_line || is_glued);
        self.hand_over_blank_lines(begins_tag);
        if is_glued {
            self.output.push(b'\n');
            self.is_glued = true;
        }
        self.output.push(byte);
        match byte {
            b'[' if begins_tag => self.begin_tag(),
            b'%' if begins_line => self.state = State::LineComment,
            _ => self.state = self.take_mark(byte),
        }
    }

    /// Handles a mark that begins neither a word nor a tag, and returns the state it begins.
    fn take_mark(&mut self, byte: u8) -> State {
        match byte {
            b'{' | b';' if self.part == Part::Tags => self.part = Part::Moves,
            b'*' if self.depth == 0 => self.end_game(),
            b'(' => {
                self.depth += 1;
                self.number = if self.depth == 1 { Number::Expected } else { Number::Over };
            }
            b')' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        match byte {
            b'{' => State::Comment,
            b';' => State::LineComment,
            _ => State::Between,
        }
    }

    fn end_game(&mut self) {
        (self.part, self.moves) = (Part::Outside, 0);
    }

    /// Passes on the blank lines before a tag, a word or a mark: unchanged if they end the game, otherwise
    /// with a space in each, so that the parser continues and still counts the lines.
    fn hand_over_blank_lines(&mut self, end_the_game: bool) {
        for _ in 0..std::mem::take(&mut self.blank_lines) {
            self.output.extend_from_slice(if end_the_game { b"\n" } else { b" \n" });
        }
    }

    fn close_number(&mut self) {
        if self.number == Number::Open {
            self.output.push(b'}');
            self.number = Number::Over;
        }
    }

    /// Passes on a word: with letters for figurines, or as a comment with the rejected word if it is not a
    /// move.
    fn end_word(&mut self) {
        let mut word = std::mem::take(&mut self.word);
        if word.is_ascii() {
            self.end_plain_word(&word);
        } else {
            // A line of which nothing is to be seen, such as a byte order mark, has not begun.
            self.state = if self.line_is_blank { State::LineStart } else { State::Between };
            for (part, word) in plain(&word).split(|&byte| byte == b' ').enumerate() {
                if part > 0 && !self.line_is_blank {
                    self.output.push(b' ');
                }
                if !word.is_empty() {
                    self.end_plain_word(word);
                }
            }
        }
        word.clear();
        self.word = word;
    }

    fn end_plain_word(&mut self, word: &[u8]) {
        (self.state, self.line_is_blank) = (State::Between, false);
        if self.depth > 0 {
            self.hand_over_blank_lines(false);
            self.end_commentary(word);
        } else {
            self.end_main_line(word);
        }
    }

    /// Passes on a word of a variation; a number at its beginning becomes a comment.
    fn end_commentary(&mut self, word: &[u8]) {
        let is_number = word.iter().all(u8::is_ascii_digit);
        self.close_number();
        if self.number == Number::Expected && is_number {
            self.output.extend_from_slice(&[b'{', VARIATION_NUMBER]);
            self.number = Number::Open;
        } else {
            self.number = Number::Over;
        }
        self.output.extend_from_slice(word);
    }

    fn end_main_line(&mut self, word: &[u8]) {
        let mut kind = kind(word);
        let signed = if kind == Kind::Unknown { with_signs(word) } else { None };
        if signed.is_some() {
            kind = Kind::Move;
        }
        let is_first = matches!(word, [b'1'] | [b'1', b'a'..=b'h' | b'A'..=b'Z', ..]);
        // The number 1 behind a blank line and two moves: the game before was cut off, and another one begins.
        let begins_game = is_first && self.blank_lines > 0 && self.moves >= 2;
        self.hand_over_blank_lines(begins_game);
        if begins_game {
            self.moves = 0;
        }
        match kind {
            Kind::Result => self.end_game(),
            Kind::Remark | Kind::Unknown if self.part == Part::Outside => {}
            _ => self.part = Part::Moves,
        }
        self.moves += u32::from(kind == Kind::Move);
        match signed {
            // Writing to memory does not fail.
            Some(san) => drop(write!(self.output, "{san}")),
            None if kind == Kind::Unknown => {
                self.output.extend_from_slice(&[b'{', NO_MOVE]);
                self.output.extend_from_slice(&word[..word.len().min(LONGEST_WORD)]);
                self.output.push(b'}');
            }
            None if is_half(word) => self.output.extend_from_slice(b"1/2-1/2"),
            None => self.output.extend_from_slice(word),
        }
    }

    /// Passes on a word at the end of the text, or a mark in its place: it may be the beginning of another one, as `O-O` is of `O-O-O`.
    /// Other moves begin like none that is legal in the same position: `Nb1` and `e8` of `Nb1d2` and `e8=Q` are illegal.
    fn end_last_word(&mut self) {
        let word = plain(&self.word);
        let kind = kind(&word);
        if self.part == Part::Outside || kind == Kind::Result {
            self.end_word();
            return;
        }
        self.close_number();
        self.hand_over_blank_lines(false);
        if kind == Kind::Move
            && self.depth == 0
            && word.first().is_some_and(|&first| first.is_ascii_alphabetic() && first != b'O')
        {
            self.output.extend_from_slice(&[b'{', LAST_WORD, b'}']);
            self.end_word();
        } else {
            self.word.clear();
            self.output.extend_from_slice(&[b'{', CUT_OFF, b'}']);
        }
    }

    /// Passes on the rest at the end of the text, which may be cut off: the file of a game that is still being played.
    fn finish(&mut self) {
        if self.state == State::Comment {
            self.comment.cut_off(&mut self.output);
            self.state = State::Between;
        }
        if !self.word.is_empty() {
            self.end_last_word();
        }
        self.close_number();
        self.hand_over_blank_lines(true);
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
                self.finish();
                if self.output.is_empty() {
                    return Ok(0);
                }
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
        let text = "[Event \"Sf3 e2-e4\"]\n% Sf3\n\n1. e4 {Sf3} e5! 2.Nf3 (Sf3 nothing) 2... Nc6 $14 3. O-O-O+ 0-0 exd6 \
                    e.p. 4. e8=Q# ; Sf3\n5. bxa8=N+ +- 6. -- N 1/2-1/2\n[Event \"next\"]\n";
        assert_eq!(filtered(text), text);
    }

    #[test]
    fn figurines_become_letters() {
        assert_eq!(
            filtered("1. ♙d4 ♞f6 2. ♖xa8+ ♚\u{fe0f}e7 3. ♕h5# ♝b4 "),
            "1. d4 Nf6 2. Rxa8+ Ke7 3. Qh5# Bb4 "
        );
    }

    #[test]
    fn variations_hand_over_their_number() {
        assert_eq!(
            filtered("1. e4 (1. d4 (1. c4)) (1... c5) ( 2 .d4 "),
            "1. e4 ({\u{2}1. }d4 (1. c4)) ({\u{2}1... }c5) ( {\u{2}2 .}d4 "
        );
        assert_eq!(filtered("1. e4 (2.\n[Event"), "1. e4 ({\u{2}2.}\n[Event");
        assert_eq!(filtered("1. e4 (2. "), "1. e4 ({\u{2}2. }");
    }

    #[test]
    fn blank_lines_end_a_game_only_behind_its_result_or_before_a_tag() {
        assert_eq!(filtered("1. e4\n\n\ne5 *\n\n1. d4\n"), "1. e4\n \n \ne5 *\n\n1. d4\n");
        assert_eq!(filtered("[A \"\"]\n\n1. e4 e5\n\n[B"), "[A \"\"]\n\n1. e4 e5\n\n[B");
        assert_eq!(filtered("1. e4 e5\n\n1. d4 *\n\n"), "1. e4 e5\n\n1. d4 *\n\n");
        assert_eq!(filtered("1. e4\n\n1... e5 1-0"), "1. e4\n \n1... e5 1-0");
    }

    #[test]
    fn signs_at_moves_are_left_out() {
        assert_eq!(filtered("1. exd6e.p. e8Q 2.Nf3+- 0-0ch 3e4= *"), "1. exd6.p. e8=Q 2.Nf3 O-O e4 *");
        assert_eq!(filtered("1. e2-e4 Ng8-f6 *"), "1. e2e4 Ng8f6 *");
    }

    #[test]
    fn words_that_are_no_moves_are_named() {
        assert_eq!(filtered("1. e4 Sf6 "), "1. e4 {\u{1}Sf6} ");
        assert_eq!(filtered("hello"), "{\u{1}hello}");
        assert_eq!(filtered("1. Кf3 "), "1. {\u{1}Кf3} ");
    }

    #[test]
    fn blanks_of_web_pages_and_joined_files_do_not_disturb() {
        assert_eq!(
            filtered("1.\u{a0}e4 e5\u{a0}2.\u{202f}Nf3\u{200b} N\u{200b}c6\u{a0}*"),
            "1. e4 e5 2. Nf3 Nc6 *"
        );
        assert_eq!(filtered("1. e4 *\n\u{feff}[A \"\"]\n\n1. d4 *"), "1. e4 *\n[A \"\"]\n\n1. d4 *");
        // The text has as many lines as before.
        assert_eq!(filtered("1. e4 *[A \"\"]\n[B \"\"]\n\n1. d4 "), "1. e4 *\n[A \"\"][B \"\"]\n\n1. d4 ");
        assert_eq!(filtered("1. e4 [x] e5 "), "1. e4 [{\u{1}x}] e5 ");
    }

    #[test]
    fn what_the_end_of_the_text_cuts_off_is_marked() {
        for (text, expected) in [
            ("1. e4 e5", "1. e4 {\u{4}}e5"),
            ("1. e4 O-O", "1. e4 {\u{3}}"),
            ("1. e4 e5\n", "1. e4 e5\n"),
            ("1. e4 e5 2", "1. e4 e5 {\u{3}}"),
            ("1. e4 e5 1/2-", "1. e4 e5 {\u{3}}"),
            ("1. e4 e5 1-0", "1. e4 e5 1-0"),
            ("1. e4 ♞f", "1. e4 {\u{3}}"),
            ("1. e4 {[%eval 0.3", "1. e4 {[%eval 0.3\u{3}}"),
            ("1. e4 {a\n\n[Event \"b\"]\n\n1. d4 *", "1. e4 {a\n\u{3}}\n[Event \"b\"]\n\n1. d4 *"),
        ] {
            assert_eq!(filtered(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_half_is_a_draw() {
        assert_eq!(filtered("1. e4 1/2\n"), "1. e4 1/2-1/2\n");
        assert_eq!(filtered("1. e4 ½"), "1. e4 1/2-1/2");
        assert_eq!(filtered("1. e4 1/2 - 1/2\n"), "1. e4 1/2-1/2 - 1/2-1/2\n");
    }

    proptest! {
        #[test]
        fn pieces_of_the_text_do_not_matter(text in "[a-hNS♘1-8 x.\n(){};*\u{a0}\u{feff}\\[]{0,60}", piece in 1usize..9) {
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
