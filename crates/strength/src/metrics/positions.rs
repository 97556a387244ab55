//! Positions of played games, from PGN files and from sample stores, on which metrics are measured.

use std::path::Path;

use chess::{Game, Move, Position as _};
use dataset::{
    DatasetError, GameResult, Reservoir,
    record::{GameRecord, Record},
    sample::Sample,
    source,
    store::{Split, Store},
};

/// Facts about a position apart from its board.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PositionFacts {
    /// Half-moves before it by the numbering of its game.
    pub ply: usize,
    /// Ratings of White and Black.
    pub ratings: Option<[u16; 2]>,
    /// Time left on the mover's clock, in seconds.
    pub clock_seconds: Option<u32>,
    /// Score of the mover at the end of the game: 0, 1/2 or 1.
    pub score: Option<f64>,
}

/// A position with the move played and the result of its game.
#[derive(Clone, Debug)]
pub struct PlayedPosition {
    /// The game it comes from: positions of one game are not independent observations.
    pub game_number: usize,
    /// Ply, ratings, clock and score, if the source has them.
    pub facts: PositionFacts,
    /// The position, with as much history as the source keeps.
    pub game: Game,
    /// The move that was played in the game.
    pub played: Move,
}

/// The number of positions that are taken from games.
#[derive(Clone, Copy, Debug)]
pub struct Take {
    /// Largest number from one game, spread over it.
    pub per_game: usize,
    /// Total number, taken as a random sample; `None`: every one.
    pub sample: Option<usize>,
}

impl Take {
    /// Default for [`Take::per_game`].
    pub const PER_GAME: u16 = 4;
}

/// Positions of a source, with the number of games that could not be read.
#[derive(Clone, Debug, Default)]
pub struct PlayedPositions {
    /// The positions, games one after another.
    pub positions: Vec<PlayedPosition>,
    /// Games that were left out because they are broken.
    pub bad_games: u64,
}

/// Reads positions that `wanted` accepts. The source is a file of games in any format of [`source::SOURCES`],
/// or a sample store (a folder), of which only the validation split is read, on which no network of this
/// store was trained. Memory is needed for one game and the positions taken.
///
/// # Errors
/// [`DatasetError`] if the source cannot be read to its end.
pub fn read_played(
    path: &Path,
    take: Take,
    wanted: impl Fn(&PositionFacts) -> bool,
) -> Result<PlayedPositions, DatasetError> {
    if path.is_dir() {
        let positions = from_store(&Store::open(path)?, take, &wanted)?;
        return Ok(PlayedPositions { positions, bad_games: 0 });
    }
    let (mut positions, mut bad_games) = (Reservoir::new(take.sample), 0);
    for (game_number, record) in source::open(path)?.enumerate() {
        let record = match record? {
            Ok(Record::Game(record)) => record,
            Ok(Record::Position(record)) => return Err(no_game(path, record.place.line)),
            Ok(Record::Unlabelled(record)) => return Err(no_game(path, record.place.line)),
            Err(_bad) => {
                bad_games += 1;
                continue;
            }
        };
        let facts = (0..record.moves.len()).map(|ply| facts_of_move(&record, ply));
        for (ply, facts) in spread(facts, take.per_game, &wanted) {
            positions.offer(|| {
                let played = record.moves[ply].played;
                PlayedPosition { game_number, facts, game: record.game(ply), played }
            });
        }
    }
    Ok(PlayedPositions { positions: positions.into_sample(), bad_games })
}

fn no_game(path: &Path, line: u64) -> DatasetError {
    DatasetError::BadSource {
        path: path.into(),
        offset: 0,
        found: format!("a position that is not part of a game (line {line})"),
        expected: "played games".into(),
    }
}

fn facts_of_move(record: &GameRecord, ply: usize) -> PositionFacts {
    let mover = if ply.is_multiple_of(2) { record.start.turn() } else { !record.start.turn() };
    PositionFacts {
        ply,
        ratings: record.white_rating.zip(record.black_rating).map(|(white, black)| [white, black]),
        // Clock times are after a move; the mover's time before its move is that of two plies earlier.
        clock_seconds: ply.checked_sub(2).and_then(|before| record.moves[before].clock_seconds),
        score: record.winner.map(|winner| points(winner.for_color(mover))),
    }
}

fn from_store(
    store: &Store,
    take: Take,
    wanted: impl Fn(&PositionFacts) -> bool,
) -> Result<Vec<PlayedPosition>, DatasetError> {
    let mut positions = Reservoir::new(take.sample);
    let mut offer = |game_number: usize, game: &[Sample]| {
        for (index, facts) in spread(game.iter().map(facts_of_sample), take.per_game, &wanted) {
            positions.offer(|| of_sample(game_number, facts, &game[index]));
        }
    };
    let (mut game, mut game_number): (Vec<Sample>, usize) = (Vec::new(), 0);
    for group in store.row_groups(Split::Validation) {
        for sample in group? {
            // A sample without a game is a game by itself.
            if game.last().is_some_and(|last| last.game.is_none() || last.game != sample.game) {
                offer(game_number, &game);
                game.clear();
                game_number += 1;
            }
            game.push(sample);
        }
    }
    offer(game_number, &game);
    let positions = positions.into_sample().into_iter().collect::<Result<_, _>>();
    positions.map_err(|found| DatasetError::BadStore {
        path: store.path().into(),
        found,
        expected: "legal positions and moves".into(),
    })
}

fn facts_of_sample(sample: &Sample) -> PositionFacts {
    PositionFacts {
        ply: usize::from(sample.ply),
        ratings: sample.white_rating.zip(sample.black_rating).map(|(white, black)| [white, black]),
        clock_seconds: None,
        score: sample.result.map(points),
    }
}

fn of_sample(game_number: usize, facts: PositionFacts, sample: &Sample) -> Result<PlayedPosition, String> {
    let game = sample.to_game().map_err(|error| error.to_string())?;
    // The best move is the one played, unless the sample names another.
    let written = sample.played_move.unwrap_or(sample.best_move);
    let played =
        written.unpack(game.position()).ok_or_else(|| format!("an illegal move in {}", game.fen()))?;
    Ok(PlayedPosition { game_number, facts, game, played })
}

fn points(result: GameResult) -> f64 {
    match result {
        GameResult::Win => 1.0,
        GameResult::Draw => 0.5,
        GameResult::Loss => 0.0,
    }
}

/// At most `per_game` of the wanted positions of a game, each by its place in the game, from the middles of as many equal parts
/// of them, so that the last position, mostly with the winner to move, is not over-represented.
fn spread(
    game: impl Iterator<Item = PositionFacts>,
    per_game: usize,
    wanted: impl Fn(&PositionFacts) -> bool,
) -> Vec<(usize, PositionFacts)> {
    let found: Vec<(usize, PositionFacts)> = game.enumerate().filter(|(_, facts)| wanted(facts)).collect();
    let taken = per_game.min(found.len());
    (0..taken).map(|part| found[(2 * part + 1) * found.len() / (2 * taken)]).collect()
}
