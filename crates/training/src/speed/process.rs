//! CPU time and memory of this process, from /proc on Linux.

/// Clock ticks a second of `/proc/*/stat`: 100 on every Linux (`USER_HZ`, man proc_pid_stat).
const TICKS: f64 = 100.0;

/// Seconds of processor time that all threads have used.
pub(super) fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may hold anything; user and system time are fields 14 and 15, the state behind it is 3.
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / TICKS)
}

/// The most memory the process has had, in bytes.
pub(super) fn peak_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = kilobytes.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn time_and_memory_are_read() {
        let before = super::processor_seconds().unwrap();
        let memory = super::peak_memory().unwrap();
        assert!(before >= 0.0 && memory > 1 << 20);
        let room = vec![1_u8; 64 << 20];
        assert!(super::peak_memory().unwrap() >= memory, "{}", room[1 << 20]);
        assert!(super::processor_seconds().unwrap() >= before);
    }
}
