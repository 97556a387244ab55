//! Errors of positions and moves, below the game and the notations, which both report them.

/// A position or move that was refused.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum GameError {
    /// The text is not a FEN of four to six fields.
    #[error("invalid FEN {fen:?}: {reason}")]
    Fen { fen: String, reason: String },
    /// The FEN is well-formed but the position breaks the rules of chess.
    #[error("illegal position {fen:?}: {reason}")]
    Position { fen: String, reason: String },
    #[error("illegal move {found:?} in position {fen}")]
    Move {
        /// The move in UCI notation.
        found: String,
        fen: String,
    },
}
