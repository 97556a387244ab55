use std::{
    collections::HashSet,
    sync::{Arc, LazyLock},
};

use chess::{CastlingMode, Chess, Game, Move, Position, Score, shakmaty::Color};
use kernels::{
    Isa,
    sparse::{NnueNetwork, NnuePlan},
};
use proptest::prelude::*;

use crate::sparse::nnue::{
    Judge, Nnue, NnueError,
    features::{FEATURES, Features},
    file,
    judge::Sums,
    synthetic,
};

static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| synthetic::file(1));
static PLAN: LazyLock<NnuePlan> = LazyLock::new(|| file::parse(&FILE, "synthetic").unwrap());
static NETWORKS: LazyLock<Vec<NnueNetwork>> = LazyLock::new(|| {
    Isa::available().into_iter().map(|isa| NnueNetwork::compile(&PLAN, isa).unwrap()).collect()
});
pub(crate) static NNUE: LazyLock<Arc<Nnue>> =
    LazyLock::new(|| Arc::new(Nnue::from_bytes(&FILE, "synthetic").unwrap()));

/// The evaluation computed from the definition of the layers, feature by feature and unit by unit.
fn plain(plan: &NnuePlan, position: &Chess) -> [i64; 2] {
    let board = position.board();
    let stack = (board.occupied().count() - 1) / 4;
    let mut units = Vec::new();
    let mut material = [0_i64; 2];
    for (number, side) in [position.turn(), !position.turn()].into_iter().enumerate() {
        let features = Features::of(board, side, board.king_of(side).unwrap());
        let active = features.as_slice().iter().map(|&feature| feature as usize);
        material[number] = active.clone().map(|feature| i64::from(plan.material[feature * 8 + stack])).sum();
        let sum = |column: usize| {
            let rows = active.clone().map(|feature| i64::from(plan.rows[feature * 1024 + column]));
            (i64::from(plan.bias[column]) + rows.sum::<i64>()).clamp(0, 127)
        };
        units.extend((0..512).map(|unit| sum(unit) * sum(unit + 512) / 128));
    }
    let layer = |(weights, bias): &(Vec<i8>, Vec<i32>), inputs: &[i64]| -> Vec<i64> {
        let rows = weights.chunks_exact(inputs.len());
        let products = |row: &[i8]| {
            row.iter().zip(inputs).map(|(weight, input)| i64::from(*weight) * input).sum::<i64>()
        };
        rows.zip(bias).map(|(row, bias)| i64::from(*bias) + products(row)).collect()
    };
    let clipped = |output: &i64| (output >> 6).clamp(0, 127);
    let stack = &plan.stacks[stack];
    let first = layer(&stack.first, &units);
    let mut inputs: Vec<i64> =
        first[..15].iter().map(|output| (((output * output) >> 12) / 128).min(127)).collect();
    inputs.extend(first[..15].iter().map(clipped));
    inputs.extend([0, 0]);
    let hidden: Vec<i64> = layer(&stack.second, &inputs).iter().map(clipped).collect();
    [(material[0] - material[1]) / 2, layer(&stack.third, &hidden)[0] + first[15] * 9600 / 8128]
}

fn position(fen: &str) -> Chess {
    Game::from_fen(fen, CastlingMode::Standard).unwrap().position().clone()
}

fn legal_moves(position: &Chess) -> Vec<Move> {
    position.legal_moves().into_iter().collect()
}

#[test]
fn sums_are_kept_move_by_move_and_all_instruction_sets_agree_with_the_definition() {
    let mut seen = HashSet::new();
    for seed in 0..3_usize {
        let mut game = Chess::default();
        let mut kept: Vec<Sums> = NETWORKS.iter().map(Sums::new).collect();
        for (network, sums) in NETWORKS.iter().zip(&mut kept) {
            sums.refresh(network, game.board());
        }
        for ply in 0..70 {
            let moves = game.legal_moves();
            let Some(chess_move) = moves.get((seed + 7 * ply) % moves.len().max(1)) else { break };
            let mut after = game.clone();
            after.play_unchecked(*chess_move);
            let expected = plain(&PLAN, &after);
            seen.insert(expected);
            for (network, sums) in NETWORKS.iter().zip(&mut kept) {
                let before = sums.clone();
                sums.update(network, &before, [game.board(), after.board()]);
                assert_eq!(sums.outputs(network, &after).map(i64::from), expected, "{network:?}, ply {ply}");
            }
            game = after;
        }
    }
    assert!(seen.len() > 100, "{} different evaluations", seen.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn features_are_different_in_range_and_the_same_for_both_colours(
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 0..100)
    ) {
        let mut game = Game::default();
        for choice in choices {
            let legal: Vec<Move> = game.legal_moves().into_iter().collect();
            if legal.is_empty() {
                break;
            }
            game.play_unchecked(*choice.get(&legal));
        }
        let board = game.position().board();
        let mut flipped = board.clone();
        flipped.flip_vertical();
        flipped.swap_colors();
        for side in Color::ALL {
            let of = |board: &chess::shakmaty::Board, side| {
                let features = Features::of(board, side, board.king_of(side).unwrap());
                features.as_slice().iter().copied().collect::<HashSet<u32>>()
            };
            let features = of(board, side);
            prop_assert_eq!(features.len(), board.occupied().count());
            prop_assert!(features.iter().all(|feature| (*feature as usize) < FEATURES));
            prop_assert_eq!(features, of(&flipped, !side));
        }
    }
}

#[test]
fn a_mate_is_found_and_takes_the_whole_share_and_so_does_the_only_move() {
    let mut judge = Judge::new(Arc::clone(&NNUE));
    let mate = position("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1");
    let moves = legal_moves(&mate);
    let judgement = judge.judge(&mate, &moves);
    let best = moves.iter().zip(&judgement.shares).max_by(|one, other| one.1.total_cmp(other.1)).unwrap();
    assert_eq!(
        (judgement.score, best.0.to_uci(CastlingMode::Standard).to_string()),
        (Score::Mate(1), "a1a8".into())
    );
    assert!(*best.1 > 0.999, "{}", best.1);
    let forced = position("k7/8/1K6/8/8/8/8/7Q b - - 0 1");
    let moves = legal_moves(&forced);
    let judgement = judge.judge(&forced, &moves);
    assert_eq!((moves.len(), judgement.shares), (1, vec![1.0]));
}

#[test]
fn a_judgement_depends_on_the_position_alone() {
    let mut judge = Judge::new(Arc::clone(&NNUE));
    for fen in [
        "r3k2r/pppq1ppp/2n1bn2/3pp3/3PP3/2N1BN2/PPPQ1PPP/R3K2R w KQkq - 0 8",
        "r1bqk2r/pppp1Bpp/2n2n2/4p3/1b2P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 5",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ] {
        let position = position(fen);
        let mut moves = legal_moves(&position);
        let first = judge.judge(&position, &moves);
        assert!((first.shares.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{fen}");
        judge.judge(&Chess::default(), &legal_moves(&Chess::default()));
        assert_eq!(judge.judge(&position, &moves), first, "{fen}");
        moves.reverse();
        let mut reversed = judge.judge(&position, &moves);
        reversed.shares.reverse();
        assert_eq!(reversed.score, first.score, "{fen}");
        for (one, other) in first.shares.iter().zip(&reversed.shares) {
            assert!((one - other).abs() < 1e-6, "{fen}");
        }
    }
}

#[test]
fn a_file_of_another_shape_is_refused_with_place_finding_and_expectation() {
    let refused = |bytes: &[u8]| match Nnue::from_bytes(bytes, "x.nnue") {
        Err(error @ NnueError::Format { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(b""), "x.nnue: byte 0: version: found 0 bytes, expected 4 bytes");
    let mut other = FILE[..1000].to_vec();
    other[4] ^= 1;
    assert_eq!(
        refused(&other),
        "x.nnue: byte 4: hash of the network: found 0x1c102ef3, expected 0x1c102ef2, that of Stockfish 15.1's networks"
    );
    other[4] ^= 1;
    assert!(
        refused(&other).starts_with("x.nnue: byte 20: bias of the table: found 980 bytes, expected 2048")
    );
    other[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(refused(&other).contains("length of the description: found 4294967295, expected at most 4096"));
    assert!(refused(&FILE[..FILE.len() - 1]).contains("layer of 1 outputs in stack 7: found 31 bytes"));
    let longer = [&FILE[..], &[0]].concat();
    assert!(refused(&longer).ends_with("end: found 1 more bytes, expected none"));
}

#[test]
fn a_missing_file_is_named_and_others_are_not_networks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nnue");
    assert!(!crate::sparse::nnue::is_network(&path));
    let error = Nnue::read(&path).unwrap_err().to_string();
    assert!(error.starts_with("cannot read ") && error.contains("x.nnue: "), "{error}");
    std::fs::write(&path, b"PK").unwrap();
    assert!(!crate::sparse::nnue::is_network(&path));
    std::fs::write(&path, &FILE[..synthetic::HEADER]).unwrap();
    assert!(crate::sparse::nnue::is_network(&path));
}
