use serde::{Deserialize, Serialize};

/// Method by which several learners choose a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Combination {
    /// The weighted mean of the learners' values.
    #[default]
    Mean,
    /// The value of [`Combination::Mean`], but each learner gives its weight to the move it would play after one ply:
    /// these are the priors, which `search=policy` plays.
    Vote,
}
