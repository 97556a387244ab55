//! CPU time and memory of this process, from /proc on Linux.

use std::time::Instant;

/// Clock ticks a second of `/proc/*/stat`: 100 on every Linux (`USER_HZ`, man proc_pid_stat).
const TICKS: f64 = 100.0;

/// Seconds of processor time that all threads have used.
pub(crate) fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may hold anything; user and system time are fields 14 and 15, the state behind it is 3.
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / TICKS)
}

/// The most memory the process has had, in bytes.
pub(crate) fn peak_memory() -> Option<u64> {
    memory("VmHWM:")
}

/// The memory that the process has now, in bytes.
fn resident_memory() -> Option<u64> {
    memory("VmRSS:")
}

fn memory(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kilobytes: u64 = kilobytes.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Processor time and memory of the process; empty if the system does not report them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    /// Processor time since the last measurement over the time that has gone by: 2 is two busy cores.
    pub(crate) busy_cores: Option<f64>,
    /// Memory now, in bytes.
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
        // Ticks are too coarse for less.
        let busy_cores = spent.filter(|_| elapsed > 2.0 / TICKS).map(|spent| spent / elapsed);
        *self = now;
        Usage { busy_cores, resident_bytes: resident_memory() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn time_and_memory_are_read() {
        let before = processor_seconds().unwrap();
        let memory = peak_memory().unwrap();
        assert!(before >= 0.0 && memory > 1 << 20);
        let mut meter = UsageMeter::start();
        let room = vec![1_u8; 64 << 20];
        // Some of the processor's own time, however long a busy machine takes to give it.
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
