//! Distribution of a layer's rows and boards among threads.
//!
//! The invariant of this file: what is summed together never depends on [`Workers::threads`]. Tasks are cut by constants, their
//! results come back in order ([`Workers::each`] collects an indexed iterator), and one thread adds them up. A parallel reduction
//! by rayon would be shorter and would add in an order that differs from run to run.

use std::ops::Range;

use rayon::prelude::*;

use super::element_wise::ColumnSums;
use crate::simd::GradientLanes;

/// Number of floats that one thread processes at a time in element-wise operations: few enough to stay in its cache.
const PIECE: usize = 1 << 15;

/// An instruction set, and whether the threads of the rayon pool help. They do in training; in play every thread has positions of its
/// own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Workers<S> {
    pub(super) simd: S,
    pub(super) helpers: bool,
}

impl<S: GradientLanes<f32>> Workers<S> {
    /// Number of threads that work on a layer.
    pub(super) fn threads(self) -> usize {
        if self.helpers { rayon::current_num_threads() } else { 1 }
    }

    /// Runs tasks in parallel; returns their results in order.
    pub(super) fn each<I: Send, T: Send>(self, tasks: Vec<I>, run: impl Fn(I) -> T + Sync + Send) -> Vec<T> {
        if self.threads() > 1 && tasks.len() > 1 {
            // Tasks differ in size: with two of the largest side by side, as the packing of wide convolutions, rayon would otherwise
            // leave both to one thread.
            tasks.into_par_iter().with_max_len(1).map(run).collect()
        } else {
            tasks.into_iter().map(run).collect()
        }
    }

    /// Number of floats in a piece: whole rows of `width`. It does not depend on the number of threads, so sums are
    /// reproducible bit for bit.
    pub(super) fn piece(width: usize) -> usize {
        (PIECE / width).max(1) * width
    }

    /// The column sums over rows of `width` floats, in double precision.
    pub(super) fn column_sums(self, rows: &[f32], width: usize) -> Vec<f64> {
        let pieces = rows.chunks(Self::piece(width)).collect();
        self.total(pieces, width, |rows, sums| self.simd.run(ColumnSums { rows, sums }))
    }

    /// Modifies pieces of rows of `width` floats in parallel, and returns the sums over them in double precision. `sum`
    /// receives the start of a piece and the piece, and accumulates into `[count]`.
    pub(super) fn sums_of_changed(
        self,
        (rows, width): (&mut [f32], usize),
        count: usize,
        sum: impl Fn(usize, &mut [f32], &mut [f32]) + Sync + Send,
    ) -> Vec<f64> {
        let piece = Self::piece(width);
        let pieces = rows.chunks_mut(piece).enumerate().collect();
        self.total(pieces, count, |(part, rows): (usize, &mut [f32]), sums| sum(part * piece, rows, sums))
    }

    /// Adds up the `[count]` sums of each piece, in order. Within a piece, sums are 32-bit (at most 32,768 floats, so at most
    /// 2,048 rows); across pieces, of which a batch may have hundreds, they are 64-bit.
    fn total<I: Send>(
        self,
        pieces: Vec<I>,
        count: usize,
        sum: impl Fn(I, &mut [f32]) + Sync + Send,
    ) -> Vec<f64> {
        let parts = self.each(pieces, |piece| {
            let mut sums = vec![0.0; count];
            sum(piece, &mut sums);
            sums
        });
        let mut totals = vec![0.0_f64; count];
        for part in parts {
            totals.iter_mut().zip(part).for_each(|(total, term)| *total += f64::from(term));
        }
        totals
    }

    /// Modifies pieces of rows of `width` floats in parallel; `change` receives the start of a piece and the piece.
    pub(super) fn change(
        self,
        (rows, width): (&mut [f32], usize),
        change: impl Fn(usize, &mut [f32]) + Sync + Send,
    ) {
        let piece = Self::piece(width);
        self.each(rows.chunks_mut(piece).enumerate().collect(), |(part, rows)| change(part * piece, rows));
    }
}

/// The largest number of micro-batches into which the boards of a batch are divided for a gradient of weights, whatever the number of
/// threads, so that sums are the same on any machine. Each has a gradient of all weights of the layer in memory.
const MICRO_BATCHES: usize = 16;

/// Parts of a batch of about `group` boards, or more if there would be too many.
pub(super) fn micro_batches(boards: usize, group: usize) -> Vec<Range<usize>> {
    let count = boards.div_ceil(group).min(MICRO_BATCHES);
    let cut = |batch: usize| batch * boards / count;
    (0..count).map(|batch| cut(batch)..cut(batch + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn micro_batches_cover_every_board_once() {
        for boards in [1, 5, 16, 17, 100, 256, 1000] {
            let batches = micro_batches(boards, 16);
            assert!(
                batches.len() <= MICRO_BATCHES && batches.iter().all(|batch| !batch.is_empty()),
                "{boards}"
            );
            assert_eq!(batches.into_iter().flatten().collect::<Vec<_>>(), (0..boards).collect::<Vec<_>>());
        }
    }
}
