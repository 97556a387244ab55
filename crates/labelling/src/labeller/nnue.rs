//! Labels from a network of Stockfish's kind: the value of the best move in centipawns and the share of each move, or the value
//! alone, by captures.

use std::sync::Arc;

use chess::{Chess, Game, Move, Score, StopSignal};
use dataset::{Label, PolicyLabel, packed_move::PackedMove, record::SearchEffort};
use nnue::{Judge, Judgement, Nnue};

use super::{Labeller, policy::by_share};
use crate::LabellingError;

/// The question put to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Value and share of every move.
    Moves,
    /// The value by captures.
    Value,
    /// The network's evaluation of the position as it stands.
    Static,
}

impl Question {
    /// The question that a search stands for, by its name and limit of nodes: one node has no captures behind it.
    pub(super) fn of(search: &str, nodes: Option<u64>) -> Option<Self> {
        match (search, nodes) {
            (super::POLICY, _) => Some(Self::Moves),
            (super::VALUE, Some(1)) => Some(Self::Static),
            (super::VALUE, _) => Some(Self::Value),
            _ => None,
        }
    }

    /// In the manifest of a store, in place of limits.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Moves => "moves and captures",
            Self::Value => "captures",
            Self::Static => "static evaluation",
        }
    }
}

/// Labels positions with Stockfish's network: value and move shares, or the value alone.
pub(super) struct NnueLabeller {
    name: String,
    judge: Judge,
    question: Question,
}

impl NnueLabeller {
    pub(super) fn new(name: String, nnue: Arc<Nnue>, question: Question) -> Self {
        Self { name, judge: Judge::new(nnue), question }
    }

    /// Score, best move and shares; where the value alone is asked for, no move is known.
    fn judge(&mut self, position: &Chess, legal_moves: &[Move]) -> Option<(Score, PackedMove, PolicyLabel)> {
        let value = match self.question {
            Question::Moves => None,
            Question::Value => Some(self.judge.quiet_score(position)),
            Question::Static => Some(self.judge.static_score(position)),
        };
        if let Some(value) = value {
            // A sample must have a legal move; the policy beside it says that it means nothing.
            let in_its_place = PackedMove::pack(*legal_moves.first()?);
            return Some((value, in_its_place, PolicyLabel::unknown(in_its_place)));
        }
        let Judgement { score, shares } = self.judge.judge(position, legal_moves);
        let (best_move, visits) = by_share(legal_moves, &shares)?;
        Some((score, best_move, PolicyLabel::Visits(visits)))
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
        let (score, best_move, policy) = self
            .judge(game.position(), &legal_moves)
            .ok_or_else(|| LabellingError::NoMove { fen: game.fen() })?;
        Ok(Label {
            best_move,
            evaluation: Some(score),
            policy,
            search_value: None,
            // Each move was made and judged, which is a ply; or the position alone.
            effort: SearchEffort { depth: Some(u16::from(self.question == Question::Moves)), nodes: None },
        })
    }
}
