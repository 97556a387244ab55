//! Limits on the cost of one request to the server. The sizes are chosen, not measured: far above the page's
//! requests, and far below sizes that would delay other requests or fill the memory.

/// Longest body of a request, bytes, unless a route sets its own limit.
pub(crate) const LONGEST_BODY: usize = 64 * 1024;
/// Longest analysis that is kept, bytes of its request: a game of 300 moves with comments has 10 thousand.
pub(crate) const LONGEST_ANALYSIS: usize = 2 << 20;

/// Largest network that can be sent, bytes: it is held in memory while it is checked.
pub(crate) const LARGEST_NETWORK_FILE: u64 = 256 << 20;
/// Largest file of games that can be sent, bytes.
pub(crate) const LARGEST_OPENINGS_FILE: u64 = 16 << 30;
/// Most files that are sent at the same time.
pub(crate) const MOST_UPLOADS: usize = 4;
/// Most bytes on the disk of all files that are being sent.
pub(crate) const LARGEST_UPLOADS: u64 = LARGEST_OPENINGS_FILE;
/// Minimum average rate of an upload in bytes per second, so that a slow client does not hold a slot for
/// ever.
pub(crate) const SLOWEST_UPLOAD: u64 = 64 << 10;

/// Longest game to review, and longest line to an evaluated position, plies.
pub(crate) const LONGEST_GAME: usize = 1000;
/// Longest line to a position to analyse, half-moves; only the position itself is searched, so the line costs only its
/// moves.
pub(crate) const LONGEST_ANALYSED_GAME: usize = 2000;
/// Longest game of a portrait, half-moves: a network evaluates each position and all positions that may follow it, some
/// 40 per half-move.
pub(crate) const LONGEST_PORTRAYED_GAME: usize = 400;

/// Most networks that judge positions in one request.
pub(crate) const MOST_JUDGING_NETWORKS: usize = 16;
/// Most positions that they judge.
pub(crate) const MOST_JUDGED_POSITIONS: usize = 32;

/// Most visits that a move of a game may take.
pub(crate) const MOST_MOVE_NODES: u64 = 1_000_000;
/// Most visits of each position of a review, which has as many searches as the game has moves.
pub(crate) const MOST_REVIEW_NODES: u64 = 100_000;

/// Most memory of one game's tree, mebibytes: the smallest, because many games run at once.
pub(crate) const GAME_TREE_MEMORY: u32 = 64;
/// Most memory of each tree of a review, mebibytes: a review has as many trees as threads, and eight reviews may be at work, but each
/// position has a short search. The 16,000 visits of a second look take some 5.
pub(crate) const REVIEW_TREE_MEMORY: u32 = 32;
/// Maximum memory of an analysis' tree, MiB: the tree grows as long as the position is shown.
pub(crate) const ANALYSIS_TREE_MEMORY: u32 = 256;
