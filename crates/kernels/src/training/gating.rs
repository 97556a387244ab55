//! Squeeze-excite (Hu et al. 2018, arXiv:1709.01507; with a shift as in lc0) between a normalisation and the skip
//! connection, forward and backward, on one share of a batch.
//!
//! A board's channel gives `activation(value * scale + shift + skip)`, where `value` is the normalised sum and scale and
//! shift belong to the board.

use super::normalise::{Extent, Folded, before};
use crate::{
    Activation,
    layout::{BOARD, SQUARES},
    simd::{Kernel, Simd},
    training::tensor::{Layout, rows},
};

/// The mean over the board of every normalised channel, `[boards][width]`.
pub(crate) struct Pool<'a> {
    pub(crate) width: usize,
    pub(crate) sums: &'a [f32],
    pub(crate) folded: &'a Folded,
    pub(crate) pooled: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Pool<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { width, sums, folded, pooled } = self;
        assert!(width.is_multiple_of(S::LANES) && folded.factor.len() == width, "another layer");
        assert!(sums.len() / (BOARD * width) == pooled.len() / width, "another share");
        for (board, pooled) in sums.chunks_exact(BOARD * width).zip(pooled.chunks_exact_mut(width)) {
            pooled.fill(0.0);
            for row in rows(Layout::Boards, 1, width) {
                for column in (0..width).step_by(S::LANES) {
                    // SAFETY: rows of a board and `pooled` have `width` columns, whole vectors.
                    unsafe {
                        let value = before(simd, board, folded, (row + column, column));
                        let sum = pooled.as_mut_ptr().add(column);
                        simd.store(sum, simd.add(simd.load(sum), value));
                    }
                }
            }
            for value in pooled {
                *value /= SQUARES as f32;
            }
        }
    }
}

/// What the excite layer says: `[boards][excite_width]`, first the scales before the sigmoid, after `channels` the shifts.
#[derive(Clone, Copy)]
pub(crate) struct Gates<'a> {
    pub(crate) channels: usize,
    pub(crate) width: usize,
    pub(crate) data: &'a [f32],
}

impl Gates<'_> {
    /// Scale and shift of one board, each as wide as a row of the tower.
    #[inline(always)]
    fn board(&self, board: usize, row: usize, scale: &mut [f32], shift: &mut [f32]) {
        let gates = &self.data[board * self.width..][..2 * self.channels];
        debug_assert!(scale.len() == row && shift.len() == row);
        for channel in 0..self.channels {
            scale[channel] = 1.0 / (1.0 + (-gates[channel]).exp());
            shift[channel] = gates[self.channels + channel];
        }
    }
}

/// `output = activation(value * scale + shift + skip)`.
pub(crate) struct GatedFinish<'a> {
    pub(crate) width: usize,
    pub(crate) sums: &'a [f32],
    pub(crate) folded: &'a Folded,
    pub(crate) gates: Gates<'a>,
    pub(crate) skip: &'a [f32],
    pub(crate) activation: Activation,
    pub(crate) output: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for GatedFinish<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { width, sums, folded, gates, skip, activation, output } = self;
        check(width, S::LANES, folded, &[sums, skip, output]);
        let (mut scale, mut shift) = (vec![0.0; width], vec![0.0; width]);
        for board in 0..sums.len() / (BOARD * width) {
            gates.board(board, width, &mut scale, &mut shift);
            for row in rows(Layout::Boards, 1, width) {
                for column in (0..width).step_by(S::LANES) {
                    let at = board * BOARD * width + row + column;
                    // SAFETY: `check` has seen that the slices hold whole boards of rows of whole vectors.
                    unsafe {
                        let value = gated(simd, (sums, folded, skip), (at, column), (&scale, &shift)).1;
                        simd.store(output.as_mut_ptr().add(at), activation.apply(simd, value));
                    }
                }
            }
        }
    }
}

/// The normalised value, and the gated one with the skip connection.
///
/// # Safety
/// A whole vector lies at the place and at the column.
#[inline(always)]
unsafe fn gated<S: Simd>(
    simd: S,
    (sums, folded, skip): (&[f32], &Folded, &[f32]),
    (at, column): (usize, usize),
    (scale, shift): (&[f32], &[f32]),
) -> (S::Floats, S::Floats) {
    // SAFETY: the caller's promise.
    unsafe {
        let value = before(simd, sums, folded, (at, column));
        let shifted = simd.add(simd.load(shift.as_ptr().add(column)), simd.load(skip.as_ptr().add(at)));
        (value, simd.fma(value, simd.load(scale.as_ptr().add(column)), shifted))
    }
}

/// Turns the gradient of the output into that before the activation, and gives the gradient of the gates.
pub(crate) struct GateGradient<'a> {
    pub(crate) width: usize,
    pub(crate) sums: &'a [f32],
    pub(crate) folded: &'a Folded,
    pub(crate) gates: Gates<'a>,
    pub(crate) skip: &'a [f32],
    pub(crate) activation: Activation,
    pub(crate) gradient: &'a mut [f32],
    /// As [`Gates::data`].
    pub(crate) gates_gradient: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for GateGradient<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { width, sums, folded, gates, skip, activation, gradient, gates_gradient } = self;
        check(width, S::LANES, folded, &[sums, skip, gradient]);
        let (mut scale, mut shift) = (vec![0.0; width], vec![0.0; width]);
        let (mut by_scale, mut by_shift) = (vec![0.0_f32; width], vec![0.0_f32; width]);
        for board in 0..sums.len() / (BOARD * width) {
            gates.board(board, width, &mut scale, &mut shift);
            by_scale.fill(0.0);
            by_shift.fill(0.0);
            for row in rows(Layout::Boards, 1, width) {
                for column in (0..width).step_by(S::LANES) {
                    let at = board * BOARD * width + row + column;
                    // SAFETY: `check` has seen that the slices hold whole boards of rows of whole vectors.
                    unsafe {
                        let (value, input) =
                            gated(simd, (sums, folded, skip), (at, column), (&scale, &shift));
                        let place = gradient.as_mut_ptr().add(at);
                        let open = activation.gradient(simd, input, simd.load(place));
                        simd.store(place, open);
                        let sum = by_shift.as_mut_ptr().add(column);
                        simd.store(sum, simd.add(simd.load(sum), open));
                        let sum = by_scale.as_mut_ptr().add(column);
                        simd.store(sum, simd.fma(open, value, simd.load(sum)));
                    }
                }
            }
            let result = &mut gates_gradient[board * gates.width..][..2 * gates.channels];
            for channel in 0..gates.channels {
                result[channel] = by_scale[channel] * scale[channel] * (1.0 - scale[channel]);
                result[gates.channels + channel] = by_shift[channel];
            }
        }
    }
}

/// The gradient of the normalised values, from that before the activation and that of the pooled means, with the sums that
/// the normalisation needs.
pub(crate) struct ValueGradient<'a> {
    pub(crate) width: usize,
    pub(crate) sums: &'a [f32],
    pub(crate) folded: &'a Folded,
    pub(crate) gates: Gates<'a>,
    pub(crate) gradient: &'a [f32],
    /// `[boards][width]`.
    pub(crate) pooled_gradient: &'a [f32],
    pub(crate) output: &'a mut [f32],
    pub(crate) result: &'a mut [f64],
}

impl<S: Simd> Kernel<S> for ValueGradient<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { width, sums, folded, gates, gradient, pooled_gradient, output, result } = self;
        check(width, S::LANES, folded, &[sums, gradient, output]);
        let (mut scale, mut shift) = (vec![0.0; width], vec![0.0; width]);
        let mut board_sums = vec![0.0_f32; 2 * width];
        for board in 0..sums.len() / (BOARD * width) {
            gates.board(board, width, &mut scale, &mut shift);
            board_sums.fill(0.0);
            let pooled = &pooled_gradient[board * width..][..width];
            let share = simd.splat(1.0 / SQUARES as f32);
            for row in rows(Layout::Boards, 1, width) {
                for column in (0..width).step_by(S::LANES) {
                    let at = board * BOARD * width + row + column;
                    // SAFETY: `check` has seen that the slices hold whole boards of rows of whole vectors.
                    unsafe {
                        let scale = simd.load(scale.as_ptr().add(column));
                        let open = simd.mul(simd.load(gradient.as_ptr().add(at)), scale);
                        let value = simd.fma(simd.load(pooled.as_ptr().add(column)), share, open);
                        simd.store(output.as_mut_ptr().add(at), value);
                        super::normalise::add_up(simd, value, (sums, folded), (at, column), &mut board_sums);
                    }
                }
            }
            for (total, sum) in result.iter_mut().zip(&board_sums) {
                *total += f64::from(*sum);
            }
        }
    }
}

/// Adds a bias to every row and applies an activation; `before` keeps what the activation was applied to.
pub(crate) struct AddBias<'a> {
    pub(crate) extent: Extent,
    pub(crate) bias: &'a [f32],
    pub(crate) sums: &'a mut [f32],
    /// The activation and its output, where there is one.
    pub(crate) activated: Option<(Activation, &'a mut [f32])>,
}

impl<S: Simd> Kernel<S> for AddBias<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { extent, bias, sums, mut activated } = self;
        assert!(bias.len() == extent.width && extent.width.is_multiple_of(S::LANES), "another layer's bias");
        let len = sums.len();
        assert!(activated.as_ref().is_none_or(|(_, output)| output.len() == len), "another share");
        for row in rows(extent.layout, extent.boards, extent.width) {
            assert!(row + extent.width <= len, "rows behind the share");
            for column in (0..extent.width).step_by(S::LANES) {
                // SAFETY: the row with all columns lies in the share, as asserted above.
                unsafe {
                    let place = sums.as_mut_ptr().add(row + column);
                    let value = simd.add(simd.load(place), simd.load(bias.as_ptr().add(column)));
                    simd.store(place, value);
                    if let Some((activation, output)) = &mut activated {
                        simd.store(output.as_mut_ptr().add(row + column), activation.apply(simd, value));
                    }
                }
            }
        }
    }
}

/// Turns a gradient into that before an activation, where `inputs` went in, and adds up its columns.
pub(crate) struct BiasGradient<'a> {
    pub(crate) extent: Extent,
    pub(crate) inputs: &'a [f32],
    pub(crate) activation: Activation,
    pub(crate) gradient: &'a mut [f32],
    /// `[width]`, added to.
    pub(crate) result: &'a mut [f64],
}

impl<S: Simd> Kernel<S> for BiasGradient<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { extent, inputs, activation, gradient, result } = self;
        assert!(inputs.len() == gradient.len() && extent.width.is_multiple_of(S::LANES), "another share");
        let mut board_sums = vec![0.0_f32; extent.width];
        let stride = gradient.len() / extent.boards;
        for board in 0..extent.boards {
            board_sums.fill(0.0);
            for row in rows(extent.layout, 1, extent.width) {
                assert!(row + extent.width <= stride, "rows behind the board");
                for column in (0..extent.width).step_by(S::LANES) {
                    // SAFETY: the row with all columns lies in the board, as asserted above.
                    unsafe {
                        let at = board * stride + row + column;
                        let place = gradient.as_mut_ptr().add(at);
                        let input = simd.load(inputs.as_ptr().add(at));
                        let open = activation.gradient(simd, input, simd.load(place));
                        simd.store(place, open);
                        let sum = board_sums.as_mut_ptr().add(column);
                        simd.store(sum, simd.add(simd.load(sum), open));
                    }
                }
            }
            for (total, sum) in result.iter_mut().zip(&board_sums) {
                *total += f64::from(*sum);
            }
        }
    }
}

fn check(width: usize, lanes: usize, folded: &Folded, slices: &[&[f32]]) {
    assert!(width.is_multiple_of(lanes) && folded.factor.len() == width, "another layer's normalisation");
    for slice in slices {
        assert!(slice.len() == slices[0].len() && slice.len().is_multiple_of(BOARD * width), "another share");
    }
}
