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
        Operator::Flatten | Operator::Unflatten { .. } => input.to_vec(),
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
        Operator::Attention { heads, bias } => attention(run, heads, bias),
        Operator::First { count } => {
            input.chunks_exact(shape.channels).flat_map(|square| square[..count].to_vec()).collect()
        }
        Operator::LayerNorm { epsilon } => {
            let [scale, shift] = [0, 1].map(|number| &run.parameters[number]);
            let normalised = |square: &[f64]| {
                let count = square.len() as f64;
                let mean = square.iter().sum::<f64>() / count;
                let variance = square.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
                let deviation = (variance + f64::from(epsilon)).sqrt();
                let number = |(channel, value): (usize, &f64)| {
                    (value - mean) / deviation * scale[channel] + shift[channel]
                };
                square.iter().enumerate().map(number).collect::<Vec<f64>>()
            };
            input.chunks_exact(shape.channels).flat_map(normalised).collect()
        }
        Operator::MoveScores => move_scores(run),
        Operator::SquareAffine { scale, shift } => {
            let number = |(at, value): (usize, &f64)| {
                let factor = if scale { run.parameters[0][at % shape.len()] } else { 1.0 };
                let term = if shift { run.parameters[usize::from(scale)][at % shape.len()] } else { 0.0 };
                value * factor + term
            };
            input.iter().enumerate().map(number).collect()
        }
        Operator::Sum => input.iter().enumerate().map(|(at, value)| value + second(at)).collect(),
    }
}

/// For each query of each head, the mean of the values, weighted by the softmax of its products with the keys.
fn attention(run: &Plain<'_>, heads: usize, bias: bool) -> Vec<f64> {
    let [(queries, shape), (keys, _), (values, of_values)] = [run.inputs[0], run.inputs[1], run.inputs[2]];
    let (squares, each, columns) = (shape.squares(), shape.channels / heads, of_values.channels / heads);
    let mut output = vec![0.0; run.boards * run.output.len()];
    for row in 0..run.boards * heads * squares {
        let (board, head, query) = (row / squares / heads, row / squares % heads, row % squares);
        let at = |square: usize| (board * squares + square) * shape.channels + head * each;
        let weights = (0..squares).map(|key| {
            let product = |channel: usize| queries[at(query) + channel] * keys[at(key) + channel];
            let term = if bias { run.inputs[3].0[row * squares + key] } else { 0.0 };
            ((0..each).map(product).sum::<f64>() / (each as f64).sqrt() + term).exp()
        });
        let weights: Vec<f64> = weights.collect();
        let total: f64 = weights.iter().sum();
        let start = |square: usize| (board * squares + square) * of_values.channels + head * columns;
        for (key, weight) in weights.into_iter().enumerate() {
            for column in 0..columns {
                output[start(query) + column] += weight / total * values[start(key) + column];
            }
        }
    }
    output
}

/// The product of the query of the square where a move starts and the key of the one where it ends; promotions add two numbers of the last
/// square.
fn move_scores(run: &Plain<'_>) -> Vec<f64> {
    let [(queries, shape), (keys, _), (pieces, of_pieces)] = [run.inputs[0], run.inputs[1], run.inputs[2]];
    let channels = shape.channels;
    let row = |board: usize| {
        let score = |from: usize, to: usize| {
            let at = |square: usize| (board * 64 + square) * channels;
            let product = |channel: usize| queries[at(from) + channel] * keys[at(to) + channel];
            (0..channels).map(product).sum::<f64>() / (channels as f64).sqrt()
        };
        let plain = (0..64 * 64).map(move |place| score(place / 64, place % 64));
        let promotion = move |place: usize| {
            let (from, to, piece) = (place / 24, place / 3 % 8, place % 3);
            let number = |piece: usize| pieces[(board * 64 + 56 + to) * of_pieces.channels + piece];
            score(48 + from, 56 + to) + number(piece) + number(3)
        };
        plain.chain((0..8 * 8 * 3).map(promotion)).collect::<Vec<f64>>()
    };
    (0..run.boards).flat_map(row).collect()
}

fn activation(function: Activation, x: f64) -> f64 {
    match function {
        Activation::Identity => x,
        Activation::Relu => x.max(0.0),
        // In double precision, ln(1 + e^x) equals x from 37 on; e^x overflows only later.
        Activation::Mish => x * if x > 40.0 { x } else { x.exp().ln_1p() }.tanh(),
        Activation::Swish => x / (1.0 + (-x).exp()),
        Activation::LeakyRelu => x.max(0.0) + f64::from(LEAK) * x.min(0.0),
        Activation::Tanh => x.tanh(),
        Activation::ReluSquared => x.max(0.0).powi(2),
        Activation::Selu => {
            let negative = 1.673_263_242_354_377_2 * (x.min(0.0).exp() - 1.0);
            1.050_700_987_355_480_5 * (x.max(0.0) + negative)
        }
        Activation::Gelu => {
            let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3));
            0.5 * x * (1.0 + inner.tanh())
        }
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
        (Activation::ReluSquared, 3.0, 9.0),
        (Activation::Selu, 2.0, 2.101_401_974_71),
        (Activation::Selu, -1.0, -1.111_330_737_81),
        (Activation::Gelu, 1.0, 0.841_191_990_95),
        (Activation::Gelu, -1.0, -0.158_808_009_05),
    ] {
        let found = activation(function, x);
        assert!((found - expected).abs() < 1e-9, "{function:?} of {x}: {found}");
    }
}
