//! The end of a run's log: its progress, and its last measurements.

use std::path::Path;

use files::OutputError;
use serde_json::Value;

use super::curves::{LogPiece, MOST_BYTES, parsed};

/// Bytes at the end of a log in which its last line is searched for. A line with the lengths of a hundred layers has 11
/// kB.
const TAIL: u64 = 64 << 10;

/// The state of a run by the last [`TAIL`] bytes of its log.
#[derive(Debug, Default, PartialEq)]
pub(super) struct LogEnd {
    /// The last step.
    pub(super) step: Option<u64>,
    /// The last speed.
    pub(super) positions_per_second: Option<f64>,
    /// The first line that cannot be read, with its place.
    pub(super) problem: Option<String>,
}

impl LogEnd {
    pub(super) fn read(folder: &Path) -> Result<Self, OutputError> {
        let LogPiece { start, bytes } = tail(folder, TAIL)?;
        let (mut end, mut at) = (Self::default(), start);
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            // The first line may lack its beginning; the last one may still be being written.
            let whole = (at > start || start == 0) && line.ends_with(b"\n");
            match parsed(line) {
                Ok((step, value)) => {
                    end.step = Some(step);
                    end.positions_per_second =
                        value["positions_per_second"].as_f64().or(end.positions_per_second);
                }
                Err(reason) if whole && end.problem.is_none() => {
                    end.problem =
                        Some(format!("{}: byte {at}: {reason}", folder.join(files::run::LOG).display()));
                }
                Err(_) => {}
            }
            at += line.len() as u64;
        }
        Ok(end)
    }
}

/// The last validation in a log; none if its last [`MOST_BYTES`] have none.
pub(super) fn last_validation(folder: &Path) -> Result<Option<Value>, OutputError> {
    let mut most = TAIL;
    loop {
        let LogPiece { start, bytes } = tail(folder, most)?;
        // Most lines are lines of steps, which need not be parsed.
        let text = String::from_utf8_lossy(&bytes);
        let candidates = text.lines().rev().filter(|line| line.contains("\"validation\""));
        let mut parsed = candidates.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        if let Some(mut line) = parsed.find(|line| line["kind"] == "validation") {
            return Ok(Some(line["validation"].take()));
        }
        if start == 0 || most >= MOST_BYTES {
            return Ok(None);
        }
        most *= 8;
    }
}

/// The last bytes of a log.
fn tail(folder: &Path, most: u64) -> Result<LogPiece, OutputError> {
    let path = folder.join(files::run::LOG);
    LogPiece::read(&path, most, |length| length.saturating_sub(most)).map_err(OutputError::io("read", &path))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const STEP: &str = r#"{"kind":"step","step":1,"policy_loss":3.25,"positions_per_second":900.0}"#;
    const VALIDATION: &str = r#"{"kind":"validation","step":1,"validation":{"top1":0.5}}"#;

    #[test]
    fn the_last_validation_is_found_however_many_steps_came_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, log) = (folder.path(), folder.path().join(files::run::LOG));
        fs::write(&log, format!("{STEP}\n").repeat(3)).unwrap();
        assert_eq!(last_validation(folder).unwrap(), None);
        let old = VALIDATION.replace("0.5", "0.125");
        let after = format!("{STEP}\n").repeat(2 * TAIL as usize / STEP.len());
        fs::write(&log, format!("{old}\n{VALIDATION}\n{after}{}", &VALIDATION[..30])).unwrap();
        assert_eq!(last_validation(folder).unwrap().unwrap()["top1"], 0.5);
    }

    #[test]
    fn a_log_that_cannot_be_read_is_not_one_without_steps() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(files::run::LOG)).unwrap();
        for error in [LogEnd::read(folder.path()).map(drop), last_validation(folder.path()).map(drop)] {
            assert!(error.unwrap_err().to_string().contains(files::run::LOG));
        }
    }

    #[test]
    fn lines_cut_off_by_the_reading_or_in_writing_are_no_damage() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, log) = (folder.path(), folder.path().join(files::run::LOG));
        let line = format!("{STEP}\n");
        let lines = line.repeat(2 * TAIL as usize / line.len());
        fs::write(&log, format!("{lines}{}", &VALIDATION[..20])).unwrap();
        let end = LogEnd { step: Some(1), positions_per_second: Some(900.0), problem: None };
        assert_eq!(LogEnd::read(folder).unwrap(), end);
        fs::write(&log, format!("{lines}x\n{line}")).unwrap();
        let damaged = LogEnd::read(folder).unwrap();
        let place = format!("{}: byte {}: ", log.display(), lines.len());
        assert!(damaged.problem.as_ref().unwrap().starts_with(&place), "{damaged:?}");
        assert_eq!(LogEnd { problem: None, ..damaged }, end);
    }
}
