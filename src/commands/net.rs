//! `tabiya net`.

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::Context as _;
use chess::{CastlingMode, EvaluationRequest, Game, Move, shakmaty::san::San};
use network::{
    Device, DeviceKind, NetworkEvaluator, ValueTarget, Weights,
    train::{StoreSamples, validate},
};
use serde_json::json;

use super::train::validation_lines;

/// Inspect networks.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: tabiya net eval runs/first/network.tabiya --fen '8/8/8/8/8/4k3/4p3/4K3 w - - 0 1'"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Shape, size and origin of a network.
    Info {
        /// The weights file.
        network: PathBuf,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Value and policy of one position.
    Eval {
        /// The weights file.
        network: PathBuf,
        /// The position.
        #[arg(long, default_value = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")]
        fen: String,
        /// Where to compute: cpu, cuda, vulkan or metal.
        #[arg(long, default_value = "cpu")]
        device: DeviceKind,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// How well a network predicts the held-out samples of a store, beside trivial predictors.
    Validate {
        /// The weights file.
        network: PathBuf,
        /// The sample store.
        store: PathBuf,
        /// About how many samples, spread evenly over the store.
        #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
        positions: u32,
        /// What the value is compared with.
        #[arg(long, value_enum, default_value_t = Target::Evaluation)]
        value: Target,
        /// Where to compute: cpu, cuda, vulkan or metal.
        #[arg(long, default_value = "cpu")]
        device: DeviceKind,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Labels a value can be compared with.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Target {
    /// The engine's evaluation.
    Evaluation,
    /// The game's result.
    Result,
}

impl From<Target> for ValueTarget {
    fn from(target: Target) -> Self {
        match target {
            Target::Evaluation => Self::Evaluation,
            Target::Result => Self::Result,
        }
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let text = match &arguments.command {
        Command::Info { network, json } => info(&Weights::read(network)?, *json)?,
        Command::Eval { network, fen, device, json } => {
            let evaluator = NetworkEvaluator::new(&Weights::read(network)?, &Device::open(*device)?)?;
            evaluate(&evaluator, fen, *json)?
        }
        Command::Validate { network, store, positions, value, device, json } => {
            let weights = Weights::read(network)?;
            let samples = StoreSamples::open(store, &weights.spec)?;
            let device = Device::open(*device)?;
            let validation = validate(&weights, &samples, *positions as usize, (*value).into(), &device)?;
            if *json {
                serde_json::to_string_pretty(&validation)?
            } else {
                format!(
                    "held-out positions of {} (in brackets: uniform policy, always the mean value)\n{}",
                    store.display(),
                    validation_lines(&validation).join("\n")
                )
            }
        }
    };
    writeln!(std::io::stdout(), "{text}").context("cannot write to stdout")?;
    Ok(ExitCode::SUCCESS)
}

fn info(weights: &Weights, json: bool) -> anyhow::Result<String> {
    let parameters = weights.parameter_count();
    if json {
        let value =
            json!({ "spec": weights.spec, "parameters": parameters, "provenance": weights.provenance });
        return Ok(serde_json::to_string_pretty(&value)?);
    }
    let network::Provenance {
        name, data, commit, hardware, seed, steps, positions, seconds, metrics, ..
    } = &weights.provenance;
    let metrics: Vec<String> = metrics.iter().map(|(name, value)| format!("  {name} = {value:.4}")).collect();
    Ok(format!(
        "{name}: {}, {parameters} parameters\n\n{}\ntrained: {steps} steps, {positions} positions, {:.0} minutes, seed \
         {seed}\non: {hardware}\ndata: {data}\nprogram: {commit}\nheld out:\n{}",
        weights.spec.shape_name(),
        weights.spec.to_toml()?,
        seconds / 60.0,
        metrics.join("\n"),
    ))
}

fn evaluate(evaluator: &NetworkEvaluator, fen: &str, json: bool) -> anyhow::Result<String> {
    use chess::Evaluator as _;
    let game = Game::from_fen(fen, CastlingMode::Standard)?;
    let legal_moves: Vec<Move> = game.legal_moves().into_iter().collect();
    if let (Some(outcome), true) = (game.outcome(), legal_moves.is_empty()) {
        anyhow::bail!("{fen}: the game is over ({outcome:?}): expected a position with a legal move");
    }
    let answers = evaluator.evaluate(&[EvaluationRequest { game: &game, legal_moves: &legal_moves }])?;
    let answer = answers.into_iter().next().context("the network gave no answer")?;
    let mut moves: Vec<(Move, f32)> = legal_moves.into_iter().zip(answer.priors).collect();
    moves.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named: Vec<(String, String, f32)> = moves
        .into_iter()
        .map(|(chess_move, prior)| {
            let uci = chess_move.to_uci(game.castling_mode()).to_string();
            (uci, San::from_move(game.position(), chess_move).to_string(), prior)
        })
        .collect();
    if json {
        let policy: Vec<_> =
            named.iter().map(|(uci, san, prior)| json!({ "uci": uci, "san": san, "prior": prior })).collect();
        let value =
            json!({ "fen": fen, "evaluator": evaluator.describe(), "wdl": answer.wdl, "policy": policy });
        return Ok(serde_json::to_string_pretty(&value)?);
    }
    let wdl = answer.wdl;
    let rows: Vec<String> =
        named.iter().map(|(uci, san, prior)| format!("{uci:6} {san:8} {:6.2} %", 100.0 * prior)).collect();
    Ok(format!(
        "{}\nfor the side to move: win {:.1} %, draw {:.1} %, loss {:.1} %\n{}",
        evaluator.describe(),
        100.0 * wdl.win,
        100.0 * wdl.draw,
        100.0 * wdl.loss,
        rows.join("\n")
    ))
}
