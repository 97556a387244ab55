//! Throughput of a network on this machine.

use std::time::{Duration, Instant};

use chess::encoding::Plane;
use kernels::peak;

use super::CpuNetwork;

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

/// Runs batches of encoded positions on each of `threads` for about `time`. `peak` is the arithmetic unit's peak in
/// multiply-adds per second on one thread, as measured by [`CpuNetwork::peak`].
///
/// The rate is that of the fastest round, in which every thread runs the same number of batches: a round slowed down by
/// other programs says nothing about the network.
pub fn measure_throughput(
    network: &CpuNetwork,
    positions: &[Plane],
    threads: usize,
    time: Duration,
    peak: f64,
) -> Throughput {
    let size = positions.len() / network.input.planes();
    let (mut best_round, mut best_batch) = (f64::INFINITY, f64::INFINITY);
    // A first run warms the cache and determines how many batches fill a round.
    let single = run(network, positions, 1);
    let batches = ((ROUND_SECONDS / single) as usize).clamp(1, MOST_BATCHES);
    let start = Instant::now();
    while best_round.is_infinite() || start.elapsed() < time {
        let round = Instant::now();
        let quickest = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..threads).map(|_| scope.spawn(|| run(network, positions, batches))).collect();
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

/// Duration of the fastest of several batches, in seconds.
fn run(network: &CpuNetwork, positions: &[Plane], batches: usize) -> f64 {
    network.with_buffers(|buffers| {
        let mut best = f64::INFINITY;
        for _ in 0..batches {
            let start = Instant::now();
            network.program.run(&mut buffers.arena, positions, &mut |_, _| {});
            best = best.min(start.elapsed().as_secs_f64());
        }
        best
    })
}

impl CpuNetwork {
    /// Measures the peak of the arithmetic unit in use, in multiply-adds per second on one thread.
    pub fn peak(&self) -> f64 {
        peak::multiply_adds_per_second(self.isa(), self.precision()).unwrap_or(f64::NAN)
    }

    /// The planes of positions, in the form that [`measure_throughput`] takes.
    pub fn encode(&self, games: &[chess::Game]) -> Vec<Plane> {
        let count = self.input.planes();
        let mut planes = vec![Plane::EMPTY; games.len() * count];
        for (game, planes) in games.iter().zip(planes.chunks_exact_mut(count)) {
            self.input.encode(game, planes);
        }
        planes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuOptions, planes::evaluator::tests::small_weights, synthetic};

    #[test]
    fn a_measurement_counts_all_threads() {
        let network = CpuNetwork::from_weights(&small_weights(1), CpuOptions::default()).unwrap();
        let planes = network.encode(&synthetic::positions(4, 1));
        let found = measure_throughput(&network, &planes, 2, Duration::from_millis(1), 1e9);
        assert!(found.positions_per_second > 0.0 && found.milliseconds > 0.0);
        assert!(found.share_of_peak > 0.0 && found.nominal_share_of_peak > found.share_of_peak / 4.0);
    }
}
