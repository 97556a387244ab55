//! The order in which moves are tried: the better the order, the more is pruned.

use chess::{Color, Move};

use super::numbers::{BONUS_GROWTH, HISTORY_MAX, LARGEST_BONUS, LEAST_BONUS, MAX_PLY};
use super::run::Frame;
use crate::moves::is_quiet;

/// Colours, roles and squares: places of a piece's arrival.
const ARRIVALS: usize = 2 * 6 * 64;

/// Killer moves and histories of the moves that refuted positions.
pub(super) struct Order {
    killers: [[Option<Move>; 2]; MAX_PLY + 2],
    /// By side, origin and target (butterfly history; Schaeffer 1983, Hartmann 1988).
    butterfly: Box<[[i16; 4096]; 2]>,
    /// By an earlier move and the move, as arrivals (continuation history): after one half-move and after two.
    continuations: [Vec<i16>; 2],
    /// By arrival and captured role.
    captures: Box<[[i16; 6]; ARRIVALS]>,
}

/// The position in which a move was a refutation.
#[derive(Clone, Copy)]
pub(super) struct Refuted<'a> {
    pub(super) mover: Color,
    /// Remaining depth of its search.
    pub(super) depth: i32,
    /// The moves that led to it, one for each half-move from the root.
    pub(super) line: &'a [Frame],
}

impl Default for Order {
    fn default() -> Self {
        Self {
            killers: [[None; 2]; MAX_PLY + 2],
            butterfly: Box::new([[0; 4096]; 2]),
            continuations: [vec![0; ARRIVALS * ARRIVALS], vec![0; ARRIVALS * ARRIVALS]],
            captures: Box::new([[0; 6]; ARRIVALS]),
        }
    }
}

fn side(mover: Color) -> usize {
    usize::from(mover.is_white())
}

fn arrival(mover: Color, chess_move: Move) -> usize {
    (side(mover) * 6 + (chess_move.role() as usize - 1)) * 64 + chess_move.to() as usize
}

/// Adds a bonus to a count; the nearer the count is to its maximum, the less is added ("history gravity", as in Stockfish). With
/// |bonus| <= `HISTORY_MAX` the count stays within +-`HISTORY_MAX`, so it fits 16 bits without a clamp, and old results fade as
/// new ones arrive.
fn add(count: &mut i16, bonus: i32) {
    let now = i32::from(*count);
    *count = (now + bonus - now * bonus.abs() / HISTORY_MAX) as i16;
}

fn butterfly_place(chess_move: Move) -> usize {
    chess_move.from().map_or(0, |from| from as usize) * 64 + chess_move.to() as usize
}

impl Order {
    pub(super) fn killers(&self, ply: usize) -> [Option<Move>; 2] {
        self.killers[ply]
    }

    /// Forgets the killers, which belong to another root.
    pub(super) fn forget_killers(&mut self) {
        self.killers = [[None; 2]; MAX_PLY + 2];
    }

    /// Count of a quiet move after the half-moves of `line`.
    pub(super) fn quiet(&self, chess_move: Move, mover: Color, line: &[Frame]) -> i32 {
        let mut count = i32::from(self.butterfly[side(mover)][butterfly_place(chess_move)]);
        let to = arrival(mover, chess_move);
        for (back, continuation) in self.continuations.iter().enumerate() {
            if let Some(place) = before(line, back) {
                count += i32::from(continuation[place * ARRIVALS + to]);
            }
        }
        count
    }

    pub(super) fn capture(&self, chess_move: Move, mover: Color) -> i32 {
        i32::from(self.captures[arrival(mover, chess_move)][victim(chess_move)])
    }

    /// Notes that a move refuted its position after others failed to.
    pub(super) fn note(&mut self, best: Move, failed: &[Move], place: Refuted<'_>) {
        let Refuted { mover, depth, line } = place;
        // Deeper refutations count for more, because they were harder to find and save more; the upper limit keeps one of them from
        // filling a history at once.
        let bonus = (BONUS_GROWTH * depth - LEAST_BONUS).clamp(LEAST_BONUS, LARGEST_BONUS);
        if is_quiet(best) {
            let [first, second] = &mut self.killers[line.len()];
            if *first != Some(best) {
                *second = first.replace(best);
            }
            self.note_quiet(best, bonus, mover, line);
        } else {
            add(&mut self.captures[arrival(mover, best)][victim(best)], bonus);
        }
        // A capture that failed was tried in vain whatever refuted the position. A quiet move is only compared with its like: if a
        // capture refutes the position, that says nothing about the order of the quiet moves among each other.
        for &chess_move in failed {
            if !is_quiet(chess_move) {
                add(&mut self.captures[arrival(mover, chess_move)][victim(chess_move)], -bonus);
            } else if is_quiet(best) {
                self.note_quiet(chess_move, -bonus, mover, line);
            }
        }
    }

    fn note_quiet(&mut self, chess_move: Move, bonus: i32, mover: Color, line: &[Frame]) {
        add(&mut self.butterfly[side(mover)][butterfly_place(chess_move)], bonus);
        let to = arrival(mover, chess_move);
        for (back, continuation) in self.continuations.iter_mut().enumerate() {
            if let Some(place) = before(line, back) {
                add(&mut continuation[place * ARRIVALS + to], bonus);
            }
        }
    }
}

/// Arrival of the move this many half-moves before the last of the line.
fn before(line: &[Frame], back: usize) -> Option<usize> {
    let frame = line.len().checked_sub(back + 1).map(|place| &line[place])?;
    frame.chess_move.map(|chess_move| arrival(frame.mover, chess_move))
}

fn victim(chess_move: Move) -> usize {
    chess_move.capture().map_or(0, |role| role as usize - 1)
}

/// The moves of a position, the most promising first, picked one at a time: the first refutes most positions, so sorting them all
/// would mostly be in vain. Scores are fixed when the picker is made; histories that change during the loop do not reorder it.
pub(super) struct Picker {
    moves: Vec<(i32, Move)>,
    picked: usize,
}

impl Picker {
    pub(super) fn new(moves: Vec<(i32, Move)>) -> Self {
        Self { moves, picked: 0 }
    }

    /// Removes the quiet moves that were not picked yet.
    pub(super) fn drop_quiets(&mut self) {
        let mut number = 0;
        self.moves.retain(|&(_, chess_move)| {
            number += 1;
            number <= self.picked || !is_quiet(chess_move)
        });
    }
}

impl Iterator for Picker {
    type Item = (i32, Move);

    fn next(&mut self) -> Option<(i32, Move)> {
        let first = self.picked;
        let mut best = first;
        for place in first + 1..self.moves.len() {
            if self.moves[place].0 > self.moves[best].0 {
                best = place;
            }
        }
        if best >= self.moves.len() {
            return None;
        }
        self.moves.swap(first, best);
        self.picked += 1;
        Some(self.moves[first])
    }
}
