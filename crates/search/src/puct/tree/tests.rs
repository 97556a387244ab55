use chess::{Game, MOST_MOVES};

use super::*;
use crate::packed::{PackedMove, PackedPrior};

fn some_edges(count: usize) -> Vec<Edge> {
    let chess_move = PackedMove::pack(Game::default().legal_moves()[0]);
    (0..count).map(|index| Edge::new(chess_move, PackedPrior::pack(1.0 / (index + 1) as f32))).collect()
}

#[test]
fn a_node_is_40_bytes_and_an_edge_8() {
    assert_eq!((NODE_BYTES, EDGE_BYTES), (40, 8));
}

#[test]
fn children_are_created_once_and_kept() {
    let tree = Tree::new(1 << 20);
    let mut stock = Allocator::default();
    tree.open(ROOT, &some_edges(MOST_MOVES), &mut stock);
    for ordinal in 0..MOST_MOVES {
        let child = tree.child_or_new(ROOT, ordinal, &mut stock);
        tree.raw(child).set_average(ordinal as u32, 0.5);
        assert_eq!(tree.child_or_new(ROOT, ordinal, &mut stock), child);
    }
    let visits: Vec<u32> = tree.children(ROOT).iter().map(|child| child.visits).collect();
    assert_eq!(visits, (0..MOST_MOVES as u32).collect::<Vec<_>>());
    assert!(tree.children(ROOT)[1..].iter().all(|child| (child.value - 0.5).abs() < 1e-6));
}

/// Grows a tree of three levels below the root.
fn grow(tree: &Tree) {
    let mut stock = Allocator::default();
    tree.open(ROOT, &some_edges(7), &mut stock);
    for ordinal in 0..7 {
        let child = tree.child_or_new(ROOT, ordinal, &mut stock);
        tree.open(child, &some_edges(5), &mut stock);
        for below in 0..5 {
            let grandchild = tree.child_or_new(child, below, &mut stock);
            tree.raw(grandchild).set_average(ordinal as u32, 0.0);
        }
    }
    tree.give_back(stock);
}

#[test]
fn promoting_keeps_exactly_the_subtree() {
    let mut tree = Tree::new(1 << 20);
    grow(&tree);
    assert!(!tree.promote(7), "there is no such child");
    assert!(tree.promote(3));
    assert_eq!(tree.edges(ROOT).len(), 5);
    assert!(tree.children(ROOT).iter().all(|child| child.visits == 3));
    // The root, its five children, and the root's five edges rounded up to eight. The promoted child's own node is lost
    // to the copy: it went back with the rest.
    assert_eq!(tree.live_bytes(), 6 * NODE_BYTES + 8 * EDGE_BYTES);
}

#[test]
fn freed_memory_is_used_again() {
    let mut tree = Tree::new(1 << 20);
    grow(&tree);
    let arena = tree.memory.arena_bytes();
    for _ in 0..100 {
        tree.forget(ROOT);
        assert_eq!(tree.live_bytes(), NODE_BYTES);
        grow(&tree);
    }
    assert_eq!(tree.memory.arena_bytes(), arena);
    tree.clear();
    assert_eq!((tree.live_bytes(), tree.run(ROOT).len()), (NODE_BYTES, 0));
}

#[test]
fn sums_of_many_visits_are_exact() {
    let raw = RawNode::default();
    for visit in 0..1000 {
        raw.depart(1, Writers::One);
        raw.arrive(Sums::of(if visit % 4 == 0 { -1.0 } else { 0.5 }, 0.25), Writers::One);
    }
    let node = raw.node();
    assert_eq!((node.visits, node.in_flight), (1000, 0));
    assert_eq!((node.value, node.draw), (0.125, 0.25));
    assert!((node.square - (0.25 + 0.75 * 0.25)).abs() < 1e-6);
}

#[test]
fn threads_agree_on_children_and_lose_no_visit() {
    let tree = Tree::new(16 << 20);
    let mut stock = Allocator::default();
    tree.open(ROOT, &some_edges(200), &mut stock);
    tree.give_back(stock);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut stock = Allocator::default();
                for round in 0..2000 {
                    let child = tree.child_or_new(ROOT, round / 10, &mut stock);
                    if tree.raw(child).claim(State::Fresh) {
                        tree.open(child, &some_edges(30), &mut stock);
                    }
                    for id in [ROOT, child] {
                        tree.raw(id).depart(1, Writers::Many);
                        tree.raw(id).arrive(Sums::of(0.5, 0.0), Writers::Many);
                    }
                }
                tree.give_back(stock);
            });
        }
    });
    assert_eq!(tree.node(ROOT).visits, 8000);
    let children = tree.children(ROOT);
    assert!(
        children.len() == 200 && children.iter().all(|child| child.visits == 40 && child.edge_count == 30)
    );
    // 201 nodes; runs of 200 and of 30 rounded up to 32 edges.
    assert_eq!(tree.live_bytes(), 201 * NODE_BYTES + (200 + 200 * 32) * EDGE_BYTES);
}

#[test]
fn pruning_forgets_what_was_visited_least_and_frees_its_memory() {
    // Full with what follows.
    let tree = Tree::new(16 << 10);
    let mut stock = Allocator::default();
    tree.open(ROOT, &some_edges(7), &mut stock);
    for ordinal in 0..7 {
        let child = tree.child_or_new(ROOT, ordinal, &mut stock);
        tree.raw(child).set_average(100 - ordinal as u32, 0.5);
        tree.open(child, &some_edges(30), &mut stock);
        for below in 0..10 {
            let grandchild = tree.child_or_new(child, below, &mut stock);
            tree.raw(grandchild).set_average(10 - ordinal as u32, 0.25);
            tree.open(grandchild, &some_edges(20 + ordinal), &mut stock);
        }
    }
    let proven = tree.child_or_new(tree.child(ROOT, 6).unwrap(), 0, &mut stock);
    tree.raw(proven).settle(State::Won, 3);
    tree.give_back(stock);
    let before = tree.live_bytes();
    assert!(tree.is_full());
    assert!(tree.prune() && !tree.is_full());
    assert!(tree.live_bytes() <= before * 6 / 10, "{} of {before} bytes", tree.live_bytes());
    let children: Vec<NodeId> = tree.child_ids(ROOT).collect();
    assert_eq!(children.len(), 7);
    let proven = tree.node(proven);
    assert_eq!((proven.state, proven.plies, proven.edge_count), (State::Won, 3, 0));
    let mut opened = Vec::new();
    for (ordinal, &child) in children.iter().enumerate() {
        let node = tree.node(child);
        assert_eq!((node.visits, node.edge_count), (100 - ordinal as u32, 30));
        assert!((node.value - 0.5).abs() < 1e-6);
        for grandchild in tree.children(child) {
            assert_eq!(grandchild.visits, 10 - ordinal as u32);
            assert!((grandchild.value - 0.25).abs() < 1e-6 || grandchild.state == State::Won);
            let kept = grandchild.edge_count > 0;
            assert!(kept == (grandchild.state == State::Open), "closed nodes are fresh or proven");
            opened.push((grandchild.visits, kept));
        }
    }
    // The bound doubles from round to round.
    let visits = |kept| opened.iter().filter(move |one| one.1 == kept).map(|one| one.0);
    let (least_kept, most_lost) = (visits(true).min().unwrap(), visits(false).max().unwrap());
    assert!(2 * least_kept > most_lost, "{opened:?}");
    // The freed runs serve for runs of other lengths: nothing is taken from new memory.
    let arena = tree.memory.arena_bytes();
    let mut stock = Allocator::default();
    for &child in &children {
        for grandchild in tree.child_ids(child).filter(|&id| tree.node(id).state == State::Fresh) {
            assert!(tree.raw(grandchild).claim(State::Fresh));
            tree.open(grandchild, &some_edges(9), &mut stock);
        }
    }
    tree.give_back(stock);
    assert_eq!(tree.memory.arena_bytes(), arena);
}
