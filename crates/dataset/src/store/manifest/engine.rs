//! Engines that gave labels.

use serde::{Deserialize, Serialize};

/// An engine that gave labels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Its name with its version, such as `Stockfish 15.1`.
    pub name: String,
    /// Limits of its searches, such as `nodes 3000, multipv 4`; empty if not known.
    pub limits: String,
}
