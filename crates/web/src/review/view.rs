//! The view of a review.

use review::{GameReview, PlayedLevel, ReviewPoint, SideSummary};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A review so far: the whole state, which replaces whatever was known before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub(crate) struct ReviewView {
    /// Its name.
    pub(crate) id: String,
    /// The network's id.
    pub(crate) network: String,
    /// Display name of the network.
    pub(crate) engine: String,
    /// Hash of the network's content, if it has a file; reviews of older versions have none.
    #[serde(default)]
    pub(crate) network_hash: Option<String>,
    /// Visits of each position; ten times as many for the positions around marked moves.
    pub(crate) nodes: u64,
    /// The position before the first move, FEN.
    pub(crate) fen: String,
    /// The moves of the game, UCI: a review belongs to them, whatever the game is called.
    pub(crate) moves: Vec<String>,
    /// Positions of the game.
    pub(crate) positions: usize,
    /// True while the review is in progress.
    pub(crate) running: bool,
    /// Reason for ending early, if it did.
    pub(crate) failure: Option<String>,
    /// Positions searched so far, from the first on.
    pub(crate) points: Vec<ReviewPoint>,
    /// Positions to search a second time, as far as they are known; `null` until all are searched once, and in reviews of older
    /// versions.
    #[serde(default)]
    pub(crate) second_looks: Option<usize>,
    /// Smallest losses of an inaccuracy, a mistake and a blunder.
    #[schema(value_type = (f64, f64, f64))]
    pub(crate) limits: [f64; 3],
    /// White's game, once all positions are searched.
    pub(crate) white: Option<SideSummary>,
    /// Black's game.
    pub(crate) black: Option<SideSummary>,
    /// The level of people whose moves are most like White's, once the review is done, if the moves tell.
    #[serde(default)]
    pub(crate) white_level: Option<PlayedLevel>,
    /// The level of Black's moves.
    #[serde(default)]
    pub(crate) black_level: Option<PlayedLevel>,
}

impl ReviewView {
    /// Takes over what was found so far.
    pub(super) fn take(&mut self, review: &GameReview) {
        self.points = review.points().to_vec();
        self.second_looks = review.second_looks();
    }

    /// Half-moves that a game has in common with the reviewed one; `None` if these are less than half of the review's moves,
    /// which makes it a different game.
    pub(super) fn shared_with(&self, fen: &str, moves: &[String]) -> Option<usize> {
        let shared = self.moves.iter().zip(moves).take_while(|(own, other)| own == other).count();
        (self.fen == fen && shared > 0 && 2 * shared >= self.moves.len()).then_some(shared)
    }

    /// True if another review would repeat this one: same game, network and budget, neither stopped nor failed, nor made by a
    /// version that looked at each position once.
    pub(super) fn answers(&self, wanted: &Self) -> bool {
        let is_same_game = self.fen == wanted.fen && self.moves == wanted.moves;
        let is_same_network = self.network == wanted.network
            && self.engine == wanted.engine
            && self.network_hash == wanted.network_hash;
        let is_current = self.running || self.second_looks.is_some();
        self.failure.is_none() && is_current && is_same_game && is_same_network && self.nodes == wanted.nodes
    }
}
