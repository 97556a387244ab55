//! Batch normalisation (Ioffe and Szegedy 2015, arXiv:1502.03167) with skip connection and activation, forward and
//! backward. Kernels work one board at a time, while the board is in the nearest cache.
//!
//! With the statistics of the batch folded into `factor = scale / sqrt(variance + epsilon)` and `shift = shift - mean * factor`,
//! a layer computes `activation(factor * sums + shift + skip)`. Squeeze-excite units only change factor and shift, for each
//! board. Column sums are accumulated in single precision within a board and in double precision across boards, because the
//! variance is a small difference of them.

use crate::{
    Activation,
    columns::{Columns, by_columns},
    layout::{POSITIONS, RANK},
    simd::element::Element,
    simd::{Kernel, Lanes, Simd},
};

/// Added to the variance before taking the square root (Ioffe and Szegedy 2015, algorithm 1). This is the usual value.
pub const EPSILON: f32 = 1e-5;

/// `output = activation(factor * sums + shift + skip)`.
pub(crate) struct Normalise<'a, E> {
    pub(crate) width: usize,
    pub(crate) sums: &'a [E],
    pub(crate) affine: Affine<'a>,
    pub(crate) skip: Option<&'a [E]>,
    pub(crate) activation: Activation,
    pub(crate) output: &'a mut [E],
}

impl<E: Element, S: Lanes<E>> Kernel<S> for Normalise<'_, E> {
    #[inline(always)]
    fn call(mut self, simd: S) {
        let board = POSITIONS * self.width;
        assert!(self.sums.len() >= board && self.output.len() >= board, "whole boards");
        assert!(self.skip.is_none_or(|skip| skip.len() >= board), "a whole board");
        self.affine.check(self.width);
        let width = self.width;
        // The most frequent cases are separate, so that the loops do not branch.
        // SAFETY: as asserted.
        unsafe {
            match (self.activation, self.skip) {
                (Activation::Relu, None) => {
                    by_columns(simd, width, &mut Self { activation: Activation::Relu, skip: None, ..self });
                }
                (Activation::Relu, Some(skip)) => {
                    let skip = Some(skip);
                    by_columns(simd, width, &mut Self { activation: Activation::Relu, skip, ..self });
                }
                _ => by_columns(simd, width, &mut self),
            }
        }
    }
}

impl<E: Element, S: Lanes<E>> Columns<S> for Normalise<'_, E> {
    #[inline(always)]
    unsafe fn columns<const VECTORS: usize>(&mut self, simd: S, column: usize) {
        // SAFETY: both rows have the width.
        let [factor, shift]: [[S::Floats; VECTORS]; 2] = unsafe { self.affine.vectors(simd, column) };
        for rank in 0..8 {
            for file in 0..8 {
                for vector in 0..VECTORS {
                    let at = place(rank, file, self.width) + column + vector * S::LANES;
                    // SAFETY: a square of the board and columns that the caller has promised.
                    unsafe {
                        let sums = simd.load_elements(self.sums.as_ptr().add(at));
                        let mut value = simd.fma(sums, factor[vector], shift[vector]);
                        if let Some(skip) = self.skip {
                            value = simd.add(value, simd.load_elements(skip.as_ptr().add(at)));
                        }
                        let value = self.activation.apply(simd, value);
                        simd.store_elements(self.output.as_mut_ptr().add(at), value);
                    }
                }
            }
        }
    }
}

/// Stores a board's sums as elements, and computes the column sums of the values and of their squares.
pub(crate) struct Collect<'a, E> {
    pub(crate) width: usize,
    pub(crate) sums: &'a [f32],
    pub(crate) output: &'a mut [E],
    /// `[2][width]`.
    pub(crate) result: &'a mut [f32],
}

impl<E: Element, S: Lanes<E>> Kernel<S> for Collect<'_, E> {
    #[inline(always)]
    fn call(mut self, simd: S) {
        let boards = POSITIONS * self.width;
        assert!(self.sums.len() >= boards && self.output.len() >= boards, "whole boards");
        assert!(self.result.len() == 2 * self.width, "two sums of each column");
        // SAFETY: as asserted.
        unsafe { by_columns(simd, self.width, &mut self) }
    }
}

impl<E: Element, S: Lanes<E>> Columns<S> for Collect<'_, E> {
    #[inline(always)]
    unsafe fn columns<const VECTORS: usize>(&mut self, simd: S, column: usize) {
        let mut sums = [simd.splat(0.0); VECTORS];
        let mut squares = sums;
        for rank in 0..8 {
            for file in 0..8 {
                for vector in 0..VECTORS {
                    let at = place(rank, file, self.width) + column + vector * S::LANES;
                    // SAFETY: a square of the board and columns that the caller has promised.
                    unsafe {
                        let value = simd.load(self.sums.as_ptr().add(at));
                        sums[vector] = simd.add(sums[vector], value);
                        squares[vector] = simd.fma(value, value, squares[vector]);
                        simd.store_elements(self.output.as_mut_ptr().add(at), value);
                    }
                }
            }
        }
        // SAFETY: the result has two rows of the width.
        unsafe {
            store(simd, self.result, column, sums);
            store(simd, self.result, self.width + column, squares);
        }
    }
}

/// The destination of the gradient before an activation.
pub(crate) enum GradientTarget<'a, E> {
    /// Elements, in the format of the activations.
    Elements(&'a mut [E]),
    /// Floats of the trunk. The gradient already there is first added to the incoming one.
    Trunk(&'a mut [f32]),
}

/// Turns the gradient of a layer's output into the gradient before the activation, and computes the column sums of that
/// gradient and of its products with the centred sums. ReLU passes the gradient where the output is above zero; other
/// activations need their inputs.
pub(crate) struct Gate<'a, E> {
    pub(crate) width: usize,
    pub(crate) sums: &'a [E],
    pub(crate) output: &'a [E],
    pub(crate) affine: Affine<'a>,
    pub(crate) mean: &'a [f32],
    pub(crate) skip: Option<&'a [E]>,
    pub(crate) activation: Activation,
    pub(crate) gradient: &'a [f32],
    pub(crate) target: GradientTarget<'a, E>,
    /// `[2][width]`.
    pub(crate) result: &'a mut [f32],
}

impl<E: Element, S: Lanes<E> + Lanes<f32>> Kernel<S> for Gate<'_, E> {
    #[inline(always)]
    fn call(self, simd: S) {
        let board = POSITIONS * self.width;
        assert!(self.sums.len() >= board && self.gradient.len() >= board, "whole boards");
        assert!(self.output.len() >= board, "a whole board");
        assert!(self.skip.is_none_or(|skip| skip.len() >= board), "a whole board");
        let target = match &self.target {
            GradientTarget::Elements(elements) => elements.len(),
            GradientTarget::Trunk(trunk) => trunk.len(),
        };
        assert!(target >= board && self.result.len() == 2 * self.width, "another layer's gradient");
        self.affine.check(self.width);
        assert!(self.mean.len() >= self.width, "another layer's normalisation");
        let width = self.width;
        // The most frequent cases are separate, so that the loops do not branch.
        // SAFETY: as asserted.
        unsafe {
            match (self.activation, self.target) {
                (Activation::Relu, GradientTarget::Elements(elements)) => {
                    let target = GradientTarget::Elements(elements);
                    by_columns(simd, width, &mut Self { activation: Activation::Relu, target, ..self });
                }
                (Activation::Relu, GradientTarget::Trunk(trunk)) => {
                    let target = GradientTarget::Trunk(trunk);
                    by_columns(simd, width, &mut Self { activation: Activation::Relu, target, ..self });
                }
                (activation, target) => {
                    by_columns(simd, width, &mut Self { activation, target, ..self });
                }
            }
        }
    }
}

impl<E: Element, S: Lanes<E> + Lanes<f32>> Columns<S> for Gate<'_, E> {
    #[inline(always)]
    unsafe fn columns<const VECTORS: usize>(&mut self, simd: S, column: usize) {
        // SAFETY: all three rows have the width.
        let ([factor, shift], mean): ([[S::Floats; VECTORS]; 2], [S::Floats; VECTORS]) =
            unsafe { (self.affine.vectors(simd, column), vectors(simd, self.mean, column)) };
        let mut gradients = [simd.splat(0.0); VECTORS];
        let mut products = gradients;
        for rank in 0..8 {
            for file in 0..8 {
                for vector in 0..VECTORS {
                    let at = place(rank, file, self.width) + column + vector * S::LANES;
                    // SAFETY: a square of the board and columns that the caller has promised.
                    unsafe {
                        let sums = simd.load_elements(self.sums.as_ptr().add(at));
                        let mut upstream = simd.load(self.gradient.as_ptr().add(at));
                        if let GradientTarget::Trunk(trunk) = &self.target {
                            upstream = simd.add(upstream, simd.load(trunk.as_ptr().add(at)));
                        }
                        let before = if self.activation == Activation::Relu {
                            simd.where_positive(simd.load_elements(self.output.as_ptr().add(at)), upstream)
                        } else {
                            let mut value = simd.fma(sums, factor[vector], shift[vector]);
                            if let Some(skip) = self.skip {
                                value = simd.add(value, simd.load_elements(skip.as_ptr().add(at)));
                            }
                            self.activation.gradient(simd, value, upstream)
                        };
                        match &mut self.target {
                            GradientTarget::Elements(elements) => {
                                simd.store_elements(elements.as_mut_ptr().add(at), before);
                            }
                            GradientTarget::Trunk(trunk) => simd.store(trunk.as_mut_ptr().add(at), before),
                        }
                        gradients[vector] = simd.add(gradients[vector], before);
                        let centred = simd.sub(sums, mean[vector]);
                        products[vector] = simd.fma(before, centred, products[vector]);
                    }
                }
            }
        }
        // SAFETY: the result has two rows of the width.
        unsafe {
            store(simd, self.result, column, gradients);
            store(simd, self.result, self.width + column, products);
        }
    }
}

/// The gradient of a board's sums: `factor * gradient + shift + slope * sums`.
pub(crate) struct Unnormalise<'a, T, E> {
    pub(crate) width: usize,
    /// The gradient before the activation.
    pub(crate) gradient: &'a [T],
    pub(crate) sums: &'a [E],
    pub(crate) affine: Affine<'a>,
    pub(crate) slope: &'a [f32],
    pub(crate) output: &'a mut [E],
}

impl<T: Element, E: Element, S: Lanes<T> + Lanes<E>> Kernel<S> for Unnormalise<'_, T, E> {
    #[inline(always)]
    fn call(mut self, simd: S) {
        let board = POSITIONS * self.width;
        let slices = [self.gradient.len(), self.sums.len(), self.output.len()];
        assert!(slices.iter().all(|slice| *slice >= board), "whole boards");
        self.affine.check(self.width);
        assert!(self.slope.len() >= self.width, "another layer's normalisation");
        // SAFETY: as asserted.
        unsafe { by_columns(simd, self.width, &mut self) }
    }
}

impl<T: Element, E: Element, S: Lanes<T> + Lanes<E>> Columns<S> for Unnormalise<'_, T, E> {
    #[inline(always)]
    unsafe fn columns<const VECTORS: usize>(&mut self, simd: S, column: usize) {
        // SAFETY: all three rows have the width.
        let ([factor, shift], slope): ([[S::Floats; VECTORS]; 2], [S::Floats; VECTORS]) =
            unsafe { (self.affine.vectors(simd, column), vectors(simd, self.slope, column)) };
        for rank in 0..8 {
            for file in 0..8 {
                for vector in 0..VECTORS {
                    let at = place(rank, file, self.width) + column + vector * S::LANES;
                    // SAFETY: a square of the board and columns that the caller has promised.
                    unsafe {
                        let sums = simd.load_elements(self.sums.as_ptr().add(at));
                        let linear = simd.fma(sums, slope[vector], shift[vector]);
                        let gradient = simd.load_elements(self.gradient.as_ptr().add(at));
                        let value = simd.fma(gradient, factor[vector], linear);
                        simd.store_elements(self.output.as_mut_ptr().add(at), value);
                    }
                }
            }
        }
    }
}

/// The factor and shift of each column, applied to a board's sums.
#[derive(Clone, Copy)]
pub(crate) struct Affine<'a> {
    pub(crate) factor: &'a [f32],
    pub(crate) shift: &'a [f32],
}

impl Affine<'_> {
    /// # Panics
    /// If a row has fewer columns than a board.
    fn check(&self, width: usize) {
        let rows = [self.factor.len(), self.shift.len()];
        assert!(rows.iter().all(|row| *row >= width), "another layer's normalisation");
    }

    /// Loads the vectors of both rows starting at `column`.
    ///
    /// # Safety
    /// The vectors are within the rows.
    #[inline(always)]
    unsafe fn vectors<S: Simd, const VECTORS: usize>(
        &self,
        simd: S,
        column: usize,
    ) -> [[S::Floats; VECTORS]; 2] {
        // SAFETY: the caller's promise.
        unsafe { [vectors(simd, self.factor, column), vectors(simd, self.shift, column)] }
    }
}

/// Loads vectors of a row.
///
/// # Safety
/// The vectors are within the row.
#[inline(always)]
unsafe fn vectors<S: Simd, const VECTORS: usize>(
    simd: S,
    row: &[f32],
    column: usize,
) -> [S::Floats; VECTORS] {
    let mut result = [simd.splat(0.0); VECTORS];
    for vector in 0..VECTORS {
        // SAFETY: the caller's promise.
        result[vector] = unsafe { simd.load(row.as_ptr().add(column + vector * S::LANES)) };
    }
    result
}

/// Stores vectors of a row; the inverse of [`vectors`].
///
/// # Safety
/// The vectors are within the row.
#[inline(always)]
unsafe fn store<S: Simd, const VECTORS: usize>(
    simd: S,
    row: &mut [f32],
    column: usize,
    values: [S::Floats; VECTORS],
) {
    for vector in 0..VECTORS {
        // SAFETY: the caller's promise.
        unsafe { simd.store(row.as_mut_ptr().add(column + vector * S::LANES), values[vector]) };
    }
}

/// Index of a square's first channel in its board.
#[inline(always)]
fn place(rank: usize, file: usize, width: usize) -> usize {
    (rank * RANK + file) * width
}

#[cfg(test)]
mod tests;
