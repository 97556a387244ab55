//! The latest game of a self-play run, from its replay store (`docs/formats.md` has the layout).

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use chess::{Game, Position as _};
use files::{OutputError, entries};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{run_folder, selfplay};
use crate::error::ApiError;

/// Largest unpacked size of a game in bytes, as the program writes them.
const MOST_BYTES: u64 = 16 << 20;

/// A game of self-play.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct LatestGame {
    /// Its generation.
    pub(crate) generation: u64,
    /// The position before its first move, FEN.
    pub(crate) fen: String,
    /// Its moves, UCI.
    pub(crate) moves: Vec<String>,
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub(crate) result: &'static str,
    /// White's win percentage in each position that was searched; `null` in the others.
    pub(crate) white_percent: Vec<Option<f32>>,
}

/// The fields read from a game; others are skipped.
#[derive(Deserialize)]
struct Stored {
    id: StoredId,
    start: String,
    moves: Vec<StoredMove>,
    winner: String,
}

#[derive(Deserialize)]
struct StoredId {
    generation: u64,
}

#[derive(Deserialize)]
struct StoredMove {
    #[serde(rename = "move")]
    played: String,
    search: Option<StoredSearch>,
}

#[derive(Deserialize)]
struct StoredSearch {
    /// Win, draw and loss of the mover.
    value: [f32; 3],
}

/// The game that was kept last.
pub(crate) fn latest_game(runs: &Path, name: &str) -> Result<LatestGame, ApiError> {
    let folder = run_folder(runs, name)?;
    let file = newest(&folder)?.ok_or_else(|| ApiError::missing("self-play game of the run", name))?;
    read(&file).map_err(|reason| ApiError::failed(format!("cannot read {}: {reason}", file.display())))
}

fn newest(folder: &Path) -> Result<Option<PathBuf>, OutputError> {
    let Some(generation) = selfplay::newest_generation(folder)? else { return Ok(None) };
    let mut newest = None;
    for path in entries(&generation)? {
        // Among games of the same time the last by name; a deleted one counts as oldest.
        newest = newest.max(selfplay::modified(&path)?.map(|modified| (modified, path)));
    }
    Ok(newest.map(|(_, path)| path))
}

fn read(file: &Path) -> Result<LatestGame, String> {
    let mut json = Vec::new();
    // Limited after unpacking: a damaged or malicious file of kilobytes may unpack to more than the memory.
    let packed = File::open(file).and_then(zstd::Decoder::new);
    let unpacked = packed.and_then(|text| text.take(MOST_BYTES).read_to_end(&mut json));
    unpacked.map_err(|error| error.to_string())?;
    let stored: Stored = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    let mut game = Game::from_any_fen(&stored.start).map_err(|error| error.to_string())?;
    let mut white_percent = Vec::with_capacity(stored.moves.len());
    for stored in &stored.moves {
        let mover = game.position().turn();
        white_percent.push(stored.search.as_ref().map(|StoredSearch { value: [win, draw, loss] }| {
            100.0 * (mover.fold_wb(win, loss) + draw / 2.0)
        }));
        game.play_uci(&stored.played).map_err(|error| error.to_string())?;
    }
    let result = match stored.winner.as_str() {
        "white" => "1-0",
        "black" => "0-1",
        "draw" => "1/2-1/2",
        other => return Err(format!("found the winner {other:?}, expected white, draw or black")),
    };
    let moves = stored.moves.into_iter().map(|one| one.played).collect();
    Ok(LatestGame { generation: stored.id.generation, fen: stored.start, moves, result, white_percent })
}
