//! Where games and positions come from.

use std::{path::PathBuf, sync::Arc};

use serde::{Deserialize, Serialize};

/// Origin of a game or position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the variants are what their names say")]
pub enum Origin {
    Human,
    /// Engines played or analysed it.
    Engine,
    /// Played by the network that is trained on it.
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

/// A line of a source file. Lines and bytes are those of the decompressed text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file under the name it was opened by.
    pub file: Arc<PathBuf>,
    /// Line number, from 1.
    pub line: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.file.display(), self.line)
    }
}
