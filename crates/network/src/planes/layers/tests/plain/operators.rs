//! The operator of every layer, computed from its definition.

use kernels::LEAK;

use super::Plain;
use crate::planes::layers::{Activation, Dropout, Operator, Pooling, Shape};

/// The output of a layer.
pub(super) fn apply(operator: Operator, run: &Plain<'_>) -> Vec<f64> {
    let (input, shape) = run.inputs[0];
    let second = |place: usize| run.inputs[1].0[place];
    match operator {
        Operator::Activation { function } => input.iter().map(|value| activation(function, *value)).collect(),
        Operator::BatchNorm { epsilon } => batch_norm(run, epsilon.into()),
        Operator::Concatenation => {
            let others = run.inputs[1].0.chunks_exact(run.inputs[1].1.channels);
            let rows = input.chunks_exact(shape.channels).zip(others);
            rows.flat_map(|(first, second)| [first, second].concat()).collect()
        }
        Operator::Convolution { size, stride, margin, bias } => {
            convolution(run, size, (stride, margin), bias)
        }
        Operator::Dense { bias } => dense(run, bias),
        Operator::Dropout { rate } => {
            let Some(seed) = run.noise else { return input.to_vec() };
            let factors = Dropout { rate }.factors(seed, input.len());
            input.iter().zip(factors).map(|(value, factor)| value * f64::from(factor)).collect()
        }
        Operator::Flatten => input.to_vec(),
        Operator::Gate => {
            let gated = |(at, value): (usize, &f64)| {
                let (board, channel) = (at / shape.len(), at % shape.channels);
                let gates = board * 2 * shape.channels;
                value / (1.0 + (-second(gates + channel)).exp()) + second(gates + shape.channels + channel)
            };
            input.iter().enumerate().map(gated).collect()
        }
        Operator::GroupNorm { groups, epsilon } => group_norm(run, groups, epsilon.into()),
        Operator::Pool { method, window } => pool(run, method, window),
        Operator::Sum => input.iter().enumerate().map(|(at, value)| value + second(at)).collect(),
    }
}

fn activation(function: Activation, x: f64) -> f64 {
    match function {
        Activation::Relu => x.max(0.0),
        // In double precision, ln(1 + e^x) equals x from 37 on; e^x overflows only later.
        Activation::Mish => x * if x > 40.0 { x } else { x.exp().ln_1p() }.tanh(),
        Activation::Swish => x / (1.0 + (-x).exp()),
        Activation::LeakyRelu => x.max(0.0) + f64::from(LEAK) * x.min(0.0),
        Activation::Tanh => x.tanh(),
    }
}

fn batch_norm(run: &Plain<'_>, epsilon: f64) -> Vec<f64> {
    let ((input, shape), [scale, shift]) = (run.inputs[0], [0, 1].map(|number| &run.parameters[number]));
    let (mean, variance) = run.statistics.split_at(shape.channels);
    let normalised = |(at, value): (usize, &f64)| {
        let channel = at % shape.channels;
        let deviation = (variance[channel] + epsilon).sqrt();
        (value - mean[channel]) / deviation * scale[channel] + shift[channel]
    };
    input.iter().enumerate().map(normalised).collect()
}

fn convolution(run: &Plain<'_>, size: usize, (stride, margin): (usize, usize), bias: bool) -> Vec<f64> {
    let ((input, from), to) = (run.inputs[0], run.output);
    let mut output = vec![0.0; run.boards * to.len()];
    for (square, sums) in output.chunks_exact_mut(to.channels).enumerate() {
        let (board, rank, file) = place(to, square);
        if bias {
            sums.copy_from_slice(&run.parameters[1]);
        }
        for tap in 0..size * size {
            let (rank_tap, file_tap) = (tap / size, tap % size);
            let rank = seen(rank, rank_tap, (stride, margin, from.ranks));
            let file = seen(file, file_tap, (stride, margin, from.files));
            let (Some(rank), Some(file)) = (rank, file) else { continue };
            let start = index(from, board, rank, file);
            for (channel, value) in input[start..start + from.channels].iter().enumerate() {
                let row = (tap * from.channels + channel) * to.channels;
                let weights = &run.parameters[0][row..row + to.channels];
                sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += value * weight);
            }
        }
    }
    output
}

fn dense(run: &Plain<'_>, bias: bool) -> Vec<f64> {
    let ((input, from), units) = (run.inputs[0], run.output.channels);
    let row = |row: &[f64]| {
        let mut sums = if bias { run.parameters[1].clone() } else { vec![0.0; units] };
        for (value, weights) in row.iter().zip(run.parameters[0].chunks_exact(units)) {
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += value * weight);
        }
        sums
    };
    input.chunks_exact(from.channels).flat_map(row).collect()
}

fn group_norm(run: &Plain<'_>, groups: usize, epsilon: f64) -> Vec<f64> {
    let ((input, shape), [scale, shift]) = (run.inputs[0], [0, 1].map(|number| &run.parameters[number]));
    let each = shape.channels / groups;
    let count = (each * shape.squares()) as f64;
    let mut output = input.to_vec();
    for board in output.chunks_exact_mut(shape.len()) {
        for group in 0..groups {
            let of_group = |at: &usize| at % shape.channels / each == group;
            let places: Vec<usize> = (0..shape.len()).filter(of_group).collect();
            let mean = places.iter().map(|at| board[*at]).sum::<f64>() / count;
            let variance = places.iter().map(|at| (board[*at] - mean).powi(2)).sum::<f64>() / count;
            for at in places {
                let channel = at % shape.channels;
                let normalised = (board[at] - mean) / (variance + epsilon).sqrt();
                board[at] = normalised * scale[channel] + shift[channel];
            }
        }
    }
    output
}

fn pool(run: &Plain<'_>, method: Pooling, window: Option<[usize; 3]>) -> Vec<f64> {
    let ((input, from), to) = (run.inputs[0], run.output);
    let (ranks, files) = (from.ranks, from.files);
    // For the whole board, the window has the shape of the board.
    let (rank_taps, file_taps) = window.map_or((ranks, files), |[size, ..]| (size, size));
    let [_, stride, margin] = window.unwrap_or([0, 1, 0]);
    let mut output = Vec::with_capacity(run.boards * to.len());
    for square in 0..run.boards * to.squares() {
        let (board, rank, file) = place(to, square);
        for channel in 0..to.channels {
            let taps = (0..rank_taps).flat_map(|rank| (0..file_taps).map(move |file| (rank, file)));
            let values = taps.filter_map(|(rank_tap, file_tap)| {
                let rank = seen(rank, rank_tap, (stride, margin, ranks))?;
                let file = seen(file, file_tap, (stride, margin, files))?;
                Some(input[index(from, board, rank, file) + channel])
            });
            output.push(match method {
                Pooling::Max => values.fold(f64::NEG_INFINITY, f64::max),
                Pooling::Average => values.sum::<f64>() / (rank_taps * file_taps) as f64,
            });
        }
    }
    output
}

/// The input square that a tap of a window reads; `None` beyond the edge.
fn seen(output: usize, tap: usize, (stride, margin, length): (usize, usize, usize)) -> Option<usize> {
    (output * stride + tap).checked_sub(margin).filter(|square| *square < length)
}

/// Index of a square's first channel in the values of a batch.
fn index(shape: Shape, board: usize, rank: usize, file: usize) -> usize {
    ((board * shape.ranks + rank) * shape.files + file) * shape.channels
}

/// Board, rank and file of a square, given its index among the squares of all boards.
fn place(shape: Shape, square: usize) -> (usize, usize, usize) {
    (square / shape.squares(), square / shape.files % shape.ranks, square % shape.files)
}

/// Reference values from PyTorch 2's functions.
#[test]
fn activations_have_known_values() {
    for (function, x, expected) in [
        (Activation::Relu, -2.0, 0.0),
        (Activation::Mish, 1.0, 0.865_098_388_267_3),
        (Activation::Mish, -1.0, -0.303_401_461_5),
        (Activation::Mish, 800.0, 800.0),
        (Activation::Swish, 1.0, 0.731_058_578_63),
        (Activation::Swish, -800.0, 0.0),
        (Activation::LeakyRelu, -2.0, -0.02),
        (Activation::LeakyRelu, 3.0, 3.0),
        (Activation::Tanh, 0.5, 0.462_117_157_26),
    ] {
        let found = activation(function, x);
        assert!((found - expected).abs() < 1e-9, "{function:?} of {x}: {found}");
    }
}
