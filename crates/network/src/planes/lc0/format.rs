//! The kind of network in a file, and the check that this program supports it.

use super::{
    error::Lc0Problem,
    message::{Net, NetworkFormat},
};
use crate::spec::{Activation, ValueKind};

/// The enums of lc0's `NetworkFormat`. A value's name is at the index of its number, and empty if the number is
/// skipped.
const STRUCTURES: [&str; 8] = [
    "NETWORK_UNKNOWN",
    "NETWORK_CLASSICAL",
    "NETWORK_SE",
    "NETWORK_CLASSICAL_WITH_HEADFORMAT",
    "NETWORK_SE_WITH_HEADFORMAT",
    "NETWORK_ONNX",
    "NETWORK_ATTENTIONBODY_WITH_HEADFORMAT",
    "NETWORK_ATTENTIONBODY_WITH_MULTIHEADFORMAT",
];
const INPUTS: [&str; 6] = [
    "INPUT_UNKNOWN",
    "INPUT_CLASSICAL_112_PLANE",
    "INPUT_112_WITH_CASTLING_PLANE",
    "INPUT_112_WITH_CANONICALIZATION",
    "INPUT_112_WITH_CANONICALIZATION_HECTOPLIES",
    "INPUT_112_WITH_CANONICALIZATION_V2",
];
const POLICIES: [&str; 4] = ["POLICY_UNKNOWN", "POLICY_CLASSICAL", "POLICY_CONVOLUTION", "POLICY_ATTENTION"];
const VALUES: [&str; 4] = ["VALUE_UNKNOWN", "VALUE_CLASSICAL", "VALUE_WDL", "VALUE_PARAM"];
const MOVES_LEFT: [&str; 2] = ["MOVES_LEFT_NONE", "MOVES_LEFT_V1"];
const ACTIVATIONS: [&str; 2] = ["DEFAULT_ACTIVATION_RELU", "DEFAULT_ACTIVATION_MISH"];
const WEIGHTS_ENCODINGS: [&str; 2] = ["UNKNOWN", "LINEAR16"];

/// From this version on, lc0 reads the encoding of each layer instead of the file's.
const PER_LAYER_ENCODING: (u32, u32) = (0, 33);

/// Shape of the policy head, under lc0's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PolicyFormat {
    /// 1x1 convolution and a dense layer.
    Classical,
    /// Two 3x3 convolutions whose planes are the moves.
    Convolution,
    /// Scores of pairs of squares.
    Attention,
}

/// Activations of an attention body. A value's name is at the index of its number.
const OTHER_ACTIVATIONS: [&str; 10] = [
    "ACTIVATION_DEFAULT",
    "ACTIVATION_MISH",
    "ACTIVATION_RELU",
    "ACTIVATION_NONE",
    "ACTIVATION_TANH",
    "ACTIVATION_SIGMOID",
    "ACTIVATION_SELU",
    "ACTIVATION_SWISH",
    "ACTIVATION_RELU_2",
    "ACTIVATION_SOFTMAX",
];
const EMBEDDINGS: [&str; 3] = ["INPUT_EMBEDDING_NONE", "INPUT_EMBEDDING_PE_MAP", "INPUT_EMBEDDING_PE_DENSE"];

/// The supported part of lc0's architectures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Format {
    /// Name of the input encoding.
    pub(crate) input: &'static str,
    /// Name of the move encoding.
    pub(crate) moves: &'static str,
    /// True for an attention body, false for a residual tower.
    pub(crate) attention_body: bool,
    /// True if the heads are those of `policy_heads` and `value_heads`.
    pub(crate) several_heads: bool,
    pub(crate) policy: PolicyFormat,
    pub(crate) value: ValueKind,
    /// True if there is a head of one number, the plies until the game ends.
    pub(crate) moves_left: bool,
    /// Activation after every layer that is not an output.
    pub(crate) activation: Activation,
    pub(crate) smolgen: Activation,
    pub(crate) ffn: Activation,
    pub(crate) embedding: Embedding,
}

/// Position encoding of an attention body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Embedding {
    /// None.
    None,
    /// The squares that a queen or a knight reaches from the square.
    Map,
    /// Channels computed from the whole board (dense embedding).
    Dense,
}

/// The architecture that a file declares.
pub(crate) fn format(net: &Net) -> Result<Format, Lc0Problem> {
    check_weights_encoding(net)?;
    let declared = net.format.as_ref().and_then(|format| format.network_format.as_ref());
    let format = with_head_formats(declared);
    let structure = format.network.unwrap_or_default();
    if !matches!(structure, 3 | 4 | 6 | 7) {
        return Err(unsupported("network structure", &STRUCTURES, structure, &[1, 2, 3, 4, 6, 7]));
    }
    // Files of the first networks with attention declare a residual tower.
    let has_encoder = net.weights.as_ref().is_some_and(|weights| !weights.encoder.is_empty());
    let attention_body = matches!(structure, 6 | 7) || has_encoder;
    let policies =
        [(1, PolicyFormat::Classical), (2, PolicyFormat::Convolution), (3, PolicyFormat::Attention)];
    let (what, policies) = if attention_body {
        ("policy format of an attention body", &policies[2..])
    } else {
        ("policy format", &policies[..])
    };
    let policy = one_of(what, &POLICIES, format.policy, policies)?;
    let [input, moves] = encodings(&format)?;
    let activations = [(0, Activation::Relu), (1, Activation::Mish)];
    let activation = one_of("default activation", &ACTIVATIONS, format.default_activation, &activations)?;
    // Of an attention body, where 0 stands for that of the whole network.
    let others = [
        (0, activation),
        (1, Activation::Mish),
        (2, Activation::Relu),
        (4, Activation::Tanh),
        (6, Activation::Selu),
        (7, Activation::Swish),
        (8, Activation::ReluSquared),
    ];
    let values = [(1, ValueKind::Scalar), (2, ValueKind::Wdl)];
    let moves_left = [(0, false), (1, true)];
    let embeddings = [(0, Embedding::None), (1, Embedding::Map), (2, Embedding::Dense)];
    Ok(Format {
        input,
        moves,
        attention_body,
        several_heads: structure == 7,
        policy,
        value: one_of("value format", &VALUES, format.value, &values)?,
        moves_left: one_of("moves-left format", &MOVES_LEFT, format.moves_left, &moves_left)?,
        activation,
        smolgen: one_of("smolgen activation", &OTHER_ACTIVATIONS, format.smolgen_activation, &others)?,
        ffn: one_of("ffn activation", &OTHER_ACTIVATIONS, format.ffn_activation, &others)?,
        embedding: one_of("input embedding", &EMBEDDINGS, format.input_embedding.or(Some(1)), &embeddings)?,
    })
}

/// The meaning of a field's number, 0 if the field is absent, among the supported ones.
fn one_of<T: Copy>(
    what: &'static str,
    names: &[&str],
    found: Option<i32>,
    supported: &[(i32, T)],
) -> Result<T, Lc0Problem> {
    let found = found.unwrap_or_default();
    let known = supported.iter().find(|(number, _)| *number == found);
    known.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let numbers = supported.iter().map(|(number, _)| *number).collect::<Vec<_>>();
        unsupported(what, names, found, &numbers)
    })
}

/// Names of the encodings of positions and moves.
pub(super) fn encodings(format: &NetworkFormat) -> Result<[&'static str; 2], Lc0Problem> {
    let encodings = [
        (1, ["lc0-112", "lc0-1858"]),
        (2, ["lc0-112-castling-plane", "lc0-1858"]),
        (3, ["lc0-112-canonical", "lc0-1858-canonical"]),
        (4, ["lc0-112-canonical-hectoplies", "lc0-1858-canonical"]),
        (5, ["lc0-112-canonical-v2", "lc0-1858-canonical"]),
    ];
    one_of("input format", &INPUTS, format.input, &encodings)
}

/// lc0's name of an enum value, or its number if there is none or the name is not known here.
pub(crate) fn name_of(names: &[&str], value: i32) -> String {
    let known = usize::try_from(value).ok().and_then(|value| names.get(value));
    let known = known.filter(|name| !name.is_empty());
    known.map_or_else(|| format!("number {value}"), |name| (*name).to_owned())
}

/// Sets the fields that files older than the head formats lack, as `FixOlderWeightsFile` of lc0's `loader.cc` does.
fn with_head_formats(declared: Option<&NetworkFormat>) -> NetworkFormat {
    let mut format = declared.cloned().unwrap_or_else(|| NetworkFormat {
        input: Some(1),
        network: Some(1),
        ..NetworkFormat::default()
    });
    let network = match format.network {
        Some(1) => 3,
        Some(2) => 4,
        _ => return format,
    };
    format.network = Some(network);
    format.policy = Some(1);
    format.value = Some(1);
    format
}

fn check_weights_encoding(net: &Net) -> Result<(), Lc0Problem> {
    let version = net.min_version.clone().unwrap_or_default();
    let version = (version.major.unwrap_or_default(), version.minor.unwrap_or_default());
    let encoding = net.format.as_ref().and_then(|format| format.weights_encoding).unwrap_or_default();
    if encoding == 1 || version >= PER_LAYER_ENCODING {
        return Ok(());
    }
    Err(unsupported("weights encoding", &WEIGHTS_ENCODINGS, encoding, &[1]))
}

pub(super) fn unsupported(what: &'static str, names: &[&str], found: i32, supported: &[i32]) -> Lc0Problem {
    Lc0Problem::Unsupported {
        what,
        found: name_of(names, found),
        supported: supported.iter().map(|value| name_of(names, *value)).collect::<Vec<_>>().join(", "),
    }
}
