//! A list prepared for play: normalisations with stored statistics are folded into the weights before them, and activations are fused
//! into the layer whose sums they are applied to.

use std::ops::Range;

use super::{
    list::{List, Step},
    normalise::Folded,
    operation::Operation,
};
use crate::{
    Activation,
    layout::{CHANNEL_BLOCK, padded},
};

/// A shorter list that computes the same outputs.
pub(super) struct FoldedList {
    pub(super) list: List,
    pub(super) parameters: Vec<Vec<f32>>,
    /// For each layer, the number of the one that it was.
    pub(super) numbers: Vec<usize>,
    /// The activation fused into each layer.
    pub(super) activations: Vec<Activation>,
}

impl FoldedList {
    pub(super) fn new(list: &List, parameters: &[Vec<f32>], statistics: &[Vec<f32>]) -> Self {
        let mut folding = Folding {
            readers: list.readers(),
            places: (0..list.inputs.len()).collect(),
            result: Self {
                list: List { steps: Vec::new(), ..list.clone() },
                parameters: Vec::new(),
                numbers: Vec::new(),
                activations: Vec::new(),
            },
        };
        for step in &list.steps {
            let of_step = &parameters[step.parameters.clone()];
            let place = folding.place(step, of_step, statistics);
            folding.places.push(place);
        }
        let Folding { places, mut result, .. } = folding;
        result.list.outputs = list.outputs.iter().map(|place| places[*place]).collect();
        result
    }
}

/// A list that is being folded.
struct Folding {
    readers: Vec<usize>,
    /// The place in the folded list for each place of the original.
    places: Vec<usize>,
    result: FoldedList,
}

impl Folding {
    /// Adds a step to the folded list; returns the place of its output.
    fn place(&mut self, step: &Step, parameters: &[Vec<f32>], statistics: &[Vec<f32>]) -> usize {
        let from = self.places[step.inputs[0]];
        if let Operation::Dropout { .. } = step.operation {
            // Layers that read the output of this one read its input instead.
            let (read, reading) = (step.inputs[0], self.places.len());
            self.readers[reading] += self.readers[read] - 1;
            return from;
        }
        let Some(number) = self.sums_before(step) else { return self.push(step, parameters) };
        match step.operation {
            Operation::Activation(activation) => self.result.activations[number] = activation,
            Operation::BatchNorm => {
                self.fold(number, parameters, &statistics[step.statistics.unwrap_or_default()]);
            }
            _ => return self.push(step, parameters),
        }
        from
    }

    /// The convolution whose output only this step reads, if no activation has been fused into it yet.
    fn sums_before(&self, step: &Step) -> Option<usize> {
        let list = &self.result.list;
        let number = self.places[step.inputs[0]].checked_sub(list.inputs.len())?;
        let is_convolution = matches!(list.steps[number].operation, Operation::Convolution { .. });
        let is_plain = self.result.activations[number] == Activation::Identity;
        (is_convolution && is_plain && self.readers[step.inputs[0]] == 1).then_some(number)
    }

    fn push(&mut self, step: &Step, parameters: &[Vec<f32>]) -> usize {
        let result = &mut self.result;
        let first = result.parameters.len();
        result.parameters.extend_from_slice(parameters);
        result.list.steps.push(Step {
            inputs: step.inputs.iter().map(|place| self.places[*place]).collect(),
            parameters: first..result.parameters.len(),
            ..step.clone()
        });
        // Every layer before this one has a place.
        result.numbers.push(self.places.len() - result.list.inputs.len());
        result.activations.push(Activation::Identity);
        result.list.inputs.len() + result.list.steps.len() - 1
    }

    /// Folds a normalisation into a convolution's weights.
    fn fold(&mut self, number: usize, parameters: &[Vec<f32>], statistics: &[f32]) {
        let FoldedList { list, parameters: kept, .. } = &mut self.result;
        let channels = list.steps[number].shape.channels;
        let folded = Folded::new(padded(channels, CHANNEL_BLOCK), statistics, &parameters[0], &parameters[1]);
        let Range { start, end } = list.steps[number].parameters;
        for row in kept[start].chunks_exact_mut(channels) {
            row.iter_mut().zip(&folded.factor).for_each(|(weight, factor)| *weight *= factor);
        }
        let bias: Vec<f32> = (0..channels)
            .map(|channel| {
                let before = if end - start > 1 { kept[start + 1][channel] } else { 0.0 };
                before * folded.factor[channel] + folded.shift[channel]
            })
            .collect();
        if end - start > 1 {
            kept[start + 1] = bias;
            return;
        }
        // The layer's parameters are not the last ones: those of later layers move by one.
        kept.insert(end, bias);
        let step = &mut list.steps[number];
        step.parameters.end += 1;
        if let Operation::Convolution { bias, .. } = &mut step.operation {
            *bias = true;
        }
        for step in &mut list.steps[number + 1..] {
            step.parameters = step.parameters.start + 1..step.parameters.end + 1;
        }
    }
}
