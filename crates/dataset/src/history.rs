//! The positions before a sample: the optional column `history` of a sample store.
//!
//! Layout: the packed position `k` plies back (34 bytes), its repetition count (1 byte), then for each of the `k` moves
//! since then the packed move (2 bytes, little-endian) and the repetition count of the position after it (1 byte). The
//! last of these counts is that of the sample itself. `k` is as large as the store's setting or as the game allows; a
//! sample at the start of its game has a history of 35 bytes, which distinguishes it from a sample without one.

use chess::Game;

use crate::{
    packed_move::PackedMove,
    packed_position::{PACKED_POSITION_BYTES, PackedPosition, UnpackError, castling_mode},
};

const START_BYTES: usize = PACKED_POSITION_BYTES + 1;
const MOVE_BYTES: usize = 3;

/// The bytes of a history; empty when the store keeps none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History(pub Box<[u8]>);

impl History {
    /// A history that starts in `start`, followed by moves with the repetition counts of the positions they lead to.
    pub fn new(start: &PackedPosition, start_repetitions: u8, moves: &[(PackedMove, u8)]) -> Self {
        let mut bytes = Vec::with_capacity(START_BYTES + MOVE_BYTES * moves.len());
        bytes.extend_from_slice(&start.0);
        bytes.push(start_repetitions);
        for (packed, repetitions) in moves {
            bytes.extend_from_slice(&packed.0.to_le_bytes());
            bytes.push(*repetitions);
        }
        Self(bytes.into())
    }

    /// True if the store keeps no history.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The history with the files of the board reversed; none if a king may still castle in its first position.
    pub(crate) fn mirrored(&self) -> Option<Self> {
        if self.is_empty() {
            return Some(Self::default());
        }
        let (start, rest) = self.0.split_first_chunk::<PACKED_POSITION_BYTES>()?;
        let (&repetitions, moves) = rest.split_first()?;
        let mirrored: Vec<(PackedMove, u8)> = moves
            .chunks_exact(MOVE_BYTES)
            .map(|chunk| (PackedMove(u16::from_le_bytes([chunk[0], chunk[1]])).mirrored(), chunk[2]))
            .collect();
        Some(Self::new(&PackedPosition(*start).mirrored()?, repetitions, &mirrored))
    }

    /// Plays the history to the position at `ply`, which occurred `repetitions` times before.
    pub(crate) fn replay(&self, ply: u16, repetitions: u8) -> Result<Game, SampleError> {
        // The first position has a count of its own, so a whole history is one byte longer than a multiple of a move.
        let (start, moves) = self
            .0
            .split_first_chunk::<PACKED_POSITION_BYTES>()
            .filter(|(_, rest)| rest.len() % MOVE_BYTES == 1)
            .ok_or_else(|| {
                SampleError::History(format!("{} bytes, expected 35 and 3 a move", self.0.len()))
            })?;
        let (start_repetitions, moves) = (moves[0], &moves[1..]);
        let first_ply = u16::try_from(moves.len() / MOVE_BYTES)
            .ok()
            .and_then(|count| ply.checked_sub(count))
            .ok_or_else(|| SampleError::History(format!("longer than the {ply} half-moves of its game")))?;
        let position = PackedPosition(*start).at_ply(first_ply)?;
        let mode = castling_mode(&position);
        let mut game = Game::from_recorded(position, start_repetitions, mode);
        for chunk in moves.chunks_exact(MOVE_BYTES) {
            let packed = PackedMove(u16::from_le_bytes([chunk[0], chunk[1]]));
            let chess_move = packed.unpack(game.position()).ok_or(SampleError::Move { bits: packed.0 })?;
            game.play_recorded(chess_move, chunk[2]);
        }
        if game.repetitions() != repetitions {
            let reason = "its last repetition count differs from the sample's";
            return Err(SampleError::History(reason.into()));
        }
        Ok(game)
    }
}

/// Bytes of a sample that are not a position, a move or a history.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// The position cannot be unpacked.
    #[error(transparent)]
    Position(#[from] UnpackError),
    /// The move is not legal in the position.
    #[error("move {bits:#06x} is not legal in its position")]
    Move {
        /// The move as [`crate::packed_move::PackedMove`] stores it.
        bits: u16,
    },
    /// The history cannot be decoded.
    #[error("history: {0}")]
    History(String),
}
