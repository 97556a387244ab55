//! Encodes positions as inputs and turns the outputs of the heads into evaluations, for networks that are computed
//! layer by layer.

use chess::{
    Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, Heads, Move,
    encoding::{InputEncoding, MoveEncoding, Plane},
};

use crate::{
    NetworkError,
    architecture::PlaneArchitecture,
    probabilities::{PositionValue, softmax},
};

/// The encodings that turn positions into inputs and outputs into evaluations.
pub(crate) struct InferenceEncodings {
    pub(crate) architecture: PlaneArchitecture,
    pub(crate) input: &'static dyn InputEncoding,
    moves: &'static dyn MoveEncoding,
}

/// Raw outputs of the heads for a batch, before softmax or tanh; `None` for a head that the network lacks.
pub(crate) struct InferenceOutputs {
    /// `[boards][policy_map.width()]`.
    pub(crate) policy: Option<Vec<f32>>,
    /// `[boards][outputs]`.
    pub(crate) value: Option<Vec<f32>>,
    /// `[boards]`; negative values mean zero.
    pub(crate) moves_left: Option<Vec<f32>>,
}

impl InferenceEncodings {
    /// The encodings of a network that was laid out.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`], which laying out already rules out.
    pub(crate) fn new(architecture: PlaneArchitecture) -> Result<Self, NetworkError> {
        let (input, moves) = (architecture.spec.input_encoding()?, architecture.spec.move_encoding()?);
        Ok(Self { architecture, input, moves })
    }

    /// The heads that the network has.
    pub(crate) fn heads(&self) -> Heads {
        let list = &self.architecture.list;
        Heads { policy: list.policy.is_some(), value: list.value.is_some() }
    }

    /// Evaluates a batch: `heads` computes the raw outputs of the heads from the planes of all its positions.
    /// `evaluator` names the network in errors.
    ///
    /// # Errors
    /// [`EvaluatorError`] if `heads` fails or its outputs are unusable.
    pub(crate) fn evaluate(
        &self,
        evaluator: &str,
        batch: &[EvaluationRequest<'_>],
        heads: impl FnOnce(&[Plane]) -> Result<InferenceOutputs, String>,
    ) -> Result<Vec<Evaluation>, EvaluatorError> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let mut planes = Vec::new();
        encode(self.input, batch.iter().map(|request| request.game), &mut planes);
        let evaluations = heads(&planes).and_then(|numbers| self.evaluations(batch, &numbers));
        evaluations.map_err(|reason| EvaluatorError {
            evaluator: evaluator.to_owned(),
            batch: batch.len(),
            reason,
        })
    }

    /// Probabilities of the legal moves; uniform if there is no policy.
    fn priors(&self, request: &EvaluationRequest<'_>, logits: Option<&[f32]>) -> Result<Vec<f32>, String> {
        let position = request.game.position();
        let logit = |&chess_move| {
            let Some(logits) = logits else { return Ok(0.0) };
            let index = self.moves.index(position, chess_move);
            let slot = self.architecture.policy_map.slot(index);
            slot.map(|slot| logits[slot as usize]).ok_or_else(|| format!("policy index {index} fits no move"))
        };
        let mut priors = request.legal_moves.iter().map(logit).collect::<Result<Vec<f32>, String>>()?;
        softmax(&mut priors, 1.0);
        Ok(priors)
    }

    /// Converts the heads' outputs to evaluations; the error names the position whose outputs are not finite.
    fn evaluations(
        &self,
        batch: &[EvaluationRequest<'_>],
        numbers: &InferenceOutputs,
    ) -> Result<Vec<Evaluation>, String> {
        let InferenceOutputs { policy, value, moves_left } = numbers;
        let (kind, width) = (self.architecture.spec.value.kind, self.architecture.policy_map.width());
        let evaluation = |(board, request): (usize, &EvaluationRequest<'_>)| {
            let logits = policy.as_ref().map(|logits| &logits[board * width..(board + 1) * width]);
            let priors = self.priors(request, logits)?;
            let numbers = value.as_deref().unwrap_or_default();
            let numbers = &numbers[board * kind.outputs()..(board + 1) * kind.outputs()];
            let wdl = PositionValue::of(kind, numbers).wdl;
            let moves_left = moves_left.as_ref().map(|plies| plies[board].max(0.0));
            finite(Evaluation { wdl, priors, moves_left }, request)
        };
        batch.iter().enumerate().map(evaluation).collect()
    }
}

/// Replaces the contents of `planes` with the planes of positions, one position after another.
pub(crate) fn encode<'a>(
    input: &dyn InputEncoding,
    games: impl ExactSizeIterator<Item = &'a Game>,
    planes: &mut Vec<Plane>,
) {
    let count = input.planes();
    planes.resize(games.len() * count, Plane::EMPTY);
    for (game, planes) in games.zip(planes.chunks_exact_mut(count)) {
        input.encode(game, planes);
    }
}

/// The evaluation, if its value and priors are finite; the error names the position.
pub(crate) fn finite(evaluation: Evaluation, request: &EvaluationRequest<'_>) -> Result<Evaluation, String> {
    if evaluation.wdl.value().is_finite() && evaluation.priors.iter().all(|prior| prior.is_finite()) {
        Ok(evaluation)
    } else {
        Err(format!("the network's output for {} is not finite", request.game.fen()))
    }
}

/// Checks that a network's outputs for the starting position are finite: weights so large that sums overflow would
/// otherwise end the first search.
pub(crate) fn check_finite(evaluator: &dyn Evaluator) -> Result<(), NetworkError> {
    let game = Game::default();
    let legal_moves: Vec<Move> = game.legal_moves().into_iter().collect();
    let request = EvaluationRequest { game: &game, legal_moves: &legal_moves };
    evaluator.evaluate(&[request]).map_err(|error| NetworkError::Format {
        place: evaluator.describe(),
        what: "weights".into(),
        found: error.reason,
        expected: "numbers small enough to be added up".into(),
    })?;
    Ok(())
}
