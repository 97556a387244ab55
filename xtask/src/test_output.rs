//! What `cargo test` prints, understood line by line. The format is libtest's, which `libtest-mimic` shares.

/// What one run of `cargo test` said.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// Names of failed tests.
    pub(crate) failures: Vec<String>,
    /// Names of tests that were left out because they carry `#[ignore]`, with the reason they give.
    pub(crate) ignored: Vec<(String, String)>,
    /// Names of tests that ran.
    pub(crate) ran: Vec<String>,
}

impl Outcome {
    /// Takes in one line of output.
    pub(crate) fn read(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("test result: ") {
            self.passed += count_before(rest, " passed");
            self.failed += count_before(rest, " failed");
        } else if let Some((name, verdict)) =
            line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... "))
        {
            self.read_test(name, verdict);
        }
    }

    fn read_test(&mut self, name: &str, verdict: &str) {
        // `- should panic` and doc-test attributes such as `- compile` are no part of the name a filter matches.
        let name = name.split(" - should panic").next().unwrap_or(name).to_owned();
        if let Some(reason) = verdict.strip_prefix("ignored") {
            self.ignored.push((name, reason.trim_start_matches(", ").to_owned()));
            return;
        }
        if verdict.starts_with("FAILED") {
            self.failures.push(name.clone());
        }
        self.ran.push(name);
    }
}

/// The number that stands right before `label`, as in `3 passed; 0 failed`; zero where there is none.
fn count_before(text: &str, label: &str) -> usize {
    let before = text.split_once(label).map_or("", |(before, _)| before);
    let digits = before.rsplit(|character: char| !character.is_ascii_digit()).next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "
running 4 tests
test game::tests::mate_is_mate ... ok
test game::tests::real_data_master_games ... ignored, needs TABIYA_DATA
test game::tests::bad_fen - should panic ... ok
test game::tests::castling ... FAILED
test src/lib.rs - game::Game::new (line 12) ... ignored

failures:
    game::tests::castling

test result: FAILED. 2 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.01s

test result: ok. 11 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 1.20s
";

    #[test]
    fn counts_add_up_over_binaries_and_names_are_kept() {
        let mut outcome = Outcome::default();
        OUTPUT.lines().for_each(|line| outcome.read(line));
        assert_eq!((outcome.passed, outcome.failed), (13, 1));
        assert_eq!(outcome.failures, ["game::tests::castling"]);
        assert_eq!(
            outcome.ignored,
            [
                ("game::tests::real_data_master_games".to_owned(), "needs TABIYA_DATA".to_owned()),
                ("src/lib.rs - game::Game::new (line 12)".to_owned(), String::new()),
            ]
        );
        assert_eq!(
            outcome.ran,
            ["game::tests::mate_is_mate", "game::tests::bad_fen", "game::tests::castling"]
        );
    }

    #[test]
    fn other_lines_change_nothing() {
        let mut outcome = Outcome::default();
        for line in ["", "test", "testing ... done", "running 3 tests", "   Compiling test v0.1.0"] {
            outcome.read(line);
        }
        assert_eq!(outcome, Outcome::default());
    }
}
