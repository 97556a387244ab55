//! Numbers of a batch: on the squares of boards, or in one row for each board.

use std::ops::Range;

use crate::{
    aligned::Aligned,
    layout::{BOARD, CHANNEL_BLOCK, MARGIN, RANK, SQUARES, padded, position},
};

/// A batch is worked on in this many shares, whatever the number of threads: sums over the batch are made of the sums of
/// its shares, in their order, and so come out the same on any machine.
pub(crate) const SHARES: usize = 16;

/// The boards of each share that has any.
pub(crate) fn shares(boards: usize) -> Vec<Range<usize>> {
    let cut = |share: usize| share * boards / SHARES;
    (0..SHARES).map(|share| cut(share)..cut(share + 1)).filter(|share| !share.is_empty()).collect()
}

/// Where the rows of a tensor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// A row for each square, as in [`crate::layout`].
    Boards,
    /// One row for each board.
    Flat,
}

/// Numbers of a batch, `[rows][width]`; surplus columns are zero.
pub(crate) struct Tensor {
    pub(crate) layout: Layout,
    /// Numbers of a row, a multiple of [`CHANNEL_BLOCK`].
    pub(crate) width: usize,
    pub(crate) data: Aligned<f32>,
}

impl Tensor {
    /// A row of `columns` for each square of each board.
    pub(crate) fn boards(boards: usize, columns: usize) -> Self {
        let width = padded(columns, CHANNEL_BLOCK);
        let data = Aligned::filled((2 * MARGIN + boards * BOARD) * width, 0.0);
        Self { layout: Layout::Boards, width, data }
    }

    /// A row of `columns` for each board.
    pub(crate) fn flat(boards: usize, columns: usize) -> Self {
        let width = padded(columns, CHANNEL_BLOCK);
        Self { layout: Layout::Flat, width, data: Aligned::filled(boards * width, 0.0) }
    }

    /// From one board to the next.
    pub(crate) fn stride(&self) -> usize {
        match self.layout {
            Layout::Boards => BOARD * self.width,
            Layout::Flat => self.width,
        }
    }

    /// Where a board begins.
    pub(crate) fn start(&self, board: usize) -> usize {
        let margin = if self.layout == Layout::Boards { MARGIN * self.width } else { 0 };
        margin + board * self.stride()
    }

    /// The numbers of some boards.
    pub(crate) fn share(&self, boards: &Range<usize>) -> &[f32] {
        &self.data[self.start(boards.start)..][..boards.len() * self.stride()]
    }

    /// The numbers of each share, to be worked on side by side.
    pub(crate) fn split(&mut self, shares: &[Range<usize>]) -> Vec<&mut [f32]> {
        let stride = self.stride();
        let mut rest = &mut self.data[if self.layout == Layout::Boards { MARGIN * self.width } else { 0 }..];
        let mut parts = Vec::with_capacity(shares.len());
        for share in shares {
            let (part, behind) = rest.split_at_mut(share.len() * stride);
            parts.push(part);
            rest = behind;
        }
        parts
    }

    /// Rows of the whole batch.
    pub(crate) fn count(&self, boards: usize) -> usize {
        if self.layout == Layout::Boards { boards * SQUARES } else { boards }
    }
}

/// The places of the rows of a share.
///
/// An iterator, because a closure that is called for every row would be compiled without the instruction set of the kernel
/// it is written in.
#[inline(always)]
pub(crate) fn rows(layout: Layout, boards: usize, width: usize) -> impl Iterator<Item = usize> {
    let (ranks, files) = if layout == Layout::Boards { (8, 8) } else { (1, 1) };
    let stride = if layout == Layout::Boards { BOARD } else { 1 };
    (0..boards * ranks).flat_map(move |rank| {
        let first = (rank / ranks * stride + rank % ranks * RANK) * width;
        (first..first + files * width).step_by(width)
    })
}

/// `[board][square]` rows of `columns` into one row for each board, `square * columns + column`, for one share.
pub(crate) fn flatten(boards: &[f32], width: usize, columns: usize, flat: &mut [f32], flat_width: usize) {
    for (board, row) in flat.chunks_exact_mut(flat_width).enumerate() {
        for square in 0..SQUARES {
            let from = (board * BOARD + position(square)) * width;
            row[square * columns..][..columns].copy_from_slice(&boards[from..from + columns]);
        }
    }
}

/// The reverse of [`flatten`].
pub(crate) fn unflatten(flat: &[f32], flat_width: usize, columns: usize, boards: &mut [f32], width: usize) {
    for (board, row) in flat.chunks_exact(flat_width).enumerate() {
        for square in 0..SQUARES {
            let to = (board * BOARD + position(square)) * width;
            boards[to..to + columns].copy_from_slice(&row[square * columns..][..columns]);
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

    #[test]
    fn flattening_is_undone() {
        let (boards, columns) = (3, 5);
        let mut tensor = Tensor::boards(boards, columns);
        let whole: Range<usize> = 0..boards;
        let mut flat = Tensor::flat(boards, 64 * columns);
        for (index, value) in flat.data.iter_mut().enumerate() {
            *value = index as f32;
        }
        let (width, flat_width) = (tensor.width, flat.width);
        unflatten(
            flat.share(&whole),
            flat_width,
            columns,
            tensor.split(std::slice::from_ref(&whole))[0],
            width,
        );
        let mut again = Tensor::flat(boards, 64 * columns);
        flatten(tensor.share(&whole), width, columns, again.split(&[whole])[0], flat_width);
        assert_eq!(&again.data[..], &flat.data[..]);
    }
}
