//! Compares the backward pass of layer normalisation with its definition in double precision.

use super::*;
use crate::layers::square_wise::LayerNormGradient;

const EPSILON: f32 = 1e-3;

/// Random rows around a mean, zero beyond their channels.
fn rows(shape: Shape, seed: usize, mean: f32) -> Vec<f32> {
    let mut rows = numbers(shape.room() + seed, 1.0);
    rows.truncate(shape.room());
    for row in rows.chunks_exact_mut(shape.width()) {
        row[..shape.channels].iter_mut().for_each(|value| *value += mean);
        row[shape.channels..].fill(0.0);
    }
    rows
}

/// The gradients of a row before the normalisation, and its normalised values.
fn expected(input: &[f32], scale: &[f32], gradient: &[f32]) -> [Vec<f64>; 2] {
    let count = input.len() as f64;
    let mean = input.iter().map(|value| f64::from(*value)).sum::<f64>() / count;
    let centred: Vec<f64> = input.iter().map(|value| f64::from(*value) - mean).collect();
    let variance = centred.iter().map(|value| value * value).sum::<f64>() / count;
    let inverse = 1.0 / (variance + f64::from(EPSILON)).sqrt();
    let normalised: Vec<f64> = centred.iter().map(|value| value * inverse).collect();
    let upstream: Vec<f64> = gradient
        .iter()
        .zip(scale)
        .map(|(gradient, scale)| f64::from(*gradient) * f64::from(*scale))
        .collect();
    let sum = upstream.iter().sum::<f64>();
    let bent = upstream.iter().zip(&normalised).map(|(upstream, value)| upstream * value).sum::<f64>();
    let found = upstream.iter().zip(&normalised);
    let found = found.map(|(upstream, value)| inverse * (upstream - (sum + value * bent) / count)).collect();
    [found, normalised]
}

#[test]
fn gradients_of_layer_normalisation_are_those_of_the_definition() {
    for (channels, side) in [(1, 8), (5, 8), (16, 8), (24, 8), (48, 8), (256, 1)] {
        let shape = Shape { channels, ranks: side, files: side };
        let width = shape.width();
        let (input, upstream) = (rows(shape, 0, 2.0), rows(shape, 1, 0.0));
        let mut scale = numbers(width, 0.5);
        scale[..channels].iter_mut().for_each(|value| *value += 1.0);
        scale[channels..].fill(0.0);
        let mut sums = [vec![0.0_f64; channels], vec![0.0_f64; channels]];
        let mut of_input: Vec<f64> = Vec::new();
        for (input, upstream) in input.chunks_exact(width).zip(upstream.chunks_exact(width)) {
            let upstream = &upstream[..channels];
            let [found, normalised] = expected(&input[..channels], &scale[..channels], upstream);
            of_input.extend(found);
            of_input.resize(of_input.len() + width - channels, 0.0);
            for (sum, (upstream, value)) in sums[0].iter_mut().zip(upstream.iter().zip(&normalised)) {
                *sum += f64::from(*upstream) * value;
            }
            sums[1].iter_mut().zip(upstream).for_each(|(sum, upstream)| *sum += f64::from(*upstream));
        }
        for isa in Isa::available() {
            let (mut gradient, mut found) = (upstream.clone(), vec![0.0; 2 * width]);
            isa.run(LayerNormGradient {
                input: &input,
                channels,
                epsilon: EPSILON,
                scale: &scale,
                gradient: &mut gradient,
                sums: &mut found,
            });
            let what = format!("{isa}, {channels} channels");
            for (found, expected) in gradient.iter().zip(&of_input) {
                assert!((f64::from(*found) - expected).abs() < 1e-3, "{what}: {found}, expected {expected}");
            }
            for (found, expected) in found.chunks_exact(width).zip(&sums) {
                for (found, expected) in found.iter().zip(expected) {
                    let off = (f64::from(*found) - expected).abs();
                    assert!(off < 1e-3, "{what}: {found}, expected {expected}");
                }
            }
        }
    }
}
