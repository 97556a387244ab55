//! Forward and backward passes over some samples of a batch on one thread.

use std::ops::Range;

use dataset::Batch;
use kernels::{
    Isa,
    sparse::training::{
        Floats, LayerGradient, Layers, MoveRows, Moves, NumberFormat, Numbers, NumbersMut, accumulate,
        are_within,
    },
};

use super::{
    Body, GRADIENT_LIMIT, LayerParameters, MICRO_BATCHES, Network, SparseLayout, SparseLosses,
    SparseObjective, layout::OUTPUTS,
};

/// Number of samples that go forward and backward together: few enough for their sums to stay in a core's cache.
const PIECE: usize = 64;

/// Values of a batch that are kept between its backward pass and the summation of gradients.
pub(super) struct Memory {
    /// Gradients of the row sums of each body, `[samples][width]`.
    pub(super) bodies: Vec<Numbers>,
    /// Hidden units of the policy's body, `[samples][units]`.
    pub(super) hidden: Numbers,
    /// Gradient of the sum of the features' direct contributions, `[samples]`.
    pub(super) direct: Vec<f32>,
    /// Gradient of the logits of legal moves.
    pub(super) logits: Vec<f32>,
    /// Gradients of the value's layers for each micro-batch.
    pub(super) micro_batches: Vec<Vec<LayerGradient>>,
    /// A one for each sample.
    pub(super) ones: Vec<f32>,
}

impl Memory {
    /// Allocates the gradients of samples in a number format.
    pub(super) fn new(layout: &SparseLayout, format: NumberFormat) -> Self {
        Self {
            bodies: vec![Numbers::zeros(format, 0); layout.bodies.len()],
            hidden: Numbers::zeros(format, 0),
            direct: Vec::new(),
            logits: Vec::new(),
            micro_batches: Vec::new(),
            ones: Vec::new(),
        }
    }

    /// Makes room for a batch.
    pub(super) fn fit(&mut self, layout: &SparseLayout, batch: &Batch) {
        let size = batch.size;
        for (body, gradients) in layout.bodies.iter().zip(&mut self.bodies) {
            gradients.fit(size * body.width);
        }
        self.hidden.fit(size * layout.bodies[layout.policy.body].units());
        self.direct.resize(size, 0.0);
        self.logits.resize(batch.policy.len(), 0.0);
        self.ones.resize(size, 1.0);
        if self.micro_batches.is_empty() {
            let mut gradients = Vec::new();
            for LayerParameters { pair, .. } in &layout.value.layers {
                let [weights, bias] =
                    [pair.weight, pair.bias].map(|number| vec![0.0; layout.shapes[number].iter().product()]);
                gradients.push(LayerGradient { weights, bias });
            }
            self.micro_batches = vec![gradients; MICRO_BATCHES];
        }
    }

    /// The parts of a batch that are computed on one thread each, with their parts of the memory.
    ///
    /// Every buffer is cut where the samples are cut, so no thread writes what another one reads, and nothing has to be copied
    /// after the passes. Logits are cut by the legal moves of the samples.
    pub(super) fn micro_batches<'a>(
        &'a mut self,
        layout: &SparseLayout,
        batch: &Batch,
    ) -> Vec<MicroBatch<'a>> {
        let each = batch.size.div_ceil(MICRO_BATCHES).max(1);
        let mut bodies = Vec::with_capacity(layout.bodies.len());
        for (numbers, body) in self.bodies.iter_mut().zip(&layout.bodies) {
            bodies.push(numbers.chunks_mut(each * body.width).into_iter());
        }
        let units = layout.bodies[layout.policy.body].units();
        let hidden = self.hidden.chunks_mut(each * units);
        let (used, unused) = self.micro_batches.split_at_mut(batch.size.div_ceil(each));
        // Micro-batches that a small batch does not use have no gradient.
        for gradients in unused.iter_mut().flatten() {
            gradients.weights.fill(0.0);
            gradients.bias.fill(0.0);
        }
        let (mut direct, mut logits) = (&mut self.direct[..], &mut self.logits[..]);
        let mut micro_batches = Vec::with_capacity(MICRO_BATCHES);
        for ((first, gradients), hidden) in (0..batch.size).step_by(each).zip(used).zip(hidden) {
            let samples = first..batch.size.min(first + each);
            let of_moves = batch.legal_offsets[samples.end] - batch.legal_offsets[samples.start];
            let (own_direct, rest) = direct.split_at_mut(samples.len());
            direct = rest;
            let (own_logits, rest) = logits.split_at_mut(of_moves as usize);
            logits = rest;
            micro_batches.push(MicroBatch {
                samples,
                bodies: bodies.iter_mut().filter_map(Iterator::next).collect(),
                hidden,
                direct: own_direct,
                logits: own_logits,
                gradients,
            });
        }
        micro_batches
    }
}

/// Some samples of a batch, with their gradients.
pub(super) struct MicroBatch<'a> {
    samples: Range<usize>,
    /// Gradients of the row sums of each body.
    bodies: Vec<NumbersMut<'a>>,
    /// Hidden units of the policy's body.
    hidden: NumbersMut<'a>,
    direct: &'a mut [f32],
    logits: &'a mut [f32],
    gradients: &'a mut [LayerGradient],
}

/// Scratch buffers for one piece.
struct Scratch {
    bodies: Vec<BodyScratch>,
    /// Activations that the value's layers keep for the backward pass.
    kept: Vec<f32>,
    /// Logits of win, draw and loss, and their gradient.
    outputs: [Vec<f32>; 2],
    /// The sum of the features' direct contributions.
    direct: Vec<f32>,
}

struct BodyScratch {
    /// Row sums, later replaced by their gradients.
    sums: Floats,
    /// Hidden units of the body.
    hidden: Floats,
    /// Gradient of the hidden units.
    gradient: Floats,
    /// The runs of samples whose hidden units are read; the buffers above are filled for these only.
    runs: Vec<Range<usize>>,
}

impl Scratch {
    fn new(network: &Network<'_>) -> Self {
        let layers = Layers { layers: &network.value.layers, buckets: &[] };
        let mut bodies = Vec::with_capacity(network.bodies.len());
        for Body { shape, .. } in &network.bodies {
            bodies.push(BodyScratch {
                sums: Floats::zeros(PIECE * shape.width),
                hidden: Floats::zeros(PIECE * shape.units()),
                gradient: Floats::zeros(PIECE * shape.units()),
                runs: Vec::new(),
            });
        }
        Self {
            bodies,
            kept: vec![0.0; PIECE * layers.kept()],
            outputs: [vec![0.0; PIECE * OUTPUTS], vec![0.0; PIECE * OUTPUTS]],
            direct: vec![0.0; PIECE],
        }
    }
}

impl MicroBatch<'_> {
    /// Runs the forward and backward passes; returns the losses.
    pub(super) fn learn(
        mut self,
        isa: Isa,
        network: &Network<'_>,
        objective: &dyn SparseObjective,
    ) -> SparseLosses {
        for gradient in &mut *self.gradients {
            gradient.weights.fill(0.0);
            gradient.bias.fill(0.0);
        }
        let mut scratch = Scratch::new(network);
        let mut losses = SparseLosses { policy: 0.0, value: 0.0, is_bounded: true, seconds: 0.0 };
        for piece in self.pieces() {
            self.forward(isa, network, piece.clone(), &mut scratch);
            let samples = self.in_batch(&piece);
            let [outputs, gradient] = &mut scratch.outputs;
            let outputs = &outputs[..piece.len() * OUTPUTS];
            let gradient = &mut gradient[..piece.len() * OUTPUTS];
            losses.value += objective.value(samples.clone(), outputs, gradient);
            let direct = &mut self.direct[piece.clone()];
            for (direct, logits) in direct.iter_mut().zip(gradient.chunks_exact(OUTPUTS)) {
                *direct = logits[0] - logits[2];
            }
            let moves = self.moves(network, &piece);
            losses.policy += objective.policy(samples, &mut self.logits[moves.clone()]);
            losses.is_bounded &= are_within(isa, GRADIENT_LIMIT, gradient)
                && are_within(isa, GRADIENT_LIMIT, &self.logits[moves]);
            losses.is_bounded &= self.backward(isa, network, piece, &mut scratch);
        }
        losses
    }

    /// Logits of the legal moves, and of win, draw and loss.
    pub(super) fn outputs(mut self, isa: Isa, network: &Network<'_>) -> (Vec<f32>, Vec<f32>) {
        let mut scratch = Scratch::new(network);
        let mut values = Vec::new();
        for piece in self.pieces() {
            let outputs = piece.len() * OUTPUTS;
            self.forward(isa, network, piece, &mut scratch);
            values.extend_from_slice(&scratch.outputs[0][..outputs]);
        }
        (self.logits.to_vec(), values)
    }

    fn pieces(&self) -> Vec<Range<usize>> {
        let length = self.samples.len();
        (0..length).step_by(PIECE).map(|first| first..length.min(first + PIECE)).collect()
    }

    /// The samples of a piece, numbered as in the batch.
    fn in_batch(&self, piece: &Range<usize>) -> Range<usize> {
        self.samples.start + piece.start..self.samples.start + piece.end
    }

    /// The legal moves of a piece among those of the micro-batch.
    fn moves(&self, network: &Network<'_>, piece: &Range<usize>) -> Range<usize> {
        let legal = &network.legal[self.samples.start..];
        let [first, start, end] = [0, piece.start, piece.end].map(|sample| legal[sample] as usize);
        start - first..end - first
    }

    fn forward(&mut self, isa: Isa, network: &Network<'_>, piece: Range<usize>, scratch: &mut Scratch) {
        let samples = self.in_batch(&piece);
        // Rows of features to sums, and sums to hidden units.
        for (number, (body, scratch)) in network.bodies.iter().zip(&mut scratch.bodies).enumerate() {
            let Body { shape, table, bias, features } = body;
            let BodyScratch { sums, hidden, runs, .. } = scratch;
            *runs = network.read_runs(number, samples.clone());
            for run in runs {
                let sums = &mut sums[run.start * shape.width..run.end * shape.width];
                let read = samples.start + run.start..samples.start + run.end;
                accumulate(isa, *table, bias, features.part(read), sums);
                let hidden = &mut hidden[run.start * shape.units()..run.end * shape.units()];
                shape.clipping.forward(isa, shape.width, sums, hidden);
            }
        }
        // Hidden units to win, draw and loss, by the layers of each sample's bucket.
        let Network { value, policy, .. } = network;
        let layers = Layers { layers: &value.layers, buckets: &value.buckets[samples.clone()] };
        let outputs = &mut scratch.outputs[0][..piece.len() * OUTPUTS];
        let units = network.bodies[value.body].shape.units();
        let hidden = &scratch.bodies[value.body].hidden[..piece.len() * units];
        layers.forward(isa, hidden, &mut scratch.kept, outputs);
        // The features' direct contributions: a table with rows of one number.
        let direct = &mut scratch.direct[..piece.len()];
        let features = network.bodies[value.body].features.part(samples.clone());
        accumulate(isa, value.direct, &[0.0], features, direct);
        for (logits, direct) in outputs.chunks_exact_mut(OUTPUTS).zip(direct) {
            logits[0] += *direct;
            logits[2] -= *direct;
        }
        // Hidden units to the logits of legal moves.
        let moves = self.moves(network, &piece);
        let units = network.bodies[policy.body].shape.units();
        let hidden = &scratch.bodies[policy.body].hidden[..piece.len() * units];
        Moves(&parts(&policy.tables, &samples)).forward(isa, hidden, &mut self.logits[moves]);
    }

    /// Computes the gradients, given those of the outputs; true if the gradients of the row sums are within
    /// [`GRADIENT_LIMIT`].
    fn backward(
        &mut self,
        isa: Isa,
        network: &Network<'_>,
        piece: Range<usize>,
        scratch: &mut Scratch,
    ) -> bool {
        let samples = self.in_batch(&piece);
        let Scratch { kept, bodies, outputs: [_, outputs], .. } = scratch;
        let Network { value, policy, .. } = network;
        let layers = Layers { layers: &value.layers, buckets: &value.buckets[samples.clone()] };
        let units = network.bodies[value.body].shape.units();
        let BodyScratch { hidden, gradient, .. } = &mut bodies[value.body];
        layers.backward(isa, (&hidden[..piece.len() * units], kept, outputs), self.gradients, gradient);
        // The gradient of a move's row is the hidden units times that of its logit. Rows are summed after all micro-batches, so
        // the hidden units, which the scratch buffers lose with this piece, are copied.
        let logits = &self.logits[self.moves(network, &piece)];
        let units = network.bodies[policy.body].shape.units();
        let BodyScratch { hidden, gradient, runs, .. } = &mut bodies[policy.body];
        let first = piece.start * units;
        for run in runs {
            let units = run.start * units..run.end * units;
            self.hidden.write(isa, first + units.start, &hidden[units.clone()]);
            // A shared body already has the gradient of the value; that of the policy is added to it.
            if policy.body != value.body {
                gradient[units].fill(0.0);
            }
        }
        Moves(&parts(&policy.tables, &samples)).backward(isa, logits, &mut gradient[..piece.len() * units]);
        let mut is_bounded = true;
        let at = Place { in_batch: samples.start, in_micro_batch: piece.start };
        for ((body, kept), scratch) in network.bodies.iter().zip(&mut self.bodies).zip(bodies) {
            let (width, units) = (body.shape.width, body.shape.units());
            // From hidden units to sums: the runs, and zeros for the samples before, between and after them.
            let mut end = 0;
            for run in &scratch.runs {
                no_gradient(isa, body, at, end..run.start, kept);
                let sums = &mut scratch.sums[run.start * width..run.end * width];
                let gradient = &scratch.gradient[run.start * units..run.end * units];
                body.shape.clipping.backward(isa, width, sums, gradient);
                is_bounded &= are_within(isa, GRADIENT_LIMIT, sums);
                kept.write(isa, (piece.start + run.start) * width, sums);
                end = run.end;
            }
            no_gradient(isa, body, at, end..piece.len(), kept);
        }
        is_bounded
    }
}

/// The first sample of a piece.
#[derive(Clone, Copy)]
struct Place {
    in_batch: usize,
    in_micro_batch: usize,
}

/// Writes zero gradients for samples of a piece that have features but whose hidden units are not read, because row
/// gradients sum over all samples with a feature.
fn no_gradient(isa: Isa, body: &Body<'_>, at: Place, samples: Range<usize>, kept: &mut NumbersMut<'_>) {
    let width = body.shape.width;
    for sample in samples {
        if !body.features.of(at.in_batch + sample).is_empty() {
            kept.write(isa, (at.in_micro_batch + sample) * width, &vec![0.0; width]);
        }
    }
}

/// The rows of moves that these samples read.
fn parts<'a>(tables: &[MoveRows<'a>], samples: &Range<usize>) -> Vec<MoveRows<'a>> {
    tables.iter().map(|rows| MoveRows { lists: rows.lists.part(samples.clone()), ..*rows }).collect()
}
