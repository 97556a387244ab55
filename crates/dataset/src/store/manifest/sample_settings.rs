//! The settings that select the samples of a store.

use serde::{Deserialize, Serialize};

use crate::{bad_record::PositionRules, filter::Filters};

/// Settings that select the samples of a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleSettings {
    /// Share of the games, or of the positions that are part of no game, in the validation split.
    pub validation_share: f64,
    /// True if repeated games were dropped.
    pub deduplicated: bool,
    /// Seed of the choice of samples within a game.
    pub seed: u64,
    /// Conditions on games and positions.
    pub filters: Filters,
    /// Most samples of a position that the games of a store may hold; none = as often as it occurs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_repeats: Option<u8>,
    /// True if validation samples whose position also occurs in the training split were left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_leaks: bool,
    /// Treatment of positions that break the rules of chess.
    #[serde(default, skip_serializing_if = "is_strict")]
    pub rules: PositionRules,
    /// Weight of the later positions in evaluations smoothed along their games; 0 if none are stored.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub smoothing: f32,
    /// Share of the positions that were replaced by the one after a random legal move.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub random_moves: f32,
    /// True if the positions after the lines of each position were stored too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_lines: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &f32) -> bool {
    *number == 0.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_strict(rules: &PositionRules) -> bool {
    *rules == PositionRules::Strict
}
