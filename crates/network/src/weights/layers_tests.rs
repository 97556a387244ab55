//! Compares every implementation with the reference.

use chess::{CastlingMode, Evaluation, EvaluationRequest, Evaluator, Game};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::{
    planes::evaluator::LayersEvaluator,
    spec::{
        Activation, Body, HeadBody, MovesLeftHead, PlaneSpec, PolicyHead, SqueezeExcite, Stem, Tower,
        ValueHead, ValueKind,
    },
    synthetic,
    tests::reference::ReferenceNetwork,
};

/// Sums of a few hundred products in a different order.
const TOLERANCE: f32 = 1e-5;

/// Openings, castling rights, en passant, promotions, few pieces; both sides to move.
const POSITIONS: [&str; 6] = [
    "rnbqkb1r/pp2pppp/3p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R b KQkq - 2 5",
    "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 4 7",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 7 41",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "1n1n3k/P1P1P3/8/8/8/8/8/4K3 w - - 0 1",
];

pub(crate) fn games() -> Vec<Game> {
    let mut games = synthetic::positions(10, 17);
    games.extend(POSITIONS.map(|fen| Game::from_fen(fen, CastlingMode::Standard).unwrap()));
    games
}

fn evaluate(evaluator: &dyn Evaluator, games: &[Game]) -> Vec<Evaluation> {
    let moves: Vec<_> = games.iter().map(Game::legal_moves).collect();
    let requests: Vec<_> =
        games.iter().zip(&moves).map(|(game, legal_moves)| EvaluationRequest { game, legal_moves }).collect();
    evaluator.evaluate(&requests).unwrap()
}

/// Weights as they may be after training: none is zero or one.
pub(crate) fn random_weights(spec: Spec, seed: u64) -> Weights {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let architecture = Architecture::new(&spec).unwrap();
    let matrices = shapes(&architecture).map(|(name, shape)| {
        let [rows, columns] = shape;
        let (middle, spread) = match name.rsplit('.').next().unwrap() {
            "weight" => (0.0, (2.0 / rows as f32).sqrt()),
            "scale" => (1.0, 0.5),
            // Mostly positive, so that few units are dead.
            _ => (0.2, 0.3),
        };
        let values = (0..rows * columns).map(|at| {
            let value = middle + spread * (2.0 * random.random::<f32>() - 1.0);
            if name.ends_with(".moments") && at >= columns { 0.5 + value.abs() } else { value }
        });
        Matrix { name: name.clone(), shape, values: values.collect() }
    });
    Weights { matrices: matrices.collect(), spec, provenance: Provenance::default(), calibration: None }
}

fn close(fast: &Evaluation, plain: &Evaluation, what: &str) {
    for (fast, plain) in fast.priors.iter().zip(&plain.priors) {
        assert!((fast - plain).abs() < TOLERANCE, "{what}: {fast} {plain}");
    }
    assert!((fast.wdl.win - plain.wdl.win).abs() < TOLERANCE, "{what}: {fast:?} {plain:?}");
    assert!((fast.wdl.draw - plain.wdl.draw).abs() < TOLERANCE, "{what}: {fast:?} {plain:?}");
    match (fast.moves_left, plain.moves_left) {
        (Some(fast), Some(plain)) => {
            assert!((fast - plain).abs() < 10.0 * TOLERANCE, "{what}: {fast} {plain}");
        }
        (fast, plain) => assert_eq!(fast, plain, "{what}"),
    }
}

/// Asserts that the kernels for lists of layers give the same results as plain loops.
pub(crate) fn check_against_plain_loops(weights: &Weights) {
    let options = crate::CpuOptions { precision: Some(crate::Precision::F32), ..Default::default() };
    let architecture = PlaneArchitecture::new(weights.spec.planes().unwrap()).unwrap();
    let layers = LayersEvaluator::new(weights, architecture, "test", options).unwrap();
    check_evaluator(weights, &layers);
}

fn check_evaluator(weights: &Weights, evaluator: &dyn Evaluator) {
    let what = format!("{}\n{}", evaluator.describe(), weights.spec.to_toml().unwrap());
    let games = games();
    let plain = evaluate(&ReferenceNetwork::new(weights).unwrap(), &games);
    evaluate(evaluator, &games).iter().zip(&plain).for_each(|(fast, plain)| close(fast, plain, &what));
}

pub(crate) fn specs() -> impl Strategy<Value = Spec> {
    let encodings = (
        prop_oneof![Just("tabiya"), Just("lc0-112"), Just("lc0-112-fill-no"), Just("lc0-112-fill-always")],
        prop_oneof![Just("lc0-1858"), Just("uci-1968"), Just("from-to-4096")],
        prop_oneof![Just(Stem::Convolution), Just(Stem::Pointwise)],
    );
    let unit = prop_oneof![
        Just(SqueezeExcite::default()),
        Just(SqueezeExcite { ratio: 4, ..SqueezeExcite::default() }),
        // A number that no ratio gives.
        Just(SqueezeExcite { hidden: Some(11), ..SqueezeExcite::default() }),
        Just(SqueezeExcite { ratio: 2, blocks: Some(vec![1]), ..SqueezeExcite::default() }),
    ];
    let policy = prop_oneof![
        Just(PolicyHead::Pointwise {}),
        Just(PolicyHead::Convolution { channels: None }),
        Just(PolicyHead::Convolution { channels: Some(7) }),
        Just(PolicyHead::Dense { channels: 3 }),
    ];
    let activation = prop_oneof![Just(Activation::Relu), Just(Activation::Mish), Just(Activation::Swish)];
    let value = prop_oneof![Just(ValueKind::Wdl), Just(ValueKind::Scalar)]
        .prop_map(|kind| ValueHead { kind, body: HeadBody::Pooled { channels: 3, hidden: 11 } });
    let moves_left = any::<bool>().prop_map(|head| head.then_some(MovesLeftHead { channels: 2, hidden: 5 }));
    (encodings, 0_usize..3, 12_usize..20, unit, activation, (policy, value, moves_left)).prop_map(
        |((input, moves, stem), blocks, channels, unit, activation, (policy, value, moves_left))| {
            // A unit in the second block needs a second block, and a unit anywhere needs at least one block.
            let blocks = if unit.blocks.is_some() { 2 } else { blocks };
            let squeeze_excite = if blocks == 0 { SqueezeExcite::default() } else { unit };
            let (input, moves) = (input.into(), moves.into());
            let channels = channels / squeeze_excite.ratio.max(1) * squeeze_excite.ratio.max(1);
            let body = Body::Tower(Tower { stem, blocks, channels, squeeze_excite });
            Spec::Planes(PlaneSpec { input, moves, numbers: 0, body, activation, policy, value, moves_left })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn towers_answer_as_plain_loops_do(spec in specs(), seed in any::<u64>()) {
        check_against_plain_loops(&random_weights(spec, seed));
    }
}

#[test]
fn the_bundled_network_answers_as_plain_loops_do() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../nets/cnn.tabiya");
    let weights = Weights::read(&path).unwrap();
    check_against_plain_loops(&weights);
    let answers = evaluate(&ReferenceNetwork::new(&weights).unwrap(), &games());
    let differ = answers.windows(2).any(|pair| (pair[0].wdl.win - pair[1].wdl.win).abs() > 1e-2);
    assert!(differ, "a network that says the same about every position hides every mistake");
}
