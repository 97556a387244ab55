//! Training of sparse networks on the CPU, with this program's own kernels.
//!
//! A step goes forward and backward over pieces of the batch small enough for a core's cache, then sums for each row
//! the gradients of the samples that read it. The number of micro-batches does not depend on the number of
//! threads, and everything is added up in the order of samples or micro-batches, so the sums do not depend on threads. In
//! bf16, the tables that a batch reads and the gradients of its samples are rounded to 16 bits, which halves the memory traffic
//! of a step; parameters, sums and the optimiser stay in f32.

mod gradients;
mod layout;
mod micro_batch;
mod tables;
#[cfg(test)]
mod tests;

use std::{ops::Range, time::Instant};

use dataset::{Batch, SampleLists};
use kernels::{
    Isa,
    sparse::training::{Layer, Lists, MoveRows, Table},
};
use rayon::prelude::*;

pub use gradients::{Gradient, RowGradient};
pub use kernels::sparse::training::{AdamStep, AdamW, RowState};
pub use layout::{BodyRows, MoveTables, RowLayout, ValueLayers};

use self::{micro_batch::Memory, tables::Tables};
use super::{Outputs, Parameters, TrainingPrecision};
use crate::{NetworkError, device::DeviceKind};

/// Micro-batches of a batch, whatever the number of threads: sums over the batch depend on it.
const MICRO_BATCHES: usize = 32;

/// The training objective for some of the samples of a batch at a time. The loss is the sum over all samples.
pub trait RowObjective: Sync {
    /// The contribution of these samples to the value's loss, and its gradient.
    ///
    /// # Shapes
    /// outputs and gradient `[samples][outputs]`.
    fn value(&self, samples: Range<usize>, outputs: &[f32], gradient: &mut [f32]) -> f64;

    /// The contribution of these samples to the policy's loss; logits are replaced by their gradient.
    ///
    /// # Shapes
    /// `[legal moves of the samples]`.
    fn policy(&self, samples: Range<usize>, logits: &mut [f32]) -> f64;
}

/// The losses of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowLosses {
    /// Part of the policy.
    pub policy: f64,
    /// Part of the value.
    pub value: f64,
    /// Seconds of the forward and backward pass, without the spreading of gradients.
    pub seconds: f64,
}

/// Forward and backward passes of a sparse network.
pub struct RowPasses {
    layout: RowLayout,
    isa: Isa,
    precision: TrainingPrecision,
    tables: Tables,
    memory: Memory,
    gradients: Vec<Gradient>,
}

impl RowPasses {
    /// Passes for a network with this layout of parameters.
    ///
    /// # Errors
    /// [`NetworkError::Device`] if `TABIYA_ISA` names an instruction set that this machine lacks.
    pub fn new(layout: RowLayout, precision: TrainingPrecision) -> Result<Self, NetworkError> {
        let isa = Isa::chosen().map_err(|error| NetworkError::Device {
            device: DeviceKind::Cpu.to_string(),
            reason: error.to_string(),
        })?;
        Ok(Self::on(isa, layout, precision))
    }

    /// Passes on a given instruction set.
    pub(crate) fn on(isa: Isa, layout: RowLayout, precision: TrainingPrecision) -> Self {
        let half = precision == TrainingPrecision::Bf16;
        Self {
            isa,
            precision,
            tables: Tables::new(&layout, half),
            memory: Memory::new(&layout, half),
            gradients: layout.gradients(),
            layout,
        }
    }

    /// Human-readable description of the backend.
    pub fn describe(&self) -> String {
        format!("rows of features on {}, in {}", self.isa, self.precision)
    }

    /// The parameters by their numbers.
    pub fn layout(&self) -> &RowLayout {
        &self.layout
    }

    /// The instruction set in use.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The gradients of the last batch, one for each parameter.
    pub fn last(&self) -> &[Gradient] {
        &self.gradients
    }

    /// Takes up a batch: forgets the gradients of the last one, and marks the rows that this one reads. What is marked must be up to
    /// date when [`RowPasses::gradients`] follows.
    ///
    /// # Errors
    /// [`NetworkError::Data`] when the batch was encoded for another network.
    pub fn begin(&mut self, batch: &Batch) -> Result<&[Gradient], NetworkError> {
        let Self { layout, tables, gradients, .. } = self;
        layout.check(batch)?;
        tables.find_readers(layout, batch);
        gradients.par_iter_mut().enumerate().for_each(|(parameter, gradient)| {
            gradient.clear();
            if let (Gradient::Rows(gradient), Some(list)) = (gradient, layout.list_of(parameter)) {
                gradient.mark(&tables.readers[list]);
            }
        });
        Ok(&self.gradients)
    }

    /// The losses of the batch that was taken up, and into [`RowPasses::last`] their gradients.
    pub fn gradients(
        &mut self,
        parameters: &[&[f32]],
        batch: &Batch,
        objective: &dyn RowObjective,
    ) -> RowLosses {
        let Self { layout, isa, memory, tables, gradients, .. } = self;
        memory.fit(layout, batch);
        let begin = Instant::now();
        tables.round(*isa, layout, parameters);
        let network = layout.of(parameters, &tables.numbers(layout, parameters), batch);
        let losses: Vec<RowLosses> = memory
            .micro_batches(layout, batch)
            .into_par_iter()
            .map(|micro_batch| micro_batch.learn(*isa, &network, objective))
            .collect();
        let seconds = begin.elapsed().as_secs_f64();
        let sources = (batch.size, &*memory, &*tables);
        gradients.par_iter_mut().enumerate().for_each(|gradient| layout.gather(*isa, gradient, sources));
        losses.iter().fold(RowLosses::default(), |sum, losses| RowLosses {
            policy: sum.policy + losses.policy,
            value: sum.value + losses.value,
            seconds,
        })
    }

    /// The outputs of the network for a batch.
    ///
    /// # Errors
    /// [`NetworkError::Data`] if the batch was encoded for another network.
    pub fn forward(&mut self, parameters: &Parameters, batch: &Batch) -> Result<Outputs, NetworkError> {
        let Self { layout, isa, memory, .. } = self;
        layout.check(batch)?;
        memory.fit(layout, batch);
        let parameters: Vec<&[f32]> = parameters.iter().map(Vec::as_slice).collect();
        let network = layout.of(&parameters, &tables::exact(layout, &parameters), batch);
        let (logits, values): (Vec<Vec<f32>>, Vec<Vec<f32>>) = memory
            .micro_batches(layout, batch)
            .into_par_iter()
            .map(|micro_batch| micro_batch.outputs(*isa, &network))
            .unzip();
        Ok(Outputs { logits: logits.concat(), values: values.concat(), ..Outputs::default() })
    }
}

/// A network's parameters, with the part of a batch that each of them reads.
pub(crate) struct Network<'a> {
    bodies: Vec<Body<'a>>,
    value: Value<'a>,
    policy: Policy<'a>,
    /// Start of each sample's legal moves.
    legal: &'a [u32],
}

struct Body<'a> {
    shape: BodyRows,
    table: Table<'a>,
    bias: &'a [f32],
    features: Lists<'a>,
}

struct Value<'a> {
    body: usize,
    layers: Vec<Layer<'a>>,
    direct: Table<'a>,
    buckets: Vec<u8>,
}

struct Policy<'a> {
    body: usize,
    tables: Vec<MoveRows<'a>>,
}

/// Lists of a batch in the words of the kernels.
fn lists(lists: &SampleLists) -> Lists<'_> {
    Lists { offsets: &lists.offsets, rows: &lists.numbers }
}
