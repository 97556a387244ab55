//! From the tower's channels to policy, value and moves left.

use chess::Wdl;

use super::{
    activation::{Activation, softmax},
    convolution::Convolution,
    dense::Dense,
    features::{Features, SQUARES},
    shape::{ShapeError, expect_equal},
};

/// One number for each index of the move encoding, before softmax.
#[derive(Clone, Debug, PartialEq)]
pub enum PolicyHead {
    /// Two convolutions; every move is one square of one output plane.
    Convolutional {
        /// First convolution, followed by the activation.
        first: Convolution,
        /// The activation.
        activation: Activation,
        /// Second convolution.
        second: Convolution,
        /// For each move index, `plane * 64 + square` in the second convolution's output.
        gather: Vec<usize>,
    },
    /// A convolution, then a dense layer.
    Dense {
        /// The convolution, followed by the activation.
        convolution: Convolution,
        /// The activation.
        activation: Activation,
        /// From all planes and squares to all moves.
        dense: Dense,
    },
}

impl PolicyHead {
    /// Checks that the head takes `channels` and puts out `moves` numbers.
    pub(super) fn check(&self, channels: usize, moves: usize) -> Result<(), ShapeError> {
        match self {
            Self::Convolutional { first, second, gather, .. } => {
                expect_equal("policy head's inputs", first.inputs(), channels)?;
                expect_equal("policy head's second convolution's inputs", second.inputs(), first.outputs())?;
                expect_equal("policy head's moves", gather.len(), moves)?;
                let planes = gather.iter().max().map_or(0, |last| last / SQUARES + 1);
                if second.outputs() < planes {
                    return Err(ShapeError {
                        part: "policy head's planes".into(),
                        found: second.outputs(),
                        expected: format!("at least {planes}"),
                    });
                }
                Ok(())
            }
            Self::Dense { convolution, dense, .. } => {
                expect_equal("policy head's inputs", convolution.inputs(), channels)?;
                expect_equal("policy head's dense inputs", dense.inputs(), convolution.outputs() * SQUARES)?;
                expect_equal("policy head's moves", dense.outputs(), moves)
            }
        }
    }

    /// # Shapes
    /// `[64][channels]` to `[moves]`.
    pub(super) fn forward(&self, board: &Features) -> Vec<f32> {
        match self {
            Self::Convolutional { first, activation, second, gather } => {
                let mut inner = first.forward(board);
                activation.apply(&mut inner.values);
                let planes = second.forward(&inner); // [64][planes]
                gather.iter().map(|at| planes.square(at % SQUARES)[at / SQUARES]).collect()
            }
            Self::Dense { convolution, activation, dense } => {
                let mut planes = convolution.forward(board);
                activation.apply(&mut planes.values);
                dense.forward(&planes.flattened()) // [planes * 64] -> [moves]
            }
        }
    }
}

/// A convolution and two dense layers: the shape of value and moves-left heads.
#[derive(Clone, Debug, PartialEq)]
pub struct PooledHead {
    /// The convolution, followed by the activation.
    pub convolution: Convolution,
    /// From all planes and squares to the hidden layer, followed by the activation.
    pub hidden: Dense,
    /// The activation.
    pub activation: Activation,
    /// From the hidden layer to the outputs.
    pub output: Dense,
}

impl PooledHead {
    /// Checks that the head takes `channels`, and its own layers.
    pub(super) fn check(&self, name: &str, channels: usize) -> Result<(), ShapeError> {
        expect_equal(&format!("{name} head's inputs"), self.convolution.inputs(), channels)?;
        let flattened = self.convolution.outputs() * SQUARES;
        expect_equal(&format!("{name} head's hidden inputs"), self.hidden.inputs(), flattened)?;
        expect_equal(&format!("{name} head's output inputs"), self.output.inputs(), self.hidden.outputs())
    }

    /// # Shapes
    /// `[64][channels]` to `[outputs]`.
    pub(super) fn forward(&self, board: &Features) -> Vec<f32> {
        let mut planes = self.convolution.forward(board);
        self.activation.apply(&mut planes.values);
        let mut hidden = self.hidden.forward(&planes.flattened()); // [planes * 64] -> [hidden]
        self.activation.apply(&mut hidden);
        self.output.forward(&hidden) // [hidden] -> [outputs]
    }
}

/// Win, draw and loss from a value head's outputs: softmax of three numbers, or the hyperbolic tangent of one, which
/// leaves no room for draws.
///
/// # Shapes
/// `[3]` or `[1]`; [`crate::reference::ReferenceNetwork::new`] has checked that.
pub(super) fn wdl(mut outputs: Vec<f32>) -> Wdl {
    if let [scalar] = outputs[..] {
        let value = scalar.tanh();
        return Wdl { win: f32::midpoint(1.0, value), draw: 0.0, loss: f32::midpoint(1.0, -value) };
    }
    softmax(&mut outputs);
    Wdl { win: outputs[0], draw: outputs[1], loss: outputs[2] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scalar_is_win_minus_loss() {
        let even = wdl(vec![0.0]);
        assert_eq!(even, Wdl { win: 0.5, draw: 0.0, loss: 0.5 });
        let winning = wdl(vec![0.8]);
        assert!((winning.value() - 0.8_f32.tanh()).abs() < 1e-6);
        assert!((winning.win + winning.loss - 1.0).abs() < 1e-6);
    }

    #[test]
    fn three_outputs_are_win_draw_loss() {
        let wdl = wdl(vec![4.0_f32.ln(), 3.0_f32.ln(), 1.0_f32.ln()]);
        assert!((wdl.win - 0.5).abs() < 1e-6);
        assert!((wdl.draw - 0.375).abs() < 1e-6);
    }
}
