//! The forward pass, from planes to outputs.

use super::{Layer, OnSimd, Request, shapes};
use crate::{
    Activation,
    layers::{
        attention,
        convolution::{Input, Resources},
        element_wise::{Activate, Add},
        gate::Gate,
        list::{Chain, List, Shape, Step},
        memory::{Before, Memory},
        normalise::{BatchNorm, Folded, NormStatistics, batch_statistics},
        pooling::mean,
        rearrange,
        square_wise::{self, LayerNorm},
        workers::Workers,
    },
    simd::GradientLanes,
};

impl<S: GradientLanes<f32>> OnSimd<S> {
    /// Computes the output of a layer.
    pub(super) fn forward_layer(&self, number: usize, memory: &mut Memory, request: &Request<'_>) {
        let (list, step) = (&self.list, &self.list.steps[number]);
        let workers = self.workers_of(request);
        let chain = self.chains[number];
        let place = list.inputs.len() + number + chain.followers;
        if let Layer::BatchNorm = self.layers[number] {
            self.set_statistics(number, memory, request);
        }
        if let (Layer::Dropout, Some(draw)) = (&self.layers[number], request.factors) {
            let squares = memory.boards * step.shape.squares();
            let drawn = draw(number, squares * step.shape.channels);
            let mut factors = vec![0.0; squares * step.shape.width()];
            rearrange::unflatten(&drawn, step.shape, &mut factors);
            memory.factors[number] = factors;
        } else {
            memory.factors[number].clear();
        }
        let folded = std::mem::take(&mut memory.folded[number]);
        let factors = std::mem::take(&mut memory.factors[number]);
        let mut levels = std::mem::take(&mut memory.levels[step.inputs[0]]);
        let (before, output) = memory.filling(place, step.shape);
        let input = before.at(step.inputs[0], list.input(step));
        match &self.layers[number] {
            Layer::Convolution(layer) => {
                let resources = Resources { workers, free: &self.free };
                let input = Input { values: input, levels: &mut levels };
                layer.forward(resources, request.parameters, input, (chain.activation, output));
            }
            Layer::BatchNorm => {
                let skip = chain.skip.map(|place| before.at(place, step.shape));
                let norm = BatchNorm { folded: &folded, input, skip, activation: chain.activation };
                norm.forward(workers, output);
            }
            Layer::Activation(activation) => activate(workers, *activation, input, output),
            Layer::Dropout if factors.is_empty() => output.copy_from_slice(input),
            Layer::Dropout => {
                let products = input.iter().zip(&factors).map(|(value, factor)| value * factor);
                output.iter_mut().zip(products).for_each(|(to, product)| *to = product);
            }
            Layer::Sum => {
                let term = before.at(step.inputs[1], step.shape);
                workers.change((output, step.shape.width()), |first, sum| {
                    sum.copy_from_slice(&input[first..first + sum.len()]);
                    workers.simd.run(Add { term: &term[first..first + sum.len()], sum });
                });
            }
            _ => self.forward_boards(number, workers, before, output),
        }
        memory.folded[number] = folded;
        memory.factors[number] = factors;
        memory.levels[step.inputs[0]] = levels;
    }

    /// Computes layers that work board by board.
    fn forward_boards(&self, number: usize, workers: Workers<S>, before: Before<'_>, output: &mut [f32]) {
        let step = &self.list.steps[number];
        let (from, to) = shapes(&self.list, step);
        let boards = output.chunks_exact_mut(to.room()).enumerate().collect();
        workers.each(boards, |(board, output): (usize, &mut [f32])| {
            let input = |number: usize| board_of(&self.list, step, number, before, board);
            match &self.layers[number] {
                Layer::GroupNorm(groups) => {
                    groups.forward(input(0), self.affine[number].each_ref().map(Vec::as_slice), output);
                }
                Layer::Pool(pool) => pool.forward(input(0), output),
                Layer::Flatten => rearrange::flatten(input(0), from[0], output),
                Layer::Join => rearrange::join([input(0), input(1)], [from[0], from[1]], output),
                Layer::First => rearrange::part(input(0), from[0], 0, (output, to)),
                Layer::Unflatten => rearrange::unflatten(input(0), to, output),
                Layer::ChannelNorm { epsilon } => {
                    let ([scale, shift], channels) = (&self.affine[number], to.channels);
                    let (input, epsilon) = (input(0), *epsilon);
                    workers.simd.run(LayerNorm { input, channels, epsilon, scale, shift, output });
                }
                Layer::Squares => {
                    square_wise::scale(input(0), self.affine[number].each_ref().map(Vec::as_slice), output);
                }
                Layer::Attention(attention) => {
                    let inputs: Vec<&[f32]> = (0..step.inputs.len()).map(input).collect();
                    attention.forward(workers.simd, &inputs, output);
                }
                Layer::MoveScores => {
                    attention::move_scores(workers.simd, [0, 1, 2].map(input), [from[0], from[2]], output);
                }
                Layer::Mean => mean(workers.simd, input(0), output),
                Layer::Gate => {
                    let Chain { skip, activation, .. } = self.chains[number];
                    let skip = skip.map(|place| board_at(place, to, before, board));
                    let gate =
                        Gate { input: input(0), gates: input(1), channels: to.channels, skip, activation };
                    gate.forward(workers.simd, output);
                }
                _ => unreachable!("computed for all boards at once"),
            }
        });
    }

    /// Sets the statistics of a batch normalisation.
    fn set_statistics(&self, number: usize, memory: &mut Memory, request: &Request<'_>) {
        let step = &self.list.steps[number];
        let place = step.statistics.unwrap_or_default();
        let statistics = match request.normalisation {
            NormStatistics::Stored(statistics) => statistics[place].clone(),
            NormStatistics::Batch => {
                let input = memory.at(step.inputs[0], step.shape);
                batch_statistics(self.workers_of(request), input, step.shape)
            }
        };
        let [scale, shift] = &self.affine[number];
        memory.folded[number] = Folded::new(step.shape.width(), &statistics, scale, shift);
        memory.statistics[place] = statistics;
    }
}

/// The values of one board at input `number` of a step, `[squares][width]`.
fn board_of<'a>(list: &List, step: &Step, number: usize, before: Before<'a>, board: usize) -> &'a [f32] {
    let place = step.inputs[number];
    board_at(place, list.shape(place), before, board)
}

/// The values of one board at a place.
fn board_at(place: usize, shape: Shape, before: Before<'_>, board: usize) -> &[f32] {
    &before.at(place, shape)[board * shape.room()..][..shape.room()]
}

fn activate<S: GradientLanes<f32>>(
    workers: Workers<S>,
    activation: Activation,
    input: &[f32],
    output: &mut [f32],
) {
    workers.change((output, crate::layout::CHANNEL_BLOCK), |first, output| {
        let input = &input[first..first + output.len()];
        workers.simd.run(Activate { activation, input, output });
    });
}
