//! Marks of moves by their loss.

use serde::{Deserialize, Serialize};

/// Class of a move by its loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// The only legal move: not judged.
    Forced,
    /// Lost less than an inaccuracy.
    Fine,
    /// From the first limit of the scale on.
    Inaccuracy,
    /// From the second limit on.
    Mistake,
    /// From the third limit on.
    Blunder,
}
