//! The games behind a count of an opening table.

use census::openings::{ExplorerError, GameQuery, ListedGame};
use chess::{Chess, print_san, print_uci_move};
use serde::Serialize;
use utoipa::ToSchema;

use super::OpeningTables;

/// Maximum number of games in one answer.
pub(crate) const MOST_GAMES: usize = 100;

/// A game of a table.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct OpeningGame {
    /// White's name, if known.
    white: Option<String>,
    /// Black's name, if known.
    black: Option<String>,
    white_rating: Option<u16>,
    black_rating: Option<u16>,
    /// As in PGN; `*` if it is not known.
    result: &'static str,
    year: Option<u16>,
    /// The first position as a FEN, unless it is that of orthodox chess.
    fen: Option<String>,
    /// All moves in UCI notation.
    moves: Vec<String>,
    /// Half-moves before the position was reached.
    ply: usize,
    /// The move then played, in SAN.
    san: Option<String>,
}

/// Games of a position, or of a move in it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct OpeningGames {
    /// Strongest players first (mean of both ratings), the latest of equal strength first, games without ratings last.
    games: Vec<OpeningGame>,
    /// Number of all matching games; the first 1,000 can be listed.
    total: u64,
}

impl OpeningTables {
    /// Games that reached a position.
    pub(crate) fn games(
        &self,
        id: &str,
        position: &Chess,
        query: &GameQuery,
    ) -> Result<OpeningGames, ExplorerError> {
        let page = self.shelf.table(id)?.games(position, query)?;
        Ok(OpeningGames { games: page.games.into_iter().map(OpeningGame::from).collect(), total: page.total })
    }
}

impl From<ListedGame> for OpeningGame {
    fn from(ListedGame { record, ply }: ListedGame) -> Self {
        let start = record.game(0);
        let mode = start.castling_mode();
        let next = record.moves.get(ply);
        Self {
            white_rating: record.white_rating,
            black_rating: record.black_rating,
            result: record.pgn_result().as_str(),
            year: record.year,
            fen: (record.start != Chess::default()).then(|| start.fen()),
            moves: record.moves.iter().map(|recorded| print_uci_move(recorded.played, mode)).collect(),
            ply,
            san: next.map(|recorded| print_san(record.game(ply).position(), recorded.played)),
            white: record.players.white,
            black: record.players.black,
        }
    }
}
