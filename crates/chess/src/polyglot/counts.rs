//! Books from games: counts and results of the moves played.

use std::collections::HashMap;

use shakmaty::{Chess, Color, Move, Position};

use super::{BookEntry, PolyglotBook, packed_move::pack, polyglot_key};

/// The rule that gives a move its weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BookWeight {
    /// Two for each win of its side and one for each draw, as Polyglot's own `make-book` counts.
    #[default]
    Results,
    /// The games in which it was played.
    Frequency,
}

/// The rule that selects the moves of a book and gives their weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BookRule {
    /// Fewest games in which the move was played in the position.
    pub min_games: u32,
    /// Least share of the points that its side made in them, 0 to 1.
    pub min_score: f64,
    /// How the games of a move become its weight in the book.
    pub weight: BookWeight,
}

impl BookRule {
    /// Default number of half-moves of each game that are counted.
    pub const PLIES: u16 = 24;
    /// Default of [`BookRule::min_games`].
    pub const MIN_GAMES: u32 = 3;
    /// Default of [`BookRule::min_score`].
    pub const MIN_SCORE: f64 = 0.3;
}

/// Games with a move, counted by the result for the side that played it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    wins: u32,
    draws: u32,
    losses: u32,
}

impl Tally {
    fn games(self) -> u32 {
        self.wins + self.draws + self.losses
    }

    fn half_points(self) -> u32 {
        2 * self.wins + self.draws
    }

    fn passes(self, rule: &BookRule) -> bool {
        let score = f64::from(self.half_points()) / f64::from(2 * self.games());
        self.games() >= rule.min_games && score >= rule.min_score
    }

    fn weight(self, weight: BookWeight) -> u32 {
        match weight {
            BookWeight::Results => self.half_points(),
            BookWeight::Frequency => self.games(),
        }
    }
}

/// Moves of finished games, counted by position.
#[derive(Clone, Debug, Default)]
pub struct BookCounts {
    moves: HashMap<(u64, u16), Tally>,
}

impl BookCounts {
    /// Counts a move that was played in `position` of a game that `winner` won; `None` is a draw.
    pub fn add(&mut self, position: &Chess, chess_move: Move, winner: Option<Color>) {
        let tally = self.moves.entry((polyglot_key(position), pack(chess_move))).or_default();
        match winner {
            None => tally.draws += 1,
            Some(winner) if winner == position.turn() => tally.wins += 1,
            Some(_) => tally.losses += 1,
        }
    }

    /// Moves counted, before any rule.
    pub fn moves(&self) -> usize {
        self.moves.len()
    }

    /// The book of the moves that pass the rule. Weights too large for their 16 bits are scaled down, by the same factor for
    /// all moves of a position; a move whose weight is 0 is left out.
    pub fn book(&self, rule: &BookRule) -> PolyglotBook {
        let mut heaviest: HashMap<u64, u32> = HashMap::new();
        let mut chosen = Vec::new();
        for (&(key, packed_move), tally) in self.moves.iter().filter(|(_, tally)| tally.passes(rule)) {
            let weight = tally.weight(rule.weight);
            if weight > 0 {
                let largest = heaviest.entry(key).or_default();
                *largest = weight.max(*largest);
                chosen.push((key, packed_move, weight));
            }
        }
        // One factor for all moves of a position: readers draw a move by its share of the weights, so only proportions within a
        // position matter. A move that was counted stays a move, hence at least 1.
        let mut entries = Vec::with_capacity(chosen.len());
        for (key, packed_move, weight) in chosen {
            let largest = heaviest[&key].max(u32::from(u16::MAX));
            let scaled = u64::from(weight) * u64::from(u16::MAX) / u64::from(largest);
            entries.push(BookEntry { key, packed_move, weight: scaled.max(1) as u16, learn: 0 });
        }
        PolyglotBook::new(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, print_san};

    fn rule(min_games: u32, min_score: f64, weight: BookWeight) -> BookRule {
        BookRule { min_games, min_score, weight }
    }

    fn counted(games: &[(&str, Option<Color>, u32)]) -> BookCounts {
        let mut counts = BookCounts::default();
        for (moves, winner, times) in games {
            for _ in 0..*times {
                let mut game = Game::default();
                for san in moves.split_whitespace() {
                    let position = game.position().clone();
                    let chess_move = game.play_san(san).unwrap();
                    counts.add(&position, chess_move, *winner);
                }
            }
        }
        counts
    }

    fn weights(book: &PolyglotBook, game: &Game) -> Vec<(String, u16)> {
        let moves = book.moves(game.position()).into_iter();
        moves.map(|each| (print_san(game.position(), each.chess_move), each.weight)).collect()
    }

    #[test]
    fn points_are_those_of_the_side_that_moves() {
        let (white, black) = (Some(Color::White), Some(Color::Black));
        let counts =
            counted(&[("e4 e5", white, 3), ("e4 c5", black, 2), ("d4 d5", None, 4), ("a3 e5", black, 9)]);
        let start = Game::default();
        let book = counts.book(&rule(1, 0.0, BookWeight::Results));
        assert_eq!(weights(&book, &start), [("e4".into(), 6), ("d4".into(), 4)]);
        let mut after = Game::default();
        after.play_san("e4").unwrap();
        assert_eq!(weights(&book, &after), [("c5".into(), 4)], "Black lost all games with e5");
        let frequent = counts.book(&rule(4, 0.0, BookWeight::Frequency));
        assert_eq!(weights(&frequent, &start), [("a3".into(), 9), ("e4".into(), 5), ("d4".into(), 4)]);
        let sound = counts.book(&rule(4, 0.5, BookWeight::Frequency));
        assert_eq!(weights(&sound, &start), [("e4".into(), 5), ("d4".into(), 4)]);
    }

    #[test]
    fn heavy_weights_keep_their_proportions() {
        let start = Game::default();
        let mut counts = counted(&[("d4", None, 1), ("e4", None, 1)]);
        let [d4, e4] = ["d4", "e4"].map(|san| pack(crate::parse_san(start.position(), san).unwrap()));
        let key = polyglot_key(start.position());
        counts.moves.insert((key, d4), Tally { draws: 300_000, ..Tally::default() });
        counts.moves.insert((key, e4), Tally { draws: 100_000, ..Tally::default() });
        let book = counts.book(&rule(1, 0.0, BookWeight::Frequency));
        assert_eq!(weights(&book, &start), [("d4".into(), 65_535), ("e4".into(), 21_845)]);
    }
}
