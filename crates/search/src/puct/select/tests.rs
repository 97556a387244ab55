use chess::Game;
use rand::RngExt as _;
use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};

use super::*;
use crate::puct::{packed::PackedPrior, tree::Edge};

/// The score of each edge by the formula of [`choose`] as it is written; nothing for proven edges.
fn scores(tree: &Tree, options: &PuctOptions) -> Vec<Option<f32>> {
    let node = tree.node(ROOT);
    let children = tree.children(ROOT);
    let edges = tree.edges(ROOT);
    let base = options.cpuct_base;
    let growth = libm::logf((node.visits as f32 + base) / base);
    let constant = options.cpuct + options.cpuct_factor * growth;
    let visits_of_children = node.visits.saturating_sub(1).max(1) as f32;
    let visited: f32 = children
        .iter()
        .zip(edges)
        .filter(|(child, _)| child.visits > 0)
        .map(|(_, edge)| edge.prior.get())
        .sum();
    let score = |(ordinal, edge): (usize, &Edge)| {
        let child = children.get(ordinal);
        let value = match child {
            Some(child) if child.state != State::Open => return None,
            Some(child) if child.visits > 0 => child.value,
            _ => -node.value - options.fpu_reduction * visited.sqrt(),
        };
        let started = child.map_or(0, Node::started);
        Some(value + constant * visits_of_children.sqrt() * edge.prior.get() / (1 + started) as f32)
    };
    edges.iter().enumerate().map(score).collect()
}

/// A root with random edges, children and statistics.
fn random_tree(random: &mut Xoshiro256PlusPlus) -> Tree {
    let mut tree = Tree::new(1 << 20);
    let chess_move = PackedMove::pack(Game::default().legal_moves()[0]);
    let mut priors: Vec<f32> = (0..random.random_range(2..40)).map(|_| random.random::<f32>()).collect();
    priors.sort_by(|left, right| right.total_cmp(left));
    let edges: Vec<Edge> =
        priors.iter().map(|&prior| Edge { chess_move, prior: PackedPrior::pack(prior) }).collect();
    tree.open(ROOT, &edges);
    let children = random.random_range(0..edges.len());
    for _ in 0..children {
        let child = tree.add_child(ROOT);
        let node = tree.node_mut(child);
        node.state = [State::Open, State::Open, State::Won, State::Lost][random.random_range(0..4)];
        node.visits = random.random_range(0..4) * random.random_range(0..500);
        node.visits += u32::from(node.state != State::Open);
        node.in_flight = random.random_range(0..3);
        node.value = random.random_range(-1.0..1.0);
    }
    let visits = 1 + tree.children(ROOT).iter().map(|child| child.visits).sum::<u32>();
    let root = tree.node_mut(ROOT);
    root.visits = visits;
    root.value = random.random_range(-1.0..1.0);
    tree
}

#[test]
fn the_edge_followed_is_the_one_the_formula_names() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..5000 {
        let tree = random_tree(&mut random);
        let options = PuctOptions {
            cpuct: random.random_range(0.1..5.0),
            fpu_reduction: random.random_range(-0.5..1.0),
            ..PuctOptions::default()
        };
        let scores = scores(&tree, &options);
        let best = scores.iter().copied().flatten().max_by(f32::total_cmp);
        assert!(best.is_some());
        assert_eq!(scores[choose(&tree, ROOT, &options)], best, "{scores:?}");
    }
}

#[test]
fn where_every_move_is_proven_the_quickest_win_or_the_longest_defence_is_followed() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut tree = random_tree(&mut random);
    while tree.children(ROOT).len() < tree.edges(ROOT).len() {
        tree.add_child(ROOT);
    }
    for ordinal in 0..tree.edges(ROOT).len() {
        let child = tree.child(ROOT, ordinal);
        tree.node_mut(child).state = State::Won;
        tree.node_mut(child).plies = if ordinal == 1 { 9 } else { 3 };
    }
    assert_eq!(choose(&tree, ROOT, &PuctOptions::default()), 1);
    for (ordinal, plies) in [(0, 8), (1, 4)] {
        let child = tree.child(ROOT, ordinal);
        tree.node_mut(child).state = State::Lost;
        tree.node_mut(child).plies = plies;
    }
    assert_eq!(choose(&tree, ROOT, &PuctOptions::default()), 1);
}

#[test]
fn exploration_grows_with_the_visits() {
    let options = PuctOptions::default();
    assert!((exploration(&options, 0) - 1.745).abs() < 1e-6);
    // 1.745 + 3.894 ln 2 where the visits equal the base.
    assert!((exploration(&options, 38_739) - 4.444_1).abs() < 1e-3);
}
