//! One row of a sample store: a position and its labels.

use chess::{Chess, Color, Game, PlayerRatings, Position as _, Score, Wdl};
use serde::{Deserialize, Serialize};

use crate::{
    GameResult,
    history::History,
    packed_move::PackedMove,
    packed_position::{PackedPosition, castling_mode},
    policy::PolicyLabel,
    record::{Eco, Origin, SearchEffort, TimeControl},
};

pub use crate::history::SampleError;

/// A position with its labels. Values are seen by the side to move.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct Sample {
    /// The pieces, the turn, castling rights, en passant and the fifty-move clock, packed.
    pub position: PackedPosition,
    /// The move to learn: the engine's if the source names one, else the move played.
    pub best_move: PackedMove,
    /// The move played, if it is not `best_move` (a slip).
    pub played_move: Option<PackedMove>,
    /// The engine's evaluation, a mate in moves or centipawns.
    pub evaluation: Option<Score>,
    pub result: Option<GameResult>,
    /// Plies before this position by the numbering of its game: 0 is move 1 of White, 1 is move 1 of Black.
    pub ply: u16,
    /// White's rating on the scale of the source.
    pub white_rating: Option<u16>,
    /// Black's rating on the scale of the source.
    pub black_rating: Option<u16>,
    /// Hash of the game: its first position and its moves. `None` for a position that is part of no game.
    pub game: Option<u64>,
    /// Number of times that the position occurred earlier in its game.
    pub repetitions: u8,
    /// Slips from this position to the end of the game, this move included (255 = 255 or more).
    pub slips: u8,
    /// Index into the manifest's list of sources.
    pub source: u16,
    /// The positions before this one; empty in a store without history.
    pub history: History,
    /// Known data of several moves; `best_move` is the first of them.
    pub policy: PolicyLabel,
    /// Value of the position from a search, in addition to the evaluation that is learned.
    pub search_value: Option<SearchValue>,
    /// The engine that gave the labels: an index into the manifest's list of engines.
    pub engine: Option<u16>,
    /// Depth and nodes of that engine's search.
    pub effort: SearchEffort,
    /// Seconds left on the mover's clock after the move played.
    pub clock_seconds: Option<u32>,
    pub time_control: Option<TimeControl>,
    pub eco: Option<Eco>,
    pub origin: Option<Origin>,
    /// Weight of the sample in training, 1 by default.
    pub weight: f32,
}

/// The value of a search in ten-thousandths, as it is stored. Seen by the side to move; the rest to 10,000 is the
/// probability of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchValue {
    /// Probability of a win, in ten-thousandths.
    pub win: u16,
    /// Probability of a loss, in ten-thousandths.
    pub loss: u16,
}

impl SearchValue {
    /// The sum of win, draw and loss.
    pub const WHOLE: u16 = 10_000;

    /// The nearest value to a distribution.
    pub fn new(wdl: Wdl) -> Self {
        let [win, loss] =
            [wdl.win, wdl.loss].map(|share| (share.clamp(0.0, 1.0) * f32::from(Self::WHOLE)).round() as u16);
        // Both may have been rounded up.
        Self { win, loss: loss.min(Self::WHOLE - win) }
    }

    /// The probabilities, 0 to 1.
    pub fn wdl(self) -> Wdl {
        let draw = Self::WHOLE.saturating_sub(self.win).saturating_sub(self.loss);
        let [win, draw, loss] =
            [self.win, draw, self.loss].map(|part| f32::from(part) / f32::from(Self::WHOLE));
        Wdl { win, draw, loss }
    }
}

impl Sample {
    /// The position.
    ///
    /// # Errors
    /// [`SampleError`] when the stored bytes are not a legal position.
    pub fn chess(&self) -> Result<Chess, SampleError> {
        Ok(self.position.at_ply(self.ply)?)
    }

    /// The position as a game, with the players' ratings and as much history as the store keeps; its last position is the
    /// sample's.
    ///
    /// # Errors
    /// [`SampleError`] when the stored bytes contradict themselves.
    pub fn to_game(&self) -> Result<Game, SampleError> {
        if self.history.is_empty() {
            let position = self.chess()?;
            let mode = castling_mode(&position);
            return Ok(Game::from_recorded(position, self.repetitions, mode).with_ratings(self.ratings()));
        }
        let game = self.history.replay(self.ply, self.repetitions)?;
        if PackedPosition::pack(game.position()) != self.position {
            return Err(SampleError::History("its moves lead to another position".into()));
        }
        Ok(game.with_ratings(self.ratings()))
    }

    fn ratings(&self) -> PlayerRatings {
        PlayerRatings { white: self.white_rating, black: self.black_rating }
    }

    /// The sample with the files of the board reversed; none if a king may still castle, now or in the history.
    pub fn mirrored(&self) -> Option<Self> {
        Some(Self {
            position: self.position.mirrored()?,
            history: self.history.mirrored()?,
            best_move: self.best_move.mirrored(),
            played_move: self.played_move.map(PackedMove::mirrored),
            policy: self.policy.mirrored(),
            ..self.clone()
        })
    }

    /// A sample of a position some moves after this one, without labels and history, and with its first legal move in place of the best;
    /// `None` if that position has no legal move.
    pub(crate) fn unlabelled_after(&self, after: &Chess, moves: u16) -> Option<Self> {
        let first = *after.legal_moves().first()?;
        Some(Self {
            position: PackedPosition::pack(after),
            best_move: PackedMove::pack(first),
            played_move: None,
            evaluation: None,
            result: None,
            ply: self.ply.saturating_add(moves),
            repetitions: 0,
            history: History::default(),
            policy: PolicyLabel::BestMove,
            search_value: None,
            clock_seconds: None,
            ..self.clone()
        })
    }

    /// Rating of the side to move.
    pub fn mover_rating(&self) -> Option<u16> {
        match self.position.turn() {
            Color::White => self.white_rating,
            Color::Black => self.black_rating,
        }
    }
}
