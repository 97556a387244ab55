//! What follows a layer.

/// A function applied to every number a layer puts out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// Nothing: the numbers of an output layer.
    Identity,
    /// `max(x, 0)`.
    Relu,
    /// `x * tanh(ln(1 + exp(x)))` (Misra 2019, arXiv:1908.08681).
    Mish,
    /// `x / (1 + exp(-x))` (Ramachandran et al. 2017, arXiv:1710.05941), also called SiLU.
    Swish,
}

impl Activation {
    /// Applies the function in place.
    pub fn apply(self, values: &mut [f32]) {
        let function = match self {
            Self::Identity => return,
            Self::Relu => |x: f32| x.max(0.0),
            Self::Mish => |x: f32| x * x.exp().ln_1p().tanh(),
            Self::Swish => |x: f32| x * sigmoid(x),
        };
        for value in values {
            *value = function(*value);
        }
    }
}

/// `1 / (1 + exp(-x))`.
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// `exp(x_i) / sum exp(x_j)` in place, safe for large inputs.
pub(super) fn softmax(values: &mut [f32]) {
    let greatest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for value in values.iter_mut() {
        *value = (*value - greatest).exp();
    }
    let sum: f32 = values.iter().sum();
    for value in values {
        *value /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(activation: Activation, x: f32) -> f32 {
        let mut values = [x];
        activation.apply(&mut values);
        values[0]
    }

    /// Values of PyTorch 2's `mish` and `silu`.
    #[test]
    fn known_values() {
        assert_eq!(applied(Activation::Relu, -2.0), 0.0);
        assert_eq!(applied(Activation::Identity, -2.0), -2.0);
        assert!((applied(Activation::Mish, 1.0) - 0.865_098_4).abs() < 1e-6);
        assert!((applied(Activation::Mish, -1.0) + 0.303_401_46).abs() < 1e-6);
        assert!((applied(Activation::Swish, 1.0) - 0.731_058_6).abs() < 1e-6);
        assert_eq!(applied(Activation::Mish, 200.0), 200.0);
        assert_eq!(applied(Activation::Swish, -200.0), 0.0);
    }

    #[test]
    fn softmax_survives_large_inputs() {
        let mut values = [1000.0, 1000.0, -1000.0];
        softmax(&mut values);
        assert_eq!(values, [0.5, 0.5, 0.0]);
    }
}
