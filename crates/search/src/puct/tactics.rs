//! What the rules alone show of a position one half-move ahead: which moves are forcing, and whether one of them mates.

use chess::{Chess, Move, Position, Role};

use crate::material::quiescence::played;

/// Some of the moves of a position, by their place in its list of legal moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MoveSet([u64; 4]);

impl MoveSet {
    /// The moves in these places.
    pub(crate) fn of(places: &[usize]) -> Self {
        let mut set = Self::default();
        for &place in places {
            set.insert(place);
        }
        set
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    fn insert(&mut self, place: usize) {
        // No position has more than 218 legal moves.
        self.0[(place / 64) % 4] |= 1 << (place % 64);
    }

    pub(crate) fn contains(&self, place: usize) -> bool {
        self.0[(place / 64) % 4] >> (place % 64) & 1 == 1
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// What a look at every move finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tactics {
    /// The move in this place mates.
    Mate(usize),
    /// None mates; these capture, promote to a queen or give check.
    Forcing(MoveSet),
}

/// Plays each of the legal `moves`.
pub(crate) fn look(position: &Chess, moves: &[Move]) -> Tactics {
    let mut found = MoveSet::default();
    for (place, &chess_move) in moves.iter().enumerate() {
        let after = played(position, chess_move);
        if after.is_checkmate() {
            return Tactics::Mate(place);
        }
        if is_forcing(chess_move, &after) {
            found.insert(place);
        }
    }
    Tactics::Forcing(found)
}

/// The forcing moves, those that mate among them.
pub(crate) fn forcing(position: &Chess, moves: &[Move]) -> MoveSet {
    let mut found = MoveSet::default();
    for (place, &chess_move) in moves.iter().enumerate() {
        if is_forcing(chess_move, &played(position, chess_move)) {
            found.insert(place);
        }
    }
    found
}

fn is_forcing(chess_move: Move, after: &Chess) -> bool {
    chess_move.is_capture() || chess_move.promotion() == Some(Role::Queen) || after.is_check()
}

#[cfg(test)]
mod tests {
    use chess::{CastlingMode, Game};

    use super::*;

    fn position(fen: &str) -> (Chess, Vec<Move>) {
        let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        (game.position().clone(), game.legal_moves().into_iter().collect())
    }

    fn names(fen: &str) -> Vec<String> {
        let (position, moves) = position(fen);
        let set = forcing(&position, &moves);
        let mut names: Vec<String> = (0..moves.len())
            .filter(|&place| set.contains(place))
            .map(|place| chess::print_uci_move(moves[place], CastlingMode::Standard))
            .collect();
        assert_eq!(names.len(), set.len());
        names.sort();
        names
    }

    #[test]
    fn captures_queens_and_checks_are_forcing() {
        // A capture, two checks of the rook, promotions that check; the knight and the bishop do not.
        assert_eq!(names("6k1/2P5/8/8/r6R/8/8/1K6 w - - 0 1"), ["c7c8q", "c7c8r", "h4a4", "h4g4", "h4h8"]);
        assert_eq!(
            names("8/2P5/8/8/1k6/8/8/1K6 w - - 0 1"),
            ["c7c8q"],
            "without check only the queen counts"
        );
        assert_eq!(names("4k3/8/8/8/8/8/3P4/4K3 w - - 0 1"), Vec::<String>::new());
        assert_eq!(names("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"), ["e5d6"], "en passant");
    }

    #[test]
    fn a_move_that_mates_is_seen() {
        let (back_rank, moves) = position("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
        let Tactics::Mate(place) = look(&back_rank, &moves) else { panic!("there is a mate") };
        assert!(played(&back_rank, moves[place]).is_checkmate());
        let (escape, moves) = position("6k1/5pp1/7p/8/8/8/8/R3K3 w - - 0 1");
        let Tactics::Forcing(found) = look(&escape, &moves) else { panic!("there is no mate") };
        assert_eq!((found, found.len()), (forcing(&escape, &moves), 1));
    }
}
