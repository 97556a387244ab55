//! Games of rated players, and the review of one.

use std::path::Path;

use chess::{Game, Search, Speed, StopSignal};
use dataset::{
    Reservoir,
    record::{GameRecord, Record, TimeControl},
    source::{Location, open_at},
};

use super::{ReviewError, ReviewedGame};
use crate::{GameReview, ReviewPoint, ReviewScale};

/// A game with the ratings of White and Black.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct RatedGame {
    pub game: Game,
    pub ratings: [u16; 2],
}

/// Games of rated players in a file or folder.
#[derive(Clone, Debug)]
pub struct RatedGames {
    /// The games, never none.
    pub games: Vec<RatedGame>,
    /// Records left out: broken ones, games without ratings or moves, and games of other speeds.
    pub skipped: u64,
}

impl RatedGames {
    /// Reads the games of these speeds, or of any speed if none is named, from a file or from all files of a folder; `sample`
    /// limits them to that many, drawn at random with a fixed seed.
    ///
    /// # Errors
    /// [`ReviewError`] for a file that cannot be read, or if there is no such game.
    pub fn read(place: &Path, sample: Option<usize>, speeds: &[Speed]) -> Result<Self, ReviewError> {
        let (mut taken, mut skipped) = (Reservoir::new(sample), 0);
        for location in Location::all(place)? {
            for record in open_at(&location)? {
                let Ok(Record::Game(record)) = record? else {
                    skipped += 1;
                    continue;
                };
                match ratings(&record, speeds) {
                    Some(ratings) => taken.offer(|| RatedGame { game: record.game(usize::MAX), ratings }),
                    None => skipped += 1,
                }
            }
        }
        let games = taken.into_sample();
        if games.is_empty() {
            return Err(ReviewError::NoGames { place: place.into(), of_speeds: !speeds.is_empty() });
        }
        Ok(Self { games, skipped })
    }
}

/// The ratings of White and Black in a game with moves at one of these speeds.
fn ratings(record: &GameRecord, speeds: &[Speed]) -> Option<[u16; 2]> {
    let speed = record.time_control.map(TimeControl::speed);
    let is_wanted = speeds.is_empty() || speed.is_some_and(|speed| speeds.contains(&speed));
    let both = record.white_rating.zip(record.black_rating).map(|(white, black)| [white, black]);
    both.filter(|_| is_wanted && !record.moves.is_empty())
}

/// Reviews a game with `nodes` visits of each position, ten times as many at its marks, on a thread for each of `searches`, which are
/// alike. They forget earlier games, and the review depends neither on these nor on the number of threads.
///
/// # Errors
/// [`ReviewError::Search`] if a search fails, which signals `stop`; [`ReviewError::Interrupted`] if `stop` is signalled.
///
/// # Panics
/// If `searches` is empty.
pub fn review(
    rated: RatedGame,
    nodes: u64,
    searches: &mut [&mut dyn Search],
    stop: &StopSignal,
) -> Result<ReviewedGame, ReviewError> {
    // The scale changes only how the losses are judged.
    let mut review = GameReview::new(rated.game, nodes, ReviewScale::CALIBRATED);
    if !review.run(searches, stop, &mut |_| ())? {
        return Err(ReviewError::Interrupted);
    }
    let points = review.points();
    // The last position has no move, and so no loss.
    let judged = points.iter().filter(|point| point.loss.is_some());
    Ok(ReviewedGame {
        ratings: rated.ratings,
        first: review.first(),
        values: points.iter().map(|point| point.white_percent).collect(),
        losses: judged.map(ReviewPoint::free_loss).collect(),
    })
}
