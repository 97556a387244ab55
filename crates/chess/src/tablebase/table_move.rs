//! The legal moves of a position as the tables judge them: outcome, distance and reason.

use std::cmp::Reverse;

use shakmaty::{Chess, Move, Position as _, Role};
use shakmaty_syzygy::SyzygyError;

use super::{Rank, TableResult, Tablebases, reason};
use crate::{FIFTY_MOVES, played};

/// The outcome of a move for the side that plays it, worst first. `CursedWin` and `BlessedLoss` are the names that the tables' author
/// gave them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableOutcome {
    /// That side loses.
    Loss,
    /// A loss that takes too long: a draw by the fifty-move rule.
    BlessedLoss,
    /// Neither side can win.
    Draw,
    /// A win that takes too long: a draw by the fifty-move rule.
    CursedWin,
    /// That side wins.
    Win,
}

impl TableOutcome {
    /// The result under the fifty-move rule.
    pub fn result(self) -> TableResult {
        match self {
            Self::Loss => TableResult::Loss,
            Self::BlessedLoss | Self::Draw | Self::CursedWin => TableResult::Draw,
            Self::Win => TableResult::Win,
        }
    }
}

/// A legal move, for the side that plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableMove {
    /// The move.
    pub chess_move: Move,
    /// With the counter of the fifty-move rule as it is.
    pub outcome: TableOutcome,
    /// Half-moves to the next capture, pawn move or mate with best play, this move included; `None` if neither side can win, or if the
    /// tables only know that it takes more than 100.
    pub distance: Option<u32>,
    /// True if the tables round this distance: it may be one half-move more.
    pub is_rounded: bool,
    /// What the outcome, or a distance of one half-move, comes from; `None` if only the tables know.
    pub reason: Option<MoveReason>,
}

/// What can be said about a move besides its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveReason {
    /// It is mate.
    Checkmate,
    /// The opponent has no legal move.
    Stalemate,
    /// Neither side has the pieces to mate.
    InsufficientMaterial,
    /// The win or loss takes too long for the fifty-move rule.
    FiftyMoves,
    /// The tables round the distance, and one half-move more would be too long for the fifty-move rule.
    Rounding,
    /// It captures the last pawn on the board.
    LastPawn,
    /// A pawn promotes.
    Promotion,
    /// It captures.
    Capture,
    /// It moves a pawn.
    PawnMove,
}

/// Why the tables do not judge the moves of a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum TableGap {
    #[error("the position has {pieces} pieces, and the tables have up to {most}")]
    Pieces { pieces: usize, most: usize },
    #[error("tables have no positions in which a side may still castle")]
    Castling,
    /// A table that a move needs is missing or damaged.
    #[error("{0}")]
    Table(String),
}

impl Tablebases {
    /// Every legal move with its outcome, best first: wins by the shortest distance, losses by the longest. Nothing if there is no
    /// legal move. The tables do not know earlier positions, so repetitions do not count.
    ///
    /// # Errors
    /// [`TableGap`] unless the tables know every move.
    pub fn moves(&self, position: &Chess) -> Result<Vec<TableMove>, TableGap> {
        if let Some(gap) = self.gap(position) {
            return Err(gap);
        }
        let moves = position.legal_moves().into_iter().map(|chess_move| self.judged(position, chess_move));
        let mut moves = moves
            .collect::<Result<Vec<TableMove>, SyzygyError>>()
            .map_err(|error| TableGap::Table(reason(&error)))?;
        moves.sort_by_key(|one| Reverse(one.order()));
        Ok(moves)
    }

    fn judged(&self, position: &Chess, chess_move: Move) -> Result<TableMove, SyzygyError> {
        let after = played(position, chess_move);
        if after.is_checkmate() {
            return Ok(TableMove {
                distance: Some(1),
                ..TableMove::ended(chess_move, TableOutcome::Win, MoveReason::Checkmate)
            });
        }
        if after.legal_moves().is_empty() {
            return Ok(TableMove::ended(chess_move, TableOutcome::Draw, MoveReason::Stalemate));
        }
        if after.is_insufficient_material() {
            return Ok(TableMove::ended(chess_move, TableOutcome::Draw, MoveReason::InsufficientMaterial));
        }
        let distance = self.distance(&after)?;
        let (plies, is_zeroing) = (distance.plies.unsigned_abs(), after.halfmoves() == 0);
        let outcome = Rank::of(distance.plies, position.halfmoves()).outcome;
        let latest = plies.saturating_add(position.halfmoves()).saturating_add(distance.rounding);
        let reason = match outcome {
            TableOutcome::CursedWin | TableOutcome::BlessedLoss => Some(MoveReason::FiftyMoves),
            TableOutcome::Win | TableOutcome::Loss if latest > FIFTY_MOVES => Some(MoveReason::Rounding),
            _ => reason_of(chess_move, &after),
        };
        // Tables count 101 half-moves for a capture or pawn move whose win comes too late. So the number of such a move is a mark and no
        // distance, and that of a quiet move may lead to one.
        let distance_of_table = match plies {
            0 => None,
            _ if is_zeroing => Some(1),
            plies => Some(plies).filter(|&plies| plies <= FIFTY_MOVES),
        };
        Ok(TableMove {
            chess_move,
            outcome,
            distance: distance_of_table,
            is_rounded: distance.rounding > 0,
            reason,
        })
    }
}

impl TableMove {
    /// A move that ends the game.
    fn ended(chess_move: Move, outcome: TableOutcome, reason: MoveReason) -> Self {
        Self { chess_move, outcome, distance: None, is_rounded: false, reason: Some(reason) }
    }

    /// Larger is better.
    fn order(&self) -> (TableOutcome, bool, i64) {
        let distance = i64::from(self.distance.unwrap_or(0));
        let speed = if self.outcome > TableOutcome::Draw { -distance } else { distance };
        (self.outcome, self.reason == Some(MoveReason::Checkmate), speed)
    }
}

/// What a move does that the next capture or pawn move waits for.
fn reason_of(chess_move: Move, after: &Chess) -> Option<MoveReason> {
    match (chess_move.capture(), chess_move.role()) {
        (Some(Role::Pawn), _) if after.board().pawns().is_empty() => Some(MoveReason::LastPawn),
        _ if chess_move.is_promotion() => Some(MoveReason::Promotion),
        (Some(_), _) => Some(MoveReason::Capture),
        (None, Role::Pawn) => Some(MoveReason::PawnMove),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::Game;

    fn one(outcome: TableOutcome, distance: u32, reason: Option<MoveReason>) -> TableMove {
        let chess_move = Game::default().legal_moves()[0];
        TableMove {
            chess_move,
            outcome,
            distance: (distance > 0).then_some(distance),
            is_rounded: false,
            reason,
        }
    }

    #[test]
    fn wins_come_by_the_shortest_way_and_losses_by_the_longest() {
        let order = [
            one(TableOutcome::Win, 1, Some(MoveReason::Checkmate)),
            one(TableOutcome::Win, 1, Some(MoveReason::Capture)),
            one(TableOutcome::Win, 7, None),
            one(TableOutcome::CursedWin, 60, Some(MoveReason::FiftyMoves)),
            one(TableOutcome::CursedWin, 70, Some(MoveReason::FiftyMoves)),
            one(TableOutcome::Draw, 0, None),
            one(TableOutcome::BlessedLoss, 70, Some(MoveReason::FiftyMoves)),
            one(TableOutcome::BlessedLoss, 60, Some(MoveReason::FiftyMoves)),
            one(TableOutcome::Loss, 30, None),
            one(TableOutcome::Loss, 2, None),
        ];
        assert!(order.windows(2).all(|pair| pair[0].order() > pair[1].order()), "{order:?}");
    }

    #[test]
    fn a_move_is_named_by_what_it_takes_or_pushes() {
        for (fen, uci, expected) in [
            ("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "e2e4", Some(MoveReason::PawnMove)),
            ("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "e1d1", None),
            ("8/4P3/8/8/8/k7/8/4K3 w - - 0 1", "e7e8q", Some(MoveReason::Promotion)),
            ("8/8/8/4k3/8/4p3/4K3/7R w - - 0 1", "e2e3", Some(MoveReason::LastPawn)),
            ("8/8/8/4k3/p7/4p3/4K3/7R w - - 0 1", "e2e3", Some(MoveReason::Capture)),
            ("8/8/8/3pP3/8/k7/8/4K3 w - d6 0 1", "e5d6", Some(MoveReason::Capture)),
        ] {
            let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
            let mut after = game.clone();
            let chess_move = after.play_uci(uci).unwrap();
            assert_eq!(reason_of(chess_move, after.position()), expected, "{fen} {uci}");
        }
    }

    #[test]
    fn what_no_table_has_is_told_before_any_is_read() {
        let (none, _) = Tablebases::open("");
        let gap = none.moves(Game::default().position()).unwrap_err();
        assert_eq!(gap, TableGap::Pieces { pieces: 32, most: 0 });
        assert_eq!(gap.to_string(), "the position has 32 pieces, and the tables have up to 0");
    }
}
