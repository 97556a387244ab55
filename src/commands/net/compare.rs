use std::{fmt::Write as _, path::PathBuf, process::ExitCode};

use figures::Percent;
use network::{Agreement, CpuNetwork, CpuOptions, Isa, NetworkError, Precision, Weights, agreement};
use player::read_weights;
use serde_json::json;
use training::{StoreSamples, held_out};

use crate::commands::{engine_arguments::named_weights, print_result};

/// Measure how much bf16 and int8 change a network's output, on validation positions of a store.
///
/// Each precision of this machine's instruction set is compared with f32 on the portable kernels. `TABIYA_ISA` forces another
/// instruction set.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: tabiya net compare maia-1900.tabiya stores/human --positions 10000")]
pub(super) struct Arguments {
    #[arg(help = format!("{}; int8 needs one that `tabiya net calibrate` has written", named_weights()))]
    network: String,
    /// Sample store with the positions
    store: PathBuf,
    /// Approximate number of positions, spread evenly over the store
    #[arg(long, default_value_t = Agreement::POSITIONS, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let weights = read_weights(&arguments.network)?;
    let samples = StoreSamples::open(&arguments.store, &weights.spec)?;
    let batches = held_out(&samples, arguments.positions as usize)?;
    let isa = Isa::chosen()?;
    let exact = open(&weights, Isa::Portable, Precision::F32)?;
    let mut rows = Vec::new();
    for precision in isa.precisions() {
        if precision != Precision::Int8 || weights.calibration.is_some() {
            rows.push((precision, agreement(&exact, &open(&weights, isa, precision)?, &batches)));
        }
    }
    let text = if arguments.json { json(isa, &rows) } else { table(isa, &rows) };
    print_result(&text)
}

fn open(weights: &Weights, isa: Isa, precision: Precision) -> Result<CpuNetwork, NetworkError> {
    CpuNetwork::from_weights(weights, CpuOptions { isa: Some(isa), precision: Some(precision) })
}

fn json(isa: Isa, rows: &[(Precision, Agreement)]) -> String {
    let rows: Vec<_> = rows
        .iter()
        .map(|(precision, agreement)| json!({ "precision": precision.name(), "agreement": agreement }))
        .collect();
    json!({ "isa": isa.name(), "compared_with": "f32 portable", "precisions": rows }).to_string()
}

fn table(isa: Isa, rows: &[(Precision, Agreement)]) -> String {
    let positions = rows.first().map_or(0, |(_, agreement)| agreement.positions);
    let mut text = format!(
        "{positions} held-out positions, {isa} against f32 on the portable kernels\n\
         precision  same best  divergence  value error  largest"
    );
    for (precision, found) in rows {
        let Agreement { same_best_move, policy_divergence, value_error, largest_value_error, .. } = found;
        let _ = write!(
            text,
            "\n{:9}  {:10.2}  {policy_divergence:10.7}  {value_error:11.6}  {largest_value_error:11.6}",
            precision.name(),
            Percent(*same_best_move)
        );
    }
    text
}
