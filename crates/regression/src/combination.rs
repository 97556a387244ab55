use serde::{Deserialize, Serialize};

/// The method by which several learners choose a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Combination {
    /// The weighted mean of the learners' values.
    #[default]
    Mean,
    /// The value is that of [`Combination::Mean`]. For the priors, each learner gives its weight to the move that it
    /// would play after a one-ply search; `search=policy` plays by these priors.
    Vote,
}
