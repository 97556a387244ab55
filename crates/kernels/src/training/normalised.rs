//! A convolution with batch normalisation, an optional squeeze-excite unit and skip connection, and an activation.

use super::{
    PACKED,
    backend::TrainingBackend,
    convolution::{Directions, PackedConvolution},
    excite::ExciteActivations,
    folded::{Folded, Unfolded},
    linear::Linear,
    norm_statistics::NormStatistics,
    normalise::{Collect, Gate, GradientTarget, Normalise, Unnormalise},
    work::Work,
};
use crate::{
    Activation,
    layout::{Boards, CHANNEL_BLOCK, Flat, SQUARES, padded},
    simd::element::Element,
    simd::{Lanes, Simd},
};

/// A convolution with its normalisation, in training.
pub(crate) struct Normalised<G: TrainingBackend> {
    pub(crate) linear: Linear,
    /// The index of its weights among the parameters; scale and shift follow.
    pub(crate) parameter: usize,
    /// Its index among the normalisations.
    number: usize,
    activation: Activation,
    packed: Option<PackedConvolution<G>>,
    pub(crate) folded: Folded,
    pub(crate) unfolded: Unfolded,
    /// `[2][channels]`: mean and variance of the batch, or the stored ones.
    pub(crate) statistics: Vec<f32>,
}

impl<G: TrainingBackend> Normalised<G> {
    pub(crate) fn new(linear: Linear, parameter: usize, number: usize, activation: Activation) -> Self {
        Self {
            linear,
            parameter,
            number,
            activation,
            packed: None,
            folded: Folded::default(),
            unfolded: Unfolded::default(),
            statistics: Vec::new(),
        }
    }

    /// Allocates the activations of `boards` boards.
    pub(crate) fn room(&self, boards: usize) -> Activations<G::Element> {
        let width = padded(self.linear.outputs, CHANNEL_BLOCK);
        let zeros = || Boards::new(boards, width, G::Element::nearest(0.0));
        Activations {
            sums: zeros(),
            output: zeros(),
            board_sums: Flat::new(boards, width, 0.0),
            gradient_sums: Flat::new(boards, 2 * width, 0.0),
        }
    }

    /// Packs the layer's weights.
    pub(crate) fn pack(&mut self, backend: &G, parameters: &[Vec<f32>], directions: Directions) {
        self.packed =
            Some(PackedConvolution::new(backend, self.linear, &parameters[self.parameter], directions));
    }

    pub(crate) fn packed(&self) -> &PackedConvolution<G> {
        self.packed.as_ref().expect(PACKED)
    }

    /// Computes the sums of a micro-batch; returns the column totals of the sums and of their squares, `[2][width]`.
    pub(crate) fn convolve(
        &self,
        work: &mut Work<G>,
        input: &Boards<G::Element>,
        memory: &mut Activations<G::Element>,
    ) -> Vec<f64> {
        let Activations { sums, board_sums, .. } = memory;
        let (simd, width) = (work.simd(), sums.width);
        let (mut totals, mut result) = (vec![0.0; 2 * width], vec![0.0; 2 * width]);
        self.packed().forward(work, input, |board, of_board| {
            let output = sums.board_mut(board);
            simd.run(Collect { width, sums: of_board, output, result: &mut result });
            board_sums.board_mut(board).copy_from_slice(&result[..width]);
            add(&mut totals, &result);
        });
        totals
    }

    /// Folds mean and variance, computed from the sums of all micro-batches of the batch or taken from storage.
    pub(crate) fn fold(
        &mut self,
        parameters: &[Vec<f32>],
        from: NormStatistics<'_>,
        totals: &[f64],
        boards: usize,
    ) {
        let (width, rows) = (totals.len() / 2, (boards * SQUARES) as f64);
        self.statistics = match from {
            NormStatistics::Stored(statistics) => statistics[self.number].clone(),
            NormStatistics::Batch => {
                let (sums, squares) = totals.split_at(width);
                let mean = sums[..self.linear.outputs].iter().map(|sum| sum / rows);
                let variance =
                    mean.clone().zip(squares).map(|(mean, sum)| (sum / rows - mean * mean).max(0.0));
                mean.clone().chain(variance).map(|value| value as f32).collect()
            }
        };
        let [scale, shift] = [1, 2].map(|place| &parameters[self.parameter + place]);
        self.folded = Folded::new(width, &self.statistics, scale, shift);
    }

    pub(crate) fn finish<S: Lanes<G::Element>>(
        &self,
        simd: S,
        boards: usize,
        memory: &mut Activations<G::Element>,
        junction: &Junction<'_, G::Element>,
    ) {
        let Activations { sums, output, .. } = memory;
        for board in 0..boards {
            simd.run(Normalise {
                width: sums.width,
                sums: sums.board(board),
                affine: junction.excite.map_or(self.folded.affine(), |unit| unit.affine(board)),
                skip: junction.skip.map(|skip| skip.board(board)),
                activation: self.activation,
                output: output.board_mut(board),
            });
        }
    }

    /// Turns the gradient of a board's output into the gradient before the activation.
    pub(crate) fn gate<S: Lanes<G::Element> + Lanes<f32>>(
        &self,
        simd: S,
        board: usize,
        gating: &mut Gating<'_, G::Element>,
        (gradient, target): (&[f32], GradientTarget<'_, G::Element>),
    ) {
        let Gating { sums, output, gradient_sums, junction } = gating;
        simd.run(Gate {
            width: sums.width,
            sums: sums.board(board),
            output: output.board(board),
            affine: junction.excite.map_or(self.folded.affine(), |unit| unit.affine(board)),
            mean: &self.folded.mean,
            skip: junction.skip.map(|skip| skip.board(board)),
            activation: self.activation,
            gradient,
            target,
            result: gradient_sums.board_mut(board),
        });
    }

    /// Computes the coefficients of the backward pass from the totals over all micro-batches of the batch.
    pub(crate) fn unfold(&mut self, totals: &[f64], boards: usize) {
        self.unfolded = Unfolded::new(&self.folded, totals, boards * SQUARES, self.linear.outputs);
    }

    /// The gradient of a board's sums, given the gradient before the activation.
    pub(crate) fn unnormalise<S: Lanes<G::Element> + Lanes<T>, T: Element>(
        &self,
        simd: S,
        (board, gradient): (usize, &Boards<T>),
        (sums, excite): (&Boards<G::Element>, Option<&ExciteActivations>),
        output: &mut [G::Element],
    ) {
        simd.run(Unnormalise {
            width: sums.width,
            gradient: gradient.board(board),
            sums: sums.board(board),
            affine: excite.map_or(self.unfolded.affine(), |unit| unit.backward_affine(board)),
            slope: &self.unfolded.slope,
            output,
        });
    }
}

/// Activations of a layer for one micro-batch, kept from the forward pass for the backward pass.
pub(crate) struct Activations<E> {
    /// The sums before normalisation.
    pub(crate) sums: Boards<E>,
    pub(crate) output: Boards<E>,
    /// Column sums of each board.
    pub(crate) board_sums: Flat<f32>,
    /// `[2][width]` for each board: see [`Gate`].
    pub(crate) gradient_sums: Flat<f32>,
}

impl<E: Element> Activations<E> {
    /// The sum of the boards' gradient sums.
    pub(crate) fn gradient_totals(&self, boards: usize) -> Vec<f64> {
        let mut totals = vec![0.0; self.gradient_sums.stride];
        for board in 0..boards {
            add(&mut totals, self.gradient_sums.board(board));
        }
        totals
    }
}

fn add(totals: &mut [f64], terms: &[f32]) {
    for (total, term) in totals.iter_mut().zip(terms) {
        *total += f64::from(*term);
    }
}

/// The operations between a layer's normalisation and its activation.
pub(crate) struct Junction<'a, E> {
    pub(crate) skip: Option<&'a Boards<E>>,
    pub(crate) excite: Option<&'a ExciteActivations>,
}

impl<E> Junction<'_, E> {
    pub(crate) const NONE: Self = Self { skip: None, excite: None };
}

/// The operations that the gradient of a layer's output passes through on its way to the layer's sums.
pub(crate) struct Gating<'a, E> {
    pub(crate) sums: &'a Boards<E>,
    pub(crate) output: &'a Boards<E>,
    pub(crate) gradient_sums: &'a mut Flat<f32>,
    pub(crate) junction: Junction<'a, E>,
}
