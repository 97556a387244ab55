//! The board behind the tree: plays the line that a selection chose and says whether the game ends there.

use chess::{Chess, FIFTY_MOVES, Game, Move, Position, encoding::input::longest_history};

use super::tree::State;
use crate::{moves::mating_move, packed::PackedMove};

/// A game positioned somewhere in the tree. It moves from leaf to leaf by way of their common ancestor.
pub(crate) struct Board {
    game: Game,
    root_length: usize,
    line: Vec<PackedMove>,
}

/// A leaf by the rules.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leaf {
    /// The game is not over; evaluate the position.
    Open,
    /// The game is over or repeats: state and half-moves as in [`super::tree::Node`].
    Terminal(State, u16),
}

/// Earlier occurrences of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repetition {
    /// None, or only one, which lies before the root.
    None,
    /// Once, at or below the root, this many half-moves back.
    InSearch(u16),
    /// At least twice.
    Threefold,
}

/// Applies the rules to a position. In order:
///
/// 1. no legal move: checkmate or stalemate;
/// 2. neither side can mate: draw;
/// 3. third occurrence in the game, or a second one whose first lies at or below the root: draw. A repetition that
///    the search itself could go round again is not worth playing on; one that the opponents merely had in the game
///    is, because it needs a third time to count;
/// 4. fifty moves without capture or pawn move: draw.
pub(crate) fn by_the_rules(position: &Chess, can_move: bool, repetition: Repetition) -> Leaf {
    if !can_move {
        let state = if position.is_check() { State::Lost } else { State::Drawn };
        return Leaf::Terminal(state, 0);
    }
    let threefold = repetition == Repetition::Threefold;
    if threefold || position.is_insufficient_material() || position.halfmoves() >= FIFTY_MOVES {
        return Leaf::Terminal(State::Drawn, 0);
    }
    match repetition {
        Repetition::InSearch(plies) => Leaf::Terminal(State::Repeated, plies),
        Repetition::None | Repetition::Threefold => Leaf::Open,
    }
}

impl Board {
    /// A board at the current position of `game`.
    pub(crate) fn new(game: &Game) -> Self {
        let game = without_irrelevant_history(game);
        let root_length = game.history().len();
        Self { game, root_length, line: Vec::new() }
    }

    /// Plays or takes back what is needed to stand at the end of `line`, counted from the root.
    pub(crate) fn go_to(&mut self, line: &[PackedMove]) {
        let common = self.line.iter().zip(line).take_while(|(played, wanted)| played == wanted).count();
        for _ in common..self.line.len() {
            self.game.undo();
        }
        self.line.truncate(common);
        for &packed in &line[common..] {
            let chess_move =
                packed.unpack(self.game.position()).expect("an edge is a legal move of its node");
            self.game.play_unchecked(chess_move);
            self.line.push(packed);
        }
    }

    /// The game up to where the board stands.
    pub(crate) fn game(&self) -> &Game {
        &self.game
    }

    /// Applies the rules to the current position, given its legal moves ([`by_the_rules`]), and looks for a mate in one.
    pub(crate) fn leaf(&self, legal_moves: &[Move]) -> Leaf {
        let position = self.game.position();
        let repetition = match self.plies_since_repeated() {
            _ if self.game.repetitions() >= 2 => Repetition::Threefold,
            Some(plies) => Repetition::InSearch(plies),
            None => Repetition::None,
        };
        let leaf = by_the_rules(position, !legal_moves.is_empty(), repetition);
        let mates = matches!(leaf, Leaf::Open) && mating_move(position, legal_moves).is_some();
        if mates { Leaf::Terminal(State::Won, 1) } else { leaf }
    }

    /// Half-moves back to the latest earlier occurrence of this position at or below the root.
    fn plies_since_repeated(&self) -> Option<u16> {
        if self.game.repetitions() == 0 {
            return None;
        }
        let key = self.game.key();
        let searched = &self.game.history()[self.root_length - 1..];
        let back = searched.iter().rev().skip(1).position(|entry| entry.key == key)?;
        u16::try_from(back + 1).ok()
    }
}

/// A copy of the game without the positions that can neither repeat nor be seen by an encoding: leaves of a batch are cloned
/// games, and a clone should not cost a hundred moves.
fn without_irrelevant_history(game: &Game) -> Game {
    let reversible = game.position().halfmoves() as usize;
    game.tail((reversible + 1).max(longest_history()))
}
