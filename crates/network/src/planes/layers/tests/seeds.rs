//! The networks of the five student projects, with exact parameter counts.

use super::{
    check_answers, exact, kernels,
    plain::{PlainMode, forward},
};
use crate::{
    Spec,
    architecture::PlaneArchitecture,
    passes::{Forward, NormStatistics},
    planes::layers::LayerList,
    synthetic,
    weights::layers_tests::random_weights,
};

/// The number of trained parameters and of running statistics of a network, for the given numbers of planes and moves.
fn counts(text: &str, (channels, moves): (usize, usize)) -> (usize, usize) {
    let spec: Spec = toml::from_str(text).unwrap();
    let list = LayerList::of_sizes(spec.planes().unwrap(), channels, moves, "seed")
        .unwrap_or_else(|error| panic!("{error}"));
    let parameters = list.parameters.iter().map(|shape| shape.rows * shape.columns).sum();
    (parameters, list.statistics.iter().map(|shape| 2 * shape.channels).sum())
}

/// AIChess: ten blocks, convolutions without bias.
const AICHESS: &str = "blocks = 10\nchannels = 128\npolicy = { kind = \"dense\", channels = 32 }\n\
                       value = { kind = \"scalar\", channels = 16, hidden = 256 }";

/// Chess MLX CNN: five blocks, convolutions with bias.
const MLX: &str = r#"
body = [
    { kind = "convolution", channels = 128 }, { kind = "batch-norm" }, { kind = "activation" },
    { kind = "residual", repeat = 5, layers = [
        { kind = "convolution", channels = 128 }, { kind = "batch-norm" }, { kind = "activation" },
        { kind = "convolution", channels = 128 }, { kind = "batch-norm" },
    ] },
]
[policy]
kind = "layers"
layers = [{ kind = "convolution", channels = 32, size = 1 }, { kind = "batch-norm" }, { kind = "activation" }]
[value]
kind = "scalar"
layers = [
    { kind = "convolution", channels = 3, size = 1 }, { kind = "batch-norm" }, { kind = "activation" }, { kind = "flatten" },
    { kind = "dense", units = 64 }, { kind = "activation" },
]
"#;

/// COGS188: the saved model, in which the skip connection of the second residual pair starts before the first pair.
const COGS188_SAVED: &str = r#"
policy = { kind = "none" }
body = [
    { kind = "convolution", channels = 64 }, { kind = "batch-norm" }, { kind = "activation" },
    { kind = "convolution", channels = 64 }, { kind = "batch-norm" }, { kind = "activation", name = "stage-1" },
    { kind = "residual", layers = [
        { kind = "convolution", channels = 64 }, { kind = "batch-norm" }, { kind = "activation" },
        { kind = "convolution", channels = 64 }, { kind = "batch-norm" },
    ] },
    { kind = "convolution", channels = 128 }, { kind = "batch-norm" }, { kind = "activation" },
    { kind = "convolution", channels = 128 }, { kind = "batch-norm" }, { kind = "activation" },
    { kind = "residual", from = "stage-1", projection = true, layers = [
        { kind = "convolution", channels = 128 }, { kind = "batch-norm" }, { kind = "activation" },
        { kind = "convolution", channels = 128 }, { kind = "batch-norm" },
    ] },
    { kind = "convolution", channels = 256 }, { kind = "batch-norm" }, { kind = "activation" },
    { kind = "pool", method = "average" },
]
[value]
kind = "pawns"
limit = 10.0
squash = true
layers = [
    { kind = "dense", units = 512 }, { kind = "activation" }, { kind = "dropout", rate = 0.3 },
    { kind = "dense", units = 256 }, { kind = "activation" }, { kind = "dropout", rate = 0.3 },
]
"#;

/// COGS188: the report's code, with normalisation after the activation.
const COGS188_REPORT: &str = r#"
policy = { kind = "none" }
body = [
    { kind = "convolution", channels = 64 }, { kind = "activation" }, { kind = "batch-norm" },
    { kind = "convolution", channels = 64 }, { kind = "activation" }, { kind = "batch-norm" },
    { kind = "convolution", channels = 128 }, { kind = "activation" }, { kind = "batch-norm" },
    { kind = "convolution", channels = 128 }, { kind = "activation" }, { kind = "batch-norm" },
    { kind = "convolution", channels = 256 }, { kind = "activation" }, { kind = "batch-norm" },
    { kind = "flatten" },
]
[value]
kind = "pawns"
limit = 10.0
squash = true
layers = [
    { kind = "dense", units = 512 }, { kind = "activation" }, { kind = "dropout", rate = 0.3 },
    { kind = "dense", units = 256 }, { kind = "activation" }, { kind = "dropout", rate = 0.3 },
]
"#;

/// Knights and Kernels: the last network, with ten counts in addition to the planes.
const KNIGHTS_LAST: &str = r#"
numbers = 10
activation = "leaky-relu"
policy = { kind = "none" }
value = { kind = "pawns", limit = 9.0, layers = [{ kind = "dense", units = 256 }, { kind = "activation" }] }
body = [
    { kind = "convolution", channels = 16, size = 5, padding = 1 }, { kind = "activation" },
    { kind = "convolution", channels = 24 }, { kind = "activation" }, { kind = "flatten" }, { kind = "numbers" },
]
"#;

/// Knights and Kernels: the report's network.
const KNIGHTS_REPORT: &str = r#"
activation = "leaky-relu"
policy = { kind = "none" }
value = { kind = "pawns", limit = 9.0, layers = [{ kind = "dense", units = 384 }, { kind = "activation" }] }
body = [
    { kind = "convolution", channels = 16, size = 5, padding = 1 }, { kind = "activation" },
    { kind = "convolution", channels = 30 }, { kind = "activation" }, { kind = "flatten" },
]
"#;

/// Catfish V1: convolutions to 3 channels of 4x4 squares, then ResNet-50 and two dense layers.
const CATFISH: &str = r#"
policy = { kind = "none" }
body = [
    { kind = "convolution", channels = 512 }, { kind = "batch-norm" }, { kind = "activation" },
    { kind = "convolution", channels = 512 }, { kind = "batch-norm" }, { kind = "activation" },
    { kind = "convolution", channels = 512, padding = 0 }, { kind = "batch-norm" }, { kind = "activation" },
    { kind = "convolution", channels = 3, padding = 0 }, { kind = "batch-norm" }, { kind = "activation" },
    { kind = "convolution", channels = 64, size = 7, stride = 2, bias = false }, { kind = "batch-norm" }, { kind = "activation" },
    { kind = "pool", method = "max", size = 3, stride = 2, padding = 1 },
    { kind = "bottleneck", channels = 64, repeat = 3 },
    { kind = "bottleneck", channels = 128, stride = 2, repeat = 4 },
    { kind = "bottleneck", channels = 256, stride = 2, repeat = 6 },
    { kind = "bottleneck", channels = 512, stride = 2, repeat = 3 },
    { kind = "pool", method = "average" },
    { kind = "dense", units = 1000 }, { kind = "activation" }, { kind = "batch-norm" }, { kind = "dropout", rate = 0.3 },
    { kind = "dense", units = 512 }, { kind = "batch-norm" }, { kind = "activation" }, { kind = "dropout", rate = 0.3 },
]
[value]
kind = "scalar"
layers = []
"#;

/// Parameters of ResNet-50 with its 1,000 outputs, as counted by torchvision.
const RESNET_50: usize = 25_557_032;

#[test]
fn aichess_has_7_270_801_parameters() {
    assert_eq!(counts(AICHESS, (13, 1968)).0, 7_270_801);
}

#[test]
fn mlx_has_9_904_618_parameters() {
    assert_eq!(counts(MLX, (14, 4096)).0, 9_904_618);
}

/// Keras counts running statistics as non-trainable parameters.
#[test]
fn cogs188_has_1_206_273_and_9_084_929_parameters() {
    let (trained, statistics) = counts(COGS188_SAVED, (14, 4096));
    assert_eq!((trained, trained + statistics), (1_204_225, 1_206_273));
    let (trained, statistics) = counts(COGS188_REPORT, (14, 4096));
    assert_eq!(trained + statistics, 9_084_929);
}

#[test]
fn knights_and_kernels_has_230_153_and_422_255_parameters() {
    assert_eq!(counts(KNIGHTS_LAST, (16, 4096)), (230_153, 0));
    assert_eq!(counts(KNIGHTS_REPORT, (6, 4096)), (422_255, 0));
}

/// About 30.87 million, the precision of the published sheet; ResNet-50 has 25.56 million of them.
#[test]
fn catfish_has_30_87_million_parameters() {
    let found = counts(CATFISH, (12, 4096)).0;
    // Before it, four convolutions with bias and normalisation; after it, normalisation, dense, normalisation and
    // dense.
    let before = 9 * 512 * (12 + 512 + 512) + 3 * 512 + 9 * 512 * 3 + 3 + 2 * (3 * 512 + 3);
    let after = 2 * 1000 + 1000 * 512 + 512 + 2 * 512 + 512 + 1;
    assert_eq!(found, before + RESNET_50 + after);
    assert_eq!((found + 5_000) / 10_000, 3087);
}

/// Of a network's parameters before its heads, the fraction in layers whose output is a whole board, and the fraction in layers
/// whose output is one square.
fn shares(text: &str) -> [f64; 2] {
    let spec: Spec = toml::from_str(text).unwrap();
    let list = LayerList::of_sizes(spec.planes().unwrap(), 12, 4096, "seed")
        .unwrap_or_else(|error| panic!("{error}"));
    let body = list.layers.iter().take(list.trunk + 1 - list.inputs.len());
    let sized: Vec<(usize, usize)> = body
        .map(|layer| {
            let parameters = &list.parameters[layer.parameters.clone()];
            let count = parameters.iter().map(|shape| shape.rows * shape.columns).sum();
            (layer.shape.squares(), count)
        })
        .collect();
    let of =
        |squares: usize| sized.iter().filter(|layer| layer.0 == squares).map(|layer| layer.1).sum::<usize>();
    let all = sized.iter().map(|layer| layer.1).sum::<usize>() as f64;
    [64, 1].map(|squares| of(squares) as f64 / all)
}

/// The stem of Catfish's ResNet-50 reduces a map of 4x4 to one square, so most of the network has no spatial
/// information. The tests reproduce it; towers of this program cannot be written like that.
#[test]
fn s2_k3_towers_keep_the_board_where_catfish_keeps_one_square() {
    let [board, square] = shares(CATFISH);
    assert!(board < 0.1 && square > 0.8, "{board} {square}");
    for tower in ["blocks = 6\nchannels = 64", AICHESS, "blocks = 2\nchannels = 16\nstem = \"pointwise\""] {
        assert_eq!(shares(tower), [1.0, 0.0], "{tower}");
    }
}

/// The students' layers are wider than those of other tests, so all paths over whole vectors run.
#[test]
fn the_kernels_compute_every_seed_as_plain_loops_do() {
    for (text, input) in [
        (AICHESS, "tabiya"),
        (MLX, "tabiya"),
        (COGS188_SAVED, "tabiya"),
        (COGS188_REPORT, "tabiya"),
        (KNIGHTS_LAST, "knights-6-10"),
        (KNIGHTS_REPORT, "tabiya"),
        (CATFISH, "tabiya"),
    ] {
        let spec = Spec::from_toml(&format!("input = {input:?}\n{text}")).unwrap();
        let architecture = PlaneArchitecture::new(spec.planes().unwrap()).unwrap();
        let (parameters, statistics) = random_weights(spec.clone(), 5).values();
        let batch = synthetic::batch(&spec, &synthetic::positions(2, 3), 3);
        let [numbers, stored] = [&parameters, &statistics].map(exact);
        let mode = PlainMode::Play { statistics: &stored };
        let expected = forward(&architecture.list, &numbers, mode, &batch.planes);
        let stored = NormStatistics::Stored(&statistics);
        let found = kernels(&architecture).forward(&parameters, stored, &batch).unwrap();
        check_answers(&architecture, (&found, &batch), &expected, text);
    }
}
