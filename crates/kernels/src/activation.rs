//! Activation functions, and the exponential they are computed from.

use serde::{Deserialize, Serialize};

use crate::simd::Simd;

/// A function applied to every output of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// `x`, of a layer without activation: not in a network's description.
    #[serde(skip)]
    Identity,
    /// `max(x, 0)`; by far the cheapest.
    Relu,
    /// `x tanh(ln(1 + e^x))` (Misra 2019, arXiv:1908.08681).
    Mish,
    /// `x / (1 + e^-x)` (Ramachandran et al. 2017, arXiv:1710.05941), also called `SiLU`.
    Swish,
    /// `x` where positive, `x / 100` elsewhere (Maas et al. 2013).
    LeakyRelu,
    /// The hyperbolic tangent.
    Tanh,
    /// `max(x, 0)^2` (So et al. 2021, arXiv:2109.08668): that of lc0's networks of 2024.
    ReluSquared,
    /// `1.0507 x` where positive, `1.7581 (e^x - 1)` elsewhere (Klambauer et al. 2017, arXiv:1706.02515).
    Selu,
    /// `x Phi(x)` (Hendrycks & Gimpel 2016, arXiv:1606.08415), by their approximation with a tanh.
    Gelu,
}

/// Scale of [`Activation::Selu`], and the slope of its negative part before it.
pub const SELU: [f32; 2] = [1.050_701, 1.673_263_2];

/// Twice the square root of 2 / pi, and the factor of the cubic term, of [`Activation::Gelu`].
pub const GELU: [f32; 2] = [1.595_769, 0.044_715];

/// Slope of [`Activation::LeakyRelu`] for negative inputs: PyTorch's default.
pub const LEAK: f32 = 0.01;

impl Activation {
    /// The minimum of the function: the minimum of Mish is -0.3088, of Swish -0.2785.
    pub(crate) fn least(self) -> f32 {
        match self {
            Self::Identity | Self::LeakyRelu => f32::NEG_INFINITY,
            Self::Relu | Self::ReluSquared => 0.0,
            Self::Selu => -1.7582,
            Self::Gelu => -0.171,
            Self::Mish => -0.309,
            Self::Swish => -0.279,
            Self::Tanh => -1.0,
        }
    }

    /// Applies the function to a vector.
    #[inline(always)]
    pub(crate) fn apply<S: Simd>(self, simd: S, x: S::Floats) -> S::Floats {
        match self {
            Self::Identity => x,
            Self::Relu => simd.max(x, simd.splat(0.0)),
            Self::Mish => mish(simd, x),
            Self::Swish => simd.mul(x, sigmoid(simd, x)),
            Self::LeakyRelu => simd.max(x, simd.mul(x, simd.splat(LEAK))),
            Self::Tanh => tanh(simd, x),
            Self::ReluSquared => {
                let positive = simd.max(x, simd.splat(0.0));
                simd.mul(positive, positive)
            }
            Self::Selu => {
                let [scale, slope] = [SELU[0], SELU[0] * SELU[1]].map(|number| simd.splat(number));
                let zero = simd.splat(0.0);
                let negative = simd.sub(exp(simd, simd.min(x, zero)), simd.splat(1.0));
                simd.fma(simd.max(x, zero), scale, simd.mul(negative, slope))
            }
            Self::Gelu => simd.mul(x, sigmoid(simd, gelu_inner(simd, x))),
        }
    }
}

/// `GELU[0] (x + GELU[1] x^3)`.
#[inline(always)]
fn gelu_inner<S: Simd>(simd: S, x: S::Floats) -> S::Floats {
    let [scale, cubic] = GELU.map(|number| simd.splat(number));
    let bent = simd.fma(simd.mul(x, x), simd.mul(cubic, x), x);
    simd.mul(scale, bent)
}

impl Activation {
    /// The gradient with respect to the input, given the input and the gradient of the output. The derivative of ReLU
    /// at 0 is 0.
    #[inline(always)]
    pub(crate) fn gradient<S: Simd>(self, simd: S, x: S::Floats, upstream: S::Floats) -> S::Floats {
        let one = simd.splat(1.0);
        match self {
            Self::Identity => upstream,
            Self::Relu => simd.where_positive(x, upstream),
            Self::LeakyRelu => {
                let positive = simd.where_positive(x, upstream);
                simd.fma(simd.splat(LEAK), simd.sub(upstream, positive), positive)
            }
            // 1 - tanh(x)^2.
            Self::Tanh => {
                let t = tanh(simd, x);
                simd.mul(upstream, simd.fnma(t, t, one))
            }
            Self::ReluSquared => {
                let positive = simd.max(x, simd.splat(0.0));
                simd.mul(upstream, simd.add(positive, positive))
            }
            Self::Selu => {
                let [scale, slope] = [SELU[0], SELU[0] * SELU[1]].map(|number| simd.splat(number));
                let positive = simd.where_positive(x, upstream);
                let rest = simd.mul(simd.sub(upstream, positive), exp(simd, simd.min(x, simd.splat(0.0))));
                simd.fma(rest, slope, simd.mul(positive, scale))
            }
            // s + x s (1 - s) u' with s = sigmoid(u), u = 2 sqrt(2 / pi) (x + 0.044715 x^3).
            Self::Gelu => {
                let s = sigmoid(simd, gelu_inner(simd, x));
                let [scale, cubic] = [GELU[0], 3.0 * GELU[0] * GELU[1]].map(|number| simd.splat(number));
                let inner = simd.fma(simd.mul(x, x), cubic, scale);
                let slope = simd.mul(simd.mul(x, s), simd.mul(simd.sub(one, s), inner));
                simd.mul(upstream, simd.add(slope, s))
            }
            // s + x s (1 - s) with s = sigmoid(x).
            Self::Swish => {
                let s = sigmoid(simd, x);
                simd.mul(upstream, simd.fma(simd.mul(x, s), simd.sub(one, s), s))
            }
            // t + x (1 - t^2) sigmoid(x) with t = tanh(ln(1 + e^x)).
            Self::Mish => {
                let t = mish_gate(simd, x);
                let slope = simd.mul(simd.fnma(t, t, one), sigmoid(simd, x));
                simd.mul(upstream, simd.fma(x, slope, t))
            }
        }
    }
}

/// `1 / (1 + e^-x)`.
#[inline(always)]
pub(crate) fn sigmoid<S: Simd>(simd: S, x: S::Floats) -> S::Floats {
    let one = simd.splat(1.0);
    simd.div(one, simd.add(one, exp(simd, simd.sub(simd.splat(0.0), x))))
}

/// `1 - 2 / (1 + e^2x)`.
#[inline(always)]
fn tanh<S: Simd>(simd: S, x: S::Floats) -> S::Floats {
    let sigmoid = sigmoid(simd, simd.add(x, x));
    simd.sub(simd.add(sigmoid, sigmoid), simd.splat(1.0))
}

/// tanh(ln(1 + e^x)) = n / (n + 2) with n = e^x (e^x + 2). From x = 20 on, it rounds to 1 in 32 bits.
#[inline(always)]
fn mish_gate<S: Simd>(simd: S, x: S::Floats) -> S::Floats {
    let two = simd.splat(2.0);
    let power = exp(simd, simd.min(x, simd.splat(20.0)));
    let n = simd.mul(power, simd.add(power, two));
    simd.div(n, simd.add(n, two))
}

#[inline(always)]
fn mish<S: Simd>(simd: S, x: S::Floats) -> S::Floats {
    simd.mul(x, mish_gate(simd, x))
}

/// `e^x` with a relative error below 2e-7. Inputs are clamped to the range where the result is a normal number. The
/// result is a polynomial in r (coefficients of Cephes' `expf`, Moshier 1989) times 2^k, where x = k ln 2 + r.
#[inline(always)]
pub(crate) fn exp<S: Simd>(simd: S, x: S::Floats) -> S::Floats {
    let x = simd.max(simd.min(x, simd.splat(88.0)), simd.splat(-87.0));
    let k = simd.round(simd.mul(x, simd.splat(std::f32::consts::LOG2_E)));
    // ln 2 in two parts, so that the subtraction is exact.
    let r = simd.fnma(k, simd.splat(0.693_359_4), x);
    let r = simd.fnma(k, simd.splat(-2.121_944_4e-4), r);
    let mut polynomial = simd.splat(1.987_569_1e-4);
    for coefficient in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        polynomial = simd.fma(polynomial, r, simd.splat(coefficient));
    }
    let polynomial = simd.fma(simd.mul(r, r), polynomial, simd.add(r, simd.splat(1.0)));
    simd.mul(polynomial, simd.pow2(k))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;

    fn applied(activation: Activation, x: f32) -> f32 {
        activation.apply(Portable, Portable.splat(x))[0]
    }

    /// Reference values from PyTorch 2's `mish` and `silu`.
    #[test]
    fn known_values() {
        for (activation, x, expected) in [
            (Activation::Relu, -2.0, 0.0),
            (Activation::Identity, -2.0, -2.0),
            (Activation::Mish, 1.0, 0.865_098_4),
            (Activation::Mish, -1.0, -0.303_401_46),
            (Activation::Mish, 200.0, 200.0),
            (Activation::Mish, -200.0, 0.0),
            (Activation::Swish, 1.0, 0.731_058_6),
            (Activation::Swish, -200.0, 0.0),
            (Activation::LeakyRelu, -2.0, -0.02),
            (Activation::LeakyRelu, 3.0, 3.0),
            (Activation::Tanh, 0.5, 0.462_117_16),
            (Activation::Tanh, -200.0, -1.0),
            (Activation::ReluSquared, 3.0, 9.0),
            (Activation::ReluSquared, -3.0, 0.0),
            (Activation::Selu, 2.0, 2.101_402),
            (Activation::Selu, -1.0, -1.111_330_7),
            (Activation::Gelu, 1.0, 0.841_192),
            (Activation::Gelu, -1.0, -0.158_808),
        ] {
            let found = applied(activation, x);
            assert!((found - expected).abs() <= 1e-6, "{activation:?}({x}) = {found}, expected {expected}");
        }
    }

    #[test]
    fn the_exponential_is_exact_to_two_units_in_the_last_place() {
        for step in -8700..8800 {
            let x = step as f32 / 100.0;
            let (found, expected) = (exp(Portable, Portable.splat(x))[0], f64::from(x).exp());
            assert!((f64::from(found) / expected - 1.0).abs() < 3e-7, "e^{x} = {found}, expected {expected}");
        }
    }

    #[test]
    fn the_least_values_are_bounds() {
        for activation in [
            Activation::Relu,
            Activation::Mish,
            Activation::Swish,
            Activation::ReluSquared,
            Activation::Selu,
            Activation::Gelu,
        ] {
            for step in -1000..1000 {
                assert!(applied(activation, step as f32 / 100.0) >= activation.least(), "{activation:?}");
            }
        }
    }
}
