//! Laws of the parsers on arbitrary text, called by the fuzz targets and by the tests.

use shakmaty::{CastlingMode, Position};

use crate::{
    Epd, Game,
    encoding::MOVES,
    notation::{
        fen::{parse_fen, parse_flawed_fen},
        parse_san, parse_uci_move, print_san, print_uci_move,
    },
    polyglot::PolyglotBook,
};

const MODES: [CastlingMode; 2] = [CastlingMode::Standard, CastlingMode::Chess960];

/// FEN: any text is refused or round-trips.
///
/// # Panics
/// If the law is broken.
pub fn check_fen(text: &str) {
    for mode in MODES {
        if let Ok(game) = Game::from_fen(text, mode) {
            let again = Game::from_fen(&game.fen(), mode)
                .unwrap_or_else(|error| panic!("written by us, refused by us: {error}"));
            assert_eq!(game.position(), again.position(), "{text:?}");
            assert_eq!(game.fen(), again.fen(), "{text:?}");
            // Every method works on an accepted text.
            game.outcome();
        }
    }
    let strict = parse_fen(text, CastlingMode::Standard);
    match (strict, parse_flawed_fen(text)) {
        (Ok(strict), repaired) => assert_eq!(Some(strict), repaired.ok(), "{text:?} needs no repair"),
        (Err(_), repaired) => drop(repaired.map(|position| position.legal_moves())),
    }
}

/// EPD: any text is refused or round-trips, operations included.
///
/// # Panics
/// If the law is broken.
pub fn check_epd(text: &str) {
    if let Ok(epd) = Epd::parse(text) {
        let again = Epd::parse(&epd.to_string())
            .unwrap_or_else(|error| panic!("written by us, refused by us: {error}"));
        assert_eq!(epd.operations, again.operations, "{text:?}");
        assert_eq!(epd.to_string(), again.to_string(), "{text:?}");
        // Refused or not: no panic.
        let _ = (epd.best_moves(), epd.avoid_moves(), epd.centipawns(), epd.analysis_depth());
    }
}

/// SAN: any text is refused or is a legal move that round-trips.
///
/// # Panics
/// If the law is broken.
pub fn check_san(game: &Game, text: &str) {
    if let Ok(chess_move) = parse_san(game.position(), text) {
        assert!(game.position().is_legal(chess_move), "{text:?} in {}", game.fen());
        let written = print_san(game.position(), chess_move);
        assert_eq!(
            parse_san(game.position(), &written).ok(),
            Some(chess_move),
            "{written} in {}",
            game.fen()
        );
    }
}

/// UCI moves: any text is refused or is a legal move that round-trips.
///
/// # Panics
/// If the law is broken.
pub fn check_uci_move(game: &Game, text: &str) {
    if let Ok(chess_move) = parse_uci_move(game.position(), text) {
        assert!(game.position().is_legal(chess_move), "{text:?} in {}", game.fen());
        let written = print_uci_move(chess_move, game.castling_mode());
        assert_eq!(
            parse_uci_move(game.position(), &written).ok(),
            Some(chess_move),
            "{written} in {}",
            game.fen()
        );
    }
}

/// Policy indices: any number decodes to nothing or to a legal move with that index.
///
/// # Panics
/// If the law is broken.
pub fn check_move_index(game: &Game, index: usize) {
    for encoding in MOVES {
        if let Some(chess_move) = encoding.decode(game.position(), index) {
            assert!(game.position().is_legal(chess_move), "{} {index} in {}", encoding.name(), game.fen());
            assert_eq!(
                encoding.index(game.position(), chess_move),
                index,
                "{} in {}",
                encoding.name(),
                game.fen()
            );
        }
    }
}

/// Polyglot books: any bytes are refused or read as a book that, once written, reads and writes as itself.
///
/// # Panics
/// If the law is broken.
pub fn check_polyglot(bytes: &[u8]) {
    if let Ok(book) = PolyglotBook::from_bytes(bytes, "law") {
        let written = book.to_bytes();
        assert_eq!(written.len(), bytes.len());
        let again = PolyglotBook::from_bytes(&written, "law")
            .unwrap_or_else(|error| panic!("written by us, refused by us: {error}"));
        assert_eq!(book, again);
        // For any entries, only legal moves are returned.
        let start = Game::default();
        let legal = start.legal_moves();
        assert!(book.moves(start.position()).iter().all(|each| legal.contains(&each.chess_move)));
    }
}
