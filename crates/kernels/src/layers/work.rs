//! How a layer's rows are shared out among threads.

use rayon::prelude::*;

use crate::simd::GradientLanes;

/// Numbers that one thread works on at a time between products: few enough to stay in its cache.
const PIECE: usize = 1 << 15;

/// An instruction set, and whether the threads of the rayon pool help: they do in training, and in play every thread has positions of
/// its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crew<S> {
    pub(super) simd: S,
    pub(super) helpers: bool,
}

impl<S: GradientLanes<f32>> Crew<S> {
    /// Threads that work on a layer.
    pub(super) fn threads(self) -> usize {
        if self.helpers { rayon::current_num_threads() } else { 1 }
    }

    /// Runs tasks side by side; gives what each gave, in order.
    pub(super) fn each<I: Send, T: Send>(self, tasks: Vec<I>, run: impl Fn(I) -> T + Sync + Send) -> Vec<T> {
        if self.threads() > 1 && tasks.len() > 1 {
            tasks.into_par_iter().map(run).collect()
        } else {
            tasks.into_iter().map(run).collect()
        }
    }

    /// Cuts rows of `width` numbers into pieces of some rows: a number of numbers that depends on the layer alone.
    pub(super) fn piece(width: usize) -> usize {
        (PIECE / width).max(1) * width
    }

    /// The sums over pieces of rows in double precision, in order: `sum` adds up one piece, from its first number on, into `[count]`.
    pub(super) fn sums(
        self,
        (length, width): (usize, usize),
        count: usize,
        sum: impl Fn(std::ops::Range<usize>, &mut [f32]) + Sync + Send,
    ) -> Vec<f64> {
        let piece = Self::piece(width);
        let parts = self.each((0..length.div_ceil(piece)).collect(), |part| {
            let mut sums = vec![0.0; count];
            sum(part * piece..length.min((part + 1) * piece), &mut sums);
            sums
        });
        let mut totals = vec![0.0_f64; count];
        for part in parts {
            totals.iter_mut().zip(part).for_each(|(total, term)| *total += f64::from(term));
        }
        totals
    }

    /// Changes pieces of rows of `width` numbers side by side; `change` gets a piece and where it begins.
    pub(super) fn change(
        self,
        (rows, width): (&mut [f32], usize),
        change: impl Fn(usize, &mut [f32]) + Sync + Send,
    ) {
        let piece = Self::piece(width);
        self.each(rows.chunks_mut(piece).enumerate().collect(), |(part, rows)| change(part * piece, rows));
    }
}
