//! The layers of a network in training, and the order of its parameters.

use crate::{Activation, KernelError, Operations, layout::SQUARES};

/// The kernel size of a convolution; backends have an algorithm for each of the two sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelSize {
    /// A square and its neighbours.
    ThreeByThree,
    /// Each square by itself.
    OneByOne,
}

impl KernelSize {
    /// Number of rows, and of columns, in the kernel.
    pub fn side(self) -> usize {
        match self {
            Self::ThreeByThree => 3,
            Self::OneByOne => 1,
        }
    }

    /// Number of squares that a layer reads for each square it writes.
    pub fn taps(self) -> usize {
        self.side() * self.side()
    }
}

/// A policy head: from the tower to one logit for each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants say what their layers are")]
pub enum PolicyShape {
    /// Two convolutions with the same kernel size; the output is `[64 squares][planes]`.
    Planes {
        kernel_size: KernelSize,
        /// Number of channels between the two convolutions.
        channels: usize,
        planes: usize,
    },
    /// A 1x1 convolution and a dense layer.
    Dense { channels: usize, outputs: usize },
}

/// A 1x1 convolution and two dense layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct PooledShape {
    pub channels: usize,
    /// Number of units in the hidden layer.
    pub hidden: usize,
    /// Number of outputs, before softmax or tanh.
    pub outputs: usize,
}

/// The layers of a residual network. Every convolution except the last of the policy head is followed by batch
/// normalisation and the activation; in a block, the activation follows the skip connection.
///
/// # Parameters
/// Matrices of 32-bit floats, a convolution's weights as `[taps][inputs][outputs]` with tap
/// `(rank step + 1) * 3 + file step + 1`, in this order:
/// 1. stem: weights, scale, shift;
/// 2. for each block: first convolution (weights, scale, shift), second convolution (the same three), then with squeeze-excite
///    squeeze (weights, bias) and excite (weights, bias; scales before shifts);
/// 3. policy: first convolution (weights, scale, shift), last layer (weights, bias);
/// 4. value: convolution (weights, scale, shift), hidden layer (weights, bias), last layer (weights, bias);
/// 5. moves left: as for value.
///
/// Dense layers after a convolution number their inputs `square * channels + channel`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct TrainingShape {
    pub planes: usize,
    pub channels: usize,
    /// Used after every normalisation, and in squeeze-excite units and the value head.
    pub activation: Activation,
    pub stem: KernelSize,
    /// Number of units between squeeze and excite for each block; `None` for a block without squeeze-excite.
    pub blocks: Vec<Option<usize>>,
    pub policy: PolicyShape,
    pub value: PooledShape,
    /// The moves-left head, which has parameters but is not trained.
    pub moves_left: Option<PooledShape>,
}

/// Rows and columns of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ParameterSize {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl TrainingShape {
    /// Rows and columns of every parameter, in order.
    pub(crate) fn parameters(&self) -> Vec<ParameterSize> {
        let mut sizes = Vec::new();
        let mut push = |rows, columns| sizes.push(ParameterSize { rows, columns });
        let channels = self.channels;
        let normalised = |push: &mut dyn FnMut(usize, usize), rows, columns| {
            push(rows, columns);
            push(1, columns);
            push(1, columns);
        };
        let biased = |push: &mut dyn FnMut(usize, usize), rows, columns| {
            push(rows, columns);
            push(1, columns);
        };
        normalised(&mut push, self.stem.taps() * self.planes, channels);
        for excite in &self.blocks {
            normalised(&mut push, 9 * channels, channels);
            normalised(&mut push, 9 * channels, channels);
            if let Some(hidden) = *excite {
                biased(&mut push, channels, hidden);
                biased(&mut push, hidden, 2 * channels);
            }
        }
        match self.policy {
            PolicyShape::Planes { kernel_size, channels: narrow, planes } => {
                normalised(&mut push, kernel_size.taps() * channels, narrow);
                biased(&mut push, kernel_size.taps() * narrow, planes);
            }
            PolicyShape::Dense { channels: narrow, outputs } => {
                normalised(&mut push, channels, narrow);
                biased(&mut push, narrow * SQUARES, outputs);
            }
        }
        for head in [Some(self.value), self.moves_left].into_iter().flatten() {
            let PooledShape { channels: narrow, hidden, outputs } = head;
            normalised(&mut push, channels, narrow);
            biased(&mut push, narrow * SQUARES, hidden);
            biased(&mut push, hidden, outputs);
        }
        sizes
    }

    /// Number of elements in every parameter, in order.
    pub fn parameter_lengths(&self) -> Vec<usize> {
        self.parameters().iter().map(|size| size.rows * size.columns).collect()
    }

    /// Multiply-adds in GEMMs for one position, forward and backward. With `winograd`, fewer are executed for 3x3
    /// convolutions: 36 multiplications where the definition has 144.
    pub(crate) fn operations(&self, winograd: bool) -> Operations {
        let channels = self.channels;
        let convolution = |kernel_size: KernelSize, inputs: usize, outputs: usize| {
            (kernel_size, SQUARES * inputs * outputs)
        };
        let dense = |inputs: usize, outputs: usize| (KernelSize::OneByOne, inputs * outputs);
        let mut layers = Vec::new();
        for excite in &self.blocks {
            layers.extend([convolution(KernelSize::ThreeByThree, channels, channels); 2]);
            layers.extend(
                excite.iter().flat_map(|&hidden| [dense(channels, hidden), dense(hidden, 2 * channels)]),
            );
        }
        match self.policy {
            PolicyShape::Planes { kernel_size, channels: narrow, planes } => {
                layers.extend([
                    convolution(kernel_size, channels, narrow),
                    convolution(kernel_size, narrow, planes),
                ]);
            }
            PolicyShape::Dense { channels: narrow, outputs } => {
                layers.extend([
                    convolution(KernelSize::OneByOne, channels, narrow),
                    dense(SQUARES * narrow, outputs),
                ]);
            }
        }
        let pooled = |PooledShape { channels: narrow, hidden, outputs }| {
            [
                convolution(KernelSize::OneByOne, channels, narrow),
                dense(SQUARES * narrow, hidden),
                dense(hidden, outputs),
            ]
        };
        layers.extend(pooled(self.value));
        // Forward, gradient of the input, gradient of the weights; the stem's input has no gradient, and the moves-left
        // head is not trained.
        let mut passes: Vec<_> = layers.into_iter().map(|layer| (3, layer)).collect();
        passes.push((2, convolution(self.stem, self.planes, channels)));
        passes.extend(self.moves_left.into_iter().flat_map(pooled).map(|layer| (1, layer)));
        let count = |fewer: usize| -> u64 {
            let products = |&(passes, (kernel_size, size)): &(usize, (KernelSize, usize))| {
                let of_board = if kernel_size == KernelSize::ThreeByThree { fewer } else { 1 };
                (passes * size * kernel_size.taps() / of_board) as u64
            };
            passes.iter().map(products).sum()
        };
        Operations { nominal: count(1), executed: count(if winograd { 4 } else { 1 }) }
    }

    /// Length of the policy head's output for one board.
    pub fn policy_width(&self) -> usize {
        match self.policy {
            PolicyShape::Planes { planes, .. } => SQUARES * planes,
            PolicyShape::Dense { outputs, .. } => outputs,
        }
    }

    /// Checks parameters against the shape.
    ///
    /// # Errors
    /// [`KernelError::Shape`] with the first one that does not fit.
    pub(crate) fn check(&self, parameters: &[Vec<f32>]) -> Result<(), KernelError> {
        let sizes = self.parameters();
        if sizes.len() != parameters.len() {
            let part = "parameters".into();
            return Err(KernelError::Shape { part, found: parameters.len(), expected: sizes.len() });
        }
        for (number, (size, values)) in sizes.iter().zip(parameters).enumerate() {
            if values.len() != size.rows * size.columns {
                let part = format!("parameter {number}");
                return Err(KernelError::Shape {
                    part,
                    found: values.len(),
                    expected: size.rows * size.columns,
                });
            }
        }
        Ok(())
    }
}
