//! Which program on which machine trained a network.

use std::process::Command;

use crate::device::Device;

/// The git commit of the current folder, with `-dirty` where files are changed; `unknown` where there is no git.
pub fn git_commit() -> String {
    let output = Command::new("git").args(["describe", "--always", "--dirty", "--abbrev=40"]).output();
    match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_string(),
        _ => "unknown".into(),
    }
}

/// Processor, threads and device in one line.
pub fn hardware(device: &Device, threads: usize) -> String {
    // Only Linux tells the processor's name in a file; elsewhere its architecture has to do.
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information
        .lines()
        .find_map(|line| line.strip_prefix("model name").and_then(|rest| rest.split_once(':')))
        .map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    format!("{model}, {threads} threads, device {}", device.kind())
}
