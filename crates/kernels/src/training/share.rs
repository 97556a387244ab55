//! A share of a batch: the boards that one thread works on, with their activations and gradients.

use std::ops::Range;

use chess::encoding::Plane;

use super::{heads::HeadActivations, tower::TowerActivations, work::GROUP};
use crate::{
    layout::{Boards, position},
    simd::element::Element,
};

/// The most shares a batch is split into, whatever the number of threads. Sums over the batch are added share by share
/// in a fixed order, so that results are the same on any machine.
const SHARES: usize = 16;

/// Number of shares of a batch: one for every `group` of boards, because each share reads all weights and has gradients of
/// all of them.
pub(crate) fn count(boards: usize, group: usize) -> usize {
    boards.div_ceil(group).min(SHARES)
}

/// The most boards of a share of a batch of up to `boards`.
pub(crate) fn room(boards: usize) -> usize {
    boards.div_ceil(SHARES).max(GROUP.min(boards))
}

/// The boards of each share.
pub(crate) fn shares(boards: usize, group: usize) -> Vec<Range<usize>> {
    let count = count(boards, group);
    let cut = |share: usize| share * boards / count;
    (0..count).map(|share| cut(share)..cut(share + 1)).collect()
}

/// Activations and gradients of one share.
pub(crate) struct Share<E> {
    /// Its boards in the batch.
    pub(crate) boards: Range<usize>,
    pub(crate) input: Boards<E>,
    pub(crate) tower: TowerActivations<E>,
    pub(crate) policy: HeadActivations<E>,
    pub(crate) value: HeadActivations<E>,
    pub(crate) moves_left: Option<HeadActivations<E>>,
    /// Gradients of the weights of the convolutions that were last passed backwards.
    pub(crate) filter_gradients: [Vec<f32>; 2],
}

impl<E: Element> Share<E> {
    /// Writes the planes of its boards into rows of numbers.
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
    fn shares_cover_every_board_once() {
        for boards in [1, 5, 16, 17, 100, 256] {
            assert!(shares(boards, GROUP).iter().all(|share| !share.is_empty()), "{boards}");
            let all: Vec<usize> = shares(boards, GROUP).into_iter().flatten().collect();
            assert!(
                (1..=boards)
                    .flat_map(|boards| shares(boards, GROUP))
                    .all(|share| share.len() <= room(boards)),
                "{boards}"
            );
            assert_eq!(all, (0..boards).collect::<Vec<_>>());
        }
    }
}
