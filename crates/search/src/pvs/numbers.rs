//! Every number of the search, in the order in which a search meets them. Papers are cited where the techniques are used. A number
//! without a source of its own is chosen, not tuned: the values to which 1,500 games moved twelve of them gained nothing in other
//! games (`docs/experiments/principal-variation-search.md`).
//!
//! Margins are in units of values ([`UNITS`]). Not here: values that mean a mate (`crate::alpha_beta`), which are shared with reports.

use std::time::Duration;

// Values.

/// Units of a value for a change of one in the logarithm of the odds of a win (a draw counts as half): about the worth of a pawn
/// in the middlegame.
pub(super) const UNITS: f32 = 100.0;
/// Values of positions that are not proven lie within this.
pub(super) const LARGEST: i32 = 2_000;
/// Maximum number of half-moves from the root, extensions and captures included.
pub(super) const MAX_PLY: usize = 120;
/// Depth at which deepening ends by itself.
pub(super) const MAX_DEPTH: u32 = 100;
/// Value of a win by the endgame tables: more than any evaluation, less than a mate.
pub(super) const TABLE_WIN: i32 = 20_000;

// Pruning.

/// Reverse futility pruning: up to this depth a position that exceeds beta by the margin for each half-move still to search is
/// not searched.
pub(super) const REVERSE_DEPTH: i32 = 7;
pub(super) const REVERSE_MARGIN: i32 = 70;
/// Razoring: up to this depth a position that is this far below alpha for each half-move still to search is only searched by
/// quiescence (Birmingham and Kent 1977).
pub(super) const RAZOR_DEPTH: i32 = 3;
pub(super) const RAZOR_MARGIN: i32 = 220;
/// Null move: the least depth at which it is tried (Donninger 1993), the half-moves by which it reduces the depth at least, and
/// the half-moves of depth for each further half-move of reduction.
pub(super) const LEAST_NULL_DEPTH: i32 = 3;
pub(super) const NULL_REDUCTION: f32 = 3.0;
pub(super) const NULL_DEPTHS: f32 = 4.0;
/// Static value above beta for which a null move reduces the depth by one more half-move, and the most half-moves that it adds.
pub(super) const NULL_VALUE: i32 = 120;
pub(super) const MOST_BY_VALUE: i32 = 3;
/// Late move pruning: up to this depth only the first quiet moves are tried, this many in addition to the square of the depth, and
/// this fraction of them if the position is not improving.
pub(super) const LATE_MOVE_PRUNING_DEPTH: i32 = 7;
pub(super) const LATE_MOVES: i32 = 3;
pub(super) const LATE_NOT_IMPROVING: f32 = 0.5;
/// Futility pruning: up to this depth quiet moves are left out where the value is below alpha by the base and the margin for each
/// half-move still to search (Heinz 1998).
pub(super) const FUTILITY_DEPTH: i32 = 6;
pub(super) const FUTILITY_BASE: i32 = 90;
pub(super) const FUTILITY_MARGIN: i32 = 80;
/// Up to this depth quiet moves are left out whose score is this far below zero for each half-move still to search.
pub(super) const HISTORY_DEPTH: i32 = 4;
pub(super) const HISTORY_MARGIN: i32 = 4000;
/// Quiet moves that lose material on their square are left out up to the first depth, and losing captures up to the
/// second.
pub(super) const LOSING_QUIET_DEPTH: i32 = 4;
pub(super) const LOSING_CAPTURE_DEPTH: i32 = 3;

// Depth.

/// A node of this depth without a hash move is searched one half-move less deep (internal iterative reduction; Schröder 2021).
pub(super) const LEAST_DEPTH_WITHOUT_MOVE: i32 = 4;
/// Least depth at which hash moves are tested for being singular, and how much worse the other moves must be for each half-move
/// still to search.
pub(super) const SINGULAR_DEPTH: i32 = 6;
pub(super) const SINGULAR_MARGIN: i32 = 2;
/// Half-moves by which the table's value may be shallower than the node in which its move is tested for being singular.
pub(super) const SINGULAR_DEPTH_MARGIN: i32 = 3;
/// Moves are not tested for being singular from this multiple of the iteration's depth on, so that extensions end.
pub(super) const SINGULAR_PLIES: i32 = 2;
/// Divisor of the depth with which the other moves are searched.
pub(super) const SINGULAR_DEPTH_DIVISOR: i32 = 2;
/// Least depth at which late moves are reduced, and the number of moves before them.
pub(super) const REDUCED_DEPTH: i32 = 3;
pub(super) const REDUCED_FROM: usize = 2;
/// Half-moves by which late moves are reduced at any depth and place, and for each unit of the product of the logarithms of depth
/// and place.
pub(super) const REDUCTION: f32 = 0.8;
pub(super) const REDUCTION_GROWTH: f32 = 0.45;
/// Half-moves by which late moves are reduced less in a principal variation, if the position is improving, and at
/// checks.
pub(super) const LESS_IN_PV: f32 = 1.0;
pub(super) const LESS_IMPROVING: f32 = 0.5;
pub(super) const LESS_IN_CHECK: f32 = 1.0;
/// Points of a quiet move's score (histories, killers, policy) that reduce it by one half-move less; least and most half-moves.
pub(super) const SCORE_OF_HALF_MOVE: f32 = 8192.0;
pub(super) const LESS_BY_SCORE: (f32, f32) = (-1.0, 2.0);
/// Half-moves without capture or pawn move from which on table entries, which do not know this counter, are not
/// trusted.
pub(super) const TABLE_HALFMOVE_LIMIT: u32 = 90;

// Order of the moves.

/// Score of the hash move.
pub(super) const HASH_MOVE_SCORE: i32 = 1 << 29;
// Scores of captures that do not lose, of killers, and of captures that lose; histories lie between the last two.
pub(super) const GOOD_CAPTURE: i32 = 1 << 27;
pub(super) const KILLER: i32 = 12_000;
pub(super) const BAD_CAPTURE: i32 = -(1 << 27);
/// Weight of a prior relative to the histories, and the least depth at which priors order the moves: below it they cost more than they
/// save.
pub(super) const POLICY: f32 = 40_000.0;
pub(super) const POLICY_DEPTH: i32 = 3;
/// Weight of a captured piece's value in a capture's score, and divisor of the capture history that is added to it, which decides
/// between captures of equal pieces.
pub(super) const VICTIM: i32 = 256;
pub(super) const CAPTURE_HISTORY_DIVISOR: i32 = 8;
/// Largest count of a history.
pub(super) const HISTORY_MAX: i32 = 16_384;
/// History bonus of a move that refuted a position: growth for each half-move of depth, and limits.
pub(super) const BONUS_GROWTH: i32 = 140;
pub(super) const LEAST_BONUS: i32 = 60;
pub(super) const LARGEST_BONUS: i32 = 1600;

// Quiescence.

/// Worth of a pawn in units of values, as the most that a capture may bring.
pub(super) const PAWN: i32 = 110;
/// Margin for what a capture changes besides the material that it takes.
pub(super) const CAPTURE_MARGIN: i32 = 150;
/// Divisor of the capture history in quiescence, where the value of the captured piece weighs more than in the full search.
pub(super) const QUIET_HISTORY_DIVISOR: i32 = 32;

// The root.

/// Aspiration window: from this depth on the window lies around the value of the previous iteration, with this half-width. If the
/// value falls outside, the half-width grows by the factor, up to a width beyond which a bound says more than the value.
pub(super) const LEAST_ASPIRATION_DEPTH: i32 = 5;
pub(super) const ASPIRATION: i32 = 20;
pub(super) const WINDOW_GROWTH: i32 = 3;
pub(super) const WIDEST: i32 = 300;
/// Root moves after the wanted lines that are searched to full depth at once, and the least depth at which later ones are not.
pub(super) const UNREDUCED: usize = 3;
pub(super) const LEAST_REDUCED_DEPTH: i32 = 3;

// Tables.

/// Places of the first part of the transposition table, a MiB; each further part doubles it.
pub(super) const FIRST_PLACES: usize = 1 << 16;
/// Places of the table of one kind of pieces in the correction history; a power of two.
pub(super) const CORRECTION_PLACES: usize = 1 << 14;

// Correction history: the form is that of Stockfish.

/// Fractions of a unit of value in which errors are kept, and the largest error.
pub(super) const CORRECTION_PARTS: i32 = 64;
pub(super) const LARGEST_CORRECTION: i32 = 200 * CORRECTION_PARTS;
/// An error found at depth d moves the mean by (d + 1) / `CORRECTION_WEIGHTS`, at most by `MOST_CORRECTION_WEIGHT` / `CORRECTION_WEIGHTS`.
pub(super) const CORRECTION_WEIGHTS: i32 = 128;
pub(super) const MOST_CORRECTION_WEIGHT: i32 = 16;

// Threads.

/// Nodes of the leading thread between two looks at the clock.
pub(super) const NODES_A_QUESTION: u64 = 128;
/// Interval at which a leading thread that waits for the others looks at the clock.
pub(super) const LEADER_WAIT: Duration = Duration::from_millis(1);
/// Weight of a vote for the worst value, in the units of values. Stockfish (`thread.cpp`, `get_best_thread`) adds 14
/// of its own units.
pub(super) const LEAST_VOTE: i32 = 5;

// Time scaling: the forms are those of Stockfish's time management (`search.cpp`).

/// Another iteration takes about as long as all before it, so it begins only in the first part of the move's time.
pub(super) const TIME_TO_BEGIN: f32 = 0.6;
/// Factor by the share of the nodes that the best move took: its value for a share of none, and what a share of all
/// takes off.
pub(super) const TIME_OF_NO_NODES: f32 = 2.4;
pub(super) const TIME_OFF_BY_NODES: f32 = 1.9;
/// Best-move stability: the factor for a new best move, what each further iteration with the same move takes off, and
/// the most iterations that count.
pub(super) const TIME_OF_NEW_BEST: f32 = 1.25;
pub(super) const TIME_OFF_BY_STABILITY: f32 = 0.05;
pub(super) const MOST_STABLE_ITERATIONS: u32 = 10;
/// A value that fell by this much below that of earlier iterations is worth as much time again; least and largest
/// factor.
pub(super) const TIME_FALL: f32 = 80.0;
pub(super) const LEAST_TIME_BY_FALL: f32 = 0.85;
pub(super) const MOST_TIME_BY_FALL: f32 = 1.6;
/// Weight of the last iteration in the mean of the values.
pub(super) const TIME_MEAN_WEIGHT: f32 = 0.4;
