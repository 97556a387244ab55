//! im2col (PyTorch's `unfold`): the squares of a map that each square of the next map reads, gathered into the rows of a
//! matrix.

use std::ops::Range;

use super::{
    element_wise::{load, store},
    list::Shape,
    operation::Patch,
};
use crate::simd::{Kernel, Simd};

/// The squares of each patch of a layer. Taps that never touch the map are left out: a 3x3 kernel over a single square
/// keeps one tap.
#[derive(Clone, Debug)]
pub(super) struct Im2Col {
    pub(super) from: Shape,
    pub(super) to: Shape,
    /// Taps that touch the map somewhere, numbered as in the weights.
    pub(super) taps: Vec<usize>,
    /// Number of taps in the weights, including those left out.
    pub(super) all: usize,
    /// `[squares of the output][taps]`: the square of the input, or `None` beyond the edge.
    squares: Vec<Option<u32>>,
}

impl Im2Col {
    pub(super) fn new(patch: Patch, from: Shape, to: Shape) -> Self {
        let seen = |place: usize, tap: usize, length: usize| {
            (place * patch.stride + tap).checked_sub(patch.margin).filter(|square| *square < length)
        };
        let at = |square: usize, tap: usize| {
            let rank = seen(square / to.files, tap / patch.files, from.ranks)?;
            let file = seen(square % to.files, tap % patch.files, from.files)?;
            Some((rank * from.files + file) as u32)
        };
        let squares = 0..to.squares();
        let touches = |tap: &usize| squares.clone().any(|square| at(square, *tap).is_some());
        let taps: Vec<usize> = (0..patch.ranks * patch.files).filter(touches).collect();
        let seen = |square: usize| taps.iter().map(move |tap| at(square, *tap)).collect::<Vec<_>>();
        Self {
            squares: squares.clone().flat_map(seen).collect(),
            from,
            to,
            taps,
            all: patch.ranks * patch.files,
        }
    }

    /// Length of a row of [`Gather`].
    pub(super) fn columns(&self) -> usize {
        self.taps.len() * self.from.channels
    }

    /// The input squares read by a square of the output, `None` beyond the edge.
    pub(super) fn row(&self, square: usize) -> &[Option<u32>] {
        &self.squares[square * self.taps.len()..][..self.taps.len()]
    }

    /// The squares of a patch that are on the map.
    pub(super) fn seen(&self, square: usize) -> impl Iterator<Item = usize> + '_ {
        self.row(square).iter().flatten().map(|square| *square as usize)
    }

    /// Runs [`Gather`] on consecutive boards, as many as `rows` has room for: `[boards][squares][taps][channels]`.
    pub(super) fn gather_boards<S: Simd>(
        &self,
        simd: S,
        boards: &[f32],
        (taps, channels): (&Range<usize>, &Range<usize>),
        rows: &mut [f32],
    ) {
        let of_board = self.to.squares() * taps.len() * channels.len();
        for (rows, board) in rows.chunks_exact_mut(of_board).zip(boards.chunks(self.from.room())) {
            let (taps, channels) = (taps.clone(), channels.clone());
            simd.run(Gather { im2col: self, board, taps, channels, rows });
        }
    }

    /// The reverse of [`Gather`]: adds rows, `stride` floats apart, of some taps to the squares they came from.
    pub(super) fn scatter(&self, taps: &Range<usize>, (rows, stride): (&[f32], usize), board: &mut [f32]) {
        let (channels, width) = (self.from.channels, self.from.width());
        for (square, row) in rows.chunks(stride).take(self.to.squares()).enumerate() {
            for (from, square) in row.chunks_exact(channels).zip(&self.row(square)[taps.clone()]) {
                let Some(square) = square else { continue };
                let sums = &mut board[*square as usize * width..][..channels];
                sums.iter_mut().zip(from).for_each(|(sum, term)| *sum += term);
            }
        }
    }
}

/// Gathers the inputs of each output square of a board for some taps and channels, `[squares][taps][channels]`.
pub(super) struct Gather<'a> {
    pub(super) im2col: &'a Im2Col,
    pub(super) board: &'a [f32],
    pub(super) taps: Range<usize>,
    pub(super) channels: Range<usize>,
    pub(super) rows: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Gather<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { im2col, board, taps, channels, rows } = self;
        let (width, count) = (im2col.from.width(), channels.len());
        let whole = count.next_multiple_of(S::LANES);
        let nothing = vec![0.0; width];
        let mut at = 0;
        for square in 0..im2col.to.squares() {
            for seen in &im2col.row(square)[taps.clone()] {
                let square = seen.map_or(&nothing[..], |square| &board[square as usize * width..][..width]);
                let (from, to) = (&square[channels.start..], &mut rows[at..]);
                at += count;
                if count == 1 {
                    to[0] = from[0];
                } else if from.len() < whole || to.len() < whole {
                    to[..count].copy_from_slice(&from[..count]);
                } else {
                    // Whole vectors, whose surplus the next ones overwrite.
                    for column in (0..whole).step_by(S::LANES) {
                        store(simd, to, column, load(simd, from, column));
                    }
                }
            }
        }
    }
}
