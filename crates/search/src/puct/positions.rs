//! The positions along a walk, for evaluators that see nothing else: no keys, no history, one copy of a board for each move.

use chess::{Chess, Game, Position, shakmaty::EnPassantMode};

use super::position::Repetition;
use crate::packed::PackedMove;

/// The game's last positions and those of a line below it, moved from leaf to leaf by way of their common ancestor.
pub(crate) struct Positions {
    /// The positions of the game that may still be repeated, its current one last, then one for each move of the line.
    stack: Vec<Chess>,
    /// Earlier occurrences of the positions of the game.
    repetitions: Vec<u8>,
    line: Vec<PackedMove>,
}

impl Positions {
    /// Positions at the end of `game`.
    pub(crate) fn new(game: &Game) -> Self {
        let reversible = game.position().halfmoves() as usize;
        let history = game.history();
        let kept = &history[history.len().saturating_sub(reversible + 1)..];
        Self {
            stack: kept.iter().map(|entry| entry.position.clone()).collect(),
            repetitions: kept.iter().map(|entry| entry.repetitions).collect(),
            line: Vec::new(),
        }
    }

    /// Goes to the end of `line`, counted from the root.
    pub(crate) fn go_to(&mut self, line: &[PackedMove]) {
        let common = self.line.iter().zip(line).take_while(|(played, wanted)| played == wanted).count();
        self.line.truncate(common);
        self.stack.truncate(self.repetitions.len() + common);
        for &packed in &line[common..] {
            let mut position = self.current().clone();
            position.play_unchecked(packed.unpack(&position).expect("an edge is a legal move of its node"));
            self.stack.push(position);
            self.line.push(packed);
        }
    }

    /// The position that [`Positions::go_to`] went to last.
    pub(crate) fn current(&self) -> &Chess {
        self.stack.last().expect("a game has at least one position")
    }

    /// Earlier occurrence of the current position, which lies below the root.
    pub(crate) fn repetition(&self) -> Repetition {
        let (current, last) = (self.current(), self.stack.len() - 1);
        let reversible = (current.halfmoves() as usize).min(last);
        let root = self.repetitions.len() - 1;
        let mut latest = None;
        // The same side is to move every other half-move, and a position can return after four of them at the earliest.
        for back in (4..=reversible).step_by(2) {
            let place = last - back;
            if !is_same(&self.stack[place], current) {
                continue;
            }
            let earlier = self.repetitions.get(place).copied().unwrap_or(0);
            if latest.is_some() || earlier > 0 {
                return Repetition::Threefold;
            }
            latest = Some((place, back));
            if place <= root {
                break;
            }
        }
        match latest {
            Some((place, back)) if place >= root => {
                u16::try_from(back).map_or(Repetition::None, Repetition::InSearch)
            }
            _ => Repetition::None,
        }
    }
}

/// True if two positions with the same side to move are the same by the rule on repetitions.
fn is_same(one: &Chess, other: &Chess) -> bool {
    one.board() == other.board()
        && one.castles().castling_rights() == other.castles().castling_rights()
        && one.ep_square(EnPassantMode::Legal) == other.ep_square(EnPassantMode::Legal)
}
