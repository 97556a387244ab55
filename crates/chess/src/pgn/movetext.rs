//! The moves of a game as PGN movetext: numbered, commented, wrapped.

use std::fmt;

use shakmaty::{Color, Move, Position};

use super::result::PgnResult;
use crate::{Game, print_san};

/// Longest line of movetext: section 3.2.3 of the specification requires fewer than 80 characters.
const LINE_LENGTH: usize = 79;

/// The movetext of one game, wrapped by its [`Display`](fmt::Display).
#[derive(Debug)]
pub(super) struct Movetext<'a> {
    pub(super) game: &'a Game,
    pub(super) first_comment: &'a str,
    pub(super) comments: &'a [String],
    pub(super) alternatives: &'a [Option<Move>],
    pub(super) result: PgnResult,
}

impl Movetext<'_> {
    fn words(&self) -> Vec<String> {
        let Self { game, first_comment, comments, alternatives, result } = self;
        let mut words = comment_words(first_comment);
        let mut needs_number = true;
        for (index, chess_move) in game.moves().iter().enumerate() {
            let position = &game.history()[index].position;
            let number = position.fullmoves();
            let numbered = match position.turn() {
                Color::White => format!("{number}."),
                Color::Black => format!("{number}..."),
            };
            // Black's move needs a number at the start, after a comment and after a variation.
            if position.turn().is_white() || needs_number {
                words.push(numbered.clone());
            }
            words.push(print_san(position, *chess_move));
            let after = words.len();
            words.extend(comments.get(index).map(|comment| comment_words(comment)).unwrap_or_default());
            if let Some(better) = alternatives.get(index).copied().flatten() {
                words.extend(["(".into(), numbered, print_san(position, better), ")".into()]);
            }
            needs_number = words.len() > after;
        }
        words.push(result.to_string());
        words
    }
}

/// A comment word by word. Braces do not nest in PGN, so inner ones become parentheses. A command (`[%eval 0.15]`) is one
/// word, because some readers do not find it across a line break.
fn comment_words(comment: &str) -> Vec<String> {
    let text = comment.replace('{', "(").replace('}', ")");
    let mut words: Vec<String> = vec!["{".into()];
    for word in text.split_whitespace() {
        match words.last_mut().filter(|last| last.starts_with("[%") && !last.ends_with(']')) {
            Some(command) => {
                command.push(' ');
                command.push_str(word);
            }
            None => words.push(word.into()),
        }
    }
    if words.len() == 1 {
        return Vec::new();
    }
    words.push("}".into());
    words
}

impl fmt::Display for Movetext<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut column = 0;
        for word in self.words() {
            let length = word.chars().count();
            let separator = match column {
                0 => "",
                column if column + 1 + length > LINE_LENGTH => "\n",
                _ => " ",
            };
            column = if separator == " " { column + 1 + length } else { length };
            write!(formatter, "{separator}{word}")?;
        }
        Ok(())
    }
}
