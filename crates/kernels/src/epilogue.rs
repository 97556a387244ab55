//! Epilogues: scale, bias, squeeze-excite, skip connection and activation of a layer's sums, and conversion to the number
//! format of the next layer.
//!
//! For every sum s of a square and channel the epilogue computes, in floats and in this order,
//!
//! ```text
//! y     = activation(s scale + shift + skip)
//! level = round(y / step + zero point), saturated              (int8 only)
//! ```
//!
//! `scale` and `shift` hold everything that is affine per channel: bias, the steps of int8, and squeeze-and-excitation. (Batch
//! normalisation is part of weights and bias by then.) The gate of squeeze-and-excitation acts on a whole channel of one board,
//! so it needs no pass of its own: gate (s scale + shift) + bias = s (gate scale) + (gate shift + bias), which is what [`Gates`]
//! computes. And since a mean is linear, [`Means`] takes it over raw sums and scales it once.
//!
//! Why per board, and not in the store of the micro-kernel: squeeze-and-excitation needs the sums of all 64 squares before the
//! first result, and a tile unit stores to memory only. The sums of a board (18 KB for 64 channels) are still in the nearest
//! cache. Finishing square by square between the products of the next board was tried: 1.2 times as slow
//! (`docs/experiments/inference-kernel-changes.md`).
//!
//! The skip connection comes before the activation (post-activation blocks, as lc0's). In bf16 the trunk itself is the
//! accumulator. In int8 it is not: a trunk of 256 levels would be rounded again in every block, so [`Skip::Exact`] keeps the
//! stream in floats, and the levels are a copy of it for the next convolution.

use crate::{
    activation::{Activation, sigmoid},
    layout::{RANK, SQUARES, position},
    quantisation::QuantParams,
    simd::element::{Element, Sum},
    simd::{Kernel, Lanes, Simd},
};

/// The factor and the offset applied to each channel's sums.
#[derive(Clone, Copy)]
pub(crate) struct ScaleShift<'a> {
    pub(crate) scale: &'a [f32],
    pub(crate) shift: &'a [f32],
}

/// Destination of a board's results.
pub(crate) struct Target<'a, E> {
    pub(crate) data: &'a mut [E],
    /// Offset of the first square.
    pub(crate) first: usize,
    /// Positions per rank in memory: 9 with zeros between ranks, 8 without.
    pub(crate) rank: usize,
    /// Channels per square in memory.
    pub(crate) width: usize,
}

/// The skip connection of a layer.
pub(crate) enum Skip<'a> {
    None,
    /// Adds the previous content of the target.
    Target,
    /// Adds these floats, `[64][channels]`, and replaces them with the result.
    Exact(&'a mut [f32]),
    /// No skip connection; the result is also written to these floats.
    Record(&'a mut [f32]),
}

pub(crate) struct Epilogue<'a, T, E> {
    /// `[72 positions][channels]`, positions between ranks unused.
    pub(crate) sums: &'a [T],
    /// A multiple of 16, at most the target's width.
    pub(crate) channels: usize,
    /// Factor of the sum, per channel.
    pub(crate) scale: &'a [f32],
    /// Added after scaling, per channel.
    pub(crate) shift: &'a [f32],
    pub(crate) skip: Skip<'a>,
    pub(crate) activation: Activation,
    pub(crate) target: Target<'a, E>,
    pub(crate) quantisation: QuantParams,
}

impl<T: Sum, E: Element, S: Lanes<E>> Kernel<S> for Epilogue<'_, T, E> {
    #[inline(always)]
    fn call(mut self, simd: S) {
        let Self { channels, ref target, .. } = self;
        assert!(channels.is_multiple_of(S::LANES) && channels <= target.width, "whole vectors");
        assert!(self.sums.len() >= 8 * RANK * channels, "sums of a board");
        assert!(self.scale.len() >= channels && self.shift.len() >= channels, "a factor for each channel");
        let last = target.first + (7 * target.rank + 7) * target.width + channels;
        assert!(target.rank >= 8 && last <= target.data.len(), "room for a board");
        if let Skip::Exact(floats) | Skip::Record(floats) = &self.skip {
            assert!(floats.len() >= SQUARES * channels, "floats of a board");
        }
        // For the combinations written out here, those of residual towers, the branch is taken once per board instead of
        // once per vector.
        // Together with a change to the stem this made networks on AMX 1.14 to 1.2 times as fast at 8 boards and more
        // (docs/experiments/inference-kernel-changes.md, "Finishing a board").
        match (self.activation, std::mem::replace(&mut self.skip, Skip::None)) {
            (Activation::Relu, Skip::None) => self.pass(simd, Activation::Relu, Skip::None),
            (Activation::Relu, Skip::Target) => self.pass(simd, Activation::Relu, Skip::Target),
            (Activation::Relu, Skip::Exact(floats)) => {
                self.pass(simd, Activation::Relu, Skip::Exact(floats));
            }
            (activation, skip) => self.pass(simd, activation, skip),
        }
    }
}

impl<T: Sum, E: Element> Epilogue<'_, T, E> {
    #[inline(always)]
    fn pass<S: Lanes<E>>(&mut self, simd: S, activation: Activation, mut skip: Skip<'_>) {
        let mut channel = 0;
        while channel < self.channels {
            let columns = (channel, activation, &mut skip);
            channel += match (self.channels - channel) / S::LANES {
                // Four vectors at a time where possible: their scale and shift stay in registers for all squares of the
                // board.
                4.. => self.columns::<S, 4>(simd, columns),
                2.. => self.columns::<S, 2>(simd, columns),
                _ => self.columns::<S, 1>(simd, columns),
            };
        }
    }

    /// Applies the epilogue to a few vectors of channels on all squares; returns the number of channels.
    #[inline(always)]
    fn columns<S: Lanes<E>, const VECTORS: usize>(
        &mut self,
        simd: S,
        (channel, activation, skip): (usize, Activation, &mut Skip<'_>),
    ) -> usize {
        let (levels, zero) =
            (simd.splat(1.0 / self.quantisation.scale), simd.splat(self.quantisation.zero_point));
        let (target, channels) = (&mut self.target, self.channels);
        let (mut scale, mut shift) = ([zero; VECTORS], [zero; VECTORS]);
        for vector in 0..VECTORS {
            let channel = channel + vector * S::LANES;
            // SAFETY: `call` has checked that there is a factor for each channel.
            unsafe {
                scale[vector] = simd.load(self.scale.as_ptr().add(channel));
                shift[vector] = simd.load(self.shift.as_ptr().add(channel));
            }
        }
        // Squares inside, channels outside: a vector of scale and shift is loaded once for 64 squares. The positions between
        // ranks (the ninth of each) are skipped here; their sums are undefined, and their place in the target has to stay zero.
        for square in 0..SQUARES {
            let from = position(square) * channels + channel;
            let to = target.first + (square / 8 * target.rank + square % 8) * target.width + channel;
            let float = square * channels + channel;
            let mut values = [zero; VECTORS];
            // SAFETY: `call` has checked that all of these slices hold a board of these channels.
            unsafe {
                let place = target.data.as_mut_ptr().add(to);
                for vector in 0..VECTORS {
                    let lane = vector * S::LANES;
                    let sums = T::load(simd, self.sums.as_ptr().add(from + lane));
                    let mut value = simd.fma(sums, scale[vector], shift[vector]);
                    match &*skip {
                        Skip::None | Skip::Record(_) => {}
                        Skip::Target => value = simd.add(value, simd.load_elements(place.add(lane))),
                        Skip::Exact(floats) => {
                            value = simd.add(value, simd.load(floats.as_ptr().add(float + lane)));
                        }
                    }
                    value = activation.apply(simd, value);
                    if let Skip::Exact(floats) | Skip::Record(floats) = &mut *skip {
                        simd.store(floats.as_mut_ptr().add(float + lane), value);
                    }
                    values[vector] = if E::QUANTISED { simd.fma(value, levels, zero) } else { value };
                }
                // In pairs, because AVX-512 rounds two vectors to bf16 with one instruction.
                match values[..] {
                    [first, second] => simd.store_element_pair(place, first, second),
                    [first, second, third, fourth] => {
                        simd.store_element_pair(place, first, second);
                        simd.store_element_pair(place.add(2 * S::LANES), third, fourth);
                    }
                    _ => simd.store_elements(place, values[0]),
                }
            }
        }
        VECTORS * S::LANES
    }
}

/// The mean of each channel over the squares of a board, scaled and shifted.
pub(crate) struct Means<'a, T> {
    /// `[72 positions][channels]`.
    pub(crate) sums: &'a [T],
    pub(crate) channels: usize,
    pub(crate) scale: &'a [f32],
    pub(crate) shift: &'a [f32],
    /// `[channels]`.
    pub(crate) output: &'a mut [f32],
}

impl<T: Sum, S: Simd> Kernel<S> for Means<'_, T> {
    #[inline(always)]
    fn call(self, simd: S) {
        let channels = self.channels;
        assert!(channels.is_multiple_of(S::LANES) && self.sums.len() >= 8 * RANK * channels, "a board");
        let shortest = self.scale.len().min(self.shift.len()).min(self.output.len());
        assert!(shortest >= channels, "a number for each channel");
        for channel in (0..channels).step_by(S::LANES) {
            // Eight independent sums hide the latency of additions.
            let mut totals = [simd.splat(0.0); 8];
            for rank in 0..8 {
                for (file, total) in totals.iter_mut().enumerate() {
                    // SAFETY: the first assertion found the sums of all squares.
                    let value = unsafe {
                        T::load(simd, self.sums.as_ptr().add((rank * RANK + file) * channels + channel))
                    };
                    *total = simd.add(*total, value);
                }
            }
            let mut total = totals[0];
            for part in &totals[1..] {
                total = simd.add(total, *part);
            }
            let mean = simd.mul(total, simd.splat(1.0 / SQUARES as f32));
            // SAFETY: the second assertion found a number for each channel.
            unsafe {
                let scale = simd.load(self.scale.as_ptr().add(channel));
                let shift = simd.load(self.shift.as_ptr().add(channel));
                simd.store(self.output.as_mut_ptr().add(channel), simd.fma(mean, scale, shift));
            }
        }
    }
}

/// Turns the outputs of squeeze-excite into the scale and shift of a board: the layer's own scale and shift are multiplied
/// by the sigmoid of the first half, and the second half is added to the shift.
pub(crate) struct Gates<'a> {
    /// `[channels]`: the first half of the outputs, whose sigmoid scales the channel.
    pub(crate) logits: &'a [f32],
    /// `[channels]`: the second half of the outputs, added to the shift.
    pub(crate) bias: &'a [f32],
    /// `[channels]`: the layer's own scale.
    pub(crate) scale: &'a [f32],
    /// `[channels]`: the layer's own shift.
    pub(crate) shift: &'a [f32],
    /// `[channels]`: the board's scale.
    pub(crate) scale_out: &'a mut [f32],
    /// `[channels]`: the board's shift.
    pub(crate) shift_out: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Gates<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let channels = self.logits.len();
        let lengths = [self.bias.len(), self.scale.len(), self.shift.len()];
        let shortest = lengths.into_iter().chain([self.scale_out.len(), self.shift_out.len()]).min();
        assert!(channels.is_multiple_of(S::LANES) && shortest >= Some(channels), "a number for each channel");
        for channel in (0..channels).step_by(S::LANES) {
            // SAFETY: the assertion found a number for each channel in every slice.
            unsafe {
                let gate = sigmoid(simd, simd.load(self.logits.as_ptr().add(channel)));
                let scale = simd.mul(gate, simd.load(self.scale.as_ptr().add(channel)));
                let bias = simd.load(self.bias.as_ptr().add(channel));
                let shift = simd.fma(gate, simd.load(self.shift.as_ptr().add(channel)), bias);
                simd.store(self.scale_out.as_mut_ptr().add(channel), scale);
                simd.store(self.shift_out.as_mut_ptr().add(channel), shift);
            }
        }
    }
}

/// Scale, bias and activation of a dense layer's sums, in rows of `channels`.
pub(crate) struct RowEpilogue<'a, T> {
    pub(crate) sums: &'a [T],
    pub(crate) scale: &'a [f32],
    pub(crate) shift: &'a [f32],
    pub(crate) activation: Activation,
    pub(crate) target: &'a mut [f32],
}

impl<T: Sum, S: Simd> Kernel<S> for RowEpilogue<'_, T> {
    #[inline(always)]
    fn call(self, simd: S) {
        let channels = self.sums.len();
        let shortest = self.scale.len().min(self.shift.len()).min(self.target.len());
        assert!(channels.is_multiple_of(S::LANES) && shortest >= channels, "a number for each channel");
        for channel in (0..channels).step_by(S::LANES) {
            // SAFETY: the assertion found a number for each channel in every slice.
            unsafe {
                let sums = T::load(simd, self.sums.as_ptr().add(channel));
                let scale = simd.load(self.scale.as_ptr().add(channel));
                let value = simd.fma(sums, scale, simd.load(self.shift.as_ptr().add(channel)));
                simd.store(self.target.as_mut_ptr().add(channel), self.activation.apply(simd, value));
            }
        }
    }
}

/// Scale, bias and activation of a row of floats, in place.
pub(crate) struct EpilogueInPlace<'a> {
    pub(crate) row: &'a mut [f32],
    pub(crate) scale: &'a [f32],
    pub(crate) shift: &'a [f32],
    pub(crate) activation: Activation,
}

impl<S: Simd> Kernel<S> for EpilogueInPlace<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let channels = self.row.len();
        let shortest = self.scale.len().min(self.shift.len());
        assert!(channels.is_multiple_of(S::LANES) && shortest >= channels, "a number for each channel");
        for channel in (0..channels).step_by(S::LANES) {
            // SAFETY: the assertion found a number for each channel in every slice.
            unsafe {
                let place = self.row.as_mut_ptr().add(channel);
                let scale = simd.load(self.scale.as_ptr().add(channel));
                let value = simd.fma(simd.load(place), scale, simd.load(self.shift.as_ptr().add(channel)));
                simd.store(place, self.activation.apply(simd, value));
            }
        }
    }
}
