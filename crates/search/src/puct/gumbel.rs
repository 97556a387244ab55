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

use chess::{MOST_MOVES, Wdl};
use rand_distr::{Distribution as _, Gumbel};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{
    ranking::{is_proven_loss, ranking},
    tree::{Edge, Node, ROOT, State, Tree},
};
use crate::{score::wdl_from, tunables::tunables};

tunables! {
    /// Gumbel search at the root.
    GumbelOptions

    "GumbelMoves" moves: u64 = 0 in 0, MOST_MOVES as u64;
    "Root moves drawn by Gumbel's trick, of which sequential halving leaves one; 0 for PUCT at the root. For node limits of a few dozen."

    "GumbelNoise" noise: f32 = 1.0 in 0.0, 1.0;
    "Factor of the Gumbel variates: 1 draws, for self-play; 0 takes the moves with the largest priors."
}

/// Constant c of sigma(q): weight of a value relative to the prior before any visit (the paper's value).
const VALUE_VISITS: f32 = 50.0;

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

/// Node limit beyond which the plan is not made longer; further visits go to the best move. Chosen for the plan's
/// memory, 400 kB: sequential halving is for few visits.
const MOST_PLANNED: u64 = 100_000;

impl HalvingPlan {
    /// Draws the plan for a root that was just opened, and sorts its edges by it. `visits` is the node limit, the root's own
    /// evaluation included.
    pub(crate) fn draw(
        tree: &Tree,
        options: &GumbelOptions,
        visits: u64,
        random: &mut Xoshiro256PlusPlus,
    ) -> Self {
        // Stands in for priors that were rounded to zero.
        const LEAST: f32 = 1e-9;
        let mut ranked: Vec<(f32, f32, Edge)> = tree
            .edges(ROOT)
            .into_iter()
            .map(|edge| {
                let logit = edge.prior.get().max(LEAST).ln();
                (logit + options.noise * variate(random), logit, edge)
            })
            .collect();
        ranked.sort_by(|left, right| right.0.total_cmp(&left.0));
        let edges: Vec<Edge> = ranked.iter().map(|(_, _, edge)| *edge).collect();
        tree.set_edges(ROOT, &edges);
        let moves = usize::try_from(options.moves).unwrap_or(usize::MAX).min(edges.len());
        let root = tree.node(ROOT);
        Self {
            logits: ranked.iter().map(|(_, logit, _)| *logit).collect(),
            scores: ranked.iter().map(|(score, ..)| *score).collect(),
            root_score: wdl_from(root.value, root.draw).flipped().expected_score(),
            turns: turns(moves, visits.saturating_sub(1).min(MOST_PLANNED) as usize),
        }
    }

    /// The edge of the root to follow: of those whose turn it is, the one with the best score so far.
    pub(crate) fn choose(&self, tree: &Tree) -> usize {
        let children = tree.children(ROOT);
        let started = |place: usize| children.get(place).map_or(0, Node::started);
        let spent: u32 = children.iter().map(Node::started).sum();
        let turn = self.turns.get(spent as usize);
        let scores = self.improved_scores(&children, &self.scores);
        let is_open = |place: &usize| children.get(*place).is_none_or(|child| child.state != State::Won);
        let on_turn = |place: &usize| turn.is_none_or(|&turn| started(*place) == turn);
        let best = |places: &mut dyn Iterator<Item = usize>| {
            places.max_by(|&left, &right| scores[left].total_cmp(&scores[right]).then(right.cmp(&left)))
        };
        // The first move without a child is the only one that can get one, and the best of them all: edges are sorted.
        let reachable = (children.len() + 1).min(scores.len());
        best(&mut (0..reachable).filter(on_turn).filter(is_open))
            .or_else(|| best(&mut (0..reachable).filter(is_open)))
            .unwrap_or(0)
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
        let weight = VALUE_VISITS + most;
        let missing = self.mixed_value(children);
        let value = |place: usize| children.get(place).and_then(expected_score).unwrap_or(missing);
        scores.iter().enumerate().map(|(place, score)| score + weight * value(place)).collect()
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
