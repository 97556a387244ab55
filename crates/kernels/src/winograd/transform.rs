//! The transform of a square of values by a matrix on both sides. The algorithm has five such transforms.
//!
//! L x L^T is L applied to every file, then to every rank of the result. The 36 vectors between the two passes exceed the
//! register file (16 or 32), so some go through the stack, in L1; the loops over constants are unrolled, and `line` lives in
//! registers. One generic function for all five was measured against five written out: the differences were within the noise
//! (`docs/experiments/training-kernel-changes.md`, "Transforms as one function").

use crate::simd::Simd;

/// Transforms the square `from` in `input`, `FROM` x `FROM` vectors `x`, into the square `to` in `output`, `TO` x `TO`
/// vectors `L x L^T`.
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
            // SAFETY: not beyond the last vector of the square, which the first assertion found to be within `input`.
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
            // SAFETY: not beyond the last vector of the square, which the second assertion found to be within `output`.
            unsafe { simd.store(output.as_mut_ptr().add(to.at(rank, file)), line[file]) };
        }
    }
}

/// A matrix of size `TO` x `FROM`.
pub(super) trait Line<const FROM: usize, const TO: usize> {
    /// The matrix times one line of a square.
    fn apply<S: Simd>(simd: S, line: [S::Floats; FROM]) -> [S::Floats; TO];
}

/// Offsets of the elements of a square: `start + rank * ranks + file * files`.
#[derive(Clone, Copy)]
pub(super) struct Square {
    pub(super) start: usize,
    pub(super) ranks: usize,
    pub(super) files: usize,
}

impl Square {
    /// One value of each of the 36 products, `stride` apart.
    pub(super) fn of_products(start: usize, stride: usize) -> Self {
        Self { start, ranks: 6 * stride, files: stride }
    }

    fn at(self, rank: usize, file: usize) -> usize {
        self.start + rank * self.ranks + file * self.files
    }

    /// The square as a [`Part`] that is complete.
    pub(super) fn whole<const SIZE: usize>(self) -> Part<SIZE> {
        Part {
            ranks: std::array::from_fn(|rank| Some(self.at(rank, 0))),
            files: std::array::from_fn(|file| Some(file * self.files)),
        }
    }

    /// True if a `size` x `size` tile of `lanes`-wide elements fits in a buffer of `length` floats.
    fn is_within(self, size: usize, lanes: usize, length: usize) -> bool {
        self.at(size - 1, size - 1) + lanes <= length
    }
}

/// A square of values, some of which may be missing: the offset of each rank and each file, `None` for a missing one.
/// Missing values read as zero.
#[derive(Clone, Copy)]
pub(super) struct Part<const SIZE: usize> {
    pub(super) ranks: [Option<usize>; SIZE],
    pub(super) files: [Option<usize>; SIZE],
}

impl<const SIZE: usize> Part<SIZE> {
    /// True if `numbers` floats of each stored square lie within `length` floats.
    fn is_within(&self, numbers: usize, length: usize) -> bool {
        let last = |lines: &[Option<usize>; SIZE]| lines.iter().flatten().copied().max();
        let last = last(&self.ranks).zip(last(&self.files));
        last.is_none_or(|(rank, file)| rank + file + numbers <= length)
    }
}

/// Like [`transform`], for `numbers` floats of each square, a vector at a time: missing squares of `from` read as zero,
/// missing squares of `to` are skipped.
///
/// # Panics
/// If a part is not within its slice, or `numbers` is not a whole number of vectors.
#[inline(always)]
pub(super) fn transform_part<L: Line<FROM, TO>, S: Simd, const FROM: usize, const TO: usize>(
    simd: S,
    numbers: usize,
    (input, from): (&[f32], &Part<FROM>),
    (output, to): (&mut [f32], &Part<TO>),
) {
    assert!(numbers.is_multiple_of(S::LANES), "whole vectors");
    assert!(from.is_within(numbers, input.len()), "a square outside the input");
    assert!(to.is_within(numbers, output.len()), "a square outside the output");
    for number in (0..numbers).step_by(S::LANES) {
        let mut columns = [[simd.splat(0.0); TO]; FROM];
        for file in 0..FROM {
            let Some(at_file) = from.files[file] else { continue };
            let mut line = [simd.splat(0.0); FROM];
            for rank in 0..FROM {
                let Some(at_rank) = from.ranks[rank] else { continue };
                // SAFETY: a vector of a square that is stored, all of which the second assertion found in `input`.
                line[rank] = unsafe { simd.load(input.as_ptr().add(at_rank + at_file + number)) };
            }
            columns[file] = L::apply(simd, line);
        }
        for rank in 0..TO {
            let Some(at_rank) = to.ranks[rank] else { continue };
            let mut line = [simd.splat(0.0); FROM];
            for file in 0..FROM {
                line[file] = columns[file][rank];
            }
            let line = L::apply(simd, line);
            for file in 0..TO {
                let Some(at_file) = to.files[file] else { continue };
                // SAFETY: as above; the third assertion found the square within `output`.
                unsafe { simd.store(output.as_mut_ptr().add(at_rank + at_file + number), line[file]) };
            }
        }
    }
}
