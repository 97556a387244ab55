//! The kernels of training behind one object, so that layers need not know the instruction set.

use std::sync::Arc;

use super::{
    convolution::{Convolutions, FilterGradient, Filters, Learning},
    gating::{AddBias, BiasGradient, GateGradient, GatedFinish, Pool, ValueGradient},
    gradient::WeightGradient,
    normalise::{Finish, Gate, Moments, Unnormalise},
};
use crate::{
    product::{Matrix, Packed, Product},
    simd::Simd,
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
            /// Packs the weights of a convolution.
            fn filters(&self, matrix: &Matrix<'_>) -> Box<dyn Filters>;
            /// Adds the gradient of a convolution's weights.
            fn filter_gradient(&self, request: FilterGradient<'_>);
            /// A sum of outer products.
            fn weight_gradient(&self, kernel: WeightGradient<'_, f32>);
            $(
                /// See the kernel.
                fn $name(&self, kernel: $kernel<'_>);
            )+
        }

        impl<G: Learning> Arithmetic for Instructions<G> {
            fn pack(&self, matrix: &Matrix<'_>) -> Packed<f32> {
                Packed::new::<G::Simd>(matrix, matrix.inputs)
            }

            fn product(&self, product: Product<'_, f32>) {
                self.0.engine.simd().run(product);
            }

            fn filters(&self, matrix: &Matrix<'_>) -> Box<dyn Filters> {
                self.0.filters(matrix)
            }

            fn filter_gradient(&self, request: FilterGradient<'_>) {
                self.0.filter_gradient(request);
            }

            fn weight_gradient(&self, kernel: WeightGradient<'_, f32>) {
                self.0.engine.simd().run(kernel);
            }

            $(
                fn $name(&self, kernel: $kernel<'_>) {
                    self.0.engine.simd().run(kernel);
                }
            )+
        }
    };
}

/// An engine for the convolutions, and its instruction set for everything else.
pub(crate) struct Instructions<G: Learning>(Arc<Convolutions<G>>);

impl<G: Learning> Instructions<G> {
    pub(crate) fn new(engine: G) -> Self {
        Self(Arc::new(Convolutions::new(engine)))
    }
}

arithmetic!(
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
