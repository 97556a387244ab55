//! A network of planes for programs that build it out of their own layers: what each step computes, from which steps, with which
//! matrices of the weights file.

use serde::Serialize;

use crate::{
    architecture::PlaneArchitecture,
    layers::{Activation, Pooling},
    parameter::EPSILON,
};

/// The operator of a step. A board is `[channels, ranks, files]`; numbers without squares are a board of one square.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Operator {
    /// A function of each number.
    Activation {
        /// Which.
        function: Activation,
    },
    /// Batch normalisation: matrices `scale` and `shift`, `[1, channels]`, and the running moments `[2, channels]`, mean and
    /// variance.
    BatchNorm {
        /// Added to the variance.
        epsilon: f32,
    },
    /// The channels of both inputs, one behind the other.
    Concatenation,
    /// A convolution: matrices `weight`, `[size * size * inputs, channels]` with row `(rank tap * size + file tap) * inputs +
    /// input`, and perhaps `bias`, `[1, channels]`.
    Convolution {
        /// Squares along one side of the kernel.
        size: usize,
        /// Squares from one output to the next.
        stride: usize,
        /// Squares of zeros added on every side.
        margin: usize,
        /// Whether there is a bias.
        bias: bool,
    },
    /// A fully connected layer: matrices `weight`, `[inputs, units]`, and perhaps `bias`, `[1, units]`.
    Dense {
        /// Whether there is a bias.
        bias: bool,
    },
    /// In training each number becomes zero with this probability, and the others grow by 1 / (1 - rate).
    Dropout {
        /// The probability.
        rate: f32,
    },
    /// All numbers in one row: square by square from a1, and for each square its channels.
    Flatten,
    /// The first input times the sigmoid of the first half of the second one's channels, plus the other half.
    Gate,
    /// Group normalisation: matrices `scale` and `shift`, `[1, channels]`.
    GroupNorm {
        /// Groups of neighbouring channels.
        groups: usize,
        /// Added to the variance.
        epsilon: f32,
    },
    /// One number a channel for each window of squares; zeros beyond the edge count in a mean and not in a maximum.
    Pool {
        /// Largest or mean.
        method: Pooling,
        /// Size, stride and margin of the windows; `None` for the whole board.
        window: Option<[usize; 3]>,
    },
    /// The sum of both inputs.
    Sum,
}

impl Operator {
    /// Batch normalisation as it is everywhere here.
    pub(crate) const BATCH_NORM: Self = Self::BatchNorm { epsilon: EPSILON };
}

/// A step of the computation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The name of its layer, which no other has.
    pub name: String,
    /// What it computes.
    pub operator: Operator,
    /// The places that it reads. The inputs are the first places; then comes one for the output of each step.
    pub inputs: Vec<usize>,
    /// Channels, ranks and files of its output.
    pub shape: [usize; 3],
    /// Its matrices, in the order of [`Operator`].
    pub parameters: Vec<String>,
    /// The matrix of its running moments.
    pub statistics: Option<String>,
}

/// A network of planes, laid out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Blueprint {
    /// Channels, ranks and files of the inputs: the board, and the extra numbers, where there are any, which the last channels of
    /// the encoding hold on every square.
    pub inputs: Vec<[usize; 3]>,
    /// The steps, each after those it reads.
    pub steps: Vec<Step>,
    /// The place of the policy head's output.
    pub policy: Option<usize>,
    /// For each policy index where its logit is in that output, which is flat; 0 for indices that no legal move has.
    pub policy_slots: Vec<u32>,
    /// The place of the value head's output.
    pub value: Option<usize>,
    /// The place of the plies until the game ends, to be cut off at 0.
    pub moves_left: Option<usize>,
}

impl PlaneArchitecture {
    /// The network for programs that build it out of their own layers.
    pub fn blueprint(&self) -> Blueprint {
        let list = &self.list;
        let sizes = |shape: &crate::layers::Shape| [shape.channels, shape.ranks, shape.files];
        let steps = list.layers.iter().map(|layer| Step {
            name: layer.name.clone(),
            operator: layer.operation.operator(),
            inputs: layer.inputs.clone(),
            shape: sizes(&layer.shape),
            parameters: list.parameters[layer.parameters.clone()]
                .iter()
                .map(|parameter| parameter.name.clone())
                .collect(),
            statistics: layer.statistics.map(|place| list.statistics[place].name.clone()),
        });
        let slots = (0..self.moves).map(|index| self.policy_map.slot(index).unwrap_or_default());
        Blueprint {
            inputs: list.inputs.iter().map(sizes).collect(),
            steps: steps.collect(),
            policy: list.policy,
            policy_slots: slots.collect(),
            value: list.value,
            moves_left: list.moves_left,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;

    #[test]
    fn every_matrix_belongs_to_one_step_that_reads_what_was_computed_before() {
        let text = r#"
            blocks = 2
            channels = 16
            squeeze_excite = { ratio = 4 }
            policy = { kind = "convolution" }
        "#;
        let architecture = PlaneArchitecture::new(Spec::from_toml(text).unwrap().planes().unwrap()).unwrap();
        let blueprint = architecture.blueprint();
        let named: Vec<&String> = blueprint.steps.iter().flat_map(|step| &step.parameters).collect();
        let expected: Vec<&String> = architecture.parameters().iter().map(|shape| &shape.name).collect();
        assert_eq!(named, expected);
        for (number, step) in blueprint.steps.iter().enumerate() {
            assert!(step.inputs.iter().all(|place| *place < number + blueprint.inputs.len()), "{step:?}");
        }
        assert_eq!(blueprint.steps.iter().filter(|step| step.operator == Operator::Gate).count(), 2);
        assert_eq!(
            blueprint.steps[0].operator,
            Operator::Convolution { size: 3, stride: 1, margin: 1, bias: false }
        );
        assert_eq!(blueprint.policy_slots.len(), 1858);
    }
}
