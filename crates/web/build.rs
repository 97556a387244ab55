//! Turns the built page (`ui/dist`, made by `scripts/build-page`) into a table of files inside the program. If it is
//! not built, as on a machine without Node.js, the program holds a document that says so.

use std::{
    env,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

/// The document used in place of a page that was not built.
const NOT_BUILT: &str = "not-built.html";

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let (ui, dist) = (folder.join("ui"), folder.join("ui/dist"));
    let is_built = dist.join("index.html").is_file();
    let table = if is_built { table(&dist)? } else { not_built(&folder.join(NOT_BUILT)) };
    // Cargo treats a path that does not exist as changed at every build; the folder above it sees the page appear.
    println!("cargo::rerun-if-changed={}", if is_built { dist } else { ui }.display());
    println!("cargo::rerun-if-changed={NOT_BUILT}");
    let target = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("page_files.rs");
    fs::write(target, table)
}

/// A table of one file, and a warning that says how to get the other files.
fn not_built(document: &Path) -> String {
    println!(
        "cargo::warning=the page for the browser is not built, so this program has none; everything else works. \
         `make build` builds both (it needs Node.js with npm), scripts/build-page the page alone"
    );
    let name = document.display().to_string();
    format!("&[PageFile {{ path: \"index.html\", bytes: include_bytes!({name:?}), gzipped: None }}]")
}

/// The Rust source of the table: path, bytes and, if the build made them, the gzipped bytes.
fn table(dist: &Path) -> io::Result<String> {
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
