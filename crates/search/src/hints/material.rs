//! The moves that win material, found by an alpha-beta search over material alone before the main search, take prior from the
//! others (informed priors by minimax: Baier and Winands, "MCTS-Minimax hybrids with heuristic evaluation functions", IEEE TCIAIG
//! 2015).

use chess::SearchOptions;

use super::{Hint, HintContext, SearchStart};
use crate::{
    material::{MaterialSearch, SearchBudget},
    tunables::tunables,
};

tunables! {
    /// Limits of the material search, and the weight of its moves.
    MaterialOptions

    "MaterialNodes" nodes: u64 = 100_000 in 0, 10_000_000;
    "Most nodes of an alpha-beta search over material alone before each search; its best moves get a share of the prior; 0 for none."

    "MaterialTime" time: f32 = 0.4 in 0.0, 1.0;
    "Largest share of a move's time that the material search may take."

    "MaterialPrior" prior: f32 = 0.45 in 0.0, 1.0;
    "Share of the other moves' priors that goes to the moves which are best in the material search."
}

/// Under a node limit, most nodes of the material search for each visit that the limit allows. Chosen, not tuned.
const NODES_PER_VISIT: u64 = 125;

pub(super) fn make(options: &SearchOptions) -> Option<Box<dyn Hint>> {
    let options = MaterialOptions::read(options);
    let on = options.nodes > 0 && options.prior > 0.0;
    on.then(|| Box::new(Material { options, search: MaterialSearch::default(), best: Vec::new() }) as _)
}

struct Material {
    options: MaterialOptions,
    search: MaterialSearch,
    /// The indices of the root moves that reach the best balance.
    best: Vec<usize>,
}

impl Hint for Material {
    fn prepare(&mut self, start: &SearchStart<'_>) {
        // Without this, a search of ten visits would spend a hundred thousand nodes before the first of them.
        let allowed = start.visits.saturating_sub(1).saturating_mul(NODES_PER_VISIT);
        let is_over = || (start.is_over)(self.options.time);
        let budget = SearchBudget { nodes: self.options.nodes.min(allowed), is_over: &is_over };
        self.best = self.search.run(start.game.position(), start.moves, budget);
    }

    /// Below the root, applies to the positions that the material search of the root visited.
    fn apply(&self, place: &HintContext<'_>, priors: &mut [f32]) {
        if place.depth == 0 {
            follow(priors, &self.best, self.options.prior);
        } else if let Some(winning) = self.search.winning_move(place.position)
            && let Some(found) = place.moves.iter().position(|&chess_move| chess_move == winning)
        {
            follow(priors, &[found], self.options.prior);
        }
    }

    fn forget(&mut self) {
        self.search.clear();
    }
}

/// Takes `share` of the priors of all moves that are not `advised` and gives it to those that are: half of it in proportion to
/// their own priors, half in equal parts, so that a move with no prior is tried and a large set keeps its order.
fn follow(priors: &mut [f32], advised: &[usize], share: f32) {
    if advised.is_empty() {
        return;
    }
    let inside: f32 = advised.iter().map(|&place| priors[place]).sum();
    let (taken, equal) = (share * (1.0 - inside).max(0.0), 1.0 / advised.len() as f32);
    let own: Vec<f32> = advised.iter().map(|&place| priors[place]).collect();
    for prior in priors.iter_mut() {
        *prior *= 1.0 - share;
    }
    for (&place, own) in advised.iter().zip(own) {
        let proportion = if inside > 0.0 { own / inside } else { equal };
        priors[place] = own + taken * f32::midpoint(proportion, equal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advised_moves_get_what_the_others_lose() {
        let mut priors = [0.5, 0.25, 0.25, 0.0];
        follow(&mut priors, &[2, 3], 0.4);
        // 0.3 is taken; the third gets all of one half of it and half of the other.
        for (prior, expected) in priors.iter().zip([0.3, 0.15, 0.25 + 0.15 + 0.075, 0.075]) {
            assert!((prior - expected).abs() < 1e-6, "{priors:?}");
        }
        let mut unknown = [1.0, 0.0];
        follow(&mut unknown, &[1], 1.0);
        assert_eq!(unknown, [0.0, 1.0]);
        follow(&mut priors, &[], 0.4);
        assert!((priors[0] - 0.3).abs() < 1e-6);
    }
}
