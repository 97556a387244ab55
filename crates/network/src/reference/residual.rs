//! One block of the tower.

use super::{
    activation::Activation,
    convolution::Convolution,
    features::Features,
    shape::{ShapeError, expect_equal},
    squeeze_excite::SqueezeExcite,
};

/// Two convolutions around which the input is carried past and added (He et al. 2016, arXiv:1512.03385), with
/// squeeze-excite before the addition.
#[derive(Clone, Debug, PartialEq)]
pub struct ResidualBlock {
    first: Convolution,
    second: Convolution,
    squeeze_excite: Option<SqueezeExcite>,
    activation: Activation,
}

impl ResidualBlock {
    /// A block from its layers; `activation` follows the first convolution and the addition.
    ///
    /// # Errors
    /// [`ShapeError`] unless all layers work on the same number of channels.
    pub fn new(
        first: Convolution,
        second: Convolution,
        squeeze_excite: Option<SqueezeExcite>,
        activation: Activation,
    ) -> Result<Self, ShapeError> {
        expect_equal("second convolution's inputs", second.inputs(), first.outputs())?;
        expect_equal("second convolution's outputs", second.outputs(), first.inputs())?;
        if let Some(unit) = &squeeze_excite {
            expect_equal("squeeze-excite channels", unit.channels(), second.outputs())?;
        }
        Ok(Self { first, second, squeeze_excite, activation })
    }

    /// Number of channels in and out.
    pub fn channels(&self) -> usize {
        self.first.inputs()
    }

    /// The first convolution, followed by the activation.
    pub fn first(&self) -> &Convolution {
        &self.first
    }

    /// The second convolution.
    pub fn second(&self) -> &Convolution {
        &self.second
    }

    /// The unit between the second convolution and the addition.
    pub fn squeeze_excite(&self) -> Option<&SqueezeExcite> {
        self.squeeze_excite.as_ref()
    }

    /// The activation after the first convolution and after the addition.
    pub fn activation(&self) -> Activation {
        self.activation
    }

    /// # Shapes
    /// `[64][channels]` to `[64][channels]`.
    pub(super) fn forward(&self, board: &Features) -> Features {
        let mut inner = self.first.forward(board);
        self.activation.apply(&mut inner.values);
        let mut outer = self.second.forward(&inner);
        if let Some(unit) = &self.squeeze_excite {
            unit.apply(&mut outer);
        }
        outer.values.iter_mut().zip(&board.values).for_each(|(sum, skipped)| *sum += skipped);
        self.activation.apply(&mut outer.values);
        outer
    }
}
