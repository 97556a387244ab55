//! A slow and obvious evaluation of a sparse network: the oracle for every faster one.

use chess::{
    Chess, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Move, Position, Wdl,
    encoding::{FeatureList, FeatureSet, policy_rows::PolicyRows},
};

use crate::{
    NetworkError, Weights,
    passes::Parameters,
    probabilities::{PositionValue, softmax},
    sparse::{Pair, SparseArchitecture},
    spec::{Clipping, ValueKind},
};

/// A sparse network in plain loops in single precision.
pub(crate) struct SparseReference {
    name: String,
    architecture: SparseArchitecture,
    features: &'static dyn FeatureSet,
    policy_features: &'static dyn FeatureSet,
    parameters: Parameters,
}

impl SparseReference {
    /// The network of a weights file.
    ///
    /// # Errors
    /// [`NetworkError::Kind`] for a network of planes; [`NetworkError::UnknownEncoding`], which reading a file already rules
    /// out.
    pub(crate) fn new(weights: &Weights) -> Result<Self, NetworkError> {
        let spec = weights.spec.sparse()?;
        Ok(Self {
            name: weights.provenance.name.clone(),
            architecture: SparseArchitecture::new(spec)?,
            features: spec.feature_set()?,
            policy_features: spec.policy_feature_set()?,
            parameters: weights.values().0,
        })
    }

    /// The logits of a win, a draw and a loss for the side to move.
    pub(crate) fn value_logits(&self, position: &Chess) -> [f32; 3] {
        let spec = self.architecture.spec();
        let features = active(self.features, position);
        let mut units = self.hidden_units(self.architecture.table, &features);
        let bucket = spec.bucket(position.board().occupied().count());
        for (number, layer) in self.architecture.layers.iter().enumerate() {
            if number > 0 {
                for sum in &mut units {
                    *sum = sum.clamp(0.0, 1.0).powi(2);
                }
            }
            units = self.layer(*layer, bucket, &units);
        }
        let numbers = &self.parameters[self.architecture.direct];
        let direct: f32 = features.iter().map(|&feature| numbers[feature as usize]).sum();
        [units[0] + direct, units[1], units[2] - direct]
    }

    /// Logits of the legal moves, in their order.
    pub(crate) fn move_logits(&self, position: &Chess, legal_moves: &[Move]) -> Vec<f32> {
        let table = self.architecture.policy_table.unwrap_or(self.architecture.table);
        let units = self.hidden_units(table, &active(self.policy_features, position));
        let rows = PolicyRows::new(position);
        let score = |pair: Pair, row: u16| {
            let row = usize::from(row);
            let weights = &self.parameters[pair.weight][row * units.len()..][..units.len()];
            self.parameters[pair.bias][row] + dot(weights, &units)
        };
        let logit = |&chess_move: &Move| {
            let (row, kind) = rows.of(chess_move);
            score(self.architecture.moves, row) + score(self.architecture.kinds, kind)
        };
        legal_moves.iter().map(logit).collect()
    }

    fn hidden_units(&self, table: Pair, features: &[u32]) -> Vec<f32> {
        let mut sums = self.parameters[table.bias].clone();
        let width = sums.len();
        for &feature in features {
            let row = &self.parameters[table.weight][feature as usize * width..][..width];
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += weight;
            }
        }
        let cut = |sum: &f32| sum.clamp(0.0, 1.0);
        match self.architecture.spec().clipping {
            Clipping::Pairwise => {
                let (first, second) = sums.split_at(width / 2);
                first.iter().zip(second).map(|(a, b)| cut(a) * cut(b)).collect()
            }
            Clipping::Squared => sums.iter().map(|sum| cut(sum).powi(2)).collect(),
        }
    }

    fn layer(&self, layer: Pair, bucket: usize, inputs: &[f32]) -> Vec<f32> {
        let shape = &self.architecture.parameters()[layer.bias];
        let outputs = shape.columns;
        let weights = &self.parameters[layer.weight][bucket * outputs * inputs.len()..];
        let bias = &self.parameters[layer.bias][bucket * outputs..][..outputs];
        let rows = weights.chunks_exact(inputs.len());
        bias.iter().zip(rows).map(|(bias, row)| bias + dot(row, inputs)).collect()
    }

    fn evaluate_one(&self, request: &EvaluationRequest<'_>) -> Result<Evaluation, String> {
        let position = request.game.position();
        let wdl = PositionValue::of(ValueKind::Wdl, &self.value_logits(position)).wdl;
        let mut priors = self.move_logits(position, request.legal_moves);
        softmax(&mut priors, 1.0);
        if !is_finite(wdl, &priors) {
            return Err(format!("the network's output for {} is not finite", request.game.fen()));
        }
        Ok(Evaluation { wdl, priors, moves_left: None })
    }
}

fn active(set: &dyn FeatureSet, position: &Chess) -> Vec<u32> {
    let mut features = FeatureList::new();
    set.active(position, &mut features);
    features.as_slice().to_vec()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn is_finite(wdl: Wdl, priors: &[f32]) -> bool {
    wdl.value().is_finite() && priors.iter().all(|prior| prior.is_finite())
}

impl Evaluator for SparseReference {
    fn describe(&self) -> String {
        format!("{}, plain reference", self.name)
    }

    fn history(&self) -> usize {
        1
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let answers = batch.iter().map(|request| self.evaluate_one(request)).collect::<Result<_, String>>();
        answers.map_err(|reason| EvaluatorError { evaluator: self.describe(), batch: batch.len(), reason })
    }
}

impl std::fmt::Debug for SparseReference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "SparseReference({})", self.describe())
    }
}
