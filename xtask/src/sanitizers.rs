//! The tests of the crates with unsafe code, and of those that call it most, under the address sanitizer: out-of-bounds
//! accesses, which the plain tests may survive. The compiler flag is unstable, so a nightly toolchain is needed.

use std::process::{Command, Stdio};

use anyhow::Result;

use crate::{check::Verdict, fuzz, repository};

/// The only crate with unsafe code, and its callers: networks, Stockfish's among them, and the searches with several threads.
const CRATES: [&str; 3] = ["kernels", "network", "search"];

/// Runs the unit tests of [`CRATES`] under the sanitizer, in a separate target folder; skipped without rustup's nightly toolchain.
pub(crate) fn run() -> Result<Verdict> {
    let version = nightly("rustc").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !version.is_ok_and(|status| status.success()) {
        return Ok(Verdict::Skipped(
            "rustup has no nightly toolchain (`rustup toolchain install nightly`)".into(),
        ));
    }
    let mut test = nightly("cargo");
    // With a named target the flag goes only to the code under test, not to build scripts and macros, which run in the compiler.
    test.args(["test", "--locked", "--lib", "--target", &fuzz::host()?]);
    test.args(CRATES.iter().flat_map(|name| ["--package", name]));
    test.arg("--target-dir").arg(repository::root().join("target/sanitizers"));
    repository::run(test.env("RUSTFLAGS", "-Zsanitizer=address")).map(|()| Verdict::Passed)
}

/// A program of the nightly toolchain.
fn nightly(program: &str) -> Command {
    let mut command = repository::program("rustup");
    command.args(["run", "nightly", program]);
    command
}
