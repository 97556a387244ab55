//! Layers that rearrange values, for one position at a time.

use super::list::Shape;

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

/// Concatenates the channels of each square.
pub(super) fn join([first, second]: [&[f32]; 2], [shape, other]: [Shape; 2], output: &mut [f32]) {
    let (channels, others) = (shape.channels, other.channels);
    let joined = Shape { channels: channels + others, ..shape };
    let squares = first.chunks_exact(shape.width()).zip(second.chunks_exact(other.width()));
    for (output, (first, second)) in output.chunks_exact_mut(joined.width()).zip(squares) {
        output[..channels].copy_from_slice(&first[..channels]);
        output[channels..channels + others].copy_from_slice(&second[..others]);
        output[channels + others..].fill(0.0);
    }
}

/// The channels of each square from `first` on that `to` has room for, and zeros in the rest of it; `from` may have fewer.
pub(super) fn part(input: &[f32], from: Shape, first: usize, (output, to): (&mut [f32], Shape)) {
    let count = to.channels.min(from.channels - first);
    for (output, input) in output.chunks_exact_mut(to.width()).zip(input.chunks_exact(from.width())) {
        output[..count].copy_from_slice(&input[first..first + count]);
        output[count..].fill(0.0);
    }
}
