//! Layout of a network of planes: its layers, its parameters, and the positions of the policy's logits.

use crate::{
    NetworkError, OptimiserConfig, TrainingPrecision,
    architecture::LayerRow,
    kind::Layout,
    parameter::{ParameterShape, StatisticsShape},
    passes::{Forward, Parameters, PlanePasses},
    planes::{
        layers::{LayerList, Refusal, tower::TowerLayers},
        policy_map::PolicyMap,
    },
    spec::{PlaneSpec, PolicyHead},
    trainable::{PlaneTrainable, Trainable},
};

/// A batch normalisation, identified by the indices of its parameters and of its statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Normalisation {
    /// Index of the parameter that it multiplies by.
    pub scale: usize,
    /// Index of the parameter that it adds.
    pub shift: usize,
    /// Index of its running statistics in the network's list.
    pub statistics: usize,
}

/// A network of planes with its layers and parameters laid out.
#[derive(Clone, Debug)]
pub struct PlaneArchitecture {
    pub(crate) spec: PlaneSpec,
    /// Number of planes in the input encoding.
    pub(crate) planes: usize,
    /// Length of the policy: the number of indices in the move encoding.
    pub(crate) moves: usize,
    pub(crate) list: LayerList,
    /// The layers as a residual tower, or the reason why they are not one.
    tower: Result<TowerLayers, Refusal>,
    /// Positions of the logits in the output of the policy head.
    pub(crate) policy_map: PolicyMap,
}

/// The layers of a specification whose values are in range; `place` names the file in errors.
pub(crate) fn lay_out(spec: &PlaneSpec, place: &str) -> Result<LayerList, NetworkError> {
    spec.check(place)?;
    LayerList::new(spec, place)
}

impl PlaneArchitecture {
    /// Lays out a specification.
    ///
    /// # Errors
    /// As [`Spec::check`](crate::Spec::check).
    pub fn new(spec: &PlaneSpec) -> Result<Self, NetworkError> {
        let list = lay_out(spec, "specification")?;
        let moves = spec.move_encoding()?;
        let policy_map = match spec.policy {
            PolicyHead::Convolution { .. } | PolicyHead::Pointwise {} => PolicyMap::planes(moves),
            PolicyHead::Attention { .. } => PolicyMap::attention(moves),
            PolicyHead::Dense { .. } | PolicyHead::Layers { .. } | PolicyHead::None {} => {
                PolicyMap::dense(moves)
            }
        };
        Ok(Self {
            spec: spec.clone(),
            planes: spec.input_encoding()?.planes(),
            moves: moves.size(),
            tower: TowerLayers::find(&list),
            list,
            policy_map,
        })
    }

    /// The specification that was laid out.
    pub fn spec(&self) -> &PlaneSpec {
        &self.spec
    }

    /// Number of planes in the input encoding.
    pub fn planes(&self) -> usize {
        self.planes
    }

    /// Length of the policy: the indices of legal moves are below it.
    pub fn moves(&self) -> usize {
        self.moves
    }

    /// Name and shape of every parameter, in the order of [`Parameters`].
    pub fn parameters(&self) -> &[ParameterShape] {
        &self.list.parameters
    }

    /// Length of the policy head's flat output.
    pub fn policy_width(&self) -> usize {
        self.policy_map.width()
    }

    /// Position of a policy index's logit in the policy head's output; `None` for indices that no legal move has.
    pub fn policy_slot(&self, index: usize) -> Option<u32> {
        self.policy_map.slot(index)
    }

    /// The positions in the policy head's output that belong to a move.
    pub fn policy_slots(&self) -> impl Iterator<Item = u32> {
        self.policy_map.slots()
    }

    /// The layers in the form that the kernels compute.
    ///
    /// # Errors
    /// [`Refusal`] with the first layer that the kernels do not support.
    pub(crate) fn tower(&self) -> Result<&TowerLayers, Refusal> {
        self.tower.as_ref().map_err(Clone::clone)
    }
}

impl Layout for PlaneArchitecture {
    fn layers(&self) -> Vec<LayerRow> {
        let mut rows = Vec::with_capacity(self.list.layers.len());
        for layer in &self.list.layers {
            let parameters = &self.list.parameters[layer.parameters.clone()];
            rows.push(LayerRow {
                name: layer.name.clone(),
                layer: layer.operation.describe(),
                shape: layer.shape.to_string(),
                parameters: parameters.iter().map(ParameterShape::size).sum(),
            });
        }
        rows
    }

    fn parameters(&self) -> &[ParameterShape] {
        &self.list.parameters
    }

    fn statistics(&self) -> &[StatisticsShape] {
        &self.list.statistics
    }

    fn normalisations(&self) -> Vec<Normalisation> {
        let mut found = Vec::new();
        for layer in &self.list.layers {
            if let Some(statistics) = layer.statistics {
                let scale = layer.parameters.start;
                found.push(Normalisation { scale, shift: scale + 1, statistics });
            }
        }
        found
    }

    fn moves(&self) -> Option<usize> {
        Some(self.policy_slots().count())
    }

    fn trainable(
        &self,
        parameters: Parameters,
        optimiser: OptimiserConfig,
    ) -> Result<Box<dyn Trainable>, NetworkError> {
        Ok(Box::new(PlaneTrainable::new(self, parameters, optimiser)?))
    }

    fn forward(&self) -> Result<Box<dyn Forward>, NetworkError> {
        Ok(Box::new(PlanePasses::new(self, TrainingPrecision::F32)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Spec, parameter::is_normalised};

    #[test]
    fn normalised_matrices_are_those_of_convolutions_and_not_of_heads_that_answer() {
        let normalised = |text: &str| -> Vec<String> {
            let architecture =
                PlaneArchitecture::new(Spec::from_toml(text).unwrap().planes().unwrap()).unwrap();
            let shapes = architecture.parameters().iter().enumerate();
            let found = shapes.filter(|(number, _)| is_normalised(architecture.parameters(), *number));
            found.map(|(_, shape)| shape.name.clone()).collect()
        };
        let tower = normalised("blocks = 1\nchannels = 16\nsqueeze_excite = { ratio = 4 }");
        let expected = ["stem", "block0.first", "block0.second", "policy.first", "value.first"];
        assert_eq!(tower, expected.map(|layer| format!("{layer}.weight")));
        let list = r#"
            policy = { kind = "none" }
            value = { kind = "scalar", layers = [] }
            body = [{ kind = "convolution", channels = 4, bias = true }, { kind = "batch-norm" }, { kind = "convolution", channels = 4 }]
        "#;
        assert_eq!(normalised(list).len(), 1, "a bias in between changes nothing");
    }
}
