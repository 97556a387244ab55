//! A share of a batch: the boards that one thread works on, and what is remembered of them.

use std::ops::Range;

use chess::encoding::Plane;

use super::{heads::HeadActivations, tower::TowerActivations};
use crate::{
    element::Element,
    layout::{Boards, position},
};

/// A batch is worked on in this many shares, whatever the number of threads: sums over the batch are made of the sums of
/// its shares, in their order, and so come out the same on any machine.
pub(crate) const SHARES: usize = 16;

/// The boards of each share that has any.
pub(crate) fn shares(boards: usize) -> Vec<Range<usize>> {
    let cut = |share: usize| share * boards / SHARES;
    (0..SHARES).map(|share| cut(share)..cut(share + 1)).filter(|share| !share.is_empty()).collect()
}

/// What is remembered of a share.
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
            for (plane, Plane { mask, value }) in planes.iter().enumerate() {
                let mut left = *mask;
                while left != 0 {
                    squares[position(left.trailing_zeros() as usize) * width + plane] = E::nearest(*value);
                    left &= left - 1;
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
        for boards in [1, 5, 16, 17, 256] {
            let all: Vec<usize> = shares(boards).into_iter().flatten().collect();
            assert_eq!(all, (0..boards).collect::<Vec<_>>());
        }
    }
}
