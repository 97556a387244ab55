//! Attention among the squares of a board, and the scores of moves from pairs of squares, for one position at a time.
//!
//! A head's keys are transposed once, so that the scores of a query are sums of whole vectors, a square in each lane. The backward pass
//! computes the probabilities again instead of keeping 64 x 64 numbers for each head of each layer.

use super::{list::Shape, operation::MOVE_SCORES};
use crate::{
    activation::exp,
    layout::{CHANNEL_BLOCK, padded},
    simd::{Kernel, Simd},
};

/// Squares of a board: queries and keys of each head.
const SQUARES: usize = 64;

/// A softmax attention.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attention {
    pub(super) heads: usize,
    /// True if a flat input is added to the scores.
    pub(super) bias: bool,
    /// The shape of queries and keys.
    pub(super) keys: Shape,
    /// The shape of values and output.
    pub(super) values: Shape,
}

impl Attention {
    /// The scale of the scores, `1 / sqrt(channels of a head)` (Vaswani et al. 2017, arXiv:1706.03762, equation 1).
    fn scale(self) -> f32 {
        1.0 / (self.keys_each() as f32).sqrt()
    }

    fn keys_each(self) -> usize {
        self.keys.channels / self.heads
    }

    fn values_each(self) -> usize {
        self.values.channels / self.heads
    }

    /// The bias of a head, `[queries][keys]`; empty without one.
    fn bias_of(self, bias: &[f32], head: usize) -> &[f32] {
        if self.bias { &bias[head * SQUARES * SQUARES..][..SQUARES * SQUARES] } else { &[] }
    }

    /// The output of a board: `inputs` are queries, keys, values and, if there is one, the bias.
    pub(super) fn forward<S: Simd>(self, simd: S, inputs: &[&[f32]], output: &mut [f32]) {
        let (channels, each) = (self.keys_each(), self.values_each());
        let width = padded(each, CHANNEL_BLOCK);
        let mut transposed = vec![0.0; channels * SQUARES];
        let mut values = vec![0.0; SQUARES * width];
        let mut scores = vec![0.0; SQUARES * SQUARES];
        let mut sums = vec![0.0; SQUARES * width];
        output.fill(0.0);
        for head in 0..self.heads {
            transpose(inputs[1], self.keys, (head * channels, channels), &mut transposed);
            gather(inputs[2], self.values, (head * each, each), &mut values);
            simd.run(Probabilities {
                queries: inputs[0],
                width: self.keys.width(),
                columns: (head * channels, channels),
                keys: &transposed,
                scale: self.scale(),
                bias: self.bias_of(inputs.get(3).copied().unwrap_or_default(), head),
                output: &mut scores,
            });
            let (left, right) = (&scores, &values);
            simd.run(Products { left, stride: SQUARES, right, columns: width, output: &mut sums });
            for (row, sums) in output.chunks_exact_mut(self.values.width()).zip(sums.chunks_exact(width)) {
                row[head * each..][..each].copy_from_slice(&sums[..each]);
            }
        }
    }

    /// The gradients of the inputs, given that of the output.
    pub(super) fn backward<S: Simd>(
        self,
        simd: S,
        inputs: &[&[f32]],
        gradient: &[f32],
        of_inputs: &mut [&mut [f32]],
    ) {
        let (channels, each, scale) = (self.keys_each(), self.values_each(), self.scale());
        let mut transposed = vec![0.0; channels * SQUARES];
        let mut probabilities = vec![0.0; SQUARES * SQUARES];
        let [mut queries, mut keys] = [vec![0.0; SQUARES * channels], vec![0.0; SQUARES * channels]];
        let [mut values, mut upstream] = [vec![0.0; SQUARES * each], vec![0.0; SQUARES * each]];
        let mut slopes = vec![0.0; SQUARES * SQUARES];
        for of_input in of_inputs.iter_mut() {
            of_input.fill(0.0);
        }
        for head in 0..self.heads {
            let (of_keys, of_values) = ((head * channels, channels), (head * each, each));
            transpose(inputs[1], self.keys, of_keys, &mut transposed);
            let bias = self.bias_of(inputs.get(3).copied().unwrap_or_default(), head);
            simd.run(Probabilities {
                queries: inputs[0],
                width: self.keys.width(),
                columns: of_keys,
                keys: &transposed,
                scale,
                bias,
                output: &mut probabilities,
            });
            gather(inputs[0], self.keys, of_keys, &mut queries);
            gather(inputs[1], self.keys, of_keys, &mut keys);
            gather(inputs[2], self.values, of_values, &mut values);
            gather(gradient, self.values, of_values, &mut upstream);
            // dP = dO V^T, then dS = P (dP - sum of dP P), row by row.
            for ((slopes, row), upstream) in slopes
                .chunks_exact_mut(SQUARES)
                .zip(probabilities.chunks_exact(SQUARES))
                .zip(upstream.chunks_exact(each))
            {
                for (slope, values) in slopes.iter_mut().zip(values.chunks_exact(each)) {
                    *slope = dot(upstream, values);
                }
                let mean = dot(slopes, row);
                slopes
                    .iter_mut()
                    .zip(row)
                    .for_each(|(slope, probability)| *slope = probability * (*slope - mean));
            }
            if self.bias {
                of_inputs[3][head * SQUARES * SQUARES..][..SQUARES * SQUARES].copy_from_slice(&slopes);
            }
            for query in 0..SQUARES {
                for key in 0..SQUARES {
                    let (place, probability) = (query * SQUARES + key, probabilities[query * SQUARES + key]);
                    let slope = slopes[place] * scale;
                    let at = |square: usize| square * self.keys.width() + head * channels;
                    add(&mut of_inputs[0][at(query)..][..channels], &keys[key * channels..], slope);
                    add(&mut of_inputs[1][at(key)..][..channels], &queries[query * channels..], slope);
                    let to = key * self.values.width() + head * each;
                    add(&mut of_inputs[2][to..][..each], &upstream[query * each..], probability);
                }
            }
        }
    }
}

fn dot(first: &[f32], second: &[f32]) -> f32 {
    first.iter().zip(second).map(|(first, second)| first * second).sum()
}

/// `sum += term * factor`.
fn add(sum: &mut [f32], term: &[f32], factor: f32) {
    sum.iter_mut().zip(term).for_each(|(sum, term)| *sum += term * factor);
}

/// Some columns of a board as rows, `[squares][count]` or wider; what is wider stays.
fn gather(board: &[f32], shape: Shape, (first, count): (usize, usize), rows: &mut [f32]) {
    let width = rows.len() / SQUARES;
    for (row, square) in rows.chunks_exact_mut(width).zip(board.chunks_exact(shape.width())) {
        row[..count].copy_from_slice(&square[first..first + count]);
    }
}

/// Some columns of a board, `[count][squares]`.
fn transpose(board: &[f32], shape: Shape, (first, count): (usize, usize), columns: &mut [f32]) {
    for (square, row) in board.chunks_exact(shape.width()).enumerate() {
        for (column, value) in row[first..first + count].iter().enumerate() {
            columns[column * SQUARES + square] = *value;
        }
    }
}

/// Rows of a product that are summed together: as many independent chains of additions hide the latency of a fused multiply-add on
/// every processor, and with a vector of the right matrix they fit in sixteen registers.
const ROWS: usize = 8;

/// The product of 64 rows with a small matrix.
///
/// Written with indices and one check of the lengths: iterators over slices are not inlined into functions with an instruction set
/// of their own, and each vector would travel through memory (measured: a quarter of the time of an attention body).
struct Products<'a> {
    /// `[squares]` rows, from the first number that counts; a row begins every `stride` numbers.
    left: &'a [f32],
    stride: usize,
    /// `[inner][columns]`.
    right: &'a [f32],
    /// A multiple of the lanes.
    columns: usize,
    /// `[squares][columns]`.
    output: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Products<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { left, stride, right, columns, output } = self;
        let inner = right.len() / columns;
        assert!(
            columns.is_multiple_of(S::LANES)
                && left.len() >= (SQUARES - 1) * stride + inner
                && output.len() == SQUARES * columns
        );
        for row in (0..SQUARES).step_by(ROWS) {
            for column in (0..columns).step_by(S::LANES) {
                let mut sums = [simd.splat(0.0); ROWS];
                for place in 0..inner {
                    // SAFETY: `place * columns + column` and the numbers of its vector are below the length of `right`, and
                    // `(row + number) * stride + place` is below that of `left`, as was checked.
                    unsafe {
                        let vector = simd.load(right.as_ptr().add(place * columns + column));
                        let factors = left.as_ptr().add(row * stride + place);
                        for number in 0..ROWS {
                            let factor = simd.splat(*factors.add(number * stride));
                            sums[number] = simd.fma(factor, vector, sums[number]);
                        }
                    }
                }
                for number in 0..ROWS {
                    // SAFETY: rows and columns are within the output, as was checked.
                    unsafe {
                        let to = output.as_mut_ptr().add((row + number) * columns + column);
                        simd.store(to, sums[number]);
                    }
                }
            }
        }
    }
}

/// The softmax over the keys of `queries keys * scale + bias`, for every query of a head.
struct Probabilities<'a> {
    /// `[squares][width]`, of which the head has `count` columns from `first`.
    queries: &'a [f32],
    width: usize,
    columns: (usize, usize),
    /// `[channels][squares]`.
    keys: &'a [f32],
    scale: f32,
    /// `[queries][keys]`, or empty.
    bias: &'a [f32],
    /// The result, `[queries][keys]`.
    output: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Probabilities<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { queries, width, columns: (first, count), keys, scale, bias, output } = self;
        assert!(keys.len() == count * SQUARES && (bias.is_empty() || bias.len() == output.len()));
        let left = &queries[first..];
        Products { left, stride: width, right: keys, columns: SQUARES, output: &mut *output }.call(simd);
        let scale = simd.splat(scale);
        for row in (0..output.len()).step_by(SQUARES) {
            let mut largest = simd.splat(f32::NEG_INFINITY);
            for lane in (row..row + SQUARES).step_by(S::LANES) {
                // SAFETY: a row holds 64 numbers, a multiple of the lanes, and so does that of the bias.
                unsafe {
                    let mut scores = simd.mul(simd.load(output.as_ptr().add(lane)), scale);
                    if !bias.is_empty() {
                        scores = simd.add(scores, simd.load(bias.as_ptr().add(lane)));
                    }
                    largest = simd.max(largest, scores);
                    simd.store(output.as_mut_ptr().add(lane), scores);
                }
            }
            let mut lanes = [f32::NEG_INFINITY; 16];
            // SAFETY: there is room for the lanes, of which there are at most sixteen.
            unsafe { simd.store(lanes.as_mut_ptr(), largest) };
            let mut most = lanes[0];
            for number in 1..S::LANES {
                most = most.max(lanes[number]);
            }
            let largest = simd.splat(most);
            let mut total = simd.splat(0.0);
            for lane in (row..row + SQUARES).step_by(S::LANES) {
                // SAFETY: as above.
                unsafe {
                    let power = exp(simd, simd.sub(simd.load(output.as_ptr().add(lane)), largest));
                    total = simd.add(total, power);
                    simd.store(output.as_mut_ptr().add(lane), power);
                }
            }
            let share = simd.splat(1.0 / simd.total(total));
            for lane in (row..row + SQUARES).step_by(S::LANES) {
                // SAFETY: as above.
                unsafe {
                    let power = simd.load(output.as_ptr().add(lane));
                    simd.store(output.as_mut_ptr().add(lane), simd.mul(power, share));
                }
            }
        }
    }
}

/// First square of the rank from which pawns promote, and of the one to which.
const SEVENTH: usize = 48;
const EIGHTH: usize = 56;

/// The place of a promotion to a queen in the scores of moves, for the files of both squares; rook and bishop follow.
fn promotion(from: usize, to: usize) -> usize {
    SQUARES * SQUARES + (from * 8 + to) * 3
}

/// The scores of the moves of a board (lc0's attention policy): query times key over the square root of their length; a promotion adds its
/// piece's number at the square where it ends and the fourth one there.
pub(super) fn move_scores<S: Simd>(
    simd: S,
    [queries, keys, promotions]: [&[f32]; 3],
    [shape, of_promotions]: [Shape; 2],
    scores: &mut [f32],
) {
    let channels = shape.channels;
    let mut right = vec![0.0; channels * SQUARES];
    transpose(keys, shape, (0, channels), &mut right);
    let pairs = &mut scores[..SQUARES * SQUARES];
    let (right, output) = (&right, &mut *pairs);
    simd.run(Products { left: queries, stride: shape.width(), right, columns: SQUARES, output });
    let scale = 1.0 / (channels as f32).sqrt();
    for score in pairs.iter_mut() {
        *score *= scale;
    }
    for from in 0..8 {
        for to in 0..8 {
            let pieces = &promotions[(EIGHTH + to) * of_promotions.width()..][..4];
            let plain = scores[(SEVENTH + from) * SQUARES + EIGHTH + to];
            for piece in 0..3 {
                scores[promotion(from, to) + piece] = plain + pieces[piece] + pieces[3];
            }
        }
    }
    scores[MOVE_SCORES..].fill(0.0);
}

/// The gradients of queries, keys and promotions from that of the scores.
pub(super) fn of_move_scores(
    [queries, keys]: [&[f32]; 2],
    [shape, of_promotions]: [Shape; 2],
    gradient: &[f32],
    of_inputs: &mut [&mut [f32]],
) {
    let (channels, width) = (shape.channels, shape.width());
    let scale = 1.0 / (channels as f32).sqrt();
    let mut plain = gradient[..SQUARES * SQUARES].to_vec();
    for of_input in of_inputs.iter_mut() {
        of_input.fill(0.0);
    }
    for from in 0..8 {
        for to in 0..8 {
            let pieces = &gradient[promotion(from, to)..][..3];
            let sum: f32 = pieces.iter().sum();
            plain[(SEVENTH + from) * SQUARES + EIGHTH + to] += sum;
            let of_pieces = &mut of_inputs[2][(EIGHTH + to) * of_promotions.width()..][..4];
            of_pieces.iter_mut().zip(pieces).for_each(|(of_piece, gradient)| *of_piece += gradient);
            of_pieces[3] += sum;
        }
    }
    for from in 0..SQUARES {
        for to in 0..SQUARES {
            let slope = plain[from * SQUARES + to] * scale;
            add(&mut of_inputs[0][from * width..][..channels], &keys[to * width..], slope);
            add(&mut of_inputs[1][to * width..][..channels], &queries[from * width..], slope);
        }
    }
}
