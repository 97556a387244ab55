//! Notes the commit the program is built from, for the headers of the networks it trains and for the work that no other program continues.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::Path,
    process::Command,
};

/// What decides how the program behaves; a change here that is not committed makes the build dirty.
const SOURCES: [&str; 8] =
    ["src", "crates", "nets", "recipes", "build.rs", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml"];

fn main() {
    // The log of HEAD grows with every commit and checkout; in a linked work tree it lies elsewhere.
    let moved = git(&["rev-parse", "--git-path", "logs/HEAD"]);
    for path in SOURCES.into_iter().chain(moved.as_deref()).filter(|path| Path::new(path).exists()) {
        println!("cargo::rerun-if-changed={path}");
    }
    println!("cargo::rustc-env=TABIYA_COMMIT={}", commit().unwrap_or_else(|| "unknown".into()));
}

/// The last commit that changed the sources: those after it, of documents alone, make no other program. Where sources differ from it, a
/// hash of the difference and `-dirty` follow. Nothing outside a git checkout.
fn commit() -> Option<String> {
    let of_sources = |words: &[&str]| git(&[words, &["--"], &SOURCES].concat());
    let commit = of_sources(&["log", "-1", "--format=%H"]).filter(|commit| !commit.is_empty())?;
    let changes = of_sources(&["status", "--porcelain"])?;
    if changes.is_empty() {
        return Some(commit);
    }
    let mut hasher = DefaultHasher::new();
    (changes, of_sources(&["diff", "--no-ext-diff", "HEAD"])?).hash(&mut hasher);
    Some(format!("{commit}-{:016x}-dirty", hasher.finish()))
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}
