//! Positions per second of forward and backward passes on random data, for several networks, next to the arithmetic
//! peak of the same thread.
//!
//!     cargo bench -p kernels --bench training [-- BATCH THREADS PRECISION]
#![allow(clippy::print_stdout, reason = "a benchmark reports by printing")]

use std::time::Instant;

use chess::encoding::Plane;
use kernels::{
    Activation, Isa, Precision,
    training::{KernelSize, NormStatistics, PolicyShape, PooledShape, TrainingNetwork, TrainingShape},
};

fn shape(blocks: usize, channels: usize, excited: usize) -> TrainingShape {
    TrainingShape {
        planes: 20,
        channels,
        activation: Activation::Relu,
        stem: KernelSize::ThreeByThree,
        blocks: (0..blocks).map(|block| (block + excited >= blocks).then_some(channels / 4)).collect(),
        policy: PolicyShape::Planes { kernel_size: KernelSize::OneByOne, channels, planes: 80 },
        value: PooledShape { channels: 16, hidden: 128, outputs: 3 },
        moves_left: None,
    }
}

/// The network of recipes/aichess, nearly half of whose weights are dense.
fn dense() -> TrainingShape {
    TrainingShape {
        planes: 13,
        policy: PolicyShape::Dense { channels: 32, outputs: 1968 },
        value: PooledShape { channels: 16, hidden: 256, outputs: 1 },
        ..shape(10, 128, 0)
    }
}

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let batch = numbers.first().copied().unwrap_or(256);
    let threads = numbers.get(1).copied().unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be made");
    let precision = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(Precision::F32);
    let isa = Isa::chosen().unwrap_or_else(|error| panic!("{error}"));
    println!("{isa}, {precision}, batch {batch}, {threads} thread(s)");
    for (name, shape) in [
        ("4x48-se1", shape(4, 48, 1)),
        ("6x64-se6", shape(6, 64, 6)),
        ("10x128-se10", shape(10, 128, 10)),
        ("10x128-dense", dense()),
    ] {
        pool.install(|| measure(name, &shape, (isa, precision), batch));
    }
}

fn measure(name: &str, shape: &TrainingShape, (isa, precision): (Isa, Precision), batch: usize) {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let parameters: Vec<Vec<f32>> =
        shape.parameter_lengths().into_iter().map(|len| (0..len).map(|_| 0.1 * random()).collect()).collect();
    let planes: Vec<Plane> = (0..batch * shape.planes)
        .map(|_| Plane { mask: u64::from(random().to_bits()) << 20, value: 1.0 })
        .collect();
    let policy: Vec<f32> = (0..batch * shape.policy_width()).map(|_| 0.01 * random()).collect();
    let value: Vec<f32> = (0..batch * shape.value.outputs).map(|_| random()).collect();
    let mut network =
        TrainingNetwork::new(shape, isa, precision, batch).unwrap_or_else(|error| panic!("{error}"));
    let (mut forward, mut backward) = (f64::MAX, f64::MAX);
    for _ in 0..8 {
        let start = Clock::start();
        network
            .forward(&parameters, &planes, NormStatistics::Batch)
            .unwrap_or_else(|error| panic!("{error}"));
        forward = forward.min(start.seconds());
        let start = Clock::start();
        network.backward(&policy, &value).unwrap_or_else(|error| panic!("{error}"));
        backward = backward.min(start.seconds());
    }
    println!(
        "{name}: {:.0} positions/s (forward {:.1} ms, backward {:.1} ms)",
        batch as f64 / (forward + backward),
        1e3 * forward,
        1e3 * backward
    );
}

/// CPU time of the thread if the system reports it and one thread does the work, else wall-clock time.
struct Clock {
    wall: Instant,
    processor: Option<f64>,
}

impl Clock {
    fn start() -> Self {
        Self { wall: Instant::now(), processor: Self::processor() }
    }

    fn processor() -> Option<f64> {
        let status = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds: f64 = status.split_whitespace().next()?.parse().ok()?;
        (rayon::current_num_threads() == 1).then_some(nanoseconds / 1e9)
    }

    fn seconds(&self) -> f64 {
        let processor = Self::processor().zip(self.processor).map(|(now, start)| now - start);
        processor.unwrap_or_else(|| self.wall.elapsed().as_secs_f64())
    }
}
