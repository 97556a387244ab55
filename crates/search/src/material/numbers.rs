//! The numbers of the material search. Values are in pawns: it counts no smaller unit. What has no source is chosen, not tuned.

/// Mated now; each half-move further away is one better.
pub(super) const MATED_IN_PAWNS: i32 = -1000;
/// Values beyond this are mates.
pub(super) const MATE_RANGE_IN_PAWNS: i32 = 500;
/// More than any board holds and than any mate is worth.
pub(super) const UNBOUNDED: i32 = 2000;

/// Half-moves of captures that quiescence searches; positions beyond them are evaluated statically. Searching on would change the
/// balance of one position in sixty, and sixteen half-moves solve no more problems
/// (`docs/experiments/search-test-positions.md`).
pub(super) const MAX_PLIES: u32 = 8;
/// Check extensions apply up to this many half-moves. Half as many solve almost as many positions, none far fewer
/// (`docs/experiments/search-test-positions.md`).
pub(super) const MAX_CHECK_PLY: usize = 20;
/// Null-move reduction: half-moves of depth that a null move saves, in addition to its own half-move (Donninger 1993).
pub(super) const NULL_REDUCTION: i32 = 2;
/// Late move reductions: quiet moves from the first of these places in the move order on are first searched one half-move
/// less deep, from the second place on two (Romstad, "An introduction to late move reductions", reduces from the fourth move
/// on, and likewise from [`LEAST_REDUCED_DEPTH`]). `docs/experiments/search-test-positions.md` compares other places and no
/// reductions.
pub(super) const LATE: [usize; 2] = [4, 12];
/// Least depth at which late moves are reduced.
pub(super) const LEAST_REDUCED_DEPTH: i32 = 3;
/// Deepening ends here; no budget reaches it.
pub(super) const MAX_DEPTH: i32 = 40;

// Order of the moves: scores of the hash move, of captures and of killers; histories lie below them.
pub(super) const REMEMBERED: i32 = i32::MAX;
pub(super) const CAPTURE: i32 = 1 << 30;
pub(super) const KILLER: i32 = 1 << 29;
/// Half-moves with killer moves of their own.
pub(super) const KILLER_PLIES: usize = 64;

/// Nodes between two questions whether the time is over.
pub(super) const NODES_A_QUESTION: u64 = 1024;
/// Places of the table: a MiB of them stays in the processor's second-level cache. A power of two.
pub(super) const PLACES: usize = 1 << 16;
