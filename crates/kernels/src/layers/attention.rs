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
        let (channels, each) = (self.keys_each(), self.values_each());
        let (from, to) = (self.keys.width(), self.values.width());
        let [mut keys, mut values] = [from, to].map(|width| vec![0.0; width * SQUARES]);
        let [mut shares, mut slopes, mut turned] = [(); 3].map(|()| vec![0.0; SQUARES * SQUARES]);
        simd.run(Transpose { matrix: inputs[1], columns: from, output: &mut keys, stride: SQUARES });
        simd.run(Transpose { matrix: inputs[2], columns: to, output: &mut values, stride: SQUARES });
        for of_input in of_inputs.iter_mut() {
            of_input.fill(0.0);
        }
        for head in 0..self.heads {
            let of_keys =
                HeadColumns { width: from, first: head * channels, count: channels, factor: self.scale() };
            let of_values = HeadColumns { width: to, first: head * each, count: each, factor: 1.0 };
            simd.run(Probabilities {
                queries: inputs[0],
                width: from,
                columns: (of_keys.first, channels),
                keys: &keys[of_keys.first * SQUARES..][..channels * SQUARES],
                scale: self.scale(),
                bias: self.bias_of(inputs.get(3).copied().unwrap_or_default(), head),
                output: &mut shares,
            });
            // dP = dO V^T, then dS = P (dP - sum of dP P), row by row.
            simd.run(Products {
                left: (&gradient[of_values.first..], to),
                right: (&values[of_values.first * SQUARES..], SQUARES),
                size: (each, SQUARES),
                output: (&mut slopes, SQUARES),
            });
            simd.run(ScoreGradients { probabilities: &shares, gradients: &mut slopes });
            if self.bias {
                of_inputs[3][head * SQUARES * SQUARES..][..SQUARES * SQUARES].copy_from_slice(&slopes);
            }
            // dQ = dS K, dK = dS^T Q and dV = P^T dO, the first two times the scale of the scores.
            of_keys.product(simd, &slopes, inputs[1], of_inputs[0]);
            simd.run(Transpose { matrix: &slopes, columns: SQUARES, output: &mut turned, stride: SQUARES });
            of_keys.product(simd, &turned, inputs[0], of_inputs[1]);
            simd.run(Transpose { matrix: &shares, columns: SQUARES, output: &mut turned, stride: SQUARES });
            of_values.product(simd, &turned, gradient, of_inputs[2]);
        }
    }
}

/// The columns of a head in boards, `[squares][width]`.
#[derive(Clone, Copy)]
struct HeadColumns {
    width: usize,
    first: usize,
    count: usize,
    /// What products are multiplied by.
    factor: f32,
}

impl HeadColumns {
    /// These columns of `output` become the product of a matrix, `[squares][squares]`, with those of a board.
    fn product<S: Simd>(self, simd: S, matrix: &[f32], board: &[f32], output: &mut [f32]) {
        let Self { width, first, count, factor } = self;
        // Whole vectors, which begin earlier where they would reach beyond the row, as in the forward pass.
        let columns = padded(count, S::LANES);
        let begin = first.min(width - columns);
        let mut sums = vec![0.0; SQUARES * columns];
        simd.run(Products {
            left: (matrix, SQUARES),
            right: (&board[begin..], width),
            size: (SQUARES, columns),
            output: (&mut sums, columns),
        });
        for (row, sums) in output.chunks_exact_mut(width).zip(sums.chunks_exact(columns)) {
            let found = &sums[first - begin..][..count];
            row[first..][..count].iter_mut().zip(found).for_each(|(value, sum)| *value = sum * factor);
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

/// Turns the gradients of a head's probabilities into those of its scores.
struct ScoreGradients<'a> {
    /// `[queries][keys]`.
    probabilities: &'a [f32],
    /// `[queries][keys]`: what is turned.
    gradients: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for ScoreGradients<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { probabilities, gradients } = self;
        assert!(probabilities.len() == SQUARES * SQUARES && gradients.len() == SQUARES * SQUARES);
        for row in (0..SQUARES * SQUARES).step_by(SQUARES) {
            // SAFETY: both hold 64 rows of 64 numbers, as was checked, and a row is whole vectors.
            unsafe {
                let (shares, slopes) = (probabilities.as_ptr().add(row), gradients.as_mut_ptr().add(row));
                let mut sum = simd.splat(0.0);
                for column in (0..SQUARES).step_by(S::LANES) {
                    sum = simd.fma(simd.load(shares.add(column)), simd.load(slopes.add(column)), sum);
                }
                let mean = simd.splat(simd.total(sum));
                for column in (0..SQUARES).step_by(S::LANES) {
                    let centred = simd.sub(simd.load(slopes.add(column)), mean);
                    simd.store(slopes.add(column), simd.mul(simd.load(shares.add(column)), centred));
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
pub(super) fn of_move_scores<S: Simd>(
    simd: S,
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
    // dQ = dS K and dK = dS^T Q, both times the scale of the scores.
    let all = HeadColumns { width, first: 0, count: channels, factor: scale };
    all.product(simd, &plain, keys, of_inputs[0]);
    let mut turned = vec![0.0; SQUARES * SQUARES];
    simd.run(Transpose { matrix: &plain, columns: SQUARES, output: &mut turned, stride: SQUARES });
    all.product(simd, &turned, queries, of_inputs[1]);
}
