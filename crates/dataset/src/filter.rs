//! Filters that select the games and positions of a store.

use std::collections::BTreeMap;

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
        // A game may fail several conditions; the first of them is the reason that is counted.
        if !(self.keeps_rating(record.white_rating) && self.keeps_rating(record.black_rating)) {
            return Some(LeftOut::Rating);
        }
        if !self.keeps_time(record.time_control) {
            return Some(LeftOut::TimeControl);
        }
        if !self.winners.is_empty() && record.winner.is_none_or(|winner| !self.winners.contains(&winner)) {
            return Some(LeftOut::Result);
        }
        if self.min_plies.is_some_and(|least| record.moves.len() < least) {
            return Some(LeftOut::Length);
        }
        let keeps_a_player = Color::ALL.into_iter().any(|color| self.keeps_mover(record, color));
        (!keeps_a_player).then_some(LeftOut::Player)
    }

    fn keeps_rating(&self, rating: Option<u16>) -> bool {
        self.min_rating.is_none_or(|least| rating.is_some_and(|rating| rating >= least))
            && self.max_rating.is_none_or(|most| rating.is_some_and(|rating| rating <= most))
    }

    fn keeps_time(&self, control: Option<TimeControl>) -> bool {
        (self.time_controls.is_empty()
            || control.is_some_and(|control| self.time_controls.contains(&control)))
            && (self.speeds.is_empty()
                || control.is_some_and(|control| self.speeds.contains(&control.speed())))
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
        if asks_about_a_game {
            return Some(LeftOut::NoGame);
        }
        let is_evaluated = record.evaluation.is_some();
        if self.evaluated && !is_evaluated {
            return Some(LeftOut::NoEvaluation);
        }
        let pieces = record.position.board().occupied().count() as u8;
        (!self.fits(ply(&record.position), pieces, is_evaluated)).then_some(LeftOut::Positions)
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

/// Rating points of a band.
const WIDTH: u16 = 100;

/// Stored games by rating band, for [`Filters::max_games_per_band`]: a maximum per band, so that the few games of beginners and masters
/// weigh as much as the many between them.
#[derive(Debug)]
pub(crate) struct RatingBands {
    most: u64,
    games: BTreeMap<u16, u64>,
}

impl RatingBands {
    /// Bands of at most `most` games each.
    pub(crate) fn new(most: u64) -> Self {
        Self { most, games: BTreeMap::new() }
    }

    /// True if the game's band has room for another. A game without both ratings belongs to no band.
    pub(crate) fn wants(&self, record: &GameRecord) -> bool {
        band(record).is_some_and(|band| self.games.get(&band).is_none_or(|&games| games < self.most))
    }

    /// Counts a game that was stored.
    pub(crate) fn count(&mut self, record: &GameRecord) {
        if let Some(band) = band(record) {
            *self.games.entry(band).or_default() += 1;
        }
    }
}

/// The band of the mean rating of both players.
fn band(record: &GameRecord) -> Option<u16> {
    Some(record.white_rating?.midpoint(record.black_rating?) / WIDTH)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::{collection::vec, option, prelude::*};

    use crate::{BuildConfig, NoObserver, Split, Store, build, filter::Filters};

    /// Ratings of the players of a game.
    type Ratings = (Option<u16>, Option<u16>);

    /// The ratings of the games that a store built from these games holds, in their order.
    fn stored(games: &[Ratings], most: u64) -> Vec<Ratings> {
        let mut text = String::new();
        for (white, black) in games {
            for (tag, rating) in [("WhiteElo", white), ("BlackElo", black)] {
                if let Some(rating) = rating {
                    let _ = writeln!(text, "[{tag} \"{rating}\"]");
                }
            }
            text += "\n1. e4 *\n\n";
        }
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("games.pgn"), folder.path().join("store"));
        std::fs::write(&input, text).unwrap();
        let config = BuildConfig {
            filters: Filters { max_games_per_band: Some(most), ..Filters::default() },
            keep_duplicates: true,
            validation_share: 0.0,
            ..BuildConfig::new(&output, [input])
        };
        match build(&config, &mut NoObserver) {
            Ok(manifest) => assert_eq!(manifest.counts.games + manifest.counts.filtered, games.len() as u64),
            Err(crate::DatasetError::NoSamples { filtered, .. }) => {
                assert_eq!(filtered, games.len() as u64);
                return Vec::new();
            }
            Err(error) => panic!("{error}"),
        }
        let store = Store::open(&output).unwrap();
        let samples = store.row_groups(Split::Train).flat_map(Result::unwrap);
        samples.map(|sample| (sample.white_rating, sample.black_rating)).collect()
    }

    /// The hundred in which the mean of two ratings lies.
    fn hundred((white, black): Ratings) -> Option<u32> {
        Some((u32::from(white?) + u32::from(black?)) / 200)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_band_gives_all_its_games_up_to_the_share_and_those_that_come_first(
            games in vec((option::weighted(0.9, 900..1300_u16), option::weighted(0.9, 900..1300_u16)), 1..40),
            most in 1..5_u64,
        ) {
            let expected: Vec<Ratings> = games
                .iter()
                .enumerate()
                .filter(|&(place, &ratings)| {
                    let before = games[..place].iter().filter(|&&other| hundred(other) == hundred(ratings));
                    hundred(ratings).is_some() && (before.count() as u64) < most
                })
                .map(|(_, &ratings)| ratings)
                .collect();
            prop_assert_eq!(stored(&games, most), expected);
        }
    }
}
