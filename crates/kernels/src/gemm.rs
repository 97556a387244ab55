//! GEMMs that read their left operand in place, for convolutions, dense layers and Winograd's algorithm.
//!
//! Row r of the result is the sum over taps t of `input[row r + tap t][..inputs] * weights[t]`. A block of rows and
//! columns of the result stays in registers during the loop over all taps and inputs.
//!
//! # Blocking
//!
//! The scheme is that of GotoBLAS (Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008) without two
//! of its steps. The left operand is not packed: boards are channels-last, so the inputs of a square are contiguous and a tap is
//! an offset of the same rows, and the micro-kernel broadcasts from them in place. The inner dimension (taps times inputs) is not
//! blocked: sums start at zero in registers, see all their terms and are stored once, so the result is never read back.
//!
//! ```text
//! for each part of columns            weights of the part: read once per call
//!   for each block of rows            the same weights again for every block, now from L1 or L2
//!     for each tap, each input        C loads of weights, R broadcasts, R x C multiply-adds
//! ```
//!
//! Columns are the outer loop because the weights are the larger operand: a direct 3x3 convolution of 64 channels has 74 KB of
//! them in bf16, and a board 9 KB. What is read again for every part is the board, from the nearest cache.
//!
//! # Order of the sum
//!
//! Every element of the result has one accumulator, which takes the terms tap by tap and input by input in ascending order,
//! whatever the height and width of its block. Therefore the blocks of 4, 2 and 1 rows at the end give the same bits as full
//! blocks, and the outputs for a position depend neither on the size of its batch nor on its place there, as evaluators promise.
//! Several accumulators for one element, or a blocked inner dimension, would break this unless blocks of every height split the
//! sum alike.

use crate::{
    aligned::Aligned,
    layout::{CHANNEL_BLOCK, padded},
    simd::element::{Element, Sum},
    simd::{Kernel, Lanes, Simd},
};

/// The product of rows in memory and a packed matrix.
pub(crate) struct Gemm<'a, E: Element> {
    pub(crate) input: &'a [E],
    pub(crate) input_rows: Rows,
    /// Offset of each tap from a row, in elements.
    pub(crate) taps: &'a [isize],
    pub(crate) weights: &'a Packed<E>,
    pub(crate) output: &'a mut [E::Sum],
    pub(crate) output_rows: Rows,
    /// Number of groups of rows, and of rows in each group.
    pub(crate) size: (usize, usize),
}

impl<E: Element> Gemm<'_, E> {
    /// Checks that all reads and writes are in bounds.
    fn check(&self) {
        let (groups, rows) = self.size;
        assert!(groups > 0 && rows > 0 && self.taps.len() == self.weights.taps, "an empty product");
        self.input_rows.check(self.size, self.taps, self.weights.inputs, self.input.len());
        self.output_rows.check(self.size, &[0], self.weights.outputs, self.output.len());
    }

    #[inline(always)]
    fn part<S: Lanes<E>, const COLUMNS: usize>(&mut self, simd: S, weights: usize, output: usize) {
        let (groups, rows) = self.size;
        // The heights match the callers: a group is a rank of 8 squares in a direct convolution, and 4 tiles a board with
        // Winograd's algorithm, so only dense layers and single boards leave a remainder. The guard on `S::ROWS` is a constant:
        // without it, AVX2 would have a block whose sums are spilled to the stack.
        for group in 0..groups {
            let mut row = 0;
            while row < rows {
                let place =
                    (self.input_rows.at(group, row), weights, self.output_rows.at(group, row) + output);
                row += match rows - row {
                    8.. if S::ROWS >= 8 => self.block::<S, 8, COLUMNS>(simd, place),
                    4.. => self.block::<S, 4, COLUMNS>(simd, place),
                    2.. => self.block::<S, 2, COLUMNS>(simd, place),
                    _ => self.block::<S, 1, COLUMNS>(simd, place),
                };
            }
        }
    }

    /// Computes `ROWS` rows of `COLUMNS` vectors; returns `ROWS`.
    #[inline(always)]
    fn block<S: Lanes<E>, const ROWS: usize, const COLUMNS: usize>(
        &mut self,
        simd: S,
        (input, weights, output): (usize, usize, usize),
    ) -> usize {
        let (stride, out_stride) = (self.input_rows.stride, self.output_rows.stride);
        let groups = self.weights.inputs / E::GROUP;
        let mut sums = [[simd.no_sums(); COLUMNS]; ROWS];
        // SAFETY: `check` has found that every row plus every tap, with all inputs, lies in `input`, and every row of
        // all outputs in `output`; `weights` is the start of a part of these columns, which holds all the weights that
        // the loops read.
        unsafe {
            let row = self.input.as_ptr().add(input);
            let mut weights = self.weights.data.as_ptr().add(weights);
            for &tap in self.taps {
                let mut at = row.offset(tap);
                for _ in 0..groups {
                    // COLUMNS loads and ROWS broadcasts feed ROWS x COLUMNS multiply-adds. Both extents count: a block of 8 x 1
                    // needs nine loads for eight multiply-adds and is bound by the load units (see `parts`).
                    let mut vectors = [simd.load_weights(weights); COLUMNS];
                    for column in 1..COLUMNS {
                        vectors[column] = simd.load_weights(weights.add(column * S::LANES * E::GROUP));
                    }
                    for row in 0..ROWS {
                        for column in 0..COLUMNS {
                            sums[row][column] =
                                simd.dot(sums[row][column], at.add(row * stride), vectors[column]);
                        }
                    }
                    at = at.add(E::GROUP);
                    weights = weights.add(COLUMNS * S::LANES * E::GROUP);
                }
            }
            let to = self.output.as_mut_ptr().add(output);
            for row in 0..ROWS {
                for column in 0..COLUMNS {
                    simd.store_sums(to.add(row * out_stride + column * S::LANES), sums[row][column]);
                }
            }
        }
        ROWS
    }
}

impl<E: Element, S: Lanes<E>> Kernel<S> for Gemm<'_, E> {
    #[inline(always)]
    fn call(mut self, simd: S) {
        self.check();
        let (mut weights, mut output) = (0, 0);
        for part in 0..self.weights.parts.len() {
            let columns = self.weights.parts[part];
            match columns {
                3 if S::COLUMNS >= 3 => self.part::<S, 3>(simd, weights, output),
                2 if S::COLUMNS >= 2 => self.part::<S, 2>(simd, weights, output),
                1 => self.part::<S, 1>(simd, weights, output),
                other => unreachable!("packing makes no group of {other} vectors"),
            }
            output += columns * S::LANES;
            weights += columns * S::LANES * self.weights.taps * self.weights.inputs;
        }
    }
}

/// Rows in memory: groups at a fixed stride, and rows at a fixed stride within each group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// Index of the first row of the first group.
    pub(crate) first: usize,
    /// Elements from one group to the next.
    pub(crate) group_stride: usize,
    /// Elements from one row to the next.
    pub(crate) stride: usize,
}

impl Rows {
    /// Asserts that `width` elements of every row at every tap lie within a slice of `length` elements.
    pub(crate) fn check(&self, (groups, rows): (usize, usize), taps: &[isize], width: usize, length: usize) {
        let ahead = taps.iter().copied().max().unwrap_or(0).max(0) as usize;
        let behind = taps.iter().copied().min().unwrap_or(0).min(0).unsigned_abs();
        assert!(self.first >= behind, "taps before the rows");
        assert!(self.at(groups - 1, rows - 1) + ahead + width <= length, "taps or rows behind the end");
    }

    #[inline(always)]
    pub(crate) fn at(&self, group: usize, row: usize) -> usize {
        self.first + group * self.group_stride + row * self.stride
    }
}

/// The right operand of a product before packing: `[taps][inputs][outputs]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix<'a> {
    pub(crate) taps: usize,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) weights: &'a [f32],
}

impl Matrix<'_> {
    /// The weight for a tap, input and output; zero in the padding.
    pub(crate) fn weight(&self, tap: usize, input: usize, output: usize) -> f32 {
        if input < self.inputs && output < self.outputs {
            self.weights[(tap * self.inputs + input) * self.outputs + output]
        } else {
            0.0
        }
    }
}

/// The right operand of a product in the order in which the micro-kernel reads it: one pointer advances through the weights of a
/// part, and no index is computed. Five vectors (80 outputs with AVX-512) are parts of 3 and 2:
///
/// ```text
/// | part 0: outputs 0..48                        | part 1: outputs 48..80 ...
/// | tap 0                         | tap 1 ...    |
/// | group 0      | group 1      |..|              |     group: E::GROUP inputs (f32 1, bf16 2, int8 4)
/// | v0   v1   v2 | v0   v1   v2 |..|              |     v: one vector of weights, E::GROUP of them in each lane
/// ```
///
/// Zero weights fill the outputs up to 16 and the inputs up to their width in memory. So no kernel needs masks: sums of padded
/// outputs are zero, and padded activations may hold any finite number (in int8 they hold the zero point).
///
/// Formally, for each group of columns:
/// The right operand of a product in the order in which it is read: for each group of columns,
/// `[taps][input groups][columns][lanes][group]`.
#[derive(Clone)]
pub(crate) struct Packed<E: Element> {
    taps: usize,
    /// Number of inputs, a multiple of the element's group size.
    inputs: usize,
    /// Number of outputs, a multiple of [`CHANNEL_BLOCK`].
    pub(crate) outputs: usize,
    /// Number of vectors in each group of columns.
    parts: Vec<usize>,
    data: Aligned<E::Weight>,
}

impl<E: Element> Packed<E> {
    /// Packs for an instruction set. `width` is the padded number of inputs in memory.
    pub(crate) fn new<S: Lanes<E>>(matrix: &Matrix<'_>, width: usize) -> Self {
        let outputs = padded(matrix.outputs, CHANNEL_BLOCK);
        let inputs = padded(matrix.inputs, E::GROUP).max(width / E::GROUP * E::GROUP);
        let parts = parts(outputs / S::LANES, S::COLUMNS);
        let mut data = Aligned::filled(matrix.taps * inputs * outputs, E::no_weight());
        let (mut at, mut first) = (0, 0);
        for &columns in &parts {
            for tap in 0..matrix.taps {
                for group in (0..inputs).step_by(E::GROUP) {
                    for output in first..first + columns * S::LANES {
                        for input in group..group + E::GROUP {
                            data[at] = E::weight(matrix.weight(tap, input, output));
                            at += 1;
                        }
                    }
                }
            }
            first += columns * S::LANES;
        }
        Self { taps: matrix.taps, inputs, outputs, parts, data }
    }
}

impl Packed<f32> {
    /// A packed matrix of `[inputs][outputs]`, all zero.
    pub(crate) fn zeros<S: Lanes<f32>>(inputs: usize, outputs: usize) -> Self {
        let outputs = padded(outputs, CHANNEL_BLOCK);
        let parts = parts(outputs / S::LANES, S::COLUMNS);
        Self { taps: 1, inputs, outputs, parts, data: Aligned::filled(inputs * outputs, 0.0) }
    }

    /// Packs `[inputs][outputs]` as [`Packed::new`] does, many values at a time.
    pub(crate) fn set_rows<S: Lanes<f32>>(&mut self, rows: &[f32]) {
        let outputs = rows.len() / self.inputs;
        self.set_strip::<S>(rows, outputs, outputs);
    }

    /// Packs a strip: the first `outputs` columns of rows that are `stride` elements apart.
    pub(crate) fn set_strip<S: Lanes<f32>>(&mut self, rows: &[f32], stride: usize, outputs: usize) {
        self.check(self.inputs * outputs, outputs);
        assert_eq!(rows.len().div_ceil(stride), self.inputs, "rows of another layer");
        let (mut at, mut first) = (0, 0);
        for &columns in &self.parts {
            let columns = columns * S::LANES;
            let kept = first..(first + columns).min(outputs);
            for row in rows.chunks(stride) {
                self.data[at..][..kept.len()].copy_from_slice(&row[kept.clone()]);
                at += columns;
            }
            first += columns;
        }
    }

    /// Packs some rows of `[inputs][padded outputs]`, starting with row `from`.
    pub(crate) fn set_some_rows<S: Lanes<f32>>(&mut self, from: usize, rows: &[f32]) {
        let fits = rows.len().is_multiple_of(self.outputs) && from + rows.len() / self.outputs <= self.inputs;
        assert!(fits && self.taps == 1, "rows of another layer");
        let mut first = 0;
        for &columns in &self.parts {
            let columns = columns * S::LANES;
            let part = &mut self.data[first * self.inputs + from * columns..];
            for (to, row) in part.chunks_exact_mut(columns).zip(rows.chunks_exact(self.outputs)) {
                to.copy_from_slice(&row[first..first + columns]);
            }
            first += columns;
        }
    }

    /// Packs the transpose of `[outputs][inputs]`.
    pub(crate) fn set_columns<S: Lanes<f32>>(&mut self, simd: S, columns: &[f32]) {
        let outputs = columns.len() / self.inputs;
        self.check(columns.len(), outputs);
        let (mut at, mut first) = (0, 0);
        for &width in &self.parts {
            let (width, last) = (width * S::LANES, (first + width * S::LANES).min(outputs));
            let part = &mut self.data[at..][..self.inputs * width];
            let matrix = &columns[first * self.inputs..last * self.inputs];
            simd.run(Transpose { matrix, columns: self.inputs, output: &mut *part, stride: width });
            at += part.len();
            first += width;
        }
    }

    fn check(&self, numbers: usize, outputs: usize) {
        let fits = numbers == self.inputs * outputs && padded(outputs, CHANNEL_BLOCK) == self.outputs;
        assert!(fits && self.taps == 1, "weights of another layer");
    }
}

/// Transposes `[rows][columns]` into rows that are `stride` elements apart, in blocks that are whole cache lines on both sides.
pub(crate) struct Transpose<'a> {
    pub(crate) matrix: &'a [f32],
    pub(crate) columns: usize,
    pub(crate) output: &'a mut [f32],
    pub(crate) stride: usize,
}

impl<S: Simd> Kernel<S> for Transpose<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        // Rows and columns of a block of `Simd::transpose_block`.
        const BLOCK: usize = 16;
        let Self { matrix, columns, output, stride } = self;
        let rows = matrix.len() / columns;
        assert!(rows <= stride && columns > 0, "rows that overlap");
        assert!(rows == 0 || (columns - 1) * stride + rows <= output.len(), "columns beyond the end");
        for first_row in (0..rows).step_by(BLOCK) {
            for first_column in (0..columns).step_by(BLOCK) {
                let (height, count) = (BLOCK.min(rows - first_row), BLOCK.min(columns - first_column));
                let (from, to) = (first_row * columns + first_column, first_column * stride + first_row);
                if (height, count) == (BLOCK, BLOCK) {
                    // SAFETY: a whole block of both matrices; the assertions found room for every column.
                    unsafe {
                        let (from, to) = (matrix.as_ptr().add(from), output.as_mut_ptr().add(to));
                        simd.transpose_block(from, columns, to, stride);
                    }
                    continue;
                }
                for column in 0..count {
                    for row in 0..height {
                        output[to + column * stride + row] = matrix[from + row * columns + column];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
impl Packed<f32> {
    /// Asserts that both are packed in the same way and that their weights differ by less than `tolerance`.
    pub(crate) fn assert_close(&self, other: &Self, tolerance: f32) {
        assert_eq!((self.inputs, self.outputs, &self.parts), (other.inputs, other.outputs, &other.parts));
        for (a, b) in self.data.iter().zip(other.data.iter()) {
            assert!((a - b).abs() < tolerance, "{a} and {b}");
        }
    }
}

/// Splits vectors into as few groups as possible, of sizes as equal as possible: four vectors of at most three are 2 + 2. A group
/// of one vector needs a broadcast for every multiply-add, so 3 + 1 would take longer for the same work.
pub(crate) fn parts(vectors: usize, most: usize) -> Vec<usize> {
    let count = vectors.div_ceil(most);
    (0..count).map(|part| vectors / count + usize::from(part < vectors % count)).collect()
}

/// Memory for the sums of a product.
pub(crate) fn sums<E: Element>(len: usize) -> Aligned<E::Sum> {
    Aligned::filled(len, E::Sum::ZERO)
}
