//! Weights of samples by their origin.

use serde::{Deserialize, Serialize};

use crate::{record::Origin, sample::Sample};

/// Weights of samples in the losses of policy and value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampleWeights {
    /// Weights in the loss of the policy.
    pub policy: OriginWeights,
    /// Weights in the loss of the value.
    pub value: OriginWeights,
}

impl SampleWeights {
    /// Weights of a sample in the losses of policy and value. Without a known move it does not count for the policy.
    pub(super) fn of(&self, sample: &Sample) -> [f32; 2] {
        let policy = if sample.policy.is_unknown() { 0.0 } else { self.policy.of(sample) };
        [policy, self.value.of(sample)]
    }
}

/// Factors of the sample weights by origin. With 0 the samples stay in the batches, but nothing is learned from them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OriginWeights {
    /// Games of people. Default 1.
    pub human: f32,
    /// Games and analyses of engines. Default 1.
    pub engine: f32,
    /// Games of the network that learns from them. Default 1.
    pub self_play: f32,
    /// Puzzles. Default 1.
    pub puzzle: f32,
    /// Samples of unknown origin. Default 1.
    pub unknown: f32,
}

impl Default for OriginWeights {
    fn default() -> Self {
        Self { human: 1.0, engine: 1.0, self_play: 1.0, puzzle: 1.0, unknown: 1.0 }
    }
}

impl OriginWeights {
    /// Each weight with its name in a recipe.
    pub fn named(&self) -> [(&'static str, f32); 5] {
        [
            ("human", self.human),
            ("engine", self.engine),
            ("self_play", self.self_play),
            ("puzzle", self.puzzle),
            ("unknown", self.unknown),
        ]
    }

    /// The products with other weights.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self {
            human: self.human * other.human,
            engine: self.engine * other.engine,
            self_play: self.self_play * other.self_play,
            puzzle: self.puzzle * other.puzzle,
            unknown: self.unknown * other.unknown,
        }
    }

    /// Weight of a sample: the factor of its origin times its own weight.
    fn of(&self, sample: &Sample) -> f32 {
        let of_origin = match sample.origin {
            Some(Origin::Human) => self.human,
            Some(Origin::Engine) => self.engine,
            Some(Origin::SelfPlay) => self.self_play,
            Some(Origin::Puzzle) => self.puzzle,
            None => self.unknown,
        };
        of_origin * sample.weight
    }
}
