//! Opening tables as the page shows and makes them: counts of the moves played in a set of games.

mod behind;

use std::{
    fs,
    path::{Path, PathBuf},
};

use census::openings::{
    ExplorerError, GameFilter, GameList, GameSource, ListedTable, Shelf, TableMove, TableState,
};
use chess::{Chess, print_san, print_uci_move};
use dataset::packed_position::castling_mode;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) use behind::{MOST_GAMES, OpeningGames};

use crate::error::ApiError;

/// The name of the source that holds the games played on the page.
const PLAYED_HERE: &str = "Games played here";

/// Something from which a table can be made.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct OpeningSource {
    /// Name in requests.
    name: String,
    /// Its length in bytes; `null` if it is a folder.
    bytes: Option<u64>,
}

/// A table, ready or not.
#[allow(clippy::struct_excessive_bools, reason = "the fields are those of the API")]
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub(crate) struct OpeningTable {
    /// Id in requests.
    id: String,
    /// Display name.
    name: String,
    /// True if the table can answer queries.
    ready: bool,
    /// The share of its source that was read, 0 to 1, while it is being made.
    share: Option<f64>,
    /// Games read so far.
    games: u64,
    /// Games read a second, while it is being made.
    games_per_second: Option<f64>,
    /// Games left out because they are broken.
    broken: u64,
    /// Positions in it, if it is ready.
    positions: u64,
    /// Half-moves of each game that were read, if it is ready.
    plies: u16,
    /// True if the counts are weights of a book, not games.
    weights: bool,
    /// True if the source has changed since the table was made.
    stale: bool,
    /// True if the games behind its counts can be listed and filtered.
    listed: bool,
    /// True if an older version made it of files whose games are kept today: they have to be read again.
    older: bool,
    /// Reason why making the table failed, if it did.
    problem: Option<String>,
}

/// All opening tables, and the sources for more.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct OpeningsView {
    /// All tables, ready or not.
    tables: Vec<OpeningTable>,
    /// Sources from which tables can be made.
    sources: Vec<OpeningSource>,
    /// Folder in which the server looks for sources.
    folder: String,
}

/// A move of a table.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct OpeningMove {
    /// The move in UCI notation.
    uci: String,
    /// The move in SAN.
    san: String,
    white: u32,
    draws: u32,
    black: u32,
    /// Games without a known result; the weight of a book's move.
    unknown: u32,
    /// Mean rating of those who played it, if any is known.
    rating: Option<u16>,
    /// First and last year in which it was played, if any is known.
    #[schema(value_type = Option<(u16, u16)>)]
    years: Option<(u16, u16)>,
}

/// The opening tables of a folder. They are made in the background; no name reaches a file outside the folders of tables and
/// sources.
pub(crate) struct OpeningTables {
    pub(crate) shelf: Shelf,
    /// The folders of sources, as text for people.
    folders: String,
}

impl From<ExplorerError> for ApiError {
    fn from(error: ExplorerError) -> Self {
        match error {
            ExplorerError::Unknown { .. } => Self::not_found(error.to_string()),
            ExplorerError::NoGames { .. } => Self::conflict("no_games", error.to_string()),
            ExplorerError::ManyGames { .. } => Self::invalid("too_many_games", error.to_string()),
            _ => Self::failed(error.to_string()),
        }
    }
}

impl OpeningTables {
    /// Tables in `folder`; sources are searched for in `data`, and `games` has the games played on the page.
    pub(crate) fn new(folder: &Path, data: Vec<PathBuf>, games: PathBuf) -> Self {
        // The browser may be on another machine than the server, or in another folder than the reader thinks.
        let folders: Vec<String> = data.iter().map(|path| absolute(path).display().to_string()).collect();
        let folders = folders.join(", ");
        Self { shelf: Shelf::new(absolute(folder), data).gathering(PLAYED_HERE, games), folders }
    }

    /// Tables and sources.
    pub(crate) fn view(&self) -> Result<OpeningsView, ExplorerError> {
        Ok(OpeningsView {
            tables: self.shelf.tables()?.into_iter().map(OpeningTable::from).collect(),
            sources: self.shelf.sources()?.into_iter().map(OpeningSource::from).collect(),
            folder: self.folders.clone(),
        })
    }

    /// The folder for a file that is being sent. It is created, and leftovers of a killed server are removed from it.
    pub(crate) fn waiting_room(&self) -> Result<&Path, ApiError> {
        let folder = self.shelf.folder();
        fs::create_dir_all(folder).map_err(|error| {
            ApiError::failed(format!("cannot make the folder {}: {error}", folder.display()))
        })?;
        // An upload may be gigabytes, so those of a killed server must not wait for its next start. One that is under way is locked and
        // stays. Leftovers that cannot be removed do no harm.
        let _ = files::remove_partial(folder);
        Ok(folder)
    }

    /// The moves of a position in the games that pass, most games first.
    pub(crate) fn moves(
        &self,
        id: &str,
        position: &Chess,
        filter: &GameFilter,
    ) -> Result<Vec<OpeningMove>, ExplorerError> {
        let moves = self.shelf.table(id)?.filtered_moves(position, filter)?;
        let mode = castling_mode(position);
        let views = moves.into_iter().map(|TableMove { chess_move, tally }| OpeningMove {
            uci: print_uci_move(chess_move, mode),
            san: print_san(position, chess_move),
            white: tally.white,
            draws: tally.draws,
            black: tally.black,
            unknown: tally.unknown,
            rating: tally.rating(),
            years: tally.years(),
        });
        Ok(views.collect())
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

impl From<GameSource> for OpeningSource {
    fn from(source: GameSource) -> Self {
        Self { name: source.name, bytes: (source.bytes > 0).then_some(source.bytes) }
    }
}

impl From<ListedTable> for OpeningTable {
    fn from(listed: ListedTable) -> Self {
        let mut view = Self { id: listed.id, name: listed.name, stale: listed.stale, ..Self::default() };
        let counts = match listed.state {
            TableState::Ready(info) => {
                view.ready = true;
                (view.positions, view.plies, view.weights) = (info.positions, info.plies, info.weights);
                view.listed = matches!(info.game_list, GameList::Kept(_));
                view.older = info.lacks_games();
                info.counts
            }
            TableState::Making(making) => {
                view.share = Some(making.progress.share);
                view.games_per_second = Some(making.games_per_second.round());
                making.progress.counts
            }
            TableState::Failed(reason) => return Self { problem: Some(reason), ..view },
        };
        (view.games, view.broken) = (counts.games.saturating_add(counts.without_result), counts.broken);
        view
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_upload_removes_one_that_a_kill_cut_off_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let tables = folder.path().join("tables");
        let openings = OpeningTables::new(&tables, Vec::new(), folder.path().join("games"));
        let room = openings.waiting_room().unwrap();
        let under_way = files::aside(room).unwrap();
        fs::write(room.join(".tabiya-a1b2c3.partial"), "1. e4").unwrap();
        assert_eq!(openings.waiting_room().unwrap(), room);
        assert_eq!(files::entries(room).unwrap(), [under_way.path()]);
    }
}
