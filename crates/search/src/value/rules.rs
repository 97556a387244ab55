//! Rules that the one-ply player follows in addition to the evaluator's values.

use chess::{Game, Move, Score, Wdl};

use crate::{moves::mating_move, tunables::tunables};

tunables! {
    /// Rules of the one-ply player.
    OnePlyOptions

    "OpponentMate" opponent_mate: bool = true in false, true;
    "One ply: a move that lets the opponent mate at once counts as lost."

    "SecondOccurrence" second_occurrence: bool = false in false, true;
    "One ply: a move back to a position that the game has had counts as a draw; off: only the third occurrence does."

    "CaptureBonus" capture_bonus: f32 = 0.0 in 0.0, 2.0;
    "One ply: bonus of a capture, added to its value, on the scale of expected results from -1 to 1."
}

impl OnePlyOptions {
    /// The value of a move for which the rules decide, now or with the opponent's reply.
    pub(super) fn decided(&self, game: &Game, chess_move: Move) -> Option<(Wdl, Score)> {
        const DRAW: (Wdl, Score) = (Wdl::DRAW, Score::Centipawns(0));
        let after = game.after(chess_move);
        if let Some(outcome) = after.outcome() {
            return Some(match outcome.winner {
                Some(_) => (Wdl::WIN, Score::Mate(1)),
                None => DRAW,
            });
        }
        if self.opponent_mate && mating_move(after.position(), &after.legal_moves()).is_some() {
            return Some((Wdl::LOSS, Score::Mate(-1)));
        }
        (self.second_occurrence && after.repetitions() > 0).then_some(DRAW)
    }

    /// Bonus added to the value of a move.
    pub(super) fn bonus(&self, chess_move: Move) -> f32 {
        if chess_move.is_capture() { self.capture_bonus } else { 0.0 }
    }
}
