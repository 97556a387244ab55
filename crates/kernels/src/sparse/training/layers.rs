//! Small fully connected layers, of which each bucket of samples has its own copy.

use super::vectors::{add_scaled, dot};
use crate::{
    Isa,
    simd::{Kernel, Simd},
};

/// One layer in all its copies.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'a> {
    /// `[buckets][outputs][inputs]`.
    pub weights: &'a [f32],
    /// `[buckets][outputs]`.
    pub bias: &'a [f32],
    /// Number of inputs.
    pub inputs: usize,
    /// Number of outputs.
    pub outputs: usize,
}

/// Layers behind each other; sums of all but the last are cut off at 0 and 1, and squared.
#[derive(Clone, Copy, Debug)]
pub struct Layers<'a> {
    /// The layers, from the hidden units to the outputs.
    pub layers: &'a [Layer<'a>],
    /// The copy that each sample goes through.
    pub buckets: &'a [u8],
}

/// Gradients of a layer's numbers, laid out like the numbers themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerGradient {
    /// Gradient of [`Layer::weights`].
    pub weights: Vec<f32>,
    /// Gradient of [`Layer::bias`].
    pub bias: Vec<f32>,
}

impl Layers<'_> {
    /// Outputs of the last layer.
    pub fn outputs(&self) -> usize {
        self.layers.last().map_or(0, |layer| layer.outputs)
    }

    /// Numbers that the backward pass needs of each sample: the sums, cut off, of all layers but the last.
    pub fn kept(&self) -> usize {
        self.layers.iter().rev().skip(1).map(|layer| layer.outputs).sum()
    }

    /// The outputs of samples.
    ///
    /// # Shapes
    /// hidden `[samples][inputs]`, kept `[samples][kept()]`, outputs `[samples][outputs()]`.
    ///
    /// # Panics
    /// If a shape does not fit, or a bucket has no copy.
    pub fn forward(self, isa: Isa, hidden: &[f32], kept: &mut [f32], outputs: &mut [f32]) {
        isa.run(Forward { layers: self, hidden, kept, outputs });
    }

    /// The gradient of the hidden units, and those of weights and biases, which are added to `gradients`.
    ///
    /// # Shapes
    /// hidden and its gradient `[samples][inputs]`, kept `[samples][kept()]`, that of the outputs
    /// `[samples][outputs()]`.
    ///
    /// # Panics
    /// As [`Layers::forward`].
    pub fn backward(
        self,
        isa: Isa,
        (hidden, kept, outputs): (&[f32], &[f32], &[f32]),
        gradients: &mut [LayerGradient],
        hidden_gradient: &mut [f32],
    ) {
        isa.run(Backward { layers: self, hidden, kept, outputs, gradients, hidden_gradient });
    }

    fn most(&self) -> usize {
        self.layers.iter().map(|layer| layer.outputs).max().unwrap_or(0)
    }
}

impl Layer<'_> {
    /// The weights of an output, and its bias.
    #[inline(always)]
    fn of(&self, bucket: u8, output: usize) -> (&[f32], f32) {
        let row = usize::from(bucket) * self.outputs + output;
        (&self.weights[row * self.inputs..][..self.inputs], self.bias[row])
    }
}

struct Forward<'a> {
    layers: Layers<'a>,
    hidden: &'a [f32],
    kept: &'a mut [f32],
    outputs: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { layers: Layers { layers, buckets }, hidden, kept, outputs } = self;
        let Some((last, inner)) = layers.split_last() else { return };
        let inputs = layers[0].inputs;
        let keep: usize = inner.iter().map(|layer| layer.outputs).sum();
        let mut values = vec![0.0; layers.iter().map(|layer| layer.inputs).max().unwrap_or(0)];
        for (sample, &bucket) in buckets.iter().enumerate() {
            values[..inputs].copy_from_slice(&hidden[sample * inputs..][..inputs]);
            let mut kept = &mut kept[sample * keep..][..keep];
            for layer in inner {
                let (cut, rest) = kept.split_at_mut(layer.outputs);
                for (output, cut) in cut.iter_mut().enumerate() {
                    let (weights, bias) = layer.of(bucket, output);
                    *cut = (bias + dot(simd, weights, &values[..layer.inputs])).clamp(0.0, 1.0);
                }
                for (value, cut) in values.iter_mut().zip(&*cut) {
                    *value = cut * cut;
                }
                kept = rest;
            }
            for (output, to) in outputs[sample * last.outputs..][..last.outputs].iter_mut().enumerate() {
                let (weights, bias) = last.of(bucket, output);
                *to = bias + dot(simd, weights, &values[..last.inputs]);
            }
        }
    }
}

struct Backward<'a> {
    layers: Layers<'a>,
    hidden: &'a [f32],
    kept: &'a [f32],
    outputs: &'a [f32],
    gradients: &'a mut [LayerGradient],
    hidden_gradient: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self, simd: S) {
        let Self { layers, hidden, kept, outputs, gradients, hidden_gradient } = self;
        let (count, keep, most) = (layers.outputs(), layers.kept(), layers.most());
        let Layers { layers, buckets } = layers;
        let Some(first) = layers.first() else { return };
        // Gradients of a layer's output and input, and the input itself.
        let (mut given, mut read, mut values) = (vec![0.0; most], vec![0.0; most], vec![0.0; most]);
        for (sample, &bucket) in buckets.iter().enumerate() {
            given[..count].copy_from_slice(&outputs[sample * count..][..count]);
            let mut kept = &kept[sample * keep..][..keep];
            for number in (1..layers.len()).rev() {
                let layer = &layers[number];
                let (before, cut) = kept.split_at(kept.len() - layer.inputs);
                for (value, cut) in values.iter_mut().zip(cut) {
                    *value = cut * cut;
                }
                let read = &mut read[..layer.inputs];
                read.fill(0.0);
                back(simd, (layer, bucket), (&values[..layer.inputs], &given), &mut gradients[number], read);
                for ((given, read), cut) in given.iter_mut().zip(&*read).zip(cut) {
                    *given = if *cut > 0.0 && *cut < 1.0 { read * 2.0 * cut } else { 0.0 };
                }
                kept = before;
            }
            let inputs = first.inputs;
            let read = &mut hidden_gradient[sample * inputs..][..inputs];
            read.fill(0.0);
            let hidden = &hidden[sample * inputs..][..inputs];
            back(simd, (first, bucket), (hidden, &given), &mut gradients[0], read);
        }
    }
}

/// One layer backward for one sample.
#[inline(always)]
fn back<S: Simd>(
    simd: S,
    (layer, bucket): (&Layer<'_>, u8),
    (values, given): (&[f32], &[f32]),
    gradient: &mut LayerGradient,
    read: &mut [f32],
) {
    for (output, &given) in given[..layer.outputs].iter().enumerate() {
        // Of every layer but the last, half of the units are cut off.
        if given == 0.0 {
            continue;
        }
        let row = usize::from(bucket) * layer.outputs + output;
        gradient.bias[row] += given;
        add_scaled(simd, &mut gradient.weights[row * layer.inputs..][..layer.inputs], given, values);
        add_scaled(simd, read, given, layer.of(bucket, output).0);
    }
}
