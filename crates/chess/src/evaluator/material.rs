//! The evaluator that counts material.

use shakmaty::{Chess, Move, Position, Role};

use super::{
    Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Heads, PositionEvaluator,
    uniform::{equal_priors, fill_equal},
};
use crate::Wdl;

/// Values a position by its material alone, with equal priors. With a search it captures hanging pieces and
/// protects its own: a baseline that a trained network must beat.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaterialEvaluator;

/// Pawns by which the mover must be ahead to win half of its games, by the normalisation that Stockfish uses for its
/// centipawns (`win_rate_model` in its `uci.cpp`: an advantage of one pawn wins 50 %).
const HALF_WON_PAWNS: f32 = 1.0;

/// Pawns over which the win probability climbs from 1/2 to 73 % (the width of the logistic). Stockfish's own is about a
/// quarter of a pawn for two engines; material alone predicts the result much less well, so the width is four times
/// that.
const SPREAD_PAWNS: f32 = 1.0;

impl Evaluator for MaterialEvaluator {
    fn describe(&self) -> String {
        "material: equal priors, value from the piece count (1-3-3-5-9)".into()
    }

    fn heads(&self) -> Heads {
        Heads { policy: false, value: true }
    }

    fn history(&self) -> usize {
        1
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        Ok(batch
            .iter()
            .map(|request| Evaluation {
                wdl: wdl_from_pawns(material_balance(request.game.position())),
                priors: equal_priors(request.legal_moves.len()),
                moves_left: None,
            })
            .collect())
    }

    fn position_evaluator(&self) -> Option<Box<dyn PositionEvaluator + '_>> {
        Some(Box::new(*self))
    }
}

impl PositionEvaluator for MaterialEvaluator {
    fn value(&mut self, position: &Chess) -> Wdl {
        wdl_from_pawns(material_balance(position))
    }

    fn priors(&mut self, _position: &Chess, legal_moves: &[Move], _temperature: f32, priors: &mut Vec<f32>) {
        fill_equal(legal_moves.len(), priors);
    }
}

/// Value of a piece in pawns; zero for the king, which is never traded.
pub fn piece_value(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 0,
    }
}

/// Material of the side to move minus the opponent's, in pawns ([`piece_value`]).
pub fn material_balance(position: &Chess) -> i32 {
    let board = position.board();
    let (own, their) = (board.by_color(position.turn()), board.by_color(!position.turn()));
    let mut balance = 0;
    for role in Role::ALL {
        let pieces = board.by_role(role);
        let surplus = (pieces & own).count() as i32 - (pieces & their).count() as i32;
        balance += piece_value(role) * surplus;
    }
    balance
}

/// Win and loss as logistic functions of the advantage `x` in pawns, draw as the rest:
/// `win = 1 / (1 + exp((a - x) / b))`, `loss = 1 / (1 + exp((a + x) / b))` with `a` = [`HALF_WON_PAWNS`] and
/// `b` = [`SPREAD_PAWNS`]; the form is that of Stockfish's win-draw-loss model.
fn wdl_from_pawns(advantage: i32) -> Wdl {
    let advantage = advantage as f32;
    let win = logistic(advantage - HALF_WON_PAWNS);
    let loss = logistic(-advantage - HALF_WON_PAWNS);
    Wdl { win, draw: (1.0 - win - loss).max(0.0), loss }
}

fn logistic(pawns: f32) -> f32 {
    1.0 / (1.0 + (-pawns / SPREAD_PAWNS).exp())
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::Game;

    #[test]
    fn the_balance_is_the_movers() {
        for (fen, pawns) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0),
            ("4k3/8/8/8/8/8/P7/QRBNK3 w - - 0 1", 9 + 5 + 3 + 3 + 1),
            ("4k3/8/8/8/8/8/P7/QRBNK3 b - - 0 1", -21),
            ("q3k3/8/8/8/8/8/8/R3K3 b - - 0 1", 4),
        ] {
            let game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
            assert_eq!(material_balance(game.position()), pawns, "{fen}");
        }
    }

    #[test]
    fn more_material_is_better_and_equal_material_is_even() {
        let values: Vec<f32> = (-40..=40).map(|pawns| wdl_from_pawns(pawns).value()).collect();
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]), "{values:?}");
        assert_eq!(wdl_from_pawns(0).value(), 0.0);
        assert!((wdl_from_pawns(1).win - 0.5).abs() < 1e-6);
        assert!(wdl_from_pawns(9).value() > 0.99);
    }
}
