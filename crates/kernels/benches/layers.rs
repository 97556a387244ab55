//! Multiply-adds per second of single layers, forward and backward, next to the arithmetic peak of the same thread. 3x3
//! convolutions computed with Winograd's algorithm are counted by their nominal multiply-adds, not by the products
//! executed.
//!
//!     cargo bench -p kernels --bench layers [-- WORD ...]
//!
//! Words select the layers whose names contain one of them.
#![allow(clippy::print_stdout, reason = "a benchmark reports by printing")]

#[path = "../../../benches/support/processor.rs"]
mod processor;

use chess::encoding::Plane;
use kernels::{
    Activation, Isa, Precision,
    layers::{List, NormStatistics, Operation, Patch, Pooling, Shape, Step, TrainingLayers},
    peak,
};
use processor::fastest;

const BOARD: Patch = Patch { ranks: 3, files: 3, stride: 1, margin: 1 };

/// A list that grows by layers which each read the one before.
struct Chain(List);

impl Chain {
    fn new(planes: usize) -> Self {
        Self(List {
            inputs: vec![Shape { channels: planes, ranks: 8, files: 8 }],
            channels: (0..planes).collect(),
            steps: Vec::new(),
            outputs: vec![0],
        })
    }

    fn shape(&self) -> Shape {
        self.0.steps.last().map_or(self.0.inputs[0], |step| step.shape)
    }

    fn push(mut self, operation: Operation, shape: Shape) -> Self {
        let of_operation = match operation {
            Operation::BatchNorm => 2,
            Operation::Convolution { bias, .. } => 1 + usize::from(bias),
            _ => 0,
        };
        let first = self.0.steps.last().map_or(0, |step| step.parameters.end);
        let normalisations = self.0.steps.iter().filter(|step| step.statistics.is_some()).count();
        self.0.steps.push(Step {
            operation,
            inputs: vec![self.0.outputs[0]],
            shape,
            parameters: first..first + of_operation,
            statistics: (operation == Operation::BatchNorm).then_some(normalisations),
        });
        self.0.outputs[0] += 1;
        self
    }

    fn convolution(self, channels: usize, patch: Patch) -> Self {
        let from = self.shape();
        let side = |length: usize, size: usize| (length + 2 * patch.margin - size) / patch.stride + 1;
        let (ranks, files) = (side(from.ranks, patch.ranks), side(from.files, patch.files));
        self.push(Operation::Convolution { patch, bias: false }, Shape { channels, ranks, files })
    }

    fn dense(self, outputs: usize) -> Self {
        self.convolution(outputs, Patch::SQUARE)
    }

    fn normalised(self) -> Self {
        let shape = self.shape();
        self.push(Operation::BatchNorm, shape).push(Operation::Activation(Activation::Relu), shape)
    }

    fn flattened(self) -> Self {
        let shape = self.shape();
        self.push(Operation::Flatten, Shape::flat(shape.channels * shape.ranks * shape.files))
    }

    /// The mean of each channel.
    fn pooled(self) -> Self {
        let shape = self.shape();
        let patch = Patch { ranks: shape.ranks, files: shape.files, stride: 1, margin: 0 };
        let pool = Operation::Pool { method: Pooling::Average, patch };
        self.push(pool, Shape::flat(shape.channels))
    }
}

/// The beginning of a list: a map of `channels` channels that has a gradient.
fn map(channels: usize) -> Chain {
    Chain::new(5).dense(channels)
}

/// The beginning of a list: `count` numbers without squares, from a convolution over the whole board.
fn flat(count: usize) -> Chain {
    Chain::new(5).convolution(count, Patch { ranks: 8, files: 8, stride: 1, margin: 0 })
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let isa = Isa::chosen().unwrap_or_else(|error| panic!("{error}"));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be made");
    let convolution = |channels| map(channels).convolution(channels, BOARD).pooled();
    let normalised = |channels| map(channels).convolution(channels, BOARD).normalised().pooled();
    let cut = Patch { margin: 0, ..BOARD };
    let layers = [
        ("64 channels", 64, convolution(64)),
        ("64 channels, normalised", 64, normalised(64)),
        ("128 channels", 64, convolution(128)),
        ("128 channels, normalised", 64, normalised(128)),
        ("256 channels", 64, convolution(256)),
        ("512 channels", 64, convolution(512)),
        ("512 channels to 6x6", 64, map(512).convolution(512, cut).pooled()),
        ("dense 1024x2048", 150, flat(1024).dense(2048)),
        ("dense 2048x4096", 150, flat(2048).dense(4096)),
        ("dense 512x2048", 64, flat(512).dense(2048)),
        // The layers of recipes/knights-e1.
        (
            "6x6 over one channel",
            500,
            Chain::new(1).convolution(16, Patch { ranks: 6, files: 6, ..BOARD }).flattened().dense(128),
        ),
        ("5x5, 16 channels", 1024, map(6).convolution(16, Patch { ranks: 5, files: 5, ..BOARD }).pooled()),
    ];
    println!("{:<28}{:>6}{:>10}{:>10}{:>10}{:>10}", "layer", "batch", "ms there", "ms back", "G/s", "peak");
    for (name, boards, Chain(list)) in layers {
        if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
            pool.install(|| measure(name, &list, isa, boards));
        }
    }
}

fn measure(name: &str, list: &List, isa: Isa, boards: usize) {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let mut layers =
        TrainingLayers::new(list, isa, Precision::F32).unwrap_or_else(|error| panic!("{name}: {error}"));
    let lengths = layers.parameter_lengths();
    let parameters: Vec<Vec<f32>> =
        lengths.into_iter().map(|length| (0..length).map(|_| 0.1 * random()).collect()).collect();
    let planes: Vec<Plane> = (0..boards * list.channels.len())
        .map(|_| Plane { mask: u64::from(random().to_bits()) << 20, value: 1.0 })
        .collect();
    let outputs = list.steps.last().map_or(0, |step| step.shape.channels);
    let gradient: Vec<f32> = (0..boards * outputs).map(|_| random()).collect();
    let planes = &planes[..];
    let there = |layers: &mut TrainingLayers| {
        layers
            .forward(&parameters, planes, NormStatistics::Batch, None)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    };
    let forward = fastest(4, || there(&mut layers));
    let both = fastest(4, || {
        there(&mut layers);
        let gradients = layers.backward(&parameters, &[&gradient]);
        layers.give_back(gradients.unwrap_or_else(|error| panic!("{name}: {error}")));
    });
    let peak = peak::multiply_adds_per_second(isa, Precision::F32).unwrap_or_default();
    let rate = layers.operations().nominal as f64 * boards as f64 / both / 1e9;
    let (there, back) = (1e3 * forward, 1e3 * (both - forward));
    println!("{name:<28}{boards:>6}{there:>10.2}{back:>10.2}{rate:>10.1}{:>10.1}", peak / 1e9);
}
