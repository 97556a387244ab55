//! A slow and obvious evaluation of a network: the oracle for every faster one.

use chess::{
    Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Wdl,
    encoding::{InputEncoding, MoveEncoding, Plane},
};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::{
    NetworkError, Weights,
    architecture::PlaneArchitecture,
    planes::layers::tests::plain::{PlainMode, forward},
    probabilities::{PositionValue, softmax},
};

/// Any network of planes, in plain loops in double precision.
pub(crate) struct ReferenceNetwork {
    name: String,
    input: &'static dyn InputEncoding,
    moves: &'static dyn MoveEncoding,
    architecture: PlaneArchitecture,
    parameters: Vec<Vec<f64>>,
    statistics: Vec<Vec<f64>>,
}

/// The output of the network for one position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Output {
    /// One logit for each index of the move encoding, before softmax; all zero without a policy head.
    pub(crate) policy: Vec<f32>,
    /// Value for the side to move.
    pub(crate) wdl: Wdl,
    /// Expected plies until the game ends.
    pub(crate) moves_left: Option<f32>,
}

impl ReferenceNetwork {
    /// The network of a weights file.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`], which reading a file already rules out.
    pub(crate) fn new(weights: &Weights) -> Result<Self, NetworkError> {
        let architecture = PlaneArchitecture::new(weights.spec.planes()?)?;
        let (parameters, statistics) = weights.values();
        let exact = |values: Vec<Vec<f32>>| -> Vec<Vec<f64>> {
            values.into_iter().map(|values| values.into_iter().map(f64::from).collect()).collect()
        };
        Ok(Self {
            name: weights.provenance.name.clone(),
            input: weights.spec.input_encoding()?,
            moves: weights.spec.move_encoding()?,
            architecture,
            parameters: exact(parameters),
            statistics: exact(statistics),
        })
    }

    /// The encoding of positions as planes.
    pub(crate) fn input(&self) -> &'static dyn InputEncoding {
        self.input
    }

    /// Runs the network on one encoded position.
    ///
    /// # Shapes
    /// `planes` is `[input().planes()]`; the policy has the length of the move encoding.
    pub(crate) fn forward(&self, planes: &[Plane]) -> Output {
        let Self { architecture, parameters, statistics, .. } = self;
        let outputs = forward(&architecture.list, parameters, PlainMode::Play { statistics }, planes);
        let logit = |index: usize| {
            let slot = architecture.policy_map.slot(index).unwrap_or_default();
            outputs.policy.get(slot as usize).map_or(0.0, |logit| *logit as f32)
        };
        let value: Vec<f32> = outputs.value.iter().map(|value| *value as f32).collect();
        Output {
            policy: (0..architecture.moves).map(logit).collect(),
            wdl: PositionValue::of(architecture.spec.value.kind, &value).wdl,
            moves_left: outputs.moves_left.first().map(|plies| plies.max(0.0) as f32),
        }
    }

    fn evaluate_one(&self, request: &EvaluationRequest<'_>) -> Result<Evaluation, String> {
        let mut planes = vec![Plane::default(); self.input.planes()];
        self.input.encode(request.game, &mut planes);
        let output = self.forward(&planes);
        let index = |&chess_move| self.moves.index(request.game.position(), chess_move);
        let mut priors: Vec<f32> =
            request.legal_moves.iter().map(|chess_move| output.policy[index(chess_move)]).collect();
        softmax(&mut priors, 1.0);
        let wdl = output.wdl;
        let finite = priors.iter().chain(&[wdl.win, wdl.draw, wdl.loss]).all(|value| value.is_finite());
        if !finite {
            return Err(format!("the network's output for {} is not finite", request.game.fen()));
        }
        Ok(Evaluation { wdl, priors, moves_left: output.moves_left })
    }
}

impl Evaluator for ReferenceNetwork {
    fn describe(&self) -> String {
        format!("{}, plain reference", self.name)
    }

    fn history(&self) -> usize {
        self.input.history()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        batch
            .par_iter()
            .map(|request| {
                self.evaluate_one(request).map_err(|reason| EvaluatorError {
                    evaluator: self.describe(),
                    batch: batch.len(),
                    reason,
                })
            })
            .collect()
    }
}

impl std::fmt::Debug for ReferenceNetwork {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ReferenceNetwork({})", self.describe())
    }
}
