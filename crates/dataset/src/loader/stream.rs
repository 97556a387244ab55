//! Samples made while loading: positions some random moves away from stored ones, labelled by an evaluation in the encoders' threads.
//! Nothing is stored, and every epoch makes others.
//!
//! A sample is a function of the epoch's seed, its place in the epoch and the stored sample at that place: threads, batches and
//! interruptions change nothing.

use std::sync::Arc;

use chess::{Chess, Position as _, Score};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::{
    policy::PolicyLabel,
    sample::{Sample, SampleError},
};

/// Evaluates positions for the side to move, for one thread. Its answer depends only on the position.
pub type PositionLabeller = Box<dyn FnMut(&Chess) -> Score>;

/// Makes the samples of a [`crate::Loader`] from stored ones.
#[derive(Clone)]
pub struct Streaming {
    /// Most random moves from a stored position to the one that is made, at least 1; each number up to it is equally likely.
    pub moves: u16,
    /// Share of the samples with known moves that stay as they are stored, 0 to 1.
    pub stored: f32,
    /// Makes the labeller of each thread.
    pub labeller: Arc<dyn Fn() -> PositionLabeller + Send + Sync>,
}

/// A sample that was made from a stored one, without its label, and its position, from which the label comes.
pub(super) struct MadeSample {
    pub(super) sample: Sample,
    pub(super) position: Chess,
}

/// Lines tried before the stored position itself is taken: nearly every first one leads to a position with a legal move.
const ATTEMPTS: u32 = 8;

impl Streaming {
    /// The sample made for a place of an epoch; `None` if the stored sample stays.
    pub(super) fn made(
        &self,
        stored: &Sample,
        seed: u64,
        place: u64,
    ) -> Result<Option<MadeSample>, SampleError> {
        let seed = xxh3_64_with_seed(&place.to_le_bytes(), seed);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        if random.random::<f32>() < self.stored && !stored.policy.is_unknown() {
            return Ok(None);
        }
        let start = stored.chess()?;
        for _ in 0..ATTEMPTS {
            let count = random.random_range(1..=self.moves.max(1));
            if let Some(position) = after_random_moves(&start, count, &mut random)
                && let Some(sample) = unknown(stored, &position, count)
            {
                return Ok(Some(MadeSample { sample, position }));
            }
        }
        Ok(unknown(stored, &start, 0).map(|sample| MadeSample { sample, position: start }))
    }
}

/// A sample of the position some moves after a stored one, whose best move is not known; `None` if it has no legal move.
fn unknown(stored: &Sample, after: &Chess, moves: u16) -> Option<Sample> {
    let made = stored.unlabelled_after(after, moves)?;
    Some(Sample { policy: PolicyLabel::unknown(made.best_move), ..made })
}

/// The position after some random moves; `None` if there is no legal move before the last of them.
fn after_random_moves(start: &Chess, count: u16, random: &mut Xoshiro256PlusPlus) -> Option<Chess> {
    let mut position = start.clone();
    for _ in 0..count {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return None;
        }
        position.play_unchecked(moves[random.random_range(0..moves.len())]);
    }
    Some(position)
}
