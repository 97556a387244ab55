//! Labels from a Stockfish network by quiescence search: the value of the best move in centipawns and the share of each move,
//! or only the value.

use std::sync::Arc;

use chess::{Chess, Game, Move, Score, StopSignal};
use dataset::{Label, PolicyLabel, packed_move::PackedMove, record::SearchEffort};
use network::nnue::{Judge, Judgement};
use player::{PlayerSpecification, is_nnue, open_nnue};

use super::{
    LabelRequest, Labeller, LabellerKind, Labellers, POLICY, check_network, name_of_network, policy::by_share,
};
use crate::LabellingError;

/// Stockfish networks.
pub(super) const KIND: LabellerKind = LabellerKind {
    fits: |player| player.net().is_some_and(is_nnue),
    check: |request| {
        check_network(request)?;
        question(request.player).map(|_| ())
    },
    open,
};

/// The kind of search that computes only the value.
const VALUE: &str = "value";

fn question(player: &PlayerSpecification) -> Result<Question, String> {
    Question::of(player.search.name, player.pace.nodes).ok_or_else(|| {
        format!("a Stockfish network labels with search={POLICY}, search={VALUE} or search={VALUE},nodes=1")
    })
}

fn open(request: &LabelRequest<'_>) -> Result<Labellers, LabellingError> {
    let (player, net) = (request.player, request.player.net().expect("`fits` has seen it"));
    let question = question(player).expect("`check` has seen it");
    let (network, name) = (open_nnue(net)?, name_of_network(player));
    Ok(Labellers {
        limits: question.in_words().into(),
        make: Box::new(move || {
            let (name, judge) = (name.clone(), Judge::new(Arc::clone(&network)));
            Ok(Box::new(NnueLabeller { name, judge, question }))
        }),
    })
}

/// The question put to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// Value and share of every move.
    Moves,
    /// The value by captures.
    Value,
    /// The network's static evaluation of the position.
    Static,
}

impl Question {
    /// The kind of label for a search's name and node limit: one node means no quiescence search.
    fn of(search: &str, nodes: Option<u64>) -> Option<Self> {
        match (search, nodes) {
            (POLICY, _) => Some(Self::Moves),
            (VALUE, Some(1)) => Some(Self::Static),
            (VALUE, _) => Some(Self::Value),
            _ => None,
        }
    }

    /// The text in the manifest of a store, instead of limits.
    fn in_words(self) -> &'static str {
        match self {
            Self::Moves => "moves and captures",
            Self::Value => "captures",
            Self::Static => "static evaluation",
        }
    }
}

/// Labels positions with Stockfish's network: value and move shares, or only the value.
struct NnueLabeller {
    name: String,
    judge: Judge,
    question: Question,
}

impl NnueLabeller {
    /// Score, best move and shares; for a value label the move is unknown.
    fn judge(&mut self, position: &Chess, legal_moves: &[Move]) -> Option<(Score, PackedMove, PolicyLabel)> {
        let value = match self.question {
            Question::Moves => None,
            Question::Value => Some(self.judge.quiet_score(position)),
            Question::Static => Some(self.judge.static_score(position)),
        };
        if let Some(value) = value {
            // The format requires a move, so any legal one is stored and the policy is marked as unknown.
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
            // Depth 1 if each move was played and evaluated, 0 if only the position was.
            effort: SearchEffort { depth: Some(u16::from(self.question == Question::Moves)), nodes: None },
        })
    }
}
