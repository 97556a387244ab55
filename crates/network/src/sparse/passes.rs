//! Training of sparse networks on the CPU with this program's own kernels.
//!
//! A step runs forward and backward over pieces of the batch that are small enough for a core's cache. The gradient of a row,
//! which is the sum over the samples that read it, is computed on request ([`RowGradient`]). The number of micro-batches does
//! not depend on the number of threads, and all sums are added in the order of samples or micro-batches, so they do not depend
//! on the threads. In bf16, the tables that a batch reads and the gradients of its samples are rounded to 16 bits, which halves
//! the memory traffic of a step; parameters, sums and the optimiser stay in f32.

mod layout;
mod micro_batch;

use std::{ops::Range, time::Instant};

use dataset::{Batch, SampleLists};
use kernels::{
    Isa,
    sparse::training::{
        Gather, Layer, Lists, MoveRows, NumberFormat, Numbers, NumbersRef, Table, are_within, gather,
    },
};
use rayon::prelude::*;

use self::micro_batch::Memory;
use crate::{
    NetworkError,
    passes::{Forward, NormStatistics, Outputs, Parameters, TrainingPrecision},
};

pub use kernels::sparse::training::{AdamStep, AdamW, Floats, GradientStep, Readers, RowState, squares};
pub use layout::{BodyRows, LayerParameters, MoveTables, SparseLayout, ValueLayers};

/// Number of micro-batches per batch, fixed because sums over the batch depend on it. Twice as many as for
/// towers, at little cost in memory: only the value's small layers have gradients per micro-batch.
const MICRO_BATCHES: usize = 32;

/// The training objective, evaluated for some samples of a batch at a time. The loss is the sum over all samples.
pub trait SparseObjective: Sync {
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

/// The losses of a batch for each head, which the caller weights and reports.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct SparseLosses {
    pub policy: f64,
    pub value: f64,
    /// True if no gradient exceeds [`GRADIENT_LIMIT`]: neither that of any sample, so that their sums for each row and the
    /// squares of these sums are finite, nor that of the parameters that every sample reads.
    pub is_bounded: bool,
    /// Duration of the forward and backward pass in seconds, without the sums over samples.
    pub seconds: f64,
}

/// Limit on the magnitude of an element of a gradient. The objective is a mean over samples, so even the gradients of a
/// diverged run are far below it.
pub const GRADIENT_LIMIT: f32 = 1e9;

/// Forward and backward passes of a sparse network.
pub struct SparsePasses {
    layout: SparseLayout,
    isa: Isa,
    precision: TrainingPrecision,
    tables: Tables,
    memory: Memory,
    /// Gradients of the parameters that every sample reads; empty for other parameters.
    whole: Vec<Vec<f32>>,
    /// Number of samples in the last batch.
    samples: usize,
}

impl SparsePasses {
    /// Passes for a network with this layout of parameters.
    ///
    /// # Errors
    /// [`NetworkError::Kernel`] if `TABIYA_ISA` names an instruction set that this machine lacks.
    pub fn new(layout: SparseLayout, precision: TrainingPrecision) -> Result<Self, NetworkError> {
        Ok(Self::on(Isa::chosen()?, layout, precision))
    }

    /// Passes on a given instruction set.
    pub(crate) fn on(isa: Isa, layout: SparseLayout, precision: TrainingPrecision) -> Self {
        let format = match precision {
            TrainingPrecision::F32 => NumberFormat::Single,
            TrainingPrecision::Bf16 => NumberFormat::Half,
        };
        Self {
            isa,
            precision,
            tables: Tables::new(&layout, format),
            memory: Memory::new(&layout, format),
            whole: layout.whole_gradients(),
            samples: 0,
            layout,
        }
    }

    /// Human-readable description of the backend.
    pub fn describe(&self) -> String {
        format!("rows of features on {}, in {}", self.isa, self.precision)
    }

    /// The layout of the parameters.
    pub fn layout(&self) -> &SparseLayout {
        &self.layout
    }

    /// The instruction set in use.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The gradients of the last batch, one for each parameter.
    pub fn last(&self) -> Vec<Gradient<'_>> {
        let mut gradients = Vec::with_capacity(self.whole.len());
        for (parameter, whole) in self.whole.iter().enumerate() {
            gradients.push(match self.layout.samples_of(parameter, self.sources()) {
                Some(samples) => Gradient::Rows(RowGradient { isa: self.isa, samples }),
                None => Gradient::Whole(whole),
            });
        }
        gradients
    }

    /// Starts a batch, and returns for each parameter the readers of its rows, or `None` if every sample reads all rows. Rows
    /// that are read must be up to date when [`SparsePasses::gradients`] is called.
    ///
    /// # Errors
    /// [`NetworkError::Data`] if the batch was encoded for another network.
    pub fn begin(&mut self, batch: &Batch) -> Result<Vec<Option<&Readers>>, NetworkError> {
        let Self { layout, tables, .. } = self;
        layout.check(batch)?;
        tables.find_readers(layout, batch);
        let lists = (0..layout.shapes.len()).map(|parameter| layout.list_of(parameter));
        Ok(lists.map(|list| list.map(|list| &tables.readers[list])).collect())
    }

    /// The losses of the batch that was started. [`SparsePasses::last`] then returns their gradients.
    pub fn gradients(
        &mut self,
        parameters: &[&[f32]],
        batch: &Batch,
        objective: &dyn SparseObjective,
    ) -> SparseLosses {
        let Self { layout, isa, memory, tables, .. } = self;
        memory.fit(layout, batch);
        // 1. Forward and backward pass of every micro-batch. It leaves the gradients of the sums of each sample in memory, but adds
        //    up only those of the small layers: the gradient of a table has as many numbers as the table, and most of its rows
        //    are read by few samples or by none.
        let begin = Instant::now();
        tables.round(*isa, layout, parameters);
        let network = layout.of(parameters, &tables.numbers(layout, parameters), batch);
        let losses: Vec<SparseLosses> = memory
            .micro_batches(layout, batch)
            .into_par_iter()
            .map(|micro_batch| micro_batch.learn(*isa, &network, objective))
            .collect();
        let seconds = begin.elapsed().as_secs_f64();
        // 2. Sums over all samples, for the parameters that all samples read. Those of rows follow when the optimiser asks for a row.
        self.samples = batch.size;
        self.add_up();
        // 3. Whether a gradient overflowed has to be known before the first row is updated, because an update cannot be taken back.
        let is_bounded = self.whole.iter().all(|gradient| are_within(self.isa, GRADIENT_LIMIT, gradient));
        let mut sum = SparseLosses { policy: 0.0, value: 0.0, is_bounded, seconds };
        for micro_batch in &losses {
            sum.policy += micro_batch.policy;
            sum.value += micro_batch.value;
            sum.is_bounded &= micro_batch.is_bounded;
        }
        sum
    }

    /// Sums the gradients of the parameters that every sample reads.
    fn add_up(&mut self) {
        // The sums read the rest of `self`.
        let mut whole = std::mem::take(&mut self.whole);
        let sources = self.sources();
        whole.par_iter_mut().enumerate().for_each(|(parameter, gradient)| {
            if gradient.is_empty() {
                return;
            }
            gradient.fill(0.0);
            match self.layout.samples_of_bias(parameter, sources) {
                Some(samples) => gather(self.isa, samples, 0..1, gradient),
                None => self.layout.add_up(parameter, &self.memory, gradient),
            }
        });
        self.whole = whole;
    }

    fn sources(&self) -> Sources<'_> {
        Sources { samples: self.samples, memory: &self.memory, tables: &self.tables }
    }
}

impl Forward for SparsePasses {
    /// Statistics have no effect: a sparse network has no normalisations.
    fn forward(
        &mut self,
        parameters: &Parameters,
        _statistics: NormStatistics<'_>,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError> {
        let Self { layout, isa, memory, .. } = self;
        layout.check(batch)?;
        memory.fit(layout, batch);
        let parameters: Vec<&[f32]> = parameters.iter().map(Vec::as_slice).collect();
        let network = layout.of(&parameters, &exact(layout, &parameters), batch);
        let (logits, values): (Vec<Vec<f32>>, Vec<Vec<f32>>) = memory
            .micro_batches(layout, batch)
            .into_par_iter()
            .map(|micro_batch| micro_batch.outputs(*isa, &network))
            .unzip();
        Ok(Outputs { logits: logits.concat(), values: values.concat(), ..Outputs::default() })
    }
}

/// The inputs from which the gradients of the parameters for a batch are computed.
#[derive(Clone, Copy)]
struct Sources<'a> {
    samples: usize,
    memory: &'a Memory,
    tables: &'a Tables,
}

/// A network's parameters, each with the part of a batch that reads it.
pub(crate) struct Network<'a> {
    bodies: Vec<Body<'a>>,
    value: Value<'a>,
    policy: Policy<'a>,
    /// The start of each sample's legal moves.
    legal: &'a [u32],
}

impl Network<'_> {
    /// The runs of samples whose hidden units of a body are read, counted from the first of `samples`: all samples for the
    /// value's body, and samples with legal moves for a separate body of the policy.
    fn read_runs(&self, body: usize, samples: Range<usize>) -> Vec<Range<usize>> {
        if body == self.value.body {
            return std::iter::once(0..samples.len()).collect();
        }
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (sample, legal) in self.legal[samples.start..=samples.end].windows(2).enumerate() {
            if legal[0] == legal[1] {
                continue;
            }
            match runs.last_mut().filter(|run| run.end == sample) {
                Some(run) => run.end = sample + 1,
                None => runs.push(sample..sample + 1),
            }
        }
        runs
    }
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

/// Converts the lists of a batch to those of the kernels.
fn lists(lists: &SampleLists) -> Lists<'_> {
    Lists { offsets: &lists.offsets, rows: &lists.numbers }
}

/// The gradient of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Gradient<'a> {
    /// The gradient of all elements, row by row.
    Whole(&'a [f32]),
    /// The gradient of some rows; it is zero in all others.
    Rows(RowGradient<'a>),
}

/// The gradient of a table of which a batch reads only some rows. It is computed a few rows at a time: a batch reads half
/// of a large network's rows, and using a row's gradient while it is cached avoids writing and reading all of them.
#[derive(Clone, Copy, Debug)]
pub struct RowGradient<'a> {
    isa: Isa,
    samples: Gather<'a>,
}

impl RowGradient<'_> {
    /// True if the batch reads the row.
    pub fn is_read(&self, row: usize) -> bool {
        self.samples.readers.is_read(row)
    }

    /// Writes the gradients of the rows in a range that the batch reads: for each row, the sum over its samples.
    ///
    /// # Panics
    /// If a row is out of range, or `gradient` does not have the length of the rows.
    pub fn write(&self, rows: Range<usize>, gradient: &mut [f32]) {
        gather(self.isa, self.samples, rows, gradient);
    }
}

/// Number of rows that a thread rounds at a time.
const ROUNDED: usize = 64;

/// Tables as training reads them, and the samples of a batch that read each row.
struct Tables {
    /// Copies of [`SparseLayout::tables`] in 16 bits, in which the rows that a batch reads are up to date; `None` if training
    /// reads the parameters themselves.
    halves: Option<Vec<Numbers>>,
    /// The readers of each of [`SparseLayout::tables`].
    readers: Vec<Readers>,
    /// For each body, the readers of its bias, which is a table of one row: the samples whose hidden units are read.
    biases: Vec<Readers>,
}

impl Tables {
    fn new(layout: &SparseLayout, format: NumberFormat) -> Self {
        let tables = layout.tables();
        let mut halves = None;
        if format == NumberFormat::Half {
            let halves = halves.insert(Vec::with_capacity(tables.len()));
            for &table in &tables {
                let mut numbers = Numbers::zeros(format, layout.shapes[table].iter().product());
                numbers.use_large_pages();
                halves.push(numbers);
            }
        }
        Self {
            halves,
            readers: vec![Readers::default(); tables.len()],
            biases: vec![Readers::default(); layout.bodies.len()],
        }
    }

    fn find_readers(&mut self, layout: &SparseLayout, batch: &Batch) {
        let (tables, lists) = (layout.tables(), layout.lists(batch));
        self.readers.par_iter_mut().enumerate().for_each(|(number, readers)| {
            let (lists, rows) = (lists[number], layout.shapes[tables[number]][0]);
            // The gradient of a move's row is the hidden units times the gradient of its logit, so the place of that logit
            // among those of the batch is kept too.
            if number < layout.bodies.len() {
                readers.find(lists, rows);
            } else {
                readers.find_places(lists, rows);
            }
        });
        for (body, readers) in self.biases.iter_mut().enumerate() {
            // A list of one row for each sample that reads the body, and an empty one for the others.
            let (mut offsets, mut read) = (vec![0], 0);
            for legal in batch.legal_offsets.windows(2) {
                read += u32::from(body == layout.value.body || legal[0] < legal[1]);
                offsets.push(read);
            }
            let rows = vec![0; read as usize];
            readers.find(Lists { offsets: &offsets, rows: &rows }, 1);
        }
    }

    /// Rounds the rows that the batch reads, if tables are kept in 16 bits.
    fn round(&mut self, isa: Isa, layout: &SparseLayout, parameters: &[&[f32]]) {
        let Some(halves) = &mut self.halves else { return };
        for (number, parameter) in layout.tables().into_iter().enumerate() {
            let (values, [rows, width]) = (parameters[parameter], layout.shapes[parameter]);
            let readers = &self.readers[number];
            let chunks = halves[number].chunks_mut(ROUNDED * width);
            chunks.into_par_iter().enumerate().for_each(|(chunk, mut numbers)| {
                let first = chunk * ROUNDED;
                for row in (first..rows.min(first + ROUNDED)).filter(|row| readers.is_read(*row)) {
                    numbers.write(isa, (row - first) * width, &values[row * width..][..width]);
                }
            });
        }
    }

    /// The values of [`SparseLayout::tables`] as training reads them.
    fn numbers<'a>(&'a self, layout: &SparseLayout, parameters: &[&'a [f32]]) -> Vec<NumbersRef<'a>> {
        match &self.halves {
            Some(halves) => {
                let sizes = layout.tables().into_iter().map(|table| parameters[table].len());
                halves.iter().zip(sizes).map(|(numbers, size)| numbers.first(size)).collect()
            }
            None => exact(layout, parameters),
        }
    }
}

/// The values of [`SparseLayout::tables`] without rounding.
fn exact<'a>(layout: &SparseLayout, parameters: &[&'a [f32]]) -> Vec<NumbersRef<'a>> {
    layout.tables().into_iter().map(|table| NumbersRef::Single(parameters[table])).collect()
}

#[cfg(test)]
mod tests;
