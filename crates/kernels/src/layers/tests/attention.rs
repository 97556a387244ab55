//! Compares attention with its definition in double precision, and play with training.

use super::{
    eight_bits::{attention_body, weights},
    *,
};
use crate::{
    layers::attention::Attention,
    simd::{Kernel, Simd},
};

const SQUARES: usize = 64;

struct Forward<'a> {
    attention: Attention,
    inputs: [&'a [f32]; 4],
}

impl<S: Simd> Kernel<S, Vec<f32>> for Forward<'_> {
    fn call(self, simd: S) -> Vec<f32> {
        let mut output = vec![f32::NAN; self.attention.values.room()];
        let inputs = if self.attention.bias { &self.inputs[..] } else { &self.inputs[..3] };
        self.attention.forward(simd, inputs, &mut output);
        output
    }
}

struct Backward<'a> {
    forward: Forward<'a>,
    gradient: &'a [f32],
}

impl<S: Simd> Kernel<S, Vec<Vec<f32>>> for Backward<'_> {
    fn call(self, simd: S) -> Vec<Vec<f32>> {
        let inputs = &self.forward.inputs[..];
        let mut found: Vec<Vec<f32>> = inputs.iter().map(|input| vec![f32::NAN; input.len()]).collect();
        let mut of_inputs: Vec<&mut [f32]> = found.iter_mut().map(Vec::as_mut_slice).collect();
        self.forward.attention.backward(simd, inputs, self.gradient, &mut of_inputs);
        found
    }
}

/// Random values of a board, zero beyond its channels.
fn board(shape: Shape, scale: f32) -> Vec<f32> {
    let mut values = numbers(shape.room(), scale);
    for square in values.chunks_exact_mut(shape.width()) {
        square[shape.channels..].fill(0.0);
    }
    values
}

/// The output for a query and a channel of the values.
fn expected(forward: &Forward<'_>, query: usize, channel: usize) -> f64 {
    let Forward { attention, inputs: [queries, keys, values, bias] } = forward;
    let each = attention.keys.channels / attention.heads;
    let head = channel / (attention.values.channels / attention.heads);
    let score = |key: usize| {
        let of = |board: &[f32], square: usize, part: usize| {
            f64::from(board[square * attention.keys.width() + head * each + part])
        };
        let product: f64 = (0..each).map(|part| of(queries, query, part) * of(keys, key, part)).sum();
        let term = if attention.bias { bias[(head * SQUARES + query) * SQUARES + key] } else { 0.0 };
        product / (each as f64).sqrt() + f64::from(term)
    };
    let powers: Vec<f64> = (0..SQUARES).map(|key| score(key).exp()).collect();
    let value = |key: usize| f64::from(values[key * attention.values.width() + channel]);
    let sum: f64 = powers.iter().enumerate().map(|(key, power)| power * value(key)).sum();
    sum / powers.iter().sum::<f64>()
}

/// Heads of whole vectors, narrower than one, and with a last vector that reaches into the padding or beyond it.
#[test]
fn heads_of_every_width_are_those_of_the_definition() {
    let map = |channels| Shape { channels, ranks: 8, files: 8 };
    for (heads, of_key, of_value) in
        [(1, 5, 5), (6, 4, 4), (3, 12, 12), (4, 16, 16), (2, 24, 24), (5, 7, 9), (2, 8, 20), (1, 32, 48)]
    {
        for bias in [false, true] {
            let (keys, values) = (map(heads * of_key), map(heads * of_value));
            let attention = Attention { heads, bias, keys, values };
            let boards = [board(keys, 2.0), board(keys, 1.5), board(values, 1.0)];
            let terms = numbers(heads * SQUARES * SQUARES, 3.0);
            let forward = || Forward { attention, inputs: [&boards[0], &boards[1], &boards[2], &terms] };
            for isa in Isa::available() {
                let found = isa.run(forward());
                for (query, found) in found.chunks_exact(values.width()).enumerate() {
                    let what = format!("{isa}, {heads} heads of {of_key} and {of_value}, query {query}");
                    for (channel, found) in found[..values.channels].iter().enumerate() {
                        let off = (f64::from(*found) - expected(&forward(), query, channel)).abs();
                        assert!(off < 1e-5, "{what}, channel {channel}: off by {off}");
                    }
                    assert!(found[values.channels..].iter().all(|value| *value == 0.0), "{what}: padding");
                }
            }
        }
    }
}

/// The gradient of each input along a random direction is the difference quotient of the definition.
#[test]
fn gradients_of_every_width_are_slopes_of_the_definition() {
    let map = |channels| Shape { channels, ranks: 8, files: 8 };
    let reversed = |mut values: Vec<f32>| {
        values.reverse();
        values
    };
    for (heads, of_key, of_value) in [(6, 4, 4), (5, 7, 9), (2, 24, 20)] {
        let (keys, values) = (map(heads * of_key), map(heads * of_value));
        let attention = Attention { heads, bias: true, keys, values };
        let terms = heads * SQUARES * SQUARES;
        let inputs = [board(keys, 2.0), reversed(board(keys, 1.5)), board(values, 1.0), numbers(terms, 1.0)];
        let gradient = reversed(board(values, 1.0));
        let loss = |inputs: &[Vec<f32>; 4]| -> f64 {
            let forward = Forward { attention, inputs: inputs.each_ref().map(Vec::as_slice) };
            let places =
                (0..SQUARES).flat_map(|query| (0..values.channels).map(move |channel| (query, channel)));
            let weighted = places.map(|(query, channel)| {
                f64::from(gradient[query * values.width() + channel]) * expected(&forward, query, channel)
            });
            weighted.sum()
        };
        for (place, input) in inputs.iter().enumerate() {
            let direction = reversed(numbers(input.len() + 1, 0.01));
            let moved = |sign: f32| {
                let mut moved = inputs.clone();
                moved[place].iter_mut().zip(&direction).for_each(|(value, step)| *value += sign * step);
                loss(&moved)
            };
            let quotient = (moved(1.0) - moved(-1.0)) / 2.0;
            for isa in Isa::available() {
                let forward = Forward { attention, inputs: inputs.each_ref().map(Vec::as_slice) };
                let found = isa.run(Backward { forward, gradient: &gradient });
                let steps = found[place].iter().zip(&direction);
                let slope: f64 = steps.map(|(slope, step)| f64::from(*slope) * f64::from(*step)).sum();
                let what = format!("{isa}, {heads} heads of {of_key} and {of_value}, input {place}");
                let off = (slope - quotient).abs();
                assert!(off < 0.01 * quotient.abs() + 1e-4, "{what}: {slope}, expected {quotient}");
            }
        }
    }
}

/// Play does not copy what only changes its shape.
#[test]
fn an_attention_body_plays_as_it_trains() {
    let list = attention_body();
    assert_eq!(list.steps.iter().filter(|step| list.is_view(step)).count(), 3);
    let (weights, planes) = (weights(&list), planes(5));
    for isa in Isa::available() {
        let mut training = TrainingLayers::new(&list, isa, Precision::F32).unwrap();
        let expected = training.forward(&weights, &planes, NormStatistics::Stored(&[]), None).unwrap();
        let layers = PlayLayers::new(&list, isa, Precision::F32, &weights, &[]).unwrap();
        let mut arena = layers.arena();
        for _ in 0..2 {
            assert_close(&layers.run(&mut arena, &planes).unwrap(), &expected, &isa.to_string());
        }
    }
}
