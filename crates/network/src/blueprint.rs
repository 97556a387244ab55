//! A description of a network of planes for programs that build it from their own layers: the operator of each step,
//! its inputs, and its matrices in the weights file.

use serde::Serialize;

use crate::{architecture::PlaneArchitecture, planes::layers::Shape};

pub use crate::planes::layers::Operator;

/// A layer for another program to compute: its inputs, and its matrices.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Step {
    /// The unique name of its layer.
    pub name: String,
    pub operator: Operator,
    /// The places it reads. The first places are the inputs; they are followed by one place for the output of each
    /// step.
    pub inputs: Vec<usize>,
    /// Channels, ranks and files of its output.
    pub shape: [usize; 3],
    /// Its matrices, in the order of [`Operator`].
    pub parameters: Vec<String>,
    /// The matrix of its running statistics.
    pub statistics: Option<String>,
}

/// A network of planes as a list of steps, for programs that build it from their own layers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Blueprint {
    /// Channels, ranks and files of the inputs: the board, and the extra numbers (if any), which are constant over the
    /// board in the last channels of the encoding.
    pub inputs: Vec<[usize; 3]>,
    /// The steps, each after the steps it reads.
    pub steps: Vec<Step>,
    /// The place of the policy head's output.
    pub policy: Option<usize>,
    /// For each policy index, the position of its logit in that output, which is flat; 0 for indices that no legal move
    /// has.
    pub policy_slots: Vec<u32>,
    /// The place of the value head's output.
    pub value: Option<usize>,
    /// Index of the output for the plies until the end of the game; negative outputs mean 0.
    pub moves_left: Option<usize>,
}

impl PlaneArchitecture {
    /// The network for programs that build it from their own layers.
    pub fn blueprint(&self) -> Blueprint {
        let list = &self.list;
        let mut steps = Vec::with_capacity(list.layers.len());
        for layer in &list.layers {
            let parameters = &list.parameters[layer.parameters.clone()];
            steps.push(Step {
                name: layer.name.clone(),
                operator: layer.operation.operator(),
                inputs: layer.inputs.clone(),
                shape: layer.shape.sizes(),
                parameters: parameters.iter().map(|parameter| parameter.name.clone()).collect(),
                statistics: layer.statistics.map(|place| list.statistics[place].name.clone()),
            });
        }
        let slots = (0..self.moves).map(|index| self.policy_map.slot(index).unwrap_or_default());
        Blueprint {
            inputs: list.inputs.iter().copied().map(Shape::sizes).collect(),
            steps,
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
