//! Values of moves: the position after each move is evaluated with a quiescence search, which plays captures until the
//! position is quiet or, in check, tries every evasion. This is the first iteration of Stockfish's search without its
//! heuristics.

use std::sync::Arc;

use chess::{
    Chess, Move, Position, Score, Window, played,
    quiescence::{self, MATE, PLIES, StaticValues, WHOLE},
    shakmaty::{Board, Color, Role, Square},
};
use kernels::sparse::{Accumulator, Change, NnueNetwork};

use super::{Nnue, features::Features};

/// Values beyond this are mates.
const NEAR_MATE: i32 = MATE - 100;
/// Moves that are worse than the best by more than this many internal units get a bound instead of a value: at a temperature of
/// [`TEMPERATURE`] their share is below e^-5 of the best move's.
const MARGIN: i32 = 500;
/// Temperature of the shares of moves, in internal units: of 60, 100, 150 and 220, the one with the lowest cross-entropy to the
/// best moves of searches of 3,000 nodes (`docs/experiments/nnue-labels.md`).
const TEMPERATURE: f32 = 100.0;

/// Evaluates positions and moves with a network, for one thread.
pub struct Judge {
    nnue: Arc<Nnue>,
    /// The sums of the position, and of the positions after it, ply by ply.
    sums: Vec<Sums>,
    children: Vec<Child>,
}

/// The result of a quiescence search for a position and its moves: a training target.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The value of the best move for the side to move.
    pub score: Score,
    /// The share of each move, in the order in which the moves were given: a softmax of their values. The shares sum to
    /// one.
    pub shares: Vec<f32>,
}

/// A move, the position after it, and its value for the side that plays it.
struct Child {
    number: usize,
    chess_move: Move,
    position: Chess,
    value: i32,
    is_final: bool,
}

impl Judge {
    /// Creates a judge with its own memory.
    pub fn new(nnue: Arc<Nnue>) -> Self {
        let sums = vec![Sums::new(&nnue.network); PLIES + 3];
        Self { nnue, sums, children: Vec::new() }
    }

    /// The network's evaluation of a position for the side to move, in internal units, without any search.
    pub fn evaluation(&mut self, position: &Chess) -> i32 {
        self.sums[0].refresh(&self.nnue.network, position.board());
        self.sums[0].evaluate(&self.nnue.network, position)
    }

    /// [`Judge::evaluation`] as UCI reports it.
    pub fn static_score(&mut self, position: &Chess) -> Score {
        score(self.evaluation(position))
    }

    /// The value of a position from captures only or, in check, from every evasion: takes about a fourteenth of the
    /// time of [`Judge::judge`] (`docs/experiments/nnue-labels.md`).
    pub fn quiet_score(&mut self, position: &Chess) -> Score {
        self.sums[0].refresh(&self.nnue.network, position.board());
        score(self.quiet(position, 0, WHOLE))
    }

    /// The value of a position and the share of each of its legal moves, of which there is at least one.
    pub fn judge(&mut self, position: &Chess, legal_moves: &[Move]) -> Judgement {
        let values = self.values(position, legal_moves);
        let best = values.iter().copied().max().unwrap_or(-MATE);
        Judgement { score: score(best), shares: shares(&values, best) }
    }

    /// The values of moves for the side that plays them: exact for the best and those less than [`MARGIN`] below it, upper
    /// bounds for the others.
    ///
    /// The opponent may decline every capture, so the static evaluation after a move is an upper bound of its value, and costs
    /// no search. Moves are tried from the best static evaluation down: the first searches raise `best`, and most of the others
    /// are then settled by their bound. Moves that need a search get a window that ends at `best - MARGIN`, because a value
    /// below it gives a share near zero in any case.
    fn values(&mut self, position: &Chess, legal_moves: &[Move]) -> Vec<i32> {
        self.open(position, legal_moves);
        let mut best = -MATE;
        let mut values = vec![0; legal_moves.len()];
        for at in 0..self.children.len() {
            let child = &self.children[at];
            let mut value = child.value;
            // In check the side to move cannot decline to move, so the static evaluation is not a bound.
            let is_bounded = value <= best - MARGIN && !child.position.is_check();
            if !child.is_final && !is_bounded {
                let child = child.position.clone();
                self.update(0, [position, &child]);
                value = -self.quiet(&child, 1, Window { beta: MARGIN - best, ..WHOLE });
            }
            best = best.max(value);
            values[self.children[at].number] = value;
        }
        values
    }

    /// Plays every move and sorts the positions by their evaluations, the best for the mover first.
    fn open(&mut self, position: &Chess, legal_moves: &[Move]) {
        self.sums[0].refresh(&self.nnue.network, position.board());
        self.children.clear();
        for (number, &chess_move) in legal_moves.iter().enumerate() {
            let child = played(position, chess_move);
            let is_final = child.outcome().is_known();
            let value = if is_final {
                if child.is_checkmate() { MATE - 1 } else { 0 }
            } else {
                self.update(0, [position, &child]);
                -self.sums[1].evaluate(&self.nnue.network, &child)
            };
            self.children.push(Child { number, chess_move, position: child, value, is_final });
        }
        // Equal values are sorted by the squares of the move, so the result does not depend on the order of
        // the moves passed in.
        self.children
            .sort_by_cached_key(|child| (-child.value, child.chess_move.from(), child.chess_move.to()));
    }

    /// Writes the sums after a move to the ply after `ply`.
    fn update(&mut self, ply: usize, [before, after]: [&Chess; 2]) {
        let (known, new) = self.sums.split_at_mut(ply + 1);
        new[0].update(&self.nnue.network, &known[ply], [before.board(), after.board()]);
    }

    /// The value, for the side to move, of a position whose sums are those of `ply`: exact inside the window, otherwise a
    /// bound.
    fn quiet(&mut self, position: &Chess, ply: usize, window: Window) -> i32 {
        let mut line = Line { network: &self.nnue.network, sums: &mut self.sums };
        quiescence::value(&mut line, position, ply, window, PLIES)
    }
}

/// The sums along a line of captures.
struct Line<'a> {
    network: &'a NnueNetwork,
    sums: &'a mut [Sums],
}

impl StaticValues for Line<'_> {
    fn enter(&mut self, ply: usize, [before, after]: [&Chess; 2]) {
        let (known, new) = self.sums.split_at_mut(ply);
        new[0].update(self.network, &known[ply - 1], [before.board(), after.board()]);
    }

    fn value(&mut self, ply: usize, position: &Chess) -> i32 {
        self.sums[ply].evaluate(self.network, position)
    }
}

/// The softmax of values, of which the largest is `best`.
fn shares(values: &[i32], best: i32) -> Vec<f32> {
    let mut shares: Vec<f32> =
        values.iter().map(|&value| ((value - best) as f32 / TEMPERATURE).exp()).collect();
    let sum: f32 = shares.iter().sum();
    for share in &mut shares {
        *share /= sum;
    }
    shares
}

/// A value as UCI reports it.
fn score(value: i32) -> Score {
    let moves = (MATE - value.abs() + 1) / 2;
    if value.abs() < NEAR_MATE {
        Score::Centipawns(value * 100 / UNITS_PER_PAWN)
    } else {
        Score::Mate(value.signum() * moves)
    }
}

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
            // All features of a side depend on the square of its king, so after a move of that king nothing can be kept.
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
        // Integers throughout, with divisions that round towards zero as in C++: the result is Stockfish's to the last bit, and
        // the tests compare it with the engine's own output.
        let [material, place] = self.outputs(network, position);
        let mut pieces = 0;
        for (role, value) in PIECES {
            pieces += value * position.board().by_role(role).count() as i32;
        }
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

#[cfg(test)]
mod tests {
    use chess::laws;

    use super::*;
    use crate::sparse::nnue::tests::NNUE;

    /// Reference for the values of [`Judge::judge`]: each move separately, without bounds.
    fn plain(judge: &mut Judge, position: &Chess, chess_move: Move) -> i32 {
        let child = played(position, chess_move);
        if child.is_checkmate() {
            return MATE - 1;
        }
        if child.outcome().is_known() {
            return 0;
        }
        judge.sums[1].refresh(&judge.nnue.network, child.board());
        -judge.quiet(&child, 1, WHOLE)
    }

    #[test]
    fn values_near_the_best_are_exact_and_the_others_bounds() {
        let mut judge = Judge::new(Arc::clone(&NNUE));
        let (mut exact, mut bounds) = (0, 0);
        for game in laws::sample_games(61, 45).iter().filter(|game| !game.legal_moves().is_empty()) {
            let position = game.position();
            let moves: Vec<Move> = game.legal_moves().into_iter().collect();
            let expected: Vec<i32> =
                moves.iter().map(|&chess_move| plain(&mut judge, position, chess_move)).collect();
            let best = expected.iter().copied().max().unwrap();
            let found = judge.values(position, &moves);
            for ((found, expected), chess_move) in found.into_iter().zip(expected).zip(moves) {
                let is_near = expected > best - MARGIN;
                let is_right =
                    if is_near { found == expected } else { (expected..=best - MARGIN).contains(&found) };
                assert!(is_right, "{}, {chess_move}: {found}, not {expected}; best {best}", game.fen());
                exact += u32::from(is_near);
                bounds += u32::from(found > expected);
            }
        }
        assert!(exact > 50 && bounds > 50, "{exact} exact values, {bounds} bounds");
    }
}
