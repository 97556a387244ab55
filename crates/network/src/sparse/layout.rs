//! Layout of a sparse network: its parameters and their indices.

use chess::{
    Chess,
    encoding::{
        FeatureList, FeatureSet,
        policy_rows::{KIND_ROWS, MOVE_ROWS},
    },
};

use crate::{
    NetworkError, OptimiserConfig, TrainingPrecision,
    kind::{Layout, NetworkKind as _},
    parameter::{Gain, OUTPUT_SCALE, ParameterShape, Role},
    passes::{Forward, Parameters, SparseLayout, SparsePasses},
    sparse::SparseTrainable,
    spec::{SparseSpec, ValueKind},
    trainable::Trainable,
};

/// Parameter indices of a matrix and of the bias that is added to its products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Pair {
    pub weight: usize,
    pub bias: usize,
}

/// A sparse network with its parameters laid out. Every parameter is a matrix in row-major order; n is the number of
/// hidden units, [`SparseSpec::units`], and m is [`SparseSpec::policy_units`].
///
/// | parameter | shape | content |
/// |---|---|---|
/// | `value.table.weight` | `[features, width]` | a row for each feature |
/// | `value.table.bias` | `[1, width]` | the sum without features |
/// | `value.direct` | `[features, 1]` | added to the logit of a win, subtracted from that of a loss |
/// | `value.layer<i>.weight` | `[buckets * outputs, inputs]` | for each bucket a matrix `[outputs, inputs]`; the last layer has three outputs: win, draw, loss |
/// | `value.layer<i>.bias` | `[buckets, outputs]` | |
/// | `policy.table.weight`, `.bias` | as of the value | only if the policy has its own table |
/// | `policy.moves.weight` | `[MOVE_ROWS, m]` | a row for each move |
/// | `policy.moves.bias` | `[MOVE_ROWS, 1]` | |
/// | `policy.kinds.weight` | `[KIND_ROWS, m]` | a row for each kind of move |
/// | `policy.kinds.bias` | `[KIND_ROWS, 1]` | |
///
/// In a weights file the tables and the rows of moves and kinds are stored in eight bits. A table has one quantisation
/// step, a power of two of at least 1/128, so its weights are best kept within 127/128 of zero. Each row of moves or
/// kinds has its own step.
#[derive(Clone, Debug)]
pub struct SparseArchitecture {
    spec: SparseSpec,
    parameters: Vec<ParameterShape>,
    /// The table of the value's features.
    pub table: Pair,
    /// The direct contribution of each feature to the value.
    pub direct: usize,
    /// The layers after the value's hidden units; the last one has three outputs.
    pub layers: Vec<Pair>,
    /// The table of the policy's features, if the policy does not share the value's table.
    pub policy_table: Option<Pair>,
    /// The rows of moves.
    pub moves: Pair,
    /// The rows of kinds of moves.
    pub kinds: Pair,
}

// Initial values: chosen, not tuned.

/// Scale of a table's initial weights, times the square root of the number of features per position, so that
/// the sums spread over the unclipped range.
const REACH: f32 = 1.4;
/// Initial value of the tables' biases.
const TABLE_BIAS: f32 = 0.1;
/// Initial value of the layers' biases.
const LAYER_BIAS: f32 = 0.2;

impl SparseArchitecture {
    /// Lays out a specification.
    ///
    /// # Errors
    /// As [`Spec::check`](crate::Spec::check).
    pub fn new(spec: &SparseSpec) -> Result<Self, NetworkError> {
        spec.check("specification")?;
        let mut list = List::default();
        let (features, policy_features) = (spec.feature_set()?, spec.policy_feature_set()?);
        let table = list.table("value.table", features, spec.width);
        let direct =
            list.add("value.direct".into(), Role::Weight { gain: Gain::Output }, [features.size(), 1]);
        // The order of the parameters is that of weights files and of the initial random numbers.
        let mut inputs = spec.units();
        let mut layers = Vec::new();
        for (number, &outputs) in spec.hidden.iter().chain(&[ValueKind::Wdl.outputs()]).enumerate() {
            let is_last = number == spec.hidden.len();
            // Uniform distribution with He's variance, 2 / inputs, for hidden layers.
            let reach = (6.0 / inputs as f32).sqrt();
            let (weight, bias) = if is_last {
                (Role::Uniform(OUTPUT_SCALE * reach), Role::Bias)
            } else {
                (Role::Uniform(reach), Role::Raised(LAYER_BIAS))
            };
            let name = format!("value.layer{number}");
            layers.push(Pair {
                weight: list.add(format!("{name}.weight"), weight, [spec.buckets * outputs, inputs]),
                bias: list.add(format!("{name}.bias"), bias, [spec.buckets, outputs]),
            });
            inputs = outputs;
        }
        let policy_table =
            spec.policy.as_ref().map(|table| list.table("policy.table", policy_features, table.width));
        let units = spec.policy_units();
        let moves = list.rows("policy.moves", MOVE_ROWS, units);
        let kinds = list.rows("policy.kinds", KIND_ROWS, units);
        Ok(Self { spec: spec.clone(), parameters: list.0, table, direct, layers, policy_table, moves, kinds })
    }

    /// The specification that was laid out.
    pub fn spec(&self) -> &SparseSpec {
        &self.spec
    }

    /// Name and shape of every parameter, in the order of [`Parameters`](crate::passes::Parameters).
    pub fn parameters(&self) -> &[ParameterShape] {
        &self.parameters
    }
}

impl Layout for SparseArchitecture {
    fn parameters(&self) -> &[ParameterShape] {
        &self.parameters
    }

    fn trainable(
        &self,
        parameters: Parameters,
        optimiser: OptimiserConfig,
    ) -> Result<Box<dyn Trainable>, NetworkError> {
        Ok(Box::new(SparseTrainable::new(self, &parameters, optimiser)?))
    }

    fn forward(&self) -> Result<Box<dyn Forward>, NetworkError> {
        Ok(Box::new(SparsePasses::new(SparseLayout::new(self)?, TrainingPrecision::F32)?))
    }
}

/// The parameters listed so far.
#[derive(Default)]
struct List(Vec<ParameterShape>);

impl List {
    fn add(&mut self, name: String, role: Role, [rows, columns]: [usize; 2]) -> usize {
        self.0.push(ParameterShape { name, role, rows, columns });
        self.0.len() - 1
    }

    fn table(&mut self, name: &str, features: &dyn FeatureSet, width: usize) -> Pair {
        // The number of features in the orthodox starting position is taken for all positions.
        let mut active = FeatureList::new();
        features.active(&Chess::default(), &mut active);
        let reach = REACH / (active.as_slice().len() as f32).sqrt();
        Pair {
            weight: self.add(format!("{name}.weight"), Role::Table(reach), [features.size(), width]),
            bias: self.add(format!("{name}.bias"), Role::Raised(TABLE_BIAS), [1, width]),
        }
    }

    /// Rows that are multiplied with the policy's hidden units.
    fn rows(&mut self, name: &str, count: usize, units: usize) -> Pair {
        let reach = 1.0 / (units as f32).sqrt();
        Pair {
            weight: self.add(format!("{name}.weight"), Role::Table(reach), [count, units]),
            bias: self.add(format!("{name}.bias"), Role::Bias, [count, 1]),
        }
    }
}
