//! The backward pass: from the gradients of the outputs to those of the parameters.
//!
//! Steps run in reverse order. A place may have several readers, so its gradient is a sum: `pass` adds what each reader
//! contributes, last reader first. When a step is reached, all readers of its output have been passed, because a step reads only
//! places before its own (`List::check`); its gradient is complete and leaves the table. A place without a parameter behind it
//! gets no gradient, and its step is not computed.
//!
//! | step | what it needs of the forward pass |
//! |---|---|
//! | convolution | its input, for the gradient of the weights |
//! | activation | its input: derivatives are functions of x, which covers those that are not monotonic, such as Mish |
//! | batch normalisation and its chain | the input and the statistics; all values up to the activation are computed again |
//! | gate and its chain | the same, with the gates |
//! | attention | queries, keys and values; the probabilities are computed again |
//! | other normalisations, scales of squares, scores of moves | the inputs |
//! | maximum pooling | the input, to find the maximum again |
//! | dropout | the factors that it drew |
//! | everything else | nothing |
//!
//! Computing again is cheap where it happens in a pass over memory that is made anyway: between two convolutions the backward
//! pass is bound by memory, not by arithmetic.
//!
//! # Chains
//!
//! ```text
//! forward    x --norm--> a --+ skip--> b --activation--> y        one pass; only x and y are stored
//! backward   x <--------- [ y's gradient arrives unchanged ] <----- y
//! ```
//!
//! The followers of a chain hand their gradient to the place before them as it is. The head then applies the derivative of the
//! activation to x factor + shift + skip, which is what b was; the result is at the same time the gradient of the skip
//! connection. No other step may read a or b (`List::chain`), because they do not exist in memory.

use super::{BackwardRequest, Layer, OnSimd, shapes};
use crate::{
    aligned::Aligned,
    layers::{
        attention,
        convolution::{Known, Parameters, Resources},
        element_wise::{Add, AddToRows, Deactivate},
        gate::Gate,
        list::{Chain, Step},
        memory::Memory,
        normalise::BatchNorm,
        rearrange,
        square_wise::{self, LayerNormGradient},
        workers::Workers,
    },
    layout::CHANNEL_BLOCK,
    simd::GradientLanes,
};

/// Boards whose gradients of parameters are added up by one thread, whatever the number of threads, so that sums are reproducible.
const BOARDS: usize = 16;

/// The gradients of the places of a network and of its parameters that have been computed so far.
struct Gradients<'a, S> {
    workers: Workers<S>,
    /// The parameters themselves.
    values: &'a [Vec<f32>],
    places: Vec<Option<Aligned<f32>>>,
    parameters: Vec<Vec<f32>>,
    /// Gradient buffers of an earlier training step, to be overwritten.
    spare: Vec<Vec<f32>>,
}

impl<S: GradientLanes<f32>> OnSimd<S> {
    pub(super) fn gradients(
        &self,
        memory: &mut Memory,
        spare: Vec<Vec<f32>>,
        request: &BackwardRequest<'_>,
    ) -> Vec<Vec<f32>> {
        let places = self.list.inputs.len() + self.layers.len();
        let lengths = self.list.parameter_lengths();
        let mut gradients = Gradients {
            workers: Workers { simd: self.simd, helpers: request.helpers },
            values: request.parameters,
            places: vec![None; places],
            parameters: vec![Vec::new(); lengths.len()],
            spare,
        };
        for (place, output) in self.list.outputs.iter().zip(request.outputs) {
            let shape = self.list.shape(*place);
            let mut gradient = memory.take(shape);
            rearrange::unflatten(output, shape, &mut gradient);
            self.pass(&mut gradients, memory, *place, gradient);
        }
        for number in (0..self.layers.len()).rev() {
            let place = self.list.inputs.len() + number;
            let Some(gradient) = gradients.places[place].take() else { continue };
            self.backward_layer(number, memory, &mut gradients, gradient);
        }
        for (gradient, length) in gradients.parameters.iter_mut().zip(lengths) {
            gradient.resize(length, 0.0);
        }
        gradients.parameters
    }

    /// Adds a gradient to the sum accumulated for a place so far.
    // Buffers move: the first contribution to a place becomes its sum, later ones are added and returned to the free buffers. A
    // caller must not pass on a buffer that it still needs, which is why the second input of a sum gets a copy.
    fn pass(
        &self,
        gradients: &mut Gradients<'_, S>,
        memory: &mut Memory,
        place: usize,
        gradient: Aligned<f32>,
    ) {
        let known = &mut gradients.places[place];
        if !self.learns[place] {
            return memory.give(gradient);
        }
        let Some(sum) = known else {
            *known = Some(gradient);
            return;
        };
        let workers = gradients.workers;
        workers.change((sum, CHANNEL_BLOCK), |first, sum| {
            workers.simd.run(Add { term: &gradient[first..first + sum.len()], sum });
        });
        memory.give(gradient);
    }

    /// Propagates the gradient of a layer's output to the layer's inputs and parameters.
    fn backward_layer(
        &self,
        number: usize,
        memory: &mut Memory,
        gradients: &mut Gradients<'_, S>,
        mut gradient: Aligned<f32>,
    ) {
        let (step, workers) = (&self.list.steps[number], gradients.workers);
        let from = self.list.input(step);
        let place = step.inputs[0];
        match &self.layers[number] {
            Layer::Convolution(layer) => {
                let mut of_input = self.learns[place].then(|| memory.take(from));
                let known = Known { input: memory.at(place, from), gradient: &gradient };
                let resources = Resources { workers, free: &self.free };
                let parameters = Parameters { values: gradients.values, spare: &mut gradients.spare };
                let found = layer.backward(resources, parameters, known, of_input.as_deref_mut());
                set(gradients, step, found);
                memory.give(gradient);
                if let Some(of_input) = of_input {
                    self.pass(gradients, memory, place, of_input);
                }
                return;
            }
            // The first layer of its chain does this.
            _ if self.joined[number] => {
                let place = self.list.inputs.len() + number - 1;
                return self.pass(gradients, memory, place, gradient);
            }
            Layer::BatchNorm => {
                let Chain { skip, activation, .. } = self.chains[number];
                let mut of_skip = skip.map(|_| memory.take(from));
                let norm = BatchNorm {
                    folded: &memory.folded[number],
                    input: memory.at(place, from),
                    skip: skip.map(|place| memory.at(place, from)),
                    activation,
                };
                let found = norm.backward(workers, &mut gradient, of_skip.as_deref_mut(), from.channels);
                set(gradients, step, found.into());
                if let (Some(skip), Some(of_skip)) = (skip, of_skip) {
                    self.pass(gradients, memory, skip, of_skip);
                }
            }
            Layer::Mean => return self.backward_mean(number, memory, gradients, gradient),
            Layer::Activation(activation) => {
                let input = memory.at(place, from);
                workers.change((&mut gradient, CHANNEL_BLOCK), |first, gradient| {
                    let input = &input[first..first + gradient.len()];
                    workers.simd.run(Deactivate { activation: *activation, input, gradient });
                });
            }
            Layer::Dropout => {
                let factors = memory.factors[number].iter();
                gradient.iter_mut().zip(factors).for_each(|(gradient, factor)| *gradient *= factor);
            }
            Layer::Sum => {
                let mut copy = memory.take(from);
                copy.copy_from_slice(&gradient);
                self.pass(gradients, memory, step.inputs[1], copy);
            }
            Layer::GroupNorm(_) | Layer::ChannelNorm { .. } | Layer::Squares => {
                let found = self.with_parameters(number, workers, memory, &mut gradient);
                set(gradients, step, found);
            }
            _ => return self.backward_boards(number, memory, gradients, gradient),
        }
        self.pass(gradients, memory, place, gradient);
    }

    /// The backward pass of layers that are computed board by board and have parameters: turns the gradient of the output into that of the
    /// input, and returns those of the parameters.
    fn with_parameters(
        &self,
        number: usize,
        workers: Workers<S>,
        memory: &Memory,
        gradient: &mut [f32],
    ) -> Vec<Vec<f32>> {
        let step = &self.list.steps[number];
        let shape = self.list.input(step);
        let lengths = step.operation.parameters(shape, step.shape);
        let input = memory.at(step.inputs[0], shape);
        let scale = &self.affine[number][0];
        let pieces = gradient.chunks_mut(BOARDS * shape.room()).zip(input.chunks(BOARDS * shape.room()));
        let found = workers.each(pieces.collect(), |(gradients, inputs)| {
            if let Layer::ChannelNorm { epsilon } = self.layers[number] {
                return unnormalised(workers.simd, (inputs, shape.channels), epsilon, scale, gradients);
            }
            let mut sums: Vec<Vec<f64>> = lengths.iter().map(|length| vec![0.0; *length]).collect();
            let boards = gradients.chunks_exact_mut(shape.room()).zip(inputs.chunks_exact(shape.room()));
            for (gradient, input) in boards {
                match &self.layers[number] {
                    Layer::GroupNorm(groups) => groups.backward(input, scale, gradient, &mut sums),
                    _ => square_wise::unscale(input, shape, scale, gradient, &mut sums),
                }
            }
            sums
        });
        let mut totals: Vec<Vec<f64>> = lengths.iter().map(|length| vec![0.0; *length]).collect();
        for sums in found {
            for (totals, sums) in totals.iter_mut().zip(sums) {
                totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
            }
        }
        totals.into_iter().map(|totals| totals.into_iter().map(|total| total as f32).collect()).collect()
    }

    /// Adds the gradient of the mean of a map to the gradient of each square.
    fn backward_mean(
        &self,
        number: usize,
        memory: &mut Memory,
        gradients: &mut Gradients<'_, S>,
        gradient: Aligned<f32>,
    ) {
        let step = &self.list.steps[number];
        let (place, from) = (step.inputs[0], self.list.input(step));
        if self.learns[place] {
            let workers = gradients.workers;
            let sum = gradients.places[place].get_or_insert_with(|| {
                let mut zeros = memory.take(from);
                zeros.fill(0.0);
                zeros
            });
            let factor = 1.0 / from.squares() as f32;
            let boards = sum.chunks_exact_mut(from.room()).zip(gradient.chunks_exact(from.width()));
            workers.each(boards.collect(), |(rows, row): (&mut [f32], &[f32])| {
                workers.simd.run(AddToRows { row, factor, rows });
            });
        }
        memory.give(gradient);
    }

    /// The backward pass of layers that are computed board by board and have no parameters.
    fn backward_boards(
        &self,
        number: usize,
        memory: &mut Memory,
        gradients: &mut Gradients<'_, S>,
        mut gradient: Aligned<f32>,
    ) {
        let step = &self.list.steps[number];
        let (from, to) = shapes(&self.list, step);
        let mut found: Vec<Aligned<f32>> = from.iter().map(|shape| memory.take(*shape)).collect();
        let inputs: Vec<&[f32]> =
            step.inputs.iter().zip(&from).map(|(place, shape)| memory.at(*place, *shape)).collect();
        let Chain { skip, activation, .. } = self.chains[number];
        let skip = skip.map(|place| (place, memory.at(place, to)));
        let mut boards: Vec<_> =
            found.iter_mut().zip(&from).map(|(found, shape)| found.chunks_exact_mut(shape.room())).collect();
        let tasks = gradient.chunks_exact_mut(to.room()).enumerate().map(|(board, gradient)| {
            (board, gradient, boards.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>())
        });
        let simd = gradients.workers.simd;
        gradients.workers.each(tasks.collect(), |(board, gradient, mut of_inputs)| {
            let input = |number: usize| &inputs[number][board * from[number].room()..][..from[number].room()];
            match (&self.layers[number], of_inputs.as_mut_slice()) {
                (Layer::Pool(pool), [of_input]) => pool.backward(input(0), gradient, of_input),
                (Layer::Flatten, [of_input]) => rearrange::unflatten(gradient, from[0], of_input),
                (Layer::Unflatten, [of_input]) => {
                    of_input.fill(0.0);
                    rearrange::flatten(gradient, to, of_input);
                }
                (Layer::First, [of_input]) => rearrange::part(gradient, to, 0, (of_input, from[0])),
                (Layer::Join, [of_input, of_other]) => {
                    rearrange::part(gradient, to, 0, (of_input, from[0]));
                    rearrange::part(gradient, to, from[0].channels, (of_other, from[1]));
                }
                (Layer::Gate, [of_input, of_gates]) => {
                    let skip = skip.map(|(_, values)| &values[board * to.room()..][..to.room()]);
                    let gate =
                        Gate { input: input(0), gates: input(1), channels: to.channels, skip, activation };
                    gate.backward(simd, gradient, of_input, of_gates);
                }
                (Layer::Attention(attention), of_inputs) => {
                    let inputs: Vec<&[f32]> = (0..from.len()).map(input).collect();
                    attention.backward(simd, &inputs, gradient, of_inputs);
                }
                (Layer::MoveScores, of_inputs) => {
                    let shapes = [from[0], from[2]];
                    attention::of_move_scores(simd, [0, 1].map(input), shapes, gradient, of_inputs);
                }
                _ => unreachable!("passed back for all boards at once"),
            }
        });
        match skip.map(|(place, _)| place) {
            // The gate has turned it into the gradient before the activation.
            Some(place) => self.pass(gradients, memory, place, gradient),
            None => memory.give(gradient),
        }
        for (place, found) in step.inputs.iter().zip(found) {
            self.pass(gradients, memory, *place, found);
        }
    }
}

/// Turns the gradient of some boards after layer normalisation into that of the boards before it; returns the gradients of scale and
/// shift. There are at most [`BOARDS`], so their sums are few enough for 32 bits.
fn unnormalised<S: GradientLanes<f32>>(
    simd: S,
    (input, channels): (&[f32], usize),
    epsilon: f32,
    scale: &[f32],
    gradient: &mut [f32],
) -> Vec<Vec<f64>> {
    let mut sums = vec![0.0; 2 * scale.len()];
    simd.run(LayerNormGradient { input, channels, epsilon, scale, gradient, sums: &mut sums });
    let parameters = sums.chunks_exact(scale.len());
    parameters.map(|sums| sums[..channels].iter().map(|sum| f64::from(*sum)).collect()).collect()
}

/// Stores the gradients of a step's parameters.
fn set<S>(gradients: &mut Gradients<'_, S>, step: &Step, found: Vec<Vec<f32>>) {
    for (parameter, found) in step.parameters.clone().zip(found) {
        gradients.parameters[parameter] = found;
    }
}
