//! Games as their source describes them.

use chess::{CastlingMode, Chess, Game, PlayerRatings};

use super::{Eco, Identity, LabelDoubts, Origin, Place, Players, RecordedMove, TimeControl, Winner};

/// A game with its players, result and labels.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// File and line of its beginning, for messages.
    pub place: Place,
    /// The position before the first move.
    pub start: Chess,
    /// Whether the rules and the notation of castling are those of Chess960.
    pub castling_mode: CastlingMode,
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
    /// Labels that the source has and that were left out.
    pub doubts: LabelDoubts,
}

impl GameRecord {
    /// A game of which only the moves are known.
    pub fn of_game(game: &Game) -> Self {
        Self {
            start: game.history()[0].position.clone(),
            castling_mode: game.castling_mode(),
            moves: game.moves().iter().copied().map(RecordedMove::from).collect(),
            ..Self::default()
        }
    }

    /// The game after its first `plies` moves (all of them if there are fewer), with the players' ratings.
    pub fn game(&self, plies: usize) -> Game {
        let ratings = PlayerRatings { white: self.white_rating, black: self.black_rating };
        let mut game = Game::from_position(self.start.clone(), self.castling_mode).with_ratings(ratings);
        // Sources check the moves of their games.
        self.moves.iter().take(plies).for_each(|recorded| game.play_unchecked(recorded.played));
        game
    }
}

impl Default for GameRecord {
    /// A game without moves from the starting position of orthodox chess.
    fn default() -> Self {
        Self {
            place: Place::default(),
            start: Chess::default(),
            castling_mode: CastlingMode::Standard,
            moves: Vec::new(),
            winner: None,
            white_rating: None,
            black_rating: None,
            time_control: None,
            eco: None,
            year: None,
            origin: None,
            identity: Identity::default(),
            players: Players::default(),
            doubts: LabelDoubts::default(),
        }
    }
}
