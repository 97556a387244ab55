//! Lists of layers in training.
//!
//! # Order of sums
//!
//! A gradient is a sum over boards, and a sum of floats depends on its order. So the cuts below are functions of the number of
//! boards and of the shapes alone; threads only decide who computes a piece, never what is in it. A run repeats to the last bit
//! on any number of threads, and resuming depends on that.
//!
//! ```text
//! batch
//!  |  parts of 256 boards (small lists without statistics of the batch) or one part
//!  |     added up: parts in order into at most 32 sums, then the sums in order            `backward`
//!  +- layer by layer, last to first
//!      |  micro-batches of 16 boards or more, at most 16: gradients of weights              `workers::micro_batches`
//!      |  pieces of 32,768 floats: column sums, statistics                                  `Workers::piece`
//! ```
//!
//! What may depend on the number of threads is the division of independent results: rows of an output, columns of a streamed
//! product, the 36 products of Winograd's algorithm.
//!
//! # Memory
//!
//! The forward pass keeps the value of every place that a backward pass reads (see `memory`). All buffers live as long as the
//! network and grow to the largest batch: new memory arrives as cleared pages from the operating system, which took a sixth of
//! the passes of two of the networks measured (`docs/experiments/training-layer-lists.md`, "Near the peak").

use chess::encoding::Plane;
use rayon::prelude::*;

use super::{
    compiled::{BackwardRequest, Compiled, Factors, Request, Use, compile},
    convolution::half_convolutions,
    list::List,
    memory::Memory,
    normalise::NormStatistics,
    operation::Operation,
};
use crate::{FreeList, Isa, KernelError, Operations, Precision};

/// Boards of a part of a batch. Few enough that the values of two layers stay in a core's cache and a batch has several parts, many
/// enough that adding up the gradients costs little. Chosen by measuring 64 to 1024 (docs/experiments/training-layer-lists.md).
const PART: usize = 256;
/// Most parameters of a network whose batches are computed in parts: each part has gradients of its own, which have to be added up.
const MOST_PARAMETERS: usize = 1 << 20;
/// Most sums of gradients at a time. It does not depend on the number of threads, so sums are reproducible bit for bit.
const MOST_SUMS: usize = 32;

/// The gradients of all parameters.
type Gradients = Vec<Vec<f32>>;

/// Forward and backward passes of a list of layers. Values and gradients are 32-bit floats; in bf16, convolutions over the whole board
/// multiply 16-bit floats.
///
/// Call [`TrainingLayers::forward`] and then, if gradients are needed, [`TrainingLayers::backward`] with the gradients of its outputs.
/// Both use the threads of the rayon pool they are called in; results do not depend on the number of threads.
///
/// There are two ways to share the work. A thread may take a part of the batch through all layers, which needs no waiting between
/// layers and finds the values of a layer in its cache when it computes the next. Where the boards of a batch depend on each other,
/// as in batch normalisation, or the sums of the parts' gradients would cost more than the waiting, all threads work on one layer after
/// the other.
pub struct TrainingLayers {
    list: List,
    compiled: Box<dyn Compiled>,
    /// Most boards of a part.
    part: usize,
    /// One for each part of the largest batch so far, at least one.
    memories: Vec<Memory>,
    /// Boards in the last batch.
    boards: usize,
    /// Gradient buffers that are free for reuse.
    spare: Vec<Gradients>,
    /// Gradient buffers of single parts, free for reuse.
    terms: FreeList<Gradients>,
    precision: Precision,
}

impl TrainingLayers {
    /// Compiles a list for training.
    ///
    /// # Errors
    /// [`KernelError::MissingIsa`], [`KernelError::MissingPrecision`] if no layer multiplies in the precision, or
    /// [`KernelError::Shape`] with the first layer that does not fit the layers it reads.
    pub fn new(list: &List, isa: Isa, precision: Precision) -> Result<Self, KernelError> {
        let half = match precision {
            Precision::F32 => None,
            Precision::Bf16 => Some(half_convolutions(list, isa)?),
            Precision::Int8 => return Err(isa.without(precision, "networks are trained in f32 or bf16")),
        };
        let compiled = compile(list, isa, Use::Training { half })?;
        // Dropout acts on single boards, but its factors are drawn for a layer and the boards of one pass, by the number of the
        // layer: every part would draw the same ones.
        let is_of_batch = |operation| matches!(operation, Operation::BatchNorm | Operation::Dropout { .. });
        let parameters: usize = list.parameter_lengths().iter().sum();
        let in_parts =
            parameters <= MOST_PARAMETERS && !list.steps.iter().any(|step| is_of_batch(step.operation));
        Ok(Self {
            part: if in_parts { PART } else { usize::MAX },
            memories: vec![Memory::new(list)],
            boards: 0,
            spare: Vec::new(),
            terms: FreeList::default(),
            list: list.clone(),
            compiled,
            precision,
        })
    }

    /// Runs the layers on boards; `planes` holds the planes of one board after another. Returns the values of each
    /// output of the list, `[boards][channels]`.
    ///
    /// # Errors
    /// [`KernelError::Shape`] if `planes` is empty or does not hold whole boards, or the parameters do not fit.
    pub fn forward(
        &mut self,
        parameters: &[Vec<f32>],
        planes: &[Plane],
        normalisation: NormStatistics<'_>,
        factors: Option<Factors<'_>>,
    ) -> Result<Vec<Vec<f32>>, KernelError> {
        self.list.check_parameters(parameters)?;
        check_planes(&self.list, planes)?;
        self.compiled.pack(parameters);
        let channels = self.list.channels.len();
        self.boards = planes.len() / channels;
        let parts: Vec<&[Plane]> = planes.chunks(self.part.saturating_mul(channels)).collect();
        if self.memories.len() < parts.len() {
            self.memories.resize_with(parts.len(), || Memory::new(&self.list));
        }
        let helpers = parts.len() == 1;
        let found: Vec<Vec<Vec<f32>>> = self
            .memories
            .par_iter_mut()
            .zip(parts)
            .map(|(memory, planes)| {
                let request = Request { parameters, planes, normalisation, factors, helpers };
                self.compiled.forward(memory, &request);
                outputs(&self.list, memory)
            })
            .collect();
        Ok(joined(found))
    }

    /// The mean and variance used by the last forward pass, `[2][channels]` for each batch normalisation.
    pub fn statistics(&self) -> &[Vec<f32>] {
        &self.memories[0].statistics
    }

    /// The gradients of the parameters, given the gradients of the outputs of the last forward pass, which must have used the statistics
    /// of the batch.
    ///
    /// # Errors
    /// [`KernelError::Shape`] if the gradients do not fit the last batch.
    pub fn backward(
        &mut self,
        parameters: &[Vec<f32>],
        outputs: &[&[f32]],
    ) -> Result<Gradients, KernelError> {
        self.list.check_parameters(parameters)?;
        let widths: Vec<usize> =
            self.list.outputs.iter().map(|place| self.list.shape(*place).channels).collect();
        let expected: Vec<usize> = widths.iter().map(|width| self.boards * width).collect();
        let found: Vec<usize> = outputs.iter().map(|gradient| gradient.len()).collect();
        if found != expected || self.boards == 0 {
            return Err(KernelError::Shape {
                part: "gradients of the outputs".into(),
                found: found.iter().sum(),
                expected: expected.iter().sum(),
            });
        }
        let parts = self.boards.div_ceil(self.part);
        let parts_of_sum = parts.div_ceil(MOST_SUMS);
        self.spare.resize_with(parts.div_ceil(parts_of_sum), Vec::new);
        let helpers = parts == 1;
        // A task owns a run of neighbouring parts and one sum, so 32 buffers of gradients (128 MB for a million parameters), and
        // one for each thread, suffice for a batch of any size. The runs are cut by `parts`, not by the number of threads.
        let sum = |(number, (memories, mut total)): (usize, (&mut [Memory], Gradients))| {
            for (place, memory) in memories.iter_mut().enumerate() {
                let first = (number * parts_of_sum + place) * self.part;
                let boards = first..self.boards.min(first.saturating_add(self.part));
                let outputs: Vec<&[f32]> = (outputs.iter().zip(&widths))
                    .map(|(gradient, width)| &gradient[boards.start * width..boards.end * width])
                    .collect();
                let request = BackwardRequest { parameters, outputs: &outputs, helpers };
                if place == 0 {
                    total = self.compiled.backward(memory, std::mem::take(&mut total), &request);
                } else {
                    self.terms.with(Vec::new, |term| {
                        *term = self.compiled.backward(memory, std::mem::take(term), &request);
                        add(&mut total, term);
                    });
                }
            }
            total
        };
        let buffers = std::mem::take(&mut self.spare);
        let mut sums: Vec<Gradients> =
            self.memories[..parts].par_chunks_mut(parts_of_sum).zip(buffers).enumerate().map(sum).collect();
        let others = sums.split_off(1);
        let mut total = sums.remove(0);
        for term in &others {
            add(&mut total, term);
        }
        self.spare = others;
        Ok(total)
    }

    /// Takes back the gradients from [`TrainingLayers::backward`] to reuse their memory for the next ones: allocating
    /// new memory costs about as much time as filling it.
    pub fn give_back(&mut self, gradients: Gradients) {
        self.spare.push(gradients);
    }

    /// Length of each parameter, in the order of the list.
    pub fn parameter_lengths(&self) -> Vec<usize> {
        self.list.parameter_lengths()
    }

    /// Multiply-adds of the forward and backward passes for one position.
    pub fn operations(&self) -> Operations {
        self.list.operations(self.precision)
    }
}

/// The outputs of all parts, `[outputs][boards][channels]`.
fn joined(parts: Vec<Vec<Vec<f32>>>) -> Vec<Vec<f32>> {
    let mut parts = parts.into_iter();
    let mut whole = parts.next().unwrap_or_default();
    for part in parts {
        whole.iter_mut().zip(part).for_each(|(whole, part)| whole.extend(part));
    }
    whole
}

/// Adds gradients to a sum.
fn add(sum: &mut Gradients, terms: &Gradients) {
    for (sum, terms) in sum.iter_mut().flatten().zip(terms.iter().flatten()) {
        *sum += terms;
    }
}

/// Checks that the planes form whole boards.
pub(super) fn check_planes(list: &List, planes: &[Plane]) -> Result<(), KernelError> {
    let (count, found) = (list.channels.len(), planes.len());
    if found > 0 && found.is_multiple_of(count) {
        return Ok(());
    }
    let part = format!("planes of a batch ({count} each)");
    Err(KernelError::Shape { part, found, expected: count * (found / count).max(1) })
}

/// The outputs of the last batch.
pub(super) fn outputs(list: &List, memory: &Memory) -> Vec<Vec<f32>> {
    list.outputs.iter().map(|place| memory.flat(*place, list.shape(*place))).collect()
}
