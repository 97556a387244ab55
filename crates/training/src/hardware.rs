//! Name of the machine that trains a network.

use network::Device;

/// Processor, threads and device in one line.
pub fn hardware(device: &Device, threads: usize) -> String {
    // Only Linux has the processor's name in a file; elsewhere its architecture has to suffice.
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information
        .lines()
        .find_map(|line| line.strip_prefix("model name").and_then(|rest| rest.split_once(':')))
        .map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{model}, {threads} threads, device {}", device.kind())
}
