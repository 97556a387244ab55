//! The machine that trains a network, and its CPU time and memory between two lines of a log.

use std::time::Instant;

use files::system::{CLOCK_TICKS, processor_seconds, resident_memory};

use crate::TrainingError;

/// CPU time and memory of the process; empty if the system does not report them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    /// CPU time since the last measurement divided by wall-clock time: 2 means two busy cores.
    pub(crate) busy_cores: Option<f64>,
    /// Current resident memory in bytes.
    pub(crate) resident_bytes: Option<u64>,
}

/// Measures usage from one line of a log to the next.
pub(crate) struct UsageMeter {
    since: Instant,
    processor: Option<f64>,
}

impl UsageMeter {
    pub(crate) fn start() -> Self {
        Self { since: Instant::now(), processor: processor_seconds() }
    }

    /// The usage since the last call, or since the start.
    pub(crate) fn lap(&mut self) -> Usage {
        let now = Self::start();
        let elapsed = now.since.duration_since(self.since).as_secs_f64();
        let spent = self.processor.zip(now.processor).map(|(before, after)| after - before);
        // Clock ticks are too coarse for shorter intervals.
        let busy_cores = spent.filter(|_| elapsed > 2.0 / CLOCK_TICKS).map(|spent| spent / elapsed);
        *self = now;
        Usage { busy_cores, resident_bytes: resident_memory() }
    }
}

/// The threads of a run's arithmetic; 0 = one for each core. A run has a pool of its own, so that two runs in one process do not share
/// a setting.
pub(crate) fn thread_pool(threads: usize) -> Result<rayon::ThreadPool, TrainingError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| TrainingError::Run(format!("{threads} threads cannot be started: {error}")))
}

/// Processor and threads in one line.
pub fn hardware(threads: usize) -> String {
    format!("{}, {threads} threads", files::system::processor_name())
}

#[cfg(test)]
mod tests {
    use files::system::peak_memory;

    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn time_and_memory_are_read() {
        let before = processor_seconds().unwrap();
        let memory = peak_memory().unwrap();
        assert!(before >= 0.0 && memory > 1 << 20);
        let mut meter = UsageMeter::start();
        let room = vec![1_u8; 64 << 20];
        // Spends some CPU time, on a busy machine for as long as necessary.
        let begin = processor_seconds().unwrap();
        while processor_seconds().unwrap() < begin + 0.05 {
            std::hint::black_box(&room);
        }
        let usage = meter.lap();
        assert!(usage.busy_cores.is_some_and(|cores| cores > 0.0), "{usage:?}");
        assert!(usage.resident_bytes.unwrap() >= 64 << 20, "{usage:?}, {}", room[1 << 20]);
        assert!(peak_memory().unwrap() >= memory.max(usage.resident_bytes.unwrap()));
    }
}
