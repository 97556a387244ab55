//! The first convolution: from planes, most of which are nonzero on only a few squares, to the sums of the trunk.

use chess::encoding::Plane;

use super::{Backend, Stem, ThreadMemory};
use crate::{
    aligned::Aligned,
    layout::{CHANNEL_BLOCK, RANK, SQUARES, padded, position},
    plan::Convolution,
    simd::{Kernel, Simd},
};

/// True if a plane has the same number on every square.
#[inline(always)]
pub(super) fn is_constant(plane: &Plane) -> bool {
    plane.mask == u64::MAX
}

/// Number of vectors of sums kept in registers.
const COLUMNS: usize = 4;

/// The weights of single pieces and of whole planes.
pub(crate) struct Sparse {
    planes: usize,
    /// Padded number of outputs.
    channels: usize,
    /// For each square, the squares in its patch as pairs of tap number and square.
    neighbours: Vec<Vec<(usize, usize)>>,
    /// `[taps][planes][channels]`.
    weights: Aligned<f32>,
    /// `[planes][64][channels]`: the response to a plane of ones.
    responses: Aligned<f32>,
}

/// The planes that are nonzero on each square.
pub(crate) struct Occupants {
    /// Number of planes on each square.
    counts: [usize; SQUARES],
    /// `[64][planes]`: the indices of these planes.
    planes: Vec<usize>,
    /// Indices of the constant planes, which are not on any square's list.
    constant: Vec<usize>,
}

impl<G: Backend> Stem<G> for Sparse {
    type Scratch = Occupants;

    fn new(convolution: &Convolution) -> Self {
        let Convolution { kernel, inputs: planes, outputs, ref weights, .. } = *convolution;
        let channels = padded(outputs, CHANNEL_BLOCK);
        let mut rows = Aligned::filled(kernel * kernel * planes * channels, 0.0);
        for (row, weights) in rows.chunks_exact_mut(channels).zip(weights.chunks_exact(outputs)) {
            row[..outputs].copy_from_slice(weights);
        }
        let neighbours: Vec<_> = (0..SQUARES).map(|square| neighbours(square, kernel)).collect();
        let mut responses = Aligned::filled(planes * SQUARES * channels, 0.0);
        for (at, response) in responses.chunks_exact_mut(channels).enumerate() {
            let (plane, square) = (at / SQUARES, at % SQUARES);
            for &(tap, _) in &neighbours[square] {
                let weights = &rows[(tap * planes + plane) * channels..][..channels];
                response.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
            }
        }
        Self { planes, channels, neighbours, weights: rows, responses }
    }

    fn scratch(&self) -> Occupants {
        Occupants {
            counts: [0; SQUARES],
            planes: vec![0; SQUARES * self.planes],
            constant: Vec::with_capacity(self.planes),
        }
    }

    fn run(
        &self,
        backend: &G,
        planes: &[Plane],
        memory: ThreadMemory<'_, G::Work, Occupants>,
        output: &mut [f32],
    ) {
        let occupants = memory.scratch;
        backend.simd().run(RunStem { stem: self, planes, occupants, output });
    }
}

fn neighbours(square: usize, kernel: usize) -> Vec<(usize, usize)> {
    let radius = kernel / 2;
    let seen = |tap: usize| {
        let rank = (square / 8 + tap / kernel).checked_sub(radius).filter(|rank| *rank < 8)?;
        let file = (square % 8 + tap % kernel).checked_sub(radius).filter(|file| *file < 8)?;
        Some((tap, rank * 8 + file))
    };
    (0..kernel * kernel).filter_map(seen).collect()
}

struct RunStem<'a> {
    stem: &'a Sparse,
    planes: &'a [Plane],
    occupants: &'a mut Occupants,
    /// `[72 positions][channels]`.
    output: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for RunStem<'_> {
    #[inline(always)]
    fn call(mut self, simd: S) {
        assert_eq!(self.planes.len(), self.stem.planes, "planes of one board");
        assert!(self.output.len() >= 8 * RANK * self.stem.channels, "room for a board");
        assert!(self.stem.channels.is_multiple_of(S::LANES), "whole vectors");
        self.occupy();
        let vectors = self.stem.channels / S::LANES;
        for square in 0..SQUARES {
            let mut vector = 0;
            while vector < vectors {
                let channel = vector * S::LANES;
                vector += match vectors - vector {
                    COLUMNS.. => self.sums::<S, COLUMNS>(simd, square, channel),
                    2.. => self.sums::<S, 2>(simd, square, channel),
                    _ => self.sums::<S, 1>(simd, square, channel),
                };
            }
        }
    }
}

impl RunStem<'_> {
    /// Lists the planes on each square, and the constant planes.
    #[inline(always)]
    fn occupy(&mut self) {
        let Occupants { counts, planes, constant } = &mut *self.occupants;
        counts.fill(0);
        constant.clear();
        for (number, plane) in self.planes.iter().enumerate() {
            if is_constant(plane) {
                constant.push(number);
                continue;
            }
            for square in plane.occupied() {
                planes[square * self.stem.planes + counts[square]] = number;
                counts[square] += 1;
            }
        }
    }

    /// Computes a few vectors of sums of one square; returns their number.
    #[inline(always)]
    fn sums<S: Simd, const VECTORS: usize>(&mut self, simd: S, square: usize, channel: usize) -> usize {
        let Sparse { planes, channels, .. } = *self.stem;
        let mut sums = [simd.splat(0.0); VECTORS];
        for &number in &self.occupants.constant {
            let row = &self.stem.responses[(number * SQUARES + square) * channels + channel..];
            add(simd, &mut sums, self.planes[number].value, row);
        }
        for &(tap, neighbour) in &self.stem.neighbours[square] {
            let occupants = &self.occupants.planes[neighbour * planes..][..self.occupants.counts[neighbour]];
            for &number in occupants {
                let row = &self.stem.weights[(tap * planes + number) * channels + channel..];
                add(simd, &mut sums, self.planes[number].value, row);
            }
        }
        let output = &mut self.output[position(square) * channels + channel..][..VECTORS * S::LANES];
        for vector in 0..VECTORS {
            // SAFETY: the slice above has room for all of these vectors.
            unsafe { simd.store(output.as_mut_ptr().add(vector * S::LANES), sums[vector]) };
        }
        VECTORS
    }
}

/// Adds a few vectors of weights, times a value.
#[inline(always)]
fn add<S: Simd, const VECTORS: usize>(simd: S, sums: &mut [S::Floats; VECTORS], value: f32, row: &[f32]) {
    let row = &row[..VECTORS * S::LANES];
    for vector in 0..VECTORS {
        // SAFETY: the slice above holds all of these vectors.
        let weights = unsafe { simd.load(row.as_ptr().add(vector * S::LANES)) };
        sums[vector] = simd.fma(simd.splat(value), weights, sums[vector]);
    }
}

#[cfg(test)]
mod tests;
