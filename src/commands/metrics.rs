mod agreement;
mod human;
mod references;
mod value;

use std::{process::ExitCode, time::Instant};

use anyhow::Result;
use chess::{Game, Move, StopSignal};
use indicatif::ProgressBar;
use player::{PlayerSpecification, help, identity};
use serde_json::{Value, json};
use strength::{
    Contestant,
    panel::{Answers, Panel, PanelError},
};
use terminal::stop_on_interrupt;

use crate::commands::{
    json_of,
    machine::{machine, program},
    print_result,
    suite::{at_least_one, bar},
};

/// Compare a player's moves with those of people and engines, and its expected scores with results.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{}\n\nExamples:\n  tabiya metrics human default,nodes=1 games.pgn.zst --judge \
    uci=stockfish,nodes=10000\n  tabiya metrics agreement default,nodes=800 positions.csv --first sf_a_move --second \
    sf_b_move --compare human_move\n  tabiya metrics references games.pgn --first default,nodes=1 --second \
    uci=stockfish,nodes=20000 --out t.csv", help()))]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Human(Box<human::Arguments>),
    Value(value::Arguments),
    Agreement(agreement::Arguments),
    References(references::Arguments),
}

/// Options of all metrics.
#[derive(Debug, clap::Args)]
struct MetricOptions {
    /// Take N positions at random, the same in every run; only these are held in memory
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    sample: Option<usize>,
    /// Positions to search in parallel
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Result of a metric: the JSON and the text.
type Found = (Value, String);

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    match &arguments.command {
        Command::Value(value) => measure(&value.options, &value.player, |tested| value::run(tested, value)),
        Command::Human(human) => measure(&human.options, &human.player, |tested| human::run(tested, human)),
        Command::Agreement(agreement) => {
            measure(&agreement.options, &agreement.player, |tested| agreement::run(tested, agreement))
        }
        Command::References(references) => references::run(references),
    }
}

/// Measures something about a player and prints it with its conditions.
fn measure(
    options: &MetricOptions,
    player: &PlayerSpecification,
    metric: impl FnOnce(&Tested<'_>) -> Result<Found>,
) -> Result<ExitCode> {
    let started = Instant::now();
    let (mut result, text) =
        metric(&Tested { player: player.contestant_for_positions()?, options, stop: stop_on_interrupt()? })?;
    result["player"] = json!(player.to_string());
    result["pace"] = json!(player.pace.to_string());
    result["machine"] = json!(machine());
    result["identity"] = json!(identity(player));
    result["sample"] = json!(options.sample);
    result["program"] = json!(program());
    result["seconds"] = json!(started.elapsed().as_secs_f64());
    let shown = if options.json {
        json_of(&result)?
    } else {
        format!("{player}, {} a position\n{text}\n{}", player.pace, machine())
    };
    print_result(&shown)
}

/// The player under test, with its limits.
struct Tested<'a> {
    player: Contestant,
    options: &'a MetricOptions,
    stop: StopSignal,
}

impl Tested<'_> {
    /// Runs a panel of the player, or of another one, with a progress bar.
    fn with_panel<A>(
        &self,
        contestant: &Contestant,
        bar: &ProgressBar,
        work: impl FnOnce(&Panel<'_>) -> Result<A, PanelError>,
    ) -> Result<A> {
        let threads = usize::from(self.options.threads);
        let panel = Panel { contestant, threads, stop: &self.stop, observe: &|| bar.inc(1) };
        let answers = work(&panel)?;
        bar.finish_and_clear();
        Ok(answers)
    }

    /// The player's move in every position.
    fn moves<Q: Sync>(&self, questions: &[Q], game: impl Fn(&Q) -> &Game + Sync) -> Result<Answers<Move>> {
        self.moves_of(&self.player, questions, game)
    }

    /// Another player's move in every position.
    fn moves_of<Q: Sync>(
        &self,
        player: &Contestant,
        questions: &[Q],
        game: impl Fn(&Q) -> &Game + Sync,
    ) -> Result<Answers<Move>> {
        self.with_panel(player, &bar(questions.len(), "positions"), |panel| {
            panel.ask(questions, |player, limits, question| {
                Ok(player.choose(game(question), limits, panel.stop)?.chess_move)
            })
        })
    }
}
