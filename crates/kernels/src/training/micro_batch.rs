//! A micro-batch: the boards of a batch that one thread processes, with their activations and gradients.

use std::ops::Range;

use chess::encoding::Plane;

use super::{heads::HeadActivations, tower::TowerActivations, work::GROUP};
use crate::{
    layout::{Boards, position},
    simd::element::Element,
};

/// The largest number of micro-batches a batch is split into, whatever the number of threads. Sums over the batch are added
/// one micro-batch at a time in a fixed order, so results are the same on any machine. Sparse networks have twice as many;
/// here each micro-batch keeps gradients of all weights in memory.
const MICRO_BATCHES: usize = 16;

/// Number of micro-batches in a batch: one for every `group` boards, because each micro-batch reads all weights and keeps
/// gradients of all of them.
pub(crate) fn count(boards: usize, group: usize) -> usize {
    boards.div_ceil(group).min(MICRO_BATCHES)
}

/// The largest number of boards in a micro-batch, for batches of up to `boards` boards.
pub(crate) fn room(boards: usize) -> usize {
    boards.div_ceil(MICRO_BATCHES).max(GROUP.min(boards))
}

pub(crate) fn micro_batches(boards: usize, group: usize) -> Vec<Range<usize>> {
    let count = count(boards, group);
    let cut = |batch: usize| batch * boards / count;
    (0..count).map(|batch| cut(batch)..cut(batch + 1)).collect()
}

/// Activations and gradients of one micro-batch.
pub(crate) struct MicroBatch<E> {
    pub(crate) boards: Range<usize>,
    pub(crate) input: Boards<E>,
    pub(crate) tower: TowerActivations<E>,
    pub(crate) policy: HeadActivations<E>,
    pub(crate) value: HeadActivations<E>,
    pub(crate) moves_left: Option<HeadActivations<E>>,
    /// Gradients of the weights of the convolutions most recently passed in the backward pass.
    pub(crate) filter_gradients: [Vec<f32>; 2],
}

impl<E: Element> MicroBatch<E> {
    /// Expands the planes of its boards into dense rows.
    pub(crate) fn set_planes(&mut self, count: usize, planes: &[Plane]) {
        let input = &mut self.input;
        let width = input.width;
        for (board, planes) in
            planes[self.boards.start * count..self.boards.end * count].chunks_exact(count).enumerate()
        {
            let squares = input.board_mut(board);
            squares.fill(E::nearest(0.0));
            for (number, plane) in planes.iter().enumerate() {
                for square in plane.occupied() {
                    squares[position(square) * width + number] = E::nearest(plane.value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn micro_batches_cover_every_board_once() {
        for boards in [1, 5, 16, 17, 100, 256] {
            assert!(micro_batches(boards, GROUP).iter().all(|batch| !batch.is_empty()), "{boards}");
            let all: Vec<usize> = micro_batches(boards, GROUP).into_iter().flatten().collect();
            assert!(
                (1..=boards)
                    .flat_map(|boards| micro_batches(boards, GROUP))
                    .all(|batch| batch.len() <= room(boards)),
                "{boards}"
            );
            assert_eq!(all, (0..boards).collect::<Vec<_>>());
        }
    }
}
