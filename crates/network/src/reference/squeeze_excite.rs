//! Squeeze-excite (Hu et al. 2018, arXiv:1709.01507), with lc0's optional bias.

use super::{
    activation::{Activation, sigmoid},
    dense::Dense,
    features::{Features, SQUARES},
    shape::{ShapeError, expect_equal},
};

/// Scales each channel by a function of the whole board: mean over the board, dense, activation, dense, sigmoid.
///
/// Where the second layer has twice as many outputs as there are channels, the second half (without sigmoid) is added to
/// the scaled channels: lc0's form (`src/neural/blas/se_unit.cc`).
#[derive(Clone, Debug, PartialEq)]
pub struct SqueezeExcite {
    squeeze: Dense,
    excite: Dense,
    activation: Activation,
}

impl SqueezeExcite {
    /// A unit from its two dense layers.
    ///
    /// # Errors
    /// [`ShapeError`] unless the layers fit each other and put out one or two numbers for each channel.
    pub fn new(squeeze: Dense, excite: Dense, activation: Activation) -> Result<Self, ShapeError> {
        expect_equal("squeeze-excite inner size", excite.inputs(), squeeze.outputs())?;
        let channels = squeeze.inputs();
        if excite.outputs() != channels && excite.outputs() != 2 * channels {
            return Err(ShapeError {
                part: "squeeze-excite outputs".into(),
                found: excite.outputs(),
                expected: format!("{channels} (scale) or {} (scale and bias)", 2 * channels),
            });
        }
        Ok(Self { squeeze, excite, activation })
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.squeeze.inputs()
    }

    /// From the channels' means to the hidden layer.
    pub fn squeeze(&self) -> &Dense {
        &self.squeeze
    }

    /// From the hidden layer to one or two numbers for each channel.
    pub fn excite(&self) -> &Dense {
        &self.excite
    }

    /// The activation of the hidden layer.
    pub fn activation(&self) -> Activation {
        self.activation
    }

    /// # Shapes
    /// `[64][channels]` in place.
    pub(super) fn apply(&self, board: &mut Features) {
        let mut squeezed = self.squeeze.forward(&board.mean()); // [channels] -> [inner]
        self.activation.apply(&mut squeezed);
        let mut scale = self.excite.forward(&squeezed); // [inner] -> [channels] or [2 * channels]
        let mut bias = scale.split_off(board.channels);
        bias.resize(board.channels, 0.0);
        for value in &mut scale {
            *value = sigmoid(*value);
        }
        for square in 0..SQUARES {
            let channels = &mut board.values[square * board.channels..][..board.channels];
            for (channel, value) in channels.iter_mut().enumerate() {
                *value = *value * scale[channel] + bias[channel];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(inputs: usize, bias: Vec<f32>) -> Dense {
        Dense::new(&vec![0.0; inputs * bias.len()], bias).unwrap()
    }

    #[test]
    fn scales_by_sigmoid_and_adds_the_second_half() {
        let squeeze = Dense::new(&[1.0, 1.0], vec![0.0]).unwrap();
        let mut board = Features { channels: 2, values: [1.0, -3.0].repeat(64) };
        let unit =
            SqueezeExcite::new(squeeze.clone(), constant(1, vec![0.0, 0.0]), Activation::Relu).unwrap();
        unit.apply(&mut board);
        assert_eq!(board.values, [0.5, -1.5].repeat(64));
        let both = constant(1, vec![0.0, 0.0, 1.0, 2.0]);
        SqueezeExcite::new(squeeze, both, Activation::Relu).unwrap().apply(&mut board);
        assert_eq!(board.values, [1.25, 1.25].repeat(64));
    }

    #[test]
    fn the_squeezed_mean_decides() {
        let squeeze = Dense::new(&[1.0], vec![0.0]).unwrap();
        let excite = Dense::new(&[2.0], vec![0.0]).unwrap();
        let mut board =
            Features { channels: 1, values: (0..64).map(|square| square as f32 / 31.5).collect() };
        let mean_one = board.values[63] * sigmoid(2.0);
        SqueezeExcite::new(squeeze, excite, Activation::Relu).unwrap().apply(&mut board);
        assert!((board.values[63] - mean_one).abs() < 1e-5);
    }

    #[test]
    fn three_numbers_a_channel_are_refused() {
        assert!(
            SqueezeExcite::new(constant(2, vec![0.0]), constant(1, vec![0.0; 6]), Activation::Relu).is_err()
        );
    }
}
