//! Every ending, reached by real moves where that is short, and the repetition counts of the history.

use chess::{CastlingMode, Color, Ending, Game, Outcome};

fn game(fen: &str, moves: &str) -> Game {
    let mut game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
    play(&mut game, moves);
    game
}

fn play(game: &mut Game, moves: &str) {
    for uci in moves.split_whitespace() {
        game.play_uci(uci).unwrap();
    }
}

fn draw(ending: Ending) -> Outcome {
    Outcome { ending, winner: None }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KNIGHTS_OUT_AND_BACK: &str = "g1f3 g8f6 f3g1 f6g8 ";

#[test]
fn a_new_game_is_not_over() {
    assert_eq!(Game::default().outcome(), None);
    assert_eq!(Game::default().fen(), START);
}

#[test]
fn checkmate_wins_for_the_side_that_mates() {
    let fools_mate = game(START, "f2f3 e7e5 g2g4 d8h4");
    assert_eq!(fools_mate.outcome(), Some(Outcome { ending: Ending::Checkmate, winner: Some(Color::Black) }));
    let back_rank = game("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8");
    assert_eq!(back_rank.outcome(), Some(Outcome { ending: Ending::Checkmate, winner: Some(Color::White) }));
}

#[test]
fn stalemate() {
    assert_eq!(game("k7/8/8/1Q6/8/8/8/K7 w - - 0 1", "b5b6").outcome(), Some(draw(Ending::Stalemate)));
}

#[test]
fn insufficient_material() {
    for fen in [
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4KB2 b - - 0 1",
        "4k3/8/8/8/8/8/8/4KN2 w - - 0 1",
        "2b1k3/8/8/8/8/8/8/4KB2 w - - 0 1",
    ] {
        assert_eq!(game(fen, "").outcome(), Some(draw(Ending::InsufficientMaterial)), "{fen}");
    }
    for fen in [
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4KNN1 w - - 0 1",
        // Bishops on squares of different colours can mate with help.
        "4kb2/8/8/8/8/8/8/4KB2 w - - 0 1",
    ] {
        assert_eq!(game(fen, "").outcome(), None, "{fen}");
    }
}

#[test]
fn threefold_repetition_on_the_third_occurrence_and_not_before() {
    let mut game = game(START, KNIGHTS_OUT_AND_BACK);
    assert_eq!((game.repetitions(), game.outcome()), (1, None));
    play(&mut game, "g1f3 g8f6 f3g1");
    assert_eq!((game.repetitions(), game.outcome()), (1, None));
    play(&mut game, "f6g8");
    assert_eq!((game.repetitions(), game.outcome()), (2, Some(draw(Ending::ThreefoldRepetition))));
    assert!(Ending::ThreefoldRepetition.needs_claim());
}

#[test]
fn fivefold_repetition_ends_the_game_without_a_claim() {
    let mut game = game(START, &KNIGHTS_OUT_AND_BACK.repeat(3));
    assert_eq!((game.repetitions(), game.outcome()), (3, Some(draw(Ending::ThreefoldRepetition))));
    play(&mut game, KNIGHTS_OUT_AND_BACK);
    assert_eq!((game.repetitions(), game.outcome()), (4, Some(draw(Ending::FivefoldRepetition))));
    assert!(!Ending::FivefoldRepetition.needs_claim());
}

#[test]
fn fifty_moves() {
    let mut game = game("4k3/8/8/8/8/8/4P3/R3K3 w - - 98 80", "a1a2");
    assert_eq!(game.outcome(), None);
    play(&mut game, "e8d8");
    assert_eq!(game.outcome(), Some(draw(Ending::FiftyMoves)));
    assert!(Ending::FiftyMoves.needs_claim());
    play(&mut game, "e2e4");
    assert_eq!(game.outcome(), None);
}

#[test]
fn s2_k9_seventy_five_moves_end_the_game_without_a_claim() {
    let mut game = game("4k3/8/8/8/8/8/4P3/R3K3 w - - 148 120", "a1a2");
    assert_eq!(game.outcome(), Some(draw(Ending::FiftyMoves)));
    play(&mut game, "e8d8");
    assert_eq!(game.outcome(), Some(draw(Ending::SeventyFiveMoves)));
    assert!(!Ending::SeventyFiveMoves.needs_claim());
}

#[test]
fn checkmate_on_the_last_move_of_the_count_still_wins() {
    let mate = game("6k1/5ppp/8/8/8/8/8/R3K3 w - - 149 120", "a1a8");
    assert_eq!(mate.outcome(), Some(Outcome { ending: Ending::Checkmate, winner: Some(Color::White) }));
}

#[test]
fn s2_k5_lost_castling_rights_make_a_different_position() {
    let start = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let kings = "e1e2 e8e7 e2e1 e7e8 ";
    let mut game = game(start, kings);
    assert_eq!(game.repetitions(), 0);
    play(&mut game, kings);
    assert_eq!(game.repetitions(), 1);
}

#[test]
fn en_passant_counts_only_where_the_capture_is_legal() {
    let shuffle = "e1e2 e8e7 e2e1 e7e8";
    // After d7d5 the pawn on e5 may capture: the position is a new one without that right.
    let capturable = game("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", &format!("d7d5 {shuffle}"));
    assert_eq!(capturable.repetitions(), 0);
    // No capture is possible: the same position again.
    let harmless = game("4k3/3p4/8/8/4P3/8/8/4K3 b - - 0 1", &format!("d7d5 {shuffle}"));
    assert_eq!(harmless.repetitions(), 1);
}

#[test]
fn a_pawn_move_between_makes_repetition_impossible() {
    let moves = format!("{KNIGHTS_OUT_AND_BACK} e2e3 e7e6 {KNIGHTS_OUT_AND_BACK}");
    let game = game(START, &moves);
    assert_eq!(game.repetitions(), 1, "only the position after e7e6 is repeated");
}

#[test]
fn a_clock_longer_than_the_known_history_is_harmless() {
    let game = game("4k3/8/8/8/8/8/8/R3K3 w - - 40 60", "a1a2 e8d8 a2a1 d8e8");
    assert_eq!(game.repetitions(), 1);
}

#[test]
fn the_position_right_after_a_capture_is_the_first_that_can_repeat() {
    let game = game("4k3/8/8/8/8/8/r7/R3K3 w - - 7 1", "a1a2 e8d8 a2a1 d8e8 a1a2 e8d8 a2a1 d8e8");
    let repetitions: Vec<u8> = game.history().iter().map(|entry| entry.repetitions).collect();
    assert_eq!(repetitions, [0, 0, 0, 0, 0, 1, 1, 1, 1]);
}

#[test]
fn a_recorded_end_continues_the_count() {
    let whole = game(START, &KNIGHTS_OUT_AND_BACK.repeat(2));
    let mut end = Game::from_recorded(whole.position().clone(), whole.repetitions(), CastlingMode::Standard);
    play(&mut end, KNIGHTS_OUT_AND_BACK);
    assert_eq!(end.repetitions(), 3);
}

#[test]
fn undo_restores_everything() {
    let mut game = game(START, &KNIGHTS_OUT_AND_BACK.repeat(2));
    let (key, fen) = (game.key(), game.fen());
    let last = play_and_undo(&mut game, "e2e4");
    assert_eq!(last, "e2e4");
    assert_eq!((game.key(), game.fen(), game.repetitions(), game.ply()), (key, fen, 2, 8));
    let mut new = Game::default();
    assert_eq!(new.undo(), None);
    assert_eq!(new.history().len(), 1);
}

#[test]
fn a_game_is_seen_at_an_earlier_ply_with_its_history() {
    let mut earlier = game(START, KNIGHTS_OUT_AND_BACK);
    let known = earlier.clone();
    play(&mut earlier, "e2e4 e7e5");
    let again = earlier.at_ply(known.ply());
    assert_eq!((again.fen(), again.moves()), (known.fen(), known.moves()));
    assert_eq!((again.repetitions(), again.history().len()), (1, known.history().len()));
    assert_eq!(earlier.at_ply(0).fen(), START);
    assert_eq!(earlier.at_ply(99).fen(), earlier.fen());
}

fn play_and_undo(game: &mut Game, uci: &str) -> String {
    play(game, uci);
    chess::print_uci_move(game.undo().unwrap(), game.castling_mode())
}

/// The key of a position must not depend on the moves that led to it, or repetitions would be missed.
#[test]
fn keys_do_not_depend_on_how_the_position_was_reached() {
    for game in chess::laws::sample_games(11, 300) {
        let fresh = Game::from_position(game.position().clone(), game.castling_mode());
        assert_eq!(game.key(), fresh.key(), "{}", game.fen());
    }
}

/// Reference count of repetitions: the whole history, comparing positions rather than keys.
#[test]
fn repetitions_agree_with_comparing_all_positions() {
    let mut repeated = 0;
    for game in chess::laws::sample_games(12, 450) {
        let history = game.history();
        for (index, entry) in history.iter().enumerate() {
            let earlier = history[..index].iter().filter(|other| other.position == entry.position).count();
            assert_eq!(usize::from(entry.repetitions), earlier, "ply {index} of the game to {}", game.fen());
            repeated += usize::from(earlier > 0);
        }
    }
    assert!(repeated > 50, "the games hardly repeat positions ({repeated}): the test shows nothing");
}

#[test]
fn an_illegal_move_leaves_the_game_alone() {
    let mut game = Game::default();
    let error = game.play_uci("e2e5").unwrap_err();
    assert_eq!(error.to_string(), format!("illegal move \"e2e5\" in position {START}"));
    let foreign =
        Game::from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", CastlingMode::Standard).unwrap().legal_moves()[0];
    assert!(game.play(foreign).is_err());
    assert_eq!((game.ply(), game.fen().as_str()), (0, START));
}
