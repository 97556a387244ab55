//! The tables of older projects, row by row.

use chess::{CastlingMode, Score, print_uci_move};
use dataset::{
    record::{PositionRecord, Record},
    source::{self, BadReason, BadRecord, PositionRules, input::Location},
};

fn read_with(text: &str, rules: PositionRules) -> Vec<Result<Record, BadRecord>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    std::fs::write(&path, text).unwrap();
    source::open_with(&Location::File(path), rules).unwrap().map(Result::unwrap).collect()
}

fn read(text: &str) -> Vec<Result<Record, BadRecord>> {
    read_with(text, PositionRules::Strict)
}

fn position(record: Result<Record, BadRecord>) -> PositionRecord {
    match record.unwrap() {
        Record::Position(position) => *position,
        other => panic!("{other:?}"),
    }
}

fn best_move(record: Result<Record, BadRecord>) -> String {
    print_uci_move(position(record).best_move, CastlingMode::Standard)
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

#[test]
fn evaluations_are_whites_and_turned_to_the_mover() {
    let rows = [
        (format!("{START} b KQkq -,e7e5,30.0,"), Some(Score::Centipawns(-30))),
        (format!("{START} w KQkq -,e2e4,-12,"), Some(Score::Centipawns(-12))),
        (format!("{START} b KQkq -,e7e5,,-3"), Some(Score::Mate(3))),
        (format!("{START} w KQkq -,e2e4,,-3.0"), Some(Score::Mate(-3))),
    ];
    for (row, expected) in rows {
        let found = read(&format!("fen,line,cp,mate\n{row}\n")).remove(0);
        assert_eq!(position(found).evaluation, expected, "{row}");
    }
    for (row, reason) in [
        (format!("{START} w KQkq -,e2e5,1,"), BadReason::IllegalMove),
        (format!("{START} w KQkq -,,1,"), BadReason::IllegalMove),
    ] {
        let bad = read(&format!("fen,line,cp,mate\n{row}\n")).remove(0).unwrap_err();
        assert_eq!((bad.line, bad.reason), (2, reason), "{row}: {bad}");
    }
    let without_mates = read(&format!("fen,line,cp\n{START} w KQkq -,e2e4,\n")).remove(0);
    assert_eq!(position(without_mates).evaluation, None, "a mate whose column was dropped");
}

/// A broken label costs the label.
#[test]
fn positions_without_a_certain_evaluation_are_kept_and_counted() {
    for (numbers, expected) in [
        ("31,nan", "Some(Centipawns(31)) "),
        ("None,-3", "Some(Mate(-3)) "),
        ("null,-3.0", "Some(Mate(-3)) "),
        ("20000,", "Some(Centipawns(20000)) "),
        ("29997,", "None evaluation_scale 1"),
        ("-32765,", "None evaluation_scale 1"),
        ("1.5,", "None evaluation_scale 1"),
        ("inf,", "None evaluation_scale 1"),
        ("1,2", "None unread_evaluation 1"),
        (",", "None unread_evaluation 1"),
        ("#3,", "None unread_evaluation 1"),
        (",40000", "None unread_evaluation 1"),
        (",0", "None mate_count 1"),
    ] {
        let text = format!("fen,line,cp,mate\n{START} w KQkq -,e2e4,{numbers}\n");
        for text in [text.clone(), format!("\n\n{}", text.replace(',', ";"))] {
            let found = position(read(&text).remove(0));
            assert_eq!(format!("{:?} {}", found.evaluation, found.doubts), expected, "{text}");
        }
    }
    for (numbers, expected) in [
        (r#""cp":31.0"#, "Some(Centipawns(31)) "),
        (r#""cp":null,"mate":-3"#, "Some(Mate(-3)) "),
        (r#""cp":-32765"#, "None evaluation_scale 1"),
        (r#""cp":31,"mate":3"#, "None unread_evaluation 1"),
        (r#""mate":0"#, "None mate_count 1"),
    ] {
        let variation = format!("{{{numbers},\"line\":\"e2e4\"}}");
        let text =
            format!("{{\"fen\":\"{START} w KQkq -\",\"evals\":[{{\"depth\":5,\"pvs\":[{variation}]}}]}}\n");
        let found = position(read(&text).remove(0));
        assert_eq!(format!("{:?} {}", found.evaluation, found.doubts), expected, "{text}");
    }
}

#[test]
fn puzzles_may_lack_a_heading_and_tables_have_tabs_and_fields_of_several_lines() {
    let fen = "r1b1k1nr/pppp1ppp/8/2q5/4P3/2N5/PPP3PP/R1BQ1BKR w kq - 2 9";
    let row = |id: &str| format!("{id},{fen},c1e3 c5e3,400,80,90,100,themes,url,\n");
    let bare = [row("a"), row("b")].concat();
    let heading = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n";
    let quoted = format!("{heading}{}{}", row("a").replace("url", "\"one,\n\ntwo \"\"lines\"\"\""), row("b"));
    for text in [bare.clone(), bare.replace(',', "\t"), format!("{heading}{bare}").replace(',', "\t"), quoted]
    {
        let found: Vec<_> = read(&text).into_iter().map(|record| position(record).place.line).collect();
        assert!(found.len() == 2 && found[1] > found[0], "{text}: {found:?}");
    }
    // A quote without an end costs its own row.
    let open = format!("{heading}{}{}{}", row("a"), row("\"open"), row("c").repeat(80));
    let found = read(&open);
    assert_eq!(found.len(), 82);
    let bad = found[1].as_ref().unwrap_err();
    assert_eq!((bad.line, bad.reason), (3, BadReason::BadSyntax), "{bad}");
    assert_eq!(found.iter().filter(|record| record.is_err()).count(), 1);
}

#[test]
fn a_parquet_file_of_another_writer_is_read() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/sources/evaluations.parquet");
    let mut records: Vec<_> = source::open(path.as_ref()).unwrap().map(Result::unwrap).collect();
    // A position of Chess960, in which castling is not possible yet.
    let chess960 = records.pop().unwrap().unwrap_err();
    assert_eq!((chess960.line, chess960.reason), (4, BadReason::IllegalMove), "{chess960}");
    let positions: Vec<_> = records.into_iter().map(position).collect();
    let evaluations: Vec<_> = positions.iter().map(|record| record.evaluation.unwrap()).collect();
    assert_eq!(evaluations, [Score::Centipawns(-20), Score::Centipawns(-15), Score::Mate(-4)]);
    let depths: Vec<_> = positions.iter().map(|record| record.effort.depth.unwrap()).collect();
    assert_eq!(depths, [30, 31, 32]);
    assert!(positions[1].best_move.is_castle());
}

/// Some of the damage breaks assertions of the Parquet library.
#[test]
fn a_damaged_parquet_file_ends_with_an_error() {
    let whole = include_bytes!("../../../testdata/sources/evaluations.parquet");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged");
    let mut asserted = 0;
    for place in 0..whole.len() {
        let mut bytes = whole.to_vec();
        bytes[place] = !bytes[place];
        std::fs::write(&path, bytes).unwrap();
        let Ok(source) = source::open(&path) else { continue };
        let errors: Vec<_> = source.filter_map(Result::err).map(|error| error.to_string()).collect();
        assert!(errors.len() <= 1, "byte {place}: {errors:?}");
        asserted += errors.iter().filter(|error| error.contains("the file is damaged")).count();
    }
    assert!(asserted > 0, "no damage reaches an assertion");
}

#[test]
fn s3_k3_king_takes_rook_is_castling_and_only_repaired_rows_step() {
    let castling = "fen,line,cp\nr3k2r/8/8/8/8/8/8/R3K2R w KQkq -,e1h1 e8a8,0\n";
    assert_eq!(best_move(read(castling).remove(0)), "e1g1");
    let chess960 = "fen,line,cp\nr4k1r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq -,f8h8,0\n";
    let strict = position(read(chess960).remove(0));
    assert!(strict.castling_mode.is_chess960() && strict.best_move.is_castle(), "{strict:?}");
    assert_eq!(best_move(read_with(chess960, PositionRules::Repaired).remove(0)), "f8g8");
    let no_step = chess960.replace("r4k1r", "1r2k2r").replace("f8h8", "b8a8");
    assert_eq!(best_move(read_with(&no_step, PositionRules::Repaired).remove(0)), "b8a8");
    let no_king = "fen,line,cp\n4k3/8/8/8/8/8/8/R3K1R1 w - -,g1h9,0\n4k3/8/8/8/8/8/8/5R1K w - -,f1h1,0\n";
    let reasons: Vec<_> = read_with(no_king, PositionRules::Repaired)
        .into_iter()
        .map(|record| record.map(|_| ()).map_err(|bad| bad.reason))
        .collect();
    assert_eq!(reasons, [Err(BadReason::IllegalMove); 2], "a rook does not step");
}

const PLIES: &str = "game_id,result,white_elo,black_elo,time_control,move_ply,move,cp,clock,board\n";

#[test]
fn s5_k1_mates_are_signed_by_the_score_whoever_is_to_move() {
    let white = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
    let black = "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1";
    for (cp, expected) in [
        ("#3", Some(Score::Mate(3))),
        ("#-2", Some(Score::Mate(-2))),
        ("None", None),
        ("1.25", Some(Score::Centipawns(125))),
    ] {
        for (board, played, turn) in [(white, "g1f1", 1), (black, "g8f8", -1)] {
            let text = format!("{PLIES}a,1-0,1500,1600,300+0,0,{played},{cp},300,{board}\n");
            let Ok(Record::Game(game)) = read(&text).remove(0) else { panic!("{text}") };
            let expected = expected.map(|score| if turn == 1 { score } else { score.flipped() });
            assert_eq!(game.moves[0].evaluation, expected, "{cp} with {board}");
        }
    }
    for (cp, doubts) in
        [("31", "evaluation_scale 1"), ("327.65", "evaluation_scale 1"), ("#0", "mate_count 1")]
    {
        let text = format!("{PLIES}a,1-0,1500,1600,300+0,0,g1f1,{cp},300,{white}\n");
        let Ok(Record::Game(game)) = read(&text).remove(0) else { panic!("{text}") };
        assert_eq!((game.moves[0].evaluation, game.doubts.to_string()), (None, doubts.into()), "{cp}");
    }
}

#[test]
fn rows_of_a_game_are_one_record_and_a_gap_breaks_it() {
    let first = format!("{START} w KQkq - 0 1");
    let second = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    let third = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2";
    let row = |game: &str, played: &str, board: &str| {
        format!("{game},0-1,1500,1600,300+5,0,{played},0.1,299.0,{board}\n")
    };
    let whole = [row("a", "e2e4", &first), row("a", "e7e5", second), row("a", "g1f3", third)].concat();
    // The second row is missing; the remaining rows of this game are skipped.
    let gap = [row("b", "e2e4", &first), row("b", "g1f3", third), row("b", "d2d4", "no board")].concat();
    let tail = row("c", "g1f3", third);
    let records = read(&[PLIES, &whole, &gap, &tail].concat());
    let [Ok(Record::Game(a)), Err(b), Ok(Record::Game(c))] = &records[..] else { panic!("{records:?}") };
    assert_eq!((a.moves.len(), a.place.line, a.white_rating, a.black_rating), (3, 2, Some(1500), Some(1600)));
    assert_eq!(a.moves[0].clock_seconds, Some(299));
    assert_eq!((b.line, b.reason), (6, BadReason::IllegalMove), "{b}");
    assert_eq!((c.moves.len(), c.place.line), (1, 8), "a game may begin in the middle");
}

#[test]
fn a_graph_game_begins_at_the_start_whatever_its_first_edge_says() {
    let header = ",GameNumber,Move,Side,ending_position,starting_position\n";
    let after_d4 = "rnbqkbnrpppppppp883P48PPP1PPPPRNBQKBNR";
    let after_d5 = "rnbqkbnrppp1pppp83p43P48PPP1PPPPRNBQKBNR";
    let elsewhere = "8884k384K388";
    let first_game = format!("0,1,d5,black,{after_d5},{after_d4}\n");
    let second_game = format!("1,2,d4,white,{after_d4},{elsewhere}\n2,2,d5,black,{after_d5},{after_d4}\n");
    let third_game = format!("3,3,d4,white,{after_d4},{elsewhere}\n4,3,d5,black,{after_d5},{elsewhere}\n");
    let records = read(&[header, &first_game, &second_game, &third_game].concat());
    let [Ok(Record::Game(one)), Ok(Record::Game(two)), Err(three)] = &records[..] else {
        panic!("{records:?}")
    };
    assert_eq!((one.moves.len(), &one.moves), (2, &two.moves), "the missing first move is put before");
    assert_eq!(three.line, 6, "{three}");
}

/// Rows as pgn2data writes them: the first moves of two games.
#[test]
fn games_of_one_move_a_row_are_checked_against_their_placements() {
    const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    const C5: &str = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR";
    let heading = "game_id,move_no,move_no_pair,player,notation,move,from_square,to_square,piece,color,fen\n";
    let first = format!("a,1,1,Fabiano Caruana,e4,e2e4,e2,e4,P,White,{E4}\n");
    let second = format!("a,2,1,Magnus Carlsen,c5,c7c5,c7,c5,P,Black,{C5}\n");
    let next = format!("b,1,1,Magnus Carlsen,e4,e2e4,e2,e4,P,White,{E4}\n");
    let games = read(&format!("{heading}{first}{second}{next}"));
    assert_eq!(games.len(), 2);
    let Ok(Record::Game(game)) = &games[0] else { panic!("{:?}", games[0]) };
    let moves: Vec<String> =
        game.moves.iter().map(|one| print_uci_move(one.played, CastlingMode::Standard)).collect();
    assert_eq!(moves, ["e2e4", "c7c5"]);
    assert_eq!(game.players.white.as_deref(), Some("Fabiano Caruana"));
    assert_eq!(game.players.black.as_deref(), Some("Magnus Carlsen"));
    assert!(game.winner.is_none() && game.moves.iter().all(|one| one.evaluation.is_none()));

    for (rows, reason, detail) in [
        // A row is missing.
        (format!("{second}{next}"), BadReason::BadSyntax, "expected 1"),
        // A move of the other side, and one to a square other than the placement's.
        (first.replace(",e4,e2e4", ",e5,e2e4"), BadReason::IllegalMove, "half-move 1"),
        (first.replace(",e4,e2e4", ",d4,e2e4"), BadReason::IllegalMove, "fen says"),
    ] {
        let records = read(&format!("{heading}{rows}"));
        let bad = records[0].as_ref().unwrap_err();
        assert_eq!(bad.reason, reason, "{bad}");
        assert!(bad.detail.contains(detail), "{bad}");
    }
}
