//! Attention among the squares of a board, and the scores of moves from pairs of squares, for one position at a time.
//!
//! A head's keys are transposed once, so that the scores of a query are sums of whole vectors, a square in each lane. The backward pass
//! computes the probabilities again instead of keeping 64 x 64 numbers for each head of each layer.

use super::{list::Shape, operation::MOVE_SCORES};
use crate::{
    activation::exp,
    gemm::Transpose,
    layout::padded,
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
        let (from, to) = (self.keys.width(), self.values.width());
        let mut transposed = vec![0.0; from * SQUARES];
        let mut scores = vec![0.0; SQUARES * SQUARES];
        let width = padded(each, S::LANES);
        let mut apart = vec![0.0; SQUARES * width];
        simd.run(Transpose { matrix: inputs[1], columns: from, output: &mut transposed, stride: SQUARES });
        if self.values.channels < to {
            output.fill(0.0);
        }
        for head in 0..self.heads {
            simd.run(Probabilities {
                queries: inputs[0],
                width: from,
                columns: (head * channels, channels),
                keys: &transposed[head * channels * SQUARES..][..channels * SQUARES],
                scale: self.scale(),
                bias: self.bias_of(inputs.get(3).copied().unwrap_or_default(), head),
                output: &mut scores,
            });
            // Vectors may reach into the columns of the next heads, which overwrite what they leave there. Those of the last heads
            // would reach into the padding or beyond the row: if need be they begin earlier, and only the columns of the head are
            // copied from them.
            let place = head * each;
            let first = place.min(to - width);
            let direct = place + width <= self.values.channels;
            let (product, stride) = if direct { (&mut output[first..], to) } else { (&mut apart[..], width) };
            simd.run(Products {
                left: (&scores, SQUARES),
                right: (&inputs[2][first..], to),
                size: (SQUARES, width),
                output: (product, stride),
            });
            if !direct {
                let rows = output.chunks_exact_mut(to).zip(apart.chunks_exact(width));
                rows.for_each(|(row, sums)| {
                    row[place..][..each].copy_from_slice(&sums[place - first..][..each]);
                });
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

/// The product of 64 rows with a small matrix. Operands come with the distance between their rows.
///
/// Written with indices and one check of the lengths: iterators over slices are not inlined into functions with an instruction set
/// of their own, and each vector would travel through memory (measured: a quarter of the time of an attention body).
struct Products<'a> {
    /// 64 rows of `inner` numbers.
    left: (&'a [f32], usize),
    /// `inner` rows of whole vectors.
    right: (&'a [f32], usize),
    /// The numbers of a row that are added up, and of columns, a multiple of the lanes.
    size: (usize, usize),
    /// 64 rows.
    output: (&'a mut [f32], usize),
}

impl<S: Simd> Kernel<S> for Products<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { left: (left, left_stride), right: (right, right_stride), size: (inner, columns), .. } =
            self;
        let (output, stride) = self.output;
        assert!(inner > 0 && columns.is_multiple_of(S::LANES), "whole vectors");
        assert!(left.len() >= (SQUARES - 1) * left_stride + inner, "64 rows on the left");
        assert!(right.len() >= (inner - 1) * right_stride + columns, "a row on the right for each term");
        assert!(output.len() >= (SQUARES - 1) * stride + columns, "room for 64 rows");
        for row in (0..SQUARES).step_by(ROWS) {
            for column in (0..columns).step_by(S::LANES) {
                let mut sums = [simd.splat(0.0); ROWS];
                for place in 0..inner {
                    // SAFETY: `place * right_stride + column` and the numbers of its vector are below the length of `right`, and
                    // `(row + number) * left_stride + place` is below that of `left`, as was checked.
                    unsafe {
                        let vector = simd.load(right.as_ptr().add(place * right_stride + column));
                        let factors = left.as_ptr().add(row * left_stride + place);
                        for number in 0..ROWS {
                            let factor = simd.splat(*factors.add(number * left_stride));
                            sums[number] = simd.fma(factor, vector, sums[number]);
                        }
                    }
                }
                for number in 0..ROWS {
                    // SAFETY: rows and columns are within the output, as was checked.
                    unsafe {
                        let to = output.as_mut_ptr().add((row + number) * stride + column);
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

/// The most vectors of a row of scores: those of the narrowest instruction set.
const VECTORS: usize = SQUARES / 8;

impl<S: Simd> Kernel<S> for Probabilities<'_> {
    #[inline(always)]
    fn call(mut self, simd: S) {
        let (first, count) = self.columns;
        let (queries, scores) = (self.queries.len(), self.output.len());
        assert!(self.keys.len() == count * SQUARES && queries >= (SQUARES - 1) * self.width + first + count);
        assert!(scores == SQUARES * SQUARES && (self.bias.is_empty() || self.bias.len() == scores));
        const { assert!(SQUARES / S::LANES <= VECTORS, "a row fits") };
        // A row of scores stays in registers from the products to the probabilities. Four rows of four vectors, half of the
        // registers of AVX-512, hide the latencies of each other's sums; a row of AVX2 takes eight vectors of sixteen.
        for query in (0..SQUARES).step_by(4) {
            // SAFETY: as was checked, queries, keys and scores hold 64 rows.
            unsafe {
                if S::LANES >= 16 {
                    self.rows::<S, 4>(simd, query);
                } else {
                    (query..query + 4).for_each(|query| self.rows::<S, 1>(simd, query));
                }
            }
        }
    }
}

impl Probabilities<'_> {
    /// Computes `ROWS` rows, beginning with that of `query`.
    ///
    /// # Safety
    /// The lengths have been checked.
    #[inline(always)]
    unsafe fn rows<S: Simd, const ROWS: usize>(&mut self, simd: S, query: usize) {
        let (first, count) = self.columns;
        let vectors = SQUARES / S::LANES;
        let mut rows = [[simd.splat(0.0); VECTORS]; ROWS];
        for channel in 0..count {
            // SAFETY: the caller's promise.
            unsafe {
                let key = self.keys.as_ptr().add(channel * SQUARES);
                let factors = self.queries.as_ptr().add(query * self.width + first + channel);
                for vector in 0..vectors {
                    let keys = simd.load(key.add(vector * S::LANES));
                    for row in 0..ROWS {
                        let factor = simd.splat(*factors.add(row * self.width));
                        rows[row][vector] = simd.fma(factor, keys, rows[row][vector]);
                    }
                }
            }
        }
        let scale = simd.splat(self.scale);
        for row in 0..ROWS {
            let place = (query + row) * SQUARES;
            let scores = &mut rows[row];
            for vector in 0..vectors {
                scores[vector] = simd.mul(scores[vector], scale);
                if !self.bias.is_empty() {
                    // SAFETY: the caller's promise.
                    let bias = unsafe { simd.load(self.bias.as_ptr().add(place + vector * S::LANES)) };
                    scores[vector] = simd.add(scores[vector], bias);
                }
            }
            let mut most = scores[0];
            for vector in 1..vectors {
                most = simd.max(most, scores[vector]);
            }
            let largest = simd.splat(simd.largest(most));
            let mut total = simd.splat(0.0);
            for vector in 0..vectors {
                scores[vector] = exp(simd, simd.sub(scores[vector], largest));
                total = simd.add(total, scores[vector]);
            }
            let share = simd.splat(1.0 / simd.total(total));
            for vector in 0..vectors {
                let to = &mut self.output[place + vector * S::LANES..];
                // SAFETY: the caller's promise.
                unsafe { simd.store(to.as_mut_ptr(), simd.mul(scores[vector], share)) };
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
    let mut right = vec![0.0; shape.width() * SQUARES];
    simd.run(Transpose { matrix: keys, columns: shape.width(), output: &mut right, stride: SQUARES });
    let pairs = &mut scores[..SQUARES * SQUARES];
    simd.run(Products {
        left: (queries, shape.width()),
        right: (&right, SQUARES),
        size: (channels, SQUARES),
        output: (&mut *pairs, SQUARES),
    });
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
