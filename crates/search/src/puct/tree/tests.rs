use chess::Game;

use super::*;

fn some_edges(count: usize) -> Vec<Edge> {
    let game = Game::default();
    let chess_move = PackedMove::pack(game.legal_moves()[0]);
    (0..count).map(|index| Edge { chess_move, prior: PackedPrior::pack(1.0 / (index + 1) as f32) }).collect()
}

#[test]
fn a_node_is_28_bytes_and_an_edge_4() {
    assert_eq!(NODE_BYTES, 28);
    assert_eq!(EDGE_BYTES, 4);
}

#[test]
fn children_keep_their_statistics_when_their_block_grows() {
    let mut tree = Tree::new(1 << 20);
    tree.open(ROOT, &some_edges(218));
    for index in 0..218_u32 {
        let child = tree.add_child(ROOT);
        tree.node_mut(child).visits = index;
    }
    let visits: Vec<u32> = tree.children(ROOT).iter().map(|child| child.visits).collect();
    assert_eq!(visits, (0..218).collect::<Vec<_>>());
    assert_eq!(tree.edges(ROOT), some_edges(218));
}

/// Grows a tree of three levels below the root.
fn grow(tree: &mut Tree) {
    tree.open(ROOT, &some_edges(7));
    for _ in 0..7 {
        let child = tree.add_child(ROOT);
        tree.open(child, &some_edges(5));
    }
    for ordinal in 0..7 {
        for _ in 0..5 {
            let child = tree.child(ROOT, ordinal);
            let grandchild = tree.add_child(child);
            tree.node_mut(grandchild).visits = ordinal as u32;
        }
    }
}

#[test]
fn promoting_keeps_exactly_the_subtree() {
    let mut tree = Tree::new(1 << 20);
    grow(&mut tree);
    tree.promote(3);
    assert_eq!(tree.edges(ROOT), some_edges(5));
    assert!(tree.children(ROOT).iter().all(|child| child.visits == 3));
    // The root, a block of eight for its five children, and their parent's five edges rounded up to eight.
    assert_eq!(tree.live_bytes(), (1 + 8) * NODE_BYTES + 8 * EDGE_BYTES);
}

#[test]
fn freed_memory_is_used_again() {
    let mut tree = Tree::new(1 << 20);
    grow(&mut tree);
    let arena = tree.arena_bytes();
    for _ in 0..100 {
        tree.forget(ROOT);
        assert_eq!(tree.live_bytes(), NODE_BYTES);
        grow(&mut tree);
    }
    // Splitting may strand small blocks once; it must not go on growing.
    assert!(tree.arena_bytes() <= 2 * arena, "{} of {arena}", tree.arena_bytes());
}
