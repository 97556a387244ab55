//! The root of a search with few visits: moves drawn by Gumbel's trick, and sequential halving (Danihelka, Guez, Schrittwieser,
//! Silver 2022, "Policy improvement by planning with Gumbel").
//!
//! 1. Each root move has the score g + ln(prior), g being a Gumbel variate: the m moves with the largest scores are a sample of m
//!    moves from the prior without replacement (section 3.2).
//! 2. The visits are shared out in rounds. In each round the remaining moves get equally many visits; then the better half
//!    of them by g + ln(prior) + sigma(q) stays (section 3.4, algorithm 2).
//! 3. The move of the largest such score among the most visited is played, and the policy to learn is softmax(ln(prior) +
//!    sigma(completed q)), which is an improvement whatever the number of visits (section 4).
//!
//! sigma(q) = (c + max N) q, q being the expected score, 0 to 1 (equation 8, whose scale s is 1). Below the root the walk is
//! PUCT's.

use chess::Wdl;
use rand_distr::{Distribution as _, Gumbel};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{
    numbers::{GUMBEL_LEAST_PRIOR, GUMBEL_VALUE_VISITS, GumbelOptions, MOST_PLANNED},
    ranking::{is_proven_loss, ranking},
    tree::{Edge, Node, ROOT, State, Tree},
};
use crate::score::wdl_from;

/// Allocation of the visits of one search to the root's moves.
#[derive(Clone, Debug)]
pub(crate) struct HalvingPlan {
    /// ln(prior) of each edge.
    logits: Vec<f32>,
    /// g + ln(prior) of each edge; the edges are sorted by it.
    scores: Vec<f32>,
    /// The expected score that the evaluator gives the root.
    root_score: f32,
    /// Visits that a move must have to get the visit with this number.
    turns: Vec<u32>,
}

/// A root edge with its ln(prior) and its g + ln(prior).
struct Drawn {
    score: f32,
    logit: f32,
    edge: Edge,
}

impl HalvingPlan {
    /// Draws the plan for a root that was just opened, and sorts its edges by it. `visits` is the node limit, the root's own
    /// evaluation included.
    pub(crate) fn draw(
        tree: &Tree,
        options: &GumbelOptions,
        visits: u64,
        random: &mut Xoshiro256PlusPlus,
    ) -> Self {
        let mut drawn = Vec::new();
        for edge in tree.edges(ROOT) {
            let logit = edge.prior.get().max(GUMBEL_LEAST_PRIOR).ln();
            drawn.push(Drawn { score: logit + options.noise * variate(random), logit, edge });
        }
        drawn.sort_by(|left, right| right.score.total_cmp(&left.score));
        let edges: Vec<Edge> = drawn.iter().map(|drawn| drawn.edge).collect();
        tree.set_edges(ROOT, &edges);
        let moves = usize::try_from(options.moves).unwrap_or(usize::MAX).min(edges.len());
        let root = tree.node(ROOT);
        Self {
            logits: drawn.iter().map(|drawn| drawn.logit).collect(),
            scores: drawn.iter().map(|drawn| drawn.score).collect(),
            root_score: wdl_from(root.value, root.draw).flipped().expected_score(),
            turns: turns(moves, visits.saturating_sub(1).min(MOST_PLANNED) as usize),
        }
    }

    /// The edge of the root to follow: of those whose turn it is, the one with the best score so far.
    pub(crate) fn choose(&self, tree: &Tree) -> usize {
        let children = tree.children(ROOT);
        let spent: u32 = children.iter().map(Node::started).sum();
        let turn = self.turns.get(spent as usize);
        let scores = self.improved_scores(&children, &self.scores);
        // The first move without a child is the only one that can get one, and the best of them all: edges are sorted.
        let reachable = (children.len() + 1).min(scores.len());
        // The moves whose turn it is go before the others; there may be none, if those are proven to lose.
        let (mut best_on_turn, mut best) = (None, None);
        for (place, &score) in scores[..reachable].iter().enumerate() {
            let child = children.get(place);
            if child.is_some_and(|child| child.state == State::Won) {
                continue;
            }
            if turn.is_none_or(|&turn| child.map_or(0, Node::started) == turn) {
                keep_better(&mut best_on_turn, place, score);
            }
            keep_better(&mut best, place, score);
        }
        best_on_turn.or(best).map_or(0, |best| best.place)
    }

    /// The place in the ranking of the move to play: among the most visited moves that do not lose by force, the one with the best
    /// score.
    pub(crate) fn decide(&self, tree: &Tree) -> usize {
        let children = tree.children(ROOT);
        let scores = self.improved_scores(&children, &self.scores);
        let order = ranking(tree, ROOT);
        let open: Vec<(usize, usize)> = order
            .into_iter()
            .enumerate()
            .filter(|&(_, ordinal)| children.get(ordinal).is_some() && !is_proven_loss(tree, ordinal))
            .collect();
        let most = open.iter().map(|&(_, ordinal)| children[ordinal].visits).max().unwrap_or(0);
        open.into_iter()
            .filter(|&(_, ordinal)| children[ordinal].visits == most)
            .max_by(|(_, left), (_, right)| scores[*left].total_cmp(&scores[*right]))
            .map_or(0, |(place, _)| place)
    }

    /// The policy to learn, by edge.
    pub(crate) fn improved_policy(&self, tree: &Tree) -> Vec<f32> {
        let scores = self.improved_scores(&tree.children(ROOT), &self.logits);
        let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers: Vec<f32> = scores.iter().map(|score| (score - largest).exp()).collect();
        let sum: f32 = powers.iter().sum();
        powers.into_iter().map(|power| power / sum).collect()
    }

    /// Scores with sigma(completed q) added.
    fn improved_scores(&self, children: &[Node], scores: &[f32]) -> Vec<f32> {
        let most = children.iter().map(|child| child.visits).max().unwrap_or(0) as f32;
        let weight = GUMBEL_VALUE_VISITS + most;
        let missing = self.mixed_value(children);
        let mut improved = scores.to_vec();
        for (place, score) in improved.iter_mut().enumerate() {
            let value = children.get(place).and_then(expected_score).unwrap_or(missing);
            *score += weight * value;
        }
        improved
    }

    /// Value assumed for an unvisited move, as an expected score: the mean of the root's own value and the visited moves'
    /// prior-weighted mean, weighted 1 to the number of visits (equation 33).
    fn mixed_value(&self, children: &[Node]) -> f32 {
        let (mut visits, mut priors, mut sum) = (0, 0.0, 0.0);
        for (child, logit) in children.iter().zip(&self.logits) {
            if let Some(score) = expected_score(child) {
                visits += child.visits;
                priors += logit.exp();
                sum += logit.exp() * score;
            }
        }
        if visits == 0 || priors <= 0.0 {
            return self.root_score;
        }
        let visits = visits as f32;
        (self.root_score + visits * sum / priors) / (1.0 + visits)
    }
}

/// A place among the root's edges, with its score.
struct Scored {
    place: usize,
    score: f32,
}

/// Keeps the place with the larger score, of equal ones the earlier.
fn keep_better(best: &mut Option<Scored>, place: usize, score: f32) {
    if best.as_ref().is_none_or(|best| score.total_cmp(&best.score).is_gt()) {
        *best = Some(Scored { place, score });
    }
}

/// The expected score of a move for the side that plays it; `None` if it was never visited.
fn expected_score(child: &Node) -> Option<f32> {
    let wdl: Wdl = wdl_from(child.value, child.draw);
    (child.visits > 0).then(|| wdl.expected_score())
}

fn variate(random: &mut Xoshiro256PlusPlus) -> f32 {
    Gumbel::new(0.0, 1.0).expect("a scale of 1 is positive").sample(random)
}

/// Visits that a move must have to receive each further visit, in order: each round gives `moves` of them equally many visits,
/// then half of them continue. The number of rounds is the logarithm of `moves` to the base 2, rounded up.
fn turns(moves: usize, visits: usize) -> Vec<u32> {
    if moves <= 1 {
        return (0..visits as u32).collect();
    }
    let rounds = moves.next_power_of_two().trailing_zeros() as usize;
    let (mut turns, mut level, mut left) = (Vec::with_capacity(visits), 0, moves);
    while turns.len() < visits {
        let each = (visits / (rounds * left)).max(1);
        for _ in 0..each {
            turns.extend(std::iter::repeat_n(level, left));
            level += 1;
        }
        left = (left / 2).max(2);
    }
    turns.truncate(visits);
    turns
}

#[cfg(test)]
mod tests;
