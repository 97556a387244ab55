//! The specification of a sparse network: tables with one row per feature, whose rows are summed over a
//! position's features, and small layers on the sums.

use std::sync::Arc;

use chess::{
    Evaluator,
    encoding::{FeatureSet, features::feature_set},
};
use kernels::sparse::Clipping;

use crate::{
    CpuOptions, NetworkError, Weights,
    architecture::SparseArchitecture,
    container::WeightQuantisation,
    error::invalid,
    kind::{Inputs, Layout, NetworkKind},
    sparse::SparseEvaluator,
    spec::{Spec, ValueKind, check_range, keys},
};

/// An efficiently updatable network in the manner of NNUE (Nasu 2018) and Monty
/// (<https://github.com/official-monty/Monty>): cheap on a CPU, because a position has only about a hundred of many
/// thousand features.
///
/// 1. The rows of the position's features are added to a bias: `width` sums. Features are from the point of view of the
///    side to move.
/// 2. [`SparseSpec::clipping`] turns the sums into hidden units in the range 0 to 1.
/// 3. Fully connected layers follow, whose sums are clipped to 0 to 1 and squared, and then three logits: win, draw, loss.
///    There is a copy of these layers for each bucket of [`SparseSpec::bucket`].
/// 4. Each feature also has a direct contribution. The sum of the contributions is added to the logit of a
///    win and subtracted from that of a loss. One number per feature is enough for the advantage of a side;
///    the probability of a draw depends on the rest of the board and is left to the layers.
/// 5. The logit of a legal move is the dot product of hidden units (the policy's own or the value's) with the sum of the
///    move's row and the row of its kind ([`chess::encoding::policy_rows`]), plus the bias of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparseSpec {
    /// Name of the feature set of the value.
    pub features: String,
    /// Number of sums of the value's table: a multiple of 64, from 64 to 4,096.
    pub width: usize,
    /// The function from sums to hidden units.
    pub clipping: Clipping,
    /// Number of units in each layer between hidden units and value: one to three layers of 1 to 256 units; 16 and 32
    /// by default.
    pub hidden: Vec<usize>,
    /// Number of copies of these layers, selected by the number of pieces: 1 to 32, 8 by default.
    pub buckets: usize,
    /// The table of the policy; `None` if moves are scored with the hidden units of the value.
    pub policy: Option<PolicyTable>,
    /// True if the value is learned from static evaluations, which do not consider pending captures. In play, captures are then
    /// searched to a quiet position before a value is returned, except for searches that do so themselves
    /// ([`chess::PositionEvaluator::static_value`]).
    pub static_value: bool,
}

/// A separate table for the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyTable {
    /// Name of a feature set in `chess::encoding::features`.
    pub features: String,
    /// Number of sums of the table: a multiple of 64, from 64 to 4,096.
    pub width: usize,
}

/// Widths are a multiple of this: the 16-bit sums in two cache lines, one for each half of a pairwise product.
const WIDTH_STEP: usize = 64;

impl SparseSpec {
    /// The default layers after the hidden units, as in Stockfish's networks of 2021.
    pub(crate) const HIDDEN: [usize; 2] = [16, 32];
    /// The default number of copies of these layers.
    pub(crate) const BUCKETS: usize = 8;

    /// The feature set of the value.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`].
    pub fn feature_set(&self) -> Result<&'static dyn FeatureSet, NetworkError> {
        Ok(feature_set(&self.features)?)
    }

    /// The feature set of the policy: the value's if they share a table.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`].
    pub fn policy_feature_set(&self) -> Result<&'static dyn FeatureSet, NetworkError> {
        Ok(feature_set(self.policy.as_ref().map_or(&self.features, |table| &table.features))?)
    }

    /// The feature sets that the network reads: the value's, and the policy's if it differs.
    ///
    /// # Errors
    /// [`NetworkError::UnknownEncoding`].
    pub fn feature_sets(&self) -> Result<Vec<&'static dyn FeatureSet>, NetworkError> {
        let mut sets = vec![self.feature_set()?];
        if self.policy.as_ref().is_some_and(|table| table.features != self.features) {
            sets.push(self.policy_feature_set()?);
        }
        Ok(sets)
    }

    /// Number of hidden units that the value's layers read.
    pub fn units(&self) -> usize {
        self.clipping.units(self.width)
    }

    /// Number of hidden units with which moves are scored.
    pub fn policy_units(&self) -> usize {
        self.clipping.units(self.policy.as_ref().map_or(self.width, |table| table.width))
    }

    /// The bucket of a position with this many pieces, 2 to 32. Positions with the fewest pieces are in bucket 0.
    pub fn bucket(&self, pieces: usize) -> usize {
        // 31 numbers of pieces in equal shares.
        (pieces.saturating_sub(2) * self.buckets / 31).min(self.buckets - 1)
    }
}

fn check_width(place: &str, field: &str, width: usize) -> Result<(), NetworkError> {
    if (WIDTH_STEP..=4096).contains(&width) && width.is_multiple_of(WIDTH_STEP) {
        return Ok(());
    }
    Err(invalid(place, field, width, format!("a multiple of {WIDTH_STEP} from {WIDTH_STEP} to 4096")))
}

impl NetworkKind for SparseSpec {
    fn check(&self, place: &str) -> Result<(), NetworkError> {
        self.feature_set()?;
        self.policy_feature_set()?;
        check_width(place, "width", self.width)?;
        if let Some(table) = &self.policy {
            check_width(place, "policy_width", table.width)?;
        }
        check_range(place, "buckets", self.buckets, 1..=32)?;
        if !(1..=3).contains(&self.hidden.len()) {
            let found = format!("{} layers", self.hidden.len());
            return Err(invalid(place, "hidden", found, "one to three layers".into()));
        }
        self.hidden.iter().try_for_each(|units| check_range(place, "hidden", *units, 1..=256))
    }

    fn shape_name(&self) -> String {
        let policy = self.policy.as_ref().map(|table| format!("+{}-{}", table.features, table.width));
        format!("sparse-{}-{}{}", self.features, self.width, policy.unwrap_or_default())
    }

    fn in_words(&self) -> String {
        format!("a sparse network of the features `{}`", self.features)
    }

    fn inputs(&self) -> Result<Inputs, NetworkError> {
        Ok(Inputs::Features(self.feature_sets()?))
    }

    fn value_kind(&self) -> ValueKind {
        ValueKind::Wdl
    }

    fn has_policy(&self) -> bool {
        true
    }

    fn learns_rows(&self) -> bool {
        true
    }

    fn lay_out(&self) -> Result<Arc<dyn Layout>, NetworkError> {
        Ok(Arc::new(SparseArchitecture::new(self)?))
    }

    fn evaluator(&self, weights: &Weights, options: CpuOptions) -> Result<Arc<dyn Evaluator>, NetworkError> {
        Ok(Arc::new(SparseEvaluator::from_weights(weights, options)?))
    }

    /// Tables are stored in eight bits in every file.
    fn quantisation(&self, matrix: &str, _is_small: bool) -> Option<WeightQuantisation> {
        match matrix {
            "value.table.weight" | "policy.table.weight" => Some(WeightQuantisation::Matrix),
            "policy.moves.weight" | "policy.kinds.weight" => Some(WeightQuantisation::Rows),
            _ => None,
        }
    }

    /// The value may become static, or cease to be: the parameters are the same, but they are trained on other labels.
    fn grown(&self, weights: &Weights, wanted: &Spec) -> Result<Option<Weights>, NetworkError> {
        let Ok(wanted) = wanted.sparse() else { return Ok(None) };
        let fits = *wanted != *self && Self { static_value: wanted.static_value, ..self.clone() } == *wanted;
        Ok(fits.then(|| {
            let mut grown = weights.clone();
            grown.spec = Spec::Sparse(wanted.clone());
            grown
        }))
    }
}

keys! {
    /// The keys of a sparse network.
    SparseKeys {
        features: String,
        width: usize,
        clipping: Clipping,
        hidden: Vec<usize>,
        buckets: usize,
        policy_features: String,
        policy_width: usize,
        static_value: bool,
    }
}

impl TryFrom<SparseKeys> for SparseSpec {
    type Error = String;

    fn try_from(keys: SparseKeys) -> Result<Self, String> {
        let policy = match (keys.policy_features, keys.policy_width) {
            (Some(features), Some(width)) => Some(PolicyTable { features, width }),
            (None, None) => None,
            _ => return Err("`policy_features` and `policy_width` belong together: found one of them".into()),
        };
        Ok(Self {
            features: keys.features.ok_or("missing field `features`, the name of a feature set")?,
            width: keys.width.ok_or("missing field `width`, the sums of the first layer")?,
            clipping: keys.clipping.unwrap_or_default(),
            hidden: keys.hidden.unwrap_or_else(|| Self::HIDDEN.into()),
            buckets: keys.buckets.unwrap_or(Self::BUCKETS),
            policy,
            static_value: keys.static_value.unwrap_or_default(),
        })
    }
}

impl From<SparseSpec> for SparseKeys {
    fn from(spec: SparseSpec) -> Self {
        let (policy_features, policy_width) = spec.policy.map(|table| (table.features, table.width)).unzip();
        Self {
            kind: Some("sparse"),
            features: Some(spec.features),
            width: Some(spec.width),
            clipping: Some(spec.clipping),
            hidden: Some(spec.hidden),
            buckets: Some(spec.buckets),
            static_value: spec.static_value.then_some(true),
            policy_features,
            policy_width,
        }
    }
}
