//! 1x1 convolutions and dense layers with products of eight-bit integers, for play.
//!
//! Between layers, values stay 32-bit floats. The rows of a layer's input (the channels of a square, or those of the board in a dense
//! layer) are rounded to 256 levels, multiplied with weights that have a step for each output, and the sums become floats again in
//! the place where they were stored.
//!
//! # Ranges
//!
//! Towers measure the range of each activation once, on real positions ([`Calibration`](crate::Calibration)). Here each row has the
//! range of its own values, which costs two passes over a row that is in the nearest cache, for two reasons. The networks are mostly
//! those of other programs, which come without positions. And what an attention body multiplies has no common range: the rows of
//! a residual stream before a normalisation, or after a squared ReLU, differ in scale from square to square and from position to
//! position, so one range for all would leave most rows a few levels. A row depends on no other, so the outputs for a position do
//! not depend on the rest of its batch.
//!
//! With the least value m of a row, its step s, the levels q and v of activations and weights, and the step t of an output,
//!
//! ```text
//! sum of activation x weight = sum of (s q + m) t v = s t (sum of q v) + m t (sum of v)
//! ```
//!
//! where the last factor is a constant of the output. Zero has no level of its own, except where it is the least value, as after a ReLU.

#[cfg(target_arch = "x86_64")]
use crate::simd::Avx512Vnni;
use crate::{
    Activation, Isa, KernelError, Precision,
    columns::{Columns, by_columns},
    gemm::{Gemm, Matrix, Packed},
    layers::{
        element_wise::load,
        list::{List, Shape, Step},
        operation::{Operation, Patch},
    },
    quantisation::{QuantParams, QuantisedWeights, scale_weights},
    simd::{Kernel, Lanes, Portable, Simd},
};

use super::matrix::rows;

/// The fewest inputs and outputs of a layer that is multiplied in eight bits. With fewer, rounding its input and scaling its sums
/// cost what the products save.
const LEAST_INPUTS: usize = 32;
const LEAST_OUTPUTS: usize = 16;
/// The most inputs whose sum fits into 32 bits whatever the levels.
const MOST_INPUTS: usize = i32::MAX as usize / (255 * 127);
/// Sums of the rows that are computed together, few enough to be in the nearest cache when they become floats. Chosen, not tuned.
const SUMS: usize = 1 << 12;
/// The least rows that are computed together: those of a block of products.
const LEAST_ROWS: usize = 8;

/// A place rounded to eight bits. Layers that read the same place share it.
#[derive(Default)]
pub(in crate::layers) struct Levels {
    /// `[rows][width]`; empty before the first layer that reads the place.
    levels: Vec<u8>,
    ranges: Vec<Range>,
}

impl Levels {
    /// Marks the levels as those of an earlier batch; the memory is kept.
    pub(in crate::layers) fn clear(&mut self) {
        self.ranges.clear();
    }
}

/// The value of level `q` in a row is `step q + least`.
#[derive(Clone, Copy, Default)]
struct Range {
    step: f32,
    least: f32,
}

/// A layer with its instruction set erased.
pub(in crate::layers) trait EightBitConvolution: Send + Sync {
    /// Rounds and packs `[inputs][outputs]`; `bias` is padded to whole vectors.
    fn pack(&mut self, weights: &[f32], bias: &[f32]);

    /// Computes the output of all rows. `levels` are those of the input, or clear.
    fn forward(&self, input: &[f32], levels: &mut Levels, activation: Activation, output: &mut [f32]);
}

/// Makes the layers of a list, given the shapes of input and output.
pub(in crate::layers) type EightBitConvolutions = Box<dyn Fn([Shape; 2]) -> Box<dyn EightBitConvolution>>;

/// The layers on an instruction set.
///
/// # Errors
/// [`KernelError::MissingPrecision`] if the instruction set does not multiply eight-bit integers.
pub(in crate::layers) fn eight_bit_convolutions(isa: Isa) -> Result<EightBitConvolutions, KernelError> {
    isa.check_precision(Precision::Int8)?;
    match isa {
        Isa::Portable => Ok(convolutions(Portable)),
        // A tile unit would multiply rows of boards whose ranks are nine positions apart, into which lists would have to be copied.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 | Isa::Avx512 | Isa::Amx => {
            let simd = Avx512Vnni::new();
            simd.map(convolutions)
                .ok_or_else(|| isa.without(Precision::Int8, "the processor lacks AVX-512 VNNI"))
        }
        #[cfg(not(target_arch = "x86_64"))]
        _ => Err(isa.without(Precision::Int8, "the processor is not x86-64")),
    }
}

fn convolutions<S: Lanes<u8>>(simd: S) -> EightBitConvolutions {
    Box::new(move |[from, to]| {
        let (scale, totals, bias) = (Vec::new(), Vec::new(), Vec::new());
        Box::new(OnLanes { simd, from, to, weights: None, scale, totals, bias })
    })
}

/// For each step, true if its products are those of eight-bit integers.
///
/// Excluded are layers that read the network's input, also one that was joined with learned channels or scaled, where a plane of
/// counters up to a hundred leaves planes of zeros and ones a few levels; layers that compute an output, whose few products do not pay for the error in a logit; and layers with too few
/// channels to gain anything.
pub(in crate::layers) fn in_eight_bits(list: &List) -> Vec<bool> {
    let (raw, last) = (raw_places(list), last_layers(list));
    let first_place = list.inputs.len();
    let steps = list.steps.iter().enumerate();
    steps
        .map(|(number, step)| {
            let inputs = list.input(step).channels;
            is_pointwise(step)
                && !raw[step.inputs[0]]
                && !last[first_place + number]
                && (LEAST_INPUTS..=MOST_INPUTS).contains(&inputs)
                && step.shape.channels >= LEAST_OUTPUTS
        })
        .collect()
}

/// For each place, true if it holds numbers of the input on their own scale: no layer has mixed the channels or normalised them.
fn raw_places(list: &List) -> Vec<bool> {
    let mut raw = vec![true; list.inputs.len()];
    for step in &list.steps {
        let rescales = matches!(
            step.operation,
            Operation::Convolution { .. }
                | Operation::BatchNorm
                | Operation::GroupNorm { .. }
                | Operation::LayerNorm { .. }
        );
        let is_raw = !rescales && step.inputs.iter().any(|&place| raw[place]);
        raw.push(is_raw);
    }
    raw
}

fn is_pointwise(step: &Step) -> bool {
    matches!(step.operation, Operation::Convolution { patch: Patch::SQUARE, .. })
}

/// For each place, true if its values are an output, perhaps rearranged or activated.
fn last_layers(list: &List) -> Vec<bool> {
    let mut last = vec![false; list.inputs.len() + list.steps.len()];
    for place in &list.outputs {
        last[*place] = true;
    }
    for (number, step) in list.steps.iter().enumerate().rev() {
        let passes_on = matches!(
            step.operation,
            Operation::Flatten | Operation::Activation(_) | Operation::BatchNorm | Operation::Dropout { .. }
        );
        if passes_on && last[list.inputs.len() + number] {
            last[step.inputs[0]] = true;
        }
    }
    last
}

/// A layer on the vectors of an instruction set.
struct OnLanes<S> {
    simd: S,
    from: Shape,
    to: Shape,
    weights: Option<Packed<u8>>,
    /// The step of each output's weights.
    scale: Vec<f32>,
    /// The sum of each output's weights as they are after rounding.
    totals: Vec<f32>,
    bias: Vec<f32>,
}

impl<S: Lanes<u8>> EightBitConvolution for OnLanes<S> {
    fn pack(&mut self, weights: &[f32], bias: &[f32]) {
        let (inputs, outputs, width) = (self.from.channels, self.to.channels, self.to.width());
        let matrix = Matrix { taps: 1, inputs, outputs, weights };
        // Activations in steps of one from zero: the range of a row is applied to the sums.
        let QuantisedWeights { weights: levels, mut scale, .. } =
            scale_weights::<u8>(&matrix, &vec![0.0; outputs], QuantParams::IDENTITY);
        let mut totals = vec![0.0; width];
        for row in levels.chunks_exact(outputs) {
            totals.iter_mut().zip(row).for_each(|(total, level)| *total += level);
        }
        scale.resize(width, 0.0);
        totals.iter_mut().zip(&scale).for_each(|(total, step)| *total *= step);
        let rounded = Matrix { weights: &levels, ..matrix };
        self.weights = Some(Packed::new::<S>(&rounded, self.from.width()));
        (self.scale, self.totals, self.bias) = (scale, totals, bias.to_vec());
    }

    fn forward(&self, input: &[f32], levels: &mut Levels, activation: Activation, output: &mut [f32]) {
        let weights = self.weights.as_ref().expect(crate::layers::PACKED);
        let (from, to) = (self.from.width(), self.to.width());
        if levels.ranges.is_empty() {
            levels.levels.resize(input.len(), 0);
            levels.ranges.resize(input.len() / from, Range::default());
            self.simd.run(Round {
                input,
                width: from,
                output: &mut levels.levels,
                ranges: &mut levels.ranges,
            });
        }
        let count = (SUMS / to / LEAST_ROWS).max(1) * LEAST_ROWS;
        for (piece, output) in output.chunks_mut(count * to).enumerate() {
            let (first, count) = (piece * count, output.len() / to);
            // SAFETY: integers of the same size and alignment, for which every bit pattern is a value; the floats are not used while
            // the integers are borrowed.
            let sums =
                unsafe { std::slice::from_raw_parts_mut(output.as_mut_ptr().cast::<i32>(), output.len()) };
            self.simd.run(Gemm {
                input: &levels.levels[first * from..],
                input_rows: rows(from),
                taps: &[0],
                weights,
                output: sums,
                output_rows: rows(to),
                size: (1, count),
            });
            let Self { scale, totals, bias, .. } = self;
            let ranges = &levels.ranges[first..first + count];
            self.simd.run(Finish { rows: output, ranges, scale, totals, bias, activation });
        }
    }
}

/// Rounds rows to the 256 levels between their least and their largest value. A row with a number that is not finite gets a range that
/// is not, so that none of its outputs looks like an answer.
struct Round<'a> {
    /// `[rows][width]`, whole vectors.
    input: &'a [f32],
    width: usize,
    output: &'a mut [u8],
    ranges: &'a mut [Range],
}

impl<S: Lanes<u8>> Kernel<S> for Round<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { input, width, output, ranges } = self;
        let fits = width > 0 && width.is_multiple_of(S::LANES) && input.len() == ranges.len() * width;
        assert!(fits && output.len() == input.len(), "a range for each row");
        for (row, range) in ranges.iter_mut().enumerate() {
            let first = load(simd, input, row * width);
            let (mut least, mut most, mut sum) = (first, first, first);
            for at in (row * width + S::LANES..(row + 1) * width).step_by(S::LANES) {
                let values = load(simd, input, at);
                least = simd.min(least, values);
                most = simd.max(most, values);
                sum = simd.add(sum, values);
            }
            // Minimum and maximum may pass over numbers that are not finite, the sum does not.
            let poison = simd.total(sum) * 0.0;
            let least = -simd.largest(simd.sub(simd.splat(0.0), least)) + poison;
            let span = simd.largest(most) - least;
            // A row of equal values has the lowest level everywhere.
            let levels_each = simd.splat(if span > 0.0 { 255.0 / span } else { 0.0 });
            let lowest = simd.splat(least);
            *range = Range { step: span / 255.0, least };
            for at in (row * width..(row + 1) * width).step_by(S::LANES) {
                let above = simd.sub(load(simd, input, at), lowest);
                let to = &mut output[at..at + S::LANES];
                // SAFETY: the slice has room for a level in each lane.
                unsafe { simd.store_elements(to.as_mut_ptr(), simd.mul(above, levels_each)) };
            }
        }
    }
}

/// Turns sums of levels into `activation(sum of products + bias)`, in place.
struct Finish<'a> {
    /// `[rows][width]`: sums, 32-bit integers, on entry; floats on return.
    rows: &'a mut [f32],
    ranges: &'a [Range],
    scale: &'a [f32],
    totals: &'a [f32],
    bias: &'a [f32],
    activation: Activation,
}

impl<S: Simd> Kernel<S> for Finish<'_> {
    #[inline(always)]
    fn call(mut self, simd: S) {
        let width = self.scale.len();
        assert!(self.rows.len() == self.ranges.len() * width, "a range for each row");
        // Most layers have no activation. The branch is taken once instead of once per vector.
        // SAFETY: rows and constants have that width.
        unsafe {
            if self.activation == Activation::Identity {
                self.activation = Activation::Identity;
                by_columns(simd, width, &mut self);
            } else {
                by_columns(simd, width, &mut self);
            }
        }
    }
}

impl<S: Simd> Columns<S> for Finish<'_> {
    #[inline(always)]
    unsafe fn columns<const VECTORS: usize>(&mut self, simd: S, first: usize) {
        let (width, zero) = (self.scale.len(), simd.splat(0.0));
        let (mut scale, mut totals, mut bias) = ([zero; VECTORS], [zero; VECTORS], [zero; VECTORS]);
        for vector in 0..VECTORS {
            let column = first + vector * S::LANES;
            scale[vector] = load(simd, self.scale, column);
            totals[vector] = load(simd, self.totals, column);
            bias[vector] = load(simd, self.bias, column);
        }
        for (row, range) in self.ranges.iter().enumerate() {
            let (step, least) = (simd.splat(range.step), simd.splat(range.least));
            for vector in 0..VECTORS {
                // SAFETY: there are as many rows of that width as ranges, as `call` has checked, and the columns lie within them by the
                // caller's promise. Integers and floats have the same size.
                unsafe {
                    let place = self.rows.as_mut_ptr().add(row * width + first + vector * S::LANES);
                    let sums = simd.load_integers(place.cast());
                    let constant = simd.fma(least, totals[vector], bias[vector]);
                    let value = simd.fma(simd.mul(sums, step), scale[vector], constant);
                    // A maximum with zero may turn a number that is not finite into zero; the range still knows of it.
                    let poison = simd.mul(simd.add(step, least), zero);
                    simd.store(place, simd.add(self.activation.apply(simd, value), poison));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
