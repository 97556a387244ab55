//! Opening tables: for each position the moves that were played, how often, with what result, by whom and when.
//!
//! [`make_table`] reads game files, sample stores and Polyglot books of any size and writes a [`Table`], a
//! sorted file in which a position is found by bisection. Memory is bounded for any number of games:
//! [`MOST_COUNTED`] moves are counted at a time and written to disk sorted; the sorted runs are merged at the
//! end. A table of games also lists the games behind each count, so that they can be filtered ([`GameFilter`]) and shown. A
//! [`Shelf`] is a folder of tables and makes new ones in the background.
//!
//! # Examples
//! ```
//! use chess::{Game, StopSignal};
//! use census::openings::{TableInput, MakeOptions, Table, make_table};
//!
//! let folder = tempfile::tempdir()?;
//! let (games, out) = (folder.path().join("games.pgn"), folder.path().join("games.openings"));
//! std::fs::write(&games, "1. e4 e5 1-0\n\n1. e4 c5 0-1\n\n1. d4 d5 1/2-1/2\n")?;
//! make_table(&[TableInput::of(&games)], &out, &MakeOptions::named("mine"), &StopSignal::default(), &mut |_| ())?;
//! let moves = Table::open(&out)?.moves(Game::default().position())?;
//! let counts: Vec<u64> = moves.iter().map(|each| each.tally.games()).collect();
//! assert_eq!(counts, [2, 1], "e4 twice, d4 once");
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod error;
mod game_record;
mod game_source;
mod list_maker;
mod listing;
mod make;
mod posting;
mod reading;
mod runs;
mod shelf;
mod sorter;
mod table;
mod tally;

pub use error::ExplorerError;
pub use game_source::GameSource;
pub use list_maker::ListSizes;
pub use listing::{GameFilter, GamePage, GameQuery, ListedGame, MOST_FILTERED, MOST_LISTED};
pub use make::{MakeOptions, TableInput, have_games, make_table};
pub use reading::{GameCounts, Listener, ReadMove, ReadingProgress, ReadingRules, read_games};
pub use shelf::{ListedTable, Shelf, TableProgress, TableState};
pub use sorter::MOST_COUNTED;
pub use table::{GameList, Stamp, Table, TableInfo, TableMove, is_table};
pub use tally::MoveTally;
