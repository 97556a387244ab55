use chess::{Chess, Position as _};

use super::*;
use crate::{alpha_beta::MATED, pvs::root::UNKNOWN};

/// What a thread found: the root move with this index, its value and the depth.
fn found(chosen: usize, value: i32, completed: u32) -> Findings {
    let moves: Vec<Move> = Chess::default().legal_moves().into_iter().collect();
    let priors: Vec<f32> = (0..moves.len()).map(|place| f32::from(u8::from(place == chosen))).collect();
    let mut moves = RootMoves::new(moves, &priors);
    moves.note(0, value, 1);
    Findings { completed, moves, evaluations: 1, failure: None }
}

#[test]
fn the_shares_are_the_limit() {
    for (limit, threads) in [(0, 1), (1, 3), (2, 3), (100, 7), (20_000, 64), (u64::MAX, 5)] {
        let all: Vec<u64> = shares(Some(limit), threads).collect();
        assert_eq!(all.len(), threads);
        assert_eq!(all.iter().sum::<u64>(), limit, "{threads} threads");
        assert!(all.iter().all(|&share| share.abs_diff(all[0]) <= 1), "{all:?}");
    }
    assert!(shares(None, 3).all(|share| share == u64::MAX));
}

#[test]
fn a_mate_decides_and_the_shortest_first() {
    let mate_in = |moves: i32| -MATED - (2 * moves - 1);
    assert_eq!(elected(&[found(0, 300, 12), found(1, mate_in(3), 4), found(2, mate_in(2), 4)]), 2);
}

#[test]
fn the_deepest_thread_decides_among_two() {
    assert_eq!(elected(&[found(0, 10, 1), found(1, 5, 9)]), 1);
    assert_eq!(elected(&[found(0, 10, 9), found(1, 12, 2)]), 0);
    // A thread that was never run has an order of moves and no findings.
    assert_eq!(elected(&[found(0, UNKNOWN, 0), found(1, -400, 1)]), 1);
    assert_eq!(elected(&[found(0, UNKNOWN, 0), found(1, UNKNOWN, 0)]), 0);
}

#[test]
fn threads_that_agree_outvote_one_that_is_little_deeper() {
    assert_eq!(elected(&[found(0, 20, 9), found(1, 21, 8), found(1, 20, 8)]), 1);
    // Equal votes: the first thread.
    assert_eq!(elected(&[found(0, 20, 8), found(1, 20, 8)]), 0);
}

#[test]
fn a_wanted_depth_is_the_first_threads() {
    let agreed = |limits: Limits| {
        let found = agree(vec![found(0, 10, 3), found(1, 5, 9)], &limits).expect("nothing failed");
        (found.completed, found.evaluations)
    };
    assert_eq!(agreed(Limits { depth: Some(3), ..Limits::default() }), (3, 2));
    assert_eq!(agreed(Limits::default()), (9, 2));
}
