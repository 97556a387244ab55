//! `tabiya tune`.

use std::{fmt, io::Write as _, path::PathBuf, process::ExitCode, str::FromStr};

use anyhow::{Context as _, Result, ensure};
use chess::{Kind, Tunable, Value};
use indicatif::ProgressBar;
use output::OutputFile;
use player::{NetworkPlayers, PlayerSpecification, help};
use serde_json::json;
use strength::{
    Contestant, GameRecord, Match, OpeningBook,
    matches::GameSummary,
    tuning::{Spsa, TunedOption, draw},
};

use crate::{
    game_folder::{Entry, GameFolder},
    interrupt::stop_on_interrupt,
    match_options::MatchOptions,
    progress_bar::progress_bar,
};

/// Tune search options by games (SPSA).
///
/// Every iteration moves all options at once, each up or down by chance, plays this setting against its mirror image, and moves
/// the options towards the winner. The folder holds the games, the path of the values (tuning.svg) and the result; Ctrl-C
/// stops and --resume goes on, also after a kill. Thousands of games are usual; confirm the result with `tabiya match` in
/// games that tuning has not seen.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{}\n\nExample:\n  tabiya tune default,nodes=400 --vary CPuct=1:4 --vary FpuReduction=0:1:0.05 \
    --iterations 500 --pairs 4 --concurrency 2 --out tunings/puct", help()))]
pub(crate) struct Arguments {
    /// Player to tune: `default` or net=PATH, best with fixed nodes
    player: PlayerSpecification,
    /// Option to tune, with the range to try and the step between the two settings at the end; default of the step: a twentieth
    /// of the range. May be given several times
    #[arg(long, required = true, value_name = "NAME=MIN:MAX[:STEP]")]
    vary: Vec<Range>,
    /// Iterations
    #[arg(long, default_value_t = 200, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// Pairs of games per iteration, each pair from one opening with both colours
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u32).range(1..10_000))]
    pairs: u32,
    /// Steps that an option moves for one point in the last iteration; early ones move about four times as far
    #[arg(long, default_value_t = 0.02, value_name = "STEPS")]
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
        let form = || format!("found {text:?}, expected NAME=MIN:MAX or NAME=MIN:MAX:STEP");
        let (name, range) = text.split_once('=').ok_or_else(form)?;
        let tunable = search::options::find(name).ok_or_else(|| {
            let names: Vec<&str> = search::options::tunables().map(|tunable| tunable.name).collect();
            format!("unknown search option {name:?}; known are {}", names.join(", "))
        })?;
        if matches!(tunable.kind, Kind::Flag { .. }) {
            return Err(format!("{} is on or off; only numbers are tuned", tunable.name));
        }
        let parts: Vec<&str> = range.split(':').collect();
        let (bounds, step) = match parts.as_slice() {
            [min, max] => ([min, max], None),
            [min, max, step] => ([min, max], Some(step.parse().map_err(|_| form())?)),
            _ => return Err(form()),
        };
        let [min, max] = bounds.map(|text| tunable.parse(text).map_err(|error| error.to_string()));
        Ok(Self { tunable, bounds: [min?, max?], step })
    }
}

/// Iterations whose games are between two drawings of the path.
const DRAW_EVERY: u32 = 10;

/// Steps in the range of an option whose step was not given.
const STEPS: f64 = 20.0;

/// The smallest useful step of a whole number: the two settings then differ by one.
const WHOLE_STEP: f64 = 0.5;

impl Range {
    /// The option as it is tuned, beginning where the player has it.
    fn tuned(&self, players: &NetworkPlayers) -> TunedOption {
        let [min, max] = self.bounds.map(number);
        let is_whole = matches!(self.tunable.kind, Kind::Integer { .. });
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
            Kind::Integer { .. } => Value::Integer(number.round() as u64),
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

/// Runs the command.
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
    let seed = arguments.options.seed;
    let spsa = Spsa::new(tuned, arguments.iterations, arguments.rate, seed).context("--vary")?;
    let games = u64::from(arguments.iterations) * u64::from(arguments.pairs) * 2;
    let all = u32::try_from(games).context("iterations times pairs: too many games")?;
    let openings = arguments.options.book(all)?;
    let (folder, done) = GameFolder::open(&arguments.out, &setup(arguments, &spsa), arguments.resume)?;
    let bar = progress_bar(Some(games), "{pos}/{len} games, {elapsed} gone, {eta} left  {wide_msg}");
    let mut run = Tuning { arguments, players, spsa, openings, folder, bar };
    run.play(&done)?;
    run.bar.finish_and_clear();
    run.report()?;
    Ok(ExitCode::SUCCESS)
}

fn setup(arguments: &Arguments, spsa: &Spsa) -> serde_json::Value {
    let mut setup = arguments.options.setup();
    setup.insert("player".into(), json!(arguments.player.to_string()));
    setup.insert("tuned".into(), json!(spsa.options()));
    setup.insert("iterations".into(), json!(arguments.iterations));
    setup.insert("pairs".into(), json!(arguments.pairs));
    setup.insert("rate".into(), json!(arguments.rate));
    setup.into()
}

/// The run from the command line to the result.
struct Tuning<'a> {
    arguments: &'a Arguments,
    players: NetworkPlayers,
    spsa: Spsa,
    /// Beginning with the openings of the next iteration.
    openings: OpeningBook,
    folder: GameFolder,
    bar: ProgressBar,
}

impl Tuning<'_> {
    /// Plays the iterations that are left; those whose games are in the folder are counted again.
    fn play(&mut self, done: &[Entry]) -> Result<()> {
        let stop = stop_on_interrupt()?;
        self.bar.set_position(done.len() as u64);
        self.bar.reset_eta();
        while self.spsa.done() < self.spsa.iterations() {
            let iteration = self.spsa.done();
            let finished = done.iter().filter(|entry| entry.pairing == iteration as usize);
            let finished: Vec<GameSummary> = finished.map(|entry| entry.game.clone()).collect();
            let names = ["first", "second"].map(|side| format!("{} {side}", self.arguments.player.name));
            let [first, second] = self.spsa.pair();
            let contestants = [self.contestant(&names[0], &first), self.contestant(&names[1], &second)];
            let mut settings = self.arguments.options.settings(self.arguments.pairs * 2);
            settings.seed = settings.seed.wrapping_add(u64::from(iteration));
            let openings = std::mem::replace(&mut self.openings, OpeningBook::start_position());
            let battle = Match { contestants, openings, settings };
            let (folder, bar) = (&mut self.folder, &self.bar);
            let summary = battle.resume(&finished, &stop, &mut |record: &GameRecord, _| {
                folder.append(iteration as usize, record, &names)?;
                bar.inc(1);
                Ok(())
            })?;
            if let Some(reason) = summary.ended_early {
                self.bar.finish_and_clear();
                self.draw()?;
                return Err(anyhow::Error::new(reason).context(format!(
                    "the tuning ended after {iteration} of {} iterations, at {self}; --resume goes on",
                    self.spsa.iterations()
                )));
            }
            let tally = summary.standing.games();
            self.spsa.update(tally.wins as f64 - tally.losses as f64);
            self.openings = battle.openings.from_pair(self.arguments.pairs);
            self.bar.set_message(self.to_string());
            if self.spsa.done().is_multiple_of(DRAW_EVERY) {
                self.draw()?;
            }
        }
        self.draw()
    }

    fn contestant(&self, name: &str, values: &[f64]) -> Contestant {
        self.players.contestant(name.into(), |options| {
            for (range, &value) in self.arguments.vary.iter().zip(values) {
                options.set(range.tunable, range.value(value));
            }
        })
    }

    fn draw(&self) -> Result<()> {
        let path = self.arguments.out.join("tuning.svg");
        let image = draw(&self.spsa)
            .map_err(anyhow::Error::msg)
            .with_context(|| format!("cannot draw {}", path.display()))?;
        Ok(OutputFile::open(&path)?.finish(&image)?)
    }

    fn report(&self) -> Result<()> {
        let options: Vec<serde_json::Value> = self
            .spsa
            .options()
            .iter()
            .zip(self.spsa.values())
            .map(|(option, value)| json!({ "name": option.name, "start": option.start, "value": value }))
            .collect();
        let result = json!({
            "kind": "tabiya-tuning-1",
            "player": self.arguments.player.to_string(),
            "iterations": self.spsa.done(),
            "games": self.spsa.done() * self.arguments.pairs * 2,
            "rate": self.arguments.rate,
            "options": options,
            "path": self.spsa.path(),
        });
        let text = serde_json::to_string_pretty(&result)?;
        // First of all: hours of games must not end without a result because the disk is full.
        let printed = self.print(&text).context("cannot write the result to standard output");
        self.folder.finish(&text)?;
        printed
    }

    fn print(&self, json: &str) -> std::io::Result<()> {
        let mut out = std::io::stdout();
        if self.arguments.json {
            return writeln!(out, "{json}");
        }
        let games = self.spsa.done() * self.arguments.pairs * 2;
        writeln!(out, "after {} iterations of {games} games in all:", self.spsa.done())?;
        for (option, value) in self.spsa.options().iter().zip(self.spsa.values()) {
            writeln!(out, "  {:<24} {:.4} (began at {:.4})", option.name, value, option.start)?;
        }
        let set: Vec<String> = self
            .arguments
            .vary
            .iter()
            .zip(self.spsa.values())
            .map(|(range, &value)| format!("option.{}={}", range.tunable.name, range.value(value)))
            .collect();
        writeln!(out, "as a player: {},{}", self.arguments.player, set.join(","))
    }
}

impl fmt::Display for Tuning<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (option, value)) in self.spsa.options().iter().zip(self.spsa.values()).enumerate() {
            let separator = if number == 0 { "" } else { ", " };
            write!(formatter, "{separator}{} {value:.4}", option.name)?;
        }
        Ok(())
    }
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
            ("CPuckt=1:2", "known are"),
            ("CPuct=-5:2", "CPuct"),
            ("TreeReuse=0:1", "on or off"),
        ] {
            assert!(refused(text).contains(expected), "{text}: {}", refused(text));
        }
    }
}
