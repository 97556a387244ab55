//! From a batch of encoded samples to the tensors of one step.

use burn::tensor::{Int, Tensor};
use chess::encoding::Plane;
use dataset::Batch;
use rayon::prelude::*;

use crate::{
    NetworkError,
    architecture::{Architecture, SQUARES},
    device::Device,
    passes::slots,
    policy_map::PolicyMap,
};

/// Planes of many positions as one matrix, a row for each square.
///
/// # Shapes
/// planes `[boards][count]` -> `[boards * 64, count]`.
pub(crate) fn planes(planes: &[Plane], count: usize) -> Vec<f32> {
    let mut matrix = vec![0.0_f32; planes.len() * SQUARES];
    matrix.par_chunks_mut(SQUARES * count).zip(planes.par_chunks(count)).with_min_len(16).for_each(
        |(board, planes)| {
            for (number, plane) in planes.iter().enumerate() {
                let mut squares = plane.mask;
                while squares != 0 {
                    board[squares.trailing_zeros() as usize * count + number] = plane.value;
                    squares &= squares - 1;
                }
            }
        },
    );
    matrix
}

/// The legal moves of a batch as a rectangle: each sample's row is padded to the batch's largest number of moves.
#[derive(Clone, Debug)]
pub(crate) struct LegalMoves {
    /// `[boards, width]`: where each legal move's logit is in the policy head's output; 0 in the padding.
    pub(crate) slots: Tensor<2, Int>,
    /// `[boards, width]`: 0 for legal moves, a large negative number in the padding.
    pub(crate) penalty: Tensor<2>,
    /// Moves in each row.
    pub(crate) width: usize,
}

/// What padding adds to a logit: its probability underflows to zero, and no infinity enters a gradient.
const PADDING: f32 = -1e9;

impl LegalMoves {
    /// Lays out the legal moves of a batch.
    ///
    /// # Errors
    /// [`NetworkError::Data`] for a policy index that no legal move has.
    pub(crate) fn new(batch: &Batch, map: &PolicyMap, device: &Device) -> Result<Self, NetworkError> {
        let (places, offsets, boards) = (slots(batch, map)?, &batch.legal_offsets, batch.size);
        let width = offsets.windows(2).map(|pair| (pair[1] - pair[0]) as usize).max().unwrap_or(1).max(1);
        let mut rectangle = vec![0_i32; boards * width];
        let mut penalty = vec![PADDING; boards * width];
        for (board, pair) in offsets.windows(2).enumerate() {
            for (column, &slot) in places[pair[0] as usize..pair[1] as usize].iter().enumerate() {
                rectangle[board * width + column] = slot as i32;
                penalty[board * width + column] = 0.0;
            }
        }
        Ok(Self {
            slots: device.indices(rectangle, [boards, width]),
            penalty: device.matrix(penalty, [boards, width]),
            width,
        })
    }

    /// Logits of the legal moves, very negative in the padding.
    ///
    /// # Shapes
    /// policy `[boards, policy_map.width()]` -> `[boards, width]`.
    pub(crate) fn gather(&self, policy: Tensor<2>) -> Tensor<2> {
        policy.gather(1, self.slots.clone()) + self.penalty.clone()
    }
}

/// A batch on its device.
pub(crate) struct Inputs {
    /// `[boards * 64, planes]`.
    pub(crate) planes: Tensor<2>,
    pub(crate) legal: LegalMoves,
}

impl Inputs {
    /// Moves a batch, which was encoded for this network, to the device.
    ///
    /// # Errors
    /// [`NetworkError::Data`] for a policy index that no legal move has.
    pub(crate) fn new(
        batch: &Batch,
        architecture: &Architecture,
        device: &Device,
    ) -> Result<Self, NetworkError> {
        let matrix = planes(&batch.planes, batch.plane_count);
        let planes = device.matrix(matrix, [batch.size * SQUARES, batch.plane_count]);
        let legal = LegalMoves::new(batch, &architecture.policy_map, device)?;
        Ok(Self { planes, legal })
    }
}
