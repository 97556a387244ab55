//! The `position` command.

use std::fmt;

use chess::shakmaty::{CastlingMode, uci::UciMove};

use chess::{Game, GameError};

use crate::{
    error::UciError,
    tokens::{Tokens, single_spaced},
};

/// The starting position of a `position` command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartPosition {
    /// The normal starting position.
    Standard,
    /// This FEN, not yet validated.
    Fen(String),
}

/// A starting position and moves, not yet validated against the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionCommand {
    /// Position before the moves.
    pub start: StartPosition,
    /// The moves played from there.
    pub moves: Vec<UciMove>,
}

/// Why a `position` command is not a legal game.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum PositionCommandError {
    /// The FEN is malformed or its position illegal.
    #[error(transparent)]
    Start(#[from] GameError),
    #[error("move {number} of {total}, {found}, is illegal in position {fen}")]
    Move {
        /// Number of the move in the list, from 1.
        number: usize,
        total: usize,
        /// The move in UCI notation.
        found: UciMove,
        fen: String,
    },
}

impl PositionCommand {
    /// The command for the current position of `game`, with its whole history.
    pub fn from_game(game: &Game) -> Self {
        let mode = game.castling_mode();
        let start = &game.history()[0].position;
        let start = if *start == chess::shakmaty::Chess::default() && mode == CastlingMode::Standard {
            StartPosition::Standard
        } else {
            StartPosition::Fen(Game::from_position(start.clone(), mode).fen())
        };
        Self { start, moves: game.moves().iter().map(|chess_move| chess_move.to_uci(mode)).collect() }
    }

    /// Plays the moves. Both notations of castling (`e1g1` and `e1h1`) are accepted in both modes. Castling rights that the pieces
    /// contradict are dropped, as GUIs expect, and returned.
    ///
    /// # Errors
    /// [`PositionCommandError`] with the FEN, or the number of the illegal move and the position it was tried in.
    pub fn game(&self, mode: CastlingMode) -> Result<(Game, String), PositionCommandError> {
        let (mut game, dropped) = match &self.start {
            StartPosition::Standard => {
                (Game::from_position(chess::shakmaty::Chess::default(), mode), String::new())
            }
            StartPosition::Fen(fen) => without_impossible_castling(fen, mode)?,
        };
        for (index, uci_move) in self.moves.iter().enumerate() {
            let chess_move =
                uci_move.to_move(game.position()).map_err(|_illegal| PositionCommandError::Move {
                    number: index + 1,
                    total: self.moves.len(),
                    found: *uci_move,
                    fen: game.fen(),
                })?;
            game.play_unchecked(chess_move);
        }
        Ok((game, dropped))
    }

    /// Reads the tokens after `position`.
    pub(super) fn parse(tokens: &mut Tokens<'_>, ignored: &mut Vec<String>) -> Result<Self, UciError> {
        let all = tokens.rest();
        let start = match tokens.next() {
            Some("startpos") => {
                let skipped = tokens.text_until(|token| token == "moves");
                ignored.extend(skipped.split_whitespace().map(String::from));
                StartPosition::Standard
            }
            Some("fen") => StartPosition::Fen(single_spaced(tokens.text_until(|token| token == "moves"))),
            _ => return Err(UciError::malformed("position", "startpos or fen", all)),
        };
        // Unlike elsewhere an unknown token cannot be skipped: every later move would be played in a wrong position.
        let moves = tokens
            .skip(1)
            .map(|token| {
                token.parse().map_err(|_not_a_move| {
                    UciError::malformed("position", "a move such as e2e4 or e7e8q", token)
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { start, moves })
    }
}

/// The position of a FEN without the castling rights that are impossible in it, and these.
fn without_impossible_castling(fen: &str, mode: CastlingMode) -> Result<(Game, String), GameError> {
    let refused = match Game::from_fen(fen, mode) {
        Ok(game) => return Ok((game, String::new())),
        Err(error @ GameError::Position { .. }) => error,
        Err(malformed) => return Err(malformed),
    };
    let fields: Vec<&str> = fen.split_whitespace().collect();
    let Some(&rights) = fields.get(2) else { return Err(refused) };
    let (mut kept, mut dropped) = (String::new(), String::new());
    for right in rights.chars() {
        let is_possible = with_rights(&fields, &right.to_string(), mode).is_ok();
        if is_possible { kept.push(right) } else { dropped.push(right) }
    }
    // If that is not enough, the reason is another.
    with_rights(&fields, &kept, mode).map(|game| (game, dropped)).map_err(|_| refused)
}

/// The position of a FEN's fields with these castling rights.
fn with_rights(fields: &[&str], rights: &str, mode: CastlingMode) -> Result<Game, GameError> {
    let mut fields = fields.to_vec();
    fields[2] = if rights.is_empty() { "-" } else { rights };
    Game::from_fen(&fields.join(" "), mode)
}

impl fmt::Display for PositionCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.start {
            StartPosition::Standard => formatter.write_str("position startpos")?,
            StartPosition::Fen(fen) => write!(formatter, "position fen {}", single_spaced(fen))?,
        }
        if !self.moves.is_empty() {
            formatter.write_str(" moves")?;
        }
        self.moves.iter().try_for_each(|uci_move| write!(formatter, " {uci_move}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;

    fn position(line: &str) -> PositionCommand {
        match line.parse() {
            Ok(Command::Position(position)) => position,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn plays_the_moves_and_keeps_the_history() {
        let game = position("position startpos moves e2e4 e7e5 g1f3").game(CastlingMode::Standard).unwrap().0;
        assert_eq!(game.ply(), 3);
        assert_eq!(game.fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
        assert_eq!(PositionCommand::from_game(&game).to_string(), "position startpos moves e2e4 e7e5 g1f3");
    }

    #[test]
    fn both_castling_notations_are_understood() {
        for castle in ["e1g1", "e1h1"] {
            let line = format!("position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves {castle}");
            let game = position(&line).game(CastlingMode::Standard).unwrap().0;
            assert_eq!(game.fen(), "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1");
        }
    }

    #[test]
    fn an_illegal_move_is_named_with_its_place() {
        let error = position("position startpos moves e2e4 e2e4").game(CastlingMode::Standard).unwrap_err();
        assert_eq!(
            error.to_string(),
            "move 2 of 2, e2e4, is illegal in position rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
        );
        assert!(position("position fen nonsense").game(CastlingMode::Standard).is_err());
        assert!("position startpos moves e2e9".parse::<Command>().is_err());
        assert!("position".parse::<Command>().is_err());
    }

    #[test]
    fn rights_that_the_pieces_contradict_are_dropped() {
        let board = "3qk1nb/1p3p2/p1r1p1p1/3p4/3P4/2N1BP2/PPPQ1P2/R3K3 w";
        for (mode, given, kept, dropped) in [
            (CastlingMode::Standard, "Q", "Q", ""),
            (CastlingMode::Standard, "Qk", "Q", "k"),
            (CastlingMode::Standard, "KQkq", "Q", "Kkq"),
            (CastlingMode::Standard, "HAh", "Q", "Hh"),
            (CastlingMode::Standard, "k", "-", "k"),
            (CastlingMode::Chess960, "KAkq", "Q", "Kkq"),
        ] {
            let (game, found) = position(&format!("position fen {board} {given} - 0 15")).game(mode).unwrap();
            assert_eq!((game.fen(), found), (format!("{board} {kept} - 0 15"), dropped.into()), "{given}");
        }
        // A king off its home square loses both castling rights; any other defect is still refused, with its
        // own reason.
        let (game, dropped) =
            position("position fen r3k2r/8/8/8/8/8/8/R2K3R w KQkq -").game(CastlingMode::Standard).unwrap();
        assert!(game.fen().contains(" w kq ") && dropped == "KQ", "{}", game.fen());
        for wrong in [
            "8/8/8/8/8/8/8/8 w KQ - 0 1",
            "r3k2r/8/8/8/8/8/8/R2KK2R w KQ - 0 1",
            "4k3/8/8/8/8/8/8/4K3 w xy -",
        ] {
            let line = format!("position fen {wrong}");
            let refused = position(&line).game(CastlingMode::Standard).unwrap_err().to_string();
            let own = Game::from_fen(wrong, CastlingMode::Standard).unwrap_err().to_string();
            assert_eq!(refused, own);
        }
    }

    #[test]
    fn a_null_move_is_illegal() {
        assert!(position("position startpos moves 0000").game(CastlingMode::Standard).is_err());
    }
}
