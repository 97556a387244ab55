//! Limits of a record's counters: within them every ply and clock of a game fits in 15 bits.

/// Most plies of a game that is read.
pub(super) const MAX_PLIES: usize = 12_000;

/// Most half-moves without capture or pawn move before a starting position.
pub(super) const MAX_START_CLOCK: u32 = 1_000;

/// Largest move number of a starting position.
pub(super) const MAX_START_MOVE: u32 = 10_000;
