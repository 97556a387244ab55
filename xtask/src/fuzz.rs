//! Every fuzz target of `fuzz/`, checked, or built and run for a minute, on stable Rust: libFuzzer only needs the
//! compiler's coverage counters, and the flags for them are stable. Only the sanitizers, which find mistakes in unsafe
//! code, need a nightly toolchain and cargo-fuzz; `fuzz/README.md` has the command.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use toml::{Table, Value};

use crate::repository;

/// Time of each target: as much as a release can wait for.
const SECONDS: u32 = 60;

/// Compiler flags that let libFuzzer see which code an input reaches, as in cargo-fuzz; overflows and failed debug
/// assertions are findings.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 -Coverflow-checks -Cdebug-assertions";

/// Builds all targets and runs each; the error names those that found something.
pub(crate) fn run() -> Result<()> {
    let folder = repository::root().join("fuzz");
    let manifest = folder.join("Cargo.toml");
    let text =
        std::fs::read_to_string(&manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
    let targets = targets(&text.parse()?);
    let target_folder = repository::root().join("target/fuzz");
    let host = host()?;
    let mut build = repository::cargo();
    build
        .args(["build", "--release", "--bins", "--locked", "--target", &host, "--manifest-path"])
        .arg(&manifest);
    // Flags go only to the code under test, not to build scripts, because the target is named.
    repository::run(build.arg("--target-dir").arg(&target_folder).env("RUSTFLAGS", FLAGS))?;
    let programs = target_folder.join(&host).join("release");
    let found: Vec<&str> = targets
        .iter()
        .filter(|target| {
            run_target(&programs, &folder, target).inspect_err(|error| println!("{error:#}")).is_err()
        })
        .map(String::as_str)
        .collect();
    if !found.is_empty() {
        bail!(
            "{} of {} fuzz targets found an input, kept in fuzz/artifacts: {}",
            found.len(),
            targets.len(),
            found.join(", ")
        );
    }
    println!("fuzz: {} targets ran for {SECONDS} s each and found nothing", targets.len());
    Ok(())
}

/// Checks that all targets compile, reusing what the lints have left in the target folder.
pub(crate) fn check() -> Result<()> {
    let mut check = repository::cargo();
    check.args(["check", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    if std::env::var_os("CARGO_TARGET_DIR").is_none() {
        check.args(["--target-dir", "target"]);
    }
    repository::run(&mut check)
}

fn run_target(programs: &Path, folder: &Path, target: &str) -> Result<()> {
    println!("== fuzz {target}");
    let (corpus, artifacts) = (folder.join("corpus").join(target), folder.join("artifacts").join(target));
    for folder in [&corpus, &artifacts] {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let mut fuzzer = repository::program(programs.join(target));
    fuzzer.arg(format!("-max_total_time={SECONDS}")).args([
        "-timeout=10",
        "-rss_limit_mb=2048",
        "-verbosity=0",
    ]);
    // The trailing slash makes libFuzzer take it as a folder.
    fuzzer
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .args(["-print_final_stats=1"])
        .arg(corpus);
    repository::run(&mut fuzzer)
}

/// The names of all targets that the manifest lists.
fn targets(manifest: &Table) -> Vec<String> {
    let bins = manifest.get("bin").and_then(Value::as_array).into_iter().flatten();
    bins.filter_map(|bin| bin.get("name").and_then(Value::as_str)).map(str::to_owned).collect()
}

/// The triple of this machine, as the compiler names it.
pub(crate) fn host() -> Result<String> {
    let version = repository::output(repository::program("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV names no host")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_of_the_manifest_has_its_file_and_the_other_way_round() {
        let folder = repository::root().join("fuzz");
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let mut listed = targets(&manifest.parse().unwrap());
        listed.sort_unstable();
        let files = folder.join("fuzz_targets").read_dir().unwrap();
        let mut found: Vec<String> = files
            .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        found.sort_unstable();
        assert_eq!(listed, found);
        assert!(listed.contains(&"fen".to_owned()));
    }
    /// It is built with `--locked`. This test says what is missing, and how to add it.
    #[test]
    fn the_lock_file_has_the_dependencies_of_every_crate() {
        let read = |path: &Path| -> Table { std::fs::read_to_string(path).unwrap().parse().unwrap() };
        let lock = read(&repository::root().join("fuzz/Cargo.lock"));
        let mut crates = 0;
        for package in lock["package"].as_array().unwrap() {
            let name = package["name"].as_str().unwrap();
            let manifest = repository::root().join("crates").join(name).join("Cargo.toml");
            if package.get("source").is_some() || !manifest.is_file() {
                continue;
            }
            crates += 1;
            // A name is on its own, or comes before its version if there are several.
            let locked = package.get("dependencies").and_then(Value::as_array).into_iter().flatten();
            let locked: Vec<&str> =
                locked.filter_map(|entry| entry.as_str()?.split_whitespace().next()).collect();
            let manifest = read(&manifest);
            let needs = manifest.get("dependencies").and_then(Value::as_table).into_iter().flatten();
            for (needed, how) in needs {
                let optional = how.get("optional").and_then(Value::as_bool) == Some(true);
                assert!(
                    optional || locked.contains(&needed.as_str()),
                    "fuzz/Cargo.lock: found no {needed} for {name}; `cargo update --workspace` in fuzz/ adds it"
                );
            }
        }
        assert!(crates > 3, "found {crates} crates");
    }
}
