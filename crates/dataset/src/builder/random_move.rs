//! Positions after a random legal move, for an engine to label.

use chess::{Chess, Position as _};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::{
    packed_move::PackedMove,
    packed_position::PackedPosition,
    policy::PolicyLabel,
    sample::{Sample, SampleError},
};

/// The sample itself, or, for a share of the positions, the one after a random legal move, without labels and with its
/// first legal move in place of the best; `None` if that move ends the game. The choice depends only on position and
/// `seed`, so it is the same for equal positions.
pub(super) fn after(sample: &Sample, share: f32, seed: u64) -> Result<Option<Sample>, SampleError> {
    let hash = xxh3_64_with_seed(&sample.position.0, seed);
    // The high 24 bits choose the position, the low 32 the move.
    if (hash >> 40) as f32 >= share * (1u32 << 24) as f32 {
        return Ok(Some(sample.clone()));
    }
    let mut position = sample.chess()?;
    let moves = position.legal_moves();
    let Some(&chosen) = moves.get((hash & 0xffff_ffff) as usize % moves.len().max(1)) else {
        return Ok(None);
    };
    position.play_unchecked(chosen);
    Ok(unlabelled(sample, &position))
}

/// A sample of the position after a move, without labels and with its first legal move in place of the best; `None` if the
/// game is over.
pub(super) fn unlabelled(before: &Sample, after: &Chess) -> Option<Sample> {
    let first = *after.legal_moves().first()?;
    Some(Sample {
        position: PackedPosition::pack(after),
        best_move: PackedMove::pack(first),
        played_move: None,
        evaluation: None,
        result: None,
        ply: before.ply.saturating_add(1),
        repetitions: 0,
        policy: PolicyLabel::BestMove,
        search_value: None,
        clock_seconds: None,
        ..before.clone()
    })
}
