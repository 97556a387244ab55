//! Encodes samples, one after another, into a batch.

use chess::{
    Move, Position as _, Score, Wdl,
    encoding::{FeatureList, FeatureSet, InputEncoding, MoveEncoding, Plane},
};

use super::{Encoding, Targets};
use crate::{
    Batch, GameResult, SampleLists,
    evaluation::Stage,
    packed_move::PackedMove,
    sample::{Sample, SampleError, SearchValue},
};

/// Encodes samples into the arrays of a batch.
pub(super) struct Encoder<'a> {
    encoding: &'a Encoding,
    targets: Targets,
    batch: Batch,
    features: FeatureList,
}

/// Legal moves in a typical middlegame; only decides how much memory is reserved.
const TYPICAL_MOVES: usize = 36;

impl<'a> Encoder<'a> {
    /// An encoder for one batch of `size` samples.
    pub(super) fn new(encoding: &'a Encoding, targets: Targets, size: usize) -> Self {
        let mut batch = Batch {
            legal_offsets: Vec::with_capacity(size + 1),
            policy: Vec::with_capacity(size * TYPICAL_MOVES),
            evaluations: Vec::with_capacity(size),
            results: Vec::with_capacity(size),
            search_values: Vec::with_capacity(size),
            stages: Vec::with_capacity(size),
            policy_weights: Vec::with_capacity(size),
            value_weights: Vec::with_capacity(size),
            keys: Vec::with_capacity(size),
            ..Batch::default()
        };
        batch.legal_offsets.push(0);
        match encoding {
            Encoding::Planes(input, _) => {
                batch.plane_count = input.planes();
                batch.planes.reserve(size * batch.plane_count);
                batch.legal_indices.reserve(size * TYPICAL_MOVES);
            }
            Encoding::Features(sets) => {
                batch.sparse.features.resize_with(sets.len(), SampleLists::default);
                batch.sparse.move_rows.reserve(size * TYPICAL_MOVES);
                batch.sparse.kind_rows.reserve(size * TYPICAL_MOVES);
            }
        }
        Self { encoding, targets, batch, features: FeatureList::new() }
    }

    pub(super) fn push(&mut self, sample: &Sample) -> Result<(), SampleError> {
        // The choice depends on the position, not on its place in the stream: a run that resumes mirrors the same samples.
        let is_mirrored = self.targets.mirror_seed.is_some_and(|seed| is_chosen(sample, seed));
        let mirrored = if is_mirrored { sample.mirrored() } else { None };
        self.encode(mirrored.as_ref().unwrap_or(sample))
    }

    fn encode(&mut self, sample: &Sample) -> Result<(), SampleError> {
        let is_turned = match self.encoding {
            Encoding::Planes(input, moves) => self.encode_planes(sample, *input, *moves)?,
            Encoding::Features(sets) => {
                self.encode_features(sample, sets)?;
                false
            }
        };
        let batch = &mut self.batch;
        batch.legal_offsets.push(batch.policy.len() as u32);
        let evaluation = sample.evaluation;
        batch.evaluations.push(if is_turned { evaluation.map(Score::flipped) } else { evaluation });
        // After a slip the result says little about positions before it.
        let result = sample.result.filter(|_| sample.slips == 0);
        batch.results.push(if is_turned { result.map(GameResult::flipped) } else { result });
        let search_value = sample.search_value.map(SearchValue::wdl);
        batch.search_values.push(if is_turned { search_value.map(Wdl::flipped) } else { search_value });
        batch.stages.push(Stage { ply: sample.ply, material: sample.position.material() });
        let [policy, value] = self.targets.weights.of(sample);
        batch.policy_weights.push(policy);
        batch.value_weights.push(value);
        batch.keys.push(sample.position.key());
        batch.size += 1;
        Ok(())
    }

    /// Adds planes, policy indices and the policy's target; returns true if the encoding sees the value from the other
    /// side.
    fn encode_planes(
        &mut self,
        sample: &Sample,
        input: &dyn InputEncoding,
        moves: &dyn MoveEncoding,
    ) -> Result<bool, SampleError> {
        let game = sample.to_game()?;
        let position = game.position();
        let batch = &mut self.batch;
        let start = batch.planes.len();
        batch.planes.resize(start + batch.plane_count, Plane::EMPTY);
        input.encode(&game, &mut batch.planes[start..]);
        let legal = position.legal_moves();
        batch.legal_indices.extend(legal.iter().map(|&legal| moves.index(position, legal) as u16));
        self.push_policy(sample, &legal)?;
        Ok(input.value_viewer(position.turn()) != position.turn())
    }

    /// Adds features, policy rows and the policy's target.
    fn encode_features(
        &mut self,
        sample: &Sample,
        sets: &[&'static dyn FeatureSet],
    ) -> Result<(), SampleError> {
        let position = sample.chess()?;
        // A sample with weight zero for the policy has a gradient of zero there, whatever its moves are: without them the batch is smaller and
        // the step shorter, with the same result.
        if let Some(sets_of_value) = self.targets.sets_without_policy
            && self.targets.weights.of(sample)[0] == 0.0
        {
            self.batch.sparse.push_value_inputs(&position, &sets[..sets_of_value], &mut self.features);
            return Ok(());
        }
        let legal = position.legal_moves();
        self.batch.sparse.push(&position, &legal, sets, &mut self.features);
        self.push_policy(sample, &legal)
    }

    /// Adds the target of the policy: the probability of each legal move, zero for all where no move is known.
    fn push_policy(&mut self, sample: &Sample, legal: &[Move]) -> Result<(), SampleError> {
        let policy = &mut self.batch.policy;
        if sample.policy.is_unknown() {
            return spread(policy, legal, &[]);
        }
        let probabilities = sample.policy.probabilities(self.targets.policy_temperature);
        if probabilities.is_empty() {
            return spread(policy, legal, &[(sample.best_move, 1.0)]);
        }
        spread(policy, legal, &probabilities)
    }

    pub(super) fn finish(self) -> Batch {
        self.batch
    }
}

/// True for about half of the samples.
fn is_chosen(sample: &Sample, seed: u64) -> bool {
    xxhash_rust::xxh3::xxh3_64_with_seed(&sample.position.0, seed).is_multiple_of(2)
}

/// Appends a target for each legal move: its probability, or 0 for a move without one.
fn spread(
    policy: &mut Vec<f32>,
    legal: &[Move],
    probabilities: &[(PackedMove, f32)],
) -> Result<(), SampleError> {
    let start = policy.len();
    policy.resize(start + legal.len(), 0.0);
    for &(packed, probability) in probabilities {
        let place = legal.iter().position(|&legal| PackedMove::pack(legal) == packed);
        // A label for an illegal move is damage of the store or of its writer; its probability must not go to another move.
        let place = place.ok_or(SampleError::Move { bits: packed.0 })?;
        policy[start + place] += probability;
    }
    Ok(())
}
