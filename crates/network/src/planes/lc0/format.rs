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
    let policy = match format.policy.unwrap_or_default() {
        3 => PolicyFormat::Attention,
        other if attention_body => {
            return Err(unsupported("policy format of an attention body", &POLICIES, other, &[3]));
        }
        1 => PolicyFormat::Classical,
        2 => PolicyFormat::Convolution,
        other => return Err(unsupported("policy format", &POLICIES, other, &[1, 2, 3])),
    };
    let [input, moves] = encodings(&format)?;
    let activation = match format.default_activation.unwrap_or_default() {
        0 => Activation::Relu,
        1 => Activation::Mish,
        other => return Err(unsupported("default activation", &ACTIVATIONS, other, &[0, 1])),
    };
    Ok(Format {
        input,
        moves,
        attention_body,
        several_heads: structure == 7,
        policy,
        value: value(&format)?,
        moves_left: moves_left(&format)?,
        activation,
        smolgen: other_activation("smolgen activation", format.smolgen_activation, activation)?,
        ffn: other_activation("ffn activation", format.ffn_activation, activation)?,
        embedding: match format.input_embedding.unwrap_or(1) {
            0 => Embedding::None,
            1 => Embedding::Map,
            2 => Embedding::Dense,
            other => return Err(unsupported("input embedding", &EMBEDDINGS, other, &[0, 1, 2])),
        },
    })
}

/// An activation of an attention body, of which 0 stands for that of the whole network.
fn other_activation(
    what: &'static str,
    number: Option<i32>,
    usual: Activation,
) -> Result<Activation, Lc0Problem> {
    match number.unwrap_or_default() {
        0 => Ok(usual),
        1 => Ok(Activation::Mish),
        2 => Ok(Activation::Relu),
        4 => Ok(Activation::Tanh),
        6 => Ok(Activation::Selu),
        7 => Ok(Activation::Swish),
        8 => Ok(Activation::ReluSquared),
        other => Err(unsupported(what, &OTHER_ACTIVATIONS, other, &[0, 1, 2, 4, 6, 7, 8])),
    }
}

/// Names of the encodings of positions and moves.
pub(super) fn encodings(format: &NetworkFormat) -> Result<[&'static str; 2], Lc0Problem> {
    Ok(match format.input.unwrap_or_default() {
        1 => ["lc0-112", "lc0-1858"],
        2 => ["lc0-112-castling-plane", "lc0-1858"],
        3 => ["lc0-112-canonical", "lc0-1858-canonical"],
        4 => ["lc0-112-canonical-hectoplies", "lc0-1858-canonical"],
        5 => ["lc0-112-canonical-v2", "lc0-1858-canonical"],
        other => return Err(unsupported("input format", &INPUTS, other, &[1, 2, 3, 4, 5])),
    })
}

fn value(format: &NetworkFormat) -> Result<ValueKind, Lc0Problem> {
    match format.value.unwrap_or_default() {
        1 => Ok(ValueKind::Scalar),
        2 => Ok(ValueKind::Wdl),
        other => Err(unsupported("value format", &VALUES, other, &[1, 2])),
    }
}

fn moves_left(format: &NetworkFormat) -> Result<bool, Lc0Problem> {
    match format.moves_left.unwrap_or_default() {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(unsupported("moves-left format", &MOVES_LEFT, other, &[0, 1])),
    }
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
