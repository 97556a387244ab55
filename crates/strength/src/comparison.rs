//! Several experiments side by side: the results of their training, their speed, their strength, and the published
//! figures.

use files::run::ResultKind;
use serde::{Deserialize, Serialize};

use crate::statistics::Rating;

/// Training and strength of an experiment, one row of a [`Comparison`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct ComparedExperiment {
    pub name: String,
    /// The player: network and search.
    pub player: String,
    /// Trained parameters of the network; `None` for a player without one, as are the other training figures.
    pub parameters: Option<u64>,
    /// Samples that it was trained on, counting repetitions.
    pub training_positions: Option<u64>,
    /// Samples in the published training of the system, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_samples: Option<u64>,
    pub training_seconds: Option<f64>,
    /// Cross-entropy on held-out samples: of the policy, and of a uniform policy.
    pub policy_loss: Option<[f64; 2]>,
    /// Loss on held-out samples: of the value, and of the constant mean value.
    pub value_loss: Option<[f64; 2]>,
    /// The unit of the value's loss, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_unit: Option<String>,
    /// Nodes per second of its search on one thread; `None` for searches without a node count.
    pub nodes_per_second: Option<f64>,
    /// Rating on the ladder; `None` if it was not played.
    pub ladder: Option<Rating>,
    /// Rating in the round-robin, relative to the mean of the players that have one.
    pub round_robin: Option<Rating>,
    /// Published figures of the system: name, the value as printed, and the result here, which older comparisons lack.
    pub published: Vec<Vec<String>>,
}

/// The result of `tabiya compare`; its JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Type and version of the JSON: [`Comparison::KIND`].
    pub kind: String,
    /// The experiments, in the order in which they were named.
    pub experiments: Vec<ComparedExperiment>,
    /// Processor, its threads and the system.
    pub machine: String,
    /// The program and its version.
    pub program: String,
    /// An earlier comparison, to be shown next to this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Box<Comparison>>,
}

impl Comparison {
    /// Value of the JSON field `kind`.
    pub const KIND: &str = ResultKind::Comparison.text();
}
