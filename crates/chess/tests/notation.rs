//! FEN, EPD, SAN and UCI moves: parsing, printing and error messages.

use chess::{
    CastlingMode, Chess, Epd, Game, Move, Operand, Square,
    notation::fen::{parse_fen, parse_flawed_fen},
    parse_san, parse_uci_move, plies_before, print_san, print_uci_move,
};

fn position(fen: &str) -> Chess {
    parse_fen(fen, CastlingMode::Standard).unwrap()
}

mod fen {
    use chess::Position as _;

    use super::*;

    #[test]
    fn clocks_may_be_missing_or_dashes() {
        for (text, written) in [
            ("4k3/8/8/8/8/8/8/R3K3 w Q -", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"),
            ("4k3/8/8/8/8/8/8/R3K3 w Q - - -", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"),
            (" 4k3/8/8/8/8/8/8/R3K3\tw  Q - 12 34 \r\n", "4k3/8/8/8/8/8/8/R3K3 w Q - 12 34"),
        ] {
            assert_eq!(Game::from_fen(text, CastlingMode::Standard).unwrap().fen(), written, "{text:?}");
        }
    }

    #[test]
    fn the_largest_clocks_can_be_counted_on() {
        let game = Game::from_any_fen("4k3/8/8/8/8/8/8/R3K3 b - - 4294967295 4294967295").unwrap();
        let after = game.after(game.legal_moves()[0]);
        for game in [&game, &after] {
            assert_eq!((game.position().halfmoves(), plies_before(game.position())), (u32::MAX, u32::MAX));
        }
    }

    #[test]
    fn chess960_castling_in_shredder_and_x_fen() {
        for (text, written) in [
            ("1rk3r1/8/8/8/8/8/8/1RK3R1 w GBgb - 0 1", "1rk3r1/8/8/8/8/8/8/1RK3R1 w KQkq - 0 1"),
            ("1rk3r1/8/8/8/8/8/8/1RK3R1 w KQkq - 0 1", "1rk3r1/8/8/8/8/8/8/1RK3R1 w KQkq - 0 1"),
            // Two rooks on the king's right: the inner one may castle, so X-FEN must name its file.
            ("k7/8/8/8/8/8/8/2K1R1R1 w E - 0 1", "k7/8/8/8/8/8/8/2K1R1R1 w E - 0 1"),
        ] {
            assert_eq!(Game::from_fen(text, CastlingMode::Chess960).unwrap().fen(), written, "{text}");
        }
    }

    #[test]
    fn the_castling_rights_say_whether_a_position_is_of_chess960() {
        for (text, is_chess960) in [
            (Game::START_FEN, false),
            ("4k3/8/8/8/8/8/8/4K3 w - -", false),
            ("r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1", false),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1", true),
            ("nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w FBfb - 0 1", true),
            ("nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w bfBF - 0 1", true),
            ("1rk3r1/8/8/8/8/8/8/1RK3R1 w KQkq -", true),
            ("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", true),
        ] {
            let game = Game::from_any_fen(text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(game.castling_mode().is_chess960(), is_chess960, "{text}");
            assert_eq!(Epd::parse(text).unwrap().game.castling_mode(), game.castling_mode(), "{text}");
            assert_eq!(Game::from_any_fen(&game.fen()).unwrap().fen(), game.fen(), "{text}");
            let strict = Game::from_fen(text, CastlingMode::Standard).map_err(|error| error.to_string());
            assert!(strict.is_ok_and(|strict| strict.fen() == game.fen()) || is_chess960, "{text}");
        }
        let hint = Game::from_fen("1rk3r1/8/8/8/8/8/8/1RK3R1 w KQkq -", CastlingMode::Standard).unwrap_err();
        assert!(hint.to_string().contains("a Chess960 position"), "{hint}");
        let neither = Game::from_any_fen("4k3/8/8/8/8/8/8/R3K3 w Qk - 0 15").unwrap_err();
        assert!(neither.to_string().contains("castling rights"), "{neither}");
    }

    #[test]
    fn errors_say_what_was_found_and_expected() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        for (text, reason) in [
            (String::new(), "found 0 fields, expected four to six"),
            (start.to_owned(), "found 1 fields, expected four to six"),
            (start.to_owned(), "; add those that are missing, such as \"w - -\""),
            (format!("{start} b KQkq"), "; add those that are missing, such as \"-\""),
            (format!("{start} w KQkq - 0 1 x"), "found 7 fields, expected four to six"),
            ("8/8/8 w - - 0 1".into(), "found 3 ranks in \"8/8/8\", expected eight"),
            (
                "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into(),
                "found '9' on rank 6, expected a piece",
            ),
            (
                "rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into(),
                "rank 7 (\"ppppppp\") has 7 squares, expected eight",
            ),
            (format!("{start} white KQkq - 0 1"), "found side to move \"white\", expected w or b"),
            (format!("{start} w XYZ - 0 1"), "found castling rights \"XYZ\", expected -"),
            (format!("{start} w KQkq e9 0 1"), "found en passant square \"e9\", expected - or a square"),
            (format!("{start} w KQkq - many 1"), "found half-move clock \"many\", expected a number"),
            (format!("{start} w KQkq - 0 first"), "found move number \"first\", expected a number"),
        ] {
            let error = Game::from_fen(&text, CastlingMode::Standard).unwrap_err().to_string();
            assert!(error.starts_with(&format!("invalid FEN {text:?}: ")), "{error}");
            assert!(error.contains(reason), "{error} does not say {reason}");
        }
    }

    /// Problems and perft suites have positions that no game can reach; they are legal to play from.
    #[test]
    fn a_check_that_no_move_can_give_is_accepted() {
        let text = "B6b/8/8/8/2K5/5k2/8/b6B b - - 0 1";
        assert_eq!(Game::from_fen(text, CastlingMode::Standard).unwrap().legal_moves().len(), 6);
    }

    #[test]
    fn bishops_of_one_colour_beside_eight_pawns_are_accepted_and_a_ninth_piece_is_not() {
        let text = "2b1k3/pppppppp/8/8/6b1/8/8/4K3 w - - 0 1";
        assert_eq!(Game::from_fen(text, CastlingMode::Standard).unwrap().fen(), text);
        let three = text.replace("6b1", "4b1b1");
        parse_fen(&three, CastlingMode::Standard).unwrap_err();
    }

    #[test]
    fn repairs_drop_impossible_castling_rights_and_allow_extra_pawns_alone() {
        let read = |text| Game::from_position(parse_flawed_fen(text).unwrap(), CastlingMode::Standard).fen();
        assert_eq!(read("r4k1r/8/8/8/8/8/8/R3K2R b KQkq -"), "r4k1r/8/8/8/8/8/8/R3K2R b KQ - 0 1");
        let nine_pawns = "4k3/pppppppp/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1";
        assert_eq!(read(nine_pawns), nine_pawns);
        for refused in
            ["QQQ1k3/8/8/8/8/8/PPPPPPP1/3QK3 w - -", "4k3/8/8/8/8/8/8/8 w - -", "4k3/4R3/8/8/8/8/8/4K3 w - -"]
        {
            let (strict, repaired) = (parse_fen(refused, CastlingMode::Standard), parse_flawed_fen(refused));
            assert_eq!(repaired.unwrap_err().to_string(), strict.unwrap_err().to_string());
        }
        parse_fen(nine_pawns, CastlingMode::Standard).unwrap_err();
    }

    #[test]
    fn illegal_positions_name_the_broken_rule() {
        for (text, reason) in [
            ("8/8/8/8/8/8/8/4K3 w - - 0 1", "king"),
            ("4k3/8/8/8/8/8/8/4K2P w - - 0 1", "pawn"),
            ("QQQQQQQQ/QQQ5/8/8/8/8/1k6/3K4 w - - 0 1", "too much material"),
            ("4k3/8/8/8/8/8/8/4K3 w KQ - 0 1", "castling"),
            ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "check"),
            ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "invalid ep square"),
        ] {
            let error = Game::from_fen(text, CastlingMode::Standard).unwrap_err().to_string();
            assert!(error.starts_with(&format!("illegal position {text:?}: ")), "{error}");
            assert!(error.contains(reason), "{error} does not say {reason}");
        }
    }
}

mod san {
    use super::*;

    #[test]
    fn every_legal_move_is_written_and_read_back() {
        for game in chess::laws::sample_games(21, 300) {
            for chess_move in game.legal_moves() {
                let text = print_san(game.position(), chess_move);
                assert_eq!(
                    parse_san(game.position(), &text).unwrap(),
                    chess_move,
                    "{text} in {}",
                    game.fen()
                );
            }
        }
    }

    #[test]
    fn what_people_write_is_read() {
        for (fen, texts, uci) in [
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", &["O-O", "0-0", "O-O+", "0-0!?", "e1g1"][..], "e1g1"),
            ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", &["O-O-O", "0-0-0", "0-0-0#"][..], "e8c8"),
            (
                "8/P6k/8/8/8/8/8/K7 w - - 0 1",
                &["a8=Q", "a8Q", "a8=Q!!", "a8Q+", "a7a8q", "a7-a8=Q"][..],
                "a7a8q",
            ),
            ("1n6/P6k/8/8/8/8/8/K7 w - - 0 1", &["axb8=N", "axb8N", "a7xb8=N"][..], "a7b8n"),
            (
                "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
                &["exd6", "e5xd6", "exd6?!", "exd6e.p.", "exd6ep", "ed6", "exd6+-"][..],
                "e5d6",
            ),
            (
                "4k3/6p1/8/8/8/8/6R1/4K3 w - - 0 1",
                &["Rxg7", "Rg7", "Rg7ch", "Rg7N", "Rg7++", "Rg7±"][..],
                "g2g7",
            ),
            ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", &["Rag1", "Ra1g1"][..], ""),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                &["Nf3", "Ngf3", "Ng1f3", "Ng1-f3", "g1f3", "g1-f3!", " Nf3 "][..],
                "g1f3",
            ),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", &["e4", "e2e4", "e2-e4"][..], "e2e4"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", &["e2-e5", "e3-e4", "d1d2", "e1-g1"][..], ""),
        ] {
            for text in texts {
                let parsed =
                    parse_san(&position(fen), text).ok().map(|m| print_uci_move(m, CastlingMode::Standard));
                assert_eq!(parsed.unwrap_or_default(), uci, "{text} in {fen}");
            }
        }
    }

    #[test]
    fn moves_are_written_in_standard_notation() {
        for (fen, uci, text) in [
            ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "Ra8#"),
            ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "Ra8+"),
            ("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "a1d1", "Rad1"),
            ("R7/7k/8/8/8/8/4K3/R7 w - - 0 1", "a1a4", "R1a4"),
            ("5k2/8/8/8/Q2Q4/8/7K/Q7 w - - 0 1", "a4d1", "Qa4d1"),
            ("1n6/P6k/8/8/8/8/8/K7 w - - 0 1", "a7b8r", "axb8=R"),
            // The other knight is pinned, so the move is not ambiguous.
            ("4r2k/8/8/8/4N3/8/6N1/4K3 w - - 0 1", "g2f4", "Nf4"),
        ] {
            let position = position(fen);
            let chess_move = parse_uci_move(&position, uci).unwrap();
            assert_eq!(print_san(&position, chess_move), text, "{uci} in {fen}");
        }
    }

    #[test]
    fn errors_name_the_text_and_the_position() {
        let fen = "4k3/8/8/8/8/8/4K3/R6R w - - 0 1";
        let error = |text: &str| parse_san(&position(fen), text).unwrap_err().to_string();
        assert_eq!(
            error("hello"),
            "\"hello\" is not a SAN move: expected one like Nf3, exd5, R1a3, O-O or e8=Q"
        );
        assert_eq!(error("Nf3"), format!("illegal move \"Nf3\" in position {fen}"));
        assert_eq!(error("Rd1"), format!("ambiguous move \"Rd1\" in position {fen}: it may be Rad1 or Rhd1"));
        assert!(error("--").contains("illegal move"));
        assert!(error("").contains("is not a SAN move"));
    }
}

mod uci_move {
    use super::*;

    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

    #[test]
    fn both_notations_of_castling_are_read_and_the_modes_one_is_written() {
        for mode in [CastlingMode::Standard, CastlingMode::Chess960] {
            let position = parse_fen(CASTLING, mode).unwrap();
            let king_side = Move::Castle { king: Square::E1, rook: Square::H1 };
            let queen_side = Move::Castle { king: Square::E1, rook: Square::A1 };
            for (text, chess_move) in
                [("e1g1", king_side), ("e1h1", king_side), ("e1c1", queen_side), ("e1a1", queen_side)]
            {
                assert_eq!(parse_uci_move(&position, text).unwrap(), chess_move, "{text} {mode:?}");
            }
        }
        let chess_move = Move::Castle { king: Square::E1, rook: Square::H1 };
        assert_eq!(print_uci_move(chess_move, CastlingMode::Standard), "e1g1");
        assert_eq!(print_uci_move(chess_move, CastlingMode::Chess960), "e1h1");
    }

    #[test]
    fn a_king_step_onto_the_castled_square_is_no_castling_in_chess960() {
        let position = parse_fen("4k3/8/8/8/8/8/8/5K1R w H - 0 1", CastlingMode::Chess960).unwrap();
        assert!(matches!(parse_uci_move(&position, "f1g1").unwrap(), Move::Normal { .. }));
        assert!(matches!(parse_uci_move(&position, "f1h1").unwrap(), Move::Castle { .. }));
    }

    #[test]
    fn without_the_right_to_castle_neither_notation_is_legal() {
        let position = position("r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1");
        for text in ["e1g1", "e1h1", "e1c1", "e1a1"] {
            assert!(parse_uci_move(&position, text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_legal_move_is_written_and_read_back() {
        for game in chess::laws::sample_games(22, 300) {
            for chess_move in game.legal_moves() {
                let text = print_uci_move(chess_move, game.castling_mode());
                assert_eq!(
                    parse_uci_move(game.position(), &text).unwrap(),
                    chess_move,
                    "{text} in {}",
                    game.fen()
                );
            }
        }
    }

    #[test]
    fn errors_name_the_text() {
        let error = |text: &str| parse_uci_move(&Chess::default(), text).unwrap_err().to_string();
        for text in ["", "e2", "e2e4e5", "i1i2", "e2-e4", "Nf3", "e7e8k9", "é2e4"] {
            assert_eq!(
                error(text),
                format!(
                    "{text:?} is not a UCI move: expected origin, target and promotion, like e2e4, e1g1 or e7e8q"
                )
            );
        }
        for text in ["0000", "e2e5", "e7e5", "e2e4q", "P@e4"] {
            assert!(error(text).starts_with(&format!("illegal move {text:?} in position rnbq")), "{text}");
        }
    }
}

mod epd {
    use super::*;

    #[test]
    fn operations_with_words_quotes_and_several_operands() {
        let line = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; am Qd4 Qd3; id \"BK; 01\"; \
                    c0 \"Qd1+=10, Qd2=3\"; c9 \"\"; ce -123; acd 14; draw_offer;";
        let epd = Epd::parse(line).unwrap();
        let uci = |moves: Vec<Move>| {
            moves.into_iter().map(|m| print_uci_move(m, CastlingMode::Standard)).collect::<Vec<_>>()
        };
        assert_eq!(uci(epd.best_moves().unwrap()), ["d6d1"]);
        assert_eq!(uci(epd.avoid_moves().unwrap()), ["d6d4", "d6d3"]);
        assert_eq!(epd.text("id"), Some("BK; 01"));
        assert_eq!(epd.text("c0"), Some("Qd1+=10, Qd2=3"));
        assert_eq!(epd.text("c9"), Some(""));
        assert_eq!(epd.text("c1"), None);
        assert_eq!(epd.centipawns().unwrap(), Some(-123));
        assert_eq!(epd.analysis_depth().unwrap(), Some(14));
        assert_eq!(epd.operation("draw_offer").unwrap().operands, []);
        assert_eq!(epd.operation("id").unwrap().operands, [Operand::Quoted("BK; 01".into())]);
        assert_eq!(epd.to_string(), line);
    }

    #[test]
    fn clocks_come_from_the_fields_or_from_their_operations() {
        for (line, fen) in [
            ("4k3/8/8/8/8/8/8/R3K3 w - -", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"),
            ("4k3/8/8/8/8/8/8/R3K3 w - - 5 40 bm Ra8+;", "4k3/8/8/8/8/8/8/R3K3 w - - 5 40"),
            ("4k3/8/8/8/8/8/8/R3K3 w - - fmvn 40; hmvc 5;", "4k3/8/8/8/8/8/8/R3K3 w - - 5 40"),
            ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1 ;D1 16 ;D2 71", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"),
            ("4k3/8/8/8/8/8/8/R3K3 w - -; id \"tight\"", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1"),
        ] {
            let epd = Epd::parse(line).unwrap();
            assert_eq!(epd.game.fen(), fen, "{line}");
        }
    }

    #[test]
    fn commas_missing_semicolons_and_missing_capture_signs_are_read() {
        let moves = |line: &str| -> Vec<String> {
            let epd = Epd::parse(line).unwrap();
            let moves = epd.best_moves().unwrap().into_iter();
            moves.map(|chess_move| print_san(epd.game.position(), chess_move)).collect()
        };
        let board = "4k3/6p1/8/8/8/8/6R1/R3K2R w - -";
        for (operations, expected) in [
            ("bm Ra8+, Rh8+;", &["Ra8+", "Rh8+"][..]),
            ("bm Ra8+,Rh8+;", &["Ra8+", "Rh8+"]),
            ("bm Rg7;", &["Rxg7"]),
            ("bm Rxh8;", &["Rh8+"]),
            ("bm Ra8+ Rh8+ id \"none\"", &["Ra8+", "Rh8+"]),
            ("bm Ra8 ce 31 acd 12; id \"x\";", &["Ra8+"]),
        ] {
            assert_eq!(moves(&format!("{board} {operations}")), expected, "{operations}");
        }
        let pawns = "4k3/8/8/8/8/2p5/2P1P3/4K3 w - -";
        assert_eq!(
            moves(&format!("{pawns} bm e4 e3;")),
            ["e4", "e3"],
            "an opcode c3 or e4 is not looked for"
        );
        let line = format!("{board} bm Ra8 ce 31 acd 12");
        assert_eq!(Epd::parse(&line).unwrap().centipawns().unwrap(), Some(31));
    }

    #[test]
    fn a_perft_suite_is_read() {
        let line = "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1 ;D1 16 ;D2 71";
        let epd = Epd::parse(line).unwrap();
        assert_eq!(epd.number::<u64>("D1").unwrap(), Some(16));
        assert_eq!(epd.number::<u64>("D2").unwrap(), Some(71));
        assert_eq!(epd.number::<u64>("D3").unwrap(), None);
    }

    #[test]
    fn errors_name_the_column() {
        let board = "4k3/8/8/8/8/8/8/R3K3 w - -";
        let error = |rest: &str| Epd::parse(&format!("{board}{rest}")).unwrap_err().to_string();
        assert!(error(" id \"open;").contains("at column 31: found an unterminated string"));
        assert!(error(" bm Ra8+; 17 x;").contains("at column 37: found \"17\", expected an opcode"));
        assert!(error(" \"x\";").contains("at column 28: found \"\\\"x\\\";\", expected an opcode"));
        assert!(Epd::parse("4k3/8 w").unwrap_err().to_string().contains("found 2 fields"));

        let epd = Epd::parse(&format!("{board} bm Nf3; ce good; acd;")).unwrap();
        assert!(epd.best_moves().unwrap_err().to_string().contains("illegal move \"Nf3\""));
        assert_eq!(
            epd.centipawns().unwrap_err().to_string(),
            "invalid EPD operation ce: found \"good\", expected a whole number in range"
        );
        assert!(epd.analysis_depth().unwrap_err().to_string().contains("found \"\""));
    }
}
