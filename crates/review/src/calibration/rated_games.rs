//! The games that are reviewed.

use std::path::Path;

use chess::{Game, Speed};
use dataset::{
    Reservoir,
    record::{Record, TimeControl},
    source,
};

use crate::calibration::error::ReviewError;

/// A game with the ratings of White and Black.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct RatedGame {
    pub game: Game,
    pub ratings: [u16; 2],
}

/// Games of rated players in a file.
#[derive(Clone, Debug)]
pub struct RatedGames {
    /// The games, never none.
    pub games: Vec<RatedGame>,
    /// Records left out: broken ones, games without ratings or moves, and games of other speeds.
    pub skipped: u64,
}

impl RatedGames {
    /// Reads the games of these speeds, or of any speed if none is named; `sample` limits them to that many,
    /// drawn at random with a fixed seed.
    ///
    /// # Errors
    /// [`ReviewError`] for a file that cannot be read or has no such game.
    pub fn read(place: &Path, sample: Option<usize>, speeds: &[Speed]) -> Result<Self, ReviewError> {
        let (mut taken, mut skipped) = (Reservoir::new(sample), 0);
        for record in source::open(place)? {
            let Ok(Record::Game(record)) = record? else {
                skipped += 1;
                continue;
            };
            let (Some(white), Some(black), false) =
                (record.white_rating, record.black_rating, record.moves.is_empty())
            else {
                skipped += 1;
                continue;
            };
            let speed = record.time_control.map(TimeControl::speed);
            if !speeds.is_empty() && !speed.is_some_and(|speed| speeds.contains(&speed)) {
                skipped += 1;
                continue;
            }
            taken.offer(|| RatedGame { game: record.game(usize::MAX), ratings: [white, black] });
        }
        let games = taken.into_sample();
        if games.is_empty() {
            return Err(ReviewError::NoGames { place: place.into(), of_speeds: !speeds.is_empty() });
        }
        Ok(Self { games, skipped })
    }
}
