//! CPU time and memory of this process, if the system reports them in a file, as Linux does.

/// Clock ticks per second of CPU times: 100 on every Linux (`USER_HZ`, man proc_pid_stat).
pub const CLOCK_TICKS: f64 = 100.0;

/// CPU time used by all threads, in seconds.
pub fn processor_seconds() -> Option<f64> {
    seconds(0)
}

/// CPU time of the child processes that have ended and been waited for, in seconds.
pub fn processor_seconds_of_children() -> Option<f64> {
    seconds(2)
}

/// User and system time, of which the first is this many fields after that of the process.
fn seconds(after: usize) -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may contain anything. The state after it is field 3; user and system time are fields 14
    // and 15, those of the children fields 16 and 17.
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11 + after);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / CLOCK_TICKS)
}

/// Peak resident memory of the process, in bytes.
pub fn peak_memory() -> Option<u64> {
    memory("VmHWM:")
}

/// Current resident memory of the process, in bytes.
pub fn resident_memory() -> Option<u64> {
    memory("VmRSS:")
}

fn memory(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kilobytes: u64 = kilobytes.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
