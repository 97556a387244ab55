//! Positions of played games, from PGN files and from sample stores: what metrics are taken on.

use std::path::Path;

use chess::{CastlingMode, Game, Move};
use dataset::{
    DatasetError, GameResult,
    record::GameRecord,
    sample::Sample,
    source::PgnSource,
    store::{Split, Store},
};

/// A position with what happened in it.
#[derive(Clone, Debug)]
pub struct PlayedPosition {
    /// Which game it is from: positions of one game are no independent observations.
    pub game_number: usize,
    /// Half-moves before it by the numbering of its game.
    pub ply: usize,
    /// The position, with as much history as the source keeps.
    pub game: Game,
    /// The move played.
    pub played: Move,
    /// Ratings of White and Black.
    pub ratings: Option<[u16; 2]>,
    /// What the mover had left on its clock, seconds.
    pub clock_seconds: Option<u32>,
    /// Score of the mover at the end of the game: 0, 1/2 or 1.
    pub score: Option<f64>,
}

/// All positions of a source that are of use, with the number of games that could not be read.
#[derive(Clone, Debug, Default)]
pub struct PlayedPositions {
    /// The positions, games one after another.
    pub positions: Vec<PlayedPosition>,
    /// Games that were left out because they are broken.
    pub bad_games: u64,
}

/// Reads the positions that `wanted` accepts, at most `per_game` of each game, spread over it. The source is a PGN file,
/// plain, .gz or .zst, or a sample store (a folder), of which the validation split counts: no network made from the store was
/// trained on it.
///
/// # Errors
/// [`DatasetError`] when the source cannot be read to its end.
pub fn read_played(
    path: &Path,
    per_game: usize,
    wanted: impl Fn(&PlayedPosition) -> bool,
) -> Result<PlayedPositions, DatasetError> {
    let mut found = PlayedPositions::default();
    let mut keep = |game: Vec<PlayedPosition>| found.positions.extend(spread(game, per_game, &wanted));
    if path.is_dir() {
        from_store(&Store::open(path)?, &mut keep)?;
        return Ok(found);
    }
    let mut bad_games = 0;
    for (number, record) in PgnSource::open(path)?.enumerate() {
        match record? {
            Ok(record) => keep(of_game(number, &record)),
            Err(_bad) => bad_games += 1,
        }
    }
    found.bad_games = bad_games;
    Ok(found)
}

fn of_game(game_number: usize, record: &GameRecord) -> Vec<PlayedPosition> {
    let mut game = Game::from_position(record.start.clone(), CastlingMode::Standard);
    let ratings = record.white_rating.zip(record.black_rating).map(|(white, black)| [white, black]);
    // The clock stands after a move; what the mover had before it is two half-moves back.
    let clock = |ply: usize| ply.checked_sub(2).and_then(|before| record.moves[before].clock_seconds);
    let mut found = Vec::with_capacity(record.moves.len());
    for (ply, recorded) in record.moves.iter().enumerate() {
        found.push(PlayedPosition {
            game_number,
            ply,
            game: game.clone(),
            played: recorded.played,
            ratings,
            clock_seconds: clock(ply),
            score: record.winner.map(|winner| points(winner.for_color(game.turn()))),
        });
        game.play_unchecked(recorded.played);
    }
    found
}

fn from_store(store: &Store, keep: &mut dyn FnMut(Vec<PlayedPosition>)) -> Result<(), DatasetError> {
    let (mut game, mut last, mut number) = (Vec::new(), None, 0);
    for group in store.row_groups(Split::Validation) {
        for sample in group? {
            if last.is_none() || last != sample.game {
                keep(std::mem::take(&mut game));
                number += 1;
                last = sample.game;
            }
            let broken = |reason: String| DatasetError::BadStore {
                path: store.path().into(),
                found: reason,
                expected: "legal positions and moves".into(),
            };
            game.push(of_sample(number, &sample).map_err(broken)?);
        }
    }
    keep(game);
    Ok(())
}

fn of_sample(game_number: usize, sample: &Sample) -> Result<PlayedPosition, String> {
    let game = sample.to_game().map_err(|error| error.to_string())?;
    let written = sample.played_move.unwrap_or(sample.best_move);
    let played = written.unpack(game.position());
    Ok(PlayedPosition {
        game_number,
        ply: usize::from(sample.ply),
        played: played.ok_or_else(|| format!("an illegal move in {}", game.fen()))?,
        game,
        ratings: sample.white_rating.zip(sample.black_rating).map(|(white, black)| [white, black]),
        clock_seconds: None,
        score: sample.result.map(points),
    })
}

fn points(result: GameResult) -> f64 {
    match result {
        GameResult::Win => 1.0,
        GameResult::Draw => 0.5,
        GameResult::Loss => 0.0,
    }
}

/// At most so many of the positions wanted, from the middles of as many equal parts of the game: its last position, in which
/// the winner is mostly to move, must not be among them oftener than others.
fn spread(
    game: Vec<PlayedPosition>,
    per_game: usize,
    wanted: impl Fn(&PlayedPosition) -> bool,
) -> Vec<PlayedPosition> {
    let found: Vec<PlayedPosition> = game.into_iter().filter(|position| wanted(position)).collect();
    let (count, taken) = (found.len(), per_game.min(found.len()));
    let middles: Vec<usize> = (0..taken).map(|part| (2 * part + 1) * count / (2 * taken)).collect();
    found.into_iter().enumerate().filter(|(index, _)| middles.contains(index)).map(|(_, one)| one).collect()
}
