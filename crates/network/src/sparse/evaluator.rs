//! A sparse network for play.

use chess::{
    Chess, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Move, Position, PositionEvaluator, Wdl,
    encoding::{FeatureList, FeatureSet, policy_rows::PolicyRows},
    quiescence::{self, PLIES, StaticValues, WHOLE},
};
use kernels::{
    FreeList, Isa, Precision,
    sparse::{LayerPlan, RowsPlan, SparseArena, SparseNetwork, SparsePlan, TablePlan},
};

use super::{Pair, SparseArchitecture};
use crate::{
    CpuOptions, NetworkError, Weights,
    passes::Parameters,
    planes::inference::{check_finite, finite},
    probabilities::{PositionValue, softmax},
    spec::{Clipping, SparseSpec, ValueKind},
};

/// A sparse network compiled for this machine.
///
/// Any number of threads may evaluate at the same time. Equal requests give bit-identical results, also across instruction
/// sets.
pub struct SparseEvaluator {
    description: String,
    spec: SparseSpec,
    features: &'static dyn FeatureSet,
    policy_features: &'static dyn FeatureSet,
    network: SparseNetwork,
    /// Buffers not in use by any thread.
    buffers: FreeList<Buffers>,
}

/// The scratch memory with which one thread evaluates a position.
struct Buffers {
    features: FeatureList,
    rows: Vec<(u16, u16)>,
    arena: SparseArena,
}

impl SparseEvaluator {
    /// Compiles the network of a weights file.
    ///
    /// # Errors
    /// [`NetworkError::Kind`] for a network of planes; [`NetworkError::Kernel`] for weights that do not fit in eight bits, an
    /// instruction set that this machine does not have; [`NetworkError::Precision`] for another than int8; [`NetworkError::Format`] for weights
    /// whose products are not finite.
    pub fn from_weights(weights: &Weights, options: CpuOptions) -> Result<Self, NetworkError> {
        let spec = weights.spec.sparse()?;
        let isa = options.isa.map_or_else(Isa::chosen, Ok)?;
        if let Some(precision) = options.precision.filter(|precision| *precision != Precision::Int8) {
            let reason = "a sparse network plays in int8 only (leave precision out)".into();
            return Err(NetworkError::Precision { precision: precision.name(), reason });
        }
        let architecture = SparseArchitecture::new(spec)?;
        let (parameters, _) = weights.values();
        let network = SparseNetwork::compile(&plan(&architecture, &parameters), isa)?;
        let (name, shape, kernels) = (&weights.provenance.name, weights.spec.shape_name(), network.kernels());
        let evaluator = Self {
            description: format!("{name} {shape} int8 on cpu ({kernels})"),
            features: spec.feature_set()?,
            policy_features: spec.policy_feature_set()?,
            spec: spec.clone(),
            network,
            buffers: FreeList::default(),
        };
        check_finite(&evaluator)?;
        Ok(evaluator)
    }

    fn new_buffers(&self) -> Buffers {
        Buffers { features: FeatureList::new(), rows: Vec::new(), arena: self.network.arena() }
    }

    /// The network's static output for a position.
    fn network_value(&self, buffers: &mut Buffers, position: &Chess) -> Wdl {
        self.features.active(position, &mut buffers.features);
        let bucket = self.spec.bucket(position.board().occupied().count());
        let logits = self.network.value(&mut buffers.arena, buffers.features.as_slice(), bucket);
        PositionValue::of(ValueKind::Wdl, &logits).wdl
    }

    /// The value after pending captures, if the network's own is static.
    fn value(&self, buffers: &mut Buffers, position: &Chess) -> Wdl {
        let wdl = self.network_value(buffers, position);
        if self.spec.static_value { quiet_value(self, buffers, position, wdl) } else { wdl }
    }

    fn evaluation(
        &self,
        buffers: &mut Buffers,
        request: &EvaluationRequest<'_>,
    ) -> Result<Evaluation, String> {
        let (position, mut priors) = (request.game.position(), Vec::new());
        let wdl = self.value(buffers, position);
        self.logits(buffers, position, request.legal_moves, &mut priors);
        softmax(&mut priors, 1.0);
        finite(Evaluation { wdl, priors, moves_left: None }, request)
    }

    /// Replaces the contents of `logits` by those of the legal moves.
    fn logits(&self, buffers: &mut Buffers, position: &Chess, legal_moves: &[Move], logits: &mut Vec<f32>) {
        let Buffers { features, rows, arena } = buffers;
        self.policy_features.active(position, features);
        let of_position = PolicyRows::new(position);
        rows.clear();
        rows.extend(legal_moves.iter().map(|chess_move| of_position.of(*chess_move)));
        logits.clear();
        logits.resize(rows.len(), 0.0);
        self.network.logits(arena, features.as_slice(), rows, logits);
    }
}

/// The network in the form that the kernels take.
fn plan<'a>(architecture: &SparseArchitecture, parameters: &'a Parameters) -> SparsePlan<'a> {
    let clipping = architecture.spec().clipping;
    let mut layers = Vec::with_capacity(architecture.layers.len());
    for &Pair { weight, bias } in &architecture.layers {
        layers.push(LayerPlan { weights: &parameters[weight], bias: &parameters[bias] });
    }
    SparsePlan {
        table: table(parameters, architecture.table, clipping),
        direct: &parameters[architecture.direct],
        layers,
        buckets: architecture.spec().buckets,
        policy: architecture.policy_table.map(|pair| table(parameters, pair, clipping)),
        moves: rows(parameters, architecture.moves),
        kinds: rows(parameters, architecture.kinds),
    }
}

fn table(parameters: &Parameters, Pair { weight, bias }: Pair, clipping: Clipping) -> TablePlan<'_> {
    TablePlan { weights: &parameters[weight], bias: &parameters[bias], clipping }
}

fn rows(parameters: &Parameters, Pair { weight, bias }: Pair) -> RowsPlan<'_> {
    RowsPlan { weights: &parameters[weight], bias: &parameters[bias] }
}

impl Evaluator for SparseEvaluator {
    fn describe(&self) -> String {
        self.description.clone()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let found: Result<Vec<Evaluation>, String> = self.buffers.with(
            || self.new_buffers(),
            |buffers| batch.iter().map(|request| self.evaluation(buffers, request)).collect(),
        );
        found.map_err(|reason| EvaluatorError { evaluator: self.describe(), batch: batch.len(), reason })
    }

    fn history(&self) -> usize {
        1
    }

    fn position_evaluator(&self) -> Option<Box<dyn PositionEvaluator + '_>> {
        Some(Box::new(ThreadEvaluator { network: self, buffers: self.new_buffers() }))
    }
}

/// A thread's evaluator of single positions.
struct ThreadEvaluator<'a> {
    network: &'a SparseEvaluator,
    buffers: Buffers,
}

impl PositionEvaluator for ThreadEvaluator<'_> {
    fn value(&mut self, position: &Chess) -> Wdl {
        self.network.value(&mut self.buffers, position)
    }

    fn static_value(&mut self, position: &Chess) -> Wdl {
        self.network.network_value(&mut self.buffers, position)
    }

    fn priors(&mut self, position: &Chess, legal_moves: &[Move], temperature: f32, priors: &mut Vec<f32>) {
        self.network.logits(&mut self.buffers, position, legal_moves, priors);
        softmax(priors, temperature);
    }
}

impl std::fmt::Debug for SparseEvaluator {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "SparseEvaluator({})", self.description)
    }
}

/// Units of a value per 1 in the log-odds of a win, with a draw counting half. The quiescence search uses integers; one unit
/// changes an expected score by at most 0.00025.
const UNITS: f32 = 1_000.0;
/// The largest static value in these units, about where [`Wdl::log_odds`] ends: far enough below [`MATE`] that a static value
/// is never mistaken for a mate.
const LARGEST: f32 = 20_000.0;

/// The value of a position whose static value is `standing`.
///
/// A network that was trained on static evaluations values a position as if nothing were capturable, so a search that stops in
/// the middle of an exchange would be misled by a piece. Searches that resolve exchanges themselves ask for the static value; for
/// the others the exchange is resolved here. The result is one number, of which win, draw and loss are reconstructed:
/// the network's probability of a draw is kept as far as the new value leaves room for it.
fn quiet_value(network: &SparseEvaluator, buffers: &mut Buffers, position: &Chess, standing: Wdl) -> Wdl {
    let known = units(standing);
    let mut line = Line { network, buffers, known };
    let found = quiescence::value(&mut line, position, 0, WHOLE, PLIES);
    if found == known {
        return standing;
    }
    // The inverse of `units`: for log-odds x, the expected score is s(x) = 1 / (1 + e^-x), and win minus loss is
    // 2 s(x) - 1 = tanh(x / 2).
    let value = (0.5 * found as f32 / UNITS).tanh();
    let draw = standing.draw.min(1.0 - value.abs());
    let win = (0.5 * (1.0 - draw + value)).max(0.0);
    let loss = (0.5 * (1.0 - draw - value)).max(0.0);
    Wdl { win, draw, loss }
}

struct Line<'a> {
    network: &'a SparseEvaluator,
    buffers: &'a mut Buffers,
    /// Static value of the first position.
    known: i32,
}

impl StaticValues for Line<'_> {
    fn value(&mut self, ply: usize, position: &Chess) -> i32 {
        if ply == 0 {
            return self.known;
        }
        units(self.network.network_value(self.buffers, position))
    }
}

fn units(wdl: Wdl) -> i32 {
    (UNITS * wdl.log_odds()).clamp(-LARGEST, LARGEST) as i32
}
