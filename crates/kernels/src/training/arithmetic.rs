//! The kernels of training behind one object, so that layers need not know the instruction set.

use super::{
    gating::{AddBias, BiasGradient, GateGradient, GatedFinish, Pool, ValueGradient},
    gradient::WeightGradient,
    normalise::{Finish, Gate, Moments, Unnormalise},
};
use crate::{
    product::{Matrix, Packed, Product},
    simd::Lanes,
};

/// Lists the kernels once: a method of [`Arithmetic`] for each.
macro_rules! arithmetic {
    ($($name:ident($kernel:ident)),+ $(,)?) => {
        /// What one instruction set computes.
        pub(crate) trait Arithmetic: Send + Sync {
            /// Packs the right side of a product.
            fn pack(&self, matrix: &Matrix<'_>) -> Packed<f32>;
            /// A matrix product.
            fn product(&self, product: Product<'_, f32>);
            $(
                /// See the kernel.
                fn $name(&self, kernel: $kernel<'_>);
            )+
        }

        impl<S: Lanes<f32>> Arithmetic for Instructions<S> {
            fn pack(&self, matrix: &Matrix<'_>) -> Packed<f32> {
                Packed::new::<S>(matrix, matrix.inputs)
            }

            fn product(&self, product: Product<'_, f32>) {
                self.0.run(product);
            }

            $(
                fn $name(&self, kernel: $kernel<'_>) {
                    self.0.run(kernel);
                }
            )+
        }
    };
}

/// An instruction set, by its token.
pub(crate) struct Instructions<S>(pub(crate) S);

arithmetic!(
    weight_gradient(WeightGradient),
    moments(Moments),
    finish(Finish),
    gate(Gate),
    unnormalise(Unnormalise),
    pool(Pool),
    gated_finish(GatedFinish),
    gate_gradient(GateGradient),
    value_gradient(ValueGradient),
    add_bias(AddBias),
    bias_gradient(BiasGradient),
);
