use std::{fmt::Write as _, path::PathBuf, process::ExitCode, str::FromStr};

use anyhow::{Context as _, Result, ensure};
use chess::{Tunable, TunableKind, Value};
use files::{Begin, Inputs, run::FolderKind};
use player::{NetworkPlayers, PlayerSpecification, help, with_player};
use serde_json::json;
use strength::{
    campaign::{Campaign, MatchPlan as _, Rules, Tuning},
    tuning::{Spsa, TunedOption},
};
use terminal::MatchProgress;

use super::{campaign, match_options::MatchOptions};

/// Tune search options by games (SPSA).
///
/// Every iteration perturbs all options at once, each up or down at random, plays this setting against the opposite one, and moves
/// the options towards the winner. The folder holds the games, the path of the values (tuning.svg) and the result; Ctrl-C
/// stops and --resume continues, even after a kill. Expect thousands of games; confirm the result with `tabiya match` in
/// other games.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{}\n\nExample:\n  tabiya tune default,nodes=400 --vary CPuct=1:4 --vary FpuReduction=0:1:0.05 \
    --iterations 500 --pairs 4 --concurrency 2 --out tunings/puct", help()))]
pub(crate) struct Arguments {
    /// Player to tune: `default` or net=PATH, best with fixed nodes
    player: PlayerSpecification,
    /// Option to tune, with the range to try and the step between the two settings at the end; the default step is a twentieth
    /// of the range. May be given several times
    #[arg(long, required = true, value_name = "NAME=MIN:MAX[:STEP]")]
    vary: Vec<Range>,
    /// Iterations, each of which plays --pairs pairs of games
    #[arg(long, default_value_t = Spsa::ITERATIONS, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// Pairs of games per iteration, each pair from one opening with both colours
    #[arg(long, default_value_t = Tuning::PAIRS, value_name = "N", value_parser = clap::value_parser!(u32).range(1..10_000))]
    pairs: u32,
    /// Steps that an option moves per point in the last iteration; in early ones it moves about four times as far
    #[arg(long, default_value_t = Spsa::RATE, value_name = "STEPS")]
    rate: f64,
    #[command(flatten)]
    options: MatchOptions,
    /// Folder for games, path and result
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Continue the tuning in the folder
    #[arg(long)]
    resume: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// An option with its range, as the user gives them.
#[derive(Clone, Debug)]
struct Range {
    tunable: &'static Tunable,
    bounds: [Value; 2],
    step: Option<f64>,
}

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, range) = text.split_once('=').ok_or_else(|| wrong_form(text))?;
        let tunable = search::options::named(name).map_err(|error| error.to_string())?;
        if matches!(tunable.kind, TunableKind::Flag { .. }) {
            return Err(format!("{} is on or off; only numbers are tuned", tunable.name));
        }
        let parts: Vec<&str> = range.split(':').collect();
        let (bounds, step) = match parts.as_slice() {
            [min, max] => ([min, max], None),
            [min, max, step] => ([min, max], Some(step.parse().map_err(|_| wrong_form(text))?)),
            _ => return Err(wrong_form(text)),
        };
        let [min, max] = bounds.map(|text| tunable.parse(text).map_err(|error| error.to_string()));
        Ok(Self { tunable, bounds: [min?, max?], step })
    }
}

fn wrong_form(text: &str) -> String {
    format!("found {text:?}, expected NAME=MIN:MAX or NAME=MIN:MAX:STEP")
}

/// Steps in the range of an option whose step was not given.
const STEPS: f64 = 20.0;

/// The smallest useful step of a whole number: the two settings then differ by one.
const WHOLE_STEP: f64 = 0.5;

impl Range {
    /// The option to tune, starting at the player's value.
    fn tuned(&self, players: &NetworkPlayers) -> TunedOption {
        let [min, max] = self.bounds.map(number);
        let is_whole = matches!(self.tunable.kind, TunableKind::Integer { .. });
        let usual = if is_whole { ((max - min) / STEPS).max(WHOLE_STEP) } else { (max - min) / STEPS };
        TunedOption {
            name: self.tunable.name.into(),
            start: number(players.options().get(self.tunable)),
            min,
            max,
            step: self.step.unwrap_or(usual),
        }
    }

    /// A number between the bounds as a value of the option.
    fn value(&self, number: f64) -> Value {
        match self.tunable.kind {
            TunableKind::Integer { .. } => Value::Integer(number.round() as u64),
            _ => Value::Float(number as f32),
        }
    }
}

fn number(value: Value) -> f64 {
    match value {
        Value::Float(value) => f64::from(value),
        Value::Integer(value) => value as f64,
        Value::Flag(value) => f64::from(u8::from(value)),
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let players = arguments.player.network()?;
    let tuned: Vec<TunedOption> = arguments.vary.iter().map(|range| range.tuned(&players)).collect();
    for (number, option) in tuned.iter().enumerate() {
        ensure!(
            tuned[..number].iter().all(|other| other.name != option.name),
            "--vary {} is given twice",
            option.name
        );
    }
    let spsa =
        Spsa::new(tuned, arguments.iterations, arguments.rate, arguments.options.seed).context("--vary")?;
    let games = u64::from(arguments.iterations) * u64::from(arguments.pairs) * 2;
    let most = u64::from(u32::MAX);
    ensure!(games <= most, "--iterations times --pairs: found {games} games, expected at most {most}");
    let rules = arguments.options.rules();
    let setup = setup(arguments, &rules, &spsa)?;
    let (name, vary) = (arguments.player.name.clone(), arguments.vary.clone());
    let drawing = arguments.out.join("tuning.svg");
    let contestant = move |side: &str, values: &[f64]| {
        players.contestant(format!("{name} {side}"), |options| {
            for (range, &value) in vary.iter().zip(values) {
                options.set(range.tunable, range.value(value));
            }
        })
    };
    let mut tuning = Tuning::new(spsa, arguments.pairs, rules.clone(), contestant, drawing)?;
    let mut campaign =
        Campaign::in_folder(&arguments.out, &FolderKind::TUNING, &setup, Begin::from_flag(arguments.resume))?;
    let ended = campaign::play(&mut campaign, &mut tuning, &MatchProgress::new())?;
    if ended.is_some() {
        tuning.draw()?;
    } else {
        let result = tuning.report(&arguments.player.to_string(), arguments.rate);
        campaign::tell(&campaign, &result, &report(arguments, &tuning), arguments.json)?;
    }
    let (done, iterations) = (tuning.spsa().done(), tuning.spsa().iterations());
    let cut =
        format!("the tuning ended after {done} of {iterations} iterations, at {tuning}; --resume continues");
    campaign::conclude(&rules, ended, cut)
}

fn setup(arguments: &Arguments, rules: &Rules, spsa: &Spsa) -> Result<serde_json::Value> {
    let mut setup = rules.setup(with_player(Inputs::default(), &arguments.player))?;
    setup.insert("player".into(), json!(arguments.player.to_string()));
    setup.insert("tuned".into(), json!(spsa.options()));
    setup.insert("iterations".into(), json!(arguments.iterations));
    setup.insert("pairs".into(), json!(arguments.pairs));
    setup.insert("rate".into(), json!(arguments.rate));
    Ok(setup.into())
}

/// The result as text.
fn report(arguments: &Arguments, tuning: &Tuning) -> String {
    let spsa = tuning.spsa();
    let mut text = format!("after {} iterations of {} games in all:\n", spsa.done(), tuning.games());
    for (option, value) in spsa.options().iter().zip(spsa.values()) {
        let _ = writeln!(text, "  {:<24} {:.4} (from {:.4})", option.name, value, option.start);
    }
    let set = arguments.vary.iter().zip(spsa.values());
    let set: Vec<String> =
        set.map(|(range, &value)| format!("option.{}={}", range.tunable.name, range.value(value))).collect();
    let _ = write!(text, "as a player: {},{}", arguments.player, set.join(","));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        text.parse::<Range>().unwrap_err()
    }

    #[test]
    fn ranges_are_read_and_checked_by_the_options_declaration() {
        let range: Range = "cpuct=1:4:0.1".parse().unwrap();
        assert_eq!((range.tunable.name, range.step), ("CPuct", Some(0.1)));
        assert_eq!(range.bounds, [Value::Float(1.0), Value::Float(4.0)]);
        let whole: Range = "MaterialNodes=0:50000".parse().unwrap();
        assert_eq!(whole.value(1234.6), Value::Integer(1235));
        for (text, expected) in [
            ("CPuct", "expected NAME=MIN:MAX"),
            ("CPuct=1", "expected NAME=MIN:MAX"),
            ("CPuct=1:2:x", "expected NAME=MIN:MAX"),
            ("CPuckt=1:2", "similar ones are CPuct,"),
            ("CPuct=-5:2", "CPuct"),
            ("TreeReuse=0:1", "on or off"),
        ] {
            assert!(refused(text).contains(expected), "{text}: {}", refused(text));
        }
    }
}
