//! Training on the CPU with this program's own kernels.

use std::time::Instant;

use chess::encoding::Plane;
use dataset::Batch;
use kernels::{
    KernelError, Operations,
    training::{NormStatistics, TrainingOutputs},
};

use crate::{
    NetworkError, TrainingPrecision,
    architecture::PlaneArchitecture,
    passes::{
        CHUNK, Forward, HeadOutputs, LossGradients, Objective, OutputGradients, Outputs, Parameters,
        PassTimes, Passes, check, forward_in_chunks, slots,
    },
};

impl PlaneArchitecture {
    /// The passes of the network, with convolutions in a given precision: the kernels for towers if they support the
    /// network, otherwise the kernels for lists of layers.
    ///
    /// # Errors
    /// [`NetworkError::Precision`] if the network does not train in this precision; [`NetworkError::Kernel`] if the machine
    /// lacks the instruction set that `TABIYA_ISA` names.
    pub fn passes(&self, precision: TrainingPrecision) -> Result<Box<dyn Passes>, NetworkError> {
        match self.tower() {
            Ok(tower) => Ok(Box::new(OnCpu::tower(self, tower, precision)?)),
            Err(refusal) if precision != TrainingPrecision::F32 => {
                let reason = format!("the network trains in f32 only: {refusal} (use precision f32)");
                Err(NetworkError::Precision { precision: precision.name(), reason })
            }
            Err(_) => Ok(Box::new(OnCpu::layers(self)?)),
        }
    }
}

/// The kernels for one kind of network.
pub(crate) trait TrainingKernels: Send {
    /// As [`CHUNK`].
    const CHUNK: usize = CHUNK;

    /// As [`Passes::describe`].
    fn describe(&self) -> String;

    /// As [`Passes::operations`].
    fn operations(&self) -> Option<(Operations, f64)>;

    /// Runs the network on boards; layers without randomness ignore `noise`.
    fn forward(
        &mut self,
        parameters: &Parameters,
        planes: &[Plane],
        statistics: NormStatistics<'_>,
        noise: Option<u64>,
    ) -> Result<TrainingOutputs, KernelError>;

    /// The gradients of the parameters, given the gradients of the outputs of the last forward pass.
    fn backward(
        &mut self,
        parameters: &Parameters,
        outputs: &OutputGradients,
    ) -> Result<Parameters, KernelError>;

    /// As [`Passes::give_back`].
    fn give_back(&mut self, _gradients: Parameters) {}
}

/// A network on the kernels of this machine's instruction set.
pub(crate) struct OnCpu<K> {
    pub(crate) architecture: PlaneArchitecture,
    pub(crate) kernels: K,
}

impl<K: TrainingKernels> Forward for OnCpu<K> {
    fn forward(
        &mut self,
        parameters: &Parameters,
        statistics: NormStatistics<'_>,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError> {
        let Self { architecture, kernels } = self;
        forward_in_chunks(architecture, statistics, K::CHUNK, batch, |planes| {
            Ok(kernels.forward(parameters, planes, statistics, None)?)
        })
    }
}

impl<K: TrainingKernels> Passes for OnCpu<K> {
    fn describe(&self) -> String {
        self.kernels.describe()
    }

    fn operations(&self) -> Option<(Operations, f64)> {
        self.kernels.operations()
    }

    fn gradients(
        &mut self,
        parameters: &Parameters,
        batch: &Batch,
        objective: &dyn Objective,
        noise: u64,
    ) -> Result<LossGradients, NetworkError> {
        let Self { architecture, kernels } = self;
        check(batch, architecture)?;
        let begin = Instant::now();
        let slots = slots(batch, &architecture.policy_map)?;
        let encode = begin.elapsed().as_secs_f64();
        let TrainingOutputs { policy, value, .. } =
            kernels.forward(parameters, &batch.planes, NormStatistics::Batch, Some(noise))?;
        let outputs = HeadOutputs { policy: &policy, value: &value, batch, slots: &slots };
        let found = objective.gradients(architecture, outputs);
        let before = begin.elapsed().as_secs_f64();
        let gradients = kernels.backward(parameters, &found)?;
        let backward = begin.elapsed().as_secs_f64() - before;
        let times = PassTimes { encode, forward: before - encode, backward };
        Ok(found.with_parameters(gradients, Some(times)))
    }

    fn give_back(&mut self, gradients: Parameters) {
        self.kernels.give_back(gradients);
    }
}
