pub(crate) mod reference;

use chess::{CastlingMode, Chess, EvaluationRequest, Evaluator, Game, Position, laws};
use proptest::{prelude::any, proptest};

use self::reference::SparseReference;
use super::*;
use crate::{
    CpuOptions, Precision, Provenance, Spec, Weights, architecture::Architecture, passes::Parameters,
    synthetic,
};

/// Small specifications that together cover every part.
pub(super) const SPECS: [&str; 4] = [
    "features = \"threats\"\nwidth = 128",
    "features = \"threats-kings\"\nwidth = 192\npolicy_features = \"attacks\"\npolicy_width = 64\nhidden = [8]\nbuckets = 3",
    "features = \"pieces\"\nwidth = 64\nclipping = \"squared\"\nhidden = [16, 32, 8]",
    "features = \"threats\"\nwidth = 64\nstatic_value = true",
];

pub(super) fn spec(text: &str) -> Spec {
    Spec::from_toml(&format!("kind = \"sparse\"\n{text}")).unwrap()
}

/// A network with sums that are clipped on both sides, and with outputs, initially near zero, that differ from position to
/// position.
pub(super) fn weights(spec: &Spec, seed: u64) -> Weights {
    let architecture = Architecture::new(spec).unwrap();
    let mut parameters: Parameters = architecture.initial_parameters(seed).unwrap();
    let last = architecture.sparse().unwrap().layers.last().unwrap().weight;
    for value in &mut parameters[last] {
        *value *= 10.0;
    }
    let provenance = Provenance { name: "sample".into(), ..Provenance::default() };
    Weights::new(&architecture, &parameters, &Parameters::new(), provenance)
}

#[test]
fn parameters_have_names_of_their_own_and_the_shapes_of_the_table() {
    let spec = spec(SPECS[1]);
    let architecture = Architecture::new(&spec).unwrap();
    let shapes: Vec<(&str, [usize; 2])> = architecture
        .parameters()
        .iter()
        .map(|shape| (shape.name.as_str(), [shape.rows, shape.columns]))
        .collect();
    let expected = [
        ("value.table.weight", [24_576, 192]),
        ("value.table.bias", [1, 192]),
        ("value.direct", [24_576, 1]),
        ("value.layer0.weight", [3 * 8, 96]),
        ("value.layer0.bias", [3, 8]),
        ("value.layer1.weight", [3 * 3, 8]),
        ("value.layer1.bias", [3, 3]),
        ("policy.table.weight", [3072, 64]),
        ("policy.table.bias", [1, 64]),
        ("policy.moves.weight", [7752, 32]),
        ("policy.moves.bias", [7752, 1]),
        ("policy.kinds.weight", [144, 32]),
        ("policy.kinds.bias", [144, 1]),
    ];
    assert_eq!(shapes, expected);
    let sparse = architecture.sparse().unwrap();
    let name = |parameter: usize| shapes[parameter].0;
    assert_eq!(name(sparse.direct), "value.direct");
    assert_eq!(name(sparse.layers[1].bias), "value.layer1.bias");
    assert_eq!(name(sparse.policy_table.unwrap().weight), "policy.table.weight");
    assert_eq!(
        (name(sparse.moves.weight), name(sparse.kinds.bias)),
        ("policy.moves.weight", "policy.kinds.bias")
    );
}

#[test]
fn layers_start_at_a_deviation_set_by_their_inputs() {
    let architecture = Architecture::new(&spec(SPECS[2])).unwrap();
    let parameters = architecture.initial_parameters(1).unwrap();
    let layers = &architecture.sparse().unwrap().layers;
    // Squaring the sums keeps the width; the rows of a matrix are the outputs of all copies of the layer.
    for (layer, inputs) in layers[..3].iter().zip([64.0_f32, 16.0, 32.0]) {
        let values = &parameters[layer.weight];
        let deviation = (values.iter().map(|value| value * value).sum::<f32>() / values.len() as f32).sqrt();
        let expected = (2.0 / inputs).sqrt();
        assert!((deviation / expected - 1.0).abs() < 0.1, "{deviation} for {expected}");
    }
}

#[test]
fn a_file_keeps_the_rounded_network_and_is_small() {
    for text in SPECS {
        let written = weights(&spec(text), 3);
        let bytes = written.to_bytes().unwrap();
        let read = Weights::from_bytes(&bytes, "net.tabiya").unwrap();
        assert_eq!((&read.spec, &read.provenance), (&written.spec, &written.provenance));
        assert_eq!(read.to_bytes().unwrap(), bytes, "rounding twice changes nothing");
        assert!(bytes.len() < written.parameter_count() * 5 / 4, "{} bytes", bytes.len());
        for (before, after) in written.values().0.iter().flatten().zip(read.values().0.iter().flatten()) {
            assert!((before - after).abs() <= 1.0 / 256.0, "{before} {after}");
        }
    }
}

#[test]
fn damaged_files_are_refused_with_the_matrix() {
    let bytes = weights(&spec(SPECS[0]), 3).to_bytes().unwrap();
    let renamed = |from: &str, to: &str| {
        let mut bytes = bytes.clone();
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        Weights::from_bytes(&bytes, "net.tabiya").unwrap_err().to_string()
    };
    let message = renamed("policy.moves.weight.step", "policy.moves.weight.stop");
    assert!(message.contains("tensor `policy.moves.weight`: found I8 without steps"), "{message}");
    let message = renamed("value.direct", "value.indire");
    assert!(message.contains("matrix `value.direct`: found nothing"), "{message}");
    let message = renamed("width = 128", "width = 192");
    assert!(message.contains("found [12288, 128], expected [12288, 192]"), "{message}");
    let message = renamed("width = 128", "width = 120");
    assert!(message.contains("net.tabiya: width = 120: expected a multiple of 64"), "{message}");
    assert!(Weights::from_bytes(&bytes[..bytes.len() - 1], "net.tabiya").is_err());
}

proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(40))]

    /// Any damage results in an error or a different network, never in a panic.
    #[test]
    fn a_file_with_any_damage_is_read_or_refused(at in any::<proptest::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        static BYTES: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let mut bytes = BYTES.get_or_init(|| weights(&spec(SPECS[2]), 5).to_bytes().unwrap()).clone();
        // Damage the header half of the time, because the weights are most of the file.
        let at = if cut { at.index(bytes.len()) } else { at.index(3000) };
        bytes[at] = byte;
        if cut {
            bytes.truncate(at);
        }
        drop(Weights::from_bytes(&bytes, "net.tabiya"));
    }
}

#[test]
fn the_reference_is_an_evaluator_and_sees_both_sides_alike() {
    let games = laws::sample_games(51, 40);
    for text in SPECS {
        let network = SparseReference::new(&weights(&spec(text), 7)).unwrap();
        laws::evaluator::check(&network, &games, 1e-6);
        laws::evaluator::sees_sides_alike(&network, &games, 1e-4);
        for game in games.iter().filter(|game| !game.legal_moves().is_empty()) {
            let flipped = laws::colour_flipped(game);
            let [own, other] = [game, &flipped].map(|game| network.value_logits(game.position()));
            // Features are in a different order.
            assert!(
                own.iter().zip(other).all(|(own, other)| (own - other).abs() < 1e-4),
                "{own:?} {other:?}"
            );
        }
    }
}

/// A network small enough to compute every number by hand.
#[test]
fn the_parts_add_up_as_described() {
    let spec = spec("features = \"pieces\"\nwidth = 64\nhidden = [1]\nbuckets = 2");
    let architecture = Architecture::new(&spec).unwrap();
    let sparse = architecture.sparse().unwrap();
    let zeros = architecture.parameters().iter().map(|shape| vec![0.0; shape.rows * shape.columns]);
    let mut parameters: Parameters = zeros.collect();
    // In the starting position, the own king on e1 is mirrored to d1: feature 5 * 64 + 3.
    let king = 5 * 64 + 3;
    parameters[sparse.table.weight][king * 64] = 0.5;
    parameters[sparse.table.weight][king * 64 + 32] = 3.0;
    parameters[sparse.table.bias][0] = 0.25;
    parameters[sparse.direct][king] = 0.125;
    // Bucket 1: unit 0 is 0.75 * 1, the layer's sum is 0.25 + 0.5 * 0.75 = 0.625, and its unit is the square of that.
    let layers = &sparse.layers;
    parameters[layers[0].weight][32] = 0.5;
    parameters[layers[0].bias][1] = 0.25;
    parameters[layers[1].weight][3] = 2.0;
    parameters[layers[1].bias][4] = 0.3;
    let rows = chess::encoding::policy_rows::PolicyRows::new(&Chess::default());
    let moves = Game::default().legal_moves();
    let (row, kind) = rows.of(moves[0]);
    parameters[sparse.moves.weight][usize::from(row) * 32] = 4.0;
    parameters[sparse.moves.bias][usize::from(row)] = 0.5;
    parameters[sparse.kinds.weight][usize::from(kind) * 32] = 1.0;
    let provenance = Provenance { name: "hand".into(), ..Provenance::default() };
    let weights = Weights::new(&architecture, &parameters, &Parameters::new(), provenance);
    let network = SparseReference::new(&weights).unwrap();
    let position = Chess::default();
    assert_eq!(position.board().occupied().count(), 32);
    assert_eq!(network.value_logits(&position), [2.0 * 0.625 * 0.625 + 0.125, 0.3, -0.125]);
    assert_eq!(network.move_logits(&position, &moves[..1]), [0.75 * 4.0 + 0.5 + 0.75]);
}

#[test]
fn what_needs_planes_says_so() {
    let weights = weights(&spec(SPECS[0]), 1);
    let expected = "found a sparse network of the features `threats`, expected a network that reads planes";
    assert_eq!(weights.plan().unwrap_err().to_string(), expected);
    assert_eq!(crate::planes::onnx::to_bytes(&weights).unwrap_err().to_string(), expected);
    assert_eq!(crate::tests::reference::ReferenceNetwork::new(&weights).unwrap_err().to_string(), expected);
    let planes = synthetic::tiny_spec();
    let planes = Weights::new(
        &Architecture::new(&planes).unwrap(),
        &Architecture::new(&planes).unwrap().initial_parameters(1).unwrap(),
        &Parameters::new(),
        Provenance::default(),
    );
    assert!(SparseReference::new(&planes).unwrap_err().to_string().contains("expected a sparse network"));
}

/// The largest allowed difference of a probability from the reference on the networks of these tests; the kernels have their
/// own bound for logits.
const BOUND: f32 = 0.02;

#[test]
fn the_kernels_obey_the_laws_and_agree_with_the_reference() {
    let games = laws::sample_games(52, 80);
    let live: Vec<&Game> = games.iter().filter(|game| !game.legal_moves().is_empty()).collect();
    for text in SPECS {
        let weights = weights(&spec(text), 11);
        let reference = SparseReference::new(&weights).unwrap();
        let evaluator = SparseEvaluator::from_weights(&weights, CpuOptions::default()).unwrap();
        laws::evaluator::check(&evaluator, &games, 1e-6);
        laws::evaluator::sees_sides_alike(&evaluator, &games, 1e-4);
        for game in &live {
            let moves = game.legal_moves();
            let request = EvaluationRequest { game, legal_moves: &moves };
            let [mut found, expected] = [evaluator.evaluate(&[request]), reference.evaluate(&[request])]
                .map(|all| all.unwrap().remove(0));
            found.wdl = evaluator.position_evaluator().unwrap().static_value(game.position());
            let far = |found: f32, expected: f32| (found - expected).abs() > BOUND;
            assert!(
                !far(found.wdl.win, expected.wdl.win) && !far(found.wdl.loss, expected.wdl.loss),
                "{text}: {found:?} {expected:?}"
            );
            let priors = found.priors.iter().zip(&expected.priors);
            assert!(
                !priors.clone().any(|(found, expected)| far(*found, *expected)),
                "{text}: {found:?} {expected:?}"
            );
        }
    }
}

#[test]
fn a_static_value_is_given_after_the_captures_that_are_pending() {
    let weights = weights(&spec(SPECS[3]), 3);
    let evaluator = SparseEvaluator::from_weights(&weights, CpuOptions::default()).unwrap();
    let mut positions = evaluator.position_evaluator().unwrap();
    let game = |fen: &str| Game::from_fen(fen, CastlingMode::Standard).unwrap();
    let quiet = game("4k3/pp6/8/8/8/8/PP6/4K3 w - - 0 1");
    assert_eq!(positions.value(quiet.position()), positions.static_value(quiet.position()));
    // One capture, which does not lose material: the result is the better of the value here and the negated value after the
    // capture.
    let pending = game("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1");
    let mut after = pending.clone();
    after.play_uci("e4d5").unwrap();
    let standing = positions.static_value(pending.position()).value();
    let captured = -positions.static_value(after.position()).value();
    let value = positions.value(pending.position()).value();
    assert!((value - standing.max(captured)).abs() < 2e-3, "{value} of {standing} and {captured}");
    // In check the static value is not used: the best evasion counts.
    let check = game("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1");
    assert_eq!(check.legal_moves().len(), 3);
    let evasions = check.legal_moves().into_iter().map(|evasion| {
        let mut after = check.clone();
        after.play(evasion).unwrap();
        -positions.value(after.position()).value()
    });
    let best = evasions.fold(f32::MIN, f32::max);
    let value = positions.value(check.position()).value();
    assert!((value - best).abs() < 2e-3, "{value} {best}");
}

#[test]
fn what_a_sparse_network_cannot_do_is_refused_in_a_sentence() {
    let weights = weights(&spec(SPECS[2]), 1);
    let open = |options| crate::evaluator::from_bytes(&weights.to_bytes().unwrap(), options);
    assert!(open(CpuOptions::default()).unwrap().describe().contains("sparse-pieces-64 int8 on cpu"));
    let options = CpuOptions { precision: Some(Precision::Bf16), isa: None };
    let message = open(options).err().unwrap().to_string();
    assert_eq!(message, "precision bf16: a sparse network plays in int8 only (leave precision out)");
}
