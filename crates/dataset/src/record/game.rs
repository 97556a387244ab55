//! Games as their source describes them.

use chess::{Chess, Move};

use super::{Eco, Identity, Origin, Place, Players, RecordedMove, TimeControl, Winner};

/// A game with its players, result and labels.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// File and line of its beginning, for messages.
    pub place: Place,
    /// The position before the first move.
    pub start: Chess,
    /// The main line from there; variations are left out.
    pub moves: Vec<RecordedMove>,
    /// Result; `None` if the source does not know it (`*`).
    pub winner: Option<Winner>,
    /// White's rating on the scale of the source.
    pub white_rating: Option<u16>,
    /// Black's rating on the scale of the source.
    pub black_rating: Option<u16>,
    /// Main time and increment.
    pub time_control: Option<TimeControl>,
    /// The opening as the source classifies it.
    pub eco: Option<Eco>,
    /// The year in which it was played.
    pub year: Option<u16>,
    /// Origin of the game, if known.
    pub origin: Option<Origin>,
    /// Hashes that identify repeated games, in addition to their moves.
    pub identity: Identity,
    /// Names of the players, if known.
    pub players: Players,
}

impl GameRecord {
    /// A game of which only the moves are known.
    pub fn of_moves(start: Chess, moves: impl IntoIterator<Item = Move>) -> Self {
        let recorded = |played| RecordedMove { played, better: None, evaluation: None, clock_seconds: None };
        Self {
            place: Place::default(),
            start,
            moves: moves.into_iter().map(recorded).collect(),
            winner: None,
            white_rating: None,
            black_rating: None,
            time_control: None,
            eco: None,
            year: None,
            origin: None,
            identity: Identity::default(),
            players: Players::default(),
        }
    }
}
