//! The transform of a square of numbers by a matrix on both sides, of which the algorithm has five.

use crate::simd::Simd;

/// A matrix of `TO` x `FROM` numbers.
pub(super) trait Line<const FROM: usize, const TO: usize> {
    /// The matrix times one line of a square.
    fn apply<S: Simd>(simd: S, line: [S::Floats; FROM]) -> [S::Floats; TO];
}

/// Where the numbers of a square begin: `start + rank * ranks + file * files`.
#[derive(Clone, Copy)]
pub(super) struct Square {
    pub(super) start: usize,
    pub(super) ranks: usize,
    pub(super) files: usize,
}

impl Square {
    /// One number of each of the 36 products, `stride` apart.
    pub(super) fn of_products(start: usize, stride: usize) -> Self {
        Self { start, ranks: 6 * stride, files: stride }
    }

    fn at(self, rank: usize, file: usize) -> usize {
        self.start + rank * self.ranks + file * self.files
    }

    /// Whether a square of so many ranks and files, of `lanes` numbers each, lies within `length` numbers.
    fn is_within(self, size: usize, lanes: usize, length: usize) -> bool {
        self.at(size - 1, size - 1) + lanes <= length
    }
}

/// Turns the square `from` in `input`, `FROM` x `FROM` vectors `x`, into the square `to` in `output`, `TO` x `TO` vectors
/// `L x L^T`.
///
/// # Panics
/// If a square is not within its slice.
#[inline(always)]
pub(super) fn transform<L: Line<FROM, TO>, S: Simd, const FROM: usize, const TO: usize>(
    simd: S,
    (input, from): (&[f32], Square),
    (output, to): (&mut [f32], Square),
) {
    assert!(from.is_within(FROM, S::LANES, input.len()), "a square outside the input");
    assert!(to.is_within(TO, S::LANES, output.len()), "a square outside the output");
    let mut columns = [[simd.splat(0.0); TO]; FROM];
    for file in 0..FROM {
        let mut line = [simd.splat(0.0); FROM];
        for rank in 0..FROM {
            // SAFETY: not beyond the last vector of the square, which the first assertion found in `input`.
            line[rank] = unsafe { simd.load(input.as_ptr().add(from.at(rank, file))) };
        }
        columns[file] = L::apply(simd, line);
    }
    for rank in 0..TO {
        let mut line = [simd.splat(0.0); FROM];
        for file in 0..FROM {
            line[file] = columns[file][rank];
        }
        let line = L::apply(simd, line);
        for file in 0..TO {
            // SAFETY: not beyond the last vector of the square, which the second assertion found in `output`.
            unsafe { simd.store(output.as_mut_ptr().add(to.at(rank, file)), line[file]) };
        }
    }
}
