//! Every number that decides what the search looks at, and for how long; sizes of tables stand beside them. Papers are cited beside the techniques; the values are chosen, not tuned. Those that games can move are options:
//! the values to which 1,500 games moved twelve of them gained nothing in other games (`docs/experiments/principal-variation-search.md`).

use crate::tunables::tunables;

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

/// Reverse futility pruning: positions far above beta are not searched up to this depth.
pub(super) const REVERSE_DEPTH: i32 = 7;
/// Razoring: positions far below alpha are only searched by quiescence up to this depth (Birmingham and Kent 1977).
pub(super) const RAZOR_DEPTH: i32 = 3;
/// Null move: the least depth at which it is tried (Donninger 1993), and the half-moves of depth for each further
/// half-move of reduction.
pub(super) const LEAST_NULL_DEPTH: i32 = 3;
pub(super) const NULL_DEPTHS: f32 = 4.0;
/// Most half-moves that the static value above beta adds to the null-move reduction.
pub(super) const MOST_BY_VALUE: i32 = 3;
/// Late move pruning: quiet moves that are tried near the horizon in addition to the square of the depth, half as many if the
/// position is not improving ...
pub(super) const LATE_MOVES: i32 = 3;
/// ... up to this depth.
pub(super) const LATE_MOVE_PRUNING_DEPTH: i32 = 7;
/// Fraction of the quiet moves that are tried near the horizon if the position is not improving.
pub(super) const LATE_NOT_IMPROVING: f32 = 0.5;
/// Futility pruning: quiet moves that cannot make up for the distance to alpha are left out up to this depth (Heinz 1998).
pub(super) const FUTILITY_DEPTH: i32 = 6;
/// Quiet moves with a bad history are left out up to this depth.
pub(super) const HISTORY_DEPTH: i32 = 4;
/// Quiet moves that lose material on their square are left out up to the first depth, and losing captures up to the
/// second.
pub(super) const LOSING_QUIET_DEPTH: i32 = 4;
pub(super) const LOSING_CAPTURE_DEPTH: i32 = 3;

// Depth.

/// A node of this depth without a hash move is searched one half-move less deep (internal iterative reduction; Schröder 2021).
pub(super) const LEAST_DEPTH_WITHOUT_MOVE: i32 = 4;
/// Half-moves by which the table's value may be shallower than the node in which its move is tested for being singular.
pub(super) const SINGULAR_DEPTH_MARGIN: i32 = 3;
/// Moves are not tested for being singular from this multiple of the iteration's depth on, so that extensions end.
pub(super) const SINGULAR_PLIES: i32 = 2;
/// Divisor of the depth with which the other moves are searched.
pub(super) const SINGULAR_DEPTH_DIVISOR: i32 = 2;
/// Least depth at which late moves are reduced, and the number of moves before them.
pub(super) const REDUCED_DEPTH: i32 = 3;
pub(super) const REDUCED_FROM: usize = 2;
/// Half-moves by which late moves are reduced less in a principal variation, if the position is improving, and at
/// checks.
pub(super) const LESS_IN_PV: f32 = 1.0;
pub(super) const LESS_IMPROVING: f32 = 0.5;
pub(super) const LESS_IN_CHECK: f32 = 1.0;
/// Half-moves by which a quiet move is reduced less for its score: least and most.
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
/// Divisor of the capture history, which is added to the value of the captured piece in a capture's score.
pub(super) const CAPTURE_HISTORY_DIVISOR: i32 = 8;
/// Weight of a captured piece's value. The history of the capture is added to it and decides between captures of equal
/// pieces.
pub(super) const VICTIM: i32 = 256;
/// Largest count of a history.
pub(super) const HISTORY_MAX: i32 = 16_384;
/// History bonus of a move that refuted a position: growth for each half-move of depth, and limits.
pub(super) const BONUS_GROWTH: i32 = 140;
pub(super) const LEAST_BONUS: i32 = 60;
pub(super) const LARGEST_BONUS: i32 = 1600;

// Quiescence.

/// Worth of a pawn in units of values, as the most that a capture may bring.
pub(super) const PAWN: i32 = 110;
/// Divisor of the capture history, which is added to the value of the captured piece in a capture's score.
pub(super) const QUIET_HISTORY_DIVISOR: i32 = 32;

// The root.

/// Aspiration window: from this depth on the window lies around the value of the previous iteration. If the value falls outside, the
/// half-width grows by this factor, up to a width beyond which a bound says more than the value.
pub(super) const LEAST_ASPIRATION_DEPTH: i32 = 5;
pub(super) const WINDOW_GROWTH: i32 = 3;
pub(super) const WIDEST: i32 = 300;
/// Root moves after the wanted lines that are searched to full depth at once.
pub(super) const UNREDUCED: usize = 3;
pub(super) const LEAST_REDUCED_DEPTH: i32 = 3;

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
/// Weight of a vote for the worst value, in the units of values. Stockfish (`thread.cpp`, `get_best_thread`) adds 14
/// of its own units.
pub(super) const LEAST_VOTE: i32 = 5;

// Time scaling: the forms are those of Stockfish's time management (`search.cpp`).

/// Another iteration takes about as long as all before it, so it begins only in the first part of the move's time.
pub(super) const TIME_TO_BEGIN: f32 = 0.6;
/// Factor by the share of the nodes that the best move took: its value for a share of none, and what a share of all
/// takes off.
pub(super) const TIME_BY_NODES: (f32, f32) = (2.4, 1.9);
/// Best-move stability: the factor for a new best move, what each further iteration with the same move takes off, and
/// the most iterations that count.
pub(super) const TIME_BY_STABILITY: (f32, f32, u32) = (1.25, 0.05, 10);
/// A value that fell by this much below that of earlier iterations is worth as much time again; least and largest
/// factor.
pub(super) const TIME_FALL: f32 = 80.0;
pub(super) const TIME_BY_FALL: (f32, f32) = (0.85, 1.6);
/// Weight of the last iteration in the mean of the values.
pub(super) const TIME_MEAN_WEIGHT: f32 = 0.4;

tunables! {
    /// When moves and positions are left out or searched at reduced depth. Values are in units of which 100 change the
    /// logarithm of the odds of a win by 1.
    PvsOptions

    "PvsReverseMargin" reverse_margin: u64 = 70 in 0, 500;
    "Principal variation search: a position that exceeds beta by this much for each half-move still to search is not searched."

    "PvsRazorMargin" razor_margin: u64 = 220 in 0, 2000;
    "Principal variation search: a position that is this far below alpha for each half-move still to search is only searched by quiescence."

    "PvsNullReduction" null_reduction: f32 = 3.0 in 1.0, 8.0;
    "Principal variation search: half-moves by which a null move reduces the depth, in addition to a quarter of the depth."

    "PvsNullValue" null_value: u64 = 120 in 20, 1000;
    "Principal variation search: value above beta for which a null move reduces the depth by one more half-move."

    "PvsLateMoves" late_moves: f32 = 1.0 in 0.1, 10.0;
    "Principal variation search: factor of the number of quiet moves tried near the horizon."

    "PvsFutilityBase" futility_base: u64 = 90 in 0, 1000;
    "Principal variation search: quiet moves are left out where the value is below alpha by this plus PvsFutilityMargin for each half-move still to search."

    "PvsFutilityMargin" futility_margin: u64 = 80 in 0, 500;
    "Principal variation search: part of the futility margin for each half-move still to search, added to PvsFutilityBase."

    "PvsCaptureMargin" capture_margin: u64 = 150 in 0, 1000;
    "Principal variation search: margin in quiescence for what a capture changes besides the material that it takes."

    "PvsReduction" reduction: f32 = 0.8 in -2.0, 4.0;
    "Principal variation search: half-moves by which late moves are reduced at any depth and place in the order."

    "PvsReductionGrowth" reduction_growth: f32 = 0.45 in 0.0, 2.0;
    "Principal variation search: half-moves added to the reduction of late moves for each unit of the product of the logarithms of depth and place."

    "PvsReductionPromise" reduction_promise: u64 = 8192 in 1000, 100_000;
    "Principal variation search: points of a quiet move's score (histories, killers, policy) that reduce it by one half-move less."

    "PvsPolicy" policy: u64 = 40_000 in 0, 200_000;
    "Principal variation search: weight of a prior relative to the histories."

    "PvsPolicyDepth" policy_depth: u64 = 3 in 1, 100;
    "Principal variation search: least depth at which priors order the moves; below it they cost more than they save."

    "PvsHistoryMargin" history_margin: u64 = 4000 in 0, 100_000;
    "Principal variation search: quiet moves near the horizon whose score is this far below zero for each half-move still to search are left out; 0 leaves none out."

    "PvsAspiration" aspiration: u64 = 20 in 5, 500;
    "Principal variation search: initial half-width of the aspiration window around the value of the previous iteration."

    "PvsCorrection" correction: f32 = 1.0 in 0.0, 4.0;
    "Principal variation search: weight of the mean error of values in positions with the same pawns or pieces."

    "PvsSingularMargin" singular_margin: f32 = 2.0 in 0.0, 20.0;
    "Principal variation search: a move is singular, and searched deeper, if the others are worse by this much for each half-move still to search."

    "PvsSingularDepth" singular_depth: u64 = 6 in 4, 100;
    "Principal variation search: least depth at which moves are tested for being singular."
}
