//! A game: a position together with the moves that led to it.

use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, Move, MoveList, Position, fen::Fen, zobrist::Zobrist64,
};

use crate::{
    GameError,
    notation::{
        NotationError,
        fen::{parse_any_fen, parse_fen},
        parse_san, parse_uci_move,
    },
    outcome::{Ending, FIFTY_MOVES, Outcome, SEVENTY_FIVE_MOVES},
};

/// A position of a game with its key and repetition count.
#[derive(Clone, Debug)]
pub struct HistoryEntry {
    /// The position, with clocks and castling rights.
    pub position: Chess,
    /// Zobrist key of the position, with the en passant square only if a capture is legal.
    pub key: u64,
    /// Earlier occurrences of this position in the game.
    pub repetitions: u8,
}

/// A chess game: every position since its start, from which repetitions, the fifty-move rule and network
/// inputs with history are computed.
///
/// Never empty: the first entry is the starting position.
#[derive(Clone, Debug)]
pub struct Game {
    entries: Vec<HistoryEntry>,
    moves: Vec<Move>,
    castling_mode: CastlingMode,
    ratings: PlayerRatings,
}

/// The most legal moves that a position of a game can have: those of R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - (Petrović
/// 1964; proven by Tobs40, "There is no reachable chess position with more than 218 moves", lichess.org, 2024).
pub const MOST_MOVES: usize = 218;

/// The players' Elo ratings, if known. Networks that imitate people take them as input; the rules ignore them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct PlayerRatings {
    pub white: Option<u16>,
    pub black: Option<u16>,
}

impl PlayerRatings {
    /// Two players of the same rating.
    pub fn both(rating: u16) -> Self {
        Self { white: Some(rating), black: Some(rating) }
    }

    /// The rating of one side.
    pub fn of(self, color: Color) -> Option<u16> {
        match color {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }
}

impl Default for Game {
    fn default() -> Self {
        Self::from_position(Chess::default(), CastlingMode::Standard)
    }
}

impl Game {
    /// The position from which games of orthodox chess start, as FEN.
    ///
    /// ```
    /// assert_eq!(chess::Game::default().fen(), chess::Game::START_FEN);
    /// ```
    pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// A game that starts in `position`.
    pub fn from_position(position: Chess, castling_mode: CastlingMode) -> Self {
        let key = position_key(&position);
        Self {
            entries: vec![HistoryEntry { position, key, repetitions: 0 }],
            moves: Vec::new(),
            castling_mode,
            ratings: PlayerRatings::default(),
        }
    }

    /// A game that starts in the position of a FEN; missing clocks are 0 and 1.
    ///
    /// # Errors
    /// [`GameError::Fen`] or [`GameError::Position`] with the text and the reason.
    pub fn from_fen(fen: &str, castling_mode: CastlingMode) -> Result<Self, GameError> {
        Ok(Self::from_position(parse_fen(fen, castling_mode)?, castling_mode))
    }

    /// A game that starts in the position of a FEN, whose castling rights decide whether it is Chess960
    /// ([`parse_any_fen`]).
    ///
    /// # Errors
    /// As [`Game::from_fen`].
    pub fn from_any_fen(fen: &str) -> Result<Self, GameError> {
        let (position, castling_mode) = parse_any_fen(fen)?;
        Ok(Self::from_position(position, castling_mode))
    }

    /// The end of a game whose earlier moves are unknown (a stored sample). It starts in a position that had
    /// occurred `repetitions` times before. Continue it with [`Game::play_recorded`].
    pub fn from_recorded(position: Chess, repetitions: u8, castling_mode: CastlingMode) -> Self {
        let mut game = Self::from_position(position, castling_mode);
        game.entries[0].repetitions = repetitions;
        game
    }

    /// Plays a legal move; `repetitions` is how often the resulting position had occurred before, from the record.
    pub fn play_recorded(&mut self, chess_move: Move, repetitions: u8) {
        let (position, key) = self.position_after(chess_move);
        self.entries.push(HistoryEntry { position, key, repetitions });
        self.moves.push(chess_move);
    }

    /// The position after the last move.
    pub fn position(&self) -> &Chess {
        &self.current().position
    }

    /// The side to move in the current position.
    pub fn turn(&self) -> Color {
        self.position().turn()
    }

    /// The current position's Zobrist key.
    pub fn key(&self) -> u64 {
        self.current().key
    }

    /// Earlier occurrences of the current position in the game.
    pub fn repetitions(&self) -> u8 {
        self.current().repetitions
    }

    /// All positions from the start to the current one.
    pub fn history(&self) -> &[HistoryEntry] {
        &self.entries
    }

    /// The moves played since the start; always one fewer than [`Game::history`].
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The last `positions` positions of the game (all if there are fewer, at least the current one), with their repetition
    /// counts and the players' ratings.
    #[must_use]
    pub fn tail(&self, positions: usize) -> Self {
        let first = self.entries.len().saturating_sub(positions.max(1));
        Self {
            entries: self.entries[first..].to_vec(),
            moves: self.moves[first..].to_vec(),
            castling_mode: self.castling_mode,
            ratings: self.ratings,
        }
    }

    /// This game with the given ratings of the players.
    #[must_use]
    pub fn with_ratings(mut self, ratings: PlayerRatings) -> Self {
        self.ratings = ratings;
        self
    }

    /// Both players' ratings, as networks that imitate people read them.
    pub fn ratings(&self) -> PlayerRatings {
        self.ratings
    }

    /// Plies played since the starting position of this object.
    pub fn ply(&self) -> usize {
        self.moves.len()
    }

    /// Standard or Chess960 rules and notation for castling.
    pub fn castling_mode(&self) -> CastlingMode {
        self.castling_mode
    }

    /// Legal moves of the current position, in shakmaty's generation order.
    pub fn legal_moves(&self) -> MoveList {
        self.position().legal_moves()
    }

    /// The current position as a six-field FEN.
    pub fn fen(&self) -> String {
        Fen::from_position(self.position(), EnPassantMode::Legal).to_string()
    }

    /// The first position as a six-field FEN.
    pub fn start_fen(&self) -> String {
        Fen::from_position(&self.entries[0].position, EnPassantMode::Legal).to_string()
    }

    /// Plays a move.
    ///
    /// # Errors
    /// [`GameError::Move`] if it is not legal; the game is unchanged.
    pub fn play(&mut self, chess_move: Move) -> Result<(), GameError> {
        if !self.position().is_legal(chess_move) {
            return Err(GameError::Move {
                found: chess_move.to_uci(self.castling_mode).to_string(),
                fen: self.fen(),
            });
        }
        self.play_unchecked(chess_move);
        Ok(())
    }

    /// The game after a move that the caller knows to be legal, as in [`Game::play_unchecked`].
    #[must_use]
    pub fn after(&self, chess_move: Move) -> Self {
        let mut game = self.clone();
        game.play_unchecked(chess_move);
        game
    }

    /// Plays a move that the caller knows to be legal in the current position (it came from [`Game::legal_moves`]).
    pub fn play_unchecked(&mut self, chess_move: Move) {
        let (position, key) = self.position_after(chess_move);
        let repetitions = self.count_earlier(key, position.halfmoves() as usize);
        self.entries.push(HistoryEntry { position, key, repetitions });
        self.moves.push(chess_move);
    }

    /// Plays a move in SAN and returns it.
    ///
    /// # Errors
    /// The errors of [`parse_san`]; the game is unchanged.
    pub fn play_san(&mut self, text: &str) -> Result<Move, NotationError> {
        let chess_move = parse_san(self.position(), text)?;
        self.play_unchecked(chess_move);
        Ok(chess_move)
    }

    /// Plays a move in UCI notation, castling in either form, and returns it.
    ///
    /// # Errors
    /// The errors of [`parse_uci_move`]; the game is unchanged.
    pub fn play_uci(&mut self, text: &str) -> Result<Move, NotationError> {
        let chess_move = parse_uci_move(self.position(), text)?;
        self.play_unchecked(chess_move);
        Ok(chess_move)
    }

    /// Takes the last move back and returns it; `None` at the start of the game.
    pub fn undo(&mut self) -> Option<Move> {
        let chess_move = self.moves.pop()?;
        self.entries.pop();
        Some(chess_move)
    }

    /// The game as it stood after `ply` half-moves, with its history.
    #[must_use]
    pub fn at_ply(&self, ply: usize) -> Self {
        let mut game = self.clone();
        game.moves.truncate(ply);
        game.entries.truncate(ply + 1);
        game
    }

    /// The outcome of the game in the current position, if it is over. Endings that need no claim come first, so a
    /// threefold repetition is reported only if nothing stronger applies.
    pub fn outcome(&self) -> Option<Outcome> {
        let position = self.position();
        let ending = if position.legal_moves().is_empty() {
            if position.is_check() {
                return Some(Outcome { ending: Ending::Checkmate, winner: Some(!position.turn()) });
            }
            Ending::Stalemate
        } else if position.is_insufficient_material() {
            Ending::InsufficientMaterial
        } else if self.repetitions() >= 4 {
            Ending::FivefoldRepetition
        } else if position.halfmoves() >= SEVENTY_FIVE_MOVES {
            Ending::SeventyFiveMoves
        } else if self.repetitions() >= 2 {
            Ending::ThreefoldRepetition
        } else if position.halfmoves() >= FIFTY_MOVES {
            Ending::FiftyMoves
        } else {
            return None;
        };
        Some(Outcome { ending, winner: None })
    }

    fn current(&self) -> &HistoryEntry {
        self.entries.last().expect("a game always holds its starting position")
    }

    /// Number of times that the position `key`, which is about to be added, occurred before. Only the last `reversible` positions
    /// can equal it, and of those every other one (the same side to move), from four plies back on.
    ///
    /// The count of the latest equal position includes those before the first known one ([`Game::from_recorded`]).
    fn count_earlier(&self, key: u64, reversible: usize) -> u8 {
        // `entries` ends with the position before the new one, one half-move back, and a position can return after four at the
        // earliest: three entries are skipped. The latest equal position has counted all before it, so the search ends there.
        let first = self.entries.len().saturating_sub(reversible);
        let mut same_side = self.entries[first..].iter().rev().skip(3).step_by(2);
        same_side.find(|entry| entry.key == key).map_or(0, |entry| entry.repetitions.saturating_add(1))
    }

    /// The position after a legal move, and its key computed from scratch: an incremental update would save a tenth of the
    /// 75 ns of a move, too little for a second implementation.
    fn position_after(&self, chess_move: Move) -> (Chess, u64) {
        let position = played(self.position(), chess_move);
        let key = position_key(&position);
        (position, key)
    }
}

/// The position after a move that the caller knows to be legal.
pub fn played(position: &Chess, chess_move: Move) -> Chess {
    let mut after = position.clone();
    after.play_unchecked(chess_move);
    after
}

/// Plies before a position by its own move number: 0 is move 1 of White, 1 is move 1 of Black.
pub fn plies_before(position: &Chess) -> u32 {
    // A FEN may say that its move is the four billionth.
    let moves = position.fullmoves().get() - 1;
    moves.saturating_mul(2).saturating_add(u32::from(position.turn().is_black()))
}

/// The Zobrist key of [`Game::key`]: includes the en passant square only if a capture is legal.
pub fn position_key(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}
