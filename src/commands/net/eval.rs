use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::{Context as _, ensure};
use chess::{
    Evaluation, EvaluationRequest, Evaluator, Game, Limits, Move, PlayerRatings, StopSignal, Thinker, Wdl,
    diagram::svg, shakmaty::san::San,
};
use dataset::wdl_to_centipawns;
use figures::Percent;
use network::ValueKind;
use player::{SearchSetup, network_files, open_evaluator, weights_of};
use serde::Serialize;

use super::{PositionArguments, write_drawing};
use crate::commands::{engine_arguments::named_evaluators, file_kinds::SVG};

/// Moves of a tree that are drawn.
const BRANCHES: &str = "60";

/// Print value and policy of a position, without search.
///
/// For a network without a policy or a value, this is reported instead of equal shares or a draw; a value of one number is printed
/// as the network outputs it. --svg draws the board with an arrow for each likely move; --tree searches the position with this network
/// and draws the most visited moves.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tabiya net eval default --fen '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1'
  tabiya net eval maia-1900.pb.gz --moves e2e4 e7e5 g1f3 --json
  tabiya net eval human --rating 1100 --opponent-rating 1500
  tabiya net eval mlx --moves e2e4 e7e5 --svg board.svg
  tabiya net eval mlx --nodes 400 --tree tree.svg")]
pub(super) struct Arguments {
    #[arg(help = named_evaluators())]
    network: String,
    #[command(flatten)]
    position: PositionArguments,
    /// Rating of the side to move, for networks that take ratings as input; others ignore it
    #[arg(long, value_name = "ELO", value_parser = clap::value_parser!(u16).range(1..=4000))]
    rating: Option<u16>,
    /// Rating of its opponent. Default: that of --rating
    #[arg(long, value_name = "ELO", requires = "rating", value_parser = clap::value_parser!(u16).range(1..=4000))]
    opponent_rating: Option<u16>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw the board to this file, with arrows for the likeliest moves
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Search and draw the tree to this file
    #[arg(long, value_name = "FILE")]
    tree: Option<PathBuf>,
    /// Nodes of the search
    #[arg(long, value_name = "N", requires = "tree", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

impl Arguments {
    /// The game up to the position, with the ratings of its players.
    fn game(&self) -> anyhow::Result<Game> {
        let game = self.position.game()?;
        let Some(rating) = self.rating else { return Ok(game) };
        let opponent = self.opponent_rating.unwrap_or(rating);
        let [white, black] =
            if game.turn().is_white() { [rating, opponent] } else { [opponent, rating] }.map(Some);
        Ok(game.with_ratings(PlayerRatings { white, black }))
    }
}

/// JSON output, most likely move first. Values are for the side to move.
#[derive(Serialize)]
struct Answer<'a> {
    evaluator: String,
    fen: &'a str,
    moves: &'a [String],
    /// After the moves.
    position: String,
    /// `None` for a network without a value.
    wdl: Option<Wdl>,
    /// The network's own value, if that is one number; `wdl` is derived from it then.
    value: Option<Number>,
    moves_left: Option<f32>,
    /// `None` for a network without a policy.
    policy: Option<Vec<Candidate>>,
}

#[derive(Clone, Copy, Serialize)]
#[serde(tag = "unit", content = "number", rename_all = "snake_case")]
enum Number {
    Pawns(f32),
    /// Win minus loss, from -1 to 1.
    ExpectedResult(f32),
}

#[derive(Serialize)]
struct Candidate {
    uci: String,
    san: String,
    prior: f32,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    for file in arguments.svg.iter().chain(&arguments.tree) {
        SVG.check(file, &network_files(&arguments.network), Some(arguments.force))?;
    }
    let opened = open_evaluator(&arguments.network, None)?;
    let game = arguments.game()?;
    let legal_moves: Vec<Move> = game.legal_moves().into_iter().collect();
    if let (Some(outcome), true) = (game.outcome(), legal_moves.is_empty()) {
        anyhow::bail!(
            "{}: the game is over ({}), expected a position with a legal move",
            game.fen(),
            outcome.ending
        );
    }
    let request = EvaluationRequest { game: &game, legal_moves: &legal_moves };
    let answers = opened.evaluator.evaluate(&[request])?;
    let evaluation = answers.into_iter().next().context("the network gave no answer")?;
    let number = number(&arguments.network, evaluation.wdl)?;
    let answer = answer(arguments, opened.evaluator.as_ref(), request, &evaluation, number);
    let text = if arguments.json { serde_json::to_string_pretty(&answer)? } else { answer.text() };
    writeln!(std::io::stdout(), "{text}")?;
    if let Some(file) = &arguments.svg {
        let has_policy = opened.evaluator.heads().policy;
        let arrows: Vec<(Move, f32)> =
            legal_moves.iter().copied().zip(evaluation.priors).filter(|_| has_policy).collect();
        let drawn = svg::board(game.position(), game.turn(), &arrows, &answer.summary());
        write_drawing(file, &drawn)?;
    }
    if let Some(file) = &arguments.tree {
        let options = [("Branches".to_owned(), BRANCHES.to_owned())];
        let mut search = SearchSetup::new(&options)?.make_tree_search(opened.evaluator);
        let limits = Limits { nodes: Some(arguments.nodes), ..Limits::default() };
        let thinker = Thinker { game: game.clone(), limits, stop: StopSignal::default() };
        let decision = thinker.ask(search.as_mut(), &mut |_| {})?;
        ensure!(
            !decision.info.branches.is_empty(),
            "--tree: the search has visited no move; give more --nodes"
        );
        write_drawing(file, &svg::tree(&game, &decision.info))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn answer<'a>(
    arguments: &'a Arguments,
    evaluator: &dyn Evaluator,
    request: EvaluationRequest<'_>,
    evaluation: &Evaluation,
    value: Option<Number>,
) -> Answer<'a> {
    let (heads, game) = (evaluator.heads(), request.game);
    let candidates =
        request.legal_moves.iter().zip(&evaluation.priors).map(|(chess_move, &prior)| Candidate {
            uci: chess_move.to_uci(game.castling_mode()).to_string(),
            san: San::from_move(game.position(), *chess_move).to_string(),
            prior,
        });
    let mut policy: Vec<Candidate> = candidates.collect();
    policy.sort_by(|a, b| b.prior.total_cmp(&a.prior));
    Answer {
        evaluator: evaluator.describe(),
        fen: &arguments.position.fen,
        moves: &arguments.position.moves,
        position: game.fen(),
        wdl: heads.value.then_some(evaluation.wdl),
        value,
        moves_left: evaluation.moves_left,
        policy: heads.policy.then_some(policy),
    }
}

/// The value of a network whose value head has one output, from the probabilities that were derived from it.
fn number(net: &str, wdl: Wdl) -> anyhow::Result<Option<Number>> {
    Ok(match weights_of(net)?.map(|weights| weights.spec.value_kind()) {
        Some(ValueKind::Pawns { .. }) => Some(Number::Pawns(wdl_to_centipawns(wdl) / 100.0)),
        Some(ValueKind::Scalar) => Some(Number::ExpectedResult(wdl.value())),
        Some(ValueKind::Wdl | ValueKind::None) | None => None,
    })
}

fn percentages(wdl: Wdl) -> String {
    format!("win {}, draw {}, loss {}", Percent(wdl.win), Percent(wdl.draw), Percent(wdl.loss))
}

impl Answer<'_> {
    /// The value in words.
    fn summary(&self) -> String {
        match (self.value, self.wdl) {
            (Some(Number::Pawns(pawns)), _) => format!("for the side to move: {pawns:+.2} pawns"),
            (Some(Number::ExpectedResult(result)), _) => {
                format!("for the side to move: {result:+.3} (1 is a win, -1 a loss)")
            }
            (None, Some(wdl)) => format!("for the side to move: {}", percentages(wdl)),
            (None, None) => "no value: this network has none".into(),
        }
    }

    fn text(&self) -> String {
        let mut lines = vec![format!("{}: {}", self.evaluator, self.position), self.summary()];
        if let (Some(Number::Pawns(_)), Some(wdl)) = (self.value, self.wdl) {
            lines.push(format!("in a search: {}", percentages(wdl)));
        }
        lines.extend(self.moves_left.map(|plies| format!("half-moves left: {plies:.0}")));
        match &self.policy {
            Some(policy) => {
                for Candidate { uci, san, prior } in policy {
                    lines.push(format!("{uci:6} {san:8} {:8.2}", Percent(*prior)));
                }
            }
            None => lines.push("no policy: this network has none".into()),
        }
        lines.join("\n")
    }
}
