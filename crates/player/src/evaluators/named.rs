//! Evaluators that need no file.

use std::sync::Arc;

use chess::{Evaluator, MaterialEvaluator, UniformEvaluator};

/// An evaluator that needs no file; its name is given instead of a file.
#[derive(Clone, Copy, Debug)]
pub struct NamedEvaluator {
    /// Name in a player specification, after `net=`.
    pub name: &'static str,
    /// Its values and priors, in a few words.
    pub help: &'static str,
    pub(super) make: fn() -> Arc<dyn Evaluator>,
}

/// Every evaluator that needs no file: the baselines for networks. Engines are named as `uci:COMMAND:nodes=N`, means as `A+B`.
pub const EVALUATORS: &[NamedEvaluator] = &[
    NamedEvaluator {
        name: "material",
        help: "the balance of material",
        make: || Arc::new(MaterialEvaluator),
    },
    NamedEvaluator {
        name: "uniform",
        help: "equal chances and equal priors",
        make: || Arc::new(UniformEvaluator),
    },
];

impl NamedEvaluator {
    /// The evaluator of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        EVALUATORS.iter().find(|evaluator| evaluator.name == name)
    }
}
