//! Copies the measured strength and rating of the networks in the program, if they were measured, to the folder from which they are included.

use std::{ffi::OsStr, io::ErrorKind, path::Path};

/// The folders whose networks are part of the program: Tabiya's own, and those of the reproduced systems.
const FOLDERS: [&str; 2] = ["../../nets", "../../nets/seeds"];

fn main() {
    let out = std::env::var_os("OUT_DIR").expect("cargo names the folder of a build script's files");
    for folder in FOLDERS {
        // The folder: a table may appear where there was none.
        println!("cargo::rerun-if-changed={folder}");
        copy(Path::new(folder), Path::new(&out));
    }
}

fn copy(folder: &Path, out: &Path) {
    for entry in std::fs::read_dir(folder).expect("the folder of the networks can be read") {
        let path = entry.expect("the folder of the networks can be read").path();
        let (Some(network), Some("tabiya")) = (path.file_stem(), path.extension().and_then(OsStr::to_str))
        else {
            continue;
        };
        for kind in ["strength.json", "rating.json"] {
            let file = path.with_extension(format!("tabiya.{kind}"));
            let measured = match std::fs::read_to_string(&file) {
                Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
                read => read.unwrap_or_else(|error| panic!("{}: {error}", file.display())),
            };
            std::fs::write(out.join(network).with_extension(kind), measured)
                .expect("the folder of a build script's files can be written to");
        }
    }
}
