//! What the loader hands to training: encoded samples, still without any tensor library.

use chess::{Score, Wdl, encoding::Plane};
use serde::Serialize;

use crate::evaluation::Stage;

/// The result of a game for the side to move of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GameResult {
    /// The side to move won.
    Win,
    /// Neither side won.
    Draw,
    /// The side to move lost.
    Loss,
}

impl GameResult {
    /// The same result for the other side.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::Win => Self::Loss,
            Self::Draw => Self::Draw,
            Self::Loss => Self::Win,
        }
    }
}

/// Encoded samples in structure-of-arrays form. `size` samples; everything is seen by the side to move of its sample, with
/// encodings of other programs by the side that they see the board from
/// ([`chess::encoding::InputEncoding::value_viewer`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Samples of the batch, the first axis of everything below.
    pub size: usize,
    /// Planes of each sample.
    pub plane_count: usize,
    /// The planes, `[size][plane_count]`; bit 0 of a mask is a1 of the mover's view.
    pub planes: Vec<Plane>,
    /// Where each sample's legal moves start in `legal_indices` and `policy`, `[size + 1]`.
    pub legal_offsets: Vec<u32>,
    /// Policy index of every legal move, samples one after another.
    pub legal_indices: Vec<u16>,
    /// Target probability of every legal move, aligned with `legal_indices`; adds up to one in each sample.
    pub policy: Vec<f32>,
    /// Engine evaluation of the position, where there is one, `[size]`.
    pub evaluations: Vec<Option<Score>>,
    /// Result of the game, where it is known, `[size]`.
    pub results: Vec<Option<GameResult>>,
    /// What a search found the position to be worth, where it is known, `[size]`.
    pub search_values: Vec<Option<Wdl>>,
    /// How far the game has come, `[size]`.
    pub stages: Vec<Stage>,
    /// How much each sample counts, beside 1; not negative, `[size]`.
    pub weights: Vec<f32>,
    /// [`crate::packed_position::PackedPosition::key`] of the position, `[size]`.
    pub keys: Vec<u64>,
}

impl Batch {
    /// Puts the samples of another batch, which must have as many planes, behind those of this one.
    ///
    /// # Panics
    /// If the batches have planes of different encodings.
    pub fn append(&mut self, other: Self) {
        let Self {
            size,
            plane_count,
            planes,
            legal_offsets,
            legal_indices,
            policy,
            evaluations,
            results,
            search_values,
            stages,
            weights,
            keys,
        } = other;
        assert_eq!(plane_count, self.plane_count, "batches of one network have the same planes");
        let before = self.legal_indices.len() as u32;
        self.size += size;
        self.planes.extend(planes);
        self.legal_offsets.extend(legal_offsets.iter().skip(1).map(|offset| before + offset));
        self.legal_indices.extend(legal_indices);
        self.policy.extend(policy);
        self.evaluations.extend(evaluations);
        self.results.extend(results);
        self.search_values.extend(search_values);
        self.stages.extend(stages);
        self.weights.extend(weights);
        self.keys.extend(keys);
    }
}
