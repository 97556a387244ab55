//! Polyglot books: the published keys, files written and read, and bytes that are not a book.

use chess::{
    CastlingMode, Game, Position as _,
    laws::{parsers, sample_games},
    parse_uci_move,
    polyglot::{BookEntry, PolyglotBook, polyglot_key},
};
use proptest::prelude::*;

/// The nine examples of <http://hgm.nubati.net/book_format.html>.
const PUBLISHED: [(&str, u64); 9] = [
    ("", 0x463b_9618_1691_fc9c),
    ("e2e4", 0x823c_9b50_fd11_4196),
    ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
    ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
    ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
    ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
    ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
    ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
    ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
];

fn after(moves: &str) -> Game {
    let mut game = Game::default();
    for text in moves.split_whitespace() {
        game.play_uci(text).unwrap();
    }
    game
}

#[test]
fn keys_are_the_published_ones() {
    for (moves, key) in PUBLISHED {
        assert_eq!(polyglot_key(after(moves).position()), key, "{moves:?}");
    }
}

/// A pinned pawn next to the one that moved: the format counts the square, the rules do not.
#[test]
fn the_en_passant_square_counts_where_a_pawn_stands_beside_even_if_it_is_pinned() {
    let game = |square: &str| {
        let fen = format!("8/8/8/K2pP2r/8/8/8/7k w - {square} 0 2");
        Game::from_fen(&fen, CastlingMode::Standard).unwrap()
    };
    let (with, without) = (game("d6"), game("-"));
    assert_eq!(with.key(), without.key());
    assert_ne!(polyglot_key(with.position()), polyglot_key(without.position()));
}

#[test]
fn moves_come_heaviest_first_with_castling_and_promotions_told_apart() {
    let castling = Game::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", CastlingMode::Standard).unwrap();
    let promotion = Game::from_fen("8/P6k/8/8/8/8/8/K7 w - - 0 1", CastlingMode::Standard).unwrap();
    let mut entries = Vec::new();
    for (game, text, weight) in [
        (&castling, "e1g1", 3),
        (&castling, "e1f1", 7),
        (&castling, "e1c1", 5),
        (&promotion, "a7a8n", 9),
        (&promotion, "a7a8q", 0),
    ] {
        let chess_move = parse_uci_move(game.position(), text).unwrap();
        entries.push(BookEntry::new(game.position(), chess_move, weight));
    }
    let book = PolyglotBook::from_bytes(&PolyglotBook::new(entries).to_bytes(), "test").unwrap();
    assert_eq!((book.positions(), book.entries().len()), (2, 5));
    let moves = |game: &Game| -> Vec<(String, u16)> {
        let moves = book.moves(game.position()).into_iter();
        moves.map(|each| (each.chess_move.to_uci(CastlingMode::Standard).to_string(), each.weight)).collect()
    };
    assert_eq!(moves(&castling), [("e1f1".into(), 7), ("e1c1".into(), 5), ("e1g1".into(), 3)]);
    assert_eq!(moves(&promotion), [("a7a8n".into(), 9), ("a7a8q".into(), 0)]);
    assert_eq!(moves(&Game::default()), []);
}

#[test]
fn castling_may_be_the_step_of_the_king() {
    let castling = Game::from_any_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
    let blocked = Game::from_any_fen("4k3/8/8/8/8/8/8/4KR2 w - - 0 1").unwrap();
    let step = |game: &Game, from: u16, to: u16| {
        let any = game.legal_moves()[0];
        BookEntry { packed_move: to | from << 6, ..BookEntry::new(game.position(), any, 5) }
    };
    let book = PolyglotBook::new(vec![step(&castling, 4, 6), step(&castling, 4, 2), step(&blocked, 4, 6)]);
    let moves: Vec<_> = book
        .moves(castling.position())
        .iter()
        .map(|each| each.chess_move.to_uci(CastlingMode::Chess960).to_string())
        .collect();
    assert_eq!(moves, ["e1a1", "e1h1"]);
    assert_eq!(book.moves(blocked.position()), []);
}

#[test]
fn entries_that_name_no_legal_move_are_left_out() {
    let start = Game::default();
    let first = start.legal_moves()[0];
    let good = BookEntry::new(start.position(), first, 2);
    let book = PolyglotBook::new(vec![
        good,
        BookEntry { weight: 1, ..good },
        BookEntry { packed_move: 0x7fff, weight: 9, ..good },
    ]);
    let moves = book.moves(start.position());
    assert_eq!(moves.iter().map(|each| (each.chess_move, each.weight)).collect::<Vec<_>>(), [(first, 2)]);
}

#[test]
fn what_is_no_book_is_refused_with_place_finding_and_expectation() {
    let refused = |bytes: &[u8]| PolyglotBook::from_bytes(bytes, "a.bin").unwrap_err().to_string();
    assert_eq!(
        refused(&[0; 17]),
        "a.bin is not a Polyglot book: found 17 bytes, expected entries of 16 bytes, at least one"
    );
    assert!(refused(&[]).contains("0 bytes"));
    let mut falling = vec![0; 32];
    falling[7] = 2;
    let message = refused(&falling);
    assert!(message.contains("key 0000000000000000 of entry 2 after 0000000000000002"), "{message}");
    let missing = PolyglotBook::read("no/such.bin".as_ref()).unwrap_err().to_string();
    assert!(missing.contains("no/such.bin"), "{missing}");
    let folder = tempfile::tempdir().unwrap();
    let endless = folder.path().join("endless.bin");
    std::fs::File::create(&endless).unwrap().set_len(1 << 40).unwrap();
    let endless = PolyglotBook::read(&endless).unwrap_err().to_string();
    assert!(endless.contains("found more than 536870912 bytes"), "{endless}");
}

proptest! {
    #[test]
    fn any_bytes_are_refused_or_round_trip(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
        parsers::check_polyglot(&bytes);
    }

    #[test]
    fn every_legal_move_of_a_game_is_found_again(seed in 0_u64..1000) {
        for game in sample_games(seed, 3) {
            let position = game.position();
            let legal = position.legal_moves();
            let entries = (1..).zip(&legal).map(|(weight, &each)| BookEntry::new(position, each, weight));
            let book = PolyglotBook::new(entries.collect());
            let mut found: Vec<_> = book.moves(position).into_iter().map(|each| each.chess_move).collect();
            found.reverse();
            prop_assert_eq!(found, legal.to_vec());
        }
    }
}
