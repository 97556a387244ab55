//! From the neutral layers of a network to the plan that the kernels compile.

use kernels::{Activation, Block, Convolution, Dense, Head, Plan, Policy, Program, SqueezeExcite};

use crate::reference::{self, Layers, PolicyHead, PooledHead};

/// The plan of a network.
pub(super) fn plan(layers: &Layers) -> Plan {
    Plan {
        stem: convolution(&layers.stem),
        activation: activation(layers.activation),
        blocks: layers.blocks.iter().map(block).collect(),
        policy: policy(&layers.policy),
        value: head(&layers.value),
        moves_left: layers.moves_left.as_ref().map(head),
    }
}

/// For each policy index, where its logit is in the program's answer.
pub(super) fn slots(layers: &Layers, moves: usize, program: &Program) -> Vec<u32> {
    let place = |index: usize| match &layers.policy {
        PolicyHead::Convolutional { gather, .. } => gather[index],
        PolicyHead::Dense { .. } => index,
    };
    (0..moves).map(|index| program.policy_slot(place(index)) as u32).collect()
}

fn activation(activation: reference::Activation) -> Activation {
    match activation {
        reference::Activation::Identity => Activation::Identity,
        reference::Activation::Relu => Activation::Relu,
        reference::Activation::Mish => Activation::Mish,
        reference::Activation::Swish => Activation::Swish,
    }
}

fn convolution(layer: &reference::Convolution) -> Convolution {
    Convolution {
        kernel: layer.kernel(),
        inputs: layer.inputs(),
        outputs: layer.outputs(),
        weights: layer.weights().to_vec(),
        bias: layer.bias().to_vec(),
    }
}

fn dense(layer: &reference::Dense) -> Dense {
    Dense {
        inputs: layer.inputs(),
        outputs: layer.outputs(),
        weights: layer.weights().to_vec(),
        bias: layer.bias().to_vec(),
    }
}

fn block(block: &reference::ResidualBlock) -> Block {
    Block {
        first: convolution(block.first()),
        second: convolution(block.second()),
        squeeze_excite: block.squeeze_excite().map(|unit| SqueezeExcite {
            squeeze: dense(unit.squeeze()),
            excite: dense(unit.excite()),
            activation: activation(unit.activation()),
        }),
        activation: activation(block.activation()),
    }
}

fn policy(head: &PolicyHead) -> Policy {
    match head {
        PolicyHead::Convolutional { first, activation: after, second, .. } => Policy::Planes {
            first: convolution(first),
            activation: activation(*after),
            second: convolution(second),
        },
        PolicyHead::Dense { convolution: first, activation: after, dense: second } => Policy::Dense {
            convolution: convolution(first),
            activation: activation(*after),
            dense: dense(second),
        },
    }
}

fn head(head: &PooledHead) -> Head {
    Head {
        convolution: convolution(&head.convolution),
        hidden: dense(&head.hidden),
        activation: activation(head.activation),
        output: dense(&head.output),
    }
}
