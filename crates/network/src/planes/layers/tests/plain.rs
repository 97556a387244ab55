//! The forward pass according to the definitions: plain loops in double precision, without a tensor library or
//! instruction sets.
//!
//! It is the oracle for every faster implementation, small enough to be checked by reading, and exact enough for finite
//! differences.

mod operators;

use chess::encoding::{Plane, SQUARES};

use crate::planes::layers::{Layer, LayerList, Shape, layer_noise};

/// Training or play: the source of the batch normalisations' mean and variance, and the behaviour that
/// differs between them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PlainMode<'a> {
    /// Statistics of the batch itself. Layers that use random numbers derive them from the seed.
    Training { noise: Option<u64> },
    /// Stored statistics, `[2][channels]` each.
    Play { statistics: &'a [Vec<f64>] },
}

/// The outputs of the heads and the statistics of a forward pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlainOutputs {
    /// `[boards][width]`; empty if there is no such head.
    pub(crate) policy: Vec<f64>,
    /// `[boards][outputs]`; empty if there is no such head.
    pub(crate) value: Vec<f64>,
    /// `[boards]`; empty if there is no such head.
    pub(crate) moves_left: Vec<f64>,
    /// The mean and variance that were used.
    pub(crate) statistics: Vec<Vec<f64>>,
}

/// The inputs of an operation in plain slices.
#[derive(Debug)]
struct Plain<'a> {
    boards: usize,
    /// `[boards][ranks][files][channels]`, as for the output.
    inputs: Vec<(&'a [f64], Shape)>,
    output: Shape,
    parameters: &'a [Vec<f64>],
    /// Mean and variance, `[2][channels]`, of a batch normalisation.
    statistics: &'a [f64],
    /// The seed of this layer's random numbers in this step; `None` outside training.
    noise: Option<u64>,
}

/// Runs the network.
///
/// # Shapes
/// planes `[boards][planes]`, with those of the extra numbers last.
pub(crate) fn forward(
    list: &LayerList,
    parameters: &[Vec<f64>],
    mode: PlainMode<'_>,
    planes: &[Plane],
) -> PlainOutputs {
    let (mut values, boards) = inputs(list, planes);
    let mut statistics = vec![Vec::new(); list.statistics.len()];
    for (number, layer) in list.layers.iter().enumerate() {
        let shapes = list.input_shapes(layer);
        let used = match (layer.statistics, mode) {
            (None, _) => Vec::new(),
            (Some(place), PlainMode::Play { statistics }) => statistics[place].clone(),
            (Some(_), PlainMode::Training { .. }) => measured(&values[layer.inputs[0]], shapes[0]),
        };
        let noise = match mode {
            PlainMode::Training { noise } => layer_noise(noise, number),
            PlainMode::Play { .. } => None,
        };
        let run = Plain {
            boards,
            inputs: layer.inputs.iter().map(|place| values[*place].as_slice()).zip(shapes).collect(),
            output: layer.shape,
            parameters: &parameters[layer.parameters.clone()],
            statistics: &used,
            noise,
        };
        let output = operators::apply(layer.operation.operator(), &run);
        debug_assert_eq!(output.len(), boards * layer.shape.len(), "{}", layer.name);
        values.push(output);
        if let Layer { statistics: Some(place), .. } = layer {
            statistics[*place] = used;
        }
    }
    let mut head =
        |place: Option<usize>| place.map(|place| std::mem::take(&mut values[place])).unwrap_or_default();
    PlainOutputs {
        policy: head(list.policy),
        value: head(list.value),
        moves_left: head(list.moves_left),
        statistics,
    }
}

/// The channels of the board, and the extra numbers, which are read from square a1 of their planes.
fn inputs(list: &LayerList, planes: &[Plane]) -> (Vec<Vec<f64>>, usize) {
    let (on_board, count) = (list.inputs[0].channels, list.channels.len());
    let boards = planes.len() / count;
    let mut values: Vec<Vec<f64>> = list.inputs.iter().map(|shape| vec![0.0; boards * shape.len()]).collect();
    for (board, planes) in planes.chunks_exact(count).enumerate() {
        for (plane, &channel) in planes.iter().zip(&list.channels) {
            for square in (0..SQUARES).filter(|square| plane.mask >> square & 1 == 1) {
                let value = f64::from(plane.value);
                if channel < on_board {
                    values[0][(board * SQUARES + square) * on_board + channel] += value;
                } else if square == 0 {
                    let numbers = list.inputs[1].channels;
                    values[1][board * numbers + channel - on_board] = value;
                }
            }
        }
    }
    (values, boards)
}

/// Mean and biased variance of each channel, `[2][channels]`.
fn measured(values: &[f64], shape: Shape) -> Vec<f64> {
    let count = (values.len() / shape.channels) as f64;
    let mut statistics = vec![0.0; 2 * shape.channels];
    let (mean, variance) = statistics.split_at_mut(shape.channels);
    let add = |sums: &mut [f64], term: &dyn Fn(usize, f64) -> f64| {
        for row in values.chunks_exact(shape.channels) {
            row.iter()
                .enumerate()
                .for_each(|(channel, value)| sums[channel] += term(channel, *value) / count);
        }
    };
    add(mean, &|_, value| value);
    add(variance, &|channel, value| (value - mean[channel]).powi(2));
    statistics
}
