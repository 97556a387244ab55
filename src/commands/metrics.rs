//! `tabiya metrics`.

mod value;

use std::{io::Write as _, path::PathBuf, process::ExitCode, time::Instant};

use anyhow::{Context as _, Result, bail, ensure};
use chess::{Move, StopSignal};
use serde_json::{Value, json};
use strength::{
    Contestant,
    metrics::{
        AgreementTable, CentipawnLoss, HumanMatch, JudgedPosition,
        agreement::{AgreementColumns, AgreementPosition, read_positions},
        human::{HumanPosition, read_human},
        loss::losses,
    },
    panel::{Reply, ask},
    player::MaterialPlayer,
};

use crate::{
    commands::suite::{bar, sampled},
    machine::{machine, program},
    player::{PlayerSpecification, help, identity},
};

/// Compare a player's moves with those of people and engines, and its expected scores with results.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{}\n\nExamples:\n  tabiya metrics human default,nodes=1 games.pgn.zst --judge \
    uci=stockfish,nodes=10000\n  tabiya metrics agreement default,nodes=800 positions.csv --first sf_a_move --second \
    sf_b_move --compare human_move", help()))]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Agreement with human moves by rating, and centipawn loss. As in the Maia paper: both players in one band of 100 points,
    /// no opening moves, no moves in time trouble
    Human {
        /// Player
        player: PlayerSpecification,
        /// Games with ratings: PGN (plain, .gz or .zst), or a sample store, of which the validation split is used
        games: PathBuf,
        /// Maximum positions per game
        #[arg(long, default_value_t = 4, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
        per_game: u16,
        /// Engine that evaluates the moves for centipawn loss
        #[arg(long, value_name = "PLAYER")]
        judge: Option<PlayerSpecification>,
        #[command(flatten)]
        how: How,
    },
    /// Calibration of the player's expected scores against game results, beside simple baselines
    Value(value::Arguments),
    /// Agreement with the moves of two references, beside a random and a greedy mover; with precision, recall and F1 as the
    /// COGS188 project defined them
    Agreement {
        /// Player
        player: PlayerSpecification,
        /// CSV file with a header line: positions and moves
        positions: PathBuf,
        /// Column with the position, a FEN
        #[arg(long, default_value = "fen", value_name = "COLUMN")]
        fen: String,
        /// Column with the game of a position
        #[arg(long, default_value = "game_id", value_name = "COLUMN")]
        group: String,
        /// Column with the first reference's moves, in UCI notation
        #[arg(long, value_name = "COLUMN")]
        first: String,
        /// Column with the second reference's moves
        #[arg(long, value_name = "COLUMN")]
        second: String,
        /// Column with another player's moves to compare; may be repeated
        #[arg(long, value_name = "COLUMN")]
        compare: Vec<String>,
        #[command(flatten)]
        how: How,
    },
}

/// What all metrics share.
#[derive(Debug, clap::Args)]
struct How {
    /// Use about N positions, evenly spread
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    sample: Option<u32>,
    /// Positions to search in parallel
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let stop = StopSignal::default();
    let signal = stop.clone();
    ctrlc::set_handler(move || signal.stop()).context("cannot watch for Ctrl-C")?;
    let started = Instant::now();
    let (how, player, mut result, text) = match &arguments.command {
        Command::Value(arguments) => {
            let panel = Panel { player: opened(&arguments.player)?, how: &arguments.how, stop: &stop };
            let (result, text) = value::run(&panel, arguments)?;
            (&arguments.how, &arguments.player, result, text)
        }
        Command::Human { player, games, per_game, judge, how } => {
            let (found, bad) = read_human(games, usize::from(*per_game))?;
            ensure!(!found.is_empty(), "{}: no position of two players in one rating band", games.display());
            let panel = Panel { player: opened(player)?, how, stop: &stop };
            let (mut result, text) = human(&panel, &sampled(found, how.sample), judge.as_ref(), bad)?;
            result["source"] = json!(games.display().to_string());
            (how, player, result, text)
        }
        Command::Agreement { player, positions, fen, group, first, second, compare, how } => {
            let columns = AgreementColumns {
                group: group.clone(),
                fen: fen.clone(),
                first: first.clone(),
                second: second.clone(),
                others: compare.clone(),
            };
            let positions = sampled(read_positions(positions, &columns)?, how.sample);
            let panel = Panel { player: opened(player)?, how, stop: &stop };
            let (result, text) = agreement(&panel, &player.to_string(), &positions)?;
            (how, player, result, text)
        }
    };
    result["player"] = json!(player.to_string());
    result["pace"] = json!(player.pace.to_string());
    result["machine"] = json!(machine());
    result["identity"] = json!(identity(player));
    result["sample"] = json!(how.sample);
    result["program"] = json!(program());
    result["seconds"] = json!(started.elapsed().as_secs_f64());
    let shown = if how.json {
        serde_json::to_string_pretty(&result)?
    } else {
        format!("{player}, {} a position\n{text}\n{}", player.pace, machine())
    };
    writeln!(std::io::stdout(), "{shown}").context("cannot write the result to standard output")?;
    Ok(ExitCode::SUCCESS)
}

fn opened(player: &PlayerSpecification) -> Result<Contestant> {
    let contestant = player.contestant()?;
    ensure!(
        contestant.pace.clock.is_none(),
        "tc is a clock for a game; positions need nodes, depth or movetime"
    );
    Ok(contestant)
}

/// A player and how it is asked.
struct Panel<'a> {
    player: Contestant,
    how: &'a How,
    stop: &'a StopSignal,
}

impl Panel<'_> {
    fn threads(&self) -> (usize, &StopSignal) {
        (usize::from(self.how.threads), self.stop)
    }

    /// The player's move in every position.
    fn moves<Q: Sync>(
        &self,
        questions: &[Q],
        game: impl Fn(&Q) -> &chess::Game + Sync,
    ) -> Result<Vec<Reply<Move>>> {
        let bar = bar(questions.len(), "positions");
        let replies = ask(
            &self.player,
            questions,
            self.threads(),
            |player, limits, question| Ok(player.choose(game(question), limits, self.stop)?.chess_move),
            &mut || bar.inc(1),
        )?;
        bar.finish_and_clear();
        match replies.into_iter().collect() {
            Some(replies) if !self.stop.is_stopped() => Ok(replies),
            _ => bail!("interrupted; a metric counts only as a whole"),
        }
    }
}

fn human(
    panel: &Panel<'_>,
    positions: &[HumanPosition],
    judge: Option<&PlayerSpecification>,
    bad_games: u64,
) -> Result<(Value, String)> {
    let replies = panel.moves(positions, |position| &position.game)?;
    let matched = HumanMatch::new(positions, &replies).context("no position was left")?;
    let losses = match judge {
        Some(judge) => judged(panel, judge, positions, &replies)?,
        None => Vec::new(),
    };
    let mut lines = vec![format!("moves of people found\n{matched}")];
    lines.extend(losses.iter().map(ToString::to_string));
    if bad_games > 0 {
        lines.push(format!("  {bad_games} broken games were skipped"));
    }
    let text = lines.join("\n");
    let judge = judge.map(ToString::to_string);
    let value = json!({ "kind": "tabiya-human-1", "matched": matched, "losses": losses, "judge": judge, "bad_games": bad_games });
    Ok((value, text))
}

/// The centipawns that the player loses, and those that people and simple movers lose in the same positions.
fn judged(
    panel: &Panel<'_>,
    judge: &PlayerSpecification,
    positions: &[HumanPosition],
    replies: &[Reply<Move>],
) -> Result<Vec<CentipawnLoss>> {
    let movers = ["player", "people", "random", "first legal", "material"];
    let question = |(index, (position, reply)): (usize, (&HumanPosition, &Reply<Move>))| {
        let answer = match reply {
            Reply::Answer(chess_move) => Some(*chess_move),
            Reply::Failure(_) => None,
        };
        // One random and one greedy mover, the same in every run: a multiplicative hash picks their moves.
        let pick = ((index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as usize;
        let of = |moves: &[Move]| moves.get(pick % moves.len().max(1)).copied();
        let legal = position.game.legal_moves();
        let greedy = of(&MaterialPlayer::best_moves(&position.game));
        JudgedPosition {
            game_number: position.game_number,
            game: position.game.clone(),
            played: vec![answer, Some(position.played), of(&legal), legal.first().copied(), greedy],
        }
    };
    let questions: Vec<JudgedPosition> = positions.iter().zip(replies).enumerate().map(question).collect();
    let bar = bar(questions.len(), "positions judged");
    let found = losses(&opened(judge)?, &questions, panel.threads(), &mut || bar.inc(1))?;
    bar.finish_and_clear();
    ensure!(!panel.stop.is_stopped(), "interrupted; a metric counts only as a whole");
    let sums = movers.into_iter().enumerate();
    Ok(sums.filter_map(|(mover, name)| CentipawnLoss::new(name, mover, &questions, &found)).collect())
}

fn agreement(panel: &Panel<'_>, name: &str, positions: &[AgreementPosition]) -> Result<(Value, String)> {
    let replies = panel.moves(positions, |position| &position.game)?;
    let moves: Vec<Move> = replies
        .into_iter()
        .map(|reply| match reply {
            Reply::Answer(chess_move) => Ok(chess_move),
            Reply::Failure(error) => Err(error),
        })
        .collect::<Result<_, _>>()
        .context("a move is missing")?;
    let rows = AgreementPosition::rows(positions, &moves);
    let table = AgreementTable::new(name, &rows).context("no position was left")?;
    let baselines = AgreementPosition::baselines(positions);
    let text =
        std::iter::once(&table).chain(&baselines).map(ToString::to_string).collect::<Vec<_>>().join("\n");
    Ok((json!({ "kind": "tabiya-agreement-1", "table": table, "baselines": baselines }), text))
}
