//! Origins of games and positions.

use serde::{Deserialize, Serialize};

/// Origin of a game or position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the variants are what their names say")]
pub enum Origin {
    Human,
    /// Engines played or analysed it.
    Engine,
    /// The network that learns from it played it.
    SelfPlay,
    Puzzle,
}

impl Origin {
    /// Every origin with its name, for command lines.
    pub const NAMES: &[(&str, Self)] = &[
        ("human", Self::Human),
        ("engine", Self::Engine),
        ("self-play", Self::SelfPlay),
        ("puzzle", Self::Puzzle),
    ];
}
