//! Towers in play, with the kernels for towers.

mod agreement;
mod calibrate;
mod defaults;
mod layers;
mod throughput;

use chess::{
    Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Wdl,
    encoding::{InputEncoding, MoveEncoding, Plane, SQUARES},
};
use dataset::Batch;
use kernels::{Arena, FreeList, Isa, Outputs, Plan, Precision, Program};

use crate::{
    NetworkError, Weights,
    architecture::PlaneArchitecture,
    planes::{
        inference::{check_finite, encode, finite},
        policy_map::POLICY_PLANES,
    },
    probabilities::{PositionValue, softmax},
    spec::ValueKind,
};

pub(crate) use layers::LayersEvaluator;

pub use agreement::{Agreement, agreement};
pub use calibrate::{CALIBRATION_POSITIONS, calibrate};
pub use throughput::{CompiledNetwork, Throughput, encoded, measure_throughput, peak_of};

/// Settings of a CPU network; unset ones are chosen for the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuOptions {
    /// The instruction set; by default the one named by `TABIYA_ISA`, otherwise the best available.
    pub isa: Option<Isa>,
    /// The number format; the default depends on the instruction set and the network (`docs/methods.md`, "Selection").
    pub precision: Option<Precision>,
}

/// A network compiled for this machine.
///
/// Any number of threads may evaluate at the same time; throughput scales with their number. Equal requests
/// give bit-identical results, independent of the rest of the batch.
pub struct CpuNetwork {
    description: String,
    input: &'static dyn InputEncoding,
    moves: &'static dyn MoveEncoding,
    value: ValueKind,
    program: Program,
    /// For each policy index, the position of its logit in the program's output.
    slots: Vec<u32>,
    /// Buffers not in use by any thread.
    buffers: FreeList<Buffers>,
}

/// The scratch memory with which one thread evaluates a batch.
struct Buffers {
    arena: Arena,
    planes: Vec<Plane>,
}

impl CpuNetwork {
    /// Compiles the network of a weights file. Its calibration is needed only for int8.
    ///
    /// # Errors
    /// [`NetworkError::Kernel`] if this machine lacks the requested instruction set or precision, and those of [`Weights::plan`].
    pub fn from_weights(weights: &Weights, options: CpuOptions) -> Result<Self, NetworkError> {
        Self::new(weights, &PlaneArchitecture::new(weights.spec.planes()?)?, options)
    }

    /// As [`CpuNetwork::from_weights`], for weights laid out as `architecture`.
    pub(crate) fn new(
        weights: &Weights,
        architecture: &PlaneArchitecture,
        options: CpuOptions,
    ) -> Result<Self, NetworkError> {
        let isa = options.isa.map_or_else(Isa::chosen, Ok)?;
        let plan = weights.folded(architecture)?;
        let calibration = weights.calibration.as_ref().map(|ranges| ranges.in_order(&plan.tensors()));
        let calibration = calibration.transpose()?;
        let precision = options
            .precision
            .unwrap_or_else(|| defaults::precision(isa, &isa.precisions(), calibration.is_some()));
        let program = Program::compile(&plan, isa, precision, calibration.as_ref())?;
        let slots = slots(architecture, &program)?;
        let network = Self {
            description: describe(&weights.provenance.name, &plan, &program),
            input: architecture.spec.input_encoding()?,
            moves: architecture.spec.move_encoding()?,
            value: architecture.spec.value.kind,
            program,
            slots,
            buffers: FreeList::default(),
        };
        check_finite(&network)?;
        Ok(network)
    }

    /// Evaluates encoded samples: calls `each` with the index of the sample, its value and a prior for each legal move.
    pub(crate) fn predict(&self, batch: &Batch, mut each: impl FnMut(usize, Wdl, &[f32])) {
        let mut priors = Vec::new();
        self.with_buffers(|Buffers { arena, .. }| {
            self.program.run(arena, &batch.planes, &mut |sample, answer| {
                let legal = batch.legal_offsets[sample] as usize..batch.legal_offsets[sample + 1] as usize;
                let slots = batch.legal_indices[legal].iter().map(|&index| self.slots[usize::from(index)]);
                priors.clear();
                priors.extend(slots.map(|slot| answer.policy[slot as usize]));
                softmax(&mut priors, 1.0);
                each(sample, PositionValue::of(self.value, answer.value).wdl, &priors);
            });
        });
    }

    fn with_buffers<R>(&self, run: impl FnOnce(&mut Buffers) -> R) -> R {
        let new = || Buffers { arena: self.program.arena(), planes: Vec::new() };
        self.buffers.with(new, run)
    }

    fn evaluate_in(
        &self,
        buffers: &mut Buffers,
        batch: &[EvaluationRequest<'_>],
    ) -> Result<Vec<Evaluation>, String> {
        let Buffers { arena, planes } = buffers;
        encode(self.input, batch.iter().map(|request| request.game), planes);
        let mut evaluations = Vec::with_capacity(batch.len());
        self.program.run(arena, planes, &mut |number, answer| {
            evaluations.push(self.evaluation(&batch[number], answer));
        });
        evaluations.into_iter().collect()
    }

    fn evaluation(&self, request: &EvaluationRequest<'_>, answer: Outputs<'_>) -> Result<Evaluation, String> {
        let position = request.game.position();
        let slot = |&legal| self.slots[self.moves.index(position, legal)] as usize;
        let mut priors: Vec<f32> =
            request.legal_moves.iter().map(|legal| answer.policy[slot(legal)]).collect();
        softmax(&mut priors, 1.0);
        let wdl = PositionValue::of(self.value, answer.value).wdl;
        finite(Evaluation { wdl, priors, moves_left: answer.moves_left }, request)
    }
}

/// For each policy index, the position of its logit in the program's output. Indices that no legal move has are never read.
fn slots(architecture: &PlaneArchitecture, program: &Program) -> Result<Vec<u32>, NetworkError> {
    let dense_policy = architecture.tower()?.dense_policy;
    let place = |index: usize| {
        let slot = architecture.policy_map.slot(index).unwrap_or_default() as usize;
        // The kernels' output of a convolution is [planes][squares].
        if dense_policy { slot } else { slot % POLICY_PLANES * SQUARES + slot / POLICY_PLANES }
    };
    Ok((0..architecture.moves).map(|index| program.policy_slot(place(index)) as u32).collect())
}

fn describe(name: &str, plan: &Plan, program: &Program) -> String {
    let (blocks, channels) = (plan.blocks.len(), plan.stem.outputs);
    let refused = Isa::refusal().map(|reason| format!(", not amx: {reason}")).unwrap_or_default();
    let (precision, isa) = (program.precision(), program.isa());
    format!("{name} {blocks}x{channels} {precision} on cpu ({isa}{refused})")
}

impl Evaluator for CpuNetwork {
    fn describe(&self) -> String {
        self.description.clone()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let answer = self.with_buffers(|buffers| self.evaluate_in(buffers, batch));
        answer.map_err(|reason| EvaluatorError { evaluator: self.describe(), batch: batch.len(), reason })
    }

    fn history(&self) -> usize {
        self.input.history()
    }

    fn preferred_batch(&self) -> usize {
        defaults::batch(self.program.isa(), self.program.precision())
    }
}

impl std::fmt::Debug for CpuNetwork {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "CpuNetwork({})", self.description)
    }
}

#[cfg(test)]
mod tests;
