//! PGN as other programs and people write it: what is read, what is left out, and what is refused.

use std::{fmt::Write as _, io::Write as _};

use chess::{Game, Score, laws::sample_games, pgn::PgnGame, print_san};
use dataset::{
    BuildConfig, NoObserver, Split, Store, build,
    record::{GameRecord, LabelDoubt, Winner},
    source::{BadRecord, PgnSource},
};
use proptest::prelude::*;

fn parse(text: &str) -> Vec<Result<GameRecord, BadRecord>> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    PgnSource::open(file.path()).unwrap().map(Result::unwrap).collect()
}

/// The only game of a text.
fn game(text: &str) -> GameRecord {
    let mut found = parse(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.remove(0).unwrap_or_else(|bad| panic!("{text}: {bad}"))
}

/// The moves of a game in SAN.
fn moves(record: &GameRecord) -> String {
    let game = record.game(usize::MAX);
    let moves = game.history().iter().zip(game.moves());
    moves.map(|(entry, &played)| print_san(&entry.position, played)).collect::<Vec<_>>().join(" ")
}

/// The labels of a game: for each move the evaluation for the side to move, the depth and the better move.
fn labels(text: &str) -> String {
    let record = game(text);
    let whole = record.game(usize::MAX);
    let mut found = String::new();
    for (recorded, entry) in record.moves.iter().zip(whole.history()) {
        match recorded.evaluation {
            Some(Score::Centipawns(centipawns)) => write!(found, "{centipawns}"),
            Some(Score::Mate(moves)) => write!(found, "#{moves}"),
            None => write!(found, "-"),
        }
        .unwrap();
        if let Some(depth) = recorded.depth {
            write!(found, "@{depth}").unwrap();
        }
        if let Some(better) = recorded.better {
            write!(found, "({})", print_san(&entry.position, better)).unwrap();
        }
        found.push(' ');
    }
    write!(found, "| {}", record.doubts).unwrap();
    found
}

#[test]
fn evaluations_are_read_from_the_side_that_their_program_writes_them_for() {
    for (text, expected) in [
        // Lichess: White's view of the position after the move.
        ("1. e4 {[%eval 0.31,18]} e5 {[%eval #-3]} 2. Nf3 *", "- -31@18 #-3 | "),
        // ChessBase: centipawns and depth, the mover's view of the position after the move.
        ("1. e4 {[%eval 31,24]} e5 {[%eval -12,20]} 2. Nf3 *", "- -31@24 12@20 | "),
        // The same without proof that they are not decimals, and with proof that they are.
        ("1. e4 {[%eval 1,25]} e5 {[%eval 0,31]} 2. Nf3 *", "- - - | evaluation_scale 2"),
        ("1. e4 {[%eval 31,24]} e5 {[%eval 1,05]} 2. Nf3 *", "- - 105 | evaluation_scale 1"),
        ("1. e4 {[%eval 1,25] } e5 {[%eval -230,25]} 2. Nf3 *", "- -1@25 230@25 | "),
        // TCEC: White's view of the mover's search.
        ("1. e4 {d=24, sd=31, wv=0.31, R50=50} e5 {d=22, wv=0.25,} *", "31@24 -25@22 | "),
        // cutechess and fastchess: the mover's search before the move; mates in half-moves.
        ("1. e4 {+0.31/22 2.0s} e5 {-0.25/20 1.0s} 2. Nf3 {+M5/9 0.1s} *", "31@22 -25@20 #3@9 | "),
        ("1. e4 {book} e5 {-M4/20 0.1s, White mates} *", "- #-2@20 | "),
        // Lines of 80 columns, wrapped within the commands.
        ("1. e4 {[%eval\n0.17] [%clk\n0:01:00]} e5 *", "- -17 | "),
        // Numbers that may mean something else.
        (
            "1. e4 {[%eval 31]} e5 {0.31/24} 2. Nf3 {[%eval #0]} *",
            "- - - | evaluation_scale 1, evaluation_view 1, mate_count 1",
        ),
        (
            "{[%eval 31,24]} 1. e4 {[%eval good] [%clk late]} e5 *",
            "- - | unread_evaluation 1, evaluation_view 1, unread_clock 1",
        ),
    ] {
        assert_eq!(labels(text), expected, "{text}");
    }
}

#[test]
fn a_store_has_depths_and_its_manifest_counts_the_doubts() {
    let folder = tempfile::tempdir().unwrap();
    let (games, output) = (folder.path().join("games.pgn"), folder.path().join("store"));
    let text = "1. e4 {+0.31/22 2.0s} e5 {[%eval 31]} 2. Nf3 {[%clk ?]} *\n\n1. d4 {[%eval 40]} d5 *\n";
    std::fs::write(&games, text).unwrap();
    let config = BuildConfig { validation_share: 0.0, ..BuildConfig::new(&output, [&games]) };
    let counts = build(&config, &mut NoObserver).unwrap().counts;
    assert_eq!(counts.doubts.to_string(), "evaluation_scale 2, unread_clock 1");
    assert_eq!((counts.games, counts.rejected_total()), (2, 0));
    let store = Store::open(&output).unwrap();
    let samples: Vec<_> = store.row_groups(Split::Train).flat_map(Result::unwrap).collect();
    let first = samples.iter().find(|sample| sample.evaluation.is_some()).unwrap();
    assert_eq!((first.evaluation, first.effort.depth), (Some(Score::Centipawns(31)), Some(22)));
    assert_eq!(store.manifest().counts.doubts, counts.doubts);
}

#[test]
fn variations_that_are_no_better_moves_are_commentary() {
    for variation in [
        "(1... -- 2. d4)",
        "(1... Z0 2. d4)",
        "(2. Nf3 Nc6)",
        "(2. -- Nc6)",
        "(;no moves\n)",
        "({only words})",
    ] {
        let text = format!("1. e4 {{[%eval 0.3]}} e5 {{[%eval 0.4]}} {variation} 2. Nf3 Nc6 1-0");
        assert_eq!(labels(&text), "- -30 40 - | ", "{variation}");
    }
    // Legal for the side that moved as well, but numbered as the continuation.
    let text = "[FEN \"k7/8/8/8/8/8/7r/K3R3 b - - 0 1\"]\n\n{[%eval 0.0]} 1... Rh8 {[%eval 0.0]} (2. Re2) (1... Kb8) 2. Re7 *";
    assert_eq!(labels(text), "0(Kb8) 0 | ");
    assert_eq!(labels("{[%eval 0.1]} 1. e4 {[%eval 0.2]} (1. Ke3) e5 *"), "10 -20 | unread_better_move 1");
}

#[test]
fn signs_attached_to_moves_do_not_break_a_game() {
    let start = "[FEN \"4k3/P7/8/3pP3/8/8/8/4K2R w K d6 0 1\"]\n\n";
    for (written, expected) in [
        ("1. exd6e.p.", "exd6"),
        ("1. exd6ep", "exd6"),
        ("1. exd6 e.p.", "exd6"),
        ("1. ed6", "exd6"),
        ("1. a8Q", "a8=Q+"),
        ("1. a8=q+", "a8=Q+"),
        ("1. 0-0", "O-O"),
        ("1. o-o+-", "O-O"),
        ("1.a8Q++ $1", "a8=Q+"),
        ("1. Rh7N", "Rh7"),
        ("1. Rh8ch", "Rh8+"),
        ("1. Rxh7", "Rh7"),
        ("1. Rh7±", "Rh7"),
        ("1. Rh7=", "Rh7"),
    ] {
        let text = format!("{start}{written} *\n");
        assert_eq!(moves(&game(&text)), expected, "{written}");
    }
}

#[test]
fn moves_may_name_both_squares() {
    for text in [
        "1. e2e4 e7e5 2. g1f3 b8c6 3. f1b5 g8f6 4. e1g1 f6e4 *\n",
        "1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 3. Bf1-b5 Ng8-f6 4. O-O Nf6xe4 *\n",
    ] {
        assert_eq!(moves(&game(text)), "e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Nxe4", "{text}");
    }
}

#[test]
fn blank_lines_comments_and_ends_of_dos_files_make_no_games() {
    for text in [
        "[White \"A\"]\n\n1. e4 e5\n\n2. Nf3 Nc6 *\n",
        "[White \"A\"]\r\n\r\n1. e4 e5\r\n\r\n2. Nf3\r\n\r\nNc6 *\r\n",
        "[White \"A\"]\n\n{a comment}\n\n1. e4 (1. d4\n\nd5) e5 2. Nf3 Nc6 *\n",
        ";; a file\n;; of games\n\n[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n",
        "{ of games }\n[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n{ the end }\n",
        "[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\u{1a}",
        "[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n\u{1a}\n",
        "  [White \"A\"]\n\n  1. e4 e5\n  \n  2. Nf3 Nc6 *\n",
        "[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 1–0\n",
    ] {
        let found = game(text);
        assert_eq!(moves(&found), "e4 e5 Nf3 Nc6", "{text:?}");
        assert_eq!(found.players.white.as_deref(), Some("A"), "{text:?}");
    }
    for joined in ["*[White \"B\"]", "* [White \"B\"]", "*\n\u{feff}[White \"B\"]", "*\r\n[White \"B\"]"] {
        let found = parse(&format!("[White \"A\"]\n\n1. e4 e5 {joined}\n\n1.\u{a0}d4\u{a0}d5 *"));
        let [Ok(first), Ok(second)] = &found[..] else { panic!("{joined:?}: {found:?}") };
        assert_eq!((moves(first).as_str(), moves(second).as_str()), ("e4 e5", "d4 d5"), "{joined:?}");
        assert_eq!(second.players.white.as_deref(), Some("B"), "{joined:?}");
    }
    for (results, reason) in [("1-0 0-1", Some("conflicting_result")), ("1-0 1-0", None), ("1-0 *", None)] {
        let found = parse(&format!("1. e4 e5 {results}\n")).remove(0).err();
        assert_eq!(found.map(|bad| bad.reason.name()), reason, "{results}");
    }
    let two = parse("1. e4 e5 2. Nf3\n\n1. d4 d5 *\n\n1. c4 *\n");
    let read: Vec<String> = two.iter().map(|game| moves(game.as_ref().unwrap())).collect();
    assert_eq!(read, ["e4 e5 Nf3", "d4 d5", "c4"], "cut off, and not glued");
    assert_eq!(two[0].as_ref().unwrap().doubts.to_string(), "missing_result 1");
    assert_eq!(two[1].as_ref().unwrap().place.line, 3);
}

#[test]
fn of_a_game_that_is_cut_off_all_certain_moves_are_kept() {
    for (text, expected, doubts) in [
        ("1. e4 e5 2. Nf3\n", "e4 e5 Nf3", "missing_result 1"),
        ("1. e4 e5 2. Nf3 \n\n[Event \"next\"]\n", "e4 e5 Nf3", "missing_result 1"),
        ("1. e4 e5 2. Nf3", "e4 e5 Nf3", "missing_result 1"),
        // The file is still being written: `Nb1` may become `Nb1c3`, `O-O` may become `O-O-O`.
        ("1. e4 e5 2. Nb1", "e4 e5", "missing_result 1, cut_off 1"),
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O", "e4 e5 Nf3 Nc6 Bc4 Bc5", "missing_result 1, cut_off 1"),
        ("1. e4 e5 2. N", "e4 e5", "missing_result 1, cut_off 1"),
        ("1. e4 e5 1", "e4 e5", "missing_result 1, cut_off 1"),
        ("1. e4 e5 1-0", "e4 e5", ""),
        ("1. e4 {+0.31/2", "e4", "missing_result 1, cut_off 1"),
        ("1. e4 {[%eval 0.3", "e4", "missing_result 1, cut_off 1"),
        ("1. e4 {[%eval 0.3]} e5 (1... c5 2. Nf3", "e4 e5", "missing_result 1, cut_off 1"),
        ("1. e4 e5 (1... c5 2. Nf3 1-0\n", "e4 e5", "missing_result 1, cut_off 1"),
    ] {
        let found = parse(text).remove(0).unwrap_or_else(|bad| panic!("{text:?}: {bad}"));
        assert_eq!(
            (moves(&found).as_str(), found.doubts.to_string().as_str()),
            (expected, doubts),
            "{text:?}"
        );
        assert!(found.moves.iter().all(|recorded| recorded.depth.is_none()), "{text:?}");
    }
    let tagged = game("[Result \"1-0\"]\n\n1. e4 e5\n");
    assert_eq!(
        (tagged.winner, tagged.doubts.to_string().as_str()),
        (Some(Winner::White), "missing_result 1")
    );
    assert_eq!(game("1. e4 e5\n").winner, None);
    let empty = parse("[Result \"1-0\"]\n\n{no moves}\n\n[White \"A\"]\n\n1. e4 *\n");
    assert_eq!(empty[0].as_ref().unwrap_err().reason.name(), "no_moves");
    assert!(empty[1].is_ok());
}

#[test]
fn a_half_alone_or_with_blanks_is_a_draw() {
    for result in ["1/2", "1/2 - 1/2", "1/2-1/2", "½", "½-½", "½ - ½"] {
        for end in ["", "\n", "\n\n[White \"B\"]\n\n1. d4 *\n"] {
            let found = parse(&format!("[Result \"{result}\"]\n\n1. e4 e5 {result}{end}")).remove(0).unwrap();
            assert_eq!(
                (found.winner, moves(&found).as_str(), found.doubts.to_string().as_str()),
                (Some(Winner::Draw), "e4 e5", ""),
                "{result:?} {end:?}"
            );
        }
        let tagged = game(&format!("[Result \"{result}\"]\n\n1. e4 e5 *\n"));
        assert_eq!(tagged.winner, Some(Winner::Draw), "{result}");
    }
}

#[test]
fn a_comment_without_an_end_ends_before_the_tags_of_the_next_game() {
    let text = "[White \"A\"]\n\n1. e4 {[%eval 0.3] e5\n2. Nf3 1-0\n\n  [White \"B\"]\n[Black \"C\"]\n\n1. d4 {good} d5 *\n";
    for text in [text.to_owned(), text.replace('\n', "\r\n")] {
        let found = parse(&text);
        let [Ok(first), Ok(second)] = &found[..] else { panic!("{found:?}") };
        assert_eq!((moves(first).as_str(), moves(second).as_str()), ("e4", "d4 d5"));
        assert_eq!(first.doubts.to_string(), "missing_result 1, cut_off 1");
        assert_eq!(second.players.black.as_deref(), Some("C"));
        assert_eq!(second.place.line, 6);
    }
    // Brackets in a comment are no tags.
    let whole = game("1. e4 {\n\n[%eval 0.3]\n[White \"B\"]\n\n[x] } e5 *\n");
    assert_eq!((moves(&whole).as_str(), whole.doubts.is_empty()), ("e4 e5", true));
    // In a game that is broken anyway, and in a variation.
    for before in ["1. Ke2 {", "1. e4 (1. d4 {", "1. e4 e5 (1... c5 {"] {
        let found = parse(&format!("{before} no end\n\n[White \"B\"]\n\n1. d4 *\n"));
        assert_eq!(moves(found[1].as_ref().unwrap()), "d4", "{before}");
    }
}

#[test]
fn tags_are_known_whatever_their_capitals() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 7 30";
    for name in ["FEN", "Fen", "fen"] {
        let found = game(&format!("[Setup \"1\"]\n[{name} \"{fen}\"]\n[whiteelo \"2000\"]\n\n30... Kd7 *\n"));
        assert_eq!((found.game(0).fen().as_str(), found.white_rating), (fen, Some(2000)), "{name}");
    }
    assert_eq!(game("[FEN \"\"]\n\n1. e4 *\n").game(0).fen(), Game::START_FEN);
}

#[test]
fn chess960_is_recognised_by_variant_or_position_and_kept() {
    let game_from = |tags: &str, moves: &str| parse(&format!("{tags}\n\n{moves} *\n")).remove(0);
    let castles = "1. e3 e6 2. Be2 Be7 3. O-O-O O-O-O";
    for castling in ["KQkq", "FBfb", "fbFB"] {
        let fen = format!("[FEN \"nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w {castling} - 0 1\"]");
        for variant in [
            "Chess960",
            "chess 960",
            "fischerandom",
            "Fischer Random",
            "FRC",
            "Fischerandom/Chess960",
            "freestyle",
            "Chess960 (Fischer Random)",
            "Chess 9LX",
            "DFRC",
            "wild/fr",
            "Standard",
            "From Position",
            "",
        ] {
            let found = game_from(&format!("[Variant \"{variant}\"]\n{fen}"), castles);
            let found = found.unwrap_or_else(|bad| panic!("{variant} {castling}: {bad}"));
            assert!(found.castling_mode.is_chess960(), "{variant} {castling}");
        }
        assert!(game_from(&fen, castles).unwrap().castling_mode.is_chess960(), "{castling}");
    }
    // The usual position is one of Chess960 too, and only the tag says so.
    let tagged = game_from("[Variant \"Chess960\"]", "1. e4 e5").unwrap();
    assert!(tagged.castling_mode.is_chess960() && !game("1. e4 *\n").castling_mode.is_chess960());
    let impossible = game_from("[FEN \"4k3/8/8/8/8/8/8/R3K3 w Qk - 0 15\"]", "1. Kd1").unwrap_err();
    assert!(impossible.to_string().contains("bad_fen"), "{impossible}");
    assert!(
        game_from("[Variant \"Atomic\"]", "1. e4").unwrap_err().to_string().contains("unsupported_variant")
    );
}

#[test]
fn long_comments_have_no_seams() {
    for (before, after) in [(65_529, "50] "), (70_000, "50] "), (4_090, "")] {
        let text = format!(
            "1. e4 {{{}[%eval 1.00] {} [%eval 2.{after}}} e5 *\n",
            "x".repeat(before),
            "y".repeat(9_000)
        );
        let found = game(&text);
        let evaluation = found.moves[1].evaluation;
        assert!(matches!(evaluation, None | Some(Score::Centipawns(-100))), "{before}: {evaluation:?}");
        assert_eq!(found.doubts.of(LabelDoubt::LongComment), u64::from(before > 60_000), "{before}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// The law of everything that writes games: start, rules of castling and moves come back.
    #[test]
    fn what_is_written_is_read_back_the_same(seed in any::<u64>()) {
        for written in sample_games(seed, 9).iter().filter(|game| !game.moves().is_empty()) {
            let record = game(&PgnGame::new(written).to_string());
            let read = record.game(usize::MAX);
            prop_assert_eq!(read.start_fen(), written.start_fen());
            prop_assert_eq!(read.castling_mode(), written.castling_mode());
            prop_assert_eq!(read.moves(), written.moves());
        }
    }

    /// No comment costs the moves of a game.
    #[test]
    fn whatever_a_comment_says_the_moves_are_kept(comment in "[-+#M0-9.,/:s \n]{0,20}", name in "(eval|clk|depth|csl)") {
        let text = format!("1. e4 {{[%{name} {comment}]}} e5 {{{comment}}} 2. Nf3 *\n");
        prop_assert_eq!(moves(&game(&text)), "e4 e5 Nf3");
    }

    /// No variation costs the main line.
    #[test]
    fn whatever_a_variation_says_the_main_line_is_kept(
        words in proptest::collection::vec("(1\\.|1\\.\\.\\.|2\\.|--|Z0|e4|Nf6|Ke3|\\$5|!\\?|Sf3|e8Q|x|\n\n|\\{c\\})", 0..8),
    ) {
        let text = format!("1. e4 {{[%eval 0.3]}} e5 {{[%eval 0.2]}} ({}) 2. Nf3 *\n", words.join(" "));
        prop_assert_eq!(moves(&game(&text)), "e4 e5 Nf3");
    }
}
