//! Copies the measured strength of the bundled networks, where it was measured, to where `bundled.rs` includes it from.

use std::{io::ErrorKind, path::Path};

/// Folder of the networks.
const NETS: &str = "../../nets";

/// The names in `bundled.rs`.
const NETWORKS: [&str; 3] = ["default", "cnn", "human"];

fn main() {
    let out = std::env::var_os("OUT_DIR").expect("cargo names the folder of a build script's files");
    // The folder: a table may appear where there was none.
    println!("cargo::rerun-if-changed={NETS}");
    for network in NETWORKS {
        let file = format!("{NETS}/{network}.tabiya.strength.json");
        let strength = match std::fs::read_to_string(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            read => read.unwrap_or_else(|error| panic!("{file}: {error}")),
        };
        std::fs::write(Path::new(&out).join(format!("{network}.strength.json")), strength)
            .expect("the folder of a build script's files can be written to");
    }
}
