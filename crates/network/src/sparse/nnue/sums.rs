//! The evaluation of a position: the network's two outputs as Stockfish 15.1 combines them (`evaluate_nnue.cpp`,
//! `evaluate.cpp`), without the optimism of its search.

use chess::{
    Chess, Position as _,
    shakmaty::{Board, Color, Role, Square},
};
use kernels::sparse::{Accumulator, Change, NnueNetwork};

use crate::sparse::nnue::features::Features;

/// Internal units per pawn as reported via UCI (Stockfish 15.1, `NormalizeToPawnValue`).
pub const UNITS_PER_PAWN: i32 = 361;
/// Middlegame values of knight, bishop, rook and queen, in internal units (`types.h`).
const PIECES: [(Role, i32); 4] =
    [(Role::Knight, 781), (Role::Bishop, 825), (Role::Rook, 1276), (Role::Queen, 2538)];
/// Outputs are sixteenths of an internal unit.
const OUTPUT: i64 = 16;
/// Evaluations are clipped to this, far below mate scores.
const LARGEST: i64 = 20_000;

/// The sums of both sides.
#[derive(Clone)]
pub(crate) struct Sums([Accumulator; 2]);

impl Sums {
    pub(crate) fn new(network: &NnueNetwork) -> Self {
        Self([network.accumulator(), network.accumulator()])
    }

    /// Recomputes the sums for a board.
    pub(crate) fn refresh(&mut self, network: &NnueNetwork, board: &Board) {
        for side in Color::ALL {
            self.refresh_side(network, board, side);
        }
    }

    fn refresh_side(&mut self, network: &NnueNetwork, board: &Board, side: Color) {
        let features = Features::of(board, side, king(board, side));
        network.refresh(&mut self.0[side as usize], features.as_slice());
    }

    /// Sets the sums to those of `after`, updated from those of the board before.
    pub(crate) fn update(&mut self, network: &NnueNetwork, from: &Self, [before, after]: [&Board; 2]) {
        for side in Color::ALL {
            let place = king(after, side);
            if king(before, side) != place {
                self.refresh_side(network, after, side);
                continue;
            }
            let [removed, added] = Features::between(before, after, side, place);
            let change = Change { removed: removed.as_slice(), added: added.as_slice() };
            network.update(&from.0[side as usize], &mut self.0[side as usize], change);
        }
    }

    /// The network's outputs for the side to move: material and position, in sixteenths of an internal unit.
    pub(crate) fn outputs(&self, network: &NnueNetwork, position: &Chess) -> [i32; 2] {
        let stack = (position.board().occupied().count() - 1) / 4;
        let sides = [position.turn(), !position.turn()].map(|side| &self.0[side as usize]);
        network.evaluate(sides, stack)
    }

    /// The evaluation for the side to move, in internal units: `NNUE::evaluate` (24, 9560), then `Eval::evaluate` (all other numbers).
    pub(crate) fn evaluate(&self, network: &NnueNetwork, position: &Chess) -> i32 {
        let [material, place] = self.outputs(network, position);
        let count = |role| position.board().by_role(role).count() as i32;
        let pieces: i32 = PIECES.iter().map(|&(role, value)| value * count(role)).sum();
        let delta = 24 - pieces / 9560;
        let [delta, material, place, pieces] = [delta, material, place, pieces].map(i64::from);
        let value = ((1024 - delta) * material + (1024 + delta) * place) / (1024 * OUTPUT);
        let scaled = value * (1064 + 106 * pieces / 5120) / 1024;
        let damped = scaled * i64::from(195 - position.halfmoves().min(100)) / 211;
        damped.clamp(-LARGEST, LARGEST) as i32
    }
}

/// The square of a side's king, which exists in every legal position.
fn king(board: &Board, side: Color) -> Square {
    board.king_of(side).unwrap_or(Square::E1)
}
