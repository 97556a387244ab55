//! Small fully connected layers, with a copy for each bucket of samples.

use super::vectors::dots;
use crate::{
    Isa,
    simd::{Kernel, Simd},
};

/// One layer with all its copies.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Layer<'a> {
    /// `[buckets][outputs][inputs]`.
    pub weights: &'a [f32],
    /// `[buckets][outputs]`.
    pub bias: &'a [f32],
    pub inputs: usize,
    pub outputs: usize,
}

/// A sequence of layers. The sums of all layers except the last are clipped to the range 0 to 1 and squared.
#[derive(Clone, Copy, Debug)]
pub struct Layers<'a> {
    /// The layers, from the hidden units to the outputs.
    pub layers: &'a [Layer<'a>],
    /// The bucket, and so the copy of the layers, of each sample.
    pub buckets: &'a [u8],
}

/// Gradients of a layer's parameters, laid out like the parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerGradient {
    /// Gradient of [`Layer::weights`].
    pub weights: Vec<f32>,
    /// Gradient of [`Layer::bias`].
    pub bias: Vec<f32>,
}

impl Layers<'_> {
    /// Number of outputs of the last layer.
    pub fn outputs(&self) -> usize {
        self.layers.last().map_or(0, |layer| layer.outputs)
    }

    /// Number of values that the backward pass needs for each sample: the clipped sums of all layers except the last.
    pub fn kept(&self) -> usize {
        self.layers.iter().rev().skip(1).map(|layer| layer.outputs).sum()
    }

    /// Computes the outputs of samples.
    ///
    /// # Shapes
    /// hidden `[samples][inputs]`, kept `[samples][kept()]`, outputs `[samples][outputs()]`.
    ///
    /// # Panics
    /// If a shape does not fit, or a bucket has no copy.
    pub fn forward(self, isa: Isa, hidden: &[f32], kept: &mut [f32], outputs: &mut [f32]) {
        isa.run(Forward { layers: self, hidden, kept, outputs });
    }

    /// Computes the gradient of the hidden units, and adds the gradients of weights and biases to `gradients`.
    ///
    /// # Shapes
    /// hidden and its gradient `[samples][inputs]`, kept `[samples][kept()]`, gradient of the outputs
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

/// Number of samples of one bucket that go through the layers together, so that weights are read once for all of them.
const GROUP: usize = 4;

/// The samples sorted by bucket; within a bucket their order is kept.
fn by_bucket(buckets: &[u8]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..buckets.len()).collect();
    order.sort_by_key(|sample| buckets[*sample]);
    order
}

struct Forward<'a> {
    layers: Layers<'a>,
    hidden: &'a [f32],
    kept: &'a mut [f32],
    outputs: &'a mut [f32],
}

impl<S: Simd> Kernel<S> for Forward<'_> {
    #[inline(always)]
    fn call(mut self, simd: S) {
        let buckets = self.layers.buckets;
        let mut values = vec![0.0; GROUP * self.layers.most()];
        let order = by_bucket(buckets);
        for samples in order.chunk_by(|a, b| buckets[*a] == buckets[*b]) {
            let (groups, rest) = samples.as_chunks::<GROUP>();
            for group in groups {
                self.group(simd, group, &mut values);
            }
            for sample in rest {
                self.group(simd, &[*sample], &mut values);
            }
        }
    }
}

impl Forward<'_> {
    /// Runs some samples of one bucket through all layers. `values` is scratch memory for each sample's inputs of a
    /// layer.
    #[inline(always)]
    fn group<S: Simd, const N: usize>(&mut self, simd: S, samples: &[usize; N], values: &mut [f32]) {
        let Self { layers, hidden, kept, outputs } = self;
        let (count, keep, most) = (layers.outputs(), layers.kept(), layers.most());
        let bucket = layers.buckets[samples[0]];
        let mut place = 0;
        for (number, layer) in layers.layers.iter().enumerate() {
            let is_last = number + 1 == layers.layers.len();
            for output in 0..layer.outputs {
                let (weights, bias) = layer.of(bucket, output);
                let mut inputs = [weights; N];
                for (member, inputs) in inputs.iter_mut().enumerate() {
                    *inputs = match number {
                        0 => &hidden[samples[member] * layer.inputs..][..layer.inputs],
                        _ => &values[member * most..][..layer.inputs],
                    };
                }
                let sums = dots(simd, weights, inputs);
                for member in 0..N {
                    if is_last {
                        outputs[samples[member] * count + output] = bias + sums[member];
                    } else {
                        kept[samples[member] * keep + place + output] = (bias + sums[member]).clamp(0.0, 1.0);
                    }
                }
            }
            if !is_last {
                for member in 0..N {
                    square(
                        &mut values[member * most..],
                        &kept[samples[member] * keep + place..],
                        layer.outputs,
                    );
                }
                place += layer.outputs;
            }
        }
    }
}

/// The inputs of a layer: the squares of the clipped sums of the layer before it.
#[inline(always)]
fn square(values: &mut [f32], kept: &[f32], count: usize) {
    let (values, kept) = (&mut values[..count], &kept[..count]);
    for at in 0..count {
        values[at] = kept[at] * kept[at];
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

/// Scratch memory for some samples: the gradients of a layer's outputs and inputs, and the inputs.
struct Scratch {
    given: Vec<f32>,
    read: Vec<f32>,
    values: Vec<f32>,
}

impl<S: Simd> Kernel<S> for Backward<'_> {
    #[inline(always)]
    fn call(mut self, simd: S) {
        let (buckets, most) = (self.layers.buckets, self.layers.most());
        let Some(first) = self.layers.layers.first() else { return };
        let memory = || vec![0.0; GROUP * most.max(first.inputs)];
        let mut scratch = Scratch { given: memory(), read: memory(), values: memory() };
        let order = by_bucket(buckets);
        for samples in order.chunk_by(|a, b| buckets[*a] == buckets[*b]) {
            let (groups, rest) = samples.as_chunks::<GROUP>();
            for group in groups {
                self.group(simd, group, &mut scratch);
            }
            for sample in rest {
                self.group(simd, &[*sample], &mut scratch);
            }
        }
    }
}

impl Backward<'_> {
    /// The backward pass of some samples of one bucket through all layers.
    #[inline(always)]
    fn group<S: Simd, const N: usize>(&mut self, simd: S, samples: &[usize; N], scratch: &mut Scratch) {
        let Self { layers, hidden, kept, outputs, gradients, hidden_gradient } = self;
        let Scratch { given, read, values } = scratch;
        let (count, keep, bucket) = (layers.outputs(), layers.kept(), layers.buckets[samples[0]]);
        let [first, later @ ..] = layers.layers else { return };
        let most = given.len() / GROUP;
        for member in 0..N {
            given[member * most..][..count].copy_from_slice(&outputs[samples[member] * count..][..count]);
        }
        let mut place = keep;
        for (layer, gradient) in later.iter().zip(&mut gradients[1..]).rev() {
            place -= layer.inputs;
            for member in 0..N {
                square(&mut values[member * most..], &kept[samples[member] * keep + place..], layer.inputs);
            }
            let mut inputs = [&values[..0]; N];
            for (member, inputs) in inputs.iter_mut().enumerate() {
                *inputs = &values[member * most..][..layer.inputs];
            }
            back(simd, (layer, bucket), (inputs, given), gradient, read);
            for member in 0..N {
                let cut = &kept[samples[member] * keep + place..][..layer.inputs];
                let given = given[member * most..].iter_mut();
                for ((given, read), cut) in given.zip(&read[member * most..]).zip(cut) {
                    *given = if *cut > 0.0 && *cut < 1.0 { read * 2.0 * cut } else { 0.0 };
                }
            }
        }
        let mut inputs = [*hidden; N];
        for (member, inputs) in inputs.iter_mut().enumerate() {
            *inputs = &hidden[samples[member] * first.inputs..][..first.inputs];
        }
        back(simd, (first, bucket), (inputs, given), &mut gradients[0], read);
        for member in 0..N {
            hidden_gradient[samples[member] * first.inputs..][..first.inputs]
                .copy_from_slice(&read[member * most..][..first.inputs]);
        }
    }
}

/// The backward pass of one layer for some samples of a bucket.
#[inline(always)]
fn back<S: Simd, const N: usize>(
    simd: S,
    (layer, bucket): (&Layer<'_>, u8),
    (values, given): ([&[f32]; N], &[f32]),
    gradient: &mut LayerGradient,
    read: &mut [f32],
) {
    let (inputs, outputs) = (layer.inputs, layer.outputs);
    let (first, most) = (usize::from(bucket) * outputs, given.len() / GROUP);
    let weights = &layer.weights[first * inputs..][..outputs * inputs];
    let gradients = &mut gradient.weights[first * inputs..][..outputs * inputs];
    for member in 0..N {
        let bias = &mut gradient.bias[first..][..outputs];
        bias.iter_mut().zip(&given[member * most..]).for_each(|(to, from)| *to += from);
    }
    let whole = inputs / S::LANES * S::LANES;
    assert!(
        values.iter().all(|values| values.len() == inputs) && inputs <= most && read.len() == given.len()
    );
    for at in (0..whole).step_by(S::LANES) {
        let (mut terms, mut sums) = ([simd.splat(0.0); N], [simd.splat(0.0); N]);
        for member in 0..N {
            // SAFETY: a whole vector of the inputs.
            terms[member] = unsafe { simd.load(values[member].as_ptr().add(at)) };
        }
        for output in 0..outputs {
            let (mut factors, mut is_cut_off) = ([0.0; N], true);
            for member in 0..N {
                factors[member] = given[member * most + output];
                is_cut_off &= factors[member] == 0.0;
            }
            // In every layer except the last, half of the units are clipped.
            if is_cut_off {
                continue;
            }
            // SAFETY: a whole vector of the row of an output.
            unsafe {
                let row = gradients.as_mut_ptr().add(output * inputs + at);
                let weights = simd.load(weights.as_ptr().add(output * inputs + at));
                let mut sum = simd.load(row);
                for member in 0..N {
                    let factor = simd.splat(factors[member]);
                    sum = simd.fma(factor, terms[member], sum);
                    sums[member] = simd.fma(factor, weights, sums[member]);
                }
                simd.store(row, sum);
            }
        }
        for member in 0..N {
            // SAFETY: a whole vector of `inputs <= most` values, asserted above; each member has `most`.
            unsafe { simd.store(read[member * most..].as_mut_ptr().add(at), sums[member]) };
        }
    }
    for member in 0..N {
        let (given, read) = (&given[member * most..][..outputs], &mut read[member * most..][..inputs]);
        read[whole..].fill(0.0);
        for (output, given) in given.iter().enumerate() {
            for at in whole..inputs {
                gradients[output * inputs + at] += given * values[member][at];
                read[at] += given * weights[output * inputs + at];
            }
        }
    }
}
