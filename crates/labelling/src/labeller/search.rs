//! Labels from a search on a network: visits of the moves, and the value of the root.

use chess::{Decision, Game, Limits, RootMove, Search, StopSignal};
use dataset::{Label, PolicyLabel, packed_move::PackedMove, record::SearchEffort, sample::SearchValue};

use super::{Labeller, LabellerKind, Labellers, check_network, in_words, name_of_network};
use crate::LabellingError;

/// Networks with any search.
pub(super) const KIND: LabellerKind = LabellerKind {
    fits: |player| player.net().is_some(),
    check: check_network,
    open: |request| {
        let player = request.player;
        let searches = player.network()?.counting_visits().into_searches();
        let (name, limits) = (name_of_network(player), player.pace.limits());
        Ok(Labellers {
            limits: in_words(player),
            make: Box::new(move || {
                let (name, limits) = (name.clone(), limits.clone());
                Ok(Box::new(SearchLabeller { name, search: searches(), limits }))
            }),
        })
    },
};

/// A search and its limits.
struct SearchLabeller {
    name: String,
    search: Box<dyn Search>,
    limits: Limits,
}

impl Labeller for SearchLabeller {
    fn name(&self) -> &str {
        &self.name
    }

    fn forget(&mut self) -> Result<(), LabellingError> {
        self.search.new_game();
        // Noise and ties would otherwise depend on how many positions came before.
        self.search.reseed(0);
        Ok(())
    }

    fn label(&mut self, game: &Game, stop: &StopSignal) -> Result<Label, LabellingError> {
        Ok(label(&self.search.run(game, &self.limits, stop, &mut |_| ())?))
    }
}

/// The label in a decision; without visits, only the best move.
fn label(decision: &Decision) -> Label {
    let info = &decision.info;
    let mut visited: Vec<&RootMove> = info.root_moves.iter().filter(|root| root.visits > 0).collect();
    // The move played comes first (false sorts before true), even if another move has more visits.
    visited.sort_by_key(|root| (root.chess_move != decision.best, std::cmp::Reverse(root.visits)));
    let has_best = visited.first().is_some_and(|root| root.chess_move == decision.best);
    let visits = visited
        .iter()
        .map(|root| (PackedMove::pack(root.chess_move), u32::try_from(root.visits).unwrap_or(u32::MAX)));
    let best_line = info.judged_line();
    let root_value = info.root_value().filter(|&wdl| info.heads.judge(wdl));
    Label {
        best_move: PackedMove::pack(decision.best),
        evaluation: best_line.map(|line| line.score),
        policy: if has_best { PolicyLabel::Visits(visits.collect()) } else { PolicyLabel::BestMove },
        search_value: root_value.or(best_line.map(|line| line.wdl)).map(SearchValue::new),
        effort: SearchEffort { depth: u16::try_from(info.depth).ok(), nodes: Some(info.nodes) },
    }
}

#[cfg(test)]
mod tests {
    use chess::{PrincipalVariation, Score, SearchInfo, Wdl};

    use super::*;

    #[test]
    fn visits_and_the_mean_of_their_values() {
        let moves = Game::default().legal_moves();
        let root = |index: usize, visits, win| RootMove {
            visits,
            wdl: (visits > 0).then_some(Wdl { win, draw: 0.0, loss: 1.0 - win }),
            ..RootMove::unvisited(moves[index], 0.1)
        };
        let wdl = Wdl { win: 0.6, draw: 0.0, loss: 0.4 };
        let variation = PrincipalVariation { moves: vec![moves[1]], score: Score::Centipawns(33), wdl };
        // The move played is not the most visited one: temperature chose it.
        let mut info = SearchInfo {
            nodes: 100,
            depth: 4,
            root_moves: vec![root(0, 70, 0.9), root(1, 30, 0.6), root(2, 0, 0.0)],
            variations: vec![variation],
            ..SearchInfo::default()
        };
        let found = label(&Decision { best: moves[1], ponder: None, info: info.clone() });
        let pack = |index: usize| PackedMove::pack(moves[index]);
        assert_eq!(found.policy, PolicyLabel::Visits([(pack(1), 30), (pack(0), 70)].into()));
        assert_eq!(found.search_value, Some(SearchValue { win: 8100, loss: 1900 }));
        assert_eq!(found.evaluation, Some(Score::Centipawns(33)));
        assert_eq!(found.effort, SearchEffort { depth: Some(4), nodes: Some(100) });

        info.root_moves = vec![root(0, 0, 0.0), root(1, 0, 0.0)];
        let found = label(&Decision { best: moves[1], ponder: None, info });
        assert_eq!(found.policy, PolicyLabel::BestMove);
        assert_eq!(found.search_value, Some(SearchValue { win: 6000, loss: 4000 }));
    }
}
