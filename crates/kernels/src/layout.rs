//! The layout of boards in memory: channels last, eight ranks of nine positions, the ninth of which is zero.
//!
//! The position to the left of file a is the zero after the rank below, and the zero rank after each board is also the
//! one before the next board. So every square has all its neighbours at fixed offsets, and a 3x3 convolution needs
//! neither bounds checks nor gathered copies: tap (rank step, file step) is `RANK * rank step + file step` positions
//! away. A tile unit reads 16 consecutive positions as 16 rows of a matrix, directly from this layout.
//!
//! ```text
//!            file  a  b  c  d  e  f  g  h  0       positions
//! rank 1           0  1  2  3  4  5  6  7  8       the zero is right of h1 and left of a2
//! rank 2           9 10 11 12 13 14 15 16 17
//!  ...
//! rank 8          63 64 65 66 67 68 69 70 71
//! zeros           72 73 74 75 76 77 78 79 80       above rank 8, and below rank 1 of the next board
//! next board      81 ...
//! ```
//!
//! The price is memory: 81 positions for 64 squares. A full border on all four sides would need 100.
//!
//! Whoever writes activations writes the 64 squares and nothing else; no kernel clears the zeros again. In int8 they hold the
//! zero point, the level of the number zero: the shift of a layer subtracts its contribution for all nine taps, so a margin of
//! level 0 would add a wrong constant to every square at the edge.

use crate::{
    aligned::{Aligned, Plain},
    simd::element::Element,
};

pub(crate) use chess::encoding::SQUARES;

/// Positions from one rank to the next.
pub(crate) const RANK: usize = 9;
/// Positions from a board's first square to the end of its last rank.
pub(crate) const POSITIONS: usize = 8 * RANK;
/// Positions from one board to the next: the board, and a rank of zeros.
pub(crate) const BOARD: usize = POSITIONS + RANK;
/// Positions before the first board and after the last, all zero. The farthest neighbour is only a rank and a square away; the
/// rest lets kernels read several squares there for a missing board.
pub(crate) const MARGIN: usize = 48;

/// The number of channels is padded to a multiple of this; the padding is zero.
pub(crate) const CHANNEL_BLOCK: usize = 16;

/// `size` rounded up to a multiple of `multiple`.
pub(crate) fn padded(size: usize, multiple: usize) -> usize {
    size.div_ceil(multiple) * multiple
}

/// Removes the padding: `[rows][padded columns]` to `[rows][columns]`.
pub(crate) fn unpadded(rows: Vec<f32>, columns: usize) -> Vec<f32> {
    let width = padded(columns, CHANNEL_BLOCK);
    if width == columns {
        return rows;
    }
    rows.chunks_exact(width).flat_map(|row| &row[..columns]).copied().collect()
}

#[inline(always)]
pub(crate) fn position(square: usize) -> usize {
    square / 8 * RANK + square % 8
}

/// Activations of several boards. The positions between the boards are zero and stay zero.
#[derive(Clone)]
pub(crate) struct Boards<E> {
    pub(crate) width: usize,
    /// `[margin + boards * positions + margin][width]`.
    pub(crate) data: Aligned<E>,
}

impl<E: Element> Boards<E> {
    /// Room for `boards` boards, filled with `zero`.
    pub(crate) fn new(boards: usize, width: usize, zero: E) -> Self {
        let positions = 2 * MARGIN + boards * BOARD;
        Self { width, data: Aligned::filled(positions * width, zero) }
    }

    /// Index of the first channel of a board's square a1.
    #[inline(always)]
    pub(crate) fn first(&self, board: usize) -> usize {
        (MARGIN + board * BOARD) * self.width
    }

    /// The positions of a board and the rank of zeros after it.
    #[inline(always)]
    pub(crate) fn board_mut(&mut self, board: usize) -> &mut [E] {
        let first = self.first(board);
        &mut self.data[first..][..BOARD * self.width]
    }

    pub(crate) fn grid(&self) -> Grid<'_, E> {
        Grid { width: self.width, data: &self.data, board: 0 }
    }
}

/// A read-only view of [`Boards`], counted from one of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid<'a, E> {
    pub(crate) width: usize,
    /// All positions of all boards.
    pub(crate) data: &'a [E],
    /// The board that counts as the first.
    pub(crate) board: usize,
}

impl<E> Grid<'_, E> {
    /// Index of the first channel of a board's square a1.
    #[inline(always)]
    pub(crate) fn first(&self, board: usize) -> usize {
        (MARGIN + (self.board + board) * BOARD) * self.width
    }
}

/// Offsets of the neighbours of a square in [`Boards`] of this width, in the order of the weights:
/// `[kernel rows][columns]`.
pub(crate) fn tap_offsets(kernel: usize, width: usize) -> Vec<isize> {
    let radius = (kernel / 2) as isize;
    let steps = -radius..=radius;
    let offset = |rank: isize, file: isize| (rank * RANK as isize + file) * width as isize;
    steps.clone().flat_map(|rank| steps.clone().map(move |file| offset(rank, file))).collect()
}

/// Activations of several boards without padding positions, `[boards][64][width]`: the input of dense layers.
#[derive(Clone)]
pub(crate) struct Flat<T> {
    /// Elements per board.
    pub(crate) stride: usize,
    /// `[boards][stride]`.
    pub(crate) data: Aligned<T>,
}

impl<T: Plain> Flat<T> {
    pub(crate) fn new(boards: usize, stride: usize, zero: T) -> Self {
        Self { stride, data: Aligned::filled(boards * stride, zero) }
    }

    #[inline(always)]
    pub(crate) fn board(&self, board: usize) -> &[T] {
        &self.data[board * self.stride..][..self.stride]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_beyond_the_edge_are_zero() {
        let mut boards = Boards::new(2, 1, 0.0_f32);
        for board in 0..2 {
            let first = boards.first(board);
            for square in 0..SQUARES {
                boards.data[first + position(square)] = (square + 1) as f32;
            }
        }
        for board in 0..2 {
            for square in 0..SQUARES {
                let here = boards.first(board) + position(square);
                for (tap, offset) in tap_offsets(3, 1).into_iter().enumerate() {
                    let rank = (square / 8 + tap / 3).checked_sub(1).filter(|rank| *rank < 8);
                    let file = (square % 8 + tap % 3).checked_sub(1).filter(|file| *file < 8);
                    let expected = rank.zip(file).map_or(0.0, |(rank, file)| (rank * 8 + file + 1) as f32);
                    let found = boards.data[here.checked_add_signed(offset).unwrap()];
                    assert_eq!(found, expected, "board {board}, square {square}, tap {tap}");
                }
            }
        }
    }
}
