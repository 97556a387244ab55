//! Processor time and memory of this process, where the system tells them in a file: on Linux.

/// Clock ticks a second of [`processor_seconds`]: 100 on every Linux (`USER_HZ`, man proc_pid_stat).
pub const CLOCK_TICKS: f64 = 100.0;

/// Seconds of processor time that all threads have used.
pub fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may hold anything; user and system time are fields 14 and 15, the state behind it is 3.
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / CLOCK_TICKS)
}

/// The most memory the process has had, in bytes.
pub fn peak_memory() -> Option<u64> {
    memory("VmHWM:")
}

/// The memory that the process has now, in bytes.
pub fn resident_memory() -> Option<u64> {
    memory("VmRSS:")
}

fn memory(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kilobytes: u64 = kilobytes.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
