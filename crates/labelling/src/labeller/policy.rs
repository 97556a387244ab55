//! Labels from a network without a search: its full policy and its value, in batches.

use std::sync::Arc;

use chess::{Evaluation, EvaluationRequest, Evaluator, Game, Move, StopSignal};
use dataset::{Label, PolicyLabel, packed_move::PackedMove, record::SearchEffort, sample::SearchValue};

use super::{Labeller, LabellerKind, Labellers, POLICY, check_network, name_of_network};
use crate::LabellingError;

/// Networks without a search.
pub(super) const KIND: LabellerKind = LabellerKind {
    fits: |player| player.net().is_some() && player.search.name == POLICY,
    check: check_network,
    open: |request| {
        let evaluator = request.player.network()?.into_evaluator();
        let name = name_of_network(request.player);
        Ok(Labellers {
            limits: "policy without search".into(),
            make: Box::new(move || {
                Ok(Box::new(PolicyLabeller { name: name.clone(), evaluator: Arc::clone(&evaluator) }))
            }),
        })
    },
};

/// Number of parts into which a policy is divided when it is stored instead of visits: the resolution of stored
/// search values.
const PARTS: f32 = 10_000.0;

/// Positions per batch: larger batches do not make any kernel faster.
const BATCH: usize = 64;

/// Labels by a network's policy, without a search.
struct PolicyLabeller {
    name: String,
    evaluator: Arc<dyn Evaluator>,
}

impl Labeller for PolicyLabeller {
    fn name(&self) -> &str {
        &self.name
    }

    fn forget(&mut self) -> Result<(), LabellingError> {
        Ok(())
    }

    fn label(&mut self, game: &Game, stop: &StopSignal) -> Result<Label, LabellingError> {
        let mut labels = self.label_all(std::slice::from_ref(game), stop)?;
        labels.pop().ok_or(LabellingError::Stopped)
    }

    fn label_all(&mut self, games: &[Game], stop: &StopSignal) -> Result<Vec<Label>, LabellingError> {
        let mut labels = Vec::with_capacity(games.len());
        for batch in games.chunks(BATCH) {
            if stop.is_stopped() {
                break;
            }
            let moves: Vec<Vec<Move>> =
                batch.iter().map(|game| game.legal_moves().into_iter().collect()).collect();
            let requests: Vec<EvaluationRequest<'_>> = batch
                .iter()
                .zip(&moves)
                .map(|(game, legal_moves)| EvaluationRequest { game, legal_moves })
                .collect();
            let evaluations = search::evaluate(self.evaluator.as_ref(), &requests)?;
            for (request, evaluation) in requests.iter().zip(&evaluations) {
                labels.push(label(request, evaluation)?);
            }
        }
        Ok(labels)
    }
}

/// Moves with their shares in ten-thousandths.
type Shares = Box<[(PackedMove, u32)]>;

/// The move with the largest share, and the shares in ten-thousandths, largest first, without shares that round to zero; `None`
/// without a move.
pub(super) fn by_share(moves: &[Move], shares: &[f32]) -> Option<(PackedMove, Shares)> {
    let packed = moves.iter().map(|&legal| PackedMove::pack(legal));
    let mut by_share: Vec<(PackedMove, f32)> = packed.zip(shares.iter().copied()).collect();
    // Stable, so that equal shares stay in the order of the legal moves on every machine.
    by_share.sort_by(|one, other| other.1.total_cmp(&one.1));
    let &(best_move, _) = by_share.first()?;
    let parts = by_share.iter().map(|&(packed, share)| (packed, (share * PARTS).round() as u32));
    Some((best_move, parts.filter(|&(_, parts)| parts > 0).collect()))
}

fn label(request: &EvaluationRequest<'_>, evaluation: &Evaluation) -> Result<Label, LabellingError> {
    let (best_move, visits) = by_share(request.legal_moves, &evaluation.priors)
        .ok_or_else(|| LabellingError::NoMove { fen: request.game.fen() })?;
    Ok(Label {
        best_move,
        evaluation: Some(search::score::score_of(evaluation.wdl)),
        policy: PolicyLabel::Visits(visits),
        search_value: Some(SearchValue::new(evaluation.wdl)),
        effort: SearchEffort { depth: None, nodes: Some(1) },
    })
}

#[cfg(test)]
mod tests {
    use chess::{Position as _, UniformEvaluator, Wdl};

    use super::*;

    #[test]
    fn priors_become_parts_of_ten_thousand_and_crumbs_nothing() {
        let game = Game::default();
        let legal_moves: Vec<Move> = game.legal_moves().into_iter().collect();
        let request = EvaluationRequest { game: &game, legal_moves: &legal_moves };
        let mut priors = vec![0.000_04; legal_moves.len()];
        (priors[3], priors[7]) = (0.25, 0.749_28);
        let wdl = Wdl { win: 0.5, draw: 0.3, loss: 0.2 };
        let found = label(&request, &Evaluation { wdl, priors, moves_left: None }).unwrap();
        let pack = |index: usize| PackedMove::pack(legal_moves[index]);
        assert_eq!(found.policy, PolicyLabel::Visits([(pack(7), 7493), (pack(3), 2500)].into()));
        assert_eq!(found.best_move, pack(7));
        assert_eq!(found.search_value, Some(SearchValue { win: 5000, loss: 2000 }));
        assert_eq!(found.evaluation, Some(search::score::score_of(wdl)));
    }

    #[test]
    fn many_positions_get_the_labels_that_each_gets_alone() {
        let mut games = vec![Game::default()];
        while games.len() < 2 * BATCH + 5 {
            let mut next = games[games.len() - 1].clone();
            let moves = next.legal_moves();
            next.play(moves[games.len() % moves.len()]).unwrap();
            games.push(if next.position().is_game_over() { Game::default() } else { next });
        }
        let mut labeller = PolicyLabeller { name: "uniform".into(), evaluator: Arc::new(UniformEvaluator) };
        let stop = StopSignal::default();
        let together = labeller.label_all(&games, &stop).unwrap();
        assert_eq!(together.len(), games.len());
        for (game, label) in games.iter().zip(together) {
            assert_eq!(labeller.label(game, &stop).unwrap(), label);
            assert!(label.best_move.unpack(game.position()).is_some(), "{}", game.fen());
        }
        stop.stop();
        assert_eq!(labeller.label_all(&games, &stop).unwrap(), []);
    }
}
