//! Rules, notations and encodings on other programs' data: run with `--ignored` and `TABIYA_DATA` set.

use std::{fs, path::PathBuf};

use chess::{CastlingMode, Epd, Game, Move, encoding::moves::move_encoding, parse_uci_move, perft};

/// Largest perft count per position, so that the suite takes under a minute on one core.
const MOST_LEAVES: u64 = 20_000_000;

fn read(path: &str) -> String {
    let root = std::env::var_os("TABIYA_DATA").expect("TABIYA_DATA names the folder of real data");
    let path = PathBuf::from(root).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_perft_suite() {
    let mut counted = 0;
    for line in read("perft/perftsuite.epd").lines().filter(|line| !line.is_empty()) {
        let epd = Epd::parse(line).unwrap();
        for depth in 1..=6 {
            let Some(expected) = epd.number::<u64>(&format!("D{depth}")).unwrap() else { continue };
            if expected <= MOST_LEAVES {
                assert_eq!(perft(epd.game.position(), depth), expected, "depth {depth}: {line}");
                counted += 1;
            }
        }
    }
    assert!(counted >= 126 * 4, "only {counted} counts compared");
}

/// Blocks of `id`, `epd` and `perft DEPTH LEAVES`, among them Chess960 positions in X-FEN.
#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_perft_tricky_positions() {
    let mut counted = 0;
    let mut game: Option<Game> = None;
    for line in read("perft/tricky.perft").lines() {
        if let Some(fen) = line.strip_prefix("epd ") {
            game = Some(tricky(fen));
        } else if let Some(numbers) = line.strip_prefix("perft ") {
            let mut numbers = numbers.split(' ').map(|number| number.parse::<u64>().unwrap());
            let (depth, expected) = (numbers.next().unwrap() as u32, numbers.next().unwrap());
            assert_eq!(perft(game.as_ref().unwrap().position(), depth), expected, "{line} in {game:?}");
            counted += 1;
        }
    }
    assert!(counted > 40, "only {counted} counts compared");
}

/// One of these positions has more pieces than a game can produce. [`Game::from_fen`] refuses it; move generation must
/// still be correct.
fn tricky(fen: &str) -> Game {
    let setup = fen.parse::<chess::shakmaty::fen::Fen>().unwrap().into_setup();
    let position = setup
        .position::<chess::Chess>(CastlingMode::Chess960)
        .or_else(chess::shakmaty::PositionError::ignore_too_much_material)
        .or_else(chess::shakmaty::PositionError::ignore_impossible_check)
        .unwrap();
    Game::from_position(position, CastlingMode::Chess960)
}

#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_epd_suites() {
    for (path, lines) in [("epd/wac.epd", 300), ("epd/bratko-kopec.epd", 24), ("epd/sts.epd", 1188)] {
        let text = read(path);
        let mut read = 0;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let epd = Epd::parse(line).unwrap_or_else(|error| panic!("{path}: {error}"));
            let best = epd.best_moves().unwrap_or_else(|error| panic!("{path}: {error}"));
            let avoid = epd.avoid_moves().unwrap_or_else(|error| panic!("{path}: {error}"));
            assert!(!best.is_empty() || !avoid.is_empty(), "{path}: {line}");
            assert!(epd.text("id").is_some(), "{path}: {line}");
            read += 1;
        }
        assert_eq!(read, lines, "{path}");
    }
}

/// Every move that is legal in some position has its index in AIChess's list.
#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_uci_1968_order() {
    let encoding = move_encoding("uci-1968").unwrap();
    let mut compared = 0;
    for (row, line) in read("seeds/aichess-uci-index.csv").lines().skip(1).enumerate() {
        let (uci, index) = line.split_once(',').unwrap();
        assert_eq!(index.parse::<usize>().unwrap(), row, "{line}");
        if let Some((game, chess_move)) = position_with(uci) {
            assert_eq!(encoding.index(game.position(), chess_move), row, "{line}");
            compared += 1;
        }
    }
    // All queen and knight steps and White's promotions; Black's are in White's view only.
    assert_eq!(compared, 1792 + 88);
}

/// A position in which this move is legal for White: a queen or knight alone with two kings out of the way, or a pawn.
fn position_with(uci: &str) -> Option<(Game, Move)> {
    let (from, to) = (&uci[..2], &uci[2..4]);
    let pieces = if uci.len() == 5 { ['P', 'P'] } else { ['Q', 'N'] };
    for piece in pieces {
        for kings in [["a1", "c8"], ["h1", "f8"], ["d3", "h6"], ["a4", "h5"], ["c6", "g2"], ["f3", "b7"]] {
            let mut squares = vec![(from, piece), (kings[0], 'K'), (kings[1], 'k')];
            if uci.len() == 5 && from[..1] != to[..1] {
                squares.push((to, 'n'));
            }
            let fen = format!("{} w - - 0 1", board(&squares));
            if let Ok(game) = Game::from_fen(&fen, CastlingMode::Standard)
                && let Ok(chess_move) = parse_uci_move(game.position(), uci)
            {
                return Some((game, chess_move));
            }
        }
    }
    None
}

fn board(pieces: &[(&str, char)]) -> String {
    let rank = |rank: char| -> String {
        ('a'..='h')
            .map(|file| {
                let square = format!("{file}{rank}");
                pieces.iter().find(|(at, _)| *at == square).map_or('1', |(_, piece)| *piece)
            })
            .collect()
    };
    ('1'..='8').rev().map(rank).collect::<Vec<_>>().join("/")
}

/// Every move in lc0's policies parses as a legal move (castling king-takes-rook in orthodox games), has an index of its
/// own, and can be played.
#[test]
#[ignore = "needs TABIYA_DATA"]
fn real_data_lc0_moves() {
    let encoding = move_encoding("lc0-1858").unwrap();
    let mut castling = 0;
    for net in ["1100", "1500", "1900"] {
        let answers: serde_json::Value =
            serde_json::from_str(&read(&format!("nets/maia-{net}.lc0.json"))).unwrap();
        for case in answers["cases"].as_array().unwrap() {
            let game = lc0_game(case["position"].as_str().unwrap());
            let policy = case["policy"].as_object().unwrap();
            let mut indices = std::collections::BTreeSet::new();
            for uci in policy.keys() {
                let chess_move = parse_uci_move(game.position(), uci).unwrap();
                castling += usize::from(chess_move.is_castle());
                assert!(
                    indices.insert(encoding.index(game.position(), chess_move)),
                    "{uci} in {}",
                    game.fen()
                );
            }
            assert_eq!(indices.len(), game.legal_moves().len(), "{}", game.fen());
        }
    }
    assert!(castling > 5, "hardly any castling ({castling})");
}

fn lc0_game(position: &str) -> Game {
    if let Some(fen) = position.strip_prefix("fen ") {
        return Game::from_fen(fen, CastlingMode::Standard).unwrap();
    }
    let mut game = Game::default();
    let moves = position.strip_prefix("startpos").unwrap();
    for uci in moves.split_whitespace().filter(|word| *word != "moves") {
        game.play_uci(uci).unwrap();
    }
    game
}
