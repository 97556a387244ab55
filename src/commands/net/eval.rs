use std::{io::Write as _, process::ExitCode};

use anyhow::Context as _;
use chess::{Evaluation, EvaluationRequest, Evaluator, Game, Move, shakmaty::san::San};
use formatting::Percent;
use network::DeviceKind;
use player::open_evaluator;
use serde::Serialize;

use crate::commands::engine_arguments::{baselines, bundled_networks, device_help};

/// Print value and policy of a position, without search.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya net eval default --fen '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1'
  tabiya net eval maia-1900.pb.gz --moves e2e4 e7e5 g1f3 --json")]
pub(super) struct Arguments {
    #[arg(help = format!(
        "Network: .tabiya, lc0's .pb.gz, a bundled one: {}, or a baseline: {}", bundled_networks(), baselines()
    ))]
    network: String,
    /// Starting position as a FEN
    #[arg(long, default_value = Game::START_FEN)]
    fen: String,
    /// Moves from the starting position in UCI notation, which give the network its history
    #[arg(long, num_args = 0.., value_name = "MOVE")]
    moves: Vec<String>,
    #[arg(long, default_value_t = DeviceKind::Cpu, help = device_help())]
    device: DeviceKind,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// JSON output, most likely move first. Values are for the side to move.
#[derive(Serialize)]
struct Answer<'a> {
    evaluator: String,
    fen: &'a str,
    moves: &'a [String],
    /// After the moves.
    position: String,
    wdl: chess::Wdl,
    moves_left: Option<f32>,
    policy: Vec<Candidate>,
}

#[derive(Serialize)]
struct Candidate {
    uci: String,
    san: String,
    prior: f32,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let evaluator = open_evaluator(&arguments.network, arguments.device)?.evaluator;
    let answer = answer(arguments, evaluator.as_ref())?;
    let text = if arguments.json { serde_json::to_string_pretty(&answer)? } else { answer.text() };
    writeln!(std::io::stdout(), "{text}")?;
    Ok(ExitCode::SUCCESS)
}

fn answer<'a>(arguments: &'a Arguments, evaluator: &dyn Evaluator) -> anyhow::Result<Answer<'a>> {
    let Arguments { fen, moves, .. } = arguments;
    let mut game = Game::from_any_fen(fen)?;
    for (index, text) in moves.iter().enumerate() {
        game.play_uci(text).with_context(|| format!("--moves, number {}", index + 1))?;
    }
    let legal_moves: Vec<Move> = game.legal_moves().into_iter().collect();
    if let (Some(outcome), true) = (game.outcome(), legal_moves.is_empty()) {
        anyhow::bail!(
            "{}: the game is over ({outcome:?}): expected a position with a legal move",
            game.fen()
        );
    }
    let answers = evaluator.evaluate(&[EvaluationRequest { game: &game, legal_moves: &legal_moves }])?;
    let Evaluation { wdl, priors, moves_left } =
        answers.into_iter().next().context("the network gave no answer")?;
    let candidates = legal_moves.into_iter().zip(priors).map(|(chess_move, prior)| Candidate {
        uci: chess_move.to_uci(game.castling_mode()).to_string(),
        san: San::from_move(game.position(), chess_move).to_string(),
        prior,
    });
    let mut policy: Vec<Candidate> = candidates.collect();
    policy.sort_by(|a, b| b.prior.total_cmp(&a.prior));
    Ok(Answer { evaluator: evaluator.describe(), fen, moves, position: game.fen(), wdl, moves_left, policy })
}

impl Answer<'_> {
    fn text(&self) -> String {
        let mut lines = vec![
            format!("{}: {}", self.evaluator, self.position),
            format!(
                "for the side to move: win {}, draw {}, loss {}",
                Percent(self.wdl.win),
                Percent(self.wdl.draw),
                Percent(self.wdl.loss)
            ),
        ];
        lines.extend(self.moves_left.map(|plies| format!("half-moves left: {plies:.0}")));
        let row = |candidate: &Candidate| {
            format!("{:6} {:8} {:8.2}", candidate.uci, candidate.san, Percent(candidate.prior))
        };
        lines.extend(self.policy.iter().map(row));
        lines.join("\n")
    }
}
