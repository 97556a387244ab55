//! Filters that select the games and positions of a store.

use chess::{Color, Position as _, Speed};
use serde::{Deserialize, Serialize};

use crate::{
    LeftOut,
    record::{GameRecord, PositionRecord, RecordedMove, TimeControl, Winner, ply},
};

/// Conditions that games and positions must meet; the default keeps everything.
///
/// A game without the data that a condition needs (a rating, a time control) does not meet it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Filters {
    /// Both players have at least this rating.
    pub min_rating: Option<u16>,
    /// Both players have at most this rating.
    pub max_rating: Option<u16>,
    /// The time control is one of these; empty = any.
    pub time_controls: Vec<TimeControl>,
    /// The class of the time control is one of these; empty = any.
    pub speeds: Vec<Speed>,
    /// The result is one of these; empty = any, the unknown result included.
    pub winners: Vec<Winner>,
    /// The game has at least this many plies.
    pub min_plies: Option<usize>,
    /// Only positions in which a player of this name is to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// Positions from this ply on (0 = the starting position of chess).
    pub min_ply: Option<u16>,
    /// Positions up to this ply.
    pub max_ply: Option<u16>,
    /// Positions with at least this many plies of the game after them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_plies_left: Option<usize>,
    /// Positions with at least this many pieces, kings and pawns included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_pieces: Option<u8>,
    /// Positions with at most this many pieces: endgames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_pieces: Option<u8>,
    /// Only positions whose mover has at least this many seconds left after the move, if the source has clock
    /// times.
    pub min_clock_seconds: Option<u32>,
    /// Only positions with an engine evaluation.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub evaluated: bool,
    /// At most this many positions of a game, chosen by hash.
    pub samples_per_game: Option<usize>,
    /// At most this many games per band of 100 points of the players' mean rating: the first ones read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_games_per_band: Option<u64>,
    /// Stop after this many games that gave samples.
    pub max_games: Option<u64>,
    /// Stop after this many samples; the last game may be cut short.
    pub max_positions: Option<u64>,
}

impl Filters {
    /// The first condition on games that the game does not meet.
    pub fn refusal(&self, record: &GameRecord) -> Option<LeftOut> {
        let rating_fits = |rating: Option<u16>| {
            self.min_rating.is_none_or(|least| rating.is_some_and(|rating| rating >= least))
                && self.max_rating.is_none_or(|most| rating.is_some_and(|rating| rating <= most))
        };
        let time_fits = |fits: &dyn Fn(TimeControl) -> bool| record.time_control.is_some_and(fits);
        let conditions = [
            (LeftOut::Rating, rating_fits(record.white_rating) && rating_fits(record.black_rating)),
            (
                LeftOut::TimeControl,
                (self.time_controls.is_empty()
                    || time_fits(&|control| self.time_controls.contains(&control)))
                    && (self.speeds.is_empty()
                        || time_fits(&|control| self.speeds.contains(&control.speed()))),
            ),
            (
                LeftOut::Result,
                self.winners.is_empty() || record.winner.is_some_and(|winner| self.winners.contains(&winner)),
            ),
            (LeftOut::Length, self.min_plies.is_none_or(|least| record.moves.len() >= least)),
            (LeftOut::Player, Color::ALL.into_iter().any(|color| self.keeps_mover(record, color))),
        ];
        conditions.into_iter().find(|(_, is_met)| !is_met).map(|(reason, _)| reason)
    }

    /// The reason if no position of a game that meets the conditions on games is kept.
    pub(crate) fn refusal_of_positions(&self, record: &GameRecord) -> LeftOut {
        let is_evaluated = record.moves.iter().any(|recorded| recorded.evaluation.is_some());
        if self.evaluated && !is_evaluated { LeftOut::NoEvaluation } else { LeftOut::Positions }
    }

    /// True if the positions of a game in which this colour is to move meet the condition on the player.
    pub fn keeps_mover(&self, record: &GameRecord, mover: Color) -> bool {
        self.player.as_ref().is_none_or(|name| record.players.is(name, mover))
    }

    /// The first condition that a position outside a game fails; conditions on games always fail.
    pub fn refusal_of_position(&self, record: &PositionRecord) -> Option<LeftOut> {
        let asks_about_a_game = self.min_rating.is_some()
            || self.max_rating.is_some()
            || !self.time_controls.is_empty()
            || !self.speeds.is_empty()
            || !self.winners.is_empty()
            || self.min_plies.is_some()
            || self.min_plies_left.is_some()
            || self.player.is_some()
            || self.max_games_per_band.is_some();
        let is_evaluated = record.evaluation.is_some();
        let pieces = record.position.board().occupied().count() as u8;
        let reason = match () {
            () if asks_about_a_game => LeftOut::NoGame,
            () if self.evaluated && !is_evaluated => LeftOut::NoEvaluation,
            () if !self.fits(ply(&record.position), pieces, is_evaluated) => LeftOut::Positions,
            () => return None,
        };
        Some(reason)
    }

    fn fits(&self, ply: u16, pieces: u8, evaluated: bool) -> bool {
        self.min_pieces.is_none_or(|least| pieces >= least)
            && self.max_pieces.is_none_or(|most| pieces <= most)
            && self.min_ply.is_none_or(|first| ply >= first)
            && self.max_ply.is_none_or(|last| ply <= last)
            && (!self.evaluated || evaluated)
    }

    /// True if the position before a move, with this many pieces and plies of the game left, meets the conditions on positions.
    pub fn keeps_move(&self, ply: u16, pieces: u8, plies_left: usize, recorded: &RecordedMove) -> bool {
        self.fits(ply, pieces, recorded.evaluation.is_some())
            && self.min_plies_left.is_none_or(|least| plies_left >= least)
            && self
                .min_clock_seconds
                .is_none_or(|least| recorded.clock_seconds.is_none_or(|clock| clock >= least))
    }
}
