//! The kind of network in a file, and the check that this program supports it.

use kernels::Activation;

use crate::{
    planes::lc0::{
        error::Lc0Problem,
        message::{Net, NetworkFormat},
    },
    spec,
};

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

/// The supported part of lc0's architectures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Architecture {
    /// Shape of the policy head: convolutional, or ending in a dense layer.
    pub(crate) policy: PolicyFormat,
    pub(crate) value: ValueFormat,
    /// Kind of moves-left head, if any.
    pub(crate) moves_left: MovesLeftFormat,
    /// Activation after every layer that is not an output.
    pub(crate) activation: Activation,
}

/// Shape of the policy head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PolicyFormat {
    /// 1x1 convolution and a dense layer.
    Classical,
    /// Two 3x3 convolutions whose planes are the moves.
    Convolution,
}

/// Meaning of the value head's outputs, under lc0's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueFormat {
    /// One number, whose hyperbolic tangent is the expected result for the side to move from -1 to 1.
    Classical,
    /// Three numbers, whose softmax is the probabilities of win, draw and loss for the side to move.
    Wdl,
}

/// Kind of moves-left head, under lc0's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MovesLeftFormat {
    /// The network has no such head.
    None,
    /// One number: the plies until the game ends.
    V1,
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

/// The supported part of lc0's architectures with attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AttentionFormat {
    /// Name of the input encoding.
    pub(crate) input: &'static str,
    /// Name of the move encoding.
    pub(crate) moves: &'static str,
    /// True for an attention body, false for a residual tower with an attention policy.
    pub(crate) body: bool,
    /// True if the heads are those of `policy_heads` and `value_heads`.
    pub(crate) several_heads: bool,
    pub(crate) value: ValueFormat,
    pub(crate) moves_left: MovesLeftFormat,
    pub(crate) activation: spec::Activation,
    pub(crate) smolgen: spec::Activation,
    pub(crate) ffn: spec::Activation,
    pub(crate) embedding: Embedding,
}

/// How squares of an attention body know where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Embedding {
    /// Not at all.
    None,
    /// By the squares that a queen or a knight reaches from there.
    Map,
    /// By channels made from the whole board.
    Dense,
}

/// The architecture that a file with attention declares; `None` for every other file.
pub(crate) fn attention(net: &Net) -> Result<Option<AttentionFormat>, Lc0Problem> {
    let declared = net.format.as_ref().and_then(|format| format.network_format.as_ref());
    let format = with_head_formats(declared);
    let structure = format.network.unwrap_or_default();
    let has_encoder = net.weights.as_ref().is_some_and(|weights| !weights.encoder.is_empty());
    let body = matches!(structure, 6 | 7) || has_encoder;
    let policy = format.policy.unwrap_or_default();
    if net.onnx_model.is_some() || !(body || (matches!(structure, 3 | 4) && policy == 3)) {
        return Ok(None);
    }
    check_weights_encoding(net)?;
    if policy != 3 {
        return Err(unsupported("policy format of an attention body", &POLICIES, policy, &[3]));
    }
    let input = format.input.unwrap_or_default();
    if !(1..=4).contains(&input) {
        return Err(unsupported("input format", &INPUTS, input, &[1, 2, 3, 4]));
    }
    let activation = default_activation(&format)?;
    let other = |what: &'static str, number: Option<i32>| {
        Ok(match number.unwrap_or_default() {
            0 => activation,
            1 => spec::Activation::Mish,
            2 => spec::Activation::Relu,
            4 => spec::Activation::Tanh,
            6 => spec::Activation::Selu,
            7 => spec::Activation::Swish,
            8 => spec::Activation::ReluSquared,
            other => return Err(unsupported(what, &OTHER_ACTIVATIONS, other, &[0, 1, 2, 4, 6, 7, 8])),
        })
    };
    let [input, moves] = match input {
        2 => ["lc0-112-castling-plane", "lc0-1858"],
        3 => ["lc0-112-canonical", "lc0-1858-canonical"],
        4 => ["lc0-112-canonical-hectoplies", "lc0-1858-canonical"],
        _ => ["lc0-112", "lc0-1858"],
    };
    Ok(Some(AttentionFormat {
        input,
        moves,
        body,
        several_heads: structure == 7,
        value: value(&format)?,
        moves_left: moves_left(&format)?,
        activation,
        smolgen: other("smolgen activation", format.smolgen_activation)?,
        ffn: other("ffn activation", format.ffn_activation)?,
        embedding: match format.input_embedding.unwrap_or(1) {
            0 => Embedding::None,
            1 => Embedding::Map,
            2 => Embedding::Dense,
            other => return Err(unsupported("input embedding", &EMBEDDINGS, other, &[0, 1, 2])),
        },
    }))
}

/// The architecture a file without attention declares.
pub(crate) fn architecture(net: &Net) -> Result<Architecture, Lc0Problem> {
    if net.onnx_model.is_some() {
        return Err(unsupported("network structure", &STRUCTURES, 5, &[1, 2, 3, 4]));
    }
    check_weights_encoding(net)?;
    let declared = net.format.as_ref().and_then(|format| format.network_format.as_ref());
    let format = with_head_formats(declared);
    let structure = format.network.unwrap_or_default();
    if !matches!(structure, 3 | 4) {
        return Err(unsupported("network structure", &STRUCTURES, structure, &[1, 2, 3, 4]));
    }
    if net.weights.as_ref().is_some_and(|weights| !weights.encoder.is_empty()) {
        return Err(unsupported("network structure", &STRUCTURES, 6, &[1, 2, 3, 4]));
    }
    let input = format.input.unwrap_or_default();
    if input != 1 {
        return Err(unsupported("input format", &INPUTS, input, &[1]));
    }
    Ok(Architecture {
        policy: match format.policy.unwrap_or_default() {
            1 => PolicyFormat::Classical,
            2 => PolicyFormat::Convolution,
            other => return Err(unsupported("policy format", &POLICIES, other, &[1, 2])),
        },
        value: value(&format)?,
        moves_left: moves_left(&format)?,
        activation: default_activation(&format)?.of_kernels(),
    })
}

fn value(format: &NetworkFormat) -> Result<ValueFormat, Lc0Problem> {
    match format.value.unwrap_or_default() {
        1 => Ok(ValueFormat::Classical),
        2 => Ok(ValueFormat::Wdl),
        other => Err(unsupported("value format", &VALUES, other, &[1, 2])),
    }
}

fn moves_left(format: &NetworkFormat) -> Result<MovesLeftFormat, Lc0Problem> {
    match format.moves_left.unwrap_or_default() {
        0 => Ok(MovesLeftFormat::None),
        1 => Ok(MovesLeftFormat::V1),
        other => Err(unsupported("moves-left format", &MOVES_LEFT, other, &[0, 1])),
    }
}

fn default_activation(format: &NetworkFormat) -> Result<spec::Activation, Lc0Problem> {
    match format.default_activation.unwrap_or_default() {
        0 => Ok(spec::Activation::Relu),
        1 => Ok(spec::Activation::Mish),
        other => Err(unsupported("default activation", &ACTIVATIONS, other, &[0, 1])),
    }
}

/// lc0's name of an enum value, or its number if the name is not known here.
pub(crate) fn name_of(names: &[&str], value: i32) -> String {
    let known = usize::try_from(value).ok().and_then(|value| names.get(value));
    known.map_or_else(|| format!("number {value}"), |name| (*name).to_owned())
}

/// Sets the fields that files older than the head formats lack, as `FixOlderWeightsFile` of lc0's `loader.cc` does.
fn with_head_formats(declared: Option<&NetworkFormat>) -> NetworkFormat {
    let classical = |input, network, declared: NetworkFormat| NetworkFormat {
        input,
        network: Some(network),
        policy: Some(1),
        value: Some(1),
        ..declared
    };
    match declared {
        None => classical(Some(1), 3, NetworkFormat::default()),
        Some(format) => match format.network {
            Some(1) => classical(format.input, 3, format.clone()),
            Some(2) => classical(format.input, 4, format.clone()),
            _ => format.clone(),
        },
    }
}

fn check_weights_encoding(net: &Net) -> Result<(), Lc0Problem> {
    let version = net
        .min_version
        .as_ref()
        .map_or((0, 0), |version| (version.major.unwrap_or_default(), version.minor.unwrap_or_default()));
    let encoding = net.format.as_ref().and_then(|format| format.weights_encoding).unwrap_or_default();
    if encoding == 1 || version >= PER_LAYER_ENCODING {
        return Ok(());
    }
    Err(unsupported("weights encoding", &WEIGHTS_ENCODINGS, encoding, &[1]))
}

fn unsupported(what: &'static str, names: &[&str], found: i32, supported: &[i32]) -> Lc0Problem {
    Lc0Problem::Unsupported {
        what,
        found: name_of(names, found),
        supported: supported.iter().map(|value| name_of(names, *value)).collect::<Vec<_>>().join(", "),
    }
}
