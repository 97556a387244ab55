//! The curves of a run: its log as columns of numbers, from a byte offset on.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use files::if_there;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::run_folder;
use crate::error::ApiError;

/// Maximum bytes of a log per request; the page requests the rest.
pub(super) const MOST_BYTES: u64 = 8 << 20;
/// Most points of each series in one answer; longer logs are thinned evenly.
const MOST_POINTS: usize = 4000;
/// Limit for layer curves, of which there are dozens.
const MOST_LAYER_POINTS: usize = 500;

/// Points of one kind: a column of steps and a column for each number logged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub(crate) struct Series {
    /// Steps taken.
    pub(crate) step: Vec<u64>,
    /// One column for each number, by name; `null` if a line lacks it.
    pub(crate) values: BTreeMap<String, Vec<Option<f64>>>,
}

/// Curves of a log from a given byte on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub(crate) struct Curves {
    /// Byte at which the next request continues: send it as `from`.
    pub(crate) next: u64,
    /// True if the log was shorter than `from`: a new run has the name, and this is its beginning.
    pub(crate) restarted: bool,
    /// Measured on training batches.
    pub(crate) train: Series,
    /// Measured on held-out samples; names beginning with `baselines.` are trivial predictors on the same samples.
    pub(crate) held_out: Series,
    /// Lengths of each layer in some of the lines: `block1.first.gradient`, `.update` and `.weights`; nothing in older logs.
    pub(crate) layers: Series,
}

impl Curves {
    /// Reads the log of a run from a byte on; only whole lines count.
    pub(crate) fn read(runs: &Path, name: &str, from: u64) -> Result<Self, ApiError> {
        let path = run_folder(runs, name)?.join(files::run::LOG);
        let piece = LogPiece::read(&path, MOST_BYTES, |length| if length < from { 0 } else { from });
        let piece = if_there(piece)
            .map_err(|error| ApiError::failed(format!("cannot read the log of {name}: {error}")))?;
        let LogPiece { start, bytes } = piece.ok_or_else(|| ApiError::missing("run", name))?;
        let restarted = start < from;
        // The training may be writing the last line; the next request gets it whole.
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut curves = Self { next: start + whole as u64, restarted, ..Self::default() };
        let text = String::from_utf8_lossy(&bytes[..whole]);
        for (number, line) in text.lines().enumerate() {
            curves.add(line).map_err(|reason| {
                let place = format!("{}: line {} after byte {start}", path.display(), number + 1);
                ApiError::invalid("broken_log", format!("{place}: {reason}"))
            })?;
        }
        curves.train.thin(MOST_POINTS);
        curves.layers.thin(MOST_LAYER_POINTS);
        Ok(curves)
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let (step, mut value) = parsed(line.as_bytes())?;
        if value["kind"] == "validation" {
            self.held_out.add(step, &value["validation"]);
            return Ok(());
        }
        if let Some(layers) = value.as_object_mut().and_then(|entries| entries.remove("layers")) {
            self.layers.add(step, &layers);
        }
        self.train.add(step, &value);
        Ok(())
    }
}

/// Bytes of a log.
pub(super) struct LogPiece {
    /// Place of the first of them.
    pub(super) start: u64,
    pub(super) bytes: Vec<u8>,
}

impl LogPiece {
    /// At most `most` bytes, from the place that `start` chooses by the length of the log.
    pub(super) fn read(path: &Path, most: u64, start: impl FnOnce(u64) -> u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let start = start(file.metadata()?.len());
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok(Self { start, bytes })
    }
}

/// A line of a log, for a step or a validation, and its step.
pub(super) fn parsed(line: &[u8]) -> Result<(u64, Value), String> {
    let value: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let step = value["step"].as_u64().ok_or("found no step, expected a log line of tabiya train")?;
    match value["kind"].as_str() {
        Some("step" | "validation") => Ok((step, value)),
        other => Err(format!("found the kind {other:?}, expected step or validation")),
    }
}

impl Series {
    fn add(&mut self, step: u64, value: &Value) {
        let mut numbers = BTreeMap::new();
        flatten("", value, &mut numbers);
        numbers.remove("step");
        // Lines of a log have different numbers: a version may have added one, and a network without a policy has no loss of it. Every
        // column has a row for every step, so a number that appears late is missing in all rows before, and a page can draw any two
        // columns against each other.
        let before = self.step.len();
        for name in numbers.keys() {
            self.values.entry(name.clone()).or_insert_with(|| vec![None; before]);
        }
        for (name, column) in &mut self.values {
            column.push(numbers.get(name).copied());
        }
        self.step.push(step);
    }

    /// Keeps at most `most` points, evenly spread and with the last one.
    fn thin(&mut self, most: usize) {
        let every = self.step.len().div_ceil(most);
        if every < 2 {
            return;
        }
        thin_column(&mut self.step, every);
        for column in self.values.values_mut() {
            thin_column(column, every);
        }
    }
}

/// Keeps one value of `every`, counted back from the last one.
fn thin_column<T>(column: &mut Vec<T>, every: usize) {
    let mut behind = column.len();
    column.retain(|_| {
        behind -= 1;
        behind.is_multiple_of(every)
    });
}

/// Every number of a value under its path, with the parts separated by dots, except the intervals of metrics, which no
/// chart draws.
fn flatten(path: &str, value: &Value, numbers: &mut BTreeMap<String, f64>) {
    match value {
        Value::Number(number) => {
            if let Some(number) = number.as_f64() {
                numbers.insert(path.to_owned(), number);
            }
        }
        Value::Object(entries) => {
            for (name, value) in entries.iter().filter(|(name, _)| *name != "intervals") {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                flatten(&path, value, numbers);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write as _};

    use super::*;

    const STEP: &str = r#"{"kind":"step","step":1,"policy_loss":3.25,"positions_per_second":900.0}"#;
    const VALIDATION: &str = r#"{"kind":"validation","step":1,"validation":{"top1":0.5,"played":null,"baselines":{"top1":0.25},"intervals":{"top1":{"lower":0.4}}}}"#;

    fn run() -> (tempfile::TempDir, std::path::PathBuf) {
        let runs = tempfile::tempdir().unwrap();
        fs::create_dir(runs.path().join("mini")).unwrap();
        let log = runs.path().join("mini").join(files::run::LOG);
        (runs, log)
    }

    #[test]
    fn a_growing_log_is_read_piece_by_piece_and_only_in_whole_lines() {
        let (runs, log) = run();
        fs::write(&log, format!("{STEP}\n{}", &VALIDATION[..20])).unwrap();
        let first = Curves::read(runs.path(), "mini", 0).unwrap();
        assert_eq!(first.next, STEP.len() as u64 + 1);
        assert_eq!((first.train.step.as_slice(), first.held_out.step.len()), (&[1][..], 0));
        fs::File::options()
            .append(true)
            .open(&log)
            .unwrap()
            .write_all(format!("{}\n", &VALIDATION[20..]).as_bytes())
            .unwrap();
        let second = Curves::read(runs.path(), "mini", first.next).unwrap();
        assert!(second.train.step.is_empty() && !second.restarted);
        assert_eq!(second.held_out.values["top1"], [Some(0.5)]);
        assert_eq!(second.held_out.values["baselines.top1"], [Some(0.25)]);
        assert_eq!(second.held_out.values.len(), 2, "intervals are no series");
        fs::write(&log, format!("{STEP}\n")).unwrap();
        let third = Curves::read(runs.path(), "mini", second.next).unwrap();
        assert!(third.restarted && third.train.step == [1]);
    }

    #[test]
    fn layers_are_a_series_of_their_own_with_the_steps_that_have_them() {
        let (runs, log) = run();
        let layers = r#""layers":{"block1.first":{"gradient":0.5,"update":0.001,"weights":8.0}}"#;
        let step = |step: u64, more: &str| {
            format!("{{\"kind\":\"step\",\"step\":{step},\"resident_bytes\":4096{more}}}\n")
        };
        fs::write(&log, step(1, &format!(",{layers}")) + &step(2, "") + &step(10, &format!(",{layers}")))
            .unwrap();
        let found = Curves::read(runs.path(), "mini", 0).unwrap();
        assert_eq!((found.train.step, found.layers.step), (vec![1, 2, 10], vec![1, 10]));
        assert_eq!(found.train.values.keys().collect::<Vec<_>>(), ["resident_bytes"]);
        assert_eq!(found.layers.values["block1.first.update"], [Some(0.001); 2]);
        assert_eq!(found.layers.values.len(), 3);
    }

    #[test]
    fn a_broken_line_is_named() {
        let (runs, log) = run();
        fs::write(&log, format!("{STEP}\nnonsense\n")).unwrap();
        let error = Curves::read(runs.path(), "mini", 0).unwrap_err();
        assert!(error.refusal.message.contains("line 2"), "{}", error.refusal.message);
    }

    #[test]
    fn long_logs_are_thinned_evenly_to_their_end() {
        let mut series = Series::default();
        for step in 0..10_001 {
            series.add(step, &serde_json::json!({ "loss": step }));
        }
        series.thin(MOST_POINTS);
        assert!(series.step.len() <= MOST_POINTS && series.step.last() == Some(&10_000));
        assert_eq!(series.step.len(), series.values["loss"].len());
        assert!(series.step.windows(2).all(|pair| pair[1] - pair[0] == 3));
    }
}
