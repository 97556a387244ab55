//! Labels from a network of Stockfish's kind: the value of the best move in centipawns, and the share of each move.

use std::sync::Arc;

use chess::{Game, Move, StopSignal};
use dataset::{Label, PolicyLabel, record::SearchEffort};
use nnue::{Judge, Judgement, Nnue};

use super::{Labeller, policy::by_share};
use crate::LabellingError;

/// A judge and the name of its network.
pub(super) struct NnueLabeller {
    name: String,
    judge: Judge,
}

impl NnueLabeller {
    pub(super) fn new(name: String, nnue: Arc<Nnue>) -> Self {
        Self { name, judge: Judge::new(nnue) }
    }
}

impl Labeller for NnueLabeller {
    fn name(&self) -> &str {
        &self.name
    }

    fn forget(&mut self) -> Result<(), LabellingError> {
        Ok(())
    }

    fn label(&mut self, game: &Game, _stop: &StopSignal) -> Result<Label, LabellingError> {
        let legal_moves: Vec<Move> = game.legal_moves().into_iter().collect();
        if legal_moves.is_empty() {
            return Err(LabellingError::NoMove { fen: game.fen() });
        }
        let Judgement { score, shares } = self.judge.judge(game.position(), &legal_moves);
        let (best_move, visits) =
            by_share(&legal_moves, &shares).ok_or_else(|| LabellingError::NoMove { fen: game.fen() })?;
        Ok(Label {
            best_move,
            evaluation: Some(score),
            policy: PolicyLabel::Visits(visits),
            search_value: None,
            effort: SearchEffort { depth: Some(1), nodes: None },
        })
    }
}
