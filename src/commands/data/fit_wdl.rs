use std::{fmt::Write as _, io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::Context as _;
use census::statistics::fit_wdl::{Outcomes, WdlFit};
use dataset::{Split, Store};
use indicatif::HumanCount;
use terminal::progress_bar;

/// Fit the curve from evaluations to win, draw and loss to the results of a store's games.
///
/// Counts the training samples with an evaluation in centipawns, a result and no slip after them. Finds the most likely constants,
/// with and without dependence on the material, and prints what a recipe needs to use them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya data fit-wdl stores/labelled
  tabiya data fit-wdl stores/labelled --json")]
pub(crate) struct Arguments {
    /// A directory made by `tabiya data build`
    store: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let store = Store::open(&arguments.store)?;
    let positions = store.positions(Split::Train);
    let bar = progress_bar(Some(positions), "{percent:>3} %  {human_pos} positions, {per_sec}, {eta} left");
    let outcomes = Outcomes::count(&store, |rows| bar.set_position(rows))?;
    bar.finish_and_clear();
    let fit =
        outcomes.fit().with_context(|| format!("cannot fit curves to {}", arguments.store.display()))?;
    let text = if arguments.json { serde_json::to_string_pretty(&fit)? + "\n" } else { report(&fit) };
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn report(fit: &WdlFit) -> String {
    let mut text = format!("{} samples with evaluation and result\n\n", HumanCount(fit.samples));
    let _ = writeln!(text, "{:<10} loss {:.5}", "no curve", fit.constant_loss);
    let curves = [
        ("default", Some(&fit.default)),
        ("logistic", Some(&fit.logistic)),
        ("material", fit.material.as_ref()),
    ];
    for (name, curve) in curves {
        let line =
            curve.map_or_else(|| "no constants fit".into(), |fitted| format!("loss {:.5}", fitted.loss));
        let _ = writeln!(text, "{name:<10} {line}");
    }
    text.push_str("\nmaterial      samples    won drawn  lost   by the curve\n");
    for band in &fit.bands {
        let material = format!("{}-{}", band.from, band.to);
        let _ = writeln!(
            text,
            "{material:<8} {:>12}  {}  {}",
            HumanCount(band.samples).to_string(),
            shares(band.happened),
            shares(band.expected)
        );
    }
    let best = fit.material.as_ref().unwrap_or(&fit.logistic);
    let _ = write!(text, "\n[losses]\nvalue_target = {{ from = \"evaluation\", curve = {} }}\n", best.curve);
    text
}

/// Shares of won, drawn and lost games in percent.
fn shares(shares: [f64; 3]) -> String {
    shares.map(|share| format!("{:5.1}", 100.0 * share)).join(" ")
}
