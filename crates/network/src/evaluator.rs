//! Opens a trained network as an [`Evaluator`] with the implementation that can compute it.

use std::{path::Path, sync::Arc};

use chess::{
    Color, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Heads, encoding::InputEncoding,
};

use crate::{
    CompiledNetwork, CpuNetwork, CpuOptions, NetworkError, PlaneSpec, Weights,
    architecture::PlaneArchitecture, planes::evaluator::LayersEvaluator,
};

/// Opens a weights file for play, in this program's format or lc0's.
///
/// # Errors
/// As [`Weights::read`] and [`CpuNetwork::from_weights`].
pub fn open(path: &Path, options: CpuOptions) -> Result<Arc<dyn Evaluator>, NetworkError> {
    from_weights(&Weights::read(path)?, options)
}

/// Opens the bytes of a weights file for play, such as the network that is built into the program.
///
/// # Errors
/// As [`Weights::from_bytes`] and [`CpuNetwork::from_weights`].
pub fn from_bytes(bytes: &[u8], options: CpuOptions) -> Result<Arc<dyn Evaluator>, NetworkError> {
    from_weights(&Weights::from_bytes(bytes, "built-in network")?, options)
}

/// A network for play, from its weights.
///
/// # Errors
/// As [`CpuNetwork::from_weights`].
pub fn from_weights(weights: &Weights, options: CpuOptions) -> Result<Arc<dyn Evaluator>, NetworkError> {
    weights.spec.kind().evaluator(weights, options)
}

/// A network of planes for play.
pub(crate) fn of_planes(
    spec: &PlaneSpec,
    weights: &Weights,
    options: CpuOptions,
) -> Result<Arc<dyn Evaluator>, NetworkError> {
    Ok(for_the_mover(spec.input_encoding()?, compiled(weights, options)?))
}

/// A network of planes compiled for this machine: with the kernels for towers if they support it, otherwise layer by layer.
///
/// # Errors
/// As [`CpuNetwork::from_weights`].
pub fn compiled(weights: &Weights, options: CpuOptions) -> Result<Arc<dyn CompiledNetwork>, NetworkError> {
    let architecture = PlaneArchitecture::new(weights.spec.planes()?)?;
    // The tower is not a setting of the file but a property of its layers: a recipe may write the same network as `blocks` or
    // as a list, and gets the same kernels. The other evaluator is given the refusal, which names the first layer that is not a
    // tower's, so that nobody has to guess why a network does not play in bf16.
    Ok(match architecture.tower().err() {
        None => Arc::new(CpuNetwork::new(weights, &architecture, options)?),
        Some(reason) => Arc::new(LayersEvaluator::new(weights, architecture, &reason.to_string(), options)?),
    })
}

/// Wraps an evaluator as searches expect it: values are flipped to the point of view of the side to move if the input
/// encoding has a different viewer.
fn for_the_mover(input: &'static dyn InputEncoding, evaluator: Arc<dyn Evaluator>) -> Arc<dyn Evaluator> {
    // An encoding that always shows White's side gives White's value also when Black is to move. Searches expect the mover's, and
    // a value with the wrong sign in half of the positions would look like a weak network and not like an error.
    let is_movers = [Color::White, Color::Black].into_iter().all(|turn| input.value_viewer(turn) == turn);
    if is_movers { evaluator } else { Arc::new(Viewed { input, evaluator }) }
}

struct Viewed {
    input: &'static dyn InputEncoding,
    evaluator: Arc<dyn Evaluator>,
}

impl Evaluator for Viewed {
    fn describe(&self) -> String {
        self.evaluator.describe()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let mut answers = self.evaluator.evaluate(batch)?;
        for (answer, request) in answers.iter_mut().zip(batch) {
            let turn = request.game.turn();
            if self.input.value_viewer(turn) != turn {
                answer.wdl = answer.wdl.flipped();
            }
        }
        Ok(answers)
    }

    fn heads(&self) -> Heads {
        self.evaluator.heads()
    }

    fn history(&self) -> usize {
        self.evaluator.history()
    }

    fn preferred_batch(&self) -> usize {
        self.evaluator.preferred_batch()
    }
}

#[cfg(test)]
mod tests;
