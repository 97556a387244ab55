//! Describes the machine that trains a network.

use network::Device;

/// Processor, threads and device in one line.
pub fn hardware(device: &Device, threads: usize) -> String {
    format!("{}, {threads} threads, device {}", system::processor_name(), device.kind())
}
