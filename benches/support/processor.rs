//! Seconds that the processor gave to this program, so that other programs count little.

#![allow(dead_code, reason = "no benchmark uses all of it")]

use std::time::Instant;

/// Seconds that this thread has run, as far as the system tells; else those that have passed.
pub(crate) fn thread_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace()
        .next()
        .and_then(|first| first.parse::<f64>().ok())
        .map_or_else(elapsed, |time| time / 1e9)
}

/// Seconds that all threads of this process have run, those that have ended among them; else those that have passed.
pub(crate) fn process_seconds() -> f64 {
    // utime and stime are the 14th and 15th fields of stat, in hundredths of a second; the name before them may hold spaces.
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> = text
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|field| field.parse().ok())
        .collect();
    // Behind the name stands a letter, which is not a number: utime is the eleventh number from there.
    fields.get(10..12).map_or_else(elapsed, |times| times.iter().sum::<f64>() / 100.0)
}

/// Seconds per run of this thread: the fastest of `means` means, each over enough runs to exceed the resolution of the clock.
pub(crate) fn fastest(means: usize, mut run: impl FnMut()) -> f64 {
    const LEAST: f64 = 0.1;
    let begin = Instant::now();
    run();
    let runs = (LEAST / begin.elapsed().as_secs_f64()).ceil();
    (0..means).fold(f64::INFINITY, |least, _| {
        let begin = thread_seconds();
        (0..runs as usize).for_each(|_| run());
        least.min((thread_seconds() - begin) / runs)
    })
}

fn elapsed() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
