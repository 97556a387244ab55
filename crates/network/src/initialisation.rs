//! Initial parameters of a network.

use rand::{RngExt as _, SeedableRng as _};
use rand_distr::{Distribution as _, Normal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    NetworkError,
    architecture::Architecture,
    parameter::{Gain, Role},
    passes::Parameters,
};

/// Standard deviation of the weights of a head's last layer relative to other layers. Outputs start close to even, so the first
/// steps do not have to undo random outputs. Chosen, not tuned.
pub(crate) const ANSWER_SCALE: f32 = 0.1;

impl Architecture {
    /// Random parameters: He initialisation for weights, ones for scales, zeros for biases. The tables of sparse networks are
    /// uniform, and biases of sums that are clipped at zero start above zero.
    ///
    /// # Errors
    /// [`NetworkError::Pass`] if a standard deviation is not finite, which no valid specification is known to
    /// cause.
    pub fn initial_parameters(&self, seed: u64) -> Result<Parameters, NetworkError> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        self.parameters()
            .iter()
            .map(|shape| {
                let count = shape.rows * shape.columns;
                Ok(match shape.role {
                    Role::Scale | Role::Factor => vec![1.0; count],
                    Role::Bias => vec![0.0; count],
                    Role::Raised(start) => vec![start; count],
                    Role::Uniform(reach) | Role::Table(reach) => {
                        (0..count).map(|_| reach * random.random_range(-1.0..1.0_f32)).collect()
                    }
                    Role::Weight { gain } => {
                        let factor = if gain == Gain::Output { ANSWER_SCALE } else { 1.0 };
                        let deviation = factor * (2.0 / shape.rows as f32).sqrt();
                        let normal = Normal::new(0.0_f32, deviation)
                            .map_err(|error| NetworkError::Pass(format!("initial weights: {error}")))?;
                        (0..count).map(|_| normal.sample(&mut random)).collect()
                    }
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic;

    #[test]
    fn the_seed_decides_the_initial_weights() {
        let architecture = Architecture::new(&synthetic::tiny_spec()).unwrap();
        let weights = |seed: u64| architecture.initial_parameters(seed).unwrap();
        assert_eq!(weights(1), weights(1));
        assert_ne!(weights(1), weights(2));
    }
}
