//! Compares networks on the kernels with the same networks in plain loops.

use chess::{Evaluator, Game, Move};

use super::*;
use crate::{
    Provenance, Spec, architecture::Architecture, synthetic, tests::reference::ReferenceNetwork,
    weights::layers_tests::random_weights,
};

/// Sums of a few hundred products in a different order.
const TOLERANCE: f32 = 1e-5;

const SMALL: &str = "blocks = 2\nchannels = 32\nsqueeze_excite = { ratio = 4, blocks = [1] }";

/// Together these cover every head, encoding and activation.
const SPECS: [&str; 5] = [
    SMALL,
    "blocks = 4\nchannels = 48\nsqueeze_excite = { ratio = 8 }\npolicy = { kind = \"convolution\" }",
    "input = \"lc0-112\"\nmoves = \"uci-1968\"\nblocks = 1\nchannels = 40\nactivation = \"swish\"\n\
     policy = { kind = \"convolution\" }",
    "moves = \"from-to-4096\"\nstem = \"pointwise\"\nblocks = 1\nchannels = 16\nactivation = \"mish\"\n\
     policy = { kind = \"dense\", channels = 4 }\nvalue = { kind = \"scalar\" }",
    "blocks = 0\nchannels = 7\npolicy = { kind = \"dense\", channels = 3 }",
];

fn weights(text: &str, seed: u64) -> Weights {
    random_weights(Spec::from_toml(text).unwrap(), seed)
}

pub(super) fn small_weights(seed: u64) -> Weights {
    weights(SMALL, seed)
}

fn on(isa: Isa, precision: Precision) -> CpuOptions {
    CpuOptions { isa: Some(isa), precision: Some(precision) }
}

#[test]
fn an_evaluation_depends_on_the_positions_that_the_encoding_sees() {
    for text in SPECS {
        let weights = weights(text, 3);
        let quick = CpuNetwork::from_weights(&weights, on(Isa::Portable, Precision::F32)).unwrap();
        let seen = weights.spec.planes().unwrap().input_encoding().unwrap().history();
        assert_eq!(quick.history(), seen, "{text}: a search remembers evaluations by it");
    }
}

fn evaluate(evaluator: &dyn Evaluator, games: &[Game]) -> Vec<Evaluation> {
    let moves: Vec<Vec<Move>> = games.iter().map(|game| game.legal_moves().to_vec()).collect();
    let requests: Vec<_> =
        games.iter().zip(&moves).map(|(game, legal_moves)| EvaluationRequest { game, legal_moves }).collect();
    evaluator.evaluate(&requests).unwrap()
}

fn largest_difference(left: &[Evaluation], right: &[Evaluation]) -> f32 {
    let numbers = |evaluation: &Evaluation| {
        let wdl = evaluation.wdl;
        let mut all = evaluation.priors.clone();
        all.extend([wdl.win, wdl.draw, wdl.loss]);
        all
    };
    assert_eq!(left.len(), right.len());
    let pairs = left.iter().zip(right).flat_map(|(left, right)| {
        let (left, right) = (numbers(left), numbers(right));
        assert_eq!(left.len(), right.len());
        left.into_iter().zip(right)
    });
    pairs.map(|(left, right)| (left - right).abs()).fold(0.0, f32::max)
}

#[test]
fn answers_are_those_of_plain_loops() {
    let games = synthetic::positions(19, 5);
    for text in SPECS {
        let weights = weights(text, 2);
        let plain = evaluate(&ReferenceNetwork::new(&weights).unwrap(), &games);
        for isa in Isa::available() {
            let network = CpuNetwork::from_weights(&weights, on(isa, Precision::F32)).unwrap();
            let difference = largest_difference(&evaluate(&network, &games), &plain);
            assert!(difference < TOLERANCE, "{isa}: {difference} in\n{text}");
        }
    }
}

#[test]
fn the_laws_of_evaluators_hold_exactly() {
    let games = synthetic::positions(21, 9);
    for text in SPECS {
        let weights = weights(text, 3);
        // lc0 has a plane for the colour to move.
        let has_no_colour =
            weights.spec.planes().unwrap().input_encoding().unwrap().colour_planes().is_empty();
        let check = |network: &dyn Evaluator, games: &[Game]| {
            // The order of the legal moves determines the order of one sum; nothing else may change the result.
            chess::laws::evaluator::check(network, games, 1e-6);
            if has_no_colour {
                chess::laws::evaluator::sees_sides_alike(network, games, 1e-6);
            }
        };
        for isa in Isa::available() {
            check(&CpuNetwork::from_weights(&weights, on(isa, Precision::F32)).unwrap(), &games);
        }
        let architecture = PlaneArchitecture::new(weights.spec.planes().unwrap()).unwrap();
        let options = on(Isa::Portable, Precision::F32);
        let layers = LayersEvaluator::new(&weights, architecture, "test", options).unwrap();
        check(&layers, &games[..5]);
        check(&ReferenceNetwork::new(&weights).unwrap(), &games[..5]);
    }
}

#[test]
fn sixteen_bits_are_close() {
    let games = synthetic::positions(30, 6);
    let weights = weights(SPECS[1], 4);
    let exact =
        evaluate(&CpuNetwork::from_weights(&weights, on(Isa::Portable, Precision::F32)).unwrap(), &games);
    for isa in Isa::available().into_iter().filter(|isa| isa.precisions().contains(&Precision::Bf16)) {
        let network = CpuNetwork::from_weights(&weights, on(isa, Precision::Bf16)).unwrap();
        let difference = largest_difference(&evaluate(&network, &games), &exact);
        assert!(difference < 0.01, "{isa}: {difference}");
    }
}

/// An attention body with smolgen and the heads of lc0.
const ATTENTION: &str = r#"
    policy = { kind = "attention", depth = 32 }
    body = [
        { kind = "convolution", channels = 48, size = 1 },
        { kind = "encoder", heads = 4, hidden = 64, repeat = 2, smolgen = { channels = 8, hidden = 32, size = 16 } },
    ]
"#;

/// Isas that multiply eight-bit integers.
fn eight_bit_isas() -> impl Iterator<Item = Isa> {
    Isa::available().into_iter().filter(|isa| isa.precisions().contains(&Precision::Int8))
}

fn layers(weights: &Weights, options: CpuOptions) -> Result<LayersEvaluator, NetworkError> {
    let architecture = PlaneArchitecture::new(weights.spec.planes().unwrap()).unwrap();
    LayersEvaluator::new(weights, architecture, "test", options)
}

#[test]
fn eight_bits_of_a_list_are_close_without_a_calibration() {
    let games = synthetic::positions(30, 6);
    let weights = weights(ATTENTION, 4);
    let exact = evaluate(&layers(&weights, on(Isa::Portable, Precision::F32)).unwrap(), &games);
    for isa in eight_bit_isas() {
        let network = layers(&weights, on(isa, Precision::Int8)).unwrap();
        let difference = largest_difference(&evaluate(&network, &games), &exact);
        assert!(difference > 1e-6 && difference < 0.03, "{isa}: {difference}");
        chess::laws::evaluator::check(&network, &games[..5], 1e-6);
    }
}

#[test]
fn the_description_of_a_list_says_which_part_is_in_eight_bits() {
    let weights = weights(ATTENTION, 4);
    let description = layers(&weights, on(Isa::Portable, Precision::Int8)).unwrap().describe();
    let part = "int8 on cpu (portable, 20 of 27 layers with weights and ";
    assert!(description.contains(part) && description.ends_with("layer by layer)"), "{description}");
    let description = layers(&weights, on(Isa::Portable, Precision::F32)).unwrap().describe();
    assert!(description.ends_with("f32 on cpu (portable, layer by layer)"), "{description}");
}

#[test]
fn a_precision_that_a_list_does_not_have_is_an_error() {
    let refused = |text: &str, precision| {
        layers(&weights(text, 1), on(Isa::Portable, precision)).err().unwrap().to_string()
    };
    let message = refused(ATTENTION, Precision::Bf16);
    assert_eq!(message, "precision bf16: the network plays in f32 and int8 only: test (use precision f32)");
    let narrow = "blocks = 0\nchannels = 7\npolicy = { kind = \"convolution\" }\n\
                  value = { channels = 1, hidden = 8 }";
    let message = refused(narrow, Precision::Int8);
    assert_eq!(message, "precision int8: the network plays in f32 only: test (use precision f32)");
}

#[test]
fn threads_evaluate_side_by_side() {
    let games = synthetic::positions(16, 8);
    let network = CpuNetwork::from_weights(&small_weights(1), CpuOptions::default()).unwrap();
    let expected = evaluate(&network, &games);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    assert_eq!(evaluate(&network, &games), expected);
                }
            });
        }
    });
}

#[test]
fn the_description_names_shape_precision_and_instruction_set() {
    let network = CpuNetwork::from_weights(&small_weights(1), on(Isa::Portable, Precision::Bf16)).unwrap();
    assert!(network.describe().contains("2x32 bf16 on cpu (portable"), "{}", network.describe());
}

#[test]
fn what_the_machine_lacks_is_an_error() {
    let eight = CpuNetwork::from_weights(&small_weights(1), on(Isa::Portable, Precision::Int8))
        .unwrap_err()
        .to_string();
    assert!(eight.contains("no calibration"), "{eight}");
    for isa in kernels::ISAS.iter().filter(|isa| isa.check().is_err()) {
        let error =
            CpuNetwork::from_weights(&small_weights(1), on(*isa, Precision::F32)).unwrap_err().to_string();
        assert!(error.starts_with(&format!("instruction set {isa} cannot be used")), "{error}");
    }
}

#[test]
fn weights_that_overflow_are_refused_when_the_network_is_opened() {
    let spec = Spec::from_toml(SMALL).unwrap();
    let architecture = Architecture::new(&spec).unwrap();
    let (mut parameters, statistics) = weights(SMALL, 3).values();
    let tower = architecture.planes().unwrap().tower().unwrap();
    for layer in [tower.policy_last, tower.value.last] {
        parameters[layer.weight].fill(f32::MAX);
    }
    let overflowing = Weights::new(&architecture, &parameters, &statistics, Provenance::default());
    for isa in Isa::available() {
        let error = CpuNetwork::from_weights(&overflowing, on(isa, Precision::F32)).unwrap_err().to_string();
        assert!(error.contains("is not finite") && error.contains("rnbqkbnr/pppppppp"), "{isa}: {error}");
    }
}
