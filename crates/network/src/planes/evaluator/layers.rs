//! Play with any list of layers on the CPU, with the kernels of this project.

use chess::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Heads, encoding::Plane};
use kernels::{
    FreeList, Isa, Precision,
    layers::{LayersArena, PlayLayers},
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

/// A network that is not a tower, compiled for this machine in 32-bit floats.
///
/// Any number of threads may evaluate at the same time; each runs independently. Equal requests give bit-identical results,
/// independent of the rest of the batch.
pub(crate) struct LayersEvaluator {
    description: String,
    pub(super) isa: Isa,
    pub(super) encodings: InferenceEncodings,
    pub(super) layers: PlayLayers,
    /// Arenas not in use by any thread.
    pub(super) arenas: FreeList<LayersArena>,
}

impl LayersEvaluator {
    /// Compiles the network of a weights file, laid out as `architecture`; `reason` says why it cannot be computed as a tower.
    ///
    /// # Errors
    /// [`NetworkError::Precision`] for precisions other than f32; [`NetworkError::Kernel`] if this machine lacks the
    /// requested instruction set.
    pub(crate) fn new(
        weights: &Weights,
        architecture: PlaneArchitecture,
        reason: &str,
        options: CpuOptions,
    ) -> Result<Self, NetworkError> {
        if let Some(precision) = options.precision.filter(|precision| *precision != Precision::F32) {
            let reason = format!("the network plays in f32 only: {reason} (use precision f32)");
            return Err(NetworkError::Precision { precision: precision.name(), reason });
        }
        let isa = options.isa.map_or_else(Isa::chosen, Ok)?;
        let encodings = InferenceEncodings::new(architecture)?;
        let list = &encodings.architecture.list;
        let outputs = [list.policy, list.value, list.moves_left].into_iter().flatten().collect();
        let (parameters, statistics) = weights.values();
        let layers = PlayLayers::new(&list.for_kernels(outputs), isa, &parameters, &statistics)?;
        let shape = encodings.architecture.spec.shape_name();
        let description = format!("{} {shape} f32 on cpu ({isa}, layer by layer)", weights.provenance.name);
        Ok(Self { description, isa, encodings, layers, arenas: FreeList::default() })
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
