//! `tabiya net validate`.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use dataset::EvaluationCurve;
use network::{
    Device, DeviceKind, LossConfig, MatePawns, ValueTarget,
    train::{StoreSamples, validate},
};

use super::super::train::validation_lines;
use crate::engine::read_weights;

/// Measure a network's predictions on the validation split of a store, beside trivial baselines.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: tabiya net validate default stores/first --value result")]
pub(super) struct Arguments {
    /// Network: .tabiya, lc0's .pb.gz, or `default`
    network: String,
    /// Sample store
    store: PathBuf,
    /// Approximate number of samples, spread evenly over the store
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Label for the value
    #[arg(long, value_enum, default_value_t = Target::Evaluation)]
    value: Target,
    /// Device: cpu, burn-cpu, cuda, vulkan or metal
    #[arg(long, default_value = "cpu")]
    device: DeviceKind,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Labels a value can be compared with.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Target {
    Evaluation,
    Result,
}

impl From<Target> for ValueTarget {
    fn from(target: Target) -> Self {
        match target {
            Target::Evaluation => {
                Self::Evaluation { curve: EvaluationCurve::default(), mates: MatePawns::default() }
            }
            Target::Result => Self::Result,
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let weights = read_weights(&arguments.network)?;
    let samples = StoreSamples::open(&arguments.store, &weights.spec)?;
    let device = Device::open(arguments.device)?;
    let losses = LossConfig { value_target: arguments.value.into(), ..LossConfig::default() };
    let validation = validate(&weights, &samples, arguments.positions as usize, &losses, &device)?;
    let text = if arguments.json {
        serde_json::to_string_pretty(&validation)?
    } else {
        format!(
            "held-out positions of {} (in brackets: uniform policy, always the mean value)\n{}",
            arguments.store.display(),
            validation_lines(&validation).join("\n")
        )
    };
    writeln!(std::io::stdout(), "{text}")?;
    Ok(ExitCode::SUCCESS)
}
