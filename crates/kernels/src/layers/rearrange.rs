//! Layers that rearrange values, and the gate of squeeze-and-excitation, for one position at a time.

use super::shape::Shape;

/// All channels of all squares as one row.
pub(super) fn flatten(input: &[f32], from: Shape, output: &mut [f32]) {
    let (channels, width) = (from.channels, from.width());
    for (to, square) in output.chunks_exact_mut(channels).zip(input.chunks_exact(width)) {
        to.copy_from_slice(&square[..channels]);
    }
}

/// The inverse of flattening: spreads a row over squares that are padded to whole vectors.
pub(super) fn unflatten(row: &[f32], to: Shape, output: &mut [f32]) {
    let (channels, width) = (to.channels, to.width());
    for (square, from) in output.chunks_exact_mut(width).zip(row.chunks_exact(channels)) {
        square[..channels].copy_from_slice(from);
        square[channels..].fill(0.0);
    }
}

/// Concatenates two rows.
pub(super) fn join([first, second]: [&[f32]; 2], [channels, others]: [usize; 2], output: &mut [f32]) {
    output[..channels].copy_from_slice(&first[..channels]);
    output[channels..channels + others].copy_from_slice(&second[..others]);
}

/// Part of a row, followed by zeros.
pub(super) fn part(row: &[f32], (first, count): (usize, usize), output: &mut [f32]) {
    output[..count].copy_from_slice(&row[first..first + count]);
    output[count..].fill(0.0);
}

/// `1 / (1 + e^-x)`.
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// `input * sigmoid(first half of the gates) + second half`, for each channel.
pub(super) fn gate(input: &[f32], gates: &[f32], shape: Shape, output: &mut [f32]) {
    let (channels, width) = (shape.channels, shape.width());
    let (scale, shift) = gates[..2 * channels].split_at(channels);
    let scale: Vec<f32> = scale.iter().map(|gate| sigmoid(*gate)).collect();
    for (output, input) in output.chunks_exact_mut(width).zip(input.chunks_exact(width)) {
        for channel in 0..channels {
            output[channel] = input[channel] * scale[channel] + shift[channel];
        }
    }
}

/// Turns the gradient of a gate's output into the gradient of its input, and computes the gradient of the gates.
pub(super) fn ungate(
    (input, gates): (&[f32], &[f32]),
    shape: Shape,
    gradient: &mut [f32],
    of_gates: &mut [f32],
) {
    let (channels, width) = (shape.channels, shape.width());
    of_gates.fill(0.0);
    for channel in 0..channels {
        let scale = sigmoid(gates[channel]);
        let (mut sum, mut product) = (0.0, 0.0);
        for (gradient, input) in gradient.chunks_exact_mut(width).zip(input.chunks_exact(width)) {
            sum += gradient[channel];
            product += gradient[channel] * input[channel];
            gradient[channel] *= scale;
        }
        of_gates[channel] = product * scale * (1.0 - scale);
        of_gates[channels + channel] = sum;
    }
}
