//! Throughput of a network on this machine.

use std::time::{Duration, Instant};

use chess::{
    Evaluator, Game,
    encoding::{InputEncoding, Plane},
};
use kernels::{Isa, Operations, Precision, peak};

use super::{CpuNetwork, LayersEvaluator};
use crate::planes::inference::encode;

/// Duration of a round in seconds, and the largest number of batches in it: long compared with the start of threads, short
/// compared with disturbances by other programs. Chosen, not tuned.
const ROUND_SECONDS: f64 = 0.02;
const MOST_BATCHES: usize = 1000;

/// Throughput and latency of a network in batches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throughput {
    /// Positions per second, all threads together.
    pub positions_per_second: f64,
    /// Milliseconds from the start of a batch to its end, in the fastest run.
    pub milliseconds: f64,
    /// Executed multiply-adds per second as a fraction of the arithmetic unit's peak on the same number of threads.
    pub share_of_peak: f64,
    /// As [`Throughput::share_of_peak`], but counting the nominal multiply-adds of the layers' definition: with
    /// Winograd's algorithm it can exceed 1.
    pub nominal_share_of_peak: f64,
}

/// A network of planes compiled for this machine, whose passes can be timed without the work on positions around them.
pub trait CompiledNetwork: Evaluator {
    /// The instruction set in use.
    fn isa(&self) -> Isa;

    /// The precision of the passes.
    fn precision(&self) -> Precision;

    /// Multiply-adds of one position.
    fn operations(&self) -> Operations;

    /// The encoding of positions.
    fn input(&self) -> &'static dyn InputEncoding;

    /// Runs a batch of encoded positions several times; the duration of the fastest run in seconds.
    fn time(&self, planes: &[Plane], batches: usize) -> f64;
}

impl CompiledNetwork for CpuNetwork {
    fn isa(&self) -> Isa {
        self.program.isa()
    }

    fn precision(&self) -> Precision {
        self.program.precision()
    }

    fn operations(&self) -> Operations {
        self.program.operations()
    }

    fn input(&self) -> &'static dyn InputEncoding {
        self.input
    }

    fn time(&self, planes: &[Plane], batches: usize) -> f64 {
        self.with_buffers(|buffers| {
            fastest(batches, || self.program.run(&mut buffers.arena, planes, &mut |_, _| {}))
        })
    }
}

impl CompiledNetwork for LayersEvaluator {
    fn isa(&self) -> Isa {
        self.isa
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn operations(&self) -> Operations {
        let nominal = self.encodings.architecture.list.multiply_adds();
        Operations { nominal, executed: nominal }
    }

    fn input(&self) -> &'static dyn InputEncoding {
        self.encodings.input
    }

    /// # Panics
    /// If the planes are not those of whole positions.
    fn time(&self, planes: &[Plane], batches: usize) -> f64 {
        let run = |arena: &mut _| {
            fastest(batches, || drop(self.layers.run(arena, planes).expect("planes of whole positions")))
        };
        self.arenas.with(|| self.layers.arena(), run)
    }
}

/// Duration of the fastest of several runs, in seconds.
fn fastest(runs: usize, mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

/// Runs batches of encoded positions on each of `threads` for about `time`. `peak` is the arithmetic unit's peak in
/// multiply-adds per second on one thread, as measured by [`peak_of`].
///
/// The rate is that of the fastest round, to exclude rounds slowed down by other programs. In a round every
/// thread runs the same number of batches.
pub fn measure_throughput(
    network: &dyn CompiledNetwork,
    positions: &[Plane],
    threads: usize,
    time: Duration,
    peak: f64,
) -> Throughput {
    let size = positions.len() / network.input().planes();
    let (mut best_round, mut best_batch) = (f64::INFINITY, f64::INFINITY);
    // A first run warms the cache and determines how many batches fill a round.
    let single = network.time(positions, 1);
    let batches = ((ROUND_SECONDS / single) as usize).clamp(1, MOST_BATCHES);
    let start = Instant::now();
    while best_round.is_infinite() || start.elapsed() < time {
        let round = Instant::now();
        let quickest = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..threads).map(|_| scope.spawn(|| network.time(positions, batches))).collect();
            let joined = |thread: std::thread::ScopedJoinHandle<'_, f64>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(joined).fold(f64::INFINITY, f64::min)
        });
        best_round = best_round.min(round.elapsed().as_secs_f64());
        best_batch = best_batch.min(quickest);
    }
    let positions_per_second = (size * batches * threads) as f64 / best_round;
    let share = |operations: u64| positions_per_second * operations as f64 / (peak * threads as f64);
    let operations = network.operations();
    Throughput {
        positions_per_second,
        milliseconds: best_batch * 1000.0,
        share_of_peak: share(operations.executed),
        nominal_share_of_peak: share(operations.nominal),
    }
}

/// Measures the peak of the arithmetic unit that a network uses, in multiply-adds per second on one thread.
pub fn peak_of(network: &dyn CompiledNetwork) -> f64 {
    peak::multiply_adds_per_second(network.isa(), network.precision()).unwrap_or(f64::NAN)
}

/// The planes of positions, in the form that [`measure_throughput`] takes.
pub fn encoded(network: &dyn CompiledNetwork, games: &[Game]) -> Vec<Plane> {
    let mut planes = Vec::new();
    encode(network.input(), games.iter(), &mut planes);
    planes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuOptions, Spec, compiled, synthetic, weights::layers_tests::random_weights};

    #[test]
    fn a_measurement_counts_all_threads() {
        for text in [
            "blocks = 2\nchannels = 32",
            "policy = { kind = \"attention\", depth = 16 }\nbody = [{ kind = \"convolution\", channels = 16 }, { kind = \"encoder\", heads = 2, hidden = 8 }]",
        ] {
            let weights = random_weights(Spec::from_toml(text).unwrap(), 1);
            let network = compiled(&weights, CpuOptions::default()).unwrap();
            let planes = encoded(&*network, &synthetic::positions(4, 1));
            let found = measure_throughput(&*network, &planes, 2, Duration::from_millis(1), 1e9);
            assert!(found.positions_per_second > 0.0 && found.milliseconds > 0.0);
            assert!(found.share_of_peak > 0.0 && found.nominal_share_of_peak > found.share_of_peak / 4.0);
        }
    }
}
