//! The machine that a measurement was made on.

/// CPU model, number of threads, operating system and load average, as far as they are available.
pub fn machine() -> String {
    let threads = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let processor =
        system::processor_name().unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH));
    let load = std::fs::read_to_string("/proc/loadavg")
        .ok()
        .and_then(|text| text.split_whitespace().next().map(|load| format!(", load {load} at the start")))
        .unwrap_or_default();
    format!("{processor}, {threads} threads, {}{load}", std::env::consts::OS)
}
