//! `Bench: N` at the end of commits that touch the search: the checksum of `tabiya bench`, so that a reader of the history
//! sees which commits changed the behaviour of the search.
//!
//! 1. Every commit to [`SEARCH`] after [`FIRST`] has the trailer.
//! 2. The newest trailer of all is what the program prints. If two branches changed it, their merge carries the new one.

use anyhow::{Context as _, Result, bail};

use crate::check::Verdict;
use crate::{release_build, repository, testing};

/// The sources whose commits need the trailer.
const SEARCH: &str = "crates/search/src";

/// Commits up to this one were made before the trailer was checked.
const FIRST: &str = "25af4cd16008560d503a381c89995d0da1fed381";

/// Checks the trailers of the history against each other and against the program.
pub(crate) fn run() -> Result<Verdict> {
    if !git(&["rev-parse", "--git-dir"]).is_ok_and(|folder| !folder.is_empty()) {
        return Ok(Verdict::Skipped(
            "this is not a git checkout, so there are no commits to check".to_owned(),
        ));
    }
    if git(&["rev-parse", "--is-shallow-repository"])? == "true" {
        let reason = "a shallow clone has not all commits (`git fetch --unshallow` brings them)";
        return Ok(Verdict::Skipped(reason.to_owned()));
    }
    if git(&["merge-base", FIRST, "HEAD"]).map_or(true, |base| base != FIRST) {
        let reason = format!("{FIRST}, from which on commits are checked, is not in this history");
        return Ok(Verdict::Skipped(reason));
    }
    let since = format!("{FIRST}..HEAD");
    let commits = git(&["log", "--no-merges", FORMAT, &since, "--", SEARCH])
        .with_context(|| format!("cannot list the commits since {FIRST}"))?;
    check_commits(&commits)?;

    let newest = git(&["log", "-1", "--extended-regexp", "--grep=^Bench: [0-9]+$", FORMAT])?;
    let (newest, expected) = newest.rsplit_once(' ').context("no commit has a Bench trailer")?;
    let printed = signature()?;
    if printed == expected {
        println!("bench: {printed}, as in {newest}");
    } else if git(&["status", "--porcelain", "--", "crates", "src"])?.is_empty() {
        bail!(
            "tabiya bench prints {printed}, {newest} says {expected}; expected a commit that ends with `Bench: {printed}`"
        );
    } else {
        println!("bench: {printed}; {newest} says {expected}: commit the changes with `Bench: {printed}`");
    }
    Ok(Verdict::Passed)
}

/// One line per commit: hash, subject and, after the last blank, the trailer's value.
const FORMAT: &str = "--format=%h (%s) %(trailers:key=Bench,valueonly,separator=%x2C)";

/// Every line of `git log` in [`FORMAT`] ends with a number.
fn check_commits(log: &str) -> Result<()> {
    let without: Vec<&str> = log.lines().filter(|line| !ends_with_number(line)).map(str::trim_end).collect();
    if !without.is_empty() {
        bail!(
            "{} commit(s) to {SEARCH} lack the trailer `Bench: N` that `tabiya bench` prints:\n{}\nAmend them. \
             What is published already cannot be amended: then move FIRST in xtask/src/bench_trailer.rs past it",
            without.len(),
            without.join("\n")
        );
    }
    Ok(())
}

fn ends_with_number(line: &str) -> bool {
    let Some((_, trailer)) = line.rsplit_once(' ') else { return false };
    !trailer.is_empty() && trailer.bytes().all(|byte| byte.is_ascii_digit())
}

/// Signature that the program prints after `Bench: `: the program of the tests, because it is compiled anyway and the signature is the
/// same in every profile.
fn signature() -> Result<String> {
    let program =
        release_build::build(&["--workspace", "--lib", "--tests", "--features", testing::FEATURES])?;
    let printed = repository::output(repository::program(program).arg("bench"))?;
    let line = printed.lines().find_map(|line| line.strip_prefix("Bench: "));
    Ok(line.with_context(|| format!("tabiya bench printed no line `Bench: N`:\n{printed}"))?.to_owned())
}

fn git(arguments: &[&str]) -> Result<String> {
    repository::output(repository::program("git").args(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_without_a_trailer_or_with_a_wrong_one_is_named() {
        assert!(check_commits("").is_ok());
        assert!(check_commits("abc1234 (Order moves) 2143383537").is_ok());
        let error =
            check_commits("abc1234 (Order moves) 17\ndef5678 (Prune more) \n").unwrap_err().to_string();
        assert!(error.contains("1 commit(s)") && error.contains("def5678 (Prune more)\n"), "{error}");
        assert!(!error.contains("abc1234"), "{error}");
        for trailer in ["unchanged", "12,13", "-5", "1 2x"] {
            assert!(check_commits(&format!("abc1234 (Order moves) {trailer}")).is_err(), "{trailer}");
        }
    }
}
