//! Training on the CPU with this program's own kernels.

use std::time::Instant;

use chess::encoding::Plane;
use dataset::Batch;
use kernels::{
    Isa, Operations, Precision,
    layers::{Factors, Operation, TrainingLayers},
    peak,
};

use crate::{
    NetworkError, TrainingPrecision,
    architecture::PlaneArchitecture,
    passes::{
        Forward, HeadOutputs, LossGradients, NormStatistics, Objective, Outputs, Parameters, PassTimes,
        Statistics,
    },
    planes::{
        layers::{Dropout, layer_noise},
        policy_map::PolicyMap,
    },
};

/// Number of boards that are run together if the batch's own statistics are not needed: enough to occupy every thread, few enough
/// that the activations of all layers take little memory.
const CHUNK: usize = 128;

/// Forward and backward passes of a network of planes.
pub struct PlanePasses {
    architecture: PlaneArchitecture,
    isa: Isa,
    precision: Precision,
    layers: TrainingLayers,
    /// For each layer, its rate if it is a dropout layer.
    rates: Vec<Option<f32>>,
    /// For policy and value, true if the network has the head.
    heads: [bool; 2],
}

/// The outputs of the heads for some boards, before softmax or tanh; empty for a head that the network lacks.
struct RawOutputs {
    /// `[boards][policy_width]`.
    policy: Vec<f32>,
    /// `[boards][outputs]`.
    value: Vec<f32>,
    /// Mean and variance used by every normalisation.
    statistics: Statistics,
}

impl PlanePasses {
    /// The passes of a network with the products of its convolutions over the board in a given precision.
    ///
    /// # Errors
    /// [`NetworkError::Kernel`] if the machine lacks the instruction set that `TABIYA_ISA` names, or the network trains in f32 only.
    pub fn new(architecture: &PlaneArchitecture, precision: TrainingPrecision) -> Result<Self, NetworkError> {
        let list = &architecture.list;
        let heads = [list.policy, list.value].map(|place| place.is_some());
        let list = list.for_kernels(list.policy.into_iter().chain(list.value).collect());
        let (isa, precision) = (Isa::chosen()?, precision.kernels());
        let rate = |operation| match operation {
            Operation::Dropout { rate } => Some(rate),
            _ => None,
        };
        let rates = list.steps.iter().map(|step| rate(step.operation)).collect();
        let layers = TrainingLayers::new(&list, isa, precision)?;
        Ok(Self { architecture: architecture.clone(), isa, precision, layers, rates, heads })
    }

    /// The kernels, their instruction set and number format.
    pub fn describe(&self) -> String {
        format!("kernels on {}, products in {}", self.isa, self.precision)
    }

    /// Multiply-adds of training on one position, and the peak multiply-adds per second of one thread of this machine;
    /// `None` if that peak is unknown.
    pub fn operations(&self) -> Option<(Operations, f64)> {
        Some((self.layers.operations(), peak::multiply_adds_per_second(self.isa, self.precision)?))
    }

    /// Runs the network forward and backward with the batch's own statistics. Layers derive their random numbers from
    /// `noise`.
    ///
    /// # Errors
    /// As [`Forward::forward`].
    pub fn gradients(
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
        let RawOutputs { policy, value, .. } =
            self.run(parameters, &batch.planes, NormStatistics::Batch, Some(noise))?;
        let outputs = HeadOutputs { policy: &policy, value: &value, batch, slots: &slots };
        let found = objective.gradients(&self.architecture, outputs);
        let before = begin.elapsed().as_secs_f64();
        let of_heads = self.heads.into_iter().zip([&found.policy[..], &found.value[..]]);
        let of_heads: Vec<&[f32]> = of_heads.filter_map(|(has, gradient)| has.then_some(gradient)).collect();
        let gradients = self.layers.backward(parameters, &of_heads)?;
        let backward = begin.elapsed().as_secs_f64() - before;
        let times = PassTimes { encode, forward: before - encode, backward };
        Ok(found.with_parameters(gradients, Some(times)))
    }

    /// Returns gradients that are no longer used, so that the next call reuses their memory.
    pub fn give_back(&mut self, gradients: Parameters) {
        self.layers.give_back(gradients);
    }

    /// Runs the network on boards; without `noise`, layers with randomness do nothing.
    fn run(
        &mut self,
        parameters: &Parameters,
        planes: &[Plane],
        statistics: NormStatistics<'_>,
        noise: Option<u64>,
    ) -> Result<RawOutputs, NetworkError> {
        let rates = &self.rates;
        let draw = |layer: usize, count: usize| {
            let rate = rates[layer].unwrap_or_default();
            Dropout { rate }.factors(layer_noise(noise, layer).unwrap_or_default(), count)
        };
        let factors = noise.is_some().then_some(&draw as Factors<'_>);
        let mut outputs = self.layers.forward(parameters, planes, statistics, factors)?.into_iter();
        let [policy, value] = self.heads.map(|has| has.then(|| outputs.next()).flatten().unwrap_or_default());
        Ok(RawOutputs { policy, value, statistics: self.layers.statistics().to_vec() })
    }
}

impl Forward for PlanePasses {
    /// All boards are run together if the batch's own statistics are needed, otherwise some at a time.
    fn forward(
        &mut self,
        parameters: &Parameters,
        statistics: NormStatistics<'_>,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError> {
        check(batch, &self.architecture)?;
        let slots = slots(batch, &self.architecture.policy_map)?;
        let width = self.architecture.policy_map.width();
        let moves: Vec<u32> = self.architecture.policy_map.slots().collect();
        let chunk = match statistics {
            NormStatistics::Batch => batch.size.max(1),
            NormStatistics::Stored(_) => CHUNK,
        };
        let mut outputs = Outputs::default();
        let mut legal = of_boards(batch, &slots);
        for planes in batch.planes.chunks(chunk * batch.plane_count) {
            let part = self.run(parameters, planes, statistics, None)?;
            outputs.add_policy(&part.policy, width, &moves, legal.by_ref());
            outputs.values.extend(part.value);
            outputs.statistics = part.statistics;
        }
        if let NormStatistics::Stored(stored) = statistics {
            outputs.statistics = stored.to_vec();
        }
        if !self.heads[0] {
            // Without a policy, all legal moves are equally likely.
            outputs.logits = vec![0.0; batch.legal_indices.len()];
        }
        Ok(outputs)
    }
}

fn check(batch: &Batch, architecture: &PlaneArchitecture) -> Result<(), NetworkError> {
    if batch.plane_count == architecture.planes {
        return Ok(());
    }
    let (found, expected) = (batch.plane_count, architecture.planes);
    Err(NetworkError::Data(format!("a batch of {found} planes for a network of {expected}")))
}

/// The part of each board in a slice laid out like [`Batch::legal_indices`].
fn of_boards<'a>(batch: &'a Batch, slots: &'a [u32]) -> impl Iterator<Item = &'a [u32]> {
    batch.legal_offsets.windows(2).map(|pair| &slots[pair[0] as usize..pair[1] as usize])
}

/// Position of each legal move's logit among the outputs of its board, laid out like [`Batch::legal_indices`].
pub(crate) fn slots(batch: &Batch, map: &PolicyMap) -> Result<Vec<u32>, NetworkError> {
    let mut slots = Vec::with_capacity(batch.legal_indices.len());
    for (board, pair) in batch.legal_offsets.windows(2).enumerate() {
        for &index in &batch.legal_indices[pair[0] as usize..pair[1] as usize] {
            let slot = map.slot(usize::from(index)).ok_or_else(|| {
                NetworkError::Data(format!("sample {board} of the batch: policy index {index} fits no move"))
            })?;
            slots.push(slot);
        }
    }
    Ok(slots)
}
