//! Notes the commit the program is built from, for the headers of the networks it trains.

use std::{path::Path, process::Command};

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

/// The commit, with `-dirty` where sources differ from it; nothing outside a git checkout.
fn commit() -> Option<String> {
    let commit = git(&["rev-parse", "HEAD"])?;
    let changes = git(&[&["status", "--porcelain", "--"][..], &SOURCES].concat())?;
    Some(if changes.is_empty() { commit } else { format!("{commit}-dirty") })
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}
