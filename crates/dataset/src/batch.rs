//! Batches from the loader to training: encoded samples, independent of any tensor library.

use chess::{
    Chess, Color, Move, Position as _, Score, Wdl,
    encoding::{FeatureList, FeatureSet, Plane, policy_rows::PolicyRows},
};
use serde::Serialize;

use crate::{evaluation::Stage, record::Winner};

/// Lists of numbers below some size, one list per sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleLists {
    /// Start of each sample's list in `numbers`, and the end of the last one, `[size + 1]`.
    pub offsets: Vec<u32>,
    /// The lists, samples one after another. A position has about a hundred features: their indices are a tenth of a
    /// percent of the memory traffic of their rows, so narrower ones would gain nothing.
    pub numbers: Vec<u32>,
}

impl Default for SampleLists {
    fn default() -> Self {
        Self { offsets: vec![0], numbers: Vec::new() }
    }
}

impl SampleLists {
    /// Adds the list of the next sample.
    pub fn push(&mut self, list: &[u32]) {
        self.numbers.extend_from_slice(list);
        self.offsets.push(self.numbers.len() as u32);
    }

    fn append(&mut self, other: &Self) {
        let before = self.numbers.len() as u32;
        self.offsets.extend(other.offsets.iter().skip(1).map(|offset| before + offset));
        self.numbers.extend_from_slice(&other.numbers);
    }
}

/// Samples as a sparse network reads them; nothing for a network of planes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SparseInputs {
    /// The features of each set that the network reads, in its order.
    pub features: Vec<SampleLists>,
    /// Pieces on the board, `[size]`.
    pub pieces: Vec<u8>,
    /// Row of every legal move, aligned with [`Batch::policy`].
    pub move_rows: Vec<u32>,
    /// Row of the kind of every legal move, aligned with [`Batch::policy`].
    pub kind_rows: Vec<u32>,
}

impl SparseInputs {
    /// Adds a position: the features of each set, the pieces, and the rows of its legal moves. `features` must have a
    /// list per set; `found` is scratch memory.
    pub fn push(
        &mut self,
        position: &Chess,
        legal: &[Move],
        sets: &[&'static dyn FeatureSet],
        found: &mut FeatureList,
    ) {
        self.push_value_inputs(position, sets, found);
        let rows = PolicyRows::new(position);
        for &legal in legal {
            let (of_move, of_kind) = rows.of(legal);
            self.move_rows.push(of_move.into());
            self.kind_rows.push(of_kind.into());
        }
    }

    /// Adds a position as [`SparseInputs::push`] does, without legal moves, and with the features of these sets only: those after
    /// them get an empty list.
    pub(crate) fn push_value_inputs(
        &mut self,
        position: &Chess,
        sets: &[&'static dyn FeatureSet],
        found: &mut FeatureList,
    ) {
        let (read, unread) = self.features.split_at_mut(sets.len());
        for (set, lists) in sets.iter().zip(read) {
            set.active(position, found);
            lists.push(found.as_slice());
        }
        for lists in unread {
            lists.push(&[]);
        }
        self.pieces.push(position.board().occupied().count() as u8);
    }

    fn append(&mut self, other: &Self) {
        for (lists, others) in self.features.iter_mut().zip(&other.features) {
            lists.append(others);
        }
        self.pieces.extend_from_slice(&other.pieces);
        self.move_rows.extend_from_slice(&other.move_rows);
        self.kind_rows.extend_from_slice(&other.kind_rows);
    }
}

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
    /// The winner of a game with this result for `mover`: the inverse of [`Winner::for_color`].
    pub fn winner(self, mover: Color) -> Winner {
        match self {
            Self::Win => mover.fold_wb(Winner::White, Winner::Black),
            Self::Draw => Winner::Draw,
            Self::Loss => mover.fold_wb(Winner::Black, Winner::White),
        }
    }

    /// This result from the other side's view.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::Win => Self::Loss,
            Self::Draw => Self::Draw,
            Self::Loss => Self::Win,
        }
    }
}

/// Encoded samples in structure-of-arrays form. `size` samples. Point of view: the side to move of each
/// sample, or, with encodings of other programs, [`chess::encoding::InputEncoding::value_viewer`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Samples of the batch, the first axis of everything below.
    pub size: usize,
    /// Number of planes per sample.
    pub plane_count: usize,
    /// The planes, `[size][plane_count]`; bit 0 of a mask is a1 of the mover's view.
    pub planes: Vec<Plane>,
    /// The features instead of planes, for sparse networks.
    pub sparse: SparseInputs,
    /// Start of each sample's legal moves in `legal_indices` and `policy`, and the end of the last one's, `[size + 1]`.
    pub legal_offsets: Vec<u32>,
    /// Policy index of every legal move, samples one after another; empty for sparse networks.
    pub legal_indices: Vec<u16>,
    /// Target probability of every legal move, samples one after another; adds up to one in each sample.
    pub policy: Vec<f32>,
    /// Engine evaluation of the position, if known, `[size]`.
    pub evaluations: Vec<Option<Score>>,
    /// Result of the game, if known, `[size]`.
    pub results: Vec<Option<GameResult>>,
    /// Value of the position from a search, if known, `[size]`.
    pub search_values: Vec<Option<Wdl>>,
    /// Progress of the game, `[size]`.
    pub stages: Vec<Stage>,
    /// Weight of each sample in the policy's loss, 1 by default; not negative, `[size]`.
    pub policy_weights: Vec<f32>,
    /// Weight of each sample in the value's loss, 1 by default; not negative, `[size]`.
    pub value_weights: Vec<f32>,
    /// [`crate::packed_position::PackedPosition::key`] of the position, `[size]`.
    pub keys: Vec<u64>,
}

impl Batch {
    /// Appends the samples of another batch, which must have the same number of planes.
    ///
    /// # Panics
    /// If the batches have planes of different encodings.
    pub fn append(&mut self, other: Self) {
        let Self {
            size,
            plane_count,
            planes,
            sparse,
            legal_offsets,
            legal_indices,
            policy,
            evaluations,
            results,
            search_values,
            stages,
            policy_weights,
            value_weights,
            keys,
        } = other;
        assert_eq!(plane_count, self.plane_count, "batches of one network have the same planes");
        let before = self.policy.len() as u32;
        self.size += size;
        self.planes.extend(planes);
        self.sparse.append(&sparse);
        self.legal_offsets.extend(legal_offsets.iter().skip(1).map(|offset| before + offset));
        self.legal_indices.extend(legal_indices);
        self.policy.extend(policy);
        self.evaluations.extend(evaluations);
        self.results.extend(results);
        self.search_values.extend(search_values);
        self.stages.extend(stages);
        self.policy_weights.extend(policy_weights);
        self.value_weights.extend(value_weights);
        self.keys.extend(keys);
    }
}
