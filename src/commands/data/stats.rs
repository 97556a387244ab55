use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{bail, ensure};
use census::statistics::{SourceStatistics, SplitChart, Statistics, html};
use dataset::{
    Store,
    source::{BadRecord, input::Location, opening_names::OpeningNames},
};
use experiment::Learning;
use terminal::{SHOWN_BROKEN, progress_bar, statistics};
use training::{StoreSamples, ValueLabels};

use crate::commands::file_kinds::PAGE;

/// Count the games, positions, results, labels, ratings, openings, phases and evaluations of a store, the validation positions that
/// are also in the training split, and violations of the rules.
///
/// Given files of games or positions instead of a store, counts their records: results, ratings, lengths, openings, broken
/// records, and repeated names, rows and games. Data that does not fit into memory is kept in temporary files (TMPDIR).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya data stats stores/masters
  tabiya data stats stores/masters --json | jq .results
  tabiya data stats stores/masters --html masters.html --openings eco.csv
  tabiya data stats stores/catfish --recipe recipes/catfish-v3 --html labels.html
  tabiya data stats games.csv.gz more-games.pgn.zst")]
pub(crate) struct Arguments {
    /// A directory made by `tabiya data build`, or files, folders or archives of games and positions
    #[arg(value_name = "STORE|IN", required = true)]
    inputs: Vec<PathBuf>,
    /// Write all charts to one self-contained HTML file
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// Replace an existing file of another kind with the HTML file
    #[arg(long, requires = "html")]
    force: bool,
    /// Name openings by the longest line in this table: CSV with eco,eco_name,eco_example, or tab-separated eco, name and pgn (as
    /// in lichess-org/chess-openings)
    #[arg(long, value_name = "TABLE")]
    openings: Option<PathBuf>,
    /// Count the value targets of this recipe in the store, training and validation side by side; may be
    /// repeated
    #[arg(long = "recipe", value_name = "RECIPE")]
    recipes: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let page_file =
        arguments.html.as_deref().map(|path| PAGE.open(path, &read_paths(arguments), arguments.force));
    let page_file = page_file.transpose()?;
    let names = arguments.openings.as_deref().map(read_names).transpose()?;
    let (text, page) = match &arguments.inputs[..] {
        [store] if is_store(store) => {
            let counted = count(store, names.as_ref())?;
            let charts: Vec<SplitChart> =
                arguments.recipes.iter().map(|recipe| labels(store, recipe)).collect::<Result<_, _>>()?;
            let text = if arguments.json {
                let mut value = serde_json::to_value(&counted)?;
                if !charts.is_empty() {
                    value["value_labels"] = serde_json::to_value(&charts)?;
                }
                serde_json::to_string_pretty(&value)? + "\n"
            } else {
                statistics::of_store(&counted) + &charts.iter().map(statistics::of_splits).collect::<String>()
            };
            (text, html::of_store(&store.display().to_string(), &counted, &charts))
        }
        inputs => {
            ensure!(
                arguments.recipes.is_empty(),
                "--recipe: found games, expected a store (`tabiya data build` makes one)"
            );
            count_files(inputs, names.as_ref(), arguments.json)?
        }
    };
    if let Some(file) = page_file {
        file.finish(page)?;
    }
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Everything that the command reads.
fn read_paths(arguments: &Arguments) -> Vec<PathBuf> {
    let Arguments { inputs, openings, recipes, .. } = arguments;
    inputs.iter().chain(openings).chain(recipes).cloned().collect()
}

/// True if a path is opened as a store: a missing path is reported as a missing store.
fn is_store(path: &Path) -> bool {
    path != Path::new("-") && (!path.exists() || path.join(files::run::MANIFEST).exists())
}

/// Reads names of openings, reporting rows that are not openings.
fn read_names(path: &Path) -> anyhow::Result<OpeningNames> {
    let (names, broken) = OpeningNames::read(path)?;
    for bad in &broken {
        writeln!(std::io::stderr(), "{bad}")?;
    }
    ensure!(!names.is_empty(), "{} names no opening whose line can be played", path.display());
    Ok(names)
}

fn count(path: &Path, names: Option<&OpeningNames>) -> anyhow::Result<Statistics> {
    let store = Store::open(path)?;
    let positions = store.manifest().counts.positions;
    let bar = progress_bar(Some(positions), "{percent:>3} %  {human_pos} positions, {per_sec}, {eta} left");
    let statistics = Statistics::count_with(&store, names, |rows| bar.set_position(rows))?;
    bar.finish_and_clear();
    Ok(statistics)
}

/// The statistics of files that are not a store yet, as text or JSON, and as a page.
fn count_files(
    inputs: &[PathBuf],
    names: Option<&OpeningNames>,
    as_json: bool,
) -> anyhow::Result<(String, String)> {
    let mut locations = Vec::new();
    for input in inputs {
        locations.extend(Location::all(input)?);
    }
    let bytes = locations.iter().map(Location::bytes).sum();
    let bar =
        progress_bar(Some(bytes), "{percent:>3} %  {bytes_per_sec} read, {elapsed} elapsed, {eta} left");
    let mut rejected = 0;
    let counted = SourceStatistics::count(
        &locations,
        names,
        |bytes| bar.set_position(bytes),
        |bad: &BadRecord| {
            rejected += 1;
            if rejected <= SHOWN_BROKEN {
                // A closed stderr must not abort the count.
                bar.suspend(|| drop(writeln!(std::io::stderr(), "{bad}")));
            }
        },
    )?;
    bar.finish_and_clear();
    if rejected > SHOWN_BROKEN {
        writeln!(std::io::stderr(), "and {} more broken records", rejected - SHOWN_BROKEN)?;
    }
    let title = inputs.iter().map(|input| input.display().to_string()).collect::<Vec<_>>().join(", ");
    let page = html::of_source(&title, &statistics::source_facts(&counted), &counted);
    let text = if as_json {
        serde_json::to_string_pretty(&counted)? + "\n"
    } else {
        statistics::of_source(&counted)
    };
    Ok((text, page))
}

/// The value targets of a recipe for a store.
fn labels(store: &Path, recipe: &Path) -> anyhow::Result<SplitChart> {
    let Learning::Network(recipe) = Learning::read(recipe)? else {
        bail!("{}: found [learner], expected the [network] and [losses] of a network", recipe.display());
    };
    let samples = StoreSamples::open(store, &recipe.network)?;
    let positions = Store::open(store)?.manifest().counts.positions;
    let bar = progress_bar(Some(positions), "{percent:>3} %  labels of {human_pos} positions, {eta} left");
    let kind = recipe.network.value_kind();
    let labels = ValueLabels::count(&samples, &recipe.losses, kind, |counted| bar.set_position(counted))?;
    bar.finish_and_clear();
    let bars = labels.bars.iter().enumerate().map(|(bar, counts)| {
        let [from, to] = labels.range(bar);
        (format!("{from:.2}..{to:.2}"), *counts)
    });
    let [trained, held_out] = labels.at_ends;
    let [without, held_out_without] = labels.without;
    Ok(SplitChart {
        title: format!("Value targets of {}", recipe.title),
        bars: bars.collect(),
        facts: vec![
            format!("{trained} and {held_out} are exactly an end of the scale, -{0} or {0}", labels.limit),
            format!("{without} and {held_out_without} positions have no target"),
        ],
    })
}
