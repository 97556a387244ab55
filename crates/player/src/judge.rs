//! UCI engines as evaluators of a search, in place of a network.

use std::time::Duration;

use chess::{Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Limits, Move};
use dataset::{POLICY_TEMPERATURE, PolicyLabel, evaluation::evaluation_to_wdl, packed_move::PackedMove};
use network::FreeList;
use protocol::{
    Answer,
    process::{Timeouts, UciProcess, UciProcessConfig, UciProcessError},
};

use crate::{
    error::{OpenError, SpecificationError},
    specification::{PlayerSpecification, Subject},
};

/// The prefix of the name of an evaluator that is an engine.
const PREFIX: &str = "uci:";

/// Timeout of one evaluation: a search needs many, so an engine slower than this is treated as hung.
const LONGEST: Duration = Duration::from_mins(1);

/// True if the name of an evaluator is that of an engine.
pub(crate) fn is_engine(net: &str) -> bool {
    net.starts_with(PREFIX)
}

/// The engine that a name such as `uci:stockfish:nodes=1000:option.MultiPV=4` describes: the specification of a player with colons
/// instead of commas. Colons in paths stay: only a colon before `KEY=` is a separator.
///
/// # Errors
/// [`SpecificationError`] as for players, and for limits that depend on time.
pub(crate) fn engine(net: &str) -> Result<PlayerSpecification, SpecificationError> {
    let mut text = String::from("uci=");
    for (place, part) in net.strip_prefix(PREFIX).unwrap_or(net).split(':').enumerate() {
        if place > 0 {
            text.push(if part.contains('=') { ',' } else { ':' });
        }
        text.push_str(part);
    }
    let engine = PlayerSpecification::read(&text, |first| {
        let subject = Subject::engine(first).ok_or_else(|| SpecificationError::NoValue("uci".into()))?;
        Ok(PlayerSpecification::new(subject))
    })?;
    if engine.pace.clock.is_some() || engine.pace.move_time.is_some() || engine.name != engine.text {
        return Err(SpecificationError::NotOfJudge);
    }
    Ok(engine)
}

/// Values and priors from a UCI engine.
///
/// The value is the engine's score through the curve of training labels ([`evaluation_to_wdl`]). The prior of
/// the engine's move is 1; if the engine reports several lines (its option `MultiPV`), their moves share it
/// by the rule of policy labels, a softmax of expected scores with the temperature [`POLICY_TEMPERATURE`].
/// The engine receives `ucinewgame` before each position, so that answers do not depend on earlier positions;
/// an engine that plays at random is still random.
pub(crate) struct EngineJudge {
    config: UciProcessConfig,
    limits: Limits,
    description: String,
    /// `None` for an engine that was lost to an error.
    engines: FreeList<Option<UciProcess>>,
}

impl EngineJudge {
    /// Starts an engine.
    ///
    /// # Errors
    /// [`OpenError::Judge`] if the name is not that of an engine, [`OpenError::Engine`] if it cannot be started.
    pub(crate) fn open(net: &str) -> Result<Self, OpenError> {
        let specification =
            engine(net).map_err(|error| OpenError::Judge { net: net.into(), error: Box::new(error) })?;
        let process = specification.process().expect("the text begins with uci=");
        let timeouts = Timeouts { search: LONGEST, ..Timeouts::default() };
        let config = UciProcessConfig { timeouts, ..process };
        let process = UciProcess::spawn(&config).map_err(|error| OpenError::engine(net, error))?;
        let description = format!("{} ({}) as evaluator", process.name(), specification.pace);
        let limits = specification.pace.limits();
        let engines = FreeList::default();
        engines.with(|| Some(process), |_| ());
        Ok(Self { config, limits, description, engines })
    }

    /// Evaluates all positions with one engine. After an error the engine is discarded, and the next batch
    /// starts another.
    fn ask(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Answer>, UciProcessError> {
        self.engines.with(|| None, |engine| self.ask_engine(engine, batch))
    }

    /// Evaluates all positions with this engine, or with a new one where there is none.
    fn ask_engine(
        &self,
        engine: &mut Option<UciProcess>,
        batch: &[EvaluationRequest<'_>],
    ) -> Result<Vec<Answer>, UciProcessError> {
        // Put back only at the end: after an error the engine may still be searching, and the answer to the last position would be taken
        // for that to the next one. From here on an early return drops the process, which ends it.
        let mut process = engine.take().map_or_else(|| UciProcess::spawn(&self.config), Ok)?;
        let mut answers = Vec::with_capacity(batch.len());
        for request in batch {
            process.new_game()?;
            answers.push(process.go(request.game, &self.limits)?);
        }
        *engine = Some(process);
        Ok(answers)
    }
}

impl EngineJudge {
    fn failure(&self, batch: usize, reason: String) -> EvaluatorError {
        EvaluatorError { evaluator: self.description.clone(), batch, reason }
    }
}

impl Evaluator for EngineJudge {
    fn describe(&self) -> String {
        self.description.clone()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        let answers = self.ask(batch).map_err(|error| self.failure(batch.len(), error.to_string()))?;
        let mut evaluations = Vec::with_capacity(batch.len());
        for (request, answer) in batch.iter().zip(&answers) {
            let evaluation = judgement(request, answer).ok_or_else(|| {
                self.failure(batch.len(), format!("no score for the position {}", request.game.fen()))
            })?;
            evaluations.push(evaluation);
        }
        Ok(evaluations)
    }
}

/// The evaluation in an answer; `None` without a score.
fn judgement(request: &EvaluationRequest<'_>, answer: &Answer) -> Option<Evaluation> {
    let (score, lines) = answer.judgement(request.game)?;
    let shares = if lines.len() > 1 {
        let lines = lines.iter().map(|&(first, score)| (PackedMove::pack(first), score));
        PolicyLabel::Scores(lines.collect()).probabilities(POLICY_TEMPERATURE)
    } else {
        vec![(PackedMove::pack(answer.best), 1.0)]
    };
    let priors = priors(request.legal_moves, &shares);
    Some(Evaluation { wdl: evaluation_to_wdl(score), priors, moves_left: None })
}

/// The share of a move; 0 for a move that the engine did not report.
fn share_of(chess_move: Move, shares: &[(PackedMove, f32)]) -> f32 {
    let packed = PackedMove::pack(chess_move);
    shares.iter().find(|(known, _)| *known == packed).map_or(0.0, |&(_, share)| share)
}

/// The shares in the order of the moves; equal if none of the moves has one, as when a search considers only some moves.
fn priors(moves: &[Move], shares: &[(PackedMove, f32)]) -> Vec<f32> {
    let mut priors: Vec<f32> = moves.iter().map(|&chess_move| share_of(chess_move, shares)).collect();
    let sum: f32 = priors.iter().sum();
    for prior in &mut priors {
        *prior = if sum > 0.0 { *prior / sum } else { 1.0 / moves.len() as f32 };
    }
    priors
}

#[cfg(test)]
mod tests {
    use chess::{Game, Score, notation::parse_uci_move};
    use protocol::{Info, Response};

    use super::*;

    fn answer(game: &Game, best: &str, lines: &[&str]) -> Answer {
        let info = |line: &&str| match line.parse() {
            Ok(Response::Info(info)) => *info,
            other => panic!("{line}: {other:?}"),
        };
        let infos: Vec<Info> = lines.iter().map(info).collect();
        let best = parse_uci_move(game.position(), best).unwrap();
        Answer { best, ponder: None, infos, nodes: Some(100), elapsed: Duration::ZERO }
    }

    fn judged(best: &str, lines: &[&str], moves: &[Move]) -> Option<Evaluation> {
        let game = Game::default();
        judgement(&EvaluationRequest { game: &game, legal_moves: moves }, &answer(&game, best, lines))
    }

    fn moves(names: &[&str]) -> Vec<Move> {
        names.iter().map(|name| parse_uci_move(Game::default().position(), name).unwrap()).collect()
    }

    #[test]
    fn the_move_of_the_engine_has_the_whole_prior_and_its_score_is_the_value() {
        let moves = moves(&["a2a3", "e2e4", "d2d4"]);
        let found = judged("e2e4", &["info depth 3 score cp 100 pv e2e4"], &moves).unwrap();
        assert_eq!(found.priors, [0.0, 1.0, 0.0]);
        assert_eq!(found.wdl, evaluation_to_wdl(Score::Centipawns(100)));
    }

    #[test]
    fn several_lines_share_the_prior_by_the_rule_of_labels() {
        let moves = moves(&["d2d4", "a2a3", "e2e4"]);
        let lines = ["info multipv 1 score cp 20 pv e2e4", "info multipv 2 score cp 0 pv d2d4"];
        let found = judged("e2e4", &lines, &moves).unwrap();
        let expected = |centipawns| evaluation_to_wdl(Score::Centipawns(centipawns)).expected_score();
        let ratio = ((expected(20) - expected(0)) / POLICY_TEMPERATURE).exp();
        assert!((found.priors[2] / found.priors[0] - ratio).abs() < 1e-4, "{:?}", found.priors);
        assert!((found.priors.iter().sum::<f32>() - 1.0).abs() < 1e-6 && found.priors[1] == 0.0);
    }

    #[test]
    fn moves_that_the_engine_does_not_name_are_alike_and_no_score_is_no_judgement() {
        let others = moves(&["a2a3", "b2b3"]);
        assert_eq!(judged("e2e4", &["info score cp 1 pv e2e4"], &others).unwrap().priors, [0.5, 0.5]);
        assert_eq!(judged("e2e4", &["info depth 1 pv e2e4"], &others), None);
    }

    #[test]
    fn names_are_players_with_colons() {
        let parsed = |text: &str| engine(text).unwrap();
        let stockfish = parsed("uci:stockfish:nodes=100:option.MultiPV=4:arg=-x");
        let process = stockfish.process().unwrap();
        assert_eq!((process.command.as_str(), process.arguments), ("stockfish", vec!["-x".to_string()]));
        assert_eq!((stockfish.pace.nodes, stockfish.options.len()), (Some(100), 1));
        let path = parsed(r"uci:C:\engines\fish.exe:depth=2:option.SyzygyPath=D:\tables");
        let process = path.process().unwrap();
        assert_eq!((process.command.as_str(), process.arguments), (r"C:\engines\fish.exe", Vec::new()));
        assert_eq!(path.options, [("SyzygyPath".to_string(), r"D:\tables".to_string())]);
        let refused = |text: &str| engine(text).unwrap_err().to_string();
        assert!(refused("uci:stockfish").contains("needs one of nodes, depth"));
        for other in ["movetime=10", "tc=10+1", "nodes=1:name=x"] {
            assert!(refused(&format!("uci:stockfish:{other}")).contains("nodes or depth"), "{other}");
        }
        assert!(refused("uci:stockfish:node=10").contains("unknown key \"node\""));
        assert!(refused("uci:").contains("uci: the value is missing"));
    }
}
