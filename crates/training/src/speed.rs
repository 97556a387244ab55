//! Training speed of this machine, and the time of each part of a step.

use std::{borrow::Cow, time::Instant};

use chess::{Score, encoding::Plane};
use dataset::{Batch, LoaderState, Split, Stage};
use figures::Percent;
use network::{Spec, TrainingPrecision, architecture::PlaneArchitecture, passes::PassTimes};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;

use crate::{
    Learner, LossConfig, OptimiserConfig, TrainingError,
    learner::StepDetails,
    samples::{Epochs, Samples, StreamRequest},
    usage::thread_pool,
};

/// Settings of a measurement.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct SpeedRequest {
    pub spec: Spec,
    /// Precision of the products in convolutions and dense layers.
    pub precision: TrainingPrecision,
    /// Batch size: samples per step.
    pub batch: usize,
    /// Number of threads for arithmetic, and of separate threads for loading.
    pub threads: usize,
    /// Number of samples among which the loader shuffles.
    pub shuffle_window: usize,
    /// Number of measured steps; two unmeasured warm-up steps precede them.
    pub steps: usize,
}

impl SpeedRequest {
    /// Default of [`SpeedRequest::steps`].
    pub const STEPS: u32 = 10;
}

/// Duration of the parts of one step in seconds, each the median over the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct StepSeconds {
    /// Waiting for the next batch, which other threads read and encode in the meantime.
    pub load: f64,
    /// Seconds from the batch to the network's input.
    pub encode: f64,
    /// Forward pass and losses.
    pub forward: f64,
    pub backward: f64,
    /// Clipping, optimiser and averaged weights.
    pub update: f64,
}

impl StepSeconds {
    /// Name and duration in seconds of each part, in order.
    pub fn parts(&self) -> [(&'static str, f64); 5] {
        let Self { load, encode, forward, backward, update } = *self;
        [("load", load), ("encode", encode), ("forward", forward), ("backward", backward), ("update", update)]
    }

    /// All parts together.
    pub fn total(&self) -> f64 {
        self.parts().into_iter().map(|(_, seconds)| seconds).sum()
    }
}

/// Result of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingSpeed {
    /// The backend that was used.
    pub arithmetic: String,
    /// Short name of the network, such as `4x48-se8`.
    pub network: String,
    /// True if samples came from a store.
    pub from_store: bool,
    /// Batch size: samples per step.
    pub batch: usize,
    /// Number of threads for arithmetic, and of separate threads for loading.
    pub threads: usize,
    /// Number of measured steps, without the warm-up.
    pub steps: usize,
    /// The parts of a step.
    pub seconds: StepSeconds,
    /// Samples per second of the total time of the parts.
    pub positions_per_second: f64,
    /// Samples per second of CPU time, where n busy threads use n seconds of CPU time per second; `None` if the system
    /// does not report it.
    pub positions_per_processor_second: Option<f64>,
    /// Multiply-adds relative to the machine's peak; `None` for a sparse network, which is limited by memory.
    #[serde(flatten)]
    pub multiply_adds: Option<MultiplyAdds>,
    /// Peak memory of this process so far, in bytes; `None` if the system does not report it.
    pub peak_memory: Option<u64>,
}

/// Multiply-adds of training, compared with the machine's peak.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MultiplyAdds {
    /// Multiply-adds of the forward and backward passes for one position, by the layers' definition.
    pub nominal_multiply_adds: u64,
    /// Multiply-adds executed in these passes.
    pub executed_multiply_adds: u64,
    /// Peak multiply-adds per second of one thread, measured immediately before.
    pub peak_per_thread: f64,
    /// Executed multiply-adds per second as a fraction of the peak of all threads.
    pub share_of_peak: f64,
    /// As [`MultiplyAdds::share_of_peak`], but counted by the layers' definition; with Winograd's algorithm it can
    /// exceed 1.
    pub nominal_share_of_peak: f64,
}

/// Trains a fresh network for a few steps and times them, on samples from a store or on random data generated
/// beforehand.
///
/// # Errors
/// [`TrainingError`] for an invalid network, a precision that the machine lacks, and every error of the store.
pub fn measure_training(
    request: &SpeedRequest,
    samples: Option<&dyn Samples>,
) -> Result<TrainingSpeed, TrainingError> {
    thread_pool(request.threads)?.install(|| measure(request, samples))
}

/// Number of unmeasured steps at the beginning, which touch all memory for the first time.
const WARM_UP: usize = 2;

#[expect(clippy::large_enum_variant, reason = "there is one of it")]
enum Batches<'a> {
    Stored(Box<Epochs<'a>>),
    Random(Batch),
}

impl Batches<'_> {
    /// The next batch, and the seconds of waiting for it.
    fn next_batch(&mut self) -> Result<(Cow<'_, Batch>, f64), TrainingError> {
        match self {
            Self::Random(batch) => Ok((Cow::Borrowed(batch), 0.0)),
            Self::Stored(epochs) => {
                let begin = Instant::now();
                let batch = epochs.next_batch()?;
                Ok((Cow::Owned(batch), begin.elapsed().as_secs_f64()))
            }
        }
    }
}

fn measure(request: &SpeedRequest, samples: Option<&dyn Samples>) -> Result<TrainingSpeed, TrainingError> {
    // The duration of a step does not depend on the learning rate.
    const LEARNING_RATE: f32 = 1e-3;
    let SpeedRequest { spec, precision, batch, threads, steps, .. } = request;
    let (losses, optimiser) = (LossConfig::default(), OptimiserConfig::default());
    let mut learner = Learner::new(spec, losses, optimiser, 1)?.with_precision(*precision)?;
    let operations = learner.network.operations();
    let mut batches = match samples {
        Some(samples) => Batches::Stored(Box::new(Epochs::new(samples, stream(request))?)),
        None => match learner.architecture.planes() {
            Ok(planes) => Batches::Random(random_batch(planes, *batch)),
            Err(_) => {
                return Err(TrainingError::Data(
                    "a sparse network is measured on the samples of a store (--data STORE): its speed depends on which \
                     features are frequent"
                        .into(),
                ));
            }
        },
    };
    let mut timed = Vec::with_capacity(*steps);
    let mut processor = files::system::processor_seconds();
    for step in 0..steps + WARM_UP {
        if step == WARM_UP {
            processor = files::system::processor_seconds();
        }
        let (batch, load) = batches.next_batch()?;
        let detail = learner.detailed_step(&batch, LEARNING_RATE, StepDetails::Costs)?;
        if step >= WARM_UP {
            let PassTimes { encode, forward, backward } = detail.passes.unwrap_or_default();
            timed.push(StepSeconds { load, encode, forward, backward, update: detail.update });
        }
    }
    let seconds = medians(&timed);
    let positions_per_second = *batch as f64 / seconds.total();
    let of_processor =
        processor.zip(files::system::processor_seconds()).map(|(before, after)| after - before);
    let multiply_adds = operations.map(|(operations, peak_per_thread)| {
        let peak = peak_per_thread * *threads as f64;
        MultiplyAdds {
            nominal_multiply_adds: operations.nominal,
            executed_multiply_adds: operations.executed,
            peak_per_thread,
            share_of_peak: positions_per_second * operations.executed as f64 / peak,
            nominal_share_of_peak: positions_per_second * operations.nominal as f64 / peak,
        }
    });
    Ok(TrainingSpeed {
        arithmetic: learner.arithmetic(),
        network: spec.shape_name(),
        from_store: samples.is_some(),
        batch: *batch,
        threads: *threads,
        steps: *steps,
        seconds,
        positions_per_second,
        positions_per_processor_second: of_processor.map(|seconds| (steps * batch) as f64 / seconds),
        multiply_adds,
        peak_memory: files::system::peak_memory(),
    })
}

fn stream(request: &SpeedRequest) -> StreamRequest {
    StreamRequest {
        split: Split::Train,
        batch_size: request.batch,
        seed: 1,
        shuffle_window: request.shuffle_window,
        threads: request.threads,
        start: LoaderState::default(),
    }
}

/// The median of each part, which ignores steps slowed down by other programs.
fn medians(steps: &[StepSeconds]) -> StepSeconds {
    StepSeconds {
        load: median(steps, |step| step.load),
        encode: median(steps, |step| step.encode),
        forward: median(steps, |step| step.forward),
        backward: median(steps, |step| step.backward),
        update: median(steps, |step| step.update),
    }
}

fn median(steps: &[StepSeconds], part: fn(&StepSeconds) -> f64) -> f64 {
    let mut values: Vec<f64> = steps.iter().map(part).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

impl TrainingSpeed {
    /// The figures in readable form, one line each.
    pub fn lines(&self) -> Vec<String> {
        let total = self.seconds.total();
        let mut lines = vec![
            format!(
                "{}, batch {}, {} thread(s), {}, {} steps",
                self.network,
                self.batch,
                self.threads,
                if self.from_store { "samples of a store" } else { "random samples" },
                self.steps,
            ),
            self.multiply_adds.as_ref().map_or(self.arithmetic.clone(), |used| {
                format!(
                    "{}, at best {:.1} G multiply-adds/s a thread",
                    self.arithmetic,
                    used.peak_per_thread / 1e9
                )
            }),
            format!("{:<10}{:>10}{:>8}{:>16}", "phase", "ms", "share", "positions/s"),
        ];
        for (name, seconds) in self.seconds.parts().into_iter().chain([("all", total)]) {
            let rate =
                if seconds > 0.0 { format!("{:.0}", self.batch as f64 / seconds) } else { "-".to_owned() };
            let share = Percent(seconds / total);
            lines.push(format!("{name:<10}{:>10.2}{share:>8.1}{rate:>16}", 1e3 * seconds));
        }
        if let Some(rate) = self.positions_per_processor_second {
            lines.push(format!("{rate:.0} positions per second of CPU time, of all threads and the loader"));
        }
        if let Some(used) = &self.multiply_adds {
            let nominal = used.nominal_multiply_adds as f64 / 1e6;
            let executed = used.executed_multiply_adds as f64 / 1e6;
            lines.push(format!(
                "{nominal:.1} M multiply-adds a position ({executed:.1} M carried out): {:.0} of the peak ({:.0} carried out)",
                Percent(used.nominal_share_of_peak),
                Percent(used.share_of_peak),
            ));
        }
        if let Some(bytes) = self.peak_memory {
            lines.push(format!("{:.0} MB of memory at most", bytes as f64 / 1e6));
        }
        lines
    }
}

/// Number of legal moves per position; about the average in games.
const MOVES: usize = 32;

/// Planes with about the density of real ones, and as many moves as the network allows.
fn random_batch(architecture: &PlaneArchitecture, size: usize) -> Batch {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let known: Vec<u16> = (0..architecture.moves())
        .filter(|&index| architecture.policy_slot(index).is_some())
        .map(|index| index as u16)
        .collect();
    let moves = MOVES.min(known.len());
    let mut batch = Batch {
        size,
        plane_count: architecture.planes(),
        legal_offsets: (0..=size).map(|sample| (sample * moves) as u32).collect(),
        evaluations: vec![Some(Score::Centipawns(30)); size],
        results: vec![None; size],
        search_values: vec![None; size],
        stages: vec![Stage { ply: 20, material: 70 }; size],
        policy_weights: vec![1.0; size],
        value_weights: vec![1.0; size],
        keys: vec![0; size],
        ..Batch::default()
    };
    for _ in 0..size {
        for _ in 0..batch.plane_count {
            // An eighth of the squares.
            let mask = random.random::<u64>() & random.random::<u64>() & random.random::<u64>();
            batch.planes.push(Plane { mask, value: 1.0 });
        }
        let first = random.random_range(0..known.len());
        batch.legal_indices.extend((0..moves).map(|number| known[(first + number) % known.len()]));
        batch.policy.extend((0..moves).map(|number| f32::from(u8::from(number == 0))));
    }
    batch
}

#[cfg(test)]
mod tests {
    use super::*;
    use network::synthetic::tiny_spec;

    use crate::synthetic::Synthetic;

    #[test]
    fn a_measurement_times_every_part() {
        let spec = tiny_spec();
        let request = SpeedRequest {
            spec: spec.clone(),
            precision: TrainingPrecision::F32,
            batch: 24,
            threads: 2,
            shuffle_window: 64,
            steps: 3,
        };
        let store = Synthetic::new(&spec, 100, 10);
        for samples in [None, Some(&store as &dyn Samples)] {
            let speed = measure_training(&request, samples).unwrap();
            let found = speed.seconds.parts().map(|(_, seconds)| seconds > 0.0);
            assert_eq!(found, [samples.is_some(), true, true, true, true], "{speed:?}");
            let MultiplyAdds { share_of_peak, nominal_share_of_peak, .. } = speed.multiply_adds.unwrap();
            assert!(share_of_peak > 0.0 && share_of_peak <= nominal_share_of_peak);
            assert!((speed.positions_per_second * speed.seconds.total() - 24.0).abs() < 1e-6);
        }
    }
}
