//! A forward pass in 64-bit floats and the plainest possible loops.

use chess::encoding::Plane;
use kernels::{Activation, Convolution, Dense, Head, Plan, Policy, SqueezeExcite};

/// `[channels][64]`.
type Board = Vec<Vec<f64>>;

/// The outputs of the network: policy (`[planes][64]` or `[moves]`, flat), value, moves left.
pub(crate) struct Output {
    pub(crate) policy: Vec<f64>,
    pub(crate) value: Vec<f64>,
    pub(crate) moves_left: Option<f64>,
}

pub(crate) fn forward(plan: &Plan, planes: &[Plane]) -> Output {
    let square = |plane: &Plane, square: usize| {
        if plane.mask >> square & 1 == 1 { f64::from(plane.value) } else { 0.0 }
    };
    let input: Board = planes.iter().map(|plane| (0..64).map(|at| square(plane, at)).collect()).collect();
    let mut trunk = activate(plan.activation, convolve(&plan.stem, &input));
    for block in &plan.blocks {
        let inner = activate(block.activation, convolve(&block.first, &trunk));
        let mut outer = convolve(&block.second, &inner);
        if let Some(unit) = &block.squeeze_excite {
            excite(unit, &mut outer);
        }
        for (outer, trunk) in outer.iter_mut().zip(&trunk) {
            outer.iter_mut().zip(trunk).for_each(|(sum, skipped)| *sum += skipped);
        }
        trunk = activate(block.activation, outer);
    }
    let policy = match &plan.policy {
        Policy::Planes { first, activation, second } => {
            convolve(second, &activate(*activation, convolve(first, &trunk))).concat()
        }
        Policy::Dense { convolution, activation, dense } => {
            connect(dense, &activate(*activation, convolve(convolution, &trunk)).concat())
        }
    };
    Output {
        policy,
        value: head(&plan.value, &trunk),
        moves_left: plan.moves_left.as_ref().map(|moves_left| head(moves_left, &trunk)[0].max(0.0)),
    }
}

fn convolve(layer: &Convolution, input: &Board) -> Board {
    let reach = (layer.kernel / 2) as isize;
    let at = |output: usize, square: usize| {
        let mut sum = f64::from(layer.bias[output]);
        for tap in 0..layer.kernel * layer.kernel {
            let rank = (square / 8 + tap / layer.kernel) as isize - reach;
            let file = (square % 8 + tap % layer.kernel) as isize - reach;
            if (0..8).contains(&rank) && (0..8).contains(&file) {
                for (number, channel) in input.iter().enumerate() {
                    let weight = layer.weights[(tap * layer.inputs + number) * layer.outputs + output];
                    sum += f64::from(weight) * channel[(rank * 8 + file) as usize];
                }
            }
        }
        sum
    };
    (0..layer.outputs).map(|output| (0..64).map(|square| at(output, square)).collect()).collect()
}

fn connect(layer: &Dense, input: &[f64]) -> Vec<f64> {
    let sum = |output: usize| {
        let products = input
            .iter()
            .enumerate()
            .map(|(number, value)| f64::from(layer.weights[number * layer.outputs + output]) * value);
        products.sum::<f64>() + f64::from(layer.bias[output])
    };
    (0..layer.outputs).map(sum).collect()
}

fn activate(activation: Activation, mut board: Board) -> Board {
    board.iter_mut().flatten().for_each(|value| *value = applied(activation, *value));
    board
}

fn applied(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Identity => x,
        Activation::Relu => x.max(0.0),
        Activation::Mish => x * x.exp().ln_1p().tanh(),
        Activation::Swish => x / (1.0 + (-x).exp()),
        Activation::LeakyRelu => x.max(0.01 * x),
        Activation::Tanh => x.tanh(),
        Activation::ReluSquared => x.max(0.0).powi(2),
        Activation::Selu => 1.050_700_987 * (x.max(0.0) + 1.673_263_242 * (x.min(0.0).exp() - 1.0)),
        Activation::Gelu => x / (1.0 + (-1.595_769_122 * (x + 0.044_715 * x.powi(3))).exp()),
    }
}

fn excite(unit: &SqueezeExcite, board: &mut Board) {
    let means: Vec<f64> = board.iter().map(|channel| channel.iter().sum::<f64>() / 64.0).collect();
    let squeezed: Vec<f64> =
        connect(&unit.squeeze, &means).into_iter().map(|value| applied(unit.activation, value)).collect();
    let gates = connect(&unit.excite, &squeezed);
    let channels = board.len();
    for (number, channel) in board.iter_mut().enumerate() {
        let bias = gates.get(channels + number).copied().unwrap_or(0.0);
        let gate = 1.0 / (1.0 + (-gates[number]).exp());
        for value in channel {
            *value = *value * gate + bias;
        }
    }
}

fn head(head: &Head, trunk: &Board) -> Vec<f64> {
    let planes = activate(head.activation, convolve(&head.convolution, trunk));
    let hidden = connect(&head.hidden, &planes.concat());
    let hidden: Vec<f64> = hidden.into_iter().map(|value| applied(head.activation, value)).collect();
    connect(&head.output, &hidden)
}
