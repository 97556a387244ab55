//! The search effort of an engine for a label.

use serde::{Deserialize, Serialize};

/// Depth and nodes of the engine, if known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchEffort {
    /// Search depth in plies.
    pub depth: Option<u16>,
    /// Positions that it searched, as it counts them.
    pub nodes: Option<u64>,
}
