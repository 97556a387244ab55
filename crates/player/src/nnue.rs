//! Stockfish networks as evaluators: each position gets the value of a quiescence search instead of a single evaluation.

use std::{path::Path, sync::Arc};

use chess::{Chess, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Move, PositionEvaluator, Wdl};
use dataset::evaluation::evaluation_to_wdl;
use network::FreeList;
use network::nnue::{Judge, Nnue};
use protocol::process::{UciProcess, UciProcessConfig};
use search::temperature::temper;

use crate::error::OpenError;

/// True if a file is a Stockfish network.
pub fn is_nnue(net: &str) -> bool {
    network::nnue::is_network(Path::new(net))
}

/// Opens a Stockfish network.
///
/// # Errors
/// [`OpenError::Nnue`] if the file is of another shape or cannot be used.
pub fn open_nnue(net: &str) -> Result<Arc<Nnue>, OpenError> {
    Ok(Arc::new(Nnue::read(Path::new(net))?))
}

/// The network inside a UCI engine, as the file that the engine writes on `export_net`; `scratch` is a path for that file, which
/// must not contain spaces.
///
/// # Errors
/// [`OpenError::Engine`] if the engine cannot be started, [`OpenError::NoExport`] if it writes nothing, [`OpenError::Nnue`] if the
/// network is of another shape.
pub fn extract_nnue(engine: &str, scratch: &Path) -> Result<Vec<u8>, OpenError> {
    let mut process = UciProcess::spawn(&UciProcessConfig::new(engine))
        .map_err(|error| OpenError::engine(engine, error))?;
    let exported = process.export_network(scratch).map_err(|error| OpenError::engine(engine, error));
    // Read even if the export failed: the file is removed in either case, and the engine's error is the one to report.
    let bytes = files::read_at_most(scratch, files::LARGEST_FILE);
    // A file that cannot be removed does no harm: the next export replaces it.
    let _ = std::fs::remove_file(scratch);
    exported?;
    let bytes = bytes.map_err(|error| OpenError::NoExport {
        engine: engine.into(),
        name: process.name().into(),
        path: scratch.into(),
        error,
    })?;
    Nnue::from_bytes(&bytes, &format!("the network of {}", process.name()))?;
    Ok(bytes)
}

/// Values and priors by [`Judge`]: the value is the best move's through the curve of training labels ([`evaluation_to_wdl`]).
pub(crate) struct NnueEvaluator {
    nnue: Arc<Nnue>,
    description: String,
    judges: FreeList<Judge>,
}

impl NnueEvaluator {
    /// Opens a file.
    pub(crate) fn open(net: &str) -> Result<Self, OpenError> {
        let nnue = open_nnue(net)?;
        let description = format!("{net} and captures, on cpu ({})", nnue.kernels());
        Ok(Self { nnue, description, judges: FreeList::default() })
    }

    fn new_judge(&self) -> Judge {
        Judge::new(Arc::clone(&self.nnue))
    }
}

impl Evaluator for NnueEvaluator {
    fn describe(&self) -> String {
        self.description.clone()
    }

    fn evaluate(&self, batch: &[EvaluationRequest<'_>]) -> Result<Vec<Evaluation>, EvaluatorError> {
        Ok(self.judges.with(
            || self.new_judge(),
            |judge| batch.iter().map(|request| evaluation(judge, request)).collect(),
        ))
    }

    fn history(&self) -> usize {
        1
    }

    fn position_evaluator(&self) -> Option<Box<dyn PositionEvaluator + '_>> {
        Some(Box::new(ThreadEvaluator(self.new_judge())))
    }
}

/// The evaluation of a position by a search of captures after each move.
fn evaluation(judge: &mut Judge, request: &EvaluationRequest<'_>) -> Evaluation {
    let judgement = judge.judge(request.game.position(), request.legal_moves);
    let wdl = evaluation_to_wdl(judgement.score);
    Evaluation { wdl, priors: judgement.shares, moves_left: None }
}

/// A thread's evaluator of single positions.
struct ThreadEvaluator(Judge);

impl PositionEvaluator for ThreadEvaluator {
    fn static_value(&mut self, position: &Chess) -> Wdl {
        evaluation_to_wdl(self.0.static_score(position))
    }

    fn value(&mut self, position: &Chess) -> Wdl {
        let legal_moves: Vec<Move> = chess::Position::legal_moves(position).into_iter().collect();
        evaluation_to_wdl(self.0.judge(position, &legal_moves).score)
    }

    fn priors(&mut self, position: &Chess, legal_moves: &[Move], temperature: f32, priors: &mut Vec<f32>) {
        *priors = self.0.judge(position, legal_moves).shares;
        temper(priors, temperature);
    }
}

#[cfg(test)]
mod tests {
    use chess::{Game, laws};

    use super::*;

    #[test]
    fn judgements_are_evaluations() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("synthetic.nnue");
        std::fs::write(&path, network::nnue::synthetic::file(3)).unwrap();
        let evaluator = NnueEvaluator::open(&path.display().to_string()).unwrap();
        let mut games = vec![Game::default()];
        for ply in 0..12_usize {
            let mut next = games[ply].clone();
            let moves = next.legal_moves();
            next.play(moves[(7 * ply + 3) % moves.len()]).unwrap();
            games.push(next);
        }
        laws::evaluator::check(&evaluator, &games, 1e-5);
        laws::evaluator::sees_sides_alike(&evaluator, &games, 1e-5);
    }
}
