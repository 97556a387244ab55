use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::Context as _;
use dataset::{Sample, SampleView, Split, Store};

/// Show samples of a store: board, FEN and labels.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya data show stores/masters
  tabiya data show stores/masters --row 1000 --count 3 --split validation
  tabiya data show stores/masters --game 1f00c0ffee15600d --json")]
pub(crate) struct Arguments {
    /// A directory made by `tabiya data build`
    store: PathBuf,
    /// First row, in stored order
    #[arg(long, default_value_t = 0, conflicts_with = "game")]
    row: u64,
    /// Number of rows
    #[arg(long, default_value_t = 1, conflicts_with = "game")]
    count: u64,
    /// Split of the store
    #[arg(long, value_enum, default_value_t = SplitName::Train, conflicts_with = "game")]
    split: SplitName,
    /// All samples of the game with this hash (16 hexadecimal digits, as `show` prints it)
    #[arg(long, value_name = "HASH", value_parser = parse_game)]
    game: Option<u64>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum SplitName {
    Train,
    Validation,
}

fn parse_game(text: &str) -> Result<u64, String> {
    u64::from_str_radix(text, 16).map_err(|error| format!("{error}; expected up to 16 hexadecimal digits"))
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let store = Store::open(&arguments.store)?;
    let samples = match arguments.game {
        Some(game) => samples_of_game(&store, game)?,
        None => samples_from_row(&store, arguments)?,
    };
    let mut out = std::io::stdout().lock();
    for sample in &samples {
        let view = SampleView::new(&store, sample)
            .map_err(anyhow::Error::msg)
            .context("the store holds a sample that cannot be shown")?;
        if arguments.json {
            writeln!(out, "{}", serde_json::to_string(&view)?)?;
        } else {
            writeln!(out, "{}", view.text())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn samples_from_row(store: &Store, arguments: &Arguments) -> anyhow::Result<Vec<Sample>> {
    let split = match arguments.split {
        SplitName::Train => Split::Train,
        SplitName::Validation => Split::Validation,
    };
    let positions = store.positions(split);
    anyhow::ensure!(
        arguments.row < positions,
        "row {}: the split has {positions} rows, counted from 0",
        arguments.row
    );
    let end = positions.min(arguments.row.saturating_add(arguments.count));
    (arguments.row..end)
        .map(|row| store.sample(split, row)?.with_context(|| format!("row {row} is missing")))
        .collect()
}

fn samples_of_game(store: &Store, game: u64) -> anyhow::Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for split in [Split::Train, Split::Validation] {
        for group in store.row_groups(split) {
            samples.extend(group?.into_iter().filter(|sample| sample.game == Some(game)));
        }
    }
    anyhow::ensure!(!samples.is_empty(), "no sample of game {game:016x} in {}", store.path().display());
    Ok(samples)
}
