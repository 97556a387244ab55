//! Tests every kind of layer: the kernels against plain loops, their gradients against finite differences, and refusals.

mod gradients;
pub(crate) mod plain;
mod refusals;
mod seeds;

use dataset::Batch;

use crate::{
    Spec, TrainingPrecision,
    architecture::PlaneArchitecture,
    passes::{Forward, NormStatistics, Outputs, Parameters, PlanePasses},
    synthetic,
    weights::layers_tests::{check_against_plain_loops, random_weights},
};

use self::plain::{PlainMode, PlainOutputs, forward};

/// Heads given as lists, a value without a policy, and each kind of layer in at least one network.
pub(crate) const SPECS: [&str; 13] = [
    // Residual towers.
    "blocks = 2\nchannels = 16",
    "blocks = 2\nchannels = 24\nsqueeze_excite = { ratio = 4, blocks = [1] }\npolicy = { kind = \"convolution\" }",
    "blocks = 1\nchannels = 20\nstem = \"pointwise\"\nactivation = \"mish\"\nsqueeze_excite = { ratio = 2 }\n\
     policy = { kind = \"dense\", channels = 4 }\nvalue = { kind = \"scalar\" }",
    "input = \"lc0-112\"\nblocks = 1\nchannels = 16\nactivation = \"swish\"\npolicy = { kind = \"pointwise\" }",
    // Changing sizes, windows, named skip connections with and without projection.
    r#"
    policy = { kind = "layers", layers = [{ kind = "pool", method = "average", size = 2 }] }
    value = { kind = "scalar", layers = [{ kind = "flatten" }, { kind = "dense", units = 5 }, { kind = "activation", function = "tanh" }] }
    [[body]]
    name = "early"
    kind = "convolution"
    channels = 4
    size = 4
    stride = 2
    padding = 1
    [[body]]
    kind = "batch-norm"
    [[body]]
    kind = "activation"
    function = "tanh"
    [[body]]
    kind = "residual"
    from = "early"
    projection = true
    layers = [{ kind = "convolution", channels = 6 }, { kind = "pool", method = "max", size = 3, stride = 1, padding = 1 }]
    [[body]]
    kind = "residual"
    activate = false
    repeat = 2
    layers = [{ kind = "convolution", channels = 6, size = 1 }, { kind = "group-norm", groups = 3 }]
    "#,
    // Channels with several values, extra numbers, pawns, no policy.
    r#"
    input = "knights-6-10"
    numbers = 10
    activation = "leaky-relu"
    policy = { kind = "none" }
    value = { kind = "pawns", limit = 9.0, layers = [] }
    [[body]]
    kind = "convolution"
    channels = 4
    size = 5
    padding = 1
    [[body]]
    kind = "activation"
    [[body]]
    kind = "flatten"
    [[body]]
    kind = "numbers"
    [[body]]
    kind = "dense"
    units = 7
    [[body]]
    kind = "batch-norm"
    [[body]]
    kind = "activation"
    [[body]]
    kind = "dropout"
    rate = 0.3
    "#,
    // Bottleneck blocks, a squeeze-excite unit, pooling over the board, pawns through tanh.
    r#"
    activation = "swish"
    policy = { kind = "none" }
    value = { kind = "pawns", limit = 10.0, squash = true, layers = [{ kind = "dense", units = 4, bias = false }] }
    [[body]]
    kind = "bottleneck"
    channels = 2
    stride = 2
    repeat = 2
    [[body]]
    kind = "squeeze-excite"
    hidden = 3
    [[body]]
    kind = "dropout"
    rate = 0.5
    [[body]]
    kind = "pool"
    method = "average"
    "#,
    // Only a policy; the maximum over the board.
    r#"
    policy = { kind = "layers", layers = [] }
    value = { kind = "none" }
    [[body]]
    kind = "convolution"
    channels = 5
    size = 8
    padding = 0
    bias = false
    [[body]]
    kind = "activation"
    function = "mish"
    [[body]]
    kind = "pool"
    method = "max"
    "#,
    // The usual heads on a list of layers, and heads given as lists on a tower.
    r#"
    policy = { kind = "convolution", channels = 3 }
    value = { kind = "wdl", channels = 2, hidden = 5 }
    body = [{ kind = "convolution", channels = 4, bias = false }, { kind = "activation", function = "leaky-relu" }]
    "#,
    r#"
    blocks = 1
    channels = 6
    squeeze_excite = { ratio = 2 }
    policy = { kind = "layers", layers = [{ kind = "convolution", channels = 2, size = 1 }, { kind = "batch-norm" }] }
    value = { kind = "scalar", layers = [{ kind = "pool", method = "max" }] }
    moves_left = { channels = 2, hidden = 3 }
    "#,
    "blocks = 1\nchannels = 5\nactivation = \"mish\"\nvalue = { channels = 2, hidden = 3 }",
    // An attention body as lc0 has them: dense embedding, gating, smolgen, two encoder layers, scores of moves.
    r#"
    activation = "relu-squared"
    policy = { kind = "attention", depth = 5, layers = [{ kind = "convolution", channels = 4, size = 1 }, { kind = "activation", function = "selu" }] }
    value = { kind = "wdl", layers = [{ kind = "convolution", channels = 2, size = 1 }, { kind = "activation", function = "gelu" }] }
    body = [
        { kind = "dense-embedding", read = 12, channels = 3 }, { kind = "convolution", channels = 6, size = 1 }, { kind = "activation", function = "mish" },
        { kind = "layer-norm", epsilon = 1e-3 }, { kind = "square-affine" },
        { kind = "encoder", heads = 2, hidden = 7, repeat = 2, smolgen = { channels = 2, hidden = 5, size = 3, activation = "swish" } },
    ]
    "#,
    // Attention without smolgen, of another depth, after positions that are only added.
    r#"
    policy = { kind = "none" }
    value = { kind = "scalar", layers = [{ kind = "pool", method = "average" }] }
    body = [
        { kind = "convolution", channels = 5, size = 1 }, { kind = "square-affine", scale = false },
        { kind = "residual", activate = false, layers = [{ kind = "attention", heads = 3, depth = 9 }] }, { kind = "square-affine", shift = false },
    ]
    "#,
];

fn exact(values: &Parameters) -> Vec<Vec<f64>> {
    values.iter().map(|values| values.iter().map(|value| f64::from(*value)).collect()).collect()
}

fn close(found: &[f32], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let far = (f64::from(*found) - expected).abs() > 2e-5 * (1.0 + expected.abs());
        assert!(!far, "{what}: {found} and {expected}");
    }
}

fn kernels(architecture: &PlaneArchitecture) -> PlanePasses {
    PlanePasses::new(architecture, TrainingPrecision::F32).unwrap()
}

#[test]
fn answers_are_those_of_plain_loops_in_play_and_in_training() {
    for text in SPECS {
        let spec = Spec::from_toml(text).unwrap();
        let architecture = PlaneArchitecture::new(spec.planes().unwrap()).unwrap();
        let (parameters, statistics) = random_weights(spec.clone(), 4).values();
        let batch = synthetic::batch(&spec, &synthetic::positions(12, 8), 2);
        let [numbers, stored] = [&parameters, &statistics].map(exact);
        for (statistics, mode) in [
            (NormStatistics::Stored(&statistics), PlainMode::Play { statistics: &stored }),
            (NormStatistics::Batch, PlainMode::Training { noise: None }),
        ] {
            let expected = forward(&architecture.list, &numbers, mode, &batch.planes);
            let found = kernels(&architecture).forward(&parameters, statistics, &batch).unwrap();
            check_answers(&architecture, (&found, &batch), &expected, text);
        }
    }
}

pub(super) fn check_answers(
    architecture: &PlaneArchitecture,
    (found, batch): (&Outputs, &Batch),
    expected: &PlainOutputs,
    what: &str,
) {
    close(&found.values, &expected.value, what);
    for (found, expected) in found.statistics.iter().zip(&expected.statistics) {
        close(found, expected, what);
    }
    let width = architecture.policy_map.width();
    let rows = batch.legal_offsets.windows(2).zip(expected.policy.chunks_exact(width));
    let legal = rows.flat_map(|(pair, row)| {
        let indices = &batch.legal_indices[pair[0] as usize..pair[1] as usize];
        indices.iter().map(|index| row[architecture.policy_map.slot((*index).into()).unwrap() as usize])
    });
    let legal: Vec<f64> = legal.collect();
    if architecture.list.policy.is_some() {
        close(&found.logits, &legal, what);
    } else {
        assert!(found.logits.iter().all(|logit| *logit == 0.0) && found.legal.is_empty());
    }
}

#[test]
fn evaluations_are_those_of_plain_loops() {
    for text in SPECS {
        check_against_plain_loops(&random_weights(Spec::from_toml(text).unwrap(), 6));
    }
}

#[test]
fn specifications_survive_toml() {
    for text in SPECS {
        let spec = Spec::from_toml(text).unwrap();
        assert_eq!(Spec::from_toml(&spec.to_toml().unwrap()).unwrap(), spec, "{text}");
    }
}

/// Dropout sets values to zero in training, keeps the mean, and is reproducible from a seed.
#[test]
fn dropout_follows_from_the_seed() {
    let text = "policy = { kind = \"none\" }\nvalue = { kind = \"scalar\", layers = [] }\n\
                body = [{ kind = \"dropout\", rate = 0.25 }]";
    let spec = Spec::from_toml(text).unwrap();
    let list = PlaneArchitecture::new(spec.planes().unwrap()).unwrap().list;
    let batch = synthetic::batch(&spec, &synthetic::positions(64, 8), 2);
    let count: usize = list.parameters[0].rows;
    // The sum of all planes.
    let parameters = [vec![1.0; count], vec![0.0]];
    let run = |noise| forward(&list, &parameters, PlainMode::Training { noise }, &batch.planes).value;
    let (whole, dropped) = (run(None), run(Some(7)));
    assert_eq!(dropped, run(Some(7)));
    assert_ne!(dropped, run(Some(8)));
    let sum = |values: &[f64]| values.iter().sum::<f64>();
    assert!((sum(&dropped) / sum(&whole) - 1.0).abs() < 0.02, "{} of {}", sum(&dropped), sum(&whole));
}
