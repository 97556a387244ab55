//! Training with Burn.

use burn::tensor::Tensor;
use dataset::Batch;

use super::{
    forward::{HeadTensors, Mode, forward},
    inputs,
};
use crate::{
    NetworkError,
    architecture::PlaneArchitecture,
    device::Device,
    parameter::ParameterShape,
    passes::{
        HeadOutputs, LossGradients, NormStatistics, Objective, Outputs, Parameters, Passes, check, of_boards,
        slots,
    },
};

/// Boards that are run together where the batch's own statistics do not matter.
const CHUNK: usize = 256;

/// A network on a device of Burn.
pub(crate) struct OnBurn {
    architecture: PlaneArchitecture,
    device: Device,
    /// The policy head's outputs that belong to moves.
    moves: Vec<u32>,
}

impl OnBurn {
    /// The passes of a network on a device.
    pub(crate) fn new(architecture: &PlaneArchitecture, device: &Device) -> Self {
        let moves = architecture.policy_map.slots().collect();
        Self { architecture: architecture.clone(), device: device.clone(), moves }
    }

    fn parameters(&self, values: &Parameters) -> Vec<Tensor<2>> {
        let shapes = self.architecture.list.parameters.iter();
        let tensor = |(shape, values): (&ParameterShape, &Vec<f32>)| {
            self.device.matrix(values.clone(), [shape.rows, shape.columns])
        };
        shapes.zip(values).map(tensor).collect()
    }

    fn statistics(&self, values: &[Vec<f32>]) -> Vec<Tensor<2>> {
        values.iter().map(|values| self.device.matrix(values.clone(), [2, values.len() / 2])).collect()
    }
}

/// Copies tensors off their device.
fn to_vecs(tensors: Vec<Tensor<2>>) -> Result<Vec<Vec<f32>>, NetworkError> {
    tensors.into_iter().map(to_vec).collect()
}

fn to_vec(tensor: Tensor<2>) -> Result<Vec<f32>, NetworkError> {
    super::to_vec(tensor).map_err(NetworkError::Pass)
}

/// The numbers of a head; empty for a head that the network lacks.
fn head(output: Option<&Tensor<2>>) -> Result<Vec<f32>, NetworkError> {
    output.cloned().map_or(Ok(Vec::new()), to_vec)
}

impl Passes for OnBurn {
    fn describe(&self) -> String {
        format!("Burn on {}, f32", self.device.kind())
    }

    fn forward(
        &mut self,
        parameters: &Parameters,
        statistics: NormStatistics<'_>,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError> {
        check(batch, &self.architecture)?;
        let Self { architecture, device, .. } = &*self;
        let slots = slots(batch, &architecture.policy_map)?;
        let parameters = self.parameters(parameters);
        let (mode, chunk, used) = match statistics {
            NormStatistics::Batch => (Mode::Batch { noise: None }, batch.size, Parameters::new()),
            NormStatistics::Stored(statistics) => {
                (Mode::Stored(self.statistics(statistics)), CHUNK, statistics.to_vec())
            }
        };
        let mut outputs = Outputs { statistics: used, ..Outputs::default() };
        let mut legal = of_boards(batch, &slots);
        for planes in batch.planes.chunks(chunk.max(1) * batch.plane_count) {
            let planes = inputs::inputs(planes, &architecture.list, device);
            let HeadTensors { policy, value, statistics, .. } =
                forward(architecture, &parameters, &mode, planes, device);
            outputs.add_policy(
                &head(policy.as_ref())?,
                architecture.policy_map.width(),
                &self.moves,
                legal.by_ref(),
            );
            outputs.values.extend(head(value.as_ref())?);
            if matches!(mode, Mode::Batch { .. }) {
                outputs.statistics = to_vecs(statistics)?;
            }
        }
        if architecture.list.policy.is_none() {
            // Without a policy every legal move is as likely as any other.
            outputs.logits = vec![0.0; batch.legal_indices.len()];
        }
        Ok(outputs)
    }

    fn gradients(
        &mut self,
        parameters: &Parameters,
        batch: &Batch,
        objective: &dyn Objective,
        noise: u64,
    ) -> Result<LossGradients, NetworkError> {
        check(batch, &self.architecture)?;
        let Self { architecture, device, .. } = &*self;
        let slots = slots(batch, &architecture.policy_map)?;
        let planes = inputs::inputs(&batch.planes, &architecture.list, device);
        let leaves: Vec<Tensor<2>> =
            self.parameters(parameters).into_iter().map(|tensor| tensor.autodiff().require_grad()).collect();
        let planes = planes.into_iter().map(Tensor::autodiff).collect();
        let mode = Mode::Batch { noise: Some(noise) };
        let HeadTensors { policy, value, .. } = forward(architecture, &leaves, &mode, planes, device);
        let outputs = [head(policy.as_ref())?, head(value.as_ref())?];
        let outputs = HeadOutputs { policy: &outputs[0], value: &outputs[1], batch, slots: &slots };
        let found = objective.gradients(architecture, outputs);
        // The losses are computed in plain numbers, as for the kernels. The sum of outputs times their gradients has the
        // losses' gradient with respect to everything before them.
        let heads = [(policy, found.policy), (value, found.value)];
        let products = heads.into_iter().filter_map(|(output, gradient)| {
            let output = output?;
            let shape = output.dims();
            Some((output * device.matrix(gradient, shape)).sum())
        });
        let total = products.reduce(|first, second| first + second);
        let total = total.ok_or_else(|| NetworkError::Pass("the network has no head".into()))?;
        let mut gradients = total.backward();
        let gradients = leaves
            .iter()
            .map(|leaf| leaf.grad_remove(&mut gradients).unwrap_or_else(|| leaf.clone().inner().zeros_like()))
            .collect();
        Ok(LossGradients {
            policy_loss: found.policy_loss,
            value_loss: found.value_loss,
            illegal_move_loss: found.illegal_move_loss,
            gradients: to_vecs(gradients)?,
            times: None,
        })
    }
}
