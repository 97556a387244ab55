//! Play with any list of layers on the CPU, with the kernels of this project.

use chess::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Heads, encoding::Plane};
use kernels::{
    FreeList, Isa, Precision,
    layers::{EightBitShare, LayersArena, PlayLayers},
};

use super::CpuOptions;
use crate::{
    NetworkError, Weights,
    architecture::PlaneArchitecture,
    kind::NetworkKind as _,
    planes::inference::{InferenceEncodings, InferenceOutputs},
};

/// Batch size at which a position costs little more than in a large batch: 3x3 convolutions over the board read a layer's
/// weights once for eight boards.
const PREFERRED_BATCH: usize = 8;

/// A network that is not a tower, compiled for this machine: in 32-bit floats, or with most 1x1 convolutions and dense layers in eight bits.
///
/// Any number of threads may evaluate at the same time; each runs independently. Equal requests give bit-identical results,
/// independent of the rest of the batch.
pub(crate) struct LayersEvaluator {
    description: String,
    pub(super) isa: Isa,
    pub(super) precision: Precision,
    pub(super) encodings: InferenceEncodings,
    pub(super) layers: PlayLayers,
    /// Arenas not in use by any thread.
    pub(super) arenas: FreeList<LayersArena>,
}

impl LayersEvaluator {
    /// Compiles the network of a weights file, laid out as `architecture`; `reason` says why it cannot be computed as a tower.
    ///
    /// # Errors
    /// [`NetworkError::Precision`] for a precision that no layer of the network plays in; [`NetworkError::Kernel`] if this machine
    /// lacks the requested instruction set, or the instruction set the precision.
    pub(crate) fn new(
        weights: &Weights,
        architecture: PlaneArchitecture,
        reason: &str,
        options: CpuOptions,
    ) -> Result<Self, NetworkError> {
        let isa = options.isa.map_or_else(Isa::chosen, Ok)?;
        let precision = options.precision.unwrap_or(Precision::F32);
        let encodings = InferenceEncodings::new(architecture)?;
        let list = &encodings.architecture.list;
        let (parameters, statistics) = weights.values();
        let list = list.for_play();
        let available = PlayLayers::precisions(&list);
        if !available.contains(&precision) {
            let those = if available.len() > 1 { "f32 and int8" } else { "f32" };
            let reason = format!("the network plays in {those} only: {reason} (use precision f32)");
            return Err(NetworkError::Precision { precision: precision.name(), reason });
        }
        let layers = PlayLayers::new(&list, isa, precision, &parameters, &statistics)?;
        let (name, shape) = (&weights.provenance.name, encodings.architecture.spec.shape_name());
        let share = layers.eight_bits().map(described).unwrap_or_default();
        let description = format!("{name} {shape} {precision} on cpu ({isa}, {share}layer by layer)");
        Ok(Self { description, isa, precision, encodings, layers, arenas: FreeList::default() })
    }

    fn heads(&self, planes: &[Plane]) -> Result<InferenceOutputs, String> {
        let answers = self.arenas.with(|| self.layers.arena(), |arena| self.layers.run(arena, planes));
        let mut answers = answers.map_err(|error| error.to_string())?.into_iter();
        let list = &self.encodings.architecture.list;
        let mut head = |place: Option<usize>| place.and_then(|_| answers.next());
        Ok(InferenceOutputs {
            policy: head(list.policy),
            value: head(list.value),
            moves_left: head(list.moves_left),
        })
    }
}

/// The part of a network that is multiplied in eight bits, for its description.
fn described(share: EightBitShare) -> String {
    let EightBitShare { layers, all_layers, multiply_adds } = share;
    let percent = (100.0 * multiply_adds).round();
    format!(
        "{layers} of {all_layers} layers with weights and {percent} % of their multiply-adds in int8, the rest in f32, "
    )
}

impl Evaluator for LayersEvaluator {
    fn describe(&self) -> String {
        self.description.clone()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        self.encodings.evaluate(&self.description, batch, |planes| self.heads(planes))
    }

    fn heads(&self) -> Heads {
        self.encodings.heads()
    }

    fn history(&self) -> usize {
        self.encodings.input.history()
    }

    fn preferred_batch(&self) -> usize {
        PREFERRED_BATCH
    }
}
