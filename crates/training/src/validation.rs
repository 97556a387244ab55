//! Quality of a network on held-out samples, compared with trivial predictors on the same samples.

mod metric;
mod sums;

use std::collections::BTreeMap;

use dataset::Batch;
use figures::Measurement;
use network::{
    DeadUnits, NetworkError, ValueKind, Weights,
    architecture::Architecture,
    onnx::OnnxNetwork,
    passes::{NormStatistics, Outputs},
    probabilities::PositionValue,
};
use serde::{Deserialize, Serialize};

pub use self::metric::Metric;
use self::sums::Sums;
use crate::{
    TrainingError,
    losses::LossConfig,
    output_gradients::Targets,
    samples::{HeldOut, Samples, held_out},
};

/// Metrics of a network on held-out samples, overall and by the kind of their labels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// Metrics over all samples.
    #[serde(flatten)]
    pub overall: Metrics,
    /// Samples with an engine's evaluation, whose target move is the engine's.
    pub evaluated: Option<Metrics>,
    /// Samples without an evaluation, whose target move was played in a game.
    pub played: Option<Metrics>,
    /// Samples whose position does not occur in the training split; absent if that applies to all samples.
    #[serde(default)]
    pub unseen: Option<Metrics>,
    /// The unit of [`Metrics::value_loss`] ([`LossConfig::value_unit`]); empty without a value and in older logs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub value_unit: String,
    /// Layers with dead units; empty for a network that is not in training.
    #[serde(rename = "idle", default, skip_serializing_if = "Vec::is_empty")]
    pub dead_units: Vec<DeadUnits>,
}

/// Metrics of a network on a set of samples. Losses are in nats; fractions are from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Number of samples.
    pub positions: u64,
    /// Number of samples with a value label.
    pub value_positions: u64,
    /// Number of samples with a known move; 0 for a network without a policy, whose policy metrics are 0, and in logs of versions
    /// that had a known move for every sample.
    #[serde(default)]
    pub policy_positions: u64,
    /// The weighted sum that training minimises, without label smoothing. A part with weight 0, and values without labels,
    /// contribute nothing.
    pub loss: f64,
    /// Cross-entropy of the policy over the legal moves.
    pub policy_loss: f64,
    /// Fraction of samples whose most probable move is the target.
    pub top1: f64,
    /// Fraction of samples whose target is among the three most probable moves.
    pub top3: f64,
    /// Fraction of samples whose target is among the five most probable moves.
    pub top5: f64,
    /// Mean entropy of the policy over the legal moves, in nats.
    pub policy_entropy: f64,
    /// -ln(total probability of the legal moves) under a softmax over all moves; absent for a network that computes outputs of legal moves only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub illegal_move_loss: Option<f64>,
    /// Cross-entropy of the policy over all moves, legal or not: the sum of `policy_loss` and `illegal_move_loss`; absent with the
    /// latter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_moves_loss: Option<f64>,
    /// The value's loss as in training: cross-entropy of win, draw and loss, or the recipe's choice. This and all other
    /// value metrics are absent if no sample has a value label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_loss: Option<f64>,
    /// Mean absolute difference between predicted and target expected score, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_error: Option<f64>,
    /// Root mean squared difference between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_rms: Option<f64>,
    /// Pearson correlation of predicted and target expected score; absent if one of the two is constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_correlation: Option<f64>,
    /// Expected calibration error: the absolute difference between the mean predicted and mean target expected score in
    /// each of ten bins of the prediction, averaged over the bins with their number of samples as weights; 0 =
    /// calibrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration_error: Option<f64>,
    /// The same metrics by [`Metric::key`], each with its number of samples and its 95 % confidence interval: Wilson's for
    /// fractions, Fisher's for the correlation, and the normal one for means. The intervals treat samples as independent;
    /// positions of one game are not, so true intervals are somewhat wider. The calibration error has no interval: chance alone
    /// makes it larger. Empty in logs of versions that did not compute them.
    #[serde(default)]
    pub intervals: BTreeMap<String, Measurement>,
    /// Results of trivial predictors on the same samples.
    pub baselines: Baselines,
}

/// Trivial predictors: equal probabilities for all legal moves, and the best constant value for the same
/// samples: their mean or, for absolute errors, their median.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baselines {
    /// Policy cross-entropy of the uniform policy.
    pub policy_loss: f64,
    /// [`Metrics::illegal_move_loss`] of the uniform policy over all moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub illegal_move_loss: Option<f64>,
    /// Expected top-1 accuracy of the uniform policy.
    pub top1: f64,
    /// Expected top-3 accuracy of the uniform policy.
    pub top3: f64,
    /// Expected top-5 accuracy of the uniform policy.
    pub top5: f64,
    /// [`Metrics::value_loss`] of the best constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_loss: Option<f64>,
    /// Mean absolute difference between the best constant, the mean or the median, and the targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_error: Option<f64>,
}

/// Indices of the sets of samples during summation.
const OVERALL: usize = 0;
const EVALUATED: usize = 1;
const PLAYED: usize = 2;
const UNSEEN: usize = 3;

impl Validation {
    /// Default number of held-out samples for `tabiya net validate`.
    pub const POSITIONS: u32 = 20_000;

    /// The metrics by name, for provenance and tables. The names of metrics on a part of the samples start with that
    /// part's name.
    pub fn metrics(&self) -> BTreeMap<String, f64> {
        let parts = [
            ("", Some(&self.overall)),
            ("evaluated_", self.evaluated.as_ref()),
            ("played_", self.played.as_ref()),
            ("unseen_", self.unseen.as_ref()),
        ];
        let mut values = BTreeMap::new();
        for (prefix, part) in parts {
            for (name, value) in part.map(Metrics::named).unwrap_or_default() {
                values.insert(format!("{prefix}{name}"), value);
            }
        }
        values
    }

    /// Compares a network's outputs for the batches with their labels.
    ///
    /// # Errors
    /// [`NetworkError::Data`] if a batch does not fit the network.
    pub(crate) fn measure(
        heads: impl Into<MeasuredHeads>,
        mut forward: impl FnMut(&Batch) -> Result<Outputs, NetworkError>,
        held_out: &HeldOut,
        config: &LossConfig,
    ) -> Result<Self, NetworkError> {
        let MeasuredHeads { value: kind, has_policy, moves } = heads.into();
        let mut parts: [Sums; 4] = Default::default();
        for batch in &held_out.batches {
            let Outputs { logits, values, legal, .. } = forward(batch)?;
            // Smoothing is a means of training. Measured against smoothed targets, a network that is always right would have a loss,
            // and runs with other smoothing could not be compared.
            let targets = Targets::new(batch, &LossConfig { label_smoothing: 0.0, ..*config }, kind);
            for (sample, pair) in batch.legal_offsets.windows(2).enumerate() {
                let row = pair[0] as usize..pair[1] as usize;
                let target_moves = if has_policy { &targets.policy[row.clone()] } else { &[] };
                let output = &values[sample * kind.outputs()..(sample + 1) * kind.outputs()];
                let target = targets.value[sample].filter(|_| kind != ValueKind::None);
                let by_label = if batch.evaluations[sample].is_some() { EVALUATED } else { PLAYED };
                let unseen = (!held_out.trained.contains(&batch.keys[sample])).then_some(UNSEEN);
                for part in [OVERALL, by_label].into_iter().chain(unseen) {
                    let moves_known = parts[part].add_policy(&logits[row.clone()], target_moves);
                    if let Some(legal) = legal.get(sample).filter(|_| moves_known) {
                        parts[part].add_illegal_moves(*legal, row.len() as f64 / moves as f64);
                    }
                    if let Some(target) = target {
                        parts[part].add_value(PositionValue::of(kind, output), target);
                    }
                }
            }
        }
        let [overall, evaluated, played, unseen] =
            parts.map(|part| part.finish(config, config.of_value(kind)));
        let unseen = unless_empty(unseen).filter(|unseen| unseen.positions < overall.positions);
        Ok(Self {
            overall,
            evaluated: unless_empty(evaluated),
            played: unless_empty(played),
            unseen,
            value_unit: config.value_unit(kind).into(),
            dead_units: Vec::new(),
        })
    }
}

/// What a validation has to know of a network.
pub(crate) struct MeasuredHeads {
    value: ValueKind,
    has_policy: bool,
    /// Number of all moves, for a policy that also scores illegal ones.
    moves: usize,
}

impl From<&Architecture> for MeasuredHeads {
    fn from(architecture: &Architecture) -> Self {
        let (spec, moves) = (architecture.spec(), architecture.moves().unwrap_or_default());
        Self { value: spec.value_kind(), has_policy: spec.has_policy(), moves }
    }
}

fn unless_empty(metrics: Metrics) -> Option<Metrics> {
    (metrics.positions > 0).then_some(metrics)
}

/// Measures a finished network on the held-out samples of a store: at least `positions` of them, spread evenly, and
/// always the same ones. `losses` defines the value's target and loss.
///
/// # Errors
/// [`TrainingError::Data`] if the store has no held-out samples, [`TrainingError::Store`] if it cannot be read.
pub fn validate(
    weights: &Weights,
    samples: &dyn Samples,
    positions: usize,
    losses: &LossConfig,
) -> Result<Validation, TrainingError> {
    let held_out = HeldOut::new(samples, held_out(samples, positions)?)?;
    let architecture = Architecture::new(&weights.spec)?;
    let (parameters, statistics) = weights.values();
    let mut passes = architecture.forward()?;
    Ok(Validation::measure(
        &architecture,
        |batch| passes.forward(&parameters, NormStatistics::Stored(&statistics), batch),
        &held_out,
        losses,
    )?)
}

/// As [`validate`], for an ONNX graph, of whose policy only the logits of legal moves are measured.
///
/// # Errors
/// As [`validate`]; [`TrainingError::Network`] for a graph that reads no planes, or fails.
pub fn validate_graph(
    network: &OnnxNetwork,
    samples: &dyn Samples,
    positions: usize,
    losses: &LossConfig,
) -> Result<Validation, TrainingError> {
    let heads = MeasuredHeads { value: network.value_kind()?, has_policy: network.has_policy(), moves: 0 };
    let held_out = HeldOut::new(samples, held_out(samples, positions)?)?;
    Ok(Validation::measure(heads, |batch| network.forward(batch), &held_out, losses)?)
}
