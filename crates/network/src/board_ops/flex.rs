//! The board operations on the CPU backend: safe loops around Burn's matrix product, split over boards by rayon.

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;
use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::FloatTensor;
use burn::tensor::TensorData;
use rayon::prelude::*;

use super::{BoardKernels, BoardOps, EPSILON, Finish, Normalisation, NormalisationGradient, SQUARES, TAPS};

/// Boards gathered at once: 1,024 rows keep the matrix product busy while the gathered neighbourhoods of 64 channels
/// (2.3 MB) stay near the second-level cache.
const BOARDS_PER_TILE: usize = 16;

/// Rows that one task sums or normalises; a few of them for each thread at the smallest useful batch.
const ROWS_PER_TASK: usize = 2048;

impl BoardOps for Flex {
    fn board_convolution(input: FloatTensor<Self>, weight: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::convolve(input, weight)
    }

    fn channel_moments(input: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::moments(input)
    }

    fn board_normalise(
        input: FloatTensor<Self>,
        moments: FloatTensor<Self>,
        scale: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        finish: Finish,
    ) -> FloatTensor<Self> {
        Self::normalise(Normalisation { input, moments, scale, shift, skip: None }, finish)
    }

    fn board_normalise_add(
        input: FloatTensor<Self>,
        moments: FloatTensor<Self>,
        scale: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        skip: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        Self::normalise(Normalisation { input, moments, scale, shift, skip: Some(skip) }, Finish::Rectify)
    }
}

impl BoardKernels for Flex {
    fn convolve(input: FloatTensor<Self>, weight: FloatTensor<Self>) -> FloatTensor<Self> {
        let input = input.to_contiguous();
        let weight = weight.to_contiguous();
        let [rows, channels_in] = dims(&input);
        let [_, channels_out] = dims(&weight);
        let boards = values(&input);
        let mut output = vec![0.0_f32; rows * channels_out];
        output
            .par_chunks_mut(BOARDS_PER_TILE * SQUARES * channels_out)
            .zip(boards.par_chunks(BOARDS_PER_TILE * SQUARES * channels_in))
            .for_each(|(output, boards)| {
                let product = Self::float_matmul(neighbourhoods(boards, channels_in), weight.clone());
                output.copy_from_slice(values(&product));
            });
        tensor(output, [rows, channels_out])
    }

    fn reverse_weight(weight: FloatTensor<Self>) -> FloatTensor<Self> {
        let weight = weight.to_contiguous();
        let [taps_in, channels_out] = dims(&weight);
        let channels_in = taps_in / TAPS;
        let source = values(&weight);
        let mut reversed = vec![0.0_f32; source.len()];
        for tap in 0..TAPS {
            for input in 0..channels_in {
                let row = &source[(tap * channels_in + input) * channels_out..][..channels_out];
                for (output, &value) in row.iter().enumerate() {
                    reversed[((TAPS - 1 - tap) * channels_out + output) * channels_in + input] = value;
                }
            }
        }
        tensor(reversed, [TAPS * channels_out, channels_in])
    }

    fn convolve_weight_gradient(input: FloatTensor<Self>, gradient: FloatTensor<Self>) -> FloatTensor<Self> {
        let input = input.to_contiguous();
        let gradient = gradient.to_contiguous();
        let [_, channels_in] = dims(&input);
        let [_, channels_out] = dims(&gradient);
        // Collected in order, then added in order: the sum must not depend on which thread finished first.
        let partial_sums: Vec<FlexTensor> = values(&input)
            .par_chunks(BOARDS_PER_TILE * SQUARES * channels_in)
            .zip(values(&gradient).par_chunks(BOARDS_PER_TILE * SQUARES * channels_out))
            .map(|(boards, gradient)| {
                let rows = gradient.len() / channels_out;
                let neighbours = neighbourhoods(boards, channels_in).transpose(0, 1);
                Self::float_matmul(neighbours, tensor(gradient.to_vec(), [rows, channels_out]))
            })
            .collect();
        let mut sum = vec![0.0_f32; TAPS * channels_in * channels_out];
        for partial in &partial_sums {
            add(&mut sum, values(partial));
        }
        tensor(sum, [TAPS * channels_in, channels_out])
    }

    fn moments(input: FloatTensor<Self>) -> FloatTensor<Self> {
        let input = input.to_contiguous();
        let [rows, channels] = dims(&input);
        let partial_sums: Vec<Vec<f32>> = values(&input)
            .par_chunks(ROWS_PER_TASK * channels)
            .map(|rows| {
                let mut sums = vec![0.0_f32; 2 * channels];
                let (sum, squares) = sums.split_at_mut(channels);
                for row in rows.chunks_exact(channels) {
                    for ((sum, square), &value) in sum.iter_mut().zip(squares.iter_mut()).zip(row) {
                        *sum += value;
                        *square += value * value;
                    }
                }
                sums
            })
            .collect();
        let count = rows as f64;
        let mut result = vec![0.0_f32; 2 * channels];
        for channel in 0..channels {
            let total = |offset: usize| partial_sums.iter().map(|sums| f64::from(sums[offset])).sum::<f64>();
            let mean = total(channel) / count;
            result[channel] = mean as f32;
            result[channels + channel] = (total(channels + channel) / count - mean * mean).max(0.0) as f32;
        }
        tensor(result, [2, channels])
    }

    fn normalise(normalisation: Normalisation<Self>, finish: Finish) -> FloatTensor<Self> {
        let input = normalisation.input.to_contiguous();
        let [rows, channels] = dims(&input);
        let line = Line::new(&normalisation);
        let floor = if finish == Finish::Rectify { 0.0 } else { f32::NEG_INFINITY };
        let skip = normalisation.skip.map(|skip| skip.to_contiguous());
        let source = values(&input);
        let mut output = vec![0.0_f32; rows * channels];
        output.par_chunks_mut(ROWS_PER_TASK * channels).enumerate().for_each(|(task, output)| {
            let range = task * ROWS_PER_TASK * channels..task * ROWS_PER_TASK * channels + output.len();
            let rows = output.chunks_exact_mut(channels).zip(source[range.clone()].chunks_exact(channels));
            match &skip {
                None => rows.for_each(|(output, input)| {
                    for ((out, &x), (&a, &b)) in
                        output.iter_mut().zip(input).zip(line.slope.iter().zip(&line.offset))
                    {
                        *out = (x * a + b).max(floor);
                    }
                }),
                Some(skip) => {
                    rows.zip(values(skip)[range].chunks_exact(channels)).for_each(
                        |((output, input), skip)| {
                            for (((out, &x), &s), (&a, &b)) in output
                                .iter_mut()
                                .zip(input)
                                .zip(skip)
                                .zip(line.slope.iter().zip(&line.offset))
                            {
                                *out = (x * a + b + s).max(floor);
                            }
                        },
                    );
                }
            }
        });
        tensor(output, [rows, channels])
    }

    fn normalise_gradient(
        normalisation: Normalisation<Self>,
        output: Option<FloatTensor<Self>>,
        gradient: FloatTensor<Self>,
    ) -> NormalisationGradient<Self> {
        let input = normalisation.input.to_contiguous();
        let [rows, channels] = dims(&input);
        let line = Line::new(&normalisation);
        let before = match output {
            Some(output) => gate(&gradient.to_contiguous(), &output.to_contiguous()),
            None => gradient.to_contiguous(),
        };
        let (shift, scale) = line.parameter_gradients(values(&input), values(&before));
        let input_gradient = line.input_gradient(values(&input), values(&before), &shift, &scale);
        NormalisationGradient {
            input: tensor(input_gradient, [rows, channels]),
            scale: tensor(scale, [1, channels]),
            shift: tensor(shift, [1, channels]),
            skip: before,
        }
    }
}

/// A normalisation as one line for each channel: `x * slope + offset`.
struct Line {
    slope: Vec<f32>,
    offset: Vec<f32>,
    mean: Vec<f32>,
    /// `1 / sqrt(variance + EPSILON)`.
    inverse_deviation: Vec<f32>,
}

impl Line {
    fn new(normalisation: &Normalisation<Flex>) -> Self {
        let moments = normalisation.moments.to_contiguous();
        let scale = normalisation.scale.to_contiguous();
        let shift = normalisation.shift.to_contiguous();
        let (mean, variance) = values(&moments).split_at(values(&scale).len());
        let inverse_deviation: Vec<f32> =
            variance.iter().map(|variance| (variance + EPSILON).sqrt().recip()).collect();
        let slope: Vec<f32> =
            values(&scale).iter().zip(&inverse_deviation).map(|(scale, inverse)| scale * inverse).collect();
        let offset = values(&shift)
            .iter()
            .zip(mean)
            .zip(&slope)
            .map(|((shift, mean), slope)| shift - mean * slope)
            .collect();
        Self { slope, offset, mean: mean.to_vec(), inverse_deviation }
    }

    /// Sums over the rows of the gradient (that of the shift) and of gradient times normalised input (that of the
    /// scale).
    fn parameter_gradients(&self, input: &[f32], gradient: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let channels = self.mean.len();
        let partial_sums: Vec<(Vec<f32>, Vec<f32>)> = input
            .par_chunks(ROWS_PER_TASK * channels)
            .zip(gradient.par_chunks(ROWS_PER_TASK * channels))
            .map(|(input, gradient)| {
                let mut sums = vec![0.0_f32; channels];
                let mut products = vec![0.0_f32; channels];
                for (input, gradient) in input.chunks_exact(channels).zip(gradient.chunks_exact(channels)) {
                    for ((((sum, product), &x), &g), &mean) in
                        sums.iter_mut().zip(products.iter_mut()).zip(input).zip(gradient).zip(&self.mean)
                    {
                        *sum += g;
                        *product += g * (x - mean);
                    }
                }
                (sums, products)
            })
            .collect();
        let mut shift = vec![0.0_f32; channels];
        let mut scale = vec![0.0_f32; channels];
        for (sums, products) in &partial_sums {
            add(&mut shift, sums);
            add(&mut scale, products);
        }
        for (scale, inverse) in scale.iter_mut().zip(&self.inverse_deviation) {
            *scale *= inverse;
        }
        (shift, scale)
    }

    /// `slope * (gradient - (shift + normalised * scale) / rows)` with the parameters' gradients: arXiv 1502.03167,
    /// section 3, written as `slope * gradient + x * linear + constant` for each channel.
    fn input_gradient(&self, input: &[f32], gradient: &[f32], shift: &[f32], scale: &[f32]) -> Vec<f32> {
        let channels = self.mean.len();
        let count = (input.len() / channels) as f32;
        let linear: Vec<f32> = (0..channels)
            .map(|channel| -self.slope[channel] * scale[channel] * self.inverse_deviation[channel] / count)
            .collect();
        let constant: Vec<f32> = (0..channels)
            .map(|channel| {
                -self.slope[channel] * shift[channel] / count - self.mean[channel] * linear[channel]
            })
            .collect();
        let mut result = vec![0.0_f32; input.len()];
        result.par_chunks_mut(ROWS_PER_TASK * channels).enumerate().for_each(|(task, result)| {
            let range = task * ROWS_PER_TASK * channels..task * ROWS_PER_TASK * channels + result.len();
            let sources =
                input[range.clone()].chunks_exact(channels).zip(gradient[range].chunks_exact(channels));
            for (result, (input, gradient)) in result.chunks_exact_mut(channels).zip(sources) {
                for ((((out, &x), &g), &slope), (&linear, &constant)) in result
                    .iter_mut()
                    .zip(input)
                    .zip(gradient)
                    .zip(&self.slope)
                    .zip(linear.iter().zip(&constant))
                {
                    *out = slope * g + x * linear + constant;
                }
            }
        });
        result
    }
}

/// The gradient where the rectified output was open, zero elsewhere.
fn gate(gradient: &FlexTensor, output: &FlexTensor) -> FlexTensor {
    let [rows, channels] = dims(gradient);
    let mut gated = vec![0.0_f32; rows * channels];
    gated
        .par_chunks_mut(ROWS_PER_TASK * channels)
        .zip(values(gradient).par_chunks(ROWS_PER_TASK * channels))
        .zip(values(output).par_chunks(ROWS_PER_TASK * channels))
        .for_each(|((gated, gradient), output)| {
            for ((gated, &gradient), &output) in gated.iter_mut().zip(gradient).zip(output) {
                *gated = if output > 0.0 { gradient } else { 0.0 };
            }
        });
    tensor(gated, [rows, channels])
}

/// The nine neighbours of each square side by side, zero where there is no square.
///
/// # Shapes
/// `[boards * 64, channels]` -> `[boards * 64, 9 * channels]`.
fn neighbourhoods(boards: &[f32], channels: usize) -> FlexTensor {
    let rows = boards.len() / channels;
    let width = TAPS * channels;
    let mut gathered = vec![0.0_f32; rows * width];
    for (board, gathered) in
        boards.chunks_exact(SQUARES * channels).zip(gathered.chunks_exact_mut(SQUARES * width))
    {
        for rank in 0..8_usize {
            for step in 0..3_usize {
                // `rank + step - 1` is the neighbours' rank.
                let Some(from) = (rank + step).checked_sub(1).filter(|from| *from < 8) else { continue };
                let source = &board[from * 8 * channels..(from + 1) * 8 * channels];
                for file in 0..8_usize {
                    // The three file steps are neighbours in both matrices: one copy, clipped at the board's edge.
                    let first = file.saturating_sub(1);
                    let last = (file + 1).min(7);
                    let column = (step * 3 + first + 1 - file) * channels;
                    let length = (last - first + 1) * channels;
                    let target = (rank * 8 + file) * width + column;
                    gathered[target..target + length]
                        .copy_from_slice(&source[first * channels..first * channels + length]);
                }
            }
        }
    }
    tensor(gathered, [rows, width])
}

fn add(sum: &mut [f32], terms: &[f32]) {
    for (sum, term) in sum.iter_mut().zip(terms) {
        *sum += term;
    }
}

fn values(tensor: &FlexTensor) -> &[f32] {
    tensor.as_slice().expect("operands are made contiguous before they are read")
}

fn dims(tensor: &FlexTensor) -> [usize; 2] {
    let shape = tensor.layout().shape();
    [shape[0], shape[1]]
}

fn tensor(values: Vec<f32>, shape: [usize; 2]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}
