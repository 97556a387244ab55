//! Dirichlet noise in the root's priors, for variety in self-play.

use chess::Color;
use rand_distr::{Distribution, Gamma};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{
    packed::{PackedMove, PackedPrior, sort_edges},
    tree::{Edge, ROOT, Tree},
};
use crate::PuctOptions;

/// Mixes `P' = (1 - epsilon) P + epsilon Dirichlet(alpha)` into the root's priors (AlphaZero) and returns the edges as
/// they were, for [`set_priors`] to restore.
pub(crate) fn add(
    tree: &mut Tree,
    turn: Color,
    options: &PuctOptions,
    random: &mut Xoshiro256PlusPlus,
) -> Vec<Edge> {
    let original = tree.edges(ROOT).to_vec();
    let noise = dirichlet(original.len(), options.noise_alpha, random);
    let noisy: Vec<Edge> = original
        .iter()
        .zip(noise)
        .map(|(edge, noise)| {
            let mixed = (1.0 - options.noise_epsilon) * edge.prior.get() + options.noise_epsilon * noise;
            Edge { prior: PackedPrior::pack(mixed), ..*edge }
        })
        .collect();
    set_priors(tree, turn, &noisy);
    original
}

/// Sets the root's priors, given by move, and sorts the edges that have no child yet.
pub(crate) fn set_priors(tree: &mut Tree, turn: Color, edges: &[Edge]) {
    let prior_of =
        |wanted: PackedMove| edges.iter().find(|edge| edge.chess_move == wanted).map(|edge| edge.prior);
    let visited = usize::from(tree.node(ROOT).child_count);
    let root_edges = tree.edges_mut(ROOT);
    for edge in root_edges.iter_mut() {
        edge.prior = prior_of(edge.chess_move).unwrap_or(edge.prior);
    }
    sort_edges(&mut root_edges[visited..], turn);
}

/// A sample of the symmetric Dirichlet distribution: independent gamma variates, normalised. Uniform where the variates
/// are too small to be told apart from zero.
fn dirichlet(count: usize, alpha: f32, random: &mut Xoshiro256PlusPlus) -> Vec<f32> {
    let uniform = vec![1.0 / count.max(1) as f32; count];
    let Ok(gamma) = Gamma::new(f64::from(alpha), 1.0) else { return uniform };
    let variates: Vec<f64> = (0..count).map(|_| gamma.sample(random)).collect();
    let total: f64 = variates.iter().sum();
    if total > 0.0 { variates.into_iter().map(|variate| (variate / total) as f32).collect() } else { uniform }
}
