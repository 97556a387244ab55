//! Files of positions with known answers: puzzles, and suites.

use std::path::Path;

use crate::{
    lines::{LineError, Lines, Positions},
    puzzles::{self, Puzzle},
    suite::{self, SuitePosition},
};

/// The content of a file of one kind.
#[derive(Debug)]
#[allow(missing_docs, reason = "the variants are what their names say")]
pub enum Problems {
    Puzzles(Positions<Puzzle>),
    Suite(Positions<SuitePosition>),
}

/// Reads a puzzle file or an EPD suite, plain or compressed, whichever its beginning shows it to be, or `sample` of its positions. Lines
/// that cannot be read are skipped and counted. The file is opened once, because a pipe can be read only once.
///
/// # Errors
/// [`LineError`] naming file and line, if no line can be read.
pub fn read_problems(path: &Path, sample: Option<usize>) -> Result<Problems, LineError> {
    let lines = Lines::open(path)?;
    if puzzles::are_puzzles(&lines) {
        puzzles::read(lines, sample).map(Problems::Puzzles)
    } else {
        suite::read(lines, sample).map(Problems::Suite)
    }
}
