//! The machine of a measurement.

/// CPU model, number of threads, operating system and load average, as far as they are available.
pub fn machine() -> String {
    let threads = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let load =
        files::system::load_average().map(|load| format!(", load {load} at the start")).unwrap_or_default();
    format!("{}, {threads} threads, {}{load}", files::system::processor_name(), std::env::consts::OS)
}
