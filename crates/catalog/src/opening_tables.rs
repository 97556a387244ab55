//! Opening tables as the page uses them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use census::openings::{ExplorerError, ListedTable, Shelf, TableState};
use chess::{Chess, print_san, print_uci_move};
use dataset::packed_position::castling_mode;
use tempfile::NamedTempFile;
use web::{OpeningMove, OpeningSource, OpeningTable, Openings, OpeningsError, OpeningsView};

/// The name of the source that holds the games played on the page.
const PLAYED_HERE: &str = "Games played here";

/// The opening tables of a folder, for the page.
pub struct OpeningTables {
    shelf: Shelf,
    /// The folders of sources, as text for people.
    folders: String,
}

impl OpeningTables {
    /// Tables in `folder`; sources are searched for in `data`, and `games` has the games played on the page.
    pub fn new(folder: &Path, data: Vec<PathBuf>, games: PathBuf) -> Self {
        // The browser may be on another machine than the server, or in another folder than the reader thinks.
        let shown = |path: &PathBuf| absolute(path).display().to_string();
        let folders = data.iter().map(shown).collect::<Vec<_>>().join(", ");
        Self { shelf: Shelf::new(absolute(folder), data).gathering(PLAYED_HERE, games), folders }
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

impl Openings for OpeningTables {
    fn view(&self) -> Result<OpeningsView, OpeningsError> {
        let source = |source: census::openings::GameSource| OpeningSource {
            name: source.name,
            bytes: (source.bytes > 0).then_some(source.bytes),
        };
        let tables = self.shelf.tables().map_err(|error| told(&error))?;
        let sources = self.shelf.sources().map_err(|error| told(&error))?;
        Ok(OpeningsView {
            tables: tables.into_iter().map(table).collect(),
            sources: sources.into_iter().map(source).collect(),
            folder: self.folders.clone(),
        })
    }

    fn make(&self, source: &str) -> Result<(), OpeningsError> {
        self.shelf.make(source).map(drop).map_err(|error| told(&error))
    }

    fn waiting_room(&self) -> Result<PathBuf, OpeningsError> {
        let folder = self.shelf.folder();
        match fs::create_dir_all(folder) {
            Ok(()) => {
                // A killed server may have left partial uploads. Leftovers that cannot be removed do no harm.
                let _ = files::remove_partial(folder);
                Ok(folder.to_owned())
            }
            Err(error) => {
                Err(OpeningsError::Failed(format!("cannot make the folder {}: {error}", folder.display())))
            }
        }
    }

    fn make_of_file(&self, name: &str, file: NamedTempFile) -> Result<(), OpeningsError> {
        self.shelf.make_of_file(name, file).map(drop).map_err(|error| told(&error))
    }

    fn stop(&self, id: &str) {
        self.shelf.stop(id);
    }

    fn delete(&self, id: &str) -> Result<(), OpeningsError> {
        self.shelf.delete(id).map_err(|error| told(&error))
    }

    fn moves(&self, id: &str, position: &Chess) -> Result<Vec<OpeningMove>, OpeningsError> {
        let (_, moves) = self.shelf.moves(id, position).map_err(|error| told(&error))?;
        let mode = castling_mode(position);
        let view = |each: census::openings::TableMove| OpeningMove {
            uci: print_uci_move(each.chess_move, mode),
            san: print_san(position, each.chess_move),
            white: each.tally.white,
            draws: each.tally.draws,
            black: each.tally.black,
            unknown: each.tally.unknown,
            rating: each.tally.rating(),
            years: each.tally.years(),
        };
        Ok(moves.into_iter().map(view).collect())
    }
}

fn table(shelved: ListedTable) -> OpeningTable {
    let mut view = OpeningTable {
        id: shelved.id,
        name: shelved.name,
        ready: false,
        share: None,
        games: 0,
        games_per_second: None,
        broken: 0,
        positions: 0,
        plies: 0,
        weights: false,
        stale: shelved.stale,
        problem: None,
    };
    let counts = match shelved.state {
        TableState::Ready(info) => {
            view.ready = true;
            (view.positions, view.plies, view.weights) = (info.positions, info.plies, info.weights);
            info.counts
        }
        TableState::Making(making) => {
            view.share = Some(making.progress.share);
            view.games_per_second = Some(making.games_per_second.round());
            making.progress.counts
        }
        TableState::Failed(reason) => {
            view.problem = Some(reason);
            return view;
        }
    };
    (view.games, view.broken) = (counts.games.saturating_add(counts.without_result), counts.broken);
    view
}

fn told(error: &ExplorerError) -> OpeningsError {
    match error {
        ExplorerError::Unknown { .. } => OpeningsError::Unknown(error.to_string()),
        _ => OpeningsError::Failed(error.to_string()),
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
        let under_way = files::aside(&room).unwrap();
        fs::write(room.join(".tabiya-a1b2c3.partial"), "1. e4").unwrap();
        assert_eq!(openings.waiting_room().unwrap(), room);
        assert_eq!(files::entries(&room).unwrap(), [under_way.path()]);
    }
}
