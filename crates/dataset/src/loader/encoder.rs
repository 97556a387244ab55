//! Encodes samples, one after another, into a batch.

use chess::{
    Move, Position as _, Score, Wdl,
    encoding::{InputEncoding, MoveEncoding, Plane},
};

use super::{ResultUse, Targets};
use crate::{
    Batch, GameResult,
    evaluation::Stage,
    packed_move::PackedMove,
    sample::{Sample, SampleError, SearchValue},
};

/// Encodes samples into the arrays of a batch.
pub(super) struct Encoder {
    input: &'static dyn InputEncoding,
    moves: &'static dyn MoveEncoding,
    targets: Targets,
    batch: Batch,
}

/// Legal moves in a typical middle game; only decides how much memory is reserved.
const TYPICAL_MOVES: usize = 36;

impl Encoder {
    /// An encoder for one batch of `size` samples.
    pub(super) fn new(
        input: &'static dyn InputEncoding,
        moves: &'static dyn MoveEncoding,
        targets: Targets,
        size: usize,
    ) -> Self {
        let plane_count = input.planes();
        let mut legal_offsets = Vec::with_capacity(size + 1);
        legal_offsets.push(0);
        let batch = Batch {
            size: 0,
            plane_count,
            planes: Vec::with_capacity(size * plane_count),
            legal_offsets,
            legal_indices: Vec::with_capacity(size * TYPICAL_MOVES),
            policy: Vec::with_capacity(size * TYPICAL_MOVES),
            evaluations: Vec::with_capacity(size),
            results: Vec::with_capacity(size),
            search_values: Vec::with_capacity(size),
            stages: Vec::with_capacity(size),
            weights: Vec::with_capacity(size),
            keys: Vec::with_capacity(size),
        };
        Self { input, moves, targets, batch }
    }

    pub(super) fn push(&mut self, sample: &Sample) -> Result<(), SampleError> {
        let mirrored = self.targets.mirror_seed.filter(|&seed| is_chosen(sample, seed));
        let mirrored = mirrored.and_then(|_| sample.mirrored());
        self.encode(mirrored.as_ref().unwrap_or(sample))
    }

    fn encode(&mut self, sample: &Sample) -> Result<(), SampleError> {
        let game = sample.to_game()?;
        let position = game.position();
        let illegal = SampleError::Move { bits: sample.best_move.0 };
        let best = sample.best_move.unpack(position).ok_or(illegal)?;
        let batch = &mut self.batch;
        let start = batch.planes.len();
        batch.planes.resize(start + batch.plane_count, Plane::EMPTY);
        self.input.encode(&game, &mut batch.planes[start..]);
        let legal = position.legal_moves();
        batch.legal_indices.extend(legal.iter().map(|&legal| self.moves.index(position, legal) as u16));
        let probabilities = sample.policy.probabilities(self.targets.policy_temperature);
        if probabilities.is_empty() {
            batch.policy.extend(legal.iter().map(|&legal| f32::from(u8::from(legal == best))));
        } else {
            spread(&mut batch.policy, &legal, &probabilities)?;
        }
        batch.legal_offsets.push(batch.legal_indices.len() as u32);
        let is_turned = self.input.value_viewer(position.turn()) != position.turn();
        let evaluation = sample.evaluation;
        batch.evaluations.push(if is_turned { evaluation.map(Score::flipped) } else { evaluation });
        let usable = self.targets.results == ResultUse::Always || sample.slips == 0;
        let result = sample.result.filter(|_| usable);
        batch.results.push(if is_turned { result.map(GameResult::flipped) } else { result });
        let search_value = sample.search_value.map(SearchValue::wdl);
        batch.search_values.push(if is_turned { search_value.map(Wdl::flipped) } else { search_value });
        batch.stages.push(Stage { ply: sample.ply, material: sample.position.material() });
        batch.weights.push(self.targets.weights.of(sample));
        batch.keys.push(sample.position.key());
        batch.size += 1;
        Ok(())
    }

    pub(super) fn finish(self) -> Batch {
        self.batch
    }
}

/// Whether a sample is one of about half of them.
fn is_chosen(sample: &Sample, seed: u64) -> bool {
    xxhash_rust::xxh3::xxh3_64_with_seed(&sample.position.0, seed).is_multiple_of(2)
}

/// Appends a target for each legal move: its probability where it has one.
fn spread(
    policy: &mut Vec<f32>,
    legal: &[Move],
    probabilities: &[(PackedMove, f32)],
) -> Result<(), SampleError> {
    let start = policy.len();
    policy.resize(start + legal.len(), 0.0);
    for &(packed, probability) in probabilities {
        let place = legal.iter().position(|&legal| PackedMove::pack(legal) == packed);
        let place = place.ok_or(SampleError::Move { bits: packed.0 })?;
        policy[start + place] += probability;
    }
    Ok(())
}
