use chess::{MaterialEvaluator, Score, laws};

use super::*;

/// Runs `work` with a search that nothing stops.
fn endless<T>(game: &Game, table: &mut TranspositionTable<Entry>, work: impl FnOnce(&mut Run<'_>) -> T) -> T {
    let (limits, stop, options) = (Limits::default(), StopSignal::default(), TimeOptions::default());
    let time = TimeManager::new(game, &limits, &stop, &options);
    let mut run =
        Run { evaluator: &MaterialEvaluator, table, time, game: game.clone(), nodes: 0, evaluations: 0 };
    work(&mut run)
}

fn exact(run: &mut Run<'_>, depth: u32) -> i32 {
    run.value(depth, 0, Window { alpha: -INFINITE, beta: INFINITE }).expect("nothing ends it")
}

/// The position's plain minimax value to this depth, without any cutoffs: the reference for the tests of [`AlphaBeta`].
fn minimax(run: &mut Run<'_>, depth: u32, ply: i32) -> i32 {
    if let Some(value) = run.end_of_game(ply) {
        return value;
    }
    if depth == 0 {
        return run.quiescence(ply, Window { alpha: -INFINITE, beta: INFINITE }).expect("nothing ends it");
    }
    let moves: Vec<Move> = run.game.legal_moves().into_iter().collect();
    let mut best = -INFINITE;
    for chess_move in moves {
        run.game.play_unchecked(chess_move);
        best = best.max(-minimax(run, depth - 1, ply + 1));
        run.game.undo();
    }
    best
}

#[test]
fn the_cuts_change_nothing_but_the_number_of_nodes() {
    let (mut plain, mut cut) = (0, 0);
    for game in laws::sample_games(11, 12).into_iter().filter(|game| game.outcome().is_none()) {
        for depth in 1..=2 {
            let mut table = TranspositionTable::new(1 << 20);
            let (value, nodes) = endless(&game, &mut table, |run| (exact(run, depth), run.nodes));
            let (expected, all) = endless(&game, &mut table, |run| (minimax(run, depth, 0), run.evaluations));
            assert_eq!(value, expected, "depth {depth} in {}", game.fen());
            (plain, cut) = (plain + all, cut + nodes);
        }
    }
    assert!(cut < plain, "{cut} nodes instead of {plain}");
}

#[test]
fn mates_are_found_with_their_length() {
    let mates = [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 2, Score::Mate(1), "d1d8"),
        ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 4, Score::Mate(2), ""),
        ("7K/8/8/8/8/8/r7/1r5k b - - 0 1", 4, Score::Mate(2), ""),
    ];
    for (fen, depth, score, best) in mates {
        let game = Game::from_fen(fen, chess::CastlingMode::Standard).unwrap();
        let mut search = AlphaBeta::new(Arc::new(MaterialEvaluator), &SearchOptions::default());
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let decision = search.run(&game, &limits, &StopSignal::default(), &mut |_| {}).unwrap();
        assert_eq!(decision.info.variations[0].score, score, "{fen}");
        let found = chess::print_uci_move(decision.best, game.castling_mode());
        assert!(best.is_empty() || found == best, "{fen}: {found}");
    }
}

#[test]
fn quiescence_sees_that_a_protected_pawn_is_poisoned() {
    let game = Game::from_fen("4k3/8/4p3/3p4/8/8/3Q4/4K3 w - - 0 1", chess::CastlingMode::Standard).unwrap();
    let mut search = AlphaBeta::new(Arc::new(MaterialEvaluator), &SearchOptions::default());
    let limits = Limits { depth: Some(1), ..Limits::default() };
    let decision = search.run(&game, &limits, &StopSignal::default(), &mut |_| {}).unwrap();
    assert_ne!(chess::print_uci_move(decision.best, game.castling_mode()), "d2d5");
}
