//! Forward and backward passes of a network on one backend.

use chess::encoding::Plane;
use rayon::prelude::*;

use super::{
    backend::TrainingBackend,
    convolution::Directions,
    dense::Dense,
    heads::{Head, HeadActivations, Order, Planes, Tail, TrunkGradient},
    linear::Linear,
    micro_batch::{self, MicroBatch, micro_batches},
    norm_statistics::NormStatistics,
    normalised::Normalised,
    numbering::Numbering,
    outputs::TrainingOutputs,
    shape::TrainingShape,
    tower::Tower,
    work::{GROUP, Pool, Work},
};
use crate::{
    backend::Sizes,
    layout::{Boards, CHANNEL_BLOCK, padded},
    simd::element::Element,
    start::Start,
};

/// A network in training with its backend's type erased. The caller has checked all sizes.
pub(crate) trait ForwardBackward: Send {
    /// Runs the network on a number of boards.
    fn forward(
        &mut self,
        boards: usize,
        parameters: &[Vec<f32>],
        planes: &[Plane],
        from: NormStatistics<'_>,
    ) -> TrainingOutputs;

    /// The gradients of the parameters, given the gradients of the last forward pass's outputs.
    fn backward(&mut self, policy_gradient: &[f32], value_gradient: &[f32]) -> Vec<Vec<f32>>;
}

/// A network in training, with its layers and memory on one backend.
pub(crate) struct OnBackend<G: TrainingBackend> {
    shape: TrainingShape,
    pool: Pool<G>,
    tower: Tower<G>,
    policy: Head<G>,
    value: Head<G>,
    moves_left: Option<Head<G>>,
    /// The micro-batches; those of the last batch come first.
    batches: Vec<MicroBatch<G::Element>>,
    /// Number of micro-batches in that batch, and of boards.
    active: usize,
    boards: usize,
}

impl<G: TrainingBackend> OnBackend<G> {
    /// Creates a network with room for batches of up to `boards` boards.
    pub(crate) fn new(backend: G, shape: &TrainingShape, boards: usize) -> Self {
        let mut numbering = Numbering::default();
        let tower = Tower::new(shape, &mut numbering);
        let policy = Head::policy(shape, &mut numbering);
        let value = Head::pooled(shape, shape.value, &mut numbering);
        let moves_left = shape.moves_left.map(|head| Head::pooled(shape, head, &mut numbering));
        let widths = std::iter::once(shape.planes)
            .chain(tower.layers.iter().map(|layer| layer.linear.outputs))
            .chain([&policy, &value].into_iter().chain(&moves_left).flat_map(Head::widths));
        let width = padded(widths.max().unwrap_or_default(), CHANNEL_BLOCK);
        let room = micro_batch::room(boards);
        let batch = |_| MicroBatch {
            boards: 0..0,
            input: Boards::new(room, padded(shape.planes, CHANNEL_BLOCK), G::Element::nearest(0.0)),
            tower: tower.room(room, padded(shape.channels, CHANNEL_BLOCK)),
            policy: policy.room(room),
            value: value.room(room),
            moves_left: moves_left.as_ref().map(|head| head.room(room)),
            filter_gradients: [Vec::new(), Vec::new()],
        };
        Self {
            pool: Pool::new(backend, Sizes { width, outputs: width }),
            batches: (0..micro_batch::count(boards, GROUP)).map(batch).collect(),
            shape: shape.clone(),
            tower,
            policy,
            value,
            moves_left,
            active: 0,
            boards: 0,
        }
    }

    fn pack(&mut self, parameters: &[Vec<f32>]) {
        let backend = self.pool.backend();
        self.tower.layers.par_iter_mut().enumerate().for_each(|(number, layer)| {
            let directions = if number == 0 { Directions::Forward } else { Directions::Both };
            layer.pack(backend, parameters, directions);
        });
        for unit in self.tower.excites.iter_mut().flatten() {
            unit.squeeze.pack(backend.simd(), parameters);
            unit.expand.pack(backend.simd(), parameters);
        }
        for head in [&mut self.policy, &mut self.value].into_iter().chain(&mut self.moves_left) {
            head.pack(backend, parameters);
        }
    }

    /// Processes the micro-batches of the batch in parallel; returns their results in order.
    fn each<T: Send>(
        pool: &Pool<G>,
        batches: &mut [MicroBatch<G::Element>],
        run: impl Fn(&mut Work<G>, &mut MicroBatch<G::Element>) -> T + Sync,
    ) -> Vec<T> {
        batches.par_iter_mut().map(|batch| pool.with(batch.boards.len(), |work| run(work, batch))).collect()
    }

    /// Runs the tower up to the last layer's sums.
    fn forward_tower(&mut self, parameters: &[Vec<f32>], planes: &[Plane], from: NormStatistics<'_>) {
        let Self { pool, tower, batches, active, boards, shape, .. } = self;
        for number in 0..tower.layers.len() {
            let totals = Self::each(pool, &mut batches[..*active], |work, batch| {
                if number == 0 {
                    batch.set_planes(shape.planes, planes);
                }
                tower.forward(number, work, &batch.input, &mut batch.tower)
            });
            tower.layers[number].fold(parameters, from, &total(totals), *boards);
        }
    }

    /// Computes the outputs of both heads.
    fn forward_heads(&mut self, parameters: &[Vec<f32>], from: NormStatistics<'_>) -> [Vec<f32>; 2] {
        let Self { pool, tower, policy, value, moves_left, batches, active, boards, shape, .. } = self;
        let batches = &mut batches[..*active];
        let top = tower.layers.len() - 1;
        let sums = Self::each(pool, batches, |work, batch| {
            tower.finish(top, work, &mut batch.tower);
            let trunk = &batch.tower.layers[top].output;
            let mut first = |head: &Head<G>, memory: &mut HeadActivations<G::Element>| {
                head.first.convolve(work, trunk, &mut memory.first)
            };
            // The moves-left head is run for its statistics, which are part of the network's statistics.
            let rest = moves_left.as_ref().zip(batch.moves_left.as_mut());
            let rest = rest.map(|(head, memory)| first(head, memory)).unwrap_or_default();
            [first(policy, &mut batch.policy), first(value, &mut batch.value), rest]
        });
        let heads = [Some(&mut *policy), Some(&mut *value), moves_left.as_mut()];
        for (number, head) in heads.into_iter().enumerate() {
            let totals = sums.iter().map(|sums| sums[number].clone()).collect();
            if let Some(head) = head {
                head.first.fold(parameters, from, &total(totals), *boards);
            }
        }
        let mut answers = [shape.policy_width(), shape.value.outputs].map(|width| vec![0.0; *boards * width]);
        let [policies, values] = &mut answers;
        let parts = split(policies, batches).into_iter().zip(split(values, batches)).collect::<Vec<_>>();
        batches.par_iter_mut().zip(parts).for_each(|(batch, (policy_answer, value_answer))| {
            pool.with(batch.boards.len(), |work| {
                policy.forward(work, &mut batch.policy, policy_answer);
                value.forward(work, &mut batch.value, value_answer);
            });
        });
        answers
    }

    fn statistics(&self) -> Vec<Vec<f32>> {
        let heads = [&self.policy, &self.value].into_iter().chain(&self.moves_left);
        self.tower
            .layers
            .iter()
            .chain(heads.map(|head| &head.first))
            .map(|layer| layer.statistics.clone())
            .collect()
    }

    /// Turns the gradients of the outputs into the gradient before the activation of the last layer of the tower.
    fn backward_heads(&mut self, answers: [&[f32]; 2], gradients: &mut [Vec<f32>]) {
        let Self { pool, tower, policy, value, batches, active, boards, .. } = self;
        let (batches, boards) = (&mut batches[..*active], *boards);
        let widths = answers.map(|gradient| gradient.len() / boards);
        let totals = Self::each(pool, batches, |work, batch| {
            let part = |head: usize| {
                &answers[head][batch.boards.start * widths[head]..batch.boards.end * widths[head]]
            };
            let [result, unused] = &mut batch.filter_gradients;
            [
                policy.backward(work, &mut batch.policy, part(0), result),
                value.backward(work, &mut batch.value, part(1), unused),
            ]
        });
        let (policies, values) = totals.into_iter().map(|[policy, value]| (policy, value)).unzip();
        policy.first.unfold(&total(policies), boards);
        value.first.unfold(&total(values), boards);
        policy.put_gradients(pool.backend(), batches, |batch| &batch.policy, gradients);
        value.put_gradients(pool.backend(), batches, |batch| &batch.value, gradients);
        let top = tower.layers.len() - 1;
        let totals = Self::each(pool, batches, |work, batch| {
            let [of_policy, of_value] = &mut batch.filter_gradients;
            let MicroBatch { tower: remembered, policy: policies, value: values, .. } = batch;
            let trunk = TrunkGradient { tower: remembered, order: Order::First };
            policy.leave(work, policies, trunk, of_policy);
            let trunk = TrunkGradient { tower: remembered, order: Order::Last(&tower.layers[top]) };
            value.leave(work, values, trunk, of_value);
            tower.gradient_totals(top, work, remembered)
        });
        put_layer(&policy.first, batches, 0, gradients);
        put_layer(&value.first, batches, 1, gradients);
        self.end_layer(top, &total(totals), gradients);
    }

    /// Completes a layer once all micro-batches are done, given the totals of the gradient of its normalised values.
    fn end_layer(&mut self, number: usize, totals: &[f64], gradients: &mut [Vec<f32>]) {
        let Self { pool, tower, batches, active, boards, .. } = self;
        tower.layers[number].unfold(totals, *boards);
        let Some(block) = (number > 0 && number.is_multiple_of(2)).then(|| number / 2 - 1) else { return };
        let Some(unit) = &tower.excites[block] else { return };
        let simd = pool.backend().simd();
        let remembered = batches[..*active].iter().filter_map(|batch| {
            batch.tower.excites[block].as_ref().map(|memory| (batch.boards.len(), memory))
        });
        let squeeze: Vec<_> =
            remembered.clone().map(|(boards, memory)| (boards, &memory.pooled, &memory.squeeze)).collect();
        let expand: Vec<_> =
            remembered.map(|(boards, memory)| (boards, &memory.squeeze.output, &memory.expand)).collect();
        put(&unit.squeeze, unit.squeeze.gradients(simd, &squeeze), gradients);
        put(&unit.expand, unit.expand.gradients(simd, &expand), gradients);
    }
}

impl<G: TrainingBackend> ForwardBackward for OnBackend<G> {
    fn forward(
        &mut self,
        boards: usize,
        parameters: &[Vec<f32>],
        planes: &[Plane],
        from: NormStatistics<'_>,
    ) -> TrainingOutputs {
        let ranges = micro_batches(boards, GROUP);
        (self.active, self.boards) = (ranges.len(), boards);
        for (batch, range) in self.batches.iter_mut().zip(ranges) {
            batch.boards = range;
        }
        self.pack(parameters);
        self.forward_tower(parameters, planes, from);
        let [policy, value] = self.forward_heads(parameters, from);
        TrainingOutputs { policy, value, statistics: self.statistics() }
    }

    fn backward(&mut self, policy_gradient: &[f32], value_gradient: &[f32]) -> Vec<Vec<f32>> {
        let mut gradients: Vec<Vec<f32>> =
            self.shape.parameter_lengths().into_iter().map(|len| vec![0.0; len]).collect();
        self.backward_heads([policy_gradient, value_gradient], &mut gradients);
        for number in (0..self.tower.layers.len()).rev() {
            let Self { pool, tower, batches, active, .. } = self;
            let totals = Self::each(pool, &mut batches[..*active], |work, batch| {
                let result = &mut batch.filter_gradients[0];
                tower.backward(number, work, (&batch.input, &mut batch.tower), result);
                let below = number.checked_sub(1);
                below.map(|below| tower.gradient_totals(below, work, &mut batch.tower))
            });
            put_layer(&tower.layers[number], &batches[..*active], 0, &mut gradients);
            if let Some(totals) = totals.into_iter().collect::<Option<Vec<_>>>() {
                self.end_layer(number - 1, &total(totals), &mut gradients);
            }
        }
        gradients
    }
}

impl<G: TrainingBackend> Head<G> {
    /// Width of a square after each convolution.
    fn widths(&self) -> Vec<usize> {
        match &self.tail {
            Tail::Planes(Planes { linear, .. }) => vec![self.first.linear.outputs, linear.outputs],
            Tail::Dense(_) => vec![self.first.linear.outputs],
        }
    }

    /// Stores the gradients of the layers after the first one.
    fn put_gradients(
        &self,
        backend: &G,
        batches: &[MicroBatch<G::Element>],
        remembered: impl Fn(&MicroBatch<G::Element>) -> &HeadActivations<G::Element>,
        gradients: &mut [Vec<f32>],
    ) {
        match &self.tail {
            Tail::Planes(Planes { linear, parameter, .. }) => {
                gradients[*parameter] = filter_gradient(*linear, batches, 0);
                let bias = total(batches.iter().map(|batch| remembered(batch).bias.clone()).collect());
                gradients[*parameter + 1] = bias.into_iter().map(|sum| sum as f32).collect();
            }
            Tail::Dense(layers) => {
                for (number, layer) in layers.iter().enumerate() {
                    let parts: Vec<_> = batches
                        .iter()
                        .map(|batch| {
                            let memory = remembered(batch);
                            let below = number.checked_sub(1).map(|below| &memory.layers[below].output);
                            (batch.boards.len(), below.unwrap_or(&memory.flat), &memory.layers[number])
                        })
                        .collect();
                    put(layer, layer.gradients(backend.simd(), &parts), gradients);
                }
            }
        }
    }
}

/// Stores a dense layer's gradients at their indices.
fn put(layer: &Dense, of_layer: [Vec<f32>; 2], gradients: &mut [Vec<f32>]) {
    for (place, gradient) in of_layer.into_iter().enumerate() {
        gradients[layer.parameter + place] = gradient;
    }
}

/// Stores the gradients of a layer with normalisation at their indices.
fn put_layer<G: TrainingBackend>(
    layer: &Normalised<G>,
    batches: &[MicroBatch<G::Element>],
    number: usize,
    gradients: &mut [Vec<f32>],
) {
    gradients[layer.parameter] = filter_gradient(layer.linear, batches, number);
    let [scale, shift] = &layer.unfolded.parameters;
    gradients[layer.parameter + 1].clone_from(scale);
    gradients[layer.parameter + 2].clone_from(shift);
}

/// The gradient of a convolution's weights, summed over the micro-batches in order.
fn filter_gradient<E: Element>(layer: Linear, batches: &[MicroBatch<E>], number: usize) -> Vec<f32> {
    let Linear { kernel_size, inputs, outputs } = layer;
    let columns = padded(outputs, CHANNEL_BLOCK);
    let mut total = vec![0.0; kernel_size.taps() * inputs * outputs];
    total.par_chunks_mut(inputs * outputs).enumerate().for_each(|(tap, total)| {
        let mut start = Start::Fresh;
        for batch in batches {
            let of_tap = &batch.filter_gradients[number][tap * inputs * columns..];
            for (sums, terms) in total.chunks_exact_mut(outputs).zip(of_tap.chunks_exact(columns)) {
                start.add(sums, &terms[..outputs]);
            }
            start = Start::Continued;
        }
    });
    total
}

/// The sum of the micro-batches' totals, added in order.
fn total(parts: Vec<Vec<f64>>) -> Vec<f64> {
    let mut parts = parts.into_iter();
    let mut total = parts.next().unwrap_or_default();
    for part in parts {
        for (sum, term) in total.iter_mut().zip(part) {
            *sum += term;
        }
    }
    total
}

/// Splits outputs for all boards into the parts of the micro-batches.
fn split<'a, E>(mut answers: &'a mut [f32], batches: &[MicroBatch<E>]) -> Vec<&'a mut [f32]> {
    let boards: usize = batches.iter().map(|batch| batch.boards.len()).sum();
    let width = answers.len() / boards;
    batches
        .iter()
        .map(|batch| answers.split_off_mut(..batch.boards.len() * width).expect("answers for all boards"))
        .collect()
}
