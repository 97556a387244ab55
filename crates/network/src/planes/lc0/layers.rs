//! Conversion of the decoded message to the layers of a network.

use chess::encoding::SQUARES;
use kernels::{Activation, Block, Convolution, Dense, Head, Plan, Policy, SqueezeExcite};

use crate::planes::lc0::{
    convolution::{FoldedConvolution, convolution},
    error::Lc0Problem,
    format::{Architecture, MovesLeftFormat, PolicyFormat, ValueFormat},
    layer::{expect_len, required},
    message::{ConvBlock, Layer, Residual, SqueezeExciteUnit, Weights},
    policy_planes::{self, MOVE_COUNT},
};

/// Number of planes of the only supported input format.
const INPUT_PLANES: usize = 112;

/// For each policy index, its position in the policy's planes, if the policy has planes.
type Gather = Option<Vec<usize>>;

/// A field of a message together with its name, for errors.
macro_rules! field {
    ($message:ident.$field:ident) => {
        ($message.$field.as_deref(), stringify!($field))
    };
}

/// Builds the layers that `architecture` declares.
pub(crate) fn layers(weights: &Weights, architecture: Architecture) -> Result<(Plan, Gather), Lc0Problem> {
    let activation = architecture.activation;
    let (stem, blocks) = tower(weights, activation)?;
    let channels = stem.outputs;
    let (policy, gather) = policy_head(weights, channels, architecture)?;
    let plan = Plan {
        stem,
        activation,
        blocks,
        policy,
        value: value_head(weights, channels, architecture)?,
        moves_left: match architecture.moves_left {
            MovesLeftFormat::None => None,
            MovesLeftFormat::V1 => Some(moves_left_head(weights, channels, activation)?),
        },
    };
    Ok((plan, gather))
}

/// The layers between planes and heads.
pub(super) fn tower(
    weights: &Weights,
    activation: Activation,
) -> Result<(Convolution, Vec<Block>), Lc0Problem> {
    let stem = layer_of(field!(weights.input), 3, INPUT_PLANES)?;
    let blocks = weights.residual.iter().enumerate();
    let blocks = blocks.map(|(index, block)| residual_block(block, index, stem.outputs, activation));
    let blocks = blocks.collect::<Result<_, _>>()?;
    Ok((stem, blocks))
}

fn residual_block(
    block: &Residual,
    index: usize,
    channels: usize,
    activation: Activation,
) -> Result<Block, Lc0Problem> {
    let name = format!("residual[{index}]");
    let square = |block: Option<&ConvBlock>, part: &str| {
        let name = format!("{name}.{part}");
        let layer = layer_of((block, &name), 3, channels)?;
        if layer.outputs == channels {
            return Ok(layer);
        }
        Err(Lc0Problem::Size {
            layer: format!("{name}.biases"),
            found: layer.outputs,
            expected: channels.to_string(),
        })
    };
    let first = square(block.conv1.as_deref(), "conv1")?;
    let second = square(block.conv2.as_deref(), "conv2")?;
    let squeeze_excite =
        block.se.as_deref().map(|unit| squeeze_excite(unit, &name, channels, activation)).transpose()?;
    Ok(Block { first, second, squeeze_excite, activation })
}

/// lc0's units always scale and add: they have two outputs per channel.
fn squeeze_excite(
    unit: &SqueezeExciteUnit,
    block: &str,
    channels: usize,
    activation: Activation,
) -> Result<SqueezeExcite, Lc0Problem> {
    let named = |field: &str| format!("{block}.se.{field}");
    let squeeze = dense((unit.w1.as_deref(), &named("w1")), (unit.b1.as_deref(), &named("b1")), channels)?;
    let excite =
        dense((unit.w2.as_deref(), &named("w2")), (unit.b2.as_deref(), &named("b2")), squeeze.outputs)?;
    expect_outputs(&excite, 2 * channels, &named("b2"))?;
    Ok(SqueezeExcite { squeeze, excite, activation })
}

fn policy_head(
    weights: &Weights,
    channels: usize,
    architecture: Architecture,
) -> Result<(Policy, Gather), Lc0Problem> {
    let activation = architecture.activation;
    match architecture.policy {
        PolicyFormat::Convolution => {
            let first = layer_of(field!(weights.policy1), 3, channels)?;
            let second = layer_of(field!(weights.policy), 3, first.outputs)?;
            policy_planes::check_planes(second.outputs)?;
            Ok((Policy::Planes { first, activation, second }, Some(policy_planes::gather())))
        }
        PolicyFormat::Classical => {
            let convolution = layer_of(field!(weights.policy), 1, channels)?;
            let inputs = convolution.outputs * SQUARES;
            let dense = dense(field!(weights.ip_pol_w), field!(weights.ip_pol_b), inputs)?;
            expect_outputs(&dense, MOVE_COUNT, "ip_pol_b")?;
            Ok((Policy::Dense { convolution, activation, dense }, None))
        }
    }
}

fn value_head(weights: &Weights, channels: usize, architecture: Architecture) -> Result<Head, Lc0Problem> {
    let convolution = layer_of(field!(weights.value), 1, channels)?;
    let inputs = convolution.outputs * SQUARES;
    let hidden = dense(field!(weights.ip1_val_w), field!(weights.ip1_val_b), inputs)?;
    let output = dense(field!(weights.ip2_val_w), field!(weights.ip2_val_b), hidden.outputs)?;
    let outputs = match architecture.value {
        ValueFormat::Classical => 1,
        ValueFormat::Wdl => 3,
    };
    expect_outputs(&output, outputs, "ip2_val_b")?;
    Ok(Head { convolution, hidden, activation: architecture.activation, output })
}

fn moves_left_head(weights: &Weights, channels: usize, activation: Activation) -> Result<Head, Lc0Problem> {
    let convolution = layer_of(field!(weights.moves_left), 1, channels)?;
    let inputs = convolution.outputs * SQUARES;
    let hidden = dense(field!(weights.ip1_mov_w), field!(weights.ip1_mov_b), inputs)?;
    let output = dense(field!(weights.ip2_mov_w), field!(weights.ip2_mov_b), hidden.outputs)?;
    expect_outputs(&output, 1, "ip2_mov_b")?;
    Ok(Head { convolution, hidden, activation, output })
}

pub(super) fn layer_of(
    (block, name): (Option<&ConvBlock>, &str),
    kernel: usize,
    inputs: usize,
) -> Result<Convolution, Lc0Problem> {
    let FoldedConvolution { weights, bias } = convolution(block, name, kernel, inputs)?;
    let (outputs, taps) = (bias.len(), kernel * kernel);
    // [outputs][inputs][taps] -> [taps][inputs][outputs]
    let at = |place: usize| {
        let (tap, input, output) = (place / outputs / inputs, place / outputs % inputs, place % outputs);
        weights[(output * inputs + input) * taps + tap]
    };
    let weights = (0..weights.len()).map(at).collect();
    Ok(Convolution { kernel, inputs, outputs, weights, bias })
}

/// A dense layer with `inputs` inputs.
fn dense(
    (weights, name): (Option<&Layer>, &str),
    (bias, bias_name): (Option<&Layer>, &str),
    inputs: usize,
) -> Result<Dense, Lc0Problem> {
    let bias = required(bias, bias_name)?;
    let weights = required(weights, name)?;
    expect_len(&weights, bias.len().saturating_mul(inputs), name)?;
    let outputs = bias.len();
    // [outputs][inputs] -> [inputs][outputs]
    let weights =
        (0..weights.len()).map(|place| weights[place % outputs * inputs + place / outputs]).collect();
    Ok(Dense { inputs, outputs, weights, bias })
}

fn expect_outputs(dense: &Dense, outputs: usize, name: &str) -> Result<(), Lc0Problem> {
    if dense.outputs == outputs {
        return Ok(());
    }
    Err(Lc0Problem::Size { layer: name.into(), found: dense.outputs, expected: outputs.to_string() })
}
