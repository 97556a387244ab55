//! Training of any list of layers on the CPU with this program's own kernels.

use std::time::Instant;

use chess::encoding::Plane;
use dataset::Batch;
use kernels::{
    Isa, KernelError, Operations, Precision,
    layers::{Operation, TrainingLayers},
    peak,
    training::NormStatistics,
};

use super::{
    HeadOutputs, LossGradients, NormStatistics, Objective, OutputGradients, Outputs, Parameters, PassTimes,
    Passes, check, of_boards, slots,
};
use crate::{
    NetworkError,
    architecture::PlaneArchitecture,
    device::DeviceKind,
    layers::{Dropout, layer_noise},
    refusal::Refusal,
};

/// Boards that are run together where the batch's own statistics do not matter.
const CHUNK: usize = 128;

/// A network layer by layer on the kernels of this machine's instruction set.
pub(crate) struct OnLayers {
    architecture: PlaneArchitecture,
    isa: Isa,
    /// The reason the kernels of towers refused the network.
    reason: Refusal,
    layers: TrainingLayers,
    /// The rate of each layer that is a dropout.
    rates: Vec<Option<f32>>,
    /// The policy head's outputs that belong to moves.
    moves: Vec<u32>,
}

impl OnLayers {
    /// The passes of a network that is not a tower for the `reason`.
    ///
    /// # Errors
    /// [`NetworkError::Device`] where the machine lacks the instruction set that it was told to use.
    pub(crate) fn new(architecture: &PlaneArchitecture, reason: Refusal) -> Result<Self, NetworkError> {
        let list = &architecture.list;
        let list = list.for_kernels(list.policy.into_iter().chain(list.value).collect());
        let isa = Isa::chosen().map_err(|error| failed(&error))?;
        let rate = |operation| match operation {
            Operation::Dropout { rate } => Some(rate),
            _ => None,
        };
        Ok(Self {
            rates: list.steps.iter().map(|step| rate(step.operation)).collect(),
            layers: TrainingLayers::new(&list, isa).map_err(|error| failed(&error))?,
            moves: architecture.policy_map.slots().collect(),
            architecture: architecture.clone(),
            isa,
            reason,
        })
    }

    fn run(
        &mut self,
        parameters: &Parameters,
        planes: &[Plane],
        normalisation: NormStatistics<'_>,
        noise: Option<u64>,
    ) -> Result<[Vec<f32>; 2], NetworkError> {
        let rates = &self.rates;
        let draw = |layer: usize, count: usize| {
            let rate = rates[layer].unwrap_or_default();
            Dropout { rate }.factors(layer_noise(noise, layer).unwrap_or_default(), count)
        };
        let factors = noise.is_some().then_some(&draw as kernels::layers::Factors<'_>);
        let outputs = self
            .layers
            .forward(parameters, planes, normalisation, factors)
            .map_err(|error| failed(&error))?;
        let mut outputs = outputs.into_iter();
        let list = &self.architecture.list;
        let mut head = |place: Option<usize>| place.and_then(|_| outputs.next()).unwrap_or_default();
        Ok([head(list.policy), head(list.value)])
    }
}

fn failed(error: &KernelError) -> NetworkError {
    NetworkError::Device { device: DeviceKind::Cpu.to_string(), reason: error.to_string() }
}

impl Passes for OnLayers {
    fn operations(&self) -> Option<(Operations, f64)> {
        Some((self.layers.operations(), peak::multiply_adds_per_second(self.isa, Precision::F32)?))
    }

    fn describe(&self) -> String {
        format!("kernels layer by layer on {}, products in f32: {}", self.isa, self.reason)
    }

    fn forward(
        &mut self,
        parameters: &Parameters,
        statistics: NormStatistics<'_>,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError> {
        check(batch, &self.architecture)?;
        let slots = slots(batch, &self.architecture.policy_map)?;
        let width = self.architecture.policy_map.width();
        let chunk = match statistics {
            NormStatistics::Batch => batch.size,
            NormStatistics::Stored(_) => CHUNK,
        };
        let mut outputs = Outputs::default();
        let mut legal = of_boards(batch, &slots);
        for planes in batch.planes.chunks(chunk.max(1) * batch.plane_count) {
            let [policy, value] = self.run(parameters, planes, statistics, None)?;
            outputs.add_policy(&policy, width, &self.moves, legal.by_ref());
            outputs.values.extend(value);
        }
        outputs.statistics = match statistics {
            NormStatistics::Batch => self.layers.statistics().to_vec(),
            NormStatistics::Stored(statistics) => statistics.to_vec(),
        };
        if self.architecture.list.policy.is_none() {
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
        let begin = Instant::now();
        let slots = slots(batch, &self.architecture.policy_map)?;
        let encode = begin.elapsed().as_secs_f64();
        let [policy, value] = self.run(parameters, &batch.planes, NormStatistics::Batch, Some(noise))?;
        let outputs = HeadOutputs { policy: &policy, value: &value, batch, slots: &slots };
        let found = objective.gradients(&self.architecture, outputs);
        let before = begin.elapsed().as_secs_f64();
        let list = &self.architecture.list;
        let policy = list.policy.map(|_| &found.policy[..]);
        let value = list.value.map(|_| &found.value[..]);
        let heads: Vec<&[f32]> = policy.into_iter().chain(value).collect();
        let gradients = self.layers.backward(parameters, &heads).map_err(|error| failed(&error))?;
        let backward = begin.elapsed().as_secs_f64() - before;
        let OutputGradients { policy_loss, value_loss, illegal_move_loss, .. } = found;
        let times = Some(PassTimes { encode, forward: before - encode, backward });
        Ok(LossGradients { policy_loss, value_loss, illegal_move_loss, gradients, times })
    }

    fn give_back(&mut self, gradients: Parameters) {
        self.layers.give_back(gradients);
    }
}
