//! The view of a hint.

use serde::Serialize;
use utoipa::ToSchema;

/// A move the engine would play for the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct HintView {
    /// Moves played when it was given.
    pub(crate) ply: usize,
    /// The move in UCI notation.
    pub(crate) uci: String,
    /// The move in SAN.
    pub(crate) san: String,
}
