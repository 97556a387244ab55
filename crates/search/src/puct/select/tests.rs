use chess::Game;
use rand::RngExt as _;
use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};

use super::*;
use crate::{
    packed::PackedPrior,
    puct::{
        PuctOptions,
        numbers::{CPUCT_BASE, CPUCT_DEVIATION},
        tree::Node,
    },
};

/// The score of each edge by the formula of [`choose`], computed literally; nothing for proven edges.
fn scores(tree: &Tree, Formula { exploration, .. }: Formula<'_>) -> Vec<Option<f32>> {
    let options = &exploration.options;
    let node = tree.node(ROOT);
    let children = tree.children(ROOT);
    let edges = tree.edges(ROOT);
    let growth = libm::logf((node.visits as f32 + CPUCT_BASE) / CPUCT_BASE);
    let deviation = (node.square - node.value * node.value).max(0.0).sqrt();
    let drawn = deviation + (CPUCT_DEVIATION - deviation) / (1.0 + node.visits as f32 / 2.0);
    let spread = (1.0 + options.cpuct_variance * (drawn / CPUCT_DEVIATION - 1.0)).max(0.1);
    let constant = (options.cpuct + options.cpuct_factor * growth) * spread;
    let visits_of_children = node.visits.saturating_sub(1).max(1) as f32;
    let visited: f32 = children
        .iter()
        .zip(&edges)
        .filter(|(child, _)| child.visits > 0)
        .map(|(_, edge)| edge.prior.get())
        .sum();
    let score = |(ordinal, edge): (usize, &Edge)| {
        let child = children.get(ordinal);
        let value = match child {
            Some(child) if matches!(child.state, State::Won | State::Lost) => return None,
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
    let tree = Tree::new(1 << 20);
    let mut stock = Allocator::default();
    let chess_move = PackedMove::pack(Game::default().legal_moves()[0]);
    let mut priors: Vec<f32> = (0..random.random_range(2..40)).map(|_| random.random::<f32>()).collect();
    priors.sort_by(|left, right| right.total_cmp(left));
    let edges: Vec<Edge> =
        priors.iter().map(|&prior| Edge::new(chess_move, PackedPrior::pack(prior))).collect();
    tree.open(ROOT, &edges, &mut stock);
    let children = random.random_range(0..edges.len());
    for ordinal in 0..children {
        let child = tree.raw(tree.child_or_new(ROOT, ordinal, &mut stock));
        let state = [State::Open, State::Open, State::Won, State::Lost][random.random_range(0..4)];
        let visits = random.random_range(0..4) * random.random_range(0..500);
        child.settle(state, 0);
        child.depart(random.random_range(0..3), Writers::One);
        child.set_average(visits + u32::from(state != State::Open), random.random_range(-1.0..1.0));
    }
    let visits = 1 + tree.children(ROOT).iter().map(|child| child.visits).sum::<u32>();
    tree.raw(ROOT).set_average(visits, random.random_range(-1.0..1.0));
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
            cpuct_variance: random.random_range(0.0..1.0),
            ..PuctOptions::default()
        };
        let exploration = Exploration::new(options);
        let formula = Formula { exploration: &exploration, plan: None };
        let scores = scores(&tree, formula);
        let best = scores.iter().copied().flatten().max_by(f32::total_cmp);
        assert!(best.is_some());
        let choice = choose(&tree, ROOT, formula);
        // Rounding may order unvisited moves of nearly equal priors differently.
        let (found, best) = (scores[choice.ordinal].expect("not proven"), best.expect("asserted above"));
        assert!((found - best).abs() < 2e-3, "{found} instead of {best}: {scores:?}");
        stays_ahead(&tree, formula, choice);
    }
}

/// With all but the last of its repeats in flight the edge is still the one to follow.
fn stays_ahead(tree: &Tree, formula: Formula<'_>, choice: Choice) {
    let Some(child) = tree.child(ROOT, choice.ordinal) else { return };
    let more = choice.repeats.min(1000) - 1;
    tree.raw(child).depart(more, Writers::One);
    assert_eq!(choose(tree, ROOT, formula).ordinal, choice.ordinal, "after {more} more");
    tree.raw(child).abandon(more, Writers::One);
}

#[test]
fn where_every_move_is_proven_the_quickest_win_or_the_longest_defence_is_followed() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let tree = random_tree(&mut random);
    let mut stock = Allocator::default();
    for ordinal in 0..tree.run(ROOT).len() {
        let child = tree.child_or_new(ROOT, ordinal, &mut stock);
        tree.raw(child).settle(State::Won, if ordinal == 1 { 9 } else { 3 });
    }
    let exploration = Exploration::new(PuctOptions::default());
    let formula = Formula { exploration: &exploration, plan: None };
    assert_eq!(choose(&tree, ROOT, formula).ordinal, 1);
    for (ordinal, plies) in [(0, 8), (1, 4)] {
        let child = tree.child(ROOT, ordinal).expect("created above");
        tree.raw(child).settle(State::Lost, plies);
    }
    assert_eq!(choose(&tree, ROOT, formula).ordinal, 1);
}

#[test]
fn exploration_grows_with_the_visits() {
    let options = PuctOptions::default();
    assert!((options.exploration(0) - 1.3).abs() < 1e-6);
    // 1.3 + 3.894 ln 2 where the visits equal the base.
    assert!((options.exploration(38_739) - 3.999_1).abs() < 1e-3);
}

#[test]
fn exploration_follows_the_spread_of_the_values_where_asked() {
    let node = |value: f32, square: f32, visits: u32| Node {
        value,
        draw: 0.0,
        square,
        visits,
        in_flight: 0,
        plies: 0,
        edge_count: 1,
        state: State::Open,
    };
    let with = |cpuct_variance| Exploration::new(PuctOptions { cpuct_variance, ..PuctOptions::default() });
    let (plain, spread) = (with(0.0), with(0.8));
    let ratio = |node: &Node| spread.scale(node) / plain.scale(node);
    let usual = 0.28_f32 * 0.28;
    assert!((ratio(&node(0.3, 0.09 + usual, 10_000)) - 1.0).abs() < 1e-3);
    assert!((ratio(&node(0.3, 0.09 + 4.0 * usual, 10_000)) - 1.8).abs() < 1e-2);
    assert!((ratio(&node(0.3, 0.09, 10_000)) - 0.2).abs() < 1e-2);
    assert!(ratio(&node(0.3, 0.09, 1)) > 0.4, "few visits tell little");
}
