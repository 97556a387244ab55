//! The log of a run: one JSON object per line, with steps and validations in chronological order.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use files::Journal;
use network::{NetworkError, container, trainable::DeviceUsage};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{LayerNorms, StepReport, usage::Usage, validation::Validation};

/// One line of `log.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum LogLine {
    /// Training losses and speed at a step.
    Step {
        /// Number of steps taken so far.
        step: u64,
        /// Learning rate of this step.
        learning_rate: f32,
        /// Policy cross-entropy of this step's batch.
        policy_loss: f32,
        /// Value loss of this step's batch.
        value_loss: f32,
        /// -ln(total probability of the legal moves), if this loss has a weight.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        illegal_move_loss: Option<f32>,
        /// Weighted sum of the losses, as minimised.
        total_loss: f32,
        /// Norm of the gradient before clipping.
        gradient_norm: f32,
        /// Training speed since the last line.
        positions_per_second: f64,
        /// Number of cores that the process kept busy since the last line, including validations; absent if the system does
        /// not report it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        busy_cores: Option<f64>,
        /// Resident memory of the process in bytes; absent if the system does not report it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resident_bytes: Option<u64>,
        /// Share of the time in which the GPU computed, from 0 to 1; absent on the CPU, and if nothing reads it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gpu_load: Option<f64>,
        /// Memory of the GPU in use by all programs, in bytes; absent on the CPU, and if nothing reads it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gpu_bytes: Option<u64>,
        /// Norms by layer, in every tenth line; empty in logs of versions that did not measure them.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        layers: BTreeMap<String, LayerNorms>,
    },
    /// A validation of the averaged weights after a step.
    Validation {
        /// Number of steps taken so far.
        step: u64,
        /// Metrics on held-out samples.
        validation: Box<Validation>,
    },
}

/// Measurements of a step other than its losses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) positions_per_second: f64,
    pub(crate) usage: Usage,
    pub(crate) device: DeviceUsage,
    pub(crate) layers: BTreeMap<String, LayerNorms>,
}

impl LogLine {
    pub(crate) fn step(step: u64, learning_rate: f32, report: &StepReport, measured: Measured) -> Self {
        let Measured { positions_per_second, usage, device, layers } = measured;
        Self::Step {
            step,
            learning_rate,
            policy_loss: report.policy_loss,
            value_loss: report.value_loss,
            illegal_move_loss: report.illegal_move_loss,
            total_loss: report.total_loss,
            gradient_norm: report.gradient_norm,
            positions_per_second,
            busy_cores: usage.busy_cores,
            resident_bytes: usage.resident_bytes,
            gpu_load: device.load,
            gpu_bytes: device.bytes,
            layers,
        }
    }

    fn number(&self) -> u64 {
        match self {
            Self::Step { step, .. } | Self::Validation { step, .. } => *step,
        }
    }
}

/// Reads a log. An incomplete last line is left out: either it is still being written, or the run was killed while
/// writing it.
///
/// # Errors
/// [`NetworkError::Output`], [`NetworkError::Syntax`] with the line's number.
pub fn read_log(path: &Path) -> Result<Vec<LogLine>, NetworkError> {
    Ok(read_lines(path)?.into_iter().map(|(_, line)| line).collect())
}

/// Held-out value losses in a log, with their steps. Other programs write fewer fields than [`LogLine`] has, and put the losses
/// of a validation next to its step.
pub(crate) fn held_out_value_losses(path: &Path, text: &str) -> Result<Vec<(u64, f64)>, NetworkError> {
    #[derive(Deserialize)]
    struct Losses {
        value_loss: Option<f64>,
    }
    #[derive(Deserialize)]
    struct Line {
        kind: String,
        step: u64,
        value_loss: Option<f64>,
        validation: Option<Losses>,
    }
    let mut losses = Vec::new();
    for (_, line) in parsed_lines::<Line>(path, text)? {
        let own = line.validation.and_then(|losses| losses.value_loss);
        if line.kind == "validation"
            && let Some(loss) = own.or(line.value_loss)
        {
            losses.push((line.step, loss));
        }
    }
    Ok(losses)
}

/// The lines of a log as text and parsed.
fn read_lines(path: &Path) -> Result<Vec<(String, LogLine)>, NetworkError> {
    let text = files::read_text(path).map_err(NetworkError::file(path, "read the log"))?;
    parsed_lines(path, &text)
}

fn parsed_lines<T: DeserializeOwned>(path: &Path, text: &str) -> Result<Vec<(String, T)>, NetworkError> {
    let written = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut lines = Vec::new();
    for (index, line) in written.lines().enumerate() {
        let parsed = serde_json::from_str(line).map_err(|error| NetworkError::Syntax {
            place: format!("{}:{}", path.display(), index + 1),
            reason: format!("found {line:?}, expected a log line: {error}"),
        })?;
        lines.push((line.to_owned(), parsed));
    }
    Ok(lines)
}

/// A `log.jsonl` open for appending.
pub(crate) struct Log {
    path: PathBuf,
    lines: Journal,
}

impl Log {
    /// Continues the log of a run after `step`: later lines, left by an interrupted run, are removed. The remaining lines
    /// keep their text, because numbers that are parsed from JSON and written again may differ in the last digit.
    pub(crate) fn after(path: &Path, step: u64) -> Result<Self, NetworkError> {
        let mut kept = String::new();
        if step > 0 && path.exists() {
            for (text, line) in read_lines(path)? {
                if line.number() <= step {
                    kept.push_str(&text);
                    kept.push('\n');
                }
            }
        }
        container::write(path, kept.as_bytes())?;
        let lines = Journal::open(path).map_err(NetworkError::file(path, "open the log"))?;
        Ok(Self { path: path.to_path_buf(), lines })
    }

    pub(crate) fn write(&mut self, line: &LogLine) -> Result<(), NetworkError> {
        let written = self.lines.append(line).map_err(NetworkError::file(&self.path, "write the log"));
        written.map(|_place| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_read_from_logs_of_this_program_and_of_others() {
        let losses = |text: &str| held_out_value_losses(Path::new("log.jsonl"), text);
        let lines = [
            r#"{"kind":"step","step":1,"value_loss":9.0}"#,
            r#"{"kind":"validation","step":2,"validation":{"value_loss":0.5}}"#,
            r#"{"kind":"validation","step":3,"samples":8192,"value_loss":0.25}"#,
            r#"{"kind":"validation","step":4,"validation":{"policy_loss":1.0}}"#,
        ];
        assert_eq!(losses(&(lines.join("\n") + "\n{\"kind")).unwrap(), [(2, 0.5), (3, 0.25)]);
        assert!(losses("nonsense\n").unwrap_err().to_string().contains("log.jsonl:1: found"));
    }

    #[test]
    fn a_run_goes_on_after_a_line_that_was_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        let report =
            StepReport { policy_loss: 2.0, value_loss: 1.0, total_loss: 3.0, ..StepReport::default() };
        let layers: BTreeMap<String, LayerNorms> = [("input".to_owned(), LayerNorms::default())].into();
        let usage = Usage { busy_cores: Some(1.5), resident_bytes: Some(1 << 20) };
        let device = DeviceUsage { load: Some(0.5), bytes: Some(1 << 30) };
        let measured = Measured { positions_per_second: 100.0, usage, device, layers };
        let line = |step| LogLine::step(step, 0.1, &report, measured.clone());
        let mut log = Log::after(&path, 0).unwrap();
        (1..=3).for_each(|step| log.write(&line(step)).unwrap());
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 20]).unwrap();
        assert_eq!(read_log(&path).unwrap(), [line(1), line(2)]);
        Log::after(&path, 2).unwrap().write(&line(3)).unwrap();
        assert_eq!(read_log(&path).unwrap(), [line(1), line(2), line(3)]);
        std::fs::write(&path, "{}\n").unwrap();
        let message = read_log(&path).unwrap_err().to_string();
        assert!(message.contains("log.jsonl:1") && message.contains("expected a log line"), "{message}");
    }

    #[test]
    fn logs_without_usage_and_layers_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        let old = r#"{"kind":"step","step":20,"learning_rate":0.1,"policy_loss":2.0,"value_loss":1.0,"total_loss":3.0,"gradient_norm":0.5,"positions_per_second":100.0}"#;
        std::fs::write(&path, format!("{old}\n")).unwrap();
        let [
            LogLine::Step {
                step: 20, busy_cores: None, resident_bytes: None, gpu_load: None, layers, ..
            },
        ] = &read_log(&path).unwrap()[..]
        else {
            panic!("one line of a step")
        };
        assert!(layers.is_empty());
        let without = LogLine::step(20, 0.1, &StepReport::default(), Measured::default());
        assert!(
            !serde_json::to_string(&without).unwrap().contains("gpu"),
            "a run on the CPU has no keys of a GPU"
        );
        Log::after(&path, 20).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{old}\n"), "it is not rewritten");
    }

    #[test]
    fn lines_that_stay_keep_their_last_digit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        let mut log = Log::after(&path, 0).unwrap();
        // If they were parsed as JSON and written again, the first of these would end in 4 and the second in 5.
        for rate in [952.058_938_279_640_5, 993.807_399_753_250_1, 1.079_728_536_522_783_3] {
            let measured = Measured { positions_per_second: rate, ..Measured::default() };
            log.write(&LogLine::step(1, 0.1, &StepReport::default(), measured)).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap();
        Log::after(&path, 1).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), written);
    }
}
