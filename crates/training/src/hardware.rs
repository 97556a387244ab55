//! Name of the machine that trains a network.

use network::Device;

/// Processor, threads and device in one line.
pub fn hardware(device: &Device, threads: usize) -> String {
    // Where the system does not tell the processor's name, its architecture has to suffice.
    let model = system::processor_name().unwrap_or_else(|| std::env::consts::ARCH.into());
    format!("{model}, {threads} threads, device {}", device.kind())
}
