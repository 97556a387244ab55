//! The parsers on arbitrary text. The fuzz targets (`fuzz/`) run the same checks for longer, on nightly Rust.

use chess::laws::{parsers, sample_games};
use proptest::{prelude::any, proptest, sample::Index};

/// A legal FEN with one byte replaced, removed or doubled.
fn damaged(text: &str, place: Index, with: char, kind: u8) -> String {
    let mut symbols: Vec<char> = text.chars().collect();
    let at = place.index(symbols.len());
    match kind % 3 {
        0 => symbols[at] = with,
        1 => drop(symbols.remove(at)),
        _ => symbols.insert(at, symbols[at]),
    }
    symbols.into_iter().collect()
}

proptest! {
    #[test]
    fn any_text_as_fen_or_epd(text in ".{0,120}") {
        parsers::check_fen(&text);
        parsers::check_epd(&text);
    }

    #[test]
    fn text_that_looks_like_a_fen(
        text in "[pnbrqkPNBRQK1-8/]{8,40} [wb] [-KQkqA-Ha-h]{1,4} [-a-h1-8]{1,2}( [0-9]{1,12}){0,3}"
    ) {
        parsers::check_fen(&text);
    }

    #[test]
    fn almost_a_fen(seed in any::<u64>(), place in any::<Index>(), with in any::<char>(), kind in any::<u8>()) {
        let fen = sample_games(seed, 9)[8].fen();
        parsers::check_fen(&damaged(&fen, place, with, kind));
    }

    #[test]
    fn a_position_with_any_operations(seed in any::<u64>(), operations in "[ ;\"a-z0-9+=\\PC]{0,60}") {
        let fen = sample_games(seed, 7)[6].fen();
        parsers::check_epd(&format!("{fen} {operations}"));
        let board: Vec<&str> = fen.split(' ').take(4).collect();
        parsers::check_epd(&format!("{} {operations}", board.join(" ")));
    }

    #[test]
    fn any_text_as_move(seed in any::<u64>(), text in ".{0,12}") {
        let game = &sample_games(seed, 4)[3];
        parsers::check_san(game, &text);
        parsers::check_uci_move(game, &text);
    }

    #[test]
    fn text_that_looks_like_a_move(
        seed in any::<u64>(),
        start in 0..15_usize,
        san in "[NBRQKPO0a-h1-8x=+#!?-]{1,9}",
        uci in "[a-h][1-8][a-h][1-8][qrbnk]?"
    ) {
        let game = &sample_games(seed, 15)[start];
        parsers::check_san(game, &san);
        parsers::check_uci_move(game, &uci);
    }
}
