//! Turns the built page (`ui/dist`, made by `scripts/build-page`) into a table of files inside the program.

use std::{
    env,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

fn main() {
    let dist = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("ui/dist");
    println!("cargo::rerun-if-changed={}", dist.display());
    let made = table(&dist).and_then(|table| {
        let target = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("page_files.rs");
        fs::write(target, table)
    });
    if let Err(error) = made {
        println!(
            "cargo::error=the page is not built: {error}; expected {} with an index.html. Run scripts/build-page \
             (make play, make build and make test do so themselves; it needs Node.js with npm)",
            dist.display()
        );
    }
}

/// The Rust source of the table: path, bytes and, where the build made one, the gzipped bytes.
fn table(dist: &Path) -> io::Result<String> {
    if !dist.join("index.html").is_file() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "no index.html found"));
    }
    let mut files = Vec::new();
    collect(dist, &mut files)?;
    files.sort();
    let mut source = String::from("&[\n");
    for file in files.iter().filter(|file| file.extension().is_none_or(|extension| extension != "gz")) {
        let relative = file.strip_prefix(dist).map_err(io::Error::other)?;
        let path = relative.to_string_lossy().replace('\\', "/");
        let compressed = PathBuf::from(format!("{}.gz", file.display()));
        let gzipped = if files.contains(&compressed) {
            format!("Some(include_bytes!({:?}))", compressed.display().to_string())
        } else {
            "None".to_owned()
        };
        let name = file.display().to_string();
        writeln!(
            source,
            "    PageFile {{ path: {path:?}, bytes: include_bytes!({name:?}), gzipped: {gzipped} }},"
        )
        .map_err(io::Error::other)?;
    }
    source.push(']');
    Ok(source)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
