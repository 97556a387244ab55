use std::cell::Cell;

use chess::{CastlingMode, Game, print_uci_move};
use proptest::prelude::*;

use super::*;

fn position(fen: &str) -> Chess {
    Game::from_fen(fen, CastlingMode::Standard).unwrap().position().clone()
}

fn advice(search: &mut MaterialSearch, position: &Chess, nodes: u64) -> Vec<String> {
    let moves = position.legal_moves();
    let found = search.run(position, &moves, SearchBudget { nodes, is_over: &|| false });
    found.into_iter().map(|place| print_uci_move(moves[place], CastlingMode::Standard)).collect()
}

#[test]
fn tactics_are_found() {
    for (fen, best) in [
        // A smothered mate by a queen sacrifice; a back-rank mate by one; a mate in two with a quiet first move.
        ("r6k/6pp/7N/8/2Q5/8/8/7K w - - 0 1", "c4g8"),
        ("1r4k1/5ppp/8/8/4Q3/8/8/K3R3 w - - 0 1", "e4e8"),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6"),
        // A knight forks king and queen; a bishop skewers king and rook; a pawn queens by force.
        ("4k3/7p/q7/3N4/8/8/6PP/6K1 w - - 0 1", "d5c7"),
        ("r7/7p/2k5/8/8/8/7P/5BK1 w - - 0 1", "f1g2"),
        ("8/5k1P/8/8/8/8/r7/5K2 w - - 0 1", "h7h8q"),
    ] {
        let position = position(fen);
        assert_eq!(advice(&mut MaterialSearch::default(), &position, 20_000), [best], "{fen}");
    }
}

#[test]
fn what_was_found_below_the_root_is_remembered() {
    let mut search = MaterialSearch::default();
    let mut game = Game::from_fen("r6k/6pp/7N/8/2Q5/8/8/7K w - - 0 1", CastlingMode::Standard).unwrap();
    assert_eq!(search.winning_move(game.position()), None, "nothing is known yet");
    advice(&mut search, game.position(), 20_000);
    for text in ["c4g8", "a8g8"] {
        game.play_uci(text).unwrap();
    }
    let mate = search.winning_move(game.position()).expect("the second move of the mate");
    assert_eq!(print_uci_move(mate, CastlingMode::Standard), "h6f7");
    search.clear();
    assert_eq!(search.winning_move(game.position()), None);
}

#[test]
fn a_remembered_position_takes_sixteen_bytes() {
    assert_eq!(size_of::<Option<(u64, Entry)>>(), 16);
}

#[test]
fn it_spends_no_more_than_it_may() {
    let start = Game::default();
    let (position, moves) = (start.position(), start.legal_moves());
    for nodes in [0, 1, 30] {
        let found =
            MaterialSearch::default().run(position, &moves, SearchBudget { nodes, is_over: &|| false });
        // At depth 1 the search takes a node for each of the twenty moves, and two for those that equal the best.
        assert!(found.is_empty(), "{nodes}: {found:?}");
    }
    let asked = Cell::new(0);
    let is_over = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    let found =
        MaterialSearch::default().run(position, &moves, SearchBudget { nodes: u64::MAX, is_over: &is_over });
    assert_eq!((found.len(), asked.get()), (20, 4), "nothing wins or loses within three thousand nodes");
}

/// Reference search without pruning, table or move ordering; `ply` half-moves below the root.
fn plain(position: &Chess, depth: i32, ply: usize) -> i32 {
    if position.is_insufficient_material() {
        return 0;
    }
    let check = position.is_check();
    let depth = depth + i32::from(check && ply < MAX_CHECK_PLY);
    if depth <= 0 {
        return quiet_balance(position, Window { alpha: -UNBOUNDED, beta: UNBOUNDED }, MAX_PLIES);
    }
    let moves = position.legal_moves();
    if moves.is_empty() {
        return if check { MATED_IN_PAWNS + ply as i32 } else { 0 };
    }
    let values = moves.iter().map(|&chess_move| -plain(&played(position, chess_move), depth - 1, ply + 1));
    values.max().expect("there are moves")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Up to two half-moves, where no pruning is speculative.
    #[test]
    fn pruning_changes_nothing_where_it_is_sound(
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 0..80),
    ) {
        let mut game = Game::default();
        for choice in choices {
            let legal = game.legal_moves();
            if legal.is_empty() {
                break;
            }
            game.play_unchecked(*choice.get(&legal));
        }
        let (position, moves) = (game.position(), game.legal_moves());
        let places: Vec<usize> = (0..moves.len()).collect();
        for depth in 1..=2 {
            let mut search = MaterialSearch::default();
            let budget = SearchBudget { nodes: u64::MAX, is_over: &|| false };
            let mut run =
                Run { table: &mut search.table, order: &mut search.order, nodes: 0, budget };
            let Ok(values) = run.iteration(position, &moves, &places, depth) else { panic!("there is no limit") };
            let expected: Vec<i32> = moves
                .iter()
                .map(|&chess_move| -plain(&played(position, chess_move), depth - 1, 1))
                .collect();
            let best = expected.iter().copied().max();
            prop_assert_eq!(values.iter().copied().max(), best, "depth {} {}", depth, game.fen());
            for place in places.iter().copied() {
                prop_assert_eq!(Some(values[place]) == best, Some(expected[place]) == best);
            }
        }
    }
}
