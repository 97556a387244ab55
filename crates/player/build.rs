//! Copies the measured strength of the bundled networks, if it was measured, to the folder from which `bundled.rs` includes it.

use std::{ffi::OsStr, io::ErrorKind, path::Path};

const NETS: &str = "../../nets";

fn main() {
    let out = std::env::var_os("OUT_DIR").expect("cargo names the folder of a build script's files");
    // The folder: a table may appear where there was none.
    println!("cargo::rerun-if-changed={NETS}");
    for entry in std::fs::read_dir(NETS).expect("the folder of the networks can be read") {
        let path = entry.expect("the folder of the networks can be read").path();
        let (Some(network), Some("tabiya")) = (path.file_stem(), path.extension().and_then(OsStr::to_str))
        else {
            continue;
        };
        let file = path.with_extension("tabiya.strength.json");
        let strength = match std::fs::read_to_string(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            read => read.unwrap_or_else(|error| panic!("{}: {error}", file.display())),
        };
        std::fs::write(Path::new(&out).join(network).with_extension("strength.json"), strength)
            .expect("the folder of a build script's files can be written to");
    }
}
