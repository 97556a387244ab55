//! Squeeze-excite: a scale and a shift for each board.

use crate::{
    Activation,
    aligned::Aligned,
    epilogue::{EpilogueInPlace, Gates, Means, ScaleShift},
    gemm::{Gemm, Matrix, Packed, Rows},
    layout::{CHANNEL_BLOCK, padded},
    plan::{Dense, SqueezeExcite},
    simd::element::Sum,
    simd::{Lanes, Simd},
};

pub(super) struct Excite {
    channels: usize,
    squeeze: Packed<f32>,
    squeeze_bias: Aligned<f32>,
    activation: Activation,
    /// Its outputs are the gates of all channels, followed by the values to add.
    gates: Packed<f32>,
    offsets: Aligned<f32>,
    ones: Aligned<f32>,
}

/// Scratch memory of the squeeze-excite units.
pub(super) struct Gating {
    means: Aligned<f32>,
    inner: Aligned<f32>,
    gates: Aligned<f32>,
    scale: Aligned<f32>,
    shift: Aligned<f32>,
}

impl Gating {
    pub(super) fn new<'a>(units: impl Iterator<Item = &'a Excite>) -> Self {
        let (mut channels, mut inner) = (0, 0);
        for unit in units {
            channels = channels.max(unit.channels);
            inner = inner.max(unit.squeeze.outputs);
        }
        let room = |len| Aligned::filled(len, 0.0);
        Self {
            means: room(channels),
            inner: room(inner),
            gates: room(2 * channels),
            scale: room(channels),
            shift: room(channels),
        }
    }
}

impl Excite {
    /// Packs a unit for `channels` padded channels.
    pub(super) fn new<S: Lanes<f32>>(unit: &SqueezeExcite, channels: usize) -> Self {
        let SqueezeExcite { squeeze, excite, activation } = unit;
        let inner = padded(squeeze.outputs, CHANNEL_BLOCK);
        let real = squeeze.inputs;
        let halves = excite.outputs / real;
        // The gates and added values of padded channels are zero.
        let mut spread = vec![0.0; excite.inputs * 2 * channels];
        let mut offsets = Aligned::filled(2 * channels, 0.0);
        for half in 0..halves {
            for (to, from) in
                spread.chunks_exact_mut(2 * channels).zip(excite.weights.chunks_exact(excite.outputs))
            {
                to[half * channels..][..real].copy_from_slice(&from[half * real..][..real]);
            }
            offsets[half * channels..][..real].copy_from_slice(&excite.bias[half * real..][..real]);
        }
        let spread = Matrix { taps: 1, inputs: excite.inputs, outputs: 2 * channels, weights: &spread };
        Self {
            channels,
            squeeze: Packed::new::<S>(&matrix(squeeze), channels),
            squeeze_bias: bias(&squeeze.bias, inner),
            activation: *activation,
            gates: Packed::new::<S>(&spread, inner),
            offsets,
            ones: Aligned::filled(inner.max(2 * channels), 1.0),
        }
    }

    /// The scale and shift of a board, computed from its sums and the layer's own scale and shift.
    pub(super) fn run<'a, S: Lanes<f32>, T: Sum>(
        &self,
        simd: S,
        sums: &[T],
        ScaleShift { scale, shift }: ScaleShift<'_>,
        gating: &'a mut Gating,
    ) -> ScaleShift<'a> {
        let (channels, inner) = (self.channels, self.squeeze.outputs);
        let Gating { means, inner: squeezed, gates, scale: board_scale, shift: board_shift } = gating;
        simd.run(Means { sums, channels, scale, shift, output: &mut *means });
        multiply_row(simd, means, &self.squeeze, squeezed);
        finish_row(
            simd,
            &mut squeezed[..inner],
            ScaleShift { scale: &self.ones, shift: &self.squeeze_bias },
            self.activation,
        );
        multiply_row(simd, squeezed, &self.gates, gates);
        finish_row(
            simd,
            &mut gates[..2 * channels],
            ScaleShift { scale: &self.ones, shift: &self.offsets },
            Activation::Identity,
        );
        let (gates, bias) = gates.split_at(channels);
        let bias = &bias[..channels];
        simd.run(Gates {
            logits: gates,
            bias,
            scale,
            shift,
            scale_out: &mut *board_scale,
            shift_out: &mut *board_shift,
        });
        ScaleShift { scale: &board_scale[..channels], shift: &board_shift[..channels] }
    }
}

fn matrix(dense: &Dense) -> Matrix<'_> {
    Matrix { taps: 1, inputs: dense.inputs, outputs: dense.outputs, weights: &dense.weights }
}

/// A bias, padded with zeros to `channels`.
pub(super) fn bias(values: &[f32], channels: usize) -> Aligned<f32> {
    let mut padded = Aligned::filled(channels, 0.0);
    padded[..values.len()].copy_from_slice(values);
    padded
}

fn multiply_row<S: Lanes<f32>>(simd: S, input: &[f32], weights: &Packed<f32>, output: &mut [f32]) {
    let rows = Rows { first: 0, group_stride: 0, stride: 0 };
    simd.run(Gemm { input, input_rows: rows, taps: &[0], weights, output, output_rows: rows, size: (1, 1) });
}

fn finish_row<S: Simd>(simd: S, row: &mut [f32], factors: ScaleShift<'_>, activation: Activation) {
    let ScaleShift { scale, shift } = factors;
    simd.run(EpilogueInPlace { row, scale, shift, activation });
}
