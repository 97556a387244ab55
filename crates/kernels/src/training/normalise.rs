//! Batch normalisation (Ioffe and Szegedy 2015, arXiv:1502.03167) with skip connection and activation, forward and
//! backward, on one share of a batch.
//!
//! With the moments of the batch folded into `factor = scale / sqrt(variance + epsilon)` and `shift = shift - mean * factor`,
//! a layer gives `activation(factor * sums + shift + skip)`.

use super::tensor::{Layout, rows};
use crate::{
    Activation,
    simd::{Kernel, Simd},
};

/// Added to the variance before the root; the usual value.
pub(crate) const EPSILON: f32 = 1e-5;

/// Rows of a share: how they lie, boards, numbers of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) layout: Layout,
    pub(crate) boards: usize,
    pub(crate) width: usize,
}

impl Extent {
    /// That slices of a share hold every row.
    fn check(&self, slices: &[&[f32]], lanes: usize) {
        assert!(self.width.is_multiple_of(lanes), "a part of a vector");
        let stride = match self.layout {
            Layout::Boards => crate::layout::BOARD * self.width,
            Layout::Flat => self.width,
        };
        for slice in slices {
            assert_eq!(slice.len(), self.boards * stride, "another share");
        }
    }
}

/// Sums of each column and of its squares; `[2][width]` is added to.
pub(crate) struct Moments<'a> {
    pub(crate) extent: Extent,
    pub(crate) sums: &'a [f32],
    pub(crate) result: &'a mut [f64],
}

impl<S: Simd> Kernel<S> for Moments<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { extent, sums, result } = self;
        extent.check(&[sums], S::LANES);
        let width = extent.width;
        // Single precision within a board, double across boards: the variance is a small difference of these sums.
        let mut board_sums = vec![0.0_f32; 2 * width];
        let stride = sums.len() / extent.boards;
        for board in sums.chunks_exact(stride) {
            board_sums.fill(0.0);
            for row in rows(extent.layout, 1, width) {
                for column in (0..width).step_by(S::LANES) {
                    // SAFETY: `check` has seen that the share holds every row and that `width` is whole vectors.
                    unsafe {
                        let value = simd.load(board.as_ptr().add(row + column));
                        let sum = board_sums.as_mut_ptr().add(column);
                        simd.store(sum, simd.add(simd.load(sum), value));
                        let square = sum.add(width);
                        simd.store(square, simd.fma(value, value, simd.load(square)));
                    }
                }
            }
            for (total, sum) in result.iter_mut().zip(&board_sums) {
                *total += f64::from(*sum);
            }
        }
    }
}

/// A normalisation folded into one factor and one summand for each column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folded {
    pub(crate) factor: Vec<f32>,
    pub(crate) shift: Vec<f32>,
    pub(crate) mean: Vec<f32>,
    /// `1 / sqrt(variance + epsilon)`.
    pub(crate) inverse_deviation: Vec<f32>,
}

impl Folded {
    /// Folds moments, scale and shift of the first columns; surplus columns give zero.
    pub(crate) fn new(
        width: usize,
        (mean, variance): (&[f32], &[f32]),
        scale: &[f32],
        shift: &[f32],
    ) -> Self {
        let zeros = vec![0.0; width];
        let mut folded = Self {
            factor: zeros.clone(),
            shift: zeros.clone(),
            mean: zeros.clone(),
            inverse_deviation: zeros,
        };
        for column in 0..scale.len() {
            let inverse = 1.0 / (variance[column] + EPSILON).sqrt();
            folded.inverse_deviation[column] = inverse;
            folded.mean[column] = mean[column];
            folded.factor[column] = scale[column] * inverse;
            folded.shift[column] = shift[column] - mean[column] * folded.factor[column];
        }
        folded
    }
}

/// `output = activation(factor * sums + shift + skip)`.
pub(crate) struct Finish<'a> {
    pub(crate) extent: Extent,
    pub(crate) sums: &'a [f32],
    pub(crate) folded: &'a Folded,
    pub(crate) skip: Option<&'a [f32]>,
    pub(crate) activation: Activation,
    pub(crate) output: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Finish<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { extent, sums, folded, skip, activation, output } = self;
        extent.check(&[sums, output, skip.unwrap_or(sums)], S::LANES);
        assert_eq!(folded.factor.len(), extent.width, "another layer's normalisation");
        for row in rows(extent.layout, extent.boards, extent.width) {
            for column in (0..extent.width).step_by(S::LANES) {
                let at = row + column;
                // SAFETY: `check` has seen that the slices hold every row and that rows are whole vectors.
                unsafe {
                    let mut value = before(simd, sums, folded, (at, column));
                    if let Some(skip) = skip {
                        value = simd.add(value, simd.load(skip.as_ptr().add(at)));
                    }
                    simd.store(output.as_mut_ptr().add(at), activation.apply(simd, value));
                }
            }
        }
    }
}

/// `factor * sums + shift` at a place of a column.
///
/// # Safety
/// A whole vector lies at both.
#[inline(always)]
pub(crate) unsafe fn before<S: Simd>(
    simd: S,
    sums: &[f32],
    folded: &Folded,
    (at, column): (usize, usize),
) -> S::Floats {
    // SAFETY: the caller's promise.
    unsafe {
        let factor = simd.load(folded.factor.as_ptr().add(column));
        simd.fma(simd.load(sums.as_ptr().add(at)), factor, simd.load(folded.shift.as_ptr().add(column)))
    }
}

/// What the gradient of a normalisation needs of a batch, `[2][width]`: sums of the gradient before the activation, and of
/// its products with the normalised sums. They are the gradients of shift and scale.
pub(crate) type GradientSums = Vec<f64>;

/// Turns the gradient of a layer's output into that before the activation, and adds up [`GradientSums`].
pub(crate) struct Gate<'a> {
    pub(crate) extent: Extent,
    pub(crate) sums: &'a [f32],
    pub(crate) folded: &'a Folded,
    pub(crate) skip: Option<&'a [f32]>,
    pub(crate) activation: Activation,
    pub(crate) gradient: &'a mut [f32],
    pub(crate) result: &'a mut [f64],
}

impl<S: Simd> Kernel<S> for Gate<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { extent, sums, folded, skip, activation, gradient, result } = self;
        extent.check(&[sums, gradient, skip.unwrap_or(sums)], S::LANES);
        assert_eq!(folded.factor.len(), extent.width, "another layer's normalisation");
        let width = extent.width;
        let mut board_sums = vec![0.0_f32; 2 * width];
        let stride = sums.len() / extent.boards;
        for board in 0..extent.boards {
            board_sums.fill(0.0);
            for row in rows(extent.layout, 1, width) {
                for column in (0..width).step_by(S::LANES) {
                    let at = board * stride + row + column;
                    // SAFETY: `check` has seen that the slices hold every row and that rows are whole vectors.
                    unsafe {
                        let mut value = before(simd, sums, folded, (at, column));
                        if let Some(skip) = skip {
                            value = simd.add(value, simd.load(skip.as_ptr().add(at)));
                        }
                        let place = gradient.as_mut_ptr().add(at);
                        let open = activation.gradient(simd, value, simd.load(place));
                        simd.store(place, open);
                        add_up(simd, open, (sums, folded), (at, column), &mut board_sums);
                    }
                }
            }
            for (total, sum) in result.iter_mut().zip(&board_sums) {
                *total += f64::from(*sum);
            }
        }
    }
}

/// Adds a vector of the gradient before the activation to the sums of a board, `[2][width]`.
///
/// # Safety
/// A whole vector lies at the place and at the column.
#[inline(always)]
pub(crate) unsafe fn add_up<S: Simd>(
    simd: S,
    gradient: S::Floats,
    (sums, folded): (&[f32], &Folded),
    (at, column): (usize, usize),
    board_sums: &mut [f32],
) {
    // SAFETY: the caller's promise; `board_sums` has two rows of the layer's width.
    unsafe {
        let centred = simd.sub(simd.load(sums.as_ptr().add(at)), simd.load(folded.mean.as_ptr().add(column)));
        let normal = simd.mul(centred, simd.load(folded.inverse_deviation.as_ptr().add(column)));
        let shift = board_sums.as_mut_ptr().add(column);
        simd.store(shift, simd.add(simd.load(shift), gradient));
        let scale = shift.add(folded.mean.len());
        simd.store(scale, simd.fma(gradient, normal, simd.load(scale)));
    }
}

/// The gradient with respect to the sums, from that before the activation, as one factor and two summands for each column:
/// with n rows, `factor * (gradient - shift_gradient / n - normalised * scale_gradient / n)`.
#[derive(Clone, Debug)]
pub(crate) struct Unfolded {
    factor: Vec<f32>,
    constant: Vec<f32>,
    slope: Vec<f32>,
}

impl Unfolded {
    /// From the sums over all rows of the batch.
    pub(crate) fn new(folded: &Folded, sums: &GradientSums, rows: usize) -> Self {
        let width = folded.factor.len();
        let mut unfolded =
            Self { factor: folded.factor.clone(), constant: vec![0.0; width], slope: vec![0.0; width] };
        for column in 0..width {
            let shift = sums[column] / rows as f64;
            let scale = sums[width + column] / rows as f64;
            let factor = f64::from(folded.factor[column]);
            let inverse = f64::from(folded.inverse_deviation[column]);
            unfolded.slope[column] = (-factor * inverse * scale) as f32;
            unfolded.constant[column] =
                (factor * (f64::from(folded.mean[column]) * inverse * scale - shift)) as f32;
        }
        unfolded
    }
}

/// Applies [`Unfolded`].
pub(crate) struct Unnormalise<'a> {
    pub(crate) extent: Extent,
    pub(crate) sums: &'a [f32],
    pub(crate) unfolded: &'a Unfolded,
    pub(crate) gradient: &'a [f32],
    pub(crate) output: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Unnormalise<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { extent, sums, unfolded, gradient, output } = self;
        extent.check(&[sums, gradient, output], S::LANES);
        assert_eq!(unfolded.factor.len(), extent.width, "another layer's normalisation");
        for row in rows(extent.layout, extent.boards, extent.width) {
            for column in (0..extent.width).step_by(S::LANES) {
                let at = row + column;
                // SAFETY: `check` has seen that the slices hold every row and that rows are whole vectors.
                unsafe {
                    let constant = simd.load(unfolded.constant.as_ptr().add(column));
                    let slope = simd.load(unfolded.slope.as_ptr().add(column));
                    let linear = simd.fma(simd.load(sums.as_ptr().add(at)), slope, constant);
                    let factor = simd.load(unfolded.factor.as_ptr().add(column));
                    let value = simd.fma(simd.load(gradient.as_ptr().add(at)), factor, linear);
                    simd.store(output.as_mut_ptr().add(at), value);
                }
            }
        }
    }
}
